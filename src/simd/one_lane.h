// The numbers of one lane of a vector.

#ifndef TOI_SIMD_ONE_LANE_H
#define TOI_SIMD_ONE_LANE_H

#include "kernel/lanes.h"

static inline void toi_pick_lane(const toi_real from[3], int lane, double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = from[k][lane];
}

#endif
