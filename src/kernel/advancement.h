// How long a direction keeps two moving primitives apart: the step of conservative advancement,
// certified. Any direction gives a valid bound, however it was obtained: docs/additive.md.

#ifndef TOI_KERNEL_ADVANCEMENT_H
#define TOI_KERNEL_ADVANCEMENT_H

#include "kernel/distance.h"

enum
{
    TOI_DIRECTIONS = 5 // that are worth trying at a time
};

// Takes the part along d out of f, twice: what rounding leaves of it goes the second time.
TOI_INLINE void toi_remove_part(const double d[3], double f[3])
{
    double square = toi_dot(d, d);
    for (int pass = 0; pass < 2 && square > 0; ++pass) {
        double along = toi_dot(f, d) / square;
        for (int k = 0; k < 3; ++k)
            f[k] -= along * d[k];
    }
}

// Proposes a direction to separate p, e, g: F at about the closest place. It should be normal to
// the sides that the place is inside of, but where it is short, rounding tilts it. So, in turn, F
// as it is and F made normal to both sides of the primitives, and to each of them alone. One of
// them is good: docs/additive.md, section 5. Of length about 1, or zero.
TOI_INLINE void toi_propose_direction(int which, const double e[3], const double g[3],
                                      const double f[3], double n[3])
{
    double side[3], other[3], third[3];
    toi_unit_vector(f, n);
    if (which == 0)
        return;
    for (int k = 0; k < 3; ++k)
        third[k] = g[k] - e[k];
    toi_unit_vector(which == 3 ? g : which == 4 ? third : e, side);
    if (which == 1) {
        toi_unit_vector(g, other);
        toi_remove_part(side, other);
        toi_unit_vector(other, other);
        toi_remove_part(other, n);
    }
    toi_remove_part(side, n);
    toi_unit_vector(n, n);
}

// For a direction n, every corner w of F has n.w - separation |n| > (1 - t) at[0] + t at[1] at all
// t in [0, 1]: how high it certainly is above the separation.
typedef struct toi_heights
{
    int corners;
    double at[2][4];
} toi_heights;

// |n| is about 1. The error bound is derived in docs/additive.md, section 2.
TOI_INLINE void toi_measure_heights(int edge_edge, const toi_pair_motion *m, const double n[3],
                                    double separation, toi_heights *h)
{
    double weight =
        toi_abs(n[0]) * m->size[0] + toi_abs(n[1]) * m->size[1] + toi_abs(n[2]) * m->size[2];
    double slack =
        (8 * TOI_UNIT * weight + separation * sqrt(toi_dot(n, n)) + TOI_TINY) * (1 + 16 * TOI_UNIT);
    h->corners = edge_edge ? 4 : 3;
    for (int end = 0; end < 2; ++end) {
        double p = toi_dot(n, m->p[end]) - slack;
        double e = toi_dot(n, m->e[end]), g = toi_dot(n, m->g[end]);
        h->at[end][0] = p;
        h->at[end][1] = p + e;
        h->at[end][2] = p + g;
        h->at[end][3] = (p + e) + g;
    }
}

// The least height at time t; rounded, for comparing only.
TOI_INLINE double toi_least_height(const toi_heights *h, double t)
{
    double least = HUGE_VAL;
    for (int c = 0; c < h->corners; ++c)
        least = toi_min(least, (1 - t) * h->at[0][c] + t * h->at[1][c]);
    return least;
}

// No contact is at or after t and before the time returned, which is t itself where the direction
// proves nothing there, and infinity where it separates up to t = 1. Heights are linear in t; where
// one crosses zero is a quotient of two roundings.
TOI_INLINE double toi_clear_until(const toi_heights *h, double t)
{
    double until = HUGE_VAL;
    for (int c = 0; c < h->corners; ++c) {
        double a = h->at[0][c], b = h->at[1][c];
        if (a > 0 && b > 0)
            continue;
        if (!(a > 0) && !(b > 0))
            return t;
        double zero = a / (a - b);
        if (a > 0)
            until = toi_min(until, zero * (1 - 4 * TOI_UNIT));
        else if (!(zero * (1 + 4 * TOI_UNIT) <= t))
            return t;
    }
    return toi_max(until, t);
}

#endif
