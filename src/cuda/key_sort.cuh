// Numbers in the order of their keys: CUB's radix sort, and the memory that it takes.

#ifndef TOI_CUDA_KEY_SORT_CUH
#define TOI_CUDA_KEY_SORT_CUH

#include "cuda/card.cuh"

#include <cub/device/device_radix_sort.cuh>

// Keys and numbers, before and after, in a room of toi_key_sort_scratch(); then the sort's own.
struct toi_key_sort
{
    uint32_t *keys[2], *numbers[2];
    void *own;
    size_t own_bytes;
};

static inline size_t toi_key_bytes(int64_t count)
{
    return ((size_t)count * sizeof(uint32_t) + 255) / 256 * 256;
}

static inline size_t toi_key_sort_scratch(int64_t count)
{
    size_t own = 0;
    cub::DeviceRadixSort::SortPairs(NULL, own, (uint32_t *)NULL, (uint32_t *)NULL, (uint32_t *)NULL,
                                    (uint32_t *)NULL, count);
    return own + 4 * toi_key_bytes(count);
}

static inline toi_key_sort toi_cut_key_sort(const toi_room *room, int64_t count)
{
    size_t array = toi_key_bytes(count);
    char *at = (char *)room->data;
    toi_key_sort s = {{(uint32_t *)at, (uint32_t *)(at + array)},
                      {(uint32_t *)(at + 2 * array), (uint32_t *)(at + 3 * array)},
                      at + 4 * array,
                      room->bytes - 4 * array};
    return s;
}

// By the lowest `bits` bits of the keys, from the first arrays to the second.
static inline toi_status toi_start_sort_of(const toi_card *card, const toi_key_sort *s,
                                           int64_t count, int bits, toi_complaint *complaint)
{
    size_t own = s->own_bytes;
    return toi_check_cuda(cub::DeviceRadixSort::SortPairs(s->own, own, s->keys[0], s->keys[1],
                                                          s->numbers[0], s->numbers[1], count, 0,
                                                          bits, card->stream),
                          "sort primitives", complaint);
}

#endif
