// Motions as the solvers see them: every point of the mesh in the field's own frame.

#ifndef TOI_SDF_MOTION_H
#define TOI_SDF_MOTION_H

#include "toi/sdf.h"

// A material point: at p + t v in the mesh's coordinates. Rigid motions have v = 0; p is then
// relative to the centre. Linear combinations with weights that sum to 1 are points as well.
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

// A motion prepared for many questions, with bounds on its rounding: docs/sdf.md.
typedef struct toi_track
{
    const toi_motion *motion;
    double duration;
    bool linear;           // corners have a velocity of their own
    bool turning;          // the matrix changes with time
    double axis[3];        // of a plain rigid motion in a resting field: accelerations are across it
    bool has_axis;
    // |x''| of a corner is at most bend[0] + bend[1] |p| + bend[2] |v| at all times of the motion.
    double bend[3];
    // Computed positions and velocities of corners with |p| <= reach, |v| <= pace are within these of
    // the true ones, for all times of the motion.
    double position_error;
    double velocity_error;
} toi_track;

// Checks the motion and prepares it for corners no farther than `reach` from their origin, with own
// velocities of at most `pace`.
toi_status toi_make_track(const toi_motion *motion, double reach, double pace, toi_track *track);

void toi_track_frame(const toi_track *track, double time, toi_frame *frame);

// Position, velocity, and a bound on the acceleration at any time, of a corner.
void toi_track_point(const toi_track *track, const toi_frame *frame, const toi_corner *corner,
                     double position[3], double velocity[3], double *bend);

// A point and a direction of the field's frame, in the world at the frame's time.
void toi_track_to_world(const toi_track *track, double time, const double point[3],
                        const double direction[3], double world_point[3], double world_direction[3]);

#endif
