// Prints the rows of toi bench sdf, as tables, as JSON and as csv.

#include "bench_sdf_report.h"

#include "environment.h"
#include "json.h"
#include "output.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

text variant_text(const sdf_variant *variant)
{
    const char *name = toi_sdf_solver_name(variant->solver);
    text result;
    if (variant->tolerance > 0)
        snprintf(result.at, sizeof result.at, "%s %.0e", name, variant->tolerance);
    else
        snprintf(result.at, sizeof result.at, "%s", name);
    return result;
}

// ---------------------------------------------------------------------------------------------
// A table a scene

static text microseconds(double seconds)
{
    return seconds > 0 ? decimal("%.2f", 1e6 * seconds) : words("-");
}

static double tested_mean(const toi_sdf_probe *p)
{
    return p->triangles > 0 ? p->sum / (double)p->triangles : 0;
}

static double tested_deviation(const toi_sdf_probe *p)
{
    double mean = tested_mean(p);
    return p->triangles > 0 ? sqrt(fmax(0, p->squares / (double)p->triangles - mean * mean)) : 0;
}

static const char *const answer_titles[] = {"solver", "time",  "hits",   "undecided",
                                            "gap",    "nodes", "values", "hash"};

static void add_answer(table *t, const sdf_row *row)
{
    add_cell(t, variant_text(&row->variant));
    add_cell(t, seconds_text(row->seconds));
    add_cell(t, count_text(row->hits));
    add_cell(t, count_text(row->undecided));
    add_cell(t, row->variant.solver == TOI_SDF_CERTIFIED ? decimal("%.1e", row->gap) : words("-"));
    add_cell(t, decimal("%.0f", row->nodes));
    add_cell(t, decimal("%.0f", row->evaluations));
    add_cell(t, hash_text(row->hash));
}

static const char *const triangle_titles[] = {
    "us a triangle", "alone: mean", "median", "SD", "in the mesh: tested",
    "mean",          "min",         "max",    "SD"};

static void add_triangles(table *t, const sdf_row *row)
{
    const toi_sdf_probe *p = &row->probe;
    add_cell(t, variant_text(&row->variant));
    add_cell(t, microseconds(row->triangle_mean));
    add_cell(t, microseconds(row->triangle_median));
    add_cell(t, microseconds(row->triangle_deviation));
    add_cell(t, p->triangles > 0 ? decimal("%.1f", (double)p->triangles / (double)row->questions)
                                 : words("-"));
    add_cell(t, microseconds(tested_mean(p)));
    add_cell(t, microseconds(p->triangles > 0 ? p->least : 0));
    add_cell(t, microseconds(p->most));
    add_cell(t, microseconds(tested_deviation(p)));
}

// Rows of one scene as a table.
static toi_status print_part(const sdf_row *rows, int count, const char *const *titles, int columns,
                             void (*add)(table *, const sdf_row *))
{
    table t = start_table(columns, 1);
    for (int i = 0; i < columns; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < count; ++i)
        add(&t, &rows[i]);
    return print_table(&t);
}

static toi_status print_scene(const sdf_row *rows, int count)
{
    printf("%s: %s triangle%s on %s, %s question%s\n", rows->scene, count_text(rows->triangles).at,
           rows->triangles == 1 ? "" : "s", rows->field, count_text(rows->questions).at,
           rows->questions == 1 ? "" : "s");
    toi_status status = print_part(rows, count, answer_titles, 8, add_answer);
    if (status != TOI_OK || rows->triangles == 1)
        return status;
    printf("\n");
    return print_part(rows, count, triangle_titles, 9, add_triangles);
}

toi_status print_sdf_rows(const sdf_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0, next; i < rows->count && status == TOI_OK; i = next) {
        for (next = i;
             next < rows->count && strcmp(rows->data[next].scene, rows->data[i].scene) == 0;)
            ++next;
        if (i > 0)
            printf("\n");
        status = print_scene(&rows->data[i], next - i);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static json_t *row_object(const sdf_row *r)
{
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:f, s:i, s:f, s:f, s:i, s:f, s:f, s:f, s:{s:I, s:f, s:f, s:f, "
        "s:f}, s:I, s:I, s:f, s:f, s:f, s:o}",
        "scene", r->scene, "field", r->field, "triangles", (json_int_t)r->triangles, "questions",
        (json_int_t)r->questions, "solver", toi_sdf_solver_name(r->variant.solver), "tolerance",
        r->variant.tolerance, "threads", r->threads, "seconds", r->seconds, "median_seconds",
        r->median_seconds, "repeats", r->repeats, "triangle_mean", r->triangle_mean,
        "triangle_median", r->triangle_median, "triangle_deviation", r->triangle_deviation,
        "tested", "triangles", (json_int_t)r->probe.triangles, "mean", tested_mean(&r->probe),
        "min", r->probe.triangles > 0 ? r->probe.least : 0.0, "max", r->probe.most, "deviation",
        tested_deviation(&r->probe), "hits", (json_int_t)r->hits, "undecided",
        (json_int_t)r->undecided, "gap", r->gap, "nodes", r->nodes, "evaluations", r->evaluations,
        "hash", json_hash(r->hash));
}

toi_status print_sdf_rows_object(const sdf_rows *rows)
{
    json_t *list = json_array();
    for (int i = 0; i < rows->count && list; ++i)
        json_array_append_new(list, row_object(&rows->data[i]));
    return print_json(json_pack("{s:o}", "rows", list));
}

static const char titles[] =
    "scene,field,triangles,questions,solver,tolerance,threads,seconds,median_seconds,repeats,"
    "triangle_mean,triangle_median,triangle_deviation,tested,tested_mean,tested_min,tested_max,"
    "tested_deviation,hits,undecided,gap,nodes,evaluations,hash,"
    "simd," ENVIRONMENT_TITLES;

static void write_row(FILE *file, const sdf_row *r)
{
    fprintf(file,
            "%s,%s,%" PRId64 ",%" PRId64 ",%s,%.9g,%d,%.9f,%.9f,%d,%.9f,%.9f,%.9f,%" PRId64
            ",%.9f,%.9f,%.9f,%.9f,%" PRId64 ",%" PRId64 ",%.3g,%.1f,%.1f,%s,%s,",
            r->scene, r->field, r->triangles, r->questions, toi_sdf_solver_name(r->variant.solver),
            r->variant.tolerance, r->threads, r->seconds, r->median_seconds, r->repeats,
            r->triangle_mean, r->triangle_median, r->triangle_deviation, r->probe.triangles,
            tested_mean(&r->probe), r->probe.triangles > 0 ? r->probe.least : 0, r->probe.most,
            tested_deviation(&r->probe), r->hits, r->undecided, r->gap, r->nodes, r->evaluations,
            hash_text(r->hash).at, toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}

toi_status write_sdf_rows(const char *path, const sdf_rows *rows)
{
    toi_output output;
    toi_status status = path ? toi_open_output(path, &output) : TOI_OK;
    if (status != TOI_OK || !path)
        return status;
    fprintf(output.file, "%s\n", titles);
    for (int i = 0; i < rows->count; ++i)
        write_row(output.file, &rows->data[i]);
    return toi_close_output(&output);
}
