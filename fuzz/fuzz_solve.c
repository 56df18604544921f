// Any finite query, by any method with any options, has a lawful answer.

#include "fuzz.h"

#include "toi/toi.h"

#include <math.h>

static double take_finite(fuzz_bytes *bytes)
{
    double value = take_double(bytes);
    return isfinite(value) ? value : 0;
}

static toi_query take_query(fuzz_bytes *bytes)
{
    toi_query query;
    for (int i = 0; i < 12; ++i)
        query.start[i / 3][i % 3] = take_finite(bytes);
    for (int i = 0; i < 12; ++i)
        query.end[i / 3][i % 3] = take_finite(bytes);
    return query;
}

static toi_narrow_def take_def(fuzz_bytes *bytes)
{
    static const double tolerances[] = {1e-6, 1e-3, 1, 1e-300, 1e300};
    static const double separations[] = {0, 1e-3, 1, 1e-300, 1e300};
    toi_narrow_def def = toi_default_narrow_def();
    def.tolerance = tolerances[take_byte(bytes) % 5];
    def.min_separation = separations[take_byte(bytes) % 5];
    def.t_max = take_byte(bytes) / 255.0;
    def.max_iterations = 1 + take_byte(bytes) * 4;
    def.no_zero_time = take_byte(bytes) % 2;
    def.method = (toi_narrow_method)(take_byte(bytes) % TOI_NARROW_COUNT);
    def.all_roots = take_byte(bytes) % 2;
    if (def.method == TOI_NARROW_EXACT && def.min_separation > 0)
        def.all_roots = false; // refused
    def.workers = 1;
    return toi_fit_narrow_def(&def);
}

static void check_result(const toi_query_result *result)
{
    CHECK(result->state == TOI_SEPARATED || result->state == TOI_HIT ||
          result->state == TOI_UNDECIDED);
    if (result->state == TOI_SEPARATED)
        CHECK(isinf(result->time) && result->time > 0);
    else
        CHECK(result->time >= 0 && result->time <= 1);
    CHECK(!isnan(result->u) && !isnan(result->v));
    for (int axis = 0; axis < 3; ++axis)
        CHECK(!isnan(result->normal[axis]));
    CHECK(result->iterations >= 0);
    CHECK(result->contacts >= 0);
    CHECK(result->rung < TOI_RUNG_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    toi_query query = take_query(&bytes);
    toi_narrow_def def = take_def(&bytes);
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        toi_query_result result;
        CHECK(toi_solve_queries(&def, (toi_kind)kind, &query, 1, &result) == TOI_OK);
        check_result(&result);
    }
    double uv[2];
    CHECK(toi_point_triangle_distance(query.start[0], query.start[1], query.start[2],
                                      query.start[3], uv) >= 0);
    CHECK(!isnan(uv[0]) && !isnan(uv[1]));
    CHECK(toi_edge_edge_distance(query.end[0], query.end[1], query.end[2], query.end[3], NULL) >=
          0);
    return 0;
}
