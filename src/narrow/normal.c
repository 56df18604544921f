// Contact normals: from the rounded vectors that a method has at hand where these settle it, else
// from the coordinates again, in numbers of twice the precision that cannot overflow.

#include "narrow/normal.h"

#include "kernel/contact_place.h"
#include "kernel/distance.h"
#include "kernel/doubled.h"
#include "narrow/query_motion.h"

#include <limits.h>
#include <string.h>

// ---- The quick way

// Below this the sine of the angle between two edges counts as none.
#define LEAST_SINE 0x1p-30

static void set_unit(const double n[3], bool backwards, double normal[3])
{
    double size = toi_max3(n), x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = n[k] / size;
    double length = backwards ? -sqrt(toi_dot(x, x)) : sqrt(toi_dot(x, x));
    for (int k = 0; k < 3; ++k)
        normal[k] = x[k] / length + 0.0;
}

// Nothing moves: common, and then either way is right.
static bool is_at_rest(const toi_query *query)
{
    bool rests = true;
    for (int i = 0; i < 12; ++i)
        rests &= query->start[i / 3][i % 3] == query->end[i / 3][i % 3];
    return rests;
}

// All is in a plane perpendicular to an axis, at the start and at the end: common, too. The normal
// is along that axis and the motion is not, so that either way is right.
static bool is_level(const toi_query *query)
{
    bool level = false;
    for (int k = 0; k < 3; ++k) {
        bool same = true;
        for (int i = 1; i < 4; ++i)
            same &=
                query->start[i][k] == query->start[0][k] && query->end[i][k] == query->end[0][k];
        level |= same;
    }
    return level;
}

// The edges carry errors of a few units of their sizes, so n carries as many of `rounding`; the
// speed's are of the largest difference, which is about 1.
static bool set_from_plane(const toi_contact_frame *c, const toi_query *query, const double n[3],
                           double rounding, double normal[3])
{
    double towards = toi_dot(n, c->speed);
    double doubt = 0x1p-40 * toi_max3(n) + 0x1p-46 * rounding * toi_max3(c->speed);
    if (!(toi_abs(towards) > doubt) && !is_at_rest(query) && !is_level(query))
        return false;
    set_unit(n, towards > 0, normal);
    return true;
}

// Sure of its direction: zero, or not much shorter than at an end of the step.
static bool is_sure(const double edge[3], double size)
{
    double length = toi_max3(edge);
    return size == 0 || (length > 0x1p-20 * size && length > 0x1p-200);
}

static bool set_from_motion(const toi_contact_frame *c, double normal[3])
{
    double ee = toi_dot(c->e, c->e), gg = toi_dot(c->g, c->g), n[3];
    const double *edge = ee > gg ? c->e : c->g, length = ee > gg ? ee : gg;
    if (!is_sure(c->e, c->e_size) || !is_sure(c->g, c->g_size))
        return false;
    double along = toi_dot(c->speed, edge);
    for (int k = 0; k < 3; ++k)
        n[k] = -(c->speed[k] - (length > 0 ? along / length * edge[k] : 0));
    if (!(toi_max3(n) > LEAST_SINE))
        return false;
    set_unit(n, false, normal);
    return true;
}

static bool set_quickly(const toi_contact_frame *c, const toi_query *query, double normal[3])
{
    double n[3];
    toi_cross(c->e, c->g, n);
    double rounding = toi_max3(c->e) * c->g_size + toi_max3(c->g) * c->e_size;
    if (toi_max3(n) > LEAST_SINE * rounding + TOI_TINY)
        return set_from_plane(c, query, n, rounding, normal);
    double least = LEAST_SINE * LEAST_SINE * toi_dot(c->e, c->e) * toi_dot(c->g, c->g);
    return !(toi_dot(n, n) > least) && set_from_motion(c, normal);
}

// ---- The careful way

// A number of twice the precision with an exponent of its own: value 2^exponent, the high part of
// the value in [1/2, 1) in size, or zero.
typedef struct wide
{
    toi_doubled value;
    int exponent;
} wide;

// 2^exponent, a normal number.
static double power_of_two(int exponent)
{
    return toi_from_bits((toi_mask)(1023 + exponent) << TOI_MANTISSA);
}

static toi_doubled shift(toi_doubled x, int exponent)
{
    double power = power_of_two(exponent);
    return (toi_doubled){x.high * power, x.low * power};
}

// The high part is zero or between 2^-1000 and 2^1000.
static wide wide_normal(toi_doubled value, int exponent)
{
    int own = (int)(toi_to_bits(value.high) >> TOI_MANTISSA & 0x7ff) - 1022;
    if (value.high == 0)
        return (wide){{0, 0}, 0};
    return (wide){shift(value, -own), exponent + own};
}

static wide wide_from(double x)
{
    wide w = {{0, 0}, 0};
    w.value.high = frexp(x, &w.exponent);
    return w;
}

static wide wide_negative(wide a)
{
    return (wide){{-a.value.high, -a.value.low}, a.exponent};
}

static wide wide_add(wide a, wide b)
{
    if (b.value.high == 0 || (a.value.high != 0 && a.exponent - b.exponent > 200))
        return a;
    if (a.value.high == 0 || b.exponent - a.exponent > 200)
        return b;
    int exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    toi_doubled x = shift(a.value, a.exponent - exponent);
    toi_doubled y = shift(b.value, b.exponent - exponent);
    return wide_normal(toi_doubled_add(x, y), exponent);
}

static wide wide_multiply(wide a, wide b)
{
    return wide_normal(toi_doubled_multiply(a.value, b.value), a.exponent + b.exponent);
}

// a > 2^exponent b, both not negative?
static bool wide_exceeds(wide a, wide b, int exponent)
{
    b.exponent += exponent;
    return wide_add(a, wide_negative(b)).value.high > 0;
}

static wide wide_dot(const wide a[3], const wide b[3])
{
    wide sum = wide_multiply(a[0], b[0]);
    for (int k = 1; k < 3; ++k)
        sum = wide_add(sum, wide_multiply(a[k], b[k]));
    return sum;
}

// to += factor by
static void wide_move(wide to[3], wide factor, const wide by[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = wide_add(to[k], wide_multiply(factor, by[k]));
}

// P, E, G of kernel/motion.h at the time, and how fast they change.
typedef struct wide_motion
{
    wide at[3][3], rate[3][3];
} wide_motion;

static void take_wide(toi_kind kind, const toi_query *query, double t, wide_motion *m)
{
    static const int corners[TOI_PAIR_KINDS][3][2] = {{{0, 1}, {1, 2}, {1, 3}},
                                                      {{0, 2}, {1, 0}, {2, 3}}};
    wide after = wide_from(t), before = wide_add(wide_from(1), wide_negative(after));
    for (int i = 0; i < 9; ++i) {
        int k = i % 3, from = corners[kind][i / 3][1], to = corners[kind][i / 3][0];
        wide start = wide_add(wide_from(query->start[to][k]), wide_from(-query->start[from][k]));
        wide end = wide_add(wide_from(query->end[to][k]), wide_from(-query->end[from][k]));
        m->rate[i / 3][k] = wide_add(end, wide_negative(start));
        m->at[i / 3][k] = wide_add(wide_multiply(before, start), wide_multiply(after, end));
    }
}

// Takes the part along `edge` out of x; returns false where hardly anything is left.
static bool remove_part(const wide edge[3], wide x[3])
{
    wide square = wide_dot(edge, edge), before = wide_dot(x, x);
    for (int pass = 0; pass < 3 && square.value.high > 0; ++pass) {
        wide along = wide_dot(x, edge);
        double share = -along.value.high / square.value.high;
        wide_move(x, wide_normal((toi_doubled){share, 0}, along.exponent - square.exponent), edge);
    }
    return wide_exceeds(wide_dot(x, x), before, -160);
}

static void set_unit_wide(const wide n[3], bool backwards, double normal[3])
{
    double x[3];
    int most = INT_MIN;
    for (int k = 0; k < 3; ++k)
        if (n[k].value.high != 0 && n[k].exponent > most)
            most = n[k].exponent;
    for (int k = 0; k < 3; ++k)
        x[k] = n[k].value.high == 0 ? 0 : ldexp(n[k].value.high, n[k].exponent - most);
    set_unit(x, backwards, normal);
}

static void set_carefully(toi_kind kind, const toi_query *query, toi_query_result *result)
{
    wide_motion m;
    wide n[3], speed[3], gap[3];
    take_wide(kind, query, result->time, &m);
    const wide *e = m.at[1], *g = m.at[2];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = wide_add(wide_multiply(e[i], g[j]), wide_negative(wide_multiply(e[j], g[i])));
    }
    memcpy(speed, m.rate[0], sizeof speed);
    wide_move(speed, wide_from(result->u), m.rate[1]);
    wide_move(speed, wide_from(result->v), m.rate[2]);
    wide ee = wide_dot(e, e), gg = wide_dot(g, g), nn = wide_dot(n, n);
    if (nn.value.high > 0 && wide_exceeds(nn, wide_multiply(ee, gg), -60)) {
        set_unit_wide(n, wide_dot(n, speed).value.high > 0, result->normal);
        return;
    }
    memcpy(gap, m.at[0], sizeof gap);
    wide_move(gap, wide_from(result->u), e);
    wide_move(gap, wide_from(result->v), g);
    wide size = wide_add(wide_add(ee, gg), wide_dot(m.at[0], m.at[0]));
    bool apart = wide_exceeds(wide_dot(gap, gap), size, -80);
    const wide *edge = wide_exceeds(ee, gg, 0) ? e : g;
    if (remove_part(edge, speed))
        set_unit_wide(speed, true, result->normal);
    else if (apart && remove_part(edge, gap))
        set_unit_wide(gap, false, result->normal);
}

// ---- Either

void toi_settle_normal(toi_kind kind, const toi_query *query, const toi_contact_frame *frame,
                       toi_query_result *result)
{
    if (!set_quickly(frame, query, result->normal))
        set_carefully(kind, query, result);
}

void toi_set_normal(toi_kind kind, const toi_query *query, toi_query_result *result)
{
    toi_pair_motion m;
    toi_take_motion(kind, query, &m);
    toi_contact_frame c = {.e_size = toi_largest_end(m.e), .g_size = toi_largest_end(m.g)};
    double p[3];
    toi_motion_at(&m, &result->time, p, c.e, c.g);
    toi_take_speed(&m, &result->u, &result->v, c.speed);
    toi_settle_normal(kind, query, &c, result);
}
