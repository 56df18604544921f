// Corners of separate triangles into shared vertices.

#ifndef TOI_IO_WELD_H
#define TOI_IO_WELD_H

#include "toi/io.h"

// On entry the mesh has three points a face, at most 2^31 - 1 in all, and no faces; on return it
// has one vertex for all equal points (-0 equals 0), numbered by first appearance, and the faces
// that name them. With `end`, which has as many points, corners are equal if they are at both
// times, and both get the same vertices and faces. On failure both are left to be freed.
toi_status toi_weld(toi_mesh_file *start, toi_mesh_file *end);

#endif
