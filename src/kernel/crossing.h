// Where D has exactly one root in a piece of the step: a bracket around it, and whether the
// primitives touch there. Bounds: docs/exact.md, section 4.

#ifndef TOI_KERNEL_CROSSING_H
#define TOI_KERNEL_CROSSING_H

#include "kernel/coplanarity.h"

enum
{
    TOI_MOST_NEWTON_STEPS = 14
};

// Newton's method on [from, to], where D changes sign once; falls back on halving where a step
// leaves the bracket. The result is as good as it is: the bracket is certified afterwards.
TOI_INLINE toi_real toi_find_root(const toi_cubic *q, toi_real from, toi_real to)
{
    toi_real first = toi_cubic_at(q, &from), last = toi_cubic_at(q, &to);
    toi_mask rising = TOI_TEST(first < last);
    toi_real t = from + (to - from) * (first / (first - last));
    toi_mask moving = TOI_TEST(from < to);
    for (int i = 0; i < TOI_MOST_NEWTON_STEPS && toi_any(moving); ++i) {
        toi_real value = toi_cubic_at(q, &t), slope = toi_cubic_slope(q, &t);
        toi_mask behind = TOI_TEST(value > 0) ^ ~rising;
        to = TOI_SELECT(behind, t, to);
        from = TOI_SELECT(behind, from, t);
        toi_real next = t - value / slope;
        toi_mask inside = TOI_TEST((next >= from) & (next <= to));
        next = TOI_SELECT(inside, next, 0.5 * (from + to));
        toi_mask far = TOI_TEST(toi_abs(next - t) > 0x1p-50 * t);
        t = TOI_SELECT(moving, next, t); // a lane that has arrived stays, whatever the others do
        moving &= far;
    }
    return t;
}

// Every root of D in the piece lies within `radius` of t, since D certainly has different signs
// there. All ones where that could be certified.
TOI_INLINE toi_mask toi_bracket_root(const toi_cubic *q, const toi_real *from, const toi_real *to,
                                     const toi_real *t, toi_real *radius)
{
    toi_real error = toi_cubic_error(q), slope = toi_cubic_slope(q, t);
    *radius = 2 * error / toi_abs(slope) + *t * (8 * TOI_UNIT);
    toi_real lo = *t - *radius, hi = *t + *radius;
    lo = toi_max(lo, *from);
    hi = toi_min(hi, *to);
    toi_real below = toi_cubic_at(q, &lo), above = toi_cubic_at(q, &hi);
    *radius = *radius * (1 + 8 * TOI_UNIT) + *t * (4 * TOI_UNIT);
    return TOI_TEST((below > error) & (above < -error)) |
           TOI_TEST((below < -error) & (above > error));
}

// The plane of E and G, and where P + uE + vG = 0 in it: w is n.n, and u w and v w are n.(G x P)
// and n.(P x E).
typedef struct toi_plane
{
    toi_real n[3];
    toi_real w, uw, vw;
} toi_plane;

TOI_INLINE void toi_take_plane(const toi_real p[3], const toi_real e[3], const toi_real g[3],
                               toi_plane *plane)
{
    toi_real un[3], vn[3];
    toi_cross(e, g, plane->n);
    toi_cross(g, p, un);
    toi_cross(p, e, vn);
    plane->w = toi_dot(plane->n, plane->n);
    plane->uw = toi_dot(plane->n, un);
    plane->vw = toi_dot(plane->n, vn);
}

// Whether the primitives touch at the root, wherever it is within `radius` of t.
typedef struct toi_inside
{
    toi_mask in;  // certainly
    toi_mask out; // certainly not
} toi_inside;

TOI_INLINE toi_inside toi_test_inside(int edge_edge, const toi_pair_motion *m, const toi_reach *r,
                                      const toi_real *t, const toi_real *radius)
{
    toi_real p[3], e[3], g[3], size[3], eg[3], gp[3], pe[3];
    toi_plane at;
    toi_motion_at(m, t, p, e, g);
    toi_take_plane(p, e, g, &at);
    toi_real w = at.w, u = at.uw, v = at.vw;
    for (int k = 0; k < 3; ++k)
        size[k] = toi_abs(at.n[k]);
    toi_cross_reach(r->e, r->g, eg);
    toi_cross_reach(r->g, r->p, gp);
    toi_cross_reach(r->p, r->e, pe);
    toi_real share = 5 * *radius + 24 * TOI_UNIT;
    toi_real we = share * toi_dot(size, eg) + TOI_TINY;
    toi_real ue = share * toi_dot(size, gp) + TOI_TINY;
    toi_real ve = share * toi_dot(size, pe) + TOI_TINY;
    toi_inside result;
    toi_real rest = edge_edge ? w - u : w - u - v, other = w - v;
    toi_real rest_error = edge_edge ? we + ue : we + ue + ve, other_error = we + ve;
    result.in = TOI_TEST((u > ue) & (v > ve) & (rest > rest_error));
    result.out = TOI_TEST((u < -ue) | (v < -ve) | (rest < -rest_error));
    if (edge_edge) {
        result.in &= TOI_TEST(other > other_error);
        result.out |= TOI_TEST(other < -other_error);
    }
    toi_mask plane = TOI_TEST(w > we);
    result.in &= plane;
    result.out &= plane;
    return result;
}

// Finds the only root of D in [from, to], with its radius, and tests whether they touch there.
TOI_INLINE toi_inside toi_judge_root(int edge_edge, const toi_pair_motion *m, const toi_reach *r,
                                     const toi_cubic *q, const toi_real *from, const toi_real *to,
                                     toi_real *root, toi_real *radius)
{
    *root = toi_find_root(q, *from, *to);
    toi_mask sure = toi_bracket_root(q, from, to, root, radius);
    toi_inside inside = toi_test_inside(edge_edge, m, r, root, radius);
    inside.in &= sure;
    inside.out &= sure;
    return inside;
}

#endif
