// The candidates of a mesh, a list for each kind, and the hash that stands for them.

#ifndef TOI_CLI_PAIR_LISTS_H
#define TOI_CLI_PAIR_LISTS_H

#include "toi/ccd.h"

toi_status sort_pair_lists(toi_pair_array lists[TOI_KIND_COUNT], int threads);

// Of sorted lists: the hash of their hashes, so that they need not lie one behind the other. Lists
// of loose points count up to the last that holds a pair, so that a surface has two.
uint64_t hash_pair_lists(const toi_pair_array lists[TOI_KIND_COUNT]);
uint64_t join_list_hashes(const uint64_t hashes[TOI_KIND_COUNT],
                          const int64_t counts[TOI_KIND_COUNT]);

void free_pair_lists(toi_pair_array lists[TOI_KIND_COUNT]);

#endif
