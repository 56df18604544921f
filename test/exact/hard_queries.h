// Random queries that are hard to decide exactly. The same seed gives the same queries on every
// platform.

#ifndef TOI_TEST_HARD_QUERIES_H
#define TOI_TEST_HARD_QUERIES_H

#include "toi/narrow_phase.h"
#include "toi/random.h"

typedef enum hard_family
{
    HARD_CUBE,  // anywhere in the unit cube
    HARD_SMALL, // coordinates -2, -1, 0, 1, 2: every degeneracy is frequent
    HARD_NEAR,  // degenerate, or a few ulps from it, of any size and far from the origin
    HARD_FAMILIES
} hard_family;

const char *hard_family_name(hard_family family);

toi_query make_hard_query(hard_family family, toi_kind kind, toi_random *random);

// Exponents over all the range of a double: of every coordinate, or one for each axis, corner or
// end; full mantissas or small integers, some coordinates the same, some nudged.
toi_query make_mixed_query(toi_random *random);

#endif
