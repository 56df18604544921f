// The search of `exact` with a separation (kernel/turning.h) on positions in single precision, of
// pairs by place: half of what comes so far is apart, and need not be gathered in double.

#include "simd/turning_rows.h" // first: it says how many lanes there are

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
TOI_INLINE double toi_load_turning(int edge_edge, const void *source, int32_t query, int lane,
                                   toi_turning *q)
{
    const near_pairs *n = source;
    toi_motion_row x[4];
    toi_load_near(edge_edge, n->from, &n->pairs[query], x);
    float scale = toi_put_turning_rows(TOI_P_OF(edge_edge, x), TOI_E_OF(edge_edge, x),
                                       TOI_G_OF(edge_edge, x), lane, q);
    q->total[lane] += n->more * scale;
    toi_put_separation(&n->of, scale, lane, q);
    return scale;
}

// Moves what may come to its separation to the front, in order; returns how many.
static int64_t keep_found(toi_pair *pairs, int64_t count, toi_searched *searched)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_searched found = searched[i];
        pairs[kept] = found.verdict == TOI_SEARCH_INSIDE ? toi_mark_inside(pairs[i]) : pairs[i];
        searched[kept] = found;
        kept += found.verdict != TOI_SEARCH_APART;
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
    toi_turning_lanes l = {.source = &source, .list = list, .searched = searched};
    for (int32_t i = 0; i < count; ++i) {
        list[l.count] = i;
        l.count += pairs[i].a >= 0; // those that are marked are known
        searched[i] = (toi_searched){.lo = -1, .verdict = TOI_SEARCH_STUCK};
    }
    if (s->kind == TOI_EDGE_EDGE)
        toi_search_lanes(1, s->t_max, &l);
    else
        toi_search_lanes(0, s->t_max, &l);
    return keep_found(pairs, count, searched);
}
