// Pairs that the caller gives instead of a search: checked, then handed on in blocks as a broad
// phase hands on what it finds.

#include "ccd/pipeline.h"

#include "base/status.h"
#include "ccd/corners.h"
#include "mesh/mesh.h"

#include <inttypes.h>
#include <string.h>

// Pairs of one task. They are copied, since receivers overwrite what they are handed.
enum
{
    GIVEN_BLOCK = 1024
};

// ---- Checks

typedef struct pair_check
{
    const toi_mesh *mesh;
    toi_kind kind;
    const toi_pair *pairs;
} pair_check;

static toi_status check_number(const pair_check *check, int64_t at, toi_primitive primitive,
                               int32_t number)
{
    static const char *const ones[] = {"vertex", "edge", "face"};
    static const char *const all[] = {"vertices", "edges", "faces"};
    int64_t count = toi_primitive_count(check->mesh, primitive);
    if (number >= 0 && number < count)
        return TOI_OK;
    return toi_fail(TOI_ERROR_DATA,
                    "given pairs, list %s: pair %" PRId64 " names %s %" PRId32
                    ", but there are %" PRId64 " %s",
                    toi_kind_name(check->kind), at, ones[primitive], number, count, all[primitive]);
}

static toi_status check_piece(void *context, int64_t first, int64_t end)
{
    const pair_check *check = context;
    toi_status status = TOI_OK;
    for (int64_t i = first; i < end && status == TOI_OK; ++i) {
        toi_pair pair = check->pairs[i];
        status = check_number(check, i, toi_first_primitive(check->kind), pair.a);
        if (status == TOI_OK)
            status = check_number(check, i, toi_second_primitive(check->kind), pair.b);
    }
    return status;
}

toi_status toi_check_given(const toi_pipeline *p)
{
    const toi_pair_array *lists = p->def->given;
    toi_status status = TOI_OK;
    for (int kind = 0; lists && kind < TOI_KIND_COUNT && status == TOI_OK; ++kind) {
        const toi_pair_array *list = &lists[kind];
        const char *name = toi_kind_name((toi_kind)kind);
        if (list->count < 0)
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "given pairs, list %s: the number of pairs is %" PRId64
                            "; use 0 or more",
                            name, list->count);
        if (list->count > 0 && !list->data)
            return toi_fail(TOI_ERROR_ARGUMENT,
                            "given pairs, list %s: no data for %" PRId64 " pairs", name,
                            list->count);
        pair_check check = {&p->mesh, (toi_kind)kind, list->data};
        status = toi_parallel_ranges(p->workers, list->count, TOI_PIECE, check_piece, &check);
    }
    return status;
}

// ---- Handing on

typedef struct given_stream
{
    toi_pipeline *pipeline;
    toi_kind kind;
    toi_receiver to;
    toi_pair *blocks; // one a worker
} given_stream;

// The lower one first, where both are of one sort.
static void copy_pairs(toi_kind kind, const toi_pair *from, int64_t count, toi_pair *to)
{
    memcpy(to, from, (size_t)count * sizeof *to);
    for (int64_t i = 0; toi_kind_is_alike(kind) && i < count; ++i)
        if (to[i].b < to[i].a)
            to[i] = (toi_pair){to[i].b, to[i].a};
}

static toi_status stream_block(void *context, int64_t task, int worker)
{
    const given_stream *s = context;
    toi_pipeline *p = s->pipeline;
    const toi_pair_array *list = &p->def->given[s->kind];
    int64_t first = task * GIVEN_BLOCK, rest = list->count - first;
    int64_t count = rest < GIVEN_BLOCK ? rest : GIVEN_BLOCK;
    toi_pair *pairs = s->blocks + (int64_t)worker * GIVEN_BLOCK;
    copy_pairs(s->kind, list->data + first, count, pairs);
    int64_t kept = toi_keep_overlapping(p, s->kind, pairs, count);
    kept = toi_keep_allowed(p, s->kind, pairs, kept);
    toi_status status = kept > 0 ? s->to.emit(s->to.context, pairs, kept, task, worker) : TOI_OK;
    if (status == TOI_OK && s->to.end_task)
        status = s->to.end_task(s->to.context, task, worker);
    return status == TOI_OK ? toi_meter_add(&p->meter, count) : status;
}

toi_status toi_stream_given(toi_pipeline *p, toi_kind kind, toi_receiver to)
{
    int64_t count = p->def->given[kind].count;
    double started = toi_clock();
    given_stream s = {p, kind, to, toi_take(p->budget, p->workers, GIVEN_BLOCK * sizeof(toi_pair))};
    if (!s.blocks)
        return toi_allocation_status();
    p->meter.total = count;
    toi_status status =
        toi_parallel(p->workers, (count + GIVEN_BLOCK - 1) / GIVEN_BLOCK, stream_block, &s);
    toi_give_back(s.blocks);
    p->report.seconds_broad += toi_clock() - started;
    return status;
}

int64_t toi_given_need(const toi_pair_array *lists, int workers)
{
    enum
    {
        TASK_BYTES = 128 // noted while lists are made
    };
    int64_t longest = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        longest = lists[kind].count > longest ? lists[kind].count : longest;
    return workers * (int64_t)(GIVEN_BLOCK * sizeof(toi_pair)) +
           (longest / GIVEN_BLOCK + 1) * TASK_BYTES;
}
