// Memory hooks that count, and fail when told.

#include "counted_hooks.h"

#include "toi/base.h"

#include <stdlib.h>
#include <string.h>

counted_memory ledger;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    ++ledger.made;
    if (ledger.left >= 0 && atomic_fetch_sub(&ledger.left, 1) <= 0) {
        ledger.left = 0;
        return NULL;
    }
    ++ledger.live;
    ledger.bytes += (int64_t)size;
    if (ledger.bytes > ledger.most)
        ledger.most = ledger.bytes;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *user, void *memory, size_t size)
{
    (void)user;
    --ledger.live;
    ledger.bytes -= (int64_t)size;
    free(memory);
}

int count_allocations(void **state)
{
    (void)state;
    memset((void *)&ledger, 0, sizeof ledger);
    ledger.left = -1;
    toi_set_hooks(&(toi_hooks){.allocate = counting_allocate, .release = counting_release});
    return 0;
}

int stop_counting(void **state)
{
    (void)state;
    int64_t live = ledger.live;
    toi_set_hooks(NULL);
    return live == 0 ? 0 : -1;
}
