// Orders boxes along a Hilbert curve, so that neighbours in the list are neighbours in space.

#ifndef TOI_BROAD_CURVE_H
#define TOI_BROAD_CURVE_H

#include "broad/tree/tree.h"

// Where the curve runs: a cube from `origin` with 2^bits cells a side. Twice the centres are
// compared, since halving is not needed.
typedef struct toi_curve
{
    double origin[3];
    double scale; // cells a unit
    int bits;
} toi_curve;

// Writes key << 32 | index for boxes [first, first + count): the place of their centres on the
// curve, in 3 * bits bits.
typedef void toi_curve_keys_fn(const toi_curve *curve, const toi_box_row *rows, int64_t first,
                               int64_t count, uint64_t *keys);

// Fills keys with an order of the rows: index in the low 32 bits. Boxes much larger than the mean
// come after the others, where they do not spoil a block of small ones; crowds in one cell of the
// curve are ordered along a curve of their own, so that far outliers do not matter.
toi_status toi_order_rows(const toi_box_row *rows, int64_t count, int workers, uint64_t *keys,
                          uint64_t *scratch);

// How much scratch that takes.
int64_t toi_order_words(int64_t count, int workers);

enum
{
    TOI_LARGE = 8 // times the mean extent: the first size class
};

// The larger boxes' class, 0 for ordinary ones, by their largest extent over the mean one; in the
// two highest bits of a key, above the place on the curve.
uint64_t toi_size_class(const toi_box_row *row, double mean);

// A box's longest side.
static inline double toi_largest_extent(const toi_box_row *row)
{
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        double extent = -(double)(*row)[4 + k] - (double)(*row)[k];
        largest = extent > largest ? extent : largest;
    }
    return largest;
}

// The mean extent of half a block of a tree, from some of them: how loose its order is.
double toi_mean_half(const toi_tree *tree);

// A kept order is made again when it has become looser by that factor.
#define TOI_LOOSER 1.25

#endif
