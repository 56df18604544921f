// Sweep and prune along one axis (Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992,
// section 4.3): boxes are sorted by their lower bound on the axis where their centres vary most,
// and each is compared with all that follow until one begins beyond its end. Two lists are swept
// against each other in both directions. The baseline of the other sweeps: no queue, no window, no
// second axis.

#include "broad/layout/axes.h"

enum
{
    PROBES_A_TASK = 256
};

// One direction of the sweep: probes from one list, runs in the other.
typedef struct direction
{
    const toi_layout *probes;
    const toi_layout *boxes;
    bool after; // only boxes that begin strictly after the probe: the other direction has the ties
    int64_t tasks;
} direction;

typedef struct sweep
{
    const toi_broad_job *job;
    toi_layout a, b;
    direction directions[2];
    toi_pair *buffers;
} sweep;

static toi_status sweep_probes(const direction *d, int64_t first, toi_pair_writer *writer)
{
    const toi_layout *probes = d->probes, *boxes = d->boxes;
    bool self = probes == boxes;
    int64_t end = first + PROBES_A_TASK < probes->count ? first + PROBES_A_TASK : probes->count;
    int64_t begin = 0;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        // Probes are in order, so where their runs begin only moves forward.
        begin = self ? i + 1
                     : toi_first_from(boxes, begin, boxes->count, toi_bound(probes, TOI_LO0, i),
                                      d->after);
        toi_run run = {.probe_layout = probes,
                       .probe = i,
                       .layout = boxes,
                       .begin = begin,
                       .end = boxes->count,
                       .sorted = true,
                       .write = TOI_WRITE_SORTED};
        bool stopped;
        status = toi_write_run(writer, run, &stopped);
    }
    return status;
}

static toi_status search_task(void *context, int64_t task, int worker)
{
    sweep *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, task, worker);
    const direction *d = &s->directions[task >= s->directions[0].tasks];
    int64_t first = (d == s->directions ? task : task - s->directions[0].tasks) * PROBES_A_TASK;
    toi_status status = sweep_probes(d, first, &writer);
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, 1) : status;
}

// Lays the lists out one by one, each in the order of the keys.
static toi_status make_layouts(sweep *s, int axis, const uint64_t *keys)
{
    const toi_broad_job *job = s->job;
    if (job->self)
        return toi_make_joint_layout(job, axis, keys, NULL, job->a.count, &s->a);
    int64_t count = toi_joint_count(job), next[2] = {0, job->a.count};
    uint64_t *split = toi_take(job->budget, count, sizeof *split);
    if (!split)
        return toi_allocation_status();
    for (int64_t i = 0; i < count; ++i)
        split[next[toi_key_id(keys[i]) >= job->a.count]++] = keys[i];
    toi_status status = toi_make_joint_layout(job, axis, split, NULL, job->a.count, &s->a);
    if (status == TOI_OK)
        status = toi_make_joint_layout(job, axis, split + job->a.count, NULL, job->b.count, &s->b);
    toi_give_back(split);
    return status;
}

static direction make_direction(const toi_layout *probes, const toi_layout *boxes, bool after)
{
    return (direction){probes, boxes, after, (probes->count + PROBES_A_TASK - 1) / PROBES_A_TASK};
}

toi_status toi_sweep_sorted(const toi_broad_job *job, int axis, const uint64_t *keys)
{
    sweep s = {.job = job};
    toi_status status = make_layouts(&s, axis, keys);
    if (status == TOI_OK) {
        s.buffers = toi_take_writer_buffers(job);
        status = s.buffers ? TOI_OK : toi_allocation_status();
    }
    s.directions[0] = make_direction(&s.a, job->self ? &s.a : &s.b, false);
    if (!job->self)
        s.directions[1] = make_direction(&s.b, &s.a, true);
    int64_t tasks = s.directions[0].tasks + s.directions[1].tasks;
    if (job->meter)
        job->meter->total = tasks;
    if (status == TOI_OK)
        status = toi_parallel(job->workers, tasks, search_task, &s);
    toi_give_back(s.buffers);
    toi_free_layout(&s.a);
    toi_free_layout(&s.b);
    return status;
}

toi_status toi_search_sweep(const toi_broad_job *job)
{
    if (job->a.count == 0 || (!job->self && job->b.count == 0))
        return TOI_OK;
    int axis = toi_widest_axis(job);
    uint64_t *keys;
    toi_status status = toi_sort_along(job, axis, &keys);
    if (status == TOI_OK)
        status = toi_sweep_sorted(job, axis, keys);
    toi_give_back(keys);
    return status;
}
