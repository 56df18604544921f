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

// By a permutation, which is quick. False for want of memory, with the impacts as they were.
static bool sort_by_order(toi_impact *impacts, int64_t count, int workers, toi_budget *budget)
{
    uint64_t *order = toi_take(budget, count, sizeof *order);
    toi_impact *copy = order ? toi_take(budget, count, sizeof *copy) : NULL;
    bool sorted = copy && sort_order(impacts, count, workers, budget, order) == TOI_OK;
    if (sorted) {
        memcpy(copy, impacts, (size_t)count * sizeof *copy);
        for (int64_t i = 0; i < count; ++i)
            impacts[i] = copy[(uint32_t)order[i]];
    }
    toi_give_back(copy);
    toi_give_back(order);
    return sorted;
}

static uint64_t impact_key(const void *element, int word)
{
    toi_impact impact;
    memcpy(&impact, element, sizeof impact);
    return word > 0 ? (uint32_t)impact.b
                    : (uint64_t)(uint32_t)impact.kind << 32 | (uint32_t)impact.a;
}

void toi_sort_impacts(toi_impact *impacts, int64_t count, int workers, toi_budget *budget)
{
    if (count > 1 && (count > UINT32_MAX || !sort_by_order(impacts, count, workers, budget)))
        toi_sort_in_place(impacts, count, sizeof *impacts, 2, impact_key);
}
