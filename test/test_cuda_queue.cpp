// `inclusion-queue` as a card runs it, on the host, with the cells of a level in any order, against
// the narrow phase: every byte of every result. And what it drops of a scene's candidates before.

#include "toi/narrow_phase.h"
#include "toi/random.h"

#include "cuda/queue.cuh"
#include "cuda_climb.h"

extern "C"
{
#include "exact/hard_queries.h"
#include "host_cull.h"
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// As src/cuda/inclusion.cu does it.
static toi_query_result search(bool edge_edge, const toi_narrow_def *def, const toi_query *query,
                               toi_random *random)
{
    toi_query_result result;
    toi_queued q;
    memset(&result, 0, sizeof result);
    result.time = INFINITY;
    if (!toi_take_queued(edge_edge, def, query, &q))
        return result;
    std::vector<toi_cell> cells(1, q.next.first), next;
    for (;;) {
        toi_begin_level(edge_edge, def, query, &q, &result);
        if (q.ended)
            return result;
        next.clear();
        while (!cells.empty()) {
            std::swap(cells[toi_random_below(random, cells.size())], cells.back());
            toi_cell_outcome o;
            toi_process_cell(&q, cells.back(), &o);
            cells.pop_back();
            toi_join_outcome(&o, &q.next);
            q.next.hit |= o.hit;
            q.next.waiting += o.remain;
            next.insert(next.end(), o.left, o.left + o.remain);
        }
        cells.swap(next);
    }
}

static long long all, hits, undecided, wrong, culled;

static void check(toi_kind kind, const toi_narrow_def *def, const std::vector<toi_query> &queries,
                  toi_random *random)
{
    std::vector<toi_query_result> results(queries.size());
    if (toi_solve_queries(def, kind, queries.data(), (int64_t)queries.size(), results.data()) !=
        TOI_OK) {
        printf("FAIL: %s\n", toi_last_message());
        exit(1);
    }
    for (size_t i = 0; i < queries.size(); ++i) {
        const toi_query_result *r = &results[i];
        toi_query_result found = search(kind == TOI_EDGE_EDGE, def, &queries[i], random);
        ++all;
        hits += r->state == TOI_HIT;
        undecided += r->state == TOI_UNDECIDED;
        if (memcmp(&found, r, sizeof found) != 0 && ++wrong <= 5)
            printf("WRONG: %s: %d at %a (%a %a) after %d, not %d at %a (%a %a) after %d\n",
                   toi_kind_name(kind), found.state, found.time, found.u, found.v, found.iterations,
                   r->state, r->time, r->u, r->v, r->iterations);
    }
}

// A card drops the candidates that the processor drops: by the axes in double precision, with which
// a query begins (toi_take_queued), or by a direction in single precision.
static void check_cull(toi_kind kind, double separation, const toi_query *query)
{
    bool edge_edge = kind == TOI_EDGE_EDGE;
    double points[2][4][3];
    memcpy(points[0], query->start, sizeof points[0]);
    memcpy(points[1], query->end, sizeof points[1]);
    bool axes = toi_axes_apart(edge_edge, points, (const double *)0, &separation) != 0;
    bool expected = host_culls(kind, query, separation);
    culled += expected && !axes;
    if ((axes || card_culls(edge_edge, query, separation)) != expected && ++wrong <= 5)
        printf("WRONG: %s: culled by the processor: %d\n", toi_kind_name(kind), expected);
}

static toi_narrow_def random_def(toi_random *random)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION_QUEUE;
    def.t_max = toi_random_below(random, 3) ? 1 : toi_random_unit(random);
    def.min_separation =
        toi_random_below(random, 3) ? 0 : ldexp(1, -(int)toi_random_below(random, 30));
    def.tolerance = toi_random_below(random, 2) ? 1e-6 : 1e-3;
    def.no_zero_time = toi_random_below(random, 3) == 0;
    def.max_iterations =
        toi_random_below(random, 4) ? 100000 : 1 + (int)toi_random_below(random, 50);
    return def;
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : 4000;
    int failed = 0;
    if (!(toi_narrow_traits(TOI_NARROW_INCLUSION_QUEUE) & TOI_NARROW_TRAIT_BUILT)) {
        puts("0 passed, 0 failed, 1 skipped"); // the methods of the literature were left out
        return 0;
    }
    for (int family = 0; family < HARD_FAMILIES; ++family) {
        toi_random random = {7};
        all = hits = undecided = wrong = culled = 0;
        for (int64_t done = 0; done < count; done += 32) {
            toi_kind kind = toi_random_below(&random, 2) ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
            toi_narrow_def def = random_def(&random);
            std::vector<toi_query> queries;
            for (int i = 0; i < 32; ++i)
                queries.push_back(make_hard_query((hard_family)family, kind, &random));
            check(kind, &def, queries, &random);
            for (const toi_query &query : queries)
                check_cull(kind, def.min_separation, &query);
        }
        printf("  %s: %lld queries, %lld hits, %lld undecided, %lld culled by a direction; %lld "
               "wrong\n",
               hard_family_name((hard_family)family), all, hits, undecided, culled, wrong);
        failed += wrong > 0 || hits == 0 || culled == 0;
    }
    printf("%d passed, %d failed\n", HARD_FAMILIES - failed, failed);
    return failed != 0;
}
