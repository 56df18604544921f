// Work that is run again and again, for its least, mean and median time.
//
//     run_times times = {.repeat = repeat};
//     while (status == TOI_OK && wants_run(&times)) {
//         status = work(&seconds);
//         if (status == TOI_OK && count_run(&times, seconds))
//             ... this run is the fastest so far
//     }

#ifndef TOI_CLI_BENCH_TIMES_H
#define TOI_CLI_BENCH_TIMES_H

#include <stdbool.h>

enum
{
    MOST_REPEATS = 1000
};

#define REPEAT_RANGE "a whole number from 1 to 1000"

// The first run finds cold caches and unmapped memory: it is not counted, unless it takes longer
// than 10 s. Then caches do not matter, and it is the only one.
typedef struct run_times
{
    int repeat;       // runs to count, at most MOST_REPEATS
    double enough;    // seconds that all counted runs take together, then none follows; 0: no limit
    bool always_warm; // the first is not counted, however long: it is of another kind than the rest
    bool warm;        // the first is over
    int count;        // runs that are counted
    double seconds[MOST_REPEATS];
} run_times;

bool wants_run(const run_times *times);

// Adds a run; true where it is counted and none was faster.
bool count_run(run_times *times, double seconds);

// All need at least one run that is counted.
double least_seconds(const run_times *times);
double mean_seconds(const run_times *times);
double median_seconds(const run_times *times);

#endif
