// What a card answers with separations is what the processor answers, bit for bit, where more than
// the usual is against it: memory limits, scenes that are thin or far away, times that are pruned.

#include "card.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

static toi_ccd_def policy_def(double separation, double share, double rescale)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.min_separation = separation;
    def.zero_time.relative_separation = share;
    def.zero_time.rescale = rescale;
    def.zero_time.small_time = rescale > 0 ? 0.01 : 0; // so that there are such times
    return def;
}

// ---- Comparing

static void same_reports(const toi_ccd_report *found, const toi_ccd_report *expected)
{
    assert_memory_equal(&found->earliest, &expected->earliest, sizeof found->earliest);
    assert_memory_equal(found->hits, expected->hits, sizeof found->hits);
    assert_int_equal(found->inside, expected->inside);
    assert_int_equal(found->rescaled, expected->rescaled);
}

// All impacts and the earliest; returns the device's first failure, if any.
static toi_status compare(const toi_ccd_def *def, toi_device *device, const toi_mesh *mesh,
                          int64_t *count)
{
    toi_ccd_def asked = *def;
    toi_ccd_report expected, found;
    toi_impact_array impacts = {0}, others = {0};
    asked.device = device;
    assert_ok(toi_find_impacts(def, mesh, &impacts, &expected));
    toi_status status = toi_find_impacts(&asked, mesh, &others, &found);
    *count = impacts.count;
    if (status == TOI_OK) {
        assert_int_equal(others.count, impacts.count);
        if (others.count > 0)
            assert_memory_equal(others.data, impacts.data,
                                (size_t)others.count * sizeof *others.data);
        same_reports(&found, &expected);
        assert_ok(toi_find_earliest(def, mesh, &expected));
        status = toi_find_earliest(&asked, mesh, &found);
    }
    if (status == TOI_OK)
        same_reports(&found, &expected);
    toi_free_impacts(&impacts);
    toi_free_impacts(&others);
    return status;
}

static toi_status compare_close(toi_device *device, const toi_mesh *mesh, double radius,
                                int64_t *count)
{
    toi_ccd_def def = toi_default_ccd_def(), asked = def;
    toi_close_array found = {0}, expected = {0};
    size_t bytes = (size_t)mesh->start.count * sizeof(double);
    double *radii = malloc(bytes), *others = malloc(bytes);
    asked.device = device;
    assert_ok(toi_find_close(&def, mesh, radius, &expected, NULL));
    assert_ok(toi_find_safe_radii(&def, mesh, radius, radii, NULL));
    toi_status status = toi_find_close(&asked, mesh, radius, &found, NULL);
    *count = expected.count;
    if (status == TOI_OK) {
        assert_int_equal(found.count, expected.count);
        if (found.count > 0)
            assert_memory_equal(found.data, expected.data,
                                (size_t)found.count * sizeof *found.data);
        status = toi_find_safe_radii(&asked, mesh, radius, others, NULL);
    }
    if (status == TOI_OK)
        assert_memory_equal(others, radii, bytes);
    free(radii);
    free(others);
    toi_free_close(&found);
    toi_free_close(&expected);
    return status;
}

// ---- Memory limits

typedef toi_status compare_fn(const toi_ccd_def *def, toi_device *device, const toi_mesh *mesh,
                              int64_t *count);

static toi_status compare_instant(const toi_ccd_def *def, toi_device *device, const toi_mesh *mesh,
                                  int64_t *count)
{
    return compare_close(device, mesh, def->narrow.min_separation, count);
}

// Down to what is too little for the mesh itself, which is said. Returns the most parts.
static int64_t lower_limits(const toi_ccd_def *def, const toi_mesh *mesh, compare_fn *ask)
{
    toi_device *device = open_card(0);
    int64_t count, most = 0;
    assert_ok(ask(def, device, mesh, &count));
    assert_true(count > 100);
    int64_t peak = toi_device_last_report(device).peak_bytes;
    toi_close_device(device);
    for (int share = 5; share <= 80 && peak > 0; share += share / 4) {
        toi_device_def limited = card_def();
        limited.memory_limit = peak * 4 / share;
        toi_status status = toi_open_device(&limited, &device);
        if (status == TOI_OK) {
            status = ask(def, device, mesh, &count);
            toi_device_report report = toi_device_last_report(device);
            most = status == TOI_OK && report.windows > most ? report.windows : most;
            assert_true(status != TOI_OK || report.peak_bytes <= limited.memory_limit);
            toi_close_device(device);
        }
        if (status != TOI_OK) {
            assert_true(status == TOI_ERROR_LIMIT || status == TOI_ERROR_MEMORY);
            print_message("4/%d of %lld bytes: %s\n", share, (long long)peak, toi_last_message());
        }
    }
    print_message("%lld, at most %lld parts\n", (long long)count, (long long)most);
    return most;
}

static void limits_change_nothing(void **state)
{
    (void)state;
    soup s = make_soup(has_card() ? 2000 : 100, 0.2, 0.3, 3);
    const toi_ccd_def defs[] = {policy_def(0, 0.2, 0.8), policy_def(0.02, 0, 0),
                                policy_def(0.01, 0.5, 0.5)};
    for (int i = 0; i < 3; ++i)
        assert_true(lower_limits(&defs[i], &s.mesh, compare) > 1 || !has_card());
    toi_ccd_def near = policy_def(0.05, 0, 0);
    assert_true(lower_limits(&near, &s.mesh, compare_instant) > 1 || !has_card());
    free_soup(&s);
}

// ---- Shapes

static void squeeze(soup *s, const double width[3], double origin)
{
    for (int64_t v = 0; v < 3 * s->vertex_count; ++v) {
        s->start[v / 3][v % 3] = s->start[v / 3][v % 3] * width[v % 3] + origin;
        s->end[v / 3][v % 3] = s->end[v / 3][v % 3] * width[v % 3] + origin;
    }
}

static void shapes_change_nothing(void **state)
{
    toi_device *device = *state;
    const double widths[][3] = {{1, 1, 1}, {1, 1, 0x1p-12}, {0x1p-20, 1, 0x1p-9}, {1, 0, 1}};
    const double origins[] = {0, 5, 1000, 0x1p30};
    int64_t impacts = 0;
    for (int i = 0; i < 4 * 4 * 3; ++i) {
        soup s = make_soup(150, 0.1, 0.3, (uint64_t)i);
        const double shares[] = {0.05, 0.2, 0.5};
        squeeze(&s, widths[i % 4], origins[i / 4 % 4]);
        for (int k = 0; k < 3; ++k) {
            toi_ccd_def def = policy_def(k * 1e-4, shares[(i + k) % 3], k * 0.4);
            int64_t count;
            assert_ok(compare(&def, device, &s.mesh, &count));
            impacts += count;
        }
        free_soup(&s);
    }
    assert_true(impacts > 1000);
}

// ---- Scouts

// The earliest, to and fro: steps are recorded and played. Returns how many have one.
static int compare_earliest(const toi_ccd_def *def, toi_device *device, toi_scene *scene,
                            const toi_mesh *mesh)
{
    int hits = 0;
    for (int turn = 0; turn < 6; ++turn) {
        toi_mesh step = *mesh;
        step.start = turn % 2 ? mesh->end : mesh->start;
        step.end = turn % 2 ? mesh->start : mesh->end;
        toi_ccd_def asked = *def;
        toi_ccd_report expected, found;
        asked.device = device;
        assert_ok(ask_earliest(scene, def, &step, &expected));
        assert_ok(ask_earliest(scene, &asked, &step, &found));
        same_reports(&found, &expected);
        hits += expected.state == TOI_HIT;
    }
    return hits;
}

// Meshes that are large enough for scouts, whose earliest impact comes early, late or at once.
static void scouts_change_nothing(void **state)
{
    toi_device *device = *state;
    const double widths[][3] = {{1, 1, 1}, {1, 1, 0x1p-12}, {1 / 3.0, 1, 1}};
    const toi_ccd_def defs[] = {policy_def(0, 0, 0),      policy_def(1e-4, 0, 0),
                                policy_def(0, 0.2, 0.8),  policy_def(1e-3, 0.5, 0.5),
                                policy_def(0.0, 0.01, 0), policy_def(1e-5, 0.3, 0)};
    int hits = 0;
    for (int i = 0; i < 6; ++i) {
        soup s = make_soup(has_card() ? 20000 : 100, i < 3 ? 0.004 : 0.02, i % 2 ? 0.002 : 0.3,
                           (uint64_t)i);
        int32_t *groups = malloc((size_t)s.vertex_count * sizeof *groups);
        for (int64_t v = 0; v < s.vertex_count; ++v)
            groups[v] = (int32_t)(v / 3 % 4) - 1;
        toi_filter filter = {.groups = groups, .group_count = s.vertex_count};
        toi_scene *scene;
        squeeze(&s, widths[i % 3], i == 4 ? 1000 : 0);
        assert_ok(make_scene_of(&s.mesh, i % 2 ? &filter : NULL, &scene));
        for (int k = 0; k < 6; ++k) {
            toi_ccd_def def = defs[k];
            def.narrow.t_max = (i + k) % 4 == 3 ? 0.01 : 1;
            hits += compare_earliest(&def, device, scene, &s.mesh);
        }
        toi_free_scene(scene);
        free(groups);
        free_soup(&s);
    }
    assert_true(hits > 50 || !has_card());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_change_nothing),
        cmocka_unit_test(shapes_change_nothing),
        cmocka_unit_test(scouts_change_nothing),
    };
    return run_on_card("cuda_separations", tests, open_group, close_group);
}
