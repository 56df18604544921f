// Scouts: a few pairs of slots all over the scene, of pairs of blocks whose boxes meet. What they
// tell of the earliest time shortens the motion for all others; nothing else is noted of them.
//
// A warp looks at one pair of blocks of some pairs of groups, and at its first pairs of slots.

#ifndef TOI_CUDA_SCOUT_CUH
#define TOI_CUDA_SCOUT_CUH

#include "cuda/slots.cuh"

enum
{
    TOI_SCOUT_THREADS = 128,
    TOI_SCOUT_TASKS = 1, // pairs of groups that a warp goes into
    TOI_SCOUT_PAIRS = 32 // pairs of slots of each
};

// One of the bits of a mask, which one follows from a number.
static __device__ __forceinline__ int toi_pick_bit(unsigned mask, uint32_t number)
{
    uint32_t n = number * 0x9e3779b9u >> 16;
    for (n %= __popc(mask); n > 0; --n)
        mask &= mask - 1;
    return __ffs(mask) - 1;
}

// A pair of blocks of a pair of groups, where there is one that meets; all lanes have the same.
static __device__ bool toi_pick_blocks(const toi_step *s, toi_group_pair p, uint32_t number,
                                       uint2 *blocks)
{
    const uint4 *first = toi_first_of(s, p.kind)->blocks + (int64_t)p.a * 64;
    const uint4 *second = toi_second_of(s, p.kind)->blocks + (int64_t)p.b * 64;
    const toi_slots *others = toi_second_of(s, p.kind);
    toi_packed_box whole = toi_load_group(others, p.b);
    bool meets = !toi_boxes_part(toi_load_box(first + 2 * toi_lane()), toi_turn_box(whole));
    unsigned rows = __ballot_sync(TOI_ALL_LANES, meets);
    if (!rows)
        return false;
    int row = toi_pick_bit(rows, number);
    toi_packed_box b = toi_turn_box(toi_load_box(second + 2 * toi_lane()));
    meets = !toi_boxes_part(toi_load_box(first + 2 * row), b);
    unsigned columns = __ballot_sync(TOI_ALL_LANES, meets);
    if (!columns)
        return false;
    *blocks = make_uint2(p.a * 32 + row, p.b * 32 + toi_pick_bit(columns, number ^ 0x5bd1e995u));
    return true;
}

// The first pairs of slots of a pair of blocks whose boxes meet, one for each lane; returns how
// many there are.
template <int KIND>
static __device__ __forceinline__ int toi_meet_scouts(const toi_step *s, uint2 blocks, uint2 *pairs)
{
    const toi_slots *first = toi_first_of(s, KIND), *second = toi_second_of(s, KIND);
    uint32_t column = blocks.y * TOI_SLOT_BLOCK + toi_lane();
    const uint4 *at = second->rows + (int64_t)column * 2;
    uint4 low = at[0], high = at[1];
    toi_packed_box b = toi_turn_box(toi_unpack_box(low, high));
    uint32_t third = KIND == TOI_VERTEX_FACE ? (uint32_t)second->thirds[column] : 0;
    int count = 0;
    for (int i = 0; i < TOI_SLOT_BLOCK && count < TOI_SCOUT_PAIRS; ++i) {
        uint32_t row = blocks.x * TOI_SLOT_BLOCK + i;
        const uint4 *from = first->rows + (int64_t)row * 2;
        uint4 p = from[1];
        bool meets = !toi_boxes_part(toi_unpack_box(from[0], p), b) &&
                     !toi_share_vertex<KIND>(p, high, third);
        unsigned mask = __ballot_sync(TOI_ALL_LANES, meets);
        int to = count + __popc(mask & toi_lanes_before());
        if (meets && to < TOI_SCOUT_PAIRS)
            pairs[to] = make_uint2(row, column);
        count += __popc(mask);
    }
    return count < TOI_SCOUT_PAIRS ? count : TOI_SCOUT_PAIRS;
}

template <int KIND, class Scout>
static __device__ __forceinline__ void toi_scout_blocks(const toi_step *s, uint2 blocks,
                                                        uint2 *pairs, const Scout &scout)
{
    int count = toi_meet_scouts<KIND>(s, blocks, pairs);
    __syncwarp();
    uint2 pair = pairs[toi_lane() < count ? toi_lane() : 0];
    if (toi_lane() < count && !toi_is_forbidden<KIND>(s, pair))
        scout.template look<KIND>(s, pair);
    __syncwarp();
}

static __device__ __forceinline__ bool toi_groups_meet(const toi_step *s, toi_group_pair p)
{
    toi_packed_box a = toi_load_group(toi_first_of(s, p.kind), p.a);
    toi_packed_box b = toi_load_group(toi_second_of(s, p.kind), p.b);
    return !toi_boxes_part(a, toi_turn_box(b));
}

// By a kernel of TOI_SCOUT_THREADS.
template <class Scout>
static __device__ __forceinline__ void toi_scout(const toi_step *s, const Scout &scout)
{
    __shared__ uint2 pairs_of_block[TOI_SCOUT_THREADS / TOI_WARP][TOI_SCOUT_PAIRS];
    uint2 *pairs = pairs_of_block[threadIdx.x / TOI_WARP];
    toi_count edges = s->slots[TOI_EDGE].groups, vertices = s->slots[TOI_VERTEX].groups;
    toi_count all = edges * edges + vertices * s->slots[TOI_FACE].groups;
    toi_count warps = (toi_count)gridDim.x * (TOI_SCOUT_THREADS / TOI_WARP);
    toi_count warp = ((toi_count)blockIdx.x * TOI_SCOUT_THREADS + threadIdx.x) / TOI_WARP;
    int tasks = 0;
    if (s->control->infinite)
        return;
    for (toi_count base = warp; base < all && tasks < TOI_SCOUT_TASKS; base += warps * TOI_WARP) {
        toi_count mine = base + warps * toi_lane();
        bool meet = mine < all && toi_groups_meet(s, toi_find_group_pair(s, mine));
        unsigned left = __ballot_sync(TOI_ALL_LANES, meet);
        for (; left && tasks < TOI_SCOUT_TASKS; left &= left - 1) {
            toi_count number = base + warps * (__ffs(left) - 1);
            toi_group_pair p = toi_find_group_pair(s, number);
            uint2 blocks;
            if (!toi_pick_blocks(s, p, (uint32_t)number, &blocks))
                continue;
            ++tasks;
            if (p.kind == TOI_EDGE_EDGE)
                toi_scout_blocks<TOI_EDGE_EDGE>(s, blocks, pairs, scout);
            else
                toi_scout_blocks<TOI_VERTEX_FACE>(s, blocks, pairs, scout);
        }
    }
}

#endif
