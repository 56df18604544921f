// Loose points against loose edges and against each other: in every question, by every broad phase,
// for any number of workers, of a mesh and of a scene.

#include "steps.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_impacts(const toi_impact_array *impacts)
{
    return toi_hash(impacts->data, (size_t)impacts->count * sizeof *impacts->data);
}

// ---------------------------------------------------------------------------------------------
// A particle, a rod, another particle

// Vertex 0 falls past the rod (1, 2) at a distance of 1/16, then past vertex 3, which rests.
static const double before[4][3] = {{0, 0.0625, 1}, {-1, 0, 0.5}, {1, 0, 0.5}, {0, 0, -0.5}};
static const double after[4][3] = {{0, 0.0625, -1}, {-1, 0, 0.5}, {1, 0, 0.5}, {0, 0, -0.5}};
static const int32_t rod[1][2] = {{1, 2}};

static toi_mesh falling_particle(void)
{
    toi_mesh mesh = toi_make_mesh(before[0], after[0], 4, NULL, 0);
    mesh.edges = (toi_index_view){rod[0], 1, 0};
    return mesh;
}

static void expect_both(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    double steps[4];
    assert_ok(ask_earliest(scene, def, mesh, &report));
    assert_int_equal(report.state, TOI_HIT);
    assert_int_equal(report.earliest.kind, TOI_POINT_EDGE);
    // At a height of at most 1/8 above the rod: after 3/16 of the way; no later than it touches.
    double first = report.earliest.time;
    assert_true(first > 0.18 && first <= 0.25);
    assert_ok(ask_impacts(scene, def, mesh, &impacts, &report));
    assert_int_equal(impacts.count, 2);
    assert_true(report.hits[TOI_POINT_EDGE] == 1 && report.hits[TOI_POINT_POINT] == 1);
    assert_true(impacts.data[0].kind == TOI_POINT_EDGE && impacts.data[0].a == 0 &&
                impacts.data[0].b == 0 && fabs(impacts.data[0].u - 0.5) < 0.1);
    assert_true(impacts.data[1].kind == TOI_POINT_POINT && impacts.data[1].a == 0 &&
                impacts.data[1].b == 3 && impacts.data[1].time > 0.6);
    assert_ok(ask_safe_steps(scene, def, mesh, steps, NULL));
    assert_true(steps[0] == first && steps[1] == first && steps[2] == first);
    assert_true(steps[3] == impacts.data[1].time);
    toi_free_impacts(&impacts);
}

static void a_particle_that_passes_a_rod_is_found(void **state)
{
    (void)state;
    toi_mesh mesh = falling_particle();
    const toi_narrow_method methods[] = {TOI_NARROW_EXACT, TOI_NARROW_INCLUSION,
                                         TOI_NARROW_ADDITIVE_CERTIFIED};
    for (int i = 0; i < 3; ++i) {
        toi_ccd_def def = toi_default_ccd_def();
        toi_ccd_report report;
        toi_scene *scene;
        def.narrow.method = methods[i];
        if (!(toi_narrow_traits(methods[i]) & TOI_NARROW_TRAIT_BUILT))
            continue;
        assert_ok(make_scene_of(&mesh, NULL, &scene));
        assert_ok(toi_find_earliest(&def, &mesh, &report));
        assert_int_equal(report.state, TOI_SEPARATED); // it never touches
        def.narrow.min_separation = 0.125;
        expect_both(NULL, &def, &mesh);
        expect_both(scene, &def, &mesh);
        expect_both(scene, &def, &mesh); // now the first pair is remembered
        toi_free_scene(scene);
    }
}

static bool allow_points(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a == 0 && b == 3) || (a == 3 && b == 0);
}

static void the_filter_is_honoured(void **state)
{
    (void)state;
    toi_mesh mesh = falling_particle();
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    const int32_t groups[4] = {7, 7, 7, 2};
    def.narrow.min_separation = 0.125;
    def.filter.groups = groups;
    def.filter.group_count = 4;
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.earliest.kind, TOI_POINT_POINT);
    assert_int_equal(report.candidates[TOI_POINT_EDGE], 0);
    def.filter = (toi_filter){.may_collide = allow_points};
    assert_ok(toi_find_earliest(&def, &mesh, &report));
    assert_int_equal(report.earliest.kind, TOI_POINT_POINT);
    assert_int_equal(report.candidates[TOI_POINT_EDGE], 0);
}

// Rods that a face has as a side, and vertices that a rod or a face has, are no loose parts.
static void what_belongs_to_something_is_not_loose(void **state)
{
    (void)state;
    const double at[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0.5, 0, 0}};
    const int32_t face[1][3] = {{0, 1, 2}};
    // All sides of the face, one of them turned round, and a rod.
    const int32_t edges[4][2] = {{1, 0}, {1, 2}, {0, 2}, {3, 4}};
    toi_mesh mesh = toi_make_mesh(at[0], at[0], 6, face[0], 1);
    mesh.edges = (toi_index_view){edges[0], 4, 0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    def.narrow.min_separation = 10;
    assert_ok(toi_find_all_candidates(&def, &mesh, lists, NULL));
    assert_int_equal(lists[TOI_POINT_EDGE].count, 1);
    assert_int_equal(lists[TOI_POINT_EDGE].data[0].a, 5);
    assert_int_equal(lists[TOI_POINT_EDGE].data[0].b, 3);
    assert_int_equal(lists[TOI_POINT_POINT].count, 0);
    toi_query query = toi_gather_query(&mesh, TOI_POINT_EDGE, lists[TOI_POINT_EDGE].data[0]);
    assert_memory_equal(query.start[0], at[5], sizeof at[5]);
    assert_memory_equal(query.start[1], at[3], sizeof at[3]);
    assert_memory_equal(query.end[2], at[4], sizeof at[4]);
    mesh.edges.count = 0; // made in the call: the sides alone
    assert_ok(toi_find_all_candidates(&def, &mesh, lists, NULL));
    assert_int_equal(lists[TOI_POINT_EDGE].count, 0);
    assert_int_equal(lists[TOI_POINT_POINT].count, 3); // 3, 4 and 5
    assert_true(lists[TOI_POINT_POINT].data[2].a == 4 && lists[TOI_POINT_POINT].data[2].b == 5);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

// ---------------------------------------------------------------------------------------------
// Many

// Of the soup's faces every other one is dropped; of each of these two vertices make a rod, or all
// three stay alone. The soup's own loose parts come in addition.
static void loosen(soup *s)
{
    int64_t kept = 0, rods = 0;
    int32_t(*edges)[2] = malloc((size_t)(s->face_count + s->edge_count) * sizeof *edges);
    for (int64_t e = 0; e < s->edge_count; ++e)
        if (s->edges.data[e][0] >= 3 * s->face_count)
            memcpy(edges[rods++], s->edges.data[e], sizeof *edges);
    for (int64_t f = 0; f < s->face_count; ++f)
        if (f % 2 == 0)
            memcpy(s->faces[kept++], s->faces[f], sizeof *s->faces);
        else if (f % 4 == 1)
            memcpy(edges[rods++], s->faces[f], sizeof *edges);
    s->face_count = s->mesh.faces.count = kept;
    toi_free_edges(&s->edges);
    assert_ok(toi_make_edges(s->mesh.faces, (toi_index_view){edges[0], rods, 0}, s->vertex_count,
                             &s->edges));
    s->mesh.edges = toi_view_edges(&s->edges);
    s->edge_count = s->edges.count;
    free(edges);
}

// Every pair of every kind, without boxes. Loose parts by the definition.
typedef struct members
{
    bool *vertices, *edges;
} members;

static members find_loose(const soup *s)
{
    members m = {malloc((size_t)s->vertex_count), malloc((size_t)s->edge_count)};
    memset(m.vertices, true, (size_t)s->vertex_count);
    for (int64_t e = 0; e < s->edge_count; ++e) {
        m.edges[e] = true;
        m.vertices[s->edges.data[e][0]] = m.vertices[s->edges.data[e][1]] = false;
        for (int64_t f = 0; f < s->face_count; ++f) {
            int of_face = 0;
            for (int k = 0; k < 6; ++k)
                of_face += s->faces[f][k / 2] == s->edges.data[e][k % 2];
            m.edges[e] &= of_face < 2;
        }
    }
    for (int64_t i = 0; i < 3 * s->face_count; ++i)
        m.vertices[s->faces[i / 3][i % 3]] = false;
    return m;
}

static void add_if_hit(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind, toi_pair pair,
                       toi_impact *impacts, int64_t *count)
{
    toi_query query = toi_gather_query(mesh, kind, pair);
    toi_query_result r;
    assert_ok(toi_solve_queries(&def->narrow, kind, &query, 1, &r));
    if (r.state == TOI_SEPARATED)
        return;
    impacts[*count] = (toi_impact){
        .kind = kind, .a = pair.a, .b = pair.b, .state = r.state, .time = r.time, r.u, r.v};
    memcpy(impacts[*count].normal, r.normal, sizeof r.normal);
    ++*count;
}

// The impacts of loose points, in canonical order.
static int64_t solve_all(const soup *s, const toi_ccd_def *def, toi_impact *impacts)
{
    members m = find_loose(s);
    int64_t count = 0;
    for (int32_t v = 0; v < s->vertex_count; ++v)
        for (int32_t e = 0; m.vertices[v] && e < s->edge_count; ++e)
            if (m.edges[e])
                add_if_hit(def, &s->mesh, TOI_POINT_EDGE, (toi_pair){v, e}, impacts, &count);
    for (int32_t v = 0; v < s->vertex_count; ++v)
        for (int32_t w = v + 1; m.vertices[v] && w < s->vertex_count; ++w)
            if (m.vertices[w])
                add_if_hit(def, &s->mesh, TOI_POINT_POINT, (toi_pair){v, w}, impacts, &count);
    free(m.vertices);
    free(m.edges);
    return count;
}

static void compare_tail(const char *what, const toi_impact_array *found,
                         const toi_impact *expected, int64_t count)
{
    int64_t first = 0;
    while (first < found->count && found->data[first].kind < TOI_PAIR_KINDS)
        ++first;
    if (found->count - first != count ||
        memcmp(found->data + first, expected, (size_t)count * sizeof *expected) != 0)
        fail_msg("%s: %lld impacts of loose points, not the %lld of all pairs", what,
                 (long long)(found->count - first), (long long)count);
}

static void every_search_finds_what_brute_force_finds(void **state)
{
    (void)state;
    soup s = make_soup(120, 0.2, 0.3, 71);
    loosen(&s);
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = 0.05;
    toi_impact *expected =
        malloc((size_t)(s.vertex_count * (s.vertex_count + s.edge_count)) * sizeof *expected);
    int64_t count = solve_all(&s, &def, expected), edges = 0;
    for (int64_t i = 0; i < count; ++i)
        edges += expected[i].kind == TOI_POINT_EDGE;
    assert_true(edges > 10 && count - edges > 10);
    toi_scene *scene;
    toi_impact_array impacts = {0};
    toi_ccd_report report, first;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_ok(toi_find_earliest(&def, &s.mesh, &first));
    uint64_t hash = 0;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        for (int turn = 0; turn < 8; ++turn) {
            toi_scene *by = turn % 2 ? scene : NULL;
            def.broad.method = (toi_broad_method)method;
            def.workers = 1 + (turn + method) % 8;
            def.float_boxes = turn % 4 > 1;
            assert_ok(ask_impacts(by, &def, &s.mesh, &impacts, &report));
            compare_tail(toi_broad_name(def.broad.method), &impacts, expected, count);
            assert_int_equal(report.hits[TOI_POINT_EDGE], edges);
            hash = hash ? hash : hash_impacts(&impacts);
            assert_true(hash == hash_impacts(&impacts));
            assert_ok(ask_earliest(by, &def, &s.mesh, &report));
            assert_memory_equal(&report.earliest, &first.earliest, sizeof first.earliest);
        }
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
    free(expected);
    free_soup(&s);
}

// Particles alone, without an edge or a face: every pair of them, in canonical order.
static void particles_alone_meet_each_other(void **state)
{
    (void)state;
    enum
    {
        COUNT = 300
    };
    static double start[COUNT][3], end[COUNT][3];
    toi_random random = {5};
    for (int i = 0; i < 3 * COUNT; ++i) {
        start[i / 3][i % 3] = toi_random_unit(&random);
        end[i / 3][i % 3] = toi_random_unit(&random);
    }
    toi_mesh mesh = toi_make_mesh(start[0], end[0], COUNT, NULL, 0);
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = 0.02;
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    int64_t next = 0;
    for (int32_t a = 0; a < COUNT; ++a)
        for (int32_t b = a + 1; b < COUNT; ++b) {
            toi_impact one;
            int64_t hit = 0;
            add_if_hit(&def, &mesh, TOI_POINT_POINT, (toi_pair){a, b}, &one, &hit);
            if (!hit)
                continue;
            assert_true(next < impacts.count);
            assert_memory_equal(&one, &impacts.data[next++], sizeof one);
        }
    assert_int_equal(next, impacts.count);
    assert_true(next > 20);
    toi_free_impacts(&impacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_that_passes_a_rod_is_found),
        cmocka_unit_test(the_filter_is_honoured),
        cmocka_unit_test(what_belongs_to_something_is_not_loose),
        cmocka_unit_test(every_search_finds_what_brute_force_finds),
        cmocka_unit_test(particles_alone_meet_each_other),
    };
    return cmocka_run_group_tests_name("loose", tests, NULL, NULL);
}
