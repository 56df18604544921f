// Entries in a layout in which those of one cell stand side by side.

#ifndef TOI_BROAD_CELL_LAYOUT_H
#define TOI_BROAD_CELL_LAYOUT_H

#include "broad/literature/cells/cell_entries.h"

// The entries of a level, sorted by cell, within it by group, within that as in the source. Tags
// have bit k where a box begins before the cell on the k-th axis that is cut, so that of all cells
// that two boxes share, their tags are disjoint in one.
typedef struct toi_cell_layout
{
    toi_layout layout;
    toi_bit_word *starts; // bit i: entry i is the first of its cell
} toi_cell_layout;

// The other bits of tags.
enum
{
    TOI_TAG_LIST_A = 8,
    TOI_TAG_LIST_B = 16,
    TOI_TAG_VISITOR = 32
};

toi_status toi_lay_out_cells(const toi_cell_space *space, const toi_cell_level *level,
                             toi_cell_layout *cells);

void toi_free_cell_layout(toi_cell_layout *cells);

#endif
