// Fills layouts from lists of boxes, and writes pairs to whoever receives them.

#include "broad/layout/layout.h"

#include "base/radix_sort.h"
#include "base/simd.h"

#include <math.h>

toi_overlap_run_fn toi_overlap_baseline, toi_overlap_avx2, toi_overlap_avx512;

toi_overlap_run_fn *toi_overlap_kernel(void)
{
    static toi_overlap_run_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_overlap);
    return kernels[toi_simd_level()];
}

typedef struct layout_job
{
    toi_layout *layout;
    const uint64_t *keys; // the order, in their low 32 bits; NULL: as given
    uint64_t *made_keys;  // (sortable lower bound, index)
    const uint8_t *tags;
    _Atomic bool inexact;
} layout_job;

static toi_status make_keys(void *context, int64_t first, int64_t end)
{
    layout_job *job = context;
    const toi_layout *l = job->layout;
    for (int64_t i = first; i < end; ++i)
        job->made_keys[i] = toi_key(l->first.data[i].lo[l->axis], i);
    return TOI_OK;
}

// Writes one box into its lane and says whether its bounds are floats.
static bool place_box(toi_layout *l, int64_t lane, int32_t id)
{
    static const int column_of[3][2] = {{TOI_LO0, TOI_HI0}, {TOI_LO1, TOI_HI1}, {TOI_LO2, TOI_HI2}};
    const toi_box *box = toi_box_numbered(l, id);
    toi_box_block *block = &l->blocks[lane / TOI_BLOCK];
    bool exact = true;
    for (int k = 0; k < 3; ++k) {
        int axis = (l->axis + k) % 3;
        float lo = (float)box->lo[axis], hi = (float)box->hi[axis];
        exact &= (double)lo == box->lo[axis] && (double)hi == box->hi[axis];
        block->bound[column_of[k][0]][lane % TOI_BLOCK] = lo;
        block->bound[column_of[k][1]][lane % TOI_BLOCK] = hi;
    }
    l->ids[lane] = id;
    return exact;
}

static toi_status fill_blocks(void *context, int64_t first, int64_t end)
{
    layout_job *job = context;
    toi_layout *l = job->layout;
    bool exact = true;
    for (int64_t i = first; i < end; ++i)
        exact &= place_box(l, i, job->keys ? (int32_t)(uint32_t)job->keys[i] : (int32_t)i);
    if (job->tags)
        for (int64_t i = first; i < end; ++i)
            l->tags[i] = job->tags[i];
    if (!exact)
        job->inexact = true;
    return TOI_OK;
}

static void pad_last_block(toi_layout *l, int64_t padded)
{
    for (int64_t i = l->count; i < padded; ++i) {
        for (int c = 0; c < TOI_COLUMNS; ++c)
            l->blocks[i / TOI_BLOCK].bound[c][i % TOI_BLOCK] =
                NAN; // compares false with everything
        l->ids[i] = -1;
        if (l->tags)
            l->tags[i] = 0;
    }
}

// Takes the layout's memory and fills it in the order of the keys.
static toi_status fill_layout(layout_job *job, int workers, toi_budget *budget)
{
    toi_layout *l = job->layout;
    int64_t block_count = (l->count + TOI_BLOCK - 1) / TOI_BLOCK, padded = block_count * TOI_BLOCK;
    l->blocks = toi_take(budget, block_count, sizeof *l->blocks);
    l->begins = l->blocks ? toi_take(budget, block_count, sizeof *l->begins) : NULL;
    l->ids = l->begins ? toi_take(budget, padded, sizeof *l->ids) : NULL;
    if (l->ids && job->tags)
        l->tags = toi_take(budget, padded, sizeof *l->tags);
    if (!l->ids || (job->tags && !l->tags))
        return toi_allocation_status();
    toi_status status = toi_parallel_ranges(workers, l->count, TOI_PIECE, fill_blocks, job);
    if (status != TOI_OK)
        return status;
    pad_last_block(l, padded);
    for (int64_t b = 0; b < block_count; ++b)
        l->begins[b] = l->blocks[b].bound[TOI_LO0][0];
    l->exact = !job->inexact;
    return TOI_OK;
}

toi_status toi_make_layout(toi_box_view boxes, int axis, int workers, toi_budget *budget,
                           toi_layout *layout)
{
    *layout = (toi_layout){.count = boxes.count, .axis = axis < 0 ? 0 : axis, .first = boxes};
    layout_job job = {.layout = layout};
    toi_status status = TOI_OK;
    if (axis >= 0) {
        job.keys = job.made_keys = toi_take(budget, boxes.count, sizeof *job.made_keys);
        status = job.keys ? toi_parallel_ranges(workers, boxes.count, TOI_PIECE, make_keys, &job)
                          : toi_allocation_status();
        if (status == TOI_OK)
            status = toi_radix_sort(job.made_keys, boxes.count, TOI_KEY_BOUND, workers, budget);
    }
    if (status == TOI_OK)
        status = fill_layout(&job, workers, budget);
    toi_give_back(job.made_keys);
    if (status != TOI_OK)
        toi_free_layout(layout);
    return status;
}

toi_status toi_make_joint_layout(const toi_broad_job *job, int axis, const uint64_t *keys,
                                 const uint8_t *tags, int64_t count, toi_layout *layout)
{
    *layout = (toi_layout){.count = count, .axis = axis, .first = job->a};
    if (!job->self)
        layout->second = job->b;
    layout_job fill = {.layout = layout, .keys = keys, .tags = tags};
    toi_status status = fill_layout(&fill, job->workers, job->budget);
    if (status != TOI_OK)
        toi_free_layout(layout);
    return status;
}

void toi_free_layout(toi_layout *layout)
{
    toi_give_back(layout->blocks);
    toi_give_back(layout->begins);
    toi_give_back(layout->ids);
    toi_give_back(layout->tags);
    toi_give_back(layout->marks);
    layout->marks = NULL;
    layout->tags = NULL;
    layout->blocks = NULL;
    layout->begins = NULL;
    layout->ids = NULL;
}

toi_pair *toi_take_writer_buffers(const toi_broad_job *job)
{
    return toi_take(job->budget, (int64_t)job->workers * (TOI_WRITER_PAIRS + TOI_BLOCK),
                    sizeof(toi_pair));
}

// Lets the writer write where its pairs will stay, if there is such a place, and near by. Where
// there is none, for want of memory too, pairs are copied, and that will report what is wrong.
static void find_room(toi_pair_writer *writer)
{
    const toi_receiver *to = &writer->job->to;
    toi_room room = {0};
    if (!writer->own)
        return;
    bool has_room = to->room && to->room(to->context, TOI_WRITER_PAIRS + TOI_BLOCK, writer->worker,
                                         &room) == TOI_OK;
    writer->buffer = has_room && !room.distant ? room.pairs : writer->own;
}

toi_pair_writer toi_start_writer(const toi_broad_job *job, toi_pair *buffers, int64_t task,
                                 int worker)
{
    toi_pair *own = buffers + (int64_t)worker * (TOI_WRITER_PAIRS + TOI_BLOCK);
    toi_pair_writer writer = {job, task, worker, own, 0, own};
    find_room(&writer);
    return writer;
}

static toi_status emit_pairs(toi_pair_writer *writer)
{
    int64_t count = writer->count;
    writer->count = 0;
    if (count == 0)
        return TOI_OK;
    const toi_broad_job *job = writer->job;
    return job->to.emit(job->to.context, writer->buffer, count, writer->task, writer->worker);
}

toi_status toi_flush_writer(toi_pair_writer *writer)
{
    toi_status status = emit_pairs(writer);
    if (status == TOI_OK)
        find_room(writer);
    return status;
}

toi_status toi_write_run(toi_pair_writer *writer, toi_run run, bool *stopped)
{
    toi_overlap_run_fn *kernel = toi_overlap_kernel();
    int64_t end = run.end;
    *stopped = false;
    while (run.begin < end && !*stopped) {
        run.end = end - run.begin > TOI_LONGEST_RUN ? run.begin + TOI_LONGEST_RUN : end;
        if (writer->count + (run.end - run.begin) > TOI_WRITER_PAIRS) {
            toi_status status = toi_flush_writer(writer);
            if (status != TOI_OK)
                return status;
        }
        writer->count += kernel(&run, writer->buffer + writer->count, stopped);
        run.begin = run.end;
    }
    return TOI_OK;
}

toi_status toi_end_writer(toi_pair_writer *writer)
{
    const toi_broad_job *job = writer->job;
    toi_status status = emit_pairs(writer);
    if (status == TOI_OK && job->to.end_task)
        status = job->to.end_task(job->to.context, writer->task, writer->worker);
    return status;
}
