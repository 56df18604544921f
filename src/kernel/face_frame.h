// Coordinates of a mesh at one instant, scaled, and in single precision: docs/overlap.md, section
// 3. Numbers are doubles and floats here, whatever toi_real is.

#ifndef TOI_KERNEL_FACE_FRAME_H
#define TOI_KERNEL_FACE_FRAME_H

#include "kernel/lanes.h"

// A coordinate x becomes x scale in double, and the float of x scale - centre. Each rounding is
// monotone, so boxes of floats lose no pair.
typedef struct toi_face_frame
{
    double scale; // a power of two such that x scale is at most 1 in size
    double centre[3];
    float error; // of a float coordinate, at most: |float - true (x scale - centre)|
} toi_face_frame;

// The power of two that brings the largest coordinate into [1/2, 1); less where that would
// overflow.
TOI_INLINE double toi_face_scale(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1.0, exponent < -1022 ? 1022 : -exponent);
}

// x scale is off by 2^-1075 at most, where it is subnormal; less the centre by 2^-53 of itself; the
// float by 2^-24 of what it rounds, or 2^-150 where it is subnormal. `radius`: the largest |x scale
// - centre|. What is added here covers the roundings of the bound itself, too.
TOI_INLINE float toi_face_error(double radius)
{
    return (float)(radius * (0x1p-24 * (1 + 0x1p-20)) + 0x1p-148);
}

// The frame of a mesh whose coordinates are between `low` and `high`.
TOI_INLINE void toi_take_face_frame(const double low[3], const double high[3], toi_face_frame *f)
{
    double largest = 0, radius = 0;
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, fmax(-low[k], high[k]));
    f->scale = toi_face_scale(largest);
    for (int k = 0; k < 3; ++k) {
        double lo = low[k] * f->scale, hi = high[k] * f->scale;
        f->centre[k] = 0.5 * lo + 0.5 * hi;
        radius = fmax(radius, fmax(hi - f->centre[k], f->centre[k] - lo));
    }
    f->error = toi_face_error(radius);
}

TOI_INLINE float toi_face_single(const toi_face_frame *f, double x, int k)
{
    return (float)(x * f->scale - f->centre[k]);
}

#endif
