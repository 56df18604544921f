// The time of a bracketed root, to the last bit: docs/exact.md, section 5.

#ifndef TOI_KERNEL_ROOT_TIME_H
#define TOI_KERNEL_ROOT_TIME_H

#include "kernel/crossing.h"
#include "kernel/doubled.h"

// The differences of kernel/motion.h without any rounding.
typedef struct toi_exact_motion
{
    toi_doubled p[2][3], e[2][3], g[2][3];
} toi_exact_motion;

TOI_INLINE toi_doubled toi_exact_difference(toi_real a, toi_real b, toi_real scale)
{
    toi_doubled d = toi_two_sum(a, -b);
    d.high *= scale;
    d.low *= scale;
    return d;
}

// `points` times `shrink` times `scale` are what toi_pair_motion was made from, all powers of two.
TOI_INLINE void toi_take_exact(int edge_edge, toi_real points[2][4][3], const toi_real *shrink,
                               const toi_real *scale, toi_exact_motion *m)
{
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) {
            toi_real x0 = points[end][0][k] * *shrink, x1 = points[end][1][k] * *shrink;
            toi_real x2 = points[end][2][k] * *shrink, x3 = points[end][3][k] * *shrink;
            m->p[end][k] = toi_exact_difference(x0, edge_edge ? x2 : x1, *scale);
            m->e[end][k] = edge_edge ? toi_exact_difference(x1, x0, *scale)
                                     : toi_exact_difference(x1, x2, *scale);
            m->g[end][k] = edge_edge ? toi_exact_difference(x2, x3, *scale)
                                     : toi_exact_difference(x1, x3, *scale);
        }
}

TOI_INLINE toi_doubled toi_doubled_at(toi_doubled ends[2][3], int k, const toi_real *t)
{
    toi_doubled step = toi_doubled_subtract(ends[1][k], ends[0][k]);
    return toi_doubled_add(ends[0][k], toi_doubled_scale(step, *t));
}

// D(t), within 2^-99 of the cubic's scale.
TOI_INLINE toi_real toi_exact_cubic_at(toi_exact_motion *m, const toi_real *t)
{
    toi_doubled p[3], e[3], g[3], sum = {TOI_SPREAD(0), TOI_SPREAD(0)};
    for (int k = 0; k < 3; ++k) {
        p[k] = toi_doubled_at(m->p, k, t);
        e[k] = toi_doubled_at(m->e, k, t);
        g[k] = toi_doubled_at(m->g, k, t);
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        toi_doubled n = toi_doubled_subtract(toi_doubled_multiply(e[i], g[j]),
                                             toi_doubled_multiply(e[j], g[i]));
        sum = toi_doubled_add(sum, toi_doubled_multiply(p[k], n));
    }
    return sum.high;
}

// The largest double not above base + shift; `between` is set where it is certainly below. The sum
// must be positive.
TOI_INLINE toi_real toi_floor_sum(toi_real base, toi_real shift, toi_mask *between)
{
    toi_doubled sum = toi_two_sum(base, shift);
    *between = TOI_TEST(sum.low != 0);
    return toi_from_bits(toi_to_bits(sum.high) + TOI_TEST(sum.low < 0)); // minus one where set
}

// All ones where `time` is the largest double not above the root, and not the root itself.
TOI_INLINE toi_mask toi_certify_time(const toi_cubic *q, toi_exact_motion *m, const toi_real *t,
                                     const toi_real *radius, toi_real *time)
{
    toi_real value = toi_exact_cubic_at(m, t), slope = toi_cubic_slope(q, t);
    toi_real steepness = toi_abs(slope);
    toi_real spread = q->scale * (200 * TOI_UNIT + 24 * *radius) / steepness;
    toi_real shift = -value / slope;
    toi_real noise = (q->scale * 0x1p-99 + TOI_TINY) / steepness;
    toi_real error =
        (toi_abs(shift) * (2 * spread + 16 * TOI_UNIT) + 2 * noise) * (1 + 16 * TOI_UNIT);
    toi_mask above_low, above_high;
    toi_real low = toi_floor_sum(*t, shift - error, &above_low);
    toi_real high = toi_floor_sum(*t, shift + error, &above_high);
    *time = low;
    return TOI_TEST((spread < 0x1p-8) & (low == high) & (low >= 0)) & above_low;
}

// The same from the points: `shrink` and `m` are what toi_take_scaled_motion() made of them.
TOI_INLINE toi_mask toi_find_root_time(int edge_edge, toi_real points[2][4][3],
                                       const toi_real *shrink, const toi_pair_motion *m,
                                       const toi_cubic *q, const toi_real *t,
                                       const toi_real *radius, toi_real *time)
{
    toi_exact_motion exact;
    toi_real scale = m->scale / *shrink;
    toi_take_exact(edge_edge, points, shrink, &scale, &exact);
    return toi_certify_time(q, &exact, t, radius, time);
}

#endif
