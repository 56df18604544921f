// The relative motion of a query without a rounding, scaled as the library scales its own: what the
// kernels' errors are measured against.

#ifndef TOI_TEST_EXACT_MOTION_H
#define TOI_TEST_EXACT_MOTION_H

#include "toi/narrow_phase.h"

#include <gmp.h>

typedef struct exact_motion
{
    mpf_t part[3][2][3]; // P, E, G at both ends
    mpf_t c[4];          // D as in kernel/coplanarity.h
    mpf_t x, y, z;       // for calculations
} exact_motion;

// Call first: from then on GMP's floating-point numbers are so long that nothing here is rounded.
void use_long_numbers(void);

void motion_init(exact_motion *m);
void motion_clear(exact_motion *m);

// Vertex-face or edge-edge, all differences times `scale`.
void motion_take(exact_motion *m, toi_kind kind, const toi_query *query, double scale);

// The sum of weight[i] (1-t)^(n-i) t^i over i = 0 .. n.
void motion_bernstein(exact_motion *m, int n, mpf_t *weight, const mpf_t t, mpf_t result);

// D, its derivative, its sign.
void motion_cubic(exact_motion *m, const mpf_t t, mpf_t result);
void motion_slope(exact_motion *m, const mpf_t t, mpf_t result);
int motion_cubic_sign(exact_motion *m, const mpf_t t);

// P, E, G at t.
void motion_at(exact_motion *m, const mpf_t t, mpf_t at[3][3]);

// |computed - exact|, near enough.
double error_of(double computed, const mpf_t exact);

#endif
