// The floor of the distance at t = 0, and of the first time at which the distance is s, to the last
// bit. The closest feature is known; kernel/nearest.h proves that it is. docs/separation.md.

#ifndef TOI_KERNEL_APART_TIME_H
#define TOI_KERNEL_APART_TIME_H

#include "kernel/nearest.h"
#include "kernel/root_time.h"

enum
{
    TOI_APART_STEPS = 5 // of Newton's method at most; two or three are the rule
};

// A query with its corners renamed (kernel/nearest.h), scaled.
typedef struct toi_apart
{
    toi_near_motion near;
    toi_exact_motion exact;
    toi_real scale; // what the given coordinates were multiplied by
} toi_apart;

// All ones where two corners are the same at both ends of the step.
TOI_INLINE toi_mask toi_same_corners(toi_real points[2][4][3], int a, int b)
{
    toi_mask same = TOI_TEST(points[0][a][0] == points[0][b][0]);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k)
            same &= TOI_TEST(points[end][a][k] == points[end][b][k]);
    return same;
}

TOI_INLINE void toi_take_apart(int edge_edge, toi_real points[2][4][3], toi_apart *a)
{
    toi_pair_motion m;
    toi_real shrink;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    toi_real scale = m.scale / shrink;
    toi_take_exact(edge_edge, points, &shrink, &scale, &a->exact);
    toi_take_near_motion(&m, &a->near);
    a->near.no_e = toi_same_corners(points, 1, edge_edge ? 0 : 2);
    a->near.no_g = toi_same_corners(points, 3, edge_edge ? 2 : 1);
    a->near.segment = a->near.no_g;
    if (!edge_edge)
        a->near.segment |= toi_same_corners(points, 2, 3);
    a->scale = m.scale;
}

// ---- num and den with twice the precision

typedef struct toi_apart_parts
{
    toi_doubled num, den;
    toi_real num_error, den_error;
} toi_apart_parts;

TOI_INLINE toi_doubled toi_doubled_dot(const toi_doubled a[3], const toi_doubled b[3])
{
    toi_doubled xy =
        toi_doubled_add(toi_doubled_multiply(a[0], b[0]), toi_doubled_multiply(a[1], b[1]));
    return toi_doubled_add(xy, toi_doubled_multiply(a[2], b[2]));
}

TOI_INLINE void toi_doubled_cross(const toi_doubled a[3], const toi_doubled b[3],
                                  toi_doubled product[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        product[k] = toi_doubled_subtract(toi_doubled_multiply(a[i], b[j]),
                                          toi_doubled_multiply(a[j], b[i]));
    }
}

// A vector at time t; t = NULL: at the start, where it has no rounding.
TOI_INLINE void toi_doubled_vector(toi_doubled ends[2][3], const toi_real *t, toi_doubled x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = t ? toi_doubled_at(ends, k, t) : ends[0][k];
}

// The error of the square of a number or vector of this size, itself off by `error`: what is small
// beside the coordinates keeps an error that is small beside itself.
TOI_INLINE toi_real toi_square_error(toi_real size, toi_real error)
{
    return (2 * size + error) * error + size * size * 0x1p-99 + TOI_TINY;
}

TOI_INLINE toi_real toi_size_of_square(toi_doubled square)
{
    return toi_root_above(square.high + TOI_TINY);
}

TOI_INLINE void toi_take_corner_parts(toi_apart *a, const toi_real *t, toi_apart_parts *r)
{
    toi_doubled p[3];
    toi_doubled_vector(a->exact.p, t, p);
    r->num = toi_doubled_dot(p, p);
    r->den.high = TOI_SPREAD(1);
    r->den.low = TOI_SPREAD(0);
    r->num_error = toi_square_error(toi_size_of_square(r->num), a->near.size[0] * 0x1p-101);
    r->den_error = TOI_SPREAD(0);
}

TOI_INLINE void toi_take_side_parts(toi_apart *a, const toi_real *t, toi_apart_parts *r)
{
    const toi_real *size = a->near.size;
    toi_doubled p[3], e[3], n[3];
    toi_doubled_vector(a->exact.p, t, p);
    toi_doubled_vector(a->exact.e, t, e);
    toi_doubled_cross(p, e, n);
    r->num = toi_doubled_dot(n, n);
    r->den = toi_doubled_dot(e, e);
    r->num_error = toi_square_error(toi_size_of_square(r->num), size[0] * size[1] * 0x1p-99);
    r->den_error = toi_square_error(toi_size_of_square(r->den), size[1] * 0x1p-101);
}

TOI_INLINE void toi_take_inside_parts(toi_apart *a, const toi_real *t, toi_apart_parts *r)
{
    const toi_real *size = a->near.size;
    toi_doubled p[3], e[3], g[3], n[3];
    toi_doubled_vector(a->exact.p, t, p);
    toi_doubled_vector(a->exact.e, t, e);
    toi_doubled_vector(a->exact.g, t, g);
    toi_doubled_cross(e, g, n);
    toi_doubled height = toi_doubled_dot(p, n);
    toi_real area = size[1] * size[2];
    r->num = toi_doubled_multiply(height, height);
    r->den = toi_doubled_dot(n, n);
    r->num_error = toi_square_error(toi_abs(height.high), size[0] * area * 0x1p-98);
    r->den_error = toi_square_error(toi_size_of_square(r->den), area * 0x1p-99);
}

TOI_INLINE void toi_take_apart_parts(toi_nearness nearness, toi_apart *a, const toi_real *t,
                                     toi_apart_parts *r)
{
    if (nearness == TOI_NEAR_CORNER)
        toi_take_corner_parts(a, t, r);
    else if (nearness == TOI_NEAR_SIDE)
        toi_take_side_parts(a, t, r);
    else
        toi_take_inside_parts(a, t, r);
}

// The floor of base + shift, which is positive; all ones where every number within `error` of it
// has the same.
TOI_INLINE toi_mask toi_floor_within(toi_real base, toi_real shift, toi_real error, toi_real *floor)
{
    toi_mask between;
    *floor = toi_floor_sum(base, shift - error, &between);
    return TOI_TEST(*floor == toi_floor_sum(base, shift + error, &between));
}

// ---- Distances

// Where E and G have no component on some axis at t = 0, the distance of the inside is P's on that
// axis: its floor is exact, even where it is the distance itself. That is where ties come from:
// level triangles, and edges that are level both. All ones where it is so.
TOI_INLINE toi_mask toi_floor_level_distance(int edge_edge, toi_real points[2][4][3],
                                             toi_real *distance)
{
    toi_mask level = TOI_TEST(points[0][0][0] != points[0][0][0]);
    *distance = TOI_SPREAD(0);
    for (int k = 0; k < 3; ++k) {
        toi_real x[4] = {points[0][0][k], points[0][1][k], points[0][2][k], points[0][3][k]};
        toi_doubled p = toi_two_sum(x[0], edge_edge ? -x[2] : -x[1]);
        toi_real low = TOI_SELECT(TOI_TEST(p.high < 0), -p.low, p.low);
        toi_mask between, flat = TOI_TEST(TOI_E_OF(edge_edge, x) == 0) &
                                 TOI_TEST(TOI_G_OF(edge_edge, x) == 0) & TOI_TEST(low == low);
        *distance = TOI_SELECT(flat, toi_floor_sum(toi_abs(p.high), low, &between), *distance);
        level |= flat;
    }
    return level;
}

// The distance of the feature, whether or not it is the closest; all ones where the floor is
// certain, and not the distance itself.
TOI_INLINE toi_mask toi_floor_feature_distance(toi_nearness nearness, toi_apart *a,
                                               toi_real *distance)
{
    toi_apart_parts r;
    toi_take_apart_parts(nearness, a, NULL, &r);
    toi_real x = toi_sqrt(r.num.high / r.den.high), twice = r.den.high * (x + x);
    toi_doubled square = toi_doubled_scale(toi_doubled_scale(r.den, x), x);
    toi_real shift = toi_doubled_subtract(r.num, square).high / twice;
    toi_real noise = (r.num_error + r.den_error * x * x) / twice;
    toi_real error = 2 * (noise + toi_abs(shift) * 0x1p-40) + x * 0x1p-98;
    toi_real floor;
    toi_mask sure = toi_floor_within(x, shift, error, &floor);
    sure &= TOI_TEST(x > 0x1p-200) & TOI_TEST(toi_abs(shift) < x * 0x1p-45);
    *distance = floor / a->scale;
    return sure & TOI_TEST(*distance * a->scale == floor); // else it is denormal or too large
}

// All ones where `distance` is the largest double not above the distance at t = 0.
TOI_INLINE toi_mask toi_find_apart_distance(int edge_edge, toi_nearness nearness,
                                            toi_real points[2][4][3], toi_apart *a,
                                            toi_real *distance)
{
    const toi_real zero = TOI_SPREAD(0);
    toi_near_frame frame;
    toi_take_near_frame(nearness, &a->near, &zero, &frame);
    toi_mask sure = toi_floor_feature_distance(nearness, a, distance);
    if (nearness == TOI_NEAR_INSIDE) {
        toi_real level_distance;
        toi_mask level = toi_floor_level_distance(edge_edge, points, &level_distance);
        *distance = TOI_SELECT(level, level_distance, *distance);
        sure |= level;
    }
    return sure & toi_stays_closest(edge_edge, nearness, &frame, &zero);
}

// ---- Times

// A step of Newton's method for the distance d, which is nearer to linear than its square is:
// (s^2 den - num) d / (d + s) over f' / 2. With d = (d^2 + s^2) / 2s, which is nearly so where d is
// near s, the fraction needs no root.
TOI_INLINE toi_real toi_apart_step(toi_nearness nearness, const toi_near_motion *n,
                                   const toi_real *separation, const toi_real *t)
{
    toi_near_frame f;
    toi_take_near_frame(nearness, n, t, &f);
    toi_real square = *separation * *separation;
    toi_real num = toi_near_numerator(nearness, &f);
    toi_real limit = square * toi_near_denominator(nearness, &f);
    toi_real slope = toi_near_half_slope(nearness, &f, &square);
    return (limit - num) * (limit + num) / (slope * (3 * limit + num));
}

// A time that nears the root after `lo`, as far as double precision goes.
typedef struct toi_apart_approach
{
    toi_real t;
    toi_mask open; // lanes that are not there yet
} toi_apart_approach;

TOI_INLINE void toi_begin_approach(const toi_real *lo, const toi_real *guess,
                                   toi_apart_approach *to)
{
    to->t = toi_min(toi_max(*guess, *lo), TOI_SPREAD(1));
    to->open = TOI_TEST(to->t == to->t);
}

TOI_INLINE void toi_approach(toi_nearness nearness, const toi_near_motion *n,
                             const toi_real *separation, const toi_real *lo, toi_apart_approach *to)
{
    toi_real step = toi_apart_step(nearness, n, separation, &to->t);
    toi_real next = toi_min(toi_max(to->t + step, *lo), TOI_SPREAD(1));
    to->t = TOI_SELECT(to->open, next, to->t);
    to->open &= TOI_TEST(toi_abs(step) > to->t * 0x1p-20);
}

TOI_INLINE toi_real toi_approach_apart_time(toi_nearness nearness, const toi_near_motion *n,
                                            const toi_real *separation, const toi_real *lo,
                                            const toi_real *guess)
{
    toi_apart_approach to;
    toi_begin_approach(lo, guess, &to);
    for (int i = 0; i < TOI_APART_STEPS && toi_any(to.open); ++i)
        toi_approach(nearness, n, separation, lo, &to);
    return to.t;
}

// A time t near the root of f, f there, and how f' / 2 changes around it.
typedef struct toi_apart_root
{
    toi_real t, value, noise; // f(t) is within `noise` of `value`, but for a rounding of its own
    toi_real slope, inverse;  // f' / 2 at t, and 1 / |f' / 2|
    toi_real reach;           // the root is nearer to t than this, if f' keeps close to that
    toi_real radius;          // from t to beyond `lo` and the root
    toi_real change, spread;  // of f' / 2 within the radius; within the reach, over its size
} toi_apart_root;

TOI_INLINE void toi_take_apart_root(toi_nearness nearness, toi_apart *a, const toi_real *separation,
                                    const toi_real *lo, const toi_near_frame *f, toi_apart_root *r)
{
    toi_apart_parts parts;
    toi_take_apart_parts(nearness, a, &r->t, &parts);
    toi_doubled square = toi_two_product(*separation, *separation);
    toi_doubled subtracted = toi_doubled_multiply(parts.den, square);
    r->value = toi_doubled_subtract(parts.num, subtracted).high;
    r->noise = parts.num_error + parts.den_error * square.high +
               (parts.num.high + subtracted.high) * 0x1p-102;
    r->slope = toi_near_half_slope(nearness, f, &square.high);
    r->inverse = 1 / toi_abs(r->slope);
    r->reach = 2 * (toi_abs(r->value) + r->noise) * r->inverse;
    r->radius = (r->t - *lo) + r->reach;
    r->change = toi_near_slope_change(nearness, f, &square.high, &r->radius);
    r->spread = toi_near_slope_change(nearness, f, &square.high, &r->reach) * r->inverse;
}

// All ones where f certainly falls from `lo` to beyond the root, so that there is one root.
TOI_INLINE toi_mask toi_apart_falls(const toi_apart_root *r)
{
    return TOI_TEST(r->slope < 0) & TOI_TEST(r->change < r->slope * (0x1p-20 - 1)) &
           TOI_TEST(r->radius <= 1);
}

// The root is within `error` of t + shift.
TOI_INLINE void toi_bound_apart_root(const toi_apart_root *r, toi_real *shift, toi_real *error)
{
    *shift = r->value * (r->inverse * 0.5); // the slope is negative where this matters
    *error = (toi_abs(*shift) * (2 * r->spread + 0x1p-48) + r->noise * r->inverse) * (1 + 0x1p-20);
}

// The floor of the root; all ones where it is certain.
TOI_INLINE toi_mask toi_floor_apart_root(const toi_apart_root *r, toi_real *time)
{
    toi_real shift, error;
    toi_bound_apart_root(r, &shift, &error);
    return toi_floor_within(r->t, shift, error, time) & TOI_TEST(r->spread < 0x1p-6);
}

// All ones where `time` is the largest double not above the first time after `lo` at which the
// distance is `separation` (scaled); the distance is above it at `lo`, and t is near that time.
TOI_INLINE toi_mask toi_settle_apart_time(int edge_edge, toi_nearness nearness, toi_apart *a,
                                          const toi_real *separation, const toi_real *lo,
                                          const toi_real *t, toi_real *time)
{
    toi_near_frame f;
    toi_apart_root r;
    r.t = *t;
    toi_take_near_frame(nearness, &a->near, &r.t, &f);
    toi_take_apart_root(nearness, a, separation, lo, &f, &r);
    toi_mask sure = toi_stays_closest(edge_edge, nearness, &f, &r.radius) & toi_apart_falls(&r) &
                    toi_floor_apart_root(&r, time);
    return sure & TOI_TEST(*time >= *lo) & TOI_TEST(*time < 1) & TOI_TEST(*separation >= 0x1p-200) &
           TOI_TEST(*separation <= 4);
}

// The same from a guess.
TOI_INLINE toi_mask toi_find_apart_time(int edge_edge, toi_nearness nearness, toi_apart *a,
                                        const toi_real *separation, const toi_real *lo,
                                        const toi_real *guess, toi_real *time)
{
    toi_real t = toi_approach_apart_time(nearness, &a->near, separation, lo, guess);
    return toi_settle_apart_time(edge_edge, nearness, a, separation, lo, &t, time);
}

#endif
