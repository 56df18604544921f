// CGAL: box_intersection_d, streamed segment trees (Zomorodian and Edelsbrunner), in double.

#include "pair_list.hpp"

#include <CGAL/Bbox_3.h>
#include <CGAL/box_intersection_d.h>
#include <tbb/global_control.h>

namespace {

// Boxes change places while CGAL works: each knows where it came from by its handle.
using cgal_box = CGAL::Box_intersection_d::Box_with_handle_d<double, 3, const toi_box *>;

std::vector<cgal_box> convert(toi_box_view boxes)
{
    std::vector<cgal_box> converted;
    converted.reserve(size_t(boxes.count));
    for (int64_t i = 0; i < boxes.count; ++i) {
        const toi_box &box = boxes.data[i];
        CGAL::Bbox_3 bounds(box.lo[0], box.lo[1], box.lo[2], box.hi[0], box.hi[1], box.hi[2]);
        converted.emplace_back(bounds, &box);
    }
    return converted;
}

template <typename Concurrency, typename List>
void find(const peer_search &search, List &list)
{
    const toi_box *first = search.a.data, *second = search.self ? first : search.b.data;
    auto add = [&](const cgal_box &a, const cgal_box &b) {
        list.add(int32_t(a.handle() - first), int32_t(b.handle() - second));
    };
    std::vector<cgal_box> a = convert(search.a);
    if (search.self) {
        CGAL::box_self_intersection_d<Concurrency>(a.begin(), a.end(), add);
        return;
    }
    std::vector<cgal_box> b = convert(search.b);
    CGAL::box_intersection_d<Concurrency>(a.begin(), a.end(), b.begin(), b.end(), add);
}

} // namespace

toi_status search_cgal(const peer_search *search, toi_pair_array *pairs)
{
    return guarded("cgal", [&] {
        if (search->threads == 1) {
            pair_list list(*search, *pairs);
            find<CGAL::Sequential_tag>(*search, list);
            return;
        }
        tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    size_t(search->threads));
        shared_pair_list list(*search, *pairs);
        find<CGAL::Parallel_tag>(*search, list);
        list.finish();
    });
}
