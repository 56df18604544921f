// toi bench narrow: all narrow phases side by side, on the same queries.

#include "bench.h"
#include "bench_narrow_report.h"
#include "bench_options.h"
#include "failure.h"
#include "method_options.h"
#include "output.h"
#include "text.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

typedef struct settings
{
    query_choice queries;
    const char *methods;
    double tolerance; // 0: the usual ones
    int32_t max_iterations;
    int64_t slow_limit;
    const char *csv;
    common common;
} settings;

static const option method_options[] = {
    {.name = "methods",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, methods),
     .argument = "A,B,C",
     .help = "compare these; all unless given, see 'toi info'"},
    TOLERANCE_OPTION(
        settings,
        "unless given 1e-6, and fast also with 1e-7 to 1e-13 where random, else with 1e-9"),
    ITERATIONS_OPTION(settings, "query"),
    SLOW_LIMIT_OPTION(settings),
    {0}};

static const option run_options[] = {
    REPEAT_OPTION(
        settings,
        "after one run that is not counted, run each block of queries N times and show the "
        "fastest"),
    THREADS_OPTION(settings),
    SIMD_OPTION(settings),
    CSV_OPTION(settings, COLUMNS_NAMED),
    JSON_OPTION(settings),
    {0}};

// ---------------------------------------------------------------------------------------------
// What to run

// In the order of the table: fastCCD's paper has its own method first where queries are random.
static const toi_narrow_method random_order[TOI_NARROW_COUNT] = {TOI_NARROW_FAST,
                                                                 TOI_NARROW_EXACT,
                                                                 TOI_NARROW_PARITY,
                                                                 TOI_NARROW_SAFE,
                                                                 TOI_NARROW_CUBIC,
                                                                 TOI_NARROW_INCLUSION,
                                                                 TOI_NARROW_INCLUSION_QUEUE,
                                                                 TOI_NARROW_ADDITIVE,
                                                                 TOI_NARROW_ADDITIVE_CERTIFIED};

static const double random_tolerances[MOST_TOLERANCES] = {1e-6,  1e-7,  1e-8,  1e-9,
                                                          1e-10, 1e-11, 1e-12, 1e-13};
static const double other_tolerances[] = {1e-6, 1e-9};

static void note_options(const settings *s, toi_narrow_method method)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.max_iterations = s->max_iterations;
    if (s->tolerance > 0)
        def.tolerance = s->tolerance;
    note_dropped_options("bench narrow", &def);
}

static void add_method(bench_plan *plan, const settings *s, toi_narrow_method method)
{
    note_options(s, method);
    int count = 1;
    const double *tolerances = other_tolerances;
    if (s->tolerance > 0) {
        tolerances = &s->tolerance;
    } else if (method == TOI_NARROW_FAST) {
        tolerances = s->queries.random ? random_tolerances : other_tolerances;
        count = s->queries.random ? MOST_TOLERANCES : 2;
    }
    for (int i = 0; i < count; ++i)
        plan->methods[plan->method_count++] = (bench_method){
            method, toi_narrow_traits(method) & TOI_NARROW_TRAIT_TOLERANCE ? tolerances[i] : 0,
            NULL};
}

static toi_status make_plan(const settings *s, int threads, bench_plan *plan)
{
    *plan = (bench_plan){.max_iterations = s->max_iterations,
                         .slow_limit = s->slow_limit,
                         .contacts = s->queries.random > 0,
                         .repeat = s->common.repeat,
                         .workers = threads};
    bool chosen[TOI_NARROW_COUNT];
    toi_status status = choose_names("methods", s->methods, narrow_choice, chosen);
    for (int i = 0; i < TOI_NARROW_COUNT && status == TOI_OK; ++i) {
        toi_narrow_method method = s->queries.random ? random_order[i] : (toi_narrow_method)i;
        if (chosen[method])
            add_method(plan, s, method);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status measure(const settings *s, const bench_plan *plan, const query_source *source)
{
    bench_result *result = toi_allocate(sizeof *result);
    if (!result)
        return TOI_ERROR_MEMORY;
    *result = (bench_result){0};
    toi_status status = run_methods(plan, source, result);
    if (status == TOI_OK && source->type == SOURCE_FRAMES && s->queries.kind == KIND_ANY)
        status = run_pipelines(plan, source, result);
    bench_report report = {plan, source, result};
    if (status == TOI_OK && s->csv)
        status = write_bench(s->csv, &report);
    if (status == TOI_OK && s->common.json)
        status = print_bench_object(&report);
    else if (status == TOI_OK)
        status = print_bench(&report);
    toi_release(result);
    return status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    int threads = apply_threads(&s->common);
    query_source source = {0};
    bench_plan plan;
    toi_status status = check_queries(&s->queries, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = make_plan(s, threads, &plan);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK)
        status = open_queries(&s->queries, operands, threads, &source);
    if (status == TOI_OK)
        status = measure(s, &plan, &source);
    free_source(&source);
    return status;
}

int run_bench_narrow(int argc, char **argv)
{
    settings s = {.queries = default_query_choice(),
                  .max_iterations = toi_default_narrow_def().max_iterations,
                  .slow_limit = 200000,
                  .common = {.threads = 1, .repeat = 1}};
    const option_group groups[] = {{"Queries", query_options, &s.queries},
                                   {"A scene instead of files", frame_options, &s.queries.scene},
                                   {"Methods", method_options, &s},
                                   {"Runs", run_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "bench narrow --random N [OPTION...]\n"
                 "bench narrow START END [OPTION...]\n"
                 "bench narrow --scene NAME [OPTION...]\n"
                 "bench narrow --queries PATH [OPTION...]",
        .about =
            "Compares all narrow phases on the same queries: what each costs, what it misses,\n"
            "what it reports that never touches, and how its times differ from the true\n"
            "ones. The truth is that of exact. Every query is decided, without an early exit;\n"
            "reading and gathering are not timed. With --random this is Table 1 of Huh et\n"
            "al., Fast and Robust Continuous Collision Detection, 2014. For two frames it\n"
            "also times the narrow phase inside the pipeline, unless --kind leaves one out.",
        .examples = "bench narrow --random 1000000\n"
                    "bench narrow --random 10000000 --methods fast,exact,safe --repeat 3\n"
                    "bench narrow start.ply end.ply --csv narrow.csv\n"
                    "bench narrow --scene n-body --size 20000 --begin 0.8 --slow-limit 0\n"
                    "bench narrow --queries vf.csv --kind vf --json",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
