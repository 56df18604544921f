// Boxes of 15 bits a side at both ends of the step, two numbers a word.
//
// Positions go through a monotone map to whole numbers in 1 .. 32766, so what is apart afterwards
// was apart before: nothing is lost. Kept are low and 32767 - high: both are minima, and where low
// of the one plus that of the other exceeds 32767, which is bit 15 of the sum, the boxes are apart.

#ifndef TOI_CUDA_BOXES_CUH
#define TOI_CUDA_BOXES_CUH

#include "cuda/step.cuh"

struct toi_packed_box
{
    uint32_t low[2], high[2], z[2]; // at both ends: low x y, high x y, low and high z
};

constexpr uint32_t TOI_NO_BOX = 0x7fff7fff; // apart from all others, and neutral for minima
constexpr uint32_t TOI_APART_BITS = 0x80008000u;

static __device__ __forceinline__ toi_packed_box toi_unpack_box(uint4 a, uint4 b)
{
    return {{a.x, a.y}, {a.z, a.w}, {b.x, b.y}};
}

static __device__ __forceinline__ toi_packed_box toi_load_box(const uint4 *from)
{
    return toi_unpack_box(from[0], from[1]);
}

static __device__ __forceinline__ void toi_store_box(const toi_packed_box &b, uint32_t x,
                                                     uint32_t y, uint4 *to)
{
    to[0] = make_uint4(b.low[0], b.low[1], b.high[0], b.high[1]);
    to[1] = make_uint4(b.z[0], b.z[1], x, y);
}

// The other's low z stands beside this one's high z.
static __device__ __forceinline__ toi_packed_box toi_turn_box(toi_packed_box b)
{
    b.z[0] = __funnelshift_l(b.z[0], b.z[0], 16);
    b.z[1] = __funnelshift_l(b.z[1], b.z[1], 16);
    return b;
}

// Apart on an axis, on the same side at both ends: then all the time. b is turned.
static __device__ __forceinline__ bool toi_boxes_part(const toi_packed_box &a,
                                                      const toi_packed_box &b)
{
    uint32_t apart = (a.low[0] + b.high[0]) & (a.low[1] + b.high[1]);
    apart |= (b.low[0] + a.high[0]) & (b.low[1] + a.high[1]);
    apart |= (a.z[0] + b.z[0]) & (a.z[1] + b.z[1]);
    return (apart & TOI_APART_BITS) != 0;
}

// Boxes of groups have a word for each side, so that blocks of threads that have a part of a group
// can make them larger with atomic operations.
static __device__ __forceinline__ toi_packed_box toi_load_sides(const uint32_t *sides)
{
    const uint4 *from = (const uint4 *)sides;
    uint4 low = from[0], high = from[1], z = from[2];
    return {{low.x | low.y << 16, low.z | low.w << 16},
            {high.x | high.y << 16, high.z | high.w << 16},
            {z.x | z.y << 16, z.z | z.w << 16}};
}

// Of the lane's side.
static __device__ __forceinline__ uint32_t toi_side_of(const toi_packed_box &b, int side)
{
    uint32_t words[3] = {side & 2 ? b.low[1] : b.low[0], side & 2 ? b.high[1] : b.high[0],
                         side & 2 ? b.z[1] : b.z[0]};
    uint32_t word = side < 4 ? words[0] : side < 8 ? words[1] : words[2];
    return side & 1 ? word >> 16 : word & 0xffff;
}

// The boxes around those of lanes that differ in the bits of `lanes`.
static __device__ __forceinline__ void toi_join_boxes(toi_packed_box &b, int lanes)
{
    for (int end = 0; end < 2; ++end) {
        b.low[end] = __vminu2(b.low[end], __shfl_xor_sync(TOI_ALL_LANES, b.low[end], lanes));
        b.high[end] = __vminu2(b.high[end], __shfl_xor_sync(TOI_ALL_LANES, b.high[end], lanes));
        b.z[end] = __vminu2(b.z[end], __shfl_xor_sync(TOI_ALL_LANES, b.z[end], lanes));
    }
}

#endif
