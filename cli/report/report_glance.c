// The first thing on the page: what the measurements say in a few numbers.

#include "report_sections.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void print_tile(page *p, const char *number, const char *what)
{
    fprintf(p->o, "<li><b>");
    print_page_words(p, number);
    fprintf(p->o, "</b><span>");
    print_page_words(p, what);
    fprintf(p->o, "</span></li>\n");
}

// ---------------------------------------------------------------------------------------------
// Promises

// What methods of one guarantee got wrong, added up.
typedef struct promise
{
    const char *guarantee;
    const char *where;
    double answers;
    double missed;
    double false_positives;
    double late;
} promise;

enum
{
    GUARANTEES = 3,
    PROMISES = 2 * GUARANTEES // of queries, and of whole pipelines
};

static const char *const guarantees[GUARANTEES] = {"exact", "conservative", "none"};

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static promise judge_queries(const report_data *data, const char *guarantee)
{
    promise sum = {.guarantee = guarantee, .where = "queries"};
    for (int64_t i = 0; i < data->narrow_count; ++i) {
        const narrow_measurement *row = &data->narrow[i];
        if (!is_query_row(row) || !same_name(row->guarantee, guarantee))
            continue;
        sum.answers += known(row->queries);
        sum.missed += known(row->false_negatives);
        sum.false_positives += known(row->false_positives);
        sum.late += known(row->late);
    }
    return sum;
}

static promise judge_pipelines(const report_data *data, const char *guarantee)
{
    promise sum = {.guarantee = guarantee, .where = "whole pipelines"};
    for (int64_t i = 0; i < data->ccd_count; ++i) {
        const ccd_measurement *row = &data->ccd[i];
        if (!same_name(guarantee_of(row->narrow), guarantee))
            continue;
        sum.answers += known(candidates_of(row));
        sum.missed += known(row->false_negatives);
        sum.false_positives += known(row->false_positives);
        sum.late += known(row->late);
    }
    return sum;
}

static const page_column promise_columns[] = {
    {"promise of the method", CELL_NAME, offsetof(promise, guarantee)},
    {"in", CELL_NAME, offsetof(promise, where)},
    {"answers", CELL_COUNT, offsetof(promise, answers)},
    {"hits missed", CELL_BAD_COUNT, offsetof(promise, missed)},
    {"times late", CELL_BAD_COUNT, offsetof(promise, late)},
    {"false positives", CELL_COUNT, offsetof(promise, false_positives)},
    {0}};

static int list_promises(const report_data *data, promise list[PROMISES])
{
    int count = 0;
    for (int i = 0; i < GUARANTEES; ++i) {
        promise parts[2] = {judge_queries(data, guarantees[i]),
                            judge_pipelines(data, guarantees[i])};
        for (int k = 0; k < 2; ++k)
            if (parts[k].answers > 0)
                list[count++] = parts[k];
    }
    return count;
}

static void print_promises(page *p, const report_data *data)
{
    promise list[PROMISES];
    const void *rows[PROMISES];
    int count = list_promises(data, list);
    for (int i = 0; i < count; ++i)
        rows[i] = &list[i];
    if (count == 0)
        return;
    print_subtitle(p, "Are promises kept?");
    print_sentence(p, "quiet",
                   "exact: never wrong. conservative: never misses, never late. none: "
                   "may do both.");
    print_page_table(p, NULL, promise_columns, rows, count);
}

static void print_promise_tile(page *p, const report_data *data)
{
    promise list[PROMISES];
    double answers = 0, wrong = 0;
    int count = list_promises(data, list);
    for (int i = 0; i < count; ++i)
        if (!same_name(list[i].guarantee, "none")) {
            answers += list[i].answers;
            wrong += list[i].missed + list[i].late;
        }
    char what[160];
    snprintf(what, sizeof what,
             "misses or late times of exact and conservative methods, in %s "
             "answers",
             count_or_dash(answers).at);
    if (answers > 0)
        print_tile(p, count_or_dash(wrong).at, what);
}

// ---------------------------------------------------------------------------------------------
// Speed

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// A tile with the median of the values, which it sorts.
static void print_median_tile(page *p, double *values, int64_t count, const char *of)
{
    if (count == 0)
        return;
    char what[240];
    qsort(values, (size_t)count, sizeof *values, by_value);
    snprintf(what, sizeof what, "%s; from %s to %s", of, unit_text(values[0], "s").at,
             unit_text(values[count - 1], "s").at);
    print_tile(p, unit_text(values[count / 2], "s").at, what);
}

static void print_exact_tile(page *p, const report_data *data, double *values)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->narrow_count; ++i)
        if (is_query_row(&data->narrow[i]) && same_name(data->narrow[i].method, "exact") &&
            data->narrow[i].nanoseconds > 0)
            values[count++] = 1e-9 * data->narrow[i].nanoseconds;
    print_median_tile(p, values, count, "a query by exact, the median over scenes and kinds");
}

static void print_broad_tile(page *p, const report_data *data)
{
    for (int number = 0; number < data->machine_count; ++number) {
        winner best = find_fastest_broad(data, number);
        if (!best.name)
            continue;
        char what[240];
        snprintf(what, sizeof what,
                 "is the fastest broad phase, or within 5 %% of it, in %d of %d scenes%s%.100s",
                 best.wins, best.scenes, data->machine_count > 1 ? " on " : "",
                 data->machine_count > 1 ? machine_label(data, number) : "");
        print_tile(p, fit_words(best.name, 20).at, what);
    }
}

// ---------------------------------------------------------------------------------------------
// Roads

// The fastest pipeline through a scene that a method with a promise took.
typedef struct pipeline
{
    const char *machine;
    const char *scene;
    const char *mode;
    double candidates;
    const char *broad;
    const char *narrow;
    double threads;
    double seconds;
    double each; // nanoseconds a candidate
} pipeline;

// The machine comes last: where there is one, the columns end before it.
static const page_column pipeline_columns[] = {
    {"scene", CELL_NAME, offsetof(pipeline, scene)},
    {"finds", CELL_NAME, offsetof(pipeline, mode)},
    {"broad", CELL_NAME, offsetof(pipeline, broad)},
    {"narrow", CELL_NAME, offsetof(pipeline, narrow)},
    {"threads", CELL_COUNT, offsetof(pipeline, threads)},
    {"time", CELL_SECONDS, offsetof(pipeline, seconds)},
    {"candidates", CELL_COUNT, offsetof(pipeline, candidates)},
    {"a candidate", CELL_NANOSECONDS, offsetof(pipeline, each)},
    {"on", CELL_NAME, offsetof(pipeline, machine)},
    {0}};

enum
{
    PIPELINE_COLUMNS = sizeof pipeline_columns / sizeof *pipeline_columns
};

static void print_pipeline_table(page *p, const report_data *data, const void *const *rows,
                                 int64_t count)
{
    page_column columns[PIPELINE_COLUMNS];
    memcpy(columns, pipeline_columns, sizeof columns);
    if (data->machine_count == 1)
        columns[PIPELINE_COLUMNS - 2].title = NULL;
    print_subtitle(p, "The fastest pipeline that never misses");
    print_page_table(p, NULL, columns, rows, count);
}

static bool in_same_contest(const ccd_measurement *a, const ccd_measurement *b)
{
    return same_place(&a->m, &b->m) && same_name(a->mode, b->mode);
}

static bool may_win(const ccd_measurement *row)
{
    const char *guarantee = guarantee_of(row->narrow);
    return is_plain_run(row) && row->m.seconds > 0 && *guarantee && !same_name(guarantee, "none");
}

static pipeline pipeline_of(const report_data *data, const ccd_measurement *row)
{
    double candidates = candidates_of(row);
    return (pipeline){.machine = machine_label(data, row->m.machine),
                      .scene = row->m.scene,
                      .mode = row->mode,
                      .candidates = candidates,
                      .broad = row->broad,
                      .narrow = row->narrow,
                      .threads = row->m.threads,
                      .seconds = row->m.seconds,
                      .each = candidates > 0 ? 1e9 * row->m.seconds / candidates : NAN};
}

static int64_t list_pipelines(const report_data *data, pipeline *pipelines)
{
    int64_t count = 0;
    for (int64_t i = 0, end; i < data->ccd_count; i = end) {
        const ccd_measurement *best = NULL;
        for (end = i; end < data->ccd_count && in_same_contest(&data->ccd[end], &data->ccd[i]);
             ++end)
            if (may_win(&data->ccd[end]) && (!best || data->ccd[end].m.seconds < best->m.seconds))
                best = &data->ccd[end];
        if (best)
            pipelines[count++] = pipeline_of(data, best);
    }
    return count;
}

static void print_pipeline_tile(page *p, const pipeline *pipelines, int64_t pipeline_count,
                                double *values)
{
    int64_t count = 0;
    for (int64_t i = 0; i < pipeline_count; ++i)
        if (pipelines[i].each > 0)
            values[count++] = 1e-9 * pipelines[i].each;
    print_median_tile(
        p, values, count,
        "a candidate for the whole pipeline, boxes and search included, the median over "
        "scenes");
}

static void print_overlap_tile(page *p, const report_data *data, double *values)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->overlap_count; ++i) {
        const overlap_measurement *row = &data->overlap[i];
        if (same_name(row->method, "auto") && same_name(row->calls, "kept") &&
            row->m.threads == 1 && row->seconds_per_face > 0)
            values[count++] = row->seconds_per_face;
    }
    print_median_tile(p, values, count,
                      "a face to find all that intersect in a kept scene, one thread, the median "
                      "over meshes");
}

toi_status print_glance(page *p, const report_data *data)
{
    int64_t most = data->narrow_count + data->ccd_count + data->overlap_count;
    double *values = toi_allocate(((size_t)most + 1) * sizeof *values);
    pipeline *pipelines = toi_allocate(((size_t)data->ccd_count + 1) * sizeof *pipelines);
    const void **rows = allocate_row_list(data->ccd_count);
    toi_status status = values && pipelines && rows ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK) {
        int64_t count = list_pipelines(data, pipelines);
        for (int64_t i = 0; i < count; ++i)
            rows[i] = &pipelines[i];
        open_section(p, "glance", "At a glance");
        fprintf(p->o, "<ul class='tiles'>\n");
        print_promise_tile(p, data);
        print_exact_tile(p, data, values);
        print_pipeline_tile(p, pipelines, count, values);
        print_broad_tile(p, data);
        print_overlap_tile(p, data, values);
        fprintf(p->o, "</ul>\n");
        print_promises(p, data);
        if (count > 0)
            print_pipeline_table(p, data, rows, count);
        close_section(p);
    }
    toi_release(rows);
    toi_release(pipelines);
    toi_release(values);
    return status;
}
