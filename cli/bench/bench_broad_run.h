// Running the broad phases over a scene.

#ifndef TOI_CLI_BENCH_BROAD_RUN_H
#define TOI_CLI_BENCH_BROAD_RUN_H

#include "bench_broad_rows.h"
#include "bench_broad_scene.h"
#include "toi/device.h"

// What to run, and how.
typedef struct broad_plan
{
    bool methods[TOI_BROAD_COUNT];
    bool brute_anywhere; // brute force was asked for by name: it runs on large scenes too
    bool kept;           // each method also with a toi_broad_memory
    int threads[MOST_THREAD_COUNTS];
    int thread_count;
    int repeat;
    toi_device *device; // the methods that it has run there too, on meshes; or NULL
} broad_plan;

// Adds a row for each method and number of threads. Needs count_memory().
toi_status run_broad(const broad_plan *plan, const broad_scene *scene, broad_rows *rows);

#endif
