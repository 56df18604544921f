// `inclusion` against queries that are known to touch: it may miss none, and may not be late.
//
// Contacts come from exact/adversary.c, true over the reals by construction, or from random queries
// decided by exact/exact_ccd.c. `make test-long` takes ten times as many.

#include "support.h"

#include "exact/adversary.h"
#include "exact/exact_ccd.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BATCH = 500
};

// Contacts of one kind and the answers to them.
typedef struct trial
{
    toi_kind kind;
    int count;
    contact contacts[BATCH];
    toi_query queries[BATCH];
    toi_query_result results[BATCH];
} trial;

static int64_t queries_checked;

// ---- Helpers

// Prints a query with its bits: what a report of a bug starts with.
static void print_query(toi_kind kind, const toi_query *query)
{
    const double *x = &query->start[0][0];
    print_error("%s", toi_kind_name(kind));
    for (int i = 0; i < 24; ++i)
        print_error("%s%a", i % 12 == 0 ? (i ? "\n  end   " : "\n  start ") : " ", x[i]);
    print_error("\n");
}

static void print_failure(const toi_narrow_def *def, toi_kind kind, const contact *c,
                          const toi_query_result *r)
{
    print_query(kind, &c->query);
    print_error("  touches at t = %a, u = %a, v = %a; separation %a\n", c->time, c->u, c->v,
                c->separation);
    print_error("  tolerance %a, t_max %a, max_iterations %d, no_zero_time %d\n", def->tolerance,
                def->t_max, (int)def->max_iterations, (int)def->no_zero_time);
    print_error("  got %s, time %a after %d iterations\n", toi_state_name(r->state), r->time,
                (int)r->iterations);
}

// What must hold of any result, whatever the query.
static bool well_formed(const toi_narrow_def *def, toi_kind kind, const toi_query_result *r)
{
    if (r->iterations < 0 || r->iterations > def->max_iterations)
        return false;
    if (r->state == TOI_SEPARATED)
        return r->time == INFINITY;
    double length = hypot(hypot(r->normal[0], r->normal[1]), r->normal[2]);
    bool unit = fabs(length - 1) < 1e-12 || length == 0;
    bool inside = r->u >= 0 && r->u <= 1 && r->v >= 0 && r->v <= 1;
    if (kind == TOI_VERTEX_FACE && getenv("UV"))
        inside &= r->u + r->v <= 1 + 1e-15;
    return unit && inside && r->time >= 0 && r->time <= def->t_max;
}

static bool is_right(const toi_narrow_def *def, toi_kind kind, const contact *c,
                     const toi_query_result *r)
{
    return well_formed(def, kind, r) && r->state != TOI_SEPARATED && r->time <= c->time;
}

// Solves a trial and requires that every contact is found, and not late.
static void solve_trial(const toi_narrow_def *def, trial *t)
{
    for (int i = 0; i < t->count; ++i)
        t->queries[i] = t->contacts[i].query;
    assert_ok(toi_solve_queries(def, t->kind, t->queries, t->count, t->results));
    int wrong = 0;
    for (int i = 0; i < t->count; ++i)
        if (!is_right(def, t->kind, &t->contacts[i], &t->results[i]) && ++wrong <= 3)
            print_failure(def, t->kind, &t->contacts[i], &t->results[i]);
    queries_checked += t->count;
    if (wrong > 0)
        fail_msg("%d of %d queries are missed, late or malformed", wrong, t->count);
}

static void make_trial(const contact_recipe *recipe, trial *t, toi_random *random)
{
    t->kind = recipe->kind;
    t->count = BATCH;
    for (int i = 0; i < BATCH; ++i)
        t->contacts[i] = make_contact(recipe, random);
}

static void make_wild_trial(trial *t, toi_random *random)
{
    static const int exponents[] = {0, -30, 30, -900, 1000, 1022, 1024, -1020, -1060};
    static const int spreads[] = {0, 3, 40, 60, 400, 1000, 2000};
    t->kind = (toi_kind)toi_random_below(random, TOI_KIND_COUNT);
    t->count = BATCH;
    int exponent = exponents[toi_random_below(random, 9)];
    int spread = spreads[toi_random_below(random, 7)];
    for (int i = 0; i < BATCH; ++i)
        t->contacts[i] = make_wild_contact(t->kind, exponent, spread, random);
}

// One worker, a moderate budget, a tolerance that may or may not suit the size of the queries.
static toi_narrow_def random_def(int exponent, toi_random *random)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.workers = 1;
    def.max_iterations = 2000;
    switch (toi_random_below(random, 4)) {
    case 0:
        def.tolerance = ldexp(1e-6, exponent + 20 < 1000 ? exponent + 20 : 1000);
        break;
    case 1:
        def.tolerance = ldexp(1e-12, exponent + 20 < 1000 ? exponent + 20 : 1000);
        break;
    case 2:
        def.tolerance = ldexp(1, (int)toi_random_below(random, 60) - 55);
        break;
    default:
        break;
    }
    if (!(def.tolerance > 0))
        def.tolerance = DBL_TRUE_MIN;
    return def;
}

// ---- The generators tell the truth

static void made_contacts_touch_exactly(void **state)
{
    (void)state;
    toi_random random = {1};
    int inexact = 0, not_apart = 0;
    for (int i = 0; i < 24000; ++i) {
        contact c;
        contact_recipe recipe = random_recipe(&random);
        if (i % 4 == 3) {
            int spread = (int)toi_random_below(&random, 100);
            c = make_wild_contact(recipe.kind, 0, spread, &random);
        } else {
            recipe.gap = i % 4 == 2 ? (int64_t)toi_random_below(&random, 1 << 20) : 0;
            recipe.latest = i % 2 ? 1 : toi_random_unit(&random);
            c = make_contact(&recipe, &random);
            assert_true(c.time <= recipe.latest);
        }
        inexact += !exact_is_contact(recipe.kind, &c.query, c.time, c.u, c.v, c.separation);
        if (c.separation == 0)
            inexact += !exact_touch_at(recipe.kind, &c.query, c.time);
        else
            not_apart += exact_is_contact(recipe.kind, &c.query, c.time, c.u, c.v,
                                          nextafter(c.separation, 0));
    }
    assert_int_equal(inexact, 0);
    assert_int_equal(not_apart, 0);
}

// The oracle itself, on cases that a person can check.
static void oracle_decides_hand_cases(void **state)
{
    (void)state;
    // A vertex falls from z = 1 to z = -1 through the triangle (0,0) (1,0) (0,1) of z = 0.
    toi_query q = {{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                   {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    exact_root root;
    exact_root_init(&root);
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_TOUCH);
    assert_false(exact_root_is_before(&root, 0.5));
    assert_true(exact_root_is_before(&root, nextafter(0.5, 1)));
    assert_true(exact_touch_at(TOI_VERTEX_FACE, &q, 0.5));
    assert_false(exact_touch_at(TOI_VERTEX_FACE, &q, nextafter(0.5, 1)));
    // On the far side, exactly; and one step beyond it.
    q.start[0][0] = q.end[0][0] = 0.75;
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_TOUCH);
    q.start[0][0] = q.end[0][0] = nextafter(0.75, 1);
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_APART);
    // It falls to z = 0 and no further, or not so far.
    q.start[0][0] = q.end[0][0] = 0.25;
    q.end[0][2] = 0;
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_TOUCH);
    assert_false(exact_root_is_before(&root, 1));
    q.end[0][2] = DBL_TRUE_MIN;
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_APART);
    // In the plane all the time.
    q.start[0][2] = q.end[0][2] = 0;
    assert_int_equal(exact_first_contact(TOI_VERTEX_FACE, &q, &root), EXACT_DEGENERATE);
    // Crossed edges, one falling: they meet at t = 1/3.
    toi_query e = {{{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
                   {{-1, 0, -2}, {1, 0, -2}, {0, -1, 0}, {0, 1, 0}}};
    assert_int_equal(exact_first_contact(TOI_EDGE_EDGE, &e, &root), EXACT_TOUCH);
    assert_false(exact_root_is_before(&root, 1.0 / 3));
    assert_true(exact_root_is_before(&root, nextafter(1.0 / 3, 1)));
    exact_root_clear(&root);
}

// ---- Contacts by construction

static void no_contact_is_missed(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {2};
    int64_t undecided = 0, iterations = 0, first = queries_checked;
    for (int64_t batch = 0; batch < 1900 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
        for (int i = 0; i < t.count; ++i) {
            undecided += t.results[i].state == TOI_UNDECIDED;
            iterations += t.results[i].iterations;
        }
    }
    int64_t count = queries_checked - first;
    print_message("  %lld contacts: %lld undecided, %.1f iterations each\n", (long long)count,
                  (long long)undecided, (double)iterations / (double)count);
}

static void no_wild_contact_is_missed(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {3};
    for (int64_t batch = 0; batch < 400 * long_factor(); ++batch) {
        make_wild_trial(&t, &random);
        toi_narrow_def def = random_def(-20, &random);
        solve_trial(&def, &t);
    }
}

static void default_budget_is_enough_for_anything(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {4};
    for (int64_t batch = 0; batch < 20 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = toi_default_narrow_def();
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
    }
}

// When the budget runs out, the time is still a lower bound and the state says so.
static void spent_budget_leaves_a_lower_bound(void **state)
{
    (void)state;
    static const int budgets[] = {1, 2, 3, 10, 30};
    static trial t;
    toi_random random = {5};
    int64_t undecided = 0;
    for (int64_t batch = 0; batch < 300 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.max_iterations = budgets[batch % 5];
        def.no_zero_time = batch % 7 == 0;
        if (batch % 4 == 0)
            make_wild_trial(&t, &random);
        else
            make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
        for (int i = 0; i < t.count; ++i)
            undecided += t.results[i].state == TOI_UNDECIDED;
    }
    assert_true(undecided > 0);
}

// Points that stay a known distance apart in the maximum norm must be reported for it.
static void separation_is_kept(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {6};
    for (int64_t batch = 0; batch < 500 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        recipe.gap =
            (int64_t)toi_random_below(&random, (uint64_t)1 << toi_random_below(&random, 24));
        toi_narrow_def def = random_def(recipe.exponent, &random);
        make_trial(&recipe, &t, &random);
        def.min_separation = t.contacts[0].separation;
        solve_trial(&def, &t);
    }
}

// A contact at or before t_max is reported; and asking for less gives the same bits.
static void t_max_prunes_nothing_it_should_not(void **state)
{
    (void)state;
    static trial t, whole;
    toi_random random = {7};
    int64_t kept = 0, dropped = 0;
    for (int64_t batch = 0; batch < 200 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random), all = def;
        def.t_max = batch % 8 == 0 ? 0 : ldexp((double)toi_random_below(&random, 65), -6);
        def.no_zero_time = all.no_zero_time = batch % 5 == 0;
        if (batch % 16 == 1)
            def.t_max = nextafter(def.t_max, 0);
        recipe.latest = def.t_max;
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
        whole = t;
        solve_trial(&all, &whole);
        assert_memory_equal(t.results, whole.results, sizeof t.results);
        // The same queries below any time, the known ones included.
        def.t_max *= toi_random_unit(&random);
        assert_ok(toi_solve_queries(&def, t.kind, t.queries, t.count, t.results));
        for (int i = 0; i < t.count; ++i)
            if (whole.results[i].time <= def.t_max) {
                assert_memory_equal(&t.results[i], &whole.results[i], sizeof t.results[i]);
                ++kept;
            } else {
                assert_int_equal(t.results[i].state, TOI_SEPARATED);
                ++dropped;
            }
    }
    assert_true(kept > 1000 && dropped > 1000);
}

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
    for (int64_t batch = 0; batch < 60 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.no_zero_time = batch % 3 == 0;
        if (batch % 4 == 0)
            make_wild_trial(&t, &random);
        else
            make_trial(&recipe, &t, &random);
        for (int i = 0; i < t.count; i += 2) // half of them nearly touch, or do
            nudge_query(&t.contacts[i].query, 1 << (i % 20), &random);
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
        nudge_query(&c.query, 1 << (i % 20), &random);
        queries[i] = c.query;
    }
    toi_narrow_def def = toi_default_narrow_def();
    def.max_iterations = 2000;
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
    for (int64_t batch = 0; batch < 100 * long_factor(); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.no_zero_time = true;
        recipe.latest = 0;
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t); // time <= 0
    }
}

// The gap at t = 0 is small but more than rounding: 2^-40 of the size. The contact comes within the
// step, after as little as 2^-30 of it.
static void small_gap_gives_positive_time(void **state)
{
    (void)state;
    toi_random random = {11};
    int zero = 0, count = (int)(20000 * long_factor());
    for (int i = 0; i < count; ++i) {
        toi_kind kind = (toi_kind)(i % 2);
        double size = ldexp(1, (int)toi_random_below(&random, 61) - 30);
        double gap = size * ldexp(1, -(int)toi_random_below(&random, 41));
        double depth = gap * ldexp(1, (int)toi_random_below(&random, 31));
        toi_query q = {{{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0}}};
        if (kind == TOI_EDGE_EDGE) {
            // Crossed, then more and more parallel.
            double angle = ldexp(1, -(int)toi_random_below(&random, 30));
            toi_query e = {{{-1, -angle, 0}, {1, angle, 0}, {-1, angle, 0}, {1, -angle, 0}}, {{0}}};
            q = e;
        }
        int mover = kind == TOI_EDGE_EDGE ? 2 : 1;
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) {
                q.start[c][k] *= size;
                q.end[c][k] = q.start[c][k];
                if (c < mover && k == 2) {
                    q.start[c][k] = gap;
                    q.end[c][k] = gap - depth;
                }
            }
        toi_narrow_def def = toi_default_narrow_def();
        def.no_zero_time = true;
        def.tolerance = size * 1e-6;
        def.workers = 1;
        toi_query_result r;
        assert_ok(toi_solve_queries(&def, kind, &q, 1, &r));
        assert_true(well_formed(&def, kind, &r));
        assert_int_not_equal(r.state, TOI_SEPARATED);
        assert_true(r.time <= gap / depth);
        if (!(r.time > 0) && ++zero <= 3) {
            print_query(kind, &q);
            print_error("  gap %g, contact at %g, %d iterations\n", gap / size, gap / depth,
                        (int)r.iterations);
        }
        ++queries_checked;
    }
    assert_int_equal(zero, 0);
}

// ---- Random queries, decided exactly

typedef struct tally
{
    int64_t touching, apart, degenerate, false_hits, missed, late;
    double slack; // the most that a time was early, where the budget sufficed
} tally;

static void check_exactly(const toi_narrow_def *def, toi_kind kind, const toi_query *query,
                          exact_root *root, tally *sum)
{
    toi_query_result r;
    assert_ok(toi_solve_queries(def, kind, query, 1, &r));
    assert_true(well_formed(def, kind, &r));
    ++queries_checked;
    exact_answer answer = exact_first_contact(kind, query, root);
    bool late = false;
    if (answer == EXACT_DEGENERATE) {
        ++sum->degenerate;
    } else if (answer == EXACT_APART) {
        ++sum->apart;
        sum->false_hits += r.state != TOI_SEPARATED;
    } else {
        ++sum->touching;
        late = r.state != TOI_SEPARATED && exact_root_is_before(root, r.time);
        sum->missed += r.state == TOI_SEPARATED;
        sum->late += late;
        for (double early = 1; early > sum->slack && r.state == TOI_HIT; early /= 2)
            if (!exact_root_is_before(root, r.time + early))
                sum->slack = early;
    }
    if (answer == EXACT_TOUCH && (late || r.state == TOI_SEPARATED)) {
        print_query(kind, query);
        print_error("  got %s, time %a\n", toi_state_name(r.state), r.time);
    }
}

static void print_tally(const char *name, const tally *sum)
{
    print_message("  %s: %lld touch, %lld do not (%lld reported), %lld degenerate; times at most "
                  "%g early\n",
                  name, (long long)sum->touching, (long long)sum->apart, (long long)sum->false_hits,
                  (long long)sum->degenerate, 2 * sum->slack);
    assert_int_equal(sum->missed, 0);
    assert_int_equal(sum->late, 0);
    assert_true(sum->touching > 100);
}

// Uniform coordinates, as a mesh's would be: nothing is missed, and nothing else reported.
static void random_queries_agree_with_exact(void **state)
{
    (void)state;
    toi_random random = {12};
    toi_narrow_def def = toi_default_narrow_def();
    def.workers = 1;
    tally sum = {0};
    exact_root root;
    exact_root_init(&root);
    for (int64_t i = 0; i < 20000 * long_factor(); ++i) {
        toi_query q;
        double offset = i % 3 == 0 ? ldexp(1, (int)toi_random_below(&random, 20)) : 0;
        for (int n = 0; n < 24; ++n)
            (&q.start[0][0])[n] = offset + toi_random_unit(&random);
        check_exactly(&def, (toi_kind)(i % 2), &q, &root, &sum);
    }
    exact_root_clear(&root);
    print_tally("random", &sum);
    assert_true(sum.false_hits <= sum.apart / 1000);
}

// A few units in the last place off a contact: touching or not, nobody can see.
static void nudged_contacts_agree_with_exact(void **state)
{
    (void)state;
    toi_random random = {13};
    tally sum = {0};
    exact_root root;
    exact_root_init(&root);
    for (int64_t i = 0; i < 30000 * long_factor(); ++i) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random);
        contact c;
        if (i % 2)
            c = make_wild_contact(recipe.kind, 0, (int)toi_random_below(&random, 60), &random);
        else
            c = make_contact(&recipe, &random);
        nudge_query(&c.query, 1 << toi_random_below(&random, 6), &random);
        check_exactly(&def, recipe.kind, &c.query, &root, &sum);
    }
    exact_root_clear(&root);
    print_tally("nudged", &sum);
}

static void a_million_were_checked(void **state)
{
    (void)state;
    print_message("  %lld queries checked\n", (long long)queries_checked);
    assert_true(queries_checked >= 1000000);
}

int main(void)
{
    use_threads_for_sanitizer();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_contacts_touch_exactly),
        cmocka_unit_test(oracle_decides_hand_cases),
        cmocka_unit_test(no_contact_is_missed),
        cmocka_unit_test(no_wild_contact_is_missed),
        cmocka_unit_test(default_budget_is_enough_for_anything),
        cmocka_unit_test(spent_budget_leaves_a_lower_bound),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(t_max_prunes_nothing_it_should_not),
        cmocka_unit_test(answers_are_the_same_bits),
        cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(contact_at_zero_is_zero),
        cmocka_unit_test(small_gap_gives_positive_time),
        cmocka_unit_test(random_queries_agree_with_exact),
        cmocka_unit_test(nudged_contacts_agree_with_exact),
        cmocka_unit_test(a_million_were_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
