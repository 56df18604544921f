// The section on many steps: time a step over its motion, and the speed-up over threads.

#include "report_sections.h"

#include <stddef.h>

bool has_track(const report_data *data)
{
    return data->track_count > 0;
}

static const page_column row_columns[] = {
    {"motion", CELL_NAME, offsetof(track_measurement, m.scene)},
    {"faces", CELL_COUNT, offsetof(track_measurement, faces)},
    {"parts", CELL_COUNT, offsetof(track_measurement, cut)},
    {"edges a step", CELL_ERROR, offsetof(track_measurement, motion)},
    {"method", CELL_NAME, offsetof(track_measurement, method)},
    {"volumes", CELL_NAME, offsetof(track_measurement, volume)},
    {"orphans", CELL_NAME, offsetof(track_measurement, orphans)},
    {"threads", CELL_COUNT, offsetof(track_measurement, m.threads)},
    {"a step", CELL_SECONDS, offsetof(track_measurement, m.seconds)},
    {"the first", CELL_SECONDS, offsetof(track_measurement, first_seconds)},
    {"pairs", CELL_COUNT, offsetof(track_measurement, elementary)},
    {"front", CELL_COUNT, offsetof(track_measurement, front)},
    {"kept", CELL_BYTES, offsetof(track_measurement, kept_bytes)},
    {0}};

// What a curve shows of rows that differ in one thing alone.
typedef struct track_curve
{
    figure_head head;
    curve_chart chart;
    bool parts; // of parts of a step, over their motion; else of whole steps, over threads
} track_curve;

static const track_curve curves[] = {
    {{"track-motion", NULL, "time a step, over its motion"},
     {.x_name = "millionths of an edge", .x_unit = "", .y_unit = "s"},
     true},
    {{"track-threads", NULL, "speed-up, over threads"},
     {.x_name = "threads", .x_unit = "", .y_unit = "", .ideal = 1, .by_value = true},
     false}};

static int64_t end_of_scene(const report_data *data, int64_t first)
{
    int64_t i = first + 1;
    while (i < data->track_count && same_place(&data->track[i].m, &data->track[first].m))
        ++i;
    return i;
}

// Rows of one method that follow each other in the figure.
static int64_t end_of_line(const track_measurement *rows, int64_t first, int64_t end)
{
    bool parts = rows[first].cut > 0;
    int64_t i = first + 1;
    while (i < end && same_name(rows[i].method, rows[first].method) &&
           same_name(rows[i].volume, rows[first].volume) &&
           same_name(rows[i].orphans, rows[first].orphans) && (rows[i].cut > 0) == parts &&
           (!parts || rows[i].m.threads == rows[first].m.threads))
        ++i;
    return i;
}

static void add_row(curve_set *set, const track_measurement *row, const track_measurement *first,
                    bool parts)
{
    text time = unit_text(row->m.seconds, "s");
    if (parts)
        add_curve_point(set, 1e6 * row->motion, row->m.seconds,
                        compose("%s of %.3g edges: %s", row->method, row->motion, time.at));
    else
        add_curve_point(
            set, row->m.threads, first->m.seconds / row->m.seconds,
            compose("%s, %s: %s", row->method, threads_text(row->m.threads).at, time.at));
}

// Fewer than two points are no curve, and are in the table alone, as is a front without orphan
// sets.
static bool is_drawn(const track_measurement *rows, int64_t first, int64_t end, bool parts)
{
    return end > first + 1 && (rows[first].cut > 0) == parts &&
           !same_name(rows[first].orphans, "off");
}

static void print_curves(page *p, const track_measurement *rows, int64_t first, int64_t end,
                         const track_curve *what, curve_point *points)
{
    curve_set set = {.points = points};
    legend_item items[MOST_CURVES];
    for (int64_t i = first, next; i < end && set.count < MOST_CURVES; i = next) {
        next = end_of_line(rows, i, end);
        if (!is_drawn(rows, i, next, what->parts))
            continue;
        items[set.count] = (legend_item){series_shape(set.count), series_kind(set.count), {""}};
        items[set.count].words =
            compose("%.24s%s%.8s", rows[i].method, *rows[i].volume ? ", " : "", rows[i].volume);
        start_curve(&set, set.count);
        for (int64_t j = i; j < next; ++j)
            add_row(&set, &rows[j], &rows[i], what->parts);
    }
    if (set.point_count == 0)
        return;
    figure_head head = what->head;
    curve_chart chart = what->chart;
    head.caption = rows[first].m.scene;
    print_legend(p, items, set.count);
    open_figures(p, true);
    print_curve_set(p, &head, &chart, &set);
    close_figures(p);
}

static void print_rows(page *p, const track_measurement *rows, int64_t first, int64_t end,
                       const void **list)
{
    for (int64_t i = first; i < end; ++i)
        list[i - first] = &rows[i];
    print_page_table(p, rows_summary(end - first).at, row_columns, (const void *const *)list,
                     end - first);
}

toi_status print_track_section(page *p, const report_data *data)
{
    const track_measurement *rows = data->track;
    curve_point *points = toi_allocate((size_t)data->track_count * sizeof *points);
    const void **list = allocate_row_list(data->track_count);
    toi_status status = points && list ? TOI_OK : TOI_ERROR_MEMORY;
    for (int64_t first = 0, end; first < data->track_count && status == TOI_OK; first = end) {
        int number = rows[first].m.machine;
        print_machine_subtitle(p, data, number);
        for (end = first; end < data->track_count && rows[end].m.machine == number;) {
            int64_t scene = end;
            end = end_of_scene(data, scene);
            for (size_t k = 0; k < sizeof curves / sizeof *curves; ++k)
                print_curves(p, rows, scene, end, &curves[k], points);
        }
        print_rows(p, rows, first, end, list);
    }
    toi_release(list);
    toi_release(points);
    return status;
}
