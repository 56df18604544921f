// Exact answers over the rationals (GMP): slow twins of the narrow phase and of the distances.
//
// All use F(t, u, v) = P(t) + u E(t) + v G(t) as src/kernel/motion.h defines it, but take it
// straight from the given doubles, without a rounding. Nothing here shares code with the library.

#ifndef TOI_TEST_EXACT_CCD_H
#define TOI_TEST_EXACT_CCD_H

#include "toi/narrow_phase.h"

#include <gmp.h>

// A closed domain: vertex-face u, v >= 0, u + v <= 1; edge-edge u, v in [0, 1].

// Is (u, v) in the domain, t in [0, 1], and |F_k(t, u, v)| <= separation for k = 0, 1, 2?
bool exact_is_contact(toi_kind kind, const toi_query *query, double t, double u, double v,
                      double separation);

// Is F(t, u, v) = 0 for some (u, v) of the domain? Right for degenerate primitives too.
bool exact_touch_at(toi_kind kind, const toi_query *query, double t);

// F at the given parameters, all finite. The caller initialises `f`.
void exact_value(toi_kind kind, const toi_query *query, const mpq_t t, const mpq_t u, const mpq_t v,
                 mpq_t f[3]);

// Whether and when two primitives touch first.
typedef enum exact_answer
{
    EXACT_APART,
    EXACT_TOUCH,
    EXACT_DEGENERATE // not decided: flat for all t, or the primitive degenerates where they meet
} exact_answer;

// A polynomial of degree at most 4; the zero polynomial has degree -1.
typedef struct exact_poly
{
    int degree;
    mpz_t c[5];
} exact_poly;

// The one root of f in (lo, hi] / 2^bits, or lo / 2^bits itself where lo = hi.
typedef struct exact_root
{
    exact_poly f;
    mpz_t lo, hi;
    unsigned bits;
} exact_root;

void exact_root_init(exact_root *root);
void exact_root_clear(exact_root *root);

// Decides the query; for EXACT_TOUCH `root` is the first time of contact.
exact_answer exact_first_contact(toi_kind kind, const toi_query *query, exact_root *root);

// Is the root < t, for a finite t >= 0?
bool exact_root_is_before(const exact_root *root, double t);

// The square of the distance between the primitives at t = 0.
void exact_distance_square(toi_kind kind, const toi_query *query, mpq_t square);

// The same at t, finite.
void exact_distance_square_at(toi_kind kind, const toi_query *query, double t, mpq_t square);

#endif
