// What a narrow-phase method is handed.

#ifndef TOI_NARROW_NARROW_H
#define TOI_NARROW_NARROW_H

#include "base/memory.h"
#include "toi/narrow_phase.h"

#include <math.h>

// What the search of `exact` with a separation (kernel/turning.h) says of a query.
typedef enum toi_search_verdict
{
    // These two settle a query.
    TOI_SEARCH_APART,  // proved farther apart than the separation up to the last time
    TOI_SEARCH_INSIDE, // proved not farther apart at t = 0; only where nothing is relative
                       // These do not.
    TOI_SEARCH_FOUND,  // farther apart up to `lo`; soon after that, it seems, no more
    TOI_SEARCH_STUCK,  // its precision cannot tell
} toi_search_verdict;

typedef struct toi_searched
{
    double lo, guess;      // where found
    uint8_t feature;       // closest at lo, as in narrow/apart.h
    uint8_t start_feature; // closest at t = 0; a guess, where the query never got into a lane
    uint8_t verdict;       // a toi_search_verdict
    bool began_inside;     // proved: the distance at t = 0 is at most the minimum
} toi_searched;

// A batch of queries for one worker.
typedef struct toi_narrow_batch
{
    const toi_narrow_def *def; // checked already
    toi_kind kind;             // vertex-face or edge-edge
    int64_t count;
    const toi_query *queries; // finite
    // Minimum separation of each query, or NULL: def->min_separation for all. Policy belongs to the
    // pipeline; a method only obeys.
    const double *separations;
    // `exact` alone: if not 0, the separation of a query is its minimum plus this share of what
    // the distance at t = 0, rounded down, exceeds it by; in ]0, 0.5]. A query that starts at or
    // below the minimum keeps this share of its own distance, rounded down, instead.
    double relative;
    // The pipeline has dropped what cull.h separates, and trying again would mostly be in vain.
    // Only for methods whose answer cannot show whether they tried.
    bool culled;
    // `exact` alone, without `relative`: which queries are proved to start at def->min_separation
    // or closer; or NULL. Others may.
    const bool *inside;
    // `exact` with a separation alone: what a search up to def->t_max has found; or NULL.
    const toi_searched *searched;
    bool no_places; // `exact` alone: u, v and the normal are not wanted, and stay 0
    toi_query_result *results;
    void *scratch;      // toi_narrow_scratch_bytes() for this worker, aligned to 64
    toi_budget *budget; // of what a query takes beyond that, or NULL
} toi_narrow_batch;

// Decides every query of the batch, alone: the result of a query never depends on its neighbours.
typedef void toi_narrow_solve_fn(const toi_narrow_batch *batch);

// Completes hits of `exact` whose times are known: where, and which way, as toi_solve_exact() does.
// Their results are zero but for state and time.
toi_narrow_solve_fn toi_place_hits;

// The solver of a method, and how much scratch memory each worker must bring.
toi_narrow_solve_fn *toi_narrow_solver(toi_narrow_method method);
int64_t toi_narrow_scratch_bytes(toi_narrow_method method);

// And how much more a query may take from the heap.
int64_t toi_narrow_heap_bytes(toi_narrow_method method);

// Up to when primitives must be proved apart for contacts up to t_max not to matter: those before
// the next double are rounded down to t_max. Not so small that products with it become denormal,
// which is slow.
static inline double toi_cull_time(double t_max)
{
    return fmin(fmax(nextafter(t_max, 2), 0x1p-100), 1);
}

// Of a relative separation the part that does not depend on the distance, but for its relative
// rounding not less: a denormal may lose as much as it has. (Of nothing it stays nothing, for
// denormals are slow, too.)
static inline double toi_base_separation(double least, double share)
{
    return share > 0 && least > 0 ? (1 - share) * least + 0x1p-1074 : least;
}

// A share for filters, never less: so small a one would be lost in single precision.
static inline double toi_filter_share(double share)
{
    return share > 0 ? fmax(share, 0x1p-100) : 0;
}

// The last time that a definition asks about. -0 is in its range, and is 0: methods compare times
// by their bits.
static inline double toi_last_time(const toi_narrow_def *def)
{
    return fabs(def->t_max);
}

// Queries of points and edges for themselves are solved as vertex-face: an edge or a point is a
// face whose last corners coincide.
static inline toi_kind toi_raised_kind(toi_kind kind)
{
    return kind < TOI_PAIR_KINDS ? kind : TOI_VERTEX_FACE;
}

void toi_raise_query(toi_kind kind, const toi_query *from, toi_query *to);

// From the result of such a query to that of the kind that was asked for: all of v's share of the
// face belongs to the corner that u stands for, or to the only one.
static inline void toi_lower_result(toi_kind kind, toi_query_result *result)
{
    if (kind < TOI_PAIR_KINDS)
        return;
    result->u = kind == TOI_POINT_EDGE ? fmin(result->u + result->v, 1) : 0;
    result->v = 0;
}

// Names the first coordinate that is not finite.
toi_status toi_check_queries(toi_kind kind, const toi_query *queries, int64_t count, int workers);

// Range checks of a definition, and whether its method honours all of it.
toi_status toi_check_narrow_def(const toi_narrow_def *def);

// Refuses an option that a method does not honour, and names those that do: that have the trait.
toi_status toi_refuse_option(toi_narrow_method method, const char *option, unsigned trait);

// Methods.
toi_narrow_solve_fn toi_solve_exact, toi_solve_inclusion, toi_solve_inclusion_queue;
toi_narrow_solve_fn toi_solve_additive, toi_solve_additive_certified;
toi_narrow_solve_fn toi_solve_fast, toi_solve_parity, toi_solve_safe, toi_solve_cubic;

// Bytes of scratch of those that need any.
int64_t toi_exact_scratch_bytes(void);
int64_t toi_queue_scratch_bytes(void);

#endif
