// The order of records in brief, by their whole keys.

#ifndef TOI_CCD_BRIEF_SORT_H
#define TOI_CCD_BRIEF_SORT_H

#include "ccd/records.h"

typedef struct toi_brief_sort
{
    toi_brief *found, *scratch; // both are lost
    toi_brief *sorted;
    toi_brief *tables; // as many again
    int64_t count;
    uint64_t all; // the bits that occur in keys, at least
} toi_brief_sort;

void toi_sort_brief(const toi_brief_sort *sort, int workers);

#endif
