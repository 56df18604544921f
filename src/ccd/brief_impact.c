// Impacts from what is brief of them. A list is found and sorted by pairs and times alone; places
// and normals, which are most of it, follow from these, and are written once, where they stay.

#include "ccd/brief_impact.h"

#include "base/simd.h"
#include "ccd/apart_impacts.h"
#include "ccd/corners.h"

enum
{
    AT_ONCE = TOI_APART_IMPACTS
};

// Times are at most 1, so that two bits of theirs are free.
#define SECOND_PASS ((uint64_t)1 << 63) // the time is the second pass's, before it was shortened
#define UNDECIDED ((uint64_t)1 << 62)

toi_brief toi_make_brief(const toi_impact *impact)
{
    toi_record_key key = {impact->kind, impact->a, impact->b};
    uint64_t marks =
        (impact->v > 0 ? SECOND_PASS : 0) | (impact->state == TOI_UNDECIDED ? UNDECIDED : 0);
    return (toi_brief){toi_pack_key(key), toi_time_bits(impact->u) | marks};
}

static double time_of(const toi_brief *brief)
{
    return toi_bits_time(brief->value & ~(SECOND_PASS | UNDECIDED));
}

static toi_state state_of(const toi_brief *brief)
{
    return brief->value & UNDECIDED ? TOI_UNDECIDED : TOI_HIT;
}

// Some that are alike: of one kind, and of the same pass.
typedef struct alike
{
    const toi_pipeline *pipeline;
    const toi_corner_source *source;
    const toi_brief *brief;
    int64_t count; // up to AT_ONCE
    toi_kind kind;
    bool second;
    double relative; // the share that their pass asked about
} alike;

static bool is_alike(const toi_brief *a, const toi_brief *b)
{
    return a->key >> 62 == b->key >> 62 && ((a->value ^ b->value) & SECOND_PASS) == 0;
}

// What the list says of a time that was found.
static double listed_time(const alike *of, double time)
{
    return of->second ? time * of->pipeline->policy.rescale : time;
}

// From queries.
static void place_queries(const alike *of, toi_impact *impacts)
{
    toi_query queries[AT_ONCE];
    toi_query_result results[AT_ONCE];
    toi_narrow_batch batch = {.def = &of->pipeline->def->narrow,
                              .kind = toi_raised_kind(of->kind),
                              .count = of->count,
                              .queries = queries,
                              .relative = of->relative,
                              .results = results};
    for (int64_t i = 0; i < of->count; ++i) {
        toi_record_key key = toi_unpack_key(of->brief[i].key);
        toi_fetch_corners(of->source, of->kind, (toi_pair){key.a, key.b});
    }
    for (int64_t i = 0; i < of->count; ++i) {
        toi_record_key key = toi_unpack_key(of->brief[i].key);
        toi_gather_corners(of->source, of->kind, (toi_pair){key.a, key.b}, &queries[i]);
        results[i] = (toi_query_result){.state = TOI_HIT, .time = time_of(&of->brief[i])};
    }
    toi_place_hits(&batch);
    for (int64_t i = 0; i < of->count; ++i) {
        toi_query_result *r = &results[i];
        toi_record_key key = toi_unpack_key(of->brief[i].key);
        toi_lower_result(of->kind, r);
        impacts[i] = (toi_impact){.kind = key.kind,
                                  .a = key.a,
                                  .b = key.b,
                                  .state = state_of(&of->brief[i]),
                                  .time = listed_time(of, r->time),
                                  .u = r->u,
                                  .v = r->v,
                                  .normal = {r->normal[0], r->normal[1], r->normal[2]}};
    }
}

toi_apart_impacts_fn toi_place_apart_impacts_baseline, toi_place_apart_impacts_avx2,
    toi_place_apart_impacts_avx512;

// With a separation, from the table of vertices.
static void place_apart(const alike *of, toi_impact *impacts)
{
    static toi_apart_impacts_fn *const kernels[TOI_SIMD_COUNT] =
        TOI_ISA_TABLE(toi_place_apart_impacts);
    const toi_moving_vertex *vertices = of->pipeline->trajectories;
    toi_apart_impacts found;
    found.kind = toi_raised_kind(of->kind);
    found.count = of->count;
    for (int64_t i = 0; i < of->count; ++i) {
        const toi_brief *brief = &of->brief[i];
        toi_record_key key = toi_unpack_key(brief->key);
        int32_t corners[4];
        toi_pair_corners(&of->pipeline->mesh, of->kind, (toi_pair){key.a, key.b}, corners);
        for (int c = 0; c < 4; ++c) {
            found.corners[i][c] = &vertices[corners[c]];
            __builtin_prefetch(found.corners[i][c]);
        }
        found.at[i] = time_of(brief);
        found.time[i] = listed_time(of, found.at[i]);
        memcpy(&found.names[0][i], (int32_t[]){key.kind, key.a}, sizeof found.names[0][i]);
        memcpy(&found.names[1][i], (int32_t[]){key.b, state_of(brief)}, sizeof found.names[1][i]);
    }
    kernels[toi_simd_level()](&found, impacts);
    for (int64_t i = 0; i < of->count && of->kind >= TOI_PAIR_KINDS; ++i) {
        toi_query_result r = {.u = impacts[i].u, .v = impacts[i].v};
        toi_lower_result(of->kind, &r);
        impacts[i].u = r.u;
        impacts[i].v = r.v;
    }
}

static void place_alike(const alike *of, toi_impact *impacts)
{
    bool apart = of->pipeline->def->narrow.min_separation > 0 || of->relative > 0;
    if (apart && of->pipeline->trajectories)
        place_apart(of, impacts);
    else
        place_queries(of, impacts);
}

void toi_place_impacts(const toi_pipeline *p, const toi_brief *brief, int64_t count,
                       toi_impact *impacts)
{
    const toi_corner_source source = toi_find_corner_source(&p->mesh);
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && end - first < AT_ONCE; ++end)
            if (!is_alike(&brief[first], &brief[end]))
                break;
        bool second = brief[first].value & SECOND_PASS;
        alike of = {.pipeline = p,
                    .source = &source,
                    .brief = brief + first,
                    .count = end - first,
                    .kind = (toi_kind)(brief[first].key >> 62),
                    .second = second,
                    .relative = second ? 0 : p->policy.relative_separation};
        place_alike(&of, impacts + first);
    }
}
