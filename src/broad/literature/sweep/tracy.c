// Segmented sweep and prune (Tracy, Buss, Woods: Efficient Large-Scale Sweep and Prune Methods with
// AABB Insertion and Removal, 2009).
//
// Two axes are cut into segments, so space into cells. Each cell has a list of the boxes that begin
// in it and of those that reach into it from before, so nobody has to sweep an axis from its
// beginning to know what is in a cell, and a box that moves only concerns the cells that it leaves
// and enters. Lists are in the order of the third axis, along which they are swept. A pair is found
// in the cell where the later of the two begins on either cut axis: boxes that both reach into a
// cell from before on the same axis are not compared in it (by their tags).
//
// Segments are five mean lengths of a box, so a box is in one and a half lists. The few that would
// be in many stand in a list of long boxes instead: the others are compared with that once, each
// from the cell in which it begins, and a long box with those that begin in or shortly before its
// cells.
//
// The lists are kept from call to call: boxes that stay in a cell are sorted by insertion, those
// that enter it are merged in.

#include "broad/layout/axes.h"

#include "base/radix_sort.h"

#include <math.h>

enum
{
    PIECES = 64,          // at most: each has counts for all lists
    SMALLEST_LIST = 1024, // boxes a cell, on average
    LENGTHS_A_SEGMENT = 5,
    LONGEST_REACH = 3,  // segments that a box may reach into and not be long
    ENTRIES_A_BOX = 2,  // at most, on average
    MOVES_AN_ENTRY = 8, // beyond that, sorting anew is cheaper
    MOVES_A_LIST = 2048,
    MOST_SEGMENTS = INT16_MAX,
    PROBES_A_TASK = 256
};

// The segments in which a box begins and ends, on both cut axes; -1 if it is long.
typedef struct span
{
    int16_t first[2];
    int16_t last[2];
} span;

typedef struct plan
{
    int32_t cut[2]; // axes
    int32_t sweep;  // axis
    int32_t segments[2];
    int32_t reach;      // boxes that reach into more segments are long
    int64_t largest;    // list when the plan was made
    int64_t long_boxes; // then
    int64_t padding[3];
} plan;

// What is kept: one block, in which all these stand one behind the other.
typedef struct cells
{
    plan *plan;
    double *bounds[2]; // where segments 1, 2, ... of the cut axes begin
    int64_t *offsets;  // of the lists, and the end of the last
    uint64_t *entries; // (lower bound on the sweep axis, box)
    span *spans;       // of the boxes
} cells;

// There is one list a cell in a search of a list against itself, else one for each side. The long
// boxes come last, as if they had a cell of their own.
typedef struct tracy
{
    const toi_broad_job *job;
    int64_t count; // boxes
    int sides;
    int64_t most_cells;
    bool kept;
    cells last, now;       // of the last call, if kept, and of this one
    int64_t piece, pieces; // boxes in a piece, and how many pieces there are
    uint32_t *bounds;      // of the boxes on the sweep axis: gathered from here, not from the boxes
    uint64_t *order;       // all boxes along the sweep axis, unless kept
    int64_t (*entries_by_reach)[LONGEST_REACH + 2]; // a row a piece; the last is of long boxes
    int64_t (*boxes_by_reach)[LONGEST_REACH + 2];
    uint32_t *sizes;       // of the lists, a row a piece: how many boxes of the piece are in it
    uint32_t *enter;       // and how many of them were not last time; then where to put the next
    int64_t *enter_begins; // by list, as `offsets`
    uint64_t *entering;    // entries
    uint8_t *tags; // bit k: the box begins before the cell on cut axis k; long boxes have both
    toi_layout layout, untagged;
    toi_pair *buffers;
} tracy;

// ---------------------------------------------------------------------------------------------
// The block

static int64_t most_lists(const tracy *t)
{
    return (t->most_cells + 1) * t->sides;
}

static int64_t block_bytes(const tracy *t)
{
    return (int64_t)sizeof(plan) + 2 * t->most_cells * (int64_t)sizeof(double) +
           (most_lists(t) + 1) * (int64_t)sizeof(int64_t) +
           t->count * (int64_t)(sizeof(span) + ENTRIES_A_BOX * sizeof(uint64_t));
}

static cells open_block(const tracy *t, void *block)
{
    cells c = {.plan = block};
    c.bounds[0] = (double *)(c.plan + 1);
    c.bounds[1] = c.bounds[0] + t->most_cells;
    c.offsets = (int64_t *)(c.bounds[1] + t->most_cells);
    c.entries = (uint64_t *)(c.offsets + most_lists(t) + 1);
    c.spans = (span *)(c.entries + ENTRIES_A_BOX * t->count);
    return c;
}

static int64_t long_cell(const tracy *t)
{
    return (int64_t)t->now.plan->segments[0] * t->now.plan->segments[1];
}

static int64_t list_count(const tracy *t)
{
    return (long_cell(t) + 1) * t->sides;
}

// The list of a cell, (-1, -1) being that of long boxes, for one of the two sides.
static int64_t list_at(const tracy *t, int s0, int s1, int side)
{
    int64_t cell = s0 < 0 ? long_cell(t) : (int64_t)s0 * t->now.plan->segments[1] + s1;
    return cell * t->sides + side;
}

static int side_of(const tracy *t, int64_t id)
{
    return t->sides == 2 && id >= t->job->a.count;
}

// ---------------------------------------------------------------------------------------------
// The plan

static toi_status sort_sample(const tracy *t, int axis, uint64_t *keys, int64_t samples)
{
    for (int64_t i = 0; i < samples; ++i) {
        int64_t id = toi_piece_start(t->count, samples, i);
        keys[i] = toi_key(toi_joint_box(t->job, id)->lo[axis], id);
    }
    return toi_radix_sort(keys, samples, TOI_KEY_BOUND, 1, t->job->budget);
}

// Sweeps along the axis with the fewest overlaps and cuts the two others, so that a segment is
// several mean lengths and lists do not get too small. `overlaps` are those of a sample.
static void choose_axes(const tracy *t, plan *p, const int64_t overlaps[3], int64_t samples)
{
    for (int axis = 1; axis < 3; ++axis)
        if (overlaps[axis] < overlaps[p->sweep])
            p->sweep = axis;
    double wanted[2], most = (double)t->most_cells;
    for (int k = 0; k < 2; ++k) {
        p->cut[k] = (p->sweep + 1 + k) % 3;
        double mean = (double)overlaps[p->cut[k]] / (double)samples;
        wanted[k] = fmax(1, (double)samples / (LENGTHS_A_SEGMENT * mean + 1));
    }
    double shrink = fmin(1, sqrt(most / (wanted[0] * wanted[1])));
    for (int k = 0; k < 2; ++k)
        wanted[k] = fmin(fmax(1, wanted[k] * shrink), fmin(most, MOST_SEGMENTS));
    p->segments[0] = (int32_t)wanted[0];
    p->segments[1] = (int32_t)fmin(wanted[1], most / p->segments[0]);
}

static toi_status cut_axis(const tracy *t, int k, uint64_t *keys, int64_t samples)
{
    const plan *p = t->now.plan;
    toi_status status = sort_sample(t, p->cut[k], keys, samples);
    for (int64_t s = 1; s < p->segments[k] && status == TOI_OK; ++s) {
        int64_t id = toi_key_id(keys[toi_piece_start(samples, p->segments[k], s)]);
        // In float, as they were sorted: bounds must not decrease.
        t->now.bounds[k][s - 1] = (double)(float)toi_joint_box(t->job, id)->lo[p->cut[k]];
    }
    return status;
}

static toi_status make_plan(tracy *t)
{
    *t->now.plan = (plan){.reach = LONGEST_REACH};
    int64_t samples = t->count < 1024 ? t->count : 1024 + t->count / 64;
    uint64_t *keys = toi_take(t->job->budget, samples, sizeof *keys);
    toi_status status = keys ? TOI_OK : toi_allocation_status();
    int64_t overlaps[3] = {0};
    for (int axis = 0; axis < 3 && status == TOI_OK; ++axis) {
        status = sort_sample(t, axis, keys, samples);
        if (status == TOI_OK)
            overlaps[axis] = toi_count_axis_overlaps(t->job, axis, keys, samples, 1);
    }
    choose_axes(t, t->now.plan, overlaps, samples);
    for (int k = 0; k < 2 && status == TOI_OK; ++k)
        status = cut_axis(t, k, keys, samples);
    toi_give_back(keys);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Where boxes are and were

// The number of segments that begin at x or before, less one. Monotone in x, which is all that
// correctness needs.
static int16_t segment_at(const cells *c, int k, double x, int32_t guess)
{
    const double *bounds = c->bounds[k];
    int32_t begin = 0, end = c->plan->segments[k] - 1;
    if ((guess == 0 || bounds[guess - 1] <= x) && (guess == end || x < bounds[guess]))
        return (int16_t)guess;
    while (begin < end) {
        int32_t middle = begin + (end - begin) / 2;
        if (bounds[middle] <= x)
            begin = middle + 1;
        else
            end = middle;
    }
    return (int16_t)begin;
}

static toi_status locate_piece(void *context, int64_t first, int64_t end)
{
    tracy *t = context;
    const plan *p = t->now.plan;
    int64_t *entries = t->entries_by_reach[first / t->piece];
    int64_t *boxes = t->boxes_by_reach[first / t->piece];
    memset(entries, 0, sizeof *t->entries_by_reach);
    memset(boxes, 0, sizeof *t->boxes_by_reach);
    for (int64_t id = first; id < end; ++id) {
        const toi_box *box = toi_joint_box(t->job, id);
        span guess = t->kept ? t->last.spans[id] : (span){{0, 0}, {0, 0}}, s;
        int reach[2];
        for (int k = 0; k < 2; ++k) {
            s.first[k] = segment_at(&t->now, k, box->lo[p->cut[k]], guess.first[k]);
            s.last[k] = segment_at(&t->now, k, box->hi[p->cut[k]], s.first[k]);
            reach[k] = s.last[k] - s.first[k];
        }
        t->now.spans[id] = s;
        t->bounds[id] = toi_sortable((float)box->lo[p->sweep]);
        int longer = reach[0] > reach[1] ? reach[0] : reach[1];
        longer = longer <= LONGEST_REACH ? longer : LONGEST_REACH + 1;
        entries[longer] += (reach[0] + 1) * (reach[1] + 1);
        ++boxes[longer];
    }
    return TOI_OK;
}

// How many entries there are if boxes may reach into `reach` segments.
static int64_t entry_count(const tracy *t, int reach)
{
    int64_t entries = 0;
    for (int64_t piece = 0; piece < t->pieces; ++piece)
        for (int r = 0; r < LONGEST_REACH + 2; ++r)
            entries += r <= reach ? t->entries_by_reach[piece][r] : t->boxes_by_reach[piece][r];
    return entries;
}

// The cells whose lists a box is in.
static span cells_holding(const tracy *t, span s)
{
    int reach = t->now.plan->reach;
    bool is_long = s.last[0] - s.first[0] > reach || s.last[1] - s.first[1] > reach;
    return is_long ? (span){{-1, -1}, {-1, -1}} : s;
}

static bool has_cell(span s, int s0, int s1)
{
    return s.first[0] <= s0 && s0 <= s.last[0] && s.first[1] <= s1 && s1 <= s.last[1];
}

static uint64_t entry_of(const tracy *t, int64_t id)
{
    return (uint64_t)t->bounds[id] << 32 | (uint32_t)id;
}

// Counts box i, in the order if there is one, in its lists, and apart in those it was not in last
// time; or, once there is room for them, puts its entries for the latter there.
static void visit_lists(const tracy *t, int64_t i, uint32_t *sizes, uint32_t *enter)
{
    int64_t id = t->order ? toi_key_id(t->order[i]) : i;
    span is = cells_holding(t, t->now.spans[id]);
    span was = t->kept ? cells_holding(t, t->last.spans[id]) : (span){{0, 0}, {-2, -2}};
    if (!sizes && memcmp(&is, &was, sizeof is) == 0)
        return; // it enters nothing, as most
    int side = side_of(t, id);
    for (int s0 = is.first[0]; s0 <= is.last[0]; ++s0)
        for (int s1 = is.first[1]; s1 <= is.last[1]; ++s1) {
            int64_t list = list_at(t, s0, s1, side);
            bool enters = !has_cell(was, s0, s1);
            if (sizes) {
                ++sizes[list];
                enter[list] += enters;
            } else if (enters) {
                t->entering[enter[list]++] = t->order ? t->order[i] : entry_of(t, id);
            }
        }
}

static toi_status count_piece(void *context, int64_t first, int64_t end)
{
    tracy *t = context;
    int64_t lists = list_count(t), piece = first / t->piece;
    uint32_t *sizes = t->sizes + piece * lists, *enter = t->enter + piece * lists;
    memset(sizes, 0, (size_t)lists * sizeof *sizes);
    memset(enter, 0, (size_t)lists * sizeof *enter);
    for (int64_t i = first; i < end; ++i)
        visit_lists(t, i, sizes, enter);
    return TOI_OK;
}

// Turns counts into places: those of the lists, and in `entering` those of each list's pieces.
static void place_lists(tracy *t)
{
    int64_t lists = list_count(t), size = 0, enter = 0;
    for (int64_t list = 0; list < lists; ++list) {
        t->now.offsets[list] = size;
        t->enter_begins[list] = enter;
        for (int64_t piece = 0; piece < t->pieces; ++piece) {
            uint32_t entered = t->enter[piece * lists + list];
            t->enter[piece * lists + list] = (uint32_t)enter;
            size += t->sizes[piece * lists + list];
            enter += entered;
        }
    }
    t->now.offsets[lists] = size;
    t->enter_begins[lists] = enter;
}

static int64_t largest_list(const tracy *t)
{
    int64_t largest = 0;
    for (int64_t list = 0; list < long_cell(t) * t->sides; ++list) {
        int64_t size = t->now.offsets[list + 1] - t->now.offsets[list];
        largest = size > largest ? size : largest;
    }
    return largest;
}

static int64_t long_boxes(const tracy *t)
{
    int64_t lists = list_count(t);
    return t->now.offsets[lists] - t->now.offsets[lists - t->sides];
}

// Finds the cells of all boxes and the sizes of the lists.
static toi_status locate_boxes(tracy *t)
{
    plan *p = t->now.plan;
    toi_status status = toi_parallel_ranges(t->job->workers, t->count, t->piece, locate_piece, t);
    while (!t->kept && entry_count(t, p->reach) > ENTRIES_A_BOX * t->count)
        --p->reach;
    if (status == TOI_OK)
        status = toi_parallel_ranges(t->job->workers, t->count, t->piece, count_piece, t);
    if (status == TOI_OK)
        place_lists(t);
    return status;
}

// Does the plan of an earlier call still suit the boxes?
static bool plan_suits(const tracy *t)
{
    const plan *p = t->now.plan;
    return entry_count(t, p->reach) <= ENTRIES_A_BOX * t->count &&
           t->enter_begins[list_count(t)] <= t->count / 4 &&
           largest_list(t) <= 2 * p->largest + SMALLEST_LIST &&
           long_boxes(t) <= 2 * p->long_boxes + t->count / 64;
}

// ---------------------------------------------------------------------------------------------
// The lists

static toi_status gather_piece(void *context, int64_t first, int64_t end)
{
    tracy *t = context;
    uint32_t *enter = t->enter + first / t->piece * list_count(t);
    for (int64_t i = first; i < end; ++i)
        visit_lists(t, i, NULL, enter);
    return TOI_OK;
}

static toi_status sort_entries(const tracy *t, uint64_t *entries, int64_t count)
{
    if (toi_insertion_sort(entries, count, MOVES_AN_ENTRY * count + MOVES_A_LIST))
        return TOI_OK;
    return toi_radix_sort(entries, count, TOI_KEY_BOUND, 1, t->job->budget);
}

// The cell of a list; (-1, -1) for long boxes.
static span cell_of(const tracy *t, int64_t list)
{
    int64_t cell = list / t->sides, row = t->now.plan->segments[1];
    int16_t s0 = (int16_t)(cell / row), s1 = (int16_t)(cell % row);
    return cell == long_cell(t) ? (span){{-1, -1}, {-1, -1}} : (span){{s0, s1}, {s0, s1}};
}

// Copies what stays in a list, with its bounds of today.
static int64_t keep_entries(const tracy *t, int64_t list, span cell, uint64_t *out)
{
    int64_t count = 0;
    for (int64_t i = t->last.offsets[list]; i < t->last.offsets[list + 1]; ++i) {
        int64_t id = toi_key_id(t->last.entries[i]);
        if (has_cell(cells_holding(t, t->now.spans[id]), cell.first[0], cell.first[1]))
            out[count++] = entry_of(t, id);
    }
    return count;
}

// Merges sorted entries into the sorted ones before `out + count`, from the back.
static void merge_entries(uint64_t *out, int64_t count, const uint64_t *entering, int64_t more)
{
    while (more > 0)
        if (count > 0 && out[count - 1] > entering[more - 1]) {
            out[count + more - 1] = out[count - 1];
            --count;
        } else {
            out[count + more - 1] = entering[more - 1];
            --more;
        }
}

static toi_status make_list(tracy *t, int64_t list)
{
    span cell = cell_of(t, list);
    int64_t begin = t->now.offsets[list], end = t->now.offsets[list + 1];
    uint64_t *out = t->now.entries + begin, *entering = t->entering + t->enter_begins[list];
    int64_t more = t->enter_begins[list + 1] - t->enter_begins[list];
    int64_t count = t->kept ? keep_entries(t, list, cell, out) : 0;
    toi_status status = sort_entries(t, out, count);
    if (status == TOI_OK && t->kept) // else they come in order
        status = sort_entries(t, entering, more);
    if (status != TOI_OK)
        return status;
    merge_entries(out, count, entering, more);
    for (int64_t i = begin; i < end; ++i) {
        span s = t->now.spans[toi_key_id(t->now.entries[i])];
        int before = (s.first[0] < cell.first[0]) | (s.first[1] < cell.first[1]) << 1;
        t->tags[i] = (uint8_t)(cell.first[0] < 0 ? 3 : before);
    }
    return TOI_OK;
}

static toi_status make_some_lists(void *context, int64_t first, int64_t end)
{
    toi_status status = TOI_OK;
    for (int64_t list = first; list < end && status == TOI_OK; ++list)
        status = make_list(context, list);
    return status;
}

static toi_status make_lists(tracy *t)
{
    toi_budget *budget = t->job->budget;
    int64_t lists = list_count(t);
    t->entering = toi_take(budget, t->enter_begins[lists], sizeof *t->entering);
    t->tags = t->entering ? toi_take(budget, t->now.offsets[lists], sizeof *t->tags) : NULL;
    if (!t->tags)
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(t->job->workers, t->count, t->piece, gather_piece, t);
    if (status == TOI_OK)
        status = toi_parallel_ranges(t->job->workers, lists, 1, make_some_lists, t);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The search

// One entry against the boxes of a list from `begin` on: all, or as the tags allow.
static toi_status write_run(const tracy *t, bool all, int64_t probe, int64_t begin, int64_t end,
                            toi_pair_writer *writer)
{
    const toi_layout *layout = all ? &t->untagged : &t->layout;
    bool stopped;
    toi_run run = {.probe_layout = layout,
                   .probe = probe,
                   .layout = layout,
                   .begin = begin,
                   .end = end,
                   .sorted = true,
                   .write = TOI_WRITE_SORTED};
    return toi_write_run(writer, run, &stopped);
}

// A long box against the boxes of one side that begin where it is, or before but not farther than
// they may reach; its tag excludes them in all other cells.
static toi_status search_cells(const tracy *t, int64_t entry, int side, toi_pair_writer *writer)
{
    const int64_t *offsets = t->now.offsets;
    int reach = t->now.plan->reach;
    float x = toi_bound(&t->layout, TOI_LO0, entry);
    span s = t->now.spans[t->layout.ids[entry]];
    toi_status status = TOI_OK;
    for (int s0 = s.first[0] > reach ? s.first[0] - reach : 0; s0 <= s.last[0]; ++s0)
        for (int s1 = s.first[1] > reach ? s.first[1] - reach : 0; s1 <= s.last[1]; ++s1) {
            int64_t list = list_at(t, s0, s1, side);
            int64_t begin = toi_first_from(&t->layout, offsets[list], offsets[list + 1], x, false);
            if (status == TOI_OK)
                status = write_run(t, false, entry, begin, offsets[list + 1], writer);
        }
    return status;
}

// Entries [first, end) of a list, each against those that begin after it on the sweep axis: in the
// list of the other side, and among the long boxes. Of two that begin together, one of the first
// side goes before one of the second, and a long one before a short one.
static toi_status search_list(const tracy *t, int64_t list, int64_t first, int64_t end,
                              toi_pair_writer *writer)
{
    const toi_layout *layout = &t->layout;
    const int64_t *offsets = t->now.offsets;
    int side = t->sides - 1 - (int)(list % t->sides); // the other one
    int64_t other = list - list % t->sides + side, long_list = list_at(t, -1, -1, side);
    int64_t begin = offsets[other], long_begin = offsets[long_list];
    bool is_long = list / t->sides == long_cell(t);
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        float x = toi_bound(layout, TOI_LO0, i);
        begin =
            other == list ? i + 1 : toi_first_from(layout, begin, offsets[other + 1], x, side == 0);
        bool begins_here = layout->tags[i] == 0;
        status = write_run(t, begins_here || is_long, i, begin, offsets[other + 1], writer);
        if (status == TOI_OK && is_long) {
            status = search_cells(t, i, side, writer);
        } else if (status == TOI_OK && begins_here) {
            long_begin = toi_first_from(layout, long_begin, offsets[long_list + 1], x, true);
            status = write_run(t, true, i, long_begin, offsets[long_list + 1], writer);
        }
    }
    return status;
}

static toi_status search_task(void *context, int64_t task, int worker)
{
    tracy *t = context;
    toi_pair_writer writer = toi_start_writer(t->job, t->buffers, task, worker);
    const int64_t *offsets = t->now.offsets;
    int64_t i = task * PROBES_A_TASK, end = i + PROBES_A_TASK;
    end = end < t->layout.count ? end : t->layout.count;
    int64_t list = 0, lists = list_count(t);
    while (lists - list > 1) { // the list that holds entry i
        int64_t middle = list + (lists - list) / 2;
        if (offsets[middle] <= i)
            list = middle;
        else
            lists = middle;
    }
    toi_status status = TOI_OK;
    for (; i < end && status == TOI_OK; ++list) {
        int64_t until = end < offsets[list + 1] ? end : offsets[list + 1];
        status = search_list(t, list, i, until, &writer);
        i = until;
    }
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(t->job->meter, 1) : status;
}

// A run stops at a block whose first box begins too late; where that box is of the list before, it
// must not.
static void open_seams(tracy *t)
{
    for (int64_t list = 0; list < list_count(t); ++list)
        if (t->now.offsets[list] % TOI_BLOCK != 0)
            t->layout.begins[t->now.offsets[list] / TOI_BLOCK] = -HUGE_VALF;
}

static toi_status search_lists(tracy *t)
{
    const toi_broad_job *job = t->job;
    int64_t entries = t->now.offsets[list_count(t)];
    toi_status status = toi_make_joint_layout(job, t->now.plan->sweep, t->now.entries, t->tags,
                                              entries, &t->layout);
    if (status != TOI_OK)
        return status;
    open_seams(t);
    t->untagged = t->layout;
    t->untagged.tags = NULL;
    t->buffers = toi_take_writer_buffers(job);
    if (!t->buffers)
        return toi_allocation_status();
    int64_t tasks = (entries + PROBES_A_TASK - 1) / PROBES_A_TASK;
    if (job->meter)
        job->meter->total = tasks;
    return toi_parallel(job->workers, tasks, search_task, t);
}

// ---------------------------------------------------------------------------------------------
// All of it

static toi_status take_counts(tracy *t)
{
    toi_budget *budget = t->job->budget;
    int64_t counts = t->pieces * most_lists(t);
    t->entries_by_reach = toi_take(budget, 2 * t->pieces, sizeof *t->entries_by_reach);
    t->sizes = t->entries_by_reach ? toi_take(budget, 2 * counts, sizeof *t->sizes) : NULL;
    t->enter_begins =
        t->sizes ? toi_take(budget, most_lists(t) + 1, sizeof *t->enter_begins) : NULL;
    t->bounds = t->enter_begins ? toi_take(budget, t->count, sizeof *t->bounds) : NULL;
    if (!t->bounds)
        return toi_allocation_status();
    t->boxes_by_reach = t->entries_by_reach + t->pieces;
    t->enter = t->sizes + counts;
    return TOI_OK;
}

// Takes over the plan of the last call, if it still suits.
static toi_status follow_plan(tracy *t)
{
    *t->now.plan = *t->last.plan;
    memcpy(t->now.bounds[0], t->last.bounds[0], 2 * (size_t)t->most_cells * sizeof(double));
    toi_status status = locate_boxes(t);
    t->kept = status == TOI_OK && plan_suits(t);
    return status;
}

static toi_status begin_anew(tracy *t)
{
    toi_status status = make_plan(t);
    if (status == TOI_OK)
        status = toi_sort_along(t->job, t->now.plan->sweep, &t->order);
    if (status == TOI_OK)
        status = locate_boxes(t);
    if (status == TOI_OK) {
        t->now.plan->largest = largest_list(t);
        t->now.plan->long_boxes = long_boxes(t);
    }
    return status;
}

static toi_status update_cells(tracy *t)
{
    toi_status status = take_counts(t);
    if (status == TOI_OK && t->kept)
        status = follow_plan(t);
    if (status == TOI_OK && !t->kept)
        status = begin_anew(t);
    if (status == TOI_OK)
        status = make_lists(t);
    toi_give_back(t->entries_by_reach);
    toi_give_back(t->sizes);
    toi_give_back(t->enter_begins);
    toi_give_back(t->bounds);
    toi_give_back(t->entering);
    toi_give_back(t->order);
    return status;
}

toi_status toi_search_tracy(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    tracy t = {.job = job, .count = toi_joint_count(job), .sides = job->self ? 1 : 2};
    t.most_cells = 1 + t.count / SMALLEST_LIST;
    t.piece = t.count / PIECES < TOI_PIECE ? TOI_PIECE : t.count / PIECES + 1;
    t.pieces = (t.count + t.piece - 1) / t.piece;
    int64_t bytes = block_bytes(&t);
    void *block = toi_open_slot(job, TOI_BROAD_TRACY, bytes, &t.kept), *last = NULL;
    if (block && t.kept) {
        last = block;
        t.last = open_block(&t, last);
        block = toi_take(job->budget, bytes, 1);
    }
    toi_status status = block ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        t.now = open_block(&t, block);
        status = update_cells(&t);
    }
    toi_give_back(last);
    bool good = status == TOI_OK;
    if (good)
        status = search_lists(&t);
    toi_give_back(t.tags);
    toi_give_back(t.buffers);
    toi_free_layout(&t.layout);
    toi_close_slot(job, TOI_BROAD_TRACY, bytes, block, good);
    return status;
}
