// Lists of places in a tree, which the lanes of masks are appended to; for each instruction set.

#ifndef TOI_BROAD_PROBE_LIST_ISA_H
#define TOI_BROAD_PROBE_LIST_ISA_H

#include "broad/layout/block_isa.h"

// Boxes of the tree near the packet, by their place in it, waiting to be compared.
enum
{
    LIST = 256
};
typedef struct probe_list
{
    int32_t at[LIST + TOI_BLOCK];
    int count;
} probe_list;

// Appends the lanes of a mask, counted from `first`. Writes up to sixteen whatever the mask.
#if defined(TOI_ISA_avx512)
TOI_LANE_INLINE void append_lanes(probe_list *list, unsigned mask, int32_t first)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i places = _mm512_add_epi32(lanes, _mm512_set1_epi32(first));
    _mm512_storeu_si512(list->at + list->count,
                        _mm512_maskz_compress_epi32((__mmask16)mask, places));
    list->count += __builtin_popcount(mask);
}
#elif defined(TOI_ISA_avx2)
TOI_LANE_INLINE void append_half(probe_list *list, unsigned mask, int32_t first)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)toi_places[mask]));
    _mm256_storeu_si256((__m256i *)(list->at + list->count),
                        _mm256_add_epi32(lanes, _mm256_set1_epi32(first)));
    list->count += __builtin_popcount(mask);
}

TOI_LANE_INLINE void append_lanes(probe_list *list, unsigned mask, int32_t first)
{
    append_half(list, mask & 0xff, first);
    append_half(list, mask >> 8, first + 8);
}
#else
TOI_LANE_INLINE void append_lanes(probe_list *list, unsigned mask, int32_t first)
{
    for (; mask; mask &= mask - 1)
        list->at[list->count++] = first + __builtin_ctz(mask);
}
#endif

#endif
