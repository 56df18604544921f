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
static int64_t lay_out(toi_tree *tree, int64_t total, bool moving, bool middles, char *memory)
{
    int64_t blocks = tree->blocks[0], used = 0;
    tree->ids = carve(memory, &used, blocks * TOI_BLOCK, sizeof *tree->ids);
    tree->level[0] = carve(memory, &used, total, sizeof **tree->level);
    tree->boxes = carve(memory, &used, blocks, sizeof *tree->boxes);
    tree->labels = carve(memory, &used, blocks * TOI_BLOCK * tree->corners, sizeof *tree->labels);
    tree->ranges = carve(memory, &used, tree->corners > 0 ? blocks : 0, sizeof *tree->ranges);
    if (moving) {
        tree->far = carve(memory, &used, blocks, sizeof *tree->far);
        tree->ends = carve(memory, &used, blocks, sizeof *tree->ends);
    }
    if (middles) {
        tree->near = carve(memory, &used, blocks, sizeof *tree->near);
        tree->middles = carve(memory, &used, blocks, sizeof *tree->middles);
    }
    for (int l = 1; l < tree->levels && memory; ++l)
        tree->level[l] = tree->level[l - 1] + tree->blocks[l - 1];
    return used;
}

// Returns how many blocks there are at all levels.
static int64_t count_blocks(int64_t count, int corners, toi_tree *tree)
{
    *tree = (toi_tree){.count = count, .corners = corners};
    int64_t total = 0, blocks = (count + TOI_BLOCK - 1) / TOI_BLOCK;
    do {
        tree->blocks[tree->levels++] = blocks;
        total += blocks;
        if (blocks <= 1)
            return total;
        blocks = (blocks + TOI_BLOCK - 1) / TOI_BLOCK;
    } while (true);
}

int64_t toi_tree_bytes(int64_t count, int corners, bool moving, bool middles)
{
    toi_tree tree;
    int64_t total = count_blocks(count, corners, &tree);
    return lay_out(&tree, total, moving, middles, NULL);
}

void toi_place_tree(int64_t count, int corners, bool moving, bool middles, char *memory,
                    toi_tree *tree)
{
    int64_t total = count_blocks(count, corners, tree);
    lay_out(tree, total, moving, middles, memory);
}

// One block of memory: what is freed as a whole the system's allocator keeps at hand, where it
// returns many large parts to the system and fetches them again, page by page, in the next call.
toi_status toi_take_tree(toi_budget *budget, int64_t count, int corners, bool moving, bool middles,
                         toi_tree *tree)
{
    *tree = (toi_tree){0};
    char *memory = toi_take(budget, toi_tree_bytes(count, corners, moving, middles), 1);
    if (!memory)
        return toi_allocation_status();
    toi_place_tree(count, corners, moving, middles, memory, tree);
    return TOI_OK;
}

void toi_free_tree(toi_tree *tree)
{
    toi_give_back(tree->common[0]);
    toi_give_back(tree->ids); // and all the rest
    *tree = (toi_tree){0};
}

typedef toi_box_quad quad;

// Four boxes of a block, from lane `lane` on: columns of their numbers.
static inline void put_rows(const toi_box_row rows[4], int lane, toi_tree_block *block)
{
    for (int side = 0; side < 2; ++side) {
        const quad *row = (const quad *)rows + side;
        quad of_four[4] = {row[0], row[2], row[4], row[6]}, columns[3];
        toi_turn_quads(of_four, columns);
        for (int k = 0; k < 3; ++k)
            *(quad *)&block->bound[3 * side + k][lane] = side ? 0 - columns[k] : columns[k];
    }
}

void toi_fill_block(const toi_box_row rows[TOI_BLOCK], int count, toi_tree_block *block,
                    toi_box_row halves[2])
{
    const float far = INFINITY; // apart from everything
    const toi_box_row idle = {far, far, far, 0, far, far, far, 0};
    for (int lane = 0; lane < TOI_BLOCK; lane += 4) {
        toi_box_row last[4];
        for (int i = 0; i < 4 && lane + 4 > count; ++i)
            last[i] = lane + i < count ? rows[lane + i] : idle;
        put_rows(lane + 4 > count ? last : rows + lane, lane, block);
    }
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

// Block `b` of level `l`, from the blocks below.
static void raise_block(const toi_tree *tree, int l, int64_t b)
{
    toi_box_row rows[TOI_BLOCK], halves[2];
    int64_t first = b * TOI_BLOCK, rest = tree->blocks[l - 1] - first;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    for (int i = 0; i < count; ++i)
        box_below(tree, l - 1, first + i, &rows[i]);
    toi_fill_block(rows, count, &tree->level[l][b], halves);
}

void toi_raise_blocks(const toi_tree *tree, int64_t first, int64_t end)
{
    for (int64_t b = first / TOI_BLOCK; b * TOI_BLOCK < end && tree->levels > 1; ++b)
        raise_block(tree, 1, b);
}

typedef struct raising
{
    toi_tree *const *trees;
    int count;
    int level;
} raising;

static int64_t blocks_at(const toi_tree *tree, int level)
{
    return level < tree->levels ? tree->blocks[level] : 0;
}

// Blocks of all trees are numbered as one list.
static toi_status raise_range(void *context, int64_t first, int64_t end)
{
    const raising *r = context;
    for (int i = 0; i < r->count; ++i) {
        int64_t blocks = blocks_at(r->trees[i], r->level);
        for (int64_t b = first > 0 ? first : 0; b < end && b < blocks; ++b)
            raise_block(r->trees[i], r->level, b);
        first -= blocks;
        end -= blocks;
    }
    return TOI_OK;
}

void toi_raise_trees(toi_tree *const *trees, int count, int from, int workers)
{
    for (raising r = {trees, count, from}; r.level < TOI_TREE_LEVELS; ++r.level) {
        int64_t blocks = 0;
        for (int i = 0; i < count; ++i)
            blocks += blocks_at(trees[i], r.level);
        toi_parallel_ranges(workers, blocks, TOI_PIECE / TOI_BLOCK, raise_range, &r);
    }
}

void toi_raise_tree(toi_tree *tree, int workers)
{
    toi_raise_trees(&tree, 1, 1, workers);
}

static bool box_has(const toi_tree *tree, int64_t block, int lane, int32_t label)
{
    bool has = false;
    for (int c = 0; c < tree->corners; ++c)
        has |= toi_block_labels(tree, block, c)[lane] == label;
    return has;
}

// The lowest, where there are several: two blocks must not choose different ones.
static int32_t common_label(const toi_tree *tree, int64_t block)
{
    int64_t rest = tree->count - block * TOI_BLOCK;
    int count = rest < TOI_BLOCK ? (int)rest : TOI_BLOCK;
    int32_t least = -1;
    for (int c = 0; c < tree->corners; ++c) {
        int32_t label = toi_block_labels(tree, block, c)[0];
        int lane = 1;
        while (lane < count && box_has(tree, block, lane, label))
            ++lane;
        if (lane == count && (least < 0 || label < least))
            least = label;
    }
    return least;
}

static int32_t common_of_children(const int32_t *children, int64_t count)
{
    for (int64_t i = 1; i < count; ++i)
        if (children[i] != children[0])
            return -1;
    return children[0];
}

toi_status toi_find_common_labels(toi_budget *budget, toi_tree *tree)
{
    int64_t total = 0;
    for (int l = 0; l < tree->levels; ++l)
        total += tree->blocks[l];
    tree->common[0] = toi_take(budget, total, sizeof **tree->common);
    if (!tree->common[0])
        return toi_allocation_status();
    for (int64_t b = 0; b < tree->blocks[0]; ++b)
        tree->common[0][b] = common_label(tree, b);
    for (int l = 1; l < tree->levels; ++l) {
        tree->common[l] = tree->common[l - 1] + tree->blocks[l - 1];
        for (int64_t b = 0; b < tree->blocks[l]; ++b) {
            int64_t first = b * TOI_BLOCK, rest = tree->blocks[l - 1] - first;
            tree->common[l][b] = common_of_children(tree->common[l - 1] + first,
                                                    rest < TOI_BLOCK ? rest : TOI_BLOCK);
        }
    }
    return TOI_OK;
}

typedef struct tree_tasks
{
    const toi_tree_search *search;
    const toi_broad_job *job;
    toi_pair *buffers;
    toi_search_packets_fn *kernel;
    int64_t large; // tasks, before the small ones
} tree_tasks;

enum
{
    PACKETS_A_TASK = 16,
    PACKETS_A_SMALL_TASK = 4,
    LAST_TASKS = 16,  // of a worker, that are cut
    RUNS_OF_FEW = 64, // one of so many runs of packets is among the few
    RUNS_OF_SOME = 8  // and one of these among the few and the some
};

// Parts have numbers of their own for their packets. Which packet is that?
static int64_t packet_in(toi_search_part part, int64_t number)
{
    int64_t run = number / PACKETS_A_TASK, rest = number % PACKETS_A_TASK;
    const int64_t ratio = RUNS_OF_FEW / RUNS_OF_SOME;
    if (part == TOI_SEARCH_FEW)
        run *= RUNS_OF_FEW;
    if (part == TOI_SEARCH_SOME)
        run = (run + run / (ratio - 1) + 1) * RUNS_OF_SOME;
    if (part == TOI_SEARCH_REST)
        run += run / (RUNS_OF_SOME - 1) + 1;
    return run * PACKETS_A_TASK + rest;
}

// How many numbers there are. The last run may be short: its last numbers are nobody's.
static int64_t count_numbers(toi_search_part part, int64_t packets)
{
    int64_t runs = (packets + PACKETS_A_TASK - 1) / PACKETS_A_TASK;
    int64_t few = (runs + RUNS_OF_FEW - 1) / RUNS_OF_FEW;
    int64_t some = (runs + RUNS_OF_SOME - 1) / RUNS_OF_SOME;
    int64_t of[] = {runs, few, some - few, runs - some};
    return part == TOI_SEARCH_ALL ? packets : of[part] * PACKETS_A_TASK;
}

bool toi_has_parts(const toi_tree_search *search)
{
    return search->packets->blocks[0] > 2 * RUNS_OF_SOME * PACKETS_A_TASK;
}

// Some packets take fifty times as long as others. Where tasks are taken in turn and one of the
// last has such, the other workers wait for it: those are small. They cost a little more, since
// packets of a task share a walk down the tree; so there are no more of them than the workers have
// use for.
static int64_t count_large_tasks(int64_t packets, int workers)
{
    int64_t all = (packets + PACKETS_A_TASK - 1) / PACKETS_A_TASK, last = all - all * 5 / 8;
    int64_t most = (int64_t)LAST_TASKS * workers;
    return workers > 1 ? all - (last < most ? last : most) : all;
}

static int64_t count_tasks(int64_t packets, int64_t large)
{
    int64_t rest = packets - large * PACKETS_A_TASK;
    return large + (rest > 0 ? (rest + PACKETS_A_SMALL_TASK - 1) / PACKETS_A_SMALL_TASK : 0);
}

// The tasks of all parts.
static int64_t count_in_parts(const toi_tree_search *search, const toi_broad_job *job)
{
    int64_t tasks = 0;
    for (int part = TOI_SEARCH_FEW; part <= TOI_SEARCH_REST; ++part) {
        int64_t packets = count_numbers((toi_search_part)part, search->packets->blocks[0]);
        tasks += count_tasks(packets, count_large_tasks(packets, job->workers));
    }
    return tasks;
}

static int64_t first_packet(const tree_tasks *t, int64_t task)
{
    int64_t small = task > t->large ? task - t->large : 0;
    return (task - small) * PACKETS_A_TASK + small * PACKETS_A_SMALL_TASK;
}

static toi_status run_task(void *context, int64_t task, int worker)
{
    const tree_tasks *t = context;
    toi_pair_writer writer = toi_start_writer(t->job, t->buffers, task, worker);
    int64_t packets = t->search->packets->blocks[0], number = first_packet(t, task);
    int64_t first = packet_in(t->search->part, number);
    int64_t end = first + first_packet(t, task + 1) - number;
    end = end < packets ? end : packets;
    toi_status status = first < end ? t->kernel(t->search, first, end, &writer) : TOI_OK;
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(t->job->meter, 1) : status;
}

static toi_status run_packets(const toi_tree_search *search, const toi_broad_job *job)
{
    int64_t packets = count_numbers(search->part, search->packets->blocks[0]);
    tree_tasks t = {search, job, toi_take_writer_buffers(job), toi_packet_kernel(),
                    count_large_tasks(packets, job->workers)};
    if (!t.buffers)
        return toi_allocation_status();
    int64_t tasks = count_tasks(packets, t.large);
    if (job->meter && search->part <= TOI_SEARCH_FEW)
        job->meter->total = search->part == TOI_SEARCH_ALL ? tasks : count_in_parts(search, job);
    toi_status status = toi_parallel(job->workers, tasks, run_task, &t);
    toi_give_back(t.buffers);
    return status;
}

static toi_status clear_marks(void *context, int64_t first, int64_t end)
{
    memset((uint16_t *)context + first, 0, (size_t)(end - first) * sizeof(uint16_t));
    return TOI_OK;
}

// One array a worker.
static toi_status take_marks(toi_tree_search *search, const toi_broad_job *job)
{
    int64_t count = search->label_count * job->workers;
    if (count == 0)
        return TOI_OK;
    search->marks = toi_take(job->budget, count, sizeof *search->marks);
    if (!search->marks)
        return toi_allocation_status();
    return toi_parallel_ranges(job->workers, count, 1 << 20, clear_marks, search->marks);
}

toi_status toi_run_tree_search(const toi_tree_search *asked, const toi_broad_job *job)
{
    toi_tree_search search = *asked;
    toi_status status = take_marks(&search, job);
    if (status == TOI_OK)
        status = run_packets(&search, job);
    toi_give_back(search.marks);
    return status;
}
