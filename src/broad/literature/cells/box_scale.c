// Measures a sample of the boxes, from which grids and hashing take the size of their cells.

#include "broad/literature/cells/box_scale.h"

#include "base/radix_sort.h"
#include "broad/layout/axes.h"
#include "kernel/bounds.h"

#include <float.h>
#include <math.h>

enum
{
    FAR_EXTENTS = 8 // boxes so many times larger than the median are outliers
};

// Sorts the first `count` of scale->sorted.
static toi_status sort_floats(toi_box_scale *scale, int count, toi_budget *budget)
{
    uint64_t *keys = scale->keys;
    for (int i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &scale->sorted[i], sizeof bits);
        keys[i] = (uint64_t)toi_sortable(scale->sorted[i]) << 32 | bits;
    }
    toi_status status = toi_radix_sort(keys, count, TOI_KEY_BOUND, 1, budget);
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        uint32_t bits = (uint32_t)keys[i];
        memcpy(&scale->sorted[i], &bits, sizeof bits);
    }
    return status;
}

static void take_sample(const toi_broad_job *job, toi_box_scale *scale)
{
    int64_t boxes = toi_joint_count(job);
    scale->count = boxes < TOI_SCALE_SAMPLES ? (int)boxes : TOI_SCALE_SAMPLES;
    for (int i = 0; i < scale->count; ++i) {
        const toi_box *box = toi_joint_box(job, toi_piece_start(boxes, scale->count, i));
        for (int k = 0; k < 3; ++k) {
            scale->points[i][k] = toi_finite_float(box->lo[k]);
            scale->extents[i][k] = toi_finite_float(box->hi[k] - box->lo[k]);
        }
    }
}

static toi_status find_place(const toi_broad_job *job, toi_box_scale *scale)
{
    toi_status status = TOI_OK;
    int count = scale->count, margin = count / 16;
    for (int k = 0; k < 3; ++k) {
        scale->origin[k] = scale->width[k] = 0;
        if (count == 0 || status != TOI_OK)
            continue;
        for (int i = 0; i < count; ++i)
            scale->sorted[i] = scale->points[i][k];
        status = sort_floats(scale, count, job->budget);
        scale->origin[k] = (double)scale->sorted[count / 2];
        scale->width[k] = (double)scale->sorted[count - 1 - margin] - (double)scale->sorted[margin];
    }
    return status;
}

toi_status toi_measure_boxes(const toi_broad_job *job, toi_box_scale **scale)
{
    *scale = toi_take(job->budget, 1, sizeof **scale);
    if (!*scale)
        return toi_allocation_status();
    take_sample(job, *scale);
    toi_status status = find_place(job, *scale);
    if (status != TOI_OK) {
        toi_give_back(*scale);
        *scale = NULL;
    }
    return status;
}

toi_status toi_ordinary_extent(const toi_broad_job *job, toi_box_scale *scale, int axis,
                               double *extent)
{
    float *sorted = scale->sorted;
    int count = 0;
    for (int i = 0; i < scale->count; ++i) {
        float largest = 0;
        for (int k = 0; k < 3; ++k)
            if (k != axis && scale->extents[i][k] > largest)
                largest = scale->extents[i][k];
        if (largest > 0)
            sorted[count++] = largest;
    }
    toi_status status = sort_floats(scale, count, job->budget);
    double most = count > 0 ? FAR_EXTENTS * (double)sorted[count / 2] : 0, sum = 0;
    int end = 0;
    for (; end < count && (double)sorted[end] <= most; ++end)
        sum += (double)sorted[end];
    *extent = end > 0 ? sum / end : 0;
    return status;
}

double toi_least_cell(const toi_box_scale *scale)
{
    double widest = fmax(scale->width[0], fmax(scale->width[1], scale->width[2]));
    return fmax(0x1p-24 * widest, (double)FLT_MIN);
}

// How many boxes the mean box has in its cell: the sample's pairs that share a cell are to all
// pairs of the sample as the boxes' pairs are to all pairs of boxes.
static toi_status estimate_occupancy(const toi_broad_job *job, toi_box_scale *scale, int axis,
                                     double size, double *occupancy)
{
    uint64_t *keys = scale->keys;
    const uint64_t low = 0x3fffff;
    for (int i = 0; i < scale->count; ++i) {
        uint64_t hash = 0;
        for (int k = 0; k < 3; ++k) {
            double at = k == axis ? 0 : ((double)scale->points[i][k] - scale->origin[k]) / size;
            int64_t cell = (int64_t)floor(fmin(fmax(at, -0x1p40), 0x1p40));
            hash = (hash ^ (uint64_t)cell) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        keys[i] = hash & low;
    }
    toi_status status = toi_radix_sort(keys, scale->count, low, 1, job->budget);
    int64_t shared = 0, run = 0;
    for (int i = 1; i < scale->count && status == TOI_OK; ++i) {
        run = keys[i] == keys[i - 1] ? run + 1 : 0;
        shared += run;
    }
    double count = scale->count;
    *occupancy = 1 + 2 * (double)shared / count * ((double)toi_joint_count(job) / count);
    return status;
}

toi_status toi_grow_cell(const toi_broad_job *job, toi_box_scale *scale, int axis, double least,
                         double occupancy, double *size)
{
    *size = fmax(least, toi_least_cell(scale));
    double most = 0;
    for (int k = 0; k < 3; ++k)
        if (k != axis)
            most = fmax(most, scale->width[k]);
    toi_status status = TOI_OK;
    double next = 0;
    while (status == TOI_OK && *size < most && next <= occupancy) {
        status = estimate_occupancy(job, scale, axis, 2 * *size, &next);
        if (next <= occupancy)
            *size *= 2;
    }
    return status;
}
