// FCL: DynamicAABBTreeCollisionManager, a tree of boxes built all at once and searched against
// itself or another, in double.

#include "pair_list.hpp"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <memory>

namespace {

// What an object of FCL must have. Nobody looks at it: only boxes are compared.
class no_geometry : public fcl::CollisionGeometryd {
  public:
    void computeLocalAABB() override
    {
    }
};

// An object that is its box. FCL would make boxes of geometry and its place, which rounds.
class object : public fcl::CollisionObjectd {
  public:
    object(const std::shared_ptr<fcl::CollisionGeometryd> &geometry, const toi_box &box)
        : fcl::CollisionObjectd(geometry)
    {
        aabb.min_ = fcl::Vector3d(box.lo[0], box.lo[1], box.lo[2]);
        aabb.max_ = fcl::Vector3d(box.hi[0], box.hi[1], box.hi[2]);
    }
};

class tree {
  public:
    explicit tree(toi_box_view boxes)
    {
        auto geometry = std::make_shared<no_geometry>();
        std::vector<fcl::CollisionObjectd *> pointers;
        objects_.reserve(size_t(boxes.count));
        pointers.reserve(size_t(boxes.count));
        for (int64_t i = 0; i < boxes.count; ++i) {
            objects_.emplace_back(geometry, boxes.data[i]);
            pointers.push_back(&objects_.back());
        }
        manager_.registerObjects(pointers);
        manager_.setup();
    }
    tree(const tree &) = delete;
    tree &operator=(const tree &) = delete;

    fcl::DynamicAABBTreeCollisionManagerd &manager()
    {
        return manager_;
    }
    int32_t index(const fcl::CollisionObjectd *of) const
    {
        return int32_t(static_cast<const object *>(of) - objects_.data());
    }

  private:
    std::vector<object> objects_;
    fcl::DynamicAABBTreeCollisionManagerd manager_;
};

struct receiver
{
    const tree &a;
    const tree &b;
    pair_list &list;
};

// Called for boxes that overlap. To return true would end the search.
bool receive(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *context)
{
    auto &to = *static_cast<receiver *>(context);
    to.list.add(to.a.index(a), to.b.index(b));
    return false;
}

} // namespace

toi_status search_fcl(const peer_search *search, toi_pair_array *pairs)
{
    return guarded("fcl", [&] {
        pair_list list(*search, *pairs);
        tree a(search->a);
        if (search->self) {
            receiver to{a, a, list};
            a.manager().collide(&to, receive);
            return;
        }
        tree b(search->b);
        receiver to{a, b, list};
        a.manager().collide(&b.manager(), &to, receive);
    });
}
