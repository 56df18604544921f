// The figure F = P + u E + v G of a query in rationals: its features, their polynomials, and the
// distance, straight from the definitions in narrow/apart.h.

#ifndef TOI_TEST_NEAR_FIGURE_H
#define TOI_TEST_NEAR_FIGURE_H

#include "toi/narrow_phase.h"

#include <gmp.h>
#include <stdbool.h>

enum
{
    COEFFICIENTS = 7,
    MOST_CONDITIONS = 5
};

// c[0] + c[1] t + ...
typedef struct polynomial
{
    mpq_t c[COEFFICIENTS];
} polynomial;

// Three vectors, linear in time.
typedef struct figure
{
    polynomial v[3][3];
} figure;

// A feature's squared distance num / den, and what must be positive for it to be the closest.
typedef struct feature_polynomials
{
    polynomial num, den;
    int conditions;
    polynomial condition[MOST_CONDITIONS];
} feature_polynomials;

void polynomial_init(polynomial *p);
void polynomial_clear(polynomial *p);
void polynomial_at(const polynomial *p, const mpq_t t, mpq_t value);
void polynomial_slope(const polynomial *p, polynomial *slope);

// num - s^2 den.
void polynomial_excess(const feature_polynomials *f, double separation, polynomial *excess);

// How many different roots lie in ]a, b].
int count_roots_between(const polynomial *p, const mpq_t a, const mpq_t b);

void figure_init(figure *f);
void figure_clear(figure *f);
void figure_take(figure *f, toi_kind kind, const toi_query *query, double scale);

void features_init(feature_polynomials *f);
void features_clear(feature_polynomials *f);
void features_take(feature_polynomials *f, const figure *figure, toi_kind kind, int feature);

// Does the kind have that feature?
bool has_feature(toi_kind kind, int feature);

// The square of the distance at a time.
void figure_square(const figure *moving, toi_kind kind, const mpq_t t, mpq_t square);

#endif
