/// @file
/// Narrow phases: does this vertex hit this face, this edge that edge, and when first?

#ifndef TOI_NARROW_PHASE_H
#define TOI_NARROW_PHASE_H

#include "toi/base.h"

TOI_EXTERN_C_BEGIN

/// The kinds of query, and of pairs of a mesh. The first two are all that a surface has; the others
/// are for points that belong to nothing (mesh.h).
typedef enum toi_kind
{
    TOI_VERTEX_FACE,
    TOI_EDGE_EDGE,
    TOI_POINT_EDGE,
    TOI_POINT_POINT,
    TOI_KIND_COUNT,
    TOI_PAIR_KINDS = 2 ///< how many of them, from the first, a surface has
} toi_kind;

/// "vf", "ee", "pe" or "pp"; NULL when out of range.
TOI_API const char *toi_kind_name(toi_kind kind);

/// Four points at t = 0 and at t = 1, moving on straight lines in between.
/// Vertex-face: the vertex, then the face's three corners. Edge-edge: the ends of edge a, then the
/// ends of edge b. Point-edge: the point, then the edge's ends. Point-point: the two points. Points
/// that a kind does not name are not looked at.
typedef struct toi_query
{
    double start[4][3]; ///< at t = 0
    double end[4][3];   ///< at t = 1
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

/// Which rung of the ladder of `exact` decided a query: docs/exact.md, docs/separation.md.
typedef enum toi_rung
{
    TOI_RUNG_NONE,      ///< another method
    TOI_RUNG_AXIS,      ///< a coordinate axis separates
    TOI_RUNG_DIRECTION, ///< another direction separates, in single precision
    TOI_RUNG_PLANE,     ///< never coplanar, or a direction in double precision separates
    /// Roots bracketed, inside tests certified, time from a doubled double; with a separation: the
    /// time at which the closest features are that far apart, likewise.
    TOI_RUNG_ROOT,
    TOI_RUNG_INTEGER, ///< exact integers
    /// With a separation: a direction that turns separates, or two points show that they start at
    /// most so far apart.
    TOI_RUNG_TURN,
    TOI_RUNG_COUNT
} toi_rung;

/// "axis", "direction" and so on, "none" for other methods; NULL when out of range.
TOI_API const char *toi_rung_name(toi_rung rung);

/// What a query found. Where the state is TOI_SEPARATED the time is infinity, and place and normal
/// are zero.
typedef struct toi_query_result
{
    toi_state state;    ///< the outcome
    int32_t iterations; ///< how much of the budget it took; 0 for methods without a budget
    /// Not later than the true first time of impact, for every conservative method.
    double time;
    /// Where they touch. Vertex-face: (1-u-v) f0 + u f1 + v f2. Edge-edge: a0 + u (a1 - a0) and b0
    /// + v (b1 - b0). Point-edge: e0 + u (e1 - e0). `exact` with a separation: the closest points
    /// at `time`.
    double u;
    double v; ///< see u
    /// Unit contact normal at `time`, from the second primitive (face, edge b) towards the first:
    /// the normal of the face, or of both edges, turned against the relative motion of the two
    /// points that touch (either way, where they only slide). Where these span no plane, because
    /// the sine of the angle between two sides of the face or between the edges is below 2^-30 (a
    /// face without area, parallel edges, edges and points for themselves): against the part of
    /// that motion that is across the longer edge. Where there is no such motion: along the gap
    /// across that edge, if one is left; else zero. `exact` with a separation: along the gap
    /// between the closest points; where they coincide, or nearly, as without. `additive` and
    /// `additive-certified`, which stop before they touch, give a direction that has all of the
    /// first primitive above the second, unless the gap is within rounding. `parity` gives none:
    /// zero.
    double normal[3];
    /// With `all_roots`: how many separate contacts [0, 1] holds, whatever t_max is. An interval
    /// during which they stay in touch counts once. 0 where it was not asked for, or the method
    /// cannot tell.
    int32_t contacts;
    uint8_t rung;       ///< a toi_rung
    bool time_is_exact; ///< proved: the true time is this very double
    /// `exact` with a separation: at t = 0 they are at most `min_separation` apart.
    bool starts_inside;
    uint8_t reserved[1]; ///< zero, so that results can be hashed and compared as bytes
} toi_query_result;

/// How a query is decided: docs/narrow_phases.md compares them.
typedef enum toi_narrow_method
{
    TOI_NARROW_EXACT,           ///< certified filters, then exact integers
    TOI_NARROW_INCLUSION,       ///< Tight-Inclusion: subdivision of (t,u,v)
    TOI_NARROW_INCLUSION_QUEUE, ///< the same, breadth first over one queue of many queries' cells
    TOI_NARROW_ADDITIVE,        ///< additive conservative advancement (ACCD) as published
    TOI_NARROW_ADDITIVE_CERTIFIED, ///< the same, distances rounded down and speeds rounded up
    TOI_NARROW_FAST,               ///< fastCCD: Householder roots and the area inclusion test
    TOI_NARROW_PARITY,             ///< root parity (exactCCD): an odd number of contacts or not
    TOI_NARROW_SAFE,               ///< cubic roots with safeCCD's tolerances
    TOI_NARROW_CUBIC,              ///< cubic roots in plain double (Provot)
    TOI_NARROW_COUNT
} toi_narrow_method;

/// What a method can do, and which options it honours. A definition with an option that its method
/// does not honour is refused, unless it has its default value.
typedef enum toi_narrow_trait
{
    /// It can be used. What was left out when the library was built returns TOI_ERROR_UNSUPPORTED.
    TOI_NARROW_TRAIT_BUILT = 1 << 0,
    /// `time` of a hit is when they touch. Without this trait it is 0.
    TOI_NARROW_TRAIT_TIME = 1 << 1,
    /// `u`, `v` and `normal` of a hit say where they touch, and which way.
    TOI_NARROW_TRAIT_PLACE = 1 << 2,
    /// `all_roots`: `contacts` counts them.
    TOI_NARROW_TRAIT_CONTACTS = 1 << 3,
    /// It uses `tolerance`.
    TOI_NARROW_TRAIT_TOLERANCE = 1 << 4,
    /// It honours `min_separation`. `exact`: exactly, in the Euclidean norm.
    TOI_NARROW_TRAIT_SEPARATION = 1 << 5,
    /// It has a budget: `max_iterations`.
    TOI_NARROW_TRAIT_BUDGET = 1 << 6,
    /// It refines while the time is 0: `no_zero_time`.
    TOI_NARROW_TRAIT_REFINEMENT = 1 << 7
} toi_narrow_trait;

/// The traits of a method, or-ed; 0 when there is no such method.
TOI_API unsigned toi_narrow_traits(toi_narrow_method method);

/// What a method promises, on real numbers and in floating point alike.
typedef enum toi_guarantee
{
    TOI_GUARANTEE_EXACT, ///< never wrong; the time is the largest double not above the true time
    TOI_GUARANTEE_CONSERVATIVE, ///< never misses, never late; may report what only comes close
    TOI_GUARANTEE_NONE,         ///< may miss
    TOI_GUARANTEE_COUNT
} toi_guarantee;

/// What the method promises; TOI_GUARANTEE_COUNT when there is no such method.
TOI_API toi_guarantee toi_narrow_guarantee(toi_narrow_method method);

/// "exact", "conservative" or "none"; NULL when out of range.
TOI_API const char *toi_guarantee_name(toi_guarantee guarantee);

/// The name a method has on the command line ("exact"); NULL when out of range.
TOI_API const char *toi_narrow_name(toi_narrow_method method);

/// The method of that name; TOI_NARROW_COUNT when there is none.
TOI_API toi_narrow_method toi_narrow_find(const char *name);

/// A card that computes: device.h.
typedef struct toi_device toi_device;

/// Options of a narrow phase; start from toi_default_narrow_def().
typedef struct toi_narrow_def
{
    toi_narrow_method method; ///< default TOI_NARROW_EXACT
    /// `inclusion` and `inclusion-queue`: how close counts as touching, in the unit of the
    /// coordinates: primitives that stay further apart than about twice this are not reported as
    /// touching. `fast`: how exact its roots are, in time. Positive and finite. Default 1e-6.
    double tolerance;
    /// Report a hit as soon as the distance is at most this. `exact`: exactly, in the Euclidean
    /// norm: the time is the largest double not above the first time at which the closed primitives
    /// are at most so far apart. `inclusion`: in the maximum norm, so never late in the Euclidean
    /// one. Finite, not negative. Default 0.
    double min_separation;
    /// Only impacts at or before this time matter; later ones may be reported separated. In [0, 1].
    /// Default 1.
    double t_max;
    /// Most boxes or steps spent on a query, at least 1. Default 100,000.
    int32_t max_iterations;
    /// Keep refining, whatever the tolerance, while the time found is exactly 0 and refinement can
    /// still tell (appendix B of Belgrod et al.). Default false.
    bool no_zero_time;
    /// Also count the contacts, later ones included (`contacts` of the result): `exact`, `fast`,
    /// `parity` (1 or 0: odd or even), `safe` and `cubic`. Not with a separation. Default false.
    bool all_roots;
    int workers; ///< 0: toi_default_workers()
    /// Where toi_solve_queries() computes: a device (device.h); NULL, the default: on the
    /// processor. Results have the same bits. A device does `exact` without a separation, and
    /// `inclusion-queue`; what else is asked for is TOI_ERROR_UNSUPPORTED.
    toi_device *device;
    uint32_t cookie; ///< set by the default function; leave it
} toi_narrow_def;

/// The defaults that stand beside the options.
TOI_API toi_narrow_def toi_default_narrow_def(void);

/// The definition with the options that its method does not honour set back to their defaults: for
/// one definition and many methods. All else stays, right or wrong.
TOI_API toi_narrow_def toi_fit_narrow_def(const toi_narrow_def *def);

/// Decides `count` queries of one kind; `results` has room for `count`. Coordinates must be finite;
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
