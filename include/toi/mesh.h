/// @file
/// Moving meshes as strided views of the caller's arrays, their edges, their validation, and the
/// pair filter.

#ifndef TOI_MESH_H
#define TOI_MESH_H

#include "toi/base.h"

TOI_EXTERN_C_BEGIN

/// The type of a coordinate in memory.
typedef enum toi_scalar
{
    TOI_DOUBLE,
    TOI_FLOAT
} toi_scalar;

/// `count` points of three coordinates; point i starts at (const char *)data + i * stride.
/// A stride of 0 means packed (three times the size of the scalar).
typedef struct toi_point_view
{
    const void *data;  ///< the first point
    int64_t count;     ///< how many there are
    int64_t stride;    ///< in bytes
    toi_scalar scalar; ///< what a coordinate is
} toi_point_view;

/// `count` rows of vertex indices (two for an edge, three for a face); a stride of 0 means packed.
typedef struct toi_index_view
{
    const int32_t *data; ///< the first row
    int64_t count;       ///< how many there are
    int64_t stride;      ///< in bytes
} toi_index_view;

/// A mesh that moves: vertex i is at x0 + t (x1 - x0), t in [0, 1], over the real numbers.
///
/// Every vertex takes part in vertex-face pairs, every edge in edge-edge pairs: vertices and edges
/// that belong to no face are welcome. Up to 2^31 - 1 of each.
///
/// A vertex is loose if no face and no edge names it, an edge if it is no side of a face. Loose
/// vertices take part in point-edge pairs with the loose edges and in point-point pairs with each
/// other. No other pairs are needed: a face is as near as its sides, an edge as its ends, so
/// vertex-face and edge-edge pairs hold the rest (but for primitives that share a vertex, which are
/// never tested).
typedef struct toi_mesh
{
    toi_point_view start; ///< positions at t = 0
    toi_point_view end;   ///< positions at t = 1; the same number
    toi_index_view faces; ///< triangles; may be empty
    /// The edges to test, numbered as given. Leave empty (count 0) to have the faces' unique edges
    /// made in every call; a solver makes a toi_scene once (scene.h). When given beside faces,
    /// they must contain every side of every face (toi_check_mesh() names one that is missing): a
    /// missing edge would be a missed hit.
    toi_index_view edges;
} toi_mesh;

/// A view of `count` points as packed doubles; for the common case.
TOI_API toi_point_view toi_view_points(const double *data, int64_t count);

/// Makes a mesh from packed arrays of double coordinates and faces; for the common case.
TOI_API toi_mesh toi_make_mesh(const double *start, const double *end, int64_t vertex_count,
                               const int32_t *faces, int64_t face_count);

/// A list of edges that the library allocated; free with toi_free_edges().
typedef struct toi_edge_array
{
    int32_t (*data)[2]; ///< smaller vertex first
    int64_t count;      ///< how many there are
} toi_edge_array;

/// The unique edges of `faces` and of `loose` (which may be empty), ordered as libigl orders them:
/// by the larger vertex, then by the smaller. Indices are checked against `vertex_count`.
TOI_API toi_status toi_make_edges(toi_index_view faces, toi_index_view loose, int64_t vertex_count,
                                  toi_edge_array *edges);

/// Frees and empties; harmless on an empty array.
TOI_API void toi_free_edges(toi_edge_array *edges);

/// A view of an edge array, for toi_mesh.edges.
TOI_API toi_index_view toi_view_edges(const toi_edge_array *edges);

/// Checks all that the library relies on and names the first thing that is wrong: counts that
/// differ, a coordinate that is not finite, an index out of range, a face side missing among given
/// edges. An edge or face that names a vertex twice is allowed (degenerate elements are geometry).
/// Every stateless call of ccd.h does this first; a toi_scene checks faces and edges when it
/// is made, and the coordinates at every step.
TOI_API toi_status toi_check_mesh(const toi_mesh *mesh);

/// Which pairs of vertices may collide. Pairs of primitives that share a vertex are never tested;
/// any other pair is tested if at least one vertex of one may collide with one vertex of the other.
/// A zeroed filter allows all.
typedef struct toi_filter
{
    /// One number a vertex, or NULL: vertices with the same non-negative number do not collide with
    /// each other (a rigid body, say); a negative number collides with everything.
    const int32_t *groups;
    int64_t group_count; ///< length of `groups`: the number of vertices
    /// Or any rule, or NULL: may vertices a and b collide? Called from many threads at once; must
    /// be symmetric and give the same answer each time. Asked only about pairs that `groups`
    /// allows.
    bool (*may_collide)(void *context, int32_t a, int32_t b);
    void *context; ///< passed to `may_collide`
} toi_filter;

TOI_EXTERN_C_END

#endif
