// Whole pipelines as curves: time over the number of queries, over threads, over the limit of memory.

#include "report_series.h"

#include <math.h>
#include <stddef.h>

// ---------------------------------------------------------------------------------------------
// Building curves

void start_curve(curve_set *set, int series)
{
    set->curves[set->count++] = (curve){.series = series, .first = set->point_count};
}

void add_curve_point(curve_set *set, double x, double y, text note)
{
    if (!(x > 0 && y > 0))
        return;
    set->points[set->point_count++] = (curve_point){x, y, note};
    ++set->curves[set->count - 1].count;
}

void print_curve_set(page *p, const figure_head *head, curve_chart *chart, const curve_set *set)
{
    chart->curves = set->curves;
    chart->curve_count = set->count;
    chart->points = set->points;
    chart->point_count = set->point_count;
    print_curve_chart(p, head, chart);
}

static const char *const modes[] = {"earliest", "all"};
static const char *const mode_titles[] = {"The earliest impact", "All impacts"};

enum
{
    MODE_COUNT = 2
};

// ---------------------------------------------------------------------------------------------
// Figures

typedef double ccd_value(const ccd_measurement *row);

static double whole_seconds(const ccd_measurement *row)
{
    return row->m.seconds;
}

static double broad_seconds(const ccd_measurement *row)
{
    return row->seconds_broad;
}

static double narrow_seconds(const ccd_measurement *row)
{
    return row->seconds_narrow;
}

static double prepare_seconds(const ccd_measurement *row)
{
    return row->seconds_prepare;
}

static double peak_bytes(const ccd_measurement *row)
{
    return row->m.peak_bytes;
}

typedef struct stage
{
    const char *title;
    ccd_value *value;
} stage;

static const stage stages[] = {{"The whole", whole_seconds},
                               {"Broad phase", broad_seconds},
                               {"Narrow phase", narrow_seconds},
                               {"Preparation", prepare_seconds}};

enum
{
    STAGE_COUNT = sizeof stages / sizeof *stages
};

// The scene, and what else tells the curves apart.
static void print_series_legend(page *p, const series_list *list, variable over)
{
    bool broad = series_differ(list, offsetof(ccd_measurement, broad));
    bool narrow = series_differ(list, offsetof(ccd_measurement, narrow));
    bool threads = false;
    for (int64_t i = 1; i < list->count && over != OVER_THREADS; ++i)
        threads = threads || list->at[i].rows[0]->m.threads != list->at[0].rows[0]->m.threads;
    legend_item items[MOST_CURVES];
    for (int64_t i = 0; i < list->count; ++i) {
        const ccd_measurement *row = list->at[i].rows[0];
        items[i] = (legend_item){series_shape((int)i), series_kind((int)i), {""}};
        items[i].words =
            compose("%.20s%s%.10s%s%.16s%s%s", row->m.scene, broad ? ", " : "",
                    broad ? row->broad : "", narrow ? ", " : "", narrow ? row->narrow : "",
                    threads ? ", " : "", threads ? threads_text(row->m.threads).at : "");
    }
    print_legend(p, items, (int)list->count);
}

static curve_set curves_over_queries(const series_list *list, ccd_value *value)
{
    curve_set set = {.points = list->points};
    for (int64_t i = 0; i < list->count; ++i) {
        start_curve(&set, (int)i);
        for (int64_t k = 0; k < list->at[i].count; ++k) {
            const ccd_measurement *row = list->at[i].rows[k];
            add_curve_point(&set, candidates_of(row), value(row),
                            compose("%s candidates: %s", count_or_dash(candidates_of(row)).at,
                                    unit_text(value(row), "s").at));
        }
    }
    return set;
}

// How many times as fast as with the fewest threads.
static curve_set curves_over_threads(const series_list *list, ccd_value *value)
{
    curve_set set = {.points = list->points};
    for (int64_t i = 0; i < list->count; ++i) {
        double alone = value(list->at[i].rows[0]);
        start_curve(&set, (int)i);
        for (int64_t k = 0; k < list->at[i].count; ++k) {
            const ccd_measurement *row = list->at[i].rows[k];
            double times = value(row) > 0 ? alone / value(row) : 0;
            add_curve_point(&set, row->m.threads, times,
                            compose("%s: %s, %.3g ×", threads_text(row->m.threads).at,
                                    unit_text(value(row), "s").at, times));
        }
    }
    return set;
}

// Where "none" stands: right of the largest limit.
static double place_of_none(const series_list *list)
{
    double most = 0;
    for (int64_t i = 0; i < list->count; ++i)
        for (int64_t k = 0; k < list->at[i].count; ++k)
            most = fmax(most, list->at[i].rows[k]->memory_limit);
    return 3 * most;
}

static curve_set curves_over_limit(const series_list *list, ccd_value *value, const char *unit)
{
    curve_set set = {.points = list->points};
    double none = place_of_none(list);
    for (int64_t i = 0; i < list->count; ++i) {
        start_curve(&set, (int)i);
        for (int round = 0; round < 2; ++round) // no limit sorts first, and is drawn last
            for (int64_t k = 0; k < list->at[i].count; ++k) {
                const ccd_measurement *row = list->at[i].rows[k];
                bool unlimited = row->memory_limit == 0;
                if (unlimited != (round == 1))
                    continue;
                add_curve_point(
                    &set, unlimited ? none : row->memory_limit, value(row),
                    compose("%s: %s", unlimited ? "no limit" : unit_text(row->memory_limit, "B").at,
                            unit_text(value(row), unit).at));
            }
    }
    return set;
}

static void print_stage_figures(page *p, const series_list *list, variable over)
{
    open_figures(p, true);
    for (int i = 0; i < STAGE_COUNT; ++i) {
        bool threads = over == OVER_THREADS;
        curve_set set = threads ? curves_over_threads(list, stages[i].value)
                                : curves_over_queries(list, stages[i].value);
        curve_chart chart = {.x_name = threads ? "threads" : "candidates",
                             .x_unit = "",
                             .y_unit = threads ? "×" : "s",
                             .ideal = threads ? 1 / list->at[0].rows[0]->m.threads : 0,
                             .by_value = threads};
        figure_head head = {threads ? "threads" : "queries", stages[i].title,
                            threads ? "speed-up; dashed: ideal" : "time over candidates"};
        print_curve_set(p, &head, &chart, &set);
    }
    close_figures(p);
}

static void print_limit_figures(page *p, const series_list *list)
{
    curve_chart chart = {.x_name = "limit of memory",
                         .x_unit = "B",
                         .y_unit = "s",
                         .by_value = true,
                         .none = place_of_none(list)};
    open_figures(p, true);
    curve_set time = curves_over_limit(list, whole_seconds, "s");
    figure_head head = {"memory-time", "Time", "of the whole, over the limit"};
    print_curve_set(p, &head, &chart, &time);
    curve_set memory = curves_over_limit(list, peak_bytes, "B");
    chart.y_unit = "B";
    chart.ideal = 1;
    head = (figure_head){"memory-peak", "Most memory held", "dashed: the limit"};
    print_curve_set(p, &head, &chart, &memory);
    close_figures(p);
}

// ---------------------------------------------------------------------------------------------
// Tables

static const page_column row_columns[] = {
    {"scene", CELL_NAME, offsetof(ccd_measurement, m.scene)},
    {"mode", CELL_NAME, offsetof(ccd_measurement, mode)},
    {"broad", CELL_NAME, offsetof(ccd_measurement, broad)},
    {"narrow", CELL_NAME, offsetof(ccd_measurement, narrow)},
    {"threads", CELL_COUNT, offsetof(ccd_measurement, m.threads)},
    {"faces", CELL_SHARE, offsetof(ccd_measurement, fraction)},
    {"limit", CELL_LIMIT, offsetof(ccd_measurement, memory_limit)},
    {"vf candidates", CELL_COUNT, offsetof(ccd_measurement, candidates_vf)},
    {"ee candidates", CELL_COUNT, offsetof(ccd_measurement, candidates_ee)},
    {"vf hits", CELL_COUNT, offsetof(ccd_measurement, hits_vf)},
    {"ee hits", CELL_COUNT, offsetof(ccd_measurement, hits_ee)},
    {"missed", CELL_BAD_COUNT, offsetof(ccd_measurement, false_negatives)},
    {"false positives", CELL_COUNT, offsetof(ccd_measurement, false_positives)},
    {"late", CELL_BAD_COUNT, offsetof(ccd_measurement, late)},
    {"preparation", CELL_SECONDS, offsetof(ccd_measurement, seconds_prepare)},
    {"broad phase", CELL_SECONDS, offsetof(ccd_measurement, seconds_broad)},
    {"narrow phase", CELL_SECONDS, offsetof(ccd_measurement, seconds_narrow)},
    {"whole", CELL_SECONDS, offsetof(ccd_measurement, m.seconds)},
    {"median", CELL_SECONDS, offsetof(ccd_measurement, m.median_seconds)},
    {"memory", CELL_BYTES, offsetof(ccd_measurement, m.peak_bytes)},
    {0}};

void print_ccd_table(page *p, const ccd_measurement *const *rows, int64_t count)
{
    print_page_table(p, rows_summary(count).at, row_columns, (const void *const *)rows, count);
}

// ---------------------------------------------------------------------------------------------
// Sections

static void print_mode(page *p, series_list *list, variable over, const char *title)
{
    int64_t all = list->count;
    choose_series(list, over);
    print_subtitle(p, title);
    if (all > list->count)
        print_sentence(p, "quiet", "%lld of %lld series are drawn, %s; all are in the table.",
                       (long long)list->count, (long long)all,
                       over == OVER_THREADS ? "those of the default methods with the most points"
                                            : "those that take the longest");
    print_series_legend(p, list, over);
    if (over == OVER_LIMIT)
        print_limit_figures(p, list);
    else
        print_stage_figures(p, list, over);
    print_ccd_table(p, list->rows, list->row_count);
}

static bool has_part_of(const report_data *data, series_list *list, int number, variable over)
{
    for (int mode = 0; mode < MODE_COUNT; ++mode) {
        collect_series(data, number, modes[mode], over, list);
        if (list->count > 0)
            return true;
    }
    return (over == OVER_QUERIES && has_broad_scaling(data, number)) ||
           (over == OVER_THREADS && has_broad_threads(data, number));
}

static toi_status print_section(page *p, const report_data *data, variable over)
{
    series_list list;
    toi_status status = make_series(data, &list);
    for (int number = 0; number < data->machine_count && status == TOI_OK; ++number) {
        if (!has_part_of(data, &list, number, over))
            continue;
        print_machine_subtitle(p, data, number);
        for (int mode = 0; mode < MODE_COUNT; ++mode) {
            collect_series(data, number, modes[mode], over, &list);
            if (list.count > 0)
                print_mode(p, &list, over, mode_titles[mode]);
        }
        if (over == OVER_QUERIES)
            status = print_broad_scaling(p, data, number);
        else if (over == OVER_THREADS)
            status = print_broad_threads(p, data, number);
    }
    free_series(&list);
    return status;
}

static bool any_machine(const report_data *data, bool (*has)(const report_data *data, int number))
{
    for (int number = 0; number < data->machine_count; ++number)
        if (has(data, number))
            return true;
    return false;
}

bool has_queries(const report_data *data)
{
    return has_series(data, OVER_QUERIES) || any_machine(data, has_broad_scaling);
}

bool has_threads(const report_data *data)
{
    return has_series(data, OVER_THREADS) || any_machine(data, has_broad_threads);
}

bool has_limits(const report_data *data)
{
    return has_series(data, OVER_LIMIT);
}

toi_status print_queries_section(page *p, const report_data *data)
{
    print_sentence(p, "seen",
                   "Time over the size of the problem, both logarithmic: a straight line that "
                   "climbs one decade a decade is a cost in proportion to the size.");
    return print_section(p, data, OVER_QUERIES);
}

toi_status print_threads_section(page *p, const report_data *data)
{
    print_sentence(p, "seen",
                   "How many times as fast each stage is as with the fewest threads. On the "
                   "dashed line, twice the threads take half the time.");
    return print_section(p, data, OVER_THREADS);
}

toi_status print_limits_section(page *p, const report_data *data)
{
    print_sentence(
        p, "seen",
        "What a limit of memory costs: the time of the whole pipeline, and the most memory "
        "that it held, which must stay below the dashed line.");
    return print_section(p, data, OVER_LIMIT);
}
