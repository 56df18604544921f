// Coordinates as whole multiples of a common unit, and contact at t = 0 where they fit words: most
// of what floating point leaves undecided.

#ifndef TOI_KERNEL_FIXED_WORDS_H
#define TOI_KERNEL_FIXED_WORDS_H

#include "kernel/lanes.h"

#if TOI_LANES != 1 || defined(TOI_SINGLE)
#error "one query at a time, in double: include this in a source with TOI_LANES 1"
#endif

__extension__ typedef __int128 toi_int128;

enum
{
    TOI_WORD_BITS = 60,      // of coordinates: differences are below 2^61
    TOI_SHORT_WORD_BITS = 39 // volumes are below 18 * 2^120 then
};

// x = m 2^exponent.
TOI_INLINE uint64_t toi_take_digits(double x, int *exponent)
{
    uint64_t bits = (uint64_t)toi_to_bits(x), digits = bits & (((uint64_t)1 << 52) - 1);
    int field = (int)(bits >> 52 & 0x7ff);
    *exponent = (field > 0 ? field : 1) - 1075;
    return field > 0 ? digits | (uint64_t)1 << 52 : digits;
}

// The largest power of two that all coordinates are whole multiples of, and how many bits they need
// then.
TOI_INLINE int toi_find_unit(const double *start, const double *end, int *unit)
{
    int low = 4096, high = -4096; // of nothing but zeros: fewer than no bits
    for (int i = 0; i < 24; ++i) {
        int exponent;
        uint64_t digits = toi_take_digits(i < 12 ? start[i] : end[i - 12], &exponent);
        if (digits == 0)
            continue;
        high = exponent > high ? exponent : high;
        uint64_t lowest = digits & (0 - digits); // a power of two, so this is exact
        exponent += (int)(toi_to_bits((double)lowest) >> 52) - 1023;
        low = exponent < low ? exponent : low;
    }
    *unit = low;
    return high + 53 - low;
}

// A coordinate in this unit, if it fits a word.
TOI_INLINE int64_t toi_take_word(double x, int unit)
{
    int exponent;
    uint64_t digits = toi_take_digits(x, &exponent);
    int shift = digits == 0 ? 0 : exponent - unit;
    int64_t size = (int64_t)(shift < 0 ? digits >> -shift : digits << shift);
    return x < 0 ? -size : size;
}

// P, E and G of kernel/motion.h at one end: below 2^61.
typedef struct toi_word_motion
{
    int64_t p[3], e[3], g[3];
} toi_word_motion;

// Of four corners, three numbers each.
TOI_INLINE void toi_take_word_motion(int edge_edge, const double *x, int unit, toi_word_motion *m)
{
    for (int k = 0; k < 3; ++k) {
        int64_t w[4] = {toi_take_word(x[k], unit), toi_take_word(x[3 + k], unit),
                        toi_take_word(x[6 + k], unit), toi_take_word(x[9 + k], unit)};
        m->p[k] = edge_edge ? w[0] - w[2] : w[0] - w[1];
        m->e[k] = edge_edge ? w[1] - w[0] : w[1] - w[2];
        m->g[k] = edge_edge ? w[2] - w[3] : w[1] - w[3];
    }
}

// A component of a x b: below 2^123.
TOI_INLINE toi_int128 toi_word_cross(const int64_t a[3], const int64_t b[3], int axis)
{
    int i = axis < 2 ? axis + 1 : 0, j = axis > 0 ? axis - 1 : 2;
    return (toi_int128)a[i] * b[j] - (toi_int128)a[j] * b[i];
}

// Do they touch? 1: yes, -1: no, 0: not known, for E and G are parallel. The tests are those of
// src/exact/contact.c.
TOI_INLINE int toi_touch_in_words(int edge_edge, const toi_word_motion *m)
{
    toi_int128 high = 0, low = 0, n = 0; // the volume is 2^64 high + low
    int axis = 3;
    for (int k = 2; k >= 0; --k) {
        toi_int128 normal = toi_word_cross(m->e, m->g, k);
        high += (toi_int128)m->p[k] * (int64_t)(normal >> 64);
        low += (toi_int128)m->p[k] * (uint64_t)normal;
        axis = normal != 0 ? k : axis;
        n = normal != 0 ? normal : n;
    }
    if ((uint64_t)low != 0 || high + (low >> 64) != 0)
        return -1;
    if (axis == 3)
        return 0;
    toi_int128 u = toi_word_cross(m->g, m->p, axis), v = toi_word_cross(m->p, m->e, axis);
    if (n < 0) {
        n = -n;
        u = -u;
        v = -v;
    }
    int below = edge_edge ? u <= n && v <= n : u + v <= n;
    return u >= 0 && v >= 0 && below ? 1 : -1;
}

// The coefficients of the volume as a form (kernel/fixed_root.h), for TOI_SHORT_WORD_BITS.
TOI_INLINE void toi_word_volume(const toi_word_motion m[2], toi_int128 c[4])
{
    c[0] = c[1] = c[2] = c[3] = 0;
    for (int k = 0; k < 3; ++k) {
        toi_int128 first = toi_word_cross(m[0].e, m[0].g, k);
        toi_int128 middle = toi_word_cross(m[0].e, m[1].g, k) + toi_word_cross(m[1].e, m[0].g, k);
        toi_int128 last = toi_word_cross(m[1].e, m[1].g, k);
        c[0] += first * m[0].p[k];
        c[1] += first * m[1].p[k] + middle * m[0].p[k];
        c[2] += last * m[0].p[k] + middle * m[1].p[k];
        c[3] += last * m[1].p[k];
    }
}

#endif
