// `inclusion-queue`: as conservative as `inclusion`, and the same answer in any order, with
// any other queries and after any overflow of the queue. `make test-long` takes ten times as many.
//
// Looks inside: the queue is compiled into this file.

#define TOI_ISA inside
#include "narrow/literature/inclusion_queue_isa.c"

#include "exact/method_trials.h"

#include <stdlib.h>
#include <string.h>

static const toi_narrow_method METHOD = TOI_NARROW_INCLUSION_QUEUE;

static void no_contact_is_missed(void **state)
{
    (void)state;
    try_contacts(METHOD, slow_cases(250), 1);
}

static void no_wild_contact_is_missed(void **state)
{
    (void)state;
    try_wild_contacts(METHOD, slow_cases(60), 2);
}

static void spent_budget_leaves_a_lower_bound(void **state)
{
    (void)state;
    try_spent_budgets(METHOD, slow_cases(150), 3);
}

static void t_max_prunes_nothing_it_should_not(void **state)
{
    (void)state;
    try_t_max(METHOD, slow_cases(25), 4);
}

static void other_queries_do_not_matter(void **state)
{
    (void)state;
    try_any_batch(METHOD, 0, slow_cases(8), 5);
    try_any_batch(METHOD, 1e-3, slow_cases(8), 6);
}

static void random_queries_agree_with_exact(void **state)
{
    (void)state;
    tally sum = try_uniform_exactly(METHOD, slow_cases(20000), 7);
    assert_true(sum.false_hits <= sum.apart / 1000);
    assert_true(sum.slack < 1e-6);
    try_nudged_exactly(METHOD, slow_cases(4000), 8);
}

static void anything_gives_a_lawful_result(void **state)
{
    (void)state;
    try_anything(METHOD, slow_cases(10000), 9);
}

// Points that stay a known distance apart in the maximum norm must be reported for it.
static void separation_is_kept(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {10};
    for (int64_t batch = 0; batch < slow_cases(100); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        recipe.gap =
            (int64_t)toi_random_below(&random, (uint64_t)1 << toi_random_below(&random, 24));
        toi_narrow_def def = method_def(METHOD, recipe.exponent, &random);
        def.no_zero_time = batch % 5 == 0;
        if (batch % 2)
            def.max_iterations = 1 + (int)toi_random_below(&random, 60);
        make_trial(&recipe, &t, &random);
        def.min_separation = t.contacts[0].separation;
        solve_trial(&def, &t);
    }
}

// ---- The queue

// Parallel edges that meet all along at t = 1/2: every query fills its share of the queue.
static void make_hard_trial(trial *t, toi_random *random)
{
    t->kind = TOI_EDGE_EDGE;
    t->count = BATCH;
    for (int i = 0; i < BATCH; ++i) {
        double shift = ldexp((double)toi_random_below(random, 100), -8);
        toi_query q = {{{0, 0, 1}, {1, 0, 1}, {shift, 0, 0}, {1 + shift, 0, 0}},
                       {{0, 0, -1}, {1, 0, -1}, {shift, 0, 0}, {1 + shift, 0, 0}}};
        t->contacts[i] = (contact){.query = q, .time = 0.5, .u = shift};
    }
}

// The queries of a trial as the solver queues them; returns how many the filter leaves.
static int fill(const toi_narrow_def *def, trial *t, queue *q)
{
    for (int i = 0; i < t->count; ++i)
        t->queries[i] = t->contacts[i].query;
    toi_narrow_batch batch = {.def = def,
                              .kind = t->kind,
                              .count = t->count,
                              .queries = t->queries,
                              .results = t->results};
    toi_filtered left[TOI_FILTER_LANES];
    int count = 0;
    toi_clear_results(&batch);
    for (int64_t first = 0; first < t->count; first += TOI_FILTER_LANES) {
        int lanes = toi_filter_queries(&batch, first, left);
        for (int i = 0; i < lanes; ++i) {
            toi_prepare_inclusion(&batch, &left[i], &q->queries[count].query);
            q->queries[count].asked = &t->queries[left[i].index];
            q->queries[count++].result = &t->results[left[i].index];
        }
    }
    return count;
}

// So many hard queries overflow the queue and are run again, fewer at a time; the answers are those
// that each has alone, and hardly early.
static void overflow_changes_nothing(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {11};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = METHOD;
    make_hard_trial(&t, &random);
    queue *q = malloc(sizeof *q);
    assert_int_equal(fill(&def, &t, q), t.count);
    assert_false(run(&def, q->queries, t.count, q->cells));
    assert_true(run(&def, q->queries, 1, q->cells));
    free(q);
    solve_trial(&def, &t);
    for (int i = 0; i < t.count; i += 25) {
        toi_query_result alone;
        assert_ok(toi_solve_queries(&def, t.kind, &t.queries[i], 1, &alone));
        assert_memory_equal(&alone, &t.results[i], sizeof alone);
        assert_true(alone.time > 0.5 - 1e-9);
    }
}

static void shuffle(entry *cells, int count, toi_random *random)
{
    for (int i = count - 1; i > 0; --i) {
        int j = (int)toi_random_below(random, (uint64_t)i + 1);
        entry swapped = cells[i];
        cells[i] = cells[j];
        cells[j] = swapped;
    }
}

// run(), with the cells of every level in random order.
static void run_shuffled(const toi_narrow_def *def, queue *q, int count, toi_random *random)
{
    int waiting = count;
    for (int i = 0; i < count; ++i) {
        start_query(&q->queries[i]);
        q->cells[0][i] = (entry){q->queries[i].next.first, i};
    }
    for (int level = 0;; ++level) {
        for (int i = 0; i < count; ++i)
            begin_level(def, &q->queries[i]);
        if (waiting == 0)
            return;
        entry *cells = q->cells[level % 2];
        shuffle(cells, waiting, random);
        waiting = examine_level(q->queries, cells, waiting, q->cells[(level + 1) % 2]);
        assert_true(waiting >= 0);
    }
}

static void order_within_a_level_does_not_matter(void **state)
{
    (void)state;
    static trial t;
    static toi_query_result expected[BATCH];
    toi_random random = {12};
    queue *q = malloc(sizeof *q);
    int64_t levels = 0;
    for (int64_t batch = 0; batch < slow_cases(40); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        toi_narrow_def def = method_def(METHOD, recipe.exponent, &random);
        def.min_separation = batch % 2 ? ldexp(1, recipe.exponent + 10) : 0;
        def.no_zero_time = batch % 3 == 0;
        make_trial(&recipe, &t, &random);
        t.count = 20; // never overflow
        int count = fill(&def, &t, q);
        assert_true(run(&def, q->queries, count, q->cells));
        memcpy(expected, t.results, sizeof expected);
        for (int i = 0; i < count; ++i)
            levels += q->queries[i].iterations;
        fill(&def, &t, q);
        run_shuffled(&def, q, count, &random);
        assert_memory_equal(t.results, expected, (size_t)t.count * sizeof *expected);
    }
    free(q);
    assert_true(levels > 1000);
}

// ---- Against `inclusion`

// Depth first or breadth first, the same contacts at nearly the same times.
static void agrees_with_inclusion(void **state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    toi_query *queries = malloc(COUNT * sizeof *queries);
    toi_query_result *results[2];
    toi_random random = {13};
    for (int i = 0; i < COUNT; ++i)
        for (int n = 0; n < 24; ++n)
            (&queries[i].start[0][0])[n] = toi_random_unit(&random);
    static const toi_narrow_method methods[2] = {TOI_NARROW_INCLUSION, TOI_NARROW_INCLUSION_QUEUE};
    for (int m = 0; m < 2; ++m)
        results[m] = malloc(COUNT * sizeof *results[m]);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        for (int m = 0; m < 2; ++m) {
            toi_narrow_def def = toi_default_narrow_def();
            def.method = methods[m];
            assert_ok(toi_solve_queries(&def, (toi_kind)kind, queries, COUNT, results[m]));
        }
        int hits = 0;
        for (int i = 0; i < COUNT; ++i) {
            const toi_query_result *a = &results[0][i], *b = &results[1][i];
            assert_int_equal(a->state, b->state);
            hits += a->state == TOI_HIT;
            if (a->state == TOI_HIT)
                assert_true(fabs(a->time - b->time) < 1e-6 && fabs(a->u - b->u) < 1e-3 &&
                            fabs(a->v - b->v) < 1e-3);
        }
        assert_true(hits > 1000);
    }
    free(results[0]);
    free(results[1]);
    free(queries);
}

// A vertex a small gap above a face and falling: the time is not zero, so a solver can advance.
static void small_gap_gives_positive_time(void **state)
{
    (void)state;
    toi_narrow_def def = toi_default_narrow_def();
    def.method = METHOD;
    def.no_zero_time = true;
    for (int exponent = 0; exponent >= -40; --exponent)
        for (int fast = 0; fast <= 30; ++fast) {
            double gap = ldexp(1, exponent), end = gap - ldexp(gap, fast);
            toi_query q = {{{0.25, 0.25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                           {{0.25, 0.25, end}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
            toi_query_result r;
            assert_ok(toi_solve_queries(&def, TOI_VERTEX_FACE, &q, 1, &r));
            assert_true(r.state == TOI_HIT && r.time > 0 && r.time <= ldexp(1, -fast));
        }
}

static void enough_were_checked_on_the_face(void **state)
{
    (void)state;
    close_trials(slow_cases(200000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_contact_is_missed),
        cmocka_unit_test(no_wild_contact_is_missed),
        cmocka_unit_test(spent_budget_leaves_a_lower_bound),
        cmocka_unit_test(t_max_prunes_nothing_it_should_not),
        cmocka_unit_test(other_queries_do_not_matter),
        cmocka_unit_test(random_queries_agree_with_exact),
        cmocka_unit_test(anything_gives_a_lawful_result),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(overflow_changes_nothing),
        cmocka_unit_test(order_within_a_level_does_not_matter),
        cmocka_unit_test(agrees_with_inclusion),
        cmocka_unit_test(small_gap_gives_positive_time),
        cmocka_unit_test(enough_were_checked_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
