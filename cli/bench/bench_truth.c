// Finds the true impacts of a mesh and counts what other answers miss or add.

#include "bench_truth.h"

toi_status find_true_impacts(const toi_mesh *mesh, int threads, toi_impact_array *truth)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = TOI_NARROW_EXACT;
    def.workers = threads;
    return toi_find_impacts(&def, mesh, truth, NULL);
}

static int compare_pairs(const toi_impact *x, const toi_impact *y)
{
    const int32_t a[3] = {x->kind, x->a, x->b}, b[3] = {y->kind, y->a, y->b};
    for (int i = 0; i < 3; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

// Adds the next answer of a sorted list: true impacts before it are missing from that list.
static void judge_next(truth_counts *counts, const toi_impact_array *truth, int64_t *at,
                       const toi_impact *found)
{
    while (*at < truth->count && compare_pairs(&truth->data[*at], found) < 0) {
        ++*at;
        ++counts->false_negatives;
    }
    if (*at == truth->count || compare_pairs(&truth->data[*at], found) != 0) {
        ++counts->false_positives;
        return;
    }
    ++counts->hits;
    counts->late += found->time > truth->data[*at].time;
    ++*at;
}

truth_counts judge_pairs(const toi_impact_array *truth, const toi_pair_array lists[TOI_KIND_COUNT])
{
    truth_counts counts = {0};
    int64_t at = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int64_t i = 0; i < lists[kind].count; ++i) {
            const toi_pair *pair = &lists[kind].data[i];
            const toi_impact found = {.kind = kind, .a = pair->a, .b = pair->b};
            judge_next(&counts, truth, &at, &found);
        }
    counts.false_negatives += truth->count - at;
    return counts;
}

truth_counts judge_impacts(const toi_impact_array *truth, const toi_impact_array *found)
{
    truth_counts counts = {0};
    int64_t at = 0;
    for (int64_t i = 0; i < found->count; ++i)
        judge_next(&counts, truth, &at, &found->data[i]);
    counts.false_negatives += truth->count - at;
    return counts;
}
