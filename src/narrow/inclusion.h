// What the two orders of search, depth first (inclusion) and breadth first (inclusion-queue),
// share: the filter, eight queries at a time, what a search starts from, and what it reports.
// Filter and searches are compiled once for each instruction set.

#ifndef TOI_NARROW_INCLUSION_H
#define TOI_NARROW_INCLUSION_H

#include "narrow/narrow.h"

enum
{
    TOI_FILTER_LANES = 8
};

// The scaled motion of a query that the filter could not separate (toi_pair_motion, one lane).
typedef struct toi_filtered
{
    int64_t index; // in the batch
    double p[2][3], e[2][3], g[2][3];
    double size[3];
    double scale;
} toi_filtered;

// Runs the filter on queries first .. first + 7 of the batch; writes those it could not separate to
// `left`, in order, and returns how many.
typedef int toi_inclusion_filter_fn(const toi_narrow_batch *batch, int64_t first,
                                    toi_filtered left[TOI_FILTER_LANES]);
toi_inclusion_filter_fn toi_filter_queries;

// Sets the results of a batch to separated, where every method starts.
void toi_clear_results(const toi_narrow_batch *batch);

// Searches one query's domain; batch->scratch holds the cells that wait.
typedef void toi_inclusion_search_fn(const toi_narrow_batch *batch, const toi_filtered *query);

// Bytes of scratch that a search needs: the bound on a query's memory.
int64_t toi_search_scratch_bytes(void);

struct toi_inclusion;
struct toi_cell;
struct toi_touch;

// Makes a query ready for the kernel.
void toi_prepare_inclusion(const toi_narrow_batch *batch, const toi_filtered *from,
                           struct toi_inclusion *query);

// `time` is not later than any zero of F; the place is the one known to touch, if any, or the
// middle of `cell`. `asked` is what the query was made from.
void toi_report_cell(const struct toi_inclusion *query, const toi_query *asked, toi_state state,
                     double time, const struct toi_touch *touched, const struct toi_cell *cell,
                     toi_query_result *result);

#endif
