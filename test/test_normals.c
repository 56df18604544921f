// The normals of all methods, against exact arithmetic: include/toi/narrow_phase.h says what they
// are. Motions of a few units in the last place, denormal coordinates, primitives tiny beside their
// motion, and the degenerate queries of the other tests.

#include "exact/exact_motion.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    EACH = 500 // queries of a call
};

// How far a normal may be off, as the sine of an angle, where it is well defined.
#define ALLOWED 0x1p-20

// ---- Exact vectors

typedef struct exact_contact
{
    exact_motion motion;
    mpf_t at[3][3]; // P, E, G at the time
    mpf_t speed[3], plane[3], across[3], edge[3], unit[3];
    mpf_t x, y, z;
} exact_contact;

static exact_contact *new_contact(void)
{
    static exact_contact c;
    static bool made;
    if (made)
        return &c;
    made = true;
    motion_init(&c.motion);
    for (int i = 0; i < 9; ++i)
        mpf_init(c.at[i / 3][i % 3]);
    for (int k = 0; k < 3; ++k)
        mpf_inits(c.speed[k], c.plane[k], c.across[k], c.edge[k], c.unit[k], NULL);
    mpf_inits(c.x, c.y, c.z, NULL);
    return &c;
}

static void exact_dot(exact_contact *c, mpf_t a[3], mpf_t b[3], mpf_t result)
{
    mpf_t sum;
    mpf_init(sum);
    for (int k = 0; k < 3; ++k) {
        mpf_mul(c->x, a[k], b[k]);
        mpf_add(sum, sum, c->x);
    }
    mpf_set(result, sum);
    mpf_clear(sum);
}

static void exact_cross(exact_contact *c, mpf_t a[3], mpf_t b[3], mpf_t result[3])
{
    for (int k = 0; k < 3; ++k) {
        mpf_mul(c->x, a[(k + 1) % 3], b[(k + 2) % 3]);
        mpf_mul(c->y, a[(k + 2) % 3], b[(k + 1) % 3]);
        mpf_sub(result[k], c->x, c->y);
    }
}

// a.b / (|a| |b|), 0 where a vector is zero.
static double exact_cosine(exact_contact *c, mpf_t a[3], mpf_t b[3])
{
    mpf_t ab, aa, bb;
    mpf_inits(ab, aa, bb, NULL);
    exact_dot(c, a, b, ab);
    exact_dot(c, a, a, aa);
    exact_dot(c, b, b, bb);
    mpf_mul(aa, aa, bb);
    double cosine = 0;
    if (mpf_sgn(aa) > 0) {
        // The square first: the numbers themselves may be beyond the doubles.
        int sign = mpf_sgn(ab);
        mpf_mul(ab, ab, ab);
        mpf_div(ab, ab, aa);
        cosine = sign * sqrt(mpf_get_d(ab));
    }
    mpf_clears(ab, aa, bb, NULL);
    return cosine;
}

// |a x b| / (|a| |b|).
static double exact_sine(exact_contact *c, mpf_t a[3], mpf_t b[3])
{
    mpf_t n[3], nn, aa, bb;
    mpf_inits(n[0], n[1], n[2], nn, aa, bb, NULL);
    exact_cross(c, a, b, n);
    exact_dot(c, n, n, nn);
    exact_dot(c, a, a, aa);
    exact_dot(c, b, b, bb);
    mpf_mul(aa, aa, bb);
    double sine = 0;
    if (mpf_sgn(aa) > 0) {
        mpf_div(nn, nn, aa);
        sine = sqrt(mpf_get_d(nn));
    }
    mpf_clears(n[0], n[1], n[2], nn, aa, bb, NULL);
    return sine;
}

static bool is_zero(mpf_t a[3])
{
    return mpf_sgn(a[0]) == 0 && mpf_sgn(a[1]) == 0 && mpf_sgn(a[2]) == 0;
}

static void take_contact(exact_contact *c, toi_kind kind, const toi_query *query,
                         const toi_query_result *r)
{
    motion_take(&c->motion, kind, query, 1);
    mpf_t t;
    mpf_init(t);
    mpf_set_d(t, r->time);
    motion_at(&c->motion, t, c->at);
    mpf_clear(t);
    for (int k = 0; k < 3; ++k) {
        mpf_set_ui(c->speed[k], 0);
        for (int part = 0; part < 3; ++part) {
            mpf_sub(c->x, c->motion.part[part][1][k], c->motion.part[part][0][k]);
            mpf_set_d(c->y, part == 0 ? 1 : part == 1 ? r->u : r->v);
            mpf_mul(c->x, c->x, c->y);
            mpf_add(c->speed[k], c->speed[k], c->x);
        }
        mpf_set_d(c->unit[k], r->normal[k]);
    }
    exact_cross(c, c->at[1], c->at[2], c->plane);
    // The motion across the longer edge, times its square: against it is the normal where there is
    // no plane.
    exact_dot(c, c->at[1], c->at[1], c->x);
    mpf_set(c->z, c->x);
    exact_dot(c, c->at[2], c->at[2], c->y);
    mpf_t square, along;
    mpf_inits(square, along, NULL);
    exact_dot(c, c->at[2], c->at[2], square);
    int longer = mpf_cmp(c->z, square) > 0 ? 1 : 2;
    if (longer == 1)
        mpf_set(square, c->z);
    for (int k = 0; k < 3; ++k)
        mpf_set(c->edge[k], c->at[longer][k]);
    exact_dot(c, c->speed, c->edge, along);
    for (int k = 0; k < 3; ++k) {
        if (mpf_sgn(square) == 0) {
            mpf_set(c->across[k], c->speed[k]);
            continue;
        }
        mpf_mul(c->x, c->speed[k], square);
        mpf_mul(c->y, c->edge[k], along);
        mpf_sub(c->across[k], c->x, c->y);
    }
    mpf_clears(square, along, NULL);
}

// ---- What must hold

typedef enum verdict
{
    RIGHT,
    TILTED, // not normal to the plane
    TURNED, // along the motion
    ASTRAY, // there is no plane, and it is not against the motion across the edge
    VERDICTS
} verdict;

typedef struct tally
{
    int64_t hits, planes, edges, none;
    int64_t apart, count[VERDICTS];
    double worst;
} tally;

// How much of the motion is relative motion at the place of contact.
static double share_of_motion(exact_contact *c)
{
    mpf_t most, x;
    mpf_inits(most, x, NULL);
    for (int i = 0; i < 9; ++i) {
        mpf_sub(x, c->motion.part[i / 3][1][i % 3], c->motion.part[i / 3][0][i % 3]);
        mpf_abs(x, x);
        if (mpf_cmp(x, most) > 0)
            mpf_set(most, x);
    }
    double share = 0;
    for (int k = 0; k < 3 && mpf_sgn(most) > 0; ++k) {
        mpf_abs(x, c->speed[k]);
        mpf_div(x, x, most);
        share = fmax(share, mpf_get_d(x));
    }
    mpf_clears(most, x, NULL);
    return share;
}

// Are all corners of F on the normal's side, but for a few roundings of their size?
static bool separates(exact_contact *c, toi_kind kind)
{
    double least = HUGE_VAL;
    mpf_t w[3], x, largest;
    mpf_inits(w[0], w[1], w[2], x, largest, NULL);
    for (int i = 0; i < 9; ++i) {
        mpf_abs(x, c->at[i / 3][i % 3]);
        if (mpf_cmp(x, largest) > 0)
            mpf_set(largest, x);
    }
    for (int corner = 0; corner < (kind == TOI_EDGE_EDGE ? 4 : 3) && mpf_sgn(largest) > 0;
         ++corner) {
        for (int k = 0; k < 3; ++k) {
            mpf_set(w[k], c->at[0][k]);
            if (corner & 1)
                mpf_add(w[k], w[k], c->at[1][k]);
            if (corner & 2)
                mpf_add(w[k], w[k], c->at[2][k]);
        }
        exact_dot(c, w, c->unit, x);
        mpf_div(x, x, largest);
        least = fmin(least, mpf_get_d(x));
    }
    mpf_clears(w[0], w[1], w[2], x, largest, NULL);
    return !is_zero(c->unit) && least > -0x1p-49;
}

// A share of the motion below `least` is beyond the numbers that the library computes with.
static verdict judge(exact_contact *c, toi_kind kind, double least, tally *sum)
{
    double sine = exact_sine(c, c->at[1], c->at[2]), moves = share_of_motion(c);
    if (sine > 0x1p-29) {
        ++sum->planes;
        double off = is_zero(c->unit) ? 1 : exact_sine(c, c->unit, c->plane);
        sum->worst = fmax(sum->worst, off);
        if (!(off < ALLOWED))
            return TILTED;
        double approach = exact_cosine(c, c->plane, c->speed);
        double side = exact_cosine(c, c->plane, c->unit);
        return fabs(approach) * moves > least && side * approach > 0 ? TURNED : RIGHT;
    }
    if (sine > 0x1p-31)
        return RIGHT;
    if (is_zero(c->across)) {
        ++sum->none;
        return is_zero(c->unit) || separates(c, kind) ? RIGHT : ASTRAY;
    }
    ++sum->edges;
    double across = is_zero(c->edge) ? 1 : exact_sine(c, c->edge, c->speed);
    if (across < 0x1p-20 || moves < least) // which of two nearly parallel edges is longer matters
        return fabs(exact_cosine(c, c->unit, c->edge)) < 0x1p-20 ? RIGHT : ASTRAY;
    double off = is_zero(c->unit) ? 1 : exact_sine(c, c->unit, c->across);
    return off < ALLOWED && exact_cosine(c, c->unit, c->across) < 0 ? RIGHT : ASTRAY;
}

// ---- Families

static double random_sign(toi_random *random)
{
    return toi_random_below(random, 2) ? 1 : -1;
}

static double nudge(double x, toi_random *random)
{
    for (int64_t n = (int64_t)toi_random_below(random, 4); n > 0; --n)
        x = nextafter(x, random_sign(random) * INFINITY);
    return x;
}

// Touching but for rounding, and moving by a few units in the last place.
static toi_query tiny_motion(toi_kind kind, toi_random *random)
{
    toi_query q;
    double u = toi_random_unit(random), v = toi_random_unit(random), offset[3];
    double far = toi_random_below(random, 2) ? 0 : ldexp(1, (int)toi_random_below(random, 10));
    for (int k = 0; k < 3; ++k)
        offset[k] = far * toi_random_range(random, -1, 1);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            q.start[c][k] = offset[k] + toi_random_range(random, -1, 1);
    for (int k = 0; k < 3; ++k) {
        double *x[4] = {&q.start[0][k], &q.start[1][k], &q.start[2][k], &q.start[3][k]};
        if (kind == TOI_VERTEX_FACE)
            *x[0] = *x[1] + u * (1 - v) * (*x[2] - *x[1]) + u * v * (*x[3] - *x[1]);
        else
            *x[1] = *x[0] + (*x[2] + v * (*x[3] - *x[2]) - *x[0]) * (1 + u);
    }
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            q.end[c][k] = nudge(q.start[c][k], random);
    return q;
}

// Small whole multiples of the least double, or of 2^exponent.
static toi_query few_bits(int exponent, int most, toi_random *random)
{
    toi_query q;
    int bits = 1 + (int)toi_random_below(random, (uint64_t)most);
    for (int i = 0; i < 24; ++i)
        (&q.start[0][0])[i] =
            random_sign(random) *
            ldexp((double)toi_random_below(random, (uint64_t)1 << bits), exponent);
    return q;
}

// Two axes of any size, the third in denormals, and maybe all of the motion in that.
static toi_query flat(toi_kind kind, toi_random *random)
{
    toi_query q = few_bits(-1074, 4, random);
    int third = (int)toi_random_below(random, 3), first = kind == TOI_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < 24; ++i)
        if (i % 3 != third)
            (&q.start[0][0])[i] = toi_random_range(random, -1, 1);
    bool level = toi_random_below(random, 2), still = toi_random_below(random, 4) > 0;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            if (k != third && still)
                q.end[c][k] = q.start[c][k];
            if (k == third && level) {
                q.start[c][k] = q.start[c < first ? 0 : first][k];
                q.end[c][k] = q.end[c < first ? 0 : first][k];
            }
        }
    return q;
}

// In a plane perpendicular to an axis, which may move along it.
static toi_query level(toi_random *random)
{
    toi_query q;
    int third = (int)toi_random_below(random, 3);
    for (int i = 0; i < 24; ++i)
        (&q.start[0][0])[i] = toi_random_range(random, -1, 1);
    bool moves = toi_random_below(random, 2);
    for (int c = 0; c < 4; ++c) {
        q.start[c][third] = q.start[0][third];
        q.end[c][third] = moves ? q.end[0][third] : q.start[0][third];
    }
    return q;
}

// Primitives of 2^exponent that pass each other at a speed of about 1.
static toi_query small_and_fast(int exponent, toi_kind kind, toi_random *random)
{
    toi_query q;
    double size = ldexp(1, exponent), way[3];
    int first = kind == TOI_EDGE_EDGE ? 2 : 1;
    for (int k = 0; k < 3; ++k)
        way[k] = toi_random_range(random, -1, 1);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            // Symmetric about the middle of the step, so that they meet there.
            double x = size * toi_random_range(random, -1, 1);
            q.start[c][k] = x - (c < first ? way[k] : 0);
            q.end[c][k] = x + (c < first ? way[k] : 0);
            if (fabs(way[k]) > 0 && c < first && exponent < -50)
                q.start[c][k] = -(q.end[c][k] = way[k]);
        }
    return q;
}

enum
{
    TINY_MOTION,
    DENORMAL,
    FLAT,
    SMALL,
    HUGE_ONES,
    NEARLY_DEGENERATE = HUGE_ONES + 1 + HARD_NEAR,
    LEVEL = HUGE_ONES + 1 + HARD_FAMILIES,
    FAMILIES
};

static const char *const names[FAMILIES] = {
    "tiny motion",    "denormal",          "flat", "small and fast", "huge", "unit cube",
    "small integers", "nearly degenerate", "level"};

static toi_query make_query(int family, toi_kind kind, toi_random *random)
{
    switch (family) {
    case TINY_MOTION:
        return tiny_motion(kind, random);
    case DENORMAL:
        return few_bits(-1074, 12, random);
    case FLAT:
        return flat(kind, random);
    case LEVEL:
        return level(random);
    case SMALL:
        return small_and_fast(-(int)toi_random_below(random, 900), kind, random);
    case HUGE_ONES:
        return few_bits(1010, 12, random);
    default:
        return make_hard_query((hard_family)(family - HUGE_ONES - 1), kind, random);
    }
}

// As the library sees points and edges.
static toi_query raise(toi_kind kind, const toi_query *query)
{
    toi_query q = *query;
    for (int c = kind == TOI_POINT_POINT ? 2 : kind == TOI_POINT_EDGE ? 3 : 4; c < 4; ++c) {
        memcpy(q.start[c], q.start[c - 1], sizeof q.start[c]);
        memcpy(q.end[c], q.end[c - 1], sizeof q.end[c]);
    }
    return q;
}

// The additive methods stop where a direction still separates them, and return that.
static void check_result(exact_contact *c, toi_narrow_method method, toi_kind kind,
                         const toi_query *query, const toi_query_result *r, tally *sum)
{
    bool additive = method == TOI_NARROW_ADDITIVE || method == TOI_NARROW_ADDITIVE_CERTIFIED;
    toi_query raised = raise(kind, query);
    toi_kind as = kind == TOI_EDGE_EDGE ? kind : TOI_VERTEX_FACE;
    ++sum->hits;
    take_contact(c, as, &raised, r);
    if (additive && separates(c, as)) {
        ++sum->apart;
        return;
    }
    // The place on an edge is rounded once more than the place that the normal was computed for.
    verdict v = judge(c, as, kind == TOI_POINT_EDGE ? 0x1p-30 : 0x1p-80, sum);
    ++sum->count[v];
    if (v != RIGHT && sum->count[v] == 1) {
        print_query(kind, query);
        print_error("  %s at %a, u %a, v %a: normal %a %a %a is %s\n", toi_narrow_name(method),
                    r->time, r->u, r->v, r->normal[0], r->normal[1], r->normal[2],
                    v == TILTED   ? "not normal to the plane"
                    : v == TURNED ? "along the motion"
                                  : "not against the motion across the edge");
    }
}

// Returns how many normals are wrong.
static int64_t check_family(toi_narrow_method method, int family)
{
    exact_contact *c = new_contact();
    static toi_query queries[EACH];
    static toi_query_result results[EACH];
    toi_random random = {(uint64_t)(90 + family)};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.workers = 1;
    def.max_iterations = 1000;
    if (method == TOI_NARROW_FAST) // its normal is that of the root, and its time comes before
        def.tolerance = 1e-15;
    def = toi_fit_narrow_def(&def);
    tally sum = {0};
    int kinds = family > HUGE_ONES ? TOI_KIND_COUNT : TOI_PAIR_KINDS;
    for (int64_t batch = 0; batch < cases(8); ++batch) {
        toi_kind kind = (toi_kind)(batch % kinds);
        for (int i = 0; i < EACH; ++i)
            queries[i] = make_query(family, kind, &random);
        assert_ok(toi_solve_queries(&def, kind, queries, EACH, results));
        for (int i = 0; i < EACH; ++i)
            if (results[i].state != TOI_SEPARATED)
                check_result(c, method, kind, &queries[i], &results[i], &sum);
    }
    print_message("  %s, %s: %lld hits, %lld apart, %lld planes, %lld edges, %lld without; off by "
                  "%.2g; wrong: %lld tilted, %lld turned, %lld astray\n",
                  toi_narrow_name(method), names[family], (long long)sum.hits, (long long)sum.apart,
                  (long long)sum.planes, (long long)sum.edges, (long long)sum.none, sum.worst,
                  (long long)sum.count[TILTED], (long long)sum.count[TURNED],
                  (long long)sum.count[ASTRAY]);
    assert_true(sum.hits > 100 || getenv("TOI_SANITIZED"));
    return sum.count[TILTED] + sum.count[TURNED] + sum.count[ASTRAY];
}

static void check_method(toi_narrow_method method)
{
    int64_t wrong = 0;
    for (int family = 0; family < FAMILIES; ++family)
        // Far from the origin the published method rounds where the primitives are. Roots of the
        // volume say nothing where it is zero for all t.
        if ((method != TOI_NARROW_ADDITIVE || family != NEARLY_DEGENERATE) &&
            (method != TOI_NARROW_CUBIC || family != LEVEL))
            wrong += check_family(method, family);
    if (wrong > 0)
        fail_msg("%lld normals of %s are wrong", (long long)wrong, toi_narrow_name(method));
}

#define METHOD_TEST(name, method)                                                                  \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_method(method);                                                                      \
    }

METHOD_TEST(exact_normals, TOI_NARROW_EXACT)
METHOD_TEST(inclusion_normals, TOI_NARROW_INCLUSION)
METHOD_TEST(inclusion_queue_normals, TOI_NARROW_INCLUSION_QUEUE)
METHOD_TEST(additive_normals, TOI_NARROW_ADDITIVE)
METHOD_TEST(additive_certified_normals, TOI_NARROW_ADDITIVE_CERTIFIED)
METHOD_TEST(fast_normals, TOI_NARROW_FAST)
METHOD_TEST(safe_normals, TOI_NARROW_SAFE)
METHOD_TEST(cubic_normals, TOI_NARROW_CUBIC)

int main(void)
{
    use_long_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_normals),
        cmocka_unit_test(inclusion_normals),
        cmocka_unit_test(inclusion_queue_normals),
        cmocka_unit_test(additive_normals),
        cmocka_unit_test(additive_certified_normals),
        cmocka_unit_test(fast_normals),
        cmocka_unit_test(safe_normals),
        cmocka_unit_test(cubic_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
