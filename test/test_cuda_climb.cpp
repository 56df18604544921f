// A list of queries as a card climbs it, on the host, against the narrow phase: every byte of every
// result, but for the few that the card would leave to the host, which are counted.

#include "toi/narrow_phase.h"
#include "toi/random.h"

#include "cuda/climb.cuh"

extern "C"
{
#include "exact/hard_queries.h"
}
#include "cuda_climb.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

// As src/cuda/queries.cu does it.
static toi_query_result climb(bool edge_edge, const toi_query *query, double t_max, bool all)
{
    toi_query_result result;
    toi_climber c;
    memset(&result, 0, sizeof result);
    result.time = INFINITY;
    result.rung = (uint8_t)card_filters(edge_edge, query, t_max, all);
    if (result.rung != TOI_RUNG_NONE)
        return result;
    toi_copy_points(query, c.points);
    int verdict = toi_climb_query(edge_edge, &c, t_max, all, &result);
    if (verdict == TOI_VERDICT_KNOT)
        result.state = (toi_state)(all ? TOI_STATE_COUNT
                                       : toi_untie_query(edge_edge, c.points, t_max, &result));
    if (result.state == TOI_HIT) {
        toi_copy_points(query, c.points);
        toi_place_query(edge_edge, c.points, &result);
    }
    return result;
}

static long long counts[TOI_RUNG_COUNT], hits, exact_times, left, wrong;

static void show(toi_kind kind, const toi_query *query, const toi_query_result *found,
                 const toi_query_result *expected)
{
    const toi_query_result *both[2] = {found, expected};
    printf("WRONG: %s\n", toi_kind_name(kind));
    for (const toi_query_result *r : both)
        printf("    %s at %a, exact %d, (%a %a) (%a %a %a), %d contacts, by %s\n",
               toi_state_name(r->state), r->time, r->time_is_exact, r->u, r->v, r->normal[0],
               r->normal[1], r->normal[2], r->contacts, toi_rung_name((toi_rung)r->rung));
    for (int i = 0; i < 8; ++i) {
        const double *x = i < 4 ? query->start[i] : query->end[i - 4];
        printf("    %a, %a, %a\n", x[0], x[1], x[2]);
    }
}

static void check(toi_kind kind, const std::vector<toi_query> &queries, double t_max, bool all)
{
    std::vector<toi_query_result> results(queries.size());
    toi_narrow_def def = toi_default_narrow_def();
    def.t_max = t_max;
    def.all_roots = all;
    if (toi_solve_queries(&def, kind, queries.data(), (int64_t)queries.size(), results.data()) !=
        TOI_OK) {
        printf("FAIL: %s\n", toi_last_message());
        exit(1);
    }
    for (size_t i = 0; i < queries.size(); ++i) {
        const toi_query_result *expected = &results[i];
        toi_query_result found = climb(kind == TOI_EDGE_EDGE, &queries[i], t_max, all);
        ++counts[expected->rung];
        hits += expected->state == TOI_HIT;
        exact_times += expected->time_is_exact;
        left += found.state == TOI_STATE_COUNT;
        if (found.state != TOI_STATE_COUNT && memcmp(&found, expected, sizeof found) != 0 &&
            ++wrong <= 5)
            show(kind, &queries[i], &found, expected);
    }
}

static int finish(const char *what)
{
    printf("  %s: %lld hits, %lld exact times, %lld left to the host;", what, hits, exact_times,
           left);
    for (int i = 0; i < TOI_RUNG_COUNT; ++i)
        if (counts[i] > 0)
            printf(" %s %lld", toi_rung_name((toi_rung)i), counts[i]);
    printf("; %lld wrong\n", wrong);
    bool failed = wrong > 0 || hits == 0;
    memset(counts, 0, sizeof counts);
    hits = exact_times = left = wrong = 0;
    return failed;
}

template <class Make>
static int check_random(const char *what, int64_t count, bool all, Make make)
{
    toi_random random = {17};
    for (int64_t done = 0; done < count; done += 64) {
        toi_kind kind = toi_random_below(&random, 2) ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
        double t_max = toi_random_below(&random, 4)   ? 1
                       : toi_random_below(&random, 8) ? toi_random_unit(&random)
                                                      : 0;
        std::vector<toi_query> queries;
        for (int i = 0; i < 64; ++i)
            queries.push_back(make(kind, &random));
        check(kind, queries, t_max, all);
    }
    return finish(what);
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : 100000;
    int failed = 0;
    for (int family = 0; family < HARD_FAMILIES; ++family)
        for (int all = 0; all < 2; ++all) {
            printf(all ? "all roots: " : "");
            failed += check_random(hard_family_name((hard_family)family), count, all,
                                   [&](toi_kind kind, toi_random *random) {
                                       return make_hard_query((hard_family)family, kind, random);
                                   });
        }
    failed += check_random("any exponents", count / 10, false,
                           [](toi_kind, toi_random *random) { return make_mixed_query(random); });
    printf("%d passed, %d failed\n", 2 * HARD_FAMILIES + 1 - failed, failed);
    return failed != 0;
}
