// Boxes of 15 bits a side that keep a share of their distance, or not.

#ifndef TOI_CUDA_BOX_MARGIN_CUH
#define TOI_CUDA_BOX_MARGIN_CUH

#include "cuda/boxes.cuh"

// 2^23 and one half of a word, without a conversion.
static __device__ __forceinline__ float toi_half_number(uint32_t word, int half)
{
    return __uint_as_float(__byte_perm(word, 0x4b000000u, half ? 0x7632 : 0x7610));
}

constexpr float TOI_HALF_ZERO = 0x1p23f;              // the number of a half that is 0
constexpr float TOI_TOUCHING = TOI_HALF_ZERO + 32767; // of a sum of sides without a gap

// Of the box at t = 0, which is not turned.
static __device__ __forceinline__ float toi_radius_of(const toi_box_margin &m,
                                                      const toi_packed_box &b)
{
    const uint32_t most = 0x7fff7fff;
    uint32_t xy = most - b.high[0] - b.low[0];
    float extent[3] = {
        toi_half_number(xy, 0) - TOI_HALF_ZERO, toi_half_number(xy, 1) - TOI_HALF_ZERO,
        TOI_TOUCHING - toi_half_number(b.z[0], 0) - (toi_half_number(b.z[0], 1) - TOI_HALF_ZERO)};
    return toi_box_radius(&m, extent);
}

// Are the boxes of the whole motion apart? b is turned.
static __device__ __forceinline__ bool toi_motions_part(const toi_packed_box &a,
                                                        const toi_packed_box &b)
{
    uint32_t apart = __vminu2(a.low[0], a.low[1]) + __vminu2(b.high[0], b.high[1]);
    apart |= __vminu2(b.low[0], b.low[1]) + __vminu2(a.high[0], a.high[1]);
    apart |= __vminu2(a.z[0], a.z[1]) + __vminu2(b.z[0], b.z[1]);
    return (apart & TOI_APART_BITS) != 0;
}

// A number for each axis, two in a word: x and y, and z twice.
struct toi_box_steps
{
    uint32_t xy, z;
};

// How many steps apart on an axis is enough for every pair of primitives in the boxes; b is turned,
// the radii are of both.
static __device__ __forceinline__ toi_box_steps toi_steps_apart(const toi_box_margin &m,
                                                                const toi_packed_box &a,
                                                                const toi_packed_box &b,
                                                                float radii)
{
    uint32_t above = a.low[0] + b.high[0], below = b.low[0] + a.high[0], z = a.z[0] + b.z[0];
    uint32_t twice = __vmaxu2(above, below) - __vminu2(above, below), steps[3];
    float ways[3] = {toi_half_number(twice, 0) - TOI_HALF_ZERO,
                     toi_half_number(twice, 1) - TOI_HALF_ZERO,
                     toi_half_number(z, 0) - toi_half_number(z, 1)};
    float length = m.off + m.share * (toi_box_radius(&m, ways) + radii);
    for (int k = 0; k < 3; ++k)
        steps[k] = (uint32_t)fminf(length / m.unit[k] * (1 + 0x1p-18f) + 2, 32767.0f);
    return {steps[0] | steps[1] << 16, steps[2] | steps[2] << 16};
}

// Makes a box larger by so many steps.
static __device__ __forceinline__ void toi_widen_box(toi_packed_box &b, const toi_box_steps &by)
{
    for (int end = 0; end < 2; ++end) {
        b.low[end] = __vmaxu2(b.low[end], by.xy) - by.xy;
        b.high[end] = __vmaxu2(b.high[end], by.xy) - by.xy;
        b.z[end] = __vmaxu2(b.z[end], by.z) - by.z;
    }
}

// At the end, too, the box of the start.
static __device__ __forceinline__ void toi_stay_at_start(toi_packed_box &b)
{
    b.low[1] = b.low[0];
    b.high[1] = b.high[0];
    b.z[1] = b.z[0];
}

// No side at 0, which is not apart from what has no box.
static __device__ __forceinline__ void toi_keep_in_frame(toi_packed_box &b)
{
    for (int end = 0; end < 2; ++end) {
        b.low[end] = __vmaxu2(b.low[end], 0x00010001u);
        b.high[end] = __vmaxu2(b.high[end], 0x00010001u);
        b.z[end] = __vmaxu2(b.z[end], 0x00010001u);
    }
}

// Do they stay apart by more than the share? b is turned; the radii are of both.
static __device__ __forceinline__ bool toi_boxes_clear(const toi_box_margin &m,
                                                       const toi_packed_box &a,
                                                       const toi_packed_box &b, float radii)
{
    uint32_t above[2], below[2], z[2];
    for (int end = 0; end < 2; ++end) {
        above[end] = a.low[end] + b.high[end];
        below[end] = b.low[end] + a.high[end];
        z[end] = a.z[end] + b.z[end];
    }
    uint32_t xy = __vmaxu2(__vminu2(above[0], above[1]), __vminu2(below[0], below[1]));
    uint32_t both = __vminu2(z[0], z[1]);
    uint32_t twice = __vmaxu2(above[0], below[0]) - __vminu2(above[0], below[0]);
    float gap[3] = {toi_half_number(xy, 0) - TOI_TOUCHING, toi_half_number(xy, 1) - TOI_TOUCHING,
                    fmaxf(toi_half_number(both, 0), toi_half_number(both, 1)) - TOI_TOUCHING};
    float ways[3] = {toi_half_number(twice, 0) - TOI_HALF_ZERO,
                     toi_half_number(twice, 1) - TOI_HALF_ZERO,
                     toi_half_number(z[0], 0) - toi_half_number(z[0], 1)};
    return toi_gap_suffices(&m, gap, ways, radii);
}

// Is no pair of primitives in the boxes asked about, and close enough? SHARE: pairs keep a share of
// their distance.
template <bool SHARE>
static __device__ __forceinline__ bool toi_boxes_part_by(const toi_box_margin &m,
                                                         const toi_packed_box &a,
                                                         const toi_packed_box &b, float radii)
{
    bool part = toi_boxes_part(a, b);
    return SHARE && part ? toi_motions_part(a, b) || toi_boxes_clear(m, a, b, radii) : part;
}

#endif
