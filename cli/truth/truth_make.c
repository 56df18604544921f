// toi truth START END --out DIR: exact truth, step by step.
//
// A step's lists are found in a moment and written each time; its certificates take the time, so
// they go on where work was stopped.

#include "output.h"
#include "progress.h"
#include "signals.h"
#include "truth.h"
#include "truth_binary.h"
#include "truth_dataset.h"
#include "truth_entries.h"
#include "truth_report.h"
#include "truth_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct maker
{
    const truth_settings *s;
    const operand_list *operands;
    bool formats[FORMAT_COUNT];
    toi_ccd_def def;
    progress bar;
    frames frames;     // of the step at hand
    uint64_t topology; // of the step before
} maker;

// ---------------------------------------------------------------------------------------------
// Stopping, and the bar

static toi_status check_stopped(void)
{
    if (!stop_wanted())
        return TOI_OK;
    return toi_fail(TOI_ERROR_CANCELLED, "stopped; the same command goes on from here");
}

static const double lists_share = 0.1; // of a step's time, roughly

static void show_share(maker *m, double done)
{
    toi_progress_fn *show = progress_function();
    if (show)
        show(&m->bar, done);
}

static bool watch_search(void *context, double done)
{
    show_share(context, lists_share * done);
    return !stop_wanted();
}

static bool watch_certificates(void *context, double done)
{
    show_share(context, lists_share + (1 - lists_share) * done);
    return !stop_wanted();
}

// ---------------------------------------------------------------------------------------------
// Frames

static int64_t count_steps(const maker *m)
{
    if (!m->s->choice.scene)
        return m->operands->count - 1;
    return m->s->choice.frames > 0 ? m->s->choice.frames - 1 : 1;
}

// Which numbers stand for which primitives; the same in all frames of a dataset.
static uint64_t hash_topology(const frames *f)
{
    uint64_t hashes[] = {(uint64_t)f->mesh.start.count,
                         toi_hash(f->faces, (size_t)f->mesh.faces.count * sizeof *f->faces),
                         toi_hash(f->loose, (size_t)f->loose_count * sizeof *f->loose)};
    return toi_hash(hashes, sizeof hashes);
}

static toi_status load_files(maker *m, int64_t step)
{
    operand_list two = *m->operands;
    if (two.count > 2)
        two = (operand_list){.at = m->operands->at + step, .count = 2};
    free_frames(&m->frames);
    toi_status status = load_frames(&m->s->choice, &two, &m->frames);
    if (status != TOI_OK)
        return status;
    uint64_t topology = hash_topology(&m->frames);
    if (step > 0 && topology != m->topology)
        return toi_fail(TOI_ERROR_DATA,
                        "%s: numbers its vertices otherwise than the frames before; give each step "
                        "a folder of its own",
                        two.at[1]);
    m->topology = topology;
    return TOI_OK;
}

// A scene is made once; its frames lie one behind the other.
static toi_status load_scene(maker *m, int64_t step)
{
    frames *f = &m->frames;
    if (step == 0) {
        scene_choice choice = m->s->choice;
        choice.frame = 0;
        return load_frames(&choice, m->operands, f);
    }
    f->start = f->end;
    f->end += f->made.point_count;
    f->mesh.start.data = f->start;
    f->mesh.end.data = f->end;
    snprintf(f->name, sizeof f->name, "%s, frames %" PRId64 " and %" PRId64, m->s->choice.scene,
             step, step + 1);
    return TOI_OK;
}

static toi_status write_frame(const maker *m, int64_t number, toi_point_view points, bool keep)
{
    char path[PATH_MAX];
    toi_index_view loose = {(const int32_t *)m->frames.loose, m->frames.loose_count, 0};
    toi_status status = name_frame_file(m->s->out, number, path);
    if (status != TOI_OK || (keep && is_file(path)))
        return status;
    return toi_write_ply(path, points, m->frames.mesh.faces, loose);
}

// ---------------------------------------------------------------------------------------------
// A step

static toi_status write_lists(const maker *m, int64_t number, const truth_entries *found, bool keep)
{
    toi_status status = TOI_OK;
    for (int format = FORMAT_BINARY + 1; format < FORMAT_COUNT; ++format)
        for (int kind = 0; kind < TOI_PAIR_KINDS && m->formats[format]; ++kind) {
            char path[PATH_MAX];
            if (status == TOI_OK)
                status = check_stopped();
            if (status == TOI_OK)
                status = name_truth_file(m->s->out, LAYOUT_STEPS, number, (truth_format)format,
                                         (toi_kind)kind, path);
            if (status == TOI_OK && !(keep && is_file(path)))
                status = write_truth_list(path, (truth_format)format, (toi_kind)kind,
                                          &m->frames.mesh, found);
        }
    return status;
}

// The binary comes last: where it is, all else is of the same step and whole.
static toi_status make_step(maker *m, int64_t step, truth_entries *found, step_report *report)
{
    const toi_mesh *mesh = &m->frames.mesh;
    int64_t number = m->s->first + step;
    char *path = report->binary;
    const binary_job job = {.path = path,
                            .mesh = mesh,
                            .list = (toi_truth_list)m->s->list,
                            .workers = m->def.workers,
                            .progress = watch_certificates,
                            .progress_context = m};
    toi_status status =
        name_truth_file(m->s->out, LAYOUT_STEPS, number, FORMAT_BINARY, TOI_VERTEX_FACE, path);
    if (status == TOI_OK && m->s->restart)
        status = forget_binary(path);
    if (status == TOI_OK)
        status = find_entries(&m->def, mesh, (toi_truth_list)m->s->list, found);
    if (status == TOI_OK)
        status = look_for_binary(&job, found, &report->there_already);
    bool keep = report->there_already;
    if (status == TOI_OK)
        status = write_frame(m, number, mesh->start, keep || step > 0);
    if (status == TOI_OK)
        status = write_frame(m, number + 1, mesh->end, keep);
    if (status == TOI_OK)
        status = write_lists(m, number, found, keep);
    if (!m->formats[FORMAT_BINARY])
        path[0] = '\0';
    else if (status == TOI_OK && !keep)
        status = write_binary(&job, found, &report->resumed);
    return status;
}

static toi_status make_folders(const maker *m)
{
    char path[PATH_MAX];
    toi_status status = name_frame_file(m->s->out, 0, path);
    for (int format = -1; format < FORMAT_COUNT && status == TOI_OK; ++format) {
        if (format >= 0 && !m->formats[format])
            continue;
        if (format >= 0)
            status = name_truth_file(m->s->out, LAYOUT_STEPS, 0, (truth_format)format,
                                     TOI_VERTEX_FACE, path);
        if (status == TOI_OK) {
            *strrchr(path, '/') = '\0';
            status = make_folder(path);
        }
    }
    return status;
}

static toi_status run_step(maker *m, int64_t step, truth_report *report)
{
    double started = seconds_now();
    truth_entries found = {0};
    step_report made = {.number = m->s->first + step};
    toi_status status = m->s->choice.scene ? load_scene(m, step) : load_files(m, step);
    if (status == TOI_OK && step == 0)
        status = make_folders(m);
    if (status == TOI_OK)
        status = make_step(m, step, &found, &made);
    if (status == TOI_OK)
        status = describe_step(&made);
    made.seconds = seconds_now() - started;
    end_progress(&m->bar);
    if (status == TOI_OK)
        report_step(report, &m->frames, &found, &made);
    free_entries(&found);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All of them

toi_status make_truth(const truth_settings *s, const operand_list *operands, int threads)
{
    maker m = {.s = s, .operands = operands, .def = truth_ccd_def(s, TOI_BROAD_AUTO, threads)};
    m.def.progress = watch_search;
    m.def.progress_context = &m;
    truth_report report = start_truth_report(s, threads);
    stop_softly();
    toi_status status = choose_names("formats", s->formats, format_choice, m.formats);
    int64_t steps = count_steps(&m);
    m.bar = start_progress((int)(steps > 1 ? steps : 1));
    // At least one, so that whatever is wrong with the operands is said where they are read.
    for (; status == TOI_OK && (m.bar.run < steps || m.bar.run == 0); ++m.bar.run)
        status = run_step(&m, m.bar.run, &report);
    if (status == TOI_ERROR_CANCELLED)
        status = check_stopped(); // in our words, whoever noticed it
    free_frames(&m.frames);
    toi_status printed = end_truth_report(&report, status == TOI_OK);
    return status == TOI_OK ? printed : status;
}
