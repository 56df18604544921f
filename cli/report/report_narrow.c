// Narrow phases: the cost of a query by method and kind, one figure a scene, with what each method
// got wrong.

#include "report_sections.h"

#include <math.h>
#include <stddef.h>

static bool is_shown(const narrow_measurement *row)
{
    return is_query_row(row) && row->nanoseconds > 0;
}

static bool has_rows_of(const report_data *data, int number)
{
    for (int64_t i = 0; i < data->narrow_count; ++i)
        if (is_shown(&data->narrow[i]) && (number < 0 || data->narrow[i].m.machine == number))
            return true;
    return false;
}

bool has_narrow(const report_data *data)
{
    return has_rows_of(data, -1);
}

int64_t end_of_narrow_scene(const report_data *data, int64_t first)
{
    int64_t end = first;
    while (end < data->narrow_count && same_place(&data->narrow[end].m, &data->narrow[first].m))
        ++end;
    return end;
}

int64_t end_of_narrow_line(const narrow_measurement *rows, int64_t first, int64_t count)
{
    int64_t end = first;
    while (end < count && same_name(rows[end].method, rows[first].method) &&
           same_name(rows[end].tolerance, rows[first].tolerance))
        ++end;
    return end;
}

// Rows of a method stand together, so that only neighbours can have another tolerance.
text narrow_line_name(const narrow_measurement *rows, int64_t line, int64_t count)
{
    int64_t end = end_of_narrow_line(rows, line, count);
    bool several = (line > 0 && same_name(rows[line - 1].method, rows[line].method)) ||
                   (end < count && same_name(rows[end].method, rows[line].method));
    return several ? compose("%.12s %.8s", rows[line].method, rows[line].tolerance)
                   : words(rows[line].method);
}

const char *narrow_name_kind(const narrow_measurement *row)
{
    return row->other ? "other" : same_name(row->method, "exact") ? "strong" : "";
}

// ---------------------------------------------------------------------------------------------
// Figures

static void add_dot(dot_chart *chart, const narrow_measurement *row)
{
    bool faces = same_name(row->kind, "vf");
    dot *d = &chart->dots[chart->dot_count++];
    *d = (dot){.value = 1e-9 * row->nanoseconds,
               .shape = faces ? MARK_DOT : MARK_DIAMOND,
               .kind = row->other ? "s1" : "s0"};
    d->note =
        compose("%.16s, %.4s: %s a query", row->method, row->kind, unit_text(d->value, "s").at);
}

// What one method did: the dots of all its rows, and sums over the kinds with as many threads as
// its first row has.
static void add_line(dot_chart *chart, const narrow_measurement *rows, int64_t count, text name)
{
    dot_line line = {.name = name, .kind = narrow_name_kind(rows), .first = chart->dot_count};
    double queries = 0, nanoseconds = 0, missed = 0, vain = 0, threads = NAN;
    for (int64_t i = 0; i < count; ++i) {
        const narrow_measurement *row = &rows[i];
        if (!is_shown(row))
            continue;
        add_dot(chart, row);
        threads = isnan(threads) ? row->m.threads : threads;
        if (row->m.threads != threads)
            continue;
        queries += row->queries;
        nanoseconds += row->nanoseconds * row->queries;
        missed += row->false_negatives;
        vain += row->false_positives;
    }
    line.count = chart->dot_count - line.first;
    if (line.count == 0)
        return;
    double each = queries > 0 ? 1e-9 * nanoseconds / queries : chart->dots[line.first].value;
    line.order = each;
    line.cells[0] = unit_text(each, "s");
    line.cells[1] = compact_count(missed);
    line.cells[2] = compact_count(vain);
    line.wrong[1] = missed > 0;
    chart->lines[chart->line_count++] = line;
}

static void print_scene(page *p, const narrow_measurement *rows, int64_t count, dot_chart *chart)
{
    double most[2] = {0, 0}; // queries: some methods get a sample only
    chart->line_count = chart->dot_count = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        end = end_of_narrow_line(rows, i, count);
        add_line(chart, rows + i, end - i, narrow_line_name(rows, i, count));
    }
    for (int64_t i = 0; i < count; ++i)
        if (is_shown(&rows[i])) {
            double *of = &most[!same_name(rows[i].kind, "vf")];
            *of = fmax(*of, rows[i].queries);
        }
    char note[160];
    snprintf(note, sizeof note, "%s vertex-face and %s edge-edge queries",
             count_or_dash(most[0]).at, count_or_dash(most[1]).at);
    figure_head head = {"narrow-time", rows->m.scene, note};
    print_dot_chart(p, &head, chart);
}

static void print_narrow_legend(page *p, const report_data *data)
{
    legend_item items[3] = {{MARK_DOT, "s0", words("vertex-face")},
                            {MARK_DIAMOND, "s0", words("edge-edge")},
                            {MARK_DOT, "s1", words("other libraries")}};
    bool other = false;
    for (int64_t i = 0; i < data->narrow_count; ++i)
        other = other || data->narrow[i].other;
    print_legend(p, items, other ? 3 : 2);
}

// ---------------------------------------------------------------------------------------------
// Words and tables

static void print_what_is_seen(page *p, const report_data *data, int number)
{
    double least = INFINITY, most = 0, safe_missed = 0, unsafe_missed = 0;
    for (int64_t i = 0; i < data->narrow_count; ++i) {
        const narrow_measurement *row = &data->narrow[i];
        if (!is_shown(row) || row->m.machine != number)
            continue;
        bool unsafe = same_name(row->guarantee, "none");
        if (row->false_negatives > 0)
            *(unsafe ? &unsafe_missed : &safe_missed) += row->false_negatives;
        if (same_name(row->method, "exact")) {
            least = fmin(least, row->nanoseconds);
            most = fmax(most, row->nanoseconds);
        }
    }
    char speed[160] = "";
    if (most > 0)
        snprintf(speed, sizeof speed, "exact decides a query in %s to %s, by scene and kind. ",
                 unit_text(1e-9 * least, "s").at, unit_text(1e-9 * most, "s").at);
    print_sentence(p, "seen",
                   "%sMethods that promise not to miss missed %s true hits; those that promise "
                   "nothing missed %s. Beside the time of both kinds together: hits that were "
                   "missed, and false positives, which touch nothing.",
                   speed, count_or_dash(safe_missed).at, count_or_dash(unsafe_missed).at);
}

static const page_column row_columns[] = {
    {"scene", CELL_NAME, offsetof(narrow_measurement, m.scene)},
    {"method", CELL_NAME, offsetof(narrow_measurement, method)},
    {"promise", CELL_NAME, offsetof(narrow_measurement, guarantee)},
    {"tolerance", CELL_NAME, offsetof(narrow_measurement, tolerance)},
    {"kind", CELL_NAME, offsetof(narrow_measurement, kind)},
    {"stage", CELL_NAME, offsetof(narrow_measurement, stage)},
    {"threads", CELL_COUNT, offsetof(narrow_measurement, m.threads)},
    {"queries", CELL_COUNT, offsetof(narrow_measurement, queries)},
    {"a query", CELL_NANOSECONDS, offsetof(narrow_measurement, nanoseconds)},
    {"hits", CELL_COUNT, offsetof(narrow_measurement, hits)},
    {"undecided", CELL_COUNT, offsetof(narrow_measurement, undecided)},
    {"missed", CELL_BAD_COUNT, offsetof(narrow_measurement, false_negatives)},
    {"false positives", CELL_COUNT, offsetof(narrow_measurement, false_positives)},
    {"late", CELL_BAD_COUNT, offsetof(narrow_measurement, late)},
    {0}};

static void print_rows(page *p, const report_data *data, int number, const void **rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->narrow_count; ++i)
        if (data->narrow[i].m.machine == number)
            rows[count++] = &data->narrow[i];
    print_page_table(p, rows_summary(count).at, row_columns, rows, count);
}

toi_status print_narrow_section(page *p, const report_data *data)
{
    size_t count = (size_t)data->narrow_count;
    dot_chart chart = {.unit = "s",
                       .titles = {"a query", "missed", "false"},
                       .dots = toi_allocate(count * sizeof *chart.dots),
                       .lines = toi_allocate(count * sizeof *chart.lines)};
    const void **rows = allocate_row_list(data->narrow_count);
    toi_status status = chart.dots && chart.lines && rows ? TOI_OK : TOI_ERROR_MEMORY;
    for (int number = 0; number < data->machine_count && status == TOI_OK; ++number) {
        if (!has_rows_of(data, number))
            continue;
        print_machine_subtitle(p, data, number);
        print_what_is_seen(p, data, number);
        print_narrow_legend(p, data);
        open_figures(p, false);
        for (int64_t i = 0, end; i < data->narrow_count; i = end) {
            end = end_of_narrow_scene(data, i);
            if (data->narrow[i].m.machine == number)
                print_scene(p, &data->narrow[i], end - i, &chart);
        }
        close_figures(p);
        print_rows(p, data, number, rows);
    }
    toi_release(rows);
    toi_release(chart.lines);
    toi_release(chart.dots);
    return status;
}
