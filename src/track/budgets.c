// Fronts of pairs of blocks with budgets: making them, and searching by them.

#include "base/simd.h"
#include "track/kept.h"

#include <math.h>
#include <string.h>

toi_near_blocks_fn toi_near_blocks_baseline, toi_near_blocks_avx2, toi_near_blocks_avx512;
toi_spend_fn toi_spend_baseline, toi_spend_avx2, toi_spend_avx512;
toi_search_budgets_fn toi_search_budgets_baseline, toi_search_budgets_avx2,
    toi_search_budgets_avx512;

enum
{
    PACKETS_A_TASK = 16,
    ENTRY_BYTES = 2 * sizeof(int32_t) + 2 * sizeof(float) + sizeof(uint8_t) + sizeof(bool),
    SLOT_BYTES = sizeof(toi_pair_mask) + sizeof(toi_pair_levels)
};

static void free_lists(toi_block_front *front)
{
    toi_give_back(front->slot);
    toi_give_back(front->any);
    toi_give_back(front->reach);
    toi_give_back(front->unit);
    toi_give_back(front->budget);
    toi_give_back(front->other);
    toi_give_back(front->start);
}

static void free_slots(toi_block_front *front)
{
    toi_give_back(front->levels);
    toi_give_back(front->masks);
}

void toi_free_block_front(toi_block_front *front)
{
    free_slots(front);
    free_lists(front);
    *front = (toi_block_front){0};
}

static int64_t entry_count(const toi_block_front *front)
{
    return front->start[front->packets];
}

static int64_t bytes_with(const toi_block_front *front, int64_t slots)
{
    return (front->packets + 1) * (int64_t)sizeof *front->start + entry_count(front) * ENTRY_BYTES +
           slots * SLOT_BYTES;
}

int64_t toi_block_front_bytes(const toi_block_front *front)
{
    return front->start ? bytes_with(front, front->slots) : 0;
}

typedef struct making
{
    const toi_budget_search *search;
    toi_near_blocks_fn *near_blocks;
    const toi_block_front *old;
    toi_block_front *front;
} making;

static toi_status count_blocks(void *context, int64_t first, int64_t end)
{
    const making *m = context;
    const toi_tree_search *s = &m->search->search;
    for (int64_t p = first; p < end; ++p)
        m->front->start[p + 1] = m->near_blocks(s->packets, s->tree, p, NULL);
    return TOI_OK;
}

// What is known of pairs of blocks in both fronts.
static void keep_known(const toi_block_front *old, int64_t packet, toi_block_front *front)
{
    int64_t q = old->start[packet], last = old->start[packet + 1];
    for (int64_t i = front->start[packet]; i < front->start[packet + 1]; ++i) {
        while (q < last && old->other[q] < front->other[i])
            ++q;
        if (q < last && old->other[q] == front->other[i] && old->budget[q] > 0) {
            front->budget[i] = old->budget[q];
            front->unit[i] = old->unit[q];
            front->reach[i] = old->reach[q];
            front->any[i] = old->any[q];
            front->slot[i] = old->slot[q];
        }
    }
}

static toi_status list_blocks(void *context, int64_t first, int64_t end)
{
    const making *m = context;
    const toi_tree_search *s = &m->search->search;
    toi_block_front *front = m->front;
    for (int64_t p = first; p < end; ++p) {
        m->near_blocks(s->packets, s->tree, p, front->other + front->start[p]);
        for (int64_t i = front->start[p]; i < front->start[p + 1]; ++i) {
            front->budget[i] = -INFINITY;
            front->unit[i] = 0;
            front->slot[i] = -1;
        }
        if (p < m->old->packets)
            keep_known(m->old, p, front);
    }
    return TOI_OK;
}

// As many packets as fit; sums the counts up.
static void fit_packets(toi_block_front *front, int64_t packets, int64_t limit)
{
    front->start[0] = 0;
    for (int64_t p = 0; p < packets; ++p)
        front->start[p + 1] += front->start[p];
    for (front->packets = packets; front->packets > 0; --front->packets)
        if (limit == 0 || bytes_with(front, entry_count(front)) <= limit)
            break;
}

static bool take_entries(toi_block_front *front, toi_budget *budget)
{
    int64_t entries = entry_count(front);
    front->other = toi_take(budget, entries, sizeof *front->other);
    if (front->other)
        front->budget = toi_take(budget, entries, sizeof *front->budget);
    if (front->budget)
        front->unit = toi_take(budget, entries, sizeof *front->unit);
    if (front->unit)
        front->reach = toi_take(budget, entries, sizeof *front->reach);
    if (front->reach)
        front->any = toi_take(budget, entries, sizeof *front->any);
    if (front->any)
        front->slot = toi_take(budget, entries, sizeof *front->slot);
    return front->slot;
}

// ---- Slots

static toi_status copy_slots(void *context, int64_t first, int64_t end)
{
    const making *m = context;
    toi_block_front *front = m->front;
    for (int64_t i = front->start[first]; i < front->start[end]; ++i) {
        if (front->slot[i] >= 0) {
            front->masks[i] = m->old->masks[front->slot[i]];
            if (front->unit[i] > 0)
                front->levels[i] = m->old->levels[front->slot[i]];
        }
        front->slot[i] = (int32_t)i;
    }
    return TOI_OK;
}

// New slots, in the order of the entries, and some to spare where there is no limit.
static bool renew_slots(const making *m, bool limited, int workers, toi_budget *budget)
{
    toi_block_front *front = m->front;
    int64_t entries = entry_count(front);
    front->slots = limited ? entries : entries + entries / 8;
    front->masks = toi_take(budget, front->slots, sizeof *front->masks);
    if (front->masks)
        front->levels = toi_take(budget, front->slots, sizeof *front->levels);
    if (!front->levels)
        return false;
    toi_parallel_ranges(workers, front->packets, TOI_PIECE / TOI_BLOCK, copy_slots, (void *)m);
    return true;
}

// Slots that are free, and how many entries of each piece of packets need one.
typedef struct reusing
{
    toi_block_front *front;
    bool *used;
    int32_t *free;
    int64_t *needs; // then where a piece begins among the free ones
} reusing;

enum
{
    PIECE = TOI_PIECE / TOI_BLOCK // packets
};

static toi_status mark_used(void *context, int64_t first, int64_t end)
{
    const reusing *r = context;
    const toi_block_front *front = r->front;
    int64_t needs = 0;
    for (int64_t i = front->start[first]; i < front->start[end]; ++i)
        if (front->slot[i] < 0)
            ++needs;
        else
            r->used[front->slot[i]] = true;
    r->needs[first / PIECE] = needs;
    return TOI_OK;
}

static toi_status take_free(void *context, int64_t first, int64_t end)
{
    const reusing *r = context;
    const int32_t *free = r->free + r->needs[first / PIECE];
    for (int64_t i = r->front->start[first]; i < r->front->start[end]; ++i)
        if (r->front->slot[i] < 0)
            r->front->slot[i] = *free++;
    return TOI_OK;
}

// Sums up what is needed, and lists as many slots; returns whether there is memory for that.
static bool list_free(reusing *r, int64_t pieces, toi_budget *budget)
{
    int64_t total = 0;
    for (int64_t i = 0; i < pieces; ++i) {
        int64_t needs = r->needs[i];
        r->needs[i] = total;
        total += needs;
    }
    r->free = toi_take(budget, total, sizeof *r->free);
    const bool *next = r->used;
    for (int64_t i = 0; r->free && i < total; ++i, ++next) {
        next = memchr(next, false, (size_t)(r->used + r->front->slots - next));
        r->free[i] = (int32_t)(next - r->used);
    }
    return r->free;
}

// Those of the old front, so that what they hold need not be moved: entries that are new get what
// others have left.
static bool reuse_slots(const making *m, int workers, toi_budget *budget)
{
    toi_block_front *front = m->front;
    int64_t pieces = (front->packets + PIECE - 1) / PIECE;
    front->slots = m->old->slots;
    reusing r = {front, toi_take(budget, front->slots, sizeof *r.used), NULL,
                 toi_take(budget, pieces, sizeof *r.needs)};
    bool done = r.used && r.needs;
    if (done) {
        memset(r.used, 0, (size_t)front->slots * sizeof *r.used);
        toi_parallel_ranges(workers, front->packets, PIECE, mark_used, &r);
        done = list_free(&r, pieces, budget);
    }
    if (done) {
        toi_parallel_ranges(workers, front->packets, PIECE, take_free, &r);
        front->masks = m->old->masks;
        front->levels = m->old->levels;
    }
    toi_give_back(r.free);
    toi_give_back(r.needs);
    toi_give_back(r.used);
    return done;
}

static bool set_slots(making *m, toi_block_front *old, int64_t limit, int workers,
                      toi_budget *budget)
{
    bool enough = old->slots >= entry_count(m->front) &&
                  (limit == 0 || bytes_with(m->front, old->slots) <= limit);
    if (enough && reuse_slots(m, workers, budget)) {
        old->masks = NULL;
        old->levels = NULL;
        return true;
    }
    return renew_slots(m, limit > 0, workers, budget);
}

void toi_make_block_front(const toi_budget_search *search, int64_t limit, int workers,
                          toi_budget *budget, toi_block_front *front)
{
    static toi_near_blocks_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_near_blocks);
    toi_block_front old = *front;
    int64_t packets = search->search.packets->blocks[0];
    making m = {search, kernels[toi_simd_level()], &old, front};
    *front = (toi_block_front){.start = toi_take(budget, packets + 1, sizeof *front->start)};
    if (front->start) {
        toi_parallel_ranges(workers, packets, TOI_PIECE / TOI_BLOCK, count_blocks, &m);
        fit_packets(front, packets, limit);
        bool taken = take_entries(front, budget);
        if (taken)
            toi_parallel_ranges(workers, front->packets, TOI_PIECE / TOI_BLOCK, list_blocks, &m);
        if (!taken || !set_slots(&m, &old, limit, workers, budget))
            toi_free_block_front(front);
    }
    toi_free_block_front(&old);
}

typedef struct spending
{
    const toi_budget_search *search;
    toi_spend_fn *spend;
    bool back;
} spending;

static toi_status spend_range(void *context, int64_t first, int64_t end)
{
    const spending *s = context;
    for (int64_t p = first; p < end; ++p)
        s->spend(s->search, p, s->back);
    return TOI_OK;
}

void toi_spend_budgets(const toi_budget_search *search, bool back, int workers)
{
    static toi_spend_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_spend);
    spending s = {search, kernels[toi_simd_level()], back};
    toi_parallel_ranges(workers, search->front->packets, TOI_PIECE / TOI_BLOCK, spend_range, &s);
}

typedef struct budget_tasks
{
    const toi_budget_search *search;
    const toi_broad_job *job;
    toi_pair *buffers;
    toi_search_budgets_fn *budgets;
    toi_search_packets_fn *walk;
} budget_tasks;

static toi_status run_task(void *context, int64_t task, int worker)
{
    const budget_tasks *t = context;
    toi_pair_writer writer = toi_start_writer(t->job, t->buffers, task, worker);
    toi_status status = TOI_OK;
    int64_t packets = t->search->search.packets->blocks[0], p = task * PACKETS_A_TASK;
    int64_t end = p + PACKETS_A_TASK < packets ? p + PACKETS_A_TASK : packets;
    for (; p < end && p < t->search->front->packets && status == TOI_OK; ++p)
        status = t->budgets(t->search, p, &writer);
    if (p < end && status == TOI_OK)
        status = t->walk(&t->search->search, p, end, &writer);
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(t->job->meter, 1) : status;
}

toi_status toi_run_budget_search(const toi_budget_search *search, const toi_broad_job *job)
{
    static toi_search_budgets_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_search_budgets);
    budget_tasks t = {search, job, toi_take_writer_buffers(job), kernels[toi_simd_level()],
                      toi_packet_kernel()};
    if (!t.buffers)
        return toi_allocation_status();
    int64_t tasks = (search->search.packets->blocks[0] + PACKETS_A_TASK - 1) / PACKETS_A_TASK;
    if (job->meter)
        job->meter->total = tasks;
    toi_status status = toi_parallel(job->workers, tasks, run_task, &t);
    toi_give_back(t.buffers);
    return status;
}
