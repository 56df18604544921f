// Lists of queries by `inclusion-queue`: one queue of the cells of many queries, a thread for each
// cell, a level at a time (Belgrod et al. 2023, algorithm 3). The queue is bounded; where it
// overflows the queries are run again, half as many at a time (section 6.4).
//
// No order of threads shows in a result: see queue.cuh.

#include "cuda/queue.cuh"

#include "cuda/queries.cuh"

#include <cstring>

enum
{
    QUEUE_THREADS = 128,
    LEAST_CELLS = 1 << 12,
    MOST_CELLS = 1 << 20,
    CELLS_EACH = 8 // of the queue, for each query that starts
};

static_assert(2 * TOI_MOST_WAITING <= LEAST_CELLS, "one query alone never overflows the queue");

// A queue, and the queries of a part that are in it.
struct queue_view
{
    toi_query_part part;
    toi_narrow_def def;
    toi_queued *queued;
    toi_queue_entry *cells[2];
    toi_count *waiting; // cells of the next level; goes on past the capacity
    toi_count capacity;
    uint32_t first, count; // of the part's list of what the filter left
};

static __device__ uint32_t thread_number()
{
    return blockIdx.x * QUEUE_THREADS + threadIdx.x;
}

static __global__ void __launch_bounds__(QUEUE_THREADS) filter(const __grid_constant__ queue_view v)
{
    uint32_t i = thread_number();
    if (i >= v.part.count)
        return;
    toi_queued q;
    toi_query_result result;
    memset(&result, 0, sizeof result);
    result.state = TOI_SEPARATED;
    result.time = HUGE_VAL;
    v.part.results[i] = result;
    bool left = toi_take_queued(v.part.edge_edge, &v.def, &v.part.queries[i], &q) != 0;
    toi_count at = toi_take_places(&v.part.counts->left, left);
    if (left)
        v.part.left[at] = i;
}

static __global__ void __launch_bounds__(QUEUE_THREADS) enter(const __grid_constant__ queue_view v)
{
    uint32_t i = thread_number();
    if (i >= v.count)
        return;
    toi_queued *q = &v.queued[i];
    uint32_t index = v.part.left[v.first + i];
    toi_take_queued(v.part.edge_edge, &v.def, &v.part.queries[index], q);
    q->index = index;
    v.cells[0][i].cell = q->next.first;
    v.cells[0][i].owner = i;
}

static __global__ void __launch_bounds__(QUEUE_THREADS)
    begin_level(const __grid_constant__ queue_view v)
{
    uint32_t i = thread_number();
    if (i >= v.count)
        return;
    toi_queued *q = &v.queued[i];
    toi_begin_level(v.part.edge_edge, &v.def, &v.part.queries[q->index], q,
                    &v.part.results[q->index]);
}

static __device__ double seen_now(const double *x)
{
    return *(const volatile double *)x;
}

// May the outcome lower a minimum of the next level? Minima only fall, so an old value errs on the
// safe side.
static __device__ bool may_lower(const toi_cell_outcome *o, const toi_queued *q)
{
    const toi_findings *next = &q->next;
    bool some = toi_touches_before(&o->touched, &q->now.touched) &&
                o->touched.time <= seen_now(&next->touched.time);
    some = some || (o->accepted && o->cell.lo[0] <= seen_now(&next->found.lo[0]));
    double first = seen_now(&next->first.lo[0]);
    for (int i = 0; i < o->remain; ++i)
        some = some || o->left[i].lo[0] <= first;
    return some;
}

// Joins the minima, one thread at a time; past the caches that the cores have for themselves.
static __device__ void join_minima(const toi_cell_outcome *o, toi_queued *q)
{
    enum
    {
        NUMBERS = (2 * sizeof(toi_cell) + sizeof(toi_touch)) / sizeof(double)
    };
    static_assert(offsetof(toi_findings, waiting) == NUMBERS * sizeof(double), "they come first");
    volatile double *shared = (volatile double *)&q->next;
    for (bool done = false; !done;) {
        if (atomicCAS(&q->lock, 0u, 1u) != 0)
            continue;
        __threadfence();
        toi_findings next;
        double *own = (double *)&next;
        for (int i = 0; i < NUMBERS; ++i)
            own[i] = shared[i];
        toi_join_outcome(o, &next);
        for (int i = 0; i < NUMBERS; ++i)
            shared[i] = own[i];
        __threadfence();
        atomicExch(&q->lock, 0u);
        done = true;
    }
}

static __global__ void __launch_bounds__(QUEUE_THREADS)
    examine_level(const __grid_constant__ queue_view v, int from, toi_count count)
{
    toi_count i = (toi_count)blockIdx.x * QUEUE_THREADS + threadIdx.x;
    if (i >= count)
        return;
    toi_queue_entry entry = v.cells[from][i];
    toi_queued *q = &v.queued[entry.owner];
    if (q->ended)
        return;
    toi_cell_outcome o;
    toi_process_cell(q, entry.cell, &o);
    if (o.hit)
        atomicOr(&q->next.hit, 1);
    if (may_lower(&o, q))
        join_minima(&o, q);
    if (o.remain == 0)
        return;
    atomicAdd(&q->next.waiting, o.remain);
    toi_count at = atomicAdd(v.waiting, (toi_count)o.remain);
    for (int n = 0; n < o.remain; ++n)
        if (at + n < v.capacity) {
            v.cells[1 - from][at + n].cell = o.left[n];
            v.cells[1 - from][at + n].owner = entry.owner;
        }
}

// ---- Runs

static unsigned blocks_for(toi_count threads)
{
    return (unsigned)((threads + QUEUE_THREADS - 1) / QUEUE_THREADS);
}

static toi_status read_count(const toi_card *card, const toi_count *from, toi_count *count,
                             toi_complaint *complaint)
{
    TOI_TRY(
        toi_check_cuda(cudaMemcpyAsync(count, from, sizeof *count, cudaMemcpyDefault, card->stream),
                       "send counts", complaint));
    return toi_check_cuda(cudaStreamSynchronize(card->stream), "search cells", complaint);
}

// Runs the queries of the view to their ends. *fits is false where the queue overflowed, and they
// must be run again, fewer at a time.
static toi_status run(const toi_card *card, const queue_view *v, bool *fits,
                      toi_complaint *complaint)
{
    toi_count waiting = v->count;
    unsigned blocks = blocks_for(v->count);
    enter<<<blocks, QUEUE_THREADS, 0, card->stream>>>(*v);
    for (int level = 0; waiting <= v->capacity; ++level) {
        begin_level<<<blocks, QUEUE_THREADS, 0, card->stream>>>(*v);
        if (waiting == 0)
            break;
        TOI_TRY(toi_check_cuda(cudaMemsetAsync(v->waiting, 0, sizeof *v->waiting, card->stream),
                               "clear memory", complaint));
        examine_level<<<blocks_for(waiting), QUEUE_THREADS, 0, card->stream>>>(*v, level % 2,
                                                                               waiting);
        TOI_TRY(toi_check_start("start to search cells", complaint));
        TOI_TRY(read_count(card, v->waiting, &waiting, complaint));
    }
    *fits = waiting <= v->capacity;
    return TOI_OK;
}

static size_t queue_bytes(toi_count cells)
{
    return sizeof(toi_count) + 2 * cells * sizeof(toi_queue_entry) +
           cells / CELLS_EACH * sizeof(toi_queued);
}

// As large a queue as the limit allows; three quarters of it are left to the queries themselves.
static toi_status make_queue(toi_card *card, queue_view *v, toi_complaint *complaint)
{
    toi_room *room = &card->cells;
    toi_count cells = MOST_CELLS;
    while (cells > LEAST_CELLS &&
           (!toi_fits_limit(card, room, queue_bytes(cells)) ||
            (card->limit > 0 && queue_bytes(cells) > (size_t)card->limit / 4)))
        cells /= 2;
    TOI_TRY(toi_make_room(card, room, queue_bytes(cells), complaint));
    char *at = (char *)room->data;
    v->capacity = cells;
    v->waiting = (toi_count *)at;
    v->cells[0] = (toi_queue_entry *)(at + sizeof(toi_count));
    v->cells[1] = v->cells[0] + cells;
    v->queued = (toi_queued *)(v->cells[1] + cells);
    return TOI_OK;
}

static queue_view view_part(const toi_query_part *part, const toi_narrow_def *def)
{
    queue_view v;
    memset(&v, 0, sizeof v);
    v.part = *part;
    v.def = *def;
    return v;
}

void toi_start_queue_filter(const toi_card *card, const toi_query_part *part,
                            const toi_narrow_def *def)
{
    filter<<<blocks_for(part->count), QUEUE_THREADS, 0, card->stream>>>(view_part(part, def));
}

toi_status toi_search_part(toi_card *card, const toi_query_part *part, const toi_narrow_def *def,
                           toi_complaint *complaint)
{
    queue_view v = view_part(part, def);
    toi_count left = 0;
    TOI_TRY(make_queue(card, &v, complaint));
    TOI_TRY(read_count(card, &part->counts->left, &left, complaint));
    toi_count most = v.capacity / CELLS_EACH, size = most;
    for (toi_count first = 0; first < left;) {
        bool fits;
        v.first = (uint32_t)first;
        v.count = (uint32_t)toi_least(size, left - first);
        TOI_TRY(run(card, &v, &fits, complaint));
        first += fits ? v.count : 0;
        size = fits ? toi_least(2 * size, most) : v.count / 2;
    }
    return TOI_OK;
}
