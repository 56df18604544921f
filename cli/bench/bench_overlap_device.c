// Overlaps of a scene on a device: warm calls, each after one at the frame before, and the
// processor beside it.

#include "bench_device.h"

#include "bench_times.h"
#include "progress.h"
#include "toi/overlap.h"

#include <stdio.h>
#include <string.h>

typedef struct bench_call
{
    toi_device *device; // NULL: the processor
    toi_scene *scene;
    toi_point_view before, points;
    toi_overlap_array list;
} bench_call;

static toi_status run_once(bench_call *b, double *seconds)
{
    toi_overlap_def def = toi_default_overlap_def();
    def.device = b->device;
    toi_status status = toi_scene_find_overlaps(b->scene, &def, b->before, &b->list, NULL);
    double started = seconds_now();
    if (status == TOI_OK)
        status = toi_scene_find_overlaps(b->scene, &def, b->points, &b->list, NULL);
    *seconds = seconds_now() - started;
    return status;
}

static toi_status repeat_runs(bench_call *b, run_times *times)
{
    toi_status status = TOI_OK;
    while (status == TOI_OK && wants_run(times)) {
        double seconds;
        status = run_once(b, &seconds);
        if (status == TOI_OK)
            count_run(times, seconds);
    }
    return status;
}

static uint64_t hash_of(const toi_overlap_array *list)
{
    return toi_hash(list->data, (size_t)list->count * sizeof *list->data);
}

static toi_status measure_processor(const overlap_scene *scene, int repeat, device_row *row)
{
    bench_call b = {.before = scene->before, .points = scene->mesh.start};
    run_times times = {.repeat = repeat, .always_warm = true};
    toi_status status = make_kept_scene(&scene->mesh, &b.scene);
    if (status == TOI_OK)
        status = repeat_runs(&b, &times);
    if (status == TOI_OK) {
        row->cpu_seconds = median_seconds(&times);
        row->cpu_hash = hash_of(&b.list);
    }
    toi_free_overlaps(&b.list);
    toi_free_scene(b.scene);
    return status;
}

// Once more at the end, with its stages timed.
static toi_status measure_way(bench_call *b, int repeat, device_row *row)
{
    run_times times = {.repeat = repeat, .always_warm = true};
    double seconds;
    toi_status status = repeat_runs(b, &times);
    if (status != TOI_OK)
        return status;
    toi_device_measure(b->device, true);
    status = run_once(b, &seconds);
    toi_device_measure(b->device, false);
    row->median_seconds = median_seconds(&times);
    row->least_seconds = least_seconds(&times);
    row->repeats = times.count;
    row->found = b->list.count;
    row->hash = hash_of(&b->list);
    row->report = toi_device_last_report(b->device);
    return status;
}

toi_status measure_device_overlaps(toi_device *device, const overlap_scene *scene, int repeat,
                                   device_row *rows)
{
    bench_call b = {.device = device, .before = scene->before, .points = scene->mesh.start};
    double *pinned[2] = {NULL, NULL};
    rows[0] = (device_row){.what = "pairs", .mode = "overlaps", .positions = "pageable"};
    snprintf(rows[0].scene, sizeof rows[0].scene, "%s", scene->name);
    toi_status status = measure_processor(scene, repeat < 5 ? repeat : 5, &rows[0]);
    rows[1] = rows[0];
    rows[1].positions = "page-locked";
    if (status == TOI_OK)
        status = make_kept_scene(&scene->mesh, &b.scene);
    if (status == TOI_OK)
        status = measure_way(&b, repeat, &rows[0]);
    if (status == TOI_OK)
        status = pin_points(device, &b.before, &pinned[0]);
    if (status == TOI_OK)
        status = pin_points(device, &b.points, &pinned[1]);
    if (status == TOI_OK)
        status = measure_way(&b, repeat, &rows[1]);
    toi_free_overlaps(&b.list);
    toi_free_scene(b.scene);
    toi_device_release(device, pinned[1]);
    toi_device_release(device, pinned[0]);
    return status;
}
