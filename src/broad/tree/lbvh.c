// A tree over blocks of boxes along a space-filling curve: lists of boxes. (Meshes: mesh_tree.c.)

#include "broad/tree/curve.h"

// An order kept from the last call, and how loose it was when it was made.
typedef struct kept_order
{
    bool valid;
    double looseness;
} kept_order;

typedef struct filling
{
    toi_box_view boxes;
    toi_box_row *rows;
    const uint64_t *order; // or NULL: as kept
    int32_t *kept_ids;     // or NULL
    toi_tree *tree;
    _Atomic bool inexact;
} filling;

static toi_status make_rows(void *context, int64_t first, int64_t end)
{
    filling *f = context;
    bool exact = true;
    for (int64_t i = first; i < end; ++i)
        exact &= toi_round_row(&f->boxes.data[i], &f->rows[i]);
    if (!exact)
        f->inexact = true;
    return TOI_OK;
}

static toi_status fill_blocks(void *context, int64_t first_block, int64_t end_block)
{
    filling *f = context;
    for (int64_t b = first_block; b < end_block; ++b) {
        toi_box_row rows[TOI_BLOCK];
        int64_t first = b * TOI_BLOCK, rest = f->tree->count - first;
        int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
        for (int i = 0; i < TOI_BLOCK; ++i) {
            int32_t id = i >= count ? -1
                         : f->order ? (int32_t)(uint32_t)f->order[first + i]
                                    : f->kept_ids[first + i];
            if (f->order && f->kept_ids && i < count)
                f->kept_ids[first + i] = id;
            f->tree->ids[first + i] = id;
            if (i < count)
                rows[i] = f->rows[id];
        }
        toi_fill_block(rows, count, &f->tree->level[0][b], f->tree->boxes[b]);
    }
    return TOI_OK;
}

static toi_status build(const toi_broad_job *job, toi_box_view boxes, kept_order *kept,
                        int32_t *kept_ids, toi_tree *tree)
{
    filling f = {.boxes = boxes, .tree = tree, .kept_ids = kept_ids};
    bool is_kept = kept && kept->valid;
    uint64_t *order = NULL;
    f.rows = toi_take(job->budget, boxes.count, sizeof *f.rows);
    toi_status status =
        f.rows ? toi_parallel_ranges(job->workers, boxes.count, TOI_PIECE, make_rows, &f)
               : toi_allocation_status();
    if (status == TOI_OK) { // whether it is needed or not: the next call may need it
        int64_t words = boxes.count + toi_order_words(boxes.count, job->workers);
        order = toi_take(job->budget, words, sizeof *order);
        status = order ? TOI_OK : toi_allocation_status();
    }
    if (status == TOI_OK && !is_kept) {
        f.order = order;
        status = toi_order_rows(f.rows, boxes.count, job->workers, order, order + boxes.count);
    }
    if (status == TOI_OK)
        status = toi_take_tree(job->budget, boxes.count, 0, false, false, tree);
    if (status == TOI_OK)
        status = toi_parallel_ranges(job->workers, tree->blocks[0], TOI_PIECE / TOI_BLOCK,
                                     fill_blocks, &f);
    if (status == TOI_OK) {
        tree->exact = !f.inexact;
        toi_raise_tree(tree, job->workers);
    }
    if (status == TOI_OK && kept) {
        double looseness = toi_mean_half(tree);
        if (!is_kept)
            *kept = (kept_order){true, looseness};
        else
            kept->valid = looseness <= TOI_LOOSER * kept->looseness;
    }
    toi_give_back(order);
    toi_give_back(f.rows);
    return status;
}

static void box_of_a(const void *context, int32_t id, toi_box *box)
{
    *box = ((const toi_broad_job *)context)->a.data[id];
}

static void box_of_b(const void *context, int32_t id, toi_box *box)
{
    *box = ((const toi_broad_job *)context)->b.data[id];
}

toi_status toi_search_lbvh(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    int64_t b_count = job->self ? 0 : job->b.count;
    int64_t bytes =
        2 * (int64_t)sizeof(kept_order) + (job->a.count + b_count) * (int64_t)sizeof(int32_t);
    kept_order *kept = NULL;
    int32_t *kept_ids = NULL;
    if (job->slot) {
        bool valid;
        kept = toi_open_slot(job, TOI_BROAD_LBVH, bytes, &valid);
        if (!kept)
            return toi_allocation_status();
        if (!valid)
            kept[0].valid = kept[1].valid = false;
        kept_ids = (int32_t *)(kept + 2);
    }
    toi_tree a = {0}, b = {0};
    toi_status status = build(job, job->a, kept, kept_ids, &a);
    if (status == TOI_OK && !job->self)
        status = build(job, job->b, kept ? kept + 1 : NULL,
                       kept_ids ? kept_ids + job->a.count : NULL, &b);
    toi_tree_search search = {.packets = &a,
                              .tree = job->self ? &a : &b,
                              .packet_box = box_of_a,
                              .tree_box = job->self ? box_of_a : box_of_b,
                              .context = job};
    if (status == TOI_OK)
        status = toi_run_tree_search(&search, job);
    toi_free_tree(&a);
    toi_free_tree(&b);
    if (kept)
        toi_close_slot(job, TOI_BROAD_LBVH, bytes, kept, true);
    return status;
}
