// Roots of polynomials of degree at most three in ]0, 1[, and the signs of others there: exactly,
// in whole numbers of a bounded size.
//
// Polynomials are forms: the sum of c_i s^(d-i) t^i with s = 1 - t. What vanishes at t = 0 has c_0
// = 0, what vanishes at t = 1 has c_d = 0, and in between signs are those of the sum of c_i x^i at
// x = t / s > 0, to which Descartes' rule applies as it is.

#ifndef TOI_KERNEL_FIXED_ROOT_H
#define TOI_KERNEL_FIXED_ROOT_H

#include "kernel/crossing.h"
#include "kernel/doubled.h"
#include "kernel/fixed_number.h"

#if TOI_LANES != 1 || defined(TOI_SINGLE)
#error "one query at a time, in double: include this in a source with TOI_LANES 1"
#endif

typedef struct toi_form
{
    uint32_t c[4][TOI_SHORT];
    int degree; // as written: the last coefficient may be zero
} toi_form;

// The least time looked at; what is earlier, but not at 0, is declined.
#define TOI_LEAST_FIXED_TIME 0x1p-64

// ---- At doubles

// t = m / (m + w), both whole, for t in [TOI_LEAST_FIXED_TIME, 1[.
TOI_INLINE void toi_take_ratio(double t, uint32_t m[TOI_SHORT], uint32_t w[TOI_SHORT])
{
    uint64_t bits = (uint64_t)toi_to_bits(t);
    uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int places = 1075 - (int)(bits >> 52);
    while ((digits & 1) == 0) {
        digits >>= 1;
        --places;
    }
    uint32_t one[TOI_SHORT];
    toi_whole_set(m, digits, 0);
    toi_whole_set_shifted(one, 1, places, 0);
    toi_whole_subtract(one, m, w);
}

// The sign of the sum of c_i w^(d-i) m^i, by Horner's rule.
TOI_ROUTINE int toi_form_sign_at_ratio(const toi_form *f, const uint32_t *m, const uint32_t *w)
{
    uint32_t sum[TOI_MIDDLE], power[TOI_MIDDLE], product[TOI_MIDDLE];
    toi_whole_copy(f->c[f->degree], sum);
    toi_whole_copy(w, power);
    for (int i = f->degree - 1; i >= 0; --i) {
        toi_whole_multiply(sum, m, product);
        toi_whole_multiply(power, f->c[i], sum);
        toi_whole_add(sum, product, sum);
        if (i > 0) {
            toi_whole_multiply(power, w, product);
            toi_whole_copy(product, power);
        }
    }
    TOI_WATCH_NUMBER("value", sum);
    return toi_whole_sign(sum);
}

TOI_INLINE int toi_form_sign_at(const toi_form *f, double t)
{
    uint32_t m[TOI_SHORT], w[TOI_SHORT];
    toi_take_ratio(t, m, w);
    return toi_form_sign_at_ratio(f, m, w);
}

// The coefficients in numbers of twice the precision: relative errors below 15 u^2, u = 2^-53.
typedef struct toi_doubled_form
{
    toi_doubled c[4];
    int degree;
} toi_doubled_form;

TOI_INLINE void toi_take_doubled_form(const toi_form *f, toi_doubled_form *r)
{
    r->degree = f->degree;
    for (int i = 0; i < 4; ++i) {
        const uint32_t *a = f->c[i];
        int n = i <= f->degree ? toi_whole_length(a) : 0, least = n > 5 ? n - 5 : 0;
        toi_doubled x = {0, 0};
        for (int j = n; j > 0; --j) {
            toi_doubled limb = {j > least ? (double)a[j] : 0, 0};
            x.high *= 0x1p32;
            x.low *= 0x1p32;
            x = toi_doubled_add(x, limb);
        }
        double sign = n > 0 ? toi_whole_sign(a) : 0;
        r->c[i].high = sign * x.high;
        r->c[i].low = sign * x.low;
    }
}

// The sign at t where it is certain, else 0. s = 1 - t is exact; two products make a power of it,
// one a term, three multiplications by t and three sums follow: 54 u^2 of the terms' sizes with the
// coefficients' errors, and 2^-97 = 512 u^2 is allowed.
TOI_INLINE int toi_filter_sign_at(const toi_doubled_form *f, double t)
{
    toi_doubled s = toi_two_sum(1, -t), power = s, sum = f->c[f->degree];
    double size = fabs(sum.high);
    for (int i = f->degree - 1; i >= 0; --i) {
        sum = toi_doubled_add(toi_doubled_scale(sum, t), toi_doubled_multiply(f->c[i], power));
        size = size * t + fabs(f->c[i].high) * power.high;
        power = toi_doubled_multiply(power, s);
    }
    double error = 0x1p-97 * size;
    return sum.high > error ? 1 : sum.high < -error ? -1 : 0;
}

TOI_INLINE int toi_sure_sign_at(const toi_form *f, const toi_doubled_form *doubled, double t)
{
    int sign = toi_filter_sign_at(doubled, t);
    return sign != 0 ? sign : toi_form_sign_at(f, t);
}

// ---- Moments

typedef enum toi_fixed_time
{
    TOI_FIXED_START, // t = 0
    TOI_FIXED_ROOT,
    TOI_FIXED_END // t = 1
} toi_fixed_time;

// A time at which signs are wanted. A root is the one of f between `low` and `high`, a simple one;
// a form of degree one may stand for a multiple root of another form.
typedef struct toi_fixed_moment
{
    toi_fixed_time when;
    const toi_form *f;
    double low, high;
    int sign;      // of f before the root
    double floor;  // the largest double that is not greater
    int is_double; // the root itself
    int declined;  // something did not fit
} toi_fixed_moment;

// The form in doubles, its degree raised to three.
TOI_INLINE void toi_approximate_form(const toi_form *f, toi_cubic *q)
{
    for (int i = 0; i < 4; ++i)
        q->c[i] = i <= f->degree ? toi_whole_approximate(f->c[i]) : 0;
    for (int degree = f->degree; degree < 3; ++degree)
        for (int i = degree + 1; i > 0; --i)
            q->c[i] += q->c[i - 1];
}

// Finds the root's floor: from a good guess on with steps that grow, then by halving the range of
// patterns, so that there are at most 76 looks; two or three are the rule.
TOI_ROUTINE void toi_find_fixed_floor(toi_fixed_moment *at)
{
    toi_cubic q;
    toi_doubled_form doubled;
    toi_approximate_form(at->f, &q);
    toi_take_doubled_form(at->f, &doubled);
    double least = at->low > TOI_LEAST_FIXED_TIME ? at->low : TOI_LEAST_FIXED_TIME;
    int64_t below = toi_to_bits(least), above = toi_to_bits(at->high), step = 1;
    int64_t next = toi_to_bits(toi_find_root(&q, at->low, at->high));
    at->is_double = 0;
    for (int looks = 0; above - below > 1; ++looks) {
        if (looks >= 12 || next <= below || next >= above)
            next = below + (above - below) / 2;
        int sign = toi_sure_sign_at(at->f, &doubled, toi_from_bits(next));
        if (sign == 0) {
            at->is_double = 1;
            below = next;
            break;
        }
        if (sign == at->sign)
            below = next;
        else
            above = next;
        next = sign == at->sign ? below + step : above - step;
        step = looks < 12 ? step * 8 : step;
    }
    at->floor = toi_from_bits(below);
    at->declined |= at->floor == TOI_LEAST_FIXED_TIME && at->low < at->floor && !at->is_double;
}

// ---- Signs at moments

// At the root's floor, in doubles: each term is off by less than 2^-48 of it, and what the floor
// lacks, less than 2^-52 of it, changes the sum by less than 2^-50 of the slope's terms. Returns 0
// where that cannot tell.
TOI_INLINE int toi_filter_fixed_sign(const toi_fixed_moment *at, const toi_form *g)
{
    double c[3] = {0, 0, 0}, t = at->floor, s = 1 - t;
    for (int i = 0; i <= g->degree; ++i)
        c[i] = toi_whole_approximate(g->c[i]);
    double slope = fabs(c[0]) * s + fabs(c[1]) + fabs(c[2]) * t;
    double sum = c[0] * s + c[1] * t, size = fabs(c[0]) * s + fabs(c[1]) * t;
    if (g->degree == 2) {
        sum = sum * s + c[2] * t * t;
        size = size * s + fabs(c[2]) * t * t;
    } else {
        slope = fabs(c[0]) + fabs(c[1]);
    }
    double error = 0x1p-48 * size + 0x1p-50 * t * slope;
    return sum > error ? 1 : sum < -error ? -1 : 0;
}

// What the zeros of g are made of: (-b -+ sqrt(d)) / 2a.
TOI_INLINE void toi_take_discriminant(const toi_form *g, uint32_t *d)
{
    uint32_t more[TOI_SHORT + 1];
    toi_whole_copy(g->c[2], more);
    toi_whole_times(more, 4);
    toi_whole_cross(g->c[1], g->c[1], more, g->c[0], d);
    TOI_WATCH_NUMBER("discriminant", d);
}

// The sign of p + q sqrt(d), d >= 0.
TOI_ROUTINE int toi_sign_with_root(const uint32_t *p, const uint32_t *q, const uint32_t *d)
{
    int first = toi_whole_sign(p), second = toi_whole_sign(d) * toi_whole_sign(q);
    if (first * second >= 0)
        return first != 0 ? first : second;
    uint32_t square[TOI_LONG], product[TOI_LONG];
    toi_whole_multiply(q, q, square);
    toi_whole_multiply(square, d, product);
    toi_whole_multiply(p, p, square);
    TOI_WATCH_NUMBER("square", square);
    TOI_WATCH_NUMBER("square", product);
    return first * toi_whole_compare_sizes(square, product);
}

// The sign of f at the zero of g = a x^2 + b x + c at which its slope has the sign `side`: f's
// remainder r1 x + r0 modulo g, times a^2, at x = (-b + side sqrt(d)) / 2a.
TOI_ROUTINE int toi_sign_at_zero(const toi_form *f, const toi_form *g, const uint32_t *d, int side)
{
    const uint32_t *a = g->c[2], *b = g->c[1], *c = g->c[0];
    uint32_t h[3][TOI_MIDDLE], r[2][TOI_MIDDLE], x[TOI_MIDDLE], y[TOI_MIDDLE], none[1] = {0};
    const uint32_t *f3 = f->degree == 3 ? f->c[3] : none, *f2 = f->c[2];
    toi_whole_cross(a, f2, f3, b, h[2]);
    toi_whole_cross(a, f->c[1], f3, c, h[1]);
    toi_whole_multiply(a, f->c[0], h[0]);
    for (int i = 0; i < 2; ++i) { // r = a h - h2 g
        toi_whole_multiply(a, h[i], x);
        toi_whole_multiply(h[2], i == 0 ? c : b, y);
        toi_whole_subtract(x, y, r[i]);
    }
    TOI_WATCH_NUMBER("remainder", r[0]);
    TOI_WATCH_NUMBER("remainder", r[1]);
    toi_whole_multiply(a, r[0], x);
    toi_whole_times(x, 2);
    toi_whole_multiply(r[1], b, y);
    toi_whole_subtract(x, y, x);
    if (side < 0)
        toi_whole_negate(r[1]);
    return toi_whole_sign(a) * toi_sign_with_root(x, r[1], d);
}

// The sign of a form of degree one or two, not zero, just after (`side` 1) or before (-1) its zero
// m / w: that of its slope, or where that is zero too, of its highest coefficient.
TOI_INLINE int toi_sign_beside_zero(const toi_form *g, const uint32_t *m, const uint32_t *w,
                                    int side)
{
    toi_form slope;
    slope.degree = 1;
    toi_whole_copy(g->c[1], slope.c[0]);
    slope.c[1][0] = 0;
    if (g->degree == 2)
        toi_whole_add(g->c[2], g->c[2], slope.c[1]);
    int sign = toi_form_sign_at_ratio(&slope, m, w);
    return sign != 0 ? sign * side : toi_whole_sign(g->c[g->degree]);
}

// g has the signs `first` and `last` just inside of the two neighbouring doubles that the root of f
// is between. Whichever side of g's zeros between them f has its root on, f's signs there tell.
TOI_INLINE int toi_sign_between(const toi_fixed_moment *at, const toi_form *g, int first, int last)
{
    uint32_t d[TOI_MIDDLE];
    if (g->degree == 1 || toi_whole_sign(g->c[2]) == 0) {
        if (first == last)
            return first;
        uint32_t m[TOI_SHORT], w[TOI_SHORT]; // of opposite signs, or there were no zero
        toi_whole_copy(g->c[0], m);
        toi_whole_copy(g->c[1], w);
        m[0] = (uint32_t)toi_whole_length(m);
        w[0] = (uint32_t)toi_whole_length(w);
        int sign = toi_form_sign_at_ratio(at->f, m, w);
        return sign == 0 ? 0 : sign == at->sign ? last : first;
    }
    toi_take_discriminant(g, d);
    if (toi_whole_sign(d) < 0)
        return first;
    int before = toi_sign_at_zero(at->f, g, d, -first);
    if (before == 0)
        return 0;
    if (before != at->sign)
        return first;
    if (first != last)
        return last;
    int after = toi_sign_at_zero(at->f, g, d, first);
    return after == 0 ? 0 : after == at->sign ? last : -first;
}

// Are there two zeros of g, or none, between doubles where its signs are the same and not zero?
TOI_INLINE int toi_may_turn_between(const toi_form *g, uint32_t ends[2][2][TOI_SHORT])
{
    return g->degree == 2 && toi_whole_sign(g->c[2]) != 0 &&
           toi_sign_beside_zero(g, ends[0][0], ends[0][1], 1) *
                   toi_sign_beside_zero(g, ends[1][0], ends[1][1], -1) >
               0;
}

// Exactly, at a root that is no double, for forms that no rounding can decide.
TOI_ROUTINE int toi_exact_fixed_sign(toi_fixed_moment *at, const toi_form *g)
{
    if (at->f->degree == 1) { // the root is -c0 / c1
        uint32_t m[TOI_SHORT], w[TOI_SHORT];
        toi_whole_copy(at->f->c[0], m);
        toi_whole_copy(at->f->c[1], w);
        m[0] = (uint32_t)toi_whole_length(m);
        w[0] = (uint32_t)toi_whole_length(w);
        return toi_form_sign_at_ratio(g, m, w);
    }
    double next = toi_from_bits(toi_to_bits(at->floor) + 1);
    if (next >= 1) {
        at->declined = 1;
        return 0;
    }
    uint32_t ends[2][2][TOI_SHORT];
    int sign[2];
    for (int i = 0; i < 2; ++i) {
        toi_take_ratio(i == 0 ? at->floor : next, ends[i][0], ends[i][1]);
        sign[i] = toi_form_sign_at_ratio(g, ends[i][0], ends[i][1]);
    }
    if (sign[0] * sign[1] > 0 && !toi_may_turn_between(g, ends))
        return sign[0];
    int zero_at_end = sign[0] == 0 || sign[1] == 0;
    for (int i = 0; i < 2; ++i)
        if (sign[i] == 0)
            sign[i] = toi_sign_beside_zero(g, ends[i][0], ends[i][1], i == 0 ? 1 : -1);
    if (zero_at_end && sign[0] == sign[1])
        return sign[0];
    return toi_sign_between(at, g, sign[0], sign[1]);
}

// The sign of a form of degree one or two at the moment; nonsense once it is declined.
TOI_ROUTINE int toi_fixed_sign(toi_fixed_moment *at, const toi_form *g)
{
    if (at->when == TOI_FIXED_START)
        return toi_whole_sign(g->c[0]);
    if (at->when == TOI_FIXED_END)
        return toi_whole_sign(g->c[g->degree]);
    int some_above = 0, some_below = 0;
    for (int i = 0; i <= g->degree; ++i) {
        some_above |= toi_whole_sign(g->c[i]) > 0;
        some_below |= toi_whole_sign(g->c[i]) < 0;
    }
    if (!some_above || !some_below)
        return some_above - some_below;
    int sign = toi_filter_fixed_sign(at, g);
    if (sign != 0)
        return sign;
    return at->is_double ? toi_form_sign_at(g, at->floor) : toi_exact_fixed_sign(at, g);
}

// ---- Finding roots

// Where a root is.
typedef struct toi_fixed_part
{
    double low, high; // the root is between them
    int sign;         // of f before the root
    int is_multiple;  // a multiple root of f; the simple one of the form for it
} toi_fixed_part;

// The roots of a form in ]0, 1], in order.
typedef struct toi_fixed_roots
{
    toi_form f;        // without roots at 0 and 1
    toi_form multiple; // of degree one
    toi_fixed_part parts[3];
    int count;  // of roots before 1
    int at_one; // there is one at t = 1 too
    int declined;
} toi_fixed_roots;

TOI_INLINE void toi_set_part(toi_fixed_part *part, double low, double high, int sign)
{
    part->low = low;
    part->high = high;
    part->sign = sign;
    part->is_multiple = 0;
}

// 18 abcd - 4 b^3 d + b^2 c^2 - 4 a c^3 - 27 a^2 d^2, for a the highest coefficient: positive where
// all roots are real and simple, negative where two are not real, zero where there is a multiple
// one.
TOI_ROUTINE int toi_cubic_discriminant_sign(const toi_form *f)
{
    const uint32_t *a = f->c[3], *b = f->c[2], *c = f->c[1], *d = f->c[0];
    uint32_t ad[2 * TOI_SHORT], bc[2 * TOI_SHORT], sum[TOI_LONG], x[TOI_LONG], y[TOI_LONG];
    toi_whole_multiply(a, d, ad);
    toi_whole_multiply(b, c, bc);
    toi_whole_multiply(ad, bc, sum);
    toi_whole_times(sum, 18);
    toi_whole_multiply(bc, bc, x);
    toi_whole_add(sum, x, sum);
    toi_whole_multiply(ad, ad, x);
    toi_whole_times(x, 27);
    toi_whole_subtract(sum, x, sum);
    for (int i = 0; i < 2; ++i) { // b^2 bd, then c^2 ac
        const uint32_t *cube = i == 0 ? b : c, *other = i == 0 ? d : a;
        toi_whole_multiply(cube, cube, x);
        toi_whole_multiply(x, cube, y);
        toi_whole_multiply(y, other, x);
        toi_whole_times(x, 4);
        toi_whole_subtract(sum, x, sum);
    }
    TOI_WATCH_NUMBER("cubic discriminant", sum);
    return toi_whole_sign(sum);
}

// The multiple root of a cubic or quadratic, as that of a form of degree one; 0 where that does not
// fit. With b^2 = 3ac it is -b / 3a, three times, and else (9ad - bc) / 2(b^2 - 3ac), twice.
TOI_ROUTINE int toi_take_multiple_root(const toi_form *f, toi_form *multiple, int *times)
{
    uint32_t above[TOI_MIDDLE], below[TOI_MIDDLE], x[TOI_MIDDLE];
    const uint32_t *a = f->c[f->degree], *b = f->c[f->degree - 1], *c = f->c[f->degree - 2];
    *times = f->degree;
    toi_whole_copy(b, above);
    toi_whole_copy(a, below);
    toi_whole_times(below, (uint32_t)f->degree);
    if (f->degree == 3) {
        toi_whole_cross(b, b, below, c, x);
        if (toi_whole_sign(x) != 0) {
            *times = 2;
            toi_whole_times(x, 2);
            toi_whole_copy(x, below);
            toi_whole_copy(a, x);
            toi_whole_times(x, 9);
            toi_whole_cross(b, c, x, f->c[0], above);
        }
    }
    TOI_WATCH_NUMBER("multiple root", above);
    TOI_WATCH_NUMBER("multiple root", below);
    multiple->degree = 1;
    return toi_whole_shorten(above, multiple->c[0]) && toi_whole_shorten(below, multiple->c[1]);
}

// Keeps `count` roots apart at places where f turns, about, if its signs there show them.
TOI_INLINE int toi_part_roots(const toi_form *f, int count, toi_fixed_roots *roots)
{
    toi_cubic q;
    toi_doubled_form doubled;
    double places[2], low = 0;
    int found = 0, sign = toi_whole_sign(f->c[0]);
    toi_approximate_form(f, &q);
    toi_take_doubled_form(f, &doubled);
    toi_critical_points(&q, &places[0], &places[1]);
    for (int i = 0; i < 2 && found + 1 < count; ++i)
        if (places[i] >= TOI_LEAST_FIXED_TIME && places[i] < 1 &&
            toi_sure_sign_at(f, &doubled, places[i]) == -sign) {
            toi_set_part(&roots->parts[found++], low, places[i], sign);
            low = places[i];
            sign = -sign;
        }
    toi_set_part(&roots->parts[found], low, 1, sign);
    roots->count = count;
    return found + 1 == count;
}

// A cubic with three roots of which two are the same: `at` is the double one, and the sign of f,
// which changes at the other one alone, tells which is the first. Declined where both are between
// the same neighbouring doubles.
TOI_INLINE void toi_part_from_multiple(const toi_fixed_moment *at, toi_fixed_roots *roots)
{
    int64_t floor = toi_to_bits(at->floor);
    double low = toi_from_bits(floor - at->is_double), high = toi_from_bits(floor + 1);
    int sign = toi_whole_sign(roots->f.c[0]);
    int inside = low >= TOI_LEAST_FIXED_TIME && high < 1;
    roots->count = 2;
    if (inside && toi_form_sign_at(&roots->f, low) == -sign) {
        roots->parts[1] = roots->parts[0];
        toi_set_part(&roots->parts[0], 0, low, sign);
    } else if (inside && toi_form_sign_at(&roots->f, high) == sign) {
        toi_set_part(&roots->parts[1], high, 1, sign);
    } else {
        roots->declined = 1;
    }
}

// Takes the root of that number, the last of them the one at t = 1, and its floor.
TOI_ROUTINE void toi_take_fixed_root(const toi_fixed_roots *roots, int number, toi_fixed_moment *at)
{
    const toi_fixed_part *part = &roots->parts[number];
    at->when = number < roots->count ? TOI_FIXED_ROOT : TOI_FIXED_END;
    at->f = &roots->f;
    at->floor = 1;
    at->declined = 0;
    if (at->when == TOI_FIXED_END)
        return;
    if (part->is_multiple)
        at->f = &roots->multiple;
    at->low = part->low;
    at->high = part->high;
    at->sign = part->sign;
    toi_find_fixed_floor(at);
}

// With a multiple root, and `changes` of sign: as many roots as that, all counted.
TOI_INLINE void toi_find_multiple(int changes, toi_fixed_roots *roots)
{
    int times;
    toi_fixed_moment at;
    roots->count = 1;
    if (!toi_take_multiple_root(&roots->f, &roots->multiple, &times)) {
        roots->declined = 1;
        return;
    }
    toi_set_part(&roots->parts[0], 0, 1, toi_whole_sign(roots->multiple.c[0]));
    roots->parts[0].is_multiple = 1;
    if (changes == times)
        return;
    toi_take_fixed_root(roots, 0, &at);
    toi_part_from_multiple(&at, roots);
    roots->declined |= at.declined;
}

TOI_INLINE void toi_find_several(int changes, toi_fixed_roots *roots)
{
    const toi_form *f = &roots->f;
    int sign;
    if (toi_part_roots(f, changes, roots))
        return;
    if (f->degree == 2) {
        uint32_t d[TOI_MIDDLE];
        toi_take_discriminant(f, d);
        sign = toi_whole_sign(d);
    } else {
        sign = toi_cubic_discriminant_sign(f);
    }
    roots->count = changes - 2;
    toi_set_part(&roots->parts[0], 0, 1, toi_whole_sign(f->c[0]));
    if (sign == 0)
        toi_find_multiple(changes, roots);
    else if (sign > 0)
        roots->declined = 1; // too close to each other
}

// Drops the roots at 0 and at 1.
TOI_INLINE void toi_strip_form(const toi_form *given, toi_fixed_roots *roots)
{
    int from = 0, to = given->degree;
    roots->f.c[0][0] = 0;
    while (from < to && toi_whole_sign(given->c[from]) == 0)
        ++from;
    while (to > from && toi_whole_sign(given->c[to]) == 0)
        --to;
    for (int i = from; i <= to; ++i)
        toi_whole_copy(given->c[i], roots->f.c[i - from]);
    roots->f.degree = to - from;
    roots->at_one = to < given->degree;
}

// Of a form that is not zero for all t.
TOI_ROUTINE void toi_find_fixed_roots(const toi_form *given, toi_fixed_roots *roots)
{
    int changes = 0, last = 0;
    toi_strip_form(given, roots);
    for (int i = 0; i <= roots->f.degree; ++i) {
        int sign = toi_whole_sign(roots->f.c[i]);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    roots->declined = 0;
    roots->count = changes;
    toi_set_part(&roots->parts[0], 0, 1, toi_whole_sign(roots->f.c[0]));
    if (changes > 1)
        toi_find_several(changes, roots);
}

#endif
