// Arithmetic, signs and approximations of polynomials with whole coefficients.

#include "exact/polynomial.h"

#include <math.h>
#include <string.h>

static toi_integer coefficient(const toi_polynomial *f, int power)
{
    return power <= f->degree ? f->c[power] : (toi_integer){NULL, 0};
}

toi_polynomial toi_polynomial_add(toi_arena *arena, const toi_polynomial *f,
                                  const toi_polynomial *g)
{
    toi_polynomial sum;
    int highest = f->degree > g->degree ? f->degree : g->degree;
    for (int i = 0; i <= highest; ++i)
        sum.c[i] = toi_integer_add(arena, coefficient(f, i), coefficient(g, i));
    toi_polynomial_trim(&sum, highest);
    return sum;
}

toi_polynomial toi_polynomial_subtract(toi_arena *arena, const toi_polynomial *f,
                                       const toi_polynomial *g)
{
    toi_polynomial minus = *g;
    for (int i = 0; i <= g->degree; ++i)
        minus.c[i] = toi_integer_negate(g->c[i]);
    return toi_polynomial_add(arena, f, &minus);
}

// Adds c 2^shift to a two's complement of `length` limbs, of which only so many are kept. A
// negative c is added as its complement; beyond its limbs a carry out of the sum cancels the
// complement's ones.
static void add_shifted(mp_limb_t *sum, int64_t length, toi_integer c, int64_t shift)
{
    mp_limb_t flip = c.size < 0 ? ~(mp_limb_t)0 : 0, last = 0;
    toi_uint128 carry = flip & 1;
    int64_t n = toi_integer_length(c), i = shift / 64;
    unsigned left = (unsigned)(shift % 64);
    for (int64_t k = 0; k <= n && i < length; ++k, ++i) {
        mp_limb_t limb = k < n ? c.limbs[k] : 0;
        // Two shifts of the limb before make one by 64 - left that is right for 0 too.
        mp_limb_t shifted = limb << left | last >> 1 >> (63 - left);
        carry += (toi_uint128)sum[i] + (shifted ^ flip);
        sum[i] = (mp_limb_t)carry;
        carry >>= 64;
        last = limb;
    }
    for (; i < length && carry != (flip & 1); ++i) {
        carry += (toi_uint128)sum[i] + flip;
        sum[i] = (mp_limb_t)carry;
        carry >>= 64;
    }
}

static void multiply_in_place(mp_limb_t *sum, int64_t length, mp_limb_t m)
{
    toi_uint128 carry = 0;
    for (int64_t i = 0; i < length; ++i) {
        carry += (toi_uint128)sum[i] * m;
        sum[i] = (mp_limb_t)carry;
        carry >>= 64;
    }
}

// Horner's scheme in place on a two's complement that grows as it must: m is one limb, and modulo
// the power of two that stands for the limbs in use such a number can be multiplied as it is. Few
// limbs are the rule, so that calls of GMP's routines would take longer than these loops.
static toi_integer at_short(toi_arena *arena, const toi_polynomial *f, toi_dyadic x)
{
    int64_t width = toi_integer_bits(x.m), bits[4]; // bounds of the partial sums' lengths
    bits[f->degree] = toi_integer_bits(f->c[f->degree]);
    for (int i = f->degree - 1; i >= 0; --i) {
        int64_t product = bits[i + 1] + width;
        int64_t shifted = toi_integer_bits(f->c[i]) + x.bits * (f->degree - i);
        bits[i] = (product > shifted ? product : shifted) + 1;
    }
    mp_limb_t *sum = toi_arena_room(arena, bits[0] / 64 + 1);
    if (!sum)
        return (toi_integer){NULL, 0};
    int64_t length = bits[f->degree] / 64 + 1; // there is a bit for the sign
    for (int64_t i = 0; i < length; ++i)
        sum[i] = 0;
    add_shifted(sum, length, f->c[f->degree], 0);
    for (int i = f->degree - 1; i >= 0; --i) {
        mp_limb_t extension = sum[length - 1] >> 63 != 0 ? ~(mp_limb_t)0 : 0;
        while (length < bits[i] / 64 + 1)
            sum[length++] = extension;
        multiply_in_place(sum, length, x.m.limbs[0]);
        add_shifted(sum, length, f->c[i], x.bits * (f->degree - i));
    }
    return toi_sum_take(arena, &(toi_sum){sum, length});
}

toi_integer toi_polynomial_at(toi_arena *arena, const toi_polynomial *f, toi_dyadic x)
{
    if (f->degree <= 0 || x.m.size == 0)
        return toi_integer_shift(arena, coefficient(f, 0), f->degree > 0 ? x.bits * f->degree : 0);
    if (x.m.size == 1)
        return at_short(arena, f, x);
    toi_integer value = f->c[f->degree];
    for (int i = f->degree - 1; i >= 0; --i) {
        toi_integer shifted = toi_integer_shift(arena, f->c[i], x.bits * (f->degree - i));
        value = toi_integer_add(arena, toi_integer_multiply(arena, value, x.m), shifted);
    }
    return value;
}

toi_integer toi_polynomial_at_ratio(toi_arena *arena, const toi_polynomial *f, toi_integer p,
                                    toi_integer q)
{
    toi_integer value = coefficient(f, f->degree < 0 ? 0 : f->degree), power = q;
    for (int i = f->degree - 1; i >= 0; --i) {
        value = toi_integer_sum_of_products(arena, value, p, f->c[i], power);
        if (i > 0)
            power = toi_integer_multiply(arena, power, q);
    }
    return value;
}

toi_integer toi_polynomial_at_one(toi_arena *arena, const toi_polynomial *f)
{
    toi_integer sum = coefficient(f, 0);
    for (int i = 1; i <= f->degree; ++i)
        sum = toi_integer_add(arena, sum, f->c[i]);
    return sum;
}

// ---- Values in words

// |a| 2^shift, which is below 2^124, rounded down.
static toi_int128 aligned_magnitude(toi_integer a, int64_t shift)
{
    int64_t length = toi_integer_length(a), first = shift < 0 ? -shift / 64 : 0;
    toi_uint128 low = first < length ? a.limbs[first] : 0;
    toi_uint128 middle = first + 1 < length ? a.limbs[first + 1] : 0;
    if (shift >= 0)
        return (toi_int128)((middle << 64 | low) << shift);
    toi_uint128 high = first + 2 < length ? a.limbs[first + 2] : 0;
    unsigned right = (unsigned)(-shift % 64);
    toi_uint128 rest = (middle << 64 | low) >> right;
    return (toi_int128)(right > 0 ? high << 1 << (127 - right) | rest : rest);
}

void toi_fixed_from_polynomial(const toi_polynomial *f, int64_t shift, toi_fixed *fixed)
{
    fixed->degree = f->degree;
    fixed->shift = shift;
    fixed->scale = INT64_MIN;
    for (int i = 0; i <= f->degree; ++i) {
        int64_t bits = toi_integer_bits(f->c[i]) + i * shift;
        fixed->scale = f->c[i].size != 0 && bits > fixed->scale ? bits : fixed->scale;
    }
    for (int i = 0; i <= f->degree; ++i) {
        int64_t up = f->c[i].size != 0 ? TOI_FIXED_BITS - fixed->scale + i * shift : 0;
        toi_int128 magnitude = aligned_magnitude(f->c[i], up);
        fixed->c[i] = f->c[i].size < 0 ? -magnitude : magnitude;
    }
}

// Horner's scheme. Each coefficient is wrong by less than 1, each product, rounded down, too, and
// errors are not magnified by x <= 1: 1 + 3 * 2 in all for a cubic. Sums are below 4 * 2^124.
toi_int128 toi_fixed_at(const toi_fixed *fixed, toi_dyadic x)
{
    uint64_t t = x.m.limbs[0] << (63 - x.bits - fixed->shift); // x times 2^(63 - shift)
    toi_int128 value = fixed->c[fixed->degree];
    for (int i = fixed->degree - 1; i >= 0; --i) {
        toi_int128 high = 2 * ((toi_int128)(int64_t)(value >> 64) * (toi_int128)t);
        toi_uint128 low = (toi_uint128)(uint64_t)value * t >> 63;
        value = high + (toi_int128)low + fixed->c[i];
    }
    return value;
}

static int filtered_sign_at(const toi_polynomial *f, toi_dyadic x)
{
    toi_fixed fixed;
    toi_fixed_from_polynomial(f, toi_integer_bits(x.m) - x.bits, &fixed);
    if (!toi_fixed_takes(&fixed, x))
        return 0;
    toi_int128 value = toi_fixed_at(&fixed, x);
    return value > TOI_FIXED_ERROR ? 1 : value < -TOI_FIXED_ERROR ? -1 : 0;
}

int toi_polynomial_sign_at(toi_arena *arena, const toi_polynomial *f, toi_dyadic x)
{
    int sign = f->degree > 0 && x.m.size == 1 ? filtered_sign_at(f, x) : 0;
    if (sign != 0)
        return sign;
    toi_mark mark = toi_arena_mark(arena);
    sign = toi_integer_sign(toi_polynomial_at(arena, f, x));
    toi_arena_release(arena, mark);
    return sign;
}

// ---- Signs and divisors

int toi_count_changes(const int *signs, int count)
{
    int changes = 0, last = 0;
    for (int i = 0; i < count; ++i) {
        if (signs[i] != 0 && last != 0 && signs[i] != last)
            ++changes;
        if (signs[i] != 0)
            last = signs[i];
    }
    return changes;
}

// 2^-below, or 0 where that would be less than 2^-1000.
static double power_below(int64_t below)
{
    uint64_t pattern = below > 1000 ? 0 : (uint64_t)(1023 - below) << 52;
    double power;
    memcpy(&power, &pattern, sizeof power);
    return power;
}

void toi_polynomial_approximate(const toi_polynomial *f, int64_t shift, double a[4])
{
    int64_t exponents[4], scale = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        a[i] = toi_integer_approximate(coefficient(f, i), &exponents[i]);
        exponents[i] += i * shift;
        if (a[i] != 0 && exponents[i] > scale)
            scale = exponents[i];
    }
    for (int i = 0; i < 4; ++i)
        if (a[i] != 0)
            a[i] *= power_below(scale - exponents[i]);
}

void toi_polynomial_approximate_wide(const toi_polynomial *f, long double a[4])
{
    int64_t exponents[4], scale = INT64_MIN;
    for (int i = 0; i < 4; ++i) {
        a[i] = toi_integer_approximate(coefficient(f, i), &exponents[i]);
        if (a[i] != 0 && exponents[i] > scale)
            scale = exponents[i];
    }
    for (int i = 0; i < 4; ++i)
        if (a[i] != 0)
            a[i] = ldexpl(a[i], (int)(exponents[i] - scale));
}

// The Bernstein coefficients times binomials are those of x^i in the sum of c_i x^i (1 + x)^(n-i),
// x = t / (1 - t): additions alone. In plain doubles first: with a relative error of 2^-52 in each
// coefficient and up to five roundings, what is larger than 2^-48 of the sum of all magnitudes has
// the right sign.
static bool filter_bernstein(const toi_polynomial *f, int signs[4])
{
    double a[4], sizes[4];
    toi_polynomial_approximate(f, 0, a);
    for (int i = 0; i <= f->degree; ++i)
        sizes[i] = fabs(a[i]);
    for (int i = 1; i <= f->degree; ++i)
        for (int j = i; j > 0; --j) {
            a[j] += a[j - 1];
            sizes[j] += sizes[j - 1];
        }
    bool certain = true;
    for (int i = 0; i <= f->degree; ++i) {
        certain &= fabs(a[i]) > 0x1p-48 * sizes[i] + 0x1p-900;
        signs[i] = a[i] > 0 ? 1 : -1;
    }
    return certain;
}

void toi_polynomial_bernstein(toi_arena *arena, const toi_polynomial *f, toi_integer b[4])
{
    for (int i = 0; i <= f->degree; ++i)
        b[i] = f->c[i];
    for (int i = 1; i <= f->degree; ++i)
        for (int j = i; j > 0; --j)
            b[j] = toi_integer_add(arena, b[j], b[j - 1]);
}

void toi_polynomial_bernstein_signs(toi_arena *arena, const toi_polynomial *f, int signs[4])
{
    if (filter_bernstein(f, signs))
        return;
    toi_mark mark = toi_arena_mark(arena);
    toi_integer b[4];
    toi_polynomial_bernstein(arena, f, b);
    for (int i = 0; i <= f->degree; ++i)
        signs[i] = toi_integer_sign(b[i]);
    toi_arena_release(arena, mark);
}

toi_polynomial toi_polynomial_derivative(toi_arena *arena, const toi_polynomial *f)
{
    toi_polynomial derivative = {f->degree - 1, {{NULL, 0}}};
    for (int i = 1; i <= f->degree; ++i) {
        toi_integer factor = toi_integer_from_word(arena, (uint64_t)i);
        derivative.c[i - 1] = toi_integer_multiply(arena, f->c[i], factor);
    }
    toi_polynomial_trim(&derivative, derivative.degree);
    return derivative;
}

toi_polynomial toi_polynomial_remainder(toi_arena *arena, const toi_polynomial *f,
                                        const toi_polynomial *g)
{
    toi_polynomial rest = *f;
    toi_integer lead = g->c[g->degree];
    bool negative = lead.size < 0; // dividing by -g leaves the same remainder
    if (negative)
        lead = toi_integer_negate(lead);
    while (rest.degree >= g->degree) {
        toi_integer top = rest.c[rest.degree];
        int shift = rest.degree - g->degree;
        if (negative)
            top = toi_integer_negate(top);
        for (int i = 0; i < rest.degree; ++i) {
            toi_integer taken = i >= shift ? g->c[i - shift] : (toi_integer){NULL, 0};
            rest.c[i] = toi_integer_difference_of_products(arena, rest.c[i], lead, top, taken);
        }
        toi_polynomial_trim(&rest, rest.degree - 1);
    }
    return rest;
}

toi_sturm toi_sturm_sequence(toi_arena *arena, const toi_polynomial *f)
{
    toi_sturm sturm = {{*f, toi_polynomial_derivative(arena, f)}, 2};
    while (sturm.length < 4 && sturm.s[sturm.length - 1].degree > 0) {
        const toi_polynomial *last = &sturm.s[sturm.length - 1];
        toi_polynomial next = toi_polynomial_remainder(arena, last - 1, last);
        if (next.degree < 0)
            break;
        for (int i = 0; i <= next.degree; ++i)
            next.c[i] = toi_integer_negate(next.c[i]);
        sturm.s[sturm.length++] = next;
    }
    return sturm;
}
