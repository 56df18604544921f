// Folders, files and expected meshes for the tests of toi_io.

#define _XOPEN_SOURCE 700 // mkdtemp

#include "io_support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- What a mesh must hold

toi_mesh_file parse(const char *name, const void *data, size_t size)
{
    toi_mesh_file mesh;
    assert_ok(toi_parse_mesh(name, data, size, &mesh));
    return mesh;
}

void expect_points(const toi_mesh_file *mesh, int64_t count, const double (*points)[3])
{
    assert_int_equal(mesh->point_count, count);
    for (int64_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            assert_true(mesh->points[i][axis] == points[i][axis]);
}

void expect_faces(const toi_mesh_file *mesh, int64_t count, const int32_t (*faces)[3])
{
    assert_int_equal(mesh->face_count, count);
    for (int64_t i = 0; i < count; ++i)
        assert_memory_equal(mesh->faces[i], faces[i], sizeof *faces);
}

void expect_edges(const toi_mesh_file *mesh, int64_t count, const int32_t (*edges)[2])
{
    assert_int_equal(mesh->loose_edge_count, count);
    for (int64_t i = 0; i < count; ++i)
        assert_memory_equal(mesh->loose_edges[i], edges[i], sizeof *edges);
}

// ---- Files being made in memory

void put_bytes(buffer *made, const void *data, size_t size)
{
    assert_true(made->size + size <= sizeof made->data);
    memcpy(made->data + made->size, data, size);
    made->size += size;
}

void put_text(buffer *made, const char *text)
{
    put_bytes(made, text, strlen(text));
}

void put_bits(buffer *made, uint64_t bits, size_t size, bool big_endian)
{
    for (size_t i = 0; i < size; ++i) {
        size_t shift = 8 * (big_endian ? size - 1 - i : i);
        unsigned char byte = (unsigned char)(bits >> shift);
        put_bytes(made, &byte, 1);
    }
}

uint64_t float_bits(double value, size_t size)
{
    float single = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    return size == 4 ? low : bits;
}

double random_finite(toi_random *random)
{
    double value;
    do {
        uint64_t bits = toi_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

// ---- The folder

char folder[256];

const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/toi_test_io_XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state)
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

int files_in_folder(void)
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

void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// ---- PLY

const char ply_ascii[] = "ply\r\n"
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

const ply_type integer_types[INTEGER_TYPES] = {
    {"char", 1, true},  {"int8", 1, true},  {"uchar", 1, false},  {"uint8", 1, false},
    {"short", 2, true}, {"int16", 2, true}, {"ushort", 2, false}, {"uint16", 2, false},
    {"int", 4, true},   {"int32", 4, true}, {"uint", 4, false},   {"uint32", 4, false},
};

void make_binary(buffer *made, bool big_endian, const char *coordinate, ply_type count,
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

// ---- STL

const char stl_ascii[] = "solid facet vertex\n"
                         "  facet normal nan nan nan\n    outer loop\n"
                         "      vertex 0 0 0\n      vertex 1 0 0\n      vertex 0 1 0\n"
                         "    endloop\n  endfacet\nendsolid facet vertex\n"
                         "SOLID\nFACET NORMAL 0 0 1 OUTER LOOP\n"
                         "VERTEX -0 1 0 VERTEX 1 -0.0 0 VERTEX 1 1 1e0\n"
                         "ENDLOOP ENDFACET\nENDSOLID\n";

const double stl_points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}};
const int32_t stl_faces[2][3] = {{0, 1, 2}, {2, 1, 3}};

void make_binary_stl(buffer *made, const char *header, uint32_t count)
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
