// The section on intersecting faces: time a face over the number of faces.

#include "report_sections.h"

#include <stddef.h>

bool has_overlap(const report_data *data)
{
    return data->overlap_count > 0;
}

static const page_column row_columns[] = {
    {"mesh", CELL_NAME, offsetof(overlap_measurement, m.scene)},
    {"faces", CELL_COUNT, offsetof(overlap_measurement, faces)},
    {"method", CELL_NAME, offsetof(overlap_measurement, method)},
    {"calls", CELL_NAME, offsetof(overlap_measurement, calls)},
    {"threads", CELL_COUNT, offsetof(overlap_measurement, m.threads)},
    {"pairs", CELL_COUNT, offsetof(overlap_measurement, pairs)},
    {"candidates", CELL_COUNT, offsetof(overlap_measurement, candidates)},
    {"time", CELL_SECONDS, offsetof(overlap_measurement, m.seconds)},
    {"median", CELL_SECONDS, offsetof(overlap_measurement, m.median_seconds)},
    {"a face", CELL_SECONDS, offsetof(overlap_measurement, seconds_per_face)},
    {"memory", CELL_BYTES, offsetof(overlap_measurement, m.peak_bytes)},
    {0}};

// Rows of one method, kind of call and number of threads, on a scene in growing sizes.
static int64_t end_of_line(const overlap_measurement *rows, int64_t first, int64_t end)
{
    int64_t i = first + 1;
    while (i < end && same_name(rows[i].method, rows[first].method) &&
           same_name(rows[i].calls, rows[first].calls) &&
           rows[i].m.threads == rows[first].m.threads)
        ++i;
    return i;
}

static int64_t end_of_family(const report_data *data, int64_t first)
{
    const overlap_measurement *rows = data->overlap;
    int64_t i = first + 1;
    while (i < data->overlap_count && rows[i].m.machine == rows[first].m.machine &&
           compare_families(rows[i].m.scene, rows[first].m.scene) == 0)
        ++i;
    return i;
}

// One size is no curve, and is in the table alone.
static void print_family(page *p, const overlap_measurement *rows, int64_t first, int64_t end,
                         curve_point *points)
{
    curve_set set = {.points = points};
    legend_item items[MOST_CURVES];
    int64_t i = first, line_end;
    for (; i < end && set.count < MOST_CURVES; i = line_end) {
        line_end = end_of_line(rows, i, end);
        if (rows[line_end - 1].faces == rows[i].faces)
            continue;
        items[set.count] = (legend_item){series_shape(set.count), series_kind(set.count), {""}};
        items[set.count].words = compose("%.24s, %.16s, %s", rows[i].method, rows[i].calls,
                                         threads_text(rows[i].m.threads).at);
        start_curve(&set, set.count);
        for (int64_t j = i; j < line_end; ++j)
            add_curve_point(&set, rows[j].faces, rows[j].seconds_per_face,
                            compose("%s faces: %s a face", count_or_dash(rows[j].faces).at,
                                    unit_text(rows[j].seconds_per_face, "s").at));
    }
    if (set.point_count == 0)
        return;
    curve_chart chart = {.x_name = "faces", .x_unit = "", .y_unit = "s"};
    text name = compose("%.*s", family_length(rows[first].m.scene), rows[first].m.scene);
    figure_head head = {"overlap-time", name.at, "time a face, over faces"};
    if (i < end)
        print_sentence(p, "quiet", "Not all methods are drawn; all are in the table.");
    print_legend(p, items, set.count);
    open_figures(p, true);
    print_curve_set(p, &head, &chart, &set);
    close_figures(p);
}

static void print_rows(page *p, const overlap_measurement *rows, int64_t first, int64_t end,
                       const void **list)
{
    for (int64_t i = first; i < end; ++i)
        list[i - first] = &rows[i];
    print_page_table(p, rows_summary(end - first).at, row_columns, (const void *const *)list,
                     end - first);
}

toi_status print_overlap_section(page *p, const report_data *data)
{
    const overlap_measurement *rows = data->overlap;
    curve_point *points = toi_allocate((size_t)data->overlap_count * sizeof *points);
    const void **list = allocate_row_list(data->overlap_count);
    toi_status status = points && list ? TOI_OK : TOI_ERROR_MEMORY;
    for (int64_t first = 0, end; first < data->overlap_count && status == TOI_OK; first = end) {
        int number = rows[first].m.machine;
        print_machine_subtitle(p, data, number);
        for (end = first; end < data->overlap_count && rows[end].m.machine == number;) {
            int64_t family = end;
            end = end_of_family(data, family);
            print_family(p, rows, family, end, points);
        }
        print_rows(p, rows, first, end, list);
    }
    toi_release(list);
    toi_release(points);
    return status;
}
