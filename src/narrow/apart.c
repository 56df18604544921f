// The ladder of `exact` with a separation: directions, directions that turn, the last bit,
// integers. docs/separation.md.

#include "narrow/apart.h"
#include "narrow/apart_search.h"

#include "base/simd.h"
#include "exact/apart.h"
#include "exact/decide.h"
#include "narrow/query_motion.h"

#include <math.h>

toi_apart_search_fn toi_search_apart_single_baseline, toi_search_apart_single_avx2,
    toi_search_apart_single_avx512;
toi_apart_search_fn toi_search_apart_double_baseline, toi_search_apart_double_avx2,
    toi_search_apart_double_avx512;
toi_apart_filter_fn toi_filter_apart_baseline, toi_filter_apart_avx2, toi_filter_apart_avx512;
toi_apart_places_fn toi_find_apart_places_baseline, toi_find_apart_places_avx2,
    toi_find_apart_places_avx512;

static toi_apart_filter_fn *const filter_apart[] = TOI_ISA_TABLE(toi_filter_apart);
static toi_apart_search_fn *const search_single[] = TOI_ISA_TABLE(toi_search_apart_single);
static toi_apart_search_fn *const search_double[] = TOI_ISA_TABLE(toi_search_apart_double);
static toi_apart_distances_fn *const find_distances[] = TOI_ISA_TABLE(toi_find_apart_distances);
static toi_apart_times_fn *const find_times[] = TOI_ISA_TABLE(toi_find_apart_times);
static toi_apart_places_fn *const find_places[] = TOI_ISA_TABLE(toi_find_apart_places);

typedef struct ladder
{
    const toi_narrow_batch *batch; // one block
    toi_simd simd;
    toi_apart_query queries[TOI_APART_BLOCK];
    toi_searched searched[TOI_APART_BLOCK];
    int32_t list[TOI_APART_BLOCK]; // those that are searched, then settled
    int64_t listed;
    _Alignas(64) char decision_scratch[];
} ladder;

int64_t toi_apart_scratch_bytes(void)
{
    return (int64_t)sizeof(ladder) + toi_decision_scratch_bytes();
}

void toi_scale_query(toi_kind kind, const toi_query *query, toi_scaled_query *to)
{
    toi_pair_motion m;
    toi_take_motion(kind, query, &m);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            to->p[end][k] = m.p[end][k];
            to->e[end][k] = m.e[end][k];
            to->g[end][k] = m.g[end][k];
        }
    to->total = m.size[0] + m.size[1] + m.size[2];
    to->scale = m.scale;
}

// ---- What is known of a query

static const toi_searched NOT_SEARCHED = {
    .lo = -1, .start_feature = TOI_INSIDE_FEATURE, .verdict = TOI_SEARCH_STUCK};

static double least_separation(const ladder *l, int32_t query)
{
    return l->batch->separations ? l->batch->separations[query] : l->batch->def->min_separation;
}

static void start_query(const ladder *l, int32_t query, toi_apart_query *of)
{
    double least = least_separation(l, query), share = l->batch->relative;
    *of = (toi_apart_query){.base = toi_base_separation(least, share),
                            .share = toi_filter_share(share),
                            .inner = least,
                            .known = share == 0};
    l->batch->results[query] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
}

// The floor of the distance at t = 0 gives a relative separation. It says whether they start inside
// too, unless it equals the minimum: then they do if it is the distance itself.
static void set_separation(ladder *l, int32_t query, double floor, bool is_exact)
{
    toi_apart_query *of = &l->queries[query];
    double least = least_separation(l, query), share = l->batch->relative;
    bool inside = floor < least || (floor == least && is_exact);
    l->batch->results[query].starts_inside = inside;
    of->base = inside ? share * floor : least + share * (floor - least);
    of->share = 0;
    of->inner = -1;
    of->known = true;
}

static void set_hit(ladder *l, int32_t query, double time, toi_rung rung)
{
    toi_query_result *result = &l->batch->results[query];
    l->queries[query].settled = true;
    result->rung = (uint8_t)rung;
    if (time <= l->batch->def->t_max) {
        result->state = TOI_HIT;
        result->time = time;
    }
}

static void set_hit_at_start(ladder *l, int32_t query, toi_rung rung)
{
    toi_query_result *result = &l->batch->results[query];
    set_hit(l, query, 0, rung);
    result->time_is_exact = true;
    result->starts_inside = true;
}

// ---- The search

// Lists the queries that nothing has decided so far.
static void list_open(ladder *l)
{
    l->listed = 0;
    for (int32_t i = 0; i < l->batch->count; ++i) {
        l->list[l->listed] = i;
        l->listed += !l->queries[i].settled;
    }
}

// Searches the listed queries, unless that has been done, and lists those that are left. Which are
// follows no pattern, so that a branch would be guessed wrong.
static void search_list(ladder *l, toi_apart_search_fn *search)
{
    int64_t searched = l->listed;
    if (search)
        search(&(toi_apart_source){l->batch, l->queries}, l->list, searched, l->searched);
    l->listed = 0;
    for (int64_t i = 0; i < searched; ++i) {
        int32_t query = l->list[i];
        const toi_searched *found = &l->searched[query];
        toi_query_result *result = &l->batch->results[query];
        bool settled = found->verdict <= TOI_SEARCH_INSIDE;
        result->rung = TOI_RUNG_TURN;
        result->starts_inside |= found->began_inside;
        l->queries[query].settled = settled;
        l->list[l->listed] = query;
        l->listed += !settled;
        if (found->verdict == TOI_SEARCH_INSIDE)
            set_hit_at_start(l, query, TOI_RUNG_TURN);
    }
}

// ---- The last bit

// Queries of one nearness that wait for company.
typedef struct waiting
{
    toi_feature_lanes lanes;
    double lo[TOI_FEATURE_LANES], guess[TOI_FEATURE_LANES], separation[TOI_FEATURE_LANES];
} waiting;

typedef void stage_fn(ladder *l, waiting *w);

// A floor that equals the minimum may or may not be the distance itself. Where the search has
// proved something at t = 0, that tells; else integers must.
static void take_distances(ladder *l, waiting *w)
{
    double floors[TOI_FEATURE_LANES];
    find_distances[l->simd](l->batch, &w->lanes, floors);
    for (int i = 0; i < w->lanes.count; ++i) {
        int32_t query = w->lanes.query[i];
        const toi_searched *found = &l->searched[query];
        bool told = floors[i] != least_separation(l, query) || found->lo >= 0;
        if (!isnan(floors[i]) && told)
            set_separation(l, query, floors[i], found->began_inside);
    }
}

static void take_times(ladder *l, waiting *w)
{
    double times[TOI_FEATURE_LANES];
    find_times[l->simd](l->batch, &w->lanes, w->lo, w->guess, w->separation, times);
    for (int i = 0; i < w->lanes.count; ++i)
        if (!isnan(times[i]))
            set_hit(l, w->lanes.query[i], times[i], TOI_RUNG_ROOT);
}

static void flush(ladder *l, stage_fn *stage, waiting *w)
{
    if (w->lanes.count > 0)
        stage(l, w);
    w->lanes.count = 0;
}

static void wait(ladder *l, stage_fn *stage, int32_t query, uint8_t feature, waiting *all)
{
    const toi_searched *found = &l->searched[query];
    waiting *w = &all[toi_nearness_of(feature)];
    int i = w->lanes.count++;
    w->lanes.query[i] = query;
    w->lanes.feature[i] = feature;
    w->lo[i] = found->lo;
    w->guess[i] = found->guess;
    w->separation[i] = l->queries[query].base;
    if (w->lanes.count == TOI_FEATURE_LANES)
        flush(l, stage, w);
}

static void climb_distances(ladder *l)
{
    waiting all[TOI_NEARNESSES] = {0};
    for (int64_t i = 0; i < l->listed; ++i) {
        int32_t query = l->list[i];
        if (!l->queries[query].known)
            wait(l, take_distances, query, l->searched[query].start_feature, all);
    }
    for (int i = 0; i < TOI_NEARNESSES; ++i)
        flush(l, take_distances, &all[i]);
}

static void climb_times(ladder *l)
{
    waiting all[TOI_NEARNESSES] = {0};
    for (int64_t i = 0; i < l->listed; ++i) {
        int32_t query = l->list[i];
        const toi_searched *found = &l->searched[query];
        if (l->queries[query].known && found->verdict == TOI_SEARCH_FOUND)
            wait(l, take_times, query, found->feature, all);
    }
    for (int i = 0; i < TOI_NEARNESSES; ++i)
        flush(l, take_times, &all[i]);
}

// ---- Integers

static toi_apart_def asked_of(ladder *l)
{
    return (toi_apart_def){.kind = l->batch->kind,
                           .t_max = l->batch->def->t_max,
                           .guess = NAN,
                           .scratch = l->decision_scratch,
                           .budget = l->batch->budget};
}

// Do they touch at t = 0? Contact is easier to tell than a distance.
static bool touches_at_start(ladder *l, int32_t query)
{
    toi_decision_def asked = {.kind = l->batch->kind,
                              .guess = 0,
                              .scratch = l->decision_scratch,
                              .budget = l->batch->budget};
    toi_decision decision;
    toi_decide(&asked, &l->batch->queries[query], &decision);
    return decision.state == TOI_HIT && decision.time_is_exact;
}

// Lists the queries whose initial distance only integers could tell.
static void climb_integer_distances(ladder *l)
{
    toi_apart_def asked = asked_of(l);
    list_open(l);
    int64_t count = l->listed;
    l->listed = 0;
    for (int64_t i = 0; i < count; ++i) {
        int32_t query = l->list[i];
        toi_initial_distance distance;
        if (l->queries[query].known)
            continue;
        if (least_separation(l, query) == 0 && touches_at_start(l, query)) {
            set_separation(l, query, 0, true);
            set_hit_at_start(l, query, TOI_RUNG_INTEGER);
            continue;
        }
        toi_floor_distance(&asked, &l->batch->queries[query], &distance);
        if (distance.state == TOI_UNDECIDED)
            continue;
        set_separation(l, query, distance.floor, distance.is_exact);
        if (distance.state == TOI_HIT)
            set_hit_at_start(l, query, TOI_RUNG_INTEGER);
        else
            l->list[l->listed++] = query;
    }
}

static void decide(ladder *l, int32_t query)
{
    const toi_apart_query *of = &l->queries[query];
    toi_query_result *result = &l->batch->results[query];
    toi_apart_def asked = asked_of(l);
    toi_apart_decision decision;
    bool relative = l->batch->relative > 0, known = of->known;
    asked.min_separation = known ? of->base : least_separation(l, query);
    asked.relative = known ? 0 : l->batch->relative;
    if (l->searched[query].verdict == TOI_SEARCH_FOUND)
        asked.guess = l->searched[query].guess;
    toi_decide_apart(&asked, &l->batch->queries[query], &decision);
    result->rung = TOI_RUNG_INTEGER;
    result->state = decision.state;
    result->time = decision.state == TOI_SEPARATED ? INFINITY : decision.time;
    result->time_is_exact = decision.state == TOI_HIT && decision.time_is_exact;
    if (!relative || !known)
        result->starts_inside = decision.starts_inside;
}

static void climb_integers(ladder *l)
{
    list_open(l);
    for (int64_t i = 0; i < l->listed; ++i)
        decide(l, l->list[i]);
}

// ---- All of it

// The queries that a filter has dropped are settled.
static void climb_directions(ladder *l)
{
    for (int32_t i = 0; i < l->batch->count; ++i)
        l->queries[i].settled = true;
    l->listed = filter_apart[l->simd](l->batch, l->queries, l->list);
    for (int64_t i = 0; i < l->listed; ++i)
        l->queries[l->list[i]].settled = false;
}

static void climb_search(ladder *l, toi_apart_search_fn *search)
{
    search_list(l, search);
    climb_distances(l);
    climb_times(l);
}

void toi_place_apart(const toi_narrow_batch *batch)
{
    toi_climb_places(batch, find_places[toi_simd_level()]);
}

void toi_climb_apart(const toi_narrow_batch *block)
{
    ladder *l = block->scratch;
    l->batch = block;
    l->simd = toi_simd_level();
    for (int32_t i = 0; i < block->count; ++i) {
        start_query(l, i, &l->queries[i]);
        l->searched[i] = block->searched ? block->searched[i] : NOT_SEARCHED;
        if (block->inside && block->inside[i])
            set_hit_at_start(l, i, TOI_RUNG_TURN);
    }
    if (block->culled)
        list_open(l);
    else
        climb_directions(l);
    // What single precision has searched already it need not search again.
    climb_search(l, block->searched ? NULL : search_single[l->simd]);
    list_open(l);
    climb_search(l, search_double[l->simd]);
    if (block->relative > 0) {
        climb_integer_distances(l);
        climb_search(l, search_double[l->simd]);
    }
    climb_integers(l);
    if (!block->no_places)
        toi_place_apart(block);
}
