// The slow twin of the overlap test for corners that are small integers: fast enough for all pairs
// of thousands of soups, and written from the definition in toi/overlap.h alone.

#ifndef TOI_TEST_OVERLAP_LATTICE_H
#define TOI_TEST_OVERLAP_LATTICE_H

#include "toi/overlap.h"

enum
{
    LATTICE_MOST = 512 // of a coordinate's size: products of them fit 128 bits
};

typedef struct lattice_face
{
    int32_t vertex[3];
    int64_t corner[3][3];
    unsigned diagonals; // as in toi_polygon_view
} lattice_face;

typedef struct lattice_answer
{
    toi_overlap_class overlap_class; // TOI_OVERLAP_CLASS_COUNT: not to be reported
    int dimension; // of all they have in common, what they share included; -1: nothing
} lattice_answer;

lattice_answer lattice_classify(const lattice_face *a, const lattice_face *b);

#endif
