// Running the methods over the queries of a source.

#ifndef TOI_CLI_BENCH_NARROW_RUN_H
#define TOI_CLI_BENCH_NARROW_RUN_H

#include "bench_narrow_row.h"

enum
{
    MOST_TOLERANCES = 8,
    MOST_METHODS = TOI_NARROW_COUNT + MOST_TOLERANCES - 1, // `fast` runs with each tolerance
    MOST_PIPELINES = 2,
    BENCH_KINDS = TOI_PAIR_KINDS + 1 // both kinds together are the last
};

// What to run, and how.
typedef struct bench_plan
{
    bench_method methods[MOST_METHODS];
    int method_count;
    int32_t max_iterations;
    int64_t slow_limit; // most queries for a slow method; 0: all of them
    bool contacts;      // count them, in a run that is not timed
    int repeat;
    int workers;
} bench_plan;

// The whole pipeline from candidates to impacts, as users run it.
typedef struct bench_pipeline
{
    bench_method run;
    toi_ccd_report report; // of the fastest narrow phase
    double median_seconds; // of the narrow phases
    int repeats;
    uint64_t hash; // of the impacts
} bench_pipeline;

typedef struct bench_result
{
    bench_row rows[BENCH_KINDS][MOST_METHODS];
    bench_pipeline pipelines[MOST_PIPELINES];
    int pipeline_count;
    // Queries that the truth calls otherwise than their file does.
    int64_t file_answers;
    int64_t file_differences;
} bench_result;

toi_status run_methods(const bench_plan *plan, const query_source *source, bench_result *result);

// Where the source is a mesh: those of `exact` and `inclusion` that the plan has.
toi_status run_pipelines(const bench_plan *plan, const query_source *source, bench_result *result);

#endif
