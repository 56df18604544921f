// The parts of a chart: logarithmic axes, their labels, marks and lines, as SVG.

#ifndef TOI_CLI_CHART_H
#define TOI_CLI_CHART_H

#include "text.h"

#include <stdio.h>

// A logarithmic axis from one value to another, and where these are on the page.
typedef struct axis
{
    double least;
    double most;
    double from; // in pixels
    double to;
} axis;

// An axis on which all values from `least` to `most`, above 0, have their place, with some room.
axis fit_axis(double least, double most, double from, double to);

double axis_at(const axis *a, double value);

enum
{
    MOST_TICKS = 64
};

// Writes where ticks are due, in ascending order, and returns how many: at powers of ten, on short
// axes also at twice and five times as much.
int list_ticks(const axis *a, double ticks[MOST_TICKS]);

// 2e-5 with "s": "20 µs".
text unit_text(double value, const char *unit);

// Colours that people with any colour vision can tell apart (Okabe and Ito).
typedef enum ink
{
    INK_BLACK,
    INK_BLUE,
    INK_ORANGE,
    INK_GREEN,
    INK_PURPLE,
    INK_SKY,
    INK_YELLOW,
    INK_GREY,
    INK_COUNT
} ink;

const char *ink_colour(ink i);

typedef enum mark_shape
{
    MARK_RING,
    MARK_DOT,
    MARK_DIAMOND,
    MARK_SQUARE,
    MARK_TRIANGLE,
    MARK_COUNT
} mark_shape;

// Opens the element of a mark, "<circle cx=...", for the caller to add its colours and to close.
void open_mark(FILE *o, mark_shape shape, double x, double y);

void print_mark(FILE *o, mark_shape shape, double x, double y, const char *colour);

void print_rule(FILE *o, double x0, double y0, double x1, double y1, const char *kind);

// `kind` is a class of the style sheet: title, head, note, tick, name; `anchor`: start, middle,
// end.
void print_words(FILE *o, double x, double y, const char *kind, const char *anchor,
                 const char *colour, const char *what);

// The page with its style sheet and background; and its end.
void open_chart(FILE *o, double width, double height);
void close_chart(FILE *o);

#endif
