// Builds the solids and surfaces of the cases, with a fixed triangulation.

#include "cases_parts.h"

#include <assert.h>

int add_point(case_mesh *mesh, vec3 from, vec3 to)
{
    assert(mesh->points < MOST_CASE_POINTS);
    put3(mesh->start[mesh->points], from);
    put3(mesh->end[mesh->points], to);
    return mesh->points++;
}

// A point that moves by `way`.
static int add_moved(case_mesh *mesh, vec3 from, vec3 way)
{
    return add_point(mesh, from, add3(from, way));
}

void add_face(case_mesh *mesh, int a, int b, int c)
{
    assert(mesh->faces < MOST_CASE_FACES);
    int32_t *face = mesh->face[mesh->faces++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

void add_edge(case_mesh *mesh, int a, int b)
{
    assert(mesh->edges < MOST_CASE_EDGES);
    int32_t *edge = mesh->edge[mesh->edges++];
    edge[0] = a;
    edge[1] = b;
}

void add_quad(case_mesh *mesh, int a, int b, int c, int d)
{
    add_face(mesh, a, b, c);
    add_face(mesh, a, c, d);
}

void add_triangle(case_mesh *mesh, const vec3 corners[3], vec3 way)
{
    int first = add_moved(mesh, corners[0], way);
    add_moved(mesh, corners[1], way);
    add_moved(mesh, corners[2], way);
    add_face(mesh, first, first + 1, first + 2);
}

void add_segment(case_mesh *mesh, vec3 a, vec3 b, vec3 way)
{
    int first = add_moved(mesh, a, way);
    add_edge(mesh, first, add_moved(mesh, b, way));
}

void add_spike(case_mesh *mesh, vec3 tip, double up, vec3 way)
{
    static const double base[3][2] = {{-2, -2}, {2, -2}, {0, 2}};
    int first = add_moved(mesh, tip, way);
    for (int i = 0; i < 3; ++i)
        add_moved(mesh, add3(tip, (vec3){base[i][0], base[i][1], 4 * up}), way);
    add_face(mesh, first, first + 1, first + 2);
    add_face(mesh, first, first + 2, first + 3);
    add_face(mesh, first, first + 3, first + 1);
    add_face(mesh, first + 1, first + 3, first + 2);
}

void add_pyramid(case_mesh *mesh, vec3 tip, double half, double height, vec3 way)
{
    static const double base[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int first = add_moved(mesh, tip, way);
    for (int i = 0; i < 4; ++i)
        add_moved(mesh, add3(tip, (vec3){half * base[i][0], half * base[i][1], height}), way);
    for (int i = 0; i < 4; ++i)
        add_face(mesh, first, first + 1 + i, first + 1 + (i + 1) % 4);
    add_quad(mesh, first + 1, first + 2, first + 3, first + 4);
}

void add_wedge(case_mesh *mesh, const wedge *shape, vec3 way)
{
    int first = mesh->points;
    for (int end = 0; end < 2; ++end) {
        vec3 ridge = step3(shape->middle, (2 * end - 1) * shape->reach, shape->along);
        vec3 base = add3(ridge, (vec3){0, 0, 4 * shape->up});
        add_moved(mesh, ridge, way);
        add_moved(mesh, step3(base, -2, shape->across), way);
        add_moved(mesh, step3(base, 2, shape->across), way);
    }
    add_face(mesh, first, first + 1, first + 2);
    add_face(mesh, first + 3, first + 5, first + 4);
    add_quad(mesh, first, first + 1, first + 4, first + 3);
    add_quad(mesh, first, first + 2, first + 5, first + 3);
    add_quad(mesh, first + 1, first + 2, first + 5, first + 4);
}

void add_box(case_mesh *mesh, vec3 least, vec3 most, vec3 way)
{
    int v = mesh->points;
    for (int i = 0; i < 8; ++i)
        add_moved(
            mesh,
            (vec3){i & 1 ? most.x : least.x, i & 2 ? most.y : least.y, i & 4 ? most.z : least.z},
            way);
    add_quad(mesh, v + 0, v + 1, v + 3, v + 2);
    add_quad(mesh, v + 4, v + 5, v + 7, v + 6);
    add_quad(mesh, v + 0, v + 1, v + 5, v + 4);
    add_quad(mesh, v + 2, v + 3, v + 7, v + 6);
    add_quad(mesh, v + 0, v + 2, v + 6, v + 4);
    add_quad(mesh, v + 1, v + 3, v + 7, v + 5);
}

void add_grid(case_mesh *mesh, const grid *shape, vec3 way)
{
    int first = mesh->points, stride = shape->columns + 1;
    for (int j = 0; j <= shape->rows; ++j)
        for (int i = 0; i <= shape->columns; ++i)
            add_moved(mesh, step3(step3(shape->corner, i, shape->u), j, shape->v), way);
    for (int j = 0; j < shape->rows; ++j)
        for (int i = 0; i < shape->columns; ++i) {
            int at = first + j * stride + i;
            add_quad(mesh, at, at + 1, at + 1 + stride, at + stride);
        }
}
