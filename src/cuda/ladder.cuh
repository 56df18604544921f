// The rungs of `exact` in double precision for one pair: docs/exact.md, sections 3 to 5. Compiles
// for the host too, where a test climbs it.

#ifndef TOI_CUDA_LADDER_CUH
#define TOI_CUDA_LADDER_CUH

#include "kernel/corner_signs.h"
#include "kernel/normal.h"
#include "kernel/root_time.h"
#include "kernel/word_contact.h"
#include "toi/ccd.h"

enum toi_verdict
{
    TOI_VERDICT_APART,   // no contact, or none that matters
    TOI_VERDICT_CONTACT, // the first contact is bracketed, or its time is known
    TOI_VERDICT_FOLDED,  // D may have more than one root
    TOI_VERDICT_KNOT     // this rung cannot tell
};

enum
{
    TOI_MOST_DIRECTIONS = 16 // that a knot is tried in
};

// A pair at the points of toi_query, its motion and its D.
struct toi_climber
{
    double points[2][4][3];
    double shrink;
    toi_pair_motion motion;
    toi_reach reach;
    toi_cubic cubic;
};

// A bracketed root.
struct toi_root_found
{
    double root, radius;
};

TOI_INLINE void toi_take_climber(int edge_edge, toi_climber *c)
{
    toi_take_scaled_motion(edge_edge, c->points, &c->shrink, &c->motion);
    toi_take_reach(&c->motion, &c->reach);
    toi_take_cubic(&c->motion, &c->reach, &c->cubic);
}

// ---- Roots

// About 1 / x; 0 where that is out of range.
TOI_INLINE double toi_about_inverse(double x)
{
    float f = (float)x;
#ifdef __CUDA_ARCH__
    float inverse = __fdividef(1.0f, f);
#else
    float inverse = 1.0f / f;
#endif
    return fabsf(f) > 0x1p-100f && fabsf(f) < 0x1p100f ? (double)inverse : 0;
}

// Newton's method in single precision from t on, where D, divided by its scale, has the
// coefficients c.
TOI_INLINE float toi_start_root(const float c[4], int rising, float from, float to, float t)
{
    for (int i = 0; i < 5; ++i) {
        float s = 1 - t, value = s * s * (c[0] * s + c[1] * t) + t * t * (c[2] * s + c[3] * t);
        float slope =
            (c[1] - 3 * c[0]) * s * s + 2 * (c[2] - c[1]) * s * t + (3 * c[3] - c[2]) * t * t;
        int behind = (value > 0) == rising;
        to = behind ? t : to;
        from = behind ? from : t;
#ifdef __CUDA_ARCH__
        float next = t - __fdividef(value, slope);
#else
        float next = t - value / slope;
#endif
        t = next >= from && next <= to ? next : 0.5f * (from + to);
    }
    return t;
}

// As toi_find_root() of kernel/crossing.h, started in single precision and with slopes inverted
// there. The result is as good as it is: the bracket is certified afterwards.
TOI_INLINE double toi_find_root_quickly(const toi_cubic *q, double from, double to)
{
    double first = toi_cubic_at(q, &from), last = toi_cubic_at(q, &to);
    double unit = toi_about_inverse(q->scale);
    int rising = first < last;
    double share = first * unit * toi_about_inverse((first - last) * unit);
    double t = from + (to - from) * toi_min(toi_max(share, 0), 1);
    float c[4];
    for (int i = 0; i < 4; ++i)
        c[i] = (float)(q->c[i] * unit);
    double start = toi_start_root(c, rising, (float)from, (float)to, (float)t);
    t = start > from && start < to ? start : t;
    for (int i = 0; i < TOI_MOST_NEWTON_STEPS; ++i) {
        double value = toi_cubic_at(q, &t);
        double next = t - value * unit * toi_about_inverse(toi_cubic_slope(q, &t) * unit);
        int behind = (value > 0) == rising;
        to = behind ? t : to;
        from = behind ? from : t;
        next = next >= from && next <= to ? next : 0.5 * (from + to);
        int near = fabs(next - t) <= 0x1p-50 * t;
        t = next;
        if (near)
            break;
    }
    return t;
}

// A root of D in a piece that has one: bracketed, and a contact? Later than `limit` it does not
// matter.
TOI_INLINE int toi_climb_root(int edge_edge, const toi_climber *c, double from, double to,
                              double limit, toi_root_found *found)
{
    found->root = toi_find_root_quickly(&c->cubic, from, to);
    if (!toi_bracket_root(&c->cubic, &from, &to, &found->root, &found->radius))
        return TOI_VERDICT_KNOT;
    if (found->root - found->radius > limit)
        return TOI_VERDICT_APART;
    toi_inside inside =
        toi_test_inside(edge_edge, &c->motion, &c->reach, &found->root, &found->radius);
    return inside.in ? TOI_VERDICT_CONTACT : inside.out ? TOI_VERDICT_APART : TOI_VERDICT_KNOT;
}

// Where D has no root, or one.
TOI_INLINE int toi_climb_first(int edge_edge, const toi_climber *c, double limit,
                               toi_root_found *found)
{
    const toi_cubic *q = &c->cubic;
    toi_root_count roots = toi_count_roots(q->c, &q->end_error, &q->error);
    if (roots.none)
        return TOI_VERDICT_APART;
    if (roots.one)
        return toi_climb_root(edge_edge, c, 0, 1, limit, found);
    return roots.known ? TOI_VERDICT_FOLDED : TOI_VERDICT_KNOT;
}

// Where it may have more: the pieces in order, up to the first contact. A root that comes later
// than the limit has none before it that is a contact, and those after it are later.
TOI_INLINE int toi_climb_folded(int edge_edge, const toi_climber *c, double limit,
                                toi_root_found *found)
{
    double cuts[4] = {0, 0, 0, 1};
    unsigned rooted = 0;
    toi_cut_step(&c->cubic, &cuts[1], &cuts[2]);
    for (int i = 0; i < 3; ++i) {
        toi_root_count roots = toi_count_piece_roots(&c->cubic, &cuts[i], &cuts[i + 1]);
        if (!roots.none && !roots.one)
            return TOI_VERDICT_KNOT;
        rooted |= roots.none ? 0 : 1u << i;
    }
    int verdict = TOI_VERDICT_APART;
    while (rooted && verdict == TOI_VERDICT_APART) { // no index: the cuts stay in registers
        double from = rooted & 1 ? cuts[0] : rooted & 2 ? cuts[1] : cuts[2];
        double to = rooted & 1 ? cuts[1] : rooted & 2 ? cuts[2] : cuts[3];
        rooted &= rooted - 1;
        verdict = toi_climb_root(edge_edge, c, from, to, limit, found);
    }
    return verdict;
}

// The time of a bracketed contact to its last bit.
TOI_INLINE int toi_climb_time(int edge_edge, toi_climber *c, const toi_root_found *found,
                              double *time)
{
    toi_mask sure = toi_find_root_time(edge_edge, c->points, &c->shrink, &c->motion, &c->cubic,
                                       &found->root, &found->radius, time);
    return sure ? TOI_VERDICT_CONTACT : TOI_VERDICT_KNOT;
}

// ---- What is left

// Does a direction separate them? Many of Gilbert's steps.
TOI_INLINE int toi_climb_directions(int edge_edge, const toi_pair_motion *m, int steps)
{
    const double none = 0;
    double d[3], slack[3];
    toi_mean_direction(edge_edge, m, d);
    toi_take_slack(m, &none, slack);
    for (int i = 0; i < steps; ++i)
        if (toi_try_signs(edge_edge, m, slack, d))
            return 1;
    return 0;
}

// Does a corner of the one primitive coincide with a corner of the other?
TOI_INLINE int toi_corners_meet(int edge_edge, const double x[4][3])
{
    int meet = 0;
    for (int i = 0; i < 4;
         ++i) { // of edges, the corners 0 and 1 with 2 and 3; else 0 with the rest
        int a = edge_edge ? i / 2 : 0, b = edge_edge ? 2 + i % 2 : i;
        meet |= a != b && x[a][0] == x[b][0] && x[a][1] == x[b][1] && x[a][2] == x[b][2];
    }
    return meet;
}

// A knot, first of all: is there contact at the start? That is common. 1, -1: no, 0: not known.
TOI_INLINE int toi_touch_knot(int edge_edge, double points[2][4][3])
{
    const double *start = points[0][0];
    toi_word_motion words;
    int unit;
    if (toi_corners_meet(edge_edge, points[0]))
        return 1;
    if (toi_find_unit(start, start, &unit) > TOI_WORD_BITS)
        return 0;
    toi_take_word_motion(edge_edge, start, unit, &words);
    return toi_touch_in_words(edge_edge, &words);
}

// Where there is none, or it is not known: signs of exact coefficients, directions, and then all
// that whole numbers can tell. Returns a toi_fixed_verdict.
TOI_INLINE int toi_untie_knot(int edge_edge, double points[2][4][3], int touch, double limit,
                              double *time)
{
    const double *start = points[0][0], *end = points[1][0];
    toi_pair_motion m;
    double shrink;
    int unit;
    *time = 0;
    int bits = toi_find_unit(start, end, &unit);
    // Whole numbers of that many bits have no contact before 2^-500 but at 0: docs/cuda.md, section
    // 5. Others may have one before the first double.
    if (touch < 0 && limit == 0 && bits <= TOI_FIXED_POINT_BITS)
        return TOI_FIXED_SEPARATED;
    if (touch < 0 && bits <= TOI_WORD_BITS) {
        int verdict = toi_decide_in_words(edge_edge, start, end, unit, limit, time);
        if (verdict != TOI_FIXED_OPEN)
            return verdict;
    }
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    if (toi_climb_directions(edge_edge, &m, TOI_MOST_DIRECTIONS))
        return TOI_FIXED_SEPARATED;
    return toi_decide_fixed(edge_edge, start, end, limit, time);
}

// Both.
TOI_INLINE int toi_climb_knot(int edge_edge, double points[2][4][3], double limit, double *time)
{
    int touch = toi_touch_knot(edge_edge, points);
    *time = 0;
    return touch > 0 ? TOI_FIXED_HIT : toi_untie_knot(edge_edge, points, touch, limit, time);
}

// ---- Places

// Where they touch, and which way, with the bits of the processor's answer.
TOI_INLINE void toi_place_impact(int edge_edge, double points[2][4][3], toi_impact *impact)
{
    toi_pair_motion m;
    toi_contact_place p;
    double shrink;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    toi_settle_contact_place(edge_edge, &m, &impact->time, &p);
    toi_hit_place at = {points[0][0], points[1][0], impact->time, p.u, p.v};
    toi_contact_frame frame;
    for (int k = 0; k < 3; ++k) {
        frame.e[k] = p.e[k];
        frame.g[k] = p.g[k];
        frame.speed[k] = p.speed[k];
        impact->normal[k] = 0;
    }
    frame.e_size = p.e_size;
    frame.g_size = p.g_size;
    impact->u = p.u;
    impact->v = p.v;
    toi_find_normal(edge_edge, &at, &frame, impact->normal);
}

#endif
