// PLY: texts and binaries of all types by hand, and what the writer makes of a mesh.

#include "io_support.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Reading

static void ply_text(void **state)
{
    (void)state;
    toi_mesh_file mesh = parse("a", ply_ascii, strlen(ply_ascii));
    const double points[][3] = {
        {1e-3, -7, 0.1}, {4, 2147483647, -0.5}, {50, 0, 0}, {1, 1, 0}, {2, 2, 0}};
    const int32_t faces[][3] = {{0, 1, 2}, {4, 3, 2}, {4, 2, 1}, {4, 1, 0}};
    const int32_t edges[][2] = {{3, 4}};
    expect_points(&mesh, 5, points);
    expect_faces(&mesh, 4, faces);
    expect_edges(&mesh, 1, edges);
    toi_free_mesh_file(&mesh);
    assert_null(mesh.points);
}

static const char *const float_names[] = {"float", "float32", "double", "float64"};

static void expect_binary(const buffer *made, const double points[4][3])
{
    toi_mesh_file mesh = parse("a.ply", made->data, made->size);
    const int32_t faces[][3] = {{0, 1, 2}, {3, 2, 1}, {3, 1, 0}};
    const int32_t edges[][2] = {{3, 1}};
    expect_points(&mesh, 4, points);
    expect_faces(&mesh, 3, faces);
    expect_edges(&mesh, 1, edges);
    toi_free_mesh_file(&mesh);
}

static void ply_binary_index_types(void **state)
{
    (void)state;
    const double points[4][3] = {{0, 1, 2}, {0.1, -0.0, DBL_TRUE_MIN}, {-DBL_MAX, 4, 5}, {6, 7, 8}};
    for (int big = 0; big < 2; ++big)
        for (int count = 0; count < INTEGER_TYPES; ++count)
            for (int index = 0; index < INTEGER_TYPES; ++index) {
                buffer made = {.size = 0};
                make_binary(&made, big, "double", integer_types[count], integer_types[index],
                            points);
                expect_binary(&made, points);
            }
}

static void ply_binary_coordinate_types(void **state)
{
    (void)state;
    const double floats[4][3] = {{0, 1, 2}, {0.25, -0.5, 0x1p-126}, {-0x1p100, 4, 5}, {6, 7, 8}};
    for (int big = 0; big < 2; ++big) {
        for (int i = 0; i < 4; ++i) {
            buffer made = {.size = 0};
            make_binary(&made, big, float_names[i], integer_types[2], integer_types[8], floats);
            expect_binary(&made, floats);
        }
        for (int i = 0; i < INTEGER_TYPES; ++i) {
            const ply_type type = integer_types[i];
            double greatest = ldexp(1, (int)(8 * type.size) - type.is_signed) - 1;
            double least = type.is_signed ? -greatest - 1 : 0;
            const double points[4][3] = {{least, greatest, 0}, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
            buffer made = {.size = 0};
            make_binary(&made, big, type.name, integer_types[2], integer_types[8], points);
            expect_binary(&made, points);
        }
    }
}

// ---- Writing

static void ply_round_trip(void **state)
{
    (void)state;
    enum
    {
        COUNT = 500
    };
    toi_random random = {11};
    double points[COUNT][4]; // with a gap after each
    int32_t faces[COUNT][5];
    int32_t edges[COUNT][2];
    for (int i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 4; ++axis)
            points[i][axis] = random_finite(&random);
        for (int corner = 0; corner < 5; ++corner)
            faces[i][corner] = (int32_t)toi_random_below(&random, COUNT);
        memcpy(edges[i], faces[i] + 1, sizeof *edges);
    }
    points[0][0] = -0.0;
    points[1][0] = DBL_TRUE_MIN;
    assert_ok(toi_write_ply(
        path_of("a.ply"), (toi_point_view){points, COUNT, sizeof *points, TOI_DOUBLE},
        (toi_index_view){faces[0], COUNT, sizeof *faces}, (toi_index_view){edges[0], COUNT, 0}));
    toi_mesh_file mesh;
    assert_ok(toi_read_mesh(path_of("a.ply"), &mesh));
    assert_int_equal(mesh.point_count, COUNT);
    assert_int_equal(mesh.face_count, COUNT);
    assert_int_equal(mesh.loose_edge_count, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        assert_memory_equal(mesh.points[i], points[i], sizeof *mesh.points);
        assert_memory_equal(mesh.faces[i], faces[i], sizeof *mesh.faces);
        assert_memory_equal(mesh.loose_edges[i], edges[i], sizeof *mesh.loose_edges);
    }
    toi_free_mesh_file(&mesh);
}

static void ply_from_floats(void **state)
{
    (void)state;
    const float points[][3] = {{0.1f, -2, 3e38f}, {1, 2, 3}};
    const double expected[][3] = {{0.1f, -2, 3e38f}, {1, 2, 3}};
    toi_index_view none = {0};
    assert_ok(
        toi_write_ply(path_of("b.ply"), (toi_point_view){points, 2, 0, TOI_FLOAT}, none, none));
    toi_mesh_file mesh;
    assert_ok(toi_read_mesh(path_of("b.ply"), &mesh));
    expect_points(&mesh, 2, expected);
    assert_int_equal(mesh.face_count, 0);
    toi_free_mesh_file(&mesh);
    toi_point_view empty = {0};
    assert_ok(toi_write_ply(path_of("b.ply"), empty, none, none));
    assert_ok(toi_read_mesh(path_of("b.ply"), &mesh));
    assert_int_equal(mesh.point_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_text),
        cmocka_unit_test(ply_binary_index_types),
        cmocka_unit_test(ply_binary_coordinate_types),
        cmocka_unit_test(ply_round_trip),
        cmocka_unit_test(ply_from_floats),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
