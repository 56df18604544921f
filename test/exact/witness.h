// Certificates of first contacts held against their queries in rational arithmetic (GMP), without
// any code of the library.

#ifndef TOI_TEST_WITNESS_H
#define TOI_TEST_WITNESS_H

#include "toi/exact.h"

// How the certificates that were checked have been proved.
typedef struct witness_tally
{
    int64_t doubles; // the time is a double, which the twin confirms
    int64_t volumes; // the one root in its gap of a volume that is not always zero
    int64_t flat;    // of queries that stay flat: that of minors and coordinates
} witness_tally;

// The time must be the very first contact of the query, its certificate sound and its floor right;
// fails the test that calls it otherwise. Vertex-face or edge-edge.
void check_first_time(toi_kind kind, const toi_query *query, const toi_exact_time *time,
                      witness_tally *tally);

#endif
