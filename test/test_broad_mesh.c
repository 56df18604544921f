// Every broad phase gives the same candidates of a mesh, whatever its topology, its coordinates,
// its arrays and the options; some methods never make the boxes that others compare.

#include "steps.h"
#include "tangles.h"

#include <stdlib.h>
#include <string.h>

static bool odd_rule(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 3 != 0;
}

enum
{
    VARIANTS = 8
};

// The options that decide what a candidate is, in all combinations over the variants.
static toi_ccd_def define(int variant, const tangle *t)
{
    static const double separations[VARIANTS] = {0, 0, 0.05, 1e-12, 0, 0.05, 0, 0.1};
    toi_ccd_def def = toi_default_ccd_def();
    def.float_boxes = variant % 2;
    def.narrow.min_separation = separations[variant];
    if (variant >= 4 && variant != 6)
        def.filter = (toi_filter){.groups = t->groups, .group_count = t->mesh.start.count};
    if (variant >= 5)
        def.filter.may_collide = odd_rule;
    def.workers = 1;
    return def;
}

static uint64_t hash_list(const toi_pair_array *pairs)
{
    return toi_hash(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

static void compare_lists(const char *name, const toi_ccd_def *def, int variant, toi_kind kind,
                          const toi_pair_array *found, const pair_list *expected)
{
    if (found->count == expected->count &&
        (found->count == 0 ||
         memcmp(found->data, expected->data, (size_t)found->count * sizeof *found->data) == 0))
        return;
    char difference[200];
    describe_difference(found, expected, difference, sizeof difference);
    fail_msg("%s; variant %d, %s: %s with %d workers: %s", name, variant, toi_kind_name(kind),
             toi_broad_name(def->broad.method), def->workers, difference);
}

// One method: all kinds by themselves and together, own and canonical order, workers, SIMD.
static void check_method(const tangle *t, toi_ccd_def *def, int variant,
                         const pair_list expected[TOI_KIND_COUNT])
{
    static const char *const levels[] = {"baseline", "avx2", NULL};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_ccd_report report;
    uint64_t own[TOI_KIND_COUNT] = {0};
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        def->workers = 1 + variant % 3;
        def->broad.order = TOI_ORDER_CANONICAL;
        assert_ok(toi_find_candidates(def, &t->mesh, (toi_kind)kind, &lists[kind], &report));
        compare_lists(t->name, def, variant, (toi_kind)kind, &lists[kind], &expected[kind]);
        assert_int_equal(report.candidates[kind], expected[kind].count);
        def->broad.order = TOI_ORDER_OWN;
        assert_ok(toi_find_candidates(def, &t->mesh, (toi_kind)kind, &lists[kind], NULL));
        own[kind] = hash_list(&lists[kind]);
    }
    for (int turn = 0; turn < 3; ++turn) {
        if (toi_set_simd(levels[turn]) != TOI_OK)
            continue;
        def->workers = 1 + (variant + turn) % 8;
        assert_ok(toi_find_all_candidates(def, &t->mesh, lists, &report));
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
            if (hash_list(&lists[kind]) != own[kind])
                fail_msg("%s: %s gives another list with %s", t->name,
                         toi_broad_name(def->broad.method), toi_simd_name());
    }
    assert_ok(toi_set_simd(NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

static int64_t check_tangle(const tangle *t, int variant)
{
    toi_ccd_def def = define(variant, t);
    pair_list expected[TOI_KIND_COUNT];
    int64_t total = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        expected[kind] = slow_candidates(&def, t, (toi_kind)kind);
        total += expected[kind].count;
    }
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        def.broad.method = (toi_broad_method)method;
        check_method(t, &def, variant, expected);
    }
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        free(expected[kind].data);
    return total;
}

static void every_mesh_and_option_agrees(void **state)
{
    (void)state;
    static const int64_t sizes[] = {120, 1, 33, 16, 5, 17};
    bool brief = getenv("TOI_SANITIZED");
    int64_t total = 0;
    for (int topology = 0; topology < TOPOLOGIES; ++topology)
        for (int place = brief ? topology % 3 : 0; place < PLACES; place += brief ? 3 : 1)
            for (int turn = 0; turn < (brief ? 1 : 8); ++turn) {
                int variant = (turn + topology + 3 * place) % VARIANTS;
                int layout = (turn + place) % LAYOUTS;
                int64_t size = sizes[(turn + place) % 6];
                tangle t = make_tangle(topology, place, layout, size, (uint64_t)turn + 1);
                total += check_tangle(&t, variant);
                free_tangle(&t);
            }
    assert_true(total > (brief ? 5000 : 500000));
}

// More blocks, more tasks, more levels of a tree.
static void larger_meshes_agree(void **state)
{
    (void)state;
    int64_t size = getenv("TOI_SANITIZED") ? 120 : long_factor() > 1 ? 1500 : 700;
    for (int topology = 0; topology < TOPOLOGIES; ++topology) {
        tangle t = make_tangle(topology, ANYWHERE, topology % LAYOUTS, size, 9);
        check_tangle(&t, topology % VARIANTS);
        check_tangle(&t, 0);
        free_tangle(&t);
    }
}

// Makes the scene of this mesh and filter, or changes it to that.
static void set_scene(const tangle *t, const toi_ccd_def *def, toi_scene **scene)
{
    toi_scene_def made = toi_default_scene_def();
    made.vertex_count = t->mesh.start.count;
    made.faces = t->mesh.faces;
    made.edges = t->mesh.edges;
    made.filter = def->filter;
    made.workers = def->workers;
    assert_ok(*scene ? toi_scene_change(*scene, &made) : toi_make_scene(&made, scene));
}

// Candidates of all kinds, together and each alone, with the scene changed to this mesh.
static void check_scene(const tangle *t, const toi_ccd_def *def, toi_scene **scene, int variant)
{
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_ccd_def own = *def;
    own.filter = (toi_filter){0};
    set_scene(t, def, scene);
    assert_ok(ask_all_candidates(*scene, &own, &t->mesh, lists, NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        pair_list expected = slow_candidates(def, t, (toi_kind)kind);
        compare_lists(t->name, def, variant, (toi_kind)kind, &lists[kind], &expected);
        assert_ok(ask_candidates(*scene, &own, &t->mesh, (toi_kind)kind, &lists[kind], NULL));
        compare_lists(t->name, def, variant, (toi_kind)kind, &lists[kind], &expected);
        free(expected.data);
        toi_free_pairs(&lists[kind]);
    }
}

// A mesh of the same numbers of elements, joined and placed otherwise, after another, in one scene
// and with any method.
static void a_scene_serves_any_mesh(void **state)
{
    (void)state;
    toi_scene *scene = NULL;
    toi_random random = {4};
    int turns = getenv("TOI_SANITIZED") ? 15 : 60; // mostly with one method, then with another
    for (int turn = 0; turn < turns * TOI_BROAD_COUNT; ++turn) {
        int topology = turn % 3 ? DEGENERATE : (int)toi_random_below(&random, TOPOLOGIES);
        int place = (int)toi_random_below(&random, PLACES);
        int method = 3 * (turn % turns) < 2 * turns
                         ? turn / turns
                         : (int)toi_random_below(&random, TOI_BROAD_COUNT);
        tangle t = make_tangle(topology, place, turn % LAYOUTS, 24 + turn % 2, (uint64_t)turn);
        toi_ccd_def def = define(turn % VARIANTS, &t);
        def.broad.method = (toi_broad_method)method;
        check_scene(&t, &def, &scene, turn % VARIANTS);
        free_tangle(&t);
    }
    toi_free_scene(scene);
}

// Some vertices more and as many edges less: as many elements in all.
static void meshes_of_the_same_total_are_told_apart(void **state)
{
    (void)state;
    tangle t = make_tangle(EDGES_ALONE, ANYWHERE, PACKED, 200, 6);
    int32_t rows[60][2];
    for (int32_t i = 0; i < 60; ++i)
        rows[i][0] = i, rows[i][1] = (i + 7) % 60;
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        toi_ccd_def def = define(2, &t);
        toi_scene *scene = NULL;
        def.broad.method = (toi_broad_method)method;
        for (int turn = 0; turn < 8; ++turn) {
            int64_t more = turn * 5 % 8;
            t.mesh.start.count = t.mesh.end.count = 60 + more;
            t.mesh.edges = (toi_index_view){rows[0], 60 - more, 0};
            t.with_edges = t.mesh;
            check_scene(&t, &def, &scene, 2);
        }
        toi_free_scene(scene);
    }
    free_tangle(&t);
}

static void every_method_leads_to_the_same_impacts(void **state)
{
    (void)state;
    static const int topologies[] = {SOUP, SHEET, DEGENERATE};
    for (int i = 0; i < 3; ++i) {
        tangle t = make_tangle(topologies[i], ANYWHERE, i, 200, 3);
        toi_ccd_def def = define(2 * i, &t);
        toi_impact_array impacts = {0};
        toi_ccd_report report;
        uint64_t expected = 0;
        double earliest = 2;
        for (int method = TOI_BROAD_COUNT - 1; method >= 0; --method) {
            def.broad.method = (toi_broad_method)method;
            def.workers = 1 + method % 2;
            assert_ok(toi_find_impacts(&def, &t.mesh, &impacts, NULL));
            assert_ok(toi_find_earliest(&def, &t.mesh, &report));
            uint64_t hash = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
            if (method == TOI_BROAD_COUNT - 1)
                expected = hash, earliest = report.earliest.time;
            assert_true(impacts.count > 0 && hash == expected);
            assert_true(report.earliest.time == earliest);
        }
        toi_free_impacts(&impacts);
        free_tangle(&t);
    }
}

// A rule that itself uses the scene that is in use.
typedef struct greedy
{
    toi_ccd_def def;
    toi_scene *scene;
    const tangle *tangle;
    int refused;
} greedy;

static bool ask_again(void *context, int32_t a, int32_t b)
{
    (void)a, (void)b;
    greedy *g = context;
    toi_pair_array pairs = {0};
    const toi_mesh *mesh = &g->tangle->mesh;
    toi_filter open = {0};
    const toi_status refusals[] = {
        ask_candidates(g->scene, &g->def, mesh, TOI_EDGE_EDGE, &pairs, NULL),
        ask_earliest(g->scene, &g->def, mesh, NULL), toi_scene_set_filter(g->scene, &open),
        toi_scene_trim(g->scene)};
    bool all = strstr(toi_last_message(), "in use") != NULL;
    for (int i = 0; i < 4; ++i)
        all &= refusals[i] == TOI_ERROR_ARGUMENT;
    g->refused += all;
    toi_free_pairs(&pairs);
    return true;
}

static void a_scene_in_use_is_refused(void **state)
{
    (void)state;
    tangle t = make_tangle(SOUP, ANYWHERE, PACKED, 20, 1);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        greedy g = {define(2, &t), NULL, &t, 0};
        g.def.broad.method = (toi_broad_method)method;
        g.def.filter = (toi_filter){.may_collide = ask_again, .context = &g};
        set_scene(&t, &g.def, &g.scene);
        g.def.filter = (toi_filter){0};
        toi_pair_array pairs = {0};
        assert_ok(ask_candidates(g.scene, &g.def, &t.mesh, TOI_EDGE_EDGE, &pairs, NULL));
        assert_true(pairs.count > 0 && g.refused >= pairs.count);
        assert_ok(toi_scene_set_filter(g.scene, &g.def.filter));
        pair_list expected = slow_candidates(&g.def, &t, TOI_EDGE_EDGE);
        assert_ok(ask_candidates(g.scene, &g.def, &t.mesh, TOI_EDGE_EDGE, &pairs, NULL));
        compare_lists("afterwards", &g.def, 2, TOI_EDGE_EDGE, &pairs, &expected);
        free(expected.data);
        toi_free_pairs(&pairs);
        toi_free_scene(g.scene);
    }
    free_tangle(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_and_option_agrees),
        cmocka_unit_test(larger_meshes_agree),
        cmocka_unit_test(a_scene_serves_any_mesh),
        cmocka_unit_test(meshes_of_the_same_total_are_told_apart),
        cmocka_unit_test(every_method_leads_to_the_same_impacts),
        cmocka_unit_test(a_scene_in_use_is_refused),
    };
    return cmocka_run_group_tests_name("broad_mesh", tests, NULL, NULL);
}
