// Boxes as rows of floats: what a tree compares and moves while it is built, two boxes a cache
// line.
//
// Bounds are rounded to the nearest float as in layout.h: rows that do not overlap stand for boxes
// that do not overlap, so a tree over rows loses nothing.

#ifndef TOI_BROAD_ROWS_H
#define TOI_BROAD_ROWS_H

#include "broad/layout/layout.h"

enum
{
    TOI_ROWS_AHEAD = 16 // where rows are taken out of order, they are asked for so many before
};

typedef struct toi_ranked_box
{
    float lo[3];
    int32_t id; // under one numbering: b's boxes follow a's
    float hi[3];
    int32_t spare;
} toi_ranked_box;

// Both lists of a job, a's rows first; only a's in a search of a list against itself.
typedef struct toi_ranked_boxes
{
    int64_t count;
    int64_t first_count; // of list a
    int axis;            // coordinate 0 of a row is this axis of the box, 1 and 2 the next two
    bool exact;          // every bound is a float
    toi_ranked_box *rows;
} toi_ranked_boxes;

// Each list in the order of its lower bounds on `axis` (ties by index), or as given if axis is -1.
toi_status toi_make_rows(const toi_broad_job *job, int axis, toi_ranked_boxes *rows);
void toi_free_rows(toi_ranked_boxes *rows);

// The key that has `rank` others before it, which are brought to the front.
uint64_t toi_select_key(uint64_t *keys, int64_t count, int64_t rank);

// Takes the memory of a layout of `lanes` boxes, a multiple of TOI_BLOCK, that its maker fills:
// with toi_place_row() or toi_pad_lanes().
toi_status toi_take_layout(const toi_broad_job *job, const toi_ranked_boxes *rows, int64_t lanes,
                           bool tagged, toi_layout *layout);

static inline void toi_place_row(toi_layout *layout, int64_t lane, const toi_ranked_box *row)
{
    toi_box_block *block = &layout->blocks[lane / TOI_BLOCK];
    int64_t i = lane % TOI_BLOCK;
    block->bound[TOI_LO0][i] = row->lo[0];
    block->bound[TOI_HI0][i] = row->hi[0];
    block->bound[TOI_LO1][i] = row->lo[1];
    block->bound[TOI_HI1][i] = row->hi[1];
    block->bound[TOI_LO2][i] = row->lo[2];
    block->bound[TOI_HI2][i] = row->hi[2];
    layout->ids[lane] = row->id;
    if (i == 0)
        layout->begins[lane / TOI_BLOCK] = row->lo[0];
}

// Makes lanes up to the next block idle, and returns where that begins.
int64_t toi_pad_lanes(toi_layout *layout, int64_t lane);

#endif
