#include "base/memory.h"

#include "base/status.h"

#include <inttypes.h>
#include <string.h>

// Stands before every block, so that giving it back needs the pointer alone; as wide as the
// alignment promised.
typedef struct header
{
    size_t size; // of the whole block, header included
    toi_budget *budget;
} header;

enum
{
    HEADER_BYTES = 64
};

static _Thread_local bool limit_was_reached;

static header *header_of(void *memory)
{
    return (header *)((char *)memory - HEADER_BYTES);
}

static bool charge(toi_budget *budget, int64_t bytes)
{
    if (!budget)
        return true;
    int64_t used = atomic_fetch_add(&budget->used, bytes) + bytes;
    if (budget->limit > 0 && used > budget->limit) {
        atomic_fetch_sub(&budget->used, bytes);
        return false;
    }
    int64_t peak = atomic_load(&budget->peak);
    while (used > peak && !atomic_compare_exchange_weak(&budget->peak, &peak, used)) {}
    return true;
}

static void *fail(toi_status status, int64_t count, size_t size, const toi_budget *budget)
{
    limit_was_reached = status == TOI_ERROR_LIMIT;
    if (status == TOI_ERROR_LIMIT)
        toi_fail(status,
                 "the memory limit of %" PRId64
                 " bytes is too small: at this point at least %" PRId64
                 " are needed; raise the limit",
                 budget->limit, (int64_t)budget->used + count * (int64_t)size + HEADER_BYTES);
    else
        toi_fail(status, "out of memory: %" PRId64 " elements of %zu bytes", count, size);
    return NULL;
}

void *toi_take(toi_budget *budget, int64_t count, size_t size)
{
    int64_t payload;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)size, &payload) ||
        payload > INT64_MAX / 2)
        return fail(TOI_ERROR_MEMORY, count, size, budget);
    int64_t total = payload + HEADER_BYTES;
    if (!charge(budget, total))
        return fail(TOI_ERROR_LIMIT, count, size, budget);
    char *block = toi_active_hooks.allocate(toi_active_hooks.user, (size_t)total, HEADER_BYTES);
    if (!block) {
        if (budget)
            atomic_fetch_sub(&budget->used, total);
        return fail(TOI_ERROR_MEMORY, count, size, budget);
    }
    *(header *)block = (header){(size_t)total, budget};
    return block + HEADER_BYTES;
}

bool toi_limit_was_reached(void)
{
    return limit_was_reached;
}

void toi_detach(void *memory)
{
    if (!memory)
        return;
    header *h = header_of(memory);
    if (h->budget)
        atomic_fetch_sub(&h->budget->used, (int64_t)h->size);
    h->budget = NULL;
}

bool toi_attach(toi_budget *budget, void *memory)
{
    if (!memory)
        return true;
    header *h = header_of(memory);
    if (!charge(budget, (int64_t)h->size)) {
        fail(TOI_ERROR_LIMIT, (int64_t)h->size - HEADER_BYTES, 1, budget);
        return false;
    }
    h->budget = budget;
    return true;
}

void toi_give_back(void *memory)
{
    if (!memory)
        return;
    toi_detach(memory);
    header *h = header_of(memory);
    toi_active_hooks.release(toi_active_hooks.user, h, h->size);
}

toi_status toi_reserve(toi_budget *budget, void **data, int64_t *capacity, int64_t needed,
                       size_t size)
{
    if (needed <= *capacity)
        return TOI_OK;
    int64_t wanted = *capacity + *capacity / 2;
    if (wanted < needed)
        wanted = needed;
    void *grown = toi_take(budget, wanted, size);
    if (!grown && wanted > needed) {
        wanted = needed; // near the limit, take no more than asked
        grown = toi_take(budget, wanted, size);
    }
    if (!grown)
        return toi_allocation_status();
    if (*data)
        memcpy(grown, *data, (size_t)*capacity * size);
    toi_give_back(*data);
    *data = grown;
    *capacity = wanted;
    return TOI_OK;
}

void *toi_allocate(size_t size)
{
    if (size > INT64_MAX)
        return fail(TOI_ERROR_MEMORY, INT64_MAX, 1, NULL);
    return toi_take(NULL, (int64_t)size, 1);
}

void toi_release(void *memory)
{
    toi_give_back(memory);
}
