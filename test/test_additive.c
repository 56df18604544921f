// `additive` and `additive-certified`: docs/additive.md. The certified one may miss no contact and
// may not be late; its bound is recomputed in exact arithmetic. The published one must work on
// plain cases and stay lawful on all others. `make test-long` takes ten times as many.

#include "kernel/advancement.h"

#include "exact/exact_ccd.h"
#include "exact/method_trials.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const toi_narrow_method PUBLISHED = TOI_NARROW_ADDITIVE;
static const toi_narrow_method CERTIFIED = TOI_NARROW_ADDITIVE_CERTIFIED;
static const toi_narrow_method both[2] = {TOI_NARROW_ADDITIVE, TOI_NARROW_ADDITIVE_CERTIFIED};

static toi_query_result solve(toi_narrow_method method, toi_kind kind, const toi_query *query,
                              double separation)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.min_separation = separation;
    toi_query_result r;
    assert_ok(toi_solve_queries(&def, kind, query, 1, &r));
    assert_true(well_formed(&def, &r));
    return r;
}

// ---- The bound, recomputed

typedef struct sample
{
    toi_kind kind;
    toi_query query;
    toi_pair_motion motion;
    double n[3];
    double separation;
    toi_heights heights;
} sample;

static void take_sample(sample *s, toi_random *random)
{
    contact_recipe recipe = random_recipe(random);
    s->kind = recipe.kind;
    s->query =
        toi_random_below(random, 2)
            ? make_dense_contact(&recipe, random).query
            : make_wild_contact(recipe.kind, 0, (int)toi_random_below(random, 60), random).query;
    double points[2][4][3], shrink;
    memcpy(points[0], s->query.start, sizeof points[0]);
    memcpy(points[1], s->query.end, sizeof points[1]);
    toi_take_scaled_motion(s->kind == TOI_EDGE_EDGE, points, &shrink, &s->motion);
    for (int k = 0; k < 3; ++k)
        s->n[k] = toi_random_range(random, -1, 1);
    s->n[toi_random_below(random, 3)] = 1;
    if (toi_random_below(random, 3) == 0)
        s->n[toi_random_below(random, 3)] *= 0x1p-40;
    s->separation = toi_random_below(random, 2) ? 0 : toi_random_unit(random) / s->motion.scale;
    toi_measure_heights(s->kind == TOI_EDGE_EDGE, &s->motion, s->n, s->separation * s->motion.scale,
                        &s->heights);
}

// The exact n.w of a corner at one end, scaled as the library's.
static void exact_height(const sample *s, int end, int corner, mpq_t height)
{
    mpq_t t, u, v, f[3], factor;
    mpq_inits(t, u, v, f[0], f[1], f[2], factor, NULL);
    mpq_set_ui(t, (unsigned long)end, 1);
    mpq_set_ui(u, corner % 2, 1);
    mpq_set_ui(v, corner / 2, 1);
    exact_value(s->kind, &s->query, t, u, v, f);
    mpq_set_ui(height, 0, 1);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(factor, s->n[k]);
        mpq_mul(f[k], f[k], factor);
        mpq_add(height, height, f[k]);
    }
    mpq_set_d(factor, s->motion.scale);
    mpq_mul(height, height, factor);
    mpq_clears(t, u, v, f[0], f[1], f[2], factor, NULL);
}

// Is height - at > separation |n|, exactly?
static bool is_above(const sample *s, const mpq_t height, double at)
{
    mpq_t above, square, x;
    mpq_inits(above, square, x, NULL);
    mpq_set_d(x, at);
    mpq_sub(above, height, x);
    bool positive = mpq_sgn(above) > 0;
    mpq_mul(above, above, above);
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(x, s->n[k]);
        mpq_mul(x, x, x);
        mpq_add(square, square, x);
    }
    for (int i = 0; i < 2; ++i) {
        mpq_set_d(x, i ? s->motion.scale : s->separation);
        mpq_mul(x, x, x);
        mpq_mul(square, square, x);
    }
    bool larger = mpq_cmp(above, square) > 0;
    mpq_clears(above, square, x, NULL);
    return positive && larger;
}

// Every corner is higher than its bound, and where there is no separation, not much higher than it
// must be for the bound to hold.
static void heights_hold_exactly(void **state)
{
    (void)state;
    toi_random random = {1};
    double worst = 0;
    mpq_t height, bound;
    mpq_inits(height, bound, NULL);
    for (int64_t i = 0; i < slow_cases(20000); ++i) {
        sample s;
        take_sample(&s, &random);
        double weight = 0;
        for (int k = 0; k < 3; ++k)
            weight += fabs(s.n[k]) * s.motion.size[k];
        for (int n = 0; n < 2 * s.heights.corners; ++n) {
            int end = n % 2, corner = n / 2;
            exact_height(&s, end, corner, height);
            double at = s.heights.at[end][corner];
            if (!is_above(&s, height, at)) {
                print_query(s.kind, &s.query);
                fail_msg("corner %d at t = %d is not above %a", corner, end, at);
            }
            mpq_set_d(bound, at);
            mpq_sub(bound, height, bound);
            double used = 8 - mpq_get_d(bound) / (TOI_UNIT * weight);
            if (s.separation == 0 && used > worst)
                worst = used;
        }
    }
    mpq_clears(height, bound, NULL);
    print_message("  errors of up to %.2f units, of 8 allowed\n", worst);
    assert_true(worst > 1); // else the samples are too easy
}

// (1 - t) a + t b > 0, exactly?
static bool is_positive(double a, double b, double t)
{
    mpq_t x, y, z;
    mpq_inits(x, y, z, NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_set_d(z, t);
    mpq_sub(y, y, x);
    mpq_mul(y, y, z);
    mpq_add(x, x, y);
    bool positive = mpq_sgn(x) > 0;
    mpq_clears(x, y, z, NULL);
    return positive;
}

// Up to the time returned every height is positive, and not for long after it.
static void heights_stay_positive_until(void **state)
{
    (void)state;
    toi_random random = {2};
    int64_t steps = 0, sharp = 0;
    for (int64_t i = 0; i < slow_cases(100000); ++i) {
        toi_heights h = {.corners = 3 + (int)toi_random_below(&random, 2)};
        for (int n = 0; n < 8; ++n)
            h.at[n % 2][n / 2] = ldexp(toi_random_range(&random, n % 2 ? -1 : -0.1, 1),
                                       -(int)toi_random_below(&random, 60));
        double t = toi_random_below(&random, 2) ? 0 : toi_random_unit(&random);
        double until = toi_clear_until(&h, t);
        assert_true(until >= t);
        if (until == t)
            continue;
        ++steps;
        double last = until <= 1 ? nextafter(until, 0) : 1;
        double after = until <= 1 ? until * (1 + 16 * TOI_UNIT) : 2;
        bool ends = until > 1;
        for (int c = 0; c < h.corners; ++c) {
            assert_true(is_positive(h.at[0][c], h.at[1][c], t));
            assert_true(is_positive(h.at[0][c], h.at[1][c], last));
            ends |= !is_positive(h.at[0][c], h.at[1][c], after);
        }
        sharp += ends;
    }
    assert_true(steps > 1000);
    assert_int_equal(sharp, steps);
}

// ---- The certified method

static void no_contact_is_missed(void **state)
{
    (void)state;
    try_contacts(CERTIFIED, slow_cases(1000), 3);
}

static void no_wild_contact_is_missed(void **state)
{
    (void)state;
    try_wild_contacts(CERTIFIED, slow_cases(200), 4);
}

static void spent_budget_leaves_a_lower_bound(void **state)
{
    (void)state;
    try_spent_budgets(CERTIFIED, slow_cases(200), 5);
}

static void t_max_prunes_nothing_it_should_not(void **state)
{
    (void)state;
    try_t_max(CERTIFIED, slow_cases(60), 6);
}

static void other_queries_do_not_matter(void **state)
{
    (void)state;
    try_any_batch(CERTIFIED, 0, slow_cases(12), 7);
    try_any_batch(CERTIFIED, 1e-3, slow_cases(12), 8);
    try_any_batch(PUBLISHED, 1e-3, slow_cases(12), 9);
}

static void random_queries_agree_with_exact(void **state)
{
    (void)state;
    tally sum = try_uniform_exactly(CERTIFIED, slow_cases(20000), 10);
    assert_true(sum.false_hits <= sum.apart / 500);
    try_nudged_exactly(CERTIFIED, slow_cases(10000), 11);
}

// Is |F(time, u, v)| <= separation, exactly, in the Euclidean norm?
static bool touches_at_separation(toi_kind kind, const contact *c)
{
    mpq_t t, u, v, f[3], x;
    mpq_inits(t, u, v, f[0], f[1], f[2], x, NULL);
    mpq_set_d(t, c->time);
    mpq_set_d(u, c->u);
    mpq_set_d(v, c->v);
    exact_value(kind, &c->query, t, u, v, f);
    mpq_set_d(x, c->separation);
    mpq_mul(x, x, x);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(f[k], f[k], f[k]);
        mpq_sub(x, x, f[k]);
    }
    bool within = mpq_sgn(x) >= 0;
    mpq_clears(t, u, v, f[0], f[1], f[2], x, NULL);
    return within;
}

// Points that come as close as the separation in the Euclidean norm are reported for it.
static void separation_is_kept(void **state)
{
    (void)state;
    static trial t;
    toi_random random = {12};
    for (int64_t batch = 0; batch < slow_cases(200); ++batch) {
        contact_recipe recipe = random_recipe(&random);
        recipe.gap =
            (int64_t)toi_random_below(&random, (uint64_t)1 << toi_random_below(&random, 24));
        toi_narrow_def def = method_def(CERTIFIED, recipe.exponent, &random);
        if (batch % 2)
            def.max_iterations = 1 + (int)toi_random_below(&random, 60);
        make_trial(&recipe, &t, &random);
        def.min_separation = t.contacts[0].separation;
        int count = 0;
        for (int i = 0; i < t.count; ++i)
            if (touches_at_separation(t.kind, &t.contacts[i]))
                t.contacts[count++] = t.contacts[i];
        assert_true(count > BATCH / 4);
        t.count = count;
        solve_trial(&def, &t);
    }
}

// ---- Both, on cases that a person can check

// A vertex at `height` over a wide face comes down through it, and may slide meanwhile.
static toi_query falling_vertex(double height, double depth, double slide)
{
    toi_query q = {{{0.25, 0.25, height}, {-99, -99, 0}, {99, -99, 0}, {0, 99, 0}},
                   {{0.25 + slide, 0.25, -depth}, {-99, -99, 0}, {99, -99, 0}, {0, 99, 0}}};
    return q;
}

// While the gap shrinks evenly a hit is early by less than sqrt(0.1) of its time, or 0.1 of it
// where all of the motion is approach; the certified one by less than 2^-10.
static void times_are_early_by_the_documented_share(void **state)
{
    (void)state;
    toi_random random = {13};
    double worst = 0;
    for (int64_t i = 0; i < slow_cases(3000); ++i) {
        double height = ldexp(1 + toi_random_unit(&random), -(int)toi_random_below(&random, 20));
        double depth = height * toi_random_unit(&random);
        double slide = i % 2 ? 0 : (height + depth) * toi_random_range(&random, -4, 4);
        toi_query q = falling_vertex(height, depth, slide);
        double time = height / (height + depth);
        toi_query_result published = solve(PUBLISHED, TOI_VERTEX_FACE, &q, 0);
        toi_query_result certified = solve(CERTIFIED, TOI_VERTEX_FACE, &q, 0);
        assert_int_equal(published.state, TOI_HIT);
        assert_int_equal(certified.state, TOI_HIT);
        double early = 1 - published.time / time;
        assert_true(early < (slide == 0 ? 0.1 + 1e-9 : sqrt(0.1)) && early > 0);
        worst = fmax(worst, early);
        assert_true(certified.time <= time && certified.time > time * (1 - 0x1p-10));
    }
    print_message("  published: early by up to %.3f of the time\n", worst);
    assert_true(worst > 0.25);
}

static void places_and_normals(void **state)
{
    (void)state;
    toi_query q = {{{0.25, 0.5, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                   {{0.25, 0.5, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    toi_query e = {{{-1, 0, 1}, {1, 0, 1}, {0.5, -1, 0}, {0.5, 3, 0}},
                   {{-1, 0, -2}, {1, 0, -2}, {0.5, -1, 0}, {0.5, 3, 0}}};
    for (int m = 0; m < 2; ++m) {
        toi_query_result r = solve(both[m], TOI_VERTEX_FACE, &q, 0);
        assert_true(fabs(r.u - 0.25) < 1e-12 && fabs(r.v - 0.5) < 1e-12 && r.normal[2] == 1);
        r = solve(both[m], TOI_EDGE_EDGE, &e, 0);
        assert_true(r.state == TOI_HIT && r.time <= 1.0 / 3 && r.time > 0.29);
        assert_true(fabs(r.u - 0.75) < 1e-12 && fabs(r.v - 0.25) < 1e-12 && r.normal[2] == 1);
        // In touch from the start: the normal of the face, against the motion.
        toi_query touching = q;
        touching.start[0][2] = 0;
        r = solve(both[m], TOI_VERTEX_FACE, &touching, 0);
        assert_true(r.state == TOI_HIT && r.time == 0 && r.normal[2] == 1);
    }
}

// What moves alike never comes closer, however far it goes.
static void common_motion_is_no_motion(void **state)
{
    (void)state;
    const double far[3] = {0x1p20, -0x1p30, 0x1p10};
    for (int m = 0; m < 2; ++m)
        for (int moves = 0; moves < 2; ++moves)
            for (int gap = 0; gap < 2; ++gap) {
                toi_query q = falling_vertex(gap * 0x1p-10, 0, 0);
                for (int c = 0; c < 4; ++c)
                    for (int k = 0; k < 3; ++k)
                        q.end[c][k] = q.start[c][k] + moves * far[k];
                toi_query_result r = solve(both[m], TOI_VERTEX_FACE, &q, 0);
                assert_int_equal(r.state, gap ? TOI_SEPARATED : TOI_HIT);
                assert_true(gap || r.time == 0);
                // The separation is reached from the start, or never.
                assert_int_equal(solve(both[m], TOI_VERTEX_FACE, &q, 0x1p-10).state, TOI_HIT);
                assert_int_equal(solve(both[m], TOI_VERTEX_FACE, &q, 0x1p-11).state,
                                 gap ? TOI_SEPARATED : TOI_HIT);
            }
}

// A vertex passes a face's side at a twentieth of its first distance: the published method takes
// that for a hit, the certified one follows it past.
static void published_method_reports_what_comes_close(void **state)
{
    (void)state;
    toi_query q = {{{-1, 1.05, 1}, {-9, -9, 0}, {9, -9, 0}, {0, 1, 0}},
                   {{1, 1.05, -1}, {-9, -9, 0}, {9, -9, 0}, {0, 1, 0}}};
    assert_int_equal(solve(PUBLISHED, TOI_VERTEX_FACE, &q, 0).state, TOI_HIT);
    assert_int_equal(solve(CERTIFIED, TOI_VERTEX_FACE, &q, 0).state, TOI_SEPARATED);
}

// Rounding carries the first step of the published method past the contact: time must not go back.
// Found by the trials below, ten times as many of them.
static void time_does_not_go_back(void **state)
{
    (void)state;
    const toi_query q = {
        {{-0x1.764013d522b76p-1022, 0x0.766e0712ac864p-1022, -0x1.85699bbaae39bp-1021},
         {0x1.be4785fc6c93p-1022, -0x1.5170df510e02ep-1021, 0},
         {0x1.be4785fc6c93p-1022, -0x1.5170df510e02ep-1021, -DBL_TRUE_MIN},
         {-0x1.7ea60c4f11ebdp-1021, 0x1.8e0276639e581p-1021, 0x1.2c754f68c3b1fp-1021}},
        {{-0x0.53ed17ff64ec8p-1022, -0x1.308baf242082cp-1022, -0x1.69c07eb6c7481p-1021},
         {0x1.eed338ad34683p-1021, 0, -0x1.8ee11f3a748d9p-1022},
         {0x1.bea584fde9bd9p-1021, -0x1.32c83e6b33c46p-1022, -0x0.cbf5eaddc8a36p-1022},
         {0x0.39e5210cea3cfp-1022, -0x1.f3ade7083e0eep-1021, -0x1.fe460bd4fb275p-1021}}};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = PUBLISHED;
    def.min_separation = DBL_TRUE_MIN;
    def.max_iterations = 300;
    toi_query_result r;
    assert_ok(toi_solve_queries(&def, TOI_EDGE_EDGE, &q, 1, &r));
    assert_true(well_formed(&def, &r));
    assert_true(r.time >= 0);
}

static void anything_gives_a_lawful_result(void **state)
{
    (void)state;
    try_anything(PUBLISHED, slow_cases(20000), 14);
    try_anything(CERTIFIED, slow_cases(20000), 15);
}

static void enough_were_checked_on_the_face(void **state)
{
    (void)state;
    close_trials(slow_cases(700000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_hold_exactly),
        cmocka_unit_test(heights_stay_positive_until),
        cmocka_unit_test(no_contact_is_missed),
        cmocka_unit_test(no_wild_contact_is_missed),
        cmocka_unit_test(spent_budget_leaves_a_lower_bound),
        cmocka_unit_test(t_max_prunes_nothing_it_should_not),
        cmocka_unit_test(other_queries_do_not_matter),
        cmocka_unit_test(random_queries_agree_with_exact),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(times_are_early_by_the_documented_share),
        cmocka_unit_test(places_and_normals),
        cmocka_unit_test(common_motion_is_no_motion),
        cmocka_unit_test(published_method_reports_what_comes_close),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(anything_gives_a_lawful_result),
        cmocka_unit_test(enough_were_checked_on_the_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
