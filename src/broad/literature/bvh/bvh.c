// A dynamic tree of boxes, searched against itself (the DBVT-D of Serpa and Rodrigues, after
// Bullet's btDbvt).
//
// Each list has a binary tree over blocks of sixteen boxes, kept from call to call where the caller
// gave a memory (bvh_build.c). A first walk down two trees collects pairs of nodes that overlap;
// they are the tasks. Two lists have two trees, so boxes of the same list never meet.

#include "broad/literature/bvh/bvh.h"

#include "base/simd.h"

#include <string.h>

enum
{
    STACK = 4 * TOI_BVH_DEPTH + 4, // a step down leaves at most two pairs behind
    MOST_TASKS = 1 << 14,
    TASK_BLOCKS = 64 // of both nodes of a task together, unless there would be too many tasks
};

typedef struct node_pair
{
    int32_t x;
    int32_t y; // the same node of the same tree: all pairs inside it
} node_pair;

typedef struct bvh
{
    const toi_broad_job *job;
    toi_bvh trees[2];     // of a and b
    const toi_bvh *x, *y; // the same tree in a search of a list against itself
    bool exact;
    toi_leaf_overlap_fn *compare;
    node_pair *tasks;
    int64_t task_count;
    toi_pair *buffers;
} bvh;

toi_leaf_overlap_fn toi_leaf_overlap_baseline, toi_leaf_overlap_avx2, toi_leaf_overlap_avx512;

toi_leaf_overlap_fn *toi_leaf_kernel(void)
{
    static toi_leaf_overlap_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_leaf_overlap);
    return kernels[toi_simd_level()];
}

static inline bool nodes_overlap(const toi_bvh_node *x, const toi_bvh_node *y)
{
    return (x->lo[0] <= y->hi[0]) & (y->lo[0] <= x->hi[0]) & (x->lo[1] <= y->hi[1]) &
           (y->lo[1] <= x->hi[1]) & (x->lo[2] <= y->hi[2]) & (y->lo[2] <= x->hi[2]);
}

// Replaces a pair by the pairs of children that overlap and returns how many, at most 3; -1 for a
// pair of leaves.
static inline int open_pair(const bvh *s, node_pair pair, node_pair out[3])
{
    const toi_bvh_node *xs = s->x->nodes, *ys = s->y->nodes;
    const toi_bvh_node *x = xs + pair.x, *y = ys + pair.y;
    if (x->blocks == 1 && y->blocks == 1)
        return -1;
    int count = 0;
    if (x == y) {
        int32_t left = pair.x + 1, right = toi_right_child(xs, pair.x);
        out[count++] = (node_pair){left, left};
        out[count] = (node_pair){left, right};
        count += nodes_overlap(&xs[left], &xs[right]);
        out[count++] = (node_pair){right, right};
    } else if (x->blocks >= y->blocks) {
        int32_t left = pair.x + 1, right = toi_right_child(xs, pair.x);
        out[count] = (node_pair){left, pair.y};
        count += nodes_overlap(&xs[left], y);
        out[count] = (node_pair){right, pair.y};
        count += nodes_overlap(&xs[right], y);
    } else {
        int32_t left = pair.y + 1, right = toi_right_child(ys, pair.y);
        out[count] = (node_pair){pair.x, left};
        count += nodes_overlap(x, &ys[left]);
        out[count] = (node_pair){pair.x, right};
        count += nodes_overlap(x, &ys[right]);
    }
    return count;
}

// One step of the first walk: opens every pair larger than a task, while there is room.
static int64_t open_pairs(const bvh *s, const node_pair *from, int64_t count, node_pair *to)
{
    int64_t out = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t blocks = s->x->nodes[from[i].x].blocks + s->y->nodes[from[i].y].blocks;
        int opened = -1;
        if (blocks > TASK_BLOCKS && out + 3 + (count - i) <= MOST_TASKS)
            opened = open_pair(s, from[i], to + out);
        if (opened < 0)
            to[out++] = from[i];
        else
            out += opened;
    }
    return out;
}

static toi_status collect_tasks(bvh *s)
{
    s->tasks = toi_take(s->job->budget, 2 * MOST_TASKS, sizeof *s->tasks);
    if (!s->tasks)
        return toi_allocation_status();
    node_pair *from = s->tasks, *to = s->tasks + MOST_TASKS;
    from[0] = (node_pair){0, 0};
    int64_t count = nodes_overlap(&s->x->nodes[0], &s->y->nodes[0]), before;
    do {
        before = count;
        count = open_pairs(s, from, count, to);
        node_pair *swapped = from;
        from = to;
        to = swapped;
    } while (count != before);
    memmove(s->tasks, from, (size_t)count * sizeof *from);
    s->task_count = count;
    return TOI_OK;
}

static toi_bvh_leaf leaf_at(const toi_bvh *t, int32_t node)
{
    int64_t block = t->nodes[node].first;
    return (toi_bvh_leaf){&t->nodes[node], &t->blocks[block], t->ids + block * TOI_BLOCK,
                          t->boxes.data};
}

static toi_status compare_leaves(const bvh *s, node_pair pair, toi_pair_writer *writer)
{
    toi_status status = toi_make_room(writer, TOI_BLOCK * TOI_BLOCK);
    if (status != TOI_OK)
        return status;
    toi_leaf_pair leaves = {.x = leaf_at(s->x, pair.x),
                            .y = leaf_at(s->y, pair.y),
                            .same = s->job->self && pair.x == pair.y,
                            .sorted = s->job->self,
                            .exact = s->exact};
    writer->count += s->compare(&leaves, writer->buffer + writer->count);
    return TOI_OK;
}

static toi_status search_task(void *context, int64_t task, int worker)
{
    bvh *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, task, worker);
    node_pair stack[STACK];
    int depth = 0;
    stack[depth++] = s->tasks[task];
    toi_status status = TOI_OK;
    while (depth > 0 && status == TOI_OK) {
        node_pair pair = stack[--depth];
        int opened = open_pair(s, pair, stack + depth);
        if (opened < 0)
            status = compare_leaves(s, pair, &writer);
        else
            depth += opened;
    }
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, 1) : status;
}

static toi_status search_trees(bvh *s)
{
    s->compare = toi_leaf_kernel();
    toi_status status = collect_tasks(s);
    if (status == TOI_OK) {
        s->buffers = toi_take_writer_buffers(s->job);
        status = s->buffers ? TOI_OK : toi_allocation_status();
    }
    if (s->job->meter)
        s->job->meter->total = s->task_count;
    if (status == TOI_OK)
        status = toi_parallel(s->job->workers, s->task_count, search_task, s);
    toi_give_back(s->buffers);
    toi_give_back(s->tasks);
    return status;
}

toi_status toi_search_bvh(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    bvh s = {.job = job, .x = &s.trees[0], .y = &s.trees[job->self ? 0 : 1]};
    int64_t first = toi_place_bvh(&s.trees[0], job->a, 0, NULL), second = 0;
    if (!job->self)
        second = toi_place_bvh(&s.trees[1], job->b, job->a.count, NULL);
    int64_t blocks = s.trees[0].capacity + s.trees[1].capacity;
    bool kept, good = false;
    char *slot = toi_open_slot(job, TOI_BROAD_BVH, first + second, &kept);
    toi_box_block *bounds = slot ? toi_take(job->budget, blocks, sizeof *bounds) : NULL;
    toi_status status = bounds ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        toi_place_bvh(&s.trees[0], job->a, 0, slot);
        s.trees[0].blocks = bounds;
        if (!job->self) {
            toi_place_bvh(&s.trees[1], job->b, job->a.count, slot + first);
            s.trees[1].blocks = bounds + s.trees[0].capacity;
        }
        status = toi_update_bvhs(job, s.trees, job->self ? 1 : 2, kept, &s.exact);
        good = status == TOI_OK;
    }
    if (status == TOI_OK)
        status = search_trees(&s);
    toi_give_back(bounds);
    toi_close_slot(job, TOI_BROAD_BVH, first + second, slot, good);
    return status;
}
