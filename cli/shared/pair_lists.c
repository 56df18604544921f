// Sorts, hashes and frees the lists of candidates.

#include "pair_lists.h"

toi_status sort_pair_lists(toi_pair_array lists[TOI_KIND_COUNT], int threads)
{
    toi_status status = TOI_OK;
    for (int kind = 0; kind < TOI_KIND_COUNT && status == TOI_OK; ++kind)
        status = toi_sort_pairs(lists[kind].data, lists[kind].count, threads);
    return status;
}

uint64_t hash_pair_lists(const toi_pair_array lists[TOI_KIND_COUNT])
{
    uint64_t hashes[TOI_KIND_COUNT];
    int64_t counts[TOI_KIND_COUNT];
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        counts[kind] = lists[kind].count;
        hashes[kind] = toi_hash(lists[kind].data, (size_t)lists[kind].count * sizeof(toi_pair));
    }
    return join_list_hashes(hashes, counts);
}

uint64_t join_list_hashes(const uint64_t hashes[TOI_KIND_COUNT],
                          const int64_t counts[TOI_KIND_COUNT])
{
    size_t kinds = TOI_KIND_COUNT;
    while (kinds > TOI_PAIR_KINDS && counts[kinds - 1] == 0)
        --kinds;
    return toi_hash(hashes, kinds * sizeof *hashes);
}

void free_pair_lists(toi_pair_array lists[TOI_KIND_COUNT])
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}
