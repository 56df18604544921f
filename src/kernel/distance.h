// Distances between a point and a triangle and between two segments, robust for degenerate ones.
//
// The least distance is attained on a vertex, on a side or inside; each candidate is computed and
// the least taken. A candidate's distance is always that of a real pair of points, so a badly
// conditioned one can only lose to a better one. Coordinates are relative and scaled by a power of
// two: nothing overflows, and a far origin costs nothing.

#ifndef TOI_KERNEL_DISTANCE_H
#define TOI_KERNEL_DISTANCE_H

#include "kernel/inclusion.h"

// The candidate with the least squared length of F = p + u e + v g so far.
typedef struct toi_closest
{
    double square;
    double u, v;
} toi_closest;

TOI_INLINE double toi_clamp01(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; // NaN becomes 0
}

// F at (u, v).
TOI_INLINE void toi_value_at(const double p[3], const double e[3], const double g[3], double u,
                             double v, double f[3])
{
    for (int k = 0; k < 3; ++k)
        f[k] = (p[k] + u * e[k]) + v * g[k];
}

TOI_INLINE void toi_try_point(const double p[3], const double e[3], const double g[3], double u,
                              double v, toi_closest *best)
{
    double f[3];
    toi_value_at(p, e, g, u, v, f);
    toi_closest found = {toi_dot(f, f), u, v};
    if (found.square < best->square)
        *best = found;
}

// The parameter in [0, 1] of the point of the segment p + s d that is closest to the origin.
TOI_INLINE double toi_closest_on_segment(const double p[3], const double d[3])
{
    double length = toi_dot(d, d);
    return length > 0 ? toi_clamp01(-toi_dot(p, d) / length) : 0;
}

TOI_INLINE double toi_unit_vector(const double from[3], double to[3])
{
    double largest = toi_max3(from), scale = toi_unit_scale(&largest);
    for (int k = 0; k < 3; ++k)
        to[k] = from[k] * scale;
    return scale;
}

// The unconstrained minimum of |p + u e + v g| by cross products: their error grows with 1 / sine
// of the angle between e and g, not with its square as the normal equations' would. Edges are
// scaled to one first, so that the area does not underflow.
TOI_INLINE int toi_stationary(const double p[3], const double edge_e[3], const double edge_g[3],
                              double *u, double *v)
{
    double e[3], g[3], n[3], pg[3], ep[3];
    double scale_e = toi_unit_vector(edge_e, e), scale_g = toi_unit_vector(edge_g, g);
    toi_cross(e, g, n);
    double area = toi_dot(n, n);
    if (!(area > 0))
        return 0;
    toi_cross(p, g, pg);
    toi_cross(e, p, ep);
    *u = -toi_dot(pg, n) / area * scale_e;
    *v = -toi_dot(ep, n) / area * scale_g;
    return 1;
}

TOI_INLINE double toi_reclose(const double p[3], const double step[3], double along,
                              const double d[3])
{
    double q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = p[k] + along * step[k];
    return toi_closest_on_segment(q, d);
}

// The minimum inside a triangle: what is left of F at the solution is solved for again, which
// brings slivers, where the first solution is off by as much as the sliver is wide, back to full
// precision.
TOI_INLINE void toi_try_inside(const double p[3], const double e[3], const double g[3],
                               toi_closest *best)
{
    double u = 0, v = 0, du, dv, f[3];
    for (int step = 0; step < 4; ++step) {
        toi_value_at(p, e, g, u, v, f);
        if (!toi_stationary(f, e, g, &du, &dv))
            return;
        u += du;
        v += dv;
        if (u >= 0 && v >= 0 && u + v <= 1)
            toi_try_point(p, e, g, u, v, best);
    }
    // Each projection undoes what the other's error did along its own edge.
    u = toi_clamp01(u);
    v = toi_min(toi_reclose(p, e, u, g), 1 - u);
    toi_try_point(p, e, g, u, v, best);
    u = toi_min(toi_reclose(p, g, v, e), 1 - v);
    toi_try_point(p, e, g, u, v, best);
}

// The least |p + u e + v g| over the triangle u, v >= 0, u + v <= 1.
TOI_INLINE toi_closest toi_closest_on_triangle(const double p[3], const double e[3],
                                               const double g[3])
{
    toi_closest best = {HUGE_VAL, 0, 0};
    double far[3], side[3];
    toi_try_point(p, e, g, toi_closest_on_segment(p, e), 0, &best);
    toi_try_point(p, e, g, 0, toi_closest_on_segment(p, g), &best);
    for (int k = 0; k < 3; ++k) {
        far[k] = p[k] + e[k];
        side[k] = g[k] - e[k];
    }
    double s = toi_closest_on_segment(far, side);
    toi_try_point(p, e, g, 1 - s, s, &best);
    toi_try_inside(p, e, g, &best);
    return best;
}

// The least |p + u e + v g| over the square u, v in [0, 1].
TOI_INLINE toi_closest toi_closest_on_square(const double p[3], const double e[3],
                                             const double g[3])
{
    toi_closest best = {HUGE_VAL, 0, 0};
    double u, v;
    for (int end = 0; end < 2; ++end) {
        toi_try_point(p, e, g, toi_reclose(p, g, end, e), end, &best);
        toi_try_point(p, e, g, end, toi_reclose(p, e, end, g), &best);
    }
    if (toi_stationary(p, e, g, &u, &v)) {
        // Each projection undoes what the other's error did along its own edge.
        u = toi_clamp01(u);
        v = toi_reclose(p, e, u, g);
        u = toi_reclose(p, g, v, e);
        toi_try_point(p, e, g, u, v, &best);
    }
    return best;
}

#endif
