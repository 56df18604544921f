// Sorts, hashes and frees the lists of candidates.

#include "pair_lists.h"

toi_status sort_pair_lists(toi_pair_array lists[TOI_PAIR_KINDS], int threads)
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = toi_sort_pairs(lists[kind].data, lists[kind].count, threads);
    return status;
}

uint64_t hash_pair_lists(const toi_pair_array lists[TOI_PAIR_KINDS])
{
    uint64_t hashes[TOI_PAIR_KINDS];
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        hashes[kind] = toi_hash(lists[kind].data, (size_t)lists[kind].count * sizeof(toi_pair));
    return toi_hash(hashes, sizeof hashes);
}

void free_pair_lists(toi_pair_array lists[TOI_PAIR_KINDS])
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_free_pairs(&lists[kind]);
}
