// The bodies that benchmarks and simulators share: closed where they say so, turned outward, as
// many triangles as promised.

#include "support.h"

#include "solids.h"

#include <math.h>

// How many faces have the side from a to b.
static int count_sides(const toi_solid *solid, int32_t a, int32_t b)
{
    int count = 0;
    for (int64_t f = 0; f < solid->face_count; ++f)
        for (int k = 0; k < 3; ++k)
            count += solid->faces[f][k] == a && solid->faces[f][(k + 1) % 3] == b;
    return count;
}

static int64_t count_open(const toi_solid *solid)
{
    int64_t open = 0;
    for (int64_t f = 0; f < solid->face_count; ++f)
        for (int k = 0; k < 3; ++k) {
            int32_t a = solid->faces[f][k], b = solid->faces[f][(k + 1) % 3];
            assert_int_equal(count_sides(solid, a, b), 1);
            open += count_sides(solid, b, a) != 1;
        }
    return open;
}

static double volume_of(const toi_solid *solid)
{
    double sum = 0;
    for (int64_t f = 0; f < solid->face_count; ++f) {
        const double *a = solid->points[solid->faces[f][0]];
        const double *b = solid->points[solid->faces[f][1]];
        const double *c = solid->points[solid->faces[f][2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

// Checks, and frees.
static void check_solid(toi_solid *solid, int64_t faces, int64_t open, double volume, double error)
{
    assert_int_equal(solid->face_count, faces);
    assert_int_equal(toi_solid_points(solid).count, solid->point_count);
    assert_int_equal(toi_solid_faces(solid).count, faces);
    for (int64_t f = 0; f < faces; ++f)
        for (int k = 0; k < 3; ++k)
            assert_in_range(solid->faces[f][k], 0, solid->point_count - 1);
    assert_int_equal(count_open(solid), open);
    if (error > 0 && !(fabs(volume_of(solid) - volume) <= error * volume))
        fail_msg("the volume is %g, not %g", volume_of(solid), volume);
    toi_free_solid(solid);
    assert_null(solid->points);
}

static void closed_bodies(void **state)
{
    (void)state;
    const double half[3] = {1, 2, 3}, pi = 3.14159265358979323846;
    toi_solid solid;
    assert_int_equal(toi_make_block(half, &solid), TOI_OK);
    check_solid(&solid, 12, 0, 48, 1e-15);
    assert_int_equal(toi_make_pyramid(4, 1, 3, &solid), TOI_OK);
    check_solid(&solid, 6, 0, 2, 1e-14);
    assert_int_equal(toi_make_ring(64, 48, 2, 0.5, &solid), TOI_OK);
    check_solid(&solid, 2 * 64 * 48, 0, 2 * pi * pi * 2 * 0.25, 0.01);
    assert_int_equal(toi_make_shuriken(111, 0.05, &solid), TOI_OK);
    check_solid(&solid, 888, 0, 3.15e-6, 0.01);
    assert_int_equal(toi_make_bumpy_ball(9, 0.1, &solid), TOI_OK);
    check_solid(&solid, 972, 0, 4.0 / 3 * pi * 1e-3, 0.5);
}

static void open_bodies(void **state)
{
    (void)state;
    toi_solid solid;
    assert_int_equal(toi_make_plate(5, 2, &solid), TOI_OK);
    check_solid(&solid, 50, 20, 0, 0);
    assert_int_equal(toi_make_hoop(16, 1, 0.1, &solid), TOI_OK);
    check_solid(&solid, 32, 32, 0, 0);
}

// Counts that make no body are raised; those beyond the index types are refused.
static void extreme_counts(void **state)
{
    (void)state;
    toi_solid solid;
    assert_int_equal(toi_make_pyramid(0, 1, 1, &solid), TOI_OK);
    check_solid(&solid, 4, 0, sqrt(3) / 4, 1e-14);
    assert_int_equal(toi_make_bumpy_ball(-1, 1, &solid), TOI_OK);
    check_solid(&solid, 12, 0, 0, 0);
    assert_int_equal(toi_make_plate(INT32_MAX, 1, &solid), TOI_ERROR_LIMIT);
    assert_null(solid.points);
    assert_int_equal(toi_make_bumpy_ball(1 << 20, 1, &solid), TOI_ERROR_LIMIT);
    assert_null(solid.faces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_bodies),
                                       cmocka_unit_test(open_bodies),
                                       cmocka_unit_test(extreme_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
