// Times of impact as certificates. A certificate owns its numbers (mpz); computations look at them
// through the limbs and work as the decision does.

#ifndef TOI_EXACT_TIME_H
#define TOI_EXACT_TIME_H

#include "exact/moment.h"
#include "toi/exact.h"

struct toi_exact_time
{
    mpz_t c[4]; // those above the degree are not initialised
    mpz_t lo;
    mpz_t hi;
    int64_t bits; // as few as lo and hi allow
    int degree;
    int sign; // of the polynomial at lo; 0 where lo = hi
    bool is_double;
    double floor;
};

// A certificate of the moment, whose floor is known; NULL where memory ran out.
toi_exact_time *toi_make_time(toi_arena *arena, toi_moment *moment);

// The same numbers as a moment, valid as long as the time.
toi_moment toi_view_time(const toi_exact_time *time);

#endif
