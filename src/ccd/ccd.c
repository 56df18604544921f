// The three questions a caller can ask of a step: the earliest impact, every impact, a safe step
// for each vertex. They differ only in what they do with an impact.

#include "ccd/pipeline.h"

#include "base/fp_mode.h"
#include "ccd/corners.h"

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
    toi_impact_array impacts;
    _Alignas(64) char end[64];
} tally;

typedef struct question
{
    toi_pipeline pipeline;
    tally *tallies; // one a worker
    _Atomic uint64_t best;
    _Atomic uint64_t *steps; // bits of each vertex's time
    bool keep;               // the impacts themselves are wanted
    bool counted;            // and it is known how many there are
    toi_impact *place;       // where they go, whoever finds them
    int64_t room;            // for so many; others go to the workers' own lists
    _Atomic int64_t placed;
} question;

static void lower_steps(question *q, const toi_impact *impact)
{
    int32_t corners[4];
    toi_pair pair = {impact->a, impact->b};
    toi_pair_corners(&q->pipeline.mesh, (toi_kind)impact->kind, pair, corners);
    for (int c = 0; c < 4; ++c)
        toi_lower_time(&q->steps[corners[c]], impact->time);
}

static toi_status keep_impacts(question *q, tally *t, const toi_impact *impacts, int64_t count)
{
    toi_impact_array *list = &t->impacts;
    toi_status status = toi_reserve(q->pipeline.budget, (void **)&list->data, &list->capacity,
                                    list->count + count, sizeof *impacts);
    if (status == TOI_OK) {
        memcpy(list->data + list->count, impacts, (size_t)count * sizeof *impacts);
        list->count += count;
    }
    return status;
}

// Puts them into the caller's list if they fit.
static bool place_impacts(question *q, const toi_impact *impacts, int64_t count)
{
    int64_t at = q->placed;
    do {
        if (at + count > q->room)
            return false;
    } while (!atomic_compare_exchange_weak(&q->placed, &at, at + count));
    memcpy(q->place + at, impacts, (size_t)count * sizeof *impacts);
    return true;
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
    if (!q->keep || place_impacts(q, impacts, count))
        return TOI_OK;
    if (q->counted)
        return toi_fail(TOI_ERROR_DATA, "more impacts were found when they were looked for again: "
                                        "the mesh or the filter's answers have changed meanwhile");
    return keep_impacts(q, t, impacts, count);
}

static void reset_tallies(question *q)
{
    for (int w = 0; w < q->pipeline.workers; ++w) {
        toi_give_back(q->tallies[w].impacts.data);
        q->tallies[w] = (tally){.earliest.time = INFINITY};
    }
}

// `impacts`: the list that they go to, or NULL.
static toi_status begin(question *q, const toi_ccd_def *def, toi_step step,
                        toi_impact_array *impacts)
{
    _Static_assert(sizeof(toi_impact) == 64, "the message says so");
    *q = (question){.best = toi_time_bits(INFINITY)};
    const char *list = impacts ? "64 bytes for every impact" : NULL;
    toi_status status = toi_pipeline_begin(&q->pipeline, def, step, (toi_purpose){true, list});
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
    memset(q->tallies, 0, (size_t)workers * sizeof *q->tallies);
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
        reset_tallies(q);
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

// Those in place and those in the workers' lists.
static toi_status join_impacts(question *q, toi_impact_array *impacts)
{
    int64_t total = q->placed;
    for (int w = 0; w < q->pipeline.workers; ++w)
        total += q->tallies[w].impacts.count;
    toi_status status = toi_reserve(q->pipeline.budget, (void **)&impacts->data, &impacts->capacity,
                                    total, sizeof *impacts->data);
    if (status != TOI_OK)
        return status;
    impacts->count = q->placed;
    for (int w = 0; w < q->pipeline.workers; ++w) {
        const toi_impact_array *list = &q->tallies[w].impacts;
        if (list->count > 0)
            memcpy(impacts->data + impacts->count, list->data,
                   (size_t)list->count * sizeof *list->data);
        impacts->count += list->count;
    }
    return TOI_OK;
}

static toi_status list_impacts(question *q, toi_impact_array *impacts)
{
    q->keep = true;
    q->place = impacts->data;
    q->room = impacts->capacity;
    toi_status status = toi_solve_candidates(&q->pipeline, consume, q, NULL);
    return status == TOI_OK ? join_impacts(q, impacts) : status;
}

static toi_status solve_anew(question *q)
{
    toi_ccd_report *report = &q->pipeline.report;
    reset_tallies(q);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        report->candidates[kind] = 0;
    report->rescaled = 0;
    return toi_solve_candidates(&q->pipeline, consume, q, NULL);
}

// Where the list does not fit beside all that its making takes: counts the impacts, then finds them
// again and puts them into a list of that length (as src/broad/lists.c does with pairs).
static toi_status list_impacts_tightly(question *q, toi_impact_array *impacts)
{
    toi_budget *budget = q->pipeline.budget;
    toi_free_impacts(impacts);
    q->keep = false;
    q->counted = true;
    q->room = q->placed = 0;
    toi_status status = solve_anew(q);
    if (status != TOI_OK)
        return status;
    for (int w = 0; w < q->pipeline.workers; ++w)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            q->room += q->tallies[w].hits[kind];
    budget->need += q->room * (int64_t)sizeof *q->place + TOI_BLOCK_OVERHEAD;
    budget->list = NULL; // now the whole need is known
    impacts->data = q->place = toi_take(budget, q->room, sizeof *q->place);
    if (!q->place)
        return toi_allocation_status();
    impacts->capacity = q->room;
    q->keep = true;
    status = solve_anew(q);
    impacts->count = q->placed;
    return status;
}

static toi_status find_impacts(const toi_ccd_def *def, toi_step step, toi_impact_array *impacts,
                               toi_ccd_report *report)
{
    impacts->count = 0;
    question q;
    toi_status status = begin(&q, def, step, impacts);
    toi_budget *budget = q.pipeline.budget;
    if (status == TOI_OK) {
        status = list_impacts(&q, impacts);
        if (status == TOI_ERROR_LIMIT && budget->limit > 0)
            status = list_impacts_tightly(&q, impacts);
    }
    if (status == TOI_OK)
        toi_sort_impacts(impacts, q.pipeline.workers, budget);
    else
        impacts->count = 0;
    toi_detach(impacts->data);
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
