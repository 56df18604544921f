// Safe steps are safe: the motion to the positions that they lead to is asked about again, exactly.
// And they are not needlessly small.

#include "exact/apart_twin.h"
#include "slow_policy.h"
#include "steps.h"
#include "support.h"
#include "tangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_CHECKS = 31 // docs/separation.md, section 6
};

// A motion, the steps that are granted, and where they lead.
typedef struct trial
{
    const char *name;
    toi_mesh mesh; // with its edges
    toi_ccd_def def;
    int64_t count;
    double *steps;
    double (*moved)[3];
    toi_ccd_report report;
} trial;

static void begin_trial(trial *t, const char *name, const toi_mesh *mesh, const toi_ccd_def *def)
{
    size_t count = (size_t)mesh->start.count;
    *t = (trial){.name = name, .mesh = *mesh, .def = *def, .count = mesh->start.count};
    t->steps = malloc((count + 1) * sizeof *t->steps);
    t->moved = malloc((count + 1) * sizeof *t->moved);
    assert_ok(toi_find_safe_steps(def, mesh, t->steps, &t->report));
    assert_ok(toi_move_points(mesh, t->steps, t->moved[0]));
}

static void end_trial(trial *t)
{
    free(t->steps);
    free(t->moved);
}

static const int32_t *row(const toi_index_view *view, int64_t i, int length)
{
    int64_t stride = view->stride ? view->stride : length * (int64_t)sizeof(int32_t);
    return (const int32_t *)((const char *)view->data + i * stride);
}

// Has a vertex of the pair a step at all?
static bool pair_moves(const trial *t, const toi_impact *i)
{
    static const int corners[TOI_KIND_COUNT][2] = {{1, 3}, {2, 2}, {1, 2}, {1, 1}};
    const int *n = corners[i->kind];
    const int32_t *a = n[0] == 1 ? &i->a : row(&t->mesh.edges, i->a, 2);
    const int32_t *b = n[1] == 1   ? &i->b
                       : n[1] == 2 ? row(&t->mesh.edges, i->b, 2)
                                   : row(&t->mesh.faces, i->b, 3);
    bool moves = false;
    for (int c = 0; c < n[0]; ++c)
        moves |= t->steps[a[c]] > 0;
    for (int c = 0; c < n[1]; ++c)
        moves |= t->steps[b[c]] > 0;
    return moves;
}

// Does the motion to `moved` meet what it must not? With a share of 0: a pair that starts farther
// than the separation. Else: a pair that starts inside, moves, and does not keep this share.
static bool meets(const trial *t, double share, toi_impact *obstacle)
{
    toi_mesh mesh = t->mesh;
    toi_ccd_def def = t->def;
    toi_impact_array impacts = {0};
    bool met = false;
    mesh.end = toi_view_points(t->moved[0], t->count);
    def.narrow.t_max = 1;
    def.zero_time = (toi_zero_time_policy){.relative_separation = share};
    assert_ok(toi_find_impacts(&def, &mesh, &impacts, NULL));
    for (int64_t i = 0; i < impacts.count && !met; ++i) {
        *obstacle = impacts.data[i];
        bool inside =
            begins_inside(&mesh, (toi_kind)obstacle->kind, (toi_pair){obstacle->a, obstacle->b},
                          def.narrow.min_separation);
        met = share == 0 ? !inside : inside && pair_moves(t, obstacle);
    }
    toi_free_impacts(&impacts);
    return met;
}

static bool is_free(const trial *t, toi_impact *obstacle)
{
    double share = t->def.zero_time.relative_separation;
    return !meets(t, 0, obstacle) && !(share > 0 && meets(t, share, obstacle));
}

static void expect_free(const trial *t)
{
    toi_impact obstacle;
    if (!is_free(t, &obstacle))
        fail_msg("%s: %s (%d, %d) meet at %.17g", t->name, toi_kind_name((toi_kind)obstacle.kind),
                 obstacle.a, obstacle.b, obstacle.time);
}

// The same without the library's narrow phase: every candidate by the slow twin.
static void expect_free_slowly(const trial *t)
{
    toi_mesh mesh = t->mesh;
    mesh.end = toi_view_points(t->moved[0], t->count);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_pair_array pairs = {0};
        assert_ok(toi_find_candidates(&t->def, &mesh, (toi_kind)kind, &pairs, NULL));
        for (int64_t i = 0; i < pairs.count; ++i) {
            toi_query query = toi_gather_query(&mesh, (toi_kind)kind, pairs.data[i]);
            apart_answer answer =
                twin_apart((toi_kind)kind, &query, t->def.narrow.min_separation, 1);
            assert_true(!answer.hit || answer.starts_inside);
        }
        toi_free_pairs(&pairs);
    }
}

static double least_step(const trial *t)
{
    double least = 1;
    for (int64_t i = 0; i < t->count; ++i) {
        assert_true(t->steps[i] >= 0 && t->steps[i] <= t->def.narrow.t_max);
        least = fmin(least, t->steps[i]);
    }
    return least;
}

// Where all go by the same step.
static void expect_obstacle(const trial *t, double step)
{
    trial all = {.name = t->name, .mesh = t->mesh, .def = t->def, .count = t->count};
    toi_impact obstacle;
    all.steps = malloc(((size_t)t->count + 1) * sizeof *all.steps);
    all.moved = malloc(((size_t)t->count + 1) * sizeof *all.moved);
    for (int64_t i = 0; i < t->count; ++i)
        all.steps[i] = step;
    assert_ok(toi_move_points(&t->mesh, all.steps, all.moved[0]));
    if (is_free(&all, &obstacle))
        fail_msg("%s: all may go %.17g, one vertex goes %.17g", t->name, step, least_step(t));
    end_trial(&all);
}

// No step is less than the earliest time by more than about 2^-10, unless the rounded positions of
// that time are not free.
static void expect_not_small(const trial *t)
{
    toi_ccd_report report;
    assert_ok(toi_find_earliest(&t->def, &t->mesh, &report));
    double all = fmin(report.earliest.time, t->def.narrow.t_max);
    for (int bits = 40; bits >= 10; bits -= 10) // as the library shortens it
        all *= 1 - ldexp(1, -bits);
    if (least_step(t) < all)
        expect_obstacle(t, all);
    assert_true(t->report.checks <= MOST_CHECKS);
    assert_int_equal(t->report.inside, report.inside);
}

static void expect_same_steps(const trial *t, toi_scene *scene, int workers)
{
    toi_ccd_def def = t->def;
    toi_ccd_report report;
    double *steps = malloc(((size_t)t->count + 1) * sizeof *steps);
    def.workers = workers;
    assert_ok(ask_safe_steps(scene, &def, &t->mesh, steps, &report));
    assert_memory_equal(steps, t->steps, (size_t)t->count * sizeof *steps);
    assert_int_equal(report.checks, t->report.checks);
    free(steps);
}

static void expect_safe(const trial *t)
{
    expect_free(t);
    expect_not_small(t);
}

// ---- By hand

// A face rises to a ceiling over a corner of it, and stops there at t = 0.1. A point follows it
// from below, with nothing in its way as long as the face does not stop.
static void a_point_trails_a_face_that_stops(void **state)
{
    (void)state;
    static const double start[7][3] = {{-1, -1, 0},        {1, -1, 0},     {0, 1, 0},
                                       {-0.3, -0.5, -0.2}, {0.5, -9, 0.1}, {9, 0, 0.1},
                                       {0.5, 9, 0.1}};
    static const int32_t faces[2][3] = {{0, 1, 2}, {4, 5, 6}};
    static const double separations[] = {0, 1e-3, 0.05};
    double end[7][3];
    memcpy(end, start, sizeof end);
    for (int i = 0; i < 4; ++i)
        end[i][2] += 1;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 7, faces[0], 2);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, 7, &edges));
    mesh.edges = toi_view_edges(&edges);
    for (int i = 0; i < 6; ++i) {
        trial t;
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.min_separation = separations[i / 2];
        if (i % 2)
            def.zero_time = toi_solver_policy();
        begin_trial(&t, "a point trails a face", &mesh, &def);
        expect_safe(&t);
        assert_true(t.report.earliest.time <= 0.1 && t.report.checks > 1);
        assert_true(t.steps[3] < 0.31 && t.steps[3] > t.steps[0]); // it may come nearer
        end_trial(&t);
    }
    toi_free_edges(&edges);
}

// At t = 1 a particle touches the floor, or comes to the separation: that is not free.
static void the_end_counts_too(void **state)
{
    (void)state;
    static const double start[4][3] = {{0, 0, 1}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    static const int32_t faces[1][3] = {{1, 2, 3}};
    static const double separations[] = {0, 0.25};
    double end[4][3];
    memcpy(end, start, sizeof end);
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 1);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, 4, &edges));
    mesh.edges = toi_view_edges(&edges);
    for (int i = 0; i < 2; ++i) {
        trial t;
        toi_ccd_def def = toi_default_ccd_def();
        def.narrow.min_separation = end[0][2] = separations[i];
        begin_trial(&t, "the end", &mesh, &def);
        expect_safe(&t);
        assert_true(t.report.earliest.time == 1 && t.moved[0][2] > separations[i]);
        end_trial(&t);
    }
    toi_free_edges(&edges);
}

// Differences of coordinates that no double holds.
static void the_longest_ways_are_safe(void **state)
{
    (void)state;
    static const double start[4][3] = {
        {0, 0, 1.5e308}, {-9e307, -9e307, 0}, {9e307, -9e307, 0}, {0, 9e307, 0}};
    static const int32_t faces[1][3] = {{1, 2, 3}};
    double end[4][3];
    memcpy(end, start, sizeof end);
    end[0][2] = -1.5e308;
    toi_mesh mesh = toi_make_mesh(start[0], end[0], 4, faces[0], 1);
    toi_edge_array edges;
    assert_ok(toi_make_edges(mesh.faces, (toi_index_view){0}, 4, &edges));
    mesh.edges = toi_view_edges(&edges);
    trial t;
    toi_ccd_def def = toi_default_ccd_def();
    begin_trial(&t, "the longest way", &mesh, &def);
    expect_safe(&t);
    assert_true(t.moved[0][2] > 0 && t.steps[0] > 0.49 && t.steps[0] < 0.5);
    end_trial(&t);
    toi_free_edges(&edges);
}

// ---- At random

static toi_ccd_def random_def(toi_random *random)
{
    static const double separations[] = {0, 1e-3, 0.03}, shares[] = {0, 0.2, 0.5};
    static const double last[] = {1, 1, 1, 0.4};
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = 1;
    def.narrow.min_separation = separations[toi_random_below(random, 3)];
    def.narrow.t_max = last[toi_random_below(random, 4)];
    def.zero_time = toi_solver_policy();
    def.zero_time.relative_separation = shares[toi_random_below(random, 3)];
    if (toi_random_below(random, 3) == 0)
        def.zero_time.rescale = 0;
    return def;
}

typedef struct tally
{
    int64_t steps, shortened, again, inside; // again: more than one check
} tally;

static void count_trial(const trial *t, tally *to)
{
    ++to->steps;
    to->shortened += t->report.earliest.time < 1;
    to->again += t->report.checks > 1;
    to->inside += t->report.inside > 0;
}

static void new_goal(soup *s, toi_random *random, double motion)
{
    for (int64_t v = 0; v < s->vertex_count; ++v)
        for (int k = 0; k < 3; ++k)
            s->end[v][k] = s->start[v][k] + toi_random_range(random, -motion, motion);
}

// A soup goes where it may, step after step.
static void walk(toi_random *random, bool slowly, tally *to)
{
    soup s =
        make_soup(10 + (int64_t)toi_random_below(random, 10), 0.2, 0.4, toi_random_bits(random));
    toi_ccd_def def = random_def(random);
    toi_scene *scene;
    assert_ok(make_scene_of(&s.mesh, NULL, &scene));
    for (int step = 0; step < 10; ++step) {
        trial t;
        begin_trial(&t, "soup", &s.mesh, &def);
        expect_safe(&t);
        if (slowly)
            expect_free_slowly(&t);
        expect_same_steps(&t, scene, 1);
        if (step == 0)
            expect_same_steps(&t, scene, 2 + (int)toi_random_below(random, 3));
        count_trial(&t, to);
        memcpy(s.start, t.moved, (size_t)s.vertex_count * sizeof *s.start);
        end_trial(&t);
        new_goal(&s, random, 0.1);
    }
    toi_free_scene(scene);
    free_soup(&s);
}

static void print_tally(const tally *t)
{
    print_message("%lld steps: %lld shortened, %lld checked again, %lld with pairs inside\n",
                  (long long)t->steps, (long long)t->shortened, (long long)t->again,
                  (long long)t->inside);
}

static void random_walks_are_free(void **state)
{
    (void)state;
    toi_random random = {11};
    tally t = {0};
    for (int64_t i = 0, count = cases(900); i < count; ++i)
        walk(&random, i % 50 == 0, &t);
    print_tally(&t);
    assert_true(2 * t.shortened > t.steps && 10 * t.again > t.steps && 10 * t.inside > t.steps);
}

// Faces that share, repeat or lack vertices, coordinates that coincide or are at the end of the
// doubles.
static void tangles_are_free(void **state)
{
    (void)state;
    toi_random random = {12};
    tally to = {0};
    int64_t seeds = cases(6);
    for (int64_t i = 0; i < seeds * TOPOLOGIES * PLACES; ++i) {
        int topology = (int)(i % TOPOLOGIES), place = (int)(i / TOPOLOGIES % PLACES);
        tangle tangled = make_tangle(topology, place, (int)toi_random_below(&random, LAYOUTS), 12,
                                     toi_random_bits(&random));
        toi_ccd_def def = random_def(&random);
        trial t;
        begin_trial(&t, tangled.name, &tangled.with_edges, &def);
        expect_safe(&t);
        expect_same_steps(&t, NULL, 1 + (int)toi_random_below(&random, 4));
        count_trial(&t, &to);
        end_trial(&t);
        free_tangle(&tangled);
    }
    print_tally(&to);
}

// A busy heap of triangles, a floor with a particle that is as good as at the separation already
// and is pushed down, and a vertex far away from all of it.
enum
{
    HEAP_FACES = 40,
    PARTICLE = 3 * HEAP_FACES,
    LONELY,
    HEAP_VERTICES
};

typedef struct heap
{
    double start[HEAP_VERTICES][3], end[HEAP_VERTICES][3];
    int32_t faces[HEAP_FACES][3];
} heap;

static void put_heap_vertex(toi_random *random, double reach, int v, heap *h)
{
    const double size = 0.4;
    int first = v - v % 3;
    for (int k = 0; k < 3; ++k) {
        if (v == first) {
            h->start[v][k] = toi_random_unit(random) + 3 * (k == 0);
            h->end[v][k] = h->start[v][k] + toi_random_range(random, -reach, reach);
        } else {
            double way = h->end[first][k] - h->start[first][k];
            h->start[v][k] = h->start[first][k] + toi_random_range(random, -size, size);
            h->end[v][k] =
                h->start[v][k] + way + toi_random_range(random, -size, size) * 0.25 * reach;
        }
    }
}

static void make_heap(uint64_t seed, double separation, heap *h)
{
    static const double floor[3][3] = {{-2, -2, -3}, {2, -2, -3}, {0, 2, -3}};
    toi_random random = {seed};
    double reach = pow(10, toi_random_range(&random, -1, 1));
    double tilt = toi_random_range(&random, -1, 1), length = sqrt(1 + tilt * tilt);
    double height = separation + pow(10, toi_random_range(&random, -17, -13));
    for (int i = 0; i < 3 * HEAP_FACES; ++i)
        h->faces[i / 3][i % 3] = i;
    for (int v = 3; v < 3 * HEAP_FACES; ++v)
        put_heap_vertex(&random, reach, v, h);
    for (int i = 0; i < 9; ++i)
        h->start[i / 3][i % 3] = floor[i / 3][i % 3] + (i % 3 == 2 ? tilt * floor[i / 3][0] : 0);
    memcpy(h->end, h->start, 3 * sizeof h->start[0]);
    const double above[3] = {0.1 - tilt / length * height, -0.3, -3 + tilt * 0.1 + height / length};
    for (int k = 0; k < 3; ++k) {
        h->start[PARTICLE][k] = above[k];
        h->end[PARTICLE][k] = above[k] + (k == 2 ? -1 : toi_random_range(&random, -1, 1));
        h->start[LONELY][k] = 20 + k;
        h->end[LONELY][k] = 21 + k;
    }
}

// One pair within rounding of the separation does not hold up who has nothing to do with it.
static void a_tight_pair_stops_nobody_else(void **state)
{
    (void)state;
    uint64_t tight = 0, seeds = (uint64_t)cases(600);
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        heap h;
        double steps[HEAP_VERTICES];
        toi_ccd_report report;
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = 1;
        def.narrow.min_separation = seed % 2 ? 1e-3 : 0.1;
        def.zero_time = toi_solver_policy();
        make_heap(seed, def.narrow.min_separation, &h);
        toi_mesh mesh = toi_make_mesh(h.start[0], h.end[0], HEAP_VERTICES, h.faces[0], HEAP_FACES);
        assert_ok(toi_find_safe_steps(&def, &mesh, steps, &report));
        assert_true(report.checks <= MOST_CHECKS);
        assert_true(steps[LONELY] == 1);
        tight += steps[PARTICLE] < 1e-9;
    }
    assert_true(tight > seeds / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_point_trails_a_face_that_stops),
                                       cmocka_unit_test(the_end_counts_too),
                                       cmocka_unit_test(the_longest_ways_are_safe),
                                       cmocka_unit_test(random_walks_are_free),
                                       cmocka_unit_test(tangles_are_free),
                                       cmocka_unit_test(a_tight_pair_stops_nobody_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
