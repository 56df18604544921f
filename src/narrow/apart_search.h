// The search of `exact` with a separation (kernel/turning.h) over a list of queries, and the stages
// in front of it and after it; compiled once for each instruction set. apart.c drives them.

#ifndef TOI_NARROW_APART_SEARCH_H
#define TOI_NARROW_APART_SEARCH_H

#include "narrow/exact.h"

// A query's separation, as far as it is known, and how far the ladder has come with it.
typedef struct toi_apart_query
{
    // The separation is at most base + share d, where d is the distance at t = 0; where d is at
    // most `inner`, it is at most share d.
    double base, share, inner;
    bool known;   // base is the separation itself, share is 0
    bool settled; // the result is complete but for its place
} toi_apart_query;

// The differences of a query as kernel/motion.h scales them, one query at a time.
typedef struct toi_scaled_query
{
    double p[2][3], e[2][3], g[2][3];
    double total; // the sum of their sizes; zero where nothing differs
    double scale; // what the coordinates were multiplied by
} toi_scaled_query;

void toi_scale_query(toi_kind kind, const toi_query *query, toi_scaled_query *to);

// What the searches read.
typedef struct toi_apart_source
{
    const toi_narrow_batch *batch;
    const toi_apart_query *of; // indexed like the batch's queries
} toi_apart_source;

// Searches the queries of the list; `searched` is indexed like the batch's queries.
typedef void toi_apart_search_fn(const toi_apart_source *source, const int32_t *list, int64_t count,
                                 toi_searched *searched);

// Axes and directions in single precision over the whole batch: lists the queries that are left and
// returns how many; the others' rungs are noted in their results.
typedef int64_t toi_apart_filter_fn(const toi_narrow_batch *batch, const toi_apart_query *of,
                                    int32_t *left);

// Completes results whose time is known: the closest points then, and the direction between them.
typedef toi_exact_places_fn toi_apart_places_fn;

// The ladder over a block of at most TOI_APART_BLOCK queries; its scratch memory.
enum
{
    TOI_APART_BLOCK = 512
};
toi_narrow_solve_fn toi_climb_apart;

// Completes hits whose times are known, as the ladder does.
toi_narrow_solve_fn toi_place_apart;
int64_t toi_apart_scratch_bytes(void);

#endif
