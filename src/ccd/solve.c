// The narrow phase over streamed candidates: gather, solve, apply the zero-time policy, hand on.

#include "ccd/pipeline.h"

#include "base/fp_mode.h"
#include "base/simd.h"
#include "broad/layout/layout.h"
#include "ccd/brief_impact.h"
#include "ccd/corners.h"
#include "device/device.h"
#include "kernel/bounds.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum
{
    BATCH = 512,
    LEFT_PIECE = 8,        // pairs of a device that may need long integers
    AHEAD = 16,            // pairs that are fetched before they are gathered
    LONGEST_REST = 256,    // blocks without a filter
    CANDIDATES_A_BOUND = 2 // from how many candidates a primitive on bounds pay
};

// Whether a filter pays, which shows: one that has dropped less than a quarter of a block rests for
// some blocks, and for twice as many the next time. Any of them may be left out.
typedef struct filter_rest
{
    int blocks; // still to rest for
    int last;   // how many it rested for last; 0: it paid
} filter_rest;

// What one worker needs; nothing in it is shared.
typedef struct solve_worker
{
    toi_query queries[BATCH];
    toi_query_result results[BATCH];
    double separations[BATCH];
    bool starts_inside[BATCH]; // of exact methods: what is known before
    toi_inside_pairs inside;   // what a filter has set aside
    toi_searched searched[BATCH];
    toi_impact impacts[BATCH];
    toi_brief briefs[BATCH]; // instead
    double seconds;          // spent in the narrow phase
    int64_t tested;
    filter_rest single, wide; // directions in single and in double precision
    filter_rest search;       // in single precision
    bool by_place;            // the pairs of this block are still to be searched, and numbered
    int64_t rescaled;
    int64_t inside_count;
    uint64_t first_inside; // its key
    void *scratch;
    _Alignas(64) char end[64]; // keeps neighbours off this cache line
} solve_worker;

// The narrow phase over the streamed candidates of one kind.
typedef struct solve_stage
{
    toi_pipeline *pipeline;
    toi_kind kind;
    toi_consume_fn *consume;
    void *context;
    _Atomic uint64_t *t_max;
    solve_worker *scratch; // one a worker
    // Bounds of the first and second primitives, made once enough candidates have come by.
    _Atomic(toi_end_boxes *) bounds[2];
    toi_end_boxes *room;  // for them, or NULL
    _Atomic int64_t seen; // candidates of this kind so far
    bool near;            // pairs come by place, from toi_stream_near()
} solve_stage;

toi_query toi_gather_query(const toi_mesh *mesh, toi_kind kind, toi_pair pair)
{
    TOI_GUARD_FP;
    int32_t corners[4];
    toi_query query = {0};
    toi_pair_corners(mesh, kind, pair, corners);
    for (int c = 0; c < 4; ++c) {
        toi_load_point(&mesh->start, corners[c], query.start[c]);
        toi_load_point(&mesh->end, corners[c], query.end[c]);
    }
    return query;
}

static double initial_distance(toi_kind kind, const toi_query *q)
{
    return kind == TOI_EDGE_EDGE
               ? toi_edge_edge_distance(q->start[0], q->start[1], q->start[2], q->start[3], NULL)
               : toi_point_triangle_distance(q->start[0], q->start[1], q->start[2], q->start[3],
                                             NULL);
}

// ---- The policy: docs/separation.md, section 5

// What pairs keep of their distance: of what it exceeds min_separation by, or, where they start
// there or closer, of the distance itself.
typedef struct shares
{
    double farther, inside;
} shares;

// `exact` works out the separation of a pair by itself, from its exact distance. For the other
// methods the rounded one does.
static void set_separations(const toi_narrow_batch *batch, shares keep, solve_worker *w)
{
    double least = batch->def->min_separation;
    for (int64_t i = 0; i < batch->count; ++i) {
        double distance = initial_distance(batch->kind, &batch->queries[i]);
        w->starts_inside[i] = distance <= least;
        w->separations[i] = w->starts_inside[i] ? keep.inside * distance
                                                : least + keep.farther * (distance - least);
    }
}

// Loose parts are few: their pairs go to the narrow phase as they are.
static bool is_culled(toi_kind kind)
{
    return kind < TOI_PAIR_KINDS;
}

// Solves the first `count` queries of a worker. `inside`, `searched`: see toi_narrow_batch.
static void solve_queries(const solve_stage *stage, solve_worker *w, int64_t count,
                          const toi_narrow_def *def, shares keep, const bool *inside,
                          const toi_searched *searched)
{
    toi_narrow_batch batch = {.def = def,
                              .kind = toi_raised_kind(stage->kind),
                              .count = count,
                              .queries = w->queries,
                              .relative = keep.farther,
                              .culled = is_culled(stage->kind),
                              .inside = inside,
                              .searched = searched,
                              .no_places = stage->pipeline->consume_brief,
                              .results = w->results,
                              .scratch = w->scratch,
                              .budget = stage->pipeline->budget};
    bool rounded = keep.inside > 0 && !toi_is_exact(def);
    if (rounded) {
        set_separations(&batch, keep, w);
        batch.separations = w->separations;
    }
    toi_narrow_solver(def->method)(&batch);
    for (int64_t i = 0; i < count && rounded; ++i)
        w->results[i].starts_inside = w->starts_inside[i];
}

// Impacts later than this cannot matter any more.
static double time_limit(const solve_stage *stage)
{
    double last = stage->pipeline->last_time;
    return stage->t_max ? fmin(last, toi_bits_time(atomic_load(stage->t_max))) : last;
}

// Up to when pairs must be looked at for that: a small time is not the last word on its pair.
static double search_limit(const solve_stage *stage, double limit)
{
    const toi_zero_time_policy *policy = &stage->pipeline->policy;
    return policy->rescale > 0 ? fmax(limit, policy->small_time) : limit;
}

typedef bool pick_fn(const solve_stage *stage, const toi_query_result *result);

static bool is_small(const solve_stage *stage, const toi_query_result *result)
{
    return result->state != TOI_SEPARATED && !result->starts_inside &&
           result->time <= stage->pipeline->policy.small_time;
}

static bool is_inside(const solve_stage *stage, const toi_query_result *result)
{
    (void)stage;
    return result->starts_inside;
}

// Moves the queries whose results are picked to the front; returns how many.
static int64_t bring_forward(const solve_stage *stage, solve_worker *w, toi_pair *pairs,
                             int64_t count, pick_fn *pick)
{
    int64_t picked = 0;
    for (int64_t i = 0; i < count; ++i) {
        if (!pick(stage, &w->results[i]))
            continue;
        if (i > picked) {
            toi_query query = w->queries[i];
            toi_query_result result = w->results[i];
            toi_pair pair = pairs[i];
            w->queries[i] = w->queries[picked];
            w->results[i] = w->results[picked];
            pairs[i] = pairs[picked];
            w->queries[picked] = query;
            w->results[picked] = result;
            pairs[picked] = pair;
        }
        ++picked;
    }
    return picked;
}

toi_list_beyond_fn toi_list_beyond_baseline, toi_list_beyond_avx2, toi_list_beyond_avx512;
toi_search_near_fn toi_search_near_baseline, toi_search_near_avx2, toi_search_near_avx512;

// The second pass: for min_separation alone, and then a share of the time found. A pair that does
// not come so close is separated. Times up to limit / rescale matter, and a little more: products
// are rounded, to 0 perhaps.
static void rescale_small(const solve_stage *stage, solve_worker *w, toi_pair *pairs, int64_t count,
                          double limit)
{
    toi_narrow_def def = stage->pipeline->def->narrow;
    double rescale = stage->pipeline->policy.rescale;
    int64_t small = bring_forward(stage, w, pairs, count, is_small);
    def.no_zero_time = toi_narrow_traits(def.method) & TOI_NARROW_TRAIT_REFINEMENT;
    def.t_max = fmin(1, (limit + 0x1p-1074) / rescale * (1 + 0x1p-50));
    solve_queries(stage, w, small, &def, (shares){0, 0}, NULL, NULL);
    for (int64_t i = 0; i < small; ++i) {
        toi_query_result *result = &w->results[i];
        if (stage->pipeline->consume_brief) { // no place is found yet: hand_briefs() reads this
            result->u = result->time;
            result->v = 1;
        }
        result->time *= rescale; // not above the time found, since rescale < 1
    }
    w->rescaled += small;
}

// A check asks whether pairs come to min_separation. Those that begin there keep their share.
static void keep_shares(const solve_stage *stage, solve_worker *w, toi_pair *pairs, int64_t count,
                        const toi_narrow_def *def)
{
    int64_t inside = bring_forward(stage, w, pairs, count, is_inside);
    double share = stage->pipeline->inside_share;
    solve_queries(stage, w, inside, def, (shares){share, share}, NULL, NULL);
}

bool toi_is_named_before(const toi_pair_name *a, const toi_pair_name *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static uint64_t pack_pair(const solve_stage *stage, toi_pair pair)
{
    return toi_pack_key((toi_record_key){stage->kind, pair.a, pair.b});
}

static void note_inside(solve_worker *w, uint64_t key)
{
    ++w->inside_count;
    w->first_inside = key < w->first_inside ? key : w->first_inside;
}

static void count_inside(const solve_stage *stage, solve_worker *w, const toi_pair *pairs,
                         int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (w->results[i].starts_inside)
            note_inside(w, pack_pair(stage, pairs[i]));
}

// A search at both ends knows swept boxes in single precision only. Those in double decide which
// pairs keep a share of their distance. Few that come so far are beyond them.
static void drop_beyond(const solve_stage *stage, solve_worker *w, const toi_pair *pairs,
                        int64_t count)
{
    static toi_list_beyond_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_list_beyond);
    int32_t list[BATCH];
    int64_t beyond = kernels[toi_simd_level()](stage->kind, w->queries, w->results, count, list);
    for (int64_t i = 0; i < beyond; ++i) {
        toi_pair pair = pairs[list[i]];
        if (toi_keep_overlapping(stage->pipeline, stage->kind, &pair, 1) == 0)
            w->results[list[i]] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
    }
}

static void solve_batch(const solve_stage *stage, solve_worker *w, toi_pair *pairs, int64_t count)
{
    const toi_pipeline *p = stage->pipeline;
    toi_narrow_def def = p->def->narrow;
    double limit = time_limit(stage);
    def.t_max = search_limit(stage, limit);
    double share = p->policy.relative_separation;
    solve_queries(stage, w, count, &def, (shares){share, fmax(share, p->inside_share)},
                  toi_is_exact(&def) ? w->starts_inside : NULL, w->by_place ? w->searched : NULL);
    if (stage->near && share > 0)
        drop_beyond(stage, w, pairs, count);
    count_inside(stage, w, pairs, count);
    if (p->inside_share > 0 && toi_is_exact(&def))
        keep_shares(stage, w, pairs, count, &def);
    if (p->policy.rescale > 0) {
        rescale_small(stage, w, pairs, count, limit);
        for (int64_t i = 0; i < count; ++i)
            if (w->results[i].time > limit)
                w->results[i].state = TOI_SEPARATED;
    }
    for (int64_t i = 0; i < count && !p->consume_brief && !is_culled(stage->kind); ++i)
        toi_lower_result(stage->kind, &w->results[i]);
}

// Hands on what is hit.
static toi_status hand_impacts(const solve_stage *stage, solve_worker *w, const toi_pair *pairs,
                               int64_t count, int worker)
{
    int64_t impacts = 0;
    for (int64_t i = 0; i < count; ++i) {
        const toi_query_result *r = &w->results[i];
        if (r->state != TOI_SEPARATED)
            w->impacts[impacts++] =
                (toi_impact){.kind = stage->kind,
                             .a = pairs[i].a,
                             .b = pairs[i].b,
                             .state = r->state,
                             .time = r->time,
                             .u = r->u,
                             .v = r->v,
                             .normal = {r->normal[0], r->normal[1], r->normal[2]}};
    }
    return impacts > 0 ? stage->consume(stage->context, w->impacts, impacts, worker) : TOI_OK;
}

// The same in brief.
static toi_status hand_briefs(const solve_stage *stage, solve_worker *w, const toi_pair *pairs,
                              int64_t count, int worker)
{
    int64_t briefs = 0;
    for (int64_t i = 0; i < count; ++i) {
        const toi_query_result *r = &w->results[i];
        bool second = r->v > 0;
        uint64_t marks =
            (second ? TOI_SECOND_PASS : 0) | (r->state == TOI_UNDECIDED ? TOI_BRIEF_UNDECIDED : 0);
        w->briefs[briefs] =
            (toi_brief){pack_pair(stage, pairs[i]), toi_time_bits(second ? r->u : r->time) | marks};
        briefs += r->state != TOI_SEPARATED;
    }
    const toi_pipeline *p = stage->pipeline;
    return briefs > 0 ? p->consume_brief(stage->context, w->briefs, briefs, worker) : TOI_OK;
}

toi_cull_near_fn toi_cull_near_baseline, toi_cull_near_avx2, toi_cull_near_avx512;
toi_cull_near_fn toi_cull_start_baseline, toi_cull_start_avx2, toi_cull_start_avx512;
toi_cull_pairs_fn toi_cull_pairs_baseline, toi_cull_pairs_avx2, toi_cull_pairs_avx512;
toi_fill_bounds_fn toi_fill_bounds_baseline, toi_fill_bounds_avx2, toi_fill_bounds_avx512;

static bool has_separation(const toi_pipeline *p)
{
    return p->def->narrow.min_separation > 0 || p->policy.relative_separation > 0;
}

// How many primitives of the first and of the second sort take part; edges are both.
typedef struct primitive_counts
{
    int64_t first, second;
} primitive_counts;

static primitive_counts count_primitives(const solve_stage *stage)
{
    const toi_mesh *mesh = &stage->pipeline->mesh;
    return stage->kind == TOI_EDGE_EDGE ? (primitive_counts){0, mesh->edges.count}
                                        : (primitive_counts){mesh->start.count, mesh->faces.count};
}

// Where pairs come from bounding volumes, most that bounds would part are apart already; and the
// worker that made them would keep the others waiting at the end.
static bool may_have_bounds(const solve_stage *stage)
{
    const toi_track_source *source = stage->pipeline->source;
    return is_culled(stage->kind) && !(source && !source->places);
}

static toi_end_boxes *take_bounds(const solve_stage *stage)
{
    primitive_counts n = count_primitives(stage);
    return toi_take(stage->pipeline->budget, n.first + n.second, sizeof(toi_end_boxes));
}

static void make_bounds(solve_stage *stage, const toi_cull_source *source)
{
    static toi_fill_bounds_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_fill_bounds);
    toi_fill_bounds_fn *fill = kernels[toi_simd_level()];
    bool edges = stage->kind == TOI_EDGE_EDGE;
    if (!stage->room)
        stage->room = take_bounds(stage);
    if (!stage->room)
        return;
    toi_end_boxes *second = stage->room + count_primitives(stage).first;
    if (!edges)
        fill(source, TOI_VERTEX, stage->room);
    fill(source, edges ? TOI_EDGE : TOI_FACE, second);
    stage->bounds[0] = stage->room;
    stage->bounds[1] = second; // says that both are there
}

// Bounds pay where each primitive takes part in many candidates. The worker that brings their
// number over the limit makes them, while the others go on without; so they go on if memory does
// not suffice. The answer is the same.
static void make_bounds_when_worth(solve_stage *stage, const toi_cull_source *source, int64_t count)
{
    primitive_counts n = count_primitives(stage);
    int64_t limit = CANDIDATES_A_BOUND * (n.first + n.second), before = stage->seen;
    if (before > limit || !may_have_bounds(stage))
        return;
    before = atomic_fetch_add(&stage->seen, count);
    if (before <= limit && before + count > limit)
        make_bounds(stage, source);
}

// Boxes in double decide which pairs are asked about, whatever boxes were searched: a pair beyond
// them has no share of its distance to keep, and a method that may report what only comes close
// must not be asked.
int64_t toi_keep_overlapping(const toi_pipeline *p, toi_kind kind, toi_pair *pairs, int64_t count)
{
    double radius = toi_separation_radius(p->def->narrow.min_separation);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_box a, b;
        toi_pair pair = pairs[i];
        toi_swept_box(&p->mesh, toi_first_primitive(kind), pair.a, radius, &a);
        toi_swept_box(&p->mesh, toi_second_primitive(kind), pair.b, radius, &b);
        pairs[kept] = pair;
        kept += toi_boxes_overlap(&a, &b);
    }
    return kept;
}

// From places to the numbers of the mesh. Edges that change places take the features that are
// closest along.
static void number_places(const toi_mesh_order *order, toi_kind kind, toi_pair *pairs,
                          int64_t count, toi_searched *searched)
{
    static const uint8_t exchanged[] = {0, 2, 1, 3, 5, 4, 7, 6, 8}; // narrow/apart.h
    const int32_t *first = order->trees[0]->ids, *second = order->trees[1]->ids;
    bool alike = toi_kind_is_alike(kind);
    for (int64_t i = 0; i < count; ++i) {
        int32_t a = first[pairs[i].a], b = second[pairs[i].b];
        bool exchange = alike && b < a;
        pairs[i] = exchange ? (toi_pair){b, a} : (toi_pair){a, b};
        if (searched && exchange) {
            searched[i].feature = exchanged[searched[i].feature];
            searched[i].start_feature = exchanged[searched[i].start_feature];
        }
    }
}

static bool is_due(filter_rest *rest)
{
    rest->blocks -= rest->blocks > 0;
    return rest->blocks == 0;
}

static void judge_filter(filter_rest *rest, int64_t tried, int64_t left)
{
    if (4 * (tried - left) >= tried)
        rest->last = 0;
    else if (rest->last < LONGEST_REST)
        rest->last = rest->last > 0 ? 2 * rest->last : 16;
    rest->blocks = rest->last;
}

// Positions in single precision, of pairs by place.
static toi_near_source near_source(const solve_stage *stage)
{
    const toi_pipeline *p = stage->pipeline;
    const toi_mesh_order *order = &p->order;
    double until = toi_cull_time(search_limit(stage, time_limit(stage)));
    if (order->until < 1 && !(order->reach > 0)) // rows end there
        until = fmin(until / order->until * (1 + 0x1p-50), 1);
    return (toi_near_source){.rows = (const float(*)[8])order->moving,
                             .error = order->error,
                             .labels = {order->trees[0]->labels, order->trees[1]->labels},
                             .kind = stage->kind,
                             .t_max = until,
                             .euclidean = has_separation(p),
                             .separation = p->def->narrow.min_separation * order->scale,
                             .relative = toi_filter_share(p->policy.relative_separation),
                             .reach = order->reach,
                             .grain = order->grain};
}

// Searches pairs by place and numbers those that are left.
static int64_t search_places(const solve_stage *stage, solve_worker *w, toi_pair *pairs,
                             int64_t count)
{
    static toi_search_near_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_search_near);
    toi_near_source source = near_source(stage);
    int64_t tried = count, stuck = 0;
    count = kernels[toi_simd_level()](&source, pairs, count, w->searched);
    for (int64_t i = 0; i < count; ++i)
        stuck += w->searched[i].verdict == TOI_SEARCH_STUCK;
    judge_filter(&w->search, tried, stuck);
    number_places(&stage->pipeline->order, stage->kind, pairs, count, w->searched);
    return count;
}

static void gather(const solve_stage *stage, const toi_corner_source *source, solve_worker *w,
                   const toi_pair *pairs, int64_t count)
{
    const toi_mesh *mesh = &stage->pipeline->mesh;
    for (int64_t i = 0; i < count && stage->near; ++i) { // in no order
        if (stage->kind == TOI_EDGE_EDGE)
            __builtin_prefetch(toi_edge_at(&mesh->edges, pairs[i].a));
        __builtin_prefetch(stage->kind == TOI_EDGE_EDGE ? toi_edge_at(&mesh->edges, pairs[i].b)
                                                        : toi_face_at(&mesh->faces, pairs[i].b));
    }
    for (int64_t i = 0; i < count; ++i) {
        if (i + AHEAD < count)
            toi_fetch_corners(source, stage->kind, pairs[i + AHEAD]);
        toi_gather_corners(source, stage->kind, pairs[i], &w->queries[i]);
    }
}

// Solves a batch, by number; `inside`: all are known to start inside.
static toi_status solve_pairs(const solve_stage *stage, solve_worker *w, toi_pair *pairs,
                              int64_t count, bool inside, int worker)
{
    const toi_pipeline *p = stage->pipeline;
    const toi_corner_source source = toi_find_corner_source(&p->mesh);
    gather(stage, &source, w, pairs, count);
    memset(w->starts_inside, inside, sizeof w->starts_inside);
    solve_batch(stage, w, pairs, count);
    if (p->budget->starved) // a query was left undecided for want of memory: no answer
        return toi_refuse(p->budget, p->budget->limit + 1);
    return p->consume_brief ? hand_briefs(stage, w, pairs, count, worker)
                            : hand_impacts(stage, w, pairs, count, worker);
}

// ---- Filters

// Of pairs that have been set aside no query is gathered where impacts are handed on in brief.
static toi_status solve_inside(const solve_stage *stage, solve_worker *w, int worker)
{
    toi_status status = TOI_OK;
    for (int64_t first = 0; first < w->inside.count && status == TOI_OK; first += BATCH) {
        int64_t left = w->inside.count - first, count = left < BATCH ? left : BATCH;
        toi_pair *pairs = w->inside.pairs + first;
        if (!stage->pipeline->consume_brief) {
            status = solve_pairs(stage, w, pairs, count, true, worker);
            continue;
        }
        for (int64_t i = 0; i < count; ++i) {
            uint64_t key = pack_pair(stage, pairs[i]);
            note_inside(w, key);
            w->briefs[i] = (toi_brief){key, 0}; // its time is 0
        }
        status = stage->pipeline->consume_brief(stage->context, w->briefs, count, worker);
    }
    return status;
}

// A filter over some pairs, which sets some of them aside if it may.
typedef int64_t filter_fn(solve_stage *stage, toi_pair *pairs, int64_t count,
                          toi_inside_pairs *inside);

// How far off by rounding the distance of two points of bounds may be: each is the rounded mean of
// up to three, and squares underflow. Where there is no table the order knows how far away they
// are.
static float point_error(const toi_pipeline *p)
{
    if (p->trajectories)
        return p->off;
    const toi_mesh_order *order = &p->order;
    return order->scale > 0 && order->largest < TOI_FARTHEST
               ? toi_distance_error((double)order->largest / order->scale)
               : INFINITY;
}

static int64_t cull(solve_stage *stage, toi_pair *pairs, int64_t count, toi_inside_pairs *inside)
{
    static toi_cull_pairs_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_pairs);
    const toi_pipeline *p = stage->pipeline;
    toi_cull_source source = {.mesh = &p->mesh,
                              .trajectories = p->trajectories,
                              .kind = stage->kind,
                              .alike = !toi_is_exact(&p->def->narrow),
                              .euclidean = has_separation(p) && toi_is_exact(&p->def->narrow),
                              .off = point_error(p),
                              .separation = p->def->narrow.min_separation,
                              .relative = toi_filter_share(p->policy.relative_separation),
                              .t_max = 1,
                              .inside = inside};
    if (!source.alike)
        source.t_max = toi_cull_time(search_limit(stage, time_limit(stage)));
    make_bounds_when_worth(stage, &source, count);
    source.b = stage->bounds[1];
    source.a = stage->bounds[0];
    return kernels[toi_simd_level()](&source, pairs, count);
}

// Of pairs by place. Where positions may have been cut off two that are far apart may look near:
// then none is set aside.
static int64_t cull_single(solve_stage *stage, toi_pair *pairs, int64_t count,
                           toi_inside_pairs *inside)
{
    static toi_cull_near_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_near);
    static toi_cull_near_fn *const at_start[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_start);
    toi_near_source source = near_source(stage);
    toi_simd simd = toi_simd_level();
    source.inside = stage->pipeline->order.largest < TOI_FARTHEST ? inside : NULL;
    if (source.reach > 0) // nearly all are too far apart to begin with
        count = at_start[simd](&source, pairs, count);
    return kernels[simd](&source, pairs, count);
}

static bool is_filtered(const toi_pipeline *p)
{
    const toi_filter *filter = &p->scene->topology.filter;
    return filter->groups || filter->may_collide;
}

// From places to numbers, and of these those that may be asked about; returns how many.
static int64_t name_pairs(const solve_stage *stage, toi_pair *pairs, int64_t count)
{
    const toi_pipeline *p = stage->pipeline;
    number_places(&p->order, stage->kind, pairs, count, NULL);
    return is_filtered(p) ? toi_keep_allowed(p, stage->kind, pairs, count) : count;
}

// Runs a filter over a block; what it sets aside, by place if `numbered` is not set, is solved.
static toi_status filter_block(solve_stage *stage, solve_worker *w, filter_fn *filter,
                               bool numbered, toi_pair *pairs, int64_t *count, int worker)
{
    const toi_pipeline *p = stage->pipeline;
    bool aside = has_separation(p) && !(p->policy.relative_separation > 0);
    int64_t kept = 0, piece = aside ? TOI_CULL_PIECE : *count;
    toi_status status = TOI_OK;
    for (int64_t first = 0; first < *count && status == TOI_OK; first += piece) {
        int64_t n = *count - first < piece ? *count - first : piece;
        w->inside.count = 0;
        n = filter(stage, pairs + first, n, aside ? &w->inside : NULL);
        memmove(pairs + kept, pairs + first, (size_t)n * sizeof *pairs);
        kept += n;
        if (!numbered)
            w->inside.count = name_pairs(stage, w->inside.pairs, w->inside.count);
        status = solve_inside(stage, w, worker);
    }
    *count = kept;
    return status;
}

// Of pairs by place those that may touch, by number. Either filter alone would do; the first is
// quicker and, far from the origin, coarser.
static toi_status keep_near(solve_stage *stage, solve_worker *w, toi_pair *pairs, int64_t *count,
                            int worker)
{
    const toi_pipeline *p = stage->pipeline;
    // Not where all methods must get the same pairs.
    bool single = toi_is_exact(&p->def->narrow) && is_due(&w->single),
         wide = !single || is_due(&w->wide);
    int64_t tried = *count;
    if (single) {
        toi_status status = filter_block(stage, w, cull_single, false, pairs, count, worker);
        if (status != TOI_OK)
            return status;
        judge_filter(&w->single, tried, *count);
    }
    w->by_place = single && !wide && !is_filtered(p) && has_separation(p) &&
                  p->order.largest < TOI_FARTHEST && p->order.until == 1 && is_due(&w->search);
    if (w->by_place)
        return TOI_OK;
    *count = name_pairs(stage, pairs, *count);
    if (!wide)
        return TOI_OK;
    tried = *count;
    toi_status status = filter_block(stage, w, cull, true, pairs, count, worker);
    if (single)
        judge_filter(&w->wide, tried, *count);
    return status;
}

static toi_status solve_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                              int worker)
{
    (void)task;
    solve_stage *stage = context;
    solve_worker *w = &stage->scratch[worker];
    double started = toi_clock();
    toi_status status = TOI_OK;
    w->tested += count;
    if (stage->pipeline->def->float_boxes)
        count = toi_keep_overlapping(stage->pipeline, stage->kind, pairs, count);
    w->by_place = false;
    if (stage->near)
        status = keep_near(stage, w, pairs, &count, worker);
    else if (is_culled(stage->kind))
        status = filter_block(stage, w, cull, true, pairs, &count, worker);
    for (int64_t first = 0; first < count && status == TOI_OK; first += BATCH) {
        int64_t n = count - first < BATCH ? count - first : BATCH;
        if (w->by_place)
            n = search_places(stage, w, pairs + first, n);
        status = solve_pairs(stage, w, pairs + first, n, false, worker);
    }
    w->seconds += toi_clock() - started;
    return status;
}

static void add_counts(toi_pipeline *p, const solve_worker *w)
{
    p->report.rescaled += w->rescaled;
    p->report.inside += w->inside_count;
    if (w->inside_count == 0)
        return;
    toi_record_key key = toi_unpack_key(w->first_inside);
    toi_pair_name name = {key.kind, key.a, key.b};
    if (toi_is_named_before(&name, &p->report.first_inside))
        p->report.first_inside = name;
}

// Shares the wall time of the fused phases out in proportion to the workers' own clocks.
static void account(toi_pipeline *p, toi_kind kind, const solve_worker *workers, double wall)
{
    double narrow = 0;
    for (int i = 0; i < p->workers; ++i) {
        p->report.tested[kind] += workers[i].tested;
        add_counts(p, &workers[i]);
        narrow += workers[i].seconds;
    }
    narrow = fmin(narrow / p->workers, wall);
    p->report.seconds_narrow += narrow;
    p->report.seconds_broad -= narrow;
}

static void reset_worker(solve_worker *w)
{
    w->seconds = 0;
    w->tested = 0;
    w->single = w->wide = w->search = (filter_rest){0};
    w->by_place = false; // what a device has left never is
    w->rescaled = w->inside_count = 0;
    w->first_inside = UINT64_MAX;
}

// A toi_horizon_fn of a stage that looks for the earliest impact. Not for methods that may report a
// pair before it touches, or without: pairs that are apart until then may be theirs.
static double horizon(const void *context)
{
    const solve_stage *stage = context;
    return toi_cull_time(search_limit(stage, time_limit(stage)));
}

static toi_status solve_kind(solve_stage *stage, toi_kind kind)
{
    toi_pipeline *p = stage->pipeline;
    stage->kind = kind;
    for (int i = 0; i < p->workers; ++i)
        reset_worker(&stage->scratch[i]);
    stage->seen = 0;
    // A scene has the memory for bounds at hand, whether this step makes them or not: so all its
    // steps take the same.
    const toi_budget *budget = p->budget;
    if (may_have_bounds(stage) && budget->store &&
        (budget->limit == 0 || budget->limit >= budget->need))
        stage->room = take_bounds(stage);
    double before = p->report.seconds_broad;
    toi_receiver to = {.context = stage, .emit = solve_block};
    stage->near = toi_may_stream_near(p, kind);
    toi_horizon_fn *ends = p->earliest ? horizon : NULL;
    toi_status status =
        stage->near ? toi_stream_near(p, kind, to, ends) : toi_stream_kind(p, kind, to);
    account(p, kind, stage->scratch, p->report.seconds_broad - before);
    bool counted = !stage->near && !(p->source && kind < TOI_PAIR_KINDS);
    p->report.candidates[kind] = counted ? p->report.tested[kind] : -1;
    toi_give_back(stage->room);
    stage->bounds[0] = stage->bounds[1] = stage->room = NULL;
    return status;
}

// The pair that was hit first in the scene's last step is solved first: if it is hit again, the
// others are pruned from the beginning. It comes once more with the candidates, which are solved in
// any order; so the answer stays. Only what would be a candidate may be asked about.
static toi_status solve_remembered(solve_stage *stage)
{
    const toi_pipeline *p = stage->pipeline;
    const toi_impact *last = &p->scene->last;
    if (!stage->t_max || last->state == TOI_SEPARATED || p->def->given)
        return TOI_OK;
    stage->kind = (toi_kind)last->kind;
    toi_pair pair = {last->a, last->b};
    bool asked =
        toi_is_allowed(p, stage->kind, pair) && toi_keep_overlapping(p, stage->kind, &pair, 1) > 0;
    return asked ? solve_block(stage, &pair, 1, 0, 0) : TOI_OK;
}

// Workers, and what the narrow phase wants of memory for each.
static toi_status take_workers(solve_stage *stage, char **scratch)
{
    const toi_pipeline *p = stage->pipeline;
    int64_t bytes = toi_narrow_scratch_bytes(p->def->narrow.method);
    stage->scratch = toi_take(p->budget, p->workers, sizeof *stage->scratch);
    *scratch = stage->scratch ? toi_take(p->budget, p->workers, (size_t)bytes) : NULL;
    if (!*scratch)
        return toi_allocation_status();
    for (int i = 0; i < p->workers; ++i)
        stage->scratch[i].scratch = *scratch + i * bytes;
    return TOI_OK;
}

// Where most pairs are dropped in single precision, by place, few vertices are read in double.
static bool needs_trajectories(const toi_pipeline *p)
{
    return !toi_may_stream_near(p, TOI_VERTEX_FACE) || !toi_is_exact(&p->def->narrow);
}

toi_status toi_solve_kinds(toi_pipeline *p, int first, toi_consume_fn *consume, void *context,
                           _Atomic uint64_t *t_max)
{
    solve_stage stage = {.pipeline = p, .consume = consume, .context = context, .t_max = t_max};
    char *scratch = NULL;
    toi_status status = take_workers(&stage, &scratch);
    p->earliest = t_max && toi_is_exact(&p->def->narrow);
    if (status == TOI_OK)
        status = toi_begin_motion(p);
    double started = toi_clock();
    if (status == TOI_OK && needs_trajectories(p))
        status = toi_take_trajectories(p);
    p->report.seconds_narrow += toi_clock() - started;
    if (status == TOI_OK && first == 0)
        status = solve_remembered(&stage);
    for (int kind = first; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind)
        status = solve_kind(&stage, (toi_kind)kind);
    toi_give_back(scratch);
    toi_give_back(stage.scratch);
    return status;
}

// ---- What a device has left

typedef struct left_job
{
    solve_stage stages[TOI_PAIR_KINDS]; // which have the same workers
    const toi_left_pairs *left;
} left_job;

// The queries of one kind among a few go to the worker; returns how many.
static int64_t gather_left(const left_job *job, toi_kind kind, int64_t first, int64_t end,
                           solve_worker *w, toi_pair *pairs)
{
    int64_t count = 0;
    for (int64_t i = first; i < end; ++i) {
        const toi_pair_name *name = &job->left->names[i];
        toi_pair pair = {name->a, name->b};
        if (name->kind != (int32_t)kind || !toi_is_allowed(job->stages[0].pipeline, kind, pair))
            continue;
        w->queries[count] = job->left->queries[i];
        w->starts_inside[count] = false; // as far as is known
        pairs[count++] = pair;
    }
    return count;
}

static toi_status solve_left_piece(void *context, int64_t piece, int worker)
{
    const left_job *job = context;
    const toi_pipeline *p = job->stages[0].pipeline;
    solve_worker *w = &job->stages[0].scratch[worker];
    int64_t first = piece * LEFT_PIECE, end = first + LEFT_PIECE;
    toi_status status = TOI_OK;
    if (end > job->left->count)
        end = job->left->count;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        const solve_stage *stage = &job->stages[kind];
        toi_pair pairs[LEFT_PIECE];
        int64_t count = gather_left(job, (toi_kind)kind, first, end, w, pairs);
        if (count == 0)
            continue;
        solve_batch(stage, w, pairs, count);
        if (p->budget->starved) // a query was left undecided for want of memory: no answer
            return toi_refuse(p->budget, p->budget->limit + 1);
        status = hand_impacts(stage, w, pairs, count, worker);
    }
    return status;
}

toi_status toi_solve_left(toi_pipeline *p, const toi_left_pairs *left, toi_consume_fn *consume,
                          void *context, _Atomic uint64_t *t_max)
{
    if (left->count == 0)
        return TOI_OK;
    double started = toi_clock();
    solve_stage stage = {.pipeline = p, .consume = consume, .context = context, .t_max = t_max};
    char *scratch = NULL;
    toi_status status = take_workers(&stage, &scratch);
    left_job job = {.left = left};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        job.stages[kind] = stage;
        job.stages[kind].kind = (toi_kind)kind;
    }
    for (int i = 0; i < p->workers && status == TOI_OK; ++i)
        reset_worker(&stage.scratch[i]);
    int64_t pieces = (left->count + LEFT_PIECE - 1) / LEFT_PIECE;
    if (status == TOI_OK)
        status = toi_parallel(p->workers, pieces, solve_left_piece, &job);
    for (int i = 0; i < p->workers && status == TOI_OK; ++i)
        add_counts(p, &stage.scratch[i]);
    toi_give_back(scratch);
    toi_give_back(stage.scratch);
    p->report.seconds_narrow += toi_clock() - started;
    return status;
}

toi_status toi_solve_candidates(toi_pipeline *p, toi_consume_fn *consume, void *context,
                                _Atomic uint64_t *t_max)
{
    return p->def->device ? toi_solve_on_device(p, consume, context, t_max)
                          : toi_solve_kinds(p, 0, consume, context, t_max);
}

int64_t toi_solve_need(const toi_narrow_def *def, const toi_mesh_counts *counts, int workers)
{
    int64_t pairs = counts->vertices + counts->faces;
    int64_t bounds =
        (pairs > counts->edges ? pairs : counts->edges) * (int64_t)sizeof(toi_end_boxes);
    // And for safe steps a time and a position.
    int64_t vertices = counts->vertices * (int64_t)(sizeof(toi_moving_vertex) + 4 * sizeof(double));
    int64_t a_worker = (int64_t)sizeof(solve_worker) + toi_narrow_scratch_bytes(def->method) +
                       toi_narrow_heap_bytes(def->method);
    return vertices + bounds + workers * (a_worker + 512); // and what it has found
}
