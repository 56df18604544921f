// Between what the derivatives of a baked field lie: in parts of cells, in cells, and in ever
// larger pieces of the grid. docs/sdf.md has the proofs.

#include "sdf/grid.h"

#include "kernel/lanes.h"

#include <math.h>

static inline void widen(double x, double *least, double *greatest)
{
    *least = x < *least ? x : *least;
    *greatest = x > *greatest ? x : *greatest;
}

// ---- The trilinear part

// Differences along each axis; the next axis (after z: x) is fastest, then the last.
static inline void edge_differences(const double c[8], double d[3][4])
{
    d[0][0] = c[1] - c[0], d[0][1] = c[3] - c[2], d[0][2] = c[5] - c[4], d[0][3] = c[7] - c[6];
    d[1][0] = c[2] - c[0], d[1][1] = c[6] - c[4], d[1][2] = c[3] - c[1], d[1][3] = c[7] - c[5];
    d[2][0] = c[4] - c[0], d[2][1] = c[5] - c[1], d[2][2] = c[6] - c[2], d[2][3] = c[7] - c[3];
}

// A bilinear function on a rectangle is between its corners there.
static inline void bilinear_range(const double v[4], const double s[2], const double t[2],
                                  double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (int i = 0; i < 2; ++i) {
        double a = toi_lerp(v[0], v[1], s[i]), b = toi_lerp(v[2], v[3], s[i]);
        widen(toi_lerp(a, b, t[0]), least, greatest);
        widen(toi_lerp(a, b, t[1]), least, greatest);
    }
}

// ---- Bubbles

// The values of the quadratic derivative of t (1 - t) (a + b t), as control values on [s0, s1]: it
// is a (1-t)^2 + 2 b t (1-t) - (a + b) t^2, and a control value is its polar form.
static inline double polar2(double a, double b, double x, double y)
{
    return (1 - x) * (1 - y) * a + ((1 - x) * y + x * (1 - y)) * b - x * y * (a + b);
}

// The same for t (1 - t) (a + b t) itself, whose control values on [0, 1] are 0, a/3, (a+b)/3, 0.
static inline double polar3(double a, double b, double x, double y, double z)
{
    double p = 1 - x, q = 1 - y, r = 1 - z;
    return (p * q * z + p * y * r + x * q * r) * (a * (1.0 / 3)) +
           (p * y * z + x * q * z + x * y * r) * ((a + b) * (1.0 / 3));
}

// Of the derivative along the edges: at the four corners of the other two coordinates.
static void range_along(const double a[4], const double b[4], const double s[2], const double p[2],
                        const double q[2], double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        double x = p[i & 1], y = q[i >> 1];
        double level = toi_lerp(toi_lerp(a[0], a[1], x), toi_lerp(a[2], a[3], x), y);
        double tilt = toi_lerp(toi_lerp(b[0], b[1], x), toi_lerp(b[2], b[3], x), y);
        widen(polar2(level, tilt, s[0], s[0]), least, greatest);
        widen(polar2(level, tilt, s[0], s[1]), least, greatest);
        widen(polar2(level, tilt, s[1], s[1]), least, greatest);
    }
}

// Of the derivative across: the difference of two sides, a bubble as well, which is linear in the
// third coordinate q.
static void range_across(const double a[2], const double b[2], const double s[2], const double q[2],
                         double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (int i = 0; i < 2; ++i) {
        double level = toi_lerp(a[0], a[1], q[i]), tilt = toi_lerp(b[0], b[1], q[i]);
        widen(polar3(level, tilt, s[0], s[0], s[0]), least, greatest);
        widen(polar3(level, tilt, s[0], s[0], s[1]), least, greatest);
        widen(polar3(level, tilt, s[0], s[1], s[1]), least, greatest);
        widen(polar3(level, tilt, s[1], s[1], s[1]), least, greatest);
    }
}

static void add_bubble_ranges(const float *record, const int32_t cell[3], const double box[3][2],
                              double least[3], double greatest[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        double a[4], b[4], low[3], high[3];
        toi_load_bubbles(record, cell, axis, a, b);
        range_along(a, b, box[axis], box[next], box[last], &low[axis], &high[axis]);
        double an[2] = {a[1] - a[0], a[3] - a[2]}, bn[2] = {b[1] - b[0], b[3] - b[2]};
        range_across(an, bn, box[axis], box[last], &low[next], &high[next]);
        double al[2] = {a[2] - a[0], a[3] - a[1]}, bl[2] = {b[2] - b[0], b[3] - b[1]};
        range_across(al, bl, box[axis], box[next], &low[last], &high[last]);
        for (int k = 0; k < 3; ++k) {
            least[k] += low[k];
            greatest[k] += high[k];
        }
    }
}

void toi_cell_range(const toi_grid *grid, const float *record, const int32_t cell[3],
                    const double low[3], const double high[3], double least[3], double greatest[3])
{
    double corners[8], d[3][4];
    const double box[3][2] = {{low[0], high[0]}, {low[1], high[1]}, {low[2], high[2]}};
    toi_load_corners(record, cell, corners);
    edge_differences(corners, d);
    bilinear_range(d[0], box[1], box[2], &least[0], &greatest[0]);
    bilinear_range(d[1], box[2], box[0], &least[1], &greatest[1]);
    bilinear_range(d[2], box[0], box[1], &least[2], &greatest[2]);
    if (grid->cubic)
        add_bubble_ranges(record, cell, box, least, greatest);
}

// ---- Blocks

typedef struct measured_cell
{
    double least[3];
    double greatest[3];
} measured_cell;

// The squared gradient of the trilinear part is greatest at a corner.
static double steepest_corner(double d[3][4])
{
    double most = 0;
    for (int i = 0; i < 8; ++i) {
        int x = i & 1, y = i >> 1 & 1, z = i >> 2;
        double g[3] = {d[0][y + 2 * z], d[1][z + 2 * x], d[2][x + 2 * y]};
        double square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        most = square > most ? square : most;
    }
    return most;
}

static void measure_bubbles(const float *record, const int32_t cell[3], toi_grid_facts *facts)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double a[4], b[4], most = 0;
        toi_load_bubbles(record, cell, axis, a, b);
        for (int i = 0; i < 4; ++i) {
            most = toi_max(most, toi_max(fabs(a[i]), fabs(a[i] + b[i])));
            facts->most = toi_max(facts->most, toi_max(fabs(a[i]), fabs(b[i])));
        }
        sum += 0.25 * most;
    }
    facts->bubble = toi_max(facts->bubble, sum);
}

static double longest_gradient(const double least[3], const double greatest[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double most = toi_max(fabs(least[k]), fabs(greatest[k]));
        sum += most * most;
    }
    return sqrt(sum);
}

// Of a cell with bubbles, part by part: what a part's ranges say is the nearer to the truth the
// smaller it is.
static double steepest_part(const toi_grid *grid, const float *record, const int32_t cell[3])
{
    double most = 0;
    for (int i = 0; i < 64; ++i) {
        double low[3] = {0.25 * (i & 3), 0.25 * (i >> 2 & 3), 0.25 * (i >> 4)};
        double high[3] = {low[0] + 0.25, low[1] + 0.25, low[2] + 0.25}, least[3], greatest[3];
        toi_cell_range(grid, record, cell, low, high, least, greatest);
        most = toi_max(most, longest_gradient(least, greatest));
    }
    return most;
}

static void measure_cell(const toi_grid *grid, const float *record, const int32_t cell[3],
                         measured_cell *m, toi_grid_facts *facts)
{
    static const double box[3][2] = {{0, 1}, {0, 1}, {0, 1}};
    double corners[8], d[3][4];
    toi_load_corners(record, cell, corners);
    edge_differences(corners, d);
    for (int i = 0; i < 8; ++i)
        facts->most = toi_max(facts->most, fabs(corners[i]));
    for (int k = 0; k < 3; ++k) {
        m->least[k] = toi_min(toi_min(d[k][0], d[k][1]), toi_min(d[k][2], d[k][3]));
        m->greatest[k] = toi_max(toi_max(d[k][0], d[k][1]), toi_max(d[k][2], d[k][3]));
    }
    if (!grid->cubic) {
        facts->lipschitz = toi_max(facts->lipschitz, steepest_corner(d));
        return;
    }
    add_bubble_ranges(record, cell, box, m->least, m->greatest);
    measure_bubbles(record, cell, facts);
    if (longest_gradient(m->least, m->greatest) > facts->lipschitz)
        facts->lipschitz = toi_max(facts->lipschitz, steepest_part(grid, record, cell));
}

// Rounded outwards by more than the conversion, and the sums before it, have lost.
static inline float float_below(double x, double slack)
{
    float f = (float)(x - slack);
    return f - fabsf(f) * 0x1p-22f - 0x1p-120f;
}

static inline float float_above(double x, double slack)
{
    return -float_below(-x, slack);
}

static void join_ranges(toi_grid_range *whole, const toi_grid_range *part)
{
    for (int k = 0; k < 3; ++k) {
        whole->low[k] = part->low[k] < whole->low[k] ? part->low[k] : whole->low[k];
        whole->high[k] = part->high[k] > whole->high[k] ? part->high[k] : whole->high[k];
    }
}

static const toi_grid_range nothing = {{INFINITY, INFINITY, INFINITY},
                                       {-INFINITY, -INFINITY, -INFINITY}};

// The range of the 2 x 2 x 2 cells from `first` on.
static void measure_piece(const toi_grid *grid, const float *record, const int32_t first[3],
                          toi_grid_range *range, toi_grid_facts *facts)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 8; ++i) {
        int32_t cell[3] = {first[0] + (i & 1), first[1] + (i >> 1 & 1), first[2] + (i >> 2)};
        measured_cell m;
        measure_cell(grid, record, cell, &m, facts);
        for (int k = 0; k < 3; ++k) {
            low[k] = toi_min(low[k], m.least[k]);
            high[k] = toi_max(high[k], m.greatest[k]);
        }
    }
    // A sum of bubbles loses a few units of its largest term.
    double slack = grid->cubic ? facts->most * 0x1p-46 : 0;
    for (int k = 0; k < 3; ++k) {
        range->low[k] = float_below(low[k], slack);
        range->high[k] = float_above(high[k], slack);
    }
}

void toi_measure_block(const toi_grid *grid, const float *record,
                       toi_grid_range ranges[TOI_GRID_RANGES], toi_grid_range *whole,
                       toi_grid_facts *facts)
{
    // Cells that are not steeper than 2 need no closer look.
    *facts = (toi_grid_facts){.lipschitz = grid->cubic ? 2 : 0};
    *whole = nothing;
    for (int i = 0; i < 8; ++i)
        ranges[64 + i] = nothing;
    for (int i = 0; i < 64; ++i) {
        int x = i & 3, y = i >> 2 & 3, z = i >> 4;
        measure_piece(grid, record, (int32_t[3]){2 * x, 2 * y, 2 * z}, &ranges[i], facts);
        join_ranges(&ranges[64 + (x >> 1) + (y & 2) + (z >> 1) * 4], &ranges[i]);
        join_ranges(whole, &ranges[i]);
    }
    if (!grid->cubic)
        facts->lipschitz = sqrt(facts->lipschitz);
}

void toi_measure_levels(const toi_grid *grid, toi_grid_range *const levels[TOI_GRID_LEVELS])
{
    for (int level = 4; level < grid->levels; ++level) {
        const int32_t *size = grid->sizes[level], *below = grid->sizes[level - 1];
        int64_t count = (int64_t)size[0] * size[1] * size[2];
        for (int64_t i = 0; i < count; ++i)
            levels[level][i] = nothing;
        for (int32_t z = 0; z < below[2]; ++z)
            for (int32_t y = 0; y < below[1]; ++y)
                for (int32_t x = 0; x < below[0]; ++x)
                    join_ranges(
                        &levels[level]
                               [x / 2 + (int64_t)size[0] * (y / 2 + (int64_t)size[1] * (z / 2))],
                        &levels[level - 1][x + (int64_t)below[0] * (y + (int64_t)below[1] * z)]);
    }
}

void toi_note_facts(toi_grid_header *header, const toi_grid_facts *facts)
{
    int32_t longest = header->blocks[0];
    for (int k = 1; k < 3; ++k)
        longest = header->blocks[k] > longest ? header->blocks[k] : longest;
    double node_error = 0x1p-21 * TOI_GRID_SIDE * longest;
    header->most = facts->most > header->far ? facts->most : header->far;
    header->lipschitz = toi_max(1, facts->lipschitz) * (1 + 0x1p-40);
    // Where a hole is closed, values of both sides are farther apart than they may be.
    double hole = header->open ? 5.5 : 0;
    header->step = header->cell_size * (1.7320509 + hole + 2 * (facts->bubble + node_error));
}
