// Fields once more, in long double and by other formulas: the slow twin of src/sdf, and random
// trees of fields to compare the two by.

#ifndef TOI_TEST_FIELD_TWIN_H
#define TOI_TEST_FIELD_TWIN_H

#include "toi/random.h"
#include "toi/sdf.h"

enum
{
    TWIN_COMBINED = TOI_SHAPE_COUNT, // kinds of nodes beyond the shapes
    TWIN_PLACED,
    TWIN_CHILDREN = 20
};

typedef struct twin_node
{
    int kind;
    double numbers[4];
    toi_combination combination;
    toi_placement placement;
    int count;
    struct twin_node *children[TWIN_CHILDREN];
    toi_field *field; // the library's
} twin_node;

// The true value, but for the rounding of long doubles.
long double twin_value(const twin_node *node, const long double p[3]);

// A shape of about this size.
twin_node *random_shape(toi_random *random, toi_shape shape, double size);

// Fields of about this size, combined and placed `depth` times at most; placed as far away as
// `far` sizes.
twin_node *random_tree(toi_random *random, int depth, double size, double far);

void free_tree(twin_node *node);

#endif
