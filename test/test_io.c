// The readers and writers of toi_io: hand cases, round trips, bad files, bounded memory.

#define _XOPEN_SOURCE 700 // mkdtemp, mkfifo, symlink

#include "io/builder.h"
#include "io/numbers.h"
#include "io/rational.h"
#include "support.h"
#include "toi/io.h"
#include "toi/random.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Helpers

// A string literal with its size, zero bytes included.
#define BYTES(literal) literal, sizeof(literal) - 1

static toi_mesh_file parse(const char *name, const void *data, size_t size)
{
    toi_mesh_file mesh;
    assert_ok(toi_parse_mesh(name, data, size, &mesh));
    return mesh;
}

static void expect_points(const toi_mesh_file *mesh, int64_t count, const double (*points)[3])
{
    assert_int_equal(mesh->point_count, count);
    for (int64_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            assert_true(mesh->points[i][axis] == points[i][axis]);
}

static void expect_faces(const toi_mesh_file *mesh, int64_t count, const int32_t (*faces)[3])
{
    assert_int_equal(mesh->face_count, count);
    for (int64_t i = 0; i < count; ++i)
        assert_memory_equal(mesh->faces[i], faces[i], sizeof *faces);
}

static void expect_edges(const toi_mesh_file *mesh, int64_t count, const int32_t (*edges)[2])
{
    assert_int_equal(mesh->loose_edge_count, count);
    for (int64_t i = 0; i < count; ++i)
        assert_memory_equal(mesh->loose_edges[i], edges[i], sizeof *edges);
}

// A file being made in memory.
typedef struct buffer
{
    char data[8192];
    size_t size;
} buffer;

static void put_bytes(buffer *made, const void *data, size_t size)
{
    assert_true(made->size + size <= sizeof made->data);
    memcpy(made->data + made->size, data, size);
    made->size += size;
}

static void put_text(buffer *made, const char *text)
{
    put_bytes(made, text, strlen(text));
}

// The lowest `size` bytes of a number, in either order.
static void put_bits(buffer *made, uint64_t bits, size_t size, bool big_endian)
{
    for (size_t i = 0; i < size; ++i) {
        size_t shift = 8 * (big_endian ? size - 1 - i : i);
        unsigned char byte = (unsigned char)(bits >> shift);
        put_bytes(made, &byte, 1);
    }
}

// A folder for the test's files, and the path of one in it.
static char folder[256];

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/toi_test_io_XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *opened = opendir(folder);
    struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        if (entry->d_name[0] != '.')
            unlink(path_of(entry->d_name));
    if (opened)
        closedir(opened);
    return rmdir(folder);
}

static int files_in_folder(void)
{
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    int count = 0;
    struct dirent *entry;
    while ((entry = readdir(opened)))
        count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// ---- PLY

static const char ply_ascii[] = "ply\r\n"
                                "format ascii 1.0\r\n"
                                "comment element vertex 12\r\n"
                                "obj_info made by hand\r\n"
                                "element material 2\r\n"
                                "property list uchar float shades\r\n"
                                "property int id\r\n"
                                "element vertex 5\r\n"
                                "property uchar red\r\n"
                                "property float z\r\n"
                                "property list uint8 int16 marks\r\n"
                                "property float64 x\r\n"
                                "property int32 y\r\n"
                                "element face 2\r\n"
                                "property list uchar float texcoord\r\n"
                                "property list int uint vertex_index\r\n"
                                "property uchar flags\r\n"
                                "element edge 1\r\n"
                                "property int vertex2\r\n"
                                "property float rest\r\n"
                                "property int vertex1\r\n"
                                "end_header\r\n"
                                "2 0.5 0.25 7\r\n"
                                "0 8\r\n"
                                "255 0.1 0 1e-3 -7\r\n"
                                "0 -.5 2 1 2 +4. 2147483647\r\n"
                                "\r\n"
                                "0 0 0 5E1 0\r\n"
                                "0 0 0 1\r\n 1\r\n"
                                "0 0 0 2 2\r\n"
                                "0 3 0 1 2 9\r\n"
                                "2 0.5 nan 5 4 3 2 1 0 9\r\n"
                                "4 1.5 3\r\n";

static void ply_text(void **state)
{
    (void)state;
    toi_mesh_file mesh = parse("a", BYTES(ply_ascii));
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

typedef struct ply_type
{
    const char *name;
    size_t size;
    bool is_signed;
} ply_type;

static const ply_type integer_types[] = {
    {"char", 1, true},  {"int8", 1, true},  {"uchar", 1, false},  {"uint8", 1, false},
    {"short", 2, true}, {"int16", 2, true}, {"ushort", 2, false}, {"uint16", 2, false},
    {"int", 4, true},   {"int32", 4, true}, {"uint", 4, false},   {"uint32", 4, false},
};
enum
{
    INTEGER_TYPES = sizeof integer_types / sizeof *integer_types
};

// Coordinates of each type: the last three types are floating.
static const char *const float_names[] = {"float", "float32", "double", "float64"};

static uint64_t float_bits(double value, size_t size)
{
    float single = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    return size == 4 ? low : bits;
}

// A binary file with skipped data of every kind around a triangle, a quadrangle and an edge.
static void make_binary(buffer *made, bool big_endian, const char *coordinate, ply_type count,
                        ply_type index, const double points[4][3])
{
    char header[1024];
    snprintf(header, sizeof header,
             "ply\nformat binary_%s_endian 1.0\nelement skipped 2\nproperty double a\n"
             "element listed 2\nproperty list ushort double b\nproperty char c\n"
             "element vertex 4\nproperty short before\nproperty %s x\nproperty %s y\n"
             "property list uchar int between\nproperty %s z\nelement face 2\n"
             "property list %s %s vertex_indices\nproperty uchar after\n"
             "element edge 1\nproperty %s vertex1\nproperty %s vertex2\nend_header\n",
             big_endian ? "big" : "little", coordinate, coordinate, coordinate, count.name,
             index.name, index.name, index.name);
    put_text(made, header);
    put_bits(made, 0x0a0a0a0a0a0a0a0a, 8, big_endian); // looks like more line ends
    put_bits(made, 1, 8, big_endian);
    for (uint64_t length = 0; length < 2; ++length) {
        put_bits(made, length, 2, big_endian);
        put_bits(made, 77, 8 * length, big_endian);
        put_bits(made, 1, 1, big_endian);
    }
    size_t size = 0; // 0 for floating types
    for (int i = 0; i < INTEGER_TYPES; ++i)
        if (strcmp(integer_types[i].name, coordinate) == 0)
            size = integer_types[i].size;
    size_t float_size = coordinate[0] == 'd' || strstr(coordinate, "64") ? 8 : 4;
    for (int i = 0; i < 4; ++i) {
        put_bits(made, 3, 2, big_endian);
        for (int axis = 0; axis < 3; ++axis) {
            if (axis == 2) {
                put_bits(made, (uint64_t)i % 2, 1, big_endian);
                put_bits(made, 99, i % 2 ? 4 : 0, big_endian);
            }
            double value = points[i][axis];
            put_bits(made, size ? (uint64_t)(int64_t)value : float_bits(value, float_size),
                     size ? size : float_size, big_endian);
        }
    }
    const uint64_t corners[] = {0, 1, 2, 3, 2, 1, 0};
    for (int i = 0; i < 7; ++i) {
        if (i == 0 || i == 3)
            put_bits(made, i == 0 ? 3 : 4, count.size, big_endian);
        put_bits(made, corners[i], index.size, big_endian);
        if (i == 2 || i == 6)
            put_bits(made, 1, 1, big_endian);
    }
    put_bits(made, 3, index.size, big_endian);
    put_bits(made, 1, index.size, big_endian);
}

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

static const char stl_ascii[] = "solid facet vertex\n"
                                "  facet normal nan nan nan\n    outer loop\n"
                                "      vertex 0 0 0\n      vertex 1 0 0\n      vertex 0 1 0\n"
                                "    endloop\n  endfacet\nendsolid facet vertex\n"
                                "SOLID\nFACET NORMAL 0 0 1 OUTER LOOP\n"
                                "VERTEX -0 1 0 VERTEX 1 -0.0 0 VERTEX 1 1 1e0\n"
                                "ENDLOOP ENDFACET\nENDSOLID\n";

static const double stl_points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}};
static const int32_t stl_faces[][3] = {{0, 1, 2}, {2, 1, 3}};

static void stl_text(void **state)
{
    (void)state;
    toi_mesh_file mesh = parse("a", BYTES(stl_ascii));
    expect_points(&mesh, 4, stl_points);
    expect_faces(&mesh, 2, stl_faces);
    assert_int_equal(mesh.loose_edge_count, 0);
    toi_free_mesh_file(&mesh);
}

static void make_binary_stl(buffer *made, const char *header, uint32_t count)
{
    char padded[80] = {0};
    memcpy(padded, header, strlen(header));
    put_bytes(made, padded, sizeof padded);
    put_bits(made, count, 4, false);
    for (int i = 0; i < 2; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            put_bits(made, float_bits(NAN, 4), 4, false);
        for (int corner = 0; corner < 3; ++corner)
            for (int axis = 0; axis < 3; ++axis)
                put_bits(made, float_bits(stl_points[stl_faces[i][corner]][axis], 4), 4, false);
        put_bits(made, 0xffff, 2, false);
    }
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

// ---- Numbers

// Random decimals of all shapes: the fast path must give strtod's bits.
static void doubles_agree_with_strtod(void **state)
{
    (void)state;
    toi_random random = {1};
    int fast = 0;
    for (int i = 0; i < 200000; ++i) {
        char word[64];
        uint64_t bits = toi_random_bits(&random) >> toi_random_below(&random, 64);
        int places = (int)toi_random_below(&random, 25);
        int exponent = (int)toi_random_below(&random, i % 2 ? 50 : 700) - (i % 2 ? 25 : 350);
        if (i % 3 == 0)
            snprintf(word, sizeof word, "%.*g", places, ldexp((double)bits, exponent));
        else
            snprintf(word, sizeof word, "%s%llu.%0*d%s%d", i % 4 ? "" : "-",
                     (unsigned long long)bits, places, i, i % 5 ? "e" : "E+", abs(exponent));
        toi_span span = {word, strlen(word)};
        double value = 0;
        double expected = 0;
        toi_number number = toi_parse_double(span, &value);
        assert_int_equal(number, toi_parse_double_slowly(span, &expected));
        assert_memory_equal(&value, &expected, sizeof value);
        assert_true(expected == strtod(word, NULL));
        fast += strlen(word) < 12;
    }
    assert_true(fast > 1000);
}

static void number_words(void **state)
{
    (void)state;
    static const struct
    {
        const char *word;
        toi_number number;
        double value;
    } cases[] = {
        {"0", TOI_NUMBER_FINITE, 0},
        {"-.5", TOI_NUMBER_FINITE, -0.5},
        {"5.", TOI_NUMBER_FINITE, 5},
        {"1e23", TOI_NUMBER_FINITE, 1e23},
        {"9007199254740993", TOI_NUMBER_FINITE, 9007199254740992}, // a tie, to even
        {"9007199254740993.00000000000000000001", TOI_NUMBER_FINITE, 9007199254740994},
        {"0.000000000000000000000000000000000000001", TOI_NUMBER_FINITE, 1e-39},
        {"4.9406564584124654e-324", TOI_NUMBER_FINITE, DBL_TRUE_MIN},
        {"1e-99999999999999999999", TOI_NUMBER_FINITE, 0},
        {"1.7976931348623157e308", TOI_NUMBER_FINITE, DBL_MAX},
        {"1.7976931348623159e308", TOI_NUMBER_INFINITE, 0},
        {"1e99999999999999999999", TOI_NUMBER_INFINITE, 0},
        {"nan", TOI_NUMBER_INFINITE, 0},
        {"-NaN", TOI_NUMBER_INFINITE, 0},
        {"nan(ind)", TOI_NUMBER_INFINITE, 0},
        {"+Inf", TOI_NUMBER_INFINITE, 0},
        {"-infinity", TOI_NUMBER_INFINITE, 0},
        {"", TOI_NUMBER_NONE, 0},
        {"-", TOI_NUMBER_NONE, 0},
        {".", TOI_NUMBER_NONE, 0},
        {"e5", TOI_NUMBER_NONE, 0},
        {"1e", TOI_NUMBER_NONE, 0},
        {"1e+", TOI_NUMBER_NONE, 0},
        {"1,5", TOI_NUMBER_NONE, 0},
        {"1.5.2", TOI_NUMBER_NONE, 0},
        {"0x1p3", TOI_NUMBER_NONE, 0},
        {"1f", TOI_NUMBER_NONE, 0},
        {"--1", TOI_NUMBER_NONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double value = 0;
        toi_span word = {cases[i].word, strlen(cases[i].word)};
        assert_int_equal(toi_parse_double(word, &value), cases[i].number);
        if (cases[i].number == TOI_NUMBER_FINITE)
            assert_true(value == cases[i].value);
    }
}

// In many countries strtod reads "1.5" as 1.
static void comma_locales_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (int i = 0; !set && i < 4; ++i)
        set = setlocale(LC_ALL, names[i]);
    if (!set) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    double value;
    toi_span word = {BYTES("1.50000000000000000000000001")}; // long enough for the slow path
    assert_int_equal(toi_parse_double(word, &value), TOI_NUMBER_FINITE);
    setlocale(LC_ALL, "C");
    assert_true(value == 1.5);
}

static void integer_words(void **state)
{
    (void)state;
    int64_t value;
    assert_true(toi_parse_integer((toi_span){BYTES("-12")}, &value) && value == -12);
    assert_true(toi_parse_integer((toi_span){BYTES("+7")}, &value) && value == 7);
    assert_true(toi_parse_integer((toi_span){BYTES("922337203685477579")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("99999999999999999999")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("18446744073709551617")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("1.0")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("-")}, &value));
    assert_false(toi_parse_integer((toi_span){BYTES("")}, &value));
}

// ---- Rationals

static toi_span span_of(const char *text)
{
    return (toi_span){text, strlen(text)};
}

// Both ways of reading a rational must agree, on rationals near the limits of each.
static void rationals_agree_with_gmp(void **state)
{
    (void)state;
    toi_random random = {3};
    toi_rational_reader reader;
    toi_open_rationals(&reader);
    mpz_t number;
    mpz_init(number);
    int outcomes[4] = {0};
    for (int i = 0; i < 50000; ++i) {
        char top[128];
        char bottom[128];
        mpz_set_d(number, (double)(toi_random_bits(&random) >> (toi_random_below(&random, 64))));
        mpz_mul_2exp(number, number, toi_random_below(&random, 70));
        mpz_add_ui(number, number, i % 7 == 0);
        gmp_snprintf(top, sizeof top, "%s%Zd", i % 2 ? "-" : "", number);
        mpz_set_ui(number, i % 5 ? 1 : i % 11);
        mpz_mul_2exp(number, number, toi_random_below(&random, 130));
        gmp_snprintf(bottom, sizeof bottom, "%s%Zd", i % 13 ? "" : "-", number);
        double value = 0;
        double expected = 0;
        toi_rational outcome =
            toi_read_rational_slowly(&reader, span_of(top), span_of(bottom), &expected);
        assert_int_equal(toi_read_rational(&reader, span_of(top), span_of(bottom), &value),
                         outcome);
        assert_memory_equal(&value, &expected, sizeof value);
        ++outcomes[outcome];
    }
    mpz_clear(number);
    toi_close_rationals(&reader);
    for (int i = 0; i < 3; ++i)
        assert_true(outcomes[i] > 100);
}

static void power_of_two(char *text, unsigned exponent, int add)
{
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 2, exponent);
    if (add < 0)
        mpz_sub_ui(power, power, (unsigned)-add);
    mpz_add_ui(power, power, add > 0 ? (unsigned)add : 0);
    mpz_get_str(text, 10, power);
    mpz_clear(power);
}

static void expect_rational(const char *top, const char *bottom, toi_rational expected,
                            double expected_value)
{
    toi_rational_reader reader;
    toi_open_rationals(&reader);
    double value = NAN;
    assert_int_equal(toi_read_rational(&reader, span_of(top), span_of(bottom), &value), expected);
    if (expected == TOI_RATIONAL_EXACT)
        assert_memory_equal(&value, &expected_value, sizeof value);
    toi_close_rationals(&reader);
}

static void rational_limits(void **state)
{
    (void)state;
    char text[512];
    expect_rational("3", "6", TOI_RATIONAL_EXACT, 0.5);
    expect_rational("1", "3", TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational("-0", "1", TOI_RATIONAL_EXACT, -0.0);
    expect_rational("0", "7", TOI_RATIONAL_EXACT, 0);
    expect_rational("-3", "-2", TOI_RATIONAL_EXACT, 1.5);
    expect_rational("0", "0", TOI_RATIONAL_UNDEFINED, 0);
    expect_rational("00000000000000000000000000000000000000000000000000001", "2",
                    TOI_RATIONAL_EXACT, 0.5);
    power_of_two(text, 53, 1);
    expect_rational(text, "1", TOI_RATIONAL_NOT_DOUBLE, 0);
    power_of_two(text, 1023, 0);
    expect_rational(text, "1", TOI_RATIONAL_EXACT, 0x1p1023);
    power_of_two(text, 1024, 0);
    expect_rational(text, "1", TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational(text, "4", TOI_RATIONAL_EXACT, 0x1p1022);
    power_of_two(text, 1074, 0);
    expect_rational("-1", text, TOI_RATIONAL_EXACT, -DBL_TRUE_MIN);
    expect_rational("3", text, TOI_RATIONAL_EXACT, 3 * DBL_TRUE_MIN);
    power_of_two(text, 1075, 0);
    expect_rational("1", text, TOI_RATIONAL_NOT_DOUBLE, 0);
    expect_rational("3", text, TOI_RATIONAL_NOT_DOUBLE, 0); // would round to even
    expect_rational("2", text, TOI_RATIONAL_EXACT, DBL_TRUE_MIN);
}

// ---- Queries

#define ROW "1,2,-3,4,5,1"
#define SIX_ROWS ROW "\n" ROW "\n" ROW "\n" ROW "\n" ROW "\n" ROW "\n"
#define ROWS_OF(row) row "\n" row "\n" row "\n" row "\n" row "\n" row "\n" row "\n" row "\n"

static void query_text(void **state)
{
    (void)state;
    static const char text[] =
        "x_num,x_den,y_num,y_den,z_num,z_den,hit\r\n"
        "1,2,0,1,0,1,1\r\n\r\n"
        "2,2 , 0,1,0,1,1\n3,2,0,1,0,1,1\n4,2,0,1,0,1,1\n5,2,0,1,0,1,1\n"
        "6,2,0,1,0,1,1\n7,2,0,1,0,1,1\n8,2,0,1,-1,8388608,1\n\n" ROWS_OF(ROW ",0");
    toi_query_file file;
    assert_ok(toi_parse_queries("a", BYTES(text), &file));
    assert_int_equal(file.count, 2);
    for (int i = 0; i < 4; ++i) {
        assert_true(file.queries[0].start[i][0] == (i + 1) / 2.0);
        assert_true(file.queries[0].end[i][0] == (i + 5) / 2.0);
        assert_true(file.queries[1].end[i][1] == -0.75);
    }
    assert_true(file.queries[0].end[3][2] == -0x1p-23);
    assert_true(file.hits[0]);
    assert_false(file.hits[1]);
    toi_free_query_file(&file);
    assert_null(file.queries);
}

static void queries_without_hits(void **state)
{
    (void)state;
    toi_query_file file;
    assert_ok(toi_parse_queries("a", BYTES(ROWS_OF(ROW)), &file));
    assert_int_equal(file.count, 1);
    assert_null(file.hits);
    toi_free_query_file(&file);
    assert_ok(toi_parse_queries("a", "", 0, &file));
    assert_int_equal(file.count, 0);
    assert_ok(toi_parse_queries("a", NULL, 0, &file));
}

// ---- Bad files

#define MANY "99999999999"
#define HEAD "ply\nformat ascii 1.0\n"
#define LITTLE "ply\nformat binary_little_endian 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define ONE_VERTEX "element vertex 1\n" XYZ
#define FACES "property list uchar int vertex_indices\n"
#define END "end_header\n"
#define ZERO_POINT "\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct
{
    const char *name;
    const char *data;
    size_t size;
    toi_status status;
    const char *message; // a part of it
} bad_meshes[] = {
    // No format at all.
    {"a.ply", BYTES(""), TOI_ERROR_FORMAT, "a.ply: the file is empty"},
    {"a", BYTES("hello world\n"), TOI_ERROR_FORMAT, "a: byte 0: neither PLY, OBJ nor STL"},
    {"a.ply", BYTES("plx\n"), TOI_ERROR_FORMAT, "a.ply:1: expected \"ply\""},
    {"a.PLY", BYTES("\0\1\2\3"), TOI_ERROR_FORMAT, "a.PLY:1: expected \"ply\""},
    {"a.stl", BYTES("\0\1\2\3"), TOI_ERROR_FORMAT, "a.stl: byte 4: the file ends inside"},
    {"a.obj", BYTES("\0\1\2\3"), TOI_ERROR_FORMAT, "a.obj:1: expected the text"},
    {"a.obj", BYTES("hello\n"), TOI_ERROR_FORMAT, "no vertex (v)"},
    // The header of a PLY.
    {"a", BYTES("ply\n"), TOI_ERROR_FORMAT, "a:2: the header has no end_header"},
    {"a", BYTES("ply\nformat ascii 1.0"), TOI_ERROR_FORMAT, "a:2: the header has no end_header"},
    {"a", BYTES("ply\nend_header\n"), TOI_ERROR_FORMAT, "a:2: the header has no format"},
    {"a", BYTES("ply\nformat ascii 2.0\n"), TOI_ERROR_FORMAT, "a:2: expected version 1.0"},
    {"a", BYTES("ply\nformat binary 1.0\n"), TOI_ERROR_FORMAT, "found \"binary\""},
    {"a", BYTES(HEAD END), TOI_ERROR_FORMAT, "a:3: the header has no element vertex"},
    {"a", BYTES(HEAD "elephant 1\n"), TOI_ERROR_FORMAT, "a:3: expected a line of the PLY header"},
    {"a", BYTES(HEAD "\x1b[31m 1\n"), TOI_ERROR_FORMAT, "found \"?[31m\""},
    {"a", BYTES(HEAD "property float x\n"), TOI_ERROR_FORMAT, "before the first element"},
    {"a", BYTES(HEAD "element vertex -1\n"), TOI_ERROR_FORMAT, "found \"-1\""},
    {"a", BYTES(HEAD "element vertex 99999999999999999999999\n"), TOI_ERROR_FORMAT, "a:3: "},
    {"a", BYTES(HEAD "element vertex\n"), TOI_ERROR_FORMAT, "found the end of the line"},
    {"a", BYTES(HEAD "element vertex 1\nproperty quad x\n"), TOI_ERROR_FORMAT,
     "a:4: expected a type"},
    {"a", BYTES(HEAD "element vertex 1\nproperty float\n"), TOI_ERROR_FORMAT, "the name of"},
    {"a", BYTES(HEAD "element vertex 1\nproperty list float int x\n"), TOI_ERROR_FORMAT, "length"},
    {"a", BYTES(HEAD "element vertex 1\nproperty list int int x\n"), TOI_ERROR_FORMAT,
     "x must not"},
    {"a", BYTES(HEAD ONE_VERTEX "property float x\n"), TOI_ERROR_FORMAT, "a second property x"},
    {"a", BYTES(HEAD ONE_VERTEX ONE_VERTEX), TOI_ERROR_FORMAT, "a second element vertex"},
    {"a", BYTES(HEAD "element vertex 1\nproperty float x\n" END), TOI_ERROR_FORMAT, "without a y"},
    {"a", BYTES(HEAD ONE_VERTEX "element face 0\n" END), TOI_ERROR_FORMAT, "without vertex_ind"},
    {"a", BYTES(HEAD ONE_VERTEX "element face 0\nproperty int vertex_index\n"), TOI_ERROR_FORMAT,
     "vertex_index must be a list"},
    {"a", BYTES(HEAD "element face 0\nproperty list uchar float vertex_index\n"), TOI_ERROR_FORMAT,
     "vertex_index must be whole numbers"},
    {"a", BYTES(HEAD ONE_VERTEX "element edge 0\nproperty int vertex1\n" END), TOI_ERROR_FORMAT,
     "without vertex2"},
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 1\n"), TOI_ERROR_UNSUPPORTED, "strips"},
    // Counts beyond the file.
    {"a", BYTES(HEAD "element vertex " MANY "\n" XYZ END "0 0 0\n"), TOI_ERROR_FORMAT,
     "a:8: " MANY " elements announced, the file has room for at most 1"},
    {"a", BYTES(LITTLE "element vertex " MANY "\n" XYZ END ZERO_POINT), TOI_ERROR_FORMAT,
     "a: byte 125: " MANY " elements announced, the file has room for at most 1"},
    {"a", BYTES(LITTLE ONE_VERTEX "element face " MANY "\n" FACES END ZERO_POINT), TOI_ERROR_FORMAT,
     "elements announced"},
    {"a", BYTES(LITTLE ONE_VERTEX "element x 9000000000000000000\nproperty int y\n" END ZERO_POINT),
     TOI_ERROR_FORMAT, "elements announced"},
    {"a",
     BYTES(LITTLE ONE_VERTEX "element x 2\nproperty list uint int y\n" END ZERO_POINT
                             "\xff\xff\xff\xff\0\0\0\0"),
     TOI_ERROR_FORMAT, "a list of 4294967295 values, the file has room for 1"},
    {"a",
     BYTES(HEAD ONE_VERTEX "element x 1\nproperty list uint int y\n" END
                           "0 0 0\n4294967295 1 2 3\n"),
     TOI_ERROR_FORMAT, "a:12: expected a value, found the end of the file"},
    {"a", BYTES(LITTLE ONE_VERTEX "element x 1\nproperty list char int y\n" END ZERO_POINT "\xff"),
     TOI_ERROR_FORMAT, "a list of -1 values"},
    {"a.stl",
     BYTES("solid not text\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\xff\xff\xff\xff"),
     TOI_ERROR_FORMAT, "a.stl: byte 80: 4294967295 triangles announced, the file has room for 0"},
    // The body of a PLY.
    {"a", BYTES(HEAD ONE_VERTEX END "0 0\n"), TOI_ERROR_FORMAT, "room for at most 0"},
    {"a", BYTES(HEAD ONE_VERTEX END "000 00\n"), TOI_ERROR_FORMAT, "a:9: expected a number"},
    {"a", BYTES(HEAD ONE_VERTEX END "0 0 0 0\n"), TOI_ERROR_FORMAT, "a:8: more values"},
    {"a", BYTES(HEAD ONE_VERTEX END "0 0 0\n0\n"), TOI_ERROR_FORMAT, "the file goes on"},
    {"a", BYTES(HEAD ONE_VERTEX END "0 zero 0\n"), TOI_ERROR_FORMAT,
     "a:8: expected a number, found \"zero\""},
    {"a", BYTES(HEAD ONE_VERTEX END "0 nan 0\n"), TOI_ERROR_DATA,
     "a:8: the coordinate is not finite"},
    {"a", BYTES(HEAD ONE_VERTEX END "0 1e999 0\n"), TOI_ERROR_DATA, "not finite"},
    {"a",
     BYTES(HEAD "element vertex 1\nproperty uchar x\nproperty int y\nproperty int z\n" END
                "256 0 0\n"),
     TOI_ERROR_FORMAT, "expected a value of type uchar, found \"256\""},
    {"a", BYTES(HEAD ONE_VERTEX "element face 1\n" FACES END "0 0 0\n3 0 0 1\n"), TOI_ERROR_DATA,
     "a:11: vertex 1 is out of range: the file has 1"},
    {"a", BYTES(HEAD ONE_VERTEX "element face 1\n" FACES END "0 0 0\n3 0 0 -1\n"), TOI_ERROR_DATA,
     "vertex -1 is out of range"},
    {"a", BYTES(HEAD ONE_VERTEX "element face 1\n" FACES END "0 0 0\n2 0 0 \n    "),
     TOI_ERROR_FORMAT, "a:11: a face with 2 corners"},
    {"a",
     BYTES(HEAD ONE_VERTEX "element edge 1\nproperty int vertex1\nproperty int vertex2\n" END
                           "0 0 0\n0 1\n"),
     TOI_ERROR_DATA, "vertex 1 is out of range"},
    {"a", BYTES(LITTLE ONE_VERTEX END "\0\0\0\0\0\0\x80\x7f\0\0\0\0"), TOI_ERROR_DATA,
     "a: byte 119: the coordinate is not finite"},
    {"a", BYTES(LITTLE ONE_VERTEX END "\0\0\0\0\0\0\0\0\0\0\0"), TOI_ERROR_FORMAT,
     "a: byte 115: 1 elements announced"},
    {"a", BYTES(LITTLE ONE_VERTEX END ZERO_POINT "\0"), TOI_ERROR_FORMAT, "goes on"},
    {"a",
     BYTES(LITTLE ONE_VERTEX "element face 1\n" FACES END ZERO_POINT "\3\0\0\0\0\0\0\0\0\0\0\0\1"),
     TOI_ERROR_DATA, "a: byte 190: vertex 16777216 is out of range"},
    // OBJ.
    {"a", BYTES("v 0 0\n"), TOI_ERROR_FORMAT,
     "a:1: expected a coordinate, found the end of the line"},
    {"a", BYTES("v 0 0 a\n"), TOI_ERROR_FORMAT, "found \"a\""},
    {"a", BYTES("v 0 0 0 a\n"), TOI_ERROR_FORMAT, "expected a number, found \"a\""},
    {"a", BYTES("v 0 0 inf\n"), TOI_ERROR_DATA, "a:1: the coordinate \"inf\" is not finite"},
    {"a", BYTES("\nv 0 0 0\nf 1 1\n"), TOI_ERROR_FORMAT, "a:3: a face with 2 corners"},
    {"a", BYTES("v 0 0 0\nl 1\n"), TOI_ERROR_FORMAT, "a:2: a polyline with 1 vertices"},
    {"a", BYTES("v 0 0 0\nf 1 1 2\nf 1 1 1\n"), TOI_ERROR_DATA,
     "a:2: vertex 2 is out of range: the file has 1"},
    {"a", BYTES("v 0 0 0\nf 1 1 -2\n"), TOI_ERROR_DATA, "a:2: vertex -2 is out of range: 1 so far"},
    {"a", BYTES("v 0 0 0\nf 0 1 1\n"), TOI_ERROR_DATA, "vertex 0 is out of range"},
    {"a", BYTES("v 0 0 0\nf 4294967297 1 1\n"), TOI_ERROR_DATA, "vertex 4294967297 is out"},
    {"a", BYTES("v 0 0 0\nf 1/a 1 1\n"), TOI_ERROR_FORMAT, "found \"1/a\""},
    {"a", BYTES("v 0 0 0\nf /1 1 1\n"), TOI_ERROR_FORMAT, "found \"/1\""},
    {"a", BYTES("v 0 0 0\nf 1.0 1 1\n"), TOI_ERROR_FORMAT, "found \"1.0\""},
    {"a", BYTES("v 0 0 \\"), TOI_ERROR_FORMAT, "found \"\\\""},
    // STL.
    {"a", BYTES("solid"), TOI_ERROR_FORMAT,
     "a:1: expected \"facet\" or \"endsolid\", found the end of the file"},
    {"a", BYTES("solid\nvertex 0 0 0\n"), TOI_ERROR_FORMAT, "a:2: expected \"facet\""},
    {"a", BYTES("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop\n"),
     TOI_ERROR_FORMAT, "a:6: expected \"vertex\", found \"endloop\""},
    {"a", BYTES("solid\nfacet normal 0 0 0 outer loop vertex 0 0 nan"), TOI_ERROR_DATA,
     "a:2: the coordinate \"nan\" is not finite"},
    {"a", BYTES("solid\nfacet normal 0 0 0 outer loop vertex 0 0 x"), TOI_ERROR_FORMAT,
     "a:2: expected a coordinate, found \"x\""},
    {"a", BYTES("solid\nfacet normal 0"), TOI_ERROR_FORMAT, "found the end of the file"},
    {"a", BYTES("solid\nendsolid\nv"), TOI_ERROR_FORMAT, "a:3: expected \"solid\""},
};

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_meshes / sizeof *bad_meshes; ++i) {
        toi_mesh_file mesh;
        toi_status status =
            toi_parse_mesh(bad_meshes[i].name, bad_meshes[i].data, bad_meshes[i].size, &mesh);
        if (status != bad_meshes[i].status || !strstr(toi_last_message(), bad_meshes[i].message))
            fail_msg("case %zu: %s, \"%s\" instead of \"%s\"", i, toi_status_name(status),
                     toi_last_message(), bad_meshes[i].message);
        assert_null(mesh.points);
        assert_int_equal(mesh.point_count, 0);
    }
}

static const struct
{
    const char *data;
    size_t size;
    toi_status status;
    const char *message;
} bad_queries[] = {
    {BYTES(SIX_ROWS ROW "\n"), TOI_ERROR_FORMAT, "a:8: the last query has 7 of its 8 rows"},
    {BYTES(SIX_ROWS ROW "\n" ROW "\n" ROW), TOI_ERROR_FORMAT, "the last query has 1 of its 8 rows"},
    {BYTES("1,3,0,1,0,1\n"), TOI_ERROR_FORMAT, "a:1: 1/3 is not exactly a double"},
    {BYTES("\n0,1,0,1,9007199254740993,1\n"), TOI_ERROR_FORMAT,
     "a:2: 9007199254740993/1 is not exactly a double"},
    {BYTES("1,0,0,1,0,1\n"), TOI_ERROR_FORMAT, "a:1: the denominator is 0"},
    {BYTES("1,2,0,1,0\n"), TOI_ERROR_FORMAT, "a:1: a denominator is missing"},
    {BYTES("1,2,0,1\n"), TOI_ERROR_FORMAT, "a:1: fewer than six columns"},
    {BYTES("1,2,0,1,0,\n"), TOI_ERROR_FORMAT, "expected an integer, found the end of the line"},
    {BYTES("1,2,0,1,0,1,2\n"), TOI_ERROR_FORMAT, "expected 0 or 1 for the hit, found \"2\""},
    {BYTES("1,2,0,1,0,1,0,0\n"), TOI_ERROR_FORMAT, "more than seven columns"},
    {BYTES(ROW ",0\n" ROW ",1\n"), TOI_ERROR_FORMAT, "a:2: the hit differs"},
    {BYTES(ROW ",0\n" ROW "\n"), TOI_ERROR_FORMAT, "a:2: six columns, unlike the first row"},
    {BYTES(ROW "\n" ROW ",0\n"), TOI_ERROR_FORMAT, "a:2: more than six columns, unlike"},
    {BYTES("1.5,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"1.5\""},
    {BYTES("1 1,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"1 1\""},
    {BYTES("-,2,0,1,0,1\n"), TOI_ERROR_FORMAT, "expected an integer, found \"-\""},
    {BYTES("a,b,c,d,e,f\na,b,c,d,e,f\n"), TOI_ERROR_FORMAT, "a:2: expected an integer"},
    {BYTES("hello\n"), TOI_ERROR_FORMAT, "a:1: expected an integer, found \"hello\""},
    {BYTES("\0\xff\x80\n"), TOI_ERROR_FORMAT, "a:1: expected an integer, found \"???\""},
};

static void bad_queries_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_queries / sizeof *bad_queries; ++i) {
        toi_query_file file;
        toi_status status = toi_parse_queries("a", bad_queries[i].data, bad_queries[i].size, &file);
        if (status != bad_queries[i].status || !strstr(toi_last_message(), bad_queries[i].message))
            fail_msg("case %zu: %s, \"%s\" instead of \"%s\"", i, toi_status_name(status),
                     toi_last_message(), bad_queries[i].message);
        assert_null(file.queries);
        assert_int_equal(file.count, 0);
    }
}

static void too_long_integers_are_refused(void **state)
{
    (void)state;
    char *text = test_malloc(TOI_MAX_DIGITS + 2);
    memset(text, '1', TOI_MAX_DIGITS + 1);
    toi_query_file file;
    assert_int_equal(toi_parse_queries("a", text, TOI_MAX_DIGITS + 1, &file), TOI_ERROR_LIMIT);
    // One digit less is read, and misses its denominator.
    assert_int_equal(toi_parse_queries("a", text, TOI_MAX_DIGITS, &file), TOI_ERROR_FORMAT);
    test_free(text);
}

// A binary file cut anywhere is never taken for a whole one.
static void truncated_files_are_refused(void **state)
{
    (void)state;
    const double points[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    toi_mesh_file mesh;
    buffer ply = {.size = 0};
    make_binary(&ply, true, "float", integer_types[2], integer_types[8], points);
    for (size_t size = 1; size < ply.size; ++size)
        assert_int_equal(toi_parse_mesh("a.ply", ply.data, size, &mesh), TOI_ERROR_FORMAT);
    buffer stl = {.size = 0};
    make_binary_stl(&stl, "solid", 2);
    for (size_t size = 1; size < stl.size; ++size)
        assert_int_equal(toi_parse_mesh("a.stl", stl.data, size, &mesh), TOI_ERROR_FORMAT);
    for (size_t size = 1; size < sizeof ply_ascii - 4; ++size)
        assert_int_equal(toi_parse_mesh("a.ply", ply_ascii, size, &mesh), TOI_ERROR_FORMAT);
}

static void missing_files(void **state)
{
    (void)state;
    toi_mesh_file mesh;
    toi_mesh_file other;
    toi_query_file file;
    assert_fails(toi_read_mesh(path_of("none.ply"), &mesh), TOI_ERROR_FILE,
                 "none.ply: cannot open");
    assert_fails(toi_read_mesh(folder, &mesh), TOI_ERROR_FILE, "is a directory");
    assert_int_equal(mkfifo(path_of("fifo.ply"), 0600), 0);
    assert_fails(toi_read_mesh(path_of("fifo.ply"), &mesh), TOI_ERROR_FILE, "not a regular file");
    assert_int_equal(toi_read_queries(path_of("none.csv"), &file), TOI_ERROR_FILE);
    write_file(path_of("one.obj"), BYTES("v 0 0 0\n"));
    assert_int_equal(toi_read_frames(path_of("one.obj"), path_of("none.ply"), &mesh, &other),
                     TOI_ERROR_FILE);
    assert_int_equal(toi_read_frames(path_of("none.ply"), path_of("one.obj"), &mesh, &other),
                     TOI_ERROR_FILE);
    assert_null(mesh.points);
}

// ---- Memory

// Hooks that count what is held, and fail from a certain call on.
typedef struct memory_meter
{
    int64_t held;
    int64_t most;
    int calls;
    int fail_at; // the call that returns nothing, from 1; 0: none
} memory_meter;

static void *metered_allocate(void *user, size_t size, size_t alignment)
{
    memory_meter *meter = user;
    if (++meter->calls == meter->fail_at)
        return NULL;
    meter->held += (int64_t)size;
    if (meter->held > meter->most)
        meter->most = meter->held;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void metered_release(void *user, void *memory, size_t size)
{
    memory_meter *meter = user;
    meter->held -= (int64_t)size;
    free(memory);
}

static void install(memory_meter *meter)
{
    toi_hooks hooks = {.user = meter, .allocate = metered_allocate, .release = metered_release};
    toi_set_hooks(&hooks);
}

// A small file that claims to be large must not take memory for what it claims.
static void bad_counts_take_little_memory(void **state)
{
    (void)state;
    memory_meter meter = {0};
    install(&meter);
    for (size_t i = 0; i < sizeof bad_meshes / sizeof *bad_meshes; ++i) {
        toi_mesh_file mesh;
        toi_parse_mesh(bad_meshes[i].name, bad_meshes[i].data, bad_meshes[i].size, &mesh);
    }
    toi_set_hooks(NULL);
    assert_int_equal(meter.held, 0);
    assert_true(meter.calls > 0);
    assert_in_range(meter.most, 1, 8192);
}

// No file of a test's size gets this far.
static void indices_have_a_limit(void **state)
{
    (void)state;
    toi_builder builder = {.mesh = {.point_count = INT32_MAX}, .point_capacity = INT32_MAX};
    const double point[3] = {0};
    assert_int_equal(toi_add_point(&builder, point), TOI_ERROR_LIMIT);
    assert_int_equal(toi_reserve_faces(&builder, (int64_t)INT32_MAX + 1), TOI_ERROR_LIMIT);
    assert_int_equal(toi_reserve_edges(&builder, (int64_t)INT32_MAX + 1), TOI_ERROR_LIMIT);
    assert_null(builder.mesh.faces);
}

// Runs every reader and writer once; returns the first status that is not TOI_OK.
static toi_status use_everything(void)
{
    toi_mesh_file mesh = {0};
    toi_mesh_file other = {0};
    toi_query_file file = {0};
    toi_status status = toi_parse_mesh("a", BYTES(ply_ascii), &mesh);
    if (status == TOI_OK)
        status = toi_write_ply(path_of("memory.ply"),
                               (toi_point_view){mesh.points, mesh.point_count, 0, TOI_DOUBLE},
                               (toi_index_view){mesh.faces[0], mesh.face_count, 0},
                               (toi_index_view){mesh.loose_edges[0], mesh.loose_edge_count, 0});
    toi_free_mesh_file(&mesh);
    if (status == TOI_OK)
        status = toi_read_frames(path_of("memory.stl"), path_of("memory.stl"), &mesh, &other);
    toi_free_mesh_file(&mesh);
    toi_free_mesh_file(&other);
    if (status == TOI_OK)
        status = toi_parse_mesh("a", BYTES("v 0 0 0\nv 0 0 0\nf 1 1 1\nl 1 1\n"), &mesh);
    toi_free_mesh_file(&mesh);
    static const char big[] = "1,2923003274661805836407369665432566039311865085952,0,1,0,1,1";
    char text[8 * sizeof big + 1] = "";
    for (int i = 0; i < 8; ++i)
        strcat(strcat(text, big), "\n");
    if (status == TOI_OK)
        status = toi_parse_queries("a", text, strlen(text), &file);
    if (status == TOI_OK)
        status = toi_write_queries(path_of("memory.csv"), file.queries, file.hits, file.count);
    toi_free_query_file(&file);
    return status;
}

// Whichever allocation fails, the call says so, keeps nothing and leaves no file behind.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    write_file(path_of("memory.stl"), BYTES(stl_ascii));
    int files = files_in_folder();
    memory_meter meter = {0};
    toi_status status = TOI_ERROR_MEMORY;
    int tried = 0;
    for (; status == TOI_ERROR_MEMORY && tried < 1000; ++tried) {
        meter = (memory_meter){.fail_at = tried + 1};
        install(&meter);
        status = use_everything();
        assert_int_equal(meter.held, 0);
        assert_true(files_in_folder() <= files + 2);
    }
    toi_set_hooks(NULL);
    assert_int_equal(status, TOI_OK);
    assert_in_range(tried, 25, 999);
    assert_int_equal(files_in_folder(), files + 2);
}

// ---- Writers

static double random_finite(toi_random *random)
{
    double value;
    do {
        uint64_t bits = toi_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

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

static void query_round_trip(void **state)
{
    (void)state;
    enum
    {
        COUNT = 300
    };
    toi_random random = {5};
    toi_query queries[COUNT];
    bool hits[COUNT];
    double *values = queries[0].start[0];
    for (int i = 0; i < COUNT * 24; ++i)
        values[i] = i % 2 ? random_finite(&random) : toi_random_range(&random, -1, 1);
    const double special[] = {-0.0, 0,      DBL_TRUE_MIN, -DBL_MAX, DBL_MIN, 1,
                              -1,   0x1p63, 0x1p64,       0x1p-63,  0x1p-64, 0x1.fffffffffffffp-12};
    memcpy(values, special, sizeof special);
    for (int i = 0; i < COUNT; ++i)
        hits[i] = toi_random_below(&random, 2);
    for (int with = 0; with < 2; ++with) {
        toi_query_file file;
        const char *path = path_of("a.csv");
        assert_ok(toi_write_queries(path, queries, with ? hits : NULL, COUNT));
        assert_ok(toi_read_queries(path, &file));
        assert_int_equal(file.count, COUNT);
        assert_memory_equal(file.queries, queries, sizeof queries);
        if (with)
            assert_memory_equal(file.hits, hits, sizeof hits);
        else
            assert_null(file.hits);
        toi_free_query_file(&file);
    }
}

// What was there before must survive a failure, and nothing else may appear beside it.
static void failed_writes_leave_nothing(void **state)
{
    (void)state;
    toi_query query = {0};
    double bad[1][3] = {{0, NAN, 0}};
    int32_t face[1][3] = {{0, 0, 1}};
    toi_index_view none = {0};
    int files = files_in_folder();
    assert_int_equal(
        toi_write_ply(path_of("c.ply"), (toi_point_view){bad, 1, 0, TOI_DOUBLE}, none, none),
        TOI_ERROR_DATA);
    bad[0][1] = 0;
    assert_fails(toi_write_ply(path_of("c.ply"), (toi_point_view){bad, 1, 0, TOI_DOUBLE},
                               (toi_index_view){face[0], 1, 0}, none),
                 TOI_ERROR_DATA, "face 0 names point 1 of 1");
    query.end[3][2] = INFINITY;
    assert_int_equal(toi_write_queries(path_of("c.csv"), &query, NULL, 1), TOI_ERROR_DATA);
    query.end[3][2] = 0;
    assert_int_equal(toi_write_queries(folder, &query, NULL, 1), TOI_ERROR_FILE);
    // Not with /dev/null: should the test fail, root would have lost it.
    assert_int_equal(mkfifo(path_of("fifo.csv"), 0600), 0);
    assert_fails(toi_write_queries(path_of("fifo.csv"), &query, NULL, 1), TOI_ERROR_FILE,
                 "not a regular file");
    assert_int_equal(unlink(path_of("fifo.csv")), 0);
    assert_int_equal(toi_write_queries(path_of("none/c.csv"), &query, NULL, 1), TOI_ERROR_FILE);
    assert_int_equal(files_in_folder(), files);
}

// A disk that is full, by way of the greatest size that a file may have.
static void full_disk(void **state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    toi_query *queries = test_calloc(COUNT, sizeof *queries);
    const char *path = path_of("full.csv");
    write_file(path, BYTES("old"));
    int files = files_in_folder();
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {100000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    toi_status status = toi_write_queries(path, queries, NULL, COUNT);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    test_free(queries);
    assert_fails(status, TOI_ERROR_FILE, strerror(EFBIG));
    assert_int_equal(files_in_folder(), files);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 3);
}

// The file behind a link is replaced, not the link.
static void links_are_followed(void **state)
{
    (void)state;
    toi_query query = {0};
    write_file(path_of("real.csv"), BYTES("old"));
    assert_int_equal(symlink("real.csv", path_of("link.csv")), 0);
    assert_ok(toi_write_queries(path_of("link.csv"), &query, NULL, 1));
    struct stat info;
    assert_int_equal(lstat(path_of("link.csv"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path_of("real.csv"), &info), 0);
    assert_int_equal(info.st_size, 8 * strlen("0,1,0,1,0,1\n"));
}

// ---- Files kept from fuzzing and by hand

static void expect_sound(const toi_mesh_file *mesh)
{
    for (int64_t i = 0; i < mesh->point_count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            assert_true(isfinite(mesh->points[i][axis]));
    for (int64_t i = 0; i < 3 * mesh->face_count; ++i)
        assert_in_range(mesh->faces[i / 3][i % 3], 0, mesh->point_count - 1);
    for (int64_t i = 0; i < 2 * mesh->loose_edge_count; ++i)
        assert_in_range(mesh->loose_edges[i / 2][i % 2], 0, mesh->point_count - 1);
}

static void replay(const char *path)
{
    static const char *const names[] = {"x.ply", "x.obj", "x.stl"};
    static char data[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (int i = 0; i < 3; ++i) {
        toi_mesh_file mesh;
        if (toi_parse_mesh(names[i], data, size, &mesh) == TOI_OK)
            expect_sound(&mesh);
        toi_free_mesh_file(&mesh);
    }
    toi_query_file queries;
    toi_parse_queries("x.csv", data, size, &queries);
    toi_free_query_file(&queries);
}

static void kept_cases(void **state)
{
    (void)state;
    DIR *opened = opendir(TOI_SOURCE_DIR "/test/io_cases");
    assert_non_null(opened);
    int count = 0;
    struct dirent *entry;
    while ((entry = readdir(opened))) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/test/io_cases/%s", TOI_SOURCE_DIR, entry->d_name);
        replay(path);
        ++count;
    }
    closedir(opened);
    assert_true(count >= 10);
}

// ---- Public data

// The path of a file of the public data, in one of two places; skips the test where there is none.
static const char *data_path(const char *name, int place)
{
    static char paths[2][1024];
    const char *found = find_data(name);
    if (!found)
        skip();
    snprintf(paths[place], sizeof paths[place], "%s", found);
    return paths[place];
}

static void public_scenes(void **state)
{
    (void)state;
    static const struct
    {
        const char *start;
        const char *end;
        int64_t points;
        int64_t faces;
    } scenes[] = {
        {"scenes/cloth-ball/start.ply", "scenes/cloth-ball/end.ply", 46598, 92230},
        {"scenes/cloth-funnel/start.ply", "scenes/cloth-funnel/end.ply", 9450, 18484},
        {"scenes/n-body/start.ply", "scenes/n-body/end.ply", 73960, 146480},
        {"scenes/thick-cloth/start.ply", "scenes/thick-cloth/end.ply", 233, 404},
        {"sequences/rumba/frame_000.ply", "sequences/rumba/frame_010.ply", 12811, 25472},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        toi_mesh_file start;
        toi_mesh_file end;
        assert_ok(toi_read_frames(data_path(scenes[i].start, 0), data_path(scenes[i].end, 1),
                                  &start, &end));
        assert_int_equal(start.point_count, scenes[i].points);
        assert_int_equal(start.face_count, scenes[i].faces);
        expect_sound(&start);
        expect_sound(&end);
        toi_free_mesh_file(&start);
        toi_free_mesh_file(&end);
    }
}

static void public_bolt(void **state)
{
    (void)state;
    toi_mesh_file mesh;
    assert_ok(toi_read_mesh(data_path("meshes/bolt_m16.obj", 0), &mesh));
    assert_int_equal(mesh.point_count, 22334);
    assert_int_equal(mesh.face_count, 25672);
    assert_true(mesh.points[0][1] == 7.34788e-19);
    expect_sound(&mesh);
    toi_free_mesh_file(&mesh);
}

static void public_queries(void **state)
{
    (void)state;
    toi_query_file file;
    assert_ok(toi_read_queries(data_path("queries/unit-tests/vf.csv", 0), &file));
    assert_int_equal(file.count, 125);
    assert_non_null(file.hits);
    assert_true(file.queries[0].end[0][2] == -0x1p-23);
    assert_ok(toi_write_queries(path_of("copy.csv"), file.queries, file.hits, file.count));
    toi_query_file copy;
    assert_ok(toi_read_queries(path_of("copy.csv"), &copy));
    assert_int_equal(copy.count, file.count);
    assert_memory_equal(copy.queries, file.queries, (size_t)file.count * sizeof *file.queries);
    assert_memory_equal(copy.hits, file.hits, (size_t)file.count * sizeof *file.hits);
    toi_free_query_file(&file);
    toi_free_query_file(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_text),
        cmocka_unit_test(ply_binary_index_types),
        cmocka_unit_test(ply_binary_coordinate_types),
        cmocka_unit_test(obj_text),
        cmocka_unit_test(stl_text),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(stl_welds_like_brute_force),
        cmocka_unit_test(frames_weld_jointly),
        cmocka_unit_test(frames_weld_like_brute_force),
        cmocka_unit_test(frames_must_agree),
        cmocka_unit_test(doubles_agree_with_strtod),
        cmocka_unit_test(number_words),
        cmocka_unit_test(comma_locales_change_nothing),
        cmocka_unit_test(integer_words),
        cmocka_unit_test(rationals_agree_with_gmp),
        cmocka_unit_test(rational_limits),
        cmocka_unit_test(query_text),
        cmocka_unit_test(queries_without_hits),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(too_long_integers_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(missing_files),
        cmocka_unit_test(bad_counts_take_little_memory),
        cmocka_unit_test(indices_have_a_limit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(ply_round_trip),
        cmocka_unit_test(ply_from_floats),
        cmocka_unit_test(query_round_trip),
        cmocka_unit_test(failed_writes_leave_nothing),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(kept_cases),
        cmocka_unit_test(public_scenes),
        cmocka_unit_test(public_bolt),
        cmocka_unit_test(public_queries),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
