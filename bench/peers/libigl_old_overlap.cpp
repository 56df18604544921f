// libigl 2.5: fast_find_self_intersections, a tree of boxes and a test in doubles. It only says
// which faces intersect another; the pairs are those of the same test on all pairs of boxes, which
// is not timed. It leaves out pairs that share a vertex.

#include "overlap_peer.hpp"

#include <igl/fast_find_self_intersections.h>
#include <igl/tri_tri_intersect.h>

namespace {

using box = Eigen::AlignedBox3d;
using row = Eigen::RowVector3d;

row at(const toi_mesh *mesh, int64_t face, int k)
{
    const double *p = corner(mesh, vertices(mesh, face)[k]);
    return row(p[0], p[1], p[2]);
}

bool meet(const toi_mesh *mesh, int64_t a, int64_t b)
{
    row source, target;
    bool coplanar = false;
    return igl::tri_tri_intersection_test_3d(at(mesh, a, 0), at(mesh, a, 1), at(mesh, a, 2),
                                             at(mesh, b, 0), at(mesh, b, 1), at(mesh, b, 2),
                                             coplanar, source, target);
}

// Sorted along x, so that all pairs of boxes that overlap are found by a sweep.
void find_pairs(const toi_mesh *mesh, std::vector<toi_pair> &pairs)
{
    std::vector<box> boxes(size_t(mesh->faces.count));
    std::vector<int32_t> order(boxes.size());
    for (size_t i = 0; i < boxes.size(); ++i) {
        order[i] = int32_t(i);
        for (int k = 0; k < 3; ++k)
            boxes[i].extend(at(mesh, int64_t(i), k).transpose());
    }
    auto low = [&](int32_t i) { return boxes[size_t(i)].min()[0]; };
    std::sort(order.begin(), order.end(), [&](int32_t i, int32_t j) { return low(i) < low(j); });
    for (size_t i = 0; i < order.size(); ++i)
        for (size_t j = i + 1; j < order.size(); ++j) {
            const box &a = boxes[size_t(order[i])];
            if (low(order[j]) > a.max()[0])
                break;
            if (a.intersects(boxes[size_t(order[j])]) && !share_vertex(mesh, order[i], order[j]) &&
                meet(mesh, order[i], order[j]))
                pairs.push_back(toi_pair{order[i], order[j]});
        }
}

} // namespace

extern "C" __attribute__((visibility("default"))) toi_status
overlaps_libigl_old(const toi_mesh *mesh, peer_overlaps *found)
{
    return guarded("libigl 2.5", [&] {
        stopwatch watch;
        Eigen::MatrixXd points(mesh->start.count, 3);
        Eigen::MatrixXi faces(mesh->faces.count, 3);
        for (int64_t i = 0; i < mesh->start.count; ++i)
            for (int k = 0; k < 3; ++k)
                points(i, k) = corner(mesh, int32_t(i))[k];
        for (int64_t i = 0; i < mesh->faces.count; ++i)
            for (int k = 0; k < 3; ++k)
                faces(i, k) = vertices(mesh, i)[k];
        found->seconds_prepare = watch.lap();
        Eigen::VectorXi flags;
        igl::fast_find_self_intersections(points, faces, flags);
        found->seconds = watch.lap();
        std::fill(found->taken, found->taken + mesh->faces.count, uint8_t(1));
        std::vector<toi_pair> numbers;
        find_pairs(mesh, numbers);
        hand_over(numbers, *found->pairs);
    });
}
