// Sums and differences rounded to the nearest double on the safe side: docs/boxes.md.

#ifndef TOI_KERNEL_ROUNDING_H
#define TOI_KERNEL_ROUNDING_H

#include "kernel/doubled.h"

#include <float.h>

#ifdef TOI_SINGLE
#define TOI_LARGEST FLT_MAX
#define TOI_LEAST 0x1p-149f
#else
#define TOI_LARGEST DBL_MAX
#define TOI_LEAST 0x1p-1074
#endif

// The next number below x, which is finite.
TOI_INLINE toi_real toi_next_below(toi_real x)
{
    // Numbers of one sign are in the order of their bits; a mask that is set counts as minus one.
    toi_mask up = TOI_TEST(x < 0), down = TOI_TEST(x > 0);
    toi_real next = toi_from_bits(toi_to_bits(x) + down - up);
    return TOI_SELECT(TOI_TEST(x == 0), TOI_SPREAD(-TOI_LEAST), next);
}

// The largest number not greater than x - h, for h >= 0, or the least there is: boxes stay finite,
// and docs/boxes.md shows why no overlap is lost. The rounding error of a subtraction is itself a
// double, so its sign tells on which side the rounded value fell.
TOI_INLINE toi_real toi_subtract_down(toi_real x, toi_real h)
{
    toi_doubled exact = toi_two_sum(x, -h);
    toi_mask above = TOI_TEST(exact.low < 0);
    toi_real below = TOI_SELECT(above, toi_next_below(exact.high), exact.high);
    return toi_max(TOI_SPREAD(-TOI_LARGEST), below);
}

TOI_INLINE toi_real toi_add_up(toi_real x, toi_real h)
{
    return -toi_subtract_down(-x, h);
}

// x / 2 for x >= 0. Halving is exact but for the last bit of a denormal, which is rounded up.
TOI_INLINE toi_real toi_halve_up(toi_real x)
{
    toi_real half = x * (toi_number)0.5;
    return TOI_SELECT(TOI_TEST(2 * half < x), -toi_next_below(-half), half);
}

#endif
