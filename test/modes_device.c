// The functions of device.h in every floating-point mode, with a backend that needs no card.

#include "modes.h"

#include "modes_calls.h"
#include "steps.h"

#include <stdlib.h>

static void ask_device(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_status status;
    toi_ccd_report report;
    toi_impact_view view;
    toi_impact_array impacts = {0};
    double *steps = calloc((size_t)mesh->start.count, sizeof *steps);
    IN_MODE(status = toi_scene_view_impacts(scene, def, mesh->start, mesh->end, TOI_ON_HOST, &view,
                                            &report));
    assert_int_equal(status, TOI_OK);
    assert_true(view.count > 0);
    keep(view.data, (size_t)view.count * sizeof *view.data);
    IN_MODE(status = toi_scene_find_impacts(scene, def, mesh->start, mesh->end, &impacts, &report));
    assert_int_equal(status, TOI_OK);
    keep(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    IN_MODE(status = toi_scene_find_earliest(scene, def, mesh->start, mesh->end, &report));
    assert_int_equal(status, TOI_OK);
    keep(&report.earliest, sizeof report.earliest);
    IN_MODE(status = toi_scene_find_safe_steps(scene, def, mesh->start, mesh->end, steps, &report));
    assert_int_equal(status, TOI_OK);
    keep(steps, (size_t)mesh->start.count * sizeof *steps);
    free(steps);
    toi_free_impacts(&impacts);
}

void call_devices(void)
{
    toi_status status;
    toi_device *device;
    toi_device_def definition;
    toi_device_info info;
    toi_device_report report;
    toi_scene *scene;
    void *memory;
    soup s = make_soup(30, 0.4, 0.3, 3);
    IN_MODE(definition = toi_default_device_def());
    definition.file = "/nowhere/libtoi_cuda.so.0";
    IN_MODE(status = toi_open_device(&definition, &device));
    assert_int_equal(status, TOI_ERROR_UNSUPPORTED);
    keep_message();
    definition.file = TOI_FAKE_BACKEND;
    IN_MODE(status = toi_open_device(&definition, &device));
    assert_int_equal(status, TOI_OK);
    IN_MODE(info = toi_describe_device(device));
    keep(info.name, sizeof info.name);
    IN_MODE(memory = toi_device_allocate(device, 100));
    assert_non_null(memory);
    IN_MODE(toi_device_release(device, memory));
    IN_MODE(toi_device_measure(device, true));
    toi_ccd_def def = toi_default_ccd_def();
    def.device = device;
    assert_int_equal(make_scene_of(&s.mesh, NULL, &scene), TOI_OK);
    ask_device(scene, &def, &s.mesh);
    IN_MODE(report = toi_device_last_report(device));
    keep(&report.hard, sizeof report.hard);
    IN_MODE(toi_close_device(device));
    toi_free_scene(scene);
    free_soup(&s);
}
