// Queries one by one, on one thread or several.

#ifndef TOI_PEERS_DECIDE_HPP
#define TOI_PEERS_DECIDE_HPP

#include "guarded.hpp"
#include "narrow_peer.h"

#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

// Separated, until something is found.
inline toi_query_result separated()
{
    toi_query_result result = {};
    result.time = std::numeric_limits<double>::infinity();
    return result;
}

// `decide` makes a result of a query.
template <typename Decide>
toi_status decide_all(const char *name, int workers, const toi_query *queries, int64_t count,
                      toi_query_result *results, Decide decide)
{
    auto decide_some = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            results[i] = decide(queries[i]);
    };
    return guarded(name, [&] {
        if (workers == 1) {
            decide_some(0, count);
            return;
        }
        tbb::task_arena arena(workers);
        arena.execute([&] {
            tbb::parallel_for(tbb::blocked_range<int64_t>(0, count, 1024),
                              [&](const tbb::blocked_range<int64_t> &some) {
                                  decide_some(some.begin(), some.end());
                              });
        });
    });
}

#endif
