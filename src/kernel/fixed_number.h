// Whole numbers of a bounded size, for what floating point cannot decide: no memory but the
// caller's arrays, no recursion. docs/cuda.md, section 5, has the size of every
// expression.
//
// A number is an array: its length in limbs of 32 bits, negative where the number is, then the
// limbs from the lowest on. Zero has the length 0.

#ifndef TOI_KERNEL_FIXED_NUMBER_H
#define TOI_KERNEL_FIXED_NUMBER_H

#include "kernel/lanes.h"

enum
{
    TOI_ENTRY = 1 + 3, // components of vectors: 96 bits
    TOI_SHORT_LIMBS = 8,
    TOI_SHORT = 1 + TOI_SHORT_LIMBS, // coefficients, and given coordinates: 256 bits
    TOI_MIDDLE = 1 + 27,             // remainders and values: 864 bits
    TOI_LONG = 1 + 50                // squares of those: 1600 bits
};

// A test may want to see how long numbers get.
#ifndef TOI_WATCH_NUMBER
#define TOI_WATCH_NUMBER(expression, a)
#endif

TOI_INLINE int toi_whole_sign(const uint32_t *a)
{
    return ((int32_t)a[0] > 0) - ((int32_t)a[0] < 0);
}

TOI_INLINE int toi_whole_length(const uint32_t *a)
{
    return (int32_t)a[0] < 0 ? -(int32_t)a[0] : (int32_t)a[0];
}

TOI_INLINE void toi_whole_negate(uint32_t *a)
{
    a[0] = 0 - a[0];
}

// Sets the length of a number whose limbs are there, some of the highest perhaps zero.
TOI_INLINE void toi_whole_close(uint32_t *a, int length, int negative)
{
    while (length > 0 && a[length] == 0)
        --length;
    a[0] = (uint32_t)(negative ? -length : length);
}

TOI_INLINE void toi_whole_copy(const uint32_t *a, uint32_t *r)
{
    for (int i = toi_whole_length(a); i >= 0; --i)
        r[i] = a[i];
}

TOI_INLINE void toi_whole_set(uint32_t *r, uint64_t magnitude, int negative)
{
    r[1] = (uint32_t)magnitude;
    r[2] = (uint32_t)(magnitude >> 32);
    toi_whole_close(r, 2, negative);
}

// m 2^shift.
TOI_INLINE void toi_whole_set_shifted(uint32_t *r, uint64_t m, int shift, int negative)
{
    int at = shift / 32, bits = shift % 32;
    for (int i = 1; i <= at; ++i)
        r[i] = 0;
    r[at + 1] = (uint32_t)(m << bits);
    r[at + 2] = (uint32_t)(m << bits >> 32);
    r[at + 3] = bits > 0 ? (uint32_t)(m >> (64 - bits)) : 0;
    toi_whole_close(r, at + 3, negative);
}

// Are the sizes in order? -1, 0 or 1.
TOI_INLINE int toi_whole_compare_sizes(const uint32_t *a, const uint32_t *b)
{
    int n = toi_whole_length(a), m = toi_whole_length(b);
    if (n != m)
        return n < m ? -1 : 1;
    while (n > 0 && a[n] == b[n])
        --n;
    return n == 0 ? 0 : a[n] < b[n] ? -1 : 1;
}

TOI_INLINE void toi_whole_add_sizes(const uint32_t *a, const uint32_t *b, int negative, uint32_t *r)
{
    int n = toi_whole_length(a), m = toi_whole_length(b);
    const uint32_t *more = n > m ? a : b;
    int least = n < m ? n : m, most = n < m ? m : n;
    uint64_t carry = 0;
    for (int i = 1; i <= most; ++i) {
        carry += i <= least ? (uint64_t)a[i] + b[i] : more[i];
        r[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        r[++most] = (uint32_t)carry;
    r[0] = (uint32_t)(negative ? -most : most);
}

// The larger one first. Writes as many limbs as that has.
TOI_INLINE void toi_whole_subtract_sizes(const uint32_t *a, const uint32_t *b, int negative,
                                         uint32_t *r)
{
    int n = toi_whole_length(a), m = toi_whole_length(b);
    int64_t carry = 0;
    for (int i = 1; i <= n; ++i) {
        carry += (int64_t)a[i] - (i <= m ? b[i] : 0);
        r[i] = (uint32_t)carry;
        carry >>= 32; // 0 or -1
    }
    toi_whole_close(r, n, negative);
}

// a + b, or a - b where `minus`. r may be a or b.
TOI_ROUTINE void toi_whole_combine(const uint32_t *a, const uint32_t *b, int minus, uint32_t *r)
{
    int a_negative = (int32_t)a[0] < 0, b_negative = ((int32_t)b[0] < 0) != (minus != 0);
    if (a_negative == b_negative)
        toi_whole_add_sizes(a, b, a_negative, r);
    else if (toi_whole_compare_sizes(a, b) >= 0)
        toi_whole_subtract_sizes(a, b, a_negative, r);
    else
        toi_whole_subtract_sizes(b, a, b_negative, r);
}

TOI_INLINE void toi_whole_add(const uint32_t *a, const uint32_t *b, uint32_t *r)
{
    toi_whole_combine(a, b, 0, r);
}

TOI_INLINE void toi_whole_subtract(const uint32_t *a, const uint32_t *b, uint32_t *r)
{
    toi_whole_combine(a, b, 1, r);
}

// r is neither a nor b. No sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
TOI_ROUTINE void toi_whole_multiply(const uint32_t *a, const uint32_t *b, uint32_t *r)
{
    int n = toi_whole_length(a), m = toi_whole_length(b);
    for (int j = 1; j <= m; ++j)
        r[j] = 0;
    for (int i = 0; i < n; ++i) {
        uint64_t carry = 0;
        for (int j = 1; j <= m; ++j) {
            carry += (uint64_t)a[i + 1] * b[j] + r[i + j];
            r[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        r[i + m + 1] = (uint32_t)carry;
    }
    toi_whole_close(r, n == 0 ? 0 : n + m, ((int32_t)a[0] < 0) != ((int32_t)b[0] < 0));
}

// Times a small number, in place.
TOI_INLINE void toi_whole_times(uint32_t *a, uint32_t factor)
{
    int n = toi_whole_length(a);
    uint64_t carry = 0;
    for (int i = 1; i <= n; ++i) {
        carry += (uint64_t)a[i] * factor;
        a[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        a[++n] = (uint32_t)carry;
    a[0] = (uint32_t)((int32_t)a[0] < 0 ? -n : n);
}

// r = a b - c d, all of them short; r is none of them and may be long.
TOI_ROUTINE void toi_whole_cross(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                 const uint32_t *d, uint32_t *r)
{
    uint32_t first[2 * TOI_SHORT], second[2 * TOI_SHORT];
    toi_whole_multiply(a, b, first);
    toi_whole_multiply(c, d, second);
    toi_whole_combine(first, second, 1, r);
}

TOI_INLINE int toi_whole_bits(const uint32_t *a)
{
    int n = toi_whole_length(a);
    int bits = n > 0 ? 32 * (n - 1) : 0;
    for (uint32_t top = n > 0 ? a[n] : 0; top != 0; top >>= 1)
        ++bits;
    return bits;
}

// Cuts a number to a short one; 0 where it does not fit.
TOI_INLINE int toi_whole_shorten(const uint32_t *a, uint32_t *r)
{
    if (toi_whole_length(a) > TOI_SHORT_LIMBS)
        return 0;
    toi_whole_copy(a, r);
    return 1;
}

// A short number as a double, a relative error below 2^-51.
TOI_INLINE double toi_whole_approximate(const uint32_t *a)
{
    int n = toi_whole_length(a);
    double x = 0;
    for (int i = n; i > 0 && i > n - 3; --i)
        x = x * 0x1p32 + a[i];
    for (int i = 3; i < n; ++i)
        x *= 0x1p32;
    return (int32_t)a[0] < 0 ? -x : x;
}

#endif
