// Rows of differences in the lanes of a search in single precision.

#ifndef TOI_SIMD_TURNING_ROWS_H
#define TOI_SIMD_TURNING_ROWS_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "simd/turning_lanes.h"

typedef int32_t toi_row_bits __attribute__((vector_size(32)));
typedef int32_t toi_quad_bits __attribute__((vector_size(16)));

// The sizes of a row: the larger end of each component, and zero for the idle one.
static inline toi_quad toi_row_sizes(toi_motion_row row)
{
    const toi_row_bits sizes = {INT32_MAX, INT32_MAX, INT32_MAX, 0,
                                INT32_MAX, INT32_MAX, INT32_MAX, 0};
    toi_motion_row x = (toi_motion_row)((toi_row_bits)row & sizes);
    toi_quad start = __builtin_shufflevector(x, x, 0, 1, 2, 3);
    toi_quad end = __builtin_shufflevector(x, x, 4, 5, 6, 7);
    toi_quad_bits larger = start > end;
    return (toi_quad)((larger & (toi_quad_bits)start) | (~larger & (toi_quad_bits)end));
}

static inline void toi_put_row(toi_motion_row row, int lane, toi_real at[2][3])
{
    for (int k = 0; k < 3; ++k) {
        at[0][k][lane] = row[k];
        at[1][k][lane] = row[4 + k];
    }
}

// Rows of P, E and G, scaled, with the sum of their sizes; returns what they were multiplied by, or
// 0 where this precision cannot hold them.
TOI_INLINE float toi_put_turning_rows(toi_motion_row p, toi_motion_row e, toi_motion_row g,
                                      int lane, toi_turning *q)
{
    toi_quad sum = toi_row_sizes(p) + toi_row_sizes(e) + toi_row_sizes(g);
    float total = sum[0] + sum[1] + sum[2];
    if (!(total > 0x1p-40f && total < 0x1p50f))
        return 0;
    // A power of two that brings the sum into [1/2, 1).
    int32_t bits;
    float scale;
    memcpy(&bits, &total, sizeof bits);
    bits = (TOI_EXPONENTS - (bits >> TOI_MANTISSA)) << TOI_MANTISSA;
    memcpy(&scale, &bits, sizeof scale);
    toi_put_row(p * scale, lane, q->p);
    toi_put_row(e * scale, lane, q->e);
    toi_put_row(g * scale, lane, q->g);
    q->total[lane] = total * scale;
    return scale;
}

#endif
