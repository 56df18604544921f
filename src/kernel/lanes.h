// The number type of the kernels: one number, or several in a vector. The mathematics is written
// once on `toi_real`; a source that defines TOI_LANES before including a kernel gets the vector
// form (compilers split it to what the instruction set has), everything else, CUDA included, the
// scalar one. TOI_SINGLE asks for single precision. All perform the same IEEE operations in the
// same order in every lane, so their answers have the same bits.

#ifndef TOI_KERNEL_LANES_H
#define TOI_KERNEL_LANES_H

#include <math.h>
#include <stdint.h>
#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
#include <immintrin.h>
#endif

#ifndef TOI_LANES
#define TOI_LANES 1
#endif

#if defined(__CUDACC__)
#define TOI_INLINE static __host__ __device__ inline
#elif defined(__GNUC__)
#define TOI_INLINE static inline __attribute__((always_inline))
#else
#define TOI_INLINE static inline
#endif

#ifdef TOI_SINGLE
typedef float toi_number;
typedef int32_t toi_bits;
#define TOI_SIGN_LESS INT32_MAX
#define TOI_MANTISSA 23
#define TOI_UNIT 0x1p-24f  // the rounding unit
#define TOI_TINY 0x1p-126f // more than all underflow errors of a scaled query together
#else
typedef double toi_number;
typedef int64_t toi_bits;
#define TOI_SIGN_LESS INT64_MAX
#define TOI_MANTISSA 52
#define TOI_UNIT 0x1p-53
#define TOI_TINY 0x1p-1000
#endif

// Masks are all ones where true; TOI_SELECT takes a where the mask is set, b elsewhere.
#if TOI_LANES == 1
typedef toi_number toi_real;
typedef toi_bits toi_mask;
#define TOI_TEST(condition) ((condition) ? (toi_mask)-1 : (toi_mask)0)
#define TOI_SELECT(mask, a, b) ((mask) ? (a) : (b))
#define TOI_SPREAD(x) ((toi_real)(x))
#define TOI_ABS(a) fabs(a)
#else
typedef toi_number toi_real __attribute__((vector_size(sizeof(toi_number) * TOI_LANES)));
typedef toi_bits toi_mask __attribute__((vector_size(sizeof(toi_number) * TOI_LANES)));
#define TOI_TEST(condition) ((toi_mask)(condition))
#define TOI_SELECT(mask, a, b) ((toi_real)(((mask) & (toi_mask)(a)) | (~(mask) & (toi_mask)(b))))
#define TOI_SPREAD(x) ((toi_real){0} + (x))
#define TOI_ABS(a) ((toi_real)((toi_mask)(a)&TOI_SIGN_LESS))
#endif

// b where the comparison fails, as with a NaN; the instructions agree with that.
#if defined(TOI_ISA_avx512) && !defined(TOI_SINGLE) && TOI_LANES == 8
#define TOI_MIN(a, b) ((toi_real)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define TOI_MAX(a, b) ((toi_real)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif defined(TOI_ISA_avx512) && defined(TOI_SINGLE) && TOI_LANES == 16
#define TOI_MIN(a, b) ((toi_real)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define TOI_MAX(a, b) ((toi_real)_mm512_max_ps((__m512)(a), (__m512)(b)))
#elif defined(TOI_ISA_avx2) && !defined(TOI_SINGLE) && TOI_LANES == 4
#define TOI_MIN(a, b) ((toi_real)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define TOI_MAX(a, b) ((toi_real)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#elif defined(TOI_ISA_avx2) && defined(TOI_SINGLE) && TOI_LANES == 8
#define TOI_MIN(a, b) ((toi_real)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define TOI_MAX(a, b) ((toi_real)_mm256_max_ps((__m256)(a), (__m256)(b)))
#else
#define TOI_MIN(a, b) TOI_SELECT(TOI_TEST((a) < (b)), a, b)
#define TOI_MAX(a, b) TOI_SELECT(TOI_TEST((a) > (b)), a, b)
#endif

// Is any lane of the mask set?
TOI_INLINE int toi_any(toi_mask mask)
{
#if TOI_LANES == 1
    return mask != 0;
#elif defined(TOI_ISA_avx512) && !defined(TOI_SINGLE) && TOI_LANES == 8
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(TOI_ISA_avx2) && !defined(TOI_SINGLE) && TOI_LANES == 4
    return _mm256_movemask_pd((__m256d)mask) != 0;
#else
    toi_bits any = 0;
    for (int i = 0; i < TOI_LANES; ++i)
        any |= mask[i];
    return any != 0;
#endif
}

#endif
