// Decisions in whole numbers of a bounded size (kernel/fixed_contact.h): against the integers of
// any length, on everything that is degenerate; what is declined; how long numbers get.

#include "support.h"

#include <stdio.h>
#include <string.h>

static void watch_number(const char *expression, const uint32_t *a);
#define TOI_WATCH_NUMBER(expression, a) watch_number(expression, a)

#include "kernel/fixed_contact.h"

#include "exact/certificate.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "real_frames.h"

#include <math.h>
#include <stdlib.h>

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
    int64_t queries, hits, at_start, at_end, between, declined;
} tally;

static void check_decision(toi_kind kind, const toi_query *q, double t_max, tally *sum)
{
    double time = NAN;
    toi_decision expected = decide_query(kind, q, false);
    bool hit = expected.state == TOI_HIT && expected.time <= t_max;
    toi_fixed_verdict verdict =
        toi_decide_fixed(kind == TOI_EDGE_EDGE, q->start[0], q->end[0], t_max, &time);
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
}

static void print_tally(const char *name, const tally *sum)
{
    printf("  %s: %lld queries, %lld hits: %lld at 0, %lld at 1; %lld declined\n", name,
           (long long)sum->queries, (long long)sum->hits, (long long)sum->at_start,
           (long long)sum->at_end, (long long)sum->declined);
}

// ---- Families

static double small(int range, toi_random *random)
{
    return (double)toi_random_below(random, (uint64_t)(2 * range + 1)) - range;
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
    *x += ldexp(small(1, random), -(int)toi_random_below(random, 40));
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
            check_decision(kind, &q, i % 4 == 3 ? toi_random_unit(&random) : 1, &sum);
        }
        print_tally(names[family], &sum);
        assert_true(sum.at_start > 0 && sum.between > 0);
        if (family != NEARLY_DEGENERATE && family != DISTURBED)
            assert_true(sum.declined * 1000 <= sum.queries);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decisions_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
