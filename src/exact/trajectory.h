// The relative motion of a query in whole numbers: F(t, u, v) = P(t) + u E(t) + v G(t) as in
// kernel/motion.h, without a rounding.

#ifndef TOI_EXACT_TRAJECTORY_H
#define TOI_EXACT_TRAJECTORY_H

#include "exact/points.h"

// A vector that is linear in t, in one of three forms; the others are not set.
typedef enum toi_vector_form
{
    TOI_VECTOR_WORDS,    // words[0] + t words[1], all of them less than 2^62 in magnitude
    TOI_VECTOR_INTEGERS, // c[0] + t c[1]
    TOI_VECTOR_POINTS    // `between` two of `points`; if one vector of a query, then all
} toi_vector_form;

typedef struct toi_vector
{
    toi_vector_form form;
    int64_t words[2][3];
    toi_integer c[2][3];
    const toi_far_points *points;
    toi_difference between;
} toi_vector;

typedef struct toi_trajectory
{
    bool edge_edge; // else vertex-face
    toi_vector p;
    toi_vector e;
    toi_vector g;
    toi_far_points points; // set where the vectors refer to them
} toi_trajectory;

// Takes the differences of a query of finite doubles, all on an axis multiplied by one power of two
// that makes them whole. The trajectory must stay where it is.
void toi_trajectory_from_query(toi_arena *arena, toi_kind kind, const toi_query *query,
                               toi_trajectory *trajectory);

// In what follows `degree` is 1, or 0 to look at t = 0 alone.

// One component, a polynomial.
toi_polynomial toi_vector_component(toi_arena *arena, const toi_vector *a, int degree, int axis);

// a + b and a - b.
void toi_vector_add(toi_arena *arena, const toi_vector *a, const toi_vector *b, toi_vector *sum);
void toi_vector_subtract(toi_arena *arena, const toi_vector *a, const toi_vector *b,
                         toi_vector *difference);

// One component of the cross product.
toi_polynomial toi_vector_cross(toi_arena *arena, const toi_vector *a, const toi_vector *b,
                                int degree, int axis);

// P . (E x G), and E x G by the way: zero where the query is flat.
toi_polynomial toi_trajectory_volume(toi_arena *arena, const toi_trajectory *trajectory, int degree,
                                     toi_polynomial normal[3]);

#endif
