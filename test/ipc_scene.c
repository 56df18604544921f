// Makes the scene of the stepping test.

#include "ipc_scene.h"

#include "toi/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum
{
    RINGS = 16,
    SEGMENTS = 24,
    ROD_EDGES = 12
};

static const double SIDE = 1.5, RADIUS = 0.3, PI = 3.14159265358979323846;

static int32_t add_vertex(ipc_scene *s, double x, double y, double z, double mass)
{
    int64_t i = s->vertex_count++;
    s->position[i][0] = x;
    s->position[i][1] = y;
    s->position[i][2] = z;
    s->mass[i] = mass;
    s->groups[i] = mass > 0 ? -1 : 0;
    return (int32_t)i;
}

static void add_face(ipc_scene *s, int32_t a, int32_t b, int32_t c)
{
    int32_t *face = s->faces[s->face_count++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

static void add_spring(ipc_scene *s, int32_t a, int32_t b, double stiffness)
{
    double square = 0;
    for (int k = 0; k < 3; ++k)
        square += pow(s->position[a][k] - s->position[b][k], 2);
    s->springs[s->spring_count++] = (ipc_spring){a, b, sqrt(square), stiffness};
}

// ---- The cloth: square cells of four triangles about a vertex in the middle

static int32_t corner(int cells, int i, int j)
{
    return i * (cells + 1) + j;
}

static void add_cell(ipc_scene *s, int cells, int i, int j, double height, double mass)
{
    double size = SIDE / cells;
    int32_t corners[4] = {corner(cells, i, j), corner(cells, i + 1, j), corner(cells, i + 1, j + 1),
                          corner(cells, i, j + 1)};
    int32_t middle =
        add_vertex(s, (i + 0.5) * size - SIDE / 2, (j + 0.5) * size - SIDE / 2, height, mass);
    for (int k = 0; k < 4; ++k) {
        add_face(s, corners[k], corners[(k + 1) % 4], middle);
        add_spring(s, corners[k], middle, 50);
    }
}

// Along the edges of the cells, and weakly over two of them, against bending.
static void add_cloth_springs(ipc_scene *s, int cells)
{
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; j <= cells; ++j)
            for (int n = 1; n <= 2; ++n) {
                double stiffness = n == 1 ? 50 : 1;
                if (i + n <= cells)
                    add_spring(s, corner(cells, i, j), corner(cells, i + n, j), stiffness);
                if (j + n <= cells)
                    add_spring(s, corner(cells, i, j), corner(cells, i, j + n), stiffness);
            }
}

static void add_cloth(ipc_scene *s, int cells)
{
    double size = SIDE / cells, height = RADIUS + 0.02, mass = 0.2 * size * size / 2;
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; j <= cells; ++j)
            add_vertex(s, i * size - SIDE / 2, j * size - SIDE / 2, height, mass);
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j)
            add_cell(s, cells, i, j, height, mass);
    add_cloth_springs(s, cells);
    s->cloth_end = s->vertex_count;
}

// ---- What does not move

static void add_sphere(ipc_scene *s)
{
    int32_t top = add_vertex(s, 0, 0, RADIUS, 0), bottom = add_vertex(s, 0, 0, -RADIUS, 0);
    int32_t first = (int32_t)s->vertex_count;
    for (int ring = 1; ring < RINGS; ++ring)
        for (int i = 0; i < SEGMENTS; ++i) {
            double polar = PI * ring / RINGS, turn = 2 * PI * i / SEGMENTS;
            add_vertex(s, RADIUS * sin(polar) * cos(turn), RADIUS * sin(polar) * sin(turn),
                       RADIUS * cos(polar), 0);
        }
    int32_t last = first + (RINGS - 2) * SEGMENTS;
    for (int i = 0; i < SEGMENTS; ++i) {
        int next = (i + 1) % SEGMENTS;
        add_face(s, top, first + i, first + next);
        add_face(s, bottom, last + next, last + i);
        for (int32_t ring = first; ring < last; ring += SEGMENTS) {
            add_face(s, ring + i, ring + SEGMENTS + i, ring + SEGMENTS + next);
            add_face(s, ring + i, ring + SEGMENTS + next, ring + next);
        }
    }
}

static void add_floor(ipc_scene *s)
{
    double height = -2 * RADIUS;
    int32_t a = add_vertex(s, -4, -4, height, 0), b = add_vertex(s, 4, -4, height, 0);
    int32_t c = add_vertex(s, 4, 4, height, 0), d = add_vertex(s, -4, 4, height, 0);
    add_face(s, a, b, c);
    add_face(s, a, c, d);
}

// ---- Loose points and rods, above the cloth

static void add_points(ipc_scene *s, int count, toi_random *random)
{
    for (int i = 0; i < count; ++i) // one a layer of a tower, so that none begins at another
        add_vertex(s, toi_random_range(random, -0.4, 0.4), toi_random_range(random, -0.4, 0.4),
                   RADIUS + 0.05 + 0.3 * i / count, 3e-4);
}

static void add_rod(ipc_scene *s, double x, double y, double height, bool across)
{
    const double length = 0.03, mass = 3e-4;
    int32_t first = (int32_t)s->vertex_count;
    for (int i = 0; i <= ROD_EDGES; ++i) {
        double along = length * (i - ROD_EDGES / 2);
        add_vertex(s, across ? x : x + along, across ? y + along : y, height, mass);
    }
    for (int32_t a = first; a < first + ROD_EDGES; ++a) {
        s->rods[s->rod_count][0] = a;
        s->rods[s->rod_count++][1] = a + 1;
        add_spring(s, a, a + 1, 100);
        if (a + 1 < first + ROD_EDGES)
            add_spring(s, a, a + 2, 20);
    }
}

// Above the points, each across the one below; and straight above each two points, which are to
// fall on it and on each other.
static void add_rods(ipc_scene *s, int count, toi_random *random)
{
    for (int i = 0; i < count; ++i) {
        double x = toi_random_range(random, -0.2, 0.2), y = toi_random_range(random, -0.3, 0.3);
        double height = RADIUS + 0.4 + 0.3 * i / count;
        add_rod(s, x, y, height, i % 2);
        add_vertex(s, x, y, height + 0.005, 3e-4);
        add_vertex(s, x, y, height + 0.01, 3e-4);
    }
}

static void *take(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory)
        abort();
    return memory;
}

ipc_scene make_drape(int cells, int points, int rods)
{
    int64_t vertices = (int64_t)(cells + 1) * (cells + 1) + (int64_t)cells * cells +
                       RINGS * SEGMENTS + 6 + points + (int64_t)rods * (ROD_EDGES + 3);
    int64_t faces = 4 * (int64_t)cells * cells + 2 * RINGS * SEGMENTS + 2;
    ipc_scene s = {.position = take(vertices, sizeof *s.position),
                   .mass = take(vertices, sizeof *s.mass),
                   .groups = take(vertices, sizeof *s.groups),
                   .faces = take(faces, sizeof *s.faces),
                   .rods = take((int64_t)rods * ROD_EDGES, sizeof *s.rods),
                   .springs = take(8 * vertices, sizeof *s.springs)};
    toi_random random = {7};
    add_cloth(&s, cells);
    add_sphere(&s);
    add_floor(&s);
    add_points(&s, points, &random);
    add_rods(&s, rods, &random);
    return s;
}

void free_drape(ipc_scene *scene)
{
    free(scene->position);
    free(scene->mass);
    free(scene->groups);
    free(scene->faces);
    free(scene->rods);
    free(scene->springs);
    memset(scene, 0, sizeof *scene);
}
