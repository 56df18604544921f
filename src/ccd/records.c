// Lists of records in canonical order: gathering them from the workers, and sorting them.

#include "ccd/records.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "ccd/brief.h"
#include "ccd/key_order.h"
#include "toi/ccd.h"

#include <stdatomic.h>
#include <string.h>

enum
{
    AHEAD = 32,  // records that are fetched before they are copied
    LINE = 8,    // words of a line of the caches
    PIECE = 256, // records that stay at hand
    MANY = 1 << 16
};

// ---- Gathering

// Of what is handed in for a record.
static size_t found_size(const toi_recorder *r)
{
    return r->complete ? sizeof(toi_brief) : r->size;
}

static toi_status keep_own(toi_recorder *r, const void *records, int64_t count, int worker)
{
    toi_record_array *list = &r->own[worker].list;
    toi_status status =
        toi_reserve(r->budget, &list->data, &list->capacity, list->count + count, found_size(r));
    if (status == TOI_OK) {
        memcpy((char *)list->data + (size_t)list->count * found_size(r), records,
               (size_t)count * found_size(r));
        list->count += count;
    }
    return status;
}

static toi_record_key key_of(const void *record)
{
    toi_record_key key;
    memcpy(&key, record, sizeof key);
    return key;
}

// Takes the keys of records; returns the bits that occur in them.
static uint64_t take_whole_keys(const char *records, int64_t count, size_t size, uint64_t *keys)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; ++i) {
        keys[i] = toi_pack_key(key_of(records + (size_t)i * size));
        bits |= keys[i];
    }
    return bits;
}

static uint64_t take_brief_keys(const toi_brief *brief, int64_t count)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; ++i)
        bits |= brief[i].key;
    return bits;
}

// Puts them where all go, if they fit.
static bool place(toi_recorder *r, const void *records, int64_t count, int worker)
{
    int64_t at = r->placed;
    do {
        if (at + count > r->room)
            return false;
    } while (!atomic_compare_exchange_weak(&r->placed, &at, at + count));
    memcpy(r->place + (size_t)at * found_size(r), records, (size_t)count * found_size(r));
    if (r->staged.order)
        r->own[worker].bits |= take_whole_keys(records, count, r->size, r->staged.order + at);
    return true;
}

toi_status toi_keep_records(toi_recorder *r, const void *records, int64_t count, int worker)
{
    r->own[worker].found += count;
    if (r->complete)
        r->own[worker].bits |= take_brief_keys(records, count);
    if (!r->keep || place(r, records, count, worker))
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

// Where the workers' lists go, one after the other.
typedef struct joining
{
    const toi_recorder *recorder;
    char *to;
} joining;

static toi_status join_piece(void *context, int64_t first, int64_t end)
{
    const joining *j = context;
    size_t size = found_size(j->recorder);
    int64_t before = 0; // records in the lists so far
    for (int w = 0; w < j->recorder->workers && before < end; ++w) {
        const toi_record_array *own = &j->recorder->own[w].list;
        int64_t from = before > first ? before : first;
        int64_t to = before + own->count < end ? before + own->count : end;
        if (from < to)
            memcpy(j->to + (size_t)from * size, (char *)own->data + (size_t)(from - before) * size,
                   (size_t)(to - from) * size);
        before += own->count;
    }
    return TOI_OK;
}

// Those in place and those in the workers' lists.
static toi_status join(toi_recorder *r, toi_record_array *list)
{
    int64_t own = 0, placed = r->placed;
    if (!list->data && found_size(r) == r->size) { // the first worker's list will do
        *list = r->own[0].list;
        r->own[0].list = (toi_record_array){NULL, 0, 0};
        placed = list->count;
    }
    for (int w = 0; w < r->workers; ++w)
        own += r->own[w].list.count;
    toi_status status = toi_reserve(r->budget, &list->data, &list->capacity, placed + own, r->size);
    if (status != TOI_OK)
        return status;
    list->count = placed + own;
    toi_touch_pages((char *)list->data + (size_t)placed * r->size, own * (int64_t)r->size,
                    r->workers);
    joining j = {r, (char *)list->data + (size_t)placed * found_size(r)};
    return toi_parallel_ranges(r->workers, own, TOI_PIECE, join_piece, &j);
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

// ---- Sorting

// Takes the block for a list. Keys are sorted while the list has nothing of its own yet, so that
// they may use its memory, unless that is less than the tables of many workers take.
static bool take_sorting(const toi_recorder *r, const toi_record_array *list, toi_record_sorting *s)
{
    int64_t room = list->capacity, sorting = toi_radix_words(room, r->workers);
    int64_t copies = room * (int64_t)(r->size / sizeof *s->order);
    s->scratch = copies >= sorting ? list->data : NULL;
    // Copies begin with a line of the caches, as blocks do: most records are as long as one.
    int64_t words = room + (s->scratch ? 0 : sorting);
    words = (words + LINE - 1) / LINE * LINE;
    s->order = toi_take_touched(r->budget, copies + words, sizeof *s->order, r->workers);
    if (!s->order)
        return false;
    if (!s->scratch)
        s->scratch = s->order + room;
    s->copy = (char *)(s->order + words);
    return true;
}

// A sort, each of whose steps goes over ranges of the records.
typedef struct sort_job
{
    const toi_record_sorting *s;
    char *records;
    size_t size;
    toi_key_order keys;
    _Atomic uint64_t all; // the bits that occur in keys
} sort_job;

// Copies the records and takes their keys, so that the records come by once.
static toi_status copy_records(void *context, int64_t begin, int64_t end)
{
    sort_job *job = context;
    const toi_record_sorting *s = job->s;
    uint64_t all = 0;
    for (int64_t first = begin; first < end; first += PIECE) {
        int64_t next = first + PIECE < end ? first + PIECE : end;
        const char *piece = job->records + (size_t)first * job->size;
        all |= take_whole_keys(piece, next - first, job->size, s->order + first);
        memcpy(s->copy + (size_t)first * job->size, piece, (size_t)(next - first) * job->size);
    }
    job->all |= all;
    return TOI_OK;
}

// Whole keys are there at first; later the records tell.
static toi_status order_keys(void *context, int64_t first, int64_t end)
{
    const sort_job *job = context;
    const toi_key_order *o = &job->keys;
    for (int64_t i = first; i < end; ++i) {
        int64_t number = toi_number_at(o, i);
        uint64_t key =
            o->shift == 0 ? o->order[i] : toi_pack_key(key_of(job->s->copy + number * job->size));
        o->order[i] = toi_order_entry(o, key, number);
    }
    return TOI_OK;
}

// The size is known to the compiler where there are many.
static inline void gather_range(const sort_job *job, int64_t first, int64_t end, size_t size)
{
    for (int64_t i = first; i < end; ++i) {
        if (i + AHEAD < end)
            __builtin_prefetch(job->s->copy + toi_ordered(&job->keys, i + AHEAD) * size);
        memcpy(job->records + (size_t)i * size, job->s->copy + toi_ordered(&job->keys, i) * size,
               size);
    }
}

static toi_status gather_records(void *context, int64_t first, int64_t end)
{
    const sort_job *job = context;
    if (job->size == sizeof(toi_impact))
        gather_range(job, first, end, sizeof(toi_impact));
    else
        gather_range(job, first, end, job->size);
    return TOI_OK;
}

// From the copies and their whole keys.
static void order_records(const toi_recorder *r, int64_t count, sort_job *job)
{
    job->keys = (toi_key_order){.order = job->s->order,
                                .scratch = job->s->scratch,
                                .count = count,
                                .all = job->all,
                                .fill = order_keys,
                                .context = job};
    toi_sort_keys(&job->keys, r->workers);
    toi_parallel_ranges(r->workers, count, TOI_PIECE, gather_records, job);
}

// By a permutation, which is quick. False for want of memory, with the records as they were.
static bool sort_by_order(const toi_recorder *r, toi_record_array *list)
{
    toi_record_sorting s;
    if (!take_sorting(r, list, &s))
        return false;
    sort_job job = {.s = &s, .records = list->data, .size = r->size};
    toi_parallel_ranges(r->workers, list->count, TOI_PIECE, copy_records, &job);
    order_records(r, list->count, &job);
    toi_give_back(s.order);
    return true;
}

static uint64_t key_word(const void *element, int word)
{
    toi_record_key key = key_of(element);
    return word > 0 ? (uint32_t)key.b : (uint64_t)(uint32_t)key.kind << 32 | (uint32_t)key.a;
}

static void sort_records(const toi_recorder *r, toi_record_array *list)
{
    int64_t count = list->count;
    if (count > 1 && !sort_by_order(r, list))
        toi_sort_in_place(list->data, count, r->size, 2, key_word);
}

// ---- Both

// The block is taken before the records are found: not where it could be missing then, nor where it
// saves little.
static void stage(toi_recorder *r, const toi_record_array *list)
{
    const toi_budget *budget = r->budget;
    r->keep = true;
    r->place = list->data;
    r->room = list->capacity;
    if (!r->sort && !r->complete && list->capacity >= MANY && budget->limit == 0 &&
        take_sorting(r, list, &r->staged))
        r->place = r->staged.copy;
}

static void unstage(toi_recorder *r)
{
    toi_give_back(r->staged.order);
    r->staged.order = NULL;
}

// All that was found is staged: it comes to the list in order.
static void list_staged(const toi_recorder *r, toi_record_array *list)
{
    sort_job job = {.s = &r->staged, .records = list->data, .size = r->size};
    for (int w = 0; w < r->workers; ++w)
        job.all |= r->own[w].bits;
    list->count = r->placed;
    order_records(r, list->count, &job);
}

// There are more than the list had room for.
static toi_status list_unstaged(toi_recorder *r, toi_record_array *list)
{
    if (r->staged.order)
        memcpy(list->data, r->staged.copy, (size_t)r->placed * r->size);
    unstage(r);
    return join(r, list);
}

// `in_order`: whether the list is, too.
static toi_status list_records(toi_recorder *r, toi_record_array *list, bool *in_order)
{
    int64_t own = 0;
    stage(r, list);
    toi_status status = r->find(r->context);
    for (int w = 0; w < r->workers; ++w)
        own += r->own[w].list.count;
    *in_order = r->staged.order && own == 0;
    if (status == TOI_OK && *in_order)
        list_staged(r, list);
    else if (status == TOI_OK)
        status = list_unstaged(r, list);
    unstage(r);
    return status;
}

toi_status toi_make_record_list(toi_recorder *r, toi_record_array *list)
{
    bool in_order = false;
    r->own = toi_take(r->budget, r->workers, sizeof *r->own);
    toi_status status = r->own ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK) {
        memset(r->own, 0, (size_t)r->workers * sizeof *r->own);
        status = list_records(r, list, &in_order);
        if (status == TOI_ERROR_LIMIT && r->budget->limit > 0)
            status = list_tightly(r, list);
        for (int w = 0; w < r->workers; ++w)
            r->bits |= r->own[w].bits;
        reset(r);
        toi_give_back(r->own);
    }
    if (status != TOI_OK)
        list->count = 0;
    else if (r->complete)
        toi_complete_records(r, list);
    else if (!in_order)
        (r->sort ? r->sort : sort_records)(r, list);
    toi_detach(list->data);
    return status;
}
