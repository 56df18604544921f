// Repeats of a measurement: when to stop, and their least and median time.

#include "bench_times.h"

#include <stdlib.h>
#include <string.h>

static const double LONG_SECONDS = 10; // what takes longer is not run again

bool wants_run(const run_times *times)
{
    if (times->count == 0)
        return true;
    if (times->enough > 0 && times->count * mean_seconds(times) >= times->enough)
        return false;
    return times->count < times->repeat && times->seconds[times->count - 1] <= LONG_SECONDS;
}

bool count_run(run_times *times, double seconds)
{
    bool counts = times->warm || (seconds > LONG_SECONDS && !times->always_warm);
    times->warm = true;
    if (!counts)
        return false;
    bool fastest = times->count == 0 || seconds < least_seconds(times);
    times->seconds[times->count++] = seconds;
    return fastest;
}

double least_seconds(const run_times *times)
{
    double least = times->seconds[0];
    for (int i = 1; i < times->count; ++i)
        if (times->seconds[i] < least)
            least = times->seconds[i];
    return least;
}

double mean_seconds(const run_times *times)
{
    double sum = 0;
    for (int i = 0; i < times->count; ++i)
        sum += times->seconds[i];
    return sum / times->count;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_seconds(const run_times *times)
{
    double sorted[MOST_REPEATS];
    size_t count = (size_t)times->count;
    memcpy(sorted, times->seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_seconds);
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}
