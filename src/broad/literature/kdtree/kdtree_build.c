// Cutting space into cells: a cell is cut where half of its boxes begin before the plane, as long
// as that saves more comparisons than the references it adds cost.

#include "broad/literature/kdtree/kdtree.h"

#include "broad/layout/axes.h"

#include <math.h>
#include <string.h>

enum
{
    ROOM = 3,         // references a box, on average, at most
    LEAST_CELL = 128, // boxes: smaller ones are not cut
    SAMPLES = 128,    // boxes that are asked where to cut
    PROBES = 16,      // and how many others a box meets
    WAVE_CELLS = 256, // are cut at the same time; below, a task has a subtree
    SMALL_CELL = 8192 // boxes: is a task for one worker
};

// What a cut costs, in comparisons: for each reference of the cell, and for each that it adds.
static const double MOVE_COST = 20, COPY_COST = 200;

// The children of a cut have at most this share of their parent: bounds the depth.
static const double LARGEST_CHILD = 0.8;

// A cell, and where its references stand: first those of list a, then those of b, each in the order
// of the rows.
typedef struct cell
{
    int64_t begin;    // a multiple of TOI_BLOCK
    int64_t room;     // references it and its children may have, padded to whole blocks
    int64_t count[2]; // of each list
    float lo[2];      // where the cell begins on axes 1 and 2
} cell;

typedef struct cutter
{
    const toi_broad_job *job;
    const toi_ranked_boxes *rows;
    toi_kd_cells *cells;
    cell *wave;
    cell *children; // two for each of the wave
    bool *cut;      // was a cell of the wave?
    cell *trees;    // the cells below the waves
    int64_t tree_count;
} cutter;

static int64_t cell_count(const cell *c)
{
    return c->count[0] + c->count[1];
}

static const toi_ranked_box *row_at(const cutter *s, const cell *c, int64_t i)
{
    return &s->rows->rows[s->cells->references[c->begin + i]];
}

// The first of references [begin, end) of a cell that begins at x or after on the first axis;
// `beyond`: only after.
static int64_t first_reference(const cutter *s, const cell *c, int64_t begin, int64_t end, float x,
                               bool beyond)
{
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        float at = row_at(s, c, middle)->lo[0];
        if (at < x || (beyond && at == x))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// About how many comparisons a sweep of the cell takes: some boxes are asked how many of the others
// begin inside them.
static double estimate_comparisons(const cutter *s, const cell *c)
{
    int64_t count = cell_count(c), step = 1 + count / PROBES, probes = 0, met = 0;
    bool self = s->job->self;
    for (int64_t i = step / 2; i < count; i += step, ++probes) {
        bool second = !self && i >= c->count[0];
        const toi_ranked_box *row = row_at(s, c, i);
        int64_t begin = self || second ? 0 : c->count[0], end = second ? c->count[0] : count;
        int64_t first = self ? i + 1 : first_reference(s, c, begin, end, row->lo[0], second);
        met += first_reference(s, c, first, end, row->hi[0], true) - first;
    }
    return (double)met * ((double)count / (double)probes);
}

// A plane across axis 1 or 2, and the shares of each list that it sends to the two sides.
typedef struct plane
{
    int axis;
    float at;
    double before[2];
    double after[2];
} plane;

// The plane at the middle of the boxes' beginnings.
static plane middle_plane(const cutter *s, const cell *c, int axis)
{
    float los[SAMPLES + 1] = {0}, his[SAMPLES + 1];
    uint64_t keys[SAMPLES + 1];
    int64_t count = cell_count(c), step = 1 + count / SAMPLES, lists[2] = {0, 0};
    int samples = 0;
    for (int64_t i = 0; i < count; i += step, ++samples) {
        const toi_ranked_box *row = row_at(s, c, i);
        los[samples] = row->lo[axis];
        keys[samples] = toi_key((double)los[samples], samples);
        his[samples] = row->hi[axis];
        ++lists[i >= c->count[0]];
    }
    int64_t middle = toi_key_id(toi_select_key(keys, samples, samples / 2));
    plane p = {.axis = axis, .at = los[middle]};
    for (int i = 0; i < samples; ++i) {
        int list = i >= lists[0];
        p.before[list] += (los[i] < p.at) / (double)lists[list];
        p.after[list] += (his[i] >= p.at) / (double)lists[list];
    }
    return p;
}

// What a cut saves, in comparisons.
static double plane_gain(const cutter *s, const cell *c, const plane *p, double comparisons)
{
    int other = s->job->self ? 0 : 1;
    double rest = p->before[0] * p->before[other] + p->after[0] * p->after[other];
    double added = 0;
    for (int list = 0; list <= other; ++list)
        added += (double)c->count[list] * (p->before[list] + p->after[list] - 1);
    return comparisons * (1 - rest) - MOVE_COST * (double)cell_count(c) - COPY_COST * added;
}

// Sends the references of a cell to the two sides of a plane. Both arrays of `scratch` have room
// for all of them.
static void part_references(const cutter *s, const cell *c, const plane *p, int32_t *scratch[2],
                            int64_t counts[2][2])
{
    int64_t left = 0, right = 0, i = 0, last = cell_count(c) - 1;
    for (int list = 0; list < 2; ++list) {
        int64_t left_before = left, right_before = right;
        for (int64_t end = i + c->count[list]; i < end; ++i) {
            int32_t reference = s->cells->references[c->begin + i];
            __builtin_prefetch(row_at(s, c, i + TOI_ROWS_AHEAD < last ? i + TOI_ROWS_AHEAD : last));
            const toi_ranked_box *row = &s->rows->rows[reference];
            scratch[0][left] = reference;
            scratch[1][right] = reference;
            left += row->lo[p->axis] < p->at;
            right += row->hi[p->axis] >= p->at;
        }
        counts[0][list] = left - left_before;
        counts[1][list] = right - right_before;
    }
}

// Shares the room of a cell out to its children; false if there is not enough.
static bool share_room(const cell *c, cell children[2])
{
    int64_t needed[2], counts[2];
    for (int side = 0; side < 2; ++side) {
        needed[side] = toi_padded(children[side].count[0]) + toi_padded(children[side].count[1]);
        if (needed[side] == 0)
            needed[side] = TOI_BLOCK;
        counts[side] = cell_count(&children[side]);
    }
    int64_t slack = c->room - needed[0] - needed[1];
    if (slack < 0)
        return false;
    double share = (double)counts[0] / (double)(counts[0] + counts[1]);
    children[0].begin = c->begin;
    children[0].room = needed[0] + (int64_t)(share * (double)slack) / TOI_BLOCK * TOI_BLOCK;
    children[1].begin = c->begin + children[0].room;
    children[1].room = c->room - children[0].room;
    return true;
}

// Cuts a cell if it pays.
static bool cut_cell(cutter *s, const cell *c, int32_t *scratch[2], cell children[2])
{
    int64_t count = cell_count(c);
    if (count < LEAST_CELL || (!s->job->self && (c->count[0] == 0 || c->count[1] == 0)))
        return false;
    double comparisons = estimate_comparisons(s, c);
    plane best = middle_plane(s, c, 1), other = middle_plane(s, c, 2);
    double gain = plane_gain(s, c, &best, comparisons);
    double other_gain = plane_gain(s, c, &other, comparisons);
    if (other_gain > gain) {
        best = other;
        gain = other_gain;
    }
    if (!(gain > 0))
        return false;
    int64_t counts[2][2];
    part_references(s, c, &best, scratch, counts);
    for (int side = 0; side < 2; ++side) {
        children[side] = *c;
        memcpy(children[side].count, counts[side], sizeof counts[side]);
        if ((double)cell_count(&children[side]) > LARGEST_CHILD * (double)count)
            return false;
    }
    if (!share_room(c, children))
        return false;
    children[1].lo[best.axis - 1] = best.at;
    for (int side = 0; side < 2; ++side)
        memcpy(s->cells->references + children[side].begin, scratch[side],
               (size_t)cell_count(&children[side]) * sizeof **scratch);
    return true;
}

// Notes a cell that is not cut, unless no pair can be in it.
static void add_leaf(cutter *s, const cell *c)
{
    if (cell_count(c) < 2 || (!s->job->self && (c->count[0] == 0 || c->count[1] == 0)))
        return;
    s->cells->leaves[c->begin / TOI_BLOCK] =
        (toi_kd_leaf){{(int32_t)c->count[0], (int32_t)c->count[1]}, {c->lo[0], c->lo[1]}};
}

static void build_cell(cutter *s, const cell *c, int32_t *scratch[2])
{
    cell children[2];
    if (!cut_cell(s, c, scratch, children)) {
        add_leaf(s, c);
        return;
    }
    build_cell(s, &children[0], scratch);
    build_cell(s, &children[1], scratch);
}

// Takes room to part a cell's references.
static int32_t *take_scratch(const cutter *s, const cell *c, int32_t *scratch[2])
{
    int64_t count = cell_count(c) + 1; // one more is written and not kept
    scratch[0] = toi_take(s->job->budget, 2 * count, sizeof **scratch);
    scratch[1] = scratch[0] ? scratch[0] + count : NULL;
    return scratch[0];
}

static toi_status cut_wave(void *context, int64_t first, int64_t end)
{
    cutter *s = context;
    for (int64_t i = first; i < end; ++i) {
        int32_t *scratch[2];
        if (!take_scratch(s, &s->wave[i], scratch))
            return toi_allocation_status();
        s->cut[i] = cut_cell(s, &s->wave[i], scratch, &s->children[2 * i]);
        toi_give_back(scratch[0]);
    }
    return TOI_OK;
}

static toi_status build_subtrees(void *context, int64_t first, int64_t end)
{
    cutter *s = context;
    for (int64_t i = first; i < end; ++i) {
        int32_t *scratch[2];
        if (!take_scratch(s, &s->trees[i], scratch))
            return toi_allocation_status();
        build_cell(s, &s->trees[i], scratch);
        toi_give_back(scratch[0]);
    }
    return TOI_OK;
}

// Collects the next wave, and the leaves and small cells that a wave has left; returns how many
// cells the next has.
static int64_t next_wave(cutter *s, int64_t wave)
{
    int64_t small = s->rows->count / 64 > SMALL_CELL ? s->rows->count / 64 : SMALL_CELL, next = 0;
    for (int64_t i = 0; i < wave; ++i)
        if (!s->cut[i])
            add_leaf(s, &s->wave[i]);
    for (int64_t i = 0; i < 2 * wave; ++i) {
        const cell *child = &s->children[i];
        if (!s->cut[i / 2])
            continue;
        if (cell_count(child) <= small)
            s->trees[s->tree_count++] = *child;
        else
            s->wave[next++] = *child;
    }
    return next;
}

// Cuts the upper cells level by level until they are small or many, then builds a subtree a task.
static toi_status build_tree(cutter *s)
{
    s->wave[0] = (cell){.room = s->cells->room,
                        .count = {s->rows->first_count, s->rows->count - s->rows->first_count},
                        .lo = {-INFINITY, -INFINITY}};
    for (int64_t i = 0; i < s->rows->count; ++i)
        s->cells->references[i] = (int32_t)i;
    memset(s->cells->leaves, 0, (size_t)(s->cells->room / TOI_BLOCK) * sizeof *s->cells->leaves);
    toi_status status = TOI_OK;
    int64_t wave = 1;
    while (wave > 0 && s->tree_count + 2 * wave <= WAVE_CELLS && status == TOI_OK) {
        status = toi_parallel_ranges(s->job->workers, wave, 1, cut_wave, s);
        if (status == TOI_OK)
            wave = next_wave(s, wave);
    }
    for (int64_t i = 0; i < wave; ++i)
        s->trees[s->tree_count++] = s->wave[i];
    if (status == TOI_OK)
        status = toi_parallel_ranges(s->job->workers, s->tree_count, 1, build_subtrees, s);
    return status;
}

void toi_free_cells(toi_kd_cells *cells)
{
    toi_give_back(cells->leaves);
    toi_give_back(cells->references);
    *cells = (toi_kd_cells){0};
}

toi_status toi_cut_space(const toi_broad_job *job, const toi_ranked_boxes *rows,
                         toi_kd_cells *cells)
{
    cutter s = {.job = job, .rows = rows, .cells = cells};
    int64_t needed = toi_padded(rows->first_count) + toi_padded(rows->count - rows->first_count);
    int64_t room = toi_padded(ROOM * rows->count);
    *cells = (toi_kd_cells){.room = room > needed ? room : needed};
    cells->references = toi_take(job->budget, cells->room, sizeof *cells->references);
    if (cells->references)
        cells->leaves = toi_take(job->budget, cells->room / TOI_BLOCK, sizeof *cells->leaves);
    s.wave = cells->leaves ? toi_take(job->budget, 4 * WAVE_CELLS, sizeof *s.wave) : NULL;
    s.cut = s.wave ? toi_take(job->budget, WAVE_CELLS, sizeof *s.cut) : NULL;
    toi_status status = s.cut ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        s.trees = s.wave + WAVE_CELLS;
        s.children = s.wave + 2 * WAVE_CELLS;
        status = build_tree(&s);
    }
    toi_give_back(s.cut);
    toi_give_back(s.wave);
    if (status != TOI_OK)
        toi_free_cells(cells);
    return status;
}
