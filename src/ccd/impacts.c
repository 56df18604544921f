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

// What sorting takes beside the list: one block, for as many as the list has room for, so that
// steps with more and with fewer impacts take the same.
typedef struct sorting
{
    toi_impact *copy;
    uint64_t *order;
    uint64_t *scratch;
} sorting;

static bool take_sorting(const toi_impact_array *impacts, int workers, toi_budget *budget,
                         sorting *s)
{
    int64_t room = impacts->capacity;
    int64_t words = room + toi_radix_words(room, workers);
    int64_t copies = room * (int64_t)(sizeof *s->copy / sizeof *s->order);
    s->copy = toi_take(budget, copies + words, sizeof *s->order);
    s->order = (uint64_t *)(s->copy + room);
    s->scratch = s->order + room;
    return s->copy != NULL;
}

// Two stable sorts of (key, index): by the last bit of a and all of b, then by kind and the rest of
// a. A kind has two bits, an index 31: so each key has 32.
static void sort_order(const toi_impact_array *impacts, int workers, const sorting *s)
{
    _Static_assert(TOI_KIND_COUNT <= 4, "two bits");
    const toi_impact *data = impacts->data;
    int64_t count = impacts->count;
    uint64_t mask = ~(uint64_t)0 << 32;
    for (int64_t i = 0; i < count; ++i)
        s->order[i] =
            (uint64_t)((uint32_t)data[i].a << 31 | (uint32_t)data[i].b) << 32 | (uint32_t)i;
    toi_radix_sort_with(s->order, s->scratch, count, mask, workers);
    for (int64_t i = 0; i < count; ++i) {
        uint32_t at = (uint32_t)s->order[i];
        uint32_t key = (uint32_t)data[at].kind << 30 | (uint32_t)data[at].a >> 1;
        s->order[i] = (uint64_t)key << 32 | at;
    }
    toi_radix_sort_with(s->order, s->scratch, count, mask, workers);
}

// By a permutation, which is quick. False for want of memory, with the impacts as they were.
static bool sort_by_order(toi_impact_array *impacts, int workers, toi_budget *budget)
{
    sorting s;
    if (!take_sorting(impacts, workers, budget, &s))
        return false;
    sort_order(impacts, workers, &s);
    memcpy(s.copy, impacts->data, (size_t)impacts->count * sizeof *s.copy);
    for (int64_t i = 0; i < impacts->count; ++i)
        impacts->data[i] = s.copy[(uint32_t)s.order[i]];
    toi_give_back(s.copy);
    return true;
}

static uint64_t impact_key(const void *element, int word)
{
    toi_impact impact;
    memcpy(&impact, element, sizeof impact);
    return word > 0 ? (uint32_t)impact.b
                    : (uint64_t)(uint32_t)impact.kind << 32 | (uint32_t)impact.a;
}

void toi_sort_impacts(toi_impact_array *impacts, int workers, toi_budget *budget)
{
    int64_t count = impacts->count;
    if (count > 1 && (count > UINT32_MAX || !sort_by_order(impacts, workers, budget)))
        toi_sort_in_place(impacts->data, count, sizeof *impacts->data, 2, impact_key);
}
