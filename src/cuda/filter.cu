// Drops pairs that a direction separates, in single precision, and those that are never coplanar.
//
// Three directions for all; what they leave waits in shared memory until a warp is full, and goes
// on from where it was. Where boxes are shortened so are the motions.

#define TOI_SINGLE
#define TOI_FUSED
#include "kernel/corner_signs.h"
#include "kernel/single.h"

#include "cuda/slot_motion.cuh"

enum
{
    FILTER_THREADS = 128,
    FILTER_WARPS = FILTER_THREADS / TOI_WARP,
    WAITING = 64
};

struct filter_warp
{
    uint2 pairs[WAITING], kept[WAITING];
    float directions[3][WAITING];
};

// Three directions for 32 pairs; returns how many wait then, after the `count` that do.
template <int KIND>
static __device__ __forceinline__ uint32_t look_first(const toi_step *s, filter_warp &w,
                                                      uint32_t count, toi_count base, toi_count n,
                                                      float off, float until)
{
    uint2 pair = s->pairs[KIND][toi_least(base + toi_lane(), n - 1)];
    toi_pair_motion m;
    float d[3];
    bool real = base + toi_lane() < n && !toi_is_forbidden<KIND>(s, pair);
    bool trusted = toi_load_slot_motion<KIND>(s, pair, &m);
    float slack[3];
    toi_take_slack(&m, &off, slack);
    if (until < 1)
        toi_stop_motion(until, &m);
    toi_mean_direction(KIND, &m, d);
    bool apart = toi_try_signs(KIND, &m, slack, d) || toi_try_signs(KIND, &m, slack, d) ||
                 toi_try_signs(KIND, &m, slack, d);
    bool left = real && !(trusted && apart);
    unsigned mask = __ballot_sync(TOI_ALL_LANES, left);
    if (left) {
        uint32_t at = count + __popc(mask & toi_lanes_before());
        w.pairs[at] = pair;
        for (int k = 0; k < 3; ++k)
            w.directions[k][at] = d[k];
    }
    return __popc(mask);
}

template <int KIND>
static __device__ __forceinline__ void look_again(const toi_step *s, filter_warp &w, uint32_t at,
                                                  bool real, float off, float until,
                                                  toi_outlet &kept)
{
    __syncwarp();
    uint2 pair = w.pairs[at];
    float d[3] = {w.directions[0][at], w.directions[1][at], w.directions[2][at]};
    __syncwarp();
    toi_pair_motion m;
    bool trusted = toi_load_slot_motion<KIND>(s, pair, &m);
    float slack[3];
    toi_take_slack(&m, &off, slack);
    if (until < 1)
        toi_stop_motion(until, &m);
    bool apart = toi_try_signs(KIND, &m, slack, d) || toi_signs_separate(KIND, &m, slack, d) ||
                 (until == 1 && toi_plane_separates(KIND, &m, slack, &off));
    bool left = real && !(trusted && apart);
    if (KIND == TOI_EDGE_EDGE)
        pair.x |= TOI_EDGE_BIT;
    kept.add(left, pair);
    if (kept.count >= TOI_WARP)
        kept.flush(TOI_WARP);
}

// Pairs of vertices are kept from the front of the queue on, those of edges from its back.
template <int KIND>
static __device__ __forceinline__ void filter_all(const toi_step *s, filter_warp &w)
{
    toi_control *c = s->control;
    constexpr bool EDGES = KIND == TOI_EDGE_EDGE;
    toi_outlet kept = {w.kept,           s->left, EDGES ? &c->window.back.n : &c->window.front.n,
                       s->left_capacity, 0,       EDGES};
    toi_count n = toi_least(c->window.pairs[KIND].n, s->pair_capacity);
    toi_count warps = (toi_count)gridDim.x * FILTER_WARPS;
    toi_count warp = (toi_count)blockIdx.x * FILTER_WARPS + threadIdx.x / TOI_WARP;
    if (!EDGES)
        warp = warps - 1 - warp; // who had one turn more among the edges has one less here
    uint32_t count = 0;
    float off = toi_difference_off(c), until = c->shortened ? toi_stop_time(toi_limit_of(c)) : 1;
    bool last = false;
    for (toi_count base = warp * TOI_WARP; !last; base += warps * TOI_WARP) {
        last = base >= n;
        if (!last)
            count += look_first<KIND>(s, w, count, base, n, off, until);
        uint32_t many = count >= TOI_WARP ? TOI_WARP : last ? count : 0;
        count -= many;
        if (many)
            look_again<KIND>(s, w, count + (toi_lane() < many ? toi_lane() : 0), toi_lane() < many,
                             off, until, kept);
    }
    if (kept.count)
        kept.flush(kept.count);
    __syncwarp();
}

static __global__ void __launch_bounds__(FILTER_THREADS, 8)
    filter(const __grid_constant__ toi_step s)
{
    __shared__ filter_warp warps[FILTER_WARPS];
    if (s.control->infinite)
        return;
    filter_warp &w = warps[threadIdx.x / TOI_WARP];
    filter_all<TOI_EDGE_EDGE>(&s, w);
    filter_all<TOI_VERTEX_FACE>(&s, w);
}

void toi_start_filter(const toi_card *card, const toi_step *step)
{
    filter<<<card->fillings.filter, FILTER_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_filter(toi_card *card, toi_complaint *complaint)
{
    return toi_fill(card, filter, FILTER_THREADS, &card->fillings.filter, complaint);
}
