/// @file
/// Small simulations of a mesh against a distance field: rigid bodies and a cloth, in the scenes
/// that the literature uses to show how collision detection fails. They use the public headers of
/// toi alone, and any solver drives them: `certified` never lets a body in.

#ifndef TOI_SCENES_SIMULATION_H
#define TOI_SCENES_SIMULATION_H

#include "toi/sdf.h"

TOI_EXTERN_C_BEGIN

/// What is simulated; start from toi_default_simulation_def().
typedef struct toi_simulation_def
{
    const char *name; ///< one of toi_simulation_name(0 ..)
    toi_sdf_solver solver;
    int rate;         ///< steps a second; 1 to 100,000
    bool subdivision; ///< may a triangle have more than one contact?
    int workers;      ///< as in toi_sdf_def
    /// A folder with meshes/bunny.ply and so on, or NULL. Without it a generated body takes the
    /// place of the bunny, and scenes of real parts fail with TOI_ERROR_FILE.
    const char *data;
    double (*clock)(void); ///< in seconds, to measure with; NULL: nothing is measured
    uint32_t cookie;       ///< set by the default function; leave it
} toi_simulation_def;

/// The first scene, certified, 60 steps a second, with subdivision.
toi_simulation_def toi_default_simulation_def(void);

/// Name number `index` of the scenes there are, in a fixed order; NULL past the last.
const char *toi_simulation_name(int index);

/// One line on what the scene shows; NULL past the last.
const char *toi_simulation_about(int index);

/// Does the scene need the folder of real data? Without it, it cannot be made.
bool toi_simulation_needs_data(int index);

/// A running simulation.
typedef struct toi_simulation toi_simulation;

/// On failure *simulation is NULL.
toi_status toi_make_simulation(const toi_simulation_def *def, toi_simulation **simulation);
void toi_free_simulation(toi_simulation *simulation); ///< harmless on NULL

/// Goes on by one step of 1 / rate seconds.
toi_status toi_step_simulation(toi_simulation *simulation);

enum
{
    TOI_SIMULATION_INSTANTS = 6 ///< that a picture shows
};

/// What a run has met so far, and what it has cost. Times are seconds of the clock.
typedef struct toi_simulation_counts
{
    int64_t steps;
    int64_t impacts;     ///< ways that ended at an impact
    int64_t rests;       ///< steps that were cut short after too many impacts
    double rested;       ///< seconds of simulated time that were lost thereby
    int64_t contacts;    ///< solved for
    int64_t searches;    ///< for an impact
    int64_t nodes;       ///< that they looked at
    int64_t evaluations; ///< of the field in them
    double impact_time;
    double impact_least; ///< the fastest search
    double impact_most;  ///< the slowest
    double contact_time;
    double solve_time;
} toi_simulation_counts;

/// What can be seen of a simulation. Pointers are valid until the next step.
typedef struct toi_simulation_view
{
    toi_point_view points; ///< in the world, now
    toi_index_view faces;
    const toi_field *field;
    bool cloth;     ///< else a rigid body
    toi_rigid body; ///< where it is and how it moves, at the end of the step
    double time;    ///< simulated
    double seconds; ///< how long the scene takes until all has happened
    double gap;     ///< the distance that a resting body keeps
    double eye[3];  ///< where a picture is taken from, and what is in its middle
    double target[3];
    double instants[TOI_SIMULATION_INSTANTS]; ///< when, in seconds
    toi_simulation_counts counts;
} toi_simulation_view;
toi_simulation_view toi_view_simulation(const toi_simulation *simulation);

/// Positions within the last step: `time` in seconds since it began. `points` has room for all.
void toi_simulation_points(const toi_simulation *simulation, double time, double (*points)[3]);

/// How deep the mesh is in the field with its vertices at `points` (NULL: where they are now): the
/// least value over a dense set of points, corners and sides included, on every triangle that may
/// be inside. Not negative: nothing is inside.
toi_status toi_measure_simulation(const toi_simulation *simulation, const double (*points)[3],
                                  double *least);

/// XXH64 of positions and velocities.
uint64_t toi_hash_simulation(const toi_simulation *simulation);

TOI_EXTERN_C_END

#endif
