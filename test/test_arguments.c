// Arguments at the edge of what is allowed: negative counts, -0, coordinates near the largest
// double.

#include "io_support.h"

#include "toi/truth.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Negative counts

static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}};
static const int32_t face[1][3] = {{0, 1, 2}};

static toi_mesh small_mesh(void)
{
    return toi_make_mesh(corners[0], corners[0], 4, face[0], 1);
}

// The call must be refused, and the message must name what is negative and its value.
#define assert_names(call, what, count)                                                            \
    do {                                                                                           \
        char text_[128];                                                                           \
        snprintf(text_, sizeof text_, "the number of %s is %" PRId64, what, (int64_t)(count));     \
        assert_fails(call, TOI_ERROR_ARGUMENT, text_);                                             \
    } while (0)

static const int64_t negatives[] = {-1, INT64_MIN};

enum
{
    NEGATIVES = sizeof negatives / sizeof *negatives
};

static void negative_counts_of_views_are_named(void **state)
{
    (void)state;
    const toi_box box = {{0, 0, 0}, {1, 1, 1}};
    toi_broad_def def = toi_default_broad_def();
    toi_pair_array pairs = {0};
    toi_box boxes[4];
    toi_edge_array edges;
    for (int i = 0; i < NEGATIVES; ++i) {
        int64_t n = negatives[i];
        toi_box_view one = {&box, 1}, bad = {&box, n};
        assert_names(toi_find_pairs(&def, bad, &pairs), "boxes", n);
        assert_names(toi_find_pairs_between(&def, bad, one, &pairs), "boxes", n);
        assert_names(toi_find_pairs_between(&def, one, bad, &pairs), "boxes", n);
        assert_non_null(strstr(toi_last_message(), "second list"));
        assert_names(toi_stream_pairs(&def, one, &bad, NULL, NULL), "boxes", n);
        assert_names(toi_sort_pairs(NULL, n, 1), "pairs", n);
        toi_mesh mesh = small_mesh();
        mesh.start.count = n;
        assert_names(toi_make_boxes(&mesh, TOI_VERTEX, 0, 1, boxes), "vertices", n);
        mesh.edges.count = n;
        assert_names(toi_make_boxes(&mesh, TOI_EDGE, 0, 1, boxes), "edges", n);
        mesh.faces.count = n;
        assert_names(toi_make_boxes(&mesh, TOI_FACE, 0, 1, boxes), "faces", n);
        toi_index_view faces = {face[0], 1, 0}, none = {0}, lost = {face[0], n, 0};
        assert_names(toi_make_edges(lost, none, 4, &edges), "faces", n);
        assert_names(toi_make_edges(faces, lost, 4, &edges), "loose edges", n);
        assert_names(toi_make_edges(faces, none, n, &edges), "vertices", n);
    }
}

// Every question asked of a mesh, with what is said to be negative.
static void ask(const toi_mesh *mesh, const char *what, int64_t n)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    double steps[4];
    assert_names(toi_check_mesh(mesh), what, n);
    assert_names(toi_find_earliest(&def, mesh, &report), what, n);
    assert_names(toi_find_impacts(&def, mesh, &impacts, NULL), what, n);
    assert_names(toi_find_safe_steps(&def, mesh, steps, NULL), what, n);
    assert_names(toi_find_candidates(&def, mesh, TOI_EDGE_EDGE, lists, NULL), what, n);
    assert_names(toi_find_all_candidates(&def, mesh, lists, NULL), what, n);
}

static void negative_counts_of_a_mesh_are_named(void **state)
{
    (void)state;
    for (int i = 0; i < NEGATIVES; ++i) {
        int64_t n = negatives[i];
        toi_mesh mesh = small_mesh();
        mesh.start.count = n;
        ask(&mesh, "vertices at t = 0", n);
        mesh.end.count = n;
        ask(&mesh, "vertices at t = 0", n);
        mesh = small_mesh();
        mesh.end.count = n;
        ask(&mesh, "vertices at t = 1", n);
        mesh = small_mesh();
        mesh.faces.count = n;
        ask(&mesh, "faces", n);
        mesh = small_mesh();
        mesh.edges.count = n;
        ask(&mesh, "edges", n);
        mesh = small_mesh();
        toi_ccd_def def = toi_default_ccd_def();
        toi_ccd_report report;
        def.filter = (toi_filter){.groups = face[0], .group_count = n};
        char text[64];
        snprintf(text, sizeof text, "%" PRId64 " groups", n);
        assert_fails(toi_find_earliest(&def, &mesh, &report), TOI_ERROR_ARGUMENT, text);
    }
}

static void negative_counts_of_queries_and_bytes_are_named(void **state)
{
    (void)state;
    toi_narrow_def def = toi_default_narrow_def();
    toi_query query = {{{0}}, {{0}}};
    toi_query_result result;
    toi_exact_time *time;
    for (int i = 0; i < NEGATIVES; ++i) {
        int64_t n = negatives[i];
        assert_names(toi_solve_queries(&def, TOI_VERTEX_FACE, &query, n, &result), "queries", n);
        assert_names(toi_find_exact_times(TOI_VERTEX_FACE, &query, n, 1, &time), "queries", n);
        char text[64];
        snprintf(text, sizeof text, "%" PRId64 " bytes", n);
        assert_fails(toi_decode_exact_time("", n, &time), TOI_ERROR_FORMAT, text);
        assert_ok(toi_find_exact_times(TOI_VERTEX_FACE, &query, 1, 1, &time));
        assert_non_null(time);
        assert_true(toi_encode_exact_time(time, NULL, n) > 0); // how many it takes
        toi_free_exact_time(time);
    }
}

static void negative_counts_of_what_is_written_are_named(void **state)
{
    (void)state;
    toi_query query = {{{0}}, {{0}}};
    toi_mesh mesh = small_mesh();
    toi_truth_writer *writer;
    int64_t done;
    const char *path = path_of("file");
    for (int i = 0; i < NEGATIVES; ++i) {
        int64_t n = negatives[i];
        toi_point_view lost = {corners, n, 0, TOI_DOUBLE};
        toi_index_view none = {0}, bad = {face[0], n, 0};
        assert_names(toi_write_queries(path, &query, NULL, n), "queries", n);
        assert_names(toi_write_queries(path, NULL, NULL, n), "queries", n);
        assert_names(toi_write_ply(path, lost, none, none), "points", n);
        assert_names(toi_write_ply(path, mesh.start, bad, none), "faces", n);
        assert_names(toi_write_ply(path, mesh.start, mesh.faces, bad), "edges", n);
        toi_truth_def def = {.mesh = &mesh, .counts = {n, 0}};
        assert_names(toi_begin_truth(path, &def, &writer, &done), "vertex-face pairs", n);
        def = (toi_truth_def){.mesh = &mesh, .counts = {0, n}};
        assert_names(toi_begin_truth(path, &def, &writer, &done), "edge-edge pairs", n);
        def = (toi_truth_def){.mesh = &mesh, .candidates = {n, 0}};
        assert_names(toi_begin_truth(path, &def, &writer, &done), "vertex-face candidates", n);
        def = (toi_truth_def){.mesh = &mesh, .candidates = {0, n}};
        assert_names(toi_begin_truth(path, &def, &writer, &done), "edge-edge candidates", n);
        assert_int_equal(files_in_folder(), 0); // nothing was begun
        def = (toi_truth_def){.mesh = &mesh};
        assert_ok(toi_begin_truth(path, &def, &writer, &done));
        assert_names(toi_append_times(writer, NULL, n), "certificates", n);
        assert_ok(toi_end_truth(writer));
        remove(path);
    }
}

// ---------------------------------------------------------------------------------------------
// t_max of -0

// Half of the coordinates lie on a grid, so that many pairs touch at t = 0.
static void fill_query(toi_random *random, toi_query *query)
{
    bool grid = toi_random_below(random, 2);
    bool still = toi_random_below(random, 4) == 0;
    for (int i = 0; i < 24; ++i) {
        double x = grid ? (double)toi_random_below(random, 3) : toi_random_range(random, -1, 1);
        if (i < 12)
            query->start[i / 3][i % 3] = x;
        else
            query->end[i % 12 / 3][i % 3] = still ? query->start[i % 12 / 3][i % 3] : x;
    }
}

static void a_query_up_to_minus_zero_is_one_up_to_zero(void **state)
{
    (void)state;
    for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
        toi_random random = {7};
        int64_t hits = 0;
        int64_t count = getenv("TOI_SANITIZED") ? 600 : 8000 * long_factor();
        for (int64_t i = 0; i < count; ++i) {
            toi_query query;
            toi_query_result plain, minus;
            toi_narrow_def def = toi_default_narrow_def();
            def.method = (toi_narrow_method)method;
            def.workers = 1;
            def.max_iterations = 1000;
            def.min_separation = i % 3 == 1 ? 0.25 : 0;
            def.all_roots = i % 7 == 0 && def.min_separation == 0;
            def.no_zero_time = i % 11 == 0;
            def = toi_fit_narrow_def(&def);
            fill_query(&random, &query);
            def.t_max = 0;
            assert_ok(toi_solve_queries(&def, (toi_kind)(i % 4), &query, 1, &plain));
            def.t_max = -0.0;
            assert_ok(toi_solve_queries(&def, (toi_kind)(i % 4), &query, 1, &minus));
            assert_memory_equal(&plain, &minus, sizeof plain);
            hits += plain.state != TOI_SEPARATED;
        }
        assert_true(hits > count / 80);
    }
}

// The bytes of all answers about a mesh up to t_max.
static uint64_t answers_until(double t_max, toi_narrow_method method, const soup *s)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    double *steps = calloc((size_t)s->vertex_count, sizeof *steps);
    def.narrow.method = method;
    def.narrow.t_max = t_max;
    def.narrow.max_iterations = 1000;
    def.narrow = toi_fit_narrow_def(&def.narrow);
    def.workers = 2;
    assert_ok(toi_find_earliest(&def, &s->mesh, &report));
    uint64_t hashes[3] = {toi_hash(&report.earliest, sizeof report.earliest)};
    assert_ok(toi_find_impacts(&def, &s->mesh, &impacts, NULL));
    hashes[1] = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    assert_ok(toi_find_safe_steps(&def, &s->mesh, steps, NULL));
    hashes[2] = toi_hash(steps, (size_t)s->vertex_count * sizeof *steps);
    toi_free_impacts(&impacts);
    free(steps);
    return toi_hash(hashes, sizeof hashes);
}

static void a_step_up_to_minus_zero_is_one_up_to_zero(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        soup s = make_soup(30, 0.5, 0.5, seed);
        for (int64_t i = 0; i < 3 * s.vertex_count; ++i) { // a coarse grid: many touch at t = 0
            s.start[i / 3][i % 3] = floor(4 * s.start[i / 3][i % 3]);
            s.end[i / 3][i % 3] = floor(4 * s.end[i / 3][i % 3]);
        }
        for (int method = 0; method < TOI_NARROW_COUNT; ++method)
            assert_int_equal(answers_until(-0.0, (toi_narrow_method)method, &s),
                             answers_until(0, (toi_narrow_method)method, &s));
        free_soup(&s);
    }
}

// ---------------------------------------------------------------------------------------------
// Boxes that reach beyond the doubles

enum
{
    POINTS = 48
};

// The pairs of edges whose boxes overlap, by hand.
static int64_t count_overlaps(const toi_box *boxes, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = i + 1; j < count; ++j) {
            bool overlap = true;
            for (int k = 0; k < 3; ++k)
                overlap =
                    overlap && boxes[i].lo[k] <= boxes[j].hi[k] && boxes[j].lo[k] <= boxes[i].hi[k];
            found += overlap;
        }
    return found;
}

static void boxes_at_the_end_of_the_doubles_can_be_searched(void **state)
{
    (void)state;
    static const double ends[] = {-DBL_MAX, DBL_MAX, 0, 1e308, -1e308};
    toi_random random = {5};
    for (int trial = 0; trial < 60; ++trial) {
        double start[POINTS][3], end[POINTS][3];
        int32_t edges[POINTS / 2][2];
        for (int i = 0; i < 3 * POINTS; ++i) {
            start[i / 3][i % 3] = ends[toi_random_below(&random, 5)];
            end[i / 3][i % 3] = ends[toi_random_below(&random, 5)] * toi_random_unit(&random);
        }
        for (int32_t i = 0; i < POINTS; ++i)
            edges[i / 2][i % 2] = i;
        toi_mesh mesh = toi_make_mesh(start[0], end[0], POINTS, NULL, 0);
        mesh.edges = (toi_index_view){edges[0], POINTS / 2, 0};
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.min_separation = trial % 3 == 0 ? DBL_MAX : trial % 3 == 1 ? 1e300 : 1e-300;
        toi_box boxes[POINTS / 2];
        assert_ok(toi_make_boxes(&mesh, TOI_EDGE, def.narrow.min_separation, 1, boxes));
        for (int i = 0; i < POINTS / 2; ++i)
            for (int k = 0; k < 3; ++k)
                assert_true(isfinite(boxes[i].lo[k]) && isfinite(boxes[i].hi[k]));
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            toi_pair_array listed = {0}, found = {0};
            def.broad.method = (toi_broad_method)method;
            assert_ok(toi_find_pairs(&def.broad, (toi_box_view){boxes, POINTS / 2}, &listed));
            assert_int_equal(listed.count, count_overlaps(boxes, POINTS / 2));
            // The edges share no vertex, so every overlap is a candidate.
            assert_ok(toi_find_candidates(&def, &mesh, TOI_EDGE_EDGE, &found, NULL));
            assert_int_equal(found.count, listed.count);
            assert_memory_equal(found.data, listed.data, (size_t)found.count * sizeof *found.data);
            toi_free_pairs(&listed);
            toi_free_pairs(&found);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_counts_of_views_are_named),
        cmocka_unit_test(negative_counts_of_a_mesh_are_named),
        cmocka_unit_test(negative_counts_of_queries_and_bytes_are_named),
        cmocka_unit_test(negative_counts_of_what_is_written_are_named),
        cmocka_unit_test(a_query_up_to_minus_zero_is_one_up_to_zero),
        cmocka_unit_test(a_step_up_to_minus_zero_is_one_up_to_zero),
        cmocka_unit_test(boxes_at_the_end_of_the_doubles_can_be_searched),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
