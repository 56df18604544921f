// A solver that asks for a separation in every step: it is held, nothing stalls, and the number of
// workers changes no bit.

#include "exact/apart_twin.h"
#include "ipc_contacts.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SEPARATION = 1e-3;

typedef struct run
{
    int cells, steps, workers;
    double stiffness, progress; // of the barrier; at least so much of the way in every step
    uint64_t *hashes;           // of the positions after each step
    double lowest;              // of the cloth in the end
    double seconds_ccd, seconds_close, seconds_rest;
    int64_t iterations, refused, contacts, kinds[TOI_KIND_COUNT]; // contacts, all and of each kind
    double least_gap, least_step, least_covered;
} run;

// No pair is at the separation or closer: a motion without motion, decided exactly.
static void expect_apart(ipc_solver *solver, const ipc_scene *scene)
{
    toi_ccd_def def = ipc_motion_check(solver);
    toi_point_view here = toi_view_points(scene->position[0], scene->vertex_count);
    toi_ccd_report report;
    assert_ok(toi_scene_find_earliest(ipc_collision_scene(solver), &def, here, here, &report));
    assert_int_equal(report.state, TOI_SEPARATED);
    assert_int_equal(report.inside, 0);
}

// The same of the pairs in reach, without the narrow phase: by their distances, whose error is far
// below 1e-12 here, or by the slow twin. Returns the least gap.
static double expect_gaps(run *r, ipc_solver *solver, const ipc_scene *scene)
{
    const ipc_contacts *contacts = ipc_current_contacts(solver);
    toi_point_view here = toi_view_points(scene->position[0], scene->vertex_count);
    toi_mesh mesh = toi_scene_mesh(ipc_collision_scene(solver), here, here);
    double least = INFINITY;
    for (int64_t i = 0; i < contacts->count; ++i) {
        const ipc_contact *contact = &contacts->data[i];
        toi_kind kind = (toi_kind)contact->pair.kind;
        least = fmin(least, contact->gap);
        ++r->kinds[kind];
        if (contact->gap > 1e-12)
            continue;
        toi_query query =
            toi_gather_query(&mesh, kind, (toi_pair){contact->pair.a, contact->pair.b});
        assert_false(twin_apart(kind, &query, SEPARATION, 1).starts_inside);
    }
    return least;
}

static void expect_progress(const run *r, const ipc_step_report *report)
{
    assert_true(report->iterations > 0 && report->least_step > 0);
    assert_true(report->covered > r->progress);
}

static void account(run *r, const ipc_step_report *report, const ipc_solver *solver)
{
    r->seconds_ccd += report->seconds_ccd;
    r->seconds_close += report->seconds_close;
    r->seconds_rest += report->seconds_total - report->seconds_ccd - report->seconds_close;
    r->iterations += report->iterations;
    r->contacts += ipc_current_contacts(solver)->count;
    r->refused += report->refused;
    r->least_step = fmin(r->least_step, report->least_step);
    r->least_covered = fmin(r->least_covered, report->covered);
}

static double lowest_of_cloth(const ipc_scene *scene)
{
    double lowest = INFINITY;
    for (int64_t i = 0; i < scene->cloth_end; ++i)
        lowest = fmin(lowest, scene->position[i][2]);
    return lowest;
}

static void drape(run *r)
{
    ipc_scene scene = make_drape(r->cells, r->cells * 2, r->cells / 3);
    ipc_options options = {TOI_NARROW_EXACT, SEPARATION, r->stiffness, r->workers};
    ipc_solver *solver;
    r->least_gap = r->least_step = r->least_covered = INFINITY;
    assert_ok(ipc_make_solver(&scene, &options, &solver));
    for (int step = 0; step < r->steps; ++step) {
        ipc_step_report report;
        assert_ok(ipc_step(solver, &report));
        expect_apart(solver, &scene);
        r->least_gap = fmin(r->least_gap, expect_gaps(r, solver, &scene));
        expect_progress(r, &report);
        account(r, &report, solver);
        r->hashes[step] =
            toi_hash(scene.position, (size_t)scene.vertex_count * sizeof *scene.position);
    }
    r->lowest = lowest_of_cloth(&scene);
    ipc_free_solver(solver);
    free_drape(&scene);
}

static void print_run(const run *r)
{
    double a_step = 1e3 / r->steps;
    print_message(
        "%d triangles, %d steps, workers %d: a step %.1f ms of CCD, %.1f ms of close pairs, "
        "%.1f ms of the rest\n",
        4 * r->cells * r->cells, r->steps, r->workers, a_step * r->seconds_ccd,
        a_step * r->seconds_close, a_step * r->seconds_rest);
    print_message("    %.1f iterations, %.0f contacts (in all vf %lld, ee %lld, pe %lld, pp %lld); "
                  "gap at least %.2g, line search %.2g, way of a step %.2g; lowest %.3f; %lld "
                  "rounded motions "
                  "refused\n",
                  (double)r->iterations / r->steps, (double)r->contacts / r->steps,
                  (long long)r->kinds[TOI_VERTEX_FACE], (long long)r->kinds[TOI_EDGE_EDGE],
                  (long long)r->kinds[TOI_POINT_EDGE], (long long)r->kinds[TOI_POINT_POINT],
                  r->least_gap, r->least_step, r->least_covered, r->lowest, (long long)r->refused);
}

// The same run with each of these numbers of workers: the same positions after every step.
static run compare_runs(run what, const int *workers, int count)
{
    run first = {0};
    for (int i = 0; i < count; ++i) {
        run r = what;
        r.workers = workers[i];
        r.hashes = malloc((size_t)r.steps * sizeof *r.hashes);
        drape(&r);
        print_run(&r);
        if (i == 0)
            first = r;
        assert_memory_equal(r.hashes, first.hashes, (size_t)r.steps * sizeof *r.hashes);
        if (i > 0)
            free(r.hashes);
    }
    free(first.hashes);
    return first;
}

static void a_cloth_drapes_over_a_sphere(void **state)
{
    (void)state;
    bool whole = long_factor() > 1, small = getenv("TOI_SANITIZED");
    const int few[] = {1, 3}, all[] = {1, 2, 3, 4};
    run what = {.cells = whole   ? 50
                         : small ? 8
                                 : 20,
                .steps = whole   ? 200
                         : small ? 30
                                 : 50,
                .stiffness = 5,
                .progress = 0.5};
    run r = compare_runs(what, whole ? all : few, whole ? 4 : 2);
    for (int kind = 0; kind < TOI_KIND_COUNT && !small; ++kind)
        assert_true(r.kinds[kind] > 0);
    assert_true(r.lowest < 0);                   // below the sphere's middle
    assert_true(r.least_gap < 0.5 * SEPARATION); // and pressed to it
}

// A barrier that is far too weak leaves it to the line search to hold the separation, up to the
// last bits of the positions.
static void a_weak_barrier_holds_too(void **state)
{
    (void)state;
    const int workers[] = {1, 4};
    run what = {.cells = 8,
                .steps = getenv("TOI_SANITIZED") ? 20 : 60,
                .stiffness = 1e-4,
                .progress = 0.01};
    run r = compare_runs(what, workers, 2);
    assert_true(r.least_gap < 1e-6 * SEPARATION);
    assert_true(r.lowest < (what.steps < 60 ? 0.25 : 0)); // the cloth falls on all the same
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cloth_drapes_over_a_sphere),
                                       cmocka_unit_test(a_weak_barrier_holds_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
