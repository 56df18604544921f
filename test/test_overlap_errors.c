// What is wrong with a call for overlaps is said, and a call that is told to stop stops.

#include "broad_sets.h"
#include "overlap_calls.h"
#include "scenes.h"
#include "tangles.h"
#include "toi/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool stop(void *context, double fraction)
{
    *(double *)context = fraction;
    return false;
}

static void cancelled_calls_stop(void **state)
{
    (void)state;
    soup s = make_soup(400, 0.2, 0, 4);
    uint8_t flags[400];
    double fraction = -1;
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
        if (!is_built(method))
            continue;
        toi_overlap_def def = make_def(method, 1);
        toi_overlap_array list = {0};
        def.progress = stop;
        def.progress_context = &fraction;
        assert_int_equal(toi_find_overlaps(&def, &s.mesh, &list, NULL), TOI_ERROR_CANCELLED);
        assert_true(list.count == 0 && fraction >= 0 && fraction <= 1);
        memset(flags, 1, sizeof flags);
        assert_int_equal(toi_flag_overlaps(&def, &s.mesh, flags, NULL), TOI_ERROR_CANCELLED);
        for (int i = 0; i < 400; ++i)
            assert_int_equal(flags[i], 0);
        toi_free_overlaps(&list);
    }
    free_soup(&s);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    soup s = make_soup(4, 0.2, 0, 4);
    toi_overlap_array list = {0};
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1), zeroed = {0};
    int32_t few[4] = {0, 1, 2, -3};
    uint8_t wide[4] = {0, 8, 0, 0}, flags[4];
    assert_fails(toi_find_overlaps(&zeroed, &s.mesh, &list, NULL), TOI_ERROR_ARGUMENT,
                 "toi_default_overlap_def()");
    assert_fails(toi_find_overlaps(NULL, &s.mesh, &list, NULL), TOI_ERROR_ARGUMENT, "definition");
    assert_fails(toi_find_overlaps(&def, NULL, &list, NULL), TOI_ERROR_ARGUMENT, "mesh");
    assert_fails(toi_find_overlaps(&def, &s.mesh, NULL, NULL), TOI_ERROR_ARGUMENT, "list");
    assert_fails(toi_flag_overlaps(&def, &s.mesh, NULL, NULL), TOI_ERROR_ARGUMENT, "flags");
    memset(flags, 5, sizeof flags);
    assert_fails(toi_flag_overlaps(NULL, &s.mesh, flags, NULL), TOI_ERROR_ARGUMENT, "definition");
    for (int i = 0; i < 4; ++i)
        assert_int_equal(flags[i], 0);
    assert_fails(toi_scene_find_overlaps(NULL, &def, s.mesh.start, &list, NULL), TOI_ERROR_ARGUMENT,
                 "scene");
#define REFUSED(field, value, status, word)                                                        \
    do {                                                                                           \
        toi_overlap_def bad = def;                                                                 \
        bad.field = value;                                                                         \
        assert_fails(toi_find_overlaps(&bad, &s.mesh, &list, NULL), status, word);                 \
    } while (0)
    REFUSED(method, (toi_overlap_method)99, TOI_ERROR_ARGUMENT, "99");
    REFUSED(hash, (toi_cell_hash)98, TOI_ERROR_ARGUMENT, "98");
    REFUSED(hash, TOI_CELL_HASH_MORTON, TOI_ERROR_ARGUMENT, "auto does not honour it");
    REFUSED(classes, 0, TOI_ERROR_ARGUMENT, "classes");
    REFUSED(classes, 1u << TOI_OVERLAP_CLASS_COUNT, TOI_ERROR_ARGUMENT, "classes");
    REFUSED(limit, -1, TOI_ERROR_ARGUMENT, "limit");
    REFUSED(memory_limit, -1, TOI_ERROR_ARGUMENT, "memory limit");
    REFUSED(workers, -1, TOI_ERROR_ARGUMENT, "workers");
    REFUSED(filter, ((toi_filter){.groups = few, .group_count = 4}), TOI_ERROR_ARGUMENT, "groups");
    REFUSED(polygons, ((toi_polygon_view){few, NULL, 3}), TOI_ERROR_ARGUMENT, "polygons");
    REFUSED(polygons, ((toi_polygon_view){few, NULL, 4}), TOI_ERROR_DATA, "-3");
    REFUSED(polygons, ((toi_polygon_view){NULL, wide, 4}), TOI_ERROR_ARGUMENT, "diagonals");
    few[3] = 3;
    REFUSED(polygons, ((toi_polygon_view){few, wide, 4}), TOI_ERROR_DATA, "face 1");
    few[3] = INT32_MAX; // no flag is there
    def.polygons = (toi_polygon_view){few, NULL, 4};
    assert_fails(toi_flag_overlaps(&def, &s.mesh, flags, NULL), TOI_ERROR_DATA, "face 3");
    def.polygons = (toi_polygon_view){NULL, NULL, 0};
    s.faces[2][1] = 1000;
    assert_fails(toi_find_overlaps(&def, &s.mesh, &list, NULL), TOI_ERROR_DATA, "face 2");
    s.faces[2][1] = 0;
    s.start[3][2] = 1.0 / 0.0;
    assert_fails(toi_find_overlaps(&def, &s.mesh, &list, NULL), TOI_ERROR_DATA, "vertex 3");
    free_soup(&s);
}

static void scenes_refuse_what_they_have(void **state)
{
    (void)state;
    soup s = make_soup(4, 0.2, 0, 4);
    toi_scene_def made = toi_default_scene_def();
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_array list = {0};
    toi_scene *scene;
    made.vertex_count = s.vertex_count;
    made.faces = s.mesh.faces;
    assert_ok(toi_make_scene(&made, &scene));
    toi_point_view points = s.mesh.start;
    points.count = 3;
    assert_fails(toi_scene_find_overlaps(scene, &def, points, &list, NULL), TOI_ERROR_DATA,
                 "positions of 3");
    def.filter.may_collide = odd_sum;
    assert_fails(toi_scene_find_overlaps(scene, &def, s.mesh.start, &list, NULL),
                 TOI_ERROR_ARGUMENT, "toi_scene_set_filter()");
    uint8_t flags[4] = {5, 5, 5, 5};
    assert_fails(toi_scene_flag_overlaps(scene, &def, s.mesh.start, flags, NULL),
                 TOI_ERROR_ARGUMENT, "toi_scene_set_filter()");
    assert_memory_equal(flags, ((uint8_t[4]){0}), 4);
    toi_free_scene(scene);
    free_soup(&s);
}

static void names_are_known(void **state)
{
    (void)state;
    assert_string_equal(toi_overlap_method_name(TOI_OVERLAP_KDET), "kdet");
    assert_string_equal(toi_overlap_class_name(TOI_OVERLAP_SAME), "same");
    assert_string_equal(toi_cell_hash_name(TOI_CELL_HASH_DJB2), "djb2");
    assert_null(toi_cell_hash_name(TOI_CELL_HASH_COUNT));
    assert_null(toi_overlap_method_name(TOI_OVERLAP_METHOD_COUNT));
    assert_null(toi_overlap_class_name((toi_overlap_class)-1));
    toi_free_overlaps(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelled_calls_stop),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(scenes_refuse_what_they_have),
        cmocka_unit_test(names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
