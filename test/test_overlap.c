// Overlaps as a call: every method, mode, number of workers and instruction set gives one answer,
// within any memory limit, and without an allocation in a warm scene.

#include "broad_sets.h"
#include "counted_hooks.h"
#include "mesh/mesh.h"
#include "overlap/call.h"
#include "overlap_calls.h"
#include "scenes.h"
#include "tangles.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Meshes and answers

static toi_cell_hash any_hash(toi_overlap_method method, int turn)
{
    return method == TOI_OVERLAP_KDET ? (toi_cell_hash)(turn % TOI_CELL_HASH_COUNT)
                                      : toi_default_overlap_def().hash;
}

static toi_overlap_array find(const toi_overlap_def *def, const toi_mesh *mesh,
                              toi_overlap_report *report)
{
    toi_overlap_array list = {0};
    assert_ok(toi_find_overlaps(def, mesh, &list, report));
    return list;
}

static void assert_same(const char *what, const toi_overlap_array *a, const toi_overlap_array *b)
{
    if (a->count != b->count)
        fail_msg("%s: %lld pairs instead of %lld", what, (long long)b->count, (long long)a->count);
    for (int64_t i = 0; i < a->count; ++i)
        if (memcmp(&a->data[i], &b->data[i], sizeof *a->data) != 0)
            fail_msg("%s: entry %lld is (%d, %d, %s) instead of (%d, %d, %s)", what, (long long)i,
                     b->data[i].a, b->data[i].b,
                     toi_overlap_class_name((toi_overlap_class)b->data[i].overlap_class),
                     a->data[i].a, a->data[i].b,
                     toi_overlap_class_name((toi_overlap_class)a->data[i].overlap_class));
}

// Two sheets that go through each other, large enough for several workers.
static toi_animation make_cloth(int64_t size)
{
    toi_animation_def def = toi_default_animation_def();
    toi_animation scene;
    def.name = "cloth-ball";
    def.size = size;
    def.begin = 0.95;
    assert_ok(toi_make_animation(&def, &scene));
    return scene;
}

static toi_mesh mesh_of(const toi_animation *a)
{
    const double *last = a->points[(a->frames - 1) * a->point_count];
    return toi_make_mesh(last, last, a->point_count, a->faces[0], a->face_count);
}

static const char *const levels[] = {"baseline", "avx2", "avx512"};

static bool set_simd(int level)
{
    return toi_set_simd(levels[level]) == TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// One answer

// Whatever the mesh is made of, and whatever arrays it comes in.
static void methods_agree_on_tangles(void **state)
{
    (void)state;
    bool brief = getenv("TOI_SANITIZED");
    int64_t size = brief ? 40 : 120, total = 0;
    // 5 has no factor with their numbers: each with nearly every other also when it is brief
    for (int i = 0; i < TOPOLOGIES * PLACES * LAYOUTS; i += brief ? 5 : 1) {
        tangle t = make_tangle(i % TOPOLOGIES, i / TOPOLOGIES % PLACES, i / (TOPOLOGIES * PLACES),
                               size, (uint64_t)i);
        toi_overlap_def def = make_def(TOI_OVERLAP_BRUTE, 1);
        if (i % 3 == 0)
            def.filter = (toi_filter){.groups = t.groups, .group_count = t.mesh.start.count};
        toi_overlap_array expected = find(&def, &t.mesh, NULL);
        for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
            if (!is_built(method))
                continue;
            def.method = (toi_overlap_method)method;
            def.hash = any_hash(def.method, i / 3);
            def.workers = 1 + i % 4;
            set_simd(i % 3);
            toi_overlap_array list = find(&def, &t.mesh, NULL);
            assert_same(t.name, &expected, &list);
            toi_free_overlaps(&list);
        }
        total += expected.count;
        toi_free_overlaps(&expected);
        free_tangle(&t);
    }
    assert_ok(toi_set_simd(NULL));
    assert_true(total > (brief ? 1000 : 10000)); // empty lists would agree for the wrong reason
}

static void workers_and_instruction_sets_agree(void **state)
{
    (void)state;
    toi_animation a = make_cloth(getenv("TOI_SANITIZED") ? 3000 : 40000);
    toi_mesh mesh = mesh_of(&a);
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_report report;
    toi_overlap_array expected = find(&def, &mesh, &report);
    assert_true(expected.count > 100 && report.stars > a.point_count / 2);
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method)
        for (int turn = 0; turn < 8; turn += getenv("TOI_SANITIZED") ? 2 : 1) {
            if (!is_built(method) || method == TOI_OVERLAP_BRUTE)
                continue;
            set_simd(turn % 3);
            def = make_def(method, 1 + turn);
            def.hash = any_hash(def.method, turn / 3);
            toi_overlap_array list = find(&def, &mesh, &report);
            assert_same(toi_overlap_method_name(def.method), &expected, &list);
            toi_free_overlaps(&list);
        }
    assert_ok(toi_set_simd(NULL));
    toi_free_overlaps(&expected);
    toi_free_animation(&a);
}

// The same floats, so the same answers, at every scale.
static void scale_does_not_matter(void **state)
{
    (void)state;
    static const double scales[] = {0x1p60, 0x1p-60, 0x1p1000, 0x1p-900};
    soup s = make_soup(300, 0.2, 0, 3);
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_report report, scaled;
    toi_overlap_array expected = find(&def, &s.mesh, &report);
    assert_true(expected.count > 100);
    double *points = malloc((size_t)s.vertex_count * 3 * sizeof *points);
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        for (int64_t i = 0; i < 3 * s.vertex_count; ++i)
            points[i] = s.start[i / 3][i % 3] * scales[k];
        toi_mesh mesh = toi_make_mesh(points, points, s.vertex_count, s.faces[0], s.face_count);
        toi_overlap_array list = find(&def, &mesh, &scaled);
        assert_same("scaled", &expected, &list);
        assert_int_equal(scaled.candidates, report.candidates);
        toi_free_overlaps(&list);
    }
    free(points);
    toi_free_overlaps(&expected);
    free_soup(&s);
}

// The floats that boxes are made of: in the order of the coordinates, and no further off than the
// table says. Long doubles hold scaled coordinates exactly, and differences to 2^-64.
static void floats_keep_their_order_and_bound(void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; ++place) {
        tangle t = make_tangle(SOUP, place, PACKED, 300, (uint64_t)place);
        toi_overlap_def def = toi_default_overlap_def();
        toi_budget budget = {.limit = 0};
        toi_overlap_call call = {.def = &def,
                                 .search = toi_overlap_search_of(TOI_OVERLAP_AUTO),
                                 .workers = 1,
                                 .scene = &call.passing,
                                 .mesh = {.start = t.mesh.start, .faces = t.mesh.faces},
                                 .budget = &budget};
        assert_ok(toi_make_face_table(&call));
        const toi_face_table *table = &call.table;
        for (int64_t i = 0; i < table->vertex_count; ++i) {
            double x[3], y[3];
            toi_load_point(&t.mesh.start, i, x);
            toi_load_point(&t.mesh.start, (i * 7 + 1) % table->vertex_count, y);
            const float *f = table->by_id[i], *g = table->by_id[(i * 7 + 1) % table->vertex_count];
            for (int k = 0; k < 3; ++k) {
                long double exact = (long double)x[k] * table->scale - table->centre[k];
                assert_true(fabsl(f[k] - exact) <= table->error);
                assert_true(fabs(x[k] * table->scale) <= 1);
                assert_true(x[k] <= y[k] ? f[k] <= g[k] : f[k] >= g[k]);
            }
        }
        toi_free_face_table(&call);
        free_tangle(&t);
    }
}

// ---------------------------------------------------------------------------------------------
// Modes

static void check_counts(const toi_overlap_def *def, const toi_mesh *mesh,
                         const toi_overlap_array *expected, const toi_overlap_report *report)
{
    toi_overlap_report counted, flagged;
    uint8_t *flags = malloc((size_t)mesh->faces.count);
    memset(flags, 7, (size_t)mesh->faces.count);
    assert_ok(toi_count_overlaps(def, mesh, &counted));
    assert_ok(toi_flag_overlaps(def, mesh, flags, &flagged));
    assert_int_equal(counted.pairs, expected->count);
    assert_memory_equal(counted.by_class, report->by_class, sizeof counted.by_class);
    assert_memory_equal(flagged.by_class, report->by_class, sizeof flagged.by_class);
    for (int64_t i = 0; i < expected->count; ++i)
        flags[expected->data[i].a] |= 2, flags[expected->data[i].b] |= 2;
    for (int64_t i = 0; i < mesh->faces.count; ++i)
        assert_true(flags[i] == 0 || flags[i] == 3);
    free(flags);
}

// Counts and flags are those of the list; a scene says what the mesh says; a limit cuts the list.
static void modes_agree(void **state)
{
    (void)state;
    toi_animation a = make_cloth(getenv("TOI_SANITIZED") ? 1500 : 12000);
    toi_mesh mesh = mesh_of(&a);
    toi_scene_def made = toi_default_scene_def();
    toi_scene *scene;
    made.vertex_count = a.point_count;
    made.faces = mesh.faces;
    assert_ok(toi_make_scene(&made, &scene));
    for (int workers = 1; workers <= 4; ++workers) {
        toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, workers);
        toi_overlap_report report, of_scene;
        toi_overlap_array list = find(&def, &mesh, &report), again = {0};
        int64_t sum = 0;
        for (int c = 0; c < TOI_OVERLAP_CLASS_COUNT; ++c)
            sum += report.by_class[c];
        assert_true(sum == list.count && report.pairs == sum && report.complete);
        check_counts(&def, &mesh, &list, &report);
        assert_ok(toi_scene_find_overlaps(scene, &def, mesh.start, &again, &of_scene));
        assert_same("scene", &list, &again);
        assert_int_equal(of_scene.candidates, report.candidates);
        assert_ok(toi_scene_count_overlaps(scene, &def, mesh.start, &of_scene));
        assert_int_equal(of_scene.pairs, sum);
        uint8_t *flags = malloc((size_t)a.face_count);
        assert_ok(toi_scene_flag_overlaps(scene, &def, mesh.start, flags, &of_scene));
        assert_int_equal(of_scene.pairs, sum);
        for (int64_t i = 0; i < list.count; ++i)
            assert_true(flags[list.data[i].a] && flags[list.data[i].b]);
        free(flags);
        toi_free_overlaps(&again);
        toi_free_overlaps(&list);
    }
    toi_free_scene(scene);
    toi_free_animation(&a);
}

static void limits_keep_the_first(void **state)
{
    (void)state;
    toi_animation a = make_cloth(getenv("TOI_SANITIZED") ? 1500 : 12000);
    toi_mesh mesh = mesh_of(&a);
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_report report;
    toi_overlap_array all = find(&def, &mesh, NULL), list = {0};
    for (int workers = 1; workers <= 4; ++workers)
        for (int i = 0; i < 6; ++i) {
            def.workers = workers;
            def.limit = (int64_t[]){1, 2, 17, all.count - 1, all.count, all.count + 1}[i];
            assert_ok(toi_find_overlaps(&def, &mesh, &list, &report));
            toi_overlap_array first = {all.data, def.limit < all.count ? def.limit : all.count, 0};
            assert_same("limit", &first, &list);
            assert_int_equal(report.complete, def.limit >= all.count);
            assert_int_equal(report.pairs, list.count);
        }
    toi_free_overlaps(&list);
    toi_free_overlaps(&all);
    toi_free_animation(&a);
}

static void classes_are_selected(void **state)
{
    (void)state;
    soup s = make_soup(200, 0.3, 0, 5);
    for (int64_t i = 0; i < 3 * s.vertex_count; ++i) // on a lattice: every class
        s.start[i / 3][i % 3] = (double)(int)(s.start[i / 3][i % 3] * 6);
    toi_mesh mesh = toi_make_mesh(s.start[0], s.start[0], s.vertex_count, s.faces[0], 200);
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_array all = find(&def, &mesh, NULL);
    for (int c = 0; c < TOI_OVERLAP_CLASS_COUNT; ++c) {
        toi_overlap_report report;
        def.classes = 1u << c;
        toi_overlap_array list = find(&def, &mesh, &report);
        int64_t at = 0;
        for (int64_t i = 0; i < all.count; ++i)
            if (all.data[i].overlap_class == c)
                assert_memory_equal(&all.data[i], &list.data[at++], sizeof *list.data);
        assert_int_equal(at, list.count);
        assert_true(at > 0 || c >= TOI_OVERLAP_VERTEX);
        toi_free_overlaps(&list);
    }
    toi_free_overlaps(&all);
    free_soup(&s);
}

static bool is_allowed(const toi_filter *filter, const int32_t *a, const int32_t *b)
{
    bool allowed = false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            bool grouped = filter->groups && filter->groups[a[i]] >= 0 &&
                           filter->groups[a[i]] == filter->groups[b[j]];
            bool refused = filter->may_collide && !filter->may_collide(NULL, a[i], b[j]);
            allowed |= a[i] != b[j] && !grouped && !refused;
        }
    return allowed;
}

static void filters_hold(void **state)
{
    (void)state;
    int64_t dropped = 0;
    for (int turn = 0; turn < 12; ++turn) {
        soup s = make_soup(200, 0.4, 0, (uint64_t)turn);
        int32_t groups[2000];
        assert_true(s.vertex_count <= 2000);
        for (int64_t i = 0; i < s.vertex_count; ++i)
            groups[i] = (int32_t)(i / 3 % 4) - 1;
        for (int64_t i = 0; turn % 2 && i < s.face_count; ++i) // faces that share vertices
            s.faces[i][0] = (int32_t)(i / 2);
        toi_overlap_def def = make_def(turn % TOI_OVERLAP_METHOD_COUNT, 1 + turn % 3);
        if (!is_built(def.method))
            def.method = TOI_OVERLAP_AUTO;
        toi_overlap_array all = find(&def, &s.mesh, NULL);
        if (turn % 3 < 2)
            def.filter = (toi_filter){.groups = groups, .group_count = s.vertex_count};
        if (turn % 3 > 0)
            def.filter.may_collide = odd_sum;
        toi_overlap_array list = find(&def, &s.mesh, NULL);
        int64_t kept = 0;
        for (int64_t i = 0; i < all.count; ++i) {
            if (is_allowed(&def.filter, s.faces[all.data[i].a], s.faces[all.data[i].b]))
                all.data[kept++] = all.data[i];
        }
        dropped += all.count - kept;
        all.count = kept;
        assert_same("filtered", &all, &list);
        toi_free_overlaps(&list);
        toi_free_overlaps(&all);
        free_soup(&s);
    }
    assert_true(dropped > 100);
}

// Faces of a soup by threes: pairs of polygons, once each, with the least class of their faces.
static void polygons_are_pairs_once(void **state)
{
    (void)state;
    soup s = make_soup(300, 0.3, 0, 9);
    int32_t polygons[300];
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_overlap_report report;
    for (int64_t i = 0; i < 3 * s.vertex_count; ++i) // on a lattice, so that classes differ
        s.start[i / 3][i % 3] = (double)(int)(s.start[i / 3][i % 3] * 8);
    for (int i = 0; i < 300; ++i)
        polygons[i] = (i * 7) % 100;
    toi_mesh mesh = toi_make_mesh(s.start[0], s.start[0], s.vertex_count, s.faces[0], 300);
    toi_overlap_array faces = find(&def, &mesh, NULL), list = {0};
    uint8_t least[100][100], flags[100], expected[100] = {0};
    memset(least, 9, sizeof least);
    for (int64_t i = 0; i < faces.count; ++i) {
        int a = polygons[faces.data[i].a], b = polygons[faces.data[i].b];
        uint8_t *at = a < b ? &least[a][b] : &least[b][a];
        if (a != b && faces.data[i].overlap_class < *at)
            *at = (uint8_t)faces.data[i].overlap_class;
    }
    def.polygons = (toi_polygon_view){polygons, NULL, 300};
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method) {
        if (!is_built(method))
            continue;
        def.method = (toi_overlap_method)method;
        assert_ok(toi_find_overlaps(&def, &mesh, &list, &report));
        int64_t at = 0;
        for (int a = 0; a < 100; ++a)
            for (int b = 0; b < 100; ++b)
                if (least[a][b] < 9) {
                    toi_overlap pair = {a, b, least[a][b]};
                    expected[a] = expected[b] = 1;
                    assert_memory_equal(&pair, &list.data[at++], sizeof pair);
                }
        assert_int_equal(at, list.count);
        assert_ok(toi_flag_overlaps(&def, &mesh, flags, &report));
        assert_memory_equal(flags, expected, sizeof flags);
        assert_int_equal(report.pairs, at);
        assert_true(at < faces.count && at > 100);
    }
    toi_free_overlaps(&list);
    toi_free_overlaps(&faces);
    free_soup(&s);
}

// What is a diagonal of one polygon is more than the two vertices that both have, whatever the
// stars of these vertices are like: many faces at one edge, or a fan in which nothing overlaps.
static void shared_diagonals_are_found(void **state)
{
    (void)state;
    enum
    {
        QUADS = 70 // so that their diagonal has more faces than a large star
    };
    double points[2 + 2 * QUADS][3] = {{0, 0, 0}, {0, 0, 1}};
    int32_t faces[2 * QUADS][3], polygons[2 * QUADS];
    uint8_t diagonals[2 * QUADS];
    for (int i = 0; i < 2 * QUADS; ++i) {
        double angle = 3.0 * (i / 2) / QUADS, side = i % 2 ? -1 : 1;
        memcpy(points[2 + i], (double[3]){side * cos(angle), side * sin(angle), 0.5}, 24);
        memcpy(faces[i], (int32_t[3]){i % 2, 1 - i % 2, 2 + i}, 12);
        polygons[i] = i / 2;
        diagonals[i] = 1;
    }
    for (int method = 0; method < TOI_OVERLAP_METHOD_COUNT; ++method)
        for (int count = 2; is_built(method) && count <= 2 * QUADS; count += 2 * QUADS - 2) {
            toi_mesh mesh =
                toi_make_mesh(points[0], points[0], 2 + 2 * QUADS, faces[0], (int64_t)count);
            toi_overlap_def def = make_def(method, 1 + method);
            toi_overlap_report report;
            // Two faces alone: one has a diagonal whose other side is missing.
            def.polygons = (toi_polygon_view){count == 2 ? (int32_t[2]){0, 1} : polygons,
                                              count == 2 ? (uint8_t[2]){1, 0} : diagonals, count};
            assert_ok(toi_count_overlaps(&def, &mesh, &report));
            assert_int_equal(report.pairs, count == 2 ? 1 : QUADS * (QUADS - 1) / 2);
            assert_int_equal(report.by_class[TOI_OVERLAP_EDGE], report.pairs);
        }
}

// ---------------------------------------------------------------------------------------------
// Memory

// A warm scene takes nothing from the hook, whatever is asked, while the list has room.
static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    toi_animation_def made = toi_default_animation_def();
    toi_animation a;
    made.name = "cloth-ball";
    made.size = getenv("TOI_SANITIZED") ? 600 : 9000;
    made.begin = 0.9;
    made.frames = 6;
    assert_ok(toi_make_animation(&made, &a));
    toi_scene_def scene_def = toi_default_scene_def();
    scene_def.vertex_count = a.point_count;
    scene_def.faces = (toi_index_view){a.faces[0], a.face_count, 0};
    uint8_t *flags = malloc((size_t)a.face_count);
    for (int workers = 1; workers <= 4; workers += getenv("TOI_SANITIZED") ? 3 : 1) {
        toi_scene *scene;
        toi_overlap_array list = {0}, few = {0};
        toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, workers), limited = def;
        limited.limit = 20;
        assert_ok(toi_make_scene(&scene_def, &scene));
        for (int step = 0; step < 24; ++step) {
            int64_t before = ledger.made, room = list.capacity;
            toi_point_view points =
                toi_view_points(a.points[(step * 5 % a.frames) * a.point_count], a.point_count);
            assert_ok(toi_scene_find_overlaps(scene, &def, points, &list, NULL));
            assert_ok(toi_scene_find_overlaps(scene, &limited, points, &few, NULL));
            assert_ok(toi_scene_count_overlaps(scene, &def, points, NULL));
            assert_ok(toi_scene_flag_overlaps(scene, &def, points, flags, NULL));
            if (step == 0)
                assert_true(ledger.made - before > 10);
            else if (list.capacity == room && step > 6)
                assert_int_equal(ledger.made, before);
        }
        toi_free_overlaps(&few);
        toi_free_overlaps(&list);
        toi_free_scene(scene);
    }
    free(flags);
    toi_free_animation(&a);
}

// The order of the faces serves searches for impacts and for overlaps in turn, though boxes of what
// moves are larger.
static void orders_are_shared(void **state)
{
    (void)state;
    toi_animation a = make_cloth(getenv("TOI_SANITIZED") ? 1500 : 9000);
    toi_mesh mesh = mesh_of(&a);
    double *end = malloc((size_t)a.point_count * 3 * sizeof *end);
    for (int64_t i = 0; i < 3 * a.point_count; ++i)
        end[i] = ((const double *)mesh.start.data)[i] + 0.2;
    toi_scene_def made = toi_default_scene_def();
    toi_scene *scene;
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    toi_ccd_def ccd = toi_default_ccd_def();
    made.vertex_count = a.point_count;
    made.faces = mesh.faces;
    assert_ok(toi_make_scene(&made, &scene));
    for (int turn = 0; turn < 6; ++turn) {
        assert_ok(toi_scene_find_earliest(scene, &ccd, mesh.start,
                                          toi_view_points(end, a.point_count), NULL));
        assert_ok(toi_scene_count_overlaps(scene, &def, mesh.start, NULL));
        const toi_kept_order *kept = scene->kept[TOI_KEPT_ORDER].data;
        assert_true(kept->valid[TOI_VERTEX] && kept->valid[TOI_FACE] && kept->labelled);
    }
    toi_free_scene(scene);
    free(end);
    toi_free_animation(&a);
}

// The bytes that the last message says are needed.
static int64_t named_bytes(void)
{
    const char *at = strstr(toi_last_message(), "needs");
    int64_t bytes = 0;
    for (at = at ? strchr(at, '(') : NULL; at && *at && *at != ' '; ++at)
        if (*at >= '0' && *at <= '9')
            bytes = 10 * bytes + *at - '0';
    return bytes;
}

// From a limit far too small the numbers named lead to success: at once, but where a list's length
// has to be told by a second refusal.
static void follow_the_messages(toi_overlap_def def, const toi_mesh *mesh)
{
    toi_overlap_array list = {0};
    toi_status status;
    def.memory_limit = 1;
    for (int tries = 0; (status = toi_count_overlaps(&def, mesh, NULL)) == TOI_ERROR_LIMIT;
         ++tries) {
        assert_true(tries < 1 && named_bytes() > def.memory_limit);
        def.memory_limit = named_bytes();
    }
    assert_ok(status);
    def.memory_limit = 1;
    for (int tries = 0; (status = toi_find_overlaps(&def, mesh, &list, NULL)) == TOI_ERROR_LIMIT;
         ++tries) {
        assert_true(tries < (def.limit ? 20 : 2) && named_bytes() > def.memory_limit);
        def.memory_limit = named_bytes();
    }
    assert_ok(status);
    toi_free_overlaps(&list);
}

// The same in a scene, whose blocks are larger than what is asked for.
static void follow_the_messages_of_a_scene(toi_overlap_def def, const toi_mesh *mesh)
{
    toi_overlap_array list = {0};
    toi_scene_def made = toi_default_scene_def();
    toi_scene *scene;
    toi_status status;
    made.vertex_count = mesh->start.count;
    made.faces = mesh->faces;
    assert_ok(toi_make_scene(&made, &scene));
    def.memory_limit = 1;
    for (int tries = 0; (status = toi_scene_find_overlaps(scene, &def, mesh->start, &list, NULL)) ==
                        TOI_ERROR_LIMIT;
         ++tries) {
        assert_true(tries < (def.limit ? 20 : 2) && named_bytes() > def.memory_limit);
        def.memory_limit = named_bytes();
    }
    assert_ok(status);
    toi_free_overlaps(&list);
    toi_free_scene(scene);
}

// Pairs of faces whose cells are 256 or 512 apart: in the buckets of Morton codes all are together,
// and it takes memory to part them.
static void hashes_agree_on_shared_buckets(void **state)
{
    (void)state;
    int32_t pair_count = getenv("TOI_SANITIZED") ? 600 : 3000;
    if (!is_built(TOI_OVERLAP_KDET))
        return;
    static const double corners[6][3] = {{0, 0, 0},        {1, 0, 0},       {0, 1, 0},
                                         {0.5, 0.5, -0.5}, {0.5, 0.5, 0.5}, {1, 0, 0.5}};
    soup s = make_soup(2 * pair_count, 1, 0, 7);
    for (int i = 0; i < 6 * pair_count; ++i) {
        s.faces[i / 3][i % 3] = i;
        for (int k = 0; k < 3; ++k)
            s.start[i][k] = corners[i % 6][k] + (k == 0 ? 1024 * (i / 6) : 0);
    }
    for (int hash = 0; hash < TOI_CELL_HASH_COUNT; ++hash) {
        toi_overlap_def def = make_def(TOI_OVERLAP_KDET, 1 + hash);
        def.hash = (toi_cell_hash)hash;
        toi_overlap_array list = find(&def, &s.mesh, NULL);
        assert_int_equal(list.count, pair_count);
        for (int32_t i = 0; i < pair_count; ++i)
            assert_true(list.data[i].a == 2 * i && list.data[i].b == 2 * i + 1);
        follow_the_messages(def, &s.mesh);
        toi_free_overlaps(&list);
    }
    free_soup(&s);
}

// Every limit is held, changes no answer, and where it is too small the message names one that is
// enough.
static void memory_limits_are_held(void **state)
{
    (void)state;
    toi_animation a = make_cloth(getenv("TOI_SANITIZED") ? 600 : 9000);
    toi_mesh mesh = mesh_of(&a);
    soup crowd = make_soup(300, 1, 0, 5); // with more pairs than faces
    int refused = 0, parts = getenv("TOI_SANITIZED") ? 7 : 23;
    for (int turn = 0; turn < 9; ++turn) {
        toi_overlap_def def =
            make_def(turn % 3 == 2 ? TOI_OVERLAP_BRUTE : TOI_OVERLAP_AUTO, 1 + turn % 4);
        toi_overlap_report report;
        mesh.faces.count = def.method == TOI_OVERLAP_BRUTE ? 400 : a.face_count;
        def.limit = turn % 2 ? 25 : 0;
        toi_overlap_array expected = find(&def, &mesh, &report);
        int64_t peak = report.peak_bytes;
        follow_the_messages(def, &mesh);
        follow_the_messages_of_a_scene(def, turn % 3 == 2 ? &crowd.mesh : &mesh);
        for (int64_t limit = 1; limit < 2 * peak; limit += 1 + peak / parts) {
            toi_overlap_array list = {0};
            def.memory_limit = limit;
            int64_t before = ledger.bytes;
            ledger.most = before;
            toi_status status = toi_find_overlaps(&def, &mesh, &list, &report);
            assert_true(ledger.most - before <= limit);
            if (status == TOI_OK) {
                assert_same("limited", &expected, &list);
            } else {
                ++refused;
                assert_int_equal(status, TOI_ERROR_LIMIT);
                assert_int_equal(list.count, 0);
            }
            toi_free_overlaps(&list);
        }
        toi_free_overlaps(&expected);
    }
    assert_true(refused > 20);
    free_soup(&crowd);
    toi_free_animation(&a);
}

// Every allocation fails in turn, and all after it: no leak, no answer, and the scene lives on.
static void failed_allocations_leave_nothing_broken(void **state)
{
    (void)state;
    soup s = make_soup(200, 0.2, 0, 4);
    toi_scene_def made = toi_default_scene_def();
    toi_scene *scene;
    toi_overlap_def def = make_def(TOI_OVERLAP_AUTO, 1);
    made.vertex_count = s.vertex_count;
    made.faces = s.mesh.faces;
    assert_ok(toi_make_scene(&made, &scene));
    toi_overlap_array expected = find(&def, &s.mesh, NULL), list = {0};
    bool failed = true;
    for (int64_t left = 0; failed; ++left) {
        ledger.left = left;
        toi_status status = toi_find_overlaps(&def, &s.mesh, &list, NULL);
        toi_status of_scene = toi_scene_find_overlaps(scene, &def, s.mesh.start, &list, NULL);
        failed = ledger.left == 0;
        ledger.left = -1;
        assert_true(status == TOI_OK || status == TOI_ERROR_MEMORY);
        if (of_scene == TOI_OK)
            assert_same("the last", &expected, &list);
        toi_free_overlaps(&list);
        assert_ok(toi_scene_find_overlaps(scene, &def, s.mesh.start, &list, NULL));
        assert_same("afterwards", &expected, &list);
        toi_free_overlaps(&list);
        assert_ok(toi_scene_trim(scene));
    }
    toi_free_overlaps(&expected);
    toi_free_scene(scene);
    free_soup(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_on_tangles),
        cmocka_unit_test(workers_and_instruction_sets_agree),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(floats_keep_their_order_and_bound),
        cmocka_unit_test(modes_agree),
        cmocka_unit_test(limits_keep_the_first),
        cmocka_unit_test(classes_are_selected),
        cmocka_unit_test(filters_hold),
        cmocka_unit_test(polygons_are_pairs_once),
        cmocka_unit_test(shared_diagonals_are_found),
        cmocka_unit_test_setup_teardown(warm_scenes_allocate_nothing, count_allocations,
                                        stop_counting),
        cmocka_unit_test(orders_are_shared),
        cmocka_unit_test(hashes_agree_on_shared_buckets),
        cmocka_unit_test_setup_teardown(memory_limits_are_held, count_allocations, stop_counting),
        cmocka_unit_test_setup_teardown(failed_allocations_leave_nothing_broken, count_allocations,
                                        stop_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
