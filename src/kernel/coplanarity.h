// When are the four points coplanar? D(t) = P.(E x G) is a cubic, kept in Bernstein form, which is
// several times less noisy than powers of t:
//
//     D(t) = c0 s^3 + c1 s^2 t + c2 s t^2 + c3 t^3,   s = 1 - t.
//
// All bounds are derived in docs/exact.md, section 3.

#ifndef TOI_KERNEL_COPLANARITY_H
#define TOI_KERNEL_COPLANARITY_H

#include "kernel/separation.h"

// Largest absolute value of each component over the step.
typedef struct toi_reach
{
    toi_real p[3], e[3], g[3];
} toi_reach;

typedef struct toi_cubic
{
    toi_real c[4];
    toi_real scale;     // bounds sum |P_i E_j G_k| over the determinant's terms, for all t
    toi_real end_error; // of c0 and c3
    toi_real error;     // of any coefficient, and so of D at any exact t
} toi_cubic;

// The cross product with all signs positive.
TOI_INLINE void toi_cross_reach(const toi_real a[3], const toi_real b[3], toi_real r[3])
{
    r[0] = TOI_PRODUCT_SUM(a[1], b[2], a[2] * b[1]);
    r[1] = TOI_PRODUCT_SUM(a[2], b[0], a[0] * b[2]);
    r[2] = TOI_PRODUCT_SUM(a[0], b[1], a[1] * b[0]);
}

TOI_INLINE void toi_take_reach(toi_pair_motion *m, toi_reach *r)
{
    for (int k = 0; k < 3; ++k) {
        r->p[k] = toi_larger_end(m->p, k);
        r->e[k] = toi_larger_end(m->e, k);
        r->g[k] = toi_larger_end(m->g, k);
    }
}

// The cross product of two vectors that are linear in t: n[0] s^2 + n[1] s t + n[2] t^2.
TOI_INLINE void toi_cross_moving(toi_real a[2][3], toi_real b[2][3], toi_real n[3][3])
{
    toi_real mixed[3];
    toi_cross(a[0], b[0], n[0]);
    toi_cross(a[1], b[1], n[2]);
    toi_cross(a[0], b[1], n[1]);
    toi_cross(a[1], b[0], mixed);
    for (int k = 0; k < 3; ++k)
        n[1][k] += mixed[k];
}

TOI_INLINE void toi_take_cubic(toi_pair_motion *m, const toi_reach *r, toi_cubic *q)
{
    toi_real n[3][3], reach[3];
    toi_cross_moving(m->e, m->g, n);
    q->c[0] = toi_dot(m->p[0], n[0]);
    q->c[1] = toi_dot(m->p[1], n[0]) + toi_dot(m->p[0], n[1]);
    q->c[2] = toi_dot(m->p[0], n[2]) + toi_dot(m->p[1], n[1]);
    q->c[3] = toi_dot(m->p[1], n[2]);
    toi_cross_reach(r->e, r->g, reach);
    q->scale = toi_dot(r->p, reach);
    q->end_error = q->scale * (12 * TOI_UNIT) + TOI_TINY;
    q->error = q->scale * (32 * TOI_UNIT) + TOI_TINY;
}

// D at t, and how far off it may be: the coefficients' errors and those of this evaluation.
TOI_INLINE toi_real toi_cubic_at(const toi_cubic *q, const toi_real *t)
{
    toi_real s = 1 - *t;
    toi_real first = TOI_PRODUCT_SUM(q->c[1], *t, q->c[0] * s);
    toi_real last = TOI_PRODUCT_SUM(q->c[3], *t, q->c[2] * s);
    return TOI_PRODUCT_SUM(*t * *t, last, s * s * first);
}

TOI_INLINE toi_real toi_cubic_error(const toi_cubic *q)
{
    return q->scale * (64 * TOI_UNIT) + TOI_TINY;
}

// D' = d0 s^2 + d1 s t + d2 t^2.
TOI_INLINE void toi_take_slope(const toi_cubic *q, toi_real d[3])
{
    d[0] = q->c[1] - 3 * q->c[0];
    d[1] = 2 * (q->c[2] - q->c[1]);
    d[2] = 3 * q->c[3] - q->c[2];
}

TOI_INLINE toi_real toi_cubic_slope(const toi_cubic *q, const toi_real *t)
{
    toi_real s = 1 - *t, d[3];
    toi_take_slope(q, d);
    return TOI_PRODUCT_SUM(d[2] * *t, *t, TOI_PRODUCT_SUM(d[1] * s, *t, d[0] * s * s));
}

// The polar form: D where all three arguments agree; the Bernstein coefficients of D over [x, y]
// are D(x), B(x,x,y), B(x,y,y), D(y).
TOI_INLINE toi_real toi_cubic_blossom(const toi_cubic *q, const toi_real *x, const toi_real *y)
{
    const toi_real third = TOI_SPREAD(1.0 / 3);
    toi_real sx = 1 - *x, sy = 1 - *y;
    toi_real b1 = q->c[1] * third, b2 = q->c[2] * third;
    toi_real a0 = sx * q->c[0] + *x * b1, a1 = sx * b1 + *x * b2, a2 = sx * b2 + *x * q->c[3];
    toi_real e0 = sx * a0 + *x * a1, e1 = sx * a1 + *x * a2;
    return sy * e0 + *y * e1;
}

// What the signs of D's four Bernstein coefficients over a piece tell.
typedef struct toi_root_count
{
    toi_mask none;  // certainly no root in the piece
    toi_mask one;   // certainly exactly one
    toi_mask known; // the signs at both ends are certain
} toi_root_count;

// The first and the last coefficient are within `end_error` of the truth, the others within
// `error`.
TOI_INLINE toi_root_count toi_count_roots(const toi_real b[4], const toi_real *end_error,
                                          const toi_real *error)
{
    toi_mask p0 = TOI_TEST(b[0] > *end_error), n0 = TOI_TEST(b[0] < -*end_error);
    toi_mask p3 = TOI_TEST(b[3] > *end_error), n3 = TOI_TEST(b[3] < -*end_error);
    toi_mask p1 = TOI_TEST(b[1] > *error), n1 = TOI_TEST(b[1] < -*error);
    toi_mask p2 = TOI_TEST(b[2] > *error), n2 = TOI_TEST(b[2] < -*error);
    toi_root_count count;
    count.none = (p0 & p1 & p2 & p3) | (n0 & n1 & n2 & n3);
    // With signs that differ at the ends, one variation unless both middle signs may be swapped.
    count.one = (p0 & n3 & (p1 | n2)) | (n0 & p3 & (n1 | p2));
    count.known = (p0 | n0) & (p3 | n3);
    return count;
}

// The same of the piece [from, to]; one without length has no root.
TOI_INLINE toi_root_count toi_count_piece_roots(const toi_cubic *q, const toi_real *from,
                                                const toi_real *to)
{
    toi_real b[4] = {toi_cubic_at(q, from), toi_cubic_blossom(q, from, to),
                     toi_cubic_blossom(q, to, from), toi_cubic_at(q, to)};
    toi_real error = toi_cubic_error(q);
    toi_root_count count = toi_count_roots(b, &error, &error);
    toi_mask empty = TOI_TEST(*from >= *to);
    count.none |= empty;
    count.one &= ~empty;
    return count;
}

// D' in powers of t: a t^2 + 2 half t + c.
typedef struct toi_slope_powers
{
    toi_real a, half, c;
} toi_slope_powers;

TOI_INLINE toi_slope_powers toi_take_slope_powers(const toi_cubic *q)
{
    toi_real d[3];
    toi_take_slope(q, d);
    toi_slope_powers slope = {d[0] - d[1] + d[2], (toi_number)0.5 * d[1] - d[0], d[0]};
    return slope;
}

// Where in (0, 1) D turns, about: *first < *last, both zero where it does not turn, and *first
// where it turns once.
TOI_INLINE void toi_critical_points(const toi_cubic *q, toi_real *first, toi_real *last)
{
    const toi_real zero = TOI_SPREAD(0);
    toi_slope_powers d = toi_take_slope_powers(q);
    toi_real square = d.half * d.half - d.a * d.c;
    toi_mask turns = TOI_TEST(square > 0); // and comparisons with NaN are false
    *first = *last = zero;
    if (!toi_any(turns))
        return;
    toi_real root = toi_sqrt(toi_max(square, zero));
    toi_real sum = TOI_SELECT(TOI_TEST(d.half > 0), -d.half - root, root - d.half);
    toi_real x = sum / d.a, y = d.c / sum;
    x = TOI_SELECT(TOI_TEST((x > 0) & (x < 1)) & turns, x, zero);
    y = TOI_SELECT(TOI_TEST((y > 0) & (y < 1)) & turns, y, zero);
    *first = toi_min(x, y);
    *last = toi_max(x, y);
}

// Where to cut the step so that D is monotone on each piece: about at its critical points, or,
// where it has none, at the least slope. The first is 0 where one cut is enough.
TOI_INLINE void toi_cut_step(const toi_cubic *q, toi_real *first, toi_real *last)
{
    toi_slope_powers d = toi_take_slope_powers(q);
    toi_real least = -d.half / d.a;
    least = TOI_SELECT(TOI_TEST((least > 0) & (least < 1)), least, TOI_SPREAD(0.5));
    toi_critical_points(q, first, last);
    *last = TOI_SELECT(TOI_TEST(*last > 0), *last, least);
}

#endif
