// The slow twin of measuring, and checks of what the library answers about one instant.

#ifndef TOI_TEST_CLOSE_TWIN_H
#define TOI_TEST_CLOSE_TWIN_H

#include "support.h"

// One pair by the public distance functions.
toi_close_pair measure_slowly(const toi_mesh *mesh, toi_kind kind, toi_pair pair);

// The first of the least distances; that of no pair where there is none.
toi_close_pair closest_of(const toi_close_array *list);

// The largest difference of two coordinates, at most a quarter of the largest double.
double extent_of(const toi_mesh *mesh);

// One of the instruction sets that the machine has.
void set_level(int turn);

toi_scene *scene_of(const toi_mesh *mesh, const toi_filter *filter);

// The list, the stream, both of a scene, and the report must be as expected.
void check_close(const char *name, const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                 const toi_close_array *expected);

// And the closest pair.
void check_closest(const char *name, const toi_ccd_def *def, const toi_mesh *mesh,
                   const toi_close_pair *expected);

#endif
