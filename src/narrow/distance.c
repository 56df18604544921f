// The public distance functions on the kernel.

#include "kernel/distance.h"

#include "base/fp_mode.h"
#include "toi/narrow_phase.h"

// Both ends of the motion are the same points: the static case.
TOI_APART static double distance(int edge_edge, const double *const corners[4], double uv[2])
{
    double points[2][4][3], shrink;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            points[0][c][k] = points[1][c][k] = corners[c][k];
    toi_motion m;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    toi_closest closest = edge_edge ? toi_closest_on_square(m.p[0], m.e[0], m.g[0])
                                    : toi_closest_on_triangle(m.p[0], m.e[0], m.g[0]);
    if (uv) {
        uv[0] = closest.u;
        uv[1] = closest.v;
    }
    return sqrt(closest.square) / m.scale;
}

double toi_point_triangle_distance(const double point[3], const double a[3], const double b[3],
                                   const double c[3], double uv[2])
{
    TOI_GUARD_FP;
    return distance(0, (const double *const[4]){point, a, b, c}, uv);
}

double toi_edge_edge_distance(const double a0[3], const double a1[3], const double b0[3],
                              const double b1[3], double uv[2])
{
    TOI_GUARD_FP;
    return distance(1, (const double *const[4]){a0, a1, b0, b1}, uv);
}
