// The last bit of `exact` with a separation, a few queries at a time whose closest feature is
// known or guessed; compiled once for each instruction set. Each answer is proved or NaN.

#ifndef TOI_NARROW_APART_H
#define TOI_NARROW_APART_H

#include "kernel/nearest.h"
#include "narrow/exact.h"

// The vectors between two primitives fill a figure, F = P + u E + v G of kernel/motion.h: a
// triangle for vertex-face, a parallelogram for edge-edge. A feature is what of it is closest to
// the origin:
//     0..3  corners P, P + E, P + G, P + E + G (the last for edge-edge alone)
//     4..7  sides from a corner along a vector: (P, E), (P, G), then for vertex-face (P + E, G -
//     E),
//           for edge-edge (P + G, E) and (P + E, G)
//     8     the inside
enum
{
    TOI_FIRST_SIDE = 4,
    TOI_INSIDE_FEATURE = 8,
    TOI_FEATURES
};

static inline toi_nearness toi_nearness_of(int feature)
{
    if (feature < TOI_FIRST_SIDE)
        return TOI_NEAR_CORNER;
    return feature < TOI_INSIDE_FEATURE ? TOI_NEAR_SIDE : TOI_NEAR_INSIDE;
}

enum
{
    TOI_FEATURE_LANES = 16 // two vectors of the widest
};

// Up to so many queries of a batch and the feature that is closest in each, all of one nearness.
typedef struct toi_feature_lanes
{
    int count;
    int32_t query[TOI_FEATURE_LANES];
    uint8_t feature[TOI_FEATURE_LANES];
} toi_feature_lanes;

// The largest double not above the distance at t = 0; NaN where this stage cannot tell.
typedef void toi_apart_distances_fn(const toi_narrow_batch *batch, const toi_feature_lanes *lanes,
                                    double distance[TOI_FEATURE_LANES]);

// The largest double not above the first time after `lo` at which the distance is the separation;
// NaN where this stage cannot tell. Proved before: the distance is above the separation on [0, lo].
// The guess at that time only steers.
typedef void toi_apart_times_fn(const toi_narrow_batch *batch, const toi_feature_lanes *lanes,
                                const double lo[TOI_FEATURE_LANES],
                                const double guess[TOI_FEATURE_LANES],
                                const double separation[TOI_FEATURE_LANES],
                                double time[TOI_FEATURE_LANES]);

toi_apart_distances_fn toi_find_apart_distances_baseline, toi_find_apart_distances_avx2,
    toi_find_apart_distances_avx512;
toi_apart_times_fn toi_find_apart_times_baseline, toi_find_apart_times_avx2,
    toi_find_apart_times_avx512;

#endif
