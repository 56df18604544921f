// The motion of a pair of slots in single precision; for sources in single precision.

#ifndef TOI_CUDA_SLOT_MOTION_CUH
#define TOI_CUDA_SLOT_MOTION_CUH

#include "cuda/slots.cuh"
#include "cuda/stop.cuh"
#include "kernel/single.h"

// How far a difference of two positions in single precision is off.
static __device__ __forceinline__ float toi_difference_off(const toi_control *c)
{
    return __int_as_float(c->off) * 2.125f;
}

// Returns false where the sizes are not to be trusted.
template <int KIND>
static __device__ __forceinline__ bool toi_load_slot_motion(const toi_step *s, uint2 pair,
                                                            toi_pair_motion *m)
{
    constexpr int NA = KIND == TOI_EDGE_EDGE ? 2 : 1, NB = KIND == TOI_EDGE_EDGE ? 2 : 3;
    const toi_slots *first = toi_first_of(s, KIND), *second = toi_second_of(s, KIND);
    const float *a = first->numbers + (int64_t)(pair.x / 32) * (6 * NA * 32) + pair.x % 32;
    const float *b = second->numbers + (int64_t)(pair.y / 32) * (6 * NB * 32) + pair.y % 32;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        int end = i / 3, k = i % 3;
        float x[4];
        for (int c = 0; c < NA; ++c)
            x[c] = a[((end * NA + c) * 3 + k) * 32];
        for (int c = 0; c < NB; ++c)
            x[NA + c] = b[((end * NB + c) * 3 + k) * 32];
        m->p[end][k] = TOI_P_OF(KIND == TOI_EDGE_EDGE, x);
        m->e[end][k] = TOI_E_OF(KIND == TOI_EDGE_EDGE, x);
        m->g[end][k] = TOI_G_OF(KIND == TOI_EDGE_EDGE, x);
    }
    return !toi_measure_single(m);
}

#endif
