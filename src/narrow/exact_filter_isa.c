// The first rung of `exact`: separating directions in single precision, a vector of queries at a
// time.

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "narrow/exact.h"

typedef double four __attribute__((vector_size(32)));

static inline four load_four(const double *at)
{
    four x;
    memcpy(&x, at, sizeof x);
    return x;
}

// A corner at both ends of the step. The idle numbers are whatever lies behind the corner, or, at
// the end of the query, before it.
static inline toi_wide_motion_row load_corner(const toi_query *query, int corner)
{
    four start = load_four(query->start[corner]);
    four end = load_four(corner < 3 ? &query->end[corner][0] : &query->end[2][2]);
    if (corner == 3)
        end = __builtin_shufflevector(end, end, 1, 2, 3, 0);
    return __builtin_shufflevector(start, end, 0, 1, 2, 3, 4, 5, 6, 7);
}

TOI_INLINE void load_rows(int edge_edge, const toi_query *query, double t_max, int lane,
                          toi_motion_rows *rows)
{
    toi_wide_motion_row x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = load_corner(query, c);
    toi_put_rows(edge_edge, x, t_max, t_max < 1, lane, rows);
}

TOI_INLINE int64_t filter(int edge_edge, const toi_narrow_batch *batch, int32_t *left)
{
    int64_t kept = 0;
    double t_max = batch->def->all_roots ? 1 : toi_cull_time(batch->def->t_max);
    toi_motion_rows rows;
    memset(&rows, 0, sizeof rows);
    for (int64_t first = 0; first < batch->count; first += TOI_LANES) {
        int count = batch->count - first < TOI_LANES ? (int)(batch->count - first) : TOI_LANES;
        for (int i = 0; i < count; ++i)
            load_rows(edge_edge, &batch->queries[first + i], t_max, i, &rows);
        toi_motion m;
        toi_real separation;
        toi_mask wild = toi_load_motion(&rows, &m, &separation);
        unsigned axis = toi_mask_word(toi_axes_separated(edge_edge, &m, &separation) & ~wild);
        unsigned apart = toi_mask_word(toi_separated(edge_edge, &m, &separation) & ~wild);
        for (int i = 0; i < count; ++i) {
            batch->results[first + i].rung = axis >> i & 1 ? TOI_RUNG_AXIS : TOI_RUNG_DIRECTION;
            left[kept] = (int32_t)(first + i);
            kept += !((axis | apart) >> i & 1);
        }
    }
    return kept;
}

toi_exact_directions_fn TOI_ISA_NAME(toi_filter_directions);
int64_t TOI_ISA_NAME(toi_filter_directions)(const toi_narrow_batch *batch, int32_t *left)
{
    return batch->kind == TOI_EDGE_EDGE ? filter(1, batch, left) : filter(0, batch, left);
}
