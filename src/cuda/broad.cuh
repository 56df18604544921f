// What broad phases on a card compute with: swept boxes in double, which decide; their images in
// single precision, which sort and sieve; cells, curves and trees. Compiles for the host too.
//
// Every image is made by a map that never puts a number above a larger one. So boxes that overlap
// have images that overlap, whatever is rounded: nothing is lost, and what is too much the boxes in
// double drop.

#ifndef TOI_CUDA_BROAD_CUH
#define TOI_CUDA_BROAD_CUH

#include "cuda/frame.cuh"
#include "kernel/bounds.h"
#include "kernel/rounding.h"

enum
{
    TOI_CELL_BITS = 10, // an axis
    TOI_CELLS = 1 << TOI_CELL_BITS
};
constexpr uint32_t TOI_SECOND_LIST = 0x80000000u; // of a box's number: it is a face

// A closed box, as toi_box has it.
struct toi_card_box
{
    double lo[3], hi[3];
};

// The image of a box, and which one it is of.
struct alignas(16) toi_float_row
{
    float lo[3], hi[3];
    uint32_t number; // with TOI_SECOND_LIST
    uint32_t unused;
};

// ---- Boxes

TOI_ON_BOTH void toi_start_box(toi_card_box *box)
{
    for (int k = 0; k < 3; ++k) {
        box->lo[k] = HUGE_VAL;
        box->hi[k] = -HUGE_VAL;
    }
}

// Positions at both ends, one after the other.
TOI_ON_BOTH void toi_enclose(const double x[6], toi_card_box *box)
{
    for (int i = 0; i < 6; ++i) {
        box->lo[i % 3] = x[i] < box->lo[i % 3] ? x[i] : box->lo[i % 3];
        box->hi[i % 3] = x[i] > box->hi[i % 3] ? x[i] : box->hi[i % 3];
    }
}

// Enlarged for a separation, and widened to floats where they decide: as the processor does both.
TOI_ON_BOTH void toi_finish_box(double radius, bool widen, toi_card_box *box)
{
    for (int k = 0; k < 3; ++k) {
        if (radius > 0) {
            box->lo[k] = toi_subtract_down(box->lo[k], radius);
            box->hi[k] = toi_add_up(box->hi[k], radius);
        }
        if (widen) {
            box->lo[k] = (double)toi_float_below(box->lo[k]);
            box->hi[k] = -(double)toi_float_below(-box->hi[k]);
        }
    }
}

TOI_ON_BOTH bool toi_boxes_overlap(const toi_card_box *a, const toi_card_box *b)
{
    bool overlap = true;
    for (int k = 0; k < 3; ++k)
        overlap = overlap && a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k];
    return overlap;
}

TOI_ON_BOTH toi_float_row toi_image_of(const toi_frame *f, const toi_card_box *box, uint32_t number)
{
    toi_float_row row;
    for (int k = 0; k < 3; ++k) {
        row.lo[k] = (float)toi_into_frame(f, box->lo[k], k);
        row.hi[k] = (float)toi_into_frame(f, box->hi[k], k);
    }
    row.number = number;
    row.unused = 0;
    return row;
}

TOI_ON_BOTH bool toi_rows_overlap(const toi_float_row &a, const toi_float_row &b)
{
    bool x = a.lo[0] <= b.hi[0] && b.lo[0] <= a.hi[0];
    bool y = a.lo[1] <= b.hi[1] && b.lo[1] <= a.hi[1];
    return x && y && a.lo[2] <= b.hi[2] && b.lo[2] <= a.hi[2];
}

// Whole numbers that are in the order of the floats.
TOI_ON_BOTH uint32_t toi_float_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

// ---- Cells and curves

// A grid of at most TOI_CELLS cells an axis, which begins at `low`.
struct toi_grid
{
    float low[3], per_unit[3]; // cells a unit of length
};

// Which cell a number is in, on an axis; what is outside is in the first or the last.
TOI_ON_BOTH uint32_t toi_cell_of(const toi_grid *g, float x, int k)
{
    return (uint32_t)fminf(fmaxf((x - g->low[k]) * g->per_unit[k], 0.0f), TOI_CELLS - 1.0f);
}

// The cells that a box is in: from `first` to `last` on every axis.
struct toi_cell_range
{
    uint32_t first[3], last[3];
};

TOI_ON_BOTH toi_cell_range toi_cells_of(const toi_grid *g, const toi_float_row &row)
{
    toi_cell_range r;
    for (int k = 0; k < 3; ++k) {
        r.first[k] = toi_cell_of(g, row.lo[k], k);
        r.last[k] = toi_cell_of(g, row.hi[k], k);
    }
    return r;
}

TOI_ON_BOTH uint64_t toi_count_cells(const toi_cell_range *r)
{
    uint64_t count = 1;
    for (int k = 0; k < 3; ++k)
        count *= r->last[k] - r->first[k] + 1;
    return count;
}

TOI_ON_BOTH uint32_t toi_cell_key(uint32_t x, uint32_t y, uint32_t z)
{
    return (z << TOI_CELL_BITS | y) << TOI_CELL_BITS | x;
}

// Cell number i of a range.
TOI_ON_BOTH uint32_t toi_cell_at(const toi_cell_range *r, uint64_t i)
{
    uint64_t wide = r->last[0] - r->first[0] + 1, deep = r->last[1] - r->first[1] + 1;
    return toi_cell_key(r->first[0] + (uint32_t)(i % wide),
                        r->first[1] + (uint32_t)(i / wide % deep),
                        r->first[2] + (uint32_t)(i / wide / deep));
}

// Boxes that overlap meet in the cell of the greater of their lower corners, which is in the
// ranges of both; and are reported there alone.
TOI_ON_BOTH uint32_t toi_meeting_cell(const toi_grid *g, const toi_float_row &a,
                                      const toi_float_row &b)
{
    uint32_t at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = toi_cell_of(g, fmaxf(a.lo[k], b.lo[k]), k);
    return toi_cell_key(at[0], at[1], at[2]);
}

TOI_ON_BOTH uint32_t toi_spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

// The place of a box's middle on a Morton curve.
TOI_ON_BOTH uint32_t toi_morton_of(const toi_grid *g, const toi_float_row &row)
{
    uint32_t at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = toi_cell_of(g, 0.5f * row.lo[k] + 0.5f * row.hi[k], k);
    return toi_spread_bits(at[0]) << 2 | toi_spread_bits(at[1]) << 1 | toi_spread_bits(at[2]);
}

// ---- Trees

// Karras 2012: node i of count - 1 has the leaves from `first` to `last`, cut after `cut`.
struct toi_tree_node
{
    int32_t first, last, cut;
};

TOI_ON_BOTH int toi_leading_zeros(uint32_t x)
{
#ifdef __CUDA_ARCH__
    return __clz((int)x);
#else
    return x ? __builtin_clz(x) : 32;
#endif
}

// How many bits two leaves have in common; equal keys are told apart by their places.
TOI_ON_BOTH int toi_common_bits(const uint32_t *keys, int32_t count, int32_t i, int64_t j)
{
    if (j < 0 || j >= count)
        return -1;
    uint32_t differ = keys[i] ^ keys[j];
    return differ ? toi_leading_zeros(differ) : 32 + toi_leading_zeros((uint32_t)(i ^ (int32_t)j));
}

TOI_ON_BOTH toi_tree_node toi_find_node(const uint32_t *keys, int32_t count, int32_t i)
{
    int after = toi_common_bits(keys, count, i, (int64_t)i + 1);
    int before = toi_common_bits(keys, count, i, (int64_t)i - 1), side = after > before ? 1 : -1;
    int least = after > before ? before : after;
    int64_t reach = 2, length = 0, cut = 0;
    while (toi_common_bits(keys, count, i, i + reach * side) > least)
        reach *= 2;
    for (int64_t t = reach / 2; t >= 1; t /= 2)
        if (toi_common_bits(keys, count, i, i + (length + t) * side) > least)
            length += t;
    int32_t j = (int32_t)(i + length * side);
    int shared = toi_common_bits(keys, count, i, j);
    for (int64_t t = length; t > 1;) {
        t = (t + 1) / 2;
        if (toi_common_bits(keys, count, i, i + (cut + t) * side) > shared)
            cut += t;
    }
    if (side > 0)
        return toi_tree_node{i, j, (int32_t)(i + cut)};
    return toi_tree_node{j, i, (int32_t)(i - cut - 1)};
}

#endif
