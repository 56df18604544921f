// `exact` against its slow twin, bit for bit: random queries, small integers, and degenerate
// queries nudged by a few ulps. The twin is itself checked against answers derived by hand and
// against plain feasibility tests. `make test-long` takes ten times as many.

#include "exact/decide.h"
#include "exact/exact_ccd.h"
#include "exact/hand_cases.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "exact/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const toi_kind kind_of_batch[8] = {TOI_VERTEX_FACE, TOI_EDGE_EDGE,  TOI_VERTEX_FACE,
                                          TOI_EDGE_EDGE,   TOI_POINT_EDGE, TOI_VERTEX_FACE,
                                          TOI_EDGE_EDGE,   TOI_POINT_POINT};

// Queries of one kind, what is true of them, and what the library says.
typedef struct batch
{
    toi_kind kind;
    toi_query queries[BATCH];
    twin_answer truth[BATCH];
    toi_query_result results[BATCH];
} batch;

static toi_narrow_def exact_def(void)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_EXACT;
    def.workers = 1;
    return def;
}

static void make_batch(batch *b, hard_family family, int64_t number, toi_random *random)
{
    b->kind = kind_of_batch[number % 8];
    for (int i = 0; i < BATCH; ++i)
        b->queries[i] = make_hard_query(family, b->kind, random);
}

static void ask_twin(batch *b)
{
    for (int i = 0; i < BATCH; ++i)
        b->truth[i] = twin_decide(b->kind, &b->queries[i]);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// A face or an edge of lower dimension, as toi_query says: corners that are not named repeat.
static toi_query raise_query(toi_kind kind, const toi_query *query)
{
    toi_query raised = *query;
    for (int c = kind == TOI_POINT_POINT ? 2 : 3; kind >= TOI_PAIR_KINDS && c < 4; ++c) {
        memcpy(raised.start[c], raised.start[c - 1], sizeof raised.start[c]);
        memcpy(raised.end[c], raised.end[c - 1], sizeof raised.end[c]);
    }
    return raised;
}

static toi_kind raised_kind(toi_kind kind)
{
    return kind == TOI_EDGE_EDGE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
}

// ---- The twin itself

static bool answers_hand_case(const hand_case *c, const twin_answer *answer)
{
    if (answer->contacts != c->contacts || answer->touches != (c->contacts > 0))
        return false;
    if (!answer->touches)
        return answer->time == INFINITY;
    int order = compare_with_surd(answer->time, &c->time);
    return order <= 0 && compare_with_surd(nextafter(answer->time, 2), &c->time) > 0 &&
           answer->time_is_exact == (order == 0);
}

static void twin_answers_hand_cases(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < hand_case_count; ++i) {
        const hand_case *c = &hand_cases[i];
        twin_answer answer = twin_decide(c->kind, &c->query);
        if (!answers_hand_case(c, &answer)) {
            ++wrong;
            print_error("%s, %s: time %a, %s, %d contacts\n", toi_kind_name(c->kind), c->reason,
                        answer.time, answer.time_is_exact ? "exact" : "a floor", answer.contacts);
        }
    }
    print_message("  %d cases\n", hand_case_count);
    assert_int_equal(wrong, 0);
}

// How many answers of the twin contradict another exact test of contact at single times.
static int count_contradictions(toi_kind kind, const toi_query *query, toi_random *random)
{
    toi_query raised = raise_query(kind, query);
    toi_kind as = raised_kind(kind);
    twin_answer answer = twin_decide(kind, query);
    double between = ldexp((double)toi_random_below(random, 1024), -10);
    const double times[] = {0, 1, between, answer.touches ? answer.time : 0.5};
    int wrong = 0;
    for (int i = 0; i < 4; ++i) {
        bool touch = exact_touch_at(as, &raised, times[i]);
        wrong += touch != twin_touches_at(kind, query, times[i]);
        wrong += touch && !(times[i] >= answer.time);
    }
    if (answer.touches)
        wrong += answer.time_is_exact != exact_touch_at(as, &raised, answer.time);
    return wrong;
}

static void twin_agrees_with_single_times(void **state)
{
    (void)state;
    toi_random random = {1};
    int wrong = 0;
    for (int64_t i = 0; i < cases(24000); ++i) {
        hard_family family = (hard_family)(i % HARD_FAMILIES);
        toi_kind kind = kind_of_batch[i / HARD_FAMILIES % 8];
        toi_query query = make_hard_query(family, kind, &random);
        int contradictions = count_contradictions(kind, &query, &random);
        if (contradictions > 0 && ++wrong <= 3)
            print_query(kind, &query);
    }
    assert_int_equal(wrong, 0);
}

// Contacts of adversary.c are at known times, or earlier.
static void twin_finds_made_contacts(void **state)
{
    (void)state;
    toi_random random = {2};
    int wrong = 0;
    for (int64_t i = 0; i < cases(4000); ++i) {
        contact_recipe recipe = random_recipe(&random);
        contact made =
            i % 2 ? make_contact(&recipe, &random) : make_dense_contact(&recipe, &random);
        twin_answer answer = twin_decide(recipe.kind, &made.query);
        wrong += !(answer.touches && answer.time <= made.time);
    }
    assert_int_equal(wrong, 0);
}

// ---- Agreement

// Does the result say what is true? A contact matters if the double below it is not after t_max.
static bool agrees(const toi_narrow_def *def, const twin_answer *truth, const toi_query_result *r)
{
    bool hit = truth->touches && truth->time <= def->t_max;
    if (r->state != (hit ? TOI_HIT : TOI_SEPARATED))
        return false;
    if (!same_bits(r->time, hit ? truth->time : INFINITY))
        return false;
    if (r->time_is_exact != (hit && truth->time_is_exact))
        return false;
    bool counted = def->all_roots && (hit || !truth->touches);
    return counted ? r->contacts == truth->contacts : def->all_roots || r->contacts == 0;
}

static void print_disagreement(const batch *b, int i)
{
    const twin_answer *truth = &b->truth[i];
    const toi_query_result *r = &b->results[i];
    print_query(b->kind, &b->queries[i]);
    print_error("  true: time %a, %s, %d contacts\n", truth->time,
                truth->time_is_exact ? "exact" : "a floor", truth->contacts);
    print_error("  got %s, time %a, %s, %d contacts, rung %s, u %a, v %a, normal %g %g %g\n",
                toi_state_name(r->state), r->time, r->time_is_exact ? "exact" : "a floor",
                (int)r->contacts, toi_rung_name((toi_rung)r->rung), r->u, r->v, r->normal[0],
                r->normal[1], r->normal[2]);
}

static void assert_agree(const toi_narrow_def *def, const batch *b)
{
    int wrong = 0;
    for (int i = 0; i < BATCH; ++i)
        if (!agrees(def, &b->truth[i], &b->results[i]) && ++wrong <= 3)
            print_disagreement(b, i);
    queries_checked += BATCH;
    if (wrong > 0)
        fail_msg("%d of %d answers are wrong (t_max %a, all_roots %d)", wrong, BATCH, def->t_max,
                 (int)def->all_roots);
}

static void solve(const toi_narrow_def *def, batch *b)
{
    memset(b->results, 0x55, sizeof b->results);
    assert_ok(toi_solve_queries(def, b->kind, b->queries, BATCH, b->results));
}

// The comparison sees an error of one ulp, and every other single error.
static void agreement_is_strict(void **state)
{
    (void)state;
    toi_narrow_def def = exact_def();
    def.all_roots = true;
    twin_answer truth = {.touches = true, .time = 0.3, .contacts = 2};
    toi_query_result right = {.state = TOI_HIT, .time = 0.3, .contacts = 2}, r = right;
    assert_true(agrees(&def, &truth, &r));
    r.time = nextafter(0.3, 0);
    assert_false(agrees(&def, &truth, &r));
    r.time = nextafter(0.3, 1);
    assert_false(agrees(&def, &truth, &r));
    r = right;
    r.time_is_exact = true;
    assert_false(agrees(&def, &truth, &r));
    r = right;
    r.contacts = 1;
    assert_false(agrees(&def, &truth, &r));
    r = right;
    r.state = TOI_UNDECIDED;
    assert_false(agrees(&def, &truth, &r));
    r.state = TOI_SEPARATED;
    assert_false(agrees(&def, &truth, &r));
    def.t_max = nextafter(0.3, 0);
    assert_false(agrees(&def, &truth, &right));
}

// ---- Hand cases

static void swap_points(toi_query *query, int a, int b)
{
    for (int k = 0; k < 3; ++k) {
        double start = query->start[a][k], end = query->end[a][k];
        query->start[a][k] = query->start[b][k];
        query->end[a][k] = query->end[b][k];
        query->start[b][k] = start;
        query->end[b][k] = end;
    }
}

enum
{
    VARIANTS = 192 // turns of the axes, signs, order of corners, direction of time
};

// The same query seen differently: all variants touch, as often.
static toi_query vary(toi_kind kind, const toi_query *query, int variant)
{
    toi_query varied;
    int turn = variant % 3, flips = variant / 3 % 8, order = variant / 24 % 4;
    bool backwards = variant / 96 % 2;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            double sign = flips >> k & 1 ? -1 : 1;
            double start = sign * query->start[c][(k + turn) % 3];
            double end = sign * query->end[c][(k + turn) % 3];
            varied.start[c][k] = backwards ? end : start;
            varied.end[c][k] = backwards ? start : end;
        }
    if (kind == TOI_EDGE_EDGE && order % 2)
        swap_points(&varied, 0, 1);
    if (kind == TOI_EDGE_EDGE && order / 2) { // a and b change places
        swap_points(&varied, 0, 2);
        swap_points(&varied, 1, 3);
    }
    if (kind == TOI_VERTEX_FACE && order > 0)
        swap_points(&varied, 1 + order % 3, 1 + (order + 1) % 3);
    if (kind == TOI_POINT_EDGE && order % 2)
        swap_points(&varied, 1, 2);
    if (kind == TOI_POINT_POINT && order % 2)
        swap_points(&varied, 0, 1);
    return varied;
}

// Every hand case, turned every way, with the answer by hand where the variant does not change it.
static void hand_cases_agree(void **state)
{
    (void)state;
    static batch b;
    toi_narrow_def def = exact_def();
    def.all_roots = true;
    int stride = getenv("TOI_SANITIZED") ? 3 : 1; // most of the time is the twin's
    for (int i = 0; i < hand_case_count; i += stride) {
        const hand_case *c = &hand_cases[i];
        b.kind = c->kind;
        for (int n = 0; n < BATCH; ++n) {
            b.queries[n] = vary(c->kind, &c->query, n % VARIANTS);
            b.truth[n] = n < VARIANTS ? twin_decide(c->kind, &b.queries[n]) : b.truth[n % VARIANTS];
            bool backwards = n % VARIANTS / 96;
            if (b.truth[n].contacts != c->contacts ||
                (!backwards && !answers_hand_case(c, &b.truth[n])))
                fail_msg("the twin is wrong about a variant of: %s", c->reason);
        }
        solve(&def, &b);
        assert_agree(&def, &b);
    }
}

// ---- Place and normal

static void max_difference(const toi_query *query, int points, mpq_t size)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_ui(size, 0, 1);
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 3 * points; ++i) {
            const double(*x)[3] = end ? query->end : query->start;
            mpq_set_d(a, x[i / 3][i % 3]);
            mpq_set_d(b, x[0][i % 3]);
            mpq_sub(a, a, b);
            mpq_abs(a, a);
            if (mpq_cmp(a, size) > 0)
                mpq_set(size, a);
        }
    mpq_clears(a, b, NULL);
}

// The distance of the two points that the result says touch, in the maximum norm and relative to
// the largest difference of coordinates. Evaluated without rounding errors.
static double relative_gap(toi_kind kind, const toi_query *query, const toi_query_result *r)
{
    toi_query raised = raise_query(kind, query);
    mpq_t at[3], f[3], size, largest;
    mpq_inits(at[0], at[1], at[2], f[0], f[1], f[2], size, largest, NULL);
    mpq_set_d(at[0], r->time);
    mpq_set_d(at[1], r->u);
    mpq_set_d(at[2], r->v);
    exact_value(raised_kind(kind), &raised, at[0], at[1], at[2], f);
    max_difference(&raised, 4, size);
    for (int k = 0; k < 3; ++k) {
        mpq_abs(f[k], f[k]);
        if (mpq_cmp(f[k], largest) > 0)
            mpq_set(largest, f[k]);
    }
    if (mpq_sgn(largest) > 0)
        mpq_div(largest, largest, size);
    double gap = mpq_get_d(largest);
    mpq_clears(at[0], at[1], at[2], f[0], f[1], f[2], size, largest, NULL);
    return gap;
}

static bool place_is_lawful(toi_kind kind, const toi_narrow_def *def, const toi_query_result *r)
{
    bool beyond = kind == TOI_VERTEX_FACE && r->u + r->v > 1 + 1e-15;
    bool unnamed = (kind == TOI_POINT_EDGE && r->v != 0) ||
                   (kind == TOI_POINT_POINT && (r->u != 0 || r->v != 0));
    return well_formed(def, r) && !beyond && !unnamed;
}

// The cosine of the angle between the normal and the velocity of the first primitive's point of
// contact relative to the second's: not positive, where the normal opposes the motion.
static double motion_along_normal(toi_kind kind, const toi_query *query, const toi_query_result *r)
{
    double along = 0, length = 0;
    for (int k = 0; k < 3; ++k) {
        double v[4];
        for (int c = 0; c < 4; ++c)
            v[c] = query->end[c][k] - query->start[c][k];
        double speed = kind == TOI_EDGE_EDGE
                           ? v[0] + r->u * (v[1] - v[0]) - v[2] - r->v * (v[3] - v[2])
                           : v[0] - v[1] - r->u * (v[2] - v[1]) - r->v * (v[3] - v[1]);
        along += speed * r->normal[k];
        length = hypot(length, speed);
    }
    return along / length;
}

// What the families have shown.
typedef struct tally
{
    int64_t queries, hits, exact_times, many_contacts, rungs[TOI_RUNG_COUNT];
    int64_t measured, wide_gaps; // places, and those with gaps of 1e-6 of the size and more
    double widest_gap;
} tally;

static void count_batch(tally *sum, const toi_narrow_def *def, const batch *b, bool measure)
{
    for (int i = 0; i < BATCH; ++i) {
        const toi_query_result *r = &b->results[i];
        bool hit = r->state == TOI_HIT;
        ++sum->queries;
        sum->hits += hit;
        sum->exact_times += hit && r->time_is_exact;
        sum->many_contacts += b->truth[i].contacts > 1;
        ++sum->rungs[r->rung];
        if (!place_is_lawful(b->kind, def, r)) {
            print_disagreement(b, i);
            fail_msg("time, place or normal are out of range");
        }
        if (hit && measure) {
            double gap = relative_gap(b->kind, &b->queries[i], r);
            ++sum->measured;
            sum->wide_gaps += !(gap < 1e-6);
            sum->widest_gap = fmax(sum->widest_gap, gap);
        }
    }
}

static void print_tally(hard_family family, const tally *sum)
{
    print_message("  %s: %lld queries, %lld hits, %lld at a double, %lld with more contacts\n ",
                  hard_family_name(family), (long long)sum->queries, (long long)sum->hits,
                  (long long)sum->exact_times, (long long)sum->many_contacts);
    for (int rung = 0; rung < TOI_RUNG_COUNT; ++rung)
        print_message(" %s %lld", toi_rung_name((toi_rung)rung), (long long)sum->rungs[rung]);
    print_message("; %lld places, widest gap %.3g of the size, %lld of 1e-6 or more\n",
                  (long long)sum->measured, sum->widest_gap, (long long)sum->wide_gaps);
}

// ---- The families

static tally check_family(hard_family family, uint64_t seed)
{
    static batch b;
    toi_random random = {seed};
    tally sum = {0};
    for (int64_t n = 0; n < cases(200); ++n) { // batches of 500
        toi_narrow_def def = exact_def();
        def.all_roots = n / 8 % 10 == 0;
        make_batch(&b, family, n, &random);
        ask_twin(&b);
        solve(&def, &b);
        assert_agree(&def, &b);
        count_batch(&sum, &def, &b, n / 8 % 5 == 0);
    }
    print_tally(family, &sum);
    return sum;
}

static void unit_cube_agrees(void **state)
{
    (void)state;
    tally sum = check_family(HARD_CUBE, 11);
    assert_true(sum.hits > sum.queries / 20 && sum.many_contacts > 0);
    assert_int_equal(sum.wide_gaps, 0);
}

static void small_integers_agree(void **state)
{
    (void)state;
    tally sum = check_family(HARD_SMALL, 12);
    assert_true(sum.hits > sum.queries / 20 && sum.exact_times > 0 && sum.many_contacts > 0);
    assert_int_equal(sum.wide_gaps, 0); // what is singular here is so exactly
}

static void nearly_degenerate_agree(void **state)
{
    (void)state;
    tally sum = check_family(HARD_NEAR, 13);
    assert_true(sum.hits > sum.queries / 10 && sum.exact_times > 0 && sum.many_contacts > 0);
    assert_int_equal(sum.wide_gaps, 0); // needles too
}

static double pick_t_max(const batch *b, toi_random *random)
{
    double time = b->truth[toi_random_below(random, BATCH)].time;
    double t_max = time <= 1 ? time : toi_random_unit(random);
    switch (toi_random_below(random, 4)) {
    case 0:
        return nextafter(t_max, 0);
    case 1:
        return t_max > 0 ? nextafter(t_max, 1) : 0;
    case 2:
        return 0;
    default:
        return t_max;
    }
}

// Few, since the twin takes a millisecond for one.
static void mixed_exponents_agree(void **state)
{
    (void)state;
    static batch b;
    toi_random random = {18};
    int64_t hits = 0, integers = 0;
    for (int64_t n = 0; n < cases(16); ++n) {
        toi_narrow_def def = exact_def();
        def.all_roots = n / 8 % 2;
        b.kind = kind_of_batch[n % 8];
        for (int i = 0; i < BATCH; ++i)
            b.queries[i] = make_mixed_query(&random);
        ask_twin(&b);
        if (n % 4 == 3)
            def.t_max = pick_t_max(&b, &random);
        solve(&def, &b);
        assert_agree(&def, &b);
        for (int i = 0; i < BATCH; ++i) {
            hits += b.results[i].state == TOI_HIT;
            integers += b.results[i].rung == TOI_RUNG_INTEGER;
        }
    }
    print_message("  %lld hits, %lld decided by integers\n", (long long)hits, (long long)integers);
    assert_true(hits > cases(16) * BATCH / 20 && integers > cases(16) * BATCH / 4);
}

static void normals_oppose_the_motion(void **state)
{
    (void)state;
    static batch b;
    toi_random random = {17};
    int64_t hits = 0;
    for (int64_t n = 0; n < cases(40); ++n) {
        toi_narrow_def def = exact_def();
        make_batch(&b, HARD_CUBE, n % 2, &random);
        solve(&def, &b);
        for (int i = 0; i < BATCH; ++i) {
            const toi_query_result *r = &b.results[i];
            if (r->state != TOI_HIT)
                continue;
            ++hits;
            if (!(motion_along_normal(b.kind, &b.queries[i], r) < 1e-9)) {
                print_disagreement(&b, i);
                fail_msg("the normal does not oppose the motion");
            }
        }
    }
    assert_true(hits > cases(40) * 10);
}

// ---- Options

static void t_max_is_kept_to_the_ulp(void **state)
{
    (void)state;
    static batch b;
    toi_random random = {14};
    int64_t dropped = 0, kept = 0;
    for (int64_t n = 0; n < cases(48); ++n) {
        make_batch(&b, (hard_family)(n / 8 % HARD_FAMILIES), n, &random);
        ask_twin(&b);
        for (int attempt = 0; attempt < 8; ++attempt) {
            toi_narrow_def def = exact_def();
            def.t_max = pick_t_max(&b, &random);
            def.all_roots = attempt % 4 == 0;
            solve(&def, &b);
            assert_agree(&def, &b);
            for (int i = 0; i < BATCH; ++i) {
                dropped += b.truth[i].touches && b.results[i].state == TOI_SEPARATED;
                kept += b.results[i].state == TOI_HIT;
            }
        }
    }
    assert_true(dropped > 100 && kept > 100);
}

static bool same_result(const toi_query_result *a, const toi_query_result *b)
{
    return a->state == b->state && a->iterations == b->iterations && same_bits(a->time, b->time) &&
           same_bits(a->u, b->u) && same_bits(a->v, b->v) &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0 && a->contacts == b->contacts &&
           a->rung == b->rung && a->time_is_exact == b->time_is_exact;
}

static void assert_same_results(const batch *b, const toi_query_result *first, const char *what)
{
    for (int i = 0; i < BATCH; ++i)
        if (!same_result(&b->results[i], &first[i])) {
            print_query(b->kind, &b->queries[i]);
            fail_msg("%s: %s, time %a, u %a, v %a, rung %d; else %s, time %a, u %a, v %a, rung %d",
                     what, toi_state_name(b->results[i].state), b->results[i].time, b->results[i].u,
                     b->results[i].v, (int)b->results[i].rung, toi_state_name(first[i].state),
                     first[i].time, first[i].u, first[i].v, (int)first[i].rung);
        }
}

// The same bits with every instruction set, among others or alone.
static void results_do_not_depend_on_the_machine(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    static batch b;
    static toi_query_result first[BATCH];
    toi_random random = {15};
    int sets = 0;
    for (int64_t n = 0; n < cases(72); ++n) {
        toi_narrow_def def = exact_def();
        def.all_roots = n % 2;
        make_batch(&b, (hard_family)(n / 8 % HARD_FAMILIES), n, &random);
        solve(&def, &b);
        memcpy(first, b.results, sizeof first);
        for (int i = 0; i < 3; ++i)
            if (toi_set_simd(names[i]) == TOI_OK) {
                solve(&def, &b);
                assert_same_results(&b, first, names[i]);
                ++sets;
            }
        assert_ok(toi_set_simd(NULL));
        for (int i = 0; i < BATCH; ++i)
            assert_ok(toi_solve_queries(&def, b.kind, &b.queries[i], 1, &b.results[i]));
        assert_same_results(&b, first, "alone");
        queries_checked += BATCH;
    }
    print_message("  %d runs with a named instruction set\n", sets);
    assert_true(sets > 0);
}

// ---- The last rung alone, on queries that never come that far too

static void decide_batch(batch *b, toi_decision_def *def, toi_random *random)
{
    for (int i = 0; i < BATCH; ++i) {
        const twin_answer *truth = &b->truth[i];
        static const double guesses[] = {NAN, 0, 1, 0.5};
        int choice = (int)toi_random_below(random, 6);
        def->guess = choice < 4 ? guesses[choice] : truth->touches ? truth->time : 0.25;
        toi_decision decision;
        toi_decide(def, &b->queries[i], &decision);
        b->results[i] = (toi_query_result){.state = decision.state,
                                           .time = decision.time,
                                           .time_is_exact = decision.time_is_exact,
                                           .contacts = decision.contacts,
                                           .rung = TOI_RUNG_INTEGER};
        if (decision.state == TOI_SEPARATED) // what is then in `time` is nobody's business
            b->results[i].time = INFINITY;
    }
}

static void integers_agree_alone(void **state)
{
    (void)state;
    static batch b;
    toi_random random = {16};
    void *scratch = toi_allocate((size_t)toi_decision_scratch_bytes());
    assert_non_null(scratch);
    for (int64_t n = 0; n < cases(48); ++n) {
        toi_narrow_def def = exact_def();
        def.all_roots = n / 2 % 2;
        make_batch(&b, (hard_family)(n / 2 % HARD_FAMILIES), n % 2, &random);
        ask_twin(&b);
        if (n % 3 == 0)
            def.t_max = pick_t_max(&b, &random);
        toi_decision_def decision = {
            .kind = b.kind, .t_max = def.t_max, .count = def.all_roots, .scratch = scratch};
        decide_batch(&b, &decision, &random);
        assert_agree(&def, &b);
    }
    toi_release(scratch);
}

static void enough_was_checked(void **state)
{
    (void)state;
    close_trials(300000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_answers_hand_cases),
        cmocka_unit_test(twin_agrees_with_single_times),
        cmocka_unit_test(twin_finds_made_contacts),
        cmocka_unit_test(agreement_is_strict),
        cmocka_unit_test(hand_cases_agree),
        cmocka_unit_test(unit_cube_agrees),
        cmocka_unit_test(small_integers_agree),
        cmocka_unit_test(nearly_degenerate_agree),
        cmocka_unit_test(mixed_exponents_agree),
        cmocka_unit_test(normals_oppose_the_motion),
        cmocka_unit_test(t_max_is_kept_to_the_ulp),
        cmocka_unit_test(results_do_not_depend_on_the_machine),
        cmocka_unit_test(integers_agree_alone),
        cmocka_unit_test(enough_was_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
