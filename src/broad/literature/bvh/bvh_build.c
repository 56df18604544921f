// Building a tree of boxes, and fitting it to boxes that have moved.
//
// A new tree is built from the top: some boxes of a node tell where to cut it, by the surface area
// heuristic. A node has room for a quarter more blocks than it needs, so that a cut need not fall
// between two full blocks. The upper nodes are split level by level, the parts below are built one
// a task. A kept tree is fitted from the leaves up; a part whose boxes have grown too much, or in
// the end the whole tree, is built again.

#include "broad/literature/bvh/bvh.h"

#include <string.h>

enum
{
    PARTS = 512, // that are built at the same time
    PART_BOXES = 2048
};

// How much of a node two children share, on the axis where they share least, tells how good a tree
// is: near 0 in a new one, near 1 in one that knows nothing of its boxes, whatever their scale. A
// tree or a part is built again when the mean has come this far from its least value towards 1, or
// is simply bad; the latter ever more rarely if it does not help.
static const double DECAY = 0.1, BAD = 0.6;

// Of some inner nodes.
typedef struct quality
{
    double shared; // sum
    int64_t nodes;
} quality;

typedef struct watch
{
    double least;     // mean share since it was built
    int32_t wait;     // calls until a bad one is built again
    int32_t patience; // twice what that was in the beginning
} watch;

// A subtree that is built by one worker, or a node above those that is to be split.
typedef struct part
{
    int32_t node;
    int32_t first; // block
    int32_t blocks;
    int32_t depth;
    int64_t begin; // row
    int64_t count;
    quality quality;
    watch watch;
} part;

// What is kept of a tree beside its nodes and ids.
typedef struct toi_bvh_state
{
    watch watch;
    int32_t part_count;
    int32_t top_count;
    part parts[PARTS];
    int32_t top[PARTS]; // nodes above the parts, parents first
} toi_bvh_state;

// Shares a node's blocks out between its children, in the ratio of their boxes. A leaf gets one.
static int64_t left_blocks(int64_t left, int64_t count, int64_t blocks)
{
    int64_t least = toi_blocks_for(left), most = blocks - toi_blocks_for(count - left);
    int64_t share = (int64_t)((double)blocks * ((double)left / (double)count) + 0.5);
    if (left <= TOI_BLOCK)
        return 1;
    return share < least ? least : share > most ? most : share;
}

// Splits a node and describes its children.
static void split_part(toi_bvh *t, toi_ranked_box *rows, const part *p, part children[2])
{
    int64_t left = toi_split_rows(rows + p->begin, p->count, p->blocks, p->depth);
    int32_t blocks = (int32_t)left_blocks(left, p->count, p->blocks);
    t->nodes[p->node].first = p->first;
    t->nodes[p->node].blocks = p->blocks;
    children[0] = (part){.node = p->node + 1,
                         .first = p->first,
                         .blocks = blocks,
                         .depth = p->depth + 1,
                         .begin = p->begin,
                         .count = left};
    children[1] = (part){.node = p->node + 2 * blocks,
                         .first = p->first + blocks,
                         .blocks = p->blocks - blocks,
                         .depth = p->depth + 1,
                         .begin = p->begin + left,
                         .count = p->count - left};
}

static void set_bounds(toi_bvh_node *n, toi_node_box b)
{
    memcpy(n->lo, b.lo, sizeof n->lo);
    memcpy(n->hi, b.hi, sizeof n->hi);
}

// Writes the rows of a leaf to its block.
static void fill_leaf(toi_bvh *t, const toi_ranked_box *rows, int count, toi_bvh_node *n)
{
    static const int lower[3] = {TOI_LO0, TOI_LO1, TOI_LO2};
    static const int upper[3] = {TOI_HI0, TOI_HI1, TOI_HI2};
    toi_node_box around = TOI_NO_BOX;
    toi_box_block *block = &t->blocks[n->first];
    int32_t *ids = t->ids + (int64_t)n->first * TOI_BLOCK;
    for (int i = 0; i < count; ++i) {
        toi_extend_bounds(&around, rows[i].lo, rows[i].hi);
        for (int k = 0; k < 3; ++k) {
            block->bound[lower[k]][i] = rows[i].lo[k];
            block->bound[upper[k]][i] = rows[i].hi[k];
        }
        ids[i] = rows[i].id - t->base;
    }
    for (int i = count; i < TOI_BLOCK; ++i) {
        for (int c = 0; c < TOI_COLUMNS; ++c)
            block->bound[c][i] = NAN; // compares false with everything
        ids[i] = -1;
    }
    set_bounds(n, around);
}

// Takes the bounds of a node from its children.
static void fit_node(toi_bvh *t, int32_t index, quality *q)
{
    const toi_bvh_node *left = &t->nodes[index + 1];
    const toi_bvh_node *right = &t->nodes[toi_right_child(t->nodes, index)];
    toi_node_box around = TOI_NO_BOX;
    toi_extend_bounds(&around, left->lo, left->hi);
    toi_extend_bounds(&around, right->lo, right->hi);
    set_bounds(&t->nodes[index], around);
    float least = 1;
    for (int k = 0; k < 3; ++k) {
        float from = fmaxf(left->lo[k], right->lo[k]), to = fminf(left->hi[k], right->hi[k]);
        float share = from < to ? (to - from) / (around.hi[k] - around.lo[k]) : 0;
        if (around.lo[k] < around.hi[k] && share < least)
            least = share;
    }
    q->shared += (double)least;
    ++q->nodes;
}

// Builds a subtree.
static void build_part(toi_bvh *t, toi_ranked_box *rows, const part *p, quality *q)
{
    if (p->count <= TOI_BLOCK) {
        toi_bvh_node *leaf = &t->nodes[p->node];
        leaf->first = p->first;
        leaf->blocks = 1;
        fill_leaf(t, rows + p->begin, (int)p->count, leaf);
        return;
    }
    part children[2];
    split_part(t, rows, p, children);
    build_part(t, rows, &children[0], q);
    build_part(t, rows, &children[1], q);
    fit_node(t, p->node, q);
}

static double mean_share(quality q)
{
    return q.nodes > 0 ? q.shared / (double)q.nodes : 0;
}

static void start_watch(watch *w, quality q)
{
    w->least = mean_share(q);
    w->patience = w->least <= BAD ? 0 : w->patience < 16 ? 2 * w->patience + 1 : w->patience;
    w->wait = w->patience / 2;
}

// Is it time to build again? If not, the quality may be the best so far.
static bool has_decayed(watch *w, quality q)
{
    double share = mean_share(q);
    if (share > BAD)
        return w->wait-- <= 0;
    if (share > w->least + DECAY * (1 - w->least))
        return true;
    w->least = share < w->least ? share : w->least;
    return false;
}

// One tree that all workers build or fit.
typedef struct tree_job
{
    const toi_broad_job *job;
    toi_bvh *tree;
    toi_ranked_box *rows;
    part *wave;     // nodes to be split now
    part *children; // two for each
    _Atomic bool inexact;
} tree_job;

static toi_status split_wave(void *context, int64_t first, int64_t end)
{
    tree_job *job = context;
    for (int64_t i = first; i < end; ++i)
        split_part(job->tree, job->rows, &job->wave[i], &job->children[2 * i]);
    return TOI_OK;
}

static toi_status build_parts(void *context, int64_t first, int64_t end)
{
    tree_job *job = context;
    for (int64_t i = first; i < end; ++i) {
        part *p = &job->tree->state->parts[i];
        p->quality = (quality){0};
        build_part(job->tree, job->rows, p, &p->quality);
        start_watch(&p->watch, p->quality);
    }
    return TOI_OK;
}

// Fits the nodes above the parts and returns the quality of the tree.
static quality fit_top(toi_bvh *t)
{
    const toi_bvh_state *s = t->state;
    quality q = {0};
    for (int i = 0; i < s->part_count; ++i) {
        q.shared += s->parts[i].quality.shared;
        q.nodes += s->parts[i].quality.nodes;
    }
    for (int i = s->top_count; i-- > 0;)
        fit_node(t, s->top[i], &q);
    return q;
}

// Adds the children of a wave to the next one, or to the parts if they are small; returns how many
// the next has.
static int next_wave(tree_job *job, int wave, int64_t small)
{
    toi_bvh_state *s = job->tree->state;
    for (int i = 0; i < wave; ++i)
        s->top[s->top_count++] = job->wave[i].node;
    int next = 0;
    for (int i = 0; i < 2 * wave; ++i) {
        const part *child = &job->children[i];
        if (child->count <= small)
            s->parts[s->part_count++] = *child;
        else
            job->wave[next++] = *child;
    }
    return next;
}

// Splits nodes level by level until they are small or many, then builds a part a task.
static toi_status build_tree(tree_job *job)
{
    toi_bvh *t = job->tree;
    toi_bvh_state *s = t->state;
    int64_t count = t->boxes.count, small = count / 128 > PART_BOXES ? count / 128 : PART_BOXES;
    toi_status status = TOI_OK;
    job->wave[0] = (part){.blocks = (int32_t)t->capacity, .count = count};
    int wave = 1;
    s->part_count = s->top_count = 0;
    while (wave > 0 && count > small && status == TOI_OK && s->part_count + 2 * wave <= PARTS &&
           s->top_count + wave <= PARTS) {
        status = toi_parallel_ranges(job->job->workers, wave, 1, split_wave, job);
        if (status == TOI_OK)
            wave = next_wave(job, wave, small);
    }
    for (int i = 0; i < wave; ++i)
        s->parts[s->part_count++] = job->wave[i];
    memset(t->ids, -1, (size_t)(t->capacity * TOI_BLOCK) * sizeof *t->ids);
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->job->workers, s->part_count, 1, build_parts, job);
    if (status == TOI_OK)
        start_watch(&s->watch, fit_top(t));
    return status;
}

// The boxes of a block as they are now; returns how many. *exact is cleared if a bound is no float.
static int read_block(const toi_bvh *t, int64_t block, toi_ranked_box *rows, bool *exact)
{
    const int32_t *ids = t->ids + block * TOI_BLOCK;
    int count = 0;
    for (; count < TOI_BLOCK && ids[count] >= 0; ++count) {
        const toi_box *box = &t->boxes.data[ids[count]];
        rows[count].id = t->base + ids[count];
        for (int k = 0; k < 3; ++k) {
            float lo = (float)box->lo[k], hi = (float)box->hi[k];
            *exact &= (double)lo == box->lo[k] && (double)hi == box->hi[k];
            rows[count].lo[k] = lo;
            rows[count].hi[k] = hi;
        }
    }
    return count;
}

// Fits a subtree to the boxes as they are now.
static void fit_subtree(toi_bvh *t, int32_t index, bool *exact, quality *q)
{
    toi_bvh_node *n = &t->nodes[index];
    if (n->blocks == 1) {
        toi_ranked_box rows[TOI_BLOCK];
        int count = read_block(t, n->first, rows, exact);
        fill_leaf(t, rows, count, n);
        return;
    }
    fit_subtree(t, index + 1, exact, q);
    fit_subtree(t, toi_right_child(t->nodes, index), exact, q);
    fit_node(t, index, q);
}

static toi_status fit_parts(void *context, int64_t first, int64_t end)
{
    tree_job *job = context;
    bool exact = true;
    for (int64_t i = first; i < end; ++i) {
        part *p = &job->tree->state->parts[i];
        p->quality = (quality){0};
        fit_subtree(job->tree, p->node, &exact, &p->quality);
    }
    if (!exact)
        job->inexact = true;
    return TOI_OK;
}

// Builds a part again if it has decayed.
static toi_status mend_part(const tree_job *job, part *p)
{
    toi_bvh *t = job->tree;
    if (!has_decayed(&p->watch, p->quality))
        return TOI_OK;
    toi_ranked_box *rows = toi_take(job->job->budget, p->count, sizeof *rows);
    if (!rows)
        return toi_allocation_status();
    int64_t count = 0;
    bool exact = true; // known already
    toi_ranked_box block_rows[TOI_BLOCK];
    for (int64_t block = p->first; block < p->first + p->blocks; ++block) {
        int boxes = read_block(t, block, block_rows, &exact);
        memcpy(rows + count, block_rows, (size_t)boxes * sizeof *rows);
        memset(t->ids + block * TOI_BLOCK, -1, TOI_BLOCK * sizeof *t->ids);
        count += boxes;
    }
    part local = *p;
    local.begin = 0;
    p->quality = (quality){0};
    build_part(t, rows, &local, &p->quality);
    start_watch(&p->watch, p->quality);
    toi_give_back(rows);
    return TOI_OK;
}

static toi_status mend_parts(void *context, int64_t first, int64_t end)
{
    const tree_job *job = context;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i)
        status = mend_part(job, &job->tree->state->parts[i]);
    return status;
}

// Fits a tree that was kept; *decayed: it is to be built again as a whole.
static toi_status fit_tree(tree_job *job, bool *decayed)
{
    toi_bvh *t = job->tree;
    toi_status status =
        toi_parallel_ranges(job->job->workers, t->state->part_count, 1, fit_parts, job);
    *decayed = status != TOI_OK || has_decayed(&t->state->watch, fit_top(t));
    if (*decayed)
        return status;
    status = toi_parallel_ranges(job->job->workers, t->state->part_count, 1, mend_parts, job);
    fit_top(t);
    return status;
}

int64_t toi_place_bvh(toi_bvh *t, toi_box_view boxes, int64_t base, char *slot)
{
    *t = (toi_bvh){.boxes = boxes, .base = (int32_t)base};
    t->capacity = toi_blocks_for(boxes.count) + boxes.count / (4 * TOI_BLOCK);
    int64_t nodes = t->capacity * TOI_BLOCK * (int64_t)sizeof *t->ids; // ids first: whole lines
    int64_t state = nodes + 2 * t->capacity * (int64_t)sizeof *t->nodes;
    if (slot) {
        t->ids = (int32_t *)slot;
        t->nodes = (toi_bvh_node *)(slot + nodes);
        t->state = (toi_bvh_state *)(slot + state);
    }
    return (state + (int64_t)sizeof *t->state + 63) / 64 * 64;
}

toi_status toi_update_bvhs(const toi_broad_job *job, toi_bvh *trees, int count, bool kept,
                           bool *exact)
{
    toi_ranked_boxes rows = {0};
    toi_status status = TOI_OK;
    part *waves = toi_take(job->budget, 3 * PARTS, sizeof *waves);
    if (!waves)
        return toi_allocation_status();
    *exact = true;
    for (int i = 0; i < count && status == TOI_OK; ++i) {
        tree_job update = {job, &trees[i], NULL, waves, waves + PARTS, false};
        bool build = !kept;
        if (kept)
            status = fit_tree(&update, &build);
        else
            trees[i].state->watch = (watch){0};
        if (status == TOI_OK && build && !rows.rows)
            status = toi_make_rows(job, -1, &rows);
        if (status == TOI_OK && build) {
            update.rows = rows.rows + trees[i].base;
            status = build_tree(&update);
        }
        *exact &= !update.inexact && (!rows.rows || rows.exact);
    }
    toi_free_rows(&rows);
    toi_give_back(waves);
    return status;
}
