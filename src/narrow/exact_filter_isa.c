// The first rung of `exact`: separating directions in single precision, a vector of queries at a
// time.

#include "simd/query_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "narrow/exact.h"

TOI_INLINE int64_t filter(int edge_edge, const toi_narrow_batch *batch, int32_t *left)
{
    int64_t kept = 0;
    double t_max = batch->def->all_roots ? 1 : toi_cull_time(batch->def->t_max);
    toi_motion_rows rows;
    memset(&rows, 0, sizeof rows);
    for (int64_t first = 0; first < batch->count; first += TOI_LANES) {
        int count = batch->count - first < TOI_LANES ? (int)(batch->count - first) : TOI_LANES;
        for (int i = 0; i < count; ++i)
            toi_load_rows(edge_edge, &batch->queries[first + i], t_max, i, &rows);
        toi_pair_motion m;
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
