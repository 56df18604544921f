// Prints the study: the paper's tables 1.1 and 1.2 for every solver, what was wrong, and what it
// cost.

#include "bench_sdf_study.h"

#include "environment.h"
#include "json.h"
#include "output.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *body_name(int body)
{
    return body < STUDY_BODIES ? study_body_names[body] : "all";
}

// ---------------------------------------------------------------------------------------------
// Tables

static void add_spread(table *t, const study_spread *s)
{
    const double numbers[] = {s->least, s->most, s->mean, s->median, s->deviation};
    for (int i = 0; i < 5; ++i)
        add_cell(t, s->count > 0 ? decimal("%+.2e", numbers[i]) : words("-"));
}

static toi_status print_spreads(const study_result *result, const char *title, bool travel)
{
    static const char *const titles[] = {"solver", "body", "min", "max", "avg", "median", "sigma"};
    printf("\n%s\n", title);
    table t = start_table(7, 2);
    for (int i = 0; i < 7; ++i)
        add_cell(&t, words(titles[i]));
    for (int v = 0; v < STUDY_VARIANTS; ++v)
        for (int body = 0; body <= STUDY_BODIES; ++body) {
            const study_row *row = &result->rows[v][body];
            add_cell(&t, body == 0 ? variant_text(&study_variants[v]) : words(""));
            add_cell(&t, words(body_name(body)));
            add_spread(&t, travel ? &row->travel : &row->time);
        }
    return print_table(&t);
}

static text set_share(const study_row *row, int64_t count)
{
    return decimal("%.2f %%", 100.0 * (double)count / (double)row->sets);
}

static toi_status print_errors(const study_result *result)
{
    static const char *const titles[] = {"solver",    "body", "hits", "missed",  "invented",
                                         "undecided", "late", "gap",  "a throw", "values"};
    printf("\nErrors and cost, one thread. Late: t_low is after the truth.\n");
    table t = start_table(10, 2);
    for (int i = 0; i < 10; ++i)
        add_cell(&t, words(titles[i]));
    for (int v = 0; v < STUDY_VARIANTS; ++v)
        for (int body = 0; body < STUDY_BODIES; ++body) {
            const study_row *row = &result->rows[v][body];
            bool certified = study_variants[v].solver == TOI_SDF_CERTIFIED;
            add_cell(&t, body == 0 ? variant_text(&study_variants[v]) : words(""));
            add_cell(&t, words(body_name(body)));
            add_cell(&t, count_text(row->hits));
            add_cell(&t, count_text(row->missed));
            add_cell(&t, count_text(row->invented));
            add_cell(&t, count_text(row->undecided));
            add_cell(&t, count_text(row->late));
            add_cell(&t, certified ? decimal("%.1e", row->gap) : words("-"));
            add_cell(&t, seconds_text(row->seconds));
            add_cell(&t, decimal("%.0f", row->evaluations));
        }
    return print_table(&t);
}

static toi_status print_sets(const study_result *result)
{
    static const char *const titles[] = {"solver", "1e-8 s: missing", "wrong", "1e-6 s: missing",
                                         "wrong"};
    printf(
        "\nThe triangles of the shuriken that touch within so long of the first: throws where the\n"
        "solver lacks one, and where it has a wrong one\n");
    table t = start_table(5, 1);
    for (int i = 0; i < 5; ++i)
        add_cell(&t, words(titles[i]));
    for (int v = 0; v < STUDY_VARIANTS; ++v) {
        const study_row *row = &result->rows[v][STUDY_BODIES - 1];
        if (row->sets == 0)
            continue;
        add_cell(&t, variant_text(&study_variants[v]));
        for (int i = 0; i < STUDY_SETS; ++i) {
            add_cell(&t, set_share(row, row->sets_missing[i]));
            add_cell(&t, set_share(row, row->sets_wrong[i]));
        }
    }
    return print_table(&t);
}

// What 1e-12 costs, in parts of what 1e-9 costs.
static double cost_ratio(const study_result *result, int body)
{
    double finest = result->rows[STUDY_VARIANTS - 1][body].seconds;
    double finer = result->rows[STUDY_VARIANTS - 2][body].seconds;
    return finer > 0 ? finest / finer : 0;
}

toi_status print_study(const study_request *request, const study_result *result)
{
    printf(
        "%s throws of a triangle and of a shuriken of 888 triangles at a torus 30 cm wide\n"
        "truth by dense sampling: %s on %d thread%s; sets: %s\n"
        "it and certified at 1e-12 disagree about %s hits; their times differ by at most %.1e s\n",
        count_text(request->count).at, seconds_text(result->truth_seconds).at, request->threads,
        request->threads == 1 ? "" : "s", seconds_text(result->set_seconds).at,
        count_text(result->disagree).at, result->differ);
    toi_status status =
        print_spreads(result, "Time of impact less the truth, s (table 1.1)", false);
    if (status == TOI_OK)
        status = print_spreads(result, "Travel less the truth, m (table 1.2)", true);
    if (status == TOI_OK)
        status = print_errors(result);
    if (status == TOI_OK)
        status = print_sets(result);
    printf("\ncertified at 1e-12 takes %.2f times as long as at 1e-9 (triangle), %.2f (shuriken)\n",
           cost_ratio(result, 0), cost_ratio(result, 1));
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static json_t *spread_object(const study_spread *s)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "count", (json_int_t)s->count, "min",
                     s->least, "max", s->most, "mean", s->mean, "median", s->median, "deviation",
                     s->deviation);
}

static json_t *row_object(int variant, int body, const study_row *r)
{
    return json_pack(
        "{s:s, s:f, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:[I,I], s:[I,I], s:o, s:o, "
        "s:f, s:f, s:o}",
        "solver", toi_sdf_solver_name(study_variants[variant].solver), "tolerance",
        study_variants[variant].tolerance, "body", body_name(body), "throws", (json_int_t)r->throws,
        "hits", (json_int_t)r->hits, "missed", (json_int_t)r->missed, "invented",
        (json_int_t)r->invented, "undecided", (json_int_t)r->undecided, "late", (json_int_t)r->late,
        "gap", r->gap, "sets", (json_int_t)r->sets, "sets_missing", (json_int_t)r->sets_missing[0],
        (json_int_t)r->sets_missing[1], "sets_wrong", (json_int_t)r->sets_wrong[0],
        (json_int_t)r->sets_wrong[1], "time", spread_object(&r->time), "travel",
        spread_object(&r->travel), "seconds", r->seconds, "evaluations", r->evaluations, "hash",
        json_hash(r->hash));
}

toi_status print_study_object(const study_request *request, const study_result *result)
{
    json_t *rows = json_array();
    for (int v = 0; v < STUDY_VARIANTS && rows; ++v)
        for (int body = 0; body <= STUDY_BODIES; ++body)
            json_array_append_new(rows, row_object(v, body, &result->rows[v][body]));
    return print_json(json_pack("{s:I, s:i, s:I, s:f, s:f, s:f, s:f, s:f, s:o}", "throws",
                                (json_int_t)request->count, "threads", request->threads, "disagree",
                                (json_int_t)result->disagree, "differ", result->differ,
                                "seconds_truth", result->truth_seconds, "seconds_sets",
                                result->set_seconds, "ratio_triangle", cost_ratio(result, 0),
                                "ratio_shuriken", cost_ratio(result, 1), "rows", rows));
}

static const char titles[] =
    "solver,tolerance,body,throws,hits,missed,invented,undecided,late,gap,sets,sets_missing,"
    "sets_wrong,sets_missing_1e-6,sets_wrong_1e-6,time_min,time_max,time_mean,time_median,time_"
    "deviation,travel_min,travel_max,"
    "travel_mean,travel_median,travel_deviation,seconds,evaluations,hash,simd," ENVIRONMENT_TITLES;

static void write_spread(FILE *file, const study_spread *s)
{
    fprintf(file, "%.6g,%.6g,%.6g,%.6g,%.6g,", s->least, s->most, s->mean, s->median, s->deviation);
}

static void write_row(FILE *file, int variant, int body, const study_row *r)
{
    fprintf(file,
            "%s,%.9g,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%.3g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
            toi_sdf_solver_name(study_variants[variant].solver), study_variants[variant].tolerance,
            body_name(body), r->throws, r->hits, r->missed, r->invented, r->undecided, r->late,
            r->gap, r->sets, r->sets_missing[0], r->sets_wrong[0], r->sets_missing[1],
            r->sets_wrong[1]);
    write_spread(file, &r->time);
    write_spread(file, &r->travel);
    fprintf(file, "%.9f,%.1f,%s,%s,", r->seconds, r->evaluations, hash_text(r->hash).at,
            toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}

toi_status write_study(const char *path, const study_result *result)
{
    toi_output output;
    toi_status status = path ? toi_open_output(path, &output) : TOI_OK;
    if (status != TOI_OK || !path)
        return status;
    fprintf(output.file, "%s\n", titles);
    for (int v = 0; v < STUDY_VARIANTS; ++v)
        for (int body = 0; body <= STUDY_BODIES; ++body)
            write_row(output.file, v, body, &result->rows[v][body]);
    return toi_close_output(&output);
}
