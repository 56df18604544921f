// Space cut in two again and again (the KDT of Serpa and Rodrigues has the same aim: cells as large
// as the boxes allow).
//
// Boxes are sorted along the axis on which they spread most; planes across the two other axes cut
// the rest of space into cells, each of which is swept along the first axis. A box that straddles a
// plane goes to both sides. Two boxes that share cells meet in one of them only: a box is tagged in
// every cell on whose axes it begins before the cell, and two that both do are not compared there.
// A cell is cut where half of its boxes begin before the plane, as long as that saves more
// comparisons than the references it adds cost, and as long as there is room: the total number of
// references is bounded from the start, and every cell has a share of it.

#include "broad/literature/kdtree/kdtree.h"

#include "broad/layout/axes.h"

enum
{
    TASK_BLOCKS = 16
};

// The blocks of a leaf, as lanes of the layout.
typedef struct span
{
    int64_t begin[2];
    int64_t end[2];
} span;

typedef struct kdtree
{
    const toi_broad_job *job;
    toi_ranked_boxes rows;
    toi_kd_cells cells;
    span *spans;
    int64_t span_count;
    int32_t *span_of; // by block of the layout
    toi_layout layout;
    toi_layout untagged; // the same without tags, for boxes that have none set
    toi_pair *buffers;
} kdtree;

// Counts the leaves and their lanes.
static int64_t count_leaves(kdtree *s)
{
    int64_t lanes = 0;
    for (int64_t i = 0; i < s->cells.room / TOI_BLOCK; ++i) {
        lanes += toi_padded(s->cells.leaves[i].count[0]) + toi_padded(s->cells.leaves[i].count[1]);
        s->span_count += s->cells.leaves[i].count[0] > 0;
    }
    return lanes;
}

// Moves the leaves that there are to the front and says where in the layout each one goes. A leaf
// and its references are found again by `source`, the block of the room where it stood.
static void place_leaves(kdtree *s, int32_t *source)
{
    int64_t lane = 0, count = 0;
    for (int64_t i = 0; i < s->cells.room / TOI_BLOCK; ++i) {
        toi_kd_leaf l = s->cells.leaves[i];
        if (l.count[0] == 0)
            continue;
        span *where = &s->spans[count];
        int64_t first = lane;
        for (int list = 0; list < 2; ++list) {
            where->begin[list] = lane;
            where->end[list] = lane + l.count[list];
            lane += toi_padded(l.count[list]);
        }
        for (int64_t block = first / TOI_BLOCK; block < lane / TOI_BLOCK; ++block)
            s->span_of[block] = (int32_t)count;
        source[count] = (int32_t)i;
        s->cells.leaves[count++] = l;
    }
}

// Fills the lanes of a leaf.
static void fill_leaf(kdtree *s, int64_t index, int64_t begin)
{
    const toi_kd_leaf *l = &s->cells.leaves[index];
    const int32_t *reference = s->cells.references + begin;
    for (int list = 0; list < 2; ++list) {
        int64_t lane = s->spans[index].begin[list], end = s->spans[index].end[list];
        for (; lane < end; ++lane, ++reference) {
            int64_t ahead = end - lane > TOI_ROWS_AHEAD ? TOI_ROWS_AHEAD : 0;
            __builtin_prefetch(&s->rows.rows[reference[ahead]]);
            const toi_ranked_box *row = &s->rows.rows[*reference];
            toi_place_row(&s->layout, lane, row);
            s->layout.tags[lane] =
                (uint8_t)((row->lo[1] < l->lo[0]) | (row->lo[2] < l->lo[1]) << 1);
        }
        toi_pad_lanes(&s->layout, lane);
    }
}

typedef struct filling
{
    kdtree *tree;
    const int32_t *source;
} filling;

static toi_status fill_leaves(void *context, int64_t first, int64_t end)
{
    const filling *f = context;
    for (int64_t i = first; i < end; ++i)
        fill_leaf(f->tree, i, (int64_t)f->source[i] * TOI_BLOCK);
    return TOI_OK;
}

// Turns the leaves into runs of a layout.
static toi_status lay_out(kdtree *s)
{
    const toi_broad_job *job = s->job;
    int64_t lanes = count_leaves(s);
    s->spans = toi_take(job->budget, s->span_count, sizeof *s->spans);
    s->span_of = s->spans ? toi_take(job->budget, lanes / TOI_BLOCK, sizeof *s->span_of) : NULL;
    int32_t *source = s->span_of ? toi_take(job->budget, s->span_count, sizeof *source) : NULL;
    if (!source)
        return toi_allocation_status();
    toi_status status = toi_take_layout(job, &s->rows, lanes, true, &s->layout);
    if (status == TOI_OK) {
        place_leaves(s, source);
        filling f = {s, source};
        status = toi_parallel_ranges(job->workers, s->span_count, TOI_PIECE / TOI_BLOCK,
                                     fill_leaves, &f);
        s->untagged = s->layout;
        s->untagged.tags = NULL;
    }
    toi_give_back(source);
    return status;
}

// Compares the boxes of one block with those of its leaf that begin after them.
static toi_status search_block(kdtree *s, int64_t block, toi_pair_writer *writer)
{
    const toi_layout *l = &s->layout;
    const span *where = &s->spans[s->span_of[block]];
    bool self = s->job->self;
    int64_t first = block * TOI_BLOCK;
    int list = !self && first >= where->begin[1], other = self ? 0 : !list;
    int64_t last = first + TOI_BLOCK < where->end[list] ? first + TOI_BLOCK : where->end[list];
    toi_run run = {.probe_layout = l,
                   .layout = l,
                   .begin = where->begin[other],
                   .end = where->end[other],
                   .sorted = true,
                   .write = TOI_WRITE_SORTED};
    if (!self)
        run.begin = toi_first_from(l, run.begin, run.end, toi_bound(l, TOI_LO0, first), list == 1);
    toi_status status = TOI_OK;
    for (run.probe = first; run.probe < last && status == TOI_OK; ++run.probe) {
        if (self)
            run.begin = run.probe + 1;
        else
            for (float x = toi_bound(l, TOI_LO0, run.probe); run.begin < run.end; ++run.begin) {
                float at = toi_bound(l, TOI_LO0, run.begin);
                if (at > x || (at == x && list == 0))
                    break;
            }
        bool stopped;
        run.layout = l->tags[run.probe] ? l : &s->untagged;
        if (run.begin < run.end)
            status = toi_write_run(writer, run, &stopped);
    }
    return status;
}

static toi_status search_task(void *context, int64_t task, int worker)
{
    kdtree *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, task, worker);
    int64_t blocks = s->layout.count / TOI_BLOCK, end = (task + 1) * TASK_BLOCKS;
    toi_status status = TOI_OK;
    for (int64_t block = task * TASK_BLOCKS;
         block < (end < blocks ? end : blocks) && status == TOI_OK; ++block)
        status = search_block(s, block, &writer);
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, 1) : status;
}

toi_status toi_search_kdtree(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    kdtree s = {.job = job};
    toi_status status = toi_make_rows(job, toi_widest_axis(job), &s.rows);
    if (status == TOI_OK)
        status = toi_cut_space(job, &s.rows, &s.cells);
    if (status == TOI_OK)
        status = lay_out(&s);
    toi_free_cells(&s.cells);
    toi_free_rows(&s.rows);
    if (status == TOI_OK) {
        s.buffers = toi_take_writer_buffers(job);
        status = s.buffers ? TOI_OK : toi_allocation_status();
    }
    int64_t tasks = (s.layout.count / TOI_BLOCK + TASK_BLOCKS - 1) / TASK_BLOCKS;
    if (job->meter)
        job->meter->total = tasks;
    if (status == TOI_OK)
        status = toi_parallel(job->workers, tasks, search_task, &s);
    toi_give_back(s.buffers);
    toi_give_back(s.span_of);
    toi_give_back(s.spans);
    toi_free_layout(&s.layout);
    return status;
}
