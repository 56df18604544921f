// Simulations against distance fields: with the certified search no body ever gets in, whatever the
// scene, the rate and the number of workers; the discrete search fails where the literature says.

#include "rigid.h"
#include "simulation.h"
#include "skateboard.h"
#include "support.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a run has shown.
typedef struct outcome
{
    double least; // the field's least value on the mesh at the end of any step, and at the start
    toi_simulation_counts counts;
    toi_rigid body; // at the end
    double drift;   // how far the centre went in the second half
    uint64_t hash;
} outcome;

static toi_simulation_def define(const char *name, toi_sdf_solver solver)
{
    toi_simulation_def def = toi_default_simulation_def();
    def.name = name;
    def.solver = solver;
    def.workers = 1;
    return def;
}

static double apart(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Measures every `every` steps: a scene of thousands of triangles takes as long to measure as to
// simulate.
static outcome run(const toi_simulation_def *def, int steps, int every)
{
    toi_simulation *simulation;
    outcome o;
    assert_ok(toi_make_simulation(def, &simulation));
    assert_ok(toi_measure_simulation(simulation, NULL, &o.least));
    toi_rigid half = toi_rest();
    for (int step = 1; step <= steps; ++step) {
        double least = HUGE_VAL;
        assert_ok(toi_step_simulation(simulation));
        if (step % every == 0 || step == steps)
            assert_ok(toi_measure_simulation(simulation, NULL, &least));
        o.least = fmin(o.least, least);
        if (step == steps / 2)
            half = toi_view_simulation(simulation).body;
    }
    toi_simulation_view view = toi_view_simulation(simulation);
    o.counts = view.counts;
    o.body = view.body;
    o.drift = apart(half.position, view.body.position);
    o.hash = toi_hash_simulation(simulation);
    toi_free_simulation(simulation);
    return o;
}

static outcome run_seconds(const char *name, toi_sdf_solver solver, double seconds)
{
    toi_simulation_def def = define(name, solver);
    return run(&def, (int)(seconds * def.rate + 0.5), 1);
}

// ---------------------------------------------------------------------------------------------

// How many steps of a scene there is time for. All of them meet the field in so many.
static const struct
{
    const char *name;
    int steps;
} SHORT[] = {{"shuriken", 6},   {"skateboard", 45}, {"pyramid", 90},       {"bunny", 40},
             {"hoop", 20},      {"cloth", 14},      {"box-on-spikes", 30}, {"flat-triangle", 30},
             {"full-turn", 12}, {"nut", 3}};

static void nothing_ever_gets_in(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof SHORT / sizeof *SHORT); ++i) {
        toi_simulation_def def = define(SHORT[i].name, TOI_SDF_CERTIFIED);
        int steps = (int)(SHORT[i].steps * (long_factor() > 1 ? 4 : 1));
        outcome o = run(&def, getenv("TOI_SANITIZED") ? 2 : steps, 1);
        if (!(o.least > 0.0))
            fail_msg("%s is %g deep", def.name, -o.least);
        if (!getenv("TOI_SANITIZED"))
            assert_true(o.counts.impacts > 0); // else nothing was tried
        assert_true(o.counts.rests == 0);
    }
}

// The list above has every scene.
static void every_scene_is_tried(void **state)
{
    (void)state;
    for (int i = 0; toi_simulation_name(i); ++i) {
        bool found = toi_simulation_needs_data(i);
        for (int k = 0; k < (int)(sizeof SHORT / sizeof *SHORT); ++k)
            found = found || strcmp(SHORT[k].name, toi_simulation_name(i)) == 0;
        assert_true(found);
        assert_true(strlen(toi_simulation_about(i)) > 10);
    }
    assert_null(toi_simulation_about(-1));
}

// With the real bunny and the real bolt, where they are.
static void real_meshes_stay_out(void **state)
{
    (void)state;
    static const char *const names[] = {"bunny", "cloth"};
    static const int steps[] = {60, 12};
    char data[4096];
    const char *bunny = find_data("meshes/bunny.ply");
    if (!bunny || getenv("TOI_SANITIZED"))
        skip();
    snprintf(data, sizeof data, "%.*s", (int)(strlen(bunny) - strlen("/meshes/bunny.ply")), bunny);
    for (int i = 0; i < 2; ++i) {
        toi_simulation_def def = define(names[i], TOI_SDF_CERTIFIED);
        def.data = data;
        outcome o = run(&def, steps[i] * (int)(long_factor() > 1 ? 3 : 1), 1);
        if (!(o.least > 0.0))
            fail_msg("%s is %g deep", def.name, -o.least);
    }
}

// ---------------------------------------------------------------------------------------------

static void discrete_search_lets_bodies_in(void **state)
{
    (void)state;
    assert_true(run_seconds("shuriken", TOI_SDF_DISCRETE, 0.05).least < -1e-3);
    assert_true(run_seconds("pyramid", TOI_SDF_DISCRETE, 0.5).least < -0.02);
    assert_true(run_seconds("bunny", TOI_SDF_DISCRETE, 0.5).least < -1e-3);
    assert_true(run_seconds("box-on-spikes", TOI_SDF_DISCRETE, 0.5).least < -1e-3);
}

// It never sees that the hoop passes the equator, and the hoop falls on.
static void discrete_search_misses_the_hoop(void **state)
{
    (void)state;
    outcome missed = run_seconds("hoop", TOI_SDF_DISCRETE, 0.5);
    assert_true(missed.counts.impacts == 0);
    assert_true(missed.body.position[2] < -2.0);
    outcome caught = run_seconds("hoop", TOI_SDF_CERTIFIED, 0.5);
    assert_true(caught.counts.impacts > 0);
    assert_true(caught.body.position[2] > 0.0);
}

// After a full turn all is as before: the discrete search has nothing to see, and the body spins
// on through the box.
static void discrete_search_misses_the_full_turn(void **state)
{
    (void)state;
    outcome missed = run_seconds("full-turn", TOI_SDF_DISCRETE, 0.1);
    assert_true(missed.counts.impacts == 0);
    assert_true(fabs(missed.body.spin[2] - 376.99) < 0.01);
    outcome caught = run_seconds("full-turn", TOI_SDF_CERTIFIED, 0.1);
    assert_true(caught.counts.impacts > 0);
    assert_true(fabs(caught.body.spin[2]) < 200.0);
}

// ---------------------------------------------------------------------------------------------

// Ten seconds on many points of few triangles: with subdivision nothing moves; without, the
// discrete search sinks in, and the certified one has to stop the body again and again.
static void few_triangles_rest_on_many_points(void **state)
{
    (void)state;
    static const char *const names[] = {"box-on-spikes", "flat-triangle"};
    for (int i = 0; i < 2 && !getenv("TOI_SANITIZED"); ++i) {
        toi_simulation_def def = define(names[i], TOI_SDF_CERTIFIED);
        outcome rests = run(&def, 600, 10);
        assert_true(rests.least > 0.0);
        assert_true(rests.drift < 1e-4);
        assert_true(rests.counts.impacts < 20);
        def.subdivision = false;
        outcome jitters = run(&def, 600, 10);
        assert_true(jitters.least > 0.0);
        assert_true(jitters.counts.impacts > 20 * rests.counts.impacts);
        def.solver = TOI_SDF_DISCRETE;
        assert_true(run(&def, 60, 1).least < -5e-3);
    }
}

// A turn a second at a pitch of 2 mm, and the play.
static void follow_thread(const toi_simulation_def *def, int steps, double turns, double play)
{
    toi_simulation *start;
    assert_ok(toi_make_simulation(def, &start));
    double height = toi_view_simulation(start).body.position[2];
    toi_free_simulation(start);
    outcome o = run(def, steps, 1);
    double fall = height - o.body.position[2], pitch = 0.002;
    assert_true(o.least > 0.0);
    assert_true(o.counts.rests == 0);
    assert_true(fabs(fall - turns * pitch * steps / def->rate) < play);
}

static const int rates[] = {60, 120, 240};

static void nut_follows_its_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 3 && !getenv("TOI_SANITIZED"); ++i) {
        toi_simulation_def def = define("nut", TOI_SDF_CERTIFIED);
        def.rate = rates[i];
        follow_thread(&def, long_factor() > 1 ? rates[i] / 2 : 6, 1.0, 6e-4);
    }
}

// The meshes of a real nut and bolt, which leave 0.01 mm of play.
static void real_nut_follows_its_thread(void **state)
{
    (void)state;
    char data[4096];
    const char *nut = find_data("meshes/nut_m16.obj");
    if (!nut || getenv("TOI_SANITIZED"))
        skip();
    snprintf(data, sizeof data, "%.*s", (int)(strlen(nut) - strlen("/meshes/nut_m16.obj")), nut);
    for (int i = long_factor() > 1 ? 0 : 2; i < 3; ++i) {
        toi_simulation_def def = define("nut-m16", TOI_SDF_CERTIFIED);
        def.data = data;
        def.rate = rates[i];
        follow_thread(&def, long_factor() > 1 ? rates[i] / 4 : 2, 0.5, 5e-5);
    }
}

// ---------------------------------------------------------------------------------------------

static void workers_change_no_bit(void **state)
{
    (void)state;
    static const char *const names[] = {"shuriken", "pyramid", "bunny", "cloth", "nut"};
    static const int steps[] = {3, 40, 24, 8, 1};
    for (int i = 0; i < 5; ++i) {
        toi_simulation_def def = define(names[i], TOI_SDF_CERTIFIED);
        int count = getenv("TOI_SANITIZED") ? 1 : steps[i];
        uint64_t expected = run(&def, count, 1000).hash;
        for (def.workers = 2; def.workers <= 4; def.workers += getenv("TOI_SANITIZED") ? 2 : 1)
            assert_true(run(&def, count, 1000).hash == expected);
    }
}

static void expect_closed(toi_solid *solid)
{
    toi_mesh_field_report report;
    toi_field *field;
    assert_ok(
        toi_make_mesh_field(toi_solid_points(solid), toi_solid_faces(solid), 1, &report, &field));
    assert_int_equal(report.open_edges, 0);
    assert_int_equal(report.degenerate, 0);
    toi_free_field(field);
    rigid_body body = {.at = toi_rest()};
    assert_ok(weigh_body(solid, BODY_SOLID, 1.0, &body)); // turned outward
    toi_free_solid(solid);
}

static void bodies_are_closed(void **state)
{
    (void)state;
    toi_thread thread = {8.0, 2.0, 0.2, 24};
    toi_solid solid;
    double lift;
    assert_ok(toi_make_bolt(&thread, 5.0, 30.0, &solid));
    expect_closed(&solid);
    assert_ok(toi_make_nut(&thread, 5.0, 10.0, &solid, &lift));
    expect_closed(&solid);
    assert_ok(toi_make_skateboard(0.8, &solid));
    expect_closed(&solid);
    assert_ok(toi_make_shuriken(111, 0.05, &solid));
    expect_closed(&solid);
}

// A box: mass and inertia are known.
static void mass_of_a_box(void **state)
{
    (void)state;
    const double half[3] = {1.0, 2.0, 3.0};
    toi_solid solid;
    assert_ok(toi_make_block(half, &solid));
    for (int i = 0; i < 8; ++i)
        solid.points[i][1] += 7.0;
    rigid_body body = {.at = toi_rest()};
    assert_ok(weigh_body(&solid, BODY_SOLID, 2.0, &body));
    assert_true(fabs(body.mass - 96.0) < 1e-9);
    assert_true(fabs(body.at.centre[1] - 7.0) < 1e-12);
    assert_true(fabs(1.0 / body.inverse.x.x - 96.0 * (4.0 + 9.0) / 3.0) < 1e-9);
    assert_true(fabs(1.0 / body.inverse.y.y - 96.0 * (1.0 + 9.0) / 3.0) < 1e-9);
    assert_true(fabs(1.0 / body.inverse.z.z - 96.0 * (1.0 + 4.0) / 3.0) < 1e-9);
    assert_true(fabs(body.inverse.x.y) < 1e-12);
    for (int64_t f = 0; f < solid.face_count; ++f) { // inside out
        int32_t first = solid.faces[f][0];
        solid.faces[f][0] = solid.faces[f][1];
        solid.faces[f][1] = first;
    }
    assert_fails(weigh_body(&solid, BODY_SOLID, 2.0, &body), TOI_ERROR_DATA, "inside out");
    toi_free_solid(&solid);
}

static void bad_simulations_are_refused(void **state)
{
    (void)state;
    toi_simulation *simulation;
    toi_simulation_def def = define("bunnies", TOI_SDF_CERTIFIED);
    assert_fails(toi_make_simulation(&def, &simulation), TOI_ERROR_ARGUMENT, "'bunnies'");
    assert_null(simulation);
    def = define("nut-m16", TOI_SDF_CERTIFIED);
    assert_fails(toi_make_simulation(&def, &simulation), TOI_ERROR_FILE, "real data");
    def = define("pyramid", TOI_SDF_CERTIFIED);
    def.rate = 0;
    assert_fails(toi_make_simulation(&def, &simulation), TOI_ERROR_ARGUMENT, "rate");
    toi_free_simulation(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_ever_gets_in),
        cmocka_unit_test(every_scene_is_tried),
        cmocka_unit_test(real_meshes_stay_out),
        cmocka_unit_test(discrete_search_lets_bodies_in),
        cmocka_unit_test(discrete_search_misses_the_hoop),
        cmocka_unit_test(discrete_search_misses_the_full_turn),
        cmocka_unit_test(few_triangles_rest_on_many_points),
        cmocka_unit_test(nut_follows_its_thread),
        cmocka_unit_test(real_nut_follows_its_thread),
        cmocka_unit_test(workers_change_no_bit),
        cmocka_unit_test(bodies_are_closed),
        cmocka_unit_test(mass_of_a_box),
        cmocka_unit_test(bad_simulations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
