#define _GNU_SOURCE // sched_getaffinity, pthread_setaffinity_np
// What the program has set for its threads, asked of OpenMP. A build without OpenMP asks the system
// for the cores, and reads OpenMP's two variables for the number of threads.

#include "base/cores.h"

#include <stdatomic.h>
#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

static int count_cores(void);

int toi_core_count(void)
{
    static _Atomic int cores; // asking costs a system call
    if (!cores)
        cores = count_cores();
    return cores;
}

#ifdef TOI_OPENMP
#include <omp.h>

static int count_cores(void)
{
    return omp_get_num_procs();
}

int toi_thread_setting(void)
{
    int threads = omp_get_max_threads(), limit = omp_get_thread_limit();
    threads = threads < limit ? threads : limit;
    return threads < 1 ? 1 : threads;
}

bool toi_may_nest(void)
{
    return omp_get_active_level() < omp_get_max_active_levels();
}

// OpenMP's runtime, told to bind its threads, binds the program's first thread to one core, and
// ours would inherit that. They may run wherever its own may.
void toi_leave_bound_core(void)
{
#ifdef __linux__
    int cores[CPU_SETSIZE];
    cpu_set_t set;
    CPU_ZERO(&set);
    int place_count = omp_get_num_places();
    for (int p = 0; p < place_count; ++p) {
        int count = omp_get_place_num_procs(p);
        if (count > CPU_SETSIZE)
            return;
        omp_get_place_proc_ids(p, cores);
        for (int i = 0; i < count; ++i)
            CPU_SET((size_t)cores[i], &set);
    }
    if (place_count > 0)
        pthread_setaffinity_np(pthread_self(), sizeof set, &set);
#endif
}

#else // without OpenMP
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static int count_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > INT_MAX ? INT_MAX : (int)count;
}

// The variable's number, of a list "8,2" the first; `otherwise` where it is not set or no such
// number.
static int read_number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return number < 1 ? otherwise : number > INT_MAX ? INT_MAX : (int)number;
}

int toi_thread_setting(void)
{
    int threads = read_number("OMP_NUM_THREADS", 0);
    int limit = read_number("OMP_THREAD_LIMIT", INT_MAX);
    threads = threads ? threads : toi_core_count();
    return threads < limit ? threads : limit;
}

bool toi_may_nest(void)
{
    return true;
}

void toi_leave_bound_core(void)
{
}
#endif
