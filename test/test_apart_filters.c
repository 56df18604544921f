// What `exact` with a separation decides before the last bit, recomputed without a rounding:
// margins and pieces of a turning direction, the lengths of directions, bounds of the initial
// distance; and its verdicts against the slow twin. In single precision;
// test_apart_filters_double.c takes the other.
//
// Looks inside: the stages are compiled into this file.

#define TOI_ISA bounds
#ifdef TOI_TEST_DOUBLE
#include "narrow/apart_double_isa.c"
#else
#include "narrow/apart_single_isa.c"
#endif

#include "exact/apart_queries.h"
#include "exact/apart_twin.h"
#include "exact/exact_motion.h"
#include "exact/trial.h"

#include <stdlib.h>

// ---- Directions

// A power of two in [-most, most], now and then at an end.
static double random_power(int most, toi_random *random)
{
    int exponent = (int)toi_random_below(random, (uint64_t)(2 * most + 1)) - most;
    return ldexp(1, toi_random_below(random, 8) ? exponent : exponent < 0 ? -most : most);
}

// |n|^2 - 1 without a rounding.
static int compare_to_one(const toi_real n[3])
{
    mpf_t sum, x;
    mpf_inits(sum, x, NULL);
    for (int k = 0; k < 3; ++k) {
        mpf_set_d(x, (double)n[k][0]);
        mpf_mul(x, x, x);
        mpf_add(sum, sum, x);
    }
    int sign = mpf_cmp_ui(sum, 1);
    mpf_clears(sum, x, NULL);
    return sign;
}

// Whatever the vector, from the least numbers to the largest. Without the factor below 1 the same
// check fails: a quotient by a rounded length is longer than 1 every other time.
static void directions_are_not_longer_than_1(void **state)
{
    (void)state;
    toi_random random = {501};
    int64_t longer = 0, taken = 0;
    for (int64_t i = 0; i < slow_cases(200000); ++i) {
        toi_real f[3], n[3], plain[3], length;
        double scale = random_power(i % 2 ? 60 : TOI_EXPONENTS / 2 + 30, &random);
        for (int k = 0; k < 3; ++k) {
            double spread = i % 3 ? 1 : random_power(30, &random);
            f[k] = TOI_SPREAD((toi_number)(toi_random_range(&random, -1, 1) * scale * spread));
        }
        // Where the length overflows, the direction is zero or no number, and proves nothing.
        if (!toi_take_direction(f, &length, n)[0] || isinf((double)length[0]))
            continue;
        ++taken;
        for (int k = 0; k < 3; ++k)
            plain[k] = f[k] / length;
        longer += compare_to_one(plain) > 0;
        if (compare_to_one(n) > 0)
            fail_msg("(%a, %a, %a) gives a direction longer than 1", (double)f[0][0],
                     (double)f[1][0], (double)f[2][0]);
        assert_true((double)toi_dot(n, n)[0] > 1 - 64 * (double)TOI_UNIT);
    }
    print_message("  %lld directions; %lld would be longer without the factor\n", (long long)taken,
                  (long long)longer);
    assert_true(longer > taken / 20 && taken > slow_cases(200000) / 10);
}

// ---- One query in the first lane

typedef struct one_query
{
    toi_narrow_def def;
    toi_narrow_batch batch;
    toi_apart_query of;
    toi_apart_source source;
    toi_searched searched;
    int32_t list[1];
    toi_query_result result;
    toi_query query;
    apart_answer truth;
    double scale; // of the lane
    double share;
    toi_turning_lanes lanes;
} one_query;

static void load_query(toi_kind kind, one_query *a, toi_turning *q)
{
    const int32_t queries[TOI_LANES] = {0};
    double scale[TOI_LANES];
    if (kind == TOI_EDGE_EDGE)
        toi_load_turning(1, &a->source, queries, 1, q, scale);
    else
        toi_load_turning(0, &a->source, queries, 1, q, scale);
    a->scale = scale[0];
}

static void ask(const apart_group *group, int i, one_query *a)
{
    double least = group->separation, share = group->share;
    memset(a, 0, sizeof *a);
    a->query = group->queries[i];
    a->share = share;
    a->truth = twin_apart_relative(group->kind, &a->query, least, share, group->t_max);
    a->def = toi_default_narrow_def();
    a->def.min_separation = least;
    a->def.t_max = group->t_max;
    a->batch = (toi_narrow_batch){.def = &a->def,
                                  .kind = group->kind,
                                  .count = 1,
                                  .queries = &a->query,
                                  .relative = share,
                                  .results = &a->result};
    a->of = (toi_apart_query){
        .base = toi_base_separation(least, share), .share = share, .inner = least};
    a->source = (toi_apart_source){&a->batch, &a->of};
    a->searched.lo = -1;
    a->lanes = (toi_turning_lanes){
        .source = &a->source, .list = a->list, .count = 1, .searched = &a->searched};
    toi_turning unused;
    memset(&unused, 0, sizeof unused);
    load_query(group->kind, a, &unused);
}

// A group of pairs, with and without a share.
static apart_group make_group(int64_t number, toi_random *random)
{
    apart_group group;
    do
        group = number % 4 == 3
                    ? make_relative_group(random)
                    : make_apart_group((apart_family)(number % 4 % APART_FAMILIES), random);
    while (group.kind >= TOI_PAIR_KINDS);
    return group;
}

// ---- Pieces

typedef struct end_of_piece
{
    double time;
    toi_real n[3];
} end_of_piece;

// Adds the height of a corner at t along n.
static void add_height(exact_motion *exact, double t, int corner, const toi_real n[3], mpf_t sum)
{
    mpf_t at[3][3], time, x, w;
    mpf_inits(time, x, w, NULL);
    for (int i = 0; i < 9; ++i)
        mpf_init(at[i / 3][i % 3]);
    mpf_set_d(time, t);
    motion_at(exact, time, at);
    for (int k = 0; k < 3; ++k) {
        mpf_set(w, at[0][k]);
        if (corner & 1)
            mpf_add(w, w, at[1][k]);
        if (corner & 2)
            mpf_add(w, w, at[2][k]);
        mpf_set_d(x, (double)n[k][0]);
        mpf_mul(w, w, x);
        mpf_add(sum, sum, w);
    }
    for (int i = 0; i < 9; ++i)
        mpf_clear(at[i / 3][i % 3]);
    mpf_clears(time, x, w, NULL);
}

// All three coefficients of every corner exceed the separation, which is scaled like the motion.
static bool piece_is_clear(exact_motion *exact, toi_kind kind, const end_of_piece ends[2],
                           double separation)
{
    bool clear = true;
    mpf_t twice, s;
    mpf_inits(twice, s, NULL);
    mpf_set_d(s, separation);
    mpf_mul_ui(s, s, 2);
    for (int corner = 0; corner < (kind == TOI_EDGE_EDGE ? 4 : 3); ++corner)
        for (int number = 0; number < 3; ++number) {
            int a = number > 0, b = number > 1; // the blossom's two arguments
            mpf_set_ui(twice, 0);
            add_height(exact, ends[a].time, corner, ends[b].n, twice);
            add_height(exact, ends[b].time, corner, ends[a].n, twice);
            clear &= mpf_cmp(twice, s) > 0;
        }
    mpf_clears(twice, s, NULL);
    return clear;
}

// What the checks have seen.
typedef struct tally
{
    int64_t pieces, apart, inside, found, stuck;
} tally;

static void check_verdict(const one_query *a, bool apart, bool inside, bool found, tally *t)
{
    const apart_answer *truth = &a->truth;
    double clear = (double)a->lanes.q.clear[0];
    bool wrong =
        (apart && truth->hit) || (found && truth->hit && truth->time < clear) ||
        (a->lanes.q.began_inside[0] && !truth->starts_inside) ||
        (clear >= 0 && a->share > 0 && !a->lanes.q.began_inside[0] && truth->starts_inside);
    if (wrong) {
        print_query(a->batch.kind, &a->query);
        fail_msg("separation %a: %s at %a, said to be %s up to %a", truth->separation,
                 truth->hit ? "a hit" : "none", truth->time, apart ? "apart" : "clear", clear);
    }
    t->apart += apart;
    t->inside += inside;
    t->found += found;
    t->stuck += !apart && !inside && !found;
}

// Runs the search, and recomputes every piece that it accepts.
static void check_search(int edge_edge, one_query *a, exact_motion *exact, tally *t)
{
    toi_turning *q = &a->lanes.q;
    double separation = a->truth.separation * a->scale;
    toi_real t_max = TOI_SPREAD((toi_number)toi_cull_time(a->def.t_max) * (1 + 2 * TOI_UNIT));
    end_of_piece ends[2];
    motion_take(exact, a->batch.kind, &a->query, a->scale);
    load_query(a->batch.kind, a, q);
    q->next = TOI_SPREAD(0);
    q->clear = TOI_SPREAD(-1);
    for (;;) {
        ends[0].time = (double)q->clear[0];
        memcpy(ends[0].n, q->n, sizeof ends[0].n);
        toi_turned turned = ends[0].time < 0 ? toi_turn_lanes(edge_edge, TOI_ALL_BEGIN, &t_max, q)
                                             : toi_turn_lanes(edge_edge, TOI_NONE_BEGIN, &t_max, q);
        bool inside = q->began_inside[0] && q->share[0] <= 0;
        ends[1].time = (double)q->clear[0];
        memcpy(ends[1].n, q->n, sizeof ends[1].n);
        if (ends[0].time < 0)
            ends[0] = ends[1];
        if (ends[1].time > ends[0].time || (ends[1].time == 0 && !inside)) {
            ++t->pieces;
            assert_true((double)q->separation[0] >= separation);
            if (compare_to_one(ends[1].n) > 0 ||
                !piece_is_clear(exact, a->batch.kind, ends, separation)) {
                print_query(a->batch.kind, &a->query);
                fail_msg("separation %a: not clear from %a to %a", a->truth.separation,
                         ends[0].time, ends[1].time);
            }
        }
        if (turned.apart[0] | turned.found[0] | turned.stuck[0] || inside) {
            check_verdict(a, turned.apart[0], inside, turned.found[0], t);
            break;
        }
    }
}

static void pieces_are_clear(void **state)
{
    (void)state;
    toi_random random = {502};
    exact_motion exact;
    motion_init(&exact);
    tally t = {0};
    for (int64_t i = 0; i < slow_cases(1200); ++i) {
        apart_group group = make_group(i, &random);
        one_query a;
        for (int j = 0; j < APART_GROUP; ++j) {
            ask(&group, j, &a);
            // A length of more digits than a double has needs no checking.
            if (a.scale == 0 || a.truth.separation * a.scale < 0x1p-900)
                continue;
            if (group.kind == TOI_EDGE_EDGE)
                check_search(1, &a, &exact, &t);
            else
                check_search(0, &a, &exact, &t);
        }
    }
    motion_clear(&exact);
    print_message("  %lld pieces; %lld apart, %lld inside, %lld found, %lld stuck\n",
                  (long long)t.pieces, (long long)t.apart, (long long)t.inside, (long long)t.found,
                  (long long)t.stuck);
    assert_true(t.pieces > slow_cases(1200) && t.apart > 0 && t.inside > 0 && t.found > 0);
}

// ---- The initial distance

// The length of the foot of the perpendicular on the figure's plane, which may miss the figure.
static toi_real plane_length(const toi_turning *q, const toi_real *slack)
{
    toi_real n[3];
    toi_cross(q->e[0], q->g[0], n);
    return toi_abs(toi_dot(q->p[0], n)) / toi_sqrt(toi_dot(n, n)) + *slack;
}

// The bound is one, whatever the nearest point was taken for, and a close one; the distance of the
// plane is not.
static void initial_distances_are_bounded(void **state)
{
    (void)state;
    toi_random random = {503};
    int64_t checked = 0, close = 0, plane_fails = 0;
    for (int64_t i = 0; i < slow_cases(1200); ++i) {
        apart_group group = make_relative_group(&random);
        one_query a;
        for (int j = 0; j < APART_GROUP && group.kind < TOI_PAIR_KINDS; ++j) {
            ask(&group, j, &a);
            double distance = twin_distance(group.kind, &a.query);
            toi_turning *q = &a.lanes.q;
            if (a.scale == 0 || !isfinite(distance))
                continue;
            bool edge_edge = group.kind == TOI_EDGE_EDGE;
            load_query(group.kind, &a, q);
            toi_near_point near, wild;
            toi_real slack = toi_turning_slack(q);
            toi_find_near_point(edge_edge, q->p[0], q->e[0], q->g[0], &near);
            wild = near;
            wild.u = TOI_SPREAD((toi_number)toi_random_range(&random, -2, 3));
            wild.v = TOI_SPREAD((toi_number)toi_random_range(&random, -2, 3));
            toi_real length = toi_real_length(edge_edge, q->p[0], q->e[0], q->g[0], &near, &slack);
            toi_real other = toi_real_length(edge_edge, q->p[0], q->e[0], q->g[0], &wild, &slack);
            toi_real plane = plane_length(q, &slack);
            double true_length = distance * a.scale; // below the truth by a rounding at most
            assert_true((double)length[0] >= true_length && (double)other[0] >= true_length);
            close += (double)length[0] < true_length + 128 * (double)TOI_UNIT;
            plane_fails += (double)plane[0] < true_length;
            ++checked;
        }
    }
    print_message("  %lld distances, %lld bounds close; the plane's would fail in %lld\n",
                  (long long)checked, (long long)close, (long long)plane_fails);
    assert_true(checked > slow_cases(1200) && close > checked / 2 && plane_fails > checked / 50);
}

#ifndef TOI_TEST_DOUBLE

// ---- The filter in front

static void filter_drops_no_hit(void **state)
{
    (void)state;
    toi_random random = {504};
    int64_t dropped = 0, axes = 0;
    for (int64_t i = 0; i < slow_cases(1500); ++i) {
        apart_group group = make_group(i, &random);
        one_query a;
        int32_t left[1];
        for (int j = 0; j < APART_GROUP; ++j) {
            ask(&group, j, &a);
            if (toi_filter_apart_bounds(&a.batch, &a.of, left) == 1)
                continue;
            ++dropped;
            axes += a.result.rung == TOI_RUNG_AXIS;
            if (a.truth.hit) {
                print_query(group.kind, &a.query);
                fail_msg("separation %a, t_max %a: a hit at %a, but dropped", a.truth.separation,
                         group.t_max, a.truth.time);
            }
        }
    }
    print_message("  dropped %lld, %lld of them by an axis\n", (long long)dropped, (long long)axes);
    assert_true(axes > 0 && dropped - axes > slow_cases(1500) / 10);
}

// ---- The whole ladder on every instruction set

static void solve_group(const apart_group *group, bool culled, void *scratch,
                        toi_query_result results[APART_GROUP])
{
    toi_narrow_def def = toi_default_narrow_def();
    def.min_separation = group->separation;
    def.t_max = group->t_max;
    toi_narrow_batch batch = {.def = &def,
                              .kind = group->kind,
                              .count = APART_GROUP,
                              .queries = group->queries,
                              .relative = group->share,
                              .culled = culled,
                              .results = results,
                              .scratch = scratch};
    memset(results, 0x55, APART_GROUP * sizeof *results);
    toi_solve_exact(&batch);
}

// Rungs, places and normals included.
static void every_level_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    toi_random random = {505};
    void *scratch = aligned_alloc(64, (size_t)toi_narrow_scratch_bytes(TOI_NARROW_EXACT));
    int64_t hits = 0;
    for (int64_t i = 0; i < slow_cases(4000); ++i) {
        apart_group group = make_group(i, &random);
        toi_query_result first[APART_GROUP], other[APART_GROUP];
        for (int level = 0; level < 3; ++level) {
            if (toi_set_simd(levels[level]) != TOI_OK)
                break;
            solve_group(&group, i % 2, scratch, level == 0 ? first : other);
            if (level > 0)
                assert_memory_equal(first, other, sizeof first);
        }
        for (int j = 0; j < APART_GROUP; ++j)
            hits += first[j].state == TOI_HIT;
    }
    toi_set_simd(NULL);
    free(scratch);
    assert_true(hits > slow_cases(4000));
}

// ---- Places

static double distance_then(const toi_query *q, toi_kind kind, double t, double x[4][3])
{
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            x[c][k] = (1 - t) * q->start[c][k] + t * q->end[c][k];
    return kind == TOI_EDGE_EDGE ? toi_edge_edge_distance(x[0], x[1], x[2], x[3], NULL)
                                 : toi_point_triangle_distance(x[0], x[1], x[2], x[3], NULL);
}

// The points named are as far apart as the primitives are at that time, which is the separation but
// for the time's rounding, and the normal points from the second to the first.
static void places_are_the_closest_points(void **state)
{
    (void)state;
    toi_random random = {506};
    void *scratch = aligned_alloc(64, (size_t)toi_narrow_scratch_bytes(TOI_NARROW_EXACT));
    int64_t hits = 0;
    for (int64_t i = 0; i < slow_cases(4000); ++i) {
        apart_group group = make_group(0, &random);
        toi_query_result results[APART_GROUP];
        solve_group(&group, false, scratch, results);
        for (int j = 0; j < APART_GROUP; ++j) {
            const toi_query_result *r = &results[j];
            double x[4][3], gap[3], size = 0;
            if (r->state != TOI_HIT)
                continue;
            double distance = distance_then(&group.queries[j], group.kind, r->time, x);
            for (int k = 0; k < 3; ++k) {
                double a[3] = {x[1][k] - x[0][k], x[3][k] - x[2][k], x[2][k] - x[1][k]};
                gap[k] = group.kind == TOI_EDGE_EDGE
                             ? (x[0][k] - x[2][k]) + r->u * a[0] - r->v * a[1]
                             : -a[0] - r->u * a[2] - r->v * (x[3][k] - x[1][k]);
                for (int c = 0; c < 4; ++c)
                    size = fmax(size, fabs(x[c][k]));
            }
            double length = sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]);
            double along = gap[0] * r->normal[0] + gap[1] * r->normal[1] + gap[2] * r->normal[2];
            assert_true(fabs(length - distance) <= 0x1p-40 * size);
            assert_true(fabs(along - length) <= 0x1p-40 * size);
            if (r->time > 0 && group.share == 0)
                assert_true(fabs(distance - group.separation) <= 0x1p-40 * size);
            ++hits;
        }
    }
    free(scratch);
    assert_true(hits > slow_cases(4000));
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_not_longer_than_1),
        cmocka_unit_test(pieces_are_clear),
        cmocka_unit_test(initial_distances_are_bounded),
#ifndef TOI_TEST_DOUBLE
        cmocka_unit_test(filter_drops_no_hit),
        cmocka_unit_test(every_level_gives_the_same_bytes),
        cmocka_unit_test(places_are_the_closest_points),
#endif
    };
    use_long_numbers();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
