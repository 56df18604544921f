// Embree: rtcCollide on two trees of user geometry, which reports leaves whose boxes overlap.

#include "pair_list.hpp"

#include <embree3/rtcore.h>
#include <stdexcept>
#include <string>

namespace {

class device {
  public:
    explicit device(int threads)
        : handle_(rtcNewDevice(("threads=" + std::to_string(threads)).c_str()))
    {
        if (!handle_)
            throw std::runtime_error("there is no device");
    }
    device(const device &) = delete;
    device &operator=(const device &) = delete;
    ~device()
    {
        rtcReleaseDevice(handle_);
    }
    RTCDevice get() const
    {
        return handle_;
    }

  private:
    RTCDevice handle_;
};

void give_bounds(const RTCBoundsFunctionArguments *arguments)
{
    const toi_box_float &box =
        static_cast<const toi_box_float *>(arguments->geometryUserPtr)[arguments->primID];
    RTCBounds *bounds = arguments->bounds_o;
    bounds->lower_x = box.lo[0];
    bounds->lower_y = box.lo[1];
    bounds->lower_z = box.lo[2];
    bounds->upper_x = box.hi[0];
    bounds->upper_y = box.hi[1];
    bounds->upper_z = box.hi[2];
}

class scene {
  public:
    scene(const device &on, std::vector<toi_box_float> boxes)
        : boxes_(std::move(boxes)), handle_(rtcNewScene(on.get()))
    {
        RTCGeometry geometry = rtcNewGeometry(on.get(), RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, unsigned(boxes_.size()));
        rtcSetGeometryUserData(geometry, boxes_.data());
        rtcSetGeometryBoundsFunction(geometry, give_bounds, nullptr);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(handle_, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(handle_);
        if (rtcGetDeviceError(on.get()) != RTC_ERROR_NONE)
            throw std::runtime_error("the tree cannot be built");
    }
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
    ~scene()
    {
        rtcReleaseScene(handle_);
    }
    RTCScene get() const
    {
        return handle_;
    }

  private:
    std::vector<toi_box_float> boxes_; // read by give_bounds()
    RTCScene handle_;
};

struct receiver
{
    bool self;
    shared_pair_list &list;
};

// Leaves hold one box each, so what is reported overlaps. A list against itself comes in both
// orders.
void receive(void *user, RTCCollision *collisions, unsigned count)
{
    auto &to = *static_cast<receiver *>(user);
    for (unsigned i = 0; i < count; ++i) {
        unsigned a = collisions[i].primID0, b = collisions[i].primID1;
        if (!to.self || a < b)
            to.list.add(int32_t(a), int32_t(b));
    }
}

} // namespace

toi_status search_embree(const peer_search *search, toi_pair_array *pairs)
{
    return guarded("embree", [&] {
        static const device on(search->threads); // a process is of one number of threads
        shared_pair_list list(*search, *pairs);
        receiver to{search->self, list};
        scene a(on, round_boxes(search->a));
        if (search->self) {
            rtcCollide(a.get(), a.get(), receive, &to);
        } else {
            scene b(on, round_boxes(search->b));
            rtcCollide(a.get(), b.get(), receive, &to);
        }
        list.finish();
    });
}
