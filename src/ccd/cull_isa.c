// One candidate is four cache lines and a dozen instructions here; most candidates go no further.

#include "ccd/cull.h"

#include "base/simd.h"
#include "mesh/mesh.h"

#include <math.h>
#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
#include <immintrin.h>
#endif

// A bound of the corners of one primitive on each axis, at both ends, and whether one bound lies
// above another by more than the separation, on some axis at both ends. The rounded difference is
// above the separation only if the true one is, since rounding is monotone.
#if defined(TOI_ISA_avx512)
typedef __m512d bounds;

static inline bounds load(const toi_trajectory *t)
{
    return _mm512_load_pd(t->start);
}

static inline bounds lower(bounds a, bounds b)
{
    return _mm512_min_pd(a, b);
}

static inline bounds upper(bounds a, bounds b)
{
    return _mm512_max_pd(a, b);
}

static inline int above(bounds low, bounds high, double separation)
{
    unsigned m =
        _mm512_cmp_pd_mask(_mm512_sub_pd(low, high), _mm512_set1_pd(separation), _CMP_GT_OQ);
    return (int)(m & m >> 4);
}
#elif defined(TOI_ISA_avx2)
typedef struct bounds
{
    __m256d start, end;
} bounds;

static inline bounds load(const toi_trajectory *t)
{
    return (bounds){_mm256_load_pd(t->start), _mm256_load_pd(t->end)};
}

static inline bounds lower(bounds a, bounds b)
{
    return (bounds){_mm256_min_pd(a.start, b.start), _mm256_min_pd(a.end, b.end)};
}

static inline bounds upper(bounds a, bounds b)
{
    return (bounds){_mm256_max_pd(a.start, b.start), _mm256_max_pd(a.end, b.end)};
}

static inline int above(bounds low, bounds high, double separation)
{
    __m256d s = _mm256_set1_pd(separation);
    __m256d m = _mm256_and_pd(_mm256_cmp_pd(_mm256_sub_pd(low.start, high.start), s, _CMP_GT_OQ),
                              _mm256_cmp_pd(_mm256_sub_pd(low.end, high.end), s, _CMP_GT_OQ));
    return _mm256_movemask_pd(m);
}
#else
typedef toi_trajectory bounds;

static inline bounds load(const toi_trajectory *t)
{
    return *t;
}

static inline bounds lower(bounds a, bounds b)
{
    for (int k = 0; k < 4; ++k) {
        a.start[k] = a.start[k] < b.start[k] ? a.start[k] : b.start[k];
        a.end[k] = a.end[k] < b.end[k] ? a.end[k] : b.end[k];
    }
    return a;
}

static inline bounds upper(bounds a, bounds b)
{
    for (int k = 0; k < 4; ++k) {
        a.start[k] = a.start[k] > b.start[k] ? a.start[k] : b.start[k];
        a.end[k] = a.end[k] > b.end[k] ? a.end[k] : b.end[k];
    }
    return a;
}

static inline int above(bounds low, bounds high, double separation)
{
    int any = 0;
    for (int k = 0; k < 4; ++k)
        any |=
            (low.start[k] - high.start[k] > separation) & (low.end[k] - high.end[k] > separation);
    return any;
}
#endif

static inline int apart(const bounds *low_a, const bounds *high_a, const bounds *low_b,
                        const bounds *high_b, double separation)
{
    return above(*low_a, *high_b, separation) | above(*low_b, *high_a, separation);
}

// At least the separation of a pair: its distance at t = 0 is at most that of any two of its
// points, and the length of a vector at most the sum of its components; the last factor covers the
// roundings.
static inline double pair_separation(const toi_corner_source *s, int32_t a, int32_t b)
{
    if (!(s->relative > 0))
        return s->separation;
    const double *x = s->trajectories[a].start, *y = s->trajectories[b].start;
    double length = fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
    return fmax(s->separation, s->relative * length * (1 + 0x1p-40));
}

static inline int vertex_face_apart(const toi_corner_source *s, toi_pair pair)
{
    const int32_t *f = toi_face_at(&s->mesh->faces, pair.b);
    const bounds x = load(&s->trajectories[pair.a]);
    const bounds f0 = load(&s->trajectories[f[0]]), f1 = load(&s->trajectories[f[1]]),
                 f2 = load(&s->trajectories[f[2]]);
    const bounds low = lower(lower(f0, f1), f2), high = upper(upper(f0, f1), f2);
    return apart(&x, &x, &low, &high, pair_separation(s, pair.a, f[0]));
}

static inline int edge_edge_apart(const toi_corner_source *s, toi_pair pair)
{
    const int32_t *a = toi_edge_at(&s->mesh->edges, pair.a);
    const int32_t *b = toi_edge_at(&s->mesh->edges, pair.b);
    const bounds a0 = load(&s->trajectories[a[0]]), a1 = load(&s->trajectories[a[1]]);
    const bounds b0 = load(&s->trajectories[b[0]]), b1 = load(&s->trajectories[b[1]]);
    const bounds low_a = lower(a0, a1), high_a = upper(a0, a1);
    const bounds low_b = lower(b0, b1), high_b = upper(b0, b1);
    return apart(&low_a, &high_a, &low_b, &high_b, pair_separation(s, a[0], b[0]));
}

int64_t TOI_ISA_NAME(toi_cull_axes)(const toi_corner_source *source, toi_pair *pairs,
                                    int64_t count);

int64_t TOI_ISA_NAME(toi_cull_axes)(const toi_corner_source *source, toi_pair *pairs, int64_t count)
{
    int64_t kept = 0;
    if (source->kind == TOI_VERTEX_FACE)
        for (int64_t i = 0; i < count; ++i) {
            toi_pair pair = pairs[i];
            pairs[kept] = pair;
            kept += !vertex_face_apart(source, pair);
        }
    else
        for (int64_t i = 0; i < count; ++i) {
            toi_pair pair = pairs[i];
            pairs[kept] = pair;
            kept += !edge_edge_apart(source, pair);
        }
    return kept;
}
