// Measures the methods over many steps, every step by each of them in turn.

#include "bench_track_run.h"

#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What one step of one method took; the fastest of all repeats.
typedef struct track_sample
{
    double seconds;
    toi_track_report report;
    int64_t hits[TOI_KIND_COUNT];
    uint64_t hash;
} track_sample;

// A method with its scene.
typedef struct contender
{
    track_variant variant;
    toi_scene *scene;
    track_sample *samples; // one a step
} contender;

typedef struct contest
{
    sequence *motion;
    contender *contenders;
    int count;
    toi_impact_array impacts;
    double motion_sum;
} contest;

// ---------------------------------------------------------------------------------------------
// Who takes part

static void add_contender(contest *c, track_variant variant)
{
    c->contenders[c->count++] = (contender){.variant = variant};
}

static void add_volumes(const track_plan *plan, contest *c, toi_track_method method, int threads)
{
    if (!is_published(method)) {
        add_contender(c, (track_variant){.method = method, .orphans = true, .threads = threads});
        return;
    }
    for (int volume = 0; volume < TOI_VOLUME_COUNT; ++volume)
        if (plan->volumes[volume])
            add_contender(c, (track_variant){method, (toi_volume)volume, true, threads});
}

static toi_volume last_volume(const track_plan *plan)
{
    return plan->volumes[TOI_VOLUME_DOP18] ? TOI_VOLUME_DOP18 : TOI_VOLUME_BOX;
}

// Serial traversal is by one thread, whatever is asked for. Parts of a step are for the number of
// threads that is asked for first.
static void add_contenders(const track_plan *plan, bool cut, contest *c)
{
    int counts = cut ? 1 : plan->thread_count;
    for (int method = 0; method < TOI_TRACK_COUNT; ++method)
        for (int i = 0; i < counts && plan->methods[method]; ++i) {
            bool serial = method == TOI_TRACK_SERIAL;
            if (!serial || i == 0)
                add_volumes(plan, c, (toi_track_method)method, serial ? 1 : plan->threads[i]);
        }
    if (plan->without_orphans && plan->methods[TOI_TRACK_FRONT] && !cut)
        add_contender(c,
                      (track_variant){TOI_TRACK_FRONT, last_volume(plan), false, plan->threads[0]});
}

static int most_contenders(const track_plan *plan)
{
    return TOI_TRACK_COUNT * TOI_VOLUME_COUNT * plan->thread_count + 1;
}

int count_track_rows(const track_plan *plan)
{
    return most_contenders(plan) * (1 + plan->cut_count);
}

// ---------------------------------------------------------------------------------------------
// Steps

static toi_status begin_run(contest *c)
{
    toi_status status = TOI_OK;
    rewind_sequence(c->motion);
    c->motion_sum = 0;
    for (int i = 0; i < c->count && status == TOI_OK; ++i) {
        const track_variant *v = &c->contenders[i].variant;
        toi_track_def def = toi_default_track_def();
        def.method = v->method;
        def.volume = v->volume;
        def.orphans = v->orphans;
        toi_free_scene(c->contenders[i].scene);
        status = make_kept_scene(&c->motion->mesh, &c->contenders[i].scene);
        if (status == TOI_OK)
            status = toi_scene_set_tracking(c->contenders[i].scene, &def);
    }
    return status;
}

static toi_status ask(contest *c, contender *who, bool first)
{
    const toi_mesh *mesh = &c->motion->mesh;
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report found;
    track_sample sample;
    def.workers = who->variant.threads;
    double began = seconds_spent(def.workers);
    toi_status status =
        toi_scene_find_impacts(who->scene, &def, mesh->start, mesh->end, &c->impacts, &found);
    sample.seconds = seconds_spent(def.workers) - began;
    if (status == TOI_OK)
        status = toi_scene_track_report(who->scene, &sample.report);
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        sample.hits[kind] = found.hits[kind];
    sample.hash = toi_hash(c->impacts.data, (size_t)c->impacts.count * sizeof *c->impacts.data);
    track_sample *kept = &who->samples[c->motion->step];
    if (first || sample.seconds < kept->seconds)
        *kept = sample;
    return TOI_OK;
}

// Each step begins with another method, so that none always follows the same one.
static toi_status do_step(contest *c, bool first)
{
    toi_status status = next_step(c->motion);
    if (status != TOI_OK)
        return status;
    c->motion_sum += measure_motion(c->motion);
    for (int i = 0; i < c->count && status == TOI_OK; ++i)
        status = ask(c, &c->contenders[(i + c->motion->step) % c->count], first);
    return status;
}

static toi_status do_runs(contest *c, int repeat)
{
    progress bar = start_progress(repeat);
    toi_progress_fn *show = progress_function();
    toi_status status = TOI_OK;
    for (; bar.run < repeat && status == TOI_OK; ++bar.run) {
        status = begin_run(c);
        for (int i = 0; i < c->motion->steps && status == TOI_OK; ++i) {
            status = do_step(c, bar.run == 0);
            if (show)
                show(&bar, (i + 1.0) / c->motion->steps);
        }
    }
    end_progress(&bar);
    return status;
}

// ---------------------------------------------------------------------------------------------
// What it comes to

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_times(const contender *who, int from, int steps, double *sorted, track_row *row)
{
    int count = steps - from;
    for (int i = from; i < steps; ++i) {
        sorted[i - from] = who->samples[i].seconds;
        row->mean_seconds += who->samples[i].seconds / count;
        row->worst_seconds = fmax(row->worst_seconds, who->samples[i].seconds);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    row->median_seconds = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    row->first_seconds = who->samples[0].seconds;
}

// Counts are far below 2^53, so that sums in double are exact, and rounded once.
static void add_counts(const contender *who, int from, int steps, track_row *row)
{
    double sums[6] = {0};
    int count = steps - from;
    for (int i = from; i < steps; ++i) {
        const toi_track_report *r = &who->samples[i].report;
        const int64_t counts[6] = {r->volume_tests, r->elementary, r->adjacent,
                                   r->front,        r->sprouted,   r->phantom};
        for (int k = 0; k < 6; ++k)
            sums[k] += (double)counts[k];
        row->mean.seconds_refit += r->seconds_refit / count;
        row->mean.seconds_front += r->seconds_front / count;
        row->mean.seconds_solve += r->seconds_solve / count;
        row->rebuilt += (double)r->rebuilt / count;
        row->reordered += (double)r->reordered / count;
        row->mean.kept_bytes =
            r->kept_bytes > row->mean.kept_bytes ? r->kept_bytes : row->mean.kept_bytes;
    }
    int64_t *means[6] = {&row->mean.volume_tests, &row->mean.elementary, &row->mean.adjacent,
                         &row->mean.front,        &row->mean.sprouted,   &row->mean.phantom};
    for (int k = 0; k < 6; ++k)
        *means[k] = llround(sums[k] / count);
}

static void add_answers(const contender *who, int steps, track_row *row)
{
    for (int i = 0; i < steps; ++i) {
        const track_sample *sample = &who->samples[i];
        const uint64_t chain[] = {row->hash, sample->hash};
        row->hash = toi_hash(chain, sizeof chain);
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            row->hits[kind] += sample->hits[kind];
    }
}

static void add_row(const contest *c, const contender *who, const char *name, int repeat,
                    double *room, track_rows *rows)
{
    const sequence *s = c->motion;
    int from = s->steps > 1 ? 1 : 0;
    track_row *row = &rows->data[rows->count++];
    *row = (track_row){.vertices = s->mesh.start.count,
                       .edges = s->edges.count,
                       .faces = s->mesh.faces.count,
                       .cut = s->parts,
                       .steps = s->steps,
                       .motion = c->motion_sum / s->steps,
                       .variant = who->variant,
                       .repeats = repeat};
    snprintf(row->scene, sizeof row->scene, "%s", name);
    add_times(who, from, s->steps, room, row);
    add_counts(who, from, s->steps, row);
    add_answers(who, s->steps, row);
}

static toi_status allocate_samples(contest *c)
{
    for (int i = 0; i < c->count; ++i) {
        contender *who = &c->contenders[i];
        who->samples = toi_allocate((size_t)c->motion->steps * sizeof *who->samples);
        if (!who->samples)
            return TOI_ERROR_MEMORY;
    }
    return TOI_OK;
}

static toi_status measure(const track_plan *plan, sequence *motion, const char *name,
                          track_rows *rows)
{
    contest c = {.motion = motion};
    double *room = toi_allocate((size_t)motion->steps * sizeof *room);
    c.contenders = toi_allocate((size_t)most_contenders(plan) * sizeof *c.contenders);
    toi_status status = room && c.contenders ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK) {
        add_contenders(plan, motion->parts > 0, &c);
        status = allocate_samples(&c);
    }
    if (status == TOI_OK)
        status = do_runs(&c, plan->repeat);
    for (int i = 0; i < c.count; ++i) {
        if (status == TOI_OK)
            add_row(&c, &c.contenders[i], name, plan->repeat, room, rows);
        toi_free_scene(c.contenders[i].scene);
        toi_release(c.contenders[i].samples);
    }
    toi_free_impacts(&c.impacts);
    toi_release(c.contenders);
    toi_release(room);
    return status;
}

toi_status run_track_plan(const track_plan *plan, sequence *motion, const char *name,
                          track_rows *rows)
{
    toi_status status = measure(plan, motion, name, rows);
    for (int i = 0; i < plan->cut_count && status == TOI_OK; ++i) {
        status = cut_sequence(motion, plan->cuts[i], plan->cut_steps);
        if (status == TOI_OK)
            status = measure(plan, motion, name, rows);
    }
    return status;
}
