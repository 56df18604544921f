// The host's side of devices where something fails, with a backend that needs no card: messages say
// what, and the scene answers afterwards, with and without the device.

#include "counted_hooks.h"
#include "fake_device.h"
#include "steps.h"

#include <math.h>
#include <string.h>

// ---- Opening

static void opening_says_why_not(void **state)
{
    (void)state;
    toi_device *device;
    toi_device_def def = fake_def();
    def.file = "/nowhere/libtoi_none.so";
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_UNSUPPORTED, "libtoi_none.so");
    assert_null(device);
    def.file = TOI_NO_BACKEND;
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_UNSUPPORTED, "no backend of toi");
    def = fake_def();
    knobs->version = 77;
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_UNSUPPORTED, "another version");
    knobs->version = 0;
    knobs->open = TOI_ERROR_UNSUPPORTED;
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_UNSUPPORTED, "opening it has failed");
    knobs->open = TOI_OK;
    def.number = -1;
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_ARGUMENT, "number of the card is -1");
    def = fake_def();
    def.memory_limit = -1;
    assert_fails(toi_open_device(&def, &device), TOI_ERROR_ARGUMENT, "memory limit is negative");
    assert_fails(toi_open_device(&(toi_device_def){0}, &device), TOI_ERROR_ARGUMENT,
                 "toi_default_device_def");
    assert_fails(toi_open_device(NULL, &device), TOI_ERROR_ARGUMENT, "toi_default_device_def");
    assert_null(device);
    def = fake_def();
    assert_fails(toi_open_device(&def, NULL), TOI_ERROR_ARGUMENT, "no place");
}

static void a_device_has_a_name_and_memory(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    assert_string_equal(toi_describe_device(device).name, "fake");
    assert_string_equal(toi_describe_device(NULL).name, "");
    double *memory = toi_device_allocate(device, 100 * sizeof *memory);
    assert_non_null(memory);
    memory[99] = 1;
    assert_null(toi_device_allocate(device, (size_t)1 << 60));
    assert_non_null(strstr(toi_last_message(), "allocating has failed"));
    assert_null(toi_device_allocate(NULL, 8));
    toi_device_release(device, NULL);
    toi_device_release(device, memory);
    assert_int_equal(toi_device_last_report(NULL).stage_count, 0);
    toi_close_device(device);
    toi_close_device(NULL);
}

// ---- Failures

static void fails_and_goes_on(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                              toi_status *knob)
{
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    toi_ccd_def without = *def;
    without.device = NULL;
    const toi_status kinds[] = {TOI_ERROR_MEMORY, TOI_ERROR_UNSUPPORTED, TOI_ERROR_LIMIT};
    for (int i = 0; i < 3; ++i) {
        assert_ok(ask_impacts(scene, def, mesh, &impacts, &report));
        if (scene && knob == &knobs->make_mesh)
            assert_ok(toi_scene_trim(scene));
        *knob = kinds[i];
        assert_fails(ask_impacts(scene, def, mesh, &impacts, &report), kinds[i], "has failed");
        assert_int_equal(impacts.count, 0);
        assert_true(isinf(report.earliest.time));
        if (knob != &knobs->merge)
            assert_fails(ask_earliest(scene, def, mesh, &report), kinds[i], "has failed");
        assert_ok(ask_impacts(scene, &without, mesh, &impacts, &report)); // the processor answers
        assert_true(impacts.count > 0);
        *knob = TOI_OK;
        compare_devices(scene, def, mesh);
    }
    toi_free_impacts(&impacts);
}

static void failures_leave_a_scene_usable(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_soup(40, 0.4, 0.4, 2);
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    toi_status *const all[] = {&knobs->find, &knobs->merge, &knobs->make_mesh};
    for (int i = 0; i < 3; ++i) {
        fails_and_goes_on(scene, &def, &s.mesh, all[i]);
        fails_and_goes_on(NULL, &def, &s.mesh, all[i]);
    }
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

// The hook refuses the n-th block and all that follow: opening a device, making a scene, asking it.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    soup s = make_soup(15, 0.4, 0.4, 2);
    int failed = 0;
    toi_status status = TOI_ERROR_MEMORY;
    for (int64_t n = 0; status != TOI_OK && n < 500; ++n) {
        toi_device_def definition = fake_def();
        toi_device *device = NULL;
        toi_scene *scene = NULL;
        toi_impact_array impacts = {0};
        ledger.left = n;
        status = toi_open_device(&definition, &device);
        toi_ccd_def def = on_device(device);
        if (status == TOI_OK)
            status = make_scene_of(&s.mesh, NULL, &scene);
        if (status == TOI_OK)
            status = ask_impacts(scene, &def, &s.mesh, &impacts, NULL);
        if (status == TOI_OK)
            status = ask_impacts(NULL, &def, &s.mesh, &impacts, NULL);
        assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
        failed += status != TOI_OK;
        ledger.left = -1;
        if (device && scene)
            assert_true(compare_devices(scene, &def, &s.mesh) > 0);
        toi_free_impacts(&impacts);
        toi_free_scene(scene);
        toi_close_device(device);
    }
    assert_int_equal(status, TOI_OK);
    assert_true(failed > 20);
    free_soup(&s);
}

static void bad_positions_are_named(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_soup(40, 0.4, 0.4, 2);
    toi_ccd_report report;
    double good = s.end[5][1];
    s.end[5][1] = INFINITY;
    assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_DATA,
                 "vertex 5: coordinate y at t = 1 is inf");
    s.end[5][1] = good;
    s.mesh.start.count -= 1;
    assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_DATA, "vertices at t = 0");
    s.mesh.start = (toi_point_view){NULL, s.vertex_count, 0, TOI_DOUBLE};
    assert_fails(toi_find_earliest(&def, &s.mesh, &report), TOI_ERROR_DATA, "no data for");
    free_soup(&s);
    toi_close_device(device);
}

static bool stop(void *context, double share)
{
    (void)share;
    ++*(int *)context;
    return false;
}

static void a_call_can_be_cancelled(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    int asked = 0;
    soup s = make_soup(40, 0.4, 0.4, 2);
    toi_impact_array impacts = {0};
    def.progress = stop;
    def.progress_context = &asked;
    assert_int_equal(toi_find_impacts(&def, &s.mesh, &impacts, NULL), TOI_ERROR_CANCELLED);
    assert_int_equal(asked, 1);
    toi_free_impacts(&impacts);
    free_soup(&s);
    toi_close_device(device);
}

static void what_it_does_not_do_is_refused(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    soup s = make_soup(20, 0.4, 0.4, 2);
    toi_ccd_report report;
    toi_pair_array given[TOI_KIND_COUNT] = {0}, pairs = {0};
    enum
    {
        CASES = 6
    };
    toi_ccd_def defs[CASES];
    static const char *const words[CASES] = {"narrow phases", "second pass",
                                             "given pairs",   "count_candidates",
                                             "float_boxes",   "broad.method at auto"};
    for (int i = 0; i < CASES; ++i)
        defs[i] = on_device(device);
    defs[0].narrow.method = TOI_NARROW_INCLUSION;
    defs[1].zero_time.rescale = 0.8;
    defs[2].given = given;
    defs[3].count_candidates = true;
    defs[4].float_boxes = true;
    defs[5].broad.method = TOI_BROAD_LBVH;
    for (int i = 0; i < CASES; ++i)
        assert_fails(toi_find_earliest(&defs[i], &s.mesh, &report), TOI_ERROR_UNSUPPORTED,
                     words[i]);
    toi_ccd_def def = on_device(device);
    def.broad.method = TOI_BROAD_KDTREE;
    assert_fails(toi_find_candidates(&def, &s.mesh, TOI_EDGE_EDGE, &pairs, NULL),
                 TOI_ERROR_UNSUPPORTED, "use auto, stq, sweep, grid or lbvh");
    assert_fails(toi_find_candidates(&defs[2], &s.mesh, TOI_EDGE_EDGE, &pairs, NULL),
                 TOI_ERROR_UNSUPPORTED, "given pairs");
    free_soup(&s);
    toi_close_device(device);
}

static void wrong_views_are_refused(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device);
    soup s = make_soup(20, 0.4, 0.4, 2);
    toi_impact_view view;
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    toi_ccd_def without = toi_default_ccd_def();
    toi_point_view start = s.mesh.start, to = s.mesh.end;
    assert_fails(toi_scene_view_impacts(scene, &without, start, to, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "names no device");
    assert_fails(toi_scene_view_impacts(scene, &def, start, to, TOI_ON_HOST, NULL, NULL),
                 TOI_ERROR_ARGUMENT, "no place");
    assert_fails(toi_scene_view_impacts(scene, &def, start, to, (toi_residence)2, &view, NULL),
                 TOI_ERROR_ARGUMENT, "residence number 2");
    assert_fails(toi_scene_view_impacts(NULL, &def, start, to, TOI_ON_HOST, &view, NULL),
                 TOI_ERROR_ARGUMENT, "scene is NULL");
    toi_free_scene(scene);
    free_soup(&s);
    toi_close_device(device);
}

static void memory_limits_hold(void **state)
{
    (void)state;
    toi_device *device = open_fake();
    toi_ccd_def def = on_device(device), without = toi_default_ccd_def();
    soup s = make_soup(60, 0.4, 0.5, 2);
    toi_impact_array impacts = {0}, expected = {0};
    toi_ccd_report report;
    int answered = 0, refused = 0;
    assert_ok(toi_find_impacts(&without, &s.mesh, &expected, NULL));
    for (def.memory_limit = 1 << 13; def.memory_limit < 1 << 24; def.memory_limit *= 2) {
        ledger.most = ledger.bytes;
        toi_status status = toi_find_impacts(&def, &s.mesh, &impacts, &report);
        if (status == TOI_OK) {
            same_lists(impacts.data, impacts.count, expected.data, expected.count);
            assert_true(report.peak_bytes <= def.memory_limit);
        } else
            assert_int_equal(status, TOI_ERROR_LIMIT);
        *(status == TOI_OK ? &answered : &refused) += 1;
    }
    assert_true(answered > 0 && refused > 0);
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    free_soup(&s);
    toi_close_device(device);
}

// Of a list: a card that fails, a method that it does not have, a number that is none.
static void lists_are_refused(void **state)
{
    (void)state;
    toi_query queries[3] = {0};
    toi_query_result results[3];
    toi_narrow_def def = toi_default_narrow_def();
    def.device = open_fake();
    knobs->find = TOI_ERROR_MEMORY;
    assert_int_equal(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 3, results), TOI_ERROR_MEMORY);
    assert_string_equal(toi_last_message(), "fake card: solving queries has failed");
    knobs->find = TOI_OK;
    assert_ok(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 3, results));
    queries[2].end[1][2] = NAN;
    assert_int_equal(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 3, results), TOI_ERROR_DATA);
    assert_string_equal(toi_last_message(), "query 2: coordinate z of point 1 at t = 1 is nan");
    assert_ok(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 2, results));
    def.method = TOI_NARROW_INCLUSION;
    assert_int_equal(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 2, results),
                     TOI_ERROR_UNSUPPORTED);
    def.method = TOI_NARROW_EXACT;
    def.min_separation = 0.1;
    assert_int_equal(toi_solve_queries(&def, TOI_EDGE_EDGE, queries, 2, results),
                     TOI_ERROR_UNSUPPORTED);
    toi_close_device(def.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opening_says_why_not, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(a_device_has_a_name_and_memory, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(failures_leave_a_scene_usable, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(bad_positions_are_named, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(a_call_can_be_cancelled, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(what_it_does_not_do_is_refused, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(wrong_views_are_refused, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(memory_limits_hold, begin_fake, end_fake),
        cmocka_unit_test_setup_teardown(lists_are_refused, begin_fake, end_fake),
    };
    return cmocka_run_group_tests_name("device_errors", tests, find_fake, NULL);
}
