// Many independent tasks on several threads.

#ifndef TOI_CLI_BENCH_PARALLEL_H
#define TOI_CLI_BENCH_PARALLEL_H

#include "toi/base.h"

// Task number `index` of the count. What it writes must be its own.
typedef toi_status bench_task_fn(void *context, int64_t index);

// Runs all tasks, by up to `threads` threads, with a bar on standard error if it takes long. The
// first failure, by number, is returned with its message; tasks that had not begun are left out.
toi_status run_tasks(int threads, int64_t count, bench_task_fn *task, void *context);

#endif
