// Paints the faces and loose edges that can be seen, from far to near.

#include "picture_paint.h"

#include "picture_colour.h"
#include "picture_mesh.h"

#include <stdlib.h>
#include <string.h>

enum
{
    TILE = 2 // side of the squares of a mosaic
};

// How much of the surroundings stands in front of a spot, from 0 to 1: a cheap ambient occlusion.
// Samples come in opposite pairs, so that a plane, however slanted, does not hide itself.
static double occlusion(const depth_buffer *b, spot s, double radius)
{
    static const double HALF_RING[4][2] = {{1.0, 0.0}, {0.7, 0.7}, {0.0, 1.0}, {-0.7, 0.7}};
    double limit = 0.15 * radius;
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) {
        int ring = i / 4;
        double far = 4.0 + 9.0 * ring;
        double x = far * HALF_RING[i % 4][0];
        double y = far * HALF_RING[i % 4][1];
        double one = s.depth - depth_at(b, s.x + x, s.y + y); // how far it stands in front
        double two = s.depth - depth_at(b, s.x - x, s.y - y);
        double both = fmax(fmin(one, limit), -limit) + fmax(fmin(two, limit), -limit);
        sum += fmin(1.0, fmax(0.0, both / radius - 0.01) / 0.06);
    }
    return sum / 12.0;
}

// The brightness of a face, from 0 to 1. Light comes from above left of the viewer, some from the
// sky; backs are a little darker.
double shade(const drawing *d, const int32_t face[3])
{
    const camera *c = &d->view;
    vec flat = unit(face_normal(d, face));
    vec sum = {0.0, 0.0, 0.0};
    vec middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        sum = plus(sum, 1.0, unit(d->normals[face[k]]));
        middle = plus(middle, 1.0 / 3.0, d->points[face[k]]);
    }
    // Where the faces around disagree (a soup, a crease) the face's own normal is the better one.
    vec normal = dot(sum, flat) > 1.5 ? unit(sum) : flat;
    bool back = dot(flat, minus(middle, c->eye)) > 0.0;
    if (back)
        normal = minus((vec){0.0, 0.0, 0.0}, normal);
    vec light = unit(plus(plus(plus(c->up, 0.4, c->up), -0.75, c->right), -1.0, c->forward));
    double direct = fmax(0.0, dot(normal, light));
    double sky = 0.5 + 0.5 * dot(normal, c->up);
    double bright = 0.27 + 0.46 * direct + 0.18 * sky - (back ? 0.10 : 0.0);
    bright *= 1.0 - 0.62 * occlusion(&d->front, project_point(c, middle), d->radius);
    return fmin(1.0, fmax(0.0, bright));
}

static int compare_strokes(const void *a, const void *b)
{
    const stroke *x = a;
    const stroke *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return (x->index > y->index) - (x->index < y->index);
}

void sort_strokes(stroke *strokes, int64_t count)
{
    qsort(strokes, (size_t)count, sizeof *strokes, compare_strokes);
}

static int64_t list_faces(const drawing *d, stroke *strokes)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->face_count; ++i) {
        if (!d->seen[i])
            continue;
        // By its farthest corner: of two faces close together the larger one is the background.
        double depth = 0.0;
        for (int k = 0; k < 3; ++k)
            depth = fmax(depth, project_point(&d->view, d->points[d->faces[i][k]]).depth);
        strokes[count++] = (stroke){depth, i, STROKE_FACE};
    }
    return count;
}

// Loose edges and points not far behind a surface, moved to its front.
static int64_t list_loose(drawing *d, stroke *strokes)
{
    int64_t count = 0;
    double slack = 0.012 * d->radius;
    int64_t stride = d->p->edge_count / MOST_LOOSE + 1;
    for (int64_t i = 0; i < d->p->edge_count; i += stride) {
        vec from = d->points[d->p->edges[i][0]];
        vec to = d->points[d->p->edges[i][1]];
        spot middle = project_point(&d->view, plus(from, 0.5, minus(to, from)));
        if (is_visible(&d->front, middle, slack))
            strokes[count++] = (stroke){middle.depth - slack, i, STROKE_EDGE};
    }
    d->loose_edges = count > 0;
    int64_t edges = count;
    for (int64_t i = 0; i < d->p->point_count && count < 2 * MOST_LOOSE; ++i) {
        spot s = project_point(&d->view, d->points[i]);
        if (d->loose[i] && is_visible(&d->front, s, slack))
            strokes[count++] = (stroke){s.depth - slack, i, STROKE_POINT};
    }
    d->loose_points = count > edges;
    return count;
}

// The number of the style of a face, from 0: its colour and its brightness.
static int style_of(const drawing *d, int64_t index)
{
    return d->colours[index] * SHADES + (int)(shade(d, d->faces[index]) * (SHADES - 1) + 0.5);
}

static void print_face(FILE *o, const drawing *d, int64_t index)
{
    const int32_t *face = d->faces[index];
    spot p = project_point(&d->view, d->points[face[0]]);
    spot q = project_point(&d->view, d->points[face[1]]);
    spot r = project_point(&d->view, d->points[face[2]]);
    int style = style_of(d, index);
    fprintf(o, "<path class='%c%d' d='M%.1f %.1fl%.1f %.1f %.1f %.1fz'/>\n", 'a' + style / SHADES,
            style % SHADES, p.x, p.y, q.x - p.x, q.y - p.y, r.x - q.x, r.y - q.y);
}

static void print_stroke(FILE *o, const drawing *d, const stroke *s)
{
    if (s->kind == STROKE_FACE) {
        print_face(o, d, s->index);
    } else if (s->kind == STROKE_EDGE) {
        spot p = project_point(&d->view, d->points[d->p->edges[s->index][0]]);
        spot q = project_point(&d->view, d->points[d->p->edges[s->index][1]]);
        fprintf(o, "<path class='l' d='M%.1f %.1fL%.1f %.1f'/>\n", p.x, p.y, q.x, q.y);
    } else {
        spot p = project_point(&d->view, d->points[s->index]);
        fprintf(o, "<circle class='l' cx='%.1f' cy='%.1f' r='.8'/>\n", p.x, p.y);
    }
}

// Paints what the buffer shows in rows of little squares, all those of one style at once.
static void print_mosaic(FILE *o, const drawing *d)
{
    const depth_buffer *b = &d->front;
    for (int y = TILE / 2; y < PAGE_HEIGHT; y += TILE)
        for (int x = TILE / 2; x < PAGE_WIDTH; x += TILE) {
            int32_t *face = &b->face[y * PAGE_WIDTH + x];
            *face = *face < 0 ? -1 : style_of(d, *face);
        }
    for (int style = 0; style < count_colours(d->p) * SHADES; ++style) {
        fprintf(o, "<path class='%c%d m' d='", 'a' + style / SHADES, style % SHADES);
        for (int y = TILE / 2; y < PAGE_HEIGHT; y += TILE)
            for (int x = TILE / 2, from; x < PAGE_WIDTH; x += TILE) {
                for (from = x; x < PAGE_WIDTH && b->face[y * PAGE_WIDTH + x] == style;)
                    x += TILE;
                if (x > from)
                    fprintf(o, "M%d %dh%d", from - TILE / 2, y, x - from);
            }
        fprintf(o, "'/>\n");
    }
}

void print_mesh(FILE *o, drawing *d)
{
    if (d->mosaic)
        print_mosaic(o, d);
    int64_t count = d->mosaic ? 0 : list_faces(d, d->strokes);
    count += list_loose(d, d->strokes + count);
    sort_strokes(d->strokes, count);
    fprintf(o, "<g>\n");
    for (int64_t i = 0; i < count; ++i)
        print_stroke(o, d, &d->strokes[i]);
    fprintf(o, "</g>\n");
}

int count_colours(const picture *p)
{
    return p->face_kinds ? p->kind_count : BODY_COLOURS + 1;
}

const double *face_colour(const picture *p, int index)
{
    return p->face_kinds ? p->kinds[index].colour : body_colour(index);
}

void find_shown_colours(const drawing *d, bool shown[MOST_KINDS])
{
    memset(shown, 0, MOST_KINDS * sizeof *shown);
    for (int64_t i = 0; i < d->face_count; ++i)
        shown[d->colours[i]] = shown[d->colours[i]] || d->seen[i];
}

static void print_shade(FILE *o, const double colour[3], double bright)
{
    double shaded[3];
    shade_colour(colour, bright, shaded);
    print_rgb(o, shaded);
}

void print_shade_styles(FILE *o, const picture *p, bool sides)
{
    for (int i = 0; i < count_colours(p); ++i) {
        for (int k = 0; k < SHADES; ++k) {
            double bright = (double)k / (SHADES - 1);
            fprintf(o, ".%c%d{fill:", 'a' + i, k);
            print_shade(o, face_colour(p, i), bright);
            fprintf(o, ";stroke:");
            print_shade(o, face_colour(p, i), sides ? fmax(0.0, bright - SIDE_SHADE) : bright);
            fprintf(o, "}");
        }
    }
}
