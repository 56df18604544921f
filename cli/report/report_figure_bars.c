// Draws stacked bars and histograms.

#include "report_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double name_width(const char *name)
{
    const double letter = 5.9, wide_letters = 13; // short names may have nothing but wide letters
    return wide_letters + letter * count_characters(fit_words(name, NAME_LETTERS).at);
}

// ---------------------------------------------------------------------------------------------
// Stacked bars

enum
{
    LINE_HEIGHT = 24,
    BAR_HEIGHT = 14,
    BARS_RIGHT = CHART_WIDTH - 62, // the totals stand right of it
    TOP = 6,
    TICKS_HEIGHT = 22
};

static double sum_of(const stacked_bar *bar)
{
    double sum = 0;
    for (int part = 0; part < MOST_PARTS; ++part)
        sum += bar->parts[part];
    return sum;
}

int64_t count_parts(const stacked_bar *bars, int64_t count)
{
    int64_t parts = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int part = 0; part < MOST_PARTS; ++part)
            parts += bars[i].parts[part] > 0;
    return parts;
}

static void print_stack(page *p, const stacked_bar *bar, double left, double y)
{
    const double width = BARS_RIGHT - left, sum = sum_of(bar);
    double x = left;
    print_chart_words(p, left - 8, y + 4, "name", "end", fit_words(bar->name.at, NAME_LETTERS).at);
    for (int part = 0; part < MOST_PARTS; ++part) {
        if (bar->parts[part] <= 0)
            continue;
        double share = bar->parts[part] / sum;
        print_data_bar(p, x, y - BAR_HEIGHT / 2.0, share * width, BAR_HEIGHT, series_kind(part),
                       bar->notes[part].at);
        x += share * width;
    }
    print_chart_words(p, CHART_WIDTH - 3, y + 4, "value", "end", bar->total.at);
}

static int by_order(const void *left, const void *right)
{
    const stacked_bar *a = left, *b = right;
    int order = (a->order > b->order) - (a->order < b->order);
    return order ? order : strcmp(a->name.at, b->name.at);
}

void print_stacked_bars(page *p, const figure_head *head, stacked_bar *bars, int64_t count)
{
    double bottom = TOP + LINE_HEIGHT * (double)count, left = 0;
    for (int64_t i = 0; i < count; ++i)
        left = fmax(left, name_width(bars[i].name.at) + 8);
    qsort(bars, (size_t)count, sizeof *bars, by_order);
    open_figure(p, head->name, head->caption, head->note, count_parts(bars, count),
                bottom + TICKS_HEIGHT);
    for (int i = 0; i <= 4; ++i) {
        double x = left + 0.25 * i * (BARS_RIGHT - left);
        print_rule(p->o, x, TOP, x, bottom, "grid");
        if (i % 2 == 0)
            print_chart_words(p, x, bottom + 15, "tick", "middle", decimal("%.0f %%", 25.0 * i).at);
    }
    for (int64_t i = 0; i < count; ++i)
        print_stack(p, &bars[i], left, TOP + LINE_HEIGHT * ((double)i + 0.5));
    close_figure(p);
}

// ---------------------------------------------------------------------------------------------
// Histograms

enum
{
    STRIP_HEIGHT = 58, // of one method
    STRIP_ROOM = 18,   // above the tallest bar, for its words
    APART = 8          // between the first bin and the others
};

static double bin_width(int bins)
{
    return (CHART_WIDTH - 6.0 - APART) / bins;
}

static double bin_left(int bin, int bins)
{
    return 3 + bin * bin_width(bins) + (bin > 0 ? APART : 0);
}

static double tallest_bin(const histogram *list, int64_t count, int bins)
{
    double most = 1;
    for (int64_t i = 0; i < count; ++i)
        for (int bin = 0; bin < bins; ++bin)
            most = fmax(most, list[i].bins[bin]);
    return most;
}

static int64_t count_filled(const histogram *list, int64_t count, int bins)
{
    int64_t filled = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int bin = 0; bin < bins; ++bin)
            filled += list[i].bins[bin] > 0;
    return filled;
}

static void print_strip(page *p, const histogram *h, double top, double tallest, int bins,
                        text (*bin_note)(int bin, double value))
{
    char kind[32];
    double bottom = top + STRIP_HEIGHT, most = STRIP_HEIGHT - STRIP_ROOM;
    snprintf(kind, sizeof kind, "name %s", h->kind);
    print_chart_words(p, 3, top + 12, kind, "start", fit_words(h->name.at, NAME_LETTERS + 4).at);
    print_chart_words(p, CHART_WIDTH - 3, top + 12, h->wrong ? "wrong" : "tick", "end",
                      h->remark.at);
    for (int bin = 0; bin < bins; ++bin) {
        if (!(h->bins[bin] > 0))
            continue;
        double height = fmax(2, most * log1p(h->bins[bin]) / log1p(tallest));
        print_data_bar(p, bin_left(bin, bins) + 1, bottom - height, bin_width(bins) - 2, height,
                       series_kind(bin == 0 ? 2 : 0), bin_note(bin, h->bins[bin]).at);
    }
    print_rule(p->o, 3, bottom, 3 + bin_width(bins), bottom, "edge");
    print_rule(p->o, bin_left(1, bins), bottom, CHART_WIDTH - 3, bottom, "edge");
}

void print_histograms(page *p, const figure_head *head, const histogram *list, int64_t count,
                      int bins, text (*bin_name)(int bin), text (*bin_note)(int bin, double value))
{
    int64_t filled = count_filled(list, count, bins);
    if (filled == 0)
        return;
    const double gap = 8;
    double bottom = (STRIP_HEIGHT + gap) * (double)count, tallest = tallest_bin(list, count, bins);
    open_figure(p, head->name, head->caption, head->note, filled, bottom + 14);
    for (int64_t i = 0; i < count; ++i)
        print_strip(p, &list[i], (STRIP_HEIGHT + gap) * (double)i, tallest, bins, bin_note);
    for (int bin = 0; bin < bins; ++bin)
        print_chart_words(p, bin_left(bin, bins) + bin_width(bins) / 2, bottom + 8, "tick",
                          "middle", bin_name(bin).at);
    close_figure(p);
}
