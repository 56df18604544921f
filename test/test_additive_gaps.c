// `additive-certified` where the gap is small beside the primitives: docs/additive.md, section 5.
// Every region of the closest place, any orientation, far from the origin, slivers and parallel
// edges, with and without a separation. The answers are held against `exact`; the gap of every
// query is measured in exact arithmetic, since coordinates round it.

#include "exact/exact_ccd.h"
#include "exact/trial.h"

#include <math.h>
#include <string.h>

// ---- Queries with a known gap

// Two primitives whose difference F(u, v) has a corner w with sides `a` and `b`; their closest
// place is w + s a + r b, where F = gap n.
typedef struct layout
{
    toi_kind kind;
    int corner;        // which one of F is w
    double a[3], b[3]; // from there
    double s, r;
    double n[3]; // unit
    double gap;
} layout;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void set_length(double x[3], double length)
{
    double scale = length / sqrt(dot(x, x));
    for (int k = 0; k < 3; ++k)
        x[k] *= scale;
}

static void random_direction(toi_random *random, double x[3])
{
    do
        for (int k = 0; k < 3; ++k)
            x[k] = toi_random_range(random, -1, 1);
    while (!(dot(x, x) > 0.01 && dot(x, x) < 1));
    set_length(x, 1);
}

// 0, tiny, or anything: how far a direction is inside its cone.
static double inclination(toi_random *random)
{
    uint64_t n = toi_random_below(random, 8);
    if (n < 3)
        return 0;
    return n == 3 ? ldexp(1, -(int)toi_random_below(random, 60)) : toi_random_unit(random);
}

// Sides of about unit length, at any angle; every third pair nearly or exactly parallel.
static void choose_sides(layout *l, toi_random *random)
{
    double across[3];
    random_direction(random, l->a);
    random_direction(random, l->b);
    random_direction(random, across);
    double along = ldexp(toi_random_below(random, 2) ? 1 : -0.5, (int)toi_random_below(random, 2));
    uint64_t n = toi_random_below(random, 9);
    if (l->kind == TOI_POINT_POINT) {
        memset(l->a, 0, sizeof l->a);
        memset(l->b, 0, sizeof l->b);
    } else if (l->kind == TOI_POINT_EDGE) {
        memcpy(l->b, l->a, sizeof l->b);
    } else if (n < 3) {
        double angle = n == 0 ? 0 : ldexp(1, -(int)toi_random_below(random, 54));
        for (int k = 0; k < 3; ++k)
            l->b[k] = along * l->a[k] + angle * across[k];
    }
}

// A direction with n.a >= 0 and n.b >= 0, and a place where it is the way to the closest point: at
// the corner, unless it is normal to a side.
static void choose_place(layout *l, toi_random *random)
{
    double normal[3], to_a[3] = {0}, to_b[3] = {0}, any[3], tilt_a = 0, tilt_b = 0;
    random_direction(random, any);
    cross(l->a, l->b, normal);
    bool flat = dot(normal, normal) > 0x1p-100;
    if (l->kind != TOI_POINT_POINT && !flat)
        cross(l->a, any, normal);
    if (l->kind == TOI_POINT_POINT)
        memcpy(normal, any, sizeof normal);
    set_length(normal, toi_random_below(random, 2) ? 1 : -1);
    if (flat) {
        cross(l->b, normal, to_a);
        cross(l->a, normal, to_b);
        set_length(to_a, dot(to_a, l->a) < 0 ? -1 : 1);
        set_length(to_b, dot(to_b, l->b) < 0 ? -1 : 1);
        tilt_a = inclination(random);
        tilt_b = inclination(random);
    } else if (dot(l->a, l->b) > 0) {
        memcpy(to_a, l->a, sizeof to_a);
        set_length(to_a, 1);
        tilt_a = inclination(random);
    }
    for (int k = 0; k < 3; ++k)
        l->n[k] = normal[k] + tilt_a * to_a[k] + tilt_b * to_b[k];
    set_length(l->n, 1);
    l->s = tilt_a > 0 ? 0 : toi_random_unit(random);
    l->r = tilt_b > 0 || (tilt_a > 0 && !flat) ? 0 : toi_random_unit(random) * (1 - l->s);
}

// The points at t = 0, `offset` away from the origin. E and G are what kernel/motion.h calls so.
static toi_query lay_out(const layout *l, const double offset[3])
{
    toi_query q = {.start = {{0}}};
    for (int k = 0; k < 3; ++k) {
        double e = l->a[k], g = l->b[k], corner = 0, o = offset[k];
        double w = l->gap * l->n[k] - l->s * l->a[k] - l->r * l->b[k];
        if (l->kind == TOI_EDGE_EDGE) {
            e = l->corner & 1 ? -e : e;
            g = l->corner & 2 ? -g : g;
            corner = (l->corner & 1 ? e : 0) + (l->corner & 2 ? g : 0);
            double points[4] = {o + w - corner, o + w - corner + e, o, o - g};
            for (int c = 0; c < 4; ++c)
                q.start[c][k] = points[c];
            continue;
        }
        // The corner seen first is corner 1, 2 or 3 of the face; its sides lead to the others.
        double points[3] = {o, o - l->a[k], o - l->b[k]};
        q.start[0][k] = o + w;
        for (int c = 0; c < 3; ++c)
            q.start[1 + (c + l->corner) % 3][k] = points[c];
    }
    if (l->kind >= TOI_PAIR_KINDS) // their corners have an order
        for (int c = 0; c < 2; ++c)
            for (int k = 0; k < 3; ++k)
                q.start[1 + c][k] = offset[k] - (c ? l->a[k] : 0);
    return q;
}

typedef struct gap_case
{
    layout l;
    toi_query query;
    double speed;  // of approach, in gaps
    bool straight; // the gap shrinks evenly
    double scale;
} gap_case;

// Moves the first primitive towards the other, at `speed` gaps a step, and maybe all of them far,
// to the side, or a little at random.
static void set_off(gap_case *c, toi_random *random)
{
    double drift[3], slide[3], gap = c->l.gap;
    random_direction(random, drift);
    random_direction(random, slide);
    double common = toi_random_below(random, 2) ? toi_random_unit(random) : 0;
    double turn = c->straight ? 0 : gap * toi_random_range(random, 0, 0.5);
    double side = c->straight ? 0 : ldexp(gap, (int)toi_random_below(random, 8));
    for (int p = 0; p < 4; ++p)
        for (int k = 0; k < 3; ++k) {
            double move = common * drift[k] + turn * toi_random_range(random, -1, 1);
            if (p < (c->l.kind == TOI_EDGE_EDGE ? 2 : 1))
                move += side * slide[k] - c->speed * gap * c->l.n[k];
            c->query.end[p][k] = c->query.start[p][k] + move;
        }
}

// Sides of about 1, or of 2^-1000 or 2^1000; `scale` says which. The gap is wanted, not exact.
static gap_case make_case(toi_kind kind, double gap, toi_random *random)
{
    static const int exponents[] = {0, 0, 0, -1000, 1000};
    gap_case c = {.l = {.kind = kind, .corner = (int)toi_random_below(random, 12), .gap = gap}};
    double offset[3];
    choose_sides(&c.l, random);
    choose_place(&c.l, random);
    random_direction(random, offset);
    for (int k = 0; k < 3; ++k) // the gap must survive the rounding of coordinates
        offset[k] *= fmin(toi_random_below(random, 2) ? 1 : 0x1p20, gap * 0x1p46);
    c.query = lay_out(&c.l, offset);
    c.straight = toi_random_below(random, 2);
    c.speed = toi_random_range(random, 1.25, 4);
    if (toi_random_below(random, 3) == 0) // across the whole primitive
        c.speed /= gap;
    set_off(&c, random);
    c.scale = ldexp(1, exponents[toi_random_below(random, 5)]);
    for (int i = 0; i < 24; ++i)
        (&c.query.start[0][0])[i] *= c.scale;
    return c;
}

// As the library sees points and edges.
static toi_query raise(toi_kind kind, const toi_query *query)
{
    toi_query q = *query;
    for (int c = kind == TOI_POINT_POINT ? 2 : kind == TOI_POINT_EDGE ? 3 : 4; c < 4; ++c) {
        memcpy(q.start[c], q.start[c - 1], sizeof q.start[c]);
        memcpy(q.end[c], q.end[c - 1], sizeof q.end[c]);
    }
    return q;
}

static double exact_gap(toi_kind kind, const toi_query *query)
{
    toi_query q = raise(kind, query);
    mpq_t square;
    mpq_init(square);
    exact_distance_square(kind == TOI_EDGE_EDGE ? kind : TOI_VERTEX_FACE, &q, square);
    mpf_t root;
    mpf_init2(root, 256);
    mpf_set_q(root, square);
    mpf_sqrt(root, root);
    double gap = mpf_get_d(root);
    mpq_clear(square);
    mpf_clear(root);
    return gap;
}

static toi_query_result solve(toi_narrow_method method, toi_kind kind, const toi_query *query,
                              double separation)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.min_separation = separation;
    def.workers = 1;
    toi_query_result r;
    assert_ok(toi_solve_queries(&def, kind, query, 1, &r));
    assert_true(well_formed(&def, &r));
    return r;
}

// u |S| of docs/additive.md: what rounding errors are measured by.
static double rounding_unit(toi_kind kind, const toi_query *query)
{
    static const int corners[2][3][2] = {{{0, 1}, {1, 2}, {1, 3}}, {{0, 2}, {1, 0}, {2, 3}}};
    toi_query q = raise(kind, query);
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double size = 0;
        for (int part = 0; part < 3; ++part) {
            const int *c = corners[kind == TOI_EDGE_EDGE][part];
            size += fmax(fabs(q.start[c[0]][k] - q.start[c[1]][k]),
                         fabs(q.end[c[0]][k] - q.end[c[1]][k]));
        }
        square = hypot(square, size);
    }
    return 0x1p-53 * square;
}

// ---- The tests

// A gap of so many u |S| is seen: docs/additive.md, section 5.
#define SEEN 20

typedef struct tally
{
    int64_t queries, zero, hits, straight, steps;
    double largest_unseen; // gap for which the time is 0, in rounding units
    double early;          // the most of the time that is missing where the gap shrinks evenly
    double unexplained;    // of that, beyond 2^-10, in rounding units by gap
    int most_steps;        // where it does
} tally;

static void print_case(const gap_case *c, double gap, double unit)
{
    print_query(c->l.kind, &c->query);
    print_error("  n %g %g %g, at s = %g, r = %g of corner %d; gap %g, %.2f units\n", c->l.n[0],
                c->l.n[1], c->l.n[2], c->l.s, c->l.r, c->l.corner, gap, gap / unit);
}

static double largest_coordinate(const toi_query *query)
{
    double largest = 0;
    for (int i = 0; i < 24; ++i)
        largest = fmax(largest, fabs((&query->start[0][0])[i]));
    return largest;
}

// The time at which a gap is closed that shrinks evenly, but for the rounding of coordinates, which
// `doubt` allows for.
static double straight_time(const gap_case *c, double gap, double *doubt)
{
    *doubt = 0x1p-50 * largest_coordinate(&c->query) / gap;
    return gap / (c->speed * c->l.gap * c->scale);
}

static void count_time(tally *sum, const gap_case *c, double gap, double unit,
                       const toi_query_result *r)
{
    double doubt, time = straight_time(c, gap, &doubt), early = 1 - r->time / time;
    ++sum->queries;
    sum->steps += r->iterations;
    if (r->time == 0) {
        ++sum->zero;
        sum->largest_unseen = fmax(sum->largest_unseen, gap / unit);
    }
    if (!c->straight)
        return;
    ++sum->straight;
    sum->most_steps = r->iterations > sum->most_steps ? r->iterations : sum->most_steps;
    sum->early = fmax(sum->early, early);
    sum->unexplained = fmax(sum->unexplained, (early - doubt - 0x1p-10) * gap / unit);
}

// Without a separation `exact` knows the time.
static void check_case(toi_kind kind, double gap, toi_random *random, tally *sum)
{
    gap_case c = make_case(kind, gap, random);
    double unit = rounding_unit(kind, &c.query), true_gap = exact_gap(kind, &c.query);
    if (!(true_gap > 0.5 * gap * c.scale && true_gap < 2 * gap * c.scale))
        return;
    toi_query_result r = solve(TOI_NARROW_ADDITIVE_CERTIFIED, kind, &c.query, 0);
    toi_query_result truth = solve(TOI_NARROW_EXACT, kind, &c.query, 0);
    count_time(sum, &c, true_gap, unit, &r);
    if (r.time > truth.time) {
        print_case(&c, true_gap, unit);
        fail_msg("missed or late: %s at %a, truth %a", toi_state_name(r.state), r.time, truth.time);
    }
    sum->hits += truth.state == TOI_HIT;
}

// The distance at time t, of points rounded to doubles.
static double distance_at(toi_kind kind, const toi_query *query, double t)
{
    toi_query q = *query;
    for (int i = 0; i < 12; ++i)
        q.start[i / 3][i % 3] = (1 - t) * query->start[i / 3][i % 3] + t * query->end[i / 3][i % 3];
    return exact_gap(kind, &q);
}

// With one, the gap beyond it is `gap`. At the time returned, but for the rounding of points, they
// are not closer than the separation.
static void check_separated_case(toi_kind kind, double gap, toi_random *random, tally *sum)
{
    double wide = ldexp(gap, (int)toi_random_below(random, 40));
    wide = fmin(fmax(wide, 2 * gap), 0.25);
    gap_case c = make_case(kind, wide, random);
    double unit = rounding_unit(kind, &c.query), distance = exact_gap(kind, &c.query);
    double separation = distance - gap * c.scale, beyond = distance - separation;
    if (!(separation > 0 && separation < distance))
        return;
    toi_query_result r = solve(TOI_NARROW_ADDITIVE_CERTIFIED, kind, &c.query, separation);
    count_time(sum, &c, beyond, unit, &r);
    sum->hits += r.state == TOI_HIT;
    double left = distance_at(kind, &c.query, fmin(r.time, 1));
    if (c.straight && r.state != TOI_HIT) {
        print_case(&c, beyond, unit);
        fail_msg("missed");
    }
    if (!(left > separation - 0x1p-50 * largest_coordinate(&c.query))) {
        print_case(&c, beyond, unit);
        fail_msg("late: %s at %a, %a apart there", toi_state_name(r.state), r.time, left);
    }
}

static void check_gaps(void (*check)(toi_kind, double, toi_random *, tally *), uint64_t seed)
{
    toi_random random = {seed};
    tally all = {0};
    for (int exponent = 10; exponent <= 50; exponent += exponent < 44 ? 2 : 1) {
        tally sum = {0};
        for (int64_t i = 0; i < slow_cases(4000); ++i)
            check((toi_kind)(i % TOI_KIND_COUNT), ldexp(1, -exponent), &random, &sum);
        print_message("  2^-%d: %lld queries, %.2f %% at time 0, %lld hits, early by up to %.2g, "
                      "%.2f steps\n",
                      exponent, (long long)sum.queries,
                      100 * (double)sum.zero / (double)sum.queries, (long long)sum.hits, sum.early,
                      (double)sum.steps / (double)sum.queries);
        assert_true(sum.queries > 100 && sum.straight > 10);
        all.largest_unseen = fmax(all.largest_unseen, sum.largest_unseen);
        all.unexplained = fmax(all.unexplained, sum.unexplained);
        all.most_steps = all.most_steps > sum.most_steps ? all.most_steps : sum.most_steps;
    }
    print_message(
        "  time 0 up to a gap of %.2f units; early by 2^-10 and %.2f units by the gap; at "
        "most %d steps\n",
        all.largest_unseen, all.unexplained, all.most_steps);
    assert_true(all.largest_unseen < SEEN && all.unexplained < SEEN);
    assert_true(all.largest_unseen > 1); // else the gaps are too wide to tell
    assert_true(all.most_steps < 60);
}

static void small_gaps_are_seen(void **state)
{
    (void)state;
    check_gaps(check_case, 71);
}

static void small_gaps_beyond_a_separation_are_seen(void **state)
{
    (void)state;
    check_gaps(check_separated_case, 72);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_gaps_are_seen),
        cmocka_unit_test(small_gaps_beyond_a_separation_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
