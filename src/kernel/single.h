// Motions in single precision, as the first filters take them: docs/exact.md, section 2.

#ifndef TOI_KERNEL_SINGLE_H
#define TOI_KERNEL_SINGLE_H

#ifndef TOI_SINGLE
#define TOI_SINGLE
#endif
#include "kernel/separation.h"

// A difference that ends its motion at t: where it is then, of any kind of number.
#define TOI_STOPPED(start, end, t) ((start) + (t) * ((end) - (start)))

// Measures a motion whose differences are set. They stay as they are: sizes within single
// precision's range need no scaling, and a mask of lanes with other sizes, which are not to be
// trusted, is returned. Sizes get a share of the largest on top, since numbers far below it lose
// bits to underflow on the way to single precision.
TOI_INLINE toi_mask toi_measure_single(toi_pair_motion *m)
{
    m->scale = TOI_SPREAD(1);
    toi_take_sizes(m);
    m->largest = toi_max(toi_max(m->size[0], m->size[1]), m->size[2]);
    for (int k = 0; k < 3; ++k)
        m->size[k] += m->largest * 0x1p-20f;
    // A NaN is lost in a maximum but not in a sum.
    toi_real sum = m->size[0] + m->size[1] + m->size[2];
    return ~TOI_TEST((m->largest > 0x1p-40f) & (m->largest < 0x1p50f) & (sum < 0x1p52f));
}

#if TOI_LANES == 1
// The differences of the points up to t_max. A difference taken in double has one rounding wherever
// the origin is; this adds one more. Vectors come from rows (simd/motion_rows.h), with the same
// bits.
TOI_INLINE void toi_take_single_motion(int edge_edge, double points[2][4][3], double t_max,
                                       toi_pair_motion *m)
{
    for (int k = 0; k < 3; ++k)
        for (int end = 0; end < 2; ++end) {
            double x[4], y[4];
            for (int c = 0; c < 4; ++c) {
                x[c] = points[0][c][k];
                y[c] = points[end][c][k];
            }
            double p = TOI_P_OF(edge_edge, y), e = TOI_E_OF(edge_edge, y);
            double g = TOI_G_OF(edge_edge, y);
            if (end && t_max < 1) {
                p = TOI_STOPPED(TOI_P_OF(edge_edge, x), p, t_max);
                e = TOI_STOPPED(TOI_E_OF(edge_edge, x), e, t_max);
                g = TOI_STOPPED(TOI_G_OF(edge_edge, x), g, t_max);
            }
            m->p[end][k] = (float)p;
            m->e[end][k] = (float)e;
            m->g[end][k] = (float)g;
        }
}
#endif

#endif
