#define _DEFAULT_SOURCE // madvise
// Memory from the hooks with its size in front, counted in a budget, and the store that keeps
// blocks from call to call.

#include "base/memory.h"

#include "base/parallel.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

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

// ---- The store

enum
{
    MOST_IDLE = 96 // a step leaves about thirty
};

typedef struct idle_block
{
    int64_t size; // of the whole block
    header *block;
    int64_t call; // the last one that used it
} idle_block;

struct toi_store
{
    toi_lock lock;
    int64_t call;
    int count;
    _Atomic int64_t bytes;      // of all that wait
    idle_block idle[MOST_IDLE]; // the last one given back stands last
};

static void release(header *block, int64_t size, toi_budget *budget)
{
    toi_active_hooks.release(toi_active_hooks.user, block, (size_t)size);
    if (budget)
        atomic_fetch_sub(&budget->used, size);
}

static idle_block remove_idle(toi_store *store, int i)
{
    idle_block found = store->idle[i], *at = &store->idle[i];
    memmove(at, at + 1, (size_t)(--store->count - i) * sizeof *at);
    store->bytes -= found.size;
    return found;
}

// The sizes that blocks of a store have: four to an octave. Steps that differ a little in what they
// take then take the same, and the same requests always find what the last step left.
static int64_t store_size(int64_t bytes)
{
    int64_t grain = HEADER_BYTES;
    while (grain * 8 < bytes)
        grain *= 2;
    return (bytes + grain - 1) / grain * grain;
}

// Of several the last one: what was taken first in a call is given back last, and is what the next
// call asks for first. So each block serves what it has served before, and has touched its pages.
static header *take_idle(toi_store *store, int64_t bytes)
{
    header *block = NULL;
    toi_lock_take(&store->lock);
    for (int i = store->count - 1; i >= 0 && !block; --i)
        if (store->idle[i].size == bytes)
            block = remove_idle(store, i).block;
    toi_lock_release(&store->lock);
    return block;
}

static bool put_idle(toi_store *store, header *block)
{
    toi_lock_take(&store->lock);
    bool room = store->count < MOST_IDLE;
    if (room) {
        store->idle[store->count++] = (idle_block){(int64_t)block->size, block, store->call};
        store->bytes += (int64_t)block->size;
    }
    toi_lock_release(&store->lock);
    return room;
}

bool toi_open_store(toi_budget *budget)
{
    toi_store *store = toi_take(NULL, 1, sizeof *store);
    if (store)
        *store = (toi_store){.lock = ATOMIC_FLAG_INIT};
    budget->store = store;
    return store != NULL;
}

void toi_empty_store(toi_budget *budget)
{
    toi_store *store = budget->store;
    if (!store)
        return;
    toi_lock_take(&store->lock);
    while (store->count > 0) {
        idle_block last = remove_idle(store, store->count - 1);
        release(last.block, last.size, budget);
    }
    toi_lock_release(&store->lock);
}

void toi_close_store(toi_budget *budget)
{
    toi_store *store = budget->store;
    toi_empty_store(budget);
    budget->store = NULL;
    toi_give_back(store);
}

int64_t toi_bytes_in_use(const toi_budget *budget)
{
    return budget->used - (budget->store ? budget->store->bytes : 0);
}

// Blocks that the last calls did not use are kept up to half of what they did use: a step now and
// then takes more than others, but what has changed its size for good must go.
static void drop_stale(toi_budget *budget)
{
    enum
    {
        CALLS = 4
    };
    toi_store *store = budget->store;
    int64_t stale = 0;
    for (int i = 0; i < store->count; ++i)
        if (store->idle[i].call <= store->call - CALLS)
            stale += store->idle[i].size;
    while (stale > (store->bytes - stale) / 2) {
        int largest = -1;
        for (int i = 0; i < store->count; ++i)
            if (store->idle[i].call <= store->call - CALLS &&
                (largest < 0 || store->idle[i].size > store->idle[largest].size))
                largest = i;
        idle_block block = remove_idle(store, largest);
        stale -= block.size;
        release(block.block, block.size, budget);
    }
}

void toi_begin_call(toi_budget *budget)
{
    budget->starved = false;
    if (budget->store) {
        drop_stale(budget);
        ++budget->store->call;
    }
    budget->peak = budget->used;
}

// ---- Blocks

static bool overflows(int64_t count, size_t size, int64_t *total)
{
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)size, total) || *total > INT64_MAX / 2)
        return true;
    *total += HEADER_BYTES;
    return false;
}

// What waits stands in nobody's way.
static bool charge_or_make_room(toi_budget *budget, int64_t bytes)
{
    if (charge(budget, bytes))
        return true;
    toi_empty_store(budget);
    return charge(budget, bytes);
}

static void *take_from_hooks(toi_budget *budget, int64_t total)
{
    char *block = toi_active_hooks.allocate(toi_active_hooks.user, (size_t)total, HEADER_BYTES);
    if (block) {
        *(header *)block = (header){(size_t)total, budget};
        return block + HEADER_BYTES;
    }
    if (budget)
        atomic_fetch_sub(&budget->used, total);
    return NULL;
}

void *toi_take_new(toi_budget *budget, int64_t count, size_t size)
{
    int64_t total;
    if (overflows(count, size, &total))
        return out_of_memory(count, size);
    if (!charge_or_make_room(budget, total)) {
        toi_refuse(budget, toi_bytes_in_use(budget) + total);
        return NULL;
    }
    void *memory = take_from_hooks(budget, total);
    if (!memory && budget && budget->store) { // perhaps what waits is what is missing
        toi_empty_store(budget);
        memory = charge(budget, total) ? take_from_hooks(budget, total) : NULL;
    }
    return memory ? memory : out_of_memory(count, size);
}

// From the store, or such that the store can keep it. NULL, without a message, if neither can be.
static void *take_to_keep(toi_budget *budget, int64_t bytes)
{
    int64_t total = store_size(bytes);
    header *kept = take_idle(budget->store, total);
    if (kept)
        return (char *)kept + HEADER_BYTES;
    return charge(budget, total) ? take_from_hooks(budget, total) : NULL;
}

void *toi_take(toi_budget *budget, int64_t count, size_t size)
{
    int64_t total;
    if (budget && budget->store && !overflows(count, size, &total)) {
        void *memory = take_to_keep(budget, total);
        if (memory)
            return memory;
    }
    return toi_take_new(budget, count, size); // where memory is short, no more than is asked for
}

enum
{
    PAGE = 4096, // the least that systems have
    LARGE_PAGE = 2 << 20
};

typedef struct touching
{
    char *memory;
    int64_t bytes;
    int64_t ahead; // from the beginning of its first large page
} touching;

// Has the system put memory behind all of that? A single call, which need not look whose the pages
// are one by one.
static bool populate(char *begin, char *end)
{
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
    char *first = begin - (uintptr_t)begin % PAGE;
    return madvise(first, (size_t)(end - first), MADV_POPULATE_WRITE) == 0;
#else
    (void)begin;
    (void)end;
    return false;
#endif
}

static toi_status touch_large_page(void *context, int64_t page, int worker)
{
    (void)worker;
    const touching *t = context;
    int64_t first = page * LARGE_PAGE - t->ahead, end = first + LARGE_PAGE;
    first = first > 0 ? first : 0;
    end = end < t->bytes ? end : t->bytes;
    if (populate(t->memory + first, t->memory + end))
        return TOI_OK;
    for (int64_t i = first; i < end; i += PAGE) {
        volatile char *at = t->memory + i;
        *at = *at;
    }
    return TOI_OK;
}

void toi_touch_pages(void *memory, int64_t bytes, int workers)
{
    touching t = {memory, bytes, (int64_t)((uintptr_t)memory % LARGE_PAGE)};
    if (workers > 1 && bytes > LARGE_PAGE)
        toi_parallel(workers, (t.ahead + bytes + LARGE_PAGE - 1) / LARGE_PAGE, touch_large_page,
                     &t);
}

void *toi_take_touched(toi_budget *budget, int64_t count, size_t size, int workers)
{
    void *memory = toi_take(budget, count, size);
    if (memory)
        toi_touch_pages(memory, count * (int64_t)size, workers);
    return memory;
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
    if (!charge_or_make_room(budget, (int64_t)h->size)) {
        toi_refuse(budget, toi_bytes_in_use(budget) + (int64_t)h->size);
        return false;
    }
    h->budget = budget;
    return true;
}

bool toi_reuse(toi_budget *budget, void *memory)
{
    int64_t size = memory ? (int64_t)header_of(memory)->size : 0;
    bool fits =
        budget->limit == 0 || toi_bytes_in_use(budget) + size <= budget->limit - budget->need;
    return fits && toi_attach(budget, memory);
}

void toi_give_back(void *memory)
{
    if (!memory)
        return;
    header *h = header_of(memory);
    toi_budget *budget = h->budget;
    // Near the limit blocks of any size are taken, which nobody would find again.
    bool keep = budget && budget->store && (int64_t)h->size == store_size((int64_t)h->size);
    if (!keep || !put_idle(budget->store, h))
        release(h, (int64_t)h->size, budget);
}

toi_status toi_reserve(toi_budget *budget, void **data, int64_t *capacity, int64_t needed,
                       size_t size)
{
    if (needed <= *capacity)
        return TOI_OK;
    int64_t wanted = *capacity + *capacity / 2;
    if (wanted < needed)
        wanted = needed;
    void *grown = toi_take_new(budget, wanted, size);
    if (!grown && wanted > needed) {
        wanted = needed; // near the limit, take no more than asked
        grown = toi_take_new(budget, wanted, size);
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
