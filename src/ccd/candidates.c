// Candidates: swept boxes, a broad phase over them, and the filter of pairs that must not be
// tested.

#include "ccd/pipeline.h"

#include "base/fp_mode.h"
#include "ccd/corners.h"
#include "device/device.h"
#include "mesh/mesh.h"

#include <inttypes.h>
#include <math.h>

typedef struct stream
{
    toi_pipeline *pipeline;
    toi_kind kind;
    toi_receiver to;
} stream;

static inline bool share_a_vertex(const int32_t corners[4], int first)
{
    bool shared = false;
    for (int i = 0; i < first; ++i)
        for (int j = first; j < 4; ++j)
            shared |= corners[i] == corners[j];
    return shared;
}

// Is there a vertex of the one and a vertex of the other that may collide?
static inline bool groups_allow(const int32_t *groups, const int32_t corners[4], int first)
{
    bool allowed = false;
    for (int i = 0; i < first; ++i)
        for (int j = first; j < 4; ++j) {
            int32_t a = groups[corners[i]], b = groups[corners[j]];
            allowed |= (a < 0) | (a != b);
        }
    return allowed;
}

// The same where the caller's rule has a say. It is only asked about pairs that the groups allow.
static bool rule_allows(const toi_filter *filter, const int32_t corners[4], int first)
{
    const int32_t *groups = filter->groups;
    for (int i = 0; i < first; ++i)
        for (int j = first; j < 4; ++j) {
            int32_t a = corners[i], b = corners[j];
            if (groups && groups[a] >= 0 && groups[a] == groups[b])
                continue;
            if (filter->may_collide(filter->context, a, b))
                return true;
        }
    return false;
}

static inline bool is_allowed(const toi_pipeline *p, toi_kind kind, toi_pair pair)
{
    const toi_filter *filter = &p->scene->topology.filter;
    int first = toi_first_corners(kind == TOI_EDGE_EDGE);
    int32_t corners[4];
    toi_pair_corners(&p->mesh, kind, pair, corners);
    if (share_a_vertex(corners, first))
        return false;
    if (filter->may_collide)
        return rule_allows(filter, corners, first);
    return !filter->groups || groups_allow(filter->groups, corners, first);
}

bool toi_is_allowed(const toi_pipeline *p, toi_kind kind, toi_pair pair)
{
    return is_allowed(p, kind, pair);
}

static inline int64_t keep_allowed(const toi_pipeline *p, toi_kind kind, toi_pair *pairs,
                                   int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += is_allowed(p, kind, pair);
    }
    return kept;
}

// The kind is known to the compiler where there are many pairs.
int64_t toi_keep_allowed(const toi_pipeline *p, toi_kind kind, toi_pair *pairs, int64_t count)
{
    return kind == TOI_VERTEX_FACE ? keep_allowed(p, TOI_VERTEX_FACE, pairs, count)
           : kind == TOI_EDGE_EDGE ? keep_allowed(p, TOI_EDGE_EDGE, pairs, count)
                                   : keep_allowed(p, kind, pairs, count);
}

// From places in the lists of loose parts to the numbers of the mesh. Both go upwards, so lower
// ones stay first.
static void number_loose(const toi_pipeline *p, toi_kind kind, toi_pair *pairs, int64_t count)
{
    const toi_loose_parts *loose = &p->scene->topology.loose;
    const int32_t *seconds = kind == TOI_POINT_EDGE ? loose->edges : loose->vertices;
    for (int64_t i = 0; i < count; ++i)
        pairs[i] = (toi_pair){loose->vertices[pairs[i].a], seconds[pairs[i].b]};
}

static toi_status filter_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                               int worker)
{
    const stream *s = context;
    if (s->kind >= TOI_PAIR_KINDS)
        number_loose(s->pipeline, s->kind, pairs, count);
    count = toi_keep_allowed(s->pipeline, s->kind, pairs, count);
    return count > 0 ? s->to.emit(s->to.context, pairs, count, task, worker) : TOI_OK;
}

static toi_status end_stream_task(void *context, int64_t task, int worker)
{
    const stream *s = context;
    return s->to.end_task ? s->to.end_task(s->to.context, task, worker) : TOI_OK;
}

static toi_status stream_room(void *context, int64_t count, int worker, toi_room *room)
{
    const stream *s = context;
    return s->to.room(s->to.context, count, worker, room);
}

// Primitives whose boxes are searched: those of a list, or all of their sort.
typedef struct boxed_parts
{
    const toi_pipeline *pipeline;
    toi_primitive primitive;
    const int32_t *ids; // or NULL: all
    int64_t count;
    toi_box *boxes;
} boxed_parts;

static toi_status fill_boxes(void *context, int64_t first, int64_t end)
{
    const boxed_parts *list = context;
    const toi_ccd_def *def = list->pipeline->def;
    double radius = toi_separation_radius(def->narrow.min_separation);
    for (int64_t i = first; i < end; ++i) {
        int64_t id = list->ids ? list->ids[i] : i;
        toi_swept_box(&list->pipeline->mesh, list->primitive, id, radius, &list->boxes[i]);
        if (def->float_boxes)
            toi_widen_to_floats(&list->boxes[i]);
    }
    return TOI_OK;
}

static toi_status take_boxes(toi_pipeline *p, boxed_parts *list, toi_box_view *view)
{
    list->boxes = toi_take(p->budget, list->count, sizeof *list->boxes);
    if (!list->boxes)
        return toi_allocation_status();
    *view = (toi_box_view){list->boxes, list->count};
    return toi_parallel_ranges(p->workers, list->count, TOI_PIECE, fill_boxes, list);
}

static boxed_parts list_primitives(const toi_pipeline *p, toi_kind kind, toi_primitive primitive)
{
    const toi_loose_parts *loose = &p->scene->topology.loose;
    if (kind < TOI_PAIR_KINDS)
        return (boxed_parts){p, primitive, NULL, toi_primitive_count(&p->mesh, primitive), NULL};
    return primitive == TOI_EDGE
               ? (boxed_parts){p, primitive, loose->edges, loose->edge_count, NULL}
               : (boxed_parts){p, primitive, loose->vertices, loose->vertex_count, NULL};
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// The paper's cells for hashing: twice the larger of the mean edge and the mean displacement, so
// that most elements fit; 0 where the mesh does not tell.
static double cell_size(const toi_mesh *mesh)
{
    double edges = 0, moves = 0, a[3], b[3];
    for (int64_t i = 0; i < mesh->edges.count; ++i) {
        toi_load_point(&mesh->start, toi_edge_at(&mesh->edges, i)[0], a);
        toi_load_point(&mesh->start, toi_edge_at(&mesh->edges, i)[1], b);
        edges += distance(a, b) / (double)mesh->edges.count;
    }
    for (int64_t i = 0; i < mesh->start.count; ++i) {
        toi_load_point(&mesh->start, i, a);
        toi_load_point(&mesh->end, i, b);
        moves += distance(a, b) / (double)mesh->start.count;
    }
    double size = 2 * (edges > moves ? edges : moves);
    return isfinite(size) ? size : 0;
}

// Methods number both lists as one.
static toi_status check_total(toi_kind kind, const toi_broad_job *job)
{
    if (job->a.count + job->b.count <= INT32_MAX)
        return TOI_OK;
    if (kind == TOI_POINT_EDGE)
        return toi_fail(TOI_ERROR_LIMIT,
                        "%" PRId64 " loose vertices and %" PRId64 " loose edges: at most %d in all "
                        "are possible",
                        job->a.count, job->b.count, INT32_MAX);
    return toi_fail(TOI_ERROR_LIMIT,
                    "%" PRId64 " vertices and %" PRId64 " faces: at most %d in all are "
                    "possible with this broad phase; use lbvh or auto",
                    job->a.count, job->b.count, INT32_MAX);
}

// Any method, over lists of boxes.
static toi_status search_boxes(toi_pipeline *p, toi_kind kind, toi_broad_job *job)
{
    boxed_parts a = list_primitives(p, kind, toi_first_primitive(kind));
    boxed_parts b = list_primitives(p, kind, toi_second_primitive(kind));
    double started = toi_clock();
    toi_status status = take_boxes(p, &a, &job->a);
    if (status == TOI_OK && !job->self)
        status = take_boxes(p, &b, &job->b);
    if (status == TOI_OK)
        status = check_total(kind, job);
    if (toi_broad_traits(p->def->broad.method) & TOI_BROAD_TRAIT_CELL_SIZE)
        job->cell = cell_size(&p->mesh);
    double boxed = toi_clock();
    p->report.seconds_prepare += boxed - started;
    if (status == TOI_OK)
        status = toi_search(p->def->broad.method, job);
    p->report.seconds_broad += toi_clock() - boxed;
    toi_give_back(b.boxes);
    toi_give_back(a.boxes);
    return status;
}

// A method that searches the mesh itself.
static toi_status search_mesh(toi_pipeline *p, const toi_broad_job *job, bool moving,
                              toi_horizon_fn *horizon)
{
    double started = toi_clock();
    toi_mesh_boxes boxes = {.mesh = &p->mesh,
                            .min_separation = p->def->narrow.min_separation,
                            .widen = p->def->float_boxes,
                            .moving = moving,
                            .relative = moving ? p->policy.relative_separation : 0,
                            .roomy = moving && p->roomy,
                            .horizon = horizon,
                            .horizon_context = job->to.context};
    toi_status status = toi_search_mesh(p->def->broad.method, &boxes, &p->order, job);
    p->report.seconds_broad += toi_clock() - started;
    return status;
}

// Which pairs there are to be searched for at all.
static bool has_pairs(const toi_loose_parts *loose, toi_kind kind)
{
    return kind < TOI_PAIR_KINDS || (kind == TOI_POINT_EDGE && loose->edge_count > 0) ||
           (kind == TOI_POINT_POINT && loose->vertex_count > 1);
}

static void share_progress(toi_pipeline *p, toi_kind kind)
{
    bool loose = p->def->given || p->scene->topology.loose.vertex_count > 0;
    int kinds = loose ? TOI_KIND_COUNT : TOI_PAIR_KINDS;
    p->meter.base = (double)kind / kinds;
    p->meter.share = 1.0 / kinds;
    p->meter.done = 0;
}

static toi_receiver through_filter(stream *s)
{
    toi_room_fn *room = s->to.room ? stream_room : NULL;
    return (toi_receiver){s, filter_block, room, end_stream_task};
}

// A device knows the groups, but not the caller's rule.
static toi_status stream_on_device(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    stream s = {p, kind, to};
    bool rule = p->scene->topology.filter.may_collide;
    return toi_stream_on_device(p, kind, rule ? through_filter(&s) : to);
}

toi_status toi_stream_kind(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    share_progress(p, kind);
    if (p->def->given)
        return toi_stream_given(p, kind, to);
    if (!has_pairs(&p->scene->topology.loose, kind))
        return TOI_OK;
    if (p->source && kind < TOI_PAIR_KINDS)
        return p->source->stream(p, kind, to);
    if (p->def->device && kind < TOI_PAIR_KINDS)
        return stream_on_device(p, kind, to);
    stream s = {p, kind, to};
    bool by_mesh =
        kind < TOI_PAIR_KINDS && toi_broad_traits(p->def->broad.method) & TOI_BROAD_TRAIT_MESH;
    const toi_filter *filter = &p->scene->topology.filter;
    bool filtered = !by_mesh || filter->groups || filter->may_collide;
    toi_broad_job job = {.self = toi_kind_is_alike(kind),
                         .workers = p->workers,
                         .budget = p->budget,
                         .meter = &p->meter,
                         .to = filtered ? through_filter(&s) : to};
    if (p->kept)
        job.slot = &p->kept[by_mesh ? TOI_KEPT_ORDER : (int)kind];
    return by_mesh ? search_mesh(p, &job, false, NULL) : search_boxes(p, kind, &job);
}

bool toi_may_stream_near(const toi_pipeline *p, toi_kind kind)
{
    const toi_ccd_def *def = p->def;
    bool relative = p->policy.relative_separation > 0; // sources know no margins
    return !(p->source && (!p->source->places || relative)) && kind < TOI_PAIR_KINDS &&
           toi_broad_traits(def->broad.method) & TOI_BROAD_TRAIT_MESH && !def->given &&
           !def->float_boxes && !def->count_candidates && !(p->inside_share > 0) &&
           (!(def->narrow.min_separation > 0 || relative) || toi_is_exact(&def->narrow));
}

toi_status toi_stream_near(toi_pipeline *p, toi_kind kind, toi_receiver to, toi_horizon_fn *horizon)
{
    share_progress(p, kind);
    if (p->source)
        return p->source->stream(p, kind, to);
    toi_broad_job job = {.self = toi_kind_is_alike(kind),
                         .workers = p->workers,
                         .budget = p->budget,
                         .meter = &p->meter,
                         .to = to};
    if (p->kept)
        job.slot = &p->kept[TOI_KEPT_ORDER];
    return search_mesh(p, &job, true, horizon);
}

// Candidates that go to lists: of the kinds from `first` on.
typedef struct listing
{
    toi_pipeline pipeline;
    int first;
    double seconds_prepare;
    bool in_order[TOI_KIND_COUNT]; // by list
} listing;

static toi_status search_kind(void *context, int list, toi_receiver to)
{
    listing *l = context;
    if (list == 0) { // the times are those of the last search, should it be made again
        l->pipeline.report.seconds_prepare = l->seconds_prepare;
        l->pipeline.report.seconds_broad = 0;
    }
    toi_pipeline *p = &l->pipeline;
    toi_kind kind = (toi_kind)(l->first + list);
    int workers = p->workers;
    toi_status status = TOI_OK;
    p->in_order = false;
    if (p->def->device && kind >= TOI_PAIR_KINDS) {
        status = toi_check_loose_step(p, has_pairs(&p->scene->topology.loose, kind));
        p->workers = 1; // as the list has
    }
    if (status == TOI_OK)
        status = toi_stream_kind(p, kind, to);
    p->workers = workers;
    l->in_order[list] = p->in_order;
    return status;
}

static void forget(void *context)
{
    toi_pipeline *p = &((listing *)context)->pipeline;
    toi_free_mesh_order(&p->order);
    toi_forget_kept(p->scene);
    p->kept = NULL;
    p->on_device = false;
}

// A list that is to be filled is emptied first: it cannot be what the call is asked about.
static toi_status check_lists(const toi_ccd_def *def, int count, const toi_pair_array *lists)
{
    for (int i = 0; def->given && i < count; ++i)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            if (&lists[i] == &def->given[kind] ||
                (lists[i].data && lists[i].data == def->given[kind].data))
                return toi_fail(TOI_ERROR_ARGUMENT, "a list of given pairs is also to be filled "
                                                    "with what is found; use another");
    return TOI_OK;
}

// The kinds from `first` to `last`, each into its own list.
static toi_status find_candidates(const toi_ccd_def *def, toi_step step, int first, int last,
                                  toi_pair_array *lists, toi_ccd_report *report)
{
    listing l = {.first = first};
    toi_pipeline *p = &l.pipeline;
    int count = last - first + 1;
    toi_status status = toi_pipeline_begin(p, def, step, (toi_purpose){.list = TOI_PAIR_BYTES});
    if (status == TOI_OK)
        status = check_lists(def, count, lists);
    toi_begin_lists(p->budget, count, lists);
    if (status == TOI_OK)
        status = toi_prepare_step(p);
    l.seconds_prepare = p->report.seconds_prepare;
    int workers = def && def->device ? 1 : p->workers; // that hand pairs on
    toi_list_job job = {count, search_kind, forget, &l, workers, p->budget, &p->meter};
    if (status == TOI_OK)
        status = toi_make_lists(&job, lists);
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        p->report.candidates[first + i] = p->report.tested[first + i] = lists[i].count;
        if (def->broad.order == TOI_ORDER_CANONICAL && !l.in_order[i])
            toi_sort_list(lists[i].data, lists[i].count, p->workers, p->budget);
    }
    toi_end_lists(status, count, lists);
    return toi_pipeline_end(p, status, report);
}

static toi_status check_kind(toi_kind kind, toi_ccd_report *report)
{
    if ((unsigned)kind < TOI_KIND_COUNT)
        return TOI_OK;
    if (report)
        *report = (toi_ccd_report){.earliest.time = INFINITY};
    return toi_fail(TOI_ERROR_ARGUMENT, "there is no pair kind number %d", (int)kind);
}

static toi_status find_kind(const toi_ccd_def *def, toi_step step, toi_kind kind,
                            toi_pair_array *pairs, toi_ccd_report *report)
{
    toi_status status = check_kind(kind, report);
    if (status == TOI_OK)
        return find_candidates(def, step, kind, kind, pairs, report);
    pairs->count = 0;
    return status;
}

typedef struct candidate_sink
{
    toi_pair_sink_fn *sink;
    void *context;
    _Atomic int64_t count;
} candidate_sink;

static toi_status emit_to_sink(void *context, toi_pair *pairs, int64_t count, int64_t task,
                               int worker)
{
    (void)task;
    candidate_sink *to = context;
    to->count += count;
    return to->sink(to->context, pairs, count, worker);
}

static toi_status stream_candidates(const toi_ccd_def *def, toi_step step, toi_kind kind,
                                    candidate_sink *to, toi_ccd_report *report)
{
    toi_pipeline p;
    toi_status status = check_kind(kind, report);
    if (status != TOI_OK)
        return status;
    status = toi_pipeline_begin(&p, def, step, (toi_purpose){0});
    if (status == TOI_OK)
        status = toi_prepare_step(&p);
    if (status == TOI_OK && def->device && kind >= TOI_PAIR_KINDS)
        status = toi_check_loose_step(&p, has_pairs(&p.scene->topology.loose, kind));
    if (status == TOI_OK)
        status = toi_stream_kind(&p, kind, (toi_receiver){.context = to, .emit = emit_to_sink});
    p.report.candidates[kind] = p.report.tested[kind] = to->count;
    return toi_pipeline_end(&p, status, report);
}

// ---- Of a mesh, and of a scene

toi_status toi_find_candidates(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind,
                               toi_pair_array *pairs, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_kind(def, toi_mesh_step(mesh), kind, pairs, report);
}

toi_status toi_scene_find_candidates(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                     toi_point_view end, toi_kind kind, toi_pair_array *pairs,
                                     toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_kind(def, toi_device_step(def, scene, start, end), kind, pairs, report);
}

toi_status toi_find_all_candidates(const toi_ccd_def *def, const toi_mesh *mesh,
                                   toi_pair_array *lists, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_candidates(def, toi_mesh_step(mesh), 0, TOI_KIND_COUNT - 1, lists, report);
}

toi_status toi_scene_find_all_candidates(toi_scene *scene, const toi_ccd_def *def,
                                         toi_point_view start, toi_point_view end,
                                         toi_pair_array *lists, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    toi_step step = toi_device_step(def, scene, start, end);
    return find_candidates(def, step, 0, TOI_KIND_COUNT - 1, lists, report);
}

toi_status toi_stream_candidates(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind,
                                 toi_pair_sink_fn *sink, void *context, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    candidate_sink to = {.sink = sink, .context = context};
    return stream_candidates(def, toi_mesh_step(mesh), kind, &to, report);
}

toi_status toi_scene_stream_candidates(toi_scene *scene, const toi_ccd_def *def,
                                       toi_point_view start, toi_point_view end, toi_kind kind,
                                       toi_pair_sink_fn *sink, void *context,
                                       toi_ccd_report *report)
{
    TOI_GUARD_FP;
    candidate_sink to = {.sink = sink, .context = context};
    return stream_candidates(def, toi_device_step(def, scene, start, end), kind, &to, report);
}
