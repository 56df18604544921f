// Edges, validation and swept boxes.

#include "support.h"

#include "toi/boxes.h"
#include "toi/ccd.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every pair of vertices, larger first: is it an edge? The obvious twin of toi_make_edges().
static void edges_are_unique_and_in_libigl_order(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 40,
        FACES = 60,
        LOOSE = 10
    };
    int32_t faces[FACES][3], loose[LOOSE][2];
    bool linked[VERTICES][VERTICES] = {{false}};
    toi_random random = {3};
    for (int f = 0; f < FACES + LOOSE; ++f) {
        int width = f < FACES ? 3 : 2;
        int32_t *row = f < FACES ? faces[f] : loose[f - FACES];
        for (int k = 0; k < width; ++k)
            row[k] = (int32_t)toi_random_below(&random, VERTICES);
        for (int k = 0; k < width; ++k)
            linked[row[k]][row[(k + 1) % width]] = linked[row[(k + 1) % width]][row[k]] = true;
    }
    toi_edge_array edges;
    assert_ok(toi_make_edges((toi_index_view){faces[0], FACES, 0},
                             (toi_index_view){loose[0], LOOSE, 0}, VERTICES, &edges));
    int64_t next = 0;
    for (int32_t large = 0; large < VERTICES; ++large)
        for (int32_t small = 0; small < large; ++small)
            if (linked[large][small]) {
                assert_true(next < edges.count);
                assert_int_equal(edges.data[next][0], small);
                assert_int_equal(edges.data[next++][1], large);
            }
    assert_int_equal(next, edges.count);
    assert_true(next > 100);
    toi_free_edges(&edges);
}

static void validation_names_the_first_fault(void **state)
{
    (void)state;
    double start[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, end[4][3];
    int32_t faces[2][3] = {{0, 1, 2}, {0, 1, 3}};
    memcpy(end, start, sizeof end);
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 2);
    assert_ok(toi_check_mesh(&mesh));
    end[2][1] = NAN;
    end[3][0] = INFINITY;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "vertex 2: coordinate y at t = 1 is nan");
    end[2][1] = 0;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "vertex 3: coordinate x at t = 1 is inf");
    end[3][0] = 0;
    faces[1][2] = 4;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "face 1: vertex index 4");
    faces[1][2] = -1;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "face 1: vertex index -1");
    faces[1][2] = 3;
    mesh.end.count = 3;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "4 vertices at t = 0 but 3");
    mesh.end.count = 4;
    int32_t edges[5][2] = {{0, 1}, {2, 1}, {0, 2}, {0, 3}, {1, 3}};
    mesh.edges = (toi_index_view){edges[0], 5, 0};
    assert_ok(toi_check_mesh(&mesh));
    mesh.edges.count = 4;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "face 1: its side (1, 3)");
    edges[3][1] = 9;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "edge 3: vertex index 9");
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "edge 3: vertex index 9");
    assert_fails(toi_check_mesh(NULL), TOI_ERROR_ARGUMENT, "NULL");
    mesh.start.data = NULL;
    assert_fails(toi_check_mesh(&mesh), TOI_ERROR_DATA, "no data");
    toi_edge_array made;
    assert_fails(toi_make_edges(mesh.faces, (toi_index_view){0}, 3, &made), TOI_ERROR_DATA,
                 "vertex index 3");
    assert_null(made.data);
}

// A vertex with very many edges must not make validation quadratic.
static void a_hub_is_checked_quickly(void **state)
{
    (void)state;
    enum
    {
        SPOKES = 300000
    };
    double(*points)[3] = calloc(SPOKES + 1, sizeof *points);
    int32_t(*faces)[3] = calloc(SPOKES, sizeof *faces);
    for (int32_t f = 0; f < SPOKES - 1; ++f) {
        faces[f][0] = SPOKES; // the hub has the largest index, where all its edges meet
        faces[f][1] = f;
        faces[f][2] = f + 1;
    }
    toi_mesh mesh = toi_make_mesh(points[0], points[0], SPOKES + 1, faces[0], SPOKES - 1);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, mesh.edges, SPOKES + 1, &edges));
    assert_int_equal(edges.count, 2 * SPOKES - 1);
    mesh.edges = toi_view_edges(&edges);
    assert_ok(toi_check_mesh(&mesh));
    toi_free_edges(&edges);
    free(points);
    free(faces);
}

static void swap_edges(int32_t a[2], int32_t b[2])
{
    for (int k = 0; k < 2; ++k) {
        int32_t other = a[k];
        a[k] = b[k];
        b[k] = other;
    }
}

// The first face that has the edge as a side.
static int64_t first_face_with(int32_t (*faces)[3], const int32_t edge[2])
{
    for (int64_t f = 0;; ++f)
        for (int k = 0; k < 3; ++k) {
            int32_t a = faces[f][k], b = faces[f][(k + 1) % 3];
            if ((a == edge[0] && b == edge[1]) || (a == edge[1] && b == edge[0]))
                return f;
        }
}

// Whatever the order of the edges, their directions and the number of workers.
static void any_edge_that_is_missing_is_named(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 300,
        FACES = 1500
    };
    static double points[VERTICES][3];
    static int32_t faces[FACES][3];
    toi_random random = {5};
    for (int f = 0; f < FACES; ++f)
        for (int k = 0; k < 3; ++k)
            faces[f][k] = (int32_t)toi_random_below(&random, k == 0 ? VERTICES : VERTICES / 4);
    toi_mesh mesh = toi_make_mesh(points[0], points[0], VERTICES, faces[0], FACES);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, mesh.edges, VERTICES, &edges));
    assert_true(edges.count > 3000); // several pieces
    mesh.edges = toi_view_edges(&edges);
    toi_ccd_def def = toi_default_ccd_def();
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
        for (int64_t i = 0; shuffled && i < edges.count; ++i) {
            swap_edges(edges.data[i], edges.data[toi_random_below(&random, edges.count)]);
            if (toi_random_below(&random, 2))
                swap_edges(edges.data[i], (int32_t[2]){edges.data[i][1], edges.data[i][0]});
        }
        assert_ok(toi_check_mesh(&mesh));
        for (int64_t i = 0; i < edges.count; i += i % 1024 < 2 || i % 1024 > 1020 ? 1 : 13) {
            int32_t edge[2] = {edges.data[i][0], edges.data[i][1]};
            char message[64];
            snprintf(message, sizeof message,
                     "face %lld:", (long long)first_face_with(faces, edge));
            const int32_t *twin = edges.data[i > 0 ? i - 1 : 1]; // stays sorted
            memcpy(edges.data[i], twin, sizeof edge);
            def.workers = 1 + (int)(i % 5);
            assert_fails(toi_find_earliest(&def, &mesh, NULL), TOI_ERROR_DATA, message);
            memcpy(edges.data[i], edge, sizeof edge);
        }
    }
    toi_free_edges(&edges);
}

static double pick_coordinate(toi_random *random)
{
    static const double scales[] = {1, 1e-9, 1e9, 0x1p-1074, 1e-310, 1e300, 1e-40, 3e38};
    if (toi_random_below(random, 16) == 0) // the last doubles
        return (toi_random_below(random, 2) ? 1 : -1) *
               (DBL_MAX - 0x1p971 * (double)toi_random_below(random, 3));
    return scales[toi_random_below(random, 8)] * toi_random_range(random, -4, 4);
}

// bound <= exact < the next double (or float): as tight as it can be.
static void assert_tight_below(double bound, double next, const mpq_t exact)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, bound);
    assert_true(mpq_cmp(q, exact) <= 0);
    if (isfinite(next)) {
        mpq_set_d(q, next);
        assert_true(mpq_cmp(q, exact) > 0);
    }
    mpq_clear(q);
}

static void check_box(const double ends[2], double separation, double lo, double hi, float flo,
                      float fhi)
{
    mpq_t bound, half, least;
    mpq_inits(bound, half, least, NULL);
    mpq_set_d(half, separation);
    mpq_div_2exp(half, half, 1);
    for (int side = 0; side < 2; ++side) {
        // The upper bound is the lower bound of the mirrored box.
        double sign = side ? -1 : 1;
        mpq_set_d(bound, fmin(sign * ends[0], sign * ends[1]));
        mpq_sub(bound, bound, half);
        mpq_set_d(least, -DBL_MAX);
        if (mpq_cmp(bound, least) < 0)
            mpq_set(bound, least); // there is no double below: boxes end here
        double at = side ? -hi : lo;
        assert_true(isfinite(at));
        float fat = side ? -fhi : flo;
        assert_tight_below(at, nextafter(at, INFINITY), bound);
        mpq_set_d(bound, at);
        if (isfinite(fat))
            assert_tight_below((double)fat, (double)nextafterf(fat, INFINITY), bound);
        else
            assert_true(at < -(double)3.4e38f && fat < 0);
    }
    mpq_clears(bound, half, least, NULL);
}

// Where two intervals come within the separation of each other, over the rationals, their boxes
// must overlap: also where the enlargement ends at the largest double.
static void close_intervals_have_overlapping_boxes(void **state)
{
    (void)state;
    toi_random random = {12};
    int64_t close = 0, ended = 0;
    mpq_t gap, separation;
    mpq_inits(gap, separation, NULL);
    for (int64_t i = 0; i < 20000 * long_factor(); ++i) {
        double ends[2][2][3] = {{{0}}}, d = fabs(pick_coordinate(&random));
        toi_box boxes[2];
        for (int side = 0; side < 2; ++side) {
            ends[side][0][0] = pick_coordinate(&random);
            ends[side][1][0] = toi_random_below(&random, 2) ? ends[0][0][0] : ends[side][0][0];
            toi_mesh mesh = toi_make_mesh(ends[side][0], ends[side][1], 1, NULL, 0);
            assert_ok(toi_make_boxes(&mesh, TOI_VERTEX, d, 1, &boxes[side]));
            ended += boxes[side].lo[0] == -DBL_MAX || boxes[side].hi[0] == DBL_MAX;
        }
        bool apart = false, separate = false;
        mpq_set_d(separation, d);
        for (int side = 0; side < 2; ++side) {
            mpq_t high;
            mpq_init(high);
            mpq_set_d(gap, fmin(ends[side][0][0], ends[side][1][0]));
            mpq_set_d(high, fmax(ends[1 - side][0][0], ends[1 - side][1][0]));
            mpq_sub(gap, gap, high);
            apart |= mpq_cmp(gap, separation) > 0;
            separate |= boxes[side].lo[0] > boxes[1 - side].hi[0];
            mpq_clear(high);
        }
        assert_true(apart || !separate);
        close += !apart;
    }
    mpq_clears(gap, separation, NULL);
    assert_true(close > 1000 && ended > 1000);
}

static void boxes_are_rounded_outward_and_tight(void **state)
{
    (void)state;
    toi_random random = {11};
    for (int64_t i = 0; i < 20000 * long_factor(); ++i) {
        double start[3], end[3];
        for (int k = 0; k < 3; ++k) {
            start[k] = pick_coordinate(&random);
            end[k] = toi_random_below(&random, 4) ? pick_coordinate(&random) : start[k];
        }
        double separation = toi_random_below(&random, 3) ? fabs(pick_coordinate(&random)) : 0;
        toi_mesh mesh = toi_make_mesh(start, end, 1, NULL, 0);
        toi_box box;
        toi_box_float rounded;
        assert_ok(toi_make_boxes(&mesh, TOI_VERTEX, separation, 1, &box));
        toi_round_boxes((toi_box_view){&box, 1}, &rounded);
        for (int k = 0; k < 3; ++k)
            check_box((double[2]){start[k], end[k]}, separation, box.lo[k], box.hi[k],
                      rounded.lo[k], rounded.hi[k]);
    }
}

static void boxes_hold_all_corners(void **state)
{
    (void)state;
    soup s = make_soup(500, 0.1, 0.2, 5);
    int64_t counts[3] = {s.vertex_count, s.edge_count, s.face_count};
    for (int primitive = TOI_VERTEX; primitive <= TOI_FACE; ++primitive) {
        toi_box *boxes = malloc((size_t)counts[primitive] * sizeof *boxes);
        assert_ok(toi_make_boxes(&s.mesh, (toi_primitive)primitive, 0, 2, boxes));
        for (int64_t i = 0; i < counts[primitive]; ++i)
            for (int k = 0; k < 3; ++k) {
                double lo = INFINITY, hi = -INFINITY;
                for (int c = 0; c <= primitive; ++c) {
                    int64_t v = primitive == TOI_VERTEX ? i
                                : primitive == TOI_EDGE ? s.edges.data[i][c]
                                                        : s.faces[i][c];
                    lo = fmin(lo, fmin(s.start[v][k], s.end[v][k]));
                    hi = fmax(hi, fmax(s.start[v][k], s.end[v][k]));
                }
                assert_true(boxes[i].lo[k] == lo && boxes[i].hi[k] == hi);
            }
        free(boxes);
    }
    free_soup(&s);
}

// Interleaved floats with a stride must give what packed doubles give.
static void float_views_and_strides(void **state)
{
    (void)state;
    struct record
    {
        int32_t tag;
        float start[3], end[3];
    } records[3] = {
        {0, {1, 2, 3}, {4, 5, 6}}, {0, {-1, 0, 1}, {0, 0, 0}}, {0, {7, 7, 7}, {8, 6, 7}}};
    struct
    {
        int32_t face[3], pad;
    } face = {{0, 1, 2}, 99};
    toi_mesh mesh = {.start = {records[0].start, 3, sizeof *records, TOI_FLOAT},
                     .end = {records[0].end, 3, sizeof *records, TOI_FLOAT},
                     .faces = {face.face, 1, sizeof face}};
    assert_ok(toi_check_mesh(&mesh));
    toi_box box;
    assert_ok(toi_make_boxes(&mesh, TOI_FACE, 0, 1, &box));
    const toi_box expected = {{-1, 0, 0}, {8, 7, 7}};
    assert_memory_equal(&box, &expected, sizeof box);
    assert_fails(toi_make_boxes(&mesh, TOI_FACE, -1, 1, &box), TOI_ERROR_ARGUMENT, "-1");
    assert_fails(toi_make_boxes(&mesh, TOI_FACE, 0, -1, &box), TOI_ERROR_ARGUMENT, "workers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_unique_and_in_libigl_order),
        cmocka_unit_test(validation_names_the_first_fault),
        cmocka_unit_test(a_hub_is_checked_quickly),
        cmocka_unit_test(any_edge_that_is_missing_is_named),
        cmocka_unit_test(boxes_are_rounded_outward_and_tight),
        cmocka_unit_test(close_intervals_have_overlapping_boxes),
        cmocka_unit_test(boxes_hold_all_corners),
        cmocka_unit_test(float_views_and_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
