// Steps of scenes on a card in other ways than by `exact` from memory of the host: by
// inclusion-queue, from positions in the card's memory, on a stream of the caller's, with the
// impacts left there. All bits are the processor's. Skipped where there is no card, unless
// TOI_REQUIRE_CARD is set.

#include "card.h"
#include "real_frames.h"
#include "steps.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same_lists(const char *name, const toi_impact *found, int64_t count,
                       const toi_impact_array *expected)
{
    for (int64_t i = 0; i < count && i < expected->count; ++i) {
        const toi_impact *f = &found[i], *e = &expected->data[i];
        if (memcmp(f, e, sizeof *f) != 0)
            fail_msg("%s: %d %d-%d, state %d, at %a (%a, %a); not %d %d-%d, state %d, at %a (%a, "
                     "%a)",
                     name, f->kind, f->a, f->b, f->state, f->time, f->u, f->v, e->kind, e->a, e->b,
                     e->state, e->time, e->u, e->v);
    }
    if (count != expected->count)
        fail_msg("%s: %lld impacts, not %lld", name, (long long)count, (long long)expected->count);
}

// ---- inclusion-queue

static const toi_broad_method searches[] = {TOI_BROAD_AUTO, TOI_BROAD_STQ, TOI_BROAD_SWEEP,
                                            TOI_BROAD_GRID, TOI_BROAD_LBVH};

static toi_ccd_def queue_def(double separation)
{
    if (!(toi_narrow_traits(TOI_NARROW_INCLUSION_QUEUE) & TOI_NARROW_TRAIT_BUILT))
        skip(); // the methods of the literature were left out
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = TOI_NARROW_INCLUSION_QUEUE;
    def.narrow.min_separation = separation;
    return def;
}

// Every impact, by some broad phase, and the earliest; returns how many there are.
static int64_t compare(const char *name, toi_device *device, const toi_ccd_def *without,
                       toi_scene *scene, const toi_mesh *mesh)
{
    static int turn;
    toi_ccd_def with = *without;
    toi_impact_array found = {0}, expected = {0};
    toi_ccd_report reports[2];
    with.device = device;
    with.broad.method = searches[turn++ % 5];
    assert_ok(ask_impacts(NULL, without, mesh, &expected, &reports[0]));
    assert_ok(ask_impacts(scene, &with, mesh, &found, &reports[1]));
    same_lists(name, found.data, found.count, &expected);
    assert_memory_equal(reports[1].hits, reports[0].hits, sizeof reports[0].hits);
    assert_memory_equal(reports[1].undecided, reports[0].undecided, sizeof reports[0].undecided);
    assert_ok(ask_earliest(NULL, without, mesh, &reports[0]));
    assert_ok(ask_earliest(scene, &with, mesh, &reports[1]));
    assert_memory_equal(&reports[1].earliest, &reports[0].earliest, sizeof reports[0].earliest);
    assert_int_equal(reports[1].state, reports[0].state);
    int64_t count = expected.count;
    toi_free_impacts(&found);
    toi_free_impacts(&expected);
    return count;
}

static void queues_agree_in_soups(void **state)
{
    toi_device *device = *state;
    toi_random random = {13};
    int64_t impacts = 0;
    for (int64_t i = 0; i < cases(20); ++i) {
        soup s = make_soup(2 + i * i % 200, 0.05 + 0.05 * (double)(i % 8), 0.1 * (double)(i % 5),
                           (uint64_t)i);
        for (int64_t v = 0; i % 3 == 0 && v < s.vertex_count; ++v)
            for (int k = 0; k < 3; ++k) {
                s.start[v][k] = floor(6 * toi_random_unit(&random));
                s.end[v][k] = floor(6 * toi_random_unit(&random));
            }
        toi_ccd_def def = queue_def(i % 2 ? 0.01 : 0);
        toi_scene *scene;
        def.narrow.max_iterations = i % 4 == 3 ? 200 : def.narrow.max_iterations;
        assert_ok(make_scene_of(&s.mesh, NULL, &scene));
        impacts += compare("soup", device, &def, scene, &s.mesh);
        impacts += compare("soup, no scene", device, &def, NULL, &s.mesh);
        def.filter.may_collide = is_not_thrice;
        compare("soup, filtered", device, &def, NULL, &s.mesh);
        toi_free_scene(scene);
        free_soup(&s);
    }
    assert_true(impacts > 1000);
}

static void queues_agree_in_generated_scenes(void **state)
{
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation scene = make_animation(toi_animation_name(i), 2000, 2);
        toi_edge_array edges = {0};
        toi_mesh mesh = mesh_of(&scene, 0, &edges);
        toi_ccd_def def = queue_def(0), apart = queue_def(1e-4);
        def.narrow.max_iterations = 10000; // some touch at t = 0 everywhere
        apart.narrow.max_iterations = 1000;
        compare(toi_animation_name(i), *state, &def, NULL, &mesh);
        compare(toi_animation_name(i), *state, &apart, NULL, &mesh);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
}

static void queues_agree_in_real_scenes(void **state)
{
    static const char *const names[] = {"cloth-funnel", "cloth-ball", "n-body"};
    bool all = true;
    for (int i = 0; i < (!has_card() ? 1 : long_factor() > 1 ? 3 : 2); ++i) {
        real_frames l;
        toi_ccd_def def = queue_def(0);
        toi_scene *scene;
        if (!load_real_scene(names[i], &l)) {
            all = false;
            continue;
        }
        assert_ok(make_scene_of(&l.mesh, NULL, &scene));
        int64_t impacts = compare(names[i], *state, &def, scene, &l.mesh);
        toi_device_report report = toi_device_last_report(*state);
        print_message("%s: %lld impacts, %lld pairs left by the last filter\n", names[i],
                      (long long)impacts, (long long)(report.left[0] + report.left[1]));
        assert_true(impacts > 0);
        toi_free_scene(scene);
        free_real_frames(&l);
    }
    if (!all)
        skip();
}

// In parts, down to a limit that is too low; that is said.
static void memory_limits_change_nothing(void **state)
{
    (void)state;
    toi_animation scene = make_animation("n-body", 5000, 2);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&scene, 0, &edges);
    toi_ccd_def def = queue_def(1e-3);
    toi_impact_array found = {0}, expected = {0};
    int answered = 0;
    assert_ok(toi_find_impacts(&def, &mesh, &expected, NULL));
    for (int64_t limit = (int64_t)1 << 27; limit > 1 << 17; limit /= 2) {
        def.device = open_card(limit);
        toi_status status = toi_find_impacts(&def, &mesh, &found, NULL);
        toi_device_report report = toi_device_last_report(def.device);
        if (status == TOI_OK) {
            same_lists("memory limit", found.data, found.count, &expected);
            assert_true(report.peak_bytes <= limit);
            ++answered;
        } else
            assert_true(status == TOI_ERROR_MEMORY || status == TOI_ERROR_LIMIT);
        toi_close_device(def.device);
    }
    print_message("%d limits were enough\n", answered);
    assert_true(answered >= 3);
    toi_free_impacts(&found);
    toi_free_impacts(&expected);
    toi_free_edges(&edges);
    toi_free_animation(&scene);
}

static void what_is_refused(void **state)
{
    soup s = make_soup(10, 0.3, 0.3, 1);
    toi_ccd_def def = queue_def(0);
    toi_ccd_report report;
    toi_scene *scene;
    toi_impact_view view;
    def.device = *state;
    def.zero_time.relative_separation = 0.1;
    assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_UNSUPPORTED,
                 "the zero-time policy with inclusion-queue");
    def.zero_time.relative_separation = 0;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_fails(
        toi_scene_view_impacts(scene, &def, s.mesh.start, s.mesh.end, TOI_ON_HOST, &view, NULL),
        TOI_ERROR_UNSUPPORTED, "views of impacts by inclusion-queue");
    toi_free_scene(scene);
    free_soup(&s);
}

// ---- The caller's own memory and stream, by the driver, which is there where a card is

typedef struct driver
{
    void *handle;
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*release)(int);
    int (*set_current)(void *);
    int (*allocate)(uint64_t *, size_t);
    int (*give_back)(uint64_t);
    int (*up)(uint64_t, const void *, size_t, void *);
    int (*down)(void *, uint64_t, size_t);
    int (*make_stream)(void **, unsigned);
    int (*end_stream)(void *);
} driver;

static void find_symbol(const driver *d, const char *name, void *function)
{
    void *symbol = dlsym(d->handle, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

static driver find_driver(void)
{
    driver d = {.handle = dlopen("libcuda.so.1", RTLD_NOW)};
    assert_non_null(d.handle);
    find_symbol(&d, "cuInit", &d.init);
    find_symbol(&d, "cuDevicePrimaryCtxRetain", &d.retain);
    find_symbol(&d, "cuDevicePrimaryCtxRelease_v2", &d.release);
    find_symbol(&d, "cuCtxSetCurrent", &d.set_current);
    find_symbol(&d, "cuMemAlloc_v2", &d.allocate);
    find_symbol(&d, "cuMemFree_v2", &d.give_back);
    find_symbol(&d, "cuMemcpyHtoDAsync_v2", &d.up);
    find_symbol(&d, "cuMemcpyDtoH_v2", &d.down);
    find_symbol(&d, "cuStreamCreate", &d.make_stream);
    find_symbol(&d, "cuStreamDestroy_v2", &d.end_stream);
    return d;
}

// Positions that a copy on the same stream writes just before.
static toi_point_view send_points(const driver *d, void *stream, const toi_point_view *points,
                                  uint64_t *memory)
{
    size_t bytes = 3 * sizeof(double) * (size_t)points->count;
    assert_int_equal(d->allocate(memory, bytes), 0);
    assert_int_equal(d->up(*memory, points->data, bytes, stream), 0); // packed
    return toi_view_points((const double *)(uintptr_t)*memory, points->count);
}

static void check_pointers(const driver *d, void *stream, const toi_mesh *mesh)
{
    toi_device_def definition = card_def();
    definition.stream = stream;
    toi_ccd_def def = toi_default_ccd_def();
    toi_impact_array expected = {0};
    toi_impact_view view;
    toi_scene *scene;
    uint64_t memory[2];
    assert_ok(toi_find_impacts(&def, mesh, &expected, NULL));
    assert_ok(toi_open_device(&definition, &def.device));
    assert_ok(make_scene_of(mesh, NULL, &scene));
    toi_point_view start = send_points(d, stream, &mesh->start, &memory[0]);
    toi_point_view end = send_points(d, stream, &mesh->end, &memory[1]);
    toi_impact *list = malloc((size_t)(expected.count + 1) * sizeof *list);
    for (int i = 0; i < 6; ++i) { // the fourth and later ones are played from a graph
        toi_residence residence = i % 2 ? TOI_ON_HOST : TOI_ON_DEVICE;
        assert_ok(toi_scene_view_impacts(scene, &def, start, end, residence, &view, NULL));
        assert_int_equal(view.count, expected.count);
        size_t bytes = (size_t)view.count * sizeof *list;
        if (residence == TOI_ON_DEVICE)
            assert_int_equal(d->down(list, (uint64_t)(uintptr_t)view.data, bytes), 0);
        else
            memcpy(list, view.data, bytes);
        same_lists("the card's memory", list, view.count, &expected);
        assert_ok(toi_scene_view_impacts(scene, &def, end, start, residence, &view, NULL)); // back
    }
    toi_ccd_report with, without;
    toi_device *device = def.device;
    assert_ok(toi_scene_find_earliest(scene, &def, start, end, &with));
    def.device = NULL;
    assert_ok(toi_find_earliest(&def, mesh, &without));
    assert_memory_equal(&with.earliest, &without.earliest, sizeof with.earliest);
    toi_free_scene(scene);
    toi_close_device(device);
    free(list);
    toi_free_impacts(&expected);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(d->give_back(memory[i]), 0);
}

static void callers_memory_and_stream(void **state)
{
    (void)state;
    if (!has_card())
        skip();
    driver d = find_driver();
    void *context, *stream;
    assert_int_equal(d.init(0), 0);
    assert_int_equal(d.retain(&context, 0), 0);
    assert_int_equal(d.set_current(context), 0);
    assert_int_equal(d.make_stream(&stream, 1), 0); // which waits for no other
    toi_animation animation = make_animation("cloth-ball", 4000, 2);
    toi_edge_array edges = {0};
    toi_mesh mesh = mesh_of(&animation, 0, &edges);
    check_pointers(&d, stream, &mesh);
    toi_free_edges(&edges);
    toi_free_animation(&animation);
    assert_int_equal(d.end_stream(stream), 0);
    d.release(0);
    dlclose(d.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_agree_in_soups),
        cmocka_unit_test(queues_agree_in_generated_scenes),
        cmocka_unit_test(queues_agree_in_real_scenes),
        cmocka_unit_test(memory_limits_change_nothing),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(callers_memory_and_stream),
    };
    return run_on_card("cuda_scenes", tests, open_group, close_group);
}
