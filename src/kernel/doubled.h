// Numbers of twice the precision: unevaluated sums high + low of two doubles. The operations are
// the classical ones (Dekker 1971; error bounds after Joldes, Muller and Popescu 2017), on scaled
// queries, where nothing overflows and the effects of underflow stay below TOI_TINY. A fused
// multiplication only finds the error of a product: docs/exact.md, section 5.

#ifndef TOI_KERNEL_DOUBLED_H
#define TOI_KERNEL_DOUBLED_H

#include "kernel/lanes.h"

typedef struct toi_doubled
{
    toi_real high, low;
} toi_doubled;

// a + b, exactly.
TOI_INLINE toi_doubled toi_two_sum(toi_real a, toi_real b)
{
    toi_real sum = a + b, back = sum - a;
    toi_doubled exact = {sum, (a - (sum - back)) + (b - back)};
    return exact;
}

// The same where |a| >= |b| or a = 0.
TOI_INLINE toi_doubled toi_quick_sum(toi_real a, toi_real b)
{
    toi_real sum = a + b;
    toi_doubled exact = {sum, b - (sum - a)};
    return exact;
}

// Below this the low part of a product is left out: it may underflow, and then depends on how it
// was found.
#define TOI_LEAST_PRODUCT 0x1p-967

// What a b exceeds its rounding by: by a fused multiplication where there is one, else by halves.
TOI_INLINE toi_real toi_product_error(toi_real a, toi_real b, toi_real product)
{
#if defined(__CUDA_ARCH__) && !defined(TOI_SINGLE)
    return __fma_rn(a, b, -product);
#elif defined(TOI_HAS_FUSE)
    return toi_fuse(a, b, -product);
#else
    toi_real x = a * 134217729.0, y = b * 134217729.0; // 2^27 + 1
    toi_real ah = x - (x - a), bh = y - (y - b);
    toi_real al = a - ah, bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
#endif
}

// a b, exactly, or within 2^-1020.
TOI_INLINE toi_doubled toi_two_product(toi_real a, toi_real b)
{
    toi_real product = a * b, low = toi_product_error(a, b, product);
    toi_mask large = TOI_TEST(toi_abs(product) >= TOI_LEAST_PRODUCT);
    toi_doubled exact = {product, TOI_SELECT(large, low, TOI_SPREAD(0))};
    return exact;
}

// Relative error of sums at most 3 u^2, of products at most 7 u^2.
TOI_INLINE toi_doubled toi_doubled_add(toi_doubled a, toi_doubled b)
{
    toi_doubled s = toi_two_sum(a.high, b.high), t = toi_two_sum(a.low, b.low);
    toi_doubled v = toi_quick_sum(s.high, s.low + t.high);
    return toi_quick_sum(v.high, t.low + v.low);
}

TOI_INLINE toi_doubled toi_doubled_subtract(toi_doubled a, toi_doubled b)
{
    toi_doubled negative = {-b.high, -b.low};
    return toi_doubled_add(a, negative);
}

TOI_INLINE toi_doubled toi_doubled_multiply(toi_doubled a, toi_doubled b)
{
    toi_doubled c = toi_two_product(a.high, b.high);
    toi_real cross = a.high * b.low + a.low * b.high;
    return toi_quick_sum(c.high, c.low + cross);
}

TOI_INLINE toi_doubled toi_doubled_scale(toi_doubled a, toi_real b)
{
    toi_doubled c = toi_two_product(a.high, b);
    return toi_quick_sum(c.high, c.low + a.low * b);
}

#endif
