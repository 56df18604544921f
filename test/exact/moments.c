// Signs at a root are exact: a polynomial is zero there if and only if its greatest common divisor
// with the root's polynomial changes sign over the isolating interval; else bisection ends with an
// interval on which it has one sign. Roots are isolated by Descartes' rule and
// bisection.

#include "exact/moments.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PRIME = 2147483647 // products of two remainders fit 64 bits
};

// ---- Polynomials with integer coefficients

void poly_init(poly *f)
{
    f->degree = -1;
    for (int i = 0; i <= MOST_DEGREE; ++i)
        mpz_init(f->c[i]);
}

void poly_clear(poly *f)
{
    for (int i = 0; i <= MOST_DEGREE; ++i)
        mpz_clear(f->c[i]);
}

static void poly_set(poly *f, const poly *g)
{
    f->degree = g->degree;
    for (int i = 0; i <= MOST_DEGREE; ++i)
        mpz_set(f->c[i], g->c[i]);
}

void find_degree(poly *f, int most)
{
    f->degree = most;
    while (f->degree >= 0 && mpz_sgn(f->c[f->degree]) == 0)
        --f->degree;
}

// Divides by the positive common divisor of the coefficients, which changes no sign.
static void make_primitive(poly *f)
{
    mpz_t divisor;
    mpz_init(divisor);
    for (int i = f->degree; i >= 0 && mpz_cmp_ui(divisor, 1) != 0; --i)
        mpz_gcd(divisor, divisor, f->c[i]);
    for (int i = 0; i <= f->degree && mpz_cmp_ui(divisor, 1) > 0; ++i)
        mpz_divexact(f->c[i], f->c[i], divisor);
    mpz_clear(divisor);
}

static void differentiate(poly *df, const poly *f)
{
    for (int i = 1; i <= f->degree; ++i)
        mpz_mul_ui(df->c[i - 1], f->c[i], (unsigned long)i);
    for (int i = f->degree > 0 ? f->degree : 0; i <= MOST_DEGREE; ++i)
        mpz_set_ui(df->c[i], 0);
    find_degree(df, f->degree - 1);
}

// rest = a positive multiple of a, less quotient * b, of lower degree than b, which is not zero.
// The quotient may be NULL. Only primitive remainders are kept, by yet another positive factor; so
// the quotient belongs to a remainder of zero.
static void divide(poly *quotient, poly *rest, const poly *a, const poly *b)
{
    mpz_t factor, lead;
    mpz_inits(factor, lead, NULL);
    mpz_abs(factor, b->c[b->degree]);
    poly_set(rest, a);
    for (int i = 0; quotient && i <= MOST_DEGREE; ++i)
        mpz_set_ui(quotient->c[i], 0);
    for (int shift = a->degree - b->degree; shift >= 0; --shift) {
        mpz_mul_si(lead, rest->c[shift + b->degree], mpz_sgn(b->c[b->degree]));
        for (int i = 0; i <= MOST_DEGREE; ++i) {
            mpz_mul(rest->c[i], rest->c[i], factor);
            if (quotient)
                mpz_mul(quotient->c[i], quotient->c[i], factor);
        }
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(rest->c[shift + i], lead, b->c[i]);
        if (quotient)
            mpz_set(quotient->c[shift], lead);
    }
    find_degree(rest, a->degree);
    make_primitive(rest);
    if (quotient) {
        find_degree(quotient, a->degree - b->degree);
        make_primitive(quotient);
    }
    mpz_clears(factor, lead, NULL);
}

// ---- Greatest common divisors

// The coefficients of f modulo a prime; false where its degree is less there.
static bool reduce(const poly *f, uint64_t rest[MOST_DEGREE + 1])
{
    for (int i = 0; i <= f->degree; ++i)
        rest[i] = mpz_fdiv_ui(f->c[i], (unsigned long)PRIME);
    return rest[f->degree] != 0;
}

// Are f and g, which are not zero, coprime modulo a prime? Then they are coprime: a common divisor
// would be one modulo the prime too, of the same degree, as it divides leading coefficients that
// the prime does not. Cross multiplication instead of division, so no inverse is needed.
static bool are_surely_coprime(const poly *f, const poly *g)
{
    uint64_t x[2][MOST_DEGREE + 1];
    int degree[2] = {f->degree, g->degree};
    if (!reduce(f, x[0]) || !reduce(g, x[1]))
        return false;
    while (degree[0] > 0 && degree[1] > 0) {
        int a = degree[0] >= degree[1] ? 0 : 1, b = 1 - a, shift = degree[a] - degree[b];
        uint64_t lead_a = x[a][degree[a]], lead_b = x[b][degree[b]];
        for (int i = 0; i < degree[a]; ++i) {
            uint64_t other = i >= shift ? x[b][i - shift] : 0;
            x[a][i] = (x[a][i] * lead_b % PRIME + (PRIME - other) * lead_a % PRIME) % PRIME;
        }
        do
            --degree[a];
        while (degree[a] >= 0 && x[a][degree[a]] == 0);
        if (degree[a] < 0)
            return false;
    }
    return true;
}

// The greatest common divisor by Euclid's algorithm, up to a factor; f and g are not zero.
static void find_common(poly *common, const poly *f, const poly *g)
{
    poly next, rest;
    poly_init(&next);
    poly_init(&rest);
    poly_set(common, f);
    poly_set(&next, g);
    if (are_surely_coprime(f, g)) {
        mpz_set_ui(common->c[0], 1);
        common->degree = 0;
        next.degree = -1;
    }
    while (next.degree >= 0) {
        divide(NULL, &rest, common, &next);
        poly_set(common, &next);
        poly_set(&next, &rest);
    }
    poly_clear(&next);
    poly_clear(&rest);
}

void divide_by_common(poly *f, const poly *g, const poly *h)
{
    poly common, quotient, rest;
    poly_init(&common);
    poly_init(&quotient);
    poly_init(&rest);
    find_common(&common, g, h);
    if (common.degree > 0 && f->degree >= 0) {
        if (mpz_sgn(common.c[common.degree]) < 0)
            for (int i = 0; i <= common.degree; ++i)
                mpz_neg(common.c[i], common.c[i]);
        divide(&quotient, &rest, f, &common);
        if (rest.degree >= 0) {
            fprintf(stderr, "moments: a divisor that does not divide\n");
            abort();
        }
        poly_set(f, &quotient);
    }
    poly_clear(&common);
    poly_clear(&quotient);
    poly_clear(&rest);
}

// 2^(bits * degree) times f, which is not zero, at k / 2^bits.
static void value_at_dyadic(const poly *f, const mpz_t k, mp_bitcnt_t bits, mpz_t value)
{
    mpz_t term;
    mpz_init(term);
    mpz_set(value, f->c[f->degree]);
    for (int i = f->degree - 1; i >= 0; --i) {
        mpz_mul(value, value, k);
        mpz_mul_2exp(term, f->c[i], bits * (mp_bitcnt_t)(f->degree - i));
        mpz_add(value, value, term);
    }
    mpz_clear(term);
}

static int sign_at_dyadic(const poly *f, const mpz_t k, mp_bitcnt_t bits)
{
    if (f->degree < 0)
        return 0;
    mpz_t value;
    mpz_init(value);
    value_at_dyadic(f, k, bits, value);
    int sign = mpz_sgn(value);
    mpz_clear(value);
    return sign;
}

// ---- Moments: times of [0, 1] that are dyadic or roots of polynomials

void moment_init(moment *m)
{
    m->dyadic = true;
    m->bits = 0;
    m->before = 0;
    m->stride = 1;
    mpz_init(m->k);
    poly_init(&m->f);
}

void moment_clear(moment *m)
{
    mpz_clear(m->k);
    poly_clear(&m->f);
}

static void bisect(moment *m)
{
    mpz_mul_2exp(m->k, m->k, 1);
    ++m->bits;
    mpz_add_ui(m->k, m->k, 1);
    int middle = sign_at_dyadic(&m->f, m->k, m->bits);
    m->dyadic = middle == 0;
    if (middle == -m->before)
        mpz_sub_ui(m->k, m->k, 1);
}

// Which of 2^stride equal parts of the interval has the root, if f were a straight line? Moves
// there if that is so: the signs of f say it, or that the root is one of the part's ends.
static bool leap(moment *m)
{
    mpz_t first, last, part;
    mpz_inits(first, last, part, NULL);
    mpz_add_ui(part, m->k, 1);
    value_at_dyadic(&m->f, m->k, m->bits, first);
    value_at_dyadic(&m->f, part, m->bits, last);
    mpz_sub(last, first, last);
    mpz_mul_2exp(first, first, m->stride);
    mpz_tdiv_q(first, first, last);
    mpz_mul_2exp(part, m->k, m->stride);
    mpz_add(part, part, first);
    mpz_add_ui(last, part, 1);
    int before = sign_at_dyadic(&m->f, part, m->bits + m->stride);
    int after = sign_at_dyadic(&m->f, last, m->bits + m->stride);
    bool found = before * after <= 0;
    if (found) {
        mpz_set(m->k, after == 0 ? last : part);
        m->bits += m->stride;
        m->dyadic = before == 0 || after == 0;
    }
    mpz_clears(first, last, part, NULL);
    return found;
}

// Halves the interval at least, unless it is a point; when straight lines have been good guesses,
// cuts it to a part that has the square of the former share.
static void refine(moment *m)
{
    if (m->dyadic)
        return;
    if (m->stride > 1 && leap(m)) {
        m->stride *= 2;
        return;
    }
    m->stride = m->stride > 2 ? m->stride / 2 : 2;
    bisect(m);
}

// A cheap start: most signs and most orders are then plain, and what is not plain is mostly equal.
static void sharpen(moment *m)
{
    while (!m->dyadic && m->bits < 40)
        refine(m);
}

// Does f's root m satisfy g = 0 too? Their common divisor has no root in the interval but m, and
// that once at most, as f has; so it has that one if and only if it changes sign.
static bool is_common_root(const poly *g, const moment *m)
{
    poly common;
    mpz_t next;
    poly_init(&common);
    mpz_init(next);
    find_common(&common, &m->f, g);
    mpz_add_ui(next, m->k, 1);
    bool is_root = common.degree > 0 &&
                   sign_at_dyadic(&common, m->k, m->bits) != sign_at_dyadic(&common, next, m->bits);
    poly_clear(&common);
    mpz_clear(next);
    return is_root;
}

// The sign that g has in all of the interval; 0 where this cannot tell. Writes g as a polynomial
// q(s) of s in [0, 1], which measures the interval: |q(s) - q_0| <= |q_1| + |q_2| + ...
static int steady_sign(const poly *g, const moment *m)
{
    mpz_t q[MOST_DEGREE + 1];
    int degree = g->degree;
    for (int i = 0; i <= degree; ++i) {
        mpz_init(q[i]);
        mpz_mul_2exp(q[i], g->c[i], m->bits * (mp_bitcnt_t)(degree - i));
    }
    for (int i = 0; i < degree; ++i)
        for (int j = degree - 1; j >= i; --j)
            mpz_addmul(q[j], m->k, q[j + 1]);
    for (int i = 1; i <= degree; ++i)
        mpz_abs(q[i], q[i]);
    for (int i = 2; i <= degree; ++i)
        mpz_add(q[1], q[1], q[i]);
    int sign = mpz_cmpabs(q[0], q[1]) > 0 ? mpz_sgn(q[0]) : 0;
    for (int i = 0; i <= degree; ++i)
        mpz_clear(q[i]);
    return sign;
}

int sign_at(const poly *g, moment *m)
{
    if (g->degree <= 0)
        return g->degree < 0 ? 0 : mpz_sgn(g->c[0]);
    sharpen(m);
    int sign = m->dyadic ? 0 : steady_sign(g, m);
    if (!m->dyadic && sign == 0 && is_common_root(g, m))
        return 0;
    while (!m->dyadic && sign == 0) {
        refine(m);
        sign = m->dyadic ? 0 : steady_sign(g, m);
    }
    return m->dyadic ? sign_at_dyadic(g, m->k, m->bits) : sign;
}

// -1, 0 or 1: how a / 2^a_bits compares with b / 2^b_bits.
static int compare_dyadic(const mpz_t a, mp_bitcnt_t a_bits, const mpz_t b, mp_bitcnt_t b_bits)
{
    mpz_t raised;
    mpz_init(raised);
    int order;
    if (a_bits < b_bits) {
        mpz_mul_2exp(raised, a, b_bits - a_bits);
        order = mpz_cmp(raised, b);
    } else {
        mpz_mul_2exp(raised, b, a_bits - b_bits);
        order = mpz_cmp(a, raised);
    }
    mpz_clear(raised);
    return (order > 0) - (order < 0);
}

// -1, 0 or 1: how the moment compares with a / 2^bits.
static int compare_with_dyadic(const moment *m, const mpz_t a, mp_bitcnt_t bits)
{
    int order = compare_dyadic(m->k, m->bits, a, bits);
    if (m->dyadic || order >= 0)
        return m->dyadic ? order : 1;
    mpz_t end;
    mpz_init(end);
    mpz_add_ui(end, m->k, 1);
    bool beyond = compare_dyadic(end, m->bits, a, bits) <= 0;
    mpz_clear(end);
    if (beyond)
        return -1;
    int sign = sign_at_dyadic(&m->f, a, bits);
    return sign == 0 ? 0 : sign == m->before ? 1 : -1;
}

// Is all of a's interval below b's, or do they share but an end?
static bool is_below(const moment *a, const moment *b)
{
    mpz_t end;
    mpz_init(end);
    mpz_add_ui(end, a->k, a->dyadic ? 0 : 1);
    bool below = compare_dyadic(end, a->bits, b->k, b->bits) <= 0;
    mpz_clear(end);
    return below;
}

// Are both roots, whose intervals overlap, one number? Intervals of halvings that overlap are
// nested, so the narrower one decides whether the common divisor's root is in both.
static bool is_same_root(const moment *a, const moment *b)
{
    return a->bits >= b->bits ? is_common_root(&b->f, a) : is_common_root(&a->f, b);
}

static void refine_wider(moment *a, moment *b)
{
    bool second = a->dyadic || (!b->dyadic && b->bits < a->bits);
    refine(second ? b : a);
}

// -1, 0 or 1, and narrows both down.
int compare_moments(moment *a, moment *b)
{
    sharpen(a);
    sharpen(b);
    if (a->dyadic)
        return -compare_with_dyadic(b, a->k, a->bits);
    if (b->dyadic)
        return compare_with_dyadic(a, b->k, b->bits);
    if (!is_below(a, b) && !is_below(b, a) && is_same_root(a, b))
        return 0;
    for (;;) {
        if (is_below(a, b))
            return -1;
        if (is_below(b, a))
            return 1;
        refine_wider(a, b);
    }
}

void find_between(moment *a, moment *b, moment *between)
{
    mpz_t end;
    mpz_init(end);
    for (;;) {
        mpz_add_ui(end, a->k, a->dyadic ? 0 : 1);
        if (compare_dyadic(end, a->bits, b->k, b->bits) < 0)
            break;
        refine_wider(a, b);
    }
    between->bits = 0;
    do { // the first multiple of 1 / 2^bits above the end
        ++between->bits;
        if (between->bits < a->bits)
            mpz_fdiv_q_2exp(between->k, end, a->bits - between->bits);
        else
            mpz_mul_2exp(between->k, end, between->bits - a->bits);
        mpz_add_ui(between->k, between->k, 1);
    } while (compare_dyadic(between->k, between->bits, b->k, b->bits) >= 0);
    between->dyadic = true;
    mpz_clear(end);
}

void split_double(double x, mpz_t k, mp_bitcnt_t *bits)
{
    int exponent;
    mpz_set_d(k, ldexp(frexp(x, &exponent), 53));
    *bits = (mp_bitcnt_t)(53 - exponent);
}

static double double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The largest double not above the moment, by bisection: the bits of doubles from 0 to 1 are in the
// order of their values.
double floor_of(const moment *m, bool *is_exact)
{
    mpz_t k;
    mp_bitcnt_t bits;
    mpz_init(k);
    uint64_t lo = 0, hi = UINT64_C(0x3ff0000000000001);
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        split_double(double_of_bits(middle), k, &bits);
        if (compare_with_dyadic(m, k, bits) >= 0)
            lo = middle;
        else
            hi = middle;
    }
    split_double(double_of_bits(lo), k, &bits);
    *is_exact = compare_with_dyadic(m, k, bits) == 0;
    mpz_clear(k);
    return double_of_bits(lo);
}

// ---- The moments that matter, in order

// Moves the last moment to its place; drops it if it is there already.
static void sort_last(moments *list)
{
    int i = list->count - 1;
    for (; i > 0; --i) {
        int order = compare_moments(&list->at[i - 1], &list->at[i]);
        if (order < 0)
            return;
        moment last = list->at[i];
        if (order == 0) {
            for (; i + 1 < list->count; ++i)
                list->at[i] = list->at[i + 1];
            moment_clear(&last);
            --list->count;
            return;
        }
        list->at[i] = list->at[i - 1];
        list->at[i - 1] = last;
    }
}

moment *add_moment(moments *list, const mpz_t k, mp_bitcnt_t bits)
{
    if (list->count == MOST_MOMENTS) {
        fprintf(stderr, "twin: more moments than there can be\n");
        abort();
    }
    moment *m = &list->at[list->count++];
    moment_init(m);
    mpz_set(m->k, k);
    m->bits = bits;
    return m;
}

// Divides f, of degree 1 at least, by what it has in common with its derivative: the same roots,
// once each.
static void make_square_free(poly *f)
{
    poly slope;
    poly_init(&slope);
    differentiate(&slope, f);
    poly copy;
    poly_init(&copy);
    poly_set(&copy, f);
    divide_by_common(f, &copy, &slope);
    poly_clear(&slope);
    poly_clear(&copy);
}

// f(x + 1)
static void shift_by_one(poly *f)
{
    for (int i = 0; i < f->degree; ++i)
        for (int j = f->degree - 1; j >= i; --j)
            mpz_add(f->c[j], f->c[j], f->c[j + 1]);
}

// Descartes' rule: f has as many roots in (0, 1) as the coefficients of (1+x)^n f(1 / (1+x)) have
// changes of sign, or fewer by an even number.
static int count_changes(const poly *f)
{
    poly g;
    poly_init(&g);
    g.degree = f->degree;
    for (int i = 0; i <= f->degree; ++i)
        mpz_set(g.c[i], f->c[f->degree - i]);
    shift_by_one(&g);
    int changes = 0, last = 0;
    for (int i = 0; i <= g.degree; ++i) {
        int sign = mpz_sgn(g.c[i]);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    poly_clear(&g);
    return changes;
}

static int sign_at_one(const poly *f)
{
    mpz_t sum;
    mpz_init(sum);
    for (int i = 0; i <= f->degree; ++i)
        mpz_add(sum, sum, f->c[i]);
    int sign = mpz_sgn(sum);
    mpz_clear(sum);
    return sign;
}

// The part of f over k / 2^bits to (k + 1) / 2^bits, written as a polynomial over 0 to 1.
typedef struct stretch
{
    const poly *f;
    mpz_t k;
    mp_bitcnt_t bits;
    poly part;
} stretch;

static void stretch_init(stretch *s, const poly *f, const poly *part)
{
    s->f = f;
    s->bits = 0;
    mpz_init(s->k);
    poly_init(&s->part);
    poly_set(&s->part, part);
}

static void stretch_clear(stretch *s)
{
    mpz_clear(s->k);
    poly_clear(&s->part);
}

// half(x) = 2^n part(x / 2), or with x + 1 for x
static void take_half(const stretch *s, bool second, stretch *half)
{
    stretch_init(half, s->f, &s->part);
    half->bits = s->bits + 1;
    mpz_mul_2exp(half->k, s->k, 1);
    int n = s->part.degree;
    for (int i = 0; i < n; ++i)
        mpz_mul_2exp(half->part.c[i], half->part.c[i], (mp_bitcnt_t)(n - i));
    if (second) {
        mpz_add_ui(half->k, half->k, 1);
        shift_by_one(&half->part);
    }
}

// Adds the roots strictly inside. Halving ends: around simple roots, and between them, a stretch
// that is short enough has one change or none (the theorem of one circle and of two circles).
static void add_roots_inside(moments *list, const stretch *s)
{
    int changes = count_changes(&s->part), before = mpz_sgn(s->part.c[0]);
    if (changes == 0)
        return;
    if (changes == 1 && before != 0 && sign_at_one(&s->part) != 0) {
        moment *m = add_moment(list, s->k, s->bits);
        m->dyadic = false;
        m->before = before;
        poly_set(&m->f, s->f);
        sort_last(list);
        return;
    }
    stretch first, second;
    take_half(s, false, &first);
    take_half(s, true, &second);
    add_roots_inside(list, &first);
    if (mpz_sgn(second.part.c[0]) == 0) {
        add_moment(list, second.k, second.bits);
        sort_last(list);
    }
    add_roots_inside(list, &second);
    stretch_clear(&first);
    stretch_clear(&second);
}

void add_roots(moments *list, const poly *f)
{
    int changes = f->degree <= 0 ? 0 : count_changes(f);
    if (changes == 0)
        return;
    poly simple;
    poly_init(&simple);
    poly_set(&simple, f);
    if (changes > 1) // else the only root is simple
        make_square_free(&simple);
    stretch whole;
    stretch_init(&whole, &simple, &simple);
    add_roots_inside(list, &whole);
    stretch_clear(&whole);
    poly_clear(&simple);
}
