// Filters of the streamed candidates: bounds, directions and searches, each of which may be left
// out.

#include "ccd/solve_stage.h"

#include "base/simd.h"
#include "ccd/corners.h"
#include "kernel/bounds.h"
#include "mesh/mesh.h"
#include "narrow/apart.h"

#include <math.h>
#include <string.h>

enum
{
    LONGEST_REST = 256,    // blocks without a filter
    CANDIDATES_A_BOUND = 2 // from how many candidates a primitive on bounds pay
};

toi_search_near_fn toi_search_near_baseline, toi_search_near_avx2, toi_search_near_avx512;
toi_cull_near_fn toi_cull_near_baseline, toi_cull_near_avx2, toi_cull_near_avx512;
toi_cull_near_fn toi_cull_start_baseline, toi_cull_start_avx2, toi_cull_start_avx512;
toi_cull_pairs_fn toi_cull_pairs_baseline, toi_cull_pairs_avx2, toi_cull_pairs_avx512;
toi_fill_bounds_fn toi_fill_bounds_baseline, toi_fill_bounds_avx2, toi_fill_bounds_avx512;

// How many primitives of the first and of the second sort take part; edges are both.
typedef struct primitive_counts
{
    int64_t first, second;
} primitive_counts;

static primitive_counts count_primitives(const toi_solve_stage *stage)
{
    const toi_mesh *mesh = &stage->pipeline->mesh;
    return stage->kind == TOI_EDGE_EDGE ? (primitive_counts){0, mesh->edges.count}
                                        : (primitive_counts){mesh->start.count, mesh->faces.count};
}

// Where pairs come from bounding volumes, most that bounds would part are apart already; and the
// worker that made them would keep the others waiting at the end.
bool toi_may_have_bounds(const toi_solve_stage *stage)
{
    const toi_track_source *source = stage->pipeline->source;
    return toi_is_culled(stage->kind) && !(source && !source->places);
}

toi_end_boxes *toi_take_bounds(const toi_solve_stage *stage)
{
    primitive_counts n = count_primitives(stage);
    return toi_take(stage->pipeline->budget, n.first + n.second, sizeof(toi_end_boxes));
}

static void make_bounds(toi_solve_stage *stage, const toi_cull_source *source)
{
    static toi_fill_bounds_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_fill_bounds);
    toi_fill_bounds_fn *fill = kernels[toi_simd_level()];
    bool edges = stage->kind == TOI_EDGE_EDGE;
    if (!stage->room)
        stage->room = toi_take_bounds(stage);
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
static void make_bounds_when_worth(toi_solve_stage *stage, const toi_cull_source *source,
                                   int64_t count)
{
    primitive_counts n = count_primitives(stage);
    int64_t limit = CANDIDATES_A_BOUND * (n.first + n.second), before = stage->seen;
    if (before > limit || !toi_may_have_bounds(stage))
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

// From places to the numbers of the mesh. Of two edges the lower comes first; where they change
// places they take the features that are closest along. Which do follows no pattern, so that a
// branch would be guessed wrong.
static void number_places(const toi_mesh_order *order, toi_kind kind, toi_pair *pairs,
                          int64_t count, toi_searched *searched)
{
    static const uint8_t features[2][TOI_FEATURES] = {{0, 1, 2, 3, 4, 5, 6, 7, 8},
                                                      {0, 2, 1, 3, 5, 4, 7, 6, 8}};
    const int32_t *first = order->trees[0]->ids, *second = order->trees[1]->ids;
    if (!toi_kind_is_alike(kind)) {
        for (int64_t i = 0; i < count; ++i)
            pairs[i] = (toi_pair){first[pairs[i].a], second[pairs[i].b]};
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        int32_t a = first[pairs[i].a], b = second[pairs[i].b];
        const uint8_t *feature = features[b < a];
        pairs[i].a = a < b ? a : b;
        pairs[i].b = a < b ? b : a;
        if (searched) {
            searched[i].feature = feature[searched[i].feature];
            searched[i].start_feature = feature[searched[i].start_feature];
        }
    }
}

static bool is_due(toi_filter_rest *rest)
{
    rest->blocks -= rest->blocks > 0;
    return rest->blocks == 0;
}

static void judge_filter(toi_filter_rest *rest, int64_t tried, int64_t left)
{
    if (4 * (tried - left) >= tried)
        rest->last = 0;
    else if (rest->last < LONGEST_REST)
        rest->last = rest->last > 0 ? 2 * rest->last : 16;
    rest->blocks = rest->last;
}

// Positions in single precision, of pairs by place.
static toi_near_source near_source(const toi_solve_stage *stage)
{
    const toi_pipeline *p = stage->pipeline;
    const toi_mesh_order *order = &p->order;
    double until = toi_search_end(stage);
    if (order->until < 1 && !(order->reach > 0)) // rows end there
        until = fmin(until / order->until * (1 + 0x1p-50), 1);
    return (toi_near_source){.rows = (const float(*)[8])order->moving,
                             .error = order->error,
                             .labels = {order->trees[0]->labels, order->trees[1]->labels},
                             .kind = stage->kind,
                             .t_max = until,
                             .euclidean = toi_has_separation(p),
                             .separation = p->def->narrow.min_separation * order->scale,
                             .relative = toi_filter_share(p->policy.relative_separation),
                             .reach = order->reach,
                             .grain = order->grain};
}

int64_t toi_search_places(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
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

// A filter over some pairs, which sets some of them aside if it may.
typedef int64_t filter_fn(toi_solve_stage *stage, toi_pair *pairs, int64_t count,
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

static int64_t cull(toi_solve_stage *stage, toi_pair *pairs, int64_t count,
                    toi_inside_pairs *inside)
{
    static toi_cull_pairs_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_cull_pairs);
    const toi_pipeline *p = stage->pipeline;
    toi_cull_source source = {.mesh = &p->mesh,
                              .trajectories = p->trajectories,
                              .kind = stage->kind,
                              .alike = !toi_is_exact(&p->def->narrow),
                              .euclidean = toi_has_separation(p) && toi_is_exact(&p->def->narrow),
                              .off = point_error(p),
                              .separation = p->def->narrow.min_separation,
                              .relative = toi_filter_share(p->policy.relative_separation),
                              .t_max = 1,
                              .inside = inside};
    if (!source.alike)
        source.t_max = toi_search_end(stage);
    make_bounds_when_worth(stage, &source, count);
    source.b = stage->bounds[1];
    source.a = stage->bounds[0];
    return kernels[toi_simd_level()](&source, pairs, count);
}

// Of pairs by place. Where positions may have been cut off two that are far apart may look near:
// then none is set aside.
static int64_t cull_single(toi_solve_stage *stage, toi_pair *pairs, int64_t count,
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
static int64_t name_pairs(const toi_solve_stage *stage, toi_pair *pairs, int64_t count)
{
    const toi_pipeline *p = stage->pipeline;
    number_places(&p->order, stage->kind, pairs, count, NULL);
    return is_filtered(p) ? toi_keep_allowed(p, stage->kind, pairs, count) : count;
}

// Runs a filter over a block; what it sets aside, by place if `numbered` is not set, is solved.
static toi_status filter_block(toi_solve_stage *stage, toi_solve_worker *w, filter_fn *filter,
                               bool numbered, toi_pair *pairs, int64_t *count, int worker)
{
    const toi_pipeline *p = stage->pipeline;
    bool aside = toi_has_separation(p) && !(p->policy.relative_separation > 0);
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
        status = toi_solve_inside(stage, w, worker);
    }
    *count = kept;
    return status;
}

// Of pairs by place those that may touch, by number. Either filter alone would do; the first is
// quicker and, far from the origin, coarser.
static toi_status keep_near(toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                            int64_t *count, int worker)
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
    w->by_place = single && !wide && !is_filtered(p) && toi_has_separation(p) &&
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

toi_status toi_filter_pairs(toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                            int64_t *count, int worker)
{
    w->by_place = false;
    if (stage->near)
        return keep_near(stage, w, pairs, count, worker);
    return toi_is_culled(stage->kind) ? filter_block(stage, w, cull, true, pairs, count, worker)
                                      : TOI_OK;
}
