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

#include <string.h>

#ifdef TOI_SINGLE
#define TOI_EXPONENTS 253
#else
#define TOI_EXPONENTS 2045
#endif
#define TOI_LARGE 0x1p1021 // differences from here on are taken again from coordinates scaled down

// Index 0 and 1: at t = 0 and at t = 1.
typedef struct toi_motion
{
    toi_real p[2][3];
    toi_real e[2][3];
    toi_real g[2][3];
    toi_real size[3]; // bound of |P| + |E| + |G| for all t, by axis: the measure of rounding errors
    toi_real largest; // of all differences, before scaling
    toi_real scale;   // what the given coordinates were multiplied by
} toi_motion;

// Takes the differences of points[end][corner][axis] (corners as in toi_query) times `shrink`, a
// power of two: 1, or 1/16 where m->largest came out at TOI_LARGE or above.
TOI_INLINE void toi_take_differences(int edge_edge, toi_real points[2][4][3],
                                     const toi_real *shrink, toi_motion *m)
{
    toi_real largest = TOI_SPREAD(0);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            toi_real x0 = points[end][0][k] * *shrink, x1 = points[end][1][k] * *shrink;
            toi_real x2 = points[end][2][k] * *shrink, x3 = points[end][3][k] * *shrink;
            m->p[end][k] = edge_edge ? x0 - x2 : x0 - x1;
            m->e[end][k] = edge_edge ? x1 - x0 : x1 - x2;
            m->g[end][k] = edge_edge ? x2 - x3 : x1 - x3;
            largest = TOI_MAX(largest, TOI_ABS(m->p[end][k]));
            largest = TOI_MAX(largest, TOI_ABS(m->e[end][k]));
            largest = TOI_MAX(largest, TOI_ABS(m->g[end][k]));
        }
    m->largest = largest;
    m->scale = *shrink;
}

// The power of two that brings `largest` (below TOI_LARGE) into [1/2, 1); the largest there is for
// zero and denormals.
TOI_INLINE toi_real toi_unit_scale(const toi_real *largest)
{
    toi_mask bits, scaled;
    toi_real scale;
    memcpy(&bits, largest, sizeof bits);
    scaled = (TOI_EXPONENTS - (bits >> TOI_MANTISSA)) << TOI_MANTISSA;
    memcpy(&scale, &scaled, sizeof scale);
    return scale;
}

TOI_INLINE toi_real toi_larger_end(toi_real ends[2][3], int k)
{
    return TOI_MAX(TOI_ABS(ends[0][k]), TOI_ABS(ends[1][k]));
}

TOI_INLINE void toi_take_sizes(toi_motion *m)
{
    for (int k = 0; k < 3; ++k)
        m->size[k] = toi_larger_end(m->p, k) + toi_larger_end(m->e, k) + toi_larger_end(m->g, k);
}

// Scales the differences and measures them.
TOI_INLINE void toi_normalise(toi_motion *m)
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

#endif
