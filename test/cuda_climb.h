// What a card computes of queries in single precision, on the host.

#ifndef TOI_TEST_CUDA_CLIMB_H
#define TOI_TEST_CUDA_CLIMB_H

#include "toi/narrow_phase.h"

// The rung that separates the query, or TOI_RUNG_NONE.
int card_filters(bool edge_edge, const toi_query *query, double t_max, bool all_roots);

// Does a direction separate the candidate by more than that during the whole step?
bool card_culls(bool edge_edge, const toi_query *query, double separation);

#endif
