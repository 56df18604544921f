/// @file
/// Distances at one instant: every pair that is close, the closest pair of all, and how far each
/// vertex may move before anything can touch.
///
/// Nothing moves here: of a toi_mesh the positions at the start are used, and `end` is not looked
/// at. Pairs are those of ccd.h: they share no vertex, and the filter allows them. Of the
/// definition, broad method, filter, given pairs, `float_boxes`, workers, memory limit and progress
/// count. All that is about motion is refused unless it is as toi_default_ccd_def() made it: the
/// narrow phase (toi_find_safe_radii() honours its min_separation) and `zero_time`.
///
/// A computed distance differs from the true one by at most 2^-44 of the power of two above the
/// largest coordinate difference within the pair (docs/distances.md), and is the one that
/// toi_point_triangle_distance() or toi_edge_edge_distance() returns, bit for bit. (A loose point
/// and an edge, or another point, have no function of their own.)

#ifndef TOI_CLOSE_H
#define TOI_CLOSE_H

#include "toi/scene.h"

TOI_EXTERN_C_BEGIN

/// The part of a vertex, an edge or a face that holds its closest point.
typedef enum toi_part
{
    TOI_PART_CORNER_0, ///< the first vertex of an edge or a face; a vertex itself
    TOI_PART_CORNER_1, ///< the second vertex
    TOI_PART_CORNER_2, ///< a face's third vertex
    TOI_PART_SIDE_01,  ///< a face's side from its first to its second vertex, without the ends
    TOI_PART_SIDE_12,  ///< likewise, from the second to the third
    TOI_PART_SIDE_20,  ///< likewise, from the third to the first
    TOI_PART_INSIDE,   ///< an edge without its ends, a face without its border
    TOI_PART_COUNT
} toi_part;

/// "corner0", "side01", "inside" and so on; NULL when out of range.
TOI_API const char *toi_part_name(toi_part part);

/// Two primitives and how close they are. Sorted by kind, then a, then b in every list.
///
/// The parts say which distance it is. A face's part, with the vertex: of two points (a corner), of
/// a point and a line (a side), of a point and a plane (inside). Two edges' parts: of two points
/// (two corners), of a point and a line (one corner), of two lines (both inside). An edge's part,
/// with a loose point: of two points (a corner), of a point and a line (inside).
typedef struct toi_close_pair
{
    int32_t kind;        ///< a toi_kind
    int32_t a;           ///< as in toi_impact
    int32_t b;           ///< likewise
    uint8_t part_a;      ///< the toi_part of `a` that is closest
    uint8_t part_b;      ///< the toi_part of `b` that is closest
    uint8_t reserved[2]; ///< zero, so that lists can be hashed and compared as bytes
    double distance;     ///< in the unit of the coordinates
    double u;            ///< the closest points, as in toi_query_result
    double v;            ///< likewise
} toi_close_pair;

/// A growable list of close pairs. Start from a zeroed one; a call reuses its memory, or frees it
/// where it does not fit the memory limit; free with toi_free_close().
typedef struct toi_close_array
{
    toi_close_pair *data; ///< the pairs; NULL while there is no room
    int64_t count;        ///< how many there are
    int64_t capacity;     ///< how many there is room for
} toi_close_array;

/// Frees and empties; harmless on a zeroed array.
TOI_API void toi_free_close(toi_close_array *close);

/// Every pair at a distance of at most `radius`, which is finite and not negative (0: those that
/// touch), in canonical order. Exactly: the boxes in double, each enlarged by half the radius
/// (boxes.h), overlap, and the computed distance is at most the radius. So the list is the same for
/// any broad phase, box type, number of workers and instruction set. The list takes 40 bytes a pair
/// and is treated as lists of impacts are where memory is limited. report->hits counts the pairs;
/// `report` may be NULL.
TOI_API toi_status toi_find_close(const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                                  toi_close_array *close, toi_ccd_report *report);

/// Receives a block of close pairs; may be called by several workers at once, each with its own
/// number in [0, workers). The block is only valid during the call. Anything but TOI_OK stops the
/// search and is returned from it.
typedef toi_status toi_close_sink_fn(void *context, const toi_close_pair *close, int64_t count,
                                     int worker);

/// The same pairs without ever holding them all: each block goes to `sink` as soon as it is full.
/// Which pairs share a block, and when it comes, depends on the number of workers; the set of all
/// pairs does not.
TOI_API toi_status toi_stream_close(const toi_ccd_def *def, const toi_mesh *mesh, double radius,
                                    toi_close_sink_fn *sink, void *context, toi_ccd_report *report);

/// The closest pair: of equally close ones the least by (kind, a, b). Where there is no pair at all
/// (or none whose distance is a double) the distance is infinite and a and b are -1. Pairs that are
/// farther than the best so far are not looked at, so the counts of the report say little. The
/// answer is the same for any broad phase, number of workers and instruction set.
TOI_API toi_status toi_find_distance(const toi_ccd_def *def, const toi_mesh *mesh,
                                     toi_close_pair *closest, toi_ccd_report *report);

/// For every vertex how far it may move. Let every vertex move anywhere within its radius, on any
/// path and all at once: every pair whose true distance is above def->narrow.min_separation (d_min,
/// default 0) stays above it. Pairs are those of ccd.h, as above.
///
/// A radius is below (d - d_min) / 2 for each pair that the vertex takes part in, itself or through
/// its edge or face, d being the true distance; never above `most`, which is finite and not
/// negative; and 0 for vertices of pairs that are at d_min or closer. It is not needlessly small:
/// at least (1 - 2^-40) of what these bounds allow, less the error of the computed distance.
/// `most` is the cost: pairs up to d_min + 2 most apart are measured. `radii` has room for one
/// number a vertex. On failure every radius is 0. `report` may be NULL.
TOI_API toi_status toi_find_safe_radii(const toi_ccd_def *def, const toi_mesh *mesh, double most,
                                       double *radii, toi_ccd_report *report);

/// toi_find_close() for the vertices of a scene at `points`: one position for each, all finite,
/// read only during the call. def->filter must be empty, here and below: the scene has its own.
TOI_API toi_status toi_scene_find_close(toi_scene *scene, const toi_ccd_def *def,
                                        toi_point_view points, double radius,
                                        toi_close_array *close, toi_ccd_report *report);

/// toi_stream_close() for a scene.
TOI_API toi_status toi_scene_stream_close(toi_scene *scene, const toi_ccd_def *def,
                                          toi_point_view points, double radius,
                                          toi_close_sink_fn *sink, void *context,
                                          toi_ccd_report *report);

/// toi_find_distance() for a scene.
TOI_API toi_status toi_scene_find_distance(toi_scene *scene, const toi_ccd_def *def,
                                           toi_point_view points, toi_close_pair *closest,
                                           toi_ccd_report *report);

/// toi_find_safe_radii() for a scene: one number for each of its vertices, all 0 on failure.
TOI_API toi_status toi_scene_find_safe_radii(toi_scene *scene, const toi_ccd_def *def,
                                             toi_point_view points, double most, double *radii,
                                             toi_ccd_report *report);

TOI_EXTERN_C_END

#endif
