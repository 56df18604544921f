// Sorts lists of records: into buckets, in place, until these fit a cache, and then each bucket by
// a permutation. Beside the list it takes next to nothing: new memory of the list's size would cost
// more than the sort.

#include "ccd/records.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "toi/ccd.h"

#include <string.h>

enum
{
    MOST_BITS = 11,
    BUCKETS = 1 << MOST_BITS,
    LEAST_BITS = 4,
    LEVELS = 6,    // of buckets in buckets
    FEW = 4096,    // records that fit a cache
    FEW_BITS = 11, // so many bits has the number of those that a bucket is to hold
    VERY_FEW = 64, // far fewer than a digit of a radix sort has values
    RADIX_WORDS = FEW + 4096,
    AHEAD = 2 // records of a bucket that are fetched before they are exchanged
};

static toi_record_key key_of(const void *record)
{
    toi_record_key key;
    memcpy(&key, record, sizeof key);
    return key;
}

// Keys as numbers in the same order, with few numbers that are no key of the list. There are four
// kinds, and a and b are not negative: 64 bits suffice.
typedef struct ranking
{
    uint64_t shifts[TOI_KIND_COUNT]; // what is added to the a of each kind; may wrap
    int b_bits;
    uint64_t last; // no rank is greater
} ranking;

static inline uint64_t rank_of(const ranking *ranks, const void *record)
{
    toi_record_key key = key_of(record);
    return (ranks->shifts[key.kind] + (uint32_t)key.a) << ranks->b_bits | (uint32_t)key.b;
}

// How many bits a number takes.
static int width_of(uint64_t x)
{
    return x > 0 ? 64 - __builtin_clzll(x) : 0;
}

static ranking rank_records(const char *records, int64_t count, size_t size)
{
    ranking ranks = {.b_bits = 0};
    uint32_t low[TOI_KIND_COUNT], end[TOI_KIND_COUNT] = {0}, all_b = 0;
    memset(low, 0xff, sizeof low);
    for (int64_t i = 0; i < count; ++i) {
        toi_record_key key = key_of(records + (size_t)i * size);
        uint32_t a = (uint32_t)key.a;
        low[key.kind] = a < low[key.kind] ? a : low[key.kind];
        end[key.kind] = a + 1 > end[key.kind] ? a + 1 : end[key.kind];
        all_b |= (uint32_t)key.b;
    }
    uint64_t next = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind) {
        ranks.shifts[kind] = next - low[kind];
        next += end[kind] > 0 ? end[kind] - low[kind] : 0;
    }
    ranks.b_bits = width_of(all_b);
    ranks.last = (next << ranks.b_bits) - 1;
    return ranks;
}

// ---- Buckets

// Each of 2^shift ranks, from `low` on.
typedef struct buckets
{
    const ranking *ranks;
    uint64_t low;
    int shift;
    int64_t heads[BUCKETS], ends[BUCKETS];
} buckets;

static inline int bucket_of(const buckets *b, const void *record)
{
    return (int)((rank_of(b->ranks, record) - b->low) >> b->shift);
}

// The least and the greatest rank of some records.
typedef struct span
{
    uint64_t low, high;
} span;

static span find_span(const ranking *ranks, const char *records, int64_t count, size_t size)
{
    span found = {UINT64_MAX, 0};
    for (int64_t i = 0; i < count; ++i) {
        uint64_t rank = rank_of(ranks, records + (size_t)i * size);
        found.low = rank < found.low ? rank : found.low;
        found.high = rank > found.high ? rank : found.high;
    }
    return found;
}

// As many as make them small, but no more.
static void choose_buckets(const ranking *ranks, span of, int64_t count, buckets *b)
{
    int wanted = width_of((uint64_t)count >> FEW_BITS), width = width_of(of.high - of.low);
    wanted = wanted < LEAST_BITS ? LEAST_BITS : wanted;
    wanted = wanted > MOST_BITS ? MOST_BITS : wanted;
    b->ranks = ranks;
    b->low = of.low;
    b->shift = width > wanted ? width - wanted : 0;
}

// Counts the records of each, and gives it its place.
static void place_buckets(buckets *b, const char *records, int64_t count, size_t size)
{
    int64_t next = 0;
    memset(b->ends, 0, sizeof b->ends);
    for (int64_t i = 0; i < count; ++i)
        ++b->ends[bucket_of(b, records + (size_t)i * size)];
    for (int k = 0; k < BUCKETS; ++k) {
        b->heads[k] = next;
        next += b->ends[k];
        b->ends[k] = next;
    }
}

// Puts the record in hand at the head of its bucket and takes the one from there in hand, until
// that belongs to where the first was taken from.
static inline void fill_buckets(buckets *b, char *records, size_t size)
{
    char hand[TOI_LARGEST_ELEMENT], other[TOI_LARGEST_ELEMENT];
    for (int k = 0; k < BUCKETS; ++k)
        while (b->heads[k] < b->ends[k]) {
            char *from = records + (size_t)b->heads[k]++ * size;
            int to = bucket_of(b, from);
            memcpy(hand, from, size);
            while (to != k) {
                char *at = records + (size_t)b->heads[to]++ * size;
                to = bucket_of(b, at);
                __builtin_prefetch(at + AHEAD * size);
                memcpy(other, at, size);
                memcpy(at, hand, size);
                memcpy(hand, other, size);
            }
            memcpy(from, hand, size);
        }
}

// ---- Few records

// What a worker takes beside the list.
typedef struct sort_scratch
{
    buckets levels[LEVELS];
    uint64_t order[FEW];
    uint64_t radix[RADIX_WORDS];
    _Alignas(64) char copy[FEW * TOI_LARGEST_ELEMENT];
} sort_scratch;

// By a permutation, which a radix sort of numbers finds. False where the numbers are too long.
static inline bool permute(const ranking *ranks, sort_scratch *s, char *records, int64_t count,
                           size_t size)
{
    span of = find_span(ranks, records, count, size);
    int index = width_of((uint64_t)(count - 1));
    uint64_t mask = ~(uint64_t)0 << index;
    if (width_of(of.high - of.low) + index > 64)
        return false;
    for (int64_t i = 0; i < count; ++i)
        s->order[i] = (rank_of(ranks, records + (size_t)i * size) - of.low) << index | (uint64_t)i;
    toi_radix_sort_with(s->order, s->radix, count, mask, 1);
    memcpy(s->copy, records, (size_t)count * size);
    for (int64_t i = 0; i < count; ++i)
        memcpy(records + (size_t)i * size, s->copy + (s->order[i] & ~mask) * size, size);
    return true;
}

static uint64_t key_word(const void *element, int word)
{
    toi_record_key key = key_of(element);
    return word > 0 ? (uint32_t)key.b : (uint64_t)(uint32_t)key.kind << 32 | (uint32_t)key.a;
}

// The size is known to the compiler where there are many.
static void sort_few(const ranking *ranks, sort_scratch *s, char *records, int64_t count,
                     size_t size)
{
    bool sorted = false;
    if (count > VERY_FEW && count <= FEW)
        sorted = size == sizeof(toi_impact) ? permute(ranks, s, records, count, sizeof(toi_impact))
                                            : permute(ranks, s, records, count, size);
    if (!sorted && count > 1)
        toi_sort_in_place(records, count, size, 2, key_word);
}

// ---- All of it

static void split(const ranking *ranks, span of, char *records, int64_t count, size_t size,
                  buckets *b)
{
    choose_buckets(ranks, of, count, b);
    place_buckets(b, records, count, size);
    if (size == sizeof(toi_impact))
        fill_buckets(b, records, sizeof(toi_impact));
    else
        fill_buckets(b, records, size);
}

// Keys that make this go too deep are sorted more slowly.
static void sort_range(const ranking *ranks, sort_scratch *s, int level, char *records,
                       int64_t count, size_t size)
{
    if (count <= FEW || level == LEVELS) {
        sort_few(ranks, s, records, count, size);
        return;
    }
    buckets *b = &s->levels[level];
    span of = find_span(ranks, records, count, size);
    split(ranks, of, records, count, size, b);
    for (int k = 0; k < BUCKETS; ++k) {
        int64_t first = k > 0 ? b->ends[k - 1] : 0;
        sort_range(ranks, s, level + 1, records + (size_t)first * size, b->ends[k] - first, size);
    }
}

typedef struct sorting
{
    ranking ranks;
    const buckets *top;
    char *records;
    size_t size;
    sort_scratch *scratch; // one a worker
} sorting;

static toi_status sort_bucket(void *context, int64_t k, int worker)
{
    const sorting *all = context;
    int64_t first = k > 0 ? all->top->ends[k - 1] : 0;
    sort_range(&all->ranks, &all->scratch[worker], 1, all->records + (size_t)first * all->size,
               all->top->ends[k] - first, all->size);
    return TOI_OK;
}

static void sort_in_parallel(sorting *all, int64_t count, int workers)
{
    buckets *top = &all->scratch[0].levels[0];
    all->top = top;
    split(&all->ranks, (span){0, all->ranks.last}, all->records, count, all->size, top);
    toi_parallel(workers, BUCKETS, sort_bucket, all); // none of them fails
}

void toi_sort_records(toi_budget *budget, int workers, void *records, int64_t count, size_t size)
{
    sorting all = {.records = records, .size = size};
    if (count > VERY_FEW)
        all.scratch = toi_take(budget, workers, sizeof *all.scratch);
    if (!all.scratch) {
        toi_sort_in_place(records, count, size, 2, key_word);
        return;
    }
    all.ranks = rank_records(records, count, size);
    if (count > FEW)
        sort_in_parallel(&all, count, workers);
    else
        sort_few(&all.ranks, &all.scratch[0], records, count, size);
    toi_give_back(all.scratch);
}
