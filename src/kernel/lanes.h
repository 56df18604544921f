// The number type of the kernels: one double, or eight in a vector. The mathematics is written once
// on `toi_real`; a source that defines TOI_LANES 8 before including a kernel gets the vector form
// (compilers split it to what the instruction set has), everything else, CUDA included, the scalar
// one. Both perform the same IEEE operations in the same order, so their answers have the same
// bits.

#ifndef TOI_KERNEL_LANES_H
#define TOI_KERNEL_LANES_H

#include <math.h>
#include <stdint.h>

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

// Masks are all ones where true; TOI_SELECT takes a where the mask is set, b elsewhere.
#if TOI_LANES == 1
typedef double toi_real;
typedef int64_t toi_mask;
#define TOI_TEST(condition) ((condition) ? (toi_mask)-1 : (toi_mask)0)
#define TOI_SELECT(mask, a, b) ((mask) ? (a) : (b))
#define TOI_SPREAD(x) ((toi_real)(x))
#define TOI_ABS(a) fabs(a)
#else
typedef double toi_real __attribute__((vector_size(8 * TOI_LANES)));
typedef int64_t toi_mask __attribute__((vector_size(8 * TOI_LANES)));
#define TOI_TEST(condition) ((toi_mask)(condition))
#define TOI_SELECT(mask, a, b) ((toi_real)(((mask) & (toi_mask)(a)) | (~(mask) & (toi_mask)(b))))
#define TOI_SPREAD(x) ((toi_real){0} + (x))
#define TOI_ABS(a) ((toi_real)((toi_mask)(a)&INT64_MAX))
#endif

#define TOI_MIN(a, b) TOI_SELECT(TOI_TEST((a) < (b)), a, b)
#define TOI_MAX(a, b) TOI_SELECT(TOI_TEST((a) > (b)), a, b)

#endif
