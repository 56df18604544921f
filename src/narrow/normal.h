// The contact normal that include/toi/narrow_phase.h describes, for every method but `parity`,
// which has none, and for the two additive ones where they cannot tell a gap from none.

#ifndef TOI_NARROW_NORMAL_H
#define TOI_NARROW_NORMAL_H

#include "kernel/contact_place.h"
#include "toi/narrow_phase.h"

// Sets the normal of a result, zero so far, from its time and place. The kind is vertex-face or
// edge-edge.
void toi_set_normal(toi_kind kind, const toi_query *query, toi_query_result *result);

// The same for a method that has the frame at hand.
void toi_settle_normal(toi_kind kind, const toi_query *query, const toi_contact_frame *frame,
                       toi_query_result *result);

#endif
