// The methods of the literature, `fast`, `safe`, `parity` and `cubic`, against exact answers: what
// each promises must hold, and the counts that the paper of `fast` prints must come out.
// docs/fast.md. `make test-long` takes ten times as many.

#include "kernel/areas.h"
#include "kernel/roots.h"

#include "exact/hand_cases.h"
#include "exact/hard_queries.h"
#include "exact/method_trials.h"
#include "exact/twin.h"
#include "toi/io.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const toi_narrow_method baselines[] = {TOI_NARROW_FAST, TOI_NARROW_SAFE, TOI_NARROW_PARITY,
                                              TOI_NARROW_CUBIC};

enum
{
    BASELINES = 4
};

static toi_narrow_def method_with_roots(toi_narrow_method method)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.tolerance = 1e-9;
    def.all_roots = true;
    def.workers = 1;
    return toi_fit_narrow_def(&def);
}

static toi_query_result solve(const toi_narrow_def *def, toi_kind kind, const toi_query *query)
{
    toi_query_result r;
    assert_ok(toi_solve_queries(def, kind, query, 1, &r));
    check_place(kind, query, &r);
    ++queries_checked;
    if (!well_formed(def, &r)) {
        print_query(kind, query);
        fail_msg("%s: malformed, time %g", toi_narrow_name(def->method), r.time);
    }
    return r;
}

// ---- Roots

// The Bernstein form of scale (t - r0)(t - r1)(t - r2).
static toi_cubic cubic_of(const double r[3], double scale)
{
    double ends[2][3]; // of each factor
    for (int i = 0; i < 3; ++i) {
        ends[0][i] = -r[i];
        ends[1][i] = 1 - r[i];
    }
    const double *a = ends[0], *b = ends[1];
    return (toi_cubic){.c = {scale * a[0] * a[1] * a[2],
                             scale * (a[0] * a[1] * b[2] + a[0] * b[1] * a[2] + b[0] * a[1] * a[2]),
                             scale * (a[0] * b[1] * b[2] + b[0] * a[1] * b[2] + b[0] * b[1] * a[2]),
                             scale * b[0] * b[1] * b[2]}};
}

// Roots on a grid, so that the coefficients are exact; every root in [0, 1] has a time within the
// tolerance, double and triple ones too, and times come in order.
static void every_root_has_a_time(void **state)
{
    (void)state;
    toi_random random = {1};
    int64_t inside = 0;
    for (int64_t n = 0; n < slow_cases(100000); ++n) {
        double r[3], times[TOI_MOST_TIMES], tolerance = pow(10, -(double)(n % 16));
        for (int i = 0; i < 3; ++i)
            r[i] = ldexp((double)toi_random_below(&random, n % 3 ? 1 << 16 : 9), n % 3 ? -15 : -2) -
                   0.5;
        toi_cubic q = cubic_of(r, n % 2 ? 1 : -1);
        int count = toi_root_times(&q, tolerance, 0x1p-50, times);
        assert_true(count <= TOI_MOST_TIMES);
        for (int i = 1; i < count; ++i)
            assert_true(times[i - 1] <= times[i]);
        for (int i = 0; i < 3; ++i) {
            bool found = r[i] < 0 || r[i] > 1;
            inside += !found;
            // Where rounding hides the root it is as far away as the values stay within rounding.
            for (int k = 0; k < count && !found; ++k)
                found = fabs(times[k] - r[i]) <= 1.01 * tolerance ||
                        !toi_root_is_within(&q, times[k], 0.99 * fabs(times[k] - r[i]), 0x1p-50);
            if (!found)
                fail_msg("roots %a %a %a: no time within %g of root %d", r[0], r[1], r[2],
                         tolerance, i);
        }
    }
    assert_true(inside > 0);
}

// ---- The error terms

// The cross product of the differences x - z and y - z at t, halved, in extended precision.
static long double true_area(double start[3][3], double velocity[3][3], long double t)
{
    long double a[3], b[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        long double z = start[2][k] + t * velocity[2][k];
        a[k] = start[0][k] + t * velocity[0][k] - z;
        b[k] = start[1][k] + t * velocity[1][k] - z;
    }
    for (int k = 0; k < 3; ++k) {
        long double n = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        sum += n * n;
    }
    return 0.5L * sqrtl(sum);
}

static double longest_difference(double x[3][3])
{
    double longest = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            longest = fmax(longest,
                           hypot(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]), x[i][2] - x[j][2]));
    return longest;
}

// Lemma 4.1 recomputed: an area at one time, computed in double, against the true one at another.
// The bound is attained within a factor of three, so it could not be much smaller.
static void areas_change_by_no_more_than_the_lemma(void **state)
{
    (void)state;
    toi_random random = {2};
    double worst = 0;
    for (int64_t n = 0; n < slow_cases(200000); ++n) {
        double start[3][3], velocity[3][3], a[3], b[3], slow = n % 3 ? 1 : 1e-3;
        for (int i = 0; i < 9; ++i) {
            start[i / 3][i % 3] = toi_random_range(&random, -1, 1);
            velocity[i / 3][i % 3] = slow * toi_random_range(&random, -1, 1);
        }
        if (n % 4 == 0) // stretched by its motion, where the area changes most
            for (int i = 0; i < 9; ++i)
                velocity[i / 3][i % 3] = start[i / 3][i % 3] * slow;
        double doubt = pow(10, -(double)(n % 17)), length = longest_difference(start);
        double speed = longest_difference(velocity), t = toi_random_unit(&random);
        double other = fmax(0, fmin(1, t + toi_random_range(&random, -doubt, doubt)));
        for (int k = 0; k < 3; ++k) {
            double z = start[2][k] + t * velocity[2][k];
            a[k] = (start[0][k] + t * velocity[0][k]) - z;
            b[k] = (start[1][k] + t * velocity[1][k]) - z;
        }
        double rounding = toi_difference_rounding(length, speed);
        double bound = toi_area_error(length, speed, doubt, rounding);
        double change = fabs((double)(toi_half_cross(a, b) - true_area(start, velocity, other)));
        worst = fmax(worst, change / bound);
    }
    print_message("  areas change by at most %.3f of the bound\n", worst);
    assert_true(worst <= 1 && worst > 1.0 / 3);
}

// ---- Random queries

static toi_query *random_queries(int64_t count, uint64_t seed)
{
    toi_query *queries = malloc((size_t)count * sizeof *queries);
    assert_non_null(queries);
    toi_random random = {seed};
    for (int64_t i = 0; i < count; ++i)
        queries[i] = make_hard_query(HARD_CUBE, TOI_VERTEX_FACE, &random);
    return queries;
}

// Table 1 of the paper: of 10^7 queries in the unit cube 7.50 % have an odd number of contacts and
// 0.228 % an even one; larger tolerances report a few more, and from 1e-9 down nothing changes.
static void counts_are_those_of_table_1(void **state)
{
    (void)state;
    enum
    {
        COUNT = 200000
    };
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 1e-12};
    toi_query *queries = random_queries(COUNT, 3);
    toi_query_result *results = malloc(COUNT * sizeof *results);
    assert_non_null(results);
    int64_t before = COUNT, odd = 0, even = 0;
    for (int n = 0; n < 6; ++n) {
        toi_narrow_def def = method_with_roots(TOI_NARROW_FAST);
        def.tolerance = tolerances[n];
        assert_ok(toi_solve_queries(&def, TOI_VERTEX_FACE, queries, COUNT, results));
        odd = even = 0;
        for (int64_t i = 0; i < COUNT; ++i) {
            assert_int_equal(results[i].state == TOI_HIT, results[i].contacts > 0);
            odd += results[i].contacts % 2 == 1;
            even += results[i].contacts > 0 && results[i].contacts % 2 == 0;
        }
        print_message("  tolerance %g: %.3f %% odd, %.3f %% even\n", tolerances[n],
                      100.0 * (double)odd / COUNT, 100.0 * (double)even / COUNT);
        assert_true(odd + even <= before);
        if (tolerances[n] < 1e-9)
            assert_int_equal(odd + even, before);
        before = odd + even;
    }
    // Three standard deviations of the paper's shares: 0.18 and 0.03 %.
    assert_true(fabs((double)odd / COUNT - 0.0750) < 0.0018);
    assert_true(fabs((double)even / COUNT - 0.00228) < 0.0003);
    queries_checked += 6 * COUNT;
    free(results);
    free(queries);
}

// How a method does on queries of a family, both kinds, against the exact answers.
typedef struct score
{
    int64_t touching, apart, missed, false_hits, miscounted, wrong_parity, late;
    double latest, earliest; // time minus the true one, extremes
} score;

static void add_to_score(const toi_narrow_def *def, toi_kind kind, const toi_query *query, score *s)
{
    twin_answer truth = twin_decide(kind, query);
    toi_query_result r = solve(def, kind, query);
    bool hit = r.state != TOI_SEPARATED;
    s->touching += truth.touches;
    s->apart += !truth.touches;
    s->missed += truth.touches && !hit;
    s->false_hits += hit && !truth.touches;
    s->miscounted += r.contacts != truth.contacts;
    s->wrong_parity += hit != (truth.contacts % 2 == 1);
    if (hit && truth.touches) {
        s->late += r.time > truth.time;
        s->latest = fmax(s->latest, r.time - truth.time);
        s->earliest = fmin(s->earliest, r.time - truth.time);
    }
}

static score score_method(const toi_narrow_def *def, hard_family family, int64_t count,
                          uint64_t seed)
{
    score s = {0};
    toi_random random = {seed};
    for (int64_t i = 0; i < count; ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = make_hard_query(family, kind, &random);
        add_to_score(def, kind, &query, &s);
    }
    print_message("  %s, %s: %lld of %lld touch; %lld missed, %lld false, %lld late (by %.2g)\n",
                  toi_narrow_name(def->method), hard_family_name(family), (long long)s.touching,
                  (long long)(s.touching + s.apart), (long long)s.missed, (long long)s.false_hits,
                  (long long)s.late, s.latest);
    assert_true(s.touching > 0 && s.apart > 0);
    return s;
}

// Nothing is missed, nothing is late, no time is further off than twice the tolerance, every
// contact is counted.
static void fast_is_right_on_random_queries(void **state)
{
    (void)state;
    toi_narrow_def def = method_with_roots(TOI_NARROW_FAST);
    score s = score_method(&def, HARD_CUBE, slow_cases(60000), 4);
    assert_int_equal(s.missed, 0);
    assert_int_equal(s.late, 0);
    assert_true(s.earliest >= -2 * def.tolerance);
    assert_true(s.false_hits <= (s.touching + s.apart) / 20000);
    assert_true(s.miscounted <= (s.touching + s.apart) / 20000);
}

// The parity is exact, whatever the ray.
static void parity_agrees_with_exact_counts(void **state)
{
    (void)state;
    toi_narrow_def def = method_with_roots(TOI_NARROW_PARITY);
    score s = score_method(&def, HARD_CUBE, slow_cases(60000), 5);
    assert_int_equal(s.wrong_parity, 0);
    assert_int_equal(s.false_hits, 0);
    assert_true(s.missed > 0); // even numbers are what it cannot see
}

// It never misses, and reports about 16 % more than touch; 19 % in the paper's Table 1.
static void safe_misses_nothing(void **state)
{
    (void)state;
    toi_narrow_def def = method_with_roots(TOI_NARROW_SAFE);
    score s = {0};
    toi_random random = {6};
    for (int64_t i = 0; i < slow_cases(60000); ++i) {
        toi_query query = make_hard_query(HARD_CUBE, TOI_VERTEX_FACE, &random);
        add_to_score(&def, TOI_VERTEX_FACE, &query, &s);
    }
    double share = (double)s.false_hits / (double)s.touching;
    print_message("  safe: %lld touch, %lld missed, %.1f %% more reported\n", (long long)s.touching,
                  (long long)s.missed, 100 * share);
    assert_int_equal(s.missed, 0);
    assert_true(share > 0.10 && share < 0.25);
    for (hard_family family = 0; family < HARD_FAMILIES; ++family)
        assert_int_equal(score_method(&def, family, slow_cases(6000), 7).missed, 0);
}

// In general position doubles are good enough for it; where positions are special they are not,
// which is why the other methods exist.
static void cubic_is_right_in_general_position(void **state)
{
    (void)state;
    toi_narrow_def def = method_with_roots(TOI_NARROW_CUBIC);
    score s = score_method(&def, HARD_CUBE, slow_cases(60000), 8);
    assert_true(s.missed <= s.touching / 1000 && s.false_hits <= s.touching / 1000);
    assert_true(s.latest < 1e-12);
    s = score_method(&def, HARD_NEAR, slow_cases(6000), 9);
    assert_true(s.missed > 0);
}

// Near degeneracy `fast` is left with rounding, which its paper leaves out: it may still miss one
// in a few thousand. `parity` has no doubts, but calls the origin in the hull of a flat patch
// touching.
static void degenerate_queries_are_nearly_all_right(void **state)
{
    (void)state;
    static const hard_family families[] = {HARD_SMALL, HARD_NEAR};
    for (int i = 0; i < 2; ++i) {
        toi_narrow_def def = method_with_roots(TOI_NARROW_FAST);
        score s = score_method(&def, families[i], slow_cases(10000), 5);
        assert_true(s.missed <= 1 + s.touching / 1000);
        assert_true(families[i] == HARD_NEAR || s.false_hits <= 1 + s.touching / 1000);
        def = method_with_roots(TOI_NARROW_PARITY);
        s = score_method(&def, families[i], slow_cases(10000), 5);
        assert_true(s.false_hits <= 5 + s.touching / 50);
    }
}

// ---- Known contacts and hand cases

// `safe` misses no contact that is known by construction, of any size; `fast` hardly any.
static void known_contacts_are_found(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {12};
    int64_t count = 0, missed = 0;
    for (int64_t batch = 0; batch < slow_cases(100); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        if (batch % 4)
            make_trial(&recipe, &t, &random);
        else
            make_wild_trial(&t, &random);
        for (int i = 0; i < t.count; ++i) {
            toi_narrow_def def = method_with_roots(TOI_NARROW_SAFE);
            assert_int_equal(solve(&def, t.kind, &t.contacts[i].query).state, TOI_HIT);
            def = method_with_roots(TOI_NARROW_FAST);
            missed += solve(&def, t.kind, &t.contacts[i].query).state != TOI_HIT;
            ++count;
        }
    }
    print_message("  fast: %lld of %lld known contacts missed\n", (long long)missed,
                  (long long)count);
    assert_true(missed <= count / 2000);
}

typedef struct special_case
{
    const char *reason;
    toi_kind kind;
    toi_query query;
    bool hits[BASELINES]; // in the order of `baselines`
    double time;          // of contact
} special_case;

static const special_case special_cases[] = {
    {"a flat motion whose point enters through a side",
     TOI_VERTEX_FACE,
     {{{-1, 0.25, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
      {{1, 0.25, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}}},
     {true, true, true, false},
     0.5},
    {"a flat motion in a plane that turns",
     TOI_VERTEX_FACE,
     {{{0.5, -2, 0}, {0, -1, 0}, {0, 1, 0}, {1, 0, 0}},
      {{0.5, 2, 0.5}, {0, -1, 0}, {0, 1, 0}, {1, 0, 1}}},
     {true, true, true, false},
     0.375},
    {"flat edges, the end of one meets the other",
     TOI_EDGE_EDGE,
     {{{-2, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 1, 0}},
      {{0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}},
     {true, true, true, false},
     0.5},
    {"a point on the line of a collapsed face meets its end",
     TOI_VERTEX_FACE,
     {{{-2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}},
     {true, true, true, false},
     0.5},
    {"a point on the line of a collapsed face, beyond its end",
     TOI_VERTEX_FACE,
     {{{-2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}},
     {false, false, false, false},
     0},
    {"edges on one line that meet end to end",
     TOI_EDGE_EDGE,
     {{{-2, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
     {true, true, true, false},
     0.5},
    {"edges on one line that stay apart",
     TOI_EDGE_EDGE,
     {{{-3, 0, 0}, {-2, 0, 0}, {0, 0, 0}, {1, 0, 0}},
      {{-2, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
     {false, false, false, false},
     0},
    {"parallel edges of the same length: every triangle of figure 5 has the same area",
     TOI_EDGE_EDGE,
     {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}},
     {false, false, false, false},
     0},
    {"at rest, inside the face",
     TOI_VERTEX_FACE,
     {{{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
     {true, true, true, false},
     0},
    {"at rest, beside the face",
     TOI_VERTEX_FACE,
     {{{0.75, 0.75, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      {{0.75, 0.75, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
     {false, false, false, false},
     0},
    {"at rest, all in one point",
     TOI_EDGE_EDGE,
     {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}},
     {true, true, true, false},
     0},
    {"through the face",
     TOI_VERTEX_FACE,
     {{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
     {true, true, true, true},
     0.5},
    {"a double root of D at a third: the edges touch and part again on the same side",
     TOI_EDGE_EDGE,
     {{{-1, 0, 2}, {2, 0, -1}, {-1, -1, 1}, {2, 0, 0}},
      {{-1, 0, 1}, {-1, 0, 1}, {0, 0, 2}, {-2, 2, 0}}},
     {true, true, false, true},
     1.0 / 3},
};

static void special_positions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof special_cases / sizeof *special_cases; ++i) {
        const special_case *c = &special_cases[i];
        twin_answer truth = twin_decide(c->kind, &c->query);
        assert_int_equal(truth.touches, c->hits[0]); // `fast` is right on all of them
        for (int m = 0; m < BASELINES; ++m) {
            toi_narrow_def def = method_with_roots(baselines[m]);
            toi_query_result r = solve(&def, c->kind, &c->query);
            if ((r.state == TOI_HIT) != c->hits[m])
                fail_msg("%s, %s: got %s", toi_narrow_name(baselines[m]), c->reason,
                         toi_state_name(r.state));
            if (baselines[m] == TOI_NARROW_FAST && c->hits[m])
                assert_true(r.time <= c->time && r.time >= c->time - 1e-6); // of a double root
        }
    }
}

// What a person can derive, `fast` and `safe` must find.
static void hand_cases_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < hand_case_count; ++i)
        for (int m = 0; m < 2; ++m) {
            toi_narrow_def def = method_with_roots(baselines[m]);
            toi_query_result r = solve(&def, hand_cases[i].kind, &hand_cases[i].query);
            if (hand_cases[i].contacts > 0 && r.state != TOI_HIT)
                fail_msg("%s misses: %s", toi_narrow_name(baselines[m]), hand_cases[i].reason);
        }
}

// Points and edges alone are faces that have collapsed: flat motion, always.
static void lower_kinds_are_found(void **state)
{
    (void)state;
    static const toi_kind kinds[] = {TOI_POINT_EDGE, TOI_POINT_POINT};
    toi_random random = {17};
    for (int m = 0; m < 2; ++m) {
        toi_narrow_def def = method_with_roots(baselines[m]);
        score s = {0};
        for (int64_t i = 0; i < slow_cases(6000); ++i) {
            toi_query query = make_hard_query(HARD_SMALL, kinds[i % 2], &random);
            if (i % 4 < 2)
                memcpy(query.start[0], query.start[1], sizeof query.start[0]);
            add_to_score(&def, kinds[i % 2], &query, &s);
        }
        assert_int_equal(s.missed, 0);
        assert_true(s.touching > 0 && s.apart > 0 && s.false_hits <= s.apart / 100);
    }
}

// The published queries with exact answers: `fast`, `safe` and `parity` miss none of the hits.
static void published_queries(void **state)
{
    (void)state;
    static const char *const sets[] = {"unit-tests", "erleben-sliding-spike", "erleben-wedges",
                                       "erleben-spike-crack"};
    for (int n = 0; n < 4 * TOI_PAIR_KINDS; ++n) {
        toi_kind kind = (toi_kind)(n % TOI_PAIR_KINDS);
        char path[100];
        snprintf(path, sizeof path, "queries/%s/%s.csv", sets[n / TOI_PAIR_KINDS],
                 toi_kind_name(kind));
        const char *found = find_data(path);
        if (!found)
            skip();
        toi_query_file file = {0};
        assert_ok(toi_read_queries(found, &file));
        for (int m = 0; m < 3; ++m) {
            toi_narrow_def def = method_with_roots(baselines[m]);
            for (int64_t i = 0; i < file.count; ++i)
                if (solve(&def, kind, &file.queries[i]).state != TOI_HIT && file.hits[i])
                    fail_msg("%s misses query %lld of %s", toi_narrow_name(baselines[m]),
                             (long long)i, path);
        }
        toi_free_query_file(&file);
    }
}

// ---- Options

// Contacts after t_max are not reported, those before it keep their bits.
static void t_max_is_obeyed(void **state)
{
    (void)state;
    toi_random random = {13};
    int64_t dropped = 0, kept = 0;
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = make_hard_query(HARD_CUBE, kind, &random);
        for (int m = 0; m < BASELINES; ++m) {
            toi_narrow_def def = method_with_roots(baselines[m]);
            toi_query_result whole = solve(&def, kind, &query);
            def.t_max = toi_random_unit(&random);
            toi_query_result part = solve(&def, kind, &query);
            bool late = whole.time > def.t_max;
            assert_int_equal(part.state, late ? TOI_SEPARATED : whole.state);
            if (!late)
                assert_memory_equal(&part, &whole, sizeof part);
            dropped += late && whole.state == TOI_HIT;
            kept += !late;
        }
    }
    assert_true(dropped > 0 && kept > 0);
}

// Without all_roots the answer is the same and nothing is counted.
static void counting_changes_nothing_else(void **state)
{
    (void)state;
    toi_random random = {14};
    int64_t hits = 0;
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = make_hard_query((hard_family)(i / 2 % HARD_FAMILIES), kind, &random);
        for (int m = 0; m < BASELINES; ++m) {
            toi_narrow_def def = method_with_roots(baselines[m]);
            toi_query_result counted = solve(&def, kind, &query);
            def.all_roots = false;
            toi_query_result r = solve(&def, kind, &query);
            assert_int_equal(r.contacts, 0);
            assert_int_equal(counted.contacts > 0, counted.state == TOI_HIT);
            counted.contacts = 0;
            assert_memory_equal(&r, &counted, sizeof r);
            hits += r.state == TOI_HIT;
        }
    }
    assert_true(hits > 0);
}

static void anything_gives_a_lawful_result(void **state)
{
    (void)state;
    for (int m = 0; m < BASELINES; ++m)
        try_anything(baselines[m], slow_cases(10000), 15);
}

static void other_queries_do_not_matter(void **state)
{
    (void)state;
    for (int m = 0; m < BASELINES; ++m)
        try_any_batch(baselines[m], 0, slow_cases(4), 16);
}

static void enough_were_checked_on_the_face(void **state)
{
    (void)state;
    close_trials(1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_root_has_a_time),
        cmocka_unit_test(areas_change_by_no_more_than_the_lemma),
        cmocka_unit_test(counts_are_those_of_table_1),
        cmocka_unit_test(fast_is_right_on_random_queries),
        cmocka_unit_test(parity_agrees_with_exact_counts),
        cmocka_unit_test(safe_misses_nothing),
        cmocka_unit_test(cubic_is_right_in_general_position),
        cmocka_unit_test(degenerate_queries_are_nearly_all_right),
        cmocka_unit_test(known_contacts_are_found),
        cmocka_unit_test(special_positions),
        cmocka_unit_test(hand_cases_are_found),
        cmocka_unit_test(lower_kinds_are_found),
        cmocka_unit_test(published_queries),
        cmocka_unit_test(t_max_is_obeyed),
        cmocka_unit_test(counting_changes_nothing_else),
        cmocka_unit_test(anything_gives_a_lawful_result),
        cmocka_unit_test(other_queries_do_not_matter),
        cmocka_unit_test(enough_were_checked_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
