// Sine and cosine with fixed operations (the C library's differ in their last bits from platform to
// platform), and other shapes of time.

#ifndef TOI_SCENES_WAVE_H
#define TOI_SCENES_WAVE_H

#include "toi/random.h"
#include "vec3.h"

typedef struct wave
{
    double sin;
    double cos;
} wave;

// Sine and cosine of an angle in turns (1 is a full circle), |turns| below 2^52, to about 1e-15.
wave scene_wave(double turns);

// The rotation by `turns` about the unit vector `axis`.
turn3 scene_turn(vec3 axis, double turns);

// A random unit vector.
vec3 scene_direction(toi_random *random);

// A random vector in the cube [-half, half]^3.
vec3 scene_in_cube(toi_random *random, double half);

// 0 up to `from`, 1 after `to`, smooth in between.
double scene_ease(double from, double to, double x);

// Goes to and fro between 0 and `high` with slope 1: the path of something between two walls.
double scene_bounce(double high, double x);

#endif
