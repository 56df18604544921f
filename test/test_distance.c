// The distance functions against their exact twins in rationals.
//
// Promised: an error of a few units in the last place of the largest coordinate difference. Checked
// as 2e-15 of it, about 18 units of 2^-53.

#include "support.h"

#include "exact/exact_ccd.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOWED 2e-15

typedef struct distance_case
{
    toi_kind kind;
    toi_query points; // at t = 0
} distance_case;

// ---- Helpers

static double library_distance(const distance_case *c, double uv[2])
{
    const double(*x)[3] = c->points.start;
    return c->kind == TOI_EDGE_EDGE ? toi_edge_edge_distance(x[0], x[1], x[2], x[3], uv)
                                    : toi_point_triangle_distance(x[0], x[1], x[2], x[3], uv);
}

// The largest |difference| of two of the points along an axis, halved where it would overflow.
static double half_of_largest_difference(const distance_case *c)
{
    double largest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < 3; ++k)
                largest =
                    fmax(largest, fabs(0.5 * c->points.start[i][k] - 0.5 * c->points.start[j][k]));
    return largest;
}

// (distance - sqrt(square)) / (2 half), to about double precision.
static double relative_error(double distance, const mpq_t square, double half)
{
    mpf_t root, value;
    mpf_init2(root, 512);
    mpf_init2(value, 512);
    mpf_set_q(root, square);
    mpf_sqrt(root, root);
    mpf_set_d(value, distance);
    mpf_sub(value, value, root);
    mpf_set_d(root, half);
    mpf_mul_ui(root, root, 2);
    double error = 0;
    if (mpf_sgn(root) > 0) {
        mpf_div(value, value, root);
        error = mpf_get_d(value);
    } else if (mpf_sgn(value) != 0) {
        error = INFINITY;
    }
    mpf_clears(root, value, NULL);
    return error;
}

// |F(u, v)|^2 for the place that the library returned.
static void square_at(const distance_case *c, const double uv[2], mpq_t square)
{
    mpq_t t, u, v, f[3];
    mpq_inits(t, u, v, f[0], f[1], f[2], NULL);
    mpq_set_d(u, uv[0]);
    mpq_set_d(v, uv[1]);
    exact_value(c->kind, &c->points, t, u, v, f);
    mpq_set_ui(square, 0, 1);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(f[k], f[k], f[k]);
        mpq_add(square, square, f[k]);
    }
    mpq_clears(t, u, v, f[0], f[1], f[2], NULL);
}

static void print_case(const distance_case *c, double distance, double error)
{
    print_error("%s:", toi_kind_name(c->kind));
    for (int i = 0; i < 12; ++i)
        print_error(" %a", (&c->points.start[0][0])[i]);
    print_error("\n  distance %.17g, wrong by %.3g of the largest difference\n", distance, error);
}

typedef struct worst_case
{
    const char *name;
    double error; // of the distance, relative to the largest difference
    double place; // of the distance at (u, v) beyond the least, likewise
    int64_t count, wrong;
} worst_case;

// Compares one case; `worst` keeps what was seen.
static void check_case(const distance_case *c, worst_case *worst)
{
    double uv[2] = {NAN, NAN}, half = half_of_largest_difference(c);
    double distance = library_distance(c, uv);
    double again = library_distance(c, NULL);
    assert_memory_equal(&distance, &again, sizeof again);
    assert_true(uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1);
    if (c->kind == TOI_VERTEX_FACE)
        assert_true(uv[0] + uv[1] <= 1 + 1e-15);
    mpq_t square;
    mpq_init(square);
    exact_distance_square(c->kind, &c->points, square);
    double error = fabs(relative_error(distance, square, half));
    square_at(c, uv, square);
    double place = fabs(relative_error(distance, square, half));
    mpq_clear(square);
    // A denormal result is rounded to a multiple of the least double.
    double rounding = half > 0 ? DBL_TRUE_MIN / half : 0;
    error = fmax(error - rounding, 0);
    place = fmax(place - rounding, 0);
    worst->error = fmax(worst->error, error);
    worst->place = fmax(worst->place, place);
    ++worst->count;
    if (!(error <= ALLOWED && place <= ALLOWED) && ++worst->wrong <= 2)
        print_case(c, distance, fmax(error, place));
}

static void finish(const worst_case *worst)
{
    print_message("  %s: %lld cases, error at most %.2g, of the place %.2g\n", worst->name,
                  (long long)worst->count, worst->error, worst->place);
    if (worst->wrong > 0)
        fail_msg("%lld of %lld cases are beyond %g of the largest difference",
                 (long long)worst->wrong, (long long)worst->count, ALLOWED);
}

static void random_point(toi_random *random, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = toi_random_range(random, -1, 1);
}

static distance_case random_case(int64_t i, toi_random *random)
{
    distance_case c = {.kind = (toi_kind)(i % 2)};
    for (int p = 0; p < 4; ++p)
        random_point(random, c.points.start[p]);
    return c;
}

// x = a + s (b - a) + w
static void put_between(double x[3], const double a[3], const double b[3], double s,
                        const double w[3], double amount)
{
    for (int k = 0; k < 3; ++k)
        x[k] = a[k] + s * (b[k] - a[k]) + amount * w[k];
}

static double small_number(toi_random *random, int least_exponent)
{
    return ldexp(toi_random_range(random, 0.5, 1),
                 -(int)toi_random_below(random, (uint64_t)-least_exponent));
}

// ---- Families of cases

static void hand_cases(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0};
    const double above[3] = {0.25, 0.25, 2}, beside[3] = {-3, 0.5, 4}, on[3] = {0.5, 0.5, 0};
    double uv[2];
    assert_true(toi_point_triangle_distance(above, a, b, c, uv) == 2);
    assert_true(uv[0] == 0.25 && uv[1] == 0.25);
    assert_true(toi_point_triangle_distance(beside, a, b, c, uv) == 5);
    assert_true(uv[0] == 0 && uv[1] == 0.5);
    assert_true(toi_point_triangle_distance(on, a, b, c, NULL) == 0);
    assert_true(toi_point_triangle_distance(above, above, above, above, NULL) == 0);
    assert_true(toi_point_triangle_distance(b, a, a, a, uv) == 1);
    const double low[3] = {0.5, -1, 3}, high[3] = {0.5, 1, 3}, far[3] = {4, 0, 4};
    assert_true(toi_edge_edge_distance(a, b, low, high, uv) == 3);
    assert_true(uv[0] == 0.5 && uv[1] == 0.5);
    assert_true(toi_edge_edge_distance(a, b, far, far, uv) == 5); // 3-4-5 from the end of a
    assert_true(uv[0] == 1);
    assert_true(toi_edge_edge_distance(a, b, a, b, NULL) == 0);
    const double up0[3] = {0, 0, 1}, up1[3] = {1, 0, 1};
    assert_true(toi_edge_edge_distance(a, b, up0, up1, NULL) == 1);
    // The differences fit, the distance may not.
    const double most[3] = {DBL_MAX, 0, 0}, least[3] = {-DBL_MAX / 2, 0, 0};
    assert_true(toi_point_triangle_distance(most, a, a, a, NULL) == DBL_MAX);
    assert_true(toi_point_triangle_distance(most, least, least, least, NULL) == INFINITY);
    const double tiny[3] = {0, DBL_TRUE_MIN, 0};
    assert_true(toi_point_triangle_distance(tiny, a, a, a, NULL) == DBL_TRUE_MIN);
}

static void random_points(void **state)
{
    (void)state;
    toi_random random = {21};
    worst_case worst = {.name = "random"};
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        distance_case c = random_case(i, &random);
        check_case(&c, &worst);
    }
    finish(&worst);
}

// Edges, and sides of a triangle, at angles of 1e-3 down to 1e-12 and less; near each other or far.
static void nearly_parallel(void **state)
{
    (void)state;
    toi_random random = {22};
    worst_case worst = {.name = "nearly parallel"};
    for (int64_t i = 0; i < slow_cases(40000); ++i) {
        distance_case c = random_case(i, &random);
        double(*x)[3] = c.points.start;
        double angle = small_number(&random, -50), gap = small_number(&random, -60), w[3];
        double scale = toi_random_range(&random, -2, 2);
        if (i % 3 == 0) // equal lengths, or one short: the third side is short too
            scale = (double)toi_random_below(&random, 2) + small_number(&random, -50);
        random_point(&random, w);
        if (c.kind == TOI_EDGE_EDGE) {
            // b starts near a point of a's line and runs nearly along it.
            put_between(x[2], x[0], x[1], toi_random_range(&random, -1, 2), w, gap);
            random_point(&random, w);
            for (int k = 0; k < 3; ++k)
                x[3][k] = x[2][k] + scale * (x[1][k] - x[0][k]) + angle * w[k];
        } else {
            // A sliver, and a point near it or in it.
            put_between(x[3], x[1], x[2], scale, w, angle);
            double s = toi_random_unit(&random), r = toi_random_unit(&random), in[3];
            if (i % 5 == 0)
                s = small_number(&random, -50);
            if (i % 7 == 0)
                r = small_number(&random, -50);
            put_between(in, x[1], x[2], s, w, 0);
            random_point(&random, w);
            put_between(x[0], in, x[3], r, w, i % 4 < 2 ? 0 : gap);
        }
        check_case(&c, &worst);
    }
    finish(&worst);
}

// Points on the primitive, exactly or but for rounding: the distance is all rounding.
static void touching(void **state)
{
    (void)state;
    toi_random random = {23};
    worst_case worst = {.name = "touching"};
    const double none[3] = {0, 0, 0};
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        distance_case c = random_case(i, &random);
        double(*x)[3] = c.points.start, in[3], other[3];
        double s = toi_random_unit(&random), r = toi_random_unit(&random);
        if (i % 6 < 2)
            s = (double)toi_random_below(&random, 2);
        put_between(in, x[1], x[2], s, none, 0);
        if (c.kind == TOI_VERTEX_FACE) {
            put_between(x[0], in, x[3], r, none, 0);
        } else {
            // a runs through the point `other` of b.
            put_between(other, x[2], x[3], r, none, 0);
            for (int k = 0; k < 3; ++k)
                x[1][k] = x[0][k] + (other[k] - x[0][k]) * (1 + s);
        }
        check_case(&c, &worst);
    }
    finish(&worst);
}

static void degenerate(void **state)
{
    (void)state;
    toi_random random = {24};
    worst_case worst = {.name = "degenerate"};
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        distance_case c = random_case(i, &random);
        double(*x)[3] = c.points.start;
        const double none[3] = {0, 0, 0};
        switch (i / 2 % 6) {
        case 0: // equal points
            memcpy(x[toi_random_below(&random, 4)], x[toi_random_below(&random, 4)], sizeof x[0]);
            break;
        case 1:
            memcpy(x[1], x[0], sizeof x[0]);
            memcpy(x[3], x[2], sizeof x[0]);
            break;
        case 2:
            memcpy(x[2], x[1], sizeof x[0]);
            memcpy(x[3], x[1], sizeof x[0]);
            break;
        case 3: // exactly parallel or straight: small integers
            for (int k = 0; k < 3; ++k) {
                for (int p = 0; p < 3; ++p)
                    x[p][k] = (double)toi_random_below(&random, 9);
                x[3][k] = x[2][k] + 2 * (x[1][k] - x[c.kind == TOI_EDGE_EDGE ? 0 : 2][k]);
            }
            break;
        case 4: // straight but for rounding
            put_between(x[3], x[1], x[2], toi_random_range(&random, -2, 2), none, 0);
            break;
        default: // one edge tiny beside the other
            put_between(x[1], x[c.kind == TOI_EDGE_EDGE ? 0 : 2], x[1],
                        ldexp(1, -(int)toi_random_below(&random, 600)), none, 0);
            break;
        }
        check_case(&c, &worst);
    }
    finish(&worst);
}

// The origin costs nothing: the differences are what the bound is relative to.
static void far_from_the_origin(void **state)
{
    (void)state;
    toi_random random = {25};
    worst_case worst = {.name = "far offsets"};
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        distance_case c = random_case(i, &random);
        double offset[3], scale = ldexp(1, (int)toi_random_below(&random, 31));
        random_point(&random, offset);
        for (int p = 0; p < 4; ++p)
            for (int k = 0; k < 3; ++k)
                c.points.start[p][k] += offset[k] * scale;
        check_case(&c, &worst);
    }
    finish(&worst);
}

static void extreme_scales(void **state)
{
    (void)state;
    static const int exponents[] = {-1074, -1060, -1022, -1000, -600, -500, 500, 600, 1000, 1022};
    toi_random random = {26};
    worst_case worst = {.name = "extreme scales"};
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        distance_case c = random_case(i, &random);
        int exponent = exponents[toi_random_below(&random, 10)];
        bool mixed = toi_random_below(&random, 4) == 0;
        for (int p = 0; p < 4; ++p)
            for (int k = 0; k < 3; ++k) {
                int own = mixed ? exponents[toi_random_below(&random, 10)] : exponent;
                c.points.start[p][k] =
                    ldexp(c.points.start[p][k], exponent == 1022 ? exponent : own);
                if (exponent == -1074)
                    c.points.start[p][k] = (double)toi_random_below(&random, 9) * DBL_TRUE_MIN;
            }
        check_case(&c, &worst);
    }
    finish(&worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_cases),      cmocka_unit_test(random_points),
        cmocka_unit_test(nearly_parallel), cmocka_unit_test(touching),
        cmocka_unit_test(degenerate),      cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(extreme_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
