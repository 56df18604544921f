// Decisions in whole numbers of a bounded size (kernel/fixed_contact.h, and word_contact.h, which
// is quicker): against the integers of any length, on everything that is degenerate; what is
// declined; how long numbers get.

#include "support.h"

#include <stdio.h>
#include <string.h>

static void watch_number(const char *expression, const uint32_t *a);
#define TOI_WATCH_NUMBER(expression, a) watch_number(expression, a)

#include "kernel/word_contact.h"

#include "exact/certificate.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "real_frames.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

// ---- Arithmetic

static void whole_to_mpz(const uint32_t *a, mpz_t z)
{
    mpz_import(z, (size_t)toi_whole_length(a), -1, sizeof *a, 0, 0, a + 1);
    if (toi_whole_sign(a) < 0)
        mpz_neg(z, z);
}

// Of up to `most` limbs, many of them all zeros or ones.
static void random_whole(uint32_t *a, int most, toi_random *random)
{
    int length = (int)toi_random_below(random, (uint64_t)most + 1);
    for (int i = 1; i <= length; ++i) {
        uint64_t bits = toi_random_bits(random);
        a[i] = bits % 3 == 0 ? 0 : bits % 3 == 1 ? UINT32_MAX : (uint32_t)(bits >> 32);
    }
    toi_whole_close(a, length, toi_random_below(random, 2) != 0);
}

static void assert_whole(const uint32_t *a, const mpz_t expected)
{
    mpz_t z;
    mpz_init(z);
    whole_to_mpz(a, z);
    assert_int_equal(mpz_cmp(z, expected), 0);
    mpz_clear(z);
}

// r = a b - c d, a + c and a - c.
static void check_arithmetic(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                             const uint32_t *d)
{
    uint32_t r[2 * TOI_SHORT];
    mpz_t x[4], z;
    const uint32_t *given[4] = {a, b, c, d};
    mpz_init(z);
    for (int i = 0; i < 4; ++i) {
        mpz_init(x[i]);
        whole_to_mpz(given[i], x[i]);
    }
    mpz_mul(z, x[0], x[1]);
    mpz_submul(z, x[2], x[3]);
    toi_whole_cross(a, b, c, d, r);
    assert_whole(r, z);
    for (int minus = 0; minus < 2; ++minus) {
        (minus ? mpz_sub : mpz_add)(z, x[0], x[2]);
        toi_whole_combine(a, c, minus, r);
        assert_whole(r, z);
    }
    double expected = mpz_get_d(x[3]), found = toi_whole_approximate(d);
    assert_true(fabs(found - expected) <= 0x1p-51 * fabs(expected));
    for (int i = 0; i < 4; ++i)
        mpz_clear(x[i]);
    mpz_clear(z);
}

static void arithmetic_is_right(void **state)
{
    (void)state;
    toi_random random = {3};
    for (int64_t i = 0; i < cases(100000); ++i) {
        uint32_t x[4][TOI_SHORT];
        for (int k = 0; k < 4; ++k)
            random_whole(x[k], i % 2 ? 1 : TOI_SHORT_LIMBS, &random);
        check_arithmetic(x[0], x[1], x[2], x[3]);
    }
}

// ---- How long numbers get

// The bounds of docs/cuda.md, in bits, for differences of TOI_FIXED_BITS.
typedef struct bound
{
    const char *expression;
    int allowed, seen;
} bound;

enum
{
    B = TOI_FIXED_BITS
};

static bound bounds[] = {{"cross", 2 * B + 2, 0},
                         {"inside test", 2 * B + 4, 0},
                         {"volume", 3 * B + 5, 0},
                         {"discriminant", 6 * B + 13, 0},
                         {"remainder", 7 * B + 15, 0},
                         {"square", 18 * B + 42, 0},
                         {"cubic discriminant", 12 * B + 26, 0},
                         {"multiple root", 6 * B + 14, 0},
                         {"value", 9 * B + 19, 0}};

static void watch_number(const char *expression, const uint32_t *a)
{
    int bits = toi_whole_bits(a);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i)
        if (strcmp(expression, bounds[i].expression) == 0)
            bounds[i].seen = bits > bounds[i].seen ? bits : bounds[i].seen;
}

// ---- Against the integers

typedef struct tally
{
    int64_t queries, hits, at_start, at_end, between, declined, in_words;
} tally;

// What words decide is right; they are not asked where there is contact at the start.
static void check_words(toi_kind kind, const toi_query *q, double t_max,
                        const toi_decision *expected, tally *sum)
{
    int unit;
    double time;
    bool hit = expected->state == TOI_HIT && expected->time <= t_max;
    if ((hit && expected->time == 0) ||
        toi_find_unit(q->start[0], q->end[0], &unit) > TOI_WORD_BITS)
        return;
    toi_fixed_verdict verdict =
        toi_decide_in_words(kind == TOI_EDGE_EDGE, q->start[0], q->end[0], unit, t_max, &time);
    sum->in_words += verdict != TOI_FIXED_OPEN;
    if (verdict != TOI_FIXED_OPEN &&
        ((verdict == TOI_FIXED_HIT) != hit || (hit && time != expected->time))) {
        print_query(kind, q);
        fail_msg("in words, up to %a: verdict %d at %a, not %d at %a", t_max, verdict, time,
                 expected->state, expected->time);
    }
}

static void check_decision(toi_kind kind, const toi_query *q, double t_max, tally *sum)
{
    toi_fixed_first first;
    toi_decision expected = decide_query(kind, q, false);
    bool hit = expected.state == TOI_HIT && expected.time <= t_max;
    toi_fixed_verdict verdict =
        toi_find_fixed_contact(kind == TOI_EDGE_EDGE, q->start[0], q->end[0], t_max, &first);
    double time = first.time;
    check_words(kind, q, t_max, &expected, sum);
    ++sum->queries;
    sum->declined += verdict == TOI_FIXED_DECLINED;
    if (verdict == TOI_FIXED_DECLINED)
        return;
    sum->hits += hit;
    sum->at_start += hit && time == 0;
    sum->at_end += hit && time == 1;
    sum->between += hit && time > 0 && time < 1;
    if ((verdict == TOI_FIXED_HIT) != hit || (hit && time != expected.time)) {
        print_query(kind, q);
        fail_msg("up to %a: verdict %d at %a, not %d at %a", t_max, verdict, time, expected.state,
                 expected.time);
    }
    if (hit && (first.is_double != 0) != expected.time_is_exact) {
        print_query(kind, q);
        fail_msg("at %a: exactly %d, not %d", time, first.is_double, expected.time_is_exact);
    }
}

static void print_tally(const char *name, const tally *sum)
{
    printf("  %s: %lld queries, %lld hits: %lld at 0, %lld at 1; %lld declined, %lld decided in "
           "words\n",
           name, (long long)sum->queries, (long long)sum->hits, (long long)sum->at_start,
           (long long)sum->at_end, (long long)sum->declined, (long long)sum->in_words);
}

// ---- Families

static double small(int range, toi_random *random)
{
    return (double)toi_random_below(random, 2 * (uint64_t)range + 1) - range;
}

// Small whole coordinates; often flat, on a line, at rest, or with corners that coincide.
static toi_query lattice_query(int range, toi_random *random)
{
    toi_query q;
    double *x = &q.start[0][0];
    int shape = (int)toi_random_below(random, 9);
    for (int i = 0; i < 24; ++i)
        x[i] = (shape == 0 && i % 3 == 2) || (shape == 1 && i % 3 != 0) ? 0 : small(range, random);
    if (shape == 2)
        memcpy(q.end, q.start, sizeof q.end);
    for (int k = 0; k < 3 && shape == 3; ++k) {
        q.start[1][k] = q.start[3][k];
        q.end[1][k] = q.end[3][k];
    }
    for (int c = 0; c < 4 && shape == 4; ++c) { // flat in a plane that leans
        q.start[c][2] = q.start[c][0] + q.start[c][1];
        q.end[c][2] = q.end[c][0] + q.end[c][1];
    }
    return q;
}

// The corners meet as `at` says at the time a / b, to and from where they move at whole speeds.
static toi_query pass_through(double at[4][3], int range, toi_random *random)
{
    toi_query q;
    int b = 1 + (int)toi_random_below(random, 9),
        a = (int)toi_random_below(random, (uint64_t)b + 1);
    for (int i = 0; i < 12; ++i) {
        double speed = small(range, random);
        q.start[i / 3][i % 3] = at[i / 3][i % 3] - a * speed;
        q.end[i / 3][i % 3] = at[i / 3][i % 3] + (b - a) * speed;
    }
    return q;
}

// A corner on an edge, on a corner or in a face; an end of an edge on the other. Times are mostly
// no doubles, so that signs are zero at roots that are not either.
static toi_query border_query(toi_kind kind, int range, toi_random *random)
{
    double at[4][3];
    int u = (int)toi_random_below(random, 4), v = (int)toi_random_below(random, 4);
    u = toi_random_below(random, 2) ? u / 3 * 3 : u;
    v = kind == TOI_VERTEX_FACE && u + v > 3 ? 3 - u : v;
    for (int k = 0; k < 3; ++k) {
        double first = small(range, random), e = 3 * small(range, random);
        double g = 3 * small(range, random), meet = first + (u * e + v * g) / 3;
        at[0][k] = kind == TOI_VERTEX_FACE ? meet : first;
        at[1][k] = kind == TOI_VERTEX_FACE ? first : first + e;
        at[2][k] = kind == TOI_VERTEX_FACE ? first + e : first + u * e / 3 - v * g / 3;
        at[3][k] = kind == TOI_VERTEX_FACE ? first + g : at[2][k] + g;
    }
    return pass_through(at, range, random);
}

// P = (l, 0, 0) + i E + j G, E = (y, l, 0), G = (z, w, c) with l = b t - a: the volume is c l^2.
static toi_query double_root_query(toi_kind kind, int range, toi_random *random)
{
    toi_query q;
    int b = 1 + (int)toi_random_below(random, 9),
        a = (int)toi_random_below(random, (uint64_t)b + 1);
    double i = -(double)toi_random_below(random, 2), j = -(double)toi_random_below(random, 2);
    double shared[5];
    for (int k = 0; k < 5; ++k)
        shared[k] = small(range, random);
    for (int end = 0; end < 2; ++end) {
        double l = end == 0 ? -a : b - a, y = toi_random_below(random, 2) ? shared[0] : 1;
        double e[3] = {y, l, 0}, g[3] = {shared[1], shared[2], shared[3]};
        double(*x)[3] = end == 0 ? q.start : q.end;
        for (int k = 0; k < 3; ++k) {
            double p = (k == 0 ? l : 0) + i * e[k] + j * g[k], origin = shared[4] * k * end;
            x[1][k] = kind == TOI_VERTEX_FACE ? origin : origin + e[k];
            x[0][k] = kind == TOI_VERTEX_FACE ? origin + p : origin;
            x[2][k] = origin - (kind == TOI_VERTEX_FACE ? e[k] : p);
            x[3][k] = kind == TOI_VERTEX_FACE ? origin - g[k] : x[2][k] - g[k];
        }
    }
    return q;
}

// Two exact roots may be a few units of a large coordinate apart, or a number next to a degenerate
// one: one coordinate is moved by 2^-exponent.
static void disturb(toi_query *q, toi_random *random)
{
    double *x = &q->start[0][0] + toi_random_below(random, 24);
    *x += ldexp(small(1, random), -(int)toi_random_below(random, 70));
}

static void scale(toi_query *q, int exponent)
{
    for (int i = 0; i < 24; ++i)
        (&q->start[0][0])[i] = ldexp((&q->start[0][0])[i], exponent);
}

enum
{
    LATTICE,
    WIDE_LATTICE,
    BORDER,
    DOUBLE_ROOT,
    DISTURBED,
    SCALED,
    NEARLY_DEGENERATE,
    FAMILIES
};

static const char *const names[] = {"lattice",   "wide lattice", "border",           "double root",
                                    "disturbed", "scaled",       "nearly degenerate"};

static toi_query make_query(int family, toi_kind kind, toi_random *random)
{
    if (family == LATTICE)
        return lattice_query(2, random);
    if (family == WIDE_LATTICE)
        return lattice_query(1 << toi_random_below(random, 20), random);
    if (family == BORDER)
        return border_query(kind, 1 + (1 << toi_random_below(random, 12)), random);
    if (family == DOUBLE_ROOT)
        return double_root_query(kind, 4, random);
    if (family == NEARLY_DEGENERATE)
        return make_hard_query(HARD_NEAR, kind, random);
    toi_query q = make_query((int)toi_random_below(random, DISTURBED), kind, random);
    if (family == DISTURBED)
        disturb(&q, random);
    else
        scale(&q, (int)toi_random_below(random, 2000) - 1040);
    return q;
}

// Never wrong; and nothing declined where coordinates are small whole numbers, at any scale.
static void decisions_are_exact(void **state)
{
    (void)state;
    toi_random random = {29};
    for (int family = 0; family < FAMILIES; ++family) {
        tally sum = {0};
        for (int64_t i = 0; i < cases(20000); ++i) {
            toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
            toi_query q = make_query(family, kind, &random);
            check_decision(kind, &q, i % 4 == 3 ? toi_random_unit(&random) : i % 16 != 1, &sum);
        }
        toi_query zero = {.start = {{0}}};
        check_decision(TOI_EDGE_EDGE, &zero, 0, &sum);
        print_tally(names[family], &sum);
        assert_true(sum.at_start > 0 && sum.between > 0 && sum.in_words > 0);
        if (family != NEARLY_DEGENERATE && family != DISTURBED)
            assert_true(sum.declined * 1000 <= sum.queries);
    }
}

// ---- Filters

static void random_form(int degree, int limbs, toi_random *random, toi_form *f)
{
    f->degree = degree;
    for (int i = 0; i <= degree; ++i)
        random_whole(f->c[i], limbs, random);
}

// What a filter is certain of is so: at doubles next to roots, and at roots.
static void filters_are_right(void **state)
{
    (void)state;
    toi_random random = {17};
    int64_t near = 0, certain = 0;
    for (int64_t i = 0; i < cases(20000); ++i) {
        toi_form f, g;
        toi_fixed_roots roots;
        toi_fixed_moment at;
        random_form(1 + (int)toi_random_below(&random, 3), TOI_SHORT_LIMBS - 1, &random, &f);
        random_form(1 + (int)toi_random_below(&random, 2), 5, &random, &g);
        if (toi_is_zero_form(&f))
            continue;
        toi_find_fixed_roots(&f, &roots);
        for (int n = 0; n < roots.count && !roots.declined; ++n) {
            toi_doubled_form doubled;
            toi_take_fixed_root(&roots, n, &at);
            toi_take_doubled_form(at.f, &doubled);
            for (int64_t step = -2; step < 3 && !at.declined; ++step) {
                double t = toi_from_bits(toi_to_bits(at.floor) + step);
                if (t < TOI_LEAST_FIXED_TIME || t >= 1)
                    continue;
                int sign = toi_filter_sign_at(&doubled, t);
                assert_true(sign == 0 || sign == toi_form_sign_at(at.f, t));
                near += sign != 0;
            }
            int sign = at.declined ? 0 : toi_filter_fixed_sign(&at, &g);
            if (sign != 0 && !at.is_double && at.floor < 0.9) {
                assert_int_equal(sign, toi_exact_fixed_sign(&at, &g));
                ++certain;
            }
        }
    }
    printf("  %lld signs next to roots, %lld at roots\n", (long long)near, (long long)certain);
    assert_true(near > 100 && certain > 100);
}

// ---- Signs between neighbouring doubles

// (q x - c)^2 - k
static void square_form(uint64_t q, uint64_t c, uint64_t k, toi_form *g)
{
    uint32_t x[TOI_SHORT], y[TOI_SHORT], product[2 * TOI_SHORT];
    toi_whole_set(x, q, 0);
    toi_whole_set(y, c, 0);
    g->degree = 2;
    toi_whole_multiply(x, x, product);
    toi_whole_shorten(product, g->c[2]);
    toi_whole_multiply(x, y, product);
    toi_whole_shorten(product, g->c[1]);
    toi_whole_times(g->c[1], 2);
    toi_whole_negate(g->c[1]);
    toi_whole_multiply(y, y, product);
    toi_whole_set(x, k, 0);
    toi_whole_subtract(product, x, product);
    toi_whole_shorten(product, g->c[0]);
}

// Of (q x - p - i)^2 - k at x = sqrt(2), with p / q so close to it that rest = q x - p is below
// 2^-59: (rest - i)^2 - k.
static int expected_sign(int i, int k, int rest)
{
    if (i * i != k)
        return i * i > k ? 1 : -1;
    return i == 0 ? 1 : i > 0 ? -rest : rest;
}

// Zeros of g on either side of sqrt(2), both on one side, or the same twice: all within 2^-58.
static void signs_are_exact_between_doubles(void **state)
{
    (void)state;
    uint64_t p = 1, q = 1;
    while (p < UINT64_C(1) << 60) { // convergents: p^2 - 2 q^2 is 1 and -1 in turn
        uint64_t next = p + 2 * q;
        q = p + q;
        p = next;
    }
    int rest = p * p - 2 * q * q == 1 ? -1 : 1; // modulo 2^64
    for (int turn = 0; turn < 2; ++turn)
        for (int i = -3; i <= 3; ++i)
            for (int k = 0; k < 12; ++k) {
                toi_form f, g;
                toi_fixed_roots roots;
                toi_fixed_moment at;
                f.degree = 2;
                toi_whole_set(f.c[0], 2, turn == 0);
                toi_whole_set(f.c[1], 0, 0);
                toi_whole_set(f.c[2], 1, turn == 1);
                toi_find_fixed_roots(&f, &roots);
                assert_int_equal(roots.count, 1);
                toi_take_fixed_root(&roots, 0, &at);
                square_form(q, (uint64_t)((int64_t)p + i), (uint64_t)k, &g);
                assert_int_equal(toi_fixed_sign(&at, &g), expected_sign(i, k, rest));
                assert_int_equal(toi_fixed_sign(&at, &f), 0);
            }
}

// ---- Products of forms of degree one

static void linear_form(const uint32_t *w, const uint32_t *m, toi_form *f) // w x - m
{
    f->degree = 1;
    toi_whole_copy(w, f->c[1]);
    toi_whole_copy(m, f->c[0]);
    toi_whole_negate(f->c[0]);
}

static void multiply_form(const toi_form *by, toi_form *f)
{
    uint32_t c[4][2 * TOI_SHORT], product[2 * TOI_SHORT];
    memset(c, 0, sizeof c);
    for (int i = 0; i <= f->degree; ++i)
        for (int k = 0; k < 2; ++k) {
            toi_whole_multiply(f->c[i], by->c[k], product);
            toi_whole_add(c[i + k], product, c[i + k]);
        }
    ++f->degree;
    for (int i = 0; i <= f->degree; ++i)
        assert_true(toi_whole_shorten(c[i], f->c[i]));
}

// g is zero at the doubles below or above the root, or at both, once or twice.
static void signs_are_exact_beside_zeros(void **state)
{
    (void)state;
    toi_form f = {.c = {{(uint32_t)-1, 2}, {0}, {1, 1}}, .degree = 2}; // x^2 - 2
    toi_fixed_roots roots;
    toi_fixed_moment at;
    toi_find_fixed_roots(&f, &roots);
    toi_take_fixed_root(&roots, 0, &at);
    static const int expected[2][3] = {{1, 1, -1}, {-1, -1, 1}};
    for (int end = 0; end < 2; ++end) {
        uint32_t m[TOI_SHORT], w[TOI_SHORT];
        toi_form sides[2], g;
        for (int i = 0; i < 2; ++i) {
            toi_take_ratio(toi_from_bits(toi_to_bits(at.floor) + (i ^ end)), m, w);
            linear_form(w, m, &sides[i]);
        }
        g = sides[0];
        assert_int_equal(toi_exact_fixed_sign(&at, &g), end == 0 ? 1 : -1);
        multiply_form(&sides[0], &g);
        assert_int_equal(toi_exact_fixed_sign(&at, &g), 1);
        for (int i = 0; i < 3; ++i)
            toi_whole_negate(g.c[i]);
        assert_int_equal(toi_exact_fixed_sign(&at, &g), -1);
        g = sides[0];
        multiply_form(&sides[1], &g);
        assert_int_equal(toi_exact_fixed_sign(&at, &g), -1);
        for (int i = 0; i < 3; ++i) { // (w x - m) (x - 1), (w x - m) (x - 1.4), (w x - m) (x - 1.5)
            toi_form factor;
            toi_whole_set(w, i == 0 ? 1 : i == 1 ? 5 : 2, 0);
            toi_whole_set(m, i == 0 ? 1 : i == 1 ? 7 : 3, 0);
            linear_form(w, m, &factor);
            g = sides[0];
            multiply_form(&factor, &g);
            assert_int_equal(toi_exact_fixed_sign(&at, &g), expected[end][i]);
        }
    }
}

static void assert_root(const toi_fixed_roots *roots, int number, const toi_form *line)
{
    toi_fixed_moment at;
    toi_take_fixed_root(roots, number, &at);
    assert_int_equal(at.declined, 0);
    assert_true(toi_form_sign_at(line, at.floor) <= 0);
    assert_true(toi_form_sign_at(line, toi_from_bits(toi_to_bits(at.floor) + 1)) > 0);
}

// A double root beside a simple one: both are found where doubles tell them apart. Neighbouring
// ratios of Fibonacci's numbers differ by 1 / (a c).
static void double_roots_are_told_from_others(void **state)
{
    (void)state;
    int64_t apart = 0, declined = 0;
    uint64_t b = 3, a = 5, c = 8; // b / a twice, a / c once
    while (c < UINT64_C(1) << 41) {
        uint32_t w[TOI_SHORT], m[TOI_SHORT];
        toi_form twice, once, f;
        toi_fixed_roots roots;
        toi_whole_set(w, a, 0);
        toi_whole_set(m, b, 0);
        linear_form(w, m, &twice);
        toi_whole_set(w, c, 0);
        toi_whole_set(m, a, 0);
        linear_form(w, m, &once);
        f = twice;
        multiply_form(&twice, &f);
        multiply_form(&once, &f);
        toi_find_fixed_roots(&f, &roots);
        declined += roots.declined;
        if (!roots.declined) {
            bool first = b * c < a * a;
            assert_int_equal(roots.count, 2);
            assert_root(&roots, first ? 0 : 1, &twice);
            assert_root(&roots, first ? 1 : 0, &once);
            ++apart;
        }
        b = a;
        a = c;
        c = a + b;
    }
    printf("  %lld apart, %lld declined\n", (long long)apart, (long long)declined);
    assert_true(apart >= 20 && declined > 0);
}

// ---- Bounds

// All differences are as large as they may be, or nearly, with random signs.
static void extreme_vector(toi_fixed_vector *a, toi_random *random)
{
    for (int i = 0; i < 6; ++i) {
        uint32_t *x = a->x[i / 3][i % 3];
        x[1] = x[2] = UINT32_MAX;
        x[3] = ((uint32_t)1 << (TOI_FIXED_BITS - 64)) - 1;
        toi_whole_close(x, 3, toi_random_below(random, 2) != 0);
        if (toi_random_below(random, 16) == 0)
            x[1] = (uint32_t)toi_random_bits(random);
    }
}

static void try_extremes(toi_random *random)
{
    toi_fixed_motion m = {.edge_edge = (int)toi_random_below(random, 2)};
    toi_form volume, n, g[3];
    uint32_t d[TOI_MIDDLE];
    int times;
    extreme_vector(&m.p, random);
    extreme_vector(&m.e, random);
    extreme_vector(&m.g, random);
    toi_volume_form(TOI_FIXED_ROOT, &m, &volume);
    toi_cross_form(TOI_FIXED_ROOT, &m.e, &m.g, 0, &n);
    toi_cross_form(TOI_FIXED_ROOT, &m.g, &m.p, 0, &g[0]);
    toi_cross_form(TOI_FIXED_ROOT, &m.p, &m.e, 0, &g[1]);
    toi_subtract_forms(&n, &g[0], &g[2]);
    toi_subtract_forms(&g[2], &g[1], &g[2]);
    toi_cubic_discriminant_sign(&volume);
    toi_take_multiple_root(&volume, &n, &times);
    for (int i = 0; i < 3; ++i) {
        toi_take_discriminant(&g[i], d);
        if (toi_whole_sign(d) >= 0) {
            toi_sign_at_zero(&volume, &g[i], d, 1);
            toi_sign_at_zero(&volume, &g[i], d, -1);
        }
        g[i].c[0][0] = (uint32_t)toi_whole_length(g[i].c[0]);
        g[i].c[1][0] = (uint32_t)toi_whole_length(g[i].c[1]);
        toi_form_sign_at_ratio(&volume, g[i].c[0], g[i].c[1]);
    }
    toi_form_sign_at(&volume, toi_from_bits(toi_to_bits(TOI_LEAST_FIXED_TIME) + 1));
    volume.degree = 2;
    toi_take_discriminant(&volume, d);
}

// No expression gets longer than docs/cuda.md says, and the longest come close to it.
// A simple root some doubles before a multiple one: between two doubles around the first an inside
// test turns away from zero.
static void tests_turn_between_doubles(void **state)
{
    static const toi_query face = {{{0x1.77p+12, -0x1.f400000000005p+11, -0x1.f4p+9},
                                    {0, 0, -0x1.f4p+9},
                                    {0x1.77p+12, -0x1.77p+12, 0},
                                    {0x1.f4p+10, -0x1.f4p+9, -0x1.f4p+11}},
                                   {{-0x1.f4p+10, 0x1.f4p+11, 0x1.388p+12},
                                    {0x1.388p+13, -0x1.f4p+11, 0x1.388p+12},
                                    {-0x1.f4p+10, 0x1.f4p+12, 0x1.77p+11},
                                    {0x1.77p+12, -0x1.f4p+10, 0x1.57cp+13}}};
    static const toi_query edges = {
        {{0x1.95a5efea6b348p-98, 0x1.e6c71fe61a3fp-99, 0x1.4484bfeebc2ap-97},
         {-0x1.e6c71fe61a3fp-98, -0x1.1bf427f0e4a4cp-97, -0x1.6d1557ec93af4p-97},
         {0x1.58cd0beda7ecap-95, 0x1.58cd0beda7ecap-96, 0x1.62f131ed1dcdfp-95},
         {-0x1.6d1557ec93af4p-96, -0x1.11d001f16ec37p-95, -0x1.0cbdeef1b3d2cp-94}},
        {{0x1.4484bfeebc2ap-99, 0x1.e6c71fe61a3fp-98, 0x1.95a5efea6b348p-97},
         {0x1.07abdbf1f8e22p-96, 0x1.4484bfeebc2ap-99, 0x1.4484bfeebc2ap-97},
         {-0x1.58cd0beda7ecap-96, -0x1.4484bfeebc2ap-96, -0x1.fb0f6be50601ap-96},
         {0x1.be3687e842b9cp-96, 0x1.58cd0beda7ecap-96, 0x1.9fca15e9e115dp-95}}};
    (void)state;
    tally sum = {0};
    check_decision(TOI_VERTEX_FACE, &face, 1, &sum);
    check_decision(TOI_EDGE_EDGE, &edges, 1, &sum);
    assert_true(sum.hits == 1 && sum.declined == 0);
}

static void numbers_fit(void **state)
{
    (void)state;
    toi_random random = {41};
    for (int64_t i = 0; i < cases(20000); ++i)
        try_extremes(&random);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
        const bound *b = &bounds[i];
        printf("  %s: %d bits of %d\n", b->expression, b->seen, b->allowed);
        assert_true(b->seen <= b->allowed && b->seen > b->allowed * 9 / 10);
    }
}

// ---- Real data

// All that went as far as the roots, whatever decided it then.
static void check_queries(toi_kind kind, const toi_query *queries, int64_t count, tally *sum)
{
    toi_narrow_def def = toi_default_narrow_def();
    toi_query_result *results = calloc((size_t)count + 1, sizeof *results);
    assert_non_null(results);
    assert_ok(toi_solve_queries(&def, kind, queries, count, results));
    for (int64_t i = 0; i < count; ++i)
        if (results[i].rung == TOI_RUNG_ROOT || results[i].rung == TOI_RUNG_INTEGER)
            check_decision(kind, &queries[i], 1, sum);
    free(results);
}

static void check_scene(const char *name, tally *sum)
{
    real_frames f;
    toi_ccd_def def = toi_default_ccd_def();
    if (!load_real_scene(name, &f))
        return;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        toi_pair_array pairs = {0};
        assert_ok(toi_find_candidates(&def, &f.mesh, (toi_kind)kind, &pairs, NULL));
        toi_query *queries = calloc((size_t)pairs.count + 1, sizeof *queries);
        assert_non_null(queries);
        for (int64_t i = 0; i < pairs.count; ++i)
            queries[i] = toi_gather_query(&f.mesh, (toi_kind)kind, pairs.data[i]);
        check_queries((toi_kind)kind, queries, pairs.count, sum);
        free(queries);
        toi_free_pairs(&pairs);
    }
    free_real_frames(&f);
}

static void scenes_are_decided(void **state)
{
    (void)state;
    tally sum = {0};
    check_scene("cloth-funnel", &sum);
    if (sum.queries == 0)
        skip();
    print_tally("cloth-funnel", &sum);
    assert_int_equal(sum.declined, 0);
}

static void published_queries_are_decided(void **state)
{
    (void)state;
    static const char *const paths[] = {"unit-tests",          "erleben-cube-cliff-edges",
                                        "erleben-spikes",      "erleben-cube-internal-edges",
                                        "erleben-wedge-crack", "erleben-wedges"};
    tally sum = {0};
    for (size_t i = 0; i < 2 * sizeof paths / sizeof *paths; ++i) {
        char path[200];
        toi_query_file file;
        snprintf(path, sizeof path, "queries/%s/%s.csv", paths[i / 2], i % 2 ? "ee" : "vf");
        const char *found = find_data(path);
        if (!found)
            skip();
        assert_ok(toi_read_queries(found, &file));
        check_queries((toi_kind)(i % 2), file.queries, file.count, &sum);
        toi_free_query_file(&file);
    }
    print_tally("published", &sum);
    assert_true(sum.declined < sum.queries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_right),
        cmocka_unit_test(filters_are_right),
        cmocka_unit_test(signs_are_exact_between_doubles),
        cmocka_unit_test(signs_are_exact_beside_zeros),
        cmocka_unit_test(double_roots_are_told_from_others),
        cmocka_unit_test(decisions_are_exact),
        cmocka_unit_test(tests_turn_between_doubles),
        cmocka_unit_test(numbers_fit),
        cmocka_unit_test(scenes_are_decided),
        cmocka_unit_test(published_queries_are_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
