// Running the whole pipeline over a scene, in all combinations that a plan has.

#ifndef TOI_CLI_BENCH_CCD_RUN_H
#define TOI_CLI_BENCH_CCD_RUN_H

#include "bench_broad_scene.h"
#include "bench_ccd_rows.h"

enum
{
    MOST_LIMITS = 32,
    MOST_FRACTIONS = 32,
    MOST_SEPARATIONS = 16
};

// What to run, and how.
typedef struct ccd_plan
{
    bool broad[TOI_BROAD_COUNT];
    bool narrow[TOI_NARROW_COUNT];
    bool modes[CCD_MODES];
    int threads[MOST_THREAD_COUNTS];
    int thread_count;
    int64_t limits[MOST_LIMITS]; // bytes; 0: none
    int limit_count;
    double fractions[MOST_FRACTIONS];
    int fraction_count;
    ccd_separation separations[MOST_SEPARATIONS];
    int separation_count;
    bool calls[CCD_CALLS];
    bool loads[CCD_LOADS];
    uint64_t seed; // of the fractions
    double tolerance;
    int32_t max_iterations;
    double time_limit; // a combination whose run takes longer is skipped
    int repeat;
    double enough; // seconds of repeats after which none follows; 0: no limit
} ccd_plan;

// How many rows a scene has if nothing is skipped.
int count_combinations(const ccd_plan *plan);

// The mean edge's length in the first frame. TOI_ERROR_DATA where separations need one, and there
// is none.
toi_status measure_mean_edge(const ccd_plan *plan, const toi_mesh *mesh, double *mean);
// 0 unless it is absolute.
double absolute_separation(const ccd_separation *separation, double mean_edge);

// Adds a row for each combination; `rows` has room for them. What is skipped is said on standard
// error.
toi_status run_ccd_plan(const ccd_plan *plan, const broad_scene *scene, ccd_rows *rows);

#endif
