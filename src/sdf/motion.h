// Motions as the solvers see them: every point of the mesh in the field's own frame.

#ifndef TOI_SDF_MOTION_H
#define TOI_SDF_MOTION_H

#include "toi/sdf.h"

// A material point: at p + t v in the mesh's coordinates, relative to the track's centre. Rigid
// motions have v = 0. Linear combinations with weights that sum to 1 are points as well.
typedef struct toi_corner
{
    double p[3];
    double v[3];
} toi_corner;

// The frame at a time: a corner is at matrix (p + t v) + position, and moves at
// rate + matrix v + spin x (matrix (p + t v)).
typedef struct toi_frame
{
    double time;
    double matrix[9];
    double position[3];
    double rate[3];
    double spin[3];
} toi_frame;

// A body's rotation at time t is cos(spin t) p + sin(spin t) s + a: products of its first rotation
// and its axis that do not change.
typedef struct toi_body_turn
{
    double a[9];
    double p[9];
    double s[9];
    double rate;  // |spin|; 0: the rotation is `a`
    bool plain;   // no rotation at all: `a` is the identity, without an error
    double error; // of the matrix in the 2-norm, for all times of the motion
} toi_body_turn;

// A motion prepared for many questions, with bounds on its rounding: docs/sdf.md.
typedef struct toi_track
{
    const toi_motion *motion;
    double duration;
    bool linear;          // corners have a velocity of their own
    double centre[3];     // corners are relative to this point of the caller's coordinates
    toi_body_turn mesh;   // with a resting field, its rotation is in there already
    toi_body_turn field;  // the inverse of the field's rotation
    double offset[3];     // of the mesh's centre from the field's at t = 0
    double drift[3];      // how fast the offset grows
    double spin[3];       // of the mesh
    double field_spin[3]; // of the field, in its own frame
    // Accelerations are across this axis, if there is one.
    double axis[3];
    bool has_axis;
    bool spins; // a rigid mesh in a field that does not turn: bends are |spin| |spin x y|
    double spin_length;
    // |x''| of a corner is at most bend[0] + bend[1] |p| + bend[2] |v| at all times of the motion.
    double bend[3];
    // Computed positions and velocities of the corners that the track was made for are within these
    // of the true ones, for all times of the motion.
    double position_error;
    double velocity_error;
    double reach; // |p + t v| is at most this
    double speed; // |x'| is at most this
} toi_track;

// Checks the motion and prepares it for points in the box from `low` to `high` of the caller's
// coordinates (at t = 0 for straight lines), with own velocities of at most `pace`.
toi_status toi_make_track(const toi_motion *motion, const double low[3], const double high[3],
                          double pace, toi_track *track);

// Do the corners move on straight lines of their own?
static inline bool toi_moves_linearly(const toi_motion *motion)
{
    return !motion->pose && motion->end.count > 0;
}

// A point of the mesh as a corner; `end` is its position at the duration for straight lines, and is
// not looked at otherwise.
void toi_track_corner(const toi_track *track, const double start[3], const double end[3],
                      toi_corner *corner);

// The velocity of a point on a straight line.
static inline double toi_line_rate(double start, double end, double duration)
{
    return duration > 0 ? (end - start) / duration : 0;
}

void toi_track_frame(const toi_track *track, double time, toi_frame *frame);

// Position, velocity, and a bound on the acceleration at any time, of a corner.
void toi_track_point(const toi_track *track, const toi_frame *frame, const toi_corner *corner,
                     double position[3], double velocity[3], double *bend);

// The position alone.
void toi_track_place(const toi_frame *frame, const toi_corner *corner, double position[3]);

// A point and a direction of the field's frame, in the world at the frame's time.
void toi_track_to_world(const toi_track *track, double time, const double point[3],
                        const double direction[3], double world_point[3],
                        double world_direction[3]);

#endif
