// Candidates that are too many for memory: counted as they stream by, and gone through in canonical
// order by searching again and again, each time for as many as fit.

#ifndef TOI_CLI_PAIR_RANGES_H
#define TOI_CLI_PAIR_RANGES_H

#include "toi/ccd.h"

// What a search without a list has found out.
typedef struct candidate_count
{
    int64_t counts[TOI_KIND_COUNT];
    double prepare; // seconds
    double search;
    int64_t peak_bytes;
} candidate_count;

toi_status count_candidates(const toi_ccd_def *def, const toi_mesh *mesh, candidate_count *count);

// Counts the candidates of a call whose search did not have to find them all; not timed, and quiet.
toi_status complete_candidates(const toi_ccd_def *def, const toi_mesh *mesh,
                               toi_ccd_report *report);

// Receives pairs of one kind; together the calls bring all of them in order.
typedef toi_status pair_visitor(void *context, toi_kind kind, const toi_pair *pairs, int64_t count);

// What a walk through all pairs took.
typedef struct pair_walk
{
    int64_t memory; // bytes for the searches and for the pairs that are held and sorted
    int searches;
    int64_t peak_bytes; // the searches' and the walk's own
} pair_walk;

// Visits the pairs in canonical order; or, in one search by one thread, in the method's own order.
toi_status visit_sorted_pairs(const toi_ccd_def *def, const toi_mesh *mesh, pair_walk *walk,
                              pair_visitor *visit, void *context);
toi_status visit_own_pairs(const toi_ccd_def *def, const toi_mesh *mesh, pair_visitor *visit,
                           void *context);

#endif
