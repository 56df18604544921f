// The order of numbered things by their whole keys (ccd/records.h): words that have as much of a
// key as differs, and the number behind it, are sorted.

#ifndef TOI_CCD_KEY_ORDER_H
#define TOI_CCD_KEY_ORDER_H

#include "base/parallel.h"

// How many bits a number takes.
static inline int toi_width_of(uint64_t x)
{
    return x > 0 ? 64 - __builtin_clzll(x) : 0;
}

// A key in as few bits as those of a list take.
typedef struct toi_key_packing
{
    int a, b, all; // bits
} toi_key_packing;

toi_key_packing toi_pack_keys(uint64_t all); // the bits that occur in whole keys

static inline uint64_t toi_packed_key(const toi_key_packing *pack, uint64_t key)
{
    return ((key >> 62) << pack->a | (key >> 31 & INT32_MAX)) << pack->b | (key & INT32_MAX);
}

typedef struct toi_key_order
{
    uint64_t *order;   // one word each
    uint64_t *scratch; // with `order`, as toi_radix_sort_with() wants it
    int64_t count;
    uint64_t all;       // the bits that occur in keys, at least
    toi_range_fn *fill; // writes toi_order_entry() of the key of toi_number_at() for a range
    void *context;
    // Made by toi_sort_keys().
    toi_key_packing pack;
    int index; // bits of a number
    int shift; // of the packed key: what has been sorted by already
} toi_key_order;

// Keys come out in `order`: first those of numbers 0, 1, 2 ...; where a key and a number are longer
// than a word, once more, in the order so far.
void toi_sort_keys(toi_key_order *o, int workers);

static inline int64_t toi_ordered(const toi_key_order *o, int64_t i)
{
    return (int64_t)(o->order[i] & ~(~(uint64_t)0 << o->index));
}

static inline int64_t toi_number_at(const toi_key_order *o, int64_t i)
{
    return o->shift == 0 ? i : toi_ordered(o, i);
}

static inline uint64_t toi_order_entry(const toi_key_order *o, uint64_t key, int64_t number)
{
    return toi_packed_key(&o->pack, key) >> o->shift << o->index | (uint64_t)number;
}

#endif
