// Draws one line of dots for each name, on a logarithmic axis.

#include "report_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    LINE_HEIGHT = 21,
    TITLES_HEIGHT = 20,
    TICKS_HEIGHT = 22,
    CELL_GAP = 10
};

static const double cell_widths[MOST_CELLS] = {47, 45, 37};

static int by_order(const void *left, const void *right)
{
    const dot_line *a = left, *b = right;
    int order = (a->order > b->order) - (a->order < b->order);
    return order ? order : strcmp(a->name.at, b->name.at);
}

static double widest_name(const dot_chart *chart)
{
    double width = 0;
    for (int64_t i = 0; i < chart->line_count; ++i)
        width = fmax(width, name_width(chart->lines[i].name.at));
    return width;
}

static axis fit_dots(const dot_chart *chart, double from, double to)
{
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < chart->dot_count; ++i) {
        least = fmin(least, chart->dots[i].value);
        most = fmax(most, chart->dots[i].value);
    }
    return fit_axis(least, most, from, to);
}

static void print_line_marks(page *p, const dot_chart *chart, const dot_line *line, const axis *a,
                             double y)
{
    const dot *dots = chart->dots + line->first;
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < line->count; ++i) {
        least = fmin(least, dots[i].value);
        most = fmax(most, dots[i].value);
    }
    if (line->count > 1)
        fprintf(p->o, "<path class='span %s' d='M%.1f %.1fH%.1f'/>\n", dots[0].kind,
                axis_at(a, least), y, axis_at(a, most));
    for (int64_t i = 0; i < line->count; ++i)
        print_data_mark(p, dots[i].shape, axis_at(a, dots[i].value), y, dots[i].kind,
                        dots[i].note.at);
}

static void print_line(page *p, const dot_chart *chart, const dot_line *line, const axis *a,
                       double y)
{
    char kind[32];
    snprintf(kind, sizeof kind, "name %s", line->kind);
    print_rule(p->o, a->from, y, a->to, y, "row");
    print_chart_words(p, a->from - 8, y + 4, kind, "end",
                      fit_words(line->name.at, NAME_LETTERS).at);
    print_line_marks(p, chart, line, a, y);
    double right = a->to + CELL_GAP;
    for (int i = 0; i < MOST_CELLS && chart->titles[i]; ++i) {
        right += cell_widths[i];
        print_chart_words(p, right, y + 4, line->wrong[i] ? "wrong" : "value", "end",
                          line->cells[i].at);
    }
}

static void print_titles(page *p, const dot_chart *chart, double right)
{
    for (int i = 0; i < MOST_CELLS && chart->titles[i]; ++i) {
        right += cell_widths[i];
        print_chart_words(p, right, TITLES_HEIGHT - 9, "head", "end", chart->titles[i]);
    }
}

void print_dot_chart(page *p, const figure_head *head, dot_chart *chart)
{
    if (chart->dot_count == 0)
        return;
    double right = CHART_WIDTH - 3, cells = 0;
    for (int i = 0; i < MOST_CELLS && chart->titles[i]; ++i)
        cells += cell_widths[i];
    qsort(chart->lines, (size_t)chart->line_count, sizeof *chart->lines, by_order);
    axis a = fit_dots(chart, widest_name(chart) + 8, right - cells - CELL_GAP);
    double bottom = TITLES_HEIGHT + LINE_HEIGHT * (double)chart->line_count;
    open_figure(p, head->name, head->caption, head->note, chart->dot_count, bottom + TICKS_HEIGHT);
    print_titles(p, chart, a.to + CELL_GAP);
    print_bottom_ticks(p, &a, TITLES_HEIGHT, bottom, chart->unit);
    for (int64_t i = 0; i < chart->line_count; ++i)
        print_line(p, chart, &chart->lines[i], &a, TITLES_HEIGHT + LINE_HEIGHT * ((double)i + 0.5));
    close_figure(p);
}
