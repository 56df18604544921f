// The filters of the last rung for exponents far apart, recomputed: every sign that they call
// certain against exact arithmetic, on polynomials whose terms nearly cancel.
//
// Looks inside: the filters are compiled into this file.

#include "exact/place.c"
#include "exact/roots.c"

#include "exact/certificate.h"
#include "exact/trial.h"
#include "support.h"

#include <math.h>

static int64_t random_int(toi_random *random, int64_t lo, int64_t hi)
{
    return lo + (int64_t)toi_random_below(random, (uint64_t)(hi - lo + 1));
}

// ---- Polynomials in rational numbers

typedef struct rational
{
    int degree;
    mpq_t c[4], x, y, z;
} rational;

static void init_rational(rational *f)
{
    mpq_inits(f->c[0], f->c[1], f->c[2], f->c[3], f->x, f->y, f->z, NULL);
}

static void clear_rational(rational *f)
{
    mpq_clears(f->c[0], f->c[1], f->c[2], f->c[3], f->x, f->y, f->z, NULL);
}

static void take_rational(const toi_polynomial *f, rational *r)
{
    r->degree = f->degree;
    for (int i = 0; i <= f->degree; ++i) {
        mpz_t view;
        mpq_set_z(r->c[i], mpz_roinit_n(view, f->c[i].limbs, f->c[i].size));
    }
}

// m 2^exponent.
static void set_power(mpq_t x, double m, int64_t exponent)
{
    mpq_set_d(x, m);
    if (exponent >= 0)
        mpq_mul_2exp(x, x, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(x, x, (mp_bitcnt_t)-exponent);
}

static int sign_at(rational *f, const mpq_t t)
{
    mpq_set(f->x, f->c[f->degree]);
    for (int i = f->degree - 1; i >= 0; --i) {
        mpq_mul(f->x, f->x, t);
        mpq_add(f->x, f->x, f->c[i]);
    }
    return mpq_sgn(f->x);
}

// The sign at the place, its m times `factor`.
static int sign_at_place(rational *f, const toi_place *place, double factor)
{
    set_power(f->y, place->m, place->exponent);
    mpq_set_d(f->z, factor);
    mpq_mul(f->y, f->y, f->z);
    mpq_set_ui(f->z, 1, 1);
    if (place->from_end)
        mpq_sub(f->y, f->z, f->y);
    return sign_at(f, f->y);
}

// ---- Random polynomials

static toi_integer random_integer(toi_arena *arena, int64_t spread, toi_random *random)
{
    toi_integer high =
        toi_integer_from_shifted(arena, toi_random_bits(random) >> toi_random_below(random, 64),
                                 random_int(random, 0, spread), toi_random_below(random, 2) == 0);
    toi_integer low =
        toi_integer_from_shifted(arena, toi_random_bits(random), random_int(random, 0, spread),
                                 toi_random_below(random, 2) == 0);
    return toi_random_below(random, 2) == 0 ? high : toi_integer_add(arena, high, low);
}

// In Bernstein's form some of them, so that roots crowd at 1 too.
static toi_polynomial random_polynomial(toi_arena *arena, int highest, toi_random *random)
{
    toi_polynomial f;
    int64_t spread = random_int(random, 0, 3) == 0 ? 100 : 5000;
    for (int i = 0; i <= highest; ++i)
        f.c[i] = random_integer(arena, spread, random);
    if (toi_random_below(random, 2) == 0)
        for (int i = highest; i > 0; --i)
            for (int j = 1; j <= i; ++j)
                f.c[j] = toi_integer_subtract(arena, f.c[j], f.c[j - 1]);
    toi_polynomial_trim(&f, highest);
    return f;
}

// ---- Signs at powers of two

// Changes the constant term so that the value at 2^k is about 2^-closeness of the largest term.
static void nearly_cancel(toi_arena *arena, toi_polynomial *f, int64_t k, int64_t closeness,
                          toi_random *random)
{
    toi_dyadic x = {toi_integer_from_word(arena, 1), -k};
    f->c[0] = (toi_integer){NULL, 0};
    toi_integer rest = toi_polynomial_at(arena, f, x); // times 2^(-k degree)
    int64_t bits = toi_integer_bits(rest);
    toi_integer off = toi_integer_from_word(arena, toi_random_bits(random) >> 44);
    if (bits - closeness - 20 > 0)
        off = toi_integer_shift(arena, off, bits - closeness - 20);
    if (toi_random_below(random, 2) == 0)
        off = toi_integer_negate(off);
    for (int i = 1; i <= f->degree; ++i)
        f->c[i] = toi_integer_shift(arena, f->c[i], -k * f->degree);
    f->c[0] = toi_integer_subtract(arena, off, rest);
}

static void certain_signs_are_right(void **state)
{
    (void)state;
    toi_random random = {31};
    rational exact;
    init_rational(&exact);
    int64_t certain = 0, close = 0, wrong = 0, count = cases(20000);
    for (int64_t i = 0; i < count; ++i) {
        toi_arena arena;
        toi_arena_open(&arena, scratch, SCRATCH_BYTES);
        toi_polynomial f = random_polynomial(&arena, 3, &random);
        int64_t k = -random_int(&random, 0, 700), closeness = random_int(&random, 40, 56);
        if (f.degree > 0) {
            double a[4];
            nearly_cancel(&arena, &f, k, closeness, &random);
            take_rational(&f, &exact);
            toi_polynomial_approximate(&f, k, a);
            int sign = sign_near(a, 1, 0);
            set_power(exact.y, 1, k);
            wrong += sign != 0 && sign != sign_at(&exact, exact.y);
            certain += sign != 0;
            close += sign != 0 && closeness > 44;
        }
        toi_arena_close(&arena);
    }
    clear_rational(&exact);
    print_message("  %lld of %lld signs certain, %lld of them close\n", (long long)certain,
                  (long long)count, (long long)close);
    assert_int_equal(wrong, 0);
    assert_true(certain > count / 10 && certain < count && close > 0);
}

// ---- Places

// The root is where its place says, and a sign that is certain there is the sign at both ends.
static void places_hold_their_roots(void **state)
{
    (void)state;
    toi_random random = {32};
    rational f_exact, g_exact;
    init_rational(&f_exact);
    init_rational(&g_exact);
    int64_t single = 0, found = 0, from_end = 0, certain = 0, wrong = 0;
    for (int64_t i = 0; i < cases(20000); ++i) {
        toi_arena arena;
        int signs[4];
        toi_arena_open(&arena, scratch, SCRATCH_BYTES);
        toi_polynomial f = random_polynomial(&arena, 1 + (int)(i % 3), &random);
        toi_polynomial g = random_polynomial(&arena, 2, &random);
        if (f.degree > 0)
            toi_polynomial_bernstein_signs(&arena, &f, signs);
        if (f.degree > 0 && signs[0] * signs[f.degree] < 0 &&
            toi_count_changes(signs, f.degree + 1) == 1) {
            toi_bracket all = {{ZERO, 0}, {toi_integer_from_word(&arena, 1), 0}, signs[0]};
            toi_place place = toi_find_place(&arena, &f, &all);
            ++single;
            take_rational(&f, &f_exact);
            take_rational(&g, &g_exact);
            if (place.m > 0) {
                ++found;
                from_end += place.from_end;
                wrong += !(place.m >= 0.5 && place.m <= 1);
                wrong += sign_at_place(&f_exact, &place, 1 - 0x1p-30) *
                             sign_at_place(&f_exact, &place, 1 + 0x1p-30) >=
                         0;
                int sign = g.degree >= 0 ? toi_place_sign(&arena, &place, &g) : 0;
                certain += sign != 0;
                wrong += sign != 0 && (sign != sign_at_place(&g_exact, &place, 1 - 0x1p-30) ||
                                       sign != sign_at_place(&g_exact, &place, 1 + 0x1p-30));
            }
        }
        toi_arena_close(&arena);
    }
    clear_rational(&f_exact);
    clear_rational(&g_exact);
    print_message("  %lld places of %lld roots, %lld from the end, %lld signs certain\n",
                  (long long)found, (long long)single, (long long)from_end, (long long)certain);
    assert_int_equal(wrong, 0);
    assert_true(found > single * 9 / 10 && from_end > found / 10 && certain > found * 9 / 10);
}

// The zero of g is anything from 2^-3 to 2^-53 of it away from that of f.
static void signs_close_to_a_root(void **state)
{
    (void)state;
    toi_random random = {33};
    int64_t certain = 0, unknown = 0, wrong = 0, count = cases(20000);
    for (int64_t i = 0; i < count; ++i) {
        toi_arena arena;
        toi_arena_open(&arena, scratch, SCRATCH_BYTES);
        // f = 2^shift t - m: the root is m 2^-shift.
        int64_t shift = random_int(&random, 54, 900);
        uint64_t m = toi_random_bits(&random) >> 11 | 1;
        int64_t off = (int64_t)1 << toi_random_below(&random, 50);
        if (toi_random_below(&random, 2) == 0)
            off = -off;
        toi_polynomial f =
            toi_polynomial_linear(toi_integer_from_shifted(&arena, 1, shift, false),
                                  toi_integer_negate(toi_integer_from_word(&arena, m)));
        toi_polynomial g = f;
        g.c[0] = toi_integer_from_int128(&arena, -(toi_int128)m - off);
        toi_bracket all = {{ZERO, 0}, {toi_integer_from_word(&arena, 1), 0}, -1};
        if (toi_random_below(&random, 2) == 0) { // the same at 1 - t
            f = toi_polynomial_reverse(&arena, &f);
            g = toi_polynomial_reverse(&arena, &g);
            all.sign = 1;
        }
        toi_place place = toi_find_place(&arena, &f, &all);
        int sign = toi_place_sign(&arena, &place, &g);
        wrong += place.m == 0 || (sign != 0 && sign != (off > 0 ? -1 : 1));
        certain += sign != 0;
        unknown += sign == 0;
        toi_arena_close(&arena);
    }
    assert_int_equal(wrong, 0);
    assert_true(certain > count / 10 && unknown > count / 10);
}

// ---- Discriminants

static int exact_discriminant_sign(const toi_integer b[4], int degree)
{
    mpz_t c[4], sum, x;
    mpz_inits(c[0], c[1], c[2], c[3], sum, x, NULL);
    for (int i = 0; i <= degree; ++i) {
        mpz_t view;
        mpz_set(c[i], mpz_roinit_n(view, b[i].limbs, b[i].size));
    }
    static const int cubic[5][5] = {
        {18, 1, 1, 1, 1}, {-4, 0, 3, 0, 1}, {1, 0, 2, 2, 0}, {-4, 1, 0, 3, 0}, {-27, 2, 0, 0, 2}};
    static const int quadratic[2][5] = {{1, 0, 2, 0, 0}, {-4, 1, 0, 1, 0}};
    for (int term = 0; term < (degree == 3 ? 5 : 2); ++term) {
        const int *powers = degree == 3 ? cubic[term] : quadratic[term];
        mpz_set_si(x, powers[0]);
        for (int i = 0; i <= degree; ++i)
            for (int n = 0; n < powers[i + 1]; ++n)
                mpz_mul(x, x, c[i]);
        mpz_add(sum, sum, x);
    }
    int sign = mpz_sgn(sum);
    mpz_clears(c[0], c[1], c[2], c[3], sum, x, NULL);
    return sign;
}

// (p t + q)^2, or that times r t + s, and one coefficient moved by 2^-40 to 2^-60 of itself.
static int nearly_double(toi_arena *arena, toi_integer b[4], toi_random *random)
{
    int degree = 2 + (int)toi_random_below(random, 2);
    toi_integer p = random_integer(arena, 1000, random), q = random_integer(arena, 1000, random);
    toi_integer r = random_integer(arena, 1000, random), s = random_integer(arena, 1000, random);
    toi_integer square[3] = {toi_integer_multiply(arena, q, q),
                             toi_integer_shift(arena, toi_integer_multiply(arena, p, q), 1),
                             toi_integer_multiply(arena, p, p)};
    for (int i = 0; i <= degree; ++i) {
        toi_integer lower = i > 0 ? square[i - 1] : ZERO, same = i < 3 ? square[i] : ZERO;
        b[i] = degree == 2 ? same : toi_integer_sum_of_products(arena, lower, r, same, s);
    }
    toi_integer *moved = &b[toi_random_below(random, (uint64_t)degree + 1)];
    int64_t closeness = random_int(random, 40, 60), bits = toi_integer_bits(*moved) - closeness;
    toi_integer off =
        toi_integer_from_shifted(arena, 1, bits > 0 ? bits : 0, toi_random_below(random, 2) == 0);
    *moved = toi_integer_add(arena, *moved, off);
    return degree;
}

static void certain_discriminants_are_right(void **state)
{
    (void)state;
    toi_random random = {34};
    int64_t certain = 0, unknown = 0, wrong = 0, count = cases(20000);
    for (int64_t i = 0; i < count; ++i) {
        toi_arena arena;
        toi_integer b[4];
        wide about[4];
        toi_arena_open(&arena, scratch, SCRATCH_BYTES);
        int degree = nearly_double(&arena, b, &random);
        for (int n = 0; n <= degree; ++n)
            about[n].m = toi_integer_approximate(b[n], &about[n].exponent);
        int sign = discriminant_sign(about, degree);
        wrong += sign != 0 && sign != exact_discriminant_sign(b, degree);
        certain += sign != 0;
        unknown += sign == 0;
        toi_arena_close(&arena);
    }
    print_message("  %lld discriminants certain, %lld not\n", (long long)certain,
                  (long long)unknown);
    assert_int_equal(wrong, 0);
    assert_true(certain > count / 20 && unknown > count / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certain_signs_are_right),
        cmocka_unit_test(places_hold_their_roots),
        cmocka_unit_test(signs_close_to_a_root),
        cmocka_unit_test(certain_discriminants_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
