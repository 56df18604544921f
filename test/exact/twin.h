// The slow twin of the `exact` method: right by a short argument (twin.c), in integers of any size
// (GMP), for any finite query of any kind. Nothing here shares code with the library.

#ifndef TOI_TEST_TWIN_H
#define TOI_TEST_TWIN_H

#include "toi/narrow_phase.h"

// What is true of a query.
typedef struct twin_answer
{
    bool touches;       // at some time of [0, 1]
    double time;        // the largest double not above the first time of contact; else infinity
    bool time_is_exact; // the first time of contact is that double
    int contacts;       // how many separate intervals of contact [0, 1] holds, instants included
} twin_answer;

twin_answer twin_decide(toi_kind kind, const toi_query *query);

// Are the primitives in touch at t, a double in [0, 1]?
bool twin_touches_at(toi_kind kind, const toi_query *query, double t);

#endif
