// Times that are hard to tell: contact all the time, at the ends of the step only, twice, as a
// double root, and at roots that are no fractions.

#include "cases_parts.h"

static const vec3 STILL = {0, 0, 0};

// The face (0,0) (4,0) (0,4) of the plane z = 0.
static void add_floor(case_mesh *mesh)
{
    const vec3 corners[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    add_triangle(mesh, corners, STILL);
}

static void make_resting_edges(case_mesh *mesh, double height)
{
    add_segment(mesh, (vec3){-1, 0, 0}, (vec3){2, 0, 0}, (vec3){1, 2, 0});
    add_segment(mesh, (vec3){0, -2, height}, (vec3){0, 1, height}, (vec3){1, 2, 0});
}

static void make_sliding_edges(case_mesh *mesh, double height)
{
    add_segment(mesh, (vec3){-4, 0, 0}, (vec3){4, 0, 0}, STILL);
    add_segment(mesh, (vec3){-3, -1, height}, (vec3){-3, 1, height}, (vec3){6, 0, 0});
}

static void make_resting_box(case_mesh *mesh, double height)
{
    grid ground = {4, 4, {-4, -4, 0}, {2, 0, 0}, {0, 2, 0}};
    add_grid(mesh, &ground, STILL);
    add_box(mesh, (vec3){-1, -1, height}, (vec3){1, 1, 2}, STILL);
}

// The plane z = t x turns about the y axis. A point at x = 4t, z = 4t - 1 + rise is above it where
// 4t^2 - 4t + 1 < rise: not at all, at t = 1/2, or for a while around it.
static void make_ramp(case_mesh *mesh, double rise)
{
    add_point(mesh, (vec3){0, -4, 0}, (vec3){0, -4, 0});
    add_point(mesh, (vec3){0, 4, 0}, (vec3){0, 4, 0});
    add_point(mesh, (vec3){4, 0, 0}, (vec3){4, 0, 4});
    add_face(mesh, 0, 1, 2);
    add_point(mesh, (vec3){0, 0, -1 + rise}, (vec3){4, 0, 3 + rise});
}

// The same with an edge along the slope and one across.
static void make_ramp_edges(case_mesh *mesh, double rise)
{
    int hinge = add_point(mesh, STILL, STILL);
    add_edge(mesh, hinge, add_point(mesh, (vec3){4, 0, 0}, (vec3){4, 0, 4}));
    int left = add_point(mesh, (vec3){0, -1, -1 + rise}, (vec3){4, -1, 3 + rise});
    add_edge(mesh, left, add_point(mesh, (vec3){0, 1, -1 + rise}, (vec3){4, 1, 3 + rise}));
}

// The point stays at height 1/2 while the plane z = t x rises under it: 4t^2 = 1/2.
static void make_square_root(case_mesh *mesh, double height)
{
    make_ramp(mesh, 0);
    mesh->start[3][2] = mesh->end[3][2] = height;
}

// The normal of the face (0,0,0) (4,4t,0) (0,4,4t) is 16 (t^2, -t, 1), and a point at (1+t, 1, h)
// is in its plane where t^3 + t^2 - t + h = 0.
static void make_cubic(case_mesh *mesh, double height)
{
    add_point(mesh, STILL, STILL);
    add_point(mesh, (vec3){4, 0, 0}, (vec3){4, 4, 0});
    add_point(mesh, (vec3){0, 4, 0}, (vec3){0, 4, 4});
    add_face(mesh, 0, 1, 2);
    add_point(mesh, (vec3){1, 1, height}, (vec3){2, 1, height});
}

static void make_last_moment(case_mesh *mesh, double height)
{
    add_floor(mesh);
    add_point(mesh, (vec3){1, 1, 1}, (vec3){1, 1, height});
}

static void make_first_moment(case_mesh *mesh, double height)
{
    add_floor(mesh);
    add_point(mesh, (vec3){1, 1, height}, (vec3){1, 1, 1});
}

static void make_last_edges(case_mesh *mesh, double height)
{
    add_segment(mesh, (vec3){-1, 0, 0}, (vec3){2, 0, 0}, STILL);
    int left = add_point(mesh, (vec3){0, -2, 1}, (vec3){0, -2, height});
    add_edge(mesh, left, add_point(mesh, (vec3){0, 1, 1}, (vec3){0, 1, height}));
}

// Two points over the floor, the second of which starts a little lower.
static void make_same_double(case_mesh *mesh, double rise)
{
    add_floor(mesh);
    add_point(mesh, (vec3){1, 1, 1 + rise}, (vec3){1, 1, -1});
    add_point(mesh, (vec3){1, 2, 1}, (vec3){1, 2, -1});
}

static const case_family FAMILIES[] = {
    {"resting-edges",
     "Two crossed edges touch and move on together: every coefficient of the polynomial is zero. "
     "Known to be reported as free, or at a time of no meaning. In contact at t = 0.",
     make_resting_edges,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(0, 1),
     {0, 1}},
    {"resting-edges-apart",
     "The same with 2^-52 between them: a constant polynomial that rounding makes zero.",
     make_resting_edges,
     0x1p-52,
     CASE_SCALED,
     NEVER,
     {0, 0}},
    {"sliding-edges",
     "An edge slides along another, always touching it: no first root, in contact at t = 0.",
     make_sliding_edges,
     0,
     CASE_SHIFTED,
     AT_TIME(0, 1),
     {0, 1}},
    {"resting-box",
     "A box at rest on a plane of triangles, with corners on inner edges: contact at t = 0 of "
     "everything that lies in the plane, though nothing moves.",
     make_resting_box,
     0,
     CASE_SHIFTED,
     AT_TIME(0, 1),
     {10, 26}},
    {"resting-box-apart",
     "The box floats 2^-40 above the plane and stays there: free.",
     make_resting_box,
     0x1p-40,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"in-and-out",
     "A point comes through a turning face and goes back within the step: on the same side at both "
     "ends, an even number of contacts, which root parity takes for none. At (2 - sqrt 2) / 4, the "
     "first root of 1 - 8t + 8t^2.",
     make_ramp,
     0.5,
     CASE_MOVED,
     {1, -8, 8},
     {1, 0}},
    {"in-and-out-edges",
     "The same for two edges, at the same time.",
     make_ramp_edges,
     0.5,
     CASE_SHIFTED,
     {1, -8, 8},
     {0, 1}},
    {"graze",
     "The point only grazes the face: a double root at t = 1/2, where the polynomial does not "
     "change its sign.",
     make_ramp,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {1, 0}},
    {"graze-edges",
     "A double root for two edges.",
     make_ramp_edges,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {0, 1}},
    {"graze-missed",
     "The point stays 2^-51 below the graze: no contact, and no root.",
     make_ramp,
     -0x1p-51,
     CASE_SCALED,
     NEVER,
     {0, 0}},
    {"graze-missed-edges",
     "The same for two edges.",
     make_ramp_edges,
     -0x1p-51,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"graze-entered",
     "The point rises 2^-44 above the graze: two contacts 2^-22 apart, the first at (1 - 2^-22) / "
     "2. Iterations that stop on a small value or a small step merge them.",
     make_ramp,
     0x1p-44,
     CASE_SCALED,
     AT_TIME((1LL << 22) - 1, 1LL << 23),
     {1, 0}},
    {"same-double",
     "Two vertices land at t = 1/2 and at t = 1/2 + 2^-54 or so: different times, but no double is "
     "between them. Both are floored to 1/2, one exactly; only the certificates tell who is first.",
     make_same_double,
     0x1p-52,
     CASE_SCALED,
     AT_TIME(1, 2),
     {2, 0}},
    {"square-root-time",
     "A time that is no fraction: sqrt(2) / 4, a root of 8t^2 - 1.",
     make_square_root,
     0.5,
     CASE_MOVED,
     {-1, 0, 8},
     {1, 0}},
    {"cubic-time",
     "A time of degree three: the least root of 1 - 16t + 16t^2 + 16t^3, which has no fraction for "
     "a root. The point leaves the face again later.",
     make_cubic,
     0.0625,
     CASE_MOVED | CASE_EXTREME,
     {1, -16, 16, 16},
     {1, 0}},
    {"last-moment",
     "A vertex lands on a face exactly when the step ends. Half-open intervals and tests with < "
     "leave it to the next step, which begins in contact. t = 1.",
     make_last_moment,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 1),
     {1, 0}},
    {"last-moment-short",
     "It stops the least double short of the face: free.",
     make_last_moment,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"last-moment-through",
     "It ends 2^-53 below the face: t = 2^53 / (2^53 + 1), which must not be rounded up to 1.",
     make_last_moment,
     -0x1p-53,
     CASE_SCALED,
     AT_TIME(1LL << 53, (1LL << 53) + 1),
     {1, 0}},
    {"last-moment-edges",
     "Two edges meet exactly when the step ends.",
     make_last_edges,
     0,
     CASE_SHIFTED,
     AT_TIME(1, 1),
     {0, 1}},
    {"first-moment",
     "A vertex leaves a face that it touches at t = 0 only. Moving apart is no excuse: closed sets "
     "touch.",
     make_first_moment,
     0,
     CASE_MOVED,
     AT_TIME(0, 1),
     {1, 0}},
    {"first-moment-above",
     "It starts the least double above the face and leaves: free.",
     make_first_moment,
     0x1p-1074,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"first-moment-below",
     "It starts 2^-53 below the face and rises through it, at t = 1 / (2^53 + 1).",
     make_first_moment,
     -0x1p-53,
     CASE_ALONE,
     AT_TIME(1, (1LL << 53) + 1),
     {1, 0}},
};

const case_list CASES_INSTANTS = {FAMILIES, LENGTH_OF(FAMILIES)};
