// A problem of the search with segment trees, and its expansion into smaller ones
// (interval_split.c): interval_tree.c explains the method.

#ifndef TOI_BROAD_INTERVAL_TREE_H
#define TOI_BROAD_INTERVAL_TREE_H

#include "broad/layout/rows.h"

enum
{
    TOI_FIRST_AXIS = 2 // that is searched; axis 0 is swept
};

// An item is the number of a row and two bits: the box begins before the segment; it did so on the
// axis before. Boxes that share a bit are not compared: they meet in another node.
static const uint32_t TOI_REACHES = 1u << 31, TOI_ITEM_ROW = (1u << 30) - 1;

// Items in the order of the rows.
typedef struct toi_item_set
{
    const uint32_t *items;
    int64_t count;
} toi_item_set;

// A node of a segment tree on one axis. Of a single list: every pair of boxes that begin here, and
// of one that begins here with one that reaches here. Of two lists: the same, between the lists.
typedef struct toi_problem
{
    int axis; // 0: to be swept
    bool single;
    bool pooled;        // the items are part of a pool
    float end;          // no box that begins here begins beyond it
    int64_t begins[2];  // boxes of each list that begin in the segment
    int64_t reaches[2]; // and that begin before and reach into it
    uint32_t *items[2]; // of each list, in the order of the rows; one array
    int64_t weight;     // its share of the whole search, which is as many as there are boxes
} toi_problem;

// What a problem is replaced by: two halves, and on the next axis the boxes that reach across a
// half against those that begin in it, for each half and list.
typedef struct toi_pieces
{
    toi_problem piece[6];
    int count;
} toi_pieces;

// Room for the problems on the way down, given back in one piece.
typedef struct toi_item_pool
{
    uint32_t *items;
    int64_t count;
    int64_t used;
} toi_item_pool;

// Who expands problems, and the pool that it takes their items from while there are enough; or
// NULL.
typedef struct toi_expander
{
    toi_budget *budget;
    const toi_ranked_box *rows;
    toi_item_pool *pool;
} toi_expander;

static inline const toi_ranked_box *toi_item_row(const toi_ranked_box *rows, uint32_t item)
{
    return &rows[item & TOI_ITEM_ROW];
}

static inline int64_t toi_list_count(const toi_problem *p, int list)
{
    return p->begins[list] + p->reaches[list];
}

static inline int64_t toi_item_count(const toi_problem *p)
{
    return toi_list_count(p, 0) + toi_list_count(p, 1);
}

// The first of a set that begins at x or after on the axis of the sweeps; `beyond`: only after.
int64_t toi_first_item(const toi_ranked_box *rows, toi_item_set set, float x, bool beyond);

// Notes where the last box begins that does so in the segment.
void toi_find_end(const toi_ranked_box *rows, toi_problem *problem);

// Replaces a problem by smaller ones, or by one that is to be swept; it can be forgotten then.
toi_status toi_expand_problem(const toi_expander *e, toi_problem *problem, toi_pieces *out);

// Gives the items back; harmless on a problem without.
void toi_forget_problem(toi_problem *problem);
void toi_forget_pieces(toi_pieces *pieces);

#endif
