// Vectors of pairs.

#ifndef TOI_SIMD_PAIR_LANES_H
#define TOI_SIMD_PAIR_LANES_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "toi/broad_phase.h"

// The pairs whose bits are set, in order; returns how many. `to` may be where they are, or before.
static inline int64_t toi_copy_lanes(const toi_pair *from, unsigned lanes, toi_pair *to)
{
    int64_t count = 0;
#if defined(TOI_ISA_avx512)
    _Static_assert(sizeof *from == 8 && TOI_LANES == 16, "eight in a register");
    for (; lanes; lanes >>= 8, from += 8) {
        __mmask8 some = (__mmask8)lanes;
        __m512i pairs = _mm512_maskz_compress_epi64(some, _mm512_maskz_loadu_epi64(some, from));
        int left = __builtin_popcount(some);
        _mm512_mask_storeu_epi64(to + count, (__mmask8)((1u << left) - 1), pairs);
        count += left;
    }
#else
    for (; lanes; lanes &= lanes - 1)
        to[count++] = from[__builtin_ctz(lanes)];
#endif
    return count;
}

#endif
