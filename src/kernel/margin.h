// Is there a direction in which the two primitives stay apart by more than a separation during the
// whole step? As kernel/separation.h, but in the Euclidean norm, and for a separation that may be a
// share of the distance at t = 0. The first direction is that of the nearest point at t = 0.

#ifndef TOI_KERNEL_MARGIN_H
#define TOI_KERNEL_MARGIN_H

#include "kernel/closest.h"
#include "kernel/separation.h"

// Not less than the distance at t = 0; `near` is about the nearest point then.
TOI_INLINE toi_real toi_near_length(int edge_edge, const toi_pair_motion *m,
                                    const toi_near_point *near)
{
    toi_real slack = (m->size[0] + m->size[1] + m->size[2]) * (16 * TOI_UNIT);
    return toi_real_length(edge_edge, m->p[0], m->e[0], m->g[0], near, &slack);
}

// Not less than base + share d, where d is the distance at t = 0 and base and share are rounded to
// nearest; `near` is about the nearest point then.
TOI_INLINE toi_real toi_take_margin(int edge_edge, const toi_pair_motion *m,
                                    const toi_near_point *near, const toi_real *base,
                                    const toi_real *share)
{
    toi_real length = toi_near_length(edge_edge, m, near);
    return (*base + *share * length) * (1 + 16 * TOI_UNIT) + TOI_TINY;
}

// How large d.w may come out where |w| is at most the margin. The dot product d.d must not have
// underflowed.
TOI_INLINE toi_real toi_margin_slack(const toi_pair_motion *m, const toi_real d[3],
                                     const toi_real *square, const toi_real *margin)
{
    toi_real slack = *margin * toi_sqrt(*square) + TOI_TINY;
    for (int k = 0; k < 3; ++k)
        slack = TOI_PRODUCT_SUM(toi_abs(d[k]), m->size[k] * (12 * TOI_UNIT), slack);
    return slack * (1 + 16 * TOI_UNIT);
}

// The least d.w over the corners w of a figure p + u e + v g, and where it is: heights tell which
// of e and g lead down, so that no corner need be made but that one.
TOI_INLINE toi_real toi_lowest_point(int edge_edge, const toi_real p[3], const toi_real e[3],
                                     const toi_real g[3], const toi_real d[3], toi_real least[3])
{
    const toi_real zero = TOI_SPREAD(0);
    toi_real along_e = toi_dot(d, e), along_g = toi_dot(d, g);
    toi_mask by_e = TOI_TEST(along_e < zero), by_g = TOI_TEST(along_g < zero);
    if (!edge_edge) {
        toi_mask steeper = TOI_TEST(along_e < along_g);
        by_e &= steeper;
        by_g &= ~steeper;
    }
    for (int k = 0; k < 3; ++k)
        least[k] = p[k] + TOI_SELECT(by_e, e[k], zero) + TOI_SELECT(by_g, g[k], zero);
    return toi_dot(d, p) + TOI_SELECT(by_e, along_e, zero) + TOI_SELECT(by_g, along_g, zero);
}

// The same as toi_try_direction() of kernel/separation.h, with a margin.
TOI_INLINE toi_mask toi_try_margin(int edge_edge, const toi_pair_motion *m, const toi_real d[3],
                                   const toi_real *margin, toi_real least[3])
{
    toi_real at_end[3], square = toi_dot(d, d);
    toi_real low = toi_lowest_point(edge_edge, m->p[0], m->e[0], m->g[0], d, least);
    toi_real end = toi_lowest_point(edge_edge, m->p[1], m->e[1], m->g[1], d, at_end);
    toi_mask later = TOI_TEST(end < low);
    low = TOI_SELECT(later, end, low);
    for (int k = 0; k < 3; ++k)
        least[k] = TOI_SELECT(later, at_end[k], least[k]);
    return TOI_TEST(low > toi_margin_slack(m, d, &square, margin)) &
           TOI_TEST(square > TOI_SMALL_SQUARE);
}

// All ones where a direction keeps them apart by more than the margin: that of `near`, then two
// steps of Gilbert's algorithm.
TOI_INLINE toi_mask toi_apart_by(int edge_edge, const toi_pair_motion *m,
                                 const toi_near_point *near, const toi_real *margin)
{
    toi_real d[3], least[3];
    toi_mask apart = TOI_TEST(m->scale < m->scale);
    for (int k = 0; k < 3; ++k)
        d[k] = near->f[k];
    for (int step = 0; step < 3; ++step) {
        apart |= toi_try_margin(edge_edge, m, d, margin, least);
        toi_gilbert_step(d, least);
    }
    return apart;
}

#endif
