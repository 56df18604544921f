// What is decided about two faces before exact arithmetic: the bounds of orientations and of
// directions, recomputed in exact arithmetic (docs/overlap.md, "Signs" and "Directions").
//
// Looks inside: the stage is compiled into this file, in single precision or, where
// TOI_TEST_DOUBLE is defined, in double. test_overlap_stages.c holds the stages against the twin.

#define TOI_ISA bounds
#ifdef TOI_TEST_DOUBLE
#include "overlap/signs_isa.c"
#else
#include "overlap/directions_isa.c"
#endif

#include "support.h"
#include "toi/random.h"

#include <gmp.h>
#include <stdlib.h>

// Six corners in the table, and how far off they are.
typedef struct sample
{
    toi_number x[6][3];
    int off[6][3];       // in parts of the error: true corners are x + off error / PARTS
    toi_number error;    // of a coordinate, in single precision
    toi_number along[3]; // a direction
} sample;

enum
{
    PARTS = 16,
#ifdef TOI_TEST_DOUBLE
    FRACTION = 1100 // bits after the point of a coordinate as an integer
#else
    FRACTION = 240
#endif
};

// ---- True corners and orientations, as integers

typedef struct exact_corners
{
    mpz_t x[6][3], d[3][3], product, sum, error;
} exact_corners;

static void open_corners(exact_corners *e)
{
    for (int i = 0; i < 18; ++i)
        mpz_init(e->x[i / 3][i % 3]);
    for (int i = 0; i < 9; ++i)
        mpz_init(e->d[i / 3][i % 3]);
    mpz_inits(e->product, e->sum, e->error, NULL);
}

static void close_corners(exact_corners *e)
{
    for (int i = 0; i < 18; ++i)
        mpz_clear(e->x[i / 3][i % 3]);
    for (int i = 0; i < 9; ++i)
        mpz_clear(e->d[i / 3][i % 3]);
    mpz_clears(e->product, e->sum, e->error, NULL);
}

// x 2^bits, which is an integer.
static void set_scaled(mpz_t out, double x, int bits)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    mpz_set_d(out, ldexp(mantissa, 53));
    exponent += bits - 53;
    if (exponent >= 0)
        mpz_mul_2exp(out, out, (mp_bitcnt_t)exponent);
    else {
        assert_true(mpz_sgn(out) == 0 || mpz_scan1(out, 0) >= (mp_bitcnt_t)-exponent);
        mpz_tdiv_q_2exp(out, out, (mp_bitcnt_t)-exponent);
    }
}

// In double precision coordinates are off by half the least number where scaling lost digits.
static void take_corners(const sample *s, exact_corners *e)
{
#ifdef TOI_TEST_DOUBLE
    mpz_set_ui(e->error, 1);
    mpz_mul_2exp(e->error, e->error, FRACTION - 1075);
#else
    set_scaled(e->error, s->error, FRACTION);
#endif
    mpz_tdiv_q_2exp(e->error, e->error, 4); // PARTS
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) {
            set_scaled(e->x[i][k], s->x[i][k], FRACTION);
            mpz_mul_si(e->product, e->error, s->off[i][k]);
            mpz_add(e->x[i][k], e->x[i][k], e->product);
        }
}

// The determinant of the differences of three corners from a fourth, in e->sum.
static void take_determinant(exact_corners *e, int from, int p, int q, int r)
{
    const int to[3] = {p, q, r};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            mpz_sub(e->d[i][k], e->x[to[i]][k], e->x[from][k]);
    mpz_set_ui(e->sum, 0);
    for (int k = 0; k < 3; ++k)
        for (int way = 1; way <= 2; ++way) {
            mpz_mul(e->product, e->d[0][k], e->d[1][(k + way) % 3]);
            mpz_mul(e->product, e->product, e->d[2][(k + 2 * way) % 3]);
            (way == 1 ? mpz_add : mpz_sub)(e->sum, e->sum, e->product);
        }
}

// |value - e->sum| / bound, where e->sum is scaled by 2^bits.
static double ratio_of(exact_corners *e, double value, double bound, int bits)
{
    long exponent;
    set_scaled(e->product, value, bits + 1100); // values may be tiny
    mpz_mul_2exp(e->sum, e->sum, 1100);
    mpz_sub(e->sum, e->sum, e->product);
    double error = fabs(mpz_get_d_2exp(&exponent, e->sum));
    int shift;
    bound = frexp(bound, &shift);
    return ldexp(error / bound, (int)exponent - bits - 1100 - shift);
}

// ---- Orientations

static void spread_differences(const sample *s, toi_real p[TOI_FACE_DIFFERENCES][3])
{
    toi_real x[2][3][3];
    for (int i = 0; i < 18; ++i)
        x[i / 9][i / 3 % 3][i % 3] = TOI_SPREAD(s->x[i / 3][i % 3]);
    toi_take_differences(x, p);
}

// The greatest error of the fifteen, as a share of the bound.
static double orientation_ratio(const sample *s, exact_corners *e)
{
    toi_real p[TOI_FACE_DIFFERENCES][3], error = TOI_SPREAD(s->error);
    toi_orientations o;
    spread_differences(s, p);
    toi_real bound = toi_orientation_bound(p, &error);
    toi_take_orientations(p, &o);
    take_corners(s, e);
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        int quarter = i > 0 ? 2 : 0; // bits
        take_determinant(e, i, 3, 4, 5);
        worst = fmax(worst, ratio_of(e, o.side[0][i][0], bound[0], 3 * FRACTION + quarter));
        take_determinant(e, 0, 1, 2, 3 + i);
        worst = fmax(worst, ratio_of(e, o.side[1][i][0], bound[0], 3 * FRACTION));
        quarter = i == 1 ? 2 : 0;
        for (int j = 0; j < 3; ++j) {
            take_determinant(e, i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3);
            worst = fmax(worst, ratio_of(e, o.turn[i][j][0], bound[0], 3 * FRACTION + quarter));
        }
    }
    return worst;
}

// ---- Directions

#ifndef TOI_TEST_DOUBLE
// The true least gap along the direction, in e->sum, scaled by 2^(2 FRACTION).
static void take_gap(const sample *s, exact_corners *e)
{
    mpz_t *low = &e->d[0][0], *high = &e->d[0][1], *at = &e->d[0][2], *factor = &e->d[1][0];
    for (int i = 0; i < 6; ++i) {
        mpz_set_ui(*at, 0);
        for (int k = 0; k < 3; ++k) {
            set_scaled(*factor, s->along[k], FRACTION);
            mpz_addmul(*at, *factor, e->x[i][k]);
        }
        if (i < 3 && (i == 0 || mpz_cmp(*at, *low) < 0))
            mpz_set(*low, *at);
        if (i >= 3 && (i == 3 || mpz_cmp(*at, *high) > 0))
            mpz_set(*high, *at);
    }
    mpz_sub(e->sum, *low, *high);
}

// What the filter computes for this.
static double computed_gap(toi_real p[TOI_FACE_DIFFERENCES][3], const toi_real d[3])
{
    toi_real low = TOI_SPREAD(0), high = toi_dot(d, p[2]);
    for (int i = 0; i < 2; ++i)
        low = toi_min(toi_dot(d, p[i]), low);
    for (int i = 3; i < TOI_FACE_DIFFERENCES; ++i)
        high = toi_max(toi_dot(d, p[i]), high);
    toi_real gap = low - high;
    return gap[0];
}

static double direction_ratio(const sample *s, exact_corners *e)
{
    toi_real p[TOI_FACE_DIFFERENCES][3], error = TOI_SPREAD(s->error), slack[3], d[3];
    spread_differences(s, p);
    toi_face_slack(p, &error, slack);
    for (int k = 0; k < 3; ++k)
        d[k] = TOI_SPREAD(s->along[k]);
    toi_real wrong = toi_face_wrong(slack, d);
    take_corners(s, e);
    take_gap(s, e);
    return ratio_of(e, computed_gap(p, d), wrong[0], 2 * FRACTION);
}
#endif

// ---- Climbing to the worst

typedef double ratio_fn(const sample *s, exact_corners *e);

// Corners of very different sizes on the axes, near the origin or not. At most 1 in size.
static sample random_sample(toi_random *random)
{
    static const int errors[] = {-200, -25, -26, -40, -60};
#ifdef TOI_TEST_DOUBLE
    static const int sizes[] = {0, 1, 10, 300, 1000};
#else
    static const int sizes[] = {0, 1, 10, 20, 120};
#endif
    sample s = {0};
    int error = errors[toi_random_below(random, 5)];
    s.error = sizeof(toi_number) == sizeof(double) || error == -200
                  ? 0
                  : (toi_number)ldexp(1 + toi_random_unit(random), error);
    for (int k = 0; k < 3; ++k) {
        int size = sizes[toi_random_below(random, 5)];
        double middle = toi_random_below(random, 2) ? toi_random_range(random, -0.5, 0.5) : 0;
        for (int i = 0; i < 6; ++i) {
            s.x[i][k] = (toi_number)(middle + ldexp(toi_random_range(random, -0.5, 0.5), -size));
            s.off[i][k] = (int)toi_random_below(random, 2 * PARTS + 1) - PARTS;
        }
        s.along[k] = (toi_number)toi_random_range(random, -1, 1);
    }
    return s;
}

static toi_number change_number(toi_number x, toi_random *random)
{
    double y = x;
    switch (toi_random_below(random, 4)) {
    case 0: // by some units of its last place
        y *= 1 + toi_random_range(random, -8, 8) * TOI_UNIT;
        break;
    case 1:
        y *= 1 + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 24));
        break;
    case 2:
        y *= toi_random_range(random, -2, 2);
        break;
    default:
        y = toi_random_range(random, -1, 1);
    }
    return (toi_number)fmin(fmax(y, -1), 1);
}

static sample change_sample(const sample *old, toi_random *random)
{
    sample s = *old;
    for (int n = (int)toi_random_below(random, 3); n >= 0; --n) {
        int i = (int)toi_random_below(random, 6), k = (int)toi_random_below(random, 3);
        switch (toi_random_below(random, 4)) {
        case 0:
            s.off[i][k] = toi_random_below(random, 2) ? PARTS : -PARTS;
            break;
        case 1: // as another corner, or opposite: sizes that are used to the full
            s.x[i][k] = s.x[toi_random_below(random, 6)][k];
            s.x[i][k] = toi_random_below(random, 2) ? s.x[i][k] : -s.x[i][k];
            break;
        case 2:
            s.along[k] = change_number(s.along[k], random);
            break;
        default:
            s.x[i][k] = change_number(s.x[i][k], random);
        }
    }
    return s;
}

// The bound holds, and is not so wide that a quarter of it would hold as well: a constant that is
// lost or a rounding that is forgotten is seen.
static void climb(const char *what, ratio_fn *ratio, bool rounding_only)
{
    toi_random random = {731};
    exact_corners e;
    open_corners(&e);
    double worst = 0;
    for (int64_t start = 0; start < cases(60); ++start) {
        sample best = random_sample(&random);
        if (rounding_only)
            best.error = 0;
        double height = ratio(&best, &e);
        for (int step = 0; step < 1500; ++step) {
            sample next = change_sample(&best, &random);
            double r = ratio(&next, &e);
            if (r >= height) {
                height = r;
                best = next;
            }
        }
        worst = fmax(worst, height);
    }
    close_corners(&e);
    print_message("  %s%s: error at most %.3f of the bound\n", what,
                  rounding_only ? ", rounding alone" : "", worst);
    assert_true(worst <= 1);
    if (!getenv("TOI_SANITIZED")) // else the search is no search
        assert_true(worst > 0.25);
}

static void orientations_stay_within_their_bound(void **state)
{
    (void)state;
    climb("orientations", orientation_ratio, true);
#ifndef TOI_TEST_DOUBLE
    climb("orientations", orientation_ratio, false);
#endif
}

#ifndef TOI_TEST_DOUBLE
static void gaps_stay_within_their_slack(void **state)
{
    (void)state;
    climb("gaps", direction_ratio, true);
    climb("gaps", direction_ratio, false);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_stay_within_their_bound),
#ifndef TOI_TEST_DOUBLE
        cmocka_unit_test(gaps_stay_within_their_slack),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
