// Lists of what workers find side by side: impacts, close pairs, overlaps. Unless a list has a sort
// of its own, every record begins with its kind, a and b (toi_record_key), by which it is sorted.

#ifndef TOI_CCD_RECORDS_H
#define TOI_CCD_RECORDS_H

#include "base/memory.h"

typedef struct toi_record_key
{
    int32_t kind, a, b;
} toi_record_key;

// A key in 64 bits: there are four kinds, and a and b are not negative.
static inline uint64_t toi_pack_key(toi_record_key key)
{
    return (uint64_t)(uint32_t)key.kind << 62 | (uint64_t)(uint32_t)key.a << 31 | (uint32_t)key.b;
}

static inline toi_record_key toi_unpack_key(uint64_t whole)
{
    return (toi_record_key){(int32_t)(whole >> 62), (int32_t)(whole >> 31 & INT32_MAX),
                            (int32_t)(whole & INT32_MAX)};
}

// A caller's list.
typedef struct toi_record_array
{
    void *data;
    int64_t count;
    int64_t capacity;
} toi_record_array;

// A record in brief: its whole key, and what else it takes to make it.
typedef struct toi_brief
{
    uint64_t key, value;
} toi_brief;

// Makes some records of a list; `brief` is not in the way of them.
typedef void toi_get_ready_fn(void *context, int64_t count);
typedef void toi_complete_fn(void *context, const toi_brief *brief, int64_t count, void *records);

// What one worker has found and found no place for.
typedef struct toi_worker_records
{
    toi_record_array list;
    int64_t found; // of all that were handed in
    uint64_t bits; // that occur in the keys of what was staged, or came in brief
    _Alignas(64) char end[64];
} toi_worker_records;

// Finds all records and hands each to toi_keep_records(); asked again where memory is short.
typedef toi_status toi_find_records_fn(void *context);

typedef struct toi_recorder toi_recorder;

// What sorting takes beside the list: one block, for as many records as the list has room for, so
// that steps with more and with fewer take the same.
typedef struct toi_record_sorting
{
    uint64_t *order;   // keys, then places; NULL: there is none
    uint64_t *scratch; // of the sort: in the list, or behind the keys
    char *copy;        // of the records
} toi_record_sorting;

// Puts a list in order; may shorten it.
typedef void toi_sort_records_fn(const toi_recorder *r, toi_record_array *list);

struct toi_recorder
{
    toi_budget *budget;
    int workers;
    size_t size; // of a record
    toi_find_records_fn *find;
    void *context;
    toi_sort_records_fn *sort; // or NULL: by kind, a and b
    toi_complete_fn *complete; // or NULL; else they are handed in in brief (ccd/brief.h)
    toi_get_ready_fn *ready;   // or NULL; called before so many records are made of these
    toi_worker_records *own;   // one a worker
    bool keep;                 // else they are only counted
    bool counted;              // it is known how many there are
    uint64_t bits;             // that occur in the keys of what came in brief
    double completed;          // seconds that making records of it took
    // Where memory suffices and the list's room is known, records are found into `copy`, with their
    // keys, and come to the list in order; else they are found into the list.
    toi_record_sorting staged;
    char *place;  // where they go, whoever finds them
    int64_t room; // for so many; others go to the workers' own lists
    _Atomic int64_t placed;
};

toi_status toi_keep_records(toi_recorder *r, const void *records, int64_t count, int worker);

// Makes the list, in canonical order. Near the limit the records are counted first and found again,
// as src/broad/lists.c does with pairs. On failure the list has no entries. Either way its memory
// is the caller's, in no budget.
toi_status toi_make_record_list(toi_recorder *r, toi_record_array *list);

#endif
