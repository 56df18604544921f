// A rigid body against a distance field: mass properties, contact velocities by sequential
// impulses, and steps that never go further than a certificate allows.

#ifndef TOI_SCENES_RIGID_H
#define TOI_SCENES_RIGID_H

#include "solids.h"
#include "stepping.h"
#include "vec3.h"

// What a mesh is made of when its mass properties are computed.
typedef enum body_kind
{
    BODY_SOLID, // the volume that the closed mesh encloses
    BODY_SHEET, // its triangles, evenly thick
} body_kind;

// Turns a body about an axis through its centre until it has a given speed, like a wrench.
typedef struct motor
{
    vec3 axis;     // of length 1, in the world; zero: no motor
    double speed;  // radians a second
    double torque; // at most
} motor;

typedef struct rigid_body
{
    toi_rigid at; // where it is now, and how it moves; its centre is the centre of mass
    double mass;
    turn3 inverse; // of the inertia about the centre, in the body's axes
    double restitution;
    double friction; // Coulomb's coefficient
    motor drive;
} rigid_body;

// The mass is that of the density, in kilograms a unit of volume or area. Centre and inertia go to
// the body; its position becomes that of the centre. TOI_ERROR_DATA where there is no mass.
toi_status weigh_body(const toi_solid *mesh, body_kind kind, double density, rigid_body *body);

// A path at constant velocity and spin, part of a step.
typedef struct path_piece
{
    double begin; // seconds since the step began
    toi_rigid at; // where the body is then
} path_piece;

// The ways of a body in its last step; none follows where the step was cut short.
typedef struct rigid_path
{
    path_piece piece[MOST_SUBSTEPS + 1];
    int count;
} rigid_path;

// Moves the body on by `world->step` seconds.
toi_status step_body(stepping *world, const toi_surface *surface, rigid_body *body,
                     rigid_path *path);

#endif
