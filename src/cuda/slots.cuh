// Which slots a kind of pairs is made of, which of them are no pairs, and how pairs of groups are
// numbered.

#ifndef TOI_CUDA_SLOTS_CUH
#define TOI_CUDA_SLOTS_CUH

#include "cuda/boxes.cuh"

static __device__ __forceinline__ const toi_slots *toi_first_of(const toi_step *s, int kind)
{
    return &s->slots[kind == TOI_EDGE_EDGE ? TOI_EDGE : TOI_VERTEX];
}

static __device__ __forceinline__ const toi_slots *toi_second_of(const toi_step *s, int kind)
{
    return &s->slots[kind == TOI_EDGE_EDGE ? TOI_EDGE : TOI_FACE];
}

static __device__ __forceinline__ toi_packed_box toi_load_group(const toi_slots *slots, int group)
{
    return toi_load_sides(slots->groups_of_blocks + (int64_t)group * TOI_BOX_SIDES);
}

// Pairs that the groups of the filter forbid.
template <int KIND>
static __device__ __forceinline__ bool toi_is_forbidden(const toi_step *s, uint2 pair)
{
    const toi_slots *first = toi_first_of(s, KIND), *second = toi_second_of(s, KIND);
    if (!first->bodies)
        return false;
    int32_t body = first->bodies[pair.x];
    return body >= 0 && body == second->bodies[pair.y];
}

// Do the primitives have a common vertex? p and q are second halves of rows.
template <int KIND>
static __device__ __forceinline__ bool toi_share_vertex(uint4 p, uint4 q, uint32_t third)
{
    bool first = p.z == q.z || p.z == q.w;
    return first || (KIND == TOI_EDGE_EDGE ? p.w == q.z || p.w == q.w : p.z == third);
}

// Which pair of groups number w is: edges against edges first, then vertices against faces.
struct toi_group_pair
{
    int kind, a, b;
};

static __device__ __forceinline__ toi_group_pair toi_find_group_pair(const toi_step *s, toi_count w)
{
    toi_count edges = (toi_count)s->slots[TOI_EDGE].groups, faces = s->slots[TOI_FACE].groups;
    if (w < edges * edges)
        return {TOI_EDGE_EDGE, (int)(w / edges), (int)(w % edges)};
    w -= edges * edges;
    return {TOI_VERTEX_FACE, (int)(w / faces), (int)(w % faces)};
}

#endif
