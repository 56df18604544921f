// Time and memory a box over the number of boxes, a curve for every method: where the cost grows
// with the number alone, curves are level.

#include "bench_broad_picture.h"

#include "chart.h"

#include <math.h>
#include <string.h>

enum
{
    MARGIN = 28,
    TITLE_HEIGHT = 84,
    TICKS_WIDTH = 64,   // left of a panel
    LABELS_WIDTH = 120, // right of it
    PANEL_WIDTH = 400,
    PANEL_HEIGHT = 340,
    FOOT_HEIGHT = 62,
    LABEL_HEIGHT = 15,
    MOST_CURVES = 64
};

// What a panel shows of a row.
typedef double curve_value(const broad_row *row);

static double seconds_per_box(const broad_row *row)
{
    return fmax(row->seconds, 1e-9) / (double)row->boxes;
}

static double bytes_per_box(const broad_row *row)
{
    return fmax((double)row->peak_bytes, 1) / (double)row->boxes;
}

typedef struct panel
{
    const broad_rows *rows;
    curve_value *value;
    const char *title;
    const char *unit;
    bool all_threads; // a curve for each number of threads, else for the smallest alone
    axis boxes;
    axis values;
} panel;

// A curve: rows of one method and one number of threads. Its label stands at its end.
typedef struct curve
{
    const broad_row *first;
    double x;
    double y;
    double label;
} curve;

static ink ink_of(const broad_rows *rows, const broad_row *row)
{
    int methods = 0;
    for (int i = 0; i < rows->count && !same_method(&rows->data[i], row); ++i)
        methods += is_new_method(rows, i);
    return (ink)(methods % INK_COUNT);
}

static bool is_on_curve(const broad_row *row, const broad_row *first)
{
    return same_method(row, first) && row->threads == first->threads;
}

// The next row of a curve by the number of boxes; NULL past the last.
static const broad_row *next_point(const broad_rows *rows, const broad_row *first, int64_t after)
{
    const broad_row *next = NULL;
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *row = &rows->data[i];
        if (is_on_curve(row, first) && row->boxes > after && (!next || row->boxes < next->boxes))
            next = row;
    }
    return next;
}

static int list_curves(const panel *p, curve curves[MOST_CURVES])
{
    int threads[MOST_THREAD_COUNTS], count = 0;
    list_threads(p->rows, threads);
    for (int i = 0; i < p->rows->count && count < MOST_CURVES; ++i) {
        const broad_row *row = &p->rows->data[i];
        bool known = !p->all_threads && row->threads != threads[0];
        for (int c = 0; c < count && !known; ++c)
            known = is_on_curve(row, curves[c].first);
        if (!known)
            curves[count++] = (curve){.first = row};
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Curves

static void print_curve(FILE *o, const panel *p, curve *c)
{
    const char *colour = ink_colour(ink_of(p->rows, c->first));
    int threads[MOST_THREAD_COUNTS];
    bool dashed =
        p->all_threads && list_threads(p->rows, threads) > 1 && c->first->threads == threads[0];
    fprintf(o, "<path d='");
    const broad_row *row = next_point(p->rows, c->first, 0);
    for (const char *step = "M"; row; row = next_point(p->rows, c->first, row->boxes), step = "L") {
        c->x = axis_at(&p->boxes, (double)row->boxes);
        c->y = axis_at(&p->values, p->value(row));
        fprintf(o, "%s%.1f %.1f", step, c->x, c->y);
    }
    fprintf(o, "' fill='none' stroke='%s' stroke-width='2' stroke-linejoin='round'%s/>\n", colour,
            dashed ? " stroke-dasharray='5 4'" : "");
    for (row = next_point(p->rows, c->first, 0); row;
         row = next_point(p->rows, c->first, row->boxes))
        print_mark(o, dashed ? MARK_RING : MARK_DOT, axis_at(&p->boxes, (double)row->boxes),
                   axis_at(&p->values, p->value(row)), colour);
}

// Labels beside the ends of their curves, from the top down, pushed apart where they would overlap.
static void place_labels(curve *curves, int count)
{
    for (int i = 1; i < count; ++i)
        for (int k = i; k > 0 && curves[k].y < curves[k - 1].y; --k) {
            curve swapped = curves[k];
            curves[k] = curves[k - 1];
            curves[k - 1] = swapped;
        }
    for (int i = 0; i < count; ++i)
        curves[i].label = curves[i].y;
    // Each round moves overlapping neighbours apart by half of what is missing.
    for (int round = 0; round < 200; ++round)
        for (int i = 1; i < count; ++i) {
            double missing = LABEL_HEIGHT - (curves[i].label - curves[i - 1].label);
            if (missing > 0) {
                curves[i - 1].label -= 0.5 * missing;
                curves[i].label += 0.5 * missing;
            }
        }
}

static void print_labels(FILE *o, const panel *p, const curve *curves, int count)
{
    for (int i = 0; i < count; ++i) {
        char what[80];
        const broad_row *row = curves[i].first;
        snprintf(what, sizeof what, "%s, %d thread%s", row->method, row->threads,
                 row->threads == 1 ? "" : "s");
        if (!p->all_threads)
            snprintf(what, sizeof what, "%s", row->method);
        const char *colour = ink_colour(ink_of(p->rows, row));
        double x = p->boxes.to + 6;
        if (fabs(curves[i].label - curves[i].y) > 3)
            fprintf(o, "<path d='M%.1f %.1fL%.1f %.1f' stroke='%s' stroke-opacity='.4'/>\n",
                    curves[i].x + 5, curves[i].y, x + 2, curves[i].label, colour);
        print_words(o, x + 4, curves[i].label + 4, "name", "start", colour, what);
    }
}

// ---------------------------------------------------------------------------------------------
// Panels

static void fit_axes(panel *p, double left, double top)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (int i = 0; i < p->rows->count; ++i) {
        const broad_row *row = &p->rows->data[i];
        const double values[2] = {(double)row->boxes, p->value(row)};
        for (int k = 0; k < 2; ++k) {
            least[k] = fmin(least[k], values[k]);
            most[k] = fmax(most[k], values[k]);
        }
    }
    p->boxes = fit_axis(least[0], most[0], left, left + PANEL_WIDTH);
    p->values = fit_axis(least[1], most[1], top + PANEL_HEIGHT, top);
}

static void print_frame(FILE *o, const panel *p)
{
    double left = p->boxes.from, right = p->boxes.to, bottom = p->values.from, top = p->values.to;
    double ticks[MOST_TICKS];
    int count = list_ticks(&p->boxes, ticks);
    for (int i = 0; i < count; ++i) {
        double x = axis_at(&p->boxes, ticks[i]);
        print_rule(o, x, top, x, bottom, "grid");
        print_words(o, x, bottom + 18, "tick", "middle", NULL, unit_text(ticks[i], "").at);
    }
    count = list_ticks(&p->values, ticks);
    for (int i = 0; i < count; ++i) {
        double y = axis_at(&p->values, ticks[i]);
        print_rule(o, left, y, right, y, "grid");
        print_words(o, left - 8, y + 4, "tick", "end", NULL, unit_text(ticks[i], p->unit).at);
    }
    print_rule(o, left, bottom, right, bottom, "edge");
    print_rule(o, left, bottom, left, top, "edge");
    print_words(o, left, top - 12, "head", "start", NULL, p->title);
    print_words(o, right, bottom + 38, "note", "end", NULL, "boxes");
}

static void print_panel(FILE *o, panel *p, double left, double top)
{
    curve curves[MOST_CURVES];
    int count = list_curves(p, curves);
    fit_axes(p, left, top);
    print_frame(o, p);
    for (int c = 0; c < count; ++c)
        print_curve(o, p, &curves[c]);
    place_labels(curves, count);
    print_labels(o, p, curves, count);
}

void print_curves(FILE *o, const broad_rows *rows)
{
    const double whole = TICKS_WIDTH + PANEL_WIDTH + LABELS_WIDTH;
    const broad_row *row = &rows->data[rows->count - 1];
    char note[160];
    panel time = {.rows = rows,
                  .value = seconds_per_box,
                  .title = "time a box",
                  .unit = "s",
                  .all_threads = true};
    panel memory = {.rows = rows,
                    .value = bytes_per_box,
                    .title = "most memory held a box, pairs included",
                    .unit = "B"};
    open_chart(o, 2 * MARGIN + 2 * whole, TITLE_HEIGHT + PANEL_HEIGHT + FOOT_HEIGHT + 24);
    print_words(o, MARGIN, 40, "title", "start", NULL, "Broad phases: cost by the number of boxes");
    snprintf(note, sizeof note,
             "uniform random boxes, each overlapping about %.0f others, whatever their number",
             2 * (double)row->pairs / (double)row->boxes);
    print_words(o, MARGIN, 62, "note", "start", NULL, note);
    print_panel(o, &time, MARGIN + TICKS_WIDTH, TITLE_HEIGHT + 24);
    print_panel(o, &memory, MARGIN + TICKS_WIDTH + whole, TITLE_HEIGHT + 24);
    close_chart(o);
}
