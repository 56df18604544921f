// Shortcuts for queries whose vectors are words: signs from sums of two and three words, without a
// number in an arena. Where they do not know, the general way does.

#ifndef TOI_EXACT_WORDS_H
#define TOI_EXACT_WORDS_H

#include "exact/trajectory.h"

static inline bool toi_is_in_words(const toi_trajectory *trajectory)
{
    return trajectory->p.form == TOI_VECTOR_WORDS && trajectory->e.form == TOI_VECTOR_WORDS &&
           trajectory->g.form == TOI_VECTOR_WORDS;
}

// Do they touch at t = 0? 1: yes, -1: no, 0: not known, for E and G are parallel.
int toi_words_touch_at_start(const toi_trajectory *trajectory);

// Are they in a plane perpendicular to an axis for all t? Then the volume is zero for all t.
bool toi_words_stay_level(const toi_trajectory *trajectory);

// True only if Q + s R is never zero for s and t in [0, 1]. They are of any form.
bool toi_words_stay_apart(const toi_vector *q, const toi_vector *r);

// Where vectors are words, the coefficients of volumes, cross products and components are whole and
// below 2^193. Times of contact are 0 or roots of such a polynomial, so above 1 / (1 + 2^193).
#define TOI_LEAST_TIME_IN_WORDS 0x1p-200

// ---- Arithmetic

static inline toi_int128 toi_word_product(int64_t a, int64_t b)
{
    return (toi_int128)a * b;
}

// A component of the cross product of words below 2^62: below 2^125.
static inline toi_int128 toi_cross_words(const int64_t a[3], const int64_t b[3], int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return toi_word_product(a[i], b[j]) - toi_word_product(a[j], b[i]);
}

// The same of vectors that are linear in t: the coefficients, below 2^126.
static inline void toi_cross_moving_words(const toi_vector *a, const toi_vector *b, int axis,
                                          toi_int128 c[3])
{
    c[0] = toi_cross_words(a->words[0], b->words[0], axis);
    c[1] = toi_cross_words(a->words[0], b->words[1], axis) +
           toi_cross_words(a->words[1], b->words[0], axis);
    c[2] = toi_cross_words(a->words[1], b->words[1], axis);
}

// A signed sum of 192 bits.
typedef struct toi_long_sum
{
    uint64_t low;
    toi_uint128 high;
} toi_long_sum;

// Adds n p, all modulo 2^192: n as its two words, p as if it were not negative and then corrected.
static inline void toi_long_add(toi_long_sum *sum, toi_int128 n, int64_t p)
{
    uint64_t n_low = (uint64_t)n;
    toi_uint128 low = (toi_uint128)n_low * (uint64_t)p;
    toi_uint128 high = (toi_uint128)((toi_int128)(int64_t)(n >> 64) * p);
    toi_uint128 carry = (toi_uint128)sum->low + (uint64_t)low;
    sum->low = (uint64_t)carry;
    sum->high += (carry >> 64) + (low >> 64) + high - (p < 0 ? n_low : 0);
}

#endif
