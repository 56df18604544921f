// Impacts with a separation whose times are known: places and normals for a vector of them at a
// time, from rows of positions into the list.

#ifndef TOI_CCD_APART_IMPACTS_H
#define TOI_CCD_APART_IMPACTS_H

#include "ccd/cull.h"

enum
{
    TOI_APART_IMPACTS = 64 // at most at a time
};

typedef struct toi_two_words
{
    int32_t words[2];
} toi_two_words;

// Some impacts of one kind, vertex-face or edge-edge as loose ones are raised to.
typedef struct toi_apart_impacts
{
    toi_kind kind;
    int64_t count;
    const toi_moving_vertex *corners[TOI_APART_IMPACTS][4];
    double at[TOI_APART_IMPACTS];              // when they are placed
    double time[TOI_APART_IMPACTS];            // what the list says
    toi_two_words names[2][TOI_APART_IMPACTS]; // how an impact begins: kind and a, b and state
} toi_apart_impacts;

// Completes them; what is named is given.
typedef void toi_apart_impacts_fn(const toi_apart_impacts *found, toi_impact *impacts);

#endif
