// The table of methods, and the three ways to run one: into a list, between lists, into a sink.

#include "broad/layout/layout.h"
#include "broad/tree/mesh_tree.h"

#include "base/fp_mode.h"
#include "base/literature.h"
#include "base/radix_sort.h"
#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const uint32_t BROAD_COOKIE = 0xb40ad002u;

// What each method is and can do, and the bytes that it takes at most beside what all take: for
// each box, for each worker, and once. These are from the arrays that it holds at the same time,
// cells with 9 entries a box (columns with 5); test_limits looks for boxes that need more.
static const struct
{
    const char *name;
    toi_broad_search_fn *search;
    toi_mesh_search_fn *search_mesh;   // or NULL: it needs lists of boxes
    toi_mesh_workers_fn *mesh_workers; // that it can feed with a mesh; or NULL: all
    unsigned traits;                   // that do not follow from the functions
    struct
    {
        int64_t box, worker, own;
    } bytes;
    int64_t (*need)(int64_t boxes, int workers); // instead of the bytes, or NULL
} methods[TOI_BROAD_COUNT] = {
    [TOI_BROAD_AUTO] = {"auto", toi_search_auto, toi_search_mesh_tree, toi_auto_mesh_workers,
                        TOI_BROAD_TRAIT_MEMORY, .need = toi_auto_need},
    [TOI_BROAD_BRUTE] = {"brute", toi_search_brute, .bytes = {30, 0, 0}},
    [TOI_BROAD_SWEEP] = {"sweep", TOI_LITERATURE(toi_search_sweep), .bytes = {46, 0, 0}},
    [TOI_BROAD_SWEEP_INCREMENTAL] = {"sweep-incremental",
                                     TOI_LITERATURE(toi_search_sweep_incremental),
                                     .traits = TOI_BROAD_TRAIT_MEMORY, .bytes = {62, 0, 0}},
    [TOI_BROAD_STQ] = {"stq", TOI_LITERATURE(toi_search_stq), .bytes = {46, 0, 0}},
    [TOI_BROAD_GRID] = {"grid", TOI_LITERATURE(toi_search_grid), .bytes = {380, 8 << 10, 64 << 10}},
    [TOI_BROAD_GRID_SWEEP] = {"grid-sweep", TOI_LITERATURE(toi_search_grid_sweep),
                              .bytes = {225, 8 << 10, 64 << 10}},
    [TOI_BROAD_HASH] = {"hash", TOI_LITERATURE(toi_search_hash),
                        .traits = TOI_BROAD_TRAIT_CELL_SIZE, .bytes = {380, 8 << 10, 64 << 10}},
    [TOI_BROAD_BVH] = {"bvh", TOI_LITERATURE(toi_search_bvh), .traits = TOI_BROAD_TRAIT_MEMORY,
                       .bytes = {95, 0, 360 << 10}},
    [TOI_BROAD_LBVH] = {"lbvh", toi_search_lbvh, toi_search_mesh_tree,
                        .traits = TOI_BROAD_TRAIT_MEMORY, .bytes = {80, 0, 0}},
    [TOI_BROAD_KDTREE] = {"kdtree", TOI_LITERATURE(toi_search_kdtree), .bytes = {140, 0, 96 << 10}},
    [TOI_BROAD_TRACY] = {"tracy", TOI_LITERATURE(toi_search_tracy),
                         .traits = TOI_BROAD_TRAIT_MEMORY, .bytes = {100, 0, 16 << 10}},
    [TOI_BROAD_KDET] = {"kdet", TOI_LITERATURE(toi_search_kdet), .bytes = {380, 8 << 10, 64 << 10}},
    [TOI_BROAD_INTERVAL_TREE] = {"interval-tree", toi_search_interval_tree,
                                 .bytes = {95, 256 << 10, 256 << 10}},
};

// All take a buffer for the pairs of each worker, sort with a table for each, give each the memory
// for a share of the boxes, and note something for each task.
int64_t toi_search_need(toi_broad_method method, int64_t boxes, int workers)
{
    enum
    {
        BUFFER_BYTES = (TOI_WRITER_PAIRS + TOI_BLOCK) * sizeof(toi_pair),
        TASK_BYTES = 1, // a box
        BLOCK_BYTES = 8 << 10
    };
    if (methods[method].need)
        return methods[method].need(boxes, workers);
    int64_t a_worker = methods[method].bytes.worker + BUFFER_BYTES + boxes / 4;
    return boxes * (methods[method].bytes.box + TASK_BYTES) + workers * a_worker +
           methods[method].bytes.own + BLOCK_BYTES +
           toi_radix_tables(8 * boxes, workers); // of entries
}

const char *toi_broad_name(toi_broad_method method)
{
    return (unsigned)method < TOI_BROAD_COUNT ? methods[method].name : NULL;
}

unsigned toi_broad_traits(toi_broad_method method)
{
    if ((unsigned)method >= TOI_BROAD_COUNT || !methods[method].search)
        return 0;
    return methods[method].traits | TOI_BROAD_TRAIT_BUILT |
           (methods[method].search_mesh ? TOI_BROAD_TRAIT_MESH : 0);
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

toi_status toi_check_broad_method(toi_broad_method method)
{
    if ((unsigned)method >= TOI_BROAD_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no broad phase number %d", (int)method);
    if (!methods[method].search)
        return toi_fail_left_out("broad", methods[method].name, methods[TOI_BROAD_AUTO].name);
    return TOI_OK;
}

toi_status toi_search(toi_broad_method method, const toi_broad_job *job)
{
    return methods[method].search(job);
}

toi_status toi_search_mesh(toi_broad_method method, const toi_mesh_boxes *boxes,
                           toi_mesh_order *order, const toi_broad_job *job)
{
    return methods[method].search_mesh(boxes, order, job);
}

int toi_mesh_workers(toi_broad_method method, const toi_mesh_counts *counts, int workers)
{
    return methods[method].mesh_workers ? methods[method].mesh_workers(counts, workers) : workers;
}

typedef struct box_check
{
    toi_box_view boxes;
    const char *list;
} box_check;

static toi_status check_piece(void *context, int64_t first, int64_t end)
{
    const box_check *check = context;
    for (int64_t i = first; i < end; ++i)
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
    return toi_parallel_ranges(workers, boxes.count, TOI_PIECE, check_piece, &check);
}

// A search and what it needs around it.
typedef struct search
{
    const toi_broad_def *def;
    toi_broad_job job;
    toi_budget budget;
    toi_meter meter;
} search;

// Checks everything and turns a definition into a job.
static toi_status make_job(search *s, toi_box_view a, const toi_box_view *b)
{
    const toi_broad_def *def = s->def;
    toi_broad_job *job = &s->job;
    TOI_CHECK_DEF(def, BROAD_COOKIE, "broad");
    toi_status status = toi_check_broad_method(def->method);
    if (status != TOI_OK)
        return status;
    if (def->memory_limit < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "the memory limit is negative");
    *job = (toi_broad_job){
        .a = a, .b = b ? *b : a, .self = !b, .budget = &s->budget, .meter = &s->meter};
    status = toi_resolve_workers(def->workers, &job->workers);
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
    return status;
}

// Makes the job and enters the memory that it uses.
static toi_status start_search(search *s, const toi_broad_def *def, toi_box_view a,
                               const toi_box_view *b)
{
    *s = (search){.def = def};
    toi_status status = make_job(s, a, b);
    if (status != TOI_OK)
        return status;
    toi_meter_init(&s->meter, def->progress, def->progress_context);
    s->budget.limit = def->memory_limit;
    status = toi_enter_memory(def->memory, &s->budget);
    int64_t boxes = a.count + (b ? b->count : 0);
    s->budget.need = s->budget.used + toi_search_need(def->method, boxes, s->job.workers);
    return status;
}

typedef struct sink_adapter
{
    toi_pair_sink_fn *sink;
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
                            toi_pair_sink_fn *sink, void *context)
{
    TOI_GUARD_FP;
    search s;
    toi_status status = start_search(&s, def, a, b);
    if (status != TOI_OK)
        return status;
    sink_adapter adapter = {sink, context};
    s.job.to = (toi_receiver){.context = &adapter, .emit = emit_to_sink};
    status = toi_search(def->method, &s.job);
    toi_leave_memory(def->memory);
    return status;
}

static toi_status search_list(void *context, int list, toi_receiver to)
{
    (void)list; // there is one
    search *s = context;
    s->job.to = to;
    return toi_search(s->def->method, &s->job);
}

static void forget(void *context)
{
    search *s = context;
    toi_forget_memory(s->def->memory);
    s->job.slot = NULL;
}

static toi_status find_pairs(const toi_broad_def *def, toi_box_view a, const toi_box_view *b,
                             toi_pair_array *pairs)
{
    search s;
    toi_status status = start_search(&s, def, a, b);
    if (status != TOI_OK)
        return status;
    s.budget.list = TOI_PAIR_BYTES;
    toi_begin_lists(&s.budget, 1, pairs);
    toi_list_job lists = {1, search_list, forget, &s, s.job.workers, &s.budget, &s.meter};
    status = toi_make_lists(&lists, pairs);
    if (status == TOI_OK && def->order == TOI_ORDER_CANONICAL)
        toi_sort_list(pairs->data, pairs->count, s.job.workers, &s.budget);
    toi_end_lists(status, 1, pairs);
    toi_leave_memory(def->memory);
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
