// What every conservative narrow phase must pass, whatever its method: known contacts, spent
// budgets, t_max, exact answers, and the same bits whatever other queries there are.

#ifndef TOI_TEST_METHOD_TRIALS_H
#define TOI_TEST_METHOD_TRIALS_H

#include "exact/trial.h"

// random_def() for a method.
toi_narrow_def method_def(toi_narrow_method method, int exponent, toi_random *random);

// Contacts by construction are found, and not late: with the default budget, and with hardly any.
void try_contacts(toi_narrow_method method, int64_t batches, uint64_t seed);
void try_wild_contacts(toi_narrow_method method, int64_t batches, uint64_t seed);
void try_spent_budgets(toi_narrow_method method, int64_t batches, uint64_t seed);

// A contact at or before t_max is reported, with the bits it has without t_max.
void try_t_max(toi_narrow_method method, int64_t batches, uint64_t seed);

// Results do not depend on the other queries of a call, their order, or the instruction set.
// `separation` as a share of the size of the queries.
void try_any_batch(toi_narrow_method method, double separation, int64_t batches, uint64_t seed);

// How a method did on random queries, against exact answers.
typedef struct tally
{
    int64_t touching, apart, false_hits;
    double slack; // the most that the time of a hit was early, within a factor of two
} tally;

// Uniform coordinates, or contacts a few units in the last place off: requires that none is missed
// or late.
tally try_uniform_exactly(toi_narrow_method method, int64_t queries, uint64_t seed);
tally try_nudged_exactly(toi_narrow_method method, int64_t queries, uint64_t seed);

// Any finite coordinates and any options give a well-formed result; of methods that may miss, too.
void try_anything(toi_narrow_method method, int64_t queries, uint64_t seed);

#endif
