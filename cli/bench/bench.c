// toi bench: measurements, each with its own options.

#include "bench.h"

#include "command.h"
#include "failure.h"
#include "names.h"

#include <stdio.h>
#include <string.h>

static const struct
{
    const char *name;
    const char *command; // for messages
    const char *summary;
    int (*run)(int argc, char **argv);
} benchmarks[] = {
    {"broad", "bench broad", "all broad phases side by side: time, memory, the same pairs",
     run_bench_broad},
    {"narrow", "bench narrow", "all narrow phases side by side: cost, errors, times",
     run_bench_narrow},
    {"ccd", "bench ccd", "the whole pipeline: stages, threads, memory limits, sizes, errors",
     run_bench_ccd},
    {"track", "bench track", "one step after the other: what remembering saves, by every method",
     run_bench_track},
    {"sdf", "bench sdf", "meshes against distance fields: cost, and a study against the truth",
     run_bench_sdf},
    {"overlap", "bench overlap", "faces that intersect: every method, in one shot and kept",
     run_bench_overlap},
};

enum
{
    BENCHMARK_COUNT = sizeof benchmarks / sizeof *benchmarks
};

static const char *benchmark_name(int index)
{
    return index < BENCHMARK_COUNT ? benchmarks[index].name : NULL;
}

static int print_help(void)
{
    printf("Usage: toi bench BENCHMARK [ARGUMENT...]\n\n"
           "Measures what the library does, on your own data too.\n\nBenchmarks:\n");
    for (int i = 0; i < BENCHMARK_COUNT; ++i)
        printf("  %-10s%s\n", benchmarks[i].name, benchmarks[i].summary);
    printf("\n'toi bench BENCHMARK --help' tells more of each; all have --repeat, --threads,\n"
           "--csv and --json.\n\n"
           "Examples:\n"
           "  toi bench broad --scene n-body --begin 0.8 --picture broad.svg\n"
           "  toi bench narrow --random 1000000\n"
           "  toi bench narrow --scene cloth-ball --begin 0.8 --csv narrow.csv\n"
           "  toi bench ccd --scene rod-twist --begin 0.8 --threads 1,2 --csv ccd.csv\n"
           "  toi bench track --quick --picture track.svg\n"
           "  toi bench sdf --study --count 128\n"
           "  toi bench overlap --scaling --picture scaling.svg\n");
    return EXIT_DONE;
}

int run_bench(int argc, char **argv)
{
    char names[NAMES_BYTES];
    join_names(names, benchmark_name);
    if (argc < 2)
        return finish(toi_fail(TOI_ERROR_ARGUMENT, "which benchmark? There are %s", names));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help();
    int index = find_name(argv[1], strlen(argv[1]), benchmark_name);
    if (index < 0)
        return finish(fail_name("there is no benchmark", argv[1], strlen(argv[1]), benchmark_name));
    set_command(benchmarks[index].command);
    return benchmarks[index].run(argc - 1, argv + 1);
}
