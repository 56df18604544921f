// Impacts are the same bits whatever finds the candidates, whoever solves them, and however much
// memory there is to cull them with: for every narrow phase, with and without separations. Layers
// that all but touch are where a method that reports what only comes close would show a difference.

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_ROWS = 12,
    MOST_VERTICES = 2 * MOST_ROWS * MOST_ROWS
};

typedef struct layers
{
    double start[MOST_VERTICES][3], end[MOST_VERTICES][3];
    int32_t faces[2 * MOST_VERTICES][3];
    toi_mesh mesh;
} layers;

// What the layers look like.
typedef struct shape
{
    const char *name;
    int rows;       // vertices along the side of a layer
    double cell;    // distance between them
    double gap;     // between the layers
    double tilt[2]; // of both, along x and y
    double motion[3];
    double approach; // how much of the gap closes
    double noise;    // of every coordinate
} shape;

static const shape shapes[] = {
    {"level, together", 12, 0.1, 1e-9, {0, 0}, {0, 0, 1}, 0, 0},
    {"level, together, all but touching", 12, 0.1, 1e-11, {0, 0}, {0.03, 0.02, 1}, 0, 0},
    {"level, closing", 12, 0.1, 1e-9, {0, 0}, {0.15, 0.1, 0}, 0.9, 0},
    {"tilted, together", 7, 1, 1e-9, {0.3, -0.7}, {1, 1, 3}, 0, 0},
    {"tilted, noise", 7, 1, 1e-7, {0.5, 0.25}, {1, -1.5, 1}, 0, 3e-8},
    {"tilted, meeting", 7, 1, 1e-6, {0.1, 0.4}, {1, 1, 2}, 1.25, 2e-7},
    {"one inside the other", 7, 1, 0, {0.2, 0.1}, {1, 1, 1}, 0, 1e-9},
};

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static void place(const shape *s, layers *l)
{
    uint64_t state = 7;
    int layer = s->rows * s->rows;
    for (int i = 0; i < 2 * layer; ++i) {
        int above = i / layer;
        double x = s->cell * (i % layer % s->rows + above * 0.25);
        double y = s->cell * ((double)(i % layer / s->rows) + above * 0.375);
        double z = 1 + s->tilt[0] * x + s->tilt[1] * y + above * s->gap;
        double at[3] = {x, y, z};
        for (int k = 0; k < 3; ++k) {
            l->start[i][k] = at[k] + s->noise * noise(&state);
            l->end[i][k] = at[k] + s->motion[k] + s->noise * noise(&state);
        }
        l->end[i][2] -= above * s->approach * s->gap;
    }
}

static layers *make_layers(const shape *s)
{
    layers *l = malloc(sizeof *l);
    place(s, l);
    int64_t count = 0;
    int32_t layer = s->rows * s->rows;
    for (int32_t i = 0; i < 2 * layer; ++i) {
        if (i % layer >= layer - s->rows || i % layer % s->rows == s->rows - 1)
            continue;
        int32_t a = i, b = a + 1, c = a + s->rows, d = c + 1;
        memcpy(l->faces[count++], (int32_t[3]){a, b, d}, sizeof *l->faces);
        memcpy(l->faces[count++], (int32_t[3]){a, d, c}, sizeof *l->faces);
    }
    l->mesh = toi_make_mesh(l->start[0], l->end[0], 2 * layer, l->faces[0], count);
    return l;
}

// ---- Policies

static toi_ccd_def plain(void)
{
    return toi_default_ccd_def();
}

static toi_ccd_def apart(void)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = 1e-7;
    return def;
}

static toi_ccd_def relative(void)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.zero_time = toi_solver_policy();
    return def;
}

// Many pairs start inside, and many times are small.
static toi_ccd_def thick(void)
{
    toi_ccd_def def = relative();
    def.narrow.min_separation = 0.01;
    def.zero_time.small_time = 0.1;
    return def;
}

static toi_ccd_def hasty(void)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.max_iterations = 12;
    def.narrow.tolerance = 1e-3;
    return def;
}

static toi_ccd_def half(void)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.t_max = 0.5;
    def.zero_time.rescale = 0.5;
    return def;
}

static const struct
{
    const char *name;
    toi_ccd_def (*make)(void);
} policies[] = {{"plain", plain},
                {"min_separation", apart},
                {"relative, rescaled", relative},
                {"thick, small times", thick},
                {"few iterations", hasty},
                {"t_max, rescaled", half}};

// ---- Answers

typedef struct answer
{
    toi_impact_array impacts;
    toi_ccd_report report;
} answer;

static bool is_before(const toi_impact *a, const toi_impact *b)
{
    return a->time < b->time ||
           (a->time == b->time &&
            (a->kind < b->kind ||
             (a->kind == b->kind && (a->a < b->a || (a->a == b->a && a->b < b->b)))));
}

static toi_impact first_of(const toi_impact_array *impacts)
{
    toi_impact first = {.time = INFINITY};
    for (int64_t i = 0; i < impacts->count; ++i)
        if (is_before(&impacts->data[i], &first))
            first = impacts->data[i];
    return first;
}

static void check_same(const char *what, const toi_ccd_def *def, const toi_mesh *mesh,
                       const answer *expected)
{
    answer found = {0};
    assert_ok(toi_find_impacts(def, mesh, &found.impacts, &found.report));
    if (found.impacts.count != expected->impacts.count ||
        memcmp(found.impacts.data, expected->impacts.data,
               (size_t)found.impacts.count * sizeof *found.impacts.data) != 0)
        fail_msg("%s, %s, %s, %d workers: %lld impacts, expected %lld", what,
                 toi_narrow_name(def->narrow.method), toi_broad_name(def->broad.method),
                 def->workers, (long long)found.impacts.count, (long long)expected->impacts.count);
    assert_int_equal(found.report.rescaled, expected->report.rescaled);
    assert_int_equal(found.report.inside, expected->report.inside);
    assert_memory_equal(&found.report.first_inside, &expected->report.first_inside,
                        sizeof found.report.first_inside);
    toi_impact first = first_of(&expected->impacts);
    toi_ccd_report earliest;
    assert_ok(toi_find_earliest(def, mesh, &earliest));
    if (memcmp(&earliest.earliest, &first, sizeof first) != 0)
        fail_msg("%s, %s, %s, %d workers: earliest %s %d-%d at %a, expected %s %d-%d at %a", what,
                 toi_narrow_name(def->narrow.method), toi_broad_name(def->broad.method),
                 def->workers, toi_kind_name((toi_kind)earliest.earliest.kind), earliest.earliest.a,
                 earliest.earliest.b, earliest.earliest.time, toi_kind_name((toi_kind)first.kind),
                 first.a, first.b, first.time);
    if (toi_narrow_guarantee(def->narrow.method) == TOI_GUARANTEE_EXACT)
        assert_int_equal(earliest.inside, expected->report.inside);
    toi_free_impacts(&found.impacts);
}

// Just too little memory for everything: tables for culling are what a call goes on without.
static void check_without_tables(const char *what, toi_ccd_def def, const toi_mesh *mesh,
                                 const answer *expected)
{
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    def.workers = 1;
    assert_ok(toi_find_impacts(&def, mesh, &impacts, &report));
    def.memory_limit = report.peak_bytes - 1;
    if (toi_find_impacts(&def, mesh, &impacts, &report) == TOI_OK)
        check_same(what, &def, mesh, expected);
    toi_free_impacts(&impacts);
}

// Everything that must not matter, one by one and some together.
// Broad phases and worker counts take turns with `turn`.
static void vary(const char *what, toi_ccd_def def, const toi_mesh *mesh, const answer *expected,
                 int turn)
{
    toi_ccd_def as_given = def;
    for (int i = 0; i < 2; ++i) {
        def.broad.method = (toi_broad_method)((turn + 6 * i) % TOI_BROAD_COUNT);
        def.workers = 1 + (turn + i) % 8;
        check_same(what, &def, mesh, expected);
    }
    def = as_given;
    def.workers = 2;
    check_same(what, &def, mesh, expected);
    static const char *const levels[] = {"baseline", "avx2"};
    if (toi_set_simd(levels[turn % 2]) == TOI_OK)
        check_same(what, &def, mesh, expected);
    assert_ok(toi_set_simd(NULL));
    check_without_tables(what, as_given, mesh, expected);
    def = as_given;
    def.float_boxes = true;
    check_same(what, &def, mesh, expected);
}

static void impacts_are_the_same_bits(void **state)
{
    (void)state;
    int64_t hits[TOI_NARROW_COUNT] = {0};
    int turn = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        layers *l = make_layers(&shapes[s]);
        for (size_t p = 0; p < sizeof policies / sizeof *policies; ++p)
            for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
                char what[120];
                snprintf(what, sizeof what, "%s, %s", shapes[s].name, policies[p].name);
                toi_ccd_def def = policies[p].make();
                def.narrow.method = (toi_narrow_method)method;
                def.narrow = toi_fit_narrow_def(&def.narrow);
                if (!(toi_narrow_traits(def.narrow.method) & TOI_NARROW_TRAIT_SEPARATION))
                    def.zero_time.relative_separation = 0;
                def.broad.method = TOI_BROAD_BRUTE;
                def.workers = 1;
                answer expected = {0};
                assert_ok(toi_find_impacts(&def, &l->mesh, &expected.impacts, &expected.report));
                // Enough candidates for tables to be made while the search goes on.
                assert_true(expected.report.candidates[1] > 3 * expected.report.edges);
                hits[method] += expected.impacts.count;
                def.broad.method = TOI_BROAD_AUTO;
                vary(what, def, &l->mesh, &expected, turn++);
                toi_free_impacts(&expected.impacts);
            }
        free(l);
    }
    for (int method = 0; method < TOI_NARROW_COUNT; ++method)
        assert_true(hits[method] > 100);
}

// Culling drops what the method itself would call separated, or, of methods that report what only
// comes close, what is proved separated. Nothing else changes.
static void the_pipeline_only_drops_what_is_apart(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        layers *l = make_layers(&shapes[s]);
        toi_edge_array edges;
        assert_ok(toi_make_edges(l->mesh.faces, l->mesh.edges, l->mesh.start.count, &edges));
        l->mesh.edges = toi_view_edges(&edges);
        for (int method = 0; method < TOI_NARROW_COUNT; ++method) {
            toi_ccd_def def = toi_default_ccd_def();
            toi_narrow_def exact = def.narrow;
            def.narrow.method = (toi_narrow_method)method;
            toi_impact_array impacts = {0};
            toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
            assert_ok(toi_find_impacts(&def, &l->mesh, &impacts, NULL));
            assert_ok(toi_find_all_candidates(&def, &l->mesh, lists, NULL));
            int64_t next = 0;
            for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
                for (int64_t i = 0; i < lists[kind].count; ++i) {
                    toi_pair pair = lists[kind].data[i];
                    toi_query query = toi_gather_query(&l->mesh, (toi_kind)kind, pair);
                    toi_query_result alone;
                    assert_ok(toi_solve_queries(&def.narrow, (toi_kind)kind, &query, 1, &alone));
                    const toi_impact *impact = next < impacts.count ? &impacts.data[next] : NULL;
                    if (impact && impact->kind == kind && impact->a == pair.a &&
                        impact->b == pair.b) {
                        ++next;
                        assert_int_equal(impact->state, alone.state);
                        assert_memory_equal(&impact->time, &alone.time, sizeof alone.time);
                        assert_memory_equal(&impact->u, &alone.u, sizeof alone.u);
                        assert_memory_equal(&impact->v, &alone.v, sizeof alone.v);
                        assert_memory_equal(impact->normal, alone.normal, sizeof alone.normal);
                    } else if (alone.state != TOI_SEPARATED) {
                        assert_ok(toi_solve_queries(&exact, (toi_kind)kind, &query, 1, &alone));
                        assert_int_equal(alone.state, TOI_SEPARATED);
                    }
                }
            assert_int_equal(next, impacts.count);
            toi_free_impacts(&impacts);
            for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
                toi_free_pairs(&lists[kind]);
        }
        toi_free_edges(&edges);
        free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_the_same_bits),
        cmocka_unit_test(the_pipeline_only_drops_what_is_apart),
    };
    return cmocka_run_group_tests_name("same_impacts", tests, NULL, NULL);
}
