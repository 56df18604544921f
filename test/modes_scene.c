// The functions of scene.h in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static toi_status add_pairs(void *context, const toi_pair *pairs, int64_t count, int worker)
{
    (void)worker;
    check_own_mode();
    for (int64_t i = 0; i < count; ++i)
        atomic_fetch_add((_Atomic uint64_t *)context, toi_hash(&pairs[i], sizeof pairs[i]));
    return TOI_OK;
}

static bool always(void *context, int32_t a, int32_t b)
{
    (void)context;
    check_own_mode();
    return a != b;
}

static void keep_pairs(const toi_pair_array *pairs)
{
    keep(pairs->data, (size_t)pairs->count * sizeof *pairs->data);
}

static void ask_for_pairs(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                          toi_point_view end)
{
    toi_status status;
    toi_ccd_report report;
    toi_pair_array lists[TOI_KIND_COUNT] = {{0}};
    IN_MODE(status = toi_scene_find_all_candidates(scene, def, start, end, lists, &report));
    assert_int_equal(status, TOI_OK);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        _Atomic uint64_t sum = 0;
        toi_pair_array *list = &lists[kind];
        keep_pairs(list);
        IN_MODE(status = toi_scene_find_candidates(scene, def, start, end, (toi_kind)kind, list,
                                                   &report));
        assert_int_equal(status, TOI_OK);
        keep_pairs(list);
        IN_MODE(status = toi_scene_stream_candidates(scene, def, start, end, (toi_kind)kind,
                                                     add_pairs, &sum, &report));
        assert_int_equal(status, TOI_OK);
        keep((const void *)&sum, sizeof sum);
        toi_free_pairs(list);
    }
}

static void ask_for_impacts(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                            toi_point_view end)
{
    toi_status status;
    toi_ccd_report report;
    toi_impact_array impacts = {0};
    double *steps = calloc((size_t)start.count, sizeof *steps);
    IN_MODE(status = toi_scene_find_earliest(scene, def, start, end, &report));
    assert_int_equal(status, TOI_OK);
    keep(&report.earliest, sizeof report.earliest);
    IN_MODE(status = toi_scene_find_impacts(scene, def, start, end, &impacts, &report));
    assert_int_equal(status, TOI_OK);
    assert_true(impacts.count > 0);
    keep(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    IN_MODE(status = toi_scene_find_safe_steps(scene, def, start, end, steps, &report));
    assert_int_equal(status, TOI_OK);
    keep(steps, (size_t)start.count * sizeof *steps);
    toi_free_impacts(&impacts);
    free(steps);
}

static toi_status add_close(void *context, const toi_close_pair *close, int64_t count, int worker)
{
    (void)worker;
    check_own_mode();
    for (int64_t i = 0; i < count; ++i)
        atomic_fetch_add((_Atomic uint64_t *)context, toi_hash(&close[i], sizeof close[i]));
    return TOI_OK;
}

static void keep_close(const toi_close_array *close)
{
    assert_true(close->count > 0);
    keep(close->data, (size_t)close->count * sizeof *close->data);
}

// Distances at the start: of the scene, then of its mesh.
static void ask_for_distances(toi_scene *scene, const toi_ccd_def *def, toi_point_view points)
{
    toi_status status;
    toi_ccd_report report;
    toi_close_array close = {0};
    toi_close_pair closest;
    toi_mesh mesh = toi_scene_mesh(scene, points, points);
    double *radii = calloc((size_t)points.count, sizeof *radii);
    _Atomic uint64_t sums[2] = {0, 0};
    IN_MODE(status = toi_scene_find_close(scene, def, points, 0.1, &close, &report));
    assert_int_equal(status, TOI_OK);
    keep_close(&close);
    IN_MODE(status = toi_find_close(def, &mesh, 0.1, &close, &report));
    assert_int_equal(status, TOI_OK);
    keep_close(&close);
    IN_MODE(status = toi_scene_stream_close(scene, def, points, 0.1, add_close, &sums[0], NULL));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_stream_close(def, &mesh, 0.1, add_close, &sums[1], NULL));
    assert_int_equal(status, TOI_OK);
    keep((const void *)sums, sizeof sums);
    IN_MODE(status = toi_scene_find_distance(scene, def, points, &closest, NULL));
    assert_int_equal(status, TOI_OK);
    keep(&closest, sizeof closest);
    IN_MODE(status = toi_find_distance(def, &mesh, &closest, NULL));
    assert_int_equal(status, TOI_OK);
    keep(&closest, sizeof closest);
    IN_MODE(status = toi_scene_find_safe_radii(scene, def, points, 0.1, radii, NULL));
    assert_int_equal(status, TOI_OK);
    keep(radii, (size_t)points.count * sizeof *radii);
    IN_MODE(status = toi_find_safe_radii(def, &mesh, 0.1, radii, NULL));
    assert_int_equal(status, TOI_OK);
    keep(radii, (size_t)points.count * sizeof *radii);
    const char *name;
    IN_MODE(name = toi_part_name((toi_part)closest.part_b));
    keep(name, strlen(name));
    IN_MODE(toi_free_close(&close));
    free(radii);
}

// Every method of tracking that is in this build, over two steps.
static void ask_tracked(toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                        toi_point_view end)
{
    toi_status status;
    toi_track_def track;
    toi_track_report report;
    const char *name;
    IN_MODE(track = toi_default_track_def());
    for (int method = 0; method < TOI_TRACK_COUNT; ++method) {
        toi_track_method found;
        IN_MODE(name = toi_track_name((toi_track_method)method));
        IN_MODE(found = toi_track_find(name));
        assert_int_equal(found, method);
        track.method = found;
        track.volume = (toi_volume)(method & 1);
        IN_MODE(name = toi_volume_name(track.volume));
        keep(name, strlen(name));
        IN_MODE(status = toi_scene_set_tracking(scene, &track));
        assert_int_equal(status, TOI_OK);
        ask_for_impacts(scene, def, start, end);
        IN_MODE(status = toi_scene_track_report(scene, &report));
        assert_int_equal(status, TOI_OK);
        keep(&report.volume_tests, sizeof report.volume_tests);
        keep(&report.motion, sizeof report.motion);
    }
    track.most_growth = 0.123456789;
    IN_MODE(status = toi_scene_set_tracking(scene, &track));
    assert_int_equal(status, TOI_ERROR_ARGUMENT);
    keep_message();
    IN_MODE(status = toi_scene_set_tracking(scene, NULL));
    assert_int_equal(status, TOI_OK);
}

void call_scene(void)
{
    soup s = make_soup(25, 0.25, 0.4, 6);
    toi_status status;
    toi_scene *scene;
    toi_scene_def made;
    toi_point_view start, end;
    toi_mesh mesh;
    int64_t bytes;
    toi_ccd_def def = toi_default_ccd_def();
    toi_filter filter = {.may_collide = always};
    def.workers = 2;
    IN_MODE(made = toi_default_scene_def());
    made.vertex_count = s.vertex_count;
    made.faces = s.mesh.faces;
    IN_MODE(status = toi_make_scene(&made, &scene));
    assert_int_equal(status, TOI_OK);
    IN_MODE(start = toi_view_points(s.start[0], s.vertex_count));
    IN_MODE(end = toi_view_points(s.end[0], s.vertex_count));
    ask_for_impacts(scene, &def, start, end);
    ask_for_distances(scene, &def, start);
    IN_MODE(status = toi_scene_set_filter(scene, &filter));
    assert_int_equal(status, TOI_OK);
    ask_for_pairs(scene, &def, start, end);
    made.edges = s.mesh.edges;
    IN_MODE(status = toi_scene_change(scene, &made));
    assert_int_equal(status, TOI_OK);
    IN_MODE(mesh = toi_scene_mesh(scene, start, end));
    keep(&mesh.edges.count, sizeof mesh.edges.count);
    ask_for_impacts(scene, &def, start, end);
    ask_tracked(scene, &def, start, end);
    IN_MODE(status = toi_scene_trim(scene));
    IN_MODE(bytes = toi_scene_bytes(scene));
    keep(&bytes, sizeof bytes);
    def.narrow.t_max = 1.23456789;
    IN_MODE(status = toi_scene_find_earliest(scene, &def, start, end, NULL));
    assert_int_equal(status, TOI_ERROR_ARGUMENT);
    keep_message();
    IN_MODE(toi_free_scene(scene));
    free_soup(&s);
}
