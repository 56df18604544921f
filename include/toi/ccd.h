/// @file
/// The whole pipeline: two frames of a mesh in, the earliest time of impact, every impact, or a
/// safe step for every vertex out.

#ifndef TOI_CCD_H
#define TOI_CCD_H

#include "toi/broad_phase.h"
#include "toi/narrow_phase.h"

TOI_EXTERN_C_BEGIN

/// How far a solver's step stays away from contact: docs/separation.md. Zeroed, it does nothing: a
/// pair is hit when its distance comes to narrow.min_separation, and one that starts there or
/// closer is hit at time 0. It changes what is reported, never whether it is safe.
typedef struct toi_zero_time_policy
{
    /// Of what its distance at t = 0 exceeds min_separation each pair keeps at least this share, so
    /// that a step stops short. A pair that starts at min_separation or closer keeps this share of
    /// its own distance instead: it neither stops the step at time 0 nor goes through. Refused
    /// where the narrow phase does not honour separations. In [0, 0.5]. The paper uses 0.2.
    double relative_separation;
    /// Where a pair's time comes out at small_time or earlier, solve it again for min_separation
    /// alone, never for less, and multiply the time found by this. Pairs that start at
    /// min_separation or closer are not solved again. In [0, 1); 0: no second pass. The paper uses
    /// 0.8.
    double rescale;
    /// What counts as a small time; 0: only a time of 0. In [0, 1]. ipc-toolkit uses 1e-6.
    double small_time;
    /// A pair that starts at min_separation or closer is an error, and the message names it.
    bool strict;
} toi_zero_time_policy;

/// What implicit solvers (IPC) ask for: a relative separation of 0.2, and times up to 1e-6 solved
/// again and multiplied by 0.8.
TOI_API toi_zero_time_policy toi_solver_policy(void);

/// Options of the pipeline; start from toi_default_ccd_def().
typedef struct toi_ccd_def
{
    /// The method, and for toi_find_candidates() the order; workers, memory limit and progress are
    /// those below.
    toi_broad_def broad;
    toi_narrow_def narrow; ///< all but `workers` and `device`
    /// Boxes in single precision, rounded outward, decide what a candidate is (as section 6.1 of
    /// the paper), instead of boxes in double. A few more candidates, the same impacts: only those
    /// whose boxes in double overlap too are asked about.
    bool float_boxes;
    toi_filter filter; ///< which pairs may collide; default: all
    /// TOI_KIND_COUNT lists of pairs, by toi_kind, to be asked about instead of those that a search
    /// would find: the candidates of a longer step for a line search, or a coarser set. NULL, the
    /// default: search. Only read during the call; a list without pairs needs no data. The filter,
    /// and that pairs with a common vertex are not tested, hold for them too. Those whose swept
    /// boxes in double do not overlap are dropped. So lists that hold every candidate give the
    /// pipeline's own answer, bit for bit. Edges and points may come in either order; what is
    /// reported has the lower one first. A pair that is twice in a list is asked about and reported
    /// twice. Point-edge and point-point pairs need not be of loose parts. A number that is out of
    /// range is an error (TOI_ERROR_DATA).
    const toi_pair_array *given;
    /// Count the candidates, although impacts can be found without looking at all of them. Default:
    /// false, which is quicker.
    bool count_candidates;
    toi_zero_time_policy zero_time; ///< what to do about times of 0; default: nothing
    int workers;                    ///< 0: toi_default_workers()
    /// Where to compute: a device (device.h); NULL, the default: on the processor. The answer is
    /// the same.
    toi_device *device;
    /// Most bytes held at once, as broad_phase.h defines it; 0: no limit. Lists of impacts (64
    /// bytes each) are treated as lists of pairs are. Integers of `exact` count; the few
    /// numbers that `parity` has from GMP do not.
    int64_t memory_limit;
    toi_progress_fn *progress; ///< or NULL
    void *progress_context;    ///< passed to `progress`
    uint32_t cookie;           ///< set by the default function; leave it
} toi_ccd_def;

/// The default broad and narrow phase, boxes in double, every pair, toi_default_workers(), no
/// limit.
TOI_API toi_ccd_def toi_default_ccd_def(void);

/// One impact. Sorted by kind, then a, then b in every list.
typedef struct toi_impact
{
    int32_t kind;     ///< a toi_kind
    int32_t a;        ///< vertex, or the lower of the two edges; point-point: the lower vertex
    int32_t b;        ///< face, or the higher of the two edges; or edge, or the higher vertex
    int32_t state;    ///< TOI_HIT or TOI_UNDECIDED
    double time;      ///< not later than the first contact, as in toi_query_result
    double u;         ///< where they touch, as in toi_query_result
    double v;         ///< likewise
    double normal[3]; ///< unit contact normal, as in toi_query_result
} toi_impact;

/// A growable list of impacts. Start from a zeroed one; a call reuses its memory, or frees it where
/// it does not fit the memory limit; free with toi_free_impacts().
typedef struct toi_impact_array
{
    toi_impact *data; ///< the impacts; NULL while there is no room
    int64_t count;    ///< how many there are
    int64_t capacity; ///< how many there is room for
} toi_impact_array;

/// Frees and empties; harmless on a zeroed array.
TOI_API void toi_free_impacts(toi_impact_array *impacts);

/// A pair of any kind.
typedef struct toi_pair_name
{
    int32_t kind; ///< a toi_kind
    int32_t a;    ///< as in toi_impact
    int32_t b;    ///< likewise
} toi_pair_name;

/// What a pipeline call did. Counts are indexed by toi_kind.
typedef struct toi_ccd_report
{
    /// TOI_SEPARATED: nothing touches up to t_max (the whole step, unless the definition says
    /// less).
    toi_state state;
    /// The first impact: of equally early ones the least by (kind, a, b). Infinite time where
    /// separated.
    toi_impact earliest;
    /// The narrow phase that decided; TOI_NARROW_COUNT where only candidates were asked for.
    toi_narrow_method decided_by;
    int64_t vertices; ///< of the mesh
    int64_t edges;    ///< of the mesh, those made from its faces included
    int64_t faces;    ///< of the mesh
    /// Pairs whose swept boxes overlap, or that are given and overlap, and that the filter allows.
    /// -1 where they were not counted: a search for impacts drops pairs that an axis separates at
    /// both ends of the step, if neither boxes nor pairs that only come close have a say, and so
    /// does not meet all of them. toi_ccd_def.count_candidates has them counted.
    int64_t candidates[TOI_KIND_COUNT];
    int64_t tested[TOI_KIND_COUNT]; ///< pairs that were looked at one by one: of these, or all
    int64_t hits[TOI_KIND_COUNT];   ///< found to be hit or undecided; only counted when all impacts
                                    ///< or safe steps are asked for
    int64_t undecided[TOI_KIND_COUNT]; ///< of those, undecided
    /// Pairs that went through the second pass of the policy. Not counted for the earliest impact.
    int64_t rescaled;
    /// Pairs that start at min_separation or closer, and the least of them by (kind, a, b). `exact`
    /// counts them whenever there is a separation, other methods with a relative one, by their
    /// rounded distances.
    int64_t inside;
    toi_pair_name first_inside; ///< kind TOI_KIND_COUNT where there is none
    int32_t checks;         ///< safe steps: how many motions were checked before one was found free
    double seconds_prepare; ///< wall time before the search: checking the mesh, making its edges
                            ///< and boxes
    double seconds_broad;   ///< wall time, with the order of the vertices; the two phases overlap,
                            ///< so it is shared out by the workers' own clocks
    double seconds_narrow;  ///< likewise
    double seconds_total;   ///< wall time of the call
    int64_t peak_bytes;     ///< most bytes held at once, counted as the memory limit counts them
} toi_ccd_report;

/// The earliest time of impact. Prunes with the best time so far; the answer does not depend on the
/// order.
TOI_API toi_status toi_find_earliest(const toi_ccd_def *def, const toi_mesh *mesh,
                                     toi_ccd_report *report);

/// Every impact, in canonical order. `report` may be NULL.
TOI_API toi_status toi_find_impacts(const toi_ccd_def *def, const toi_mesh *mesh,
                                    toi_impact_array *impacts, toi_ccd_report *report);

/// For every vertex how far it may move, as a share of its motion, when all move at once: the
/// motion of every vertex on a straight line from its start to the position that toi_move_points()
/// gives for its step was asked about itself, and is free. Free means: no pair that starts farther
/// than min_separation comes as close as that, and pairs that start there or closer keep the share
/// of the policy, or do not move. `steps` has room for one number a vertex; none is above t_max.
///
/// No step is less than the earliest time, unless the positions of that time are not free: with
/// neither separation nor policy they touch, and otherwise rounding may bring them too close. Then
/// it is less by 2^-40 of that time, or by as much more as is needed. The counts of the report are
/// those of the whole motion. On failure every step is 0. `report` may be NULL.
TOI_API toi_status toi_find_safe_steps(const toi_ccd_def *def, const toi_mesh *mesh, double *steps,
                                       toi_ccd_report *report);

/// Where steps lead: x0 + s (x1 - x0) in double precision, x0 and x1 themselves for steps of 0
/// and 1. `steps` has one number in [0, 1] for each vertex; `positions` has room for three, and may
/// be the start of a packed mesh.
TOI_API toi_status toi_move_points(const toi_mesh *mesh, const double *steps, double *positions);

/// The candidate pairs of one kind: boxes, broad phase and filter. Vertex-face: (vertex, face).
/// Edge-edge: (lower, higher). Point-edge: (loose vertex, loose edge). Point-point: (lower, higher)
/// of the loose vertices. Uses def->broad.order; the search's wall times, unless NULL, go to
/// `report`.
TOI_API toi_status toi_find_candidates(const toi_ccd_def *def, const toi_mesh *mesh, toi_kind kind,
                                       toi_pair_array *pairs, toi_ccd_report *report);

/// The candidate pairs of every kind: `lists` are TOI_KIND_COUNT lists, by toi_kind. Cheaper than a
/// call for each, since the searches share what they prepare.
TOI_API toi_status toi_find_all_candidates(const toi_ccd_def *def, const toi_mesh *mesh,
                                           toi_pair_array *lists, toi_ccd_report *report);

/// The same pairs of one kind without ever holding them all: each block goes to `sink` as soon as
/// it is full (broad_phase.h, toi_stream_pairs()). def->broad.order is not used.
TOI_API toi_status toi_stream_candidates(const toi_ccd_def *def, const toi_mesh *mesh,
                                         toi_kind kind, toi_pair_sink_fn *sink, void *context,
                                         toi_ccd_report *report);

/// The four points of a candidate, as a query that can be stored and solved again. Points that its
/// kind does not name repeat the last one.
TOI_API toi_query toi_gather_query(const toi_mesh *mesh, toi_kind kind, toi_pair pair);

TOI_EXTERN_C_END

#endif
