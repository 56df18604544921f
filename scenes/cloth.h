// A square of cloth: a small position-based simulation on a coarse grid, and its refinement to any
// number of points, so that the simulation's cost does not grow with the scene.

#ifndef TOI_SCENES_CLOTH_H
#define TOI_SCENES_CLOTH_H

#include "parts.h"
#include "toi/random.h"

// Moves a node out of what it must not enter. `before` is where it was at the start of the step,
// which began at `time` (in the animation) and takes `step`.
typedef vec3 cloth_obstacle(const void *context, vec3 node, vec3 before, double time, double step);

typedef struct cloth_def
{
    int64_t points; // per side, of the refined cloth
    double side;
    double height;  // of the flat cloth at the start
    double angle;   // how it is turned about the vertical, in turns
    double seconds; // how long the animation takes by the clock of gravity
    double ripple;  // how far the flat cloth is from flat
    cloth_obstacle *obstacle;
    const void *context;
} cloth_def;

typedef struct cloth cloth;

// Starts a simulation; NULL with the message set when there is no memory.
cloth *cloth_create(const cloth_def *def, toi_random *random);

void cloth_destroy(cloth *c);

// Simulates up to a time, which must not be before that of the last call, and writes the refined
// cloth's points, row after row.
void cloth_pose(cloth *c, double time, double (*points)[3]);

#endif
