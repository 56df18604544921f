// Scenes kept between calls: the answers of the stateless functions bit by bit, nothing allocated
// in a warm step, whole after every failure, many at once in many threads.

#include "counted_hooks.h"
#include "scenes.h"
#include "steps.h"
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Steps of an animation

static bool sanitized(void)
{
    return getenv("TOI_SANITIZED") != NULL;
}

static toi_animation animate(const char *name, int64_t size, int frames, double begin)
{
    toi_animation_def def = toi_default_animation_def();
    def.name = name;
    def.size = size;
    def.frames = frames;
    def.begin = begin;
    toi_animation made;
    assert_ok(toi_make_animation(&def, &made));
    return made;
}

// Takes the last faces apart: of every fourth the first two vertices stay joined by an edge, what
// else they had alone become loose points.
static void loosen(toi_animation *a)
{
    int64_t kept = 2 * a->face_count / 3, count = 0;
    toi_release(a->edges);
    a->edges = toi_allocate((size_t)a->face_count * sizeof *a->edges);
    for (int64_t f = kept; f < a->face_count; f += 4)
        memcpy(a->edges[count++], a->faces[f], sizeof *a->edges);
    a->face_count = kept;
    a->edge_count = count;
}

static toi_point_view frame_of(const toi_animation *a, int frame)
{
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

// All answers of one step, as one number each.
typedef struct answers
{
    uint64_t earliest, impacts, steps, candidates;
    int64_t impact_count;
} answers;

// What callers keep from step to step.
typedef struct results
{
    toi_impact_array impacts;
    toi_pair_array lists[TOI_KIND_COUNT];
    double *steps;
} results;

static void free_results(results *r)
{
    toi_free_impacts(&r->impacts);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        toi_free_pairs(&r->lists[kind]);
    free(r->steps);
}

static answers ask_all(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh, results *r)
{
    answers a = {0};
    toi_ccd_report report;
    size_t vertices = (size_t)mesh->start.count;
    if (!r->steps)
        r->steps = malloc(vertices * sizeof *r->steps);
    assert_ok(ask_earliest(scene, def, mesh, &report));
    a.earliest = toi_hash(&report.earliest, sizeof report.earliest);
    assert_ok(ask_impacts(scene, def, mesh, &r->impacts, &report));
    a.impacts = toi_hash(r->impacts.data, (size_t)r->impacts.count * sizeof *r->impacts.data);
    a.impact_count = r->impacts.count;
    assert_ok(ask_safe_steps(scene, def, mesh, r->steps, NULL));
    a.steps = toi_hash(r->steps, vertices * sizeof *r->steps);
    assert_ok(ask_all_candidates(scene, def, mesh, r->lists, NULL));
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        a.candidates = 31 * a.candidates +
                       toi_hash(r->lists[kind].data,
                                (size_t)r->lists[kind].count * sizeof *r->lists[kind].data);
    return a;
}

static bool same_answers(const answers *a, const answers *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// ---------------------------------------------------------------------------------------------
// The same answers

// Every method and option over the frames of an animation, and back to the first.
static void a_scene_answers_as_a_mesh_does(void **state)
{
    (void)state;
    enum
    {
        FRAMES = 6
    };
    int turns = sanitized() ? 3 : FRAMES;
    toi_animation a = animate("cloth-ball", sanitized() ? 150 : 1500, FRAMES, 0.6);
    loosen(&a);
    toi_scene_def made = scene_def_of(&a);
    int64_t impacts = 0;
    for (int variant = 0; variant < TOI_NARROW_COUNT + TOI_BROAD_COUNT; ++variant) {
        toi_scene *scene;
        toi_ccd_def def = toi_default_ccd_def();
        results kept = {0};
        def.workers = 1 + variant % 3;
        if (variant < TOI_NARROW_COUNT)
            def.narrow.method = (toi_narrow_method)variant;
        else
            def.broad.method = (toi_broad_method)(variant - TOI_NARROW_COUNT);
        def.narrow.max_iterations = 2000;
        def.narrow = toi_fit_narrow_def(&def.narrow);
        def.float_boxes = variant % 4 == 1;
        if (toi_narrow_traits(def.narrow.method) & TOI_NARROW_TRAIT_SEPARATION)
            def.zero_time.relative_separation = variant % 5 == 2 ? 0.1 : 0;
        assert_ok(toi_make_scene(&made, &scene));
        for (int turn = 0; turn < turns; ++turn) {
            int frame = turn < turns - 1 ? turn : 0;
            results fresh = {0};
            toi_mesh mesh = toi_scene_mesh(scene, frame_of(&a, frame), frame_of(&a, frame + 1));
            answers expected = ask_all(NULL, &def, &mesh, &fresh);
            answers found = ask_all(scene, &def, &mesh, &kept);
            if (!same_answers(&expected, &found))
                fail_msg("%s and %s: frame %d differs", toi_broad_name(def.broad.method),
                         toi_narrow_name(def.narrow.method), frame);
            impacts += found.impact_count;
            free_results(&fresh);
        }
        toi_free_scene(scene);
        free_results(&kept);
    }
    assert_true(impacts > (sanitized() ? 20 : 1000));
    toi_free_animation(&a);
}

// ---------------------------------------------------------------------------------------------
// Nothing is allocated

typedef enum question
{
    EARLIEST,
    SAFE_STEPS,
    IMPACTS,
    QUESTIONS
} question;

static void ask(question q, toi_scene *scene, const toi_ccd_def *def, toi_point_view start,
                toi_point_view end, results *r)
{
    toi_ccd_report report;
    if (q == EARLIEST)
        assert_ok(toi_scene_find_earliest(scene, def, start, end, &report));
    else if (q == SAFE_STEPS)
        assert_ok(toi_scene_find_safe_steps(scene, def, start, end, r->steps, &report));
    else
        assert_ok(toi_scene_find_impacts(scene, def, start, end, &r->impacts, &report));
}

// Steps forth and back between frames that are `apart`, so that what one step needs another needed.
static void check_warm_steps(const toi_animation *a, int narrow, int workers, int64_t limit,
                             int apart)
{
    toi_scene *scene;
    toi_scene_def made = scene_def_of(a);
    toi_ccd_def def = toi_default_ccd_def();
    def.narrow.method = (toi_narrow_method)narrow;
    def.broad.method = TOI_BROAD_LBVH; // as auto, which would use one worker
    def.workers = workers;
    def.memory_limit = limit;
    assert_ok(toi_make_scene(&made, &scene));
    for (int q = 0; q < QUESTIONS; ++q) {
        results r = {.steps = malloc((size_t)a->point_count * sizeof *r.steps)};
        int64_t first = 0;
        for (int step = 0; step < (sanitized() ? 12 : 24); ++step) {
            int frame = step % 2 ? step % (a->frames - apart) : 0;
            int64_t before = ledger.made, capacity = r.impacts.capacity;
            ask((question)q, scene, &def, frame_of(a, frame), frame_of(a, frame + apart), &r);
            int64_t made_now = ledger.made - before;
            first = step == 0 ? made_now : first;
            bool grown = r.impacts.capacity > capacity; // then the list did not fit
            if (step > 0 && !grown && made_now > 0)
                fail_msg("question %d, %s, %d workers: step %d made %lld allocations", q,
                         toi_narrow_name((toi_narrow_method)narrow), workers, step,
                         (long long)made_now);
        }
        assert_true(q > EARLIEST || first > 5); // the first step of all does allocate
        free_results(&r);
    }
    toi_free_scene(scene);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    const char *const names[] = {"cloth-ball", "n-body", "cloth-funnel"};
    for (int i = 0; i < (sanitized() ? 1 : 3); ++i) {
        toi_animation a = animate(names[i], sanitized() ? 200 : 600, 12, 0.7);
        for (int workers = 1; workers <= 4; workers *= 2) {
            check_warm_steps(&a, TOI_NARROW_EXACT, workers, 0, 1);
            check_warm_steps(&a, TOI_NARROW_INCLUSION, workers, 0,
                             8); // far: the order is made anew
        }
        check_warm_steps(&a, TOI_NARROW_EXACT, 2, 64 << 20, 2);
        loosen(&a);
        check_warm_steps(&a, TOI_NARROW_EXACT, 1, 0, 1);
        check_warm_steps(&a, TOI_NARROW_INCLUSION, 3, 64 << 20, 2);
        toi_free_animation(&a);
    }
}

// However the number of impacts changes, a scene does not hold ever more.
static void memory_stays_bounded(void **state)
{
    (void)state;
    toi_animation a = animate("n-body", sanitized() ? 300 : 2000, 10, 0.7);
    toi_scene *scene;
    toi_scene_def made = scene_def_of(&a);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 2;
    assert_ok(toi_make_scene(&made, &scene));
    int64_t early = 0;
    for (int step = 0; step < 120; ++step) {
        toi_impact_array impacts = {0}; // a new one each time: the worst that callers can do
        int frame = step % 9, other = (step * 7 + 3) % 9;
        assert_ok(toi_scene_find_impacts(scene, &def, frame_of(&a, frame), frame_of(&a, other),
                                         &impacts, NULL));
        toi_free_impacts(&impacts);
        if (step == 20)
            early = toi_scene_bytes(scene);
    }
    assert_true(toi_scene_bytes(scene) <= 2 * early);
    int64_t held = toi_scene_bytes(scene);
    assert_ok(toi_scene_trim(scene));
    assert_true(toi_scene_bytes(scene) < held / 4);
    toi_free_scene(scene);
    toi_free_animation(&a);
}

// ---------------------------------------------------------------------------------------------
// Failures

// Every allocation of making and of using a scene fails in turn, all after it too; then memory is
// there again, and the same scene gives the right answer.
static void a_failed_call_leaves_the_scene_usable(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", sanitized() ? 100 : 300, 3, 0.7);
    toi_scene_def made = scene_def_of(&a);
    toi_ccd_def def = toi_default_ccd_def();
    for (int variant = 0; variant < 6; ++variant) {
        def.workers = 1 + variant % 2;
        def.broad.method = variant < 4 ? TOI_BROAD_LBVH : TOI_BROAD_BVH;
        results r = {0};
        toi_mesh mesh;
        toi_scene *scene;
        assert_ok(toi_make_scene(&made, &scene));
        mesh = toi_scene_mesh(scene, frame_of(&a, 0), frame_of(&a, 1));
        answers expected = ask_all(scene, &def, &mesh, &r);
        toi_free_scene(scene);
        int failures = 0;
        bool done = false;
        for (int64_t left = 0; !done; left += 1 + left / 64) {
            ledger.left = left;
            toi_status status = toi_make_scene(&made, &scene);
            toi_ccd_report report;
            if (status == TOI_OK && variant % 3 == 0)
                status = toi_scene_find_earliest(scene, &def, mesh.start, mesh.end, &report);
            else if (status == TOI_OK && variant % 3 == 1)
                status =
                    toi_scene_find_safe_steps(scene, &def, mesh.start, mesh.end, r.steps, &report);
            else if (status == TOI_OK)
                status =
                    toi_scene_find_impacts(scene, &def, mesh.start, mesh.end, &r.impacts, &report);
            ledger.left = -1;
            done = status == TOI_OK;
            failures += !done;
            if (!done)
                assert_int_equal(status, TOI_ERROR_MEMORY);
            if (scene) {
                mesh = toi_scene_mesh(scene, mesh.start, mesh.end);
                answers found = ask_all(scene, &def, &mesh, &r);
                assert_true(same_answers(&expected, &found));
            }
            toi_free_scene(scene);
        }
        assert_true(failures > 10);
        free_results(&r);
    }
    toi_free_animation(&a);
}

// Changes that fail, for want of memory or for bad data, change nothing.
static void a_failed_change_changes_nothing(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", 300, 2, 0.7);
    toi_scene_def made = scene_def_of(&a), other = made;
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene;
    results r = {0};
    assert_ok(toi_make_scene(&made, &scene));
    toi_mesh mesh = toi_scene_mesh(scene, frame_of(&a, 0), frame_of(&a, 1));
    answers expected = ask_all(scene, &def, &mesh, &r);
    other.faces.count = a.face_count / 2;
    int failures = 0;
    toi_status status = TOI_ERROR_MEMORY;
    for (int64_t left = 0; status != TOI_OK; ++left) {
        ledger.left = left;
        status = toi_scene_change(scene, &other);
        ledger.left = -1;
        if (status == TOI_OK)
            break;
        ++failures;
        mesh = toi_scene_mesh(scene, mesh.start, mesh.end);
        answers found = ask_all(scene, &def, &mesh, &r);
        assert_true(same_answers(&expected, &found));
        assert_ok(toi_scene_trim(scene)); // so that the next change allocates again
    }
    assert_true(failures > 2);
    assert_int_equal(toi_scene_mesh(scene, mesh.start, mesh.end).faces.count, a.face_count / 2);
    assert_ok(toi_scene_change(scene, &made)); // faces removed, and now added again
    mesh = toi_scene_mesh(scene, mesh.start, mesh.end);
    answers found = ask_all(scene, &def, &mesh, &r);
    assert_true(same_answers(&expected, &found));
    const int32_t bad[3] = {0, 1, (int32_t)a.point_count};
    other.faces = (toi_index_view){bad, 1, 0};
    assert_fails(toi_scene_change(scene, &other), TOI_ERROR_DATA, "face 0: vertex index");
    found = ask_all(scene, &def, &mesh, &r);
    assert_true(same_answers(&expected, &found));
    toi_free_scene(scene);
    free_results(&r);
    toi_free_animation(&a);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", 200, 2, 0.7);
    toi_point_view start = frame_of(&a, 0), end = frame_of(&a, 1), fewer = end;
    toi_scene_def def = scene_def_of(&a), bad = def;
    toi_ccd_def ask_def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_scene *scene = (toi_scene *)&bad;
    bad.cookie = 0;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_ARGUMENT, "toi_default_scene_def()");
    assert_null(scene);
    bad = def;
    bad.vertex_count = -1;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_ARGUMENT, "vertices");
    bad.vertex_count = (int64_t)INT32_MAX + 1;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_LIMIT, "at most 2147483647");
    bad = def;
    bad.memory_limit = -1;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_ARGUMENT, "memory limit");
    bad.memory_limit = 100;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_LIMIT, "needs");
    bad = def;
    bad.loose_edges = (toi_index_view){(const int32_t[]){0, -1}, 1, 0};
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_DATA, "edge 0: vertex index -1");
    bad.edges = bad.loose_edges;
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_ARGUMENT, "loose edges");
    bad = def;
    bad.filter = (toi_filter){.groups = (const int32_t[]){0}, .group_count = 1};
    assert_fails(toi_make_scene(&bad, &scene), TOI_ERROR_ARGUMENT, "1 groups");
    assert_ok(toi_make_scene(&def, &scene));
    assert_fails(toi_scene_set_filter(scene, &bad.filter), TOI_ERROR_ARGUMENT, "1 groups");
    fewer.count -= 1;
    assert_fails(toi_scene_find_earliest(scene, &ask_def, fewer, fewer, &report), TOI_ERROR_DATA,
                 "but the scene has");
    assert_fails(toi_scene_find_earliest(scene, &ask_def, start, fewer, &report), TOI_ERROR_DATA,
                 "at t = 1");
    double *steps = malloc(((size_t)a.point_count + 1) * sizeof *steps);
    toi_point_view more = start;
    more.count += 1; // the steps are the scene's vertices all the same
    for (int64_t i = 0; i <= a.point_count; ++i)
        steps[i] = 7;
    assert_fails(toi_scene_find_safe_steps(scene, &ask_def, more, more, steps, NULL),
                 TOI_ERROR_DATA, "");
    assert_true(steps[0] == 0 && steps[a.point_count - 1] == 0 && steps[a.point_count] == 7);
    free(steps);
    assert_fails(toi_scene_find_earliest(NULL, &ask_def, start, end, &report), TOI_ERROR_ARGUMENT,
                 "the scene is NULL");
    double *y = &a.points[a.point_count][1], kept = *y;
    *y = NAN; // a later step's positions are not trusted either
    assert_fails(toi_scene_find_earliest(scene, &ask_def, start, end, &report), TOI_ERROR_DATA,
                 "vertex 0: coordinate y at t = 1 is nan");
    *y = kept;
    ask_def.filter = bad.filter;
    assert_fails(toi_scene_find_earliest(scene, &ask_def, start, end, &report), TOI_ERROR_ARGUMENT,
                 "toi_scene_set_filter()");
    toi_broad_memory *memory;
    assert_ok(toi_make_broad_memory(&memory));
    ask_def = toi_default_ccd_def();
    ask_def.broad.memory = memory;
    assert_fails(toi_scene_find_earliest(scene, &ask_def, start, end, &report), TOI_ERROR_ARGUMENT,
                 "toi_scene");
    toi_free_broad_memory(memory);
    assert_fails(toi_scene_trim(NULL), TOI_ERROR_ARGUMENT, "NULL");
    assert_int_equal(toi_scene_bytes(NULL), 0);
    assert_int_equal(toi_scene_mesh(NULL, start, end).start.count, 0);
    toi_free_scene(NULL);
    toi_free_scene(scene);
    toi_free_animation(&a);
}

// The limit of the scene holds for all its calls, and a call may lower it.
static void the_lower_limit_holds(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", 1000, 2, 0.7);
    toi_point_view start = frame_of(&a, 0), end = frame_of(&a, 1);
    toi_scene_def made = scene_def_of(&a);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_scene *scene;
    def.workers = 1;
    assert_ok(toi_make_scene(&made, &scene));
    int64_t empty = toi_scene_bytes(scene);
    assert_ok(toi_scene_find_earliest(scene, &def, start, end, &report));
    double time = report.earliest.time;
    int64_t need = report.peak_bytes;
    toi_free_scene(scene);
    made.memory_limit = need + (64 << 10);
    assert_ok(toi_make_scene(&made, &scene));
    for (int turn = 0; turn < 3; ++turn) {
        def.memory_limit = 2 * made.memory_limit;
        assert_ok(toi_scene_find_earliest(scene, &def, start, end, &report));
        assert_true(report.earliest.time == time && report.peak_bytes <= made.memory_limit);
        def.memory_limit = empty + 1000;
        assert_fails(toi_scene_find_earliest(scene, &def, start, end, &report), TOI_ERROR_LIMIT,
                     "needs");
        assert_true(toi_scene_bytes(scene) <= def.memory_limit);
    }
    toi_free_scene(scene);
    toi_free_animation(&a);
}

// ---------------------------------------------------------------------------------------------
// Groups and loose edges

// A scene has its own copy of the groups; a new filter holds from the next call on.
static void filters_are_copied_and_replaced(void **state)
{
    (void)state;
    soup s = make_soup(60, 0.3, 0.4, 8);
    int32_t *groups = calloc((size_t)s.vertex_count, sizeof *groups);
    toi_filter one_body = {.groups = groups, .group_count = s.vertex_count}, open = {0};
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, &one_body, &scene));
    for (int64_t i = 0; i < s.vertex_count; ++i)
        groups[i] = -1; // no longer one body, but the scene has its copy
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    def.count_candidates = true;
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_int_equal(report.candidates[0] + report.candidates[1], 0);
    def.count_candidates = false;
    assert_ok(toi_scene_set_filter(scene, NULL));
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_int_equal(report.state, TOI_HIT);
    assert_ok(toi_scene_set_filter(scene, &open));
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_int_equal(report.state, TOI_HIT);
    double free_time = report.earliest.time;
    assert_ok(toi_scene_set_filter(scene, &one_body)); // as it is now: nobody's body
    assert_ok(ask_earliest(scene, &def, &s.mesh, &report));
    assert_true(report.earliest.time == free_time);
    toi_free_scene(scene);
    free(groups);
    free_soup(&s);
}

// Two rods that cross: edges of no face.
static void loose_edges_collide(void **state)
{
    (void)state;
    const double start[4][3] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
    const double end[4][3] = {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}};
    const int32_t rods[2][2] = {{1, 0}, {2, 3}};
    toi_scene_def made = toi_default_scene_def();
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    toi_scene *scene;
    made.vertex_count = 4;
    made.loose_edges = (toi_index_view){rods[0], 2, 0};
    assert_ok(toi_make_scene(&made, &scene));
    assert_ok(toi_scene_find_earliest(scene, &def, toi_view_points(start[0], 4),
                                      toi_view_points(end[0], 4), &report));
    assert_true(report.state == TOI_HIT && report.earliest.time == 0.5);
    toi_free_scene(scene);
}

// ---------------------------------------------------------------------------------------------
// Threads

enum
{
    THREADS = 8
};

typedef struct solver
{
    const toi_animation *animation;
    int number;
    answers found;
} solver;

// One solver's loop: its own scene, steps, a change of topology half-way.
static void *run_solver(void *context)
{
    solver *s = context;
    const toi_animation *a = s->animation;
    toi_scene_def made = scene_def_of(a);
    toi_ccd_def def = toi_default_ccd_def();
    results r = {0};
    toi_scene *scene;
    def.broad.method = s->number % 2 ? TOI_BROAD_LBVH : TOI_BROAD_AUTO;
    def.workers = 1 + s->number % 3;
    assert_ok(toi_make_scene(&made, &scene));
    for (int step = 0; step < 6; ++step) {
        int frame = (step + s->number) % (a->frames - 1);
        toi_mesh mesh = toi_scene_mesh(scene, frame_of(a, frame), frame_of(a, frame + 1));
        ask_all(scene, &def, &mesh, &r);
        if (step == 3)
            assert_ok(toi_scene_change(scene, &made));
    }
    toi_mesh mesh = toi_scene_mesh(scene, frame_of(a, 0), frame_of(a, 1));
    s->found = ask_all(scene, &def, &mesh, &r);
    toi_free_scene(scene);
    free_results(&r);
    return NULL;
}

static void eight_scenes_in_eight_threads(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", sanitized() ? 300 : 600, 5, 0.7);
    solver solvers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        solvers[i] = (solver){&a, i, {0}};
        assert_int_equal(pthread_create(&threads[i], NULL, run_solver, &solvers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; ++i)
        assert_true(same_answers(&solvers[i].found, &solvers[0].found));
    assert_true(solvers[0].found.impact_count > 0);
    toi_free_animation(&a);
}

typedef struct shared_scene
{
    toi_scene *scene;
    const toi_animation *animation;
    double expected;
    _Atomic int answered, refused, wrong;
} shared_scene;

static void *use_shared(void *context)
{
    shared_scene *s = context;
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    for (int turn = 0; turn < 40; ++turn) {
        toi_ccd_report report;
        toi_status status = toi_scene_find_earliest(s->scene, &def, frame_of(s->animation, 0),
                                                    frame_of(s->animation, 1), &report);
        if (status == TOI_OK)
            ++*(report.earliest.time == s->expected ? &s->answered : &s->wrong);
        else
            ++*(status == TOI_ERROR_ARGUMENT ? &s->refused : &s->wrong);
    }
    return NULL;
}

// One scene, several threads: each call is answered rightly or refused.
static void a_shared_scene_refuses_the_second_call(void **state)
{
    (void)state;
    toi_animation a = animate("cloth-ball", 300, 2, 0.7);
    toi_scene_def made = scene_def_of(&a);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    shared_scene s = {.animation = &a};
    pthread_t threads[4];
    assert_ok(toi_make_scene(&made, &s.scene));
    assert_ok(toi_scene_find_earliest(s.scene, &def, frame_of(&a, 0), frame_of(&a, 1), &report));
    s.expected = report.earliest.time;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, use_shared, &s), 0);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.answered + s.refused, 160);
    assert_true(s.answered > 0);
    toi_free_scene(s.scene);
    toi_free_animation(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_answers_as_a_mesh_does),
        cmocka_unit_test_setup_teardown(warm_steps_allocate_nothing, count_allocations,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(memory_stays_bounded, count_allocations, stop_counting),
        cmocka_unit_test_setup_teardown(a_failed_call_leaves_the_scene_usable, count_allocations,
                                        stop_counting),
        cmocka_unit_test_setup_teardown(a_failed_change_changes_nothing, count_allocations,
                                        stop_counting),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_lower_limit_holds),
        cmocka_unit_test(filters_are_copied_and_replaced),
        cmocka_unit_test(loose_edges_collide),
        cmocka_unit_test(eight_scenes_in_eight_threads),
        cmocka_unit_test(a_shared_scene_refuses_the_second_call),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
