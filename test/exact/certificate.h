// Certificates (toi/exact.h) and decisions in integers, asked for and checked in rational
// arithmetic (GMP): what their test programs share. Every function fails the test that calls it.

#ifndef TOI_TEST_CERTIFICATE_H
#define TOI_TEST_CERTIFICATE_H

#include "exact/decide.h"
#include "toi/exact.h"

#include <gmp.h>

enum
{
    SCRATCH_BYTES = 1 << 16
};

// For decisions, and for arenas; aligned to 64.
extern char scratch[SCRATCH_BYTES];

// The decision over all of [0, 1], without a guess.
toi_decision decide_query(toi_kind kind, const toi_query *query, bool count);

toi_exact_contacts find_contacts(toi_kind kind, const toi_query *query);

// The order of two times, asked for both ways round.
int compare_times(const toi_exact_time *a, const toi_exact_time *b);

// The coefficients and the bounds of a certificate as numbers.
typedef struct number_view
{
    int degree;
    mpz_t c[4]; // those above the degree are zero
    mpq_t lo, hi;
} number_view;

void view_time(const toi_exact_time *time, number_view *view);
void clear_view(number_view *view);

// What a certificate promises of itself: a primitive, square-free polynomial with one root in the
// bounds.
void check_certificate(const toi_exact_time *time);

// And the time is this number; p / q.
void check_rational(const toi_exact_time *time, const mpq_t truth);
void check_ratio(const toi_exact_time *time, unsigned long p, unsigned long q);

#endif
