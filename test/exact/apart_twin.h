// The slow twin of `exact` with a separation: right by a short argument (apart_twin.c), in integers
// of any size (GMP), for any finite query of any kind. Nothing here shares code with the library.

#ifndef TOI_TEST_APART_TWIN_H
#define TOI_TEST_APART_TWIN_H

#include "toi/narrow_phase.h"

// What is true of a query and a separation.
typedef struct apart_answer
{
    bool hit;           // the distance is at most the separation at a time whose floor is <= t_max
    double time;        // the largest double not above the first such time; infinity without a hit
    bool time_is_exact; // the first such time is that double
    double separation;  // the one that was asked for, or that the relative rule gives
    bool starts_inside; // the distance at t = 0 is at most the separation asked for
} apart_answer;

// When do the primitives first come as close as `separation`, finite and not negative?
apart_answer twin_apart(toi_kind kind, const toi_query *query, double separation, double t_max);

// The same for a share of the initial distance: with d0 as twin_distance() has it, the separation
// is fl(d_min + fl(share * fl(d0 - d_min))) where the distance at t = 0 is more than d_min, and
// fl(share * d0) where it is not. A share of 0 leaves the separation d_min.
apart_answer twin_apart_relative(toi_kind kind, const toi_query *query, double d_min, double share,
                                 double t_max);

// The largest double not above the distance at t = 0.
double twin_distance(toi_kind kind, const toi_query *query);

#endif
