// The slow twin of `exact` with a separation against what is known otherwise: answers derived by
// hand, distances at single times in rational arithmetic, the twin of plain `exact`, `inclusion`,
// and itself under symmetries.

#include "exact/apart_queries.h"
#include "exact/apart_twin.h"
#include "exact/exact_ccd.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "exact/twin.h"

#include <math.h>
#include <string.h>

static const toi_kind kinds[4] = {TOI_VERTEX_FACE, TOI_EDGE_EDGE, TOI_POINT_EDGE, TOI_POINT_POINT};

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void print_case(toi_kind kind, const toi_query *query, double s, const apart_answer *answer)
{
    print_query(kind, query);
    print_error("  separation %a: %s, time %a, %s\n", s, answer->hit ? "hit" : "separated",
                answer->time, answer->time_is_exact ? "exact" : "a floor");
}

// ---- By hand

typedef struct apart_case
{
    const char *reason;
    toi_kind kind;
    toi_query query;
    double separation;
    double time; // of the first contact, or infinity; a whole multiple of 2^-30 / `thirds`
    int thirds;  // 1: the time is exact; 3: the true time is time / 3
} apart_case;

static const apart_case apart_cases[] = {
    {"a point comes down on a face",
     TOI_VERTEX_FACE,
     {{{1, 1, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     1,
     0.75,
     1},
    {"and on its side, 3-4-5",
     TOI_VERTEX_FACE,
     {{{1, -3, 8}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, -3, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     5,
     0.5,
     1},
    {"and on a corner, 1-2-2-3",
     TOI_VERTEX_FACE,
     {{{-1, -2, 8}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
      {{-1, -2, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     3,
     0.75,
     1},
    {"at the very end",
     TOI_VERTEX_FACE,
     {{{1, 1, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     1,
     1,
     1},
    {"not quite",
     TOI_VERTEX_FACE,
     {{{1, 1, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     0x1.fffffffffffffp-1,
     INFINITY,
     1},
    {"as far as that at the start, and away",
     TOI_VERTEX_FACE,
     {{{1, 1, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 9}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     4,
     0,
     1},
    {"two thirds",
     TOI_VERTEX_FACE,
     {{{1, 1, 4}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     2,
     2,
     3},
    {"the face shrinks to a point and grows again, above the point",
     TOI_VERTEX_FACE,
     {{{0, 0, 2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 2}, {0, 0, 0}, {-4, 0, 0}, {0, -4, 0}}},
     2,
     0,
     1},
    {"a face without area for all time",
     TOI_VERTEX_FACE,
     {{{3, 0, 8}, {0, 0, 0}, {4, 0, 0}, {2, 0, 0}}, {{3, 0, 0}, {0, 0, 0}, {4, 0, 0}, {2, 0, 0}}},
     4,
     0.5,
     1},
    {"a face that is a point for all time",
     TOI_VERTEX_FACE,
     {{{3, 0, 8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{3, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
     5,
     0.5,
     1},
    {"a corner passes by, just as close",
     TOI_POINT_POINT,
     {{{-4, 3, 0}, {0, 0, 0}}, {{4, 3, 0}, {0, 0, 0}}},
     3,
     0.5,
     1},
    {"a point passes an edge, just as close",
     TOI_POINT_EDGE,
     {{{-4, 3, 0}, {0, 0, -1}, {0, 0, 1}}, {{4, 3, 0}, {0, 0, -1}, {0, 0, 1}}},
     3,
     0.5,
     1},
    {"parallel edges",
     TOI_EDGE_EDGE,
     {{{0, 0, 4}, {2, 0, 4}, {1, 0, 0}, {3, 0, 0}}, {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {3, 0, 0}}},
     1,
     0.75,
     1},
    {"parallel edges, end to end",
     TOI_EDGE_EDGE,
     {{{0, 0, 8}, {2, 0, 8}, {5, 0, 0}, {7, 0, 0}}, {{0, 0, 0}, {2, 0, 0}, {5, 0, 0}, {7, 0, 0}}},
     5,
     0.5,
     1},
    {"edges that keep their distance",
     TOI_EDGE_EDGE,
     {{{0, 0, 1}, {2, 0, 1}, {1, -1, 0}, {1, 1, 0}}, {{0, 0, 1}, {2, 0, 1}, {1, -1, 0}, {1, 1, 0}}},
     1,
     0,
     1},
    {"crossed edges",
     TOI_EDGE_EDGE,
     {{{0, 0, 3}, {2, 0, 3}, {1, -1, 0}, {1, 1, 0}}, {{0, 0, 1}, {2, 0, 1}, {1, -1, 0}, {1, 1, 0}}},
     2,
     0.5,
     1},
    {"edges without length",
     TOI_EDGE_EDGE,
     {{{0, 0, 3}, {0, 0, 3}, {0, 0, 0}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}}},
     2,
     0.5,
     1},
    {"contact",
     TOI_EDGE_EDGE,
     {{{0, 0, 3}, {2, 0, 3}, {1, -1, 0}, {1, 1, 0}},
      {{0, 0, -1}, {2, 0, -1}, {1, -1, 0}, {1, 1, 0}}},
     0,
     0.75,
     1},
};

static bool answers_apart_case(const apart_case *c, const apart_answer *answer)
{
    if (c->time > 3)
        return !answer->hit && answer->time == INFINITY;
    return answer->hit && answer->time_is_exact == (c->thirds == 1) &&
           fma(answer->time, c->thirds, -c->time) <= 0 &&
           fma(nextafter(answer->time, 2), c->thirds, -c->time) > 0;
}

static void twin_answers_hand_cases(void **state)
{
    (void)state;
    int count = (int)(sizeof apart_cases / sizeof apart_cases[0]), wrong = 0;
    for (int i = 0; i < count; ++i) {
        const apart_case *c = &apart_cases[i];
        apart_answer answer = twin_apart(c->kind, &c->query, c->separation, 1);
        if (!answers_apart_case(c, &answer)) {
            ++wrong;
            print_error("%s\n", c->reason);
            print_case(c->kind, &c->query, c->separation, &answer);
        }
    }
    assert_int_equal(wrong, 0);
}

// d_min 1, distance 4: half of what is above 1. At or below d_min: half of the distance.
static void relative_rule_by_hand(void **state)
{
    (void)state;
    const toi_query *falls = &apart_cases[0].query; // from 4 to 0
    apart_answer above = twin_apart_relative(TOI_VERTEX_FACE, falls, 1, 0.5, 1);
    assert_true(above.hit && !above.starts_inside && above.separation == 2.5);
    assert_true(above.time == 0.375 && above.time_is_exact);
    apart_answer at = twin_apart_relative(TOI_VERTEX_FACE, falls, 4, 0.5, 1);
    assert_true(at.hit && at.starts_inside && at.separation == 2 && at.time == 0.5);
    apart_answer inside = twin_apart_relative(TOI_VERTEX_FACE, falls, 5, 0.25, 1);
    assert_true(inside.hit && inside.starts_inside && inside.separation == 1);
    assert_true(inside.time == 0.75);
    apart_answer whole = twin_apart_relative(TOI_VERTEX_FACE, falls, 5, 0, 1);
    assert_true(whole.hit && whole.starts_inside && whole.separation == 5 && whole.time == 0);
    apart_answer late = twin_apart_relative(TOI_VERTEX_FACE, falls, 1, 0.5, 0.25);
    assert_false(late.hit || late.starts_inside);
}

// ---- Distances at single times

static toi_query raise_query(toi_kind kind, const toi_query *query)
{
    toi_query raised = *query;
    for (int c = kind == TOI_POINT_POINT ? 2 : 3; kind >= TOI_PAIR_KINDS && c < 4; ++c) {
        memcpy(raised.start[c], raised.start[c - 1], sizeof raised.start[c]);
        memcpy(raised.end[c], raised.end[c - 1], sizeof raised.end[c]);
    }
    return raised;
}

// -1, 0 or 1: how the distance at t compares with s.
static int compare_distance(toi_kind kind, const toi_query *query, double t, double s)
{
    toi_query raised = raise_query(kind, query);
    mpq_t square, limit;
    mpq_inits(square, limit, NULL);
    mpq_set_d(limit, s);
    mpq_mul(limit, limit, limit);
    exact_distance_square_at(kind == TOI_EDGE_EDGE ? kind : TOI_VERTEX_FACE, &raised, t, square);
    int order = mpq_cmp(square, limit);
    mpq_clears(square, limit, NULL);
    return (order > 0) - (order < 0);
}

static bool is_distance(toi_kind kind, const toi_query *query, double d0)
{
    return compare_distance(kind, query, 0, d0) >= 0 &&
           compare_distance(kind, query, 0, nextafter(d0, INFINITY)) < 0;
}

// The first contact is not before the time, and, mostly, at once after it.
static bool agrees_with_times(toi_kind kind, const toi_query *query, double s, toi_random *random,
                              int64_t *not_after)
{
    apart_answer answer = twin_apart(kind, query, s, 1);
    for (int i = 0; i <= 8; ++i) {
        double t = i % 4 == 0 ? i / 8.0 : toi_random_unit(random);
        double earlier = answer.hit ? t * answer.time : t;
        if (compare_distance(kind, query, t, s) <= 0 && !(answer.time <= t))
            return false;
        if (earlier < answer.time && compare_distance(kind, query, earlier, s) <= 0)
            return false;
    }
    if (!answer.hit)
        return true;
    int at = compare_distance(kind, query, answer.time, s);
    *not_after += answer.time < 1 && !answer.time_is_exact &&
                  compare_distance(kind, query, nextafter(answer.time, 2), s) > 0;
    return !answer.time_is_exact ? at > 0 : answer.time == 0 ? at <= 0 : at == 0;
}

static void twin_agrees_with_single_times(void **state)
{
    (void)state;
    toi_random random = {1};
    int wrong = 0;
    for (int family = 0; family < APART_FAMILIES; ++family) {
        int64_t not_after = 0, queries = slow_cases(80) * APART_GROUP;
        for (int64_t n = 0; n < queries / APART_GROUP; ++n) {
            apart_group g = make_apart_group((apart_family)family, &random);
            for (int i = 0; i < APART_GROUP; ++i) {
                const toi_query *query = &g.queries[i];
                bool right = is_distance(g.kind, query, twin_distance(g.kind, query)) &&
                             agrees_with_times(g.kind, query, g.separation, &random, &not_after);
                if (!right && ++wrong <= 3) {
                    apart_answer answer = twin_apart(g.kind, query, g.separation, 1);
                    print_case(g.kind, query, g.separation, &answer);
                }
            }
        }
        print_message("  %s: %lld queries, %lld hits end within an ulp\n",
                      apart_family_name((apart_family)family), (long long)queries,
                      (long long)not_after);
        assert_true(not_after < (family == APART_RANDOM ? queries / 1000 + 1 : queries / 4));
    }
    assert_int_equal(wrong, 0);
}

// ---- Other methods

static void contact_is_separation_zero(void **state)
{
    (void)state;
    toi_random random = {2};
    int64_t wrong = 0, hits = 0, queries = slow_cases(6000);
    for (int64_t n = 0; n < queries; ++n) {
        toi_kind kind = kinds[n % 4];
        toi_query query = make_hard_query((hard_family)(n / 4 % HARD_FAMILIES), kind, &random);
        twin_answer plain = twin_decide(kind, &query);
        apart_answer answer = twin_apart(kind, &query, 0, 1);
        hits += plain.touches;
        bool right = answer.hit == plain.touches && same_bits(answer.time, plain.time) &&
                     answer.time_is_exact == plain.time_is_exact;
        if (!right && ++wrong <= 3)
            print_case(kind, &query, 0, &answer);
    }
    assert_int_equal(wrong, 0);
    assert_true(hits > queries / 10);
}

// `inclusion` is in the maximum norm, so never later.
static void inclusion_is_not_later(void **state)
{
    (void)state;
    toi_random random = {3};
    toi_query_result results[APART_GROUP];
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    def.workers = 1;
    def.max_iterations = 1000;
    int64_t wrong = 0, hits = 0;
    for (int64_t n = 0; n < slow_cases(300); ++n) {
        apart_group g = make_apart_group((apart_family)(n % APART_FAMILIES), &random);
        def.min_separation = g.separation;
        assert_ok(toi_solve_queries(&def, g.kind, g.queries, APART_GROUP, results));
        for (int i = 0; i < APART_GROUP; ++i) {
            apart_answer answer = twin_apart(g.kind, &g.queries[i], g.separation, 1);
            hits += answer.hit;
            bool late = answer.hit &&
                        (results[i].state == TOI_SEPARATED || !(results[i].time <= answer.time));
            if (late && ++wrong <= 3)
                print_case(g.kind, &g.queries[i], g.separation, &answer);
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(hits > slow_cases(300));
}

// ---- Symmetries

static void swap_points(toi_query *query, int a, int b)
{
    for (int end = 0; end < 2; ++end) {
        double(*x)[3] = end ? query->end : query->start, kept[3];
        memcpy(kept, x[a], sizeof kept);
        memcpy(x[a], x[b], sizeof kept);
        memcpy(x[b], kept, sizeof kept);
    }
}

static void reorder(toi_kind kind, toi_query *query, int order)
{
    if (kind == TOI_EDGE_EDGE && order % 2)
        swap_points(query, 0, 1);
    if (kind == TOI_EDGE_EDGE && order / 2 % 2) { // a and b change places
        swap_points(query, 0, 2);
        swap_points(query, 1, 3);
    }
    if (kind == TOI_VERTEX_FACE && order % 2)
        swap_points(query, 1, 2);
    if (kind == TOI_VERTEX_FACE && order / 2 % 2)
        swap_points(query, 2, 3);
    if (kind == TOI_POINT_EDGE && order % 2)
        swap_points(query, 1, 2);
    if (kind == TOI_POINT_POINT && order % 2)
        swap_points(query, 0, 1);
}

// Turns the axes, mirrors them, and scales by a power of two.
static toi_query vary(toi_kind kind, const toi_query *query, double scale, toi_random *random)
{
    toi_query varied = *query;
    uint64_t turn = toi_random_below(random, 3), flips = toi_random_below(random, 8);
    for (int i = 0; i < 24; ++i) {
        uint64_t k = (uint64_t)(i % 3), from = (k + turn) % 3;
        (&varied.start[0][0])[i] =
            (flips >> k & 1 ? -scale : scale) * (&query->start[0][0])[i - i % 3 + (int)from];
    }
    reorder(kind, &varied, (int)toi_random_below(random, 4));
    return varied;
}

// No coordinate, and not the separation, is or becomes a denormal or overflows.
static bool scales_exactly(const apart_group *g, const toi_query *query)
{
    bool exact = g->separation == 0 || (g->separation > 1e-250 && g->separation < 1e250);
    for (int i = 0; i < 24; ++i) {
        double x = fabs((&query->start[0][0])[i]);
        exact = exact && (x == 0 || (x > 1e-250 && x < 1e250));
    }
    return exact;
}

static void symmetries_change_nothing(void **state)
{
    (void)state;
    toi_random random = {4};
    int64_t wrong = 0, compared = 0;
    for (int64_t n = 0; n < slow_cases(300); ++n) {
        apart_group g = make_apart_group((apart_family)(n % APART_FAMILIES), &random);
        double scale = ldexp(1, (int)toi_random_below(&random, 200) - 100);
        for (int i = 0; i < APART_GROUP; ++i) {
            if (!scales_exactly(&g, &g.queries[i]))
                continue;
            ++compared;
            toi_query varied = vary(g.kind, &g.queries[i], scale, &random);
            apart_answer a = twin_apart(g.kind, &g.queries[i], g.separation, g.t_max);
            apart_answer b = twin_apart(g.kind, &varied, scale * g.separation, g.t_max);
            bool same = a.hit == b.hit && same_bits(a.time, b.time) &&
                        a.time_is_exact == b.time_is_exact && a.starts_inside == b.starts_inside &&
                        same_bits(scale * twin_distance(g.kind, &g.queries[i]),
                                  twin_distance(g.kind, &varied));
            if (!same && ++wrong <= 3)
                print_case(g.kind, &g.queries[i], g.separation, &a);
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(compared > slow_cases(300) * APART_GROUP / 2);
}

// What make_grazing_query() promises: contact at two times close to each other, none before and
// none after, for most of them; and gaps of all sizes.
static void grazing_queries_graze(void **state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        toi_random random = {6};
        int grazing = 0, below[3] = {0};
        for (int i = 0; i < 400; ++i) {
            grazing_query g = make_grazing_query(kinds[n], &random);
            double s = nextafter(g.separation, INFINITY);
            toi_query back;
            memcpy(back.start, g.query.end, sizeof back.start);
            memcpy(back.end, g.query.start, sizeof back.end);
            apart_answer first = twin_apart(kinds[n], &g.query, s, 1);
            apart_answer last = twin_apart(kinds[n], &back, s, 1);
            double gap = 1 - last.time - first.time;
            grazing += first.hit && first.time > 0 && gap < 0x1p-8;
            for (int k = 0; k < 3 && first.hit && first.time > 0; ++k)
                below[k] += gap < ldexp(1, -20 - 10 * k);
        }
        print_message("  %s: %d of 400 graze, %d for 2^-20 of the step, %d 2^-30, %d 2^-40\n",
                      toi_kind_name(kinds[n]), grazing, below[0], below[1], below[2]);
        assert_true(grazing > 200 && below[0] > 100 && below[1] > 50 && below[2] > 10);
    }
}

// Starting inside, and the separation, from distances found otherwise.
static void relative_rule_follows_the_distance(void **state)
{
    (void)state;
    toi_random random = {5};
    int64_t inside = 0, outside = 0;
    for (int64_t n = 0; n < slow_cases(100); ++n) {
        apart_group g = make_relative_group(&random);
        for (int i = 0; i < APART_GROUP; ++i) {
            const toi_query *query = &g.queries[i];
            double d0 = twin_distance(g.kind, query);
            bool within = compare_distance(g.kind, query, 0, g.separation) <= 0;
            apart_answer a = twin_apart_relative(g.kind, query, g.separation, g.share, 1);
            double s = within ? g.share * d0 : g.separation + g.share * (d0 - g.separation);
            apart_answer b = twin_apart(g.kind, query, s, 1);
            assert_true(a.starts_inside == within && same_bits(a.separation, s));
            assert_true(a.hit == b.hit && same_bits(a.time, b.time));
            inside += within;
            outside += !within;
        }
    }
    assert_true(inside > 0 && outside > inside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_answers_hand_cases),
        cmocka_unit_test(relative_rule_by_hand),
        cmocka_unit_test(twin_agrees_with_single_times),
        cmocka_unit_test(contact_is_separation_zero),
        cmocka_unit_test(inclusion_is_not_later),
        cmocka_unit_test(grazing_queries_graze),
        cmocka_unit_test(symmetries_change_nothing),
        cmocka_unit_test(relative_rule_follows_the_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
