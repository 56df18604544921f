// The host's side of overlaps on a device, with a backend that needs no card: the same lists,
// counts and flags however many pairs are left to the host, with every option; failures leave a
// scene usable, memory limits hold, and nothing leaks.

#include "counted_hooks.h"
#include "fake_backend.h"
#include "overlap_soups.h"
#include "toi/device.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static fake_knobs *knobs;

static int set_up(void **state)
{
    (void)state;
    void *library = dlopen(TOI_FAKE_BACKEND, RTLD_NOW | RTLD_LOCAL);
    knobs = library ? dlsym(library, FAKE_KNOBS_SYMBOL) : NULL;
    return knobs ? 0 : -1;
}

static int begin(void **state)
{
    knobs->hard_every = 3;
    knobs->large_star = false;
    knobs->make_mesh = knobs->find = TOI_OK;
    knobs->meshes_made = knobs->finds = 0;
    return count_allocations(state);
}

static int end(void **state)
{
    bool clean = knobs->cards == 0 && knobs->meshes == 0 && knobs->blocks == 0;
    return stop_counting(state) == 0 && clean ? 0 : -1;
}

static toi_device *open_fake(void)
{
    toi_device_def def = toi_default_device_def();
    toi_device *device;
    def.file = TOI_FAKE_BACKEND;
    assert_ok(toi_open_device(&def, &device));
    return device;
}

// ---- Comparing

static void same_lists(const toi_overlap_array *a, const toi_overlap_array *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count > 0)
        assert_memory_equal(a->data, b->data, (size_t)a->count * sizeof *a->data);
}

static void same_reports(const toi_overlap_report *a, const toi_overlap_report *b)
{
    assert_int_equal(a->faces, b->faces);
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->complete, b->complete);
    assert_memory_equal(a->by_class, b->by_class, sizeof a->by_class);
}

// A list, counts and flags with the device and without; returns how many pairs.
static int64_t compare(toi_device *device, const toi_overlap_def *def, const toi_mesh *mesh)
{
    toi_overlap_def without = *def, with = *def;
    toi_overlap_array expected = {0}, found = {0};
    toi_overlap_report a, b;
    static uint8_t flags[2][SOUP_FACES];
    with.device = device;
    assert_ok(toi_find_overlaps(&without, mesh, &expected, &a));
    assert_ok(toi_find_overlaps(&with, mesh, &found, &b));
    same_lists(&found, &expected);
    same_reports(&b, &a);
    assert_ok(toi_count_overlaps(&without, mesh, &a));
    assert_ok(toi_count_overlaps(&with, mesh, &b));
    same_reports(&b, &a);
    memset(flags, 7, sizeof flags);
    assert_ok(toi_flag_overlaps(&without, mesh, flags[0], NULL));
    assert_ok(toi_flag_overlaps(&with, mesh, flags[1], NULL));
    assert_memory_equal(flags[0], flags[1], sizeof flags[0]);
    int64_t count = expected.count;
    toi_free_overlaps(&expected);
    toi_free_overlaps(&found);
    return count;
}

static overlap_soup made;

static toi_mesh make_mesh(uint64_t seed)
{
    make_overlap_soup(&made, (soup_shape)(seed % SHAPE_COUNT), (soup_place)(seed % PLACE_COUNT), 90,
                      seed + 1);
    return soup_mesh(&made);
}

static void answers_are_the_processors(void **state)
{
    (void)state;
    static const int shares[] = {0, 1, 3, 50};
    toi_device *device = open_fake();
    int64_t pairs = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        toi_mesh mesh = make_mesh(seed);
        toi_overlap_def def = toi_default_overlap_def();
        knobs->hard_every = shares[seed % 4];
        knobs->large_star = seed % 5 == 0;
        pairs += compare(device, &def, &mesh);
    }
    assert_true(pairs > 1000);
    toi_close_device(device);
}

static bool is_not_thrice(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 3 != 0;
}

static void options_are_the_hosts(void **state)
{
    (void)state;
    static int32_t polygons[SOUP_FACES];
    static uint8_t diagonals[SOUP_FACES];
    toi_device *device = open_fake();
    toi_random random = {5};
    for (uint64_t seed = 0; seed < 60; ++seed) {
        toi_mesh mesh = make_mesh(seed);
        toi_overlap_def def = toi_default_overlap_def();
        knobs->large_star = seed % 7 == 0;
        def.limit = seed % 3 == 0 ? 1 + (int64_t)toi_random_below(&random, 30) : 0;
        def.classes = seed % 2 ? def.classes : 1 + (uint32_t)toi_random_below(&random, 127);
        if (seed % 4 == 1)
            def.filter = (toi_filter){.groups = made.groups, .group_count = made.vertices};
        if (seed % 4 == 2)
            def.filter = (toi_filter){.may_collide = is_not_thrice};
        for (int i = 0; i < made.faces; ++i) {
            polygons[i] = i % 3 == 1 ? i - 1 : i;
            diagonals[i] = (uint8_t)toi_random_below(&random, 8);
        }
        if (seed % 4 == 3)
            def.polygons =
                (toi_polygon_view){polygons, seed % 8 == 3 ? diagonals : NULL, made.faces};
        compare(device, &def, &mesh);
    }
    toi_close_device(device);
}

// ---- Scenes

static toi_scene *scene_of(const toi_mesh *mesh)
{
    toi_scene_def def = toi_default_scene_def();
    toi_scene *scene;
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    assert_ok(toi_make_scene(&def, &scene));
    return scene;
}

static void faces_are_sent_once(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_mesh mesh = make_mesh(SHAPE_GRID);
    toi_scene *scene = scene_of(&mesh);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array list = {0};
    def.device = device;
    for (int i = 0; i < 3; ++i)
        assert_ok(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL));
    assert_int_equal(knobs->meshes_made, 1);
    toi_face_change change = {0, {made.face[1][0], made.face[1][1], made.face[1][2]}};
    assert_ok(toi_scene_change_faces(scene, made.vertices, made.faces, &change, 1, NULL));
    memcpy(made.face[0], made.face[1], sizeof made.face[0]);
    assert_ok(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL));
    assert_int_equal(knobs->meshes_made, 2);
    toi_overlap_array expected = {0};
    toi_overlap_def without = toi_default_overlap_def();
    assert_ok(toi_find_overlaps(&without, &mesh, &expected, NULL));
    same_lists(&list, &expected);
    toi_close_device(device); // before its scene
    assert_ok(toi_scene_find_overlaps(scene, &without, mesh.start, &list, NULL));
    same_lists(&list, &expected);
    toi_free_overlaps(&expected);
    toi_free_overlaps(&list);
    toi_free_scene(scene);
}

static void failures_leave_a_scene_usable(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_mesh mesh = make_mesh(SHAPE_TORN);
    toi_scene *scene = scene_of(&mesh);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array list = {0};
    def.device = device;
    knobs->make_mesh = TOI_ERROR_MEMORY;
    assert_fails(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL), TOI_ERROR_MEMORY,
                 "making a surface");
    knobs->make_mesh = TOI_OK;
    knobs->find = TOI_ERROR_LIMIT;
    assert_fails(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL), TOI_ERROR_LIMIT,
                 "finding overlaps");
    assert_int_equal(list.count, 0);
    knobs->find = TOI_OK;
    double kept = made.points[3][1];
    made.points[3][1] = NAN;
    assert_fails(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL), TOI_ERROR_DATA,
                 "vertex 3");
    made.points[3][1] = kept;
    def.method = TOI_OVERLAP_BRUTE;
    assert_fails(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL),
                 TOI_ERROR_UNSUPPORTED, "brute");
    def.method = TOI_OVERLAP_AUTO;
    toi_point_view on_card = {.data = knobs->card_memory, .count = mesh.start.count};
    assert_fails(toi_scene_find_overlaps(scene, &def, on_card, &list, NULL), TOI_ERROR_UNSUPPORTED,
                 "memory of the host");
    assert_ok(toi_scene_find_overlaps(scene, &def, mesh.start, &list, NULL));
    toi_free_overlaps(&list);
    toi_free_scene(scene);
    toi_close_device(device);
}

// ---- Memory

static void memory_limits_hold(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_mesh mesh = make_mesh(SHAPE_SHARED);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array expected = {0};
    int answered = 0, refused = 0;
    assert_ok(toi_find_overlaps(&def, &mesh, &expected, NULL));
    def.device = device;
    def.workers = 1;
    for (int64_t limit = 1 << 20; limit > 256; limit -= limit / 16) {
        toi_overlap_array list = {0};
        toi_overlap_report report;
        def.memory_limit = limit;
        toi_status status = toi_find_overlaps(&def, &mesh, &list, &report);
        assert_true(status == TOI_OK || status == TOI_ERROR_LIMIT);
        if (status == TOI_OK) {
            same_lists(&list, &expected);
            assert_true(report.peak_bytes <= limit);
        }
        answered += status == TOI_OK;
        refused += status != TOI_OK;
        toi_free_overlaps(&list);
    }
    assert_true(answered > 10 && refused > 10);
    toi_free_overlaps(&expected);
    toi_close_device(device);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    toi_mesh mesh = make_mesh(SHAPE_SHARED);
    int failed = 0;
    toi_status status = TOI_ERROR_MEMORY;
    for (int64_t n = 0; status != TOI_OK && n < 500; ++n) {
        toi_device_def definition = toi_default_device_def();
        toi_overlap_def def = toi_default_overlap_def();
        toi_overlap_array list = {0};
        toi_device *device = NULL;
        definition.file = TOI_FAKE_BACKEND;
        ledger.left = n;
        status = toi_open_device(&definition, &device);
        def.device = device;
        def.workers = 2;
        if (status == TOI_OK)
            status = toi_find_overlaps(&def, &mesh, &list, NULL);
        assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
        failed += status != TOI_OK;
        ledger.left = -1;
        toi_free_overlaps(&list);
        toi_close_device(device);
    }
    assert_int_equal(status, TOI_OK);
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_the_processors, begin, end),
        cmocka_unit_test_setup_teardown(options_are_the_hosts, begin, end),
        cmocka_unit_test_setup_teardown(faces_are_sent_once, begin, end),
        cmocka_unit_test_setup_teardown(failures_leave_a_scene_usable, begin, end),
        cmocka_unit_test_setup_teardown(memory_limits_hold, begin, end),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin, end),
    };
    return cmocka_run_group_tests_name("device_overlap", tests, set_up, NULL);
}
