// An impact in brief: its pair, and its time with two marks, from which its place and normal
// follow.

#ifndef TOI_CCD_BRIEF_IMPACT_H
#define TOI_CCD_BRIEF_IMPACT_H

#include "ccd/pipeline.h"
#include "ccd/records.h"

#include <string.h>

_Static_assert(sizeof(toi_impact) == 4 * sizeof(toi_brief), "brief.h wants it");

// Times are at most 1, so that two bits of theirs are free.
#define TOI_SECOND_PASS ((uint64_t)1 << 63) // the second pass's, before it was shortened
#define TOI_BRIEF_UNDECIDED ((uint64_t)1 << 62)

static inline double toi_brief_time(const toi_brief *brief)
{
    uint64_t bits = brief->value & ~(TOI_SECOND_PASS | TOI_BRIEF_UNDECIDED);
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

// What the list says of it.
static inline double toi_listed_time(const toi_pipeline *p, const toi_brief *brief)
{
    double time = toi_brief_time(brief);
    return brief->value & TOI_SECOND_PASS ? time * p->policy.rescale : time;
}

static inline toi_state toi_brief_state(const toi_brief *brief)
{
    return brief->value & TOI_BRIEF_UNDECIDED ? TOI_UNDECIDED : TOI_HIT;
}

// Makes impacts of it, with their places and normals.
void toi_place_impacts(const toi_pipeline *p, const toi_brief *brief, int64_t count,
                       toi_impact *impacts);

#endif
