/// @file
/// Triangle meshes of simple bodies, for benchmarks and simulators against distance fields. Each is
/// about the origin, closed and turned outward unless said otherwise. As in scenes.h the bits do
/// not depend on compiler or platform.

#ifndef TOI_SCENES_SOLIDS_H
#define TOI_SCENES_SOLIDS_H

#include "toi/mesh.h"

TOI_EXTERN_C_BEGIN

/// A mesh in memory of its own; free with toi_free_solid().
typedef struct toi_solid
{
    int64_t point_count;
    int64_t face_count;
    double (*points)[3];
    int32_t (*faces)[3];
} toi_solid;

/// Frees and empties; harmless on a zeroed one.
void toi_free_solid(toi_solid *solid);

toi_point_view toi_solid_points(const toi_solid *solid);
toi_index_view toi_solid_faces(const toi_solid *solid);

// All of the following leave `solid` empty on failure: TOI_ERROR_MEMORY, or TOI_ERROR_LIMIT beyond
// 2^31 - 1 elements. Counts below the least that makes the body are raised to it.

/// A throwing star with four blades and a hole, flat in z: 8 * `around` triangles, 111 around for
/// the 888 of the literature. `radius` is that of the tips.
toi_status toi_make_shuriken(int around, double radius, toi_solid *solid);

/// A ball with bumps and four limbs, a stand-in for a scanned figure: 12 * `cells`^2 triangles.
/// Limbs reach some 1.7 radii. Some points belong to no face: those that a seam has twice.
toi_status toi_make_bumpy_ball(int cells, double radius, toi_solid *solid);

/// A flat square in z = 0 of 2 * `cells`^2 triangles, seen from above. It is open.
toi_status toi_make_plate(int cells, double side, toi_solid *solid);

/// A band about z of 2 * `around` triangles, `height` high. It is open.
toi_status toi_make_hoop(int around, double radius, double height, toi_solid *solid);

/// A box of twelve triangles; `half` of each side.
toi_status toi_make_block(const double half[3], toi_solid *solid);

/// A pyramid with a base of `around` corners in z = 0 and its tip at `height`: 2 * `around` - 2
/// triangles.
toi_status toi_make_pyramid(int around, double radius, double height, toi_solid *solid);

/// A torus about z of 2 * `around` * `tube` triangles.
toi_status toi_make_ring(int around, int tube, double ring_radius, double tube_radius,
                         toi_solid *solid);

TOI_EXTERN_C_END

#endif
