// The mesh formats, one file each. The builder is freed by the caller, whatever they return.

#ifndef TOI_IO_MESH_FORMAT_H
#define TOI_IO_MESH_FORMAT_H

#include "io/builder.h"
#include "io/source.h"

toi_status toi_parse_ply(const toi_source *source, toi_builder *builder);

toi_status toi_parse_obj(const toi_source *source, toi_builder *builder);

// Only adds the corners, three points a triangle: toi_weld() makes the mesh.
toi_status toi_parse_stl(const toi_source *source, toi_builder *builder);

// The file can only be a binary STL: its size is what its own count of triangles asks for.
bool toi_is_binary_stl(const toi_source *source);

#endif
