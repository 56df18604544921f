// The motion of one query in the scale that narrow phases compute in.

#ifndef TOI_NARROW_QUERY_MOTION_H
#define TOI_NARROW_QUERY_MOTION_H

#include "kernel/motion.h"
#include "toi/narrow_phase.h"

// The query's differences, scaled so that nothing can overflow. The kind is vertex-face or
// edge-edge.
void toi_take_motion(toi_kind kind, const toi_query *query, toi_pair_motion *m);

#endif
