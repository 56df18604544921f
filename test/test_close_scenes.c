// Close pairs of generated and real scenes: every method against every pair measured one by one.

#include "close_twin.h"
#include "real_frames.h"
#include "scenes.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// All pairs whose boxes, enlarged for `separation`, overlap, and that are at most `radius` apart.
static toi_close_array slow_close(toi_ccd_def def, const toi_mesh *mesh, double separation,
                                  double radius)
{
    toi_close_array list = {0};
    toi_pair_array pairs[TOI_KIND_COUNT] = {{0}};
    def.narrow.min_separation = separation;
    def.broad.method = TOI_BROAD_BRUTE;
    assert_ok(toi_find_all_candidates(&def, mesh, pairs, NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        int64_t room = list.count + pairs[kind].count + 1;
        list.data = realloc(list.data, (size_t)room * sizeof *list.data);
        for (int64_t i = 0; i < pairs[kind].count; ++i) {
            toi_close_pair c = measure_slowly(mesh, (toi_kind)kind, pairs[kind].data[i]);
            if (c.distance <= radius)
                list.data[list.count++] = c;
        }
        toi_free_pairs(&pairs[kind]);
    }
    return list;
}

static void check_scene(const char *name, const toi_mesh *mesh, const int32_t *groups, int turn)
{
    toi_ccd_def def = toi_default_ccd_def();
    double extent = extent_of(mesh), radius = extent / 40;
    if (groups)
        def.filter = (toi_filter){.groups = groups, .group_count = mesh->start.count};
    toi_close_array expected = slow_close(def, mesh, radius, radius);
    toi_close_array near = slow_close(def, mesh, 2 * radius, DBL_MAX);
    toi_close_pair closest = closest_of(&near);
    for (int method = 0; method < TOI_BROAD_COUNT; ++method) {
        def.broad.method = (toi_broad_method)method;
        def.workers = 1 + (method + turn) % 8;
        def.float_boxes = method % 2;
        set_level(method + turn);
        check_close(name, &def, mesh, radius, &expected);
        if (closest.distance <= radius)
            check_closest(name, &def, mesh, &closest);
    }
    assert_ok(toi_set_simd(NULL));
    free(expected.data);
    free(near.data);
}

static void generated_scenes_agree(void **state)
{
    (void)state;
    const char *name;
    for (int i = 0; (name = toi_animation_name(i)) != NULL; ++i) {
        toi_animation_def made = toi_default_animation_def();
        toi_animation scene;
        made.name = name;
        made.size = getenv("TOI_SANITIZED") ? 60 : 250;
        made.begin = 0.6;
        assert_ok(toi_make_animation(&made, &scene));
        toi_index_view faces = {scene.faces ? scene.faces[0] : NULL, scene.face_count, 0};
        toi_index_view loose = {scene.edges ? scene.edges[0] : NULL, scene.edge_count, 0};
        toi_edge_array edges;
        assert_ok(toi_make_edges(faces, loose, scene.point_count, &edges));
        toi_point_view points = toi_view_points(scene.points[0], scene.point_count);
        toi_mesh mesh = {points, points, faces, toi_view_edges(&edges)};
        check_scene(name, &mesh, i % 2 ? scene.groups : NULL, i);
        toi_free_edges(&edges);
        toi_free_animation(&scene);
    }
}

// Every face within a window of a real frame.
static void real_scenes_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-ball", "cloth-funnel", "n-body"};
    for (int i = 0; i < 3; ++i) {
        real_frames f;
        if (!load_real_scene(names[i], &f))
            continue;
        int64_t count = getenv("TOI_SANITIZED") ? 60 : 400, kept = 0;
        int32_t(*faces)[3] = malloc((size_t)count * sizeof *faces);
        double(*points)[3] = malloc((size_t)(3 * count) * sizeof *points);
        int64_t step = f.start.face_count / (2 * count); // neighbours, then somewhere else
        for (int64_t j = 0; kept < count; ++j, ++kept) {
            int64_t at = j / 2 * step * 2 % f.start.face_count + j % 2;
            for (int k = 0; k < 3; ++k) {
                memcpy(points[3 * kept + k], f.start.points[f.start.faces[at][k]], sizeof *points);
                faces[kept][k] = (int32_t)(3 * kept + k);
            }
        }
        toi_mesh mesh = toi_make_mesh(points[0], points[0], 3 * kept, faces[0], kept);
        toi_edge_array edges;
        assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, 3 * kept, &edges));
        mesh.edges = toi_view_edges(&edges);
        check_scene(names[i], &mesh, NULL, i);
        toi_free_edges(&edges);
        free(points);
        free(faces);
        free_real_frames(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_scenes_agree),
        cmocka_unit_test(real_scenes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
