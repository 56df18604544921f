// What the sweeping methods share: orders of boxes along an axis, and the sweep itself.

#ifndef TOI_BROAD_AXES_H
#define TOI_BROAD_AXES_H

#include "broad/layout/layout.h"

// Boxes of both lists of a job, under one numbering as in toi_make_joint_layout().
static inline int64_t toi_joint_count(const toi_broad_job *job)
{
    return job->a.count + (job->self ? 0 : job->b.count);
}

static inline const toi_box *toi_joint_box(const toi_broad_job *job, int64_t id)
{
    return id < job->a.count ? &job->a.data[id] : &job->b.data[id - job->a.count];
}

// The axis on which the centres vary most; the first of equals.
int toi_widest_axis(const toi_broad_job *job);

// Takes memory for the keys of all boxes in the order of their lower bounds on `axis`.
toi_status toi_sort_along(const toi_broad_job *job, int axis, uint64_t **keys);

// Sorts keys that are nearly sorted. False if keys would have to move by more than `limit` places
// in all, as far as can be told early: they are then in some order in between.
bool toi_insertion_sort(uint64_t *keys, int64_t count, int64_t limit);

// How often, over every `step`-th of the boxes whose keys on `axis` are given in order, another one
// begins inside it: what a sweep along the axis has to compare.
int64_t toi_count_axis_overlaps(const toi_broad_job *job, int axis, const uint64_t *keys,
                                int64_t count, int64_t step);

// The first of boxes [begin, end), laid out by their lower bound on axis 0, whose lower bound is
// >= x, or > x if `beyond`; `end` if there is none. Quick if it is near `begin`.
int64_t toi_first_from(const toi_layout *layout, int64_t begin, int64_t end, float x, bool beyond);

// Sweeps all boxes of a job, whose numbers the keys hold in the order of their lower bounds on
// `axis`: every box is compared with those that begin before its end.
toi_status toi_sweep_sorted(const toi_broad_job *job, int axis, const uint64_t *keys);

#endif
