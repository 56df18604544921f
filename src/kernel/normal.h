// Contact normals of one query: from the rounded vectors that a method has at hand where these
// settle it, else from the coordinates again, in numbers of twice the precision that cannot
// overflow. docs/exact.md, section 7.

#ifndef TOI_KERNEL_NORMAL_H
#define TOI_KERNEL_NORMAL_H

#include "kernel/contact_place.h"
#include "kernel/doubled.h"

#if TOI_LANES != 1 || defined(TOI_SINGLE)
#error "one query at a time, in double: include this in a source with TOI_LANES 1"
#endif

// A hit whose normal is wanted. Corners as in toi_query, three numbers each.
typedef struct toi_hit_place
{
    const double *start, *end;
    double time, u, v;
} toi_hit_place;

// ---- The quick way

// Below this the sine of the angle between two edges counts as none.
#define TOI_LEAST_SINE 0x1p-30

TOI_INLINE void toi_set_unit(const double n[3], int backwards, double normal[3])
{
    double size = toi_max3(n), x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = n[k] / size;
    double length = backwards ? -sqrt(toi_dot(x, x)) : sqrt(toi_dot(x, x));
    for (int k = 0; k < 3; ++k)
        normal[k] = x[k] / length + 0.0;
}

// Nothing moves: common, and then either way is right.
TOI_INLINE int toi_is_at_rest(const toi_hit_place *at)
{
    int rests = 1;
    for (int i = 0; i < 12; ++i)
        rests &= at->start[i] == at->end[i];
    return rests;
}

// All is in a plane perpendicular to an axis, at the start and at the end: common, too. The normal
// is along that axis and the motion is not, so that either way is right.
TOI_INLINE int toi_is_level(const toi_hit_place *at)
{
    int level = 0;
    for (int k = 0; k < 3; ++k) {
        int same = 1;
        for (int i = k + 3; i < 12; i += 3)
            same &= at->start[i] == at->start[k] && at->end[i] == at->end[k];
        level |= same;
    }
    return level;
}

// The edges carry errors of a few units of their sizes, so n carries as many of `rounding`; the
// speed's are of the largest difference, which is about 1.
TOI_INLINE int toi_normal_from_plane(const toi_contact_frame *c, const toi_hit_place *at,
                                     const double n[3], double rounding, double normal[3])
{
    double towards = toi_dot(n, c->speed);
    double doubt = 0x1p-40 * toi_max3(n) + 0x1p-46 * rounding * toi_max3(c->speed);
    if (!(toi_abs(towards) > doubt) && !toi_is_at_rest(at) && !toi_is_level(at))
        return 0;
    toi_set_unit(n, towards > 0, normal);
    return 1;
}

// Sure of its direction: zero, or not much shorter than at an end of the step.
TOI_INLINE int toi_edge_is_sure(const double edge[3], double size)
{
    double length = toi_max3(edge);
    return size == 0 || (length > 0x1p-20 * size && length > 0x1p-200);
}

TOI_INLINE int toi_normal_from_motion(const toi_contact_frame *c, double normal[3])
{
    double ee = toi_dot(c->e, c->e), gg = toi_dot(c->g, c->g), n[3];
    const double *edge = ee > gg ? c->e : c->g, length = ee > gg ? ee : gg;
    if (!toi_edge_is_sure(c->e, c->e_size) || !toi_edge_is_sure(c->g, c->g_size))
        return 0;
    double along = toi_dot(c->speed, edge);
    for (int k = 0; k < 3; ++k)
        n[k] = -(c->speed[k] - (length > 0 ? along / length * edge[k] : 0));
    if (!(toi_max3(n) > TOI_LEAST_SINE))
        return 0;
    toi_set_unit(n, 0, normal);
    return 1;
}

TOI_INLINE int toi_normal_quickly(const toi_contact_frame *c, const toi_hit_place *at,
                                  double normal[3])
{
    double n[3];
    toi_cross(c->e, c->g, n);
    double rounding = toi_max3(c->e) * c->g_size + toi_max3(c->g) * c->e_size;
    if (toi_max3(n) > TOI_LEAST_SINE * rounding + TOI_TINY)
        return toi_normal_from_plane(c, at, n, rounding, normal);
    double least = TOI_LEAST_SINE * TOI_LEAST_SINE * toi_dot(c->e, c->e) * toi_dot(c->g, c->g);
    return !(toi_dot(n, n) > least) && toi_normal_from_motion(c, normal);
}

// ---- The careful way

// A number of twice the precision with an exponent of its own: value 2^exponent, the high part of
// the value in [1/2, 1) in size, or zero.
typedef struct toi_wide
{
    toi_doubled value;
    int exponent;
} toi_wide;

// 2^exponent, a normal number.
TOI_INLINE double toi_power_of_two(int exponent)
{
    return toi_from_bits((toi_mask)(1023 + exponent) << TOI_MANTISSA);
}

// The exponent that brings a normal number into [1/2, 1).
TOI_INLINE int toi_own_exponent(double x)
{
    return (int)(toi_to_bits(x) >> TOI_MANTISSA & 0x7ff) - 1022;
}

TOI_INLINE toi_doubled toi_wide_shift(toi_doubled x, int exponent)
{
    double power = toi_power_of_two(exponent);
    toi_doubled shifted = {x.high * power, x.low * power};
    return shifted;
}

// The high part is zero or between 2^-1000 and 2^1000.
TOI_INLINE toi_wide toi_wide_normal(toi_doubled value, int exponent)
{
    int own = toi_own_exponent(value.high);
    toi_wide zero = {{0, 0}, 0};
    if (value.high == 0)
        return zero;
    toi_wide w = {toi_wide_shift(value, -own), exponent + own};
    return w;
}

// Any finite number. By its bits, since one that is not normal has no power of two that takes it to
// [1/2, 1).
TOI_INLINE toi_wide toi_wide_from(double x)
{
    int raised = toi_abs(x) < 0x1p-1022 ? 54 : 0;
    double normal = raised ? x * 0x1p54 : x;
    toi_mask digits = toi_to_bits(normal) & ~((toi_mask)0x7ff << TOI_MANTISSA);
    toi_wide w = {{0, 0}, 0};
    if (x == 0)
        return w;
    w.value.high = toi_from_bits(digits | (toi_mask)1022 << TOI_MANTISSA);
    w.exponent = toi_own_exponent(normal) - raised;
    return w;
}

// The high part 2^exponent, rounded to a double; at most 1.
TOI_INLINE double toi_wide_share(const toi_wide *a, int exponent)
{
    int shift = a->exponent + exponent;
    int first = shift < -1000 ? -1000 : shift; // so far nothing is rounded
    int second = shift < -2000 ? -1000 : shift - first;
    return a->value.high * toi_power_of_two(first) * toi_power_of_two(second);
}

TOI_INLINE toi_wide toi_wide_negative(toi_wide a)
{
    toi_wide negative = {{-a.value.high, -a.value.low}, a.exponent};
    return negative;
}

TOI_INLINE toi_wide toi_wide_add(toi_wide a, toi_wide b)
{
    if (b.value.high == 0 || (a.value.high != 0 && a.exponent - b.exponent > 200))
        return a;
    if (a.value.high == 0 || b.exponent - a.exponent > 200)
        return b;
    int exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    toi_doubled x = toi_wide_shift(a.value, a.exponent - exponent);
    toi_doubled y = toi_wide_shift(b.value, b.exponent - exponent);
    return toi_wide_normal(toi_doubled_add(x, y), exponent);
}

TOI_INLINE toi_wide toi_wide_multiply(toi_wide a, toi_wide b)
{
    return toi_wide_normal(toi_doubled_multiply(a.value, b.value), a.exponent + b.exponent);
}

// a > 2^exponent b, both not negative?
TOI_ROUTINE int toi_wide_exceeds(toi_wide a, toi_wide b, int exponent)
{
    b.exponent += exponent;
    return toi_wide_add(a, toi_wide_negative(b)).value.high > 0;
}

TOI_ROUTINE toi_wide toi_wide_dot(const toi_wide a[3], const toi_wide b[3])
{
    toi_wide sum = toi_wide_multiply(a[0], b[0]);
    for (int k = 1; k < 3; ++k)
        sum = toi_wide_add(sum, toi_wide_multiply(a[k], b[k]));
    return sum;
}

// to += factor by
TOI_ROUTINE void toi_wide_move(toi_wide to[3], toi_wide factor, const toi_wide by[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = toi_wide_add(to[k], toi_wide_multiply(factor, by[k]));
}

// P, E, G of kernel/motion.h at the time, and how fast they change.
typedef struct toi_wide_motion
{
    toi_wide at[3][3], rate[3][3];
} toi_wide_motion;

TOI_INLINE toi_wide toi_wide_difference(const double *x, int to, int from)
{
    return toi_wide_add(toi_wide_from(x[to]), toi_wide_from(-x[from]));
}

TOI_ROUTINE void toi_take_wide_motion(int edge_edge, const toi_hit_place *at, toi_wide_motion *m)
{
    const int vf[3][2] = {{0, 1}, {1, 2}, {1, 3}}, ee[3][2] = {{0, 2}, {1, 0}, {2, 3}};
    toi_wide after = toi_wide_from(at->time);
    toi_wide before = toi_wide_add(toi_wide_from(1), toi_wide_negative(after));
    for (int i = 0; i < 9; ++i) {
        const int *corners = edge_edge ? ee[i / 3] : vf[i / 3];
        int k = i % 3, to = 3 * corners[0] + k, from = 3 * corners[1] + k;
        toi_wide start = toi_wide_difference(at->start, to, from);
        toi_wide end = toi_wide_difference(at->end, to, from);
        m->rate[i / 3][k] = toi_wide_add(end, toi_wide_negative(start));
        m->at[i / 3][k] =
            toi_wide_add(toi_wide_multiply(before, start), toi_wide_multiply(after, end));
    }
}

// Takes the part along `edge` out of x; returns 0 where hardly anything is left.
TOI_ROUTINE int toi_remove_along(const toi_wide edge[3], toi_wide x[3])
{
    toi_wide square = toi_wide_dot(edge, edge), before = toi_wide_dot(x, x);
    for (int pass = 0; pass < 3 && square.value.high > 0; ++pass) {
        toi_wide along = toi_wide_dot(x, edge);
        toi_doubled share = {-along.value.high / square.value.high, 0};
        toi_wide_move(x, toi_wide_normal(share, along.exponent - square.exponent), edge);
    }
    return toi_wide_exceeds(toi_wide_dot(x, x), before, -160);
}

TOI_ROUTINE void toi_set_unit_wide(const toi_wide n[3], int backwards, double normal[3])
{
    double x[3];
    int most = -0x7fffffff;
    for (int k = 0; k < 3; ++k)
        if (n[k].value.high != 0 && n[k].exponent > most)
            most = n[k].exponent;
    for (int k = 0; k < 3; ++k)
        x[k] = n[k].value.high == 0 ? 0 : toi_wide_share(&n[k], -most);
    toi_set_unit(x, backwards, normal);
}

TOI_INLINE void toi_wide_cross(const toi_wide a[3], const toi_wide b[3], toi_wide n[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = k < 2 ? k + 1 : 0, j = k > 0 ? k - 1 : 2;
        n[k] = toi_wide_add(toi_wide_multiply(a[i], b[j]),
                            toi_wide_negative(toi_wide_multiply(a[j], b[i])));
    }
}

// x + u E + v G, E and G after x in what it is taken from.
TOI_INLINE void toi_wide_place(toi_wide from[3][3], const toi_hit_place *at, toi_wide x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = from[0][k];
    toi_wide_move(x, toi_wide_from(at->u), from[1]);
    toi_wide_move(x, toi_wide_from(at->v), from[2]);
}

TOI_ROUTINE void toi_normal_carefully(int edge_edge, const toi_hit_place *at, double normal[3])
{
    toi_wide_motion m;
    toi_wide n[3], speed[3], gap[3];
    toi_take_wide_motion(edge_edge, at, &m);
    const toi_wide *e = m.at[1], *g = m.at[2];
    toi_wide_cross(e, g, n);
    toi_wide_place(m.rate, at, speed);
    toi_wide ee = toi_wide_dot(e, e), gg = toi_wide_dot(g, g), nn = toi_wide_dot(n, n);
    if (nn.value.high > 0 && toi_wide_exceeds(nn, toi_wide_multiply(ee, gg), -60)) {
        toi_set_unit_wide(n, toi_wide_dot(n, speed).value.high > 0, normal);
        return;
    }
    toi_wide_place(m.at, at, gap);
    toi_wide size = toi_wide_add(toi_wide_add(ee, gg), toi_wide_dot(m.at[0], m.at[0]));
    int apart = toi_wide_exceeds(toi_wide_dot(gap, gap), size, -80);
    const toi_wide *edge = toi_wide_exceeds(ee, gg, 0) ? e : g;
    if (toi_remove_along(edge, speed))
        toi_set_unit_wide(speed, 1, normal);
    else if (apart && toi_remove_along(edge, gap))
        toi_set_unit_wide(gap, 0, normal);
}

// ---- Either

// Sets the normal of a hit, zero so far, that include/toi/narrow_phase.h describes.
TOI_INLINE void toi_find_normal(int edge_edge, const toi_hit_place *at,
                                const toi_contact_frame *frame, double normal[3])
{
    if (!toi_normal_quickly(frame, at, normal))
        toi_normal_carefully(edge_edge, at, normal);
}

#endif
