// Sets of boxes without a mesh that are easy, or hard, for one broad phase or another.

#ifndef TOI_CLI_BOX_SETS_H
#define TOI_CLI_BOX_SETS_H

#include "toi/boxes.h"

enum
{
    BOX_SET_UNIFORM,      // the first
    BOX_SET_PARTNERS = 10 // about how many others a small box overlaps, whatever the number
};

// Names by number, NULL past the last; and in a line what there is to see.
const char *box_set_name(int set);
const char *box_set_about(int set);

// Number of the set of that name, -1 when there is none.
int find_box_set(const char *name);

// Fills in `count` boxes. The same seed gives the same boxes.
void make_box_set(int set, uint64_t seed, int64_t count, toi_box *boxes);

#endif
