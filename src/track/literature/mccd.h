// MCCD (Tang, Manocha, Tong: Multi-Core Collision Detection between Deformable Models using
// Front-Based Decomposition, 2010): one hierarchy over the whole scene, the front of its test tree
// kept from step to step, and feature pairs of adjacent faces listed once. docs/tracking.md.

#ifndef TOI_TRACK_MCCD_H
#define TOI_TRACK_MCCD_H

#include "ccd/pipeline.h"

// ---- Elements: what the leaves hold

// Rows of numbers, one after the other: row i is ids[first[i]] up to ids[first[i + 1]].
typedef struct toi_row_lists
{
    int64_t *first;
    int32_t *ids;
} toi_row_lists;

// The faces; then, as faces whose corners coincide, the edges that are no side of a face and the
// vertices that nothing else names. So each vertex and each edge is in an element at least.
typedef struct toi_elements
{
    int64_t face_count, count;
    int32_t (*corners)[3];
    toi_row_lists of_vertex; // the elements that hold it, upwards
    toi_row_lists of_edge;   // likewise
    toi_row_lists edges;     // of an element, upwards
} toi_elements;

// Of a mesh that is checked; its positions do not matter. On failure there are none.
toi_status toi_make_elements(const toi_mesh *mesh, int workers, toi_budget *budget,
                             toi_elements *elements);
void toi_free_elements(toi_elements *elements);
int64_t toi_elements_bytes(const toi_elements *elements, const toi_mesh *mesh);

// Do they share a vertex? An element is adjacent to itself.
static inline bool toi_are_adjacent(const toi_elements *e, int32_t a, int32_t b)
{
    const int32_t *x = e->corners[a], *y = e->corners[b];
    bool shared = false;
    for (int i = 0; i < 3; ++i)
        shared |= (x[i] == y[0]) | (x[i] == y[1]) | (x[i] == y[2]);
    return shared;
}

// Is corner k of an element not also one before it?
static inline bool toi_is_new_corner(const int32_t corners[3], int k)
{
    return k == 0 || (k == 1 && corners[1] != corners[0]) ||
           (k == 2 && corners[2] != corners[0] && corners[2] != corners[1]);
}

// ---- Which pair of elements a pair of features belongs to

// A vertex of element a and the face that element b is; an edge of each. Both rules choose one
// pair of elements among those that hold the features. With orphans it is the first one that is
// not adjacent, and pairs of features without any are orphans: listed once, and not here. Else it
// is the first one of all.
bool toi_owns_vertex(const toi_elements *e, bool orphans, int32_t a, int32_t vertex, int32_t b);
bool toi_owns_edges(const toi_elements *e, bool orphans, int32_t a, int32_t edge_a, int32_t b,
                    int32_t edge_b);

// Pairs of features that share no vertex and are in adjacent elements alone, by kind.
typedef struct toi_orphans
{
    toi_pair_array pairs[TOI_PAIR_KINDS];
} toi_orphans;

// *few: they are not more than some an element. Where they are (a vertex with very many faces)
// they are not listed, and adjacent elements must be looked at.
toi_status toi_find_orphans(const toi_elements *e, const toi_mesh *mesh, int workers,
                            toi_budget *budget, toi_orphans *orphans, bool *few);
void toi_free_orphans(toi_orphans *orphans);

// ---- The hierarchy

// Four slabs.
typedef float toi_slabs __attribute__((vector_size(16)));

enum
{
    TOI_BOX_VECTORS = 1, // x, y, z
    TOI_DOP_VECTORS = 3, // and x + y, x - y, x + z, x - z; y + z, y - z
    TOI_MOST_DEPTH = 96  // of a tree
};

// Of an element that is gone.
#define TOI_EMPTY_LEAF INT32_MIN

// A tree in depth-first order: the left child follows its parent. A bound is the least and then
// the greatest of each slab. Behind it there may be a second, small tree of what has changed since
// the first was built.
typedef struct toi_hierarchy
{
    toi_volume volume;
    int64_t leaves;               // of the first tree
    int64_t late;                 // those of the second
    int vectors;                  // of one side of a bound
    toi_slabs *bounds;            // 2 * vectors a node
    int32_t *right;               // the right child; of a leaf ~element, or TOI_EMPTY_LEAF
    struct toi_subtree *subtrees; // shared out between the workers
    int64_t subtree_count;
    int32_t *tops; // the nodes above them, parents first
    int64_t top_count;
    double surface; // of all nodes: of the last refit,
    double built;   // and after the tree was made
} toi_hierarchy;

// Where the elements are.
typedef struct toi_hierarchy_source
{
    const toi_elements *elements;
    const toi_moving_vertex *trajectories;
    double radius; // by which boxes are enlarged
    int workers;
    toi_budget *budget;
} toi_hierarchy_source;

// Takes the memory; the tree is to be built. On failure there is none.
toi_status toi_take_hierarchy(toi_volume volume, int64_t leaves, toi_budget *budget,
                              toi_hierarchy *tree);
void toi_free_hierarchy(toi_hierarchy *tree);
int64_t toi_hierarchy_bytes(const toi_hierarchy *tree);

// Chooses its shape, for the elements that there are, and bounds.
toi_status toi_build_hierarchy(const toi_hierarchy_source *source, toi_hierarchy *tree);

// After faces have come, gone or changed since the elements were `before`: leaves of what is no
// more are emptied, and the second tree is built anew, of all that has no leaf in the first. *kept:
// that was little; else the tree must be built.
toi_status toi_amend_hierarchy(const toi_hierarchy_source *source, const toi_elements *before,
                               toi_hierarchy *tree, bool *kept);

// Bounds alone.
toi_status toi_refit_hierarchy(const toi_hierarchy_source *source, toi_hierarchy *tree);

// Where the second tree begins.
static inline int32_t toi_second_tree(const toi_hierarchy *tree)
{
    return (int32_t)(2 * tree->leaves);
}

static inline bool toi_is_leaf(const toi_hierarchy *tree, int32_t node)
{
    return tree->right[node] < 0;
}

// ---- The front

// Nodes of the test tree, in its order: pairs of nodes of the hierarchy, or twice the same. One
// whose volumes overlap is `met`: its first number is stored as ~a.
typedef struct toi_front_block
{
    toi_pair *nodes;
    int count, capacity;
} toi_front_block;

// In blocks, so that a worker can rewrite one by itself.
typedef struct toi_front
{
    toi_front_block *blocks;
    int64_t block_count, block_capacity;
    int64_t count, capacity; // of the nodes in all of them
} toi_front;

int64_t toi_front_bytes(const toi_front *front);

enum
{
    TOI_LEAST_BLOCK = 64 // nodes that a block has on average, where few may be kept
};

static inline bool toi_is_met(toi_pair node)
{
    return node.a < 0;
}

// As many nodes as there are.
static const int64_t TOI_NO_LIMIT = (int64_t)1 << 60;

// How the test tree is walked.
typedef struct toi_walk
{
    const toi_hierarchy *tree;
    const toi_elements *elements;
    bool orphans;    // pairs of adjacent elements are none of its nodes
    bool keep_apart; // nodes that end in two volumes apart stay; else what is met alone
    int vectors;     // of slabs that count
    int64_t most;    // nodes that may be kept
    int workers;
    toi_budget *budget;
} toi_walk;

// What a walk did.
typedef struct toi_walk_counts
{
    int64_t tests, sprouted, left;
} toi_walk_counts;

// The front that a walk from the root finds. `subtasks`: how many nodes are collected breadth first
// before they are shared out; 1: the root alone.
toi_status toi_make_front(const toi_walk *walk, int64_t subtasks, toi_front *front,
                          toi_walk_counts *counts);

// The front of the last step brought up to date.
toi_status toi_update_front(const toi_walk *walk, toi_front *front, toi_walk_counts *counts);

// After toi_amend_hierarchy(): nodes of a second tree that was go, those of the one that is come.
toi_status toi_amend_front(const toi_walk *walk, toi_front *front);

void toi_free_front(toi_front *front);

// Hands the pairs of elements on whose volumes overlap: those that the nodes of a block stand for.
typedef toi_status toi_leaf_pair_fn(void *context, int32_t element_a, int32_t element_b);
toi_status toi_visit_block(const toi_walk *walk, const toi_front_block *block,
                           toi_leaf_pair_fn *visit, void *context, int64_t *tests);

#endif
