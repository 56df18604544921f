// Prints the comparison of broad phases, as tables and as JSON.

#include "bench_broad_report.h"

#include "json.h"
#include "table.h"

// The numbers of threads are columns.
typedef struct thread_columns
{
    int count;
    int at[MOST_THREAD_COUNTS];
} thread_columns;

static text threads_title(int threads)
{
    text title;
    snprintf(title.at, sizeof title.at, "%d thread%s", threads, threads == 1 ? "" : "s");
    return title;
}

// The line's row with the fewest threads, whose memory is told: with more, lists wait for each
// other for a longer or a shorter time.
static const broad_row *lightest_row(const broad_rows *rows, const broad_row *line,
                                     const thread_columns *threads)
{
    for (int t = 0; t < threads->count; ++t) {
        const broad_row *row = find_row(rows, line, line, threads->at[t]);
        if (row)
            return row;
    }
    return line;
}

// The first row of a line that has other pairs than the scene's first; NULL: they are the same.
static const broad_row *differing_row(const broad_rows *rows, const broad_row *line,
                                      const thread_columns *threads)
{
    for (int t = 0; t < threads->count; ++t) {
        const broad_row *row = find_row(rows, line, line, threads->at[t]);
        if (row && !has_same_pairs(rows, row))
            return row;
    }
    return NULL;
}

static void add_pairs_cells(table *t, const broad_rows *rows, const broad_row *line,
                            const thread_columns *threads)
{
    const broad_row *differing = differing_row(rows, line, threads);
    add_cell(t, hash_text(differing ? differing->hash : line->hash));
    if (!differing) {
        add_cell(t, words("same"));
    } else if (differing->judged && differing->truth.false_negatives > 0) {
        text missed;
        snprintf(missed.at, sizeof missed.at, "missing %.32s",
                 count_text(differing->truth.false_negatives).at);
        add_cell(t, missed);
    } else {
        add_cell(t, words(method_of(line) == TOI_BROAD_COUNT ? "other" : "DIFFERENT"));
    }
}

// ---------------------------------------------------------------------------------------------
// One scene

static void add_scene_line(table *t, const broad_rows *rows, const broad_row *line,
                           const thread_columns *threads)
{
    add_cell(t, words(line->method));
    for (int i = 0; i < threads->count; ++i) {
        const broad_row *row = find_row(rows, line, line, threads->at[i]);
        add_cell(t, row ? seconds_text(row->seconds) : words("-"));
    }
    add_cell(t, count_text(line->pairs));
    add_cell(t, bytes_text(lightest_row(rows, line, threads)->peak_bytes));
    add_pairs_cells(t, rows, line, threads);
}

static toi_status print_scene(const broad_rows *rows, const broad_row *scene,
                              const thread_columns *threads)
{
    table t = start_table(threads->count + 5, 1);
    add_cell(&t, words("method"));
    for (int i = 0; i < threads->count; ++i)
        add_cell(&t, threads_title(threads->at[i]));
    static const char *const titles[] = {"pairs", "memory", "hash", "pairs are"};
    for (int i = 0; i < 4; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i)
        if (same_scene(&rows->data[i], scene) && is_new_line(rows, i))
            add_scene_line(&t, rows, &rows->data[i], threads);
    printf("\n%s, %s boxes", scene->scene, count_text(scene->boxes).at);
    if (scene->judged)
        printf(", %s pairs collide", count_text(scene->truth.hits).at);
    printf("\n");
    return print_table(&t);
}

static void print_scene_notes(void)
{
    printf(
        "\nTime of boxes and search, pairs stored as they are found in lists that are kept: one "
        "thread by its\nprocessor time, more by the clock. memory: the most that the library "
        "held at once with the fewest\nthreads, pairs included. hash: of all pairs, sorted, as of "
        "'toi pairs'. same: as the first method.\nmissing: so many pairs that collide.\n");
}

// ---------------------------------------------------------------------------------------------
// Growing numbers of boxes

static double per_box(double value, const broad_row *row)
{
    return row->boxes > 0 ? value / (double)row->boxes : 0;
}

static void add_scaling_line(table *t, const broad_rows *rows, const broad_row *line,
                             const thread_columns *threads)
{
    const broad_row *light = lightest_row(rows, line, threads);
    add_cell(t, words(line->method));
    add_cell(t, count_text(line->boxes));
    for (int i = 0; i < threads->count; ++i) {
        const broad_row *row = find_row(rows, line, line, threads->at[i]);
        add_cell(t, row ? decimal("%.1f", per_box(1e9 * row->seconds, row)) : words("-"));
    }
    add_cell(t, decimal("%.2f", per_box(2 * (double)line->pairs, line)));
    add_cell(t, bytes_text(light->peak_bytes));
    add_cell(t, decimal("%.0f", per_box((double)light->peak_bytes, light)));
    add_pairs_cells(t, rows, line, threads);
}

static toi_status print_scaling(const broad_rows *rows, const thread_columns *threads)
{
    table t = start_table(threads->count + 7, 2);
    add_cell(&t, words("method"));
    add_cell(&t, words("boxes"));
    for (int i = 0; i < threads->count; ++i)
        add_cell(&t, threads_title(threads->at[i]));
    static const char *const titles[] = {"pairs/box", "memory", "bytes/box", "hash", "pairs are"};
    for (int i = 0; i < 5; ++i)
        add_cell(&t, words(titles[i]));
    for (int m = 0; m < rows->count; ++m) {
        if (!is_new_method(rows, m))
            continue;
        if (m > 0)
            add_empty_line(&t);
        for (int i = m; i < rows->count; ++i)
            if (same_method(&rows->data[i], &rows->data[m]) && is_new_line(rows, i))
                add_scaling_line(&t, rows, &rows->data[i], threads);
    }
    toi_status status = print_table(&t);
    printf("\nTimes are nanoseconds a box: one thread by its processor time, more by the clock. "
           "pairs/box: of\nhow many pairs a box is one. memory: the most that the library held at "
           "once "
           "with the fewest\nthreads, pairs included, boxes not.\n");
    return status;
}

// ---------------------------------------------------------------------------------------------
// All

toi_status print_broad(const broad_rows *rows, int repeat)
{
    thread_columns threads;
    threads.count = list_threads(rows, threads.at);
    printf("broad phases, %s", toi_simd_name());
    if (repeat > 1)
        printf(", the fastest of %d runs, not counting the first", repeat);
    else if (repeat == 1)
        printf(", one run, not counting the first");
    printf("\n");
    if (is_scaling(rows)) {
        printf("\n");
        return print_scaling(rows, &threads);
    }
    toi_status status = TOI_OK;
    for (int i = 0; i < rows->count && status == TOI_OK; ++i)
        if (is_new_scene(rows, i))
            status = print_scene(rows, &rows->data[i], &threads);
    if (status == TOI_OK)
        print_scene_notes();
    return status;
}

// ---------------------------------------------------------------------------------------------
// JSON

static void set_count(json_t *object, const char *name, int64_t value, bool known)
{
    json_object_set_new(object, name, known ? json_integer(value) : json_null());
}

static json_t *row_object(const broad_rows *rows, const broad_row *row)
{
    json_t *object = json_pack(
        "{s:o, s:I, s:o, s:o, s:i, s:f, s:I, s:I, s:o, s:b}", "scene", json_text(row->scene),
        "boxes", (json_int_t)row->boxes, "method", json_text(row->method), "simd",
        json_text(row->simd), "threads", row->threads, "seconds", row->seconds, "pairs",
        (json_int_t)row->pairs, "peak_bytes", (json_int_t)row->peak_bytes, "hash",
        json_hash(row->hash), "same", (int)has_same_pairs(rows, row));
    set_count(object, "hits", row->truth.hits, row->judged);
    set_count(object, "false_positives", row->truth.false_positives, row->judged);
    set_count(object, "false_negatives", row->truth.false_negatives, row->judged);
    set_count(object, "repeats", row->repeats, row->repeats > 0);
    json_object_set_new(object, "median_seconds",
                        row->repeats > 0 ? json_real(row->median_seconds) : json_null());
    json_object_set_new(object, "machine", json_text(row->made.machine));
    json_object_set_new(object, "compiler", json_text(row->made.compiler));
    json_object_set_new(object, "commit", json_text(row->made.commit));
    return object;
}

toi_status print_broad_object(const broad_rows *rows, int repeat)
{
    json_t *list = json_array();
    for (int i = 0; i < rows->count; ++i)
        json_array_append_new(list, row_object(rows, &rows->data[i]));
    return print_json(json_pack("{s:i, s:b, s:o}", "repeat", repeat, "same",
                                count_wrong_rows(rows) == 0, "rows", list));
}
