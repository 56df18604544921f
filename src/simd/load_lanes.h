// As many doubles at a time as a register holds, and queries transposed into them: vector i holds
// number i of each.

#ifndef TOI_SIMD_LOAD_LANES_H
#define TOI_SIMD_LOAD_LANES_H

#if defined(TOI_ISA_avx512)
#define TOI_LANES 8
#elif defined(TOI_ISA_avx2)
#define TOI_LANES 4
#else
#define TOI_LANES 2
#endif
#include "kernel/lanes.h"

#include <string.h>

// out[i] lane j = from[j][offset + i].
TOI_INLINE void toi_transpose(const double *const from[TOI_LANES], int offset,
                              toi_real out[TOI_LANES])
{
    toi_real a[TOI_LANES];
    for (int j = 0; j < TOI_LANES; ++j)
        memcpy(&a[j], from[j] + offset, sizeof a[j]);
#if TOI_LANES == 2
    out[0] = __builtin_shufflevector(a[0], a[1], 0, 2);
    out[1] = __builtin_shufflevector(a[0], a[1], 1, 3);
#elif TOI_LANES == 4
    toi_real b[4];
    for (int j = 0; j < 4; j += 2) {
        b[j] = __builtin_shufflevector(a[j], a[j + 1], 0, 4, 2, 6);
        b[j + 1] = __builtin_shufflevector(a[j], a[j + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; ++i) {
        out[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
        out[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
    }
#else
    toi_real b[8];
    for (int j = 0; j < 8; j += 2) {
        b[j] = __builtin_shufflevector(a[j], a[j + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[j + 1] = __builtin_shufflevector(a[j], a[j + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int j = 0; j < 8; j += 4)
        for (int i = 0; i < 2; ++i) {
            a[j + i] = __builtin_shufflevector(b[j + i], b[j + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[j + i + 2] =
                __builtin_shufflevector(b[j + i], b[j + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        out[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#endif
}

// Eight numbers of one lane.
enum
{
    TOI_ROW = 8
};
typedef double toi_row __attribute__((vector_size(TOI_ROW * sizeof(double))));

// to[i] lane j = from[j][i].
TOI_INLINE void toi_transpose_rows(const toi_row from[TOI_LANES], toi_real to[TOI_ROW])
{
    const double *rows[TOI_LANES];
    for (int i = 0; i < TOI_LANES; ++i)
        rows[i] = (const double *)&from[i];
    for (int k = 0; k < TOI_ROW; k += TOI_LANES)
        toi_transpose(rows, k, to + k);
}

#endif
