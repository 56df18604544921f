// Motions in a field's frame, recomputed with long doubles: positions, velocities and bounds of
// every kind of motion, at many scales, with offsets and many turns.

#include "sdf/motion.h"

#include "motion_twin.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double number;

static toi_random source = {88172645463325252};

static void make_track(twin_motion *s, toi_track *track)
{
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = fmin(fmin(s->start[0][k], s->start[1][k]), s->start[2][k]);
        high[k] = fmax(fmax(s->start[0][k], s->start[1][k]), s->start[2][k]);
    }
    assert_ok(toi_make_track(&s->motion, low, high, s->pace, track));
}

// The largest share of a bound that an error took.
typedef struct shares
{
    number position, velocity, bend;
} shares;

static double norm3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static number difference(const double a[3], const number b[3])
{
    number e[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return twin_length(e);
}

static void note(number error, number bound, number *share)
{
    if (error > 0 && error > *share * bound)
        *share = error / bound;
}

static void check_corner(const twin_motion *s, const toi_track *track, int i, double time,
                         shares *most)
{
    toi_frame frame;
    toi_corner corner;
    double x[3], v[3], bend;
    twin_path world, true_path;
    toi_track_frame(track, time, &frame);
    toi_track_corner(track, s->start[i], s->end[i], &corner);
    toi_track_point(track, &frame, &corner, x, v, &bend);
    twin_corner_path(s, i, time, &world);
    twin_in_field(&s->motion.field, time, &world, &true_path);
    note(difference(x, true_path.x), track->position_error, &most->position);
    note(difference(v, true_path.v), track->velocity_error, &most->velocity);
    note(twin_length(true_path.a), bend, &most->bend);
    assert_true(twin_length(true_path.v) <= track->speed * 1.000001L);
    if (track->has_axis && twin_length(true_path.a) > 0) {
        number along = 0;
        for (int k = 0; k < 3; ++k)
            along += true_path.a[k] * track->axis[k];
        assert_true(fabsl(along) <= 0x1p-44L * twin_length(true_path.a) + 0x1p-44L * bend);
    }
    // There and back again.
    double there[3], direction[3], axis[3] = {0, 0, 1};
    toi_track_to_world(track, time, x, axis, there, direction);
    assert_true(difference(there, world.x) <=
                4 * track->position_error + 0x1p-50L * (twin_length(world.x) + norm3(x)));
    assert_true(fabs(norm3(direction) - 1) < 1e-12);
}

static shares check_kind(int mesh, int field, double size, double offset, double turns, int64_t n)
{
    shares most = {0};
    for (int64_t c = 0; c < n; ++c) {
        twin_motion s;
        toi_track track;
        random_motion(&source, mesh, field, size, offset, turns, &s);
        make_track(&s, &track);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 4; ++k)
                check_corner(&s, &track, i,
                             k == 3 ? s.motion.duration : random_in(&source, 0, s.motion.duration),
                             &most);
    }
    return most;
}

// Every kind of motion keeps its bounds, and none is a hundred times what it must be.
static void every_motion_keeps_its_bounds(void **state)
{
    (void)state;
    static const double sizes[] = {1e-6, 1, 1e6}, offsets[] = {0, 1e6}, turns[] = {0, 0.3, 500};
    for (int mesh = 0; mesh < TWIN_MESH_MOTIONS; ++mesh)
        for (int field = 0; field < TWIN_FIELD_MOTIONS; ++field) {
            shares all = {0};
            // A pose function may round by a few units: less than many turns cost it.
            for (int i = 0; i < (mesh == TWIN_POSE ? 12 : 18); ++i) {
                shares m = check_kind(mesh, field, sizes[i % 3], offsets[i / 3 % 2], turns[i / 6],
                                      cases(200));
                all.position = fmaxl(all.position, m.position);
                all.velocity = fmaxl(all.velocity, m.velocity);
                all.bend = fmaxl(all.bend, m.bend);
            }
            if (!(all.position <= 1 && all.velocity <= 1 && all.bend <= 1))
                fail_msg("mesh %d, field %d: shares of the bounds %Lg %Lg %Lg", mesh, field,
                         all.position, all.velocity, all.bend);
            assert_true(all.position > 0.01L);
        }
}

// Bounds on bending are reached: half of one would be too little.
static void bends_are_reached(void **state)
{
    (void)state;
    twin_motion s;
    toi_track track;
    shares most = {0};
    random_motion(&source, TWIN_RIGID, TWIN_AT_REST, 1, 0, 1, &s);
    s.motion.duration = 1;
    make_track(&s, &track);
    check_corner(&s, &track, 0, 0.3, &most);
    assert_true(most.bend > 0.999L && most.bend <= 1);
}

// A point p goes to matrix p + position, as the header says.
static void poses_are_the_definition(void **state)
{
    (void)state;
    for (int64_t c = 0; c < cases(1000); ++c) {
        toi_rigid r = random_rigid(&source, 1, 0, 2, true);
        double p[3], time = random_in(&source, 0, 3), m[9], o[3], x[3];
        twin_path true_path;
        random_vector(&source, 1, p);
        toi_rigid_pose(&r, time, m, o);
        for (int i = 0; i < 3; ++i)
            x[i] = o[i] + m[3 * i] * p[0] + m[3 * i + 1] * p[1] + m[3 * i + 2] * p[2];
        twin_rigid_path(&r, p, time, &true_path);
        assert_true(difference(x, true_path.x) < 1e-13L);
    }
}

static void bad_motions_are_refused(void **state)
{
    (void)state;
    toi_track track;
    double low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, six[6] = {0};
    toi_motion m = toi_default_motion();
    assert_ok(toi_make_track(&m, low, high, 0, &track));
    m.duration = -1;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "duration");
    m.duration = NAN;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "duration");
    m = toi_default_motion();
    m.mesh.spin[1] = INFINITY;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "mesh");
    m = toi_default_motion();
    m.field.rotation[0] = 0;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "quaternion");
    m = toi_default_motion();
    m.start = toi_view_points(six, 1);
    m.end = toi_view_points(six, 2);
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "points");
    m = toi_default_motion();
    m.pose = twin_pose;
    m.speed[1] = -1;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_ARGUMENT, "pose");
    m = toi_default_motion();
    high[0] = INFINITY;
    assert_fails(toi_make_track(&m, low, high, 0, &track), TOI_ERROR_DATA, "coordinate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_motion_keeps_its_bounds),
        cmocka_unit_test(bends_are_reached),
        cmocka_unit_test(poses_are_the_definition),
        cmocka_unit_test(bad_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
