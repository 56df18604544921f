// Drops pairs, by place, that are too far apart at t = 0 to come to their share of that distance
// while a short motion lasts: farther than their corners reach, which one direction at one instant
// tells. docs/separation.md, section 2.

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "kernel/margin.h"

#include "base/simd.h"
#include "ccd/near_rows.h"

TOI_INLINE unsigned lanes_of(toi_mask mask)
{
    return toi_mask_word(mask) & ((1u << TOI_LANES) - 1);
}

// All ones where a direction shows that; of Gilbert's steps as many as a quarter of the lanes need.
TOI_INLINE toi_mask stay_beyond(int edge_edge, const toi_pair_motion *m, const toi_real *reach)
{
    toi_real margin = *reach * (1 + 16 * TOI_UNIT) + TOI_TINY;
    toi_near_point near;
    toi_find_near_point(edge_edge, m->p[0], m->e[0], m->g[0], &near);
    toi_mask apart = TOI_TEST(m->scale < m->scale);
    for (int step = 0; step < 3; ++step) {
        toi_real least[3], square = toi_dot(near.f, near.f);
        toi_real low = toi_lowest_point(edge_edge, m->p[0], m->e[0], m->g[0], near.f, least);
        apart |= TOI_TEST(low > toi_margin_slack(m, near.f, &square, &margin)) &
                 TOI_TEST(square > TOI_SMALL_SQUARE);
        if (4 * __builtin_popcount(lanes_of(~apart)) < TOI_LANES)
            break;
        toi_gilbert_step(near.f, least);
    }
    return apart;
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

TOI_INLINE int64_t cull_start(int edge_edge, const toi_near_source *s, toi_pair *pairs,
                              int64_t count)
{
    const float least = toi_float_above((s->separation + 2 * (double)s->grain) * (1 + 0x1p-20));
    int64_t kept = 0;
    start_rows rows;
    for (int64_t i = 0; i < count; i += TOI_LANES) {
        int lanes = count - i < TOI_LANES ? (int)(count - i) : TOI_LANES;
        for (int lane = 0; lane < TOI_LANES; ++lane)
            put_pair(edge_edge, s, &pairs[i + (lane < lanes ? lane : 0)], lane, &rows);
        toi_pair_motion m;
        toi_real reach = TOI_SPREAD(least);
        toi_mask wild = load_start(&rows, s->reach, &m, &reach);
        unsigned left = lanes_of(~stay_beyond(edge_edge, &m, &reach) | wild);
        for (left &= (1u << lanes) - 1; left; left &= left - 1)
            pairs[kept++] = pairs[i + __builtin_ctz(left)];
    }
    return kept;
}

toi_cull_near_fn TOI_ISA_NAME(toi_cull_start);
int64_t TOI_ISA_NAME(toi_cull_start)(const toi_near_source *s, toi_pair *pairs, int64_t count)
{
    return s->kind == TOI_EDGE_EDGE ? cull_start(1, s, pairs, count)
                                    : cull_start(0, s, pairs, count);
}
