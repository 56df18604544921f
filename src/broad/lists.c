// Lists of pairs within a memory limit.
//
// Lists grow while they are made, and tasks that end early wait for their turn, so making a list
// takes more than the list. Where that does not fit, the search is made twice more: the first
// counts the pairs of each task and holds none, the second writes each pair to its place in a list
// of the right length. If that does not fit either, the need is known and the message names it.
// What is kept from call to call is forgotten first, so that both searches find their pairs in one
// order.

#include "broad/broad.h"

#include "base/status.h"

#include <string.h>

// The pairs of each task: how many, and then where the next one goes.
typedef struct task_table
{
    toi_budget *budget;
    toi_lock lock; // of the table, while it is made
    int64_t *tasks;
    int64_t capacity;
    int64_t total;
    toi_pair *pairs; // the list
} task_table;

static toi_status count_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                              int worker)
{
    (void)pairs;
    (void)worker;
    task_table *t = context;
    toi_lock_take(&t->lock);
    int64_t before = t->capacity;
    toi_status status =
        toi_reserve(t->budget, (void **)&t->tasks, &t->capacity, task + 1, sizeof *t->tasks);
    if (status == TOI_OK) {
        for (int64_t i = before; i < t->capacity; ++i)
            t->tasks[i] = 0;
        t->tasks[task] += count;
        t->total += count;
    }
    toi_lock_release(&t->lock);
    return status;
}

// From how many pairs each task has to where they begin.
static void place_tasks(task_table *t)
{
    int64_t next = 0;
    for (int64_t i = 0; i < t->capacity; ++i) {
        int64_t count = t->tasks[i];
        t->tasks[i] = next;
        next += count;
    }
}

static toi_status has_changed(void)
{
    return toi_fail(TOI_ERROR_DATA, "the same search found other pairs when it was made again: the "
                                    "boxes or the filter's answers have changed meanwhile");
}

// Each task is with one worker at a time, and so is its place in the table.
static toi_status place_block(void *context, toi_pair *pairs, int64_t count, int64_t task,
                              int worker)
{
    (void)worker;
    task_table *t = context;
    if (task >= t->capacity || t->tasks[task] + count > t->total)
        return has_changed();
    memcpy(t->pairs + t->tasks[task], pairs, (size_t)count * sizeof *pairs);
    t->tasks[task] += count;
    return TOI_OK;
}

static toi_status collect_list(const toi_list_job *job, int list, toi_pair_array *pairs)
{
    toi_collector collector;
    toi_status status =
        toi_collector_init(&collector, job->workers, job->budget, job->meter, pairs);
    if (status == TOI_OK)
        status = job->search(job->context, list, toi_collector_receiver(&collector));
    toi_collector_finish(&collector);
    return status;
}

static toi_status count_list(const toi_list_job *job, int list, task_table *t)
{
    *t = (task_table){.budget = job->budget, .lock = ATOMIC_FLAG_INIT};
    return job->search(job->context, list, (toi_receiver){.context = t, .emit = count_block});
}

static toi_status take_list(const toi_list_job *job, task_table *t, toi_pair_array *pairs)
{
    place_tasks(t);
    pairs->data = t->pairs = toi_take(job->budget, t->total, sizeof *pairs->data);
    pairs->capacity = pairs->data ? t->total : 0;
    return pairs->data ? TOI_OK : toi_allocation_status();
}

static toi_status fill_list(const toi_list_job *job, int list, task_table *t, toi_pair_array *pairs)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < t->capacity; ++i)
        sum -= t->tasks[i];
    toi_status status =
        job->search(job->context, list, (toi_receiver){.context = t, .emit = place_block});
    for (int64_t i = 0; i < t->capacity; ++i)
        sum += t->tasks[i];
    if (status == TOI_OK && sum != t->total)
        status = has_changed();
    pairs->count = t->total;
    return status;
}

// The two searches more.
static toi_status make_tight_lists(const toi_list_job *job, toi_pair_array *lists)
{
    task_table tables[TOI_MOST_LISTS] = {{0}};
    toi_status status = TOI_OK;
    int64_t bytes = 0;
    for (int i = 0; i < job->count; ++i)
        toi_free_pairs(&lists[i]);
    job->forget(job->context);
    for (int i = 0; i < job->count && status == TOI_OK; ++i) {
        status = count_list(job, i, &tables[i]);
        bytes += tables[i].total * (int64_t)sizeof(toi_pair) + TOI_BLOCK_OVERHEAD;
    }
    if (status == TOI_OK) { // now the whole need is known
        job->budget->need += bytes;
        job->budget->list = NULL;
    }
    for (int i = 0; i < job->count && status == TOI_OK; ++i)
        status = take_list(job, &tables[i], &lists[i]);
    for (int i = 0; i < job->count && status == TOI_OK; ++i)
        status = fill_list(job, i, &tables[i], &lists[i]);
    for (int i = 0; i < job->count; ++i)
        toi_give_back(tables[i].tasks);
    return status;
}

void toi_begin_lists(toi_budget *budget, int count, toi_pair_array *lists)
{
    for (int i = 0; i < count; ++i) {
        lists[i].count = 0;
        if (!toi_reuse(budget, lists[i].data))
            toi_free_pairs(&lists[i]);
    }
}

toi_status toi_make_lists(const toi_list_job *job, toi_pair_array *lists)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < job->count && status == TOI_OK; ++i)
        status = collect_list(job, i, &lists[i]);
    if (status == TOI_ERROR_LIMIT && job->budget->limit > 0)
        status = make_tight_lists(job, lists);
    return status;
}

void toi_end_lists(toi_status status, int count, toi_pair_array *lists)
{
    for (int i = 0; i < count; ++i) {
        if (status != TOI_OK)
            lists[i].count = 0;
        toi_detach(lists[i].data);
    }
}
