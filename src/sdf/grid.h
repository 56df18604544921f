// Baked fields in memory: one image that is also the file. docs/sdf.md has the format and the
// proofs.
//
// A grid has `blocks` blocks of 8 x 8 x 8 cells. Values are in units of the cell size h: the field
// is phi(x) = h F(u), u = (x - origin) / h. In a cell F is trilinear in its 8 corners; cubic grids
// add, for each of the 12 edges of a cell, a bubble t (1 - t) (a + b t) along the edge, which fades
// linearly towards the other edges. Outside the grid F continues as docs/sdf.md says.

#ifndef TOI_SDF_GRID_H
#define TOI_SDF_GRID_H

#include "sdf/field.h"

enum
{
    TOI_GRID_VERSION = 1,
    TOI_GRID_SIDE = 8,    // cells along a block
    TOI_GRID_NODES = 729, // values of a block, those on its faces included: 9 x 9 x 9, x fastest
    TOI_GRID_EDGES = 648, // edges of a block along one axis: 8 x 9 x 9
    TOI_GRID_BUBBLES = 3 * 2 * TOI_GRID_EDGES,
    TOI_GRID_RANGES = 64 + 8, // of a block: pieces of 2 x 2 x 2 cells, then of 4 x 4 x 4
    TOI_GRID_TRILINEAR_FLOATS = 1168,
    TOI_GRID_CUBIC_FLOATS = 5056,
    TOI_GRID_OUTSIDE = -1, // in the table: a block that is `far` everywhere
    TOI_GRID_INSIDE = -2,  // or -far
    TOI_GRID_LEVELS = 20,
    TOI_GRID_MOST_BLOCKS = 1024 // along an axis
};

// Between these F's derivatives lie.
typedef struct toi_grid_range
{
    float low[3];
    float high[3];
} toi_grid_range;

// Behind it, each from a multiple of 64 bytes: the table (an int32_t a block, x fastest: the number
// of its record, or one of the two constants), ranges of blocks, then of 2 x 2 x 2 blocks and so on
// up to one for all, and the records. A record: values, bubbles (cubic), TOI_GRID_RANGES ranges,
// zeros up to its size.
typedef struct toi_grid_header
{
    char magic[8]; // "toigrid" and a zero
    uint32_t version;
    uint32_t byte_order; // 0x01020304
    int64_t size;        // of the whole image
    uint64_t checksum;   // toi_hash() of all that follows this first line of 64 bytes
    uint8_t zeros[32];
    double origin[3];
    double cell_size;
    double error;     // against the mesh; a length
    double lipschitz; // of the field
    double step;      // toi_field.step, a length
    double most;      // the greatest size of a stored value or bubble
    float far; // values end at this size (a narrow band); 0: there is no block without record
    int32_t interpolation;
    int32_t blocks[3];
    int32_t records;
    int32_t open; // 1: the mesh has open edges, and small holes may have been closed
    uint8_t more_zeros[36];
} toi_grid_header;

// What all cells of a block have in common; or all blocks.
typedef struct toi_grid_facts
{
    double lipschitz; // of F
    double most;
    double bubble; // the bubbles of a cell change F by no more than this
} toi_grid_facts;

typedef struct toi_grid
{
    toi_field base;
    const toi_grid_header *header;
    double origin[3];
    double cell;
    double inverse; // 1 / cell, rounded
    int32_t cells[3];
    int32_t blocks[3];
    bool cubic;
    const int32_t *table;
    const float *records;
    int64_t stride; // floats a record
    int levels;     // ranges of pieces of 2^3 cells and more: level 3 is that of blocks
    const toi_grid_range *ranges[TOI_GRID_LEVELS];
    int32_t sizes[TOI_GRID_LEVELS][3];
    double place_error; // of a computed position, a cell coordinate of 1 being 1
    double value_error; // of F at a computed position
    double slope_error; // of a computed derivative of F, and of what is made of it
    void (*release)(void *context);
    void *context;
} toi_grid;

// Where the parts of an image are.
typedef struct toi_grid_layout
{
    int64_t table;
    int64_t ranges;
    int64_t records;
    int64_t stride;
    int64_t size;
} toi_grid_layout;

// Of a header whose blocks, records and interpolation are in their limits.
toi_grid_layout toi_lay_grid_out(const toi_grid_header *header);

// A field over an image whose header's sizes are right; NULL: no memory.
toi_grid *toi_view_grid(const void *image);

// The grid that a field is, or NULL.
const toi_grid *toi_as_grid(const toi_field *field);

// The numbers of grid->header that toi_view_grid() derives errors from, once they are known.
void toi_finish_grid(toi_grid *grid);

static inline int64_t toi_block_index(const toi_grid *grid, const int32_t at[3])
{
    return at[0] + (int64_t)grid->blocks[0] * (at[1] + (int64_t)grid->blocks[1] * at[2]);
}

static inline const float *toi_grid_record(const toi_grid *grid, int32_t number)
{
    return grid->records + number * grid->stride;
}

static inline const toi_grid_range *toi_record_ranges(const toi_grid *grid, const float *record)
{
    return (const toi_grid_range *)(record + TOI_GRID_NODES + (grid->cubic ? TOI_GRID_BUBBLES : 0));
}

static inline double toi_lerp(double a, double b, double t)
{
    return a + t * (b - a);
}

// The corners of a cell of a record, x fastest.
static inline void toi_load_corners(const float *record, const int32_t cell[3], double corners[8])
{
    const float *low = record + cell[0] + 9 * cell[1] + 81 * cell[2];
    static const int offsets[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    for (int i = 0; i < 8; ++i)
        corners[i] = low[offsets[i]];
}

// The bubbles of the four edges of a cell along an axis: a and b of each. The next axis (after z:
// x) is fastest.
static inline void toi_load_bubbles(const float *record, const int32_t cell[3], int axis,
                                    double a[4], double b[4])
{
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const float *low = record + TOI_GRID_NODES + 2 * TOI_GRID_EDGES * axis +
                       2 * (cell[axis] + 8 * (cell[next] + 9 * cell[last]));
    static const int offsets[4] = {0, 16, 144, 160};
    for (int i = 0; i < 4; ++i) {
        a[i] = low[offsets[i]];
        b[i] = low[offsets[i] + 1];
    }
}

// Between what the derivatives of F lie in the part [low, high] of a cell of a record (in [0, 1]).
void toi_cell_range(const toi_grid *grid, const float *record, const int32_t cell[3],
                    const double low[3], const double high[3], double least[3], double greatest[3]);

// The ranges of a record, of its whole block, and its facts.
void toi_measure_block(const toi_grid *grid, const float *record,
                       toi_grid_range ranges[TOI_GRID_RANGES], toi_grid_range *whole,
                       toi_grid_facts *facts);

// The ranges of levels above that of blocks, from it.
void toi_measure_levels(const toi_grid *grid, toi_grid_range *const levels[TOI_GRID_LEVELS]);

// Fills what of the header follows from the facts of all blocks: most, lipschitz and step.
void toi_note_facts(toi_grid_header *header, const toi_grid_facts *facts);

// A field from an image that baking has filled; takes the image over, also on failure.
toi_status toi_adopt_image(void *image, toi_field **field);

#endif
