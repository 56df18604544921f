// Every broad phase finds the candidates of `brute` in the generated scenes, in the real ones, and
// over the frames of a sequence with a scene that is kept. `make test-long` has every scene, size,
// method and number of workers.

#include "real_frames.h"
#include "scenes.h"
#include "steps.h"

#include "toi/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Candidates of both kinds: their number, a hash that does not depend on the order, and one that
// does.
typedef struct fingerprint
{
    int64_t count[TOI_KIND_COUNT];
    uint64_t mix[TOI_KIND_COUNT];
    uint64_t ordered[TOI_KIND_COUNT];
} fingerprint;

static uint64_t mix_pairs(const toi_pair_array *pairs)
{
    uint64_t mix = 0;
    for (int64_t i = 0; i < pairs->count; ++i) {
        uint64_t key = (uint64_t)(uint32_t)pairs->data[i].a << 32 | (uint32_t)pairs->data[i].b;
        key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        mix += (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
    }
    return mix;
}

// The lists are reused from call to call.
static toi_pair_array lists[TOI_KIND_COUNT];

static void free_lists(void)
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&lists[kind]);
}

static fingerprint find(int method, int workers, toi_scene *scene, const toi_mesh *mesh)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.broad.method = (toi_broad_method)method;
    def.broad.order = TOI_ORDER_OWN;
    def.workers = workers;
    assert_ok(ask_all_candidates(scene, &def, mesh, lists, NULL));
    fingerprint f;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        f.count[kind] = lists[kind].count;
        f.mix[kind] = mix_pairs(&lists[kind]);
        f.ordered[kind] = toi_hash(lists[kind].data, (size_t)lists[kind].count * sizeof(toi_pair));
    }
    return f;
}

static void compare(const char *name, int method, int workers, const fingerprint *found,
                    const fingerprint *expected)
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        if (found->count[kind] != expected->count[kind] || found->mix[kind] != expected->mix[kind])
            fail_msg("%s: %s with %d workers: %lld %s pairs, not the %lld of brute", name,
                     toi_broad_name((toi_broad_method)method), workers,
                     (long long)found->count[kind], toi_kind_name((toi_kind)kind),
                     (long long)expected->count[kind]);
}

// Of many elements `brute` takes most of the time, and of the most every method takes long.
static bool is_wanted(int method, const toi_mesh *mesh)
{
    if (mesh->faces.count > 100000 && long_factor() == 1)
        return method == TOI_BROAD_AUTO || method == TOI_BROAD_BVH;
    return method != TOI_BROAD_BRUTE || mesh->faces.count <= 11000;
}

// Every method; own order must be that of one worker for each of the others.
static fingerprint check_mesh(const char *name, const toi_mesh *mesh, int most_workers)
{
    // The largest meshes have their pairs counted by others: there any method is as good.
    bool brute = mesh->faces.count < 100000 || long_factor() > 1;
    fingerprint expected = find(brute ? TOI_BROAD_BRUTE : TOI_BROAD_STQ, 2, NULL, mesh);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        if (!is_wanted(method, mesh))
            continue;
        fingerprint own = find(method, 1, NULL, mesh);
        compare(name, method, 1, &own, &expected);
        for (int workers = 2; workers <= most_workers; ++workers) {
            fingerprint found = find(method, workers, NULL, mesh);
            compare(name, method, workers, &found, &expected);
            if (memcmp(found.ordered, own.ordered, sizeof own.ordered) != 0)
                fail_msg("%s: %s has another order with %d workers", name,
                         toi_broad_name((toi_broad_method)method), workers);
        }
    }
    return expected;
}

// Frames f and f + 1 of a scene as a mesh.
static toi_mesh mesh_of(const toi_animation *scene, int frame, toi_edge_array *edges)
{
    toi_mesh mesh = toi_make_mesh(scene->points[frame * scene->point_count],
                                  scene->points[(frame + 1) * scene->point_count],
                                  scene->point_count, scene->faces[0], scene->face_count);
    toi_index_view loose = {scene->edges[0], scene->edge_count, 0};
    if (!edges->data)
        assert_ok(toi_make_edges(mesh.faces, loose, scene->point_count, edges));
    mesh.edges = toi_view_edges(edges);
    return mesh;
}

static toi_animation make_scene(int index, int64_t size, int frames)
{
    toi_animation_def def = toi_default_animation_def();
    def.name = toi_animation_name(index);
    def.size = size;
    def.frames = frames;
    def.begin = 0.7;
    toi_animation scene;
    assert_ok(toi_make_animation(&def, &scene));
    return scene;
}

static void check_generated(int64_t size, int most_workers)
{
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_scene(i, size, 2);
        toi_edge_array edges = {0};
        toi_mesh mesh = mesh_of(&scene, 0, &edges);
        fingerprint found = check_mesh(toi_animation_name(i), &mesh, most_workers);
        assert_true(found.count[TOI_VERTEX_FACE] > 0 && found.count[TOI_EDGE_EDGE] > 0);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
    free_lists();
}

static void small_scenes_agree_with_brute(void **state)
{
    (void)state;
    check_generated(long_factor() > 1 ? 10000 : 2000, long_factor() > 1 ? 8 : 4);
}

static void large_scenes_agree_with_brute(void **state)
{
    (void)state;
    check_generated(long_factor() > 1 ? 100000 : 12000, long_factor() > 1 ? 8 : 1);
}

static void free_kept(toi_scene *kept[TOI_BROAD_COUNT])
{
    for (int method = 0; method < TOI_BROAD_COUNT; ++method)
        toi_free_scene(kept[method]);
}

// The frames of a scene, which is kept, once for each method.
static void frames_agree_in_a_scene(void **state)
{
    (void)state;
    int frames = long_factor() > 1 ? 40 : 4;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_scene(i, long_factor() > 1 ? 10000 : 2000, frames + 1);
        toi_edge_array edges = {0};
        toi_scene *kept[TOI_BROAD_COUNT] = {0};
        for (int frame = 0; frame < frames; ++frame) {
            toi_mesh mesh = mesh_of(&scene, frame, &edges);
            fingerprint expected = find(TOI_BROAD_BRUTE, 2, NULL, &mesh);
            for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
                if (!kept[method])
                    assert_ok(make_scene_of(&mesh, NULL, &kept[method]));
                fingerprint found = find(method, 2, kept[method], &mesh);
                compare(toi_animation_name(i), method, 2, &found, &expected);
            }
        }
        free_kept(kept);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
    free_lists();
}

static void real_scenes_agree_with_brute(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        int64_t candidates[TOI_PAIR_KINDS]; // as published
    } scenes[] = {{"cloth-funnel", {7319, 33770}},
                  {"cloth-ball", {1655541, 5197332}},
                  {"n-body", {9396388, 22366873}}};
    for (int i = 0; i < 3; ++i) {
        real_frames l;
        if (!load_real_scene(scenes[i].name, &l))
            skip();
        fingerprint found = check_mesh(scenes[i].name, &l.mesh, long_factor() > 1 ? 8 : 1);
        assert_memory_equal(found.count, scenes[i].candidates, sizeof scenes[i].candidates);
        free_real_frames(&l);
    }
    free_lists();
}

// A dancer, with one scene a method from the first frame to the last.
static void a_real_sequence_agrees_in_a_scene(void **state)
{
    (void)state;
    toi_scene *kept[TOI_BROAD_COUNT] = {0};
    int frames = long_factor() > 1 ? 59 : 4;
    bool found_all = true;
    for (int frame = 0; frame < frames && found_all; ++frame) {
        char start[100], end[100];
        real_frames l;
        snprintf(start, sizeof start, "sequences/rumba/frame_%03d.ply", frame);
        snprintf(end, sizeof end, "sequences/rumba/frame_%03d.ply", frame + 1);
        found_all = load_real_frames(start, end, &l);
        if (!found_all)
            break;
        fingerprint expected = find(TOI_BROAD_BRUTE, 2, NULL, &l.mesh);
        for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
            if (!kept[method])
                assert_ok(make_scene_of(&l.mesh, NULL, &kept[method]));
            fingerprint found = find(method, 1 + frame % 2, kept[method], &l.mesh);
            compare(start, method, 1 + frame % 2, &found, &expected);
        }
        free_real_frames(&l);
    }
    free_kept(kept);
    free_lists();
    if (!found_all)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scenes_agree_with_brute),
        cmocka_unit_test(large_scenes_agree_with_brute),
        cmocka_unit_test(frames_agree_in_a_scene),
        cmocka_unit_test(real_scenes_agree_with_brute),
        cmocka_unit_test(a_real_sequence_agrees_in_a_scene),
    };
    return cmocka_run_group_tests_name("broad_scenes", tests, NULL, NULL);
}
