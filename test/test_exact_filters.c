// What `exact` decides before any root is looked for: separating directions in single precision,
// with their bound recomputed (docs/exact.md, sections 1 and 2), and the culling of candidates,
// against exact answers, for any t_max.
//
// Looks inside: the filter is compiled into this file.

#define TOI_ISA bounds
#include "narrow/exact_filter_isa.c"

#include "exact/exact_motion.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "exact/twin.h"

#include <stdlib.h>

// ---- The slack of a direction, in single precision

// A query up to t_max, and a direction.
typedef struct sample
{
    toi_kind kind;
    toi_query query;
    double t_max;
    float direction[3];
} sample;

// Loads one query into all lanes. Returns whether the filter would trust single precision with it.
static bool load_sample(const sample *s, toi_pair_motion *m, toi_real *separation)
{
    static const int corners[TOI_PAIR_KINDS][3][2] = {{{0, 1}, {1, 2}, {1, 3}},
                                                      {{0, 2}, {1, 0}, {2, 3}}};
    toi_motion_rows rows;
    memset(&rows, 0, sizeof rows);
    for (int part = 0; part < 3; ++part) {
        toi_wide_motion_row d = {0};
        toi_motion_row row;
        const int *c = corners[s->kind][part];
        for (int k = 0; k < 3; ++k) {
            d[k] = s->query.start[c[0]][k] - s->query.start[c[1]][k];
            d[4 + k] = s->query.end[c[0]][k] - s->query.end[c[1]][k];
        }
        if (s->t_max < 1)
            toi_stop_row(&d, s->t_max);
        row = __builtin_convertvector(d, toi_motion_row);
        for (int lane = 0; lane < TOI_LANES; ++lane)
            (part == 0 ? rows.p : part == 1 ? rows.e : rows.g)[lane] = row;
    }
    toi_mask wild = toi_load_motion(&rows, m, separation);
    return !wild[0];
}

// The corner of F number `place` at t, on axis k.
static void exact_corner(mpf_t at[3][3], int place, int k, mpf_t w)
{
    mpf_set(w, at[0][k]);
    if (place & 1)
        mpf_add(w, w, at[1][k]);
    if (place & 2)
        mpf_add(w, w, at[2][k]);
}

// Errors of d.w over the corners at one end of the step.
static double end_error(const sample *s, toi_real w[TOI_MAX_CORNERS][3], int from, int corners,
                        mpf_t at[3][3])
{
    toi_real d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = TOI_SPREAD(s->direction[k]);
    double worst = 0;
    mpf_t sum, x, y;
    mpf_inits(sum, x, y, NULL);
    for (int c = 0; c < corners; ++c) {
        toi_real dot = toi_dot(d, w[from + c]);
        mpf_set_ui(sum, 0);
        for (int k = 0; k < 3; ++k) {
            exact_corner(at, c, k, x);
            mpf_set_d(y, s->direction[k]);
            mpf_mul(x, x, y);
            mpf_add(sum, sum, x);
        }
        worst = fmax(worst, error_of(dot[0], sum));
    }
    mpf_clears(sum, x, y, NULL);
    return worst;
}

static double direction_ratio(const sample *s, exact_motion *exact)
{
    toi_pair_motion m;
    toi_real separation, w[TOI_MAX_CORNERS][3], d[3];
    if (!load_sample(s, &m, &separation))
        return 0;
    motion_take(exact, s->kind, &s->query, 1);
    int corners = toi_corners(s->kind == TOI_EDGE_EDGE, &m, w) / 2;
    mpf_t at[3][3], t;
    mpf_init(t);
    for (int i = 0; i < 9; ++i)
        mpf_init(at[i / 3][i % 3]);
    double error = 0;
    for (int end = 0; end < 2; ++end) {
        mpf_set_d(t, end ? s->t_max : 0);
        motion_at(exact, t, at);
        error = fmax(error, end_error(s, w, end * corners, corners, at));
    }
    for (int i = 0; i < 9; ++i)
        mpf_clear(at[i / 3][i % 3]);
    mpf_clear(t);
    for (int k = 0; k < 3; ++k)
        d[k] = TOI_SPREAD(s->direction[k]);
    toi_real slack = toi_direction_slack(&m, d, &separation);
    return error / (double)slack[0];
}

// Sizes over most of the range of single precision, and directions of any length that can come up
// with them.
static sample random_sample(toi_kind kind, toi_random *random)
{
    static const int exponents[] = {0, 0, -38, 45, -145};
    static const int spreads[] = {0, 0, 8, 30, 120};
    sample s = {.kind = kind, .t_max = toi_random_below(random, 2) ? 1 : toi_random_unit(random)};
    int exponent = exponents[toi_random_below(random, 5)];
    int spread = spreads[toi_random_below(random, 5)];
    for (int i = 0; i < 24; ++i)
        (&s.query.start[0][0])[i] =
            ldexp(toi_random_range(random, -1, 1),
                  exponent - (int)toi_random_below(random, (uint64_t)spread + 1));
    int length = toi_random_below(random, 2) ? 0 : (int)toi_random_below(random, 150) - 110;
    int large = (int)toi_random_below(random, 3);
    for (int c = 0; c < 4 && exponent == -145; ++c) // one axis far above the others
        s.query.start[c][large] = toi_random_range(random, -1, 1);
    for (int k = 0; k < 3; ++k)
        if (exponent != -145 || k != large)
            s.direction[k] = (float)ldexp(toi_random_range(random, -1, 1), length);
    return s;
}

static double change(double x, toi_random *random)
{
    switch (toi_random_below(random, 3)) {
    case 0: // by about a unit of single precision
        return x * (1 + (toi_random_unit(random) - 0.5) * 0x1p-22);
    case 1:
        return x * (1 + ldexp(toi_random_range(random, -1, 1), -(int)toi_random_below(random, 24)));
    default:
        return x * toi_random_range(random, 0.5, 1.5);
    }
}

static sample change_sample(const sample *old, toi_random *random)
{
    sample s = *old;
    for (int n = (int)toi_random_below(random, 3); n >= 0; --n) {
        double *x = &s.query.start[0][0] + toi_random_below(random, 24);
        *x = change(*x, random);
        if (toi_random_below(random, 2)) {
            float *d = &s.direction[toi_random_below(random, 3)];
            *d = (float)fmin(fmax(change(*d, random), -0x1p40), 0x1p40);
        }
        if (s.t_max < 1 && toi_random_below(random, 4) == 0)
            s.t_max = fmin(change(s.t_max, random), 0.999);
    }
    return s;
}

// Climbs from random samples, a few changed numbers at a time.
static void direction_error_is_below_12(void **state)
{
    (void)state;
    toi_random random = {401};
    exact_motion exact;
    motion_init(&exact);
    double worst = 0;
    for (int64_t start = 0; start < slow_cases(40); ++start) {
        sample best = random_sample((toi_kind)(start % TOI_PAIR_KINDS), &random);
        double ratio = direction_ratio(&best, &exact);
        for (int step = 0; step < 4000; ++step) {
            sample next = change_sample(&best, &random);
            double r = direction_ratio(&next, &exact);
            if (r >= ratio) {
                ratio = r;
                best = next;
            }
        }
        worst = fmax(worst, ratio);
    }
    motion_clear(&exact);
    print_message("  directions: error at most %.2f u of the size; allowed 12\n", 12 * worst);
    assert_true(worst <= 1);
    if (!getenv("TOI_SANITIZED")) // else the search is no search
        assert_true(worst > 0.2);
}

// ---- The filter, query by query

typedef struct batch
{
    toi_kind kind;
    toi_query queries[BATCH];
    toi_query_result results[BATCH];
    twin_answer truth[BATCH];
    int32_t left[BATCH];
} batch;

// Sizes at the ends of what single and double precision can hold, where differences overflow or
// vanish; now and then one axis alone.
static toi_query extreme_query(toi_random *random)
{
    static const int exponents[] = {1023, 1024, 970, 127, 50, -39, -60, -126, -149, -1060};
    int exponent[3];
    toi_query q;
    for (int k = 0; k < 3; ++k)
        exponent[k] = toi_random_below(random, 3) ? 0 : exponents[toi_random_below(random, 10)];
    for (int i = 0; i < 24; ++i)
        (&q.start[0][0])[i] = ldexp(toi_random_range(random, -1, 1), exponent[i % 3]);
    return q;
}

// Small, and touching so soon that the time is rounded down to zero: the last moment that matters
// is then the next double, not zero.
static toi_query sudden_query(toi_kind kind, toi_random *random)
{
    static const double places[TOI_PAIR_KINDS][4][2] = {{{1, 1}, {0, 0}, {4, 0}, {0, 4}},
                                                        {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    toi_query q = {0};
    double gap = ldexp(toi_random_range(random, 0.5, 1), -50 - (int)toi_random_below(random, 10));
    double depth = ldexp(toi_random_range(random, 0.5, 1), 1023);
    for (int c = 0; c < 4; ++c) {
        bool first = c < (kind == TOI_EDGE_EDGE ? 2 : 1);
        for (int k = 0; k < 2; ++k)
            q.start[c][k] = q.end[c][k] = places[kind][c][k] * 0x1p-39;
        q.start[c][2] = first ? gap : 0;
        q.end[c][2] = first ? -depth : 0;
    }
    return q;
}

static toi_query filter_query(toi_kind kind, int64_t number, toi_random *random)
{
    contact_recipe recipe = random_recipe(random);
    contact made;
    recipe.kind = kind;
    switch (number % 8) {
    case 0:
        return make_hard_query(HARD_CUBE, kind, random);
    case 1:
        return make_hard_query(HARD_NEAR, kind, random);
    case 2:
        made = make_dense_contact(&recipe, random);
        nudge_query(&made.query, 4, random);
        return made.query;
    case 3: // where a product of two sizes overflows
        recipe.exponent = 6 + (int)toi_random_below(random, 8);
        return make_dense_contact(&recipe, random).query;
    case 4:
        made = make_wild_contact(kind, (int)toi_random_below(random, 60) - 30, 40, random);
        nudge_query(&made.query, 1 << 28, random); // as far as single precision sees
        return made.query;
    case 5:
        return sudden_query(kind, random);
    default:
        return extreme_query(random);
    }
}

// A time about which something happens, or any.
static double pick_t_max(const twin_answer *truth, toi_random *random)
{
    double t = truth->touches ? truth->time : toi_random_unit(random);
    switch (toi_random_below(random, 5)) {
    case 0:
        return nextafter(t, 0);
    case 1:
        return 0;
    case 2:
        return fmin(t * toi_random_range(random, 0.9, 1.1), 1);
    case 3:
        return 1;
    default:
        return t;
    }
}

// No query that touches up to t_max is declared separated.
static void filter_drops_no_contact(void **state)
{
    (void)state;
    static batch b;
    toi_random random = {402};
    int64_t dropped = 0, late = 0, touching = 0;
    for (int64_t n = 0; n < slow_cases(300); ++n) {
        toi_narrow_def def = toi_default_narrow_def();
        b.kind = (toi_kind)(n % TOI_PAIR_KINDS);
        for (int i = 0; i < BATCH; ++i) {
            b.queries[i] = filter_query(b.kind, i, &random);
            b.truth[i] = twin_decide(b.kind, &b.queries[i]);
        }
        for (int attempt = 0; attempt < 4; ++attempt) {
            def.t_max = pick_t_max(&b.truth[toi_random_below(&random, BATCH)], &random);
            def.all_roots = attempt == 3; // then later contacts are counted, and matter too
            toi_narrow_batch asked = {.def = &def,
                                      .kind = b.kind,
                                      .count = BATCH,
                                      .queries = b.queries,
                                      .results = b.results};
            int64_t left = toi_filter_directions_bounds(&asked, b.left), at = 0;
            for (int i = 0; i < BATCH; ++i) {
                double latest = def.all_roots ? 1 : def.t_max;
                bool matters = b.truth[i].touches && b.truth[i].time <= latest;
                bool kept = at < left && b.left[at] == i;
                at += kept;
                touching += matters;
                dropped += !kept;
                late += !kept && b.truth[i].touches;
                if (matters && !kept) {
                    print_query(b.kind, &b.queries[i]);
                    fail_msg("touches at %a, but is dropped (t_max %a)", b.truth[i].time,
                             def.t_max);
                }
            }
            assert_int_equal(at, left);
        }
    }
    print_message("  dropped %lld queries, %lld of them touch after t_max; kept %lld that touch\n",
                  (long long)dropped, (long long)late, (long long)touching);
    assert_true(dropped > 0 && late > 0 && touching > 0);
}

// ---- Culling, mesh by mesh, against every pair

typedef struct every_pair
{
    toi_kind kind;
    int64_t count, capacity;
    toi_pair *pairs;
    toi_query *queries;
    toi_query_result *results;
} every_pair;

static bool share_vertex(const int32_t *a, int as, const int32_t *b, int bs)
{
    for (int i = 0; i < as * bs; ++i)
        if (a[i / bs] == b[i % bs])
            return true;
    return false;
}

static void list_pairs(const soup *s, toi_kind kind, every_pair *all)
{
    bool edges = kind == TOI_EDGE_EDGE;
    int64_t firsts = edges ? s->edge_count : s->vertex_count;
    int64_t seconds = edges ? s->edge_count : s->face_count;
    all->kind = kind;
    all->count = 0;
    for (int32_t a = 0; a < firsts; ++a)
        for (int32_t b = edges ? a + 1 : 0; b < seconds; ++b) {
            const int32_t *first = edges ? s->edges.data[a] : &a;
            const int32_t *second = edges ? s->edges.data[b] : s->faces[b];
            if (share_vertex(first, edges ? 2 : 1, second, edges ? 2 : 3))
                continue;
            assert_true(all->count < all->capacity);
            all->pairs[all->count] = (toi_pair){a, b};
            all->queries[all->count++] = toi_gather_query(&s->mesh, kind, (toi_pair){a, b});
        }
}

// Stretches a soup to sizes that single precision cannot hold, or moves it off, or makes what is
// nearly touching fly apart so fast that all happens at once.
static void distort(soup *s, int64_t number, toi_random *random)
{
    static const int exponents[] = {-1060, -140, -60, -38, 48, 60, 120, 126, 1000, 1022};
    int common = exponents[toi_random_below(random, 10)];
    double offset = ldexp(1, (int)toi_random_below(random, 45));
    int axis[3];
    for (int k = 0; k < 3; ++k)
        axis[k] = exponents[toi_random_below(random, 8)];
    for (int64_t i = 0; i < 3 * s->vertex_count; ++i) {
        double *start = &s->start[i / 3][i % 3], *end = &s->end[i / 3][i % 3];
        int exponent = number % 6 == 1   ? common
                       : number % 6 == 2 ? -(int)toi_random_below(random, 60)
                       : number % 6 == 3 ? axis[i % 3]
                                         : 0;
        *start = ldexp(*start, exponent);
        *end = ldexp(*end, exponent);
        if (number % 6 == 4) {
            *start += offset;
            *end += offset;
        }
        if (number % 6 == 5 && i % 3 == 2) { // far apart in height at the end, hardly at the start
            *start = ldexp(toi_random_unit(random), -(int)toi_random_below(random, 150));
            *end = ldexp(toi_random_range(random, -1, 1), (int)toi_random_below(random, 128));
        }
    }
}

static void solve_every(const toi_narrow_def *def, every_pair *all)
{
    assert_ok(toi_solve_queries(def, all->kind, all->queries, all->count, all->results));
}

static bool same_impact(const toi_impact *impact, const every_pair *all, int64_t i)
{
    const toi_query_result *r = &all->results[i];
    return impact->kind == (int32_t)all->kind && impact->a == all->pairs[i].a &&
           impact->b == all->pairs[i].b && impact->state == (int32_t)r->state &&
           memcmp(&impact->time, &r->time, sizeof r->time) == 0 &&
           memcmp(&impact->u, &r->u, sizeof r->u) == 0 &&
           memcmp(&impact->v, &r->v, sizeof r->v) == 0 &&
           memcmp(impact->normal, r->normal, sizeof r->normal) == 0;
}

// Every hit of every pair is an impact, with the same bits, and there are no others.
static int64_t check_impacts(const toi_ccd_def *def, const soup *s, every_pair all[TOI_PAIR_KINDS])
{
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    int64_t at = 0;
    double earliest = INFINITY;
    assert_ok(toi_find_impacts(def, &s->mesh, &impacts, NULL));
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        for (int64_t i = 0; i < all[kind].count; ++i) {
            if (all[kind].results[i].state == TOI_SEPARATED)
                continue;
            earliest = fmin(earliest, all[kind].results[i].time);
            if (at == impacts.count || !same_impact(&impacts.data[at++], &all[kind], i)) {
                print_query((toi_kind)kind, &all[kind].queries[i]);
                fail_msg("touches at %a, but is missing or differs among the impacts (t_max %a)",
                         all[kind].results[i].time, def->narrow.t_max);
            }
        }
    assert_int_equal(at, impacts.count);
    toi_free_impacts(&impacts);
    assert_ok(toi_find_earliest(def, &s->mesh, &report));
    if (memcmp(&report.earliest.time, &earliest, sizeof earliest) != 0)
        fail_msg("the earliest impact is at %a, not at %a (t_max %a)", earliest,
                 report.earliest.time, def->narrow.t_max);
    return at;
}

// A time at which something is hit, if anything is, or next to it.
static double pick_hit(const every_pair all[TOI_PAIR_KINDS], toi_random *random)
{
    double t = toi_random_unit(random);
    const every_pair *one = &all[toi_random_below(random, TOI_PAIR_KINDS)];
    for (int attempt = 0; attempt < 1000 && one->count > 0; ++attempt) {
        int64_t i = (int64_t)toi_random_below(random, (uint64_t)one->count);
        if (one->results[i].state == TOI_HIT) {
            t = one->results[i].time;
            break;
        }
    }
    uint64_t choice = toi_random_below(random, 4);
    return choice == 0 ? nextafter(t, 0) : choice == 1 ? fmin(t * 1.25, 1) : t;
}

// Each instruction set in turn, as far as the machine has them: culling is written for each apart.
static void use_instruction_set(int64_t number)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    if (toi_set_simd(names[number % 3]) != TOI_OK)
        assert_ok(toi_set_simd(NULL));
}

enum
{
    MOST_PAIRS = 4000
};

static void culling_drops_no_contact(void **state)
{
    (void)state;
    toi_random random = {403};
    every_pair all[TOI_PAIR_KINDS];
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        all[kind] = (every_pair){.capacity = MOST_PAIRS,
                                 .pairs = calloc(MOST_PAIRS, sizeof(toi_pair)),
                                 .queries = calloc(MOST_PAIRS, sizeof(toi_query)),
                                 .results = calloc(MOST_PAIRS, sizeof(toi_query_result))};
    int64_t impacts = 0;
    for (int64_t n = 0; n < slow_cases(240); ++n) {
        soup s = make_soup(10, 0.6, 0.5, (uint64_t)n + 1);
        use_instruction_set(n);
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = def.narrow.workers = 1;
        distort(&s, n / 3, &random);
        for (int attempt = 0; attempt < 5; ++attempt) {
            def.narrow.t_max = attempt == 0 ? 1 : attempt == 1 ? 0 : pick_hit(all, &random);
            for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
                list_pairs(&s, (toi_kind)kind, &all[kind]);
                solve_every(&def.narrow, &all[kind]);
            }
            impacts += check_impacts(&def, &s, all);
            if (attempt == 1) { // the next ones pick from all contacts
                toi_narrow_def whole = def.narrow;
                whole.t_max = 1;
                for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
                    solve_every(&whole, &all[kind]);
            }
        }
        free_soup(&s);
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        free(all[kind].pairs);
        free(all[kind].queries);
        free(all[kind].results);
    }
    assert_ok(toi_set_simd(NULL));
    print_message("  %lld impacts of all pairs found again\n", (long long)impacts);
    assert_true(impacts > 0);
}

// A level face and a vertex above it touch at the very moment the gap closes, which is when t_max
// is: nothing is left but the rounding.
static void closing_gaps_are_not_open(void **state)
{
    (void)state;
    static const double places[4][2] = {{1, 1}, {0, 0}, {4, 0}, {0, 4}};
    static const int32_t faces[1][3] = {{1, 2, 3}};
    toi_random random = {404};
    int64_t hits = 0;
    for (int64_t n = 0; n < slow_cases(20000); ++n) {
        double start[4][3], end[4][3], height[4];
        use_instruction_set(n);
        for (int i = 0; i < 4; ++i)
            height[i] = ldexp(toi_random_unit(&random) / 3, -(int)toi_random_below(&random, 6));
        for (int c = 0; c < 4; ++c) {
            memcpy(start[c], places[c], sizeof places[c]);
            memcpy(end[c], places[c], sizeof places[c]);
            start[c][2] = c == 0 ? height[0] : -height[1];
            end[c][2] = c == 0 ? -height[2] : height[3];
        }
        toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 1);
        toi_ccd_def def = toi_default_ccd_def();
        toi_ccd_report report;
        def.workers = 1;
        assert_ok(toi_find_earliest(&def, &mesh, &report));
        double time = report.earliest.time;
        def.narrow.t_max = time <= 1 ? time : 1;
        assert_ok(toi_find_earliest(&def, &mesh, &report));
        if (memcmp(&report.earliest.time, &time, sizeof time) != 0)
            fail_msg("heights %a over %a to %a under %a: a contact at %a is dropped by that t_max",
                     start[0][2], start[1][2], end[0][2], end[1][2], time);
        hits += time <= 1;
    }
    assert_ok(toi_set_simd(NULL));
    assert_true(hits > slow_cases(20000) / 2);
}

int main(void)
{
    use_long_numbers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direction_error_is_below_12),
        cmocka_unit_test(filter_drops_no_contact),
        cmocka_unit_test(culling_drops_no_contact),
        cmocka_unit_test(closing_gaps_are_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
