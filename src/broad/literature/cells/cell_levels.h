// Which boxes share cells of which size.

#ifndef TOI_BROAD_CELL_LEVELS_H
#define TOI_BROAD_CELL_LEVELS_H

#include "broad/literature/cells/cell_entries.h"

enum
{
    TOI_MOST_LEVELS = 320,
    TOI_FEW_BOXES = 256 // so many are rather compared with all than visited by all
};

typedef struct toi_cell_plan
{
    toi_cell_level levels[TOI_MOST_LEVELS]; // from small to large cells
    int count;
    double few_above; // boxes of this extent or more, at most TOI_FEW_BOXES, are in no level
    int64_t few_count;
} toi_cell_plan;

// Plans the levels of cells not smaller than `least`; `octaves` as in toi_cell_rule. The meter's
// total becomes the boxes of all levels, visitors too, and the few.
toi_status toi_plan_levels(const toi_cell_space *space, double least, bool octaves,
                           toi_cell_plan *plan);

#endif
