// Boxes in hashed cells: what the grid, the grid with a sweep, the spatial hash and the
// hierarchical hash grid share. They differ by the size of their cells, by the number of axes that
// are cut, by how the boxes of one cell are compared, and by how sizes are divided into levels.

#ifndef TOI_BROAD_CELLS_H
#define TOI_BROAD_CELLS_H

#include "broad/layout/layout.h"
#include "broad/literature/cells/box_scale.h"

// The entries of one cell stand in four groups: the boxes that are at home in a level of cells of
// this size, those of the first list and then those of the second; and smaller boxes that only
// visit them.
enum
{
    TOI_RESIDENTS_A,
    TOI_RESIDENTS_B,
    TOI_VISITORS_A,
    TOI_VISITORS_B,
    TOI_CELL_GROUPS
};

// Group g is [begin[g], begin[g + 1]) of the layout.
typedef struct toi_cell_entries
{
    const toi_layout *layout;
    bool self; // one list: there is no b
    int64_t begin[TOI_CELL_GROUPS + 1];
} toi_cell_entries;

// Are boxes of these groups to be compared? Two visitors have met in a finer level.
static inline bool toi_groups_meet(bool self, int g, int h)
{
    bool visitors = g >= TOI_VISITORS_A && h >= TOI_VISITORS_A;
    return !visitors && (self || (g ^ h) & 1);
}

// Compares entries [first, end) of one group, each with those of the cell that it must meet. The
// calls for all entries of a cell find each pair once.
typedef toi_status toi_compare_cell_fn(const toi_cell_entries *cell, int group, int64_t first,
                                       int64_t end, toi_pair_writer *writer);

// Every entry with all that follow.
toi_compare_cell_fn toi_compare_all;

enum
{
    TOI_SHAPE_BUCKET_BITS = 22
};

typedef uint32_t toi_cell_hash_fn(const int32_t cell[3]);

// What is inside the boxes of a list that is searched against itself: then levels go by sizes, and
// a box has entries only in cells that its shape crosses. Found are pairs of boxes that overlap and
// whose shapes cross a cell in common: all whose shapes have a point in common.
typedef struct toi_cell_shapes
{
    const float *sizes; // one a box
    // Has the shape a point in that box? `slack` is what cells may be larger by than they seem. May
    // say yes too often.
    bool (*crosses)(const void *context, int64_t box, const toi_box *cell, double slack);
    const void *context;
    // The bucket of a cell, below 2^TOI_SHAPE_BUCKET_BITS; NULL: as of boxes.
    toi_cell_hash_fn *hash;
} toi_cell_shapes;

typedef struct toi_cell_rule
{
    double size; // of ordinary cells; those of larger and of smaller boxes follow from it
    int axis;    // cells are columns along this axis, in which they are sorted; -1: cubes
    toi_compare_cell_fn *compare;
    bool octaves; // a level for every power of two of sizes, instead of one that suits most boxes
    const toi_cell_shapes *shapes; // or NULL; only with octaves
} toi_cell_rule;

toi_status toi_search_cells(const toi_broad_job *job, const toi_box_scale *scale,
                            toi_cell_rule rule);

// The hierarchical grid, of boxes or of shapes.
toi_status toi_search_octaves(const toi_broad_job *job, const toi_cell_shapes *shapes);

#endif
