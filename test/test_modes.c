// The caller's floating-point mode neither matters nor changes. Every function that the libraries
// export is called in every mode, on numbers that the mode would change; results must be the same
// bytes, no signal may come, and mode and sticky flags must be as they were. A function that is
// exported and not called here fails the last test: add a call to one of the scenarios.

#define _POSIX_C_SOURCE 200809L // popen
#include "io_support.h"
#include "modes.h"
#include "modes_calls.h"

#include "toi/truth.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Numbers that rounding, flushing and traps tell apart

static double awkward(toi_random *random)
{
    double x = toi_random_range(random, -1, 1);
    switch (toi_random_below(random, 8)) {
    case 0:
        return x * 0x1p-1030; // a denormal
    case 1:
        return x * 0x1p-140; // a denormal float
    case 2:
        return nextafter((double)(float)x, x > 0 ? -2 : 2); // beside a float
    case 3:
        return x * 0x1p127; // floats end there
    case 4:
        return (double)toi_random_below(random, 3);
    default:
        return x;
    }
}

enum
{
    BOXES = 300,
    QUERIES = 60
};

// Many boxes touch exactly, or miss by one unit in the last place, or by a denormal.
static void make_boxes(toi_box *boxes, uint64_t seed)
{
    static const double edges[] = {0, 0x1p-1074, 0x1p-1060, 0.1, 0.3, 1, 1 + DBL_EPSILON, 3, 10};
    toi_random random = {seed};
    for (int i = 0; i < BOXES; ++i)
        for (int k = 0; k < 3; ++k) {
            double a = edges[toi_random_below(&random, 9)], b = edges[toi_random_below(&random, 9)];
            if (toi_random_below(&random, 4) == 0)
                a = awkward(&random);
            boxes[i].lo[k] = fmin(a, b);
            boxes[i].hi[k] = fmax(a, b);
        }
}

// At several scales: denormals, units, squares that overflow. The last ones lie on a grid, where
// contacts are degenerate, and two roots are close in some.
static void make_queries(toi_query *queries, uint64_t seed)
{
    static const double scales[] = {1, 0x1p-1060, 1e-160, 1e160, 1, 1};
    toi_random random = {seed};
    for (int i = 0; i < QUERIES; ++i)
        for (int c = 0; c < 24; ++c) {
            double x = i % 6 == 4   ? (double)toi_random_below(&random, 3)
                       : i % 6 == 5 ? 1e5 + toi_random_unit(&random)
                                    : toi_random_range(&random, -1, 1) * scales[i % 6];
            (c < 12 ? queries[i].start : queries[i].end)[c % 12 / 3][c % 3] = x;
        }
}

// ---------------------------------------------------------------------------------------------
// base.h

static void call_base(void)
{
    const char *text;
    int workers;
    uint64_t hash;
    void *memory;
    toi_status status;
    IN_MODE(text = toi_version());
    keep(text, strlen(text));
    IN_MODE(text = toi_status_name(TOI_ERROR_DATA));
    keep(text, strlen(text));
    IN_MODE(toi_set_hooks(NULL));
    IN_MODE(memory = toi_allocate(100));
    IN_MODE(toi_release(memory));
    IN_MODE(status = toi_fail(TOI_ERROR_DATA, "%.3g %.17g %g %a", 0.12345, 0.1, 0x1p-1070, 1e23));
    assert_int_equal(status, TOI_ERROR_DATA);
    IN_MODE(text = toi_last_message());
    keep(text, strlen(text));
    IN_MODE(workers = toi_default_workers());
    keep(&workers, sizeof workers);
    IN_MODE(text = toi_simd_name());
    keep(text, strlen(text));
    IN_MODE(status = toi_set_simd("baseline"));
    IN_MODE(status = toi_set_simd(NULL));
    assert_int_equal(status, TOI_OK);
    IN_MODE(hash = toi_hash("toi", 3));
    keep(&hash, sizeof hash);
}

// ---------------------------------------------------------------------------------------------
// mesh.h, boxes.h

enum
{
    POINTS = 300,
    FACES = 100
};

static void call_meshes(void)
{
    static double start[POINTS][3], end[POINTS][3];
    static int32_t faces[FACES][3];
    toi_random random = {1};
    for (int i = 0; i < 3 * POINTS; ++i) {
        start[i / 3][i % 3] = awkward(&random);
        end[i / 3][i % 3] = awkward(&random);
    }
    for (int i = 0; i < 3 * FACES; ++i)
        faces[i / 3][i % 3] = (int32_t)toi_random_below(&random, POINTS);
    toi_mesh mesh;
    toi_edge_array edges;
    toi_status status;
    IN_MODE(mesh = toi_make_mesh(start[0], end[0], POINTS, faces[0], FACES));
    IN_MODE(status = toi_make_edges(mesh.faces, mesh.edges, POINTS, &edges));
    assert_int_equal(status, TOI_OK);
    keep(edges.data, (size_t)edges.count * sizeof *edges.data);
    IN_MODE(mesh.edges = toi_view_edges(&edges));
    IN_MODE(status = toi_check_mesh(&mesh));
    assert_int_equal(status, TOI_OK);
    const double separations[] = {0, 0.1, 0x1p-1074, 3 * 0x1p-1074, DBL_MAX, -0.123456789};
    for (int primitive = TOI_VERTEX; primitive <= TOI_FACE; ++primitive)
        for (int i = 0; i < 6; ++i) {
            toi_box boxes[BOXES];
            toi_box_float rounded[BOXES] = {0};
            int64_t count = primitive == TOI_VERTEX ? POINTS
                            : primitive == TOI_EDGE ? edges.count
                                                    : FACES;
            mesh.edges.count = count < BOXES ? count : BOXES;
            count = mesh.edges.count;
            IN_MODE(status =
                        toi_make_boxes(&mesh, (toi_primitive)primitive, separations[i], 2, boxes));
            assert_int_equal(status, separations[i] < 0 ? TOI_ERROR_ARGUMENT : TOI_OK);
            if (status != TOI_OK) {
                keep_message();
                continue;
            }
            keep(boxes, (size_t)count * sizeof *boxes);
            IN_MODE(toi_round_boxes((toi_box_view){boxes, count}, rounded));
            keep(rounded, (size_t)count * sizeof *rounded);
        }
    IN_MODE(toi_free_edges(&edges));
    end[POINTS - 1][2] = -INFINITY;
    IN_MODE(status = toi_check_mesh(&mesh));
    assert_int_equal(status, TOI_ERROR_DATA);
    keep_message();
}

// ---------------------------------------------------------------------------------------------
// broad_phase.h

static toi_status count_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    check_own_mode();
    for (int64_t i = 0; i < count; ++i)
        *(int64_t *)context += 1 + pairs[i].a * 1009 + pairs[i].b;
    return TOI_OK;
}

static bool go_on(void *context, double done)
{
    (void)context;
    (void)done;
    check_own_mode();
    return true;
}

static void call_broad_method(toi_broad_method method)
{
    static toi_box a[BOXES], b[BOXES];
    make_boxes(a, 1);
    make_boxes(b, 2);
    toi_box_view first = {a, BOXES}, second = {b, BOXES};
    toi_pair_array pairs = {0};
    toi_status status;
    const char *name;
    int64_t sum = 0;
    toi_broad_def def;
    IN_MODE(name = toi_broad_name(method));
    unsigned traits;
    IN_MODE(traits = toi_broad_traits(method));
    keep(&traits, sizeof traits);
    IN_MODE(def.method = toi_broad_find(name));
    assert_int_equal(def.method, method);
    IN_MODE(def = toi_default_broad_def());
    IN_MODE(status = toi_make_broad_memory(&def.memory));
    def.method = method;
    def.progress = go_on;
    for (def.workers = 1; def.workers <= 3; def.workers += 2) {
        IN_MODE(status = toi_find_pairs(&def, first, &pairs));
        assert_int_equal(status, TOI_OK);
        assert_true(pairs.count > 1000);
        keep(pairs.data, (size_t)pairs.count * sizeof *pairs.data);
        IN_MODE(status = toi_find_pairs_between(&def, first, second, &pairs));
        assert_int_equal(status, TOI_OK);
        keep(pairs.data, (size_t)pairs.count * sizeof *pairs.data);
    }
    def.workers = 1;
    IN_MODE(status = toi_stream_pairs(&def, first, &second, count_pairs, &sum));
    keep(&sum, sizeof sum);
    IN_MODE(status = toi_sort_pairs(pairs.data, pairs.count, 2));
    keep(pairs.data, (size_t)pairs.count * sizeof *pairs.data);
    b[5].hi[1] = b[5].lo[1] - 0.123456789;
    IN_MODE(status = toi_find_pairs(&def, second, &pairs));
    assert_int_equal(status, TOI_ERROR_DATA);
    keep_message();
    IN_MODE(toi_free_broad_memory(def.memory));
    IN_MODE(toi_free_pairs(&pairs));
}

static void call_broad_phases(void)
{
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        call_broad_method((toi_broad_method)method);
}

// ---------------------------------------------------------------------------------------------
// narrow_phase.h

static void call_narrow_method(toi_narrow_method method)
{
    static toi_query queries[QUERIES];
    static toi_query_result results[QUERIES];
    toi_narrow_def def;
    toi_status status;
    const char *name;
    int guarantee;
    make_queries(queries, 3);
    IN_MODE(name = toi_narrow_name(method));
    IN_MODE(guarantee = (int)toi_narrow_guarantee(method));
    keep(&guarantee, sizeof guarantee);
    unsigned traits;
    IN_MODE(traits = toi_narrow_traits(method));
    keep(&traits, sizeof traits);
    IN_MODE(def = toi_default_narrow_def());
    keep(&def, sizeof def);
    IN_MODE(def.method = toi_narrow_find(name));
    assert_int_equal(def.method, method);
    def.max_iterations = 300;
    for (int variant = 0; variant < 4; ++variant)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            def.min_separation = variant == 1 ? 0.01 : 0;
            def.all_roots = variant == 2;
            def.t_max = variant == 3 ? 0.7 : 1;
            def.workers = 1 + variant % 2;
            memset(results, 0, sizeof results);
            toi_narrow_def fit;
            IN_MODE(fit = toi_fit_narrow_def(&def));
            keep(&fit, sizeof fit);
            IN_MODE(status = toi_solve_queries(&fit, (toi_kind)kind, queries, QUERIES, results));
            assert_int_equal(status, TOI_OK);
            keep(results, sizeof results);
        }
    def.tolerance = -0.123456789;
    IN_MODE(status = toi_solve_queries(&def, TOI_EDGE_EDGE, queries, QUERIES, results));
    assert_int_equal(status, TOI_ERROR_ARGUMENT);
    keep_message();
}

static void call_narrow_phases(void)
{
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        call_narrow_method((toi_narrow_method)method);
    const char *name;
    IN_MODE(name = toi_kind_name(TOI_EDGE_EDGE));
    keep(name, strlen(name));
    IN_MODE(name = toi_state_name(TOI_HIT));
    keep(name, strlen(name));
    IN_MODE(name = toi_rung_name(TOI_RUNG_ROOT));
    keep(name, strlen(name));
    IN_MODE(name = toi_guarantee_name(TOI_GUARANTEE_EXACT));
    keep(name, strlen(name));
}

static void call_distances(void)
{
    static toi_query queries[QUERIES];
    make_queries(queries, 4);
    for (int i = 0; i < QUERIES; ++i) {
        double(*p)[3] = queries[i].start, distance, uv[2];
        IN_MODE(distance = toi_point_triangle_distance(p[0], p[1], p[2], p[3], uv));
        keep(&distance, sizeof distance);
        keep(uv, sizeof uv);
        IN_MODE(distance = toi_edge_edge_distance(p[0], p[1], p[2], p[3], uv));
        keep(&distance, sizeof distance);
        keep(uv, sizeof uv);
        IN_MODE(distance = toi_edge_edge_distance(p[0], p[1], p[2], p[3], NULL));
        keep(&distance, sizeof distance);
    }
}

// ---------------------------------------------------------------------------------------------
// exact.h

static void keep_time(const toi_exact_time *time)
{
    char bytes[TOI_EXACT_TIME_BYTES], *lo, *hi, *coefficient;
    int64_t size, bits;
    int degree, order;
    bool is_double;
    double floor;
    toi_status status;
    toi_exact_time *decoded;
    IN_MODE(floor = toi_exact_time_floor(time));
    keep(&floor, sizeof floor);
    IN_MODE(is_double = toi_exact_time_is_double(time));
    keep(&is_double, sizeof is_double);
    IN_MODE(size = toi_encode_exact_time(time, bytes, sizeof bytes));
    keep(bytes, (size_t)size);
    IN_MODE(status = toi_decode_exact_time(bytes, size, &decoded));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_exact_time_compare(time, decoded, &order));
    assert_int_equal(status, TOI_OK);
    keep(&order, sizeof order);
    const double others[] = {floor, 0x1p-1074, nextafter(floor, 2), 0.3};
    for (int i = 0; i < 4; ++i) {
        IN_MODE(order = toi_exact_time_compare_double(decoded, others[i]));
        keep(&order, sizeof order);
    }
    IN_MODE(degree = toi_exact_time_degree(decoded));
    IN_MODE(coefficient = toi_exact_time_coefficient(decoded, degree));
    keep(coefficient, strlen(coefficient));
    IN_MODE(status = toi_exact_time_bounds(decoded, &lo, &hi, &bits));
    assert_int_equal(status, TOI_OK);
    keep(lo, strlen(lo));
    keep(hi, strlen(hi));
    toi_release(lo);
    toi_release(hi);
    toi_release(coefficient);
    IN_MODE(toi_free_exact_time(decoded));
}

static void call_exact(void)
{
    static toi_query queries[QUERIES];
    toi_exact_time *times[QUERIES];
    toi_status status;
    make_queries(queries, 5);
    int64_t found = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int i = 0; i < QUERIES; ++i) {
            toi_exact_contacts contacts;
            IN_MODE(status = toi_find_exact_contacts((toi_kind)kind, &queries[i], &contacts));
            assert_int_equal(status, TOI_OK);
            for (int64_t c = 0; c < contacts.count; ++c)
                keep_time(contacts.data[c].to);
            found += contacts.count;
            IN_MODE(toi_free_exact_contacts(&contacts));
        }
    assert_true(found > 20);
    IN_MODE(status = toi_find_exact_times(TOI_EDGE_EDGE, queries, QUERIES, 2, times));
    assert_int_equal(status, TOI_OK);
    for (int i = 0; i < QUERIES; ++i) {
        if (times[i])
            keep_time(times[i]);
        toi_free_exact_time(times[i]);
    }
    queries[0].start[0][0] = NAN;
    IN_MODE(status = toi_find_exact_times(TOI_EDGE_EDGE, queries, QUERIES, 1, times));
    assert_int_equal(status, TOI_ERROR_DATA);
    keep_message();
}

// ---------------------------------------------------------------------------------------------
// io.h

// Numbers whose nearest double is above, below, a denormal, or a tie; two rounded once by
// multiplying and dividing.
#define NUMBER_A "0.1 1e23 9007199254740993"
#define NUMBER_B "2.2250738585072011e-308 4.9e-324 123456789012345678901234567890"
#define NUMBER_C "0.30000000000000004 -1.7976931348623157e308 8.5e-21"
#define NUMBER_D "1e-320 -7.1e21 0.000123456789"

static const char obj[] =
    "v " NUMBER_A "\nv " NUMBER_B "\nv " NUMBER_C "\nv " NUMBER_D "\nf 1 2 3\nl 1 4\n";
static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\n"
                          "property float y\nproperty double z\nelement face 1\n"
                          "property list uchar int vertex_indices\nend_header\n" //
    NUMBER_A "\n" NUMBER_B "\n" NUMBER_C "\n" NUMBER_D "\n3 0 1 2\n";
static const char stl[] =
    "solid a\nfacet normal 0 0 0\nouter loop\nvertex " NUMBER_A "\nvertex " NUMBER_B
    "\nvertex " NUMBER_D "\nendloop\nendfacet\nendsolid a\n";

static void keep_mesh(toi_mesh_file *mesh)
{
    keep(mesh->points, (size_t)mesh->point_count * sizeof *mesh->points);
    keep(mesh->faces, (size_t)mesh->face_count * sizeof *mesh->faces);
    keep(mesh->loose_edges, (size_t)mesh->loose_edge_count * sizeof *mesh->loose_edges);
    IN_MODE(toi_free_mesh_file(mesh));
}

static void keep_file(const char *path)
{
    static char bytes[1 << 18];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    keep(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void call_mesh_files(void)
{
    static const struct
    {
        const char *name, *text;
        size_t size;
    } files[] = {{"a.obj", BYTES(obj)}, {"a.ply", BYTES(ply)}, {"a.stl", BYTES(stl)}};
    const double points[4][3] = {
        {1e-40, 0x1p-149, 0.1}, {-3e-45, 1, 2}, {0.3, 1e-39, 5}, {1e-44, 0, 0x1p-126}};
    toi_mesh_file mesh, end;
    toi_status status;
    for (int i = 0; i < 3; ++i) {
        IN_MODE(status = toi_parse_mesh(files[i].name, files[i].text, files[i].size, &mesh));
        assert_int_equal(status, TOI_OK);
        keep_mesh(&mesh);
        char path[512];
        snprintf(path, sizeof path, "%s", path_of(files[i].name));
        write_file(path, files[i].text, files[i].size);
        IN_MODE(status = toi_read_mesh(path, &mesh));
        assert_int_equal(status, TOI_OK);
        keep_mesh(&mesh);
        IN_MODE(status = toi_read_frames(path, path, &mesh, &end));
        assert_int_equal(status, TOI_OK);
        keep_mesh(&mesh);
        keep_mesh(&end);
    }
    buffer binary = {.size = 0}; // denormal floats
    make_binary(&binary, true, "float", integer_types[2], integer_types[8], points);
    IN_MODE(status = toi_parse_mesh("binary.ply", binary.data, binary.size, &mesh));
    assert_int_equal(status, TOI_OK);
    keep_mesh(&mesh);
    float singles[4][3];
    for (int i = 0; i < 12; ++i)
        singles[i / 3][i % 3] = (float)points[i / 3][i % 3];
    const int32_t faces[3] = {0, 1, 2};
    const char *written = path_of("written.ply");
    IN_MODE(status = toi_write_ply(written, (toi_point_view){singles, 4, 0, TOI_FLOAT},
                                   (toi_index_view){faces, 1, 0}, (toi_index_view){0}));
    assert_int_equal(status, TOI_OK);
    keep_file(written);
}

static void call_query_files(void)
{
    static toi_query queries[QUERIES];
    bool hits[QUERIES] = {true};
    toi_query_file file;
    toi_status status;
    make_queries(queries, 7);
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("queries.csv"));
    IN_MODE(status = toi_write_queries(path, queries, hits, QUERIES));
    assert_int_equal(status, TOI_OK);
    keep_file(path);
    IN_MODE(status = toi_read_queries(path, &file));
    assert_int_equal(status, TOI_OK);
    assert_int_equal(file.count, QUERIES);
    keep(file.queries, sizeof queries);
    IN_MODE(toi_free_query_file(&file));
    toi_output output;
    IN_MODE(status = toi_open_output(path, &output));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_print_queries(output.file, queries, hits, QUERIES));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_close_output(&output));
    assert_int_equal(status, TOI_OK);
    keep_file(path);
    IN_MODE(status = toi_open_output(path, &output));
    assert_int_equal(status, TOI_OK);
    IN_MODE(toi_discard_output(&output));
    IN_MODE(status = toi_fail_file(path, "write", ENOSPC));
    assert_int_equal(status, TOI_ERROR_LIMIT);
    const char not_double[] = "1,3,0,1,0,1\n";
    IN_MODE(status = toi_parse_queries("a.csv", not_double, sizeof not_double - 1, &file));
    assert_int_equal(status, TOI_ERROR_FORMAT);
    keep_message();
}

// ---------------------------------------------------------------------------------------------
// truth.h

enum
{
    MOST_HITS = 256
};

// The entries and certificates of every impact of a small scene, one of them at a denormal time.
typedef struct sample
{
    soup s;
    toi_truth_def def;
    toi_truth_entry entries[TOI_PAIR_KINDS][MOST_HITS];
    toi_exact_time *times[MOST_HITS];
    int64_t hits;
} sample;

static void make_sample(sample *made)
{
    *made = (sample){.s = make_soup(12, 0.5, 0.5, 8)};
    const double face[3][3] = {{9, 0, 0}, {10, 0, 0}, {9, 1, 0}},
                 above[3] = {9.25, 0.25, 0x1p-1050};
    memcpy(made->s.start, face, sizeof face);
    memcpy(made->s.end, face, sizeof face);
    memcpy(made->s.start[3], above, sizeof above);
    memcpy(made->s.end[3], above, sizeof above);
    made->s.end[3][2] = -1;
    toi_ccd_def def = toi_default_ccd_def();
    def.count_candidates = true;
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    assert_ok(toi_find_impacts(&def, &made->s.mesh, &impacts, &report));
    assert_true(impacts.count > 0 && impacts.count <= MOST_HITS);
    made->def = (toi_truth_def){.mesh = &made->s.mesh, .listed = TOI_TRUTH_HITS};
    for (int64_t i = 0; i < impacts.count; ++i) {
        toi_kind kind = (toi_kind)impacts.data[i].kind;
        toi_pair pair = {impacts.data[i].a, impacts.data[i].b};
        toi_query query = toi_gather_query(&made->s.mesh, kind, pair);
        toi_exact_time **time = &made->times[made->hits++];
        assert_ok(toi_find_exact_times(kind, &query, 1, 1, time));
        made->entries[kind][made->def.counts[kind]++] = (toi_truth_entry){
            pair, true, toi_exact_time_is_double(*time), toi_exact_time_floor(*time)};
    }
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        made->def.entries[kind] = made->entries[kind];
        made->def.candidates[kind] = report.candidates[kind];
    }
    toi_free_impacts(&impacts);
}

static void keep_truth(const toi_truth *truth)
{
    toi_mesh mesh;
    int64_t number, count;
    toi_truth_list listed;
    toi_status status;
    IN_MODE(mesh = toi_truth_mesh(truth));
    keep(mesh.start.data, (size_t)mesh.start.count * 24);
    IN_MODE(listed = toi_truth_listed(truth));
    keep(&listed, sizeof listed);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        IN_MODE(number = toi_truth_candidates(truth, (toi_kind)kind));
        keep(&number, sizeof number);
        IN_MODE(number = toi_truth_hits(truth, (toi_kind)kind));
        keep(&number, sizeof number);
        IN_MODE(count = toi_truth_count(truth, (toi_kind)kind));
        for (int64_t i = 0; i < count; ++i) {
            toi_truth_entry entry;
            toi_exact_time *time;
            IN_MODE(entry = toi_truth_at(truth, (toi_kind)kind, i));
            keep(&entry.time, sizeof entry.time);
            IN_MODE(status = toi_truth_time(truth, (toi_kind)kind, i, &time));
            assert_int_equal(status, TOI_OK);
            toi_free_exact_time(time);
        }
    }
}

static void call_truth(void)
{
    static sample made;
    make_sample(&made);
    toi_truth_writer *writer;
    toi_truth *truth;
    toi_status status;
    int64_t done;
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("truth"));
    IN_MODE(status = toi_begin_truth(path, &made.def, &writer, &done));
    assert_int_equal(status, TOI_OK);
    toi_exact_time *wrong = made.times[1];
    IN_MODE(status = toi_append_times(writer, &wrong, 1));
    assert_int_equal(status, TOI_ERROR_DATA);
    keep_message();
    IN_MODE(status = toi_append_times(writer, made.times, made.hits));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_end_truth(writer));
    assert_int_equal(status, TOI_OK);
    keep_file(path);
    IN_MODE(status = toi_open_truth(path, &truth));
    assert_int_equal(status, TOI_OK);
    keep_truth(truth);
    IN_MODE(toi_close_truth(truth));
    static _Alignas(8) char bytes[1 << 18];
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    IN_MODE(status = toi_parse_truth("truth", bytes, size, &truth));
    assert_int_equal(status, TOI_OK);
    toi_close_truth(truth);
    for (int64_t i = 0; i < made.hits; ++i)
        toi_free_exact_time(made.times[i]);
    free_soup(&made.s);
}

// After this no output can be opened.
static void call_ending(void)
{
    toi_output output;
    toi_status status;
    IN_MODE(toi_remove_temporaries());
    IN_MODE(status = toi_open_output(path_of("late.csv"), &output));
    assert_int_not_equal(status, TOI_OK);
    keep_message();
}

// ---------------------------------------------------------------------------------------------

#define TEST(name)                                                                                 \
    static void name##_in_every_mode(void **state)                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_every_mode(call_##name);                                                                \
    }

TEST(base)
TEST(meshes)
TEST(broad_phases)
TEST(narrow_phases)
TEST(distances)
TEST(exact)
TEST(pipeline)
TEST(scene)
TEST(devices)
TEST(overlaps)
TEST(faces)
TEST(fields)
TEST(contacts)
TEST(grids)
TEST(mesh_files)
TEST(query_files)
TEST(truth)
TEST(ending)

// Runs last: by then the others have called what they call.
static void no_exported_function_is_forgotten(void **state)
{
    (void)state;
    FILE *list = popen("nm -D --defined-only " TOI_SHARED_LIBRARIES, "r");
    assert_non_null(list);
    char line[256], name[64], type;
    int exported = 0, forgotten = 0;
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%*x %c %63s", &type, name) != 2 || strncmp(name, "toi_", 4) != 0)
            continue;
        ++exported;
        if (!was_called(name)) {
            print_message("%s is exported, but not called in every mode here\n", name);
            ++forgotten;
        }
    }
    assert_int_equal(pclose(list), 0);
    assert_true(exported >= 80);
    assert_int_equal(forgotten, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_in_every_mode),
        cmocka_unit_test(meshes_in_every_mode),
        cmocka_unit_test(broad_phases_in_every_mode),
        cmocka_unit_test(narrow_phases_in_every_mode),
        cmocka_unit_test(distances_in_every_mode),
        cmocka_unit_test(exact_in_every_mode),
        cmocka_unit_test(pipeline_in_every_mode),
        cmocka_unit_test(scene_in_every_mode),
        cmocka_unit_test(devices_in_every_mode),
        cmocka_unit_test(overlaps_in_every_mode),
        cmocka_unit_test(faces_in_every_mode),
        cmocka_unit_test(fields_in_every_mode),
        cmocka_unit_test(contacts_in_every_mode),
        cmocka_unit_test(grids_in_every_mode),
        cmocka_unit_test(mesh_files_in_every_mode),
        cmocka_unit_test(query_files_in_every_mode),
        cmocka_unit_test(truth_in_every_mode),
        cmocka_unit_test(ending_in_every_mode),
        cmocka_unit_test(no_exported_function_is_forgotten),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
