// Keys are sorted by bucket only. There are more buckets than boxes of most scenes have cells, but
// different cells may share one: they are told apart afterwards, when the layout has the bounds of
// all entries in a row.

#include "broad/literature/cells/cell_layout.h"

#include "base/radix_sort.h"

#include <string.h>

typedef struct layout_job
{
    const toi_cell_space *space;
    toi_cell_keys keys;
    uint8_t *tags;
    toi_cell_layout *cells;
    toi_bit_word *moves; // entries with another cell than the one before them in their bucket
    _Atomic bool moved;  // there are some
} layout_job;

static uint64_t bucket_at(const layout_job *job, int64_t i)
{
    return toi_key_bucket(job->space, job->keys.data[i]);
}

// Turns keys into tags and leaves the bare number of the box below the cell's offsets.
static toi_status make_tags(void *context, int64_t first, int64_t end)
{
    const layout_job *job = context;
    const toi_broad_job *broad = job->space->job;
    for (int64_t i = first; i < end; ++i) {
        uint64_t key = job->keys.data[i];
        unsigned tag = key >> TOI_KEY_VISITOR & 1 ? TOI_TAG_VISITOR : 0;
        for (int k = 0; k < job->space->axes && !job->space->shapes; ++k)
            tag |= (unsigned)(toi_key_offset(job->space, key, k) > 0) << k;
        key &= ~((uint64_t)1 << TOI_KEY_VISITOR);
        if (!broad->self)
            tag |= (int64_t)(uint32_t)key < broad->a.count ? TOI_TAG_LIST_A : TOI_TAG_LIST_B;
        job->keys.data[i] = key;
        job->tags[i] = (uint8_t)tag;
    }
    return TOI_OK;
}

// Which of the thirteen neighbours before the cell the shape crosses, too.
static uint16_t mark_of(uint64_t key)
{
    unsigned own = key >> TOI_KEY_OFFSETS & 7, others = key >> TOI_KEY_CROSSED & 127;
    unsigned crossed = (others & ((1u << own) - 1)) | others >> own << (own + 1), mark = 0;
    for (unsigned offsets = 0; offsets < 8; ++offsets) {
        int place = 0;
        for (int k = 2; k >= 0; --k)
            place = 3 * place + 1 + (int)(offsets >> k & 1) - (int)(own >> k & 1);
        if (place < 13)
            mark |= (crossed >> offsets & 1) << place;
    }
    return (uint16_t)mark;
}

static toi_status make_marks(void *context, int64_t first, int64_t end)
{
    const layout_job *job = context;
    for (int64_t i = first; i < end; ++i)
        job->cells->layout.marks[i] = mark_of(job->keys.data[i]);
    return TOI_OK;
}

static toi_status add_marks(layout_job *job)
{
    const toi_broad_job *broad = job->space->job;
    int64_t blocks = (job->keys.count + TOI_BLOCK - 1) / TOI_BLOCK;
    uint16_t *marks = toi_take(broad->budget, blocks * TOI_BLOCK, sizeof *marks);
    if (!marks)
        return toi_allocation_status();
    job->cells->layout.marks = marks;
    for (int64_t i = job->keys.count; i < blocks * TOI_BLOCK; ++i)
        marks[i] = 0;
    return toi_parallel_ranges(broad->workers, job->keys.count, TOI_PIECE, make_marks, job);
}

// ---------------------------------------------------------------------------------------------
// Cells that share a bucket

// The cells of `count` entries from i on, which are in one block.
static inline void cells_of_entries(const layout_job *job, int64_t i, int count,
                                    int32_t cells[3][TOI_BLOCK])
{
    const toi_box_block *block = &job->cells->layout.blocks[i / TOI_BLOCK];
    for (int k = 0; k < job->space->axes; ++k) {
        const float *lo = block->bound[job->space->lo_column[k]];
        toi_cells_at(&job->keys.map, k, count, lo + i % TOI_BLOCK, cells[k]);
        for (int j = 0; j < count; ++j)
            cells[k][j] += toi_key_offset(job->space, job->keys.data[i + j], k);
    }
}

static void mark_entry(layout_job *job, int64_t i, bool moved)
{
    if (i == 0 || bucket_at(job, i) != bucket_at(job, i - 1)) {
        toi_set_bit(job->cells->starts, i);
    } else if (moved) {
        toi_set_bit(job->moves, i);
        job->moved = true;
    }
}

static toi_status mark_entries(void *context, int64_t first, int64_t end)
{
    layout_job *job = context;
    int32_t before[3][TOI_BLOCK] = {{0}}, at[3][TOI_BLOCK] = {{0}};
    if (first > 0)
        cells_of_entries(job, first - 1, 1, before);
    for (int64_t i = first; i < end; i += TOI_BLOCK) {
        int count = end - i < TOI_BLOCK ? (int)(end - i) : TOI_BLOCK;
        cells_of_entries(job, i, count, at);
        for (int j = 0; j < count; ++j) {
            bool moved = false;
            for (int k = 0; k < 3; ++k) {
                moved |= at[k][j] != before[k][0];
                before[k][0] = at[k][j];
            }
            mark_entry(job, i + j, moved);
        }
    }
    return TOI_OK;
}

// An entry taken out of a layout.
typedef struct loose_entry
{
    float bound[TOI_COLUMNS];
    int32_t id;
    int32_t at[3];
    uint8_t tag;
    uint16_t mark;
    bool placed;
} loose_entry;

static loose_entry take_out(const layout_job *job, int64_t i)
{
    const toi_layout *l = &job->cells->layout;
    loose_entry loose = {.id = l->ids[i], .tag = l->tags[i]};
    loose.mark = l->marks ? l->marks[i] : 0;
    for (int column = 0; column < TOI_COLUMNS; ++column)
        loose.bound[column] = toi_bound(l, column, i);
    int32_t at[3][TOI_BLOCK] = {{0}};
    cells_of_entries(job, i, 1, at);
    for (int k = 0; k < 3; ++k)
        loose.at[k] = at[k][0];
    return loose;
}

static void put_back(const layout_job *job, int64_t i, loose_entry *loose)
{
    const toi_layout *l = &job->cells->layout;
    for (int column = 0; column < TOI_COLUMNS; ++column)
        l->blocks[i / TOI_BLOCK].bound[column][i % TOI_BLOCK] = loose->bound[column];
    l->ids[i] = loose->id;
    l->tags[i] = loose->tag;
    if (l->marks)
        l->marks[i] = loose->mark;
    loose->placed = true;
}

enum
{
    SMALL_BUCKET = 32
};

// Sorts a bucket that several cells share by cell, each cell's entries staying in order.
static toi_status separate_cells(const layout_job *job, int64_t first, int64_t end)
{
    int64_t count = end - first, next = first;
    loose_entry few[SMALL_BUCKET], *many = NULL;
    if (count > SMALL_BUCKET) {
        many = toi_take(job->space->job->budget, count, sizeof *many);
        if (!many)
            return toi_allocation_status();
    }
    loose_entry *loose = many ? many : few;
    for (int64_t i = 0; i < count; ++i)
        loose[i] = take_out(job, first + i);
    for (int64_t i = 0; i < count; ++i) {
        if (loose[i].placed)
            continue;
        toi_set_bit(job->cells->starts, next);
        for (int64_t j = i; j < count; ++j)
            if (!loose[j].placed && memcmp(loose[j].at, loose[i].at, sizeof loose[i].at) == 0)
                put_back(job, next++, &loose[j]);
    }
    toi_give_back(many);
    return TOI_OK;
}

// Separates the cells of the buckets that begin in [i, stop). Others may be at work in the same
// blocks, but on other entries.
static toi_status separate_buckets(void *context, int64_t i, int64_t stop)
{
    const layout_job *job = context;
    while (i > 0 && i < stop && bucket_at(job, i) == bucket_at(job, i - 1))
        ++i;
    toi_status status = TOI_OK;
    while (i < stop && status == TOI_OK) {
        bool shared = false;
        int64_t end = i + 1;
        for (; end < job->keys.count && bucket_at(job, end) == bucket_at(job, i); ++end)
            shared |= toi_get_bit(job->moves, end);
        if (shared)
            status = separate_cells(job, i, end);
        i = end;
    }
    return status;
}

static toi_status find_starts(layout_job *job)
{
    const toi_broad_job *broad = job->space->job;
    job->cells->starts = toi_take_bits(broad->budget, job->keys.count);
    job->moves = job->cells->starts ? toi_take_bits(broad->budget, job->keys.count) : NULL;
    if (!job->moves)
        return toi_allocation_status();
    toi_status status =
        toi_parallel_ranges(broad->workers, job->keys.count, TOI_PIECE, mark_entries, job);
    if (status == TOI_OK && job->moved)
        status =
            toi_parallel_ranges(broad->workers, job->keys.count, TOI_PIECE, separate_buckets, job);
    toi_give_back(job->moves);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All

// Cells begin within blocks: a sweep may stop at a block only if no box in it begins sooner.
static toi_status find_block_begins(void *context, int64_t first, int64_t end)
{
    const layout_job *job = context;
    const toi_layout *l = &job->cells->layout;
    for (int64_t i = first; i < end; i += TOI_BLOCK) {
        const float *lo = l->blocks[i / TOI_BLOCK].bound[TOI_LO0];
        float least = lo[0];
        for (int lane = 1; lane < TOI_BLOCK; ++lane)
            least = lo[lane] < least ? lo[lane] : least;
        l->begins[i / TOI_BLOCK] = least;
    }
    return TOI_OK;
}

static toi_status sort_keys(layout_job *job)
{
    const toi_broad_job *broad = job->space->job;
    toi_cell_keys *keys = &job->keys;
    uint64_t buckets = ~(uint64_t)0 << (64 - job->space->bucket_bits);
    toi_status status =
        toi_radix_sort(keys->data, keys->count, buckets, broad->workers, broad->budget);
    if (status != TOI_OK)
        return status;
    job->tags = toi_take(broad->budget, keys->count, sizeof *job->tags);
    if (!job->tags)
        return toi_allocation_status();
    return toi_parallel_ranges(broad->workers, keys->count, TOI_PIECE, make_tags, job);
}

toi_status toi_lay_out_cells(const toi_cell_space *space, const toi_cell_level *level,
                             toi_cell_layout *cells)
{
    *cells = (toi_cell_layout){.starts = NULL};
    layout_job job = {.space = space, .cells = cells};
    int axis = space->axis < 0 ? 0 : space->axis;
    toi_status status = toi_make_cell_keys(space, level, &job.keys);
    if (status == TOI_OK)
        status = sort_keys(&job);
    if (status == TOI_OK)
        status = toi_make_joint_layout(space->job, axis, job.keys.data, job.tags, job.keys.count,
                                       &cells->layout);
    if (status == TOI_OK && space->shapes)
        status = add_marks(&job);
    if (status == TOI_OK)
        status = find_starts(&job);
    if (status == TOI_OK && space->axis >= 0)
        status = toi_parallel_ranges(space->job->workers, job.keys.count, TOI_PIECE,
                                     find_block_begins, &job);
    toi_give_back(job.tags);
    toi_give_back(job.keys.data);
    if (status != TOI_OK)
        toi_free_cell_layout(cells);
    return status;
}

void toi_free_cell_layout(toi_cell_layout *cells)
{
    toi_free_layout(&cells->layout);
    toi_give_back(cells->starts);
    cells->starts = NULL;
}
