// The relative motion of two primitives, one form for both kinds of query.
//
//     F(t, u, v) = P(t) + u E(t) + v G(t),   P, E, G linear in t,
//
// is the vector between a point of one primitive and a point of the other: they touch at t where F
// = 0 for some (u, v).
//     vertex-face: P = x - f0,  E = f0 - f1, G = f0 - f2, u, v >= 0, u + v <= 1
//     edge-edge:   P = a0 - b0, E = a1 - a0, G = b0 - b1, u, v in [0, 1]
// Differences of the given doubles have a relative error of one rounding, wherever the origin is;
// they are then scaled by a power of two, so that nothing later can overflow: docs/inclusion.md,
// section 2.

#ifndef TOI_KERNEL_MOTION_H
#define TOI_KERNEL_MOTION_H

#include "kernel/lanes.h"

// Differences from TOI_LARGE on are taken again from coordinates scaled down.
#ifdef TOI_SINGLE
#define TOI_EXPONENTS 253
#define TOI_LARGE 0x1p125f
#else
#define TOI_EXPONENTS 2045
#define TOI_LARGE 0x1p1021
#endif

// Index 0 and 1: at t = 0 and at t = 1.
typedef struct toi_pair_motion
{
    toi_real p[2][3];
    toi_real e[2][3];
    toi_real g[2][3];
    toi_real size[3]; // bound of |P| + |E| + |G| for all t, by axis: the measure of rounding errors
    toi_real largest; // of all differences, before scaling
    toi_real scale;   // what the given coordinates were multiplied by
} toi_pair_motion;

// P, E and G of four corners, whatever these are made of.
#define TOI_P_OF(edge_edge, x) ((edge_edge) ? (x)[0] - (x)[2] : (x)[0] - (x)[1])
#define TOI_E_OF(edge_edge, x) ((edge_edge) ? (x)[1] - (x)[0] : (x)[1] - (x)[2])
#define TOI_G_OF(edge_edge, x) ((edge_edge) ? (x)[2] - (x)[3] : (x)[1] - (x)[3])

// Takes the differences of points[end][corner][axis] (corners as in toi_query) times `shrink`, a
// power of two: 1, or 1/16 where m->largest came out at TOI_LARGE or above.
TOI_INLINE void toi_take_differences(int edge_edge, toi_real points[2][4][3],
                                     const toi_real *shrink, toi_pair_motion *m)
{
    toi_real largest = TOI_SPREAD(0);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            toi_real x[4] = {points[end][0][k] * *shrink, points[end][1][k] * *shrink,
                             points[end][2][k] * *shrink, points[end][3][k] * *shrink};
            m->p[end][k] = TOI_P_OF(edge_edge, x);
            m->e[end][k] = TOI_E_OF(edge_edge, x);
            m->g[end][k] = TOI_G_OF(edge_edge, x);
            largest = toi_max(largest, toi_abs(m->p[end][k]));
            largest = toi_max(largest, toi_abs(m->e[end][k]));
            largest = toi_max(largest, toi_abs(m->g[end][k]));
        }
    m->largest = largest;
    m->scale = *shrink;
}

// The power of two that brings `largest` (below TOI_LARGE) into [1/2, 1); the largest there is for
// zero and denormals.
TOI_INLINE toi_real toi_unit_scale(const toi_real *largest)
{
    return toi_from_bits((TOI_EXPONENTS - (toi_to_bits(*largest) >> TOI_MANTISSA)) << TOI_MANTISSA);
}

TOI_INLINE toi_real toi_larger_end(toi_real ends[2][3], int k)
{
    return toi_max(toi_abs(ends[0][k]), toi_abs(ends[1][k]));
}

TOI_INLINE void toi_take_sizes(toi_pair_motion *m)
{
    for (int k = 0; k < 3; ++k)
        m->size[k] = toi_larger_end(m->p, k) + toi_larger_end(m->e, k) + toi_larger_end(m->g, k);
}

// Scales the differences and measures them.
TOI_INLINE void toi_normalise(toi_pair_motion *m)
{
    toi_real scale = toi_unit_scale(&m->largest);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            m->p[end][k] *= scale;
            m->e[end][k] *= scale;
            m->g[end][k] *= scale;
        }
    toi_take_sizes(m);
    m->scale *= scale;
}

// All of the above: the motion of the points, scaled, and what they were multiplied by before their
// differences were taken.
TOI_INLINE void toi_take_scaled_motion(int edge_edge, toi_real points[2][4][3], toi_real *shrink,
                                       toi_pair_motion *m)
{
    *shrink = TOI_SPREAD(1);
    toi_take_differences(edge_edge, points, shrink, m);
    toi_mask large = TOI_TEST(m->largest >= TOI_LARGE);
    if (toi_any(large)) {
        *shrink = TOI_SELECT(large, TOI_SPREAD((toi_number)0x1p-4), *shrink);
        toi_take_differences(edge_edge, points, shrink, m);
    }
    toi_normalise(m);
}

// P, E and G at time t.
TOI_INLINE void toi_motion_at(const toi_pair_motion *m, const toi_real *t, toi_real p[3],
                              toi_real e[3], toi_real g[3])
{
    toi_real s = 1 - *t;
    for (int k = 0; k < 3; ++k) {
        p[k] = TOI_PRODUCT_SUM(*t, m->p[1][k], s * m->p[0][k]);
        e[k] = TOI_PRODUCT_SUM(*t, m->e[1][k], s * m->e[0][k]);
        g[k] = TOI_PRODUCT_SUM(*t, m->g[1][k], s * m->g[0][k]);
    }
}

// How F changes with time at the place (u, v).
TOI_INLINE void toi_take_speed(const toi_pair_motion *m, const toi_real *u, const toi_real *v,
                               toi_real speed[3])
{
    for (int k = 0; k < 3; ++k)
        speed[k] = (m->p[1][k] - m->p[0][k]) + *u * (m->e[1][k] - m->e[0][k]) +
                   *v * (m->g[1][k] - m->g[0][k]);
}

#endif
