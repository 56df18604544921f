/// @file
/// Axis-aligned boxes around moving primitives: what the broad phases compare.

#ifndef TOI_BOXES_H
#define TOI_BOXES_H

#include "toi/mesh.h"

TOI_EXTERN_C_BEGIN

/// A closed box; touching boxes overlap. lo <= hi on every axis, all finite.
typedef struct toi_box
{
    double lo[3]; ///< least coordinates
    double hi[3]; ///< greatest coordinates
} toi_box;

/// The same in single precision; bounds beyond the floats are infinite.
typedef struct toi_box_float
{
    float lo[3]; ///< least coordinates
    float hi[3]; ///< greatest coordinates
} toi_box_float;

/// `count` boxes, packed.
typedef struct toi_box_view
{
    const toi_box *data; ///< the first box
    int64_t count;       ///< how many there are
} toi_box_view;

/// The kinds of primitives a mesh has.
typedef enum toi_primitive
{
    TOI_VERTEX,
    TOI_EDGE,
    TOI_FACE
} toi_primitive;

/// Writes the swept box of every primitive of one kind: the least box that holds it at all t in [0,
/// 1], enlarged on every side by min_separation / 2, each bound rounded outward to the nearest
/// double; where that would be infinite, to the largest one, which loses no overlap
/// (docs/boxes.md). `boxes` has room for one box for each vertex, edge or face of the mesh; for
/// TOI_EDGE the mesh must carry its edges. min_separation is finite and not negative. The mesh is
/// taken as checked (toi_check_mesh()).
TOI_API toi_status toi_make_boxes(const toi_mesh *mesh, toi_primitive primitive,
                                  double min_separation, int workers, toi_box *boxes);

/// The tightest float box that contains each box: every bound is rounded to the nearest float and
/// moved one float outward where that fell inside (Belgrod et al., section 6.1). Bounds beyond the
/// floats become infinite.
TOI_API void toi_round_boxes(toi_box_view boxes, toi_box_float *rounded);

TOI_EXTERN_C_END

#endif
