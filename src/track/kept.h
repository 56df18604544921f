// What a scene keeps from step to step: the order of the primitives with their bounds
// (TOI_TRACK_ORDER), and for pairs of blocks which pairs may come close before a budget of relative
// motion is spent (TOI_TRACK_BUDGETS). docs/tracking.md has the proofs.

#ifndef TOI_TRACK_KEPT_H
#define TOI_TRACK_KEPT_H

#include "broad/tree/mesh_tree.h"
#include "track/track.h"

// ---- Bounds

// A tree whose bounds follow the motion.
typedef struct toi_kept_tree
{
    toi_tree tree;
    // Of each block the box of its vertices' displacements in this step, rounded outward; or NULL.
    toi_box_row *ways;
} toi_kept_tree;

// Where a step starts.
typedef enum toi_step_start
{
    TOI_START_ELSEWHERE,
    TOI_START_AT_END,   // of the last step: level 0 and `far` have changed places already
    TOI_START_AT_START, // of the last step: bounds at t = 0 are as they were
} toi_step_start;

// Makes the bounds of blocks from the rows of the vertices.
typedef struct toi_refit
{
    const toi_moving_row *rows;
    float pad; // by how much boxes are enlarged
    toi_step_start start;
    bool ways_alone;
    toi_kept_tree *kept;
} toi_refit;

typedef void toi_refit_blocks_fn(const toi_refit *refit, int64_t first, int64_t end);

// ---- Pairs of blocks

// Row j: the boxes of the packet that may come close to box j of the other block.
typedef struct toi_pair_mask
{
    _Alignas(32) uint16_t row[TOI_BLOCK];
} toi_pair_mask;

// A number for each pair of boxes of two blocks, by its bits.
enum
{
    TOI_LEVEL_BITS = 3
};
typedef struct toi_pair_levels
{
    toi_pair_mask bit[TOI_LEVEL_BITS];
} toi_pair_levels;

// For each of the first packets all blocks of the tree that may come near it while the boxes in
// the trees' `boxes` hold, in rising order; in a search of a tree in itself the packet's own comes
// first. Two blocks make an entry.
typedef struct toi_block_front
{
    int64_t packets;
    int64_t *start; // one a packet, and the end
    int32_t *other;
    // How far the two may yet move relative to each other until the next tick; not above 0: nothing
    // is known, and the mask says nothing.
    float *budget;
    float *unit;             // from tick to tick; 0: there are no levels
    uint8_t *reach;          // ticks until which what has no level of its own stays apart
    bool *any;               // the mask is not empty
    int32_t *slot;           // where the entry's pairs are in the arrays that follow
    int64_t slots;           // as many as entries, or some more
    toi_pair_mask *masks;    // pairs that may meet before the next tick
    toi_pair_levels *levels; // of pairs: ticks until which they stay apart
} toi_block_front;

// Writes the blocks near a packet, unless `blocks` is NULL; returns how many they are.
typedef int64_t toi_near_blocks_fn(const toi_tree *packets, const toi_tree *tree, int64_t packet,
                                   int32_t *blocks);

// Lengths in what follows are those of the rows.
typedef struct toi_budget_search
{
    toi_tree_search search;
    const toi_box_row *packet_ways, *tree_ways;
    toi_block_front *front;
    const toi_moving_row *rows;
    float reserve; // what pairs must keep between them beside the budget
    float most;    // that pairs are looked at ahead; where it is too little, nothing is kept
    float least;   // unit
} toi_budget_search;

// Takes the motion of this step from the budgets of a packet, or gives it back.
typedef void toi_spend_fn(const toi_budget_search *search, int64_t packet, bool back);

// Takes the motion of this step from the budgets of a packet, renews those that are spent, and
// writes the pairs that are near.
typedef toi_status toi_search_budgets_fn(const toi_budget_search *search, int64_t packet,
                                         toi_pair_writer *writer);

// The front of a search by the trees' `boxes`. What `old` knows of pairs of blocks goes along. It
// covers as many packets as fit into `limit` bytes; none where there is no memory at all.
void toi_make_block_front(const toi_budget_search *search, int64_t limit, int workers,
                          toi_budget *budget, toi_block_front *front);
void toi_free_block_front(toi_block_front *front);
int64_t toi_block_front_bytes(const toi_block_front *front);

// Takes the motion of this step from all budgets; or, if `back`, gives what was taken for it back:
// the step is made again from its start.
void toi_spend_budgets(const toi_budget_search *search, bool back, int workers);

// Runs all packets: those of the front by their budgets, the others by a walk.
toi_status toi_run_budget_search(const toi_budget_search *search, const toi_broad_job *job);

// ---- What a scene keeps

typedef struct toi_kept_steps
{
    double min_separation;
    toi_mesh_order order;
    toi_kept_tree trees[3];                 // by primitive; those without primitives are empty
    toi_block_front fronts[TOI_PAIR_KINDS]; // while they hold
    bool fat;                               // the trees' `boxes` are enlarged, for fronts
    bool whole;                             // they are those of this step
    uint8_t *moved;                         // for moving rows: one a piece of them
    bool spent;                             // all budgets know of the last step's motion
    double looseness;                       // of the edges' blocks when the order was made
    double edge;                            // mean length, in rows
} toi_kept_steps;

// ---- Its rows (kept_rows.c)

// Rows from `start`, or from where they end, to `end`; returns the largest number in them.
float toi_set_kept_rows(const struct toi_pipeline *p, toi_kept_steps *k,
                        const toi_point_view *start, const toi_point_view *end);

// Where this step starts, as far as rows tell.
toi_step_start toi_find_kept_start(const struct toi_pipeline *p, toi_kept_steps *k);

// Does the step seem to go on from the last one? Some rows tell: those that start where they ended,
// and of these one at least that has moved before.
bool toi_seems_kept_to_follow(const struct toi_pipeline *p, const toi_kept_steps *k);

// Rows of this step, if it starts where the last one ended: they are compared and moved in one go.
// If some start elsewhere no end is changed.
bool toi_follow_kept_rows(const struct toi_pipeline *p, toi_kept_steps *k, float *largest);

// Mean length of some of the edges.
double toi_kept_mean_edge(const struct toi_pipeline *p, const toi_kept_steps *k);

// How far some of the vertices move, in mean edges.
double toi_kept_mean_way(const struct toi_pipeline *p, const toi_kept_steps *k);

// How far the vertices of two neighbouring blocks move relative to each other, in mean edges: the
// mean of some, which are few enough to cost a small scene little.
double toi_kept_relative_way(const toi_kept_steps *k);

// Mean extent of the blocks at the end of the step.
double toi_kept_looseness(const toi_kept_steps *k);

// Does this step tear blocks apart? Some of them tell: then nothing need be brought up to date.
bool toi_are_kept_blocks_torn(const struct toi_pipeline *p, const toi_kept_steps *k);

#endif
