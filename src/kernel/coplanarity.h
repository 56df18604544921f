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

TOI_INLINE void toi_cross(const toi_real a[3], const toi_real b[3], toi_real r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

// The cross product with all signs positive.
TOI_INLINE void toi_cross_reach(const toi_real a[3], const toi_real b[3], toi_real r[3])
{
    r[0] = a[1] * b[2] + a[2] * b[1];
    r[1] = a[2] * b[0] + a[0] * b[2];
    r[2] = a[0] * b[1] + a[1] * b[0];
}

TOI_INLINE void toi_take_reach(toi_motion *m, toi_reach *r)
{
    for (int k = 0; k < 3; ++k) {
        r->p[k] = toi_larger_end(m->p, k);
        r->e[k] = toi_larger_end(m->e, k);
        r->g[k] = toi_larger_end(m->g, k);
    }
}

TOI_INLINE void toi_take_cubic(toi_motion *m, const toi_reach *r, toi_cubic *q)
{
    toi_real n0[3], n1[3], n2[3], a[3], b[3];
    toi_cross(m->e[0], m->g[0], n0);
    toi_cross(m->e[1], m->g[1], n2);
    toi_cross(m->e[0], m->g[1], a);
    toi_cross(m->e[1], m->g[0], b);
    for (int k = 0; k < 3; ++k)
        n1[k] = a[k] + b[k];
    q->c[0] = toi_dot(m->p[0], n0);
    q->c[1] = toi_dot(m->p[1], n0) + toi_dot(m->p[0], n1);
    q->c[2] = toi_dot(m->p[0], n2) + toi_dot(m->p[1], n1);
    q->c[3] = toi_dot(m->p[1], n2);
    toi_cross_reach(r->e, r->g, a);
    q->scale = toi_dot(r->p, a);
    q->end_error = q->scale * (12 * TOI_UNIT) + TOI_TINY;
    q->error = q->scale * (32 * TOI_UNIT) + TOI_TINY;
}

// D at t, and how far off it may be: the coefficients' errors and those of this evaluation.
TOI_INLINE toi_real toi_cubic_at(const toi_cubic *q, const toi_real *t)
{
    toi_real s = 1 - *t;
    return s * s * (q->c[0] * s + q->c[1] * *t) + *t * *t * (q->c[2] * s + q->c[3] * *t);
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
    return d[0] * s * s + d[1] * s * *t + d[2] * *t * *t;
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

#endif
