// How near two faces are to each other.

#ifndef TOI_OVERLAP_NEAR_H
#define TOI_OVERLAP_NEAR_H

#include "overlap/overlap.h"

typedef enum toi_nearness_class
{
    TOI_NEAR_NOT,     // farther than `half`
    TOI_NEAR_HALF,    // no farther than that, but farther than `quarter`
    TOI_NEAR_QUARTER, // no farther than that
} toi_nearness_class;

typedef struct toi_limits
{
    double quarter, half;
} toi_limits;

// Coordinates are at most 1 in size. The distance that is compared is wrong by at most 2^-41 times
// the largest difference of two coordinates on an axis.
toi_nearness_class toi_compare_faces(const toi_corner_view *a, const toi_corner_view *b,
                                     toi_limits limits);

#endif
