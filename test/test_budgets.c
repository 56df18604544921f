// Steps with memory (docs/tracking.md): whatever a scene keeps, every step has the impacts of a
// call that knows nothing of the steps before, bit by bit. Layers of cloth, a fraction of an edge
// apart, that move by any share of an edge: slowly enough for budgets to last, and fast enough to
// spend them.

#include "fresh_call.h"
#include "support.h"

#include "ccd/scene.h"
#include "track/kept.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SIDE = 12, // vertices
    LAYERS = 8,
    VERTICES = SIDE * SIDE * LAYERS, // more than a piece of rows
    FACES = 2 * (SIDE - 1) * (SIDE - 1) * LAYERS
};

typedef struct cloth
{
    double at[2][VERTICES][3]; // start and end of the step
    int32_t faces[FACES][3];
    toi_random random;
} cloth;

static void make_faces(int32_t faces[FACES][3])
{
    int n = 0;
    for (int32_t layer = 0; layer < LAYERS; ++layer)
        for (int32_t y = 0; y + 1 < SIDE; ++y)
            for (int32_t x = 0; x + 1 < SIDE; ++x) {
                int32_t a = (layer * SIDE + y) * SIDE + x, b = a + 1, c = a + SIDE, d = c + 1;
                memcpy(faces[n++], (int32_t[3]){a, b, d}, sizeof faces[0]);
                memcpy(faces[n++], (int32_t[3]){a, d, c}, sizeof faces[0]);
            }
}

// Edges are about 1 long. Layers lie up to 0.4 above each other, and touch here and there.
static void lay(cloth *c)
{
    for (int i = 0; i < VERTICES; ++i) {
        int layer = i / (SIDE * SIDE), y = i / SIDE % SIDE, x = i % SIDE;
        double height = 0.2 * layer + toi_random_range(&c->random, 0, 0.3);
        double place[3] = {x + 0.3 * layer, y + toi_random_range(&c->random, -0.2, 0.2), height};
        memcpy(c->at[1][i], place, sizeof place);
    }
    memcpy(c->at[0], c->at[1], sizeof c->at[0]);
}

static void begin_cloth(cloth *c, uint64_t seed)
{
    c->random = (toi_random){seed};
    make_faces(c->faces);
    lay(c);
}

// Everything drifts, layers slide and sink, vertices tremble: `motion` edges in all, about.
static void move(cloth *c, double motion)
{
    double drift[3], slide[LAYERS][3];
    for (int k = 0; k < 3; ++k)
        drift[k] = toi_random_range(&c->random, -1, 1);
    for (int i = 0; i < 3 * LAYERS; ++i)
        slide[i / 3][i % 3] = toi_random_range(&c->random, -0.7, 0.7);
    memcpy(c->at[0], c->at[1], sizeof c->at[0]);
    for (int i = 0; i < VERTICES; ++i)
        for (int k = 0; k < 3; ++k)
            c->at[1][i][k] += motion * (drift[k] + slide[i / (SIDE * SIDE)][k] +
                                        toi_random_range(&c->random, -0.3, 0.3));
}

static toi_mesh mesh_of(const cloth *c)
{
    return toi_make_mesh(c->at[0][0], c->at[1][0], VERTICES, c->faces[0], FACES);
}

// ---- Steps

// What may come between two steps of a simulation.
typedef enum event
{
    GO_ON,
    REPEAT,  // the same step again
    RETURN,  // from its end to its start
    RESTART, // another end, from the same start
    NUDGE,   // the start is not quite the last end
    LEAP,    // everything lies anew
    REST,    // nothing moves
    EVENTS
} event;

static void take_step(cloth *c, event what, double motion)
{
    switch (what) {
    case REPEAT:
        break;
    case RETURN:
        for (int i = 0; i < VERTICES; ++i)
            for (int k = 0; k < 3; ++k) {
                double start = c->at[0][i][k];
                c->at[0][i][k] = c->at[1][i][k];
                c->at[1][i][k] = start;
            }
        break;
    case RESTART:
        memcpy(c->at[1], c->at[0], sizeof c->at[1]);
        move(c, motion);
        break;
    case NUDGE: {
        move(c, motion);
        c->at[0][toi_random_below(&c->random, VERTICES)][2] += motion;
        break;
    }
    case LEAP:
        lay(c);
        move(c, motion);
        break;
    case REST:
        memcpy(c->at[0], c->at[1], sizeof c->at[0]);
        break;
    default:
        move(c, motion);
    }
}

static void set_method(toi_scene *scene, toi_track_method method, int64_t limit)
{
    toi_track_def def = toi_default_track_def();
    def.method = method;
    def.memory_limit = limit;
    assert_ok(toi_scene_set_tracking(scene, &def));
}

// Lays the cloth, and makes a scene of it.
static toi_scene *begin_scene(cloth *c, uint64_t seed, toi_track_method method, int64_t limit)
{
    toi_scene *scene;
    begin_cloth(c, seed);
    toi_mesh mesh = mesh_of(c);
    assert_ok(make_scene_of(&mesh, NULL, &scene));
    set_method(scene, method, limit);
    return scene;
}

static void use_instruction_set(int number)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    if (toi_set_simd(names[number % 3]) != TOI_OK)
        assert_ok(toi_set_simd(NULL));
}

static const toi_track_method methods[] = {TOI_TRACK_BUDGETS, TOI_TRACK_ORDER, TOI_TRACK_AUTO};

static void steps_are_those_without_memory(void **state)
{
    (void)state;
    static const double motions[] = {1e-4, 1e-3, 1e-2, 0.1, 0.5, 2};
    static cloth c;
    int round = 0;
    for (size_t m = 0; m < sizeof motions / sizeof *motions; m += getenv("TOI_SANITIZED") ? 2 : 1)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i, ++round) {
            use_instruction_set(round + (int)m);
            toi_scene *scene = begin_scene(&c, 1 + (uint64_t)round, methods[i], 0);
            toi_mesh mesh = mesh_of(&c);
            toi_ccd_def def = toi_default_ccd_def();
            int64_t impacts = 0;
            for (int step = 0; step < cases(60); ++step) {
                char what[80];
                bool goes_on = toi_random_below(&c.random, 4) > 0;
                event e = goes_on ? GO_ON : (event)toi_random_below(&c.random, EVENTS);
                def.workers = 1 + (int)toi_random_below(&c.random, 8);
                take_step(&c, e, motions[m]);
                snprintf(what, sizeof what, "%s, motion %g, event %d", toi_track_name(methods[i]),
                         motions[m], (int)e);
                impacts += expect_same(scene, &def, &mesh, what, step);
            }
            if (impacts < 5 && !getenv("TOI_SANITIZED")) // there with few steps
                fail_msg("%s, motion %g: %d impacts", toi_track_name(methods[i]), motions[m],
                         (int)impacts);
            toi_free_scene(scene);
        }
    assert_ok(toi_set_simd(NULL));
}

// Motion of another size in every step, and one layer that shoots through the others.
static void motions_change(void **state)
{
    (void)state;
    static cloth c;
    for (int round = 0; round < slow_cases(6); ++round) {
        toi_scene *scene = begin_scene(&c, 100 + (uint64_t)round,
                                       round % 2 ? TOI_TRACK_AUTO : TOI_TRACK_BUDGETS, 0);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        for (int step = 0; step < 40; ++step) {
            move(&c, pow(10, toi_random_range(&c.random, -5, -1)));
            int layer = (int)toi_random_below(&c.random, LAYERS);
            for (int i = 0; step % 5 == 4 && i < SIDE * SIDE; ++i)
                c.at[1][layer * SIDE * SIDE + i][2] += 0.4;
            expect_same(scene, &def, &mesh, "motions change", step);
        }
        toi_free_scene(scene);
    }
}

// ---- Numbers at the end of the floats

enum
{
    LOOSE_FACES = 30
};

// Faces of their own corners, along a line.
typedef struct loose_faces
{
    double at[2][3 * LOOSE_FACES][3];
    int32_t faces[LOOSE_FACES][3];
} loose_faces;

static void place_loose_faces(double size, toi_random *random, loose_faces *l)
{
    for (int i = 0; i < 3 * LOOSE_FACES; ++i) {
        for (int k = 0; k < 3; ++k)
            l->at[0][i][k] = size * (0.1 * (i / 3) + toi_random_range(random, 0, 0.5));
        l->faces[i / 3][i % 3] = i;
    }
    memcpy(l->at[1], l->at[0], sizeof l->at[0]);
}

// Steps there and back, of vertices that fly far in the first, or not at all.
static void expect_same_with(double size, double separation, double far, int number)
{
    static loose_faces l;
    toi_random random = {600};
    place_loose_faces(size, &random, &l);
    toi_mesh meshes[2] = {
        toi_make_mesh(l.at[0][0], l.at[1][0], 3 * LOOSE_FACES, l.faces[0], LOOSE_FACES),
        toi_make_mesh(l.at[1][0], l.at[0][0], 3 * LOOSE_FACES, l.faces[0], LOOSE_FACES)};
    for (int k = 0; k < 3 && far > 0; ++k) {
        l.at[1][1][k] = far;
        l.at[1][2][k] = -far;
    }
    toi_ccd_def def = toi_default_ccd_def();
    toi_scene *scene;
    use_instruction_set(number);
    def.narrow.min_separation = separation;
    assert_ok(make_scene_of(&meshes[0], NULL, &scene));
    set_method(scene, methods[number / 3 % 3], 0);
    for (int step = 0; step < 6; ++step)
        expect_same(scene, &def, &meshes[step % 2], "far", step);
    toi_free_scene(scene);
}

// What is enlarged stays finite, so that lanes without a box lie beyond it: where boxes are made
// for steps ahead of one that went far, and where pairs are looked for within a large separation.
static void enlarged_boxes_stay_finite(void **state)
{
    (void)state;
    for (int number = 0; number < 9; ++number) {
        expect_same_with(1, 0, 1e300, number);
        expect_same_with(1, 0, 1e40, number);
        expect_same_with(1e-30, 1e10, 0, number);
    }
    assert_ok(toi_set_simd(NULL));
}

static toi_track_method method_of(const toi_scene *scene)
{
    toi_track_report report;
    assert_ok(toi_scene_track_report(scene, &report));
    return report.method;
}

// The first three steps of a small scene keep nothing; the fourth makes the order.
static void the_fourth_step_makes_the_order(void **state)
{
    (void)state;
    static cloth c;
    toi_scene *scene = begin_scene(&c, 43, TOI_TRACK_AUTO, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    for (int step = 0; step < 6; ++step) {
        toi_track_report report;
        move(&c, 0.1);
        expect_same(scene, &def, &mesh, "fourth step", step);
        assert_ok(toi_scene_track_report(scene, &report));
        assert_int_equal(report.method, step < 3 ? TOI_TRACK_STATELESS : TOI_TRACK_ORDER);
        assert_int_equal(report.reordered, step == 3);
    }
    toi_free_scene(scene);
}

// A motion that all have in common costs no budget: pairs stay few however far everything goes.
static void common_motion_is_free(void **state)
{
    (void)state;
    static cloth c;
    toi_scene *scene = begin_scene(&c, 7, TOI_TRACK_BUDGETS, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    toi_track_report still, moving;
    for (int step = 0; step < 3; ++step)
        expect_same(scene, &def, &mesh, "at rest", step);
    assert_ok(toi_scene_track_report(scene, &still));
    for (int step = 0; step < 10; ++step) {
        memcpy(c.at[0], c.at[1], sizeof c.at[0]);
        for (int i = 0; i < VERTICES; ++i)
            c.at[1][i][step % 3] += 0.125;
        expect_same(scene, &def, &mesh, "all alike", step);
    }
    assert_ok(toi_scene_track_report(scene, &moving));
    assert_in_range(moving.elementary, 0, still.elementary + still.elementary / 2);
    toi_free_scene(scene);
}

// Budgets leave fewer pairs than a search, and say how many pairs of blocks have one.
static void budgets_leave_fewer_pairs(void **state)
{
    (void)state;
    static cloth c;
    toi_track_report reports[2];
    for (int i = 0; i < 2; ++i) {
        toi_scene *scene = begin_scene(&c, 3, i ? TOI_TRACK_BUDGETS : TOI_TRACK_STATELESS, 0);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        for (int step = 0; step < 5; ++step) {
            move(&c, 1e-3);
            expect_same(scene, &def, &mesh, "pairs", step);
        }
        assert_ok(toi_scene_track_report(scene, &reports[i]));
        toi_free_scene(scene);
    }
    assert_int_equal(reports[0].front, 0);
    assert_true(reports[1].front > 0);
    assert_in_range(reports[1].elementary, 1, reports[0].elementary * 3 / 4);
}

// With a separation; the earliest impact; steps that are safe, whose checks ask about several ends.
static void other_questions_too(void **state)
{
    (void)state;
    static cloth c;
    static double expected[VERTICES], found[VERTICES];
    toi_scene *scene = begin_scene(&c, 11, TOI_TRACK_BUDGETS, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    for (int step = 0; step < 40; ++step) {
        toi_ccd_report fresh, kept;
        move(&c, step % 7 == 6 ? 0.1 : 2e-3);
        def.narrow.min_separation = step / 10 % 2 ? 1e-2 : 0;
        expect_same(scene, &def, &mesh, "separation", step);
        assert_ok(toi_find_earliest(&def, &mesh, &fresh));
        assert_ok(toi_scene_find_earliest(scene, &def, mesh.start, mesh.end, &kept));
        assert_memory_equal(&kept.earliest, &fresh.earliest, sizeof fresh.earliest);
        if (step % 4 == 0) {
            assert_ok(toi_find_safe_steps(&def, &mesh, expected, &fresh));
            assert_ok(toi_scene_find_safe_steps(scene, &def, mesh.start, mesh.end, found, &kept));
            assert_memory_equal(found, expected, sizeof expected);
        }
    }
    toi_free_scene(scene);
}

// The scene's faces change, and its filter, between two steps.
static void topology_changes(void **state)
{
    (void)state;
    static cloth c;
    static int32_t groups[VERTICES];
    toi_scene *scene = begin_scene(&c, 13, TOI_TRACK_BUDGETS, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    for (int i = 0; i < VERTICES; ++i)
        groups[i] = i / (2 * SIDE * SIDE);
    for (int step = 0; step < 30; ++step) {
        move(&c, 3e-3);
        if (step % 6 == 5) {
            toi_scene_def change = toi_default_scene_def();
            mesh.faces.count = FACES - (int64_t)toi_random_below(&c.random, FACES / 2);
            change.vertex_count = VERTICES;
            change.faces = mesh.faces;
            assert_ok(toi_scene_change(scene, &change));
        }
        toi_filter filter = {.groups = step % 4 < 2 ? groups : NULL, .group_count = VERTICES};
        assert_ok(toi_scene_set_filter(scene, &filter));
        toi_ccd_def filtered = def;
        filtered.filter = filter;
        expect_like(scene, &def, &filtered, &mesh, "topology", step);
    }
    toi_free_scene(scene);
}

// Where budgets do not fit, fewer are kept; and a call that succeeds without memory of steps does
// with it.
static void limits_are_kept(void **state)
{
    (void)state;
    static cloth c;
    int64_t before = -1;
    for (int64_t limit = 1; limit < (int64_t)1 << 24; limit *= 8) {
        toi_scene *scene = begin_scene(&c, 17, TOI_TRACK_BUDGETS, limit);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        toi_track_report report;
        for (int step = 0; step < 6; ++step) {
            move(&c, 1e-3);
            expect_same(scene, &def, &mesh, "limit", step);
        }
        assert_ok(toi_scene_track_report(scene, &report));
        assert_true(report.front >= before);
        assert_true(report.front * 40 <= limit);
        before = report.front;
        toi_free_scene(scene);
    }
    assert_true(before > 0);
}

static void the_call_has_a_limit(void **state)
{
    (void)state;
    static cloth c;
    int refused = 0, answered = 0;
    for (int64_t limit = 1 << 16; limit < (int64_t)1 << 25; limit += limit / 4) {
        begin_cloth(&c, 19);
        toi_mesh mesh = mesh_of(&c);
        toi_scene *scene, *plain;
        toi_ccd_def def = toi_default_ccd_def(), free_def = def;
        assert_ok(make_scene_of(&mesh, NULL, &scene));
        assert_ok(make_scene_of(&mesh, NULL, &plain));
        set_method(scene, TOI_TRACK_BUDGETS, 0);
        set_method(plain, TOI_TRACK_STATELESS, 0);
        def.memory_limit = limit;
        for (int step = 0; step < 3; ++step) {
            toi_impact_array found = {0}, expected = {0};
            move(&c, 1e-3);
            toi_status with =
                toi_scene_find_impacts(scene, &def, mesh.start, mesh.end, &found, NULL);
            toi_status without =
                toi_scene_find_impacts(plain, &def, mesh.start, mesh.end, &expected, NULL);
            // What is kept from the last step may leave less to be taken.
            if (with != TOI_OK)
                assert_int_equal(without, with);
            assert_true(toi_scene_bytes(scene) <= limit || with != TOI_OK);
            ++*(with == TOI_OK ? &answered : &refused);
            toi_free_impacts(&found);
            toi_free_impacts(&expected);
            if (with == TOI_OK)
                expect_same(scene, &free_def, &mesh, "after a limit", step);
        }
        toi_free_scene(plain);
        toi_free_scene(scene);
    }
    assert_true(refused > 0 && answered > 0);
}

// ---- What budgets promise, looked at from inside

static const float *corner_of(const toi_kept_steps *k, const toi_tree *tree, int64_t place, int c)
{
    int64_t block = place / TOI_BLOCK, lane = place % TOI_BLOCK;
    int32_t row = tree->labels[(block * tree->corners + c) * TOI_BLOCK + lane];
    return (const float *)&k->order.moving[row] + 4; // where the step ends
}

// The distance of two primitives where the step ends; negative: they share a vertex.
static double distance_now(const toi_kept_steps *k, const toi_tree *tree, const toi_tree *packets,
                           int64_t a, int64_t b)
{
    double x[4][3], uv[2];
    const float *from[4];
    for (int c = 0; c < 4; ++c) {
        int ours = c - tree->corners;
        from[c] = ours < 0 ? corner_of(k, tree, a, c) : corner_of(k, packets, b, ours);
        for (int d = 0; d < c; ++d)
            if (from[c] == from[d])
                return -1;
        for (int i = 0; i < 3; ++i)
            x[c][i] = from[c][i];
    }
    return tree->corners == 2 ? toi_edge_edge_distance(x[0], x[1], x[2], x[3], uv)
                              : toi_point_triangle_distance(x[0], x[1], x[2], x[3], uv);
}

static int level_of(const toi_pair_levels *levels, int row, int lane)
{
    int level = 0;
    for (int k = 0; k < TOI_LEVEL_BITS; ++k)
        level |= (levels->bit[k].row[row] >> lane & 1) << k;
    return level;
}

// How far two boxes of an entry must still be apart; negative: they may meet.
static double promised(const toi_block_front *front, int64_t entry, int row, int lane)
{
    const int far_level = (1 << TOI_LEVEL_BITS) - 1;
    int32_t slot = front->slot[entry];
    double left = front->budget[entry], unit = front->unit[entry];
    bool listed = front->any[entry] && front->masks[slot].row[row] >> lane & 1;
    if (!(unit > 0)) {
        assert_false(listed);
        return left;
    }
    int level = level_of(&front->levels[slot], row, lane);
    assert_int_equal(listed, level == 0);
    return level == 0 ? -1 : left + ((level == far_level ? front->reach[entry] : level) - 1) * unit;
}

// Counts promises of blocks that are apart, and of levels.
static void check_entry(const toi_kept_steps *k, const toi_tree *tree, const toi_tree *packets,
                        const toi_block_front *front, int64_t packet, int64_t entry,
                        int64_t promises[2])
{
    int64_t other = front->other[entry];
    if (!(front->budget[entry] > 0))
        return;
    for (int row = 0; row < TOI_BLOCK; ++row)
        for (int lane = 0; lane < TOI_BLOCK; ++lane) {
            int64_t a = other * TOI_BLOCK + row, b = packet * TOI_BLOCK + lane;
            if (a >= tree->count || b >= packets->count ||
                (tree == packets && b <= a && other == packet))
                continue;
            double least = promised(front, entry, row, lane);
            double now = distance_now(k, tree, packets, a, b);
            if (now < 0 || least < 0)
                continue;
            ++promises[front->unit[entry] > 0];
            if (!(now > least))
                fail_msg("%lld and %lld are %g apart instead of %g", (long long)a, (long long)b,
                         now, least);
        }
}

static void check_promises(const toi_scene *scene, int64_t promises[2])
{
    const toi_kept_steps *k = scene->tracking.kept;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        bool edges = kind == TOI_EDGE_EDGE;
        const toi_tree *packets = &k->trees[edges ? TOI_EDGE : TOI_FACE].tree;
        const toi_tree *tree = edges ? packets : &k->trees[TOI_VERTEX].tree;
        const toi_block_front *front = &k->fronts[kind];
        for (int64_t p = 0; p < front->packets; ++p)
            for (int64_t i = front->start[p]; i < front->start[p + 1]; ++i)
                check_entry(k, tree, packets, front, p, i, promises);
    }
}

// After every step, pairs that are left out are as far apart as their levels and the budget say.
static void promises_are_kept(void **state)
{
    (void)state;
    static const double motions[] = {3e-4, 3e-3, 1e-2, 2e-2};
    static cloth c;
    int64_t promises[2] = {0};
    for (int m = 0; m < 4; m += getenv("TOI_SANITIZED") ? 2 : 1) {
        use_instruction_set(m);
        toi_scene *scene = begin_scene(&c, 31 + (uint64_t)m, TOI_TRACK_BUDGETS, 0);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        toi_ccd_report report;
        for (int step = 0; step < slow_cases(30); ++step) {
            event e = step % 4 == 3 ? (event)toi_random_below(&c.random, EVENTS) : GO_ON;
            take_step(&c, e, motions[m]);
            assert_ok(toi_scene_find_earliest(scene, &def, mesh.start, mesh.end, &report));
            check_promises(scene, promises);
        }
        toi_free_scene(scene);
    }
    assert_ok(toi_set_simd(NULL));
    assert_true(promises[0] > 1000 && promises[1] > 10000);
}

// The earliest impact alone is left to a search that cuts the motion short: in long steps with many
// pairs of its own accord, here in short ones, too. What is kept meanwhile must hold afterwards.
static bool expect_earliest(toi_scene *scene, const toi_ccd_def *def, const toi_mesh *mesh,
                            bool urge)
{
    toi_tracking *t = &scene->tracking;
    toi_ccd_report fresh, kept;
    if (urge && scene->last.state != TOI_SEPARATED) {
        t->choice.density = 100;
        t->choice.motion = 1;
        t->choice.cuts = 0;
        scene->last.time = 0;
    }
    int cuts = t->choice.cuts;
    assert_ok(toi_find_earliest(def, mesh, &fresh));
    assert_ok(toi_scene_find_earliest(scene, def, mesh->start, mesh->end, &kept));
    assert_memory_equal(&kept.earliest, &fresh.earliest, sizeof fresh.earliest);
    return method_of(scene) == TOI_TRACK_ORDER && t->choice.cuts > cuts;
}

static void steps_are_left_to_a_search(void **state)
{
    (void)state;
    static const double motions[] = {1e-3, 3e-3, 0.5, 1};
    static cloth c;
    int64_t promises[2] = {0};
    int left[4] = {0}, budgets = 0;
    for (int round = 0; round < slow_cases(12); ++round) {
        toi_scene *scene = begin_scene(&c, 61 + (uint64_t)round, TOI_TRACK_AUTO, 0);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        use_instruction_set(round);
        bool was_left = false;
        for (int step = 0; step < 48; ++step) {
            int long_steps = round % 2 == 0 && step / 8 % 2;
            bool goes_on = toi_random_below(&c.random, 6) > 0;
            event e = goes_on ? GO_ON : (event)toi_random_below(&c.random, EVENTS);
            def.workers = 1 + (int)toi_random_below(&c.random, 4);
            take_step(&c, e, motions[2 * long_steps + (int)toi_random_below(&c.random, 2)]);
            if (toi_random_below(&c.random, 2)) {
                was_left = expect_earliest(scene, &def, &mesh, !long_steps);
                left[2 * long_steps] += was_left;
                continue;
            }
            expect_same(scene, &def, &mesh, "after a search", step);
            left[2 * long_steps + 1] += was_left;
            budgets += was_left && method_of(scene) == TOI_TRACK_BUDGETS;
            if (was_left && step % 3 == 0)
                check_promises(scene, promises);
            was_left = false;
        }
        toi_free_scene(scene);
    }
    print_message("left to a search: %d short, %d long steps; then %d, %d others, %d by budgets; "
                  "%lld pairs with a promise\n",
                  left[0], left[2], left[1], left[3], budgets, (long long)promises[1]);
    assert_true(left[0] > 0 && left[1] > 0 && left[2] > 0 && left[3] > 0);
    assert_true(budgets > 0 && promises[1] > 0);
    assert_ok(toi_set_simd(NULL));
}

// Rows are those of the step, whether it goes on from the last one or not, or only nearly.
static void rows_are_those_of_the_step(void **state)
{
    (void)state;
    static cloth c;
    toi_scene *scene = begin_scene(&c, 59, TOI_TRACK_ORDER, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    toi_ccd_report report;
    assert_true((int)VERTICES > (int)TOI_PIECE);
    for (int step = 0; step < slow_cases(100); ++step) {
        take_step(&c, step % 3 == 0 ? GO_ON : (event)toi_random_below(&c.random, EVENTS), 1e-3);
        def.workers = 1 + step % 3;
        assert_ok(toi_scene_find_earliest(scene, &def, mesh.start, mesh.end, &report));
        const toi_mesh_order *order = &((const toi_kept_steps *)scene->tracking.kept)->order;
        for (int i = 0; i < VERTICES; ++i)
            for (int side = 0; side < 2; ++side)
                for (int k = 0; k < 3; ++k) {
                    double x = c.at[side][order->vertices[i]][k];
                    assert_true(order->moving[i][4 * side + k] == toi_moving_number(order, k, x));
                }
    }
    toi_free_scene(scene);
}

// A step with the same start and another end costs no budget again: pairs of blocks whose budget
// was enough for the first are not looked at anew.
static void another_end_is_free(void **state)
{
    (void)state;
    static cloth c;
    toi_scene *scene = begin_scene(&c, 37, TOI_TRACK_BUDGETS, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    for (int step = 0; step < 4; ++step) {
        move(&c, 1e-3);
        expect_same(scene, &def, &mesh, "on", step);
    }
    const toi_kept_steps *k = scene->tracking.kept;
    const toi_block_front *front = &k->fronts[TOI_EDGE_EDGE];
    double before = 0, after = 0;
    for (int64_t i = 0; i < front->start[front->packets]; ++i)
        before += front->budget[i] > 0 ? front->budget[i] : 0;
    for (int again = 0; again < 20; ++again)
        expect_same(scene, &def, &mesh, "again", again);
    for (int64_t i = 0; i < front->start[front->packets]; ++i)
        after += front->budget[i] > 0 ? front->budget[i] : 0;
    assert_true(before > 0 && fabs(after - before) < 1e-3 * before);
    toi_free_scene(scene);
}

// ---- Steps that end early

static bool stop_soon(void *context, double done)
{
    (void)done;
    int *calls = context;
    return --*calls > 0;
}

// What a cancelled step did not look at is looked at in the next.
static void cancelled_steps_leave_nothing_out(void **state)
{
    (void)state;
    static cloth c;
    int cancelled = 0;
    int64_t promises[2] = {0};
    for (int round = 0; round < slow_cases(12); ++round) {
        toi_scene *scene = begin_scene(&c, 41 + (uint64_t)round, TOI_TRACK_BUDGETS, 0);
        toi_mesh mesh = mesh_of(&c);
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = 1;
        for (int step = 0; step < 24; ++step) {
            int calls = 1 + (int)toi_random_below(&c.random, 12);
            toi_ccd_def stopped = def;
            toi_ccd_report report;
            stopped.progress = stop_soon;
            stopped.progress_context = &calls;
            move(&c, 4e-3);
            toi_status status =
                toi_scene_find_earliest(scene, &stopped, mesh.start, mesh.end, &report);
            assert_true(status == TOI_OK || status == TOI_ERROR_CANCELLED);
            cancelled += status != TOI_OK;
            if (step % 6 == 5) {
                move(&c, 4e-3);
                expect_same(scene, &def, &mesh, "after cancelled steps", step);
                check_promises(scene, promises);
            }
        }
        toi_free_scene(scene);
    }
    assert_true(cancelled > 10);
}

// ---- Memory

static _Atomic int64_t allocations;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    ++allocations;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

// Nothing is taken from the system once fronts have been made anew a few times.
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    static cloth c;
    toi_set_hooks(&(toi_hooks){.allocate = counting_allocate, .release = plain_release});
    toi_scene *scene = begin_scene(&c, 23, TOI_TRACK_BUDGETS, 0);
    toi_mesh mesh = mesh_of(&c);
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    int64_t before = 0;
    int quiet = 0;
    for (int step = 0; step < 60; ++step) {
        move(&c, 1e-3);
        before = allocations;
        toi_ccd_report report;
        assert_ok(toi_scene_find_earliest(scene, &def, mesh.start, mesh.end, &report));
        quiet += step >= 20 && allocations == before;
    }
    assert_true(before > 10);
    assert_true(quiet >= 38);
    toi_free_scene(scene);
    toi_set_hooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_without_memory),
        cmocka_unit_test(motions_change),
        cmocka_unit_test(enlarged_boxes_stay_finite),
        cmocka_unit_test(the_fourth_step_makes_the_order),
        cmocka_unit_test(common_motion_is_free),
        cmocka_unit_test(budgets_leave_fewer_pairs),
        cmocka_unit_test(other_questions_too),
        cmocka_unit_test(steps_are_left_to_a_search),
        cmocka_unit_test(topology_changes),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(the_call_has_a_limit),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(rows_are_those_of_the_step),
        cmocka_unit_test(another_end_is_free),
        cmocka_unit_test(cancelled_steps_leave_nothing_out),
        cmocka_unit_test(warm_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
