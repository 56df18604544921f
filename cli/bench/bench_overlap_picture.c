// Time a face over the number of faces: where the cost grows with the number alone, curves are
// level.

#include "bench_overlap_report.h"

#include "chart.h"
#include "toi/io.h"

#include <math.h>
#include <stdio.h>

enum
{
    MARGIN = 28,
    TITLE_HEIGHT = 84,
    TICKS_WIDTH = 64,   // left of the panel
    LABELS_WIDTH = 190, // right of it
    PANEL_WIDTH = 480,
    PANEL_HEIGHT = 340,
    FOOT_HEIGHT = 62,
    LABEL_HEIGHT = 15
};

typedef struct panel
{
    axis faces;
    axis seconds;
} panel;

static panel fit_panel(const overlap_rows *rows)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (int i = 0; i < rows->count; ++i) {
        const double values[2] = {(double)rows->data[i].report.faces,
                                  overlap_seconds_per_face(&rows->data[i])};
        for (int k = 0; k < 2; ++k) {
            least[k] = fmin(least[k], values[k]);
            most[k] = fmax(most[k], values[k]);
        }
    }
    double left = MARGIN + TICKS_WIDTH, bottom = TITLE_HEIGHT + PANEL_HEIGHT;
    return (panel){.faces = fit_axis(least[0], most[0], left, left + PANEL_WIDTH),
                   .seconds = fit_axis(least[1], most[1], bottom, TITLE_HEIGHT)};
}

static void print_ticks(FILE *o, const panel *p)
{
    double ticks[MOST_TICKS];
    int count = list_ticks(&p->faces, ticks);
    for (int i = 0; i < count; ++i) {
        double x = axis_at(&p->faces, ticks[i]);
        print_rule(o, x, p->seconds.from, x, p->seconds.to, "grid");
        print_words(o, x, p->seconds.from + 16, "tick", "middle", NULL,
                    count_text((int64_t)ticks[i]).at);
    }
    count = list_ticks(&p->seconds, ticks);
    for (int i = 0; i < count; ++i) {
        double y = axis_at(&p->seconds, ticks[i]);
        print_rule(o, p->faces.from, y, p->faces.to, y, "grid");
        print_words(o, p->faces.from - 8, y + 4, "tick", "end", NULL, unit_text(ticks[i], "s").at);
    }
    print_rule(o, p->faces.from, p->seconds.from, p->faces.to, p->seconds.from, "edge");
}

static bool is_first_of_line(const overlap_rows *rows, int index)
{
    for (int i = 0; i < index; ++i)
        if (same_overlap_line(&rows->data[i], &rows->data[index]))
            return false;
    return true;
}

// The curve that begins with a row; returns where it ends.
static double print_curve(FILE *o, const panel *p, const overlap_rows *rows, int first, ink colour)
{
    double x = 0, y = 0;
    fprintf(o, "<path d='");
    for (int i = first; i < rows->count; ++i)
        if (same_overlap_line(&rows->data[i], &rows->data[first])) {
            x = axis_at(&p->faces, (double)rows->data[i].report.faces);
            y = axis_at(&p->seconds, overlap_seconds_per_face(&rows->data[i]));
            fprintf(o, "%s%.1f %.1f", i == first ? "M" : "L", x, y);
        }
    fprintf(o, "' fill='none' stroke='%s' stroke-width='2' stroke-linejoin='round'/>\n",
            ink_colour(colour));
    for (int i = first; i < rows->count; ++i)
        if (same_overlap_line(&rows->data[i], &rows->data[first]))
            print_mark(o, MARK_DOT, axis_at(&p->faces, (double)rows->data[i].report.faces),
                       axis_at(&p->seconds, overlap_seconds_per_face(&rows->data[i])),
                       ink_colour(colour));
    return y;
}

static void print_name(FILE *o, const panel *p, const overlap_row *row, double y, ink colour)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %s, %d thread%s", row->method,
             overlap_calls_name((int)row->calls), row->threads, row->threads == 1 ? "" : "s");
    print_words(o, p->faces.to + 10, y + 4, "name", "start", ink_colour(colour), name);
}

// Names keep a distance from those already there: up from the end of their curve, in steps.
static double place_name(double y, const double *taken, int count)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < count; ++i)
            if (fabs(taken[i] - y) < LABEL_HEIGHT) {
                y = taken[i] - LABEL_HEIGHT;
                moved = true;
            }
    }
    return y;
}

static void print_curves(FILE *o, const panel *p, const overlap_rows *rows)
{
    enum
    {
        MOST_LINES = 64
    };
    double taken[MOST_LINES];
    int lines = 0;
    for (int i = 0; i < rows->count && lines < MOST_LINES; ++i) {
        if (!is_first_of_line(rows, i))
            continue;
        ink colour = (ink)(lines % INK_COUNT);
        double y = place_name(print_curve(o, p, rows, i, colour), taken, lines);
        print_name(o, p, &rows->data[i], y, colour);
        taken[lines++] = y;
    }
}

toi_status draw_overlap_curves(const char *path, const overlap_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    FILE *o = output.file;
    panel p = fit_panel(rows);
    open_chart(o, 2 * MARGIN + TICKS_WIDTH + PANEL_WIDTH + LABELS_WIDTH,
               TITLE_HEIGHT + PANEL_HEIGHT + FOOT_HEIGHT);
    print_words(o, MARGIN, 40, "title", "start", NULL, "Intersecting faces: time a face");
    print_words(o, MARGIN, 64, "note", "start", NULL, "over the number of faces of the mesh");
    print_ticks(o, &p);
    print_curves(o, &p, rows);
    close_chart(o);
    return toi_close_output(&output);
}
