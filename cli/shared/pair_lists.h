// The candidates of a mesh, vertex-face and edge-edge, and the hash that stands for them.

#ifndef TOI_CLI_PAIR_LISTS_H
#define TOI_CLI_PAIR_LISTS_H

#include "toi/ccd.h"

toi_status sort_pair_lists(toi_pair_array lists[TOI_PAIR_KINDS], int threads);

// Of sorted lists: the hash of their two hashes, so that they need not lie one behind the other.
uint64_t hash_pair_lists(const toi_pair_array lists[TOI_PAIR_KINDS]);

void free_pair_lists(toi_pair_array lists[TOI_PAIR_KINDS]);

#endif
