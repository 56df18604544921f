// Draws the time of a step over its motion, and the speedup over threads, a panel for each motion.

#include "bench_track_report.h"

#include "chart.h"
#include "toi/io.h"

#include <math.h>
#include <string.h>

enum
{
    MARGIN = 28,
    TITLE_HEIGHT = 76,
    TICKS_WIDTH = 64,   // left of a panel
    LABELS_WIDTH = 110, // right of it
    PANEL_WIDTH = 380,
    PANEL_HEIGHT = 280,
    HEAD_HEIGHT = 34,
    FOOT_HEIGHT = 56,
    LABEL_HEIGHT = 15,
    ACROSS = 2, // panels beside each other
    MOST_CURVES = 16,
    MOST_POINTS = 16
};

typedef struct curve
{
    text name;
    toi_track_method method;
    int count;
    double x[MOST_POINTS];
    double y[MOST_POINTS];
    double label; // where its name stands
} curve;

typedef struct panel
{
    char title[128];
    const char *below;
    const char *unit;
    curve curves[MOST_CURVES];
    int count;
    axis across;
    axis up;
} panel;

// ---------------------------------------------------------------------------------------------
// What is drawn

static void add_point(panel *p, const track_row *row, double x, double y)
{
    text name = variant_text_of_track(&row->variant);
    int i = 0;
    while (i < p->count && strcmp(p->curves[i].name.at, name.at) != 0)
        ++i;
    if (i == MOST_CURVES)
        return;
    if (i == p->count)
        p->curves[p->count++] = (curve){.name = name, .method = row->variant.method};
    curve *c = &p->curves[i];
    if (c->count == MOST_POINTS || !(x > 0) || !(y > 0))
        return;
    int at = c->count++; // in ascending order
    for (; at > 0 && c->x[at - 1] > x; --at) {
        c->x[at] = c->x[at - 1];
        c->y[at] = c->y[at - 1];
    }
    c->x[at] = x;
    c->y[at] = y;
}

static bool is_scene(const track_row *row, const char *scene)
{
    return strcmp(row->scene, scene) == 0 && row->variant.orphans;
}

static void fill_motion(panel *p, const track_rows *rows, const track_row *motion)
{
    snprintf(p->title, sizeof p->title, "%s: time a step", motion->scene);
    p->below = "motion of a step, edges";
    p->unit = "s";
    for (int i = 0; i < rows->count; ++i) {
        const track_row *row = &rows->data[i];
        if (is_scene(row, motion->scene) && row->cut > 0)
            add_point(p, row, row->motion, row->mean_seconds);
    }
}

static void fill_speedup(panel *p, const track_rows *rows, const track_row *motion)
{
    snprintf(p->title, sizeof p->title, "%s: speedup", motion->scene);
    p->below = "threads";
    p->unit = "";
    for (int i = 0; i < rows->count; ++i) {
        const track_row *row = &rows->data[i];
        track_variant one = row->variant;
        one.threads = motion->variant.threads;
        const track_row *base = find_track_row(rows, motion, &one);
        if (is_scene(row, motion->scene) && row->cut == 0 && base &&
            row->variant.method != TOI_TRACK_SERIAL)
            add_point(p, row, row->variant.threads, base->mean_seconds / row->mean_seconds);
    }
}

// A panel says something where a curve has two points.
static bool fit_panel(panel *p, double left, double top)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    int points = 0;
    for (int i = 0; i < p->count; ++i)
        for (int k = 0; k < p->curves[i].count; ++k) {
            const double values[2] = {p->curves[i].x[k], p->curves[i].y[k]};
            points = k + 1 > points ? k + 1 : points;
            for (int j = 0; j < 2; ++j) {
                least[j] = fmin(least[j], values[j]);
                most[j] = fmax(most[j], values[j]);
            }
        }
    if (points < 2)
        return false;
    p->across = fit_axis(least[0], most[0], left, left + PANEL_WIDTH);
    p->up = fit_axis(least[1], most[1], top + PANEL_HEIGHT, top);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Drawing

static void print_frame(FILE *o, const panel *p)
{
    double left = p->across.from, right = p->across.to, bottom = p->up.from, top = p->up.to;
    double ticks[MOST_TICKS];
    int count = list_ticks(&p->across, ticks);
    for (int i = 0; i < count; ++i) {
        double x = axis_at(&p->across, ticks[i]);
        print_rule(o, x, top, x, bottom, "grid");
        print_words(o, x, bottom + 18, "tick", "middle", NULL, decimal("%g", ticks[i]).at);
    }
    count = list_ticks(&p->up, ticks);
    for (int i = 0; i < count; ++i) {
        double y = axis_at(&p->up, ticks[i]);
        print_rule(o, left, y, right, y, "grid");
        print_words(o, left - 8, y + 4, "tick", "end", NULL,
                    *p->unit ? unit_text(ticks[i], p->unit).at : decimal("%g", ticks[i]).at);
    }
    print_rule(o, left, bottom, right, bottom, "edge");
    print_rule(o, left, bottom, left, top, "edge");
    print_words(o, left, top - 12, "head", "start", NULL, p->title);
    print_words(o, right, bottom + 38, "note", "end", NULL, p->below);
}

static void print_curve(FILE *o, const panel *p, const curve *c)
{
    const char *colour = ink_colour((ink)((int)c->method % INK_COUNT));
    fprintf(o, "<path d='");
    for (int i = 0; i < c->count; ++i)
        fprintf(o, "%s%.1f %.1f", i ? "L" : "M", axis_at(&p->across, c->x[i]),
                axis_at(&p->up, c->y[i]));
    fprintf(o, "' fill='none' stroke='%s' stroke-width='2' stroke-linejoin='round'%s/>\n", colour,
            is_published(c->method) ? " stroke-dasharray='5 4'" : "");
    for (int i = 0; i < c->count; ++i)
        print_mark(o, is_published(c->method) ? MARK_RING : MARK_DOT, axis_at(&p->across, c->x[i]),
                   axis_at(&p->up, c->y[i]), colour);
}

// Names beside the last points, from the top down, pushed apart where they would overlap.
static void place_labels(const panel *p, curve *order[], int count)
{
    for (int i = 0; i < count; ++i)
        order[i]->label = axis_at(&p->up, order[i]->y[order[i]->count - 1]);
    for (int i = 1; i < count; ++i)
        for (int k = i; k > 0 && order[k]->label < order[k - 1]->label; --k) {
            curve *swapped = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swapped;
        }
    for (int round = 0; round < 200; ++round)
        for (int i = 1; i < count; ++i) {
            double missing = LABEL_HEIGHT - (order[i]->label - order[i - 1]->label);
            if (missing > 0) {
                order[i - 1]->label -= 0.5 * missing;
                order[i]->label += 0.5 * missing;
            }
        }
}

static void print_panel(FILE *o, panel *p)
{
    curve *order[MOST_CURVES];
    int count = 0;
    print_frame(o, p);
    for (int i = 0; i < p->count; ++i)
        if (p->curves[i].count > 0) {
            print_curve(o, p, &p->curves[i]);
            order[count++] = &p->curves[i];
        }
    place_labels(p, order, count);
    for (int i = 0; i < count; ++i)
        print_words(o, p->across.to + 10, order[i]->label + 4, "name", "start",
                    ink_colour((ink)((int)order[i]->method % INK_COUNT)), order[i]->name.at);
}

// ---------------------------------------------------------------------------------------------
// The page

static bool is_first_of_scene(const track_rows *rows, int index)
{
    for (int i = 0; i < index; ++i)
        if (strcmp(rows->data[i].scene, rows->data[index].scene) == 0)
            return false;
    return true;
}

typedef void fill_panel_fn(panel *p, const track_rows *rows, const track_row *motion);

// Prints all panels of a kind, or counts them where `o` is NULL.
static int print_panels(FILE *o, const track_rows *rows, fill_panel_fn *fill, int first)
{
    int place = first;
    for (int i = 0; i < rows->count; ++i) {
        panel p = {.count = 0};
        int column = place % ACROSS, line = place / ACROSS;
        double left =
            MARGIN + TICKS_WIDTH + (double)column * (TICKS_WIDTH + PANEL_WIDTH + LABELS_WIDTH);
        double top =
            TITLE_HEIGHT + HEAD_HEIGHT + (double)line * (HEAD_HEIGHT + PANEL_HEIGHT + FOOT_HEIGHT);
        if (!is_first_of_scene(rows, i))
            continue;
        fill(&p, rows, &rows->data[i]);
        if (!fit_panel(&p, left, top))
            continue;
        if (o)
            print_panel(o, &p);
        ++place;
    }
    return place;
}

toi_status draw_track_curves(const char *path, const track_rows *rows)
{
    int panels = print_panels(NULL, rows, fill_speedup, print_panels(NULL, rows, fill_motion, 0));
    int lines = (panels + ACROSS - 1) / ACROSS, columns = panels < ACROSS ? 1 : ACROSS;
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    FILE *o = output.file;
    open_chart(o, 2.0 * MARGIN + (double)columns * (TICKS_WIDTH + PANEL_WIDTH + LABELS_WIDTH),
               TITLE_HEIGHT + (double)lines * (HEAD_HEIGHT + PANEL_HEIGHT + FOOT_HEIGHT));
    print_words(o, MARGIN, 40, "title", "start", NULL, "Step after step: what remembering saves");
    print_words(o, MARGIN, 62, "note", "start", NULL,
                "dashed: published methods; the least is best of times, the most of speedups");
    print_panels(o, rows, fill_speedup, print_panels(o, rows, fill_motion, 0));
    close_chart(o);
    return toi_close_output(&output);
}
