// On the axes one candidate is two or four cache lines and a dozen instructions; most go no
// further.

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "base/simd.h"
#include "ccd/cull.h"
#include "mesh/mesh.h"

enum
{
    AHEAD = 16
};

TOI_INLINE void find_corners(int edge_edge, const toi_cull_source *s, const toi_pair *pair,
                             const toi_moving_vertex *corners[4])
{
    const int32_t *a = edge_edge ? toi_edge_at(&s->mesh->edges, pair->a) : &pair->a;
    const int32_t *b =
        edge_edge ? toi_edge_at(&s->mesh->edges, pair->b) : toi_face_at(&s->mesh->faces, pair->b);
    int first = edge_edge ? 2 : 1;
    for (int c = 0; c < 4; ++c)
        corners[c] = &s->trajectories[c < first ? a[c] : b[c - first]];
}

// Corners jump about in memory: they are asked for ahead.
TOI_INLINE void prefetch_corners(int edge_edge, const toi_cull_source *s, const toi_pair *pair)
{
    const toi_moving_vertex *corners[4];
    find_corners(edge_edge, s, pair, corners);
    for (int c = 0; c < 4; ++c)
        __builtin_prefetch(corners[c]);
}

// At least the separation of a pair: its distance at t = 0 is at most that of any two of its
// points, and the length of a vector at most the sum of its components; the last factor covers the
// roundings.
static inline double pair_separation(int edge_edge, const toi_cull_source *s,
                                     const toi_moving_vertex *const corners[4])
{
    if (!(s->relative > 0))
        return s->separation;
    const double *x = corners[0]->start, *y = corners[edge_edge ? 2 : 1]->start;
    double length = fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
    return fmax(s->separation, s->relative * length * (1 + 0x1p-40));
}

// ---- Axes

#if defined(TOI_ISA_avx512)
#define WIDE_MIN(a, b) ((toi_wide_motion_row)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define WIDE_MAX(a, b) ((toi_wide_motion_row)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif defined(TOI_ISA_avx2)
typedef double half_row __attribute__((vector_size(32)));
#define LOW_HALF(a) ((__m256d)__builtin_shufflevector(a, a, 0, 1, 2, 3))
#define HIGH_HALF(a) ((__m256d)__builtin_shufflevector(a, a, 4, 5, 6, 7))
#define JOIN(a, b) __builtin_shufflevector((half_row)(a), (half_row)(b), 0, 1, 2, 3, 4, 5, 6, 7)
#define WIDE_MIN(a, b)                                                                             \
    JOIN(_mm256_min_pd(LOW_HALF(a), LOW_HALF(b)), _mm256_min_pd(HIGH_HALF(a), HIGH_HALF(b)))
#define WIDE_MAX(a, b)                                                                             \
    JOIN(_mm256_max_pd(LOW_HALF(a), LOW_HALF(b)), _mm256_max_pd(HIGH_HALF(a), HIGH_HALF(b)))
#else
typedef int64_t wide_mask __attribute__((vector_size(64)));
#define WIDE_SELECT(mask, a, b)                                                                    \
    ((toi_wide_motion_row)(((wide_mask)(mask) & (wide_mask)(a)) |                                  \
                           (~(wide_mask)(mask) & (wide_mask)(b))))
#define WIDE_MIN(a, b) WIDE_SELECT((a) < (b), a, b)
#define WIDE_MAX(a, b) WIDE_SELECT((a) > (b), a, b)
#endif

// Is a gap above the separation on some axis, at both ends of the step?
static inline int stays_open(toi_wide_motion_row gaps, double separation)
{
#if defined(TOI_ISA_avx512)
    unsigned open = _mm512_cmp_pd_mask((__m512d)gaps, _mm512_set1_pd(separation), _CMP_GT_OQ);
    return (open & open >> 4) != 0;
#elif defined(TOI_ISA_avx2)
    __m256d start = LOW_HALF(gaps), end = HIGH_HALF(gaps), s = _mm256_set1_pd(separation);
    return _mm256_movemask_pd(_mm256_and_pd(_mm256_cmp_pd(start, s, _CMP_GT_OQ),
                                            _mm256_cmp_pd(end, s, _CMP_GT_OQ))) != 0;
#else
    int open = 0;
    for (int k = 0; k < 3; ++k)
        open |= (gaps[k] > separation) & (gaps[k + 4] > separation);
    return open;
#endif
}

// Closes the gaps as far as they may close until t: in proportion to the time. The slack covers
// five roundings (docs/exact.md, section 1).
static inline toi_wide_motion_row close_gaps(toi_wide_motion_row gaps, double t)
{
    toi_wide_motion_row start = __builtin_shufflevector(gaps, gaps, 0, 1, 2, 3, 0, 1, 2, 3);
    toi_wide_motion_row steps = {0, 0, 0, 0, t, t, t, t};
    toi_wide_motion_row size = WIDE_MAX(gaps, -gaps);
    return start + steps * (gaps - start) - (start + steps * size) * 0x1p-49;
}

// The least gap between corners of the one and corners of the other, upwards and downwards.
// Rounding is monotone: a rounded gap is above the separation only if the true one is.
TOI_INLINE int axes_apart(int edge_edge, const toi_wide_motion_row x[4], double t_max, int early,
                          double separation)
{
    toi_wide_motion_row low_a = edge_edge ? WIDE_MIN(x[0], x[1]) : x[0];
    toi_wide_motion_row high_a = edge_edge ? WIDE_MAX(x[0], x[1]) : x[0];
    toi_wide_motion_row low_b = WIDE_MIN(x[2], x[3]), high_b = WIDE_MAX(x[2], x[3]);
    low_b = edge_edge ? low_b : WIDE_MIN(low_b, x[1]);
    high_b = edge_edge ? high_b : WIDE_MAX(high_b, x[1]);
    toi_wide_motion_row above = low_a - high_b, below = low_b - high_a;
    if (early) {
        above = close_gaps(above, t_max);
        below = close_gaps(below, t_max);
    }
    return stays_open(above, separation) | stays_open(below, separation);
}

// The same from bounds, for separation 0: they are rounded outward, and a sum of two floats has the
// right sign. So what bounds separate, the axes in double separate too.
static inline int bounds_apart(const toi_end_boxes *a, const toi_end_boxes *b)
{
#if defined(TOI_ISA_avx512)
    __m512 y = _mm512_load_ps(b);
    __m512 gaps = _mm512_add_ps(_mm512_load_ps(a), _mm512_shuffle_f32x4(y, y, 0xB1));
    unsigned open = _mm512_cmp_ps_mask(gaps, _mm512_setzero_ps(), _CMP_GT_OQ);
    return (open & open >> 8) != 0;
#elif defined(TOI_ISA_avx2)
    __m256 open[2];
    for (int end = 0; end < 2; ++end) {
        __m256 y = _mm256_load_ps(b->at[end][0]);
        __m256 gaps = _mm256_add_ps(_mm256_load_ps(a->at[end][0]), _mm256_permute2f128_ps(y, y, 1));
        open[end] = _mm256_cmp_ps(gaps, _mm256_setzero_ps(), _CMP_GT_OQ);
    }
    return _mm256_movemask_ps(_mm256_and_ps(open[0], open[1])) != 0;
#else
    int open = 0;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            open |= (a->at[0][side][k] + b->at[0][1 - side][k] > 0) &
                    (a->at[1][side][k] + b->at[1][1 - side][k] > 0);
    return open;
#endif
}

static inline toi_motion_row gaps_at(const toi_end_boxes *a, const toi_end_boxes *b, int end)
{
    toi_motion_row x, y;
    memcpy(&x, a->at[end], sizeof x);
    memcpy(&y, b->at[end], sizeof y);
    return x + __builtin_shufflevector(y, y, 4, 5, 6, 7, 0, 1, 2, 3);
}

// Up to t, as close_gaps(); t is not so small that it underflows.
static inline int bounds_apart_until(const toi_end_boxes *a, const toi_end_boxes *b, float t)
{
    typedef int32_t row_mask __attribute__((vector_size(32)));
    toi_motion_row start = gaps_at(a, b, 0), end = gaps_at(a, b, 1);
    toi_motion_row size = (toi_motion_row)((row_mask)end & INT32_MAX);
    toi_motion_row then = start + t * (end - start) - (start + t * size) * 0x1p-20f;
    row_mask open = (start > 0) & (then > 0);
#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
    return _mm256_movemask_ps((__m256)open) != 0;
#else
    int32_t any = 0;
    for (int i = 0; i < 8; ++i)
        any |= open[i];
    return any != 0;
#endif
}

TOI_INLINE int64_t cull_bounds(const toi_cull_source *s, toi_pair *pairs, int64_t count, int early)
{
    int64_t kept = 0, last = count > AHEAD ? count - AHEAD : 0;
    float t = (float)s->t_max * (1 + 0x1p-22f);
    for (int64_t i = 0; i < count; ++i) {
        if (i < last)
            __builtin_prefetch(&s->b[pairs[i + AHEAD].b]);
        toi_pair pair = pairs[i];
        const toi_end_boxes *a = &s->a[pair.a], *b = &s->b[pair.b];
        pairs[kept] = pair;
        kept += !(early ? bounds_apart_until(a, b, t) : bounds_apart(a, b));
    }
    return kept;
}

// Numbers not above x: zero as it is, others by one to three units of the last place below. No
// denormals, which are slow to compute with.
static inline toi_motion_row round_out(toi_wide_motion_row x)
{
    typedef int32_t row_mask __attribute__((vector_size(32)));
    toi_motion_row nearest = __builtin_convertvector(x, toi_motion_row);
    toi_motion_row size = (toi_motion_row)((row_mask)nearest & INT32_MAX), least = {0};
    row_mask some = __builtin_convertvector(x != 0, row_mask);
    least = (toi_motion_row)(some & (row_mask)(least + 0x1p-126f));
    return nearest - (size * 0x1p-23f + least);
}

static void bound_corners(const toi_moving_vertex *const corners[3], int count,
                          toi_end_boxes *bounds)
{
    toi_wide_motion_row low, high, x;
    memcpy(&low, corners[0], sizeof low);
    high = low;
    for (int c = 1; c < count; ++c) {
        memcpy(&x, corners[c], sizeof x);
        low = WIDE_MIN(low, x);
        high = WIDE_MAX(high, x);
    }
    toi_motion_row lows = round_out(low), highs = round_out(-high);
    toi_motion_row start = __builtin_shufflevector(lows, highs, 0, 1, 2, 3, 8, 9, 10, 11);
    toi_motion_row end = __builtin_shufflevector(lows, highs, 4, 5, 6, 7, 12, 13, 14, 15);
    memcpy(bounds->at[0], &start, sizeof start);
    memcpy(bounds->at[1], &end, sizeof end);
}

toi_fill_bounds_fn TOI_ISA_NAME(toi_fill_bounds);
void TOI_ISA_NAME(toi_fill_bounds)(const toi_cull_source *s, toi_primitive primitive,
                                   toi_end_boxes *bounds)
{
    const toi_mesh *mesh = s->mesh;
    int64_t count = primitive == TOI_VERTEX ? mesh->start.count
                    : primitive == TOI_EDGE ? mesh->edges.count
                                            : mesh->faces.count;
    int corner_count = primitive == TOI_VERTEX ? 1 : primitive == TOI_EDGE ? 2 : 3;
    for (int64_t i = 0; i < count; ++i) {
        const int32_t vertex = (int32_t)i;
        const int32_t *at = primitive == TOI_VERTEX ? &vertex
                            : primitive == TOI_EDGE ? toi_edge_at(&mesh->edges, i)
                                                    : toi_face_at(&mesh->faces, i);
        const toi_moving_vertex *corners[3];
        for (int c = 0; c < corner_count; ++c)
            corners[c] = &s->trajectories[at[c]];
        bound_corners(corners, corner_count, &bounds[i]);
    }
}

// ---- Directions

// Candidates that are tried together.
typedef struct company
{
    toi_motion_rows rows;
    toi_pair pairs[TOI_LANES];
    int count;
} company;

// The corners of a pair as rows of differences, up to t_max.
TOI_INLINE void put_rows(int edge_edge, const toi_wide_motion_row x[4], double t_max, int early,
                         int lane, toi_motion_rows *rows)
{
    toi_wide_motion_row p = edge_edge ? x[0] - x[2] : x[0] - x[1];
    toi_wide_motion_row e = edge_edge ? x[1] - x[0] : x[1] - x[2];
    toi_wide_motion_row g = edge_edge ? x[2] - x[3] : x[1] - x[3];
    if (early) {
        toi_stop_row(&p, t_max);
        toi_stop_row(&e, t_max);
        toi_stop_row(&g, t_max);
    }
    toi_put_row(&p, &rows->p[lane]);
    toi_put_row(&e, &rows->e[lane]);
    toi_put_row(&g, &rows->g[lane]);
}

// Writes those that no direction separates to `pairs`; returns how many.
TOI_INLINE int64_t try_directions(int edge_edge, company *c, toi_pair *pairs)
{
    toi_motion m;
    toi_real separation;
    toi_mask wild = toi_load_motion(&c->rows, &m, &separation);
    unsigned left = toi_mask_word(~toi_separated(edge_edge, &m, &separation) | wild);
    int64_t kept = 0;
    for (left &= (1u << c->count) - 1; left; left &= left - 1)
        pairs[kept++] = c->pairs[__builtin_ctz(left)];
    c->count = 0;
    return kept;
}

// `axes`: these have not been tried on bounds.
TOI_INLINE int64_t cull_directions(int edge_edge, const toi_cull_source *s, toi_pair *pairs,
                                   int64_t count, int early, int axes)
{
    int64_t kept = 0, last = count > AHEAD ? count - AHEAD : 0;
    company c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < TOI_LANES; ++i)
        c.rows.separation[i] = toi_round_separation(s->separation);
    for (int64_t i = 0; i < count; ++i) {
        if (i < last)
            prefetch_corners(edge_edge, s, &pairs[i + AHEAD]);
        const toi_moving_vertex *corners[4];
        toi_wide_motion_row x[4];
        c.pairs[c.count] = pairs[i];
        find_corners(edge_edge, s, &c.pairs[c.count], corners);
        for (int k = 0; k < 4; ++k)
            memcpy(&x[k], corners[k], sizeof x[k]);
        double separation = pair_separation(edge_edge, s, corners);
        if (s->relative > 0)
            c.rows.separation[c.count] = toi_round_separation(separation);
        int apart = axes && axes_apart(edge_edge, x, s->t_max, early, separation);
        if (early && apart) // nearly always; else it is as well to go on
            continue;
        put_rows(edge_edge, x, s->t_max, early, c.count, &c.rows);
        c.count += !apart;
        if (c.count == TOI_LANES)
            kept += try_directions(edge_edge, &c, pairs + kept);
    }
    return c.count > 0 ? kept + try_directions(edge_edge, &c, pairs + kept) : kept;
}

TOI_INLINE int64_t cull_pairs(int edge_edge, const toi_cull_source *s, toi_pair *pairs,
                              int64_t count, int early)
{
    bool bounded = s->b && !(s->separation > 0) && !(s->relative > 0);
    if (bounded)
        count = cull_bounds(s, pairs, count, early);
    if (bounded && !s->alike)
        return cull_directions(edge_edge, s, pairs, count, early, 0);
    return cull_directions(edge_edge, s, pairs, count, early, 1);
}

toi_cull_pairs_fn TOI_ISA_NAME(toi_cull_pairs);
int64_t TOI_ISA_NAME(toi_cull_pairs)(const toi_cull_source *source, toi_pair *pairs, int64_t count)
{
    bool early = source->t_max < 0x1p-5; // measured: a longer step may as well be taken whole
    if (source->kind == TOI_EDGE_EDGE)
        return early ? cull_pairs(1, source, pairs, count, 1)
                     : cull_pairs(1, source, pairs, count, 0);
    return early ? cull_pairs(0, source, pairs, count, 1) : cull_pairs(0, source, pairs, count, 0);
}
