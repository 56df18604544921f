// Comparing a box with the sixteen of a block, at one time or at both ends of a step, for each
// instruction set.

#ifndef TOI_BROAD_COMPARE_ISA_H
#define TOI_BROAD_COMPARE_ISA_H

#include "broad/layout/block_isa.h"
#include "broad/tree/tree.h"

#include <math.h>

// The six columns of a block, in as many parts as a vector needs for sixteen lanes.
#if defined(TOI_ISA_avx512)
typedef __m512 part;
typedef __m512i label_part;
#define PARTS 1
#define LOAD_PART(from) _mm512_load_ps(from)
#define LOAD_LABELS(from) _mm512_load_si512(from)
#elif defined(TOI_ISA_avx2)
typedef __m256 part;
typedef __m256i label_part;
#define PARTS 2
#define LOAD_PART(from) _mm256_load_ps(from)
#define LOAD_LABELS(from) _mm256_load_si256((const __m256i *)(from))
#elif defined(__SSE2__)
typedef __m128 part;
typedef __m128i label_part;
#define PARTS 4
#define LOAD_PART(from) _mm_load_ps(from)
#define LOAD_LABELS(from) _mm_load_si128((const __m128i *)(from))
#else
typedef float part;
typedef int32_t label_part;
#define PARTS TOI_BLOCK
#define LOAD_PART(from) (*(from))
#define LOAD_LABELS(from) (*(from))
#endif

typedef struct columns
{
    part side[TOI_SIDES][PARTS];
} columns;

TOI_LANE_INLINE columns load_columns(const toi_tree_block *block)
{
    columns c;
    for (int s = 0; s < TOI_SIDES; ++s)
        for (int p = 0; p < PARTS; ++p)
            c.side[s][p] = LOAD_PART(block->bound[s] + p * (TOI_BLOCK / PARTS));
    return c;
}

// The labels of a block, in parts likewise.
typedef struct label_columns
{
    label_part corner[3][PARTS];
} label_columns;

TOI_LANE_INLINE label_columns load_labels(const int32_t *labels, const int corners)
{
    label_columns l;
    for (int c = 0; c < corners; ++c)
        for (int p = 0; p < PARTS; ++p)
            l.corner[c][p] = LOAD_LABELS(labels + c * TOI_BLOCK + p * (TOI_BLOCK / PARTS));
    return l;
}

// A single box.
typedef struct probe
{
    float lo[3];
    float hi[3];
} probe;

TOI_LANE_INLINE probe load_probe(const toi_tree_block *block, int lane)
{
    return (probe){{block->bound[0][lane], block->bound[1][lane], block->bound[2][lane]},
                   {block->bound[3][lane], block->bound[4][lane], block->bound[5][lane]}};
}

TOI_LANE_INLINE probe row_probe(const toi_box_row *row)
{
    return (probe){{(*row)[0], (*row)[1], (*row)[2]},
                   {0 - (*row)[4], 0 - (*row)[5], 0 - (*row)[6]}};
}

// Bit i: lane i overlaps the probe; `strict`: by more than a touch.
#if defined(TOI_ISA_avx512)
// Two intervals overlap if the greater beginning is not above the lesser end: one comparison an
// axis, since it is masks that a processor makes few of in a clock. The axes apart from each other,
// so that none waits for another. That needs lower bounds that are not above upper ones, as boxes
// have. Where touching is no overlap it would leave out the box of a point, which begins where it
// ends, inside of another: there it takes two comparisons.
TOI_LANE_INLINE unsigned overlap(const columns *c, const probe *p, const bool strict)
{
    __mmask16 m[3];
    for (int k = 0; k < 3; ++k) {
        __m512 lo = _mm512_set1_ps(p->lo[k]), hi = _mm512_set1_ps(p->hi[k]);
        __m512 our_lo = c->side[k][0], our_hi = c->side[3 + k][0];
        if (strict) {
            m[k] = _mm512_cmp_ps_mask(our_lo, hi, _CMP_LT_OQ);
            m[k] = _mm512_mask_cmp_ps_mask(m[k], our_hi, lo, _CMP_GT_OQ);
        } else {
            m[k] = _mm512_cmp_ps_mask(_mm512_max_ps(our_lo, lo), _mm512_min_ps(our_hi, hi),
                                      _CMP_LE_OQ);
        }
    }
    return _kand_mask16(_kand_mask16(m[0], m[1]), m[2]);
}

// Those lanes of the mask that have none of some labels, which stand as in a block.
TOI_LANE_INLINE unsigned differ(unsigned mask, const label_columns *ours, const int corners,
                                const int32_t *theirs, const int count)
{
    __m512i least = _mm512_set1_epi32(-1);
    for (int i = 0; i < count * corners; ++i) {
        __m512i label = _mm512_set1_epi32(theirs[i / corners * TOI_BLOCK]);
        least = _mm512_min_epu32(least, _mm512_xor_si512(ours->corner[i % corners][0], label));
    }
    return _mm512_mask_test_epi32_mask((__mmask16)mask, least, least);
}
#elif defined(TOI_ISA_avx2)
TOI_LANE_INLINE unsigned overlap(const columns *c, const probe *p, const bool strict)
{
    __m256 m[2];
    for (int h = 0; h < 2; ++h)
        for (int k = 0; k < 3; ++k) {
            __m256 lo = _mm256_set1_ps(p->lo[k]), hi = _mm256_set1_ps(p->hi[k]);
            __m256 below = strict ? _mm256_cmp_ps(c->side[k][h], hi, _CMP_LT_OQ)
                                  : _mm256_cmp_ps(c->side[k][h], hi, _CMP_LE_OQ);
            __m256 above = strict ? _mm256_cmp_ps(c->side[3 + k][h], lo, _CMP_GT_OQ)
                                  : _mm256_cmp_ps(c->side[3 + k][h], lo, _CMP_GE_OQ);
            __m256 both = _mm256_and_ps(below, above);
            m[h] = k == 0 ? both : _mm256_and_ps(m[h], both);
        }
    return (unsigned)_mm256_movemask_ps(m[0]) | (unsigned)_mm256_movemask_ps(m[1]) << 8;
}

TOI_LANE_INLINE unsigned differ(unsigned mask, const label_columns *ours, const int corners,
                                const int32_t *theirs, const int count)
{
    unsigned same = 0;
    for (int q = 0; q < PARTS; ++q) {
        __m256i equal = _mm256_setzero_si256();
        for (int i = 0; i < count * corners; ++i)
            equal = _mm256_or_si256(
                equal, _mm256_cmpeq_epi32(ours->corner[i % corners][q],
                                          _mm256_set1_epi32(theirs[i / corners * TOI_BLOCK])));
        same |= (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << (8 * q);
    }
    return mask & ~same;
}
#elif defined(__SSE2__)
TOI_LANE_INLINE unsigned overlap(const columns *c, const probe *p, const bool strict)
{
    unsigned mask = 0;
    for (int q = 0; q < PARTS; ++q) {
        __m128 m = _mm_setzero_ps();
        for (int k = 0; k < 3; ++k) {
            __m128 lo = _mm_set1_ps(p->lo[k]), hi = _mm_set1_ps(p->hi[k]);
            __m128 below =
                strict ? _mm_cmplt_ps(c->side[k][q], hi) : _mm_cmple_ps(c->side[k][q], hi);
            __m128 above =
                strict ? _mm_cmpgt_ps(c->side[3 + k][q], lo) : _mm_cmpge_ps(c->side[3 + k][q], lo);
            __m128 both = _mm_and_ps(below, above);
            m = k == 0 ? both : _mm_and_ps(m, both);
        }
        mask |= (unsigned)_mm_movemask_ps(m) << (4 * q);
    }
    return mask;
}

TOI_LANE_INLINE unsigned differ(unsigned mask, const label_columns *ours, const int corners,
                                const int32_t *theirs, const int count)
{
    unsigned same = 0;
    for (int q = 0; q < PARTS; ++q) {
        __m128i equal = _mm_setzero_si128();
        for (int i = 0; i < count * corners; ++i)
            equal = _mm_or_si128(equal,
                                 _mm_cmpeq_epi32(ours->corner[i % corners][q],
                                                 _mm_set1_epi32(theirs[i / corners * TOI_BLOCK])));
        same |= (unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal)) << (4 * q);
    }
    return mask & ~same;
}
#else
TOI_LANE_INLINE unsigned overlap(const columns *c, const probe *p, const bool strict)
{
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i) {
        bool hit = true;
        for (int k = 0; k < 3; ++k) {
            part lo = c->side[k][i], hi = c->side[3 + k][i];
            hit &= strict ? (lo < p->hi[k]) & (hi > p->lo[k]) : (lo <= p->hi[k]) & (hi >= p->lo[k]);
        }
        mask |= (unsigned)hit << i;
    }
    return mask;
}

TOI_LANE_INLINE unsigned differ(unsigned mask, const label_columns *ours, const int corners,
                                const int32_t *theirs, const int count)
{
    for (int i = 0; i < count * corners; ++i)
        for (int q = 0; q < PARTS; ++q)
            mask &=
                ~((unsigned)(ours->corner[i % corners][q] == theirs[i / corners * TOI_BLOCK]) << q);
    return mask;
}
#endif

// The lesser and the greater of two gaps, of which only those above 0 matter: their bits are in the
// order of whole numbers, which more parts of a processor compare. Those of numbers below 0 are in
// another order, but below all others; a difference of two infinities counts as one of them.
#if defined(TOI_ISA_avx512)
#define SPREAD_PART(x) _mm512_set1_ps(x)
#define LESS_GAP(a, b) (part) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#define MORE_GAP(a, b) (part) _mm512_max_epi32((__m512i)(a), (__m512i)(b))
#define ABOVE_WORD(a, b) (unsigned)_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#elif defined(TOI_ISA_avx2)
#define SPREAD_PART(x) _mm256_set1_ps(x)
#define LESS_GAP(a, b) (part) _mm256_min_epi32((__m256i)(a), (__m256i)(b))
#define MORE_GAP(a, b) (part) _mm256_max_epi32((__m256i)(a), (__m256i)(b))
#define ABOVE_WORD(a, b) (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ))
#elif defined(__SSE2__)
#define SPREAD_PART(x) _mm_set1_ps(x)
#define LESS_GAP(a, b) _mm_min_ps(a, b)
#define MORE_GAP(a, b) _mm_max_ps(a, b)
#define ABOVE_WORD(a, b) (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(a, b))
#else
#define SPREAD_PART(x) (x)
#define LESS_GAP(a, b) ((a) < (b) ? (a) : (b))
#define MORE_GAP(a, b) ((a) > (b) ? (a) : (b))
#define ABOVE_WORD(a, b) ((unsigned)((a) > (b)))
#endif

// Boxes that move: at both ends of the step.
typedef struct moving_columns
{
    columns at[2];
} moving_columns;

typedef struct moving_probe
{
    probe at[2];
} moving_probe;

// Bit i: on no axis is lane i above the probe at both ends, or below. What is above at both ends is
// so all the way between them. Upper bounds are never -0 (tree.h), so the sign of a difference
// tells which of two numbers is less, and signs are joined by parts of a processor that do nothing
// else.
#if defined(TOI_ISA_avx512)
TOI_LANE_INLINE unsigned stay_near(const moving_columns *c, const moving_probe *p)
{
    enum
    {
        BOTH_OR = 0xf8 // bits of (a & b) | c, with c first
    };
    __m512i apart = _mm512_setzero_si512();
    for (int k = 0; k < 3; ++k) {
        __m512i above[2], below[2];
        for (int end = 0; end < 2; ++end) {
            above[end] = _mm512_castps_si512(
                _mm512_sub_ps(_mm512_set1_ps(p->at[end].hi[k]), c->at[end].side[k][0]));
            below[end] = _mm512_castps_si512(
                _mm512_sub_ps(c->at[end].side[3 + k][0], _mm512_set1_ps(p->at[end].lo[k])));
        }
        apart = _mm512_ternarylogic_epi32(apart, above[0], above[1], BOTH_OR);
        apart = _mm512_ternarylogic_epi32(apart, below[0], below[1], BOTH_OR);
    }
    return (uint16_t)~_mm512_movepi32_mask(apart);
}
#else
#if defined(TOI_ISA_avx2)
#define ABOVE(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define BOTH(a, b) _mm256_and_ps(a, b)
#define EITHER(a, b) _mm256_or_ps(a, b)
#define PART_WORD(a) (unsigned)_mm256_movemask_ps(a)
typedef __m256 part_mask;
#elif defined(__SSE2__)
#define ABOVE(a, b) _mm_cmpgt_ps(a, b)
#define BOTH(a, b) _mm_and_ps(a, b)
#define EITHER(a, b) _mm_or_ps(a, b)
#define PART_WORD(a) (unsigned)_mm_movemask_ps(a)
typedef __m128 part_mask;
#else
#define ABOVE(a, b) ((unsigned)((a) > (b)))
#define BOTH(a, b) ((a) & (b))
#define EITHER(a, b) ((a) | (b))
#define PART_WORD(a) (a)
typedef unsigned part_mask;
#endif
TOI_LANE_INLINE unsigned stay_near(const moving_columns *c, const moving_probe *p)
{
    const columns *start = &c->at[0], *end = &c->at[1];
    unsigned apart = 0;
    for (int q = 0; q < PARTS; ++q) {
        part_mask some[3];
        for (int k = 0; k < 3; ++k) {
            part_mask above = BOTH(ABOVE(start->side[k][q], SPREAD_PART(p->at[0].hi[k])),
                                   ABOVE(end->side[k][q], SPREAD_PART(p->at[1].hi[k])));
            part_mask below = BOTH(ABOVE(SPREAD_PART(p->at[0].lo[k]), start->side[3 + k][q]),
                                   ABOVE(SPREAD_PART(p->at[1].lo[k]), end->side[3 + k][q]));
            some[k] = EITHER(above, below);
        }
        apart |= PART_WORD(EITHER(EITHER(some[0], some[1]), some[2])) << (q * (TOI_BLOCK / PARTS));
    }
    return ~apart & 0xffff;
}
#endif

// Boxes that move, and their middles, for comparing them with a margin.
typedef struct middle_columns
{
    moving_columns box;
    part at[3][PARTS];
} middle_columns;

// One box that moves, its middle, and how far apart others must stay from it at least.
typedef struct middle_probe
{
    moving_probe box;
    float at[3];
    float off;
} middle_probe;

// Bit i: on some axis lane i stays above the probe, or below, by more than the margin. Roots are
// not taken: what is left of the widest gap is compared with the share in squares, where it is so
// large that nothing is lost by underflow.
TOI_LANE_INLINE unsigned stay_clear(const toi_tree_margin *margin, const middle_columns *c,
                                    const middle_probe *p)
{
    const columns *start = &c->box.at[0], *end = &c->box.at[1];
    const probe *near = &p->box.at[0], *far = &p->box.at[1];
    unsigned clear = 0;
    for (int q = 0; q < PARTS; ++q) {
        part widest = SPREAD_PART(0), square = SPREAD_PART(0);
        for (int k = 0; k < 3; ++k) {
            part above = start->side[k][q] - SPREAD_PART(near->hi[k]);
            part below = SPREAD_PART(near->lo[k]) - start->side[3 + k][q];
            above = LESS_GAP(above, end->side[k][q] - SPREAD_PART(far->hi[k]));
            below = LESS_GAP(below, SPREAD_PART(far->lo[k]) - end->side[3 + k][q]);
            part way = c->at[k][q] - SPREAD_PART(p->at[k]);
            widest = MORE_GAP(widest, MORE_GAP(above, below));
            square += way * way;
        }
        part rest = widest - SPREAD_PART(p->off);
        clear |= (ABOVE_WORD(rest * rest, square * SPREAD_PART(margin->square)) &
                  ABOVE_WORD(rest, SPREAD_PART(0x1p-50f)))
                 << (q * (TOI_BLOCK / PARTS));
    }
    return clear;
}

TOI_LANE_INLINE moving_columns load_moving(const toi_tree *tree, int64_t block)
{
    return (moving_columns){
        {load_columns(&tree->level[0][block]), load_columns(&tree->far[block])}};
}

TOI_LANE_INLINE middle_columns load_middles(const toi_tree *tree, int64_t block)
{
    middle_columns c = {
        .box = {{load_columns(&tree->near[block]), load_columns(&tree->far[block])}}};
    for (int k = 0; k < 3; ++k)
        for (int p = 0; p < PARTS; ++p)
            c.at[k][p] = LOAD_PART(tree->middles[block][k] + p * (TOI_BLOCK / PARTS));
    return c;
}

TOI_LANE_INLINE moving_probe load_moving_probe(const toi_tree *tree, uint32_t place)
{
    int64_t block = place / TOI_BLOCK;
    int lane = place % TOI_BLOCK;
    return (moving_probe){
        {load_probe(&tree->level[0][block], lane), load_probe(&tree->far[block], lane)}};
}

TOI_LANE_INLINE middle_probe load_middle_probe(const toi_tree *tree, const toi_tree_margin *margin,
                                               uint32_t place)
{
    float(*at)[TOI_BLOCK] = tree->middles[place / TOI_BLOCK];
    int lane = place % TOI_BLOCK;
    moving_probe ends = {{load_probe(&tree->near[place / TOI_BLOCK], lane),
                          load_probe(&tree->far[place / TOI_BLOCK], lane)}};
    return (middle_probe){ends, {at[0][lane], at[1][lane], at[2][lane]}, margin->off};
}

// The box of a whole block, for which the margin is that of any box in it: none of their middles is
// farther from the middle of the box at t = 0 than its corners. `off` covers what rounding adds.
TOI_LANE_INLINE middle_probe middle_of_block(const toi_box_row ends[2],
                                             const toi_tree_margin *margin)
{
    middle_probe p = {.box = {{row_probe(&ends[0]), row_probe(&ends[1])}}};
    const probe *start = &p.box.at[0];
    float square = 0;
    for (int k = 0; k < 3; ++k) {
        float half = (start->hi[k] - start->lo[k]) * 0.5f;
        p.at[k] = start->lo[k] + half;
        square += half * half;
    }
    p.off = margin->off + sqrtf(square * margin->square);
    return p;
}

#endif
