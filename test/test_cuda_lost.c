// A card that is lost in the middle of a step: every call says so, nothing that the caller holds is
// harmed, and the processor answers in the same process. Skipped where there is no card, unless
// TOI_REQUIRE_CARD is set.

#include "card.h"
#include "steps.h"

#include <string.h>

// The card reads page-locked memory by itself, so a stride far beyond it has it read where nothing
// is: it stops, as after a fault of its own.
static toi_point_view wild_points(toi_device *device, int64_t count, double **memory)
{
    *memory = toi_device_allocate(device, 4096);
    assert_non_null(*memory);
    memset(*memory, 0, 4096);
    toi_point_view view = toi_view_points(*memory, count);
    view.stride = (int64_t)1 << 42;
    return view;
}

static void a_lost_card_is_said(void **state)
{
    (void)state;
    if (!has_card())
        skip();
    soup s = make_soup(60, 0.3, 0.4, 1);
    toi_device *device = open_card(0), *other;
    toi_ccd_def def = on_card(device), without = toi_default_ccd_def();
    toi_ccd_report report, expected;
    toi_impact_array list = {0}, impacts = {0};
    toi_scene *scene;
    double *memory;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    assert_ok(toi_scene_find_impacts(scene, &def, s.mesh.start, s.mesh.end, &list, NULL));
    assert_ok(toi_find_earliest(&without, &s.mesh, &expected));
    toi_point_view wild = wild_points(device, s.vertex_count, &memory);
    assert_fails(toi_scene_find_earliest(scene, &def, wild, wild, &report), TOI_ERROR_UNSUPPORTED,
                 "the card is lost to this process");
    print_message("%s\n", toi_last_message());
    // So is every later call, of this scene and of a new one, and opening it again.
    assert_int_equal(toi_scene_find_earliest(scene, &def, s.mesh.start, s.mesh.end, &report),
                     TOI_ERROR_UNSUPPORTED);
    assert_int_equal(toi_find_impacts(&def, &s.mesh, &impacts, NULL), TOI_ERROR_UNSUPPORTED);
    assert_int_equal(impacts.count, 0);
    toi_device_def again = card_def();
    assert_int_equal(toi_open_device(&again, &other), TOI_ERROR_UNSUPPORTED);
    assert_null(other);
    print_message("%s\n", toi_last_message());
    // The processor answers, also of the scene that was on the card.
    assert_ok(toi_scene_find_earliest(scene, &without, s.mesh.start, s.mesh.end, &report));
    assert_memory_equal(&report.earliest, &expected.earliest, sizeof report.earliest);
    assert_ok(toi_scene_find_impacts(scene, &without, s.mesh.start, s.mesh.end, &impacts, NULL));
    assert_int_equal(impacts.count, list.count);
    assert_memory_equal(impacts.data, list.data, (size_t)list.count * sizeof *list.data);
    toi_device_release(device, memory);
    toi_close_device(device);
    toi_free_scene(scene);
    toi_free_impacts(&impacts);
    toi_free_impacts(&list);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lost_card_is_said)};
    return run_on_card("cuda_lost", tests, NULL, NULL);
}
