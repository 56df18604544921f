// Two of the questions a caller can ask of a step: the earliest impact, and every impact.

#include "ccd/question.h"

#include "base/fp_mode.h"
#include "ccd/brief_impact.h"
#include "device/device.h"

enum
{
    VERTICES_AN_IMPACT = 16 // about as many rows of a table cost what an impact saves
};

static toi_status find_earliest(const toi_ccd_def *def, toi_step step, toi_ccd_report *report)
{
    toi_question q;
    toi_status status = toi_begin_question(&q, def, step, NULL);
    if (status == TOI_OK)
        status = toi_solve_candidates(&q.pipeline, toi_consume_impacts, &q, &q.best);
    status = toi_end_question(&q, status, report);
    // How many impacts were met before the earliest pruned the rest depends on luck: not an answer.
    for (int kind = 0; report && kind < TOI_KIND_COUNT; ++kind)
        report->hits[kind] = report->undecided[kind] = report->rescaled = 0;
    return status;
}

static toi_status solve_all(void *context)
{
    toi_question *q = context;
    toi_ccd_report *report = &q->pipeline.report;
    toi_reset_tallies(q);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        report->candidates[kind] = report->tested[kind] = 0;
    report->rescaled = report->inside = 0;
    return toi_solve_candidates(&q->pipeline, toi_consume_impacts, q, NULL);
}

static void complete_impacts(void *context, const toi_brief *brief, int64_t count, void *impacts)
{
    toi_place_impacts(&((const toi_question *)context)->pipeline, brief, count, impacts);
}

// Without the table places are found from queries: if memory does not suffice, and where there are
// few.
static void take_table(void *context, int64_t count)
{
    toi_pipeline *p = &((toi_question *)context)->pipeline;
    if (count > p->mesh.start.count / VERTICES_AN_IMPACT)
        toi_take_trajectories(p);
}

static uint64_t impact_key(const toi_impact *impact)
{
    return toi_pack_key((toi_record_key){impact->kind, impact->a, impact->b});
}

// The earliest was met in brief. The list, which is in order, has all of it.
static void complete_earliest(toi_question *q, const toi_record_array *list)
{
    toi_impact *earliest = &q->pipeline.report.earliest;
    const toi_impact *impacts = list->data;
    toi_merge_tallies(q);
    int64_t first = 0, end = list->count;
    while (end - first > 1) {
        int64_t middle = first + (end - first) / 2;
        bool beyond = impact_key(&impacts[middle]) > impact_key(earliest);
        first = beyond ? first : middle;
        end = beyond ? middle : end;
    }
    if (list->count > 0)
        *earliest = impacts[first];
}

static toi_status list_impacts(toi_question *q, toi_record_array *list)
{
    toi_recorder recorder = {.budget = q->pipeline.budget,
                             .workers = q->pipeline.workers,
                             .size = sizeof(toi_impact),
                             .find = solve_all,
                             .context = q};
    const toi_narrow_def *narrow = &q->pipeline.def->narrow;
    bool brief = toi_is_exact(narrow) &&
                 (narrow->min_separation > 0 || q->pipeline.policy.relative_separation > 0);
    if (brief) {
        q->pipeline.consume_brief = toi_consume_briefs;
        recorder.complete = complete_impacts;
        recorder.ready = take_table;
    }
    q->recorder = &recorder;
    toi_status status = toi_make_record_list(&recorder, list);
    q->pipeline.report.seconds_narrow += recorder.completed;
    if (status == TOI_OK && brief)
        complete_earliest(q, list);
    return status;
}

static toi_status find_impacts(const toi_ccd_def *def, toi_step step, toi_impact_array *impacts,
                               toi_ccd_report *report)
{
    impacts->count = 0;
    toi_question q;
    toi_status status = toi_begin_question(&q, def, step, impacts);
    toi_record_array list = {impacts->data, 0, impacts->capacity};
    // The card makes the list itself where it decides all pairs at once.
    if (status == TOI_OK && def->device && toi_is_exact(&def->narrow))
        status = toi_list_from_device(&q, &list);
    else if (status == TOI_OK)
        status = list_impacts(&q, &list);
    else
        toi_detach(list.data);
    status = toi_end_question(&q, status, report);
    *impacts = (toi_impact_array){list.data, status == TOI_OK ? list.count : 0, list.capacity};
    return status;
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
    toi_step step = toi_device_step(def, scene, start, end);
    toi_status status = find_earliest(def, step, report);
    return toi_track_less(scene, status) ? find_earliest(def, step, report) : status;
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
    toi_step step = toi_device_step(def, scene, start, end);
    toi_status status = find_impacts(def, step, impacts, report);
    return toi_track_less(scene, status) ? find_impacts(def, step, impacts, report) : status;
}
