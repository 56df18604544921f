// CGAL: Polygon_mesh_processing::self_intersections with exact predicates (Epick), on Surface_mesh.
// The structure has no place for faces that would make the mesh non-manifold, and the search leaves
// out faces without area.

#include "overlap_peer.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

namespace {

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using surface = CGAL::Surface_mesh<kernel::Point_3>;

// Faces that have a place; `ids` are their numbers in `mesh`.
surface convert(const toi_mesh *mesh, std::vector<int32_t> &ids, uint8_t *taken)
{
    surface made;
    std::vector<surface::Vertex_index> points;
    for (int64_t i = 0; i < mesh->start.count; ++i) {
        const double *at = corner(mesh, int32_t(i));
        points.push_back(made.add_vertex(kernel::Point_3(at[0], at[1], at[2])));
    }
    for (int64_t i = 0; i < mesh->faces.count; ++i) {
        const int32_t *v = vertices(mesh, i);
        surface::Face_index face = surface::null_face();
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            face = made.add_face(points[size_t(v[0])], points[size_t(v[1])], points[size_t(v[2])]);
        taken[i] = face != surface::null_face();
        if (taken[i])
            ids.push_back(int32_t(i));
    }
    return made;
}

} // namespace

toi_status overlaps_cgal(const toi_mesh *mesh, peer_overlaps *found)
{
    return guarded("cgal", [&] {
        stopwatch watch;
        std::vector<int32_t> ids;
        surface made = convert(mesh, ids, found->taken);
        found->seconds_prepare = watch.lap();
        std::vector<std::pair<surface::Face_index, surface::Face_index>> pairs;
        CGAL::Polygon_mesh_processing::self_intersections<CGAL::Sequential_tag>(
            made, std::back_inserter(pairs));
        found->seconds = watch.lap();
        std::vector<toi_pair> numbers;
        for (const auto &pair : pairs) {
            int32_t a = ids[size_t(pair.first)], b = ids[size_t(pair.second)];
            if (a == b) // how it reports a face without area, which it then leaves out
                found->taken[a] = 0;
            numbers.push_back(toi_pair{a, b});
        }
        hand_over(numbers, *found->pairs);
    });
}
