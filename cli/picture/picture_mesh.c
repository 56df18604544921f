// The mesh at one time: its normals, and a coarser one where faces are too many.

#include "picture_mesh.h"

#include "picture_colour.h"

#include <string.h>

vec place_point(const drawing *d, const double a[3])
{
    return (vec){a[0] * d->shrink, a[1] * d->shrink, a[2] * d->shrink};
}

vec place_moving(const drawing *d, const double start[3], const double end[3])
{
    vec from = place_point(d, start);
    return plus(from, d->time, minus(place_point(d, end), from));
}

vec place_impact(const drawing *d, const picture_impact *impact)
{
    return place_moving(d, impact->start, impact->end);
}

void place_points(drawing *d)
{
    const picture *p = d->p;
    for (int64_t i = 0; i < p->point_count; ++i)
        d->points[i] = place_moving(d, p->start[i], p->end ? p->end[i] : p->start[i]);
}

void measure_mesh(drawing *d)
{
    vec low = {0.0, 0.0, 0.0};
    vec high = {0.0, 0.0, 0.0};
    for (int64_t i = 0; i < d->p->point_count; ++i) {
        vec a = d->points[i];
        low = i ? (vec){fmin(low.x, a.x), fmin(low.y, a.y), fmin(low.z, a.z)} : a;
        high = i ? (vec){fmax(high.x, a.x), fmax(high.y, a.y), fmax(high.z, a.z)} : a;
    }
    d->centre = plus(low, 0.5, minus(high, low));
    double square = 0.0;
    for (int64_t i = 0; i < d->p->point_count; ++i) {
        vec a = minus(d->points[i], d->centre);
        square = fmax(square, dot(a, a));
    }
    d->radius = square > 1e-200 ? sqrt(square) : 1.0;
}

void find_loose_points(drawing *d)
{
    const picture *p = d->p;
    memset(d->loose, 1, (size_t)p->point_count * sizeof *d->loose);
    for (int64_t i = 0; i < p->face_count; ++i)
        for (int k = 0; k < 3; ++k)
            d->loose[p->faces[i][k]] = false;
    for (int64_t i = 0; i < p->edge_count; ++i)
        for (int k = 0; k < 2; ++k)
            d->loose[p->edges[i][k]] = false;
}

// The number of a face's colour.
static int32_t colour_of(const picture *p, int64_t index)
{
    if (p->face_kinds)
        return p->face_kinds[index];
    const int32_t *face = p->faces[index];
    bool still = p->end != NULL;
    for (int k = 0; k < 9 && still; ++k)
        still = p->start[face[k / 3]][k % 3] == p->end[face[k / 3]][k % 3];
    if (still)
        return BODY_COLOURS;
    return p->groups && p->groups[face[0]] > 0 ? p->groups[face[0]] % BODY_COLOURS : 0;
}

void take_faces(drawing *d, int64_t stride)
{
    d->face_count = 0;
    for (int64_t i = 0; i < d->p->face_count; i += stride, ++d->face_count) {
        memcpy(d->faces[d->face_count], d->p->faces[i], sizeof *d->faces);
        d->colours[d->face_count] = colour_of(d->p, i);
    }
}

vec face_normal(const drawing *d, const int32_t face[3])
{
    vec a = d->points[face[0]];
    return cross(minus(d->points[face[1]], a), minus(d->points[face[2]], a));
}

double face_area(const drawing *d, const int32_t face[3])
{
    vec n = face_normal(d, face);
    return 0.5 * sqrt(dot(n, n));
}

double total_area(const drawing *d)
{
    double sum = 0.0;
    for (int64_t i = 0; i < d->face_count; ++i)
        sum += face_area(d, d->faces[i]);
    return sum;
}

static int64_t cell_of(const drawing *d, vec a)
{
    double scale = (double)d->side / (2.0 * d->radius);
    vec low = minus(a, plus(d->centre, -d->radius, (vec){1.0, 1.0, 1.0}));
    int64_t x = clamp_int(low.x * scale, 0, d->side - 1);
    int64_t y = clamp_int(low.y * scale, 0, d->side - 1);
    int64_t z = clamp_int(low.z * scale, 0, d->side - 1);
    return (z * d->side + y) * d->side + x;
}

// The points that others are joined into: those of a cell form a chain, one of each body.
typedef struct clusters
{
    int32_t *first; // of each cell, or -1
    int32_t *next;  // of each point in a chain, or -1
} clusters;

// The point that stands for all of its body in its cell: the first that came.
static int32_t join_point(const drawing *d, clusters *c, int32_t point)
{
    const int32_t *groups = d->p->groups;
    int32_t *link = &c->first[cell_of(d, d->points[point])];
    while (*link >= 0) {
        if (!groups || groups[*link] == groups[point])
            return *link;
        link = &c->next[*link];
    }
    c->next[point] = -1;
    *link = point;
    return point;
}

// Joins the points in each cell of a grid, and keeps the faces that remain faces.
static void cluster_faces(drawing *d, clusters *c)
{
    int64_t count = (int64_t)d->side * d->side * d->side;
    for (int64_t i = 0; i < count; ++i)
        c->first[i] = -1;
    d->face_count = 0;
    for (int64_t i = 0; i < d->p->face_count; ++i) {
        int32_t *face = d->faces[d->face_count];
        for (int k = 0; k < 3; ++k)
            face[k] = join_point(d, c, d->p->faces[i][k]);
        d->colours[d->face_count] = colour_of(d->p, i);
        if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0])
            ++d->face_count;
    }
}

toi_status coarsen_faces(drawing *d)
{
    static const int FINEST = 256;
    d->side = d->side ? d->side * 4 / 5 : FINEST;
    size_t count = (size_t)d->side * (size_t)d->side * (size_t)d->side;
    clusters c = {toi_allocate(count * sizeof *c.first),
                  toi_allocate((size_t)d->p->point_count * sizeof *c.next)};
    toi_status status = c.first && c.next ? TOI_OK : TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        cluster_faces(d, &c);
    toi_release(c.first);
    toi_release(c.next);
    d->mosaic = total_area(d) < 0.6 * d->area;
    return status;
}

void make_normals(drawing *d)
{
    for (int64_t i = 0; i < d->p->point_count; ++i)
        d->normals[i] = (vec){0.0, 0.0, 0.0};
    for (int64_t i = 0; i < d->face_count; ++i) {
        const int32_t *face = d->faces[i];
        vec n = face_normal(d, face);
        for (int k = 0; k < 3; ++k)
            d->normals[face[k]] = plus(d->normals[face[k]], 1.0, n);
    }
}
