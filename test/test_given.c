// Questions asked of given pairs: the pipeline's own answers for its own candidates and for any
// lists that hold them; wrong lists are refused.

#include "steps.h"
#include "support.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Lists

static void free_lists(toi_pair_array lists[TOI_KIND_COUNT])
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        free(lists[kind].data);
        lists[kind] = (toi_pair_array){0};
    }
}

static void add_pair(toi_pair_array *list, int64_t a, int64_t b)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 16;
        list->data = realloc(list->data, (size_t)list->capacity * sizeof *list->data);
    }
    list->data[list->count++] = (toi_pair){(int32_t)a, (int32_t)b};
}

// What the pipeline finds, in memory of our own.
static void find_lists(const toi_ccd_def *def, const toi_mesh *mesh,
                       toi_pair_array lists[TOI_KIND_COUNT])
{
    toi_pair_array found[TOI_KIND_COUNT] = {{0}};
    assert_ok(toi_find_all_candidates(def, mesh, found, NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        for (int64_t i = 0; i < found[kind].count; ++i)
            add_pair(&lists[kind], found[kind].data[i].a, found[kind].data[i].b);
        toi_free_pairs(&found[kind]);
    }
}

static bool is_named(const soup *s, int64_t vertex)
{
    bool named = false;
    for (int64_t i = 0; i < 3 * s->face_count; ++i)
        named |= s->faces[i / 3][i % 3] == vertex;
    for (int64_t i = 0; i < 2 * s->edge_count; ++i)
        named |= s->edges.data[i / 2][i % 2] == vertex;
    return named;
}

// All pairs of a soup, those with a common vertex too, every other one the higher number first. In
// a soup the vertices of faces come first.
static void list_all(const soup *s, toi_pair_array lists[TOI_KIND_COUNT])
{
    for (int64_t v = 0; v < s->vertex_count; ++v) {
        for (int64_t f = 0; f < s->face_count; ++f)
            add_pair(&lists[TOI_VERTEX_FACE], v, f);
        if (is_named(s, v))
            continue;
        for (int64_t e = 0; e < s->edge_count; ++e)
            if (s->edges.data[e][0] >= 3 * s->face_count)
                add_pair(&lists[TOI_POINT_EDGE], v, e);
        for (int64_t w = 0; w < v; ++w)
            if (!is_named(s, w))
                add_pair(&lists[TOI_POINT_POINT], v % 2 ? v : w, v % 2 ? w : v);
    }
    for (int64_t e = 0; e < s->edge_count; ++e)
        for (int64_t g = 0; g <= e; ++g)
            add_pair(&lists[TOI_EDGE_EDGE], e % 2 ? e : g, e % 2 ? g : e);
}

// ---------------------------------------------------------------------------------------------
// Answers

typedef struct outcome
{
    uint64_t earliest, impacts, steps, candidates, streamed;
    int64_t counts[TOI_KIND_COUNT];
    int64_t impact_count;
} outcome;

static toi_status add_up(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    for (int64_t i = 0; i < count; ++i)
        atomic_fetch_add((_Atomic uint64_t *)context, toi_hash(&pairs[i], sizeof pairs[i]));
    return TOI_OK;
}

static outcome ask(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    outcome o = {0};
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    size_t size = (size_t)mesh->start.count * sizeof(double);
    double *steps = malloc(size);
    assert_ok(ask_earliest(scene, def, mesh, &report));
    o.earliest = toi_hash(&report.earliest, sizeof report.earliest);
    assert_ok(ask_impacts(scene, def, mesh, &impacts, &report));
    o.impact_count = impacts.count;
    o.impacts = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    toi_ccd_def counting = *def;
    counting.count_candidates = true;
    assert_ok(ask_impacts(scene, &counting, mesh, &impacts, &report));
    assert_true(toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data) == o.impacts);
    memcpy(o.counts, report.candidates, sizeof o.counts);
    assert_ok(ask_safe_steps(scene, def, mesh, steps, NULL));
    o.steps = toi_hash(steps, size);
    assert_ok(ask_all_candidates(scene, def, mesh, lists, NULL));
    _Atomic uint64_t sum = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        assert_int_equal(lists[kind].count, o.counts[kind]);
        o.candidates = 31 * o.candidates +
                       toi_hash(lists[kind].data, (size_t)lists[kind].count * sizeof(toi_pair));
        assert_ok(ask_candidate_stream(scene, def, mesh, (toi_kind)kind, add_up, &sum, NULL));
        toi_free_pairs(&lists[kind]);
    }
    o.streamed = sum;
    toi_free_impacts(&impacts);
    free(steps);
    return o;
}

static void expect_same(const char *what, const outcome *a, const outcome *b)
{
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%s: %lld impacts, not the %lld of the search, or others", what,
                 (long long)a->impact_count, (long long)b->impact_count);
}

// The options that the answer depends on.
static toi_ccd_def define(int variant)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = variant % 2 ? 0.02 : 0;
    if (variant == 2)
        def.zero_time = (toi_zero_time_policy){.relative_separation = 0.2, .rescale = 0.8};
    if (variant == 3)
        def.narrow.method = TOI_NARROW_INCLUSION;
    return def;
}

// Of a mesh and of a scene, by 1, 3 and 7 workers.
static void check_given(const char *what, toi_ccd_def def, const toi_mesh *mesh,
                        const toi_filter *filter, const toi_pair_array *lists)
{
    toi_scene *scene;
    assert_ok(make_scene_of(mesh, filter, &scene));
    for (def.workers = 1; def.workers <= 8; def.workers = 2 * def.workers + 1) {
        def.filter = filter ? *filter : (toi_filter){0};
        def.given = NULL;
        outcome expected = ask(NULL, &def, mesh);
        assert_true(expected.impact_count > 5);
        def.given = lists;
        outcome found = ask(NULL, &def, mesh);
        expect_same(what, &found, &expected);
        def.filter = (toi_filter){0};
        for (int turn = 0; turn < 2; ++turn) {
            found = ask(scene, &def, mesh);
            expect_same(what, &found, &expected);
        }
    }
    toi_free_scene(scene);
}

static void own_candidates_give_the_same_bits(void **state)
{
    (void)state;
    soup s = make_soup(getenv("TOI_SANITIZED") ? 60 : 250, 0.12, 0.25, 81);
    for (int variant = 0; variant < 4; ++variant) {
        toi_ccd_def def = define(variant);
        toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
        find_lists(&def, &s.mesh, lists);
        check_given("own candidates", def, &s.mesh, NULL, lists);
        free_lists(lists);
    }
    free_soup(&s);
}

static void all_pairs_give_the_same_bits(void **state)
{
    (void)state;
    soup s = make_soup(24, 0.3, 0.4, 82);
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    list_all(&s, lists);
    int32_t *groups = malloc((size_t)s.vertex_count * sizeof *groups);
    for (int64_t v = 0; v < s.vertex_count; ++v)
        groups[v] = (int32_t)(v / 3 % 5);
    toi_filter filter = {.groups = groups, .group_count = s.vertex_count};
    for (int variant = 0; variant < 4; ++variant) {
        check_given("all pairs", define(variant), &s.mesh, NULL, lists);
        check_given("all pairs with a filter", define(variant), &s.mesh, &filter, lists);
    }
    free(groups);
    free_lists(lists);
    free_soup(&s);
}

// A line search: the candidates of the whole step, asked about ever shorter ones.
static void candidates_of_a_long_step_serve_shorter_ones(void **state)
{
    (void)state;
    soup s = make_soup(120, 0.12, 0.3, 83);
    toi_ccd_def def = define(1);
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    find_lists(&def, &s.mesh, lists);
    double(*end)[3] = malloc((size_t)s.vertex_count * sizeof *end);
    toi_mesh mesh = s.mesh;
    mesh.end = toi_view_points(end[0], s.vertex_count);
    for (double share = 1; share > 0.2; share /= 2) {
        for (int64_t i = 0; i < 3 * s.vertex_count; ++i) {
            double x0 = s.start[i / 3][i % 3], x1 = s.end[i / 3][i % 3];
            // Rounded, yet never beyond the whole step, whose boxes the candidates are of.
            double x = x0 + share * (x1 - x0);
            end[i / 3][i % 3] = fmin(fmax(x, fmin(x0, x1)), fmax(x0, x1));
        }
        check_given("shorter step", def, &mesh, NULL, lists);
    }
    free(end);
    free_lists(lists);
    free_soup(&s);
}

// Float boxes find more candidates; what is asked about is the same.
static void float_boxes_and_limits_change_nothing(void **state)
{
    (void)state;
    soup s = make_soup(200, 0.12, 0.3, 84);
    toi_ccd_def def = define(1);
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    def.workers = 3;
    outcome expected = ask(NULL, &def, &s.mesh);
    def.float_boxes = true;
    find_lists(&def, &s.mesh, lists);
    def.given = lists;
    outcome found = ask(NULL, &def, &s.mesh);
    expect_same("float boxes", &found, &expected);
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    int64_t refused = 0;
    for (def.memory_limit = 1 << 12; def.memory_limit < 1 << 26; def.memory_limit *= 2) {
        toi_status status = toi_find_impacts(&def, &s.mesh, &impacts, &report);
        assert_true(status == TOI_OK || status == TOI_ERROR_LIMIT);
        refused += status != TOI_OK;
        if (status != TOI_OK)
            continue;
        assert_true(report.peak_bytes <= def.memory_limit);
        assert_true(toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data) ==
                    expected.impacts);
    }
    assert_true(refused > 2 && impacts.count > 0);
    toi_free_impacts(&impacts);
    free_lists(lists);
    free_soup(&s);
}

// Some pairs now, all pairs then: a scene remembers the first pair of a step, but not across.
static void a_scene_asks_about_what_is_given(void **state)
{
    (void)state;
    soup s = make_soup(200, 0.12, 0.3, 85);
    toi_ccd_def def = define(0);
    toi_ccd_report all, some, report;
    toi_scene *scene;
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}}, none[TOI_KIND_COUNT] = {{0}};
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_ok(ask_earliest(scene, &def, &s.mesh, &all));
    find_lists(&def, &s.mesh, lists);
    toi_pair_array *list = &lists[all.earliest.kind];
    for (int64_t i = 0; i < list->count; ++i) // all but the first
        if (list->data[i].a == all.earliest.a && list->data[i].b == all.earliest.b)
            list->data[i] = list->data[--list->count];
    def.given = lists;
    assert_ok(ask_earliest(scene, &def, &s.mesh, &some));
    assert_true(some.earliest.time > all.earliest.time && some.state == TOI_HIT);
    def.given = none;
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    def.given = NULL;
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_memory_equal(&report.earliest, &all.earliest, sizeof report.earliest);
    toi_free_scene(scene);
    free_lists(lists);
    free_soup(&s);
}

// Twice in the list: asked about twice, reported twice.
static void a_pair_given_twice_is_reported_twice(void **state)
{
    (void)state;
    soup s = make_soup(100, 0.2, 0.3, 86);
    toi_ccd_def def = define(0);
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    toi_impact_array once = {0}, twice = {0};
    toi_ccd_report first, report;
    find_lists(&def, &s.mesh, lists);
    assert_ok(toi_find_impacts(&def, &s.mesh, &once, &first));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        for (int64_t i = 0, count = lists[kind].count; i < count; ++i)
            add_pair(&lists[kind], lists[kind].data[i].a, lists[kind].data[i].b);
    def.given = lists;
    def.workers = 4;
    assert_ok(toi_find_impacts(&def, &s.mesh, &twice, &report));
    assert_true(once.count > 10 && twice.count == 2 * once.count);
    for (int64_t i = 0; i < twice.count; ++i)
        assert_memory_equal(&twice.data[i], &once.data[i / 2], sizeof *once.data);
    assert_memory_equal(&report.earliest, &first.earliest, sizeof report.earliest);
    toi_free_impacts(&once);
    toi_free_impacts(&twice);
    free_lists(lists);
    free_soup(&s);
}

// ---------------------------------------------------------------------------------------------
// What is wrong

static void wrong_lists_are_refused(void **state)
{
    (void)state;
    soup s = make_soup(20, 0.2, 0.3, 87);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    int32_t counts[] = {(int32_t)s.vertex_count, (int32_t)s.edge_count, (int32_t)s.face_count};
    static const char *const names[] = {"vertex", "edge", "face"};
    const int primitives[TOI_KIND_COUNT][2] = {{0, 2}, {1, 1}, {0, 1}, {0, 0}};
    def.given = lists;
    for (int i = 0; i < 4 * TOI_KIND_COUNT; ++i) {
        int kind = i / 4, primitive = primitives[kind][i % 2];
        int32_t number = i % 4 < 2 ? -3 : counts[primitive];
        toi_pair pairs[3] = {{0, 1}, {1, 0}, {0, 1}};
        *(i % 2 ? &pairs[2].b : &pairs[2].a) = number;
        lists[kind] = (toi_pair_array){pairs, 3, 3};
        char expected[100];
        snprintf(expected, sizeof expected, "list %s: pair 2 names %s %d",
                 toi_kind_name((toi_kind)kind), names[primitive], (int)number);
        assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_DATA, expected);
        lists[kind].count = 2; // the others are sound
        assert_ok(toi_find_earliest(&def, &s.mesh, &report));
        lists[kind] = (toi_pair_array){pairs, -1, 0};
        assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_ARGUMENT, "-1");
        lists[kind] = (toi_pair_array){NULL, 7, 0};
        assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_ARGUMENT,
                     "no data for 7");
        lists[kind] = (toi_pair_array){0};
    }
    free_soup(&s);
}

// The lists that a call fills cannot be those that it is asked about.
static void lists_are_not_filled_from_themselves(void **state)
{
    (void)state;
    soup s = make_soup(100, 0.2, 0.3, 88);
    toi_ccd_def def = toi_default_ccd_def();
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    assert_ok(toi_find_all_candidates(&def, &s.mesh, lists, NULL));
    def.given = lists;
    assert_fails(toi_find_all_candidates(&def, &s.mesh, lists, NULL), TOI_ERROR_ARGUMENT, "given");
    assert_fails(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &lists[TOI_EDGE_EDGE], NULL),
                 TOI_ERROR_ARGUMENT, "given");
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_candidates_give_the_same_bits),
        cmocka_unit_test(all_pairs_give_the_same_bits),
        cmocka_unit_test(candidates_of_a_long_step_serve_shorter_ones),
        cmocka_unit_test(float_boxes_and_limits_change_nothing),
        cmocka_unit_test(a_scene_asks_about_what_is_given),
        cmocka_unit_test(a_pair_given_twice_is_reported_twice),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(lists_are_not_filled_from_themselves),
    };
    return cmocka_run_group_tests_name("given", tests, NULL, NULL);
}
