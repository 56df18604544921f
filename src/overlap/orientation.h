// On which side of a plane or a line a point is: exact signs for any finite coordinates.
//
// A filter in double decides nearly always; the bounds are derived in docs/overlap.md, "Signs". The
// rest is decided by whole numbers. Nothing is allocated and nothing can fail.

#ifndef TOI_OVERLAP_ORIENTATION_H
#define TOI_OVERLAP_ORIENTATION_H

#include <math.h>
#include <stdbool.h>

enum
{
    TOI_UNSURE = 2 // in place of a sign
};

// Eight roundings in a volume and four in an area, as parts of the sum of the magnitudes of their
// terms; one more pays for the roundings in that sum and in the bound.
#define TOI_VOLUME_ERROR 0x9p-53
#define TOI_AREA_ERROR 0x5p-53
// Far more than what products can lose below the least normal number.
#define TOI_UNDERFLOW_ERROR 0x1p-1020

// A number and how far it can be from the true one.
typedef struct toi_estimate
{
    double value;
    double error; // infinite, or NaN with the value, where something overflowed
} toi_estimate;

// det(b - a, c - a, d - a).
static inline toi_estimate toi_estimate_volume(const double *a, const double *b, const double *c,
                                               const double *d)
{
    double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    double xy = bx * cy, yx = by * cx, yz = by * cz, zy = bz * cy, zx = bz * cx, xz = bx * cz;
    double sizes = (fabs(xy) + fabs(yx)) * fabs(dz) + (fabs(yz) + fabs(zy)) * fabs(dx) +
                   (fabs(zx) + fabs(xz)) * fabs(dy);
    double longest = fabs(dx) + fabs(dy) + fabs(dz);
    return (toi_estimate){(xy - yx) * dz + (yz - zy) * dx + (zx - xz) * dy,
                          TOI_VOLUME_ERROR * sizes + TOI_UNDERFLOW_ERROR * (longest + 1)};
}

// The component along `axis` of (b - a) x (c - a).
static inline toi_estimate toi_estimate_area(const double *a, const double *b, const double *c,
                                             int axis)
{
    int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
    double xy = (b[i] - a[i]) * (c[j] - a[j]), yx = (b[j] - a[j]) * (c[i] - a[i]);
    return (toi_estimate){xy - yx, TOI_AREA_ERROR * (fabs(xy) + fabs(yx)) + TOI_UNDERFLOW_ERROR};
}

static inline int toi_sure_sign(toi_estimate x)
{
    return x.value > x.error ? 1 : x.value < -x.error ? -1 : TOI_UNSURE;
}

// The same by whole numbers.
int toi_exact_volume_sign(const double *a, const double *b, const double *c, const double *d);
int toi_exact_area_sign(const double *a, const double *b, const double *c, int axis);

// -1, 0 or 1: the sign of det(b - a, c - a, d - a). Sets *exact where the filter gives up.
static inline int toi_volume_sign(const double *a, const double *b, const double *c,
                                  const double *d, bool *exact)
{
    int sign = toi_sure_sign(toi_estimate_volume(a, b, c, d));
    if (sign != TOI_UNSURE)
        return sign;
    *exact = true;
    return toi_exact_volume_sign(a, b, c, d);
}

// The sign of the component along `axis` of (b - a) x (c - a).
static inline int toi_area_sign(const double *a, const double *b, const double *c, int axis,
                                bool *exact)
{
    int sign = toi_sure_sign(toi_estimate_area(a, b, c, axis));
    if (sign != TOI_UNSURE)
        return sign;
    *exact = true;
    return toi_exact_area_sign(a, b, c, axis);
}

#endif
