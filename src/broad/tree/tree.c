// Takes and fills the blocks of a tree, and runs a search of all its packets.

#include "broad/tree/tree.h"

#include "base/simd.h"
#include "kernel/bounds.h"

#include <float.h>
#include <math.h>

toi_search_packets_fn toi_search_packets_baseline, toi_search_packets_avx2,
    toi_search_packets_avx512;

toi_search_packets_fn *toi_packet_kernel(void)
{
    static toi_search_packets_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_search_packets);
    return kernels[toi_simd_level()];
}

bool toi_round_row(const toi_box *box, toi_box_row *row)
{
    bool exact = true;
    *row = (toi_box_row){0};
    for (int k = 0; k < 3; ++k) {
        float lo = toi_finite_float(box->lo[k]), hi = toi_finite_float(box->hi[k]);
        exact &= (double)lo == box->lo[k] && (double)hi == box->hi[k];
        (*row)[k] = lo;
        (*row)[4 + k] = -hi;
    }
    return exact;
}

// The next part of a block of memory, or, where there is none yet, how far it reaches.
static void *carve(char *memory, int64_t *used, int64_t count, size_t size)
{
    enum
    {
        LINE = 64
    };
    void *part = memory ? memory + *used : NULL;
    *used += (count * (int64_t)size + LINE - 1) / LINE * LINE;
    return part;
}

// Returns how many bytes the parts of a tree take.
static int64_t lay_out(toi_tree *tree, int64_t total, bool moving, char *memory)
{
    int64_t blocks = tree->blocks[0], used = 0;
    tree->level[0] = carve(memory, &used, total, sizeof **tree->level);
    tree->boxes = carve(memory, &used, blocks, sizeof *tree->boxes);
    tree->ids = carve(memory, &used, blocks * TOI_BLOCK, sizeof *tree->ids);
    tree->labels = carve(memory, &used, blocks * TOI_BLOCK * tree->corners, sizeof *tree->labels);
    tree->ranges = carve(memory, &used, tree->corners > 0 ? blocks : 0, sizeof *tree->ranges);
    if (moving) {
        tree->far = carve(memory, &used, blocks, sizeof *tree->far);
        tree->ends = carve(memory, &used, blocks, sizeof *tree->ends);
    }
    for (int l = 1; l < tree->levels && memory; ++l)
        tree->level[l] = tree->level[l - 1] + tree->blocks[l - 1];
    return used;
}

// One block of memory: what is freed as a whole the system's allocator keeps at hand, where it
// returns many large parts to the system and fetches them again, page by page, in the next call.
toi_status toi_take_tree(toi_budget *budget, int64_t count, int corners, bool moving,
                         toi_tree *tree)
{
    *tree = (toi_tree){.count = count, .corners = corners};
    int64_t total = 0, blocks = (count + TOI_BLOCK - 1) / TOI_BLOCK;
    do {
        tree->blocks[tree->levels++] = blocks;
        total += blocks;
        if (blocks <= 1)
            break;
        blocks = (blocks + TOI_BLOCK - 1) / TOI_BLOCK;
    } while (true);
    char *memory = toi_take(budget, lay_out(tree, total, moving, NULL), 1);
    if (!memory)
        return toi_allocation_status();
    lay_out(tree, total, moving, memory);
    return TOI_OK;
}

void toi_free_tree(toi_tree *tree)
{
    toi_give_back(tree->level[0]); // all of it
    *tree = (toi_tree){0};
}

void toi_fill_block(const toi_box_row rows[TOI_BLOCK], int count, toi_tree_block *block,
                    toi_box_row halves[2])
{
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            block->bound[k][i] = rows[i][k];
            block->bound[3 + k][i] = -rows[i][4 + k];
        }
    for (int i = count; i < TOI_BLOCK; ++i)
        for (int s = 0; s < TOI_SIDES; ++s)
            block->bound[s][i] = s < 3 ? INFINITY : -INFINITY; // apart from everything
    for (int h = 0; h < 2; ++h) {
        int first = h * (TOI_BLOCK / 2) < count ? h * (TOI_BLOCK / 2) : 0;
        int end = first + TOI_BLOCK / 2 < count ? first + TOI_BLOCK / 2 : count;
        halves[h] = rows[first];
        for (int i = first + 1; i < end; ++i)
            toi_widen_row(&halves[h], &rows[i]);
    }
}

// The box around a block's boxes.
static void block_box(const toi_tree_block *block, int count, toi_box_row *box)
{
    float low[TOI_SIDES];
    for (int s = 0; s < TOI_SIDES; ++s) {
        float sign = s < 3 ? 1.0f : -1.0f;
        low[s] = sign * block->bound[s][0];
        for (int i = 1; i < count; ++i)
            low[s] = sign * block->bound[s][i] < low[s] ? sign * block->bound[s][i] : low[s];
    }
    *box = (toi_box_row){low[0], low[1], low[2], 0, low[3], low[4], low[5], 0};
}

// The box around block `b` of level `l`.
static void box_below(const toi_tree *tree, int l, int64_t b, toi_box_row *box)
{
    if (l == 0) {
        *box = tree->boxes[b][0];
        toi_widen_row(box, &tree->boxes[b][1]);
        return;
    }
    int64_t children = tree->blocks[l - 1] - b * TOI_BLOCK;
    block_box(&tree->level[l][b], children < TOI_BLOCK ? (int)children : TOI_BLOCK, box);
}

typedef struct raising
{
    toi_tree *tree;
    int level;
} raising;

static toi_status raise_blocks(void *context, int64_t first_block, int64_t end_block)
{
    const raising *r = context;
    const toi_tree *tree = r->tree;
    for (int64_t b = first_block; b < end_block; ++b) {
        toi_box_row rows[TOI_BLOCK], halves[2];
        int64_t first = b * TOI_BLOCK, rest = tree->blocks[r->level - 1] - first;
        int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
        for (int i = 0; i < count; ++i)
            box_below(tree, r->level - 1, first + i, &rows[i]);
        toi_fill_block(rows, count, &tree->level[r->level][b], halves);
    }
    return TOI_OK;
}

void toi_raise_tree(toi_tree *tree, int workers)
{
    raising r = {tree, 1};
    for (; r.level < tree->levels; ++r.level)
        toi_parallel_ranges(workers, tree->blocks[r.level], TOI_PIECE / TOI_BLOCK, raise_blocks,
                            &r);
}

typedef struct tree_tasks
{
    const toi_tree_search *search;
    const toi_broad_job *job;
    toi_pair *buffers;
    toi_search_packets_fn *kernel;
} tree_tasks;

enum
{
    PACKETS_A_TASK = 16
};

static toi_status run_task(void *context, int64_t task, int worker)
{
    const tree_tasks *t = context;
    toi_pair_writer writer = toi_start_writer(t->job, t->buffers, task, worker);
    int64_t packets = t->search->packets->blocks[0];
    int64_t end = (task + 1) * PACKETS_A_TASK < packets ? (task + 1) * PACKETS_A_TASK : packets;
    toi_status status = t->kernel(t->search, task * PACKETS_A_TASK, end, &writer);
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(t->job->meter, 1) : status;
}

toi_status toi_run_tree_search(const toi_tree_search *search, const toi_broad_job *job)
{
    tree_tasks t = {search, job, toi_take_writer_buffers(job), toi_packet_kernel()};
    if (!t.buffers)
        return toi_allocation_status();
    int64_t tasks = (search->packets->blocks[0] + PACKETS_A_TASK - 1) / PACKETS_A_TASK;
    if (job->meter)
        job->meter->total = tasks;
    toi_status status = toi_parallel(job->workers, tasks, run_task, &t);
    toi_give_back(t.buffers);
    return status;
}
