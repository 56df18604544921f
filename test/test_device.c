// The host's side of devices, with a backend that needs no card: answers are the processor's bit
// for bit however many pairs are left to the host, what changes is sent anew, and nothing leaks.

#include "counted_hooks.h"
#include "fake_device.h"
#include "steps.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum
{
    QUERIES = 2000
};

static void compare_steps(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_ccd_def without = *def;
    without.device = NULL;
    toi_ccd_report expected, found;
    size_t bytes = (size_t)mesh->start.count * sizeof(double);
    double *steps = malloc(bytes), *others = malloc(bytes);
    assert_ok(ask_safe_steps(scene, &without, mesh, steps, &expected));
    assert_ok(ask_safe_steps(scene, def, mesh, others, &found));
    assert_memory_equal(others, steps, bytes);
    same_reports(&found, &expected);
    assert_int_equal(found.checks, expected.checks);
    free(steps);
    free(others);
}

// ---- The same answers

static void answers_are_the_processors(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    int64_t impacts = 0;
    for (int seed = 0; seed < 12; seed += getenv("TOI_SANITIZED") ? 5 : 1) { // 0, 5, 10
        soup s = make_soup(20 + 5 * seed, 0.4, 0.3 + 0.05 * seed, (uint64_t)seed);
        toi_ccd_def def = on_device(device);
        toi_scene *scene;
        assert_ok(make_scene_of(&s.mesh, NULL, &scene));
        for (knobs->hard_every = 0; knobs->hard_every <= 4; ++knobs->hard_every) {
            def.workers = 1 + seed % 3;
            def.narrow.t_max = seed % 4 == 3 ? 0.4 : 1;
            impacts += compare_devices(NULL, &def, &s.mesh);
            compare_devices(scene, &def, &s.mesh);
            compare_steps(seed % 2 ? scene : NULL, &def, &s.mesh);
        }
        toi_free_scene(scene);
        free_soup(&s);
    }
    assert_true(impacts > 1000 || getenv("TOI_SANITIZED"));
    toi_close_device(device);
}

// Lists that come packed, with a list that has room for them as yet and one that has none; and with
// a card that has to find them once more.
static void lists_come_packed(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    int64_t impacts = 0;
    knobs->hard_every = 0;
    knobs->packed = true;
    for (int seed = 0; seed < 2; ++seed) {
        soup s = make_soup(13000, 0.02, 0.03, (uint64_t)seed); // which six workers have use for
        toi_ccd_def def = on_device(device), without = toi_default_ccd_def();
        toi_scene *scene;
        toi_impact_array expected = {0}, found = {0};
        toi_edge_array edges = {0};
        def.workers = 6 + seed;
        toi_mesh mesh = // without what is loose, which is the host's
            toi_make_mesh(s.start[0], s.end[0], 3 * s.face_count, s.faces[0], s.face_count);
        assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, 3 * s.face_count, &edges));
        mesh.edges = toi_view_edges(&edges);
        assert_ok(make_scene_of(&mesh, NULL, &scene));
        assert_ok(ask_impacts(scene, &without, &mesh, &expected, NULL));
        for (int again = 0; again < 3; ++again) {
            knobs->undelivered = again == 2;
            impacts += compare_devices(scene, &def, &mesh);
            assert_ok(ask_impacts(scene, &def, &mesh, &found, NULL));
            same_lists(found.data, found.count, expected.data, expected.count);
        }
        toi_free_impacts(&found);
        toi_free_impacts(&expected);
        toi_free_scene(scene);
        toi_free_edges(&edges);
        free_soup(&s);
    }
    assert_int_equal(knobs->delivered, 2 * 2 * 2); // but those that never came
    assert_true(impacts > 1000);
    toi_close_device(device);
}

static bool even_sum(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 2 == 0 || a == 7;
}

// The host applies the policy to what is left, and counts who starts inside: all pairs, or none.
static void separations_are_kept(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    int64_t impacts = 0, inside = 0, rescaled = 0;
    for (int seed = 0; seed < 10; seed += getenv("TOI_SANITIZED") ? 4 : 1) { // 0, 4, 8
        soup s = make_soup(20 + 4 * seed, 0.4, 0.3, (uint64_t)seed);
        for (int number = 0; number < 5; ++number) {
            toi_ccd_def def = on_device(device);
            toi_ccd_report report;
            def.workers = 1 + seed % 3;
            def.narrow.min_separation = number == 1 ? 0 : 0.03;
            def.zero_time.relative_separation = number >= 1 ? 0.2 : 0;
            def.zero_time.rescale = number == 3 ? 0.8 : 0;
            def.zero_time.small_time = number == 3 ? 0.1 : 0;
            def.filter.may_collide = number == 4 ? even_sum : NULL;
            for (knobs->hard_every = 0; knobs->hard_every <= 1; ++knobs->hard_every) {
                impacts += compare_devices(NULL, &def, &s.mesh);
                compare_steps(NULL, &def, &s.mesh);
                toi_impact_array list = {0};
                assert_ok(toi_find_impacts(&def, &s.mesh, &list, &report));
                toi_free_impacts(&list);
                inside += report.inside;
                rescaled += report.rescaled;
            }
        }
        free_soup(&s);
    }
    assert_true((impacts > 1000 && inside > 100 && rescaled > 0) || getenv("TOI_SANITIZED"));
    toi_close_device(device);
}

static int64_t compare_close(const toi_ccd_def *def, const toi_ccd_def *without,
                             const toi_mesh *mesh, double radius)
{
    toi_close_array found = {0}, expected = {0};
    assert_ok(toi_find_close(without, mesh, radius, &expected, NULL));
    assert_ok(toi_find_close(def, mesh, radius, &found, NULL));
    int64_t count = found.count;
    assert_int_equal(count, expected.count);
    if (count > 0)
        assert_memory_equal(found.data, expected.data, (size_t)count * sizeof *found.data);
    toi_free_close(&found);
    toi_free_close(&expected);
    return count;
}

static void compare_radii(const toi_ccd_def *def, const toi_ccd_def *without, const toi_mesh *mesh,
                          double most)
{
    size_t bytes = (size_t)mesh->start.count * sizeof(double);
    double *radii = malloc(bytes), *others = malloc(bytes);
    assert_ok(toi_find_safe_radii(without, mesh, most, radii, NULL));
    assert_ok(toi_find_safe_radii(def, mesh, most, others, NULL));
    assert_memory_equal(others, radii, bytes);
    free(radii);
    free(others);
}

// Of one instant: the device searches, the host measures.
static void distances_are_the_processors(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    int64_t count = 0;
    for (int seed = 0; seed < 12; ++seed) {
        soup s = make_soup(10 + 8 * seed, 0.2, 0, (uint64_t)seed);
        toi_ccd_def def = on_device(device), without;
        def.workers = 1 + seed % 3;
        def.filter.may_collide = seed % 4 == 3 ? even_sum : NULL;
        without = def;
        without.device = NULL;
        double radius = 0.02 * seed;
        count += compare_close(&def, &without, &s.mesh, radius);
        toi_close_pair found, expected;
        assert_ok(toi_find_distance(&without, &s.mesh, &expected, NULL));
        assert_ok(toi_find_distance(&def, &s.mesh, &found, NULL));
        assert_memory_equal(&found, &expected, sizeof found);
        compare_radii(&def, &without, &s.mesh, radius);
        free_soup(&s);
    }
    assert_true(count > 100);
    toi_close_device(device);
}

static void positions_may_be_single_and_strided(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(40, 0.4, 0.4, 5);
    float(*rows)[2][5] = calloc((size_t)s.vertex_count, sizeof *rows);
    for (int64_t i = 0; i < s.vertex_count; ++i)
        for (int k = 0; k < 3; ++k) {
            rows[i][0][k] = (float)s.start[i][k];
            rows[i][1][k] = (float)s.end[i][k];
        }
    toi_mesh mesh = s.mesh;
    mesh.start = (toi_point_view){rows[0][0], s.vertex_count, sizeof *rows, TOI_FLOAT};
    mesh.end = (toi_point_view){rows[0][1], s.vertex_count, sizeof *rows, TOI_FLOAT};
    // And faces with something between them.
    int32_t(*faces)[4] = calloc((size_t)s.face_count, sizeof *faces);
    for (int64_t i = 0; i < s.face_count; ++i)
        memcpy(faces[i], s.faces[i], sizeof *s.faces);
    mesh.faces = (toi_index_view){faces[0], s.face_count, sizeof *faces};
    toi_ccd_def def = on_device(device);
    assert_true(compare_devices(NULL, &def, &mesh) > 0);
    compare_steps(NULL, &def, &mesh);
    free(faces);
    free(rows);
    free_soup(&s);
    toi_close_device(device);
}

// Of the four filters that there can be, each in a scene, and each put into one that has another.
static void filters_hold(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(50, 0.4, 0.4, 9);
    toi_ccd_def def = on_device(device);
    toi_impact_view view;
    toi_scene *scene;
    int32_t *groups = calloc((size_t)s.vertex_count, sizeof *groups);
    int64_t counts[4];
    for (int64_t i = 0; i < s.vertex_count; ++i)
        groups[i] = (int32_t)(i * 5 / s.vertex_count) - 1;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    for (int i = 0; i < 4; ++i) {
        toi_filter filter = {.may_collide = i & 1 ? even_sum : NULL};
        if (i & 2)
            filter.groups = groups, filter.group_count = s.vertex_count;
        toi_ccd_def own = def;
        own.filter = filter;
        counts[i] = compare_devices(NULL, &own, &s.mesh);
        assert_ok(toi_scene_set_filter(scene, &filter));
        assert_int_equal(compare_devices(scene, &def, &s.mesh), counts[i]);
        compare_steps(scene, &def, &s.mesh);
        assert_ok(toi_scene_view_impacts(scene, &def, s.mesh.start, s.mesh.end, TOI_ON_HOST, &view,
                                         NULL));
        assert_int_equal(view.count, counts[i]);
    }
    assert_true(counts[3] < counts[2] && counts[2] < counts[0] && counts[3] < counts[1]);
    assert_true(counts[3] > 0);
    free(groups);
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

static void small_meshes_are_answered(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    const double start[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.2, 0.2, -1}};
    const double past[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -1}, {0.2, 0.2, 1}};
    const int32_t faces[3] = {0, 1, 2}, edges[4] = {0, 1, 2, 3};
    toi_mesh empty = {0}, points = toi_make_mesh(start[0], past[0], 5, NULL, 0);
    toi_mesh face = toi_make_mesh(start[0], past[0], 4, faces, 1);
    toi_mesh one_edge = points, two_edges = points;
    one_edge.edges = (toi_index_view){edges, 1, 0};
    two_edges.edges = (toi_index_view){edges, 2, 0};
    assert_int_equal(compare_devices(NULL, &def, &empty), 0);
    assert_true(compare_devices(NULL, &def, &points) > 0);
    compare_devices(NULL, &def, &one_edge);
    assert_int_equal(knobs->finds, 0); // there was nothing for the card
    compare_devices(NULL, &def, &two_edges);
    assert_true(compare_devices(NULL, &def, &face) > 0);
    toi_close_device(device);
}

// ---- What stays on the card

// Takes view and report of a step; the scene's list must be the one that is found without a device.
static toi_impact_view check_view(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                                  toi_point_view start, toi_point_view to, toi_residence residence)
{
    toi_ccd_def without = toi_default_ccd_def();
    toi_ccd_report expected, found;
    toi_impact_array impacts = {0};
    toi_impact_view view;
    assert_ok(toi_find_impacts(&without, mesh, &impacts, &expected));
    assert_ok(toi_scene_view_impacts(scene, def, start, to, residence, &view, &found));
    const void *data = view.data;
    if (residence == TOI_ON_DEVICE) {
        assert_in_range((uintptr_t)data, (uintptr_t)knobs->card_memory,
                        (uintptr_t)knobs->card_memory + FAKE_CARD_BYTES - 1);
        data = knobs->shadow + ((const char *)data - knobs->card_memory);
    }
    same_lists(data, view.count, impacts.data, impacts.count);
    same_reports(&found, &expected);
    toi_free_impacts(&impacts);
    return view;
}

static soup make_bodies(uint64_t seed) // without loose points
{
    soup s = make_soup(40, 0.4, 0.35, seed);
    int64_t named = 0;
    for (int64_t i = 0; i < 3 * s.face_count; ++i)
        named = s.faces[i / 3][i % 3] >= named ? s.faces[i / 3][i % 3] + 1 : named;
    s.mesh.start.count = s.mesh.end.count = named;
    s.mesh.edges = (toi_index_view){0};
    return s;
}

static void only_positions_travel(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_bodies(3);
    toi_mesh back = s.mesh;
    back.start = s.mesh.end;
    back.end = s.mesh.start;
    toi_scene *scene;
    toi_impact_view view;
    toi_point_view none = {0};
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "no end of a last step");
    for (int i = 0; i < 3; ++i) {
        check_view(scene, &def, &s.mesh, i ? none : s.mesh.start, s.mesh.end, TOI_ON_HOST);
        check_view(scene, &def, &back, none, back.end, i == 1 ? TOI_ON_DEVICE : TOI_ON_HOST);
    }
    assert_int_equal(knobs->resumed, 5);
    toi_ccd_report report, expected;
    toi_ccd_def without = toi_default_ccd_def();
    assert_ok(toi_find_earliest(&without, &s.mesh, &expected));
    assert_ok(toi_scene_find_earliest(scene, &def, none, s.mesh.end, &report));
    same_reports(&report, &expected);
    assert_int_equal(knobs->resumed, 6);
    assert_fails(toi_scene_find_earliest(scene, &without, none, s.mesh.end, &report),
                 TOI_ERROR_DATA, "vertices at t = 0");
    check_view(scene, &def, &back, none, back.end, TOI_ON_HOST);
    assert_int_equal(knobs->meshes_made, 1);
    toi_free_scene(scene);
    toi_close_device(device);
    free_soup(&s);
}

// A step that fails is no step to go on from, nor is one on another device.
static void a_failed_step_is_no_start(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_bodies(3);
    toi_scene *scene;
    toi_impact_view view;
    toi_point_view none = {0};
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    check_view(scene, &def, &s.mesh, s.mesh.start, s.mesh.end, TOI_ON_HOST);
    knobs->find = TOI_ERROR_MEMORY;
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_MEMORY, "finding impacts has failed");
    assert_null(view.data);
    knobs->find = TOI_OK;
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "no end of a last step");
    check_view(scene, &def, &s.mesh, s.mesh.start, s.mesh.end, TOI_ON_HOST);
    double good = s.end[3][0];
    s.end[3][0] = NAN;
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_DATA, "vertex 3: coordinate x at t = 1 is ");
    s.end[3][0] = good;
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "no end of a last step");
    toi_device *other = open_fake();
    def.device = other;
    assert_fails(toi_scene_view_impacts(scene, &def, none, s.mesh.end, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "no end of a last step");
    check_view(scene, &def, &s.mesh, s.mesh.start, s.mesh.end, TOI_ON_DEVICE);
    toi_free_scene(scene);
    toi_close_device(other);
    toi_close_device(device);
    free_soup(&s);
}

// The host never reads what is in the card's memory: its pages are closed to it.
static void positions_may_be_on_the_card(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_bodies(4), whole = make_soup(40, 0.4, 0.35, 4);
    int64_t count = s.mesh.start.count;
    size_t bytes = (size_t)count * sizeof *s.start;
    double *steps = calloc((size_t)count, sizeof *steps);
    toi_impact_view view;
    toi_ccd_report report;
    toi_scene *scene;
    assert_true(2 * bytes < FAKE_CARD_BYTES / 2);
    memcpy(knobs->shadow, s.start, bytes);
    memcpy(knobs->shadow + bytes, s.end, bytes);
    toi_point_view from = {knobs->card_memory, count, 0, TOI_DOUBLE};
    toi_point_view to = {knobs->card_memory + bytes, count, 0, TOI_DOUBLE};
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    for (int residence = TOI_ON_HOST; residence <= TOI_ON_DEVICE; ++residence) {
        check_view(scene, &def, &s.mesh, from, to, (toi_residence)residence);
        check_view(scene, &def, &s.mesh, s.mesh.start, to, (toi_residence)residence);
        check_view(scene, &def, &s.mesh, from, s.mesh.end, (toi_residence)residence);
    }
    assert_ok(toi_scene_find_earliest(scene, &def, from, to, &report));
    assert_fails(toi_scene_find_safe_steps(scene, &def, from, to, steps, NULL),
                 TOI_ERROR_UNSUPPORTED, "safe steps");
    memcpy(knobs->shadow, &(double){NAN}, sizeof(double));
    assert_fails(toi_scene_find_earliest(scene, &def, from, to, &report), TOI_ERROR_DATA,
                 "not known which");
    assert_ok(toi_scene_find_earliest(scene, &def, s.mesh.start, to, &report));
    toi_free_scene(scene);
    // Loose points are the host's part.
    from.count = to.count = whole.mesh.start.count;
    assert_ok(make_scene_of(&whole.mesh, NULL, &scene));
    memcpy(knobs->shadow, whole.start, (size_t)from.count * sizeof *whole.start);
    assert_fails(toi_scene_find_earliest(scene, &def, from, whole.mesh.end, &report),
                 TOI_ERROR_UNSUPPORTED, "loose points");
    assert_fails(toi_scene_view_impacts(scene, &def, whole.mesh.start, whole.mesh.end,
                                        TOI_ON_DEVICE, &view, &report),
                 TOI_ERROR_UNSUPPORTED, "ask for them on the host");
    toi_free_scene(scene);
    free(steps);
    free_soup(&s);
    free_soup(&whole);
    toi_close_device(device);
}

static void changes_are_sent(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_bodies(6);
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    int64_t before = compare_devices(scene, &def, &s.mesh);
    compare_devices(scene, &def, &s.mesh);
    assert_int_equal(knobs->meshes_made, 1);
    // The last face goes, and another takes two of its corners.
    toi_face_change change = {.face = 0};
    memcpy(change.vertices, s.faces[0], sizeof change.vertices);
    change.vertices[0] = s.faces[1][0];
    assert_ok(
        toi_scene_change_faces(scene, s.mesh.start.count, s.face_count - 1, &change, 1, NULL));
    assert_int_not_equal(compare_devices(scene, &def, &s.mesh), before);
    assert_int_equal(knobs->meshes_made, 2);
    toi_scene_def whole = toi_default_scene_def();
    whole.vertex_count = s.mesh.start.count;
    whole.faces = s.mesh.faces;
    assert_ok(toi_scene_change(scene, &whole));
    assert_int_equal(compare_devices(scene, &def, &s.mesh), before);
    assert_int_equal(knobs->meshes_made, 3);
    assert_ok(toi_scene_set_filter(scene, NULL));
    assert_ok(toi_scene_trim(scene));
    assert_int_equal(knobs->meshes, 0);
    assert_int_equal(compare_devices(scene, &def, &s.mesh), before);
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

static void a_device_may_go_before_its_scenes(void **state)
{
    (void)state;
    soup s = make_soup(30, 0.4, 0.4, 8);
    toi_scene *scenes[3];
    for (int i = 0; i < 3; ++i)
        assert_ok(make_scene_of(&s.mesh, NULL, &scenes[i]));
    for (int round = 0; round < 3; ++round) {
        toi_device *device = open_fake();
        toi_ccd_def def = on_device(device);
        for (int i = 0; i < 3; ++i)
            assert_true(compare_devices(scenes[i], &def, &s.mesh) > 0);
        assert_int_equal(knobs->meshes, 3);
        if (round == 1) { // the one in the middle of the list goes first
            toi_free_scene(scenes[1]);
            assert_int_equal(knobs->meshes, 2);
            assert_ok(make_scene_of(&s.mesh, NULL, &scenes[1]));
        }
        toi_close_device(device);
        assert_int_equal(knobs->meshes, 0);
        def.device = NULL;
        assert_true(compare_devices(scenes[0], &def, &s.mesh) > 0);
    }
    for (int i = 0; i < 3; ++i)
        toi_free_scene(scenes[i]);
    free_soup(&s);
}

// ---- At once, and often

typedef struct asker
{
    toi_device *device;
    soup mesh;
    bool same;
} asker;

static void *ask_often(void *context)
{
    asker *a = context;
    toi_ccd_def def = on_device(a->device), without = toi_default_ccd_def();
    toi_impact_array impacts = {0}, expected = {0};
    toi_scene *scene = NULL;
    def.workers = without.workers = 1;
    a->same = toi_find_impacts(&without, &a->mesh.mesh, &expected, NULL) == TOI_OK &&
              make_scene_of(&a->mesh.mesh, NULL, &scene) == TOI_OK;
    for (int i = 0; a->same && i < 20; ++i)
        a->same =
            ask_impacts(i % 3 ? scene : NULL, &def, &a->mesh.mesh, &impacts, NULL) == TOI_OK &&
            impacts.count == expected.count &&
            memcmp(impacts.data, expected.data, (size_t)impacts.count * sizeof *impacts.data) == 0;
    toi_free_scene(scene);
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    return NULL;
}

// Two threads share a device, and two have one each.
static void devices_are_used_at_once(void **state)
{
    (void)state;
    enum
    {
        ASKERS = 4
    };
    asker askers[ASKERS];
    pthread_t threads[ASKERS];
    toi_device *devices[] = {open_fake(), open_fake(), open_fake()};
    for (int i = 0; i < ASKERS; ++i) {
        askers[i] =
            (asker){devices[i / 2 ? i - 1 : 0], make_soup(25, 0.4, 0.4, (uint64_t)i), false};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &askers[i]), 0);
    }
    for (int i = 0; i < ASKERS; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(askers[i].same);
        free_soup(&askers[i].mesh);
    }
    for (int i = 0; i < 3; ++i)
        toi_close_device(devices[i]);
}

static void a_thousand_calls_keep_nothing(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_soup(12, 0.4, 0.4, 2);
    toi_impact_array impacts = {0};
    toi_ccd_report report;
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    double *steps = calloc((size_t)s.vertex_count, sizeof *steps);
    int64_t live = 0, made = 0;
    toi_device_measure(device, true);
    int calls = getenv("TOI_SANITIZED") ? 200 : 1000;
    for (int i = 0; i < calls; ++i) {
        assert_ok(ask_impacts(scene, &def, &s.mesh, &impacts, &report));
        assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
        if (i % 50 == 0)
            assert_ok(ask_safe_steps(scene, &def, &s.mesh, steps, &report));
        if (i == 150) {
            live = ledger.live;
            made = ledger.made;
        }
    }
    assert_true(impacts.count > 0);
    assert_int_equal(ledger.live, live);
    assert_int_equal(ledger.made, made); // nothing is taken from the hook
    assert_int_equal(toi_device_last_report(device).stage_count, 1);
    assert_string_equal(toi_device_last_report(device).stage_names[0], "all");
    for (int i = 0; i < 100; ++i)
        assert_ok(ask_impacts(NULL, &def, &s.mesh, &impacts, &report));
    assert_int_equal(knobs->meshes, 1);
    assert_int_equal(ledger.live, live);
    free(steps);
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

// ---- Lists of queries

// Results of all kinds, whatever is left to the host.
static void compare_queries(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                            int64_t count)
{
    toi_query_result found[QUERIES], expected[QUERIES];
    toi_narrow_def without = *def;
    without.device = NULL;
    assert_ok(toi_solve_queries(&without, kind, queries, count, expected));
    assert_ok(toi_solve_queries(def, kind, queries, count, found));
    assert_memory_equal(found, expected, (size_t)count * sizeof *found);
}

static void lists_are_solved(void **state)
{
    (void)state;
    toi_query queries[QUERIES];
    toi_random random = {5};
    toi_narrow_def def = toi_default_narrow_def();
    def.device = open_fake();
    for (int i = 0; i < QUERIES; ++i)
        for (int c = 0; c < 24; ++c)
            (c < 12 ? queries[i].start : queries[i].end)[c % 12 / 3][c % 3] =
                toi_random_range(&random, -1, 1);
    for (knobs->hard_every = 0; knobs->hard_every <= 4; ++knobs->hard_every)
        for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
            def.workers = 1 + knobs->hard_every % 3;
            def.all_roots = kind % 2;
            def.t_max = kind % 3 == 2 ? 0.5 : 1;
            compare_queries(&def, (toi_kind)kind, queries, QUERIES);
            compare_queries(&def, (toi_kind)kind, queries, 0);
        }
    toi_close_device(def.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_the_processors, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(lists_come_packed, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(separations_are_kept, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(distances_are_the_processors, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(positions_may_be_single_and_strided, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(filters_hold, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(small_meshes_are_answered, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(only_positions_travel, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(a_failed_step_is_no_start, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(positions_may_be_on_the_card, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(changes_are_sent, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(a_device_may_go_before_its_scenes, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(devices_are_used_at_once, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(a_thousand_calls_keep_nothing, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(lists_are_solved, begin_fake, end_fake),
    };
    return cmocka_run_group_tests_name("device", tests, find_fake, NULL);
}
