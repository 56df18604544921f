// The table of methods, and running one over many queries.

#include "narrow/narrow.h"

#include "base/fp_mode.h"
#include "base/literature.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "device/device.h"
#include "exact/apart.h"
#include "exact/decide.h"
#include "narrow/inclusion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t NARROW_COOKIE = 0x0a440d02u;

// Traits of most methods.
enum
{
    WHEN_AND_WHERE = TOI_NARROW_TRAIT_TIME | TOI_NARROW_TRAIT_PLACE,
    COUNTING = WHEN_AND_WHERE | TOI_NARROW_TRAIT_CONTACTS,
    APART = WHEN_AND_WHERE | TOI_NARROW_TRAIT_SEPARATION,
    STEPPING = APART | TOI_NARROW_TRAIT_BUDGET,
    INCLUSION = STEPPING | TOI_NARROW_TRAIT_TOLERANCE | TOI_NARROW_TRAIT_REFINEMENT
};

// What `exact` may take from the heap, with or without a separation.
enum
{
    EXACT_HEAP =
        (int)TOI_APART_HEAP > (int)TOI_DECISION_HEAP ? (int)TOI_APART_HEAP : (int)TOI_DECISION_HEAP
};

static const struct
{
    const char *name;
    toi_narrow_solve_fn *solve;
    toi_guarantee guarantee;
    unsigned traits;
    int64_t (*scratch_bytes)(void); // or NULL: it needs none
    int64_t heap_bytes;             // that a query may take beyond that
} methods[TOI_NARROW_COUNT] = {
    [TOI_NARROW_EXACT] = {"exact", toi_solve_exact, TOI_GUARANTEE_EXACT, COUNTING | APART,
                          toi_exact_scratch_bytes, EXACT_HEAP},
    [TOI_NARROW_INCLUSION] = {"inclusion", toi_solve_inclusion, TOI_GUARANTEE_CONSERVATIVE,
                              .traits = INCLUSION, .scratch_bytes = toi_search_scratch_bytes},
    [TOI_NARROW_INCLUSION_QUEUE] = {"inclusion-queue", TOI_LITERATURE(toi_solve_inclusion_queue),
                                    TOI_GUARANTEE_CONSERVATIVE, .traits = INCLUSION,
                                    .scratch_bytes = TOI_LITERATURE(toi_queue_scratch_bytes)},
    [TOI_NARROW_ADDITIVE] = {"additive", TOI_LITERATURE(toi_solve_additive), TOI_GUARANTEE_NONE,
                             .traits = STEPPING},
    [TOI_NARROW_ADDITIVE_CERTIFIED] = {"additive-certified",
                                       TOI_LITERATURE(toi_solve_additive_certified),
                                       TOI_GUARANTEE_CONSERVATIVE, .traits = STEPPING},
    [TOI_NARROW_FAST] = {"fast", TOI_LITERATURE(toi_solve_fast), TOI_GUARANTEE_NONE,
                         .traits = COUNTING | TOI_NARROW_TRAIT_TOLERANCE},
    [TOI_NARROW_PARITY] = {"parity", TOI_LITERATURE(toi_solve_parity), TOI_GUARANTEE_NONE,
                           .traits = TOI_NARROW_TRAIT_CONTACTS},
    [TOI_NARROW_SAFE] = {"safe", TOI_LITERATURE(toi_solve_safe), TOI_GUARANTEE_NONE,
                         .traits = COUNTING},
    [TOI_NARROW_CUBIC] = {"cubic", TOI_LITERATURE(toi_solve_cubic), TOI_GUARANTEE_NONE,
                          .traits = COUNTING},
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

unsigned toi_narrow_traits(toi_narrow_method method)
{
    if ((unsigned)method >= TOI_NARROW_COUNT || !methods[method].solve)
        return 0;
    return methods[method].traits | TOI_NARROW_TRAIT_BUILT;
}

toi_guarantee toi_narrow_guarantee(toi_narrow_method method)
{
    return (unsigned)method < TOI_NARROW_COUNT ? methods[method].guarantee : TOI_GUARANTEE_COUNT;
}

const char *toi_guarantee_name(toi_guarantee guarantee)
{
    static const char *const names[TOI_GUARANTEE_COUNT] = {"exact", "conservative", "none"};
    return (unsigned)guarantee < TOI_GUARANTEE_COUNT ? names[guarantee] : NULL;
}

const char *toi_rung_name(toi_rung rung)
{
    static const char *const names[TOI_RUNG_COUNT] = {"none", "axis",    "direction", "plane",
                                                      "root", "integer", "turn"};
    return (unsigned)rung < TOI_RUNG_COUNT ? names[rung] : NULL;
}

const char *toi_kind_name(toi_kind kind)
{
    static const char *const names[TOI_KIND_COUNT] = {"vf", "ee", "pe", "pp"};
    return (unsigned)kind < TOI_KIND_COUNT ? names[kind] : NULL;
}

const char *toi_state_name(toi_state state)
{
    static const char *const names[TOI_STATE_COUNT] = {"separated", "hit", "undecided"};
    return (unsigned)state < TOI_STATE_COUNT ? names[state] : NULL;
}

toi_narrow_def toi_default_narrow_def(void)
{
    return (toi_narrow_def){.method = TOI_NARROW_EXACT,
                            .tolerance = 1e-6,
                            .t_max = 1,
                            .max_iterations = 100000,
                            .cookie = NARROW_COOKIE};
}

toi_narrow_solve_fn *toi_narrow_solver(toi_narrow_method method)
{
    return methods[method].solve;
}

int64_t toi_narrow_heap_bytes(toi_narrow_method method)
{
    return methods[method].heap_bytes;
}

int64_t toi_narrow_scratch_bytes(toi_narrow_method method)
{
    int64_t bytes = methods[method].scratch_bytes ? methods[method].scratch_bytes() : 1;
    return (bytes + 63) / 64 * 64;
}

// The options that not every method honours.
enum
{
    TOLERANCE,
    SEPARATION,
    BUDGET,
    REFINEMENT,
    CONTACTS,
    OPTIONAL
};

static const struct
{
    const char *name;
    unsigned trait;
} optional[OPTIONAL] = {[TOLERANCE] = {"tolerance", TOI_NARROW_TRAIT_TOLERANCE},
                        [SEPARATION] = {"min_separation", TOI_NARROW_TRAIT_SEPARATION},
                        [BUDGET] = {"max_iterations", TOI_NARROW_TRAIT_BUDGET},
                        [REFINEMENT] = {"no_zero_time", TOI_NARROW_TRAIT_REFINEMENT},
                        [CONTACTS] = {"all_roots", TOI_NARROW_TRAIT_CONTACTS}};

static bool honours(toi_narrow_method method, int option)
{
    return methods[method].traits & optional[option].trait;
}

toi_narrow_def toi_fit_narrow_def(const toi_narrow_def *def)
{
    toi_narrow_def fit = *def, usual = toi_default_narrow_def();
    if ((unsigned)def->method >= TOI_NARROW_COUNT)
        return fit;
    if (!honours(def->method, TOLERANCE))
        fit.tolerance = usual.tolerance;
    if (!honours(def->method, SEPARATION))
        fit.min_separation = usual.min_separation;
    if (!honours(def->method, BUDGET))
        fit.max_iterations = usual.max_iterations;
    if (!honours(def->method, REFINEMENT))
        fit.no_zero_time = usual.no_zero_time;
    if (!honours(def->method, CONTACTS))
        fit.all_roots = usual.all_roots;
    return fit;
}

toi_status toi_refuse_option(toi_narrow_method method, const char *option, unsigned trait)
{
    char others[160] = "";
    size_t length = 0;
    for (int m = 0; m < TOI_NARROW_COUNT; ++m)
        if (methods[m].solve && methods[m].traits & trait && length < sizeof others)
            length += (size_t)snprintf(others + length, sizeof others - length, "%s%s",
                                       length > 0 ? ", " : "", methods[m].name);
    return toi_fail(TOI_ERROR_ARGUMENT,
                    "%s: the narrow phase %s does not honour it; leave it at its default, or use "
                    "one of: %s",
                    option, methods[method].name, others);
}

// An option that is ignored would be a question other than the one that was meant.
static toi_status check_honoured(const toi_narrow_def *def)
{
    toi_narrow_def fit = toi_fit_narrow_def(def);
    const bool same[OPTIONAL] = {[TOLERANCE] = fit.tolerance == def->tolerance,
                                 [SEPARATION] = fit.min_separation == def->min_separation,
                                 [BUDGET] = fit.max_iterations == def->max_iterations,
                                 [REFINEMENT] = fit.no_zero_time == def->no_zero_time,
                                 [CONTACTS] = fit.all_roots == def->all_roots};
    for (int i = 0; i < OPTIONAL; ++i)
        if (!same[i])
            return toi_refuse_option(def->method, optional[i].name, optional[i].trait);
    return TOI_OK;
}

toi_status toi_check_narrow_def(const toi_narrow_def *def)
{
    TOI_CHECK_DEF(def, NARROW_COOKIE, "narrow");
    if ((unsigned)def->method >= TOI_NARROW_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no narrow phase number %d", (int)def->method);
    if (!methods[def->method].solve)
        return toi_fail_left_out("narrow", methods[def->method].name,
                                 methods[TOI_NARROW_EXACT].name);
    if (!(def->tolerance > 0) || !isfinite(def->tolerance))
        return toi_fail(TOI_ERROR_ARGUMENT, "the tolerance is %g; use a finite number > 0",
                        def->tolerance);
    if (!(def->min_separation >= 0) || !isfinite(def->min_separation))
        return toi_fail(TOI_ERROR_ARGUMENT, "min_separation is %g; use a finite number >= 0",
                        def->min_separation);
    if (!(def->t_max >= 0 && def->t_max <= 1))
        return toi_fail(TOI_ERROR_ARGUMENT, "t_max is %g; use a number in [0, 1]", def->t_max);
    if (def->method == TOI_NARROW_EXACT && def->min_separation > 0 && def->all_roots)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "all_roots counts contacts, and with min_separation = %g there are none to "
                        "count; leave one of the two out",
                        def->min_separation);
    if (def->max_iterations < 1)
        return toi_fail(TOI_ERROR_ARGUMENT, "max_iterations is %" PRId32 "; use at least 1",
                        def->max_iterations);
    return check_honoured(def);
}

enum
{
    PIECE = 512
};

typedef struct solve_job
{
    toi_kind kind;          // as asked
    toi_narrow_batch batch; // of all queries; its kind is vertex-face or edge-edge
    toi_narrow_solve_fn *solve;
    char *scratch;
    int64_t scratch_bytes;
    toi_query *raised; // PIECE for each worker, where `kind` is of lower dimension
} solve_job;

static const int points_of_kind[TOI_KIND_COUNT] = {4, 4, 3, 2};

// Names the coordinate that is not finite.
static toi_status refuse(const toi_query *query, int points, int64_t index)
{
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 3 * points; ++i) {
            double x = end ? query->end[i / 3][i % 3] : query->start[i / 3][i % 3];
            if (!isfinite(x))
                return toi_fail(TOI_ERROR_DATA,
                                "query %" PRId64 ": coordinate %c of point %d at t = %d is %g",
                                index, "xyz"[i % 3], i / 3, end, x);
        }
    return TOI_OK;
}

// The largest exponent carries into the bit above it; integers, so that compilers see a vector.
static inline uint64_t exponent_carries(const double *x, int count)
{
    uint64_t bits[12], carries = 0;
    memcpy(bits, x, (size_t)count * sizeof *bits);
    for (int i = 0; i < count; ++i)
        carries |= (bits[i] >> 52 & 0x7ff) + 1;
    return carries & 0x800;
}

static toi_status check_finite(const toi_query *query, int points, int64_t index)
{
    uint64_t carries =
        points == 4 ? exponent_carries(query->start[0], 12) | exponent_carries(query->end[0], 12)
                    : exponent_carries(query->start[0], 3 * points) |
                          exponent_carries(query->end[0], 3 * points);
    return carries ? refuse(query, points, index) : TOI_OK;
}

void toi_raise_query(toi_kind kind, const toi_query *from, toi_query *to)
{
    int points = points_of_kind[kind];
    *to = *from;
    for (int c = points; c < 4; ++c) {
        memcpy(to->start[c], from->start[points - 1], sizeof to->start[c]);
        memcpy(to->end[c], from->end[points - 1], sizeof to->end[c]);
    }
}

static toi_status check_piece(const solve_job *job, int64_t first)
{
    int points = points_of_kind[job->kind];
    toi_status status = TOI_OK;
    for (int64_t i = first; i < job->batch.count && i < first + PIECE && status == TOI_OK; ++i)
        status = check_finite(&job->batch.queries[i], points, i);
    return status;
}

static toi_status check_only(void *context, int64_t piece, int worker)
{
    (void)worker;
    return check_piece(context, piece * PIECE);
}

toi_status toi_check_queries(toi_kind kind, const toi_query *queries, int64_t count, int workers)
{
    solve_job job = {.kind = kind, .batch = {.queries = queries, .count = count}};
    return toi_parallel(workers, (count + PIECE - 1) / PIECE, check_only, &job);
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
    toi_status status = check_piece(job, first);
    if (status != TOI_OK)
        return status;
    if (job->raised) {
        toi_query *raised = job->raised + (int64_t)worker * PIECE;
        for (int64_t i = 0; i < batch.count; ++i)
            toi_raise_query(job->kind, &batch.queries[i], &raised[i]);
        batch.queries = raised;
    }
    job->solve(&batch);
    for (int64_t i = 0; job->raised && i < batch.count; ++i)
        toi_lower_result(job->kind, &batch.results[i]);
    return TOI_OK;
}

toi_status toi_solve_queries(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                             int64_t count, toi_query_result *results)
{
    TOI_GUARD_FP;
    int workers;
    toi_status status = toi_check_narrow_def(def);
    if (status == TOI_OK)
        status = toi_resolve_workers(def->workers, &workers);
    if (status == TOI_OK)
        status = toi_check_count(count, "queries");
    if (status != TOI_OK)
        return status;
    if ((unsigned)kind >= TOI_KIND_COUNT)
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no query kind number %d", (int)kind);
    int64_t pieces = (count + PIECE - 1) / PIECE;
    if (workers > pieces)
        workers = pieces > 0 ? (int)pieces : 1;
    bool lower = kind >= TOI_PAIR_KINDS;
    toi_narrow_def own = *def;
    own.t_max = toi_last_time(def);
    if (def->device)
        return toi_solve_list_on_device(&own, kind, queries, count, results, workers);
    solve_job job = {.kind = kind,
                     .batch = {.def = &own,
                               .kind = toi_raised_kind(kind),
                               .count = count,
                               .queries = queries,
                               .results = results},
                     .solve = toi_narrow_solver(def->method),
                     .scratch_bytes = toi_narrow_scratch_bytes(def->method)};
    job.scratch = toi_take(NULL, workers, (size_t)job.scratch_bytes);
    if (lower && job.scratch)
        job.raised = toi_take(NULL, workers, PIECE * sizeof *job.raised);
    status = job.scratch && (!lower || job.raised)
                 ? toi_parallel(workers, pieces, solve_piece, &job)
                 : toi_allocation_status();
    toi_give_back(job.raised);
    toi_give_back(job.scratch);
    return status;
}
