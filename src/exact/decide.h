// The last rung: a query decided in integers, whatever its coordinates. docs/exact.md, section 6.

#ifndef TOI_EXACT_DECIDE_H
#define TOI_EXACT_DECIDE_H

#include "base/memory.h"
#include "toi/narrow_phase.h"

// What is asked.
typedef struct toi_decision_def
{
    toi_kind kind; // vertex-face or edge-edge
    double t_max;  // contacts whose floor is later do not matter
    // About where the first contact is expected, or NaN: a good guess saves time, a bad one costs
    // some, neither changes the answer.
    double guess;
    bool count;         // also count the contacts in [0, 1]
    void *scratch;      // toi_decision_scratch_bytes(), aligned to 64; more is taken from the heap
    toi_budget *budget; // of what is taken, or NULL; if it has no more it is said to be starved
} toi_decision_def;

typedef struct toi_decision
{
    toi_state state;    // TOI_UNDECIDED only where memory ran out; then time is 0
    bool time_is_exact; // the first contact is at `time` itself
    int32_t contacts; // where asked for: maximal intervals of [0, 1] in contact, instants included
    double time;      // the largest double not greater than the first contact; infinity: separated
} toi_decision;

void toi_decide(const toi_decision_def *def, const toi_query *query, toi_decision *decision);

int64_t toi_decision_scratch_bytes(void);

// More than any query has been seen to take from the heap: coordinates from the least double to the
// largest take half of it.
enum
{
    TOI_DECISION_HEAP = 256 << 10
};

#endif
