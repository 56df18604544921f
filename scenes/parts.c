// Lays out the parts of a scene and fills their faces and edges.

#include "parts.h"

#include "wave.h"

#include <assert.h>
#include <string.h>

// Writes elements one after the other.
typedef struct writer
{
    toi_animation *scene;
    int64_t face;
    int64_t edge;
} writer;

static void put_face(writer *w, int64_t a, int64_t b, int64_t c)
{
    int32_t *face = w->scene->faces[w->face++];
    face[0] = (int32_t)a;
    face[1] = (int32_t)b;
    face[2] = (int32_t)c;
}

static void put_quad(writer *w, int64_t a, int64_t b, int64_t c, int64_t d)
{
    put_face(w, a, b, c);
    put_face(w, a, c, d);
}

static void write_grid(writer *w, const scene_part *part, int64_t first)
{
    for (int64_t row = 0; row + 1 < part->b; ++row) {
        for (int64_t column = 0; column + 1 < part->a; ++column) {
            int64_t p = first + row * part->a + column;
            // Diagonals alternate, so that folds have no preferred direction.
            if ((row + column) % 2)
                put_quad(w, p, p + 1, p + 1 + part->a, p + part->a);
            else
                put_quad(w, p + 1, p + 1 + part->a, p + part->a, p);
        }
    }
}

static void write_tube(writer *w, const scene_part *part, int64_t first)
{
    for (int64_t ring = 0; ring + 1 < part->b; ++ring) {
        int64_t low = first + ring * part->a;
        for (int64_t side = 0; side < part->a; ++side) {
            int64_t next = (side + 1) % part->a;
            put_quad(w, low + side, low + next, low + next + part->a, low + side + part->a);
        }
    }
}

static void write_line(writer *w, const scene_part *part, int64_t first)
{
    for (int64_t i = 0; i + 1 < part->a; ++i) {
        int32_t *edge = w->scene->edges[w->edge++];
        edge[0] = (int32_t)(first + i);
        edge[1] = (int32_t)(first + i + 1);
    }
}

static void write_triangle(writer *w, const scene_part *part, int64_t first)
{
    (void)part;
    put_face(w, first, first + 1, first + 2);
}

// The first point of ring 0 .. 2a of a ball; the poles are rings of one point.
static int64_t ball_ring(int64_t a, int64_t ring)
{
    if (ring == 0)
        return 0;
    if (ring <= a)
        return 1 + 2 * ring * (ring - 1);
    int64_t left = 2 * a - ring; // by symmetry: the points from this ring on
    return 4 * a * a + 1 - 2 * left * (left + 1);
}

// The points between a ring and the next wider one: a quarter of them is a strip of triangles.
static void write_ball_strip(writer *w, int64_t inner, int64_t outer, int64_t rank, bool flip)
{
    int64_t inner_count = rank ? 4 * rank : 1;
    int64_t outer_count = 4 * (rank + 1);
    for (int64_t quarter = 0; quarter < 4; ++quarter) {
        for (int64_t i = 0; i <= rank; ++i) {
            int64_t in = inner + (quarter * rank + i) % inner_count;
            int64_t in_next = inner + (quarter * rank + i + 1) % inner_count;
            int64_t out = outer + quarter * (rank + 1) + i;
            int64_t out_next = outer + (quarter * (rank + 1) + i + 1) % outer_count;
            put_face(w, in, flip ? out_next : out, flip ? out : out_next);
            if (i < rank)
                put_face(w, in, flip ? in_next : out_next, flip ? out_next : in_next);
        }
    }
}

static void write_ball(writer *w, const scene_part *part, int64_t first)
{
    int64_t a = part->a;
    for (int64_t rank = 0; rank < a; ++rank) {
        write_ball_strip(w, first + ball_ring(a, rank), first + ball_ring(a, rank + 1), rank,
                         false);
        write_ball_strip(w, first + ball_ring(a, 2 * a - rank),
                         first + ball_ring(a, 2 * a - rank - 1), rank, true);
    }
}

static void write_box(writer *w, int64_t first)
{
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; ++i)
        put_quad(w, first + sides[i][0], first + sides[i][1], first + sides[i][2],
                 first + sides[i][3]);
}

int64_t notched_profile(int64_t a, int family, int end, int64_t index)
{
    return (2 * family + end) * (3 * a + 2) + index;
}

int64_t notched_border(int64_t a, int family, int end, int64_t index)
{
    return 4 * (3 * a + 2) + (2 * family + end) * a + index;
}

// A fan over a convex polygon, turned over where `flip` says so.
static void put_polygon(writer *w, const int64_t *corners, int count, bool flip)
{
    for (int i = 1; i + 1 < count; ++i)
        put_face(w, corners[0], corners[flip ? i + 1 : i], corners[flip ? i : i + 1]);
}

// The flat strip from an outer profile to the first notch. Its outer side has the points across
// from the notches of the other family: a fan over them.
static void write_notched_strip(writer *w, int64_t a, int64_t first, int family, int side)
{
    int64_t outer = side ? 3 * a + 1 : 0, inner = side ? 3 * a : 1;
    int64_t low = first + notched_profile(a, family, 0, outer);
    int64_t high = first + notched_profile(a, family, 1, outer);
    int64_t far = first + notched_profile(a, family, 1, inner);
    int64_t last = low;
    for (int64_t i = 0; i <= a; ++i) {
        int64_t next = i < a ? first + notched_border(a, 1 - family, side, i) : high;
        put_polygon(w, (int64_t[]){far, last, next}, 3, side == 0);
        last = next;
    }
    int64_t near = first + notched_profile(a, family, 0, inner);
    put_polygon(w, (int64_t[]){near, low, far}, 3, side == 0);
}

// An end of the notches: between two of them a hexagon, at the sides of the block pentagons.
static void write_notched_end(writer *w, int64_t a, int64_t first, int family, int end)
{
    int64_t profile = first + notched_profile(a, family, end, 0);
    int64_t border = first + notched_border(a, family, end, 0);
    int64_t corner = end ? 3 * a + 1 : 0;
    for (int64_t gap = 0; gap <= a; ++gap) {
        int64_t corners[6];
        int count = 0;
        corners[count++] = profile + 3 * gap;
        corners[count++] = profile + 3 * gap + 1;
        if (gap < a)
            corners[count++] = profile + 3 * gap + 2;
        corners[count++] =
            gap < a ? border + gap : first + notched_profile(a, 1 - family, 1, corner);
        corners[count++] =
            gap > 0 ? border + gap - 1 : first + notched_profile(a, 1 - family, 0, corner);
        if (gap > 0)
            corners[count++] = profile + 3 * gap - 1;
        put_polygon(w, corners, count, end == 0);
    }
}

static void write_notched(writer *w, const scene_part *part, int64_t first)
{
    int64_t a = part->a;
    for (int family = 0; family < 2; ++family) {
        int64_t low = first + notched_profile(a, family, 0, 0);
        int64_t high = first + notched_profile(a, family, 1, 0);
        for (int64_t i = 1; i < 3 * a; ++i)
            put_quad(w, low + i, low + i + 1, high + i + 1, high + i);
        for (int side = 0; side < 2; ++side) {
            write_notched_strip(w, a, first, family, side);
            write_notched_end(w, a, first, family, side);
        }
    }
}

typedef struct part_counts
{
    int64_t points;
    int64_t faces;
    int64_t edges;
} part_counts;

static part_counts count_copy(const scene_part *part)
{
    int64_t a = part->a;
    int64_t b = part->b;
    switch (part->kind) {
    case PART_GRID:
        return (part_counts){a * b, 2 * (a - 1) * (b - 1), 0};
    case PART_BALL:
        return (part_counts){4 * a * a + 2, 8 * a * a, 0};
    case PART_BOX:
        return (part_counts){8, 12, 0};
    case PART_TUBE:
        return (part_counts){a * b, 2 * a * (b - 1), 0};
    case PART_LINE:
        return (part_counts){a, 0, a - 1};
    case PART_DUST:
        return (part_counts){a, 0, 0};
    case PART_NOTCHED:
        return (part_counts){16 * a + 8, 32 * a + 12, 0};
    case PART_TRIANGLE:
        break;
    }
    return (part_counts){3, 1, 0};
}

static void write_copy(writer *w, const scene_part *part, int64_t first)
{
    switch (part->kind) {
    case PART_GRID:
        write_grid(w, part, first);
        break;
    case PART_BALL:
        write_ball(w, part, first);
        break;
    case PART_BOX:
        write_box(w, first);
        break;
    case PART_TUBE:
        write_tube(w, part, first);
        break;
    case PART_LINE:
        write_line(w, part, first);
        break;
    case PART_DUST:
        break;
    case PART_TRIANGLE:
        write_triangle(w, part, first);
        break;
    case PART_NOTCHED:
        write_notched(w, part, first);
        break;
    }
}

static void write_parts(const scene_part *parts, int count, toi_animation *scene)
{
    writer w = {.scene = scene};
    int32_t group = 0;
    for (int i = 0; i < count; ++i) {
        for (int64_t copy = 0; copy < parts[i].copies; ++copy, ++group) {
            int64_t first = parts[i].first + copy * parts[i].stride;
            write_copy(&w, &parts[i], first);
            for (int64_t p = 0; p < parts[i].stride; ++p)
                scene->groups[first + p] = group;
        }
    }
    assert(w.face == scene->face_count && w.edge == scene->edge_count);
}

// `count` elements of `size` bytes, or NULL and the message.
static void *allocate_array(int64_t count, size_t size)
{
    if ((uint64_t)count <= SIZE_MAX / size)
        return toi_allocate((size_t)count * size);
    toi_fail(TOI_ERROR_MEMORY, "%lld elements of %zu bytes are more than can be addressed",
             (long long)count, size);
    return NULL;
}

static toi_status allocate_scene(toi_animation *scene)
{
    scene->points = allocate_array(scene->frames * scene->point_count, sizeof *scene->points);
    scene->faces = allocate_array(scene->face_count, sizeof *scene->faces);
    scene->edges = allocate_array(scene->edge_count, sizeof *scene->edges);
    scene->groups = allocate_array(scene->point_count, sizeof *scene->groups);
    bool all = scene->points && scene->faces && scene->edges && scene->groups;
    return all ? TOI_OK : TOI_ERROR_MEMORY;
}

toi_status lay_out_parts(const toi_animation_def *def, int64_t length, scene_part *parts, int count,
                         toi_animation *scene)
{
    // def->size is below 2^31 and no scene has more than a few elements for each, so that these
    // sums fit 64 bits, and so does their product with the frames.
    *scene = (toi_animation){.frames = def->frames, .length = length};
    for (int i = 0; i < count; ++i) {
        part_counts copy = count_copy(&parts[i]);
        parts[i].first = scene->point_count;
        parts[i].stride = copy.points;
        scene->point_count += parts[i].copies * copy.points;
        scene->face_count += parts[i].copies * copy.faces;
        scene->edge_count += parts[i].copies * copy.edges;
    }
    if (scene->point_count > INT32_MAX || scene->face_count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT,
                        "the scene would have %lld points and %lld faces; indices end at %d",
                        (long long)scene->point_count, (long long)scene->face_count, INT32_MAX);
    toi_status status = allocate_scene(scene);
    if (status == TOI_OK)
        write_parts(parts, count, scene);
    return status;
}

double (*part_points(const toi_animation *scene, int frame, const scene_part *part,
                     int64_t copy))[3]
{
    return scene->points + frame * scene->point_count + part->first + copy * part->stride;
}

double frame_time(const toi_animation_def *def, const toi_animation *scene, int frame)
{
    double length = (double)scene->length;
    int64_t first = (int64_t)(def->begin * length + 0.5);
    return (double)(first + frame) / length;
}

void *scene_scratch(int64_t count, size_t size)
{
    void *memory = allocate_array(count, size);
    if (memory)
        memset(memory, 0, (size_t)count * size);
    return memory;
}

int64_t side_of(double area, int64_t least)
{
    int64_t side = (int64_t)(sqrt(area) + 0.5);
    return side < least ? least : side;
}

int64_t cube_side_of(int64_t count)
{
    int64_t side = 1;
    while (side * side * side < count)
        ++side;
    return side;
}

vec3 cube_cell(int64_t index, int64_t side)
{
    int64_t x = index % side;
    int64_t y = index / side % side;
    int64_t z = index / side / side;
    return (vec3){(double)x + 0.5, (double)y + 0.5, (double)z + 0.5};
}

vec3 flat_point(int64_t index, int64_t points, double width)
{
    double edge = width / (double)(points - 1);
    int64_t column = index % points;
    int64_t row = index / points;
    return (vec3){(double)column * edge - 0.5 * width, (double)row * edge - 0.5 * width, 0.0};
}

void unit_ball(int64_t a, vec3 *points)
{
    for (int64_t ring = 0; ring <= 2 * a; ++ring) {
        int64_t rank = ring <= a ? ring : 2 * a - ring;
        int64_t count = rank ? 4 * rank : 1;
        wave polar = scene_wave((double)ring / (double)(4 * a));
        for (int64_t i = 0; i < count; ++i) {
            wave around = scene_wave((double)i / (double)count);
            *points++ = (vec3){polar.sin * around.cos, polar.sin * around.sin, polar.cos};
        }
    }
}
