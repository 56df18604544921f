// Queries that touch, by construction, at a time that is known exactly; and nearly anything that
// makes that hard to see.

#ifndef TOI_TEST_ADVERSARY_H
#define TOI_TEST_ADVERSARY_H

#include "toi/narrow_phase.h"
#include "toi/random.h"

// What the contacts of one batch have in common, since a narrow phase's options do.
typedef struct contact_recipe
{
    toi_kind kind;
    int exponent;  // coordinates are whole multiples of 2^exponent
    int64_t gap;   // maximum-norm distance at the contact, in that unit
    double latest; // contacts are at or before this time, in [0, 1]
} contact_recipe;

// One query and where it touches: |F(time, u, v)| <= separation in the maximum norm, exactly. It
// may touch earlier elsewhere.
typedef struct contact
{
    toi_query query;
    double time, u, v;
    double separation;
} contact;

// A random recipe for sizes of 1e-9 to 1e9, or, one time in eight, near the ends of the range of a
// double. The gap is 0.
contact_recipe random_recipe(toi_random *random);

contact make_contact(const contact_recipe *recipe, toi_random *random);

// As make_contact() with integers up to 2^53, so that the differences of coordinates no longer fit
// a double and every one is rounded. The recipe's gap is ignored.
contact make_dense_contact(const contact_recipe *recipe, toi_random *random);

// Points with full mantissas and unrelated exponents, up to 2^spread apart, about 2^exponent in
// size; a corner of one meets a corner of the other at t = 0 or t = 1, or in between if both move
// alike.
contact make_wild_contact(toi_kind kind, int exponent, int spread, toi_random *random);

// Moves some coordinates to a neighbouring double or a few further.
void nudge_query(toi_query *query, int64_t most_ulps, toi_random *random);

#endif
