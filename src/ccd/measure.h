// Measures candidates: their distances at one instant, a vector of pairs at a time.

#ifndef TOI_CCD_MEASURE_H
#define TOI_CCD_MEASURE_H

#include "toi/close.h"

// A vertex in double, half a cache line. The fourth number is zero.
typedef struct toi_standing_vertex
{
    _Alignas(32) double at[4];
} toi_standing_vertex;

typedef struct toi_measure_source
{
    const toi_mesh *mesh; // faces and edges
    const toi_standing_vertex *vertices;
    toi_kind kind;
    double radius; // pairs farther apart are dropped
} toi_measure_source;

// What measuring finds. The true distance is at least that of the pair less its error.
typedef struct toi_measured
{
    toi_close_pair *pairs;
    double *errors; // or NULL: nobody asks
} toi_measured;

// Writes the pairs at the radius or closer to `found`, which has room for all, in order; returns
// how many.
typedef int64_t toi_measure_pairs_fn(const toi_measure_source *source, const toi_pair *pairs,
                                     int64_t count, const toi_measured *found);

#endif
