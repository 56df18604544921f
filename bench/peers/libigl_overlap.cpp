// libigl 2.6: predicates::find_self_intersections, a tree of boxes and exact orientations, with
// tolerances for faces that share vertices.

#include "overlap_peer.hpp"

#include <igl/default_num_threads.h>
#include <igl/predicates/find_self_intersections.h>

toi_status overlaps_libigl(const toi_mesh *mesh, peer_overlaps *found)
{
    return guarded("libigl", [&] {
        igl::default_num_threads(1);
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
        Eigen::MatrixXi pairs;
        Eigen::Array<bool, Eigen::Dynamic, 1> coplanar;
        igl::predicates::find_self_intersections(points, faces, false, pairs, coplanar);
        found->seconds = watch.lap();
        std::fill(found->taken, found->taken + mesh->faces.count, uint8_t(1));
        std::vector<toi_pair> numbers;
        for (Eigen::Index i = 0; i < pairs.rows(); ++i)
            numbers.push_back(toi_pair{pairs(i, 0), pairs(i, 1)});
        hand_over(numbers, *found->pairs);
    });
}
