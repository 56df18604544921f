// A mesh that grows while its file is read.

#ifndef TOI_IO_BUILDER_H
#define TOI_IO_BUILDER_H

#include "toi/io.h"

// Start from a zeroed one. `mesh` is valid at any time: hand it over or free it.
typedef struct toi_builder
{
    toi_mesh_file mesh;
    int64_t point_capacity;
    int64_t face_capacity;
    int64_t edge_capacity;
} toi_builder;

// Makes room for `wanted` rows of `row` bytes in an array that holds `count`; `slot` is the address
// of the pointer to it, of whatever type. Grows by half at least, so that adding rows one by one
// takes linear time.
toi_status toi_grow(void *slot, int64_t count, int64_t *capacity, int64_t wanted, size_t row);

// All below return TOI_ERROR_LIMIT, whose message is left to the caller, beyond 2^31 - 1 of a kind.

// Room for so many in all, when the file announces them. The caller has checked the number against
// the file's size.
toi_status toi_reserve_points(toi_builder *builder, int64_t count);
toi_status toi_reserve_faces(toi_builder *builder, int64_t count);
toi_status toi_reserve_edges(toi_builder *builder, int64_t count);

toi_status toi_add_point(toi_builder *builder, const double point[3]);
toi_status toi_add_face(toi_builder *builder, int32_t a, int32_t b, int32_t c);
toi_status toi_add_edge(toi_builder *builder, int32_t a, int32_t b);

#endif
