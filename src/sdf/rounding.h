// Rounding in the values and bounds of fields; docs/sdf.md derives the constants.

#ifndef TOI_SDF_ROUNDING_H
#define TOI_SDF_ROUNDING_H

#include <float.h>
#include <math.h>

// Half a unit in the last place of 1: the relative error of an operation that does not underflow.
#define TOI_HALF_ULP 0x1p-53

// More than all that underflow can take away in a few operations, and than twice TOI_NOTHING.
#define TOI_DUST 0x1p-960

// Lengths up to this are taken for 0 where something is divided by them.
#define TOI_NOTHING 0x1p-970

// How far a shape's computed gradient is from the true one of a point nearby, at most.
#define TOI_TURN (32 * TOI_HALF_ULP)

// Not above x, and not above any number whose rounding is x.
static inline double toi_lower(double x)
{
    return x - (fabs(x) * 0x1p-52 + TOI_DUST);
}

// Likewise, not below.
static inline double toi_upper(double x)
{
    return x + (fabs(x) * 0x1p-52 + TOI_DUST);
}

// Not below x, nor below what gives x after some ten roundings; for x >= 0.
static inline double toi_raise(double x)
{
    return x * (1 + 0x1p-48) + TOI_DUST;
}

// The length of a vector whose squares overflow or underflow.
double toi_long_length(double x, double y, double z);

// The length of (x, y, z); off by 3 half ulps at most, at any scale.
static inline double toi_length(double x, double y, double z)
{
    double square = x * x + y * y + z * z;
    if (__builtin_expect(square >= 0x1p-900 && square <= 0x1p1000, 1))
        return sqrt(square);
    return toi_long_length(x, y, z);
}

#endif
