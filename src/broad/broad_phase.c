// The table of methods, and the three ways to run one: into a list, between lists, into a sink.

#include "broad/broad.h"

#include "base/fp_mode.h"
#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const uint32_t BROAD_COOKIE = 0xb40ad002u;

static const struct
{
    const char *name;
    toi_broad_search *search;
} methods[TOI_BROAD_COUNT] = {
    [TOI_BROAD_AUTO] = {"auto", toi_search_auto},
    [TOI_BROAD_BRUTE] = {"brute", toi_search_brute},
    [TOI_BROAD_SWEEP] = {"sweep", toi_search_sweep},
    [TOI_BROAD_SWEEP_INCREMENTAL] = {"sweep-incremental", toi_search_sweep_incremental},
    [TOI_BROAD_STQ] = {"stq", toi_search_stq},
    [TOI_BROAD_GRID] = {"grid", toi_search_grid},
    [TOI_BROAD_GRID_SWEEP] = {"grid-sweep", toi_search_grid_sweep},
    [TOI_BROAD_HASH] = {"hash", toi_search_hash},
    [TOI_BROAD_BVH] = {"bvh", toi_search_bvh},
    [TOI_BROAD_LBVH] = {"lbvh", toi_search_lbvh},
    [TOI_BROAD_KDTREE] = {"kdtree", toi_search_kdtree},
    [TOI_BROAD_TRACY] = {"tracy", toi_search_tracy},
    [TOI_BROAD_INTERVAL_TREE] = {"interval-tree", toi_search_interval_tree},
};

const char *toi_broad_name(toi_broad_method method)
{
    return (unsigned)method < TOI_BROAD_COUNT ? methods[method].name : NULL;
}

toi_broad_method toi_broad_find(const char *name)
{
    int method = 0;
    while (method < TOI_BROAD_COUNT && strcmp(methods[method].name, name) != 0)
        ++method;
    return (toi_broad_method)method;
}

toi_broad_def toi_default_broad_def(void)
{
    return (toi_broad_def){.method = TOI_BROAD_AUTO, .cookie = BROAD_COOKIE};
}

toi_status toi_search(toi_broad_method method, const toi_broad_job *job)
{
    return methods[method].search(job);
}

typedef struct box_check
{
    toi_box_view boxes;
    const char *list;
} box_check;

enum
{
    CHECK_PIECE = 1 << 14
};

static toi_status check_piece(void *context, int64_t piece, int worker)
{
    (void)worker;
    const box_check *check = context;
    int64_t first = piece * CHECK_PIECE, end = first + CHECK_PIECE;
    for (int64_t i = first; i < end && i < check->boxes.count; ++i)
        for (int k = 0; k < 3; ++k) {
            double lo = check->boxes.data[i].lo[k], hi = check->boxes.data[i].hi[k];
            if (!isfinite(lo) || !isfinite(hi) || lo > hi)
                return toi_fail(TOI_ERROR_DATA,
                                "%s: box %" PRId64 ": [%g, %g] on axis %c is not an interval of "
                                "finite numbers",
                                check->list, i, lo, hi, "xyz"[k]);
        }
    return TOI_OK;
}

static toi_status check_boxes(toi_box_view boxes, const char *list, int workers)
{
    if (boxes.count < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s: the number of boxes is %" PRId64 "; use 0 or more",
                        list, boxes.count);
    if (boxes.count > INT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "%s: %" PRId64 " boxes: at most %d are possible", list,
                        boxes.count, INT32_MAX);
    if (boxes.count > 0 && !boxes.data)
        return toi_fail(TOI_ERROR_DATA, "%s: no data for %" PRId64 " boxes", list, boxes.count);
    box_check check = {boxes, list};
    return toi_parallel(workers, (boxes.count + CHECK_PIECE - 1) / CHECK_PIECE, check_piece,
                        &check);
}

// Checks everything and turns a definition into a job; `meter` and `budget` live as long as the
// job.
static toi_status start_job(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                            toi_budget *budget, toi_meter *meter, toi_broad_job *job)
{
    TOI_CHECK_DEF(def, BROAD_COOKIE, "broad");
    if ((unsigned)def->method >= TOI_BROAD_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no broad phase number %d", (int)def->method);
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    *job = (toi_broad_job){.a = a, .b = b ? *b : a, .self = !b, .budget = budget, .meter = meter};
    toi_status status = toi_resolve_workers(def->workers, &job->workers);
    if (status == TOI_OK)
        status = check_boxes(a, b ? "first list" : "boxes", job->workers);
    if (status == TOI_OK && b)
        status = check_boxes(*b, "second list", job->workers);
    if (status == TOI_OK && b && a.count + b->count > INT32_MAX)
        status =
            toi_fail(TOI_ERROR_LIMIT, "%" PRId64 " boxes in two lists: at most %d are possible",
                     a.count + b->count, INT32_MAX);
    if (status == TOI_OK && def->memory)
        job->slot = &def->memory->slots[job->self ? TOI_SLOT_SELF : TOI_SLOT_BETWEEN];
    budget->limit = def->memory_limit;
    toi_meter_init(meter, def->progress, def->progress_context);
    return status;
}

typedef struct sink_adapter
{
    toi_pair_sink *sink;
    void *context;
} sink_adapter;

static toi_status emit_to_sink(void *context, toi_pair *pairs, int64_t count, int64_t task,
                               int worker)
{
    (void)task;
    const sink_adapter *adapter = context;
    return adapter->sink(adapter->context, pairs, count, worker);
}

toi_status toi_stream_pairs(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                            toi_pair_sink *sink, void *context)
{
    TOI_GUARD_FP;
    toi_budget budget = {0};
    toi_meter meter;
    toi_broad_job job = {0};
    toi_status status = start_job(def, a, b, &budget, &meter, &job);
    if (status == TOI_OK)
        status = toi_enter_memory(def->memory, &budget);
    if (status != TOI_OK)
        return status;
    sink_adapter adapter = {sink, context};
    job.to = (toi_receiver){.context = &adapter, .emit = emit_to_sink};
    status = toi_search(def->method, &job);
    toi_leave_memory(def->memory);
    return status;
}

static toi_status find_pairs(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                             toi_pair_array *pairs)
{
    toi_budget budget = {0};
    toi_meter meter;
    toi_broad_job job = {0};
    toi_status status = start_job(def, a, b, &budget, &meter, &job);
    if (status == TOI_OK)
        status = toi_enter_memory(def->memory, &budget);
    if (status != TOI_OK)
        return status;
    toi_collector collector;
    status = toi_collector_init(&collector, job.workers, &budget, &meter, pairs);
    if (status == TOI_OK) {
        job.to = toi_collector_receiver(&collector);
        status = toi_search(def->method, &job);
    }
    toi_collector_finish(&collector);
    toi_leave_memory(def->memory);
    if (status == TOI_OK && def->order == TOI_ORDER_CANONICAL)
        status = toi_sort_pairs(pairs->data, pairs->count, job.workers);
    return status;
}

static toi_status find_pairs_safely(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                                    toi_pair_array *pairs)
{
    pairs->count = 0;
    toi_status status = find_pairs(def, a, b, pairs);
    if (status != TOI_OK)
        pairs->count = 0;
    return status;
}

toi_status toi_find_pairs(const toi_broad_def *def, toi_box_view boxes, toi_pair_array *pairs)
{
    TOI_GUARD_FP;
    return find_pairs_safely(def, boxes, NULL, pairs);
}

toi_status toi_find_pairs_between(const toi_broad_def *def, toi_box_view a, toi_box_view b,
                                  toi_pair_array *pairs)
{
    TOI_GUARD_FP;
    return find_pairs_safely(def, a, &b, pairs);
}
