// Draws the marks of impacts, and the callout of the earliest where there is room for it.

#include "picture_impacts.h"

#include "picture_colour.h"
#include "picture_mesh.h"
#include "picture_paint.h"
#include "picture_view.h"

enum
{
    CALLOUT_WIDTH = 232,
    CALLOUT_HEIGHT = 64,
};

#define DARK_RED "#a4123f"

const char LONG_ARROW_STYLE[] =
    "stroke='" DARK_RED "' style='stroke-width:2.2' marker-end='url(#tip)'";
const char GAP_STYLE[] = "stroke='" DARK_RED "' stroke-dasharray='5 4' style='stroke-width:1.8'";
const char SHORT_ARROW_STYLE[] = "stroke='#5b2a6e' style='stroke-width:1.2'";

static bool in_sight(const drawing *d, const picture_impact *impact)
{
    return is_impact_visible(d, &d->front, &d->view, impact);
}

// Chooses the impacts to mark beside the earliest: of those in one little square of the canvas the
// earliest in sight, else the earliest. Needs one number a square; the faces in the buffer have
// served.
static void choose_marks(drawing *d)
{
    int32_t *cells = d->front.face;
    for (int i = 0; i < MARK_COLUMNS * MARK_ROWS; ++i)
        cells[i] = -1;
    for (int64_t i = 0; i < d->p->impact_count; ++i) {
        const picture_impact *impact = &d->p->impacts[i];
        if (i == d->earliest)
            continue;
        spot s = project_point(&d->view, place_impact(d, impact));
        int cell = clamp_int(s.y / MARK_CELL, 0, MARK_ROWS - 1) * MARK_COLUMNS +
                   clamp_int(s.x / MARK_CELL, 0, MARK_COLUMNS - 1);
        // Hidden ones are ranked as if a whole step later.
        stroke mark = {impact->time + (in_sight(d, impact) ? 0.0 : 1.0), i, STROKE_POINT};
        if (cells[cell] < 0) {
            cells[cell] = (int32_t)d->mark_count;
            d->marks[d->mark_count++] = mark;
        } else if (mark.depth < d->marks[cells[cell]].depth) {
            d->marks[cells[cell]] = mark;
        }
    }
    sort_strokes(d->marks, d->mark_count); // earliest on top
}

static bool print_arrow(FILE *o, const drawing *d, const picture_impact *impact, double length,
                        const char *style)
{
    vec normal = {impact->normal[0], impact->normal[1], impact->normal[2]};
    if (dot(normal, normal) == 0.0)
        return false;
    vec at = place_impact(d, impact);
    spot p = project_point(&d->view, at);
    spot q = project_point(&d->view, plus(at, length * d->radius, unit(normal)));
    fprintf(o, "<path d='M%.1f %.1fL%.1f %.1f' %s/>\n", p.x, p.y, q.x, q.y, style);
    return true;
}

static void print_mark(FILE *o, drawing *d, const picture_impact *impact)
{
    spot s = project_point(&d->view, place_impact(d, impact));
    double size = fmax(0.5, fmin(1.0, sqrt(1200.0 / (double)d->mark_count))); // many are small
    if (in_sight(d, impact)) {
        fprintf(o, "<circle class='s' cx='%.1f' cy='%.1f' r='%.1f' fill='", s.x, s.y, 3.6 * size);
        print_time_colour(o, impact->time);
        fprintf(o, "'/>\n");
        ++d->open_count;
    } else {
        fprintf(o, "<circle class='h' cx='%.1f' cy='%.1f' r='%.1f'/>\n", s.x, s.y, 2.6 * size);
        ++d->hidden_count;
    }
}

// How much of the mesh a callout there would hide; infinite if it hid the impact itself.
static double rate_callout(const depth_buffer *b, double x, double y, spot at)
{
    if (at.x > x - 30.0 && at.x < x + CALLOUT_WIDTH + 30.0 && at.y > y - 30.0 &&
        at.y < y + CALLOUT_HEIGHT + 30.0)
        return INFINITY;
    double covered = 0.0;
    for (int row = 0; row < 20; ++row)
        for (int column = 0; column < 20; ++column)
            covered += depth_at(b, x + CALLOUT_WIDTH * (column + 0.5) / 20.0,
                                y + CALLOUT_HEIGHT * (row + 0.5) / 20.0) < INFINITY;
    return covered;
}

static spot place_callout(const depth_buffer *b, spot at)
{
    static const double OFFSETS[8][2] = {{110.0, -120.0}, {-110.0, -120.0}, {110.0, 120.0},
                                         {-110.0, 120.0}, {220.0, -40.0},   {-220.0, -40.0},
                                         {330.0, -160.0}, {-330.0, -160.0}};
    spot best = {20.0, PAGE_TOP, INFINITY};
    for (int i = 0; i < 8; ++i) {
        double x = at.x + OFFSETS[i][0] - (OFFSETS[i][0] < 0.0 ? CALLOUT_WIDTH : 0.0);
        double y = at.y + OFFSETS[i][1] - 0.5 * CALLOUT_HEIGHT;
        x = fmin(fmax(x, 20.0), PAGE_WIDTH - 20.0 - CALLOUT_WIDTH);
        y = fmin(fmax(y, PAGE_TOP - 10.0), PAGE_HEIGHT - PAGE_BOTTOM - 4.0 - CALLOUT_HEIGHT);
        double rating = rate_callout(b, x, y, at) + 2.0 * i;
        if (rating < best.depth)
            best = (spot){x, y, rating};
    }
    return best;
}

// Lines and circles with a white rim, so that they show on any ground.
static void print_leader(FILE *o, spot from, spot box)
{
    double x = fmin(fmax(from.x, box.x), box.x + CALLOUT_WIDTH);
    double y = fmin(fmax(from.y, box.y), box.y + CALLOUT_HEIGHT);
    double way = sqrt((x - from.x) * (x - from.x) + (y - from.y) * (y - from.y)) + 1e-9;
    double start_x = from.x + (x - from.x) * 11.0 / way;
    double start_y = from.y + (y - from.y) * 11.0 / way;
    fprintf(o,
            "<path d='M%.1f %.1fL%.1f %.1f' stroke='#fff' style='stroke-width:4'/>"
            "<path d='M%.1f %.1fL%.1f %.1f' stroke='" DARK_RED "' style='stroke-width:1.4'/>\n",
            start_x, start_y, x, y, start_x, start_y, x, y);
}

void print_ring(FILE *o, double x, double y)
{
    fprintf(o,
            "<circle cx='%.1f' cy='%.1f' r='10' stroke='#fff' stroke-width='5'/>"
            "<circle cx='%.1f' cy='%.1f' r='10' stroke='" DARK_RED "' stroke-width='2.4'/>"
            "<circle cx='%.1f' cy='%.1f' r='3.4' fill='" DARK_RED "' stroke='#fff'/>\n",
            x, y, x, y, x, y);
}

// From the mark to what it comes near, where that is outside of the ring.
static bool print_gap(FILE *o, const drawing *d, const picture_impact *impact)
{
    spot p = project_point(&d->view, place_impact(d, impact));
    spot q = project_point(&d->view, place_moving(d, impact->other_start, impact->other_end));
    if (!impact->apart || (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) < 144.0)
        return false;
    fprintf(o,
            "<path d='M%.1f %.1fL%.1f %.1f' stroke='#fff' style='stroke-width:4'/>"
            "<path d='M%.1f %.1fL%.1f %.1f' %s/>"
            "<circle cx='%.1f' cy='%.1f' r='3.4' fill='" DARK_RED "' stroke='#fff'/>\n",
            p.x, p.y, q.x, q.y, p.x, p.y, q.x, q.y, GAP_STYLE, q.x, q.y);
    return true;
}

static void print_earliest(FILE *o, drawing *d)
{
    const picture_impact *impact = &d->p->impacts[d->earliest];
    spot s = project_point(&d->view, place_impact(d, impact));
    spot box = place_callout(&d->front, s);
    fprintf(o, "<g fill='none' stroke-linecap='round'>\n");
    print_arrow(o, d, impact, 0.15, "stroke='#fff' style='stroke-width:5'");
    d->long_arrow = print_arrow(o, d, impact, 0.15, LONG_ARROW_STYLE);
    d->gap = print_gap(o, d, impact);
    print_leader(o, s, box);
    print_ring(o, s.x, s.y);
    fprintf(o, "</g>\n");
    fprintf(o,
            "<rect x='%.1f' y='%.1f' width='%d' height='%d' rx='8' fill='#fff' "
            "fill-opacity='.94' stroke='" DARK_RED "' stroke-width='1.4'/>\n",
            box.x, box.y, CALLOUT_WIDTH, CALLOUT_HEIGHT);
    fprintf(o,
            "<text x='%.1f' y='%.1f' font-size='15'>earliest impact</text>"
            "<text x='%.1f' y='%.1f' font-size='21' font-weight='bold' style='fill:" DARK_RED "'>"
            "t = %.6g</text>\n",
            box.x + 16.0, box.y + 24.0, box.x + 16.0, box.y + 49.0, impact->time);
}

void print_impacts(FILE *o, drawing *d)
{
    static const int64_t FEW = 60; // arrows of more would hide the mesh
    choose_marks(d);
    fprintf(o, "<g>\n");
    for (int64_t i = 0; i < d->mark_count && d->mark_count <= FEW; ++i) {
        const picture_impact *impact = &d->p->impacts[d->marks[i].index];
        if (in_sight(d, impact) && print_arrow(o, d, impact, 0.05, SHORT_ARROW_STYLE))
            d->short_arrows = true;
    }
    for (int64_t i = 0; i < d->mark_count; ++i)
        print_mark(o, d, &d->p->impacts[d->marks[i].index]);
    fprintf(o, "</g>\n");
    if (d->earliest >= 0)
        print_earliest(o, d);
}
