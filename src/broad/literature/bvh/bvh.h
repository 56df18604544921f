// A binary tree over blocks of boxes that is kept from call to call: bvh.c searches it, bvh_build.c
// builds it and fits it to boxes that have moved.

#ifndef TOI_BROAD_BVH_H
#define TOI_BROAD_BVH_H

#include "broad/layout/rows.h"

#include <math.h>

enum
{
    TOI_BVH_DEPTH = 80 // no tree is deeper
};

// The nodes of a subtree stand one after the other: the left child follows its parent, and after
// that child's 2 * blocks - 1 nodes, some of them unused, the right child.
typedef struct toi_bvh_node
{
    float lo[3];
    int32_t first; // block
    float hi[3];
    int32_t blocks; // it has room for; 1: a leaf
} toi_bvh_node;

// The tree of one list. Nodes, ids and state are in the slot's block, the bounds belong to a call.
typedef struct toi_bvh
{
    toi_box_view boxes;
    int32_t base;     // the number of the first box among those of both lists
    int64_t capacity; // blocks
    struct toi_bvh_state *state;
    toi_bvh_node *nodes;
    int32_t *ids; // of the boxes in the blocks; -1: an idle lane, at the end of its block
    toi_box_block *blocks;
} toi_bvh;

static inline int32_t toi_right_child(const toi_bvh_node *nodes, int32_t parent)
{
    return parent + 2 * nodes[parent + 1].blocks;
}

// The box around some boxes.
typedef struct toi_node_box
{
    float lo[3];
    float hi[3];
} toi_node_box;

static const toi_node_box TOI_NO_BOX = {{INFINITY, INFINITY, INFINITY},
                                        {-INFINITY, -INFINITY, -INFINITY}};

static inline void toi_extend_bounds(toi_node_box *b, const float lo[3], const float hi[3])
{
    for (int k = 0; k < 3; ++k) {
        b->lo[k] = lo[k] < b->lo[k] ? lo[k] : b->lo[k];
        b->hi[k] = hi[k] > b->hi[k] ? hi[k] : b->hi[k];
    }
}

// How many blocks so many boxes fill.
static inline int64_t toi_blocks_for(int64_t boxes)
{
    return (boxes + TOI_BLOCK - 1) / TOI_BLOCK;
}

// Parts the rows of a node, more than fit a block, in two that together have room in `blocks`
// blocks; returns how many go left.
int64_t toi_split_rows(toi_ranked_box *rows, int64_t count, int64_t blocks, int depth);

// Describes the tree of a list, whose arrays lie in `slot` from there on; returns their bytes. A
// NULL slot: just the bytes.
int64_t toi_place_bvh(toi_bvh *tree, toi_box_view boxes, int64_t base, char *slot);

// Builds the trees of a job, or fits them if they were kept and still do; fills their blocks.
// *exact: every bound is a float.
toi_status toi_update_bvhs(const toi_broad_job *job, toi_bvh *trees, int count, bool kept,
                           bool *exact);

// A leaf on one side of a comparison.
typedef struct toi_bvh_leaf
{
    const toi_bvh_node *node;
    const toi_box_block *block;
    const int32_t *ids;
    const toi_box *boxes; // of the list
} toi_bvh_leaf;

// Two leaves to compare.
typedef struct toi_leaf_pair
{
    toi_bvh_leaf x;
    toi_bvh_leaf y;
    bool same;   // x and y are one leaf: each pair once
    bool sorted; // both are of one list: lower index first. If not, that of x is first
    bool exact;
} toi_leaf_pair;

// Writes the pairs that overlap, which are at most TOI_BLOCK * TOI_BLOCK, and returns how many.
typedef int64_t toi_leaf_overlap_fn(const toi_leaf_pair *pair, toi_pair *pairs);

// For the instruction set in force.
toi_leaf_overlap_fn *toi_leaf_kernel(void);

#endif
