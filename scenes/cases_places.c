// Places that belong to several primitives: vertices on edges and on vertices, edges along edges,
// motion within one plane, meshes whose parts coincide without being joined.

#include "cases_parts.h"

static const vec3 STILL = {0, 0, 0};
static const vec3 DOWN = {0, 0, -2};

static void make_vertex_on_edge(case_mesh *mesh, double nudge)
{
    grid ground = {1, 1, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    add_grid(mesh, &ground, STILL);
    add_point(mesh, (vec3){2, 2 + nudge, 1}, (vec3){2, 2 + nudge, -1});
}

// Six faces around the origin, `depth` deep at the rim.
static void add_fan(case_mesh *mesh, double depth)
{
    static const double rim[6][2] = {{4, 0}, {2, 4}, {-2, 4}, {-4, 0}, {-2, -4}, {2, -4}};
    int middle = add_point(mesh, STILL, STILL);
    for (int i = 0; i < 6; ++i) {
        vec3 at = {rim[i][0], rim[i][1], -depth};
        add_point(mesh, at, at);
    }
    for (int i = 0; i < 6; ++i)
        add_face(mesh, middle, middle + 1 + i, middle + 1 + (i + 1) % 6);
}

static void make_vertex_on_vertex(case_mesh *mesh, double nudge)
{
    add_fan(mesh, 0);
    add_point(mesh, (vec3){nudge, nudge, 1}, (vec3){nudge, nudge, -1});
}

static void make_edge_on_vertex(case_mesh *mesh, double nudge)
{
    add_fan(mesh, 4);
    add_segment(mesh, (vec3){-3, nudge - 1, 1}, (vec3){3, nudge + 1, 1}, DOWN);
}

// An edge slides on its own line towards another, and over it.
static void make_collinear_edges(case_mesh *mesh, double nudge)
{
    add_segment(mesh, (vec3){0, 0, 0}, (vec3){1, 0, 0}, STILL);
    add_segment(mesh, (vec3){3, nudge, 0}, (vec3){4, nudge, 0}, (vec3){-4, 0, 0});
}

static void make_parallel_edges(case_mesh *mesh, double nudge)
{
    add_segment(mesh, (vec3){0, 0, 0}, (vec3){4, 0, 0}, STILL);
    add_segment(mesh, (vec3){2, nudge, 1}, (vec3){6, nudge, 1}, DOWN);
}

static void make_coplanar(case_mesh *mesh, double shift)
{
    const vec3 still[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const vec3 arrow[3] = {{-3, 1 + shift, 0}, {-5, shift, 0}, {-5, 2 + shift, 0}};
    add_triangle(mesh, still, STILL);
    add_triangle(mesh, arrow, (vec3){4, 0, 0});
}

// Two halves of a square, each with its own corners.
static void make_unwelded(case_mesh *mesh, double gap)
{
    const vec3 lower[3] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}};
    const vec3 upper[3] = {{0, 0, gap}, {4, 4, gap}, {0, 4, gap}};
    add_triangle(mesh, lower, (vec3){1, 2, 0});
    add_triangle(mesh, upper, (vec3){1, 2, 0});
}

static void make_twins(case_mesh *mesh, double gap)
{
    const vec3 one[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const vec3 other[3] = {{0, 0, gap}, {4, 0, gap}, {0, 4, gap}};
    add_triangle(mesh, one, (vec3){1, 2, 0});
    add_triangle(mesh, other, (vec3){1, 2, 0});
}

static void make_wire_net(case_mesh *mesh, double nudge)
{
    for (int i = 0; i < 4; ++i) {
        add_segment(mesh, (vec3){-4, i, 0}, (vec3){4, i, 0}, STILL);
        add_segment(mesh, (vec3){i - nudge, -4, 1}, (vec3){i + nudge, 4, 1}, DOWN);
    }
}

static const case_family FAMILIES[] = {
    {"vertex-on-edge",
     "A vertex falls exactly on the edge between two faces: tests that round may find it outside "
     "of both. Both faces at t = 1/2.",
     make_vertex_on_edge,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {2, 0}},
    {"vertex-on-edge-beside",
     "One unit in the last place off the edge it meets one face, not two and not none.",
     make_vertex_on_edge,
     0x1p-51,
     CASE_SCALED,
     AT_TIME(1, 2),
     {1, 0}},
    {"vertex-on-vertex",
     "A vertex falls exactly on the vertex of a fan: all six faces or a leak.",
     make_vertex_on_vertex,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {6, 0}},
    {"vertex-on-vertex-beside",
     "A hair beside the vertex it meets one of the six faces only.",
     make_vertex_on_vertex,
     0x1p-60,
     CASE_ALONE,
     AT_TIME(1, 2),
     {1, 0}},
    {"edge-on-vertex",
     "An edge falls on the top of a cone: all six edges that meet there, each at its end.",
     make_edge_on_vertex,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {0, 6}},
    {"collinear-edges",
     "Two edges on one line, one sliding onto the other: in a plane in every sense, the cross "
     "product of the edges zero at all times. Ends meet at t = 1/2.",
     make_collinear_edges,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {0, 1}},
    {"collinear-edges-apart",
     "The lines are the least double apart: parallel edges pass, still coplanar at all times.",
     make_collinear_edges,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"parallel-edges",
     "An edge falls on a parallel one that it overlaps by half: coplanar all the time, touching "
     "at t = 1/2 only, along a segment.",
     make_parallel_edges,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {0, 1}},
    {"parallel-edges-apart",
     "It falls past it, the least double beside.",
     make_parallel_edges,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"coplanar",
     "Two triangles in one plane run into each other: no polynomial has a root of use, since all "
     "are zero. The arrow's tip meets a side at t = 3/4.",
     make_coplanar,
     0,
     CASE_MOVED,
     AT_TIME(3, 4),
     {1, 2}},
    {"coplanar-corner",
     "The arrow's flank touches a corner when the step ends, and not before: a corner on a side, "
     "in the plane, at t = 1.",
     make_coplanar,
     -1.5,
     CASE_SHIFTED,
     AT_TIME(1, 1),
     {1, 2}},
    {"coplanar-past",
     "One unit in the last place lower it passes the corner without touching.",
     make_coplanar,
     -1.5 - 0x1p-51,
     CASE_SCALED,
     NEVER,
     {0, 0}},
    {"unwelded",
     "Two halves of a square that share a side by position, not by vertices, and move together: in "
     "contact at t = 0 and always. Two corners on the other half, twice; seven pairs of edges.",
     make_unwelded,
     0,
     CASE_MOVED,
     AT_TIME(0, 1),
     {4, 7}},
    {"unwelded-apart",
     "The halves are the least double apart and stay so: free.",
     make_unwelded,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"twins",
     "The same triangle twice, with vertices that coincide: everything touches everything at t = "
     "0.",
     make_twins,
     0,
     CASE_MOVED,
     AT_TIME(0, 1),
     {6, 9}},
    {"twins-apart",
     "Twins the least double apart that move together: free.",
     make_twins,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"wire-net",
     "Four wires fall on four others: no faces at all, sixteen crossings at one instant.",
     make_wire_net,
     0.25,
     CASE_MOVED,
     AT_TIME(1, 2),
     {0, 16}},
};

const case_list CASES_PLACES = {FAMILIES, LENGTH_OF(FAMILIES)};
