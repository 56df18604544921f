// The policy of docs/separation.md, section 5, one candidate at a time.

#include "slow_policy.h"

#include "narrow/narrow.h"
#include "support.h"

#include <math.h>
#include <string.h>

static double distance_at_start(toi_kind kind, const toi_query *q)
{
    const double(*p)[3] = q->start;
    return kind == TOI_EDGE_EDGE ? toi_edge_edge_distance(p[0], p[1], p[2], p[3], NULL)
                                 : toi_point_triangle_distance(p[0], p[1], p[2], p[3], NULL);
}

bool begins_inside(const toi_mesh *mesh, toi_kind kind, toi_pair pair, double separation)
{
    toi_query query = toi_gather_query(mesh, kind, pair);
    toi_narrow_def def = toi_default_narrow_def();
    toi_query_result result;
    def.min_separation = separation;
    def.t_max = 0;
    memcpy(query.end, query.start, sizeof query.end);
    assert_ok(toi_solve_queries(&def, kind, &query, 1, &result));
    return result.state != TOI_SEPARATED;
}

// One query as the pipeline has it solved; `share` of its distance is to be kept.
static toi_query_result solve(const toi_narrow_def *def, toi_kind kind, const toi_query *query,
                              double share)
{
    toi_query_result result;
    void *scratch = toi_allocate((size_t)toi_narrow_scratch_bytes(def->method) + 64);
    toi_narrow_batch batch = {.def = def,
                              .kind = toi_raised_kind(kind),
                              .count = 1,
                              .queries = query,
                              .results = &result,
                              .scratch = scratch};
    double least = def->min_separation, distance = distance_at_start(kind, query), separation;
    bool exact = toi_narrow_guarantee(def->method) == TOI_GUARANTEE_EXACT;
    separation = distance > least ? least + share * (distance - least) : share * distance;
    if (exact)
        batch.relative = share;
    else if (share > 0)
        batch.separations = &separation;
    toi_narrow_solver(def->method)(&batch);
    if (exact && (least > 0 || share > 0) && fabs(distance - least) > 1e-12)
        assert_int_equal(result.starts_inside, distance <= least);
    if (!exact && share > 0)
        result.starts_inside = distance <= least;
    toi_release(scratch);
    return result;
}

static toi_query_result solve_by_policy(const toi_ccd_def *def, toi_kind kind,
                                        const toi_query *query, slow_answer *answer)
{
    const toi_zero_time_policy *policy = &def->zero_time;
    toi_narrow_def narrow = def->narrow;
    narrow.t_max = 1;
    toi_query_result result = solve(&narrow, kind, query, policy->relative_separation);
    if (result.state != TOI_SEPARATED && !result.starts_inside && policy->rescale > 0 &&
        result.time <= policy->small_time) {
        bool inside = result.starts_inside;
        narrow.no_zero_time = toi_narrow_traits(narrow.method) & TOI_NARROW_TRAIT_REFINEMENT;
        result = solve(&narrow, kind, query, 0);
        result.time *= policy->rescale;
        result.starts_inside = inside;
        ++answer->rescaled;
    }
    if (!(result.time <= def->narrow.t_max))
        result.state = TOI_SEPARATED;
    return result;
}

static void add_impact(slow_answer *answer, const toi_impact *impact)
{
    toi_impact_array *list = &answer->impacts;
    if (list->count == list->capacity) {
        int64_t capacity = 2 * list->capacity + 16;
        toi_impact *data = toi_allocate((size_t)capacity * sizeof *data);
        assert_non_null(data);
        if (list->count > 0)
            memcpy(data, list->data, (size_t)list->count * sizeof *data);
        toi_release(list->data);
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = *impact;
    if (impact->time < answer->earliest.time) // the list is in order: the first of equals stays
        answer->earliest = *impact;
}

static void ask_about(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind, toi_pair pair,
                      slow_answer *answer)
{
    toi_query query = toi_gather_query(mesh, kind, pair);
    toi_query_result r = solve_by_policy(def, kind, &query, answer);
    if (kind >= TOI_PAIR_KINDS)
        toi_lower_result(kind, &r);
    if (r.starts_inside && answer->inside++ == 0)
        answer->first_inside = (toi_pair_name){(int32_t)kind, pair.a, pair.b};
    if (r.state != TOI_SEPARATED)
        add_impact(answer, &(toi_impact){.kind = (int32_t)kind,
                                         .a = pair.a,
                                         .b = pair.b,
                                         .state = (int32_t)r.state,
                                         .time = r.time,
                                         .u = r.u,
                                         .v = r.v,
                                         .normal = {r.normal[0], r.normal[1], r.normal[2]}});
}

slow_answer ask_slowly(const toi_ccd_def *def, const toi_mesh *mesh)
{
    slow_answer answer = {.earliest.time = INFINITY, .first_inside.kind = TOI_KIND_COUNT};
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_pair_array pairs = {0};
        assert_ok(toi_find_candidates(def, mesh, (toi_kind)kind, &pairs, NULL));
        for (int64_t i = 0; i < pairs.count; ++i)
            ask_about(def, mesh, (toi_kind)kind, pairs.data[i], &answer);
        toi_free_pairs(&pairs);
    }
    return answer;
}
