// The three questions a caller can ask of a step: the earliest impact, every impact, a safe step
// for each vertex. They differ only in what they do with an impact.

#include "ccd/pipeline.h"

#include "base/fp_mode.h"
#include "ccd/corners.h"
#include "ccd/records.h"

#include <math.h>
#include <string.h>

static bool is_earlier(const toi_impact *a, const toi_impact *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

// What each worker has found so far; merged in the end, so that nothing depends on who found it.
typedef struct tally
{
    toi_impact earliest;
    int64_t hits[TOI_KIND_COUNT];
    int64_t undecided[TOI_KIND_COUNT];
    _Alignas(64) char end[64];
} tally;

typedef struct question
{
    toi_pipeline pipeline;
    tally *tallies; // one a worker
    _Atomic uint64_t best;
    _Atomic uint64_t *steps; // bits of each vertex's time
    toi_recorder *recorder;  // or NULL: the impacts themselves are not wanted
} question;

static void lower_steps(question *q, const toi_impact *impact)
{
    int32_t corners[4];
    toi_pair pair = {impact->a, impact->b};
    toi_pair_corners(&q->pipeline.mesh, (toi_kind)impact->kind, pair, corners);
    for (int c = 0; c < 4; ++c)
        toi_lower_time(&q->steps[corners[c]], impact->time);
}

static toi_status consume(void *context, const toi_impact *impacts, int64_t count, int worker)
{
    question *q = context;
    tally *t = &q->tallies[worker];
    for (int64_t i = 0; i < count; ++i) {
        if (is_earlier(&impacts[i], &t->earliest))
            t->earliest = impacts[i];
        ++t->hits[impacts[i].kind];
        t->undecided[impacts[i].kind] += impacts[i].state == TOI_UNDECIDED;
        if (q->steps)
            lower_steps(q, &impacts[i]);
    }
    toi_lower_time(&q->best, t->earliest.time);
    return q->recorder ? toi_keep_records(q->recorder, impacts, count, worker) : TOI_OK;
}

static void reset_tallies(question *q)
{
    for (int w = 0; w < q->pipeline.workers; ++w)
        q->tallies[w] = (tally){.earliest.time = INFINITY};
}

// `impacts`: the list that they go to, or NULL.
static toi_status begin(question *q, const toi_ccd_def *def, toi_step step,
                        toi_impact_array *impacts)
{
    _Static_assert(sizeof(toi_impact) == 64, "the message says so");
    *q = (question){.best = toi_time_bits(INFINITY)};
    const char *list = impacts ? "64 bytes for every impact" : NULL;
    toi_status status =
        toi_pipeline_begin(&q->pipeline, def, step, (toi_purpose){.solve = true, .list = list});
    if (impacts && !toi_reuse(q->pipeline.budget, impacts->data))
        toi_free_impacts(impacts);
    if (status == TOI_OK)
        status = toi_prepare_step(&q->pipeline);
    if (status != TOI_OK)
        return status;
    int workers = q->pipeline.workers;
    q->tallies = toi_take(q->pipeline.budget, workers, sizeof *q->tallies);
    if (!q->tallies)
        return toi_allocation_status();
    reset_tallies(q);
    return TOI_OK;
}

static void merge_tallies(question *q)
{
    toi_ccd_report *report = &q->pipeline.report;
    for (int w = 0; w < q->pipeline.workers; ++w) {
        const tally *t = &q->tallies[w];
        if (is_earlier(&t->earliest, &report->earliest))
            report->earliest = t->earliest;
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            report->hits[kind] += t->hits[kind];
            report->undecided[kind] += t->undecided[kind];
        }
    }
}

static toi_status end(question *q, toi_status status, toi_ccd_report *report)
{
    if (q->tallies) {
        merge_tallies(q);
        toi_give_back(q->tallies);
    }
    return toi_pipeline_end(&q->pipeline, status, report);
}

static toi_status find_earliest(const toi_ccd_def *def, toi_step step, toi_ccd_report *report)
{
    question q;
    toi_status status = begin(&q, def, step, NULL);
    if (status == TOI_OK)
        status = toi_solve_candidates(&q.pipeline, consume, &q, &q.best);
    status = end(&q, status, report);
    // How many impacts were met before the earliest pruned the rest depends on luck: not an answer.
    if (report)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            report->hits[kind] = report->undecided[kind] = 0;
    return status;
}

static toi_status solve_all(void *context)
{
    question *q = context;
    toi_ccd_report *report = &q->pipeline.report;
    reset_tallies(q);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        report->candidates[kind] = 0;
    report->rescaled = 0;
    return toi_solve_candidates(&q->pipeline, consume, q, NULL);
}

static toi_status find_impacts(const toi_ccd_def *def, toi_step step, toi_impact_array *impacts,
                               toi_ccd_report *report)
{
    impacts->count = 0;
    question q;
    toi_status status = begin(&q, def, step, impacts);
    toi_record_array list = {impacts->data, 0, impacts->capacity};
    toi_recorder recorder = {.budget = q.pipeline.budget,
                             .workers = q.pipeline.workers,
                             .size = sizeof *impacts->data,
                             .find = solve_all,
                             .context = &q};
    q.recorder = &recorder;
    if (status == TOI_OK)
        status = toi_make_record_list(&recorder, &list);
    else
        toi_detach(list.data);
    *impacts = (toi_impact_array){list.data, list.count, list.capacity};
    return end(&q, status, report);
}

static toi_status find_safe_steps(const toi_ccd_def *def, toi_step step, double *steps,
                                  toi_ccd_report *report)
{
    question q;
    toi_status status = begin(&q, def, step, NULL);
    int64_t count = q.pipeline.report.vertices; // 0 after a failure
    if (status == TOI_OK) {
        q.steps = toi_take(q.pipeline.budget, count, sizeof *q.steps);
        status = q.steps ? TOI_OK : toi_allocation_status();
    }
    for (int64_t i = 0; q.steps && i < count; ++i) // later than that nobody looks
        atomic_init(&q.steps[i], toi_time_bits(toi_last_time(&def->narrow)));
    if (status == TOI_OK)
        status = toi_solve_candidates(&q.pipeline, consume, &q, NULL);
    for (int64_t i = 0; status == TOI_OK && i < count; ++i)
        steps[i] = toi_bits_time(atomic_load(&q.steps[i]));
    toi_give_back((void *)q.steps);
    return end(&q, status, report);
}

// A failed call grants no step at all.
static void clear_steps(double *steps, int64_t count)
{
    for (int64_t i = 0; i < count && count <= INT32_MAX; ++i)
        steps[i] = 0;
}

void toi_free_impacts(toi_impact_array *impacts)
{
    if (!impacts)
        return;
    toi_give_back(impacts->data);
    *impacts = (toi_impact_array){NULL, 0, 0};
}

// ---- Of a mesh, and of a scene

toi_status toi_find_earliest(const toi_ccd_def *def, const toi_mesh *mesh, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_earliest(def, toi_mesh_step(mesh), report);
}

toi_status toi_scene_find_earliest(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                   toi_point_view end, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_earliest(def, toi_scene_step(scene, start, end), report);
}

toi_status toi_find_impacts(const toi_ccd_def *def, const toi_mesh *mesh, toi_impact_array *impacts,
                            toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_impacts(def, toi_mesh_step(mesh), impacts, report);
}

toi_status toi_scene_find_impacts(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                  toi_point_view end, toi_impact_array *impacts,
                                  toi_ccd_report *report)
{
    TOI_GUARD_FP;
    return find_impacts(def, toi_scene_step(scene, start, end), impacts, report);
}

toi_status toi_find_safe_steps(const toi_ccd_def *def, const toi_mesh *mesh, double *steps,
                               toi_ccd_report *report)
{
    TOI_GUARD_FP;
    clear_steps(steps, mesh ? mesh->start.count : 0);
    return find_safe_steps(def, toi_mesh_step(mesh), steps, report);
}

toi_status toi_scene_find_safe_steps(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                                     toi_point_view end, double *steps, toi_ccd_report *report)
{
    TOI_GUARD_FP;
    clear_steps(steps, scene ? scene->vertex_count : 0); // whatever positions are given
    return find_safe_steps(def, toi_scene_step(scene, start, end), steps, report);
}
