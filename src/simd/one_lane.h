// One lane of a vector by itself: its numbers, and its closest points with all care.

#ifndef TOI_SIMD_ONE_LANE_H
#define TOI_SIMD_ONE_LANE_H

#include "kernel/lanes.h"

#include "toi/narrow_phase.h"

static inline void toi_pick_lane(const toi_real from[3], int lane, double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = from[k][lane];
}

// Where the figure p + u e + v g is closest to the origin: for nearly parallel edges, slivers and
// points, which vectors cannot be trusted with.
static inline void toi_close_in_lane(int edge_edge, const toi_real p[3], const toi_real e[3],
                                     const toi_real g[3], int lane, toi_real *u, toi_real *v)
{
    double x[3], first[3], second[3], end[3], zero[3] = {0}, uv[2];
    toi_pick_lane(p, lane, x);
    toi_pick_lane(e, lane, first);
    toi_pick_lane(g, lane, second);
    for (int k = 0; k < 3; ++k) {
        end[k] = x[k] + first[k];
        first[k] = -first[k];
        second[k] = -second[k];
    }
    if (edge_edge)
        toi_edge_edge_distance(x, end, zero, second, uv);
    else
        toi_point_triangle_distance(x, zero, first, second, uv);
    (*u)[lane] = uv[0];
    (*v)[lane] = uv[1];
}

#endif
