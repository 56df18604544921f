// Three sorts: a stable parallel radix sort of 64-bit keys, one by places that are known to be few,
// and radix exchange in place.

#include "base/radix_sort.h"

#include <string.h>

enum
{
    MOST_BITS = 11, // of a digit
    MOST_DIGITS = 1 << MOST_BITS,
    LEAST_PIECE = 1 << 12, // keys that are worth counting apart
    SERIAL_COUNT = 1 << 15,
    LONG_COUNT = 1 << 18, // from here on workers have several pieces, so that none waits for a late
    PIECES = 3            // one; more of them would make the tables longer, which are one thread's
};

typedef struct pass
{
    const uint64_t *from;
    uint64_t *to;
    int32_t *low; // of the last pass, if not NULL, instead
    int64_t count;
    int64_t piece; // keys in each
    int pieces;
    int shift;
    int bits; // of a digit
    uint64_t digit_mask;
    int64_t (*offsets)[MOST_DIGITS]; // one row a piece
    uint64_t *all_or, *all_and;      // one a piece
} pass;

static unsigned digit(const pass *p, uint64_t key)
{
    return (unsigned)((key >> p->shift) & p->digit_mask);
}

static toi_status find_varying_bits(void *context, int64_t first, int64_t end)
{
    pass *p = context;
    uint64_t all_or = 0, all_and = ~(uint64_t)0;
    for (int64_t i = first; i < end; ++i) {
        all_or |= p->from[i];
        all_and &= p->from[i];
    }
    p->all_or[first / p->piece] = all_or;
    p->all_and[first / p->piece] = all_and;
    return TOI_OK;
}

static toi_status count_digits(void *context, int64_t first, int64_t end)
{
    pass *p = context;
    int64_t *counts = p->offsets[first / p->piece];
    memset(counts, 0, sizeof *counts << p->bits);
    for (int64_t i = first; i < end; ++i)
        ++counts[digit(p, p->from[i])];
    return TOI_OK;
}

// All goes along the rows, as memory does: first how many of the digit the pieces before have, then
// where the digit begins.
void toi_place_digits(const toi_digit_counts *counts, int64_t *before)
{
    int64_t begin = 0;
    memset(before, 0, (size_t)counts->digits * sizeof *before);
    for (int piece = 0; piece < counts->pieces; ++piece) {
        int64_t *row = counts->rows + piece * counts->stride;
        for (int d = 0; d < counts->digits; ++d) {
            int64_t count = row[d];
            row[d] = before[d];
            before[d] += count;
        }
    }
    for (int d = 0; d < counts->digits; ++d) {
        int64_t count = before[d];
        before[d] = begin;
        begin += count;
    }
    for (int piece = 0; piece < counts->pieces; ++piece)
        for (int d = 0; d < counts->digits; ++d)
            counts->rows[piece * counts->stride + d] += before[d];
}

static void place_digits(const pass *p)
{
    int64_t before[MOST_DIGITS];
    toi_place_digits(&(toi_digit_counts){p->offsets[0], MOST_DIGITS, p->pieces, 1 << p->bits},
                     before);
}

static toi_status scatter(void *context, int64_t first, int64_t end)
{
    pass *p = context;
    int64_t *offsets = p->offsets[first / p->piece];
    for (int64_t i = first; i < end; ++i)
        p->to[offsets[digit(p, p->from[i])]++] = p->from[i];
    return TOI_OK;
}

// The last pass of a sort of whose keys the lower halves alone are asked for.
static toi_status scatter_low(void *context, int64_t first, int64_t end)
{
    pass *p = context;
    int64_t *offsets = p->offsets[first / p->piece];
    for (int64_t i = first; i < end; ++i)
        p->low[offsets[digit(p, p->from[i])]++] = (int32_t)(uint32_t)p->from[i];
    return TOI_OK;
}

static toi_status copy_low(void *context, int64_t first, int64_t end)
{
    const pass *p = context;
    for (int64_t i = first; i < end; ++i)
        p->low[i] = (int32_t)(uint32_t)p->from[i];
    return TOI_OK;
}

static toi_status copy_back(void *context, int64_t first, int64_t end)
{
    const pass *p = context;
    memcpy(p->to + first, p->from + first, (size_t)(end - first) * sizeof *p->to);
    return TOI_OK;
}

static void run_pieces(pass *p, int workers, toi_range_fn *work)
{
    toi_parallel_ranges(workers, p->count, p->piece, work, p); // none of them fails
}

static uint64_t varying_bits(pass *p, int workers)
{
    run_pieces(p, workers, find_varying_bits);
    uint64_t all_or = 0, all_and = ~(uint64_t)0;
    for (int piece = 0; piece < p->pieces; ++piece) {
        all_or |= p->all_or[piece];
        all_and &= p->all_and[piece];
    }
    return all_or & ~all_and;
}

// What is left of the bits after a digit from the lowest of them on.
static uint64_t drop_digit(uint64_t bits, int width)
{
    int next = __builtin_ctzll(bits) + width;
    return next >= 64 ? 0 : bits >> next << next;
}

static int count_passes(uint64_t bits, int width)
{
    int passes = 0;
    for (; bits; bits = drop_digit(bits, width))
        ++passes;
    return passes;
}

// Digits are no wider than the fewest passes ask for: the tables are the smaller.
static int digit_width(uint64_t bits)
{
    int width = MOST_BITS, passes = count_passes(bits, width);
    while (width > 1 && count_passes(bits, width - 1) == passes)
        --width;
    return width;
}

static void sort_with_scratch(pass *p, uint64_t *keys, uint64_t *scratch, uint64_t mask,
                              int workers)
{
    p->from = keys;
    uint64_t remaining = varying_bits(p, workers) & mask;
    uint64_t *to = scratch;
    p->bits = digit_width(remaining);
    if (p->low && !remaining)
        run_pieces(p, workers, copy_low);
    while (remaining) {
        p->shift = __builtin_ctzll(remaining);
        p->digit_mask = (mask >> p->shift) & (((uint64_t)1 << p->bits) - 1);
        p->to = to;
        remaining = drop_digit(remaining, p->bits);
        run_pieces(p, workers, count_digits);
        place_digits(p);
        run_pieces(p, workers, p->low && !remaining ? scatter_low : scatter);
        to = (uint64_t *)p->from;
        p->from = p->to;
    }
    if (p->from != keys && !p->low) {
        p->to = keys;
        run_pieces(p, workers, copy_back);
    }
}

// Keys in each of the pieces that are counted apart, none of them much shorter than its table.
static int64_t piece_length(int64_t count, int workers)
{
    int64_t pieces = workers > 1 && count >= LONG_COUNT ? PIECES * workers : workers;
    int64_t piece = (count + pieces - 1) / pieces;
    return count < SERIAL_COUNT ? count : piece < LEAST_PIECE ? LEAST_PIECE : piece;
}

// No less for more keys: callers take memory for more than they sort.
static int64_t most_pieces(int64_t count, int workers)
{
    int64_t pieces = count < SERIAL_COUNT ? 1 : count / LEAST_PIECE + 1;
    int64_t most = workers > 1 && count >= LONG_COUNT ? PIECES * workers : workers;
    return pieces < most ? pieces : most;
}

int64_t toi_radix_words(int64_t count, int workers)
{
    return count + most_pieces(count, workers) * (MOST_DIGITS + 2);
}

int64_t toi_radix_tables(int64_t count, int workers)
{
    enum
    {
        TABLE_BYTES = 17 << 10
    };
    return (count < LONG_COUNT ? 1 : PIECES) * workers * (int64_t)TABLE_BYTES;
}

// Pieces of the keys, and where their tables are.
static pass begin_pass(uint64_t *scratch, int64_t count, int workers)
{
    pass p = {.count = count, .piece = piece_length(count, workers)};
    p.pieces = (int)((count + p.piece - 1) / p.piece);
    p.offsets = (int64_t(*)[MOST_DIGITS])(scratch + count);
    p.all_or = (uint64_t *)(p.offsets + p.pieces);
    p.all_and = p.all_or + p.pieces;
    return p;
}

static void sort_keys(uint64_t *keys, uint64_t *scratch, int64_t count, uint64_t mask, int workers,
                      int32_t *low)
{
    if (count == 0)
        return;
    pass p = begin_pass(scratch, count, workers);
    p.low = low;
    sort_with_scratch(&p, keys, scratch, mask, workers);
}

void toi_radix_sort_with(uint64_t *keys, uint64_t *scratch, int64_t count, uint64_t mask,
                         int workers)
{
    sort_keys(keys, scratch, count, mask, workers, NULL);
}

void toi_radix_sort_low(uint64_t *keys, uint64_t *scratch, int64_t count, uint64_t mask,
                        int workers, int32_t *low)
{
    sort_keys(keys, scratch, count, mask, workers, low);
}

toi_status toi_radix_sort(uint64_t *keys, int64_t count, uint64_t mask, int workers,
                          toi_budget *budget)
{
    if (count < 2)
        return TOI_OK;
    uint64_t *scratch =
        toi_take_touched(budget, toi_radix_words(count, workers), sizeof *scratch, workers);
    if (!scratch)
        return toi_allocation_status();
    toi_radix_sort_with(keys, scratch, count, mask, workers);
    toi_give_back(scratch);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// By place: from the highest digit, so that what comes after it is done in a core's cache

enum
{
    LOW_BITS = 11, // of a place at most, which are counted a bucket at a time
    BUCKETS_A_TASK = 4,
    NEAR_PLACES = 1 << 17 // that one thread counts in a cache of its own
};

typedef struct place_pass
{
    pass pass; // by the high bits
    const toi_place_sort *sort;
    int low_bits;
} place_pass;

static toi_status fill_and_count(void *context, int64_t first, int64_t end)
{
    place_pass *p = context;
    p->sort->fill(p->sort->context, first, end);
    return count_digits(&p->pass, first, end);
}

static toi_status scatter_to_buckets(void *context, int64_t first, int64_t end)
{
    return scatter(&((place_pass *)context)->pass, first, end);
}

// The numbers of one bucket.
static void sort_bucket(const place_pass *p, int64_t first, int64_t end)
{
    uint32_t at[1 << LOW_BITS], mask = ((uint32_t)1 << p->low_bits) - 1, sum = 0;
    const uint64_t *keys = p->sort->scratch;
    int32_t *order = p->sort->order + first;
    memset(at, 0, sizeof *at << p->low_bits);
    for (int64_t i = first; i < end; ++i)
        ++at[(uint32_t)(keys[i] >> 32) & mask];
    for (uint32_t d = 0; d <= mask; ++d) {
        uint32_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (int64_t i = first; i < end; ++i)
        order[at[(uint32_t)(keys[i] >> 32) & mask]++] = (int32_t)(uint32_t)keys[i];
}

static toi_status sort_buckets(void *context, int64_t first, int64_t end)
{
    const place_pass *p = context;
    const int64_t *ends = p->pass.offsets[p->pass.pieces - 1]; // its keys came last
    for (int64_t b = first; b < end; ++b) {
        int64_t begin = b > 0 ? ends[b - 1] : 0;
        if (begin < ends[b])
            sort_bucket(p, begin, ends[b]);
    }
    return TOI_OK;
}

// By one thread, whose cache holds a number for each place: every key goes straight to where it
// belongs.
static void sort_directly(const toi_place_sort *sort)
{
    uint32_t *at = (uint32_t *)sort->scratch, sum = 0;
    memset(at, 0, (size_t)sort->places * sizeof *at);
    for (int64_t first = 0; first < sort->count; first += LEAST_PIECE) {
        int64_t end = first + LEAST_PIECE < sort->count ? first + LEAST_PIECE : sort->count;
        sort->fill(sort->context, first, end);
        for (int64_t i = first; i < end; ++i)
            ++at[sort->keys[i] >> 32];
    }
    for (int64_t p = 0; p < sort->places; ++p) {
        uint32_t count = at[p];
        at[p] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < sort->count; ++i)
        sort->order[at[sort->keys[i] >> 32]++] = (int32_t)(uint32_t)sort->keys[i];
}

void toi_sort_by_place(const toi_place_sort *sort, int workers)
{
    int bits = sort->places > 1 ? 64 - __builtin_clzll((uint64_t)sort->places - 1) : 1;
    place_pass p = {.sort = sort, .low_bits = bits / 2};
    if (sort->count == 0)
        return;
    if (workers == 1 && sort->places <= NEAR_PLACES && sort->places <= sort->count) {
        sort_directly(sort);
        return;
    }
    p.pass = begin_pass(sort->scratch, sort->count, workers);
    p.pass.from = sort->keys;
    p.pass.to = sort->scratch;
    p.pass.shift = 32 + p.low_bits;
    p.pass.bits = bits - p.low_bits;
    p.pass.digit_mask = ((uint64_t)1 << p.pass.bits) - 1;
    toi_parallel_ranges(workers, sort->count, p.pass.piece, fill_and_count, &p);
    place_digits(&p.pass);
    toi_parallel_ranges(workers, sort->count, p.pass.piece, scatter_to_buckets, &p);
    toi_parallel_ranges(workers, (int64_t)1 << p.pass.bits, BUCKETS_A_TASK, sort_buckets, &p);
}

// ---------------------------------------------------------------------------------------------
// In place

// Elements, and how to read their keys.
typedef struct in_place
{
    char *elements;
    size_t size;
    int words;
    toi_key_word_fn *key;
} in_place;

// Elements that are alike in all bits of the key above `bit`, which is counted from the lowest of
// the last word.
typedef struct range
{
    int64_t first, end;
    int bit;
} range;

enum
{
    FEW = 16
};

static char *element_at(const in_place *s, int64_t i)
{
    return s->elements + i * (int64_t)s->size;
}

static bool bit_at(const in_place *s, int64_t i, int bit)
{
    return s->key(element_at(s, i), s->words - 1 - bit / 64) >> (bit % 64) & 1;
}

static bool comes_before(const in_place *s, const void *a, const void *b)
{
    uint64_t x = 0, y = 0;
    for (int w = 0; w < s->words && x == y; ++w) {
        x = s->key(a, w);
        y = s->key(b, w);
    }
    return x < y;
}

static void insertion_sort(const in_place *s, int64_t first, int64_t end)
{
    char element[TOI_LARGEST_ELEMENT];
    for (int64_t i = first + 1; i < end; ++i) {
        int64_t to = i;
        memcpy(element, element_at(s, i), s->size);
        for (; to > first && comes_before(s, element, element_at(s, to - 1)); --to)
            memcpy(element_at(s, to), element_at(s, to - 1), s->size);
        memcpy(element_at(s, to), element, s->size);
    }
}

// Moves the elements whose bit is 0 in front of the others; returns where those begin.
static int64_t part(const in_place *s, range r)
{
    char element[TOI_LARGEST_ELEMENT];
    int64_t low = r.first, high = r.end;
    while (true) {
        while (low < high && !bit_at(s, low, r.bit))
            ++low;
        while (low < high && bit_at(s, high - 1, r.bit))
            --high;
        if (low >= high)
            return low;
        memcpy(element, element_at(s, low), s->size);
        memcpy(element_at(s, low), element_at(s, high - 1), s->size);
        memcpy(element_at(s, high - 1), element, s->size);
    }
}

// The highest bit below `bit` in which the elements differ; -1: in none.
static int highest_varying(const in_place *s, range r)
{
    for (int w = s->words - 1 - (r.bit - 1) / 64; w < s->words && r.bit > 0; ++w) {
        uint64_t first = s->key(element_at(s, r.first), w), varying = 0;
        for (int64_t i = r.first + 1; i < r.end; ++i)
            varying |= s->key(element_at(s, i), w) ^ first;
        if (varying)
            return 64 * (s->words - 1 - w) + 63 - __builtin_clzll(varying);
    }
    return -1;
}

// Radix exchange: parts by the highest bit that differs, then both parts by the bits below. Of the
// two the larger waits, so there are never more waiting than the count has bits.
void toi_sort_in_place(void *elements, int64_t count, size_t size, int words, toi_key_word_fn *key)
{
    in_place s = {elements, size, words, key};
    range waiting[65];
    int depth = 0;
    waiting[depth++] = (range){0, count, 64 * words};
    while (depth > 0) {
        range r = waiting[--depth];
        while (r.end - r.first > FEW && (r.bit = highest_varying(&s, r)) >= 0) {
            int64_t middle = part(&s, r);
            range low = {r.first, middle, r.bit}, high = {middle, r.end, r.bit};
            bool low_is_larger = middle - r.first > r.end - middle;
            waiting[depth++] = low_is_larger ? low : high;
            r = low_is_larger ? high : low;
        }
        if (r.end - r.first <= FEW)
            insertion_sort(&s, r.first, r.end);
    }
}
