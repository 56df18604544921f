// Lists of impacts in canonical order.

#include "ccd/pipeline.h"

#include "base/radix_sort.h"

#include <string.h>

void toi_free_impacts(toi_impact_array *impacts)
{
    if (!impacts)
        return;
    toi_give_back(impacts->data);
    *impacts = (toi_impact_array){NULL, 0, 0};
}

// Two stable sorts of (key, index): by b, then by (kind, a).
static toi_status sort_order(const toi_impact *impacts, int64_t count, int workers,
                             toi_budget *budget, uint64_t *order)
{
    for (int64_t i = 0; i < count; ++i)
        order[i] = (uint64_t)(uint32_t)impacts[i].b << 32 | (uint32_t)i;
    toi_status status = toi_radix_sort(order, count, ~(uint64_t)0 << 32, workers, budget);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < count; ++i) {
        uint32_t at = (uint32_t)order[i];
        uint32_t key = (uint32_t)impacts[at].kind << 31 | (uint32_t)impacts[at].a;
        order[i] = (uint64_t)key << 32 | at;
    }
    return toi_radix_sort(order, count, ~(uint64_t)0 << 32, workers, budget);
}

toi_status toi_sort_impacts(toi_impact *impacts, int64_t count, int workers, toi_budget *budget)
{
    if (count < 2)
        return TOI_OK;
    if (count > UINT32_MAX)
        return toi_fail(TOI_ERROR_LIMIT, "more than 2^32 impacts");
    uint64_t *order = toi_take(budget, count, sizeof *order);
    toi_impact *copy = order ? toi_take(budget, count, sizeof *copy) : NULL;
    toi_status status = copy ? TOI_OK : toi_allocation_status();
    if (status == TOI_OK)
        status = sort_order(impacts, count, workers, budget, order);
    if (status == TOI_OK) {
        memcpy(copy, impacts, (size_t)count * sizeof *copy);
        for (int64_t i = 0; i < count; ++i)
            impacts[i] = copy[(uint32_t)order[i]];
    }
    toi_give_back(copy);
    toi_give_back(order);
    return status;
}
