// Corners of pairs of faces, transposed into lanes: lane i of x[face][corner][axis] is pair i's.
// In single or double precision, after the one or the other's lanes were chosen.

#ifndef TOI_SIMD_FACE_LANES_H
#define TOI_SIMD_FACE_LANES_H

#include "kernel/lanes.h"

#include "overlap/overlap.h"

// A vertex: x y z and an idle number.
typedef toi_number toi_vertex_row __attribute__((vector_size(4 * sizeof(toi_number))));

#ifdef TOI_SINGLE
#define TOI_VERTEX_ROWS(table) ((table)->singles)
#else
#define TOI_VERTEX_ROWS(table) ((table)->doubles)
#endif

// The rows at[0], at[4], at[8] ... one behind the other.
#if TOI_LANES >= 4
TOI_INLINE toi_real toi_join_rows(const toi_number *const *at)
{
    toi_vertex_row rows[TOI_LANES / 4];
    for (int i = 0; i < TOI_LANES / 4; ++i)
        memcpy(&rows[i], at[4 * i], sizeof rows[i]);
#if TOI_LANES == 4
    return rows[0];
#elif TOI_LANES == 8
    return __builtin_shufflevector(rows[0], rows[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    typedef toi_number two_rows __attribute__((vector_size(8 * sizeof(toi_number))));
    two_rows low = __builtin_shufflevector(rows[0], rows[1], 0, 1, 2, 3, 4, 5, 6, 7);
    two_rows high = __builtin_shufflevector(rows[2], rows[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}
#endif

#if TOI_LANES == 4
#define TOI_EACH_FOUR(f) f(0)
#elif TOI_LANES == 8
#define TOI_EACH_FOUR(f) f(0), f(4)
#else
#define TOI_EACH_FOUR(f) f(0), f(4), f(8), f(12)
#endif
#define TOI_LOW_PAIRS(i) i, TOI_LANES + i, i + 1, TOI_LANES + i + 1
#define TOI_HIGH_PAIRS(i) i + 2, TOI_LANES + i + 2, i + 3, TOI_LANES + i + 3
#define TOI_FIRST_PAIRS(i) i, i + 1, TOI_LANES + i, TOI_LANES + i + 1
#define TOI_SECOND_PAIRS(i) i + 2, i + 3, TOI_LANES + i + 2, TOI_LANES + i + 3

// out[k] lane i = at[i][k].
TOI_INLINE void toi_transpose_vertices(const toi_number *const at[TOI_LANES], toi_real out[3])
{
#if TOI_LANES == 2
    toi_vertex_row rows[2];
    memcpy(&rows[0], at[0], sizeof rows[0]);
    memcpy(&rows[1], at[1], sizeof rows[1]);
    out[0] = __builtin_shufflevector(rows[0], rows[1], 0, 4);
    out[1] = __builtin_shufflevector(rows[0], rows[1], 1, 5);
    out[2] = __builtin_shufflevector(rows[0], rows[1], 2, 6);
#else
    toi_real z0 = toi_join_rows(at), z1 = toi_join_rows(at + 1);
    toi_real z2 = toi_join_rows(at + 2), z3 = toi_join_rows(at + 3);
    toi_real low01 = __builtin_shufflevector(z0, z1, TOI_EACH_FOUR(TOI_LOW_PAIRS));
    toi_real low23 = __builtin_shufflevector(z2, z3, TOI_EACH_FOUR(TOI_LOW_PAIRS));
    toi_real high01 = __builtin_shufflevector(z0, z1, TOI_EACH_FOUR(TOI_HIGH_PAIRS));
    toi_real high23 = __builtin_shufflevector(z2, z3, TOI_EACH_FOUR(TOI_HIGH_PAIRS));
    out[0] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_FIRST_PAIRS));
    out[1] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_SECOND_PAIRS));
    out[2] = __builtin_shufflevector(high01, high23, TOI_EACH_FOUR(TOI_FIRST_PAIRS));
#endif
}

// `count` pairs; the lanes after them repeat the first.
TOI_INLINE void toi_load_faces(const toi_face_table *table, const toi_pair *pairs, int count,
                               toi_real x[2][3][3])
{
    const int32_t *corners[2][TOI_LANES];
    for (int i = 0; i < TOI_LANES; ++i) {
        const toi_pair *pair = &pairs[i < count ? i : 0];
        corners[0][i] = table->corners[pair->a];
        corners[1][i] = table->corners[pair->b];
    }
    for (int face = 0; face < 2; ++face)
        for (int c = 0; c < 3; ++c) {
            const toi_number *at[TOI_LANES];
            for (int i = 0; i < TOI_LANES; ++i)
                at[i] = TOI_VERTEX_ROWS(table)[corners[face][i][c]];
            toi_transpose_vertices(at, x[face][c]);
        }
}

#endif
