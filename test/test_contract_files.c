// What toi/io.h and toi/truth.h say of all their functions in a few words: what failures leave,
// freeing nothing, truths that threads share and that are replaced while open, writers that die.

#define _GNU_SOURCE // mkfifo, strerror

#include "io_support.h"

#include "toi/truth.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Failures

static bool is_empty(const toi_mesh_file *mesh)
{
    return !mesh->points && !mesh->faces && !mesh->loose_edges && mesh->point_count == 0 &&
           mesh->face_count == 0 && mesh->loose_edge_count == 0;
}

static void failed_calls_leave_nothing(void **state)
{
    (void)state;
    static const char bad[] = "ply\nformat ascii 1.0\nend_header\n";
    toi_mesh_file first, second;
    toi_query_file file;
    toi_truth *truth = (void *)&first;
    write_file(path_of("bad.ply"), BYTES(bad));
    write_file(path_of("one.obj"), BYTES("v 0 0 0\nf 1 1 1\n"));
    write_file(path_of("two.obj"), BYTES("v 0 0 0\nv 0 0 0\nf 1 1 1\n"));
    toi_fail(TOI_ERROR_DATA, "stale");
    memset(&first, 0xa5, sizeof first); // as a caller's variables are before the call
    expect_news(toi_read_mesh(path_of("bad.ply"), &first), "toi_read_mesh");
    assert_true(is_empty(&first));
    memset(&first, 0xa5, sizeof first);
    expect_news(toi_parse_mesh("x", BYTES(bad), &first), "toi_parse_mesh");
    assert_true(is_empty(&first));
    static const char *const pairs[][2] = {
        {"bad.ply", "one.obj"}, {"one.obj", "bad.ply"}, {"one.obj", "two.obj"}, {"none", "none"}};
    for (int i = 0; i < 4; ++i) {
        memset(&first, 0xa5, sizeof first);
        memset(&second, 0xa5, sizeof second);
        expect_news(toi_read_frames(path_of(pairs[i][0]), path_of(pairs[i][1]), &first, &second),
                    "toi_read_frames");
        assert_true(is_empty(&first) && is_empty(&second));
    }
    memset(&file, 0xa5, sizeof file);
    expect_news(toi_read_queries(path_of("bad.ply"), &file), "toi_read_queries");
    assert_true(!file.queries && !file.hits && file.count == 0);
    memset(&file, 0xa5, sizeof file);
    expect_news(toi_parse_queries("x", BYTES("1,2\n"), &file), "toi_parse_queries");
    assert_true(!file.queries && !file.hits && file.count == 0);
    expect_news(toi_open_truth(path_of("bad.ply"), &truth), "toi_open_truth");
    assert_null(truth);
    truth = (void *)&first;
    _Alignas(8) static const char text[] = "this is no truth";
    expect_news(toi_parse_truth("x", text, sizeof text, &truth), "toi_parse_truth");
    assert_null(truth);
    toi_truth_writer *writer = (void *)&first;
    int64_t done = 7;
    toi_mesh mesh = {.start = {NULL, 3, 0, TOI_DOUBLE}};
    expect_news(
        toi_begin_truth(path_of("x.truth"), &(toi_truth_def){.mesh = &mesh}, &writer, &done),
        "toi_begin_truth");
    assert_null(writer);
}

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    toi_mesh_file mesh = {0};
    toi_query_file file = {0};
    for (int twice = 0; twice < 2; ++twice) {
        toi_free_mesh_file(&mesh);
        toi_free_query_file(&file);
        toi_close_truth(NULL);
        assert_ok(toi_end_truth(NULL));
    }
    assert_ok(toi_parse_mesh("x", BYTES("v 0 0 0\nf 1 1 1\nl 1 1\n"), &mesh));
    assert_true(mesh.points && mesh.faces && mesh.loose_edges);
    toi_free_mesh_file(&mesh);
    assert_true(is_empty(&mesh));
    toi_free_mesh_file(&mesh);
    static const char row[] = "1,2,-3,4,5,1,1\n";
    char text[sizeof row * 8];
    text[0] = 0;
    for (int i = 0; i < 8; ++i)
        strcat(text, row);
    assert_ok(toi_parse_queries("x", text, strlen(text), &file));
    assert_true(file.queries && file.hits && file.count == 1);
    toi_free_query_file(&file);
    assert_true(!file.queries && !file.hits && file.count == 0);
    toi_free_query_file(&file);
}

// Meshes that the reader would refuse, and a disk that is full: an older file stays as it was.
static void failed_meshes_leave_the_old_file(void **state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    double(*points)[3] = calloc(COUNT, sizeof *points);
    const char *path = path_of("kept.ply");
    toi_point_view all = {points, COUNT, 0, TOI_DOUBLE}, one = {points, 1, 0, TOI_DOUBLE};
    toi_index_view none = {0}, face = {(const int32_t[]){0, 0, 1}, 1, 0},
                   edge = {(const int32_t[]){1, 0}, 1, 0};
    write_file(path, BYTES("old"));
    int files = files_in_folder();
    points[0][2] = NAN;
    assert_int_equal(toi_write_ply(path, one, none, none), TOI_ERROR_DATA);
    points[0][2] = 0;
    assert_int_equal(toi_write_ply(path, one, face, none), TOI_ERROR_DATA);
    assert_int_equal(toi_write_ply(path, one, none, edge), TOI_ERROR_DATA);
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, old.rlim_max}), 0);
    toi_status status = toi_write_ply(path, all, none, none);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_fails(status, TOI_ERROR_LIMIT, strerror(EFBIG));
    assert_int_equal(files_in_folder(), files);
    struct stat info;
    assert_true(stat(path, &info) == 0 && info.st_size == 3);
    assert_int_equal(mkfifo(path_of("fifo.ply"), 0600), 0);
    assert_fails(toi_write_ply(path_of("fifo.ply"), one, none, none), TOI_ERROR_FILE,
                 "not a regular file");
    assert_true(stat(path_of("fifo.ply"), &info) == 0 && S_ISFIFO(info.st_mode));
    assert_ok(toi_write_ply(path, one, none, none));
    assert_true(stat(path, &info) == 0 && info.st_size > 3);
    free(points);
}

// The contents decide what a file is; the name only where they do not.
static void formats_are_told_by_the_contents(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "a.ply", "a.obj", "a.stl", "a.txt"};
    static const char obj[] = "v 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n";
    static const char stl[] = "solid\nfacet normal 0 0 0\nouter loop\nvertex 1 2 3\nvertex 4 5 6\n"
                              "vertex 7 8 9\nendloop\nendfacet\nendsolid\n";
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                              "property float y\nproperty float z\nelement face 1\n"
                              "property list uchar int vertex_indices\nend_header\n"
                              "1 2 3\n4 5 6\n7 8 9\n3 0 1 2\n";
    const struct
    {
        const char *text;
        size_t size;
    } texts[] = {{BYTES(obj)}, {BYTES(stl)}, {BYTES(ply)}};
    for (int name = 0; name < 5; ++name)
        for (int i = 0; i < 3; ++i) {
            toi_mesh_file mesh, read;
            if (toi_parse_mesh(names[name], texts[i].text, texts[i].size, &mesh) != TOI_OK)
                fail_msg("format %d as %s: %s", i, names[name], toi_last_message());
            assert_true(mesh.point_count == 3 && mesh.face_count == 1 && mesh.points[2][1] == 8);
            write_file(path_of(names[name]), texts[i].text, texts[i].size);
            assert_ok(toi_read_mesh(path_of(names[name]), &read)); // the same from a file
            assert_memory_equal(read.points, mesh.points, 3 * sizeof *mesh.points);
            assert_memory_equal(read.faces, mesh.faces, sizeof *mesh.faces);
            toi_free_mesh_file(&mesh);
            toi_free_mesh_file(&read);
        }
}

// ---- Truths

// The impacts of a soup and their certificates.
typedef struct sample
{
    soup s;
    toi_truth_def def;
    toi_truth_entry *entries;
    toi_exact_time **times;
    int64_t hits;
} sample;

static sample make_sample(uint64_t seed)
{
    sample made = {.s = make_soup(60, 0.2, 0.4, seed)};
    toi_ccd_def def = toi_default_ccd_def();
    def.count_candidates = true;
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &made.s.mesh, &impacts, &report));
    made.hits = impacts.count;
    assert_true(report.hits[0] > 5 && report.hits[1] > 5);
    made.entries = calloc((size_t)made.hits, sizeof *made.entries);
    made.times = calloc((size_t)made.hits, sizeof *made.times);
    for (int64_t i = 0; i < made.hits; ++i) {
        const toi_impact *impact = &impacts.data[i];
        toi_pair pair = {impact->a, impact->b};
        toi_query query = toi_gather_query(&made.s.mesh, (toi_kind)impact->kind, pair);
        assert_ok(toi_find_exact_times((toi_kind)impact->kind, &query, 1, 1, &made.times[i]));
        made.entries[i] = (toi_truth_entry){pair, true, toi_exact_time_is_double(made.times[i]),
                                            toi_exact_time_floor(made.times[i])};
    }
    for (int kind = 0, first = 0; kind < TOI_PAIR_KINDS; first += (int)report.hits[kind++]) {
        made.def.candidates[kind] = report.candidates[kind];
        made.def.counts[kind] = report.hits[kind];
        made.def.entries[kind] = made.entries + first;
    }
    toi_free_impacts(&impacts);
    return made;
}

static void free_sample(sample *made)
{
    for (int64_t i = 0; i < made->hits; ++i)
        toi_free_exact_time(made->times[i]);
    free(made->times);
    free(made->entries);
    free_soup(&made->s);
}

static toi_truth_writer *begin(sample *made, const char *path, int64_t *done)
{
    toi_truth_def def = made->def;
    toi_truth_writer *writer;
    def.mesh = &made->s.mesh;
    assert_ok(toi_begin_truth(path, &def, &writer, done));
    return writer;
}

static void write_truth(sample *made, const char *path)
{
    int64_t done;
    toi_truth_writer *writer = begin(made, path, &done);
    assert_ok(toi_append_times(writer, made->times + done, made->hits - done));
    assert_ok(toi_end_truth(writer));
}

// Everything that can be read, as one number.
static uint64_t hash_truth(const toi_truth *truth)
{
    uint64_t hash = (uint64_t)toi_truth_listed(truth);
    toi_mesh mesh = toi_truth_mesh(truth);
    hash += toi_hash(mesh.start.data, (size_t)mesh.start.count * 24);
    hash += toi_hash(mesh.edges.data, (size_t)mesh.edges.count * 8);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        hash = hash * 31 + (uint64_t)toi_truth_candidates(truth, (toi_kind)kind);
        hash = hash * 31 + (uint64_t)toi_truth_hits(truth, (toi_kind)kind);
        for (int64_t i = 0; i < toi_truth_count(truth, (toi_kind)kind); ++i) {
            toi_truth_entry entry = toi_truth_at(truth, (toi_kind)kind, i);
            uint8_t bytes[TOI_EXACT_TIME_BYTES];
            toi_exact_time *time;
            if (toi_truth_time(truth, (toi_kind)kind, i, &time) != TOI_OK || !time)
                return 0;
            int64_t size = toi_encode_exact_time(time, bytes, sizeof bytes);
            hash = hash * 31 + toi_hash(bytes, (size_t)size);
            hash = hash * 31 + toi_hash(&entry.time, sizeof entry.time);
            hash = hash * 31 + (uint64_t)entry.pair.a * 7 + (uint64_t)entry.pair.b;
            toi_free_exact_time(time);
        }
    }
    return hash;
}

typedef struct readers
{
    const toi_truth *truth;
    uint64_t expected;
    _Atomic int64_t wrong;
} readers;

static void *read_often(void *argument)
{
    readers *r = argument;
    for (int i = 0; i < 20; ++i)
        r->wrong += hash_truth(r->truth) != r->expected;
    return NULL;
}

static void many_threads_may_read_a_truth(void **state)
{
    (void)state;
    sample made = make_sample(5);
    toi_truth *truth;
    write_truth(&made, path_of("a.truth"));
    assert_ok(toi_open_truth(path_of("a.truth"), &truth));
    readers r = {.truth = truth, .expected = hash_truth(truth)};
    assert_true(r.expected != 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &r), 0);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(r.wrong, 0);
    toi_close_truth(truth);
    free_sample(&made);
}

// A file keeps its name and its bytes until another is complete; who has it open keeps it longer.
static void truths_may_be_replaced_while_open(void **state)
{
    (void)state;
    sample made = make_sample(5), other = make_sample(6);
    toi_truth *truth, *between, *after;
    const char *path = path_of("b.truth");
    int64_t done;
    write_truth(&made, path);
    assert_ok(toi_open_truth(path, &truth));
    uint64_t expected = hash_truth(truth);
    toi_truth_writer *writer = begin(&other, path, &done);
    assert_ok(toi_append_times(writer, other.times, other.hits));
    assert_ok(toi_open_truth(path, &between));
    assert_true(hash_truth(between) == expected);
    assert_ok(toi_end_truth(writer));
    assert_ok(toi_open_truth(path, &after));
    assert_true(hash_truth(truth) == expected && hash_truth(between) == expected);
    assert_true(hash_truth(after) != expected);
    toi_close_truth(truth);
    toi_close_truth(between);
    toi_close_truth(after);
    free_sample(&made);
    free_sample(&other);
}

typedef struct meter
{
    int64_t held;
} meter;

static void *metered_allocate(void *user, size_t size, size_t alignment)
{
    ((meter *)user)->held += (int64_t)size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void metered_release(void *user, void *memory, size_t size)
{
    ((meter *)user)->held -= (int64_t)size;
    free(memory);
}

// The mesh that is returned is the file's own memory, and next to nothing is kept beside it.
static void opening_copies_nothing(void **state)
{
    (void)state;
    sample made = make_sample(5);
    const char *path = path_of("c.truth");
    write_truth(&made, path);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    size_t size = (size_t)info.st_size;
    char *data = aligned_alloc(64, (size + 63) / 64 * 64);
    FILE *file = fopen(path, "rb");
    assert_true(file && fread(data, 1, size, file) == size);
    fclose(file);
    meter m = {0};
    toi_set_hooks(
        &(toi_hooks){.user = &m, .allocate = metered_allocate, .release = metered_release});
    for (int from_file = 0; from_file < 2; ++from_file) {
        toi_truth *truth;
        assert_ok(from_file ? toi_open_truth(path, &truth)
                            : toi_parse_truth("x", data, size, &truth));
        assert_true(m.held > 0 && m.held < 1024 && size > 20000);
        toi_mesh mesh = toi_truth_mesh(truth);
        const void *views[] = {mesh.start.data, mesh.end.data, mesh.faces.data, mesh.edges.data};
        for (int i = 0; i < 4 && !from_file; ++i)
            assert_true((const char *)views[i] > data && (const char *)views[i] < data + size);
        toi_close_truth(truth);
        assert_int_equal(m.held, 0);
    }
    toi_set_hooks(NULL);
    free(data);
    free_sample(&made);
}

// A writer that is killed between two calls has lost nothing that was appended.
static void killed_writers_lose_nothing(void **state)
{
    (void)state;
    sample made = make_sample(5);
    const char *path = path_of("d.truth");
    for (int64_t count = 1; count < made.hits; count += 7) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            toi_truth_def def = made.def;
            toi_truth_writer *writer;
            int64_t done;
            def.mesh = &made.s.mesh;
            if (toi_begin_truth(path, &def, &writer, &done) == TOI_OK && done < count)
                toi_append_times(writer, made.times + done, count - done);
            raise(SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        int64_t done;
        assert_ok(toi_end_truth(begin(&made, path, &done)));
        assert_int_equal(done, count);
    }
    assert_true(access(path, F_OK) != 0);
    write_truth(&made, path);
    assert_true(access(path, F_OK) == 0);
    free_sample(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_calls_leave_nothing),
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(failed_meshes_leave_the_old_file),
        cmocka_unit_test(formats_are_told_by_the_contents),
        cmocka_unit_test(many_threads_may_read_a_truth),
        cmocka_unit_test(truths_may_be_replaced_while_open),
        cmocka_unit_test(opening_copies_nothing),
        cmocka_unit_test(killed_writers_lose_nothing),
    };
    return cmocka_run_group_tests_name("contract_files", tests, make_folder, remove_folder);
}
