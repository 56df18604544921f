// The figures of a report, drawn from plain data. None keeps what it is given.

#ifndef TOI_CLI_REPORT_FIGURES_H
#define TOI_CLI_REPORT_FIGURES_H

#include "report_page.h"

// What stands above a figure, and its name for data-figure.
typedef struct figure_head
{
    const char *name;
    const char *caption;
    const char *note;
} figure_head;

enum
{
    NAME_LETTERS = 18 // that fit left of dots and bars; a longer name is cut
};

// How wide a name is there, at a width of letters that few fonts exceed.
double name_width(const char *name);

// ---------------------------------------------------------------------------------------------
// Dots: a line for every method, its values along a logarithmic axis, the lowest line first.

typedef struct dot
{
    double value; // above 0
    mark_shape shape;
    const char *kind;
    text note;
} dot;

enum
{
    MOST_CELLS = 3
};

typedef struct dot_line
{
    text name;
    const char *kind; // of the name: "", "strong", "other"
    int64_t first;    // of its dots
    int64_t count;
    double order;           // the least value; lines are sorted by it
    text cells[MOST_CELLS]; // beside the dots
    bool wrong[MOST_CELLS]; // is the cell something that must not be?
} dot_line;

typedef struct dot_chart
{
    const char *unit;
    const char *titles[MOST_CELLS]; // above the cells; NULL: no such cell
    dot *dots;
    int64_t dot_count;
    dot_line *lines;
    int64_t line_count;
} dot_chart;

// Sorts the lines. A chart without dots is not drawn.
void print_dot_chart(page *p, const figure_head *head, dot_chart *chart);

// ---------------------------------------------------------------------------------------------
// Curves over a logarithmic axis.

typedef struct curve_point
{
    double x; // above 0, as y
    double y;
    text note;
} curve_point;

typedef struct curve
{
    int series;    // for its ink and its shape
    int64_t first; // of its points, by ascending x
    int64_t count;
} curve;

enum
{
    MOST_CURVES = 8,
    MOST_CURVE_TICKS = 32
};

typedef struct curve_chart
{
    const char *x_name;
    const char *x_unit;
    const char *y_unit;
    double ideal;  // not 0: a dashed line y = ideal * x
    bool by_value; // ticks where the points are, and nowhere else
    double none;   // not 0: x is a limit of memory, and this stands for none
    const curve *curves;
    int curve_count;
    const curve_point *points;
    int64_t point_count;
} curve_chart;

void print_curve_chart(page *p, const figure_head *head, const curve_chart *chart);

// ---------------------------------------------------------------------------------------------
// Bars

enum
{
    MOST_PARTS = 4
};

// A whole and its parts, none negative.
typedef struct stacked_bar
{
    text name;
    double parts[MOST_PARTS];
    text notes[MOST_PARTS];
    double order; // what bars are sorted by
    text total;   // beside the bar
} stacked_bar;

// How many marks these bars have: parts of nothing are not drawn.
int64_t count_parts(const stacked_bar *bars, int64_t count);

// Sorts the bars, the smallest first.
void print_stacked_bars(page *p, const figure_head *head, stacked_bar *bars, int64_t count);

// How many of something lie in each bin, for several methods one above the other. Heights are
// logarithmic.
typedef struct histogram
{
    text name;
    const char *kind; // of the name
    const double *bins;
    text remark;
    bool wrong; // does the remark say what must not be?
} histogram;

// The first bin stands apart from the others. A bin's name is what `bin_name` says, "" for none.
void print_histograms(page *p, const figure_head *head, const histogram *list, int64_t count,
                      int bins, text (*bin_name)(int bin), text (*bin_note)(int bin, double value));

#endif
