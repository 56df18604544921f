// Drops candidates that a direction separates during the whole step, before they are gathered:
// first the coordinate axes, at both ends of the step, then the directions of kernel/separation.h
// in single precision.

#ifndef TOI_CCD_CULL_H
#define TOI_CCD_CULL_H

#include "mesh/mesh.h"
#include "narrow/narrow.h"
#include "toi/ccd.h"

// A vertex at t = 0 and t = 1, in double, one cache line: what queries are gathered from. The
// fourth numbers are zero.
typedef struct toi_moving_vertex
{
    _Alignas(64) double start[4];
    double end[4];
} toi_moving_vertex;

// Asks for a vertex ahead of its use: in the table, or where there is none in the mesh.
static inline void toi_fetch_vertex(const toi_mesh *mesh, const toi_moving_vertex *trajectories,
                                    int32_t vertex)
{
    if (trajectories) {
        __builtin_prefetch(&trajectories[vertex]);
        return;
    }
    __builtin_prefetch(toi_point_address(&mesh->start, vertex));
    __builtin_prefetch(toi_point_address(&mesh->end, vertex));
}

// The boxes of a primitive at t = 0 and at t = 1 in single precision, rounded outward, one cache
// line: low and minus high. For Euclidean separations a point of the primitive at t = 0, and no
// less than the longest way of one of its points; else zeros.
typedef struct toi_end_boxes
{
    _Alignas(64) float at[2][2][3];
    float middle[3];
    float way;
} toi_end_boxes;

enum
{
    TOI_CULL_PIECE = 2048
};

// Pairs that are proved not to be farther apart than their separation at t = 0.
typedef struct toi_inside_pairs
{
    int64_t count;
    toi_pair pairs[TOI_CULL_PIECE];
} toi_inside_pairs;

// Where a candidate's corners are found, and what counts as touching.
typedef struct toi_cull_source
{
    const toi_mesh *mesh;
    const toi_moving_vertex *trajectories; // of its vertices, where many are read; or NULL
    // Bounds of the first and of the second primitives, or NULL: worth making where each primitive
    // takes part in many candidates. Of separations only Euclidean ones use them.
    const toi_end_boxes *a, *b;
    // Whether there are bounds depends on timing and memory. A method that may report what only
    // comes close must not notice: what bounds cannot tell apart goes to the axes in double, so
    // that the same pairs are dropped with and without them.
    bool alike;
    toi_kind kind;
    // There is a separation, and it is Euclidean: docs/separation.md, section 2. Else it is in the
    // maximum norm, which is never less.
    bool euclidean;
    double separation;
    double relative; // of what the initial distance is more, this share is added
    double t_max;    // later contacts do not matter
    float off;       // how far off by rounding the distance of two points of bounds may be
    // Where those that start inside go, if the separation is Euclidean and not relative, from
    // TOI_CULL_PIECE at most; NULL: they stay with the others.
    toi_inside_pairs *inside;
} toi_cull_source;

// Fills in the bounds of all primitives of one sort.
typedef void toi_fill_bounds_fn(const toi_cull_source *source, toi_primitive primitive,
                                toi_end_boxes *bounds);

// Moves the pairs that may touch to the front, in order; returns how many. Each of the others is
// proved apart by more than its separation up to t_max (docs/exact.md, sections 1 and 2), so the
// test holds for every narrow phase.
typedef int64_t toi_cull_pairs_fn(const toi_cull_source *source, toi_pair *pairs, int64_t count);

// Pairs that a search of boxes that move has found, by place (broad/tree/mesh_tree.h).
typedef struct toi_near_source
{
    const float (*rows)[8];   // of the vertices, by place: toi_moving_row
    float error;              // of the difference of two numbers in them
    const int32_t *labels[2]; // of the first and of the second primitives: places of their vertices
    toi_kind kind;
    double t_max; // later contacts do not matter
    // As in toi_cull_source, but scaled as the rows are.
    bool euclidean;
    double separation;
    double relative;
    toi_inside_pairs *inside; // as above
    // Of a motion that is cut short: toi_mesh_order.reach, or 0, and its grain.
    float reach, grain;
} toi_near_source;

// Moves the pairs that may touch to the front, in order; returns how many. The others are proved
// apart by more than their separation up to t_max: docs/exact.md, section 2, and
// docs/separation.md, section 2.
typedef int64_t toi_cull_near_fn(const toi_near_source *source, toi_pair *pairs, int64_t count);

// toi_cull_start(), another function of that kind, looks at t = 0 alone, and sets none aside: of a
// motion that is so short that hardly anything moves, that tells as much.

// Lists the queries that are not separated though the boxes that their corners sweep, which are not
// enlarged, are apart; returns how many.
typedef int64_t toi_list_beyond_fn(toi_kind kind, const toi_query *queries,
                                   const toi_query_result *results, int64_t count, int32_t *list);

enum
{
    TOI_SEARCH_BLOCK = 512
};

// The same with the search of `exact` with a separation, of at most so many pairs: the others are
// proved apart up to t_max, and not to start inside. What it has found of those that are left.
typedef int64_t toi_search_near_fn(const toi_near_source *source, toi_pair *pairs, int64_t count,
                                   toi_searched searched[TOI_SEARCH_BLOCK]);

#endif
