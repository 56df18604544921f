// The first rungs of `exact` with a separation, in single precision, a vector of queries at a time:
// directions that separate, then directions that turn.

#include "simd/query_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "kernel/margin.h"
#include "simd/turning_rows.h"

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

TOI_INLINE void toi_load_turning(int edge_edge, const void *source, const int32_t *queries,
                                 int count, toi_turning *q, double scale[TOI_LANES])
{
    const toi_apart_source *s = source;
    toi_motion_rows rows;
    toi_real scales;
    for (int i = 0; i < TOI_LANES; ++i)
        toi_load_rows(edge_edge, &s->batch->queries[queries[i < count ? i : 0]], 1, i, &rows);
    toi_put_turning_rows(&rows, q, &scales);
    for (int i = 0; i < count; ++i) {
        scale[i] = scales[i];
        toi_put_separation(&s->of[queries[i]], scale[i], i, q);
    }
}

toi_apart_search_fn TOI_ISA_NAME(toi_search_apart_single);
void TOI_ISA_NAME(toi_search_apart_single)(const toi_apart_source *source, const int32_t *list,
                                           int64_t count, toi_searched *searched)
{
    toi_turning_lanes l = {.source = source, .list = list, .count = count, .searched = searched};
    toi_search_batch(source->batch, &l);
}
