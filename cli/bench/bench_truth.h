// What truly collides, as `exact` finds it, and how other answers compare with that.

#ifndef TOI_CLI_BENCH_TRUTH_H
#define TOI_CLI_BENCH_TRUTH_H

#include "toi/ccd.h"

// Every true impact of the mesh, in canonical order. Free with toi_free_impacts().
toi_status find_true_impacts(const toi_mesh *mesh, int threads, toi_impact_array *truth);

typedef struct truth_counts
{
    int64_t hits;            // in the list, and true
    int64_t false_positives; // in the list, and not true
    int64_t false_negatives; // true, and not in the list
    int64_t late;            // hits whose time is later than the true one; 0 for pairs
} truth_counts;

// Both lists sorted, as all of ours are.
truth_counts judge_pairs(const toi_impact_array *truth, const toi_pair_array lists[TOI_KIND_COUNT]);
truth_counts judge_impacts(const toi_impact_array *truth, const toi_impact_array *found);

#endif
