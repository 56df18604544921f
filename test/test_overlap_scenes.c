// Intersecting faces of whole meshes: generated scenes, real meshes and the gallery against brute
// force and known answers; scenes kept from step to step, and changed, against fresh ones.

#include "overlap_cases.h"
#include "scenes.h"
#include "support.h"
#include "toi/io.h"
#include "toi/overlap.h"
#include "toi/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SIMD[] = {"avx512", "avx2", "baseline"};

// kdet, or, in a build without the methods of the literature, the fast one.
static toi_overlap_method kdet_if_there(void)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_report report;
    toi_mesh empty = {0};
    def.method = TOI_OVERLAP_KDET;
    return toi_count_overlaps(&def, &empty, &report) == TOI_ERROR_UNSUPPORTED ? TOI_OVERLAP_AUTO
                                                                              : TOI_OVERLAP_KDET;
}

// ---------------------------------------------------------------------------------------------
// Lists

static toi_overlap_array find(toi_overlap_method method, int workers, const toi_mesh *mesh)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array list = {0};
    toi_overlap_report report;
    def.method = method;
    def.workers = workers;
    assert_ok(toi_find_overlaps(&def, mesh, &list, &report));
    assert_int_equal(report.pairs, list.count);
    return list;
}

static void expect_same(const char *what, const toi_overlap_array *expected,
                        const toi_overlap_array *found)
{
    if (expected->count != found->count)
        fail_msg("%s: %lld pairs instead of %lld", what, (long long)found->count,
                 (long long)expected->count);
    for (int64_t i = 0; i < expected->count; ++i) {
        const toi_overlap *e = &expected->data[i], *f = &found->data[i];
        if (e->a != f->a || e->b != f->b || e->overlap_class != f->overlap_class)
            fail_msg("%s: %d %d %d instead of %d %d %d", what, f->a, f->b, f->overlap_class, e->a,
                     e->b, e->overlap_class);
    }
}

// Every method against brute force; returns how many pairs there are.
static int64_t check_mesh(const char *what, const toi_mesh *mesh, int turn)
{
    toi_overlap_array expected = find(TOI_OVERLAP_BRUTE, 1, mesh);
    for (int i = 0; i < 4; ++i) {
        toi_overlap_method method = i < 3 ? TOI_OVERLAP_AUTO : kdet_if_there();
        if (toi_set_simd(SIMD[i % 3]) != TOI_OK)
            continue;
        toi_overlap_array found = find(method, 1 + (turn + i) % 4, mesh);
        expect_same(what, &expected, &found);
        toi_free_overlaps(&found);
    }
    assert_ok(toi_set_simd(NULL));
    int64_t count = expected.count;
    toi_free_overlaps(&expected);
    return count;
}

// ---------------------------------------------------------------------------------------------
// Meshes

static toi_mesh frame_mesh(const toi_animation *a, int frame)
{
    const double *points = a->points[frame * a->point_count];
    return toi_make_mesh(points, points, a->point_count, a->faces[0], a->face_count);
}

static toi_animation make_scene(int number, int64_t size, double begin, int frames)
{
    toi_animation_def def = toi_default_animation_def();
    toi_animation scene;
    def.name = toi_animation_name(number);
    def.size = size;
    def.begin = begin;
    def.frames = frames;
    assert_ok(toi_make_animation(&def, &scene));
    return scene;
}

static void generated_scenes_agree(void **state)
{
    (void)state;
    static const double begins[] = {0, 0.7, 0.95};
    for (int i = 0; toi_animation_name(i); ++i) {
        int64_t pairs[3];
        for (int b = 0; b < 3; ++b) {
            toi_animation scene = make_scene(i, slow_cases(2000), begins[b], 2);
            toi_mesh mesh = frame_mesh(&scene, 1);
            pairs[b] = check_mesh(toi_animation_name(i), &mesh, i + b);
            toi_free_animation(&scene);
        }
        print_message("%s: %lld, %lld, %lld pairs\n", toi_animation_name(i), (long long)pairs[0],
                      (long long)pairs[1], (long long)pairs[2]);
    }
}

// What is known of the real meshes: -1 where only the methods are compared.
static void real_meshes_agree(void **state)
{
    (void)state;
    static const struct
    {
        const char *path;
        bool intersects;
    } meshes[] = {{"meshes/two-cubes-intersecting.ply", true},
                  {"meshes/two-cubes-close.ply", false},
                  {"meshes/two-cubes-far.ply", false},
                  {"meshes/bunny.ply", false}};
    for (int i = 0; i < 4; ++i) {
        const char *path = find_data(meshes[i].path);
        toi_mesh_file file;
        if (!path)
            skip();
        assert_ok(toi_read_mesh(path, &file));
        toi_mesh mesh = toi_make_mesh(file.points[0], file.points[0], file.point_count,
                                      file.faces[0], file.face_count);
        toi_overlap_array fast = find(TOI_OVERLAP_AUTO, 2, &mesh);
        toi_overlap_array grid = find(kdet_if_there(), 2, &mesh);
        expect_same(meshes[i].path, &fast, &grid);
        assert_int_equal(fast.count > 0, meshes[i].intersects);
        if (file.face_count < 1000)
            check_mesh(meshes[i].path, &mesh, i);
        toi_free_overlaps(&fast);
        toi_free_overlaps(&grid);
        toi_free_mesh_file(&file);
    }
}

// Meshes on which other programs fail, with answers that a person can derive.
static void the_gallery_is_answered(void **state)
{
    (void)state;
    for (int i = 0; i < toi_overlap_case_count(); ++i) {
        toi_overlap_case about = toi_describe_overlap_case(i);
        toi_solid solid;
        assert_ok(toi_make_overlap_case(i, &solid));
        toi_mesh mesh = {.start = toi_solid_points(&solid), .faces = toi_solid_faces(&solid)};
        toi_overlap_def def = toi_default_overlap_def();
        for (int m = 0; m < TOI_OVERLAP_METHOD_COUNT; ++m) {
            toi_overlap_report report;
            def.method = m == TOI_OVERLAP_KDET ? kdet_if_there() : (toi_overlap_method)m;
            assert_ok(toi_count_overlaps(&def, &mesh, &report));
            for (int c = 0; c < TOI_OVERLAP_CLASS_COUNT; ++c)
                if (report.by_class[c] != about.pairs[c])
                    fail_msg("%s, %s: %lld of class %s, not %lld", about.name,
                             toi_overlap_method_name(def.method), (long long)report.by_class[c],
                             toi_overlap_class_name((toi_overlap_class)c),
                             (long long)about.pairs[c]);
        }
        check_mesh(about.name, &mesh, i);
        toi_free_solid(&solid);
    }
}

// Lists, first pairs, counts and flags by several workers are those by one.
static void check_workers(const char *what, const toi_mesh *mesh, toi_overlap_method method)
{
    int64_t faces = mesh->faces.count;
    uint8_t *flags[2] = {malloc((size_t)faces), malloc((size_t)faces)};
    toi_overlap_array all = find(method, 1, mesh), first = {0};
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_report report;
    def.method = method;
    def.workers = 1;
    assert_ok(toi_flag_overlaps(&def, mesh, flags[0], NULL));
    for (int workers = 2; workers <= 8; workers += 3) {
        toi_overlap_array found = find(method, workers, mesh);
        expect_same(what, &all, &found);
        toi_free_overlaps(&found);
        def.workers = workers;
        def.limit = 1 + all.count / 3;
        assert_ok(toi_find_overlaps(&def, mesh, &first, &report));
        toi_overlap_array cut = {all.data, all.count < def.limit ? all.count : def.limit, 0};
        expect_same(what, &cut, &first);
        assert_int_equal(report.complete, cut.count == all.count);
        assert_ok(toi_count_overlaps(&def, mesh, &report));
        assert_int_equal(report.pairs, all.count);
        assert_ok(toi_flag_overlaps(&def, mesh, flags[1], NULL));
        assert_memory_equal(flags[0], flags[1], faces);
    }
    toi_free_overlaps(&all);
    toi_free_overlaps(&first);
    free(flags[0]);
    free(flags[1]);
}

// Each worker gets some 8,000 faces: with fewer a call has one, whatever is asked for.
static void workers_agree(void **state)
{
    (void)state;
    bool sanitized = getenv("TOI_SANITIZED");
    int64_t size = sanitized ? 20000 : 70000;
    static const char *const names[] = {"triangles", "cloth-ball", "sheets", "n-body"};
    for (int i = 0; toi_animation_name(i); ++i)
        for (int n = 0; n < (sanitized ? 1 : 4); ++n)
            if (strcmp(toi_animation_name(i), names[n]) == 0) {
                toi_animation scene = make_scene(i, size, 0.8, 2);
                toi_mesh mesh = frame_mesh(&scene, 1);
                check_workers(names[n], &mesh, n == 3 ? kdet_if_there() : TOI_OVERLAP_AUTO);
                toi_free_animation(&scene);
            }
    if (sanitized)
        return;
    toi_solid solid; // its tip has half of the faces
    assert_ok(toi_make_pyramid(9000, 1, 1, &solid));
    toi_mesh mesh = {.start = toi_solid_points(&solid), .faces = toi_solid_faces(&solid)};
    solid.points[100][2] += 0.5;
    check_workers("pyramid", &mesh, TOI_OVERLAP_AUTO);
    toi_free_solid(&solid);
}

// ---------------------------------------------------------------------------------------------
// Scenes that are kept

static toi_scene *open_scene(const int32_t *faces, int64_t face_count, int64_t vertex_count,
                             const int32_t *groups)
{
    toi_scene_def def = toi_default_scene_def();
    toi_scene *scene;
    def.vertex_count = vertex_count;
    def.faces = (toi_index_view){faces, face_count, 0};
    if (groups)
        def.filter = (toi_filter){.groups = groups, .group_count = vertex_count};
    def.workers = 1;
    assert_ok(toi_make_scene(&def, &scene));
    return scene;
}

static void find_in_scene(toi_scene *scene, const toi_overlap_def *def, const double *points,
                          int64_t count, toi_overlap_array *list)
{
    toi_overlap_report report;
    assert_ok(toi_scene_find_overlaps(scene, def, toi_view_points(points, count), list, &report));
    assert_int_equal(report.pairs, list->count);
}

// Counts and flags are those of the list.
static void check_scene_modes(toi_scene *scene, const toi_overlap_def *def, toi_point_view points,
                              int64_t faces, const toi_overlap_array *list)
{
    toi_overlap_report report;
    uint8_t *flags = malloc((size_t)faces + 1), *expected = calloc((size_t)faces + 1, 1);
    for (int64_t i = 0; i < list->count; ++i)
        expected[list->data[i].a] = expected[list->data[i].b] = 1;
    assert_ok(toi_scene_count_overlaps(scene, def, points, &report));
    assert_int_equal(report.pairs, list->count);
    assert_ok(toi_scene_flag_overlaps(scene, def, points, flags, &report));
    assert_memory_equal(flags, expected, faces);
    free(flags);
    free(expected);
}

static void kept_scenes_agree(void **state)
{
    (void)state;
    enum
    {
        FRAMES = 5
    };
    int64_t pairs = 0;
    for (int i = 0; toi_animation_name(i); ++i) {
        toi_animation a = make_scene(i, slow_cases(3000), 0.8, FRAMES);
        const int32_t *groups = i % 3 == 2 ? a.groups : NULL;
        toi_scene *scene = open_scene(a.faces[0], a.face_count, a.point_count, groups);
        toi_overlap_array kept = {0}, fresh = {0};
        for (int frame = 0; frame < FRAMES; ++frame) {
            toi_overlap_def def = toi_default_overlap_def();
            toi_mesh mesh = frame_mesh(&a, frame == 3 ? 0 : frame); // and back
            def.method = frame == 4 ? kdet_if_there() : TOI_OVERLAP_AUTO;
            def.workers = 1 + frame % 3;
            find_in_scene(scene, &def, mesh.start.data, a.point_count, &kept);
            check_scene_modes(scene, &def, mesh.start, a.face_count, &kept);
            if (groups)
                def.filter = (toi_filter){.groups = groups, .group_count = a.point_count};
            assert_ok(toi_find_overlaps(&def, &mesh, &fresh, NULL));
            expect_same(toi_animation_name(i), &fresh, &kept);
            pairs += kept.count;
        }
        toi_free_overlaps(&kept);
        toi_free_overlaps(&fresh);
        toi_free_scene(scene);
        toi_free_animation(&a);
    }
    assert_true(pairs > 100);
}

// ---------------------------------------------------------------------------------------------
// Scenes that change

enum
{
    MOST_VERTICES = 400,
    MOST_FACES = 600,
    MOST_CHANGES = 80
};

// A mesh as its owner keeps it, and a scene that hears of changes alone.
typedef struct changing
{
    int64_t vertices, faces;
    double points[MOST_VERTICES][3];
    int32_t face[MOST_FACES][3];
    int32_t groups[MOST_VERTICES];
    bool grouped;
    toi_scene *scene;
} changing;

static int32_t any(toi_random *random, int64_t count)
{
    return (int32_t)toi_random_below(random, (uint64_t)count);
}

// On a small lattice, so that much touches; in a sheet, so that stars are embedded.
static void place_vertices(changing *c, int64_t first, toi_random *random)
{
    bool flat = toi_random_below(random, 2);
    for (int64_t v = first; v < c->vertices; ++v) {
        c->points[v][0] = (double)(v % 20) * 2 + any(random, 2);
        c->points[v][1] = (double)(v / 20) * 2 + any(random, 2);
        c->points[v][2] = flat ? 0 : any(random, 3);
        c->groups[v] = any(random, 4) - 1;
    }
}

static void join_vertices(const changing *c, int32_t face[3], toi_random *random)
{
    int32_t a = any(random, c->vertices);
    static const int32_t steps[4][2] = {{1, 20}, {21, 20}, {1, 21}, {19, 20}};
    int way = any(random, 4);
    bool near = toi_random_below(random, 8) > 0;
    face[0] = a;
    face[1] = near ? (int32_t)((a + steps[way][0]) % c->vertices) : any(random, c->vertices);
    face[2] = near ? (int32_t)((a + steps[way][1]) % c->vertices) : any(random, c->vertices);
}

// Returns how many pairs there are.
static int64_t check_against_fresh(changing *c, toi_random *random)
{
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array kept = {0}, fresh = {0}, slow = {0};
    toi_scene *other = open_scene(c->face[0], c->faces, c->vertices, c->grouped ? c->groups : NULL);
    def.workers = 1 + any(random, 3);
    find_in_scene(c->scene, &def, c->points[0], c->vertices, &kept);
    find_in_scene(other, &def, c->points[0], c->vertices, &fresh);
    expect_same("changed", &fresh, &kept);
    def.method = TOI_OVERLAP_BRUTE;
    find_in_scene(c->scene, &def, c->points[0], c->vertices, &slow);
    expect_same("changed, brute", &fresh, &slow);
    int64_t pairs = kept.count;
    toi_free_overlaps(&kept);
    toi_free_overlaps(&fresh);
    toi_free_overlaps(&slow);
    toi_free_scene(other);
    return pairs;
}

// The edges, too, are those of a fresh scene.
static void check_impacts(changing *c)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report kept, fresh;
    toi_scene *other = open_scene(c->face[0], c->faces, c->vertices, c->grouped ? c->groups : NULL);
    double end[MOST_VERTICES][3];
    memcpy(end, c->points, sizeof end);
    for (int64_t v = 0; v < c->vertices; ++v)
        end[v][2] += (double)(v % 3);
    toi_point_view start = toi_view_points(c->points[0], c->vertices);
    toi_point_view stop = toi_view_points(end[0], c->vertices);
    def.workers = 1;
    assert_ok(toi_scene_find_earliest(c->scene, &def, start, stop, &kept));
    assert_ok(toi_scene_find_earliest(other, &def, start, stop, &fresh));
    assert_int_equal(kept.state, fresh.state);
    assert_int_equal(kept.edges, fresh.edges);
    assert_true(kept.earliest.time == fresh.earliest.time);
    toi_free_scene(other);
}

// A few faces become others; all beyond the old number are new.
static int64_t plan_changes(const changing *c, int64_t vertices, int64_t faces,
                            toi_face_change *changes, toi_random *random)
{
    changing next = {.vertices = vertices};
    int64_t count = 0;
    for (int64_t f = 0; f < faces; ++f) {
        bool gone = false;
        for (int i = 0; i < 3 && f < c->faces; ++i)
            gone = gone || c->face[f][i] >= vertices;
        if (f >= c->faces || gone || any(random, (int64_t)faces) < 6) {
            if (count == MOST_CHANGES)
                return -1;
            changes[count].face = (int32_t)f;
            join_vertices(&next, changes[count++].vertices, random);
        }
    }
    for (int64_t i = 0; i < count; ++i) { // in any order
        int64_t j = any(random, count);
        toi_face_change t = changes[i];
        changes[i] = changes[j];
        changes[j] = t;
    }
    return count;
}

static void take_changes(changing *c, int64_t vertices, int64_t faces,
                         const toi_face_change *changes, int64_t count)
{
    c->vertices = vertices;
    c->faces = faces;
    for (int64_t i = 0; i < count; ++i)
        memcpy(c->face[changes[i].face], changes[i].vertices, sizeof *c->face);
}

static void change_once(changing *c, toi_random *random)
{
    toi_face_change changes[MOST_CHANGES + 1];
    int64_t vertices = c->vertices + any(random, 7) - 3, faces = c->faces + any(random, 21) - 10;
    vertices = vertices < 4 ? 4 : vertices > MOST_VERTICES ? MOST_VERTICES : vertices;
    faces = faces < 1 ? 1 : faces > MOST_FACES ? MOST_FACES : faces;
    int64_t count = plan_changes(c, vertices, faces, changes, random), old = c->vertices;
    if (count < 0)
        return;
    if (count > 0 && count < MOST_CHANGES && any(random, 3) == 0) { // the last one counts
        changes[count] = changes[0];
        changing next = {.vertices = vertices};
        join_vertices(&next, changes[count++].vertices, random);
    }
    take_changes(c, vertices, faces, changes, count);
    if (vertices > old)
        place_vertices(c, old, random);
    const int32_t *groups = c->grouped && vertices != old ? c->groups : NULL;
    assert_ok(toi_scene_change_faces(c->scene, vertices, faces, changes, count, groups));
}

// What is refused leaves the scene as it was.
static void try_bad_changes(changing *c)
{
    toi_face_change change = {0, {0, 1, (int32_t)c->vertices}};
    expect_news(toi_scene_change_faces(c->scene, c->vertices, c->faces, &change, 1, NULL),
                "a vertex that is not there");
    expect_news(toi_scene_change_faces(c->scene, c->vertices, c->faces + 1, &change, 0, NULL),
                "a new face without vertices");
    change = (toi_face_change){(int32_t)c->faces, {0, 1, 2}};
    expect_news(toi_scene_change_faces(c->scene, c->vertices, c->faces, &change, 1, NULL),
                "a change of a face that is not there");
    change = (toi_face_change){-1, {0, 1, 2}};
    expect_news(toi_scene_change_faces(c->scene, c->vertices, c->faces, &change, 1, NULL),
                "a change of a face below none");
    expect_news(toi_scene_change_faces(c->scene, 1, c->faces, NULL, 0, NULL),
                "faces that name vertices that are gone");
}

static changing *start_changing(bool grouped, toi_random *random)
{
    changing *c = calloc(1, sizeof *c);
    c->vertices = 60 + any(random, 100);
    c->faces = 80 + any(random, 100);
    c->grouped = grouped;
    place_vertices(c, 0, random);
    for (int64_t f = 0; f < c->faces; ++f)
        join_vertices(c, c->face[f], random);
    c->scene = open_scene(c->face[0], c->faces, c->vertices, grouped ? c->groups : NULL);
    return c;
}

// All vertices elsewhere, in other groups.
static void place_anew(changing *c, toi_random *random)
{
    toi_filter filter = {.groups = c->groups, .group_count = c->vertices};
    place_vertices(c, 0, random);
    if (c->grouped)
        assert_ok(toi_scene_set_filter(c->scene, &filter));
}

static void changes_agree_with_fresh_scenes(void **state)
{
    (void)state;
    toi_random random = {11};
    int64_t pairs = 0;
    for (int64_t i = 0; i < slow_cases(40); ++i) {
        changing *c = start_changing(i % 4 == 3, &random);
        for (int step = 0; step < 25; ++step) {
            change_once(c, &random);
            if (any(&random, 4) == 0)
                try_bad_changes(c);
            if (any(&random, 6) == 0)
                place_anew(c, &random);
            if (any(&random, 3) > 0)
                pairs += check_against_fresh(c, &random);
            if (any(&random, 8) == 0)
                check_impacts(c);
        }
        toi_free_scene(c->scene);
        free(c);
    }
    assert_true(pairs > slow_cases(1000));
}

// A body breaks: frame by frame some faces go, those of the end take their numbers, and some come
// back.
static void fracture_agrees_with_a_fresh_start(void **state)
{
    (void)state;
    int number = 0;
    while (strcmp(toi_animation_name(number), "fracture") != 0)
        ++number;
    toi_random random = {5};
    toi_animation a = make_scene(number, 1000 + slow_cases(3000), 0.6, 8);
    toi_scene *scene = open_scene(a.faces[0], a.face_count, a.point_count, NULL);
    int32_t(*faces)[3] = malloc((size_t)a.face_count * sizeof *faces);
    int64_t count = a.face_count, pairs = 0;
    memcpy(faces, a.faces, (size_t)count * sizeof *faces);
    toi_overlap_def def = toi_default_overlap_def();
    toi_overlap_array kept = {0}, fresh = {0};
    def.workers = 2;
    for (int frame = 0; frame < a.frames; ++frame) {
        toi_face_change changes[40];
        int64_t gone = frame % 3 == 2 ? -any(&random, a.face_count - count + 1) % 40 : 40, n = 0;
        for (int64_t i = 0; i < gone; ++i) { // the last face takes the number of one that goes
            int32_t f = any(&random, count--);
            memcpy(faces[f], faces[count], sizeof *faces);
            changes[n].face = f;
            memcpy(changes[n++].vertices, faces[f], sizeof *faces);
        }
        for (int64_t i = 0; i > gone; --i) {
            memcpy(faces[count], a.faces[any(&random, a.face_count)], sizeof *faces);
            changes[n].face = (int32_t)count;
            memcpy(changes[n++].vertices, faces[count++], sizeof *faces);
        }
        int64_t within = 0; // changes of faces that went later are none
        for (int64_t i = 0; i < n; ++i)
            if (changes[i].face < count)
                changes[within++] = changes[i];
        assert_ok(toi_scene_change_faces(scene, a.point_count, count, changes, within, NULL));
        const double *points = a.points[frame * a.point_count];
        toi_mesh mesh = toi_make_mesh(points, points, a.point_count, faces[0], count);
        find_in_scene(scene, &def, points, a.point_count, &kept);
        assert_ok(toi_find_overlaps(&def, &mesh, &fresh, NULL));
        expect_same("fracture", &fresh, &kept);
        pairs += kept.count;
    }
    assert_true(pairs > 0);
    toi_free_overlaps(&kept);
    toi_free_overlaps(&fresh);
    free(faces);
    toi_free_scene(scene);
    toi_free_animation(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_scenes_agree),
        cmocka_unit_test(real_meshes_agree),
        cmocka_unit_test(the_gallery_is_answered),
        cmocka_unit_test(workers_agree),
        cmocka_unit_test(kept_scenes_agree),
        cmocka_unit_test(changes_agree_with_fresh_scenes),
        cmocka_unit_test(fracture_agrees_with_a_fresh_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
