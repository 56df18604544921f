// Pairs as the callbacks of the libraries deliver them, one by one, from one thread or several.

#ifndef TOI_PEERS_PAIR_LIST_HPP
#define TOI_PEERS_PAIR_LIST_HPP

#include "guarded.hpp"
#include "peer.h"

#include <cstring>
#include <tbb/enumerable_thread_specific.h>
#include <utility>
#include <vector>

// One list for one thread: the caller's own, which keeps its memory from run to run.
class pair_list {
  public:
    pair_list(const peer_search &search, toi_pair_array &pairs) : search_(search), pairs_(pairs)
    {
    }

    void add(int32_t a, int32_t b)
    {
        if (search_.self && a > b)
            std::swap(a, b);
        if (search_.is_wanted && !search_.is_wanted(search_.context, a, b))
            return;
        reserve(pairs_.count + 1);
        pairs_.data[pairs_.count++] = toi_pair{a, b};
    }

    void append(const std::vector<toi_pair> &pairs)
    {
        reserve(pairs_.count + int64_t(pairs.size()));
        if (!pairs.empty())
            std::memcpy(pairs_.data + pairs_.count, pairs.data(), pairs.size() * sizeof(toi_pair));
        pairs_.count += int64_t(pairs.size());
    }

  private:
    void reserve(int64_t needed)
    {
        if (needed <= pairs_.capacity)
            return;
        int64_t capacity = pairs_.capacity + pairs_.capacity / 2;
        capacity = capacity < needed ? needed + 1024 : capacity;
        auto *data = static_cast<toi_pair *>(toi_allocate(size_t(capacity) * sizeof(toi_pair)));
        if (!data)
            throw std::bad_alloc();
        if (pairs_.count > 0)
            std::memcpy(data, pairs_.data, size_t(pairs_.count) * sizeof(toi_pair));
        toi_release(pairs_.data);
        pairs_.data = data;
        pairs_.capacity = capacity;
    }

    const peer_search &search_;
    toi_pair_array &pairs_;
};

// A list for each thread, put together at the end.
class shared_pair_list {
  public:
    shared_pair_list(const peer_search &search, toi_pair_array &pairs)
        : search_(search), all_(search, pairs)
    {
    }

    void add(int32_t a, int32_t b)
    {
        if (search_.self && a > b)
            std::swap(a, b);
        if (!search_.is_wanted || search_.is_wanted(search_.context, a, b))
            lists_.local().push_back(toi_pair{a, b});
    }

    void finish()
    {
        for (const auto &list : lists_)
            all_.append(list);
    }

  private:
    const peer_search &search_;
    pair_list all_;
    tbb::enumerable_thread_specific<std::vector<toi_pair>> lists_;
};

// Float boxes that contain the given ones.
inline std::vector<toi_box_float> round_boxes(toi_box_view boxes)
{
    std::vector<toi_box_float> rounded(size_t(boxes.count));
    toi_round_boxes(boxes, rounded.data());
    return rounded;
}

#endif
