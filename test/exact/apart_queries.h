// Random queries with a separation that are hard to decide exactly, in groups: a narrow phase takes
// many queries with one separation. The same seed gives the same groups on every platform.

#ifndef TOI_TEST_APART_QUERIES_H
#define TOI_TEST_APART_QUERIES_H

#include "toi/narrow_phase.h"
#include "toi/random.h"

typedef enum apart_family
{
    APART_RANDOM,  // two random primitives near each other, some of them still
    APART_LATTICE, // small integers, and distances that are whole numbers: exact ties
    APART_NEAR, // degenerate, tangent, or a few ulps from it; of any size and far from the origin
    APART_FAMILIES
} apart_family;

const char *apart_family_name(apart_family family);

enum
{
    APART_GROUP = 16 // what the widest instruction set takes at a time
};

typedef struct apart_group
{
    toi_kind kind;
    double separation; // or d_min, where the share is not 0
    double share;      // of the initial distance: 0 or in ]0, 0.5]
    double t_max;
    toi_query queries[APART_GROUP];
} apart_group;

apart_group make_apart_group(apart_family family, toi_random *random);

// A group with a share: among others faces whose plane is much nearer than they are, and edges
// whose lines are.
apart_group make_relative_group(toi_random *random);

// The first of two contacts of one feature, `gap` of the step apart: the distance is s at both,
// less between them, and more before and after. Point-point: the sphere; point-edge: the cylinder;
// vertex-face and edge-edge: one of those two, or the offset plane.
typedef struct grazing_query
{
    toi_query query;
    double separation;
} grazing_query;

grazing_query make_grazing_query(toi_kind kind, toi_random *random);

#endif
