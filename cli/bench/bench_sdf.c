// toi bench sdf: the solvers against distance fields side by side, and the study against truth.

#include "bench.h"
#include "bench_options.h"
#include "bench_sdf_report.h"
#include "bench_sdf_scenes.h"
#include "bench_sdf_study.h"
#include "failure.h"
#include "output.h"
#include "progress.h"
#include "sdf_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings
{
    const char *scenes;
    const char *solvers;
    bool study;
    int64_t count;
    const char *csv;
    common common;
} settings;

static const option sdf_options[] = {
    {.name = "scenes",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, scenes),
     .argument = "A,B,C",
     .help = "only these; all unless given"},
    {.name = "solvers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, solvers),
     .argument = "A,B,C",
     .help = "only these; all unless given. The study has fw, fwgss and certified"},
    {.name = "study",
     .offset = offsetof(settings, study),
     .help = "instead: random throws of a triangle and of a shuriken at a torus against the truth"},
    {.name = "count",
     .type = OPTION_INT64,
     .offset = offsetof(settings, count),
     .argument = "N",
     .help = "so many questions a scene, or throws of each body; unless given as many as each "
             "scene has, and 1024 throws",
     .least = 1,
     .most = 1000000,
     .range = "a whole number from 1 to 1000000"},
    {0}};

static const option run_options[] = {
    REPEAT_OPTION(settings, "after one run that is not counted, run N times and show the fastest"),
    {.name = "threads",
     .type = OPTION_INT,
     .offset = offsetof(settings, common.threads),
     .argument = "N",
     .help = "use N threads; 0: all cores. Unless given one, and for the truth of the study all",
     .most = TOI_MAX_WORKERS,
     .range = "a whole number from 0 to 1024"},
    SIMD_OPTION(settings),
    CSV_OPTION(settings, COLUMNS_NAMED),
    JSON_OPTION(settings),
    {0}};

// ---------------------------------------------------------------------------------------------
// One scene

static const double tolerances[] = {1e-6, 1e-9, 1e-12};

enum
{
    TOLERANCES = sizeof tolerances / sizeof *tolerances,
    SAMPLED_TRIANGLES = 400
};

static const double LONG_TRIANGLES = 2; // seconds for all that are measured by themselves

// What is run on a scene.
typedef struct sdf_plan
{
    sdf_variant variants[MOST_SDF_VARIANTS];
    int variant_count;
    int repeat;
    int threads;
} sdf_plan;

static toi_sdf_def def_of(const sdf_variant *variant, int threads)
{
    toi_sdf_def def = toi_default_sdf_def();
    def.solver = variant->solver;
    def.workers = threads;
    if (variant->tolerance > 0)
        def.tolerance = variant->tolerance;
    return def;
}

static toi_motion motion_of(const sdf_scene *scene, int64_t question)
{
    toi_motion motion = toi_default_motion();
    motion.duration = scene->duration;
    motion.mesh = scene->motions[question];
    return motion;
}

static toi_status ask(const toi_sdf_def *def, const sdf_scene *scene, int64_t question,
                      toi_sdf_result *result)
{
    toi_motion motion = motion_of(scene, question);
    return scene->surface
               ? toi_find_field_impact(def, scene->surface, &motion, scene->field, result)
               : toi_find_triangle_impact(def, (const double(*)[3])scene->triangles[question],
                                          &motion, scene->field, result);
}

static toi_status run_once(const toi_sdf_def *def, const sdf_scene *scene, toi_sdf_result *results,
                           double *seconds)
{
    toi_status status = TOI_OK;
    double begin = seconds_spent(def->workers);
    for (int64_t i = 0; i < scene->count && status == TOI_OK; ++i)
        status = ask(def, scene, i, &results[i]);
    *seconds = seconds_spent(def->workers) - begin;
    return status;
}

// What the results say together.
static void sum_up(const toi_sdf_result *results, int64_t count, sdf_row *row)
{
    row->hash = 0;
    for (int64_t i = 0; i < count; ++i) {
        const toi_sdf_result *r = &results[i];
        const uint64_t joined[] = {row->hash, hash_result(r)};
        row->hash = toi_hash(joined, sizeof joined);
        row->hits += r->state == TOI_SDF_HIT;
        row->undecided += r->state == TOI_SDF_UNDECIDED;
        row->nodes += (double)r->nodes / (double)count;
        row->evaluations += (double)r->evaluations / (double)count;
        if (r->state == TOI_SDF_HIT)
            row->gap = fmax(row->gap, r->t_high - r->t_low);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Triangles of a mesh by themselves, spread evenly over it, each over the whole motion; as many as
// fit in some seconds, for a triangle that skims a field may take one.
static toi_status time_triangles(const toi_sdf_def *def, const sdf_scene *scene, sdf_row *row)
{
    double seconds[SAMPLED_TRIANGLES], sum = 0, squares = 0;
    int64_t faces = scene->solid.face_count;
    int count = (int)(faces < SAMPLED_TRIANGLES ? faces : SAMPLED_TRIANGLES);
    toi_motion motion = motion_of(scene, 0);
    toi_status status = TOI_OK;
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        if (sum > LONG_TRIANGLES) {
            count = i;
            break;
        }
        // In long strides, so that those that fit are spread over the mesh too.
        const int32_t *face = scene->solid.faces[i * (2 * faces / 5 + 1) % faces];
        sdf_triangle corners;
        toi_sdf_result result;
        for (int k = 0; k < 3; ++k)
            memcpy(corners[k], scene->solid.points[face[k]], sizeof corners[k]);
        double begin = seconds_spent(1);
        status = toi_find_triangle_impact(def, (const double(*)[3])corners, &motion, scene->field,
                                          &result);
        seconds[i] = seconds_spent(1) - begin;
        sum += seconds[i];
        squares += seconds[i] * seconds[i];
    }
    if (status != TOI_OK || count == 0)
        return status;
    qsort(seconds, (size_t)count, sizeof *seconds, compare_numbers);
    row->triangle_mean = sum / count;
    row->triangle_median = 0.5 * (seconds[(count - 1) / 2] + seconds[count / 2]);
    row->triangle_deviation =
        sqrt(fmax(0, squares / count - row->triangle_mean * row->triangle_mean));
    return TOI_OK;
}

static sdf_row start_row(const sdf_scene *scene, const sdf_variant *variant, int threads)
{
    sdf_row row = {.scene = scene->name,
                   .triangles = scene->surface ? scene->solid.face_count : 1,
                   .questions = scene->count,
                   .variant = *variant,
                   .threads = threads};
    snprintf(row.field, sizeof row.field, "%s", scene->field_name);
    return row;
}

static toi_status measure_variant(const sdf_plan *plan, const sdf_scene *scene,
                                  const sdf_variant *variant, toi_sdf_result *results,
                                  sdf_rows *rows)
{
    toi_sdf_def def = def_of(variant, plan->threads);
    run_times times = {.repeat = plan->repeat, .enough = 20};
    toi_status status = TOI_OK;
    while (status == TOI_OK && wants_run(&times)) {
        double seconds;
        status = run_once(&def, scene, results, &seconds);
        if (status == TOI_OK)
            count_run(&times, seconds);
    }
    if (status != TOI_OK)
        return status;
    sdf_row row = start_row(scene, variant, plan->threads);
    row.seconds = least_seconds(&times) / (double)scene->count;
    row.median_seconds = median_seconds(&times) / (double)scene->count;
    row.repeats = times.count;
    sum_up(results, scene->count, &row);
    if (scene->surface) {
        double ignored;
        def.workers = 1;
        status = time_triangles(&def, scene, &row);
        def.probe = &row.probe;
        if (status == TOI_OK)
            status = run_once(&def, scene, results, &ignored);
    }
    rows->data[rows->count++] = row;
    return status;
}

static toi_status measure_scene(const sdf_plan *plan, int index, int64_t count, sdf_rows *rows)
{
    sdf_scene scene;
    toi_status status = make_sdf_scene(index, count, plan->threads, &scene);
    toi_sdf_result *results =
        status == TOI_OK ? toi_allocate((size_t)scene.count * sizeof *results) : NULL;
    if (status == TOI_OK && !results)
        status = TOI_ERROR_MEMORY;
    for (int i = 0; i < plan->variant_count && status == TOI_OK; ++i)
        status = measure_variant(plan, &scene, &plan->variants[i], results, rows);
    toi_release(results);
    free_sdf_scene(&scene);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All scenes

static toi_status make_plan(const settings *s, int threads, sdf_plan *plan)
{
    bool chosen[TOI_SDF_SOLVER_COUNT];
    *plan = (sdf_plan){.repeat = s->common.repeat, .threads = threads};
    toi_status status = choose_names("solvers", s->solvers, sdf_solver_choice, chosen);
    for (int i = TOI_SDF_SOLVER_COUNT - 1; i >= 0 && status == TOI_OK; --i)
        for (int k = 0; chosen[i] && k < (i == TOI_SDF_CERTIFIED ? TOLERANCES : 1); ++k)
            plan->variants[plan->variant_count++] =
                (sdf_variant){(toi_sdf_solver)i, i == TOI_SDF_CERTIFIED ? tolerances[k] : 0};
    return status;
}

static toi_status measure_scenes(const settings *s, const sdf_plan *plan, sdf_rows *rows)
{
    bool chosen[MOST_SDF_SCENES];
    progress bar = start_progress(1);
    toi_status status = choose_names("scenes", s->scenes, sdf_scene_name, chosen);
    int total = 0, done = 0;
    for (int i = 0; status == TOI_OK && sdf_scene_name(i); ++i)
        total += chosen[i];
    for (int i = 0; status == TOI_OK && sdf_scene_name(i); ++i)
        if (chosen[i]) {
            status = measure_scene(plan, i, s->count, rows);
            if (progress_function())
                show_progress(&bar, (double)++done / total);
        }
    end_progress(&bar);
    return status;
}

static toi_status compare_solvers(const settings *s, int threads)
{
    sdf_plan plan;
    sdf_rows rows = {.capacity = MOST_SDF_SCENES * MOST_SDF_VARIANTS};
    rows.data = toi_allocate((size_t)rows.capacity * sizeof *rows.data);
    toi_status status = rows.data ? make_plan(s, threads, &plan) : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = measure_scenes(s, &plan, &rows);
    if (status == TOI_OK)
        status = write_sdf_rows(s->csv, &rows);
    if (status == TOI_OK)
        status = s->common.json ? print_sdf_rows_object(&rows) : print_sdf_rows(&rows);
    toi_release(rows.data);
    return status;
}

static toi_status run(const settings *s)
{
    common c = s->common;
    if (c.threads < 0)
        c.threads = s->study ? 0 : 1;
    int threads = apply_threads(&c);
    toi_status status = apply_simd(&c);
    if (status == TOI_OK)
        status = check_output(s->csv);
    if (status == TOI_OK && s->study && (s->scenes || s->solvers))
        status = toi_fail(TOI_ERROR_ARGUMENT, "--study has its own scenes and solvers; leave out "
                                              "--scenes and --solvers");
    if (status != TOI_OK)
        return status;
    study_request request = {.count = s->count > 0 ? s->count : 1024,
                             .repeat = s->common.repeat,
                             .threads = threads,
                             .csv = s->csv,
                             .json = s->common.json};
    return s->study ? run_sdf_study(&request) : compare_solvers(s, threads);
}

int run_bench_sdf(int argc, char **argv)
{
    settings s = {.common = {.threads = -1, .repeat = 3}};
    const option_group groups[] = {{"Questions", sdf_options, &s}, {"Runs", run_options, &s}, {0}};
    char about[2048];
    int used = snprintf(
        about, sizeof about,
        "Compares the solvers for meshes against distance fields. A time is that of one\n"
        "question: all of a scene are asked, and the fastest run is shown; of a mesh also\n"
        "what triangles cost, alone and inside the search. With --study it throws a\n"
        "triangle and a shuriken at a torus and compares with the truth, found by dense\n"
        "sampling on all threads: tables 1.1 and 1.2 of Pelletier-Guenette et al. The\n"
        "hash is that of all results.\n\n"
        "Scenes; a bumpy ball stands in for the bunny where TOI_DATA does not have it:\n");
    for (int i = 0; sdf_scene_name(i) && used < (int)sizeof about; ++i)
        used += snprintf(about + used, sizeof about - (size_t)used, "  %-18s%s%s",
                         sdf_scene_name(i), sdf_scene_about(i), sdf_scene_name(i + 1) ? "\n" : "");
    const command_line line = {.usage = "bench sdf [OPTION...]\nbench sdf --study [OPTION...]",
                               .about = about,
                               .examples = "bench sdf --scenes triangle-torus,hoop --csv sdf.csv\n"
                                           "bench sdf --study --count 128",
                               .groups = groups};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s)) : code;
}
