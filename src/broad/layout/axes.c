// Chooses an axis, sorts boxes along it, and finds where runs of boxes begin.

#include "broad/layout/axes.h"

#include "base/radix_sort.h"

// Adds up the centres and their squares, seen from `origin` so that a large offset does not drown
// them.
static void add_moments(toi_box_view boxes, const double origin[3], double sum[3], double square[3])
{
    for (int64_t i = 0; i < boxes.count; ++i)
        for (int k = 0; k < 3; ++k) {
            double centre = 0.5 * boxes.data[i].lo[k] + 0.5 * boxes.data[i].hi[k] - origin[k];
            sum[k] += centre;
            square[k] += centre * centre;
        }
}

// Summed in one order, so that it does not depend on the workers. Any axis would be correct:
// overflow of the variance costs speed only.
int toi_widest_axis(const toi_broad_job *job)
{
    double sum[3] = {0}, square[3] = {0};
    add_moments(job->a, job->a.data[0].lo, sum, square);
    if (!job->self)
        add_moments(job->b, job->a.data[0].lo, sum, square);
    double count = (double)toi_joint_count(job);
    int best = 0;
    double widest = -1;
    for (int k = 0; k < 3; ++k) {
        double variance = square[k] / count - (sum[k] / count) * (sum[k] / count);
        if (variance > widest) {
            widest = variance;
            best = k;
        }
    }
    return best;
}

typedef struct key_job
{
    const toi_broad_job *job;
    int axis;
    uint64_t *keys;
} key_job;

static toi_status make_keys(void *context, int64_t first, int64_t end)
{
    const key_job *k = context;
    for (int64_t id = first; id < end; ++id)
        k->keys[id] = toi_key(toi_joint_box(k->job, id)->lo[k->axis], id);
    return TOI_OK;
}

toi_status toi_sort_along(const toi_broad_job *job, int axis, uint64_t **keys)
{
    int64_t count = toi_joint_count(job);
    key_job k = {.job = job, .axis = axis};
    k.keys = *keys = toi_take(job->budget, count, sizeof *k.keys);
    if (!k.keys)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(job->workers, count, TOI_PIECE, make_keys, &k);
    if (status == TOI_OK)
        status = toi_radix_sort(k.keys, count, TOI_KEY_BOUND, job->workers, job->budget);
    return status;
}

bool toi_insertion_sort(uint64_t *keys, int64_t count, int64_t limit)
{
    // Where many neighbours have passed each other, boxes have passed many others too.
    int64_t passed = 0;
    for (int64_t i = 1; i < count; ++i)
        passed += keys[i - 1] > keys[i];
    if (passed > limit / 64)
        return false;
    for (int64_t i = 1; i < count; ++i) {
        uint64_t key = keys[i];
        int64_t place = i;
        for (; place > 0 && keys[place - 1] > key && limit > 0; --limit, --place)
            keys[place] = keys[place - 1];
        keys[place] = key;
        if (limit <= 0)
            return false;
    }
    return true;
}

// How many of the keys in order have a bound that is not beyond that of `key`.
static int64_t keys_up_to(const uint64_t *keys, int64_t count, uint64_t key)
{
    int64_t begin = 0, end = count;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (keys[middle] <= (key | ~TOI_KEY_BOUND))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

int64_t toi_count_axis_overlaps(const toi_broad_job *job, int axis, const uint64_t *keys,
                                int64_t count, int64_t step)
{
    int64_t overlaps = 0;
    for (int64_t i = 0; i < count; i += step) {
        uint64_t end = toi_key(toi_joint_box(job, toi_key_id(keys[i]))->hi[axis], 0);
        overlaps += keys_up_to(keys + i + 1, count - i - 1, end);
    }
    return overlaps;
}

static bool begins_before(const toi_layout *layout, int64_t i, float x, bool or_at)
{
    float begin = toi_bound(layout, TOI_LO0, i);
    return begin < x || (or_at && begin == x);
}

// Steps that double, then halves of the last step.
int64_t toi_first_from(const toi_layout *layout, int64_t begin, int64_t end, float x, bool beyond)
{
    int64_t step = 1;
    while (step < end - begin && begins_before(layout, begin + step - 1, x, beyond)) {
        begin += step;
        step *= 2;
    }
    if (step < end - begin)
        end = begin + step - 1;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (begins_before(layout, middle, x, beyond))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
