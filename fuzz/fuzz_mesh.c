// Any bytes as a mesh file: refused with a message, or a mesh that is sound.

#include "fuzz.h"

#include "toi/io.h"

#include <math.h>

static void check_mesh(const toi_mesh_file *mesh)
{
    for (int64_t i = 0; i < mesh->point_count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            CHECK(isfinite(mesh->points[i][axis]));
    for (int64_t i = 0; i < 3 * mesh->face_count; ++i)
        CHECK(mesh->faces[i / 3][i % 3] >= 0 && mesh->faces[i / 3][i % 3] < mesh->point_count);
    for (int64_t i = 0; i < 2 * mesh->loose_edge_count; ++i)
        CHECK(mesh->loose_edges[i / 2][i % 2] >= 0 &&
              mesh->loose_edges[i / 2][i % 2] < mesh->point_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"x.ply", "x.obj", "x.stl"};
    for (int i = 0; i < 3; ++i) {
        toi_mesh_file mesh;
        toi_status status = toi_parse_mesh(names[i], data, size, &mesh);
        if (status == TOI_OK) {
            check_mesh(&mesh);
        } else {
            CHECK(!mesh.points && !mesh.faces && !mesh.loose_edges);
            CHECK(strstr(toi_last_message(), names[i]));
        }
        toi_free_mesh_file(&mesh);
    }
    return 0;
}
