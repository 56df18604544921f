// Baking: exact distances at the nodes of a grid, then their signs. docs/sdf.md has the proofs.

#ifndef TOI_SDF_BAKE_H
#define TOI_SDF_BAKE_H

#include "base/parallel.h"
#include "sdf/grid.h"
#include "sdf/mesh_distance.h"
#include "sdf/tree.h"

// A triangle in axes of its own: from the origin its longest side goes along the first, the third
// corner is in the plane of the first two.
typedef struct toi_bake_triangle
{
    double origin[3];
    double axes[3][3];
    double
        lengths[3]; // of the sides: the longest, from its end to the third corner, from its start
    double sides[2][2]; // unit directions of the other two, the same way; 0 without length
    double least;       // 0; infinity for a triangle so thin that its sides stand for it
} toi_bake_triangle;

enum
{
    TOI_BAKE_POINTS = 64 // of a group: 4 x 4 x 4 nodes, or points along an edge of the grid
};

// The points of a group and the least squared distances found so far.
typedef struct toi_bake_group
{
    double at[3][TOI_BAKE_POINTS];
    double best[TOI_BAKE_POINTS];
} toi_bake_group;

// Lowers `best` by the distances to triangles [first, end).
typedef void toi_bake_lower_fn(toi_bake_group *group, const toi_bake_triangle *triangles,
                               int64_t first, int64_t end);

// All lengths are in cells and relative to the grid's origin: nodes are whole numbers.
//
// Nodes are kept in blocks of 8 x 8 x 8, one more along each axis than there are blocks of cells.
// Blocks that are needed have 512 values, the others are farther from the surface than `far`.
typedef struct toi_bake
{
    toi_box_tree tree;
    toi_mesh_tree mesh; // as it was given, for winding numbers
    double origin[3];   // where the grid is there
    double cell;
    toi_bake_triangle *triangles; // in the order of the tree
    int workers;
    toi_meter meter;
    bool cubic;
    double far;         // in cells; infinity: all nodes are needed
    int32_t blocks[3];  // of cells
    int32_t lattice[3]; // blocks of nodes
    uint8_t *wanted;    // is a block of cells stored
    int32_t *table;     // the number of a block of nodes, or -1
    int32_t count;      // blocks of nodes with values
    int64_t *place;     // their places in the lattice
    float *values;      // 512 of each: distances, at the end signed
    float *bubbles;     // cubic: 512 x 3 axes x 2, at a third and two thirds of the edges from each
    uint8_t *inside;    // of a block without values
    toi_mesh_field_report report;
} toi_bake;

static inline int64_t toi_lattice_index(const int32_t size[3], const int32_t at[3])
{
    return at[0] + (int64_t)size[0] * (at[1] + (int64_t)size[1] * at[2]);
}

static inline void toi_lattice_place(const int32_t size[3], int64_t index, int32_t at[3])
{
    at[0] = (int32_t)(index % size[0]);
    at[1] = (int32_t)(index / size[0] % size[1]);
    at[2] = (int32_t)(index / ((int64_t)size[0] * size[1]));
}

// Triangles in the order of the tree.
toi_status toi_prepare_bake(toi_bake *bake);

// Which blocks are stored, which nodes are needed, and their distances, unsigned.
toi_status toi_bake_distances(toi_bake *bake);

// The side of every node.
toi_status toi_bake_signs(toi_bake *bake);

#endif
