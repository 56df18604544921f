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
    LEAST_SHARED = 4096 // what is left when workers are no help any more
};

typedef struct completing
{
    const toi_recorder *recorder;
    toi_brief_order order;
    const toi_brief *sorted; // the last quarter
    char *records;
    int64_t count;
    int64_t begin; // of the records that ranges are counted from
} completing;

static toi_status complete_range(void *context, int64_t first, int64_t end)
{
    const completing *c = context;
    const toi_recorder *r = c->recorder;
    toi_brief brief[TOI_BRIEF_RUN]; // where it stood there may be records soon
    int64_t at = toi_between_runs(&c->order, c->sorted, c->begin, c->begin + first);
    int64_t to = c->begin + end;
    if (to < c->count)
        to = toi_between_runs(&c->order, c->sorted, c->begin, to);
    while (at < to) {
        int64_t count = toi_read_briefs(&c->order, c->sorted + at, to - at, brief);
        r->complete(r->context, brief, count, c->records + (size_t)at * r->size);
        at += count;
    }
    return TOI_OK;
}

// Workers make records side by side as long as these go where nothing is that is still wanted: the
// first three quarters of them do, then three quarters of the rest, and so on.
static void complete_all(completing *c)
{
    int workers = c->recorder->workers;
    while (workers > 1 && c->count - c->begin > LEAST_SHARED) {
        int64_t next = c->count - (c->count - c->begin + TOI_BRIEF_SHARE - 1) / TOI_BRIEF_SHARE;
        next = toi_between_runs(&c->order, c->sorted, c->begin, next);
        toi_parallel_ranges(workers, next - c->begin, TOI_PIECE, complete_range, c);
        c->begin = next;
    }
    complete_range(c, 0, c->count - c->begin);
}

void toi_complete_records(toi_recorder *r, toi_record_array *list)
{
    int64_t count = list->count;
    toi_brief *quarters = list->data;
    if (count == 0)
        return;
    toi_brief_sort sort = {.found = quarters,
                           .tables = (int64_t *)(quarters + count),
                           .scratch = quarters + 2 * count,
                           .sorted = quarters + (TOI_BRIEF_SHARE - 1) * count,
                           .count = count,
                           .all = r->bits};
    completing c = {.recorder = r, .sorted = sort.sorted, .records = list->data, .count = count};
    c.order = toi_sort_brief(&sort, r->workers);
    double started = toi_clock();
    if (r->ready)
        r->ready(r->context, count);
    complete_all(&c);
    r->completed = toi_clock() - started;
}
