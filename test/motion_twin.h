// Motions once more, with long doubles and from their definition; random motions of every kind.

#ifndef TOI_TEST_MOTION_TWIN_H
#define TOI_TEST_MOTION_TWIN_H

#include "toi/random.h"
#include "toi/sdf.h"

// A point of the world, or of a field's frame, with two derivatives.
typedef struct twin_path
{
    long double x[3], v[3], a[3];
} twin_path;

enum
{
    TWIN_RIGID,
    TWIN_LINES,
    TWIN_POSE, // a function of the caller's
    TWIN_MESH_MOTIONS
};

enum
{
    TWIN_AT_REST,
    TWIN_PUT, // turned and moved, but at rest
    TWIN_DRIFTS,
    TWIN_TURNS,
    TWIN_FIELD_MOTIONS
};

// A triangle that moves.
typedef struct twin_motion
{
    toi_motion motion;
    toi_rigid body; // what the pose function follows
    double start[3][3];
    double end[3][3];
    double pace;
} twin_motion;

// A pose function that follows the toi_rigid `context`.
void twin_pose(void *context, double time, toi_pose *pose);

// Sets it, with bounds from the body; the motion must stay where it is.
void use_twin_pose(twin_motion *m);

// Sets the views of lines and the pace; the motion must stay where it is.
void use_twin_lines(twin_motion *m);

// Positions of about `size`, away from the origin by about `offset`, that turn about `turns` times.
toi_rigid random_rigid(toi_random *random, double size, double offset, double turns, bool turned);
void random_motion(toi_random *random, int mesh, int field, double size, double offset,
                   double turns, twin_motion *m);

void twin_rigid_path(const toi_rigid *rigid, const double p[3], long double t, twin_path *path);

// A corner's path in the world, and from there into the frame of a field.
void twin_corner_path(const twin_motion *m, int corner, long double t, twin_path *path);
void twin_in_field(const toi_rigid *field, long double t, const twin_path *world, twin_path *path);

long double twin_length(const long double a[3]);
double random_in(toi_random *random, double low, double high);
void random_vector(toi_random *random, double size, double v[3]);

#endif
