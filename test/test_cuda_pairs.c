// Candidates that a card finds are those of the processor, by every method that it has: of
// generated and real scenes, of sets of boxes that are made to break broad phases, with
// separations, boxes in single precision and filters, in every size, under memory limits. Skipped
// where there is no card, unless TOI_REQUIRE_CARD is set. TOI_TEST_BACKEND: as in test_cuda.c.

#include "broad_sets.h"
#include "card.h"
#include "real_frames.h"
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const toi_broad_method methods[] = {TOI_BROAD_AUTO, TOI_BROAD_STQ, TOI_BROAD_SWEEP,
                                           TOI_BROAD_GRID, TOI_BROAD_LBVH};
enum
{
    METHODS = sizeof methods / sizeof methods[0]
};

// ---- Comparing

static int64_t count_pairs(const toi_pair_array lists[TOI_KIND_COUNT])
{
    int64_t count = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        count += lists[kind].count;
    return count;
}

static void free_lists(toi_pair_array lists[TOI_KIND_COUNT])
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

static void same_list(const char *name, const char *method, int kind, const toi_pair_array *found,
                      const toi_pair_array *expected)
{
    int64_t both = found->count < expected->count ? found->count : expected->count;
    for (int64_t i = 0; i < both; ++i) {
        toi_pair a = found->data[i], b = expected->data[i];
        if (a.a != b.a || a.b != b.b)
            fail_msg("%s, %s, %s: pair %lld of %lld is %d %d; it should be %d %d, of %lld", name,
                     method, toi_kind_name((toi_kind)kind), (long long)i, (long long)found->count,
                     a.a, a.b, b.a, b.b, (long long)expected->count);
    }
    if (found->count != expected->count)
        fail_msg("%s, %s, %s: %lld pairs, not %lld", name, method, toi_kind_name((toi_kind)kind),
                 (long long)found->count, (long long)expected->count);
}

static toi_status ask_all(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                          toi_pair_array *lists)
{
    return scene ? toi_scene_find_all_candidates(scene, def, mesh->start, mesh->end, lists, NULL)
                 : toi_find_all_candidates(def, mesh, lists, NULL);
}

// Every method, in canonical order and in the card's; the definition has all but the method.
// Returns how many pairs there are.
static int64_t compare(const char *name, const toi_ccd_def *def, toi_scene *scene,
                       const toi_mesh *mesh)
{
    toi_ccd_def with = *def, without = *def;
    toi_pair_array expected[TOI_KIND_COUNT] = {0}, found[TOI_KIND_COUNT] = {0};
    without.device = NULL;
    assert_ok(ask_all(scene, &without, mesh, expected));
    for (int i = 0; i < 2 * METHODS; ++i) {
        with.broad.method = methods[i / 2];
        with.broad.order = i % 2 ? TOI_ORDER_OWN : TOI_ORDER_CANONICAL;
        assert_ok(ask_all(scene, &with, mesh, found));
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            if (i % 2)
                assert_ok(toi_sort_pairs(found[kind].data, found[kind].count, 0));
            same_list(name, toi_broad_name(with.broad.method), kind, &found[kind], &expected[kind]);
        }
    }
    int64_t count = count_pairs(expected);
    free_lists(expected);
    free_lists(found);
    return count;
}

// As they are, by thirds, and at both ends of what doubles have room for.
static const double factors[] = {1, 1 / 3.0, 0x1p200, 0x1p-200, 0x1p-1060};

// In a scene, in all sizes: with a separation, and with boxes in single precision, by turns.
static int64_t compare_sizes(const char *name, toi_device *device, const toi_mesh *mesh)
{
    int64_t count = 3 * mesh->start.count, pairs = 0;
    double *start = malloc(sizeof *start * (size_t)count);
    double *end = malloc(sizeof *end * (size_t)count);
    const double *from = mesh->start.data, *to = mesh->end.data; // packed
    toi_scene *scene;
    assert_ok(make_scene_of(mesh, NULL, &scene));
    for (int size = 0; size < 5; ++size) {
        char whole[200];
        toi_mesh sized = *mesh;
        double extent = 0;
        for (int64_t i = 0; i < count; ++i) {
            start[i] = from[i] * factors[size];
            end[i] = to[i] * factors[size];
            extent = fmax(extent, fabs(end[i] - start[i]));
        }
        sized.start.data = start;
        sized.end.data = end;
        for (int option = 0; option < 4; ++option) {
            toi_ccd_def def = on_card(device);
            def.narrow.min_separation = option & 1 ? extent / 7 : 0;
            def.float_boxes = option & 2;
            snprintf(whole, sizeof whole, "%s * %a, options %d", name, factors[size], option);
            if (option == 0 || size < 2)
                pairs += compare(whole, &def, scene, &sized);
        }
    }
    toi_free_scene(scene);
    free(start);
    free(end);
    return pairs;
}

// ---- What is compared

static void soups_agree(void **state)
{
    int64_t pairs = 0;
    for (int64_t i = 0; i < cases(24); ++i) {
        double extent = 0.02 + 0.05 * (double)(i % 10);
        soup s = make_soup(1 + i * i % 700, extent, 0.1 * (double)(i % 5), (uint64_t)i);
        pairs += compare_sizes("soup", *state, &s.mesh);
        free_soup(&s);
    }
    assert_true(pairs > 1000);
}

// A mesh whose primitives have given boxes: every box of `a` is that of an edge, and of a vertex
// that moves; every box of `b` is that of a face.
typedef struct boxed_mesh
{
    double (*start)[3], (*end)[3];
    int32_t (*lines)[2], (*faces)[3];
    toi_edge_array edges; // the lines, and the sides of faces
    toi_mesh mesh;
} boxed_mesh;

static boxed_mesh make_boxed_mesh(const box_set *set)
{
    int64_t a = set->a.count, b = set->b.count, count = 3 * a + 3 * b;
    boxed_mesh m;
    m.start = malloc((size_t)count * sizeof *m.start + 1);
    m.end = malloc((size_t)count * sizeof *m.end + 1);
    m.lines = malloc((size_t)a * sizeof *m.lines + 1);
    m.faces = malloc((size_t)b * sizeof *m.faces + 1);
    for (int64_t i = 0; i < count; ++i) {
        const toi_box *box = i < 3 * a ? &set->a.data[i / 3] : &set->b.data[(i - 3 * a) / 3];
        bool moves = i < 3 * a && i % 3 == 2, high = i % 3 == 1;
        memcpy(m.start[i], high ? box->hi : box->lo, sizeof m.start[i]);
        memcpy(m.end[i], high || moves ? box->hi : box->lo, sizeof m.end[i]);
    }
    for (int64_t i = 0; i < a; ++i)
        for (int k = 0; k < 2; ++k)
            m.lines[i][k] = (int32_t)(3 * i + k);
    for (int64_t i = 0; i < b; ++i)
        for (int k = 0; k < 3; ++k)
            m.faces[i][k] = (int32_t)(3 * a + 3 * i + k);
    m.mesh = toi_make_mesh(m.start[0], m.end[0], count, b > 0 ? m.faces[0] : NULL, b);
    m.edges = (toi_edge_array){0};
    assert_ok(toi_make_edges(m.mesh.faces, (toi_index_view){m.lines[0], a, 0}, count, &m.edges));
    m.mesh.edges = toi_view_edges(&m.edges);
    return m;
}

static void free_boxed_mesh(boxed_mesh *m)
{
    free(m->start);
    free(m->end);
    free(m->lines);
    free(m->faces);
    toi_free_edges(&m->edges);
}

static void made_sets_agree(void **state)
{
    int64_t pairs = 0;
    for (int i = 0; i < BOX_SETS; ++i) {
        box_set set = make_box_set(i);
        if (set.a.count + set.b.count > 0 && set.a.count + set.b.count < 4000) {
            boxed_mesh m = make_boxed_mesh(&set);
            toi_ccd_def def = on_card(*state);
            def.float_boxes = i % 3 == 1;
            def.narrow.min_separation = i % 3 == 2 ? 0.01 : 0;
            pairs += compare(set.name, &def, NULL, &m.mesh);
            free_boxed_mesh(&m);
        }
        free_box_set(&set);
    }
    assert_true(pairs > 100000);
}

static void generated_scenes_agree(void **state)
{
    const int64_t counts[] = {300, long_factor() > 1 ? 50000 : 6000};
    for (int i = 0; toi_animation_name(i); ++i)
        for (int n = 0; n < 2; ++n) {
            toi_animation scene = make_animation(toi_animation_name(i), counts[n], 2);
            toi_edge_array edges = {0};
            toi_mesh mesh = mesh_of(&scene, 0, &edges);
            compare_sizes(toi_animation_name(i), *state, &mesh);
            for (int filter = 1; filter < 4; ++filter) {
                toi_ccd_def def = on_card(*state);
                if (filter & 1) {
                    def.filter.groups = scene.groups;
                    def.filter.group_count = scene.point_count;
                }
                def.filter.may_collide = filter & 2 ? is_not_thrice : NULL;
                compare("a filter", &def, NULL, &mesh);
            }
            toi_free_edges(&edges);
            toi_free_animation(&scene);
        }
}

static void real_scenes_agree(void **state)
{
    static const char *const names[] = {"cloth-funnel", "cloth-ball", "n-body"};
    bool all = true;
    for (int i = 0; i < (has_card() ? 3 : 1); ++i) {
        real_frames l;
        if (!load_real_scene(names[i], &l)) {
            all = false;
            continue;
        }
        toi_ccd_def def = on_card(*state);
        int64_t plain = compare(names[i], &def, NULL, &l.mesh);
        def.narrow.min_separation = 0.01;
        int64_t apart = compare(names[i], &def, NULL, &l.mesh);
        assert_true(plain > 0 && apart > plain);
        print_message("%s: %lld pairs, %lld with a separation\n", names[i], (long long)plain,
                      (long long)apart);
        free_real_frames(&l);
    }
    if (!all)
        skip();
}

// Steps of a scene in turns with impacts, from where the last one ended.
static void steps_and_impacts_take_turns(void **state)
{
    toi_device *device = *state;
    toi_animation animation = make_animation("cloth-ball", 3000, 2);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&animation, 0, &edges), back = mesh;
    toi_ccd_def def = on_card(device), without = toi_default_ccd_def();
    toi_pair_array found = {0}, expected = {0};
    toi_impact_array impacts = {0}, others = {0};
    toi_scene *scene;
    back.start = mesh.end;
    back.end = mesh.start;
    assert_ok(make_scene_of(&mesh, NULL, &scene));
    for (int i = 0; i < 40; ++i) {
        const toi_mesh *step = i % 2 ? &back : &mesh;
        toi_point_view start = i % 5 ? (toi_point_view){0} : step->start;
        def.broad.method = methods[i / 2 % METHODS];
        toi_kind kind = i % 3 ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
        assert_ok(toi_find_candidates(&without, step, kind, &expected, NULL));
        assert_ok(toi_scene_find_candidates(scene, &def, start, step->end, kind, &found, NULL));
        same_list("in turns", toi_broad_name(def.broad.method), kind, &found, &expected);
        def.broad.method = TOI_BROAD_AUTO;
        assert_ok(toi_find_impacts(&without, step, &others, NULL));
        assert_ok(toi_scene_find_impacts(scene, &def, step->start, step->end, &impacts, NULL));
        assert_int_equal(impacts.count, others.count);
        assert_memory_equal(impacts.data, others.data,
                            (size_t)impacts.count * sizeof *impacts.data);
    }
    toi_free_impacts(&impacts);
    toi_free_impacts(&others);
    toi_free_pairs(&found);
    toi_free_pairs(&expected);
    toi_free_scene(scene);
    toi_free_edges(&edges);
    toi_free_animation(&animation);
}

// ---- Memory

// In parts, down to where the mesh itself does not fit.
static void memory_limits_change_nothing(void **state)
{
    toi_animation scene = make_animation("n-body", 10000, 2);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&scene, 0, &edges);
    toi_ccd_def def = on_card(*state), without = toi_default_ccd_def();
    toi_pair_array found = {0}, expected = {0};
    int64_t windows[METHODS] = {0}, answered = 0;
    without.narrow.min_separation = def.narrow.min_separation = 0.8; // many pairs
    assert_ok(toi_find_candidates(&without, &mesh, TOI_EDGE_EDGE, &expected, NULL));
    for (int64_t limit = (int64_t)1 << 27; limit >= 1 << 17; limit = limit * 2 / 3) {
        for (int i = 0; i < METHODS; ++i) {
            def.device = open_card(limit);
            def.broad.method = methods[i];
            toi_status status = toi_find_candidates(&def, &mesh, TOI_EDGE_EDGE, &found, NULL);
            toi_device_report report = toi_device_last_report(def.device);
            toi_close_device(def.device);
            if (status != TOI_OK) {
                assert_true(status == TOI_ERROR_MEMORY || status == TOI_ERROR_LIMIT);
                continue;
            }
            same_list("memory limit", toi_broad_name(methods[i]), TOI_EDGE_EDGE, &found, &expected);
            assert_true(report.peak_bytes <= limit);
            windows[i] = report.windows > windows[i] ? report.windows : windows[i];
            ++answered;
        }
    }
    print_message("%lld pairs; %lld limits were enough\n", (long long)expected.count,
                  (long long)answered);
    for (int i = 0; i < METHODS; ++i) {
        print_message("%s: at most %lld parts\n", toi_broad_name(methods[i]),
                      (long long)windows[i]);
        assert_true(!has_card() || windows[i] > 1);
    }
    toi_free_pairs(&found);
    toi_free_pairs(&expected);
    toi_free_edges(&edges);
    toi_free_animation(&scene);
}

typedef struct summing
{
    int64_t count;
    uint64_t sum;
} summing;

// Whatever the order of the pairs.
static toi_status sum_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    summing *s = context;
    (void)worker;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t x = ((uint64_t)(uint32_t)pairs[i].a << 32 | (uint32_t)pairs[i].b) *
                     UINT64_C(0x9e3779b97f4a7c15);
        s->sum += (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    s->count += count;
    return TOI_OK;
}

// All boxes are one: every pair is a candidate, far more than there is room for.
static void streams_outgrow_every_room(void **state)
{
    enum
    {
        EDGES = 12000 // 72 million pairs
    };
    int64_t count = has_card() ? EDGES : 500;
    double(*points)[3] = calloc(2 * (size_t)count, sizeof *points);
    int32_t(*edges)[2] = malloc((size_t)count * sizeof *edges);
    for (int64_t i = 0; i < count; ++i) {
        edges[i][0] = (int32_t)(2 * i);
        edges[i][1] = (int32_t)(2 * i + 1);
        points[2 * i + 1][0] = points[2 * i + 1][1] = 1;
    }
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 2 * count, NULL, 0);
    mesh.edges = (toi_index_view){edges[0], count, 0};
    summing expected = {0, 0};
    for (int32_t a = 0; a < count; ++a)
        for (int32_t b = a + 1; b < count; ++b)
            sum_pairs(&expected, &(toi_pair){a, b}, 1, 0);
    for (int i = 0; i < METHODS; ++i) {
        toi_ccd_def def = on_card(*state);
        toi_ccd_report report;
        summing found = {0, 0};
        def.broad.method = methods[i];
        assert_ok(toi_stream_candidates(&def, &mesh, TOI_EDGE_EDGE, sum_pairs, &found, &report));
        assert_int_equal(found.count, expected.count);
        assert_int_equal(report.candidates[TOI_EDGE_EDGE], expected.count);
        assert_true(found.sum == expected.sum);
    }
    free(points);
    free(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_agree),
        cmocka_unit_test(made_sets_agree),
        cmocka_unit_test(generated_scenes_agree),
        cmocka_unit_test(real_scenes_agree),
        cmocka_unit_test(steps_and_impacts_take_turns),
        cmocka_unit_test(memory_limits_change_nothing),
        cmocka_unit_test(streams_outgrow_every_room),
    };
    return run_on_card("cuda_pairs", tests, open_group, close_group);
}
