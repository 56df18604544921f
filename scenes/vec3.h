// Vectors and rotations of the scenes, in plain double arithmetic so that the bits are the same
// everywhere. A call must not draw two random numbers among its arguments: C leaves their order
// open.

#ifndef TOI_SCENES_VEC3_H
#define TOI_SCENES_VEC3_H

#include <math.h>

typedef struct vec3
{
    double x;
    double y;
    double z;
} vec3;

static inline vec3 add3(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 sub3(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 scale3(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline vec3 step3(vec3 a, double s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dot3(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 cross3(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double length3(vec3 a)
{
    return sqrt(dot3(a, a));
}

// Of length 1; the x axis for a vector of no length.
static inline vec3 unit3(vec3 a)
{
    double length = length3(a);
    return length > 0.0 ? scale3(1.0 / length, a) : (vec3){1.0, 0.0, 0.0};
}

// The part of a that is perpendicular to the unit vector n.
static inline vec3 reject3(vec3 a, vec3 n)
{
    return step3(a, -dot3(a, n), n);
}

static inline void put3(double out[3], vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// Three columns: where the axes go.
typedef struct turn3
{
    vec3 x;
    vec3 y;
    vec3 z;
} turn3;

static inline vec3 apply3(const turn3 *turn, vec3 a)
{
    return step3(step3(scale3(a.x, turn->x), a.y, turn->y), a.z, turn->z);
}

#endif
