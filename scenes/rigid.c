// Rigid bodies: velocities by sequential impulses over the contacts, poses by certified ways.

#include "rigid.h"

#include "parts.h"

#include <string.h>

enum
{
    MOST_SWEEPS = 200 // over all contacts, for the velocities of a part of a step
};

// Metres a second: sweeps that change no velocity by more are the last.
static const double LEAST_CHANGE = 1e-7;

// An impact slower than this does not bounce: a body comes to rest.
static const double SLOWEST_BOUNCE = 0.5;

// ---------------------------------------------------------------------------------------------
// Rotations

static vec3 get3(const double from[3])
{
    return (vec3){from[0], from[1], from[2]};
}

// The columns of the rotation by a unit quaternion w, x, y, z.
static turn3 turn_of(const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (turn3){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                   {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                   {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

static vec3 apply_transposed(const turn3 *turn, vec3 a)
{
    return (vec3){dot3(turn->x, a), dot3(turn->y, a), dot3(turn->z, a)};
}

static void normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
}

// q = (the rotation by `spin` for `time`) q
static void turn_quaternion(double q[4], vec3 spin, double time)
{
    double half = 0.5 * length3(spin) * time;
    vec3 axis = scale3(sin(half), unit3(spin));
    double c = cos(half), w = q[0];
    vec3 v = {q[1], q[2], q[3]};
    vec3 turned = add3(add3(scale3(c, v), scale3(w, axis)), cross3(axis, v));
    q[0] = c * w - dot3(axis, v);
    put3(q + 1, turned);
    normalise(q);
}

// Where a body is after `time` of its motion.
static void advance(toi_rigid *at, double time)
{
    put3(at->position, step3(get3(at->position), time, get3(at->velocity)));
    turn_quaternion(at->rotation, get3(at->spin), time);
}

// ---------------------------------------------------------------------------------------------
// Mass

// Integrals over a body: mass, mass times place, and the symmetric matrix of mass times place
// place.
typedef struct moments
{
    double mass;
    vec3 first;
    turn3 second;
} moments;

// m += s a a'
static void add_square(turn3 *m, double s, vec3 a)
{
    m->x = step3(m->x, s * a.x, a);
    m->y = step3(m->y, s * a.y, a);
    m->z = step3(m->z, s * a.z, a);
}

// Over the tetrahedron of the origin and a triangle, or over the triangle itself. For both, the
// integral of x x' is mass / (n (n + 1)) times (s s' + the sum of p p' over the corners), s their
// sum: n = 4 corners and 3.
static void add_moments(moments *m, body_kind kind, const vec3 p[3])
{
    vec3 normal = cross3(sub3(p[1], p[0]), sub3(p[2], p[0]));
    vec3 sum = add3(add3(p[0], p[1]), p[2]);
    double corners = kind == BODY_SOLID ? 4 : 3;
    double mass = kind == BODY_SOLID ? dot3(p[0], normal) / 6 : 0.5 * length3(normal);
    double share = mass / (corners * (corners + 1));
    m->mass += mass;
    m->first = step3(m->first, mass / corners, sum);
    add_square(&m->second, share, sum);
    for (int i = 0; i < 3; ++i)
        add_square(&m->second, share, p[i]);
}

// Of a symmetric matrix, from the cross products of its columns; false where it has none.
static bool invert(const turn3 *m, turn3 *inverse)
{
    turn3 adjoint = {cross3(m->y, m->z), cross3(m->z, m->x), cross3(m->x, m->y)};
    double determinant = dot3(m->x, adjoint.x);
    if (!(determinant > 0.0))
        return false;
    double s = 1 / determinant;
    *inverse = (turn3){scale3(s, adjoint.x), scale3(s, adjoint.y), scale3(s, adjoint.z)};
    return true;
}

toi_status weigh_body(const toi_solid *mesh, body_kind kind, double density, rigid_body *body)
{
    moments m = {0};
    for (int64_t f = 0; f < mesh->face_count; ++f) {
        const int32_t *face = mesh->faces[f];
        const vec3 corners[3] = {get3(mesh->points[face[0]]), get3(mesh->points[face[1]]),
                                 get3(mesh->points[face[2]])};
        add_moments(&m, kind, corners);
    }
    if (!(m.mass > 0.0))
        return toi_fail(TOI_ERROR_DATA, "the body has no mass: is its mesh turned inside out?");
    vec3 centre = scale3(1 / m.mass, m.first);
    add_square(&m.second, -m.mass, centre);
    double trace = m.second.x.x + m.second.y.y + m.second.z.z;
    turn3 inertia = {scale3(-density, m.second.x), scale3(-density, m.second.y),
                     scale3(-density, m.second.z)};
    inertia.x.x += density * trace;
    inertia.y.y += density * trace;
    inertia.z.z += density * trace;
    if (!invert(&inertia, &body->inverse))
        return toi_fail(TOI_ERROR_DATA, "the body has no extent to turn about");
    body->mass = density * m.mass;
    put3(body->at.centre, centre);
    put3(body->at.position, centre);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Velocities

// The body while its velocities change.
typedef struct mover
{
    vec3 velocity;
    vec3 spin;
    double inverse_mass;
    turn3 turn;
    const turn3 *inverse;
} mover;

// A contact: the normal, then two directions across it.
typedef struct joint
{
    vec3 arm;
    vec3 axis[3];
    double mass[3]; // how much impulse along an axis changes the velocity along it by one
    double impulse[3];
    double target; // the least normal velocity
} joint;

static mover start_mover(const rigid_body *body)
{
    return (mover){get3(body->at.velocity), get3(body->at.spin), 1 / body->mass,
                   turn_of(body->at.rotation), &body->inverse};
}

// What a torque impulse does to the spin.
static vec3 spin_change(const mover *m, vec3 impulse)
{
    vec3 inside = apply_transposed(&m->turn, impulse);
    return apply3(&m->turn, apply3(m->inverse, inside));
}

static vec3 velocity_at(const mover *m, vec3 arm)
{
    return add3(m->velocity, cross3(m->spin, arm));
}

static void push(mover *m, vec3 arm, vec3 impulse)
{
    m->velocity = step3(m->velocity, m->inverse_mass, impulse);
    m->spin = add3(m->spin, spin_change(m, cross3(arm, impulse)));
}

static double mass_along(const mover *m, vec3 arm, vec3 axis)
{
    vec3 spin = spin_change(m, cross3(arm, axis));
    return 1 / (m->inverse_mass + dot3(cross3(spin, arm), axis));
}

// Some unit vector across n.
static vec3 across(vec3 n)
{
    vec3 other = fabs(n.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    return unit3(reject3(other, n));
}

static joint make_joint(const stepping *world, const rigid_body *body, const mover *m,
                        const toi_field_contact *contact, double rest)
{
    joint j = {.arm = sub3(get3(contact->point), get3(body->at.position))};
    j.axis[0] = get3(contact->normal);
    j.axis[1] = across(j.axis[0]);
    j.axis[2] = cross3(j.axis[0], j.axis[1]);
    for (int i = 0; i < 3; ++i)
        j.mass[i] = mass_along(m, j.arm, j.axis[i]);
    double speed = dot3(velocity_at(m, j.arm), j.axis[0]);
    j.target = asked_velocity(world, contact->distance, rest);
    bool touches = contact->distance < 2 * world->gap;
    if (touches && speed < -SLOWEST_BOUNCE && -body->restitution * speed > j.target)
        j.target = -body->restitution * speed;
    return j;
}

// Changes the velocity along an axis to `wanted`; the impulse in all stays between the limits.
// Returns by how much.
static double solve_axis(mover *m, joint *j, int axis, double wanted, double low, double high)
{
    double speed = dot3(velocity_at(m, j->arm), j->axis[axis]);
    double impulse = j->impulse[axis] + j->mass[axis] * (wanted - speed);
    impulse = impulse < low ? low : impulse > high ? high : impulse;
    double change = impulse - j->impulse[axis];
    j->impulse[axis] = impulse;
    push(m, j->arm, scale3(change, j->axis[axis]));
    return fabs(change) / j->mass[axis];
}

// Returns by how much the velocity at the contact has changed.
static double solve_joint(mover *m, joint *j, double friction)
{
    double most = friction * j->impulse[0];
    double along = solve_axis(m, j, 1, 0.0, -most, most);
    double across_it = solve_axis(m, j, 2, 0.0, -most, most);
    return fmax(fmax(along, across_it), solve_axis(m, j, 0, j->target, 0.0, HUGE_VAL));
}

static void solve_motor(mover *m, const motor *drive, double most, double *given)
{
    double ease = dot3(spin_change(m, drive->axis), drive->axis);
    if (!(ease > 0.0))
        return;
    double total = *given + (drive->speed - dot3(m->spin, drive->axis)) / ease;
    total = total < -most ? -most : total > most ? most : total;
    m->spin = add3(m->spin, spin_change(m, scale3(total - *given, drive->axis)));
    *given = total;
}

// Sweeps until nothing changes. `time` is how long the motor has been at work since the last call.
static void solve_velocities(const stepping *world, rigid_body *body, joint *joints, double time)
{
    double given = 0.0, change = HUGE_VAL;
    mover m = start_mover(body);
    for (int sweep = 0; sweep < MOST_SWEEPS && change > LEAST_CHANGE; ++sweep) {
        vec3 velocity = m.velocity;
        solve_motor(&m, &body->drive, body->drive.torque * time, &given);
        change = 0.0;
        for (int64_t i = 0; i < world->contacts.count; ++i)
            change = fmax(change, solve_joint(&m, &joints[i], body->friction));
        change = fmax(change, length3(sub3(m.velocity, velocity)));
    }
    put3(body->at.velocity, m.velocity);
    put3(body->at.spin, m.spin);
}

static toi_status respond(stepping *world, rigid_body *body, double rest, double time)
{
    double began = stepping_clock(world);
    int64_t count = world->contacts.count;
    joint *joints = scene_scratch(count + 1, sizeof *joints);
    if (!joints)
        return TOI_ERROR_MEMORY;
    mover m = start_mover(body);
    for (int64_t i = 0; i < count; ++i)
        joints[i] = make_joint(world, body, &m, &world->contacts.data[i], rest);
    solve_velocities(world, body, joints, time);
    toi_release(joints);
    world->counts.solve_time += stepping_clock(world) - began;
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Steps

// One part of a step: meets contacts, changes velocities, goes as far as it may.
static toi_status go_on(stepping *world, const toi_surface *surface, rigid_body *body, double rest,
                        double motor_time, double *way)
{
    toi_motion motion = toi_default_motion();
    motion.mesh = body->at;
    motion.duration = rest;
    toi_status status = meet_field(world, surface, &motion);
    if (status == TOI_OK)
        status = respond(world, body, rest, motor_time);
    motion.mesh = body->at;
    return status == TOI_OK ? find_way(world, surface, &motion, way) : status;
}

toi_status step_body(stepping *world, const toi_surface *surface, rigid_body *body,
                     rigid_path *path)
{
    double rest = world->step;
    start_step(world);
    path->count = 0;
    put3(body->at.velocity, step3(get3(body->at.velocity), world->step, world->gravity));
    for (int part = 0; part < MOST_SUBSTEPS && rest > 0.0; ++part) {
        double way;
        toi_status status = go_on(world, surface, body, rest, part ? 0.0 : world->step, &way);
        if (status != TOI_OK)
            return status;
        path->piece[path->count++] = (path_piece){world->step - rest, body->at};
        advance(&body->at, way);
        rest = way < rest ? rest - way : 0.0;
    }
    toi_rigid still = body->at;
    memset(still.velocity, 0, sizeof still.velocity);
    memset(still.spin, 0, sizeof still.spin);
    path->piece[path->count++] = (path_piece){world->step - rest, still};
    ++world->counts.steps;
    world->counts.rests += rest > 0.0;
    world->counts.rested += rest;
    return TOI_OK;
}
