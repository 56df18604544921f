// Motions of the public contract as frames at times, with bounds on accelerations and on rounding.

#include "sdf/motion.h"

#include "base/fp_mode.h"
#include "base/status.h"
#include "sdf/vector.h"

#include <float.h>
#include <string.h>

// Half an ulp of 1: the unit of all bounds below. Their derivation is docs/sdf.md's, section
// "Motions"; test_sdf_motion.c recomputes them.
static const double UNIT = 0x1p-53;

// Numbers beyond this are refused, so that squares of products never overflow.
static const double LARGEST = 1e60;

toi_rigid toi_rest(void)
{
    return (toi_rigid){.rotation = {1, 0, 0, 0}};
}

toi_motion toi_default_motion(void)
{
    return (toi_motion){.duration = 1, .mesh = toi_rest(), .field = toi_rest()};
}

// A quaternion of any length as a matrix; true if it is the identity, exactly.
static bool matrix_of(const double quaternion[4], double m[9])
{
    double largest = 0;
    for (int k = 0; k < 4; ++k)
        largest = fmax(largest, fabs(quaternion[k]));
    double q[4], square = 0;
    for (int k = 0; k < 4; ++k) {
        q[k] = quaternion[k] / largest;
        square += q[k] * q[k];
    }
    double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    double r[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                   s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                   s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(m, r, sizeof r);
    return x == 0 && y == 0 && z == 0;
}

// The turn of a body from its first rotation and its spin, for angles of at most spin * duration.
static toi_body_turn make_turn(const double quaternion[4], const double spin[3], double duration)
{
    toi_body_turn turn = {.rate = toi_norm(spin)};
    double q[9];
    bool identity = matrix_of(quaternion, q);
    double error = identity ? 0 : 32;
    if (turn.rate == 0) {
        memcpy(turn.a, q, sizeof q);
        turn.plain = identity;
        turn.error = error * UNIT;
        return turn;
    }
    double axis[3], along[3];
    for (int k = 0; k < 3; ++k)
        axis[k] = spin[k] / turn.rate;
    toi_apply_back(q, axis, along);
    for (int j = 0; j < 3; ++j) {
        double column[3] = {q[j], q[j + 3], q[j + 6]}, side[3];
        toi_cross(axis, column, side);
        for (int i = 0; i < 3; ++i) {
            turn.a[3 * i + j] = axis[i] * along[j];
            turn.p[3 * i + j] = column[i] - axis[i] * along[j];
            turn.s[3 * i + j] = side[i];
        }
    }
    turn.error = (error + 64 + 5 * turn.rate * duration) * UNIT;
    return turn;
}

static void invert_turn(toi_body_turn *turn)
{
    toi_body_turn old = *turn;
    toi_transpose(old.a, turn->a);
    toi_transpose(old.p, turn->p);
    toi_transpose(old.s, turn->s);
}

// Puts a constant rotation before a turn.
static void precede_turn(const toi_body_turn *constant, toi_body_turn *turn)
{
    if (constant->plain)
        return;
    toi_body_turn old = *turn;
    toi_multiply(constant->a, old.a, turn->a);
    if (turn->rate > 0) {
        toi_multiply(constant->a, old.p, turn->p);
        toi_multiply(constant->a, old.s, turn->s);
    }
    turn->plain = false;
    turn->error += constant->error + 16 * UNIT;
}

static void turn_at(const toi_body_turn *turn, double time, double m[9])
{
    if (turn->rate == 0) {
        memcpy(m, turn->a, sizeof turn->a);
        return;
    }
    double angle = turn->rate * time, c = cos(angle), s = sin(angle);
    for (int k = 0; k < 9; ++k)
        m[k] = turn->a[k] + (c * turn->p[k] + s * turn->s[k]);
}

static TOI_APART void rigid_pose(const toi_rigid *rigid, const double *time, double matrix[9],
                                 double position[3])
{
    toi_body_turn turn = make_turn(rigid->rotation, rigid->spin, fabs(*time));
    turn_at(&turn, *time, matrix);
    double centre[3];
    toi_apply(matrix, rigid->centre, centre);
    for (int k = 0; k < 3; ++k)
        position[k] = rigid->position[k] + *time * rigid->velocity[k] - centre[k];
}

void toi_rigid_pose(const toi_rigid *rigid, double time, double matrix[9], double position[3])
{
    TOI_GUARD_FP;
    rigid_pose(rigid, &time, matrix, position);
}

static bool sound(const double *numbers, int count)
{
    for (int k = 0; k < count; ++k)
        if (!(fabs(numbers[k]) <= LARGEST))
            return false;
    return true;
}

static toi_status check_rigid(const toi_rigid *rigid, const char *whose)
{
    const double *q = rigid->rotation;
    if (!sound(rigid->centre, 3) || !sound(rigid->position, 3) || !sound(rigid->velocity, 3) ||
        !sound(rigid->spin, 3) || !sound(q, 4))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "a number of the %s's motion is not finite, or beyond 1e60", whose);
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the %s's rotation is a quaternion of length 0; start from toi_rest()",
                        whose);
    return TOI_OK;
}

static toi_status check_motion(const toi_motion *motion)
{
    if (!(motion->duration >= 0) || motion->duration > LARGEST)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the motion's duration is %g; it must be finite and not negative",
                        motion->duration);
    toi_status status = check_rigid(&motion->field, "field");
    if (status != TOI_OK)
        return status;
    if (motion->pose) {
        const double *s = motion->speed, *a = motion->acceleration;
        if (!sound(s, 2) || !sound(a, 2) || s[0] < 0 || s[1] < 0 || a[0] < 0 || a[1] < 0)
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "the bounds on the speed and acceleration of a pose "
                            "function must be finite and not negative");
        return TOI_OK;
    }
    if (!toi_moves_linearly(motion))
        return check_rigid(&motion->mesh, "mesh");
    if (motion->start.count != motion->end.count)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the motion has %" PRId64 " points at its start and %" PRId64
                        " at its end; it needs one of each for every vertex",
                        motion->start.count, motion->end.count);
    return TOI_OK;
}

// The length of a box's farthest corner from `centre`.
static double farthest(const double low[3], const double high[3], const double centre[3])
{
    double e[3];
    for (int k = 0; k < 3; ++k)
        e[k] = fmax(fabs(low[k] - centre[k]), fabs(high[k] - centre[k]));
    return toi_norm(e);
}

// What the caller's pose says at t = 0 is only needed for how far the mesh is.
static double first_offset(const toi_motion *motion)
{
    toi_pose pose = {0};
    motion->pose(motion->pose_context, 0, &pose);
    return toi_norm(pose.position) + toi_norm(motion->field.position);
}

static void describe_mesh(const toi_motion *motion, toi_track *track)
{
    const double none[4] = {1, 0, 0, 0}, rest[3] = {0, 0, 0};
    bool rigid = !motion->pose && !track->linear;
    track->mesh = make_turn(rigid ? motion->mesh.rotation : none, rigid ? motion->mesh.spin : rest,
                            track->duration);
    for (int k = 0; k < 3; ++k) {
        const toi_rigid *mesh = &motion->mesh, *field = &motion->field;
        // Straight lines are taken relative to the field, so that a common offset costs nothing.
        track->centre[k] = rigid ? mesh->centre[k] : track->linear ? field->position[k] : 0;
        track->offset[k] = rigid ? mesh->position[k] - field->position[k] : 0;
        track->drift[k] = rigid ? mesh->velocity[k] - field->velocity[k] : -field->velocity[k];
        track->spin[k] = rigid ? mesh->spin[k] : 0;
    }
}

// What is known of the sizes in a motion: the lengths of offset and drift and the spins of both.
typedef struct sizes
{
    double offset; // never longer
    double drift;
    double spin;
    double field_spin;
} sizes;

static sizes sizes_of(const toi_motion *motion, const toi_track *track)
{
    sizes z = {
        .drift = toi_norm(track->drift), .spin = track->mesh.rate, .field_spin = track->field.rate};
    z.offset = toi_norm(track->offset);
    if (motion->pose) {
        z.drift += motion->speed[0];
        z.spin = motion->speed[1];
        z.offset = first_offset(motion);
    }
    z.offset += track->duration * z.drift;
    return z;
}

// The frame turns at a constant rate, so a point u of the world has the acceleration
// u'' - 2 w x u' + w x (w x u) in it; docs/sdf.md.
static void bound_bends(const toi_motion *motion, const sizes *z, double pace, toi_track *track)
{
    double w = z->field_spin, between[3], both[3];
    const double *wf = motion->field.spin;
    if (motion->pose) {
        const double *a = motion->acceleration;
        track->bend[0] = a[0] + 2 * w * z->drift + w * w * z->offset;
        track->bend[1] = a[1] + 2 * w * z->spin + w * w;
    } else {
        toi_subtract(track->spin, wf, between);
        toi_cross(track->spin, wf, both);
        // The computed cross product may be too small by its rounding.
        track->bend[0] = 2 * w * z->drift + w * w * z->offset;
        track->bend[1] = toi_dot(between, between) + toi_norm(both) + 8 * UNIT * z->spin * w;
        track->bend[2] = w * (2 + track->duration * w);
    }
    // A corner that was rounded, by 64 splits at most, has another bend than the true one.
    track->bend[0] += 0x1p-44 * (track->bend[1] * track->reach + track->bend[2] * pace);
    for (int k = 0; k < 3; ++k)
        track->bend[k] *= 1 + 0x1p-40;
    track->has_axis = !motion->pose && (z->spin == 0 || w == 0);
    track->spins = track->has_axis && w == 0 && !track->linear;
    track->spin_length = z->spin;
    const double *axis = w > 0 ? track->field_spin : track->spin;
    for (int k = 0; k < 3 && track->has_axis; ++k)
        track->axis[k] = w + z->spin > 0 ? axis[k] / (w + z->spin) : 0;
}

static void bound_rounding(const toi_motion *motion, const sizes *z, double pace, toi_track *track)
{
    double e = UNIT, q = track->reach, d = z->offset, w = z->field_spin, s = z->spin + w;
    double field = track->field.error, mesh = track->mesh.error;
    if (motion->pose)
        mesh += 16 * e; // what a caller's own rounding may be
    if (w > 0 || motion->pose)
        mesh += field + 16 * e;
    double position = (mesh + 13 * e) * q + (field + 11 * e) * d;
    position += 3 * e * toi_norm(motion->field.centre);
    if (motion->pose)
        position += 16 * e * d;
    double each = mesh + field + 24 * e;
    double velocity = each * (pace + 2 * s * q + z->drift + 3 * w * d);
    track->position_error = 1.0625 * position + 0x1p-600;
    track->velocity_error = 1.0625 * velocity + 0x1p-600;
    track->speed = (z->drift + pace + s * q + w * d) * (1 + 0x1p-40);
}

toi_status toi_make_track(const toi_motion *motion, const double low[3], const double high[3],
                          double pace, toi_track *track)
{
    memset(track, 0, sizeof *track);
    toi_status status = check_motion(motion);
    if (status != TOI_OK)
        return status;
    track->motion = motion;
    track->duration = motion->duration;
    track->linear = toi_moves_linearly(motion);
    describe_mesh(motion, track);
    track->field = make_turn(motion->field.rotation, motion->field.spin, track->duration);
    invert_turn(&track->field);
    double first[9];
    turn_at(&track->field, 0, first);
    toi_apply(first, motion->field.spin, track->field_spin);
    if (track->field.rate == 0 && !motion->pose) {
        precede_turn(&track->field, &track->mesh);
        double world[3];
        memcpy(world, track->spin, sizeof world);
        if (!track->field.plain)
            toi_apply(track->field.a, world, track->spin);
    }
    track->reach = (farthest(low, high, track->centre) + track->duration * pace) * (1 + 0x1p-40);
    if (!(track->reach <= LARGEST) || !(pace <= LARGEST))
        return toi_fail(TOI_ERROR_DATA, "a coordinate is not finite, or beyond 1e60");
    sizes z = sizes_of(motion, track);
    bound_bends(motion, &z, pace, track);
    bound_rounding(motion, &z, pace, track);
    return TOI_OK;
}

void toi_track_corner(const toi_track *track, const double start[3], const double end[3],
                      toi_corner *corner)
{
    for (int k = 0; k < 3; ++k) {
        corner->p[k] = start[k] - track->centre[k];
        corner->v[k] = track->linear ? toi_line_rate(start[k], end[k], track->duration) : 0;
    }
}

// The mesh's own pose in the world, relative to the field's position: all that differs between
// motions of the library and of the caller.
static void world_pose(const toi_track *track, double time, toi_frame *frame)
{
    turn_at(&track->mesh, time, frame->matrix);
    for (int k = 0; k < 3; ++k) {
        frame->position[k] = track->offset[k] + time * track->drift[k];
        frame->rate[k] = track->drift[k];
        frame->spin[k] = track->spin[k];
    }
    const toi_motion *motion = track->motion;
    if (!motion->pose)
        return;
    toi_pose pose = {0};
    motion->pose(motion->pose_context, time, &pose);
    memcpy(frame->matrix, pose.matrix, sizeof pose.matrix);
    for (int k = 0; k < 3; ++k) {
        double field = motion->field.position[k] + time * motion->field.velocity[k];
        frame->position[k] = pose.position[k] - field;
        frame->rate[k] = pose.velocity[k] - motion->field.velocity[k];
        frame->spin[k] = pose.spin[k];
    }
}

// Into the frame of a field that turns or is turned.
static void turn_frame(const toi_track *track, toi_frame *frame)
{
    double turn[9], fall[3];
    toi_frame world = *frame;
    turn_at(&track->field, frame->time, turn);
    toi_apply(turn, world.position, frame->position);
    toi_apply(turn, world.rate, frame->rate);
    if (track->field.rate == 0 && !track->motion->pose)
        return; // the matrix and the spin are turned already
    toi_multiply(turn, world.matrix, frame->matrix);
    toi_apply(turn, world.spin, frame->spin);
    toi_cross(track->field_spin, frame->position, fall);
    for (int k = 0; k < 3; ++k) {
        frame->rate[k] -= fall[k];
        frame->spin[k] -= track->field_spin[k];
    }
}

void toi_track_frame(const toi_track *track, double time, toi_frame *frame)
{
    frame->time = time;
    world_pose(track, time, frame);
    if (!track->field.plain)
        turn_frame(track, frame);
    for (int k = 0; k < 3; ++k)
        frame->position[k] += track->motion->field.centre[k];
}

// matrix (p + t v): where a corner is, but for the frame's position.
static inline void turned(const toi_frame *frame, const toi_corner *corner, double y[3])
{
    double q[3];
    for (int k = 0; k < 3; ++k)
        q[k] = corner->p[k] + frame->time * corner->v[k];
    toi_apply(frame->matrix, q, y);
}

void toi_track_place(const toi_frame *frame, const toi_corner *corner, double position[3])
{
    double y[3];
    turned(frame, corner, y);
    for (int k = 0; k < 3; ++k)
        position[k] = frame->position[k] + y[k];
}

void toi_track_point(const toi_track *track, const toi_frame *frame, const toi_corner *corner,
                     double position[3], double velocity[3], double *bend)
{
    double y[3], side[3];
    turned(frame, corner, y);
    toi_cross(frame->spin, y, side);
    for (int k = 0; k < 3; ++k) {
        position[k] = frame->position[k] + y[k];
        velocity[k] = frame->rate[k] + side[k];
    }
    // |spin x y| is the same at all times, but for the rounding of y and of the product.
    if (track->spins) {
        *bend = track->spin_length * (toi_norm(side) * (1 + 0x1p-40) + track->velocity_error);
        return;
    }
    *bend = (track->bend[0] + track->bend[1] * toi_norm(corner->p)) * (1 + 0x1p-40);
    if (!track->linear)
        return;
    double own[3];
    toi_apply(frame->matrix, corner->v, own);
    for (int k = 0; k < 3; ++k)
        velocity[k] += own[k];
    *bend += track->bend[2] * toi_norm(corner->v) * (1 + 0x1p-40);
}

void toi_track_to_world(const toi_track *track, double time, const double point[3],
                        const double direction[3], double world_point[3], double world_direction[3])
{
    const toi_rigid *field = &track->motion->field;
    double turn[9], e[3], there[3], towards[3];
    turn_at(&track->field, time, turn);
    toi_subtract(point, field->centre, e);
    toi_apply_back(turn, e, there);
    toi_apply_back(turn, direction, towards);
    for (int k = 0; k < 3; ++k) {
        world_point[k] = field->position[k] + time * field->velocity[k] + there[k];
        world_direction[k] = towards[k];
    }
}
