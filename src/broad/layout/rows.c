// Fills rows from lists of boxes, selects by rank, and takes layouts that trees fill themselves.

#include "broad/layout/rows.h"

#include "base/radix_sort.h"
#include "broad/layout/axes.h"

#include <math.h>

typedef struct row_job
{
    toi_ranked_boxes *rows;
    toi_box_view boxes; // one of the lists
    int64_t base;       // the number of its first box
    uint64_t *keys;     // (sortable lower bound, index); NULL: as given
    _Atomic bool inexact;
} row_job;

static toi_status make_keys(void *context, int64_t first, int64_t end)
{
    row_job *job = context;
    for (int64_t i = first; i < end; ++i)
        job->keys[i] = toi_key(job->boxes.data[i].lo[job->rows->axis], i);
    return TOI_OK;
}

static toi_status fill_rows(void *context, int64_t first, int64_t end)
{
    row_job *job = context;
    bool exact = true;
    for (int64_t i = first; i < end; ++i) {
        if (job->keys && i + TOI_ROWS_AHEAD < end)
            __builtin_prefetch(&job->boxes.data[toi_key_id(job->keys[i + TOI_ROWS_AHEAD])]);
        int64_t index = job->keys ? toi_key_id(job->keys[i]) : i;
        const toi_box *box = &job->boxes.data[index];
        toi_ranked_box row = {.id = (int32_t)(job->base + index)};
        for (int k = 0; k < 3; ++k) {
            int axis = job->rows->axis + k < 3 ? job->rows->axis + k : job->rows->axis + k - 3;
            row.lo[k] = (float)box->lo[axis];
            row.hi[k] = (float)box->hi[axis];
            exact &= (double)row.lo[k] == box->lo[axis] && (double)row.hi[k] == box->hi[axis];
        }
        job->rows->rows[job->base + i] = row;
    }
    if (!exact)
        job->inexact = true;
    return TOI_OK;
}

static toi_status add_list(const toi_broad_job *job, toi_box_view boxes, int64_t base, bool sorted,
                           toi_ranked_boxes *rows)
{
    row_job fill = {.rows = rows, .boxes = boxes, .base = base};
    toi_status status = TOI_OK;
    if (sorted) {
        fill.keys = toi_take(job->budget, boxes.count, sizeof *fill.keys);
        status = fill.keys
                     ? toi_parallel_ranges(job->workers, boxes.count, TOI_PIECE, make_keys, &fill)
                     : toi_allocation_status();
        if (status == TOI_OK)
            status =
                toi_radix_sort(fill.keys, boxes.count, TOI_KEY_BOUND, job->workers, job->budget);
    }
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->workers, boxes.count, TOI_PIECE, fill_rows, &fill);
    toi_give_back(fill.keys);
    rows->exact &= !fill.inexact;
    return status;
}

toi_status toi_make_rows(const toi_broad_job *job, int axis, toi_ranked_boxes *rows)
{
    *rows = (toi_ranked_boxes){.count = job->a.count + (job->self ? 0 : job->b.count),
                               .first_count = job->a.count,
                               .axis = axis < 0 ? 0 : axis,
                               .exact = true};
    rows->rows = toi_take(job->budget, rows->count, sizeof *rows->rows);
    toi_status status =
        rows->rows ? add_list(job, job->a, 0, axis >= 0, rows) : toi_allocation_status();
    if (status == TOI_OK && !job->self)
        status = add_list(job, job->b, job->a.count, axis >= 0, rows);
    if (status != TOI_OK)
        toi_free_rows(rows);
    return status;
}

void toi_free_rows(toi_ranked_boxes *rows)
{
    toi_give_back(rows->rows);
    rows->rows = NULL;
}

uint64_t toi_select_key(uint64_t *keys, int64_t count, int64_t rank)
{
    int64_t begin = 0, end = count;
    while (end - begin > 1) {
        uint64_t pivot = keys[begin + (end - begin) / 2];
        int64_t low = begin, high = end - 1;
        while (low <= high) {
            while (keys[low] < pivot)
                ++low;
            while (keys[high] > pivot)
                --high;
            if (low <= high) {
                uint64_t key = keys[low];
                keys[low++] = keys[high];
                keys[high--] = key;
            }
        }
        if (rank <= high)
            end = high + 1;
        else if (rank >= low)
            begin = low;
        else
            break;
    }
    return keys[rank];
}

toi_status toi_take_layout(const toi_broad_job *job, const toi_ranked_boxes *rows, int64_t lanes,
                           bool tagged, toi_layout *layout)
{
    *layout =
        (toi_layout){.count = lanes, .axis = rows->axis, .exact = rows->exact, .first = job->a};
    if (!job->self)
        layout->second = job->b;
    int64_t blocks = lanes / TOI_BLOCK;
    layout->blocks = toi_take(job->budget, blocks, sizeof *layout->blocks);
    layout->begins = layout->blocks ? toi_take(job->budget, blocks, sizeof *layout->begins) : NULL;
    layout->ids = layout->begins ? toi_take(job->budget, lanes, sizeof *layout->ids) : NULL;
    if (layout->ids && tagged)
        layout->tags = toi_take(job->budget, lanes, sizeof *layout->tags);
    if (layout->ids && (layout->tags || !tagged))
        return TOI_OK;
    toi_status status = toi_allocation_status();
    toi_free_layout(layout);
    return status;
}

int64_t toi_pad_lanes(toi_layout *layout, int64_t lane)
{
    for (; lane % TOI_BLOCK != 0; ++lane) {
        for (int c = 0; c < TOI_COLUMNS; ++c)
            layout->blocks[lane / TOI_BLOCK].bound[c][lane % TOI_BLOCK] =
                NAN; // compares false with everything
        layout->ids[lane] = -1;
        if (layout->tags)
            layout->tags[lane] = 0;
    }
    return lane;
}
