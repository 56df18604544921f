// What toi_io does with files of any format: bad ones, bounded memory, failed writes, kept cases
// and public data. Each format has a program of its own.

#define _XOPEN_SOURCE 700 // mkfifo, symlink

#include "io/builder.h"
#include "io_support.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 0\n" END), TOI_ERROR_FORMAT,
     "an element tristrips without vertex_indices"},
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 0\nproperty list int float vertex_indices\n"),
     TOI_ERROR_FORMAT, "vertex_indices must be whole numbers"},
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
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 1\n" FACES END "0 0 0\n4 0 0 0 -2\n"),
     TOI_ERROR_DATA, "a:11: vertex -2 is out of range"},
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 1\n" FACES END "0 0 0\n3 0 0 1\n"),
     TOI_ERROR_DATA, "a:11: vertex 1 is out of range"},
    {"a", BYTES(HEAD ONE_VERTEX "element tristrips 1\n" FACES END "0 0 0\n4 0 0 -1 0\n"),
     TOI_ERROR_FORMAT, "a:11: a strip of 2 vertices"},
    {"a",
     BYTES(LITTLE ONE_VERTEX "element tristrips 1\n" FACES END ZERO_POINT
                             "\2\0\0\0\0\xff\xff\xff\xff"),
     TOI_ERROR_FORMAT, "a: byte 191: a strip of 1 vertices"},
    {"a", BYTES(LITTLE ONE_VERTEX "element tristrips 1\n" FACES END ZERO_POINT "\2\0\0\0\0"),
     TOI_ERROR_FORMAT, "a list of 2 values, the file has room for 1"},
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
    for (size_t size = 1; size < strlen(ply_ascii) - 3; ++size)
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
    toi_status status = toi_parse_mesh("a", ply_ascii, strlen(ply_ascii), &mesh);
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
    write_file(path_of("memory.stl"), stl_ascii, strlen(stl_ascii));
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

// ---- Failed writes, and links

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
    assert_fails(status, TOI_ERROR_LIMIT, strerror(EFBIG));
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
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(missing_files),
        cmocka_unit_test(bad_counts_take_little_memory),
        cmocka_unit_test(indices_have_a_limit),
        cmocka_unit_test(every_allocation_may_fail),
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
