// Positions in single precision, and as numbers of 15 bits: docs/cuda.md, section 4. Compiles for
// the host too.

#ifndef TOI_CUDA_FRAME_CUH
#define TOI_CUDA_FRAME_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define TOI_ON_BOTH static __host__ __device__ __forceinline__
#else
#define TOI_ON_BOTH static inline
#endif

// A coordinate x becomes the float of x * first * second - origin: powers of two, and an origin
// that is 0 unless the scene is far from it, so that coordinates that are floats stay as they are.
// All results are less than 2^11 in size.
struct toi_frame
{
    double first, second, origin[3];
    float low[3], steps[3]; // of boxes of 15 bits a side
};

TOI_ON_BOTH double toi_into_frame(const toi_frame *f, double x, int k)
{
    return x * f->first * f->second - f->origin[k];
}

TOI_ON_BOTH float toi_frame_steps(double low, double high)
{
    float size = (float)(high - low);
    return size > 0x1p-100f ? 32700 / size : 0;
}

TOI_ON_BOTH double toi_frame_power(int exponent)
{
    int64_t bits = (int64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// The frame of a scene whose coordinates are between `bottom` and `top`.
TOI_ON_BOTH toi_frame toi_take_frame(const double bottom[3], const double top[3])
{
    double most = 0; // of a quarter of the coordinates, whose differences are finite
    bool far[3];
    for (int k = 0; k < 3; ++k) {
        double low = 0.25 * bottom[k], high = 0.25 * top[k];
        double extent = high - low, reach = fmax(fabs(low), fabs(high));
        far[k] = reach > 8 * extent;
        most = fmax(most, far[k] ? extent : reach);
    }
    int exponent = most > 0 ? 8 - ilogb(most) : 0; // most becomes at least 2^8 and less than 2^9
    toi_frame f;
    int half = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    f.first = toi_frame_power(half);
    f.second = toi_frame_power(exponent - half);
    for (int k = 0; k < 3; ++k) {
        f.origin[k] = far[k] ? bottom[k] * f.first * f.second : 0;
        double from = toi_into_frame(&f, bottom[k], k);
        f.low[k] = (float)from;
        f.steps[k] = toi_frame_steps(from, toi_into_frame(&f, top[k], k));
    }
    return f;
}

// A coordinate in single precision. `off` is raised to how far that may be from the truth: by one
// rounding, and one more in double where there is an origin; and by what underflows.
TOI_ON_BOTH float toi_round_into_frame(const toi_frame *f, double x, int k, float *off)
{
    double exact = toi_into_frame(f, x, k);
    float y = (float)exact;
    bool same = (double)y == exact && f->origin[k] == 0;
    *off = fmaxf(*off, same ? 0 : fabsf(y) * 0x1.1p-24f + 0x1p-148f);
    return y;
}

// The step of a box that a coordinate is in: 1 to 32766. No number is mapped above a larger one.
TOI_ON_BOTH uint32_t toi_box_step(const toi_frame *f, float x, int k)
{
    return (uint32_t)fminf(fmaxf((x - f->low[k]) * f->steps[k], 1.0f), 32766.0f);
}

#endif
