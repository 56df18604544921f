// A spatial hash: cells of the size that suits the mesh, v = 2 max(mean edge length, mean
// displacement), in buckets of a table (Belgrod et al.; Teschner et al. 2003). Every pair of a cell
// is compared.
//
// The caller that has a mesh gives the size. For boxes alone it is twice the mean of their largest
// extents, which for a mesh is about the same.

#include "broad/literature/cells/cells.h"

static const double CELL_IN_EXTENTS = 2;

// One vertex that is thrown far makes the mean displacement useless. Boxes of a sound mesh are not
// that much smaller than its cells.
static const double MOST_CELL_IN_EXTENTS = 16;

// Points have no size to go by: their cells are to hold two of them.
static const double POINTS_A_CELL = 2;

static toi_status choose_size(const toi_broad_job *job, toi_box_scale *scale, double *size)
{
    double extent;
    toi_status status = toi_ordinary_extent(job, scale, -1, &extent);
    if (status == TOI_OK && extent == 0)
        return toi_grow_cell(job, scale, -1, 0, POINTS_A_CELL, size);
    bool sound = job->cell > 0 && job->cell <= MOST_CELL_IN_EXTENTS * extent;
    *size = sound ? job->cell : CELL_IN_EXTENTS * extent;
    return status;
}

toi_status toi_search_hash(const toi_broad_job *job)
{
    toi_box_scale *scale;
    double size = 0;
    toi_status status = toi_measure_boxes(job, &scale);
    if (status == TOI_OK)
        status = choose_size(job, scale, &size);
    if (status == TOI_OK)
        status = toi_search_cells(
            job, scale, (toi_cell_rule){.size = size, .axis = -1, .compare = toi_compare_all});
    toi_give_back(scale);
    return status;
}
