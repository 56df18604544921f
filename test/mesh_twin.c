// Meshes with surfaces of every kind, and slow twins of their distances and winding numbers.

#include "mesh_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.141592653589793;

static twin_mesh allocate_mesh(int64_t points, int64_t faces)
{
    return (twin_mesh){malloc((size_t)points * sizeof(double[3])),
                       malloc((size_t)faces * sizeof(int32_t[3])), points, faces};
}

static void add_face(twin_mesh *m, int32_t a, int32_t b, int32_t c)
{
    int32_t face[3] = {a, b, c};
    memcpy(m->faces[m->face_count++], face, sizeof face);
}

twin_mesh make_ball(int rings, double noise, uint64_t seed)
{
    int around = 2 * rings, inner = rings - 1;
    toi_random random = {seed};
    twin_mesh m = allocate_mesh(2 + (int64_t)inner * around, 2 * (int64_t)inner * around);
    for (int64_t i = 0; i < m.point_count; ++i) {
        double polar = i < 2 ? (double)i * PI : PI * (double)(1 + (i - 2) / around) / rings;
        double angle = 2 * PI * (double)((i - 2) % around) / around;
        double at[3] = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
        for (int k = 0; k < 3; ++k)
            m.points[i][k] = at[k] + noise * toi_random_range(&random, -1, 1);
    }
    m.face_count = 0;
    for (int j = 0; j < around; ++j) {
        int next = (j + 1) % around, last = 2 + (inner - 1) * around;
        add_face(&m, 0, 2 + j, 2 + next);
        add_face(&m, 1, last + next, last + j);
        for (int i = 0; i + 1 < inner; ++i) {
            int a = 2 + i * around + j, b = 2 + i * around + next;
            add_face(&m, a, a + around, b + around);
            add_face(&m, a, b + around, b);
        }
    }
    return m;
}

twin_mesh make_box_mesh(const double (*corners)[2][3], int count)
{
    static const int32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    twin_mesh m = allocate_mesh(8 * (int64_t)count, 12 * (int64_t)count);
    m.face_count = 0;
    for (int b = 0; b < count; ++b) {
        for (int v = 0; v < 8; ++v)
            for (int k = 0; k < 3; ++k)
                m.points[8 * b + v][k] = corners[b][v >> k & 1][k];
        for (int q = 0; q < 6; ++q) {
            const int32_t *c = quads[q];
            add_face(&m, 8 * b + c[0], 8 * b + c[1], 8 * b + c[2]);
            add_face(&m, 8 * b + c[0], 8 * b + c[2], 8 * b + c[3]);
        }
    }
    return m;
}

void move_mesh(twin_mesh *mesh, double scale, double shift)
{
    for (int64_t i = 0; i < mesh->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->points[i][k] = scale * mesh->points[i][k] + shift;
}

void turn_inside_out(twin_mesh *mesh)
{
    for (int64_t f = 0; f < mesh->face_count; ++f) {
        int32_t swap = mesh->faces[f][1];
        mesh->faces[f][1] = mesh->faces[f][2];
        mesh->faces[f][2] = swap;
    }
}

void free_twin_mesh(twin_mesh *mesh)
{
    free(mesh->points);
    free(mesh->faces);
}

twin_mesh unweld(const twin_mesh *mesh)
{
    twin_mesh m = allocate_mesh(3 * mesh->face_count, mesh->face_count);
    for (int64_t f = 0; f < mesh->face_count; ++f)
        for (int v = 0; v < 3; ++v) {
            m.faces[f][v] = (int32_t)(3 * f + v);
            memcpy(m.points[3 * f + v], mesh->points[mesh->faces[f][v]], sizeof *m.points);
        }
    return m;
}

toi_point_view twin_points(const twin_mesh *mesh)
{
    return toi_view_points(mesh->points[0], mesh->point_count);
}

toi_index_view twin_faces(const twin_mesh *mesh)
{
    return (toi_index_view){mesh->faces[0], mesh->face_count, 0};
}

static long double dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const long double a[3], const long double b[3], long double r[3])
{
    for (int k = 0; k < 3; ++k)
        r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static long double length(const long double a[3])
{
    return sqrtl(dot(a, a));
}

// From the origin to a segment.
static long double to_segment(const long double a[3], const long double b[3])
{
    long double d[3], at[3];
    for (int k = 0; k < 3; ++k)
        d[k] = b[k] - a[k];
    long double square = dot(d, d), s = square > 0 ? -dot(a, d) / square : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; ++k)
        at[k] = a[k] + s * d[k];
    return length(at);
}

// The origin is over the inside of the face if it is on the inner side of every edge.
static long double to_triangle(long double c[3][3])
{
    long double e[3], g[3], n[3], least = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        e[k] = c[1][k] - c[0][k];
        g[k] = c[2][k] - c[0][k];
    }
    cross(e, g, n);
    for (int v = 0; v < 3; ++v) {
        long double along[3], out[3];
        for (int k = 0; k < 3; ++k)
            along[k] = c[(v + 1) % 3][k] - c[v][k];
        cross(along, n, out);
        inside = inside && dot(c[v], out) > 0;
        least = fminl(least, to_segment(c[v], c[(v + 1) % 3]));
    }
    return inside ? fminl(least, fabsl(dot(c[0], n)) / length(n)) : least;
}

static void see_face(const twin_mesh *mesh, int64_t f, const long double point[3],
                     long double c[3][3])
{
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k)
            c[v][k] = (long double)mesh->points[mesh->faces[f][v]][k] - point[k];
}

long double twin_mesh_distance(const twin_mesh *mesh, const long double point[3])
{
    long double least = INFINITY;
    for (int64_t f = 0; f < mesh->face_count; ++f) {
        long double c[3][3];
        see_face(mesh, f, point, c);
        least = fminl(least, to_triangle(c));
    }
    return least;
}

long double twin_winding(const twin_mesh *mesh, const long double point[3])
{
    long double sum = 0;
    for (int64_t f = 0; f < mesh->face_count; ++f) {
        long double c[3][3], n[3];
        see_face(mesh, f, point, c);
        long double x = length(c[0]), y = length(c[1]), z = length(c[2]);
        cross(c[1], c[2], n);
        sum += atan2l(dot(c[0], n),
                      x * y * z + dot(c[0], c[1]) * z + dot(c[1], c[2]) * x + dot(c[2], c[0]) * y);
    }
    return sum / (2 * acosl(-1));
}

void point_of_face(const twin_mesh *mesh, toi_random *random, double point[3])
{
    const int32_t *f = mesh->faces[toi_random_below(random, (uint64_t)mesh->face_count)];
    // Often on a side or at a corner.
    double w[3] = {toi_random_unit(random), toi_random_unit(random), toi_random_unit(random)};
    for (uint64_t drop = toi_random_below(random, 3); drop > 0; --drop)
        w[toi_random_below(random, 2)] = 0;
    double sum = w[0] + w[1] + w[2];
    for (int k = 0; k < 3; ++k)
        point[k] = (w[0] * mesh->points[f[0]][k] + w[1] * mesh->points[f[1]][k] +
                    w[2] * mesh->points[f[2]][k]) /
                   sum;
}
