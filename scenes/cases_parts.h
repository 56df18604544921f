// What the cases of the gallery are put together from: points that move on straight lines, and
// solids of few faces whose triangulation is fixed, so that contacts can be counted by hand.

#ifndef TOI_SCENES_CASES_PARTS_H
#define TOI_SCENES_CASES_PARTS_H

#include "cases.h"
#include "vec3.h"

enum
{
    MOST_CASE_POINTS = 512,
    MOST_CASE_FACES = 512,
    MOST_CASE_EDGES = 64
};

// A mesh being made.
typedef struct case_mesh
{
    int points;
    int faces;
    int edges; // loose ones
    double start[MOST_CASE_POINTS][3];
    double end[MOST_CASE_POINTS][3];
    int32_t face[MOST_CASE_FACES][3];
    int32_t edge[MOST_CASE_EDGES][2];
} case_mesh;

// Fills in a mesh; `nudge` is what tells the families of one recipe apart.
typedef void case_recipe(case_mesh *mesh, double nudge);

// The exact images of a case. The first is the case itself.
typedef enum case_variant
{
    CASE_PLAIN,
    CASE_SMALL,    // times 2^-20
    CASE_LARGE,    // times 2^20
    CASE_OFFSET,   // a million away from the origin
    CASE_TURNED,   // by the angle of the 3-4-5 triangle, about two axes, times 25
    CASE_HUGE,     // times 2^498, about 10^150
    CASE_TINY,     // times 2^-498
    CASE_DENORMAL, // times 2^-1060: multiples of 2^-14 become multiples of the least double
    CASE_VARIANT_COUNT
} case_variant;

#define CASE_BIT(variant) (1u << (variant))
#define CASE_ALONE CASE_BIT(CASE_PLAIN)
#define CASE_SCALED (CASE_ALONE | CASE_BIT(CASE_SMALL) | CASE_BIT(CASE_LARGE))
#define CASE_SHIFTED (CASE_ALONE | CASE_BIT(CASE_OFFSET) | CASE_BIT(CASE_TURNED))
#define CASE_MOVED (CASE_SCALED | CASE_SHIFTED)
#define CASE_EXTREME (CASE_BIT(CASE_HUGE) | CASE_BIT(CASE_TINY) | CASE_BIT(CASE_DENORMAL))

// A family: toi_case without its name, and how to make it.
typedef struct case_family
{
    const char *name;
    const char *about;
    case_recipe *make;
    double nudge;
    unsigned variants; // a set of CASE_BIT()
    int64_t first[4];
    int64_t hits[TOI_PAIR_KINDS];
} case_family;

// Families of one subject, and the lists of all subjects, each in its file.
typedef struct case_list
{
    const case_family *families;
    int count;
} case_list;

extern const case_list CASES_ERLEBEN;
extern const case_list CASES_SURFACES;
extern const case_list CASES_INSTANTS;
extern const case_list CASES_PLACES;
extern const case_list CASES_EXTREMES;

// ---- Numbers for the tables

// The polynomial of the time p / q, and that of a case without contact.
#define AT_TIME(p, q)                                                                              \
    {                                                                                              \
        -(p), q                                                                                    \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        0                                                                                          \
    }

#define LENGTH_OF(array) ((int)(sizeof(array) / sizeof *(array)))

// ---- Points, faces, edges

// A point on its way; returns its index.
int add_point(case_mesh *mesh, vec3 from, vec3 to);

void add_face(case_mesh *mesh, int a, int b, int c);

// A loose edge.
void add_edge(case_mesh *mesh, int a, int b);

// The faces (a, b, c) and (a, c, d): the diagonal goes from a to c.
void add_quad(case_mesh *mesh, int a, int b, int c, int d);

// ---- Solids; each moves by `way` as a whole

// A triangle of its own.
void add_triangle(case_mesh *mesh, const vec3 corners[3], vec3 way);

// A loose edge with points of its own.
void add_segment(case_mesh *mesh, vec3 a, vec3 b, vec3 way);

// Three sides that widen from the tip as |x| <= height / 2 to a triangle at height 4; up = -1: it
// points upwards, its base is below. The base is (-2,-2) (2,-2) (0,2).
void add_spike(case_mesh *mesh, vec3 tip, double up, vec3 way);

// Four sides that widen from the tip to a square of half width `half` at `height`.
void add_pyramid(case_mesh *mesh, vec3 tip, double half, double height, vec3 way);

// A roof whose ridge goes `reach` to both sides of its middle along `along`, a unit vector, and
// whose sides widen by half the height to 2 along `across` at height 4; up as above.
typedef struct wedge
{
    vec3 middle;
    vec3 along;
    vec3 across;
    double reach;
    double up;
} wedge;

void add_wedge(case_mesh *mesh, const wedge *shape, vec3 way);

// Eight corners, numbered by the bits x, y, z; the diagonals of the bottom and the top go from the
// least corner to the greatest.
void add_box(case_mesh *mesh, vec3 least, vec3 most, vec3 way);

// A flat grid of columns x rows quads from a corner; a quad is u x v, its diagonal from the corner
// on.
typedef struct grid
{
    int columns;
    int rows;
    vec3 corner;
    vec3 u;
    vec3 v;
} grid;

void add_grid(case_mesh *mesh, const grid *shape, vec3 way);

#endif
