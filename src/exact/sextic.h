// Polynomials in t of degree at most six whose coefficients are whole numbers, and what the search
// for a first time at a distance asks of them: docs/separation.md.
//
// Contact needs no more than cubics (polynomial.h), which have closed forms and stay small; here
// signs over intervals take the place of closed forms.

#ifndef TOI_EXACT_SEXTIC_H
#define TOI_EXACT_SEXTIC_H

#include "exact/integer.h"

enum
{
    TOI_SEXTIC_COEFFICIENTS = 7
};

typedef struct toi_sextic
{
    int degree;                             // -1: zero
    toi_integer c[TOI_SEXTIC_COEFFICIENTS]; // of t^i; those above the degree are not looked at
} toi_sextic;

// The open interval ]from, from + width[ / 2^bits.
typedef struct toi_open_interval
{
    toi_integer from;
    toi_integer width; // above 0, of one limb
    int64_t bits;      // >= 0
} toi_open_interval;

// Coefficients in plain doubles: of f(2^shift t) divided by 2^scale, the largest in [1/2, 1], each
// with a relative error below 2^-52 or an absolute one below 2^-1000.
typedef struct toi_sextic_doubles
{
    int64_t shift;
    int64_t scale;
    double a[TOI_SEXTIC_COEFFICIENTS]; // those above the degree are zero
} toi_sextic_doubles;

toi_sextic toi_sextic_add(toi_arena *arena, const toi_sextic *f, const toi_sextic *g);
toi_sextic toi_sextic_subtract(toi_arena *arena, const toi_sextic *f, const toi_sextic *g);

// f[0] g[0] + f[1] g[1] + ... of `count` products, whose degrees are at most six.
toi_sextic toi_sextic_dot(toi_arena *arena, const toi_sextic *f, const toi_sextic *g, int count);

// f times a number, and f times 2^bits.
toi_sextic toi_sextic_scale(toi_arena *arena, const toi_sextic *f, toi_integer factor);
toi_sextic toi_sextic_shift(toi_arena *arena, const toi_sextic *f, int64_t bits);

// f(x) times 2^(x.bits degree).
toi_integer toi_sextic_at(toi_arena *arena, const toi_sextic *f, toi_dyadic x);

int toi_sextic_sign_at(toi_arena *arena, const toi_sextic *f, toi_dyadic x);

void toi_sextic_approximate(const toi_sextic *f, int64_t shift, toi_sextic_doubles *doubles);

// The signs of the Bernstein coefficients of f over the interval. As many roots as they have
// changes are in it, or fewer by an even number (Descartes; zeros are left out, and roots at its
// ends do not count). The degree is at least 0.
void toi_sextic_signs(toi_arena *arena, const toi_sextic *f, const toi_open_interval *interval,
                      int signs[TOI_SEXTIC_COEFFICIENTS]);

toi_sextic toi_sextic_derivative(toi_arena *arena, const toi_sextic *f);

// A polynomial that has the roots of f, each of them once. f is not zero.
toi_sextic toi_sextic_square_free(toi_arena *arena, const toi_sextic *f);

#endif
