// What a broad-phase method is handed, and how it hands pairs on.

#ifndef TOI_BROAD_BROAD_H
#define TOI_BROAD_BROAD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "toi/broad_phase.h"

// Receives a block of pairs that task number `task` found, and may overwrite it. Blocks of one task
// come in order.
typedef toi_status toi_emit_fn(void *context, toi_pair *pairs, int64_t count, int64_t task,
                               int worker);

// Where a worker may write pairs.
typedef struct toi_room
{
    toi_pair *pairs;
    bool distant; // in a list longer than caches are: better written as a whole, past them
} toi_room;

// Where the worker may write the next `count` pairs that it emits, which then need no copying.
typedef toi_status toi_room_fn(void *context, int64_t count, int worker, toi_room *room);

// Who gets the pairs.
typedef struct toi_receiver
{
    void *context;
    toi_emit_fn *emit;
    toi_room_fn *room; // or NULL
    // Called when a task has emitted all it found; or NULL.
    toi_status (*end_task)(void *context, int64_t task, int worker);
} toi_receiver;

// What a method keeps from one call to the next: one block of memory.
typedef struct toi_broad_slot
{
    toi_broad_method method;  // whose it is
    int64_t a_count, b_count; // of the lists it was made for
    int64_t bytes;
    void *data;
} toi_broad_slot;

// One search: a against b, or a against itself.
typedef struct toi_broad_job
{
    toi_box_view a;
    toi_box_view b;
    bool self;            // b is a; report each pair once, lower index first
    double cell;          // a good size for cells, where the caller knows one; 0: unknown
    toi_broad_slot *slot; // or NULL: nothing is kept
    int workers;
    toi_budget *budget;
    toi_meter *meter; // or NULL
    toi_receiver to;
} toi_broad_job;

// TOI_OK for a method that exists and is in this build.
toi_status toi_check_broad_method(toi_broad_method method);

// A method finds all overlapping pairs and emits them. Which task finds which pair, and in which
// order, must not depend on the number of workers.
typedef toi_status toi_broad_search_fn(const toi_broad_job *job);

toi_broad_search_fn toi_search_brute, toi_search_sweep, toi_search_sweep_incremental,
    toi_search_stq, toi_search_grid, toi_search_grid_sweep, toi_search_hash, toi_search_bvh,
    toi_search_lbvh, toi_search_kdtree, toi_search_tracy, toi_search_kdet, toi_search_interval_tree,
    toi_search_auto;

// The block that `method` kept from its last call on lists of the same lengths, or a new one
// (*kept: which); counted in the job's budget either way. NULL with the message set on failure. A
// method without a slot runs the same code and gets a new block each time.
void *toi_open_slot(const toi_broad_job *job, toi_broad_method method, int64_t bytes, bool *kept);

// Keeps the block for the next call if it is still `good`, or gives it back.
void toi_close_slot(const toi_broad_job *job, toi_broad_method method, int64_t bytes, void *block,
                    bool good);

// Forgets what is kept.
void toi_empty_slot(toi_broad_slot *slot);

// A caller's memory of past calls, and its slots: a list against itself, two lists.
enum
{
    TOI_SLOT_SELF,
    TOI_SLOT_BETWEEN,
    TOI_SLOTS
};
struct toi_broad_memory
{
    atomic_flag busy;
    toi_broad_slot slots[TOI_SLOTS];
};

// Locks the memory for one call and counts what it holds in the call's budget, or refuses when
// another call uses it; harmless on NULL.
toi_status toi_enter_memory(toi_broad_memory *memory, toi_budget *budget);
void toi_forget_memory(toi_broad_memory *memory); // while it is entered
void toi_leave_memory(toi_broad_memory *memory);

// Gathers emitted pairs into one list ordered by task, whoever ran it. Tasks end roughly in order,
// so a task's pairs are moved to the list while they are still in a cache, and only few lists wait
// for an earlier task.
typedef struct toi_collector
{
    toi_budget *budget;
    const toi_meter *meter; // tells how much is still to come
    toi_pair_array *pairs;
    int workers;
    toi_lock lock;                // of all below
    toi_pair_array *open;         // one a worker: what its task has emitted so far
    struct toi_ended_task *ended; // by task number
    int64_t ended_capacity;
    int64_t next;          // the first task that is not in the list yet
    int copying;           // workers that write to the list now, so it must not move
    toi_pair_array *spare; // a stack of empty arrays with memory
    int64_t spare_count;
    int64_t spare_capacity;
} toi_collector;

toi_status toi_collector_init(toi_collector *collector, int workers, toi_budget *budget,
                              const toi_meter *meter, toi_pair_array *pairs);
toi_receiver toi_collector_receiver(toi_collector *collector);
// Frees all but the list; call it after success and after failure.
void toi_collector_finish(toi_collector *collector);

// Lists to be made: one search each, within one budget.
enum
{
    TOI_MOST_LISTS = 4
};
typedef struct toi_list_job
{
    int count; // of lists
    // Searches for the pairs of one list; asked again where memory is short.
    toi_status (*search)(void *context, int list, toi_receiver to);
    // Forgets what is kept from call to call: the searches from then on begin anew.
    void (*forget)(void *context);
    void *context;
    int workers;
    toi_budget *budget;
    const toi_meter *meter;
} toi_list_job;

// What they take, for the message where the limit is too small.
#define TOI_PAIR_BYTES "8 bytes for every pair"

// Empties the caller's lists and counts their memory in the budget, whose need is known, until
// toi_end_lists(); what does not fit is freed. To be called before the call takes anything.
void toi_begin_lists(toi_budget *budget, int count, toi_pair_array *lists);

// Makes the lists, in the methods' own order.
toi_status toi_make_lists(const toi_list_job *job, toi_pair_array *lists);

// Hands the lists to the caller, empty ones if the call has failed.
void toi_end_lists(toi_status status, int count, toi_pair_array *lists);

// Sorts by (a, b): in place, and slower, where there is no memory for a faster way.
void toi_sort_list(toi_pair *pairs, int64_t count, int workers, toi_budget *budget);

// How much memory a search by this method takes at most, what it keeps included.
int64_t toi_search_need(toi_broad_method method, int64_t boxes, int workers);
int64_t toi_auto_need(int64_t boxes, int workers);

// Runs the method on a job whose options are resolved already.
toi_status toi_search(toi_broad_method method, const toi_broad_job *job);

#endif
