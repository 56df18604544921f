// One box against a run of boxes, sixteen at a time: the inner loop of the sweeping methods.
// Compiled once for each instruction set; all of them write the same pairs in the same order.

#include "broad/layout.h"

#include "base/simd.h"

#include <math.h>

#if defined(TOI_ISA_avx512) || defined(TOI_ISA_avx2)
#include <immintrin.h>
#endif

// The probe's bounds, by column.
typedef struct probe
{
    float bound[TOI_COLUMNS];
    int32_t id;
    const toi_box *box;
} probe;

// Bit i: lane i overlaps the probe. `closed`: touching counts.
#if defined(TOI_ISA_avx512)
static inline unsigned cross_overlap(const toi_block *b, const probe *p)
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
static inline unsigned cross_overlap_half(const toi_block *b, int half, const probe *p)
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

static inline unsigned cross_overlap(const toi_block *b, const probe *p)
{
    return cross_overlap_half(b, 0, p) | cross_overlap_half(b, 8, p) << 8;
}
#else
// Bytes of 0 or 1, which compilers turn into vector compares; gathered into bits by a
// multiplication.
static inline unsigned cross_overlap(const toi_block *b, const probe *p)
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
static inline unsigned axis_overlap(const toi_block *b, const probe *p)
{
    __mmask16 m = _mm512_cmp_ps_mask(_mm512_load_ps(b->bound[TOI_LO0]),
                                     _mm512_set1_ps(p->bound[TOI_HI0]), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(b->bound[TOI_HI0]),
                                   _mm512_set1_ps(p->bound[TOI_LO0]), _CMP_GE_OQ);
}
#else
static inline unsigned axis_overlap(const toi_block *b, const probe *p)
{
    unsigned mask = 0;
    for (int i = 0; i < TOI_BLOCK; ++i)
        mask |= (unsigned)((b->bound[TOI_LO0][i] <= p->bound[TOI_HI0]) &
                           (b->bound[TOI_HI0][i] >= p->bound[TOI_LO0]))
                << i;
    return mask;
}
#endif

// Lanes that overlap strictly on every axis: no need to look at the doubles.
static unsigned strict_overlap(const toi_block *b, const probe *p)
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

static bool boxes_overlap(const toi_box *a, const toi_box *b)
{
    for (int k = 0; k < 3; ++k)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

// Takes out of `mask` the lanes whose boxes, equal in float somewhere, do not overlap in double.
static unsigned confirm(unsigned mask, const toi_layout *l, int64_t block, const probe *p)
{
    unsigned doubtful = mask & ~strict_overlap(&l->blocks[block], p);
    while (doubtful) {
        unsigned lane = (unsigned)__builtin_ctz(doubtful);
        doubtful &= doubtful - 1;
        if (!boxes_overlap(&l->boxes[l->ids[block * TOI_BLOCK + lane]], p->box))
            mask &= ~(1u << lane);
    }
    return mask;
}

#if defined(TOI_ISA_avx512)
// Compresses in a register and stores whole vectors: storing compressed to memory is several times
// slower on some CPUs. Writes past the last pair, within the room the caller grants.
static inline int64_t write_pairs(toi_pair *out, unsigned mask, const int32_t *ids, int32_t id,
                                  int write)
{
    __m512i other = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_load_si512(ids));
    __m512i self = _mm512_set1_epi32(id);
    __m512i first = write == TOI_WRITE_SORTED        ? _mm512_min_epi32(self, other)
                    : write == TOI_WRITE_PROBE_FIRST ? self
                                                     : other;
    __m512i second = write == TOI_WRITE_SORTED        ? _mm512_max_epi32(self, other)
                     : write == TOI_WRITE_PROBE_FIRST ? other
                                                      : self;
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi32(first, low, second));
    int64_t count = __builtin_popcount(mask);
    if (count > 8)
        _mm512_storeu_si512(out + 8, _mm512_permutex2var_epi32(first, high, second));
    return count;
}
#else
static inline int64_t write_pairs(toi_pair *out, unsigned mask, const int32_t *ids, int32_t id,
                                  int write)
{
    int64_t count = 0;
    for (; mask; mask &= mask - 1) {
        int32_t other = ids[__builtin_ctz(mask)];
        bool first = write == TOI_WRITE_PROBE_FIRST || (write == TOI_WRITE_SORTED && id < other);
        out[count++] = first ? (toi_pair){id, other} : (toi_pair){other, id};
    }
    return count;
}
#endif

static probe load_probe(const toi_run *run)
{
    probe p;
    for (int c = 0; c < TOI_COLUMNS; ++c)
        p.bound[c] = toi_bound(run->probe_layout, c, run->probe);
    p.id = run->probe_layout->ids[run->probe];
    p.box = &run->probe_layout->boxes[p.id];
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
    if (!exact)
        mask = confirm(mask, l, block, p);
    return write_pairs(pairs, mask, l->ids + block * TOI_BLOCK, p->id, run->write);
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
