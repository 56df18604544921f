// toi bench overlap: the methods that find intersecting faces, side by side.

#include "bench.h"
#include "bench_device.h"
#include "bench_options.h"
#include "bench_overlap_report.h"
#include "bench_overlap_run.h"
#include "failure.h"
#include "machine.h"
#include "output.h"

#include <stdio.h>

typedef struct settings
{
    overlap_source source;
    const char *methods;
    const char *calls;
    int64_t brute_limit;
    const char *threads;
    const char *csv;
    const char *picture;
    machine_choice machine;
    common common;
} settings;

static const option run_options[] = {
    {.name = "methods",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, methods),
     .argument = "A,B",
     .help = "auto, kdet, kdet-djb2, kdet-morton (other hashes of its cells), brute; all unless "
             "given"},
    {.name = "brute-limit",
     .type = OPTION_INT64,
     .offset = offsetof(settings, brute_limit),
     .argument = "N",
     .help = "brute gets meshes of at most N faces; 4000 unless given",
     .most = INT32_MAX,
     .range = "a whole number from 0 to 2147483647"},
    {.name = "calls",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, calls),
     .argument = "A,B",
     .help = "one-shot: calls that take the whole mesh; kept: calls of a scene that is kept "
             "between them and was at the frame before; both unless given"},
    THREADS_LIST_OPTION(settings, "1 unless given"),
    REPEAT_OPTION(settings,
                  "after one run that is not counted, run N times and show the fastest; what takes "
                  "longer than 10 s is run once; 5 unless given"),
    SIMD_OPTION(settings),
    {0}};

static const option output_options[] = {CSV_OPTION(settings, COLUMNS_NAMED),
                                        {.name = "picture",
                                         .type = OPTION_FILE,
                                         .offset = offsetof(settings, picture),
                                         .argument = "FILE.svg",
                                         .help = "draw the time a face over the number of faces"},
                                        JSON_OPTION(settings),
                                        {0}};

// A build without the methods of the literature lacks some: those that nobody asked for are left
// out.
static void drop_missing(bool methods[OVERLAP_CONTESTANTS])
{
    static const double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int32_t face[3] = {0, 1, 2};
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 3, face, 1);
    for (int i = 0; i < OVERLAP_CONTESTANTS; ++i) {
        toi_overlap_def def = overlap_contestant_def(i);
        toi_overlap_report report;
        methods[i] =
            methods[i] && toi_count_overlaps(&def, &mesh, &report) != TOI_ERROR_UNSUPPORTED;
    }
}

static toi_status make_plan(const settings *s, overlap_plan *plan)
{
    *plan = (overlap_plan){.brute_limit = s->brute_limit, .repeat = s->common.repeat};
    toi_status status = choose_names("methods", s->methods, overlap_contestant_name, plan->methods);
    if (!s->methods)
        drop_missing(plan->methods);
    if (status == TOI_OK)
        status = choose_names("calls", s->calls, overlap_calls_name, plan->calls);
    if (status == TOI_OK)
        status = choose_threads(s->threads, plan->threads, &plan->thread_count);
    return status;
}

static toi_status check(const settings *s, const operand_list *operands, overlap_plan *plan,
                        int *scenes)
{
    toi_status status = count_overlap_scenes(&s->source, operands, scenes);
    if (status == TOI_OK)
        status = make_plan(s, plan);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->csv);
    return status == TOI_OK ? check_output(s->picture) : status;
}

static toi_status measure(const settings *s, const operand_list *operands, const overlap_plan *plan,
                          int scenes, overlap_rows *rows)
{
    rows->capacity = scenes * count_overlap_rows(plan);
    rows->data = toi_allocate((size_t)rows->capacity * sizeof *rows->data);
    toi_status status = rows->data ? TOI_OK : TOI_ERROR_MEMORY;
    for (int i = 0; i < scenes && status == TOI_OK; ++i) {
        overlap_scene scene;
        status = open_overlap_scene(&s->source, operands, i, &scene);
        if (status == TOI_OK)
            status = run_overlap_plan(plan, &scene, rows);
        close_overlap_scene(&scene);
    }
    if (status == TOI_OK && rows->count == 0)
        status = toi_fail(TOI_ERROR_LIMIT, "nothing was measured: --brute-limit leaves no method");
    return status;
}

static toi_status report(const settings *s, const overlap_rows *rows)
{
    toi_status status = s->csv ? write_overlap_rows(s->csv, rows) : TOI_OK;
    if (status == TOI_OK && s->picture)
        status = draw_overlap_curves(s->picture, rows);
    if (status == TOI_OK)
        status = s->common.json ? print_overlap_object(rows, s->source.scaling)
                                : print_overlap_rows(rows, s->source.scaling);
    int wrong = status == TOI_OK ? count_wrong_overlaps(rows) : 0;
    if (wrong > 0)
        status =
            toi_fail(TOI_ERROR_UNSUPPORTED,
                     "%d rows have other pairs than the first of their mesh: a bug of toi", wrong);
    return status;
}

// ---- On a device

typedef struct device_job
{
    const settings *settings;
    const operand_list *operands;
} device_job;

static toi_status measure_on_device(const void *context, int number, toi_device *device,
                                    device_row *rows)
{
    const device_job *job = context;
    overlap_scene scene;
    toi_status status = open_overlap_scene(&job->settings->source, job->operands, number, &scene);
    if (status == TOI_OK)
        status = measure_device_overlaps(device, &scene, job->settings->common.repeat, rows);
    close_overlap_scene(&scene);
    return status;
}

static toi_status run_on_device(const settings *s, const operand_list *operands)
{
    overlap_plan plan;
    device_job job = {s, operands};
    device_bench bench = {.machine = &s->machine,
                          .csv = s->csv,
                          .json = s->common.json,
                          .ways = OVERLAP_WAYS,
                          .measure = measure_on_device,
                          .context = &job};
    toi_status status = check(s, operands, &plan, &bench.scenes);
    if (status == TOI_OK && (s->methods || s->calls || s->picture))
        status = toi_fail(TOI_ERROR_ARGUMENT, "--device cuda measures the card's own method in "
                                              "scenes that are kept: it goes with none of "
                                              "--methods, --calls and --picture");
    return status == TOI_OK ? run_device_bench(&bench) : status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    if (s->machine.device > 0)
        return run_on_device(s, operands);
    overlap_plan plan;
    overlap_rows rows = {.data = NULL};
    int scenes = 0;
    toi_status status = check(s, operands, &plan, &scenes);
    if (status == TOI_OK)
        status = measure(s, operands, &plan, scenes, &rows);
    if (status == TOI_OK)
        status = report(s, &rows);
    toi_release(rows.data);
    return status;
}

int run_bench_overlap(int argc, char **argv)
{
    settings s = {.source = default_overlap_source(),
                  .brute_limit = 4000,
                  .threads = "1",
                  .common = default_common()};
    s.common.repeat = 5;
    const option_group groups[] = {{"Meshes", overlap_scene_options, &s.source},
                                   {"A scene instead of files", frame_options, &s.source.scene},
                                   {"Runs", run_options, &s},
                                   {"Machine", machine_options, &s.machine},
                                   {"Output", output_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "bench overlap MESH... [OPTION...]\n"
                 "bench overlap --scene NAME [OPTION...]\n"
                 "bench overlap --all-scenes [OPTION...]\n"
                 "bench overlap --scaling [OPTION...]",
        .about = "Finds all pairs of faces that intersect, with every method, in one shot and in\n"
                 "a scene that is kept. All methods must find the same pairs: if one does not,\n"
                 "that is an error. Of a scene the later of two frames is taken, begun at 0.95\n"
                 "unless --begin is given. Runs of all methods take turns. The time of one thread\n"
                 "is processor time; that of several, and of stages, is by the clock on the wall.\n"
                 "With --device cuda: warm calls of a scene on a card, stage by stage, and the\n"
                 "processor beside it.",
        .examples = "bench overlap mesh.ply\n"
                    "bench overlap --scene chazelle --size 20000\n"
                    "bench overlap --scaling --methods auto,kdet --picture scaling.svg\n"
                    "bench overlap --scaling --device cuda --repeat 20",
        .groups = groups,
        .most_operands = 64};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
