// Trials that every conservative narrow phase must pass.

#include "exact/method_trials.h"

#include "exact/exact_ccd.h"

#include <float.h>
#include <math.h>
#include <string.h>

toi_narrow_def method_def(toi_narrow_method method, int exponent, toi_random *random)
{
    toi_narrow_def def = random_def(exponent, random);
    def.method = method;
    return toi_fit_narrow_def(&def);
}

void try_contacts(toi_narrow_method method, int64_t batches, uint64_t seed)
{
    static trial t;
    toi_random random = {seed};
    int64_t undecided = 0, iterations = 0, first = queries_checked;
    for (int64_t batch = 0; batch < batches; ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(method, recipe.exponent, &random);
        def.no_zero_time = batch % 8 == 0;
        def = toi_fit_narrow_def(&def);
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

void try_wild_contacts(toi_narrow_method method, int64_t batches, uint64_t seed)
{
    static trial t;
    toi_random random = {seed};
    for (int64_t batch = 0; batch < batches; ++batch) {
        make_wild_trial(&t, &random);
        toi_narrow_def def = method_def(method, -20, &random);
        solve_trial(&def, &t);
    }
}

void try_spent_budgets(toi_narrow_method method, int64_t batches, uint64_t seed)
{
    static const int budgets[] = {1, 2, 3, 10, 30};
    static trial t;
    toi_random random = {seed};
    int64_t undecided = 0;
    for (int64_t batch = 0; batch < batches; ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(method, recipe.exponent, &random);
        def.max_iterations = budgets[batch % 5];
        def.no_zero_time = batch % 7 == 0;
        def = toi_fit_narrow_def(&def);
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

// Solves a trial with less time and compares with the results for the whole step.
static void assert_pruned_alike(const toi_narrow_def *def, const trial *whole, int64_t *kept,
                                int64_t *dropped)
{
    static toi_query_result results[BATCH];
    assert_ok(toi_solve_queries(def, whole->kind, whole->queries, whole->count, results));
    for (int i = 0; i < whole->count; ++i) {
        const toi_query_result *a = &results[i], *b = &whole->results[i];
        bool keep = b->time <= def->t_max;
        ++*(keep ? kept : dropped);
        if (keep ? memcmp(a, b, sizeof *a) != 0 : a->state != TOI_SEPARATED) {
            print_failure(def, whole->kind, &whole->contacts[i], a);
            fail_msg("without t_max: %s, time %a after %d iterations", toi_state_name(b->state),
                     b->time, (int)b->iterations);
        }
    }
}

void try_t_max(toi_narrow_method method, int64_t batches, uint64_t seed)
{
    static trial t;
    toi_random random = {seed};
    int64_t kept = 0, dropped = 0;
    for (int64_t batch = 0; batch < batches; ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(method, recipe.exponent, &random);
        def.no_zero_time = batch % 5 == 0;
        def = toi_fit_narrow_def(&def);
        make_trial(&recipe, &t, &random);
        solve_trial(&def, &t);
        for (int n = 0; n < 3; ++n) {
            // Also just at a time that was found, and just before it.
            double time = t.results[toi_random_below(&random, BATCH)].time;
            def.t_max = n == 0 ? time : n == 1 ? nextafter(time, 0) : toi_random_unit(&random);
            assert_pruned_alike(&def, &t, &kept, &dropped);
        }
    }
    assert_true(kept > 100 && dropped > 100);
}

static void assert_same_results(const toi_narrow_def *def, const trial *t, int first, int count,
                                const char *what)
{
    static toi_query_result other[BATCH];
    assert_ok(toi_solve_queries(def, t->kind, t->queries + first, count, other));
    for (int i = 0; i < count; ++i)
        if (memcmp(&other[i], &t->results[first + i], sizeof other[i]) != 0) {
            print_failure(def, t->kind, &t->contacts[first + i], &t->results[first + i]);
            fail_msg("%s: %s, time %a after %d iterations", what, toi_state_name(other[i].state),
                     other[i].time, (int)other[i].iterations);
        }
}

// The same queries the other way round.
static void reverse(trial *t)
{
    for (int i = 0; i < t->count / 2; ++i) {
        int j = t->count - 1 - i;
        contact made = t->contacts[i];
        t->contacts[i] = t->contacts[j];
        t->contacts[j] = made;
        toi_query query = t->queries[i];
        t->queries[i] = t->queries[j];
        t->queries[j] = query;
        toi_query_result result = t->results[i];
        t->results[i] = t->results[j];
        t->results[j] = result;
    }
}

void try_any_batch(toi_narrow_method method, double separation, int64_t batches, uint64_t seed)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    static trial t;
    toi_random random = {seed};
    for (int64_t batch = 0; batch < batches; ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(method, recipe.exponent, &random);
        def.no_zero_time = batch % 3 == 0;
        def.min_separation = ldexp(separation, recipe.exponent + 20);
        def = toi_fit_narrow_def(&def);
        make_trial(&recipe, &t, &random);
        for (int i = 0; i < t.count; i += 2) // half of them nearly touch, or do
            nudge_query(&t.contacts[i].query, (int64_t)1 << (i % 40), &random);
        for (int i = 0; i < t.count; ++i)
            t.queries[i] = t.contacts[i].query;
        assert_ok(toi_solve_queries(&def, t.kind, t.queries, t.count, t.results));
        for (int level = 0; level < 3; ++level)
            if (toi_set_simd(levels[level]) == TOI_OK)
                assert_same_results(&def, &t, 0, t.count, levels[level]);
        assert_ok(toi_set_simd(NULL));
        for (int i = 0; i < t.count; i += 7)
            assert_same_results(&def, &t, i, 1, "alone");
        for (int first = 3; first + 61 <= t.count; first += 97)
            assert_same_results(&def, &t, first, 61, "in a part");
        reverse(&t);
        assert_same_results(&def, &t, 0, t.count, "backwards");
    }
}

static void check_exactly(const toi_narrow_def *def, toi_kind kind, const toi_query *query,
                          exact_root *root, tally *sum)
{
    toi_query_result r;
    assert_ok(toi_solve_queries(def, kind, query, 1, &r));
    assert_true(well_formed(def, &r));
    ++queries_checked;
    check_place(kind, query, &r);
    exact_answer answer = exact_first_contact(kind, query, root);
    if (answer == EXACT_APART) {
        ++sum->apart;
        sum->false_hits += r.state != TOI_SEPARATED;
    }
    if (answer != EXACT_TOUCH)
        return;
    ++sum->touching;
    if (r.state == TOI_SEPARATED || exact_root_is_before(root, r.time)) {
        print_query(kind, query);
        fail_msg("missed or late: %s, time %a", toi_state_name(r.state), r.time);
    }
    for (double early = 1; early > sum->slack && r.state == TOI_HIT; early /= 2)
        if (!exact_root_is_before(root, r.time + early))
            sum->slack = 2 * early;
}

static void print_tally(const char *name, const tally *sum)
{
    print_message("  %s: %lld touch, %lld do not (%lld reported); times at most %g early\n", name,
                  (long long)sum->touching, (long long)sum->apart, (long long)sum->false_hits,
                  sum->slack);
    assert_true(sum->touching > 50);
}

tally try_uniform_exactly(toi_narrow_method method, int64_t queries, uint64_t seed)
{
    toi_random random = {seed};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.workers = 1;
    tally sum = {0};
    exact_root root;
    exact_root_init(&root);
    for (int64_t i = 0; i < queries; ++i) {
        toi_query q;
        double offset = i % 3 == 0 ? ldexp(1, (int)toi_random_below(&random, 20)) : 0;
        for (int n = 0; n < 24; ++n)
            (&q.start[0][0])[n] = offset + toi_random_unit(&random);
        check_exactly(&def, (toi_kind)(i % 2), &q, &root, &sum);
    }
    exact_root_clear(&root);
    print_tally("uniform", &sum);
    return sum;
}

tally try_nudged_exactly(toi_narrow_method method, int64_t queries, uint64_t seed)
{
    toi_random random = {seed};
    tally sum = {0};
    exact_root root;
    exact_root_init(&root);
    for (int64_t i = 0; i < queries; ++i) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(method, recipe.exponent, &random);
        contact c;
        if (i % 2)
            c = make_wild_contact(recipe.kind, 0, (int)toi_random_below(&random, 60), &random);
        else
            c = make_contact(&recipe, &random);
        nudge_query(&c.query, (int64_t)1 << toi_random_below(&random, 6), &random);
        check_exactly(&def, recipe.kind, &c.query, &root, &sum);
    }
    exact_root_clear(&root);
    print_tally("nudged", &sum);
    return sum;
}

void try_anything(toi_narrow_method method, int64_t queries, uint64_t seed)
{
    static const int exponents[] = {0, -30, 1000, 1024, -1020, -1060};
    const double limits[] = {0, DBL_TRUE_MIN, DBL_MIN, 1e-300, 1e-3, 1, 1e300, DBL_MAX};
    toi_random random = {seed};
    for (int64_t i = 0; i < queries; ++i) {
        toi_narrow_def def = method_def(method, 0, &random);
        def.tolerance = limits[1 + toi_random_below(&random, 7)];
        def.min_separation = limits[toi_random_below(&random, 8)];
        def.t_max = i % 3 ? 1 : toi_random_unit(&random);
        def.no_zero_time = i % 5 == 0;
        def = toi_fit_narrow_def(&def);
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        int exponent = exponents[toi_random_below(&random, 6)];
        contact c = make_wild_contact(kind, exponent, (int)(i % 5 * 500), &random);
        nudge_query(&c.query, 1, &random);
        toi_query_result r;
        assert_ok(toi_solve_queries(&def, kind, &c.query, 1, &r));
        check_place(kind, &c.query, &r);
        ++queries_checked;
        if (!well_formed(&def, &r)) {
            print_failure(&def, kind, &c, &r);
            fail_msg("malformed");
        }
    }
}
