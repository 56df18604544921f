// The card of the tests that need one: opening it, or saying that there is none; and scenes.

#include "card.h"

#include <stdio.h>
#include <stdlib.h>

toi_device_def card_def(void)
{
    toi_device_def def = toi_default_device_def();
    def.file = getenv("TOI_TEST_BACKEND");
    return def;
}

bool has_card(void)
{
    return !getenv("TOI_TEST_BACKEND");
}

int64_t card_size(int64_t size)
{
    return has_card() ? size : size / 20 + 100;
}

toi_device *open_card(int64_t memory_limit)
{
    toi_device_def def = card_def();
    toi_device *device;
    def.memory_limit = memory_limit;
    assert_ok(toi_open_device(&def, &device));
    return device;
}

toi_ccd_def on_card(toi_device *device)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.device = device;
    return def;
}

bool is_there_a_card(const char *name)
{
    toi_device_def def = card_def();
    toi_device *device;
    if (toi_open_device(&def, &device) == TOI_OK) {
        toi_close_device(device);
        return true;
    }
    printf("skipped %s: %s\n", name, toi_last_message());
    puts("0 passed, 0 failed, 1 skipped");
    return false;
}

int exit_without_card(void)
{
    return getenv("TOI_REQUIRE_CARD") ? 1 : 0;
}

int open_group(void **state)
{
    toi_device *device = open_card(0);
    toi_device_info info = toi_describe_device(device);
    print_message("%s, compute capability %d.%d, %lld MiB\n", info.name, info.compute / 10,
                  info.compute % 10, (long long)(info.memory >> 20));
    *state = device;
    return 0;
}

int close_group(void **state)
{
    toi_close_device(*state);
    return 0;
}

// ---- Scenes

toi_animation make_animation(const char *name, int64_t size, int frames)
{
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = card_size(size);
    def.frames = frames;
    def.begin = 0.7;
    toi_animation scene;
    assert_ok(toi_make_animation(&def, &scene));
    return scene;
}

toi_mesh mesh_of(const toi_animation *scene, int frame, toi_edge_array *edges)
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

bool is_not_thrice(void *context, int32_t a, int32_t b)
{
    (void)context;
    return (a + b) % 3 != 0;
}
