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

// Rows that lie one behind the other in a vector, and how many such vectors there are: vector j
// has the rows of lanes j, j + TOI_ROW_VECTORS ...
#if TOI_LANES >= 4
#define TOI_ROW_VECTORS 4
typedef toi_real toi_joined_rows;
#else
#define TOI_ROW_VECTORS TOI_LANES
typedef toi_vertex_row toi_joined_rows;
#endif
enum
{
    TOI_JOINED = TOI_LANES / TOI_ROW_VECTORS
};

TOI_INLINE toi_joined_rows toi_join_rows(const toi_number (*vertices)[4],
                                         const int32_t *const corners[TOI_JOINED], int c)
{
    toi_vertex_row rows[TOI_JOINED];
    for (int i = 0; i < TOI_JOINED; ++i)
        memcpy(&rows[i], vertices[corners[i][c]], sizeof rows[i]);
#if TOI_LANES <= 4
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

TOI_INLINE void toi_transpose_vertices(const toi_joined_rows z[TOI_ROW_VECTORS], toi_real x[3])
{
#if TOI_LANES == 2
    x[0] = __builtin_shufflevector(z[0], z[1], 0, 4);
    x[1] = __builtin_shufflevector(z[0], z[1], 1, 5);
    x[2] = __builtin_shufflevector(z[0], z[1], 2, 6);
#else
    toi_real low01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_FOUR(TOI_LOW_PAIRS));
    toi_real low23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_FOUR(TOI_LOW_PAIRS));
    toi_real high01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_FOUR(TOI_HIGH_PAIRS));
    toi_real high23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_FOUR(TOI_HIGH_PAIRS));
    x[0] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_FIRST_PAIRS));
    x[1] = __builtin_shufflevector(low01, low23, TOI_EACH_FOUR(TOI_SECOND_PAIRS));
    x[2] = __builtin_shufflevector(high01, high23, TOI_EACH_FOUR(TOI_FIRST_PAIRS));
#endif
}

// As many pairs as there are lanes. A few lanes at a time, so that the addresses of their faces
// stay in registers: finding the rows is most of the work.
TOI_INLINE void toi_load_faces(const toi_face_table *table, const toi_pair pairs[TOI_LANES],
                               toi_real x[2][3][3])
{
    toi_joined_rows z[2][3][TOI_ROW_VECTORS];
    for (int j = 0; j < TOI_ROW_VECTORS; ++j) {
        const int32_t *corners[2][TOI_JOINED];
        for (int i = 0; i < TOI_JOINED; ++i) {
            corners[0][i] = table->corners[pairs[j + i * TOI_ROW_VECTORS].a];
            corners[1][i] = table->corners[pairs[j + i * TOI_ROW_VECTORS].b];
        }
        for (int c = 0; c < 3; ++c) {
            z[0][c][j] = toi_join_rows(TOI_VERTEX_ROWS(table), corners[0], c);
            z[1][c][j] = toi_join_rows(TOI_VERTEX_ROWS(table), corners[1], c);
        }
    }
    for (int c = 0; c < 3; ++c) {
        toi_transpose_vertices(z[0][c], x[0][c]);
        toi_transpose_vertices(z[1][c], x[1][c]);
    }
}

// The next pairs, from `first` on; lanes beyond the last repeat the first. Returns a bit for each
// lane that counts.
TOI_INLINE unsigned toi_load_next_faces(const toi_face_table *table, const toi_pair *pairs,
                                        int64_t count, int64_t first, toi_real x[2][3][3])
{
    toi_pair last[TOI_LANES];
    const toi_pair *from = pairs + first;
    int64_t lanes = count - first < TOI_LANES ? count - first : TOI_LANES;
    if (lanes < TOI_LANES) {
        for (int i = 0; i < TOI_LANES; ++i)
            last[i] = from[i < lanes ? i : 0];
        from = last;
    }
    toi_load_faces(table, from, x);
    return (1u << lanes) - 1;
}

#endif
