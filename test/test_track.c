// Tracking: whatever a scene remembers, its impacts are those of a fresh call, bit for bit, in
// every step of a sequence; and the report counts what it says.

#include "real_frames.h"
#include "steps.h"
#include "track_steps.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The same impacts

// Every method with every volume, with and without orphans; the number of workers goes round.
static void check_methods(const sequence *s)
{
    static const int workers[] = {1, 2, 5, 8};
    int turn = 0;
    for (int method = 0; method < TOI_TRACK_COUNT; ++method)
        for (int choice = 0; choice < (method < TOI_TRACK_FRONT ? 1 : 4); ++choice) {
            toi_track_def def =
                track_def((toi_track_method)method, (toi_volume)(choice & 1), choice & 2);
            check_sequence(s, &def, workers[turn++ % 4], NULL);
        }
}

static const struct
{
    const char *name;
    double begin;
} sequences[] = {{"cloth-ball", 0.6}, {"n-body", 0.6}, {"fracture", 0.6}, {"triangles", 0.6}};

static void every_method_gives_the_same_impacts(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sequence s = make_sequence(sequences[i].name, sanitized() ? 400 : 2500, sequences[i].begin,
                                   sanitized() ? 3 : STEPS);
        check_methods(&s);
        free_sequence(&s);
    }
}

// Loose points and edges are met as well: the last faces are taken apart.
static void loose_parts_take_part(void **state)
{
    (void)state;
    sequence s = begin_sequence("triangles", sanitized() ? 600 : 1500, 0.6, sanitized() ? 3 : 5);
    toi_animation *a = &s.animation;
    toi_ccd_def def = toi_default_ccd_def();
    int64_t kept = a->face_count / 2, loose[TOI_KIND_COUNT] = {0};
    toi_release(a->edges);
    a->edges = toi_allocate((size_t)a->face_count * sizeof *a->edges);
    a->edge_count = 0;
    for (int64_t f = kept; f < a->face_count; f += 2)
        memcpy(a->edges[a->edge_count++], a->faces[f], sizeof *a->edges);
    a->face_count = kept;
    s.def = scene_def_of(a);
    expect(&s, &def);
    for (int step = 0; step < s.steps; ++step)
        for (int64_t i = 0; i < s.expected[step].count; ++i) {
            const toi_impact *impact = &s.expected[step].data[i];
            ++loose[impact->kind]; // triangles have vertices of their own: 3 f, 3 f + 1, 3 f + 2
        }
    assert_true(loose[TOI_VERTEX_FACE] > 0 && loose[TOI_EDGE_EDGE] > 0);
    check_methods(&s);
    free_sequence(&s);
}

static void a_real_sequence_agrees(void **state)
{
    (void)state;
    sequence s = {.steps = sanitized() ? 1 : 3};
    toi_animation *a = &s.animation;
    for (int frame = 0; frame < s.steps; ++frame) {
        char first[80], second[80];
        real_frames f;
        snprintf(first, sizeof first, "sequences/rumba/frame_%03d.ply", frame);
        snprintf(second, sizeof second, "sequences/rumba/frame_%03d.ply", frame + 1);
        if (!load_real_frames(first, second, &f))
            return;
        size_t bytes = (size_t)f.start.point_count * sizeof *a->points;
        if (frame == 0) {
            *a = (toi_animation){.point_count = f.start.point_count,
                                 .face_count = f.start.face_count};
            a->points = toi_allocate((size_t)(s.steps + 1) * bytes);
            a->faces = toi_allocate((size_t)a->face_count * sizeof *a->faces);
            memcpy(a->faces, f.start.faces, (size_t)a->face_count * sizeof *a->faces);
            memcpy(a->points, f.start.points, bytes);
        }
        memcpy(a->points + (frame + 1) * a->point_count, f.end.points, bytes);
        free_real_frames(&f);
    }
    toi_ccd_def def = toi_default_ccd_def();
    s.def = scene_def_of(a);
    assert_true(expect(&s, &def) > 0);
    for (int i = 0; i < 4; i += sanitized() ? 3 : 1) {
        toi_track_def track =
            track_def((toi_track_method)(TOI_TRACK_FRONT + i), (toi_volume)(i & 1), i < 2);
        check_sequence(&s, &track, 1 + i, NULL);
    }
    free_sequence(&s);
}

// Faces whose corners coincide, faces twice, everything at one point, nothing at all.
static void degenerate_meshes_agree(void **state)
{
    (void)state;
    static const int32_t faces[][3] = {{0, 1, 2}, {0, 1, 2}, {3, 3, 4}, {5, 5, 5}, {6, 7, 8}};
    toi_random random = {8};
    for (int64_t i = 0; i < cases(40); ++i) {
        double points[3][10][3];
        sequence s = {.steps = 2};
        toi_ccd_def def = toi_default_ccd_def();
        for (int k = 0; k < 90; ++k)
            (&points[0][0][0])[k] = i == 0 ? 1 : floor(toi_random_range(&random, 0, 4));
        s.animation = (toi_animation){.point_count = i == 1 ? 0 : 10, .points = points[0]};
        s.def = toi_default_scene_def();
        s.def.vertex_count = s.animation.point_count;
        s.def.faces = (toi_index_view){faces[0], i == 1 || i == 2 ? 0 : 1 + i % 5, 0};
        expect(&s, &def);
        check_methods(&s);
        for (int step = 0; step < s.steps; ++step)
            toi_free_impacts(&s.expected[step]);
    }
}

// Questions of other sorts are answered alike: every option that changes which pairs are asked
// about, the earliest impact, and safe steps.
typedef void change_fn(toi_ccd_def *def, toi_filter *filter, const toi_animation *a);

static void by_inclusion(toi_ccd_def *def, toi_filter *filter, const toi_animation *a)
{
    (void)filter, (void)a;
    def->narrow.method = TOI_NARROW_INCLUSION;
}

static void at_a_distance(toi_ccd_def *def, toi_filter *filter, const toi_animation *a)
{
    (void)filter, (void)a;
    def->narrow.min_separation = 1e-3;
}

static void at_shares(toi_ccd_def *def, toi_filter *filter, const toi_animation *a)
{
    (void)filter, (void)a;
    def->zero_time = toi_solver_policy();
}

static void with_float_boxes(toi_ccd_def *def, toi_filter *filter, const toi_animation *a)
{
    (void)filter, (void)a;
    def->float_boxes = true;
}

static void between_bodies(toi_ccd_def *def, toi_filter *filter, const toi_animation *a)
{
    (void)def;
    *filter = (toi_filter){.groups = a->groups, .group_count = a->point_count};
}

static change_fn *const changes[] = {by_inclusion, at_a_distance, at_shares, with_float_boxes,
                                     between_bodies};

static void check_questions(const sequence *s, const toi_ccd_def *def, const toi_track_def *track)
{
    size_t bytes = (size_t)s->def.vertex_count * sizeof(double);
    toi_scene *plain, *scene = make_tracked(s, track);
    double *steps = malloc(bytes), *expected = malloc(bytes);
    assert_ok(toi_make_scene(&s->def, &plain));
    for (int step = 0; step < s->steps; ++step) {
        toi_point_view start = frame_of(s, step), end = frame_of(s, step + 1);
        toi_ccd_report a, b;
        assert_ok(toi_scene_find_earliest(scene, def, start, end, &a));
        assert_ok(toi_scene_find_earliest(plain, def, start, end, &b));
        assert_memory_equal(&a.earliest, &b.earliest, sizeof a.earliest);
        assert_ok(toi_scene_find_safe_steps(scene, def, start, end, steps, &a));
        assert_ok(toi_scene_find_safe_steps(plain, def, start, end, expected, &b));
        assert_memory_equal(steps, expected, bytes);
        assert_int_equal(a.inside, b.inside);
        assert_int_equal(report_of(scene).method, track->method);
    }
    free(steps);
    free(expected);
    toi_free_scene(plain);
    toi_free_scene(scene);
}

static void every_question_is_answered_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 5; ++i) {
        sequence s = begin_sequence("n-body", sanitized() ? 300 : 1500, 0.6, sanitized() ? 2 : 3);
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = 2;
        changes[i](&def, &s.def.filter, &s.animation);
        assert_true(expect(&s, &def) > 0);
        for (int method = TOI_TRACK_FRONT; method < TOI_TRACK_COUNT; ++method) {
            toi_track_def track = track_def((toi_track_method)method, TOI_VOLUME_DOP18, method & 1);
            toi_scene *scene = make_tracked(&s, &track);
            toi_impact_array impacts = {0};
            for (int step = 0; step < s.steps; ++step)
                check_step(scene, &s, &def, step, &impacts);
            toi_free_impacts(&impacts);
            toi_free_scene(scene);
            if (method == TOI_TRACK_FRONT)
                check_questions(&s, &def, &track);
        }
        free_sequence(&s);
    }
}
// ---------------------------------------------------------------------------------------------
// Counts

// What is counted does not depend on who counts.
static void workers_change_no_count(void **state)
{
    (void)state;
    sequence s = make_sequence("n-body", sanitized() ? 500 : 1500, 0.6, sanitized() ? 3 : 5);
    for (int method = TOI_TRACK_FRONT; method < TOI_TRACK_COUNT; ++method) {
        toi_track_report expected[STEPS], reports[STEPS];
        toi_track_def track = track_def((toi_track_method)method, TOI_VOLUME_DOP18, true);
        track.memory_limit = method == TOI_TRACK_PHC ? 10000 : 0;
        check_sequence(&s, &track, 1, expected);
        for (int workers = 2; workers <= 8; workers += 3) {
            check_sequence(&s, &track, workers, reports);
            for (int step = 0; step < s.steps; ++step) {
                const toi_track_report *a = &expected[step], *b = &reports[step];
                assert_int_equal(a->volume_tests, b->volume_tests);
                assert_int_equal(a->elementary, b->elementary);
                assert_int_equal(a->adjacent, b->adjacent);
                assert_int_equal(a->front, b->front);
                assert_int_equal(a->sprouted, b->sprouted);
                assert_int_equal(a->phantom, b->phantom);
                assert_true(a->q1 == b->q1 && a->q2 == b->q2 && a->motion == b->motion);
            }
        }
    }
    free_sequence(&s);
}

static int64_t count_tests(const sequence *s, toi_track_method method)
{
    toi_track_report reports[MOST_STEPS];
    toi_track_def track = track_def(method, TOI_VOLUME_DOP18, true);
    int64_t tests = 0;
    check_sequence(s, &track, 2, reports);
    for (int step = 1; step < s->steps; ++step) // from the second step on
        tests += reports[step].volume_tests;
    return tests;
}

// A front saves three tests of ten where little moves; and Q1 is at least twice Q2, so that Q2 is
// never the first to say that a front is worn.
static void a_front_saves_tests_where_little_moves(void **state)
{
    (void)state;
    if (sanitized()) // counts are the same there
        skip();
    toi_ccd_def def = toi_default_ccd_def();
    sequence s = begin_sequence("cloth-ball", 3000, 0.6, 2);
    cut_steps(&s, 10);
    expect(&s, &def);
    int64_t serial = count_tests(&s, TOI_TRACK_SERIAL), front = count_tests(&s, TOI_TRACK_FRONT);
    int64_t phc = count_tests(&s, TOI_TRACK_PHC);
    print_message("tests of volumes: serial %lld, phc %lld, front %lld (%.0f %%)\n",
                  (long long)serial, (long long)phc, (long long)front,
                  100.0 * (double)front / (double)serial);
    assert_true(10 * front < 7 * serial);
    assert_true(phc >= serial);
    toi_track_report reports[MOST_STEPS];
    toi_track_def track = track_def(TOI_TRACK_FRONT, TOI_VOLUME_BOX, true);
    check_sequence(&s, &track, 2, reports);
    for (int step = 0; step < s.steps; ++step) {
        assert_true(reports[step].q1 >= 2 * reports[step].q2);
        assert_true(reports[step].sprouted >= 2 * reports[step].phantom);
    }
    free_sequence(&s);
}

// Figure 9 of the paper, and what it says of elementary tests between adjacent faces.
static void orphans_shorten_the_front(void **state)
{
    (void)state;
    toi_track_report reports[2];
    sequence s = begin_sequence("cloth-ball", sanitized() ? 3000 : 100000, 0.6, 1);
    for (int orphans = 0; orphans < 2; ++orphans) {
        toi_track_def track = track_def(TOI_TRACK_FRONT, TOI_VOLUME_DOP18, orphans);
        toi_scene *scene = make_tracked(&s, &track);
        toi_ccd_def def = toi_default_ccd_def();
        assert_ok(toi_scene_find_earliest(scene, &def, frame_of(&s, 0), frame_of(&s, 1), NULL));
        reports[orphans] = report_of(scene);
        toi_free_scene(scene);
    }
    double left = (double)reports[1].adjacent / (double)reports[0].adjacent;
    double shorter = 1 - (double)reports[1].front / (double)reports[0].front;
    print_message("elementary tests of adjacent faces: %lld, with orphans %lld (%.2f %% less); "
                  "front %lld, with orphans %lld (%.0f %% less)\n",
                  (long long)reports[0].adjacent, (long long)reports[1].adjacent, 100 * (1 - left),
                  (long long)reports[0].front, (long long)reports[1].front, 100 * shorter);
    assert_true(left <= (sanitized() ? 0.05 : 0.01)); // orphans are on the border of a cloth
    assert_true(shorter >= 0.2 && shorter <= 0.6);
    free_sequence(&s);
}

// ---------------------------------------------------------------------------------------------
// What is wrong

static void names_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"auto",  "stateless", "order",  "budgets",
                                        "front", "phc",       "serial", "rebuild"};
    for (int i = 0; i < TOI_TRACK_COUNT; ++i) {
        assert_string_equal(toi_track_name((toi_track_method)i), names[i]);
        assert_int_equal(toi_track_find(names[i]), i);
    }
    assert_null(toi_track_name(TOI_TRACK_COUNT));
    assert_int_equal(toi_track_find("fronts"), TOI_TRACK_COUNT);
    assert_string_equal(toi_volume_name(TOI_VOLUME_BOX), "box");
    assert_string_equal(toi_volume_name(TOI_VOLUME_DOP18), "dop18");
    assert_null(toi_volume_name(TOI_VOLUME_COUNT));
    toi_track_def def = toi_default_track_def();
    assert_true(def.method == TOI_TRACK_AUTO && def.volume == TOI_VOLUME_DOP18 && def.orphans);
    assert_true(def.most_sprouted == 0.30 && def.most_phantom == 0.45 && def.most_growth == 1.5);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    toi_scene_def made = toi_default_scene_def();
    toi_scene *scene;
    toi_track_report report;
    toi_ccd_def def = toi_default_ccd_def();
    toi_track_def zeroed = {0}, track = toi_default_track_def();
    toi_point_view none = toi_view_points(NULL, 0);
    assert_ok(toi_make_scene(&made, &scene));
    assert_fails(toi_scene_track_report(scene, &report), TOI_ERROR_ARGUMENT, "no step");
    assert_fails(toi_scene_track_report(NULL, &report), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_scene_track_report(scene, NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_scene_set_tracking(NULL, &track), TOI_ERROR_ARGUMENT, "NULL");
    assert_fails(toi_scene_set_tracking(scene, &zeroed), TOI_ERROR_ARGUMENT,
                 "toi_default_track_def");
    track.method = TOI_TRACK_COUNT;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "method number 8");
    track = toi_default_track_def();
    track.volume = TOI_VOLUME_COUNT;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "volume number 2");
    track = toi_default_track_def();
    track.most_sprouted = NAN;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "most_sprouted");
    track = toi_default_track_def();
    track.most_phantom = -1;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "most_phantom");
    track = toi_default_track_def();
    track.most_growth = 0.5;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "most_growth");
    track = toi_default_track_def();
    track.memory_limit = -1;
    assert_fails(toi_scene_set_tracking(scene, &track), TOI_ERROR_ARGUMENT, "memory limit");
    assert_ok(toi_scene_find_earliest(scene, &def, none, none, NULL)); // the default holds
    assert_ok(toi_scene_track_report(scene, &report));
    check_method(&report, TOI_TRACK_AUTO);
    assert_ok(toi_scene_set_tracking(scene, NULL));
    assert_fails(toi_scene_track_report(scene, &report), TOI_ERROR_ARGUMENT, "no step");
    toi_free_scene(scene);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_gives_the_same_impacts),
        cmocka_unit_test(loose_parts_take_part),
        cmocka_unit_test(a_real_sequence_agrees),
        cmocka_unit_test(degenerate_meshes_agree),
        cmocka_unit_test(every_question_is_answered_alike),
        cmocka_unit_test(workers_change_no_count),
        cmocka_unit_test(a_front_saves_tests_where_little_moves),
        cmocka_unit_test(orphans_shorten_the_front),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
