// The comparison of searches for intersecting faces as tables, words, JSON and csv.

#include "bench_overlap_report.h"

#include "json.h"
#include "output.h"
#include "table.h"

#include <string.h>

static bool is_new_mesh(const overlap_rows *rows, int index)
{
    return index == 0 || strcmp(rows->data[index].scene, rows->data[index - 1].scene) != 0;
}

int count_wrong_overlaps(const overlap_rows *rows)
{
    int wrong = 0;
    uint64_t expected = 0;
    for (int i = 0; i < rows->count; ++i) {
        if (is_new_mesh(rows, i))
            expected = rows->data[i].hash;
        wrong += rows->data[i].hash != expected;
    }
    return wrong;
}

// ---------------------------------------------------------------------------------------------
// Tables

static void add_titles(table *t)
{
    static const char *const titles[] = {"mesh",       "method",  "calls",  "threads", "time",
                                         "median",     "prepare", "search", "ns/face", "pairs",
                                         "candidates", "exact",   "stars",  "memory",  "hash"};
    *t = start_table(sizeof titles / sizeof *titles, 4);
    for (int i = 0; i < t->columns; ++i)
        add_cell(t, words(titles[i]));
}

static void add_row(table *t, const overlap_row *row, bool first)
{
    const toi_overlap_report *r = &row->report;
    add_cell(t, first ? words(row->scene) : words(""));
    add_cell(t, words(row->method));
    add_cell(t, words(overlap_calls_name((int)row->calls)));
    add_cell(t, count_text(row->threads));
    add_cell(t, seconds_text(r->seconds_total));
    add_cell(t, seconds_text(row->median_seconds));
    add_cell(t, seconds_text(r->seconds_prepare));
    add_cell(t, seconds_text(r->seconds_search));
    add_cell(t, decimal("%.1f", 1e9 * overlap_seconds_per_face(row)));
    add_cell(t, count_text(r->pairs));
    add_cell(t, count_text(r->candidates));
    add_cell(t, count_text(r->exact));
    add_cell(t, count_text(r->stars));
    add_cell(t, bytes_text(r->peak_bytes));
    add_cell(t, hash_text(row->hash));
}

static void print_mesh_line(const overlap_row *row)
{
    printf("%s: %s vertices, %s faces; %s pairs", row->scene, count_text(row->vertices).at,
           count_text(row->report.faces).at, count_text(row->report.pairs).at);
    const char *before = ": ";
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        if (row->report.by_class[i] > 0) {
            printf("%s%s %s", before, count_text(row->report.by_class[i]).at,
                   toi_overlap_class_name((toi_overlap_class)i));
            before = ", ";
        }
    printf("\n");
}

// ---------------------------------------------------------------------------------------------
// Growth

// The last row of the line that begins with the row; NULL: it is the only one, or not the first.
static const overlap_row *end_of_line(const overlap_rows *rows, int index)
{
    const overlap_row *row = &rows->data[index], *last = NULL;
    for (int i = 0; i < rows->count; ++i)
        if (i != index && same_overlap_line(&rows->data[i], row)) {
            if (i < index)
                return NULL;
            last = &rows->data[i];
        }
    return last;
}

static double growth(const overlap_row *first, const overlap_row *last)
{
    return overlap_seconds_per_face(last) / overlap_seconds_per_face(first);
}

static void print_growth(const overlap_rows *rows)
{
    printf("\n");
    for (int i = 0; i < rows->count; ++i) {
        const overlap_row *row = &rows->data[i], *last = end_of_line(rows, i);
        if (!last)
            continue;
        double factor = growth(row, last);
        printf("%s, %s, %d thread%s: %.1f ns a face of %s, %.1f ns of %s: %.2f times as much, %s "
               "than %.1f\n",
               row->method, overlap_calls_name((int)row->calls), row->threads,
               row->threads == 1 ? "" : "s", 1e9 * overlap_seconds_per_face(row),
               count_text(row->report.faces).at, 1e9 * overlap_seconds_per_face(last),
               count_text(last->report.faces).at, factor,
               factor < OVERLAP_GROWTH ? "less" : "not less", OVERLAP_GROWTH);
    }
}

toi_status print_overlap_rows(const overlap_rows *rows, bool scaling)
{
    table t;
    add_titles(&t);
    for (int i = 0; i < rows->count; ++i) {
        if (is_new_mesh(rows, i))
            print_mesh_line(&rows->data[i]);
        add_row(&t, &rows->data[i], is_new_mesh(rows, i));
    }
    printf("\n");
    toi_status status = print_table(&t);
    if (scaling && status == TOI_OK)
        print_growth(rows);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static json_t *row_object(const overlap_row *row)
{
    const toi_overlap_report *r = &row->report;
    json_t *classes = json_object();
    for (int i = 0; i < TOI_OVERLAP_CLASS_COUNT; ++i)
        json_object_set_new(classes, toi_overlap_class_name((toi_overlap_class)i),
                            json_integer(r->by_class[i]));
    return json_pack(
        "{s:o, s:I, s:I, s:s, s:s, s:i, s:I, s:o, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:i, "
        "s:I, s:o}",
        "scene", json_text(row->scene), "vertices", (json_int_t)row->vertices, "faces",
        (json_int_t)r->faces, "method", row->method, "calls", overlap_calls_name((int)row->calls),
        "threads", row->threads, "pairs", (json_int_t)r->pairs, "classes", classes, "candidates",
        (json_int_t)r->candidates, "exact", (json_int_t)r->exact, "stars", (json_int_t)r->stars,
        "seconds_prepare", r->seconds_prepare, "seconds_search", r->seconds_search, "seconds",
        r->seconds_total, "median_seconds", row->median_seconds, "mean_seconds", row->mean_seconds,
        "repeats", row->repeats, "peak_bytes", (json_int_t)r->peak_bytes, "hash",
        json_hash(row->hash));
}

toi_status print_overlap_object(const overlap_rows *rows, bool scaling)
{
    json_t *list = json_array(), *lines = json_array();
    for (int i = 0; i < rows->count; ++i) {
        const overlap_row *row = &rows->data[i], *last = end_of_line(rows, i);
        json_array_append_new(list, row_object(row));
        if (scaling && last)
            json_array_append_new(lines,
                                  json_pack("{s:s, s:s, s:i, s:f}", "method", row->method, "calls",
                                            overlap_calls_name((int)row->calls), "threads",
                                            row->threads, "growth", growth(row, last)));
    }
    return print_json(
        json_pack("{s:s, s:o, s:o}", "simd", toi_simd_name(), "growth", lines, "rows", list));
}

toi_status write_overlap_rows(const char *path, const overlap_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    write_overlap_titles(output.file);
    for (int i = 0; i < rows->count; ++i)
        write_overlap_row(output.file, &rows->data[i]);
    return toi_close_output(&output);
}
