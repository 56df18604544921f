// Two of the questions a caller can ask of a step: the earliest impact, and every impact.

#include "ccd/question.h"

#include "base/fp_mode.h"

#include <string.h>

static toi_status find_earliest(const toi_ccd_def *def, toi_step step, toi_ccd_report *report)
{
    toi_question q;
    toi_status status = toi_begin_question(&q, def, step, NULL);
    if (status == TOI_OK)
        status = toi_solve_candidates(&q.pipeline, toi_consume_impacts, &q, &q.best);
    status = toi_end_question(&q, status, report);
    // How many impacts were met before the earliest pruned the rest depends on luck: not an answer.
    if (report)
        report->rescaled = 0;
    if (report)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            report->hits[kind] = report->undecided[kind] = 0;
    return status;
}

// Those in place and those in the workers' lists.
static toi_status join_impacts(toi_question *q, toi_impact_array *impacts)
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

static toi_status list_impacts(toi_question *q, toi_impact_array *impacts)
{
    q->keep = true;
    q->place = impacts->data;
    q->room = impacts->capacity;
    toi_status status = toi_solve_candidates(&q->pipeline, toi_consume_impacts, q, NULL);
    return status == TOI_OK ? join_impacts(q, impacts) : status;
}

static toi_status solve_anew(toi_question *q)
{
    toi_ccd_report *report = &q->pipeline.report;
    toi_reset_tallies(q);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        report->candidates[kind] = 0;
    report->rescaled = report->inside = 0;
    return toi_solve_candidates(&q->pipeline, toi_consume_impacts, q, NULL);
}

// Where the list does not fit beside all that its making takes: counts the impacts, then finds them
// again and puts them into a list of that length (as src/broad/lists.c does with pairs).
static toi_status list_impacts_tightly(toi_question *q, toi_impact_array *impacts)
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
    toi_question q;
    toi_status status = toi_begin_question(&q, def, step, impacts);
    toi_budget *budget = q.pipeline.budget;
    if (status == TOI_OK) {
        status = list_impacts(&q, impacts);
        if (status == TOI_ERROR_LIMIT && budget->limit > 0)
            status = list_impacts_tightly(&q, impacts);
    }
    if (status == TOI_OK)
        toi_sort_impacts(impacts, q.pipeline.workers, budget);
    toi_detach(impacts->data);
    status = toi_end_question(&q, status, report);
    if (status != TOI_OK)
        impacts->count = 0;
    return status;
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
