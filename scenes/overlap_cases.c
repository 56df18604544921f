// Meshes at rest that tests for intersecting faces get wrong, with their answers; random soups.

#include "overlap_cases.h"

#include "cases_parts.h"
#include "toi/random.h"

#include <stdio.h>
#include <string.h>

// ---- Points and faces that stay where they are

static int put(case_mesh *mesh, double x, double y, double z)
{
    return add_point(mesh, (vec3){x, y, z}, (vec3){x, y, z});
}

// A face with corners of its own.
static void put_triangle(case_mesh *mesh, vec3 a, vec3 b, vec3 c)
{
    int first = add_point(mesh, a, a);
    add_point(mesh, b, b);
    add_point(mesh, c, c);
    add_face(mesh, first, first + 1, first + 2);
}

// The face that most cases try: x, y >= 0, x + y <= 4, z = 0. Its vertices are 0, 1, 2.
static void put_floor(case_mesh *mesh)
{
    put_triangle(mesh, (vec3){0, 0, 0}, (vec3){4, 0, 0}, (vec3){0, 4, 0});
}

// ---- A floor and one more face, by its corners

typedef struct second_face
{
    const char *name;
    const char *about;
    double corners[3][3];
    toi_overlap_class expected; // TOI_OVERLAP_CLASS_COUNT: they do not intersect
    int shared;                 // so many of its first corners are the floor's
} second_face;

#define APART TOI_OVERLAP_CLASS_COUNT

static const second_face SECOND[] = {
    {"above", "a face above the other", {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, APART, 0},
    {"crossing",
     "two faces go through each other",
     {{1, 1, -1}, {1, 1, 1}, {5, 5, 0}},
     TOI_OVERLAP_CROSSING,
     0},
    {"edges-cross",
     "an edge crosses an edge in one point, the faces are beyond each other's border",
     {{2, 0, -1}, {2, 0, 1}, {2, -2, 0}},
     TOI_OVERLAP_POINT,
     0},
    {"corner-on-face",
     "a corner touches the inside of a face",
     {{1, 1, 0}, {1, 1, 3}, {2, 1, 3}},
     TOI_OVERLAP_POINT,
     0},
    {"corner-on-edge",
     "a corner touches an edge",
     {{2, 0, 0}, {2, -1, 1}, {3, -1, 1}},
     TOI_OVERLAP_POINT,
     0},
    {"corner-on-corner",
     "two vertices at the same place are two vertices, and the faces touch",
     {{0, 0, 0}, {-1, 0, 1}, {-1, -1, 1}},
     TOI_OVERLAP_POINT,
     0},
    {"edge-in-face",
     "an edge lies in a face",
     {{1, 1, 0}, {2, 1, 0}, {1, 1, 3}},
     TOI_OVERLAP_SEGMENT,
     0},
    {"edge-on-edge",
     "an edge lies on an edge",
     {{1, 0, 0}, {3, 0, 0}, {2, -2, 1}},
     TOI_OVERLAP_SEGMENT,
     0},
    {"border-on-border",
     "faces of one plane touch along a part of an edge",
     {{1, 0, 0}, {3, 0, 0}, {2, -2, 0}},
     TOI_OVERLAP_SEGMENT,
     0},
    {"tip-to-tip",
     "faces of one plane touch at a corner",
     {{4, 0, 0}, {6, 0, 0}, {6, 1, 0}},
     TOI_OVERLAP_POINT,
     0},
    {"inside",
     "a face lies inside another",
     {{1, 1, 0}, {1.5, 1, 0}, {1, 1.5, 0}},
     TOI_OVERLAP_COPLANAR,
     0},
    {"copy",
     "the same corners twice, but other vertices",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     TOI_OVERLAP_COPLANAR,
     0},
    {"beside",
     "faces of one plane whose boxes overlap, and they do not",
     {{4, 4, 0}, {4, 1, 0}, {1, 4, 0}},
     APART,
     0},
    {"beside-close",
     "the same, with a gap of 2^-50",
     {{4, 4, 0}, {4, 0x1p-50, 0}, {0x1p-50, 4, 0}},
     APART,
     0},
    {"same",
     "the same three vertices twice",
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
     TOI_OVERLAP_SAME,
     3},
    {"folded-flat",
     "two faces share an edge and lie on each other",
     {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}},
     TOI_OVERLAP_EDGE,
     2},
    {"unfolded",
     "two faces share an edge and lie beside each other in one plane",
     {{0, 0, 0}, {4, 0, 0}, {1, -1, 0}},
     APART,
     2},
    {"folded-nearly",
     "two faces share an edge and meet nowhere else, by 2^-50",
     {{0, 0, 0}, {4, 0, 0}, {1, 1, 0x1p-50}},
     APART,
     2},
    {"fan",
     "two faces of one plane share a vertex and nothing else",
     {{0, 0, 0}, {-4, 0, 0}, {0, -4, 0}},
     APART,
     1},
    {"fan-overlap",
     "two faces of one plane share a vertex and overlap",
     {{0, 0, 0}, {3, 1, 0}, {1, 3, 0}},
     TOI_OVERLAP_VERTEX,
     1},
    {"fan-along",
     "two faces share a vertex, and an edge of one lies on an edge of the other",
     {{0, 0, 0}, {2, 0, 0}, {2, -1, 0}},
     TOI_OVERLAP_VERTEX,
     1},
    {"vertex-through",
     "two faces share a vertex and go through each other",
     {{0, 0, 0}, {2, 2, 1}, {2, 2, -1}},
     TOI_OVERLAP_VERTEX,
     1},
    {"vertex-away",
     "two faces share a vertex; the plane of one cuts the other, beyond it",
     {{0, 0, 0}, {1, -1, 1}, {1, -1, -1}},
     APART,
     1},
    {"vertex-leaning",
     "two faces share a vertex, and an edge from it lies in the other face",
     {{0, 0, 0}, {2, 1, 0}, {0, 0, 5}},
     TOI_OVERLAP_VERTEX,
     1},
    {"needle-through",
     "a face without area, a segment, goes through a face",
     {{1, 1, -1}, {1, 1, 0.5}, {1, 1, 1}},
     TOI_OVERLAP_POINT,
     0},
    {"needle-in-face",
     "a face without area, a segment, lies in a face",
     {{0.5, 0.5, 0}, {1, 0.5, 0}, {1.5, 0.5, 0}},
     TOI_OVERLAP_SEGMENT,
     0},
    {"needle-beside",
     "a face without area, a segment, in the plane of a face, beside it",
     {{4, 1, 0}, {3, 2, 0}, {1, 4, 0}},
     APART,
     0},
    {"dot-on-face",
     "a face without area, a point, on a face",
     {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}},
     TOI_OVERLAP_POINT,
     0},
    {"dot-beside",
     "a face without area, a point, in the plane of a face, beside it",
     {{3, 3, 0}, {3, 3, 0}, {3, 3, 0}},
     APART,
     0},
    {"digit-above",
     "a corner ends 2^-52 above a face",
     {{1, 1, 0x1p-52}, {1, 1, 3}, {2, 1, 3}},
     APART,
     0},
    {"digit-below",
     "a corner ends 2^-52 below a face",
     {{1, 1, -0x1p-52}, {1, 1, 3}, {2, 1, 3}},
     TOI_OVERLAP_CROSSING,
     0},
};

static void make_second(case_mesh *mesh, double number)
{
    const second_face *face = &SECOND[(int)number];
    put_floor(mesh);
    int32_t vertices[3];
    for (int i = 0; i < 3; ++i)
        vertices[i] = i < face->shared ? i
                                       : put(mesh, face->corners[i][0], face->corners[i][1],
                                             face->corners[i][2]);
    add_face(mesh, vertices[0], vertices[1], vertices[2]);
}

// ---- Other meshes

// A corner near the face x + y + z = 1, off it by `nudge`: its other corners are above.
static void make_oblique(case_mesh *mesh, double nudge)
{
    put_triangle(mesh, (vec3){1, 0, 0}, (vec3){0, 1, 0}, (vec3){0, 0, 1});
    put_triangle(mesh, (vec3){0.25, 0.25, 0.5 + nudge}, (vec3){1, 1, 1}, (vec3){2, 1, 1});
}

// Faces that name a vertex twice are segments.
static void make_named_twice(case_mesh *mesh, double nudge)
{
    (void)nudge;
    put_floor(mesh);
    int a = put(mesh, 1, 1, -1);
    add_face(mesh, a, a, put(mesh, 1, 1, 1));
}

static void make_needles(case_mesh *mesh, double nudge)
{
    put_triangle(mesh, (vec3){0, 0, 0}, (vec3){1, 0, 0}, (vec3){4, 0, 0});
    put_triangle(mesh, (vec3){2, -1, nudge}, (vec3){2, 1, nudge}, (vec3){2, 3, nudge});
    put_triangle(mesh, (vec3){3, 0, nudge}, (vec3){5, 0, nudge}, (vec3){7, 0, nudge});
}

// Halves every side of a face `levels` times. Middles are rounded, so that the pieces are not quite
// in one plane; seen along the normal of the whole they keep their turns, and the border stays a
// simple polygon: they cover it without overlap.
static void subdivide(case_mesh *mesh, int a, int b, int c, int levels);

// The vertex between two, made once.
static int middle_of(case_mesh *mesh, int a, int b)
{
    vec3 p = {mesh->start[a][0], mesh->start[a][1], mesh->start[a][2]};
    vec3 q = {mesh->start[b][0], mesh->start[b][1], mesh->start[b][2]};
    vec3 m = scale3(0.5, add3(p, q));
    for (int i = 0; i < mesh->points; ++i)
        if (mesh->start[i][0] == m.x && mesh->start[i][1] == m.y && mesh->start[i][2] == m.z)
            return i;
    return put(mesh, m.x, m.y, m.z);
}

static void subdivide(case_mesh *mesh, int a, int b, int c, int levels)
{
    if (levels == 0) {
        add_face(mesh, a, b, c);
        return;
    }
    int ab = middle_of(mesh, a, b), bc = middle_of(mesh, b, c), ca = middle_of(mesh, c, a);
    subdivide(mesh, a, ab, ca, levels - 1);
    subdivide(mesh, ab, b, bc, levels - 1);
    subdivide(mesh, ca, bc, c, levels - 1);
    subdivide(mesh, ab, bc, ca, levels - 1);
}

static void make_subdivided(case_mesh *mesh, double levels)
{
    int a = put(mesh, 0.2971, 0.8313, 0.4601), b = put(mesh, 0.3541, 0.7919, 0.4847);
    int c = put(mesh, 0.3307, 0.7717, 0.4909);
    subdivide(mesh, a, b, c, (int)levels);
}

// A flat sheet aslant, as a scanner or a modeller makes one: no two of its faces meet beyond what
// they share, for the reason of subdivide().
static void make_sheet(case_mesh *mesh, double cells)
{
    int n = (int)cells;
    for (int row = 0; row <= n; ++row)
        for (int column = 0; column <= n; ++column)
            put(mesh, 0.1 + 0.03 * column - 0.007 * row, 1.7 + 0.011 * column + 0.023 * row,
                -0.3 + 0.017 * column + 0.019 * row);
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            int at = row * (n + 1) + column;
            add_quad(mesh, at, at + 1, at + n + 2, at + n + 1);
        }
}

// Two layers of a flat sheet that share no vertex and lie exactly on each other, each cell on its
// own copy. A cell's diagonals are the same, so each face covers its copy; the others touch.
static void make_double_sheet(case_mesh *mesh, double nudge)
{
    for (int layer = 0; layer < 2; ++layer) {
        int first = mesh->points;
        for (int i = 0; i < 4; ++i)
            put(mesh, i % 2, i / 2, layer * nudge);
        add_face(mesh, first, first + 1, first + 3);
        add_face(mesh, first, first + 3, first + 2);
    }
}

// ---- The table

typedef struct overlap_family
{
    const char *name;
    const char *about;
    case_recipe *make;
    double nudge;
    int64_t pairs[TOI_OVERLAP_CLASS_COUNT];
} overlap_family;

static const overlap_family OTHERS[] = {
    {"oblique-on",
     "a corner touches a face whose plane is aslant",
     make_oblique,
     0,
     {[TOI_OVERLAP_POINT] = 1}},
    {"oblique-above", "a corner ends 2^-50 above it", make_oblique, 0x1p-50, {0}},
    {"oblique-below",
     "a corner ends 2^-50 below it",
     make_oblique,
     -0x1p-50,
     {[TOI_OVERLAP_CROSSING] = 1}},
    {"named-twice",
     "a face that names a vertex twice, a segment, goes through a face",
     make_named_twice,
     0,
     {[TOI_OVERLAP_POINT] = 1}},
    {"needles",
     "three segments: one crosses the first, one lies on a part of it",
     make_needles,
     0,
     {[TOI_OVERLAP_POINT] = 1, [TOI_OVERLAP_SEGMENT] = 1}},
    {"needles-apart", "the same, 2^-50 away", make_needles, 0x1p-50, {0}},
    {"subdivided",
     "a face cut into 16: nothing intersects, though nothing is quite flat",
     make_subdivided,
     2,
     {0}},
    {"subdivided-finely", "a face cut into 256", make_subdivided, 4, {0}},
    {"sheet", "a flat sheet aslant: nothing intersects", make_sheet, 12, {0}},
    {"double-sheet",
     "two cells on each other: equal halves overlap, the others touch along the "
     "diagonal",
     make_double_sheet,
     0,
     {[TOI_OVERLAP_COPLANAR] = 2, [TOI_OVERLAP_SEGMENT] = 2}},
    {"double-sheet-apart", "the same with a gap of 2^-50", make_double_sheet, 0x1p-50, {0}},
};

// Images that have the same answer. Ten times the coordinates above are doubles, but for the flat
// ones, whose answer does not depend on the last digit.
typedef enum overlap_variant
{
    OVERLAP_PLAIN,
    OVERLAP_TEN,    // times ten
    OVERLAP_SMALL,  // times 2^-60
    OVERLAP_LARGE,  // times 2^60
    OVERLAP_TURNED, // x, y, z become y, z, x
    OVERLAP_VARIANT_COUNT
} overlap_variant;

static const char *const VARIANTS[OVERLAP_VARIANT_COUNT] = {"", "-ten", "-small", "-large",
                                                            "-turned"};

enum
{
    FAMILY_COUNT = LENGTH_OF(SECOND) + LENGTH_OF(OTHERS)
};

static overlap_family family_of(int index)
{
    int number = index / OVERLAP_VARIANT_COUNT;
    if (number >= LENGTH_OF(SECOND))
        return OTHERS[number - LENGTH_OF(SECOND)];
    overlap_family family = {SECOND[number].name, SECOND[number].about, make_second, number, {0}};
    if (SECOND[number].expected != APART)
        family.pairs[SECOND[number].expected] = 1;
    return family;
}

int toi_overlap_case_count(void)
{
    return FAMILY_COUNT * OVERLAP_VARIANT_COUNT;
}

toi_overlap_case toi_describe_overlap_case(int index)
{
    overlap_family family = family_of(index);
    toi_overlap_case described = {.family = family.name, .about = family.about};
    snprintf(described.name, sizeof described.name, "%s%s", family.name,
             VARIANTS[index % OVERLAP_VARIANT_COUNT]);
    memcpy(described.pairs, family.pairs, sizeof described.pairs);
    return described;
}

// ---- Meshes

static void change_point(overlap_variant variant, double point[3])
{
    static const double scales[OVERLAP_VARIANT_COUNT] = {1, 10, 0x1p-60, 0x1p60, 1};
    double x = point[0];
    if (variant == OVERLAP_TURNED) {
        point[0] = point[1];
        point[1] = point[2];
        point[2] = x;
    }
    for (int k = 0; k < 3; ++k)
        point[k] *= scales[variant];
}

static toi_status start_solid(int64_t points, int64_t faces, toi_solid *solid)
{
    *solid = (toi_solid){.point_count = points, .face_count = faces};
    solid->points = toi_allocate((size_t)points * sizeof *solid->points);
    solid->faces = toi_allocate((size_t)faces * sizeof *solid->faces);
    if (solid->points && solid->faces)
        return TOI_OK;
    toi_free_solid(solid);
    return TOI_ERROR_MEMORY;
}

toi_status toi_make_overlap_case(int index, toi_solid *solid)
{
    *solid = (toi_solid){0};
    if (index < 0 || index >= toi_overlap_case_count())
        return toi_fail(TOI_ERROR_ARGUMENT, "there are %d cases, and no number %d",
                        toi_overlap_case_count(), index);
    case_mesh *mesh = toi_allocate(sizeof *mesh);
    if (!mesh)
        return TOI_ERROR_MEMORY;
    mesh->points = mesh->faces = mesh->edges = 0;
    overlap_family family = family_of(index);
    family.make(mesh, family.nudge);
    toi_status status = start_solid(mesh->points, mesh->faces, solid);
    if (status == TOI_OK) {
        for (int i = 0; i < mesh->points; ++i)
            change_point((overlap_variant)(index % OVERLAP_VARIANT_COUNT), mesh->start[i]);
        memcpy(solid->points, mesh->start, (size_t)mesh->points * sizeof *solid->points);
        memcpy(solid->faces, mesh->face, (size_t)mesh->faces * sizeof *solid->faces);
    }
    toi_release(mesh);
    return status;
}

// ---- Soups

static void choose_face(toi_random *random, const toi_solid *solid, int64_t index, int32_t face[3])
{
    uint64_t kind = toi_random_below(random, 16);
    for (int k = 0; k < 3; ++k)
        face[k] = (int32_t)toi_random_below(random, (uint64_t)solid->point_count);
    if (kind == 0)
        face[1] = face[0];
    if (kind == 1 && index > 0) {
        const int32_t *other = solid->faces[toi_random_below(random, (uint64_t)index)];
        for (int k = 0; k < 3; ++k)
            face[k] = other[(k + 1) % 3];
    }
}

toi_status toi_make_soup(int64_t faces, int side, uint64_t seed, toi_solid *solid)
{
    *solid = (toi_solid){0};
    if (faces < 1 || faces > INT32_MAX / 2 || side < 0)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "a soup has 1 to 2^30 faces on a lattice of side 0 or more, not %lld on %d",
                        (long long)faces, side);
    toi_status status = start_solid(2 * faces, faces, solid);
    if (status != TOI_OK)
        return status;
    toi_random random = {seed};
    for (int64_t i = 0; i < solid->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            solid->points[i][k] = side > 0 ? (double)toi_random_below(&random, (uint64_t)side)
                                           : toi_random_unit(&random);
    for (int64_t i = 0; i < faces; ++i)
        choose_face(&random, solid, i, solid->faces[i]);
    return TOI_OK;
}
