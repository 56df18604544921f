// Cuts lines into pieces that can be seen or not, and prints them as SVG.

#include "picture_lines.h"

#include "picture_colour.h"
#include "picture_mesh.h"

#include <string.h>

// How far behind a surface, as a share of the mesh's radius, a line still counts as in sight.
static const double LINE_SLACK = 0.012;

static const double STEP = 5.0; // pixels between two looks at what stands in front

typedef struct walk
{
    drawing *d;
    bool open; // the pieces that are asked for
    line_piece_fn *piece;
    void *context;
} walk;

static void visit_line(const walk *w, const picture_line *line)
{
    const drawing *d = w->d;
    vec a = place_point(d, line->from), b = place_point(d, line->to);
    spot p = project_point(&d->view, a), q = project_point(&d->view, b);
    double length = sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y));
    int steps = clamp_int(ceil(length / STEP), 1, 1000);
    int from = 0;
    bool was = false;
    for (int i = 0; i < steps; ++i) {
        vec middle = plus(a, (i + 0.5) / steps, minus(b, a));
        bool open = is_visible(&d->front, project_point(&d->view, middle), LINE_SLACK * d->radius);
        if (i > 0 && open != was) {
            if (was == w->open)
                w->piece(w->context, line->kind,
                         project_point(&d->view, plus(a, (double)from / steps, minus(b, a))),
                         project_point(&d->view, plus(a, (double)i / steps, minus(b, a))), was);
            from = i;
        }
        was = open;
    }
    if (was == w->open)
        w->piece(w->context, line->kind,
                 project_point(&d->view, plus(a, (double)from / steps, minus(b, a))), q, was);
    if (!was || from > 0)
        w->d->hidden_lines = true;
}

void visit_lines(drawing *d, line_piece_fn *piece, void *context)
{
    const picture *p = d->p;
    int64_t stride = p->line_count / MOST_LINES + 1;
    d->some_lines = stride > 1;
    for (int open = 0; open < 2; ++open) {
        const walk w = {d, open, piece, context};
        for (int64_t i = 0; i < p->line_count; i += stride)
            visit_line(&w, &p->lines[i]);
    }
}

void find_line_kinds(const drawing *d, bool shown[MOST_KINDS])
{
    memset(shown, 0, MOST_KINDS * sizeof *shown);
    for (int64_t i = 0; i < d->p->line_count; ++i)
        shown[d->p->lines[i].kind] = true;
}

// Class k is a kind in sight, j behind a surface.
void print_line_styles(FILE *o, const picture *p)
{
    for (int i = 0; i < p->line_kind_count; ++i) {
        fprintf(o, ".k%d,.j%d{fill:none;stroke-linecap:round;stroke-width:2.2;stroke:", i, i);
        print_rgb(o, p->line_kinds[i].colour);
        fprintf(o, "}.j%d{stroke-opacity:.35;stroke-width:1.2}", i);
    }
}

static void print_piece(void *context, int kind, spot from, spot to, bool open)
{
    FILE *o = context;
    bool point = from.x == to.x && from.y == to.y;
    fprintf(o, "<path class='%c%d'%s d='M%.1f %.1fl%.1f %.1f'/>\n", open ? 'k' : 'j', kind,
            point ? " style='stroke-width:7'" : "", from.x, from.y, to.x - from.x, to.y - from.y);
}

void print_lines(FILE *o, drawing *d)
{
    if (d->p->line_count == 0)
        return;
    fprintf(o, "<g>\n");
    visit_lines(d, print_piece, o);
    fprintf(o, "</g>\n");
}
