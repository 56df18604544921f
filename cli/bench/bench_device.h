// Steps and overlaps of a scene on a device, beside the processor: what toi bench ccd and toi bench
// overlap measure with --device.

#ifndef TOI_CLI_BENCH_DEVICE_H
#define TOI_CLI_BENCH_DEVICE_H

#include "bench_ccd_run.h"
#include "bench_overlap_scene.h"
#include "machine.h"

enum
{
    DEVICE_WAYS = 4, // to ask about a step
    OVERLAP_WAYS = 2 // to ask about overlaps
};

// A way to ask about a step of a scene, and what that took.
typedef struct device_row
{
    char scene[48];
    const char *what;      // is counted: "impacts" or "pairs"
    const char *mode;      // "all" or "earliest"; "overlaps"
    char separation[24];   // of impacts: "none", "edge/200", "relative"; else empty
    const char *positions; // where they come from
    double median_seconds; // of warm steps
    double least_seconds;
    int repeats;
    int64_t found; // impacts of "all", pairs
    uint64_t hash; // of the list, or of the earliest impact
    uint64_t cpu_hash;
    double cpu_seconds; // the processor's median, in a scene that is kept
    toi_device_report report;
} device_row;

// Measures all ways, with each separation of the plan; `rows` has room for DEVICE_WAYS of each.
toi_status measure_device(toi_device *device, const broad_scene *scene, const ccd_plan *plan,
                          device_row *rows);

// The same for overlaps; `rows` has room for OVERLAP_WAYS.
toi_status measure_device_overlaps(toi_device *device, const overlap_scene *scene, int repeat,
                                   device_row *rows);

// Copies packed points to page-locked memory, and has the view show them; leaves others as they
// are.
toi_status pin_points(toi_device *device, toi_point_view *view, double **memory);

// Measures one of the scenes; `rows` has room for all ways.
typedef toi_status measure_scene_fn(const void *context, int scene, toi_device *device,
                                    device_row *rows);

// Scenes on a device, and what is made of their rows: a table with the stages of each row below, or
// JSON; and a file. TOI_ERROR_UNSUPPORTED where a hash is not the processor's.
typedef struct device_bench
{
    const machine_choice *machine;
    const char *csv; // or NULL
    bool json;
    int scenes, ways;
    measure_scene_fn *measure;
    const void *context;
} device_bench;

toi_status run_device_bench(const device_bench *bench);

// bench_device_report.c
toi_status print_device_rows(const toi_device *device, const device_row *rows, int count);
toi_status print_device_object(const toi_device *device, const device_row *rows, int count);
toi_status write_device_rows(const char *path, const toi_device *device, const device_row *rows,
                             int count);

#endif
