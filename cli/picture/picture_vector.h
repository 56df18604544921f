// The little arithmetic that pictures need.

#ifndef TOI_CLI_PICTURE_VECTOR_H
#define TOI_CLI_PICTURE_VECTOR_H

#include <math.h>

typedef struct vec
{
    double x;
    double y;
    double z;
} vec;

static inline vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + s b
static inline vec plus(vec a, double s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Of length 1, or zero where `a` is.
static inline vec unit(vec a)
{
    double length = sqrt(dot(a, a));
    return length > 0.0 ? (vec){a.x / length, a.y / length, a.z / length} : (vec){0.0, 0.0, 0.0};
}

// Rounded towards zero; `low` for what is not a number.
static inline int clamp_int(double x, int low, int high)
{
    if (!(x > (double)low))
        return low;
    return x < (double)high ? (int)x : high;
}

#endif
