// Open3D: TriangleMesh::GetSelfIntersectingTriangles, every pair of boxes. It leaves out pairs that
// share a vertex.

#include "overlap_peer.hpp"

#include <open3d/geometry/TriangleMesh.h>

toi_status overlaps_open3d(const toi_mesh *mesh, peer_overlaps *found)
{
    return guarded("open3d", [&] {
        stopwatch watch;
        open3d::geometry::TriangleMesh made;
        for (int64_t i = 0; i < mesh->start.count; ++i) {
            const double *at = corner(mesh, int32_t(i));
            made.vertices_.emplace_back(at[0], at[1], at[2]);
        }
        for (int64_t i = 0; i < mesh->faces.count; ++i) {
            const int32_t *v = vertices(mesh, i);
            made.triangles_.emplace_back(v[0], v[1], v[2]);
        }
        found->seconds_prepare = watch.lap();
        auto pairs = made.GetSelfIntersectingTriangles();
        found->seconds = watch.lap();
        std::fill(found->taken, found->taken + mesh->faces.count, uint8_t(1));
        std::vector<toi_pair> numbers;
        for (const auto &pair : pairs)
            numbers.push_back(toi_pair{pair(0), pair(1)});
        hand_over(numbers, *found->pairs);
    });
}
