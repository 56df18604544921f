// When a moving triangle first touches a torus, by dense sampling in time and over the triangle
// with descent from the best sample. Its own arithmetic throughout: nothing of the library's
// solvers, fields or motions is used, so that an error there cannot hide here.

#ifndef TOI_CLI_BENCH_SDF_TRUTH_H
#define TOI_CLI_BENCH_SDF_TRUTH_H

#include "toi/sdf.h"

typedef struct torus
{
    double ring; // radius of the ring, about z
    double tube; // radius of the tube
} torus;

// The first time in [0, duration] at which a sample is in the torus, to about 1e-15; infinity where
// none is. Steps in time are at least a microsecond long, so contact that is over in less may be
// missed unless the distance has a minimum there that reaches zero.
double find_dense_time(const torus *solid, const toi_rigid *motion, const double corners[3][3],
                       double duration);

// Likewise for one point: the first contact of a mesh is no later than that of its vertices.
double find_point_time(const torus *solid, const toi_rigid *motion, const double point[3],
                       double duration);

#endif
