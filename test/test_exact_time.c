// The integers of `exact` and its certificates: times that are known by construction, checked in
// rational arithmetic (GMP); lists of contacts; the decision against the certificates and against
// the slow twin; memory that runs out.

#include "exact/trial.h"
#include "exact/twin.h"
#include "support.h"

#include "exact/decide.h"
#include "toi/exact.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Helpers

static _Alignas(64) char scratch[1 << 16];

static toi_decision decide(toi_kind kind, const toi_query *query, bool count)
{
    assert_true((int64_t)sizeof scratch >= toi_decision_scratch_bytes());
    toi_decision_def def = {
        .kind = kind, .t_max = 1, .guess = NAN, .count = count, .scratch = scratch};
    toi_decision decision;
    toi_decide(&def, query, &decision);
    return decision;
}

static toi_exact_contacts find_contacts(toi_kind kind, const toi_query *query)
{
    toi_exact_contacts contacts = {NULL, 0};
    assert_ok(toi_find_exact_contacts(kind, query, &contacts));
    return contacts;
}

static int compare(const toi_exact_time *a, const toi_exact_time *b)
{
    int order, reverse;
    assert_ok(toi_exact_time_compare(a, b, &order));
    assert_ok(toi_exact_time_compare(b, a, &reverse));
    assert_int_equal(order, -reverse);
    return order;
}

// A query whose P, E and G are given at t = 0 and at t = 1: vertex-face with f0, or edge-edge with
// b0, at the origin.
static toi_query query_from_motion(toi_kind kind, const double p[2][3], const double e[2][3],
                                   const double g[2][3])
{
    toi_query query = {0};
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            double(*x)[3] = end ? query.end : query.start;
            x[0][k] = p[end][k];
            if (kind == TOI_EDGE_EDGE)
                x[1][k] = p[end][k] + e[end][k];
            else
                x[2][k] = -e[end][k];
            x[3][k] = -g[end][k];
        }
    return query;
}

// The coefficients and the bounds of a certificate as numbers.
typedef struct number_view
{
    int degree;
    mpz_t c[4];
    mpq_t lo, hi;
} number_view;

static void take_number(char *text, mpz_t z)
{
    assert_non_null(text);
    assert_int_equal(mpz_set_str(z, text, 10), 0);
    toi_release(text);
}

static void view_time(const toi_exact_time *time, number_view *view)
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

static void clear_view(number_view *view)
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
static void check_certificate(const toi_exact_time *time)
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
        assert_int_equal(count_changes(&view), 1);
        assert_true(mpq_cmp(floor, view.lo) <= 0);
    }
    if (toi_exact_time_is_double(time))
        assert_int_equal(polynomial_sign(&view, floor), 0);
    mpz_clear(divisor);
    mpq_clear(floor);
    clear_view(&view);
}

// The certificate's time is the rational number `truth`.
static void check_rational(const toi_exact_time *time, const mpq_t truth)
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

static void check_ratio(const toi_exact_time *time, unsigned long p, unsigned long q)
{
    mpq_t truth;
    mpq_init(truth);
    mpq_set_ui(truth, p, q);
    mpq_canonicalize(truth);
    check_rational(time, truth);
    mpq_clear(truth);
}

// ---- Times that are known

// A point that falls from `height` to `-depth` onto a triangle at rest: at height / (height +
// depth).
static toi_query falling_point(double height, double depth)
{
    toi_query query = {{{1, 1, height}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                       {{1, 1, -depth}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    return query;
}

static void fall_time(double height, double depth, mpq_t time)
{
    mpq_t sum;
    mpq_init(sum);
    mpq_set_d(time, height);
    mpq_set_d(sum, depth);
    mpq_add(sum, sum, time);
    mpq_div(time, time, sum);
    mpq_clear(sum);
}

static void check_fall(double height, double depth)
{
    toi_query query = falling_point(height, depth);
    toi_exact_contacts contacts = find_contacts(TOI_VERTEX_FACE, &query);
    mpq_t truth;
    mpq_init(truth);
    fall_time(height, depth, truth);
    assert_int_equal(contacts.count, 1);
    assert_ptr_equal(contacts.data[0].from, contacts.data[0].to);
    check_rational(contacts.data[0].from, truth);
    toi_decision decision = decide(TOI_VERTEX_FACE, &query, false);
    assert_int_equal(decision.state, TOI_HIT);
    assert_true(decision.time == toi_exact_time_floor(contacts.data[0].from));
    assert_int_equal(decision.time_is_exact, toi_exact_time_is_double(contacts.data[0].from));
    toi_free_exact_contacts(&contacts);
    mpq_clear(truth);
}

// Rational times of any size, down to those below every double.
static void rational_times(void **state)
{
    (void)state;
    check_fall(1, 1);
    check_fall(1, 2);
    check_fall(1, 3);
    check_fall(DBL_TRUE_MIN, DBL_MAX);
    check_fall(DBL_TRUE_MIN, 1);
    check_fall(DBL_MAX, DBL_TRUE_MIN);
    check_fall(1, DBL_EPSILON);
    check_fall(0x1p-1000, 1);
    check_fall(0x1p-1074, 0x1p-1074);
    toi_random random = {11};
    for (int64_t i = 0; i < cases(2000); ++i) {
        int spread = i % 2 == 0 ? 8 : 1000;
        double height = ldexp(toi_random_range(&random, 0.5, 1),
                              (int)toi_random_below(&random, (uint64_t)spread) - spread / 2);
        check_fall(height, toi_random_range(&random, 0.5, 1));
    }
}

static void contact_at_the_ends_of_time(void **state)
{
    (void)state;
    toi_query at_zero = falling_point(0, 1), at_one = falling_point(1, 0);
    toi_exact_contacts first = find_contacts(TOI_VERTEX_FACE, &at_zero);
    toi_exact_contacts last = find_contacts(TOI_VERTEX_FACE, &at_one);
    assert_int_equal(first.count, 1);
    assert_int_equal(last.count, 1);
    check_ratio(first.data[0].from, 0, 1);
    check_ratio(last.data[0].from, 1, 1);
    assert_int_equal(compare(first.data[0].from, last.data[0].from), -1);
    toi_free_exact_contacts(&first);
    toi_free_exact_contacts(&last);
    toi_query above = falling_point(2, -1);
    assert_int_equal(decide(TOI_VERTEX_FACE, &above, true).contacts, 0);
    assert_int_equal(decide(TOI_VERTEX_FACE, &above, false).state, TOI_SEPARATED);
}

// P = (t, -square, 0), E = (-1, t, 0), G = (0, 0, 1 + growth t): the volume is
// (t^2 - square) (1 + growth t), and they touch at t = u = sqrt(square), v = 0. All is multiplied
// by `scale`.
static toi_query root_query(toi_kind kind, double square, double growth, double scale)
{
    const double p[2][3] = {{0, -square * scale, 0}, {scale, -square * scale, 0}};
    const double e[2][3] = {{-scale, 0, 0}, {-scale, scale, 0}};
    const double g[2][3] = {{0, 0, scale}, {0, 0, scale + growth * scale}};
    return query_from_motion(kind, p, e, g);
}

// The time is the square root of `square`.
static void check_root(const toi_exact_time *time, double square)
{
    mpq_t x, s;
    double floor = toi_exact_time_floor(time);
    mpq_inits(x, s, NULL);
    mpq_set_d(s, square);
    mpq_set_d(x, floor);
    mpq_mul(x, x, x);
    assert_true(mpq_cmp(x, s) <= 0);
    assert_int_equal(toi_exact_time_is_double(time), mpq_equal(x, s) != 0);
    mpq_set_d(x, nextafter(floor, 2));
    mpq_mul(x, x, x);
    assert_true(mpq_cmp(x, s) > 0);
    check_certificate(time);
    mpq_clears(x, s, NULL);
}

// Square roots, the same ones from queries whose polynomials differ, and neighbours that no double
// tells apart.
static void irrational_times(void **state)
{
    (void)state;
    toi_random random = {12};
    int64_t same_floor = 0;
    for (int64_t i = 0; i < cases(1000); ++i) {
        double square = i == 0 ? 0.25 : (double)(toi_random_bits(&random) >> 42) * 0x1p-22;
        double growth = i % 3 == 0 ? 0 : (double)toi_random_below(&random, 8);
        toi_kind kind = i % 2 == 0 ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
        toi_query query = root_query(kind, square, growth, 1);
        toi_query other = root_query(1 - kind, square, growth == 0 ? 3 : 0, 3);
        toi_query later = root_query(kind, square + 0x1p-60, 1, 1);
        toi_exact_contacts contacts[3] = {find_contacts(kind, &query),
                                          find_contacts(1 - kind, &other),
                                          find_contacts(kind, &later)};
        for (int k = 0; k < 3; ++k)
            assert_int_equal(contacts[k].count, 1);
        const toi_exact_time *time = contacts[0].data[0].from, *next = contacts[2].data[0].from;
        check_root(time, square);
        check_root(contacts[1].data[0].from, square);
        assert_int_equal(compare(time, contacts[1].data[0].from), 0);
        // The coordinate was rounded where the square is so large that the sum is.
        assert_int_equal(compare(time, next), square + 0x1p-60 > square ? -1 : 0);
        same_floor +=
            square + 0x1p-60 > square && toi_exact_time_floor(time) == toi_exact_time_floor(next);
        for (int k = 0; k < 3; ++k)
            toi_free_exact_contacts(&contacts[k]);
    }
    toi_query near_one = root_query(TOI_EDGE_EDGE, 1 - 0x1p-53, 0, 1);
    toi_query nearer_one = root_query(TOI_VERTEX_FACE, 1 - 0x1p-53, 5, 1);
    toi_exact_contacts a = find_contacts(TOI_EDGE_EDGE, &near_one);
    toi_exact_contacts b = find_contacts(TOI_VERTEX_FACE, &nearer_one);
    check_root(a.data[0].from, 1 - 0x1p-53);
    assert_int_equal(compare(a.data[0].from, b.data[0].from), 0);
    toi_free_exact_contacts(&a);
    toi_free_exact_contacts(&b);
    assert_true(same_floor > 0 || cases(1000) < 1000);
}

// Double and triple roots of the volume, where its sign does not tell that there is one.
static void multiple_roots(void **state)
{
    (void)state;
    const double line[2][3] = {{-1, 0, 0}, {2, 0, 0}};  // (3t - 1, 0, 0)
    const double turn[2][3] = {{1, -1, 0}, {1, 2, 0}};  // (1, 3t - 1, 0)
    const double fixed[2][3] = {{0, 0, 1}, {0, 0, 1}};  // (0, 0, 1)
    const double third[2][3] = {{0, 1, -1}, {0, 1, 2}}; // (0, 1, 3t - 1)
    const double rest[2][3] = {{0, 0, 2}, {0, 0, -1}};  // (0, 0, 2 - 3t)
    const double(*trials[3])[3] = {fixed, third, rest};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int i = 0; i < 3; ++i) {
            toi_query query = query_from_motion((toi_kind)kind, line, turn, trials[i]);
            toi_exact_contacts contacts = find_contacts((toi_kind)kind, &query);
            assert_int_equal(contacts.count, 1);
            check_ratio(contacts.data[0].from, 1, 3);
            assert_int_equal(toi_exact_time_degree(contacts.data[0].from), 1);
            toi_decision decision = decide((toi_kind)kind, &query, false);
            assert_true(decision.time == toi_exact_time_floor(contacts.data[0].from));
            assert_false(decision.time_is_exact);
            toi_free_exact_contacts(&contacts);
        }
}

// Two contacts close to each other. With L going from -s to m, P = (L + width / 2, -gap - L / 2,
// 0), E = (-width, L, 0) and G = (0, 0, 1), the volume is L^2 - gap width, and at both its roots u
// is about 1/2. At t = 1 the width may be lost to rounding, which only moves the roots.
static toi_query close_query(double s, double m, double gap, double width)
{
    toi_query query = {{{-s, s / 2, 0}, {-s - width, -s / 2, 0}, {0}, {0}},
                       {{m, -m / 2, 0}, {m - width, m / 2, 0}, {0}, {0}}};
    for (int corner = 2; corner < 4; ++corner)
        for (int end = 0; end < 2; ++end) {
            double *x = end ? query.end[corner] : query.start[corner];
            x[0] = -width / 2;
            x[1] = gap;
            x[2] = corner == 3 ? -1 : 0;
        }
    return query;
}

// The times (1 -+ 2^-half) / 3 share a floor; so do some below every double.
static void contacts_between_two_doubles(void **state)
{
    (void)state;
    mpq_t truth;
    mpq_init(truth);
    for (int half = 60; half <= 540; half += 20) {
        toi_query query = close_query(1, 2, ldexp(1, 20 - 2 * half), 0x1p-20);
        toi_exact_contacts contacts = find_contacts(TOI_EDGE_EDGE, &query);
        assert_int_equal(contacts.count, 2);
        for (int i = 0; i < 2; ++i) {
            mpz_set_ui(mpq_numref(truth), 1);
            mpz_mul_2exp(mpq_numref(truth), mpq_numref(truth), (mp_bitcnt_t)half);
            mpz_set(mpq_denref(truth), mpq_numref(truth));
            mpz_mul_ui(mpq_denref(truth), mpq_denref(truth), 3);
            if (i == 0)
                mpz_sub_ui(mpq_numref(truth), mpq_numref(truth), 1);
            else
                mpz_add_ui(mpq_numref(truth), mpq_numref(truth), 1);
            mpq_canonicalize(truth);
            check_rational(contacts.data[i].from, truth);
        }
        assert_int_equal(compare(contacts.data[0].from, contacts.data[1].from), -1);
        assert_true(toi_exact_time_floor(contacts.data[0].from) ==
                    toi_exact_time_floor(contacts.data[1].from));
        toi_free_exact_contacts(&contacts);
    }
    mpq_clear(truth);
    toi_query one = close_query(1, 2, 0, 0x1p-20);
    assert_int_equal(decide(TOI_EDGE_EDGE, &one, true).contacts, 1);
    for (int shift = 0; shift < 300; shift += 50) {
        toi_query query = close_query(0x1p-200, 0x1p1000, ldexp(1, -400 - shift), 0x1p-220);
        twin_answer truth_at_zero = twin_decide(TOI_EDGE_EDGE, &query);
        toi_decision decision = decide(TOI_EDGE_EDGE, &query, true);
        assert_int_equal(decision.state, TOI_HIT);
        assert_int_equal(decision.contacts, truth_at_zero.contacts);
        assert_true(decision.time == truth_at_zero.time && !decision.time_is_exact);
    }
}

// ---- Contacts that last

typedef struct interval
{
    unsigned long from[2], to[2]; // as ratios
} interval;

static void check_contacts(toi_kind kind, const toi_query *query, int count, const interval *truth)
{
    toi_exact_contacts contacts = find_contacts(kind, query);
    assert_int_equal(contacts.count, count);
    for (int i = 0; i < count; ++i) {
        check_ratio(contacts.data[i].from, truth[i].from[0], truth[i].from[1]);
        check_ratio(contacts.data[i].to, truth[i].to[0], truth[i].to[1]);
        bool instant = truth[i].from[0] * truth[i].to[1] == truth[i].to[0] * truth[i].from[1];
        assert_int_equal(contacts.data[i].from == contacts.data[i].to, instant);
        assert_int_equal(compare(contacts.data[i].from, contacts.data[i].to), instant ? 0 : -1);
        if (i > 0)
            assert_int_equal(compare(contacts.data[i - 1].to, contacts.data[i].from), -1);
    }
    if (kind < TOI_PAIR_KINDS)
        assert_int_equal(decide(kind, query, true).contacts, count);
    toi_free_exact_contacts(&contacts);
}

static void lasting_contacts(void **state)
{
    (void)state;
    // A point that slides over a triangle in its plane.
    toi_query slide = {{{-1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                       {{6, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    check_contacts(TOI_VERTEX_FACE, &slide, 1, &(interval){{1, 7}, {4, 7}});
    // An edge across another whose one end leaves the line at 1/6, and whose other comes at 1/3.
    toi_query apart = {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {1, -1, 0}},
                       {{0, 0, 0}, {4, 0, 0}, {1, -2, 0}, {1, 5, 0}}};
    check_contacts(TOI_EDGE_EDGE, &apart, 2, (interval[2]){{{0, 1}, {1, 6}}, {{1, 3}, {1, 1}}});
    // The same with ends that change sides at the same time.
    toi_query together = {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {1, 1, 0}},
                          {{0, 0, 0}, {4, 0, 0}, {1, -2, 0}, {1, -2, 0}}};
    check_contacts(TOI_EDGE_EDGE, &together, 1, &(interval){{1, 3}, {1, 3}});
    // Edges on one line that pass through each other.
    toi_query pass = {{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {4, 0, 0}},
                      {{0, 0, 0}, {1, 0, 0}, {-6, 0, 0}, {-5, 0, 0}}};
    check_contacts(TOI_EDGE_EDGE, &pass, 1, &(interval){{2, 9}, {4, 9}});
    // No motion.
    toi_query still = {{{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                       {{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    check_contacts(TOI_VERTEX_FACE, &still, 1, &(interval){{0, 1}, {1, 1}});
    toi_query still_apart = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                             {{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    check_contacts(TOI_VERTEX_FACE, &still_apart, 0, NULL);
}

// Points and edges, and faces that shrink to them.
static void lower_dimensions(void **state)
{
    (void)state;
    toi_query edge = {{{1, 2, 0}, {0, 0, 0}, {4, 0, 0}}, {{1, -1, 0}, {0, 0, 0}, {4, 0, 0}}};
    edge.start[3][0] = NAN; // not named by the kind
    check_contacts(TOI_POINT_EDGE, &edge, 1, &(interval){{2, 3}, {2, 3}});
    toi_query points = {{{0, 0, 0}, {5, 0, 0}}, {{7, 0, 0}, {5, 0, 0}}};
    check_contacts(TOI_POINT_POINT, &points, 1, &(interval){{5, 7}, {5, 7}});
    toi_query always = {{{1, 2, 3}, {1, 2, 3}}, {{4, 5, 7}, {4, 5, 7}}};
    check_contacts(TOI_POINT_POINT, &always, 1, &(interval){{0, 1}, {1, 1}});
    toi_query never = {{{1, 2, 3}, {1, 2, 4}}, {{4, 5, 7}, {4, 5, 9}}};
    check_contacts(TOI_POINT_POINT, &never, 0, NULL);
    // A face that is a point at 1/2 alone, where the vertex is.
    toi_query shrink = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}},
                        {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}, {1, 1, 0}}};
    check_contacts(TOI_VERTEX_FACE, &shrink, 1, &(interval){{1, 2}, {1, 2}});
}

static void bad_queries(void **state)
{
    (void)state;
    toi_query query = falling_point(1, 1);
    toi_exact_contacts contacts = {NULL, 0};
    query.end[2][1] = INFINITY;
    assert_fails(toi_find_exact_contacts(TOI_VERTEX_FACE, &query, &contacts), TOI_ERROR_DATA,
                 "coordinate y of point 2 at t = 1");
    assert_null(contacts.data);
    assert_fails(toi_find_exact_contacts(TOI_KIND_COUNT, &query, &contacts), TOI_ERROR_ARGUMENT,
                 "kind");
    toi_free_exact_contacts(&contacts);
}

// ---- Against each other, and against the twin

// Coordinates from -2 to 2; or some of them nudged, some of another size, all in a plane, on a
// line, or two points the same.
static toi_query lattice_query(toi_random *random, int64_t i)
{
    toi_query query;
    double *x = &query.start[0][0];
    for (int k = 0; k < 24; ++k)
        x[k] = (double)toi_random_below(random, 5) - 2;
    if (i % 4 == 1)
        nudge_query(&query, 2, random);
    if (i % 4 == 2)
        x[toi_random_below(random, 24)] *= ldexp(1, (int)toi_random_below(random, 120) - 60);
    int shape = (int)toi_random_below(random, 8);
    for (int k = 0; k < 24; ++k)
        if ((shape == 0 && k % 3 == 2) || (shape == 1 && k % 3 != 0))
            x[k] = 0;
    if (shape == 2)
        memcpy(query.end, query.start, sizeof query.end);
    if (shape == 3) {
        memcpy(query.start[1], query.start[3], sizeof query.start[1]);
        memcpy(query.end[1], query.end[3], sizeof query.end[1]);
    }
    return query;
}

static void check_agreement(toi_kind kind, const toi_query *query,
                            const toi_exact_contacts *contacts)
{
    toi_decision first = decide(kind, query, false), all = decide(kind, query, true);
    const toi_exact_time *time = contacts->count > 0 ? contacts->data[0].from : NULL;
    bool agree = first.state == (time ? TOI_HIT : TOI_SEPARATED) && all.state == first.state &&
                 first.time == (time ? toi_exact_time_floor(time) : INFINITY) &&
                 all.time == first.time && all.contacts == contacts->count &&
                 first.time_is_exact == (time && toi_exact_time_is_double(time)) &&
                 all.time_is_exact == first.time_is_exact;
    if (!agree) {
        print_query(kind, query);
        fail_msg("decided %d at %a, counted %d from %a, %lld certificates", first.state, first.time,
                 all.contacts, all.time, (long long)contacts->count);
    }
}

static void decisions_agree_with_certificates(void **state)
{
    (void)state;
    toi_random random = {13};
    int64_t hits = 0, several = 0, lasting = 0;
    for (int64_t i = 0; i < cases(100000); ++i) {
        toi_kind kind = (toi_kind)(i / 2 % TOI_PAIR_KINDS);
        toi_query query = lattice_query(&random, i);
        toi_exact_contacts contacts = find_contacts(kind, &query);
        check_agreement(kind, &query, &contacts);
        for (int64_t k = 0; k < contacts.count; ++k) {
            check_certificate(contacts.data[k].from);
            check_certificate(contacts.data[k].to);
            assert_true(k == 0 || compare(contacts.data[k - 1].to, contacts.data[k].from) < 0);
            lasting += contacts.data[k].from != contacts.data[k].to;
        }
        hits += contacts.count > 0;
        several += contacts.count > 1;
        toi_free_exact_contacts(&contacts);
    }
    print_message("  %lld hits, %lld with several contacts, %lld contacts that last\n",
                  (long long)hits, (long long)several, (long long)lasting);
    assert_true(hits > 100 && several > 10 && lasting > 10);
}

static void decisions_agree_with_the_twin(void **state)
{
    (void)state;
    toi_random random = {14};
    for (int64_t i = 0; i < cases(10000); ++i) {
        toi_kind kind = (toi_kind)(i / 2 % TOI_PAIR_KINDS);
        toi_query query = lattice_query(&random, i);
        twin_answer truth = twin_decide(kind, &query);
        double t_max = toi_random_below(&random, 2) == 0 && truth.touches
                           ? truth.time
                           : toi_random_unit(&random);
        toi_decision_def def = {
            .kind = kind,
            .t_max = t_max,
            .guess = toi_random_below(&random, 2) == 0 ? NAN : toi_random_range(&random, -0.5, 1.5),
            .count = i % 3 == 0,
            .scratch = scratch};
        toi_decision decision;
        toi_decide(&def, &query, &decision);
        bool hit = truth.touches && truth.time <= t_max;
        if (decision.state != (hit ? TOI_HIT : TOI_SEPARATED) ||
            decision.time != (hit ? truth.time : INFINITY) ||
            decision.time_is_exact != (hit && truth.time_is_exact) ||
            decision.contacts != (def.count ? truth.contacts : 0)) {
            print_query(kind, &query);
            fail_msg("t_max %a: %d at %a, %d contacts; the truth is %a, %d contacts", t_max,
                     decision.state, decision.time, decision.contacts, truth.time, truth.contacts);
        }
    }
}

// The order of times of falling points is the order of the rationals.
static void order_of_times(void **state)
{
    (void)state;
    enum
    {
        TIMES = 60
    };
    toi_random random = {15};
    toi_exact_contacts contacts[TIMES];
    mpq_t truth[TIMES];
    for (int i = 0; i < TIMES; ++i) {
        double height = (double)(1 + toi_random_below(&random, 5));
        double depth = (double)(1 + toi_random_below(&random, 5));
        if (i % 3 == 0)
            depth = nextafter(depth, 0);
        if (i % 5 == 0)
            height = ldexp(height, -300);
        toi_query query = falling_point(height, depth);
        contacts[i] = find_contacts(TOI_VERTEX_FACE, &query);
        mpq_init(truth[i]);
        fall_time(height, depth, truth[i]);
    }
    for (int i = 0; i < TIMES; ++i)
        for (int k = 0; k < TIMES; ++k) {
            int order = mpq_cmp(truth[i], truth[k]);
            assert_int_equal(compare(contacts[i].data[0].from, contacts[k].data[0].from),
                             (order > 0) - (order < 0));
        }
    for (int i = 0; i < TIMES; ++i) {
        toi_free_exact_contacts(&contacts[i]);
        mpq_clear(truth[i]);
    }
}

// ---- Memory

typedef struct counting_hooks
{
    int64_t allowed; // how many more allocations succeed
    int64_t taken;
} counting_hooks;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counting_hooks *hooks = user;
    ++hooks->taken;
    if (hooks->allowed-- <= 0)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static toi_hooks hooks_of(counting_hooks *user)
{
    return (toi_hooks){.user = user, .allocate = counted_allocate, .release = counted_release};
}

static toi_query wild_query(toi_random *random)
{
    toi_query query;
    for (int k = 0; k < 24; ++k)
        (&query.start[0][0])[k] =
            ldexp(toi_random_range(random, -1, 1), (int)toi_random_below(random, 2090) - 1070);
    return query;
}

// What a certificate tells needs memory too, and says so.
static void check_without_memory(const toi_exact_time *time, counting_hooks *user)
{
    char *lo, *hi;
    int64_t bits;
    int order = 7;
    for (int64_t allowed = 0; allowed < 2; ++allowed) {
        *user = (counting_hooks){.allowed = allowed};
        assert_int_equal(toi_exact_time_bounds(time, &lo, &hi, &bits), TOI_ERROR_MEMORY);
        assert_null(lo);
        assert_null(hi);
    }
    *user = (counting_hooks){.allowed = 0};
    assert_null(toi_exact_time_coefficient(time, 0));
    toi_status status = toi_exact_time_compare(time, time, &order);
    assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
    assert_int_equal(order, 0);
    *user = (counting_hooks){.allowed = INT64_MAX};
}

// Ordinary coordinates need no heap, wild ones do; if there is none, the query stays undecided, and
// whatever allocation fails nothing else goes wrong.
static void heap_only_where_needed(void **state)
{
    (void)state;
    toi_random random = {16};
    counting_hooks user = {.allowed = INT64_MAX};
    toi_hooks hooks = hooks_of(&user);
    toi_set_hooks(&hooks);
    for (int64_t i = 0; i < cases(2000); ++i) {
        toi_query query = lattice_query(&random, 0);
        if (i % 2 == 0)
            for (int k = 0; k < 24; ++k)
                (&query.start[0][0])[k] =
                    ldexp(toi_random_range(&random, -1, 1), (int)toi_random_below(&random, 10));
        decide((toi_kind)(i / 2 % TOI_PAIR_KINDS), &query, i % 3 == 0);
    }
    assert_int_equal(user.taken, 0);
    int64_t needed = 0, undecided = 0;
    for (int64_t i = 0; i < cases(300); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = wild_query(&random);
        user = (counting_hooks){.allowed = INT64_MAX};
        toi_decision truth = decide(kind, &query, i % 2 == 0);
        assert_int_not_equal(truth.state, TOI_UNDECIDED);
        int64_t blocks = user.taken;
        needed += blocks > 0;
        for (int64_t allowed = 0; allowed < blocks; ++allowed) {
            user = (counting_hooks){.allowed = allowed};
            toi_decision decision = decide(kind, &query, i % 2 == 0);
            assert_int_equal(decision.state, TOI_UNDECIDED);
            assert_true(decision.time == 0 && decision.contacts == 0 && !decision.time_is_exact);
            ++undecided;
        }
        toi_exact_contacts contacts;
        for (int64_t allowed = 0;; ++allowed) {
            user = (counting_hooks){.allowed = allowed};
            toi_status status = toi_find_exact_contacts(kind, &query, &contacts);
            if (status == TOI_OK)
                break;
            assert_int_equal(status, TOI_ERROR_MEMORY);
            assert_null(contacts.data);
        }
        assert_int_equal(contacts.count > 0, truth.state == TOI_HIT);
        if (contacts.count > 0)
            check_without_memory(contacts.data[0].from, &user);
        toi_free_exact_contacts(&contacts);
    }
    toi_set_hooks(NULL);
    assert_true(needed > 0 && undecided > 0);
}

// Certificates from wild coordinates: well formed, and in order with each other.
static void wild_certificates(void **state)
{
    (void)state;
    toi_random random = {17};
    int64_t found = 0;
    toi_exact_contacts last = {NULL, 0};
    for (int64_t i = 0; i < cases(400); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = wild_query(&random);
        toi_exact_contacts contacts = find_contacts(kind, &query);
        check_agreement(kind, &query, &contacts);
        if (contacts.count == 0)
            continue;
        ++found;
        check_certificate(contacts.data[0].from);
        if (last.count > 0) {
            double a = toi_exact_time_floor(last.data[0].from);
            double b = toi_exact_time_floor(contacts.data[0].from);
            int order = compare(last.data[0].from, contacts.data[0].from);
            assert_true(a == b || order == (a < b ? -1 : 1));
        }
        toi_free_exact_contacts(&last);
        last = contacts;
    }
    toi_free_exact_contacts(&last);
    assert_true(found > 0);
}

int main(void)
{
    use_threads_for_sanitizer();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_times),
        cmocka_unit_test(contact_at_the_ends_of_time),
        cmocka_unit_test(irrational_times),
        cmocka_unit_test(multiple_roots),
        cmocka_unit_test(contacts_between_two_doubles),
        cmocka_unit_test(lasting_contacts),
        cmocka_unit_test(lower_dimensions),
        cmocka_unit_test(bad_queries),
        cmocka_unit_test(decisions_agree_with_certificates),
        cmocka_unit_test(decisions_agree_with_the_twin),
        cmocka_unit_test(order_of_times),
        cmocka_unit_test(heap_only_where_needed),
        cmocka_unit_test(wild_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
