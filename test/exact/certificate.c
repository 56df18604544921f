// Checks certificates of times in rational arithmetic.

#include "exact/certificate.h"

#include "support.h"

#include <math.h>

_Alignas(64) char scratch[SCRATCH_BYTES];

toi_decision decide_query(toi_kind kind, const toi_query *query, bool count)
{
    assert_true((int64_t)sizeof scratch >= toi_decision_scratch_bytes());
    toi_decision_def def = {
        .kind = kind, .t_max = 1, .guess = NAN, .count = count, .scratch = scratch};
    toi_decision decision;
    toi_decide(&def, query, &decision);
    return decision;
}

toi_exact_contacts find_contacts(toi_kind kind, const toi_query *query)
{
    toi_exact_contacts contacts = {NULL, 0};
    assert_ok(toi_find_exact_contacts(kind, query, &contacts));
    return contacts;
}

int compare_times(const toi_exact_time *a, const toi_exact_time *b)
{
    int order, reverse;
    assert_ok(toi_exact_time_compare(a, b, &order));
    assert_ok(toi_exact_time_compare(b, a, &reverse));
    assert_int_equal(order, -reverse);
    return order;
}

static void take_number(char *text, mpz_t z)
{
    assert_non_null(text);
    assert_int_equal(mpz_set_str(z, text, 10), 0);
    toi_release(text);
}

void view_time(const toi_exact_time *time, number_view *view)
{
    char *lo, *hi;
    int64_t bits;
    view->degree = toi_exact_time_degree(time);
    assert_in_range(view->degree, 1, 3);
    for (int i = 0; i < 4; ++i) {
        mpz_init(view->c[i]);
        if (i <= view->degree)
            take_number(toi_exact_time_coefficient(time, i), view->c[i]);
    }
    assert_null(toi_exact_time_coefficient(time, view->degree + 1));
    assert_null(toi_exact_time_coefficient(time, -1));
    assert_ok(toi_exact_time_bounds(time, &lo, &hi, &bits));
    mpq_inits(view->lo, view->hi, NULL);
    take_number(lo, mpq_numref(view->lo));
    take_number(hi, mpq_numref(view->hi));
    mpz_setbit(mpq_denref(view->lo), (mp_bitcnt_t)bits);
    mpz_setbit(mpq_denref(view->hi), (mp_bitcnt_t)bits);
    if (bits > 0) {
        mpz_clrbit(mpq_denref(view->lo), 0);
        mpz_clrbit(mpq_denref(view->hi), 0);
    }
    mpq_canonicalize(view->lo);
    mpq_canonicalize(view->hi);
}

void clear_view(number_view *view)
{
    for (int i = 0; i < 4; ++i)
        mpz_clear(view->c[i]);
    mpq_clears(view->lo, view->hi, NULL);
}

// The sign of the certificate's polynomial at t.
static int polynomial_sign(const number_view *view, const mpq_t t)
{
    mpq_t sum, c;
    mpq_inits(sum, c, NULL);
    for (int i = view->degree; i >= 0; --i) {
        mpq_mul(sum, sum, t);
        mpq_set_z(c, view->c[i]);
        mpq_add(sum, sum, c);
    }
    int sign = mpq_sgn(sum);
    mpq_clears(sum, c, NULL);
    return sign;
}

// The discriminant's sign: 0 where the polynomial is not square-free.
static int discriminant_sign(const number_view *view)
{
    const mpz_t *c = view->c;
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    if (view->degree == 1) {
        mpz_set_ui(sum, 1);
    } else if (view->degree == 2) {
        mpz_mul(sum, c[1], c[1]);
        mpz_mul(term, c[0], c[2]);
        mpz_submul_ui(sum, term, 4);
    } else {
        // 18 abcd - 4 b^3 d + b^2 c^2 - 4 a c^3 - 27 a^2 d^2 of a t^3 + b t^2 + c t + d.
        static const struct
        {
            int factor, a, b, c, d;
        } terms[5] = {{18, 1, 1, 1, 1},
                      {-4, 0, 3, 0, 1},
                      {1, 0, 2, 2, 0},
                      {-4, 1, 0, 3, 0},
                      {-27, 2, 0, 0, 2}};
        for (int i = 0; i < 5; ++i) {
            int powers[4] = {terms[i].d, terms[i].c, terms[i].b, terms[i].a};
            mpz_set_si(term, terms[i].factor);
            for (int k = 0; k < 4; ++k)
                for (int n = 0; n < powers[k]; ++n)
                    mpz_mul(term, term, c[k]);
            mpz_add(sum, sum, term);
        }
    }
    int sign = mpz_sgn(sum);
    mpz_clears(sum, term, NULL);
    return sign;
}

// How often the signs of the polynomial's Bernstein coefficients over the bounds change: once is
// one root between them. They are those of x^i in f((lo + hi x) / (1 + x)) (1 + x)^degree.
static int count_changes(const number_view *view)
{
    mpq_t b[4], term[4], factor;
    int changes = 0, last = 0;
    mpq_init(factor);
    for (int i = 0; i < 4; ++i)
        mpq_inits(b[i], term[i], NULL);
    for (int power = 0; power <= view->degree; ++power) {
        for (int i = 1; i < 4; ++i)
            mpq_set_ui(term[i], 0, 1);
        mpq_set_z(term[0], view->c[power]);
        for (int n = 0; n < view->degree; ++n) // times lo + hi x, or 1 + x
            for (int i = 3; i >= 0; --i) {
                if (n < power)
                    mpq_mul(term[i], term[i], view->lo);
                if (i > 0) {
                    mpq_set(factor, term[i - 1]);
                    if (n < power)
                        mpq_mul(factor, factor, view->hi);
                    mpq_add(term[i], term[i], factor);
                }
            }
        for (int i = 0; i < 4; ++i)
            mpq_add(b[i], b[i], term[i]);
    }
    for (int i = 0; i <= view->degree; ++i) {
        int sign = mpq_sgn(b[i]);
        changes += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    for (int i = 0; i < 4; ++i)
        mpq_clears(b[i], term[i], NULL);
    mpq_clear(factor);
    return changes;
}

// What a certificate promises of itself.
void check_certificate(const toi_exact_time *time)
{
    number_view view;
    mpz_t divisor;
    mpq_t floor;
    view_time(time, &view);
    mpz_init(divisor);
    mpq_init(floor);
    for (int i = 0; i <= view.degree; ++i)
        mpz_gcd(divisor, divisor, view.c[i]);
    assert_int_equal(mpz_cmp_ui(divisor, 1), 0);
    assert_int_not_equal(discriminant_sign(&view), 0);
    assert_true(mpq_sgn(view.lo) >= 0 && mpq_cmp_ui(view.hi, 1, 1) <= 0);
    mpq_set_d(floor, toi_exact_time_floor(time));
    if (mpq_equal(view.lo, view.hi)) {
        assert_int_equal(polynomial_sign(&view, view.lo), 0);
    } else {
        assert_true(mpq_cmp(view.lo, view.hi) < 0);
        assert_int_equal(polynomial_sign(&view, view.lo) * polynomial_sign(&view, view.hi), -1);
        // More changes may come from a complex pair nearby; a cubic has one if its discriminant is
        // negative, and without one the changes are as many as the roots.
        assert_true(count_changes(&view) == 1 || discriminant_sign(&view) < 0);
        assert_true(mpq_cmp(floor, view.lo) <= 0);
    }
    if (toi_exact_time_is_double(time))
        assert_int_equal(polynomial_sign(&view, floor), 0);
    mpz_clear(divisor);
    mpq_clear(floor);
    clear_view(&view);
}

// The certificate's time is the rational number `truth`.
void check_rational(const toi_exact_time *time, const mpq_t truth)
{
    mpq_t x;
    number_view view;
    double floor = toi_exact_time_floor(time);
    mpq_init(x);
    mpq_set_d(x, floor);
    int order = mpq_cmp(x, truth);
    assert_true(order <= 0);
    assert_int_equal(toi_exact_time_is_double(time), order == 0);
    assert_int_equal(toi_exact_time_compare_double(time, floor), order == 0 ? 0 : 1);
    double next = nextafter(floor, 2);
    mpq_set_d(x, next);
    assert_true(mpq_cmp(x, truth) > 0);
    assert_int_equal(toi_exact_time_compare_double(time, next), -1);
    assert_int_equal(toi_exact_time_compare_double(time, -INFINITY), 1);
    view_time(time, &view);
    assert_int_equal(polynomial_sign(&view, truth), 0);
    if (mpq_equal(view.lo, view.hi))
        assert_true(mpq_equal(view.lo, truth));
    else
        assert_true(mpq_cmp(view.lo, truth) < 0 && mpq_cmp(truth, view.hi) < 0);
    check_certificate(time);
    clear_view(&view);
    mpq_clear(x);
}

void check_ratio(const toi_exact_time *time, unsigned long p, unsigned long q)
{
    mpq_t truth;
    mpq_init(truth);
    mpq_set_ui(truth, p, q);
    mpq_canonicalize(truth);
    check_rational(time, truth);
    mpq_clear(truth);
}
