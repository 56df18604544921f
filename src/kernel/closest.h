// Points of one figure F(t, .) near the origin, in lanes. Nothing here is certified: what is
// found steers searches, and what they conclude from it does not depend on how good it is. The one
// exception is the length at the end: that of a real point of the figure, rounded up.

#ifndef TOI_KERNEL_CLOSEST_H
#define TOI_KERNEL_CLOSEST_H

#include "kernel/motion.h"

// Squares below this are taken for zero: no quotient overflows.
#ifdef TOI_SINGLE
#define TOI_SMALL_SQUARE 0x1p-100f
#else
#define TOI_SMALL_SQUARE 0x1p-900
#endif

typedef struct toi_near_point
{
    toi_real f[3]; // about F there
    toi_real u, v;
    toi_mask inside; // not on a side: in the face, or between the ends of both edges
} toi_near_point;

TOI_INLINE toi_real toi_clamp_share(toi_real x)
{
    return toi_max(toi_min(x, TOI_SPREAD(1)), TOI_SPREAD(0)); // NaN becomes 1
}

// The side base + s along, 0 <= s <= 1, where (u, v) = (u + s du, v + s dv).
TOI_INLINE void toi_try_near_side(const toi_real base[3], const toi_real along[3], toi_number u,
                                  toi_number v, toi_number du, toi_number dv, toi_real *square,
                                  toi_near_point *best)
{
    toi_real f[3];
    toi_real s =
        toi_clamp_share(-toi_dot(base, along) / (toi_dot(along, along) + TOI_SMALL_SQUARE));
    for (int k = 0; k < 3; ++k)
        f[k] = TOI_PRODUCT_SUM(s, along[k], base[k]);
    toi_real found = toi_dot(f, f);
    toi_mask better = TOI_TEST(found < *square);
    *square = TOI_SELECT(better, found, *square);
    for (int k = 0; k < 3; ++k)
        best->f[k] = TOI_SELECT(better, f[k], best->f[k]);
    best->u = TOI_SELECT(better, du == 0 ? TOI_SPREAD(u) : u + s * du, best->u);
    best->v = TOI_SELECT(better, dv == 0 ? TOI_SPREAD(v) : v + s * dv, best->v);
}

// The nearest point of a triangle's sides.
TOI_INLINE void toi_find_near_side(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                                   toi_near_point *best)
{
    toi_real base[3], along[3], square = TOI_SPREAD((toi_number)HUGE_VAL);
    best->u = best->v = TOI_SPREAD(0);
    for (int k = 0; k < 3; ++k)
        best->f[k] = p[k];
    toi_try_near_side(p, e, 0, 0, 1, 0, &square, best);
    toi_try_near_side(p, g, 0, 0, 0, 1, &square, best);
    for (int k = 0; k < 3; ++k) {
        base[k] = p[k] + e[k];
        along[k] = g[k] - e[k];
    }
    toi_try_near_side(base, along, 1, 0, -1, 1, &square, best);
}

// The share in [0, 1] at which base + step + share along is nearest to the origin.
TOI_INLINE toi_real toi_near_share(const toi_real base[3], const toi_real step[3], toi_real at,
                                   const toi_real along[3])
{
    toi_real moved[3];
    for (int k = 0; k < 3; ++k)
        moved[k] = TOI_PRODUCT_SUM(at, step[k], base[k]);
    return toi_clamp_share(-toi_dot(moved, along) / (toi_dot(along, along) + TOI_SMALL_SQUARE));
}

// The nearest point of a parallelogram from its u on the plane, brought into the domain: v for that
// u, then u for that v. Parallel edges may begin anywhere.
TOI_INLINE void toi_find_near_share(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                                    const toi_real *u, toi_near_point *best)
{
    best->v = toi_near_share(p, e, toi_clamp_share(*u), g);
    best->u = toi_near_share(p, g, best->v, e);
    for (int k = 0; k < 3; ++k)
        best->f[k] = TOI_PRODUCT_SUM(best->v, g[k], TOI_PRODUCT_SUM(best->u, e[k], p[k]));
}

// The nearest point of the figure p + u e + v g: the foot of the perpendicular on its plane where
// that lies inside, else one of its border.
TOI_INLINE void toi_find_near_point(int edge_edge, const toi_real p[3], const toi_real e[3],
                                    const toi_real g[3], toi_near_point *best)
{
    toi_real n[3], gp[3], pe[3];
    const toi_real zero = TOI_SPREAD(0);
    toi_cross(e, g, n);
    toi_cross(g, p, gp);
    toi_cross(p, e, pe);
    toi_real square = toi_dot(n, n), uw = toi_dot(n, gp), vw = toi_dot(n, pe);
    toi_mask in = TOI_TEST(square > TOI_SMALL_SQUARE) & TOI_TEST(uw >= zero) & TOI_TEST(vw >= zero);
    in &= edge_edge ? TOI_TEST(uw <= square) & TOI_TEST(vw <= square) : TOI_TEST(uw + vw <= square);
    toi_real inverse = 1 / (square + TOI_SMALL_SQUARE), height = toi_dot(p, n) * inverse;
    toi_real u = uw * inverse, v = vw * inverse;
    if (edge_edge)
        toi_find_near_share(p, e, g, &u, best);
    else
        toi_find_near_side(p, e, g, best);
    best->inside = in;
    for (int k = 0; k < 3; ++k)
        best->f[k] = TOI_SELECT(in, height * n[k], best->f[k]);
    best->u = TOI_SELECT(in, u, best->u);
    best->v = TOI_SELECT(in, v, best->v);
}

// Not less than the figure's distance from the origin, if `slack` is at least 16 roundings of
// the sum of the sizes: the length of the point at (u, v) after these are brought into the domain.
// Not the length of `f`, which may be the foot of a perpendicular that misses the figure.
// docs/separation.md derives it.
TOI_INLINE toi_real toi_real_length(int edge_edge, const toi_real p[3], const toi_real e[3],
                                    const toi_real g[3], const toi_near_point *at,
                                    const toi_real *slack)
{
    toi_real f[3], u = toi_clamp_share(at->u), v = toi_clamp_share(at->v);
    if (!edge_edge)
        v = toi_min(v, 1 - u);
    for (int k = 0; k < 3; ++k)
        f[k] = TOI_PRODUCT_SUM(v, g[k], TOI_PRODUCT_SUM(u, e[k], p[k]));
    return (toi_sqrt(toi_dot(f, f)) + *slack) * (1 + 8 * TOI_UNIT);
}

#endif
