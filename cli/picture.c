// Draws a mesh by the painter's algorithm: far faces first. A depth buffer made beforehand says
// which faces can be seen at all, darkens folds, and finds room for the callout.

#include "picture.h"

#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WIDTH = 1200, // of the canvas
    HEIGHT = 900,
    TOP = 110,   // the band of the title
    BOTTOM = 70, // the band of the legend
    MARGIN = 40,
    MOST_FACES = 30000, // drawn, at some 60 bytes each
    MOST_LOOSE = 12000, // loose edges drawn, and as many loose points
    MARK_CELL = 7,      // one mark in each square of this side
    MARK_COLUMNS = WIDTH / MARK_CELL,
    MARK_ROWS = HEIGHT / MARK_CELL,
    CALLOUT_WIDTH = 232,
    CALLOUT_HEIGHT = 64,
    TILE = 2,    // side of the squares of a mosaic
    BODIES = 6,  // colours of bodies that move; one more is for what stands still
    SHADES = 40, // of each colour
};

// How far behind a surface, as a share of the mesh's radius, an impact still counts as in sight.
static const double MARK_SLACK = 0.02;

static const char DARK_RED[] = "#a4123f";

typedef struct vec
{
    double x;
    double y;
    double z;
} vec;

static vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec plus(vec a, double s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec unit(vec a)
{
    double length = sqrt(dot(a, a));
    return length > 0.0 ? (vec){a.x / length, a.y / length, a.z / length} : (vec){0.0, 0.0, 0.0};
}

static int clamp_int(double x, int low, int high)
{
    if (!(x > (double)low))
        return low;
    return x < (double)high ? (int)x : high;
}

typedef struct camera
{
    vec right;
    vec up;
    vec forward;
    vec eye;
    double near;  // nothing is closer to the eye
    double scale; // from the plane at distance 1 to the canvas
    double shift_x;
    double shift_y;
} camera;

// A place on the canvas, and how far it is from the eye.
typedef struct spot
{
    double x;
    double y;
    double depth;
} spot;

// Which face is nearest at each pixel, and how far it is.
typedef struct buffer
{
    int width;
    int height;
    float *depth;
    int32_t *face; // -1: none
} buffer;

typedef enum stroke_kind
{
    STROKE_FACE,
    STROKE_EDGE,
    STROKE_POINT
} stroke_kind;

// A thing to paint, those of great depth first.
typedef struct stroke
{
    double depth;
    int64_t index;
    stroke_kind kind;
} stroke;

// All that a picture needs, taken before the file is opened, so that only writing can fail then.
typedef struct drawing
{
    const picture *p;
    double time;      // the mesh is drawn at
    double shrink;    // coordinates are multiplied by this, so that no sum overflows
    int64_t earliest; // index of that impact, or -1
    vec *points;
    vec *normals; // of points, of any length
    bool *loose;  // points of no face and no edge
    vec centre;
    double radius; // of a ball that holds all points

    int32_t (*faces)[3]; // simplified
    int32_t *colours;    // of each face
    bool *seen;          // of each face: is any of it in sight?
    int64_t face_count;
    int64_t visible; // how many are in sight
    double area;     // of all faces, before simplification
    int side;        // of the grid that points were joined in; 0: none
    bool mosaic;     // too many small bodies: not faces but little squares are painted

    camera view;
    buffer front;
    stroke *strokes;
    stroke *marks; // of impacts; their depth is their time
    int64_t mark_count;
} drawing;

// ---------------------------------------------------------------------------------------------
// The mesh at one time, and simplified

static vec place(const drawing *d, const double a[3])
{
    return (vec){a[0] * d->shrink, a[1] * d->shrink, a[2] * d->shrink};
}

static int64_t find_earliest(const picture *p)
{
    int64_t best = -1;
    for (int64_t i = 0; i < p->impact_count; ++i)
        if (best < 0 || p->impacts[i].time < p->impacts[best].time)
            best = i;
    return best;
}

// Brings the largest coordinate to 1.
static double find_shrink(const picture *p)
{
    double largest = 0.0;
    for (int64_t i = 0; i < p->point_count; ++i)
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fabs(p->start[i][k]));
            largest = p->end ? fmax(largest, fabs(p->end[i][k])) : largest;
        }
    return largest > 1e-300 ? 1.0 / largest : 1.0;
}

static void place_points(drawing *d)
{
    const picture *p = d->p;
    for (int64_t i = 0; i < p->point_count; ++i) {
        vec start = place(d, p->start[i]);
        vec end = p->end ? place(d, p->end[i]) : start;
        d->points[i] = plus(start, d->time, minus(end, start));
    }
}

static void measure(drawing *d)
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

static void find_loose(drawing *d)
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
static int32_t colour_of(const picture *p, const int32_t face[3])
{
    bool still = p->end != NULL;
    for (int k = 0; k < 9 && still; ++k)
        still = p->start[face[k / 3]][k % 3] == p->end[face[k / 3]][k % 3];
    if (still)
        return BODIES;
    return p->groups && p->groups[face[0]] > 0 ? p->groups[face[0]] % BODIES : 0;
}

// Takes every `stride`-th face as it is.
static void take_faces(drawing *d, int64_t stride)
{
    d->face_count = 0;
    for (int64_t i = 0; i < d->p->face_count; i += stride, ++d->face_count) {
        memcpy(d->faces[d->face_count], d->p->faces[i], sizeof *d->faces);
        d->colours[d->face_count] = colour_of(d->p, d->p->faces[i]);
    }
}

// Twice the area as a vector.
static vec face_normal(const drawing *d, const int32_t face[3])
{
    vec a = d->points[face[0]];
    return cross(minus(d->points[face[1]], a), minus(d->points[face[2]], a));
}

static double face_area(const drawing *d, const int32_t face[3])
{
    vec n = face_normal(d, face);
    return 0.5 * sqrt(dot(n, n));
}

static double total_area(const drawing *d)
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
        d->colours[d->face_count] = colour_of(d->p, d->p->faces[i]);
        if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0])
            ++d->face_count;
    }
}

// Makes the mesh one step coarser. Bodies so small that they would vanish in the cells of the grid
// make it a mosaic.
static toi_status coarsen(drawing *d)
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

static void make_normals(drawing *d)
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

// ---------------------------------------------------------------------------------------------
// The camera and the depth buffer

static spot project(const camera *c, vec a)
{
    vec from_eye = minus(a, c->eye);
    double depth = fmax(dot(from_eye, c->forward), c->near);
    return (spot){c->shift_x + c->scale * dot(from_eye, c->right) / depth,
                  c->shift_y - c->scale * dot(from_eye, c->up) / depth, depth};
}

// Looks at the centre from an azimuth and a height, in degrees.
static camera aim(const drawing *d, double azimuth, double elevation)
{
    double degree = 3.14159265358979 / 180.0;
    double flat = cos(elevation * degree);
    double view[3] = {flat * cos(azimuth * degree), flat * sin(azimuth * degree),
                      sin(elevation * degree)};
    // Axes are renamed in a cycle, so that the picture is never mirrored.
    double turned[3];
    double top[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k)
        turned[(d->p->up + 1 + k) % 3] = view[k];
    top[d->p->up] = 1.0;
    vec away = {turned[0], turned[1], turned[2]};
    camera c = {.near = 0.5 * d->radius};
    c.forward = minus((vec){0.0, 0.0, 0.0}, away);
    c.right = unit(cross(c.forward, (vec){top[0], top[1], top[2]}));
    c.up = cross(c.right, c.forward);
    c.eye = plus(d->centre, 4.2 * d->radius, away);
    return c;
}

// Scales and shifts so that all points fill a rectangle.
static void fit(const drawing *d, camera *c, double x, double y, double width, double height)
{
    double low[2] = {0.0, 0.0};
    double high[2] = {0.0, 0.0};
    c->scale = 1.0;
    c->shift_x = 0.0;
    c->shift_y = 0.0;
    for (int64_t i = 0; i < d->p->point_count; ++i) {
        spot s = project(c, d->points[i]);
        low[0] = i ? fmin(low[0], s.x) : s.x;
        low[1] = i ? fmin(low[1], s.y) : s.y;
        high[0] = i ? fmax(high[0], s.x) : s.x;
        high[1] = i ? fmax(high[1], s.y) : s.y;
    }
    c->scale = fmin(width / fmax(high[0] - low[0], 1e-9), height / fmax(high[1] - low[1], 1e-9));
    c->shift_x = x + 0.5 * width - 0.5 * c->scale * (low[0] + high[0]);
    c->shift_y = y + 0.5 * height - 0.5 * c->scale * (low[1] + high[1]);
}

static toi_status create_buffer(buffer *b, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    *b = (buffer){.width = width, .height = height};
    b->depth = toi_allocate(count * sizeof *b->depth);
    b->face = toi_allocate(count * sizeof *b->face);
    return b->depth && b->face ? TOI_OK : TOI_ERROR_MEMORY;
}

static void free_buffer(buffer *b)
{
    toi_release(b->depth);
    toi_release(b->face);
}

static double side_of_line(spot a, spot b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void fill_triangle(buffer *b, int32_t face, spot p, spot q, spot r)
{
    double area = side_of_line(p, q, r.x, r.y);
    if (area == 0.0)
        return;
    int left = clamp_int(floor(fmin(p.x, fmin(q.x, r.x))), 0, b->width);
    int right = clamp_int(ceil(fmax(p.x, fmax(q.x, r.x))), 0, b->width);
    int top = clamp_int(floor(fmin(p.y, fmin(q.y, r.y))), 0, b->height);
    int bottom = clamp_int(ceil(fmax(p.y, fmax(q.y, r.y))), 0, b->height);
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            double u = side_of_line(q, r, x + 0.5, y + 0.5) / area;
            double v = side_of_line(r, p, x + 0.5, y + 0.5) / area;
            double w = 1.0 - u - v;
            if (u < 0.0 || v < 0.0 || w < 0.0)
                continue;
            float depth = (float)(u * p.depth + v * q.depth + w * r.depth);
            int at = y * b->width + x;
            if (b->face[at] < 0 || depth < b->depth[at]) {
                b->face[at] = face;
                b->depth[at] = depth;
            }
        }
    }
}

static void fill_buffer(buffer *b, const drawing *d, const camera *c)
{
    for (int i = 0; i < b->width * b->height; ++i) {
        b->face[i] = -1;
        b->depth[i] = INFINITY;
    }
    for (int64_t i = 0; i < d->face_count; ++i) {
        const int32_t *face = d->faces[i];
        fill_triangle(b, (int32_t)i, project(c, d->points[face[0]]), project(c, d->points[face[1]]),
                      project(c, d->points[face[2]]));
    }
}

// The depth at a place of the canvas; infinite where there is nothing.
static double depth_at(const buffer *b, double x, double y)
{
    if (!(x >= 0.0 && y >= 0.0 && x < b->width && y < b->height))
        return INFINITY;
    return b->depth[(int)y * b->width + (int)x];
}

// Can a spot be seen, when it may lie a little way behind a surface?
static bool is_visible(const buffer *b, spot s, double slack)
{
    return s.depth <= depth_at(b, s.x, s.y) + slack;
}

// ---------------------------------------------------------------------------------------------
// Choosing the view

static int64_t find_visible(drawing *d, const buffer *b)
{
    memset(d->seen, 0, (size_t)d->face_count * sizeof *d->seen);
    int64_t count = 0;
    for (int i = 0; i < b->width * b->height; ++i) {
        int32_t face = b->face[i];
        if (face >= 0 && !d->seen[face]) {
            d->seen[face] = true;
            ++count;
        }
    }
    return count;
}

// Which share of the area is in sight, plus which share of the buffer is filled.
static double rate_surface(drawing *d, const buffer *b, double area)
{
    find_visible(d, b);
    double shown = 0.0;
    for (int64_t i = 0; i < d->face_count; ++i)
        shown += d->seen[i] ? face_area(d, d->faces[i]) : 0.0;
    int filled = 0;
    for (int i = 0; i < b->width * b->height; ++i)
        filled += b->face[i] >= 0;
    return (area > 0.0 ? shown / area : 0.0) + (double)filled / (b->width * b->height);
}

// Which share of the impacts lies open, and whether the earliest does.
static double rate_impacts(const drawing *d, const buffer *b, const camera *c)
{
    const picture *p = d->p;
    if (d->earliest < 0)
        return 0.0;
    double slack = MARK_SLACK * d->radius;
    int64_t stride = p->impact_count / 500 + 1; // a sample will do
    double open = 0.0;
    double asked = 0.0;
    for (int64_t i = 0; i < p->impact_count; i += stride, asked += 1.0)
        open += is_visible(b, project(c, place(d, p->impacts[i].at)), slack);
    return open / asked + is_visible(b, project(c, place(d, p->impacts[d->earliest].at)), slack);
}

static toi_status choose_view(drawing *d)
{
    // The first view is what people expect: others have to be better by something.
    static const double AZIMUTHS[5] = {-55.0, -125.0, 35.0, 145.0, -90.0};
    static const double ELEVATIONS[4] = {24.0, 40.0, 60.0, 8.0};
    buffer b;
    toi_status status = create_buffer(&b, 240, 144);
    double best = -1.0;
    double area = total_area(d);
    for (int i = 0; i < 20 && status == TOI_OK; ++i) {
        int around = i % 5;
        int above = i / 5;
        camera c = aim(d, AZIMUTHS[around], ELEVATIONS[above]);
        fit(d, &c, 0.0, 0.0, b.width, b.height);
        fill_buffer(&b, d, &c);
        double rating = rate_surface(d, &b, area) + rate_impacts(d, &b, &c);
        rating -= 0.05 * around + 0.12 * above;
        if (rating > best) {
            best = rating;
            d->view = c;
        }
    }
    fit(d, &d->view, MARGIN, TOP, WIDTH - 2 * MARGIN, HEIGHT - TOP - BOTTOM);
    free_buffer(&b);
    return status;
}

// Simplifies, chooses the view and fills the depth buffer, until few enough faces are in sight.
static toi_status compose(drawing *d)
{
    static const int64_t ENOUGH = 4 * MOST_FACES; // most of a mesh is out of sight
    toi_status status = TOI_OK;
    take_faces(d, 1);
    d->area = total_area(d);
    while (d->face_count > ENOUGH && !d->mosaic && status == TOI_OK)
        status = coarsen(d);
    if (d->mosaic)
        take_faces(d, d->p->face_count / ENOUGH + 1); // a sample, for the view
    if (status == TOI_OK)
        status = choose_view(d);
    for (bool done = false; status == TOI_OK && !done;) {
        if (d->mosaic)
            take_faces(d, 1);
        fill_buffer(&d->front, d, &d->view);
        d->visible = find_visible(d, &d->front);
        done = d->mosaic || d->visible <= MOST_FACES;
        if (!done)
            status = coarsen(d);
    }
    make_normals(d);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Colours

// Surfaces in light, muted colours that people with any colour vision can tell apart, so that the
// dark marks of impacts stand out. The last is that of what stands still.
static const double COLOURS[BODIES + 1][3] = {
    {0.47, 0.67, 0.85}, {0.93, 0.76, 0.44}, {0.50, 0.78, 0.68}, {0.88, 0.62, 0.56},
    {0.71, 0.65, 0.84}, {0.74, 0.77, 0.52}, {0.80, 0.79, 0.77},
};

// How much of the surroundings stands in front of a spot, from 0 to 1: a cheap ambient occlusion.
// Samples come in opposite pairs, so that a plane, however slanted, does not hide itself.
static double occlusion(const buffer *b, spot s, double radius)
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
static double shade(const drawing *d, const int32_t face[3])
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
    bright *= 1.0 - 0.62 * occlusion(&d->front, project(c, middle), d->radius);
    return fmin(1.0, fmax(0.0, bright));
}

static void print_rgb(FILE *o, const double colour[3])
{
    int value[3];
    for (int k = 0; k < 3; ++k)
        value[k] = clamp_int(255.0 * colour[k] + 0.5, 0, 255);
    fprintf(o, "#%02x%02x%02x", value[0], value[1], value[2]);
}

static void print_colour(FILE *o, const double colour[3], double bright)
{
    double mixed[3];
    for (int k = 0; k < 3; ++k) {
        // Shadows lean to blue, lights to white: a pure multiple looks dirty.
        double shadow = colour[k] * (0.25 + 0.12 * k);
        double lit = 0.35 * colour[k] + 0.65;
        mixed[k] = bright < 0.75 ? shadow + (colour[k] - shadow) * bright / 0.75
                                 : colour[k] + (lit - colour[k]) * (bright - 0.75) / 0.25;
    }
    print_rgb(o, mixed);
}

// From dark violet at t = 0 to light orange at t = 1: ordered by lightness, so that it reads in
// grey, too.
static void print_time_colour(FILE *o, double time)
{
    static const double SCALE[4][3] = {
        {0.24, 0.06, 0.44}, {0.64, 0.13, 0.49}, {0.93, 0.35, 0.37}, {1.0, 0.73, 0.45}};
    double at = 3.0 * fmin(1.0, fmax(0.0, time));
    int cell = at < 2.0 ? (int)at : 2;
    double mixed[3];
    for (int k = 0; k < 3; ++k)
        mixed[k] = SCALE[cell][k] + (at - cell) * (SCALE[cell + 1][k] - SCALE[cell][k]);
    print_rgb(o, mixed);
}

// ---------------------------------------------------------------------------------------------
// The mesh

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

static int64_t list_faces(const drawing *d, stroke *strokes)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->face_count; ++i) {
        if (!d->seen[i])
            continue;
        // By its farthest corner: of two faces close together the larger one is the background.
        double depth = 0.0;
        for (int k = 0; k < 3; ++k)
            depth = fmax(depth, project(&d->view, d->points[d->faces[i][k]]).depth);
        strokes[count++] = (stroke){depth, i, STROKE_FACE};
    }
    return count;
}

// Loose edges and points not far behind a surface, moved to its front.
static int64_t list_loose(const drawing *d, stroke *strokes)
{
    int64_t count = 0;
    double slack = 0.012 * d->radius;
    int64_t stride = d->p->edge_count / MOST_LOOSE + 1;
    for (int64_t i = 0; i < d->p->edge_count; i += stride) {
        vec from = d->points[d->p->edges[i][0]];
        vec to = d->points[d->p->edges[i][1]];
        spot middle = project(&d->view, plus(from, 0.5, minus(to, from)));
        if (is_visible(&d->front, middle, slack))
            strokes[count++] = (stroke){middle.depth - slack, i, STROKE_EDGE};
    }
    for (int64_t i = 0; i < d->p->point_count && count < 2 * MOST_LOOSE; ++i) {
        spot s = project(&d->view, d->points[i]);
        if (d->loose[i] && is_visible(&d->front, s, slack))
            strokes[count++] = (stroke){s.depth - slack, i, STROKE_POINT};
    }
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
    spot p = project(&d->view, d->points[face[0]]);
    spot q = project(&d->view, d->points[face[1]]);
    spot r = project(&d->view, d->points[face[2]]);
    int style = style_of(d, index);
    fprintf(o, "<path class='%c%d' d='M%.1f %.1fl%.1f %.1f %.1f %.1fz'/>\n", 'a' + style / SHADES,
            style % SHADES, p.x, p.y, q.x - p.x, q.y - p.y, r.x - q.x, r.y - q.y);
}

static void print_stroke(FILE *o, const drawing *d, const stroke *s)
{
    if (s->kind == STROKE_FACE) {
        print_face(o, d, s->index);
    } else if (s->kind == STROKE_EDGE) {
        spot p = project(&d->view, d->points[d->p->edges[s->index][0]]);
        spot q = project(&d->view, d->points[d->p->edges[s->index][1]]);
        fprintf(o, "<path class='l' d='M%.1f %.1fL%.1f %.1f'/>\n", p.x, p.y, q.x, q.y);
    } else {
        spot p = project(&d->view, d->points[s->index]);
        fprintf(o, "<circle class='l' cx='%.1f' cy='%.1f' r='.8'/>\n", p.x, p.y);
    }
}

// Paints what the buffer shows in rows of little squares, all those of one style at once.
static void print_mosaic(FILE *o, const drawing *d)
{
    const buffer *b = &d->front;
    for (int y = TILE / 2; y < HEIGHT; y += TILE)
        for (int x = TILE / 2; x < WIDTH; x += TILE) {
            int32_t *face = &b->face[y * WIDTH + x];
            *face = *face < 0 ? -1 : style_of(d, *face);
        }
    for (int style = 0; style < (BODIES + 1) * SHADES; ++style) {
        fprintf(o, "<path class='%c%d m' d='", 'a' + style / SHADES, style % SHADES);
        for (int y = TILE / 2; y < HEIGHT; y += TILE)
            for (int x = TILE / 2, from; x < WIDTH; x += TILE) {
                for (from = x; x < WIDTH && b->face[y * WIDTH + x] == style;)
                    x += TILE;
                if (x > from)
                    fprintf(o, "M%d %dh%d", from - TILE / 2, y, x - from);
            }
        fprintf(o, "'/>\n");
    }
}

static void print_mesh(FILE *o, const drawing *d)
{
    if (d->mosaic)
        print_mosaic(o, d);
    int64_t count = d->mosaic ? 0 : list_faces(d, d->strokes);
    count += list_loose(d, d->strokes + count);
    qsort(d->strokes, (size_t)count, sizeof *d->strokes, compare_strokes);
    fprintf(o, "<g>\n");
    for (int64_t i = 0; i < count; ++i)
        print_stroke(o, d, &d->strokes[i]);
    fprintf(o, "</g>\n");
}

// ---------------------------------------------------------------------------------------------
// The impacts

static bool in_sight(const drawing *d, const picture_impact *impact)
{
    return is_visible(&d->front, project(&d->view, place(d, impact->at)), MARK_SLACK * d->radius);
}

// Chooses the impacts to mark: of those in one little square of the canvas the earliest in sight,
// else the earliest. Needs one number a square; the faces in the buffer have served.
static void choose_marks(drawing *d)
{
    int32_t *cells = d->front.face;
    for (int i = 0; i < MARK_COLUMNS * MARK_ROWS; ++i)
        cells[i] = -1;
    for (int64_t i = 0; i < d->p->impact_count; ++i) {
        const picture_impact *impact = &d->p->impacts[i];
        spot s = project(&d->view, place(d, impact->at));
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
    qsort(d->marks, (size_t)d->mark_count, sizeof *d->marks, compare_strokes); // earliest on top
}

static void print_arrow(FILE *o, const drawing *d, const picture_impact *impact, double length,
                        const char *style)
{
    vec normal = {impact->normal[0], impact->normal[1], impact->normal[2]};
    if (dot(normal, normal) == 0.0)
        return;
    vec at = place(d, impact->at);
    spot p = project(&d->view, at);
    spot q = project(&d->view, plus(at, length * d->radius, unit(normal)));
    fprintf(o, "<path d='M%.1f %.1fL%.1f %.1f' %s/>\n", p.x, p.y, q.x, q.y, style);
}

static void print_mark(FILE *o, const drawing *d, const picture_impact *impact)
{
    spot s = project(&d->view, place(d, impact->at));
    double size = fmax(0.5, fmin(1.0, sqrt(1200.0 / (double)d->mark_count))); // many are small
    if (in_sight(d, impact)) {
        fprintf(o, "<circle class='s' cx='%.1f' cy='%.1f' r='%.1f' fill='", s.x, s.y, 3.6 * size);
        print_time_colour(o, impact->time);
        fprintf(o, "'/>\n");
    } else {
        fprintf(o, "<circle class='h' cx='%.1f' cy='%.1f' r='%.1f'/>\n", s.x, s.y, 2.6 * size);
    }
}

// How much of the mesh a callout there would hide; infinite if it hid the impact itself.
static double rate_callout(const buffer *b, double x, double y, spot at)
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

static spot place_callout(const buffer *b, spot at)
{
    static const double OFFSETS[8][2] = {{110.0, -120.0}, {-110.0, -120.0}, {110.0, 120.0},
                                         {-110.0, 120.0}, {220.0, -40.0},   {-220.0, -40.0},
                                         {330.0, -160.0}, {-330.0, -160.0}};
    spot best = {20.0, TOP, INFINITY};
    for (int i = 0; i < 8; ++i) {
        double x = at.x + OFFSETS[i][0] - (OFFSETS[i][0] < 0.0 ? CALLOUT_WIDTH : 0.0);
        double y = at.y + OFFSETS[i][1] - 0.5 * CALLOUT_HEIGHT;
        x = fmin(fmax(x, 20.0), WIDTH - 20.0 - CALLOUT_WIDTH);
        y = fmin(fmax(y, TOP - 10.0), HEIGHT - BOTTOM - 4.0 - CALLOUT_HEIGHT);
        double rating = rate_callout(b, x, y, at) + 2.0 * i;
        if (rating < best.depth)
            best = (spot){x, y, rating};
    }
    return best;
}

// A line or circle with a white rim, so that it shows on any ground.
static void print_leader(FILE *o, spot from, spot box)
{
    double x = fmin(fmax(from.x, box.x), box.x + CALLOUT_WIDTH);
    double y = fmin(fmax(from.y, box.y), box.y + CALLOUT_HEIGHT);
    double way = sqrt((x - from.x) * (x - from.x) + (y - from.y) * (y - from.y)) + 1e-9;
    double start_x = from.x + (x - from.x) * 11.0 / way;
    double start_y = from.y + (y - from.y) * 11.0 / way;
    fprintf(o,
            "<path d='M%.1f %.1fL%.1f %.1f' stroke='#fff' style='stroke-width:4'/>"
            "<path d='M%.1f %.1fL%.1f %.1f' stroke='%s' style='stroke-width:1.4'/>\n",
            start_x, start_y, x, y, start_x, start_y, x, y, DARK_RED);
    fprintf(o,
            "<circle cx='%.1f' cy='%.1f' r='10' stroke='#fff' stroke-width='5'/>"
            "<circle cx='%.1f' cy='%.1f' r='10' stroke='%s' stroke-width='2.4'/>"
            "<circle cx='%.1f' cy='%.1f' r='3.4' fill='%s' stroke='#fff'/>\n",
            from.x, from.y, from.x, from.y, DARK_RED, from.x, from.y, DARK_RED);
}

static void print_earliest(FILE *o, const drawing *d)
{
    const picture_impact *impact = &d->p->impacts[d->earliest];
    spot s = project(&d->view, place(d, impact->at));
    spot box = place_callout(&d->front, s);
    fprintf(o, "<g fill='none' stroke-linecap='round'>\n");
    print_arrow(o, d, impact, 0.15, "stroke='#fff' style='stroke-width:5'");
    print_arrow(o, d, impact, 0.15,
                "stroke='#a4123f' style='stroke-width:2.2' marker-end='url(#tip)'");
    print_leader(o, s, box);
    fprintf(o, "</g>\n");
    fprintf(o,
            "<rect x='%.1f' y='%.1f' width='%d' height='%d' rx='8' fill='#fff' "
            "fill-opacity='.94' stroke='%s' stroke-width='1.4'/>\n",
            box.x, box.y, CALLOUT_WIDTH, CALLOUT_HEIGHT, DARK_RED);
    fprintf(o,
            "<text x='%.1f' y='%.1f' font-size='15'>earliest impact</text>"
            "<text x='%.1f' y='%.1f' font-size='21' font-weight='bold' style='fill:%s'>"
            "t = %.6g</text>\n",
            box.x + 16.0, box.y + 24.0, box.x + 16.0, box.y + 49.0, DARK_RED, impact->time);
}

static void print_impacts(FILE *o, drawing *d)
{
    choose_marks(d);
    fprintf(o, "<g>\n");
    for (int64_t i = 0; i < d->mark_count && d->mark_count <= 60; ++i)
        print_arrow(o, d, &d->p->impacts[d->marks[i].index], 0.05,
                    "stroke='#5b2a6e' style='stroke-width:1.2'");
    for (int64_t i = 0; i < d->mark_count; ++i)
        print_mark(o, d, &d->p->impacts[d->marks[i].index]);
    fprintf(o, "</g>\n");
    if (d->earliest >= 0)
        print_earliest(o, d);
}

// ---------------------------------------------------------------------------------------------
// The page

// One class a colour and shade: a face then takes few bytes. Big faces show their sides; between
// small ones a line of the same colour hides the seams.
static void print_styles(FILE *o, bool sides)
{
    fprintf(o, "<style>text{font-family:'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
               "fill:#333a45}path{stroke-width:.6;stroke-linejoin:round}"
               ".l{fill:none;stroke:#3d4654;stroke-width:1.3;stroke-linecap:round}"
               ".h{fill:none;stroke:#5b2a6e;stroke-opacity:.45}.s{stroke:#fff;stroke-width:.8}.m{"
               "fill:none;stroke-width:2.2}\n");
    for (int body = 0; body <= BODIES; ++body) {
        for (int k = 0; k < SHADES; ++k) {
            double bright = (double)k / (SHADES - 1);
            fprintf(o, ".%c%d{fill:", 'a' + body, k);
            print_colour(o, COLOURS[body], bright);
            fprintf(o, ";stroke:");
            print_colour(o, COLOURS[body], sides ? fmax(0.0, bright - 0.16) : bright);
            fprintf(o, "}");
        }
    }
    fprintf(o, "</style>\n");
}

static void print_header(FILE *o, const drawing *d)
{
    fprintf(o,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    print_styles(o, d->visible < 8000);
    fprintf(o, "<defs><linearGradient id='sky' x2='0' y2='1'><stop stop-color='#fdfdfb'/>"
               "<stop offset='1' stop-color='#e9edf1'/></linearGradient>"
               "<marker id='tip' viewBox='0 0 8 8' refX='4' refY='4' markerWidth='5' "
               "markerHeight='5' orient='auto'><path d='M0 0L8 4L0 8z' fill='#a4123f'/></marker>"
               "<linearGradient id='time'>");
    for (int i = 0; i <= 6; ++i) {
        fprintf(o, "<stop offset='%.3f' stop-color='", i / 6.0);
        print_time_colour(o, i / 6.0);
        fprintf(o, "'/>");
    }
    fprintf(o, "</linearGradient></defs>\n<rect width='%d' height='%d' fill='url(#sky)'/>\n", WIDTH,
            HEIGHT);
}

// How many bytes the UTF-8 character at the start of `text` has; 0 when it is none.
static int utf8_length(const unsigned char *text)
{
    int length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if ((text[0] >= 0x80 && text[0] < 0xc2) || text[0] > 0xf4)
        return 0;
    for (int i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

// A line of text in a size that fits the page. Titles often are file names, so any bytes may come.
static void print_line(FILE *o, const char *text, int y, double size, const char *style)
{
    double letters = (double)strlen(text);
    size = fmin(size, 1.8 * (WIDTH - 2 * MARGIN) / fmax(letters, 1.0));
    fprintf(o, "<text x='%d' y='%d' font-size='%.1f' style='%s'>", MARGIN, y, size, style);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (*c == '&' || *c == '<' || *c == '>')
            fprintf(o, "&#%d;", *c);
        else
            fprintf(o, "%.*s", length && *c >= 32 ? length : 1,
                    length && *c >= 32 ? (const char *)c : "?");
        c += length ? length : 1;
    }
    fprintf(o, "</text>\n");
}

static void print_legend(FILE *o, const drawing *d)
{
    int y = HEIGHT - 30;
    fprintf(o, "<path d='M%d %dH%d' stroke='#c6ccd4'/>\n<g font-size='14'>", MARGIN, HEIGHT - 56,
            WIDTH - MARGIN);
    if (d->earliest >= 0)
        fprintf(o,
                "<text x='40' y='%d'>time of impact: 0</text>"
                "<rect x='170' y='%d' width='120' height='10' rx='5' fill='url(#time)'/>"
                "<text x='298' y='%d'>1</text>"
                "<circle cx='347' cy='%d' r='3.6' class='s' fill='#a3217d'/>"
                "<text x='358' y='%d'>in sight</text>"
                "<circle class='h' cx='442' cy='%d' r='2.6'/><text x='452' y='%d'>behind</text>"
                "<text x='532' y='%d'>%" PRId64 " of %" PRId64 " impacts marked</text>",
                y, y - 10, y, y - 5, y, y - 5, y, y, d->mark_count, d->p->impact_count);
    else
        fprintf(o, "<text x='40' y='%d'>no impact</text>", y);
    fprintf(o, "<text x='%d' y='%d' text-anchor='end' style='fill:#667080'>", WIDTH - MARGIN, y);
    fprintf(o, "%" PRId64 " faces%s, drawn at t = %.6g</text></g>\n</svg>\n", d->p->face_count,
            d->side ? " (simplified)" : "", d->time);
}

static toi_status create_drawing(drawing *d, const picture *p)
{
    *d = (drawing){.p = p, .earliest = find_earliest(p), .shrink = find_shrink(p)};
    d->time = p->time >= 0.0 ? p->time : d->earliest >= 0 ? p->impacts[d->earliest].time : 0.0;
    d->time = fmin(1.0, fmax(0.0, d->time));
    size_t points = (size_t)p->point_count;
    size_t faces = (size_t)p->face_count + 1; // clustering writes one ahead
    d->points = toi_allocate(points * sizeof *d->points);
    d->normals = toi_allocate(points * sizeof *d->normals);
    d->loose = toi_allocate(points * sizeof *d->loose);
    d->faces = toi_allocate(faces * sizeof *d->faces);
    d->colours = toi_allocate(faces * sizeof *d->colours);
    d->seen = toi_allocate(faces * sizeof *d->seen);
    d->strokes = toi_allocate(((size_t)MOST_FACES + 2 * MOST_LOOSE + 2) * sizeof *d->strokes);
    d->marks = toi_allocate((size_t)MARK_COLUMNS * MARK_ROWS * sizeof *d->marks);
    toi_status status = create_buffer(&d->front, WIDTH, HEIGHT);
    bool all = d->points && d->normals && d->loose && d->faces && d->colours && d->seen &&
               d->strokes && d->marks;
    return all ? status : TOI_ERROR_MEMORY;
}

static void free_drawing(drawing *d)
{
    toi_release(d->points);
    toi_release(d->normals);
    toi_release(d->loose);
    toi_release(d->faces);
    toi_release(d->colours);
    toi_release(d->seen);
    toi_release(d->strokes);
    toi_release(d->marks);
    free_buffer(&d->front);
}

static toi_status write_picture(const char *path, drawing *d)
{
    output_file output;
    toi_status status = open_output(path, &output);
    if (status != TOI_OK)
        return status;
    FILE *o = output.file;
    print_header(o, d);
    print_line(o, d->p->title ? d->p->title : "", 54, 30.0, "font-weight:bold");
    print_line(o, d->p->subtitle ? d->p->subtitle : "", 84, 17.0, "fill:#667080");
    print_mesh(o, d);
    print_impacts(o, d);
    print_legend(o, d);
    return close_output(&output);
}

toi_status draw_picture(const char *path, const struct picture *p)
{
    drawing d;
    toi_status status = create_drawing(&d, p);
    if (status == TOI_OK) {
        place_points(&d);
        measure(&d);
        find_loose(&d);
        status = compose(&d);
    }
    if (status == TOI_OK)
        status = write_picture(path, &d);
    free_drawing(&d);
    return status;
}
