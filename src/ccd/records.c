// Lists of records: gathering them from the workers.

#include "ccd/records.h"

#include <string.h>

// ---- Gathering

static toi_status keep_own(toi_recorder *r, const void *records, int64_t count, int worker)
{
    toi_record_array *list = &r->own[worker].list;
    toi_status status =
        toi_reserve(r->budget, &list->data, &list->capacity, list->count + count, r->size);
    if (status == TOI_OK) {
        memcpy((char *)list->data + (size_t)list->count * r->size, records,
               (size_t)count * r->size);
        list->count += count;
    }
    return status;
}

// Puts them into the caller's list if they fit.
static bool place(toi_recorder *r, const void *records, int64_t count)
{
    int64_t at = r->placed;
    do {
        if (at + count > r->room)
            return false;
    } while (!atomic_compare_exchange_weak(&r->placed, &at, at + count));
    memcpy(r->place + (size_t)at * r->size, records, (size_t)count * r->size);
    return true;
}

toi_status toi_keep_records(toi_recorder *r, const void *records, int64_t count, int worker)
{
    r->own[worker].found += count;
    if (!r->keep || place(r, records, count))
        return TOI_OK;
    if (r->counted)
        return toi_fail(TOI_ERROR_DATA, "more pairs were found when they were looked for again: "
                                        "the mesh or the filter's answers have changed meanwhile");
    return keep_own(r, records, count, worker);
}

static void reset(toi_recorder *r)
{
    for (int w = 0; w < r->workers; ++w) {
        toi_give_back(r->own[w].list.data);
        r->own[w] = (toi_worker_records){.found = 0};
    }
    r->placed = 0;
}

// Those in place and those in the workers' lists.
static toi_status join(toi_recorder *r, toi_record_array *list)
{
    int64_t total = r->placed;
    for (int w = 0; w < r->workers; ++w)
        total += r->own[w].list.count;
    toi_status status = toi_reserve(r->budget, &list->data, &list->capacity, total, r->size);
    if (status != TOI_OK)
        return status;
    list->count = r->placed;
    for (int w = 0; w < r->workers; ++w) {
        const toi_record_array *own = &r->own[w].list;
        if (own->count > 0)
            memcpy((char *)list->data + (size_t)list->count * r->size, own->data,
                   (size_t)own->count * r->size);
        list->count += own->count;
    }
    return TOI_OK;
}

static toi_status list_records(toi_recorder *r, toi_record_array *list)
{
    r->keep = true;
    r->place = list->data;
    r->room = list->capacity;
    toi_status status = r->find(r->context);
    return status == TOI_OK ? join(r, list) : status;
}

// Where the list does not fit beside all that its making takes.
static toi_status list_tightly(toi_recorder *r, toi_record_array *list)
{
    toi_budget *budget = r->budget;
    toi_give_back(list->data);
    *list = (toi_record_array){NULL, 0, 0};
    r->keep = false;
    r->counted = true;
    reset(r);
    toi_status status = r->find(r->context);
    if (status != TOI_OK)
        return status;
    r->room = 0;
    for (int w = 0; w < r->workers; ++w)
        r->room += r->own[w].found;
    budget->need += r->room * (int64_t)r->size + TOI_BLOCK_OVERHEAD;
    budget->list = NULL; // now the whole need is known
    list->data = r->place = toi_take(budget, r->room, r->size);
    if (!r->place)
        return toi_allocation_status();
    list->capacity = r->room;
    r->keep = true;
    reset(r);
    status = r->find(r->context);
    list->count = r->placed;
    return status;
}

// ---- All of it

toi_status toi_make_record_list(toi_recorder *r, toi_record_array *list)
{
    r->own = toi_take(r->budget, r->workers, sizeof *r->own);
    toi_status status = r->own ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        memset(r->own, 0, (size_t)r->workers * sizeof *r->own);
        status = list_records(r, list);
        if (status == TOI_ERROR_LIMIT && r->budget->limit > 0)
            status = list_tightly(r, list);
        reset(r);
        toi_give_back(r->own);
    }
    if (status == TOI_OK)
        toi_sort_records(r->budget, r->workers, list->data, list->count, r->size);
    else
        list->count = 0;
    toi_detach(list->data);
    return status;
}
