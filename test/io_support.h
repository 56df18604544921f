// What the tests of toi_io share: meshes to expect, files to make, a folder to put them in.

#ifndef TOI_TEST_IO_SUPPORT_H
#define TOI_TEST_IO_SUPPORT_H

#include "support.h"
#include "toi/io.h"
#include "toi/random.h"

// ---- What a mesh must hold

// A string literal with its size, zero bytes included.
#define BYTES(literal) literal, sizeof(literal) - 1

// The mesh of a file in memory, which must be right.
toi_mesh_file parse(const char *name, const void *data, size_t size);

void expect_points(const toi_mesh_file *mesh, int64_t count, const double (*points)[3]);
void expect_faces(const toi_mesh_file *mesh, int64_t count, const int32_t (*faces)[3]);
void expect_edges(const toi_mesh_file *mesh, int64_t count, const int32_t (*edges)[2]);

// ---- Files being made in memory

typedef struct buffer
{
    char data[8192];
    size_t size;
} buffer;

void put_bytes(buffer *made, const void *data, size_t size);
void put_text(buffer *made, const char *text);

// The lowest `size` bytes of a number, in either order.
void put_bits(buffer *made, uint64_t bits, size_t size, bool big_endian);

// The bits of a float (size 4) or a double (size 8).
uint64_t float_bits(double value, size_t size);

// Any finite double, its bits drawn uniformly.
double random_finite(toi_random *random);

// ---- The folder of a program's files

extern char folder[256];

// Set-up and tear-down of a group of tests that uses the folder.
int make_folder(void **state);
int remove_folder(void **state);

// The path of a file in it; four of them are valid at a time.
const char *path_of(const char *name);

int files_in_folder(void);
void write_file(const char *path, const void *data, size_t size);

// ---- PLY

// A text with elements and properties of every kind, in any order.
extern const char ply_ascii[];

typedef struct ply_type
{
    const char *name;
    size_t size;
    bool is_signed;
} ply_type;

enum
{
    INTEGER_TYPES = 12
};
extern const ply_type integer_types[INTEGER_TYPES];

// A binary file with skipped data of every kind around a triangle, a quadrangle and an edge.
void make_binary(buffer *made, bool big_endian, const char *coordinate, ply_type count,
                 ply_type index, const double points[4][3]);

// ---- STL

// Two solids of one triangle each, and what they hold.
extern const char stl_ascii[];
extern const double stl_points[4][3];
extern const int32_t stl_faces[2][3];

// The same triangles in binary, said to be `count`.
void make_binary_stl(buffer *made, const char *header, uint32_t count);

#endif
