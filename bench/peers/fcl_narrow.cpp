// FCL: the continuous tests of a vertex and a face and of two edges, with which it collides
// deforming meshes. They solve the cubic of coplanarity and test whether the root is inside, with
// fixed tolerances (1e-5 and 1e-7) that know nothing of the size of the scene: what they miss
// depends on the unit of length.

#include "decide.hpp"

#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

namespace {

using intersect = fcl::detail::Intersect<double>;

struct corners
{
    corners(const double (&at)[4][3], double scale)
    {
        for (int i = 0; i < 4; ++i)
            points[i] = scale * fcl::Vector3d(at[i][0], at[i][1], at[i][2]);
    }
    fcl::Vector3d points[4];
};

struct variant
{
    bool newton;  // interval Newton, else the closed formula
    double scale; // of the coordinates: a power of two, which rounds nothing
};

toi_query_result decide(toi_kind kind, const toi_query &query, const variant &how)
{
    toi_query_result result = separated();
    const corners start(query.start, how.scale), end(query.end, how.scale);
    const fcl::Vector3d *p = start.points, *q = end.points;
    fcl::Vector3d place;
    double time;
    bool hit = kind == TOI_VERTEX_FACE // the face comes first
                   ? intersect::intersect_VF(p[1], p[2], p[3], p[0], q[1], q[2], q[3], q[0], &time,
                                             &place, how.newton)
                   : intersect::intersect_EE(p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3], &time,
                                             &place, how.newton);
    if (hit) {
        result.state = TOI_HIT;
        result.time = time;
    }
    return result;
}

toi_status solve(const toi_narrow_def *def, toi_kind kind, const toi_query *queries, int64_t count,
                 toi_query_result *results, const variant &how)
{
    return decide_all("fcl", def->workers, queries, count, results,
                      [&](const toi_query &query) { return decide(kind, query, how); });
}

} // namespace

toi_status solve_fcl(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                     int64_t count, toi_query_result *results)
{
    return solve(def, kind, queries, count, results, {true, 1});
}

toi_status solve_fcl_scaled(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                            int64_t count, toi_query_result *results)
{
    return solve(def, kind, queries, count, results, {true, 1024});
}

toi_status solve_fcl_cubic(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                           int64_t count, toi_query_result *results)
{
    return solve(def, kind, queries, count, results, {false, 1});
}
