// Sweep and tiniest queue (Belgrod et al., section 6.2, algorithm 2).
//
// Boxes are sorted by their lower bound on the axis where their centres vary most. Box i can only
// overlap those that follow it until one begins beyond its end. The paper keeps a queue of pairs
// (i, j) and replaces (i, j) by (i, j+1) as long as the two overlap on the axis; a GPU warp holds
// 32 boxes i and so 32 entries. Here an entry stands for a run of j: a task holds 32 boxes i, walks
// a window of j that stays in the first-level cache, and an entry leaves the queue when its run
// ends. Two lists are swept against each other in both directions.

#include "broad/layout/axes.h"

enum
{
    QUEUE = 32,
    QUEUES_A_TASK = 8,
    WINDOW = 512
};

// One direction of the sweep: probes from one list, runs in the other.
typedef struct sweep
{
    const toi_layout *probes;
    const toi_layout *boxes;
    bool after; // only boxes that begin strictly after the probe: the other direction has the ties
    int write;
    int64_t tasks;
} sweep;

typedef struct stq
{
    const toi_broad_job *job;
    toi_layout a, b;
    sweep sweeps[2];
    toi_pair *buffers;
} stq;

// Box `probe` is to be compared with boxes `next` and after.
typedef struct entry
{
    int64_t probe;
    int64_t next;
} entry;

// Probes are sorted, so where their runs begin only moves forward: one search finds the first.
static int fill_queue(const sweep *s, int64_t first, entry *queue)
{
    int count = 0;
    bool self = s->probes == s->boxes;
    int64_t end = first + QUEUE < s->probes->count ? first + QUEUE : s->probes->count;
    int64_t begin = self || first >= end
                        ? 0
                        : toi_first_from(s->boxes, 0, s->boxes->count,
                                         toi_bound(s->probes, TOI_LO0, first), s->after);
    for (int64_t i = first; i < end; ++i) {
        if (self) {
            begin = i + 1;
        } else {
            float x = toi_bound(s->probes, TOI_LO0, i);
            while (begin < s->boxes->count &&
                   (toi_bound(s->boxes, TOI_LO0, begin) < x ||
                    (s->after && toi_bound(s->boxes, TOI_LO0, begin) == x)))
                ++begin;
        }
        if (begin < s->boxes->count)
            queue[count++] = (entry){i, begin};
    }
    return count;
}

// Compares every entry with the window of boxes that the first of them has reached, and drops the
// entries that are through.
static toi_status sweep_window(const sweep *s, entry *queue, int *count, toi_pair_writer *writer)
{
    int64_t until = (queue[0].next / WINDOW + 1) * WINDOW;
    if (until > s->boxes->count)
        until = s->boxes->count;
    int kept = 0;
    for (int q = 0; q < *count; ++q) {
        entry e = queue[q];
        bool stopped = false;
        if (e.next < until) {
            toi_run run = {.probe_layout = s->probes,
                           .probe = e.probe,
                           .layout = s->boxes,
                           .begin = e.next,
                           .end = until,
                           .sorted = true,
                           .write = s->write};
            toi_status status = toi_write_run(writer, run, &stopped);
            if (status != TOI_OK)
                return status;
            e.next = until;
        }
        if (!stopped && e.next < s->boxes->count)
            queue[kept++] = e;
    }
    *count = kept;
    return TOI_OK;
}

static toi_status search_task(void *context, int64_t task, int worker)
{
    stq *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, task, worker);
    const sweep *w = task < s->sweeps[0].tasks ? &s->sweeps[0] : &s->sweeps[1];
    int64_t first = (w == s->sweeps ? task : task - s->sweeps[0].tasks) * QUEUE * QUEUES_A_TASK;
    toi_status status = TOI_OK;
    for (int k = 0; k < QUEUES_A_TASK && status == TOI_OK; ++k) {
        entry queue[QUEUE];
        int count = fill_queue(w, first + k * QUEUE, queue);
        while (count > 0 && status == TOI_OK)
            status = sweep_window(w, queue, &count, &writer);
    }
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, 1) : status;
}

static sweep make_sweep(const toi_layout *probes, const toi_layout *boxes, bool after, int write)
{
    int64_t a_task = QUEUE * QUEUES_A_TASK;
    return (sweep){probes, boxes, after, write, (probes->count + a_task - 1) / a_task};
}

toi_status toi_search_stq(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    stq s = {.job = job};
    int axis = toi_widest_axis(job);
    toi_status status = toi_make_layout(job->a, axis, job->workers, job->budget, &s.a);
    if (status == TOI_OK && !job->self)
        status = toi_make_layout(job->b, axis, job->workers, job->budget, &s.b);
    if (status == TOI_OK) {
        s.buffers = toi_take_writer_buffers(job);
        status = s.buffers ? TOI_OK : toi_allocation_status();
    }
    if (job->self) {
        s.sweeps[0] = make_sweep(&s.a, &s.a, false, TOI_WRITE_SORTED);
    } else {
        s.sweeps[0] = make_sweep(&s.a, &s.b, false, TOI_WRITE_PROBE_FIRST);
        s.sweeps[1] = make_sweep(&s.b, &s.a, true, TOI_WRITE_PROBE_SECOND);
    }
    int64_t tasks = s.sweeps[0].tasks + s.sweeps[1].tasks;
    if (job->meter)
        job->meter->total = tasks;
    if (status == TOI_OK)
        status = toi_parallel(job->workers, tasks, search_task, &s);
    toi_give_back(s.buffers);
    toi_free_layout(&s.a);
    toi_free_layout(&s.b);
    return status;
}
