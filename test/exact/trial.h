// Trials of `inclusion` with known contacts: what its test programs share.

#ifndef TOI_TEST_TRIAL_H
#define TOI_TEST_TRIAL_H

#include "exact/adversary.h"
#include "support.h"

enum
{
    BATCH = 500
};

// Contacts of one kind and the answers to them.
typedef struct trial
{
    toi_kind kind;
    int count;
    contact contacts[BATCH];
    toi_query queries[BATCH];
    toi_query_result results[BATCH];
} trial;

// How many queries this program has checked.
extern int64_t queries_checked;

// Prints a query with its bits: what a report of a bug starts with.
void print_query(toi_kind kind, const toi_query *query);
void print_failure(const toi_narrow_def *def, toi_kind kind, const contact *c,
                   const toi_query_result *r);

// What must hold of any result, whatever the query.
bool well_formed(const toi_narrow_def *def, const toi_query_result *r);

// Well-formed, and the contact is found, and not late.
bool is_right(const toi_narrow_def *def, const contact *c, const toi_query_result *r);

// Counts vertex-face results with u + v > 1, a place beyond the face, apart from missed contacts.
void check_place(toi_kind kind, const toi_query *query, const toi_query_result *r);

// Solves a trial and requires that every contact is found, and not late.
void solve_trial(const toi_narrow_def *def, trial *t);

void make_trial(const contact_recipe *recipe, trial *t, toi_random *random);
void make_wild_trial(trial *t, toi_random *random);

// One worker, a moderate budget, a tolerance that may or may not suit the size of the queries.
toi_narrow_def random_def(int exponent, toi_random *random);

// The last test of a program: check_place() has counted nothing, and, but for a sanitizer, at least
// so many queries were checked.
void close_trials(int64_t least);

#endif
