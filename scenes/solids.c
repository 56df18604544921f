// Triangle meshes of simple bodies: points from waves and square roots, faces from grids.

#include "solids.h"

#include "vec3.h"
#include "wave.h"

#include <stdlib.h>

static const double TURN = 6.283185307179586476925;

// ---------------------------------------------------------------------------------------------
// Memory

static toi_status start_solid(int64_t points, int64_t faces, toi_solid *solid)
{
    *solid = (toi_solid){0};
    if (points > INT32_MAX || faces > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "a body of %lld triangles has more than 2147483647",
                        (long long)faces);
    solid->points = toi_allocate((size_t)points * sizeof *solid->points);
    solid->faces = toi_allocate((size_t)faces * sizeof *solid->faces);
    if (!solid->points || !solid->faces) {
        toi_free_solid(solid);
        return TOI_ERROR_MEMORY;
    }
    return TOI_OK;
}

static void add_point(toi_solid *solid, vec3 p)
{
    put3(solid->points[solid->point_count++], p);
}

static void add_face(toi_solid *solid, int64_t a, int64_t b, int64_t c)
{
    int32_t *face = solid->faces[solid->face_count++];
    face[0] = (int32_t)a;
    face[1] = (int32_t)b;
    face[2] = (int32_t)c;
}

// Two triangles of the corners a, b, c, d, counter-clockwise as seen from outside.
static void add_square(toi_solid *solid, int64_t a, int64_t b, int64_t c, int64_t d)
{
    add_face(solid, a, b, c);
    add_face(solid, a, c, d);
}

void toi_free_solid(toi_solid *solid)
{
    toi_release(solid->points);
    toi_release(solid->faces);
    *solid = (toi_solid){0};
}

toi_point_view toi_solid_points(const toi_solid *solid)
{
    return toi_view_points((const double *)solid->points, solid->point_count);
}

toi_index_view toi_solid_faces(const toi_solid *solid)
{
    return (toi_index_view){(const int32_t *)solid->faces, solid->face_count, 0};
}

static int at_least(int count, int least)
{
    return count > least ? count : least;
}

// ---------------------------------------------------------------------------------------------
// Bodies of revolution: rings of points about z that are joined ring by ring

// Joins point k of `count` points a column, `columns` columns one after another, to point k + 1,
// around in both directions. The columns go counter-clockwise about z, and their points
// clockwise as seen along that way.
static void join_columns(toi_solid *solid, int64_t columns, int64_t count)
{
    for (int64_t i = 0; i < columns; ++i)
        for (int64_t k = 0; k < count; ++k) {
            int64_t here = count * i, there = count * ((i + 1) % columns), next = (k + 1) % count;
            add_square(solid, here + k, here + next, there + next, there + k);
        }
}

// How far the rim is from the axis, as a share of the tips' distance: four blades.
static double blade_share(double turns)
{
    double quarter = 4 * turns + 0.5;
    double from_tip = 2 * fabs(quarter - floor(quarter) - 0.5);
    return 1 - 0.64 * sqrt(from_tip);
}

toi_status toi_make_shuriken(int around, double radius, toi_solid *solid)
{
    int64_t columns = at_least(around, 3);
    toi_status status = start_solid(4 * columns, 8 * columns, solid);
    for (int64_t i = 0; i < columns && status == TOI_OK; ++i) {
        double turns = (double)i / (double)columns;
        wave w = scene_wave(turns);
        double rim = radius * blade_share(turns), hub = 0.16 * radius, hole = 0.14 * radius;
        double thickness = 0.03 * radius;
        add_point(solid, (vec3){rim * w.cos, rim * w.sin, 0});
        add_point(solid, (vec3){hub * w.cos, hub * w.sin, -thickness});
        add_point(solid, (vec3){hole * w.cos, hole * w.sin, 0});
        add_point(solid, (vec3){hub * w.cos, hub * w.sin, thickness});
    }
    if (status == TOI_OK)
        join_columns(solid, columns, 4);
    return status;
}

toi_status toi_make_ring(int around, int tube, double ring_radius, double tube_radius,
                         toi_solid *solid)
{
    int64_t columns = at_least(around, 3), count = at_least(tube, 3);
    toi_status status = start_solid(columns * count, 2 * columns * count, solid);
    for (int64_t i = 0; i < columns && status == TOI_OK; ++i) {
        wave w = scene_wave((double)i / (double)columns);
        for (int64_t k = 0; k < count; ++k) {
            wave t = scene_wave((double)k / (double)count);
            double r = ring_radius + tube_radius * t.cos;
            add_point(solid, (vec3){r * w.cos, r * w.sin, -tube_radius * t.sin});
        }
    }
    if (status == TOI_OK)
        join_columns(solid, columns, count);
    return status;
}

toi_status toi_make_hoop(int around, double radius, double height, toi_solid *solid)
{
    int64_t columns = at_least(around, 3);
    toi_status status = start_solid(2 * columns, 2 * columns, solid);
    for (int64_t i = 0; i < columns && status == TOI_OK; ++i) {
        wave w = scene_wave((double)i / (double)columns);
        add_point(solid, (vec3){radius * w.cos, radius * w.sin, -0.5 * height});
        add_point(solid, (vec3){radius * w.cos, radius * w.sin, 0.5 * height});
    }
    for (int64_t i = 0; i < columns && status == TOI_OK; ++i) {
        int64_t here = 2 * i, there = 2 * ((i + 1) % columns);
        add_square(solid, here, there, there + 1, here + 1);
    }
    return status;
}

toi_status toi_make_pyramid(int around, double radius, double height, toi_solid *solid)
{
    int64_t corners = at_least(around, 3);
    toi_status status = start_solid(corners + 1, 2 * corners - 2, solid);
    for (int64_t i = 0; i < corners && status == TOI_OK; ++i) {
        wave w = scene_wave((double)i / (double)corners);
        add_point(solid, (vec3){radius * w.cos, radius * w.sin, 0});
    }
    if (status != TOI_OK)
        return status;
    add_point(solid, (vec3){0, 0, height});
    for (int64_t i = 0; i < corners; ++i)
        add_face(solid, i, (i + 1) % corners, corners);
    for (int64_t i = 1; i + 1 < corners; ++i)
        add_face(solid, 0, i + 1, i);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Bodies with flat sides, and what is made of them

// Squares between (cells + 1)^2 points, row after row from point `first` on.
static void join_grid(toi_solid *solid, int64_t first, int64_t cells)
{
    for (int64_t i = 0; i < cells; ++i)
        for (int64_t j = 0; j < cells; ++j) {
            int64_t o = first + i * (cells + 1) + j;
            add_square(solid, o, o + cells + 1, o + cells + 2, o + 1);
        }
}

toi_status toi_make_plate(int cells, double side, toi_solid *solid)
{
    int64_t n = at_least(cells, 1);
    toi_status status = start_solid((n + 1) * (n + 1), 2 * n * n, solid);
    for (int64_t i = 0; i <= n && status == TOI_OK; ++i)
        for (int64_t j = 0; j <= n; ++j)
            add_point(solid, (vec3){side * ((double)i / (double)n - 0.5),
                                    side * ((double)j / (double)n - 0.5), 0});
    if (status == TOI_OK)
        join_grid(solid, 0, n);
    return status;
}

toi_status toi_make_block(const double half[3], toi_solid *solid)
{
    // Corner i is high in x, y, z where bits 0, 1, 2 are.
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    toi_status status = start_solid(8, 12, solid);
    for (int i = 0; i < 8 && status == TOI_OK; ++i)
        add_point(solid, (vec3){i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                i & 4 ? half[2] : -half[2]});
    for (int i = 0; i < 6 && status == TOI_OK; ++i)
        add_square(solid, sides[i][0], sides[i][1], sides[i][2], sides[i][3]);
    return status;
}

static double sine(double angle)
{
    return scene_wave(angle / TURN).sin;
}

// x^32: a bump as narrow as a limb.
static double narrow(double x)
{
    for (int i = 0; i < 5; ++i)
        x *= x;
    return x;
}

// How far the surface is from the middle in a direction, as a share of the radius.
static double bumpy_share(vec3 p)
{
    static const vec3 limbs[4] = {
        {0.8, 0.2, -0.55}, {-0.7, 0.3, -0.6}, {0.3, 0.8, 0.5}, {-0.2, -0.9, 0.3}};
    double share = 1 + 0.08 * sine(9 * p.x + 1) * sine(8 * p.y + 2) * sine(7 * p.z) +
                   0.02 * sine(31 * p.x) * sine(29 * p.y + 1) * sine(33 * p.z + 2);
    for (int i = 0; i < 4; ++i) {
        double along = dot3(p, unit3(limbs[i]));
        share += along > 0 ? 0.6 * narrow(along) : 0;
    }
    return share;
}

// A point of a side of the cube that the ball is made of; both directions span even angles.
static vec3 cube_side_point(int side, double a, double b)
{
    const vec3 points[6] = {{1, a, b}, {-1, b, a}, {b, 1, a}, {a, -1, b}, {a, b, 1}, {b, a, -1}};
    return points[side];
}

// The tangent of an eighth of a turn times x, from -1 to 1. The ends are exact: seams fit.
static double even_angle(double x)
{
    wave w = scene_wave(fabs(x) / 8);
    double tangent = fabs(x) == 1 ? 1 : w.sin / w.cos;
    return x < 0 ? -tangent : tangent;
}

// ---------------------------------------------------------------------------------------------
// Seams

typedef struct numbered_point
{
    double at[3];
    int32_t index;
} numbered_point;

static int compare_points(const void *a, const void *b)
{
    const numbered_point *p = a, *q = b;
    for (int i = 0; i < 3; ++i)
        if (p->at[i] != q->at[i])
            return p->at[i] < q->at[i] ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static bool same_place(const numbered_point *p, const numbered_point *q)
{
    return p->at[0] == q->at[0] && p->at[1] == q->at[1] && p->at[2] == q->at[2];
}

// Names the first of equal points in all faces. The others stay, and belong to no face.
static toi_status weld(toi_solid *solid)
{
    size_t count = (size_t)solid->point_count;
    numbered_point *sorted = toi_allocate(count * sizeof *sorted);
    int32_t *first = toi_allocate(count * sizeof *first);
    for (size_t i = 0; i < count && sorted && first; ++i) {
        const double *p = solid->points[i];
        sorted[i] = (numbered_point){{p[0], p[1], p[2]}, (int32_t)i};
    }
    if (sorted && first)
        qsort(sorted, count, sizeof *sorted, compare_points);
    for (size_t i = 0; i < count && sorted && first; ++i)
        first[sorted[i].index] = i > 0 && same_place(&sorted[i - 1], &sorted[i])
                                     ? first[sorted[i - 1].index]
                                     : sorted[i].index;
    for (int64_t f = 0; f < solid->face_count && sorted && first; ++f)
        for (int k = 0; k < 3; ++k)
            solid->faces[f][k] = first[solid->faces[f][k]];
    toi_status status = sorted && first ? TOI_OK : TOI_ERROR_MEMORY;
    toi_release(sorted);
    toi_release(first);
    return status;
}

toi_status toi_make_bumpy_ball(int cells, double radius, toi_solid *solid)
{
    int64_t n = at_least(cells, 1), points = (n + 1) * (n + 1);
    toi_status status = start_solid(6 * points, 12 * n * n, solid);
    for (int side = 0; side < 6 && status == TOI_OK; ++side) {
        for (int64_t i = 0; i <= n; ++i)
            for (int64_t j = 0; j <= n; ++j) {
                double a = even_angle((double)(2 * i - n) / (double)n);
                double b = even_angle((double)(2 * j - n) / (double)n);
                vec3 p = unit3(cube_side_point(side, a, b));
                add_point(solid, scale3(radius * bumpy_share(p), p));
            }
        join_grid(solid, side * points, n);
    }
    if (status == TOI_OK)
        status = weld(solid);
    if (status != TOI_OK)
        toi_free_solid(solid);
    return status;
}
