// Meshes, and slow twins of baked fields in long double.

#include "grid_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Meshes

static const double pi = 3.14159265358979323846;

static void set_point(solid *s, int64_t i, double theta, double phi, double scale,
                      const double at[3])
{
    double d[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    double r = scale * (1 + 0.2 * sin(3 * d[0] + 1) * cos(4 * d[1]) + 0.1 * sin(7 * d[2]));
    for (int k = 0; k < 3; ++k)
        s->points[i][k] = at[k] + r * d[k];
}

solid make_bumpy(int rings, double scale, const double at[3])
{
    int around = 2 * rings;
    solid s = {.point_count = (int64_t)(rings - 1) * around + 2,
               .face_count = 2 * (int64_t)around * (rings - 1)};
    s.points = malloc((size_t)s.point_count * sizeof *s.points);
    s.faces = malloc((size_t)s.face_count * sizeof *s.faces);
    int64_t top = s.point_count - 2, bottom = s.point_count - 1, f = 0;
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < around; ++j)
            set_point(&s, (int64_t)(i - 1) * around + j, pi * i / rings, 2 * pi * j / around, scale,
                      at);
    set_point(&s, top, 0, 0, scale, at);
    set_point(&s, bottom, pi, 0, scale, at);
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < around; ++j) {
            int n = (j + 1) % around;
            int32_t a = i > 0 ? (i - 1) * around + j : (int32_t)top;
            int32_t b = i > 0 ? (i - 1) * around + n : (int32_t)top;
            int32_t c = i + 1 < rings ? i * around + j : (int32_t)bottom;
            int32_t d = i + 1 < rings ? i * around + n : (int32_t)bottom;
            if (i + 1 < rings)
                memcpy(s.faces[f++], (int32_t[3]){a, c, d}, sizeof *s.faces);
            if (i > 0)
                memcpy(s.faces[f++], (int32_t[3]){a, i + 1 < rings ? d : c, b}, sizeof *s.faces);
        }
    s.face_count = f;
    return s;
}

solid make_box(const double low[3], const double high[3])
{
    static const int32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    solid s = {.point_count = 8, .face_count = 12};
    s.points = malloc(8 * sizeof *s.points);
    s.faces = malloc(sizeof faces);
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            s.points[i][k] = i >> k & 1 ? high[k] : low[k];
    memcpy(s.faces, faces, sizeof faces);
    return s;
}

void free_solid(solid *s)
{
    free(s->points);
    free(s->faces);
    *s = (solid){0};
}

toi_point_view solid_points(const solid *s)
{
    return toi_view_points(&s->points[0][0], s->point_count);
}

toi_index_view solid_faces(const solid *s)
{
    return (toi_index_view){&s->faces[0][0], s->face_count, 0};
}

toi_field *bake(const solid *s, toi_bake_def def, toi_bake_report *report)
{
    toi_field *field;
    assert_ok(toi_bake_field(&def, solid_points(s), solid_faces(s), report, &field));
    return field;
}

// ---- Distances

static long double dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static long double segment_square(const long double p[3], const double a[3], const double b[3])
{
    long double e[3], r[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = (long double)b[k] - a[k];
        r[k] = p[k] - a[k];
    }
    long double square = dot(e, e), t = square > 0 ? dot(e, r) / square : 0;
    t = fminl(fmaxl(t, 0), 1);
    for (int k = 0; k < 3; ++k)
        r[k] -= t * e[k];
    return dot(r, r);
}

static long double triangle_square(const long double p[3], const double *x[3])
{
    long double e[3], f[3], r[3], least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        e[k] = (long double)x[1][k] - x[0][k];
        f[k] = (long double)x[2][k] - x[0][k];
        r[k] = p[k] - x[0][k];
    }
    for (int i = 0; i < 3; ++i)
        least = fminl(least, segment_square(p, x[i], x[(i + 1) % 3]));
    long double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), er = dot(e, r), fr = dot(f, r);
    long double det = ee * ff - ef * ef;
    if (det <= 0)
        return least;
    long double u = (ff * er - ef * fr) / det, v = (ee * fr - ef * er) / det;
    if (u < 0 || v < 0 || u + v > 1)
        return least;
    for (int k = 0; k < 3; ++k)
        r[k] -= u * e[k] + v * f[k];
    return fminl(least, dot(r, r));
}

long double brute_distance(const solid *s, const long double p[3])
{
    long double least = INFINITY;
    for (int64_t f = 0; f < s->face_count; ++f) {
        const double *x[3];
        for (int c = 0; c < 3; ++c)
            x[c] = s->points[s->faces[f][c]];
        least = fminl(least, triangle_square(p, x));
    }
    return sqrtl(least);
}

// ---- Fields

static float node_at(const float *record, int x, int y, int z)
{
    return record[x + 9 * y + 81 * z];
}

static long double trilinear_twin(const float *record, const int cell[3], const long double t[3])
{
    long double sum = 0;
    for (int i = 0; i < 8; ++i) {
        int b[3] = {i & 1, i >> 1 & 1, i >> 2};
        long double w = 1;
        for (int k = 0; k < 3; ++k)
            w *= b[k] ? t[k] : 1 - t[k];
        sum += w * node_at(record, cell[0] + b[0], cell[1] + b[1], cell[2] + b[2]);
    }
    return sum;
}

// The value at a third (which = 0) or two thirds of an edge of the grid.
static long double inner_value(const float *record, const int at[3], int axis, int which)
{
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const float *bubble =
        record + 729 + 1296 * axis + 2 * (at[axis] + 8 * (at[next] + 9 * at[last]));
    int end[3] = {at[0], at[1], at[2]};
    ++end[axis];
    long double t = (which + 1) / 3.0L, v0 = node_at(record, at[0], at[1], at[2]);
    long double v1 = node_at(record, end[0], end[1], end[2]);
    return v0 + t * (v1 - v0) + t * (1 - t) * (bubble[0] + t * bubble[1]);
}

// The cubic serendipity functions of Discregrid on [-1, 1]^3.
static long double cubic_twin(const float *record, const int cell[3], const long double t[3])
{
    long double x[3], sum = 0, squares = 0;
    for (int k = 0; k < 3; ++k) {
        x[k] = 2 * t[k] - 1;
        squares += x[k] * x[k];
    }
    for (int i = 0; i < 8; ++i) {
        long double w = (9 * squares - 19) / 64;
        int at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = cell[k] + (i >> k & 1);
            w *= 1 + x[k] * (i >> k & 1 ? 1 : -1);
        }
        sum += w * node_at(record, at[0], at[1], at[2]);
    }
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 8; ++i) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3, which = i >> 2, at[3];
            at[axis] = cell[axis];
            at[next] = cell[next] + (i & 1);
            at[last] = cell[last] + (i >> 1 & 1);
            long double w = 9.0L / 64 * (1 - x[axis] * x[axis]) * (1 + (which ? 3 : -3) * x[axis]) *
                            (1 + x[next] * (i & 1 ? 1 : -1)) *
                            (1 + x[last] * (i >> 1 & 1 ? 1 : -1));
            sum += w * inner_value(record, at, axis, which);
        }
    return sum;
}

static long double twin_inside(const toi_grid *grid, const long double u[3])
{
    int32_t block[3];
    int cell[3];
    long double t[3];
    for (int k = 0; k < 3; ++k) {
        int i = (int)floorl(u[k]);
        i = i < grid->header->blocks[k] * 8 ? i : grid->header->blocks[k] * 8 - 1;
        block[k] = i / 8;
        cell[k] = i % 8;
        t[k] = u[k] - i;
    }
    int32_t number = grid->table[toi_block_index(grid, block)];
    if (number < 0)
        return number == -1 ? grid->header->far : -grid->header->far;
    const float *record = toi_grid_record(grid, number);
    return grid->cubic ? cubic_twin(record, cell, t) : trilinear_twin(record, cell, t);
}

long double twin_grid_value(const toi_grid *grid, const long double x[3])
{
    long double u[3], in[3], away = 0;
    for (int k = 0; k < 3; ++k) {
        u[k] = (x[k] - grid->header->origin[k]) / grid->header->cell_size;
        in[k] = fminl(fmaxl(u[k], 0), grid->header->blocks[k] * 8);
        away += (u[k] - in[k]) * (u[k] - in[k]);
    }
    long double f = twin_inside(grid, in);
    return grid->header->cell_size * (away > 0 ? sqrtl(away + f * f) : f);
}

long double twin_minorant(const toi_minorant *m, const double centre[3], const long double x[3])
{
    long double y[3], value = m->distance;
    for (int k = 0; k < 3; ++k) {
        y[k] = x[k] - centre[k];
        value += m->normal[k] * y[k];
    }
    long double square = dot(y, y);
    return value - 0.5L * m->curvature * square - m->slope * sqrtl(square);
}
