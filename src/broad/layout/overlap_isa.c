// One box against a run of boxes, sixteen at a time: the inner loop of the sweeping methods.
// Compiled once for each instruction set; all of them write the same pairs in the same order.

#include "broad/layout/layout.h"

#include "base/simd.h"
#include "broad/layout/block_isa.h"

#include <math.h>

// The probe's bounds, by column.
typedef struct probe
{
    float bound[TOI_COLUMNS];
    int32_t id;
    uint8_t tag;
    uint16_t mark;
    const toi_box *box;
} probe;

// Bit i: lane i overlaps the probe. `closed`: touching counts.
#if defined(TOI_ISA_avx512)
static inline unsigned cross_overlap(const toi_box_block *b, const probe *p)
{
    __mmask16 m = _mm512_cmp_ps_mask(_mm512_load_ps(b->bound[TOI_LO1]),
                                     _mm512_set1_ps(p->bound[TOI_HI1]), _CMP_LE_OQ);
    m = _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(b->bound[TOI_HI1]),
                                _mm512_set1_ps(p->bound[TOI_LO1]), _CMP_GE_OQ);
    m = _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(b->bound[TOI_LO2]),
                                _mm512_set1_ps(p->bound[TOI_HI2]), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(b->bound[TOI_HI2]),
                                   _mm512_set1_ps(p->bound[TOI_LO2]), _CMP_GE_OQ);
}
#elif defined(TOI_ISA_avx2)
static inline unsigned cross_overlap_half(const toi_box_block *b, int half, const probe *p)
{
    __m256 m = _mm256_cmp_ps(_mm256_load_ps(b->bound[TOI_LO1] + half),
                             _mm256_set1_ps(p->bound[TOI_HI1]), _CMP_LE_OQ);
    m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_load_ps(b->bound[TOI_HI1] + half),
                                       _mm256_set1_ps(p->bound[TOI_LO1]), _CMP_GE_OQ));
    m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_load_ps(b->bound[TOI_LO2] + half),
                                       _mm256_set1_ps(p->bound[TOI_HI2]), _CMP_LE_OQ));
    m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_load_ps(b->bound[TOI_HI2] + half),
                                       _mm256_set1_ps(p->bound[TOI_LO2]), _CMP_GE_OQ));
    return (unsigned)_mm256_movemask_ps(m);
}

static inline unsigned cross_overlap(const toi_box_block *b, const probe *p)
{
    return cross_overlap_half(b, 0, p) | cross_overlap_half(b, 8, p) << 8;
}
#else
// Bytes of 0 or 1, which compilers turn into vector compares; gathered into bits by a
// multiplication.
static inline unsigned cross_overlap(const toi_box_block *b, const probe *p)
{
    uint8_t hit[TOI_BLOCK];
    for (int i = 0; i < TOI_BLOCK; ++i)
        hit[i] = (uint8_t)((b->bound[TOI_LO1][i] <= p->bound[TOI_HI1]) &
                           (b->bound[TOI_HI1][i] >= p->bound[TOI_LO1]) &
                           (b->bound[TOI_LO2][i] <= p->bound[TOI_HI2]) &
                           (b->bound[TOI_HI2][i] >= p->bound[TOI_LO2]));
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)hit[i] << i;
    return mask;
}
#endif

#if defined(TOI_ISA_avx512)
static inline unsigned axis_overlap(const toi_box_block *b, const probe *p)
{
    __mmask16 m = _mm512_cmp_ps_mask(_mm512_load_ps(b->bound[TOI_LO0]),
                                     _mm512_set1_ps(p->bound[TOI_HI0]), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(b->bound[TOI_HI0]),
                                   _mm512_set1_ps(p->bound[TOI_LO0]), _CMP_GE_OQ);
}
#else
static inline unsigned axis_overlap(const toi_box_block *b, const probe *p)
{
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)((b->bound[TOI_LO0][i] <= p->bound[TOI_HI0]) &
                           (b->bound[TOI_HI0][i] >= p->bound[TOI_LO0]))
                << i;
    return mask;
}
#endif

// Lanes whose tags have no bit in common with the probe's.
static inline unsigned tags_apart(const uint8_t *tags, uint8_t tag)
{
#if defined(__SSE2__)
    __m128i common = _mm_and_si128(_mm_load_si128((const __m128i *)tags), _mm_set1_epi8((char)tag));
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(common, _mm_setzero_si128()));
#else
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)!(tags[i] & tag) << i;
    return mask;
#endif
}

// Lanes whose marks have no bit in common with the probe's.
static inline unsigned marks_apart(const uint16_t *marks, uint16_t mark)
{
#if defined(__SSE2__)
    __m128i all = _mm_set1_epi16((short)mark), none = _mm_setzero_si128();
    __m128i low = _mm_and_si128(_mm_load_si128((const __m128i *)marks), all);
    __m128i high = _mm_and_si128(_mm_load_si128((const __m128i *)marks + 1), all);
    return (unsigned)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_cmpeq_epi16(low, none), _mm_cmpeq_epi16(high, none)));
#else
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)!(marks[i] & mark) << i;
    return mask;
#endif
}

// Lanes that overlap strictly on every axis: no need to look at the doubles.
static unsigned strict_overlap(const toi_box_block *b, const probe *p)
{
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)((b->bound[TOI_LO0][i] < p->bound[TOI_HI0]) &
                           (b->bound[TOI_HI0][i] > p->bound[TOI_LO0]) &
                           (b->bound[TOI_LO1][i] < p->bound[TOI_HI1]) &
                           (b->bound[TOI_HI1][i] > p->bound[TOI_LO1]) &
                           (b->bound[TOI_LO2][i] < p->bound[TOI_HI2]) &
                           (b->bound[TOI_HI2][i] > p->bound[TOI_LO2]))
                << i;
    return mask;
}

// Takes out of `mask` the lanes whose boxes, equal in float somewhere, do not overlap in double.
static unsigned confirm(unsigned mask, const toi_layout *l, int64_t block, const probe *p)
{
    unsigned doubtful = mask & ~strict_overlap(&l->blocks[block], p);
    while (doubtful) {
        unsigned lane = (unsigned)__builtin_ctz(doubtful);
        doubtful &= doubtful - 1;
        if (!toi_boxes_overlap(toi_box_numbered(l, l->ids[block * TOI_BLOCK + lane]), p->box))
            mask &= ~(1u << lane);
    }
    return mask;
}

static probe load_probe(const toi_run *run)
{
    probe p;
    for (int c = 0; c < TOI_COLUMNS; ++c)
        p.bound[c] = toi_bound(run->probe_layout, c, run->probe);
    p.id = run->probe_layout->ids[run->probe];
    p.tag = run->probe_layout->tags ? run->probe_layout->tags[run->probe] : 0;
    p.mark = run->probe_layout->marks ? run->probe_layout->marks[run->probe] : 0;
    p.box = toi_box_numbered(run->probe_layout, p.id);
    return p;
}

// Writes the pairs of one block whose lanes in `mask` overlap the probe on two axes.
static inline int64_t take_block(const toi_run *run, const probe *p, int64_t block, unsigned mask,
                                 bool exact, toi_pair *pairs)
{
    const toi_layout *l = run->layout;
    if (block == run->begin / TOI_BLOCK)
        mask &= ~0u << (run->begin % TOI_BLOCK);
    if (block == (run->end - 1) / TOI_BLOCK)
        mask &= 0xffffu >> (TOI_BLOCK - 1 - (run->end - 1) % TOI_BLOCK);
    mask &= axis_overlap(&l->blocks[block], p);
    if (l->tags)
        mask &= tags_apart(l->tags + block * TOI_BLOCK, p->tag);
    if (l->marks)
        mask &= marks_apart(l->marks + block * TOI_BLOCK, p->mark);
    if (!exact)
        mask = confirm(mask, l, block, p);
    // Two lists under one numbering: the second counts from its own beginning.
    int32_t base =
        run->write == TOI_WRITE_SORTED && l->second.count > 0 ? (int32_t)l->first.count : 0;
    return toi_write_lanes(pairs, mask, l->ids + block * TOI_BLOCK, p->id, run->write, base);
}

int64_t TOI_ISA_NAME(toi_overlap)(const toi_run *run, toi_pair *pairs, bool *stopped);

int64_t TOI_ISA_NAME(toi_overlap)(const toi_run *run, toi_pair *pairs, bool *stopped)
{
    const toi_layout *l = run->layout;
    const probe p = load_probe(run);
    bool exact = l->exact && run->probe_layout->exact;
    // An unsorted layout has no end to look for.
    float reach = run->sorted ? p.bound[TOI_HI0] : HUGE_VALF;
    int64_t block = run->begin / TOI_BLOCK, last = (run->end - 1) / TOI_BLOCK, count = 0;
    for (; block < last; block += 2) { // two at a time: half the branches, and most are not taken
        if (l->begins[block] > reach) {
            *stopped = true;
            return count;
        }
        unsigned first = cross_overlap(&l->blocks[block], &p);
        unsigned second = cross_overlap(&l->blocks[block + 1], &p);
        if (!(first | second))
            continue;
        if (first)
            count += take_block(run, &p, block, first, exact, pairs + count);
        if (second)
            count += take_block(run, &p, block + 1, second, exact, pairs + count);
    }
    if (block == last) {
        if (l->begins[block] > reach) {
            *stopped = true;
            return count;
        }
        unsigned mask = cross_overlap(&l->blocks[block], &p);
        if (mask)
            count += take_block(run, &p, block, mask, exact, pairs + count);
    }
    return count;
}
