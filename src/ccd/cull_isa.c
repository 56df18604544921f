// One candidate is two cache lines and a dozen instructions on the axes; most go no further.

#include "kernel/rows.h"

#include "base/simd.h"
#include "ccd/cull.h"
#include "mesh/mesh.h"

// At least the separation of a pair: its distance at t = 0 is at most that of any two of its
// points, and the length of a vector at most the sum of its components; the last factor covers the
// roundings.
static inline float pair_separation(const toi_cull_source *s, toi_pair pair)
{
    int32_t a = s->kind == TOI_EDGE_EDGE ? toi_edge_at(&s->mesh->edges, pair.a)[0] : pair.a;
    int32_t b = s->kind == TOI_EDGE_EDGE ? toi_edge_at(&s->mesh->edges, pair.b)[0]
                                         : toi_face_at(&s->mesh->faces, pair.b)[0];
    const double *x = s->trajectories[a].start, *y = s->trajectories[b].start;
    double length = fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
    return toi_round_separation(fmax(s->separation, s->relative * length * (1 + 0x1p-40)));
}

typedef float line __attribute__((vector_size(64)));

static inline void lower_line(line *least, const toi_bounds *other)
{
    line x;
    memcpy(&x, other, sizeof x);
    typedef int32_t line_mask __attribute__((vector_size(64)));
    line_mask below = x < *least;
    *least = (line)((below & (line_mask)x) | (~below & (line_mask)*least));
}

toi_bound_primitives TOI_ISA_NAME(toi_bound_primitives);
void TOI_ISA_NAME(toi_bound_primitives)(const toi_bounds *vertices, const toi_index_view *view,
                                        int corners, int64_t first, int64_t end, toi_bounds *bounds)
{
    for (int64_t i = first; i < end; ++i) {
        const int32_t *at = corners == 2 ? toi_edge_at(view, i) : toi_face_at(view, i);
        line least;
        memcpy(&least, &vertices[at[0]], sizeof least);
        lower_line(&least, &vertices[at[1]]);
        lower_line(&least, &vertices[at[corners - 1]]);
        memcpy(&bounds[i], &least, sizeof least);
    }
}

enum
{
    AHEAD = 16
};

// low - high of the one and low - high of the other, on the three axes, as rounded: above the
// separation only if the true gap is, since the bounds are rounded outward and rounding is
// monotone. Apart where such a gap is open at both ends of the step.
#if defined(TOI_ISA_avx512)
static inline int axes_apart(const toi_bounds *a, const toi_bounds *b, float separation)
{
    __m512 y = _mm512_load_ps(b);
    __m512 gaps = _mm512_add_ps(_mm512_load_ps(a), _mm512_shuffle_f32x4(y, y, 0xB1));
    unsigned open = _mm512_cmp_ps_mask(gaps, _mm512_set1_ps(separation), _CMP_GT_OQ);
    return (open & open >> 8) != 0;
}
#endif

typedef int32_t row_mask __attribute__((vector_size(32)));

static inline int any_in_row(row_mask mask)
{
#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
    return _mm256_movemask_ps((__m256)mask) != 0;
#else
    int32_t any = 0;
    for (int i = 0; i < 8; ++i)
        any |= mask[i];
    return any != 0;
#endif
}

static inline toi_row gaps_at(const toi_bounds *a, const toi_bounds *b, int end)
{
    toi_row x, y;
    memcpy(&x, a->at[end], sizeof x);
    memcpy(&y, b->at[end], sizeof y);
    return x + __builtin_shufflevector(y, y, 4, 5, 6, 7, 0, 1, 2, 3);
}

#if !defined(TOI_ISA_avx512)
static inline int axes_apart(const toi_bounds *a, const toi_bounds *b, float separation)
{
    return any_in_row((gaps_at(a, b, 0) > separation) & (gaps_at(a, b, 1) > separation));
}
#endif

// The same for contacts up to t. A gap shrinks no faster than in proportion to the time; the slack
// covers five roundings.
static inline int axes_apart_until(const toi_bounds *a, const toi_bounds *b, float t,
                                   float separation)
{
    toi_row start = gaps_at(a, b, 0), end = gaps_at(a, b, 1);
    toi_row size = (toi_row)((row_mask)end & INT32_MAX);
    toi_row then = start + t * (end - start) - (start + t * size) * 0x1p-20f;
    return any_in_row((start > separation) & (then > separation));
}

TOI_INLINE int64_t cull_axes(const toi_cull_source *s, toi_pair *pairs, int64_t count, int relative,
                             int early)
{
    int64_t kept = 0;
    float separation = toi_round_separation(s->separation);
    float t = (float)s->t_max * (1 + 0x1p-22f);
    for (int64_t i = 0; i < count; ++i) {
        toi_pair pair = pairs[i];
        // The second primitives jump about in memory: ask for them ahead.
        __builtin_prefetch(&s->b[pairs[i + AHEAD < count ? i + AHEAD : i].b]);
        if (relative)
            separation = pair_separation(s, pair);
        const toi_bounds *a = &s->a[pair.a], *b = &s->b[pair.b];
        int apart = early ? axes_apart_until(a, b, t, separation) : axes_apart(a, b, separation);
        pairs[kept] = pair;
        kept += !apart;
    }
    return kept;
}

TOI_INLINE void find_corners(int edge_edge, const toi_cull_source *s, const toi_pair *pair,
                             const toi_trajectory *corners[4])
{
    const int32_t *a = edge_edge ? toi_edge_at(&s->mesh->edges, pair->a) : &pair->a;
    const int32_t *b =
        edge_edge ? toi_edge_at(&s->mesh->edges, pair->b) : toi_face_at(&s->mesh->faces, pair->b);
    int first = edge_edge ? 2 : 1;
    for (int c = 0; c < 4; ++c)
        corners[c] = &s->trajectories[c < first ? a[c] : b[c - first]];
}

// The corners of a pair as rows of differences, up to t_max.
TOI_INLINE void load_rows(int edge_edge, const toi_cull_source *s, toi_pair pair, int lane,
                          int early, toi_rows *rows)
{
    const toi_trajectory *corners[4];
    find_corners(edge_edge, s, &pair, corners);
    toi_wide_row x[4], p, e, g;
    for (int c = 0; c < 4; ++c)
        memcpy(&x[c], corners[c], sizeof x[c]);
    p = edge_edge ? x[0] - x[2] : x[0] - x[1];
    e = edge_edge ? x[1] - x[0] : x[1] - x[2];
    g = edge_edge ? x[2] - x[3] : x[1] - x[3];
    if (early) {
        toi_stop_row(&p, s->t_max);
        toi_stop_row(&e, s->t_max);
        toi_stop_row(&g, s->t_max);
    }
    toi_put_row(&p, &rows->p[lane]);
    toi_put_row(&e, &rows->e[lane]);
    toi_put_row(&g, &rows->g[lane]);
    if (s->relative > 0)
        rows->separation[lane] = pair_separation(s, pair);
}

TOI_INLINE int64_t cull_directions(int edge_edge, const toi_cull_source *s, toi_pair *pairs,
                                   int64_t count, int early)
{
    int64_t kept = 0;
    toi_rows rows;
    memset(&rows, 0, sizeof rows);
    for (int i = 0; i < TOI_LANES; ++i)
        rows.separation[i] = toi_round_separation(s->separation);
    for (int64_t first = 0; first < count; first += TOI_LANES) {
        int lanes = count - first < TOI_LANES ? (int)(count - first) : TOI_LANES;
        for (int i = 0; i < lanes; ++i)
            load_rows(edge_edge, s, pairs[first + i], i, early, &rows);
        for (int64_t i = first + TOI_LANES; i < first + 2 * TOI_LANES && i < count; ++i) {
            const toi_trajectory *corners[4];
            find_corners(edge_edge, s, &pairs[i], corners);
            for (int c = 0; c < 4; ++c)
                __builtin_prefetch(corners[c]);
        }
        toi_motion m;
        toi_real separation;
        toi_mask wild = toi_load_motion(&rows, &m, &separation);
        unsigned left = toi_mask_word(~toi_separated(edge_edge, &m, &separation) | wild);
        left &= (1u << lanes) - 1;
        for (; left; left &= left - 1)
            pairs[kept++] = pairs[first + __builtin_ctz(left)];
    }
    return kept;
}

toi_cull_pairs TOI_ISA_NAME(toi_cull_pairs);
int64_t TOI_ISA_NAME(toi_cull_pairs)(const toi_cull_source *source, toi_pair *pairs, int64_t count)
{
    toi_cull_source s = *source;
    int early = s.t_max < 1;
    if (s.relative > 0)
        count = cull_axes(&s, pairs, count, 1, 0);
    else if (early)
        count = cull_axes(&s, pairs, count, 0, 1);
    else
        count = cull_axes(&s, pairs, count, 0, 0);
    if (s.kind == TOI_EDGE_EDGE)
        return early ? cull_directions(1, &s, pairs, count, 1)
                     : cull_directions(1, &s, pairs, count, 0);
    return early ? cull_directions(0, &s, pairs, count, 1)
                 : cull_directions(0, &s, pairs, count, 0);
}
