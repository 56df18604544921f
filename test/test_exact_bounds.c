// The bounds of `exact` in double precision, recomputed: every constant of docs/exact.md, sections
// 3 to 5, against exact arithmetic. What the stages make of them is in test_exact_stages.c, the
// filters in single precision in test_exact_filters.c.

#include "kernel/root_time.h"

#include "exact/exact_motion.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"

#include <stdlib.h>

// ---- Samples

// A query, a time of [0, 1], and two other numbers of [0, 1] for whatever is measured.
typedef struct sample
{
    toi_kind kind;
    toi_query query;
    double t, other, share;
} sample;

// A sample as the library prepares it, and without a rounding.
typedef struct subject
{
    toi_kind kind;
    int edge_edge;
    double t, other;
    double points[2][4][3], shrink;
    toi_pair_motion motion;
    toi_reach reach;
    toi_cubic cubic;
    exact_motion exact;
} subject;

static void prepare(const sample *s, subject *x)
{
    x->kind = s->kind;
    x->edge_edge = s->kind == TOI_EDGE_EDGE;
    x->t = s->t;
    x->other = s->other;
    memcpy(x->points[0], s->query.start, sizeof x->points[0]);
    memcpy(x->points[1], s->query.end, sizeof x->points[1]);
    toi_take_scaled_motion(x->edge_edge, x->points, &x->shrink, &x->motion);
    toi_take_reach(&x->motion, &x->reach);
    toi_take_cubic(&x->motion, &x->reach, &x->cubic);
    motion_take(&x->exact, s->kind, &s->query, x->motion.scale);
}

static double random_time(toi_random *random)
{
    double t = toi_random_unit(random);
    switch (toi_random_below(random, 6)) {
    case 0:
        return ldexp(t, -(int)toi_random_below(random, 60));
    case 1:
        return 1 - ldexp(t, -(int)toi_random_below(random, 60));
    case 2:
        return (double)toi_random_below(random, 2);
    default:
        return t;
    }
}

// One corner far from the others, so that D is as small as what underflow leaves.
static toi_query lopsided_query(toi_random *random)
{
    toi_query q;
    int corner = (int)toi_random_below(random, 4), less = 480 + (int)toi_random_below(random, 60);
    for (int i = 0; i < 24; ++i)
        (&q.start[0][0])[i] =
            ldexp(toi_random_range(random, -1, 1), i / 3 % 4 == corner ? 0 : -less);
    return q;
}

// Coordinates of any sizes: smooth or unrelated, near the origin or far off, up to the ends of the
// doubles; degenerate ones; and motions that turn everything inside out.
static toi_query random_query(toi_kind kind, toi_random *random)
{
    static const int exponents[] = {0, 0, -60, 60, -1000, 1000, 1023};
    static const int spreads[] = {0, 0, 3, 60, 1000};
    uint64_t family = toi_random_below(random, 10);
    if (family < 2)
        return lopsided_query(random);
    if (family < 4)
        return make_hard_query(family == 2 ? HARD_NEAR : HARD_SMALL, kind, random);
    toi_query q;
    double *x = &q.start[0][0];
    int exponent = exponents[toi_random_below(random, 7)];
    int spread = spreads[toi_random_below(random, 5)];
    double offset = toi_random_below(random, 3) == 0
                        ? ldexp(toi_random_unit(random), (int)toi_random_below(random, 40))
                        : 0;
    for (int i = 0; i < 24; ++i) {
        int less = (int)toi_random_below(random, (uint64_t)spread + 1);
        x[i] = ldexp(toi_random_range(random, -1, 1), exponent - less);
        x[i] += exponent == 0 ? offset : 0;
    }
    for (int i = 12; i < 24 && family == 4; ++i)
        x[i] = -x[i - 12];
    return q;
}

static sample random_sample(toi_kind kind, toi_random *random)
{
    return (sample){.kind = kind,
                    .query = random_query(kind, random),
                    .t = random_time(random),
                    .other = toi_random_unit(random),
                    .share = toi_random_unit(random)};
}

// ---- Searching for the worst case
//
// Random queries rarely round the same way everywhere; climbing from them, a few changed numbers at
// a time, comes closer to what the bound allows.

static double change(double x, toi_random *random)
{
    double y = x;
    switch (toi_random_below(random, 3)) {
    case 0:
        y = nextafter(x, toi_random_below(random, 2) ? INFINITY : -INFINITY);
        break;
    case 1:
        y = x * (1 + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 52)));
        break;
    default:
        y = x * toi_random_range(random, 0.5, 1.5);
    }
    return isfinite(y) ? y : x;
}

static sample change_sample(const sample *old, toi_random *random)
{
    sample s = *old;
    for (int n = (int)toi_random_below(random, 3); n >= 0; --n) {
        double *x = &s.query.start[0][0] + toi_random_below(random, 24);
        *x = change(*x, random);
        if (toi_random_below(random, 2))
            s.t = fmin(change(s.t, random), 1);
        if (toi_random_below(random, 2))
            s.other = fmin(change(s.other, random), 1);
    }
    return s;
}

// Under a sanitizer there are too few cases to come close to anything.
static bool is_thorough(void)
{
    return !getenv("TOI_SANITIZED");
}

typedef sample make_sample(toi_kind kind, toi_random *random);

// Restores what the samples of a search have in common.
typedef void repair_sample(sample *s);

// An error over what is allowed.
typedef double measure_ratio(subject *x);

typedef struct search
{
    measure_ratio *measure;
    make_sample *make;
    repair_sample *repair; // or NULL
    int64_t starts, steps; // so many steps from each start
    uint64_t seed;
} search;

static double worst_ratio(search how)
{
    toi_random random = {how.seed};
    subject x;
    motion_init(&x.exact);
    double worst = 0;
    for (int64_t start = 0; start < slow_cases(how.starts); ++start) {
        sample best = how.make((toi_kind)(start % TOI_PAIR_KINDS), &random);
        double ratio = -1;
        for (int64_t step = 0; step <= how.steps; ++step) {
            sample next = step == 0 ? best : change_sample(&best, &random);
            if (how.repair)
                how.repair(&next);
            prepare(&next, &x);
            double r = how.measure(&x);
            if (r >= ratio) {
                ratio = r;
                best = next;
            }
        }
        worst = fmax(worst, ratio);
    }
    motion_clear(&x.exact);
    return worst;
}

// ---- The cubic: coefficients, values, slopes

static double end_ratio(subject *x)
{
    const toi_cubic *q = &x->cubic;
    double error = fmax(error_of(q->c[0], x->exact.c[0]), error_of(q->c[3], x->exact.c[3]));
    return error / q->end_error;
}

static double middle_ratio(subject *x)
{
    const toi_cubic *q = &x->cubic;
    double error = fmax(error_of(q->c[1], x->exact.c[1]), error_of(q->c[2], x->exact.c[2]));
    return error / q->error;
}

static void coefficients_keep_their_bounds(void **state)
{
    (void)state;
    double ends = worst_ratio((search){end_ratio, random_sample, NULL, 40, 8000, 201});
    double middles = worst_ratio((search){middle_ratio, random_sample, NULL, 40, 8000, 202});
    print_message("  c0 and c3: at most %.2f u of the scale; allowed 12\n", 12 * ends);
    print_message("  c1 and c2: at most %.2f u of the scale; allowed 32\n", 32 * middles);
    assert_true(ends <= 1 && middles <= 1);
    if (is_thorough()) // else the search is no search
        assert_true(ends > 0.2 && middles > 0.15);
}

static double value_ratio(subject *x)
{
    mpf_t t, exact;
    mpf_inits(t, exact, NULL);
    mpf_set_d(t, x->t);
    motion_cubic(&x->exact, t, exact);
    double error = error_of(toi_cubic_at(&x->cubic, &x->t), exact);
    mpf_clears(t, exact, NULL);
    return error / toi_cubic_error(&x->cubic);
}

// 3 B(x, x, y), which needs no division.
static void exact_blossom_thrice(exact_motion *m, const mpf_t x, const mpf_t y, mpf_t result)
{
    mpf_t row[3], value[2];
    mpf_inits(row[0], row[1], row[2], value[0], value[1], NULL);
    for (int side = 0; side < 2; ++side) {
        mpf_mul_ui(row[0], m->c[side], side ? 1 : 3);
        mpf_mul_ui(row[1], m->c[side + 1], 2);
        mpf_mul_ui(row[2], m->c[side + 2], side ? 3 : 1);
        motion_bernstein(m, 2, row, x, value[side]);
    }
    motion_bernstein(m, 1, value, y, result);
    mpf_clears(row[0], row[1], row[2], value[0], value[1], NULL);
}

static double blossom_ratio(subject *x)
{
    double value = toi_cubic_blossom(&x->cubic, &x->t, &x->other);
    mpf_t from, to, exact, thrice;
    mpf_inits(from, to, exact, thrice, NULL);
    mpf_set_d(from, x->t);
    mpf_set_d(to, x->other);
    exact_blossom_thrice(&x->exact, from, to, exact);
    mpf_set_d(thrice, value);
    mpf_mul_ui(thrice, thrice, 3);
    mpf_sub(exact, exact, thrice);
    double error = fabs(mpf_get_d(exact)) / 3;
    mpf_clears(from, to, exact, thrice, NULL);
    return error / toi_cubic_error(&x->cubic);
}

static void values_keep_their_bound(void **state)
{
    (void)state;
    double values = worst_ratio((search){value_ratio, random_sample, NULL, 40, 8000, 203});
    double blossoms = worst_ratio((search){blossom_ratio, random_sample, NULL, 40, 8000, 204});
    print_message("  D(t): at most %.2f u of the scale; allowed 64\n", 64 * values);
    print_message("  B(x, x, y): at most %.2f u of the scale; allowed 64\n", 64 * blossoms);
    assert_true(values <= 1 && blossoms <= 1);
    if (is_thorough())
        assert_true(values > 0.05 && blossoms > 0.05);
}

// Below this, what underflow takes from a slope is no longer nothing beside the scale; no root is
// bracketed there, since D does not exceed TOI_TINY.
static const double LEAST_SCALE = 0x1p-1001;

static double slope_ratio(subject *x)
{
    mpf_t t, exact;
    mpf_inits(t, exact, NULL);
    mpf_set_d(t, x->t);
    motion_slope(&x->exact, t, exact);
    double error = error_of(toi_cubic_slope(&x->cubic, &x->t), exact);
    mpf_clears(t, exact, NULL);
    return x->cubic.scale < LEAST_SCALE ? 0 : error / (x->cubic.scale * (200 * TOI_UNIT));
}

// How much the slope changes from t to the other time, over 24 times the distance.
static double curvature_ratio(subject *x)
{
    mpf_t from, to, slope, other;
    mpf_inits(from, to, slope, other, NULL);
    mpf_set_d(from, x->t);
    mpf_set_d(to, x->other);
    motion_slope(&x->exact, from, slope);
    motion_slope(&x->exact, to, other);
    mpf_sub(slope, slope, other);
    mpf_sub(from, from, to);
    double change_of_slope = fabs(mpf_get_d(slope)), distance = fabs(mpf_get_d(from));
    mpf_clears(from, to, slope, other, NULL);
    bool tiny = distance == 0 || x->cubic.scale < LEAST_SCALE;
    return tiny ? 0 : change_of_slope / distance / (24 * x->cubic.scale);
}

static void slopes_keep_their_bounds(void **state)
{
    (void)state;
    double slopes = worst_ratio((search){slope_ratio, random_sample, NULL, 40, 8000, 205});
    double curvature = worst_ratio((search){curvature_ratio, random_sample, NULL, 64, 1000, 206});
    print_message("  D'(t): at most %.2f u of the scale; allowed 200\n", 200 * slopes);
    print_message("  D'': at most %.2f of the scale; allowed 24\n", 24 * curvature);
    assert_true(slopes <= 1 && curvature <= 1 + 0x1p-45); // the scale itself is rounded
    if (is_thorough())
        assert_true(slopes > 0.05 && curvature > 0.5);
}

// ---- Doubled numbers

// A double and another one of at most half its last place, both with random bits.
static toi_doubled random_doubled(toi_random *random)
{
    double high = ldexp(toi_random_range(random, 0.5, 1), (int)toi_random_below(random, 9) - 4);
    double low = high * toi_random_range(random, -0.5, 0.5) * 0x1p-53;
    if (toi_random_below(random, 4) == 0)
        low = ldexp(low, -(int)toi_random_below(random, 60));
    return (toi_doubled){toi_random_below(random, 2) ? high : -high, low};
}

// Close to -x, so that a sum cancels.
static toi_doubled nearly_minus(toi_doubled x, toi_random *random)
{
    double part = ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 54));
    return toi_two_sum(-x.high * (1 + part), x.low * toi_random_range(random, -1, 1));
}

static void set_doubled(mpf_t result, toi_doubled x)
{
    mpf_t low;
    mpf_init(low);
    mpf_set_d(result, x.high);
    mpf_set_d(low, x.low);
    mpf_add(result, result, low);
    mpf_clear(low);
}

// The relative error of a result, in units of u^2.
static double doubled_error(toi_doubled computed, mpf_t exact)
{
    mpf_t x;
    mpf_init(x);
    set_doubled(x, computed);
    mpf_sub(x, x, exact);
    double error = mpf_sgn(x) == 0 ? 0 : fabs(mpf_get_d(x) / mpf_get_d(exact));
    mpf_clear(x);
    return error * 0x1p106;
}

// Sums and products of two doubles are meant to have no error at all.
static void check_exact_pair(double a, double b)
{
    mpf_t x, y, exact;
    mpf_inits(x, y, exact, NULL);
    mpf_set_d(x, a);
    mpf_set_d(y, b);
    mpf_add(exact, x, y);
    set_doubled(x, toi_two_sum(a, b));
    assert_true(mpf_cmp(x, exact) == 0);
    set_doubled(x, fabs(a) < fabs(b) ? toi_quick_sum(b, a) : toi_quick_sum(a, b));
    assert_true(mpf_cmp(x, exact) == 0);
    mpf_set_d(x, a);
    mpf_mul(exact, x, y);
    set_doubled(x, toi_two_product(a, b));
    assert_true(mpf_cmp(x, exact) == 0);
    mpf_clears(x, y, exact, NULL);
}

// A product whose size is about 2^exponent, of numbers with many bits.
static void draw_factors(toi_random *random, int exponent, double factors[2])
{
    int first = exponent / 2 - 20 + (int)toi_random_below(random, 40);
    for (int i = 0; i < 2; ++i) {
        double bits = 1 + (double)(toi_random_bits(random) >> 12) * 0x1p-52;
        double odd = 1 + 0x1p-52 * (double)toi_random_below(random, 8);
        factors[i] = ldexp(toi_random_below(random, 4) ? bits : odd, i ? exponent - first : first);
    }
    factors[0] = toi_random_below(random, 2) ? factors[0] : -factors[0];
}

// The low part of a product is what a fused operation makes of it, down to where it is left out;
// and what is left out is small. Below 2^-967 both schemes lose bits, each others of its own.
static void products_are_those_of_fused_operations(void **state)
{
    (void)state;
    toi_random random = {211};
    int64_t kept = 0, dropped = 0, differ = 0;
    for (int64_t n = 0; n < slow_cases(400000); ++n) {
        double x[2];
        draw_factors(&random, n % 2 ? -967 + (int)(n / 2 % 5) - 2 : -(int)(n / 2 % 1100), x);
        double product = x[0] * x[1], low = fma(x[0], x[1], -product);
        toi_doubled found = toi_two_product(x[0], x[1]);
        bool large = fabs(product) >= 0x1p-967;
        assert_true(found.high == product && found.low == (large ? low : 0));
        assert_true(large || fabs(low) <= 0x1p-1020);
        kept += large && low != 0;
        dropped += !large && low != 0;
        differ += low != toi_product_error(x[0], x[1], product);
        if (large)
            check_exact_pair(x[0], x[1]);
    }
    print_message("  %lld low parts kept, %lld left out, %lld of which depend on the scheme\n",
                  (long long)kept, (long long)dropped, (long long)differ);
    assert_true(kept > 0 && dropped > 0 && differ > 0);
}

static void doubled_numbers_keep_their_bounds(void **state)
{
    (void)state;
    toi_random random = {207};
    double worst[3] = {0};
    mpf_t x, y, exact;
    mpf_inits(x, y, exact, NULL);
    for (int64_t n = 0; n < slow_cases(300000); ++n) {
        toi_doubled a = random_doubled(&random);
        toi_doubled b = n % 2 ? nearly_minus(a, &random) : random_doubled(&random);
        set_doubled(x, a);
        set_doubled(y, b);
        mpf_add(exact, x, y);
        worst[0] = fmax(worst[0], doubled_error(toi_doubled_add(a, b), exact));
        mpf_mul(exact, x, y);
        worst[1] = fmax(worst[1], doubled_error(toi_doubled_multiply(a, b), exact));
        mpf_set_d(y, b.high);
        mpf_mul(exact, x, y);
        worst[2] = fmax(worst[2], doubled_error(toi_doubled_scale(a, b.high), exact));
        check_exact_pair(a.high, b.high);
        check_exact_pair(a.high, b.low);
    }
    mpf_clears(x, y, exact, NULL);
    print_message("  doubled sums: at most %.2f u^2; allowed 3\n", worst[0]);
    print_message("  doubled products: at most %.2f u^2; allowed 7\n", worst[1]);
    print_message("  doubled by double: at most %.2f u^2; allowed 3\n", worst[2]);
    assert_true(worst[0] <= 3 && worst[1] <= 7 && worst[2] <= 3);
    assert_true(worst[0] > 1 && worst[1] > 1 && worst[2] > 1);
}

// The determinant in doubled numbers. Returning its high part alone costs half a unit of its own
// last place, which toi_certify_time() allows for apart.
static double determinant_ratio(subject *x)
{
    toi_exact_motion m;
    double scale = x->motion.scale / x->shrink;
    toi_take_exact(x->edge_edge, x->points, &x->shrink, &scale, &m);
    double value = toi_exact_cubic_at(&m, &x->t);
    mpf_t t, exact;
    mpf_inits(t, exact, NULL);
    mpf_set_d(t, x->t);
    motion_cubic(&x->exact, t, exact);
    double error = error_of(value, exact) - TOI_UNIT * fabs(value);
    mpf_clears(t, exact, NULL);
    return error / (x->cubic.scale * 0x1p-99 + TOI_TINY);
}

// Puts the points into the plane z = x + y, where D is zero, while its terms are not, nor exact:
// differences of numbers about 1 and of others about 2^-30 do not fit a double.
static void make_planar(sample *s)
{
    for (int i = 0; i < 8; ++i) {
        double *x = &s->query.start[0][0] + 3 * i;
        int bits = i % 2 ? 50 : 80;
        for (int k = 0; k < 2; ++k)
            x[k] = ldexp(rint(ldexp(fmin(fmax(x[k], -1), 1), 50)), -bits);
        x[2] = x[0] + x[1];
    }
}

static sample cube_sample(toi_kind kind, toi_random *random)
{
    sample s = random_sample(kind, random);
    for (int i = 0; i < 24; ++i)
        (&s.query.start[0][0])[i] = toi_random_range(random, -1, 1);
    return s;
}

static void determinant_keeps_its_bound(void **state)
{
    (void)state;
    double worst =
        worst_ratio((search){determinant_ratio, cube_sample, make_planar, 30, 4000, 208});
    print_message("  doubled D(t): at most %.2f u^2 of the scale; allowed 128\n", 128 * worst);
    assert_true(worst <= 1);
    if (is_thorough())
        assert_true(worst > 0.005); // errors of doubled numbers hardly ever agree
}

// ---- Whether they touch

// What decides it: n.(E x G), n.(G x P), n.(P x E) and differences of these, n being any vector.
// All positive: inside; the first positive and another negative: outside.
typedef struct domain
{
    double n[3]; // as the kernel rounds it
    int count, sign[5];
} domain;

static void find_normal(subject *x, double n[3])
{
    double s = 1 - x->t, e[3], g[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = s * x->motion.e[0][k] + x->t * x->motion.e[1][k];
        g[k] = s * x->motion.g[0][k] + x->t * x->motion.g[1][k];
    }
    toi_cross(e, g, n);
}

// result = n.(a x b)
static void triple_product(const double n[3], mpf_t a[3], mpf_t b[3], mpf_t result)
{
    mpf_t x, y;
    mpf_inits(x, y, NULL);
    mpf_set_ui(result, 0);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpf_mul(x, a[i], b[j]);
        mpf_mul(y, a[j], b[i]);
        mpf_sub(x, x, y);
        mpf_set_d(y, n[k]);
        mpf_mul(x, x, y);
        mpf_add(result, result, x);
    }
    mpf_clears(x, y, NULL);
}

// The signs at t, exactly.
static void find_signs(subject *x, const mpf_t t, domain *d)
{
    mpf_t at[3][3], dot[3], rest;
    mpf_init(rest);
    for (int part = 0; part < 3; ++part)
        mpf_inits(dot[part], at[part][0], at[part][1], at[part][2], NULL);
    motion_at(&x->exact, t, at);
    for (int part = 0; part < 3; ++part) {
        triple_product(d->n, at[(part + 1) % 3], at[(part + 2) % 3], dot[part]);
        d->sign[part] = mpf_sgn(dot[part]);
    }
    mpf_sub(rest, dot[0], dot[1]);
    d->sign[3] = mpf_sgn(rest);
    mpf_sub(rest, x->edge_edge ? dot[0] : rest, dot[2]);
    d->count = x->edge_edge ? 5 : 4;
    d->sign[d->count - 1] = mpf_sgn(rest);
    for (int part = 0; part < 3; ++part)
        mpf_clears(dot[part], at[part][0], at[part][1], at[part][2], NULL);
    mpf_clear(rest);
}

// Does the kernel, told this radius, say something false?
static bool is_false(subject *x, const domain *d, double radius)
{
    toi_inside said = toi_test_inside(x->edge_edge, &x->motion, &x->reach, &x->t, &radius);
    bool in = d->sign[0] > 0, out = false;
    for (int i = 1; i < d->count; ++i) {
        in &= d->sign[i] > 0;
        out |= d->sign[i] < 0;
    }
    return (said.in && !in) || (said.out && !(out && d->sign[0] > 0));
}

// The largest radius of [least, most] with which the kernel errs; `least` where it never does. The
// larger the radius, the less it says.
static double largest_false(subject *x, const domain *d, double least, double most)
{
    if (!is_false(x, d, least))
        return least;
    for (int i = 0; i < 12; ++i) {
        double middle = least + (most - least) / 2;
        if (is_false(x, d, middle))
            least = middle;
        else
            most = middle;
    }
    return least;
}

// The share of the sizes that rounding needs, over the 24 u it gets: a negative radius takes from
// these, and what is said of t itself stays true as long as enough is left.
static double rounding_ratio(subject *x)
{
    const double unit = TOI_UNIT / 5;
    domain d;
    mpf_t t;
    mpf_init(t);
    mpf_set_d(t, x->t);
    find_normal(x, d.n);
    find_signs(x, t, &d);
    mpf_clear(t);
    return largest_false(x, &d, -24 * unit, 24 * unit) / (24 * unit) + 1;
}

// How far from t the root is taken to be.
static double drift_of(double other)
{
    return fmax(other * 0x1p-6, 0x1p-30);
}

// The radius that is needed where the root is so far from t, over that distance.
static double drift_ratio(subject *x)
{
    double drift = drift_of(x->other), worst = 0;
    domain d;
    mpf_t t, shift;
    mpf_inits(t, shift, NULL);
    find_normal(x, d.n);
    for (int side = -1; side <= 1; side += 2) {
        mpf_set_d(t, x->t);
        mpf_set_d(shift, side * drift);
        mpf_add(t, t, shift);
        if (mpf_sgn(t) < 0 || mpf_cmp_ui(t, 1) > 0)
            continue;
        find_signs(x, t, &d);
        worst = fmax(worst, largest_false(x, &d, 0, 2 * drift) / drift);
    }
    mpf_clears(t, shift, NULL);
    return worst;
}

// A side of the face and the vertex, or edge b and an end of edge a.
static void pick_side(const sample *s, int *moved, int *a, int *b)
{
    bool edges = s->kind == TOI_EDGE_EDGE;
    int line = (int)(s->share * 2.999);
    *moved = edges ? line % 2 : 0;
    *a = edges ? 2 : 1 + line;
    *b = edges ? 3 : 1 + (line + 1) % 3;
}

// Puts the one on the other, so that the place is on the border, but for rounding.
static void move_to_border(sample *s)
{
    int moved, a, b;
    pick_side(s, &moved, &a, &b);
    double(*start)[3] = s->query.start, (*end)[3] = s->query.end;
    for (int k = 0; k < 3; ++k) {
        start[moved][k] = start[a][k] + s->share * (start[b][k] - start[a][k]);
        end[moved][k] = end[a][k] + s->share * (end[b][k] - end[a][k]);
    }
}

// Lets the one pass through the other when t and the drift are over.
static void cross_border(sample *s)
{
    int moved, a, b;
    pick_side(s, &moved, &a, &b);
    double(*start)[3] = s->query.start, (*end)[3] = s->query.end;
    double t = s->t + drift_of(s->other);
    for (int k = 0; k < 3; ++k) {
        double from = (1 - t) * start[a][k] + t * end[a][k],
               to = (1 - t) * start[b][k] + t * end[b][k];
        double at = from + s->share * (to - from);
        if (t > 0.5)
            end[moved][k] = (at - (1 - t) * start[moved][k]) / t;
        else
            start[moved][k] = (at - t * end[moved][k]) / (1 - t);
    }
}

static sample border_sample(toi_kind kind, toi_random *random)
{
    sample s = cube_sample(kind, random);
    bool flip = toi_random_below(random, 2);
    for (int i = 0; i < 12 && flip; ++i)
        s.query.end[i / 3][i % 3] = -s.query.start[i / 3][i % 3];
    return s;
}

static void inside_tests_keep_their_bounds(void **state)
{
    (void)state;
    double rounding =
        worst_ratio((search){rounding_ratio, border_sample, move_to_border, 40, 4000, 209});
    double drift = worst_ratio((search){drift_ratio, border_sample, cross_border, 20, 2000, 210});
    print_message("  inside tests: %.2f u of the sizes are needed; given 24\n", 24 * rounding);
    print_message("  inside tests: %.2f radii are needed; given 5\n", 5 * drift);
    assert_true(rounding <= 1 && drift <= 1);
    if (is_thorough())
        assert_true(rounding > 0.05 && drift > 0.2);
}

// ---- The double below a sum

static void check_floor(double base, double shift)
{
    mpf_t sum, x;
    mpf_inits(sum, x, NULL);
    mpf_set_d(sum, base);
    mpf_set_d(x, shift);
    mpf_add(sum, sum, x);
    if (mpf_sgn(sum) > 0) {
        toi_mask between;
        double found = toi_floor_sum(base, shift, &between);
        mpf_set_d(x, found);
        int order = mpf_cmp(x, sum);
        assert_true(order <= 0 && (between != 0) == (order < 0));
        mpf_set_d(x, nextafter(found, 2));
        assert_true(mpf_cmp(x, sum) > 0);
    }
    mpf_clears(sum, x, NULL);
}

static void sums_are_rounded_down(void **state)
{
    (void)state;
    toi_random random = {211};
    for (int64_t n = 0; n < slow_cases(200000); ++n) {
        double base = random_time(&random);
        if (n % 3 == 0) // a power of two, below which doubles are denser
            base = ldexp(1, -(int)toi_random_below(&random, n % 2 ? 60 : 1075));
        double part = ldexp(toi_random_range(&random, -1, 1), -(int)toi_random_below(&random, 70));
        check_floor(base, base * part);
        check_floor(base, -base * 0x1p-53 * (double)toi_random_below(&random, 8) / 4);
        check_floor(base, ldexp(part, -(int)toi_random_below(&random, 1075)));
    }
}

int main(void)
{
    use_long_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_keep_their_bounds),
        cmocka_unit_test(values_keep_their_bound),
        cmocka_unit_test(slopes_keep_their_bounds),
        cmocka_unit_test(doubled_numbers_keep_their_bounds),
        cmocka_unit_test(products_are_those_of_fused_operations),
        cmocka_unit_test(determinant_keeps_its_bound),
        cmocka_unit_test(inside_tests_keep_their_bounds),
        cmocka_unit_test(sums_are_rounded_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
