// Polynomials of degree up to six: the filters' signs against exact arithmetic where terms nearly
// cancel, signs over intervals against rational arithmetic, square-free parts of known products.
//
// Looks inside: they are compiled into this file.

#include "exact/sextic.c"

#include "exact/certificate.h"
#include "support.h"

static int64_t random_int(toi_random *random, int64_t lo, int64_t hi)
{
    return lo + (int64_t)toi_random_below(random, (uint64_t)(hi - lo + 1));
}

static toi_integer random_integer(toi_arena *arena, int64_t spread, toi_random *random)
{
    return toi_integer_from_shifted(arena, toi_random_bits(random) >> toi_random_below(random, 64),
                                    random_int(random, 0, spread),
                                    toi_random_below(random, 2) == 0);
}

static toi_sextic random_sextic(toi_arena *arena, int highest, int64_t spread, toi_random *random)
{
    toi_sextic f;
    for (int i = 0; i <= highest; ++i)
        f.c[i] = random_integer(arena, spread, random);
    trim(&f, highest);
    return f;
}

// In ]0, 1], of up to 53 bits.
static toi_dyadic random_place(toi_arena *arena, int64_t smallest, toi_random *random)
{
    double x = toi_random_unit(random) / 2 + 0.5;
    return toi_dyadic_from_double(arena, ldexp(x, -(int)random_int(random, 0, smallest)));
}

// ---- Signs at a place

// Changes the constant term so that the value at x is about 2^-closeness of the largest term.
static void nearly_cancel(toi_arena *arena, toi_sextic *f, toi_dyadic x, int64_t closeness,
                          toi_random *random)
{
    f->c[0] = ZERO;
    toi_integer rest = toi_sextic_at(arena, f, x); // times 2^(bits degree)
    int64_t below = x.bits * f->degree, up = toi_integer_bits(rest) - closeness - 20;
    toi_integer off = toi_integer_from_word(arena, toi_random_bits(random) >> 44);
    if (up > 0)
        off = toi_integer_shift(arena, off, up);
    if (toi_random_below(random, 2) == 0)
        off = toi_integer_negate(off);
    for (int i = 1; i <= f->degree; ++i) // so that the constant term is whole
        f->c[i] = toi_integer_shift(arena, f->c[i], below);
    f->c[0] = toi_integer_subtract(arena, off, rest);
}

// Every certain sign is right, however close to zero the value is; most are certain down to near
// the bound, and none is far beyond it.
static void filtered_signs(void **state)
{
    (void)state;
    toi_random random = {41};
    int64_t certain[2] = {0, 0}, tried[2] = {0, 0};
    for (int64_t i = 0; i < cases(100000); ++i) {
        toi_arena arena;
        toi_arena_open(&arena, scratch, sizeof scratch);
        int degree = (int)random_int(&random, 1, 6);
        int64_t closeness = random_int(&random, 30, 70);
        toi_sextic f = random_sextic(&arena, degree, i % 4 == 0 ? 2000 : 40, &random);
        if (f.degree < 1)
            continue;
        toi_dyadic x = random_place(&arena, i % 3 == 0 ? 100 : 2, &random);
        nearly_cancel(&arena, &f, x, closeness, &random);
        int sign = filtered_sign_at(&f, x);
        if (sign != 0)
            assert_int_equal(sign, toi_integer_sign(toi_sextic_at(&arena, &f, x)));
        if (closeness < 40 || closeness > 55) {
            ++tried[closeness > 55];
            certain[closeness > 55] += sign != 0;
        }
        toi_arena_close(&arena);
    }
    assert_true(certain[0] > tried[0] / 2 && certain[1] < tried[1] / 100);
}

// ---- Signs over intervals

static void set_integer(mpq_t x, toi_integer a)
{
    mpz_t view;
    mpq_set_z(x, mpz_roinit_n(view, a.limbs, a.size));
}

// The Bernstein coefficients over [a, a + w], times binomials, from their definition: of f(a + w x)
// as the sum of c_i x^i, that of x^j in the sum of c_i x^i (1 + x)^(n - i).
static void bernstein(const toi_sextic *f, const mpq_t a, const mpq_t w, mpq_t b[])
{
    mpz_t binomial;
    mpq_t term, power;
    mpz_init(binomial);
    mpq_inits(term, power, NULL);
    mpq_t c[TOI_SEXTIC_COEFFICIENTS];
    for (int i = 0; i <= f->degree; ++i) {
        mpq_init(c[i]);
        mpq_set_ui(power, 1, 1);
        for (int k = i; k <= f->degree; ++k) { // binomial(k, i) c_k a^(k - i) w^i
            mpz_bin_uiui(binomial, (unsigned long)k, (unsigned long)i);
            mpq_set_z(term, binomial);
            mpq_mul(term, term, power);
            mpq_mul(power, power, a);
            set_integer(b[0], f->c[k]);
            mpq_mul(term, term, b[0]);
            mpq_add(c[i], c[i], term);
        }
        for (int k = 0; k < i; ++k)
            mpq_mul(c[i], c[i], w);
    }
    for (int j = 0; j <= f->degree; ++j) {
        mpq_set_ui(b[j], 0, 1);
        for (int i = 0; i <= j; ++i) {
            mpz_bin_uiui(binomial, (unsigned long)(f->degree - i), (unsigned long)(j - i));
            mpq_set_z(term, binomial);
            mpq_mul(term, term, c[i]);
            mpq_add(b[j], b[j], term);
        }
    }
    for (int i = 0; i <= f->degree; ++i)
        mpq_clear(c[i]);
    mpq_clears(term, power, NULL);
    mpz_clear(binomial);
}

// A polynomial with small coefficients, or with three roots on a grid: zeros are frequent.
static toi_sextic random_small(toi_arena *arena, toi_random *random)
{
    toi_sextic f = random_sextic(arena, (int)random_int(random, 0, 3), 3, random);
    for (int i = 0; i < 3 && toi_random_below(random, 2) == 0; ++i) {
        toi_sextic factor = {1,
                             {toi_integer_from_word(arena, toi_random_below(random, 8)),
                              toi_integer_from_word(arena, 8)}};
        factor.c[0] = toi_integer_negate(factor.c[0]);
        f = toi_sextic_dot(arena, &f, &factor, 1);
    }
    return f;
}

static void signs_over_intervals(void **state)
{
    (void)state;
    toi_random random = {42};
    int64_t zeros = 0, filtered = 0;
    mpq_t a, w, b[TOI_SEXTIC_COEFFICIENTS];
    mpq_inits(a, w, NULL);
    for (int i = 0; i < TOI_SEXTIC_COEFFICIENTS; ++i)
        mpq_init(b[i]);
    for (int64_t i = 0; i < cases(20000); ++i) {
        toi_arena arena;
        int signs[TOI_SEXTIC_COEFFICIENTS], exact[TOI_SEXTIC_COEFFICIENTS];
        toi_arena_open(&arena, scratch, sizeof scratch);
        toi_sextic f = i % 2 == 0
                           ? random_small(&arena, &random)
                           : random_sextic(&arena, (int)random_int(&random, 0, 6), 300, &random);
        if (f.degree < 0)
            continue;
        int64_t bits = i % 2 == 0 ? random_int(&random, 0, 4) : random_int(&random, 0, 200);
        toi_integer from = toi_integer_from_word(&arena, toi_random_bits(&random) >> 1);
        if (bits > 63)
            from = toi_integer_shift(&arena, from, bits - 63);
        else
            from = toi_integer_from_word(&arena, toi_random_below(&random, UINT64_C(1) << bits));
        toi_open_interval interval = {
            from, toi_integer_from_word(&arena, 1 + toi_random_below(&random, 3)), bits};
        set_integer(a, interval.from);
        set_integer(w, interval.width);
        mpq_div_2exp(a, a, (mp_bitcnt_t)bits);
        mpq_div_2exp(w, w, (mp_bitcnt_t)bits);
        bernstein(&f, a, w, b);
        exact_signs(&arena, &f, &interval, exact);
        bool certain = filter_signs(&f, &interval, signs);
        filtered += certain;
        for (int k = 0; k <= f.degree; ++k) {
            assert_int_equal(exact[k], mpq_sgn(b[k]));
            assert_true(signs[k] == 0 || signs[k] == exact[k]);
            zeros += exact[k] == 0;
        }
        toi_arena_close(&arena);
    }
    for (int i = 0; i < TOI_SEXTIC_COEFFICIENTS; ++i)
        mpq_clear(b[i]);
    mpq_clears(a, w, NULL);
    assert_true(zeros > cases(20000) / 200 && filtered > cases(20000) / 200);
}

// ---- Square-free parts

// Is f a multiple of g by a number?
static bool is_multiple(toi_arena *arena, const toi_sextic *f, const toi_sextic *g)
{
    if (f->degree != g->degree)
        return false;
    for (int i = 0; i < f->degree; ++i)
        if (toi_integer_difference_of_products(arena, f->c[i], g->c[g->degree], g->c[i],
                                               f->c[f->degree])
                .size != 0)
            return false;
    return true;
}

// Products of powers of factors without common roots: q t - p, and one that has no real root.
static void square_free_parts(void **state)
{
    (void)state;
    toi_random random = {43};
    int64_t multiple = 0, simple = 0;
    static char memory[1 << 18] __attribute__((aligned(64)));
    for (int64_t i = 0; i < cases(20000); ++i) {
        toi_arena arena;
        toi_arena_open(&arena, memory, sizeof memory);
        toi_integer one = toi_integer_from_word(&arena, 1);
        toi_sextic f = {0, {random_integer(&arena, 50, &random)}}, once = {0, {one}};
        if (f.c[0].size == 0)
            continue;
        for (int k = 0; k < 4; ++k) {
            toi_sextic factor = {1, {ZERO, toi_integer_from_word(&arena, (uint64_t)(7 + k))}};
            // The root k + (1 + k) / (7 + k) is that of no other factor.
            factor.c[0] =
                toi_integer_negate(toi_integer_from_word(&arena, (uint64_t)(k * (7 + k) + 1 + k)));
            if (k == 3)
                factor = (toi_sextic){2, {one, one, toi_integer_from_word(&arena, 5)}};
            int power = (int)random_int(&random, 0, 3);
            if (power > 0 && once.degree + factor.degree <= 6 &&
                f.degree + factor.degree * power <= 6) {
                once = toi_sextic_dot(&arena, &once, &factor, 1);
                for (int times = 0; times < power; ++times)
                    f = toi_sextic_dot(&arena, &f, &factor, 1);
            }
        }
        toi_sextic part = toi_sextic_square_free(&arena, &f);
        assert_false(arena.failed);
        assert_true(is_multiple(&arena, &part, &once));
        multiple += f.degree > once.degree;
        simple += f.degree == once.degree;
        toi_arena_close(&arena);
    }
    assert_true(multiple > cases(20000) / 200 && simple > cases(20000) / 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filtered_signs),
        cmocka_unit_test(signs_over_intervals),
        cmocka_unit_test(square_free_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
