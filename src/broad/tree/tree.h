// Boxes in blocks of sixteen along a space-filling curve, and over them the boxes of the blocks, in
// blocks of sixteen again, up to one: a tree that needs no pointers. A block is searched for as a
// packet: its sixteen boxes go down the tree together.
//
// Bounds are floats rounded to nearest; where two are equal the doubles are asked, as in layout.h.

#ifndef TOI_BROAD_TREE_H
#define TOI_BROAD_TREE_H

#include "broad/layout/layout.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum
{
    TOI_TREE_LEVELS = 8, // 16^8 > 2^31
    TOI_SIDES = 6        // of a box: lower x y z, upper x y z
};

// Upper bounds are never -0: 0 less the number of a row is not, rounded to nearest
// (base/fp_mode.h). Bounds of boxes are finite; idle lanes have lower bounds inf and upper bounds
// -inf.
typedef struct toi_tree_block
{
    float bound[TOI_SIDES][TOI_BLOCK];
} toi_tree_block;

// A box as two quads, lower x y z and idle, negated upper x y z and idle, so that the box of two
// boxes is one minimum.
typedef float toi_box_row __attribute__((vector_size(32)));

typedef float toi_box_quad __attribute__((vector_size(16)));

// The lesser numbers of two quads, and their sizes.
static inline toi_box_quad toi_low_quad(toi_box_quad a, toi_box_quad b)
{
#if defined(__SSE__)
    return (toi_box_quad)_mm_min_ps((__m128)a, (__m128)b);
#else
    typedef int32_t bits __attribute__((vector_size(16)));
    bits less = a < b;
    return (toi_box_quad)((less & (bits)a) | (~less & (bits)b));
#endif
}

// The first three numbers of four quads, each number of all four side by side.
static inline void toi_turn_quads(const toi_box_quad rows[4], toi_box_quad columns[3])
{
    toi_box_quad low_ab = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    toi_box_quad low_cd = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    toi_box_quad high_ab = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    toi_box_quad high_cd = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    columns[0] = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
    columns[2] = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
}

static inline toi_box_quad toi_size_quad(toi_box_quad a)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    return (toi_box_quad)((bits)a & 0x7fffffff);
}

// Widens a box to hold another, a quad at a time, which every machine can.
static inline void toi_widen_row(toi_box_row *box, const toi_box_row *row)
{
    toi_box_quad *to = (toi_box_quad *)box;
    const toi_box_quad *from = (const toi_box_quad *)row;
    for (int i = 0; i < 2; ++i)
        to[i] = toi_low_quad(from[i], to[i]);
}

// The box of three points, the fourth number of each being 0.
static inline void toi_box_points(const float *a, const float *b, const float *c, toi_box_row *box)
{
    typedef float quad __attribute__((vector_size(16)));
    typedef int32_t bits __attribute__((vector_size(16)));
    quad p[3], lo, hi;
    __builtin_memcpy(&p[0], a, sizeof lo);
    __builtin_memcpy(&p[1], b, sizeof lo);
    __builtin_memcpy(&p[2], c, sizeof lo);
    lo = hi = p[0];
    for (int i = 1; i < 3; ++i) {
        bits less = p[i]<lo, more = p[i]> hi;
        lo = (quad)((less & (bits)p[i]) | (~less & (bits)lo));
        hi = (quad)((more & (bits)p[i]) | (~more & (bits)hi));
    }
    ((quad *)box)[0] = lo;
    ((quad *)box)[1] = -hi;
}

// The least and the greatest label of a block.
typedef struct toi_label_range
{
    int32_t first;
    int32_t last;
} toi_label_range;

typedef struct toi_tree
{
    int64_t count;           // of boxes
    int32_t *ids;            // of the boxes, padded to whole blocks; at the front of the memory
    toi_box_row (*boxes)[2]; // of the halves of the blocks
    int levels;              // level 0 are the boxes themselves
    int64_t blocks[TOI_TREE_LEVELS];
    toi_tree_block *level[TOI_TREE_LEVELS]; // all in one array, which follows the ids
    // Vertices of the primitives, by whatever numbers; primitives that share one are no pair. In
    // groups of sixteen, `corners` groups a block.
    int corners;
    int32_t *labels;
    toi_label_range *ranges; // one a block
    bool exact;              // every bound is a float
    // Or NULL. Of each block, level by level: a label that all boxes in it have, or -1.
    int32_t *common[TOI_TREE_LEVELS];
    // Of boxes that move, or NULL. Then level 0 and `boxes` are those at t = 0 and over the whole
    // step, `far` is level 0 at t = 1, and `ends` are the blocks' boxes at t = 0 and t = 1.
    toi_tree_block *far;
    toi_box_row (*ends)[2];
    // Or NULL. Of boxes that move and are compared with a margin: level 0 is over the whole step,
    // and this at t = 0. Of each block, x y z: about a point then of what each box is around.
    toi_tree_block *near;
    float (*middles)[3][TOI_BLOCK];
} toi_tree;

// The row of a box: nearest floats, kept finite; true if they are the doubles.
bool toi_round_row(const toi_box *box, toi_box_row *row);

// The memory of a tree of `count` boxes, in whole cache lines; `moving`: at both ends of a step,
// `middles`: with the middles of the boxes.
int64_t toi_tree_bytes(int64_t count, int corners, bool moving, bool middles);

// Gives the parts of a tree their places in memory of the caller's. It is not freed.
void toi_place_tree(int64_t count, int corners, bool moving, bool middles, char *memory,
                    toi_tree *tree);

// The same in memory of its own.
toi_status toi_take_tree(toi_budget *budget, int64_t count, int corners, bool moving, bool middles,
                         toi_tree *tree);
void toi_free_tree(toi_tree *tree);

// Where the sixteen labels of corner `corner` stand.
static inline int32_t *toi_block_labels(const toi_tree *tree, int64_t block, int corner)
{
    return tree->labels + (block * tree->corners + corner) * TOI_BLOCK;
}

// Writes up to sixteen rows as a block, idle lanes after them, and the boxes around the first and
// the second eight; a half without boxes gets the other's.
void toi_fill_block(const toi_box_row rows[TOI_BLOCK], int count, toi_tree_block *block,
                    toi_box_row halves[2]);

// Builds the blocks of level 1 over blocks of level 0, from a multiple of TOI_BLOCK to before
// `end`, which is another or that of all.
void toi_raise_blocks(const toi_tree *tree, int64_t first, int64_t end);

// Builds the levels over level 0.
void toi_raise_tree(toi_tree *tree, int workers);

// Builds the levels of some trees from level `from` on: 1, or 2 where that is built.
void toi_raise_trees(toi_tree *const *trees, int count, int from, int workers);

// Finds the labels that whole blocks have in common. Worth it where so many primitives share a
// vertex that they would be compared, all with all, only to be dropped: blocks that have the same
// label in common are not compared.
toi_status toi_find_common_labels(toi_budget *budget, toi_tree *tree);

// How far apart boxes that move must stay to be no pair: `off` and a share of the distance of their
// middles. docs/separation.md, section 2.
typedef struct toi_tree_margin
{
    float square; // of the share; 0: there is no margin
    float off;
    bool packets; // as a whole are compared with boxes first: pays where things move far
} toi_tree_margin;

// The box of an id, in double.
typedef void toi_box_getter_fn(const void *context, int32_t id, toi_box *box);

// Which packets a search runs: all, or one after the other few, some and the rest, each from all
// over the tree.
typedef enum toi_search_part
{
    TOI_SEARCH_ALL,
    TOI_SEARCH_FEW,
    TOI_SEARCH_SOME,
    TOI_SEARCH_REST
} toi_search_part;

// One search: the blocks of `packets` in `tree`, or a tree in itself. Where boxes are equal in
// float on some side the getters are asked; but not about faces in faces, which must be exact, nor
// about boxes that move: pairs of these are of places in the trees instead of ids. Boxes that move
// are no pair where on one axis the one is above the other at both ends of the step, by the margin
// if there is one; then they are no pair either where their boxes over the whole step are apart.
typedef struct toi_tree_search
{
    const toi_tree *packets;
    const toi_tree *tree; // the same: each pair once
    toi_box_getter_fn *packet_box;
    toi_box_getter_fn *tree_box;
    const void *context;
    toi_tree_margin margin;
    bool still; // boxes that move stand still: those at t = 0 are those of the whole step
    toi_search_part part;
    // Of faces in faces: labels are below this. Each worker has a mark for every label, bit i:
    // box i of its packet has it. All 0 between packets.
    int64_t label_count;
    uint16_t *marks; // set by toi_run_tree_search()
} toi_tree_search;

// Writes all pairs of the packets from `first` to before `end`.
typedef toi_status toi_search_packets_fn(const toi_tree_search *search, int64_t first, int64_t end,
                                         toi_pair_writer *writer);

// For the instruction set in force.
toi_search_packets_fn *toi_packet_kernel(void);

// What is near a packet, where that is known already.
enum
{
    TOI_LONGEST_LIST = 512
};
typedef struct toi_near_list
{
    const int32_t *blocks; // of the tree, to be compared with the packet
    int block_count;
    // Places in the tree, and the packet's boxes that each may be a pair with; vertices in common
    // are not looked for.
    const int32_t *places;
    const uint16_t *allowed;
    int place_count; // up to TOI_LONGEST_LIST
    bool diagonal;   // the packet is to be compared with itself
} toi_near_list;

// Writes the pairs of a packet of boxes that move that are in the list.
typedef toi_status toi_search_listed_fn(const toi_tree_search *search, int64_t packet,
                                        const toi_near_list *list, toi_pair_writer *writer);

// Is a search so large that it has parts?
bool toi_has_parts(const toi_tree_search *search);

// Runs the packets of a search. A part has the same ones for any number of workers.
toi_status toi_run_tree_search(const toi_tree_search *search, const toi_broad_job *job);

#endif
