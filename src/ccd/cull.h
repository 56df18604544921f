// Drops candidates that a coordinate axis separates at both ends of the step, before they are
// gathered.

#ifndef TOI_CCD_CULL_H
#define TOI_CCD_CULL_H

#include "toi/ccd.h"

// A vertex at t = 0 and t = 1, in double, one cache line: what queries are gathered from. The
// fourth numbers are zero.
typedef struct toi_trajectory
{
    _Alignas(64) double start[4];
    double end[4];
} toi_trajectory;

// Where a candidate's corners are found.
typedef struct toi_corner_source
{
    const toi_mesh *mesh; // faces and edges
    const toi_trajectory *trajectories;
    toi_kind kind;
    double separation;
    double relative; // the separation is at least this share of the initial distance
} toi_corner_source;

// Moves the pairs that no axis separates by more than their separation to the front, in order;
// returns how many. Motion is straight, so what an axis separates at both ends it separates in
// between; the comparison is exact (docs/inclusion.md, section 4), so the test holds for every
// narrow phase.
typedef int64_t toi_cull_axes(const toi_corner_source *source, toi_pair *pairs, int64_t count);

#endif
