// Areas of triangles of moving points, and how much they may change while the time is in doubt:
// lemma 4.1 of Huh et al. 2014, with rounding. docs/fast.md, section 3.

#ifndef TOI_KERNEL_AREAS_H
#define TOI_KERNEL_AREAS_H

#include "kernel/inclusion.h"

// Half the length of a x b: the area of a triangle with these sides.
TOI_INLINE double toi_half_cross(const double a[3], const double b[3])
{
    double n[3];
    toi_cross(a, b, n);
    return 0.5 * sqrt(toi_dot(n, n));
}

// How far off a difference of points may be when it is computed for any t in [0, 1], all
// differences of the query's points being at most `length` long at t = 0 and `speed` fast.
TOI_INLINE double toi_difference_rounding(double length, double speed)
{
    return (length + speed) * (40 * TOI_UNIT) + TOI_TINY;
}

// (6), with rounding: toi_half_cross() of two differences, at most `length` long at t = 0 and
// `speed` fast, is within this of its value at any time no further than `doubt` away.
TOI_INLINE double toi_area_error(double length, double speed, double doubt, double rounding)
{
    double step = doubt * speed + rounding;
    return step * (length + speed) + 0.5 * step * step;
}

#endif
