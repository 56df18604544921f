// What the searches for intersecting faces share.

#ifndef TOI_PEERS_OVERLAP_PEER_HPP
#define TOI_PEERS_OVERLAP_PEER_HPP

#include "guarded.hpp"
#include "overlap_peer.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

// Processor time of the process: all run with one thread, and other work on the machine does not
// count.
class stopwatch {
  public:
    // Seconds since it was made or last asked.
    double lap()
    {
        double now = read(), seconds = now - last_;
        last_ = now;
        return seconds;
    }

  private:
    static double read()
    {
        timespec now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
    }

    double last_ = read();
};

// Points and faces are packed.
inline const double *corner(const toi_mesh *mesh, int32_t vertex)
{
    return static_cast<const double *>(mesh->start.data) + 3 * int64_t(vertex);
}

inline const int32_t *vertices(const toi_mesh *mesh, int64_t face)
{
    return mesh->faces.data + 3 * face;
}

inline bool share_vertex(const toi_mesh *mesh, int32_t a, int32_t b)
{
    const int32_t *of_a = vertices(mesh, a), *of_b = vertices(mesh, b);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (of_a[i] == of_b[j])
                return true;
    return false;
}

// Sorts the pairs, leaves each once and hands them over. A face is no pair with itself.
inline void hand_over(std::vector<toi_pair> &pairs, toi_pair_array &to)
{
    auto order = [](const toi_pair &x, const toi_pair &y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    auto same = [](const toi_pair &x, const toi_pair &y) { return x.a == y.a && x.b == y.b; };
    for (toi_pair &pair : pairs)
        if (pair.a > pair.b)
            std::swap(pair.a, pair.b);
    pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
                               [](const toi_pair &pair) { return pair.a == pair.b; }),
                pairs.end());
    std::sort(pairs.begin(), pairs.end(), order);
    pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
    if (int64_t(pairs.size()) > to.capacity) {
        toi_release(to.data);
        to = toi_pair_array{};
        to.data = static_cast<toi_pair *>(toi_allocate(pairs.size() * sizeof(toi_pair)));
        if (!to.data)
            throw std::bad_alloc();
        to.capacity = int64_t(pairs.size());
    }
    to.count = int64_t(pairs.size());
    if (to.count > 0)
        std::memcpy(to.data, pairs.data(), pairs.size() * sizeof(toi_pair));
}

#endif
