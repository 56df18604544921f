// A hierarchical hash grid (Weller, Debowski, Zachmann 2017): boxes whose sizes differ by less than
// two share a level, whose cells are at least as large, and each box is compared with the boxes of
// its own size and with larger ones.
//
// The paper gives cells at most the size of their boxes in its section 4.1 and at least that size
// in 4.4. Only the second gives a box at most two cells on an axis, eight in all, on its own level
// and on every coarser one: docs/broad_phases.md.

#include "broad/literature/cells/cells.h"

toi_status toi_search_octaves(const toi_broad_job *job, const toi_cell_shapes *shapes)
{
    toi_box_scale *scale;
    toi_cell_rule rule = {
        .axis = -1, .compare = toi_compare_all, .octaves = true, .shapes = shapes};
    toi_status status = toi_measure_boxes(job, &scale);
    if (status == TOI_OK)
        status = toi_ordinary_extent(job, scale, -1, &rule.size);
    if (status == TOI_OK)
        status = toi_search_cells(job, scale, rule);
    toi_give_back(scale);
    return status;
}

toi_status toi_search_kdet(const toi_broad_job *job)
{
    return toi_search_octaves(job, NULL);
}
