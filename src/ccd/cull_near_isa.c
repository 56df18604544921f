// Culls candidates on positions in single precision, by place. It runs for `exact` alone, whose
// answers do not show which pairs it was asked about.

#define TOI_FUSED
#include "simd/fused.h" // first; then what says how many lanes there are
#include "simd/motion_rows.h"

#include "base/simd.h"
#include "ccd/margin_lanes.h"
#include "ccd/near_rows.h"

TOI_INLINE void put_near(int edge_edge, const toi_near_source *s, const toi_pair *pair, int early,
                         int lane, toi_motion_rows *rows)
{
    toi_motion_row x[4];
    toi_load_near(edge_edge, s, pair, x);
    for (int c = 0; c < 4; ++c) {
        if (early) {
            const float t = toi_float_above(s->t_max);
            toi_motion_row start = __builtin_shufflevector(x[c], x[c], 0, 1, 2, 3, 0, 1, 2, 3);
            toi_motion_row steps = {0, 0, 0, 0, t, t, t, t};
            x[c] = start + (x[c] - start) * steps;
        }
    }
    rows->p[lane] = TOI_P_OF(edge_edge, x);
    rows->e[lane] = TOI_E_OF(edge_edge, x);
    rows->g[lane] = TOI_G_OF(edge_edge, x);
}

// The same as toi_try_direction() of kernel/separation.h, by the signs of d.E and d.G:
// docs/exact.md, section 2.
TOI_INLINE toi_mask try_signs(int edge_edge, toi_pair_vector *v)
{
    toi_real at_end[3], slack = toi_direction_slack(&v->m, v->near.f, &v->separation);
    toi_real low =
        toi_lowest_point(edge_edge, v->m.p[0], v->m.e[0], v->m.g[0], v->near.f, v->lowest);
    toi_real end = toi_lowest_point(edge_edge, v->m.p[1], v->m.e[1], v->m.g[1], v->near.f, at_end);
    toi_mask later = TOI_TEST(end < low);
    for (int k = 0; k < 3; ++k)
        v->lowest[k] = TOI_SELECT(later, at_end[k], v->lowest[k]);
    return TOI_TEST(low > slack) & TOI_TEST(end > slack);
}

// In a short step the direction to the nearest points half way through it nearly always separates,
// if any does.
TOI_INLINE void separate_near(int edge_edge, toi_pair_vector *v, int count)
{
    for (int i = 0; i < count; ++i) {
        const toi_pair_motion *m = &v[i].m;
        toi_real p[3], e[3], g[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = 0.5f * (m->p[0][k] + m->p[1][k]);
            e[k] = 0.5f * (m->e[0][k] + m->e[1][k]);
            g[k] = 0.5f * (m->g[0][k] + m->g[1][k]);
        }
        toi_find_near_point(edge_edge, p, e, g, &v[i].near);
    }
    for (int i = 0; i < count; ++i)
        v[i].apart = try_signs(edge_edge, &v[i]);
    for (int step = 0; step < 2 && toi_are_many_left(v, count); ++step)
        for (int i = 0; i < count; ++i) {
            toi_gilbert_step(v[i].near.f, v[i].lowest);
            v[i].apart |= try_signs(edge_edge, &v[i]);
        }
}

TOI_INLINE int64_t try_near(int edge_edge, const toi_near_source *s, const toi_distances *d,
                            const toi_pair *pairs, int64_t count, int vectors, int early,
                            int euclidean, float error, toi_pair *kept)
{
    toi_pair_vector v[TOI_TOGETHER];
    toi_motion_rows rows;
    for (int k = 0; k < vectors; ++k) {
        for (int lane = 0; lane < TOI_LANES; ++lane) {
            int64_t at = k * TOI_LANES + lane;
            put_near(edge_edge, s, &pairs[at < count ? at : 0], early, lane, &rows);
            rows.separation[lane] = error;
        }
        v[k].wild = toi_load_motion(&rows, &v[k].m, &v[k].separation);
        v[k].inside = v[k].wild ^ v[k].wild;
    }
    if (euclidean)
        toi_separate_by_margin(edge_edge, d, v, vectors);
    else
        separate_near(edge_edge, v, vectors);
    int64_t written = 0;
    for (int k = 0; k < vectors; ++k) {
        int64_t first = k * TOI_LANES,
                lanes = count - first < TOI_LANES ? count - first : TOI_LANES;
        unsigned all = (1u << lanes) - 1, left = toi_mask_word(~v[k].apart | v[k].wild) & all;
        unsigned aside =
            euclidean && s->inside ? toi_mask_word(v[k].inside & ~v[k].wild) & left : 0;
        if (aside)
            toi_set_aside(&pairs[first], aside, s->inside);
        written += toi_copy_lanes(&pairs[first], left & ~aside, &kept[written]);
    }
    return written;
}

TOI_INLINE int64_t cull_near(int edge_edge, const toi_near_source *s, toi_pair *pairs,
                             int64_t count, int early, int euclidean)
{
    // docs/exact.md, section 2: where the motion is stopped early there are more roundings.
    const float error = early ? s->error * 2.25f : s->error;
    const toi_distances d = toi_take_distances(s->separation, s->relative, TOI_ROOT_3 * error);
    int64_t kept = 0, i = 0;
    for (; count - i > (TOI_TOGETHER - 1) * TOI_LANES; i += TOI_TOGETHER * TOI_LANES)
        kept += try_near(edge_edge, s, &d, &pairs[i], count - i, TOI_TOGETHER, early, euclidean,
                         error, &pairs[kept]);
    for (; i < count; i += TOI_LANES)
        kept += try_near(edge_edge, s, &d, &pairs[i], count - i, 1, early, euclidean, error,
                         &pairs[kept]);
    return kept;
}

TOI_INLINE int64_t cull_near_kind(int edge_edge, const toi_near_source *s, toi_pair *pairs,
                                  int64_t count, int euclidean)
{
    return s->t_max < 0x1p-5 ? cull_near(edge_edge, s, pairs, count, 1, euclidean)
                             : cull_near(edge_edge, s, pairs, count, 0, euclidean);
}

toi_cull_near_fn TOI_ISA_NAME(toi_cull_near);
int64_t TOI_ISA_NAME(toi_cull_near)(const toi_near_source *s, toi_pair *pairs, int64_t count)
{
    if (s->kind == TOI_EDGE_EDGE)
        return s->euclidean ? cull_near_kind(1, s, pairs, count, 1)
                            : cull_near_kind(1, s, pairs, count, 0);
    return s->euclidean ? cull_near_kind(0, s, pairs, count, 1)
                        : cull_near_kind(0, s, pairs, count, 0);
}
