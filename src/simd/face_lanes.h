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

// out[k] lane i = rows[i][k].
TOI_INLINE void toi_transpose_vertices(const toi_vertex_row rows[TOI_LANES], toi_real out[3])
{
#if TOI_LANES == 2
    out[0] = __builtin_shufflevector(rows[0], rows[1], 0, 4);
    out[1] = __builtin_shufflevector(rows[0], rows[1], 1, 5);
    out[2] = __builtin_shufflevector(rows[0], rows[1], 2, 6);
#else
    toi_real z[4];
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < TOI_LANES; i += 4)
            memcpy((toi_number *)&z[j] + i, &rows[i + j], sizeof rows[0]);
#define TOI_LOW(i) i, TOI_LANES + i, i + 1, TOI_LANES + i + 1
#define TOI_HIGH(i) i + 2, TOI_LANES + i + 2, i + 3, TOI_LANES + i + 3
#define TOI_FIRST(i) i, i + 1, TOI_LANES + i, TOI_LANES + i + 1
#define TOI_SECOND(i) i + 2, i + 3, TOI_LANES + i + 2, TOI_LANES + i + 3
#if TOI_LANES == 4
#define TOI_EACH_FOUR(f) f(0)
#elif TOI_LANES == 8
#define TOI_EACH_FOUR(f) f(0), f(4)
#else
#define TOI_EACH_FOUR(f) f(0), f(4), f(8), f(12)
#endif
    toi_real low01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_FOUR(TOI_LOW));
    toi_real low23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_FOUR(TOI_LOW));
    toi_real high01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_FOUR(TOI_HIGH));
    toi_real high23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_FOUR(TOI_HIGH));
    out[0] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_FIRST));
    out[1] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_SECOND));
    out[2] = __builtin_shufflevector(high01, high23, TOI_EACH_FOUR(TOI_FIRST));
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
            toi_vertex_row rows[TOI_LANES];
            for (int i = 0; i < TOI_LANES; ++i)
                memcpy(&rows[i], TOI_VERTEX_ROWS(table)[corners[face][i][c]], sizeof rows[i]);
            toi_transpose_vertices(rows, x[face][c]);
        }
}

#endif
