// An impact in brief: its pair, and its time with two marks, from which its place and normal
// follow.

#ifndef TOI_CCD_BRIEF_IMPACT_H
#define TOI_CCD_BRIEF_IMPACT_H

#include "ccd/pipeline.h"
#include "ccd/records.h"

_Static_assert(sizeof(toi_impact) == 4 * sizeof(toi_brief), "brief.h wants it");

// Of an impact as a brief pipeline hands it on (toi_consume_fn).
toi_brief toi_make_brief(const toi_impact *impact);

// Makes impacts of it, with their places and normals.
void toi_place_impacts(const toi_pipeline *p, const toi_brief *brief, int64_t count,
                       toi_impact *impacts);

#endif
