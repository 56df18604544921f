// Truth files: what is written is read, by any number of steps; what is damaged is refused.

#include "io_support.h"
#include "support.h"
#include "truth_seal.h"

#include "toi/truth.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- A scene and its truth

typedef struct sample
{
    soup s;
    toi_truth_def def;
    toi_truth_entry *entries[TOI_PAIR_KINDS];
    toi_exact_time **times; // of all hits
    int64_t hits;
} sample;

static void solve_kind(sample *made, toi_kind kind, const toi_pair_array *pairs, bool hits_only)
{
    toi_query *queries = malloc((size_t)(pairs->count + 1) * sizeof *queries);
    toi_exact_time **times = calloc((size_t)(pairs->count + 1), sizeof *times);
    toi_truth_entry *entries = calloc((size_t)(pairs->count + 1), sizeof *entries);
    int64_t count = 0;
    for (int64_t i = 0; i < pairs->count; ++i)
        queries[i] = toi_gather_query(&made->s.mesh, kind, pairs->data[i]);
    assert_ok(toi_find_exact_times(kind, queries, pairs->count, 0, times));
    for (int64_t i = 0; i < pairs->count; ++i) {
        if (times[i]) {
            entries[count++] =
                (toi_truth_entry){pairs->data[i], true, toi_exact_time_is_double(times[i]),
                                  toi_exact_time_floor(times[i])};
            made->times[made->hits++] = times[i];
        } else if (!hits_only) {
            entries[count++] = (toi_truth_entry){pairs->data[i], false, false, INFINITY};
        }
    }
    made->entries[kind] = entries;
    made->def.entries[kind] = entries;
    made->def.counts[kind] = count;
    made->def.candidates[kind] = pairs->count;
    free(queries);
    free(times);
}

static sample make_sample(int64_t faces, toi_truth_list listed)
{
    sample made = {.s = make_soup(faces, 0.2, 0.4, 5), .def.listed = listed};
    toi_ccd_def def = toi_default_ccd_def();
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    assert_ok(toi_find_all_candidates(&def, &made.s.mesh, lists, NULL));
    made.times = calloc((size_t)(lists[0].count + lists[1].count + 1), sizeof *made.times);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        solve_kind(&made, (toi_kind)kind, &lists[kind], listed == TOI_TRUTH_HITS);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
    assert_true(made.hits > 10);
    return made;
}

static void free_sample(sample *made)
{
    for (int64_t i = 0; i < made->hits; ++i)
        toi_free_exact_time(made->times[i]);
    free(made->times);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        free(made->entries[kind]);
    free_soup(&made->s);
}

static toi_truth_def define(sample *made)
{
    toi_truth_def def = made->def;
    def.mesh = &made->s.mesh;
    return def;
}

// ---- Files

typedef struct bytes
{
    unsigned char *data; // aligned to 64
    size_t size;
} bytes;

static bytes read_bytes(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    bytes read = {aligned_alloc(64, ((size_t)info.st_size + 128) / 64 * 64), (size_t)info.st_size};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(read.data, 1, read.size, file), read.size);
    fclose(file);
    return read;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// Appends what is missing, so many at a time, and ends. Returns how many were there.
static int64_t write_truth(sample *made, const char *path, int64_t batch)
{
    toi_truth_def def = define(made);
    toi_truth_writer *writer;
    int64_t done, there;
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    there = done;
    while (done < made->hits) {
        int64_t count = made->hits - done < batch ? made->hits - done : batch;
        assert_ok(toi_append_times(writer, made->times + done, count));
        done += count;
    }
    assert_ok(toi_end_truth(writer));
    return there;
}

// All of a truth must be what the sample has.
static void check_truth(const toi_truth *truth, const sample *made)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    assert_int_equal(toi_truth_listed(truth), made->def.listed);
    assert_int_equal(mesh.start.count, made->s.vertex_count);
    assert_int_equal(mesh.end.count, made->s.vertex_count);
    assert_int_equal(mesh.faces.count, made->s.face_count);
    assert_int_equal(mesh.edges.count, made->s.edge_count);
    size_t points = (size_t)made->s.vertex_count * sizeof *made->s.start;
    assert_memory_equal(mesh.start.data, made->s.start, points);
    assert_memory_equal(mesh.end.data, made->s.end, points);
    assert_memory_equal(mesh.faces.data, made->s.faces, (size_t)made->s.face_count * 12);
    assert_memory_equal(mesh.edges.data, made->s.edges.data, (size_t)made->s.edge_count * 8);
    int64_t number = 0;
    for (int k = 0; k < TOI_PAIR_KINDS; ++k) {
        toi_kind kind = (toi_kind)k;
        int64_t before = number;
        assert_int_equal(toi_truth_candidates(truth, kind), made->def.candidates[k]);
        assert_int_equal(toi_truth_count(truth, kind), made->def.counts[k]);
        for (int64_t i = 0; i < made->def.counts[k]; ++i) {
            toi_truth_entry entry = toi_truth_at(truth, kind, i);
            const toi_truth_entry *expected = &made->entries[k][i];
            assert_int_equal(entry.pair.a, expected->pair.a);
            assert_int_equal(entry.pair.b, expected->pair.b);
            assert_int_equal(entry.hit, expected->hit);
            assert_int_equal(entry.time_is_exact, expected->time_is_exact);
            assert_true(entry.time == expected->time);
            toi_exact_time *time;
            assert_ok(toi_truth_time(truth, kind, i, &time));
            assert_int_equal(time != NULL, expected->hit);
            int order = 0;
            if (time)
                assert_ok(toi_exact_time_compare(time, made->times[number++], &order));
            assert_int_equal(order, 0);
            toi_free_exact_time(time);
        }
        assert_int_equal(toi_truth_hits(truth, kind), number - before);
    }
}

static void check_file(const char *path, const sample *made)
{
    toi_truth *truth;
    assert_ok(toi_open_truth(path, &truth));
    check_truth(truth, made);
    toi_close_truth(truth);
}

static void files_hold_what_was_written(void **state)
{
    (void)state;
    for (int listed = TOI_TRUTH_HITS; listed <= TOI_TRUTH_CANDIDATES; ++listed) {
        sample made = make_sample(90, (toi_truth_list)listed);
        const char *path = path_of("a.truth");
        assert_int_equal(write_truth(&made, path, 7), 0);
        assert_false(exists(path_of("a.truth.part")));
        check_file(path, &made);
        // The same bytes from any number at a time, and over a file that is there.
        bytes first = read_bytes(path);
        for (int64_t batch = 1; batch <= 1000; batch *= 10) {
            write_truth(&made, path, batch);
            bytes again = read_bytes(path);
            assert_int_equal(first.size, again.size);
            assert_memory_equal(first.data, again.data, first.size);
            free(again.data);
        }
        free(first.data);
        free_sample(&made);
    }
    toi_close_truth(NULL);
    assert_ok(toi_end_truth(NULL));
}

// Floats in a stride become the doubles they are.
static void meshes_of_floats(void **state)
{
    (void)state;
    float points[2][3][5] = {{{0.1f, 0, 0}, {1, 0.3f, 0}, {0, 1, 0.7f}},
                             {{0.2f, 0, 0}, {1, 0.4f, 0}, {0, 1, 0.8f}}};
    int32_t face[3] = {0, 1, 2}, edges[3][4] = {{0, 1}, {0, 2}, {1, 2}};
    toi_mesh mesh = {.start = {points[0], 3, sizeof points[0][0], TOI_FLOAT},
                     .end = {points[1], 3, sizeof points[0][0], TOI_FLOAT},
                     .faces = {face, 1, 0},
                     .edges = {edges[0], 3, sizeof edges[0]}};
    toi_truth_def def = {.mesh = &mesh};
    toi_truth_writer *writer;
    int64_t done;
    toi_truth *truth;
    assert_ok(toi_begin_truth(path_of("float.truth"), &def, &writer, &done));
    assert_ok(toi_end_truth(writer));
    assert_ok(toi_open_truth(path_of("float.truth"), &truth));
    toi_mesh read = toi_truth_mesh(truth);
    assert_int_equal(read.start.scalar, TOI_DOUBLE);
    assert_int_equal(toi_truth_count(truth, TOI_VERTEX_FACE), 0);
    for (int i = 0; i < 9; ++i) {
        assert_true(((const double *)read.start.data)[i] == (double)points[0][i / 3][i % 3]);
        assert_true(((const double *)read.end.data)[i] == (double)points[1][i / 3][i % 3]);
    }
    assert_memory_equal(read.edges.data, ((int32_t[]){0, 1, 0, 2, 1, 2}), 24);
    toi_close_truth(truth);
}

// ---- Going on

// A part that was cut anywhere is gone on with to the same file.
static void stopped_work_goes_on(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_CANDIDATES);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer;
    int64_t done, most = 0, least = made.hits;
    char paths[2][512];
    snprintf(paths[0], sizeof paths[0], "%s", path_of("b.truth"));
    snprintf(paths[1], sizeof paths[1], "%s", path_of("b.truth.part"));
    write_truth(&made, paths[0], 5);
    bytes whole = read_bytes(paths[0]);
    unlink(paths[0]);
    assert_ok(toi_begin_truth(paths[0], &def, &writer, &done));
    assert_ok(toi_end_truth(writer)); // without certificates
    assert_false(exists(paths[0]));
    bytes fixed = read_bytes(paths[1]);
    // Every place of the first certificates, some of all others: completing a file takes long.
    const size_t near = fixed.size + 300, steps[2] = {fixed.size / 20 + 1, whole.size / 50 + 1};
    for (size_t cut = 0; cut <= whole.size; cut += cut < fixed.size ? steps[0]
                                                   : cut < near     ? 7
                                                                    : steps[1]) {
        write_file(paths[1], whole.data, cut);
        int64_t there = write_truth(&made, paths[0], 3 + (int64_t)cut % 5);
        assert_true(there == 0 || cut > fixed.size);
        most = there > most ? there : most;
        least = cut > fixed.size && there < least ? there : least;
        bytes again = read_bytes(paths[0]);
        assert_int_equal(again.size, whole.size);
        assert_memory_equal(again.data, whole.data, whole.size);
        free(again.data);
        unlink(paths[0]);
    }
    assert_int_equal(least, 0);
    assert_true(most > made.hits / 2);
    write_file(paths[1], whole.data, whole.size); // complete but for its name
    assert_int_equal(write_truth(&made, paths[0], 1), made.hits);
    free(fixed.data);
    free(whole.data);
    free_sample(&made);
}

// A damaged certificate ends what is kept; another mesh or another list keeps nothing.
static void other_work_is_begun_anew(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_HITS);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer;
    int64_t done;
    char path[512], part[512];
    snprintf(path, sizeof path, "%s", path_of("c.truth"));
    snprintf(part, sizeof part, "%s", path_of("c.truth.part"));
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_ok(toi_append_times(writer, made.times, 8));
    assert_ok(toi_end_truth(writer));
    bytes partial = read_bytes(part);
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_ok(toi_end_truth(writer));
    assert_int_equal(done, 8);
    partial.data[partial.size - 1] ^= 1; // of the last certificate
    write_file(part, partial.data, partial.size);
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_ok(toi_end_truth(writer));
    assert_int_equal(done, 7);
    partial.data[partial.size - 1] ^= 1;
    for (int change = 0; change < 3; ++change) {
        write_file(part, partial.data, partial.size);
        double *moved = change == 0 ? &made.s.start[3][1] : &made.s.end[3][1];
        double old = *moved;
        if (change < 2)
            *moved = nextafter(old, 9);
        else
            ++def.candidates[0];
        assert_ok(toi_begin_truth(path, &def, &writer, &done));
        assert_ok(toi_end_truth(writer));
        assert_int_equal(done, 0);
        *moved = old;
    }
    free(partial.data);
    free_sample(&made);
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_HITS);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer, *other;
    int64_t done;
    assert_ok(toi_begin_truth(path_of("d.truth"), &def, &writer, &done));
    assert_fails(toi_begin_truth(path_of("d.truth"), &def, &other, &done), TOI_ERROR_FILE,
                 "another program");
    assert_null(other);
    assert_ok(toi_end_truth(writer));
    assert_ok(toi_begin_truth(path_of("d.truth"), &def, &other, &done));
    assert_ok(toi_end_truth(other));
    free_sample(&made);
}

// ---- What cannot be written

static void bad_truths_are_not_written(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_HITS);
    toi_truth_def def = define(&made);
    toi_truth_entry *e = made.entries[TOI_EDGE_EDGE], kept = e[1];
    toi_truth_writer *writer;
    int64_t done;
    const char *path = path_of("e.truth");
    int files = files_in_folder();
    e[1] = e[0];
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "not after");
    e[1] = kept;
    e[1].pair.b = (int32_t)made.s.edge_count;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "no such pair");
    e[1] = kept;
    e[1].pair = (toi_pair){kept.pair.b, kept.pair.a};
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "lower edge");
    e[1] = kept;
    e[1].time = -0.0;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "[0, 1]");
    e[1].time = 0.5;
    e[1].hit = false;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "has a time");
    e[1].time = INFINITY;
    e[1].time_is_exact = false;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "only hits");
    e[1] = kept;
    def.candidates[1] = 0;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "than candidates");
    def.candidates[1] = made.def.candidates[1];
    made.s.start[0][0] = NAN;
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_DATA, "vertex 0");
    made.s.start[0][0] = 0;
    assert_fails(toi_begin_truth(path_of("none/e.truth"), &def, &writer, &done), TOI_ERROR_FILE,
                 "none/e.truth");
    assert_fails(toi_begin_truth(folder, &def, &writer, &done), TOI_ERROR_FILE, "regular file");
    assert_null(writer);
    assert_int_equal(files_in_folder(), files);
    free_sample(&made);
}

// Certificates that do not belong there are not appended.
static void wrong_certificates_are_not_appended(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_CANDIDATES);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer;
    int64_t done;
    const char *path = path_of("f.truth");
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_fails(toi_append_times(writer, made.times, made.hits + 1), TOI_ERROR_ARGUMENT,
                 "are missing");
    assert_fails(toi_append_times(writer, made.times + 1, 2), TOI_ERROR_DATA, "but the list's");
    assert_fails(toi_append_times(writer, (toi_exact_time *[]){made.times[0], NULL}, 2),
                 TOI_ERROR_DATA, "no certificate");
    assert_ok(toi_append_times(writer, made.times, 3));
    assert_ok(toi_append_times(writer, NULL, 0));
    assert_fails(toi_append_times(writer, made.times, 1), TOI_ERROR_DATA, "but the list's");
    assert_ok(toi_append_times(writer, made.times + 3, made.hits - 3));
    assert_ok(toi_end_truth(writer));
    check_file(path, &made);
    free_sample(&made);
}

static void read_only_folders(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("read-only folders: skipped, root may write to them\n");
        skip();
    }
    sample made = make_sample(60, TOI_TRUTH_HITS);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer;
    int64_t done;
    assert_int_equal(chmod(folder, 0555), 0);
    toi_status status = toi_begin_truth(path_of("r.truth"), &def, &writer, &done);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(status, TOI_ERROR_FILE);
    assert_non_null(strstr(toi_last_message(), "r.truth"));
    free_sample(&made);
}

// A limit on the size of files stands for a full disk.
static void limit_files(rlim_t bytes_allowed)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes_allowed < limit.rlim_max ? bytes_allowed : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disks(void **state)
{
    (void)state;
    sample made = make_sample(60, TOI_TRUTH_HITS);
    toi_truth_def def = define(&made);
    toi_truth_writer *writer;
    int64_t done;
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("g.truth"));
    write_truth(&made, path, 9);
    bytes whole = read_bytes(path);
    unlink(path);
    const toi_truth_header *header = (const void *)whole.data;
    const toi_truth_footer *footer =
        (const void *)(whole.data + whole.size - sizeof(toi_truth_footer));
    signal(SIGXFSZ, SIG_IGN);
    limit_files((rlim_t)header->sections[TOI_TRUTH_PAIRS].offset + 5); // in the fixed part
    assert_fails(toi_begin_truth(path, &def, &writer, &done), TOI_ERROR_LIMIT, "cannot write");
    assert_false(exists(path_of("g.truth.part")));
    const int64_t *offsets = (const void *)(whole.data + footer->index.offset);
    limit_files((rlim_t)offsets[1] + 30); // among the certificates
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_ok(toi_append_times(writer, made.times, 1));
    assert_fails(toi_append_times(writer, made.times + 1, 9), TOI_ERROR_LIMIT, "cannot write");
    assert_ok(toi_end_truth(writer));
    limit_files((rlim_t)footer->index.offset + 3); // in the index
    assert_ok(toi_begin_truth(path, &def, &writer, &done));
    assert_int_equal(done, 1);
    assert_ok(toi_append_times(writer, made.times + 1, made.hits - 1));
    assert_fails(toi_end_truth(writer), TOI_ERROR_LIMIT, "cannot write");
    assert_false(exists(path));
    limit_files(RLIM_INFINITY);
    assert_int_equal(write_truth(&made, path, 1), made.hits);
    bytes again = read_bytes(path);
    assert_int_equal(again.size, whole.size);
    assert_memory_equal(again.data, whole.data, whole.size);
    free(again.data);
    free(whole.data);
    free_sample(&made);
}

// ---- What cannot be read

// Reads all there is; entries that are not sound must have been refused before.
static void walk(const toi_truth *truth)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    assert_ok(toi_check_mesh(&mesh));
    for (int k = 0; k < TOI_PAIR_KINDS; ++k)
        for (int64_t i = 0; i < toi_truth_count(truth, (toi_kind)k); ++i) {
            toi_truth_entry entry = toi_truth_at(truth, (toi_kind)k, i);
            toi_exact_time *time;
            toi_status status = toi_truth_time(truth, (toi_kind)k, i, &time);
            assert_true(status == TOI_OK || status == TOI_ERROR_FORMAT);
            assert_true(status == TOI_OK || (!time && strstr(toi_last_message(), "pair")));
            assert_true(!time || toi_exact_time_floor(time) == entry.time);
            toi_free_exact_time(time);
        }
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    sample made = make_sample(26, TOI_TRUTH_CANDIDATES);
    const char *path = path_of("h.truth");
    write_truth(&made, path, 100);
    bytes file = read_bytes(path);
    toi_truth *truth;
    int64_t opened = 0, refused = 0;
    for (size_t i = 0; i < file.size; ++i) {
        unsigned char kept = file.data[i];
        for (int bit = 0; bit < 8; bit += 7) {
            file.data[i] = kept ^ (unsigned char)(1 << bit);
            assert_int_equal(toi_parse_truth("x", file.data, file.size, &truth), TOI_ERROR_FORMAT);
            assert_null(truth);
            assert_true(strncmp(toi_last_message(), "x: ", 3) == 0);
            // The same by someone who knows the hashes: refused, or nothing worse than untrue.
            if (i % 3 == 0 || i < sizeof(toi_truth_header)) {
                seal_truth(file.data, file.size);
                if (toi_parse_truth("x", file.data, file.size, &truth) == TOI_OK) {
                    walk(truth);
                    ++opened;
                } else {
                    ++refused;
                }
                toi_close_truth(truth);
                file.data[i] = kept;
                seal_truth(file.data, file.size);
            }
        }
        file.data[i] = kept;
    }
    assert_true(opened > 0 && refused > 0);
    for (size_t size = 0; size < file.size; size += size < 400 ? 1 : 61)
        assert_int_equal(toi_parse_truth("x", file.data, size, &truth), TOI_ERROR_FORMAT);
    assert_ok(toi_parse_truth("x", file.data, file.size, &truth)); // all is as it was
    check_truth(truth, &made);
    toi_close_truth(truth);
    free(file.data);
    free_sample(&made);
}

// Refusals that name what is wrong.
static void refusals(void **state)
{
    (void)state;
    sample made = make_sample(26, TOI_TRUTH_HITS);
    const char *path = path_of("i.truth");
    write_truth(&made, path, 100);
    bytes file = read_bytes(path);
    toi_truth_header *header = (void *)file.data;
    toi_truth *truth;
    assert_fails(toi_parse_truth("x", file.data + 4, file.size - 4, &truth), TOI_ERROR_ARGUMENT,
                 "aligned");
    assert_fails(toi_open_truth(folder, &truth), TOI_ERROR_FILE, "regular");
    assert_fails(toi_open_truth(path_of("none.truth"), &truth), TOI_ERROR_FILE, "none.truth");
    write_file(path, "", 0);
    assert_fails(toi_open_truth(path, &truth), TOI_ERROR_FORMAT, "empty");
    write_file(path, file.data, 4000);
    assert_fails(toi_open_truth(path, &truth), TOI_ERROR_FORMAT, "i.truth: is");
    header->version = 2;
    seal_truth(file.data, file.size);
    assert_fails(toi_parse_truth("x", file.data, file.size, &truth), TOI_ERROR_FORMAT, "version 2");
    header->version = 1;
    header->byte_order = 0x04030201;
    seal_truth(file.data, file.size);
    assert_fails(toi_parse_truth("x", file.data, file.size, &truth), TOI_ERROR_FORMAT,
                 "byte order");
    header->byte_order = 0x01020304;
    // A time of the next double is not that of the certificate.
    double *times = (void *)(file.data + header->sections[TOI_TRUTH_TIMES].offset);
    times[0] = nextafter(times[0], 2);
    seal_truth(file.data, file.size);
    assert_ok(toi_parse_truth("x", file.data, file.size, &truth));
    toi_exact_time *time;
    assert_fails(toi_truth_time(truth, TOI_VERTEX_FACE, 0, &time), TOI_ERROR_FORMAT,
                 "another time");
    assert_null(time);
    toi_close_truth(truth);
    free(file.data);
    free_sample(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_was_written),
        cmocka_unit_test(meshes_of_floats),
        cmocka_unit_test(stopped_work_goes_on),
        cmocka_unit_test(other_work_is_begun_anew),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(bad_truths_are_not_written),
        cmocka_unit_test(wrong_certificates_are_not_appended),
        cmocka_unit_test(read_only_folders),
        cmocka_unit_test(full_disks),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
