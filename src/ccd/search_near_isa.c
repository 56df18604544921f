// The search of `exact` with a separation (kernel/turning.h) on positions in single precision, of
// pairs by place: half of what comes so far is apart, and need not be gathered in double.

#define TOI_FUSED
#include "simd/fused.h" // first; then what says how many lanes there are
#include "simd/turning_rows.h"

#include "base/simd.h"
#include "ccd/near_rows.h"

// What the search reads.
typedef struct near_pairs
{
    const toi_near_source *from;
    const toi_pair *pairs;
    toi_apart_query of; // of all of them
    float more;         // of the sum of the sizes, for what positions are off by
} near_pairs;

// docs/separation.md, section 3: the slack is 32 u of the sum of the sizes.
TOI_INLINE void toi_load_turning(int edge_edge, const void *source, const int32_t *queries,
                                 int count, toi_turning *q, double scale[TOI_LANES])
{
    const near_pairs *n = source;
    toi_motion_rows rows;
    toi_real scales;
    for (int i = 0; i < TOI_LANES; ++i) {
        toi_motion_row x[4];
        toi_load_near(edge_edge, n->from, &n->pairs[queries[i < count ? i : 0]], x);
        rows.p[i] = TOI_P_OF(edge_edge, x);
        rows.e[i] = TOI_E_OF(edge_edge, x);
        rows.g[i] = TOI_G_OF(edge_edge, x);
    }
    toi_put_turning_rows(&rows, q, &scales);
    q->total += n->more * scales;
    for (int i = 0; i < count; ++i) {
        scale[i] = scales[i];
        toi_put_separation(&n->of, scale[i], i, q);
    }
}

// Moves what may come to its separation to the front, in order, and what starts inside; returns how
// many.
static int64_t keep_found(toi_pair *pairs, int64_t count, toi_searched *searched)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_searched found = searched[i];
        pairs[kept] = pairs[i];
        searched[kept] = found;
        kept += found.verdict != TOI_SEARCH_APART || found.began_inside;
    }
    return kept;
}

toi_search_near_fn TOI_ISA_NAME(toi_search_near);
int64_t TOI_ISA_NAME(toi_search_near)(const toi_near_source *s, toi_pair *pairs, int64_t count,
                                      toi_searched searched[TOI_SEARCH_BLOCK])
{
    near_pairs source = {.from = s,
                         .pairs = pairs,
                         .of = {.base = toi_base_separation(s->separation, s->relative),
                                .share = s->relative,
                                .inner = s->separation},
                         .more = (float)(TOI_ROOT_3 / (32 * TOI_UNIT)) * s->error};
    int32_t list[TOI_SEARCH_BLOCK];
    toi_turning_lanes l = {.source = &source, .list = list, .count = count, .searched = searched};
    for (int32_t i = 0; i < count; ++i) {
        list[i] = i;
        searched[i] = (toi_searched){.lo = -1, .verdict = TOI_SEARCH_STUCK};
    }
    if (s->kind == TOI_EDGE_EDGE)
        toi_search_lanes(1, s->t_max, &l);
    else
        toi_search_lanes(0, s->t_max, &l);
    return keep_found(pairs, count, searched);
}
