// Gives boxes their keys on the curve, sorts by them, and again inside of crowded cells.

#include "broad/tree/curve.h"

#include "base/radix_sort.h"
#include "base/simd.h"

#include <math.h>

toi_curve_keys_fn toi_curve_keys_baseline, toi_curve_keys_avx2, toi_curve_keys_avx512;

static toi_curve_keys_fn *curve_kernel(void)
{
    static toi_curve_keys_fn *const kernels[TOI_SIMD_COUNT] = TOI_ISA_TABLE(toi_curve_keys);
    return kernels[toi_simd_level()];
}

enum
{
    SPAN = 2048,    // boxes whose extents are added up apart: part of the answer
    SAMPLES = 1024, // blocks
    CURVE_BITS = 10,
    CROWD = 64, // boxes in one cell that are worth a curve of their own
    LOOK = 256 * CROWD,
    SMALL_CROWD = 2048,
    CROWD_DEPTH = 8, // each curve is a thousand times finer than the last
    CLASS_SHIFT = 62 // the size class, above the place on the curve
};

uint64_t toi_size_class(const toi_box_row *row, double mean)
{
    double extent = toi_largest_extent(row);
    int size = (extent > TOI_LARGE * mean) + (extent > 8 * TOI_LARGE * mean) +
               (extent > 64 * TOI_LARGE * mean);
    return (uint64_t)size << CLASS_SHIFT;
}

// What a curve must cover: twice the centres of some boxes, and the sum of their extents.
typedef struct span
{
    double low[3];
    double high[3];
    double extents;
} span;

static void start_span(span *s)
{
    *s = (span){.extents = 0};
    for (int k = 0; k < 3; ++k) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
}

static inline void cover_row(span *s, const toi_box_row *row)
{
    for (int k = 0; k < 3; ++k) {
        double centre = (double)(*row)[k] - (double)(*row)[4 + k];
        s->low[k] = centre < s->low[k] ? centre : s->low[k];
        s->high[k] = centre > s->high[k] ? centre : s->high[k];
    }
    s->extents += toi_largest_extent(row);
}

static void join_spans(span *s, const span *other)
{
    for (int k = 0; k < 3; ++k) {
        s->low[k] = other->low[k] < s->low[k] ? other->low[k] : s->low[k];
        s->high[k] = other->high[k] > s->high[k] ? other->high[k] : s->high[k];
    }
    s->extents += other->extents;
}

static toi_curve fit_curve(const span *s)
{
    toi_curve curve = {.origin = {s->low[0], s->low[1], s->low[2]}, .bits = CURVE_BITS};
    double widest = 0;
    for (int k = 0; k < 3; ++k)
        widest = s->high[k] - s->low[k] > widest ? s->high[k] - s->low[k] : widest;
    curve.scale = widest > 0 ? (1 << CURVE_BITS) / widest : 0;
    return curve;
}

// Sorts a few keys.
static void shell_sort(uint64_t *keys, int64_t count)
{
    for (int64_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < count; ++i) {
            uint64_t key = keys[i];
            int64_t j = i;
            for (; j >= gap && keys[j - gap] > key; j -= gap)
                keys[j] = keys[j - gap];
            keys[j] = key;
        }
}

typedef struct ordering
{
    const toi_box_row *rows;
    toi_curve_keys_fn *kernel;
    toi_curve curve;
    double mean;
    span *spans;
    uint64_t *keys;
    uint64_t *scratch; // to sort with
    int64_t count;
    _Atomic bool crowded; // some cell is
    int workers;
} ordering;

typedef struct crowd_keys
{
    const ordering *o;
    const toi_curve *curve;
    uint64_t *keys;
} crowd_keys;

// New keys for a piece of a crowd: its rows stand anywhere, so they are gathered by sixteens.
static toi_status key_crowd_piece(void *context, int64_t first, int64_t end)
{
    const crowd_keys *c = context;
    for (int64_t i = first; i < end; i += TOI_BLOCK) {
        toi_box_row rows[TOI_BLOCK];
        uint64_t keys[TOI_BLOCK];
        int n = end - i < TOI_BLOCK ? (int)(end - i) : TOI_BLOCK;
        for (int lane = 0; lane < n; ++lane)
            rows[lane] = c->o->rows[(uint32_t)c->keys[i + lane]];
        c->o->kernel(c->curve, rows, 0, n, keys);
        for (int lane = 0; lane < n; ++lane)
            c->keys[i + lane] = keys[lane] >> 32 << 32 | (uint32_t)c->keys[i + lane];
    }
    return TOI_OK;
}

static toi_status order_crowds(ordering *o, int64_t first, int64_t end, int depth);

// Orders keys [first, end), which stand in one cell, along a curve of their own.
static toi_status order_crowd(ordering *o, int64_t first, int64_t end, int depth)
{
    int64_t count = end - first;
    span crowd;
    start_span(&crowd);
    for (int64_t i = first; i < end; ++i)
        cover_row(&crowd, &o->rows[(uint32_t)o->keys[i]]);
    toi_curve curve = fit_curve(&crowd);
    if (curve.scale == 0 || !isfinite(curve.scale))
        return TOI_OK;
    crowd_keys work = {o, &curve, o->keys + first};
    toi_status status = toi_parallel_ranges(o->workers, count, TOI_PIECE, key_crowd_piece, &work);
    if (status != TOI_OK)
        return status;
    if (count <= SMALL_CROWD)
        shell_sort(o->keys + first, count);
    else
        toi_radix_sort_with(o->keys + first, o->scratch, count, ~(uint64_t)0 << 32, o->workers);
    return order_crowds(o, first, end, depth + 1);
}

static bool same_cell(const ordering *o, int64_t i, int64_t j)
{
    return o->keys[i] >> 32 == o->keys[j] >> 32;
}

// Looks at every CROWD-th key only: a crowd of twice as many cannot hide between them.
static toi_status order_crowds(ordering *o, int64_t first, int64_t end, int depth)
{
    if (depth > CROWD_DEPTH)
        return TOI_OK;
    int64_t done = first;
    for (int64_t i = first; i + CROWD<end; i = i + CROWD> done ? i + CROWD : done) {
        if (!same_cell(o, i, i + CROWD))
            continue;
        int64_t from = i, next = i + CROWD;
        while (from > done && same_cell(o, from - 1, i))
            --from;
        while (next < end && same_cell(o, next, i))
            ++next;
        toi_status status = order_crowd(o, from, next, depth);
        if (status != TOI_OK)
            return status;
        done = next;
    }
    return TOI_OK;
}

// The same look, by all workers: most often there is no crowd.
static toi_status look_for_crowds(void *context, int64_t first, int64_t end)
{
    ordering *o = context;
    bool crowded = false;
    for (int64_t i = first; i < end && i + CROWD < o->count; i += CROWD)
        crowded |= same_cell(o, i, i + CROWD);
    if (crowded)
        o->crowded = true;
    return TOI_OK;
}

static toi_status span_piece(void *context, int64_t first, int64_t end)
{
    ordering *o = context;
    span s;
    start_span(&s);
    for (int64_t i = first; i < end; ++i)
        cover_row(&s, &o->rows[i]);
    o->spans[first / SPAN] = s;
    return TOI_OK;
}

static toi_status key_piece(void *context, int64_t first, int64_t end)
{
    ordering *o = context;
    o->kernel(&o->curve, o->rows, first, end - first, o->keys);
    for (int64_t i = first; i < end; ++i)
        o->keys[i] |= toi_size_class(&o->rows[i], o->mean);
    return TOI_OK;
}

static int64_t span_words(int64_t count)
{
    return (count + SPAN - 1) / SPAN * (int64_t)(sizeof(span) / sizeof(uint64_t));
}

int64_t toi_order_words(int64_t count, int workers)
{
    return span_words(count) + toi_radix_words(count, workers);
}

toi_status toi_order_rows(const toi_box_row *rows, int64_t count, int workers, uint64_t *keys,
                          uint64_t *scratch)
{
    int64_t spans = (count + SPAN - 1) / SPAN;
    ordering o = {.rows = rows,
                  .kernel = curve_kernel(),
                  .spans = (span *)scratch,
                  .keys = keys,
                  .scratch = scratch + span_words(count),
                  .count = count,
                  .workers = workers};
    toi_status status = toi_parallel_ranges(workers, count, SPAN, span_piece, &o);
    if (status == TOI_OK) {
        span all;
        start_span(&all);
        for (int64_t i = 0; i < spans; ++i)
            join_spans(&all, &o.spans[i]);
        o.curve = fit_curve(&all);
        o.mean = all.extents / (double)count;
        status = toi_parallel_ranges(workers, count, TOI_PIECE, key_piece, &o);
    }
    if (status != TOI_OK)
        return status;
    toi_radix_sort_with(keys, o.scratch, count, ~(uint64_t)0 << 32, workers);
    toi_parallel_ranges(workers, count, LOOK, look_for_crowds, &o); // does not fail
    return o.crowded ? order_crowds(&o, 0, count, 0) : TOI_OK;
}

double toi_mean_half(const toi_tree *tree)
{
    int64_t blocks = tree->blocks[0], samples = blocks < SAMPLES ? blocks : SAMPLES;
    double sum = 0;
    for (int64_t i = 0; i < samples; ++i) {
        const toi_box_row *halves = tree->boxes[toi_piece_start(blocks, samples, i)];
        sum += toi_largest_extent(&halves[0]) + toi_largest_extent(&halves[1]);
    }
    return sum / (2 * (double)samples);
}
