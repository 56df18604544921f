// Parallel loops whose tasks may fail, with progress and a clean floating-point environment.

#ifndef TOI_BASE_PARALLEL_H
#define TOI_BASE_PARALLEL_H

#include "toi/base.h"

#include <stdatomic.h>

// One piece of work; anything but TOI_OK keeps the tasks not yet started from running.
typedef toi_status toi_work_fn(void *context, int64_t index, int worker);

// Runs work(context, i, worker) for i in [0, count). Returns the failure of the lowest index that
// failed, with its message on the calling thread. Tasks run in the library's floating-point mode
// (base/fp_mode.h) on whatever thread.
toi_status toi_parallel(int workers, int64_t count, toi_work_fn *work, void *context);

// Elements [first, end) of a range, whoever works on them.
typedef toi_status toi_range_fn(void *context, int64_t first, int64_t end);

// Elements that are worth a task where each takes some nanoseconds. Whole blocks (TOI_BLOCK).
enum
{
    TOI_PIECE = 1024
};

// Cuts [0, count) into pieces of `piece` elements, the last one shorter, and runs work(context,
// first, end) for each, as toi_parallel() does. The pieces do not depend on the workers: number
// first / piece may have a result of its own. They are to take about the same time each: by the
// default hook every worker has a share of them (base/team.h).
toi_status toi_parallel_ranges(int workers, int64_t count, int64_t piece, toi_range_fn *work,
                               void *context);

// The parallel-for hook in force, which may be told that tasks take about the same time each.
void toi_run_loop(int workers, bool even, int64_t count, toi_task_fn *task, void *context);

// A lock for a few instructions at a time.
typedef atomic_flag toi_lock;
void toi_lock_take(toi_lock *lock);
void toi_lock_release(toi_lock *lock);

// Where piece number `piece` of a range cut into even pieces begins.
int64_t toi_piece_start(int64_t count, int64_t pieces, int64_t piece);

// 0 becomes the default; out of range is refused.
toi_status toi_resolve_workers(int workers, int *resolved);

// Progress of a long call, told by many workers, passed on by one at a time.
typedef struct toi_meter
{
    toi_progress_fn *progress; // or NULL
    void *context;
    double base;  // share of the whole call done before this stage
    double share; // share of the whole call that this stage is
    int64_t total;
    _Atomic int64_t done;
    atomic_flag busy;
    _Atomic bool cancelled;
} toi_meter;

void toi_meter_init(toi_meter *meter, toi_progress_fn *progress, void *context);

// Adds `amount` of `total`; TOI_ERROR_CANCELLED once the caller has asked to stop. A NULL meter is
// idle.
toi_status toi_meter_add(toi_meter *meter, int64_t amount);

// Seconds from an arbitrary start.
double toi_clock(void);

#endif
