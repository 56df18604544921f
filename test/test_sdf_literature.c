// The searches of the literature against fields: golden sections, hand cases of every solver, how
// often they are wrong, and that their hierarchy of spheres loses nothing.

#include "support.h"

#include "sdf/literature/golden_section.h"
#include "sdf/local.h"
#include "toi/random.h"
#include "toi/sdf.h"

#include <math.h>
#include <string.h>

static toi_random random_numbers = {14};

static double uniform(double low, double high)
{
    return toi_random_range(&random_numbers, low, high);
}

static void direction(double length, double v[3])
{
    double l;
    do {
        for (int k = 0; k < 3; ++k)
            v[k] = uniform(-1, 1);
        l = toi_norm(v);
    } while (l < 0.1 || l > 1);
    for (int k = 0; k < 3; ++k)
        v[k] *= length / l;
}

static toi_field *shape(toi_shape kind, double a, double b, double c)
{
    toi_field *field;
    assert_ok(toi_make_shape(kind, (double[]){a, b, c}, toi_shape_numbers(kind), &field));
    return field;
}

static toi_sdf_result ask(toi_sdf_solver solver, double corners[3][3], const toi_motion *motion,
                          const toi_field *field)
{
    toi_sdf_def def = toi_default_sdf_def();
    toi_sdf_result result;
    def.solver = solver;
    assert_ok(toi_find_triangle_impact(&def, (const double(*)[3])corners, motion, field, &result));
    return result;
}

// A function with a valley, and how often it was asked.
typedef struct valley
{
    double at;
    double power;
    int calls;
} valley;

static double height(void *context, double alpha)
{
    valley *v = context;
    ++v->calls;
    return pow(fabs(alpha - v->at), v->power);
}

// The interval shrinks by the golden ratio at each step: the number of calls follows, and so does
// how near the answer is.
static void golden_sections_find_valleys(void **state)
{
    (void)state;
    for (double at = -0.25; at < 1.3; at += 0.01)
        for (int power = 1; power <= 2; ++power) {
            valley v = {at, power, 0};
            toi_section best = toi_golden_section(height, &v, 1e-6);
            double nearest = fmin(1, fmax(0, at));
            assert_true(fabs(best.alpha - nearest) <= 1e-6);
            assert_true(best.value == pow(fabs(best.alpha - at), power));
            assert_int_equal(v.calls, 4 + 29); // 0.618^28 > 1e-6 > 0.618^29
        }
}

// A flat function has its least value anywhere; the search ends.
static void golden_sections_of_flat_functions_end(void **state)
{
    (void)state;
    valley v = {0.5, 0, 0};
    toi_section best = toi_golden_section(height, &v, 1e-9);
    assert_true(best.alpha >= 0 && best.alpha <= 1 && best.value == 1);
}

static const double FALLING[3][3] = {{0.1, 0, 0.5}, {-0.1, 0.1, 0.8}, {-0.1, -0.1, 0.9}};

static toi_sdf_result fall(toi_sdf_solver solver, const toi_field *field, double speed)
{
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion motion = toi_default_motion();
    toi_sdf_result result;
    def.solver = solver;
    motion.mesh.velocity[2] = -speed;
    assert_ok(toi_find_triangle_impact(&def, FALLING, &motion, field, &result));
    return result;
}

// A corner falls from 0.5 to the plane z = 0 at speed 2: the others are higher.
static void a_corner_falls_on_a_plane(void **state)
{
    (void)state;
    toi_field *plane;
    assert_ok(toi_make_shape(TOI_SHAPE_PLANE, (double[]){0, 0, 1, 0}, 4, &plane));
    toi_sdf_result r = fall(TOI_SDF_FWGSS, plane, 2);
    assert_int_equal(r.state, TOI_SDF_HIT);
    assert_true(fabs(r.t_high - 0.25) < 1e-5 && r.t_low == r.t_high);
    assert_true(fabs(r.u) < 1e-5 && fabs(r.v) < 1e-5 && fabs(r.point[0] - 0.1) < 1e-5);
    assert_true(r.normal[2] == 1 && r.triangle == 0 && r.distance <= r.touch && r.touch < 1e-5);
    r = fall(TOI_SDF_FW, plane, 2);
    assert_int_equal(r.state, TOI_SDF_HIT);
    assert_true(r.t_high >= 0.25 - 1e-5 && r.t_high < 0.3);
    for (int solver = TOI_SDF_DISCRETE; solver <= TOI_SDF_DISCRETE_PROJECTED; ++solver) {
        r = fall(solver, plane, 2);
        assert_true(r.state == TOI_SDF_HIT && r.t_high == 1);
        assert_true(fabs(r.distance + 1.5) < 1e-9); // the deepest point: the same corner
        assert_int_equal(fall(solver, plane, 0.4).state, TOI_SDF_FREE);
    }
    toi_free_field(plane);
}

// What passes through a thin plate within the step is seen by continuous searches alone.
static void discrete_searches_tunnel(void **state)
{
    (void)state;
    toi_field *plate = shape(TOI_SHAPE_BOX, 1, 1, 0.01);
    assert_int_equal(fall(TOI_SDF_FWGSS, plate, 5).state, TOI_SDF_HIT);
    assert_true(fabs(fall(TOI_SDF_FWGSS, plate, 5).t_high - 0.098) < 1e-5);
    assert_int_equal(fall(TOI_SDF_DISCRETE, plate, 5).state, TOI_SDF_FREE);
    assert_int_equal(fall(TOI_SDF_DISCRETE_PROJECTED, plate, 5).state, TOI_SDF_FREE);
    toi_free_field(plate);
}

// The lowest point is inside the triangle: both discrete searches must leave the corners.
static void discrete_searches_leave_the_corners(void **state)
{
    (void)state;
    const double flat[3][3] = {{-1, -1, 0.9}, {1, -1, 0.9}, {0, 1.5, 0.9}};
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 1, 0, 0);
    toi_motion motion = toi_default_motion();
    for (int solver = TOI_SDF_DISCRETE; solver <= TOI_SDF_DISCRETE_PROJECTED; ++solver) {
        toi_sdf_def def = toi_default_sdf_def();
        toi_sdf_result r;
        def.solver = solver;
        assert_ok(toi_find_triangle_impact(&def, flat, &motion, ball, &r));
        assert_true(r.state == TOI_SDF_HIT && fabs(r.distance + 0.1) < 2e-3);
    }
    toi_free_field(ball);
}

// Contact is phi <= margin + touch for every solver.
static void margins_are_honoured(void **state)
{
    (void)state;
    toi_field *ball = shape(TOI_SHAPE_SPHERE, 0.2, 0, 0);
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion motion = toi_default_motion();
    toi_sdf_result r;
    motion.mesh.velocity[2] = -0.6;
    motion.mesh.position[0] = -0.1; // the lowest corner comes down on the pole
    def.solver = TOI_SDF_FWGSS;
    def.margin = 0.05;
    def.touch = 0.01;
    assert_ok(toi_find_triangle_impact(&def, FALLING, &motion, ball, &r));
    assert_int_equal(r.state, TOI_SDF_HIT);
    assert_true(fabs(r.t_high - (0.5 - 0.26) / 0.6) < 1e-5 && r.touch >= 0.01);
    toi_free_field(ball);
}

typedef struct flight
{
    double corners[3][3];
    toi_motion motion;
} flight;

// A triangle towards a ring of radius 0.11, as in the study of the paper's section 1.6.2.
static flight random_flight(void)
{
    flight f = {.motion = toi_default_motion()};
    double from[3], angle = uniform(0, 6.28), speed = uniform(20, 60);
    direction(0.32, from);
    double way[3] = {0.11 * cos(angle) - from[0], 0.11 * sin(angle) - from[1], -from[2]};
    double length = toi_norm(way);
    f.motion.duration = 1.0 / 60;
    direction(uniform(0, 377), f.motion.mesh.spin);
    for (int k = 0; k < 3; ++k) {
        f.motion.mesh.position[k] = from[k];
        f.motion.mesh.velocity[k] = speed * way[k] / length;
        direction(0.0577, f.corners[k]);
    }
    return f;
}

// Is what a local search found as near as it says, and not before the first time at which anything
// is?
static void check_local(const toi_sdf_result *local, const toi_sdf_result *nearer)
{
    assert_true(nearer->state == TOI_SDF_HIT && local->t_high >= nearer->t_low);
}

// A local search misses about one in a hundred (the paper: 0.94 %) and is late by more than 1e-4
// for some fifteen; never does it invent a contact, or find one before the first.
static void fwgss_misses_few(void **state)
{
    (void)state;
    toi_field *ring = shape(TOI_SHAPE_TORUS, 0.11, 0.04, 0);
    int64_t count = cases(400), hits = 0, missed = 0, late = 0;
    for (int64_t i = 0; i < count; ++i) {
        flight f = random_flight();
        toi_sdf_result truth = ask(TOI_SDF_CERTIFIED, f.corners, &f.motion, ring);
        toi_sdf_result local = ask(TOI_SDF_FWGSS, f.corners, &f.motion, ring);
        hits += truth.state == TOI_SDF_HIT;
        missed += truth.state == TOI_SDF_HIT && local.state != TOI_SDF_HIT;
        late += local.state == TOI_SDF_HIT && local.t_high > truth.t_high + 1e-4;
        if (local.state == TOI_SDF_HIT) {
            toi_sdf_def def = toi_default_sdf_def();
            toi_sdf_result nearer;
            def.margin = local.touch;
            assert_ok(toi_find_triangle_impact(&def, (const double(*)[3])f.corners, &f.motion, ring,
                                               &nearer));
            check_local(&local, &nearer);
        }
    }
    assert_true(hits > count / 2);
    assert_true(100 * missed <= 3 * hits + 100 && 4 * late <= hits);
    toi_free_field(ring);
}

// Is the sphere in touch at a time?
static bool touches(const toi_local *local, const toi_moving_box *box, double time)
{
    toi_frame frame;
    toi_field_sample sample;
    double point[3];
    toi_track_frame(local->track, time, &frame);
    toi_track_place(&frame, &box->centre, point);
    toi_sample_field(local->field, point, &sample);
    return sample.value - box->radius - time * box->radius_rate < local->contact - 1e-9;
}

// Samples of the true way never touch before the time that the chords give, however far it turns.
static void spheres_are_never_late(void **state)
{
    (void)state;
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    toi_field *fields[3] = {shape(TOI_SHAPE_BOX, 0.3, 0.3, 0.3),
                            shape(TOI_SHAPE_TORUS, 0.5, 0.05, 0),
                            shape(TOI_SHAPE_SPHERE, 0.1, 0, 0)};
    int64_t count = cases(3000), found = 0, beyond = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_motion motion = toi_default_motion();
        toi_track track;
        toi_moving_box box = {.radius = uniform(0.001, 0.3)};
        double turns = uniform(0, 5);
        direction(turns * 6.283, motion.mesh.spin);
        direction(i % 3 == 0 ? turns * 3 : 0, motion.field.spin);
        direction(1, motion.mesh.position);
        direction(uniform(0, 1.5), motion.mesh.velocity);
        direction(uniform(0.1, 1), box.centre.p);
        assert_ok(toi_make_track(&motion, low, high, 0, &track));
        toi_local local = {.field = fields[i % 3], .track = &track};
        double free = toi_trace_sphere(&local, &box, 0, 1);
        found += free > 0 && free <= 1;
        beyond += free > 1;
        for (int k = 0; k < 400 && free > 0; ++k)
            assert_false(touches(&local, &box, fmin(1, free) * k / 400));
    }
    assert_true(found > count / 5 && beyond > count / 20);
    for (int i = 0; i < 3; ++i)
        toi_free_field(fields[i]);
}

// A strip of triangles around a cylinder: the mesh of the tests below.
enum
{
    STRIP = 240
};

static toi_surface *make_strip(double points[2 * STRIP][3], int32_t faces[2 * STRIP][3])
{
    for (int i = 0; i < STRIP; ++i) {
        double angle = 6.283185307179586 * i / STRIP;
        for (int k = 0; k < 2; ++k) {
            double *p = points[2 * i + k];
            p[0] = 0.3 * cos(angle) * (1 + 0.2 * sin(5 * angle));
            p[1] = 0.3 * sin(angle);
            p[2] = k ? 0.05 : -0.05 - 0.03 * cos(7 * angle);
        }
        int32_t a = 2 * i, b = 2 * ((i + 1) % STRIP);
        int32_t two[2][3] = {{a, b, a + 1}, {a + 1, b, b + 1}};
        memcpy(faces[2 * i], two, sizeof two);
    }
    toi_surface *surface;
    assert_ok(toi_make_surface(toi_view_points(points[0], 2 * STRIP),
                               (toi_index_view){faces[0], 2 * STRIP, 0}, 1, &surface));
    return surface;
}

static void corners_of(double points[][3], const int32_t face[3], double corners[3][3])
{
    for (int i = 0; i < 3; ++i)
        memcpy(corners[i], points[face[i]], sizeof corners[i]);
}

// A discrete search of a triangle does not depend on the others: with the hierarchy the deepest of
// all is found, bit by bit, wherever the mesh is after some turns.
static void the_hierarchy_loses_nothing(void **state)
{
    (void)state;
    static double points[2 * STRIP][3];
    static int32_t faces[2 * STRIP][3];
    toi_surface *surface = make_strip(points, faces);
    toi_field *spikes = shape(TOI_SHAPE_SPIKES, 0.2, 0.1, 0.08);
    int64_t count = cases(100), hits = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_sdf_def def = toi_default_sdf_def();
        toi_motion motion = toi_default_motion();
        toi_sdf_result whole;
        double deepest = INFINITY, corners[3][3];
        def.solver = i % 2 ? TOI_SDF_DISCRETE : TOI_SDF_DISCRETE_PROJECTED;
        direction(uniform(0, 25), motion.mesh.spin);
        motion.mesh.position[2] = uniform(0.2, 0.6);
        assert_ok(toi_find_field_impact(&def, surface, &motion, spikes, &whole));
        for (int k = 0; k < 2 * STRIP; ++k) {
            corners_of(points, faces[k], corners);
            toi_sdf_result one = ask(def.solver, corners, &motion, spikes);
            if (one.state == TOI_SDF_HIT)
                deepest = fmin(deepest, one.distance);
        }
        hits += whole.state == TOI_SDF_HIT;
        assert_true(whole.state == TOI_SDF_HIT ? whole.distance == deepest : deepest == INFINITY);
    }
    assert_true(count < 50 || (hits > count / 5 && hits < count)); // few say nothing of shares
    toi_free_field(spikes);
    toi_free_surface(surface);
}

// A mesh in flight, up to four turns a step: what is found is contact, and not before the truth.
// The earliest triangles are searched first, so that few hits are missed.
static void meshes_in_flight(void **state)
{
    (void)state;
    static double points[2 * STRIP][3];
    static int32_t faces[2 * STRIP][3];
    toi_surface *surface = make_strip(points, faces);
    toi_field *spikes = shape(TOI_SHAPE_SPIKES, 0.2, 0.1, 0.08);
    int64_t count = cases(100), hits = 0, missed[TOI_SDF_FW + 1] = {0};
    for (int64_t i = 0; i < count; ++i) {
        toi_sdf_def def = toi_default_sdf_def();
        toi_motion motion = toi_default_motion();
        toi_sdf_result truth, local;
        direction(uniform(0, 25), motion.mesh.spin);
        motion.mesh.position[2] = 0.9;
        motion.mesh.velocity[2] = uniform(-1, -0.3);
        assert_ok(toi_find_field_impact(&def, surface, &motion, spikes, &truth));
        hits += truth.state == TOI_SDF_HIT;
        for (int solver = TOI_SDF_FWGSS; solver <= TOI_SDF_FW; ++solver) {
            def.solver = solver;
            assert_ok(toi_find_field_impact(&def, surface, &motion, spikes, &local));
            missed[solver] += truth.state == TOI_SDF_HIT && local.state != TOI_SDF_HIT;
            if (local.state == TOI_SDF_HIT) {
                toi_sdf_result nearer;
                assert_true(local.distance <= local.touch);
                def.solver = TOI_SDF_CERTIFIED;
                def.margin = local.touch;
                assert_ok(toi_find_field_impact(&def, surface, &motion, spikes, &nearer));
                check_local(&local, &nearer);
                def.margin = 0;
            }
        }
    }
    assert_true(hits > count / 3);
    assert_true(10 * missed[TOI_SDF_FWGSS] <= hits && 5 * missed[TOI_SDF_FW] <= hits);
    toi_free_field(spikes);
    toi_free_surface(surface);
}

// The deepest triangle is the answer of a discrete search, whatever the order of the triangles, and
// the probe counts what was searched.
static void discrete_searches_take_the_deepest(void **state)
{
    (void)state;
    static double points[2 * STRIP][3];
    static int32_t faces[2 * STRIP][3];
    toi_surface *surface = make_strip(points, faces);
    toi_field *plane;
    assert_ok(toi_make_shape(TOI_SHAPE_PLANE, (double[]){0, 0, 1, -0.05}, 4, &plane));
    toi_sdf_def def = toi_default_sdf_def();
    toi_motion motion = toi_default_motion();
    toi_sdf_probe probe = {0};
    toi_sdf_result r;
    double deepest = INFINITY;
    for (int i = 0; i < 2 * STRIP; ++i)
        deepest = fmin(deepest, points[i][2] + 0.05);
    def.probe = &probe;
    for (int solver = TOI_SDF_DISCRETE; solver <= TOI_SDF_DISCRETE_PROJECTED; ++solver) {
        def.solver = solver;
        assert_ok(toi_find_field_impact(&def, surface, &motion, plane, &r));
        assert_true(r.state == TOI_SDF_HIT && fabs(r.distance - deepest) < 1e-12);
    }
    assert_true(probe.triangles >= 2 * 2 * 7 && probe.triangles <= 4 * STRIP);
    assert_true(probe.least > 0 && probe.least <= probe.most && probe.most <= probe.sum);
    toi_free_field(plane);
    toi_free_surface(surface);
}

static double nowhere(void *context, const double point[3], double gradient[3])
{
    (void)context;
    memset(gradient, 0, 3 * sizeof *gradient);
    return point[2] < 0.3 ? NAN : point[2];
}

// A field that is not a number stops every search.
static void bad_fields_are_noticed(void **state)
{
    (void)state;
    toi_field *field;
    toi_field_def own = {.value = nowhere, .lipschitz = 1};
    assert_ok(toi_make_field(&own, &field));
    for (int solver = TOI_SDF_FWGSS; solver < TOI_SDF_SOLVER_COUNT; ++solver) {
        toi_sdf_def def = toi_default_sdf_def();
        toi_motion motion = toi_default_motion();
        toi_sdf_result r;
        def.solver = solver;
        motion.mesh.velocity[2] = -1;
        assert_fails(toi_find_triangle_impact(&def, FALLING, &motion, field, &r), TOI_ERROR_DATA,
                     "field's value");
    }
    toi_free_field(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_sections_find_valleys),
        cmocka_unit_test(golden_sections_of_flat_functions_end),
        cmocka_unit_test(a_corner_falls_on_a_plane),
        cmocka_unit_test(discrete_searches_tunnel),
        cmocka_unit_test(discrete_searches_leave_the_corners),
        cmocka_unit_test(margins_are_honoured),
        cmocka_unit_test(fwgss_misses_few),
        cmocka_unit_test(spheres_are_never_late),
        cmocka_unit_test(the_hierarchy_loses_nothing),
        cmocka_unit_test(meshes_in_flight),
        cmocka_unit_test(discrete_searches_take_the_deepest),
        cmocka_unit_test(bad_fields_are_noticed),
    };
    return cmocka_run_group_tests_name("sdf_literature", tests, NULL, NULL);
}
