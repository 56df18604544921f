// Sorts from the highest digit down: what comes after the first is done in a core's cache, and few
// that are alike in their first digits, such as the pairs of one primitive, are put in order by
// counting how many each exceeds, which takes no branches.

#include "ccd/brief_sort.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "ccd/key_order.h"

#include <string.h>

enum
{
    FEW_BITS = 6,
    FEW = 1 << FEW_BITS, // that are counted against each other
    SERIAL_COUNT = 1 << 15,
    LEAST_PIECE = 1 << 12,
    PIECES = 3, // a worker
    BUCKETS_A_TASK = 4
};

static uint64_t brief_key(const void *element, int word)
{
    (void)word;
    return ((const toi_brief *)element)->key;
}

// Some that are alike in all but the lowest `left` bits of the packed key.
typedef struct part
{
    toi_brief *from, *other; // where they are, and as much room
    int64_t count;
    int left;
    bool stays; // they go back to `from`, else to `other`
} part;

// Those that have so few bits left that with their numbers these fit a word.
static void rank_few(const toi_key_packing *pack, const part *p)
{
    int32_t keys[FEW], ranks[FEW] = {0};
    toi_brief held[FEW];
    int count = (int)p->count, padded = (count + 7) / 8 * 8;
    uint64_t mask = ((uint64_t)1 << p->left) - 1;
    for (int i = 0; i < padded; ++i) {
        uint64_t key = toi_packed_key(pack, p->from[i < count ? i : 0].key) & mask;
        keys[i] = i < count ? (int32_t)(key << FEW_BITS | (unsigned)i) : INT32_MAX;
    }
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < padded; ++i)
            ranks[i] += keys[j] < keys[i];
    memcpy(held, p->from, (size_t)count * sizeof *held);
    toi_brief *to = p->stays ? p->from : p->other;
    for (int i = 0; i < count; ++i)
        to[ranks[i]] = held[i];
}

static int width_of(int64_t count)
{
    return 64 - __builtin_clzll((uint64_t)count);
}

static void sort_part(const toi_key_packing *pack, const part *p);

// By the highest digit that is left, and then each of these.
static void split_part(const toi_key_packing *pack, const part *p)
{
    int64_t ends[TOI_MOST_DIGITS], sum = 0;
    int bits = width_of(p->count) < TOI_DIGIT_BITS ? width_of(p->count) : TOI_DIGIT_BITS;
    bits = bits < p->left ? bits : p->left;
    int shift = p->left - bits, digits = 1 << bits;
    memset(ends, 0, sizeof *ends << bits);
    for (int64_t i = 0; i < p->count; ++i)
        ++ends[toi_packed_key(pack, p->from[i].key) >> shift & (digits - 1)];
    for (int d = 0; d < digits; ++d) {
        int64_t count = ends[d];
        ends[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < p->count; ++i)
        p->other[ends[toi_packed_key(pack, p->from[i].key) >> shift & (digits - 1)]++] = p->from[i];
    for (int64_t d = 0, begin = 0; d < digits; begin = ends[d++])
        if (begin < ends[d])
            sort_part(pack, &(part){.from = p->other + begin,
                                    .other = p->from + begin,
                                    .count = ends[d] - begin,
                                    .left = shift,
                                    .stays = !p->stays});
}

static void sort_part(const toi_key_packing *pack, const part *p)
{
    if (p->count <= FEW && p->left < 32 - FEW_BITS) {
        rank_few(pack, p);
    } else if (p->count > FEW && p->left > 0) {
        split_part(pack, p);
    } else {
        if (p->left > 0)
            toi_sort_in_place(p->from, p->count, sizeof *p->from, 1, brief_key);
        if (!p->stays)
            memcpy(p->other, p->from, (size_t)p->count * sizeof *p->from);
    }
}

// ---- All of them: by the first digit, side by side

typedef struct job
{
    const toi_brief_sort *sort;
    toi_key_packing pack;
    toi_digit_row *rows; // one a piece
    int64_t piece;
    int pieces, bits;
} job;

static unsigned first_digit(const job *j, uint64_t key)
{
    return (unsigned)(toi_packed_key(&j->pack, key) >> (j->pack.all - j->bits));
}

static toi_status count_digits(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    int64_t *counts = j->rows[first / j->piece];
    memset(counts, 0, sizeof *counts << j->bits);
    for (int64_t i = first; i < end; ++i)
        ++counts[first_digit(j, j->sort->found[i].key)];
    return TOI_OK;
}

static toi_status scatter(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    int64_t *places = j->rows[first / j->piece];
    for (int64_t i = first; i < end; ++i)
        j->sort->scratch[places[first_digit(j, j->sort->found[i].key)]++] = j->sort->found[i];
    return TOI_OK;
}

static toi_status sort_buckets(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    const int64_t *ends = j->rows[j->pieces - 1]; // its records came last
    for (int64_t b = first; b < end; ++b) {
        int64_t begin = b > 0 ? ends[b - 1] : 0;
        if (begin < ends[b])
            sort_part(&j->pack, &(part){.from = j->sort->scratch + begin,
                                        .other = j->sort->sorted + begin,
                                        .count = ends[b] - begin,
                                        .left = j->pack.all - j->bits});
    }
    return TOI_OK;
}

void toi_sort_brief(const toi_brief_sort *sort, int workers)
{
    job j = {.sort = sort, .pack = toi_pack_keys(sort->all)};
    if (sort->count < SERIAL_COUNT) {
        sort_part(&j.pack, &(part){sort->found, sort->sorted, sort->count, j.pack.all, false});
        return;
    }
    int64_t pieces = workers > 1 ? PIECES * workers : 1, most = sort->count / LEAST_PIECE;
    j.pieces = (int)(pieces < most ? pieces : most);
    j.piece = (sort->count + j.pieces - 1) / j.pieces;
    j.pieces = (int)((sort->count + j.piece - 1) / j.piece);
    j.rows = (toi_digit_row *)sort->tables;
    j.bits = j.pack.all < TOI_DIGIT_BITS ? j.pack.all : TOI_DIGIT_BITS;
    toi_parallel_ranges(workers, sort->count, j.piece, count_digits, &j);
    toi_place_digits(j.rows, j.pieces, j.bits);
    toi_parallel_ranges(workers, sort->count, j.piece, scatter, &j);
    toi_parallel_ranges(workers, (int64_t)1 << j.bits, BUCKETS_A_TASK, sort_buckets, &j);
}
