// Motions in a field's frame, recomputed with long doubles: positions, velocities and bounds of
// every kind of motion, at many scales, with offsets and many turns.

#include "sdf/motion.h"

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double number;

// ---- Random numbers

static uint64_t seed = 88172645463325252;

static double uniform(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void random_vector(double size, double v[3])
{
    for (int k = 0; k < 3; ++k)
        v[k] = uniform(-size, size);
}

// ---- The motion itself, from its definition

static void cross(const number a[3], const number b[3], number c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static number length(const number a[3])
{
    return sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static void rotate_once(const double quaternion[4], const number p[3], number out[3])
{
    number q[4], n = 0, a[3], b[3];
    for (int k = 0; k < 4; ++k)
        n += (number)quaternion[k] * quaternion[k];
    for (int k = 0; k < 4; ++k)
        q[k] = quaternion[k] / sqrtl(n);
    cross(q + 1, p, a);
    for (int k = 0; k < 3; ++k)
        a[k] += q[0] * p[k];
    cross(q + 1, a, b);
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] + 2 * b[k];
}

// R(spin t) p, or its inverse with sign = -1.
static void spin_by(const double spin[3], number t, int sign, const number p[3], number out[3])
{
    number w[3] = {spin[0], spin[1], spin[2]}, rate = length(w), a[3], b[3];
    memcpy(out, p, 3 * sizeof *out);
    if (rate == 0)
        return;
    for (int k = 0; k < 3; ++k)
        w[k] /= rate;
    cross(w, p, a);
    cross(w, a, b);
    for (int k = 0; k < 3; ++k)
        out[k] = p[k] + sign * sinl(rate * t) * a[k] + (1 - cosl(rate * t)) * b[k];
}

// A point of the world with two derivatives.
typedef struct path
{
    number x[3], v[3], a[3];
} path;

static void rigid_path(const toi_rigid *r, const double p[3], number t, path *out)
{
    number e[3], first[3], y[3], w[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = (number)p[k] - r->centre[k];
        w[k] = r->spin[k];
    }
    rotate_once(r->rotation, e, first);
    spin_by(r->spin, t, 1, first, y);
    cross(w, y, out->v);
    cross(w, out->v, out->a);
    for (int k = 0; k < 3; ++k) {
        out->x[k] = r->position[k] + t * r->velocity[k] + y[k];
        out->v[k] += r->velocity[k];
    }
}

static void line_path(const double a[3], const double b[3], number duration, number t, path *out)
{
    for (int k = 0; k < 3; ++k) {
        out->v[k] = duration > 0 ? ((number)b[k] - a[k]) / duration : 0;
        out->x[k] = a[k] + t * out->v[k];
        out->a[k] = 0;
    }
}

// Into the frame of a field: x = centre + R^T (u - o), and derivatives.
static void in_field(const toi_rigid *f, number t, const path *world, path *out)
{
    number u[3], v[3], a[3], w[3], wu[3], wv[3], wwu[3], turned[3];
    double inverse[4] = {f->rotation[0], -f->rotation[1], -f->rotation[2], -f->rotation[3]};
    for (int k = 0; k < 3; ++k) {
        u[k] = world->x[k] - f->position[k] - t * f->velocity[k];
        v[k] = world->v[k] - f->velocity[k];
        w[k] = f->spin[k];
    }
    cross(w, u, wu);
    cross(w, v, wv);
    cross(w, wu, wwu);
    for (int k = 0; k < 3; ++k) {
        a[k] = world->a[k] - 2 * wv[k] + wwu[k];
        v[k] -= wu[k];
    }
    spin_by(f->spin, t, -1, u, turned);
    rotate_once(inverse, turned, out->x);
    spin_by(f->spin, t, -1, v, turned);
    rotate_once(inverse, turned, out->v);
    spin_by(f->spin, t, -1, a, turned);
    rotate_once(inverse, turned, out->a);
    for (int k = 0; k < 3; ++k)
        out->x[k] += f->centre[k];
}

// ---- Cases

typedef struct scene
{
    toi_motion motion;
    toi_rigid body; // what the pose function follows
    double start[3][3];
    double end[3][3];
    double pace;
} scene;

static void pose_of(void *context, double time, toi_pose *pose)
{
    const toi_rigid *r = context;
    toi_rigid_pose(r, time, pose->matrix, pose->position);
    double centre[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            centre[i] += pose->matrix[3 * i + k] * r->centre[k];
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        pose->spin[k] = r->spin[k];
        pose->velocity[k] = r->velocity[k] - (r->spin[a] * centre[b] - r->spin[b] * centre[a]);
    }
}

static toi_rigid random_rigid(double size, double offset, double turns, bool turned)
{
    toi_rigid r = toi_rest();
    random_vector(size, r.centre);
    random_vector(size + offset, r.position);
    random_vector(size, r.velocity);
    random_vector(2 * 3.14159265 * turns, r.spin);
    for (int k = 0; turned && k < 4; ++k)
        r.rotation[k] = uniform(-3, 3);
    return r;
}

static double norm(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Bounds for the pose function from the body that it follows.
static void bound_pose(scene *s)
{
    const toi_rigid *r = &s->body;
    double w = norm(r->spin);
    s->motion.pose = pose_of;
    s->motion.pose_context = &s->body;
    s->motion.speed[0] = (norm(r->velocity) + w * norm(r->centre)) * 1.000001;
    s->motion.speed[1] = w * 1.000001;
    s->motion.acceleration[0] = w * w * norm(r->centre) * 1.000001;
    s->motion.acceleration[1] = w * w * 1.000001;
}

enum
{
    RIGID,
    LINES,
    POSE,
    MESH_KINDS
};

enum
{
    AT_REST,
    PLACED,
    DRIFTS,
    TURNS,
    FIELD_KINDS
};

static void random_scene(int mesh, int field, double size, double offset, double turns, scene *s)
{
    *s = (scene){.motion = toi_default_motion()};
    s->motion.duration = uniform(0, 1) < 0.1 ? 0 : uniform(0.1, 2);
    if (field >= DRIFTS)
        s->motion.field = random_rigid(size, offset, field == TURNS ? turns : 0, field == TURNS);
    if (field == PLACED) {
        s->motion.field = random_rigid(size, offset, 0, true);
        memset(s->motion.field.velocity, 0, sizeof s->motion.field.velocity);
    }
    toi_rigid body = random_rigid(size, offset, turns, uniform(0, 1) < 0.7);
    s->motion.mesh = s->body = body;
    for (int i = 0; i < 3; ++i) {
        random_vector(size + (mesh == LINES ? offset : 0), s->start[i]);
        random_vector(size, s->end[i]);
        for (int k = 0; k < 3; ++k)
            s->end[i][k] += s->start[i][k];
    }
    if (mesh == POSE)
        bound_pose(s);
    if (mesh != LINES)
        return;
    s->motion.start = toi_view_points(s->start[0], 3);
    s->motion.end = toi_view_points(s->end[0], 3);
    for (int i = 0; i < 3 && s->motion.duration > 0; ++i) {
        double e[3];
        for (int k = 0; k < 3; ++k)
            e[k] = s->end[i][k] - s->start[i][k];
        s->pace = fmax(s->pace, norm(e) / s->motion.duration * 1.000001);
    }
}

static void make_track(scene *s, toi_track *track)
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

static number difference(const double a[3], const number b[3])
{
    number e[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length(e);
}

static void note(number error, number bound, number *share)
{
    if (error > 0 && error > *share * bound)
        *share = error / bound;
}

static void check_corner(const scene *s, const toi_track *track, int i, double time, shares *most)
{
    toi_frame frame;
    toi_corner corner;
    double x[3], v[3], bend;
    path world, true_path;
    toi_track_frame(track, time, &frame);
    toi_track_corner(track, s->start[i], s->end[i], &corner);
    toi_track_point(track, &frame, &corner, x, v, &bend);
    if (track->linear)
        line_path(s->start[i], s->end[i], s->motion.duration, time, &world);
    else
        rigid_path(&s->body, s->start[i], time, &world);
    in_field(&s->motion.field, time, &world, &true_path);
    note(difference(x, true_path.x), track->position_error, &most->position);
    note(difference(v, true_path.v), track->velocity_error, &most->velocity);
    note(length(true_path.a), bend, &most->bend);
    assert_true(length(true_path.v) <= track->speed * 1.000001L);
    if (track->has_axis && length(true_path.a) > 0) {
        number along = 0;
        for (int k = 0; k < 3; ++k)
            along += true_path.a[k] * track->axis[k];
        assert_true(fabsl(along) <= 0x1p-44L * length(true_path.a) + 0x1p-44L * bend);
    }
    // There and back again.
    double there[3], direction[3], axis[3] = {0, 0, 1};
    toi_track_to_world(track, time, x, axis, there, direction);
    assert_true(difference(there, world.x) <=
                4 * track->position_error + 0x1p-50L * (length(world.x) + norm(x)));
    assert_true(fabs(norm(direction) - 1) < 1e-12);
}

static shares check_kind(int mesh, int field, double size, double offset, double turns, int64_t n)
{
    shares most = {0};
    for (int64_t c = 0; c < n; ++c) {
        scene s;
        toi_track track;
        random_scene(mesh, field, size, offset, turns, &s);
        make_track(&s, &track);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 4; ++k)
                check_corner(&s, &track, i,
                             k == 3 ? s.motion.duration : uniform(0, s.motion.duration), &most);
    }
    return most;
}

// Every kind of motion keeps its bounds, and none is a hundred times what it must be.
static void every_motion_keeps_its_bounds(void **state)
{
    (void)state;
    static const double sizes[] = {1e-6, 1, 1e6}, offsets[] = {0, 1e6}, turns[] = {0, 0.3, 500};
    for (int mesh = 0; mesh < MESH_KINDS; ++mesh)
        for (int field = 0; field < FIELD_KINDS; ++field) {
            shares all = {0};
            // A pose function may round by a few units: less than many turns cost it.
            for (int i = 0; i < (mesh == POSE ? 12 : 18); ++i) {
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
    scene s;
    toi_track track;
    shares most = {0};
    random_scene(RIGID, AT_REST, 1, 0, 1, &s);
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
        toi_rigid r = random_rigid(1, 0, 2, true);
        double p[3], time = uniform(0, 3), m[9], o[3], x[3];
        path true_path;
        random_vector(1, p);
        toi_rigid_pose(&r, time, m, o);
        for (int i = 0; i < 3; ++i)
            x[i] = o[i] + m[3 * i] * p[0] + m[3 * i + 1] * p[1] + m[3 * i + 2] * p[2];
        rigid_path(&r, p, time, &true_path);
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
    m.pose = pose_of;
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
