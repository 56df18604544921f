// The tree of a mesh, as its walks see it: four boxes or four triangles at a time. Beside the
// kernels, whose names toi/sdf.h does not go with.

#ifndef TOI_SDF_MESH_WALK_H
#define TOI_SDF_MESH_WALK_H

#include "sdf/tree.h"

enum
{
    TOI_WIDE = 4, // children of a node, triangles of a block: a vector of doubles
    TOI_WIDE_STACK = (TOI_WIDE - 1) * (TOI_TREE_DEPTH + 1) + TOI_WIDE // with lanes above the top
};

// Squares of coordinates and of what is computed of them stay finite below this.
#define TOI_LARGEST_COORDINATE 0x1p300

// Unused lanes have a box that nothing is near to.
typedef struct toi_wide_node
{
    double low[3][TOI_WIDE];
    double high[3][TOI_WIDE];
    int32_t child[TOI_WIDE]; // a node, or ~ a block
} toi_wide_node;

// Unused lanes repeat the first triangle. Corners go as the face goes, from the one across its
// longest side: the sine of the angle there is the largest.
typedef struct toi_triangle_block
{
    double corners[3][3][TOI_WIDE]; // by corner, axis, lane
    double inverse[3][TOI_WIDE];    // of the squared length of sides 0-1, 0-2 and 1-2
    double normal[3][TOI_WIDE];     // of sides 0-1 and 0-2, over its own square
    int32_t face[TOI_WIDE];         // -1: unused
    bool
        wide; // all sines are at least 1/8 and the sides of ordinary size: the above is good enough
} toi_triangle_block;

typedef struct toi_mesh_tree
{
    toi_wide_node *nodes; // nodes[0] is the root
    toi_triangle_block *blocks;
    int64_t node_count;
    int64_t block_count;
    double low[3]; // box of all
    double high[3];
    double longest;      // no side of a triangle is longer
    int32_t (*open)[2];  // sides that no other face meets, as the faces go; as often as they lack
    int64_t open_count;  // 0: the mesh is closed
    double (*points)[3]; // of the open sides alone
} toi_mesh_tree;

// Where a triangle is nearest to a point p: at a + u (b - a) + v (c - a) of its corners.
typedef struct toi_nearest
{
    double square;    // of the distance; infinity: none is nearer than asked
    double offset[3]; // p less the nearest point
    double u;
    double v;
    int32_t block; // and lane: where the triangle is stored
    int32_t lane;
} toi_nearest;

// A half-space that holds things: |x - y| >= distance + normal.(x - c) for every y of them, every x
// and the c that it was made for, over the real numbers. |normal| <= 1.
typedef struct toi_support
{
    double normal[3];
    double distance;
    double first; // its distance before it was lowered to hold more
} toi_support;

// A triangle of which half-spaces start, and how far they have to go.
typedef struct toi_near
{
    int32_t block;
    int32_t lane;
    double reach; // every triangle whose computed distance is at most this is in a half-space
    double slack; // a half-space may be lowered by this much to hold one more thing
} toi_near;

// The corners of a triangle.
static inline void toi_block_corners(const toi_triangle_block *block, int lane,
                                     double corners[3][3])
{
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k)
            corners[v][k] = block->corners[v][k][lane];
}

// Of mesh_distance_isa.c: with the instruction set in force.
typedef struct toi_mesh_kernel
{
    void (*find_nearest)(const toi_mesh_tree *tree, const double point[3], toi_nearest *nearest);
    // Signed count of the faces that the ray crosses, outward less inward; false: rounding may
    // decide.
    bool (*count_crossings)(const toi_mesh_tree *tree, const double point[3],
                            const double direction[3], int64_t *count);
    int (*cover)(const toi_mesh_tree *tree, const double point[3], const toi_near *near,
                 toi_support *supports, int room);
} toi_mesh_kernel;

// The half-space of a triangle, from its nearest point as computed: the one with the greatest
// distance, or that of the face's plane if its distance is `enough`. What comes near to a surface
// mostly lies along it, and so does that plane.
toi_support toi_support_triangle(double corners[3][3], const double point[3], double u, double v,
                                 const double offset[3], double enough);

#endif
