// Runs every method of a plan on a mesh, in turns, one row each.

#include "bench_overlap_run.h"

#include "bench_times.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>

// A row, what it keeps between its runs, and its times so far.
typedef struct contestant
{
    overlap_row row;
    toi_overlap_def def;
    toi_scene *kept; // NULL: one-shot
    toi_overlap_array overlaps;
    run_times times;
} contestant;

static const struct
{
    const char *name;
    toi_overlap_method method;
    toi_cell_hash hash;
} known[OVERLAP_CONTESTANTS] = {{"auto", TOI_OVERLAP_AUTO, TOI_CELL_HASH_BRICKS},
                                {"kdet", TOI_OVERLAP_KDET, TOI_CELL_HASH_BRICKS},
                                {"kdet-djb2", TOI_OVERLAP_KDET, TOI_CELL_HASH_DJB2},
                                {"kdet-morton", TOI_OVERLAP_KDET, TOI_CELL_HASH_MORTON},
                                {"brute", TOI_OVERLAP_BRUTE, TOI_CELL_HASH_BRICKS}};

const char *overlap_contestant_name(int index)
{
    return index < OVERLAP_CONTESTANTS ? known[index].name : NULL;
}

toi_overlap_def overlap_contestant_def(int index)
{
    toi_overlap_def def = toi_default_overlap_def();
    def.method = known[index].method;
    def.hash = known[index].hash;
    return def;
}

int count_overlap_rows(const overlap_plan *plan)
{
    int methods = 0, calls = 0;
    for (int i = 0; i < OVERLAP_CONTESTANTS; ++i)
        methods += plan->methods[i];
    for (int i = 0; i < OVERLAP_CALLS_COUNT; ++i)
        calls += plan->calls[i];
    return methods * calls * plan->thread_count;
}

// A scene was at the frame before, so that it finds an order that is nearly right, as in a
// simulation.
static toi_status run_once(const overlap_scene *scene, contestant *c)
{
    toi_overlap_report report;
    toi_status status = TOI_OK;
    if (c->kept)
        status = toi_scene_find_overlaps(c->kept, &c->def, scene->before, &c->overlaps, &report);
    double started = seconds_spent(c->row.threads);
    if (status == TOI_OK)
        status = c->kept ? toi_scene_find_overlaps(c->kept, &c->def, scene->mesh.start,
                                                   &c->overlaps, &report)
                         : toi_find_overlaps(&c->def, &scene->mesh, &c->overlaps, &report);
    double seconds = seconds_spent(c->row.threads) - started;
    if (status == TOI_OK && count_run(&c->times, seconds)) {
        c->row.report = report;
        c->row.report.seconds_total = seconds; // one thread: of its own clock
    }
    return status;
}

static toi_status run_all(const overlap_scene *scene, contestant *all, int count)
{
    toi_status status = TOI_OK;
    for (bool more = true; more && status == TOI_OK;) {
        more = false;
        for (int i = 0; i < count && status == TOI_OK; ++i)
            if (wants_run(&all[i].times)) {
                status = run_once(scene, &all[i]);
                more = true;
            }
    }
    return status;
}

static void finish_row(contestant *c, overlap_rows *rows)
{
    c->row.median_seconds = median_seconds(&c->times);
    c->row.mean_seconds = mean_seconds(&c->times);
    c->row.repeats = c->times.count;
    c->row.hash = toi_hash(c->overlaps.data, (size_t)c->overlaps.count * sizeof *c->overlaps.data);
    rows->data[rows->count++] = c->row;
}

static toi_status start_contestant(const overlap_plan *plan, const overlap_scene *scene, int method,
                                   int calls, int threads, contestant *c)
{
    *c = (contestant){.def = overlap_contestant_def(method), .times = {.repeat = plan->repeat}};
    c->def.workers = threads;
    c->row = (overlap_row){
        .vertices = scene->mesh.start.count, .calls = (overlap_calls)calls, .threads = threads};
    snprintf(c->row.scene, sizeof c->row.scene, "%s", scene->name);
    snprintf(c->row.method, sizeof c->row.method, "%s", overlap_contestant_name(method));
    return calls == OVERLAP_KEPT ? make_kept_scene(&scene->mesh, &c->kept) : TOI_OK;
}

// Brute force takes time with the square of the faces.
static bool is_run(const overlap_plan *plan, const overlap_scene *scene, int method)
{
    return plan->methods[method] && (known[method].method != TOI_OVERLAP_BRUTE ||
                                     scene->mesh.faces.count <= plan->brute_limit);
}

static toi_status start_all(const overlap_plan *plan, const overlap_scene *scene, contestant *all,
                            int *count)
{
    toi_status status = TOI_OK;
    *count = 0;
    for (int calls = 0; calls < OVERLAP_CALLS_COUNT; ++calls)
        for (int method = 0; method < OVERLAP_CONTESTANTS; ++method)
            for (int t = 0; t < plan->thread_count && status == TOI_OK; ++t)
                if (plan->calls[calls] && is_run(plan, scene, method))
                    status = start_contestant(plan, scene, method, calls, plan->threads[t],
                                              &all[(*count)++]);
    return status;
}

toi_status run_overlap_plan(const overlap_plan *plan, const overlap_scene *scene,
                            overlap_rows *rows)
{
    int most = count_overlap_rows(plan), count = 0;
    contestant *all = toi_allocate((size_t)most * sizeof *all);
    if (!all)
        return TOI_ERROR_MEMORY;
    toi_status status = start_all(plan, scene, all, &count);
    if (status == TOI_OK)
        status = run_all(scene, all, count);
    for (int i = 0; i < count; ++i) {
        if (status == TOI_OK)
            finish_row(&all[i], rows);
        toi_free_scene(all[i].kept);
        toi_free_overlaps(&all[i].overlaps);
    }
    toi_release(all);
    return status;
}
