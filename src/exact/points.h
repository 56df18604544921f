// The points of a query with exponents too far apart for words: sums of products of coordinates,
// taken straight from the doubles.
//
// As whole numbers of one unit such coordinates have up to 2100 bits, nearly all of them zeros, and
// products of differences have thousands. But a component of a cross product, or the volume, is a
// sum of some dozen products of two or three doubles, each three words long: adding these up, each
// where it belongs, takes a tenth of the time.

#ifndef TOI_EXACT_POINTS_H
#define TOI_EXACT_POINTS_H

#include "exact/polynomial.h"

#include "toi/narrow_phase.h"

// m 2^shift in the unit of its axis.
typedef struct toi_coordinate
{
    uint64_t m; // below 2^53
    int32_t shift;
    bool negative;
} toi_coordinate;

typedef struct toi_far_points
{
    toi_coordinate x[2][4][3]; // at t = 0 and 1, of each corner, on each axis
    int64_t bits[3];           // magnitudes on an axis are below 2^bits
} toi_far_points;

// One corner less another.
typedef struct toi_difference
{
    int corner;
    int minus;
} toi_difference;

// Each axis gets a unit of its own, the largest of which all its coordinates are whole multiples:
// contact does not depend on the units of the axes.
void toi_far_points_from_query(const toi_query *query, toi_far_points *points);

// In what follows `degree` is 1, or 0 to look at t = 0 alone.

// One component of a difference.
toi_polynomial toi_far_points_component(toi_arena *arena, const toi_far_points *points,
                                        toi_difference a, int degree, int axis);

// One component of the cross product of two, the axes being that next to it and that after.
toi_polynomial toi_far_points_cross(toi_arena *arena, const toi_far_points *points,
                                    const toi_difference factors[2], int degree, int axis);

// a . (b x c).
toi_polynomial toi_far_points_volume(toi_arena *arena, const toi_far_points *points,
                                     const toi_difference factors[3], int degree);

#endif
