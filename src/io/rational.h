// Rationals in text that must be doubles exactly.

#ifndef TOI_IO_RATIONAL_H
#define TOI_IO_RATIONAL_H

#include "io/text.h"

#include <gmp.h>

// What became of a rational.
typedef enum toi_rational
{
    TOI_RATIONAL_EXACT,
    TOI_RATIONAL_NOT_DOUBLE, // no double equals it
    TOI_RATIONAL_UNDEFINED,  // the denominator is 0
    TOI_RATIONAL_NO_MEMORY
} toi_rational;

// The most digits of an integer. Far more than a double in lowest terms has (324), and few enough
// that GMP, which ends the process when it gets no memory, never needs much.
#define TOI_MAX_DIGITS 100000

// What the reading of big rationals keeps from one to the next.
typedef struct toi_rational_reader
{
    mpz_t numerator;
    mpz_t denominator;
    mpz_t quotient;
    char *digits; // a terminated copy, for GMP
    int64_t capacity;
} toi_rational_reader;

void toi_open_rationals(toi_rational_reader *reader);
void toi_close_rationals(toi_rational_reader *reader);

// The double equal to numerator / denominator, both decimal integers with an optional sign, whose
// form the caller has checked. "-0" over anything positive is the negative zero, so that all
// doubles can be written and read.
toi_rational toi_read_rational(toi_rational_reader *reader, toi_span numerator,
                               toi_span denominator, double *value);

// The same by GMP alone: the way for big numbers, and the twin that tests compare with.
toi_rational toi_read_rational_slowly(toi_rational_reader *reader, toi_span numerator,
                                      toi_span denominator, double *value);

// Sets the reduced numerator and denominator of a finite double. True for the negative zero, whose
// sign GMP does not keep.
bool toi_split_double(double value, mpz_t numerator, mpz_t denominator);

#endif
