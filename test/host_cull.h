// The processor's culling of one candidate, for methods that may report what only comes close.

#ifndef TOI_TEST_HOST_CULL_H
#define TOI_TEST_HOST_CULL_H

#include "toi/ccd.h"

// Is it dropped before the narrow phase?
bool host_culls(toi_kind kind, const toi_query *query, double separation);

#endif
