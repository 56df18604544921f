// The bounds behind the last bit with a separation, recomputed in rationals: what rounding and the
// passing of time do to vectors, products and slopes, and the errors of doubled numbers. The stage
// as a whole is in test_apart_time.c.

#include "kernel/apart_time.h"
#include "narrow/apart.h"

#include "exact/near_figure.h"
#include "exact/trial.h"

#include <stdlib.h>

// ---- Samples

typedef struct sample
{
    toi_kind kind;
    toi_nearness nearness;
    toi_query query;
    double t, other, separation; // `other` is a second time
} sample;

// A sample as the library prepares it, and without a rounding.
typedef struct subject
{
    const sample *s;
    toi_apart apart;
    toi_near_frame frame;
    figure figure;
    feature_polynomials features;
    polynomial work, slope;
    mpq_t t, x, y;
} subject;

static void subject_init(subject *x)
{
    figure_init(&x->figure);
    features_init(&x->features);
    polynomial_init(&x->work);
    polynomial_init(&x->slope);
    mpq_inits(x->t, x->x, x->y, NULL);
}

static void subject_clear(subject *x)
{
    figure_clear(&x->figure);
    features_clear(&x->features);
    polynomial_clear(&x->work);
    polynomial_clear(&x->slope);
    mpq_clears(x->t, x->x, x->y, NULL);
}

static void prepare(const sample *s, subject *x)
{
    static const int features[] = {0, TOI_FIRST_SIDE, TOI_INSIDE_FEATURE}; // no corner renamed
    double points[2][4][3];
    memcpy(points[0], s->query.start, sizeof points[0]);
    memcpy(points[1], s->query.end, sizeof points[1]);
    x->s = s;
    toi_take_apart(s->kind == TOI_EDGE_EDGE, points, &x->apart);
    toi_take_near_frame(s->nearness, &x->apart.near, &s->t, &x->frame);
    figure_take(&x->figure, s->kind, &s->query, x->apart.scale);
    features_take(&x->features, &x->figure, s->kind, features[s->nearness]);
}

// Coordinates of one size or of many, smooth or not, near the origin or far off; flat figures.
static sample random_sample(int64_t n, toi_random *random)
{
    static const int spreads[] = {0, 0, 0, 8, 60, 500};
    sample s = {.kind = (toi_kind)(n % TOI_PAIR_KINDS),
                .nearness = (toi_nearness)(n / TOI_PAIR_KINDS % TOI_NEARNESSES)};
    double *x = &s.query.start[0][0];
    int spread = spreads[toi_random_below(random, 6)];
    double offset = toi_random_below(random, 3) == 0 ? 1000 : 0;
    double motion = ldexp(1, -(int)toi_random_below(random, 12));
    bool flat = toi_random_below(random, 4) == 0;
    for (int i = 0; i < 24; ++i) {
        int less = (int)toi_random_below(random, (uint64_t)spread + 1);
        x[i] = ldexp(toi_random_range(random, -1, 1), -less) + offset;
        if (i >= 12 && spread == 0)
            x[i] = x[i - 12] + motion * toi_random_range(random, -1, 1);
        if (flat && i % 3 == 2)
            x[i] *= 0x1p-20;
    }
    s.t = toi_random_unit(random);
    s.other = s.t + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 60));
    s.other = fmin(fmax(s.other, 0), 1);
    s.separation = ldexp(toi_random_unit(random), -(int)toi_random_below(random, 30));
    return s;
}

static void change(double *x, double least, double most, toi_random *random)
{
    double y = *x;
    switch (toi_random_below(random, 3)) {
    case 0:
        y = nextafter(y, toi_random_below(random, 2) ? INFINITY : -INFINITY);
        break;
    case 1:
        y *= 1 + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 52));
        break;
    default:
        y *= toi_random_range(random, 0.5, 1.5);
    }
    *x = fmin(fmax(y, least), most);
}

static sample change_sample(const sample *old, toi_random *random)
{
    sample s = *old;
    for (int n = (int)toi_random_below(random, 3); n >= 0; --n)
        change(&s.query.start[0][0] + toi_random_below(random, 24), -0x1p20, 0x1p20, random);
    if (toi_random_below(random, 2))
        change(&s.t, 0, 1, random);
    if (toi_random_below(random, 2))
        change(&s.other, 0, 1, random);
    return s;
}

// An error over what is allowed.
typedef double measure_fn(subject *x);

// Climbs from random samples towards the worst case.
static double worst_ratio(measure_fn *measure, uint64_t seed)
{
    toi_random random = {seed};
    subject x;
    subject_init(&x);
    double worst = 0;
    for (int64_t start = 0; start < slow_cases(18); ++start) {
        sample best = random_sample(start, &random);
        double ratio = -1;
        for (int step = 0; step <= 500; ++step) {
            sample next = step == 0 ? best : change_sample(&best, &random);
            prepare(&next, &x);
            double r = measure(&x);
            if (r >= ratio) {
                ratio = r;
                best = next;
            }
        }
        worst = fmax(worst, ratio);
    }
    subject_clear(&x);
    return worst;
}

// Prints and checks a ratio; `least` says that the search came near enough to mean something.
static void check_ratio(const char *what, measure_fn *measure, uint64_t seed, double least)
{
    double ratio = worst_ratio(measure, seed);
    print_message("  %s: at most %.3f of what is allowed\n", what, ratio);
    assert_true(ratio <= 1);
    if (!getenv("TOI_SANITIZED"))
        assert_true(ratio > least);
}

// |value - polynomial(t)|.
static double error_at(subject *x, const polynomial *p, double t, double value)
{
    mpq_set_d(x->t, t);
    polynomial_at(p, x->t, x->x);
    mpq_set_d(x->y, value);
    mpq_sub(x->x, x->x, x->y);
    return fabs(mpq_get_d(x->x));
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// ---- Vectors and products

// P, E and G and their slopes, at the frame's time: 32 u are allowed, of which `rounding` says how
// much they are; the drift adds what time does.
static double vector_ratio(subject *x)
{
    double worst = 0, e[3], s[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[k] = error_at(x, &x->figure.v[i][k], x->s->t, x->frame.v[i].x[k]);
            polynomial_slope(&x->figure.v[i][k], &x->slope);
            s[k] = error_at(x, &x->slope, 0, x->frame.slope[i].x[k]);
        }
        worst = fmax(worst, fmax(length(e), length(s)) / x->frame.rounding[i]);
    }
    return worst;
}

static double drift_ratio(subject *x)
{
    double worst = 0, e[3], drift[3], radius = fabs(x->s->other - x->s->t);
    toi_near_drift(&x->frame, &radius, drift);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            e[k] = error_at(x, &x->figure.v[i][k], x->s->other, x->frame.v[i].x[k]);
        worst = fmax(worst, length(e) / drift[i]);
    }
    return worst;
}

// The first condition of a corner, P.E > 0: a dot product at another time.
static double dot_ratio(subject *x)
{
    double drift[3], radius = fabs(x->s->other - x->s->t);
    const toi_near_vector *v = x->frame.v;
    if (x->s->nearness != TOI_NEAR_CORNER)
        return 0;
    toi_near_drift(&x->frame, &radius, drift);
    double error = error_at(x, &x->features.condition[0], x->s->other, toi_dot(v[0].x, v[1].x));
    return error / toi_near_spread(v[0].norm, drift[0], v[1].norm, drift[1]);
}

// The last condition of a side, a dot product of cross products.
static double beyond_ratio(subject *x)
{
    double d[3], radius = fabs(x->s->other - x->s->t);
    const toi_near_vector *v = x->frame.v;
    if (x->s->nearness != TOI_NEAR_SIDE)
        return 0;
    toi_near_drift(&x->frame, &radius, d);
    toi_near_vector across;
    toi_near_cross(&v[2], &v[1], &across);
    double error =
        error_at(x, &x->features.condition[2], x->s->other, toi_dot(x->frame.product.x, across.x));
    return error / toi_near_spread(x->frame.product.norm,
                                   toi_near_spread(v[0].norm, d[0], v[1].norm, d[1]), across.norm,
                                   toi_near_spread(v[2].norm, d[2], v[1].norm, d[1]));
}

static void vectors_keep_their_bounds(void **state)
{
    (void)state;
    check_ratio("P, E, G and their slopes", vector_ratio, 1, 0.05);
    check_ratio("their drift", drift_ratio, 2, 0.5);
    check_ratio("dot products", dot_ratio, 3, 0.3);
    check_ratio("dot products of cross products", beyond_ratio, 4, 0.1);
}

// ---- Slopes

static double slope_error(subject *x, double time, double radius)
{
    double square = x->s->separation * x->s->separation;
    polynomial_excess(&x->features, x->s->separation, &x->work);
    polynomial_slope(&x->work, &x->slope);
    double half = toi_near_half_slope(x->s->nearness, &x->frame, &square);
    double allowed = toi_near_slope_change(x->s->nearness, &x->frame, &square, &radius);
    return error_at(x, &x->slope, time, 2 * half) / 2 / allowed;
}

static double slope_ratio(subject *x)
{
    return slope_error(x, x->s->t, 0);
}

static double slope_change_ratio(subject *x)
{
    return slope_error(x, x->s->other, fabs(x->s->other - x->s->t));
}

static void slopes_keep_their_bounds(void **state)
{
    (void)state;
    check_ratio("slopes", slope_ratio, 5, 0.02);
    check_ratio("slopes at another time", slope_change_ratio, 6, 0.5);
}

// ---- Doubled numbers

static double doubled_error(subject *x, const polynomial *p, double t, toi_doubled value)
{
    mpq_set_d(x->t, t);
    polynomial_at(p, x->t, x->x);
    mpq_set_d(x->y, value.high);
    mpq_sub(x->x, x->x, x->y);
    mpq_set_d(x->y, value.low);
    mpq_sub(x->x, x->x, x->y);
    return fabs(mpq_get_d(x->x));
}

static double parts_ratio(subject *x, const double *t)
{
    toi_apart_parts r;
    toi_take_apart_parts(x->s->nearness, &x->apart, t, &r);
    double num = doubled_error(x, &x->features.num, t ? *t : 0, r.num) / r.num_error;
    if (x->s->nearness == TOI_NEAR_CORNER)
        return num;
    return fmax(num, doubled_error(x, &x->features.den, t ? *t : 0, r.den) / r.den_error);
}

static double start_parts_ratio(subject *x)
{
    return parts_ratio(x, NULL);
}

static double later_parts_ratio(subject *x)
{
    return parts_ratio(x, &x->s->t);
}

static void doubled_parts_keep_their_bounds(void **state)
{
    (void)state;
    check_ratio("squared distances at the start", start_parts_ratio, 7, 0.001);
    check_ratio("squared distances later", later_parts_ratio, 8, 0.01);
}

// ---- Roots

// f at t + shift + error, exactly.
static void excess_at(subject *x, double t, double shift, double error, mpq_t value)
{
    mpq_set_d(x->t, t);
    mpq_set_d(x->y, shift);
    mpq_add(x->t, x->t, x->y);
    mpq_set_d(x->y, error);
    mpq_add(x->t, x->t, x->y);
    polynomial_at(&x->work, x->t, value);
}

// How far the root is from t + shift, over its bound: by the signs of f, and where it is between
// them. The separation is the distance at `other`, so that there is a root.
static double root_error(subject *x, double t)
{
    const double lo = fmin(t, x->s->other);
    mpq_set_d(x->t, x->s->other);
    polynomial_at(&x->features.num, x->t, x->x);
    double separation = mpq_get_d(x->x);
    polynomial_at(&x->features.den, x->t, x->x);
    separation = sqrt(separation / mpq_get_d(x->x));
    if (!(separation >= 0x1p-200 && separation <= 4))
        return 0;
    toi_near_frame frame;
    toi_apart_root r = {.t = t};
    double shift, error;
    toi_take_near_frame(x->s->nearness, &x->apart.near, &t, &frame);
    toi_take_apart_root(x->s->nearness, &x->apart, &separation, &lo, &frame, &r);
    if (!toi_apart_falls(&r) || !(r.spread < 0x1p-6))
        return 0;
    toi_bound_apart_root(&r, &shift, &error);
    polynomial_excess(&x->features, separation, &x->work);
    mpq_t before, after;
    mpq_inits(before, after, NULL);
    excess_at(x, t, shift, -error, before);
    excess_at(x, t, shift, error, after);
    double ratio = mpq_sgn(before) < 0 || mpq_sgn(after) > 0 ? 2 : 0;
    mpq_sub(after, before, after);
    if (ratio == 0 && mpq_sgn(after) > 0) {
        mpq_div(before, before, after);
        ratio = fabs(2 * mpq_get_d(before) - 1);
    }
    mpq_clears(before, after, NULL);
    return ratio;
}

// From a time at some distance, where what the slope changes matters; and from one as near as
// double precision comes, where the errors of the parts do.
static double far_root_ratio(subject *x)
{
    return root_error(x, x->s->t);
}

static double near_root_ratio(subject *x)
{
    return root_error(x, x->s->other);
}

static void roots_keep_their_bounds(void **state)
{
    (void)state;
    check_ratio("roots from afar", far_root_ratio, 9, 0.03);
    check_ratio("roots close by", near_root_ratio, 10, 0.001);
}

// Of every exponent, with few and with many bits: never below the root, at most 1.061 of it.
static void roots_are_above_by_little(void **state)
{
    (void)state;
    toi_random random = {95};
    double least = INFINITY, most = 0;
    mpq_t root, number;
    mpq_inits(root, number, NULL);
    for (int exponent = -1020; exponent < 1020; ++exponent)
        for (int n = 0; n < 64; ++n) {
            double bits = n < 4    ? (n & 1) * 0x1p-52 * (n + 1)
                          : n < 8  ? 1 - 0x1p-53 * (2 * n - 7)
                          : n < 40 ? (double)(toi_random_bits(&random) >> 12) * 0x1p-52
                                   : (n - 40) / 24.0;
            double square = ldexp(1 + bits, exponent), above = toi_root_above(square);
            mpq_set_d(number, square);
            mpq_set_d(root, above);
            mpq_mul(root, root, root);
            assert_true(mpq_cmp(root, number) >= 0);
            mpq_div(root, root, number);
            least = fmin(least, sqrt(mpq_get_d(root)));
            most = fmax(most, sqrt(mpq_get_d(root)));
        }
    mpq_clears(root, number, NULL);
    print_message("  %.9f to %.9f of the root\n", least, most);
    assert_true(least < 1 + 0x1p-40 && most > 1.06 && most < 1.061);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_keep_their_bounds), cmocka_unit_test(slopes_keep_their_bounds),
        cmocka_unit_test(doubled_parts_keep_their_bounds),
        cmocka_unit_test(roots_keep_their_bounds), cmocka_unit_test(roots_are_above_by_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
