// Prints the rows of toi bench sdf, as tables, as JSON and as csv.

#include "bench_sdf_report.h"

#include "environment.h"
#include "json.h"
#include "output.h"
#include "table.h"

#include <inttypes.h>
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

static void add_titles(table *t)
{
    static const char *const titles[] = {
        "solver", "time",  "a triangle: mean", "median", "SD, us", "hits", "undecided",
        "gap",    "nodes", "values",           "hash"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; ++i)
        add_cell(t, words(titles[i]));
}

static void add_row(table *t, const sdf_row *row)
{
    add_cell(t, variant_text(&row->variant));
    add_cell(t, seconds_text(row->seconds));
    add_cell(t, microseconds(row->triangle_mean));
    add_cell(t, microseconds(row->triangle_median));
    add_cell(t, microseconds(row->triangle_deviation));
    add_cell(t, count_text(row->hits));
    add_cell(t, count_text(row->undecided));
    add_cell(t, row->variant.solver == TOI_SDF_CERTIFIED ? decimal("%.1e", row->gap) : words("-"));
    add_cell(t, decimal("%.0f", row->nodes));
    add_cell(t, decimal("%.0f", row->evaluations));
    add_cell(t, hash_text(row->hash));
}

toi_status print_sdf_rows(const sdf_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < rows->count && status == TOI_OK;) {
        const sdf_row *first = &rows->data[i];
        printf("%s%s: %s triangle%s on %s, %s question%s\n", i > 0 ? "\n" : "", first->scene,
               count_text(first->triangles).at, first->triangles == 1 ? "" : "s", first->field,
               count_text(first->questions).at, first->questions == 1 ? "" : "s");
        table t = start_table(11, 1);
        add_titles(&t);
        for (; i < rows->count && strcmp(rows->data[i].scene, first->scene) == 0; ++i)
            add_row(&t, &rows->data[i]);
        status = print_table(&t);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static json_t *row_object(const sdf_row *r)
{
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:f, s:i, s:f, s:f, s:i, s:f, s:f, s:f, s:I, s:I, s:f, s:f, "
        "s:f, "
        "s:o}",
        "scene", r->scene, "field", r->field, "triangles", (json_int_t)r->triangles, "questions",
        (json_int_t)r->questions, "solver", toi_sdf_solver_name(r->variant.solver), "tolerance",
        r->variant.tolerance, "threads", r->threads, "seconds", r->seconds, "median_seconds",
        r->median_seconds, "repeats", r->repeats, "triangle_mean", r->triangle_mean,
        "triangle_median", r->triangle_median, "triangle_deviation", r->triangle_deviation, "hits",
        (json_int_t)r->hits, "undecided", (json_int_t)r->undecided, "gap", r->gap, "nodes",
        r->nodes, "evaluations", r->evaluations, "hash", json_hash(r->hash));
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
    "triangle_mean,triangle_median,triangle_deviation,hits,undecided,gap,nodes,evaluations,hash,"
    "simd," ENVIRONMENT_TITLES;

static void write_row(FILE *file, const sdf_row *r)
{
    fprintf(file,
            "%s,%s,%" PRId64 ",%" PRId64 ",%s,%.9g,%d,%.9f,%.9f,%d,%.9f,%.9f,%.9f,%" PRId64
            ",%" PRId64 ",%.3g,%.1f,%.1f,%s,%s,",
            r->scene, r->field, r->triangles, r->questions, toi_sdf_solver_name(r->variant.solver),
            r->variant.tolerance, r->threads, r->seconds, r->median_seconds, r->repeats,
            r->triangle_mean, r->triangle_median, r->triangle_deviation, r->hits, r->undecided,
            r->gap, r->nodes, r->evaluations, hash_text(r->hash).at, toi_simd_name());
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
