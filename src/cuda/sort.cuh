// Sorts and running sums of a card: CUB's, which only sort.cu compiles, since that takes longer
// than most of the sources here. Each function takes memory of its own, `own`, as much as its
// *_scratch() says.

#ifndef TOI_CUDA_SORT_CUH
#define TOI_CUDA_SORT_CUH

#include "cuda/card.cuh"

// starts[i] is the sum of the counts before i.
size_t toi_sum_scratch(int64_t count);
cudaError_t toi_start_sums(const toi_card *card, void *own, size_t own_bytes,
                           const uint32_t *counts, uint32_t *starts, int64_t count);

// Keys with their numbers, from the first arrays to the second, by the lowest `bits` bits.
size_t toi_key_scratch(int64_t count);
cudaError_t toi_start_keys(const toi_card *card, void *own, size_t own_bytes,
                           uint32_t *const keys[2], uint32_t *const numbers[2], int64_t count,
                           int bits);
// The same with keys of 64 bits, by all of them.
size_t toi_long_key_scratch(int64_t count);
cudaError_t toi_start_long_keys(const toi_card *card, void *own, size_t own_bytes,
                                unsigned long long *const keys[2], uint32_t *const numbers[2],
                                int64_t count);

// Words alone, by bits `first` to `last`: from words[0], with words[1] to work in. Then words[0] is
// the array where they are in order, whichever that was.
size_t toi_word_scratch(int64_t count);
cudaError_t toi_start_words(const toi_card *card, void *own, size_t own_bytes,
                            unsigned long long *words[2], int64_t count, int first, int last);

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
    return toi_key_scratch(count) + 4 * toi_key_bytes(count);
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
    return toi_check_cuda(
        toi_start_keys(card, s->own, s->own_bytes, s->keys, s->numbers, count, bits),
        "sort primitives", complaint);
}

#endif
