// The real roots of a polynomial in [0, 1].

#ifndef TOI_EXACT_ROOTS_H
#define TOI_EXACT_ROOTS_H

#include "exact/moment.h"

// The distinct roots of a polynomial that is not zero in [0, 1], in order; at most three. Their
// floors are not known yet, but for 0 and 1.
int toi_find_roots(toi_arena *arena, const toi_polynomial *polynomial, toi_moment roots[3]);

// Gives the moment a polynomial without multiple roots, if its own has one elsewhere.
void toi_make_square_free(toi_arena *arena, toi_moment *moment);

#endif
