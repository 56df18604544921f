// Broad phases as curves: over the number of boxes, and over the number of threads.

#include "report_sections.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Rows of one method.
typedef struct run
{
    const broad_measurement *const *rows;
    int64_t count;
} run;

static int by_curve(const void *left, const void *right)
{
    const broad_measurement *a = *(const broad_measurement *const *)left;
    const broad_measurement *b = *(const broad_measurement *const *)right;
    int order = strcmp(a->method, b->method);
    order = order ? order : (a->m.threads > b->m.threads) - (a->m.threads < b->m.threads);
    return order ? order : (a->boxes > b->boxes) - (a->boxes < b->boxes);
}

// Curves that end fastest come first.
static int by_end(const void *left, const void *right)
{
    const run *a = left, *b = right;
    double s = a->rows[a->count - 1]->m.seconds, t = b->rows[b->count - 1]->m.seconds;
    return s != t ? (s > t) - (s < t) : (a->rows[0] > b->rows[0]) - (a->rows[0] < b->rows[0]);
}

static const page_column row_columns[] = {
    {"scene", CELL_NAME, offsetof(broad_measurement, m.scene)},
    {"method", CELL_NAME, offsetof(broad_measurement, method)},
    {"threads", CELL_COUNT, offsetof(broad_measurement, m.threads)},
    {"boxes", CELL_COUNT, offsetof(broad_measurement, boxes)},
    {"candidates", CELL_COUNT, offsetof(broad_measurement, pairs)},
    {"time", CELL_SECONDS, offsetof(broad_measurement, m.seconds)},
    {"median", CELL_SECONDS, offsetof(broad_measurement, m.median_seconds)},
    {"memory", CELL_BYTES, offsetof(broad_measurement, m.peak_bytes)},
    {0}};

// Room for all rows of the report.
typedef struct scaling_room
{
    const broad_measurement **rows;
    run *runs;
    curve_point *points;
} scaling_room;

static toi_status make_scaling_room(const report_data *data, scaling_room *room)
{
    size_t count = (size_t)data->broad_count + 1;
    *room = (scaling_room){.rows = toi_allocate(count * sizeof *room->rows),
                           .runs = toi_allocate(count * sizeof *room->runs),
                           .points = toi_allocate(count * sizeof *room->points)};
    return room->rows && room->runs && room->points ? TOI_OK : TOI_ERROR_MEMORY;
}

static void free_scaling_room(scaling_room *room)
{
    toi_release(room->rows);
    toi_release(room->runs);
    toi_release(room->points);
}

// Cuts the rows into runs of at least so many, those that end fastest first.
static int64_t cut_runs(const scaling_room *room, int64_t row_count, bool over_threads,
                        int64_t least)
{
    int64_t count = 0;
    for (int64_t i = 0, end; i < row_count; i = end) {
        const broad_measurement *first = room->rows[i];
        for (end = i; end < row_count && same_name(room->rows[end]->method, first->method) &&
                      (over_threads || room->rows[end]->m.threads == first->m.threads);
             ++end)
            ;
        if (end - i >= least)
            room->runs[count++] = (run){room->rows + i, end - i};
    }
    qsort(room->runs, (size_t)count, sizeof *room->runs, by_end);
    return count;
}

static void print_run_legend(page *p, const scaling_room *room, int count)
{
    legend_item items[MOST_CURVES];
    for (int i = 0; i < count; ++i) {
        const broad_measurement *row = room->runs[i].rows[0];
        items[i] = (legend_item){series_shape(i), series_kind(i), {""}};
        items[i].words = compose("%.24s, %s", row->method, threads_text(row->m.threads).at);
    }
    print_legend(p, items, count);
}

// ---------------------------------------------------------------------------------------------
// Boxes

static int64_t collect_scaling(const report_data *data, int number, const broad_measurement **rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->broad_count; ++i)
        if (data->broad[i].m.machine == number && data->broad[i].scaling)
            rows[count++] = &data->broad[i];
    qsort(rows, (size_t)count, sizeof *rows, by_curve);
    return count;
}

// One number of boxes is no curve.
bool has_broad_scaling(const report_data *data, int number)
{
    double boxes = NAN;
    for (int64_t i = 0; i < data->broad_count; ++i) {
        const broad_measurement *row = &data->broad[i];
        if (row->m.machine != number || !row->scaling)
            continue;
        if (!isnan(boxes) && row->boxes != boxes)
            return true;
        boxes = row->boxes;
    }
    return false;
}

static void print_over_boxes(page *p, const scaling_room *room, int count, bool memory)
{
    curve_set set = {.points = room->points};
    const char *unit = memory ? "B" : "s";
    for (int c = 0; c < count; ++c) {
        start_curve(&set, c);
        for (int64_t i = 0; i < room->runs[c].count; ++i) {
            const broad_measurement *row = room->runs[c].rows[i];
            double value = memory ? row->m.peak_bytes : row->m.seconds;
            add_curve_point(
                &set, row->boxes, value,
                compose("%s boxes: %s", count_or_dash(row->boxes).at, unit_text(value, unit).at));
        }
    }
    curve_chart chart = {.x_name = "boxes", .x_unit = "", .y_unit = unit};
    figure_head head = {memory ? "boxes-memory" : "boxes-time", memory ? "Memory" : "Time",
                        memory ? "the most held at once, over boxes" : "over boxes"};
    print_curve_set(p, &head, &chart, &set);
}

toi_status print_broad_scaling(page *p, const report_data *data, int number)
{
    if (!has_broad_scaling(data, number))
        return TOI_OK;
    scaling_room room;
    toi_status status = make_scaling_room(data, &room);
    if (status == TOI_OK) {
        int64_t rows = collect_scaling(data, number, room.rows);
        int64_t runs = cut_runs(&room, rows, false, 2);
        int count = (int)(runs < MOST_CURVES ? runs : MOST_CURVES);
        print_subtitle(p, "Broad phases: uniform boxes in growing numbers");
        if (runs > count)
            print_sentence(p, "quiet", "The %d fastest of %lld curves; all are in the table.",
                           count, (long long)runs);
        print_run_legend(p, &room, count);
        open_figures(p, true);
        print_over_boxes(p, &room, count, false);
        print_over_boxes(p, &room, count, true);
        close_figures(p);
        print_page_table(p, rows_summary(rows).at, row_columns, (const void *const *)room.rows,
                         rows);
    }
    free_scaling_room(&room);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Threads

enum
{
    LEAST_THREAD_COUNTS = 3 // two are in the figures of the scenes already
};

static int64_t collect_scene(const report_data *data, int64_t first, int64_t end,
                             const broad_measurement **rows)
{
    int64_t count = 0;
    for (int64_t i = first; i < end; ++i)
        if (!data->broad[i].scaling && data->broad[i].m.seconds > 0)
            rows[count++] = &data->broad[i];
    return count;
}

bool has_broad_threads(const report_data *data, int number)
{
    int64_t counts = 0;
    for (int64_t i = 0; i < data->broad_count; ++i) {
        const broad_measurement *row = &data->broad[i];
        bool goes_on =
            counts > 0 && same_place(&row->m, &row[-1].m) && same_name(row->method, row[-1].method);
        bool counted = row->m.machine == number && !row->scaling && row->m.seconds > 0;
        counts = counted ? (goes_on ? counts + 1 : 1) : 0;
        if (counts >= LEAST_THREAD_COUNTS)
            return true;
    }
    return false;
}

// Methods with enough rows in a scene, the fastest first: each has the same ink in all scenes.
typedef struct method_list
{
    const char *at[MOST_CURVES];
    int count;
    bool more;
} method_list;

static int find_method(const method_list *list, const char *method)
{
    for (int i = 0; i < list->count; ++i)
        if (same_name(list->at[i], method))
            return i;
    return -1;
}

static void add_methods(method_list *list, const scaling_room *room, int64_t runs)
{
    for (int64_t i = 0; i < runs; ++i) {
        const char *method = room->runs[i].rows[0]->method;
        if (find_method(list, method) >= 0)
            continue;
        if (list->count == MOST_CURVES)
            list->more = true;
        else
            list->at[list->count++] = method;
    }
}

// The runs of the scene that starts at row `first`; moves it to the next.
static int64_t next_scene_runs(const report_data *data, int number, const scaling_room *room,
                               int64_t *first)
{
    int64_t end = end_of_broad_scene(data, *first), runs = 0;
    if (data->broad[*first].m.machine == number)
        runs =
            cut_runs(room, collect_scene(data, *first, end, room->rows), true, LEAST_THREAD_COUNTS);
    *first = end;
    return runs;
}

static void print_over_threads(page *p, const scaling_room *room, int64_t runs,
                               const method_list *methods)
{
    curve_set set = {.points = room->points};
    for (int64_t c = 0; c < runs; ++c) {
        const run *r = &room->runs[c];
        int series = find_method(methods, r->rows[0]->method);
        if (series < 0)
            continue;
        start_curve(&set, series);
        for (int64_t i = 0; i < r->count; ++i) {
            double times = r->rows[0]->m.seconds / r->rows[i]->m.seconds;
            add_curve_point(&set, r->rows[i]->m.threads, times,
                            compose("%.16s, %s: %.3g ×", r->rows[i]->method,
                                    threads_text(r->rows[i]->m.threads).at, times));
        }
    }
    curve_chart chart = {.x_name = "threads",
                         .x_unit = "",
                         .y_unit = "×",
                         .ideal = 1 / room->runs[0].rows[0]->m.threads,
                         .by_value = true};
    figure_head head = {"broad-threads", room->runs[0].rows[0]->m.scene, "speed-up; dashed: ideal"};
    print_curve_set(p, &head, &chart, &set);
}

static void print_method_legend(page *p, const method_list *methods)
{
    legend_item items[MOST_CURVES];
    for (int i = 0; i < methods->count; ++i)
        items[i] = (legend_item){series_shape(i), series_kind(i), words(methods->at[i])};
    if (methods->more)
        print_sentence(p, "quiet",
                       "Not all methods are drawn; all are in the table of the "
                       "section on broad phases.");
    print_legend(p, items, methods->count);
}

toi_status print_broad_threads(page *p, const report_data *data, int number)
{
    if (!has_broad_threads(data, number))
        return TOI_OK;
    method_list methods = {.count = 0};
    scaling_room room;
    toi_status status = make_scaling_room(data, &room);
    if (status == TOI_OK) {
        for (int64_t i = 0; i < data->broad_count;)
            add_methods(&methods, &room, next_scene_runs(data, number, &room, &i));
        print_subtitle(p, "Broad phases");
        print_method_legend(p, &methods);
        open_figures(p, true);
        for (int64_t i = 0; i < data->broad_count;) {
            int64_t runs = next_scene_runs(data, number, &room, &i);
            if (runs > 0)
                print_over_threads(p, &room, runs, &methods);
        }
        close_figures(p);
    }
    free_scaling_room(&room);
    return status;
}
