// Baked fields: values, gradients and bounds of an interpolated grid, on all of space.

#include "sdf/grid.h"

#include "kernel/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Values

// The cell that a coordinate in [0, cells] lies in.
static inline int32_t cell_of(double u, int32_t cells)
{
    int32_t i = (int32_t)u;
    return i < cells ? i : cells - 1;
}

static inline double mix(const double v[4], double s, double t)
{
    return toi_lerp(toi_lerp(v[0], v[1], s), toi_lerp(v[2], v[3], s), t);
}

// The trilinear part of F and its gradient.
static double trilinear(const double c[8], const double t[3], double gradient[3])
{
    double x0 = c[1] - c[0], x1 = c[3] - c[2], x2 = c[5] - c[4], x3 = c[7] - c[6];
    double v0 = c[0] + t[0] * x0, v1 = c[2] + t[0] * x1;
    double v2 = c[4] + t[0] * x2, v3 = c[6] + t[0] * x3;
    double y0 = v1 - v0, y1 = v3 - v2;
    double low = v0 + t[1] * y0, high = v2 + t[1] * y1;
    gradient[0] = toi_lerp(toi_lerp(x0, x1, t[1]), toi_lerp(x2, x3, t[1]), t[2]);
    gradient[1] = toi_lerp(y0, y1, t[2]);
    gradient[2] = high - low;
    return low + t[2] * (high - low);
}

// What the edges along an axis add.
static double add_bubbles(const float *record, const int32_t cell[3], const double t[3], int axis,
                          double gradient[3])
{
    double a[4], b[4];
    toi_load_bubbles(record, cell, axis, a, b);
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    double s = t[axis], hump = s * (1 - s), p = t[next], q = t[last];
    double level = mix(a, p, q), tilt = mix(b, p, q);
    gradient[axis] += (1 - 2 * s) * (level + s * tilt) + hump * tilt;
    double w[4];
    for (int i = 0; i < 4; ++i)
        w[i] = hump * (a[i] + s * b[i]);
    gradient[next] += toi_lerp(w[1] - w[0], w[3] - w[2], q);
    gradient[last] += toi_lerp(w[2] - w[0], w[3] - w[1], p);
    return hump * (level + s * tilt);
}

// F and its gradient at u, within the grid.
static double interpolate(const toi_grid *grid, const double u[3], double gradient[3])
{
    int32_t block[3], cell[3];
    double t[3], corners[8];
    for (int k = 0; k < 3; ++k) {
        int32_t i = cell_of(u[k], grid->cells[k]);
        block[k] = i / TOI_GRID_SIDE;
        cell[k] = i % TOI_GRID_SIDE;
        t[k] = u[k] - i;
    }
    int32_t number = grid->table[toi_block_index(grid, block)];
    if (number < 0) {
        memset(gradient, 0, 3 * sizeof *gradient);
        return number == TOI_GRID_OUTSIDE ? grid->header->far : -grid->header->far;
    }
    const float *record = toi_grid_record(grid, number);
    toi_load_corners(record, cell, corners);
    double value = trilinear(corners, t, gradient);
    if (grid->cubic)
        for (int axis = 0; axis < 3; ++axis)
            value += add_bubbles(record, cell, t, axis, gradient);
    return value;
}

// A point in cells, computed; and the nearest in the grid. Returns how far that is, in cells.
static double place(const toi_grid *grid, const double point[3], double u[3], double inside[3])
{
    double away[3], greatest = 0;
    for (int k = 0; k < 3; ++k) {
        u[k] = (point[k] - grid->origin[k]) * grid->inverse;
        inside[k] = u[k] > 0 ? u[k] : 0;
        if (inside[k] > grid->cells[k])
            inside[k] = grid->cells[k];
        away[k] = fabs(u[k] - inside[k]);
        greatest = away[k] > greatest ? away[k] : greatest;
    }
    if (greatest == 0 || greatest == INFINITY)
        return greatest;
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += (away[k] / greatest) * (away[k] / greatest);
    return greatest * sqrt(sum);
}

// Outside, F is sqrt(e^2 + f^2), e the distance to the grid's box and f its value at the nearest
// point of the box: continuous, and below the distance to a solid in the box.
static double extend(const double u[3], const double inside[3], double e, double f,
                     double gradient[3])
{
    double share = f / e;
    double length = share < 1 ? e * sqrt(1 + share * share) : f * sqrt(1 + 1 / (share * share));
    for (int k = 0; k < 3; ++k) {
        double out = length < INFINITY ? u[k] - inside[k] : 0;
        gradient[k] = out != 0 ? out / length : f / length * gradient[k];
    }
    return length;
}

static void sample(const toi_field *field, const double point[3], toi_field_sample *s)
{
    const toi_grid *grid = (const toi_grid *)field;
    double u[3], inside[3], e = place(grid, point, u, inside);
    double f = interpolate(grid, inside, s->gradient), value = f;
    s->own[0] = e;
    s->own[1] = f;
    s->error = grid->value_error;
    if (e > 0) {
        value = extend(u, inside, e, f, s->gradient);
        // A computed coordinate has a relative error of 3.1 units; the length one of 8.
        double far = fabs(u[0]) + fabs(u[1]) + fabs(u[2]);
        s->error += grid->cell * (3.2 * field->lipschitz * far + 8 * value) * 0x1p-53;
    }
    s->value = grid->cell * value;
}

static double value_at(const toi_field *field, const double point[3])
{
    toi_field_sample s;
    sample(field, point, &s);
    return s.value;
}

// ---- Bounds

// A ball, in cells.
typedef struct ball
{
    double u[3];
    double low[3]; // its box, enlarged by rounding
    double high[3];
    double margin; // the true centre is no farther from u than this along any axis
} ball;

// Bounds of one-sided slopes: `up` where a coordinate grows, `down` where it falls.
typedef struct slopes
{
    double up[3];
    double down[3];
} slopes;

static inline void lower(double *least, double x)
{
    *least = x < *least ? x : *least;
}

static inline void raise(double *greatest, double x)
{
    *greatest = x > *greatest ? x : *greatest;
}

// The derivatives of f (F, continued beyond the grid by its value at the nearest point of the box)
// along an axis vanish where the box ends.
static void begin_slopes(const toi_grid *grid, const ball *b, slopes *s)
{
    for (int k = 0; k < 3; ++k) {
        s->up[k] = INFINITY;
        s->down[k] = -INFINITY;
        if (b->low[k] < 0) {
            s->down[k] = 0;
            if (b->u[k] - b->margin < 0)
                s->up[k] = 0;
        }
        if (b->high[k] > grid->cells[k]) {
            lower(&s->up[k], 0);
            if (b->u[k] + b->margin > grid->cells[k])
                raise(&s->down[k], 0);
        }
    }
}

// The cells (or larger pieces, 2^level cells long) that the ball may touch, and those that its
// centre may be in, along each axis. Along an axis where the ball is beyond the grid nobody is
// `own`.
typedef struct touched
{
    int32_t first[3];
    int32_t last[3];
    int32_t own_first[3];
    int32_t own_last[3];
} touched;

static int32_t floor_of(double x)
{
    return (int32_t)floor(toi_min(toi_max(x, -2), 1 << 24));
}

static void find_touched(const toi_grid *grid, const ball *b, int level, touched *t)
{
    for (int k = 0; k < 3; ++k) {
        double n = grid->cells[k];
        t->first[k] = cell_of(toi_min(toi_max(b->low[k], 0), n), grid->cells[k]) >> level;
        t->last[k] = cell_of(toi_min(toi_max(b->high[k], 0), n), grid->cells[k]) >> level;
        t->own_first[k] = floor_of(b->u[k] - b->margin) >> level;
        t->own_last[k] = floor_of(b->u[k] + b->margin) >> level;
        if (b->high[k] <= 0 || b->low[k] >= n) {
            t->own_first[k] = INT32_MAX;
            t->own_last[k] = INT32_MIN;
        }
    }
}

// A step along +axis meets the derivatives of its own piece and of those beyond, one along -axis
// those of its own and before. So a convex kink, where the derivative grows, costs nothing.
static inline void note(const touched *t, const int32_t at[3], int k, double low, double high,
                        slopes *s)
{
    if (at[k] >= t->own_first[k])
        lower(&s->up[k], low);
    if (at[k] <= t->own_last[k])
        raise(&s->down[k], high);
}

static void range_of_cell(const toi_grid *grid, const ball *b, const int32_t at[3], double least[3],
                          double greatest[3])
{
    int32_t block[3], cell[3];
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        block[k] = at[k] / TOI_GRID_SIDE;
        cell[k] = at[k] % TOI_GRID_SIDE;
        low[k] = toi_min(toi_max(b->low[k] - at[k], 0), 1);
        high[k] = toi_min(toi_max(b->high[k] - at[k], 0), 1);
    }
    int32_t number = grid->table[toi_block_index(grid, block)];
    if (number >= 0) {
        toi_cell_range(grid, toi_grid_record(grid, number), cell, low, high, least, greatest);
        return;
    }
    memset(least, 0, 3 * sizeof *least);
    memset(greatest, 0, 3 * sizeof *greatest);
}

static const toi_grid_range *range_of_piece(const toi_grid *grid, int level, const int32_t at[3])
{
    static const toi_grid_range none;
    if (level >= 3) {
        const int32_t *size = grid->sizes[level];
        return &grid->ranges[level][at[0] + (int64_t)size[0] * (at[1] + (int64_t)size[1] * at[2])];
    }
    int shift = 3 - level, mask = (1 << shift) - 1;
    int32_t block[3] = {at[0] >> shift, at[1] >> shift, at[2] >> shift};
    int32_t number = grid->table[toi_block_index(grid, block)];
    if (number < 0)
        return &none;
    int piece = (at[0] & mask) + ((at[1] & mask) << shift) + ((at[2] & mask) << 2 * shift);
    return &toi_record_ranges(grid, toi_grid_record(grid, number))[piece + (level == 2 ? 64 : 0)];
}

static void gather_cells(const toi_grid *grid, const ball *b, double sign, slopes *s)
{
    touched t;
    find_touched(grid, b, 0, &t);
    int32_t at[3];
    for (at[2] = t.first[2]; at[2] <= t.last[2]; ++at[2])
        for (at[1] = t.first[1]; at[1] <= t.last[1]; ++at[1])
            for (at[0] = t.first[0]; at[0] <= t.last[0]; ++at[0]) {
                double low[3], high[3];
                range_of_cell(grid, b, at, low, high);
                for (int k = 0; k < 3; ++k)
                    if (sign > 0)
                        note(&t, at, k, low[k], high[k], s);
                    else
                        note(&t, at, k, -high[k], -low[k], s);
            }
}

static void gather_pieces(const toi_grid *grid, const ball *b, int level, double sign, slopes *s)
{
    touched t;
    find_touched(grid, b, level, &t);
    int32_t at[3];
    for (at[2] = t.first[2]; at[2] <= t.last[2]; ++at[2])
        for (at[1] = t.first[1]; at[1] <= t.last[1]; ++at[1])
            for (at[0] = t.first[0]; at[0] <= t.last[0]; ++at[0]) {
                const toi_grid_range *range = range_of_piece(grid, level, at);
                for (int k = 0; k < 3; ++k)
                    if (sign > 0)
                        note(&t, at, k, range->low[k], range->high[k], s);
                    else
                        note(&t, at, k, -range->high[k], -range->low[k], s);
            }
}

// A ball of half a cell is worth a look at the very parts of cells that it touches. Larger ones
// take the stored ranges of pieces no smaller than they are: two along an axis at most.
static void gather(const toi_grid *grid, const ball *b, double radius, double sign, slopes *s)
{
    begin_slopes(grid, b, s);
    if (radius <= 0.5) {
        gather_cells(grid, b, sign, s);
        return;
    }
    int level = 1;
    while (level + 1 < grid->levels && (double)(1 << level) < 2 * radius)
        ++level;
    gather_pieces(grid, b, level, sign, s);
}

// For a step y, f grows by at least the sum over the axes of up y where y > 0, down y where y < 0:
// at least normal.y - slope |y|.
static void join_slopes(const slopes *s, const double gradient[3], double normal[3], double *slope)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double half = 0.5 * (s->down[k] - s->up[k]);
        normal[k] = 0.5 * (s->up[k] + s->down[k]);
        if (half > 0)
            sum += half * half;
        else
            normal[k] = toi_min(toi_max(gradient[k], s->down[k]), s->up[k]);
    }
    *slope = sqrt(sum);
}

static bool leaves_grid(const toi_grid *grid, const ball *b)
{
    for (int k = 0; k < 3; ++k)
        if (!(b->low[k] >= 0 && b->high[k] <= grid->cells[k]))
            return true;
    return false;
}

// Outside: phi = |(e, f)| >= c e + s f for every unit vector (c, s), and e is convex. Where f may
// be negative within the ball, only phi >= f is used.
static void lean(const toi_grid *grid, const toi_field_sample *sample, const ball *b, double radius,
                 toi_minorant *m)
{
    double e = sample->own[0], f = sample->own[1];
    double reach = toi_min(grid->base.lipschitz * radius, radius + grid->base.step * grid->inverse);
    double length = sample->value * grid->inverse;
    if (!(e > 1.001 * radius) && !(f > 1.001 * reach)) {
        m->distance = grid->cell * f * (1 - 0x1p-50) - sample->error;
        return;
    }
    double c = e / length * (1 - 0x1p-49), s = f / length * (1 - 0x1p-49);
    m->distance = grid->cell * (c * e + s * f) * (1 - 0x1p-49) - 2 * sample->error;
    for (int k = 0; k < 3; ++k) {
        double in = toi_min(toi_max(b->u[k], 0), grid->cells[k]);
        m->normal[k] = s * m->normal[k] + c * ((b->u[k] - in) / e);
    }
    m->slope = s * m->slope + 0x1p-49;
}

static int bound(const toi_field *field, const toi_field_sample *sample, const double centre[3],
                 double radius, double sign, toi_minorant *minorants, int room)
{
    const toi_grid *grid = (const toi_grid *)field;
    if (room < 1 || !(radius < grid->cell * 0x1p20))
        return 0;
    ball b;
    double r = radius * grid->inverse * (1 + 0x1p-50), far = 0, u[3], inside[3];
    place(grid, centre, u, inside);
    for (int k = 0; k < 3; ++k) {
        b.u[k] = u[k];
        far += fabs(u[k]);
    }
    if (!(far < 0x1p40))
        return 0;
    b.margin = grid->place_error + 0x1p-51 * far;
    for (int k = 0; k < 3; ++k) {
        b.low[k] = u[k] - r - b.margin;
        b.high[k] = u[k] + r + b.margin;
    }
    if (sign < 0 && leaves_grid(grid, &b))
        return 0;
    slopes s;
    toi_minorant m = {0};
    gather(grid, &b, r, sign, &s);
    double gradient[3];
    for (int k = 0; k < 3; ++k)
        gradient[k] = sign * sample->gradient[k];
    join_slopes(&s, gradient, m.normal, &m.slope);
    m.distance = sign * sample->value - sample->error;
    if (sample->own[0] > 0)
        lean(grid, sample, &b, r, &m);
    m.slope = m.slope * (1 + 0x1p-49) + grid->slope_error;
    minorants[0] = m;
    return 1;
}

// ---- The field

static void release(toi_field *field)
{
    toi_grid *grid = (toi_grid *)field;
    if (grid->release)
        grid->release(grid->context);
}

static const toi_field_class grid_class = {"grid", sample, value_at, bound, release};

const toi_grid *toi_as_grid(const toi_field *field)
{
    return field && field->class == &grid_class ? (const toi_grid *)field : NULL;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

// Sizes of the levels of ranges from that of blocks up; returns how many ranges there are.
static int64_t size_levels(const int32_t blocks[3], int32_t sizes[TOI_GRID_LEVELS][3], int *levels)
{
    int64_t count = 0;
    int32_t n[3] = {blocks[0], blocks[1], blocks[2]};
    for (*levels = 3;;) {
        memcpy(sizes[*levels], n, sizeof n);
        count += (int64_t)n[0] * n[1] * n[2];
        ++*levels;
        if (n[0] == 1 && n[1] == 1 && n[2] == 1)
            return count;
        for (int k = 0; k < 3; ++k)
            n[k] = (n[k] + 1) / 2;
    }
}

toi_grid_layout toi_lay_grid_out(const toi_grid_header *header)
{
    int32_t sizes[TOI_GRID_LEVELS][3];
    int levels;
    int64_t ranges = size_levels(header->blocks, sizes, &levels);
    int64_t blocks = (int64_t)header->blocks[0] * header->blocks[1] * header->blocks[2];
    toi_grid_layout l;
    l.stride =
        header->interpolation == TOI_CUBIC ? TOI_GRID_CUBIC_FLOATS : TOI_GRID_TRILINEAR_FLOATS;
    l.table = (int64_t)sizeof *header;
    l.ranges = l.table + round_up(blocks * (int64_t)sizeof(int32_t));
    l.records = l.ranges + round_up(ranges * (int64_t)sizeof(toi_grid_range));
    l.size = l.records + header->records * l.stride * (int64_t)sizeof(float);
    return l;
}

toi_grid *toi_view_grid(const void *image)
{
    toi_grid *grid = (toi_grid *)toi_new_field(&grid_class, sizeof *grid);
    if (!grid)
        return NULL;
    const toi_grid_header *header = image;
    toi_grid_layout layout = toi_lay_grid_out(header);
    grid->header = header;
    grid->cubic = header->interpolation == TOI_CUBIC;
    grid->cell = header->cell_size;
    grid->inverse = 1 / header->cell_size;
    for (int k = 0; k < 3; ++k) {
        grid->origin[k] = header->origin[k];
        grid->blocks[k] = header->blocks[k];
        grid->cells[k] = TOI_GRID_SIDE * header->blocks[k];
    }
    grid->table = (const int32_t *)((const char *)image + layout.table);
    grid->records = (const float *)((const char *)image + layout.records);
    grid->stride = layout.stride;
    size_levels(header->blocks, grid->sizes, &grid->levels);
    const toi_grid_range *at = (const toi_grid_range *)((const char *)image + layout.ranges);
    for (int level = 3; level < grid->levels; ++level) {
        grid->ranges[level] = at;
        at += (int64_t)grid->sizes[level][0] * grid->sizes[level][1] * grid->sizes[level][2];
    }
    return grid;
}

// The constants are derived in docs/sdf.md.
void toi_finish_grid(toi_grid *grid)
{
    const toi_grid_header *header = grid->header;
    int32_t longest = grid->cells[0];
    for (int k = 1; k < 3; ++k)
        longest = grid->cells[k] > longest ? grid->cells[k] : longest;
    grid->base.lipschitz = header->lipschitz;
    grid->base.step = header->step;
    grid->base.error = header->error;
    grid->place_error = 3.2 * longest * 0x1p-53;
    double roundings = grid->cubic ? 128 : 20;
    grid->value_error = grid->cell * (1.7321 * header->lipschitz * grid->place_error +
                                      roundings * header->most * 0x1p-53) +
                        DBL_MIN;
    grid->slope_error = (header->lipschitz + (grid->cubic ? header->most : 0)) * 0x1p-45;
}
