// FCL: a tree of oriented boxes over the triangles, collided with itself. It knows nothing of
// shared vertices: pairs that share one are dropped.

#include "overlap_peer.hpp"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <memory>

toi_status overlaps_fcl(const toi_mesh *mesh, peer_overlaps *found)
{
    return guarded("fcl", [&] {
        stopwatch watch;
        std::vector<fcl::Vector3d> points;
        std::vector<fcl::Triangle> triangles;
        for (int64_t i = 0; i < mesh->start.count; ++i) {
            const double *at = corner(mesh, int32_t(i));
            points.emplace_back(at[0], at[1], at[2]);
        }
        for (int64_t i = 0; i < mesh->faces.count; ++i) {
            const int32_t *v = vertices(mesh, i);
            triangles.emplace_back(size_t(v[0]), size_t(v[1]), size_t(v[2]));
        }
        auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
        model->beginModel(int(triangles.size()), int(points.size()));
        model->addSubModel(points, triangles);
        model->endModel();
        found->seconds_prepare = watch.lap();
        fcl::CollisionRequestd request(size_t(1) << 40, false);
        fcl::CollisionResultd result;
        fcl::Transform3d here = fcl::Transform3d::Identity();
        fcl::collide(model.get(), here, model.get(), here, request, result);
        std::vector<toi_pair> numbers;
        for (size_t i = 0; i < result.numContacts(); ++i) {
            const auto &contact = result.getContact(i);
            int32_t a = int32_t(contact.b1), b = int32_t(contact.b2);
            if (!share_vertex(mesh, a, b))
                numbers.push_back(toi_pair{a, b});
        }
        found->seconds = watch.lap();
        std::fill(found->taken, found->taken + mesh->faces.count, uint8_t(1));
        hand_over(numbers, *found->pairs);
    });
}
