// What the stage that solves streamed candidates consists of: filters (ccd/filters.c), and the
// narrow phase with its policy (ccd/solve.c).

#ifndef TOI_CCD_SOLVE_STAGE_H
#define TOI_CCD_SOLVE_STAGE_H

#include "ccd/pipeline.h"

#include <stdatomic.h>

enum
{
    TOI_SOLVE_BATCH = 512
};

// Whether a filter pays, which shows: one that has dropped less than a quarter of a block rests for
// some blocks, and for twice as many the next time. Any of them may be left out.
typedef struct toi_filter_rest
{
    int blocks; // still to rest for
    int last;   // how many it rested for last; 0: it paid
} toi_filter_rest;

// What one worker needs; nothing in it is shared.
typedef struct toi_solve_worker
{
    toi_query queries[TOI_SOLVE_BATCH];
    toi_query_result results[TOI_SOLVE_BATCH];
    double separations[TOI_SOLVE_BATCH];
    bool starts_inside[TOI_SOLVE_BATCH]; // of exact methods: what is known before
    toi_inside_pairs inside;             // what a filter has set aside
    toi_searched searched[TOI_SOLVE_BATCH];
    toi_impact impacts[TOI_SOLVE_BATCH];
    toi_brief briefs[TOI_SOLVE_BATCH]; // instead
    double seconds;                    // spent in the narrow phase
    int64_t tested;
    toi_filter_rest single, wide; // directions in single and in double precision
    toi_filter_rest search;       // in single precision
    bool by_place;                // the pairs of this block are still to be searched, and numbered
    int64_t rescaled;
    int64_t inside_count;
    uint64_t first_inside; // its key
    void *scratch;
    _Alignas(64) char end[64]; // keeps neighbours off this cache line
} toi_solve_worker;

// The narrow phase over the streamed candidates of one kind.
typedef struct toi_solve_stage
{
    toi_pipeline *pipeline;
    toi_kind kind;
    toi_consume_fn *consume;
    void *context;
    _Atomic uint64_t *t_max;
    toi_solve_worker *scratch; // one a worker
    // Bounds of the first and second primitives, made once enough candidates have come by.
    _Atomic(toi_end_boxes *) bounds[2];
    toi_end_boxes *room;  // for them, or NULL
    _Atomic int64_t seen; // candidates of this kind so far
    bool near;            // pairs come by place, from toi_stream_near()
} toi_solve_stage;

static inline bool toi_has_separation(const toi_pipeline *p)
{
    return p->def->narrow.min_separation > 0 || p->policy.relative_separation > 0;
}

// Loose parts are few: their pairs go to the narrow phase as they are.
static inline bool toi_is_culled(toi_kind kind)
{
    return kind < TOI_PAIR_KINDS;
}

// ---- Filters

// The pairs of a block that may touch come to the front, by number, or by place where they are
// still to be searched (by_place). Those that are known to start inside are solved.
toi_status toi_filter_pairs(toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                            int64_t *count, int worker);

// Searches pairs by place and numbers those that are left; returns how many.
int64_t toi_search_places(const toi_solve_stage *stage, toi_solve_worker *w, toi_pair *pairs,
                          int64_t count);

// Memory for bounds, if there may be any.
bool toi_may_have_bounds(const toi_solve_stage *stage);
toi_end_boxes *toi_take_bounds(const toi_solve_stage *stage);

// ---- Solving

// Up to when filters must look.
double toi_search_end(const toi_solve_stage *stage);

// Solves what filters have set aside.
toi_status toi_solve_inside(const toi_solve_stage *stage, toi_solve_worker *w, int worker);

#endif
