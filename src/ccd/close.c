// The questions about one instant: every close pair, the closest pair, safe radii. They differ only
// in how far they look and in what they do with a pair that is close enough.

#include "ccd/pipeline.h"

#include "base/fp_mode.h"
#include "base/simd.h"
#include "ccd/corners.h"
#include "ccd/measure.h"
#include "ccd/records.h"
#include "device/device.h"
#include "kernel/rounding.h"
#include "mesh/mesh.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    BATCH = 256
};

const char *toi_part_name(toi_part part)
{
    static const char *const names[TOI_PART_COUNT] = {"corner0", "corner1", "corner2", "side01",
                                                      "side12",  "side20",  "inside"};
    return (unsigned)part < TOI_PART_COUNT ? names[part] : NULL;
}

void toi_free_close(toi_close_array *close)
{
    if (!close)
        return;
    toi_give_back(close->data);
    *close = (toi_close_array){NULL, 0, 0};
}

// What one worker needs, and what it has found.
typedef struct measure_worker
{
    toi_close_pair found[BATCH];
    double errors[BATCH];
    toi_close_pair closest;
    int64_t candidates, hits;
    double seconds; // spent measuring
    _Alignas(64) char end[64];
} measure_worker;

typedef struct measuring measuring;

// What becomes of the pairs that worker `w` has in w->found.
typedef toi_status consume_fn(measuring *m, measure_worker *w, int64_t count, int worker);

// One call.
struct measuring
{
    toi_pipeline pipeline;
    toi_ccd_def def; // the caller's, with the separation that is searched with
    toi_mesh mesh;   // the caller's, standing still
    toi_standing_vertex *vertices;
    measure_worker *workers;
    consume_fn *consume;
    toi_kind kind;         // that is being searched for
    _Atomic uint64_t most; // bits of the distance beyond which pairs do not matter
    toi_recorder *recorder;
    toi_close_sink_fn *sink;
    void *context;           // of the sink
    _Atomic uint64_t *radii; // bits of each vertex's radius
    double separation;       // that the radii keep
    toi_near_names near;     // from a device: what there is of the first two kinds
};

// ---- Measuring

toi_measure_pairs_fn toi_measure_pairs_baseline, toi_measure_pairs_avx2, toi_measure_pairs_avx512;

static toi_status measure_batch(measuring *m, measure_worker *w, const toi_pair *pairs,
                                int64_t count, int worker)
{
    static toi_measure_pairs_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_measure_pairs);
    double most = toi_bits_time(atomic_load_explicit(&m->most, memory_order_relaxed));
    toi_measure_source source = {&m->pipeline.mesh, m->vertices, m->kind, most};
    toi_measured found = {w->found, m->radii ? w->errors : NULL};
    count = kernels[toi_simd_level()](&source, pairs, count, &found);
    w->hits += count;
    return count > 0 ? m->consume(m, w, count, worker) : TOI_OK;
}

static toi_status measure_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                                int worker)
{
    (void)task;
    measuring *m = context;
    measure_worker *w = &m->workers[worker];
    double started = toi_clock();
    toi_status status = TOI_OK;
    w->candidates += count;
    if (m->def.float_boxes || m->def.device) // boxes in double decide
        count = toi_keep_overlapping(&m->pipeline, m->kind, pairs, count);
    for (int64_t first = 0; first < count && status == TOI_OK; first += BATCH) {
        int64_t n = count - first < BATCH ? count - first : BATCH;
        status = measure_batch(m, w, pairs + first, n, worker);
    }
    w->seconds += toi_clock() - started;
    return status;
}

// Shares the wall time of the fused phases out in proportion to the workers' own clocks.
static void account(measuring *m, double wall)
{
    toi_ccd_report *report = &m->pipeline.report;
    double seconds = 0;
    for (int i = 0; i < m->pipeline.workers; ++i) {
        report->candidates[m->kind] += m->workers[i].candidates;
        report->tested[m->kind] += m->workers[i].candidates;
        report->hits[m->kind] += m->workers[i].hits;
        seconds += m->workers[i].seconds;
    }
    seconds = fmin(seconds / m->pipeline.workers, wall);
    report->seconds_narrow += seconds;
    report->seconds_broad -= seconds;
}

// What a device has found, of this kind.
static toi_status measure_near(void *context, int64_t piece, int worker)
{
    measuring *m = context;
    const toi_near_names *near = &m->near;
    int64_t first = piece * BATCH, rest = near->count - first, count = 0;
    toi_pair pairs[BATCH];
    for (int64_t i = first; i < first + BATCH && i < first + rest; ++i)
        if (near->names[i].kind == (int32_t)m->kind)
            pairs[count++] = (toi_pair){near->names[i].a, near->names[i].b};
    if (m->pipeline.scene->topology.filter.may_collide)
        count = toi_keep_allowed(&m->pipeline, m->kind, pairs, count);
    return measure_block(m, pairs, count, piece, worker);
}

static bool is_on_device(const measuring *m, toi_kind kind)
{
    return m->def.device && kind < TOI_PAIR_KINDS;
}

static toi_status measure_kind(measuring *m, toi_kind kind)
{
    toi_pipeline *p = &m->pipeline;
    m->kind = kind;
    for (int i = 0; i < p->workers; ++i) {
        m->workers[i].candidates = m->workers[i].hits = 0;
        m->workers[i].seconds = 0;
    }
    double before = p->report.seconds_broad;
    toi_receiver to = {.context = m, .emit = measure_block};
    double started = toi_clock();
    toi_status status =
        is_on_device(m, kind)
            ? toi_parallel(p->workers, (m->near.count + BATCH - 1) / BATCH, measure_near, m)
            : toi_stream_kind(p, kind, to);
    if (is_on_device(m, kind))
        p->report.seconds_broad += toi_clock() - started;
    account(m, p->report.seconds_broad - before);
    if (is_on_device(m, kind))
        p->report.candidates[kind] = -1; // nobody has counted them
    return status;
}

// The largest difference of two coordinates.
static double extent_of(const measuring *m)
{
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
        double lo = INFINITY, hi = -INFINITY;
        for (int64_t i = 0; i < m->pipeline.report.vertices; ++i) {
            lo = fmin(lo, m->vertices[i].at[k]);
            hi = fmax(hi, m->vertices[i].at[k]);
        }
        extent = fmax(extent, hi - lo);
    }
    return extent;
}

// With this separation, boxes of all pairs overlap whose computed distance is at most `distance`:
// the true one is larger by at most 2^-43 extents, or by a few of the least doubles.
static double reach_of(double distance, double extent)
{
    return fmin(distance * (1 + 0x1p-50) + (extent * 0x1p-42 + DBL_MIN), DBL_MAX);
}

// A device is asked for more: its boxes and directions are exact, and a distance that comes out at
// the separation may be a little larger.
static toi_status ask_device(measuring *m, double separation)
{
    double started = toi_clock();
    double reach = reach_of(separation, fmin(extent_of(m), DBL_MAX));
    toi_status status = toi_find_near_on_device(&m->pipeline, reach, &m->near);
    m->pipeline.report.seconds_broad += toi_clock() - started;
    return status;
}

// All candidates whose boxes, enlarged for this separation, overlap.
static toi_status measure_within(measuring *m, double separation)
{
    toi_pipeline *p = &m->pipeline;
    toi_status status = TOI_OK;
    m->def.narrow.min_separation = separation;
    toi_free_mesh_order(&p->order); // of boxes for another separation
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        p->report.candidates[kind] = p->report.tested[kind] = p->report.hits[kind] = 0;
    if (m->def.device)
        status = ask_device(m, separation);
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind)
        status = measure_kind(m, (toi_kind)kind);
    return status;
}

// ---- The beginning and the end of a call

static toi_status load_vertices(void *context, int64_t first, int64_t end)
{
    measuring *m = context;
    for (int64_t i = first; i < end; ++i) {
        m->vertices[i] = (toi_standing_vertex){.at = {0}};
        toi_load_point(&m->pipeline.mesh.start, i, m->vertices[i].at);
    }
    return TOI_OK;
}

static toi_status refuse(const char *option)
{
    return toi_fail(TOI_ERROR_ARGUMENT,
                    "%s is not as toi_default_ccd_def() made it, but there is no motion to decide "
                    "about: leave it at its default",
                    option);
}

// What a call would ignore it refuses.
static toi_status check_options(const toi_ccd_def *def)
{
    const toi_narrow_def *narrow = &def->narrow, usual = toi_default_narrow_def();
    if (narrow->method != usual.method)
        return refuse("narrow.method");
    if (narrow->tolerance != usual.tolerance)
        return refuse("narrow.tolerance");
    if (narrow->t_max != usual.t_max)
        return refuse("narrow.t_max");
    if (narrow->max_iterations != usual.max_iterations)
        return refuse("narrow.max_iterations");
    if (narrow->no_zero_time != usual.no_zero_time)
        return refuse("narrow.no_zero_time");
    if (narrow->all_roots != usual.all_roots)
        return refuse("narrow.all_roots");
    if (def->zero_time.relative_separation != 0 || def->zero_time.rescale != 0)
        return refuse("zero_time");
    return TOI_OK;
}

// Two instants that are the same. `close`: the list that pairs go to, or NULL.
static toi_status begin(measuring *m, const toi_ccd_def *def, toi_step step, toi_close_array *close)
{
    _Static_assert(sizeof(toi_close_pair) == 40, "the message says so");
    *m = (measuring){.most = toi_time_bits(INFINITY)};
    if (def)
        m->def = *def;
    if (step.stateless && step.mesh) {
        m->mesh = *step.mesh;
        m->mesh.end = m->mesh.start;
        step.mesh = &m->mesh;
    }
    toi_purpose purpose = {.measure = true, .list = close ? "40 bytes for every pair" : NULL};
    toi_status status = toi_pipeline_begin(&m->pipeline, def ? &m->def : NULL, step, purpose);
    if (close && !toi_reuse(m->pipeline.budget, close->data))
        toi_free_close(close);
    if (status == TOI_OK)
        status = check_options(def);
    return status;
}

static toi_status prepare(measuring *m)
{
    toi_pipeline *p = &m->pipeline;
    toi_status status = toi_prepare_step(p);
    if (status == TOI_OK)
        status = toi_need_host_positions(p, "distances");
    if (status != TOI_OK)
        return status;
    int64_t count = p->mesh.start.count;
    m->workers = toi_take(p->budget, p->workers, sizeof *m->workers);
    m->vertices = m->workers ? toi_take(p->budget, count, sizeof *m->vertices) : NULL;
    if (!m->vertices)
        return toi_allocation_status();
    for (int i = 0; i < p->workers; ++i)
        m->workers[i].closest = (toi_close_pair){.a = -1, .b = -1, .distance = INFINITY};
    return toi_parallel_ranges(p->workers, count, TOI_PIECE, load_vertices, m);
}

static toi_status end(measuring *m, toi_status status, toi_ccd_report *report)
{
    toi_give_back((void *)m->radii);
    toi_give_back(m->vertices);
    toi_give_back(m->workers);
    return toi_pipeline_end(&m->pipeline, status, report);
}

int64_t toi_measure_need(const toi_mesh_counts *counts, int workers)
{
    return counts->vertices * (int64_t)(sizeof(toi_standing_vertex) + sizeof(double)) +
           workers * (int64_t)(sizeof(measure_worker) + sizeof(toi_worker_records));
}

static toi_status check_length(const char *name, double length)
{
    if (length >= 0 && length <= DBL_MAX)
        return TOI_OK;
    return toi_fail(TOI_ERROR_ARGUMENT, "%s is %g; use a finite number >= 0", name, length);
}

// ---- Every close pair

// Checks what lists and streams have in common.
static toi_status begin_close(measuring *m, const toi_ccd_def *def, toi_step step, double radius,
                              toi_close_array *close)
{
    toi_status status = begin(m, def, step, close);
    if (status == TOI_OK && def->narrow.min_separation != 0)
        status = refuse("narrow.min_separation");
    if (status == TOI_OK)
        status = check_length("radius", radius);
    if (status == TOI_OK)
        status = prepare(m);
    m->most = toi_time_bits(radius + 0.0); // minus zero has other bits
    return status;
}

static toi_status measure_all(void *context)
{
    measuring *m = context;
    return measure_within(m, toi_bits_time(m->most));
}

static toi_status record(measuring *m, measure_worker *w, int64_t count, int worker)
{
    return toi_keep_records(m->recorder, w->found, count, worker);
}

static toi_status refuse_null(const char *what, toi_ccd_report *report)
{
    if (report)
        *report = (toi_ccd_report){.earliest.time = INFINITY, .first_inside.kind = TOI_KIND_COUNT};
    return toi_fail(TOI_ERROR_ARGUMENT, "%s is NULL", what);
}

static toi_status find_close(const toi_ccd_def *def, toi_step step, double radius,
                             toi_close_array *close, toi_ccd_report *report)
{
    if (!close)
        return refuse_null("the list of close pairs", report);
    close->count = 0;
    measuring m;
    toi_status status = begin_close(&m, def, step, radius, close);
    toi_record_array list = {close->data, 0, close->capacity};
    toi_recorder recorder = {.budget = m.pipeline.budget,
                             .workers = m.pipeline.workers,
                             .size = sizeof *close->data,
                             .find = measure_all,
                             .context = &m};
    m.recorder = &recorder;
    m.consume = record;
    if (status == TOI_OK)
        status = toi_make_record_list(&recorder, &list);
    else
        toi_detach(list.data);
    *close = (toi_close_array){list.data, list.count, list.capacity};
    return end(&m, status, report);
}

static toi_status pass_on(measuring *m, measure_worker *w, int64_t count, int worker)
{
    return m->sink(m->context, w->found, count, worker);
}

static toi_status stream_close(const toi_ccd_def *def, toi_step step, double radius,
                               toi_close_sink_fn *sink, void *context, toi_ccd_report *report)
{
    if (!sink)
        return refuse_null("the sink", report);
    measuring m;
    toi_status status = begin_close(&m, def, step, radius, NULL);
    m.consume = pass_on;
    m.sink = sink;
    m.context = context;
    if (status == TOI_OK)
        status = measure_all(&m);
    return end(&m, status, report);
}

// ---- The closest pair

static bool is_closer(const toi_close_pair *x, const toi_close_pair *y)
{
    if (x->distance != y->distance)
        return x->distance < y->distance;
    if (x->kind != y->kind)
        return x->kind < y->kind;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static toi_status keep_closest(measuring *m, measure_worker *w, int64_t count, int worker)
{
    (void)worker;
    for (int64_t i = 0; i < count; ++i)
        if (w->found[i].distance < INFINITY && is_closer(&w->found[i], &w->closest))
            w->closest = w->found[i];
    toi_lower_time(&m->most, w->closest.distance);
    return TOI_OK;
}

// Pairs whose boxes overlap as they are give a first distance. What is closer than that is found
// with boxes enlarged for it. Where no boxes overlap, they are enlarged until some do.
static toi_status narrow_down(measuring *m)
{
    double extent = fmin(extent_of(m), DBL_MAX), reach = 0;
    for (;;) {
        toi_status status = measure_within(m, reach);
        if (status != TOI_OK)
            return status;
        double best = toi_bits_time(m->most);
        if (best < INFINITY) {
            double enough = reach_of(best, extent);
            if (enough <= reach)
                return TOI_OK;
            reach = enough;
        } else if (reach >= extent) {
            return TOI_OK; // all boxes overlapped
        } else {
            reach = fmin(reach > 0 ? 2 * reach : extent * 0x1p-10 + DBL_TRUE_MIN, DBL_MAX);
        }
    }
}

static toi_status find_distance(const toi_ccd_def *def, toi_step step, toi_close_pair *closest,
                                toi_ccd_report *report)
{
    if (!closest)
        return refuse_null("the closest pair", report);
    *closest = (toi_close_pair){.a = -1, .b = -1, .distance = INFINITY};
    measuring m;
    toi_status status = begin(&m, def, step, NULL);
    if (status == TOI_OK && def->narrow.min_separation != 0)
        status = refuse("narrow.min_separation");
    if (status == TOI_OK)
        status = prepare(&m);
    m.consume = keep_closest;
    if (status == TOI_OK)
        status = narrow_down(&m);
    for (int i = 0; i < m.pipeline.workers && status == TOI_OK; ++i)
        if (is_closer(&m.workers[i].closest, closest))
            *closest = m.workers[i].closest;
    return end(&m, status, report);
}

// ---- Safe radii

// Less than half of what the true distance is above the separation: docs/distances.md, section 3.
static double radius_of(double distance, double error, double separation)
{
    double room = (distance - error) - separation;
    return room > 0 ? 0.5 * room * (1 - 0x1p-45) : 0;
}

static toi_status lower_radii(measuring *m, measure_worker *w, int64_t count, int worker)
{
    (void)worker;
    for (int64_t i = 0; i < count; ++i) {
        const toi_close_pair *c = &w->found[i];
        double radius = radius_of(c->distance, w->errors[i], m->separation);
        int32_t corners[4];
        toi_pair_corners(&m->pipeline.mesh, (toi_kind)c->kind, (toi_pair){c->a, c->b}, corners);
        for (int k = 0; k < 4; ++k)
            toi_lower_time(&m->radii[corners[k]], radius);
    }
    return TOI_OK;
}

static toi_status take_radii(measuring *m, double most)
{
    int64_t count = m->pipeline.report.vertices;
    m->radii = toi_take(m->pipeline.budget, count, sizeof *m->radii);
    if (!m->radii)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i)
        atomic_init(&m->radii[i], toi_time_bits(most + 0.0)); // minus zero has other bits
    return TOI_OK;
}

static toi_status find_safe_radii(const toi_ccd_def *def, toi_step step, double most, double *radii,
                                  toi_ccd_report *report)
{
    measuring m;
    toi_status status = begin(&m, def, step, NULL);
    if (status == TOI_OK && !radii && m.pipeline.mesh.start.count > 0)
        status = toi_fail(TOI_ERROR_ARGUMENT, "the list of radii is NULL");
    if (status == TOI_OK)
        status = check_length("the largest radius", most);
    m.separation = m.def.narrow.min_separation;
    double reach = 2 * most + m.separation;
    if (status == TOI_OK && !(reach < DBL_MAX))
        status = toi_fail(TOI_ERROR_ARGUMENT,
                          "min_separation and twice the largest radius add up to more than the "
                          "largest double; use a smaller radius than %g",
                          most);
    if (status == TOI_OK)
        status = prepare(&m);
    if (status == TOI_OK)
        status = take_radii(&m, most);
    m.consume = lower_radii;
    if (status == TOI_OK)
        status = measure_within(&m, toi_add_up(2 * most, m.separation));
    for (int64_t i = 0; status == TOI_OK && i < m.pipeline.report.vertices; ++i)
        radii[i] = toi_bits_time(atomic_load(&m.radii[i]));
    return end(&m, status, report);
}

// A failed call lets nothing move.
static void clear_radii(double *radii, int64_t count)
{
    for (int64_t i = 0; radii && i < count && count <= INT32_MAX; ++i)
        radii[i] = 0;
}

// ---- Of a mesh, and of a scene

toi_status toi_find_close(const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                          toi_close_array *close, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_close(def, toi_mesh_step(mesh), radius, close, report);
}

toi_status toi_scene_find_close(toi_scene *scene, const toi_ccd_def *def, toi_point_view points,
                                double radius, toi_close_array *close, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_close(def, toi_scene_step(scene, points, points), radius, close, report);
}

toi_status toi_stream_close(const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                            toi_close_sink_fn *sink, void *context, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return stream_close(def, toi_mesh_step(mesh), radius, sink, context, report);
}

toi_status toi_scene_stream_close(toi_scene *scene, const toi_ccd_def *def, toi_point_view points,
                                  double radius, toi_close_sink_fn *sink, void *context,
                                  toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return stream_close(def, toi_scene_step(scene, points, points), radius, sink, context, report);
}

toi_status toi_find_distance(const toi_ccd_def *def, const toi_mesh *mesh, toi_close_pair *closest,
                             toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_distance(def, toi_mesh_step(mesh), closest, report);
}

toi_status toi_scene_find_distance(toi_scene *scene, const toi_ccd_def *def, toi_point_view points,
                                   toi_close_pair *closest, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_distance(def, toi_scene_step(scene, points, points), closest, report);
}

toi_status toi_find_safe_radii(const toi_ccd_def *def, const toi_mesh *mesh, double most,
                               double *radii, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    clear_radii(radii, mesh ? mesh->start.count : 0);
    return find_safe_radii(def, toi_mesh_step(mesh), most, radii, report);
}

toi_status toi_scene_find_safe_radii(toi_scene *scene, const toi_ccd_def *def,
                                     toi_point_view points, double most, double *radii,
                                     toi_ccd_report *report)
{
    TOI_GUARD_FP;
    clear_radii(radii, scene ? scene->vertex_count : 0); // whatever positions are given
    return find_safe_radii(def, toi_scene_step(scene, points, points), most, radii, report);
}
