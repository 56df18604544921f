// The squared distance of points to a triangle, on any number of lanes.

#ifndef TOI_SDF_BAKE_TRIANGLE_H
#define TOI_SDF_BAKE_TRIANGLE_H

#include "kernel/lanes.h"
#include "sdf/bake.h"

TOI_INLINE void toi_spread3(const double from[3], toi_real to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = TOI_SPREAD(from[k]);
}

// The squared distance to an edge, p being relative to its first corner.
TOI_INLINE toi_real toi_edge_square(const toi_real p[3], const toi_real edge[3], double scale)
{
    toi_real t = toi_min(toi_max(toi_dot(p, edge) * scale, TOI_SPREAD(0)), TOI_SPREAD(1));
    toi_real d[3] = {p[0] - t * edge[0], p[1] - t * edge[1], p[2] - t * edge[2]};
    return toi_dot(d, d);
}

// The nearest point is on an edge unless the point's projection is within the triangle.
TOI_INLINE toi_real toi_triangle_square(const toi_bake_triangle *t, const toi_real at[3])
{
    toi_real outside = TOI_SPREAD(-INFINITY), square = TOI_SPREAD(INFINITY), first[3];
    for (int c = 0; c < 3; ++c) {
        toi_real p[3], edge[3], inward[3];
        for (int k = 0; k < 3; ++k)
            p[k] = at[k] - t->corner[c][k];
        if (c == 0)
            memcpy(first, p, sizeof p);
        toi_spread3(t->edge[c], edge);
        toi_spread3(t->inward[c], inward);
        outside = toi_max(outside, toi_dot(p, inward));
        square = toi_min(square, toi_edge_square(p, edge, t->edge_scale[c]));
    }
    toi_real normal[3];
    toi_spread3(t->normal, normal);
    toi_real height = toi_dot(first, normal);
    toi_mask within = TOI_TEST(outside <= TOI_SPREAD(0));
    return t->normal_scale > 0 ? TOI_SELECT(within, height * height * t->normal_scale, square)
                               : square;
}

#endif
