// Sorting what was found in brief, and making records of it. With n records in the list its memory
// has, in quarters of 16 n bytes:
//
//     as found | order, scratch | tables of the sort | -
//     -        |                |                    | in order
//     records, from the front on: none reaches what is brief of a later one
//
// so that all of it takes no memory beside the list.

#include "ccd/brief.h"

#include "base/radix_sort.h"
#include "ccd/key_order.h"

#include <string.h>

enum
{
    AHEAD = 32,         // entries that are fetched before they are copied
    AT_ONCE = 64,       // records that are made together
    LEAST_SHARED = 4096 // what is left when workers are no help any more
};

typedef struct completing
{
    const toi_recorder *recorder;
    const toi_brief *found;
    toi_brief *sorted; // the last quarter
    char *records;
    int64_t begin; // of the records that ranges are counted from
    toi_key_order keys;
} completing;

static toi_status order_keys(void *context, int64_t first, int64_t end)
{
    const completing *c = context;
    const toi_key_order *o = &c->keys;
    for (int64_t i = first; i < end; ++i) {
        int64_t number = toi_number_at(o, i);
        o->order[i] = toi_order_entry(o, c->found[number].key, number);
    }
    return TOI_OK;
}

static toi_status copy_in_order(void *context, int64_t first, int64_t end)
{
    const completing *c = context;
    for (int64_t i = first; i < end; ++i) {
        if (i + AHEAD < end)
            __builtin_prefetch(c->found + toi_ordered(&c->keys, i + AHEAD));
        c->sorted[i] = c->found[toi_ordered(&c->keys, i)];
    }
    return TOI_OK;
}

static uint64_t brief_key(const void *element, int word)
{
    (void)word;
    return ((const toi_brief *)element)->key;
}

// Into the last quarter. Few are sorted where they are: tables would not fit.
static void sort_brief(completing *c, int64_t count)
{
    int workers = c->recorder->workers;
    if (toi_radix_words(count, workers) > 3 * count) {
        toi_sort_in_place(c->records, count, sizeof(toi_brief), 1, brief_key);
        memmove(c->sorted, c->found, (size_t)count * sizeof *c->sorted);
        return;
    }
    c->keys = (toi_key_order){.order = (uint64_t *)(c->records + count * sizeof(toi_brief)),
                              .count = count,
                              .all = c->recorder->bits,
                              .fill = order_keys,
                              .context = c};
    c->keys.scratch = c->keys.order + count;
    toi_sort_keys(&c->keys, workers);
    toi_parallel_ranges(workers, count, TOI_PIECE, copy_in_order, c);
}

static toi_status complete_range(void *context, int64_t first, int64_t end)
{
    const completing *c = context;
    const toi_recorder *r = c->recorder;
    toi_brief brief[AT_ONCE]; // where it stood there may be records soon
    for (int64_t at = c->begin + first; at < c->begin + end; at += AT_ONCE) {
        int64_t count = c->begin + end - at < AT_ONCE ? c->begin + end - at : AT_ONCE;
        memcpy(brief, c->sorted + at, (size_t)count * sizeof *brief);
        r->complete(r->context, brief, count, c->records + (size_t)at * r->size);
    }
    return TOI_OK;
}

// Workers make records side by side as long as these go where nothing is that is still wanted: the
// first three quarters of them do, then three quarters of the rest, and so on.
static void complete_all(completing *c, int64_t count)
{
    int workers = c->recorder->workers;
    while (workers > 1 && count - c->begin > LEAST_SHARED) {
        int64_t next = count - (count - c->begin + TOI_BRIEF_SHARE - 1) / TOI_BRIEF_SHARE;
        toi_parallel_ranges(workers, next - c->begin, TOI_PIECE, complete_range, c);
        c->begin = next;
    }
    complete_range(c, 0, count - c->begin);
}

void toi_complete_records(toi_recorder *r, toi_record_array *list)
{
    int64_t count = list->count;
    completing c = {.recorder = r, .found = list->data, .records = list->data};
    if (count == 0)
        return;
    c.sorted = (toi_brief *)c.records + (TOI_BRIEF_SHARE - 1) * count;
    sort_brief(&c, count);
    double started = toi_clock();
    complete_all(&c, count);
    r->completed = toi_clock() - started;
}
