// The rungs of a card's ladder with a separation in single precision, on the host.

#ifndef TOI_TEST_CUDA_APART_H
#define TOI_TEST_CUDA_APART_H

#include "cuda/apart.cuh"

// Does the card drop this pair, where nothing after `until` matters? Points as in toi_query, as the
// card rounds them.
bool card_keeps_margin(bool edge_edge, const float points[2][4][3], const toi_margin_bound *bound,
                       double until);

// What its search in single precision says. Returns a time at which they have surely come as close
// as their separation, or infinity.
double card_searches(bool edge_edge, double points[2][4][3], const toi_apart_policy *policy,
                     double t_max, toi_apart_found *found);

#endif
