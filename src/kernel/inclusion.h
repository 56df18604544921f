// The inclusion test of one cell [t] x [u] x [v] of a query's domain: Tight-Inclusion's box of the
// corner values (Wang et al. 2021; Belgrod et al. 2023, section 6.3), followed by a contraction
// that Tight-Inclusion does not have. Every bound is derived in docs/inclusion.md.

#ifndef TOI_KERNEL_INCLUSION_H
#define TOI_KERNEL_INCLUSION_H

#include "kernel/motion.h"

#include <stdbool.h>

#if TOI_LANES != 1 || defined(TOI_SINGLE)
#error "one cell at a time, in double: include this in a source with TOI_LANES 1"
#endif

// A query made ready: its motion, spread over eight lanes (lane = 4 end + axis; axis 3 is idle),
// and what counts as zero.
typedef struct toi_inclusion
{
    double p[2][8], e[2][8],
        g[2][8];                // [0]: value at t = 0, [1]: at t = 1; the same for both halves
    double dp[3], de[3], dg[3]; // derivatives in t
    double size[3];
    double threshold[3]; // |F_k| up to here may be zero: rounding error plus separation
    double separation;   // scaled
    double tolerance;    // scaled
    double narrow[3];    // a box as narrow as this counts as a point: the tolerance, or rounding
    int triangle;        // the domain is u + v <= 1
    int no_zero_time;    // refine cells that begin at t = 0 whatever the tolerance
} toi_inclusion;

// A length in a motion's scale. F is below 16 in size there, so larger ones mean the same as 1024,
// and stay finite.
TOI_INLINE double toi_scale_length(double length, double scale)
{
    return toi_min(length * scale, 1024);
}

// Makes a motion ready. The separation and the tolerance are scaled; q->triangle and
// q->no_zero_time are left to the caller.
TOI_INLINE void toi_take_inclusion(const double p[2][3], const double e[2][3], const double g[2][3],
                                   const double size[3], double separation, double tolerance,
                                   toi_inclusion *q)
{
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 8; ++i) {
            q->p[end][i] = i % 4 < 3 ? p[end][i % 4] : 0;
            q->e[end][i] = i % 4 < 3 ? e[end][i % 4] : 0;
            q->g[end][i] = i % 4 < 3 ? g[end][i % 4] : 0;
        }
    q->separation = separation;
    q->tolerance = tolerance;
    for (int k = 0; k < 3; ++k) {
        q->dp[k] = p[1][k] - p[0][k];
        q->de[k] = e[1][k] - e[0][k];
        q->dg[k] = g[1][k] - g[0][k];
        q->size[k] = size[k];
        q->threshold[k] = (size[k] * (8 * TOI_UNIT) + separation + TOI_TINY) * (1 + 4 * TOI_UNIT);
        q->narrow[k] = toi_max(tolerance, size[k] * (64 * TOI_UNIT));
    }
}

// Axis order of a cell: t, u, v.
typedef struct toi_cell
{
    double lo[3];
    double hi[3];
} toi_cell;

// The box of F over a cell.
typedef struct toi_hull
{
    double lo[3];
    double hi[3];
} toi_hull;

// Computes the least box of the eight corner values as rounded; the true values lie within 8 units
// of size of it (section 3). For fixed t the corners' least value is the sum of the least u E and
// the least v G, and rounding is monotone, so two products for each of u, v and end serve all eight
// corners.
TOI_INLINE void toi_cell_hull(const toi_inclusion *q, const toi_cell *c, toi_hull *hull)
{
    double lo[8], hi[8];
    for (int i = 0; i < 8; ++i) {
        double t = i < 4 ? c->lo[0] : c->hi[0];
        double s = 1 - t;
        double p = s * q->p[0][i] + t * q->p[1][i];
        double e = s * q->e[0][i] + t * q->e[1][i];
        double g = s * q->g[0][i] + t * q->g[1][i];
        double e0 = c->lo[1] * e, e1 = c->hi[1] * e;
        double g0 = c->lo[2] * g, g1 = c->hi[2] * g;
        lo[i] = (p + (e0 < e1 ? e0 : e1)) + (g0 < g1 ? g0 : g1);
        hi[i] = (p + (e0 < e1 ? e1 : e0)) + (g0 < g1 ? g1 : g0);
    }
    for (int k = 0; k < 3; ++k) {
        hull->lo[k] = lo[k] < lo[k + 4] ? lo[k] : lo[k + 4];
        hull->hi[k] = hi[k] > hi[k + 4] ? hi[k] : hi[k + 4];
    }
}

// F expanded about a cell's centre, exactly but for rounding:
// F = value + tau dt + mu du + nu dv + tau mu q->de + tau nu q->dg, |tau| <= radius[0] and so on.
typedef struct toi_expansion
{
    double centre[3];
    double radius[3];
    double value[3];
    double dt[3], du[3], dv[3];
    double side;  // mu + nu is at most this in the triangle u + v <= 1; infinite: nobody asks
    bool open[3]; // axes on which the cell's box is not within the threshold; set by who knows it
} toi_expansion;

TOI_INLINE void toi_expand(const toi_inclusion *q, const toi_cell *c, toi_expansion *x)
{
    for (int a = 0; a < 3; ++a) {
        double centre = 0.5 * (c->lo[a] + c->hi[a]);
        double above = c->hi[a] - centre, below = centre - c->lo[a];
        x->centre[a] = centre;
        x->radius[a] = (above > below ? above : below) * (1 + 4 * TOI_UNIT);
    }
    double t = x->centre[0], s = 1 - t, u = x->centre[1], v = x->centre[2];
    // Three roundings of numbers in [-1, 1]. Without a separation contacts are points, and cells
    // shrink to them anyway.
    x->side = q->triangle && q->separation > 0 ? ((1 - u) - v) + 4 * TOI_UNIT : HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        double p = s * q->p[0][k] + t * q->p[1][k];
        x->du[k] = s * q->e[0][k] + t * q->e[1][k];
        x->dv[k] = s * q->g[0][k] + t * q->g[1][k];
        x->value[k] = (p + u * x->du[k]) + v * x->dv[k];
        x->dt[k] = (q->dp[k] + u * q->de[k]) + v * q->dg[k];
    }
}

// What is known of F in one direction: every zero of F in a cell satisfies
// |value + tau slope[0] + mu slope[1] + nu slope[2] + tau (mu mixed[0] + nu mixed[1])| <= slack.
typedef struct toi_inclusion_row
{
    double value;
    double slope[3];
    double mixed[2];
    double slack;
} toi_inclusion_row;

// Of an axis: one component, without a product.
TOI_INLINE void toi_axis_row(const toi_inclusion *q, const toi_expansion *x, int k,
                             toi_inclusion_row *row)
{
    row->value = x->value[k];
    row->slope[0] = x->dt[k];
    row->slope[1] = x->du[k];
    row->slope[2] = x->dv[k];
    row->mixed[0] = q->de[k];
    row->mixed[1] = q->dg[k];
    row->slack = q->size[k] * (24 * TOI_UNIT) + q->separation + TOI_TINY;
}

TOI_INLINE void toi_project(const toi_inclusion *q, const toi_expansion *x, const double n[3],
                            toi_inclusion_row *row)
{
    double weight = 0, norm = 0;
    for (int k = 0; k < 3; ++k) {
        weight += toi_abs(n[k]) * q->size[k];
        norm += toi_abs(n[k]);
    }
    row->slack = weight * (64 * TOI_UNIT) + norm * q->separation + TOI_TINY;
    row->value = toi_dot(n, x->value);
    row->slope[0] = toi_dot(n, x->dt);
    row->slope[1] = toi_dot(n, x->du);
    row->slope[2] = toi_dot(n, x->dv);
    row->mixed[0] = toi_dot(n, q->de);
    row->mixed[1] = toi_dot(n, q->dg);
}

// How far mu slope[1] + nu slope[2] and the rest of a row that is not linear in t may reach where
// mu + nu <= side cuts off the corner at which both terms are largest: slopes of one sign. The most
// of a mu + b nu is then at an end of the cut. The last term covers all roundings, those of the
// caller too (section 5).
TOI_INLINE double toi_side_reach(const toi_inclusion_row *row, const toi_expansion *x,
                                 double others)
{
    const double *r = x->radius;
    double a = toi_abs(row->slope[1]), b = toi_abs(row->slope[2]), d = x->side;
    double most = toi_max(a * r[1] + b * (d - r[1]), a * (d - r[2]) + b * r[2]);
    double size = (a + b) * (r[1] + r[2] + toi_abs(d)) + r[0] * toi_abs(row->slope[0]) + others;
    return (most + others) + size * (64 * TOI_UNIT);
}

// Solves a row for variable `a` (0 t, 1 u, 2 v): every zero of F in the cell has it in [lo, hi]
// about the centre, intersected with what is known. Returns 0 if that is empty: no zero.
// (Section 5.)
TOI_INLINE int toi_solve_row(const toi_inclusion_row *row, toi_expansion *x, int a, double *lo,
                             double *hi)
{
    const double *r = x->radius, *slope = row->slope;
    double mixed = r[0] * (r[1] * toi_abs(row->mixed[0]) + r[2] * toi_abs(row->mixed[1]));
    int b = (a + 1) % 3, c = (a + 2) % 3;
    double rest = (r[b] * toi_abs(slope[b]) + r[c] * toi_abs(slope[c]) + mixed + row->slack) *
                  (1 + 16 * TOI_UNIT);
    double up = rest, down = rest;
    if (a == 0 && x->side < r[1] + r[2] && slope[1] * slope[2] > 0) {
        double cut = toi_min(rest, toi_side_reach(row, x, mixed + row->slack));
        up = slope[1] > 0 ? cut : up;
        down = slope[1] > 0 ? down : cut;
    }
    double own = r[a] * toi_abs(slope[a]);
    if (row->value > (own + down) * (1 + 4 * TOI_UNIT) ||
        -row->value > (own + up) * (1 + 4 * TOI_UNIT))
        return 0;
    if (!(toi_abs(slope[a]) > 0) || r[a] < 0x1p-900)
        return 1;
    double x0 = (-row->value - up) / slope[a], x1 = (down - row->value) / slope[a];
    double below = x0 < x1 ? x0 : x1, above = x0 < x1 ? x1 : x0;
    below -= 4 * TOI_UNIT * toi_abs(below);
    above += 4 * TOI_UNIT * toi_abs(above);
    if (below > *lo)
        *lo = below;
    if (above < *hi)
        *hi = above;
    if (*lo > *hi)
        return 0;
    double reached = toi_abs(*lo) > toi_abs(*hi) ? toi_abs(*lo) : toi_abs(*hi);
    if (reached < x->radius[a])
        x->radius[a] = reached;
    return 1;
}

// Projects the expansion on direction n and solves for a variable.
TOI_INLINE int toi_contract(const toi_inclusion *q, toi_expansion *x, const double n[3], int a,
                            double *lo, double *hi)
{
    toi_inclusion_row row;
    toi_project(q, x, n, &row);
    return toi_solve_row(&row, x, a, lo, hi);
}

// Moves an interval about `centre` back to absolute bounds, outward, without leaving the old ones.
TOI_INLINE void toi_cut_interval(double centre, double below, double above, double *lo, double *hi)
{
    double from = centre + below, to = centre + above;
    from -= 4 * TOI_UNIT * (toi_abs(from) + toi_abs(below));
    to += 4 * TOI_UNIT * (toi_abs(to) + toi_abs(above));
    if (from > *lo)
        *lo = from;
    if (to < *hi)
        *hi = to;
}

// Shrinks a cell around the zeros of F it may contain; returns 0 if it contains none. The three
// directions normal to two of F's derivatives make each row nearly a function of one variable (an
// interval Newton step); the others serve where those derivatives are dependent: parallel edges,
// flat motion.
TOI_INLINE int toi_shrink_cell(const toi_inclusion *q, toi_cell *c, toi_expansion *x)
{
    toi_expand(q, c, x);
    double lo[3], hi[3], n[3], across[3];
    for (int a = 0; a < 3; ++a) {
        lo[a] = -x->radius[a];
        hi[a] = x->radius[a];
    }
    for (int k = 0; k < 3 && q->separation > 0; ++k) {
        toi_inclusion_row row;
        toi_axis_row(q, x, k, &row);
        for (int a = 0; a < 3; ++a)
            if (!toi_solve_row(&row, x, a, &lo[a], &hi[a]))
                return 0;
    }
    toi_cross(x->du, x->dv, n);
    if (!toi_contract(q, x, n, 0, &lo[0], &hi[0]))
        return 0;
    toi_cross(x->dv, x->dt, n);
    if (!toi_contract(q, x, n, 1, &lo[1], &hi[1]))
        return 0;
    toi_cross(x->dt, x->du, n);
    if (!toi_contract(q, x, n, 2, &lo[2], &hi[2]))
        return 0;
    // The way from the cube of the separation to the value.
    for (int k = 0; k < 3; ++k)
        n[k] = x->value[k] - toi_max(-q->separation, toi_min(q->separation, x->value[k]));
    if (!toi_contract(q, x, n, 0, &lo[0], &hi[0]))
        return 0;
    // The parts of the value and of the motion normal to the longer of the two edges.
    const double *edge = toi_max3(x->du) > toi_max3(x->dv) ? x->du : x->dv;
    toi_cross(x->value, edge, across);
    toi_cross(edge, across, n);
    if (!toi_contract(q, x, n, 0, &lo[0], &hi[0]))
        return 0;
    if (hi[0] - lo[0] > x->radius[0]) { // not halved yet
        toi_cross(x->dt, edge, across);
        toi_cross(edge, across, n);
        if (!toi_contract(q, x, n, 0, &lo[0], &hi[0]))
            return 0;
    }
    // Normal to the edge and to an edge of the cube of the separation: where edges are parallel,
    // the one of these that separates does so for all of u and v at once.
    for (int k = 0; k < 3 && q->separation > 0; ++k) {
        double axis[3] = {0, 0, 0};
        axis[k] = 1;
        toi_cross(edge, axis, n);
        if (!toi_contract(q, x, n, 0, &lo[0], &hi[0]))
            return 0;
    }
    for (int a = 0; a < 3; ++a)
        toi_cut_interval(x->centre[a], lo[a], hi[a], &c->lo[a], &c->hi[a]);
    return 1;
}

// The first time at which the pair of points (u, v) comes within the separation, or infinity: F is
// linear in t there, so each axis gives an interval. Not certified; it only tells a search when to
// stop. *blur is how long the motion takes to cross what rounding hides on the axis that comes
// last.
TOI_INLINE double toi_entry_time(const toi_inclusion *q, double u, double v, double *blur)
{
    double from = 0, to = 1;
    *blur = 0;
    for (int k = 0; k < 3; ++k) {
        double at = (q->p[0][k] + u * q->e[0][k]) + v * q->g[0][k];
        double speed = (q->dp[k] + u * q->de[k]) + v * q->dg[k];
        if (speed == 0) {
            if (toi_abs(at) > q->separation)
                return HUGE_VAL;
            continue;
        }
        double t0 = (-q->separation - at) / speed, t1 = (q->separation - at) / speed;
        if (toi_min(t0, t1) > from) {
            from = toi_min(t0, t1);
            *blur = q->size[k] * (32 * TOI_UNIT) / toi_abs(speed);
        }
        to = toi_min(to, toi_max(t0, t1));
    }
    return from <= to ? from : HUGE_VAL;
}

// Cuts a cell to the triangle u + v <= 1; returns 0 if nothing is left. A sum that rounds above 1
// is above 1.
TOI_INLINE int toi_clip_cell(toi_cell *c)
{
    if (c->lo[1] + c->lo[2] > 1)
        return 0;
    double u = (1 - c->lo[2]) * (1 + 4 * TOI_UNIT), v = (1 - c->lo[1]) * (1 + 4 * TOI_UNIT);
    if (u < c->hi[1])
        c->hi[1] = u;
    if (v < c->hi[2])
        c->hi[2] = v;
    return 1;
}

#endif
