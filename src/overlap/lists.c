// Lists of overlaps: sorted, each pair of polygons once, and the first ones only where there is a
// limit.

#include "overlap/call.h"

#include "base/radix_sort.h"

// ---------------------------------------------------------------------------------------------
// Sorting

static uint64_t key_of(const toi_overlap *overlap)
{
    return toi_overlap_key(overlap->a, overlap->b, overlap->overlap_class);
}

static uint64_t key_word(const void *element, int word)
{
    (void)word;
    toi_overlap overlap;
    memcpy(&overlap, element, sizeof overlap);
    return key_of(&overlap);
}

static toi_overlap overlap_of(uint64_t key)
{
    const uint64_t face = TOI_MOST_OVERLAP_FACES - 1;
    return (toi_overlap){(int32_t)(key >> 33), (int32_t)(key >> 3 & face), (int32_t)(key & 7)};
}

// By keys, which hold all of an overlap. `room` is for as many as the list has room for, so that
// steps with more and with fewer take the same.
static void sort_overlaps(toi_overlap *data, int64_t count, int64_t room, int workers,
                          toi_budget *budget)
{
    enum
    {
        FEW = 64
    };
    uint64_t *keys = NULL;
    if (count > FEW)
        keys = toi_take(budget, room + toi_radix_words(room, workers), sizeof *keys);
    if (!keys) {
        toi_sort_in_place(data, count, sizeof *data, 1, key_word);
        return;
    }
    for (int64_t i = 0; i < count; ++i)
        keys[i] = key_of(&data[i]);
    toi_radix_sort_with(keys, keys + room, count, ~(uint64_t)0, workers);
    for (int64_t i = 0; i < count; ++i)
        data[i] = overlap_of(keys[i]);
    toi_give_back(keys);
}

// Of several with the same a and b the first: the one of the least class. Returns how many stay.
static int64_t drop_repeated(toi_overlap *data, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i)
        if (kept == 0 || data[kept - 1].a != data[i].a || data[kept - 1].b != data[i].b)
            data[kept++] = data[i];
    return kept;
}

// Those of the classes asked for, in order; returns how many they are.
static int64_t keep_classes(toi_overlap *data, int64_t count, uint32_t classes)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i)
        if (classes >> data[i].overlap_class & 1)
            data[kept++] = data[i];
    return kept;
}

static void sort_records(const toi_recorder *r, toi_record_array *list)
{
    const toi_overlap_call *call = r->context;
    sort_overlaps(list->data, list->count, list->capacity, r->workers, r->budget);
    if (call->def->polygons.polygons) {
        list->count = drop_repeated(list->data, list->count);
        list->count = keep_classes(list->data, list->count, call->def->classes);
    }
}

// ---------------------------------------------------------------------------------------------
// Without a limit

static toi_status record(toi_overlap_call *call, const toi_overlap *found, int64_t count,
                         int worker)
{
    return toi_keep_records(&call->recorder, found, count, worker);
}

static toi_status find_records(void *context)
{
    return toi_search_overlaps(context);
}

static toi_status list_records(toi_overlap_call *call, toi_find_records_fn *find,
                               toi_overlap_array *list)
{
    toi_record_array records = {list->data, 0, list->capacity};
    call->recorder = (toi_recorder){.budget = call->budget,
                                    .workers = call->workers,
                                    .size = sizeof *list->data,
                                    .find = find,
                                    .context = call,
                                    .sort = sort_records};
    call->take = record;
    toi_status status = toi_make_record_list(&call->recorder, &records);
    *list = (toi_overlap_array){records.data, records.count, records.capacity};
    return status;
}

static toi_status list_all(toi_overlap_call *call, toi_overlap_array *list)
{
    return list_records(call, find_records, list);
}

// ---------------------------------------------------------------------------------------------
// Of a device: what it is sure of is in order already

static toi_status find_rest(void *context)
{
    return toi_search_rest(context);
}

// Puts a list among the sorted overlaps of the device, from the end on; there is room.
static void merge_found(const toi_overlap_answer *answer, toi_overlap_array *list)
{
    int64_t own = list->count, found = answer->count, at = own + found;
    list->count = at;
    if (own == 0 && found > 0) {
        memcpy(list->data, answer->overlaps, (size_t)found * sizeof *list->data);
        return;
    }
    while (found > 0) {
        const toi_overlap *next = &answer->overlaps[found - 1];
        bool mine = own > 0 && key_of(&list->data[own - 1]) > key_of(next);
        list->data[--at] = mine ? list->data[own - 1] : *next;
        own -= mine;
        found -= !mine;
    }
}

// Sets *done unless memory is short or the host has more to do: then the usual way is gone.
static toi_status list_from_device(toi_overlap_call *call, toi_overlap_array *list, bool *done)
{
    *done = false;
    toi_status status = toi_ask_overlaps(call);
    const toi_overlap_answer *answer = &call->answer;
    int64_t most = answer->count + answer->hard_count;
    if (status != TOI_OK || !answer->neighbours)
        return status;
    status =
        toi_reserve(call->budget, (void **)&list->data, &list->capacity, most, sizeof *list->data);
    if (status != TOI_OK)
        return status == TOI_ERROR_LIMIT ? TOI_OK : status;
    status = list_records(call, find_rest, list);
    if (status != TOI_OK || list->capacity < answer->count + list->count)
        return status;
    merge_found(answer, list);
    *done = true;
    return TOI_OK;
}

static bool wants_every_class(const toi_overlap_def *def)
{
    return def->classes == (1u << TOI_OVERLAP_CLASS_COUNT) - 1;
}

static toi_status list_all_on_device(toi_overlap_call *call, toi_overlap_array *list)
{
    bool done;
    toi_status status = list_from_device(call, list, &done);
    if (status != TOI_OK)
        toi_detach(list->data);
    return status == TOI_OK && !done ? list_all(call, list) : status;
}

// ---------------------------------------------------------------------------------------------
// The first ones only

// Sorts the list and cuts it at the limit. Only what is really left out says so: from then on it is
// known that the list is not complete, and pairs behind its last need not be looked at.
static void cut_list(toi_overlap_call *call)
{
    toi_overlap_array *list = call->list;
    sort_overlaps(list->data, list->count, list->capacity, 1, call->budget);
    list->count = drop_repeated(list->data, list->count);
    if (list->count <= call->def->limit)
        return;
    list->count = call->def->limit;
    const toi_overlap *last = &list->data[list->count - 1];
    call->beyond = toi_overlap_key(last->a, last->b, TOI_OVERLAP_CLASS_COUNT);
    call->report.complete = false;
}

// Room for one more. The list grows to twice its limit before it is cut, so that cutting costs no
// more than filling it did; it is cut sooner where memory is short.
static toi_status make_room(toi_overlap_call *call)
{
    toi_overlap_array *list = call->list;
    if (list->count / 2 >= call->def->limit)
        cut_list(call);
    toi_status status = toi_reserve(call->budget, (void **)&list->data, &list->capacity,
                                    list->count + 1, sizeof *list->data);
    if (status != TOI_ERROR_LIMIT)
        return status;
    cut_list(call);
    return list->count < list->capacity ? TOI_OK : status;
}

static toi_status keep_first(toi_overlap_call *call, const toi_overlap *found, int64_t count,
                             int worker)
{
    (void)worker;
    toi_status status = TOI_OK;
    toi_lock_take(&call->lock);
    for (int64_t i = 0; i < count && status == TOI_OK; ++i) {
        if (key_of(&found[i]) >= call->beyond)
            continue;
        status = make_room(call);
        if (status == TOI_OK)
            call->list->data[call->list->count++] = found[i];
    }
    toi_lock_release(&call->lock);
    return status;
}

static toi_status list_first(toi_overlap_call *call, toi_overlap_array *list)
{
    call->list = list;
    call->take = keep_first;
    atomic_flag_clear(&call->lock);
    toi_status status = toi_search_overlaps(call);
    if (status == TOI_OK)
        cut_list(call);
    toi_detach(list->data);
    return status;
}

// Polygons may turn out to be of a class that is not asked for when another one has been left out
// already: these lists are cut at the end.
static toi_status list_and_cut(toi_overlap_call *call, toi_overlap_array *list)
{
    toi_status status = list_all(call, list);
    call->report.complete = list->count <= call->def->limit;
    list->count = call->report.complete ? list->count : call->def->limit;
    return status;
}

toi_status toi_list_overlaps(toi_overlap_call *call, toi_overlap_array *list)
{
    const toi_overlap_def *def = call->def;
    toi_status status;
    if (def->device && call->mesh.faces.count > 1 && toi_wants_all(call) && wants_every_class(def))
        status = list_all_on_device(call, list);
    else if (def->limit == 0)
        status = list_all(call, list);
    else if (def->polygons.polygons && !wants_every_class(def))
        status = list_and_cut(call, list);
    else
        status = list_first(call, list);
    if (status != TOI_OK)
        list->count = 0;
    return status;
}
