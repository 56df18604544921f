#define _DEFAULT_SOURCE // madvise
// The default services: aligned memory (huge pages for what is large) and threads.

#include "base/cores.h"
#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/team.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

// From this size on a block is aligned to huge pages and asks for them: the first touch of 4 KiB
// pages, 1 us each, costs more than the search that fills them, and that of one of 2 MiB no more
// than that of a hundred small ones.
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_BLOCK ((size_t)1 << 20)

// The block itself is noted in front of what is handed out. aligned_alloc() would cut the block's
// beginning off, and the C library, which serves from its heap what is no larger than a block that
// it got back, would take every block of a size from the system anew, page by page.
static void *allocate_huge(size_t size)
{
    size_t more = HUGE_PAGE + sizeof(void *);
    if (size > SIZE_MAX - more)
        return NULL;
    char *block = malloc(size + more);
    if (!block)
        return NULL;
    uintptr_t first = (uintptr_t)block + sizeof block + HUGE_PAGE - 1;
    char *memory = block + (first / HUGE_PAGE * HUGE_PAGE - (uintptr_t)block);
    memcpy(memory - sizeof block, &block, sizeof block);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(memory, size, MADV_HUGEPAGE); // advice only: a refusal costs nothing
#endif
    return memory;
}

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return size >= HUGE_BLOCK
               ? allocate_huge(size)
               : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void default_release(void *user, void *memory, size_t size)
{
    (void)user;
    if (size >= HUGE_BLOCK)
        memcpy(&memory, (char *)memory - sizeof memory, sizeof memory);
    free(memory);
}

// The C library returns free memory to the system beyond twice the size of the largest block that
// it was ever given back, of blocks up to 32 MiB. All blocks of a call with many workers together
// are more than that, so every call would fetch them anew, page by page. So a block of 32 MiB,
// which nobody touches, is given back once. Where the program has set these limits itself
// (mallopt()) it changes nothing.
void toi_keep_freed_memory(void)
{
#if defined(__GLIBC__)
    enum
    {
        LARGEST = (32 << 20) - (8 << 10) // with what the library adds
    };
    void *volatile block = malloc(LARGEST);
    free(block);
#endif
}

// Loops behave as the calling program's own would: inside of its parallel regions they run on the
// thread that calls, unless it allows nesting.
static void run_by_team(int workers, bool even, int64_t count, toi_task_fn *task, void *context)
{
    if (!toi_may_nest())
        workers = 1;
    toi_team_run(workers, workers <= toi_core_count(), even, count, task, context);
}

static void default_parallel_for(void *user, int workers, int64_t count, toi_task_fn *task,
                                 void *context)
{
    (void)user;
    run_by_team(workers, false, count, task, context);
}

static const toi_hooks defaults = {NULL, default_allocate, default_release, default_parallel_for};

toi_hooks toi_active_hooks = {NULL, default_allocate, default_release, default_parallel_for};

void toi_run_loop(int workers, bool even, int64_t count, toi_task_fn *task, void *context)
{
    if (toi_active_hooks.parallel_for == default_parallel_for)
        run_by_team(workers, even, count, task, context);
    else
        toi_active_hooks.parallel_for(toi_active_hooks.user, workers, count, task, context);
}

void toi_set_hooks(const toi_hooks *hooks)
{
    toi_active_hooks = defaults;
    if (!hooks)
        return;
    toi_active_hooks.user = hooks->user;
    if (hooks->allocate)
        toi_active_hooks.allocate = hooks->allocate;
    if (hooks->release)
        toi_active_hooks.release = hooks->release;
    if (hooks->parallel_for)
        toi_active_hooks.parallel_for = hooks->parallel_for;
}

int toi_default_workers(void)
{
    TOI_GUARD_FP; // the first call starts OpenMP, which may compute
    int workers = toi_thread_setting();
    return workers > TOI_MAX_WORKERS ? TOI_MAX_WORKERS : workers;
}
