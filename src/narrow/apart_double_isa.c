// Rungs of `exact` with a separation in double precision, a vector of queries at a time: the search
// for what single precision could not tell, and the places of hits.

#include "simd/apart_lanes.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "narrow/normal.h"
#include "simd/turning_lanes.h"

// ---- The search

TOI_INLINE void toi_load_turning(int edge_edge, const void *source, const int32_t *queries,
                                 int count, toi_turning *q, double scale[TOI_LANES])
{
    const toi_apart_source *s = source;
    for (int i = 0; i < count; ++i) {
        const toi_query *query = &s->batch->queries[queries[i]];
        toi_scaled_query d;
        toi_scale_query(edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, query, &d);
        for (int end = 0; end < 2; ++end)
            for (int k = 0; k < 3; ++k) {
                q->p[end][k][i] = d.p[end][k];
                q->e[end][k][i] = d.e[end][k];
                q->g[end][k][i] = d.g[end][k];
            }
        q->total[i] = d.total;
        toi_put_separation(&s->of[queries[i]], d.scale, i, q);
        // Of lengths that are nearly denormal the roundings of a relative separation are not small.
        scale[i] = d.total > 0 && d.scale <= 0x1p990 ? d.scale : 0;
    }
}

toi_apart_search_fn TOI_ISA_NAME(toi_search_apart_double);
void TOI_ISA_NAME(toi_search_apart_double)(const toi_apart_source *source, const int32_t *list,
                                           int64_t count, toi_searched *searched)
{
    toi_turning_lanes l = {.source = source, .list = list, .count = count, .searched = searched};
    toi_search_batch(source->batch, &l);
}

// ---- Places

// The numbers of the lanes of the list from `at` on; those beyond its end repeat the first of them.
TOI_INLINE void load_lanes(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                           int at, toi_real *t, toi_pair_motion *m)
{
    union
    {
        toi_real points[2][4][3];
        toi_real numbers[24];
    } x;
    const double *from[TOI_LANES];
    toi_real shrink;
    for (int i = 0; i < TOI_LANES; ++i) {
        int32_t query = list->query[at + i < list->count ? at + i : at];
        from[i] = &batch->queries[query].start[0][0];
        (*t)[i] = batch->results[query].time;
    }
    for (int offset = 0; offset < 24; offset += TOI_LANES)
        toi_transpose(from, offset, x.numbers + offset);
    toi_take_scaled_motion(edge_edge, x.points, &shrink, m);
}

TOI_INLINE void find_places(int edge_edge, const toi_narrow_batch *batch, const toi_lane_list *list,
                            int at)
{
    toi_apart_lanes l;
    toi_contact_frame frame;
    toi_real t = TOI_SPREAD(0);
    int count = list->count - at < TOI_LANES ? list->count - at : TOI_LANES;
    load_lanes(edge_edge, batch, list, at, &t, &l.motion);
    toi_place_lanes(edge_edge, &t, &l);
    for (int i = 0; i < count; ++i) {
        int32_t query = list->query[at + i];
        toi_query_result *result = &batch->results[query];
        result->u = l.place.u[i];
        result->v = l.place.v[i];
        if (l.apart >> i & 1) {
            toi_pick_lane(l.normal, i, result->normal);
        } else {
            toi_take_frame(&l, i, &frame);
            toi_settle_normal(batch->kind, &batch->queries[query], &frame, result);
        }
    }
}

toi_apart_places_fn TOI_ISA_NAME(toi_find_apart_places);
void TOI_ISA_NAME(toi_find_apart_places)(const toi_narrow_batch *batch, const toi_lane_list *list)
{
    for (int at = 0; at < list->count; at += TOI_LANES) {
        if (batch->kind == TOI_EDGE_EDGE)
            find_places(1, batch, list, at);
        else
            find_places(0, batch, list, at);
    }
}
