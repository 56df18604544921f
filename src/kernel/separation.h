// The first rung: is there a direction in which the two primitives stay apart during the whole
// step?
//
// F over all of [0,1] x (u,v) lies in the convex hull of its corner values, six for vertex-face and
// eight for edge-edge. If d.w > 0 for all corners w, by more than rounding can explain, they never
// touch. Tried: the three axes, the mean of the corners, and two steps of Gilbert's algorithm
// towards the hull's closest point to the origin. A direction need not be accurate; only the sign
// of d.w is certified: docs/inclusion.md, section 4.

#ifndef TOI_KERNEL_SEPARATION_H
#define TOI_KERNEL_SEPARATION_H

#include "kernel/gaps.h"
#include "kernel/motion.h"

enum
{
    TOI_MAX_CORNERS = 8
};

// The corner values of F; returns how many.
TOI_INLINE int toi_corners(int edge_edge, const toi_pair_motion *m, toi_real w[TOI_MAX_CORNERS][3])
{
    int count = edge_edge ? 4 : 3;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            toi_real p = m->p[end][k], pe = p + m->e[end][k];
            w[end * count][k] = p;
            w[end * count + 1][k] = pe;
            w[end * count + 2][k] = p + m->g[end][k];
            if (edge_edge)
                w[end * count + 3][k] = pe + m->g[end][k];
        }
    return 2 * count;
}

// How large d.w may come out for w in the tolerance cube: rounding of w and of the product, and the
// separation.
TOI_INLINE toi_real toi_direction_slack(const toi_pair_motion *m, const toi_real d[3],
                                        const toi_real *separation)
{
    toi_real slack = TOI_SPREAD(TOI_TINY);
    for (int k = 0; k < 3; ++k)
        slack = TOI_PRODUCT_SUM(toi_abs(d[k]), m->size[k] * (12 * TOI_UNIT) + *separation, slack);
    return slack * (1 + 8 * TOI_UNIT);
}

// All ones where d certainly separates.
TOI_INLINE toi_mask toi_direction_separates(const toi_pair_motion *m, int corners,
                                            toi_real w[TOI_MAX_CORNERS][3], const toi_real d[3],
                                            const toi_real *separation)
{
    toi_real low = toi_dot(d, w[0]);
    for (int c = 1; c < corners; ++c) {
        toi_real product = toi_dot(d, w[c]);
        low = toi_min(product, low);
    }
    return TOI_TEST(low > toi_direction_slack(m, d, separation));
}

// The least d.w, and its corner.
TOI_INLINE toi_real toi_lowest_corner(int corners, toi_real w[TOI_MAX_CORNERS][3],
                                      const toi_real d[3], toi_real least[3])
{
    toi_real low = toi_dot(d, w[0]);
    for (int k = 0; k < 3; ++k)
        least[k] = w[0][k];
    for (int c = 1; c < corners; ++c) {
        toi_real product = toi_dot(d, w[c]);
        toi_mask lower = TOI_TEST(product < low);
        low = TOI_SELECT(lower, product, low);
        for (int k = 0; k < 3; ++k)
            least[k] = TOI_SELECT(lower, w[c][k], least[k]);
    }
    return low;
}

// The same; `least` is the corner with the least d.w.
TOI_INLINE toi_mask toi_try_direction(const toi_pair_motion *m, int corners,
                                      toi_real w[TOI_MAX_CORNERS][3], const toi_real d[3],
                                      const toi_real *separation, toi_real least[3])
{
    toi_real low = toi_lowest_corner(corners, w, d, least);
    return TOI_TEST(low > toi_direction_slack(m, d, separation));
}

// Moves d to the point of the segment from d to `corner` that is closest to the origin.
TOI_INLINE void toi_gilbert_step(toi_real d[3], const toi_real corner[3])
{
    toi_real step[3];
    for (int k = 0; k < 3; ++k)
        step[k] = corner[k] - d[k];
    toi_real length = toi_dot(step, step) + TOI_TINY;
    toi_real s = -toi_dot(d, step) / length;
    s = toi_min(toi_max(s, TOI_SPREAD(0)), TOI_SPREAD(1));
    for (int k = 0; k < 3; ++k)
        d[k] = TOI_PRODUCT_SUM(s, step[k], d[k]);
}

// All ones where, on some coordinate axis, one primitive lies above the other by more than the
// separation, or below: at both ends of the step, or, where `until` is not NULL, from its start up
// to that time.
TOI_INLINE toi_mask toi_axes_apart(int edge_edge, toi_real points[2][4][3], const toi_real *until,
                                   const toi_real *separation)
{
    const toi_real zero = TOI_SPREAD(0);
    toi_mask apart = TOI_TEST(zero < zero);
    for (int k = 0; k < 3; ++k) {
        toi_real gaps[2][2]; // upwards and downwards, at both ends
        for (int end = 0; end < 2; ++end) {
            toi_real x[4] = {points[end][0][k], points[end][1][k], points[end][2][k],
                             points[end][3][k]};
            toi_take_gaps(edge_edge, x, &gaps[0][end], &gaps[1][end]);
        }
        for (int way = 0; way < 2; ++way) {
            toi_real start = gaps[way][0], end = gaps[way][1];
            if (until) {
                end = toi_close_gap(&start, &end, until);
                start = toi_close_gap(&start, &start, &zero);
            }
            apart |= TOI_TEST(start > *separation) & TOI_TEST(end > *separation);
        }
    }
    return apart;
}

// The same from scaled differences, with an error bound: for corners that are not at hand.
TOI_INLINE toi_mask toi_axes_separated(int edge_edge, const toi_pair_motion *m,
                                       const toi_real *separation)
{
    toi_real w[TOI_MAX_CORNERS][3];
    int corners = toi_corners(edge_edge, m, w);
    toi_mask apart = TOI_TEST(m->scale < m->scale);
    for (int k = 0; k < 3; ++k) {
        toi_real low = w[0][k], high = w[0][k];
        for (int c = 1; c < corners; ++c) {
            low = toi_min(low, w[c][k]);
            high = toi_max(high, w[c][k]);
        }
        toi_real slack =
            (m->size[k] * (12 * TOI_UNIT) + *separation + TOI_TINY) * (1 + 8 * TOI_UNIT);
        apart |= TOI_TEST(low > slack) | TOI_TEST(high < -slack);
    }
    return apart;
}

// All ones where the mean of the corners or a direction after it separates.
TOI_INLINE toi_mask toi_separated(int edge_edge, const toi_pair_motion *m,
                                  const toi_real *separation)
{
    toi_real w[TOI_MAX_CORNERS][3], d[3], least[3];
    int corners = toi_corners(edge_edge, m, w);
    toi_mask apart = TOI_TEST(m->scale < m->scale);
    for (int k = 0; k < 3; ++k) {
        d[k] = w[0][k];
        for (int c = 1; c < corners; ++c)
            d[k] += w[c][k];
        d[k] *= (toi_number)1 / (toi_number)corners;
    }
    for (int step = 0; step < 2; ++step) {
        apart |= toi_try_direction(m, corners, w, d, separation, least);
        toi_gilbert_step(d, least);
    }
    return apart | toi_direction_separates(m, corners, w, d, separation);
}

#endif
