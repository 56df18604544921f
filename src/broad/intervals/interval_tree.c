// Streamed segment trees (Zomorodian and Edelsbrunner, "Fast software for box intersections",
// 2000).
//
// On one axis two boxes overlap if and only if the one that begins later begins inside the other.
// So a segment tree over the beginnings finds all overlaps of an axis: a node is the set of boxes
// that begin in its segment, and with it go the boxes that begin before the segment and reach into
// it. Those that reach across the whole segment overlap all boxes of the node on this axis: the two
// sets are searched on the next axis, as two lists. The others end inside the segment and go down
// to the half where they do. The tree is never stored: a node is a set of box numbers that is dealt
// out to its halves and forgotten. Small nodes are swept.
//
// Boxes are sorted once, along the axis of the sweeps; sets keep that order on their way down.
// Beginnings are compared as floats, ties by the box's place in that order; the sweeps ask the
// doubles where floats are equal (layout.h).

#include "broad/intervals/interval_tree.h"

#include "broad/layout/axes.h"

#include <math.h>
#include <string.h>

enum
{
    LANES = 2048,     // boxes of one side of a sweep that are laid out at once
    WAVE = 256,       // problems that are expanded at the same time, at most
    SMALL = 4 * WAVE, // and that wait to be solved
    TASK_ITEMS = 4096,
    MOST_POOLED = 1 << 16
};

// Boxes of a sweep that are laid out. Those that begin before the segment are tagged: two of them
// are not compared here. A box without a tag need not look at the tags of the others.
typedef struct side
{
    toi_layout tagged;
    toi_layout plain; // the same without tags
} side;

typedef struct interval_tree
{
    const toi_broad_job *job;
    toi_ranked_boxes rows;
    side *sides; // room to lay boxes out, two for each worker
    toi_pair *buffers;
    int64_t next_task;
    toi_problem *wave;
    toi_pieces *expanded; // of each problem of the wave
    int64_t wave_count;
    toi_problem *small; // problems for one worker each
    int64_t small_count;
    int64_t small_items;
    int64_t task_items; // a problem with more is expanded by all workers
} interval_tree;

// A worker and its task.
typedef struct sweeper
{
    const interval_tree *tree;
    const toi_ranked_box *rows;
    side *sides;
    toi_item_pool pool;
    toi_pair_writer writer;
} sweeper;

static void lay_out(const toi_ranked_box *rows, toi_item_set boxes, side *out)
{
    toi_layout *layout = &out->tagged;
    int64_t last = boxes.count - 1;
    for (int64_t i = 0; i < boxes.count; ++i) {
        __builtin_prefetch(
            toi_item_row(rows, boxes.items[i + TOI_ROWS_AHEAD < last ? i + TOI_ROWS_AHEAD : last]));
        toi_place_row(layout, i, toi_item_row(rows, boxes.items[i]));
        layout->tags[i] = (uint8_t)(boxes.items[i] >> 30);
    }
    toi_pad_lanes(layout, boxes.count);
    layout->count = boxes.count;
    out->plain = *layout;
    out->plain.tags = NULL;
}

static toi_run start_run(const side *probes, const side *boxes)
{
    return (toi_run){.probe_layout = &probes->tagged,
                     .end = boxes->tagged.count,
                     .sorted = true,
                     .write = TOI_WRITE_SORTED};
}

static toi_status compare(sweeper *w, toi_run run, const side *boxes)
{
    bool stopped;
    run.layout = run.probe_layout->tags[run.probe] ? &boxes->tagged : &boxes->plain;
    return toi_write_run(&w->writer, run, &stopped);
}

// Compares each box with those that begin after it.
static toi_status sweep_alone(sweeper *w, const side *boxes)
{
    toi_status status = TOI_OK;
    toi_run run = start_run(boxes, boxes);
    for (run.probe = 0; run.probe + 1 < run.end && status == TOI_OK; ++run.probe) {
        run.begin = run.probe + 1;
        status = compare(w, run, boxes);
    }
    return status;
}

// Compares each probe with the boxes that begin where it does or after; `beyond`: only after.
static toi_status sweep_forward(sweeper *w, const side *probes, const side *boxes, bool beyond)
{
    const toi_layout *from = &probes->plain, *to = &boxes->plain;
    toi_status status = TOI_OK;
    toi_run run = start_run(probes, boxes);
    for (; run.probe < from->count && status == TOI_OK; ++run.probe) {
        float x = toi_bound(from, TOI_LO0, run.probe);
        while (run.begin < run.end && (toi_bound(to, TOI_LO0, run.begin) < x ||
                                       (beyond && toi_bound(to, TOI_LO0, run.begin) == x)))
            ++run.begin;
        if (run.begin == run.end)
            break;
        status = compare(w, run, boxes);
    }
    return status;
}

// All pairs of two sets that fit, the cheaper way: a sweep starts a run for each box, the other
// takes all blocks for each of the fewer.
static toi_status join_sides(sweeper *w, const side *x, const side *y)
{
    static const int64_t RUN_COST = 5; // in blocks
    int64_t x_count = x->plain.count, y_count = y->plain.count;
    const side *fewer = x_count < y_count ? x : y, *more = fewer == x ? y : x;
    toi_status status = TOI_OK;
    toi_run run = start_run(fewer, more);
    if (fewer->plain.count * (RUN_COST + more->plain.count / TOI_BLOCK) <=
        RUN_COST * (x_count + y_count)) {
        for (; run.probe < fewer->plain.count && status == TOI_OK; ++run.probe)
            status = compare(w, run, more);
        return status;
    }
    status = sweep_forward(w, x, y, false);
    return status == TOI_OK ? sweep_forward(w, y, x, true) : status;
}

// The next boxes of a set that can be laid out at once.
static toi_item_set piece_from(toi_item_set boxes, int64_t at)
{
    return (toi_item_set){boxes.items + at, boxes.count - at < LANES ? boxes.count - at : LANES};
}

// Compares boxes that are laid out with those of a set from `at` on, as far as they reach.
static toi_status sweep_onward(sweeper *w, toi_item_set probes, toi_item_set boxes, int64_t at,
                               bool beyond)
{
    toi_status status = TOI_OK;
    if (at >= boxes.count)
        return status;
    float reach = -INFINITY;
    for (int64_t i = 0; i < probes.count; ++i)
        reach = fmaxf(reach, toi_item_row(w->rows, probes.items[i])->hi[0]);
    for (; at < boxes.count && status == TOI_OK; at += LANES) {
        if (toi_item_row(w->rows, boxes.items[at])->lo[0] > reach)
            break;
        lay_out(w->rows, piece_from(boxes, at), &w->sides[1]);
        status = sweep_forward(w, &w->sides[0], &w->sides[1], beyond);
    }
    return status;
}

// All pairs of a set.
static toi_status sweep_set(sweeper *w, toi_item_set boxes)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < boxes.count && status == TOI_OK; i += LANES) {
        toi_item_set piece = piece_from(boxes, i);
        lay_out(w->rows, piece, &w->sides[0]);
        status = sweep_alone(w, &w->sides[0]);
        if (status == TOI_OK)
            status = sweep_onward(w, piece, boxes, i + piece.count, false);
    }
    return status;
}

// One direction of a sweep of two sets.
static toi_status sweep_sets(sweeper *w, toi_item_set probes, toi_item_set boxes, bool beyond)
{
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < probes.count && status == TOI_OK; i += LANES) {
        toi_item_set piece = piece_from(probes, i);
        lay_out(w->rows, piece, &w->sides[0]);
        int64_t at =
            toi_first_item(w->rows, boxes, toi_item_row(w->rows, piece.items[0])->lo[0], beyond);
        status = sweep_onward(w, piece, boxes, at, beyond);
    }
    return status;
}

// All pairs of two sets.
static toi_status join_sets(sweeper *w, toi_item_set x, toi_item_set y)
{
    toi_status status = TOI_OK;
    toi_item_set fewer = x.count < y.count ? x : y, more = x.count < y.count ? y : x;
    if (fewer.count > LANES) {
        status = sweep_sets(w, x, y, false);
        return status == TOI_OK ? sweep_sets(w, y, x, true) : status;
    }
    lay_out(w->rows, fewer, &w->sides[0]);
    for (int64_t i = 0; i < more.count && status == TOI_OK; i += LANES) {
        lay_out(w->rows, piece_from(more, i), &w->sides[1]);
        status = join_sides(w, &w->sides[0], &w->sides[1]);
    }
    return status;
}

static bool has_pairs(const toi_problem *p)
{
    if (p->single)
        return p->begins[0] > 0 && toi_list_count(p, 0) > 1;
    return (p->begins[1] > 0 && toi_list_count(p, 0) > 0) ||
           (p->begins[0] > 0 && toi_list_count(p, 1) > 0);
}

// Solves a problem by one worker, and forgets it.
static toi_status solve(sweeper *w, toi_problem *p)
{
    toi_status status = TOI_OK;
    int64_t used = w->pool.used;
    if (p->axis == 0 && has_pairs(p)) {
        toi_item_set lists[2] = {{p->items[0], toi_list_count(p, 0)},
                                 {p->items[1], toi_list_count(p, 1)}};
        status = p->single ? sweep_set(w, lists[0]) : join_sets(w, lists[0], lists[1]);
    } else if (has_pairs(p)) {
        toi_pieces parts;
        status =
            toi_expand_problem(&(toi_expander){w->tree->job->budget, w->rows, &w->pool}, p, &parts);
        toi_forget_problem(p); // not needed below
        for (int i = 0; i < parts.count && status == TOI_OK; ++i)
            status = solve(w, &parts.piece[i]);
        toi_forget_pieces(&parts);
    }
    toi_forget_problem(p);
    w->pool.used = used;
    return status;
}

static toi_status expand(void *context, int64_t first, int64_t end)
{
    interval_tree *s = context;
    toi_expander expander = {s->job->budget, s->rows.rows, NULL};
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = toi_expand_problem(&expander, &s->wave[i], &s->expanded[i]);
    return status;
}

// Solves one of the small problems.
static toi_status solve_one(void *context, int64_t index, int worker)
{
    interval_tree *s = context;
    toi_problem *p = &s->small[index];
    int64_t items = toi_item_count(p) < MOST_POOLED ? toi_item_count(p) : MOST_POOLED;
    sweeper w = {
        .tree = s,
        .rows = s->rows.rows,
        .sides = &s->sides[2 * worker],
        .pool = {.count = p->axis > 0 ? 8 * items : 1}, // for most problems on the way down
        .writer = toi_start_writer(s->job, s->buffers, s->next_task + index, worker)};
    w.pool.items = toi_take(s->job->budget, w.pool.count, sizeof *w.pool.items);
    if (!w.pool.items)
        return toi_allocation_status();
    toi_status status = solve(&w, p);
    toi_give_back(w.pool.items);
    if (status == TOI_OK)
        status = toi_end_writer(&w.writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, p->weight) : status;
}

// Solves the small problems there are.
static toi_status solve_small(interval_tree *s)
{
    toi_status status = toi_parallel(s->job->workers, s->small_count, solve_one, s);
    for (int64_t i = 0; i < s->small_count; ++i)
        toi_forget_problem(&s->small[i]);
    s->next_task += s->small_count;
    s->small_count = s->small_items = 0;
    return status;
}

// Adds a piece to the next wave, or to the small problems. Those are solved when they are many:
// waiting problems hold no more than a few items for each box.
static toi_status add_problem(interval_tree *s, toi_problem *p)
{
    if (!p->items[0])
        return TOI_OK;
    if (p->axis > 0 && toi_item_count(p) > s->task_items && s->wave_count < WAVE) {
        s->wave[s->wave_count++] = *p;
    } else {
        s->small_items += toi_item_count(p);
        s->small[s->small_count++] = *p;
    }
    p->items[0] = NULL;
    bool many = s->small_count == SMALL || s->small_items > 4 * s->rows.count;
    return many ? solve_small(s) : TOI_OK;
}

// Divides the weight of a problem among its pieces.
static void share_weight(int64_t weight, toi_pieces *out)
{
    int64_t items = 0;
    for (int i = 0; i < out->count; ++i)
        items += toi_item_count(&out->piece[i]) + 1;
    for (int i = 0; i < out->count; ++i) {
        toi_problem *p = &out->piece[i];
        p->weight = (int64_t)((double)weight * (double)(toi_item_count(p) + 1) / (double)items);
        if (i == out->count - 1 || p->weight > weight)
            p->weight = weight;
        weight -= p->weight;
        items -= toi_item_count(p) + 1;
    }
}

// Expands the problems of a wave and collects the next one.
static toi_status run_wave(interval_tree *s)
{
    int64_t count = s->wave_count;
    for (int64_t i = 0; i < count; ++i)
        s->expanded[i].count = 0;
    toi_status status = toi_parallel_ranges(s->job->workers, count, 1, expand, s);
    int64_t weights[WAVE];
    for (int64_t i = 0; i < count; ++i) {
        weights[i] = s->wave[i].weight;
        toi_forget_problem(&s->wave[i]);
    }
    s->wave_count = 0;
    for (int64_t i = 0; i < count; ++i) {
        share_weight(weights[i], &s->expanded[i]);
        for (int j = 0; j < s->expanded[i].count && status == TOI_OK; ++j)
            status = add_problem(s, &s->expanded[i].piece[j]);
        toi_forget_pieces(&s->expanded[i]);
    }
    return status;
}

// All boxes, as the problem that all others are pieces of.
static toi_status make_root(interval_tree *s, toi_problem *root)
{
    const toi_ranked_boxes *rows = &s->rows;
    *root = (toi_problem){.axis = TOI_FIRST_AXIS,
                          .single = s->job->self,
                          .weight = rows->count,
                          .begins = {rows->first_count, rows->count - rows->first_count}};
    root->items[0] = toi_take(s->job->budget, rows->count, sizeof **root->items);
    if (!root->items[0])
        return toi_allocation_status();
    root->items[1] = root->items[0] + rows->first_count;
    for (int64_t i = 0; i < rows->count; ++i)
        root->items[0][i] = (uint32_t)i;
    toi_find_end(rows->rows, root);
    return TOI_OK;
}

static toi_status search_rows(interval_tree *s)
{
    toi_problem root;
    s->task_items = s->rows.count / 128 > TASK_ITEMS ? s->rows.count / 128 : TASK_ITEMS;
    if (s->job->meter)
        s->job->meter->total = s->rows.count;
    toi_status status = make_root(s, &root);
    if (status == TOI_OK)
        status = add_problem(s, &root);
    while (s->wave_count > 0 && status == TOI_OK)
        status = run_wave(s);
    if (status == TOI_OK)
        status = solve_small(s);
    for (int64_t i = 0; i < s->wave_count; ++i)
        toi_forget_problem(&s->wave[i]);
    for (int64_t i = 0; i < s->small_count; ++i)
        toi_forget_problem(&s->small[i]);
    return status;
}

// Room for the boxes of a sweep and their pairs, for each worker.
static toi_status take_sides(interval_tree *s)
{
    const toi_broad_job *job = s->job;
    s->sides = toi_take(job->budget, 2 * job->workers, sizeof *s->sides);
    if (!s->sides)
        return toi_allocation_status();
    memset(s->sides, 0, 2 * (size_t)job->workers * sizeof *s->sides);
    toi_status status = TOI_OK;
    for (int i = 0; i < 2 * job->workers && status == TOI_OK; ++i)
        status = toi_take_layout(job, &s->rows, LANES, true, &s->sides[i].tagged);
    s->buffers = status == TOI_OK ? toi_take_writer_buffers(job) : NULL;
    s->wave = s->buffers ? toi_take(job->budget, WAVE + SMALL, sizeof *s->wave) : NULL;
    s->expanded = s->wave ? toi_take(job->budget, WAVE, sizeof *s->expanded) : NULL;
    if (!s->expanded)
        return status == TOI_OK ? toi_allocation_status() : status;
    s->small = s->wave + WAVE;
    return TOI_OK;
}

toi_status toi_search_interval_tree(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    if (toi_joint_count(job) > (int64_t)TOI_ITEM_ROW)
        return toi_search_lbvh(job); // an item has no room for them
    interval_tree s = {.job = job};
    toi_status status = toi_make_rows(job, toi_widest_axis(job), &s.rows);
    if (status == TOI_OK)
        status = take_sides(&s);
    if (status == TOI_OK)
        status = search_rows(&s);
    for (int i = 0; s.sides && i < 2 * job->workers; ++i)
        toi_free_layout(&s.sides[i].tagged);
    toi_give_back(s.expanded);
    toi_give_back(s.wave);
    toi_give_back(s.buffers);
    toi_give_back(s.sides);
    toi_free_rows(&s.rows);
    return status;
}
