// The slow twin of the policy: every candidate solved for itself, without culling or pruning.

#ifndef TOI_TEST_SLOW_POLICY_H
#define TOI_TEST_SLOW_POLICY_H

#include "toi/toi.h"

typedef struct slow_answer
{
    toi_impact_array impacts; // canonical; free with toi_free_impacts()
    toi_impact earliest;      // infinite time where there is none
    int64_t rescaled, inside;
    toi_pair_name first_inside;
} slow_answer;

slow_answer ask_slowly(const toi_ccd_def *def, const toi_mesh *mesh);

// Is the pair of an impact, or of a candidate, at most `separation` apart at t = 0?
bool begins_inside(const toi_mesh *mesh, toi_kind kind, toi_pair pair, double separation);

#endif
