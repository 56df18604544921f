// Hashes the answers of queries, to compare runs by.

#include "answers.h"

#include <string.h>

// An answer without padding, whose bytes could be anything.
typedef struct packed_answer
{
    int32_t state;
    int32_t contacts;
    double values[6];
} packed_answer;

static packed_answer pack(const toi_query_result *result)
{
    packed_answer answer = {.state = (int32_t)result->state,
                            .contacts = result->contacts,
                            .values = {result->time, result->u, result->v}};
    memcpy(&answer.values[3], result->normal, sizeof result->normal);
    return answer;
}

uint64_t hash_answers(uint64_t hash, const toi_query_result *results, int64_t count)
{
    packed_answer answers[ANSWERS_AT_ONCE];
    for (int64_t first = 0; first < count; first += ANSWERS_AT_ONCE) {
        int64_t piece = count - first < ANSWERS_AT_ONCE ? count - first : ANSWERS_AT_ONCE;
        for (int64_t i = 0; i < piece; ++i)
            answers[i] = pack(&results[first + i]);
        uint64_t chain[2] = {hash, toi_hash(answers, (size_t)piece * sizeof *answers)};
        hash = toi_hash(chain, sizeof chain);
    }
    return hash;
}
