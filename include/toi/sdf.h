/// @file
/// Triangle meshes against signed distance fields: when does a moving mesh first touch the solid,
/// where, and how sure is that.
///
/// A field is a function phi of space; its solid is where phi <= 0. Contact is phi <= margin. The
/// mesh may move rigidly, each vertex on its own straight line, or by a function of the caller; the
/// field may move rigidly as well. Times are in the caller's unit (seconds, say) from 0 to the
/// motion's duration, lengths in the unit of the coordinates.
///
/// The default solver, `certified`, returns an interval: nothing touches before t_low, and at t_high
/// something is closer than the touch distance. docs/sdf.md has the theorems.

#ifndef TOI_SDF_H
#define TOI_SDF_H

#include "toi/mesh.h"

TOI_EXTERN_C_BEGIN

/// A field. It never changes once it is made: any number of threads may use it at once. A field made
/// of others holds on to them, so each may be freed at any time, in any order.
typedef struct toi_field toi_field;

/// Gives up the caller's hold; harmless on NULL.
TOI_API void toi_free_field(toi_field *field);

/// Shapes with their numbers, all positive and finite unless said otherwise. Outside the solid the
/// value is the distance to it, and inside minus the distance to its surface, but for three: inside
/// spikes, and inside a torus whose tube is the larger radius, it may be nearer to 0 than that; of a
/// gyroid it is |g| over the largest slope of g, minus half the thickness, and never more than a
/// distance. A thin gyroid is 1 to 1.23 times as thick as its number says.
typedef enum toi_shape
{
    TOI_SHAPE_SPHERE,      ///< radius; about the origin
    TOI_SHAPE_BOX,         ///< half of each side: x, y, z; about the origin
    TOI_SHAPE_ROUNDED_BOX, ///< half of each side, then the radius of its edges (at most the least half side)
    TOI_SHAPE_CAPSULE,     ///< radius, half the length of its axis; along z, about the origin
    TOI_SHAPE_CYLINDER,    ///< radius, half the height; along z, about the origin
    TOI_SHAPE_CONE,        ///< radius of the base in z = 0, height of the tip above it
    TOI_SHAPE_PLANE,       ///< outward normal x, y, z (any length but 0), offset: the solid is n.x <= offset, n the unit normal
    TOI_SHAPE_TORUS,       ///< radius of the ring, radius of the tube (may be the larger); about z
    TOI_SHAPE_SPIKES,      ///< spacing, height, base radius (at most half the spacing): a cone at every (i, j) of a grid on the solid z <= 0
    TOI_SHAPE_GYROID,      ///< length of a cell, thickness: a shell about sin x cos y + sin y cos z + sin z cos x = 0 without end
    TOI_SHAPE_COUNT
} toi_shape;

/// "sphere", "rounded-box" and so on; NULL when out of range.
TOI_API const char *toi_shape_name(toi_shape shape);

/// How many numbers a shape takes; 0 when out of range.
TOI_API int toi_shape_numbers(toi_shape shape);

/// Makes a shape of its `count` numbers. On failure *field is NULL, here and below.
TOI_API toi_status toi_make_shape(toi_shape shape, const double *numbers, int count, toi_field **field);

/// Ways to make one field of several.
typedef enum toi_combination
{
    TOI_COMBINE_UNION,        ///< the least of all: inside any
    TOI_COMBINE_INTERSECTION, ///< the greatest of all: inside every one
    TOI_COMBINE_DIFFERENCE,   ///< the first without the others
    TOI_COMBINE_COUNT
} toi_combination;

/// "union", "intersection", "difference"; NULL when out of range.
TOI_API const char *toi_combination_name(toi_combination combination);

/// Combines `count` >= 1 fields. The solid is exact; the value is a distance only where docs/sdf.md
/// says so, and never more than one. Fields may be combined and placed 64 times one within another;
/// TOI_ERROR_LIMIT beyond.
TOI_API toi_status toi_combine_fields(toi_combination combination, toi_field *const *fields, int count,
                                      toi_field **field);

/// Where a field is put; start from toi_default_placement(). A point x of the field goes to
/// position + rotation (scale x); then `offset` is subtracted from the value: where that is a distance,
/// the solid grows by as much on all sides.
typedef struct toi_placement
{
    double scale;       ///< 2^-200 to 2^200
    double rotation[4]; ///< a quaternion w, x, y, z of any length but 0
    double position[3]; ///< of the field's origin
    double offset;      ///< negative: shrinks
} toi_placement;

/// Scale 1, no rotation, the origin, no offset.
TOI_API toi_placement toi_default_placement(void);

/// A field scaled, turned, moved and grown.
TOI_API toi_status toi_place_field(toi_field *field, const toi_placement *placement, toi_field **placed);

/// A bound from below on a field near a point c: phi(x) >= distance + normal.y - curvature/2 |y|^2 -
/// slope |y| with y = x - c. It is concave (curvature and slope are not negative), so over a triangle
/// its least value is at a corner. docs/sdf.md shows where such bounds come from.
typedef struct toi_minorant
{
    double distance;
    double normal[3];
    double curvature; ///< >= 0; 0 for a convex solid
    double slope;     ///< >= 0; with normal 0 and slope 1 this is the plain bound of a distance
} toi_minorant;

/// The most minorants that a bound may need.
enum
{
    TOI_MINORANTS = 16
};

/// A field of the caller's own. Its functions are called from many threads at once and must give
/// the same answer each time. What they promise is what the certificate rests on. A value or bound
/// that is not a number, bounds above the value at their centre, or values that differ by more than
/// the Lipschitz constant allows, stop the call with TOI_ERROR_DATA where they are noticed.
typedef struct toi_field_def
{
    /// The value at a point, and its gradient (never NULL; only steers the search).
    double (*value)(void *context, const double point[3], double gradient[3]);
    /// Bounds valid for all |x - centre| <= radius: phi is at least the least of them. Returns how
    /// many were written, at most TOI_MINORANTS; 0: only the Lipschitz constant is known there. May
    /// be NULL. Without curvature bounds, tolerances below some 1e-5 become expensive.
    int (*bounds)(void *context, const double centre[3], double radius, toi_minorant *minorants);
    double lipschitz; ///< |phi(x) - phi(y)| <= lipschitz |x - y|, for real x and y; > 0
    double error;     ///< a returned value differs from phi by at most this
    void *context;    ///< passed to both; must stay valid while the field lives
} toi_field_def;

/// Makes a field of functions of the caller.
TOI_API toi_status toi_make_field(const toi_field_def *def, toi_field **field);

/// Signed distances to a closed mesh, from its triangles themselves: no interpolation. Positions and
/// faces are copied. The inside is where the winding number is at least 1/2; where the mesh is open
/// or turned inside out, `report` says so (NULL if it does not matter). A mesh turned inside out has
/// no inside. With holes the sign jumps where the winding number passes 1/2 in a hole; what is
/// promised about the field (its Lipschitz constant, its bounds, and what a solver concludes) is then
/// true of the distance to the triangles: a mesh that moves is certain not to touch a face, but may
/// pass through a hole unseen.
typedef struct toi_mesh_field_report
{
    int64_t open_edges;      ///< sides that faces do not pass as often in one direction as in the other; vertices at the same place count as one
    int32_t open_edge[2];    ///< the first of them; -1, -1: none
    int64_t degenerate;      ///< faces without area
    double volume;           ///< of the inside; negative: most of the mesh is turned inside out
    double doubtful;         ///< share of the samples (grid nodes; 0 for a mesh field) whose winding number is not within 0.1 of an integer
    double doubtful_point[3]; ///< the first of them
} toi_mesh_field_report;
TOI_API toi_status toi_make_mesh_field(toi_point_view points, toi_index_view faces, int workers,
                                       toi_mesh_field_report *report, toi_field **field);

/// How the values of a grid are interpolated.
typedef enum toi_interpolation
{
    TOI_TRILINEAR, ///< 8 values a cell
    TOI_CUBIC,     ///< 32 values a cell, as Discregrid's
    TOI_INTERPOLATION_COUNT
} toi_interpolation;

/// "trilinear", "cubic"; NULL when out of range.
TOI_API const char *toi_interpolation_name(toi_interpolation interpolation);

/// How a mesh is baked; start from toi_default_bake_def().
typedef struct toi_bake_def
{
    int resolution;  ///< cells along the longest side of the mesh's box; 2 to 2048
    toi_interpolation interpolation;
    double padding;  ///< room around the mesh's box, as a share of its longest side; 0 to 1. At least two cells
    /// Only cells nearer than this many cell sizes to the surface are stored in full; 0: all. Beyond,
    /// values end at about this distance: the field is still at most the distance, and constant.
    double band;
    int workers;     ///< 0: toi_default_workers()
    toi_progress_fn *progress; ///< or NULL
    void *progress_context;
    uint32_t cookie; ///< set by the default function; leave it
} toi_bake_def;

/// 64 cells, trilinear, a tenth of padding, all cells.
TOI_API toi_bake_def toi_default_bake_def(void);

/// What was baked.
typedef struct toi_bake_report
{
    int64_t cells;    ///< stored in full
    int64_t bytes;
    double cell_size;
    double error;     ///< |interpolated - true distance to the mesh| is at most this in the stored cells
    double lipschitz; ///< of the interpolated field
    toi_mesh_field_report mesh;
} toi_bake_report;

/// Bakes a mesh into a grid of its signed distances. `report` may be NULL. Outside the grid the field
/// goes on, continuously, below the distance to the mesh. The same bytes for any number of workers.
/// Where the mesh has a hole wider than about a cell, inside and outside are one, and nothing is inside:
/// the field never jumps.
TOI_API toi_status toi_bake_field(const toi_bake_def *def, toi_point_view points, toi_index_view faces,
                                  toi_bake_report *report, toi_field **field);

/// A baked field as bytes, to be stored (the format is docs/sdf.md's); valid while the field lives.
/// TOI_ERROR_ARGUMENT if the field is not a baked one.
TOI_API toi_status toi_field_bytes(const toi_field *field, const void **bytes, int64_t *size);

/// A baked field from bytes, checked in full. The bytes are used where they are, 64-byte aligned;
/// `release`, if not NULL, is called with `context` once nobody needs them (also on failure).
TOI_API toi_status toi_open_field(const void *bytes, int64_t size, void (*release)(void *context),
                                  void *context, toi_field **field);

/// What is known of a field.
typedef struct toi_field_facts
{
    const char *kind;  ///< "torus", "union", "grid", "mesh", "user" and so on
    double lipschitz;  ///< |phi(x) - phi(y)| <= lipschitz |x - y|
    double error;      ///< of a baked field: how far from the mesh's distance it may be; else 0
} toi_field_facts;

/// The facts of a field; of NULL the kind is "none".
TOI_API toi_field_facts toi_describe_field(const toi_field *field);

/// Values, and gradients if `gradients` is not NULL (three numbers a point; no unit vectors in
/// general), at every point. The same bits for any number of workers.
TOI_API toi_status toi_evaluate_field(const toi_field *field, toi_point_view points, int workers,
                                      double *values, double *gradients);

/// The bounds that the certified solver works with: see toi_field_def.bounds. `count` of 0: only the
/// Lipschitz constant. Of a mesh field these bound max(phi, 0): where the least of them is positive,
/// phi is at least that.
TOI_API toi_status toi_bound_field(const toi_field *field, const double centre[3], double radius,
                                   toi_minorant minorants[TOI_MINORANTS], int *count);

/// A body that moves rigidly; start from toi_rest(). Its point p (in the body's own coordinates) is
/// at position + velocity t + R(spin t) rotation (p - centre) at time t: the spin is constant, in
/// radians a unit of time, any number of turns.
typedef struct toi_rigid
{
    double centre[3];   ///< in the body's coordinates: what it turns about
    double rotation[4]; ///< at t = 0; a quaternion w, x, y, z of any length but 0
    double position[3]; ///< of the centre at t = 0
    double velocity[3]; ///< of the centre
    double spin[3];     ///< angular velocity
} toi_rigid;

/// At rest where its coordinates say.
TOI_API toi_rigid toi_rest(void);

/// Where a rigid body is at time t: a point p goes to matrix (row by row) p + position.
TOI_API void toi_rigid_pose(const toi_rigid *rigid, double time, double matrix[9], double position[3]);

/// A pose and its rates at an instant, from a function of the caller: p is at position + matrix p,
/// and moves at velocity + spin x (matrix p). Errors of some units in the last place are allowed for.
typedef struct toi_pose
{
    double matrix[9]; ///< row by row; a rotation
    double position[3];
    double velocity[3];
    double spin[3];
} toi_pose;

/// Fills the pose at a time; called from many threads, same answer each time.
typedef void toi_pose_fn(void *context, double time, toi_pose *pose);

/// How mesh and field move; start from toi_default_motion(). The mesh moves, in this order of
/// preference, by `pose`, on straight lines (`end` not empty), or rigidly.
typedef struct toi_motion
{
    double duration;      ///< >= 0
    toi_rigid mesh;
    toi_rigid field;      ///< how the field moves; its coordinates are those of its own making
    toi_point_view start; ///< positions at t = 0 for straight lines
    toi_point_view end;   ///< positions at the duration
    toi_pose_fn *pose;    ///< or NULL
    void *pose_context;
    /// With `pose`: a point at distance r from the body's origin is never faster than speed[0] + r
    /// speed[1], nor accelerated more than acceleration[0] + r acceleration[1].
    double speed[2];
    double acceleration[2];
} toi_motion;

/// Duration 1, everything at rest.
TOI_API toi_motion toi_default_motion(void);

/// A mesh prepared for questions: its triangles in a hierarchy of boxes. It never changes; any
/// number of threads may use it at once.
typedef struct toi_surface toi_surface;

/// Positions and faces are copied. Faces without area are segments or points, and take part.
TOI_API toi_status toi_make_surface(toi_point_view points, toi_index_view faces, int workers,
                                    toi_surface **surface);
TOI_API void toi_free_surface(toi_surface *surface); ///< harmless on NULL

/// How the first contact is searched.
typedef enum toi_sdf_solver
{
    TOI_SDF_CERTIFIED,  ///< never late, with a bound on how early
    TOI_SDF_FWGSS,      ///< Frank-Wolfe with golden section search (Pelletier-Guenette et al.); a local optimum
    TOI_SDF_FW,         ///< Frank-Wolfe with steps of 2 / (i + 2) (the same paper)
    TOI_SDF_DISCRETE,   ///< at the end of the motion only, by Frank-Wolfe (Macklin et al.)
    TOI_SDF_DISCRETE_PROJECTED, ///< likewise, by projected gradient descent
    TOI_SDF_SOLVER_COUNT
} toi_sdf_solver;

/// "certified", "fwgss", "fw", "discrete", "discrete-projected"; NULL when out of range.
TOI_API const char *toi_sdf_solver_name(toi_sdf_solver solver);

/// What the searches of triangles took, in seconds: what was there before is added to. `certified`
/// searches no triangle by itself and adds nothing.
typedef struct toi_sdf_probe
{
    int64_t triangles; ///< searched
    double sum;        ///< of their times; the squares below give the deviation
    double squares;
    double least;
    double most;
} toi_sdf_probe;

/// How a question is answered; start from toi_default_sdf_def().
typedef struct toi_sdf_def
{
    toi_sdf_solver solver;
    double tolerance; ///< certified: stop once t_high - t_low is at most this; > 0
    double margin;    ///< contact is phi <= margin
    /// Closer than this to contact counts as contact for t_high; 0, or less than rounding allows
    /// (result.touch says): the least possible. A larger one ends grazing contact sooner. fwgss and fw
    /// add how far the fastest point goes in search_tolerance of the motion: they end on either side.
    double touch;
    int64_t budget;   ///< certified: the most nodes to look at
    int iterations;   ///< the others: steps a triangle
    double search_tolerance; ///< fwgss: of a golden section search, as a share of its interval
    int workers;      ///< 0: toi_default_workers(); the answer does not depend on it
    toi_sdf_probe *probe; ///< for measurements; or NULL
    uint32_t cookie;  ///< set by the default function; leave it
} toi_sdf_def;

/// Certified, 1e-9, no margin, the least touch distance, 2^22 nodes.
TOI_API toi_sdf_def toi_default_sdf_def(void);

/// What came out.
typedef enum toi_sdf_state
{
    TOI_SDF_FREE,      ///< no contact in the whole motion
    TOI_SDF_HIT,       ///< contact: at t_high a point is closer than the touch distance
    TOI_SDF_UNDECIDED, ///< the budget ran out; nothing touches before t_low
    TOI_SDF_STATE_COUNT
} toi_sdf_state;

/// "free", "hit", "undecided"; NULL when out of range.
TOI_API const char *toi_sdf_state_name(toi_sdf_state state);

/// The first contact. For solvers other than `certified`, t_low is t_high, and nothing is promised.
typedef struct toi_sdf_result
{
    toi_sdf_state state;
    int32_t triangle;    ///< that touches first; -1: none
    double t_low;        ///< nothing touches before; the duration if free
    double t_high;       ///< infinity unless hit
    double u;            ///< the point of contact is (1 - u - v) a + u b + v c of the triangle's corners
    double v;
    double point[3];     ///< of contact at t_high, in the world
    double normal[3];    ///< of the field there, in the world: the unit gradient
    double distance;     ///< the field's value at the point of contact
    double touch;        ///< the touch distance used
    int64_t nodes;       ///< boxes, triangles and parts of triangles looked at
    int64_t evaluations; ///< of the field
} toi_sdf_result;

/// The first contact of a mesh with a field. `certified` gives the same bits for any number of workers.
TOI_API toi_status toi_find_field_impact(const toi_sdf_def *def, const toi_surface *surface,
                                         const toi_motion *motion, const toi_field *field,
                                         toi_sdf_result *result);

/// Likewise for one triangle, without a surface. Straight lines: motion.start and end have three points.
TOI_API toi_status toi_find_triangle_impact(const toi_sdf_def *def, const double corners[3][3],
                                            const toi_motion *motion, const toi_field *field,
                                            toi_sdf_result *result);

/// A point where a triangle touches the field at an instant.
typedef struct toi_field_contact
{
    int32_t triangle;
    int32_t reserved;  ///< zero, so that lists can be hashed as bytes
    double u;          ///< as in toi_sdf_result
    double v;
    double point[3];   ///< in the world
    double normal[3];  ///< likewise
    double distance;   ///< the field's value
} toi_field_contact;

/// A growable list of contacts. Start from a zeroed one; a call reuses its memory.
typedef struct toi_field_contact_array
{
    toi_field_contact *data;
    int64_t count;
    int64_t capacity;
} toi_field_contact_array;
TOI_API void toi_free_field_contacts(toi_field_contact_array *contacts); ///< harmless on a zeroed array

/// How contacts are collected; start from toi_default_contact_def().
typedef struct toi_contact_def
{
    double distance;  ///< points with phi <= distance are contacts; >= 0
    /// Adaptive subdivision (section 1.5.5 of the paper): beside its deepest point a triangle may have
    /// more, looked for in parts of the triangle down to this area. They are a 64th of its longest side
    /// apart or more, and the first three are not on a line. Infinity: one contact a triangle.
    double least_area;
    int per_triangle; ///< the most contacts of a triangle; >= 1. The paper: 3
    int workers;      ///< 0: toi_default_workers()
    uint32_t cookie;
} toi_contact_def;

/// A distance of 1e-6, parts down to a 729th of the triangle, three contacts a triangle.
TOI_API toi_contact_def toi_default_contact_def(void);

/// Every triangle that comes as near as `distance` at time `time` of the motion has a contact: none
/// is missed. Where the field's bounds are too poor to tell, a triangle has one too, and its distance
/// says how near it was found to be. Sorted by triangle, the deepest first. The same bits for any
/// number of workers.
TOI_API toi_status toi_find_field_contacts(const toi_contact_def *def, const toi_surface *surface,
                                           const toi_motion *motion, double time,
                                           const toi_field *field, toi_field_contact_array *contacts);

TOI_EXTERN_C_END

#endif
