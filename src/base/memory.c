#include "base/memory.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
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
    HEADER_BYTES = TOI_BLOCK_OVERHEAD
};

static _Thread_local bool limit_was_reached;

static header *header_of(void *memory)
{
    return (header *)((char *)memory - HEADER_BYTES);
}

// Counts the bytes, or nothing where they do not fit: what is not taken must not stand in another
// worker's way, even for a moment.
static bool charge(toi_budget *budget, int64_t bytes)
{
    if (!budget)
        return true;
    int64_t before = atomic_load(&budget->used), used;
    do {
        used = before + bytes;
        if (budget->limit > 0 && used > budget->limit)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->used, &before, used));
    int64_t peak = atomic_load(&budget->peak);
    while (used > peak && !atomic_compare_exchange_weak(&budget->peak, &peak, used)) {}
    return true;
}

typedef struct size_text
{
    char at[40];
} size_text;

static size_text readable(int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_text text;
    double size = (double)bytes / 1024;
    int unit = 0;
    for (; size >= 1024 && unit < 3; ++unit)
        size /= 1024;
    if (bytes < 1024)
        snprintf(text.at, sizeof text.at, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
    else
        snprintf(text.at, sizeof text.at, "%.1f %s", size, units[unit]);
    return text;
}

// 83571712 as 83,571,712.
static size_text grouped(int64_t number)
{
    char digits[24];
    size_text text;
    int count = snprintf(digits, sizeof digits, "%" PRId64, number), at = 0;
    for (int i = 0; i < count; ++i) {
        text.at[at++] = digits[i];
        if (i + 1 < count && (count - 1 - i) % 3 == 0)
            text.at[at++] = ',';
    }
    text.at[at] = '\0';
    return text;
}

toi_status toi_refuse(const toi_budget *budget, int64_t bytes)
{
    int64_t need = budget->need;
    if (bytes > need) // more than was foreseen: there may be more to come
        need = bytes + bytes / 8;
    limit_was_reached = true;
    return toi_fail(TOI_ERROR_LIMIT,
                    "the memory limit of %s is too small: this call needs %s (%s bytes)%s%s; raise "
                    "the limit",
                    readable(budget->limit).at, readable(need).at, grouped(need).at,
                    budget->list ? " and " : "", budget->list ? budget->list : "");
}

static void *out_of_memory(int64_t count, size_t size)
{
    limit_was_reached = false;
    toi_fail(TOI_ERROR_MEMORY, "out of memory: %" PRId64 " elements of %zu bytes", count, size);
    return NULL;
}

void *toi_take(toi_budget *budget, int64_t count, size_t size)
{
    int64_t payload;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)size, &payload) ||
        payload > INT64_MAX / 2)
        return out_of_memory(count, size);
    int64_t total = payload + HEADER_BYTES;
    if (!charge(budget, total)) {
        toi_refuse(budget, budget->used + total);
        return NULL;
    }
    char *block = toi_active_hooks.allocate(toi_active_hooks.user, (size_t)total, HEADER_BYTES);
    if (!block) {
        if (budget)
            atomic_fetch_sub(&budget->used, total);
        return out_of_memory(count, size);
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
        toi_refuse(budget, budget->used + (int64_t)h->size);
        return false;
    }
    h->budget = budget;
    return true;
}

bool toi_reuse(toi_budget *budget, void *memory)
{
    int64_t size = memory ? (int64_t)header_of(memory)->size : 0;
    bool fits = budget->limit == 0 || budget->used + size <= budget->limit - budget->need;
    return fits && toi_attach(budget, memory);
}

void toi_give_back(void *memory)
{
    if (!memory)
        return;
    header *h = header_of(memory);
    toi_budget *budget = h->budget;
    size_t size = h->size;
    toi_active_hooks.release(toi_active_hooks.user, h, size);
    if (budget)
        atomic_fetch_sub(&budget->used, (int64_t)size);
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
        return out_of_memory(INT64_MAX, 1);
    return toi_take(NULL, (int64_t)size, 1);
}

void toi_release(void *memory)
{
    toi_give_back(memory);
}
