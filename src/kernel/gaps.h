// Gaps between two primitives on the coordinate axes, at both ends of the step and up to a time in
// between, from corners and from boxes: docs/exact.md, section 1.
//
// Written on any kind of number: the kernels' own (kernel/lanes.h), or a row that holds several
// axes, sides or ends of one pair. C has no templates, so a source that has such rows defines
//     TOI_GAP_ROW       the type, TOI_GAP_NAME(f) the functions' names for it,
//     TOI_GAP_ABS(a)    the absolute value,
//     TOI_GAP_SLACK     the share that covers the roundings: 2^-49 of doubles, 2^-20 of floats,
//     TOI_GAP_MIN(a, b) and TOI_GAP_MAX(a, b), for gaps of corners,
//     TOI_GAP_SET       what TOI_GAP_ABOVE(a), where a is above zero, results in, for gaps of
//     boxes,
// and includes this once for each.

#include "kernel/lanes.h"

#if !defined(TOI_GAP_ROW) && !defined(TOI_KERNEL_GAPS_H)
#define TOI_KERNEL_GAPS_H
#define TOI_GAP_ROW toi_real
#define TOI_GAP_NAME(f) f
#define TOI_GAP_ABS(a) toi_abs(a)
#ifdef TOI_SINGLE
#define TOI_GAP_SLACK 0x1p-20f
#else
#define TOI_GAP_SLACK 0x1p-49
#endif
#define TOI_GAP_MIN(a, b) toi_min(a, b)
#define TOI_GAP_MAX(a, b) toi_max(a, b)
#define TOI_GAP_SET toi_mask
#define TOI_GAP_ABOVE(a) TOI_TEST((a) > 0)
#endif

#ifdef TOI_GAP_ROW

#ifdef TOI_GAP_MIN
// The least gap between corners of the one and corners of the other, upwards and downwards.
// Rounding is monotone: a rounded gap is above the separation only if the true one is.
TOI_INLINE void TOI_GAP_NAME(toi_take_gaps)(int edge_edge, const TOI_GAP_ROW x[4],
                                            TOI_GAP_ROW *above, TOI_GAP_ROW *below)
{
    TOI_GAP_ROW low_a = edge_edge ? TOI_GAP_MIN(x[0], x[1]) : x[0];
    TOI_GAP_ROW high_a = edge_edge ? TOI_GAP_MAX(x[0], x[1]) : x[0];
    TOI_GAP_ROW low_b = TOI_GAP_MIN(x[2], x[3]), high_b = TOI_GAP_MAX(x[2], x[3]);
    low_b = edge_edge ? low_b : TOI_GAP_MIN(low_b, x[1]);
    high_b = edge_edge ? high_b : TOI_GAP_MAX(high_b, x[1]);
    *above = low_a - high_b;
    *below = low_b - high_a;
}
#endif

// The gap at time t, as far as it may have closed by then: in proportion to the time. The slack
// covers five roundings.
TOI_INLINE TOI_GAP_ROW TOI_GAP_NAME(toi_close_gap)(const TOI_GAP_ROW *start, const TOI_GAP_ROW *end,
                                                   const TOI_GAP_ROW *t)
{
    return *start + *t * (*end - *start) - (*start + *t * TOI_GAP_ABS(*end)) * TOI_GAP_SLACK;
}

#ifdef TOI_GAP_ABOVE
// A number not above the one that was rounded to `nearest`: one to three units of the last place
// below it. `least` is the least normal float, so that no denormal comes out, which are slow to
// compute with; for zero it is zero, which stays as it is.
TOI_INLINE TOI_GAP_ROW TOI_GAP_NAME(toi_round_bound)(const TOI_GAP_ROW *nearest,
                                                     const TOI_GAP_ROW *least)
{
    return *nearest - (TOI_GAP_ABS(*nearest) * 0x1p-23f + *least);
}

// Where two boxes are apart at both ends, or, if `early`, from the start up to t. Bounds are low
// and minus high, rounded down; those of `b` come with the two exchanged. So their sum is a gap
// that is never too large, and a sum of two floats has the right sign: what bounds separate, the
// axes in double separate too. t is not so small that it underflows.
TOI_INLINE TOI_GAP_SET TOI_GAP_NAME(toi_bounds_apart)(const TOI_GAP_ROW a[2],
                                                      const TOI_GAP_ROW b[2], int early,
                                                      const TOI_GAP_ROW *t)
{
    TOI_GAP_ROW start = a[0] + b[0], end = a[1] + b[1];
    if (early)
        end = TOI_GAP_NAME(toi_close_gap)(&start, &end, t);
    return TOI_GAP_ABOVE(start) & TOI_GAP_ABOVE(end);
}
#endif

#undef TOI_GAP_ROW
#undef TOI_GAP_NAME
#undef TOI_GAP_ABS
#undef TOI_GAP_SLACK
#undef TOI_GAP_MIN
#undef TOI_GAP_MAX
#undef TOI_GAP_SET
#undef TOI_GAP_ABOVE
#endif
