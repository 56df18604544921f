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
    return a->key >> 62 == b->key >> 62 && ((a->value ^ b->value) & TOI_SECOND_PASS) == 0;
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
        results[i] = (toi_query_result){.state = TOI_HIT, .time = toi_brief_time(&of->brief[i])};
    }
    toi_place_hits(&batch);
    for (int64_t i = 0; i < of->count; ++i) {
        toi_query_result *r = &results[i];
        toi_record_key key = toi_unpack_key(of->brief[i].key);
        toi_lower_result(of->kind, r);
        impacts[i] = (toi_impact){.kind = key.kind,
                                  .a = key.a,
                                  .b = key.b,
                                  .state = toi_brief_state(&of->brief[i]),
                                  .time = toi_listed_time(of->pipeline, &of->brief[i]),
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
    for (int64_t i = 0; i < of->count; ++i) { // those of `a` follow each other
        toi_record_key key = toi_unpack_key(of->brief[i].key);
        __builtin_prefetch(of->kind == TOI_EDGE_EDGE
                               ? toi_edge_at(&of->pipeline->mesh.edges, key.b)
                               : toi_face_at(&of->pipeline->mesh.faces, key.b));
    }
    for (int64_t i = 0; i < of->count; ++i) {
        const toi_brief *brief = &of->brief[i];
        toi_record_key key = toi_unpack_key(brief->key);
        int32_t corners[4];
        toi_pair_corners(&of->pipeline->mesh, of->kind, (toi_pair){key.a, key.b}, corners);
        for (int c = 0; c < 4; ++c) {
            found.corners[i][c] = &vertices[corners[c]];
            __builtin_prefetch(found.corners[i][c]);
        }
        found.at[i] = toi_brief_time(brief);
        found.time[i] = toi_listed_time(of->pipeline, brief);
        found.names[0][i] = (toi_two_words){{key.kind, key.a}};
        found.names[1][i] = (toi_two_words){{key.b, (int32_t)toi_brief_state(brief)}};
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
        bool second = brief[first].value & TOI_SECOND_PASS;
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
