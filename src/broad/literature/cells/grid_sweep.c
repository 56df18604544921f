// Columns of cells with a sweep inside each (GSAP: a grid over sort and prune).
//
// Space is cut on two axes; along the third, on which the boxes spread most, the boxes of a column
// are sorted by their lower bounds, and each is compared with those that follow until one begins
// beyond its end. Two groups are swept against each other in both directions, ties going to one of
// them.

#include "broad/layout/axes.h"
#include "broad/literature/cells/cells.h"

// Columns of two to three mean extents are within an eighth of the best on all scenes. Sparse boxes
// have wider ones, as long as these are almost empty.
static const double CELL_IN_EXTENTS = 2.5, OCCUPANCY = 2;

// Entries [first, end) of one group against those of another that begin at the same place or later.
static toi_status sweep_group(const toi_cell_entries *cell, int group, int other, int64_t first,
                              int64_t end, toi_pair_writer *writer)
{
    const toi_layout *l = cell->layout;
    toi_run run = {.probe_layout = l, .layout = l, .sorted = true, .write = TOI_WRITE_SORTED};
    run.end = cell->begin[other + 1];
    bool self = group == other, beyond = other < group;
    int64_t next = first + 1;
    if (!self)
        next = toi_first_from(l, cell->begin[other], run.end, toi_bound(l, TOI_LO0, first), beyond);
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && next < run.end && status == TOI_OK; ++i) {
        float begin = toi_bound(l, TOI_LO0, i);
        while (!self && next < run.end &&
               (toi_bound(l, TOI_LO0, next) < begin ||
                (beyond && toi_bound(l, TOI_LO0, next) == begin)))
            ++next;
        bool stopped;
        run.probe = i;
        run.begin = next;
        if (next < run.end && toi_bound(l, TOI_LO0, next) <= toi_bound(l, TOI_HI0, i))
            status = toi_write_run(writer, run, &stopped);
        next += self;
    }
    return status;
}

static toi_status sweep_cell(const toi_cell_entries *cell, int group, int64_t first, int64_t end,
                             toi_pair_writer *writer)
{
    toi_status status = TOI_OK;
    for (int other = 0; other < TOI_CELL_GROUPS && status == TOI_OK; ++other)
        if (toi_groups_meet(cell->self, group, other))
            status = sweep_group(cell, group, other, first, end, writer);
    return status;
}

toi_status toi_search_grid_sweep(const toi_broad_job *job)
{
    toi_box_scale *scale;
    toi_status status = toi_measure_boxes(job, &scale);
    int axis = 0;
    for (int k = 1; k < 3 && status == TOI_OK; ++k)
        if (scale->width[k] > scale->width[axis])
            axis = k;
    double extent = 0, size = 0;
    if (status == TOI_OK)
        status = toi_ordinary_extent(job, scale, axis, &extent);
    if (status == TOI_OK)
        status = toi_grow_cell(job, scale, axis, CELL_IN_EXTENTS * extent, OCCUPANCY, &size);
    if (status == TOI_OK)
        status = toi_search_cells(
            job, scale, (toi_cell_rule){.size = size, .axis = axis, .compare = sweep_cell});
    toi_give_back(scale);
    return status;
}
