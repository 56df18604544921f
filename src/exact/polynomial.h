// Polynomials in t of degree at most three whose coefficients are whole numbers.

#ifndef TOI_EXACT_POLYNOMIAL_H
#define TOI_EXACT_POLYNOMIAL_H

#include "exact/integer.h"

enum
{
    // Bits of a longest coefficient from which on exponents are taken to be far apart: roots may be
    // very near 0 or 1, and filters have to take care of that.
    TOI_LONG = 256
};

typedef struct toi_polynomial
{
    int degree;       // -1: zero
    toi_integer c[4]; // of t^i; those above the degree are not looked at
} toi_polynomial;

// Sets the degree of a polynomial whose coefficients up to `highest` are known.
static inline void toi_polynomial_trim(toi_polynomial *f, int highest)
{
    while (highest >= 0 && f->c[highest].size == 0)
        --highest;
    f->degree = highest;
}

// How many bits the longest coefficient has.
static inline int64_t toi_polynomial_bits(const toi_polynomial *f)
{
    int64_t most = 0;
    for (int i = 0; i <= f->degree; ++i) {
        int64_t bits = toi_integer_bits(f->c[i]);
        most = bits > most ? bits : most;
    }
    return most;
}

// a t + b, a not zero.
static inline toi_polynomial toi_polynomial_linear(toi_integer a, toi_integer b)
{
    return (toi_polynomial){1, {b, a}};
}

toi_polynomial toi_polynomial_add(toi_arena *arena, const toi_polynomial *f,
                                  const toi_polynomial *g);
toi_polynomial toi_polynomial_subtract(toi_arena *arena, const toi_polynomial *f,
                                       const toi_polynomial *g);

// f(m / 2^bits) times 2^(bits degree).
toi_integer toi_polynomial_at(toi_arena *arena, const toi_polynomial *f, toi_dyadic x);

// f(p / q) times q^degree.
toi_integer toi_polynomial_at_ratio(toi_arena *arena, const toi_polynomial *f, toi_integer p,
                                    toi_integer q);

// f(1).
toi_integer toi_polynomial_at_one(toi_arena *arena, const toi_polynomial *f);

int toi_polynomial_sign_at(toi_arena *arena, const toi_polynomial *f, toi_dyadic x);

// A filter for values: the coefficients of f(2^shift t) in words, brought to a common scale.
// 2^scale is above all their magnitudes and at most twice the largest.
typedef struct toi_fixed
{
    int degree;
    int64_t shift;
    int64_t scale;
    toi_int128 c[4]; // times 2^(124 - scale), rounded towards zero
} toi_fixed;

enum
{
    TOI_FIXED_BITS = 124,
    TOI_FIXED_ERROR = 7 // toi_fixed_at() is wrong by no more
};

// f is not zero.
void toi_fixed_from_polynomial(const toi_polynomial *f, int64_t shift, toi_fixed *fixed);

// f(x) 2^(124 - scale), about; x must pass toi_fixed_takes().
toi_int128 toi_fixed_at(const toi_fixed *fixed, toi_dyadic x);

// Is x one word and in ]0, 2^shift], in units of at least 2^(shift - 63)?
static inline bool toi_fixed_takes(const toi_fixed *fixed, toi_dyadic x)
{
    int64_t bits = x.bits + fixed->shift;
    return x.m.size == 1 && bits >= 0 && bits < 64 && x.m.limbs[0] <= UINT64_C(1) << bits;
}

// How often the signs of a sequence change, zeros left out.
int toi_count_changes(const int *signs, int count);

// The Bernstein coefficients of f over [0, 1] times binomials: the sum of b_i t^i (1 - t)^(n - i)
// is f(t), that of b_i x^i has the sign of f(x / (1 + x)). The degree is at least 1.
void toi_polynomial_bernstein(toi_arena *arena, const toi_polynomial *f, toi_integer b[4]);

// The signs of the Bernstein coefficients of f over [0, 1], the first that of f(0), the last that
// of f(1). Where neither is zero, as many roots as they have changes are in (0, 1), or fewer by an
// even number (Descartes). The degree is at least 1.
void toi_polynomial_bernstein_signs(toi_arena *arena, const toi_polynomial *f, int signs[4]);

toi_polynomial toi_polynomial_derivative(toi_arena *arena, const toi_polynomial *f);

// A positive multiple of the remainder of f divided by g, which is not zero.
toi_polynomial toi_polynomial_remainder(toi_arena *arena, const toi_polynomial *f,
                                        const toi_polynomial *g);

// Sturm's sequence of f: f, its derivative, and from then on the negative of a positive multiple of
// the remainder of the last but one divided by the last.
typedef struct toi_sturm
{
    toi_polynomial s[4];
    int length; // the last is a greatest common divisor of f and its derivative
} toi_sturm;

toi_sturm toi_sturm_sequence(toi_arena *arena, const toi_polynomial *f);

// The coefficients of f(2^shift t) divided by a power of two, the largest of which is then in
// [1/2, 1]: each with a relative error below 2^-52 or an absolute one below 2^-1000. Those above
// the degree are zero.
void toi_polynomial_approximate(const toi_polynomial *f, int64_t shift, double a[4]);

// The same in long doubles, whose exponents reach further where they are not doubles, but without a
// promise about the error.
void toi_polynomial_approximate_wide(const toi_polynomial *f, long double a[4]);

#endif
