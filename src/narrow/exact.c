// The exact narrow phase: a ladder of certified rungs, cheapest first, each deciding what it can
// prove and handing on the rest. docs/exact.md.

#include "narrow/exact.h"

#include "base/simd.h"
#include "exact/decide.h"
#include "narrow/apart_search.h"

#include <math.h>

enum
{
    BLOCK = 512 // queries that climb together
};

toi_exact_directions_fn toi_filter_directions_baseline, toi_filter_directions_avx2,
    toi_filter_directions_avx512;
toi_exact_planes_fn toi_judge_planes_baseline, toi_judge_planes_avx2, toi_judge_planes_avx512;
toi_exact_folds_fn toi_judge_folds_baseline, toi_judge_folds_avx2, toi_judge_folds_avx512;
toi_exact_crossings_fn toi_judge_crossings_baseline, toi_judge_crossings_avx2,
    toi_judge_crossings_avx512;
toi_exact_times_fn toi_find_times_baseline, toi_find_times_avx2, toi_find_times_avx512;
toi_exact_places_fn toi_find_places_baseline, toi_find_places_avx2, toi_find_places_avx512;

static toi_exact_directions_fn *const filter_directions[] = TOI_ISA_TABLE(toi_filter_directions);
static toi_exact_planes_fn *const judge_planes[] = TOI_ISA_TABLE(toi_judge_planes);
static toi_exact_folds_fn *const judge_folds[] = TOI_ISA_TABLE(toi_judge_folds);
static toi_exact_crossings_fn *const judge_crossings[] = TOI_ISA_TABLE(toi_judge_crossings);
static toi_exact_times_fn *const find_times[] = TOI_ISA_TABLE(toi_find_times);
static toi_exact_places_fn *const find_places[] = TOI_ISA_TABLE(toi_find_places);

// A piece of the step in which D has one root.
typedef struct piece
{
    int32_t query;
    double from, to;
} piece;

typedef enum progress
{
    OPEN,
    FOUND, // the first contact is bracketed
    HARD,  // left to the integers
} progress;

typedef struct ladder
{
    const toi_narrow_batch *batch; // one block
    toi_simd simd;
    int32_t list[BLOCK], folded[BLOCK];
    int64_t listed, folds;
    piece pieces[TOI_MOST_PIECES][BLOCK];
    int64_t piece_count[TOI_MOST_PIECES];
    uint8_t progress[BLOCK];
    double root[BLOCK], radius[BLOCK]; // of the first contact, or a guess at it
    _Alignas(64) char decision_scratch[];
} ladder;

int64_t toi_exact_scratch_bytes(void)
{
    int64_t own = (int64_t)sizeof(ladder) + toi_decision_scratch_bytes();
    int64_t apart = toi_apart_scratch_bytes();
    return own > apart ? own : apart;
}

static void set_hard(ladder *l, int32_t query, double guess)
{
    l->progress[query] = HARD;
    l->root[query] = guess;
}

static toi_lane_list take_lanes(const int32_t *queries, int64_t count)
{
    toi_lane_list lanes = {.count = count < TOI_STAGE_LANES ? (int)count : TOI_STAGE_LANES};
    for (int i = 0; i < lanes.count; ++i)
        lanes.query[i] = queries[i];
    return lanes;
}

static void add_piece(ladder *l, int order, int32_t query, double from, double to)
{
    l->pieces[order][l->piece_count[order]++] = (piece){query, from, to};
}

static void climb_planes(ladder *l)
{
    for (int64_t first = 0; first < l->listed; first += TOI_STAGE_LANES) {
        uint8_t verdict[TOI_STAGE_LANES];
        toi_lane_list lanes = take_lanes(l->list + first, l->listed - first);
        judge_planes[l->simd](l->batch, &lanes, verdict);
        for (int i = 0; i < lanes.count; ++i) {
            int32_t query = lanes.query[i];
            l->batch->results[query].rung = TOI_RUNG_PLANE;
            if (verdict[i] == TOI_VERDICT_ONE_ROOT)
                add_piece(l, 0, query, 0, 1);
            else if (verdict[i] == TOI_VERDICT_FOLDED)
                l->folded[l->folds++] = query;
            else if (verdict[i] == TOI_VERDICT_HARD)
                set_hard(l, query, NAN);
        }
    }
}

// Lists the pieces of one lane that have a root, in order.
static void unfold(ladder *l, const toi_folds *folds, int lane, int32_t query)
{
    int order = 0;
    for (int i = 0; i < TOI_MOST_PIECES; ++i)
        if (folds->verdict[i][lane] == TOI_VERDICT_HARD) {
            set_hard(l, query, folds->from[i][lane]);
            return;
        }
    for (int i = 0; i < TOI_MOST_PIECES; ++i)
        if (folds->verdict[i][lane] == TOI_VERDICT_ONE_ROOT)
            add_piece(l, order++, query, folds->from[i][lane], folds->to[i][lane]);
}

static void climb_folds(ladder *l)
{
    for (int64_t first = 0; first < l->folds; first += TOI_STAGE_LANES) {
        toi_folds folds;
        toi_lane_list lanes = take_lanes(l->folded + first, l->folds - first);
        judge_folds[l->simd](l->batch, &lanes, &folds);
        for (int i = 0; i < lanes.count; ++i)
            unfold(l, &folds, i, lanes.query[i]);
    }
}

// Judges up to eight pieces of one order, of different queries.
static void cross_lanes(ladder *l, const toi_lane_list *lanes, toi_crossings *x)
{
    judge_crossings[l->simd](l->batch, lanes, x);
    for (int i = 0; i < lanes->count; ++i) {
        int32_t query = lanes->query[i];
        toi_query_result *result = &l->batch->results[query];
        result->rung = TOI_RUNG_ROOT;
        if (x->verdict[i] == TOI_VERDICT_HARD)
            set_hard(l, query, x->root[i]);
        if (x->verdict[i] != TOI_VERDICT_INSIDE)
            continue;
        ++result->contacts;
        // A bracket that begins after t_max holds nothing that matters.
        if (l->progress[query] == OPEN && x->root[i] - x->radius[i] <= l->batch->def->t_max) {
            l->progress[query] = FOUND;
            l->root[query] = x->root[i];
            l->radius[query] = x->radius[i];
        }
    }
}

static void climb_crossings(ladder *l)
{
    bool all = l->batch->def->all_roots;
    for (int order = 0; order < TOI_MOST_PIECES; ++order) {
        toi_lane_list lanes = {0};
        toi_crossings x = {.from = {0}};
        for (int64_t i = 0; i < l->piece_count[order]; ++i) {
            const piece *at = &l->pieces[order][i];
            uint8_t state = l->progress[at->query];
            if (state == OPEN || (state == FOUND && all)) {
                lanes.query[lanes.count] = at->query;
                x.from[lanes.count] = at->from;
                x.to[lanes.count++] = at->to;
            }
            if (lanes.count == TOI_STAGE_LANES ||
                (lanes.count > 0 && i + 1 == l->piece_count[order])) {
                cross_lanes(l, &lanes, &x);
                lanes.count = 0;
            }
        }
    }
}

static void set_hit(const ladder *l, int32_t query, double time)
{
    toi_query_result *result = &l->batch->results[query];
    if (time <= l->batch->def->t_max) {
        result->state = TOI_HIT;
        result->time = time;
    }
}

// Lists the queries of the block that have come so far.
static void list_progress(ladder *l, progress state)
{
    l->listed = 0;
    for (int32_t i = 0; i < l->batch->count; ++i) {
        l->list[l->listed] = i;
        l->listed += l->progress[i] == state;
    }
}

static void climb_times(ladder *l)
{
    list_progress(l, FOUND);
    for (int64_t first = 0; first < l->listed; first += TOI_STAGE_LANES) {
        double root[TOI_STAGE_LANES] = {0}, radius[TOI_STAGE_LANES] = {0}, time[TOI_STAGE_LANES];
        toi_lane_list lanes = take_lanes(l->list + first, l->listed - first);
        for (int i = 0; i < lanes.count; ++i) {
            root[i] = l->root[lanes.query[i]];
            radius[i] = l->radius[lanes.query[i]];
        }
        find_times[l->simd](l->batch, &lanes, root, radius, time);
        for (int i = 0; i < lanes.count; ++i) {
            if (isnan(time[i]))
                l->progress[lanes.query[i]] = HARD;
            else
                set_hit(l, lanes.query[i], time[i]);
        }
    }
}

static void climb_integers(ladder *l)
{
    const toi_narrow_def *def = l->batch->def;
    list_progress(l, HARD);
    for (int64_t i = 0; i < l->listed; ++i) {
        toi_query_result *result = &l->batch->results[l->list[i]];
        toi_decision_def asked = {.kind = l->batch->kind,
                                  .t_max = def->t_max,
                                  .guess = l->root[l->list[i]],
                                  .count = def->all_roots,
                                  .scratch = l->decision_scratch,
                                  .budget = l->batch->budget};
        toi_decision decision;
        toi_decide(&asked, &l->batch->queries[l->list[i]], &decision);
        result->rung = TOI_RUNG_INTEGER;
        result->state = decision.state;
        result->time = decision.state == TOI_SEPARATED ? INFINITY : decision.time;
        result->time_is_exact = decision.state == TOI_HIT && decision.time_is_exact;
        result->contacts = decision.contacts;
    }
}

void toi_climb_places(const toi_narrow_batch *batch, toi_exact_places_fn *find)
{
    toi_lane_list lanes = {0};
    for (int32_t i = 0; i < batch->count; ++i) {
        if (batch->results[i].state != TOI_SEPARATED)
            lanes.query[lanes.count++] = i;
        if (lanes.count == TOI_STAGE_LANES || (lanes.count > 0 && i + 1 == batch->count)) {
            find(batch, &lanes);
            lanes.count = 0;
        }
    }
}

static void place_contacts(const toi_narrow_batch *batch)
{
    toi_climb_places(batch, find_places[toi_simd_level()]);
}

static void climb(const toi_narrow_batch *block)
{
    ladder *l = block->scratch;
    l->batch = block;
    l->simd = toi_simd_level();
    l->folds = 0;
    for (int order = 0; order < TOI_MOST_PIECES; ++order)
        l->piece_count[order] = 0;
    for (int32_t i = 0; i < block->count; ++i) {
        block->results[i] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
        l->progress[i] = OPEN;
    }
    if (block->culled)
        list_progress(l, OPEN);
    else
        l->listed = filter_directions[l->simd](block, l->list);
    climb_planes(l);
    climb_folds(l);
    climb_crossings(l);
    climb_times(l);
    climb_integers(l);
    if (!block->no_places)
        place_contacts(block);
    if (!block->def->all_roots)
        for (int64_t i = 0; i < block->count; ++i)
            block->results[i].contacts = 0;
}

typedef void climb_fn(const toi_narrow_batch *block);

static void climb_blocks(const toi_narrow_batch *batch, climb_fn *climb_block, int64_t size)
{
    for (int64_t first = 0; first < batch->count; first += size) {
        toi_narrow_batch block = *batch;
        block.count = batch->count - first < size ? batch->count - first : size;
        block.queries += first;
        block.results += first;
        if (block.separations)
            block.separations += first;
        if (block.inside)
            block.inside += first;
        if (block.searched)
            block.searched += first;
        climb_block(&block);
    }
}

// Each query on its own: contact at a distance is not a root of D.
static void climb_either(const toi_narrow_batch *one)
{
    if (one->separations[0] > 0 || one->relative > 0)
        toi_climb_apart(one);
    else
        climb(one);
}

void toi_solve_exact(const toi_narrow_batch *batch)
{
    if (batch->separations)
        climb_blocks(batch, climb_either, 1);
    else if (batch->def->min_separation > 0 || batch->relative > 0)
        climb_blocks(batch, toi_climb_apart, TOI_APART_BLOCK);
    else
        climb_blocks(batch, climb, BLOCK);
}

void toi_place_hits(const toi_narrow_batch *batch)
{
    if (batch->def->min_separation > 0 || batch->relative > 0)
        toi_place_apart(batch);
    else
        place_contacts(batch);
}
