// Stable parallel radix sort of 64-bit keys.

#ifndef TOI_BASE_RADIX_SORT_H
#define TOI_BASE_RADIX_SORT_H

#include "base/memory.h"

// Sorts keys[0 .. count) upwards by the bits that `mask` selects; keys equal in those bits keep
// their order, so an index in the other bits is the tie-break. Only bits that differ between keys
// cost a pass. The result does not depend on the number of workers.
toi_status toi_radix_sort(uint64_t *keys, int64_t count, uint64_t mask, int workers,
                          toi_budget *budget);

#endif
