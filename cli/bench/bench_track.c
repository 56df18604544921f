// toi bench track: the methods over many steps, side by side.

#include "bench.h"
#include "bench_broad_scene.h"
#include "bench_options.h"
#include "bench_track_report.h"
#include "bench_track_run.h"
#include "failure.h"
#include "output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct settings
{
    const char *scenes;
    const char *sizes;
    const char *label;
    int frames;
    double begin;
    int64_t seed;
    const char *methods;
    const char *volumes;
    bool no_orphans;
    const char *cuts;
    int cut_steps;
    const char *threads;
    bool quick;
    const char *csv;
    const char *picture;
    common common;
} settings;

static const char *method_choice(int index)
{
    return toi_track_name((toi_track_method)index);
}

static const char *volume_choice(int index)
{
    return toi_volume_name((toi_volume)index);
}

static const option motion_options[] = {
    {.name = "scenes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, scenes),
     .argument = "A,B,C",
     .help = "make these scenes, see 'toi scene'; without files cloth-ball, n-body, triangles "
             "(unstructured motion) and fracture unless given"},
    {.name = "sizes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, sizes),
     .argument = "A,B,C",
     .help = "of about so many faces each; 4000,30000,100000 unless given"},
    {.name = "frames",
     .type = OPTION_INT,
     .offset = offsetof(settings, frames),
     .argument = "N",
     .help = "so many frames of each; 20 unless given",
     .least = 2,
     .most = INT32_MAX,
     .range = "a whole number of at least 2"},
    {.name = "begin",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, begin),
     .argument = "B",
     .help = "where in its motion the first frame lies, from 0 to 1",
     .most = 1,
     .range = "a number from 0 to 1"},
    {.name = "seed",
     .type = OPTION_INT64,
     .offset = offsetof(settings, seed),
     .argument = "K",
     .help = "what is random in the scenes follows from it",
     .most = (double)INT64_MAX,
     .range = "a whole number from 0 to 9223372036854775807"},
    {.name = "label",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, label),
     .argument = "NAME",
     .help = "what files are called in tables; the name of their folder unless given"},
    {0}};

static const option method_options[] = {
    {.name = "methods",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, methods),
     .argument = "A,B,C",
     .help = "auto, stateless, order, budgets, front, phc, serial, rebuild; all unless given"},
    {.name = "volumes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, volumes),
     .argument = "A,B",
     .help = "of the four last methods: box, dop18; dop18 unless given"},
    {.name = "no-orphans",
     .offset = offsetof(settings, no_orphans),
     .help = "leave out front without orphan sets, which shows what they save"},
    {.name = "cuts",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, cuts),
     .argument = "A,B,C",
     .help = "then the last step cut into so many equal parts each, or none; 1,10,100,1000 unless "
             "given"},
    {.name = "cut-steps",
     .type = OPTION_INT,
     .offset = offsetof(settings, cut_steps),
     .argument = "N",
     .help = "so many parts of each, to and fro where there are fewer; 25 unless given",
     .least = 2,
     .most = 1000000,
     .range = "a whole number from 2 to 1000000"},
    {0}};

static const option run_options[] = {
    THREADS_LIST_OPTION(settings, "1 unless given"),
    REPEAT_OPTION(settings, "all steps N times, and the fastest of each; 1 unless given"),
    {.name = "quick",
     .offset = offsetof(settings, quick),
     .help = "what ends in a minute, unless given otherwise: --sizes 4000 --frames 6 --cuts "
             "1,10,100 --cut-steps 6"},
    SIMD_OPTION(settings),
    {0}};

static const option output_options[] = {
    CSV_OPTION(settings, COLUMNS_NAMED),
    {.name = "picture",
     .type = OPTION_FILE,
     .offset = offsetof(settings, picture),
     .argument = "FILE.svg",
     .help = "draw the time of a step over its motion, and the speedup over threads"},
    JSON_OPTION(settings),
    {0}};

// ---------------------------------------------------------------------------------------------
// What to run

enum
{
    MOST_SIZES = 16,
    MOST_SCENES = 64
};

// What is measured: files, or scenes of several sizes.
typedef struct motion_list
{
    bool scenes[MOST_SCENES];
    int64_t sizes[MOST_SIZES];
    int size_count;
} motion_list;

// Reads "a,b,c", whole numbers from 1 on, the value of the option `name`.
static toi_status choose_numbers(const char *name, const char *list, int64_t most,
                                 int64_t numbers[MOST_SIZES], int *count)
{
    char item[24];
    for (*count = 0; list; list = list[strcspn(list, ",")] ? strchr(list, ',') + 1 : NULL) {
        size_t length = strcspn(list, ",");
        snprintf(item, sizeof item, "%.*s", length < sizeof item ? (int)length : 23, list);
        if (*count == MOST_SIZES)
            return toi_fail(TOI_ERROR_ARGUMENT, "--%s has more than %d numbers", name, MOST_SIZES);
        int64_t *number = &numbers[(*count)++];
        if (!parse_integer(item, number) || *number < 1 || *number > most)
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "--%s has '%s'; use whole numbers from 1 to %lld, such as 4000,100000",
                            name, item, (long long)most);
    }
    return TOI_OK;
}

static void set_usual(settings *s)
{
    if (!s->sizes)
        s->sizes = s->quick ? "4000" : "4000,30000,100000";
    if (s->frames == 0)
        s->frames = s->quick ? 6 : 20;
    if (!s->cuts)
        s->cuts = s->quick ? "1,10,100" : "1,10,100,1000";
    if (s->cut_steps == 0)
        s->cut_steps = s->quick ? 6 : 25;
}

// A build without the methods of the literature lacks some: those that nobody asked for are left
// out.
static toi_status drop_missing(bool methods[TOI_TRACK_COUNT])
{
    static const int32_t face[3] = {0, 1, 2};
    toi_scene_def scene_def = toi_default_scene_def();
    toi_scene *scene;
    scene_def.vertex_count = 3;
    scene_def.faces = (toi_index_view){face, 1, 0};
    toi_status status = toi_make_scene(&scene_def, &scene);
    for (int i = 0; i < TOI_TRACK_COUNT && status == TOI_OK; ++i) {
        toi_track_def def = toi_default_track_def();
        def.method = (toi_track_method)i;
        methods[i] = methods[i] && toi_scene_set_tracking(scene, &def) != TOI_ERROR_UNSUPPORTED;
    }
    toi_free_scene(scene);
    return status;
}

static toi_status choose_cuts(const settings *s, track_plan *plan)
{
    int64_t cuts[MOST_SIZES];
    if (strcmp(s->cuts, "none") == 0)
        return TOI_OK;
    toi_status status = choose_numbers("cuts", s->cuts, 1000000, cuts, &plan->cut_count);
    for (int i = 0; i < plan->cut_count && status == TOI_OK; ++i)
        plan->cuts[i] = (int)cuts[i];
    return status;
}

static toi_status make_plan(const settings *s, track_plan *plan)
{
    *plan = (track_plan){
        .without_orphans = !s->no_orphans, .cut_steps = s->cut_steps, .repeat = s->common.repeat};
    toi_status status = choose_names("methods", s->methods, method_choice, plan->methods);
    if (status == TOI_OK && !s->methods)
        status = drop_missing(plan->methods);
    if (status == TOI_OK)
        status = choose_names("volumes", s->volumes, volume_choice, plan->volumes);
    if (status == TOI_OK)
        status = choose_threads(s->threads, plan->threads, &plan->thread_count);
    return status == TOI_OK ? choose_cuts(s, plan) : status;
}

static toi_status choose_motions(const settings *s, const operand_list *operands,
                                 motion_list *motions)
{
    const char *usual = "cloth-ball,n-body,triangles,fracture";
    *motions = (motion_list){.size_count = 0};
    if (s->label && operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "--label needs files: what is made has a name");
    if (operands->count == 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "two files are needed at least, FRAME FRAME ...");
    toi_status status =
        choose_numbers("sizes", s->sizes, INT32_MAX, motions->sizes, &motions->size_count);
    if (status == TOI_OK && (s->scenes || operands->count == 0))
        status = choose_names("scenes", s->scenes ? s->scenes : usual, toi_animation_name,
                              motions->scenes);
    return status;
}

static int count_motions(const motion_list *motions, const operand_list *operands)
{
    int count = operands->count > 0;
    for (int i = 0; i < MOST_SCENES; ++i)
        count += motions->scenes[i] ? motions->size_count : 0;
    return count;
}

// ---------------------------------------------------------------------------------------------
// The subcommand

static toi_status measure_motion_of(const scene_choice *choice, const operand_list *operands,
                                    const char *name, const track_plan *plan, track_rows *rows)
{
    sequence motion = {.steps = 0};
    toi_status status = open_sequence(choice, operands, &motion);
    if (status == TOI_OK)
        status = run_track_plan(plan, &motion, name, rows);
    close_sequence(&motion);
    return status;
}

static toi_status measure_files(const settings *s, const operand_list *operands,
                                const track_plan *plan, track_rows *rows)
{
    const scene_choice files = default_scene_choice();
    char name[TRACK_NAME_BYTES];
    name_by_folder(operands->at[0], name, sizeof name);
    if (s->label)
        snprintf(name, sizeof name, "%s", s->label);
    return measure_motion_of(&files, operands, name, plan, rows);
}

static toi_status measure_scene(const settings *s, int scene, int64_t size, const track_plan *plan,
                                track_rows *rows)
{
    const operand_list none = {.count = 0};
    scene_choice choice = default_scene_choice();
    char name[TRACK_NAME_BYTES];
    choice.scene = toi_animation_name(scene);
    choice.size = size;
    choice.seed = s->seed;
    choice.begin = s->begin;
    choice.frames = s->frames;
    snprintf(name, sizeof name, "%s-%lld", choice.scene, (long long)size);
    return measure_motion_of(&choice, &none, name, plan, rows);
}

static toi_status measure(const settings *s, const operand_list *operands,
                          const motion_list *motions, const track_plan *plan, track_rows *rows)
{
    rows->capacity = count_motions(motions, operands) * count_track_rows(plan);
    rows->data = toi_allocate((size_t)rows->capacity * sizeof *rows->data);
    toi_status status = rows->data ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK && operands->count > 0)
        status = measure_files(s, operands, plan, rows);
    for (int i = 0; i < MOST_SCENES; ++i)
        for (int k = 0; k < motions->size_count && motions->scenes[i] && status == TOI_OK; ++k)
            status = measure_scene(s, i, motions->sizes[k], plan, rows);
    return status;
}

static toi_status report(const settings *s, const track_rows *rows)
{
    toi_status status = s->csv ? write_track_rows(s->csv, rows) : TOI_OK;
    if (status == TOI_OK && s->picture)
        status = draw_track_curves(s->picture, rows);
    if (status == TOI_OK)
        status = s->common.json ? print_track_object(rows) : print_track_rows(rows);
    int wrong = status == TOI_OK ? count_wrong_tracks(rows) : 0;
    if (wrong > 0)
        status = toi_fail(TOI_ERROR_UNSUPPORTED,
                          "%d rows have other impacts than the first of their motion: a bug of toi",
                          wrong);
    return status;
}

static toi_status run(settings *s, const operand_list *operands)
{
    track_plan plan;
    motion_list motions;
    track_rows rows = {.data = NULL};
    set_usual(s);
    toi_status status = choose_motions(s, operands, &motions);
    if (status == TOI_OK)
        status = make_plan(s, &plan);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK)
        status = check_output(s->picture);
    if (status == TOI_OK)
        status = measure(s, operands, &motions, &plan, &rows);
    if (status == TOI_OK)
        status = report(s, &rows);
    toi_release(rows.data);
    return status;
}

int run_bench_track(int argc, char **argv)
{
    settings s = {
        .begin = 0.8, .seed = 1, .volumes = "dop18", .threads = "1", .common = default_common()};
    const option_group groups[] = {{"Motions", motion_options, &s},
                                   {"Methods", method_options, &s},
                                   {"Runs", run_options, &s},
                                   {"Output", output_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "bench track FRAME FRAME... [OPTION...]\nbench track [OPTION...]",
        .about = "Finds every impact of one step after the other with every method, each step by\n"
                 "all of them in turn. All must find the same impacts: if one does not, that is\n"
                 "an error. Tables are those of Tang, Manocha, Tong (2010): figures 4, 7, 9, 12,\n"
                 "13 and table 2; and the cost against the motion of a step. Means leave out the\n"
                 "first step, which makes what the others use. The time of one thread is\n"
                 "processor time; that of several, and of stages, is by the clock on the wall.",
        .examples = "bench track --quick\n"
                    "bench track frame_*.ply --threads 1,2,4,8,16 --csv track.csv\n"
                    "bench track --scenes cloth-ball --sizes 1000000 --methods auto,stateless\n"
                    "bench track --scenes n-body --sizes 100000 --picture motion.svg",
        .groups = groups,
        .most_operands = INT_MAX};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
