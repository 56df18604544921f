// The first rungs of `exact` with a separation, in single precision, a vector of queries at a time:
// directions that separate, then directions that turn.

#include "simd/query_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "kernel/margin.h"
#include "simd/turning_lanes.h"

// ---- Directions

TOI_INLINE int64_t filter(int edge_edge, const toi_narrow_batch *batch, const toi_apart_query *of,
                          int32_t *left)
{
    int64_t kept = 0;
    double t_max = toi_cull_time(batch->def->t_max);
    toi_motion_rows rows;
    memset(&rows, 0, sizeof rows);
    for (int64_t first = 0; first < batch->count; first += TOI_LANES) {
        int count = batch->count - first < TOI_LANES ? (int)(batch->count - first) : TOI_LANES;
        toi_real base = TOI_SPREAD(0), share = TOI_SPREAD(0);
        for (int i = 0; i < count; ++i) {
            toi_load_rows(edge_edge, &batch->queries[first + i], t_max, i, &rows);
            base[i] = (float)of[first + i].base;
            share[i] = (float)of[first + i].share;
        }
        toi_pair_motion m;
        toi_real unused;
        toi_near_point near;
        toi_mask wild = toi_load_motion(&rows, &m, &unused);
        toi_find_near_point(edge_edge, m.p[0], m.e[0], m.g[0], &near);
        toi_real margin = toi_take_margin(edge_edge, &m, &near, &base, &share);
        unsigned axis = toi_mask_word(toi_axes_separated(edge_edge, &m, &margin) & ~wild);
        unsigned apart = toi_mask_word(toi_apart_by(edge_edge, &m, &near, &margin) & ~wild);
        for (int i = 0; i < count; ++i) {
            batch->results[first + i].rung = axis >> i & 1 ? TOI_RUNG_AXIS : TOI_RUNG_DIRECTION;
            left[kept] = (int32_t)(first + i);
            kept += !((axis | apart) >> i & 1);
        }
    }
    return kept;
}

toi_apart_filter_fn TOI_ISA_NAME(toi_filter_apart);
int64_t TOI_ISA_NAME(toi_filter_apart)(const toi_narrow_batch *batch, const toi_apart_query *of,
                                       int32_t *left)
{
    return batch->kind == TOI_EDGE_EDGE ? filter(1, batch, of, left) : filter(0, batch, of, left);
}

// ---- The search

typedef int32_t row_bits __attribute__((vector_size(32)));
typedef int32_t quad_bits __attribute__((vector_size(16)));

// The sizes of a row: the larger end of each component, and zero for the idle one.
static inline toi_quad row_sizes(toi_motion_row row)
{
    const row_bits sizes = {INT32_MAX, INT32_MAX, INT32_MAX, 0, INT32_MAX, INT32_MAX, INT32_MAX, 0};
    toi_motion_row x = (toi_motion_row)((row_bits)row & sizes);
    toi_quad start = __builtin_shufflevector(x, x, 0, 1, 2, 3);
    toi_quad end = __builtin_shufflevector(x, x, 4, 5, 6, 7);
    quad_bits larger = start > end;
    return (toi_quad)((larger & (quad_bits)start) | (~larger & (quad_bits)end));
}

static inline void put_row(toi_motion_row row, int lane, toi_real at[2][3])
{
    for (int k = 0; k < 3; ++k) {
        at[0][k][lane] = row[k];
        at[1][k][lane] = row[4 + k];
    }
}

TOI_INLINE double toi_load_turning(int edge_edge, const toi_query *query, int lane, toi_turning *q)
{
    toi_wide_motion_row x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = toi_load_corner(query, c);
    toi_motion_row p = __builtin_convertvector(TOI_P_OF(edge_edge, x), toi_motion_row);
    toi_motion_row e = __builtin_convertvector(TOI_E_OF(edge_edge, x), toi_motion_row);
    toi_motion_row g = __builtin_convertvector(TOI_G_OF(edge_edge, x), toi_motion_row);
    toi_quad sizes[3] = {row_sizes(p), row_sizes(e), row_sizes(g)};
    toi_quad sum = sizes[0] + sizes[1] + sizes[2];
    float total = sum[0] + sum[1] + sum[2];
    if (!(total > 0x1p-40f && total < 0x1p50f))
        return 0;
    // A power of two that brings the sum into [1/2, 1).
    int32_t bits;
    float scale;
    memcpy(&bits, &total, sizeof bits);
    bits = (TOI_EXPONENTS - (bits >> TOI_MANTISSA)) << TOI_MANTISSA;
    memcpy(&scale, &bits, sizeof scale);
    put_row(p * scale, lane, q->p);
    put_row(e * scale, lane, q->e);
    put_row(g * scale, lane, q->g);
    q->total[lane] = total * scale;
    return scale;
}

toi_apart_search_fn TOI_ISA_NAME(toi_search_apart_single);
void TOI_ISA_NAME(toi_search_apart_single)(const toi_narrow_batch *batch, const int32_t *list,
                                           int64_t count, toi_apart_query *of)
{
    toi_search_list(batch, list, count, of);
}
