// `inclusion` against queries that are known to touch: it may miss none, and may not be late.
//
// Contacts come from exact/adversary.c, true over the reals by construction. `make test-long` takes
// ten times as many. test_inclusion_options.c has the options and random queries.

#include "exact/adversary.h"
#include "exact/exact_ccd.h"
#include "exact/method_trials.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- The generators tell the truth

static void made_contacts_touch_exactly(void **state)
{
    (void)state;
    toi_random random = {1};
    int inexact = 0, not_apart = 0;
    for (int64_t i = 0; i < cases(24000); ++i) {
        contact c;
        contact_recipe recipe = random_recipe(&random);
        if (i % 4 == 3) {
            int spread = (int)toi_random_below(&random, 100);
            c = make_wild_contact(recipe.kind, 0, spread, &random);
        } else if (i % 4 == 1) {
            c = make_dense_contact(&recipe, &random);
        } else {
            recipe.gap = i % 4 == 2 ? (int64_t)toi_random_below(&random, 1 << 20) : 0;
            recipe.latest = i % 8 ? 1 : toi_random_unit(&random);
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
    try_contacts(TOI_NARROW_INCLUSION, cases(1000), 2);
}

static void no_wild_contact_is_missed(void **state)
{
    (void)state;
    try_wild_contacts(TOI_NARROW_INCLUSION, cases(200), 3);
}

static void default_budget_is_enough_for_anything(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {4};
    for (int64_t batch = 0; batch < cases(20); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = toi_default_narrow_def();
        def.method = TOI_NARROW_INCLUSION;
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
    }
}

// When the budget runs out, the time is still a lower bound and the state says so.
static void spent_budget_leaves_a_lower_bound(void **state)
{
    (void)state;
    try_spent_budgets(TOI_NARROW_INCLUSION, cases(300), 5);
}

// Points that stay a known distance apart in the maximum norm must be reported for it.
static void separation_is_kept(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {6};
    for (int64_t batch = 0; batch < cases(400); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        recipe.gap =
            (int64_t)toi_random_below(&random, (uint64_t)1 << toi_random_below(&random, 24));
        toi_narrow_def def = random_def(recipe.exponent, &random);
        def.no_zero_time = batch % 5 == 0;
        if (batch % 2)
            def.max_iterations = 1 + (int)toi_random_below(&random, 60);
        make_trial(&recipe, &t, &random);
        def.min_separation = t.contacts[0].separation;
        solve_trial(&def, &t);
    }
}

// Solves a trial below t_max and compares with the results for the whole step.
static void assert_pruned_alike(const toi_narrow_def *def, trial *t, const trial *whole,
                                int64_t *kept, int64_t *dropped)
{
    assert_ok(toi_solve_queries(def, t->kind, t->queries, t->count, t->results));
    for (int i = 0; i < t->count; ++i) {
        const toi_query_result *a = &t->results[i], *b = &whole->results[i];
        bool keep = b->time <= def->t_max;
        bool same = keep ? memcmp(a, b, sizeof *a) == 0 : a->state == TOI_SEPARATED;
        ++*(keep ? kept : dropped);
        if (!same) {
            print_failure(def, t->kind, &t->contacts[i], a);
            fail_msg("without t_max: %s, time %a, u %a, v %a after %d iterations",
                     toi_state_name(b->state), b->time, b->u, b->v, (int)b->iterations);
        }
    }
}

// A contact at or before t_max is reported; and asking for less gives the same bits.
static void t_max_prunes_nothing_it_should_not(void **state)
{
    (void)state;
    static trial t, whole;
    toi_random random = {7};
    int64_t kept = 0, dropped = 0;
    for (int64_t batch = 0; batch < cases(100); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = random_def(recipe.exponent, &random), all;
        def.no_zero_time = batch % 5 == 0;
        recipe.gap = batch % 3 == 0 ? (int64_t)toi_random_below(&random, 1 << 16) : 0;
        all = def;
        def.t_max = batch % 8 == 0 ? 0 : ldexp((double)toi_random_below(&random, 65), -6);
        if (batch % 16 == 1)
            def.t_max = nextafter(def.t_max, 0);
        recipe.latest = def.t_max;
        make_trial(&recipe, &t, &random);
        def.min_separation = all.min_separation = t.contacts[0].separation;
        solve_trial(&def, &t);
        whole = t;
        solve_trial(&all, &whole);
        assert_pruned_alike(&def, &t, &whole, &kept, &dropped);
        def.t_max *= toi_random_unit(&random); // before some of the known times too
        assert_pruned_alike(&def, &t, &whole, &kept, &dropped);
    }
    assert_true(kept > 100 && dropped > 100);
}

// This program alone checks a million queries; those of test_inclusion_options.c come on top.
static void a_million_were_checked_on_the_face(void **state)
{
    (void)state;
    close_trials(1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_contacts_touch_exactly),
        cmocka_unit_test(oracle_decides_hand_cases),
        cmocka_unit_test(no_contact_is_missed),
        cmocka_unit_test(no_wild_contact_is_missed),
        cmocka_unit_test(default_budget_is_enough_for_anything),
        cmocka_unit_test(spent_budget_leaves_a_lower_bound),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(t_max_prunes_nothing_it_should_not),
        cmocka_unit_test(a_million_were_checked_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
