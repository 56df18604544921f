#include "narrow.h"

#include "bench_report.h"
#include "failure.h"
#include "method_options.h"
#include "output.h"

#include <stddef.h>

// A benchmark knows of a method what its number says. While a peer runs, it has the number of a
// method of toi that is like it: one with times, or the one without.
static const struct
{
    const char *name;
    narrow_function *solve;
    toi_narrow_method stands_for;
    double tolerance;  // 0: it has none that can be set
    bool only_by_name; // not run unless it is asked for
} peers[] = {
#ifdef TOI_PEERS_FCL
    {"fcl", solve_fcl, TOI_NARROW_CUBIC, 0, false},
    {"fcl-x1024", solve_fcl_scaled, TOI_NARROW_CUBIC, 0, false},
    {"fcl-cubic", solve_fcl_cubic, TOI_NARROW_CUBIC, 0, true},
#endif
#ifdef TOI_PEERS_LIBCCD
    {"libccd-gjk", solve_libccd_gjk, TOI_NARROW_PARITY, 0, false},
    // libccd's own 1e-4 is absolute too, and misses a third of the hits of cloth-funnel.
    {"libccd-mpr", solve_libccd_mpr, TOI_NARROW_PARITY, 1e-8, false},
#endif
    {NULL, NULL, TOI_NARROW_COUNT, 0, false}};

enum
{
    PEER_COUNT = sizeof peers / sizeof *peers - 1,
    KIND_ANY = -1
};

_Static_assert((int)PEER_COUNT <= (int)TOI_NARROW_COUNT, "in a report, peers have its numbers");

static int running; // the peer that is being run; peers run one after the other

toi_status solve_with_peer(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                           int64_t count, toi_query_result *results)
{
    if (def->method == peers[running].stands_for)
        return peers[running].solve(def, kind, queries, count, results);
    return toi_solve_queries(def, kind, queries, count, results);
}

const char *narrow_peer_choice(int index)
{
    return peers[index].name;
}

// None is meant to be never late; FCL's tolerances are meant to miss little.
toi_guarantee narrow_peer_guarantee(toi_narrow_method index)
{
    (void)index;
    return TOI_GUARANTEE_NONE;
}

// ---------------------------------------------------------------------------------------------
// Options

typedef struct settings
{
    int64_t random; // how many; 0: another source
    const char *queries;
    scene_choice choice;
    int kind; // a toi_kind, or KIND_ANY
    const char *peers;
    int64_t slow_limit;
    const char *csv;
    common common;
} settings;

static const char *pair_kind_choice(int index)
{
    return index < TOI_PAIR_KINDS ? kind_choice(index) : NULL;
}

static const option source_options[] = {
    {.name = "random",
     .type = OPTION_INT64,
     .offset = offsetof(settings, random),
     .argument = "N",
     .help = "N random queries, those of 'toi bench narrow --random N'",
     .least = 1,
     .most = 1e12,
     .range = "a whole number from 1 to 10^12"},
    {.name = "queries",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, queries),
     .argument = "PATH",
     .help = "a file as for 'toi queries', or a folder with vf.csv and ee.csv or with folders that "
             "have them"},
    {.name = "kind",
     .type = OPTION_CHOICE,
     .offset = offsetof(settings, kind),
     .argument = "KIND",
     .help = "only vf or ee; unless given, vf where random, else both",
     .choice = pair_kind_choice},
    {0}};

static const option run_options[] = {
    {.name = "peers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, peers),
     .argument = "A,B,C",
     .help = "run these; all that were built but fcl-cubic unless given"},
    {.name = "slow-limit",
     .type = OPTION_INT64,
     .offset = offsetof(settings, slow_limit),
     .argument = "N",
     .help = "a method that takes more than 2 microseconds a query gets only N, spread evenly, "
             "or what 20 seconds hold; 0: all",
     .most = INT32_MAX,
     .range = "a whole number from 0 to 2147483647"},
    {.name = "repeat",
     .type = OPTION_INT,
     .offset = offsetof(settings, common.repeat),
     .argument = "N",
     .help = "run each block of queries N times, count the fastest",
     .least = 1,
     .most = MOST_REPEATS,
     .range = REPEAT_RANGE},
    {.name = "threads",
     .type = OPTION_INT,
     .offset = offsetof(settings, common.threads),
     .argument = "N",
     .help = "use N threads; 0: all cores",
     .most = TOI_MAX_WORKERS,
     .range = "a whole number from 0 to 1024"},
    {.name = "csv",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, csv),
     .argument = "FILE.csv",
     .help = "write every row, with the columns of 'toi bench narrow --csv'"},
    {0}};

static toi_status open_source(const settings *s, const operand_list *operands, int threads,
                              query_source *source)
{
    bool meshes = s->choice.scene || operands->count > 0;
    if ((s->random > 0) + (s->queries != NULL) + meshes != 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "one source of queries, please: --random N, --queries "
                                            "PATH, --scene NAME or two files START and END");
    if (s->queries)
        return open_files(s->queries, s->kind, source);
    if (meshes)
        return open_candidates(&s->choice, operands, s->kind, threads, source);
    open_random((uint64_t)s->choice.seed, s->random,
                s->kind == KIND_ANY ? TOI_VERTEX_FACE : (toi_kind)s->kind, source);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Runs

static toi_status run_peer(bench_plan plan, int peer, const query_source *source,
                           bench_result *result)
{
    running = peer;
    plan.methods[0] = (bench_method){peers[peer].stands_for, peers[peer].tolerance};
    plan.method_count = 1;
    return run_methods(&plan, source, result);
}

// The rows of peers that were run one by one, as if they had been run together. In a report a peer
// has its own number.
static void add_rows(bench_plan *plan, bench_result *all, int peer, const bench_result *result)
{
    int at = plan->method_count++;
    for (int kind = 0; kind < BENCH_KINDS; ++kind) {
        all->rows[kind][at] = result->rows[kind][0];
        all->rows[kind][at].run.method = (toi_narrow_method)peer;
    }
    plan->methods[at] = all->rows[0][at].run;
    all->file_answers = result->file_answers;
    all->file_differences = result->file_differences;
}

static toi_status run_peers(const settings *s, const bool chosen[], bench_plan *plan,
                            const query_source *source, bench_result results[2])
{
    toi_status status = TOI_OK;
    for (int peer = 0; peer < PEER_COUNT && status == TOI_OK; ++peer) {
        if (!chosen[peer] || (peers[peer].only_by_name && !s->peers))
            continue;
        results[1] = (bench_result){0};
        status = run_peer(*plan, peer, source, &results[1]);
        if (status == TOI_OK)
            add_rows(plan, &results[0], peer, &results[1]);
    }
    const bench_report report = {plan, source, &results[0]};
    if (status == TOI_OK && s->csv)
        status = write_bench(s->csv, &report);
    return status == TOI_OK ? print_bench(&report) : status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    bool chosen[PEER_COUNT + 1];
    query_source source = {0};
    bench_plan plan = {.slow_limit = s->slow_limit,
                       .max_iterations = toi_default_narrow_def().max_iterations,
                       .repeat = s->common.repeat,
                       .workers = apply_threads(&s->common)};
    bench_result *results = toi_allocate(2 * sizeof *results); // of all, and of one
    // The peers are compiled for any processor, and the rows say which instructions were used.
    toi_status status = results ? toi_set_simd("baseline") : TOI_ERROR_MEMORY;
    if (status == TOI_OK && PEER_COUNT == 0)
        status = toi_fail(TOI_ERROR_UNSUPPORTED, "FCL and libccd were not found when this was "
                                                 "built: see bench/peers/README.md");
    if (status == TOI_OK)
        status = choose_names("peers", s->peers, narrow_peer_choice, chosen);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK)
        status = open_source(s, operands, plan.workers, &source);
    if (status == TOI_OK) {
        results[0] = (bench_result){0};
        status = run_peers(s, chosen, &plan, &source, results);
    }
    toi_release(results);
    free_source(&source);
    return status;
}

int run_narrow(int argc, char **argv)
{
    settings s = {.choice = default_scene_choice(),
                  .kind = KIND_ANY,
                  .slow_limit = 200000,
                  .common = {.threads = 1, .repeat = 1}};
    const option_group groups[] = {{"Queries", source_options, &s},
                                   {"A scene instead of files", frame_options, &s.choice},
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
