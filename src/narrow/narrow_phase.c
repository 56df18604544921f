// The table of methods, and running one over many queries.

#include "narrow/narrow.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "narrow/inclusion.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const uint32_t NARROW_COOKIE = 0x0a440d02u;

static const struct
{
    const char *name;
    toi_narrow_solve *solve;
    int64_t (*scratch_bytes)(void);
} methods[TOI_NARROW_COUNT] = {
    [TOI_NARROW_INCLUSION] = {"inclusion", toi_solve_inclusion, toi_search_scratch_bytes},
};

const char *toi_narrow_name(toi_narrow_method method)
{
    return (unsigned)method < TOI_NARROW_COUNT ? methods[method].name : NULL;
}

toi_narrow_method toi_narrow_find(const char *name)
{
    int method = 0;
    while (method < TOI_NARROW_COUNT && strcmp(methods[method].name, name) != 0)
        ++method;
    return (toi_narrow_method)method;
}

const char *toi_kind_name(toi_kind kind)
{
    static const char *const names[TOI_KIND_COUNT] = {"vf", "ee"};
    return (unsigned)kind < TOI_KIND_COUNT ? names[kind] : NULL;
}

const char *toi_state_name(toi_state state)
{
    static const char *const names[TOI_STATE_COUNT] = {"separated", "hit", "undecided"};
    return (unsigned)state < TOI_STATE_COUNT ? names[state] : NULL;
}

toi_narrow_def toi_default_narrow_def(void)
{
    return (toi_narrow_def){.method = TOI_NARROW_INCLUSION,
                            .tolerance = 1e-6,
                            .t_max = 1,
                            .max_iterations = 100000,
                            .cookie = NARROW_COOKIE};
}

toi_narrow_solve *toi_narrow_solver(toi_narrow_method method)
{
    return methods[method].solve;
}

int64_t toi_narrow_scratch_bytes(toi_narrow_method method)
{
    return (methods[method].scratch_bytes() + 63) / 64 * 64;
}

toi_status toi_check_narrow_def(const toi_narrow_def *def)
{
    TOI_CHECK_DEF(def, NARROW_COOKIE, "narrow");
    if ((unsigned)def->method >= TOI_NARROW_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no narrow phase number %d", (int)def->method);
    if (!(def->tolerance > 0) || !isfinite(def->tolerance))
        return toi_fail(TOI_ERROR_ARGUMENT, "the tolerance is %g; use a finite number > 0",
                        def->tolerance);
    if (!(def->min_separation >= 0) || !isfinite(def->min_separation))
        return toi_fail(TOI_ERROR_ARGUMENT, "min_separation is %g; use a finite number >= 0",
                        def->min_separation);
    if (!(def->t_max >= 0 && def->t_max <= 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "t_max is %g; use a number in [0, 1]", def->t_max);
    if (def->max_iterations < 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "max_iterations is %" PRId32 "; use at least 1",
                        def->max_iterations);
    return TOI_OK;
}

enum
{
    PIECE = 512
};

typedef struct solve_job
{
    toi_narrow_batch batch; // of all queries
    toi_narrow_solve *solve;
    char *scratch;
    int64_t scratch_bytes;
} solve_job;

static toi_status check_finite(const toi_query *query, int64_t index)
{
    const double *x = &query->start[0][0];
    for (int i = 0; i < 24; ++i)
        if (!isfinite(x[i]))
            return toi_fail(TOI_ERROR_DATA,
                            "query %" PRId64 ": coordinate %c of point %d at t = %d is %g", index,
                            "xyz"[i % 3], i % 12 / 3, i / 12, x[i]);
    return TOI_OK;
}

static toi_status solve_piece(void *context, int64_t piece, int worker)
{
    const solve_job *job = context;
    toi_narrow_batch batch = job->batch;
    int64_t first = piece * PIECE;
    batch.count = job->batch.count - first < PIECE ? job->batch.count - first : PIECE;
    batch.queries += first;
    batch.results += first;
    batch.scratch = job->scratch + worker * job->scratch_bytes;
    for (int64_t i = 0; i < batch.count; ++i) {
        toi_status status = check_finite(&batch.queries[i], first + i);
        if (status != TOI_OK)
            return status;
    }
    job->solve(&batch);
    return TOI_OK;
}

static toi_status solve_queries(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                                int64_t count, toi_query_result *results)
{
    int workers;
    toi_status status = toi_check_narrow_def(def);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &workers);
    if (status != TOI_OK)
        return status;
    if ((unsigned)kind >= TOI_KIND_COUNT || count < 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no query kind number %d", (int)kind);
    int64_t pieces = (count + PIECE - 1) / PIECE;
    if (workers > pieces)
        workers = pieces > 0 ? (int)pieces : 1;
    solve_job job = {
        .batch = {.def = def, .kind = kind, .count = count, .queries = queries, .results = results},
        .solve = toi_narrow_solver(def->method),
        .scratch_bytes = toi_narrow_scratch_bytes(def->method)};
    job.scratch = toi_take(NULL, workers, (size_t)job.scratch_bytes);
    if (!job.scratch)
        return toi_allocation_status();
    status = toi_parallel(workers, pieces, solve_piece, &job);
    toi_give_back(job.scratch);
    return status;
}

toi_status toi_solve_queries(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                             int64_t count, toi_query_result *results)
{
    toi_fp_state caller = toi_enter_fp();
    toi_status status = solve_queries(def, kind, queries, count, results);
    toi_leave_fp(caller);
    return status;
}
