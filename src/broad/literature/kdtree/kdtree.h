// Space cut into cells, and which boxes are in which: kdtree.c explains the method, kdtree_build.c
// cuts.

#ifndef TOI_BROAD_KDTREE_H
#define TOI_BROAD_KDTREE_H

#include "broad/layout/rows.h"

// A cell that is not cut: how many boxes of each list are in it, and where it begins on axes 1 and
// 2 of the rows.
typedef struct toi_kd_leaf
{
    int32_t count[2];
    float lo[2];
} toi_kd_leaf;

// Leaf i has its references, first those of list a, then those of b, each in the order of the rows,
// from references[i * TOI_BLOCK] on; an empty one has none.
typedef struct toi_kd_cells
{
    int64_t room;        // of references, a multiple of TOI_BLOCK
    int32_t *references; // rows
    toi_kd_leaf *leaves; // room / TOI_BLOCK, most of them empty
} toi_kd_cells;

// Lanes that so many boxes take when they are padded to whole blocks.
static inline int64_t toi_padded(int64_t count)
{
    return (count + TOI_BLOCK - 1) / TOI_BLOCK * TOI_BLOCK;
}

// Cuts the space of all rows, sorted along axis 0, into cells.
toi_status toi_cut_space(const toi_broad_job *job, const toi_ranked_boxes *rows,
                         toi_kd_cells *cells);
void toi_free_cells(toi_kd_cells *cells);

#endif
