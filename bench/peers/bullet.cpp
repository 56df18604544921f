// Bullet: btDbvt, a dynamic tree of boxes, built from nothing and searched against itself or
// another.

#include "pair_list.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

namespace {

// Leaves are inserted one by one, as Bullet's own broad phase does. Rebuilding the tree from the
// top (optimizeTopDown) made every scene tried slower.
void build(btDbvt &tree, const std::vector<toi_box_float> &boxes)
{
    for (size_t i = 0; i < boxes.size(); ++i) {
        const toi_box_float &box = boxes[i];
        const btVector3 lo(btScalar(box.lo[0]), btScalar(box.lo[1]), btScalar(box.lo[2]));
        const btVector3 hi(btScalar(box.hi[0]), btScalar(box.hi[1]), btScalar(box.hi[2]));
        tree.insert(btDbvtVolume::FromMM(lo, hi), nullptr)->dataAsInt = int(i);
    }
}

struct collide : btDbvt::ICollide
{
    explicit collide(pair_list &pairs) : list(pairs)
    {
    }

    void Process(const btDbvtNode *a, const btDbvtNode *b) override
    {
        list.add(a->dataAsInt, b->dataAsInt);
    }

    pair_list &list;
};

} // namespace

toi_status search_bullet(const peer_search *search, toi_pair_array *pairs)
{
    return guarded("bullet", [&] {
        pair_list list(*search, *pairs);
        collide policy(list);
        btDbvt a, b;
        build(a, round_boxes(search->a));
        if (search->self) {
            a.collideTTpersistentStack(a.m_root, a.m_root, policy);
            return;
        }
        build(b, round_boxes(search->b));
        a.collideTTpersistentStack(a.m_root, b.m_root, policy);
    });
}
