// Places on a Hilbert curve.

#ifndef TOI_CUDA_CURVE_CUH
#define TOI_CUDA_CURVE_CUH

#include <stdint.h>

enum
{
    TOI_CURVE_BITS = 10 // an axis
};

static __device__ __forceinline__ uint32_t toi_spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

// The place on the curve (Skilling 2004).
static __device__ __forceinline__ uint32_t toi_hilbert(uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t top = 1u << (TOI_CURVE_BITS - 1);
    for (uint32_t q = top; q > 1; q >>= 1) {
        uint32_t p = q - 1, t;
        x ^= x & q ? p : 0;
        t = (x ^ y) & p;
        x ^= y & q ? p : t;
        y ^= y & q ? 0 : t;
        t = (x ^ z) & p;
        x ^= z & q ? p : t;
        z ^= z & q ? 0 : t;
    }
    y ^= x;
    z ^= y;
    uint32_t t = 0;
    for (uint32_t q = top; q > 1; q >>= 1)
        t ^= z & q ? q - 1 : 0;
    return toi_spread_bits(x ^ t) << 2 | toi_spread_bits(y ^ t) << 1 | toi_spread_bits(z ^ t);
}

// Of the steps of boxes of 15 bits: those of the widest axis, which are the fewest to a unit.
static __device__ __forceinline__ float toi_widest_steps(const float steps[3])
{
    float least = 0x1p120f;
    for (int k = 0; k < 3; ++k)
        least = steps[k] > 0 ? fminf(least, steps[k]) : least;
    return least;
}

// The place on the curve of a box's middle, in cells of 32 steps from `from` on.
static __device__ __forceinline__ uint32_t toi_curve_key(const float low[3], const float high[3],
                                                         const float from[3], float steps)
{
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
        float middle = 0.5f * (low[k] + high[k]) - from[k];
        cell[k] = (uint32_t)fminf(fmaxf(middle * steps * (1.0f / 32), 0.0f), 1023.0f);
    }
    return toi_hilbert(cell[0], cell[1], cell[2]);
}

#endif
