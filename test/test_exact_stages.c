// What the stages of `exact` say, against what is true: how many roots D has and between which
// times, whether the primitives touch at them, and when, to the last bit. The bounds behind all
// this are measured in test_exact_bounds.c.
//
// Looks inside: the stages are compiled into this file.

#define TOI_ISA bounds
#include "narrow/exact_isa.c"

#include "exact/exact_motion.h"
#include "exact/hard_queries.h"
#include "exact/moments.h"
#include "exact/trial.h"
#include "exact/twin.h"

enum
{
    LANES = TOI_STAGE_LANES
};

static const toi_lane_list all_lanes = {LANES, {0, 1, 2, 3, 4, 5, 6, 7}};

// ---- What is true

typedef struct truth
{
    exact_motion motion;
    int roots; // of D in (0, 1), different ones; 0 too where D is zero throughout
    double floor[MOST_DEGREE];
    bool exact[MOST_DEGREE]; // the root is its floor
    bool flat;               // D is zero throughout
    twin_answer answer;
} truth;

// D in powers of t with integer coefficients. Its c are whole multiples of the cube of 2^-1074.
static void take_poly(exact_motion *m, poly *f)
{
    static const int weight[4][4] = {{1, 0, 0, 0}, {-3, 1, 0, 0}, {3, -2, 1, 0}, {-1, 1, -1, 1}};
    mpz_t c[4], unit;
    mpz_init(unit);
    for (int i = 0; i < 4; ++i) {
        mpz_init(c[i]);
        mpf_mul_2exp(m->x, m->c[i], 3 * 1074);
        mpz_set_f(c[i], m->x);
        mpz_gcd(unit, unit, c[i]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            if (weight[i][j] < 0)
                mpz_submul_ui(f->c[i], c[j], (unsigned long)-weight[i][j]);
            else
                mpz_addmul_ui(f->c[i], c[j], (unsigned long)weight[i][j]);
        if (mpz_sgn(unit) > 0)
            mpz_divexact(f->c[i], f->c[i], unit);
    }
    find_degree(f, 3);
    for (int i = 0; i < 4; ++i)
        mpz_clear(c[i]);
    mpz_clear(unit);
}

static void find_truth(toi_kind kind, const toi_query *query, truth *t)
{
    static moments list;
    poly f;
    poly_init(&f);
    motion_take(&t->motion, kind, query, 1);
    take_poly(&t->motion, &f);
    t->flat = f.degree < 0;
    list.count = 0;
    add_roots(&list, &f);
    t->roots = list.count;
    for (int i = 0; i < list.count; ++i) {
        t->floor[i] = floor_of(&list.at[i], &t->exact[i]);
        moment_clear(&list.at[i]);
    }
    poly_clear(&f);
    t->answer = twin_decide(kind, query);
}

static int sign_at_double(truth *t, double time)
{
    mpf_t x;
    mpf_init(x);
    mpf_set_d(x, time);
    int sign = motion_cubic_sign(&t->motion, x);
    mpf_clear(x);
    return sign;
}

// The only root in the open piece; -1 where there is none or more than one, or one at an end.
static int only_root(truth *t, double from, double to)
{
    int found = -1, count = 0;
    for (int i = 0; i < t->roots; ++i)
        if (t->floor[i] >= from && t->floor[i] < to) {
            found = i;
            ++count;
        }
    bool ends = sign_at_double(t, from) != 0 && sign_at_double(t, to) != 0;
    return count == 1 && ends ? found : -1;
}

static bool has_no_root(truth *t, double from, double to)
{
    for (int i = 0; i < t->roots; ++i)
        if (t->floor[i] >= from && t->floor[i] < to)
            return false;
    return !t->flat && sign_at_double(t, from) != 0 && sign_at_double(t, to) != 0;
}

// ---- Queries

// One with a contact about t = `time`, in the midst of both primitives. The face's corners add up
// to zero at all times, so its plane keeps to the origin, and the vertex passes there; the edges
// cross above each other, and all heights of the first are zero at that time.
static toi_query timed_query(toi_kind kind, double time, toi_random *random)
{
    toi_query q = {0};
    for (int end = 0; end < 2; ++end) {
        double(*x)[3] = end ? q.end : q.start, part = end ? 1 - time : -time;
        for (int i = 0; i < 12; ++i)
            x[i / 3][i % 3] = rint(toi_random_range(random, -0x1p25, 0x1p25)) * 0x1p-25;
        for (int k = 0; k < 3 && kind == TOI_VERTEX_FACE; ++k) {
            x[3][k] = -(x[1][k] + x[2][k]);
            x[0][k] = part * (1 + k * 0.37);
        }
        for (int c = 0; c < 4 && kind == TOI_EDGE_EDGE; ++c) {
            x[c][0] = x[c][0] * 0.3 + (c == 0 ? -1 : c == 1 ? 1 : 0);
            x[c][1] = x[c][1] * 0.3 + (c == 2 ? -1 : c == 3 ? 1 : 0);
            x[c][2] = c < 2 ? part * (1 + c * 0.7) : 0;
        }
    }
    return q;
}

// Times where rounding has something to get wrong. About 2^-44 the last bit is as small as the
// error of a doubled determinant.
static double special_time(toi_random *random)
{
    int exponent = (int)toi_random_below(random, 2) ? (int)toi_random_below(random, 56)
                                                    : 40 + (int)toi_random_below(random, 8);
    double t = ldexp(1, -exponent);
    switch (toi_random_below(random, 4)) {
    case 0:
        return t * toi_random_range(random, 0.5, 1);
    case 1: // about a power of two
        return fmin(t * (1 + (toi_random_unit(random) - 0.5) * 0x1p-50), 1);
    case 2:
        return 1 - t;
    default:
        return toi_random_unit(random);
    }
}

// Sizes up to the ends of the doubles, alike or not.
static toi_query sized_query(toi_random *random)
{
    static const int exponents[] = {-60, 60, -400, -1000, 1000, 1023};
    static const int spreads[] = {0, 8, 60, 1000};
    int exponent = exponents[toi_random_below(random, 6)];
    int spread = spreads[toi_random_below(random, 4)];
    toi_query q;
    for (int i = 0; i < 24; ++i)
        (&q.start[0][0])[i] = ldexp(toi_random_range(random, -1, 1),
                                    exponent - (int)toi_random_below(random, (uint64_t)spread + 1));
    return q;
}

// A turn of the determinant that has three roots, or nearly, in the step.
static toi_query folded_query(toi_random *random)
{
    toi_query q;
    for (int i = 0; i < 12; ++i) {
        double x = toi_random_range(random, -1, 1), near = toi_random_range(random, -0.3, 0.3);
        q.start[i / 3][i % 3] = x;
        q.end[i / 3][i % 3] = near - x; // inside out
    }
    return q;
}

static toi_query stage_query(toi_kind kind, int64_t number, toi_random *random)
{
    switch (number % 8) {
    case 0:
    case 1:
        return make_hard_query(HARD_CUBE, kind, random);
    case 2:
        return make_hard_query(HARD_NEAR, kind, random);
    case 3:
        return make_hard_query(HARD_SMALL, kind, random);
    case 4:
        return sized_query(random);
    case 5:
        return folded_query(random);
    default:
        return timed_query(kind, special_time(random), random);
    }
}

// ---- Eight queries through all stages

typedef struct octet
{
    toi_kind kind;
    toi_query queries[LANES];
    toi_narrow_batch batch;
    truth truths[LANES];
    bool unsure[LANES]; // some stage could not tell
    int inside[LANES];  // roots that the stages say are contacts
    double first[LANES];
} octet;

// How often the stages said what.
typedef struct tally
{
    int64_t none, one, folded, pieces, brackets, contacts, times, shifted, decided;
} tally;

static void complain(const octet *o, int lane, const char *what)
{
    print_query(o->kind, &o->queries[lane]);
    fail_msg("%s", what);
}

static void require(bool holds, const octet *o, int lane, const char *what)
{
    if (!holds)
        complain(o, lane, what);
}

// Is the only root between `from` and `to` within the radius? The ends of the bracket are not
// doubles.
static bool brackets_root(truth *t, double from, double to, double root, double radius)
{
    mpf_t lo, hi, x;
    mpf_inits(lo, hi, x, NULL);
    mpf_set_d(x, root);
    mpf_set_d(hi, radius);
    mpf_sub(lo, x, hi);
    mpf_add(hi, x, hi);
    mpf_set_d(x, from);
    bool above =
        mpf_cmp(lo, x) <= 0 || motion_cubic_sign(&t->motion, lo) != -sign_at_double(t, from);
    mpf_set_d(x, to);
    bool below = mpf_cmp(hi, x) >= 0 || motion_cubic_sign(&t->motion, hi) != -sign_at_double(t, to);
    mpf_clears(lo, hi, x, NULL);
    return above && below;
}

// The time stage, asked about roots that are known to be within the radius.
static int check_times(octet *o, const bool asked[LANES], const double root[LANES],
                       const double radius[LANES], const int index[LANES])
{
    double time[LANES];
    int known = 0;
    toi_find_times_bounds(&o->batch, &all_lanes, root, radius, time);
    for (int i = 0; i < LANES; ++i)
        if (asked[i] && !isnan(time[i])) {
            const truth *t = &o->truths[i];
            require(time[i] == t->floor[index[i]], o, i, "a certified time is not the floor");
            require(!t->exact[index[i]], o, i, "a certified time is the root itself");
            ++known;
        }
    return known;
}

// The same from further off, where the slope's error and the curvature come into play.
static int check_shifted_times(octet *o, const bool asked[LANES], const toi_crossings *x,
                               const int index[LANES], toi_random *random)
{
    double root[LANES] = {0}, radius[LANES] = {0};
    for (int i = 0; i < LANES; ++i)
        if (asked[i]) {
            double shift =
                ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 60));
            root[i] = fmin(fmax(x->root[i] + shift * x->root[i], 0), 1);
            radius[i] = (x->radius[i] + fabs(root[i] - x->root[i])) * (1 + 0x1p-50);
        }
    return check_times(o, asked, root, radius, index);
}

// One piece of each lane, where `index` is not negative: there D has that root and no other.
static void check_crossings(octet *o, toi_crossings *x, const int index[LANES], tally *sum,
                            toi_random *random)
{
    bool sure[LANES] = {false};
    toi_judge_crossings_bounds(&o->batch, &all_lanes, x);
    for (int i = 0; i < LANES; ++i) {
        if (index[i] < 0)
            continue;
        sure[i] = x->verdict[i] != TOI_VERDICT_HARD;
        o->unsure[i] |= !sure[i];
        if (!sure[i])
            continue;
        ++sum->brackets;
        require(brackets_root(&o->truths[i], x->from[i], x->to[i], x->root[i], x->radius[i]), o, i,
                "a root is not in its bracket");
        if (x->verdict[i] == TOI_VERDICT_INSIDE) {
            if (o->inside[i]++ == 0)
                o->first[i] = o->truths[i].floor[index[i]];
            ++sum->contacts;
        }
    }
    sum->times += check_times(o, sure, x->root, x->radius, index);
    sum->shifted += check_shifted_times(o, sure, x, index, random);
}

// All roots are judged: the contacts must be those there are.
static void check_contacts(octet *o, const bool judged[LANES], tally *sum)
{
    for (int i = 0; i < LANES; ++i) {
        const twin_answer *answer = &o->truths[i].answer;
        if (!judged[i] || o->unsure[i])
            continue;
        ++sum->decided;
        require(o->inside[i] == answer->contacts, o, i, "not as many contacts as there are");
        require(o->inside[i] == 0 || o->first[i] == answer->time, o, i, "not the first contact");
    }
}

static void begin_contacts(octet *o)
{
    for (int i = 0; i < LANES; ++i) {
        o->unsure[i] = false;
        o->inside[i] = 0;
    }
}

static void check_planes(octet *o, tally *sum, toi_random *random)
{
    uint8_t verdict[LANES];
    int index[LANES];
    bool judged[LANES] = {false};
    toi_crossings x = {.from = {0}};
    toi_judge_planes_bounds(&o->batch, &all_lanes, verdict);
    begin_contacts(o);
    for (int i = 0; i < LANES; ++i) {
        truth *t = &o->truths[i];
        index[i] = -1;
        judged[i] = verdict[i] == TOI_VERDICT_SEPARATED || verdict[i] == TOI_VERDICT_ONE_ROOT;
        if (verdict[i] == TOI_VERDICT_SEPARATED)
            require(has_no_root(t, 0, 1), o, i, "there is a root");
        if (verdict[i] == TOI_VERDICT_FOLDED)
            require(sign_at_double(t, 0) != 0 && sign_at_double(t, 1) != 0, o, i,
                    "D(0) or D(1) is 0");
        if (verdict[i] == TOI_VERDICT_ONE_ROOT) {
            index[i] = only_root(t, 0, 1);
            x.to[i] = 1;
            require(index[i] >= 0, o, i, "there is not exactly one root");
        }
        sum->none += verdict[i] == TOI_VERDICT_SEPARATED;
        sum->one += verdict[i] == TOI_VERDICT_ONE_ROOT;
        sum->folded += verdict[i] == TOI_VERDICT_FOLDED;
    }
    check_crossings(o, &x, index, sum, random);
    check_contacts(o, judged, sum);
}

// What is said of the pieces holds whether or not the first stage would have asked.
static void check_folds(octet *o, tally *sum, toi_random *random)
{
    toi_folds folds;
    bool judged[LANES];
    toi_judge_folds_bounds(&o->batch, &all_lanes, &folds);
    begin_contacts(o);
    for (int i = 0; i < LANES; ++i)
        judged[i] = folds.from[0][i] == 0 && folds.to[TOI_MOST_PIECES - 1][i] == 1;
    for (int n = 0; n < TOI_MOST_PIECES; ++n) {
        int index[LANES];
        toi_crossings x = {.from = {0}};
        for (int i = 0; i < LANES; ++i) {
            double from = folds.from[n][i], to = folds.to[n][i];
            index[i] = -1;
            require(n == 0 || from == folds.to[n - 1][i], o, i, "the pieces leave a gap");
            o->unsure[i] |= folds.verdict[n][i] == TOI_VERDICT_HARD;
            if (folds.verdict[n][i] == TOI_VERDICT_SEPARATED)
                require(from >= to || has_no_root(&o->truths[i], from, to), o, i,
                        "the piece has a root");
            if (folds.verdict[n][i] == TOI_VERDICT_ONE_ROOT) {
                index[i] = only_root(&o->truths[i], from, to);
                x.from[i] = from;
                x.to[i] = to;
                require(index[i] >= 0, o, i, "the piece does not have exactly one root");
                ++sum->pieces;
            }
        }
        check_crossings(o, &x, index, sum, random);
    }
    check_contacts(o, judged, sum);
}

static void stages_tell_the_truth(void **state)
{
    (void)state;
    static octet o;
    toi_random random = {301};
    tally sum = {0};
    for (int i = 0; i < LANES; ++i)
        motion_init(&o.truths[i].motion);
    for (int64_t n = 0; n < slow_cases(10000); ++n) {
        o.kind = (toi_kind)(n % TOI_PAIR_KINDS);
        o.batch = (toi_narrow_batch){.kind = o.kind, .count = LANES, .queries = o.queries};
        for (int i = 0; i < LANES; ++i) {
            o.queries[i] = stage_query(o.kind, n / 2 + i, &random);
            find_truth(o.kind, &o.queries[i], &o.truths[i]);
        }
        check_planes(&o, &sum, &random);
        check_folds(&o, &sum, &random);
    }
    for (int i = 0; i < LANES; ++i)
        motion_clear(&o.truths[i].motion);
    print_message("  no root %lld, one %lld, folded %lld; pieces with one root %lld\n",
                  (long long)sum.none, (long long)sum.one, (long long)sum.folded,
                  (long long)sum.pieces);
    print_message("  brackets %lld, contacts %lld, times %lld and %lld from afar, decided %lld\n",
                  (long long)sum.brackets, (long long)sum.contacts, (long long)sum.times,
                  (long long)sum.shifted, (long long)sum.decided);
    assert_true(sum.none > 0 && sum.one > 0 && sum.folded > 0 && sum.pieces > 0);
    assert_true(sum.contacts > 0 && sum.times > 0 && sum.shifted > 0 && sum.decided > 0);
}

int main(void)
{
    use_long_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_tell_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
