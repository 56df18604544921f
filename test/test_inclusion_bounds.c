// The error bounds of the inclusion method, recomputed: every constant of docs/inclusion.md against
// exact arithmetic, and the cell operations against zeros that are known exactly.
//
// Looks inside: the search is compiled into this file.

#define TOI_ISA bounds
#include "narrow/inclusion_search_isa.c"

#include "kernel/separation.h"

#include "support.h"

#include "exact/adversary.h"
#include "exact/exact_ccd.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- A query as the library prepares it

typedef struct prepared
{
    toi_kind kind;
    toi_query given;
    toi_pair_motion motion;
    search search;
} prepared;

static void prepare_query(toi_kind kind, const toi_query *query, double separation,
                          double tolerance, prepared *out)
{
    out->kind = kind;
    out->given = *query;
    double points[2][4][3], shrink;
    memcpy(points[0], query->start, sizeof points[0]);
    memcpy(points[1], query->end, sizeof points[1]);
    toi_pair_motion *m = &out->motion;
    toi_take_scaled_motion(kind == TOI_EDGE_EDGE, points, &shrink, m);
    toi_filtered f = {.scale = m->scale};
    memcpy(f.p, m->p, sizeof f.p);
    memcpy(f.e, m->e, sizeof f.e);
    memcpy(f.g, m->g, sizeof f.g);
    memcpy(f.size, m->size, sizeof f.size);
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.min_separation = separation;
    def.tolerance = tolerance;
    toi_narrow_batch batch = {.def = &def, .kind = kind};
    out->search = (search){.most_iterations = 1};
    prepare(&batch, &f, &out->search);
}

// ---- Exact values, scaled as the library's are

typedef struct exact_motion
{
    mpq_t p[2][3], e[2][3], g[2][3];
    mpq_t scale;
} exact_motion;

static void init_exact(exact_motion *m)
{
    mpq_init(m->scale);
    for (int i = 0; i < 6; ++i)
        mpq_inits(m->p[i / 3][i % 3], m->e[i / 3][i % 3], m->g[i / 3][i % 3], NULL);
}

static void clear_exact(exact_motion *m)
{
    mpq_clear(m->scale);
    for (int i = 0; i < 6; ++i)
        mpq_clears(m->p[i / 3][i % 3], m->e[i / 3][i % 3], m->g[i / 3][i % 3], NULL);
}

static void take_exact(const prepared *q, exact_motion *m)
{
    mpq_t zero, one, f[3];
    mpq_inits(zero, one, f[0], f[1], f[2], NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_d(m->scale, q->motion.scale);
    for (int end = 0; end < 2; ++end)
        for (int part = 0; part < 3; ++part) {
            mpq_t *const at = part == 0 ? m->p[end] : part == 1 ? m->e[end] : m->g[end];
            exact_value(q->kind, &q->given, end ? one : zero, part == 1 ? one : zero,
                        part == 2 ? one : zero, f);
            for (int k = 0; k < 3; ++k) {
                mpq_mul(at[k], f[k], m->scale);
                if (part > 0)
                    mpq_sub(at[k], at[k], m->p[end][k]);
            }
        }
    mpq_clears(zero, one, f[0], f[1], f[2], NULL);
}

// (1 - t) a + t b
static void exact_blend(const mpq_t a, const mpq_t b, const mpq_t t, mpq_t result)
{
    mpq_t x;
    mpq_init(x);
    mpq_sub(x, b, a);
    mpq_mul(x, x, t);
    mpq_add(result, a, x);
    mpq_clear(x);
}

// F_k at (t, u, v).
static void exact_at(exact_motion *m, int k, double t, double u, double v, mpq_t result)
{
    mpq_t s, x;
    mpq_inits(s, x, NULL);
    mpq_set_d(s, t);
    exact_blend(m->p[0][k], m->p[1][k], s, result);
    exact_blend(m->e[0][k], m->e[1][k], s, x);
    mpq_set_d(s, u);
    mpq_mul(x, x, s);
    mpq_add(result, result, x);
    mpq_set_d(s, t);
    exact_blend(m->g[0][k], m->g[1][k], s, x);
    mpq_set_d(s, v);
    mpq_mul(x, x, s);
    mpq_add(result, result, x);
    mpq_clears(s, x, NULL);
}

// |computed - exact| as a double, near enough.
static double error_of(double computed, const mpq_t exact)
{
    mpq_t x;
    mpq_init(x);
    mpq_set_d(x, computed);
    mpq_sub(x, x, exact);
    double error = fabs(mpq_get_d(x));
    mpq_clear(x);
    return error;
}

// ---- Random motions and cells

// Coordinates that a query may have: smooth or of unrelated sizes, near the origin or far from it.
static toi_query random_query(toi_random *random)
{
    toi_query q;
    double *x = &q.start[0][0];
    int spread = (int)toi_random_below(random, 3) * 10;
    double offset = ldexp(toi_random_range(random, -1, 1), (int)toi_random_below(random, 12) - 2);
    for (int i = 0; i < 24; ++i)
        x[i] = ldexp(toi_random_range(random, -1, 1),
                     -(int)toi_random_below(random, (uint64_t)spread + 1)) +
               (i % 2 ? offset : 0);
    return q;
}

// An interval of [0, 1], of any size, wherever it lies.
static void random_interval(toi_random *random, double *lo, double *hi)
{
    double width = ldexp(toi_random_unit(random), -(int)toi_random_below(random, 50));
    *lo = toi_random_unit(random);
    if (toi_random_below(random, 4) == 0)
        *lo = ldexp(*lo, -(int)toi_random_below(random, 60));
    *hi = fmin(1, *lo + width);
    if (toi_random_below(random, 8) == 0)
        *lo = 0;
    if (toi_random_below(random, 8) == 0)
        *hi = 1;
}

static toi_cell random_cell(toi_random *random)
{
    toi_cell c;
    for (int a = 0; a < 3; ++a)
        random_interval(random, &c.lo[a], &c.hi[a]);
    return c;
}

// ---- Searching for the worst case
//
// Random points of the space of queries and cells rarely round the same way everywhere; climbing
// from them, one changed number at a time, comes closer to what the bound allows.

typedef struct sample
{
    toi_kind kind;
    toi_query query;
    toi_cell cell;
    double direction[3];
} sample;

static sample random_sample(toi_random *random)
{
    sample s = {.kind = (toi_kind)toi_random_below(random, TOI_PAIR_KINDS),
                .query = random_query(random),
                .cell = random_cell(random)};
    for (int k = 0; k < 3; ++k)
        s.direction[k] = toi_random_range(random, -1, 1);
    return s;
}

static double change(double x, toi_random *random)
{
    switch (toi_random_below(random, 3)) {
    case 0:
        return nextafter(x, toi_random_below(random, 2) ? 2 : -2);
    case 1:
        return x * (1 + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 52)));
    default:
        return x * toi_random_range(random, 0.5, 1.5);
    }
}

static sample change_sample(const sample *old, toi_random *random)
{
    sample s = *old;
    double *x = &s.query.start[0][0];
    for (int n = (int)toi_random_below(random, 3); n >= 0; --n) {
        double *at = &x[toi_random_below(random, 24)];
        *at = change(*at, random);
        if (toi_random_below(random, 2)) {
            int a = (int)toi_random_below(random, 3);
            s.cell.lo[a] = fmin(fmax(change(s.cell.lo[a], random), 0), 1);
            s.cell.hi[a] = fmin(fmax(change(s.cell.hi[a], random), s.cell.lo[a]), 1);
        }
        if (toi_random_below(random, 2)) {
            double *d = &s.direction[toi_random_below(random, 3)];
            *d = fmin(fmax(change(*d, random), -1), 1);
        }
    }
    return s;
}

typedef double measure_ratio(const sample *s, exact_motion *exact);

static double worst_ratio(measure_ratio *measure, uint64_t seed)
{
    toi_random random = {seed};
    exact_motion exact;
    init_exact(&exact);
    double worst = 0;
    for (int64_t start = 0; start < slow_cases(6); ++start) {
        sample best = random_sample(&random);
        double ratio = measure(&best, &exact);
        for (int step = 0; step < 4000; ++step) {
            sample next = change_sample(&best, &random);
            double r = measure(&next, &exact);
            if (r >= ratio) {
                ratio = r;
                best = next;
            }
        }
        worst = fmax(worst, ratio);
    }
    clear_exact(&exact);
    return worst;
}

// ---- The box of F over a cell: 8 units of size

// Errors of both ends of the box, in units of u times the axis' size.
static double hull_ratio(const sample *s, exact_motion *exact)
{
    prepared q;
    prepare_query(s->kind, &s->query, 0, 1e-6, &q);
    take_exact(&q, exact);
    toi_hull hull;
    toi_cell_hull(&q.search.query, &s->cell, &hull);
    mpq_t value, lo, hi;
    mpq_inits(value, lo, hi, NULL);
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        for (int corner = 0; corner < 8; ++corner) {
            double at[3];
            for (int a = 0; a < 3; ++a)
                at[a] = corner >> a & 1 ? s->cell.hi[a] : s->cell.lo[a];
            exact_at(exact, k, at[0], at[1], at[2], value);
            if (corner == 0 || mpq_cmp(value, lo) < 0)
                mpq_set(lo, value);
            if (corner == 0 || mpq_cmp(value, hi) > 0)
                mpq_set(hi, value);
        }
        double error = fmax(error_of(hull.lo[k], lo), error_of(hull.hi[k], hi));
        if (q.motion.size[k] > 0)
            worst = fmax(worst, error / (TOI_UNIT * q.motion.size[k]));
    }
    mpq_clears(value, lo, hi, NULL);
    return worst;
}

static void hull_error_is_below_8(void **state)
{
    (void)state;
    double worst = worst_ratio(hull_ratio, 101);
    print_message("  box of a cell: error at most %.2f u size; allowed 8\n", worst);
    assert_true(worst > 1); // else the search is no search
    assert_true(worst <= 8);
}

// ---- The filter: corners and directions

static double corner_ratio(const sample *s, exact_motion *exact)
{
    prepared q;
    prepare_query(s->kind, &s->query, 0, 1e-6, &q);
    take_exact(&q, exact);
    double w[TOI_MAX_CORNERS][3], worst = 0;
    bool edges = s->kind == TOI_EDGE_EDGE;
    int count = toi_corners(edges, &q.motion, w), half = count / 2;
    mpq_t value;
    mpq_init(value);
    for (int c = 0; c < count; ++c)
        for (int k = 0; k < 3; ++k) {
            int place = c % half;
            exact_at(exact, k, c / half, place & 1, place >> 1, value);
            if (q.motion.size[k] > 0)
                worst = fmax(worst, error_of(w[c][k], value) / (TOI_UNIT * q.motion.size[k]));
        }
    mpq_clear(value);
    return worst;
}

static void corner_error_is_below_8(void **state)
{
    (void)state;
    double worst = worst_ratio(corner_ratio, 102);
    print_message("  corners of the filter: error at most %.2f u size; allowed 8\n", worst);
    assert_true(worst > 1);
    assert_true(worst <= 8);
}

// Error of d.w over the slack that direction d gets; 12 of which are the slack's constant.
static double direction_ratio(const sample *s, exact_motion *exact)
{
    prepared q;
    prepare_query(s->kind, &s->query, 0, 1e-6, &q);
    take_exact(&q, exact);
    double w[TOI_MAX_CORNERS][3], worst = 0, none = 0;
    int count = toi_corners(s->kind == TOI_EDGE_EDGE, &q.motion, w), half = count / 2;
    double slack = toi_direction_slack(&q.motion, s->direction, &none);
    mpq_t value, product, d;
    mpq_inits(value, product, d, NULL);
    for (int c = 0; c < count; ++c) {
        mpq_set_ui(product, 0, 1);
        for (int k = 0; k < 3; ++k) {
            int place = c % half;
            exact_at(exact, k, c / half, place & 1, place >> 1, value);
            mpq_set_d(d, s->direction[k]);
            mpq_mul(value, value, d);
            mpq_add(product, product, value);
        }
        worst = fmax(worst, error_of(toi_dot(s->direction, w[c]), product) / slack);
    }
    mpq_clears(value, product, d, NULL);
    return 12 * worst;
}

static void direction_error_is_below_12(void **state)
{
    (void)state;
    double worst = worst_ratio(direction_ratio, 103);
    print_message("  directions of the filter: error at most %.2f u size; allowed 12\n", worst);
    assert_true(worst > 1);
    assert_true(worst <= 12);
}

// ---- The contraction: 64 units

// n.a for exact a = (1 - t) a0 + t a1, or the difference a1 - a0 where t is NULL.
static void project(const double n[3], mpq_t a[2][3], const double *t, mpq_t result)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_ui(result, 0, 1);
    for (int k = 0; k < 3; ++k) {
        if (t) {
            mpq_set_d(y, *t);
            exact_blend(a[0][k], a[1][k], y, x);
        } else {
            mpq_sub(x, a[1][k], a[0][k]);
        }
        mpq_set_d(y, n[k]);
        mpq_mul(x, x, y);
        mpq_add(result, result, x);
    }
    mpq_clears(x, y, NULL);
}

// a + u b + v c
static void combine(const mpq_t a, double u, const mpq_t b, double v, const mpq_t c, mpq_t result)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, u);
    mpq_mul(x, x, b);
    mpq_set_d(y, v);
    mpq_mul(y, y, c);
    mpq_add(x, x, y);
    mpq_add(result, a, x);
    mpq_clears(x, y, NULL);
}

// All errors of the expansion projected on n, as far as the radii let them count, in units of u
// times |n|.size.
static double expansion_ratio_along(prepared *q, exact_motion *exact, const toi_cell *cell,
                                    const double n[3])
{
    toi_expansion x;
    const toi_inclusion *in = &q->search.query;
    toi_expand(in, cell, &x);
    mpq_t p, e, g, dp, de, dg, value;
    mpq_inits(p, e, g, dp, de, dg, value, NULL);
    project(n, exact->p, &x.centre[0], p);
    project(n, exact->e, &x.centre[0], e);
    project(n, exact->g, &x.centre[0], g);
    project(n, exact->p, NULL, dp);
    project(n, exact->e, NULL, de);
    project(n, exact->g, NULL, dg);
    const double *r = x.radius;
    combine(p, x.centre[1], e, x.centre[2], g, value);
    double error = error_of(toi_dot(n, x.value), value);
    combine(dp, x.centre[1], de, x.centre[2], dg, value);
    error += r[0] * error_of(toi_dot(n, x.dt), value);
    error += r[1] * error_of(toi_dot(n, x.du), e);
    error += r[2] * error_of(toi_dot(n, x.dv), g);
    error += r[0] * r[1] * error_of(toi_dot(n, in->de), de);
    error += r[0] * r[2] * error_of(toi_dot(n, in->dg), dg);
    mpq_clears(p, e, g, dp, de, dg, value, NULL);
    double weight = 0;
    for (int k = 0; k < 3; ++k)
        weight += fabs(n[k]) * in->size[k];
    return weight > 0x1p-900 ? error / (TOI_UNIT * weight) : 0;
}

static double expansion_ratio(const sample *s, exact_motion *exact)
{
    prepared q;
    prepare_query(s->kind, &s->query, 0, 1e-6, &q);
    take_exact(&q, exact);
    return expansion_ratio_along(&q, exact, &s->cell, s->direction);
}

static void expansion_error_is_below_64(void **state)
{
    (void)state;
    double worst = worst_ratio(expansion_ratio, 104);
    print_message("  expansion about a centre: error at most %.2f u size; allowed 64\n", worst);
    assert_true(worst > 1);
    assert_true(worst <= 64);
}

// One component by itself is not summed up.
static double axis_ratio(const sample *s, exact_motion *exact)
{
    prepared q;
    double worst = 0;
    prepare_query(s->kind, &s->query, 0, 1e-6, &q);
    take_exact(&q, exact);
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        worst = fmax(worst, expansion_ratio_along(&q, exact, &s->cell, axis));
    }
    return worst;
}

static void axis_error_is_below_24(void **state)
{
    (void)state;
    double worst = worst_ratio(axis_ratio, 109);
    print_message("  expansion on an axis: error at most %.2f u size; allowed 24\n", worst);
    assert_true(worst > 1);
    assert_true(worst <= 24);
}

// The expansion is a polynomial identity: at any point of the cell it gives F.
static void radius_covers_the_cell(void **state)
{
    (void)state;
    toi_random random = {105};
    prepared q;
    toi_query query = random_query(&random);
    prepare_query(TOI_EDGE_EDGE, &query, 0, 1e-6, &q);
    mpq_t bound, side;
    mpq_inits(bound, side, NULL);
    for (int64_t i = 0; i < slow_cases(100000); ++i) {
        toi_cell c = random_cell(&random);
        if (i % 4 == 0) // neighbouring doubles, denormal ones too
            for (int a = 0; a < 3; ++a) {
                c.lo[a] = ldexp(c.lo[a], i % 8 ? 0 : -1040);
                c.hi[a] = c.lo[a];
                for (uint64_t n = toi_random_below(&random, 4); n > 0; --n)
                    c.hi[a] = nextafter(c.hi[a], 2);
                c.hi[a] = fmin(c.hi[a], 1);
            }
        toi_expansion x;
        toi_expand(&q.search.query, &c, &x);
        for (int a = 0; a < 3; ++a) {
            assert_true(x.centre[a] >= c.lo[a] && x.centre[a] <= c.hi[a]);
            mpq_set_d(bound, x.radius[a]);
            mpq_set_d(side, x.centre[a]);
            mpq_sub(bound, side, bound); // centre - radius <= lo
            mpq_set_d(side, c.lo[a]);
            assert_true(mpq_cmp(bound, side) <= 0);
            mpq_set_d(bound, x.radius[a]);
            mpq_set_d(side, x.centre[a]);
            mpq_add(bound, side, bound);
            mpq_set_d(side, c.hi[a]);
            assert_true(mpq_cmp(bound, side) >= 0);
        }
    }
    mpq_clears(bound, side, NULL);
}

// ---- Placing and clipping

static void placing_rounds_outward(void **state)
{
    (void)state;
    toi_random random = {106};
    mpq_t exact, placed;
    mpq_inits(exact, placed, NULL);
    for (int64_t i = 0; i < slow_cases(200000); ++i) {
        double lo = 0, hi = 1, centre = toi_random_unit(&random);
        if (i % 3 == 0)
            centre = ldexp(centre, -(int)toi_random_below(&random, 1000));
        double below =
            -centre * ldexp(toi_random_unit(&random), -(int)toi_random_below(&random, 99));
        double above = ldexp(toi_random_unit(&random), -(int)toi_random_below(&random, 1070));
        if (i % 5 == 0) // nearly back to zero
            below = -centre * (1 - ldexp(toi_random_unit(&random), -48));
        toi_cut_interval(centre, below, above, &lo, &hi);
        mpq_set_d(exact, centre);
        mpq_set_d(placed, below);
        mpq_add(exact, exact, placed);
        mpq_set_d(placed, lo);
        assert_true(mpq_sgn(exact) < 0 || mpq_cmp(placed, exact) <= 0);
        mpq_set_d(exact, centre);
        mpq_set_d(placed, above);
        mpq_add(exact, exact, placed);
        mpq_set_d(placed, hi);
        assert_true(mpq_cmp_ui(exact, 1, 1) > 0 || mpq_cmp(placed, exact) >= 0);
    }
    mpq_clears(exact, placed, NULL);
}

// Is bound >= min(old, 1 - other), exactly? So no real number of the triangle is cut off, even
// between two doubles.
static bool leaves_triangle_whole(double bound, double old, double other)
{
    mpq_t sum, x, one;
    mpq_inits(sum, x, one, NULL);
    mpq_set_d(sum, bound);
    mpq_set_d(x, other);
    mpq_add(sum, sum, x);
    mpq_set_ui(one, 1, 1);
    bool whole = bound >= old || mpq_cmp(sum, one) >= 0;
    mpq_clears(sum, x, one, NULL);
    return whole;
}

// A point of the triangle in a cell stays in the cell when that is cut.
static void clipping_keeps_the_triangle(void **state)
{
    (void)state;
    toi_random random = {107};
    int64_t kept = 0, cut = 0;
    for (int64_t i = 0; i < slow_cases(1000000); ++i) {
        double u = toi_random_unit(&random);
        if (i % 2)
            u = ldexp(u, -(int)toi_random_below(&random, 70));
        double v = 1 - u; // the largest double v with u + v <= 1, or one too many
        if (i % 3 == 0)
            v = ldexp(toi_random_unit(&random), -(int)toi_random_below(&random, 70));
        // u + v > 1 exactly? 1 - v is exact where v >= 1/2, and 1 - u where u >= 1/2.
        bool inside = u >= 0.5 ? v <= 1 - u : v >= 0.5 ? u <= 1 - v : true;
        toi_cell c = {{0, u, v}, {1, u, v}}, old;
        for (int a = 1; a < 3; ++a) {
            if (toi_random_below(&random, 2))
                c.lo[a] *= 1 - ldexp(toi_random_unit(&random), -(int)toi_random_below(&random, 60));
            if (toi_random_below(&random, 2))
                c.hi[a] = fmin(1, c.hi[a] + ldexp(toi_random_unit(&random),
                                                  -(int)toi_random_below(&random, 60)));
        }
        old = c;
        bool left = toi_clip_cell(&c);
        if (inside) {
            ++kept;
            assert_true(left);
            assert_true(c.lo[1] <= u && u <= c.hi[1] && c.lo[2] <= v && v <= c.hi[2]);
        }
        if (left) {
            assert_true(leaves_triangle_whole(c.hi[1], old.hi[1], c.lo[2]));
            assert_true(leaves_triangle_whole(c.hi[2], old.hi[2], c.lo[1]));
        }
        cut += c.hi[1] < old.hi[1] || c.hi[2] < old.hi[2];
    }
    assert_true(kept > 100 && cut > 100);
}

// ---- No operation on a cell loses a zero of F

// An interval of [0, 1] with x in it, of any size; x is often an end.
static void interval_around(double x, toi_random *random, double *lo, double *hi)
{
    *lo = x - ldexp(toi_random_unit(random), -(int)toi_random_below(random, 60));
    *hi = x + ldexp(toi_random_unit(random), -(int)toi_random_below(random, 60));
    if (toi_random_below(random, 3) == 0)
        *lo = x;
    if (toi_random_below(random, 3) == 0)
        *hi = x;
    *lo = fmin(fmax(*lo, 0), x);
    *hi = fmax(fmin(*hi, 1), x);
}

static bool contains(const toi_cell *c, const double zero[3])
{
    bool inside = true;
    for (int a = 0; a < 3; ++a)
        inside &= c->lo[a] <= zero[a] && zero[a] <= c->hi[a];
    return inside;
}

static void print_loss(const prepared *q, const toi_cell *before, const toi_cell *after,
                       const double zero[3], toi_cell_verdict v)
{
    print_error("%s\n", toi_kind_name(q->kind));
    for (int i = 0; i < 24; ++i)
        print_error("%a%s", (&q->given.start[0][0])[i], i % 12 == 11 ? "\n" : " ");
    for (int a = 0; a < 3; ++a)
        print_error("  [%a, %a] -> [%a, %a], zero at %a\n", before->lo[a], before->hi[a],
                    after->lo[a], after->hi[a], zero[a]);
    print_error("  verdict %d\n", (int)v);
}

// Examines a cell with a zero in it as often as the search might. With a separation, times after
// one that is known to be within it need not be kept.
static bool keeps_zero(prepared *q, toi_cell cell, const double zero[3])
{
    toi_touch touched = {INFINITY, 0, 0, 0};
    for (int round = 0; round < 4; ++round) {
        toi_cell before = cell;
        toi_expansion x;
        bool again, narrow;
        toi_cell_verdict v =
            toi_examine_cell(&q->search.query, &cell, &touched, &x, &again, &narrow);
        if (touched.time <= zero[0])
            return true;
        if (v == TOI_CELL_EXCLUDED || !contains(&cell, zero)) {
            print_loss(q, &before, &cell, zero, v);
            return false;
        }
        if (v == TOI_CELL_ACCEPTED)
            return true;
    }
    return true;
}

static contact any_contact(contact_recipe *recipe, int64_t i, toi_random *random)
{
    switch (i % 4) {
    case 0:
        return make_dense_contact(recipe, random);
    case 1:
        return make_wild_contact(recipe->kind, recipe->exponent, 40, random);
    case 2:
        recipe->gap = (int64_t)toi_random_below(random, 1 << 10);
        return make_contact(recipe, random);
    default:
        return make_contact(recipe, random);
    }
}

static void no_zero_is_cut_off(void **state)
{
    (void)state;
    toi_random random = {108};
    int64_t cells = 0, lost = 0, apart = 0;
    for (int64_t i = 0; i < slow_cases(400000); ++i) {
        contact_recipe recipe = random_recipe(&random);
        contact c = any_contact(&recipe, i, &random);
        prepared q;
        // So small a tolerance that nothing is accepted before it is shrunk.
        prepare_query(recipe.kind, &c.query, c.separation, DBL_TRUE_MIN, &q);
        double points[2][4][3], separation = c.separation * q.motion.scale;
        memcpy(points[0], c.query.start, sizeof points[0]);
        memcpy(points[1], c.query.end, sizeof points[1]);
        int edge_edge = recipe.kind == TOI_EDGE_EDGE;
        double until = fmax(c.time, 0x1p-100); // they touch at that time, or before
        apart += toi_axes_apart(edge_edge, points, NULL, &c.separation) != 0;
        apart += toi_axes_apart(edge_edge, points, &until, &c.separation) != 0;
        apart += toi_separated(edge_edge, &q.motion, &separation) != 0;
        const double zero[3] = {c.time, c.u, c.v};
        for (int n = 0; n < 6; ++n) {
            toi_cell cell;
            for (int a = 0; a < 3; ++a)
                interval_around(zero[a], &random, &cell.lo[a], &cell.hi[a]);
            lost += !keeps_zero(&q, cell, zero);
            ++cells;
            assert_true(lost < 5);
        }
    }
    print_message("  %lld cells around a zero\n", (long long)cells);
    assert_int_equal(lost, 0);
    assert_int_equal(apart, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_error_is_below_8),
        cmocka_unit_test(corner_error_is_below_8),
        cmocka_unit_test(direction_error_is_below_12),
        cmocka_unit_test(expansion_error_is_below_64),
        cmocka_unit_test(axis_error_is_below_24),
        cmocka_unit_test(radius_covers_the_cell),
        cmocka_unit_test(placing_rounds_outward),
        cmocka_unit_test(clipping_keeps_the_triangle),
        cmocka_unit_test(no_zero_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
