// The page of a report: its frame, words, tables and figures, as HTML that needs nothing else.
//
// Text may come from files, so every function that takes words escapes them; they never stand in
// an attribute. A figure says in its attribute data-points how many marks it must show, counted
// from the data before anything is drawn; marks have the class "mark".

#ifndef TOI_CLI_REPORT_PAGE_H
#define TOI_CLI_REPORT_PAGE_H

#include "chart.h"
#include "toi/base.h"

#include <stdio.h>

enum
{
    CHART_WIDTH = 360, // drawn as wide on a phone, a little wider elsewhere
    SERIES_INKS = 8
};

typedef struct page
{
    FILE *o;
    bool several_machines; // each has a heading of its own, above those of print_subtitle()
    int figures;
    int64_t points; // marks that the figures must show
    int64_t marks;  // that were drawn
} page;

void open_page(page *p, const char *title);
void close_page(page *p);

// The style sheet, for open_page(); NULL ends it.
extern const char *const report_style[];

// ---------------------------------------------------------------------------------------------
// Words

void print_page_words(page *p, const char *what);

// <p class='kind'> with words as printf() makes them.
void print_sentence(page *p, const char *kind, const char *format, ...) TOI_PRINTF(3, 4);

void open_section(page *p, const char *name, const char *title);
void close_section(page *p);
void print_subtitle(page *p, const char *title);

int count_characters(const char *what);

// At most so many characters; a longer text ends with three dots.
text fit_words(const char *from, int most);

// As printf() would, cut where it is too long.
text compose(const char *format, ...) TOI_PRINTF(1, 2);

text compact_count(double count);  // 122k
text limit_text(double bytes);     // 64 MiB, as people set limits; 0 is "none"
text count_or_dash(double count);  // 1,234, or "-" for NaN
text threads_text(double threads); // "1 thread", "2 threads"

// ---------------------------------------------------------------------------------------------
// Tables

// What a cell of a row's structure holds, and how it is written. NaN is a dash.
typedef enum cell_type
{
    CELL_NAME,        // const char *; the others are double
    CELL_COUNT,       // 1,234
    CELL_SECONDS,     // 12.3 ms
    CELL_NANOSECONDS, // 12.3 ns
    CELL_BYTES,       // 45.6 MB
    CELL_LIMIT,       // the same; 0 is "none"
    CELL_ERROR,       // 1.2e-7
    CELL_SHARE,       // 12.3 %
    CELL_BAD_COUNT    // a count that should be 0
} cell_type;

typedef struct page_column
{
    const char *title; // NULL ends a list of columns
    cell_type type;
    size_t offset;
} page_column;

// A table of the rows behind the pointers. `summary`: it is folded, and these words unfold it.
void print_page_table(page *p, const char *summary, const page_column *columns,
                      const void *const *rows, int64_t count);

// ---------------------------------------------------------------------------------------------
// Figures

// A grid of figures, as many in a line as there is room for; wide: at most two.
void open_figures(page *p, bool wide);
void close_figures(page *p);

// `caption` and the quieter `note` stand above the drawing.
void open_figure(page *p, const char *name, const char *caption, const char *note, int64_t points,
                 double height);
void close_figure(page *p);

// What shapes and colours mean.
typedef struct legend_item
{
    mark_shape shape;
    const char *kind; // classes of the style sheet
    text words;
} legend_item;

void print_legend(page *p, const legend_item *items, int count);

// A mark of the data, with words that appear where the pointer rests.
void print_data_mark(page *p, mark_shape shape, double x, double y, const char *kind,
                     const char *note);
void print_data_bar(page *p, double x, double y, double width, double height, const char *kind,
                    const char *note);

void print_chart_words(page *p, double x, double y, const char *kind, const char *anchor,
                       const char *what);

// Ticks along the bottom, with labels that keep clear of each other.
void print_bottom_ticks(page *p, const axis *a, double top, double bottom, const char *unit);

// The classes and the shape of the curve number so and so.
const char *series_kind(int series);
mark_shape series_shape(int series);

#endif
