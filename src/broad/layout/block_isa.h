// One box against sixteen, and writing the pairs that came of it, in each instruction set. For
// sources that are compiled once a set; all of them write the same pairs in the same order.

#ifndef TOI_BROAD_BLOCK_ISA_H
#define TOI_BROAD_BLOCK_ISA_H

#include "broad/layout/layout.h"
#include "kernel/inline.h"

#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TOI_LANE_INLINE TOI_INLINE

#if defined(TOI_ISA_avx512)
// Compresses in a register and stores whole vectors: storing compressed to memory is several times
// slower on some CPUs. Writes past the last pair, within the room the caller grants.
TOI_LANE_INLINE int64_t toi_write_lanes(toi_pair *out, unsigned mask, const int32_t *ids,
                                        int32_t id, int write, int32_t base)
{
    __m512i other = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_load_si512(ids));
    __m512i self = _mm512_set1_epi32(id);
    __m512i first = write == TOI_WRITE_SORTED        ? _mm512_min_epi32(self, other)
                    : write == TOI_WRITE_PROBE_FIRST ? self
                                                     : other;
    __m512i second = write == TOI_WRITE_SORTED        ? _mm512_max_epi32(self, other)
                     : write == TOI_WRITE_PROBE_FIRST ? other
                                                      : self;
    if (write == TOI_WRITE_SORTED && base)
        second = _mm512_sub_epi32(second, _mm512_set1_epi32(base));
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(first, low, second));
    _mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(first, high, second));
    return __builtin_popcount(mask);
}
#elif defined(TOI_ISA_avx2)
// Byte i of entry m: the place of the i-th bit that is set in m.
#define TOI_PLACE(m, b, rest) (((uint64_t)(rest) << (8 * ((m) >> (b)&1))) | ((b) * ((m) >> (b)&1)))
#define TOI_PLACES(m)                                                                              \
    TOI_PLACE((uint64_t)(m), 0,                                                                    \
              TOI_PLACE((uint64_t)(m), 1,                                                          \
                        TOI_PLACE((uint64_t)(m), 2,                                                \
                                  TOI_PLACE((uint64_t)(m), 3,                                      \
                                            TOI_PLACE((uint64_t)(m), 4,                            \
                                                      TOI_PLACE((uint64_t)(m), 5,                  \
                                                                TOI_PLACE((uint64_t)(m), 6,        \
                                                                          TOI_PLACE((uint64_t)(m), \
                                                                                    7, 0))))))))
#define TOI_PLACES_4(m) TOI_PLACES(m), TOI_PLACES(m + 1), TOI_PLACES(m + 2), TOI_PLACES(m + 3)
#define TOI_PLACES_16(m)                                                                           \
    TOI_PLACES_4(m), TOI_PLACES_4(m + 4), TOI_PLACES_4(m + 8), TOI_PLACES_4(m + 12)
#define TOI_PLACES_64(m)                                                                           \
    TOI_PLACES_16(m), TOI_PLACES_16(m + 16), TOI_PLACES_16(m + 32), TOI_PLACES_16(m + 48)
static const uint64_t toi_places[256] = {TOI_PLACES_64(0), TOI_PLACES_64(64), TOI_PLACES_64(128),
                                         TOI_PLACES_64(192)};

TOI_LANE_INLINE int64_t toi_write_half(toi_pair *out, unsigned mask, const int32_t *ids, int32_t id,
                                       int write, int32_t base)
{
    __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)toi_places[mask]));
    __m256i other = _mm256_permutevar8x32_epi32(_mm256_load_si256((const __m256i *)ids), places);
    __m256i self = _mm256_set1_epi32(id);
    __m256i first = write == TOI_WRITE_SORTED        ? _mm256_min_epi32(self, other)
                    : write == TOI_WRITE_PROBE_FIRST ? self
                                                     : other;
    __m256i second = write == TOI_WRITE_SORTED        ? _mm256_max_epi32(self, other)
                     : write == TOI_WRITE_PROBE_FIRST ? other
                                                      : self;
    if (write == TOI_WRITE_SORTED && base)
        second = _mm256_sub_epi32(second, _mm256_set1_epi32(base));
    __m256i low = _mm256_unpacklo_epi32(first, second);
    __m256i high = _mm256_unpackhi_epi32(first, second);
    _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 4), _mm256_permute2x128_si256(low, high, 0x31));
    return __builtin_popcount(mask);
}

TOI_LANE_INLINE int64_t toi_write_lanes(toi_pair *out, unsigned mask, const int32_t *ids,
                                        int32_t id, int write, int32_t base)
{
    int64_t count = toi_write_half(out, mask & 0xff, ids, id, write, base);
    return count + toi_write_half(out + count, mask >> 8, ids + 8, id, write, base);
}
#else
TOI_LANE_INLINE int64_t toi_write_lanes(toi_pair *out, unsigned mask, const int32_t *ids,
                                        int32_t id, int write, int32_t base)
{
    int64_t count = 0;
    for (; mask; mask &= mask - 1) {
        int32_t other = ids[__builtin_ctz(mask)];
        bool first = write == TOI_WRITE_PROBE_FIRST || (write == TOI_WRITE_SORTED && id < other);
        out[count] = first ? (toi_pair){id, other} : (toi_pair){other, id};
        out[count++].b -= write == TOI_WRITE_SORTED ? base : 0;
    }
    return count;
}
#endif

#endif
