// Entries: a box in each of its cells. Space is cut into cells, boxes become keys that name a cell
// and a box.

#ifndef TOI_BROAD_CELL_ENTRIES_H
#define TOI_BROAD_CELL_ENTRIES_H

#include "broad/literature/cells/cells.h"

// How space is cut, and the boxes in it.
typedef struct toi_cell_space
{
    const toi_broad_job *job;
    int axis;             // of the columns, or -1
    double size;          // of ordinary cells
    double per_extent;    // makes extents multiples of a little less than that size
    int axes;             // that are cut: two or three
    double origin[3];     // of the cells, on these axes
    int lo_column[3];     // of these axes in a layout; that of the upper bounds follows
    toi_layout source[2]; // the lists, in the order in which a cell has them
    int bucket_bits;      // of a key
    int offset_bits;      // of a key, for one axis; a box has at most 2^offset_bits cells on it
    const toi_cell_shapes *shapes; // or NULL
} toi_cell_space;

// Cells of one size. A box of extent less than 2^k times this size, times 63/64 to be safe from
// rounding, fills at most 2^k + 1 of them on an axis. Extents are the largest on the axes that are
// cut, in units of 63/64 of an ordinary cell.
typedef struct toi_cell_level
{
    double scale;        // the size of its cells, in ordinary cells; a power of two
    double above, below; // residents have extents in [above, below); smaller boxes visit
    int64_t boxes[TOI_CELL_GROUPS];
} toi_cell_level;

// Pieces that boxes are worked on in.
static inline int64_t toi_cell_pieces(int64_t count)
{
    return (count + TOI_PIECE - 1) / TOI_PIECE;
}

// More than any extent of boxes whose bounds are floats.
static const double TOI_MOST_EXTENT = 0x1p290;

// The extents of the boxes in the block of a source that begins with box i; of shapes their sizes,
// if these are larger. A bound beyond the floats is infinite there: a box with one has the most
// extent, a box with two on an axis is flat.
static inline void toi_find_extents(const toi_cell_space *space, const toi_layout *source,
                                    int64_t i0, double extents[TOI_BLOCK])
{
    const toi_box_block *block = &source->blocks[i0 / TOI_BLOCK];
    for (int i = 0; i < TOI_BLOCK; ++i)
        extents[i] = 0;
    for (int k = 0; k < space->axes; ++k) {
        const float *lo = block->bound[space->lo_column[k]], *hi = lo + TOI_BLOCK;
        for (int i = 0; i < TOI_BLOCK; ++i) {
            double extent = ((double)hi[i] - (double)lo[i]) * space->per_extent;
            extents[i] = extent > extents[i] ? extent : extents[i];
        }
    }
    for (int i = 0; space->shapes && i < TOI_BLOCK && i0 + i < source->count; ++i) {
        double size = (double)space->shapes->sizes[i0 + i] * space->per_extent;
        extents[i] = size > extents[i] ? size : extents[i];
    }
    for (int i = 0; i < TOI_BLOCK; ++i)
        extents[i] = extents[i] < TOI_MOST_EXTENT ? extents[i] : TOI_MOST_EXTENT;
}

// From bounds to cells of a level: bound * inverse + bias, clamped to the cells of the least and of
// the largest float.
typedef struct toi_cell_map
{
    double inverse, bias[3];
    double first[3], last[3];
} toi_cell_map;

// The cells of up to sixteen bounds on the k-th axis that is cut. One step a loop, for vectors.
static inline void toi_cells_at(const toi_cell_map *map, int k, int count, const float *bounds,
                                int32_t *cells)
{
    double at[TOI_BLOCK], first = map->first[k], last = map->last[k];
    for (int i = 0; i < count; ++i)
        at[i] = (double)bounds[i] * map->inverse + map->bias[k];
    for (int i = 0; i < count; ++i)
        at[i] = at[i] > first ? at[i] : first;
    for (int i = 0; i < count; ++i)
        at[i] = at[i] < last ? at[i] : last;
    for (int i = 0; i < count; ++i)
        cells[i] = (int32_t)at[i];
}

// A key, from the lowest bit: the box's number, whether it is a visitor, the cell's offsets from
// the first cell of the box, the cell's bucket.
enum
{
    TOI_KEY_VISITOR = 31,
    TOI_KEY_OFFSETS = 32,
    TOI_KEY_CROSSED = 35 // of shapes: which of the box's other seven cells they cross, too
};

static inline int32_t toi_key_offset(const toi_cell_space *space, uint64_t key, int k)
{
    int bits = space->offset_bits;
    return (int32_t)(key >> (TOI_KEY_OFFSETS + k * bits) & ((1u << bits) - 1));
}

static inline uint64_t toi_key_bucket(const toi_cell_space *space, uint64_t key)
{
    return key >> (64 - space->bucket_bits);
}

// Keys of a level, first those of residents, then those of visitors, each by list and then as in
// the source.
typedef struct toi_cell_keys
{
    toi_cell_map map;
    uint64_t *data;
    int64_t count;
} toi_cell_keys;

// Give `data` back, after failure too.
toi_status toi_make_cell_keys(const toi_cell_space *space, const toi_cell_level *level,
                              toi_cell_keys *keys);

// Bits that several workers set at once.
typedef _Atomic uint64_t toi_bit_word;

// Room for `count` bits, all 0; NULL with the message set on failure.
toi_bit_word *toi_take_bits(toi_budget *budget, int64_t count);

static inline bool toi_get_bit(const toi_bit_word *words, int64_t bit)
{
    return atomic_load_explicit(&words[bit / 64], memory_order_relaxed) >> (bit % 64) & 1;
}

// Looks before it writes: many bits are set again and again.
static inline void toi_set_bit(toi_bit_word *words, int64_t bit)
{
    if (!toi_get_bit(words, bit))
        atomic_fetch_or_explicit(&words[bit / 64], (uint64_t)1 << (bit % 64), memory_order_relaxed);
}

#endif
