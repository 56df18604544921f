// Thin sheets and large turns: what moves far in a step, and what a straight line makes of it.

#include "cases_parts.h"

static const vec3 STILL = {0, 0, 0};

static void make_sheets_pass(case_mesh *mesh, double nudge)
{
    grid lower = {4, 4, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    grid upper = lower;
    upper.corner = (vec3){0.5, 0.25, nudge};
    add_grid(mesh, &lower, STILL);
    add_grid(mesh, &upper, (vec3){0, 0, -2 * nudge});
}

static void make_cloth_plate(case_mesh *mesh, double thickness)
{
    grid cloth = {6, 6, {-2.75, -2.5, 1}, {1, 0, 0}, {0, 1, 0}};
    add_box(mesh, (vec3){-8, -8, -thickness}, (vec3){8, 8, 0}, STILL);
    add_grid(mesh, &cloth, (vec3){0, 0, -2});
}

// Every point goes to where half a turn about z takes it.
static void turn_half(case_mesh *mesh)
{
    for (int i = 0; i < mesh->points; ++i) {
        mesh->end[i][0] = -mesh->start[i][0];
        mesh->end[i][1] = -mesh->start[i][1];
    }
}

static void make_half_turn(case_mesh *mesh, double nudge)
{
    add_box(mesh, (vec3){-2, -1, 0}, (vec3){2, nudge, 1}, STILL);
    turn_half(mesh);
}

// Every point goes to its mirror image in the origin.
static void make_inside_out(case_mesh *mesh, double nudge)
{
    add_box(mesh, (vec3){-2, -1, 0}, (vec3){2, nudge, 1}, STILL);
    for (int i = 0; i < mesh->points; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->end[i][k] = -mesh->start[i][k];
}

// A blade around the origin, and posts through its plane.
static void add_blade(case_mesh *mesh)
{
    const vec3 corners[3] = {{-4, -1, 0}, {4, -1, 0}, {0, 1, 0}};
    add_triangle(mesh, corners, STILL);
}

static void add_post(case_mesh *mesh, double x, double y)
{
    add_segment(mesh, (vec3){x, y, -1}, (vec3){x, y, 1}, STILL);
}

static void make_half_turn_past(case_mesh *mesh, double x)
{
    add_blade(mesh);
    turn_half(mesh);
    add_post(mesh, x, 0);
}

static void make_full_turn(case_mesh *mesh, double y)
{
    add_blade(mesh);
    add_post(mesh, y == 0 ? 3 : 0, y);
}

static void make_pierced(case_mesh *mesh, double nudge)
{
    add_blade(mesh);
    add_post(mesh, nudge, 0);
}

static void make_quarter_turn(case_mesh *mesh, double nudge)
{
    int hub = add_point(mesh, STILL, STILL);
    add_edge(mesh, hub, add_point(mesh, (vec3){4, 0, 0}, (vec3){0, 4, 0}));
    add_post(mesh, 1, 1);
    add_post(mesh, 1, 2);
    add_post(mesh, 2 + nudge, 2);
}

static void make_fold(case_mesh *mesh, double nudge)
{
    add_point(mesh, (vec3){0, 0, 0}, (vec3){0, 0, 0});
    add_point(mesh, (vec3){0, 4, 0}, (vec3){0, 4, 0});
    add_point(mesh, (vec3){4, 2, 0}, (vec3){4, 2, 0});
    add_point(mesh, (vec3){-2, 2, nudge}, (vec3){2, 2, nudge});
    add_face(mesh, 0, 2, 1);
    add_face(mesh, 0, 1, 3);
}

static const case_family FAMILIES[] = {
    {"sheets-pass",
     "Two parallel sheets pass through each other in one step: apart at both ends, all contacts at "
     "one instant, t = 1/2, with everything coplanar. Tests at the ends of the step see nothing.",
     make_sheets_pass,
     1,
     CASE_SHIFTED,
     AT_TIME(1, 2),
     {32, 88}},
    {"sheets-pass-thin",
     "The same with sheets that start 2^-30 apart and swap sides: a tolerance calls this t = 0.",
     make_sheets_pass,
     0x1p-30,
     CASE_ALONE,
     AT_TIME(1, 2),
     {32, 88}},
    {"sheets-touch",
     "Sheets that lie on each other all the time: in contact at t = 0, and no root anywhere.",
     make_sheets_pass,
     0,
     CASE_SHIFTED,
     AT_TIME(0, 1),
     {32, 88}},
    {"cloth-plate",
     "A cloth falls in one step through a plate that is 2^-20 thin: each vertex meets the top and "
     "the bottom, 2^-21 of the step apart. Counting crossings finds an even number and says that "
     "nothing happened.",
     make_cloth_plate,
     0x1p-20,
     CASE_SHIFTED,
     AT_TIME(1, 2),
     {98, 24}},
    {"half-turn",
     "A bar makes half a turn in a step. Vertices move on straight lines, so it shrinks to its "
     "axis "
     "at t = 1/2: all of its faces without area in one segment, every polynomial with a root of "
     "higher order there.",
     make_half_turn,
     1,
     CASE_MOVED,
     AT_TIME(1, 2),
     {44, 62}},
    {"inside-out",
     "A box is turned inside out through one point: all of it meets there at t = 1/2, a triple "
     "root of "
     "every polynomial, with no normal and no inside.",
     make_inside_out,
     1,
     CASE_MOVED,
     AT_TIME(1, 2),
     {60, 87}},
    {"half-turn-past",
     "A blade makes half a turn beside a post. A real turn would hit it; straight lines pass "
     "through the axis and never do, although the boxes overlap.",
     make_half_turn_past,
     3,
     CASE_SHIFTED,
     NEVER,
     {0, 0}},
    {"full-turn",
     "A full turn ends where it began: for straight lines nothing moves and nothing touches, with "
     "all velocities zero.",
     make_full_turn,
     0,
     CASE_SHIFTED,
     NEVER,
     {0, 0}},
    {"full-turn-resting",
     "The same with a post that crosses a side of the blade: in contact at t = 0 without a motion.",
     make_full_turn,
     -1,
     CASE_SHIFTED,
     AT_TIME(0, 1),
     {0, 1}},
    {"pierced",
     "A post goes right through the middle of a face, at rest. That is an intersection, but no "
     "vertex touches a face and no edge an edge: not a contact of this kind.",
     make_pierced,
     0,
     CASE_SHIFTED,
     NEVER,
     {0, 0}},
    {"quarter-turn",
     "An arm makes a quarter turn: straight lines cut the corner. It meets a post at (1,1) at t = "
     "1/2, one at (1,2) at t = 2/3, and passes inside of one at (2.5,2) that a real turn would "
     "hit.",
     make_quarter_turn,
     0.5,
     CASE_MOVED,
     AT_TIME(1, 2),
     {0, 2}},
    {"quarter-turn-tip",
     "The third post stands at (2,2), where the tip of the arm passes at t = 1/2: an end of one "
     "edge on the middle of another.",
     make_quarter_turn,
     0,
     CASE_SHIFTED,
     AT_TIME(1, 2),
     {0, 3}},
    {"quarter-turn-ulp",
     "And one unit in the last place further out, where the tip does not reach it.",
     make_quarter_turn,
     0x1p-51,
     CASE_ALONE,
     AT_TIME(1, 2),
     {0, 2}},
    {"fold",
     "A page is folded over its hinge within its own plane: it has no area at t = 1/2, when its "
     "corner meets the face on the other side, with which it shares an edge.",
     make_fold,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {1, 0}},
};

const case_list CASES_SURFACES = {FAMILIES, LENGTH_OF(FAMILIES)};
