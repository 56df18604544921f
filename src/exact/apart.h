// The last rung with a minimum separation: a query decided in whole numbers, whatever its
// coordinates. docs/separation.md.

#ifndef TOI_EXACT_APART_H
#define TOI_EXACT_APART_H

#include "exact/decide.h"

// What is asked. The separation s is min_separation; with relative > 0 it is worked out from the
// distance at t = 0, d0 being its floor: fl(min_separation + fl(relative fl(d0 - min_separation)))
// where the true distance is above min_separation, else fl(relative d0).
typedef struct toi_apart_def
{
    toi_kind kind;         // vertex-face or edge-edge; corners may coincide
    double min_separation; // >= 0, finite, Euclidean
    double relative;       // in [0, 0.5]; 0: none
    double t_max;          // >= 0; times whose floor is later do not matter
    double guess;          // about where the time is expected, or NaN; does not change the answer
    void *scratch;         // toi_decision_scratch_bytes(), aligned to 64; more comes from the heap
    toi_budget *budget;    // of what is taken, or NULL; if it has no more it is said to be starved
} toi_apart_def;

typedef struct toi_apart_decision
{
    toi_state state;    // TOI_UNDECIDED only where memory ran out; then time is 0
    bool time_is_exact; // the first time is `time` itself
    bool starts_inside; // the distance at t = 0 is at most min_separation
    double time; // the largest double not greater than the first t in [0, 1] at which the distance
                 // is at most the separation; infinity: separated
    double distance;   // with relative > 0: the largest double not above the distance at t = 0
    double separation; // the one that was used
} toi_apart_decision;

void toi_decide_apart(const toi_apart_def *def, const toi_query *query,
                      toi_apart_decision *decision);

// More than any query has been seen to take from the heap. Ordinary coordinates take none; those
// from the least double to the largest a third of it, with multiple roots three quarters.
enum
{
    TOI_APART_HEAP = 1 << 20
};

// The distance of the two closed primitives at t = 0.
typedef struct toi_initial_distance
{
    toi_state state; // TOI_UNDECIDED where memory ran out, then floor is 0; else TOI_SEPARATED, or
                     // TOI_HIT if they touch
    bool is_exact;   // the distance is `floor` itself
    double floor;    // the largest double not above it
} toi_initial_distance;

// Finds it. Of the definition the kind, the scratch and the budget are looked at.
void toi_floor_distance(const toi_apart_def *def, const toi_query *query,
                        toi_initial_distance *distance);

#endif
