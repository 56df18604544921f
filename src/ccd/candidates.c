// Candidates: swept boxes, a broad phase over them, and the filter of pairs that must not be
// tested.

#include "ccd/pipeline.h"

#include "mesh/mesh.h"

typedef struct stream
{
    toi_pipeline *pipeline;
    toi_kind kind;
    toi_emit *emit;
    toi_status (*end_task)(void *context, int64_t task, int worker);
    void *context;
} stream;

static bool may_collide(const toi_filter *filter, int32_t a, int32_t b)
{
    if (filter->groups && filter->groups[a] >= 0 && filter->groups[a] == filter->groups[b])
        return false;
    return !filter->may_collide || filter->may_collide(filter->context, a, b);
}

static bool any_may_collide(const toi_filter *filter, const int32_t *a, int na, const int32_t *b,
                            int nb)
{
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j)
            if (may_collide(filter, a[i], b[j]))
                return true;
    return false;
}

// Keeps the pairs that share no vertex and that the caller's filter allows.
static toi_status filter_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                               int worker)
{
    const stream *s = context;
    const toi_mesh *mesh = &s->pipeline->mesh;
    const toi_filter *filter = &s->pipeline->def->filter;
    bool open = !filter->groups && !filter->may_collide;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = pairs[i];
        const int32_t *a, *b;
        int na, nb;
        bool shared;
        if (s->kind == TOI_VERTEX_FACE) {
            a = &pair.a;
            b = toi_face_at(&mesh->faces, pair.b);
            na = 1, nb = 3;
            shared = (a[0] == b[0]) | (a[0] == b[1]) | (a[0] == b[2]);
        } else {
            a = toi_edge_at(&mesh->edges, pair.a);
            b = toi_edge_at(&mesh->edges, pair.b);
            na = 2, nb = 2;
            shared = (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
        }
        pairs[kept] = pair;
        kept += !shared && (open || any_may_collide(filter, a, na, b, nb));
    }
    return kept > 0 ? s->emit(s->context, pairs, kept, task, worker) : TOI_OK;
}

static toi_status end_stream_task(void *context, int64_t task, int worker)
{
    const stream *s = context;
    return s->end_task ? s->end_task(s->context, task, worker) : TOI_OK;
}

static int64_t primitive_count(const toi_mesh *mesh, toi_primitive primitive)
{
    return primitive == TOI_VERTEX ? mesh->start.count
           : primitive == TOI_EDGE ? mesh->edges.count
                                   : mesh->faces.count;
}

// Replaces boxes by the doubles of their outward-rounded float boxes.
static void widen_to_floats(toi_box *boxes, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        toi_box_float rounded;
        toi_round_boxes((toi_box_view){&boxes[i], 1}, &rounded);
        for (int k = 0; k < 3; ++k) {
            boxes[i].lo[k] = (double)rounded.lo[k];
            boxes[i].hi[k] = (double)rounded.hi[k];
        }
    }
}

static toi_status take_boxes(toi_pipeline *p, toi_primitive primitive, toi_box **boxes,
                             toi_box_view *view)
{
    int64_t count = primitive_count(&p->mesh, primitive);
    *boxes = toi_take(&p->budget, count, sizeof **boxes);
    if (!*boxes)
        return toi_allocation_status();
    *view = (toi_box_view){*boxes, count};
    toi_status status =
        toi_make_boxes(&p->mesh, primitive, p->def->narrow.min_separation, p->workers, *boxes);
    if (status == TOI_OK && p->def->float_boxes)
        widen_to_floats(*boxes, count);
    return status;
}

toi_status toi_stream_candidates(toi_pipeline *p, toi_kind kind, toi_emit *emit,
                                 toi_status (*end_task)(void *, int64_t, int), void *context)
{
    stream s = {p, kind, emit, end_task, context};
    toi_box *a = NULL, *b = NULL;
    toi_broad_job job = {.self = kind == TOI_EDGE_EDGE,
                         .workers = p->workers,
                         .budget = &p->budget,
                         .meter = &p->meter,
                         .emit = filter_block,
                         .context = &s,
                         .end_task = end_stream_task};
    double started = toi_clock();
    toi_status status = take_boxes(p, job.self ? TOI_EDGE : TOI_VERTEX, &a, &job.a);
    if (status == TOI_OK && !job.self)
        status = take_boxes(p, TOI_FACE, &b, &job.b);
    double boxed = toi_clock();
    p->meter.base = kind == TOI_VERTEX_FACE ? 0 : 0.5;
    p->meter.share = 0.5;
    p->meter.done = 0;
    if (status == TOI_OK)
        status = toi_search(p->def->broad.method, &job);
    p->report.seconds_boxes += boxed - started;
    p->report.seconds_broad += toi_clock() - boxed;
    toi_give_back(b);
    toi_give_back(a);
    return status;
}

toi_status toi_find_candidates(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind,
                               toi_pair_array *pairs, toi_ccd_report *report)
{
    pairs->count = 0;
    if ((unsigned)kind >= TOI_PAIR_KINDS)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no pair kind number %d", (int)kind);
    toi_pipeline p;
    toi_status status = toi_pipeline_begin(&p, def, mesh);
    if (status == TOI_OK) {
        toi_collector collector;
        status = toi_collector_init(&collector, p.workers, &p.budget, pairs);
        if (status == TOI_OK)
            status = toi_stream_candidates(&p, kind, toi_collect, toi_collect_end, &collector);
        toi_collector_finish(&collector);
    }
    p.report.candidates[kind] = pairs->count;
    bool sort = status == TOI_OK && def->broad.order == TOI_ORDER_CANONICAL;
    status = toi_pipeline_end(&p, status, report);
    if (sort)
        status = toi_sort_pairs(pairs->data, pairs->count, def->workers);
    if (status != TOI_OK)
        pairs->count = 0;
    return status;
}
