// Draws the parts of a chart: logarithmic axes, labels, marks and lines.

#include "chart.h"

#include "svg_text.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Axes

axis fit_axis(double least, double most, double from, double to)
{
    const double room = 1.25, shortest = 6;
    axis a = {least / room, most * room, from, to};
    double widen = sqrt(shortest / (a.most / a.least));
    if (widen > 1) {
        a.least /= widen;
        a.most *= widen;
    }
    return a;
}

double axis_at(const axis *a, double value)
{
    // Differences of logarithms: the quotient of very different values is infinite.
    double share = (log(value) - log(a->least)) / (log(a->most) - log(a->least));
    return a->from + (a->to - a->from) * share;
}

int list_ticks(const axis *a, double ticks[MOST_TICKS])
{
    static const double steps[] = {1, 2, 5};
    const int used = a->most / a->least < 150 ? 3 : 1;
    int count = 0;
    for (int power = (int)floor(log10(a->least)); power <= (int)ceil(log10(a->most)); ++power)
        for (int i = 0; i < used && count < MOST_TICKS; ++i) {
            double value = steps[i] * pow(10, power);
            if (value >= a->least && value <= a->most)
                ticks[count++] = value;
        }
    return count;
}

text unit_text(double value, const char *unit)
{
    static const char *const prefixes[] = {"n", "µ", "m", "", "k", "M", "G", "T"};
    int prefix = 0;
    double scaled = value * 1e9;
    for (; prefix < 7 && scaled >= 999.5; ++prefix)
        scaled /= 1000;
    text result;
    const char *space = *prefixes[prefix] || *unit ? " " : "";
    snprintf(result.at, sizeof result.at, "%.3g%s%s%s", scaled, space, prefixes[prefix], unit);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Ink

const char *ink_colour(ink i)
{
    static const char *const colours[INK_COUNT] = {
        [INK_BLACK] = "#222222",  [INK_BLUE] = "#0072b2",   [INK_ORANGE] = "#d55e00",
        [INK_GREEN] = "#009e73",  [INK_PURPLE] = "#a8478a", [INK_SKY] = "#3fa0d8",
        [INK_YELLOW] = "#c89200", [INK_GREY] = "#7a7f87"};
    return colours[i];
}

void open_mark(FILE *o, mark_shape shape, double x, double y)
{
    const double r = 4.2;
    switch (shape) {
    case MARK_RING:
        fprintf(o, "<circle cx='%.1f' cy='%.1f' r='%.1f'", x, y, r - 0.4);
        break;
    case MARK_DIAMOND:
        fprintf(o, "<path d='M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz'", x, y - r - 1, r + 1,
                r + 1, -r - 1, r + 1, -r - 1, -r - 1);
        break;
    case MARK_SQUARE:
        fprintf(o, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'", x - r + 0.7, y - r + 0.7,
                2 * r - 1.4, 2 * r - 1.4);
        break;
    case MARK_TRIANGLE:
        fprintf(o, "<path d='M%.1f %.1fl%.1f %.1fh%.1fz'", x, y - r - 0.5, r + 0.5, 2 * r,
                -2 * r - 1);
        break;
    default:
        fprintf(o, "<circle cx='%.1f' cy='%.1f' r='%.1f'", x, y, r);
        break;
    }
}

void print_mark(FILE *o, mark_shape shape, double x, double y, const char *colour)
{
    open_mark(o, shape, x, y);
    if (shape == MARK_RING)
        fprintf(o, " fill='#fff' stroke='%s' stroke-width='1.8'/>\n", colour);
    else if (shape == MARK_DIAMOND)
        fprintf(o, " fill='%s' stroke='#fff' stroke-width='.8'/>\n", colour);
    else
        fprintf(o, " fill='%s'/>\n", colour);
}

void print_rule(FILE *o, double x0, double y0, double x1, double y1, const char *kind)
{
    fprintf(o, "<path class='%s' d='M%.1f %.1fL%.1f %.1f'/>\n", kind, x0, y0, x1, y1);
}

void print_words(FILE *o, double x, double y, const char *kind, const char *anchor,
                 const char *colour, const char *what)
{
    fprintf(o, "<text class='%s' x='%.1f' y='%.1f' text-anchor='%s'", kind, x, y, anchor);
    if (colour)
        fprintf(o, " style='fill:%s'", colour);
    fprintf(o, ">");
    print_svg_text(o, what);
    fprintf(o, "</text>\n");
}

// ---------------------------------------------------------------------------------------------
// The page

void open_chart(FILE *o, double width, double height)
{
    fprintf(o,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' "
            "height='%.0f'>\n",
            width, height, width, height);
    fprintf(o, "<style>text{font-family:'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
               "fill:#333a45}.title{font-size:22px;font-weight:bold}.head{font-size:14px;"
               "font-weight:bold}.note{font-size:12px;fill:#667080}.tick{font-size:11px;"
               "fill:#667080}.name{font-size:12px}.best{font-size:11px;font-weight:bold;paint-"
               "order:stroke;stroke:#fff;stroke-width:3px}"
               ".grid{stroke:#e3e7ec;fill:none}.row{stroke:#eff1f4;fill:none}"
               ".edge{stroke:#aab2bd;fill:none}</style>\n"
               "<rect width='100%%' height='100%%' fill='#fff'/>\n");
}

void close_chart(FILE *o)
{
    fprintf(o, "</svg>\n");
}
