// Tracking: whatever a scene remembers, its impacts are those of a fresh call, bit for bit, in
// every step of a sequence; and the report counts what it says.

#include "real_frames.h"
#include "scenes.h"
#include "steps.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    STEPS = 10,
    MOST_STEPS = 24
};

static bool sanitized(void)
{
    return getenv("TOI_SANITIZED") != NULL;
}

// ---------------------------------------------------------------------------------------------
// Sequences, and the impacts of fresh calls

// Positions frame after frame, and what the steps between them must give.
typedef struct sequence
{
    toi_animation animation;
    toi_scene_def def;
    int steps;
    toi_impact_array expected[MOST_STEPS];
} sequence;

static toi_point_view frame_of(const sequence *s, int frame)
{
    const toi_animation *a = &s->animation;
    return toi_view_points(a->points[frame * a->point_count], a->point_count);
}

static toi_scene_def scene_def_of(const toi_animation *a)
{
    toi_scene_def def = toi_default_scene_def();
    def.vertex_count = a->point_count;
    def.faces = (toi_index_view){a->faces[0], a->face_count, 0};
    def.loose_edges = (toi_index_view){a->edges ? a->edges[0] : NULL, a->edge_count, 0};
    return def;
}

// Each step of a scene that is made for it alone.
static int64_t expect(sequence *s, const toi_ccd_def *def)
{
    int64_t impacts = 0;
    for (int step = 0; step < s->steps; ++step) {
        toi_scene *scene;
        toi_track_def stateless = toi_default_track_def();
        stateless.method = TOI_TRACK_STATELESS;
        assert_ok(toi_make_scene(&s->def, &scene));
        assert_ok(toi_scene_set_tracking(scene, &stateless));
        assert_ok(toi_scene_find_impacts(scene, def, frame_of(s, step), frame_of(s, step + 1),
                                         &s->expected[step], NULL));
        toi_free_scene(scene);
        impacts += s->expected[step].count;
    }
    return impacts;
}

static sequence begin_sequence(const char *name, int64_t size, double begin, int steps)
{
    sequence s = {.steps = steps};
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = size;
    def.frames = steps + 1;
    def.begin = begin;
    assert_ok(toi_make_animation(&def, &s.animation));
    s.def = scene_def_of(&s.animation);
    return s;
}

static sequence make_sequence(const char *name, int64_t size, double begin, int steps)
{
    toi_ccd_def def = toi_default_ccd_def();
    sequence s = begin_sequence(name, size, begin, steps);
    assert_true(expect(&s, &def) > 0); // else there is nothing to lose
    return s;
}

static void free_sequence(sequence *s)
{
    for (int step = 0; step < s->steps; ++step)
        toi_free_impacts(&s->expected[step]);
    toi_free_animation(&s->animation);
}

// The steps of a sequence are cut into `parts` equal ones: small motion.
static void cut_steps(sequence *s, int parts)
{
    toi_animation *a = &s->animation;
    double(*points)[3] =
        toi_allocate((size_t)((s->steps * parts + 1) * a->point_count) * sizeof *points);
    assert_true(s->steps * parts <= MOST_STEPS);
    for (int frame = 0; frame <= s->steps * parts; ++frame)
        for (int64_t i = 0; i < a->point_count; ++i)
            for (int k = 0; k < 3; ++k) {
                int before = frame / parts, after = frame == s->steps * parts ? before : before + 1;
                double share = (double)(frame % parts) / parts;
                points[frame * a->point_count + i][k] =
                    (1 - share) * a->points[before * a->point_count + i][k] +
                    share * a->points[after * a->point_count + i][k];
            }
    toi_release(a->points);
    a->points = points;
    s->steps *= parts;
}

static void ask_step(toi_scene *scene, const sequence *s, const toi_ccd_def *def, int step,
                     toi_impact_array *impacts)
{
    assert_ok(toi_scene_find_impacts(scene, def, frame_of(s, step), frame_of(s, step + 1), impacts,
                                     NULL));
}

static void check_step(toi_scene *scene, const sequence *s, const toi_ccd_def *def, int step,
                       toi_impact_array *impacts)
{
    const toi_impact_array *expected = &s->expected[step];
    ask_step(scene, s, def, step, impacts);
    assert_int_equal(impacts->count, expected->count);
    if (impacts->count > 0)
        assert_memory_equal(impacts->data, expected->data,
                            (size_t)impacts->count * sizeof *impacts->data);
}

static toi_track_report report_of(const toi_scene *scene)
{
    toi_track_report report;
    assert_ok(toi_scene_track_report(scene, &report));
    return report;
}

static toi_scene *make_tracked(const sequence *s, const toi_track_def *track)
{
    toi_scene *scene;
    assert_ok(toi_make_scene(&s->def, &scene));
    assert_ok(toi_scene_set_tracking(scene, track));
    return scene;
}

// `auto` says what it chose.
static void check_method(const toi_track_report *report, toi_track_method asked)
{
    if (asked == TOI_TRACK_AUTO)
        assert_in_range(report->method, TOI_TRACK_STATELESS, TOI_TRACK_BUDGETS);
    else
        assert_int_equal(report->method, asked);
}

// All steps; the report of each goes to `reports` unless that is NULL.
static void check_sequence(const sequence *s, const toi_track_def *track, int workers,
                           toi_track_report *reports)
{
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene = make_tracked(s, track);
    toi_impact_array impacts = {0};
    def.workers = workers;
    for (int step = 0; step < s->steps; ++step) {
        check_step(scene, s, &def, step, &impacts);
        toi_track_report report = report_of(scene);
        check_method(&report, track->method);
        assert_int_equal(report.steps, step + 1);
        assert_true(report.kept_bytes <= toi_scene_bytes(scene));
        if (reports)
            reports[step] = report;
    }
    toi_free_impacts(&impacts);
    toi_free_scene(scene);
}

static toi_track_def track_def(toi_track_method method, toi_volume volume, bool orphans)
{
    toi_track_def def = toi_default_track_def();
    def.method = method;
    def.volume = volume;
    def.orphans = orphans;
    return def;
}

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
        sequence s = make_sequence(sequences[i].name, sanitized() ? 600 : 2500, sequences[i].begin,
                                   sanitized() ? 4 : STEPS);
        check_methods(&s);
        free_sequence(&s);
    }
}

// Loose points and edges are met as well: the last faces are taken apart.
static void loose_parts_take_part(void **state)
{
    (void)state;
    sequence s = begin_sequence("triangles", 1500, 0.6, 5);
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
    for (int i = 0; i < 4; ++i) {
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
        sequence s = begin_sequence("n-body", sanitized() ? 500 : 1500, 0.6, 3);
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
// Across what happens to a scene

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
    for (int64_t added = step % 3 == 2 ? pick(c, 8) : 0; added > 0 && c->count < c->most; --added)
        bend_face(c, c->count++);
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
    sequence s = begin_sequence("fracture", sanitized() ? 400 : 1200, 0.6, 5);
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
    int tracked = 0, searched = 0;
    for (int64_t limit = 1 << 18; limit < (int64_t)1 << 25;
         limit += limit / (sanitized() ? 2 : 8)) {
        toi_ccd_def def = toi_default_ccd_def();
        toi_scene *plain, *scene = make_tracked(&s, &track);
        toi_impact_array impacts = {0};
        toi_ccd_report report;
        def.workers = 2;
        def.memory_limit = limit;
        assert_ok(toi_make_scene(&s.def, &plain));
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
        cmocka_unit_test(rebuilding_changes_nothing),
        cmocka_unit_test(a_scene_may_change_in_mid_sequence),
        cmocka_unit_test(faces_come_and_go),
        cmocka_unit_test(a_limit_on_the_front_holds),
        cmocka_unit_test(a_limit_on_the_scene_holds),
        cmocka_unit_test(a_failed_step_leaves_the_scene_usable),
        cmocka_unit_test(workers_change_no_count),
        cmocka_unit_test(a_front_saves_tests_where_little_moves),
        cmocka_unit_test(orphans_shorten_the_front),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
