// `exact` with a separation against its slow twin, bit for bit: random queries, small integers with
// exact ties, and nearly degenerate ones. The comparison takes the solver as an argument, so that
// it can be shown to catch a wrong one. `make test-long` takes ten times as many.

#include "base/parallel.h"
#include "exact/apart_queries.h"
#include "exact/apart_twin.h"
#include "exact/trial.h"

#include <math.h>
#include <string.h>

// What a solver says of a query.
typedef struct apart_result
{
    toi_state state;
    double time;
    bool time_is_exact;
    bool starts_inside; // looked at only where the group has a share
} apart_result;

// Answers all queries of a group; runs on several threads at once.
typedef void apart_solve_fn(const apart_group *group, apart_result results[APART_GROUP]);

// ---- Solvers

// The library.
static void solve_exactly(const apart_group *group, apart_result results[APART_GROUP])
{
    toi_query_result found[APART_GROUP];
    toi_narrow_def def = toi_default_narrow_def();
    def.workers = 1;
    def.min_separation = group->separation;
    def.t_max = group->t_max;
    memset(found, 0x55, sizeof found);
    toi_status status = toi_solve_queries(&def, group->kind, group->queries, APART_GROUP, found);
    for (int i = 0; i < APART_GROUP; ++i)
        results[i] = (apart_result){.state = status == TOI_OK ? found[i].state : TOI_UNDECIDED,
                                    .time = found[i].time,
                                    .time_is_exact = found[i].time_is_exact};
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

static bool agrees(const apart_group *group, const apart_answer *truth, const apart_result *r)
{
    return r->state == (truth->hit ? TOI_HIT : TOI_SEPARATED) && same_bits(r->time, truth->time) &&
           r->time_is_exact == truth->time_is_exact &&
           (group->share == 0 || r->starts_inside == truth->starts_inside);
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
        if (agrees(&group, &truth, &results[i]))
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

static void random_queries_agree(void **state)
{
    (void)state;
    check_family(APART_RANDOM, cases(100000), 11);
}

static void lattice_queries_agree(void **state)
{
    (void)state;
    check_family(APART_LATTICE, cases(100000), 12);
}

static void nearly_degenerate_queries_agree(void **state)
{
    (void)state;
    check_family(APART_NEAR, cases(100000), 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_queries_agree),
        cmocka_unit_test(lattice_queries_agree),
        cmocka_unit_test(nearly_degenerate_queries_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
