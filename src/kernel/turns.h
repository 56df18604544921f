// Which way edges turn about a vertex, seen along a direction, and how sure that is:
// docs/overlap.md, the section on stars.

#ifndef TOI_KERNEL_TURNS_H
#define TOI_KERNEL_TURNS_H

#include "kernel/lanes.h"

// Positive where b lies to the left of a for who looks against v: the volume v . (a x b).
TOI_INLINE toi_real toi_turn(const toi_real v[3], const toi_real a[3], const toi_real b[3])
{
    toi_real normal[3];
    toi_cross(a, b, normal);
    return toi_dot(v, normal);
}

// How far off a computed v . (a x b), or (v x a) . b, may be from that of the true a and b: a and b
// are differences of coordinates that are off by `error`, and no component of them is larger than
// `reach`; v is what it is. 16 and 9 are 14.3 and 8 of the derivation, and room for the rounding of
// this bound itself.
TOI_INLINE toi_real toi_turn_error(const toi_real v[3], toi_real reach, toi_real error)
{
    toi_real size = toi_abs(v[0]) + toi_abs(v[1]) + toi_abs(v[2]);
    return size * ((reach + error) * (16 * TOI_UNIT * reach + 9 * error)) + TOI_TINY;
}

#endif
