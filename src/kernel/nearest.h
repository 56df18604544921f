// Which feature of the figure F = P + u E + v G (kernel/motion.h) is closest to the origin, proved
// for a whole interval of time, and how fast the distance to it falls.
//
// The corners of a query are renamed first so that the feature is the corner P, the side from P
// along E, or the inside. Its distance d is then num / den = d^2 with polynomials
//     corner: num = P.P             den = 1
//     side:   num = |P x E|^2       den = E.E
//     inside: num = (P.(E x G))^2   den = |E x G|^2
// and it is s where f = num - s^2 den vanishes. The bounds are derived in docs/separation.md.

#ifndef TOI_KERNEL_NEAREST_H
#define TOI_KERNEL_NEAREST_H

#include "kernel/motion.h"

// What kind of feature is closest.
typedef enum toi_nearness
{
    TOI_NEAR_CORNER,
    TOI_NEAR_SIDE,
    TOI_NEAR_INSIDE,
    TOI_NEARNESSES
} toi_nearness;

// P, E and G as functions of time.
typedef struct toi_near_motion
{
    toi_real start[3][3], slope[3][3];
    toi_real size[3]; // bounds of |P|, |E| and |G|
    // Exactly, for all t: E is zero, G is zero, and the figure is a segment along E, since G is
    // zero or, for a triangle, E. Then there is nothing on that side that could be closer.
    toi_mask no_e, no_g, segment;
} toi_near_motion;

// A vector at a time t and a bound of its size.
typedef struct toi_near_vector
{
    toi_real x[3];
    toi_real norm;
} toi_near_vector;

// P, E and G at a time, how they change, and the product that the nearness needs: P x E for a side,
// E x G for the inside, how it changes, and half its second derivative.
typedef struct toi_near_frame
{
    toi_near_vector v[3], slope[3], product, product_slope, product_second;
    toi_real rounding[3];         // bounds of the errors of P, E, G, and of their slopes
    toi_mask no_e, no_g, segment; // as in toi_near_motion
} toi_near_frame;

// The root of a positive number, or up to a sixteenth more: half of the exponent, and of what the
// number has beyond a power of two. Roots are slow, and bounds need no more.
TOI_INLINE toi_real toi_root_above(toi_real square)
{
    const toi_bits bias = (((toi_bits)1 << (8 * sizeof(toi_bits) - 2 - TOI_MANTISSA)) - 1)
                          << (TOI_MANTISSA - 1);
    return toi_from_bits((toi_to_bits(square) >> 1) + (bias + 1));
}

// The size of a vector, or more by a sixteenth and by 2^-500, so that no small vector counts as
// zero.
TOI_INLINE toi_real toi_near_size(const toi_real x[3])
{
    return toi_root_above(toi_dot(x, x) + TOI_TINY);
}

TOI_INLINE void toi_take_near_motion(toi_pair_motion *m, toi_near_motion *n)
{
    for (int k = 0; k < 3; ++k) {
        n->start[0][k] = m->p[0][k];
        n->start[1][k] = m->e[0][k];
        n->start[2][k] = m->g[0][k];
        n->slope[0][k] = m->p[1][k] - m->p[0][k];
        n->slope[1][k] = m->e[1][k] - m->e[0][k];
        n->slope[2][k] = m->g[1][k] - m->g[0][k];
    }
    toi_real p[3], e[3], g[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = toi_larger_end(m->p, k);
        e[k] = toi_larger_end(m->e, k);
        g[k] = toi_larger_end(m->g, k);
    }
    n->size[0] = toi_near_size(p);
    n->size[1] = toi_near_size(e);
    n->size[2] = toi_near_size(g);
}

TOI_INLINE void toi_near_cross(const toi_near_vector *a, const toi_near_vector *b,
                               toi_near_vector *product)
{
    toi_cross(a->x, b->x, product->x);
    product->norm = toi_near_size(product->x);
}

// How a x b changes.
TOI_INLINE void toi_near_cross_slope(const toi_near_frame *f, int a, int b, toi_near_vector *slope)
{
    toi_real other[3];
    toi_cross(f->slope[a].x, f->v[b].x, slope->x);
    toi_cross(f->v[a].x, f->slope[b].x, other);
    for (int k = 0; k < 3; ++k)
        slope->x[k] += other[k];
    slope->norm = toi_near_size(slope->x);
}

TOI_INLINE void toi_take_near_frame(toi_nearness nearness, const toi_near_motion *n,
                                    const toi_real *t, toi_near_frame *f)
{
    f->no_e = n->no_e;
    f->no_g = n->no_g;
    f->segment = n->segment;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            f->slope[i].x[k] = n->slope[i][k];
            f->v[i].x[k] = n->start[i][k] + *t * n->slope[i][k];
        }
        f->v[i].norm = toi_near_size(f->v[i].x);
        f->slope[i].norm = toi_near_size(f->slope[i].x);
        f->rounding[i] = n->size[i] * (32 * TOI_UNIT);
    }
    if (nearness == TOI_NEAR_CORNER)
        return;
    int a = nearness == TOI_NEAR_SIDE ? 0 : 1;
    toi_near_cross(&f->v[a], &f->v[a + 1], &f->product);
    toi_near_cross_slope(f, a, a + 1, &f->product_slope);
    toi_near_cross(&f->slope[a], &f->slope[a + 1], &f->product_second);
}

// ---- Values: num, den and f' / 2 in double

TOI_INLINE toi_real toi_near_numerator(toi_nearness nearness, const toi_near_frame *f)
{
    const toi_real *root = nearness == TOI_NEAR_CORNER ? f->v[0].x : f->product.x;
    toi_real c = toi_dot(f->v[0].x, root);
    return nearness == TOI_NEAR_INSIDE ? c * c : toi_dot(root, root);
}

TOI_INLINE toi_real toi_near_denominator(toi_nearness nearness, const toi_near_frame *f)
{
    if (nearness == TOI_NEAR_CORNER)
        return TOI_SPREAD(1);
    const toi_real *root = nearness == TOI_NEAR_SIDE ? f->v[1].x : f->product.x;
    return toi_dot(root, root);
}

// The height of the inside, P.(E x G), and how it changes.
TOI_INLINE toi_real toi_near_height(const toi_near_frame *f, toi_real *slope)
{
    *slope = toi_dot(f->slope[0].x, f->product.x) + toi_dot(f->v[0].x, f->product_slope.x);
    return toi_dot(f->v[0].x, f->product.x);
}

TOI_INLINE toi_real toi_near_half_slope(toi_nearness nearness, const toi_near_frame *f,
                                        const toi_real *square)
{
    if (nearness == TOI_NEAR_CORNER)
        return toi_dot(f->v[0].x, f->slope[0].x);
    if (nearness == TOI_NEAR_SIDE)
        return toi_dot(f->product.x, f->product_slope.x) -
               *square * toi_dot(f->v[1].x, f->slope[1].x);
    toi_real slope, height = toi_near_height(f, &slope);
    return height * slope - *square * toi_dot(f->product.x, f->product_slope.x);
}

// ---- Bounds
//
// Where two vectors of sizes a and b are off by at most da and db, their dot product is off by at
// most this, and their cross product as a vector; 8 u covers the roundings.
TOI_INLINE toi_real toi_near_spread(toi_real a, toi_real da, toi_real b, toi_real db)
{
    return a * db + da * b + da * db + (8 * TOI_UNIT) * a * b + TOI_TINY;
}

// How far P, E and G may be from their values in the frame within `radius` of its time.
TOI_INLINE void toi_near_drift(const toi_near_frame *f, const toi_real *radius, toi_real drift[3])
{
    toi_real more = *radius * (toi_number)(1 + 0x1p-20);
    for (int i = 0; i < 3; ++i)
        drift[i] = f->slope[i].norm * more + f->rounding[i];
}

// Bounds of the rounding errors of the frame's product, of its slope and of its second derivative's
// half, and of the size of that half.
typedef struct toi_near_bounds
{
    toi_real product, slope, second_error, second;
} toi_near_bounds;

TOI_INLINE void toi_bound_product(const toi_near_frame *f, int a, int b, toi_near_bounds *r)
{
    const toi_near_vector *v = f->v, *s = f->slope;
    toi_real da = f->rounding[a], db = f->rounding[b];
    r->product = toi_near_spread(v[a].norm, da, v[b].norm, db);
    r->slope = toi_near_spread(s[a].norm, da, v[b].norm, db) +
               toi_near_spread(v[a].norm, da, s[b].norm, db);
    r->second_error = toi_near_spread(s[a].norm, da, s[b].norm, db);
    r->second = f->product_second.norm + r->second_error;
}

// The product changes by its slope and no more than its second derivative allows.
TOI_INLINE toi_real toi_product_drift(const toi_near_frame *f, const toi_near_bounds *b,
                                      const toi_real *radius)
{
    toi_real more = *radius * (1 + 0x1p-20);
    return more * (f->product_slope.norm + b->slope + more * b->second) + b->product;
}

TOI_INLINE toi_real toi_product_slope_drift(const toi_near_bounds *b, const toi_real *radius)
{
    return 2 * (1 + 0x1p-20) * *radius * b->second + b->slope;
}

// The same for the height of the inside, a cubic: how much height height' may change.
TOI_INLINE toi_real toi_height_change(const toi_near_frame *f, const toi_near_bounds *b,
                                      const toi_real *radius)
{
    const toi_near_vector *p = &f->v[0], *s = &f->slope[0];
    toi_real r = *radius * (1 + 0x1p-20), dp = f->rounding[0], slope;
    toi_real height = toi_abs(toi_near_height(f, &slope));
    slope = toi_abs(slope);
    toi_real error = toi_near_spread(p->norm, dp, f->product.norm, b->product);
    toi_real slope_error = toi_near_spread(s->norm, dp, f->product.norm, b->product) +
                           toi_near_spread(p->norm, dp, f->product_slope.norm, b->slope);
    toi_real second =
        toi_abs(toi_dot(s->x, f->product_slope.x) + toi_dot(p->x, f->product_second.x)) +
        toi_near_spread(s->norm, dp, f->product_slope.norm, b->slope) +
        toi_near_spread(p->norm, dp, f->product_second.norm, b->second_error);
    toi_real third = (s->norm + dp) * b->second;
    toi_real drift = r * (slope + slope_error + r * (second + r * third)) + error;
    toi_real slope_drift = r * (2 * second + 3 * r * third) + slope_error;
    return toi_near_spread(height, drift, slope, slope_drift);
}

// Within `radius` of the frame's time, f' / 2 is at most this far from toi_near_half_slope().
TOI_INLINE toi_real toi_near_slope_change(toi_nearness nearness, const toi_near_frame *f,
                                          const toi_real *square, const toi_real *radius)
{
    toi_real d[3];
    toi_near_drift(f, radius, d);
    const toi_near_vector *v = f->v, *s = f->slope;
    if (nearness == TOI_NEAR_CORNER)
        return toi_near_spread(v[0].norm, d[0], s[0].norm, f->rounding[0]);
    int a = nearness == TOI_NEAR_SIDE ? 0 : 1;
    toi_near_bounds b;
    toi_bound_product(f, a, a + 1, &b);
    toi_real squares = toi_near_spread(f->product.norm, toi_product_drift(f, &b, radius),
                                       f->product_slope.norm, toi_product_slope_drift(&b, radius));
    if (nearness == TOI_NEAR_SIDE)
        return squares + *square * toi_near_spread(v[1].norm, d[1], s[1].norm, f->rounding[1]);
    return toi_height_change(f, &b, radius) + *square * squares;
}

// ---- Is it the closest?

// P.E > 0 and P.G > 0: the figure lies beyond the corner.
TOI_INLINE toi_mask toi_corner_is_closest(const toi_near_frame *f, const toi_real d[3])
{
    const toi_near_vector *v = f->v;
    toi_real e = toi_near_spread(v[0].norm, d[0], v[1].norm, d[1]);
    toi_real g = toi_near_spread(v[0].norm, d[0], v[2].norm, d[2]);
    return (f->no_e | TOI_TEST(toi_dot(v[0].x, v[1].x) > e)) &
           (f->no_g | TOI_TEST(toi_dot(v[0].x, v[2].x) > g));
}

// The foot of the origin on the line is between the side's ends, and the figure lies beyond.
TOI_INLINE toi_mask toi_side_is_closest(const toi_near_frame *f, const toi_real d[3])
{
    const toi_near_vector *v = f->v;
    toi_near_vector across;
    toi_near_cross(&v[2], &v[1], &across);
    toi_real along = toi_dot(v[0].x, v[1].x), length = toi_dot(v[1].x, v[1].x);
    toi_real d_along = toi_near_spread(v[0].norm, d[0], v[1].norm, d[1]);
    toi_real d_length = toi_near_spread(v[1].norm, d[1], v[1].norm, d[1]);
    toi_real d_across = toi_near_spread(v[2].norm, d[2], v[1].norm, d[1]);
    toi_real beyond = toi_near_spread(f->product.norm, d_along, across.norm, d_across);
    return TOI_TEST(-along > d_along) & TOI_TEST(along + length > d_along + d_length) &
           (f->segment | TOI_TEST(toi_dot(f->product.x, across.x) > beyond));
}

// With N = E x G, the foot of the origin on the plane is at u N.N = N.(G x P), v N.N = N.(P x E).
TOI_INLINE toi_mask toi_inside_is_closest(int edge_edge, const toi_near_frame *f,
                                          const toi_real d[3])
{
    const toi_near_vector *v = f->v, *n = &f->product;
    toi_near_vector gp, pe;
    toi_near_cross(&v[2], &v[0], &gp);
    toi_near_cross(&v[0], &v[1], &pe);
    toi_real dn = toi_near_spread(v[1].norm, d[1], v[2].norm, d[2]);
    toi_real dgp = toi_near_spread(v[2].norm, d[2], v[0].norm, d[0]);
    toi_real dpe = toi_near_spread(v[0].norm, d[0], v[1].norm, d[1]);
    toi_real w = toi_dot(n->x, n->x), dw = toi_near_spread(n->norm, dn, n->norm, dn);
    toi_real a = toi_dot(n->x, gp.x), da = toi_near_spread(n->norm, dn, gp.norm, dgp);
    toi_real b = toi_dot(n->x, pe.x), db = toi_near_spread(n->norm, dn, pe.norm, dpe);
    toi_mask in = TOI_TEST(w > dw) & TOI_TEST(a > da) & TOI_TEST(b > db);
    if (edge_edge)
        return in & TOI_TEST(w - a > dw + da) & TOI_TEST(w - b > dw + db);
    return in & TOI_TEST(w - a - b > dw + da + db);
}

// All ones where the feature is certainly the closest, and the only one, within `radius` (at most
// 1) of the frame's time, itself in [0, 1].
TOI_INLINE toi_mask toi_stays_closest(int edge_edge, toi_nearness nearness, const toi_near_frame *f,
                                      const toi_real *radius)
{
    toi_real d[3];
    toi_near_drift(f, radius, d);
    if (nearness == TOI_NEAR_CORNER)
        return toi_corner_is_closest(f, d);
    if (nearness == TOI_NEAR_SIDE)
        return toi_side_is_closest(f, d);
    return toi_inside_is_closest(edge_edge, f, d);
}

#endif
