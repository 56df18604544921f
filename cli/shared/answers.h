// Answers of queries, as a number to compare runs by.

#ifndef TOI_CLI_ANSWERS_H
#define TOI_CLI_ANSWERS_H

#include "toi/narrow_phase.h"

// Adds answers to a hash, which starts from 0: state, contacts, time, place and normal, not how
// they were found. Lists longer than ANSWERS_AT_ONCE may be added in pieces that are multiples of
// it.
enum
{
    ANSWERS_AT_ONCE = 1024
};
uint64_t hash_answers(uint64_t hash, const toi_query_result *results, int64_t count);

#endif
