// Two leaves of a tree, at most sixteen boxes against sixteen. Compiled once for each instruction
// set; all of them write the same pairs in the same order.

#include "broad/literature/bvh/bvh.h"

#include "base/simd.h"
#include "broad/layout/block_isa.h"

// A single box.
typedef struct probe
{
    float lo[3];
    float hi[3];
} probe;

static const int lower_column[3] = {TOI_LO0, TOI_LO1, TOI_LO2};
static const int upper_column[3] = {TOI_HI0, TOI_HI1, TOI_HI2};

// Bit i: lane i overlaps the probe; `strict`: by more than a touch.
#if defined(TOI_ISA_avx512)
TOI_LANE_INLINE unsigned overlap(const toi_box_block *b, const probe *p, const bool strict)
{
    __mmask16 m = 0xffff;
    for (int k = 0; k < 3; ++k) {
        __m512 lo = _mm512_load_ps(b->bound[lower_column[k]]);
        __m512 hi = _mm512_load_ps(b->bound[upper_column[k]]);
        __m512 from = _mm512_set1_ps(p->lo[k]), to = _mm512_set1_ps(p->hi[k]);
        m = strict ? _mm512_mask_cmp_ps_mask(m, lo, to, _CMP_LT_OQ)
                   : _mm512_mask_cmp_ps_mask(m, lo, to, _CMP_LE_OQ);
        m = strict ? _mm512_mask_cmp_ps_mask(m, hi, from, _CMP_GT_OQ)
                   : _mm512_mask_cmp_ps_mask(m, hi, from, _CMP_GE_OQ);
    }
    return m;
}
#elif defined(TOI_ISA_avx2)
TOI_LANE_INLINE unsigned overlap_from(const toi_box_block *b, int lane, const probe *p,
                                      const bool strict)
{
    __m256 m = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; ++k) {
        __m256 lo = _mm256_load_ps(b->bound[lower_column[k]] + lane);
        __m256 hi = _mm256_load_ps(b->bound[upper_column[k]] + lane);
        __m256 from = _mm256_set1_ps(p->lo[k]), to = _mm256_set1_ps(p->hi[k]);
        m = _mm256_and_ps(m, strict ? _mm256_cmp_ps(lo, to, _CMP_LT_OQ)
                                    : _mm256_cmp_ps(lo, to, _CMP_LE_OQ));
        m = _mm256_and_ps(m, strict ? _mm256_cmp_ps(hi, from, _CMP_GT_OQ)
                                    : _mm256_cmp_ps(hi, from, _CMP_GE_OQ));
    }
    return (unsigned)_mm256_movemask_ps(m);
}

TOI_LANE_INLINE unsigned overlap(const toi_box_block *b, const probe *p, const bool strict)
{
    return overlap_from(b, 0, p, strict) | overlap_from(b, 8, p, strict) << 8;
}
#elif defined(__SSE2__)
TOI_LANE_INLINE unsigned overlap(const toi_box_block *b, const probe *p, const bool strict)
{
    unsigned mask = 0;
    for (int lane = 0; lane < TOI_BLOCK; lane += 4) {
        __m128 m = _mm_castsi128_ps(_mm_set1_epi32(-1));
        for (int k = 0; k < 3; ++k) {
            __m128 lo = _mm_load_ps(b->bound[lower_column[k]] + lane);
            __m128 hi = _mm_load_ps(b->bound[upper_column[k]] + lane);
            __m128 from = _mm_set1_ps(p->lo[k]), to = _mm_set1_ps(p->hi[k]);
            m = _mm_and_ps(m, strict ? _mm_cmplt_ps(lo, to) : _mm_cmple_ps(lo, to));
            m = _mm_and_ps(m, strict ? _mm_cmpgt_ps(hi, from) : _mm_cmpge_ps(hi, from));
        }
        mask |= (unsigned)_mm_movemask_ps(m) << lane;
    }
    return mask;
}
#else
TOI_LANE_INLINE unsigned overlap(const toi_box_block *b, const probe *p, const bool strict)
{
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i) {
        bool hit = true;
        for (int k = 0; k < 3; ++k) {
            float lo = b->bound[lower_column[k]][i], hi = b->bound[upper_column[k]][i];
            hit &= strict ? (lo < p->hi[k]) & (hi > p->lo[k]) : (lo <= p->hi[k]) & (hi >= p->lo[k]);
        }
        mask |= (unsigned)hit << i;
    }
    return mask;
}
#endif

// Takes out of `mask` the doubtful lanes whose boxes overlap in float only.
static unsigned confirm(unsigned mask, unsigned doubtful, const toi_bvh_leaf *lanes,
                        const toi_box *box)
{
    for (; doubtful; doubtful &= doubtful - 1) {
        int lane = __builtin_ctz(doubtful);
        if (!toi_boxes_overlap(&lanes->boxes[lanes->ids[lane]], box))
            mask &= ~(1u << lane);
    }
    return mask;
}

// Compares the boxes `chosen` of one leaf, one by one, with all of the other.
TOI_LANE_INLINE int64_t compare(const toi_leaf_pair *pair, const toi_bvh_leaf *probes,
                                unsigned chosen, const toi_bvh_leaf *lanes, const int write,
                                const bool exact, toi_pair *out)
{
    int64_t count = 0;
    for (; chosen; chosen &= chosen - 1) {
        int lane = __builtin_ctz(chosen);
        probe p;
        for (int k = 0; k < 3; ++k) {
            p.lo[k] = probes->block->bound[lower_column[k]][lane];
            p.hi[k] = probes->block->bound[upper_column[k]][lane];
        }
        unsigned mask = overlap(lanes->block, &p, false);
        if (pair->same)
            mask &= ~1u << lane;
        if (!exact && mask) {
            unsigned doubtful = mask & ~overlap(lanes->block, &p, true);
            if (doubtful)
                mask = confirm(mask, doubtful, lanes, &probes->boxes[probes->ids[lane]]);
        }
        count += toi_write_lanes(out + count, mask, lanes->ids, probes->ids[lane], write, 0);
    }
    return count;
}

TOI_LANE_INLINE probe node_probe(const toi_bvh_node *n)
{
    return (probe){{n->lo[0], n->lo[1], n->lo[2]}, {n->hi[0], n->hi[1], n->hi[2]}};
}

// The side with fewer boxes in the other's node is taken one by one.
TOI_LANE_INLINE int64_t compare_leaves(const toi_leaf_pair *pair, const bool sorted,
                                       const bool exact, toi_pair *out)
{
    const toi_bvh_leaf *x = &pair->x, *y = &pair->y;
    probe x_box = node_probe(x->node), y_box = node_probe(y->node);
    unsigned in_y = overlap(x->block, &y_box, false), in_x = overlap(y->block, &x_box, false);
    if (__builtin_popcount(in_y) <= __builtin_popcount(in_x))
        return compare(pair, x, in_y, y, sorted ? TOI_WRITE_SORTED : TOI_WRITE_PROBE_FIRST, exact,
                       out);
    return compare(pair, y, in_x, x, sorted ? TOI_WRITE_SORTED : TOI_WRITE_PROBE_SECOND, exact,
                   out);
}

int64_t TOI_ISA_NAME(toi_leaf_overlap)(const toi_leaf_pair *pair, toi_pair *pairs);

int64_t TOI_ISA_NAME(toi_leaf_overlap)(const toi_leaf_pair *pair, toi_pair *pairs)
{
    if (pair->sorted)
        return pair->exact ? compare_leaves(pair, true, true, pairs)
                           : compare_leaves(pair, true, false, pairs);
    return pair->exact ? compare_leaves(pair, false, true, pairs)
                       : compare_leaves(pair, false, false, pairs);
}
