/// @file
/// A seeded generator that gives the same numbers on every platform (SplitMix64).

#ifndef TOI_RANDOM_H
#define TOI_RANDOM_H

#include <stdint.h>

/// State of a generator: any 64-bit seed is a good start.
typedef struct toi_random
{
    uint64_t state; ///< set it to the seed
} toi_random;

/// The next 64 random bits.
static inline uint64_t toi_random_bits(toi_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/// Uniform in [0, 1): a multiple of 2^-53.
static inline double toi_random_unit(toi_random *random)
{
    return (double)(toi_random_bits(random) >> 11) * 0x1p-53;
}

/// Uniform between lo and hi; hi itself only where rounding makes it so. Rounded in the mode of the
/// program, being part of it: the same numbers in round to nearest.
static inline double toi_random_range(toi_random *random, double lo, double hi)
{
    return lo + (hi - lo) * toi_random_unit(random);
}

/// Uniform in 0 .. count-1, count at least 1. The bias is below count / 2^64.
static inline uint64_t toi_random_below(toi_random *random, uint64_t count)
{
    return toi_random_bits(random) % count;
}

#endif
