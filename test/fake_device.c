// Opens devices of the backend that needs no card, and compares their answers.

#include "fake_device.h"

#include "counted_hooks.h"
#include "steps.h"

#include <dlfcn.h>

fake_knobs *knobs;

toi_device_def fake_def(void)
{
    toi_device_def def = toi_default_device_def();
    def.file = TOI_FAKE_BACKEND;
    return def;
}

toi_device *open_fake(void)
{
    toi_device_def def = fake_def();
    toi_device *device;
    assert_ok(toi_open_device(&def, &device));
    return device;
}

toi_ccd_def on_device(toi_device *device)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.device = device;
    return def;
}

int find_fake(void **state)
{
    (void)state;
    void *library = dlopen(TOI_FAKE_BACKEND, RTLD_NOW | RTLD_LOCAL);
    knobs = library ? dlsym(library, FAKE_KNOBS_SYMBOL) : NULL;
    return knobs ? 0 : -1;
}

int begin_fake(void **state)
{
    knobs->hard_every = 3;
    knobs->packed = knobs->undelivered = false;
    knobs->version = 0;
    knobs->open = knobs->make_mesh = knobs->find = knobs->merge = knobs->find_pairs = TOI_OK;
    knobs->meshes_made = knobs->finds = knobs->resumed = knobs->sent = knobs->delivered = 0;
    return count_allocations(state);
}

int end_fake(void **state)
{
    bool clean = knobs->cards == 0 && knobs->meshes == 0 && knobs->blocks == 0;
    return stop_counting(state) == 0 && clean ? 0 : -1;
}

// ---- Comparing

static void same_impact(const toi_impact *a, const toi_impact *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

void same_lists(const toi_impact *a, int64_t a_count, const toi_impact *b, int64_t b_count)
{
    assert_int_equal(a_count, b_count);
    if (a_count > 0)
        assert_memory_equal(a, b, (size_t)a_count * sizeof *a);
}

void same_reports(const toi_ccd_report *a, const toi_ccd_report *b)
{
    same_impact(&a->earliest, &b->earliest);
    assert_int_equal(a->state, b->state);
    assert_memory_equal(a->hits, b->hits, sizeof a->hits);
    assert_memory_equal(a->undecided, b->undecided, sizeof a->undecided);
    assert_int_equal(a->decided_by, b->decided_by);
    assert_int_equal(a->vertices, b->vertices);
    assert_int_equal(a->edges, b->edges);
    assert_int_equal(a->faces, b->faces);
    assert_int_equal(a->rescaled, b->rescaled);
    assert_int_equal(a->inside, b->inside);
    if (b->inside > 0)
        assert_memory_equal(&a->first_inside, &b->first_inside, sizeof a->first_inside);
}

int64_t compare_devices(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh)
{
    toi_ccd_def without = *def;
    without.device = NULL;
    toi_ccd_report expected, found;
    toi_impact_array impacts = {0}, others = {0};
    assert_ok(ask_impacts(scene, &without, mesh, &impacts, &expected));
    assert_ok(ask_impacts(scene, def, mesh, &others, &found));
    same_lists(others.data, others.count, impacts.data, impacts.count);
    same_reports(&found, &expected);
    assert_ok(ask_earliest(scene, &without, mesh, &expected));
    assert_ok(ask_earliest(scene, def, mesh, &found));
    same_reports(&found, &expected);
    int64_t count = impacts.count;
    toi_free_impacts(&impacts);
    toi_free_impacts(&others);
    return count;
}
