// The lanes of the kernels (kernel/lanes.h, which includes this) as vectors: compilers split them
// to what the instruction set has. Where GCC does not find the instruction, it is named.

#ifndef TOI_SIMD_VECTOR_LANES_H
#define TOI_SIMD_VECTOR_LANES_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef toi_number toi_real __attribute__((vector_size(sizeof(toi_number) * TOI_LANES)));
typedef toi_bits toi_mask __attribute__((vector_size(sizeof(toi_number) * TOI_LANES)));
#define TOI_TEST(condition) ((toi_mask)(condition))
// A macro: of a function GCC 12 makes three exclusive ors instead of a blend.
#define TOI_SELECT(mask, a, b) ((toi_real)(((mask) & (toi_mask)(a)) | (~(mask) & (toi_mask)(b))))
#define TOI_SPREAD(x) ((toi_real){0} + (x))

enum
{
    TOI_TOGETHER = 2 // vectors: while roots and quotients of one are waited for, there is the other
};

// Where the lanes fill one register of the instruction set: its type, its intrinsics.
#if defined(TOI_ISA_avx512) && !defined(TOI_SINGLE) && TOI_LANES == 8
#define TOI_VECTOR __m512d
#define TOI_INTRINSIC(f) _mm512_##f##_pd
#define TOI_WORD(mask) _mm512_movepi64_mask((__m512i)(mask))
#elif defined(TOI_ISA_avx512) && defined(TOI_SINGLE) && TOI_LANES == 16
#define TOI_VECTOR __m512
#define TOI_INTRINSIC(f) _mm512_##f##_ps
#define TOI_WORD(mask) _mm512_movepi32_mask((__m512i)(mask))
#elif (defined(TOI_ISA_avx2) || defined(TOI_ISA_avx512)) && !defined(TOI_SINGLE) && TOI_LANES == 4
#define TOI_VECTOR __m256d
#define TOI_INTRINSIC(f) _mm256_##f##_pd
#define TOI_WORD(mask) (unsigned)_mm256_movemask_pd((__m256d)(mask))
#elif defined(TOI_ISA_avx2) && defined(TOI_SINGLE) && TOI_LANES == 8
#define TOI_VECTOR __m256
#define TOI_INTRINSIC(f) _mm256_##f##_ps
#define TOI_WORD(mask) (unsigned)_mm256_movemask_ps((__m256)(mask))
#elif defined(__SSE2__) && !defined(TOI_SINGLE) && TOI_LANES == 2
#define TOI_VECTOR __m128d
#define TOI_INTRINSIC(f) _mm_##f##_pd
#define TOI_WORD(mask) (unsigned)_mm_movemask_pd((__m128d)(mask))
#elif defined(__SSE2__) && defined(TOI_SINGLE) && TOI_LANES == 4
#define TOI_VECTOR __m128
#define TOI_INTRINSIC(f) _mm_##f##_ps
#define TOI_WORD(mask) (unsigned)_mm_movemask_ps((__m128)(mask))
#endif

TOI_INLINE toi_real toi_abs(toi_real a)
{
    return (toi_real)((toi_mask)a & TOI_SIGN_LESS);
}

TOI_INLINE toi_real toi_min(toi_real a, toi_real b)
{
#ifdef TOI_INTRINSIC
    return (toi_real)TOI_INTRINSIC(min)((TOI_VECTOR)a, (TOI_VECTOR)b);
#else
    return TOI_SELECT(TOI_TEST(a < b), a, b);
#endif
}

TOI_INLINE toi_real toi_max(toi_real a, toi_real b)
{
#ifdef TOI_INTRINSIC
    return (toi_real)TOI_INTRINSIC(max)((TOI_VECTOR)a, (TOI_VECTOR)b);
#else
    return TOI_SELECT(TOI_TEST(a > b), a, b);
#endif
}

TOI_INLINE toi_real toi_sqrt(toi_real a)
{
#ifdef TOI_INTRINSIC
    return (toi_real)TOI_INTRINSIC(sqrt)((TOI_VECTOR)a);
#else
    for (int i = 0; i < TOI_LANES; ++i)
        a[i] = (toi_number)sqrt((double)a[i]); // of a float too: rounded twice, it is the same
    return a;
#endif
}

#if defined(TOI_INTRINSIC) && (defined(TOI_ISA_avx512) || defined(__FMA__))
#define TOI_HAS_FUSE
#endif

// a b + c, with one rounding where there is such an instruction.
TOI_INLINE toi_real toi_fuse(toi_real a, toi_real b, toi_real c)
{
#ifdef TOI_HAS_FUSE
    return (toi_real)TOI_INTRINSIC(fmadd)((TOI_VECTOR)a, (TOI_VECTOR)b, (TOI_VECTOR)c);
#else
    return a * b + c;
#endif
}

// One bit for each lane where the mask is set.
TOI_INLINE unsigned toi_mask_word(toi_mask mask)
{
#ifdef TOI_WORD
    return TOI_WORD(mask);
#else
    unsigned word = 0;
    for (int i = 0; i < TOI_LANES; ++i)
        word |= (mask[i] ? 1u : 0u) << i;
    return word;
#endif
}

TOI_INLINE int toi_any(toi_mask mask)
{
    return toi_mask_word(mask) != 0;
}

// Lane i is lane from[i] of x.
TOI_INLINE toi_real toi_permute(toi_real x, toi_mask from)
{
#if defined(TOI_ISA_avx512) && defined(TOI_SINGLE) && TOI_LANES == 16
    return (toi_real)_mm512_permutexvar_ps((__m512i)from, (__m512)x);
#elif defined(TOI_ISA_avx512) && !defined(TOI_SINGLE) && TOI_LANES == 8
    return (toi_real)_mm512_permutexvar_pd((__m512i)from, (__m512d)x);
#elif defined(TOI_ISA_avx2) && defined(TOI_SINGLE) && TOI_LANES == 8
    return (toi_real)_mm256_permutevar8x32_ps((__m256)x, (__m256i)from);
#else
    toi_real y = x;
    for (int i = 0; i < TOI_LANES; ++i)
        y[i] = x[from[i]];
    return y;
#endif
}

#endif
