// Broad phases: time and memory of every method, one figure a scene, and what the candidates are
// worth.

#include "report_sections.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define KEPT "+kept"

bool is_broad_contest(const broad_measurement *row)
{
    return !row->scaling && row->m.seconds > 0;
}

bool has_broad(const report_data *data)
{
    for (int64_t i = 0; i < data->broad_count; ++i)
        if (is_broad_contest(&data->broad[i]))
            return true;
    return false;
}

int64_t end_of_broad_scene(const report_data *data, int64_t first)
{
    int64_t end = first;
    while (end < data->broad_count && same_place(&data->broad[end].m, &data->broad[first].m) &&
           data->broad[end].scaling == data->broad[first].scaling)
        ++end;
    return end;
}

// A method that kept its memory from call to call shares the line of the method.
static text plain_method(const broad_measurement *row)
{
    text name = words(row->method);
    char *kept = strstr(name.at, KEPT);
    if (kept)
        *kept = '\0';
    return name;
}

bool kept_its_memory(const broad_measurement *row)
{
    return strstr(row->method, KEPT) != NULL;
}

// ---------------------------------------------------------------------------------------------
// Figures

typedef double broad_value(const broad_measurement *row);

static double seconds_of(const broad_measurement *row)
{
    return row->m.seconds;
}

static double memory_of(const broad_measurement *row)
{
    return row->m.peak_bytes;
}

typedef struct broad_figure
{
    const char *name;
    const char *unit;
    const char *title;
    broad_value *value;
} broad_figure;

static const broad_figure time_figure = {"broad-time", "s", "time", seconds_of};
static const broad_figure memory_figure = {"broad-memory", "B", "memory", memory_of};

static mark_shape shape_of(const broad_measurement *row, double fewest, double most)
{
    if (kept_its_memory(row))
        return MARK_DIAMOND;
    return row->m.threads == fewest && most > fewest ? MARK_RING : MARK_DOT;
}

static void add_dot(dot_chart *chart, const broad_figure *figure, const broad_measurement *row,
                    mark_shape shape)
{
    text name = plain_method(row);
    dot_line *line = chart->line_count > 0 ? &chart->lines[chart->line_count - 1] : NULL;
    if (!line || !same_name(line->name.at, name.at)) {
        line = &chart->lines[chart->line_count++];
        *line = (dot_line){.name = name, .first = chart->dot_count, .order = INFINITY};
        line->kind = row->other ? "other" : same_name(name.at, "auto") ? "strong" : "";
    }
    double value = figure->value(row);
    dot *d = &chart->dots[chart->dot_count++];
    *d = (dot){.value = value, .shape = shape, .kind = row->other ? "s1" : "s0"};
    d->note = compose("%.20s, %s: %s", row->method, threads_text(row->m.threads).at,
                      unit_text(value, figure->unit).at);
    ++line->count;
    if (value < line->order) {
        line->order = value;
        line->cells[0] = unit_text(value, figure->unit);
    }
}

// The rows of a scene as a chart. Counting comes first: a row without that value has no mark.
static void print_scene(page *p, const broad_figure *figure, const broad_measurement *rows,
                        int64_t count, dot_chart *chart)
{
    double fewest = INFINITY, most = 0;
    for (int64_t i = 0; i < count; ++i) {
        fewest = fmin(fewest, rows[i].m.threads);
        most = fmax(most, rows[i].m.threads);
    }
    chart->unit = figure->unit;
    chart->titles[0] = figure->title;
    chart->line_count = chart->dot_count = 0;
    for (int64_t i = 0; i < count; ++i)
        if (is_broad_contest(&rows[i]) && figure->value(&rows[i]) > 0)
            add_dot(chart, figure, &rows[i], shape_of(&rows[i], fewest, most));
    char note[128];
    snprintf(note, sizeof note, "%s boxes, %s candidates", count_or_dash(rows->boxes).at,
             count_or_dash(rows->pairs).at);
    figure_head head = {figure->name, rows->m.scene, note};
    print_dot_chart(p, &head, chart);
}

static void print_figures(page *p, const report_data *data, int number, const broad_figure *figure,
                          dot_chart *chart)
{
    open_figures(p, false);
    for (int64_t i = 0, end; i < data->broad_count; i = end) {
        end = end_of_broad_scene(data, i);
        if (data->broad[i].m.machine == number)
            print_scene(p, figure, &data->broad[i], end - i, chart);
    }
    close_figures(p);
}

static void print_broad_legend(page *p, const report_data *data, int number)
{
    bool several = false, kept = false, other = false;
    double first = NAN;
    for (int64_t i = 0; i < data->broad_count; ++i) {
        const broad_measurement *row = &data->broad[i];
        if (row->m.machine != number || !is_broad_contest(row))
            continue;
        first = isnan(first) ? row->m.threads : first;
        several = several || row->m.threads != first;
        kept = kept || kept_its_memory(row);
        other = other || row->other;
    }
    legend_item items[4];
    int count = 0;
    if (several)
        items[count++] = (legend_item){MARK_RING, "s0", words("fewest threads")};
    items[count++] =
        (legend_item){MARK_DOT, "s0", words(several ? "more threads" : "this library")};
    if (kept)
        items[count++] = (legend_item){MARK_DIAMOND, "s0", words("memory kept from call to call")};
    if (other)
        items[count++] = (legend_item){MARK_DOT, "s1", words("other libraries")};
    print_legend(p, items, count);
}

// ---------------------------------------------------------------------------------------------
// What is seen

static void print_what_is_seen(page *p, const report_data *data, int number)
{
    winner best = find_fastest_broad(data, number);
    char seen[320] = "";
    if (best.name)
        snprintf(seen, sizeof seen,
                 "%s is the fastest, or within 5 %% of it, in %d of %d scenes. The slowest way to "
                 "the same candidates "
                 "takes %.3g to %.3g times as long as the fastest. ",
                 fit_words(best.name, 24).at, best.wins, best.scenes, best.least_ratio,
                 best.most_ratio);
    print_sentence(p, "seen",
                   "%sTimes are the least of the repeats, on a logarithmic axis; the numbers on "
                   "the right are the best of each line.",
                   seen);
}

// ---------------------------------------------------------------------------------------------
// Tables

// What the candidates of a scene are worth.
typedef struct scene_facts
{
    const char *scene;
    double boxes;
    double pairs;
    double hits;
    double share; // of the candidates
    double false_positives;
    double missed; // by a method of the library: it must be 0
    double others_missed;
    double differing; // rows whose number of candidates is another
} scene_facts;

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static scene_facts judge_scene(const broad_measurement *rows, int64_t count)
{
    const broad_measurement *known = rows; // one that was compared with the truth, if any was
    scene_facts facts = {.scene = rows->m.scene, .missed = NAN, .others_missed = NAN};
    for (int64_t i = 0; i < count; ++i) {
        double *missed = rows[i].other ? &facts.others_missed : &facts.missed;
        *missed = larger(*missed, rows[i].false_negatives);
        facts.differing += rows[i].pairs != rows[0].pairs;
        if (isnan(known->hits))
            known = &rows[i];
    }
    facts.boxes = known->boxes;
    facts.pairs = known->pairs;
    facts.hits = known->hits;
    facts.share = known->pairs > 0 ? known->hits / known->pairs : NAN;
    facts.false_positives = known->false_positives;
    return facts;
}

static const page_column facts_columns[] = {
    {"scene", CELL_NAME, offsetof(scene_facts, scene)},
    {"boxes", CELL_COUNT, offsetof(scene_facts, boxes)},
    {"candidates", CELL_COUNT, offsetof(scene_facts, pairs)},
    {"that collide", CELL_COUNT, offsetof(scene_facts, hits)},
    {"share", CELL_SHARE, offsetof(scene_facts, share)},
    {"false positives", CELL_COUNT, offsetof(scene_facts, false_positives)},
    {"missed by toi", CELL_BAD_COUNT, offsetof(scene_facts, missed)},
    {"missed by others", CELL_BAD_COUNT, offsetof(scene_facts, others_missed)},
    {"rows with other candidates", CELL_COUNT, offsetof(scene_facts, differing)},
    {0}};

static const page_column row_columns[] = {
    {"scene", CELL_NAME, offsetof(broad_measurement, m.scene)},
    {"method", CELL_NAME, offsetof(broad_measurement, method)},
    {"threads", CELL_COUNT, offsetof(broad_measurement, m.threads)},
    {"time", CELL_SECONDS, offsetof(broad_measurement, m.seconds)},
    {"median", CELL_SECONDS, offsetof(broad_measurement, m.median_seconds)},
    {"memory", CELL_BYTES, offsetof(broad_measurement, m.peak_bytes)},
    {"boxes", CELL_COUNT, offsetof(broad_measurement, boxes)},
    {"candidates", CELL_COUNT, offsetof(broad_measurement, pairs)},
    {"false positives", CELL_COUNT, offsetof(broad_measurement, false_positives)},
    {"missed", CELL_BAD_COUNT, offsetof(broad_measurement, false_negatives)},
    {0}};

static void print_tables(page *p, const report_data *data, int number, scene_facts *facts,
                         const void **rows)
{
    int64_t count = 0;
    for (int64_t i = 0, end; i < data->broad_count; i = end) {
        end = end_of_broad_scene(data, i);
        if (data->broad[i].m.machine != number || !is_broad_contest(&data->broad[i]))
            continue;
        facts[count] = judge_scene(&data->broad[i], end - i);
        rows[count] = &facts[count];
        ++count;
    }
    print_page_table(p, NULL, facts_columns, rows, count);
    count = 0;
    for (int64_t i = 0; i < data->broad_count; ++i)
        if (data->broad[i].m.machine == number && is_broad_contest(&data->broad[i]))
            rows[count++] = &data->broad[i];
    print_page_table(p, rows_summary(count).at, row_columns, rows, count);
}

static bool has_rows_of(const report_data *data, int number)
{
    for (int64_t i = 0; i < data->broad_count; ++i)
        if (data->broad[i].m.machine == number && is_broad_contest(&data->broad[i]))
            return true;
    return false;
}

toi_status print_broad_section(page *p, const report_data *data)
{
    size_t count = (size_t)data->broad_count;
    dot_chart chart = {.dots = toi_allocate(count * sizeof *chart.dots),
                       .lines = toi_allocate(count * sizeof *chart.lines)};
    scene_facts *facts = toi_allocate(count * sizeof *facts);
    const void **rows = allocate_row_list(data->broad_count);
    toi_status status = chart.dots && chart.lines && facts && rows ? TOI_OK : TOI_ERROR_MEMORY;
    for (int number = 0; number < data->machine_count && status == TOI_OK; ++number) {
        if (!has_rows_of(data, number))
            continue;
        print_machine_subtitle(p, data, number);
        print_what_is_seen(p, data, number);
        print_broad_legend(p, data, number);
        print_figures(p, data, number, &time_figure, &chart);
        print_sentence(p, "seen",
                       "The most memory that each held at once, the list of candidates "
                       "included.");
        print_figures(p, data, number, &memory_figure, &chart);
        print_tables(p, data, number, facts, rows);
    }
    toi_release(rows);
    toi_release(facts);
    toi_release(chart.lines);
    toi_release(chart.dots);
    return status;
}
