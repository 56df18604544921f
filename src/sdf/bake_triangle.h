// The squared distance of points to a triangle, on any number of lanes.

#ifndef TOI_SDF_BAKE_TRIANGLE_H
#define TOI_SDF_BAKE_TRIANGLE_H

#include "kernel/lanes.h"
#include "sdf/bake.h"

TOI_INLINE toi_real toi_along(const toi_real p[3], const double axis[3])
{
    return p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2];
}

// The squared distance in the plane to a side from (0, 0) along (u, v), and on which side (x, y)
// is.
TOI_INLINE toi_real toi_side_square(toi_real x, toi_real y, double u, double v, double length,
                                    toi_real *left)
{
    toi_real t = toi_min(toi_max(x * u + y * v, TOI_SPREAD(0)), TOI_SPREAD(length));
    toi_real dx = x - t * u, dy = y - t * v;
    *left = y * u - x * v;
    return dx * dx + dy * dy;
}

// In the triangle's own axes: the height above its plane, and the distance within it to the nearest
// side unless the point is above the triangle.
TOI_INLINE toi_real toi_triangle_square(const toi_bake_triangle *t, const toi_real at[3])
{
    toi_real p[3] = {at[0] - t->origin[0], at[1] - t->origin[1], at[2] - t->origin[2]};
    toi_real x = toi_along(p, t->axes[0]), y = toi_along(p, t->axes[1]);
    toi_real height = toi_along(p, t->axes[2]), first, second;
    toi_real dx = x - toi_min(toi_max(x, TOI_SPREAD(0)), TOI_SPREAD(t->lengths[0]));
    toi_real square = dx * dx + y * y;
    square = toi_min(square, toi_side_square(x - t->lengths[0], y, t->sides[0][0], t->sides[0][1],
                                             t->lengths[1], &first));
    square = toi_min(square,
                     toi_side_square(x, y, t->sides[1][0], t->sides[1][1], t->lengths[2], &second));
    toi_mask above = TOI_TEST(y >= TOI_SPREAD(t->least)) & TOI_TEST(first >= TOI_SPREAD(0)) &
                     TOI_TEST(second <= TOI_SPREAD(0));
    return height * height + TOI_SELECT(above, TOI_SPREAD(0), square);
}

#endif
