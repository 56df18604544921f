// Where a node of a tree of boxes is cut: some of its boxes tell, by the surface area heuristic.

#include "broad/literature/bvh/bvh.h"

enum
{
    BINS = 8,
    SAMPLES = 64,                      // boxes that are asked, at least
    BALANCE_DEPTH = TOI_BVH_DEPTH - 32 // below, nodes are halved
};

// Half the surface of a box.
static inline double half_area(const toi_node_box *b)
{
    double x = (double)b->hi[0] - (double)b->lo[0], y = (double)b->hi[1] - (double)b->lo[1],
           z = (double)b->hi[2] - (double)b->lo[2];
    return x * y + y * z + z * x;
}

// A row's centre; 0 for one that reaches beyond the floats on both sides.
static inline float centre(const toi_ranked_box *row, int axis)
{
    float c = 0.5f * row->lo[axis] + 0.5f * row->hi[axis];
    return c == c ? c : 0;
}

// Where a node is cut: boxes whose centre is before the plane go left.
typedef struct cut
{
    int axis;
    float plane;
    bool found;
} cut;

typedef struct bin
{
    toi_node_box around;
    int64_t count;
} bin;

static inline int bin_of(float c, float first, float scale)
{
    float at = (c - first) * scale;
    return at > 0 ? at < BINS - 1 ? (int)at : BINS - 1 : 0;
}

static void add_bin(bin *side, const bin *other)
{
    toi_extend_bounds(&side->around, other->around.lo, other->around.hi);
    side->count += other->count;
}

static double side_cost(const bin *side)
{
    return side->count > 0 ? (double)side->count * half_area(&side->around) : HUGE_VAL;
}

// The best plane between two bins: the least sum of area times boxes of the two sides.
static cut best_plane(const bin bins[BINS], int axis, float first, float width)
{
    double right_cost[BINS];
    bin side = {TOI_NO_BOX, 0};
    for (int i = BINS - 1; i > 0; --i) {
        add_bin(&side, &bins[i]);
        right_cost[i] = side_cost(&side);
    }
    cut best = {.axis = axis};
    double least = HUGE_VAL;
    side = (bin){TOI_NO_BOX, 0};
    for (int i = 1; i < BINS; ++i) {
        add_bin(&side, &bins[i - 1]);
        double cost = side_cost(&side) + right_cost[i];
        if (cost < least) {
            least = cost;
            best.plane = first + (float)i * (width / BINS);
            best.found = true;
        }
    }
    return best;
}

// Looks for a plane across the axis on which the centres spread most. None is found among boxes
// with one centre, or beyond the floats.
static cut find_cut(const toi_ranked_box *rows, int64_t count)
{
    toi_node_box centres = TOI_NO_BOX;
    int64_t step = 1 + (count - 1) / (SAMPLES + count / SAMPLES);
    for (int64_t i = 0; i < count; i += step) {
        float c[3] = {centre(&rows[i], 0), centre(&rows[i], 1), centre(&rows[i], 2)};
        toi_extend_bounds(&centres, c, c);
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (centres.hi[k] - centres.lo[k] > centres.hi[axis] - centres.lo[axis])
            axis = k;
    float first = centres.lo[axis], width = centres.hi[axis] - first;
    if (!(width > 0))
        return (cut){.axis = axis};
    bin bins[BINS];
    for (int i = 0; i < BINS; ++i)
        bins[i] = (bin){TOI_NO_BOX, 0};
    float scale = (float)BINS / width;
    for (int64_t i = 0; i < count; i += step) {
        bin *b = &bins[bin_of(centre(&rows[i], axis), first, scale)];
        toi_extend_bounds(&b->around, rows[i].lo, rows[i].hi);
        ++b->count;
    }
    return best_plane(bins, axis, first, width);
}

// Brings the rows before the plane to the front and returns how many. Without a branch: which side
// a row goes to cannot be foreseen.
static int64_t part_rows(toi_ranked_box *rows, int64_t count, cut c)
{
    int64_t left = 0;
    for (int64_t i = 0; i < count; ++i) {
        toi_ranked_box row = rows[i];
        rows[i] = rows[left];
        rows[left] = row;
        left += centre(&row, c.axis) < c.plane;
    }
    return left;
}

static inline void swap_rows(toi_ranked_box *a, toi_ranked_box *b)
{
    toi_ranked_box row = *a;
    *a = *b;
    *b = row;
}

// Brings the `wanted` rows with the least centres to the front.
static void select_rows(toi_ranked_box *rows, int64_t count, int64_t wanted, int axis)
{
    int64_t begin = 0, end = count;
    while (end - begin > 1) {
        float pivot = centre(&rows[begin + (end - begin) / 2], axis);
        int64_t low = begin, high = end - 1;
        while (low <= high) {
            while (centre(&rows[low], axis) < pivot)
                ++low;
            while (centre(&rows[high], axis) > pivot)
                --high;
            if (low <= high)
                swap_rows(&rows[low++], &rows[high--]);
        }
        if (wanted <= high)
            end = high + 1;
        else if (wanted >= low)
            begin = low;
        else
            return;
    }
}

int64_t toi_split_rows(toi_ranked_box *rows, int64_t count, int64_t blocks, int depth)
{
    cut c = find_cut(rows, count);
    if (c.found && depth < BALANCE_DEPTH) {
        int64_t left = part_rows(rows, count, c);
        if (left > 0 && left < count &&
            toi_blocks_for(left) + toi_blocks_for(count - left) <= blocks)
            return left;
    }
    int64_t left = toi_blocks_for(count) / 2 * TOI_BLOCK;
    select_rows(rows, count, left, c.axis);
    return left;
}
