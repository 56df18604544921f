// What a broad-phase method is handed, and how it hands pairs on.

#ifndef TOI_BROAD_BROAD_H
#define TOI_BROAD_BROAD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "toi/broad_phase.h"

// Receives a block of pairs that task number `task` found, and may overwrite it. Blocks of one task
// come in order.
typedef toi_status toi_emit(void *context, toi_pair *pairs, int64_t count, int64_t task,
                            int worker);

// One search: a against b, or a against itself.
typedef struct toi_broad_job
{
    toi_box_view a;
    toi_box_view b;
    bool self; // b is a; report each pair once, lower index first
    int workers;
    toi_budget *budget;
    toi_meter *meter; // or NULL
    toi_emit *emit;
    void *context;
    // Called when a task has emitted all it found; or NULL.
    toi_status (*end_task)(void *context, int64_t task, int worker);
} toi_broad_job;

// A method finds all overlapping pairs and emits them. Which task finds which pair, and in which
// order, must not depend on the number of workers.
typedef toi_status toi_broad_search(const toi_broad_job *job);

toi_broad_search toi_search_brute;
toi_broad_search toi_search_stq;

// Gathers emitted pairs into one list ordered by task, whoever ran it. Tasks end roughly in order,
// so a task's pairs are moved to the list while they are still in a cache, and only few lists wait
// for an earlier task.
typedef struct toi_collector
{
    toi_budget *budget;
    toi_pair_array *pairs;
    int workers;
    toi_lock lock;                // of all below
    toi_pair_array *open;         // one a worker: what its task has emitted so far
    struct toi_ended_task *ended; // by task number
    int64_t ended_capacity;
    int64_t next;          // the first task that is not in the list yet
    int copying;           // workers that write to the list now, so it must not move
    toi_pair_array *spare; // a stack of empty arrays with memory
    int64_t spare_count;
    int64_t spare_capacity;
} toi_collector;

toi_status toi_collector_init(toi_collector *collector, int workers, toi_budget *budget,
                              toi_pair_array *pairs);
toi_emit toi_collect;
toi_status toi_collect_end(void *context, int64_t task, int worker);
// Frees all but the list; call it after success and after failure.
void toi_collector_finish(toi_collector *collector);

// Runs the method on a job whose options are resolved already.
toi_status toi_search(toi_broad_method method, const toi_broad_job *job);

#endif
