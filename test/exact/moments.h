// Times of [0, 1] that are roots of polynomials, in order, and the signs of other polynomials
// there: exact, with integers of any size (GMP).

#ifndef TOI_TEST_MOMENTS_H
#define TOI_TEST_MOMENTS_H

#include <gmp.h>
#include <stdbool.h>

enum
{
    MOST_DEGREE = 6,
    MOST_MOMENTS = 64 // 0, 1 and the roots of 12 coordinates and 15 minors are 44
};

// A polynomial with integer coefficients.
typedef struct poly
{
    int degree; // -1: the zero polynomial
    mpz_t c[MOST_DEGREE + 1];
} poly;

void poly_init(poly *f);
void poly_clear(poly *f);

// Sets the degree, when the coefficients above `most` are zero.
void find_degree(poly *f, int most);

// Divides f, a multiple of the greatest common divisor of g and h, by that divisor, up to a
// positive factor. The divisor's leading coefficient counts as positive; g and h are not zero.
void divide_by_common(poly *f, const poly *g, const poly *h);

// A time: dyadic, or a root. Any function that takes it may narrow it down.
typedef struct moment
{
    bool dyadic; // it is k / 2^bits; else the only root of f strictly between k and k+1 / 2^bits,
    mpz_t k;     // a simple one, and f is not zero at those two
    mp_bitcnt_t bits;
    poly f;
    int before;         // the sign of f at k / 2^bits
    mp_bitcnt_t stride; // how many bits the next refinement hopes to add
} moment;

// Zero, at first.
void moment_init(moment *m);
void moment_clear(moment *m);

// A double in [0, 1] as k / 2^bits.
void split_double(double x, mpz_t k, mp_bitcnt_t *bits);

// The sign of g at the moment.
int sign_at(const poly *g, moment *m);

// -1, 0 or 1: the order of two moments.
int compare_moments(moment *a, moment *b);

// Makes `between` the shortest dyadic number strictly between two moments, the first of which is
// less.
void find_between(moment *a, moment *b, moment *between);

// The largest double not above the moment, and whether it is the moment.
double floor_of(const moment *m, bool *is_exact);

// Moments in order, all different.
typedef struct moments
{
    int count;
    moment at[MOST_MOMENTS];
} moments;

// Adds k / 2^bits at the end, where it must belong.
moment *add_moment(moments *list, const mpz_t k, mp_bitcnt_t bits);

// Adds the roots of f in (0, 1), each to its place; none for the zero polynomial.
void add_roots(moments *list, const poly *f);

#endif
