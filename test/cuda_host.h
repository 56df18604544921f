// The rungs of a card's ladder in single precision, on the host.

#ifndef TOI_TEST_CUDA_HOST_H
#define TOI_TEST_CUDA_HOST_H

// Does the card drop this pair? Points as in toi_query, as the card rounds them; `off` is how far
// that is from the truth. `until`: where boxes are shortened, up to when pairs are looked at;
// else 1.
bool card_drops(bool edge_edge, const float points[2][4][3], float off, double until);

#endif
