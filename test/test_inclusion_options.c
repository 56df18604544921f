// `inclusion` beyond known contacts: the same bits whoever asks, its options, and random queries
// decided by exact/exact_ccd.c. `make test-long` takes ten times as many.

#include "exact/adversary.h"
#include "exact/method_trials.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Determinism

static void assert_same_bits(const toi_narrow_def *def, const trial *t, const char *what)
{
    static toi_query_result other[BATCH];
    assert_ok(toi_solve_queries(def, t->kind, t->queries, t->count, other));
    for (int i = 0; i < t->count; ++i)
        if (memcmp(&other[i], &t->results[i], sizeof other[i]) != 0) {
            print_failure(def, t->kind, &t->contacts[i], &t->results[i]);
            fail_msg("with %s the time is %a after %d iterations", what, other[i].time,
                     (int)other[i].iterations);
        }
}

// The order of the queries, their neighbours and their number do not matter.
static void assert_alone_as_in_batch(const toi_narrow_def *def, const trial *t)
{
    toi_query_result alone;
    for (int i = 0; i < t->count; i += 7) {
        assert_ok(toi_solve_queries(def, t->kind, &t->queries[i], 1, &alone));
        assert_memory_equal(&alone, &t->results[i], sizeof alone);
    }
    toi_query_result some[13];
    for (int first = 3; first + 13 <= t->count; first += 31) {
        assert_ok(toi_solve_queries(def, t->kind, &t->queries[first], 13, some));
        assert_memory_equal(some, &t->results[first], sizeof some);
    }
}

static void answers_are_the_same_bits(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    static trial t;
    toi_random random = {8};
    for (int64_t batch = 0; batch < slow_cases(40); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.no_zero_time = batch % 3 == 0;
        recipe.gap = batch % 5 == 0 ? (int64_t)toi_random_below(&random, 1 << 16) : 0;
        def.min_separation = ldexp((double)recipe.gap, recipe.exponent);
        if (batch % 4 == 0)
            make_wild_trial(&t, &random);
        else
            make_trial(&recipe, &t, &random);
        for (int i = 0; i < t.count; i += 2) // half of them nearly touch, or do
            nudge_query(&t.contacts[i].query, (int64_t)1 << (i % 40), &random);
        for (int i = 0; i < t.count; ++i)
            t.queries[i] = t.contacts[i].query;
        assert_ok(toi_solve_queries(&def, t.kind, t.queries, t.count, t.results));
        for (int level = 0; level < 3; ++level)
            if (toi_set_simd(levels[level]) == TOI_OK)
                assert_same_bits(&def, &t, levels[level]);
        assert_ok(toi_set_simd(NULL));
        assert_alone_as_in_batch(&def, &t);
    }
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    toi_query *queries = malloc(COUNT * sizeof *queries);
    toi_query_result *results = malloc(COUNT * sizeof *results);
    toi_random random = {9};
    contact_recipe recipe = {.kind = TOI_EDGE_EDGE, .exponent = -20, .latest = 1};
    for (int i = 0; i < COUNT; ++i) {
        contact c = make_contact(&recipe, &random);
        nudge_query(&c.query, (int64_t)1 << (i % 40), &random);
        queries[i] = c.query;
    }
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.max_iterations = 300;
    uint64_t expected = 0;
    for (int workers = 1; workers <= 4; ++workers) {
        def.workers = workers;
        assert_ok(toi_solve_queries(&def, recipe.kind, queries, COUNT, results));
        uint64_t hash = toi_hash(results, COUNT * sizeof *results);
        if (workers == 1)
            expected = hash;
        assert_true(hash == expected);
    }
    free(queries);
    free(results);
}

// ---- no_zero_time

// A vertex at rest on the face, and edges that touch at the start: the answer is 0, soon.
static void contact_at_zero_is_zero(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {10};
    for (int64_t batch = 0; batch < slow_cases(100); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.no_zero_time = true;
        recipe.latest = 0;
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t); // time <= 0
    }
}

// Two primitives a small gap apart, approaching along one axis.
typedef struct approach
{
    const char *name;
    toi_kind kind;
    int movers; // so many points move, from the first
    int axis;   // along this axis
    int way;    // 1 or -1
    double points[4][3];
} approach;

static const approach approaches[] = {
    {"a vertex above a face",
     TOI_VERTEX_FACE,
     1,
     2,
     -1,
     {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
    {"a vertex in the plane of a face",
     TOI_VERTEX_FACE,
     1,
     0,
     1,
     {{0, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
    {"a vertex in the plane of a sliver",
     TOI_VERTEX_FACE,
     1,
     0,
     1,
     {{0, 0.25, 0}, {0, 0, 0}, {0x1p-20, 0.5, 0}, {0, 1, 0}}},
    {"crossed edges",
     TOI_EDGE_EDGE,
     2,
     2,
     -1,
     {{-1, -0.3, 0}, {1, 0.3, 0}, {-1, 0.3, 0}, {1, -0.3, 0}}},
    {"nearly parallel edges",
     TOI_EDGE_EDGE,
     2,
     2,
     -1,
     {{-1, -0x1p-30, 0}, {1, 0x1p-30, 0}, {-1, 0x1p-30, 0}, {1, -0x1p-30, 0}}},
    {"parallel edges", TOI_EDGE_EDGE, 2, 2, -1, {{0, 0, 0}, {1, 0, 0}, {0.25, 0, 0}, {1.25, 0, 0}}},
    {"edges on a line", TOI_EDGE_EDGE, 2, 0, 1, {{-1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
    {"edges in a plane",
     TOI_EDGE_EDGE,
     2,
     0,
     1,
     {{-1, 0.1, 0}, {0, 0.1, 0}, {0, -1, 0}, {0, 1, 0}}},
};

static void turn(double x[3], double angle, double tilt)
{
    double a = x[0] * cos(angle) - x[1] * sin(angle), b = x[0] * sin(angle) + x[1] * cos(angle);
    double c = x[2];
    x[0] = a;
    x[1] = b * cos(tilt) - c * sin(tilt);
    x[2] = b * sin(tilt) + c * cos(tilt);
}

// The movers start `gap` before they touch and end `depth` further on.
static toi_query make_approach(const approach *a, double size, double gap, double depth)
{
    toi_query q;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            bool moves = c < a->movers && k == a->axis;
            q.start[c][k] = size * (a->points[c][k] - (moves ? a->way * gap : 0));
            q.end[c][k] = q.start[c][k] + (moves ? a->way * size * depth : 0);
        }
    return q;
}

// The gap at t = 0 is small but more than rounding: down to 2^-40 of the size. The contact comes
// within the step, after as little as 2^-30 of it: the time is not zero, so a solver can advance.
static void small_gap_gives_positive_time(void **state)
{
    (void)state;
    toi_random random = {11};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.no_zero_time = true;
    def.workers = 1;
    int wrong = 0;
    for (size_t n = 0; n < sizeof approaches / sizeof *approaches; ++n) {
        const approach *a = &approaches[n];
        int zero = 0;
        for (int64_t i = 0; i < slow_cases(1500); ++i) {
            double size = ldexp(1, (int)toi_random_below(&random, 61) - 30);
            double gap = ldexp(1, -(int)toi_random_below(&random, 41));
            double depth = gap * ldexp(1, (int)toi_random_below(&random, 31));
            toi_query q = make_approach(a, size, gap, depth);
            if (i % 3 == 0) { // no longer exact: touching or not is up to rounding
                double angle = toi_random_range(&random, 0, 6), tilt = angle + 1;
                for (int p = 0; p < 8; ++p)
                    turn(&(&q.start[0][0])[3 * p], angle, tilt);
            }
            def.tolerance = size * 1e-6;
            toi_query_result r;
            assert_ok(toi_solve_queries(&def, a->kind, &q, 1, &r));
            assert_true(well_formed(&def, &r));
            if (i % 3 != 0)
                assert_true(r.state != TOI_SEPARATED && r.time <= gap / depth);
            if (r.time == 0 && ++zero <= 2) {
                print_query(a->kind, &q);
                print_error("  %s: gap %g, contact at %g: %s, time 0 after %d iterations\n",
                            a->name, gap, gap / depth, toi_state_name(r.state), (int)r.iterations);
            }
            ++queries_checked;
        }
        wrong += zero;
    }
    assert_int_equal(wrong, 0);
}

// What moves symmetrically meets at the very centre of the first cell, where F's value says nothing
// about the way they came.
static void symmetric_approach_is_decided(void **state)
{
    (void)state;
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    int wrong = 0;
    for (size_t n = 0; n < sizeof approaches / sizeof *approaches; ++n)
        for (int step = 0; step <= 6; ++step) {
            const approach *a = &approaches[n];
            double gap = 0x1p-12, depth = ldexp(gap, step); // touches at t = 2^-step
            toi_query q = make_approach(a, 1, gap, depth);
            toi_query_result r;
            assert_ok(toi_solve_queries(&def, a->kind, &q, 1, &r));
            assert_true(r.time <= gap / depth);
            if (r.state != TOI_HIT || r.time < gap / depth - 1e-5) {
                print_error("%s: contact at %g, got %s at %g after %d iterations\n", a->name,
                            gap / depth, toi_state_name(r.state), r.time, (int)r.iterations);
                ++wrong;
            }
        }
    assert_int_equal(wrong, 0);
}

// ---- Options

static void options_at_their_limits(void **state)
{
    (void)state;
    const double limits[] = {DBL_TRUE_MIN, DBL_MIN, 1e-300, 1, 1e300, DBL_MAX};
    toi_random random = {14};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            for (int n = 0; n < 50; ++n) {
                contact_recipe recipe = random_recipe(&random);
                contact c = n % 2 ? make_wild_contact(recipe.kind, 1024, 2000, &random)
                                  : make_contact(&recipe, &random);
                toi_narrow_def def = random_def(0, &random);
                def.tolerance = limits[i];
                def.min_separation = limits[j];
                toi_query_result r;
                assert_ok(toi_solve_queries(&def, recipe.kind, &c.query, 1, &r));
                if (!is_right(&def, &c, &r)) {
                    print_failure(&def, recipe.kind, &c, &r);
                    fail();
                }
                ++queries_checked;
            }
}

// ---- Random queries, decided exactly

// Uniform coordinates, as a mesh's would be: nothing is missed, and nothing else reported.
static void random_queries_agree_with_exact(void **state)
{
    (void)state;
    tally sum = try_uniform_exactly(TOI_NARROW_INCLUSION, slow_cases(20000), 12);
    assert_true(sum.false_hits <= sum.apart / 1000);
    assert_true(sum.slack < 2e-6);
}

// A few units in the last place off a contact: touching or not, nobody can see.
static void nudged_contacts_agree_with_exact(void **state)
{
    (void)state;
    try_nudged_exactly(TOI_NARROW_INCLUSION, slow_cases(10000), 13);
}

// |F| at a result's place at time t, in the maximum norm; rounded.
static double distance_at(toi_kind kind, const toi_query *query, const toi_query_result *r,
                          double t)
{
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        double x[4];
        for (int c = 0; c < 4; ++c)
            x[c] = query->start[c][k] + t * (query->end[c][k] - query->start[c][k]);
        double f = kind == TOI_EDGE_EDGE
                       ? x[0] + r->u * (x[1] - x[0]) - x[2] - r->v * (x[3] - x[2])
                       : x[0] - x[1] - r->u * (x[2] - x[1]) - r->v * (x[3] - x[1]);
        most = fmax(most, fabs(f));
    }
    return most;
}

// The least |F| at a result's place from its time on. |F| is convex in t: thirds close in on it.
static double least_distance(toi_kind kind, const toi_query *query, const toi_query_result *r)
{
    double lo = r->time, hi = 1;
    for (int i = 0; i < 100; ++i) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (distance_at(kind, query, r, a) <= distance_at(kind, query, r, b))
            hi = b;
        else
            lo = a;
    }
    return distance_at(kind, query, r, lo);
}

// At the place of a hit the primitives come as close as the tolerance says, at its time or, where
// that is early, later; of queries as a mesh has them, not degenerate ones.
static void check_where(double most_separation, toi_random *random)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.workers = 1;
    int64_t hits = 0, wrong = 0;
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        toi_query q;
        toi_kind kind = (toi_kind)(i % 2);
        def.min_separation = ldexp(most_separation, -(int)toi_random_below(random, 30));
        for (int n = 0; n < 24; ++n)
            (&q.start[0][0])[n] = toi_random_unit(random);
        toi_query_result r;
        assert_ok(toi_solve_queries(&def, kind, &q, 1, &r));
        check_place(kind, &q, &r);
        ++queries_checked;
        if (r.state != TOI_HIT)
            continue;
        ++hits;
        double distance = least_distance(kind, &q, &r);
        if (distance > def.min_separation + 2 * def.tolerance && ++wrong <= 3) {
            print_query(kind, &q);
            print_error("  time %.17g u %.17g v %.17g: distance %g, separation %g\n", r.time, r.u,
                        r.v, distance, def.min_separation);
        }
    }
    assert_true(hits > 100);
    if (wrong > 0)
        fail_msg("%lld of %lld hits are not where they say", (long long)wrong, (long long)hits);
}

static void hits_are_where_they_say(void **state)
{
    (void)state;
    toi_random random = {15};
    check_where(0, &random);
}

static void hits_at_a_separation_are_where_they_say(void **state)
{
    (void)state;
    toi_random random = {16};
    check_where(0.5, &random);
}

// On top of the million of test_inclusion.c.
static void enough_were_checked_on_the_face(void **state)
{
    (void)state;
    close_trials(slow_cases(130000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_bits),
        cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(contact_at_zero_is_zero),
        cmocka_unit_test(small_gap_gives_positive_time),
        cmocka_unit_test(symmetric_approach_is_decided),
        cmocka_unit_test(options_at_their_limits),
        cmocka_unit_test(random_queries_agree_with_exact),
        cmocka_unit_test(nudged_contacts_agree_with_exact),
        cmocka_unit_test(hits_are_where_they_say),
        cmocka_unit_test(hits_at_a_separation_are_where_they_say),
        cmocka_unit_test(enough_were_checked_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
