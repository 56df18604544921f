// Floors of distances and of times of a given distance, against rationals: every certified answer
// is right, whatever the query and whichever feature was named, and ordinary queries are certified.

#include "kernel/apart_time.h"
#include "narrow/apart.h"

#include "base/simd.h"
#include "exact/hard_queries.h"
#include "exact/near_figure.h"
#include "exact/trial.h"

static toi_apart_distances_fn *const find_distances[] = TOI_ISA_TABLE(toi_find_apart_distances);
static toi_apart_times_fn *const find_times[] = TOI_ISA_TABLE(toi_find_apart_times);

// ---- The distance in double: for samples only

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// P, E and G at a time.
typedef struct still_figure
{
    int edge_edge;
    double p[3], e[3], g[3];
} still_figure;

static still_figure figure_at(toi_kind kind, const toi_query *q, double t)
{
    still_figure f = {.edge_edge = kind == TOI_EDGE_EDGE};
    for (int k = 0; k < 3; ++k) {
        double x[4];
        for (int c = 0; c < 4; ++c)
            x[c] = q->start[c][k] + t * (q->end[c][k] - q->start[c][k]);
        f.p[k] = TOI_P_OF(f.edge_edge, x);
        f.e[k] = TOI_E_OF(f.edge_edge, x);
        f.g[k] = TOI_G_OF(f.edge_edge, x);
    }
    return f;
}

// The distance of a corner or a side; infinite where the foot is not between the side's ends.
static double boundary_distance(const still_figure *f, int feature)
{
    static const int corners[2][8][2] = {
        {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 0}},
        {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 1}, {1, 0}}};
    static const int ways[2][8][2] = {
        [0] = {[4] = {1, 0}, [5] = {0, 1}, [6] = {-1, 1}},
        [1] = {[4] = {1, 0}, [5] = {0, 1}, [6] = {1, 0}, [7] = {0, 1}}};
    const int *from = corners[f->edge_edge][feature], *way = ways[f->edge_edge][feature];
    double a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = f->p[k] + from[0] * f->e[k] + from[1] * f->g[k];
        b[k] = way[0] * f->e[k] + way[1] * f->g[k];
    }
    double share = feature < TOI_FIRST_SIDE ? 0 : -dot(a, b) / dot(b, b);
    for (int k = 0; k < 3; ++k)
        a[k] += share * b[k];
    bool between = feature < TOI_FIRST_SIDE || (share > 0 && share < 1);
    return between ? sqrt(dot(a, a)) : INFINITY;
}

static double inside_distance(const still_figure *f)
{
    double n[3], gp[3], pe[3];
    toi_cross(f->e, f->g, n);
    toi_cross(f->g, f->p, gp);
    toi_cross(f->p, f->e, pe);
    double w = dot(n, n), u = dot(n, gp) / w, v = dot(n, pe) / w;
    bool in = u > 0 && v > 0 && (f->edge_edge ? u < 1 && v < 1 : u + v < 1);
    return in ? fabs(dot(f->p, n)) / sqrt(w) : INFINITY;
}

static double distance_at(toi_kind kind, const toi_query *q, double t, int *feature)
{
    still_figure f = figure_at(kind, q, t);
    double least = INFINITY;
    for (int i = 0; i < TOI_FEATURES; ++i) {
        if (!has_feature(kind, i))
            continue;
        double d = i < TOI_INSIDE_FEATURE ? boundary_distance(&f, i) : inside_distance(&f);
        *feature = d < least ? i : *feature;
        least = fmin(d, least);
    }
    return least;
}

// ---- Samples

typedef struct sample
{
    toi_query query;
    int start_feature, feature; // closest at t = 0 and near the time, as it seems
    double lo, guess, separation;
} sample;

typedef enum family
{
    ORDINARY,
    ON_A_GRID, // float-like, with ties
    FAR_OFF,
    GRAZING,   // the separation is tiny beside the coordinates
    NEAR_ENDS, // the time is nearly a double, or `lo` nearly the time
    SQUASHED,  // long thin figures
    LARGE,     // or small: coordinates near the ends of the doubles
    HARD_ONES, // degenerate
    AT_START,  // the distance at t = 0 is above the separation by a few of its last bits
    LEVEL,     // at t = 0 the inside's distance is one coordinate, often a double
    MISGUIDED, // another feature is named
    FAMILIES
} family;

static const char *const FAMILY_NAMES[] = {"ordinary",  "on a grid", "far off",     "grazing",
                                           "near ends", "squashed",  "large/small", "hard",
                                           "at start",  "level",     "misguided"};

static void move_first(toi_kind kind, toi_query *q, const double way[3])
{
    for (int c = 0; c < (kind == TOI_EDGE_EDGE ? 2 : 1); ++c)
        for (int k = 0; k < 3; ++k) {
            q->start[c][k] += way[k];
            q->end[c][k] += way[k];
        }
}

// Moves the first primitive so that they nearly meet at time t.
static void bring_together(toi_kind kind, toi_query *q, double t, toi_random *random)
{
    double u = toi_random_range(random, -0.3, 1.1), v = toi_random_range(random, -0.3, 1.1), way[3];
    u = fmin(fmax(u, 0), 1);
    v = fmin(fmax(v, 0), kind == TOI_EDGE_EDGE ? 1 : 1 - u);
    for (int k = 0; k < 3; ++k) {
        double x[4];
        for (int c = 0; c < 4; ++c)
            x[c] = q->start[c][k] + t * (q->end[c][k] - q->start[c][k]);
        way[k] = kind == TOI_EDGE_EDGE ? x[2] + v * (x[3] - x[2]) - x[0] - u * (x[1] - x[0])
                                       : x[1] + u * (x[2] - x[1]) + v * (x[3] - x[1]) - x[0];
    }
    move_first(kind, q, way);
}

static toi_query make_query(family f, toi_kind kind, toi_random *random)
{
    toi_query q;
    double *x = &q.start[0][0];
    for (int i = 0; i < 24; ++i)
        x[i] = i < 12 ? toi_random_range(random, -1, 1)
                      : x[i - 12] + toi_random_range(random, -0.5, 0.5);
    if (f == HARD_ONES)
        return make_hard_query(toi_random_below(random, 2) ? HARD_SMALL : HARD_NEAR, kind, random);
    bring_together(kind, &q, toi_random_range(random, 0.2, 1), random);
    double squash = ldexp(1, -(int)toi_random_below(random, 30));
    for (int i = 0; i < 24; ++i) {
        if (f == ON_A_GRID)
            x[i] = nearbyint(x[i] * 64) / 64;
        if (f == FAR_OFF)
            x[i] = (float)(x[i] + 4096);
        if (f == SQUASHED && i % 3 == 1)
            x[i] *= squash;
    }
    return q;
}

// Makes E and G level on one axis at t = 0.
static void make_level(toi_kind kind, toi_query *q, toi_random *random)
{
    int k = (int)toi_random_below(random, 3);
    int last = kind == TOI_EDGE_EDGE ? 2 : 1;
    for (int c = 0; c < 4; ++c)
        q->start[c][k] = q->start[c < last ? 0 : last][k];
    if (toi_random_below(random, 2)) // a difference that has no rounding
        for (int c = 0; c < 4; ++c)
            q->start[c][k] = nearbyint(q->start[c][k] * 0x1p20) * 0x1p-20;
    double tiny = ldexp(1, -60 - (int)toi_random_below(random, 1014));
    if (toi_random_below(random, 3) == 0) // a double but for that
        for (int c = last; c < 4; ++c)
            q->start[c][k] = tiny;
}

static double tiny_share(toi_random *random, int most)
{
    return ldexp(toi_random_unit(random), -1 - (int)toi_random_below(random, (uint64_t)most));
}

// Takes the sample to another size, up to the ends of the doubles.
static void rescale(sample *s, int power)
{
    double *x = &s->query.start[0][0];
    for (int i = 0; i < 24; ++i)
        x[i] = ldexp(x[i], power);
    s->separation = ldexp(s->separation, power);
}

// Picks a time and takes the distance there as the separation; false where they were closer before.
static bool make_sample(family f, toi_kind kind, toi_random *random, sample *s)
{
    s->query = make_query(f, kind, random);
    if (f == LEVEL)
        make_level(kind, &s->query, random);
    double t = toi_random_range(random, 0.01, 1);
    if (f == GRAZING) { // just before the distance is least
        double best = INFINITY;
        int feature;
        for (int i = 1; i < 400; ++i) {
            double d = distance_at(kind, &s->query, i / 400.0, &feature);
            t = d < best ? i / 400.0 : t;
            best = fmin(d, best);
        }
        t *= 1 - tiny_share(random, 30);
    }
    s->feature = s->start_feature = 0;
    s->separation = distance_at(kind, &s->query, t, &s->feature);
    if (f != NEAR_ENDS)
        s->separation *= 1 + 1e-9 * toi_random_range(random, -1, 1);
    double at_start = distance_at(kind, &s->query, 0, &s->start_feature);
    s->lo =
        t * (1 - (f == NEAR_ENDS ? tiny_share(random, 60) : toi_random_range(random, 0, 0x1p-11)));
    int feature;
    while (f == ORDINARY && distance_at(kind, &s->query, s->lo, &feature) > 1.1 * s->separation)
        s->lo += (t - s->lo) / 2; // as near as the search comes
    s->guess = f == AT_START ? 0 : t * (1 + toi_random_range(random, -1, 1) * 0x1p-10);
    if (f == MISGUIDED) {
        do
            s->feature = (int)toi_random_below(random, TOI_FEATURES);
        while (!has_feature(kind, s->feature));
        s->start_feature = s->feature;
    }
    if (f == AT_START) {
        s->separation = at_start * (1 - tiny_share(random, 53));
        s->lo = 0;
        s->feature = s->start_feature;
    }
    for (int i = 1; i <= 20; ++i)
        if (distance_at(kind, &s->query, s->lo * i / 20, &feature) <= s->separation)
            return false;
    bool good = at_start > s->separation && s->separation > 0;
    if (f == LARGE)
        rescale(s, (int)toi_random_below(random, 2060) - 1040);
    return good;
}

// ---- Checks

typedef struct checker
{
    figure figure;
    feature_polynomials features;
    polynomial excess;
    mpq_t lo, t, x, y;
} checker;

static void checker_init(checker *c)
{
    figure_init(&c->figure);
    features_init(&c->features);
    polynomial_init(&c->excess);
    mpq_inits(c->lo, c->t, c->x, c->y, NULL);
}

static void checker_clear(checker *c)
{
    figure_clear(&c->figure);
    features_clear(&c->features);
    polynomial_clear(&c->excess);
    mpq_clears(c->lo, c->t, c->x, c->y, NULL);
}

// The sign of distance(t) - d.
static int compare_distance(checker *c, toi_kind kind, double t, double d)
{
    mpq_set_d(c->t, t);
    figure_square(&c->figure, kind, c->t, c->x);
    mpq_set_d(c->y, d);
    mpq_mul(c->y, c->y, c->y);
    return mpq_cmp(c->x, c->y);
}

static void check_distance(checker *c, toi_kind kind, const sample *s, double distance)
{
    figure_take(&c->figure, kind, &s->query, 1);
    bool right = compare_distance(c, kind, 0, distance) >= 0 &&
                 compare_distance(c, kind, 0, nextafter(distance, INFINITY)) < 0;
    if (!right)
        print_query(kind, &s->query);
    assert_true(right);
}

// Is the time right, and does nothing come earlier? The named feature must be the closest from `lo`
// on: no condition has a root, and its polynomial none before the time.
// A condition that is zero for all t: corners coincide, and nothing lies on that side.
static bool is_void(const polynomial *condition)
{
    bool zero = true;
    for (int i = 0; i < COEFFICIENTS; ++i)
        zero &= mpq_sgn(condition->c[i]) == 0;
    return zero;
}

static bool is_right_time(checker *c, toi_kind kind, const sample *s, double time)
{
    double next = nextafter(time, 2);
    figure_take(&c->figure, kind, &s->query, 1);
    if (compare_distance(c, kind, time, s->separation) < 0 ||
        compare_distance(c, kind, next, s->separation) >= 0)
        return false;
    features_take(&c->features, &c->figure, kind, s->feature);
    polynomial_excess(&c->features, s->separation, &c->excess);
    mpq_set_d(c->lo, s->lo);
    mpq_set_d(c->t, time);
    if (count_roots_between(&c->excess, c->lo, c->t) != 0)
        return false;
    for (int i = 0; i < c->features.conditions; ++i) {
        if (is_void(&c->features.condition[i]))
            continue;
        polynomial_at(&c->features.condition[i], c->lo, c->x);
        if (mpq_sgn(c->x) <= 0 || count_roots_between(&c->features.condition[i], c->lo, c->t))
            return false;
    }
    return true;
}

static bool is_above_at_lo(checker *c, toi_kind kind, const sample *s)
{
    figure_take(&c->figure, kind, &s->query, 1);
    return compare_distance(c, kind, s->lo, s->separation) > 0;
}

// ---- Running the stages

typedef struct tally
{
    int64_t asked[TOI_NEARNESSES], certified[TOI_NEARNESSES];
} tally;

// Samples of one kind and nearness.
typedef struct bundle
{
    int count;
    sample samples[TOI_FEATURE_LANES];
} bundle;

static toi_feature_lanes list_lanes(const bundle *b, bool start,
                                    toi_query queries[TOI_FEATURE_LANES])
{
    toi_feature_lanes lanes = {.count = b->count};
    for (int i = 0; i < b->count; ++i) {
        int32_t place = (int32_t)(b->count - 1 - i); // any order
        lanes.query[i] = place;
        lanes.feature[i] = (uint8_t)(start ? b->samples[i].start_feature : b->samples[i].feature);
        queries[place] = b->samples[i].query;
    }
    return lanes;
}

// Runs every instruction set that there is: the same bits.
static void run_levels(toi_kind kind, const bundle *b, bool start, double found[TOI_FEATURE_LANES])
{
    toi_query queries[TOI_FEATURE_LANES];
    toi_narrow_batch batch = {.kind = kind, .count = b->count, .queries = queries};
    toi_feature_lanes lanes = list_lanes(b, start, queries);
    double lo[TOI_FEATURE_LANES], guess[TOI_FEATURE_LANES], separation[TOI_FEATURE_LANES];
    for (int i = 0; i < b->count; ++i) {
        lo[i] = b->samples[i].lo;
        guess[i] = b->samples[i].guess;
        separation[i] = b->samples[i].separation;
    }
    for (int level = 0; level <= (int)toi_simd_level(); ++level) {
        double mine[TOI_FEATURE_LANES] = {0};
        if (start)
            find_distances[level](&batch, &lanes, mine);
        else
            find_times[level](&batch, &lanes, lo, guess, separation, mine);
        if (level > 0)
            for (int i = 0; i < b->count; ++i)
                assert_true(mine[i] == found[i] || (isnan(mine[i]) && isnan(found[i])));
        memcpy(found, mine, sizeof mine);
    }
}

static void run_bundle(checker *c, toi_kind kind, bundle *b, bool start, tally *sums)
{
    double found[TOI_FEATURE_LANES];
    run_levels(kind, b, start, found);
    for (int i = 0; i < b->count; ++i) {
        const sample *s = &b->samples[i];
        int nearness = toi_nearness_of(start ? s->start_feature : s->feature);
        ++sums->asked[nearness];
        if (isnan(found[i]))
            continue;
        ++sums->certified[nearness];
        if (start) {
            check_distance(c, kind, s, found[i]);
        } else if (!is_right_time(c, kind, s, found[i])) {
            print_query(kind, &s->query);
            fail_msg("feature %d, s %a, lo %a: time %a", s->feature, s->separation, s->lo,
                     found[i]);
        }
    }
    b->count = 0;
}

static void add_sample(checker *c, toi_kind kind, const sample *s, bool start, bundle *bundles,
                       int fill, tally *sums)
{
    bundle *b = &bundles[toi_nearness_of(start ? s->start_feature : s->feature)];
    b->samples[b->count++] = *s;
    if (b->count >= fill)
        run_bundle(c, kind, b, start, sums);
}

static void run_family(family f, toi_kind kind, int64_t count, tally sums[2])
{
    toi_random random = {(uint64_t)(1000 + 10 * f + (int)kind)};
    checker c;
    bundle bundles[2][TOI_NEARNESSES] = {0};
    checker_init(&c);
    for (int64_t n = 0; n < count;) {
        sample s;
        if (!make_sample(f, kind, &random, &s) || !is_above_at_lo(&c, kind, &s))
            continue;
        int fill = 1 + (int)(n++ % TOI_FEATURE_LANES);
        for (int start = 0; start < 2; ++start)
            add_sample(&c, kind, &s, start, bundles[start], fill, &sums[start]);
    }
    checker_clear(&c);
}

static void print_tally(const char *family_name, const char *what, const tally *sum)
{
    print_message("  %-12s %-9s corner %lld of %lld, side %lld of %lld, inside %lld of %lld\n",
                  family_name, what, (long long)sum->certified[0], (long long)sum->asked[0],
                  (long long)sum->certified[1], (long long)sum->asked[1],
                  (long long)sum->certified[2], (long long)sum->asked[2]);
}

static void certified_answers_are_right(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; ++f) {
        tally sums[2] = {0};
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
            run_family((family)f, (toi_kind)kind, slow_cases(400), sums);
        print_tally(FAMILY_NAMES[f], "times", &sums[0]);
        print_tally(FAMILY_NAMES[f], "distances", &sums[1]);
        for (int i = 0; i < 2 * TOI_NEARNESSES && f == ORDINARY; ++i) {
            tally *sum = &sums[i / TOI_NEARNESSES];
            int nearness = i % TOI_NEARNESSES;
            assert_true(sum->asked[nearness] > 0);
            assert_true((double)sum->certified[nearness] >=
                        0.99 * (double)sum->asked[nearness] - 1);
        }
        if (f == LEVEL)
            assert_true(sums[1].certified[TOI_NEAR_INSIDE] == sums[1].asked[TOI_NEAR_INSIDE] &&
                        sums[1].asked[TOI_NEAR_INSIDE] > 0);
    }
}

// ---- Several roots close together
//
// The plane of a triangle tilts while a point moves along it, so that its height above the plane is
// (t - 1/2)^2 - w, but for rounding: it is +s, -s, -s, +s one after the other, and all four times
// are close to 1/2. A guess at the third of them, where f falls as it does at the first, must not
// be taken for the first.

static sample make_dip(toi_random *random)
{
    double w = ldexp(toi_random_range(random, 0.5, 1), -8 - (int)toi_random_below(random, 20));
    double s = w * toi_random_range(random, 0.2, 0.6), root = sqrt(w + s), other = sqrt(w - s);
    bool near_third = toi_random_below(random, 2);
    sample x = {.start_feature = TOI_INSIDE_FEATURE,
                .feature = TOI_INSIDE_FEATURE,
                .lo = 0.5 - root * toi_random_range(random, 1.001, 1.2),
                .guess = near_third ? 0.5 + other : 0.5 - root,
                .separation = s};
    static const double corners[4][2] = {{0, 0}, {-4, -4}, {8, -4}, {-4, 8}};
    for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c) {
            double t = end - 0.5, *to = end ? x.query.end[c] : x.query.start[c];
            to[0] = c == 0 ? t : corners[c][0];
            to[1] = corners[c][1];
            to[2] = c == 0 ? -w : -t * corners[c][0];
        }
    return x;
}

// The stage without its proof that f falls.
static bool find_time_of_any_root(const sample *s, double *time)
{
    double points[2][4][3];
    memcpy(points[0], s->query.start, sizeof points[0]);
    memcpy(points[1], s->query.end, sizeof points[1]);
    toi_apart a;
    toi_take_apart(0, points, &a);
    double separation = s->separation * a.scale;
    toi_near_frame f;
    toi_apart_root r;
    r.t = toi_approach_apart_time(TOI_NEAR_INSIDE, &a.near, &separation, &s->lo, &s->guess);
    toi_take_near_frame(TOI_NEAR_INSIDE, &a.near, &r.t, &f);
    toi_take_apart_root(TOI_NEAR_INSIDE, &a, &separation, &s->lo, &f, &r);
    return toi_stays_closest(0, TOI_NEAR_INSIDE, &f, &r.radius) && toi_floor_apart_root(&r, time);
}

// Of these queries the stage answers some, all rightly; without the proof it would be late.
static void later_roots_are_not_taken(void **state)
{
    (void)state;
    toi_random random = {77};
    int64_t late = 0, certified = 0, count = cases(400);
    checker c;
    checker_init(&c);
    for (int64_t n = 0; n < count; ++n) {
        bundle one = {.count = 1, .samples = {make_dip(&random)}};
        tally sum = {0};
        double time;
        assert_true(is_above_at_lo(&c, TOI_VERTEX_FACE, &one.samples[0]));
        late += find_time_of_any_root(&one.samples[0], &time) &&
                !is_right_time(&c, TOI_VERTEX_FACE, &one.samples[0], time);
        run_bundle(&c, TOI_VERTEX_FACE, &one, false, &sum);
        certified += sum.certified[TOI_NEAR_INSIDE];
    }
    checker_clear(&c);
    print_message("  certified %lld of %lld; without the proof %lld are wrong\n",
                  (long long)certified, (long long)count, (long long)late);
    assert_true(late > count / 8 && certified > count / 20);
}

// ---- Nearly doubles
//
// A corner at (3 k, 4 k, 0) has the distance 5 k, a double. Moved by a tiny length, the distance is
// a double but for a tiny part, on either side; and so is the time, where the corner comes by.

static sample make_near_tie(bool start, toi_random *random)
{
    double k = 1 + (double)toi_random_below(random, INT64_C(1) << 48) * 0x1p-48;
    double when = start ? 0 : toi_random_range(random, 0.5, 1);
    int bits = start ? 0 : 1 + (int)toi_random_below(random, 20);
    double t = start ? 0 : nearbyint(when * ldexp(1, bits)) / ldexp(1, bits + 1);
    double tiny =
        ldexp(toi_random_below(random, 2) ? 1 : -1, -85 - (int)toi_random_below(random, 35));
    double speed = ldexp(1, (int)bits / 2 - 12); // a product with t that has no rounding
    sample s = {.lo = t * (1 - 0x1p-12), .guess = t, .separation = start ? 4 * k : 5 * k};
    toi_query q = {
        .start = {{3 * k, 4 * k + t * speed, 0}, {tiny, 0, 0}, {-1, -1, 0.25}, {-1, -0.5, -0.5}},
        .end = {
            {3 * k, 4 * k + t * speed - speed, 0}, {tiny, 0, 0}, {-1, -1, 0.25}, {-1, -0.5, -0.5}}};
    s.query = q;
    return s;
}

// Some of them are certified, and rightly.
static void near_ties_are_right(void **state)
{
    (void)state;
    toi_random random = {78};
    checker c;
    checker_init(&c);
    for (int start = 0; start < 2; ++start) {
        tally sum = {0};
        for (int64_t n = 0; n < cases(1000); ++n) {
            bundle one = {.count = 1, .samples = {make_near_tie(start, &random)}};
            if (start || is_above_at_lo(&c, TOI_VERTEX_FACE, &one.samples[0]))
                run_bundle(&c, TOI_VERTEX_FACE, &one, start, &sum);
        }
        print_message("  %s: certified %lld of %lld\n", start ? "distances" : "times",
                      (long long)sum.certified[0], (long long)sum.asked[0]);
        assert_true(sum.certified[0] > sum.asked[0] / 10 && sum.certified[0] < sum.asked[0]);
    }
    checker_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(certified_answers_are_right),
                                       cmocka_unit_test(later_roots_are_not_taken),
                                       cmocka_unit_test(near_ties_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
