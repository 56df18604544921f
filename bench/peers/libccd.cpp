// libccd: two convex hulls, by GJK or by MPR. A point that moves on a straight line stays in the
// hull of its two ends, so the hull of all ends of a primitive holds what it sweeps.

#include "decide.hpp"

#include <ccd/ccd.h>
#include <ccd/vec3.h>

namespace {

// Where its search has not ended by then, libccd says that hulls are apart. The number is that of
// libccd's own manual; its default never ends a search. More changed no answer that was looked at.
constexpr unsigned long MOST_ITERATIONS = 100;

// The ends of points `first` to `last` of a query.
struct hull
{
    hull(const toi_query &query, int first, int last)
    {
        for (int i = first; i <= last; ++i) {
            const double *start = query.start[i], *end = query.end[i];
            ccdVec3Set(&points[count++], start[0], start[1], start[2]);
            ccdVec3Set(&points[count++], end[0], end[1], end[2]);
        }
    }
    ccd_vec3_t points[6];
    int count = 0;
};

void find_furthest(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *furthest)
{
    auto &of = *static_cast<const hull *>(object);
    int best = 0;
    double most = ccdVec3Dot(direction, &of.points[0]);
    for (int i = 1; i < of.count; ++i) {
        double along = ccdVec3Dot(direction, &of.points[i]);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    ccdVec3Copy(furthest, &of.points[best]);
}

void find_centre(const void *object, ccd_vec3_t *centre)
{
    auto &of = *static_cast<const hull *>(object);
    ccdVec3Copy(centre, &of.points[0]);
    for (int i = 1; i < of.count; ++i)
        ccdVec3Add(centre, &of.points[i]);
    ccdVec3Scale(centre, 1.0 / of.count);
}

using hull_test = int(const void *, const void *, const ccd_t *);

// A hit has no time: 0 is never late, and is not looked at.
toi_query_result decide(toi_kind kind, const toi_query &query, hull_test *meet, const ccd_t &ccd)
{
    toi_query_result result = separated();
    int split = kind == TOI_VERTEX_FACE ? 1 : 2;
    const hull a(query, 0, split - 1), b(query, split, 3);
    if (meet(&a, &b, &ccd)) {
        result.state = TOI_HIT;
        result.time = 0;
    }
    return result;
}

toi_status solve(const toi_narrow_def *def, toi_kind kind, const toi_query *queries, int64_t count,
                 toi_query_result *results, hull_test *meet)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = find_furthest;
    ccd.center1 = ccd.center2 = find_centre;
    ccd.max_iterations = MOST_ITERATIONS;
    ccd.mpr_tolerance = def->tolerance;
    return decide_all("libccd", def->workers, queries, count, results,
                      [&](const toi_query &query) { return decide(kind, query, meet, ccd); });
}

} // namespace

toi_status solve_libccd_gjk(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                            int64_t count, toi_query_result *results)
{
    return solve(def, kind, queries, count, results, ccdGJKIntersect);
}

toi_status solve_libccd_mpr(const toi_narrow_def *def, toi_kind kind, const toi_query *queries,
                            int64_t count, toi_query_result *results)
{
    return solve(def, kind, queries, count, results, ccdMPRIntersect);
}
