// Where a root is, about, when its distance from 0 or 1 may have any exponent; and the signs of
// other polynomials there. A filter in front of closed forms: docs/exact.md, section 6.

#ifndef TOI_EXACT_PLACE_H
#define TOI_EXACT_PLACE_H

#include "exact/polynomial.h"

// t, or 1 - t where `from_end`, is m 2^exponent within 2^-30 of it. m = 0: not known.
typedef struct toi_place
{
    double m; // in [1/2, 1]
    int64_t exponent;
    bool from_end;
} toi_place;

// An open interval ]lo, hi[ within [0, 1] in which f has one root and changes its sign there, from
// `sign`.
typedef struct toi_bracket
{
    toi_dyadic lo;
    toi_dyadic hi;
    int sign;
} toi_bracket;

// 1 - x, of a number in [0, 1].
toi_dyadic toi_dyadic_complement(toi_arena *arena, toi_dyadic x);

// f as a polynomial in 1 - t.
toi_polynomial toi_polynomial_reverse(toi_arena *arena, const toi_polynomial *f);

// A root in ]lo, hi[, about, of a polynomial given by doubles: Newton's method kept between them by
// halving. Starts at the guess where that is between them.
double toi_estimate_root(const double a[4], int sign_lo, double lo, double hi, double guess);

toi_place toi_find_place(toi_arena *arena, const toi_polynomial *f, const toi_bracket *bracket);

// The sign of g wherever in the place the root is; 0 where this cannot tell.
int toi_place_sign(toi_arena *arena, const toi_place *place, const toi_polynomial *g);

#endif
