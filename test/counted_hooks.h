// Memory hooks that count, and fail when told.

#ifndef TOI_TEST_COUNTED_HOOKS_H
#define TOI_TEST_COUNTED_HOOKS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct counted_memory
{
    _Atomic int64_t made; // blocks so far
    _Atomic int64_t live; // blocks now
    _Atomic int64_t bytes, most;
    _Atomic int64_t left; // so many succeed; negative: all
} counted_memory;

extern counted_memory ledger;

// Setup and teardown of a test: sets the hooks; puts the defaults back, and fails where a block is
// still held.
int count_allocations(void **state);
int stop_counting(void **state);

#endif
