// The processor's ladder with a separation, absolute or relative, on a list of queries.

#ifndef TOI_TEST_APART_BATCH_H
#define TOI_TEST_APART_BATCH_H

#include "toi/narrow_phase.h"

typedef struct apart_batch
{
    toi_kind kind;
    double separation, share, t_max;
} apart_batch;

void solve_apart_batch(const apart_batch *batch, const toi_query *queries, int64_t count,
                       toi_query_result *results);

// Do the swept boxes of a query, enlarged by half the separation, overlap?
bool are_boxes_near(toi_kind kind, const toi_query *query, double separation);

#endif
