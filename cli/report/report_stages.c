// The share of each stage in the whole pipeline, one figure a scene and a question.

#include "report_sections.h"

#include <math.h>

// Bars of one figure: the same scene and mode, whole, with the fewest threads that there are.
static bool in_same_figure(const ccd_measurement *a, const ccd_measurement *b)
{
    return same_place(&a->m, &b->m) && same_name(a->mode, b->mode);
}

static bool is_shown(const ccd_measurement *row)
{
    return is_plain_run(row) && row->m.seconds > 0 && row->seconds_broad >= 0 &&
           row->seconds_narrow >= 0;
}

static bool has_rows_of(const report_data *data, int number)
{
    for (int64_t i = 0; i < data->ccd_count; ++i)
        if (is_shown(&data->ccd[i]) && (number < 0 || data->ccd[i].m.machine == number))
            return true;
    return false;
}

bool has_stages(const report_data *data)
{
    return has_rows_of(data, -1);
}

static const char *const part_names[MOST_PARTS] = {"narrow phase", "broad phase", "preparation",
                                                   "the rest"};

static stacked_bar bar_of(const ccd_measurement *row, bool with_broad)
{
    double preparing = row->seconds_prepare > 0 ? row->seconds_prepare : 0;
    double rest = row->m.seconds - row->seconds_narrow - row->seconds_broad - preparing;
    const double least_rest = 0.002; // of the whole: less is how clocks are read
    stacked_bar bar = {.name = words(row->narrow),
                       .order = row->m.seconds,
                       .total = unit_text(row->m.seconds, "s")};
    if (with_broad)
        bar.name = compose("%.9s, %.16s", row->broad, row->narrow);
    bar.parts[0] = row->seconds_narrow;
    bar.parts[1] = row->seconds_broad;
    bar.parts[2] = preparing;
    bar.parts[3] = rest > least_rest * row->m.seconds ? rest : 0;
    for (int part = 0; part < MOST_PARTS; ++part)
        bar.notes[part] = compose("%s: %s", part_names[part], unit_text(bar.parts[part], "s").at);
    return bar;
}

static void print_scene(page *p, const ccd_measurement *rows, int64_t count, stacked_bar *bars)
{
    double fewest = INFINITY;
    const ccd_measurement *first = NULL;
    bool several = false;
    for (int64_t i = 0; i < count; ++i)
        if (is_shown(&rows[i]))
            fewest = fmin(fewest, rows[i].m.threads);
    for (int64_t i = 0; i < count; ++i)
        if (is_shown(&rows[i]) && rows[i].m.threads == fewest) {
            first = first ? first : &rows[i];
            several = several || !same_name(rows[i].broad, first->broad);
        }
    if (!first)
        return;
    int64_t bar_count = 0;
    for (int64_t i = 0; i < count; ++i)
        if (is_shown(&rows[i]) && rows[i].m.threads == fewest)
            bars[bar_count++] = bar_of(&rows[i], several);
    char note[160];
    snprintf(note, sizeof note, "%s, %s, %s candidates",
             same_name(first->mode, "all") ? "all impacts" : "the earliest impact",
             threads_text(fewest).at, compact_count(candidates_of(first)).at);
    figure_head head = {"stages", first->m.scene, note};
    print_stacked_bars(p, &head, bars, bar_count);
}

static void print_what_is_seen(page *p, const report_data *data, int number)
{
    double narrow = 0, broad = 0, whole = 0;
    for (int64_t i = 0; i < data->ccd_count; ++i) {
        const ccd_measurement *row = &data->ccd[i];
        if (!is_shown(row) || row->m.machine != number || !same_name(row->narrow, "exact"))
            continue;
        narrow += row->seconds_narrow / row->m.seconds;
        broad += row->seconds_broad / row->m.seconds;
        whole += 1;
    }
    if (whole > 0)
        print_sentence(p, "seen",
                       "With exact, the narrow phase takes %.0f %% of the time and the broad phase "
                       "%.0f %%, on the average of all runs.",
                       100 * narrow / whole, 100 * broad / whole);
    print_sentence(p, "seen",
                   "Each bar is the whole time, on the right in figures, and how the "
                   "stages share it.");
}

static void print_stage_legend(page *p)
{
    legend_item items[MOST_PARTS];
    for (int part = 0; part < MOST_PARTS; ++part)
        items[part] = (legend_item){MARK_SQUARE, series_kind(part), words(part_names[part])};
    print_legend(p, items, MOST_PARTS);
}

static void print_machine(page *p, const report_data *data, int number, stacked_bar *bars,
                          const ccd_measurement **rows)
{
    int64_t shown = 0;
    print_machine_subtitle(p, data, number);
    print_what_is_seen(p, data, number);
    print_stage_legend(p);
    open_figures(p, false);
    for (int64_t i = 0, end; i < data->ccd_count; i = end) {
        for (end = i; end < data->ccd_count && in_same_figure(&data->ccd[end], &data->ccd[i]);
             ++end)
            if (data->ccd[end].m.machine == number && is_shown(&data->ccd[end]))
                rows[shown++] = &data->ccd[end];
        if (data->ccd[i].m.machine == number)
            print_scene(p, &data->ccd[i], end - i, bars);
    }
    close_figures(p);
    print_ccd_table(p, rows, shown);
}

toi_status print_stages_section(page *p, const report_data *data)
{
    size_t count = (size_t)data->ccd_count;
    stacked_bar *bars = toi_allocate(count * sizeof *bars);
    const ccd_measurement **rows = toi_allocate(count * sizeof *rows);
    toi_status status = bars && rows ? TOI_OK : TOI_ERROR_MEMORY;
    for (int number = 0; number < data->machine_count && status == TOI_OK; ++number)
        if (has_rows_of(data, number))
            print_machine(p, data, number, bars, rows);
    toi_release(rows);
    toi_release(bars);
    return status;
}
