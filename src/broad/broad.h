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
    // Called between waves of tasks, when no task runs; or NULL: one wave.
    toi_status (*settle)(void *context);
} toi_broad_job;

// Runs a method's tasks, in waves if the job wants to settle in between.
toi_status toi_run_tasks(const toi_broad_job *job, int64_t tasks, toi_work *work, void *context);

// A method finds all overlapping pairs and emits them. Which task finds which pair, and in which
// order, must not depend on the number of workers.
typedef toi_status toi_broad_search(const toi_broad_job *job);

toi_broad_search toi_search_brute;
toi_broad_search toi_search_stq;

// Gathers emitted pairs into one list ordered by task, whoever ran it.
typedef struct toi_collector
{
    int workers;
    toi_budget *budget;
    toi_pair_array *pairs;
    struct toi_worker_pairs *parts; // one a worker; NULL when there is only one
} toi_collector;

toi_status toi_collector_init(toi_collector *collector, int workers, toi_budget *budget,
                              toi_pair_array *pairs);
toi_emit toi_collect;
// Moves what a wave has collected to the result; buffers are then used again.
toi_status toi_collector_settle(void *collector);
// Completes `pairs` and frees the rest; call it after success and after failure.
toi_status toi_collector_finish(toi_collector *collector, toi_status status);

// Runs the method on a job whose options are resolved already.
toi_status toi_search(toi_broad_method method, const toi_broad_job *job);

#endif
