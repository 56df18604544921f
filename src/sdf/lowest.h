// The lowest value of a field over a triangle at rest: does it come as near as a limit, and where.

#ifndef TOI_SDF_LOWEST_H
#define TOI_SDF_LOWEST_H

#include "sdf/local.h"

// A triangle at rest in the field's coordinates. The true corners are within `error` of these, and
// so is every point that is computed from weights.
typedef struct toi_resting
{
    double corners[3][3];
    double longest; // of its sides
    double error;
} toi_resting;

// Adds the rounding of toi_resting_point() to the error of the corners.
void toi_rest_triangle(double corners[3][3], double error, toi_resting *triangle);

// The point with these weights.
void toi_resting_point(const toi_resting *triangle, const double weights[3], double point[3]);

// What was found.
typedef struct toi_lowest
{
    bool apart;        // proved: the field is above the limit in the whole part
    double value;      // the lowest that was computed
    double weights[3]; // there
} toi_lowest;

// Looks at the part of a triangle whose corners have these weights. Unless it is apart, either the
// value is at most the limit, but for rounding, or as many `parts` of it were looked at in vain.
// Once a point is within the limit, a 256th of them are looked at for one that is deeper by more
// than `detail` or a 64th of the depth.
void toi_find_lowest(toi_local *local, const toi_resting *triangle, double part[3][3], double limit,
                     double detail, int parts, toi_lowest *lowest);

#endif
