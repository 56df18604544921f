// Counts impacts, keeps the earliest and the list, and reports them in the end.

#include "ccd/question.h"

#include "ccd/brief_impact.h"
#include "ccd/corners.h"

#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

uint64_t toi_time_bits(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

double toi_bits_time(uint64_t bits)
{
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

void toi_lower_time(_Atomic uint64_t *least, double time)
{
    uint64_t bits = toi_time_bits(time);
    uint64_t current = atomic_load_explicit(least, memory_order_relaxed);
    while (bits < current && !atomic_compare_exchange_weak(least, &current, bits)) {}
}

bool toi_is_earlier(const toi_impact *a, const toi_impact *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static void lower_times(toi_question *q, const toi_impact *impact)
{
    int32_t corners[4];
    toi_pair pair = {impact->a, impact->b};
    toi_pair_corners(&q->pipeline.mesh, (toi_kind)impact->kind, pair, corners);
    for (int c = 0; c < 4; ++c)
        toi_lower_time(&q->times[corners[c]], impact->time);
}

toi_status toi_consume_impacts(void *context, const toi_impact *impacts, int64_t count, int worker)
{
    toi_question *q = context;
    toi_tally *t = &q->tallies[worker];
    for (int64_t i = 0; i < count; ++i) {
        if (toi_is_earlier(&impacts[i], &t->earliest))
            t->earliest = impacts[i];
        ++t->hits[impacts[i].kind];
        t->undecided[impacts[i].kind] += impacts[i].state == TOI_UNDECIDED;
        if (q->times)
            lower_times(q, &impacts[i]);
    }
    toi_lower_time(&q->best, t->earliest.time);
    return q->recorder ? toi_keep_records(q->recorder, impacts, count, worker) : TOI_OK;
}

static toi_impact name_impact(const toi_brief *brief, double time)
{
    toi_record_key key = toi_unpack_key(brief->key);
    return (toi_impact){
        .kind = key.kind, .a = key.a, .b = key.b, .state = toi_brief_state(brief), .time = time};
}

toi_status toi_consume_briefs(void *context, const toi_brief *found, int64_t count, int worker)
{
    toi_question *q = context;
    toi_tally *t = &q->tallies[worker];
    int64_t undecided = 0;
    for (int64_t i = 0; i < count; ++i) {
        double time = toi_listed_time(&q->pipeline, &found[i]);
        undecided += toi_brief_state(&found[i]) == TOI_UNDECIDED;
        if (time <= t->earliest.time) { // seldom, or always: many start inside
            toi_impact impact = name_impact(&found[i], time);
            if (toi_is_earlier(&impact, &t->earliest))
                t->earliest = impact;
        }
    }
    int kind = toi_unpack_key(found->key).kind;
    t->hits[kind] += count;
    t->undecided[kind] += undecided;
    return toi_keep_records(q->recorder, found, count, worker);
}

void toi_reset_tallies(toi_question *q)
{
    for (int w = 0; w < q->pipeline.workers; ++w)
        q->tallies[w] = (toi_tally){.earliest.time = INFINITY};
}

toi_status toi_begin_question(toi_question *q, const toi_ccd_def *def, toi_step step,
                              toi_impact_array *impacts)
{
    _Static_assert(sizeof(toi_impact) == 64, "the message says so");
    *q = (toi_question){.best = toi_time_bits(INFINITY)};
    const char *list = impacts ? "64 bytes for every impact" : NULL;
    toi_status status =
        toi_pipeline_begin(&q->pipeline, def, step, (toi_purpose){.solve = true, .list = list});
    if (impacts && !toi_reuse(q->pipeline.budget, impacts->data))
        toi_free_impacts(impacts);
    if (status == TOI_OK)
        status = toi_prepare_step(&q->pipeline);
    if (status != TOI_OK)
        return status;
    int workers = q->pipeline.workers;
    q->tallies = toi_take(q->pipeline.budget, workers, sizeof *q->tallies);
    if (!q->tallies)
        return toi_allocation_status();
    toi_reset_tallies(q);
    return TOI_OK;
}

void toi_merge_tallies(toi_question *q)
{
    toi_ccd_report *report = &q->pipeline.report;
    for (int w = 0; w < q->pipeline.workers; ++w) {
        const toi_tally *t = &q->tallies[w];
        if (toi_is_earlier(&t->earliest, &report->earliest))
            report->earliest = t->earliest;
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            report->hits[kind] += t->hits[kind];
            report->undecided[kind] += t->undecided[kind];
        }
    }
    toi_reset_tallies(q);
}

static const char *first_word(int kind)
{
    return kind == TOI_EDGE_EDGE ? "edge" : "vertex";
}

static const char *second_word(int kind)
{
    return kind == TOI_VERTEX_FACE ? "face" : kind == TOI_POINT_POINT ? "vertex" : "edge";
}

// In strict mode pairs that start too close are an error.
static toi_status refuse_inside(const toi_question *q)
{
    const toi_ccd_report *report = &q->pipeline.report;
    const toi_pair_name *name = &report->first_inside;
    if (!q->pipeline.def->zero_time.strict || report->inside == 0)
        return TOI_OK;
    return toi_fail(TOI_ERROR_DATA,
                    "%s %d and %s %d start at min_separation, %g, or closer (pairs that do: "
                    "%" PRId64 "); move them apart, ask for less, or clear zero_time.strict",
                    first_word(name->kind), name->a, second_word(name->kind), name->b,
                    q->pipeline.def->narrow.min_separation, report->inside);
}

toi_status toi_end_question(toi_question *q, toi_status status, toi_ccd_report *report)
{
    if (q->tallies) {
        toi_merge_tallies(q);
        toi_give_back(q->tallies);
    }
    if (status == TOI_OK)
        status = refuse_inside(q);
    return toi_pipeline_end(&q->pipeline, status, report);
}
