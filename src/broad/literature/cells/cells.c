// The search: one level after the other, so that memory is that of the largest, then the few boxes
// that are in none.

#include "broad/literature/cells/cells.h"

#include "broad/layout/axes.h"
#include "broad/literature/cells/cell_layout.h"
#include "broad/literature/cells/cell_levels.h"

#include <math.h>
#include <string.h>

enum
{
    ENTRIES_A_TASK = 512,
    SMALL_JOB = 1 << 18 // boxes
};

typedef struct cell_search
{
    const toi_broad_job *job;
    toi_cell_space space;
    toi_cell_plan plan;
    toi_compare_cell_fn *compare;
    toi_pair *buffers;
    int64_t tasks_before; // of levels that are done
    int64_t tasks, work;  // of the level at hand; work is told the meter task by task

    toi_cell_layout cells; // of the level at hand
    bool visited;

    int64_t few[TOI_FEW_BOXES], few_count, few_of_a; // boxes in no level: places in the sources
    toi_layout marked[2];                            // the sources, with a tag on these boxes
} cell_search;

// ---------------------------------------------------------------------------------------------
// Search of a level

static int64_t next_start(const cell_search *s, int64_t i)
{
    const toi_bit_word *starts = s->cells.starts;
    for (++i; i < s->cells.layout.count; i = (i / 64 + 1) * 64) {
        uint64_t word = starts[i / 64] >> (i % 64);
        if (word)
            return i + __builtin_ctzll(word);
    }
    return s->cells.layout.count;
}

static int64_t start_of_cell(const cell_search *s, int64_t i)
{
    const toi_bit_word *starts = s->cells.starts;
    uint64_t word = starts[i / 64] << (63 - i % 64);
    for (; !word; i = i / 64 * 64 - 1)
        word = starts[i / 64 - 1];
    return i - __builtin_clzll(word);
}

static int group_of(uint8_t tag)
{
    return (tag & TOI_TAG_VISITOR ? TOI_VISITORS_A : TOI_RESIDENTS_A) +
           (tag & TOI_TAG_LIST_B ? 1 : 0);
}

// Finds where the groups of a cell begin.
static toi_cell_entries divide_cell(const cell_search *s, int64_t first, int64_t end)
{
    toi_cell_entries cell = {.layout = &s->cells.layout, .self = s->job->self};
    cell.begin[0] = first;
    for (int g = 1; g <= TOI_CELL_GROUPS; ++g) {
        int64_t lo = cell.begin[g - 1], hi = end;
        if (g == TOI_CELL_GROUPS || (cell.self && !s->visited))
            lo = end;
        while (lo < hi) {
            int64_t middle = lo + (hi - lo) / 2;
            if (group_of(cell.layout->tags[middle]) < g)
                lo = middle + 1;
            else
                hi = middle;
        }
        cell.begin[g] = lo;
    }
    return cell;
}

static toi_status search_cell(const cell_search *s, const toi_cell_entries *cell, int64_t first,
                              int64_t end, toi_pair_writer *writer)
{
    toi_status status = TOI_OK;
    for (int g = 0; g < TOI_CELL_GROUPS && status == TOI_OK; ++g) {
        int64_t from = cell->begin[g] > first ? cell->begin[g] : first;
        int64_t to = cell->begin[g + 1] < end ? cell->begin[g + 1] : end;
        if (from < to)
            status = s->compare(cell, g, from, to, writer);
    }
    return status;
}

static toi_status end_task(const cell_search *s, int64_t task, toi_pair_writer *writer)
{
    toi_status status = toi_end_writer(writer);
    int64_t done =
        toi_piece_start(s->work, s->tasks, task + 1) - toi_piece_start(s->work, s->tasks, task);
    return status == TOI_OK ? toi_meter_add(s->job->meter, done) : status;
}

// A task is a number of entries, not of cells: a crowded cell is shared by many.
static toi_status search_entries(void *context, int64_t task, int worker)
{
    const cell_search *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, s->tasks_before + task, worker);
    int64_t i = task * ENTRIES_A_TASK, count = s->cells.layout.count;
    int64_t end = i + ENTRIES_A_TASK < count ? i + ENTRIES_A_TASK : count;
    int64_t first = start_of_cell(s, i);
    toi_status status = TOI_OK;
    while (i < end && status == TOI_OK) {
        int64_t next = next_start(s, i);
        if (next - first > 1) {
            toi_cell_entries cell = divide_cell(s, first, next);
            status = search_cell(s, &cell, i, next < end ? next : end, &writer);
        }
        first = i = next;
    }
    return status == TOI_OK ? end_task(s, task, &writer) : status;
}

static toi_status search_level(cell_search *s, const toi_cell_level *level)
{
    toi_status status = toi_lay_out_cells(&s->space, level, &s->cells);
    if (status != TOI_OK)
        return status;
    const int64_t *boxes = level->boxes;
    s->visited = boxes[TOI_VISITORS_A] + boxes[TOI_VISITORS_B] > 0;
    s->work = boxes[TOI_RESIDENTS_A] + boxes[TOI_RESIDENTS_B] + boxes[TOI_VISITORS_A] +
              boxes[TOI_VISITORS_B];
    s->tasks = (s->cells.layout.count + ENTRIES_A_TASK - 1) / ENTRIES_A_TASK;
    status = toi_parallel(s->job->workers, s->tasks, search_entries, s);
    s->tasks_before += s->tasks;
    toi_free_cell_layout(&s->cells);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Search of the few largest

typedef struct marking
{
    const cell_search *search;
    toi_layout *marked;
} marking;

static toi_status mark_boxes(void *context, int64_t first, int64_t end)
{
    const marking *m = context;
    for (int64_t i = first; i < end; i += TOI_BLOCK) {
        double extents[TOI_BLOCK];
        toi_find_extents(&m->search->space, m->marked, i, extents);
        for (int lane = 0; lane < TOI_BLOCK; ++lane)
            m->marked->tags[i + lane] = extents[lane] >= m->search->plan.few_above;
    }
    return TOI_OK;
}

// Tags the few in copies of the sources, so that comparisons can leave them out, and lists them.
static toi_status mark_few(cell_search *s)
{
    for (int list = 0; list < 2; ++list) {
        toi_layout *marked = &s->marked[list];
        *marked = s->space.source[list];
        int64_t blocks = (marked->count + TOI_BLOCK - 1) / TOI_BLOCK;
        marked->tags = toi_take(s->job->budget, blocks * TOI_BLOCK, sizeof *marked->tags);
        if (!marked->tags)
            return toi_allocation_status();
        marking m = {s, marked};
        toi_status status =
            toi_parallel_ranges(s->job->workers, marked->count, TOI_PIECE, mark_boxes, &m);
        if (status != TOI_OK)
            return status;
        const uint8_t *tags = marked->tags, *at = tags;
        while ((at = memchr(at, 1, (size_t)(marked->count - (at - tags)))))
            s->few[s->few_count++] = at++ - tags;
        if (list == 0)
            s->few_of_a = s->few_count;
    }
    return TOI_OK;
}

// One of the few with all boxes that follow it, and with those before that are not of the few.
static toi_status search_one_of_few(void *context, int64_t task, int worker)
{
    const cell_search *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, s->tasks_before + task, worker);
    bool self = s->job->self, of_b = task >= s->few_of_a, stopped;
    toi_run run = {.probe = s->few[task], .sorted = s->space.axis >= 0};
    toi_status status = TOI_OK;
    if (!of_b) {
        run.probe_layout = &s->space.source[0];
        run.layout = &s->space.source[!self];
        run.begin = self ? run.probe + 1 : 0;
        run.end = run.layout->count;
        run.write = self ? TOI_WRITE_SORTED : TOI_WRITE_PROBE_FIRST;
        status = toi_write_run(&writer, run, &stopped);
    }
    if (status == TOI_OK && (self || of_b)) {
        run.probe_layout = &s->marked[of_b];
        run.layout = &s->marked[0];
        run.begin = 0;
        run.end = self ? run.probe : run.layout->count;
        run.write = self ? TOI_WRITE_SORTED : TOI_WRITE_PROBE_SECOND;
        status = toi_write_run(&writer, run, &stopped);
    }
    return status == TOI_OK ? end_task(s, task, &writer) : status;
}

static toi_status search_few(cell_search *s)
{
    toi_status status = mark_few(s);
    s->work = s->plan.few_count;
    s->tasks = s->few_count;
    if (status == TOI_OK)
        status = toi_parallel(s->job->workers, s->tasks, search_one_of_few, s);
    toi_give_back(s->marked[0].tags);
    toi_give_back(s->marked[1].tags);
    return status;
}

// ---------------------------------------------------------------------------------------------
// All

static void cut_space(toi_cell_space *space, const toi_broad_job *job, const toi_box_scale *scale,
                      toi_cell_rule rule)
{
    static const int lo_columns[3] = {TOI_LO0, TOI_LO1, TOI_LO2};
    double size = fmax(rule.size, toi_least_cell(scale));
    *space = (toi_cell_space){.job = job, .axis = rule.axis, .size = size};
    space->per_extent = 64 / (63 * size);
    for (int k = 0; k < 3; ++k)
        if (k != rule.axis) {
            space->origin[space->axes] = scale->origin[k];
            space->lo_column[space->axes++] =
                lo_columns[rule.axis < 0 ? k : (k - rule.axis + 3) % 3];
        }
    // Buckets and offsets have 32 bits together. Two passes of the sort take 22, which will do for
    // the cells of a small job.
    bool small = toi_joint_count(job) <= SMALL_JOB;
    space->bucket_bits = small ? 22 : space->axes == 2 ? 24 : 26;
    space->offset_bits = (32 - space->bucket_bits) / space->axes;
    space->shapes = rule.shapes;
    if (rule.shapes) { // a bit each for two cells an axis, seven for those that are crossed
        space->bucket_bits = TOI_SHAPE_BUCKET_BITS;
        space->offset_bits = 1;
    }
}

static toi_status start_search(cell_search *s)
{
    const toi_broad_job *job = s->job;
    toi_status status =
        toi_make_layout(job->a, s->space.axis, job->workers, job->budget, &s->space.source[0]);
    if (status == TOI_OK && !job->self)
        status =
            toi_make_layout(job->b, s->space.axis, job->workers, job->budget, &s->space.source[1]);
    if (status == TOI_OK) {
        s->buffers = toi_take_writer_buffers(job);
        status = s->buffers ? TOI_OK : toi_allocation_status();
    }
    return status;
}

toi_status toi_search_cells(const toi_broad_job *job, const toi_box_scale *scale,
                            toi_cell_rule rule)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    cell_search *s = toi_take(job->budget, 1, sizeof *s); // large for a small stack
    if (!s)
        return toi_allocation_status();
    *s = (cell_search){.job = job, .compare = rule.compare};
    cut_space(&s->space, job, scale, rule);
    toi_status status = start_search(s);
    if (status == TOI_OK)
        status = toi_plan_levels(&s->space, toi_least_cell(scale), rule.octaves, &s->plan);
    for (int l = 0; l < s->plan.count && status == TOI_OK; ++l)
        status = search_level(s, &s->plan.levels[l]);
    if (status == TOI_OK && s->plan.few_count > 0)
        status = search_few(s);
    toi_give_back(s->buffers);
    toi_free_layout(&s->space.source[0]);
    toi_free_layout(&s->space.source[1]);
    toi_give_back(s);
    return status;
}
