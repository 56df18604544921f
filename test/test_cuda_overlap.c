// Overlaps that a card finds are those that the processor finds, bit for bit: soups, generated
// scenes, real meshes, kept scenes, options, memory limits. Skipped where there is no card, unless
// TOI_REQUIRE_CARD is set (`make test-cuda`). TOI_TEST_BACKEND: the file of another backend.

#include "card.h"
#include "overlap_soups.h"
#include "real_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t left_to_host; // pairs, over calls
static int turns;            // of hashes
static bool limited;         // the card's memory
static bool has_grid;        // the methods of the literature are in this build

// A backend without a card is slow.
static int64_t scaled(int64_t size)
{
    const char *backend = getenv("TOI_TEST_BACKEND");
    return backend && strstr(backend, "fake") ? size / 20 + 100 : size;
}

// ---- Comparing

static void same_lists(const char *name, const toi_overlap_array *found,
                       const toi_overlap_array *expected)
{
    int64_t both = found->count < expected->count ? found->count : expected->count;
    for (int64_t i = 0; i < both; ++i) {
        const toi_overlap *f = &found->data[i], *e = &expected->data[i];
        if (memcmp(f, e, sizeof *f) != 0)
            fail_msg("%s: faces %d and %d, %s; not %d and %d, %s", name, f->a, f->b,
                     toi_overlap_class_name((toi_overlap_class)f->overlap_class), e->a, e->b,
                     toi_overlap_class_name((toi_overlap_class)e->overlap_class));
    }
    if (found->count != expected->count)
        fail_msg("%s: %lld pairs, not %lld", name, (long long)found->count,
                 (long long)expected->count);
}

static void same_counts(const char *name, const toi_overlap_report *found,
                        const toi_overlap_report *expected)
{
    bool same = found->pairs == expected->pairs && found->complete == expected->complete &&
                memcmp(found->by_class, expected->by_class, sizeof found->by_class) == 0;
    if (!same)
        fail_msg("%s: another report", name);
}

static toi_status find(toi_scene *scene, const toi_overlap_def *def, const toi_mesh *mesh,
                       toi_overlap_array *list, toi_overlap_report *report)
{
    toi_overlap_def own = *def;
    own.filter = (toi_filter){0};
    return scene ? toi_scene_find_overlaps(scene, &own, mesh->start, list, report)
                 : toi_find_overlaps(def, mesh, list, report);
}

// Lists, counts and flags, of a mesh or of a scene; returns how many pairs there are.
static int64_t compare(const char *name, toi_device *device, toi_scene *scene, const toi_mesh *mesh,
                       const toi_overlap_def *options)
{
    toi_overlap_def def = options ? *options : toi_default_overlap_def(), on_device = def;
    toi_overlap_array expected = {0}, found = {0};
    toi_overlap_report with, without;
    uint8_t *flags[2] = {calloc(1, (size_t)mesh->faces.count + 1),
                         calloc(1, (size_t)mesh->faces.count + 1)};
    on_device.device = device;
    assert_ok(toi_find_overlaps(&def, mesh, &expected, &without));
    for (int turn = 0; turn < (scene ? 3 : 1); ++turn) { // the second is recorded, the third played
        assert_ok(find(scene, &on_device, mesh, &found, &with));
        same_lists(name, &found, &expected);
        same_counts(name, &with, &without);
    }
    left_to_host += toi_device_last_report(device).hard;
    if (def.method == TOI_OVERLAP_AUTO && has_grid) {
        on_device.method = TOI_OVERLAP_KDET;
        on_device.hash = (toi_cell_hash)(++turns % TOI_CELL_HASH_COUNT);
        toi_status status = find(scene, &on_device, mesh, &found, &with);
        if (status == TOI_OK)
            same_lists(name, &found, &expected);
        else if (status != TOI_ERROR_LIMIT || !limited) // a grid takes more memory
            fail_msg("%s: %s", name, toi_last_message());
        on_device.method = TOI_OVERLAP_AUTO;
        on_device.hash = def.hash;
    }
    assert_ok(toi_count_overlaps(&def, mesh, &without));
    assert_ok(toi_count_overlaps(&on_device, mesh, &with));
    same_counts(name, &with, &without);
    assert_ok(toi_flag_overlaps(&def, mesh, flags[0], NULL));
    assert_ok(toi_flag_overlaps(&on_device, mesh, flags[1], NULL));
    if (memcmp(flags[0], flags[1], (size_t)mesh->faces.count) != 0)
        fail_msg("%s: other flags", name);
    int64_t count = expected.count;
    toi_free_overlaps(&expected);
    toi_free_overlaps(&found);
    free(flags[0]);
    free(flags[1]);
    return count;
}

static toi_scene *scene_of(const toi_mesh *mesh, const toi_filter *filter)
{
    toi_scene_def def = toi_default_scene_def();
    toi_scene *scene;
    def.vertex_count = mesh->start.count;
    def.faces = mesh->faces;
    if (filter)
        def.filter = *filter;
    assert_ok(toi_make_scene(&def, &scene));
    return scene;
}

// ---- Soups

static void soups_agree(void **state)
{
    toi_device *device = *state;
    static overlap_soup made;
    int64_t pairs = 0;
    left_to_host = 0;
    for (int shape = 0; shape < SHAPE_COUNT; ++shape)
        for (int place = 0; place < PLACE_COUNT; ++place)
            for (uint64_t seed = 0; seed < 6; ++seed) {
                int size = seed % 3 == 0 ? 24 : seed % 3 == 1 ? 90 : 400;
                make_overlap_soup(&made, (soup_shape)shape, (soup_place)place, size, seed + 1);
                toi_mesh mesh = soup_mesh(&made);
                pairs += compare(made.name, device, NULL, &mesh, NULL);
            }
    print_message("soups: %lld pairs, %lld left to the host\n", (long long)pairs,
                  (long long)left_to_host);
    assert_true(pairs > 10000);
}

// Limits, classes, filters, polygons: all by the host, from what the card has found.
static void options_agree(void **state)
{
    toi_device *device = *state;
    static overlap_soup made;
    static int32_t polygons[SOUP_FACES];
    static uint8_t diagonals[SOUP_FACES];
    toi_random random = {7};
    for (uint64_t seed = 0; seed < 40; ++seed) {
        make_overlap_soup(&made, (soup_shape)(seed % SHAPE_COUNT), PLACE_PLAIN, 90, seed + 100);
        toi_mesh mesh = soup_mesh(&made);
        toi_overlap_def def = toi_default_overlap_def();
        def.limit = 1 + (int64_t)(toi_random_below(&random, 20));
        compare(made.name, device, NULL, &mesh, &def);
        def.classes = 1 + (uint32_t)toi_random_below(&random, 127);
        compare(made.name, device, NULL, &mesh, &def);
        def.limit = 0;
        compare(made.name, device, NULL, &mesh, &def);
        def.filter = (toi_filter){.groups = made.groups, .group_count = made.vertices};
        compare(made.name, device, NULL, &mesh, &def);
    }
    for (uint64_t seed = 0; seed < 40; ++seed) {
        make_overlap_soup(&made, (soup_shape)(seed % SHAPE_COUNT), PLACE_PLAIN, 90, seed + 200);
        for (int i = 0; i < made.faces; ++i) { // each number is a face's own, or the one's before
            polygons[i] = i % 3 == 1 ? i - 1 : i;
            diagonals[i] = (uint8_t)toi_random_below(&random, 8);
        }
        toi_mesh mesh = soup_mesh(&made);
        toi_overlap_def def = toi_default_overlap_def();
        def.polygons = (toi_polygon_view){polygons, seed % 2 ? diagonals : NULL, made.faces};
        compare(made.name, device, NULL, &mesh, &def);
    }
}

// ---- Scenes

static toi_animation make_frames(const char *name, int64_t size, int frames)
{
    toi_animation scene;
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = size;
    def.begin = 0.9;
    def.frames = frames;
    assert_ok(toi_make_animation(&def, &scene));
    return scene;
}

static toi_mesh frame_of(const toi_animation *scene, int frame)
{
    const double *points = scene->points[frame * scene->point_count];
    return toi_make_mesh(points, points, scene->point_count, scene->faces[0], scene->face_count);
}

static void frames_agree_in_a_scene(void **state)
{
    toi_device *device = *state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation animation = make_frames(toi_animation_name(i), scaled(20000), 4);
        toi_mesh mesh = frame_of(&animation, 0);
        toi_scene *scene = scene_of(&mesh, NULL);
        int64_t pairs = 0;
        left_to_host = 0;
        for (int frame = 0; frame < 4; ++frame) {
            mesh = frame_of(&animation, frame);
            pairs += compare(toi_animation_name(i), device, scene, &mesh, NULL);
        }
        print_message("%-16s %lld pairs, %lld left to the host\n", toi_animation_name(i),
                      (long long)pairs, (long long)left_to_host);
        toi_free_scene(scene);
        toi_free_animation(&animation);
    }
}

static void real_scenes_agree(void **state)
{
    toi_device *device = *state;
    static const char *const names[] = {"cloth-ball", "cloth-funnel", "n-body", "thick-cloth"};
    for (int i = 0; i < 4; ++i) {
        real_frames f;
        if (!load_real_scene(names[i], &f))
            return;
        toi_scene *scene = scene_of(&f.mesh, NULL);
        left_to_host = 0;
        int64_t pairs = compare(names[i], device, scene, &f.mesh, NULL);
        f.mesh.start = f.mesh.end;
        pairs += compare(names[i], device, scene, &f.mesh, NULL);
        print_message("%-16s %lld pairs, %lld left to the host\n", names[i], (long long)pairs,
                      (long long)left_to_host);
        toi_free_scene(scene);
        free_real_frames(&f);
    }
}

// ---- Limits, and what is refused

static void memory_limits_change_nothing(void **state)
{
    (void)state;
    toi_animation animation = make_frames("chazelle", 3000, 2);
    toi_mesh mesh = frame_of(&animation, 1);
    int64_t windows = 0;
    bool refused = false;
    limited = true;
    for (int64_t limit = (int64_t)1 << 32; limit > 1 << 16 && !refused; limit -= limit / 5) {
        toi_device *device = open_card(limit);
        toi_overlap_def def = toi_default_overlap_def();
        toi_overlap_array list = {0};
        def.device = device;
        toi_status status = toi_find_overlaps(&def, &mesh, &list, NULL);
        toi_free_overlaps(&list);
        if (status == TOI_OK)
            compare("chazelle under a limit", device, NULL, &mesh, NULL);
        else if (status != TOI_ERROR_LIMIT)
            fail_msg("%lld bytes: %s", (long long)limit, toi_last_message());
        refused = status != TOI_OK;
        toi_device_report report = toi_device_last_report(device);
        if (!refused && report.peak_bytes > limit)
            fail_msg("%lld bytes of a limit of %lld", (long long)report.peak_bytes,
                     (long long)limit);
        windows = report.windows > windows ? report.windows : windows;
        toi_close_device(device);
    }
    limited = false;
    print_message("at most %lld windows\n", (long long)windows);
    assert_int_not_equal(windows, 1); // 0: a backend without a card
    toi_free_animation(&animation);
}

static void large_stars_agree(void **state)
{
    toi_device *device = *state;
    enum
    {
        FACES = 3000
    };
    static double points[FACES + 2][3];
    static int32_t faces[FACES][3];
    toi_random random = {3};
    for (int i = 1; i < FACES + 2; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = (double)toi_random_below(&random, 2001) - 1000;
    for (int i = 0; i < FACES; ++i) {
        faces[i][0] = 0;
        faces[i][1] = i + 1;
        faces[i][2] = i + 2;
    }
    for (int count = 500; count <= FACES; count += 500) {
        toi_mesh mesh = toi_make_mesh(points[0], points[0], count + 2, faces[0], count);
        assert_true(compare("one vertex", device, NULL, &mesh, NULL) > 1000);
    }
}

static void what_is_refused(void **state)
{
    toi_device *device = *state;
    toi_animation animation = make_frames("boxes", 500, 2);
    toi_mesh mesh = frame_of(&animation, 1);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array list = {0};
    def.device = device;
    def.method = TOI_OVERLAP_BRUTE;
    assert_fails(toi_find_overlaps(&def, &mesh, &list, NULL), TOI_ERROR_UNSUPPORTED, "brute");
    def.method = TOI_OVERLAP_AUTO;
    animation.points[animation.point_count][1] = 1.0 / 0.0;
    assert_fails(toi_find_overlaps(&def, &mesh, &list, NULL), TOI_ERROR_DATA, "inf");
    animation.points[animation.point_count][1] = 0;
    compare("after a refusal", device, NULL, &mesh, NULL);
    toi_free_animation(&animation);
}

// ---- All of it

static int open_all(void **state)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_report report;
    toi_mesh empty = {0};
    def.method = TOI_OVERLAP_KDET;
    has_grid = toi_count_overlaps(&def, &empty, &report) != TOI_ERROR_UNSUPPORTED;
    return open_group(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_agree),       cmocka_unit_test(options_agree),
        cmocka_unit_test(large_stars_agree), cmocka_unit_test(frames_agree_in_a_scene),
        cmocka_unit_test(real_scenes_agree), cmocka_unit_test(memory_limits_change_nothing),
        cmocka_unit_test(what_is_refused),
    };
    return run_on_card("cuda_overlap", tests, open_all, close_group);
}
