// One panel a scene, one line a method: times as dots on a logarithmic axis, memory on another.

#include "bench_broad_picture.h"

#include "chart.h"

#include <math.h>
#include <string.h>

enum
{
    MOST_ACROSS = 3, // panels side by side
    MARGIN = 28,
    NAMES_WIDTH = 128, // the methods, left of the first panel
    TIME_WIDTH = 230,
    MEMORY_WIDTH = 110,
    PART_GAP = 26, // between time and memory
    PANEL_GAP = 34,
    LINE_HEIGHT = 18,
    TITLE_HEIGHT = 108, // of the page: title and legend
    HEAD_HEIGHT = 46,   // of a panel
    FOOT_HEIGHT = 46,   // of a panel: ticks, and room to the next
    PANEL_WIDTH = TIME_WIDTH + PART_GAP + MEMORY_WIDTH,
    LEAST_WIDTH = 960 // of the page, for the legend
};

static const double LETTER_WIDTH = 6.6; // about, of the legend

// ---------------------------------------------------------------------------------------------
// Families of methods, which share a colour

typedef enum family
{
    FAMILY_AUTO,
    FAMILY_BRUTE,
    FAMILY_SWEEP,
    FAMILY_GRID,
    FAMILY_TREE,
    FAMILY_OTHER, // not of this library
    FAMILY_COUNT
} family;

static const struct
{
    const char *name;
    ink ink;
} families[FAMILY_COUNT] = {
    [FAMILY_OTHER] = {"other libraries", INK_PURPLE},
    [FAMILY_AUTO] = {"auto", INK_BLACK},
    [FAMILY_BRUTE] = {"brute force", INK_GREY},
    [FAMILY_SWEEP] = {"sweeps", INK_BLUE},
    [FAMILY_GRID] = {"grids", INK_ORANGE},
    [FAMILY_TREE] = {"trees", INK_GREEN},
};

static family family_of(const broad_row *row)
{
    static const family of[TOI_BROAD_COUNT + 1] = {
        [TOI_BROAD_AUTO] = FAMILY_AUTO,   [TOI_BROAD_BRUTE] = FAMILY_BRUTE,
        [TOI_BROAD_SWEEP] = FAMILY_SWEEP, [TOI_BROAD_SWEEP_INCREMENTAL] = FAMILY_SWEEP,
        [TOI_BROAD_STQ] = FAMILY_SWEEP,   [TOI_BROAD_TRACY] = FAMILY_SWEEP,
        [TOI_BROAD_GRID] = FAMILY_GRID,   [TOI_BROAD_GRID_SWEEP] = FAMILY_GRID,
        [TOI_BROAD_HASH] = FAMILY_GRID,   [TOI_BROAD_BVH] = FAMILY_TREE,
        [TOI_BROAD_LBVH] = FAMILY_TREE,   [TOI_BROAD_KDTREE] = FAMILY_TREE,
        [TOI_BROAD_KDET] = FAMILY_GRID,   [TOI_BROAD_INTERVAL_TREE] = FAMILY_TREE,
        [TOI_BROAD_COUNT] = FAMILY_OTHER};
    return of[method_of(row)];
}

static const char *colour_of(const broad_row *row)
{
    return ink_colour(families[family_of(row)].ink);
}

// ---------------------------------------------------------------------------------------------
// What is drawn

typedef struct panel
{
    const broad_rows *rows;
    const broad_row *scene;
    double left;
    double top; // of the first line
    double bottom;
    axis time;
    axis memory;
} panel;

static text plain_name(const broad_row *row)
{
    text name = words(row->method);
    if (is_kept(row))
        name.at[strlen(name.at) - strlen(KEPT_ENDING)] = '\0';
    return name;
}

static bool same_plain_name(const broad_row *a, const broad_row *b)
{
    return strcmp(plain_name(a).at, plain_name(b).at) == 0;
}

// Lines are the methods of all scenes; one that kept memory shares the line of the method.
static bool is_new_name(const broad_rows *rows, int index)
{
    for (int i = 0; i < index; ++i)
        if (same_plain_name(&rows->data[i], &rows->data[index]))
            return false;
    return true;
}

// Families stand together, in their order.
static int line_of(const broad_rows *rows, const broad_row *row)
{
    int line = 0;
    bool before = true; // rows that come before the first of this name
    for (int i = 0; i < rows->count; ++i) {
        const broad_row *other = &rows->data[i];
        before = before && !same_plain_name(other, row);
        family theirs = family_of(other), own = family_of(row);
        line += is_new_name(rows, i) && (theirs < own || (theirs == own && before));
    }
    return line;
}

static int count_lines(const broad_rows *rows)
{
    int count = 0;
    for (int i = 0; i < rows->count; ++i)
        count += is_new_name(rows, i);
    return count;
}

static int count_panels(const broad_rows *rows)
{
    int count = 0;
    for (int i = 0; i < rows->count; ++i)
        count += is_new_scene(rows, i);
    return count;
}

static double line_y(const panel *p, const broad_row *row)
{
    return p->top + LINE_HEIGHT * (line_of(p->rows, row) + 0.5);
}

// Axes that suit the scene alone: between scenes times differ more than between methods.
static void fit_axes(panel *p)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (int i = 0; i < p->rows->count; ++i) {
        const broad_row *row = &p->rows->data[i];
        if (!same_scene(row, p->scene))
            continue;
        const double values[2] = {fmax(row->seconds, 1e-9), fmax((double)row->peak_bytes, 1)};
        for (int k = 0; k < 2; ++k) {
            least[k] = fmin(least[k], values[k]);
            most[k] = fmax(most[k], values[k]);
        }
    }
    p->time = fit_axis(least[0], most[0], p->left, p->left + TIME_WIDTH);
    p->memory = fit_axis(least[1], most[1], p->left + TIME_WIDTH + PART_GAP, p->left + PANEL_WIDTH);
}

// ---------------------------------------------------------------------------------------------
// A panel

// Labels keep a distance from each other and from both ends.
static void print_ticks(FILE *o, const panel *p, const axis *a, const char *unit)
{
    double ticks[MOST_TICKS], last = -INFINITY;
    int count = list_ticks(a, ticks);
    for (int i = 0; i < count; ++i) {
        double x = axis_at(a, ticks[i]);
        print_rule(o, x, p->top, x, p->bottom, "grid");
        if (x - last < 52 || x > a->to - 12)
            continue;
        print_words(o, x, p->bottom + 15, "tick", "middle", NULL, unit_text(ticks[i], unit).at);
        last = x;
    }
    print_rule(o, a->from, p->bottom, a->to, p->bottom, "edge");
}

static void print_lines(FILE *o, const panel *p, bool names)
{
    for (int i = 0; i < p->rows->count; ++i) {
        const broad_row *row = &p->rows->data[i];
        if (!is_new_name(p->rows, i))
            continue;
        double y = line_y(p, row);
        print_rule(o, p->time.from, y, p->time.to, y, "row");
        print_rule(o, p->memory.from, y, p->memory.to, y, "row");
        if (names)
            print_words(o, p->left - 10, y + 4, "name", "end", colour_of(row), plain_name(row).at);
    }
}

// The fastest and the slowest time of a method.
static void find_span(const panel *p, const broad_row *line, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (int i = 0; i < p->rows->count; ++i) {
        const broad_row *row = &p->rows->data[i];
        if (same_scene(row, p->scene) && same_method(row, line)) {
            *least = fmin(*least, row->seconds);
            *most = fmax(*most, row->seconds);
        }
    }
}

// A line from the slowest to the fastest time of a method without kept memory.
static void print_span(FILE *o, const panel *p, const broad_row *line)
{
    double least, most;
    find_span(p, line, &least, &most);
    double y = line_y(p, line);
    fprintf(o, "<path d='M%.1f %.1fH%.1f' stroke='%s' stroke-width='2' stroke-opacity='.35'/>\n",
            axis_at(&p->time, fmax(least, 1e-9)), y, axis_at(&p->time, fmax(most, 1e-9)),
            colour_of(line));
}

// A method that kept its memory is drawn with the most threads only.
static void print_row_marks(FILE *o, const panel *p, const broad_row *row,
                            const int threads[MOST_THREAD_COUNTS], int thread_count)
{
    int most = threads[thread_count - 1];
    double y = line_y(p, row), x = axis_at(&p->time, fmax(row->seconds, 1e-9));
    const char *colour = colour_of(row);
    if (is_kept(row)) {
        if (row->threads == most)
            print_mark(o, MARK_DIAMOND, x, y, colour);
        return;
    }
    bool first = row->threads == threads[0] && thread_count > 1;
    print_mark(o, first ? MARK_RING : MARK_DOT, x, y, colour);
    bool lightest = true; // has the method no row with fewer threads?
    for (int t = 0; t < thread_count && threads[t] < row->threads; ++t)
        lightest = lightest && !find_row(p->rows, row, row, threads[t]);
    if (lightest)
        print_mark(o, MARK_SQUARE, axis_at(&p->memory, fmax((double)row->peak_bytes, 1)), y,
                   colour);
}

// The time of the fastest, beside its marks.
static void print_best(FILE *o, const panel *p)
{
    const broad_row *best = NULL;
    for (int i = 0; i < p->rows->count; ++i) {
        const broad_row *row = &p->rows->data[i];
        if (same_scene(row, p->scene) && !is_kept(row) && (!best || row->seconds < best->seconds))
            best = row;
    }
    if (!best)
        return; // rows of a file may all be of methods that kept their memory
    double least, most;
    find_span(p, best, &least, &most);
    double x = axis_at(&p->time, fmax(least, 1e-9));
    bool left = x - p->left > 50;
    print_words(o, left ? x - 9 : axis_at(&p->time, fmax(most, 1e-9)) + 9, line_y(p, best) + 4,
                "best", left ? "end" : "start", colour_of(best), unit_text(best->seconds, "s").at);
}

static void print_head(FILE *o, const panel *p)
{
    char note[128];
    snprintf(note, sizeof note, "%s boxes, %s pairs", count_text(p->scene->boxes).at,
             count_text(p->scene->pairs).at);
    print_words(o, p->left, p->top - 26, "head", "start", NULL, p->scene->scene);
    print_words(o, p->left, p->top - 9, "note", "start", NULL, note);
    print_words(o, p->memory.from, p->top - 9, "note", "start", NULL, "memory");
}

static void print_panel(FILE *o, const panel *p, bool names)
{
    int threads[MOST_THREAD_COUNTS];
    int thread_count = list_threads(p->rows, threads);
    print_head(o, p);
    print_lines(o, p, names);
    print_ticks(o, p, &p->time, "s");
    print_ticks(o, p, &p->memory, "B");
    for (int i = 0; i < p->rows->count; ++i)
        if (same_scene(&p->rows->data[i], p->scene) && is_new_line(p->rows, i) &&
            !is_kept(&p->rows->data[i]))
            print_span(o, p, &p->rows->data[i]);
    for (int i = 0; i < p->rows->count; ++i)
        if (same_scene(&p->rows->data[i], p->scene))
            print_row_marks(o, p, &p->rows->data[i], threads, thread_count);
    print_best(o, p);
}

// ---------------------------------------------------------------------------------------------
// The page

static double print_key(FILE *o, double x, mark_shape shape, const char *what)
{
    print_mark(o, shape, x + 5, 64, ink_colour(INK_GREY));
    print_words(o, x + 16, 68, "note", "start", NULL, what);
    return x + 34 + LETTER_WIDTH * (double)strlen(what);
}

static void print_legend(FILE *o, const broad_rows *rows)
{
    int threads[MOST_THREAD_COUNTS];
    int count = list_threads(rows, threads);
    char what[64];
    bool kept = false, shown[FAMILY_COUNT] = {0};
    for (int i = 0; i < rows->count; ++i) {
        kept = kept || is_kept(&rows->data[i]);
        shown[family_of(&rows->data[i])] = true;
    }
    double x = MARGIN;
    if (count > 1) {
        snprintf(what, sizeof what, "time, %d thread%s", threads[0], threads[0] == 1 ? "" : "s");
        x = print_key(o, x, MARK_RING, what);
    }
    snprintf(what, sizeof what, "time, %d thread%s", threads[count - 1],
             threads[count - 1] == 1 ? "" : "s");
    x = print_key(o, x, MARK_DOT, what);
    if (kept)
        x = print_key(o, x, MARK_DIAMOND, "time with memory kept from call to call");
    print_key(o, x, MARK_SQUARE, "most memory held, pairs included");
    x = MARGIN;
    for (int f = 0; f < FAMILY_COUNT; ++f)
        if (shown[f]) {
            print_words(o, x, 90, "name", "start", ink_colour(families[f].ink), families[f].name);
            x += 20 + LETTER_WIDTH * (double)strlen(families[f].name);
        }
}

static void print_panel_at(FILE *o, const broad_rows *rows, const broad_row *scene, int column,
                           int line)
{
    double height = LINE_HEIGHT * count_lines(rows);
    panel p = {.rows = rows, .scene = scene};
    p.left = MARGIN + NAMES_WIDTH + column * (PANEL_WIDTH + PANEL_GAP);
    p.top = TITLE_HEIGHT + (HEAD_HEIGHT + height + FOOT_HEIGHT) * line + HEAD_HEIGHT;
    p.bottom = p.top + height;
    fit_axes(&p);
    print_panel(o, &p, column == 0);
}

static void print_comparison(FILE *o, const broad_rows *rows)
{
    int panels = count_panels(rows), down = (panels + MOST_ACROSS - 1) / MOST_ACROSS;
    int across = panels < MOST_ACROSS ? panels : MOST_ACROSS;
    double width = 2 * MARGIN + NAMES_WIDTH + across * (PANEL_WIDTH + PANEL_GAP) - PANEL_GAP;
    double height = HEAD_HEIGHT + LINE_HEIGHT * count_lines(rows) + FOOT_HEIGHT;
    open_chart(o, fmax(width, LEAST_WIDTH), TITLE_HEIGHT + height * down);
    print_words(o, MARGIN, 40, "title", "start", NULL, "Broad phases: time and memory");
    print_legend(o, rows);
    for (int i = 0, number = 0; i < rows->count; ++i)
        if (is_new_scene(rows, i)) {
            print_panel_at(o, rows, &rows->data[i], number % MOST_ACROSS, number / MOST_ACROSS);
            ++number;
        }
    close_chart(o);
}

toi_status draw_broad(const char *path, const broad_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    if (is_scaling(rows))
        print_curves(output.file, rows);
    else
        print_comparison(output.file, rows);
    return toi_close_output(&output);
}
