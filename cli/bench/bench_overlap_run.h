// Measures searches for intersecting faces.

#ifndef TOI_CLI_BENCH_OVERLAP_RUN_H
#define TOI_CLI_BENCH_OVERLAP_RUN_H

#include "bench_overlap_rows.h"
#include "bench_overlap_scene.h"

// What is compared: the methods of the library, kdet with each hash.
enum
{
    OVERLAP_CONTESTANTS = 5
};

// "auto", "kdet", "kdet-djb2", "kdet-morton", "brute"; NULL past the last.
const char *overlap_contestant_name(int index);

// The definition that it stands for.
toi_overlap_def overlap_contestant_def(int index);

typedef struct overlap_plan
{
    bool methods[OVERLAP_CONTESTANTS];
    int64_t brute_limit; // most faces that brute gets
    bool calls[OVERLAP_CALLS_COUNT];
    int threads[MOST_THREAD_COUNTS];
    int thread_count;
    int repeat;
} overlap_plan;

// How many rows a mesh gets at most.
int count_overlap_rows(const overlap_plan *plan);

// Measures all that the plan has on one mesh and adds the rows, for which there must be room. Runs
// take turns, so that what else the machine does meets all of them.
toi_status run_overlap_plan(const overlap_plan *plan, const overlap_scene *scene,
                            overlap_rows *rows);

#endif
