// What tests of baked fields share: meshes, and slow twins in long double.

#ifndef TOI_TEST_GRID_TWIN_H
#define TOI_TEST_GRID_TWIN_H

#include "sdf/grid.h"
#include "support.h"
#include "toi/random.h"

typedef struct solid
{
    double (*points)[3];
    int32_t (*faces)[3];
    int64_t point_count, face_count;
} solid;

// A ball with bumps of 2 x 4^levels x 4 triangles, scaled and moved; a box; free with free_solid().
solid make_bumpy(int rings, double scale, const double at[3]);
solid make_box(const double low[3], const double high[3]);
void free_solid(solid *s);

toi_point_view solid_points(const solid *s);
toi_index_view solid_faces(const solid *s);

// Bakes; must succeed.
toi_field *bake(const solid *s, toi_bake_def def, toi_bake_report *report);

// The distance to the nearest triangle, unsigned.
long double brute_distance(const solid *s, const long double p[3]);

// phi as docs/sdf.md defines it, from the stored numbers alone. Cubic cells by Discregrid's shape
// functions, which the library does not use.
long double twin_grid_value(const toi_grid *grid, const long double x[3]);

// A minorant at x, for a centre.
long double twin_minorant(const toi_minorant *m, const double centre[3], const long double x[3]);

#endif
