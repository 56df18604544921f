// Drops pairs, by place, that are too far apart at t = 0 to come to their share of that distance
// while a short motion lasts: farther than their corners reach, which one direction at one instant
// tells. docs/separation.md, section 2.

#define TOI_FUSED
#include "simd/fused.h" // first; then what says how many lanes there are
#include "simd/motion_rows.h"

#include "kernel/margin.h"

#include "base/simd.h"
#include "ccd/near_rows.h"
#include "simd/pair_lanes.h"

// Pairs that are tried together.
typedef struct vector
{
    toi_pair_motion m;
    toi_near_point near;
    toi_real margin;
    toi_mask wild;  // not to be trusted
    toi_mask apart; // farther apart than they reach
} vector;

TOI_INLINE unsigned lanes_of(toi_mask mask)
{
    return toi_mask_word(mask) & ((1u << TOI_LANES) - 1);
}

// Takes a direction; the next is a step of Gilbert's algorithm from it.
TOI_INLINE void try_direction(int edge_edge, vector *v)
{
    toi_real least[3], square = toi_dot(v->near.f, v->near.f);
    toi_real low = toi_lowest_point(edge_edge, v->m.p[0], v->m.e[0], v->m.g[0], v->near.f, least);
    v->apart |= TOI_TEST(low > toi_margin_slack(&v->m, v->near.f, &square, &v->margin)) &
                TOI_TEST(square > TOI_SMALL_SQUARE);
    toi_gilbert_step(v->near.f, least);
}

// Directions that show that pairs stay apart, as many as a quarter of the lanes need.
TOI_INLINE void stay_beyond(int edge_edge, vector *v, int count)
{
    for (int i = 0; i < count; ++i) {
        toi_find_near_point(edge_edge, v[i].m.p[0], v[i].m.e[0], v[i].m.g[0], &v[i].near);
        v[i].apart = TOI_TEST(v[i].m.scale < v[i].m.scale);
    }
    for (int step = 0; step < 3; ++step) {
        int left = 0;
        for (int i = 0; i < count; ++i) {
            try_direction(edge_edge, &v[i]);
            left += __builtin_popcount(lanes_of(~v[i].apart));
        }
        if (4 * left < count * TOI_LANES)
            break;
    }
}

// Pairs at t = 0: two differences side by side, and the third beside what both move and are off by.
typedef struct start_rows
{
    toi_motion_row pe[TOI_LANES], gr[TOI_LANES];
} start_rows;

TOI_INLINE toi_quad less_quad(toi_quad a, toi_quad b)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    bits less = a < b;
    return (toi_quad)((less & (bits)a) | (~less & (bits)b));
}

TOI_INLINE void put_pair(int edge_edge, const toi_near_source *s, const toi_pair *pair, int lane,
                         start_rows *rows)
{
    int32_t places[4];
    toi_quad x[4], idle[4];
    toi_find_places(edge_edge, s, pair, places);
    for (int c = 0; c < 4; ++c) {
        const float *row = s->rows[places[c]];
        toi_quad end;
        memcpy(&x[c], row, sizeof x[c]);
        memcpy(&end, row + 4, sizeof end);
        idle[c] = __builtin_shufflevector(x[c], end, 3, 7, 3, 7);
    }
    toi_quad p = TOI_P_OF(edge_edge, x), e = TOI_E_OF(edge_edge, x), g = TOI_G_OF(edge_edge, x);
    toi_quad far = less_quad(idle[2], idle[3]);
    toi_quad sum =
        edge_edge ? less_quad(idle[0], idle[1]) + far : idle[0] + less_quad(idle[1], far);
    rows->pe[lane] = __builtin_shufflevector(p, e, 0, 1, 2, 3, 4, 5, 6, 7);
    rows->gr[lane] = __builtin_shufflevector(g, sum, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Pairs that stand still, and how far they reach beyond their separation; returns the lanes that
// are not to be trusted.
TOI_INLINE toi_mask load_start(const start_rows *rows, float share, toi_pair_motion *m,
                               toi_real *reach)
{
    toi_real pe[2][3], gr[2][3];
    toi_transpose_rows(rows->pe, pe);
    toi_transpose_rows(rows->gr, gr);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            m->p[end][k] = pe[0][k];
            m->e[end][k] = pe[1][k];
            m->g[end][k] = gr[0][k];
        }
    *reach -= gr[1][0] * share + gr[1][1];
    return toi_measure_single(m);
}

// Tries the first `count` pairs, or as many as so many vectors hold.
TOI_INLINE int64_t try_pairs(int edge_edge, const toi_near_source *s, float least,
                             const toi_pair *pairs, int64_t count, int vectors, toi_pair *kept)
{
    vector v[TOI_TOGETHER];
    start_rows rows;
    int64_t written = 0;
    for (int k = 0; k < vectors; ++k) {
        for (int lane = 0; lane < TOI_LANES; ++lane) {
            int64_t at = k * TOI_LANES + lane;
            put_pair(edge_edge, s, &pairs[at < count ? at : 0], lane, &rows);
        }
        toi_real reach = TOI_SPREAD(least);
        v[k].wild = load_start(&rows, s->reach, &v[k].m, &reach);
        v[k].margin = reach * (1 + 16 * TOI_UNIT) + TOI_TINY;
    }
    stay_beyond(edge_edge, v, vectors);
    for (int k = 0; k < vectors; ++k) {
        int64_t first = k * TOI_LANES, lanes = count - first;
        unsigned left = lanes_of(~v[k].apart | v[k].wild);
        left &= lanes < TOI_LANES ? (1u << lanes) - 1 : left;
        written += toi_copy_lanes(&pairs[first], left, &kept[written]);
    }
    return written;
}

TOI_INLINE int64_t cull_start(int edge_edge, const toi_near_source *s, toi_pair *pairs,
                              int64_t count)
{
    const float least = toi_float_above((s->separation + 2 * (double)s->grain) * (1 + 0x1p-20));
    int64_t kept = 0, i = 0;
    for (; count - i > (TOI_TOGETHER - 1) * TOI_LANES; i += TOI_TOGETHER * TOI_LANES)
        kept += try_pairs(edge_edge, s, least, &pairs[i], count - i, TOI_TOGETHER, &pairs[kept]);
    for (; i < count; i += TOI_LANES)
        kept += try_pairs(edge_edge, s, least, &pairs[i], count - i, 1, &pairs[kept]);
    return kept;
}

toi_cull_near_fn TOI_ISA_NAME(toi_cull_start);
int64_t TOI_ISA_NAME(toi_cull_start)(const toi_near_source *s, toi_pair *pairs, int64_t count)
{
    return s->kind == TOI_EDGE_EDGE ? cull_start(1, s, pairs, count)
                                    : cull_start(0, s, pairs, count);
}
