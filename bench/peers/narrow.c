#include "narrow.h"

#include "bench_narrow_report.h"
#include "bench_options.h"
#include "failure.h"
#include "method_options.h"
#include "narrow_peer.h"
#include "output.h"

#include <stddef.h>

static const struct
{
    other_phase phase;
    double tolerance;  // 0: it has none that can be set
    bool only_by_name; // not run unless it is asked for
} peers[] = {
#ifdef TOI_PEERS_FCL
    {{"fcl", false, solve_fcl}, 0, false},
    {{"fcl-x1024", false, solve_fcl_scaled}, 0, false},
    {{"fcl-cubic", false, solve_fcl_cubic}, 0, true},
#endif
#ifdef TOI_PEERS_LIBCCD
    {{"libccd-gjk", true, solve_libccd_gjk}, 0, false},
    // libccd's own 1e-4 is absolute too, and misses a third of the hits of cloth-funnel.
    {{"libccd-mpr", true, solve_libccd_mpr}, 1e-8, false},
#endif
    {{NULL, false, NULL}, 0, false}};

enum
{
    PEER_COUNT = sizeof peers / sizeof *peers - 1
};

_Static_assert((int)PEER_COUNT <= (int)MOST_METHODS, "a plan has room for all");

static const char *peer_choice(int index)
{
    return peers[index].phase.name;
}

// ---------------------------------------------------------------------------------------------
// Options

typedef struct settings
{
    query_choice queries;
    const char *peers;
    int64_t slow_limit;
    const char *csv;
    common common;
} settings;

static const option run_options[] = {
    {.name = "peers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, peers),
     .argument = "A,B,C",
     .help = "run these; all that were built but fcl-cubic unless given"},
    SLOW_LIMIT_OPTION(settings),
    REPEAT_OPTION(
        settings,
        "after one run that is not counted, run each block of queries N times and show the "
        "fastest"),
    THREADS_OPTION(settings),
    CSV_OPTION(settings, "with the columns of 'toi bench narrow --csv'"),
    {0}};

// ---------------------------------------------------------------------------------------------
// Runs

static toi_status run_peers(const settings *s, bench_plan *plan, const query_source *source)
{
    bench_result *result = toi_allocate(sizeof *result);
    if (!result)
        return TOI_ERROR_MEMORY;
    *result = (bench_result){0};
    toi_status status = run_methods(plan, source, result);
    const bench_report report = {plan, source, result};
    if (status == TOI_OK && s->csv)
        status = write_bench(s->csv, &report);
    if (status == TOI_OK)
        status = print_bench(&report);
    toi_release(result);
    return status;
}

static toi_status choose_peers(const settings *s, bench_plan *plan)
{
    bool chosen[PEER_COUNT + 1];
    if (PEER_COUNT == 0)
        return toi_fail(TOI_ERROR_UNSUPPORTED, "FCL and libccd were not found when this was "
                                               "built: see bench/peers/README.md");
    toi_status status = choose_names("peers", s->peers, peer_choice, chosen);
    for (int i = 0; i < PEER_COUNT && status == TOI_OK; ++i)
        if (chosen[i] && (s->peers || !peers[i].only_by_name))
            plan->methods[plan->method_count++] =
                (bench_method){TOI_NARROW_COUNT, peers[i].tolerance, &peers[i].phase};
    return status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    query_source source = {0};
    bench_plan plan = {.slow_limit = s->slow_limit,
                       .max_iterations = toi_default_narrow_def().max_iterations,
                       .repeat = s->common.repeat,
                       .workers = apply_threads(&s->common)};
    // The peers are compiled for any processor, and the rows say which instructions were used.
    toi_status status = check_queries(&s->queries, operands);
    if (status == TOI_OK)
        status = toi_set_simd("baseline");
    if (status == TOI_OK)
        status = choose_peers(s, &plan);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK)
        status = open_queries(&s->queries, operands, plan.workers, &source);
    if (status == TOI_OK)
        status = run_peers(s, &plan, &source);
    free_source(&source);
    return status;
}

int run_narrow(int argc, char **argv)
{
    settings s = {.queries = default_query_choice(),
                  .slow_limit = 200000,
                  .common = {.threads = 1, .repeat = 1}};
    const option_group groups[] = {{"Queries", query_options, &s.queries},
                                   {"A scene instead of files", frame_options, &s.queries.scene},
                                   {"Runs", run_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "--narrow START END [OPTION...]\n"
                 "--narrow --scene NAME [OPTION...]\n"
                 "--narrow --queries PATH [OPTION...]\n"
                 "--narrow --random N [OPTION...]",
        .about = "Runs the narrow phases of other libraries on the queries of 'toi bench narrow',\n"
                 "and judges them as that does. fcl is FCL's continuous tests, fcl-x1024 the\n"
                 "same with 1024 times the coordinates, as their tolerances are absolute,\n"
                 "fcl-cubic the same with the closed formula for roots; libccd-gjk and\n"
                 "libccd-mpr ask only whether the hulls of what is swept meet, without times.",
        .examples = "--narrow start.ply end.ply --csv narrow-peers.csv\n"
                    "--narrow --random 1000000 --kind ee --peers fcl",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
