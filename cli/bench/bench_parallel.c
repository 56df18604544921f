// Runs independent tasks on threads of its own, which take them one by one from a counter.

#include "bench_parallel.h"

#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct task_run
{
    bench_task_fn *task;
    void *context;
    int64_t count;
    _Atomic int64_t next;
    pthread_mutex_t lock; // of the failure
    int64_t failed;       // number of the task; count: none
    toi_status status;
    char message[1024];
} task_run;

static void keep_failure(task_run *run, int64_t index, toi_status status)
{
    pthread_mutex_lock(&run->lock);
    if (index < run->failed) {
        run->failed = index;
        run->status = status;
        snprintf(run->message, sizeof run->message, "%s", toi_last_message());
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->next, run->count);
}

static void take_tasks(task_run *run, progress *bar)
{
    for (;;) {
        int64_t index = atomic_fetch_add(&run->next, 1);
        if (index >= run->count)
            return;
        toi_status status = run->task(run->context, index);
        if (status != TOI_OK)
            keep_failure(run, index, status);
        if (bar && progress_function())
            show_progress(bar, (double)index / (double)run->count);
    }
}

static void *work(void *context)
{
    take_tasks(context, NULL);
    return NULL;
}

// Signals are for the main thread: the new ones inherit that all are blocked. Where the system
// refuses a thread, fewer do the work.
static int start_threads(task_run *run, pthread_t *threads, int wanted)
{
    sigset_t all, before;
    int count = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (count < wanted && pthread_create(&threads[count], NULL, work, run) == 0)
        ++count;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

toi_status run_tasks(int threads, int64_t count, bench_task_fn *task, void *context)
{
    pthread_t others[TOI_MAX_WORKERS];
    progress bar = start_progress(1);
    task_run run = {.task = task, .context = context, .count = count, .failed = count};
    pthread_mutex_init(&run.lock, NULL);
    int wanted = threads < count ? threads - 1 : (int)count - 1;
    int started = start_threads(&run, others, wanted);
    take_tasks(&run, &bar);
    for (int i = 0; i < started; ++i)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&run.lock);
    end_progress(&bar);
    return run.status == TOI_OK ? TOI_OK : toi_fail(run.status, "%s", run.message);
}
