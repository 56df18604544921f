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

#endif
