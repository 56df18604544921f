// Rows of differences in the lanes of a search in single precision.

#ifndef TOI_SIMD_TURNING_ROWS_H
#define TOI_SIMD_TURNING_ROWS_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "simd/turning_lanes.h"

// Rows of P, E and G, scaled by what brings the sum of their sizes into [1/2, 1), with that sum.
TOI_INLINE void toi_put_turning_rows(const toi_motion_rows *rows, toi_turning *q, toi_real *scale)
{
    toi_real sizes[3];
    toi_transpose_rows(rows->p, q->p);
    toi_transpose_rows(rows->e, q->e);
    toi_transpose_rows(rows->g, q->g);
    for (int k = 0; k < 3; ++k)
        sizes[k] = toi_larger_end(q->p, k) + toi_larger_end(q->e, k) + toi_larger_end(q->g, k);
    toi_real total = sizes[0] + sizes[1] + sizes[2];
    toi_mask held = TOI_TEST(total > 0x1p-40f) & TOI_TEST(total < 0x1p50f);
    *scale = TOI_SELECT(held, toi_unit_scale(&total), TOI_SPREAD(0));
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            q->p[end][k] *= *scale;
            q->e[end][k] *= *scale;
            q->g[end][k] *= *scale;
        }
    q->total = total * *scale;
}

#endif
