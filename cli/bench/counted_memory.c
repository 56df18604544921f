// Hooks that count the bytes the library holds, and the most there were.

#define _DEFAULT_SOURCE // madvise
#include "counted_memory.h"

#include "toi/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

static _Atomic int64_t held;
static _Atomic int64_t peak;

static void count_bytes(int64_t bytes)
{
    int64_t now = atomic_fetch_add(&held, bytes) + bytes;
    int64_t most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {}
}

// Large blocks ask for huge pages, as the library's own allocator does: first touch of small ones
// would be a good part of what is measured.
static void *allocate(void *user, size_t size, size_t alignment)
{
    const size_t large = (size_t)8 << 20, page = (size_t)2 << 20;
    (void)user;
    if (size >= large)
        alignment = page;
    if (size > SIZE_MAX - alignment)
        return NULL;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory && size >= large)
        madvise(memory, size, MADV_HUGEPAGE);
#endif
    if (memory)
        count_bytes((int64_t)size);
    return memory;
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    if (memory)
        atomic_fetch_sub(&held, (int64_t)size);
    free(memory);
}

void count_memory(void)
{
    toi_set_hooks(&(toi_hooks){.allocate = allocate, .release = release});
}

int64_t restart_memory_peak(void)
{
    int64_t now = atomic_load(&held);
    atomic_store(&peak, now);
    return now;
}

int64_t memory_peak(void)
{
    return atomic_load(&peak);
}
