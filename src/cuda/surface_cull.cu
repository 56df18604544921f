// Drops pairs of faces that are apart, and shows stars to be embedded: in single precision.

#define TOI_SINGLE
#include "kernel/face_directions.h"
#include "kernel/turns.h"

#include "cuda/surface.cuh"

enum
{
    CULL_THREADS = 128,
    CULL_WARPS = CULL_THREADS / TOI_WARP,
    WAITING = 64,
    STAR_THREADS = 128,
    STEPS = 2,         // of Gilbert's algorithm, as on the host
    MOST_FACES = 2048, // of a star that a card looks at pair by pair
};

// ---- Pairs

// May the faces have a point in common?
static __device__ __forceinline__ bool may_meet(const toi_surface_step *s, const toi_face_frame *f,
                                                uint2 pair)
{
    float x[2][3][3], p[TOI_FACE_DIFFERENCES][3];
    toi_mask apart, crossing;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        int4 at = s->corners[side ? pair.y : pair.x];
        toi_load_single(s, f, at.x, x[side][0]);
        toi_load_single(s, f, at.y, x[side][1]);
        toi_load_single(s, f, at.z, x[side][2]);
    }
    toi_take_differences(x, p);
    toi_judge_faces(p, &f->error, &apart, &crossing);
    if (apart || crossing)
        return !apart;
    return !toi_faces_separated(p, &f->error, STEPS);
}

static __global__ void __launch_bounds__(CULL_THREADS)
    cull(const __grid_constant__ toi_surface_step s)
{
    __shared__ uint2 buffers[CULL_WARPS][WAITING];
    __shared__ toi_face_frame frame;
    toi_surface_control *c = s.control;
    if (c->infinite)
        return;
    if (threadIdx.x == 0)
        frame = toi_surface_frame_of(c).face;
    __syncthreads();
    toi_count n = toi_least(c->window.pairs.n, s.pair_capacity);
    toi_count warps = (toi_count)gridDim.x * CULL_WARPS;
    toi_count warp = (toi_count)blockIdx.x * CULL_WARPS + threadIdx.x / TOI_WARP;
    toi_outlet left = {buffers[threadIdx.x / TOI_WARP], s.left, &c->window.left.n, s.left_capacity,
                       0};
    for (toi_count base = warp * TOI_WARP; base < n; base += warps * TOI_WARP) {
        uint2 pair = s.pairs[toi_least(base + toi_lane(), n - 1)];
        bool some = may_meet(&s, &frame, pair) && base + toi_lane() < n;
        left.add(some, pair);
        if (left.count >= TOI_WARP)
            left.flush(TOI_WARP);
    }
    if (left.count)
        left.flush(left.count);
}

void toi_start_cull(const toi_card *card, const toi_surface_step *step)
{
    cull<<<card->fillings.cull, CULL_THREADS, 0, card->stream>>>(*step);
}

// ---- Stars

// What the faces of one vertex look like from it.
struct fan
{
    const toi_surface_step *s;
    const toi_face_frame *frame;
    const int32_t *ring;
    int32_t faces;
    float centre[3];
};

static __device__ __forceinline__ void load_outer(const fan &f, int32_t i, float out[3])
{
    toi_load_single(f.s, f.frame, f.ring[i], out);
    for (int k = 0; k < 3; ++k)
        out[k] -= f.centre[k];
}

// The sum of the normals, along which the star is looked at; returns the greatest coordinate.
static __device__ __forceinline__ float find_view(const fan &f, float v[3])
{
    float reach = 0, before[3] = {0, 0, 0}, e[3], normal[3];
    v[0] = v[1] = v[2] = 0;
    for (int32_t i = 0; i <= f.faces; ++i) {
        load_outer(f, i, e);
        reach = toi_max(reach, toi_max3(e));
        toi_cross(before, e, normal); // of the first: zero
        for (int k = 0; k < 3; ++k) {
            v[k] += normal[k];
            before[k] = e[k];
        }
    }
    return reach;
}

// As the host does it (overlap/stars_isa.c): every face turns the same way about the vertex, and
// signs against the line through the first outer vertex are +, then at most one uncertain, then -.
static __device__ __forceinline__ bool is_embedded(const fan &f)
{
    float v[3], g[3], e[3], before[3];
    float reach = find_view(f, v);
    float bound = toi_turn_error(v, reach, f.frame->error);
    int32_t last = f.faces - (f.ring[0] == f.ring[f.faces]);
    bool good = true, left = true;
    load_outer(f, 0, before);
    toi_cross(v, before, g);
    for (int32_t i = 1; i <= f.faces && good; ++i) {
        load_outer(f, i, e);
        float side = toi_dot(g, e);
        good = toi_turn(v, before, e) > bound && (left || side < -bound || i > last);
        left = i == 1 ? good : side > bound; // the first turn is the same number
        for (int k = 0; k < 3; ++k)
            before[k] = e[k];
    }
    return good;
}

// Queues the pairs of a star, in pieces.
static __device__ __forceinline__ void queue_star(const toi_surface_step *s, uint32_t vertex,
                                                  int32_t faces)
{
    toi_surface_control *c = s->control;
    if (faces < 2)
        return;
    if (faces > MOST_FACES) {
        c->large = 1;
        return;
    }
    uint32_t pieces =
        ((uint32_t)faces * (uint32_t)(faces - 1) / 2 + TOI_STAR_PIECE - 1) / TOI_STAR_PIECE;
    toi_count at = atomicAdd(&c->broken.n, (toi_count)pieces);
    for (uint32_t i = 0; i < pieces; ++i)
        if (at + i < s->broken_capacity)
            s->broken[at + i] = make_uint2(vertex, i * TOI_STAR_PIECE);
}

static __global__ void __launch_bounds__(STAR_THREADS)
    stars(const __grid_constant__ toi_surface_step s)
{
    __shared__ toi_face_frame frame;
    if (s.control->infinite)
        return;
    if (threadIdx.x == 0)
        frame = toi_surface_frame_of(s.control).face;
    __syncthreads();
    int64_t v = (int64_t)blockIdx.x * STAR_THREADS + threadIdx.x;
    bool embedded = false;
    if (v < s.vertex_count) {
        toi_star star = s.stars[v];
        if (star.fan && star.faces > 0) {
            fan f = {&s, &frame, s.pool + star.first + star.faces, star.faces, {0, 0, 0}};
            toi_load_single(&s, &frame, (int32_t)v, f.centre);
            embedded = is_embedded(f);
        }
        s.embedded[v] = embedded;
        if (!embedded)
            queue_star(&s, (uint32_t)v, star.faces);
    }
    int count = __syncthreads_count(embedded);
    if (threadIdx.x == 0)
        atomicAdd(&s.control->embedded.n, (toi_count)count);
}

void toi_start_stars(const toi_card *card, const toi_surface_step *step)
{
    int64_t blocks = (step->vertex_count + STAR_THREADS - 1) / STAR_THREADS;
    stars<<<(unsigned)blocks, STAR_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_cull(toi_card *card, toi_complaint *complaint)
{
    return toi_fill(card, cull, CULL_THREADS, &card->fillings.cull, complaint);
}
