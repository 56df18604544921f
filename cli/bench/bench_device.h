// Steps and overlaps of a scene on a device, beside the processor: what toi bench ccd and toi bench
// overlap measure with --device.

#ifndef TOI_CLI_BENCH_DEVICE_H
#define TOI_CLI_BENCH_DEVICE_H

#include "bench_broad_scene.h"
#include "bench_overlap_scene.h"
#include "toi/device.h"

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

// Measures all ways; `rows` has room for DEVICE_WAYS.
toi_status measure_device(toi_device *device, const broad_scene *scene, int repeat,
                          device_row *rows);

// The same for overlaps; `rows` has room for OVERLAP_WAYS.
toi_status measure_device_overlaps(toi_device *device, const overlap_scene *scene, int repeat,
                                   device_row *rows);

// A table, with the stages of each row below; JSON; a file.
toi_status print_device_rows(const toi_device *device, const device_row *rows, int count);
toi_status print_device_object(const toi_device *device, const device_row *rows, int count);
toi_status write_device_rows(const char *path, const toi_device *device, const device_row *rows,
                             int count);

// TOI_ERROR_UNSUPPORTED where a hash is not the processor's.
toi_status check_device_rows(const device_row *rows, int count);

#endif
