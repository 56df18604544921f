// Lists of pairs: collecting them from many workers in an order that does not depend on their
// number, and sorting them.

#include "broad/broad.h"

#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

// A stretch of one worker's list that came from one task.
typedef struct toi_segment
{
    int64_t task;
    int64_t begin;
    int64_t count;
    int64_t target; // where it goes in the final list
} toi_segment;

typedef struct toi_worker_pairs
{
    toi_pair_array pairs;
    toi_segment *segments;
    int64_t segment_count;
    int64_t segment_capacity;
} toi_worker_pairs;

toi_status toi_collector_init(toi_collector *collector, int workers, toi_budget *budget,
                              toi_pair_array *pairs)
{
    *collector = (toi_collector){.workers = workers, .budget = budget, .pairs = pairs};
    if (workers == 1)
        return TOI_OK; // tasks run in order: straight into the result
    collector->parts = toi_take(budget, workers, sizeof *collector->parts);
    if (!collector->parts)
        return toi_allocation_status();
    memset(collector->parts, 0, (size_t)workers * sizeof *collector->parts);
    return TOI_OK;
}

static toi_status append(toi_budget *budget, toi_pair_array *array, const toi_pair *pairs,
                         int64_t count)
{
    toi_status status = toi_reserve(budget, (void **)&array->data, &array->capacity,
                                    array->count + count, sizeof *pairs);
    if (status != TOI_OK)
        return status;
    memcpy(array->data + array->count, pairs, (size_t)count * sizeof *pairs);
    array->count += count;
    return TOI_OK;
}

toi_status toi_collect(void *context, toi_pair *pairs, int64_t count, int64_t task, int worker)
{
    toi_collector *collector = context;
    if (!collector->parts)
        return append(collector->budget, collector->pairs, pairs, count);
    toi_worker_pairs *part = &collector->parts[worker];
    toi_segment *last = part->segment_count ? &part->segments[part->segment_count - 1] : NULL;
    if (!last || last->task != task) {
        toi_status status =
            toi_reserve(collector->budget, (void **)&part->segments, &part->segment_capacity,
                        part->segment_count + 1, sizeof *part->segments);
        if (status != TOI_OK)
            return status;
        last = &part->segments[part->segment_count++];
        *last = (toi_segment){.task = task, .begin = part->pairs.count};
    }
    last->count += count;
    return append(collector->budget, &part->pairs, pairs, count);
}

// Merges the workers' segments by task, after what the list holds already; returns its new length.
static int64_t place_segments(toi_collector *collector, int64_t *cursors)
{
    int64_t total = collector->pairs->count;
    memset(cursors, 0, (size_t)collector->workers * sizeof *cursors);
    for (;;) {
        int best = -1;
        for (int w = 0; w < collector->workers; ++w) {
            const toi_worker_pairs *part = &collector->parts[w];
            if (cursors[w] < part->segment_count &&
                (best < 0 || part->segments[cursors[w]].task <
                                 collector->parts[best].segments[cursors[best]].task))
                best = w;
        }
        if (best < 0)
            return total;
        toi_segment *segment = &collector->parts[best].segments[cursors[best]++];
        segment->target = total;
        total += segment->count;
    }
}

static toi_status copy_part(void *context, int64_t index, int worker)
{
    (void)worker;
    toi_collector *collector = context;
    toi_worker_pairs *part = &collector->parts[index];
    for (int64_t i = 0; i < part->segment_count; ++i) {
        const toi_segment *s = &part->segments[i];
        memcpy(collector->pairs->data + s->target, part->pairs.data + s->begin,
               (size_t)s->count * sizeof(toi_pair));
    }
    part->pairs.count = 0;
    part->segment_count = 0;
    return TOI_OK;
}

static int compare_segments(const void *a, const void *b)
{
    int64_t x = ((const toi_segment *)a)->task, y = ((const toi_segment *)b)->task;
    return (x > y) - (x < y);
}

toi_status toi_collector_settle(void *context)
{
    toi_collector *collector = context;
    if (!collector->parts)
        return TOI_OK;
    int64_t *cursors = toi_take(collector->budget, collector->workers, sizeof *cursors);
    if (!cursors)
        return toi_allocation_status();
    // A caller's parallel-for may hand tasks to a worker in any order.
    for (int w = 0; w < collector->workers; ++w)
        if (collector->parts[w].segment_count > 0)
            qsort(collector->parts[w].segments, (size_t)collector->parts[w].segment_count,
                  sizeof(toi_segment), compare_segments);
    int64_t total = place_segments(collector, cursors);
    toi_give_back(cursors);
    toi_status status = toi_reserve(collector->budget, (void **)&collector->pairs->data,
                                    &collector->pairs->capacity, total, sizeof(toi_pair));
    if (status == TOI_OK)
        status = toi_parallel(collector->workers, collector->workers, copy_part, collector);
    if (status == TOI_OK)
        collector->pairs->count = total;
    return status;
}

toi_status toi_collector_finish(toi_collector *collector, toi_status status)
{
    for (int w = 0; collector->parts && w < collector->workers; ++w) {
        toi_give_back(collector->parts[w].pairs.data);
        toi_give_back(collector->parts[w].segments);
    }
    toi_give_back(collector->parts);
    collector->parts = NULL;
    toi_detach(collector->pairs->data); // from here on it is the caller's
    return status;
}

void toi_free_pairs(toi_pair_array *pairs)
{
    if (!pairs)
        return;
    toi_give_back(pairs->data);
    *pairs = (toi_pair_array){NULL, 0, 0};
}

typedef struct key_job
{
    toi_pair *pairs;
    uint64_t *keys;
    int64_t count;
    int64_t pieces;
} key_job;

static toi_status pack(void *context, int64_t piece, int worker)
{
    (void)worker;
    key_job *job = context;
    int64_t end = toi_piece(job->count, job->pieces, piece + 1);
    for (int64_t i = toi_piece(job->count, job->pieces, piece); i < end; ++i)
        job->keys[i] = (uint64_t)(uint32_t)job->pairs[i].a << 32 | (uint32_t)job->pairs[i].b;
    return TOI_OK;
}

static toi_status unpack(void *context, int64_t piece, int worker)
{
    (void)worker;
    key_job *job = context;
    int64_t end = toi_piece(job->count, job->pieces, piece + 1);
    for (int64_t i = toi_piece(job->count, job->pieces, piece); i < end; ++i)
        job->pairs[i] = (toi_pair){(int32_t)(job->keys[i] >> 32), (int32_t)(uint32_t)job->keys[i]};
    return TOI_OK;
}

toi_status toi_sort_pairs(toi_pair *pairs, int64_t count, int workers)
{
    int resolved;
    toi_status status = toi_resolve_workers(workers, &resolved);
    if (status != TOI_OK || count < 2)
        return status;
    key_job job = {pairs, toi_take(NULL, count, sizeof *job.keys), count, 1 + count / 65536};
    if (!job.keys)
        return toi_allocation_status();
    status = toi_parallel(resolved, job.pieces, pack, &job);
    if (status == TOI_OK)
        status = toi_radix_sort(job.keys, count, ~(uint64_t)0, resolved, NULL);
    if (status == TOI_OK)
        status = toi_parallel(resolved, job.pieces, unpack, &job);
    toi_give_back(job.keys);
    return status;
}
