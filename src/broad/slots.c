// What methods keep from one call to the next.

#include "broad/broad.h"

#include "base/status.h"

toi_status toi_make_broad_memory(toi_broad_memory **memory)
{
    *memory = toi_take(NULL, 1, sizeof **memory);
    if (!*memory)
        return toi_allocation_status();
    **memory = (toi_broad_memory){.busy = ATOMIC_FLAG_INIT};
    return TOI_OK;
}

void toi_free_broad_memory(toi_broad_memory *memory)
{
    if (!memory)
        return;
    for (int i = 0; i < TOI_SLOTS; ++i)
        toi_give_back(memory->slots[i].data);
    toi_give_back(memory);
}

void toi_empty_slot(toi_broad_slot *slot)
{
    toi_give_back(slot->data);
    *slot = (toi_broad_slot){0};
}

toi_status toi_enter_memory(toi_broad_memory *memory, toi_budget *budget)
{
    if (!memory)
        return TOI_OK;
    if (atomic_flag_test_and_set_explicit(&memory->busy, memory_order_acquire))
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "the broad phase's memory is in use by another call; give each its own");
    for (int i = 0; i < TOI_SLOTS; ++i) // what does not fit is forgotten
        if (!toi_attach(budget, memory->slots[i].data))
            toi_empty_slot(&memory->slots[i]);
    return TOI_OK;
}

void toi_forget_memory(toi_broad_memory *memory)
{
    for (int i = 0; memory && i < TOI_SLOTS; ++i)
        toi_empty_slot(&memory->slots[i]);
}

void toi_leave_memory(toi_broad_memory *memory)
{
    if (!memory)
        return;
    for (int i = 0; i < TOI_SLOTS; ++i)
        toi_detach(memory->slots[i].data);
    atomic_flag_clear_explicit(&memory->busy, memory_order_release);
}

void *toi_open_slot(const toi_broad_job *job, toi_broad_method method, int64_t bytes, bool *kept)
{
    toi_broad_slot *slot = job->slot;
    *kept = slot && slot->data && slot->method == method && slot->bytes == bytes &&
            slot->a_count == job->a.count && slot->b_count == job->b.count;
    if (!*kept) {
        if (slot)
            toi_empty_slot(slot);
        // Not from a store: what it held for another use would be missing there in the next call.
        return toi_take_new(job->budget, bytes, 1);
    }
    void *block = slot->data;
    slot->data = NULL; // the method's, until it closes the slot
    return block;
}

void toi_close_slot(const toi_broad_job *job, toi_broad_method method, int64_t bytes, void *block,
                    bool good)
{
    if (!job->slot || !good || !block) {
        toi_give_back(block);
        return;
    }
    *job->slot = (toi_broad_slot){method, job->a.count, job->b.count, bytes, block};
}
