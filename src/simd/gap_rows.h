// The gaps of kernel/gaps.h on the rows of simd/motion_rows.h: all axes of a pair in one vector.

#ifndef TOI_SIMD_GAP_ROWS_H
#define TOI_SIMD_GAP_ROWS_H

#include "simd/motion_rows.h"

// ---- Corners in double: three axes and an idle number at t = 0, and the same at t = 1

#if defined(TOI_ISA_avx512)
#define TOI_WIDE_MIN(a, b) ((toi_wide_motion_row)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define TOI_WIDE_MAX(a, b) ((toi_wide_motion_row)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#elif defined(TOI_ISA_avx2)
typedef double toi_half_row __attribute__((vector_size(32)));
#define TOI_LOW_HALF(a) ((__m256d)__builtin_shufflevector(a, a, 0, 1, 2, 3))
#define TOI_HIGH_HALF(a) ((__m256d)__builtin_shufflevector(a, a, 4, 5, 6, 7))
#define TOI_JOIN(a, b)                                                                             \
    __builtin_shufflevector((toi_half_row)(a), (toi_half_row)(b), 0, 1, 2, 3, 4, 5, 6, 7)
#define TOI_WIDE_MIN(a, b)                                                                         \
    TOI_JOIN(_mm256_min_pd(TOI_LOW_HALF(a), TOI_LOW_HALF(b)),                                      \
             _mm256_min_pd(TOI_HIGH_HALF(a), TOI_HIGH_HALF(b)))
#define TOI_WIDE_MAX(a, b)                                                                         \
    TOI_JOIN(_mm256_max_pd(TOI_LOW_HALF(a), TOI_LOW_HALF(b)),                                      \
             _mm256_max_pd(TOI_HIGH_HALF(a), TOI_HIGH_HALF(b)))
#else
typedef int64_t toi_wide_mask __attribute__((vector_size(64)));
#define TOI_WIDE_SELECT(mask, a, b)                                                                \
    ((toi_wide_motion_row)(((toi_wide_mask)(mask) & (toi_wide_mask)(a)) |                          \
                           (~(toi_wide_mask)(mask) & (toi_wide_mask)(b))))
#define TOI_WIDE_MIN(a, b) TOI_WIDE_SELECT((a) < (b), a, b)
#define TOI_WIDE_MAX(a, b) TOI_WIDE_SELECT((a) > (b), a, b)
#endif

#define TOI_GAP_ROW toi_wide_motion_row
#define TOI_GAP_NAME(f) f##_wide
#define TOI_GAP_ABS(a) TOI_WIDE_MAX(a, -(a))
#define TOI_GAP_SLACK 0x1p-49
#define TOI_GAP_MIN(a, b) TOI_WIDE_MIN(a, b)
#define TOI_GAP_MAX(a, b) TOI_WIDE_MAX(a, b)
#include "kernel/gaps.h"

// Closes the gaps as far as they may close until t.
TOI_INLINE toi_wide_motion_row toi_close_row(toi_wide_motion_row gaps, double t)
{
    toi_wide_motion_row start = __builtin_shufflevector(gaps, gaps, 0, 1, 2, 3, 0, 1, 2, 3);
    toi_wide_motion_row steps = {0, 0, 0, 0, t, t, t, t};
    return toi_close_gap_wide(&start, &gaps, &steps);
}

// Is a gap above the separation on some axis, at both ends of the step?
TOI_INLINE int toi_stays_open(toi_wide_motion_row gaps, double separation)
{
#if defined(TOI_ISA_avx512)
    unsigned open = _mm512_cmp_pd_mask((__m512d)gaps, _mm512_set1_pd(separation), _CMP_GT_OQ);
    return (open & open >> 4) != 0;
#elif defined(TOI_ISA_avx2)
    __m256d start = TOI_LOW_HALF(gaps), end = TOI_HIGH_HALF(gaps), s = _mm256_set1_pd(separation);
    return _mm256_movemask_pd(_mm256_and_pd(_mm256_cmp_pd(start, s, _CMP_GT_OQ),
                                            _mm256_cmp_pd(end, s, _CMP_GT_OQ))) != 0;
#else
    int open = 0;
    for (int k = 0; k < 3; ++k)
        open |= (gaps[k] > separation) & (gaps[k + 4] > separation);
    return open;
#endif
}

// ---- Boxes in single precision

// The numbers of a primitive's bounds: 3 (2 end + side) + axis, where the sides are low and minus
// high. Those after them are read along, and mean nothing here.
enum
{
    TOI_BOUND_NUMBERS = 16,
    TOI_BOUND_END = 6,     // numbers of one end
    TOI_BOUND_GAPS = 0x3f, // a bit for each
    TOI_BOUND_SIDE = 3
};

// Both sides at a time where a register holds them: GCC compares longer vectors number by number.
#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
#define TOI_SIDES 2
#else
#define TOI_SIDES 1
#endif
typedef float toi_side_row __attribute__((vector_size(16 * TOI_SIDES)));
typedef int32_t toi_side_mask __attribute__((vector_size(16 * TOI_SIDES)));

#define TOI_GAP_ROW toi_side_row
#define TOI_GAP_NAME(f) f##_side
#define TOI_GAP_ABS(a) ((toi_side_row)((toi_side_mask)(a)&INT32_MAX))
#define TOI_GAP_SLACK 0x1p-20f
#if defined(TOI_ISA_avx512)
#define TOI_GAP_SET unsigned
#define TOI_GAP_ABOVE(a)                                                                           \
    ((unsigned)_mm256_cmp_ps_mask((__m256)(a), _mm256_setzero_ps(), _CMP_GT_OQ))
#else
#define TOI_GAP_SET toi_side_mask
#define TOI_GAP_ABOVE(a) ((a) > 0)
#endif
#include "kernel/gaps.h"

TOI_INLINE toi_side_row toi_load_side(const float *at)
{
    toi_side_row x;
    memcpy(&x, at, sizeof x);
    return x;
}

#if TOI_SIDES == 2
// High before low: so a sum with the sides of another box is a gap.
TOI_INLINE toi_side_row toi_load_swapped(const float *at)
{
    toi_side_row x = toi_load_side(at);
    return __builtin_shufflevector(x, x, 3, 4, 5, 0, 1, 2, 6, 7);
}
#endif

// Do the boxes of two primitives tell them apart from the start of the step up to t?
TOI_INLINE int toi_boxes_apart_until(const float a[TOI_BOUND_NUMBERS],
                                     const float b[TOI_BOUND_NUMBERS], float t)
{
    const toi_side_row until = (toi_side_row){0} + t;
#if TOI_SIDES == 2
    const toi_side_row first[2] = {toi_load_side(a), toi_load_side(a + TOI_BOUND_END)};
    const toi_side_row second[2] = {toi_load_swapped(b), toi_load_swapped(b + TOI_BOUND_END)};
#if defined(TOI_ISA_avx512)
    unsigned apart = toi_bounds_apart_side(first, second, 1, &until);
#else
    int apart = _mm256_movemask_ps((__m256)toi_bounds_apart_side(first, second, 1, &until));
#endif
    return (apart & TOI_BOUND_GAPS) != 0;
#else
    toi_side_mask apart = {0};
    for (int side = 0; side < 2; ++side) {
        const float *low = a + TOI_BOUND_SIDE * side, *high = b + TOI_BOUND_SIDE * (1 - side);
        toi_side_row first[2] = {toi_load_side(low), toi_load_side(low + TOI_BOUND_END)};
        toi_side_row second[2] = {toi_load_side(high), toi_load_side(high + TOI_BOUND_END)};
        apart |= toi_bounds_apart_side(first, second, 1, &until);
    }
    return (apart[0] | apart[1] | apart[2]) != 0;
#endif
}

// Where the boxes of one end are farther apart than `margin`: bits in the order of the numbers;
// others mean nothing. A sum of two floats is above a float only if the true sum is.
TOI_INLINE unsigned toi_open_gaps(const float *a, const float *b, float margin)
{
#if TOI_SIDES == 2
    __m256 gaps = (__m256)(toi_load_side(a) + toi_load_swapped(b)), least = _mm256_set1_ps(margin);
#if defined(TOI_ISA_avx512)
    return _mm256_cmp_ps_mask(gaps, least, _CMP_GT_OQ);
#else
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(gaps, least, _CMP_GT_OQ));
#endif
#else
    unsigned open = 0;
    for (int side = 0; side < 2; ++side) {
        toi_side_row gaps = toi_load_side(a + TOI_BOUND_SIDE * side) +
                            toi_load_side(b + TOI_BOUND_SIDE * (1 - side));
        toi_side_mask above = gaps > margin;
        for (int k = 0; k < 3; ++k)
            open |= (above[k] ? 1u : 0u) << (TOI_BOUND_SIDE * side + k);
    }
    return open;
#endif
}

// Is one gap open at both ends? Then it is open in between.
TOI_INLINE int toi_boxes_clear(const float a[TOI_BOUND_NUMBERS], const float b[TOI_BOUND_NUMBERS],
                               float margin)
{
    return (toi_open_gaps(a, b, margin) &
            toi_open_gaps(a + TOI_BOUND_END, b + TOI_BOUND_END, margin) & TOI_BOUND_GAPS) != 0;
}

// Or open so far at the start that two such ways cannot close it?
TOI_INLINE int toi_boxes_clear_at_start(const float a[TOI_BOUND_NUMBERS],
                                        const float b[TOI_BOUND_NUMBERS], float margin)
{
    return (toi_open_gaps(a, b, margin) & TOI_BOUND_GAPS) != 0;
}

// Bounds from below.
TOI_INLINE toi_motion_row toi_round_row_down(toi_wide_motion_row x)
{
    typedef int32_t row_mask __attribute__((vector_size(32)));
    toi_motion_row nearest = __builtin_convertvector(x, toi_motion_row), least = {0};
    row_mask some = __builtin_convertvector(x != 0, row_mask);
    least = (toi_motion_row)(some & (row_mask)(least + 0x1p-126f));
    toi_side_row number[2 / TOI_SIDES], one[2 / TOI_SIDES];
    memcpy(number, &nearest, sizeof number);
    memcpy(one, &least, sizeof one);
    for (int i = 0; i < 2 / TOI_SIDES; ++i)
        number[i] = toi_round_bound_side(&number[i], &one[i]);
    memcpy(&nearest, number, sizeof nearest);
    return nearest;
}

#endif
