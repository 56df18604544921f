// Options that several benchmarks have, as rows of their tables (options.h). `settings` is the
// structure that holds the values, with a `common` among them.

#ifndef TOI_CLI_BENCH_OPTIONS_H
#define TOI_CLI_BENCH_OPTIONS_H

#include "bench_times.h"
#include "options.h"

#include <stddef.h>

#define REPEAT_OPTION(settings, words)                                                             \
    {                                                                                              \
        .name = "repeat", .type = OPTION_INT, .offset = offsetof(settings, common.repeat),         \
        .argument = "N", .help = words, .least = 1, .most = MOST_REPEATS, .range = REPEAT_RANGE    \
    }

#define THREADS_OPTION(settings)                                                                   \
    {                                                                                              \
        .name = "threads", .type = OPTION_INT, .offset = offsetof(settings, common.threads),       \
        .argument = "N", .help = "use N threads; 0: all cores", .most = TOI_MAX_WORKERS,           \
        .range = "a whole number from 0 to 1024"                                                   \
    }

// A list; `threads` is a text.
#define THREADS_LIST_OPTION(settings, words)                                                       \
    {                                                                                              \
        .name = "threads", .type = OPTION_TEXT, .offset = offsetof(settings, threads),             \
        .argument = "A,B,C", .help = "with so many threads each, 0: all cores; " words             \
    }

#define SIMD_OPTION(settings)                                                                      \
    {                                                                                              \
        .name = "simd", .type = OPTION_CHOICE, .offset = offsetof(settings, common.simd),          \
        .argument = "SET", .help = "use these instructions and no better ones",                    \
        .choice = simd_choice                                                                      \
    }

#define CSV_OPTION(settings, words)                                                                \
    {                                                                                              \
        .name = "csv", .type = OPTION_FILE, .offset = offsetof(settings, csv),                     \
        .argument = "FILE.csv", .help = "write every row, " words                                  \
    }

#define COLUMNS_NAMED "its columns named in the first line"

#define JSON_OPTION(settings)                                                                      \
    {                                                                                              \
        .name = "json", .offset = offsetof(settings, common.json),                                 \
        .help = "print one JSON object and nothing else"                                           \
    }

#define TOLERANCE_OPTION(settings, words)                                                          \
    {                                                                                              \
        .name = "tolerance", .type = OPTION_NUMBER, .offset = offsetof(settings, tolerance),       \
        .argument = "T", .help = "of inclusion, inclusion-queue and fast; " words,                 \
        .least = DBL_TRUE_MIN, .most = DBL_MAX, .range = "a number above 0"                        \
    }

#define ITERATIONS_OPTION(settings, one)                                                           \
    {                                                                                              \
        .name = "max-iterations", .type = OPTION_INT,                                              \
        .offset = offsetof(settings, max_iterations), .argument = "N",                             \
        .help = "budget of a " one "; when it runs out, it is undecided", .least = 1,              \
        .most = INT32_MAX, .range = "a whole number from 1 to 2147483647"                          \
    }

#define SLOW_LIMIT_OPTION(settings)                                                                \
    {                                                                                              \
        .name = "slow-limit", .type = OPTION_INT64, .offset = offsetof(settings, slow_limit),      \
        .argument = "N",                                                                           \
        .help =                                                                                    \
            "a method that takes more than 2 microseconds a query gets only N, spread evenly, "    \
            "or what 20 seconds hold; 0: all",                                                     \
        .most = INT32_MAX, .range = "a whole number from 0 to 2147483647"                          \
    }

#endif
