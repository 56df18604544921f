// Sine, cosine, rotations and shapes of time with the same bits on every platform.

#include "wave.h"

#include <stdint.h>

// The Taylor polynomials on [-1/8, 1/8] of a turn; the first term left out is below 1e-16.
static double small_sine(double angle)
{
    double square = angle * angle;
    double sum = 1.0 - square / 210.0;
    sum = 1.0 - square / 156.0 * sum;
    sum = 1.0 - square / 110.0 * sum;
    sum = 1.0 - square / 72.0 * sum;
    sum = 1.0 - square / 42.0 * sum;
    sum = 1.0 - square / 20.0 * sum;
    sum = 1.0 - square / 6.0 * sum;
    return angle * sum;
}

static double small_cosine(double angle)
{
    double square = angle * angle;
    double sum = 1.0 - square / 182.0;
    sum = 1.0 - square / 132.0 * sum;
    sum = 1.0 - square / 90.0 * sum;
    sum = 1.0 - square / 56.0 * sum;
    sum = 1.0 - square / 30.0 * sum;
    sum = 1.0 - square / 12.0 * sum;
    return 1.0 - square / 2.0 * sum;
}

wave scene_wave(double turns)
{
    double quarters = turns * 4.0;
    int64_t nearest = (int64_t)(quarters + (quarters < 0.0 ? -0.5 : 0.5));
    double angle = (quarters - (double)nearest) * 0x1.921fb54442d18p+0; // pi / 2
    double s = small_sine(angle);
    double c = small_cosine(angle);
    switch ((uint64_t)nearest & 3) {
    case 0:
        return (wave){s, c};
    case 1:
        return (wave){c, -s};
    case 2:
        return (wave){-s, -c};
    default:
        return (wave){-c, s};
    }
}

turn3 scene_turn(vec3 axis, double turns)
{
    wave w = scene_wave(turns);
    double rest = 1.0 - w.cos;
    vec3 a = axis;
    vec3 s = scale3(w.sin, axis);
    return (turn3){
        {w.cos + rest * a.x * a.x, rest * a.x * a.y + s.z, rest * a.x * a.z - s.y},
        {rest * a.x * a.y - s.z, w.cos + rest * a.y * a.y, rest * a.y * a.z + s.x},
        {rest * a.x * a.z + s.y, rest * a.y * a.z - s.x, w.cos + rest * a.z * a.z},
    };
}

vec3 scene_direction(toi_random *random)
{
    double z = toi_random_range(random, -1.0, 1.0);
    wave w = scene_wave(toi_random_unit(random));
    double radius = sqrt(1.0 - z * z);
    return (vec3){radius * w.cos, radius * w.sin, z};
}

vec3 scene_in_cube(toi_random *random, double half)
{
    double x = toi_random_range(random, -half, half);
    double y = toi_random_range(random, -half, half);
    double z = toi_random_range(random, -half, half);
    return (vec3){x, y, z};
}

double scene_ease(double from, double to, double x)
{
    double share = (x - from) / (to - from);
    if (share <= 0.0)
        return 0.0;
    return share >= 1.0 ? 1.0 : share * share * (3.0 - 2.0 * share);
}

double scene_bounce(double high, double x)
{
    double period = 2.0 * high;
    double rounds = x / period;
    int64_t whole = (int64_t)rounds - (rounds < 0.0);
    double rest = x - (double)whole * period;
    return rest > high ? period - rest : rest;
}
