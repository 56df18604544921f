// Sorting what was found in brief, and making records of it. With n records in the list its memory
// has, in quarters of 16 n bytes:
//
//     as found | tables of the sort | scratch | in order
//     records, from the front on: none reaches what is brief of a later one
//
// so that all of it takes no memory beside the list.

#include "ccd/brief.h"

#include "base/parallel.h"
#include "ccd/brief_sort.h"

#include <string.h>

enum
{
    AT_ONCE = 64,       // records that are made together
    LEAST_SHARED = 4096 // what is left when workers are no help any more
};

typedef struct completing
{
    const toi_recorder *recorder;
    const toi_brief *sorted; // the last quarter
    char *records;
    int64_t begin; // of the records that ranges are counted from
} completing;

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
    toi_brief *quarters = list->data;
    if (count == 0)
        return;
    toi_brief_sort sort = {.found = quarters,
                           .tables = quarters + count,
                           .scratch = quarters + 2 * count,
                           .sorted = quarters + (TOI_BRIEF_SHARE - 1) * count,
                           .count = count,
                           .all = r->bits};
    toi_sort_brief(&sort, r->workers);
    double started = toi_clock();
    completing c = {.recorder = r, .sorted = sort.sorted, .records = list->data};
    complete_all(&c, count);
    r->completed = toi_clock() - started;
}
