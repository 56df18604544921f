// Queries in single precision, as many at a time as a vector holds: each comes as three rows of
// differences (kernel/motion.h), which are transposed into lanes and tried for separation.

#ifndef TOI_SIMD_MOTION_ROWS_H
#define TOI_SIMD_MOTION_ROWS_H

#define TOI_SINGLE
#if defined(TOI_ISA_avx512)
#define TOI_LANES 16
#elif defined(TOI_ISA_avx2)
#define TOI_LANES 8
#else
#define TOI_LANES 4
#endif
#include "kernel/bounds.h"
#include "kernel/single.h"

// A difference at both ends of the step: x y z and an idle number, at t = 0 and then at t = 1.
typedef float toi_motion_row __attribute__((vector_size(32)));
typedef double toi_wide_motion_row __attribute__((vector_size(64)));
typedef float toi_quad __attribute__((vector_size(16)));

typedef struct toi_motion_rows
{
    toi_motion_row p[TOI_LANES], e[TOI_LANES], g[TOI_LANES];
    float separation[TOI_LANES];
} toi_motion_rows;

// Ends the row's motion at t: docs/exact.md, section 2.
TOI_INLINE void toi_stop_row(toi_wide_motion_row *row, double t)
{
    toi_wide_motion_row start = __builtin_shufflevector(*row, *row, 0, 1, 2, 3, 0, 1, 2, 3);
    toi_wide_motion_row steps = {0, 0, 0, 0, t, t, t, t};
    *row = TOI_STOPPED(start, *row, steps);
}

// The differences of a query's corners in its lane, up to t_max where that is `early`. Taken in
// double they have one rounding wherever the origin is; this adds one more.
TOI_INLINE void toi_put_rows(int edge_edge, const toi_wide_motion_row x[4], double t_max, int early,
                             int lane, toi_motion_rows *rows)
{
    toi_wide_motion_row p = TOI_P_OF(edge_edge, x), e = TOI_E_OF(edge_edge, x);
    toi_wide_motion_row g = TOI_G_OF(edge_edge, x);
    if (early) {
        toi_stop_row(&p, t_max);
        toi_stop_row(&e, t_max);
        toi_stop_row(&g, t_max);
    }
    rows->p[lane] = __builtin_convertvector(p, toi_motion_row);
    rows->e[lane] = __builtin_convertvector(e, toi_motion_row);
    rows->g[lane] = __builtin_convertvector(g, toi_motion_row);
}

// Four rows' quads next to each other, four times: lane 4 k + j of the vectors is query 4 k + j.
TOI_INLINE void toi_gather_quads(const toi_quad *quads, toi_real *z)
{
#if TOI_LANES == 4
    *z = quads[0];
#else
    toi_quad q0 = quads[0], q1 = quads[8];
    toi_motion_row low = __builtin_shufflevector(q0, q1, 0, 1, 2, 3, 4, 5, 6, 7);
#if TOI_LANES == 8
    *z = low;
#else
    toi_quad q2 = quads[16], q3 = quads[24];
    toi_motion_row high = __builtin_shufflevector(q2, q3, 0, 1, 2, 3, 4, 5, 6, 7);
    *z = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

#if TOI_LANES == 4
#define TOI_EACH_QUAD(f) f(0)
#elif TOI_LANES == 8
#define TOI_EACH_QUAD(f) f(0), f(4)
#else
#define TOI_EACH_QUAD(f) f(0), f(4), f(8), f(12)
#endif
#define TOI_LOW_TWO(i) i, TOI_LANES + i, i + 1, TOI_LANES + i + 1
#define TOI_HIGH_TWO(i) i + 2, TOI_LANES + i + 2, i + 3, TOI_LANES + i + 3
#define TOI_LOW_HALVES(i) i, i + 1, TOI_LANES + i, TOI_LANES + i + 1
#define TOI_HIGH_HALVES(i) i + 2, i + 3, TOI_LANES + i + 2, TOI_LANES + i + 3

TOI_INLINE void toi_transpose_rows(const toi_motion_row rows[TOI_LANES], toi_real at[2][3])
{
    const toi_quad *quads = (const toi_quad *)rows;
    for (int end = 0; end < 2; ++end) {
        toi_real z[4];
        for (int j = 0; j < 4; ++j)
            toi_gather_quads(quads + 2 * j + end, &z[j]);
        toi_real low01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_QUAD(TOI_LOW_TWO));
        toi_real low23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_QUAD(TOI_LOW_TWO));
        toi_real high01 = __builtin_shufflevector(z[0], z[1], TOI_EACH_QUAD(TOI_HIGH_TWO));
        toi_real high23 = __builtin_shufflevector(z[2], z[3], TOI_EACH_QUAD(TOI_HIGH_TWO));
        at[end][0] = __builtin_shufflevector(low01, low23, TOI_EACH_QUAD(TOI_LOW_HALVES));
        at[end][1] = __builtin_shufflevector(low01, low23, TOI_EACH_QUAD(TOI_HIGH_HALVES));
        at[end][2] = __builtin_shufflevector(high01, high23, TOI_EACH_QUAD(TOI_LOW_HALVES));
    }
}

// The motion of the rows; returns the lanes that are not to be trusted.
TOI_INLINE toi_mask toi_load_motion(const toi_motion_rows *rows, toi_pair_motion *m,
                                    toi_real *separation)
{
    toi_transpose_rows(rows->p, m->p);
    toi_transpose_rows(rows->e, m->e);
    toi_transpose_rows(rows->g, m->g);
    memcpy(separation, rows->separation, sizeof *separation);
    return toi_measure_single(m);
}

#endif
