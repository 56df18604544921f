// A query's corners as rows: x y z and an idle number, at t = 0 and then at t = 1.

#ifndef TOI_SIMD_QUERY_ROWS_H
#define TOI_SIMD_QUERY_ROWS_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "toi/narrow_phase.h"

typedef double toi_wide_quad __attribute__((vector_size(32)));

static inline toi_wide_quad toi_load_wide_quad(const double *at)
{
    toi_wide_quad x;
    memcpy(&x, at, sizeof x);
    return x;
}

// The idle numbers are whatever lies behind the corner, or, at the end of the query, before it.
static inline toi_wide_motion_row toi_load_corner(const toi_query *query, int corner)
{
    toi_wide_quad start = toi_load_wide_quad(query->start[corner]);
    toi_wide_quad end = toi_load_wide_quad(corner < 3 ? &query->end[corner][0] : &query->end[2][2]);
    if (corner == 3)
        end = __builtin_shufflevector(end, end, 1, 2, 3, 0);
    return __builtin_shufflevector(start, end, 0, 1, 2, 3, 4, 5, 6, 7);
}

// The rows of a query in its lane, up to t_max.
TOI_INLINE void toi_load_rows(int edge_edge, const toi_query *query, double t_max, int lane,
                              toi_motion_rows *rows)
{
    toi_wide_motion_row x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = toi_load_corner(query, c);
    toi_put_rows(edge_edge, x, t_max, t_max < 1, lane, rows);
}

#endif
