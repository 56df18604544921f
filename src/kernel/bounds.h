// Doubles rounded to floats on the safe side, and other bounds of plain numbers.

#ifndef TOI_KERNEL_BOUNDS_H
#define TOI_KERNEL_BOUNDS_H

#include "kernel/lanes.h"

#include <float.h>

// The nearest float, moved one float down where it lies above x: the tightest float bound from
// below (docs/boxes.md). The paper tests for "<"; equality is as good a bound, and "<" would loosen
// every exact float.
TOI_INLINE float toi_float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -HUGE_VALF) : f;
}

// The nearest finite float, so that the difference of two is a number.
TOI_INLINE float toi_finite_float(double x)
{
    return x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : (float)x;
}

// A float not below x >= 0, up to three units of the last place above it. x is no denormal float.
TOI_INLINE float toi_float_above(double x)
{
    return (float)x * (1 + 0x1p-22f);
}

// The same of any separation.
TOI_INLINE float toi_round_separation(double separation)
{
    return toi_float_above(separation) + (separation > 0 ? 0x1p-149f : 0.0f);
}

// At least `share` of the distance of two points: the length of a vector is at most the sum of its
// components; the last factor covers the roundings.
TOI_INLINE double toi_distance_share(double share, const double x[3], const double y[3])
{
    double length = fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
    return share * length * (1 + 0x1p-40);
}

#endif
