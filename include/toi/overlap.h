/// @file
/// All pairs of faces that intersect at one instant, exactly; what of a surface is broken; and how
/// many intersections a mesh can have at all (k-free analysis).
///
/// Nothing moves here: of a toi_mesh the positions at the start are used, and `end` and the edges
/// are not looked at. Coordinates are taken as the real numbers that they are. Faces are closed
/// sets: touching is an intersection. Faces without area are the segments or points that they are.
///
/// Two faces that have no vertex number in common are reported if they have a point in common. Two
/// faces that share vertex numbers have the hull of these vertices in common, a point or a segment;
/// they are reported if they have anything else in common. Two faces with the same three (distinct)
/// vertices are always reported. Vertices are told apart by their numbers: two that lie at the same
/// place are not shared, and the faces around them touch there.
///
/// The answer is the same, bit for bit, for any method, number of workers and instruction set; for
/// a mesh scaled by a power of two (while no coordinate overflows or loses digits); and, up to the
/// names of the faces, for faces and corners in any order. docs/overlap.md has the proofs.

#ifndef TOI_OVERLAP_H
#define TOI_OVERLAP_H

#include "toi/scene.h"

TOI_EXTERN_C_BEGIN

/// How candidate pairs are found. Every method gives the same answer.
typedef enum toi_overlap_method
{
    TOI_OVERLAP_AUTO,  ///< blocks of boxes along a curve, stars of vertices at once: the fast one
    TOI_OVERLAP_KDET,  ///< hierarchical hash grid, each against larger ones (Weller et al.)
    TOI_OVERLAP_BRUTE, ///< every pair; the reference for tests
    TOI_OVERLAP_METHOD_COUNT
} toi_overlap_method;

/// "auto", "kdet", "brute"; NULL when out of range.
TOI_API const char *toi_overlap_method_name(toi_overlap_method method);

/// How TOI_OVERLAP_KDET finds the bucket of a cell. Every hash gives the same answer.
typedef enum toi_cell_hash
{
    TOI_CELL_HASH_BRICKS, ///< scatters bricks of 4 x 4 x 4 cells, whose cells stay together
    TOI_CELL_HASH_DJB2,   ///< scatters cells: DJB2 of the bytes of their coordinates
    TOI_CELL_HASH_MORTON, ///< bits of the coordinates in turn: neighbours stay together
    TOI_CELL_HASH_COUNT
} toi_cell_hash;

/// "bricks", "djb2", "morton"; NULL when out of range.
TOI_API const char *toi_cell_hash_name(toi_cell_hash hash);

/// What two faces have in common.
typedef enum toi_overlap_class
{
    TOI_OVERLAP_CROSSING, ///< they go through each other: a segment inside both
    TOI_OVERLAP_COPLANAR, ///< they lie in one plane and have an area in common
    TOI_OVERLAP_SEGMENT,  ///< they touch along a segment, which is on the border of one at least
    TOI_OVERLAP_POINT,    ///< they touch in one point
    TOI_OVERLAP_VERTEX,   ///< they share a vertex, and have more than that in common
    TOI_OVERLAP_EDGE,     ///< they share two vertices, and have more than the edge in common
    TOI_OVERLAP_SAME,     ///< they have the same three vertices
    TOI_OVERLAP_CLASS_COUNT
} toi_overlap_class;

/// "crossing", "coplanar", "segment", "point", "vertex", "edge", "same"; NULL when out of range.
TOI_API const char *toi_overlap_class_name(toi_overlap_class overlap_class);

/// Two faces, or polygons, that intersect: a < b. Sorted by a, then b in every list.
typedef struct toi_overlap
{
    int32_t a;             ///< the lower face
    int32_t b;             ///< the higher face
    int32_t overlap_class; ///< a toi_overlap_class
} toi_overlap;

/// A growable list of overlaps. Start from a zeroed one; a call reuses its memory, or frees it
/// where it does not fit the memory limit; free with toi_free_overlaps().
typedef struct toi_overlap_array
{
    toi_overlap *data; ///< the pairs; NULL while there is no room
    int64_t count;     ///< how many there are
    int64_t capacity;  ///< how many there is room for
} toi_overlap_array;

/// Frees and empties; harmless on a zeroed array.
TOI_API void toi_free_overlaps(toi_overlap_array *overlaps);

/// Faces that are parts of simple planar polygons; made by toi_triangulate_polygons().
typedef struct toi_polygon_view
{
    const int32_t *polygons;  ///< one number a face, not negative; NULL: every face for itself
    const uint8_t *diagonals; ///< bit i: side i of the face, from its corner i to the next, is a
                              ///< diagonal, not a side of the polygon
    int64_t count;            ///< the number of faces
} toi_polygon_view;

/// Options; start from toi_default_overlap_def().
typedef struct toi_overlap_def
{
    toi_overlap_method method;
    toi_cell_hash hash; ///< of TOI_OVERLAP_KDET; refused with other methods, unless the default
    /// Which classes to report: bit (1 << class) for each. Default: all.
    uint32_t classes;
    /// The most pairs that a list may get: the first ones by (a, b). 1: the first only. 0, the
    /// default: no limit. Counts and flags do not look at it.
    int64_t limit;
    /// Which pairs of vertices may collide: a pair of faces is tested if a vertex of one may
    /// collide with another vertex of the other. Must be empty in calls of scenes: they have their
    /// own.
    toi_filter filter;
    /// Where it is set, lists, counts and flags are about polygons instead of faces: faces of one
    /// polygon are not tested against each other, and of several pairs of faces of the same two
    /// polygons the pair gets the least class. `classes` is about that one.
    toi_polygon_view polygons;
    int workers;          ///< 0: toi_default_workers()
    int64_t memory_limit; ///< most bytes held at once, as broad_phase.h defines it; 0: no limit
    toi_progress_fn *progress; ///< or NULL
    void *progress_context;    ///< passed to `progress`
    /// Where to compute: a device (device.h); NULL, the default: on the processor. The answer is
    /// the same. Devices do not do TOI_OVERLAP_BRUTE. Positions must be in memory of the host, since
    /// pairs that floating point cannot decide are decided there.
    toi_device *device;
    uint32_t cookie; ///< set by the default function; leave it
} toi_overlap_def;

/// The fast method, all classes, no limit, every pair, toi_default_workers().
TOI_API toi_overlap_def toi_default_overlap_def(void);

/// What a call found and did.
typedef struct toi_overlap_report
{
    int64_t faces;                             ///< of the mesh
    int64_t pairs;                             ///< reported; with a limit: at most that
    bool complete;                             ///< false: the limit left some out
    int64_t by_class[TOI_OVERLAP_CLASS_COUNT]; ///< of `pairs`
    int64_t candidates;                        ///< pairs that were looked at one by one
    int64_t exact;          ///< of those, decided by exact arithmetic, after floating point had to
                            ///< give up
    int64_t stars;          ///< vertices whose faces were shown at once not to intersect
    double seconds_prepare; ///< wall time: checking, topology, order
    double seconds_search;  ///< wall time: all the rest
    double seconds_total;   ///< wall time of the call
    int64_t peak_bytes;     ///< most bytes held at once, counted as the memory limit counts them
} toi_overlap_report;

/// All pairs of faces that intersect. `report` may be NULL.
TOI_API toi_status toi_find_overlaps(const toi_overlap_def *def, const toi_mesh *mesh,
                                     toi_overlap_array *overlaps, toi_overlap_report *report);

/// How many there are, of each class, without a list.
TOI_API toi_status toi_count_overlaps(const toi_overlap_def *def, const toi_mesh *mesh,
                                      toi_overlap_report *report);

/// For every face 1 if it takes part in a pair that toi_find_overlaps() would report, else 0.
/// `flags` has room for one number a face (or polygon: the highest number plus one). All 0 on
/// failure. `report` may be NULL.
TOI_API toi_status toi_flag_overlaps(const toi_overlap_def *def, const toi_mesh *mesh,
                                     uint8_t *flags, toi_overlap_report *report);

/// toi_find_overlaps() for a scene whose vertices are at `points`: one position for each, all
/// finite, read only during the call. What depends on the faces alone is made once and kept, as is
/// the order of the faces in space.
TOI_API toi_status toi_scene_find_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                           toi_point_view points, toi_overlap_array *overlaps,
                                           toi_overlap_report *report);

/// toi_count_overlaps() for a scene.
TOI_API toi_status toi_scene_count_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                            toi_point_view points, toi_overlap_report *report);

/// toi_flag_overlaps() for a scene.
TOI_API toi_status toi_scene_flag_overlaps(toi_scene *scene, const toi_overlap_def *def,
                                           toi_point_view points, uint8_t *flags,
                                           toi_overlap_report *report);

/// A face that is new, or whose vertices are others.
typedef struct toi_face_change
{
    int32_t face;        ///< its number
    int32_t vertices[3]; ///< its vertices from now on
} toi_face_change;

/// Faces of a scene that come, go or change, for meshes that break, tear and are cut: in time
/// proportional to the change, but for arrays that grow by half now and then; and where vertices go
/// before any overlap was asked for, all faces are looked at. Afterwards the scene has
/// `vertex_count` vertices and `face_count` faces. Faces beyond the old number must all be among
/// the changes; those from the new number on are gone. To remove a face from the middle, give its
/// number the vertices of the last one and make the count one less. Of several changes of one face
/// the last counts. No face may name a vertex that is gone.
///
/// The next search puts the changed faces where they belong in the order of the faces. Calls that
/// need edges (all but those of this header) make them anew at the first use. Refused for scenes
/// whose edges or loose edges were given: use toi_scene_change(). On failure the scene stays as it
/// was. `groups`, unless NULL, are the filter's groups from now on, one for each vertex; they must
/// be given where the filter has groups and vertices are added.
TOI_API toi_status toi_scene_change_faces(toi_scene *scene, int64_t vertex_count,
                                          int64_t face_count, const toi_face_change *changes,
                                          int64_t change_count, const int32_t *groups);

/// What two faces have in common, as a convex figure: no corner, a point, a segment, or a polygon.
typedef struct toi_overlap_figure
{
    int32_t count;       ///< corners: 0 nothing, 1 a point, 2 a segment, 3 to 6 a polygon
    double points[6][3]; ///< in order around it; each coordinate the double next to the true one
} toi_overlap_figure;

/// The figure of any two faces of a mesh that is checked (toi_check_mesh()), what they share
/// included: of faces that only share an edge it is that edge.
TOI_API toi_status toi_find_overlap_figure(const toi_mesh *mesh, int32_t a, int32_t b,
                                           toi_overlap_figure *figure);

/// Polygons as faces that the library allocated; free with toi_free_polygon_mesh().
typedef struct toi_polygon_mesh
{
    int32_t (*faces)[3]; ///< each polygon's triangles one after the other
    int32_t *polygons;   ///< the polygon of each face
    uint8_t *diagonals;  ///< as in toi_polygon_view
    int64_t count;       ///< how many faces there are
} toi_polygon_mesh;

/// Cuts simple planar polygons into triangles whose corners are the polygons'. Polygon i has the
/// vertices corners[first[i]] to corners[first[i + 1] - 1]; `first` has polygon_count + 1 numbers,
/// the first of them 0. Signs are exact: whatever is simple, seen along its largest axis, is cut
/// without overlap. Corners that are a little off the plane are fine: the triangles are what is
/// tested. A polygon with fewer than three corners, or one that is not simple, is an error
/// (TOI_ERROR_DATA) that names it.
TOI_API toi_status toi_triangulate_polygons(toi_point_view points, const int32_t *corners,
                                            const int64_t *first, int64_t polygon_count,
                                            toi_polygon_mesh *mesh);

/// Frees and empties; harmless on a zeroed one.
TOI_API void toi_free_polygon_mesh(toi_polygon_mesh *mesh);

/// A view of it, for toi_overlap_def.polygons.
TOI_API toi_polygon_view toi_view_polygons(const toi_polygon_mesh *mesh);

/// What of a surface is in order and what is not. All exact. Faces that name a vertex twice have no
/// area; in all else a surface is looked at without them.
typedef struct toi_surface_report
{
    int64_t vertices, edges, faces; ///< edges: unique sides of the faces
    int64_t components;             ///< of faces connected by common edges
    bool closed;                    ///< every edge has two or more faces, and there are faces
    bool manifold; ///< every edge has at most two faces, the faces of every vertex are one fan
    bool oriented; ///< two faces that share an edge run along it in opposite directions; of more,
                   ///< as many in one direction as in the other
    int64_t border_edges;         ///< with one face
    int64_t crowded_edges;        ///< with three or more
    int64_t flipped_edges;        ///< with two faces that run along it in the same direction
    int64_t crowded_vertices;     ///< whose faces are not one fan, no crowded edge being the reason
    int64_t degenerate_faces;     ///< without area
    int64_t duplicate_faces;      ///< with the same three vertices as an earlier one
    int64_t duplicate_vertices;   ///< of a face, at the same place as an earlier one of a face
    int64_t unused_vertices;      ///< that no face names
    int32_t first_border[2];      ///< its vertices, the lower first, of all border edges the least
                                  ///< pair; -1 where there is none
    int32_t first_crowded[2];     ///< likewise
    int32_t first_crowded_vertex; ///< -1 where there is none, here and below
    int32_t first_degenerate;     ///< face
    int32_t first_duplicate_face;
    int32_t first_duplicate_vertex;
} toi_surface_report;

/// Looks a surface over. Checks its positions and faces first, as toi_check_mesh() does.
TOI_API toi_status toi_check_surface(const toi_mesh *mesh, int workers, toi_surface_report *report);

/// Options of the k-free analysis; start from toi_default_kfree_def().
typedef struct toi_kfree_def
{
    toi_polygon_view polygons; ///< where set, the analysis is about polygons
    int workers;               ///< 0: toi_default_workers()
    int64_t memory_limit;      ///< as in toi_overlap_def
    toi_progress_fn *progress; ///< or NULL
    void *progress_context;    ///< passed to `progress`
    uint32_t cookie;           ///< set by the default function; leave it
} toi_kfree_def;

/// As the fields say: every face for itself, toi_default_workers(), no limit.
TOI_API toi_kfree_def toi_default_kfree_def(void);

/// What the k-free analysis found (docs/overlap.md; Weller, Debowski, Zachmann 2017). The size of a
/// face is the diameter of its smallest enclosing sphere. A face's count is the number of other
/// faces that are at least as large and no farther away than a quarter of its size: those that meet
/// its sum with a ball whose diameter is half its size. A set is k-free if all counts are below k.
/// Sizes and distances are computed in double: a face is counted if it is near, and may be counted
/// if it is too far by less than 2^-39 times the larger size. Faces with the same squared sides
/// have the same size. Faces smaller than 2^-500 times the largest coordinate may count as points.
typedef struct toi_kfree_report
{
    int64_t faces;     ///< of the mesh
    int32_t k;         ///< the least k: the greatest count plus one
    int32_t worst;     ///< the first face with that count; -1 where there are no faces
    double mean;       ///< of the counts
    double deviation;  ///< standard, of the counts
    double neighbours; ///< mean of what faces that share a vertex contribute to a count
    int32_t k_near;    ///< the least k for balls of twice the diameter, which a proof needs
    double least_size; ///< of the faces that are not points
    double greatest_size;
    double height;  ///< log2(greatest_size / least_size): of a hierarchy of sizes
    int32_t levels; ///< of that hierarchy: the whole part of the height, plus one
    /// How many pairs of faces can intersect, as the paper says it: 3 n k, or 7 n k for polygons, n
    /// the number of faces. For two meshes with the same k their bounds are to be added. There are
    /// meshes with more than 3 k for one face.
    double bound;
    /// The same as far as it is proved: the lesser of 3 n k_near and 12 n k; of 7 n k_near and 49 n
    /// k for planar polygons.
    double proven_bound;
    int64_t self_bound;   ///< no more pairs of this mesh intersect or touch: the sum of the counts
    double seconds_total; ///< wall time of the call
    int64_t peak_bytes;   ///< most bytes held at once
} toi_kfree_report;

/// The analysis. `counts`, unless NULL, has room for one number a face (or polygon) and gets each
/// one's count.
TOI_API toi_status toi_kfree(const toi_kfree_def *def, const toi_mesh *mesh, int32_t *counts,
                             toi_kfree_report *report);

TOI_EXTERN_C_END

#endif
