// Lists of records that are found in brief. They are sorted in brief, in the list's own memory, and
// become records in the end, one after the other: what is long is written once.

#ifndef TOI_CCD_BRIEF_H
#define TOI_CCD_BRIEF_H

#include "ccd/records.h"

// A record is so many times as long as what is brief of it.
enum
{
    TOI_BRIEF_SHARE = 4
};

// The list has room for its records, and what is brief of them stands at the beginning.
void toi_complete_records(toi_recorder *r, toi_record_array *list);

#endif
