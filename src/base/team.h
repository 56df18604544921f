// Threads that share the tasks of a loop: the default of toi_hooks.parallel_for.

#ifndef TOI_BASE_TEAM_H
#define TOI_BASE_TEAM_H

#include "toi/base.h"

// Calls task(context, i, worker) once for every i in [0, count) and returns when all calls have
// returned. The calling thread is worker 0; up to `workers` - 1 threads of a set that the whole
// process shares join it. Where they cannot be had (the system refuses a thread, all are taken,
// this is a task of another loop) the loop runs with fewer, if need be with the caller alone.
// `spin`: threads wait some microseconds for each other before they block; for loops with no more
// workers than there are cores. `even`: tasks take about the same time each,
// so that every worker has a share of them, and about the same one in every such loop.
void toi_team_run(int workers, bool spin, bool even, int64_t count, toi_task_fn *task,
                  void *context);

#endif
