// toi bench ccd: the whole pipeline from two frames to their impacts, in many combinations.

#include "bench.h"
#include "bench_ccd_report.h"
#include "bench_ccd_run.h"
#include "bench_device.h"
#include "bench_narrow_row.h"
#include "bench_options.h"
#include "failure.h"
#include "machine.h"
#include "method_options.h"
#include "text.h"

#include <float.h>
#include <string.h>

typedef struct settings
{
    broad_source choice;
    const char *broad;
    const char *narrow;
    const char *modes;
    double tolerance;
    int32_t max_iterations;
    const char *threads;
    const char *calls;
    bool busy;
    const char *limits;
    const char *fractions;
    const char *separations;
    double time_limit;
    const char *csv;
    machine_choice machine;
    common common;
} settings;

static const option scene_list_options[] = {
    {.name = "all-scenes",
     .offset = offsetof(broad_source, all),
     .help = "every scene that 'toi scene' lists, begun at 0.8 unless --begin is given"},
    {.name = "label",
     .type = OPTION_TEXT,
     .offset = offsetof(broad_source, label),
     .argument = "NAME",
     .help = "what START and END are called in tables; the name of their folder unless given"},
    {0}};

static const option method_options[] = {
    {.name = "broad",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, broad),
     .argument = "A,B,C",
     .help = "find candidates with each of these; auto unless given, see 'toi info'"},
    {.name = "narrow",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, narrow),
     .argument = "A,B,C",
     .help = "decide them with each of these; exact, inclusion, inclusion-queue, additive, "
             "additive-certified and fast unless given, with --busy exact"},
    {.name = "modes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, modes),
     .argument = "A,B",
     .help = "earliest: the first impact alone; all: every impact; both unless given"},
    {.name = "separations",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, separations),
     .argument = "A,B,C",
     .help = "keep pairs apart by each of these: none; edge/N, the N-th part of the mean edge of "
             "the first frame; relative, what 'toi ccd --solver' asks for; none unless given"},
    TOLERANCE_OPTION(settings, "1e-6 unless given"),
    ITERATIONS_OPTION(settings, "pair"),
    {0}};

static const option run_options[] = {
    THREADS_LIST_OPTION(settings, "1,0 unless given"),
    {.name = "calls",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, calls),
     .argument = "A,B",
     .help = "stateless: calls that take the whole mesh; kept: calls of a scene that is kept "
             "between them, as a solver makes them, each step after one back; stateless unless "
             "given, with --busy kept"},
    {.name = "busy",
     .offset = offsetof(settings, busy),
     .help = "measure everything again while other work takes every core: a thread for each, "
             "which the program starts and stops itself"},
    {.name = "memory-limits",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, limits),
     .argument = "A,B,C",
     .help = "within so much working memory each, as 64M or none; none unless given"},
    {.name = "fractions",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, fractions),
     .argument = "A,B,C",
     .help = "on such random shares of the faces each, as 0.25 or 1/4; 1 unless given"},
    REPEAT_OPTION(settings,
                  "after one run that is not counted, run N times and show the fastest; what takes "
                  "longer than 10 s is run once; "
                  "1 unless given, with --busy what a second holds, at most 1000"),
    {.name = "time-limit",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, time_limit),
     .argument = "S",
     .help = "skip combinations where a run would take more than S seconds; 60 unless given",
     .least = DBL_TRUE_MIN,
     .most = DBL_MAX,
     .range = "a number above 0"},
    SIMD_OPTION(settings),
    {0}};

static const option output_options[] = {
    CSV_OPTION(settings, COLUMNS_NAMED), JSON_OPTION(settings), {0}};

// ---------------------------------------------------------------------------------------------
// What to run

enum
{
    ITEM_BYTES = 40
};

// Takes the first item off a list such as "a,b,c"; the list is NULL after its last.
static void take_item(const char **list, char item[ITEM_BYTES])
{
    size_t length = strcspn(*list, ",");
    snprintf(item, ITEM_BYTES, "%.*s", length < ITEM_BYTES ? (int)length : ITEM_BYTES - 1, *list);
    *list = (*list)[length] ? *list + length + 1 : NULL;
}

static toi_status choose_limits(const char *list, ccd_plan *plan)
{
    while (list) {
        char item[ITEM_BYTES];
        int64_t bytes = 0;
        take_item(&list, item);
        if (strcmp(item, "none") != 0 && (!parse_bytes(item, &bytes) || bytes < 1))
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "--memory-limits has '%s'; use none, or numbers of bytes such as "
                            "1048576, 64M or 1G",
                            item);
        if (plan->limit_count == MOST_LIMITS)
            return toi_fail(TOI_ERROR_ARGUMENT, "--memory-limits has more than %d numbers",
                            MOST_LIMITS);
        plan->limits[plan->limit_count++] = bytes;
    }
    return TOI_OK;
}

// "0.25" or "1/4".
static bool parse_fraction(char *item, double *fraction)
{
    double below = 1;
    char *slash = strchr(item, '/');
    if (slash)
        *slash = '\0';
    bool good = parse_number(item, fraction) && (!slash || parse_number(slash + 1, &below));
    if (slash)
        *slash = '/'; // whole again for messages
    *fraction /= below;
    return good && *fraction > 0 && *fraction <= 1;
}

static toi_status choose_fractions(const char *list, ccd_plan *plan)
{
    while (list) {
        char item[ITEM_BYTES];
        double fraction = 0;
        take_item(&list, item);
        if (!parse_fraction(item, &fraction))
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "--fractions has '%s'; use numbers above 0 and at most 1", item);
        if (plan->fraction_count == MOST_FRACTIONS)
            return toi_fail(TOI_ERROR_ARGUMENT, "--fractions has more than %d numbers",
                            MOST_FRACTIONS);
        plan->fractions[plan->fraction_count++] = fraction;
    }
    return TOI_OK;
}

static bool parse_separation(const char *item, ccd_separation *separation)
{
    *separation = (ccd_separation){.kind = CCD_TOUCHING};
    if (strcmp(item, "relative") == 0)
        separation->kind = CCD_RELATIVE;
    if (strncmp(item, "edge/", 5) != 0)
        return strcmp(item, "none") == 0 || separation->kind == CCD_RELATIVE;
    separation->kind = CCD_ABSOLUTE;
    return parse_number(item + 5, &separation->parts) && separation->parts > 0 &&
           separation->parts <= DBL_MAX;
}

static bool has_separation(const ccd_plan *plan, const ccd_separation *separation)
{
    for (int i = 0; i < plan->separation_count; ++i)
        if (same_separation(&plan->separations[i], separation))
            return true;
    return false;
}

static toi_status choose_separations(const char *list, ccd_plan *plan)
{
    while (list) {
        char item[ITEM_BYTES];
        ccd_separation separation;
        take_item(&list, item);
        if (!parse_separation(item, &separation))
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "--separations has '%s'; use none, relative, or a part of the mean "
                            "edge such as edge/200",
                            item);
        if (has_separation(plan, &separation))
            continue;
        if (plan->separation_count == MOST_SEPARATIONS)
            return toi_fail(TOI_ERROR_ARGUMENT, "--separations has more than %d items",
                            MOST_SEPARATIONS);
        plan->separations[plan->separation_count++] = separation;
    }
    return TOI_OK;
}

// Those that the papers compare, as far as this build has them; --narrow chooses others.
static toi_status choose_narrow(const settings *s, bool narrow[TOI_NARROW_COUNT])
{
    static const toi_narrow_method usual[] = {
        TOI_NARROW_EXACT,    TOI_NARROW_INCLUSION,          TOI_NARROW_INCLUSION_QUEUE,
        TOI_NARROW_ADDITIVE, TOI_NARROW_ADDITIVE_CERTIFIED, TOI_NARROW_FAST};
    if (s->narrow)
        return choose_names("narrow", s->narrow, narrow_choice, narrow);
    size_t count = s->busy ? 1 : sizeof usual / sizeof *usual;
    for (size_t i = 0; i < count; ++i)
        narrow[usual[i]] = toi_narrow_traits(usual[i]) & TOI_NARROW_TRAIT_BUILT;
    return TOI_OK;
}

static void note_options(const ccd_plan *plan)
{
    for (int i = 0; i < TOI_NARROW_COUNT; ++i) {
        toi_narrow_def def = toi_default_narrow_def();
        def.method = (toi_narrow_method)i;
        def.tolerance = plan->tolerance;
        def.max_iterations = plan->max_iterations;
        if (plan->narrow[i])
            note_dropped_options("bench ccd", &def);
    }
}

static toi_status check_modes(const settings *s, const ccd_plan *plan)
{
    for (int i = 0; i < TOI_NARROW_COUNT && s->modes && plan->modes[CCD_EARLIEST]; ++i)
        if (plan->narrow[i] && !finds_times((toi_narrow_method)i))
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "--narrow %s finds no times, and so no earliest impact; use --modes "
                            "all",
                            narrow_choice(i));
    return TOI_OK;
}

// The system takes a core away for longer than a small step lasts: to show what other work costs,
// the steps must take a second together.
static void choose_repeat(bool busy, ccd_plan *plan)
{
    plan->repeat = busy ? MOST_REPEATS : 1;
    plan->enough = busy ? 1 : 0;
}

static toi_status make_plan(const settings *s, ccd_plan *plan)
{
    *plan = (ccd_plan){.seed = (uint64_t)s->choice.scene.seed,
                       .tolerance = s->tolerance,
                       .max_iterations = s->max_iterations,
                       .time_limit = s->time_limit,
                       .loads = {[CCD_IDLE] = true, [CCD_BUSY] = s->busy},
                       .repeat = s->common.repeat};
    if (plan->repeat == 0)
        choose_repeat(s->busy, plan);
    const char *calls = ccd_calls_name(s->busy ? CCD_KEPT : CCD_STATELESS);
    toi_status status = choose_threads(s->threads, plan->threads, &plan->thread_count);
    if (status == TOI_OK)
        status = choose_names("broad", s->broad, broad_choice, plan->broad);
    if (status == TOI_OK)
        status = choose_narrow(s, plan->narrow);
    if (status == TOI_OK)
        note_options(plan);
    if (status == TOI_OK)
        status = choose_names("modes", s->modes, ccd_mode_name, plan->modes);
    if (status == TOI_OK)
        status = check_modes(s, plan);
    if (status == TOI_OK)
        status = choose_names("calls", s->calls ? s->calls : calls, ccd_calls_name, plan->calls);
    if (status == TOI_OK)
        status = choose_limits(s->limits, plan);
    if (status == TOI_OK)
        status = choose_fractions(s->fractions, plan);
    if (status == TOI_OK)
        status = choose_separations(s->separations, plan);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status check(const settings *s, const operand_list *operands, ccd_plan *plan,
                        int *scenes)
{
    toi_status status = count_scenes(&s->choice, operands, scenes);
    if (status == TOI_OK && *scenes == 0)
        status = toi_fail(TOI_ERROR_ARGUMENT,
                          "a mesh is needed: START and END, --scene NAME or --all-scenes");
    if (status == TOI_OK)
        status = make_plan(s, plan);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->csv);
    return status;
}

static toi_status make_rows(const ccd_plan *plan, int scenes, ccd_rows *rows)
{
    rows->capacity = scenes * count_combinations(plan);
    rows->data = toi_allocate((size_t)rows->capacity * sizeof *rows->data);
    return rows->data ? TOI_OK : TOI_ERROR_MEMORY;
}

static toi_status measure(const settings *s, const operand_list *operands, const ccd_plan *plan,
                          int scenes, ccd_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < scenes && status == TOI_OK; ++i) {
        broad_scene scene;
        status = open_scene(&s->choice, operands, i, &scene);
        if (status == TOI_OK)
            status = run_ccd_plan(plan, &scene, rows);
        close_scene(&scene);
    }
    if (status == TOI_OK && rows->count == 0)
        status = toi_fail(TOI_ERROR_LIMIT, "nothing was measured: all %d combinations were skipped",
                          rows->skipped);
    return status;
}

static toi_status report(const settings *s, const ccd_rows *rows, int repeat)
{
    toi_status status = s->csv ? write_ccd_rows(s->csv, rows) : TOI_OK;
    if (status == TOI_OK)
        status = s->common.json ? print_ccd_object(rows, repeat) : print_ccd(rows);
    int wrong = status == TOI_OK ? count_wrong_answers(rows) : 0;
    if (wrong > 0)
        status = toi_fail(TOI_ERROR_UNSUPPORTED,
                          "%d rows have other answers than the first of their kind: a bug of toi",
                          wrong);
    return status;
}

// ---------------------------------------------------------------------------------------------
// On a device

enum
{
    USUAL_STEPS = 20
};

static toi_status check_device_options(const settings *s)
{
    bool usual = !s->narrow && !s->modes && !s->calls && !s->busy &&
                 strcmp(s->broad, "auto") == 0 && strcmp(s->fractions, "1") == 0 &&
                 strcmp(s->limits, "none") == 0;
    return usual ? TOI_OK
                 : toi_fail(TOI_ERROR_ARGUMENT,
                            "--device cuda measures exact impacts of whole scenes: of the lists "
                            "of methods and runs it takes --repeat and --separations alone");
}

typedef struct device_job
{
    const settings *settings;
    const operand_list *operands;
    const ccd_plan *plan;
} device_job;

static toi_status measure_on_device(const void *context, int number, toi_device *device,
                                    device_row *rows)
{
    const device_job *job = context;
    broad_scene scene;
    toi_status status = open_scene(&job->settings->choice, job->operands, number, &scene);
    if (status == TOI_OK)
        status = measure_device(device, &scene, job->plan, rows);
    close_scene(&scene);
    return status;
}

static toi_status run_on_device(const settings *s, const operand_list *operands)
{
    ccd_plan plan;
    device_job job = {s, operands, &plan};
    device_bench bench = {.machine = &s->machine,
                          .csv = s->csv,
                          .json = s->common.json,
                          .measure = measure_on_device,
                          .context = &job};
    toi_status status = check_device_options(s);
    if (status == TOI_OK)
        status = check(s, operands, &plan, &bench.scenes);
    if (status != TOI_OK)
        return status;
    plan.repeat = s->common.repeat ? s->common.repeat : USUAL_STEPS;
    bench.ways = plan.separation_count * DEVICE_WAYS;
    return run_device_bench(&bench);
}

static toi_status run(const settings *s, const operand_list *operands)
{
    if (s->machine.device > 0)
        return run_on_device(s, operands);
    ccd_plan plan;
    ccd_rows rows = {.data = NULL};
    int scenes = 0;
    toi_status status = check(s, operands, &plan, &scenes);
    if (status == TOI_OK)
        status = make_rows(&plan, scenes, &rows);
    if (status == TOI_OK)
        status = measure(s, operands, &plan, scenes, &rows);
    if (status == TOI_OK)
        status = report(s, &rows, plan.repeat);
    toi_release(rows.data);
    return status;
}

int run_bench_ccd(int argc, char **argv)
{
    settings s = {.choice = default_broad_source(),
                  .broad = "auto",
                  .tolerance = toi_default_narrow_def().tolerance,
                  .max_iterations = toi_default_narrow_def().max_iterations,
                  .threads = "1,0",
                  .limits = "none",
                  .fractions = "1",
                  .separations = "none",
                  .time_limit = 60,
                  .common = default_common()};
    s.choice.meshes_only = true;
    s.common.repeat = 0; // make_plan() knows what is usual
    const option_group groups[] = {{"Scenes", scene_list_options, &s.choice},
                                   {"A scene instead of files", frame_options, &s.choice.scene},
                                   {"Machine", machine_options, &s.machine},
                                   {"Methods", method_options, &s},
                                   {"Runs", run_options, &s},
                                   {"Output", output_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "bench ccd START END [OPTION...]\n"
                 "bench ccd --scene NAME [OPTION...]\n"
                 "bench ccd --all-scenes [OPTION...]",
        .about =
            "Times the whole pipeline, as users run it, for every combination of what the\n"
            "lists below name: boxes, search and decision, the most memory held, and what the\n"
            "answers are worth beside those of exact. With --fractions it is figure 5 of\n"
            "Belgrod et al., with --threads figure 6, with --memory-limits figure 10. With\n"
            "--separations it shows what keeping a distance costs: separations of a scene and\n"
            "mode are run in turns. The answers of a narrow phase must not depend on broad\n"
            "phase, threads, limit and calls: where they do the program says so and exits\n"
            "with 3.\n"
            "With --device cuda it shows warm steps of a scene on a card, 20 unless --repeat\n"
            "is given: the median, each stage, bytes moved, and the processor beside; for\n"
            "every one of --separations.\n"
            "With --busy it shows what threads cost on a machine that has other work: all\n"
            "threads beside one, idle and busy.",
        .examples =
            "bench ccd start.ply end.ply --repeat 5\n"
            "bench ccd --scene rod-twist --begin 0.8 --fractions 1/16,1/4,1\n"
            "bench ccd --scene n-body --begin 0.8 --narrow exact --threads 1,2,4,8\n"
            "bench ccd --scene plane --begin 0.8 --narrow exact --memory-limits 8M,none\n"
            "bench ccd --scene boxes --size 600 --begin 0.8 --calls stateless,kept\n"
            "bench ccd --scene cloth-ball --begin 0.8 --busy\n"
            "bench ccd start.ply end.ply --separations none,edge/200,edge/2,relative\n"
            "bench ccd start.ply end.ply --device cuda --separations none,relative\n"
            "bench ccd --all-scenes --size 50000 --csv ccd.csv",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
