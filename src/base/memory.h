// Memory from the hooks, counted against a caller's limit.

#ifndef TOI_BASE_MEMORY_H
#define TOI_BASE_MEMORY_H

#include "toi/base.h"

#include <stdatomic.h>

// What a block takes beside what was asked for.
enum
{
    TOI_BLOCK_OVERHEAD = 64
};

// Blocks that were given back and wait to be taken again, so that a call like the last one needs
// nothing from the hooks.
typedef struct toi_store toi_store;

// How much memory one call, or one scene, may hold. Shared by its workers. A block is counted from
// before it is taken from the hooks until after it is back with them, so they never see more than
// `peak`.
typedef struct toi_budget
{
    toi_store *store; // or NULL: what is given back goes to the hooks
    int64_t limit;    // bytes; 0: none
    int64_t need;     // what the call takes at most, so far as is known: for the message
    const char *list; // what a list not in `need` takes ("8 bytes for every pair"); or NULL
    _Atomic int64_t used;
    _Atomic int64_t peak;
    _Atomic bool starved; // who cannot report it has met the limit: the call must fail
} toi_budget;

// `count` elements of `size` bytes, aligned to 64, uninitialised; counted in `budget` unless that
// is NULL. Returns NULL and sets the message when the product overflows, the limit is reached or
// the allocator fails; toi_allocation_status() then says which.
void *toi_take(toi_budget *budget, int64_t count, size_t size);

// The same for memory that many workers will fill. Pages are the system's to clear, when they are
// first touched: 0.2 ms for one of 2 MiB. Workers that come to the same page all clear one, and all
// but one in vain; so here each of them first touches others.
void *toi_take_touched(toi_budget *budget, int64_t count, size_t size, int workers);

// Touches such memory; what is in it stays.
void toi_touch_pages(void *memory, int64_t bytes, int workers);

// Was it the limit that made the last failing toi_take() on this thread fail?
bool toi_limit_was_reached(void);

// Sets the message that names the limit and the whole need, which is at least `bytes`; returns
// TOI_ERROR_LIMIT.
toi_status toi_refuse(const toi_budget *budget, int64_t bytes);

// Why the last toi_take() on this thread failed.
static inline toi_status toi_allocation_status(void)
{
    return toi_limit_was_reached() ? TOI_ERROR_LIMIT : TOI_ERROR_MEMORY;
}

// Gives memory back to its budget, and to the hooks unless the budget has a store; harmless on
// NULL.
void toi_give_back(void *memory);

// As toi_take(), but never from the store: for what the caller will own.
void *toi_take_new(toi_budget *budget, int64_t count, size_t size);

// A store for a budget, before it is used. False for want of memory.
bool toi_open_store(toi_budget *budget);

// Gives all that waits in the store back to the hooks; harmless without one.
void toi_empty_store(toi_budget *budget);

// Empties and ends it. What is still taken goes to the hooks when it is given back.
void toi_close_store(toi_budget *budget);

// The bytes that are in use, without those that wait.
int64_t toi_bytes_in_use(const toi_budget *budget);

// Says that a new call begins: from then on `peak` is its own. Gives back what calls have ceased to
// use.
void toi_begin_call(toi_budget *budget);

// Takes memory out of its budget, which may then go away: for results handed to the caller.
void toi_detach(void *memory);

// Counts memory that toi_detach() had taken out of its budget in another; false when the limit is
// reached, and then it is in none. Harmless on NULL.
bool toi_attach(toi_budget *budget, void *memory);

// Counts a list that a caller has handed in to be reused, if it fits beside all that the call
// needs; false: give it back instead. Harmless on NULL.
bool toi_reuse(toi_budget *budget, void *memory);

// Grows *data so that it has room for `needed` elements, by half at least. On failure nothing
// changes. Never from the store: what grows is of another size each time, or the caller's.
toi_status toi_reserve(toi_budget *budget, void **data, int64_t *capacity, int64_t needed,
                       size_t size);

// Has the C library keep what calls of many workers take and give back.
void toi_keep_freed_memory(void);

// The hooks in force.
extern toi_hooks toi_active_hooks;

#endif
