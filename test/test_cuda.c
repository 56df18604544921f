// What a card answers is what the processor answers, bit for bit: every impact and the earliest, of
// generated and real scenes, soups, lattices, scaled and far from round numbers, under memory
// limits, at once on two streams, a thousand times. Skipped where there is no card, unless
// TOI_REQUIRE_CARD is set (`make test-cuda`). TOI_TEST_BACKEND: the file of another backend.

#include "card.h"
#include "counted_hooks.h"
#include "real_frames.h"
#include "steps.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Comparing

static void same_impact(const char *name, const toi_impact *found, const toi_impact *expected)
{
    if (memcmp(found, expected, sizeof *found) != 0)
        fail_msg("%s: %d %d-%d at %a (%a, %a), normal (%a, %a, %a); not %d %d-%d at %a (%a, %a), "
                 "normal (%a, %a, %a)",
                 name, found->kind, found->a, found->b, found->time, found->u, found->v,
                 found->normal[0], found->normal[1], found->normal[2], expected->kind, expected->a,
                 expected->b, expected->time, expected->u, expected->v, expected->normal[0],
                 expected->normal[1], expected->normal[2]);
}

static void same_lists(const char *name, toi_impact_view found, const toi_impact_array *expected)
{
    int64_t both = found.count < expected->count ? found.count : expected->count;
    for (int64_t i = 0; i < both; ++i)
        same_impact(name, &found.data[i], &expected->data[i]);
    if (found.count != expected->count)
        fail_msg("%s: %lld impacts, not %lld", name, (long long)found.count,
                 (long long)expected->count);
}

static void same_reports(const char *name, const toi_ccd_report *found,
                         const toi_ccd_report *expected)
{
    same_impact(name, &found->earliest, &expected->earliest);
    assert_int_equal(found->state, expected->state);
    assert_memory_equal(found->hits, expected->hits, sizeof found->hits);
    assert_int_equal(found->rescaled, expected->rescaled);
    assert_int_equal(found->inside, expected->inside);
    if (expected->inside > 0)
        assert_memory_equal(&found->first_inside, &expected->first_inside,
                            sizeof found->first_inside);
}

// One step, of a mesh or of a scene; returns how many impacts. `as` has no device.
static int64_t compare_as(const char *name, toi_device *device, const toi_ccd_def *as,
                          toi_scene *scene, const toi_mesh *mesh)
{
    toi_ccd_def def = *as, without = *as;
    def.device = device;
    toi_ccd_report expected, found;
    toi_impact_array impacts = {0}, others = {0};
    toi_impact_view view;
    assert_ok(ask_impacts(NULL, &without, mesh, &impacts, &expected));
    assert_ok(ask_impacts(scene, &def, mesh, &others, &found));
    same_lists(name, (toi_impact_view){others.data, others.count}, &impacts);
    same_reports(name, &found, &expected);
    if (scene) {
        assert_ok(toi_scene_view_impacts(scene, &def, mesh->start, mesh->end, TOI_ON_HOST, &view,
                                         &found));
        same_lists(name, view, &impacts);
        same_reports(name, &found, &expected);
    }
    assert_ok(ask_earliest(NULL, &without, mesh, &expected));
    assert_ok(ask_earliest(scene, &def, mesh, &found));
    same_reports(name, &found, &expected);
    int64_t count = impacts.count;
    toi_free_impacts(&impacts);
    toi_free_impacts(&others);
    return count;
}

static int64_t compare(const char *name, toi_device *device, toi_scene *scene, const toi_mesh *mesh)
{
    toi_ccd_def def = toi_default_ccd_def();
    return compare_as(name, device, &def, scene, mesh);
}

// As they are, by thirds, and at both ends of what doubles have room for.
static const struct
{
    const char *name;
    double factor;
} sizes[] = {{"", 1}, {" / 3", 1 / 3.0}, {" * 2^200", 0x1p200}, {" * 2^-200", 0x1p-200}};

static double resize(double x, int size)
{
    return size == 1 ? x / 3 : x * sizes[size].factor;
}

// In all sizes, in a scene that is kept and without one.
static int64_t compare_sizes(const char *name, toi_device *device, const toi_mesh *mesh)
{
    int64_t count = mesh->start.count, impacts = 0;
    double *start = malloc(3 * sizeof *start * (size_t)count);
    double *end = malloc(3 * sizeof *end * (size_t)count);
    const double *from = mesh->start.data, *to = mesh->end.data; // packed
    toi_scene *scene;
    assert_ok(make_scene_of(mesh, NULL, &scene));
    for (int size = 0; size < 4; ++size) {
        char whole[200];
        toi_mesh sized = *mesh;
        snprintf(whole, sizeof whole, "%s%s", name, sizes[size].name);
        for (int64_t i = 0; i < 3 * count; ++i) {
            start[i] = resize(from[i], size);
            end[i] = resize(to[i], size);
        }
        sized.start.data = start;
        sized.end.data = end;
        impacts += compare(whole, device, scene, &sized);
        if (size == 0)
            compare(whole, device, NULL, &sized);
    }
    toi_free_scene(scene);
    free(start);
    free(end);
    return impacts;
}

// ---- What is compared

static void soups_agree(void **state)
{
    toi_device *device = *state;
    int64_t impacts = 0;
    for (int64_t i = 0; i < cases(40); ++i) {
        double extent = 0.02 + 0.05 * (double)(i % 10);
        soup s = make_soup(1 + i * i % 700, extent, 0.1 * (double)(i % 5), (uint64_t)i);
        impacts += compare_sizes("soup", device, &s.mesh);
        free_soup(&s);
    }
    assert_true(impacts > 1000);
}

// Coordinates from a handful of whole numbers: contacts at t = 0 and t = 1, on corners and edges,
// flat for all times, faces without area.
static void lattices_agree(void **state)
{
    toi_device *device = *state;
    toi_random random = {11};
    int64_t impacts = 0;
    for (int64_t i = 0; i < cases(40); ++i) {
        soup s = make_soup(10 + 3 * (i % 40), 1, 1, (uint64_t)i);
        double width = 2 + (double)(i % 8);
        for (int64_t v = 0; v < s.vertex_count; ++v)
            for (int k = 0; k < 3; ++k) {
                s.start[v][k] = floor(width * toi_random_unit(&random));
                s.end[v][k] =
                    i % 3 == 2 && k == 2 ? s.start[v][k] : floor(width * toi_random_unit(&random));
            }
        impacts += compare_sizes("lattice", device, &s.mesh);
        free_soup(&s);
    }
    assert_true(impacts > 1000);
}

static void generated_scenes_agree(void **state)
{
    toi_device *device = *state;
    const int64_t counts[] = {300, 4000, long_factor() > 1 ? 100000 : 20000};
    for (int i = 0; toi_animation_name(i); ++i)
        for (int n = 0; n < 3; ++n) {
            toi_animation scene = make_animation(toi_animation_name(i), counts[n], 2);
            toi_edge_array edges = {0};
            toi_mesh mesh = mesh_of(&scene, 0, &edges);
            compare_sizes(toi_animation_name(i), device, &mesh);
            toi_free_edges(&edges);
            toi_free_animation(&scene);
        }
}

// A scene over its frames, where the start is the last end; with groups, and a function too.
static void check_frames(const char *name, toi_device *device, toi_filter filter)
{
    toi_animation scene = make_animation(name, 3000, 9);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&scene, 0, &edges);
    toi_ccd_def def = on_card(device), without = toi_default_ccd_def();
    toi_impact_array expected = {0};
    toi_impact_view view;
    toi_ccd_report report;
    toi_scene *kept;
    if (filter.group_count) {
        filter.groups = scene.groups;
        filter.group_count = scene.point_count;
    }
    assert_ok(make_scene_of(&mesh, &filter, &kept));
    without.filter = filter;
    bool loose = false; // points of no face and no edge need both ends
    for (int frame = 0; frame < 8; ++frame) {
        mesh = mesh_of(&scene, frame, &edges);
        assert_ok(toi_find_impacts(&without, &mesh, &expected, NULL));
        toi_point_view start = frame % 4 && !loose ? (toi_point_view){0} : mesh.start;
        toi_status status =
            toi_scene_view_impacts(kept, &def, start, mesh.end, TOI_ON_HOST, &view, &report);
        if (status == TOI_ERROR_UNSUPPORTED && !start.data) {
            loose = true;
            status = toi_scene_view_impacts(kept, &def, mesh.start, mesh.end, TOI_ON_HOST, &view,
                                            &report);
        }
        assert_ok(status);
        same_lists(name, view, &expected);
    }
    toi_free_impacts(&expected);
    toi_free_scene(kept);
    toi_free_edges(&edges);
    toi_free_animation(&scene);
}

static void frames_agree_in_a_scene(void **state)
{
    toi_device *device = *state;
    for (int i = 0; toi_animation_name(i); ++i) {
        check_frames(toi_animation_name(i), device, (toi_filter){0});
        check_frames(toi_animation_name(i), device, (toi_filter){.group_count = 1});
        check_frames(toi_animation_name(i), device, (toi_filter){.may_collide = is_not_thrice});
    }
}

static void real_scenes_agree(void **state)
{
    toi_device *device = *state;
    static const char *const names[] = {"cloth-funnel", "cloth-ball", "n-body", "thick-cloth"};
    bool all = true;
    for (int i = 0; i < (!has_card() ? 1 : 4); ++i) {
        real_frames l;
        if (!load_real_scene(names[i], &l)) {
            all = false;
            continue;
        }
        assert_true(compare_sizes(names[i], device, &l.mesh) > 0);
        free_real_frames(&l);
    }
    if (!all)
        skip();
}

static void a_real_sequence_agrees(void **state)
{
    toi_device *device = *state;
    toi_scene *scene = NULL;
    int frames = long_factor() > 1 ? 59 : 10;
    bool found = true;
    for (int frame = 0; frame < frames && found; ++frame) {
        char start[100], end[100];
        real_frames l;
        snprintf(start, sizeof start, "sequences/rumba/frame_%03d.ply", frame);
        snprintf(end, sizeof end, "sequences/rumba/frame_%03d.ply", frame + 1);
        found = load_real_frames(start, end, &l);
        if (!found)
            break;
        if (!scene)
            assert_ok(make_scene_of(&l.mesh, NULL, &scene));
        compare(start, device, scene, &l.mesh);
        free_real_frames(&l);
    }
    toi_free_scene(scene);
    if (!found)
        skip();
}

// ---- Separations

// Absolute, relative, both, and the whole policy of solvers; `size` is that of the scene.
enum
{
    POLICIES = 6
};

static toi_ccd_def policy_def(int number, double size)
{
    toi_ccd_def def = toi_default_ccd_def();
    static const double separations[POLICIES] = {1e-3, 0, 1e-2, 0.1, 0, 1e-3};
    static const double shares[POLICIES] = {0, 0.2, 0.5, 0, 0.1, 0.3};
    def.narrow.min_separation = separations[number] * size;
    def.zero_time.relative_separation = shares[number];
    if (number >= 4) {
        def.zero_time = toi_solver_policy();
        def.zero_time.relative_separation = shares[number];
        def.zero_time.small_time = 0.05; // so that there are such times
    }
    return def;
}

static void compare_policy_steps(toi_device *device, const toi_ccd_def *as, const toi_mesh *mesh)
{
    toi_ccd_def def = *as;
    def.device = device;
    size_t bytes = (size_t)mesh->start.count * sizeof(double);
    double *steps = malloc(bytes), *others = malloc(bytes);
    assert_ok(toi_find_safe_steps(as, mesh, steps, NULL));
    assert_ok(toi_find_safe_steps(&def, mesh, others, NULL));
    assert_memory_equal(others, steps, bytes);
    free(steps);
    free(others);
}

static void separations_agree_in_soups(void **state)
{
    toi_device *device = *state;
    toi_random random = {12};
    int64_t impacts = 0;
    for (int64_t i = 0; i < cases(!has_card() ? 8 : 36); ++i) {
        soup s = make_soup(5 + i * i % 300, 0.05 + 0.05 * (double)(i % 8), 0.1 * (double)(i % 5),
                           (uint64_t)i);
        double size = 1;
        if (i % 3 == 0) { // whole numbers: distances that are the separation, and touching pairs
            size = 10;
            for (int64_t v = 0; v < s.vertex_count; ++v)
                for (int k = 0; k < 3; ++k) {
                    s.start[v][k] = floor(8 * toi_random_unit(&random));
                    s.end[v][k] = floor(8 * toi_random_unit(&random));
                }
        }
        toi_scene *scene;
        assert_ok(make_scene_of(&s.mesh, NULL, &scene));
        for (int number = 0; number < POLICIES; ++number) {
            toi_ccd_def def = policy_def(number, size);
            impacts += compare_as("soup with a separation", device, &def, scene, &s.mesh);
            compare_as("soup with a separation", device, &def, NULL, &s.mesh);
            if (i % 4 == 0)
                compare_policy_steps(device, &def, &s.mesh);
        }
        toi_free_scene(scene);
        free_soup(&s);
    }
    assert_true(impacts > 1000);
}

static void separations_agree_in_scenes(void **state)
{
    toi_device *device = *state;
    int64_t impacts = 0;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_animation(toi_animation_name(i), 4000, 2);
        toi_edge_array edges = {0};
        toi_mesh mesh = mesh_of(&scene, 0, &edges);
        toi_scene *kept;
        assert_ok(make_scene_of(&mesh, NULL, &kept));
        for (int number = 0; number < POLICIES; ++number) {
            toi_ccd_def def = policy_def(number, 0.1);
            impacts += compare_as(toi_animation_name(i), device, &def, kept, &mesh);
        }
        toi_ccd_def filtered = policy_def(1 + i % 2, 0.1);
        filtered.filter.may_collide = is_not_thrice;
        impacts += compare_as(toi_animation_name(i), device, &filtered, NULL, &mesh);
        toi_free_scene(kept);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
    assert_true(impacts > 1000);
}

static void separations_agree_in_real_scenes(void **state)
{
    toi_device *device = *state;
    static const char *const names[] = {"cloth-funnel", "cloth-ball", "n-body"};
    bool all = true;
    for (int i = 0; i < (!has_card() ? 1 : 3); ++i) {
        real_frames l;
        if (!load_real_scene(names[i], &l)) {
            all = false;
            continue;
        }
        toi_scene *scene;
        assert_ok(make_scene_of(&l.mesh, NULL, &scene));
        for (int number = 0; number < 2; ++number) {
            toi_ccd_def def = policy_def(number, 1);
            assert_true(compare_as(names[i], device, &def, scene, &l.mesh) > 0);
        }
        toi_ccd_def solver = toi_default_ccd_def();
        solver.zero_time = toi_solver_policy();
        assert_true(compare_as(names[i], device, &solver, scene, &l.mesh) > 0);
        toi_free_scene(scene);
        free_real_frames(&l);
    }
    if (!all)
        skip();
}

// ---- One instant

static void compare_instant(const char *name, toi_device *device, const toi_mesh *mesh,
                            double radius)
{
    toi_ccd_def def = on_card(device), without = toi_default_ccd_def();
    toi_close_array found = {0}, expected = {0};
    assert_ok(toi_find_close(&without, mesh, radius, &expected, NULL));
    assert_ok(toi_find_close(&def, mesh, radius, &found, NULL));
    if (found.count != expected.count)
        fail_msg("%s: %lld close pairs, not %lld", name, (long long)found.count,
                 (long long)expected.count);
    if (found.count > 0)
        assert_memory_equal(found.data, expected.data, (size_t)found.count * sizeof *found.data);
    toi_close_pair closest[2];
    assert_ok(toi_find_distance(&without, mesh, &closest[0], NULL));
    assert_ok(toi_find_distance(&def, mesh, &closest[1], NULL));
    assert_memory_equal(&closest[1], &closest[0], sizeof closest[0]);
    size_t bytes = (size_t)mesh->start.count * sizeof(double);
    double *radii = malloc(bytes), *others = malloc(bytes);
    assert_ok(toi_find_safe_radii(&without, mesh, radius, radii, NULL));
    assert_ok(toi_find_safe_radii(&def, mesh, radius, others, NULL));
    assert_memory_equal(others, radii, bytes);
    free(radii);
    free(others);
    toi_free_close(&found);
    toi_free_close(&expected);
}

static void distances_agree(void **state)
{
    toi_device *device = *state;
    for (int64_t i = 0; i < cases(20); ++i) {
        soup s = make_soup(1 + i * i % 200, 0.05 + 0.05 * (double)(i % 8), 0, (uint64_t)i);
        for (int64_t v = 0; i % 3 == 0 && v < s.vertex_count; ++v)
            for (int k = 0; k < 3; ++k)
                s.start[v][k] = floor(8 * s.start[v][k]);
        compare_instant("soup", device, &s.mesh, 0.05 * (double)(i % 7));
        free_soup(&s);
    }
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_animation(toi_animation_name(i), 4000, 2);
        toi_edge_array edges = {0};
        toi_mesh mesh = mesh_of(&scene, 0, &edges);
        compare_instant(toi_animation_name(i), device, &mesh, 0.01);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
}

static void safe_steps_agree(void **state)
{
    toi_device *device = *state;
    toi_ccd_def def = on_card(device), without = toi_default_ccd_def();
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_animation(toi_animation_name(i), 2000, 2);
        toi_edge_array edges = {0};
        toi_mesh mesh = mesh_of(&scene, 0, &edges);
        size_t bytes = (size_t)scene.point_count * sizeof(double);
        double *steps = malloc(bytes), *others = malloc(bytes);
        assert_ok(toi_find_safe_steps(&without, &mesh, steps, NULL));
        assert_ok(toi_find_safe_steps(&def, &mesh, others, NULL));
        assert_memory_equal(others, steps, bytes);
        free(steps);
        free(others);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
}

// ---- Memory, errors, threads

// Copies of a scene in the same place, each a little shaken: far more pairs than primitives. All go
// the same way but the last, which goes through the others.
static toi_animation make_crowd(const char *name, int64_t size, int64_t copies)
{
    const double way[2][3] = {{0.01, 0.02, 0.005}, {0.04, -0.02, 0.05}};
    toi_animation one = make_animation(name, size, 2), crowd = {0};
    toi_random random = {5};
    crowd.point_count = one.point_count * copies;
    crowd.face_count = one.face_count * copies;
    crowd.points = malloc((size_t)crowd.point_count * 2 * sizeof *crowd.points);
    crowd.faces = malloc((size_t)crowd.face_count * sizeof *crowd.faces);
    for (int64_t i = 0; i < 3 * crowd.point_count; ++i) {
        double x = one.points[i / 3 % one.point_count][i % 3];
        double *start = &crowd.points[i / 3][i % 3];
        *start = x + 0.002 * toi_random_unit(&random);
        start[3 * crowd.point_count] = *start + way[i / 3 / one.point_count == copies - 1][i % 3];
    }
    for (int64_t i = 0; i < 3 * crowd.face_count; ++i)
        crowd.faces[i / 3][i % 3] = one.faces[i / 3 % one.face_count][i % 3] +
                                    (int32_t)(i / 3 / one.face_count * one.point_count);
    toi_free_animation(&one);
    return crowd;
}

// The same answer in parts, down to a small share of what the step would like. A limit may be too
// low for the mesh itself; then that is said, and the processor answers.
static void memory_limits_change_nothing(void **state)
{
    (void)state;
    toi_animation scene = make_crowd("n-body", long_factor() > 1 ? 8000 : 2000, 12);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&scene, 0, &edges);
    toi_device *plenty = open_card(0); // whose peak is that of this scene
    toi_ccd_def def = on_card(plenty), without = toi_default_ccd_def();
    toi_impact_array impacts = {0}, expected = {0};
    assert_ok(toi_find_impacts(&without, &mesh, &expected, NULL));
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    int64_t peak = toi_device_last_report(plenty).peak_bytes, most_windows = 0;
    toi_close_device(plenty);
    int answered = 0;
    for (int share = 4; share <= 64 && peak > 0; ++share) {
        toi_device_def limited = card_def();
        limited.memory_limit = peak * 4 / share;
        toi_device *device;
        toi_status status = toi_open_device(&limited, &device);
        if (status == TOI_OK) {
            def.device = device;
            status = toi_find_impacts(&def, &mesh, &impacts, NULL);
            toi_device_report report = toi_device_last_report(device);
            if (status == TOI_OK) {
                same_lists("memory limit", (toi_impact_view){impacts.data, impacts.count},
                           &expected);
                assert_true(report.peak_bytes <= limited.memory_limit);
                most_windows = report.windows > most_windows ? report.windows : most_windows;
                ++answered;
            }
            toi_close_device(device);
        }
        if (status != TOI_OK) {
            assert_true(status == TOI_ERROR_MEMORY || status == TOI_ERROR_LIMIT);
            print_message("4/%d of %lld bytes: %s\n", share, (long long)peak, toi_last_message());
        }
    }
    print_message("%d limits were enough, at most %lld parts\n", answered, (long long)most_windows);
    assert_true(!has_card() || (answered >= 3 && most_windows > 1));
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    toi_free_edges(&edges);
    free(scene.points);
    free(scene.faces);
}

static void failures_leave_the_scene_usable(void **state)
{
    toi_device *device = *state;
    toi_ccd_def def = on_card(device);
    soup s = make_soup(60, 0.3, 0.4, 1);
    toi_ccd_report report;
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_true(compare("before", device, scene, &s.mesh) > 0);
    double good = s.end[7][2];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        s.end[7][2] = bad[i];
        assert_fails(toi_scene_find_earliest(scene, &def, s.mesh.start, s.mesh.end, &report),
                     TOI_ERROR_DATA, "vertex 7: coordinate z at t = 1");
        s.end[7][2] = good;
        compare("after", device, scene, &s.mesh);
    }
    toi_device_def tiny = card_def();
    tiny.memory_limit = 1;
    toi_device *small;
    if (toi_open_device(&tiny, &small) == TOI_OK) {
        def.device = small;
        toi_status status = toi_scene_find_earliest(scene, &def, s.mesh.start, s.mesh.end, &report);
        if (has_card())
            assert_true(status == TOI_ERROR_MEMORY || status == TOI_ERROR_LIMIT);
        toi_close_device(small);
    }
    compare("after", device, scene, &s.mesh);
    toi_free_scene(scene);
    free_soup(&s);
}

// Numbers of cards that there are not.
static void other_cards_are_refused(void **state)
{
    toi_device *device = *state;
    if (!has_card())
        skip();
    toi_device_def def = card_def();
    def.number = toi_describe_device(device).count;
    toi_device *other;
    assert_int_equal(toi_open_device(&def, &other), TOI_ERROR_ARGUMENT);
    assert_null(other);
    print_message("%s\n", toi_last_message());
}

typedef struct asker
{
    toi_animation scene;
    bool same;
} asker;

static void *ask_often(void *context)
{
    asker *a = context;
    toi_device_def definition = card_def();
    toi_device *device = NULL;
    toi_scene *scene = NULL;
    toi_impact_array expected = {0}, impacts = {0};
    const toi_animation *s = &a->scene;
    toi_mesh mesh = toi_make_mesh(s->points[0], s->points[s->point_count], s->point_count,
                                  s->faces[0], s->face_count);
    toi_ccd_def without = toi_default_ccd_def();
    a->same = toi_open_device(&definition, &device) == TOI_OK &&
              make_scene_of(&mesh, NULL, &scene) == TOI_OK &&
              toi_find_impacts(&without, &mesh, &expected, NULL) == TOI_OK;
    toi_ccd_def def = on_card(device);
    for (int i = 0; a->same && i < 100; ++i)
        a->same =
            toi_scene_find_impacts(scene, &def, mesh.start, mesh.end, &impacts, NULL) == TOI_OK &&
            impacts.count == expected.count &&
            memcmp(impacts.data, expected.data, (size_t)impacts.count * sizeof *impacts.data) == 0;
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    toi_free_scene(scene);
    toi_close_device(device);
    return NULL;
}

static void two_streams_at_once(void **state)
{
    (void)state;
    asker askers[2] = {{make_animation("cloth-ball", 4000, 2), false},
                       {make_animation("n-body", 4000, 2), false}};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &askers[i]), 0);
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(askers[i].same);
        toi_free_animation(&askers[i].scene);
    }
}

static int64_t free_on_card(void)
{
    toi_device *device = open_card(0);
    int64_t bytes = toi_describe_device(device).memory_free;
    toi_close_device(device);
    return bytes;
}

// On the card, in page-locked memory, and from the hooks.
static void a_thousand_calls_keep_nothing(void **state)
{
    (void)state;
    count_allocations(state);
    toi_animation animation = make_animation("cloth-ball", 2000, 2);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&animation, 0, &edges);
    toi_impact_array impacts = {0};
    int64_t live = 0, left = 0;
    for (int round = 0; round < 6; ++round) { // the first is for what stays
        toi_device *device = open_card(0);
        toi_ccd_def def = on_card(device);
        toi_ccd_report report;
        toi_scene *scene;
        double *pinned = toi_device_allocate(device, 1 << 20);
        assert_non_null(pinned);
        assert_ok(make_scene_of(&mesh, NULL, &scene));
        for (int i = 0; i < 200; ++i) {
            assert_ok(ask_impacts(scene, &def, &mesh, &impacts, &report));
            assert_ok(ask_earliest(i % 10 ? scene : NULL, &def, &mesh, &report));
        }
        toi_device_release(device, pinned);
        if (round % 2) // either may go first
            toi_free_scene(scene);
        toi_close_device(device);
        if (round % 2 == 0)
            toi_free_scene(scene);
        if (round == 0) {
            live = ledger.live;
            left = free_on_card();
        }
    }
    assert_int_equal(ledger.live, live);
    int64_t lost = left - free_on_card();
    print_message("the card has %lld bytes less\n", (long long)lost);
    assert_true(lost < 4 << 20);
    toi_free_impacts(&impacts);
    toi_free_edges(&edges);
    toi_free_animation(&animation);
    assert_int_equal(stop_counting(state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_agree),
        cmocka_unit_test(lattices_agree),
        cmocka_unit_test(generated_scenes_agree),
        cmocka_unit_test(frames_agree_in_a_scene),
        cmocka_unit_test(real_scenes_agree),
        cmocka_unit_test(a_real_sequence_agrees),
        cmocka_unit_test(safe_steps_agree),
        cmocka_unit_test(distances_agree),
        cmocka_unit_test(separations_agree_in_soups),
        cmocka_unit_test(separations_agree_in_scenes),
        cmocka_unit_test(separations_agree_in_real_scenes),
        cmocka_unit_test(memory_limits_change_nothing),
        cmocka_unit_test(failures_leave_the_scene_usable),
        cmocka_unit_test(other_cards_are_refused),
        cmocka_unit_test(two_streams_at_once),
        cmocka_unit_test(a_thousand_calls_keep_nothing),
    };
    return run_on_card("cuda", tests, open_group, close_group);
}
