// `exact` with a separation against its slow twin, bit for bit: random queries, small integers with
// exact ties, and nearly degenerate ones. The comparison takes the solver as an argument, so that
// it can be shown to catch a wrong one. `make test-long` takes ten times as many.

#include "base/parallel.h"
#include "exact/apart_queries.h"
#include "exact/apart_twin.h"
#include "exact/trial.h"
#include "narrow/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a solver says of a query.
typedef struct apart_result
{
    toi_state state;
    double time;
    bool time_is_exact;
    bool starts_inside;
} apart_result;

// Answers all queries of a group; runs on several threads at once.
typedef void apart_solve_fn(const apart_group *group, apart_result results[APART_GROUP]);

// ---- Solvers

static apart_result take_result(const toi_query_result *found)
{
    return (apart_result){found->state, found->time, found->time_is_exact, found->starts_inside};
}

// Points and edges as faces, as a narrow phase takes them.
static toi_kind raise_group(const apart_group *group, toi_query raised[APART_GROUP])
{
    int points = group->kind == TOI_POINT_POINT ? 2 : group->kind == TOI_POINT_EDGE ? 3 : 4;
    memcpy(raised, group->queries, sizeof group->queries);
    for (int i = 0; i < APART_GROUP; ++i)
        for (int c = points; c < 4; ++c) {
            memcpy(raised[i].start[c], raised[i].start[points - 1], sizeof raised[i].start[c]);
            memcpy(raised[i].end[c], raised[i].end[points - 1], sizeof raised[i].end[c]);
        }
    return group->kind == TOI_EDGE_EDGE ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
}

// A share is the pipeline's to ask for.
static toi_status solve_shares(const toi_narrow_def *def, const apart_group *group,
                               toi_query_result found[APART_GROUP])
{
    toi_query raised[APART_GROUP];
    toi_narrow_batch batch = {.def = def,
                              .kind = raise_group(group, raised),
                              .count = APART_GROUP,
                              .queries = raised,
                              .relative = group->share,
                              .results = found,
                              .scratch =
                                  toi_allocate((size_t)toi_narrow_scratch_bytes(def->method))};
    if (!batch.scratch)
        return TOI_ERROR_MEMORY;
    toi_narrow_solver(def->method)(&batch);
    toi_release(batch.scratch);
    return TOI_OK;
}

// The library.
static void solve_exactly(const apart_group *group, apart_result results[APART_GROUP])
{
    toi_query_result found[APART_GROUP];
    toi_narrow_def def = toi_default_narrow_def();
    def.workers = 1;
    def.min_separation = group->separation;
    def.t_max = group->t_max;
    memset(found, 0x55, sizeof found);
    toi_status status =
        group->share > 0 ? solve_shares(&def, group, found)
                         : toi_solve_queries(&def, group->kind, group->queries, APART_GROUP, found);
    for (int i = 0; i < APART_GROUP; ++i) {
        results[i] = take_result(&found[i]);
        if (status != TOI_OK)
            results[i].state = TOI_STATE_COUNT;
    }
}

// The twin.
static apart_answer ask_twin(const apart_group *group, int i)
{
    const toi_query *query = &group->queries[i];
    return group->share > 0 ? twin_apart_relative(group->kind, query, group->separation,
                                                  group->share, group->t_max)
                            : twin_apart(group->kind, query, group->separation, group->t_max);
}

// ---- The comparison

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool agrees(const apart_answer *truth, const apart_result *r)
{
    return r->state == (truth->hit ? TOI_HIT : TOI_SEPARATED) && same_bits(r->time, truth->time) &&
           r->time_is_exact == truth->time_is_exact &&
           (truth->separation == 0 || r->starts_inside == truth->starts_inside); // contact: unset
}

static void print_disagreement(const apart_group *group, int i, const apart_answer *truth,
                               const apart_result *r)
{
    print_query(group->kind, &group->queries[i]);
    print_error("  separation %a, share %a, t_max %a; separation of the twin %a\n",
                group->separation, group->share, group->t_max, truth->separation);
    print_error("  true: %s, time %a, %s%s\n", truth->hit ? "hit" : "separated", truth->time,
                truth->time_is_exact ? "exact" : "a floor",
                truth->starts_inside ? ", starts inside" : "");
    print_error("  got: %s, time %a, %s%s\n", toi_state_name(r->state), r->time,
                r->time_is_exact ? "exact" : "a floor", r->starts_inside ? ", starts inside" : "");
}

// What a comparison is made of and what it has shown; the counts are of queries.
typedef struct comparison
{
    apart_solve_fn *solve;
    apart_group (*make)(int family, toi_random *random);
    int family;
    uint64_t seed;
    int shown; // disagreements that are printed
    _Atomic int64_t hits, at_zero, exact_times, inside, wrong;
    toi_lock printing;
} comparison;

static void count_answer(comparison *c, const apart_answer *truth)
{
    c->hits += truth->hit;
    c->at_zero += truth->hit && truth->time == 0;
    c->exact_times += truth->hit && truth->time > 0 && truth->time_is_exact;
    c->inside += truth->starts_inside;
}

// One group, whose random numbers are its own.
static toi_status compare_group(void *context, int64_t index, int worker)
{
    (void)worker;
    comparison *c = context;
    toi_random random = {c->seed + (uint64_t)index * UINT64_C(0x632be59bd9b4e019)};
    apart_group group = c->make(c->family, &random);
    apart_result results[APART_GROUP];
    c->solve(&group, results);
    for (int i = 0; i < APART_GROUP; ++i) {
        apart_answer truth = ask_twin(&group, i);
        count_answer(c, &truth);
        if (agrees(&truth, &results[i]))
            continue;
        if (++c->wrong <= c->shown) {
            toi_lock_take(&c->printing);
            print_disagreement(&group, i, &truth, &results[i]);
            toi_lock_release(&c->printing);
        }
    }
    return TOI_OK;
}

// Compares a solver with the twin on so many queries, on all cores.
static void compare_queries(comparison *c, int64_t queries)
{
    int64_t groups = (queries + APART_GROUP - 1) / APART_GROUP;
    assert_ok(toi_parallel(toi_default_workers(), groups, compare_group, c));
    print_message("  %lld queries, %lld hits, %lld at t = 0, %lld at a later double; %lld wrong\n",
                  (long long)(groups * APART_GROUP), (long long)c->hits, (long long)c->at_zero,
                  (long long)c->exact_times, (long long)c->wrong);
}

static apart_group make_absolute(int family, toi_random *random)
{
    return make_apart_group((apart_family)family, random);
}

static apart_group make_relative(int family, toi_random *random)
{
    (void)family;
    return make_relative_group(random);
}

static void check_family(apart_family family, int64_t queries, uint64_t seed)
{
    comparison c = {.solve = solve_exactly,
                    .make = make_absolute,
                    .family = (int)family,
                    .seed = seed,
                    .shown = 3,
                    .printing = ATOMIC_FLAG_INIT};
    compare_queries(&c, queries);
    assert_int_equal(c.wrong, 0);
    assert_true(c.hits - c.at_zero > queries / 10 && c.exact_times > 0);
}

// What a sanitizer looks for is in the solver, and most of the time goes to the twin.
static int64_t family_cases(void)
{
    return getenv("TOI_SANITIZED") ? 2000 : cases(100000);
}

static void random_queries_agree(void **state)
{
    (void)state;
    check_family(APART_RANDOM, family_cases(), 11);
}

static void lattice_queries_agree(void **state)
{
    (void)state;
    check_family(APART_LATTICE, family_cases(), 12);
}

static void nearly_degenerate_queries_agree(void **state)
{
    (void)state;
    check_family(APART_NEAR, family_cases(), 13);
}

static void relative_queries_agree(void **state)
{
    (void)state;
    comparison c = {.solve = solve_exactly,
                    .make = make_relative,
                    .seed = 14,
                    .shown = 3,
                    .printing = ATOMIC_FLAG_INIT};
    compare_queries(&c, slow_cases(30000));
    assert_int_equal(c.wrong, 0);
    assert_true(c.hits > slow_cases(30000) / 10 && c.inside > 0 && c.inside < c.hits);
}

// A family each, and the shares, with every instruction set of this machine.
static void every_instruction_set_agrees(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    int sets = 0;
    for (int i = 0; i < 3; ++i) {
        if (toi_set_simd(names[i]) != TOI_OK)
            continue;
        ++sets;
        for (int family = 0; family <= APART_FAMILIES; ++family) {
            comparison c = {.solve = solve_exactly,
                            .make = family < APART_FAMILIES ? make_absolute : make_relative,
                            .family = family,
                            .seed = 16,
                            .shown = 3,
                            .printing = ATOMIC_FLAG_INIT};
            compare_queries(&c, slow_cases(2000));
            assert_int_equal(c.wrong, 0);
        }
    }
    assert_ok(toi_set_simd(NULL));
    assert_true(sets > 0);
}

// ---- Wrong solvers, each with a mistake that a solver might make

static apart_result result_of(const apart_answer *answer)
{
    return (apart_result){answer->hit ? TOI_HIT : TOI_SEPARATED, answer->time,
                          answer->time_is_exact, answer->starts_inside};
}

// A direction that is a little too long proves too much.
static void solve_with_long_direction(const apart_group *group, apart_result results[APART_GROUP])
{
    apart_group less = *group;
    less.separation *= 1 - 0x1p-51;
    for (int i = 0; i < APART_GROUP; ++i) {
        apart_answer answer = ask_twin(&less, i);
        results[i] = result_of(&answer);
    }
}

// Of several roots within 2^-16 of the step, the last: that of a search which does not show that
// the distance falls all the way from its lower bound to the root.
static void solve_for_last_root(const apart_group *group, apart_result results[APART_GROUP])
{
    for (int i = 0; i < APART_GROUP; ++i) {
        apart_answer answer = ask_twin(group, i);
        toi_query back;
        memcpy(back.start, group->queries[i].end, sizeof back.start);
        memcpy(back.end, group->queries[i].start, sizeof back.end);
        double last = 1 - twin_apart(group->kind, &back, group->separation, 1).time;
        if (answer.hit && answer.time > 0 && last > answer.time && last - answer.time < 0x1p-16)
            answer.time = last;
        results[i] = result_of(&answer);
    }
}

// How far the first point is from the plane of the face, or the lines of the edges are apart.
static double plane_distance(toi_kind kind, const toi_query *query)
{
    const double(*x)[3] = query->start;
    double e[3], g[3], n[3], height = 0, length = 0;
    for (int k = 0; k < 3; ++k) {
        e[k] = kind == TOI_EDGE_EDGE ? x[1][k] - x[0][k] : x[2][k] - x[1][k];
        g[k] = kind == TOI_EDGE_EDGE ? x[3][k] - x[2][k] : x[3][k] - x[1][k];
    }
    for (int k = 0; k < 3; ++k) {
        n[k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
        height += n[k] * (x[0][k] - x[kind == TOI_EDGE_EDGE ? 2 : 1][k]);
        length = hypot(length, n[k]);
    }
    return length > 0 ? fabs(height) / length : INFINITY;
}

// Takes the plane's distance for that of the face.
static void solve_from_plane(const apart_group *group, apart_result results[APART_GROUP])
{
    for (int i = 0; i < APART_GROUP; ++i) {
        apart_answer answer = ask_twin(group, i);
        double bound = group->kind >= TOI_PAIR_KINDS
                           ? INFINITY
                           : plane_distance(group->kind, &group->queries[i]);
        double s = group->separation + group->share * (bound - group->separation);
        if (!answer.starts_inside && s < answer.separation && s >= 0) {
            bool inside = answer.starts_inside;
            answer = twin_apart(group->kind, &group->queries[i], s, group->t_max);
            answer.starts_inside = inside;
        }
        results[i] = result_of(&answer);
    }
}

// Hits that are no double, one ulp late.
static void solve_late(const apart_group *group, apart_result results[APART_GROUP])
{
    for (int i = 0; i < APART_GROUP; ++i) {
        apart_answer answer = ask_twin(group, i);
        if (answer.hit && !answer.time_is_exact)
            answer.time = nextafter(answer.time, 2);
        results[i] = result_of(&answer);
    }
}

static void wrong_solvers_are_caught(void **state)
{
    (void)state;
    const struct
    {
        const char *what;
        apart_solve_fn *solve;
        apart_group (*make)(int family, toi_random *random);
        int family;
    } mistakes[] = {
        {"one ulp late", solve_late, make_absolute, APART_RANDOM},
        {"a direction longer than 1", solve_with_long_direction, make_absolute, APART_LATTICE},
        {"a direction longer than 1", solve_with_long_direction, make_absolute, APART_NEAR},
        {"the last of near roots", solve_for_last_root, make_absolute, APART_NEAR},
        {"the distance of a plane", solve_from_plane, make_relative, 0},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        comparison c = {.solve = mistakes[i].solve,
                        .make = mistakes[i].make,
                        .family = mistakes[i].family,
                        .seed = 15,
                        .printing = ATOMIC_FLAG_INIT};
        print_message("  %s:\n", mistakes[i].what);
        compare_queries(&c, slow_cases(4000));
        assert_true(c.wrong > slow_cases(4000) / 100);
    }
}

// The comparison sees every single difference.
static void agreement_is_strict(void **state)
{
    (void)state;
    apart_answer truth = {.hit = true, .time = 0.3, .separation = 1};
    apart_result right = result_of(&truth), r = right;
    assert_true(agrees(&truth, &r));
    r.time = nextafter(0.3, 0);
    assert_false(agrees(&truth, &r));
    r = right;
    r.time_is_exact = true;
    assert_false(agrees(&truth, &r));
    r = right;
    r.starts_inside = true;
    assert_false(agrees(&truth, &r));
    r = right;
    r.state = TOI_UNDECIDED;
    assert_false(agrees(&truth, &r));
    truth = (apart_answer){.time = INFINITY};
    assert_false(agrees(&truth, &right));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreement_is_strict),
        cmocka_unit_test(wrong_solvers_are_caught),
        cmocka_unit_test(random_queries_agree),
        cmocka_unit_test(lattice_queries_agree),
        cmocka_unit_test(nearly_degenerate_queries_agree),
        cmocka_unit_test(relative_queries_agree),
        cmocka_unit_test(every_instruction_set_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
