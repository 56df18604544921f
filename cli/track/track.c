// toi track: the impacts of one step after the other, by a scene that remembers.

#include "command.h"
#include "failure.h"
#include "impact_file.h"
#include "machine.h"
#include "method_options.h"
#include "output.h"
#include "progress.h"
#include "track_report.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct settings
{
    toi_ccd_def def;
    toi_track_def track;
    scene_choice choice;
    common common;
    machine_choice machine;
    bool no_orphans;
    bool check;
    const char *impacts; // a folder, or NULL
} settings;

static const char *method_choice(int index)
{
    return toi_track_name((toi_track_method)index);
}

static const char *volume_choice(int index)
{
    return toi_volume_name((toi_volume)index);
}

static const option track_options[] = {
    {.name = "method",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, track.method),
     .argument = "METHOD",
     .help = "how the pairs of a step are found; all give the same impacts",
     .choice = method_choice},
    {.name = "volume",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, track.volume),
     .argument = "VOLUME",
     .help = "of front, phc, serial and rebuild: what bounds the nodes of their tree",
     .choice = volume_choice},
    {.name = "no-orphans",
     .offset = offsetof(settings, no_orphans),
     .help = "of the same: find pairs of adjacent faces in every step, instead of listing them "
             "once"},
    {.name = "most-sprouted",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, track.most_sprouted),
     .argument = "Q1",
     .help = "of front: make it anew when the nodes added since are more than this share of it",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {.name = "most-phantom",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, track.most_phantom),
     .argument = "Q2",
     .help = "likewise the nodes left behind",
     .most = DBL_MAX,
     .range = "a number of at least 0"},
    {.name = "most-growth",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, track.most_growth),
     .argument = "G",
     .help = "of the same: make the tree anew when its volumes have grown by this factor",
     .least = 1,
     .most = DBL_MAX,
     .range = "a number of at least 1"},
    {.name = "memory-limit",
     .type = OPTION_BYTES,
     .offset = offsetof(settings, track.memory_limit),
     .argument = "BYTES",
     .help = "most that is remembered from step to step, as 64M or 1G; beyond it less is",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "1 byte or more, such as 1048576, 64M or 1G"},
    {0}};

static const option output_options[] = {
    {.name = "impacts",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, impacts),
     .argument = "DIR",
     .help = "write every impact there, step_00000.csv, step_00001.csv ..., as 'toi ccd --impacts' "
             "does; made unless it exists"},
    {.name = "check",
     .offset = offsetof(settings, check),
     .help = "ask a fresh call, which remembers nothing, about each step too: impacts that differ "
             "in a bit are an error"},
    {0}};

// ---------------------------------------------------------------------------------------------
// A step

// What goes through the steps.
typedef struct tracker
{
    const settings *s;
    sequence *motion;
    toi_scene *scene;
    toi_impact_array impacts;
    toi_impact_array fresh; // with --check
    tracked_step *steps;
} tracker;

static size_t impact_bytes(const toi_impact_array *impacts)
{
    return (size_t)impacts->count * sizeof *impacts->data;
}

static bool same_bits(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

// Names the first impact that the two lists do not share.
static toi_status fail_different(const tracker *t)
{
    const toi_impact_array *a = &t->impacts, *b = &t->fresh;
    int64_t i = 0;
    while (i < a->count && i < b->count && same_bits(&a->data[i], &b->data[i], sizeof *a->data))
        ++i;
    return toi_fail(TOI_ERROR_DATA,
                    "step %d: '%s' has %lld impacts, a fresh call %lld, and number %lld differs: a "
                    "bug of toi",
                    t->motion->step, toi_track_name(t->s->track.method), (long long)a->count,
                    (long long)b->count, (long long)i);
}

static toi_status check_step(tracker *t)
{
    toi_ccd_def def = t->s->def;
    def.device = NULL;
    toi_status status = toi_find_impacts(&def, &t->motion->mesh, &t->fresh, NULL);
    if (status != TOI_OK)
        return status;
    bool same = t->impacts.count == t->fresh.count &&
                same_bits(t->impacts.data, t->fresh.data, impact_bytes(&t->fresh));
    return same ? TOI_OK : fail_different(t);
}

static toi_status write_step(const tracker *t)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/step_%05d.csv", t->s->impacts, t->motion->step);
    if (length < 0 || (size_t)length >= sizeof path)
        return toi_fail(TOI_ERROR_FILE, "%s: the name is too long", t->s->impacts);
    return write_impacts(path, &t->motion->mesh, &t->impacts);
}

// A device remembers by itself, and what it does is all solving.
static toi_status report_step(const tracker *t, tracked_step *step)
{
    if (!t->s->def.device)
        return toi_scene_track_report(t->scene, &step->track);
    step->track = (toi_track_report){.method = t->s->track.method,
                                     .steps = step->step + 1,
                                     .elementary = step->found.tested[TOI_VERTEX_FACE] +
                                                   step->found.tested[TOI_EDGE_EDGE],
                                     .seconds_solve = step->found.seconds_narrow,
                                     .seconds_total = step->found.seconds_total};
    return TOI_OK;
}

static toi_status do_step(tracker *t, bool first)
{
    tracked_step step;
    toi_status status = next_step(t->motion);
    const toi_mesh *mesh = &t->motion->mesh;
    step.step = t->motion->step;
    if (status == TOI_OK)
        status = toi_scene_find_impacts(t->scene, &t->s->def, mesh->start, mesh->end, &t->impacts,
                                        &step.found);
    if (status == TOI_OK)
        status = report_step(t, &step);
    if (status == TOI_OK && t->s->check && first)
        status = check_step(t);
    if (status == TOI_OK && t->s->impacts && first)
        status = write_step(t);
    if (status != TOI_OK)
        return status;
    step.motion = measure_motion(t->motion);
    step.hash = toi_hash(t->impacts.data, impact_bytes(&t->impacts));
    tracked_step *kept = &t->steps[step.step];
    if (first || step.track.seconds_total < kept->track.seconds_total)
        *kept = step;
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// All steps

static toi_status begin_pass(tracker *t)
{
    rewind_sequence(t->motion);
    toi_free_scene(t->scene);
    toi_status status = make_kept_scene(&t->motion->mesh, &t->scene);
    return status == TOI_OK ? toi_scene_set_tracking(t->scene, &t->s->track) : status;
}

static toi_status show_step(const tracker *t)
{
    const tracked_step *step = &t->steps[t->motion->step];
    if (t->s->common.json)
        return print_step_object(step, t->s->def.workers);
    print_tracked_step(step);
    return TOI_OK;
}

// The last pass prints, since only then the fastest run of a step is known.
static toi_status do_steps(tracker *t, progress *bar)
{
    toi_progress_fn *show = progress_function();
    toi_status status = begin_pass(t);
    for (int i = 0; i < t->motion->steps && status == TOI_OK; ++i) {
        status = do_step(t, bar->run == 0);
        end_progress(bar); // its line is for the step
        if (status == TOI_OK && bar->run == bar->runs - 1)
            status = show_step(t);
        if (show)
            show(bar, (i + 1.0) / t->motion->steps);
    }
    end_progress(bar);
    return status;
}

static toi_status track(const settings *s, sequence *motion)
{
    const track_settings told = {s->track, s->def.workers, s->check, s->impacts};
    tracker t = {.s = s, .motion = motion};
    t.steps = toi_allocate((size_t)motion->steps * sizeof *t.steps);
    toi_status status = t.steps ? begin_pass(&t) : TOI_ERROR_MEMORY;
    if (status == TOI_OK && !s->common.json)
        print_track_head(motion, &told);
    progress bar = start_progress(s->common.repeat);
    for (; bar.run < bar.runs && status == TOI_OK; ++bar.run)
        status = do_steps(&t, &bar);
    if (status == TOI_OK && !s->common.json)
        print_track_summary(&told, t.steps, motion->steps);
    toi_free_scene(t.scene);
    toi_free_impacts(&t.impacts);
    toi_free_impacts(&t.fresh);
    toi_release(t.steps);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status run(settings *s, const operand_list *operands)
{
    sequence motion = {.steps = 0};
    s->def.workers = apply_threads(&s->common);
    s->track.orphans = !s->no_orphans;
    toi_status status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = open_sequence(&s->choice, operands, &motion);
    if (status == TOI_OK && s->impacts)
        status = make_folder(s->impacts);
    if (status == TOI_OK)
        status = open_machine(&s->machine, 0, &s->def.device);
    if (status == TOI_OK)
        status = track(s, &motion);
    toi_close_device(s->def.device);
    close_sequence(&motion);
    return status;
}

int run_track(int argc, char **argv)
{
    settings s = {.def = toi_default_ccd_def(),
                  .track = toi_default_track_def(),
                  .choice = default_scene_choice(),
                  .common = default_common()};
    const option_group groups[] = {{"Steps", track_options, &s},
                                   {"Output", output_options, &s},
                                   {"A scene instead of files", sequence_options, &s.choice},
                                   {"Machine", machine_options, &s.machine},
                                   {"The scene", scene_options, &s.choice},
                                   {"Decision", narrow_options, &s.def.narrow},
                                   {"Common", repeat_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "track FRAME FRAME... [OPTION...]\ntrack --scene NAME --frames N [OPTION...]",
        .about = "Finds every impact of one step after the other, from each FRAME (PLY, OBJ or\n"
                 "STL files of the same mesh) to the next, and says what each step took. What is\n"
                 "remembered from step to step saves time and changes no impact.\n"
                 "With --json each step is an object on a line of its own. With --repeat all\n"
                 "steps are done again, from the first, and the fastest of each is shown.",
        .examples = "track frame_*.ply\n"
                    "track frame_*.ply --method front --check\n"
                    "track frame_*.ply --device cuda --check\n"
                    "track --scene cloth-ball --begin 0.7 --frames 20 --json\n"
                    "track --scene n-body --begin 0.7 --frames 20 --impacts impacts",
        .groups = groups,
        .most_operands = INT_MAX};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
