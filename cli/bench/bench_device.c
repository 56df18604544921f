// Runs the steps of a scene on a device: warm, each after one back, and the processor beside it.

#include "bench_device.h"

#include "bench_times.h"
#include "failure.h"
#include "progress.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

// Where the ways find their positions.
typedef struct bench_step
{
    toi_device *device; // NULL: the processor
    toi_ccd_def def;    // of the question
    toi_scene *scene;
    toi_mesh mesh;         // the caller's arrays
    toi_mesh pinned;       // copies in page-locked memory
    toi_impact_array list; // what calls fill that copy impacts
    bool both;             // loose points need both ends on the host
    bool hashed;           // the answer; not while it is timed
    uint64_t hash;
    int64_t impacts;
} bench_step;

typedef toi_status ask_fn(bench_step *b, const toi_ccd_def *def, toi_point_view start,
                          toi_point_view end);

static toi_status ask_view(bench_step *b, const toi_ccd_def *def, toi_point_view start,
                           toi_point_view end)
{
    toi_impact_view view;
    toi_status status = toi_scene_view_impacts(b->scene, def, start, end, TOI_ON_HOST, &view, NULL);
    b->impacts = view.count;
    if (status == TOI_OK && b->hashed)
        b->hash = toi_hash(view.data, (size_t)view.count * sizeof *view.data);
    return status;
}

static toi_status ask_list(bench_step *b, const toi_ccd_def *def, toi_point_view start,
                           toi_point_view end)
{
    toi_status status = toi_scene_find_impacts(b->scene, def, start, end, &b->list, NULL);
    b->impacts = b->list.count;
    if (status == TOI_OK && b->hashed)
        b->hash = toi_hash(b->list.data, (size_t)b->list.count * sizeof *b->list.data);
    return status;
}

static toi_status ask_earliest(bench_step *b, const toi_ccd_def *def, toi_point_view start,
                               toi_point_view end)
{
    toi_ccd_report report;
    toi_status status = toi_scene_find_earliest(b->scene, def, start, end, &report);
    b->impacts = 0;
    if (status == TOI_OK && b->hashed)
        b->hash = toi_hash(&report.earliest, sizeof report.earliest);
    return status;
}

typedef struct way
{
    const char *mode, *positions;
    ask_fn *ask;
    bool resumed;  // only the end travels, from page-locked memory
    int reference; // of the processor's answers
} way;

static const way ways[DEVICE_WAYS] = {
    {"all", "end page-locked", ask_view, true, 0},
    {"all", "both pageable", ask_list, false, 0},
    {"earliest", "end page-locked", ask_earliest, true, 1},
    {"earliest", "both pageable", ask_earliest, false, 1},
};

// Back, which is not timed, then the step.
static toi_status run_once(bench_step *b, const way *w, double *seconds)
{
    toi_ccd_def def = b->def;
    def.device = b->device;
    const toi_point_view last_end = {0};
    const toi_mesh *mesh = w->resumed ? &b->pinned : &b->mesh;
    toi_status status = w->ask(b, &def, mesh->end, mesh->start);
    double started = seconds_now();
    if (status == TOI_OK)
        status = w->ask(b, &def, w->resumed && !b->both ? last_end : mesh->start, mesh->end);
    *seconds = seconds_now() - started;
    return status;
}

static toi_status repeat_runs(bench_step *b, const way *w, run_times *times)
{
    toi_status status = TOI_OK;
    b->hashed = false;
    while (status == TOI_OK && wants_run(times)) {
        double seconds;
        status = run_once(b, w, &seconds);
        if (status == TOI_OK)
            count_run(times, seconds);
    }
    return status;
}

// Once more, for its hash and with its stages timed.
static toi_status look_closely(bench_step *b, const way *w, device_row *row)
{
    double seconds;
    toi_device_measure(b->device, true);
    b->hashed = true;
    toi_status status = run_once(b, w, &seconds);
    toi_device_measure(b->device, false);
    row->hash = b->hash;
    row->found = b->impacts;
    row->report = toi_device_last_report(b->device);
    return status;
}

static toi_status measure_way(bench_step *b, const way *w, int repeat, device_row *row)
{
    run_times times = {.repeat = repeat, .always_warm = true};
    toi_status status = repeat_runs(b, w, &times);
    if (status == TOI_ERROR_UNSUPPORTED && w->resumed && !b->both) {
        b->both = true;
        status = repeat_runs(b, w, &times);
    }
    if (status != TOI_OK)
        return status;
    row->mode = w->mode;
    row->positions = w->resumed && b->both ? "both page-locked" : w->positions;
    row->median_seconds = median_seconds(&times);
    row->least_seconds = least_seconds(&times);
    row->repeats = times.count;
    return look_closely(b, w, row);
}

// ---- The processor

typedef struct reference
{
    double seconds;
    uint64_t hash;
} reference;

static toi_status measure_processor(const bench_step *on_device, const way *w, int repeat,
                                    reference *r)
{
    bench_step b = {.def = on_device->def, .mesh = on_device->mesh};
    run_times times = {.repeat = repeat, .always_warm = true};
    toi_status status = make_kept_scene(&b.mesh, &b.scene);
    if (status == TOI_OK)
        status = repeat_runs(&b, w, &times);
    b.hashed = true;
    if (status == TOI_OK)
        status = run_once(&b, w, &r->seconds);
    if (status == TOI_OK)
        *r = (reference){median_seconds(&times), b.hash};
    toi_free_impacts(&b.list);
    toi_free_scene(b.scene);
    return status;
}

// ---- All of it

toi_status pin_points(toi_device *device, toi_point_view *view, double **memory)
{
    bool packed = view->scalar == TOI_DOUBLE &&
                  (view->stride == 0 || view->stride == 3 * (int64_t)sizeof(double));
    size_t bytes = (size_t)view->count * 3 * sizeof(double);
    if (!packed || bytes == 0)
        return TOI_OK;
    *memory = toi_device_allocate(device, bytes);
    if (!*memory)
        return TOI_ERROR_MEMORY;
    *view = toi_view_points(memcpy(*memory, view->data, bytes), view->count);
    return TOI_OK;
}

static toi_status measure_ways(bench_step *b, const broad_scene *scene, int repeat,
                               const ccd_separation *separation, device_row *rows)
{
    reference cpu[2];
    int few = repeat < 5 ? repeat : 5;
    toi_status status = measure_processor(b, &ways[1], few, &cpu[0]);
    if (status == TOI_OK)
        status = measure_processor(b, &ways[3], few, &cpu[1]);
    for (int i = 0; i < DEVICE_WAYS && status == TOI_OK; ++i) {
        const reference *beside = &cpu[ways[i].reference];
        rows[i] = (device_row){
            .what = "impacts", .cpu_seconds = beside->seconds, .cpu_hash = beside->hash};
        snprintf(rows[i].scene, sizeof rows[i].scene, "%s", scene->name);
        snprintf(rows[i].separation, sizeof rows[i].separation, "%s",
                 separation_text(separation).at);
        status = measure_way(b, &ways[i], repeat, &rows[i]);
    }
    return status;
}

static toi_status measure_separations(bench_step *b, const broad_scene *scene, const ccd_plan *plan,
                                      double mean_edge, device_row *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < plan->separation_count && status == TOI_OK; ++i) {
        const ccd_separation *separation = &plan->separations[i];
        b->def = toi_default_ccd_def();
        b->def.narrow.min_separation = absolute_separation(separation, mean_edge);
        if (separation->kind == CCD_RELATIVE)
            b->def.zero_time = toi_solver_policy();
        status = measure_ways(b, scene, plan->repeat, separation, rows + i * DEVICE_WAYS);
    }
    return status;
}

toi_status measure_device(toi_device *device, const broad_scene *scene, const ccd_plan *plan,
                          device_row *rows)
{
    bench_step b = {.device = device, .mesh = scene->moving.mesh, .pinned = scene->moving.mesh};
    double mean_edge;
    toi_status status = measure_mean_edge(plan, &b.mesh, &mean_edge);
    double *pinned[2] = {NULL, NULL};
    if (status == TOI_OK)
        status = pin_points(device, &b.pinned.start, &pinned[0]);
    if (status == TOI_OK)
        status = pin_points(device, &b.pinned.end, &pinned[1]);
    if (status == TOI_OK)
        status = make_kept_scene(&b.mesh, &b.scene);
    if (status == TOI_OK)
        status = measure_separations(&b, scene, plan, mean_edge, rows);
    toi_free_impacts(&b.list);
    toi_free_scene(b.scene);
    toi_device_release(device, pinned[1]);
    toi_device_release(device, pinned[0]);
    return status;
}

static toi_status check_rows(const device_row *rows, int count)
{
    for (int i = 0; i < count; ++i)
        if (rows[i].hash != rows[i].cpu_hash)
            return toi_fail(TOI_ERROR_UNSUPPORTED,
                            "%s, %s: the device's answer has the hash %s, the processor's %s: a "
                            "bug of toi",
                            rows[i].scene, rows[i].mode, hash_text(rows[i].hash).at,
                            hash_text(rows[i].cpu_hash).at);
    return TOI_OK;
}

static toi_status report_rows(const device_bench *b, const toi_device *device,
                              const device_row *rows)
{
    int count = b->scenes * b->ways;
    toi_status status = b->csv ? write_device_rows(b->csv, device, rows, count) : TOI_OK;
    if (status == TOI_OK)
        status = b->json ? print_device_object(device, rows, count)
                         : print_device_rows(device, rows, count);
    return status == TOI_OK ? check_rows(rows, count) : status;
}

toi_status run_device_bench(const device_bench *b)
{
    toi_device *device = NULL;
    device_row *rows = toi_allocate(((size_t)b->scenes * (size_t)b->ways + 1) * sizeof *rows);
    toi_status status = rows ? open_machine(b->machine, 0, &device) : TOI_ERROR_MEMORY;
    for (int i = 0; i < b->scenes && status == TOI_OK; ++i)
        status = b->measure(b->context, i, device, rows + i * b->ways);
    if (status == TOI_OK)
        status = report_rows(b, device, rows);
    toi_close_device(device);
    toi_release(rows);
    return status;
}
