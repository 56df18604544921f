// Moments: times in [0, 1] that are roots of polynomials, held exactly.

#ifndef TOI_EXACT_MOMENT_H
#define TOI_EXACT_MOMENT_H

#include "exact/place.h"

// The one root of f in the open interval ]lo, hi[ / 2^bits, where f has opposite signs at the ends;
// or the number lo / 2^bits itself where lo = hi, f then being linear. Whenever f is linear the
// moment is a rational number, and signs are found by putting it in.
typedef struct toi_moment
{
    toi_polynomial f;
    toi_integer lo;
    toi_integer hi;
    int64_t bits;
    int sign;        // of f at lo; 0 where lo = hi
    bool is_double;  // it is `floor` itself
    double floor;    // the largest double not greater, once found
    toi_place place; // where coefficients are long, and the floor was looked for
} toi_moment;

// A double in [0, 1].
toi_moment toi_moment_from_double(toi_arena *arena, double x);

// The root of f between lo and hi, f having the opposite signs there, `sign` at lo.
toi_moment toi_moment_from_root(toi_arena *arena, const toi_polynomial *f, toi_dyadic lo,
                                toi_dyadic hi, int sign);

// Finds the floor, and shrinks the interval to between it and the next double. False if the floor
// is later than `latest`, in which case it need not be found. `guess` may be NaN.
bool toi_moment_find_floor(toi_arena *arena, toi_moment *moment, double latest, double guess);

// The sign of g, of degree at most 3, at the moment, whose floor must be known unless f is linear.
int toi_moment_sign(toi_arena *arena, const toi_moment *moment, const toi_polynomial *g);

// -1, 0 or 1: a is before, the same as or after b; floors as above.
int toi_moment_compare(toi_arena *arena, const toi_moment *a, const toi_moment *b);

#endif
