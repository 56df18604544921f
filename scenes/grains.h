// Many rigid bodies that bounce off each other, each standing in for its shape with one ball: good
// enough to look right, and loose enough that the shapes themselves run into each other.

#ifndef TOI_SCENES_GRAINS_H
#define TOI_SCENES_GRAINS_H

#include "parts.h"
#include "toi/random.h"

typedef struct grain
{
    vec3 at;
    vec3 speed; // in the whole animation
    vec3 spin;  // axis times turns in the whole animation
    turn3 pose;
    double radius;
} grain;

typedef struct grains
{
    grain *data;
    int64_t count;
    vec3 low; // walls
    vec3 high;
    double gravity;     // downwards, with the length of the animation as the unit of time
    double restitution; // share of the speed kept in a bounce
    double friction;    // share of the sliding speed lost in a bounce on the floor
    double cell;        // side of the search grid's cells: no diameter is larger
    int64_t cells[3];
    int32_t *first; // of each cell in `order`; one more than cells
    int32_t *order;
} grains;

// Takes memory for `count` grains between walls; `cell` is the largest diameter there will be.
toi_status grains_create(grains *g, int64_t count, vec3 low, vec3 high, double cell);

void grains_destroy(grains *g);

// Moves all freely for a step, then lets them bounce: off each other, if they do so, and off walls.
void grains_step(grains *g, double step, bool bounce);

#endif
