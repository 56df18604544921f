// A uniform grid: every pair of a cell is compared (Belgrod et al. take 200 boxes a cell).
//
// A comparison of sixteen boxes costs little more than one, so cells may be crowded, but boxes have
// many entries where cells are small. Cells of twice the mean extent are within a tenth of the best
// on all scenes. Where boxes are sparse cells grow until a box has some company in its own, which
// saves entries.

#include "broad/literature/cells/cells.h"

static const double CELL_IN_EXTENTS = 2, OCCUPANCY = 16;

toi_status toi_compare_all(const toi_cell_entries *cell, int group, int64_t first, int64_t end,
                           toi_pair_writer *writer)
{
    const toi_layout *l = cell->layout;
    toi_run run = {.probe_layout = l, .layout = l, .write = TOI_WRITE_SORTED};
    toi_status status = TOI_OK;
    for (int other = group; other < TOI_CELL_GROUPS; ++other) {
        run.end = cell->begin[other + 1];
        if (cell->begin[other] == run.end || !toi_groups_meet(cell->self, group, other))
            continue;
        for (int64_t i = first; i < end && status == TOI_OK; ++i) {
            bool stopped; // never: entries are in no order
            run.probe = i;
            run.begin = group == other ? i + 1 : cell->begin[other];
            status = toi_write_run(writer, run, &stopped);
        }
    }
    return status;
}

toi_status toi_search_grid(const toi_broad_job *job)
{
    toi_box_scale *scale;
    double extent = 0, size = 0;
    toi_status status = toi_measure_boxes(job, &scale);
    if (status == TOI_OK)
        status = toi_ordinary_extent(job, scale, -1, &extent);
    if (status == TOI_OK)
        status = toi_grow_cell(job, scale, -1, CELL_IN_EXTENTS * extent, OCCUPANCY, &size);
    if (status == TOI_OK)
        status = toi_search_cells(
            job, scale, (toi_cell_rule){.size = size, .axis = -1, .compare = toi_compare_all});
    toi_give_back(scale);
    return status;
}
