// Sums of products of far-apart coordinates, added up word by word.

#include "exact/points.h"

#include <string.h>

// In the unit of the least denormal, odd where it is not zero.
static toi_coordinate take_coordinate(double x)
{
    toi_decoded d = toi_decode_double(x);
    int zeros = d.m == 0 ? 0 : __builtin_ctzll(d.m);
    return (toi_coordinate){d.m >> zeros, d.exponent - TOI_LEAST_EXPONENT + 1 + zeros, d.negative};
}

void toi_far_points_from_query(const toi_query *query, toi_far_points *points)
{
    for (int k = 0; k < 3; ++k) {
        int32_t lowest = INT32_MAX, highest = 0;
        for (int i = 0; i < 8; ++i) {
            const double *x = i < 4 ? query->start[i] : query->end[i - 4];
            toi_coordinate *c = &points->x[i / 4][i % 4][k];
            *c = take_coordinate(x[k]);
            if (c->m == 0)
                continue;
            int32_t end = c->shift + 64 - __builtin_clzll(c->m);
            lowest = c->shift < lowest ? c->shift : lowest;
            highest = end > highest ? end : highest;
        }
        for (int i = 0; i < 8; ++i)
            points->x[i / 4][i % 4][k].shift -= lowest;
        points->bits[k] = highest > 0 ? highest - lowest : 0;
    }
}

// ---- Sums of products

// What was added and what was subtracted, apart: with zeros all over, carries would run far.
typedef struct balance
{
    mp_limb_t *sides[2]; // NULL where memory ran out
    int64_t length;
} balance;

// For less than 2^7 terms below 2^bits.
static balance open_balance(toi_arena *arena, int64_t bits)
{
    int64_t length = (bits + 7) / 64 + 4; // a term is written as four limbs
    mp_limb_t *limbs = toi_arena_room(arena, 2 * length);
    if (!limbs)
        return (balance){{NULL, NULL}, 0};
    memset(limbs, 0, 2 * (size_t)length * sizeof *limbs);
    return (balance){{limbs, limbs + length}, length};
}

static toi_integer take_balance(toi_arena *arena, const balance *sum)
{
    mp_limb_t *limbs = sum->sides[0];
    if (!limbs)
        return (toi_integer){NULL, 0};
    bool negative = mpn_sub_n(limbs, limbs, sum->sides[1], sum->length) != 0;
    if (negative)
        mpn_neg(limbs, limbs, sum->length);
    return toi_arena_accept(arena, limbs, sum->length, negative);
}

static const toi_coordinate ONE = {1, 0, false};

// Adds a b c.
static void add_product(balance *sum, const toi_coordinate *a, const toi_coordinate *b,
                        const toi_coordinate *c, bool negative)
{
    mp_limb_t *side = sum->sides[negative ^ a->negative ^ b->negative ^ c->negative];
    if (a->m == 0 || b->m == 0 || c->m == 0 || !side)
        return;
    int64_t shift = a->shift + b->shift + c->shift;
    unsigned left = (unsigned)(shift % 64);
    toi_uint128 ab = (toi_uint128)a->m * b->m;
    toi_uint128 low = (toi_uint128)(uint64_t)ab * c->m;
    toi_uint128 high = (ab >> 64) * c->m + (low >> 64);
    // Below 2^159, so that a shift by less than 64 leaves room for a carry.
    toi_uint128 lower = (toi_uint128)(uint64_t)low << left;
    toi_uint128 upper = (high << left) + (lower >> 64);
    mp_limb_t limbs[4] = {(mp_limb_t)lower, (mp_limb_t)upper, (mp_limb_t)(upper >> 64),
                          (mp_limb_t)(high >> 1 >> (127 - left))};
    mp_limb_t *at = side + shift / 64;
    mp_limb_t carry = mpn_add_n(at, at, limbs, 4);
    for (at += 4; carry != 0; ++at)
        carry = ++*at == 0;
}

// Which of so many factors come from t = 1: as many as `power` says.
static bool has_power(int ends, int power)
{
    return __builtin_popcount((unsigned)ends) == power;
}

// The polynomial whose coefficients times binomials in Bernstein's form are given: what
// toi_polynomial_bernstein_signs() adds up is taken apart.
static toi_polynomial from_bernstein(toi_arena *arena, const toi_integer b[4], int degree)
{
    toi_polynomial f;
    for (int i = 0; i <= degree; ++i)
        f.c[i] = b[i];
    for (int i = degree; i > 0; --i)
        for (int j = 1; j <= i; ++j)
            f.c[j] = toi_integer_subtract(arena, f.c[j], f.c[j - 1]);
    toi_polynomial_trim(&f, degree);
    return f;
}

toi_polynomial toi_far_points_component(toi_arena *arena, const toi_far_points *points,
                                        toi_difference a, int degree, int axis)
{
    toi_integer b[4];
    for (int end = 0; end <= degree; ++end) {
        balance sum = open_balance(arena, points->bits[axis]);
        add_product(&sum, &points->x[end][a.corner][axis], &ONE, &ONE, false);
        add_product(&sum, &points->x[end][a.minus][axis], &ONE, &ONE, true);
        b[end] = take_balance(arena, &sum);
    }
    return from_bernstein(arena, b, degree);
}

static int corner_of(toi_difference a, int which)
{
    return which == 0 ? a.corner : a.minus;
}

// The products of two corners. A corner with itself adds nothing: what it adds at t = 0 and 1 it
// takes at 1 and 0.
static void add_cross(balance *sum, const toi_far_points *points, const toi_difference factors[2],
                      int axis, int ends)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int which = 0; which < 4; ++which) {
        int p = corner_of(factors[0], which & 1), q = corner_of(factors[1], which >> 1);
        if (p == q)
            continue;
        const toi_coordinate *x = points->x[ends & 1][p], *y = points->x[ends >> 1][q];
        bool negative = which == 1 || which == 2;
        add_product(sum, &x[i], &y[j], &ONE, negative);
        add_product(sum, &x[j], &y[i], &ONE, !negative);
    }
}

toi_polynomial toi_far_points_cross(toi_arena *arena, const toi_far_points *points,
                                    const toi_difference factors[2], int degree, int axis)
{
    toi_integer b[4];
    for (int power = 0; power <= 2 * degree; ++power) {
        balance sum =
            open_balance(arena, points->bits[(axis + 1) % 3] + points->bits[(axis + 2) % 3]);
        for (int ends = 0; ends < 4; ++ends)
            if (has_power(ends, power))
                add_cross(&sum, points, factors, axis, ends);
        b[power] = take_balance(arena, &sum);
    }
    return from_bernstein(arena, b, 2 * degree);
}

// The determinant of three corners: six products.
static void add_determinant(balance *sum, const toi_coordinate *x, const toi_coordinate *y,
                            const toi_coordinate *z, bool negative)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        add_product(sum, &x[i], &y[j], &z[k], negative);
        add_product(sum, &x[i], &y[k], &z[j], !negative);
    }
}

static void add_volume(balance *sum, const toi_far_points *points, const toi_difference factors[3],
                       int ends)
{
    for (int which = 0; which < 8; ++which) {
        int p = corner_of(factors[0], which & 1), q = corner_of(factors[1], which >> 1 & 1);
        int r = corner_of(factors[2], which >> 2);
        if (p != q && p != r && q != r)
            add_determinant(sum, points->x[ends & 1][p], points->x[ends >> 1 & 1][q],
                            points->x[ends >> 2][r], has_power(which, 1) || has_power(which, 3));
    }
}

toi_polynomial toi_far_points_volume(toi_arena *arena, const toi_far_points *points,
                                     const toi_difference factors[3], int degree)
{
    toi_integer b[4];
    for (int power = 0; power <= 3 * degree; ++power) {
        balance sum = open_balance(arena, points->bits[0] + points->bits[1] + points->bits[2]);
        for (int ends = 0; ends < 8; ++ends)
            if (has_power(ends, power))
                add_volume(&sum, points, factors, ends);
        b[power] = take_balance(arena, &sum);
    }
    return from_bernstein(arena, b, 3 * degree);
}
