// toi bench broad: all broad phases side by side, on the same boxes.

#include "bench.h"
#include "bench_broad_picture.h"
#include "bench_broad_report.h"
#include "bench_broad_run.h"
#include "bench_options.h"
#include "counted_memory.h"
#include "failure.h"
#include "machine.h"
#include "method_options.h"

typedef struct settings
{
    broad_source choice;
    const char *methods;
    const char *threads; // a list
    bool kept;
    const char *add;
    const char *csv;
    const char *picture;
    machine_choice machine;
    common common;
} settings;

static const option method_options[] = {
    {.name = "broad",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, methods),
     .argument = "A,B,C",
     .help = "compare these; all unless given, see 'toi info', but brute only where it takes "
             "at most 10^10 comparisons"},
    {.name = "memory-kept",
     .offset = offsetof(settings, kept),
     .help = "run each method also with a memory kept from call to call, named METHOD+kept, on "
             "boxes that stay, which is the best case; the first call of none is counted"},
    {0}};

static const option run_options[] = {
    REPEAT_OPTION(settings,
                  "after one run that is not counted, run N times with buffers kept and show the "
                  "fastest; what takes longer than 10 s is run once"),
    THREADS_LIST_OPTION(settings, "1,2 unless given"),
    SIMD_OPTION(settings),
    {0}};

static const option output_options[] = {
    CSV_OPTION(settings, COLUMNS_NAMED),
    {.name = "picture",
     .type = OPTION_FILE,
     .offset = offsetof(settings, picture),
     .argument = "FILE.svg",
     .help = "draw time and memory of every method"},
    {.name = "add",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, add),
     .argument = "A.csv,B.csv",
     .help = "show the rows of these files too, written earlier by --csv or by other programs "
             "(bench/peers); without a scene only those"},
    JSON_OPTION(settings),
    {0}};

// ---------------------------------------------------------------------------------------------
// What to run

static toi_status make_plan(const settings *s, broad_plan *plan)
{
    *plan = (broad_plan){
        .brute_anywhere = s->methods != NULL, .kept = s->kept, .repeat = s->common.repeat};
    toi_status status = choose_threads(s->threads, plan->threads, &plan->thread_count);
    const char *usual = s->choice.scaling ? toi_broad_name(TOI_BROAD_AUTO) : NULL;
    if (status == TOI_OK)
        status =
            choose_names("broad", s->methods ? s->methods : usual, broad_choice, plan->methods);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status measure(const settings *s, const operand_list *operands, const broad_plan *plan,
                          int scenes, broad_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < scenes && status == TOI_OK; ++i) {
        broad_scene scene;
        status = open_scene(&s->choice, operands, i, &scene);
        if (status == TOI_OK)
            status = run_broad(plan, &scene, rows);
        close_scene(&scene);
    }
    return status;
}

static toi_status report(const settings *s, const broad_rows *rows, int repeat)
{
    toi_status status = TOI_OK;
    if (s->csv)
        status = write_rows(s->csv, rows);
    if (status == TOI_OK && s->picture)
        status = draw_broad(s->picture, rows);
    if (status == TOI_OK)
        status = s->common.json ? print_broad_object(rows, repeat) : print_broad(rows, repeat);
    int wrong = status == TOI_OK ? count_wrong_rows(rows) : 0;
    if (wrong > 0)
        status =
            toi_fail(TOI_ERROR_UNSUPPORTED,
                     "%d rows have other pairs than the first of their scene: a bug of toi", wrong);
    return status;
}

static toi_status check(const settings *s, const operand_list *operands, broad_plan *plan,
                        int *scenes)
{
    toi_status status = count_scenes(&s->choice, operands, scenes);
    if (status == TOI_OK && *scenes == 0 && !s->add)
        status = toi_fail(TOI_ERROR_ARGUMENT,
                          "boxes are needed: START and END, --scene NAME, --all-scenes or "
                          "--scaling; or rows, --add FILE.csv");
    if (status == TOI_OK)
        status = make_plan(s, plan);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK)
        status = check_output(s->picture);
    return status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    broad_plan plan = {.device = NULL};
    broad_rows rows = {0}, added = {0};
    int scenes = 0;
    count_memory();
    toi_status status = check(s, operands, &plan, &scenes);
    if (status == TOI_OK)
        status = open_machine(&s->machine, 0, &plan.device);
    if (status == TOI_OK)
        status = read_rows(s->add, &added);
    if (status == TOI_OK)
        status = measure(s, operands, &plan, scenes, &rows);
    for (int i = 0; i < added.count && status == TOI_OK; ++i)
        status = add_row(&rows, &added.data[i]);
    if (status == TOI_OK)
        status = report(s, &rows, scenes > 0 ? plan.repeat : 0);
    free_rows(&added);
    free_rows(&rows);
    toi_close_device(plan.device);
    return status;
}

int run_bench_broad(int argc, char **argv)
{
    settings s = {.choice = default_broad_source(), .threads = "1,2", .common = default_common()};
    const option_group groups[] = {{"Boxes", broad_scene_options, &s.choice},
                                   {"A scene instead of files", frame_options, &s.choice.scene},
                                   {"Methods", method_options, &s},
                                   {"Runs", run_options, &s},
                                   {"Machine", machine_options, &s.machine},
                                   {"Output", output_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "bench broad START END [OPTION...]\n"
                 "bench broad --scene NAME [OPTION...]\n"
                 "bench broad --all-scenes [OPTION...]\n"
                 "bench broad --scaling [OPTION...]\n"
                 "bench broad --add FILE.csv [OPTION...]",
        .about =
            "Compares all broad phases on the same boxes: time with one and with two\n"
            "threads, memory, and whether the pairs are the same. A mesh is timed as 'toi\n"
            "pairs' does: its boxes, both kinds of pairs, filter, all but sorting. A set of\n"
            "boxes (--scene uniform, flat, outliers or giants) is only searched. One thread\n"
            "is measured by its processor time, more by the clock on the wall. Memory is the\n"
            "most that the library's allocator had handed out at once: boxes of a mesh,\n"
            "working memory and pairs. The mesh, or the set of boxes, is not counted. The\n"
            "pairs of a mesh are compared with those that truly collide, as exact finds\n"
            "them. Where methods disagree the program says so and exits with 3. With --device\n"
            "cuda the methods that a card has are run there too, on meshes, in a kept scene,\n"
            "and named METHOD+cuda: auto, sweep, stq, grid and lbvh.",
        .examples = "bench broad start.ply end.ply --repeat 5\n"
                    "bench broad --scene giants --size 300000 --broad auto,stq,bvh\n"
                    "bench broad --all-scenes --size 50000 --csv broad.csv --picture broad.svg\n"
                    "bench broad --scaling --to 1000000 --broad stq,grid,lbvh --picture n.svg\n"
                    "bench broad start.ply end.ply --device cuda --broad auto,stq\n"
                    "bench broad --add broad.csv,peers.csv --picture both.svg",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
