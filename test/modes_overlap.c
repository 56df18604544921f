// The functions of overlap.h that search, in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"

#include <stdlib.h>
#include <string.h>

static bool always(void *context, int32_t a, int32_t b)
{
    (void)context;
    check_own_mode();
    return a != b;
}

static bool go_on(void *context, double fraction)
{
    (void)context;
    (void)fraction;
    check_own_mode();
    return true;
}

static void keep_list(toi_status status, const toi_overlap_array *list)
{
    assert_int_equal(status, TOI_OK);
    assert_true(list->count > 0);
    keep(list->data, (size_t)list->count * sizeof *list->data);
}

static void keep_counts(toi_status status, const toi_overlap_report *report)
{
    assert_int_equal(status, TOI_OK);
    keep(report->by_class, sizeof report->by_class);
    keep(&report->candidates, sizeof report->candidates);
}

static void ask_mesh(const toi_overlap_def *def, const toi_mesh *mesh, uint8_t *flags)
{
    toi_overlap_array list = {0};
    toi_overlap_report report;
    toi_status status;
    IN_MODE(status = toi_find_overlaps(def, mesh, &list, &report));
    keep_list(status, &list);
    IN_MODE(status = toi_count_overlaps(def, mesh, &report));
    keep_counts(status, &report);
    IN_MODE(status = toi_flag_overlaps(def, mesh, flags, &report));
    keep_counts(status, &report);
    keep(flags, (size_t)mesh->faces.count);
    IN_MODE(toi_free_overlaps(&list));
}

static void ask_scene(toi_scene *scene, const toi_overlap_def *def, toi_point_view points,
                      uint8_t *flags)
{
    toi_overlap_array list = {0};
    toi_overlap_report report;
    toi_status status;
    IN_MODE(status = toi_scene_find_overlaps(scene, def, points, &list, &report));
    keep_list(status, &list);
    IN_MODE(status = toi_scene_count_overlaps(scene, def, points, &report));
    keep_counts(status, &report);
    IN_MODE(status = toi_scene_flag_overlaps(scene, def, points, flags, &report));
    keep_counts(status, &report);
    toi_free_overlaps(&list);
}

static void ask_kfree(const toi_mesh *mesh)
{
    toi_kfree_def def;
    toi_kfree_report report;
    toi_status status;
    int32_t *counts = malloc((size_t)mesh->faces.count * sizeof *counts);
    IN_MODE(def = toi_default_kfree_def());
    def.progress = go_on;
    IN_MODE(status = toi_kfree(&def, mesh, counts, &report));
    assert_int_equal(status, TOI_OK);
    keep(counts, (size_t)mesh->faces.count * sizeof *counts);
    keep(&report.deviation, sizeof report.deviation);
    keep(&report.greatest_size, sizeof report.greatest_size);
    keep(&report.height, sizeof report.height);
    free(counts);
}

// Coordinates of which most are denormal, so that a mode that flushes them would show.
void call_overlaps(void)
{
    soup s = make_soup(40, 0.4, 0, 6);
    toi_scene_def made = toi_default_scene_def();
    toi_overlap_def def;
    toi_scene *scene;
    const char *name;
    uint8_t *flags = calloc((size_t)s.face_count, 1);
    for (int64_t i = 0; i < 3 * s.vertex_count; ++i)
        s.start[i / 3][i % 3] *= 0x1p-1040;
    IN_MODE(def = toi_default_overlap_def());
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
        IN_MODE(name = toi_overlap_method_name((toi_overlap_method)method));
        keep(name, strlen(name));
        def.method = (toi_overlap_method)method;
        if (toi_count_overlaps(&def, &(toi_mesh){0}, NULL) == TOI_ERROR_UNSUPPORTED)
            continue;
        def.workers = 1 + method % 2;
        def.filter.may_collide = always;
        def.progress = go_on;
        ask_mesh(&def, &s.mesh, flags);
    }
    ask_kfree(&s.mesh);
    IN_MODE(name = toi_cell_hash_name(TOI_CELL_HASH_MORTON));
    keep(name, strlen(name));
    IN_MODE(name = toi_overlap_class_name(TOI_OVERLAP_CROSSING));
    keep(name, strlen(name));
    def = toi_default_overlap_def();
    made.vertex_count = s.vertex_count;
    made.faces = s.mesh.faces;
    assert_ok(toi_make_scene(&made, &scene));
    ask_scene(scene, &def, s.mesh.start, flags);
    toi_free_scene(scene);
    free(flags);
    free_soup(&s);
}
