// The search of kernel/turning.h for one pair, in the precision of the source that includes this.
// Compiles for the host too, where a test climbs it.

#ifndef TOI_CUDA_APART_SEARCH_CUH
#define TOI_CUDA_APART_SEARCH_CUH

#include "cuda/apart.cuh"
#include "kernel/turning.h"
#ifdef TOI_SINGLE
#include "cuda/stop.cuh"
#include "kernel/margin.h"
#endif

#ifdef TOI_SINGLE
// Does an axis or a direction keep them farther apart than their separation?
TOI_INLINE bool toi_keeps_margin(int edge_edge, const toi_pair_motion *m,
                                 const toi_margin_bound *bound)
{
    toi_near_point near;
    toi_find_near_point(edge_edge, m->p[0], m->e[0], m->g[0], &near);
    float margin = toi_take_margin(edge_edge, m, &near, &bound->base, &bound->share);
    return toi_axes_separated(edge_edge, m, &margin) || toi_apart_by(edge_edge, m, &near, &margin);
}
#endif

// Takes the differences, scaled, with the sum of their sizes; returns what they were multiplied by,
// or 0 where this precision cannot hold them: docs/separation.md, section 3.
#ifdef TOI_SINGLE
TOI_INLINE double toi_load_search(int edge_edge, double points[2][4][3], toi_turning *q)
{
    float total = 0;
    for (int k = 0; k < 3; ++k) {
        for (int end = 0; end < 2; ++end) {
            double x[4] = {points[end][0][k], points[end][1][k], points[end][2][k],
                           points[end][3][k]};
            q->p[end][k] = (float)TOI_P_OF(edge_edge, x);
            q->e[end][k] = (float)TOI_E_OF(edge_edge, x);
            q->g[end][k] = (float)TOI_G_OF(edge_edge, x);
        }
        total += toi_larger_end(q->p, k) + toi_larger_end(q->e, k) + toi_larger_end(q->g, k);
    }
    if (!(total > 0x1p-40f && total < 0x1p50f))
        return 0;
    float scale = toi_unit_scale(&total);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            q->p[end][k] *= scale;
            q->e[end][k] *= scale;
            q->g[end][k] *= scale;
        }
    q->total = total * scale;
    return scale;
}
#else
TOI_INLINE double toi_load_search(int edge_edge, double points[2][4][3], toi_turning *q)
{
    toi_pair_motion m;
    double shrink;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            q->p[end][k] = m.p[end][k];
            q->e[end][k] = m.e[end][k];
            q->g[end][k] = m.g[end][k];
        }
    q->total = m.size[0] + m.size[1] + m.size[2];
    return q->total > 0 && m.scale <= 0x1p990 ? m.scale : 0;
}
#endif

// A length in the search's scale: lengths beyond 1024 exceed all that the figure can have.
TOI_INLINE toi_number toi_search_length(double length, double scale)
{
    double scaled = length * scale;
    return (toi_number)(scaled < 1024 ? scaled : 1024);
}

// Returns false where this precision cannot hold the pair.
TOI_INLINE bool toi_begin_search(int edge_edge, double points[2][4][3],
                                 const toi_apart_bound *bound, toi_turning *q,
                                 toi_apart_found *found)
{
    double scale = toi_load_search(edge_edge, points, q);
    found->verdict = TOI_APART_STUCK;
    found->lo = -1;
    found->guess = 0;
    found->feature = found->start_feature = 8;
    found->began_inside = 0;
    q->base = toi_search_length(bound->base, scale);
    q->share = (toi_number)bound->share;
    // Not above the true length, which may be less than its rounding.
    q->inner = toi_search_length(bound->inner, scale) * (1 - 4 * TOI_UNIT) - TOI_TINY;
    q->clear = -1;
    q->separation = q->distance = q->slope = q->u = q->v = q->start_u = q->start_v = 0;
    q->next = q->past = q->piece = q->ahead = q->steps = 0;
    q->in = q->start_in = q->began_inside = 0;
    for (int k = 0; k < 3; ++k)
        q->n[k] = 0;
    return scale > 0;
}

// The last time to look at, rounded up.
TOI_INLINE toi_number toi_search_until(double t_max)
{
#ifdef TOI_SINGLE
    return toi_stop_time(t_max);
#else
    return toi_look_until(t_max);
#endif
}

// One step; returns whether it was the last one, which sets what was found.
TOI_INLINE bool toi_step_search(int edge_edge, const toi_number *until, toi_turning *q,
                                toi_apart_found *found)
{
    toi_turned turned = toi_turn(edge_edge, until, q);
    bool inside = q->began_inside && q->share <= 0;
    if (!(inside || turned.apart || turned.found || turned.stuck))
        return false;
    found->verdict = turned.apart   ? TOI_APART_CLEAR
                     : inside       ? TOI_APART_INSIDE
                     : turned.found ? TOI_APART_FOUND
                                    : TOI_APART_STUCK;
    found->start_feature = toi_feature_of(edge_edge, q->start_u, q->start_v, q->start_in != 0);
    found->feature = toi_feature_of(edge_edge, q->u, q->v, q->in != 0);
    found->began_inside = q->began_inside != 0;
    found->lo = (double)q->clear;
    found->guess = found->lo + (double)q->ahead;
    return true;
}

// Are they surely not farther apart than their separation at a time, which is in ]0, 1], and surely
// farther apart than the least at t = 0? docs/cuda.md, "Separations on the card".
TOI_INLINE bool toi_comes_close(int edge_edge, const toi_turning *q, toi_number t)
{
    toi_pair_pose pose;
    toi_near_point at;
    toi_number n[3], heights[3], length, zero = 0, slack = toi_turning_slack(q);
    toi_pair_pose_at(q, &zero, &pose);
    toi_find_near_point(edge_edge, pose.p, pose.e, pose.g, &at);
    if (!toi_take_direction(at.f, &length, n))
        return false;
    toi_take_heights(&pose, n, heights);
    toi_number distance = toi_least_corner(edge_edge, heights) - slack; // not above the true one
    if (!(distance > (q->inner + 2 * TOI_TINY) * (1 + 16 * TOI_UNIT)))
        return false;
    toi_number separation = (q->base + q->share * distance) * (1 - 16 * TOI_UNIT) - TOI_TINY;
    toi_pair_pose_at(q, &t, &pose);
    toi_find_near_point(edge_edge, pose.p, pose.e, pose.g, &at);
    return toi_real_length(edge_edge, pose.p, pose.e, pose.g, &at, &slack) <= separation;
}

// A time soon after the one that a search has found, at which they may be that close.
TOI_INLINE toi_number toi_time_after(const toi_turning *q)
{
    return (toi_number)fmin((double)(q->clear + (toi_number)1.5 * q->ahead + (toi_number)0x1p-20),
                            1.0);
}

TOI_INLINE void toi_search_apart(int edge_edge, double points[2][4][3],
                                 const toi_apart_bound *bound, double t_max, toi_apart_found *found)
{
    toi_turning q;
    toi_number until = toi_search_until(t_max);
    bool on = toi_begin_search(edge_edge, points, bound, &q, found);
    while (on)
        on = !toi_step_search(edge_edge, &until, &q, found);
}

#endif
