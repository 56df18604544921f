// A mesh that grows while its file is read.

#include "io/builder.h"

#include <string.h>

toi_status toi_grow(void *slot, int64_t count, int64_t *capacity, int64_t wanted, size_t row)
{
    if (wanted <= *capacity)
        return TOI_OK;
    int64_t more = *capacity + *capacity / 2;
    if (more < wanted)
        more = wanted;
    void *grown = toi_allocate((size_t)more * row);
    if (!grown)
        return TOI_ERROR_MEMORY;
    // The pointer's type is the caller's: copied, it may be any.
    void *old;
    memcpy(&old, slot, sizeof old);
    if (count > 0)
        memcpy(grown, old, (size_t)count * row);
    toi_release(old);
    memcpy(slot, &grown, sizeof grown);
    *capacity = more;
    return TOI_OK;
}

static toi_status grow(void *slot, int64_t count, int64_t *capacity, int64_t wanted, size_t row)
{
    if (wanted > INT32_MAX)
        return TOI_ERROR_LIMIT;
    return toi_grow(slot, count, capacity, wanted, row);
}

toi_status toi_reserve_points(toi_builder *builder, int64_t count)
{
    return grow(&builder->mesh.points, builder->mesh.point_count, &builder->point_capacity, count,
                sizeof *builder->mesh.points);
}

toi_status toi_reserve_faces(toi_builder *builder, int64_t count)
{
    return grow(&builder->mesh.faces, builder->mesh.face_count, &builder->face_capacity, count,
                sizeof *builder->mesh.faces);
}

toi_status toi_reserve_edges(toi_builder *builder, int64_t count)
{
    return grow(&builder->mesh.loose_edges, builder->mesh.loose_edge_count, &builder->edge_capacity,
                count, sizeof *builder->mesh.loose_edges);
}

toi_status toi_add_point(toi_builder *builder, const double point[3])
{
    toi_status status = toi_reserve_points(builder, builder->mesh.point_count + 1);
    if (status == TOI_OK)
        memcpy(builder->mesh.points[builder->mesh.point_count++], point, 3 * sizeof *point);
    return status;
}

toi_status toi_add_face(toi_builder *builder, int32_t a, int32_t b, int32_t c)
{
    toi_status status = toi_reserve_faces(builder, builder->mesh.face_count + 1);
    if (status != TOI_OK)
        return status;
    int32_t *face = builder->mesh.faces[builder->mesh.face_count++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
    return TOI_OK;
}

toi_status toi_add_edge(toi_builder *builder, int32_t a, int32_t b)
{
    toi_status status = toi_reserve_edges(builder, builder->mesh.loose_edge_count + 1);
    if (status != TOI_OK)
        return status;
    int32_t *edge = builder->mesh.loose_edges[builder->mesh.loose_edge_count++];
    edge[0] = a;
    edge[1] = b;
    return TOI_OK;
}
