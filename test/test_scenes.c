// Scenes: sound geometry at any size, the same bits for the same seed, stories that begin without
// contact and end in it, and errors that are values.

#include "overlap_cases.h"
#include "scenes.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static toi_animation_def define(const char *name, int64_t size, int frames)
{
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = size;
    def.frames = frames;
    return def;
}

static uint64_t hash_points(const toi_animation *scene, int first, int count)
{
    return toi_hash(scene->points + first * scene->point_count,
                    (size_t)(count * scene->point_count) * sizeof *scene->points);
}

static uint64_t hash_scene(const toi_animation *scene)
{
    uint64_t hashes[] = {
        hash_points(scene, 0, scene->frames),
        toi_hash(scene->faces, (size_t)scene->face_count * sizeof *scene->faces),
        toi_hash(scene->edges, (size_t)scene->edge_count * sizeof *scene->edges),
        toi_hash(scene->groups, (size_t)scene->point_count * sizeof *scene->groups),
    };
    return toi_hash(hashes, sizeof hashes);
}

static uint64_t hash_of(const toi_animation_def *def)
{
    toi_animation scene;
    assert_ok(toi_make_animation(def, &scene));
    uint64_t hash = hash_scene(&scene);
    toi_free_animation(&scene);
    return hash;
}

static void every_scene_has_a_name_and_a_line(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-ball", "cloth-funnel", "n-body", "rod-twist",
                                        "triangles",  "fracture",     "sheets", "plane",
                                        "boxes",      "chazelle",     "detail"};
    const int count = sizeof names / sizeof *names;
    for (int i = 0; i < count; ++i) {
        assert_string_equal(toi_animation_name(i), names[i]);
        assert_true(strlen(toi_animation_about(i)) > 20);
    }
    assert_null(toi_animation_name(count));
    assert_null(toi_animation_about(count));
    assert_null(toi_animation_name(-1));
}

static void check_points(const toi_animation *scene)
{
    for (int64_t i = 0; i < scene->frames * scene->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(scene->points[i][k]))
                fail_msg("point %" PRId64 " is not finite", i);
    for (int f = 0; f + 1 < scene->frames; ++f)
        assert_int_not_equal(hash_points(scene, f, 1), hash_points(scene, f + 1, 1));
}

static bool in_one_group(const toi_animation *scene, const int32_t *row, int count)
{
    for (int k = 0; k < count; ++k) {
        if (row[k] < 0 || row[k] >= scene->point_count)
            return false;
        for (int j = 0; j < k; ++j)
            if (row[j] == row[k])
                return false;
        if (scene->groups[row[k]] != scene->groups[row[0]])
            return false;
    }
    return true;
}

static void check_topology(const toi_animation *scene)
{
    for (int64_t i = 0; i < scene->face_count; ++i)
        assert_true(in_one_group(scene, scene->faces[i], 3));
    for (int64_t i = 0; i < scene->edge_count; ++i)
        assert_true(in_one_group(scene, scene->edges[i], 2));
    // Bodies are numbered from 0 without gaps.
    int32_t last = -1;
    for (int64_t i = 0; i < scene->point_count; ++i) {
        assert_true(scene->groups[i] == last || scene->groups[i] == last + 1);
        last = scene->groups[i];
    }
}

static void scenes_are_sound_at_any_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 10, 37, 100, 333, 1000, 1234, 3000, 7777, 20000};
    for (int i = 0; toi_animation_name(i); ++i) {
        for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); ++k) {
            toi_animation_def def = define(toi_animation_name(i), sizes[k], 3);
            def.begin = k % 2 ? 0.25 : 0.0;
            toi_animation scene;
            assert_ok(toi_make_animation(&def, &scene));
            assert_int_equal(scene.frames, 3);
            assert_true(scene.face_count > 0 && scene.length >= 2);
            double ratio = (double)scene.face_count / (double)sizes[k];
            if (sizes[k] >= 1000 && !(ratio > 0.8 && ratio < 1.2))
                fail_msg("%s of size %" PRId64 " has %" PRId64 " faces", def.name, sizes[k],
                         scene.face_count);
            check_points(&scene);
            check_topology(&scene);
            assert_int_equal(hash_of(&def), hash_scene(&scene));
            toi_free_animation(&scene);
            toi_free_animation(&scene);
        }
    }
}

static int compare_sides(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int32_t));
}

// No two faces run along a side in the same direction.
static void check_directions(const toi_animation *scene)
{
    size_t count = (size_t)(3 * scene->face_count);
    int32_t(*sides)[2] = malloc(count * sizeof *sides);
    for (size_t i = 0; i < count; ++i) {
        sides[i][0] = scene->faces[i / 3][i % 3];
        sides[i][1] = scene->faces[i / 3][(i + 1) % 3];
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t i = 1; i < count; ++i)
        assert_int_not_equal(compare_sides(sides[i - 1], sides[i]), 0);
    free(sides);
}

// Closed surfaces are not torn: each edge of a ball or a box has two faces, of opposite direction.
static void check_closed(const char *name)
{
    for (int64_t size = 1; size < 4000; size += 1 + size / 2) {
        toi_animation_def def = define(name, size, 2);
        toi_animation scene;
        assert_ok(toi_make_animation(&def, &scene));
        toi_edge_array edges;
        toi_index_view faces = {scene.faces[0], scene.face_count, 0};
        assert_ok(toi_make_edges(faces, (toi_index_view){0}, scene.point_count, &edges));
        assert_int_equal(2 * edges.count, 3 * scene.face_count);
        check_directions(&scene);
        int64_t bodies = scene.groups[scene.point_count - 1] + 1;
        assert_int_equal(scene.point_count - edges.count + scene.face_count, 2 * bodies);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
}

static void surfaces_are_oriented(void **state)
{
    (void)state;
    check_closed("n-body");
    check_closed("boxes");
    check_closed("chazelle");
}

static void seeds_differ(void **state)
{
    (void)state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = define(toi_animation_name(i), 1000, 2);
        uint64_t first = hash_of(&def);
        def.seed = 2;
        assert_int_not_equal(hash_of(&def), first);
    }
}

// Frames do not depend on how many are asked for, nor on where the sequence is entered.
static void frames_are_windows_of_one_sequence(void **state)
{
    (void)state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = define(toi_animation_name(i), 800, 12);
        toi_animation all, few;
        assert_ok(toi_make_animation(&def, &all));
        for (int first = 0; first <= 9; first += 3) {
            def.frames = 2;
            def.begin = (double)first / (double)all.length;
            assert_ok(toi_make_animation(&def, &few));
            assert_int_equal(hash_points(&few, 0, 2), hash_points(&all, first, 2));
            toi_free_animation(&few);
        }
        toi_free_animation(&all);
    }
}

// Beyond its end an animation goes on.
static void stories_do_not_stop(void **state)
{
    (void)state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = define(toi_animation_name(i), 300, 2);
        def.begin = 1.0;
        toi_animation scene;
        assert_ok(toi_make_animation(&def, &scene));
        def.frames = (int)scene.length + 2;
        toi_free_animation(&scene);
        assert_ok(toi_make_animation(&def, &scene));
        check_points(&scene);
        toi_free_animation(&scene);
    }
}

typedef struct contacts
{
    int64_t hits;
    int64_t within; // one body
} contacts;

static contacts find_contacts(const toi_animation_def *scene_def)
{
    toi_animation scene;
    assert_ok(toi_make_animation(scene_def, &scene));
    toi_mesh mesh = toi_make_mesh(scene.points[0], scene.points[scene.point_count],
                                  scene.point_count, scene.faces[0], scene.face_count);
    toi_index_view loose = {scene.edges[0], scene.edge_count, 0};
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, loose, scene.point_count, &edges));
    mesh.edges = toi_view_edges(&edges);
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    contacts c = {.hits = impacts.count};
    for (int64_t i = 0; i < impacts.count; ++i) {
        const toi_impact *impact = &impacts.data[i];
        bool face = impact->kind == TOI_VERTEX_FACE;
        int32_t a = face ? impact->a : edges.data[impact->a][0];
        int32_t b = face ? scene.faces[impact->b][0] : edges.data[impact->b][0];
        c.within += scene.groups[a] == scene.groups[b];
    }
    toi_free_impacts(&impacts);
    toi_free_edges(&edges);
    toi_free_animation(&scene);
    return c;
}

static void stories_begin_apart_and_end_in_contact(void **state)
{
    (void)state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = define(toi_animation_name(i), 3000, 2);
        for (def.begin = 0.0; def.begin < 0.1; def.begin += 0.03) {
            contacts c = find_contacts(&def);
            if (c.hits != 0)
                fail_msg("%s has %" PRId64 " impacts at %g", def.name, c.hits, def.begin);
        }
        for (def.begin = 0.6; def.begin <= 1.0; def.begin += 0.1) {
            contacts c = find_contacts(&def);
            if (c.hits < 5)
                fail_msg("%s has only %" PRId64 " impacts at %g", def.name, c.hits, def.begin);
        }
    }
}

static void cloth_touches_itself(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-ball", "cloth-funnel"};
    for (int i = 0; i < 2; ++i) {
        toi_animation_def def = define(names[i], 6000, 2);
        def.begin = 0.6;
        assert_true(find_contacts(&def).within > 10);
    }
}

static void the_plane_is_flat(void **state)
{
    (void)state;
    toi_animation_def def = define("plane", 500, 30);
    toi_animation scene;
    assert_ok(toi_make_animation(&def, &scene));
    for (int64_t i = 0; i < scene.frames * scene.point_count; ++i)
        assert_true(scene.points[i][2] == 0.0);
    toi_free_animation(&scene);
}

static void the_rope_has_loose_edges_and_points(void **state)
{
    (void)state;
    toi_animation_def def = define("rod-twist", 2000, 2);
    toi_animation scene;
    assert_ok(toi_make_animation(&def, &scene));
    bool *used = calloc((size_t)scene.point_count, sizeof *used);
    for (int64_t i = 0; i < scene.face_count; ++i)
        for (int k = 0; k < 3; ++k)
            used[scene.faces[i][k]] = true;
    for (int64_t i = 0; i < scene.edge_count; ++i)
        for (int k = 0; k < 2; ++k) {
            assert_false(used[scene.edges[i][0]] && used[scene.edges[i][1]] && i == 0);
            used[scene.edges[i][k]] = true;
        }
    int64_t loose = 0;
    for (int64_t i = 0; i < scene.point_count; ++i)
        loose += !used[i];
    assert_true(scene.edge_count > 50 && loose > 50);
    free(used);
    toi_free_animation(&scene);
}

// A size of 600 is fifty bodies, as benchmarks of small scenes want them.
static void boxes_have_twelve_faces_each(void **state)
{
    (void)state;
    toi_animation_def def = define("boxes", 600, 2);
    toi_animation scene;
    assert_ok(toi_make_animation(&def, &scene));
    assert_int_equal(scene.face_count, 600);
    assert_int_equal(scene.point_count, 400);
    assert_int_equal(scene.groups[scene.point_count - 1], 49);
    for (int64_t i = 0; i < scene.face_count; ++i)
        assert_int_equal(scene.groups[scene.faces[i][0]], i / 12);
    toi_free_animation(&scene);
    def.begin = 0.8;
    contacts c = find_contacts(&def);
    assert_true(c.hits > 5 && c.within == 0);
}

// Pairs of faces that intersect in the first frame; they must all be of two bodies.
static int64_t count_between_bodies(const toi_animation_def *scene_def)
{
    toi_animation scene;
    assert_ok(toi_make_animation(scene_def, &scene));
    toi_mesh mesh = toi_make_mesh(scene.points[0], scene.points[0], scene.point_count,
                                  scene.faces[0], scene.face_count);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array overlaps = {0};
    assert_ok(toi_find_overlaps(&def, &mesh, &overlaps, NULL));
    int64_t count = overlaps.count;
    for (int64_t i = 0; i < count; ++i) {
        int32_t a = scene.faces[overlaps.data[i].a][0], b = scene.faces[overlaps.data[i].b][0];
        assert_int_not_equal(scene.groups[a], scene.groups[b]);
    }
    toi_free_overlaps(&overlaps);
    toi_free_animation(&scene);
    return count;
}

// Every notch of one meets every notch of the other, and neither touches itself.
static void chazelles_polyhedra_intersect_quadratically(void **state)
{
    (void)state;
    static const double begins[] = {0.6, 0.8, 1.0};
    for (int i = 0; i < 3; ++i) {
        toi_animation_def def = define("chazelle", 2000, 2);
        def.begin = begins[i];
        int64_t few = count_between_bodies(&def);
        def.size = 8000;
        int64_t many = count_between_bodies(&def);
        int64_t notches = 8000 / 64;
        assert_true(many > 4 * notches * notches);
        assert_true(many > 8 * few); // linear: 4, quadratic: 16 but for the sides of the blocks
    }
    toi_animation_def apart = define("chazelle", 1000, 2);
    assert_int_equal(count_between_bodies(&apart), 0);
}

static double longest_side(const toi_animation *scene, int64_t face)
{
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = scene->points[scene->faces[face][k]];
        const double *b = scene->points[scene->faces[face][(k + 1) % 3]];
        double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        longest = fmax(longest, sqrt(x * x + y * y + z * z));
    }
    return longest;
}

// A hierarchy of sizes is at least ten levels high.
static void the_detailed_body_is_fine(void **state)
{
    (void)state;
    for (int64_t size = 100; size <= 100000; size *= 10) {
        toi_animation_def def = define("detail", size, 2);
        toi_animation scene;
        assert_ok(toi_make_animation(&def, &scene));
        double finest = longest_side(&scene, 0);
        for (int64_t i = 1; i < scene.face_count - 2; ++i)
            finest = fmin(finest, longest_side(&scene, i));
        assert_int_equal(scene.groups[scene.faces[scene.face_count - 2][0]], 1);
        assert_true(longest_side(&scene, scene.face_count - 1) > 1024 * finest);
        toi_free_animation(&scene);
    }
}

// The cases of intersecting faces: all can be made, their names differ, and the last digits are
// those of other platforms.
static void overlap_cases_are_those_of_other_platforms(void **state)
{
    (void)state;
    uint64_t hash = 0;
    toi_solid solid;
    for (int i = 0; i < toi_overlap_case_count(); ++i) {
        toi_overlap_case known = toi_describe_overlap_case(i);
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(known.name, toi_describe_overlap_case(j).name);
        assert_ok(toi_make_overlap_case(i, &solid));
        uint64_t hashes[] = {
            hash, toi_hash(solid.points, (size_t)solid.point_count * sizeof *solid.points),
            toi_hash(solid.faces, (size_t)solid.face_count * sizeof *solid.faces)};
        hash = toi_hash(hashes, sizeof hashes);
        toi_free_solid(&solid);
    }
    if (hash != UINT64_C(0x164cc3a7062dc3cc))
        fail_msg("UINT64_C(0x%016" PRIx64 ")", hash);
    assert_fails(toi_make_overlap_case(toi_overlap_case_count(), &solid), TOI_ERROR_ARGUMENT,
                 "no number");
    assert_null(solid.points);
}

static void assert_refused(const toi_animation_def *def, toi_status status, const char *text)
{
    toi_animation scene;
    memset(&scene, 0xff, sizeof scene);
    assert_fails(toi_make_animation(def, &scene), status, text);
    assert_null(scene.points);
    assert_int_equal(scene.point_count, 0);
    toi_free_animation(&scene);
}

static void errors_are_values(void **state)
{
    (void)state;
    toi_animation_def def = define("teapot", 100, 2);
    for (int i = 0; toi_animation_name(i); ++i)
        assert_refused(&def, TOI_ERROR_ARGUMENT, toi_animation_name(i));
    assert_refused(&def, TOI_ERROR_ARGUMENT, "teapot");
    def.name = NULL;
    assert_refused(&def, TOI_ERROR_ARGUMENT, "plane");
    def = define("plane", 0, 2);
    assert_refused(&def, TOI_ERROR_ARGUMENT, "at least 1, not 0");
    def = define("plane", 10, 1);
    assert_refused(&def, TOI_ERROR_ARGUMENT, "at least 2 frames, not 1");
    def = define("plane", 10, 2);
    def.begin = NAN;
    assert_refused(&def, TOI_ERROR_ARGUMENT, "between 0 and 1");
    def.begin = 1.5;
    assert_refused(&def, TOI_ERROR_ARGUMENT, "between 0 and 1");
    def = (toi_animation_def){.name = "plane", .size = 10, .frames = 2};
    assert_refused(&def, TOI_ERROR_ARGUMENT, "toi_default_animation_def");
    def = define("plane", INT64_C(1) << 31, 2);
    assert_refused(&def, TOI_ERROR_LIMIT, "2147483647");
    def = define("plane", INT32_MAX, 2); // three points a face
    assert_refused(&def, TOI_ERROR_LIMIT, "points");
    def = define("plane", INT32_MAX / 4, INT32_MAX);
    assert_refused(&def, TOI_ERROR_MEMORY, "");
}

// An allocator that fails after a number of calls, and counts what is held.
typedef struct limited
{
    int64_t left;
    int64_t held;
} limited;

static void *allocate_limited(void *user, size_t size, size_t alignment)
{
    limited *l = user;
    if (l->left-- <= 0)
        return NULL;
    l->held += 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_limited(void *user, void *memory, size_t size)
{
    (void)size;
    ((limited *)user)->held -= memory != NULL;
    free(memory);
}

static void a_failing_allocator_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation_def def = define(toi_animation_name(i), 50, 2);
        limited l = {0};
        toi_status status = TOI_ERROR_MEMORY;
        for (int64_t calls = 0; status != TOI_OK; ++calls) {
            l.left = calls;
            toi_set_hooks(
                &(toi_hooks){.user = &l, .allocate = allocate_limited, .release = release_limited});
            toi_animation scene;
            status = toi_make_animation(&def, &scene);
            assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
            toi_free_animation(&scene);
            assert_int_equal(l.held, 0);
            assert_true(calls < 100);
        }
        toi_set_hooks(NULL);
    }
}

// The same on every platform and with every compiler: 500 faces, four frames from half-way on.
static void hashes_are_those_of_other_platforms(void **state)
{
    (void)state;
    static const struct expectation
    {
        const char *name;
        uint64_t hash;
    } expected[] = {
        {"cloth-ball", UINT64_C(0x3bad00758e74fe91)},
        {"cloth-funnel", UINT64_C(0xa8daa9f9b7edd3fb)},
        {"n-body", UINT64_C(0xdebb24f474962a3f)},
        {"rod-twist", UINT64_C(0x64ae9652450cb96b)},
        {"triangles", UINT64_C(0x3368a167c55c3c25)},
        {"fracture", UINT64_C(0x9688d56c83b61365)},
        {"sheets", UINT64_C(0x58c3157711523837)},
        {"plane", UINT64_C(0xbc66b41609753d3a)},
        {"boxes", UINT64_C(0x51abdae4bf6781a1)},
        {"chazelle", UINT64_C(0xfac9af07ff5e94b4)},
        {"detail", UINT64_C(0xf6bfb7f10f241c9b)},
    };
    int wrong = 0;
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); ++i) {
        toi_animation_def def = define(expected[i].name, 500, 4);
        def.begin = 0.5;
        uint64_t hash = hash_of(&def);
        if (hash != expected[i].hash) {
            print_error("%s: UINT64_C(0x%016" PRIx64 ")\n", expected[i].name, hash);
            ++wrong;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_has_a_name_and_a_line),
        cmocka_unit_test(scenes_are_sound_at_any_size),
        cmocka_unit_test(surfaces_are_oriented),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(frames_are_windows_of_one_sequence),
        cmocka_unit_test(stories_do_not_stop),
        cmocka_unit_test(stories_begin_apart_and_end_in_contact),
        cmocka_unit_test(cloth_touches_itself),
        cmocka_unit_test(the_plane_is_flat),
        cmocka_unit_test(the_rope_has_loose_edges_and_points),
        cmocka_unit_test(boxes_have_twelve_faces_each),
        cmocka_unit_test(chazelles_polyhedra_intersect_quadratically),
        cmocka_unit_test(the_detailed_body_is_fine),
        cmocka_unit_test(overlap_cases_are_those_of_other_platforms),
        cmocka_unit_test(errors_are_values),
        cmocka_unit_test(a_failing_allocator_leaves_nothing_behind),
        cmocka_unit_test(hashes_are_those_of_other_platforms),
    };
    return cmocka_run_group_tests_name("scenes", tests, NULL, NULL);
}
