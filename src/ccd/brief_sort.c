// Sorts by about as many of the first bits as there are records. Those that are alike in them, such
// as the pairs of one primitive, are put in order by counting how many each exceeds, which takes no
// branches; where they are too many they are sorted by the next bits.

#include "ccd/brief_sort.h"

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "base/simd.h"

#include <string.h>

enum
{
    MOST_FIRST = 30, // bits that all are sorted by first
    MOST_BITS = 11,  // that a long run is sorted by at once
    SERIAL_COUNT = 1 << 15,
    PIECES = 3, // a worker
    TASKS = 512,
    AHEAD = 128, // records that are fetched before they are read: what follows by itself comes late
    LINE = 4     // records in a line of the caches
};

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

// ---- One run

toi_rank_briefs_fn toi_rank_briefs_baseline, toi_rank_briefs_avx2, toi_rank_briefs_avx512;

static void rank_run(const toi_key_packing *pack, const toi_brief *run, int64_t count,
                     toi_brief *to)
{
    static toi_rank_briefs_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_rank_briefs);
    kernels[toi_simd_level()](pack, run, (int)count, to);
}

static uint64_t brief_key(const void *element, int word)
{
    (void)word;
    return ((const toi_brief *)element)->key;
}

// How many of the lowest bits differ. Pairs of one primitive are often near in the mesh, so that
// many of the bits before are the same.
static int varying_bits(const toi_key_packing *pack, const toi_brief *run, int64_t count)
{
    uint64_t varying = 0;
    for (int64_t i = 1; i < count; ++i)
        varying |= run[i].key ^ run[0].key;
    return toi_width_of(toi_packed_key(pack, varying));
}

// A run, as much room, and whether it goes back to where it is, in order, or there.
typedef struct run
{
    toi_brief *from, *other;
    int64_t count;
    bool stays;
} run;

static void sort_run(const toi_key_packing *pack, const run *r);

// By the highest bits that differ, and then those that are alike in them.
static void split_run(const toi_key_packing *pack, const run *r, int left)
{
    int64_t ends[1 << MOST_BITS], sum = 0;
    int bits = lesser(left, lesser(toi_width_of((uint64_t)r->count), MOST_BITS));
    int shift = left - bits, digits = 1 << bits;
    memset(ends, 0, sizeof *ends << bits);
    for (int64_t i = 0; i < r->count; ++i)
        ++ends[toi_packed_key(pack, r->from[i].key) >> shift & (digits - 1)];
    for (int d = 0; d < digits; ++d) {
        int64_t count = ends[d];
        ends[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < r->count; ++i)
        r->other[ends[toi_packed_key(pack, r->from[i].key) >> shift & (digits - 1)]++] = r->from[i];
    for (int64_t d = 0, begin = 0; d < digits; begin = ends[d++])
        if (begin < ends[d])
            sort_run(pack, &(run){.from = r->other + begin,
                                  .other = r->from + begin,
                                  .count = ends[d] - begin,
                                  .stays = !r->stays});
}

static void sort_run(const toi_key_packing *pack, const run *r)
{
    int left = varying_bits(pack, r->from, r->count);
    bool is_short = r->count <= TOI_BRIEF_RUN;
    if (!is_short && left > 0) {
        split_run(pack, r, left);
    } else if (is_short && left > 0 && left <= TOI_RANKED_BITS) {
        toi_brief held[TOI_BRIEF_RUN];
        rank_run(pack, r->from, r->count, r->stays ? held : r->other);
        if (r->stays)
            memcpy(r->from, held, (size_t)r->count * sizeof *held);
    } else {
        if (left > 0)
            toi_sort_in_place(r->from, r->count, sizeof *r->from, 1, brief_key);
        if (!r->stays)
            memcpy(r->other, r->from, (size_t)r->count * sizeof *r->from);
    }
}

// ---- All of them: by the first bits, side by side

typedef struct job
{
    const toi_brief_sort *sort;
    toi_brief_order order;
    toi_digit_counts counts;
    int64_t piece; // records in each
} job;

static int64_t *row_of(const job *j, int64_t first)
{
    return j->counts.rows + first / j->piece * j->counts.stride;
}

// Of the next record.
static uint64_t first_bits(const job *j, int64_t i)
{
    if (i % LINE == 0)
        __builtin_prefetch(&j->sort->found[i + AHEAD]);
    return toi_packed_key(&j->order.pack, j->sort->found[i].key) >> j->order.left;
}

static toi_status count_digits(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    int64_t *counts = row_of(j, first);
    memset(counts, 0, (size_t)j->counts.digits * sizeof *counts);
    for (int64_t i = first; i < end; ++i)
        ++counts[first_bits(j, i)];
    return TOI_OK;
}

static toi_status scatter(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    int64_t *places = row_of(j, first);
    for (int64_t i = first; i < end; ++i)
        j->sort->sorted[places[first_bits(j, i)]++] = j->sort->found[i];
    return TOI_OK;
}

// Runs that are not put in order when they are read.
static toi_status sort_runs(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    int64_t shortest = j->order.left <= TOI_RANKED_BITS ? TOI_BRIEF_RUN + 1 : 2;
    // Where the records of the last piece, which come last, end.
    const int64_t *ends = j->counts.rows + (j->counts.pieces - 1) * j->counts.stride;
    int64_t begin = first > 0 ? ends[first - 1] : 0;
    for (int64_t d = first; d < end; begin = ends[d++])
        if (ends[d] - begin >= shortest)
            sort_run(&j->order.pack, &(run){.from = j->sort->sorted + begin,
                                            .other = j->sort->scratch + begin,
                                            .count = ends[d] - begin,
                                            .stays = true});
    return TOI_OK;
}

// What the first bits are in a key that is not packed: those of its last part stand where they do
// when it is packed.
static uint64_t mask_first(const toi_key_packing *pack, int left)
{
    int shift = left <= pack->b ? left : left <= pack->b + pack->a ? 31 + left - pack->b : 62;
    return ~(uint64_t)0 << shift;
}

// The tables, a row for each piece and one more, are no longer than half a word for each record.
static void sort_many(job *j, int workers)
{
    const toi_brief_sort *sort = j->sort;
    int64_t pieces = workers > 1 ? PIECES * (int64_t)workers : 1, most = sort->count >> 12;
    j->piece = (sort->count + pieces - 1) / (pieces < most ? pieces : most);
    pieces = (sort->count + j->piece - 1) / j->piece;
    int width = toi_width_of((uint64_t)(sort->count / 2 / (pieces + 1)));
    int bits = lesser(lesser(width - 1, MOST_FIRST), j->order.pack.all);
    int64_t digits = (int64_t)1 << bits;
    j->order.left = j->order.pack.all - bits;
    j->order.mask = mask_first(&j->order.pack, j->order.left);
    j->counts = (toi_digit_counts){sort->tables + digits, digits, (int)pieces, (int)digits};
    toi_parallel_ranges(workers, sort->count, j->piece, count_digits, j);
    toi_place_digits(&j->counts, sort->tables);
    toi_parallel_ranges(workers, sort->count, j->piece, scatter, j);
    toi_parallel_ranges(workers, digits, (digits + TASKS - 1) / TASKS, sort_runs, j);
    if (j->order.left > TOI_RANKED_BITS)
        j->order.left = 0;
}

toi_brief_order toi_sort_brief(const toi_brief_sort *sort, int workers)
{
    job j = {.sort = sort, .order.pack = toi_pack_keys(sort->all)};
    if (sort->count < SERIAL_COUNT)
        sort_run(&j.order.pack, &(run){sort->found, sort->sorted, sort->count, false});
    else
        sort_many(&j, workers);
    return j.order;
}

// ---- Reading

static bool is_run(const toi_brief_order *o, const toi_brief *a, const toi_brief *b)
{
    return ((a->key ^ b->key) & o->mask) == 0;
}

int64_t toi_between_runs(const toi_brief_order *order, const toi_brief *sorted, int64_t least,
                         int64_t at)
{
    int64_t start = at;
    if (order->left == 0)
        return at;
    while (start > least && at - start < TOI_BRIEF_RUN &&
           is_run(order, &sorted[start - 1], &sorted[at]))
        --start;
    return at - start < TOI_BRIEF_RUN ? start : at; // long runs are in order
}

int64_t toi_read_briefs(const toi_brief_order *order, const toi_brief *sorted, int64_t count,
                        toi_brief to[TOI_BRIEF_RUN])
{
    int64_t read = 0, most = count < TOI_BRIEF_RUN ? count : TOI_BRIEF_RUN;
    while (read < most && order->left > 0) {
        const toi_brief *first = sorted + read;
        int64_t length = 1;
        for (int i = 0; i < AHEAD / 2; i += LINE) // about as many as a run has
            __builtin_prefetch(&first[i + AHEAD]);
        while (length <= TOI_BRIEF_RUN && read + length < count &&
               is_run(order, &first[length], first))
            ++length;
        if (length > TOI_BRIEF_RUN)
            break; // in order
        if (read + length > most)
            return read;
        rank_run(&order->pack, first, length, to + read);
        read += length;
    }
    memcpy(to + read, sorted + read, (size_t)(most - read) * sizeof *to);
    return most;
}
