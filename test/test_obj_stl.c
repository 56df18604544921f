// OBJ and STL by hand; the corners that an STL repeats become one, in two frames jointly.

#include "io_support.h"

#include <string.h>

// ---- OBJ

static void obj_text(void **state)
{
    (void)state;
    static const char text[] = "# from C:\\models\\\n"
                               "mtllib a.mtl \\\n v 9 9 9\n"
                               "v 0 0 0\r\n"
                               "v 1 0 0 1.0 # with a weight\n"
                               "\tv 1 1 0 0.5 0.5 0.5\n"
                               "v 0 \\\n  1 \\\r\n  0\n"
                               "vn 0 0 1\nvt 0 0\n"
                               "o thing\ns off\n"
                               "f 1 2 3\n"
                               "f 1/1 2/1 3/1\\\n 4/1\n"
                               "f -4//1 -3//1 -2//-1\n"
                               "f 1/1/1 3/1/1 5/1/1\n" // before its vertex
                               "v 1e0 2E+0 .3e1\n"
                               "l 1/1 2/1 5\n"
                               "l -1 -2\n"
                               "curv 0 1 x\n"
                               "f 5 4 3 2 1"; // no line end
    toi_mesh_file mesh = parse("a", BYTES(text));
    const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 2, 3}};
    const int32_t faces[][3] = {{0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {0, 1, 2},
                                {0, 2, 4}, {4, 3, 2}, {4, 2, 1}, {4, 1, 0}};
    const int32_t edges[][2] = {{0, 1}, {1, 4}, {4, 3}};
    expect_points(&mesh, 5, points);
    expect_faces(&mesh, 8, faces);
    expect_edges(&mesh, 3, edges);
    toi_free_mesh_file(&mesh);
}

// ---- STL

static void stl_text(void **state)
{
    (void)state;
    toi_mesh_file mesh = parse("a", stl_ascii, strlen(stl_ascii));
    expect_points(&mesh, 4, stl_points);
    expect_faces(&mesh, 2, stl_faces);
    assert_int_equal(mesh.loose_edge_count, 0);
    toi_free_mesh_file(&mesh);
}

// The name of the solid does not matter: many binary files start as if they were text.
static void stl_binary(void **state)
{
    (void)state;
    const char *const headers[] = {"", "solid facet normal", "made by hand"};
    for (int i = 0; i < 3; ++i) {
        buffer made = {.size = 0};
        make_binary_stl(&made, headers[i], 2);
        toi_mesh_file mesh = parse("a", made.data, made.size);
        expect_points(&mesh, 4, stl_points);
        expect_faces(&mesh, 2, stl_faces);
        toi_free_mesh_file(&mesh);
        // Truncated, it must still be taken for binary, and refused.
        assert_fails(toi_parse_mesh("a.stl", made.data, made.size - 1, &mesh), TOI_ERROR_FORMAT,
                     "2 triangles announced");
    }
}

// Separate triangles whose corners often coincide, as a binary STL.
enum
{
    SOUP_TRIANGLES = 80,
    SOUP_CORNERS = 3 * SOUP_TRIANGLES
};

static void make_stl_soup(buffer *made, uint64_t seed, double corners[SOUP_CORNERS][3])
{
    toi_random random = {seed};
    put_bytes(made, (char[80]){0}, 80);
    put_bits(made, SOUP_TRIANGLES, 4, false);
    for (int i = 0; i < SOUP_CORNERS; ++i) {
        if (i % 3 == 0)
            put_bytes(made, (char[12]){0}, 12);
        for (int axis = 0; axis < 3; ++axis) {
            corners[i][axis] = (double)toi_random_below(&random, 3) - 1;
            if (corners[i][axis] == 0 && toi_random_below(&random, 2))
                corners[i][axis] = -0.0;
            put_bits(made, float_bits(corners[i][axis], 4), 4, false);
        }
        if (i % 3 == 2)
            put_bits(made, 0, 2, false);
    }
}

static bool same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void stl_welds_like_brute_force(void **state)
{
    (void)state;
    double corners[SOUP_CORNERS][3];
    buffer made = {.size = 0};
    make_stl_soup(&made, 7, corners);
    toi_mesh_file mesh = parse("a.stl", made.data, made.size);
    int32_t count = 0;
    for (int i = 0; i < SOUP_CORNERS; ++i) {
        int32_t vertex = 0;
        while (vertex < count && !same_point(mesh.points[vertex], corners[i]))
            ++vertex;
        if (vertex == count) {
            assert_true(count < mesh.point_count);
            assert_memory_equal(mesh.points[count++], corners[i], sizeof *corners);
        }
        assert_int_equal(mesh.faces[i / 3][i % 3], vertex);
    }
    assert_int_equal(mesh.point_count, count);
    assert_int_equal(count, 27); // all that there can be
    toi_free_mesh_file(&mesh);
}

// ---- Two frames

static void frames_weld_jointly(void **state)
{
    (void)state;
    static const char start[] = "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 "
                                "vertex 0 1 0 endloop endfacet\nfacet normal 0 0 0 outer loop "
                                "vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet endsolid";
    // The second triangle's first corner leaves the first one's; the others stay together.
    static const char end[] = "solid\nfacet normal 0 0 0 outer loop vertex 0 0 1 vertex 1 0 1 "
                              "vertex 1 0 1 endloop endfacet\nfacet normal 0 0 0 outer loop "
                              "vertex 0 0 2 vertex 1 0 1 vertex 1 0 1 endloop endfacet endsolid";
    write_file(path_of("start.stl"), BYTES(start));
    write_file(path_of("end.stl"), BYTES(end));
    toi_mesh_file first;
    toi_mesh_file second;
    assert_ok(toi_read_frames(path_of("start.stl"), path_of("end.stl"), &first, &second));
    const double first_points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
    const double second_points[][3] = {{0, 0, 1}, {1, 0, 1}, {1, 0, 1}, {0, 0, 2}};
    const int32_t faces[][3] = {{0, 1, 2}, {3, 2, 1}};
    expect_points(&first, 4, first_points);
    expect_points(&second, 4, second_points);
    expect_faces(&first, 2, faces);
    expect_faces(&second, 2, faces);
    toi_free_mesh_file(&first);
    toi_free_mesh_file(&second);
}

static void frames_weld_like_brute_force(void **state)
{
    (void)state;
    double starts[SOUP_CORNERS][3];
    double ends[SOUP_CORNERS][3];
    buffer first = {.size = 0};
    buffer second = {.size = 0};
    make_stl_soup(&first, 8, starts);
    make_stl_soup(&second, 9, ends);
    write_file(path_of("start.stl"), first.data, first.size);
    write_file(path_of("end.stl"), second.data, second.size);
    toi_mesh_file start;
    toi_mesh_file end;
    assert_ok(toi_read_frames(path_of("start.stl"), path_of("end.stl"), &start, &end));
    int32_t count = 0;
    for (int i = 0; i < SOUP_CORNERS; ++i) {
        int32_t vertex = 0;
        while (vertex < count && !(same_point(start.points[vertex], starts[i]) &&
                                   same_point(end.points[vertex], ends[i])))
            ++vertex;
        if (vertex == count) {
            assert_memory_equal(start.points[count], starts[i], sizeof *starts);
            assert_memory_equal(end.points[count++], ends[i], sizeof *ends);
        }
        assert_int_equal(start.faces[i / 3][i % 3], vertex);
        assert_int_equal(end.faces[i / 3][i % 3], vertex);
    }
    assert_int_equal(start.point_count, count);
    assert_int_equal(end.point_count, count);
    assert_in_range(count, 100, SOUP_CORNERS - 1); // some coincide at both times
    toi_free_mesh_file(&start);
    toi_free_mesh_file(&end);
}

static void frames_must_agree(void **state)
{
    (void)state;
    static const struct
    {
        const char *names[2];
        const char *texts[2];
        const char *message; // NULL: they agree
    } cases[] = {
        {{"a.obj", "b.obj"}, {"v 0 0 0\n", "v 1 0 0\n"}, NULL},
        {{"a.obj", "b.obj"}, {"v 0 0 0\n", "v 0 0 0\nv 0 0 0\n"}, "b.obj: has 2 points, "},
        {{"a.obj", "b.obj"}, {"v 0 0 0\nf 1 1 1\n", "v 0 0 0\n"}, "b.obj: has 0 faces, "},
        {{"a.obj", "b.obj"},
         {"v 0 0 0\nv 1 1 1\nf 1 1 1\n", "v 0 0 0\nv 1 1 1\nf 1 2 1\n"},
         "number 0 of its faces names vertex 1, in "},
        {{"a.obj", "b.obj"}, {"v 0 0 0\nl 1 1\n", "v 0 0 0\nl 1 1 1\n"}, "b.obj: has 2 edges, "},
        {{"a.stl", "b.obj"}, {"solid\nendsolid\n", "v 0 0 0\n"}, "is an STL"},
        {{"a.stl", "b.stl"}, {"solid\nendsolid\n", "solid\nendsolid\n"}, NULL},
        {{"a.stl", "b.stl"},
         {"solid\nendsolid\n", "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 "
                               "vertex 0 0 0 endloop endfacet endsolid"},
         "b.stl: has 3 points, "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        toi_mesh_file first;
        toi_mesh_file second;
        for (int k = 0; k < 2; ++k)
            write_file(path_of(cases[i].names[k]), cases[i].texts[k], strlen(cases[i].texts[k]));
        toi_status status = toi_read_frames(path_of(cases[i].names[0]), path_of(cases[i].names[1]),
                                            &first, &second);
        assert_int_equal(status, cases[i].message ? TOI_ERROR_DATA : TOI_OK);
        if (cases[i].message)
            assert_non_null(strstr(toi_last_message(), cases[i].message));
        toi_free_mesh_file(&first);
        toi_free_mesh_file(&second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_text),
        cmocka_unit_test(stl_text),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(stl_welds_like_brute_force),
        cmocka_unit_test(frames_weld_jointly),
        cmocka_unit_test(frames_weld_like_brute_force),
        cmocka_unit_test(frames_must_agree),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
