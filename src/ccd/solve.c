// The narrow phase over streamed candidates: gather, solve, apply the zero-time policy, hand on.

#include "ccd/solve_stage.h"

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
    LEFT_PIECE = 8, // pairs of a device that may need long integers
    AHEAD = 16      // pairs that are fetched before they are gathered
};

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
static void set_separations(const toi_narrow_batch *batch, shares keep, toi_solve_worker *w)
{
    double least = batch->def->min_separation;
    for (int64_t i = 0; i < batch->count; ++i) {
        double distance = initial_distance(batch->kind, &batch->queries[i]);
        w->starts_inside[i] = distance <= least;
        w->separations[i] = w->starts_inside[i] ? keep.inside * distance
                                                : least + keep.farther * (distance - least);
    }
}

// Solves the first `count` queries of a worker. `inside`, `searched`: see toi_narrow_batch.
static void solve_queries(const toi_solve_stage *stage, toi_solve_worker *w, int64_t count,
                          const toi_narrow_def *def, shares keep, const bool *inside,
                          const toi_searched *searched)
{
    toi_narrow_batch batch = {.def = def,
                              .kind = toi_raised_kind(stage->kind),
                              .count = count,
                              .queries = w->queries,
                              .relative = keep.farther,
                              .culled = toi_is_culled(stage->kind),
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
static double time_limit(const toi_solve_stage *stage)
{
    double last = stage->pipeline->last_time;
    return stage->t_max ? fmin(last, toi_bits_time(atomic_load(stage->t_max))) : last;
}

// Up to when pairs must be looked at for that: a small time is not the last word on its pair.
static double search_limit(const toi_solve_stage *stage, double limit)
{
    const toi_zero_time_policy *policy = &stage->pipeline->policy;
    return policy->rescale > 0 ? fmax(limit, policy->small_time) : limit;
}

double toi_search_end(const toi_solve_stage *stage)
{
    return toi_cull_time(search_limit(stage, time_limit(stage)));
}

typedef bool pick_fn(const toi_solve_stage *stage, const toi_query_result *result);

static bool is_small(const toi_solve_stage *stage, const toi_query_result *result)
{
    return result->state != TOI_SEPARATED && !result->starts_inside &&
           result->time <= stage->pipeline->policy.small_time;
}

static bool is_inside(const toi_solve_stage *stage, const toi_query_result *result)
{
    (void)stage;
    return result->starts_inside;
}

// Moves the queries whose results are picked to the front; returns how many.
static int64_t bring_forward(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
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

// The second pass: for min_separation alone, and then a share of the time found. A pair that does
// not come so close is separated. Times up to limit / rescale matter, and a little more: products
// are rounded, to 0 perhaps.
static void rescale_small(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                          int64_t count, double limit)
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
static void keep_shares(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                        int64_t count, const toi_narrow_def *def)
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

static uint64_t pack_pair(const toi_solve_stage *stage, toi_pair pair)
{
    return toi_pack_key((toi_record_key){stage->kind, pair.a, pair.b});
}

static void note_inside(toi_solve_worker *w, uint64_t key)
{
    ++w->inside_count;
    w->first_inside = key < w->first_inside ? key : w->first_inside;
}

static void count_inside(const toi_solve_stage *stage, toi_solve_worker *w, const toi_pair *pairs,
                         int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        if (w->results[i].starts_inside)
            note_inside(w, pack_pair(stage, pairs[i]));
}

// A search at both ends knows swept boxes in single precision only. Those in double decide which
// pairs keep a share of their distance. Few that come so far are beyond them.
static void drop_beyond(const toi_solve_stage *stage, toi_solve_worker *w, const toi_pair *pairs,
                        int64_t count)
{
    static toi_list_beyond_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_list_beyond);
    int32_t list[TOI_SOLVE_BATCH];
    int64_t beyond = kernels[toi_simd_level()](stage->kind, w->queries, w->results, count, list);
    for (int64_t i = 0; i < beyond; ++i) {
        toi_pair pair = pairs[list[i]];
        if (toi_keep_overlapping(stage->pipeline, stage->kind, &pair, 1) == 0)
            w->results[list[i]] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
    }
}

static void solve_batch(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                        int64_t count)
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
    for (int64_t i = 0; i < count && !p->consume_brief && !toi_is_culled(stage->kind); ++i)
        toi_lower_result(stage->kind, &w->results[i]);
}

// Hands on what is hit.
static toi_status hand_impacts(const toi_solve_stage *stage, toi_solve_worker *w,
                               const toi_pair *pairs, int64_t count, int worker)
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
static toi_status hand_briefs(const toi_solve_stage *stage, toi_solve_worker *w,
                              const toi_pair *pairs, int64_t count, int worker)
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

static void gather(const toi_solve_stage *stage, const toi_corner_source *source,
                   toi_solve_worker *w, const toi_pair *pairs, int64_t count)
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
static toi_status solve_pairs(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
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

// Of pairs that have been set aside no query is gathered where impacts are handed on in brief.
toi_status toi_solve_inside(const toi_solve_stage *stage, toi_solve_worker *w, int worker)
{
    toi_status status = TOI_OK;
    for (int64_t first = 0; first < w->inside.count && status == TOI_OK; first += TOI_SOLVE_BATCH) {
        int64_t left = w->inside.count - first,
                count = left < TOI_SOLVE_BATCH ? left : TOI_SOLVE_BATCH;
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

static toi_status solve_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                              int worker)
{
    (void)task;
    toi_solve_stage *stage = context;
    toi_solve_worker *w = &stage->scratch[worker];
    double started = toi_clock();
    w->tested += count;
    if (stage->pipeline->def->float_boxes)
        count = toi_keep_overlapping(stage->pipeline, stage->kind, pairs, count);
    toi_status status = toi_filter_pairs(stage, w, pairs, &count, worker);
    for (int64_t first = 0; first < count && status == TOI_OK; first += TOI_SOLVE_BATCH) {
        int64_t n = count - first < TOI_SOLVE_BATCH ? count - first : TOI_SOLVE_BATCH;
        if (w->by_place)
            n = toi_search_places(stage, w, pairs + first, n);
        status = solve_pairs(stage, w, pairs + first, n, false, worker);
    }
    w->seconds += toi_clock() - started;
    return status;
}

static void add_counts(toi_pipeline *p, const toi_solve_worker *w)
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
static void account(toi_pipeline *p, toi_kind kind, const toi_solve_worker *workers, double wall)
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

static void reset_worker(toi_solve_worker *w)
{
    w->seconds = 0;
    w->tested = 0;
    w->single = w->wide = w->search = (toi_filter_rest){0};
    w->by_place = false; // what a device has left never is
    w->rescaled = w->inside_count = 0;
    w->first_inside = UINT64_MAX;
}

// A toi_horizon_fn of a stage that looks for the earliest impact. Not for methods that may report a
// pair before it touches, or without: pairs that are apart until then may be theirs.
static double horizon(const void *context)
{
    const toi_solve_stage *stage = context;
    return toi_search_end(stage);
}

static toi_status solve_kind(toi_solve_stage *stage, toi_kind kind)
{
    toi_pipeline *p = stage->pipeline;
    stage->kind = kind;
    for (int i = 0; i < p->workers; ++i)
        reset_worker(&stage->scratch[i]);
    stage->seen = 0;
    // A scene has the memory for bounds at hand, whether this step makes them or not: so all its
    // steps take the same.
    const toi_budget *budget = p->budget;
    if (toi_may_have_bounds(stage) && budget->store &&
        (budget->limit == 0 || budget->limit >= budget->need))
        stage->room = toi_take_bounds(stage);
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
static toi_status solve_remembered(toi_solve_stage *stage)
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
static toi_status take_workers(toi_solve_stage *stage, char **scratch)
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
    toi_solve_stage stage = {.pipeline = p, .consume = consume, .context = context, .t_max = t_max};
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
    toi_solve_stage stages[TOI_PAIR_KINDS]; // which have the same workers
    const toi_left_pairs *left;
} left_job;

// The queries of one kind among a few go to the worker; returns how many.
static int64_t gather_left(const left_job *job, toi_kind kind, int64_t first, int64_t end,
                           toi_solve_worker *w, toi_pair *pairs)
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
    toi_solve_worker *w = &job->stages[0].scratch[worker];
    int64_t first = piece * LEFT_PIECE, end = first + LEFT_PIECE;
    toi_status status = TOI_OK;
    if (end > job->left->count)
        end = job->left->count;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        const toi_solve_stage *stage = &job->stages[kind];
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
    toi_solve_stage stage = {.pipeline = p, .consume = consume, .context = context, .t_max = t_max};
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
    int64_t a_worker = (int64_t)sizeof(toi_solve_worker) + toi_narrow_scratch_bytes(def->method) +
                       toi_narrow_heap_bytes(def->method);
    return vertices + bounds + workers * (a_worker + 512); // and what it has found
}
