// The public distance functions on the kernel.

#include "kernel/distance.h"

#include "base/fp_mode.h"
#include "toi/narrow_phase.h"

TOI_APART static double distance(int edge_edge, const double *const corners[4], double uv[2])
{
    double points[4][3];
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            points[c][k] = corners[c][k];
    toi_standing s;
    toi_take_standing(edge_edge, points, &s);
    toi_closest closest =
        edge_edge ? toi_closest_on_square(s.p, s.e, s.g) : toi_closest_on_triangle(s.p, s.e, s.g);
    if (uv) {
        uv[0] = closest.u;
        uv[1] = closest.v;
    }
    return toi_given_length(&s, sqrt(closest.square));
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
