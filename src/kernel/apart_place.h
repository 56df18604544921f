// The closest points of two primitives at a known time: docs/separation.md.

#ifndef TOI_KERNEL_APART_PLACE_H
#define TOI_KERNEL_APART_PLACE_H

#include "kernel/closest.h"

typedef struct toi_apart_place
{
    toi_real u, v;
    toi_real gap[3];           // from the second primitive's point to the first's
    toi_real p[3], e[3], g[3]; // at the time
    toi_mask inside;           // not on a side
    toi_mask trusted;          // the angle between e and g is wide enough for cross products
} toi_apart_place;

// What is left of F at (u, v) is solved for again, inside: that takes the error of the first
// solution, which grows with the square of 1 / sine, away.
TOI_INLINE void toi_refine_apart_place(int edge_edge, toi_apart_place *at)
{
    const toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    toi_real n[3], ge[3], eg[3], f[3];
    toi_cross(at->e, at->g, n);
    for (int k = 0; k < 3; ++k)
        f[k] = (at->p[k] + at->u * at->e[k]) + at->v * at->g[k];
    toi_cross(at->g, f, ge);
    toi_cross(f, at->e, eg);
    toi_real square = toi_dot(n, n) + TOI_SMALL_SQUARE;
    toi_real u = toi_min(toi_max(at->u + toi_dot(n, ge) / square, zero), one);
    toi_real v = toi_max(at->v + toi_dot(n, eg) / square, zero);
    v = toi_min(v, edge_edge ? one : one - u);
    at->u = TOI_SELECT(at->inside, u, at->u);
    at->v = TOI_SELECT(at->inside, v, at->v);
}

// F at (u, v).
TOI_INLINE void toi_take_gap(toi_apart_place *at)
{
    for (int k = 0; k < 3; ++k)
        at->gap[k] = (at->p[k] + at->u * at->e[k]) + at->v * at->g[k];
}

// A first solution.
TOI_INLINE void toi_begin_apart_place(int edge_edge, const toi_pair_motion *m, const toi_real *t,
                                      toi_apart_place *at)
{
    toi_near_point near;
    toi_motion_at(m, t, at->p, at->e, at->g);
    toi_find_near_point(edge_edge, at->p, at->e, at->g, &near);
    at->u = near.u;
    at->v = near.v;
    at->inside = near.inside;
}

TOI_INLINE void toi_end_apart_place(int edge_edge, toi_apart_place *at)
{
    toi_real n[3];
    toi_refine_apart_place(edge_edge, at);
    toi_take_gap(at);
    toi_cross(at->e, at->g, n);
    at->trusted =
        TOI_TEST(toi_dot(n, n) >
                 (toi_number)0x1p-20 * toi_dot(at->e, at->e) * toi_dot(at->g, at->g) + TOI_TINY);
}

TOI_INLINE void toi_find_apart_place(int edge_edge, const toi_pair_motion *m, const toi_real *t,
                                     toi_apart_place *at)
{
    toi_begin_apart_place(edge_edge, m, t, at);
    toi_end_apart_place(edge_edge, at);
}

#endif
