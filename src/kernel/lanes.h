// The number type of the kernels: one number, or several in a vector. The mathematics is written
// once on `toi_real`; a C source that defines TOI_LANES before including a kernel gets the vector
// form (simd/vector_lanes.h), everything else, C++ and CUDA included, the scalar one. TOI_SINGLE
// asks for single precision. All perform the same IEEE operations in the same order in every lane,
// so their answers have the same bits. Kernels keep to what C17, C++17 and CUDA have in common.

#ifndef TOI_KERNEL_LANES_H
#define TOI_KERNEL_LANES_H

#include "kernel/inline.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef TOI_LANES
#define TOI_LANES 1
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

// Masks are all ones where true. TOI_TEST() makes one of a comparison, TOI_SELECT() takes a where
// it is set and b elsewhere, TOI_SPREAD() gives every lane the same number.
#if TOI_LANES == 1
typedef toi_number toi_real;
typedef toi_bits toi_mask;
#define TOI_TEST(condition) ((condition) ? (toi_mask)-1 : (toi_mask)0)
#define TOI_SELECT(mask, a, b) ((mask) != 0 ? (a) : (b))
#define TOI_SPREAD(x) ((toi_real)(x))

TOI_INLINE toi_real toi_abs(toi_real a)
{
#ifdef TOI_SINGLE
    return fabsf(a);
#else
    return fabs(a);
#endif
}

// b where the comparison fails, as with a NaN; the vector instructions agree with that. With
// TOI_FUSED (below) the number beside a NaN, for which a device has an instruction.
TOI_INLINE toi_real toi_min(toi_real a, toi_real b)
{
#if defined(TOI_FUSED) && defined(TOI_SINGLE)
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
}

TOI_INLINE toi_real toi_max(toi_real a, toi_real b)
{
#if defined(TOI_FUSED) && defined(TOI_SINGLE)
    return fmaxf(a, b);
#else
    return a > b ? a : b;
#endif
}

TOI_INLINE toi_real toi_sqrt(toi_real a)
{
#ifdef TOI_SINGLE
    return sqrtf(a);
#else
    return sqrt(a);
#endif
}

// Is any lane of the mask set?
TOI_INLINE int toi_any(toi_mask mask)
{
    return mask != 0;
}
#else
#include "simd/vector_lanes.h"
#endif

// a b + c. A source may define TOI_FUSED: then there is one rounding instead of two, which no error
// bound minds. Its numbers have other bits, so it must be one that only decides, for those whose
// answers do not show who decided: a method that may report what only comes close does show it.
#if defined(TOI_FUSED) && TOI_LANES > 1
#define TOI_PRODUCT_SUM(a, b, c) toi_fuse(a, b, c)
#elif defined(TOI_FUSED) && defined(TOI_SINGLE)
#define TOI_PRODUCT_SUM(a, b, c) fmaf(a, b, c)
#elif defined(TOI_FUSED)
#define TOI_PRODUCT_SUM(a, b, c) fma(a, b, c)
#else
#define TOI_PRODUCT_SUM(a, b, c) ((a) * (b) + (c))
#endif

TOI_INLINE toi_real toi_dot(const toi_real a[3], const toi_real b[3])
{
    return TOI_PRODUCT_SUM(a[2], b[2], TOI_PRODUCT_SUM(a[1], b[1], a[0] * b[0]));
}

TOI_INLINE void toi_cross(const toi_real a[3], const toi_real b[3], toi_real r[3])
{
    r[0] = TOI_PRODUCT_SUM(a[1], b[2], -(a[2] * b[1]));
    r[1] = TOI_PRODUCT_SUM(a[2], b[0], -(a[0] * b[2]));
    r[2] = TOI_PRODUCT_SUM(a[0], b[1], -(a[1] * b[0]));
}

// The largest component's size.
TOI_INLINE toi_real toi_max3(const toi_real a[3])
{
    return toi_max(toi_max(toi_abs(a[0]), toi_abs(a[1])), toi_abs(a[2]));
}

// The numbers as they are stored, and back.
TOI_INLINE toi_mask toi_to_bits(toi_real a)
{
    toi_mask bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

TOI_INLINE toi_real toi_from_bits(toi_mask bits)
{
    toi_real a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

#endif
