// Sweep and prune with sorted axes that are kept from frame to frame (Cohen et al., I-COLLIDE,
// 1995): the order of the boxes along an axis is repaired by insertion, which is nearly linear when
// boxes have hardly passed each other, and the sweep goes along the axis with the fewest overlaps.
// The two other axes rest until that one gets worse.
//
// I-COLLIDE keeps the pairs as well and changes their list whenever two ends of boxes swap places.
// That takes memory for all pairs, and a burst of motion swaps more ends than there are pairs; here
// the pairs are found anew.

#include "broad/layout/axes.h"

#include "base/radix_sort.h"

enum
{
    BOXES_A_PIECE = 4096,
    MOVES_A_BOX = 8, // beyond that, sorting anew is cheaper
    SAMPLES = 2048,  // boxes whose overlaps are counted to judge an axis
    CALLS_OF_REST = 16
};

// What is kept: the choice, and behind it the keys of the three axes.
typedef struct choice
{
    int64_t axis;
    int64_t overlaps; // of the samples, when the axis was chosen
    int64_t calls;    // since then
    int64_t padding[5];
} choice;

typedef struct axes
{
    const toi_broad_job *job;
    int64_t count;
    int64_t pieces;
    choice *choice;
    uint64_t *keys[3]; // (lower bound, number) of all boxes in order, by axis
    bool kept;
    int axis;                // that is being sorted
    uint32_t *bounds;        // on it, by number
    _Atomic bool disordered; // insertion would take too long
} axes;

// Bounds are read in the order of the boxes first, since boxes in the order of the axis would miss
// the caches.
static toi_status read_bounds(void *context, int64_t first, int64_t end)
{
    axes *s = context;
    for (int64_t id = first; id < end; ++id)
        s->bounds[id] = toi_sortable((float)toi_joint_box(s->job, id)->lo[s->axis]);
    return TOI_OK;
}

// Brings the keys of one piece up to date and sorts it. Pieces are even: which of them count as
// disordered decides in what order equal bounds come.
static void repair_piece(axes *s, int64_t piece)
{
    int64_t first = toi_piece_start(s->count, s->pieces, piece);
    int64_t end = toi_piece_start(s->count, s->pieces, piece + 1);
    uint64_t *keys = s->keys[s->axis];
    for (int64_t i = first; i < end; ++i) {
        int64_t id = s->kept ? toi_key_id(keys[i]) : i;
        keys[i] = (uint64_t)s->bounds[id] << 32 | (uint32_t)id;
    }
    if (!toi_insertion_sort(keys + first, end - first, MOVES_A_BOX * (end - first)))
        s->disordered = true;
}

static toi_status repair_pieces(void *context, int64_t first, int64_t end)
{
    for (int64_t piece = first; piece < end; ++piece)
        repair_piece(context, piece);
    return TOI_OK;
}

// Sorts an axis: its pieces, then the whole, where keys move at the seams only.
static toi_status sort_axis(axes *s, int axis)
{
    int workers = s->job->workers;
    toi_budget *budget = s->job->budget;
    s->axis = axis;
    s->disordered = false;
    s->bounds = toi_take(budget, s->count, sizeof *s->bounds);
    if (!s->bounds)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(workers, s->count, TOI_PIECE, read_bounds, s);
    if (status == TOI_OK)
        status = toi_parallel_ranges(workers, s->pieces, 1, repair_pieces, s);
    toi_give_back(s->bounds);
    if (status == TOI_OK &&
        (s->disordered || !toi_insertion_sort(s->keys[axis], s->count, MOVES_A_BOX * s->count)))
        status = toi_radix_sort(s->keys[axis], s->count, TOI_KEY_BOUND, workers, budget);
    return status;
}

static int64_t count_overlaps(const axes *s, int axis)
{
    return toi_count_axis_overlaps(s->job, axis, s->keys[axis], s->count, 1 + s->count / SAMPLES);
}

static toi_status choose_axis(axes *s)
{
    *s->choice = (choice){.overlaps = INT64_MAX};
    toi_status status = TOI_OK;
    for (int axis = 0; axis < 3 && status == TOI_OK; ++axis) {
        status = sort_axis(s, axis);
        int64_t overlaps = status == TOI_OK ? count_overlaps(s, axis) : 0;
        if (overlaps < s->choice->overlaps)
            *s->choice = (choice){.axis = axis, .overlaps = overlaps};
    }
    return status;
}

// Repairs the axis of the last call, and all of them if it no longer is what it was.
static toi_status update_axis(axes *s)
{
    choice *c = s->choice;
    if (!s->kept || ++c->calls > CALLS_OF_REST)
        return choose_axis(s);
    toi_status status = sort_axis(s, (int)c->axis);
    if (status == TOI_OK && count_overlaps(s, (int)c->axis) > c->overlaps + c->overlaps / 4)
        status = choose_axis(s);
    return status;
}

toi_status toi_search_sweep_incremental(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    axes s = {.job = job, .count = toi_joint_count(job)};
    s.pieces = 1 + s.count / BOXES_A_PIECE;
    int64_t bytes = (int64_t)sizeof(choice) + 3 * s.count * (int64_t)sizeof(uint64_t);
    s.choice = toi_open_slot(job, TOI_BROAD_SWEEP_INCREMENTAL, bytes, &s.kept);
    if (!s.choice)
        return toi_allocation_status();
    for (int axis = 0; axis < 3; ++axis)
        s.keys[axis] = (uint64_t *)(s.choice + 1) + axis * s.count;
    toi_status status = update_axis(&s);
    bool sorted = status == TOI_OK;
    if (sorted)
        status = toi_sweep_sorted(job, (int)s.choice->axis, s.keys[s.choice->axis]);
    toi_close_slot(job, TOI_BROAD_SWEEP_INCREMENTAL, bytes, s.choice, sorted);
    return status;
}
