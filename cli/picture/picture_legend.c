// Draws the legend, with the marks that the picture has.

#include "picture_legend.h"

#include "picture_colour.h"
#include "picture_impacts.h"
#include "picture_lines.h"
#include "picture_paint.h"
#include "text.h"

#include <string.h>

enum
{
    LINE = 24,  // from one line to the next
    AFTER = 22, // between a word and the next mark
    BEFORE = 8, // between a mark and its word
};

// Of the letters of usual fonts, as a share of their height.
static const double LETTER_WIDTH = 0.52;

// Where the next mark goes.
typedef struct pen
{
    FILE *o;
    double x;
    double y; // the middle of a line
} pen;

static void print_words(pen *p, const char *words)
{
    fprintf(p->o, "<text x='%.0f' y='%.0f'>%s</text>\n", p->x, p->y + 5.0, words);
    p->x += 14.0 * LETTER_WIDTH * (double)strlen(words) + AFTER;
}

// What is drawn `width` wide from p->x on has that meaning.
static void print_meaning(pen *p, double width, const char *words)
{
    p->x += width + BEFORE;
    print_words(p, words);
}

// ---------------------------------------------------------------------------------------------
// Impacts

static void print_times(pen *p)
{
    print_words(p, "time of impact 0");
    p->x -= AFTER - BEFORE;
    fprintf(p->o, "<rect x='%.0f' y='%.0f' width='120' height='10' rx='5' fill='url(#time)'/>\n",
            p->x, p->y - 5.0);
    print_meaning(p, 120.0, "1");
}

static void print_impact_marks(pen *p, const drawing *d)
{
    fprintf(p->o, "<g fill='none'>");
    print_ring(p->o, p->x + 10.0, p->y);
    fprintf(p->o, "</g>\n");
    print_meaning(p, 20.0, "earliest impact");
    if (d->long_arrow) {
        fprintf(p->o, "<path d='M%.0f %.0fh22' %s/>\n", p->x, p->y, LONG_ARROW_STYLE);
        print_meaning(p, 26.0, "its normal");
    }
    if (d->open_count > 0)
        print_times(p);
    if (d->open_count > 0) {
        fprintf(p->o, "<circle class='s' cx='%.0f' cy='%.0f' r='3.6' fill='", p->x + 4.0, p->y);
        print_time_colour(p->o, 0.4);
        fprintf(p->o, "'/>\n");
        print_meaning(p, 8.0, "other impact, in sight");
    }
    if (d->hidden_count > 0) {
        fprintf(p->o, "<circle class='h' cx='%.0f' cy='%.0f' r='3'/>\n", p->x + 4.0, p->y);
        print_meaning(p, 8.0, "other, behind a surface");
    }
    if (d->short_arrows) {
        fprintf(p->o, "<path d='M%.0f %.0fh18' %s/>\n", p->x, p->y, SHORT_ARROW_STYLE);
        print_meaning(p, 18.0, "normal");
    }
}

// ---------------------------------------------------------------------------------------------
// The mesh

static int32_t count_bodies(const picture *p)
{
    int32_t most = 0;
    for (int64_t i = 0; i < p->face_count && p->groups; ++i) {
        int32_t body = p->groups[p->faces[i][0]];
        most = body > most ? body : most;
    }
    return most + 1;
}

static void print_swatch(pen *p, int body)
{
    fprintf(p->o, "<rect class='%c%d' x='%.0f' y='%.0f' width='14' height='14' rx='3'/>\n",
            'a' + body, CLEAR_SHADE, p->x, p->y - 7.0);
    p->x += 18.0;
}

static void print_line_kinds(pen *p, const drawing *d)
{
    bool shown[MOST_KINDS];
    find_line_kinds(d, shown);
    for (int i = 0; i < d->p->line_kind_count; ++i) {
        if (!shown[i])
            continue;
        fprintf(p->o, "<path class='k%d' d='M%.0f %.0fh22'/>\n", i, p->x, p->y);
        print_meaning(p, 22.0, d->p->line_kinds[i].name);
    }
}

static void print_face_kinds(pen *p, const drawing *d)
{
    bool shown[MOST_KINDS];
    find_shown_colours(d, shown);
    for (int i = 0; i < d->p->kind_count; ++i)
        if (shown[i]) {
            print_swatch(p, i);
            print_meaning(p, -4.0, d->p->kinds[i].name);
        }
}

static void print_surfaces(pen *p, const drawing *d)
{
    bool shown[MOST_KINDS];
    int moving = 0;
    if (d->gap) {
        fprintf(p->o, "<path d='M%.0f %.0fh22' %s/>\n", p->x, p->y, GAP_STYLE);
        print_meaning(p, 22.0, "gap at the earliest impact");
    }
    find_shown_colours(d, shown);
    for (int body = 0; body < BODY_COLOURS; ++body)
        if (shown[body]) {
            print_swatch(p, body);
            ++moving;
        }
    if (moving > 0)
        print_meaning(p, -4.0,
                      count_bodies(d->p) > BODY_COLOURS ? "moving bodies; colours repeat"
                      : count_bodies(d->p) > 1          ? "moving bodies, a colour each"
                                                        : "moving");
    if (shown[BODY_COLOURS]) {
        print_swatch(p, BODY_COLOURS);
        print_meaning(p, -4.0, "at rest");
    }
}

static void print_loose(pen *p, const drawing *d)
{
    if (d->loose_edges) {
        fprintf(p->o, "<path class='l' d='M%.0f %.0fh18'/>\n", p->x, p->y);
        print_meaning(p, 18.0, "edge of no face");
    }
    if (d->loose_points) {
        fprintf(p->o, "<circle class='l' cx='%.0f' cy='%.0f' r='.8'/>\n", p->x + 2.0, p->y);
        print_meaning(p, 4.0, "loose vertex");
    }
}

static void print_notes(FILE *o, double y, const drawing *d)
{
    char notes[320] = "";
    int64_t shown = d->mark_count + 1;
    int used = 0;
    if (d->p->end)
        used = snprintf(notes, sizeof notes, "The mesh%s is drawn at t = %.6g.",
                        d->side ? ", simplified," : "", d->time);
    else if (d->side)
        used = snprintf(notes, sizeof notes, "The mesh is simplified.");
    if (d->hidden_lines)
        used += snprintf(notes + used, sizeof notes - (size_t)used,
                         "%sLines behind a surface are pale.", used > 0 ? " " : "");
    if (d->some_lines)
        used += snprintf(notes + used, sizeof notes - (size_t)used,
                         "%sOf many lines some are drawn.", used > 0 ? " " : "");
    if (used == 0)
        return;
    if (d->mark_count > 0)
        used += snprintf(notes + used, sizeof notes - (size_t)used,
                         " A mark sits on the spot of the mesh that is hit, whatever the time.");
    if (d->earliest >= 0 && shown < d->p->impact_count)
        used += snprintf(notes + used, sizeof notes - (size_t)used,
                         " %s marks for %s impacts: close ones share one.", count_text(shown).at,
                         count_text(d->p->impact_count).at);
    double room = (PAGE_WIDTH - 2.0 * PAGE_MARGIN) / (LETTER_WIDTH * used);
    fprintf(o, "<text x='%d' y='%.0f' font-size='%.1f' style='fill:#667080'>%s</text>\n",
            PAGE_MARGIN, y, fmin(13.0, room), notes);
}

void explain_marks(FILE *o, const drawing *d)
{
    double y = PAGE_HEIGHT - PAGE_BOTTOM + 34.0;
    fprintf(o, "<g id='legend' font-size='14'>\n<path d='M%d %.0fH%d' stroke='#c6ccd4'/>\n",
            PAGE_MARGIN, y - 20.0, PAGE_WIDTH - PAGE_MARGIN);
    pen p = {o, PAGE_MARGIN, y};
    if (d->earliest >= 0)
        print_impact_marks(&p, d);
    else if (d->p->face_kinds)
        print_line_kinds(&p, d);
    else
        print_words(&p, "no impact");
    p = (pen){o, PAGE_MARGIN, d->p->face_kinds && d->p->line_count == 0 ? y : y + LINE};
    if (d->p->face_kinds)
        print_face_kinds(&p, d);
    else
        print_surfaces(&p, d);
    print_loose(&p, d);
    print_notes(o, y + 2.0 * LINE + 3.0, d);
    fprintf(o, "</g>\n");
}
