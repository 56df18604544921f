// Primitives without extent, and sizes at the ends of what doubles hold.

#include "cases_parts.h"

static const vec3 STILL = {0, 0, 0};
static const vec3 DOWN = {0, 0, -2};

static void make_flat_face(case_mesh *mesh, double nudge)
{
    const vec3 corners[3] = {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}};
    add_triangle(mesh, corners, STILL);
    add_point(mesh, (vec3){1, nudge, 1}, (vec3){1, nudge, -1});
}

static void make_point_face(case_mesh *mesh, double nudge)
{
    const vec3 corners[3] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    add_triangle(mesh, corners, STILL);
    add_point(mesh, (vec3){1, 1 + nudge, 1}, (vec3){1, 1 + nudge, -1});
}

static void make_point_edge(case_mesh *mesh, double nudge)
{
    add_segment(mesh, (vec3){-1, 0, 0}, (vec3){2, 0, 0}, STILL);
    add_segment(mesh, (vec3){1, nudge, 1}, (vec3){1, nudge, 1}, DOWN);
}

static void make_named_twice(case_mesh *mesh, double nudge)
{
    int a = add_point(mesh, (vec3){0, 0, 0}, (vec3){0, 0, 0});
    int b = add_point(mesh, (vec3){4, 0, 0}, (vec3){4, 0, 0});
    add_face(mesh, a, b, b);
    int c = add_point(mesh, (vec3){1, nudge, 1}, (vec3){1, nudge, -1});
    add_edge(mesh, c, c);
}

// A face that has no area at t = 1/2 only, when a vertex falls through it.
static void make_collapsing_face(case_mesh *mesh, double nudge)
{
    add_point(mesh, (vec3){0, 0, 0}, (vec3){0, 0, 0});
    add_point(mesh, (vec3){4, 0, 0}, (vec3){4, 0, 0});
    add_point(mesh, (vec3){2, 2, 0}, (vec3){2, -2, 0});
    add_face(mesh, 0, 1, 2);
    add_point(mesh, (vec3){1, nudge, 1}, (vec3){1, nudge, -1});
}

static void make_points_only(case_mesh *mesh, double nudge)
{
    for (int i = 0; i < 8; ++i)
        add_point(mesh, (vec3){i, nudge, 0}, (vec3){-i, nudge, 0});
}

static void make_bullet(case_mesh *mesh, double size)
{
    const vec3 wall[3] = {{0, -1024, -1024}, {0, 1024, -1024}, {0, 0, 1024}};
    const vec3 bullet[3] = {{-1, 0, 0}, {-1 - size, size, 0}, {-1 - size, -size, 0}};
    add_triangle(mesh, wall, STILL);
    add_triangle(mesh, bullet, (vec3){1024, 0, 0});
}

// Differences of these coordinates, and their products all the more, are beyond the doubles.
static void make_largest(case_mesh *mesh, double size)
{
    const vec3 corners[3] = {{-size, -size, 0}, {size, -size, 0}, {0, size, 0}};
    add_triangle(mesh, corners, STILL);
    add_point(mesh, (vec3){0, 0, size}, (vec3){0, 0, -size});
}

static void make_largest_edges(case_mesh *mesh, double size)
{
    add_segment(mesh, (vec3){-size, 0, 0}, (vec3){size, 0, 0}, STILL);
    int left = add_point(mesh, (vec3){0, -size, size}, (vec3){0, -size, -size});
    add_edge(mesh, left, add_point(mesh, (vec3){0, size, size}, (vec3){0, size, -size}));
}

// A vertex over a face far smaller than the distance to the origin.
static void make_far_away(case_mesh *mesh, double distance)
{
    const vec3 corners[3] = {{distance, 0, 0}, {distance + 4, 0, 0}, {distance, 4, 0}};
    add_triangle(mesh, corners, STILL);
    add_point(mesh, (vec3){distance + 1, 1, 1}, (vec3){distance + 1, 1, -2});
}

static const case_family FAMILIES[] = {
    {"flat-face",
     "A vertex falls on a face without area, three corners in a line: its normal is zero, but it "
     "is "
     "a segment and is hit at t = 1/2.",
     make_flat_face,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {1, 0}},
    {"flat-face-beside",
     "It falls past the segment, the least double beside: free.",
     make_flat_face,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"point-face",
     "A face whose corners are one point is a point, and is hit at t = 1/2.",
     make_point_face,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {1, 0}},
    {"point-face-beside",
     "One unit in the last place beside that point: free.",
     make_point_face,
     0x1p-52,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"point-edge",
     "An edge of length zero falls on another: a point on an edge, t = 1/2.",
     make_point_edge,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {0, 1}},
    {"point-edge-beside",
     "It falls past it, the least double beside: free.",
     make_point_edge,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"named-twice",
     "A face that names a vertex twice, degenerate by index, is the segment that it spans and is "
     "hit "
     "at t = 1/2. An edge from a vertex to itself is none, and its vertex is what falls.",
     make_named_twice,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {1, 0}},
    {"collapsing-face",
     "A face turns inside out and has no area just when a vertex passes: the inside test divides "
     "by zero at the root. It is hit at t = 1/2.",
     make_collapsing_face,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {1, 0}},
    {"points-only",
     "Points that all meet in one place, and no faces or edges: points have no contacts in a mesh, "
     "and empty lists must not hurt.",
     make_points_only,
     0,
     CASE_SHIFTED,
     NEVER,
     {0, 0}},
    {"bullet",
     "A triangle of size 2^-10 flies 2^10 far through a face of size 2^11 in one step: a million "
     "to "
     "one in size and in speed. Its tip at t = 1/1024.",
     make_bullet,
     0x1p-10,
     CASE_MOVED,
     AT_TIME(1, 1024),
     {3, 0}},
    {"largest",
     "Coordinates of 2^1023: the differences of two overflow, and every method that subtracts "
     "first has infinities. t = 1/2.",
     make_largest,
     0x1p1023,
     CASE_ALONE,
     AT_TIME(1, 2),
     {1, 0}},
    {"largest-edges",
     "The same for edges.",
     make_largest_edges,
     0x1p1023,
     CASE_ALONE,
     AT_TIME(1, 2),
     {0, 1}},
    {"least",
     "Coordinates of 2^-1074, the least double: products underflow to zero, and everything looks "
     "coplanar. t = 1/2.",
     make_largest,
     0x1p-1074,
     CASE_ALONE,
     AT_TIME(1, 2),
     {1, 0}},
    {"least-edges",
     "The same for edges.",
     make_largest_edges,
     0x1p-1074,
     CASE_ALONE,
     AT_TIME(1, 2),
     {0, 1}},
    {"far-away",
     "A small face 2^50 from the origin: coordinates have two binary digits left for the shape. "
     "t = 1/3.",
     make_far_away,
     0x1p50,
     CASE_ALONE,
     AT_TIME(1, 3),
     {1, 0}},
};

const case_list CASES_EXTREMES = {FAMILIES, LENGTH_OF(FAMILIES)};
