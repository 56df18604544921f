/// @file
/// Narrow phases: does this vertex hit this face, this edge that edge, and when first?

#ifndef TOI_NARROW_PHASE_H
#define TOI_NARROW_PHASE_H

#include "toi/base.h"

TOI_EXTERN_C_BEGIN

/// The two kinds of query.
typedef enum toi_kind
{
    TOI_VERTEX_FACE,
    TOI_EDGE_EDGE,
    TOI_KIND_COUNT
} toi_kind;

/// "vf" or "ee"; NULL when out of range.
TOI_API const char *toi_kind_name(toi_kind kind);

/// Four points at t = 0 and at t = 1, moving on straight lines in between.
/// Vertex-face: the vertex, then the face's three corners. Edge-edge: the ends of edge a, then the
/// ends of edge b.
typedef struct toi_query
{
    double start[4][3];
    double end[4][3];
} toi_query;

/// The outcome of a query.
typedef enum toi_state
{
    TOI_SEPARATED, ///< proved: they do not touch in [0, t_max]
    TOI_HIT, ///< they touch, or come closer than the method's tolerance can tell from touching
    TOI_UNDECIDED, ///< the budget ran out; `time` is still a lower bound, so treat it as a hit
    TOI_STATE_COUNT
} toi_state;

/// "separated", "hit" or "undecided"; NULL when out of range.
TOI_API const char *toi_state_name(toi_state state);

/// What a query found. Where the state is TOI_SEPARATED the time is infinity, and place and normal
/// are zero.
typedef struct toi_query_result
{
    toi_state state;
    int32_t iterations; ///< how much of the budget it took
    /// Not later than the true first time of impact, for every conservative method.
    double time;
    /// Where they touch. Vertex-face: (1-u-v) f0 + u f1 + v f2. Edge-edge: a0 + u (a1 - a0) and b0
    /// + v (b1 - b0).
    double u;
    double v;
    /// Unit contact normal at `time`, from the second primitive (face, edge b) towards the first;
    /// it opposes the relative motion. Zero where the contact has none (two points that never move
    /// apart).
    double normal[3];
} toi_query_result;

/// How a query is decided.
typedef enum toi_narrow_method
{
    TOI_NARROW_INCLUSION, ///< Tight-Inclusion: subdivision of (t,u,v) by inclusion functions;
                          ///< conservative
    TOI_NARROW_COUNT
} toi_narrow_method;

/// The name a method has on the command line ("inclusion"); NULL when out of range.
TOI_API const char *toi_narrow_name(toi_narrow_method method);

/// The method of that name; TOI_NARROW_COUNT when there is none.
TOI_API toi_narrow_method toi_narrow_find(const char *name);

/// Options of a narrow phase; start from toi_default_narrow_def().
typedef struct toi_narrow_def
{
    toi_narrow_method method;
    /// How close counts as touching, in the unit of the coordinates: primitives that stay further
    /// apart than about twice this are told from touching ones. Positive and finite. Default 1e-6.
    double tolerance;
    /// Report a hit as soon as the distance is at most this (in the maximum norm, so never late in
    /// the Euclidean one). Finite, not negative. Default 0.
    double min_separation;
    /// Only impacts at or before this time matter; later ones may be reported separated. In [0, 1].
    /// Default 1.
    double t_max;
    /// Most boxes examined for a query, at least 1. Default 100,000.
    int32_t max_iterations;
    /// Keep refining, whatever the tolerance, while the time found is exactly 0 and refinement can
    /// still tell (appendix B of Belgrod et al.). Default false.
    bool no_zero_time;
    int workers;     ///< 0: toi_default_workers()
    uint32_t cookie; ///< set by the default function; leave it
} toi_narrow_def;

TOI_API toi_narrow_def toi_default_narrow_def(void);

/// Decides `count` queries of one kind; `results` has room for as many. Coordinates must be finite;
/// the first that is not is named. The result of a query does not depend on the others, nor on the
/// number of workers.
TOI_API toi_status toi_solve_queries(const toi_narrow_def *def, toi_kind kind,
                                     const toi_query *queries, int64_t count,
                                     toi_query_result *results);

/// Distance between a point and a closed triangle, which may be degenerate. `uv`, unless NULL,
/// receives the closest point's barycentric coordinates as in toi_query_result. Correctly computed
/// to a few units in the last place of the largest coordinate difference; infinite only if
/// it is beyond the doubles.
TOI_API double toi_point_triangle_distance(const double point[3], const double a[3],
                                           const double b[3], const double c[3], double uv[2]);

/// Distance between two closed segments, which may be degenerate or parallel; `uv` as above.
TOI_API double toi_edge_edge_distance(const double a0[3], const double a1[3], const double b0[3],
                                      const double b1[3], double uv[2]);

TOI_EXTERN_C_END

#endif
