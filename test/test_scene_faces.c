// Faces that come, go and change in a scene: after every change the answers are those of a scene
// made anew, and a change that fails leaves everything as it was.

#include "scenes.h"
#include "support.h"

#include "ccd/scene.h"
#include "toi/overlap.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- An allocator that fails when told

static _Atomic int64_t allocations_left; // negative: all succeed
static _Atomic int64_t live;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (allocations_left >= 0 && allocations_left-- <= 0) {
        allocations_left = 0;
        return NULL;
    }
    ++live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    --live;
    free(memory);
}

static int count_allocations(void **state)
{
    (void)state;
    allocations_left = -1;
    live = 0;
    toi_set_hooks(&(toi_hooks){.allocate = failing_allocate, .release = counting_release});
    return 0;
}

static int stop_counting(void **state)
{
    (void)state;
    toi_set_hooks(NULL);
    return live == 0 ? 0 : -1;
}

// ---- A mesh of one's own beside the scene

enum
{
    MOST_VERTICES = 4000,
    MOST_FACES = 5000
};

typedef struct plain_mesh
{
    int64_t vertices, faces;
    double start[MOST_VERTICES][3], end[MOST_VERTICES][3];
    int32_t face[MOST_FACES][3];
    int32_t groups[MOST_VERTICES];
} plain_mesh;

static toi_point_view starts(const plain_mesh *m)
{
    return toi_view_points(m->start[0], m->vertices);
}

static toi_point_view ends(const plain_mesh *m)
{
    return toi_view_points(m->end[0], m->vertices);
}

static toi_mesh view(const plain_mesh *m)
{
    return (toi_mesh){.start = starts(m), .end = ends(m), .faces = {m->face[0], m->faces, 0}};
}

static toi_scene *make_scene(const plain_mesh *m, bool groups)
{
    toi_scene_def def = toi_default_scene_def();
    toi_scene *scene;
    def.vertex_count = m->vertices;
    def.faces = (toi_index_view){m->face[0], m->faces, 0};
    if (groups)
        def.filter = (toi_filter){.groups = m->groups, .group_count = m->vertices};
    assert_ok(toi_make_scene(&def, &scene));
    return scene;
}

// What must be the same: the overlaps, and of every third question the impacts.
typedef struct answer
{
    uint64_t overlaps, impacts;
    int64_t overlap_count, impact_count, edges;
} answer;

static answer ask(toi_scene *scene, const plain_mesh *m, bool groups, bool moving, int workers)
{
    answer a = {0};
    toi_overlap_def def = toi_default_overlap_def();
    toi_ccd_def ccd = toi_default_ccd_def();
    toi_overlap_array overlaps = {0};
    toi_impact_array impacts = {0};
    toi_ccd_report report = {0};
    toi_filter filter = {.groups = m->groups, .group_count = m->vertices};
    toi_mesh mesh = view(m);
    def.workers = ccd.workers = workers;
    if (!scene && groups)
        def.filter = ccd.filter = filter;
    if (scene)
        assert_ok(toi_scene_find_overlaps(scene, &def, starts(m), &overlaps, NULL));
    else
        assert_ok(toi_find_overlaps(&def, &mesh, &overlaps, NULL));
    if (moving && scene)
        assert_ok(toi_scene_find_impacts(scene, &ccd, starts(m), ends(m), &impacts, &report));
    else if (moving)
        assert_ok(toi_find_impacts(&ccd, &mesh, &impacts, &report));
    a.overlaps = toi_hash(overlaps.data, (size_t)overlaps.count * sizeof *overlaps.data);
    a.impacts = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    a.overlap_count = overlaps.count;
    a.impact_count = impacts.count;
    a.edges = report.edges;
    toi_free_overlaps(&overlaps);
    toi_free_impacts(&impacts);
    return a;
}

static void expect_same(const answer *a, const answer *b)
{
    assert_int_equal(a->overlap_count, b->overlap_count);
    assert_int_equal(a->overlaps, b->overlaps);
    assert_int_equal(a->impact_count, b->impact_count);
    assert_int_equal(a->impacts, b->impacts);
    assert_int_equal(a->edges, b->edges);
}

// ---- Changes

static double wave(double u, double v)
{
    return 0.1 * sin(5 * u) * cos(4 * v);
}

// Two layers of cloth that touch here and there.
static void put_layers(plain_mesh *m, int side)
{
    m->vertices = m->faces = 0;
    for (int layer = 0; layer < 2; ++layer) {
        int32_t first = (int32_t)m->vertices;
        for (int y = 0; y <= side; ++y)
            for (int x = 0; x <= side; ++x) {
                double u = 2.0 * x / side, v = 2.0 * y / side;
                double at[3] = {u, v, layer ? 0.12 : wave(u, v)};
                memcpy(m->start[m->vertices], at, sizeof at);
                at[2] += layer ? -0.03 : 0.02;
                memcpy(m->end[m->vertices], at, sizeof at);
                m->groups[m->vertices++] = layer;
            }
        for (int32_t y = 0; y < side; ++y)
            for (int32_t x = 0; x < side; ++x) {
                int32_t a = first + y * (side + 1) + x, b = a + 1, c = a + side + 1, d = c + 1;
                const int32_t rows[2][3] = {{a, b, c}, {d, c, b}};
                memcpy(m->face[m->faces], rows, sizeof rows);
                m->faces += 2;
            }
    }
}

// One change of a face: it is torn off at a vertex, which is doubled; it goes to another place; it
// is removed; or a new one comes.
typedef struct edits
{
    int64_t vertices, faces, count;
    toi_face_change changes[256];
} edits;

static void write_change(plain_mesh *m, edits *e, int64_t face, const int32_t row[3])
{
    e->changes[e->count].face = (int32_t)face;
    memcpy(e->changes[e->count++].vertices, row, 3 * sizeof *row);
    memcpy(m->face[face], row, 3 * sizeof *row);
}

static int32_t double_vertex(plain_mesh *m, int32_t vertex, toi_random *random)
{
    int64_t at = m->vertices++;
    for (int k = 0; k < 3; ++k) {
        double off = toi_random_range(random, -0.01, 0.01);
        m->start[at][k] = m->start[vertex][k] + off;
        m->end[at][k] = m->end[vertex][k] + off;
    }
    m->groups[at] = m->groups[vertex];
    return (int32_t)at;
}

static void edit_once(plain_mesh *m, edits *e, toi_random *random)
{
    int64_t face = (int64_t)toi_random_below(random, (uint64_t)m->faces);
    int32_t row[3], c = (int32_t)toi_random_below(random, 3);
    memcpy(row, m->face[face], sizeof row);
    switch (toi_random_below(random, 5)) {
    case 0:
    case 1:
        row[c] = double_vertex(m, row[c], random);
        write_change(m, e, face, row);
        break;
    case 2:
        row[c] = (int32_t)toi_random_below(random, (uint64_t)m->vertices);
        write_change(m, e, face, row);
        break;
    case 3: // its number gets the last one's vertices; a change of that one goes with it
        memcpy(row, m->face[m->faces - 1], sizeof row);
        write_change(m, e, face, row);
        --m->faces;
        break;
    default:
        for (int k = 0; k < 3; ++k)
            row[k] = double_vertex(m, row[k], random);
        write_change(m, e, m->faces++, row);
    }
}

// Changes of faces that went again do not count.
static void end_edits(const plain_mesh *m, edits *e)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < e->count; ++i)
        if (e->changes[i].face < m->faces)
            e->changes[kept++] = e->changes[i];
    e->count = kept;
    e->vertices = m->vertices;
    e->faces = m->faces;
}

// Drops vertices at the end that nobody names.
static void drop_vertices(plain_mesh *m)
{
    int32_t last = 0;
    for (int64_t f = 0; f < m->faces; ++f)
        for (int c = 0; c < 3; ++c)
            last = m->face[f][c] > last ? m->face[f][c] : last;
    m->vertices = last + 1;
}

static edits make_edits(plain_mesh *m, toi_random *random)
{
    edits e = {0};
    int count = 1 + (int)toi_random_below(random, toi_random_below(random, 8) ? 6 : 120);
    for (int i = 0; i < count && m->vertices < MOST_VERTICES - 8 && m->faces < MOST_FACES - 8; ++i)
        edit_once(m, &e, random);
    if (toi_random_below(random, 4) == 0)
        drop_vertices(m);
    end_edits(m, &e);
    return e;
}

static toi_status apply(toi_scene *scene, const plain_mesh *m, const edits *e, bool groups)
{
    return toi_scene_change_faces(scene, e->vertices, e->faces, e->changes, e->count,
                                  groups ? m->groups : NULL);
}

static void changed_scenes_answer_as_new_ones(void **state)
{
    (void)state;
    static plain_mesh m;
    toi_random random = {1};
    int64_t overlaps = 0, impacts = 0, kept = 0;
    for (int run = 0; run < 4; ++run) {
        bool groups = run == 1;
        put_layers(&m, 14);
        toi_scene *scene = make_scene(&m, groups);
        for (int64_t i = 0; i < cases(100); ++i) {
            edits e = make_edits(&m, &random);
            assert_ok(apply(scene, &m, &e, groups));
            if (run == 2 && i % 3) // several changes in a row
                continue;
            bool moving = i % 3 == 0 && run != 3;
            kept += scene->kept[TOI_KEPT_ORDER].data != NULL && scene->stars;
            answer expected = ask(NULL, &m, groups, moving, 1);
            answer found = ask(scene, &m, groups, moving, 1 + (int)(i % 3));
            expect_same(&found, &expected);
            overlaps += found.overlap_count;
            impacts += found.impact_count;
        }
        toi_free_scene(scene);
    }
    assert_true(overlaps > 0 && impacts > 0 && kept > 0);
}

// Bodies that break: faces go from one step to the next and come back.
static void breaking_bodies(void **state)
{
    (void)state;
    enum
    {
        FRAMES = 8
    };
    static plain_mesh m;
    toi_animation_def def = toi_default_animation_def();
    toi_animation a;
    def.name = "fracture";
    def.size = 1500;
    def.frames = FRAMES;
    def.begin = 0.5;
    assert_ok(toi_make_animation(&def, &a));
    assert_true(a.point_count <= MOST_VERTICES && a.face_count <= MOST_FACES);
    m.vertices = a.point_count;
    m.faces = a.face_count;
    memcpy(m.face, a.faces, (size_t)a.face_count * sizeof *a.faces);
    toi_scene *scene = make_scene(&m, false);
    toi_random random = {2};
    int64_t found_any = 0;
    for (int frame = 0; frame + 1 < FRAMES; ++frame) {
        edits e = {0};
        memcpy(m.start, a.points + frame * a.point_count, (size_t)a.point_count * sizeof *m.start);
        memcpy(m.end, a.points + (frame + 1) * a.point_count,
               (size_t)a.point_count * sizeof *m.end);
        for (int i = 0; i < 100; ++i) {
            if (frame % 2 == 0) { // a hole
                int64_t face = (int64_t)toi_random_below(&random, (uint64_t)m.faces);
                write_change(&m, &e, face, m.face[m.faces - 1]);
                --m.faces;
            } else { // one of those that were there
                write_change(&m, &e, m.faces,
                             a.faces[toi_random_below(&random, (uint64_t)a.face_count)]);
                ++m.faces;
            }
        }
        end_edits(&m, &e);
        assert_ok(apply(scene, &m, &e, false));
        answer expected = ask(NULL, &m, false, true, 1), found = ask(scene, &m, false, true, 2);
        expect_same(&found, &expected);
        found_any += found.impact_count + found.overlap_count;
    }
    assert_true(found_any > 0);
    toi_free_scene(scene);
    toi_free_animation(&a);
}

static void failed_changes_change_nothing(void **state)
{
    (void)state;
    static plain_mesh m, next;
    toi_random random = {3};
    int failures = 0;
    put_layers(&m, 10);
    toi_scene *scene = make_scene(&m, true);
    ask(scene, &m, true, true, 1);
    for (int64_t i = 0; i < cases(12); ++i) {
        next = m;
        edits e = make_edits(&next, &random);
        answer before = ask(scene, &m, true, i % 2, 1);
        toi_status status = TOI_ERROR_MEMORY;
        for (int64_t left = 0; status != TOI_OK; ++left) {
            allocations_left = left;
            status = apply(scene, &next, &e, true);
            allocations_left = -1;
            if (status != TOI_OK) {
                assert_int_equal(status, TOI_ERROR_MEMORY);
                answer after = ask(scene, &m, true, i % 2, 1);
                expect_same(&after, &before);
                ++failures;
            }
        }
        m = next;
        // What a change leaves for later may want for memory, too.
        for (int64_t left = 0; left < 6; ++left) {
            toi_overlap_report report;
            toi_overlap_def def = toi_default_overlap_def();
            def.workers = 1;
            allocations_left = left;
            toi_scene_count_overlaps(scene, &def, starts(&m), &report);
            allocations_left = -1;
        }
        answer expected = ask(NULL, &m, true, true, 1), found = ask(scene, &m, true, true, 1);
        expect_same(&found, &expected);
    }
    assert_true(failures > 0);
    toi_free_scene(scene);
}

// ---- What is refused

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static plain_mesh m;
    put_layers(&m, 4);
    toi_scene *scene = make_scene(&m, true);
    answer before = ask(scene, &m, true, true, 1);
    int64_t v = m.vertices, f = m.faces;
    int32_t last = (int32_t)f - 1;
    toi_face_change high = {(int32_t)f, {0, 1, 2}}, beyond = {0, {0, 1, (int32_t)v}};
    toi_face_change below = {0, {0, -1, 2}}, negative = {-1, {0, 1, 2}};
    toi_face_change second = {last + 2, {0, 1, 2}}, good = {0, {2, 1, 0}};
    assert_fails(toi_scene_change_faces(NULL, v, f, &good, 1, NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_scene_change_faces(scene, -1, f, &good, 1, NULL), TOI_ERROR_ARGUMENT,
                 "vertices");
    assert_fails(toi_scene_change_faces(scene, v, -1, &good, 1, NULL), TOI_ERROR_ARGUMENT, "faces");
    assert_fails(toi_scene_change_faces(scene, v, f, &good, -1, NULL), TOI_ERROR_ARGUMENT,
                 "changes");
    assert_fails(toi_scene_change_faces(scene, (int64_t)INT32_MAX + 1, f, &good, 1, NULL),
                 TOI_ERROR_LIMIT, "vertices");
    assert_fails(toi_scene_change_faces(scene, v, f, NULL, 1, NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_scene_change_faces(scene, v, f, &high, 1, NULL), TOI_ERROR_DATA, "change 0");
    assert_fails(toi_scene_change_faces(scene, v, f, &negative, 1, NULL), TOI_ERROR_DATA,
                 "face -1");
    assert_fails(toi_scene_change_faces(scene, v, f, &beyond, 1, NULL), TOI_ERROR_DATA, "vertex");
    assert_fails(toi_scene_change_faces(scene, v, f, &below, 1, NULL), TOI_ERROR_DATA, "vertex");
    assert_fails(toi_scene_change_faces(scene, v, f + 2, &second, 1, NULL), TOI_ERROR_DATA, "new");
    assert_fails(toi_scene_change_faces(scene, v, f + 1, NULL, 0, NULL), TOI_ERROR_DATA, "new");
    assert_fails(toi_scene_change_faces(scene, v - 1, f, NULL, 0, NULL), TOI_ERROR_DATA, "gone");
    assert_fails(toi_scene_change_faces(scene, v + 1, f, NULL, 0, NULL), TOI_ERROR_ARGUMENT,
                 "groups");
    answer after = ask(scene, &m, true, true, 1);
    expect_same(&after, &before);
    assert_ok(toi_scene_trim(scene)); // no stars
    assert_fails(toi_scene_change_faces(scene, v - 1, f, NULL, 0, NULL), TOI_ERROR_DATA, "gone");
    toi_face_change twice[2] = {{0, {5, 5, 5}}, {0, {2, 1, 0}}}; // the last counts
    assert_ok(toi_scene_change_faces(scene, v, f, twice, 2, NULL));
    assert_int_equal(toi_scene_mesh(scene, starts(&m), ends(&m)).faces.data[1], 1);
    toi_free_scene(scene);
    toi_scene_def def = toi_default_scene_def();
    const int32_t loose[2] = {0, 7};
    def.vertex_count = v;
    def.faces = (toi_index_view){m.face[0], f, 0};
    def.loose_edges = (toi_index_view){loose, 1, 0};
    assert_ok(toi_make_scene(&def, &scene));
    assert_fails(toi_scene_change_faces(scene, v, f, &good, 1, NULL), TOI_ERROR_ARGUMENT,
                 "toi_scene_change()");
    toi_free_scene(scene);
}

// Everything may go, and come again.
// Where a limit is too small for what the new vertices take, the message names one that is enough.
static void refusals_name_what_suffices(void **state)
{
    (void)state;
    enum
    {
        MANY = 100000
    };
    double points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int32_t faces[2][3] = {{0, 1, 2}, {2, 1, 0}}, *groups = calloc(MANY, sizeof *groups);
    toi_mesh mesh = toi_make_mesh(points[0], points[0], 3, faces[0], 2);
    toi_scene_def def = toi_default_scene_def();
    toi_overlap_def asked = toi_default_overlap_def();
    toi_scene *scene;
    def.vertex_count = 3;
    def.faces = mesh.faces;
    def.filter = (toi_filter){.groups = groups, .group_count = 3};
    assert_ok(toi_make_scene(&def, &scene));
    assert_ok(toi_scene_count_overlaps(scene, &asked, mesh.start, NULL)); // makes the stars
    scene->limit = toi_scene_bytes(scene);
    assert_fails(toi_scene_change_faces(scene, MANY, 2, NULL, 0, groups), TOI_ERROR_LIMIT, "needs");
    scene->limit = 0;
    for (const char *c = strchr(toi_last_message(), '('); *c && *c != ' '; ++c)
        if (*c >= '0' && *c <= '9')
            scene->limit = 10 * scene->limit + (*c - '0');
    assert_ok(toi_scene_change_faces(scene, MANY, 2, NULL, 0, groups));
    toi_free_scene(scene);
    free(groups);
}

static void scenes_may_be_emptied(void **state)
{
    (void)state;
    static plain_mesh m;
    static toi_face_change changes[MOST_FACES];
    put_layers(&m, 8);
    toi_scene *scene = make_scene(&m, false);
    answer before = ask(scene, &m, false, true, 1), found;
    static const plain_mesh empty;
    assert_ok(toi_scene_change_faces(scene, 0, 0, NULL, 0, NULL));
    found = ask(scene, &empty, false, true, 1);
    assert_int_equal(found.overlap_count + found.impact_count, 0);
    for (int64_t f = 0; f < m.faces; ++f) {
        changes[f].face = (int32_t)f;
        memcpy(changes[f].vertices, m.face[f], sizeof m.face[f]);
    }
    assert_ok(toi_scene_change_faces(scene, m.vertices, m.faces, changes, m.faces, NULL));
    found = ask(scene, &m, false, true, 1);
    expect_same(&found, &before);
    int64_t full = toi_scene_bytes(scene);
    assert_ok(toi_scene_trim(scene));
    assert_true(toi_scene_bytes(scene) < full / 2);
    toi_free_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changed_scenes_answer_as_new_ones, count_allocations,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(breaking_bodies, count_allocations, stop_counting),
        cmocka_unit_test_setup_teardown(failed_changes_change_nothing, count_allocations,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, count_allocations, stop_counting),
        cmocka_unit_test_setup_teardown(refusals_name_what_suffices, count_allocations,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(scenes_may_be_emptied, count_allocations, stop_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
