// Tracking across what happens to a scene: rebuilding, other methods, other faces, limits on
// memory, steps that fail, and steps that nothing leads to. Each step has the impacts of a fresh
// call, bit for bit.

#include "fresh_call.h"
#include "track_steps.h"

#include <math.h>
#include <string.h>

static void rebuilding_changes_nothing(void **state)
{
    (void)state;
    sequence s = make_sequence("cloth-ball", 1500, 0.6, STEPS);
    toi_track_report reports[STEPS];
    toi_track_def often = track_def(TOI_TRACK_FRONT, TOI_VOLUME_DOP18, true), never = often;
    often.most_sprouted = often.most_phantom = 0;
    often.most_growth = 1;
    never.most_sprouted = never.most_phantom = never.most_growth = INFINITY;
    check_sequence(&s, &often, 2, reports);
    int rebuilt = 0, reordered = 0;
    for (int step = 1; step < STEPS; ++step) {
        rebuilt += reports[step].rebuilt;
        reordered += reports[step].reordered;
    }
    assert_true(rebuilt >= 3 && reordered > 0);
    check_sequence(&s, &never, 2, reports);
    assert_true(reports[0].rebuilt && reports[0].reordered);
    for (int step = 1; step < STEPS; ++step)
        assert_false(reports[step].rebuilt || reports[step].reordered);
    free_sequence(&s);
}

// The method is changed in every step, the faces now and then, and all is forgotten in between.
static void a_scene_may_change_in_mid_sequence(void **state)
{
    (void)state;
    sequence whole = make_sequence("fracture", 1500, 0.6, STEPS), less = whole;
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene;
    toi_impact_array impacts = {0};
    def.workers = 2;
    memset(less.expected, 0, sizeof less.expected);
    less.def.faces.count = 2 * whole.def.faces.count / 3; // the others' vertices become loose
    assert_true(expect(&less, &def) > 0);
    assert_ok(toi_make_scene(&whole.def, &scene));
    for (int step = 0; step < 3 * STEPS; ++step) {
        const sequence *s = step / STEPS == 1 ? &less : &whole;
        toi_track_def track = track_def((toi_track_method)(TOI_TRACK_FRONT + step / 2 % 4),
                                        (toi_volume)(step / 4 % 2), step / 3 % 2);
        if (step > 0 && step % STEPS == 0)
            assert_ok(toi_scene_change(scene, &s->def));
        if (step < STEPS ? step % 2 == 0 : step == 2 * STEPS) // else the last one goes on
            assert_ok(toi_scene_set_tracking(scene, step == 2 * STEPS ? NULL : &track));
        if (step % 7 == 5)
            assert_ok(toi_scene_trim(scene));
        check_step(scene, s, &def, step % STEPS, &impacts);
    }
    for (int step = 0; step < STEPS; ++step)
        toi_free_impacts(&less.expected[step]);
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
    free_sequence(&whole);
}

// Faces that come, go and change.
typedef struct changing
{
    int32_t (*faces)[3];
    int64_t count, most;
    toi_face_change *changes;
    int64_t change_count;
    toi_random random;
} changing;

static int64_t pick(changing *c, int64_t count)
{
    return (int64_t)toi_random_below(&c->random, (uint64_t)count);
}

static void change_face(changing *c, int64_t face, const int32_t vertices[3])
{
    toi_face_change *change = &c->changes[c->change_count++];
    *change = (toi_face_change){.face = (int32_t)face};
    memcpy(change->vertices, vertices, sizeof change->vertices);
    memcpy(c->faces[face], vertices, sizeof *c->faces);
}

// A face like another one, with one corner of a third: it may be long, and it may meet anything.
static void bend_face(changing *c, int64_t face)
{
    int64_t like = pick(c, c->count), near = like + pick(c, 20);
    int32_t vertices[3];
    memcpy(vertices, c->faces[like], sizeof vertices);
    vertices[pick(c, 3)] = c->faces[near < c->count ? near : like][0];
    change_face(c, face, vertices);
}

// Some of the faces change, some go or come; now and then many at once, or none at all.
static void change_some(changing *c, int step)
{
    int64_t few = step % 5 == 3 ? c->count / 10 : step % 5 == 4 ? 0 : 1 + pick(c, 6);
    c->change_count = 0;
    if (step % 3 == 1)
        c->count -= pick(c, 8);
    for (int64_t i = 0; i < few; ++i)
        bend_face(c, pick(c, c->count));
    int64_t added = step % 3 == 2 ? pick(c, 8) : 0;
    for (; added > 0 && c->count < c->most; --added, ++c->count) // like one that there is
        bend_face(c, c->count);
}

static int check_changes(const sequence *s, const toi_track_def *track, int workers, int64_t limit)
{
    const toi_animation *a = &s->animation;
    enum
    {
        MORE = 200
    };
    changing c = {.count = a->face_count, .most = a->face_count + MORE};
    toi_scene *scene = make_tracked(s, track);
    toi_ccd_def def = toi_default_ccd_def(), fresh = def;
    toi_impact_array impacts = {0}, expected = {0};
    int kept = 0;
    def.workers = workers;
    def.memory_limit = limit;
    c.random.state = (uint64_t)(workers + 10 * track->method);
    c.faces = toi_allocate((size_t)c.most * sizeof *c.faces);
    c.changes = toi_allocate((size_t)(2 * c.most) * sizeof *c.changes);
    memcpy(c.faces, a->faces, (size_t)c.count * sizeof *c.faces);
    for (int step = 0; step < s->steps; ++step) {
        for (int i = 0; i < step % 3; ++i) { // twice, before a step, as well
            change_some(&c, step + i);
            assert_ok(toi_scene_change_faces(scene, a->point_count, c.count, c.changes,
                                             c.change_count, NULL));
        }
        toi_mesh mesh = {.start = frame_of(s, step),
                         .end = frame_of(s, step + 1),
                         .faces = {c.faces[0], c.count, 0}};
        assert_ok(toi_find_impacts(&fresh, &mesh, &expected, NULL));
        ask_step(scene, s, &def, step, &impacts);
        assert_int_equal(impacts.count, expected.count);
        if (impacts.count > 0)
            assert_memory_equal(impacts.data, expected.data,
                                (size_t)impacts.count * sizeof *impacts.data);
        kept +=
            step % 3 > 0 && report_of(scene).method == TOI_TRACK_FRONT && !report_of(scene).rebuilt;
    }
    toi_release(c.faces);
    toi_release(c.changes);
    toi_free_impacts(&impacts);
    toi_free_impacts(&expected);
    toi_free_scene(scene);
    return kept;
}

// The impacts are those of a fresh call, whatever goes on from the faces that were; and a front
// does go on.
static void faces_come_and_go(void **state)
{
    (void)state;
    sequence s = begin_sequence("fracture", sanitized() ? 200 : 1200, 0.6, 5);
    int kept = 0, short_of_memory = 0;
    cut_steps(&s, 3);
    for (int method = 0; method < TOI_TRACK_COUNT; ++method)
        for (int choice = 0; choice < (method < TOI_TRACK_FRONT ? 1 : 4); ++choice) {
            toi_track_def track =
                track_def((toi_track_method)method, (toi_volume)(choice % 2), choice / 2 == 0);
            track.most_sprouted = 1;
            kept += check_changes(&s, &track, 1 + choice, 0);
            track.memory_limit = 20000;
            short_of_memory += check_changes(&s, &track, 4 - choice, (int64_t)3 << 20);
        }
    assert_true(kept > 0 && short_of_memory > 0);
    free_sequence(&s);
}

// The front keeps to its limit, and what it does not hold is walked through again.
static void a_limit_on_the_front_holds(void **state)
{
    (void)state;
    static const int64_t limits[] = {1, 100, 2000, 30000, 200000};
    sequence s = make_sequence("cloth-ball", 1500, 0.6, 5);
    int64_t tests = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
        toi_track_report reports[STEPS];
        toi_track_def track = track_def(TOI_TRACK_FRONT, TOI_VOLUME_BOX, true);
        track.memory_limit = limits[i];
        check_sequence(&s, &track, 1 + i, reports);
        int64_t nodes = limits[i] / 8, all = 0;
        for (int step = 0; step < s.steps; ++step) {
            assert_true(reports[step].front <= (nodes > 0 ? nodes : 1));
            all += reports[step].volume_tests;
        }
        assert_true(i < 2 || all < tests); // the more is kept, the less is done
        tests = all;
        for (int method = TOI_TRACK_PHC; method < TOI_TRACK_COUNT; ++method) {
            if (sanitized() && i != 2)
                continue;
            track.method = (toi_track_method)method;
            check_sequence(&s, &track, 2, NULL);
        }
    }
    free_sequence(&s);
}

// Where a scene that does not track has enough memory, so has one that does.
static void a_limit_on_the_scene_holds(void **state)
{
    (void)state;
    sequence s = make_sequence("cloth-ball", 800, 0.6, 3);
    toi_track_def track = track_def(TOI_TRACK_FRONT, TOI_VOLUME_DOP18, true);
    toi_track_def none = track_def(TOI_TRACK_STATELESS, TOI_VOLUME_DOP18, true);
    int tracked = 0, searched = 0;
    for (int64_t limit = 1 << 18; limit < (int64_t)1 << 25;
         limit += limit / (sanitized() ? 2 : 8)) {
        toi_ccd_def def = toi_default_ccd_def();
        toi_scene *plain = make_tracked(&s, &none), *scene = make_tracked(&s, &track);
        toi_impact_array impacts = {0};
        toi_ccd_report report;
        def.workers = 2;
        def.memory_limit = limit;
        for (int step = 0; step < s.steps; ++step) {
            toi_point_view start = frame_of(&s, step), end = frame_of(&s, step + 1);
            if (toi_scene_find_impacts(plain, &def, start, end, &impacts, NULL) != TOI_OK)
                continue;
            check_step(scene, &s, &def, step, &impacts);
            tracked += report_of(scene).method == TOI_TRACK_FRONT;
            searched += report_of(scene).method == TOI_TRACK_STATELESS;
            assert_ok(toi_scene_find_earliest(scene, &def, start, end, &report));
            assert_true(report.peak_bytes <= limit);
        }
        toi_free_impacts(&impacts);
        toi_free_scene(plain);
        toi_free_scene(scene);
    }
    assert_true(getenv("TOI_SANITIZED") || (tracked > 0 && searched > 0)); // few limits there
    free_sequence(&s);
}

// An allocator that fails when told.
static struct
{
    int64_t live, left; // so many succeed; negative: all
} ledger;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (ledger.left >= 0 && ledger.left-- == 0) {
        ledger.left = 0;
        return NULL;
    }
    ++ledger.live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    --ledger.live;
    free(memory);
}

// Each of the allocations of a step fails in turn; then the step is made after all.
static void a_failed_step_leaves_the_scene_usable(void **state)
{
    (void)state;
    sequence s = make_sequence("n-body", 300, 0.6, 3);
    toi_set_hooks(&(toi_hooks){.allocate = failing_allocate, .release = counting_release});
    for (int method = TOI_TRACK_FRONT; method < TOI_TRACK_COUNT; ++method) {
        toi_track_def track = track_def((toi_track_method)method, TOI_VOLUME_DOP18, true);
        toi_ccd_def def = toi_default_ccd_def();
        toi_impact_array impacts = {0};
        int failures = 0;
        def.workers = 1;
        ledger.left = -1;
        toi_scene *scene = make_tracked(&s, &track);
        for (int step = 0; step < s.steps; ++step) {
            toi_status status = TOI_ERROR_MEMORY;
            for (int left = 0; status == TOI_ERROR_MEMORY && left < 200; ++left, ++failures) {
                ledger.left = left;
                status = toi_scene_find_impacts(scene, &def, frame_of(&s, step),
                                                frame_of(&s, step + 1), &impacts, NULL);
                if (step == 1 && left % 3 == 0)
                    assert_ok(toi_scene_trim(scene)); // more to allocate
            }
            ledger.left = -1;
            assert_ok(status);
            check_step(scene, &s, &def, step, &impacts);
        }
        assert_true(failures > 10);
        toi_free_impacts(&impacts);
        toi_free_scene(scene);
        assert_int_equal(ledger.live, 0);
    }
    toi_set_hooks(NULL);
    free_sequence(&s);
}

// ---------------------------------------------------------------------------------------------
// Where nothing is like it was

enum
{
    SOUP = 600
};

typedef struct thrown
{
    double at[2][3 * SOUP][3];
    int32_t faces[SOUP][3];
    toi_random random;
} thrown;

// Triangles with edges of about 1 lie anywhere.
static void throw_soup(thrown *s)
{
    for (int i = 0; i < SOUP; ++i)
        for (int k = 0; k < 3; ++k) {
            double at = toi_random_range(&s->random, 0, 10);
            for (int v = 3 * i; v < 3 * i + 3; ++v)
                s->at[1][v][k] = at + toi_random_range(&s->random, -0.7, 0.7);
        }
}

static void move_soup(thrown *s, double motion)
{
    memcpy(s->at[0], s->at[1], sizeof s->at[0]);
    for (int i = 0; i < SOUP; ++i)
        for (int k = 0; k < 3; ++k) {
            double way = toi_random_range(&s->random, -motion, motion);
            for (int v = 3 * i; v < 3 * i + 3; ++v)
                s->at[1][v][k] += way;
        }
}

// Steps that nothing leads to are made without memory, but for a few that try; once things go on
// from where they were, so does the memory.
static void what_is_thrown_anew_is_not_kept(void **state)
{
    (void)state;
    static thrown s;
    s.random = (toi_random){7};
    for (int32_t i = 0; i < 3 * SOUP; ++i)
        s.faces[i / 3][i % 3] = i;
    toi_mesh mesh = toi_make_mesh(s.at[0][0], s.at[1][0], 3 * SOUP, s.faces[0], SOUP);
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene;
    assert_ok(make_scene_of(&mesh, NULL, &scene));
    int64_t impacts = 0;
    int kept = 0;
    for (int step = 0; step < 40; ++step) {
        throw_soup(&s);
        move_soup(&s, 0.3);
        impacts += expect_same(scene, &def, &mesh, "thrown anew", step);
        toi_track_report report;
        assert_ok(toi_scene_track_report(scene, &report));
        bool alone = report.method == TOI_TRACK_STATELESS;
        assert_true(alone || step > 3);
        kept += !alone;
    }
    assert_true(impacts > 40);
    assert_in_range(kept, 2, 6);
    for (int step = 0; step < 40; ++step) {
        move_soup(&s, 0.1);
        expect_same(scene, &def, &mesh, "going on", step);
        toi_track_report report;
        assert_ok(toi_scene_track_report(scene, &report));
        if (step > 32)
            assert_int_equal(report.method, TOI_TRACK_ORDER);
    }
    toi_free_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebuilding_changes_nothing),
        cmocka_unit_test(a_scene_may_change_in_mid_sequence),
        cmocka_unit_test(faces_come_and_go),
        cmocka_unit_test(a_limit_on_the_front_holds),
        cmocka_unit_test(a_limit_on_the_scene_holds),
        cmocka_unit_test(a_failed_step_leaves_the_scene_usable),
        cmocka_unit_test(what_is_thrown_anew_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
