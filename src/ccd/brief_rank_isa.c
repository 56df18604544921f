// Puts short runs of records in brief in order by counting how many each exceeds, which takes no
// branches.

#include "ccd/brief_sort.h"

#include "base/simd.h"
#include "simd/words.h"

#if defined(TOI_ISA_avx512)
#include <immintrin.h>
#endif
#include <string.h>

enum
{
    NUMBER_BITS = 31 - TOI_RANKED_BITS, // of a place in a run
    PADDING = 4 * TOI_WORDS
};
_Static_assert(1 << NUMBER_BITS >= TOI_BRIEF_RUN, "a place is a number");

typedef int32_t lanes __attribute__((vector_size(4 * TOI_WORDS)));

// One more where the word is less.
static inline lanes count_below(lanes below, int32_t word, lanes own)
{
    lanes words = (lanes){0} + word;
#if defined(TOI_ISA_avx512)
    __mmask16 less = _mm512_cmplt_epi32_mask((__m512i)words, (__m512i)own);
    return (lanes)_mm512_mask_add_epi32((__m512i)below, less, (__m512i)below, _mm512_set1_epi32(1));
#else
    return below - (lanes)(words < own);
#endif
}

// Of so many vectors of words, which stay in registers.
static inline __attribute__((always_inline)) void
rank_vectors(const int32_t *words, int count, int first, int vectors, int32_t *ranks)
{
    lanes own[4], below[4];
    memcpy(own, words + first, sizeof *own * (size_t)vectors);
    for (int v = 0; v < vectors; ++v)
        below[v] = (lanes){0};
    for (int i = 0; i < count; ++i)
        for (int v = 0; v < vectors; ++v)
            below[v] = count_below(below[v], words[i], own[v]);
    memcpy(ranks + first, below, sizeof *below * (size_t)vectors);
}

toi_rank_briefs_fn TOI_ISA_NAME(toi_rank_briefs);
void TOI_ISA_NAME(toi_rank_briefs)(const toi_key_packing *pack, const toi_brief *run, int count,
                                   toi_brief *to)
{
    int32_t words[TOI_BRIEF_RUN + PADDING], ranks[TOI_BRIEF_RUN + PADDING];
    for (int i = 0; i < count; ++i) {
        uint64_t word = toi_packed_key(pack, run[i].key) << NUMBER_BITS | (unsigned)i;
        words[i] = (int32_t)(word & INT32_MAX);
    }
    for (int i = count; i < count + PADDING; ++i)
        words[i] = INT32_MAX;
    int first = 0;
    for (; first + 3 * TOI_WORDS < count; first += 4 * TOI_WORDS)
        rank_vectors(words, count, first, 4, ranks);
    if (first + 2 * TOI_WORDS < count)
        rank_vectors(words, count, first, 3, ranks);
    else if (first + TOI_WORDS < count)
        rank_vectors(words, count, first, 2, ranks);
    else if (first < count)
        rank_vectors(words, count, first, 1, ranks);
    for (int i = 0; i < count; ++i)
        to[ranks[i]] = run[i];
}
