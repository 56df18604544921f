// Any bits as coordinates: what is not finite is refused, the rest is answered as the slow twin
// does.

#include "fuzz.h"

#include "exact/twin.h"
#include "toi/toi.h"

#include <math.h>

static const int points_of_kind[TOI_KIND_COUNT] = {4, 4, 3, 2};

static bool is_finite(toi_kind kind, const toi_query *query)
{
    bool finite = true;
    for (int i = 0; i < 3 * points_of_kind[kind]; ++i)
        finite &= isfinite(query->start[i / 3][i % 3]) && isfinite(query->end[i / 3][i % 3]);
    return finite;
}

static void check_answer(const toi_narrow_def *def, toi_kind kind, const toi_query *query,
                         const toi_query_result *result)
{
    twin_answer truth = twin_decide(kind, query);
    bool hit = truth.touches && truth.time <= def->t_max;
    double time = hit ? truth.time : INFINITY;
    CHECK(result->state == (hit ? TOI_HIT : TOI_SEPARATED));
    CHECK(memcmp(&result->time, &time, sizeof time) == 0);
    CHECK(result->time_is_exact == (hit && truth.time_is_exact));
    if (hit || !truth.touches)
        CHECK(result->contacts == (def->all_roots ? truth.contacts : 0));
    CHECK(result->u >= 0 && result->u <= 1 && result->v >= 0 && result->v <= 1);
    double length = hypot(hypot(result->normal[0], result->normal[1]), result->normal[2]);
    CHECK(length == 0 || fabs(length - 1) < 1e-12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = {data, size};
    toi_query query;
    take_bytes(&bytes, query.start, sizeof query.start);
    take_bytes(&bytes, query.end, sizeof query.end);
    toi_narrow_def def = toi_default_narrow_def();
    def.t_max = 1 - take_byte(&bytes) / 255.0;
    def.all_roots = take_byte(&bytes) % 2 == 0;
    def.workers = 1;
    for (int i = 0; i < TOI_KIND_COUNT; ++i) {
        toi_kind kind = (toi_kind)i;
        toi_query_result result;
        toi_status status = toi_solve_queries(&def, kind, &query, 1, &result);
        if (is_finite(kind, &query)) {
            CHECK(status == TOI_OK);
            check_answer(&def, kind, &query, &result);
        } else {
            CHECK(status == TOI_ERROR_DATA);
            CHECK(strstr(toi_last_message(), "coordinate"));
        }
    }
    return 0;
}
