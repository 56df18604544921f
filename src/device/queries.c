// Lists of queries that a device solves, and what it leaves to the host.

#include "device/device.h"

#include "base/status.h"
#include "narrow/narrow.h"

enum
{
    PIECE = 512,     // queries of a task
    RAISED = 1 << 16 // queries that are raised to another kind at once
};

static toi_status refuse(const char *what, const char *instead)
{
    return toi_fail(TOI_ERROR_UNSUPPORTED, "a device does not do %s as yet: %s", what, instead);
}

static toi_status check_method(const toi_narrow_def *def)
{
    if (def->method != TOI_NARROW_EXACT && def->method != TOI_NARROW_INCLUSION_QUEUE)
        return refuse("lists by narrow phases other than exact and inclusion-queue",
                      "use one of these, or solve them without a device");
    if (def->method == TOI_NARROW_EXACT && def->min_separation > 0)
        return refuse("lists by exact with a separation",
                      "use inclusion-queue, or solve them without a device");
    return TOI_OK;
}

typedef struct list_call
{
    const toi_narrow_def *def;
    toi_kind kind; // as asked
    const toi_query *queries;
    int64_t count;
    toi_query_result *results;
    char *scratch; // of the narrow phase, a part for each worker
    int64_t scratch_bytes;
    toi_device_report report; // of the blocks so far
} list_call;

// A list that was asked about in blocks has one report: the last block's, and what they add up to.
static void add_report(toi_device_report *last, const toi_device_report *before)
{
    for (int i = 0; i < last->stage_count; ++i)
        last->stage_seconds[i] += before->stage_seconds[i];
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        last->tested[kind] += before->tested[kind];
        last->left[kind] += before->left[kind];
    }
    last->bytes_up += before->bytes_up;
    last->bytes_down += before->bytes_down;
    last->windows += before->windows;
    last->hard += before->hard;
}

static toi_status ask_card(list_call *c, const toi_query *queries, int64_t count,
                           toi_query_result *results)
{
    toi_device *device = c->def->device;
    toi_complaint complaint = {""};
    toi_device_report report;
    toi_card_list list = {.def = c->def,
                          .kind = toi_raised_kind(c->kind),
                          .queries = queries,
                          .count = count,
                          .results = results};
    toi_take_turn(device);
    list.measure = device->measure;
    toi_status status = device->backend->solve(device->card, &list, &report, &complaint);
    if (status == TOI_OK) {
        add_report(&report, &c->report);
        device->report = c->report = report;
    }
    toi_end_turn(device);
    return status == TOI_OK ? TOI_OK : toi_fail_complaint(status, &complaint);
}

// Points and edges for themselves are copied to where they are queries of a face.
static toi_status ask_raised(list_call *c)
{
    toi_status status = TOI_OK;
    int64_t most = c->count < RAISED ? c->count : RAISED;
    toi_query *raised = toi_take(NULL, most, sizeof *raised);
    if (!raised)
        return toi_allocation_status();
    for (int64_t first = 0; first < c->count && status == TOI_OK; first += most) {
        int64_t count = c->count - first < most ? c->count - first : most;
        for (int64_t i = 0; i < count; ++i)
            toi_raise_query(c->kind, &c->queries[first + i], &raised[i]);
        status = ask_card(c, raised, count, c->results + first);
    }
    toi_give_back(raised);
    return status;
}

// Solves what the card left.
static toi_status finish_piece(void *context, int64_t piece, int worker)
{
    const list_call *c = context;
    int64_t first = piece * PIECE, rest = c->count - first;
    for (int64_t i = first; i < first + (rest < PIECE ? rest : PIECE); ++i) {
        toi_query raised;
        toi_narrow_batch batch = {.def = c->def,
                                  .kind = toi_raised_kind(c->kind),
                                  .count = 1,
                                  .queries = &raised,
                                  .results = &c->results[i],
                                  .scratch = c->scratch + worker * c->scratch_bytes};
        if (c->results[i].state == TOI_STATE_COUNT) {
            toi_raise_query(c->kind, &c->queries[i], &raised);
            toi_narrow_solver(c->def->method)(&batch);
        }
        toi_lower_result(c->kind, &c->results[i]);
    }
    return TOI_OK;
}

static toi_status finish(list_call *c, int workers)
{
    c->scratch_bytes = toi_narrow_scratch_bytes(c->def->method);
    c->scratch = toi_take(NULL, workers, (size_t)c->scratch_bytes);
    if (!c->scratch)
        return toi_allocation_status();
    toi_status status = toi_parallel(workers, (c->count + PIECE - 1) / PIECE, finish_piece, c);
    toi_give_back(c->scratch);
    return status;
}

toi_status toi_solve_list_on_device(const toi_narrow_def *def, toi_kind kind,
                                    const toi_query *queries, int64_t count,
                                    toi_query_result *results, int workers)
{
    list_call c = {
        .def = def, .kind = kind, .queries = queries, .count = count, .results = results};
    toi_status status = check_method(def);
    if (status == TOI_OK)
        status = toi_check_queries(kind, queries, count, workers);
    if (status != TOI_OK || count == 0)
        return status;
    status = kind < TOI_PAIR_KINDS ? ask_card(&c, queries, count, results) : ask_raised(&c);
    return status == TOI_OK ? finish(&c, workers) : status;
}
