// Separating directions without the corners: of d.F = d.P + u d.E + v d.G the least over the domain
// is read off the signs of d.E and d.G. Half the numbers of kernel/separation.h at hand, which
// matters where a thread has few registers. The same bound holds: docs/exact.md, section 2.

#ifndef TOI_KERNEL_CORNER_SIGNS_H
#define TOI_KERNEL_CORNER_SIGNS_H

#include "kernel/coplanarity.h"

// About the mean of the corners.
TOI_INLINE void toi_mean_direction(int edge_edge, const toi_pair_motion *m, toi_real d[3])
{
    const toi_number share = (toi_number)(edge_edge ? 0.25 : 1.0 / 6);
    for (int k = 0; k < 3; ++k)
        d[k] = (toi_number)0.5 * (m->p[0][k] + m->p[1][k]) +
               share * ((m->e[0][k] + m->e[1][k]) + (m->g[0][k] + m->g[1][k]));
}

// The least d.F at one end, and the corner (u, v) that has it.
typedef struct toi_corner_value
{
    toi_real low;
    toi_mask u, v;
} toi_corner_value;

// Rounding: differences 1, products and their sums 3, and two sums: 6 units of sum |d_k| size_k;
// toi_direction_slack() allows 12.
TOI_INLINE toi_corner_value toi_least_corner(int edge_edge, const toi_pair_motion *m, int end,
                                             const toi_real d[3])
{
    const toi_real zero = TOI_SPREAD(0);
    toi_real dp = toi_dot(d, m->p[end]), de = toi_dot(d, m->e[end]), dg = toi_dot(d, m->g[end]);
    toi_corner_value least;
    least.u = TOI_TEST(de < 0);
    least.v = TOI_TEST(dg < 0);
    if (edge_edge) {
        least.low = dp + toi_min(de, zero) + toi_min(dg, zero);
        return least;
    }
    toi_mask second = TOI_TEST(dg < de);
    least.u &= ~second;
    least.v &= second;
    least.low = dp + toi_min(toi_min(de, dg), zero);
    return least;
}

// What toi_direction_slack() multiplies the components of a direction with.
TOI_INLINE void toi_take_slack(const toi_pair_motion *m, const toi_real *separation,
                               toi_real slack[3])
{
    for (int k = 0; k < 3; ++k)
        slack[k] = TOI_PRODUCT_SUM(m->size[k], 12 * TOI_UNIT, *separation);
}

TOI_INLINE toi_real toi_slack_of(const toi_real slack[3], const toi_real d[3])
{
    toi_real sum = TOI_PRODUCT_SUM(toi_abs(d[0]), slack[0], TOI_SPREAD(TOI_TINY));
    sum = TOI_PRODUCT_SUM(toi_abs(d[1]), slack[1], sum);
    return TOI_PRODUCT_SUM(toi_abs(d[2]), slack[2], sum) * (1 + 8 * TOI_UNIT);
}

// All ones where d certainly separates.
TOI_INLINE toi_mask toi_signs_separate(int edge_edge, const toi_pair_motion *m,
                                       const toi_real slack[3], const toi_real d[3])
{
    toi_real start = toi_least_corner(edge_edge, m, 0, d).low;
    toi_real end = toi_least_corner(edge_edge, m, 1, d).low;
    return TOI_TEST(toi_min(start, end) > toi_slack_of(slack, d));
}

// About a / b, for a step whose length does not matter to the proof.
#if defined(__CUDA_ARCH__) && defined(TOI_SINGLE)
#define TOI_ABOUT_RATIO(a, b) __fdividef(a, b)
#elif defined(__CUDA_ARCH__)
#define TOI_ABOUT_RATIO(a, b) ((a) * (double)__frcp_rn((float)(b))) // a NaN counts as 0
#else
#define TOI_ABOUT_RATIO(a, b) ((a) / (b))
#endif

// toi_gilbert_step(), with that.
TOI_INLINE void toi_step_towards(toi_real d[3], const toi_real corner[3])
{
    toi_real step[3] = {corner[0] - d[0], corner[1] - d[1], corner[2] - d[2]};
    toi_real share = TOI_ABOUT_RATIO(-toi_dot(d, step), toi_dot(step, step) + TOI_TINY);
    share = toi_min(toi_max(share, TOI_SPREAD(0)), TOI_SPREAD(1));
    for (int k = 0; k < 3; ++k)
        d[k] = TOI_PRODUCT_SUM(share, step[k], d[k]);
}

// The same; where it does not, d moves a step towards the point of the hull closest to the origin.
TOI_INLINE toi_mask toi_try_signs(int edge_edge, const toi_pair_motion *m, const toi_real slack[3],
                                  toi_real d[3])
{
    const toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    toi_corner_value start = toi_least_corner(edge_edge, m, 0, d);
    toi_corner_value end = toi_least_corner(edge_edge, m, 1, d);
    toi_mask first = TOI_TEST(start.low < end.low);
    toi_mask separates = TOI_TEST(toi_min(start.low, end.low) > toi_slack_of(slack, d));
    toi_real u = TOI_SELECT((start.u & first) | (end.u & ~first), one, zero);
    toi_real v = TOI_SELECT((start.v & first) | (end.v & ~first), one, zero);
    toi_real corner[3];
    for (int k = 0; k < 3; ++k) {
        toi_real p = TOI_SELECT(first, m->p[0][k], m->p[1][k]);
        toi_real e = TOI_SELECT(first, m->e[0][k], m->e[1][k]);
        toi_real g = TOI_SELECT(first, m->g[0][k], m->g[1][k]);
        corner[k] = TOI_PRODUCT_SUM(v, g, TOI_PRODUCT_SUM(u, e, p));
    }
    toi_step_towards(d, corner);
    return separates;
}

// All ones where n, or its opposite, certainly separates.
TOI_INLINE toi_mask toi_sides_separate(int edge_edge, const toi_pair_motion *m,
                                       const toi_real slack[3], const toi_real n[3])
{
    toi_real back[3] = {-n[0], -n[1], -n[2]};
    return toi_signs_separate(edge_edge, m, slack, n) |
           toi_signs_separate(edge_edge, m, slack, back);
}

// All ones where they are certainly never coplanar, or where the normal at an end separates. The
// differences are within one rounding of themselves and `off` of the truth: within one rounding of
// a reach that is larger by off / unit, for which kernel/coplanarity.h has the bounds.
TOI_INLINE toi_mask toi_plane_separates(int edge_edge, toi_pair_motion *m, const toi_real slack[3],
                                        const toi_real *off)
{
    toi_real n[3][3], reach[3], c[4], add = *off * (1 / TOI_UNIT);
    toi_reach r;
    toi_take_reach(m, &r);
    for (int k = 0; k < 3; ++k) {
        r.p[k] += add;
        r.e[k] += add;
        r.g[k] += add;
    }
    toi_cross_moving(m->e, m->g, n);
    toi_cross_reach(r.e, r.g, reach);
    toi_real scale = toi_dot(r.p, reach);
    toi_real end_error = scale * (12 * TOI_UNIT) + TOI_TINY;
    toi_real error = scale * (32 * TOI_UNIT) + TOI_TINY;
    c[0] = toi_dot(m->p[0], n[0]);
    c[1] = toi_dot(m->p[1], n[0]) + toi_dot(m->p[0], n[1]);
    c[2] = toi_dot(m->p[0], n[2]) + toi_dot(m->p[1], n[1]);
    c[3] = toi_dot(m->p[1], n[2]);
    return toi_count_roots(c, &end_error, &error).none |
           toi_sides_separate(edge_edge, m, slack, n[0]) |
           toi_sides_separate(edge_edge, m, slack, n[2]);
}

#endif
