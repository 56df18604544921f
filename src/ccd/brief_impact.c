// Impacts from what is brief of them. A list is found and sorted by pairs and times alone; places
// and normals, which are most of it, follow from these, and are written once, where they stay.

#include "ccd/brief_impact.h"

#include "ccd/corners.h"

enum
{
    AT_ONCE = 64
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

// The same kind of question: one batch can have them.
static bool is_alike(const toi_brief *a, const toi_brief *b)
{
    return a->key >> 62 == b->key >> 62 && ((a->value ^ b->value) & SECOND_PASS) == 0;
}

// Up to AT_ONCE that are alike.
static void place_alike(const toi_pipeline *p, const toi_corner_source *source,
                        const toi_brief *brief, int64_t count, toi_impact *impacts)
{
    toi_query queries[AT_ONCE];
    toi_query_result results[AT_ONCE];
    toi_kind kind = (toi_kind)(brief->key >> 62);
    bool second = brief->value & SECOND_PASS;
    toi_narrow_batch batch = {.def = &p->def->narrow,
                              .kind = toi_raised_kind(kind),
                              .count = count,
                              .queries = queries,
                              .relative = second ? 0 : p->policy.relative_separation,
                              .results = results};
    for (int64_t i = 0; i < count; ++i) {
        toi_record_key key = toi_unpack_key(brief[i].key);
        toi_gather_corners(source, kind, (toi_pair){key.a, key.b}, &queries[i]);
        results[i] = (toi_query_result){.state = TOI_HIT, .time = time_of(&brief[i])};
    }
    toi_place_hits(&batch);
    for (int64_t i = 0; i < count; ++i) {
        toi_query_result *r = &results[i];
        toi_record_key key = toi_unpack_key(brief[i].key);
        toi_lower_result(kind, r);
        impacts[i] = (toi_impact){.kind = key.kind,
                                  .a = key.a,
                                  .b = key.b,
                                  .state = brief[i].value & UNDECIDED ? TOI_UNDECIDED : TOI_HIT,
                                  .time = second ? r->time * p->policy.rescale : r->time,
                                  .u = r->u,
                                  .v = r->v,
                                  .normal = {r->normal[0], r->normal[1], r->normal[2]}};
    }
}

void toi_place_impacts(const toi_pipeline *p, const toi_brief *brief, int64_t count,
                       toi_impact *impacts)
{
    const toi_corner_source source = toi_find_corner_source(&p->mesh);
    for (int64_t i = 0; i < count; ++i) {
        toi_record_key key = toi_unpack_key(brief[i].key);
        toi_fetch_corners(&source, (toi_kind)key.kind, (toi_pair){key.a, key.b});
    }
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && end - first < AT_ONCE; ++end)
            if (!is_alike(&brief[first], &brief[end]))
                break;
        place_alike(p, &source, brief + first, end - first, impacts + first);
    }
}
