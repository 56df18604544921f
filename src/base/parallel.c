// Runs loops by the parallel-for hook, keeps the first failure, and passes progress on.

#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/status.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

typedef struct loop
{
    toi_work_fn *work;
    void *context;
    toi_lock lock;
    _Atomic int64_t failed_index; // the lowest so far; INT64_MAX: none
    toi_status status;
    char message[TOI_MESSAGE_BYTES];
} loop;

void toi_lock_take(toi_lock *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        sched_yield(); // there may be more workers than cores
}

void toi_lock_release(toi_lock *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

static void record_failure(loop *l, int64_t index, toi_status status)
{
    while (atomic_flag_test_and_set_explicit(&l->lock, memory_order_acquire)) {}
    if (index < l->failed_index) {
        l->failed_index = index;
        l->status = status;
        snprintf(l->message, sizeof l->message, "%s", toi_last_message());
    }
    toi_lock_release(&l->lock);
}

// Tasks before one that has failed are run all the same, whoever has them: one of them may be the
// first to fail.
static void run_task(void *context, int64_t index, int worker)
{
    loop *l = context;
    if (index > l->failed_index)
        return;
    TOI_GUARD_FP; // of this thread, which the calling program may have given another mode
    toi_status status = l->work(l->context, index, worker);
    if (status != TOI_OK)
        record_failure(l, index, status);
}

static toi_status run_loop(int workers, bool even, int64_t count, toi_work_fn *work, void *context)
{
    loop l = {.work = work,
              .context = context,
              .lock = ATOMIC_FLAG_INIT,
              .failed_index = INT64_MAX,
              .status = TOI_OK};
    if (workers > count)
        workers = (int)count;
    if (workers <= 1)
        for (int64_t i = 0; i < count; ++i)
            run_task(&l, i, 0);
    else
        toi_run_loop(workers, even, count, run_task, &l);
    if (l.status != TOI_OK)
        toi_set_message(l.message);
    return l.status;
}

toi_status toi_parallel(int workers, int64_t count, toi_work_fn *work, void *context)
{
    return run_loop(workers, false, count, work, context);
}

typedef struct ranges
{
    toi_range_fn *work;
    void *context;
    int64_t count, piece;
} ranges;

static toi_status run_range(void *context, int64_t index, int worker)
{
    (void)worker;
    const ranges *r = context;
    int64_t first = index * r->piece, rest = r->count - first;
    return r->work(r->context, first, first + (rest < r->piece ? rest : r->piece));
}

toi_status toi_parallel_ranges(int workers, int64_t count, int64_t piece, toi_range_fn *work,
                               void *context)
{
    ranges r = {.work = work, .context = context, .count = count, .piece = piece};
    return run_loop(workers, true, count / piece + (count % piece > 0), run_range, &r);
}

int64_t toi_piece_start(int64_t count, int64_t pieces, int64_t piece)
{
    return count / pieces * piece + (count % pieces) * piece / pieces;
}

toi_status toi_resolve_workers(int workers, int *resolved)
{
    if (workers < 0 || workers > TOI_MAX_WORKERS)
        return toi_fail(TOI_ERROR_ARGUMENT, "workers is %d; use 0 (all cores) to %d", workers,
                        TOI_MAX_WORKERS);
    *resolved = workers ? workers : toi_default_workers();
    return TOI_OK;
}

void toi_meter_init(toi_meter *meter, toi_progress_fn *progress, void *context)
{
    *meter = (toi_meter){.progress = progress, .context = context, .share = 1, .total = 1};
    atomic_flag_clear(&meter->busy);
}

toi_status toi_meter_add(toi_meter *meter, int64_t amount)
{
    if (!meter)
        return TOI_OK;
    int64_t done = atomic_fetch_add(&meter->done, amount) + amount;
    if (!meter->progress)
        return TOI_OK;
    if (!atomic_flag_test_and_set(&meter->busy)) {
        double fraction = meter->base + meter->share * (double)done / (double)meter->total;
        if (!meter->progress(meter->context, fraction > 1 ? 1 : fraction))
            meter->cancelled = true;
        atomic_flag_clear(&meter->busy);
    }
    if (meter->cancelled)
        return toi_fail(TOI_ERROR_CANCELLED, "stopped by the caller's progress function");
    return TOI_OK;
}

double toi_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
