// The error of the time: how far the reported times are from the truth, by powers of ten.

#include "report_sections.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// Has the row a histogram of the errors? Older files have none.
static bool is_shown(const narrow_measurement *row)
{
    return is_query_row(row) && row->times > 0 && !isnan(row->errors[0]);
}

static bool has_rows_of(const report_data *data, int number)
{
    for (int64_t i = 0; i < data->narrow_count; ++i)
        if (is_shown(&data->narrow[i]) && (number < 0 || data->narrow[i].m.machine == number))
            return true;
    return false;
}

bool has_errors(const report_data *data)
{
    return has_rows_of(data, -1);
}

// ---------------------------------------------------------------------------------------------
// Figures

// The times of one method in one scene, of both kinds.
typedef struct error_sum
{
    double bins[ERROR_BINS];
    double times;
    double late;
    double largest_late;
    double order; // the mean power of ten; exactly right is the least
    int64_t first;
} error_sum;

static double power_of(int bin)
{
    return pow(10, bin - ERROR_BINS + 1);
}

static text bin_name(int bin)
{
    const int apart = 4;
    if (bin == 0)
        return words("0");
    int power = bin - ERROR_BINS + 1;
    if (power % apart != 0)
        return words("");
    return power == 0 ? words("1") : compose("1e%d", power);
}

static text bin_note(int bin, double value)
{
    if (bin == 0)
        return compose("%s exactly right", count_or_dash(value).at);
    return compose("%s wrong by at most %.0e", count_or_dash(value).at, power_of(bin));
}

static error_sum add_up(const narrow_measurement *rows, int64_t count)
{
    error_sum sum = {0};
    double threads = NAN;
    for (int64_t i = 0; i < count; ++i) {
        const narrow_measurement *row = &rows[i];
        if (!is_shown(row))
            continue;
        threads = isnan(threads) ? row->m.threads : threads;
        if (row->m.threads != threads)
            continue; // the same times again
        for (int bin = 0; bin < ERROR_BINS; ++bin)
            sum.bins[bin] += isnan(row->errors[bin]) ? 0 : row->errors[bin];
        sum.times += row->times;
        sum.late += isnan(row->late) ? 0 : row->late;
        sum.largest_late = fmax(sum.largest_late, row->largest_late);
    }
    for (int bin = 0; bin < ERROR_BINS; ++bin)
        sum.order += bin * sum.bins[bin] / fmax(sum.times, 1);
    return sum;
}

static int by_error(const void *left, const void *right)
{
    const error_sum *a = left, *b = right;
    int order = (a->order > b->order) - (a->order < b->order);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

static text remark_of(const error_sum *sum)
{
    if (sum->late > 0)
        return compose("%s of %s late, by up to %.0e", compact_count(sum->late).at,
                       compact_count(sum->times).at, sum->largest_late);
    return compose("%s times, none late", compact_count(sum->times).at);
}

// Room for the lines of the scene with the most.
typedef struct error_room
{
    error_sum *sums;
    histogram *lines;
} error_room;

static void print_scene(page *p, const narrow_measurement *rows, int64_t count,
                        const error_room *room)
{
    int64_t lines = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        end = end_of_narrow_line(rows, i, count);
        room->sums[lines] = add_up(rows + i, end - i);
        room->sums[lines].first = i;
        lines += room->sums[lines].times > 0;
    }
    qsort(room->sums, (size_t)lines, sizeof *room->sums, by_error);
    for (int64_t i = 0; i < lines; ++i) {
        const error_sum *sum = &room->sums[i];
        room->lines[i] = (histogram){.name = narrow_line_name(rows, sum->first, count),
                                     .kind = narrow_name_kind(&rows[sum->first]),
                                     .bins = sum->bins,
                                     .remark = remark_of(sum),
                                     .wrong = sum->late > 0};
    }
    figure_head head = {"time-error", rows->m.scene, "error of the time; the step is the unit"};
    print_histograms(p, &head, room->lines, lines, ERROR_BINS, bin_name, bin_note);
}

// ---------------------------------------------------------------------------------------------
// Words and tables

static void print_what_is_seen(page *p, const report_data *data, int number)
{
    double times = 0, right = 0, safe_late = 0, unsafe_late = 0;
    for (int64_t i = 0; i < data->narrow_count; ++i) {
        const narrow_measurement *row = &data->narrow[i];
        if (!is_shown(row) || row->m.machine != number)
            continue;
        if (same_name(row->method, "exact")) {
            times += row->times;
            right += row->errors[0];
        }
        if (row->late > 0)
            *(same_name(row->guarantee, "none") ? &unsafe_late : &safe_late) += row->late;
    }
    if (times > 0)
        print_sentence(p, "seen",
                       "Of the %s times that exact reports, %s are the largest double that is not "
                       "late.",
                       count_or_dash(times).at, count_or_dash(right).at);
    print_sentence(p, "seen",
                   "Methods that promise not to be late were late %s times, the others %s times. "
                   "Bars count times by the power of ten that their error stays below, with "
                   "logarithmic heights; those that are exactly right stand apart on the left.",
                   count_or_dash(safe_late).at, count_or_dash(unsafe_late).at);
}

static const page_column row_columns[] = {
    {"scene", CELL_NAME, offsetof(narrow_measurement, m.scene)},
    {"method", CELL_NAME, offsetof(narrow_measurement, method)},
    {"tolerance", CELL_NAME, offsetof(narrow_measurement, tolerance)},
    {"promise", CELL_NAME, offsetof(narrow_measurement, guarantee)},
    {"kind", CELL_NAME, offsetof(narrow_measurement, kind)},
    {"times", CELL_COUNT, offsetof(narrow_measurement, times)},
    {"exactly right", CELL_COUNT, offsetof(narrow_measurement, errors)},
    {"late", CELL_BAD_COUNT, offsetof(narrow_measurement, late)},
    {"late by at most", CELL_ERROR, offsetof(narrow_measurement, largest_late)},
    {"early by at most", CELL_ERROR, offsetof(narrow_measurement, largest_early)},
    {"mean error", CELL_ERROR, offsetof(narrow_measurement, mean_error)},
    {0}};

static void print_rows(page *p, const report_data *data, int number, const void **rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->narrow_count; ++i)
        if (data->narrow[i].m.machine == number && is_shown(&data->narrow[i]))
            rows[count++] = &data->narrow[i];
    print_page_table(p, rows_summary(count).at, row_columns, rows, count);
}

static void print_legend_of_bars(page *p)
{
    const legend_item items[2] = {{MARK_SQUARE, "s2", words("exactly right")},
                                  {MARK_SQUARE, "s0", words("wrong by at most so much")}};
    print_legend(p, items, 2);
}

toi_status print_errors_section(page *p, const report_data *data)
{
    size_t count = (size_t)data->narrow_count;
    error_room room = {.sums = toi_allocate(count * sizeof *room.sums),
                       .lines = toi_allocate(count * sizeof *room.lines)};
    const void **rows = allocate_row_list(data->narrow_count);
    toi_status status = room.sums && room.lines && rows ? TOI_OK : TOI_ERROR_MEMORY;
    for (int number = 0; number < data->machine_count && status == TOI_OK; ++number) {
        if (!has_rows_of(data, number))
            continue;
        print_machine_subtitle(p, data, number);
        print_what_is_seen(p, data, number);
        print_legend_of_bars(p);
        open_figures(p, false);
        for (int64_t i = 0, end; i < data->narrow_count; i = end) {
            end = end_of_narrow_scene(data, i);
            if (data->narrow[i].m.machine == number)
                print_scene(p, &data->narrow[i], end - i, &room);
        }
        close_figures(p);
        print_rows(p, data, number, rows);
    }
    toi_release(rows);
    toi_release(room.lines);
    toi_release(room.sums);
    return status;
}
