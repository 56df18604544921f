// Sorts and running sums: CUB's, for every source of this folder.

#include "cuda/sort.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

typedef unsigned long long word;

size_t toi_sum_scratch(int64_t count)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, (const uint32_t *)NULL, (uint32_t *)NULL, count);
    return bytes;
}

cudaError_t toi_start_sums(const toi_card *card, void *own, size_t own_bytes,
                           const uint32_t *counts, uint32_t *starts, int64_t count)
{
    return cub::DeviceScan::ExclusiveSum(own, own_bytes, counts, starts, count, card->stream);
}

template <class Key>
static size_t scratch_of_keys(int64_t count)
{
    size_t bytes = 0;
    Key *keys = NULL;
    uint32_t *numbers = NULL;
    cub::DeviceRadixSort::SortPairs(NULL, bytes, keys, keys, numbers, numbers, count);
    return bytes;
}

template <class Key>
static cudaError_t start_keys(const toi_card *card, void *own, size_t own_bytes, Key *const keys[2],
                              uint32_t *const numbers[2], int64_t count, int bits)
{
    return cub::DeviceRadixSort::SortPairs(own, own_bytes, keys[0], keys[1], numbers[0], numbers[1],
                                           count, 0, bits, card->stream);
}

size_t toi_key_scratch(int64_t count)
{
    return scratch_of_keys<uint32_t>(count);
}

cudaError_t toi_start_keys(const toi_card *card, void *own, size_t own_bytes,
                           uint32_t *const keys[2], uint32_t *const numbers[2], int64_t count,
                           int bits)
{
    return start_keys(card, own, own_bytes, keys, numbers, count, bits);
}

size_t toi_long_key_scratch(int64_t count)
{
    return scratch_of_keys<word>(count);
}

cudaError_t toi_start_long_keys(const toi_card *card, void *own, size_t own_bytes,
                                word *const keys[2], uint32_t *const numbers[2], int64_t count)
{
    return start_keys(card, own, own_bytes, keys, numbers, count, 64);
}

size_t toi_word_scratch(int64_t count)
{
    size_t bytes = 0;
    cub::DoubleBuffer<word> both(NULL, NULL);
    cub::DeviceRadixSort::SortKeys(NULL, bytes, both, count);
    return bytes;
}

cudaError_t toi_start_words(const toi_card *card, void *own, size_t own_bytes, word *words[2],
                            int64_t count, int first, int last)
{
    cub::DoubleBuffer<word> both(words[0], words[1]);
    cudaError_t error =
        cub::DeviceRadixSort::SortKeys(own, own_bytes, both, count, first, last, card->stream);
    words[0] = both.Current();
    words[1] = both.Alternate();
    return error;
}
