// Every pair: the reference. Quadratic, but sixteen comparisons at a time on all cores, so that
// scenes of 10^5 boxes can be checked against it in seconds.

#include "broad/layout/layout.h"

enum
{
    ROWS = 64
};

typedef struct brute
{
    const toi_broad_job *job;
    toi_layout a, b;
    toi_pair *buffers;
} brute;

static toi_status search_rows(void *context, int64_t task, int worker)
{
    brute *s = context;
    toi_pair_writer writer = toi_start_writer(s->job, s->buffers, task, worker);
    const toi_layout *b = s->job->self ? &s->a : &s->b;
    int64_t end = (task + 1) * ROWS < s->a.count ? (task + 1) * ROWS : s->a.count;
    toi_status status = TOI_OK;
    bool stopped; // never: the layout is not sorted
    for (int64_t i = task * ROWS; i < end && status == TOI_OK; ++i) {
        toi_run run = {.probe_layout = &s->a,
                       .probe = i,
                       .layout = b,
                       .end = b->count,
                       .begin = s->job->self ? i + 1 : 0,
                       .write = TOI_WRITE_PROBE_FIRST};
        status = toi_write_run(&writer, run, &stopped);
    }
    if (status == TOI_OK)
        status = toi_end_writer(&writer);
    return status == TOI_OK ? toi_meter_add(s->job->meter, end - task * ROWS) : status;
}

toi_status toi_search_brute(const toi_broad_job *job)
{
    brute s = {.job = job};
    toi_status status = toi_make_layout(job->a, -1, job->workers, job->budget, &s.a);
    if (status == TOI_OK && !job->self)
        status = toi_make_layout(job->b, -1, job->workers, job->budget, &s.b);
    if (status == TOI_OK) {
        s.buffers = toi_take_writer_buffers(job);
        status = s.buffers ? TOI_OK : toi_allocation_status();
    }
    if (job->meter)
        job->meter->total = job->a.count;
    if (status == TOI_OK)
        status = toi_parallel(job->workers, (job->a.count + ROWS - 1) / ROWS, search_rows, &s);
    toi_give_back(s.buffers);
    toi_free_layout(&s.a);
    toi_free_layout(&s.b);
    return status;
}
