// Filters of candidates: those on positions in single precision drop nothing that the narrow phase
// says is hit, on pairs that come as close as roundings; and methods that report what only comes
// close are asked about the same pairs with every instruction set.

#include "base/simd.h"
#include "ccd/cull.h"
#include "support.h"
#include "toi/ccd.h"
#include "toi/random.h"

#include <math.h>
#include <string.h>

toi_cull_near_fn toi_cull_near_baseline, toi_cull_near_avx2, toi_cull_near_avx512;
static toi_cull_near_fn *const cull_near[] = TOI_ISA_TABLE(toi_cull_near);

enum
{
    PAIRS = 112, // whole vectors, and not
    BLOCK = 16
};

// ---- Positions in single precision

// Pairs of their own vertices, by place.
typedef struct scene
{
    toi_kind kind;
    int count;
    double separation;
    float rows[4 * PAIRS][8];
    int32_t labels[2][4 * PAIRS];
    toi_pair pairs[PAIRS];
    toi_query queries[PAIRS];
} scene;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double fraction(toi_random *random, int parts)
{
    return (double)toi_random_below(random, (uint64_t)parts + 1) / parts;
}

// Corners that move, some flat, thin or on a lattice.
static void draw_corners(toi_random *random, double x[2][4][3])
{
    int shape = (int)toi_random_below(random, 4);
    bool lattice = toi_random_below(random, 2);
    double thin = ldexp(1, -(int)toi_random_below(random, 20));
    double way = toi_random_below(random, 2) ? ldexp(1, -(int)toi_random_below(random, 25)) : 1;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            double at = lattice ? fraction(random, 64) - 0.5 : toi_random_unit(random) - 0.5;
            double step = lattice ? fraction(random, 64) - 0.5 : toi_random_unit(random) - 0.5;
            at *= (shape == 1 && k == 2) || (shape == 2 && c > 1) ? thin : 1;
            x[0][c][k] = at;
            x[1][c][k] = at + (shape == 3 ? 0 : way * step);
        }
}

// Moves the first primitive so that it comes to its separation at some time, or nearly; half of the
// pairs come straight towards each other, and touch at the end.
static void bring_close(toi_random *random, bool edge_edge, double separation, double x[2][4][3])
{
    bool straight = toi_random_below(random, 2);
    double t = straight || toi_random_below(random, 3) == 0 ? 1 : fraction(random, 256);
    double u = fraction(random, 16), v = edge_edge ? fraction(random, 16) : (1 - u) * 0.5;
    double at[4][3], e[3], g[3], way[3], move[3];
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            at[c][k] = x[0][c][k] + t * (x[1][c][k] - x[0][c][k]);
    for (int k = 0; k < 3; ++k) {
        e[k] = edge_edge ? at[1][k] - at[0][k] : at[2][k] - at[1][k];
        g[k] = edge_edge ? at[3][k] - at[2][k] : at[3][k] - at[1][k];
    }
    cross(e, g, way);
    bool skew = !straight && toi_random_below(random, 3) == 0;
    for (int k = 0; k < 3; ++k)
        way[k] = skew ? toi_random_unit(random) - 0.5 : way[k];
    double length = sqrt(dot(way, way));
    double gap = ldexp(toi_random_unit(random) - 0.5, -14 - (int)toi_random_below(random, 14));
    gap = toi_random_below(random, 2) ? gap : 0;
    for (int k = 0; k < 3; ++k) {
        double first = edge_edge ? at[0][k] + u * e[k] : at[0][k];
        double second = edge_edge ? at[2][k] + v * g[k] : at[1][k] + u * e[k] + v * g[k];
        move[k] = second - first + (length > 0 ? way[k] / length * (separation + gap) : 0);
    }
    double back = straight && length > 0 ? toi_random_unit(random) / length : 0;
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            bool moves = c < (edge_edge ? 2 : 1);
            x[1][c][k] += moves ? move[k] : 0;
            x[0][c][k] = straight ? x[1][c][k] + (moves ? back * way[k] : 0)
                                  : x[0][c][k] + (moves ? move[k] : 0);
        }
}

static void draw_pair(toi_random *random, int i, scene *s)
{
    double x[2][4][3];
    bool edge_edge = s->kind == TOI_EDGE_EDGE;
    draw_corners(random, x);
    bring_close(random, edge_edge, s->separation, x);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            float *row = s->rows[4 * i + c];
            row[k] = (float)x[0][c][k];
            row[4 + k] = (float)x[1][c][k];
            s->queries[i].start[c][k] = (double)row[k];
            s->queries[i].end[c][k] = (double)row[4 + k];
        }
    int lane = i % BLOCK, block = i - lane, first = edge_edge ? 2 : 1;
    for (int c = 0; c < 4; ++c)
        if (c >= first)
            s->labels[1][block * (4 - first) + (c - first) * BLOCK + lane] = 4 * i + c;
        else if (edge_edge)
            s->labels[0][block * 2 + c * BLOCK + lane] = 4 * i + c;
    s->pairs[i] = (toi_pair){edge_edge ? i : 4 * i, i};
}

// Returns how many of them are dropped.
static int64_t check_level(toi_simd level, const scene *s, const toi_query_result *results,
                           toi_inside_pairs *inside)
{
    toi_pair pairs[PAIRS];
    bool left[PAIRS] = {false};
    toi_near_source source = {.rows = (const float(*)[8])s->rows,
                              .labels = {s->labels[0], s->labels[1]},
                              .kind = s->kind,
                              .t_max = 1,
                              .euclidean = s->separation > 0,
                              .separation = s->separation,
                              .inside = s->separation > 0 ? inside : NULL};
    memcpy(pairs, s->pairs, sizeof pairs);
    inside->count = 0;
    int64_t kept = cull_near[level](&source, pairs, s->count);
    for (int64_t i = 0; i < kept; ++i) {
        assert_true(i == 0 || pairs[i - 1].b < pairs[i].b); // in order
        left[pairs[i].b] = true;
    }
    for (int64_t i = 0; i < inside->count; ++i) {
        int32_t at = inside->pairs[i].b;
        assert_true(!left[at] && results[at].starts_inside);
        left[at] = true;
    }
    for (int i = 0; i < s->count; ++i)
        assert_true(left[i] || results[i].state == TOI_SEPARATED);
    return s->count - kept - inside->count;
}

static void close_pairs_are_not_dropped(void **state)
{
    (void)state;
    static scene s;
    static toi_inside_pairs inside;
    toi_random random = {1201};
    toi_narrow_def def = toi_default_narrow_def();
    int64_t hits = 0, dropped = 0, asked = 0;
    for (int64_t n = 0; n < slow_cases(40000); ++n) {
        toi_query_result results[PAIRS];
        s.kind = n % 2 ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
        s.count = 1 + (int)toi_random_below(&random, PAIRS);
        s.separation = n / 2 % 3 ? 0 : ldexp(toi_random_unit(&random), -(int)(n / 6 % 12));
        for (int i = 0; i < s.count; ++i)
            draw_pair(&random, i, &s);
        def.min_separation = s.separation;
        assert_ok(toi_solve_queries(&def, s.kind, s.queries, s.count, results));
        for (int i = 0; i < s.count; ++i)
            hits += results[i].state == TOI_HIT;
        for (int level = 0; level <= (int)toi_simd_level(); ++level)
            dropped += check_level((toi_simd)level, &s, results, &inside);
        asked += s.count;
    }
    print_message("  %lld pairs, %lld hits, %lld times dropped\n", (long long)asked,
                  (long long)hits, (long long)dropped);
    assert_true(hits > asked / 4 && dropped > asked / 10);
}

// ---- The same pairs

static bool is_hit(const toi_mesh *mesh, double separation)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    def.narrow.method = TOI_NARROW_ADDITIVE;
    def.narrow.min_separation = separation;
    def.workers = 1;
    assert_ok(toi_find_impacts(&def, mesh, &impacts, NULL));
    bool hit = impacts.count > 0;
    toi_free_impacts(&impacts);
    return hit;
}

// A vertex that comes to rest some way above a face that is not level; returns the separation in
// the maximum norm.
static double draw_vertex_and_face(toi_random *random, double x[2][4][3])
{
    static const double sides[3][2] = {{1, 0.2}, {-1, 0.3}, {0, -0.5}};
    double n[3], a[3], b[3], other[3], height = toi_random_range(random, 0.005, 0.015);
    for (int k = 0; k < 3; ++k) {
        n[k] = 1 + toi_random_range(random, -0.1, 0.1);
        other[k] = toi_random_range(random, -1, 1);
    }
    double length = sqrt(dot(n, n)), reach = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    cross(n, other, a);
    cross(n, a, b);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 3; ++c)
                x[end][c][k] = 0.01 * (sides[c][0] * a[k] / sqrt(dot(a, a)) +
                                       sides[c][1] * b[k] / sqrt(dot(b, b)));
            x[end][3][k] = height * n[k] / length * (end ? 1 : 20);
        }
    return height * length / reach;
}

// `additive` reports what only comes close, if it is asked: so which pairs are dropped shows. Looks
// at the separations next to that from which on it is.
static void all_sets_ask_about_the_same(void **state)
{
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    static const int32_t face[3] = {0, 1, 2};
    toi_random random = {1202};
    int64_t asked = 0, count = cases(200);
    for (int64_t n = 0; n < count; ++n) {
        double x[2][4][3], near = draw_vertex_and_face(&random, x);
        toi_mesh mesh = toi_make_mesh(x[0][0], x[1][0], 4, face, 1);
        float low = (float)(near * (1 - 1e-4)), high = (float)(near * (1 + 1e-6));
        assert_ok(toi_set_simd("baseline"));
        if (is_hit(&mesh, (double)low) || !is_hit(&mesh, (double)high))
            continue;
        while (nextafterf(low, high) < high) {
            float middle = low + (high - low) / 2;
            bool hit = is_hit(&mesh, (double)middle);
            low = hit ? low : middle;
            high = hit ? middle : high;
        }
        ++asked;
        for (int i = 0; i < 8; ++i)
            low = nextafterf(low, 0);
        for (int i = 0; i < 16; ++i, low = nextafterf(low, 1)) {
            assert_ok(toi_set_simd("baseline"));
            bool hit = is_hit(&mesh, (double)low);
            for (int level = 1; level < 3; ++level)
                if (toi_set_simd(levels[level]) == TOI_OK)
                    assert_int_equal(hit, is_hit(&mesh, (double)low));
        }
    }
    assert_ok(toi_set_simd(NULL));
    print_message("  %lld thresholds\n", (long long)asked);
    assert_true(asked > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(close_pairs_are_not_dropped),
                                       cmocka_unit_test(all_sets_ask_about_the_same)};
    return cmocka_run_group_tests_name("cull", tests, NULL, NULL);
}
