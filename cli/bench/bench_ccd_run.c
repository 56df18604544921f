// Runs the whole pipeline in every combination of a plan, one row each.

#include "bench_ccd_run.h"

#include "bench_load.h"
#include "bench_narrow_row.h"
#include "bench_subset.h"
#include "failure.h"
#include "method_options.h"
#include "pair_ranges.h"
#include "progress.h"
#include "text.h"

#include <math.h>

typedef struct runner
{
    const ccd_plan *plan;
    const toi_mesh *mesh;
    mesh_subset subset; // what `mesh` is, unless it is the whole
    toi_impact_array truth;
    double true_earliest; // infinite: there is none
    double mean_edge;     // its length, in the first frame
    ccd_rows *rows;
    progress bar;
} runner;

// ---------------------------------------------------------------------------------------------
// One run

// Stops a run that would take too long, as soon as its progress tells.
typedef struct watch
{
    progress *bar;
    double started;
    double limit;
    double expected; // seconds of a run that was stopped; 0: none was
} watch;

static bool watch_run(void *context, double done)
{
    watch *w = context;
    double elapsed = seconds_now() - w->started;
    double expected = done > 0 ? elapsed / done : elapsed;
    const double trusted = 0.05 * w->limit; // first tasks may be heavier or lighter than others
    if (elapsed > w->limit || (elapsed > trusted && expected > w->limit)) {
        w->expected = fmax(expected, elapsed);
        return false;
    }
    return progress_function() ? show_progress(w->bar, done) : true;
}

static toi_ccd_def make_def(const runner *r, const ccd_row *row, watch *w)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = row->broad;
    def.narrow.method = row->narrow;
    def.narrow.tolerance = r->plan->tolerance;
    def.narrow.max_iterations = r->plan->max_iterations;
    def.narrow.min_separation = row->min_separation;
    if (row->separation.kind == CCD_RELATIVE)
        def.zero_time = toi_solver_policy();
    def.narrow = toi_fit_narrow_def(&def.narrow);
    def.workers = row->threads;
    def.memory_limit = row->memory_limit;
    def.progress = watch_run;
    def.progress_context = w;
    return def;
}

static toi_status ask_stateless(const toi_ccd_def *def, ccd_mode mode, const toi_mesh *mesh,
                                toi_impact_array *impacts, toi_ccd_report *report)
{
    return mode == CCD_ALL ? toi_find_impacts(def, mesh, impacts, report)
                           : toi_find_earliest(def, mesh, report);
}

static toi_status ask_kept(const toi_ccd_def *def, ccd_mode mode, toi_scene *kept,
                           toi_point_view start, toi_point_view end, toi_impact_array *impacts,
                           toi_ccd_report *report)
{
    return mode == CCD_ALL ? toi_scene_find_impacts(kept, def, start, end, impacts, report)
                           : toi_scene_find_earliest(kept, def, start, end, report);
}

// The time is that of the whole call: what a caller waits. A scene goes back before each step that
// is timed, so that a step does not begin with the answer of the one before.
static toi_status run_once(const runner *r, const ccd_row *row, toi_scene *kept, watch *w,
                           toi_impact_array *impacts, toi_ccd_report *report)
{
    toi_ccd_def def = make_def(r, row, w);
    const toi_mesh *mesh = r->mesh;
    toi_status status = TOI_OK;
    w->started = seconds_now();
    if (kept)
        status = ask_kept(&def, row->mode, kept, mesh->end, mesh->start, impacts, report);
    w->started = seconds_now();
    if (status == TOI_OK)
        status = kept ? ask_kept(&def, row->mode, kept, mesh->start, mesh->end, impacts, report)
                      : ask_stateless(&def, row->mode, mesh, impacts, report);
    report->seconds_total = seconds_now() - w->started;
    return status;
}

// A row, and its times so far.
typedef struct contestant
{
    ccd_row row;
    run_times times;
    bool skipped;
} contestant;

static toi_status repeat_runs(runner *r, contestant *c, toi_scene *kept, watch *w,
                              toi_impact_array *impacts)
{
    toi_status status = TOI_OK;
    c->times.warm = false;
    while (status == TOI_OK && wants_run(&c->times)) {
        toi_ccd_report report;
        status = run_once(r, &c->row, kept, w, impacts, &report);
        if (status == TOI_OK && count_run(&c->times, report.seconds_total))
            c->row.report = report;
    }
    if (status != TOI_OK)
        return status;
    c->row.median_seconds = median_seconds(&c->times);
    c->row.mean_seconds = mean_seconds(&c->times);
    c->row.repeats = c->times.count;
    return TOI_OK;
}

static void judge(const runner *r, ccd_row *row, const toi_impact_array *impacts)
{
    const toi_impact *earliest = &row->report.earliest;
    if (row->mode == CCD_ALL)
        row->hash = toi_hash(impacts->data, (size_t)impacts->count * sizeof *impacts->data);
    else
        row->hash = toi_hash(earliest, sizeof *earliest);
    if (!has_truth(row))
        return;
    if (row->mode == CCD_ALL)
        row->truth = judge_impacts(&r->truth, impacts);
    else
        row->truth.late = earliest->time > r->true_earliest;
}

// ---------------------------------------------------------------------------------------------
// Skipping

static void say_skipped(const ccd_row *row, const char *why)
{
    fprintf(stderr, "%s bench ccd: skipped %s, %s, %s after %s, %d thread%s", program_name(),
            row->scene, ccd_mode_name((int)row->mode), narrow_choice((int)row->narrow),
            broad_choice((int)row->broad), row->threads, row->threads == 1 ? "" : "s");
    if (row->fraction < 1)
        fprintf(stderr, ", %g of the faces", row->fraction);
    if (row->separation.kind != CCD_TOUCHING)
        fprintf(stderr, ", separation %s", separation_text(&row->separation).at);
    if (row->calls == CCD_KEPT)
        fprintf(stderr, ", a scene kept");
    if (row->load == CCD_BUSY)
        fprintf(stderr, ", busy");
    fprintf(stderr, ": %s\n", why);
}

// Is the failure one that other combinations need not share? Says so then.
static bool is_skipped(toi_status status, const ccd_row *row, const watch *w)
{
    char why[128];
    if (status == TOI_ERROR_LIMIT && row->memory_limit > 0) {
        say_skipped(row, toi_last_message());
        return true;
    }
    if (status == TOI_ERROR_CANCELLED && w->expected > 0) {
        snprintf(why, sizeof why, "about %.3g s, more than --time-limit %g", w->expected, w->limit);
        say_skipped(row, why);
        return true;
    }
    return false;
}

// With the scene and the load that the row wants, for as long as it is measured.
static toi_status run_row(runner *r, contestant *c, watch *w, toi_impact_array *impacts)
{
    toi_scene *kept = NULL;
    bench_load *load = NULL;
    toi_status status = c->row.calls == CCD_KEPT ? make_kept_scene(r->mesh, &kept) : TOI_OK;
    if (status == TOI_OK && c->row.load == CCD_BUSY)
        status = start_load(&load);
    if (status == TOI_OK)
        status = repeat_runs(r, c, kept, w, impacts);
    stop_load(load);
    toi_free_scene(kept);
    return status;
}

static toi_status measure(runner *r, contestant *c)
{
    toi_impact_array impacts = {0};
    watch w = {.bar = &r->bar, .limit = r->plan->time_limit};
    toi_status status = run_row(r, c, &w, &impacts);
    toi_ccd_def def = make_def(r, &c->row, &w);
    if (status == TOI_OK)
        status = complete_candidates(&def, r->mesh, &c->row.report);
    if (status == TOI_OK)
        judge(r, &c->row, &impacts);
    toi_free_impacts(&impacts);
    end_progress(&r->bar);
    if (status != TOI_OK && is_skipped(status, &c->row, &w)) {
        c->skipped = true;
        return TOI_OK;
    }
    return status;
}

// Each turn begins with a run that is not counted: few runs are one turn. Separations are measured
// for their ratios, so each of their turns counts one run: what the machine does then falls on all.
static int count_turns(const ccd_plan *plan)
{
    if (plan->separation_count > 1 && plan->repeat < 20)
        return plan->repeat;
    return plan->repeat < 20 ? 1 : 5;
}

// The contestants take turns, so that a noisy second of the machine falls on all of them.
static toi_status take_turns(runner *r, contestant *list, int count)
{
    const int turns = count_turns(r->plan);
    toi_status status = TOI_OK;
    for (int turn = 1; turn <= turns; ++turn)
        for (int i = 0; i < count && status == TOI_OK; ++i) {
            contestant *c = &list[i];
            c->times.repeat = (r->plan->repeat * turn + turns - 1) / turns;
            c->times.enough = r->plan->enough * turn / turns;
            if (!c->skipped && wants_run(&c->times))
                status = measure(r, c);
            ++r->bar.run;
        }
    return status;
}

// ---------------------------------------------------------------------------------------------
// All combinations

static bool is_run(const ccd_plan *plan, int mode, int narrow)
{
    return plan->modes[mode] && plan->narrow[narrow] &&
           (mode != CCD_EARLIEST || finds_times((toi_narrow_method)narrow));
}

static int count_chosen(const bool *chosen, int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i)
        sum += chosen[i];
    return sum;
}

static int count_searches(const ccd_plan *plan)
{
    return count_chosen(plan->broad, TOI_BROAD_COUNT) * plan->limit_count * plan->thread_count *
           plan->separation_count * count_chosen(plan->calls, CCD_CALLS) *
           count_chosen(plan->loads, CCD_LOADS);
}

int count_combinations(const ccd_plan *plan)
{
    int questions = 0;
    for (int mode = 0; mode < CCD_MODES; ++mode)
        for (int narrow = 0; narrow < TOI_NARROW_COUNT; ++narrow)
            questions += is_run(plan, mode, narrow);
    return questions * count_searches(plan) * plan->fraction_count;
}

// Rows of one separation that differ in calls, load and threads alone; returns how many.
static int list_contestants(const ccd_plan *plan, ccd_row row, contestant *list)
{
    int count = 0;
    for (int calls = 0; calls < CCD_CALLS; ++calls)
        for (int load = 0; load < CCD_LOADS && plan->calls[calls]; ++load)
            for (int t = 0; t < plan->thread_count && plan->loads[load]; ++t) {
                row.calls = (ccd_calls)calls;
                row.load = (ccd_load)load;
                row.threads = plan->threads[t];
                list[count++] =
                    (contestant){.row = row, .times.always_warm = calls == (int)CCD_KEPT};
            }
    return count;
}

double absolute_separation(const ccd_separation *separation, double mean_edge)
{
    return separation->kind == CCD_ABSOLUTE ? mean_edge / separation->parts : 0;
}

// Those of every separation; what the method does not keep is skipped.
static int list_separations(const runner *r, ccd_row row, contestant *list)
{
    const ccd_plan *plan = r->plan;
    bool keeps = toi_narrow_traits(row.narrow) & TOI_NARROW_TRAIT_SEPARATION;
    int count = 0;
    for (int i = 0; i < plan->separation_count; ++i) {
        int first = count;
        row.separation = plan->separations[i];
        row.min_separation = absolute_separation(&row.separation, r->mean_edge);
        count += list_contestants(plan, row, list + count);
        for (int k = first; k < count && !keeps && !has_truth(&row); ++k) {
            list[k].skipped = true;
            say_skipped(&list[k].row, "the method keeps no separation");
        }
    }
    return count;
}

static toi_status run_search(runner *r, ccd_row row)
{
    size_t most = (size_t)CCD_CALLS * CCD_LOADS * (size_t)r->plan->thread_count *
                  (size_t)r->plan->separation_count;
    contestant *list = toi_allocate(most * sizeof *list);
    if (!list)
        return TOI_ERROR_MEMORY;
    int count = list_separations(r, row, list);
    toi_status status = take_turns(r, list, count);
    for (int i = 0; i < count && status == TOI_OK; ++i)
        if (list[i].skipped)
            ++r->rows->skipped;
        else
            r->rows->data[r->rows->count++] = list[i].row;
    toi_release(list);
    return status;
}

// All that must give the same answer.
static toi_status run_question(runner *r, ccd_row row)
{
    const ccd_plan *plan = r->plan;
    toi_status status = TOI_OK;
    for (int broad = 0; broad < TOI_BROAD_COUNT; ++broad) {
        row.broad = (toi_broad_method)broad;
        for (int i = 0; i < plan->limit_count && plan->broad[broad] && status == TOI_OK; ++i) {
            row.memory_limit = plan->limits[i];
            status = run_search(r, row);
        }
    }
    return status;
}

static double length_of_edge(const toi_mesh *mesh, int64_t edge)
{
    toi_query query =
        toi_gather_query(mesh, TOI_EDGE_EDGE, (toi_pair){(int32_t)edge, (int32_t)edge});
    const double *a = query.start[0], *b = query.start[1];
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

toi_status measure_mean_edge(const ccd_plan *plan, const toi_mesh *mesh, double *mean)
{
    int64_t count = mesh->edges.count;
    bool needed = false;
    for (int i = 0; i < plan->separation_count; ++i)
        needed = needed || plan->separations[i].kind == CCD_ABSOLUTE;
    *mean = 0;
    for (int64_t i = 0; i < count; ++i)
        *mean += length_of_edge(mesh, i) / (double)count;
    return *mean > 0 || !needed
               ? TOI_OK
               : toi_fail(TOI_ERROR_DATA, "--separations has shares of the mean edge, but no edge "
                                          "has a length; use none or relative");
}

static toi_status run_questions(runner *r, ccd_row row)
{
    toi_status status = measure_mean_edge(r->plan, r->mesh, &r->mean_edge);
    if (status == TOI_OK)
        status = find_true_impacts(r->mesh, toi_default_workers(), &r->truth);
    r->true_earliest = INFINITY;
    for (int64_t i = 0; i < r->truth.count; ++i)
        r->true_earliest = fmin(r->true_earliest, r->truth.data[i].time);
    for (int mode = 0; mode < CCD_MODES; ++mode)
        for (int narrow = 0; narrow < TOI_NARROW_COUNT && status == TOI_OK; ++narrow) {
            row.mode = (ccd_mode)mode;
            row.narrow = (toi_narrow_method)narrow;
            if (is_run(r->plan, mode, narrow))
                status = run_question(r, row);
        }
    toi_free_impacts(&r->truth);
    return status;
}

static toi_status run_fraction(runner *r, const frames *whole, ccd_row row)
{
    toi_status status = TOI_OK;
    r->mesh = &whole->mesh;
    if (row.fraction < 1) {
        status = make_subset(whole, row.fraction, r->plan->seed, &r->subset);
        r->mesh = &r->subset.mesh;
    }
    if (status == TOI_OK)
        status = run_questions(r, row);
    free_subset(&r->subset);
    return status;
}

toi_status run_ccd_plan(const ccd_plan *plan, const broad_scene *scene, ccd_rows *rows)
{
    runner r = {.plan = plan,
                .rows = rows,
                .bar = start_progress(count_combinations(plan) * count_turns(plan))};
    ccd_row row = {.fraction = 1};
    copy_name(row.scene, scene->name);
    toi_status status = TOI_OK;
    for (int i = 0; i < plan->fraction_count && status == TOI_OK; ++i) {
        row.fraction = plan->fractions[i];
        status = run_fraction(&r, &scene->moving, row);
    }
    end_progress(&r.bar);
    return status;
}
