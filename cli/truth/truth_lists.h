// The public lists as they are read: pairs, booleans, times. Files are not trusted; messages name
// the file and the entry.

#ifndef TOI_CLI_TRUTH_LISTS_H
#define TOI_CLI_TRUTH_LISTS_H

#include "toi/base.h"

// Two box numbers, as the file has them.
typedef struct box_pair
{
    int64_t a;
    int64_t b;
} box_pair;

// Read [[a,b],...]. Release the array with toi_release().
toi_status read_box_pairs(const char *path, box_pair **pairs, int64_t *count);

// Read [true,false,...].
toi_status read_booleans(const char *path, bool **booleans, int64_t *count);

// Read lines of "1,time" or "0,"; the time of the latter is infinite.
toi_status read_times(const char *path, double **times, int64_t *count);

#endif
