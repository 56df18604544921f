// Draws curves on logarithmic axes.

#include "report_figures.h"

#include <math.h>
#include <string.h>

enum
{
    LEFT = 52,
    RIGHT = CHART_WIDTH - 12,
    TOP = 10,
    BOTTOM = 196,
    HEIGHT = 236
};

static axis fit_points(const curve_chart *chart, bool vertical)
{
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < chart->point_count; ++i) {
        double value = vertical ? chart->points[i].y : chart->points[i].x;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return vertical ? fit_axis(least, most, BOTTOM, TOP) : fit_axis(least, most, LEFT, RIGHT);
}

// A speed-up of a tenth is no "100 m×".
static text tick_text(double value, const char *unit)
{
    return strcmp(unit, "×") == 0 ? decimal("%.3g ×", value) : unit_text(value, unit);
}

static void print_left_ticks(page *p, const axis *a, const char *unit)
{
    const double apart = 18;
    double ticks[MOST_TICKS], last = INFINITY;
    int count = list_ticks(a, ticks);
    for (int i = 0; i < count; ++i) {
        double y = axis_at(a, ticks[i]);
        print_rule(p->o, LEFT, y, RIGHT, y, "grid");
        if (last - y < apart)
            continue;
        print_chart_words(p, LEFT - 7, y + 4, "tick", "end", tick_text(ticks[i], unit).at);
        last = y;
    }
    print_rule(p->o, LEFT, TOP, LEFT, BOTTOM, "edge");
}

// Ticks where points are; every one has a line, those with enough room a label.
static void print_value_ticks(page *p, const curve_chart *chart, const axis *a)
{
    const double apart = chart->none > 0 ? 50 : 24;
    double last = 0, label = -INFINITY;
    for (int tick = 0; tick < MOST_CURVE_TICKS; ++tick) {
        double next = INFINITY;
        for (int64_t i = 0; i < chart->point_count; ++i)
            if (chart->points[i].x > last)
                next = fmin(next, chart->points[i].x);
        if (isinf(next))
            break;
        double x = axis_at(a, next);
        bool none = chart->none > 0 && next >= chart->none;
        print_rule(p->o, x, TOP, x, BOTTOM, "grid");
        if (x - label >= apart) {
            print_chart_words(p, x, BOTTOM + 15, "tick", "middle",
                              chart->none > 0 ? limit_text(none ? 0 : next).at
                                              : unit_text(next, chart->x_unit).at);
            label = x;
        }
        last = next;
    }
    print_rule(p->o, LEFT, BOTTOM, RIGHT, BOTTOM, "edge");
}

// The part of y = ideal * x that is inside.
static void print_ideal(page *p, const curve_chart *chart, const axis *x, const axis *y)
{
    double from = fmax(x->least, y->least / chart->ideal);
    double to = fmin(x->most, y->most / chart->ideal);
    if (from < to)
        print_rule(p->o, axis_at(x, from), axis_at(y, chart->ideal * from), axis_at(x, to),
                   axis_at(y, chart->ideal * to), "ideal");
}

static void print_curve(page *p, const curve_chart *chart, const curve *c, const axis *x,
                        const axis *y)
{
    const curve_point *points = chart->points + c->first;
    fprintf(p->o, "<path class='curve %s' d='", series_kind(c->series));
    for (int64_t i = 0; i < c->count; ++i)
        fprintf(p->o, "%s%.1f %.1f", i ? "L" : "M", axis_at(x, points[i].x),
                axis_at(y, points[i].y));
    fprintf(p->o, "'/>\n");
    for (int64_t i = 0; i < c->count; ++i)
        print_data_mark(p, series_shape(c->series), axis_at(x, points[i].x),
                        axis_at(y, points[i].y), series_kind(c->series), points[i].note.at);
}

void print_curve_chart(page *p, const figure_head *head, const curve_chart *chart)
{
    if (chart->point_count == 0)
        return;
    axis x = fit_points(chart, false), y = fit_points(chart, true);
    open_figure(p, head->name, head->caption, head->note, chart->point_count, HEIGHT);
    if (chart->by_value)
        print_value_ticks(p, chart, &x);
    else
        print_bottom_ticks(p, &x, TOP, BOTTOM, chart->x_unit);
    print_left_ticks(p, &y, chart->y_unit);
    print_chart_words(p, RIGHT, BOTTOM + 33, "head", "end", chart->x_name);
    if (chart->ideal > 0)
        print_ideal(p, chart, &x, &y);
    for (int i = 0; i < chart->curve_count; ++i)
        print_curve(p, chart, &chart->curves[i], &x, &y);
    close_figure(p);
}
