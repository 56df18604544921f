// How a scene finds its pairs: names, options, the table of methods, and the report.

#include "track/track.h"

#include "base/fp_mode.h"
#include "base/literature.h"
#include "base/status.h"
#include "ccd/pipeline.h"

#include <string.h>

static const uint32_t TRACK_COOKIE = 0x74ac0001u;

// A method without a source searches as scenes always do, with the order that they keep. One that
// is from the literature may be left out of a build.
static const struct
{
    const char *name;
    const toi_track_source *source;
    bool literature;
} methods[TOI_TRACK_COUNT] = {
    [TOI_TRACK_AUTO] = {"auto", &toi_track_kept, false},
    [TOI_TRACK_STATELESS] = {"stateless", NULL, false},
    [TOI_TRACK_ORDER] = {"order", &toi_track_kept, false},
    [TOI_TRACK_BUDGETS] = {"budgets", &toi_track_kept, false},
    [TOI_TRACK_FRONT] = {"front", TOI_LITERATURE(&toi_track_mccd), true},
    [TOI_TRACK_PHC] = {"phc", TOI_LITERATURE(&toi_track_mccd), true},
    [TOI_TRACK_SERIAL] = {"serial", TOI_LITERATURE(&toi_track_mccd), true},
    [TOI_TRACK_REBUILD] = {"rebuild", TOI_LITERATURE(&toi_track_mccd), true},
};

const char *toi_track_name(toi_track_method method)
{
    return (unsigned)method < TOI_TRACK_COUNT ? methods[method].name : NULL;
}

toi_track_method toi_track_find(const char *name)
{
    int method = 0;
    while (method < TOI_TRACK_COUNT && strcmp(methods[method].name, name) != 0)
        ++method;
    return (toi_track_method)method;
}

const char *toi_volume_name(toi_volume volume)
{
    static const char *const names[TOI_VOLUME_COUNT] = {"box", "dop18"};
    return (unsigned)volume < TOI_VOLUME_COUNT ? names[volume] : NULL;
}

toi_track_def toi_default_track_def(void)
{
    return (toi_track_def){.method = TOI_TRACK_AUTO,
                           .volume = TOI_VOLUME_DOP18,
                           .orphans = true,
                           .most_sprouted = 0.30,
                           .most_phantom = 0.45,
                           .most_growth = 1.5,
                           .cookie = TRACK_COOKIE};
}

static toi_status check_method(toi_track_method method)
{
    if ((unsigned)method >= TOI_TRACK_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no tracking method number %d", (int)method);
    if (methods[method].literature && !methods[method].source)
        return toi_fail(TOI_ERROR_UNSUPPORTED,
                        "the tracking method '%s' is not in this build; use 'auto', or build the "
                        "library with TOI_LITERATURE=ON",
                        methods[method].name);
    return TOI_OK;
}

static toi_status check_def(const toi_track_def *def)
{
    TOI_CHECK_DEF(def, TRACK_COOKIE, "track");
    toi_status status = check_method(def->method);
    if (status != TOI_OK)
        return status;
    if ((unsigned)def->volume >= TOI_VOLUME_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no volume number %d", (int)def->volume);
    if (!(def->most_sprouted >= 0))
        return toi_fail(TOI_ERROR_ARGUMENT, "most_sprouted is %g; use 0 or more",
                        def->most_sprouted);
    if (!(def->most_phantom >= 0))
        return toi_fail(TOI_ERROR_ARGUMENT, "most_phantom is %g; use 0 or more", def->most_phantom);
    if (!(def->most_growth >= 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "most_growth is %g; use 1 or more", def->most_growth);
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    return TOI_OK;
}

static toi_track_def definition(const toi_tracking *t)
{
    return t->set ? t->def : toi_default_track_def();
}

void toi_forget_tracking(toi_tracking *t)
{
    const toi_track_source *source = methods[definition(t).method].source;
    if (source)
        source->forget(t->kept);
    t->kept = NULL;
}

void toi_change_tracking(toi_tracking *t)
{
    const toi_track_source *source = methods[definition(t).method].source;
    if (source && source->change)
        source->change(t->kept);
    else
        toi_forget_tracking(t);
}

TOI_APART static toi_status set_tracking(toi_scene *scene, const toi_track_def *def)
{
    toi_track_def defaults = toi_default_track_def();
    toi_status status = check_def(def ? def : &defaults);
    if (status == TOI_OK)
        status = toi_lock_scene(scene);
    if (status != TOI_OK)
        return status;
    toi_forget_tracking(&scene->tracking);
    scene->tracking = (toi_tracking){.set = true, .def = def ? *def : defaults};
    toi_leave_scene(scene);
    return TOI_OK;
}

toi_status toi_scene_set_tracking(toi_scene *scene, const toi_track_def *def)
{
    TOI_GUARD_FP;
    return set_tracking(scene, def);
}

toi_status toi_scene_track_report(const toi_scene *scene, toi_track_report *report)
{
    if (!scene || !report)
        return toi_fail(TOI_ERROR_ARGUMENT, "the scene or the report is NULL");
    *report = scene->tracking.report;
    if (!scene->tracking.asked)
        return toi_fail(TOI_ERROR_ARGUMENT, "the scene has made no step since its tracking was "
                                            "set; ask for impacts first");
    return TOI_OK;
}

// ---- Where the pipeline asks

bool toi_is_tracked(const toi_pipeline *p)
{
    const toi_ccd_def *def = p->def;
    return p->scene != &p->passing && p->purpose.solve && !def->device && !def->given &&
           !def->count_candidates && def->broad.method == TOI_BROAD_AUTO;
}

static void begin_report(toi_tracking *t)
{
    int64_t steps = t->report.steps;
    t->report = (toi_track_report){.method = definition(t).method, .steps = steps + 1};
    t->asked = false;
}

toi_status toi_begin_motion(toi_pipeline *p)
{
    if (!toi_is_tracked(p))
        return TOI_OK;
    toi_tracking *t = &p->scene->tracking;
    if (!p->tracked)
        begin_report(t); // of the call; motions that it asks about later add to it
    p->tracked = true;
    if (definition(t).method == TOI_TRACK_STATELESS)
        p->kept = NULL; // not even the order of the last step
    p->source = methods[definition(t).method].source;
    if (p->source && p->source->places && !toi_may_stream_near(p, TOI_EDGE_EDGE))
        p->source = NULL;
    toi_status status = p->source && !t->without ? p->source->prepare(p) : TOI_OK;
    if (p->source && (t->without || status == TOI_ERROR_LIMIT)) { // the plain search takes less
        toi_forget_tracking(t);
        toi_drop_trajectories(p); // whoever was to keep something had them taken
        p->source = NULL;
        p->kept = NULL;
        t->report.method = TOI_TRACK_STATELESS;
        return TOI_OK;
    }
    return status;
}

bool toi_track_less(toi_scene *scene, toi_status status)
{
    if (status != TOI_ERROR_LIMIT || !scene || toi_lock_scene(scene) != TOI_OK)
        return false;
    bool kept = scene->tracking.kept;
    if (kept)
        toi_forget_tracking(&scene->tracking);
    scene->tracking.without = kept;
    toi_leave_scene(scene);
    return kept;
}

// What the whole motion is like, if this step went through it.
static void note_motion(const toi_pipeline *p, toi_track_choice *c)
{
    const toi_ccd_report *report = &p->report;
    ++c->cuts;
    if (!p->source)
        return;
    int64_t pairs = report->tested[TOI_VERTEX_FACE] + report->tested[TOI_EDGE_EDGE];
    c->density = (double)pairs / (double)(report->vertices + report->edges + report->faces + 1);
    c->motion = p->scene->tracking.report.motion;
    c->cuts = 0;
}

void toi_report_tracking(toi_pipeline *p)
{
    toi_track_report *report = &p->scene->tracking.report;
    if (!p->tracked)
        return;
    p->scene->tracking.without = false;
    note_motion(p, &p->scene->tracking.choice);
    report->elementary = p->report.tested[TOI_VERTEX_FACE] + p->report.tested[TOI_EDGE_EDGE];
    report->seconds_front = p->report.seconds_broad;
    report->seconds_solve = p->report.seconds_narrow;
    report->seconds_total = p->report.seconds_total;
    for (int i = 0; i < TOI_KEPT; ++i)
        report->kept_bytes += p->scene->kept[i].bytes;
    p->scene->tracking.asked = true;
}
