// What the worst queries cost: exponents over all the range of a double, and near-parallel
// primitives with a separation. Work is counted in cells, or measured in this processor's time for
// a product of two long numbers, so that a slow machine does not fail.

#include "exact/exact_ccd.h"
#include "exact/hard_queries.h"
#include "exact/trial.h"
#include "support.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Mixed exponents

static double mixed_double(toi_random *random)
{
    double m = 1 + ldexp((double)(toi_random_bits(random) >> 12), -52);
    int exponent = (int)toi_random_below(random, 2098) - 1074;
    return ldexp(toi_random_below(random, 2) == 0 ? m : -m, exponent);
}

// The time of one product of two numbers of 100 limbs: the least of some tries.
static double product_seconds(void)
{
    enum
    {
        LIMBS = 100,
        PRODUCTS = 2000
    };
    static mp_limb_t a[LIMBS], b[LIMBS], product[2 * LIMBS];
    toi_random random = {1};
    for (int i = 0; i < LIMBS; ++i) {
        a[i] = toi_random_bits(&random);
        b[i] = toi_random_bits(&random);
    }
    double least = INFINITY;
    for (int attempt = 0; attempt < 5; ++attempt) {
        double from = processor_seconds();
        for (int i = 0; i < PRODUCTS; ++i)
            mpn_mul_n(product, a, b, LIMBS);
        least = fmin(least, (processor_seconds() - from) / PRODUCTS);
    }
    return least;
}

enum
{
    TRIANGLES = 40
};

static double solve_mixed_mesh(uint64_t seed, toi_ccd_report *report)
{
    static double start[3 * TRIANGLES][3], end[3 * TRIANGLES][3];
    static int32_t faces[TRIANGLES][3];
    toi_random random = {seed};
    for (int i = 0; i < 9 * TRIANGLES; ++i) {
        start[i / 3][i % 3] = mixed_double(&random);
        end[i / 3][i % 3] = mixed_double(&random);
        faces[i / 9][i / 3 % 3] = i / 3;
    }
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 3 * TRIANGLES, faces[0], TRIANGLES);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    toi_impact_array impacts = {0};
    double from = processor_seconds();
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, report));
    double seconds = processor_seconds() - from;
    assert_true(impacts.count > 1000);
    def.count_candidates = true; // not timed
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, report));
    toi_free_impacts(&impacts);
    return seconds;
}

// A candidate took as long as 50 products when all its numbers were integers of one unit.
static void mixed_exponents_are_cheap(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED"))
        skip(); // slows the library and not GMP
    toi_ccd_report report;
    double least = INFINITY;
    for (uint64_t attempt = 0; attempt < 3; ++attempt)
        least = fmin(least, solve_mixed_mesh(1, &report));
    int64_t candidates = report.candidates[0] + report.candidates[1];
    double products = least / (double)candidates / product_seconds();
    print_message("  %lld candidates in %.3f s: %.1f products of 100 limbs each, 12 allowed\n",
                  (long long)candidates, least, products);
    assert_true(candidates > 10000);
    assert_true(products < 12);
}

// Cells of `inclusion` for queries that no tolerance suits: 2400 a query were the mean.
static void mixed_exponents_take_few_cells(void **state)
{
    (void)state;
    enum
    {
        COUNT = 2000
    };
    static toi_query queries[COUNT];
    static toi_query_result results[COUNT];
    int64_t count = getenv("TOI_SANITIZED") ? COUNT / 20 : COUNT, cells = 0;
    toi_random random = {5};
    toi_narrow_def def = toi_default_narrow_def();
    def.method = TOI_NARROW_INCLUSION;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        for (int64_t i = 0; i < 24 * count; ++i)
            (&queries[i / 24].start[0][0])[i % 24] = mixed_double(&random);
        assert_ok(toi_solve_queries(&def, (toi_kind)kind, queries, count, results));
        for (int64_t i = 0; i < count; ++i)
            cells += results[i].iterations;
    }
    print_message("  %.0f cells a query, 1000 allowed\n", (double)cells / (double)(2 * count));
    assert_true(cells < 1000 * 2 * count);
}

// ---- Near-parallel primitives with a separation

static double tiny(toi_random *random)
{
    static const double sizes[] = {0, 1e-14, 1e-10, 1e-7, 1e-5, 1e-3, 1e-2};
    return sizes[toi_random_below(random, 7)];
}

// The distance at both ends of the step: through each other, sliding just outside the separation,
// coming about as close as it, or ending about there.
static void pick_gaps(int family, double separation, toi_random *random, double gaps[2])
{
    switch (family % 4) {
    case 0:
        gaps[0] = separation * toi_random_range(random, 2, 10);
        gaps[1] = -gaps[0];
        break;
    case 1:
        gaps[0] = separation * (1 + tiny(random) + 1e-9);
        gaps[1] = gaps[0] * (1 + toi_random_range(random, -1, 1) * tiny(random));
        break;
    case 2:
        gaps[0] = separation * toi_random_range(random, 1, 3);
        gaps[1] = separation * toi_random_range(random, 0.2, 1.2);
        break;
    default:
        gaps[0] = separation * toi_random_range(random, 1, 1.5);
        gaps[1] = separation * (1 + toi_random_range(random, -1, 1) * tiny(random));
    }
}

// Turns all points by the same random angles.
static void turn_query(toi_query *query, toi_random *random)
{
    double *x = &query->start[0][0];
    for (int axis = 0; axis < 3; ++axis) {
        double angle = toi_random_range(random, 0, 6.28), c = cos(angle), s = sin(angle);
        for (int i = 0; i < 8; ++i) {
            double *p = x + 3 * i, a = p[(axis + 1) % 3], b = p[(axis + 2) % 3];
            p[(axis + 1) % 3] = c * a - s * b;
            p[(axis + 2) % 3] = s * a + c * b;
        }
    }
}

enum
{
    NEAR_FAMILIES = 8 // the gaps, along the axes and turned
};

// Edges along x, or a point above a face in the plane of x and y, tilted by a little, and perhaps
// sliding along each other.
static toi_query near_parallel(int family, toi_kind kind, double separation, toi_random *random)
{
    double tilt = tiny(random), gaps[2], slide[2] = {0, 0};
    double at = toi_random_range(random, -0.5, 1), length = toi_random_range(random, 0.2, 2);
    double edges[4][3] = {{0, 0, 0}, {length, 0, 0}, {at, 0, 0}, {at + 1, tilt, -tilt}};
    double face[4][3] = {{at, 0.25 * length, 0}, {0, 0, 0}, {1, 0, tilt}, {0, 1, -tilt}};
    toi_query query;
    pick_gaps(family, separation, random, gaps);
    if (toi_random_below(random, 2) == 0)
        for (int k = 0; k < 2; ++k)
            slide[k] = toi_random_range(random, -1, 1);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            bool first = c < (kind == TOI_EDGE_EDGE ? 2 : 1);
            double x = kind == TOI_EDGE_EDGE ? edges[c][k] : face[c][k];
            double shake = toi_random_below(random, 2) * tilt * toi_random_range(random, -1, 1);
            query.start[c][k] = x + (first && k == 2 ? gaps[0] : 0);
            query.end[c][k] = x + shake + (first ? k == 2 ? gaps[1] : slide[k] : 0);
        }
    if (family >= 4)
        turn_query(&query, random);
    return query;
}

static void solve_near(toi_narrow_method method, toi_kind kind, const toi_query *query,
                       double separation, toi_query_result *result)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.method = method;
    def.workers = 1;
    def.min_separation = separation;
    assert_ok(toi_solve_queries(&def, kind, query, 1, result));
}

static const double separations[] = {1e-3, 1e-2, 0.1};

// Edges that are not along an axis took 9000 cells in the mean, and all of the budget of 100,000.
static void near_parallel_queries_take_few_cells(void **state)
{
    (void)state;
    toi_random random = {6};
    int64_t count = cases(4000);
    for (int family = 0; family < NEAR_FAMILIES; ++family)
        for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
            int64_t cells = 0, most = 0, undecided = 0;
            for (int64_t i = 0; i < count; ++i) {
                double separation = separations[toi_random_below(&random, 3)];
                toi_query query = near_parallel(family, (toi_kind)kind, separation, &random);
                toi_query_result r;
                solve_near(TOI_NARROW_INCLUSION, (toi_kind)kind, &query, separation, &r);
                cells += r.iterations;
                most = r.iterations > most ? r.iterations : most;
                undecided += r.state == TOI_UNDECIDED;
            }
            print_message("  %s, family %d: %.1f cells in the mean, at most %lld\n",
                          toi_kind_name((toi_kind)kind), family, (double)cells / (double)count,
                          (long long)most);
            assert_true(cells < 60 * count && most < 5000 && undecided == 0);
        }
}

// The least of five tries, and of a hundred where that is more than `enough`: what else the machine
// does can fall on five in a row.
static double seconds_of(toi_kind kind, const toi_query *query, double separation, double enough,
                         toi_query_result *r)
{
    double least = INFINITY;
    for (int attempt = 0; attempt < 5 || (least > enough && attempt < 100); ++attempt) {
        double from = processor_seconds();
        solve_near(TOI_NARROW_EXACT, kind, query, separation, r);
        least = fmin(least, processor_seconds() - from);
    }
    return least;
}

// `exact` has no tolerance to stop at: its searches have a budget, and integers decide the rest. A
// product takes 2.4 microseconds or a little more, so this is some 50 for every query. Most take 13
// products at most, but another machine on the same processor may be busy for a hundred tries.
static void near_parallel_queries_are_cheap(void **state)
{
    (void)state;
    if (getenv("TOI_SANITIZED"))
        skip(); // slows the library and not GMP
    toi_random random = {8};
    double product = product_seconds(), enough = 20 * product;
    for (int family = 0; family < NEAR_FAMILIES; ++family) {
        double sum = 0, most = 0;
        int64_t count = cases(4000), integers = 0;
        for (int64_t i = 0; i < count; ++i) {
            toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
            double separation = separations[toi_random_below(&random, 3)];
            toi_query query = near_parallel(family, kind, separation, &random);
            toi_query_result r;
            double seconds = seconds_of(kind, &query, separation, enough, &r);
            sum += seconds;
            most = fmax(most, seconds);
            integers += r.rung == TOI_RUNG_INTEGER;
        }
        print_message("  family %d: %.2f products in the mean, at most %.1f (%.0f microseconds); "
                      "%lld in integers\n",
                      family, sum / (double)count / product, most / product, 1e6 * most,
                      (long long)integers);
        assert_true(most < enough);
    }
}

// ---- And no contact is missed or late for that

// About the first time at which two points come within the separation in the maximum norm.
static double entry_time(toi_kind kind, const toi_query *query, double u, double v,
                         double separation)
{
    double from = 0, to = 1;
    for (int k = 0; k < 3; ++k) {
        double f[2];
        for (int end = 0; end < 2; ++end) {
            const double(*x)[3] = end ? query->end : query->start;
            f[end] = kind == TOI_EDGE_EDGE
                         ? x[0][k] + u * (x[1][k] - x[0][k]) - (x[2][k] + v * (x[3][k] - x[2][k]))
                         : x[0][k] - (1 - u - v) * x[1][k] - u * x[2][k] - v * x[3][k];
        }
        double a = (-separation - f[0]) / (f[1] - f[0]), b = (separation - f[0]) / (f[1] - f[0]);
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from <= to ? from : INFINITY;
}

// Looks for a pair of points that is within the separation, exactly, before the time found.
static int64_t count_late(toi_kind kind, const toi_query *query, double separation,
                          const toi_query_result *r, toi_random *random, int64_t *tried)
{
    int64_t late = 0;
    for (int n = 0; n < 24; ++n) {
        double reach = ldexp(1, -(int)toi_random_below(random, 30));
        double u = fmin(fmax(r->u + reach * toi_random_range(random, -1, 1), 0), 1);
        double v = fmin(fmax(r->v + reach * toi_random_range(random, -1, 1), 0), 1);
        u = ldexp(floor(ldexp(u, 30)), -30); // so that u + v and 1 - u are exact
        v = ldexp(floor(ldexp(v, 30)), -30);
        if (kind == TOI_VERTEX_FACE && u + v > 1)
            v = 1 - u;
        double t = entry_time(kind, query, u, v, separation);
        for (int step = 0; step < 3 && t <= 1; ++step, t = t * (1 + 0x1p-50) + 0x1p-60)
            if (exact_is_contact(kind, query, t, u, v, separation)) {
                ++*tried;
                late += r->state == TOI_SEPARATED || r->time > t;
                break;
            }
    }
    return late;
}

static void near_parallel_contacts_are_not_late(void **state)
{
    (void)state;
    toi_random random = {7};
    int64_t tried = 0, late = 0;
    static const toi_narrow_method methods[] = {TOI_NARROW_INCLUSION, TOI_NARROW_INCLUSION_QUEUE};
    for (int64_t i = 0; i < cases(16000); ++i) {
        toi_kind kind = (toi_kind)(i % TOI_PAIR_KINDS);
        double separation = separations[toi_random_below(&random, 3)];
        toi_query query = near_parallel((int)(i / 2 % NEAR_FAMILIES), kind, separation, &random);
        toi_query_result r;
        solve_near(methods[i / 16 % 2], kind, &query, separation, &r);
        late += count_late(kind, &query, separation, &r, &random, &tried);
    }
    print_message("  %lld contacts, %lld of them earlier than the time found\n", (long long)tried,
                  (long long)late);
    assert_int_equal(late, 0);
    assert_true(tried > cases(16000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_exponents_are_cheap),
        cmocka_unit_test(mixed_exponents_take_few_cells),
        cmocka_unit_test(near_parallel_queries_take_few_cells),
        cmocka_unit_test(near_parallel_queries_are_cheap),
        cmocka_unit_test(near_parallel_contacts_are_not_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
