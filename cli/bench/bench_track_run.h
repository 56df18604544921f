// Runs the methods over many steps side by side: every step by each of them in turn.

#ifndef TOI_CLI_BENCH_TRACK_RUN_H
#define TOI_CLI_BENCH_TRACK_RUN_H

#include "bench_track_rows.h"
#include "sequence.h"

enum
{
    MOST_CUTS = 16
};

typedef struct track_plan
{
    bool methods[TOI_TRACK_COUNT];
    bool volumes[TOI_VOLUME_COUNT];
    bool without_orphans; // the front without orphan sets, too
    int threads[MOST_THREAD_COUNTS];
    int thread_count;
    int cuts[MOST_CUTS];
    int cut_count;
    int cut_steps; // of each cut
    int repeat;
} track_plan;

// The most rows that a sequence gives.
int count_track_rows(const track_plan *plan);

// Measures the sequence, then its last step cut into parts, and adds the rows.
toi_status run_track_plan(const track_plan *plan, sequence *motion, const char *name,
                          track_rows *rows);

#endif
