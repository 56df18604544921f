// Sorts numbers by their keys: stable sorts of (some bits of the key, number), from the least bits
// on; one, unless the mesh is very large.

#include "ccd/key_order.h"

#include "base/radix_sort.h"

toi_key_packing toi_pack_keys(uint64_t all)
{
    toi_key_packing p = {.a = toi_width_of(all >> 31 & INT32_MAX),
                         .b = toi_width_of(all & INT32_MAX)};
    p.all = p.a + p.b + toi_width_of(all >> 62);
    return p;
}

void toi_sort_keys(toi_key_order *o, int workers)
{
    o->pack = toi_pack_keys(o->all);
    o->shift = o->index = 0;
    if (o->count < 2)
        return;
    o->index = toi_width_of((uint64_t)(o->count - 1));
    int piece = 64 - o->index;
    uint64_t mask = ~(uint64_t)0 << o->index;
    do {
        toi_parallel_ranges(workers, o->count, TOI_PIECE, o->fill, o->context);
        toi_radix_sort_with(o->order, o->scratch, o->count, mask, workers);
        o->shift += piece;
    } while (o->shift < o->pack.all);
}
