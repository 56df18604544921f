// How kernels read positions from where they are, and find their bounds.

#ifndef TOI_CUDA_TAKE_CUH
#define TOI_CUDA_TAKE_CUH

#include "cuda/step.cuh"

enum
{
    TOI_TAKE_THREADS = 256
};

// Reads a packed chunk as whole lines; memory of the host is slow to answer.
static __device__ void stage_packed(const double *from, int count, double *to)
{
    for (int i = 2 * threadIdx.x; i < count; i += 2 * TOI_TAKE_THREADS)
        if (i + 1 < count) {
            double2 two = *(const double2 *)(from + i);
            to[i] = two.x;
            to[i + 1] = two.y;
        } else {
            to[i] = from[i];
        }
}

static __device__ void stage_strided(const toi_source &source, int64_t first, int count, double *to)
{
    for (int i = threadIdx.x; i < count; i += TOI_TAKE_THREADS) {
        const char *point = (const char *)source.data + (first + i / 3) * source.stride;
        to[i] = source.is_float ? (double)((const float *)point)[i % 3]
                                : ((const double *)point)[i % 3];
    }
}

// Reads positions first .. first + count / 3 into shared memory.
static __device__ void toi_stage_positions(const toi_source &source, int64_t first, int count,
                                           double *to)
{
    if (source.packed)
        stage_packed((const double *)source.data + 3 * first, count, to);
    else if (source.data)
        stage_strided(source, first, count, to);
}

// The bounds of a block of threads into those of all.
static __device__ void toi_reduce_bounds(double low[3], double high[3], toi_count least[3],
                                         toi_count greatest[3])
{
    __shared__ double bounds[TOI_TAKE_THREADS / TOI_WARP][6];
    for (int k = 0; k < 3; ++k)
        for (int lanes = 1; lanes < TOI_WARP; lanes *= 2) {
            low[k] = fmin(low[k], __shfl_xor_sync(TOI_ALL_LANES, low[k], lanes));
            high[k] = fmax(high[k], __shfl_xor_sync(TOI_ALL_LANES, high[k], lanes));
        }
    if (toi_lane() < 3) {
        int k = toi_lane();
        bounds[threadIdx.x / TOI_WARP][k] = k == 0 ? low[0] : k == 1 ? low[1] : low[2];
        bounds[threadIdx.x / TOI_WARP][3 + k] = k == 0 ? high[0] : k == 1 ? high[1] : high[2];
    }
    __syncthreads();
    int k = threadIdx.x;
    if (k >= 6)
        return;
    double x = bounds[0][k];
    for (int w = 1; w < TOI_TAKE_THREADS / TOI_WARP; ++w)
        x = k < 3 ? fmin(x, bounds[w][k]) : fmax(x, bounds[w][k]);
    toi_count bits = toi_in_order(x);
    if (k < 3)
        toi_lower(&least[k], bits);
    else if (bits > *(volatile toi_count *)&greatest[k - 3]) // few get that far
        atomicMax(&greatest[k - 3], bits);
}

#endif
