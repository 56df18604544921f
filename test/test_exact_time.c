// Certificates of times that are known by construction, and lists of contacts.

#include "exact/certificate.h"
#include "exact/trial.h"
#include "exact/twin.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    toi_decision decision = decide_query(TOI_VERTEX_FACE, &query, false);
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
    assert_int_equal(compare_times(first.data[0].from, last.data[0].from), -1);
    toi_free_exact_contacts(&first);
    toi_free_exact_contacts(&last);
    toi_query above = falling_point(2, -1);
    assert_int_equal(decide_query(TOI_VERTEX_FACE, &above, true).contacts, 0);
    assert_int_equal(decide_query(TOI_VERTEX_FACE, &above, false).state, TOI_SEPARATED);
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
        assert_int_equal(compare_times(time, contacts[1].data[0].from), 0);
        // The coordinate was rounded where the square is so large that the sum is.
        assert_int_equal(compare_times(time, next), square + 0x1p-60 > square ? -1 : 0);
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
    assert_int_equal(compare_times(a.data[0].from, b.data[0].from), 0);
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
            toi_decision decision = decide_query((toi_kind)kind, &query, false);
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
        assert_int_equal(compare_times(contacts.data[0].from, contacts.data[1].from), -1);
        assert_true(toi_exact_time_floor(contacts.data[0].from) ==
                    toi_exact_time_floor(contacts.data[1].from));
        toi_free_exact_contacts(&contacts);
    }
    mpq_clear(truth);
    toi_query one = close_query(1, 2, 0, 0x1p-20);
    assert_int_equal(decide_query(TOI_EDGE_EDGE, &one, true).contacts, 1);
    for (int shift = 0; shift < 300; shift += 50) {
        toi_query query = close_query(0x1p-200, 0x1p1000, ldexp(1, -400 - shift), 0x1p-220);
        twin_answer truth_at_zero = twin_decide(TOI_EDGE_EDGE, &query);
        toi_decision decision = decide_query(TOI_EDGE_EDGE, &query, true);
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
        assert_int_equal(compare_times(contacts.data[i].from, contacts.data[i].to),
                         instant ? 0 : -1);
        if (i > 0)
            assert_int_equal(compare_times(contacts.data[i - 1].to, contacts.data[i].from), -1);
    }
    if (kind < TOI_PAIR_KINDS)
        assert_int_equal(decide_query(kind, query, true).contacts, count);
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

// ---- Order

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
            assert_int_equal(compare_times(contacts[i].data[0].from, contacts[k].data[0].from),
                             (order > 0) - (order < 0));
        }
    for (int i = 0; i < TIMES; ++i) {
        toi_free_exact_contacts(&contacts[i]);
        mpq_clear(truth[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_times),
        cmocka_unit_test(contact_at_the_ends_of_time),
        cmocka_unit_test(irrational_times),
        cmocka_unit_test(multiple_roots),
        cmocka_unit_test(contacts_between_two_doubles),
        cmocka_unit_test(lasting_contacts),
        cmocka_unit_test(lower_dimensions),
        cmocka_unit_test(bad_queries),
        cmocka_unit_test(order_of_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
