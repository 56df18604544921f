// Threads that spin, one for each core, as other programs on a busy machine do.

#define _GNU_SOURCE // sched_getaffinity

#include "bench_load.h"

#include "failure.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct bench_load
{
    atomic_bool stop;
    atomic_int running;
    int count; // of threads that were started
    pthread_t threads[];
};

static int count_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

static void *spin(void *context)
{
    bench_load *load = context;
    atomic_fetch_add(&load->running, 1);
    while (!atomic_load_explicit(&load->stop, memory_order_relaxed))
        continue;
    return NULL;
}

// Signals are for the main thread: the new ones inherit that all are blocked.
static int start_threads(bench_load *load, int wanted)
{
    sigset_t all, before;
    int error = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (load->count < wanted && error == 0) {
        error = pthread_create(&load->threads[load->count], NULL, spin, load);
        load->count += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

// New threads are spread over the cores only after a while.
static void wait_for_threads(bench_load *load)
{
    const struct timespec spread = {.tv_nsec = 50 * 1000 * 1000};
    while (atomic_load(&load->running) < load->count)
        sched_yield();
    nanosleep(&spread, NULL);
}

toi_status start_load(bench_load **load)
{
    int wanted = count_cores();
    size_t bytes = sizeof **load + (size_t)wanted * sizeof *(*load)->threads;
    *load = toi_allocate(bytes);
    if (!*load)
        return TOI_ERROR_MEMORY;
    memset(*load, 0, bytes);
    int error = start_threads(*load, wanted);
    if (error != 0) {
        stop_load(*load);
        *load = NULL;
        return toi_fail(TOI_ERROR_MEMORY, "--busy needs %d threads, and the system gives fewer: %s",
                        wanted, strerror(error));
    }
    wait_for_threads(*load);
    return TOI_OK;
}

void stop_load(bench_load *load)
{
    if (!load)
        return;
    atomic_store(&load->stop, true);
    for (int i = 0; i < load->count; ++i)
        pthread_join(load->threads[i], NULL);
    toi_release(load);
}
