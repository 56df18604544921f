// Decisions with a separation in whole numbers: cases with known answers, distances before and
// after the time in rational arithmetic, and where memory runs out.

#include "exact/apart.h"

#include "exact/adversary.h"
#include "exact/certificate.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "support.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static toi_apart_decision decide(toi_kind kind, const toi_query *query, double separation)
{
    toi_apart_decision decision;
    toi_apart_def def = {
        .kind = kind, .min_separation = separation, .t_max = 1, .guess = NAN, .scratch = scratch};
    toi_decide_apart(&def, query, &decision);
    return decision;
}

static toi_initial_distance distance_of(toi_kind kind, const toi_query *query)
{
    toi_initial_distance distance;
    toi_floor_distance(&(toi_apart_def){.kind = kind, .scratch = scratch}, query, &distance);
    return distance;
}

// ---- Cases with known answers

// A point that moves from a to b, and a triangle that rests: the right one at the origin.
static toi_query falling_point(double ax, double ay, double az, double bx, double by, double bz)
{
    toi_query query = {.start = {{ax, ay, az}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                       .end = {{bx, by, bz}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    return query;
}

// The same with all corners at the origin.
static toi_query passing_point(double ax, double ay, double az, double bx, double by, double bz)
{
    toi_query query = {.start = {{ax, ay, az}}, .end = {{bx, by, bz}}};
    return query;
}

static void expect(toi_kind kind, toi_query query, double separation, double time, bool is_exact)
{
    toi_apart_decision d = decide(kind, &query, separation);
    if (d.state != (isinf(time) ? TOI_SEPARATED : TOI_HIT) || d.time != time ||
        d.time_is_exact != is_exact || d.separation != separation) {
        print_query(kind, &query);
        fail_msg("separation %a: %d at %a (exact: %d), not %a", separation, d.state, d.time,
                 d.time_is_exact, time);
    }
}

// Above the inside, beside a side, beside a corner; with the separation equal to the distance at
// the start, to the least distance, and a last place off it.
static void known_times(void **state)
{
    (void)state;
    toi_kind vf = TOI_VERTEX_FACE;
    expect(vf, falling_point(0.25, 0.25, 1, 0.25, 0.25, -1), 0.25, 0.375, true);
    expect(vf, falling_point(0.25, 0.25, 1, 0.25, 0.25, -1), 1, 0, true);
    expect(vf, falling_point(0.25, 0.25, 1, 0.25, 0.25, -1), nextafter(1, 0), 0x1p-54, true);
    expect(vf, falling_point(0.25, 0.25, 1, 0.25, 0.25, 0.5), 0.5, 1, true);
    expect(vf, falling_point(0.25, 0.25, 1, 0.25, 0.25, 0.5), nextafter(0.5, 0), INFINITY, false);
    expect(vf, falling_point(0.5, -3, 4, 0.5, 3, -4), 1.25, 0.375, true);
    expect(vf, falling_point(-6, 0, 8, 0, 0, 0), 5, 0.5, true);
    expect(vf, falling_point(-3, -4, 12, -3, -4, -12), 13, 0, true);
    // The closest point is on the border of two faces at that time.
    expect(vf, falling_point(0, 0, 2, 0, 0, -1), 1, 1.0 / 3, false);
    expect(vf, falling_point(0.5, 0.5, 2, 0.5, 0.5, 0), 1, 0.5, true);
    expect(vf, falling_point(0.5, 0, 2, 0.5, 0, -1), 1, 1.0 / 3, false);
}

// The distance falls to the separation and rises again.
static void tangency(void **state)
{
    (void)state;
    toi_kind vf = TOI_VERTEX_FACE;
    expect(vf, passing_point(-1, 1, 0, 1, 1, 0), 1, 0.5, true);
    expect(vf, passing_point(-1, 1, 0, 2, 1, 0), 1, 1.0 / 3, false);
    expect(vf, passing_point(-1, 1, 0, 2, 1, 0), nextafter(1, 0), INFINITY, false);
    expect(vf, falling_point(0.5, -1, -2, 0.5, -1, 5), 1, 2.0 / 7, false);
    expect(vf, falling_point(0.5, -1, -2, 0.5, -1, 5), nextafter(1, 0), INFINITY, false);
    // An edge that turns below another one, over its middle at t = 1/3.
    toi_query turning = {.start = {{-1, 0, 0}, {1, 0, 0}, {-1, -2, 1}, {-1, 2, 1}},
                         .end = {{-1, 0, 0}, {1, 0, 0}, {2, -2, 1}, {2, 2, 1}}};
    turning.start[2][2] = turning.start[3][2] = 2;
    turning.end[2][2] = turning.end[3][2] = -1;
    expect(TOI_EDGE_EDGE, turning, 1, 1.0 / 3, false);
}

static void parallel_edges(void **state)
{
    (void)state;
    toi_query query = {.start = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}},
                       .end = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}, {1, 0, -1}}};
    expect(TOI_EDGE_EDGE, query, 0.25, 0.375, true);
    for (int k = 2; k < 4; ++k) // beyond the end
        query.start[k][0] = query.end[k][0] = k;
    expect(TOI_EDGE_EDGE, query, 1.25, 0.125, true);
    expect(TOI_EDGE_EDGE, query, nextafter(1, 0), INFINITY, false);
    // Parallel at t = 1/3 alone.
    toi_query turning = {.start = {{-1, 0, 0}, {1, 0, 0}, {-1, -1, 2}, {1, 1, 2}},
                         .end = {{-1, 0, 0}, {1, 0, 0}, {-1, 2, 1}, {1, -2, 1}}};
    expect(TOI_EDGE_EDGE, turning, 1.25, 0.75, true);
    expect(TOI_EDGE_EDGE, turning, 5.0 / 3, 2 - 5.0 / 3, true);
    turning.end[2][2] = turning.end[3][2] = -1;
    expect(TOI_EDGE_EDGE, turning, 1, 1.0 / 3, false);
}

// A triangle that shrinks to a point at t = 1/3 and grows again, turned round; its plane passes the
// separation there, or later.
static void collapsing_triangle(void **state)
{
    (void)state;
    toi_query query = {.start = {{0, 0, 2}, {-4, -4, 0}, {8, -4, 0}, {-4, 8, 0}},
                       .end = {{0, 0, 1}, {8, 8, 0}, {-16, 8, 0}, {8, -16, 0}}};
    expect(TOI_VERTEX_FACE, query, 1.25, 0.75, true);
    query.end[0][2] = -1;
    expect(TOI_VERTEX_FACE, query, 1, 1.0 / 3, false);
    memcpy(query.end[3], query.end[2], sizeof query.end[3]); // to a line at the end
    expect(TOI_VERTEX_FACE, query, 1, 1.0 / 3, false);
}

// The plane's polynomial has a multiple root before the time, so that its sign was turned round in
// the middle of the search.
static void multiple_roots(void **state)
{
    (void)state;
    toi_query query = {.start = {{-15, 17, -36}, {36, 19, -15}, {-36, 29, 15}, {24, 22, -10}},
                       .end = {{10, 29, 24}, {-36, 46, 15}, {-24, -2, 10}, {-36, -51, 15}}};
    expect(TOI_VERTEX_FACE, query, 13, 0x1.9999999999999p-2, false);
}

static void no_motion(void **state)
{
    (void)state;
    toi_query apart = falling_point(-3, -4, 0, -3, -4, 0), same = {.start = {{0}}};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        expect((toi_kind)kind, same, 1, 0, true);
        expect((toi_kind)kind, same, 0x1p-1074, 0, true);
        expect((toi_kind)kind, same, 0, 0, true);
    }
    expect(TOI_VERTEX_FACE, apart, 5, 0, true);
    expect(TOI_VERTEX_FACE, apart, nextafter(5, 0), INFINITY, false);
    assert_true(decide(TOI_VERTEX_FACE, &apart, 5).starts_inside);
    assert_false(decide(TOI_VERTEX_FACE, &apart, 4).starts_inside);
}

// Both ends of the doubles: multiples of the least one, and the largest.
static void sizes(void **state)
{
    (void)state;
    double d = 0x1p-1074, h = 0x1p1023;
    toi_kind vf = TOI_VERTEX_FACE;
    expect(vf, passing_point(0, 0, 8 * d, 0, 0, 0), d, 0.875, true);
    expect(vf, passing_point(0, 0, 3 * d, 0, 0, 0), d, 2.0 / 3, false);
    expect(vf, passing_point(-d, d, 0, 2 * d, d, 0), d, 1.0 / 3, false);
    expect(vf, passing_point(0, 0, h, 0, 0, -h), h, 0, true);
    expect(vf, passing_point(0, 0, h, 0, 0, 0), h / 2, 0.5, true);
    // The first time is 2^-2097, below all doubles but 0; the floor of a time just before 1.
    expect(vf, passing_point(0, 0, h, 0, 0, 0), nextafter(h, 0), 0x1p-53, true);
    expect(vf, passing_point(0, 0, h, 0, 0, 0), d, nextafter(1, 0), false);
    toi_query far = passing_point(0, 0, 2 * d, 0, 0, -h);
    expect(vf, far, d, 0, false);
    toi_query farthest = passing_point(h, h, h, 0, 0, 0);
    for (int i = 1; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            farthest.start[i][k] = farthest.end[i][k] = -h;
    toi_initial_distance distance = distance_of(vf, &farthest);
    assert_true(distance.floor == DBL_MAX && !distance.is_exact);
}

// ---- In rational arithmetic

typedef struct rational_vector
{
    mpq_t x[3];
} rational_vector;

enum
{
    VECTORS = 8,
    NUMBERS = 12
};

static rational_vector r[VECTORS]; // 0 to 3: the figure's corners
static mpq_t n[NUMBERS];

static int open_rationals(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; ++i)
        mpq_inits(r[i].x[0], r[i].x[1], r[i].x[2], NULL);
    for (int i = 0; i < NUMBERS; ++i)
        mpq_init(n[i]);
    return 0;
}

static int close_rationals(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; ++i)
        mpq_clears(r[i].x[0], r[i].x[1], r[i].x[2], NULL);
    for (int i = 0; i < NUMBERS; ++i)
        mpq_clear(n[i]);
    return 0;
}

static void dot(mpq_t sum, const rational_vector *a, const rational_vector *b)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(sum, 0, 1);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a->x[k], b->x[k]);
        mpq_add(sum, sum, product);
    }
    mpq_clear(product);
}

static void subtract(rational_vector *d, const rational_vector *a, const rational_vector *b)
{
    for (int k = 0; k < 3; ++k)
        mpq_sub(d->x[k], a->x[k], b->x[k]);
}

// a + u b.
static void move(rational_vector *sum, const rational_vector *a, const mpq_t u,
                 const rational_vector *b)
{
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, u, b->x[k]);
        mpq_add(sum->x[k], a->x[k], product);
    }
    mpq_clear(product);
}

static void keep_least(mpq_t least, const rational_vector *a)
{
    dot(n[0], a, a);
    if (mpq_cmp(n[0], least) < 0)
        mpq_set(least, n[0]);
}

// From a to b: the closest point is where the parameter, cut to [0, 1], is.
static void segment(mpq_t least, const rational_vector *a, const rational_vector *b)
{
    subtract(&r[4], b, a);
    dot(n[1], &r[4], &r[4]);
    dot(n[2], a, &r[4]);
    mpq_neg(n[2], n[2]);
    if (mpq_sgn(n[2]) < 0)
        mpq_set_ui(n[2], 0, 1);
    if (mpq_cmp(n[2], n[1]) > 0)
        mpq_set(n[2], n[1]);
    if (mpq_sgn(n[1]) > 0)
        mpq_div(n[2], n[2], n[1]);
    move(&r[5], a, n[2], &r[4]);
    keep_least(least, &r[5]);
}

// a + u (b - a) + v (c - a), by the normal equations.
static void inside(mpq_t least, const rational_vector *a, const rational_vector *b,
                   const rational_vector *c, bool is_triangle)
{
    subtract(&r[4], b, a);
    subtract(&r[5], c, a);
    dot(n[1], &r[4], &r[4]);
    dot(n[2], &r[4], &r[5]);
    dot(n[3], &r[5], &r[5]);
    dot(n[4], a, &r[4]);
    dot(n[5], a, &r[5]);
    mpq_mul(n[6], n[1], n[3]);
    mpq_mul(n[7], n[2], n[2]);
    mpq_sub(n[6], n[6], n[7]);
    if (mpq_sgn(n[6]) == 0)
        return;
    mpq_mul(n[7], n[5], n[2]);
    mpq_mul(n[8], n[4], n[3]);
    mpq_sub(n[7], n[7], n[8]);
    mpq_div(n[7], n[7], n[6]); // u
    mpq_mul(n[8], n[4], n[2]);
    mpq_mul(n[9], n[5], n[1]);
    mpq_sub(n[8], n[8], n[9]);
    mpq_div(n[8], n[8], n[6]); // v
    mpq_add(n[9], n[7], n[8]);
    bool within = mpq_sgn(n[7]) >= 0 && mpq_sgn(n[8]) >= 0 &&
                  (is_triangle ? mpq_cmp_ui(n[9], 1, 1) <= 0
                               : mpq_cmp_ui(n[7], 1, 1) <= 0 && mpq_cmp_ui(n[8], 1, 1) <= 0);
    if (!within)
        return;
    move(&r[6], a, n[7], &r[4]);
    move(&r[6], &r[6], n[8], &r[5]);
    keep_least(least, &r[6]);
}

static void set_corner(const toi_query *query, int i, int j, const mpq_t t, rational_vector *corner)
{
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(n[0], query->start[i][k]);
        mpq_set_d(n[1], query->start[j][k]);
        mpq_sub(n[0], n[0], n[1]);
        mpq_set_d(n[1], query->end[i][k]);
        mpq_set_d(n[2], query->end[j][k]);
        mpq_sub(n[1], n[1], n[2]);
        mpq_sub(n[1], n[1], n[0]);
        mpq_mul(n[1], n[1], t);
        mpq_add(corner->x[k], n[0], n[1]);
    }
}

// The squared distance at t.
static void square_distance(mpq_t least, toi_kind kind, const toi_query *query, const mpq_t t)
{
    static const int corners[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}},
                                         {{0, 2}, {1, 2}, {1, 3}, {0, 3}}};
    int count = kind == TOI_VERTEX_FACE ? 3 : 4;
    for (int i = 0; i < count; ++i)
        set_corner(query, corners[kind == TOI_EDGE_EDGE][i][0],
                   corners[kind == TOI_EDGE_EDGE][i][1], t, &r[i]);
    dot(least, &r[0], &r[0]);
    for (int i = 0; i < count; ++i)
        segment(least, &r[i], &r[(i + 1) % count]);
    inside(least, &r[0], &r[1], &r[count - 1], count == 3);
}

// The sign of the distance at `time` less the separation; about by how much the squares differ.
static int compare_distance(toi_kind kind, const toi_query *query, double time, double separation,
                            double *excess)
{
    mpq_t t, least, square;
    mpq_inits(t, least, square, NULL);
    mpq_set_d(t, time);
    square_distance(least, kind, query, t);
    mpq_set_d(square, separation);
    mpq_mul(square, square, square);
    mpq_sub(least, least, square);
    int sign = mpq_sgn(least);
    *excess = mpq_get_d(least);
    mpq_clears(t, least, square, NULL);
    return sign;
}

// Looks for a time before `end` at which the distance is at most the separation: at samples, then
// by thirds around the least of them. NaN: none found.
static double search_near(toi_kind kind, const toi_query *query, double separation, double end,
                          bool from_zero)
{
    enum
    {
        SAMPLES = 24
    };
    double least = INFINITY, best = 0, excess, begin = from_zero ? 0 : nextafter(end, 0);
    for (int i = 0; i < SAMPLES; ++i) {
        double t = begin + (end - begin) * i / SAMPLES;
        if (t < end && compare_distance(kind, query, t, separation, &excess) <= 0)
            return t;
        if (excess < least) {
            least = excess;
            best = t;
        }
    }
    double lo = fmax(best - end / SAMPLES, 0), hi = fmin(best + end / SAMPLES, nextafter(end, 0));
    for (int i = 0; i < 24 && lo < hi; ++i) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3, other;
        if (compare_distance(kind, query, a, separation, &excess) <= 0)
            return a;
        if (compare_distance(kind, query, b, separation, &other) <= 0)
            return b;
        if (excess < other)
            hi = b;
        else
            lo = a;
    }
    return NAN;
}

typedef struct tally
{
    int64_t hits, separated, exact, unproved;
} tally;

// The distance exceeds the separation at the time, unless that is exact, and before it; and it is
// reached before the next double. The last is not proved if the distance rises again before that.
static void check_time(toi_kind kind, const toi_query *query, const toi_apart_decision *d,
                       tally *count)
{
    double excess, s = d->separation;
    bool hit = d->state == TOI_HIT;
    double early = search_near(kind, query, s, hit ? d->time : nextafter(1, 2), true);
    int at_time = hit ? compare_distance(kind, query, d->time, s, &excess) : 1;
    if (!isnan(early) || (at_time <= 0) != d->time_is_exact) {
        print_query(kind, query);
        fail_msg("separation %a: %d at %a (exact: %d), but near at %a", s, d->state, d->time,
                 d->time_is_exact, early);
    }
    count->hits += hit;
    count->separated += !hit;
    count->exact += d->time_is_exact;
    if (hit && !d->time_is_exact &&
        compare_distance(kind, query, nextafter(d->time, 2), s, &excess) > 0)
        ++count->unproved;
}

static toi_query random_query(toi_kind kind, int64_t i, toi_random *random)
{
    toi_query query = make_hard_query((hard_family)(i % HARD_FAMILIES), kind, random);
    if (i % 7 == 0) { // raised from an edge or a point
        memcpy(query.start[3], query.start[2], sizeof query.start[3]);
        memcpy(query.end[3], query.end[2], sizeof query.end[3]);
    }
    if (i % 21 == 0) {
        memcpy(query.start[1], query.start[2], sizeof query.start[1]);
        memcpy(query.end[1], query.end[2], sizeof query.end[1]);
    }
    return query;
}

// Of the distance at the start or at the end, or a small number.
static double random_separation(toi_kind kind, const toi_query *query, toi_random *random)
{
    toi_query back = *query;
    memcpy(back.start, query->end, sizeof back.start);
    double at_end = distance_of(kind, &back).floor, at_start = distance_of(kind, query).floor;
    switch (toi_random_below(random, 5)) {
    case 0:
        return at_end;
    case 1:
        return at_start * toi_random_unit(random);
    case 2:
        return at_start * 0x1p-20;
    case 3:
        return fmin(at_start, at_end) * 0.75;
    default:
        return ldexp((double)(1 + toi_random_below(random, 4)), -1);
    }
}

static void times_hold_in_rationals(void **state)
{
    (void)state;
    toi_random random = {31};
    tally count = {0};
    for (int64_t i = 0; i < cases(600); ++i) {
        toi_kind kind = (toi_kind)(i / 3 % TOI_PAIR_KINDS);
        toi_query query = random_query(kind, i, &random);
        double separation = random_separation(kind, &query, &random);
        toi_apart_decision d = decide(kind, &query, separation);
        check_time(kind, &query, &d, &count);
    }
    print_message("  %lld hits, %lld exact, %lld not proved by the next double; %lld separated\n",
                  (long long)count.hits, (long long)count.exact, (long long)count.unproved,
                  (long long)count.separated);
    int64_t few = cases(600) / 60;
    assert_true(count.exact > few && count.separated > few && count.hits > 10 * count.unproved);
}

// The floor of the distance at the start, squared, is not above the square of the distance, and
// that of the next double is.
static void floors_of_distances(void **state)
{
    (void)state;
    toi_random random = {32};
    int64_t exact = 0, inexact = 0;
    for (int64_t i = 0; i < cases(3000); ++i) {
        toi_kind kind = (toi_kind)(i / 3 % TOI_PAIR_KINDS);
        toi_query query = i % 50 == 49 ? make_mixed_query(&random) : random_query(kind, i, &random);
        toi_initial_distance distance = distance_of(kind, &query);
        double excess;
        int order = compare_distance(kind, &query, 0, distance.floor, &excess);
        assert_true(order >= 0 && distance.is_exact == (order == 0));
        assert_int_equal(distance.state,
                         distance.floor == 0 && order == 0 ? TOI_HIT : TOI_SEPARATED);
        double next = nextafter(distance.floor, INFINITY);
        assert_true(isinf(next) || compare_distance(kind, &query, 0, next, &excess) < 0);
        exact += distance.is_exact;
        inexact += !distance.is_exact;
    }
    assert_true(exact > cases(3000) / 30 && inexact > cases(3000) / 30);
}

// ---- Against itself and its neighbours

static void check_same(toi_kind kind, const toi_query *query, const toi_apart_decision *a,
                       const toi_apart_decision *b)
{
    if (a->state != b->state || a->time != b->time || a->time_is_exact != b->time_is_exact ||
        a->starts_inside != b->starts_inside) {
        print_query(kind, query);
        fail_msg("separation %a: %d at %a, and %d at %a", a->separation, a->state, a->time,
                 b->state, b->time);
    }
}

// Neither a guess nor the unit changes the answer; t_max only whether the time matters; the order
// of equal parts does not matter.
static void invariances(void **state)
{
    (void)state;
    toi_random random = {33};
    for (int64_t i = 0; i < cases(6000); ++i) {
        toi_kind kind = (toi_kind)(i / 3 % TOI_PAIR_KINDS);
        toi_query query = random_query(kind, i / 3 * 3 + i % 2, &random), other = query;
        double separation = random_separation(kind, &query, &random), s = separation;
        toi_apart_decision truth = decide(kind, &query, separation), d;
        toi_apart_def def = {.kind = kind, .min_separation = s, .t_max = 1, .scratch = scratch};
        def.guess = truth.state == TOI_HIT && i % 3 > 0
                        ? truth.time * (1 + 0x1p-52 * (double)toi_random_below(&random, 3))
                        : toi_random_unit(&random);
        def.t_max = i % 4 == 0 ? toi_random_unit(&random) : i % 4 == 1 ? fmin(truth.time, 1) : 1;
        toi_decide_apart(&def, &query, &d);
        toi_apart_decision expected = truth;
        if (truth.time > def.t_max) {
            expected = (toi_apart_decision){.state = TOI_SEPARATED, .time = INFINITY};
            expected.starts_inside = truth.starts_inside;
        }
        check_same(kind, &query, &expected, &d);
        int swap = kind == TOI_VERTEX_FACE ? 1 : 0;
        memcpy(other.start[swap], query.start[swap + 1], sizeof other.start[0]);
        memcpy(other.start[swap + 1], query.start[swap], sizeof other.start[0]);
        memcpy(other.end[swap], query.end[swap + 1], sizeof other.end[0]);
        memcpy(other.end[swap + 1], query.end[swap], sizeof other.end[0]);
        int exponent = (int)toi_random_below(&random, 400) - 200;
        for (int k = 0; k < 24; ++k)
            (&other.start[0][0])[k] = ldexp((&other.start[0][0])[k], exponent);
        d = decide(kind, &other, ldexp(separation, exponent));
        check_same(kind, &other, &truth, &d);
    }
}

static void contact_without_separation(void **state)
{
    (void)state;
    toi_random random = {34};
    int64_t inside_at_start = 0;
    for (int64_t i = 0; i < cases(3000); ++i) {
        toi_kind kind = (toi_kind)(i / 3 % TOI_PAIR_KINDS);
        toi_query query = random_query(kind, i, &random);
        toi_decision plain = decide_query(kind, &query, false);
        toi_apart_decision d = decide(kind, &query, 0);
        assert_true(d.state == plain.state && d.time == plain.time &&
                    d.time_is_exact == plain.time_is_exact);
        assert_int_equal(d.starts_inside, distance_of(kind, &query).state == TOI_HIT);
        inside_at_start += d.starts_inside;
    }
    assert_true(inside_at_start > 10);
}

// A relative separation is worked out from the floor of the distance at the start, and then is as
// one that was given.
static void relative_separations(void **state)
{
    (void)state;
    toi_random random = {35};
    int64_t inside_at_start = 0, hits = 0;
    for (int64_t i = 0; i < cases(3000); ++i) {
        toi_kind kind = (toi_kind)(i / 3 % TOI_PAIR_KINDS);
        toi_query query = random_query(kind, i, &random);
        toi_initial_distance d0 = distance_of(kind, &query);
        double least = i % 3 == 0 ? 0 : i % 3 == 1 ? d0.floor : d0.floor * 0.25, excess;
        toi_apart_def def = {.kind = kind,
                             .min_separation = least,
                             .relative = toi_random_unit(&random) / 2,
                             .t_max = 1,
                             .guess = NAN,
                             .scratch = scratch};
        toi_apart_decision d;
        toi_decide_apart(&def, &query, &d);
        bool starts_inside = compare_distance(kind, &query, 0, least, &excess) <= 0;
        double s =
            starts_inside ? def.relative * d0.floor : least + def.relative * (d0.floor - least);
        assert_true(d.distance == d0.floor && d.separation == s);
        toi_apart_decision same = decide(kind, &query, s);
        same.starts_inside = starts_inside;
        check_same(kind, &query, &same, &d);
        inside_at_start += starts_inside;
        hits += d.state == TOI_HIT;
    }
    assert_true(inside_at_start > cases(3000) / 30 && hits > cases(3000) / 30);
}

// ---- Memory

typedef struct counting_hooks
{
    int64_t allowed; // how many more allocations succeed
    int64_t taken;
    int64_t bytes;
} counting_hooks;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counting_hooks *hooks = user;
    ++hooks->taken;
    hooks->bytes += (int64_t)size;
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

static toi_query wild_query(toi_random *random, int64_t i)
{
    toi_query query;
    for (int k = 0; k < 24; ++k)
        (&query.start[0][0])[k] = ldexp(
            i % 3 == 0 ? (double)toi_random_below(random, 5) - 2 : toi_random_range(random, -1, 1),
            i % 3 == 1 ? (int)toi_random_below(random, 2090) - 1070
                       : (int)toi_random_below(random, 3) * 1030 - 1060);
    return query;
}

// Ordinary coordinates need no heap. Wild ones do: within the limit that is stated; if there is
// none, the query stays undecided.
static void heap_only_where_needed(void **state)
{
    (void)state;
    toi_random random = {36};
    counting_hooks user = {.allowed = INT64_MAX};
    toi_hooks hooks = {.user = &user, .allocate = counted_allocate, .release = counted_release};
    toi_set_hooks(&hooks);
    for (int64_t i = 0; i < cases(2000); ++i) {
        toi_query query = make_hard_query(HARD_CUBE, (toi_kind)(i % 2), &random);
        decide((toi_kind)(i % 2), &query, 0.1 * toi_random_unit(&random));
    }
    assert_int_equal(user.taken, 0);
    int64_t undecided = 0, most = 0;
    for (int64_t i = 0; i < cases(100); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        toi_query query = wild_query(&random, i);
        user = (counting_hooks){.allowed = INT64_MAX};
        double separation =
            ldexp(distance_of(kind, &query).floor, -(int)toi_random_below(&random, 4));
        if (toi_random_below(&random, 3) == 0)
            separation =
                ldexp(toi_random_unit(&random), (int)toi_random_below(&random, 2000) - 1000);
        user = (counting_hooks){.allowed = INT64_MAX};
        toi_apart_decision truth = decide(kind, &query, separation);
        assert_int_not_equal(truth.state, TOI_UNDECIDED);
        int64_t blocks = user.taken;
        most = user.bytes > most ? user.bytes : most;
        for (int64_t allowed = 0; allowed < blocks; ++allowed) {
            user = (counting_hooks){.allowed = allowed};
            toi_apart_decision d = decide(kind, &query, separation);
            assert_true(d.state == TOI_UNDECIDED && d.time == 0 && !d.time_is_exact);
            ++undecided;
        }
        user = (counting_hooks){.allowed = 0};
        toi_initial_distance distance = distance_of(kind, &query);
        assert_true(user.taken == 0 || (distance.state == TOI_UNDECIDED && distance.floor == 0));
    }
    toi_set_hooks(NULL);
    print_message("  at most %lld bytes of the heap\n", (long long)most);
    assert_true(undecided > 0 && most <= TOI_APART_HEAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times),
        cmocka_unit_test(tangency),
        cmocka_unit_test(parallel_edges),
        cmocka_unit_test(collapsing_triangle),
        cmocka_unit_test(multiple_roots),
        cmocka_unit_test(no_motion),
        cmocka_unit_test(sizes),
        cmocka_unit_test(times_hold_in_rationals),
        cmocka_unit_test(floors_of_distances),
        cmocka_unit_test(invariances),
        cmocka_unit_test(contact_without_separation),
        cmocka_unit_test(relative_separations),
        cmocka_unit_test(heap_only_where_needed),
    };
    return cmocka_run_group_tests(tests, open_rationals, close_rationals);
}
