// Most boxes are of like size and share one level of cells. Larger boxes would fill too many of
// them: they have levels of their own, with cells four times as large each, and every smaller box
// visits those of their cells that it touches. Much smaller boxes, if there are many, have levels
// with smaller cells, since they may all stand in one ordinary cell. A few enormous boxes are left
// to be compared with all.
//
// In a level a box has at most 8 entries (4 in columns). Larger boxes that are let into the
// ordinary level have no more entries together than there are ordinary ones.
//
// The hierarchical grid has a level for every power of two of sizes instead, and no few.

#include "broad/literature/cells/cell_levels.h"

#include "broad/layout/axes.h"

#include <math.h>
#include <string.h>

// Sizes are counted in bins: a box of extent e is in the first bin b with e < 2^(b - ORDINARY).
enum
{
    ORDINARY = 24,  // the bin of the largest boxes with at most two ordinary cells on an axis
    BINS = 320,     // the most extent is in bin 315
    FINER_STEP = 4, // bins from one level to the next below the ordinary one
    HARMLESS = 32   // comparisons of two boxes that cost as much as the entries of one
};

typedef struct size_bins
{
    int64_t boxes[2][BINS]; // of each list
    int64_t cells[BINS];    // ordinary cells that boxes a little too large for them fill, about
} size_bins;

typedef struct planner
{
    const toi_cell_space *space;
    int finest;      // the bin of the largest boxes with at most two cells of the least size
    size_bins *bins; // one a worker, then all in the first
} planner;

// ---------------------------------------------------------------------------------------------
// Sizes

// From the exponent's bits: frexp() is ten times slower.
static int bin_of(double extent)
{
    uint64_t bits;
    memcpy(&bits, &extent, sizeof bits);
    int bin = (int)(bits >> 52) - 1022 + ORDINARY;
    return bin > 0 ? bin : 0;
}

// The least extent in a bin.
static double bin_begin(int bin)
{
    return bin == 0 ? 0 : ldexp(1, bin - 1 - ORDINARY);
}

static double cells_filled(const toi_cell_space *space, const toi_box_block *block, int lane)
{
    double cells = 1;
    for (int k = 0; k < space->axes; ++k) {
        const float *lo = block->bound[space->lo_column[k]], *hi = lo + TOI_BLOCK;
        double extent = (double)hi[lane] - (double)lo[lane];
        cells *= 1 + (extent > 0 ? extent : 0) / space->size;
    }
    return cells;
}

static toi_status count_sizes(void *context, int64_t piece, int worker)
{
    const planner *p = context;
    const toi_cell_space *space = p->space;
    int64_t of_a = toi_cell_pieces(space->source[0].count);
    int list = piece >= of_a;
    const toi_layout *source = &space->source[list];
    size_bins *bins = &p->bins[worker];
    int64_t first = (list ? piece - of_a : piece) * TOI_PIECE;
    for (int64_t i = first; i < first + TOI_PIECE && i < source->count; i += TOI_BLOCK) {
        const toi_box_block *block = &source->blocks[i / TOI_BLOCK];
        double extents[TOI_BLOCK];
        toi_find_extents(space, source, i, extents);
        for (int lane = 0; lane < TOI_BLOCK && i + lane < source->count; ++lane) {
            int bin = bin_of(extents[lane]);
            ++bins->boxes[list][bin];
            if (bin > ORDINARY && bin < ORDINARY + space->offset_bits)
                bins->cells[bin] += (int64_t)cells_filled(space, block, lane);
        }
    }
    return TOI_OK;
}

static toi_status measure_sizes(planner *p)
{
    const toi_cell_space *space = p->space;
    int workers = space->job->workers;
    p->bins = toi_take(space->job->budget, workers, sizeof *p->bins);
    if (!p->bins)
        return toi_allocation_status();
    memset(p->bins, 0, (size_t)workers * sizeof *p->bins);
    int64_t pieces =
        toi_cell_pieces(space->source[0].count) + toi_cell_pieces(space->source[1].count);
    toi_status status = toi_parallel(workers, pieces, count_sizes, p);
    for (int w = 1; w < workers; ++w)
        for (int b = 0; b < BINS; ++b) {
            p->bins->boxes[0][b] += p->bins[w].boxes[0][b];
            p->bins->boxes[1][b] += p->bins[w].boxes[1][b];
            p->bins->cells[b] += p->bins[w].cells[b];
        }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Levels

static int64_t boxes_in(const planner *p, int list, int begin, int end)
{
    int64_t sum = 0;
    for (int b = begin; b < end; ++b)
        sum += p->bins->boxes[list][b];
    return sum;
}

static int64_t all_in(const planner *p, int begin, int end)
{
    return boxes_in(p, 0, begin, end) + boxes_in(p, 1, begin, end);
}

// Does it cost no more to compare all boxes of the first bins with each other, should they stand in
// one cell, than to give them a level?
static bool harmless(const planner *p, int end)
{
    const toi_broad_job *job = p->space->job;
    double a = (double)boxes_in(p, 0, 0, end), b = (double)boxes_in(p, 1, 0, end);
    return (job->self ? a * a : a * b) <= HARMLESS * (double)toi_joint_count(job);
}

// The bin of the largest boxes with at most two cells of the level that begins with these boxes.
static int choose_cell(const planner *p, int begin)
{
    if (begin > ORDINARY)
        return begin + 1;
    int cell = begin > p->finest ? begin : p->finest;
    cell = ORDINARY - (ORDINARY - cell) / FINER_STEP * FINER_STEP;
    while (cell < ORDINARY && harmless(p, cell + 1))
        cell += FINER_STEP;
    return cell;
}

// The end of the bins of boxes that are let into the ordinary level.
static int let_in_larger(const planner *p)
{
    int end = ORDINARY + 1;
    int64_t entries = 0;
    for (; end < ORDINARY + p->space->offset_bits; ++end) {
        entries += p->bins->cells[end];
        if (entries > all_in(p, 0, end))
            break;
    }
    return end;
}

static toi_cell_level make_level(const planner *p, int begin, int end, int cell)
{
    toi_cell_level level = {
        .scale = ldexp(1, cell - ORDINARY), .above = bin_begin(begin), .below = bin_begin(end)};
    for (int list = 0; list < 2; ++list) {
        level.boxes[TOI_RESIDENTS_A + list] = boxes_in(p, list, begin, end);
        level.boxes[TOI_VISITORS_A + list] = boxes_in(p, list, 0, begin);
    }
    return level;
}

static bool can_meet(const toi_cell_level *level, bool self)
{
    for (int g = 0; g < TOI_CELL_GROUPS; ++g)
        for (int h = g; h < TOI_CELL_GROUPS; ++h)
            if (level->boxes[g] > 0 && level->boxes[h] > 0 && toi_groups_meet(self, g, h))
                return true;
    return false;
}

// Goes through the bins from small to large. Returns the meter's total.
static int64_t choose_levels(const planner *p, toi_cell_plan *plan)
{
    int64_t total = 0;
    int begin = 0;
    while (begin < BINS) {
        int64_t rest = all_in(p, begin, BINS);
        if ((begin == 0 || begin > ORDINARY) && rest <= TOI_FEW_BOXES) {
            plan->few_above = bin_begin(begin);
            plan->few_count = rest;
            return total + rest;
        }
        if (all_in(p, begin, begin + 1) == 0) {
            ++begin;
            continue;
        }
        int cell = choose_cell(p, begin);
        int end = cell == ORDINARY ? let_in_larger(p) : cell + 1;
        toi_cell_level level = make_level(p, begin, end, cell);
        if (can_meet(&level, p->space->job->self)) {
            plan->levels[plan->count++] = level;
            total += all_in(p, 0, end);
        }
        begin = end;
    }
    return total;
}

// The cells of a level are larger than its boxes, and at most about twice as large. What is smaller
// than the least cells is in the level of these.
static int64_t choose_octaves(const planner *p, toi_cell_plan *plan)
{
    int64_t total = 0;
    int first = p->finest > 0 ? p->finest : 0;
    for (int cell = first; cell < BINS; ++cell) {
        int begin = cell == first ? 0 : cell;
        if (all_in(p, begin, cell + 1) == 0)
            continue;
        toi_cell_level level = make_level(p, begin, cell + 1, cell + 1);
        if (can_meet(&level, p->space->job->self)) {
            plan->levels[plan->count++] = level;
            total += all_in(p, 0, cell + 1);
        }
    }
    return total;
}

toi_status toi_plan_levels(const toi_cell_space *space, double least, bool octaves,
                           toi_cell_plan *plan)
{
    planner p = {.space = space, .finest = ORDINARY - ilogb(space->size / least)};
    *plan = (toi_cell_plan){.few_above = HUGE_VAL};
    toi_status status = measure_sizes(&p);
    if (status == TOI_OK) {
        int64_t total = octaves ? choose_octaves(&p, plan) : choose_levels(&p, plan);
        if (space->job->meter)
            space->job->meter->total = total;
    }
    toi_give_back(p.bins);
    return status;
}
