// PLY: texts and binaries of all types by hand, and what the writer makes of a mesh.

#include "io_support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
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

// ---- Triangle strips

enum
{
    ROWS = 5, // of squares, each row a strip
    COLUMNS = 6,
    STRIP = 2 * (COLUMNS + 1),
    CORNERS = (ROWS + 1) * (COLUMNS + 1),
    TRIANGLES = 2 * ROWS * COLUMNS,
};

// How the strips of a file are kept apart.
typedef enum strip_form
{
    APART,   // a list each
    BETWEEN, // one list, -1 between two
    AFTER,   // one list, -1 after each
    JOINED,  // one list, the last vertex of a strip and the first of the next twice
    FORM_COUNT
} strip_form;

static int at(int row, int column)
{
    return row * (COLUMNS + 1) + column;
}

// The triangles of the grid, square by square, all turned the same way.
static void make_grid(int32_t faces[TRIANGLES][3])
{
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        int row = i / COLUMNS, column = i % COLUMNS;
        const int32_t square[2][3] = {
            {at(row, column), at(row + 1, column), at(row, column + 1)},
            {at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)}};
        memcpy(faces[2 * i], square, sizeof square);
    }
}

// The lists of a file: `lengths` receives theirs, `indices` what is in them. Returns how many.
static int make_strips(strip_form form, int lengths[ROWS], int32_t *indices)
{
    int lists = form == APART ? ROWS : 1, count = 0;
    for (int row = 0; row < ROWS; ++row) {
        int before = count;
        if (form == BETWEEN && row > 0)
            indices[count++] = -1;
        if (form == JOINED && row > 0) {
            indices[count] = indices[count - 1];
            indices[count + 1] = at(row, 0);
            count += 2;
        }
        for (int i = 0; i < STRIP; ++i)
            indices[count++] = at(row + i % 2, i / 2);
        if (form == AFTER)
            indices[count++] = -1;
        int list = form == APART ? row : 0;
        lengths[list] = count - before + (row > 0 && list == 0 ? lengths[0] : 0);
    }
    return lists;
}

// Numbers as text, or as bytes of that size.
static void put_number(buffer *made, int encoding, int32_t number, size_t size)
{
    char text[16];
    snprintf(text, sizeof text, "%d ", (int)number);
    if (encoding == 0)
        put_text(made, text);
    else
        put_bits(made, (uint64_t)number, size, encoding == 2);
}

static void put_lists(buffer *made, int encoding, int lists, const int *lengths,
                      const int32_t *indices, size_t size)
{
    for (int i = 0; i < lists; ++i) {
        put_number(made, encoding, lengths[i], 4);
        for (int k = 0; k < lengths[i]; ++k)
            put_number(made, encoding, *indices++, size);
        if (encoding == 0)
            put_text(made, "\n");
    }
}

static void put_head(buffer *made, int encoding, const char *elements)
{
    static const char *const encodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char header[512];
    snprintf(header, sizeof header,
             "ply\nformat %s 1.0\nelement vertex %d\nproperty char x\nproperty char y\n"
             "property char z\n%send_header\n",
             encodings[encoding], CORNERS, elements);
    put_text(made, header);
    for (int i = 0; i < CORNERS; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            put_number(made, encoding, axis == 0 ? i % 7 : axis == 1 ? i / 7 : 0, 1);
        if (encoding == 0)
            put_text(made, "\n");
    }
}

// The same mesh as faces and as strips, in each way to write it down.
static void ply_strips(void **state)
{
    (void)state;
    int32_t faces[TRIANGLES][3], indices[ROWS * (STRIP + 2)];
    make_grid(faces);
    int tried = 0;
    for (int encoding = 0; encoding < 3; ++encoding)
        for (int type = 0; type < INTEGER_TYPES; ++type)
            for (int form = 0; form < FORM_COUNT; ++form) {
                if (!integer_types[type].is_signed && (form == BETWEEN || form == AFTER))
                    continue; // no -1
                int lengths[ROWS], lists = make_strips((strip_form)form, lengths, indices);
                char element[128];
                snprintf(element, sizeof element,
                         "element tristrips %d\nproperty list int %s vertex_ind%s\n", lists,
                         integer_types[type].name, form % 2 ? "ices" : "ex");
                buffer made = {.size = 0};
                put_head(&made, encoding, element);
                put_lists(&made, encoding, lists, lengths, indices, integer_types[type].size);
                toi_mesh_file mesh = parse("a.ply", made.data, made.size);
                assert_int_equal(mesh.point_count, CORNERS);
                expect_faces(&mesh, TRIANGLES, (const int32_t(*)[3])faces);
                toi_free_mesh_file(&mesh);
                ++tried;
            }
    assert_int_equal(tried, 3 * (6 * 4 + 6 * 2));
}

// One file may hold faces, strips, edges and lists that are nobody's business.
static void ply_strips_beside_faces(void **state)
{
    (void)state;
    const int32_t polygon[] = {7, 8, 9, 10}, strips[] = {0, 1, 2, 3, -1, -1, 4, 5, 6, 6, 5},
                  one[] = {3};
    const int none = 0, single = 1, four = 4, eleven = 11;
    const int32_t faces[][3] = {{0, 1, 2}, {2, 1, 3}, {4, 5, 6}, {7, 8, 9}, {7, 9, 10}};
    const int32_t edges[][2] = {{3, 3}};
    for (int encoding = 0; encoding < 3; ++encoding) {
        buffer made = {.size = 0};
        put_head(&made, encoding,
                 "element tristrips 2\nproperty list int int weights\n"
                 "property list int short vertex_indices\n"
                 "element face 1\nproperty list int int vertex_indices\n"
                 "element edge 1\nproperty int vertex1\nproperty int vertex2\n");
        put_lists(&made, encoding, 1, &single, one, 4);
        put_lists(&made, encoding, 1, &eleven, strips, 2);
        put_lists(&made, encoding, 1, &single, one, 4);
        put_lists(&made, encoding, 1, &none, one, 4);
        put_lists(&made, encoding, 1, &four, polygon, 4);
        put_number(&made, encoding, 3, 4);
        put_number(&made, encoding, 3, 4);
        toi_mesh_file mesh = parse("a.ply", made.data, made.size);
        expect_faces(&mesh, 5, faces);
        expect_edges(&mesh, 1, edges);
        toi_free_mesh_file(&mesh);
        // Cut anywhere it is never taken for a whole one.
        for (size_t size = 1; size + 4 < made.size; ++size)
            assert_int_equal(toi_parse_mesh("a.ply", made.data, size, &mesh), TOI_ERROR_FORMAT);
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
        cmocka_unit_test(ply_strips),
        cmocka_unit_test(ply_strips_beside_faces),
        cmocka_unit_test(ply_round_trip),
        cmocka_unit_test(ply_from_floats),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
