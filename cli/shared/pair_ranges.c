// A first search counts the pairs of each first primitive; ranges of these are chosen so that their
// pairs fit; a search for each range keeps its pairs and lets the others pass. Ranges follow each
// other, so only the pairs of one need sorting at a time.

#include "pair_ranges.h"

#include "progress.h"
#include "text.h"

#include <stdatomic.h>

static toi_status count_block(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)context; // the report has the number
    (void)pairs;
    (void)count;
    (void)worker;
    return TOI_OK;
}

toi_status count_candidates(const toi_ccd_def *def, const toi_mesh *mesh, candidate_count *count)
{
    *count = (candidate_count){0};
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind) {
        toi_ccd_report report;
        status = toi_stream_candidates(def, mesh, (toi_kind)kind, count_block, NULL, &report);
        count->counts[kind] = report.candidates[kind];
        count->prepare += report.seconds_prepare;
        count->search += report.seconds_broad;
        if (report.peak_bytes > count->peak_bytes)
            count->peak_bytes = report.peak_bytes;
    }
    return status;
}

toi_status complete_candidates(const toi_ccd_def *def, const toi_mesh *mesh, toi_ccd_report *report)
{
    bool complete = true;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        complete &= report->candidates[kind] >= 0;
    if (complete)
        return TOI_OK;
    toi_ccd_def quiet = *def;
    quiet.progress = NULL;
    candidate_count found;
    toi_status status = count_candidates(&quiet, mesh, &found);
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind)
        report->candidates[kind] = found.counts[kind];
    return status;
}

// The pairs of one kind.
typedef struct ranges
{
    toi_ccd_def def;
    const toi_mesh *mesh;
    toi_kind kind;
    pair_walk *walk;
    progress bar;
    _Atomic int64_t *counts; // of the pairs of each first primitive
    int64_t primitives;
    int64_t peak_bytes; // of the searches
    toi_pair *pairs;    // those of a range
    int64_t room;
    int32_t first, end; // the range
    _Atomic int64_t found;
} ranges;

// Pairs with one first primitive often follow each other: those are added at once.
static toi_status count_firsts(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    ranges *r = context;
    for (int64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && pairs[next].a == pairs[i].a;)
            ++next;
        atomic_fetch_add_explicit(&r->counts[pairs[i].a], next - i, memory_order_relaxed);
    }
    return TOI_OK;
}

static toi_status keep_range(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    ranges *r = context;
    int64_t within = 0;
    for (int64_t i = 0; i < count; ++i)
        within += (pairs[i].a >= r->first) & (pairs[i].a < r->end);
    if (within == 0)
        return TOI_OK;
    int64_t at = atomic_fetch_add(&r->found, within);
    for (int64_t i = 0; i < count && at < r->room; ++i)
        if (pairs[i].a >= r->first && pairs[i].a < r->end)
            r->pairs[at++] = pairs[i];
    return TOI_OK;
}

static toi_status search(ranges *r, toi_pair_sink_fn *sink)
{
    toi_ccd_report report;
    toi_status status = toi_stream_candidates(&r->def, r->mesh, r->kind, sink, r, &report);
    ++r->walk->searches;
    ++r->bar.run;
    if (report.peak_bytes > r->peak_bytes)
        r->peak_bytes = report.peak_bytes;
    return status;
}

// The range that begins where the last one ended: as long as fits, one primitive at least.
static int64_t next_range(ranges *r, int64_t room)
{
    int64_t sum = 0;
    r->first = r->end;
    while (r->end < r->primitives && (sum == 0 || sum + r->counts[r->end] <= room))
        sum += r->counts[r->end++];
    return sum;
}

// How long the largest range is, and how many there are.
static int64_t plan_ranges(ranges *r, int64_t room, int *count)
{
    int64_t most = 0;
    *count = 0;
    for (r->end = 0; r->end < r->primitives; ++*count) {
        int64_t pairs = next_range(r, room);
        most = pairs > most ? pairs : most;
    }
    r->end = 0;
    return most;
}

static toi_status visit_range(ranges *r, int64_t expected, pair_visitor *visit, void *context)
{
    r->found = 0;
    toi_status status = expected > 0 ? search(r, keep_range) : TOI_OK;
    if (status == TOI_OK && r->found != expected)
        status = toi_fail(TOI_ERROR_DATA, "a search made again found other pairs");
    if (status == TOI_OK)
        status = toi_sort_pairs(r->pairs, expected, r->def.workers);
    if (status == TOI_OK && expected > 0)
        status = visit(context, r->kind, r->pairs, expected);
    return status;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static toi_status visit_ranges(ranges *r, pair_visitor *visit, void *context)
{
    toi_status status = search(r, count_firsts);
    if (status != TOI_OK)
        return status;
    // Beside the pairs there is another search, or as much again to sort them with.
    int64_t counts = r->primitives * (int64_t)sizeof *r->counts, pair = (int64_t)sizeof *r->pairs;
    int64_t left = r->walk->memory - counts;
    int64_t room = smaller(left / 2, left - r->peak_bytes) / pair;
    r->room = plan_ranges(r, room, &r->bar.runs);
    r->bar.run = 0;
    int64_t need = counts + r->room * pair + larger(r->room * pair, r->peak_bytes);
    if (need > r->walk->memory)
        return toi_fail(TOI_ERROR_LIMIT,
                        "the memory limit of %s is too small: one primitive has so many pairs that "
                        "%s are needed; raise the limit",
                        bytes_text(r->walk->memory).at, bytes_text(need).at);
    r->walk->peak_bytes = larger(r->walk->peak_bytes, need);
    r->pairs = toi_allocate((size_t)(r->room * pair));
    if (!r->pairs)
        return TOI_ERROR_MEMORY;
    while (r->end < r->primitives && status == TOI_OK) {
        int64_t expected = next_range(r, room);
        status = visit_range(r, expected, visit, context);
    }
    return status;
}

toi_status visit_sorted_pairs(const toi_ccd_def *def, const toi_mesh *mesh, pair_walk *walk,
                              pair_visitor *visit, void *context)
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind) {
        ranges r = {.def = *def, .mesh = mesh, .kind = (toi_kind)kind, .walk = walk};
        r.primitives = kind == TOI_EDGE_EDGE ? mesh->edges.count : mesh->start.count;
        r.bar = start_progress(1);
        r.def.progress_context = &r.bar;
        r.counts = toi_allocate((size_t)r.primitives * sizeof *r.counts);
        status = r.counts ? TOI_OK : TOI_ERROR_MEMORY;
        for (int64_t i = 0; r.counts && i < r.primitives; ++i)
            atomic_init(&r.counts[i], 0);
        if (status == TOI_OK)
            status = visit_ranges(&r, visit, context);
        toi_release(r.pairs);
        toi_release((void *)r.counts);
        end_progress(&r.bar);
    }
    return status;
}

// Passes a stream on.
typedef struct passing
{
    toi_kind kind;
    pair_visitor *visit;
    void *context;
} passing;

static toi_status pass_block(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    const passing *p = context;
    return p->visit(p->context, p->kind, pairs, count);
}

toi_status visit_own_pairs(const toi_ccd_def *def, const toi_mesh *mesh, pair_visitor *visit,
                           void *context)
{
    toi_ccd_def one = *def;
    one.workers = 1;
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind) {
        passing p = {(toi_kind)kind, visit, context};
        status = toi_stream_candidates(&one, mesh, p.kind, pass_block, &p, NULL);
    }
    return status;
}
