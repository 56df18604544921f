// When a cubic vanishes in [0, 1]: it is cut at its critical points into monotone pieces, and where
// a piece changes sign a bracketed Householder iteration finds the root (Huh et al. 2014, section
// 6). docs/fast.md, section 2. The cubic is in Bernstein form (kernel/coplanarity.h); only its
// coefficients are looked at.

#ifndef TOI_KERNEL_ROOTS_H
#define TOI_KERNEL_ROOTS_H

#include "kernel/coplanarity.h"

#if TOI_LANES != 1 || defined(TOI_SINGLE)
#error "one cubic at a time, in double: include this in a source with TOI_LANES 1"
#endif

enum
{
    TOI_MOST_TIMES = 7,        // four nodes and three pieces
    TOI_HOUSEHOLDER_STEPS = 24 // then the bracket is halved until it is narrow enough
};

TOI_INLINE double toi_cubic_curvature(const toi_cubic *q, const double *t)
{
    double d[3];
    toi_take_slope(q, d);
    return (1 - *t) * (d[1] - 2 * d[0]) + *t * (2 * d[2] - d[1]);
}

// The two ends of a piece of the time over which the cubic is monotone.
typedef struct toi_monotone_piece
{
    double from, to;
    double first, last; // the values there
} toi_monotone_piece;

// The root in a piece that changes sign, to within `tolerance`; or any time there at which the
// cubic is at most `level` in size.
TOI_INLINE double toi_bracketed_root(const toi_cubic *q, const toi_monotone_piece *piece,
                                     double tolerance, double level)
{
    double from = piece->from, to = piece->to;
    // Between the secant, which is poor next to a critical point, and the middle.
    double t = from + (to - from) * (0.25 + 0.5 * piece->first / (piece->first - piece->last));
    for (int step = 0; to - from > tolerance && t > from && t < to; ++step) {
        double value = toi_cubic_at(q, &t);
        if (fabs(value) <= level)
            return t;
        int behind = (value > 0) == (piece->last > 0);
        to = behind ? t : to;
        from = behind ? from : t;
        double inverse = 1 / toi_cubic_slope(q, &t), newton = value * inverse;
        double change = newton * (1 + 0.5 * newton * inverse * toi_cubic_curvature(q, &t));
        // Close to the root the step goes beyond it, so that the bracket closes from both sides.
        if (fabs(change) < 0.5 * tolerance)
            change = behind ? 0.75 * tolerance : -0.75 * tolerance;
        t -= change;
        if (step >= TOI_HOUSEHOLDER_STEPS || !(t > from && t < to))
            t = 0.5 * (from + to);
    }
    return 0.5 * (from + to);
}

// Do all coefficients have one sign, though each may be off by `level`? Then so has the cubic.
TOI_INLINE int toi_keeps_sign(const toi_cubic *q, double level)
{
    const double *c = q->c;
    return (c[0] > level && c[1] > level && c[2] > level && c[3] > level) ||
           (c[0] < -level && c[1] < -level && c[2] < -level && c[3] < -level);
}

// The times in [0, 1], in order, that stand for the roots: every end of a piece where the value is
// at most `level`, or so small that a double root may lie within `tolerance`, and the root of every
// piece that changes sign. One root may be there twice. Returns how many.
TOI_INLINE int toi_root_times(const toi_cubic *q, double tolerance, double level,
                              double times[TOI_MOST_TIMES])
{
    if (toi_keeps_sign(q, level))
        return 0;
    double nodes[4] = {0, 0, 0, 0}, half_square = 0.5 * tolerance * tolerance, first, last;
    int pieces = 1, count = 0;
    toi_critical_points(q, &first, &last);
    if (first > 0)
        nodes[pieces++] = first;
    if (last > 0)
        nodes[pieces++] = last;
    nodes[pieces] = 1;
    toi_monotone_piece piece = {0, 0, 0, 0};
    for (int i = 0; i <= pieces; ++i) {
        piece.from = piece.to;
        piece.first = piece.last;
        piece.to = nodes[i];
        piece.last = toi_cubic_at(q, &nodes[i]);
        if ((piece.first < 0 && piece.last > 0) || (piece.first > 0 && piece.last < 0))
            times[count++] = toi_bracketed_root(q, &piece, tolerance, level);
        if (fabs(piece.last) <= level + half_square * fabs(toi_cubic_curvature(q, &piece.to)))
            times[count++] = piece.to;
    }
    return count;
}

// Is the cubic more than `level` in size at both ends of the interval of `radius` around t, as far
// as they are in (0, 1)? Then the root that t stands for is in there, if its values are off by no
// more than `level`.
TOI_INLINE int toi_root_is_within(const toi_cubic *q, double t, double radius, double level)
{
    double before = t - radius, after = t + radius;
    return (before <= 0 || fabs(toi_cubic_at(q, &before)) > level) &&
           (after >= 1 || fabs(toi_cubic_at(q, &after)) > level);
}

#endif
