// Lists of pairs: collecting them from many workers in an order that does not depend on their
// number, and sorting them.

#include "broad/broad.h"

#include "base/fp_mode.h"
#include "base/radix_sort.h"
#include "base/status.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum
{
    LONG_LIST = 1 << 21,   // pairs
    DISTANT_LIST = 1 << 23 // likewise: written twice, in a cache first, it takes less time
};

// The pairs of a task that has ended; `ended` tells an empty one from one still running.
typedef struct toi_ended_task
{
    toi_pair_array pairs;
    bool ended;
} toi_ended_task;

toi_status toi_collector_init(toi_collector *collector, int workers, toi_budget *budget,
                              const toi_meter *meter, toi_pair_array *pairs)
{
    *collector =
        (toi_collector){.workers = workers, .budget = budget, .meter = meter, .pairs = pairs};
    atomic_flag_clear(&collector->lock);
    if (workers == 1)
        return TOI_OK; // tasks run in order: straight into the list
    collector->open = toi_take(budget, workers, sizeof *collector->open);
    if (!collector->open)
        return toi_allocation_status();
    memset(collector->open, 0, (size_t)workers * sizeof *collector->open);
    return TOI_OK;
}

// Makes room in the list. It grows at once to what the search will need if it goes on as it did:
// growing step by step would copy a long list several times into fresh memory.
static toi_status grow_list(toi_collector *c, int64_t needed)
{
    toi_pair_array *list = c->pairs;
    int64_t done = c->meter->done, total = c->meter->total;
    if (needed > list->capacity && done > 0 && total / done < 32) {
        int64_t expected = (int64_t)((double)needed * 1.05 * (double)total / (double)done);
        if (toi_reserve(c->budget, (void **)&list->data, &list->capacity, expected,
                        sizeof *list->data) == TOI_OK)
            return TOI_OK;
    }
    return toi_reserve(c->budget, (void **)&list->data, &list->capacity, needed,
                       sizeof *list->data);
}

static toi_pair_array *open_array(toi_collector *c, int worker)
{
    return c->open ? &c->open[worker] : c->pairs;
}

static toi_status give_room(void *context, int64_t count, int worker, toi_room *room)
{
    toi_collector *c = context;
    toi_pair_array *array = open_array(c, worker);
    toi_status status = array == c->pairs
                            ? grow_list(c, array->count + count)
                            : toi_reserve(c->budget, (void **)&array->data, &array->capacity,
                                          array->count + count, sizeof *array->data);
    *room = (toi_room){array->data + array->count, array->capacity > DISTANT_LIST};
    return status;
}

// Copies to a place that will not be read soon, past the caches where the list is longer than they
// are: they need not fetch what will be overwritten.
static void copy_pairs(toi_pair *to, const toi_pair *from, int64_t count, bool past_caches)
{
#if defined(__SSE2__)
    if (past_caches) {
        for (; count > 0 && (uintptr_t)to % sizeof(__m128i) != 0; --count)
            *to++ = *from++;
        for (; count >= 2; count -= 2, to += 2, from += 2)
            _mm_stream_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)from));
        _mm_sfence();
    }
#else
    (void)past_caches;
#endif
    memcpy(to, from, (size_t)count * sizeof *to);
}

static toi_status collect(void *context, toi_pair *pairs, int64_t count, int64_t task, int worker)
{
    (void)task;
    toi_collector *c = context;
    toi_pair_array *array = open_array(c, worker);
    if (!array->data || pairs != array->data + array->count) { // not written in place
        toi_room room;
        toi_status status = give_room(c, count, worker, &room);
        if (status != TOI_OK)
            return status;
        copy_pairs(room.pairs, pairs, count, room.distant);
    }
    array->count += count;
    return TOI_OK;
}

// Notes that a task has ended and gives its worker another array. Locked.
static toi_status end_task(toi_collector *c, int64_t task, int worker)
{
    int64_t before = c->ended_capacity;
    toi_status status =
        toi_reserve(c->budget, (void **)&c->ended, &c->ended_capacity, task + 1, sizeof *c->ended);
    if (status != TOI_OK)
        return status;
    memset(c->ended + before, 0, (size_t)(c->ended_capacity - before) * sizeof *c->ended);
    c->ended[task] = (toi_ended_task){c->open[worker], true};
    c->open[worker] = c->spare_count > 0 ? c->spare[--c->spare_count] : (toi_pair_array){0};
    return TOI_OK;
}

// Claims room in the list for the next tasks that have ended: [*first, c->next) from `*at` on.
// Locked. Claims nothing if the list would have to move while others write to it; the last of those
// will come back for it.
static toi_status claim(toi_collector *c, int64_t *first, int64_t *at)
{
    int64_t total = c->pairs->count, end = c->next;
    *first = c->next;
    *at = total;
    for (; end < c->ended_capacity && c->ended[end].ended; ++end)
        total += c->ended[end].pairs.count;
    if (total > c->pairs->capacity && c->copying > 0)
        return TOI_OK;
    toi_status status = grow_list(c, total);
    if (status == TOI_OK) {
        c->pairs->count = total;
        c->next = end;
    }
    return status;
}

static toi_status keep_spares(toi_collector *c, int64_t first, int64_t end)
{
    toi_status status = toi_reserve(c->budget, (void **)&c->spare, &c->spare_capacity,
                                    c->spare_count + (end - first), sizeof *c->spare);
    for (int64_t task = first; task < end && status == TOI_OK; ++task) {
        toi_pair_array empty = c->ended[task].pairs;
        c->ended[task].pairs = (toi_pair_array){0};
        empty.count = 0;
        c->spare[c->spare_count++] = empty;
    }
    return status;
}

// Copies claimed tasks to the list. The table of ended tasks may move meanwhile, so each is looked
// up under the lock.
static void copy_tasks(toi_collector *c, int64_t first, int64_t end, int64_t at)
{
    for (int64_t task = first; task < end; ++task) {
        toi_lock_take(&c->lock);
        toi_pair_array from = c->ended[task].pairs;
        toi_pair *data = c->pairs->data;
        toi_lock_release(&c->lock);
        if (from.count > 0)
            copy_pairs(data + at, from.data, from.count, c->pairs->capacity > LONG_LIST);
        at += from.count;
    }
}

static toi_status collect_end(void *context, int64_t task, int worker)
{
    toi_collector *c = context;
    if (!c->open)
        return TOI_OK;
    toi_lock_take(&c->lock);
    toi_status status = end_task(c, task, worker);
    while (status == TOI_OK) {
        int64_t first, at;
        status = claim(c, &first, &at);
        int64_t end = c->next;
        if (status != TOI_OK || first == end)
            break;
        ++c->copying;
        toi_lock_release(&c->lock);
        copy_tasks(c, first, end, at);
        toi_lock_take(&c->lock);
        --c->copying;
        status = keep_spares(c, first, end);
    }
    toi_lock_release(&c->lock);
    return status;
}

toi_receiver toi_collector_receiver(toi_collector *collector)
{
    return (toi_receiver){collector, collect, give_room, collect_end};
}

void toi_collector_finish(toi_collector *c)
{
    for (int w = 0; c->open && w < c->workers; ++w)
        toi_give_back(c->open[w].data);
    for (int64_t i = 0; i < c->ended_capacity; ++i)
        toi_give_back(c->ended[i].pairs.data);
    for (int64_t i = 0; i < c->spare_count; ++i)
        toi_give_back(c->spare[i].data);
    toi_give_back(c->open);
    toi_give_back(c->ended);
    toi_give_back(c->spare);
}

void toi_free_pairs(toi_pair_array *pairs)
{
    if (!pairs)
        return;
    toi_give_back(pairs->data);
    *pairs = (toi_pair_array){NULL, 0, 0};
}

static uint64_t pair_key(const void *pair, int word)
{
    (void)word;
    toi_pair p;
    memcpy(&p, pair, sizeof p);
    return (uint64_t)(uint32_t)p.a << 32 | (uint32_t)p.b;
}

// Turns pairs into keys where they stand; unpack() turns them back.
static toi_status pack(void *context, int64_t first, int64_t end)
{
    toi_pair *pairs = context;
    for (int64_t i = first; i < end; ++i) {
        uint64_t key = pair_key(&pairs[i], 0);
        memcpy(&pairs[i], &key, sizeof key);
    }
    return TOI_OK;
}

static toi_status unpack(void *context, int64_t first, int64_t end)
{
    toi_pair *pairs = context;
    for (int64_t i = first; i < end; ++i) {
        uint64_t key;
        memcpy(&key, &pairs[i], sizeof key);
        pairs[i] = (toi_pair){(int32_t)(key >> 32), (int32_t)(uint32_t)key};
    }
    return TOI_OK;
}

// As keys, where the pairs stand. Fails for want of memory, with the pairs as they were.
static toi_status sort_as_keys(toi_pair *pairs, int64_t count, int workers, toi_budget *budget)
{
    toi_status status = toi_parallel_ranges(workers, count, TOI_PIECE, pack, pairs);
    if (status == TOI_OK)
        status = toi_radix_sort((uint64_t *)(void *)pairs, count, ~(uint64_t)0, workers, budget);
    toi_parallel_ranges(workers, count, TOI_PIECE, unpack, pairs);
    return status;
}

void toi_sort_list(toi_pair *pairs, int64_t count, int workers, toi_budget *budget)
{
    if (count < 2)
        return;
    bool aligned = (uintptr_t)pairs % _Alignof(uint64_t) == 0; // a caller's may not be
    if (!aligned || sort_as_keys(pairs, count, workers, budget) != TOI_OK)
        toi_sort_in_place(pairs, count, sizeof *pairs, 1, pair_key);
}

toi_status toi_sort_pairs(toi_pair *pairs, int64_t count, int workers)
{
    TOI_GUARD_FP; // for the parallel-for hook
    int resolved;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status == TOI_OK)
        status = toi_check_count(count, "pairs");
    if (status == TOI_OK)
        toi_sort_list(pairs, count, resolved, NULL);
    return status;
}
