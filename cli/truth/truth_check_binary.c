// The truth file of a step against what was computed anew.

#include "truth.h"
#include "truth_compare.h"

#include <inttypes.h>
#include <math.h>

// What is compared of one kind of pairs.
typedef struct binary_check
{
    step_truth *t;
    const toi_truth *truth;
    listing list;
    solved_block block;
    hit_block hits; // of the block, those whose certificates are compared
    toi_exact_time **times;
} binary_check;

static void compare_entry(const binary_check *b, int64_t index, const toi_query_result *result)
{
    toi_truth_entry entry = toi_truth_at(b->truth, b->list.kind, index);
    const char *file = b->list.name;
    compare_answer(b->t, &b->list, file, entry.pair, entry.hit, result);
    if (!entry.hit || result->state != TOI_HIT)
        return;
    compare_time(b->t, &b->list, file, entry.pair, entry.time, result);
    if (entry.time_is_exact != result->time_is_exact)
        add_finding(b->t->found, "%s %s: says that the time %s exactly a double, it %s", file,
                    pair_text(b->t->mesh, &b->list, entry.pair).at,
                    entry.time_is_exact ? "is" : "is not", entry.time_is_exact ? "is not" : "is");
}

static toi_status compare_certificate(const binary_check *b, int64_t index,
                                      const toi_exact_time *expected)
{
    const char *file = b->list.name;
    text pair = pair_text(b->t->mesh, &b->list, toi_truth_at(b->truth, b->list.kind, index).pair);
    toi_exact_time *claimed = NULL;
    toi_status status = toi_truth_time(b->truth, b->list.kind, index, &claimed);
    if (status == TOI_ERROR_FORMAT || (status == TOI_OK && !claimed)) {
        add_finding(b->t->found, "%s %s: no certificate: %s", file, pair.at,
                    status == TOI_OK ? "there is none" : toi_last_message());
        return TOI_OK;
    }
    int order = 0;
    if (status == TOI_OK)
        status = toi_exact_time_compare(claimed, expected, &order);
    if (status == TOI_OK && order != 0)
        add_finding(b->t->found,
                    "%s %s: the certificate is of a time %s the impact, near %a (%.9g)", file,
                    pair.at, order < 0 ? "before" : "after", toi_exact_time_floor(claimed),
                    toi_exact_time_floor(claimed));
    toi_free_exact_time(claimed);
    return status;
}

static toi_status compare_certificates(binary_check *b)
{
    hit_block *hits = &b->hits;
    const hit_block *pairs = &b->block.pairs;
    hits->count = 0;
    for (int64_t i = 0; i < pairs->count; ++i) {
        if (b->block.results[i].state != TOI_HIT ||
            !toi_truth_at(b->truth, b->list.kind, pairs->indices[i]).hit)
            continue;
        hits->queries[hits->count] = pairs->queries[i];
        hits->indices[hits->count++] = pairs->indices[i];
    }
    toi_status status = toi_find_exact_times(b->list.kind, hits->queries, hits->count,
                                             b->t->narrow.workers, b->times);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < hits->count; ++i) {
        if (status == TOI_OK)
            status = compare_certificate(b, hits->indices[i], b->times[i]);
        toi_free_exact_time(b->times[i]);
    }
    b->t->totals->certificates += hits->count;
    return status;
}

// A list of candidates has every pair of boxes that overlap, and no other.
static toi_status compare_candidates(const binary_check *b, const toi_ccd_def *def)
{
    const listing *l = &b->list;
    toi_pair_array candidates = {0};
    toi_status status = toi_find_candidates(def, b->t->mesh, l->kind, &candidates, NULL);
    if (status != TOI_OK)
        return status;
    int64_t i = 0, j = 0;
    while (i < l->count || j < candidates.count) {
        const toi_pair *listed = i < l->count ? &l->pairs[i] : NULL;
        const toi_pair *wanted = j < candidates.count ? &candidates.data[j] : NULL;
        int order = !listed ? 1 : !wanted ? -1 : compare_pair_order(*listed, *wanted);
        if (order < 0 && listed->a >= 0)
            add_finding(b->t->found, "%s %s: is listed, its boxes do not overlap", l->name,
                        pair_text(b->t->mesh, l, *listed).at);
        if (order > 0)
            add_finding(b->t->found, "%s %s: is not listed, its boxes overlap", l->name,
                        pair_text(b->t->mesh, l, *wanted).at);
        i += order <= 0;
        j += order >= 0;
    }
    toi_free_pairs(&candidates);
    return TOI_OK;
}

static toi_status compare_list(binary_check *b, const toi_ccd_def *def)
{
    listing *l = &b->list;
    for (int64_t i = 0; i < l->count; ++i)
        l->pairs[i] = toi_truth_at(b->truth, l->kind, i).pair;
    toi_status status = compare_pairs(b->t, l);
    if (status == TOI_OK && toi_truth_listed(b->truth) == TOI_TRUTH_CANDIDATES)
        status = compare_candidates(b, def);
    for (int64_t next = 0; next < l->count && status == TOI_OK;) {
        status = solve_listed(b->t, l, &next, &b->block);
        for (int64_t i = 0; i < b->block.pairs.count && status == TOI_OK; ++i)
            compare_entry(b, b->block.pairs.indices[i], &b->block.results[i]);
        if (status == TOI_OK)
            status = compare_certificates(b);
    }
    b->t->totals->pairs[l->kind] += l->count;
    return status;
}

static toi_status check_kind(step_truth *t, const toi_ccd_def *def, const toi_truth *truth,
                             const char *name, toi_kind kind)
{
    int64_t says = toi_truth_candidates(truth, kind), candidates = t->report.candidates[kind];
    if (says != candidates)
        add_finding(t->found, "%s %s: says %" PRId64 " candidates, there are %" PRId64, name,
                    toi_kind_name(kind), says, candidates);
    binary_check b = {.t = t,
                      .truth = truth,
                      .list = {.name = name, .kind = kind, .count = toi_truth_count(truth, kind)},
                      .times = toi_allocate(TRUTH_BLOCK * sizeof *b.times)};
    b.list.pairs = toi_allocate((size_t)b.list.count * sizeof *b.list.pairs);
    toi_status status = make_solved_block(&b.block);
    if (status == TOI_OK)
        status = make_hit_block(&b.hits);
    if (!b.times || !b.list.pairs)
        status = TOI_ERROR_MEMORY;
    if (status == TOI_OK)
        status = compare_list(&b, def);
    toi_release(b.times);
    toi_release(b.list.pairs);
    free_hit_block(&b.hits);
    free_solved_block(&b.block);
    return status;
}

toi_status check_binary(step_truth *t, const toi_ccd_def *def, const toi_truth *truth,
                        const char *name)
{
    toi_status status = TOI_OK;
    ++t->totals->files;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        t->stage = 1 + kind;
        status = check_kind(t, def, truth, name, (toi_kind)kind);
    }
    return status;
}
