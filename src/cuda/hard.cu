// Knots: what the contacts' rungs could not decide. Contact at the start, which is common and quick
// to see, in full warps; then the others, a lane of a warp each, since they take many ways. What is
// left after that goes to the host.

#include "cuda/query.cuh"

#include "cuda/ladder.cuh"

enum
{
    HARD_THREADS = 64 // and as many knots are a portion
};

// Knots without contact at the start go where the pairs were that the filter has seen.
static __device__ __forceinline__ void note_tangle(const toi_step *s, uint2 pair,
                                                   const toi_slot_pair *p, int touch,
                                                   const double points[2][4][3])
{
    int kind = p->edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    toi_count at = atomicAdd(&s->control->window.tangles[kind].n, (toi_count)1);
    pair.y |= touch < 0 ? TOI_LATER_BIT : 0;
    if (at < s->pair_capacity)
        s->pairs[kind][at] = pair;
    else
        toi_hand_over(s, p, points);
}

template <bool EARLIEST>
static __device__ __forceinline__ void look_at_start(const toi_step *s, toi_count i)
{
    uint2 pair = s->knots[i];
    toi_slot_pair p = toi_find_slots(s, pair);
    double points[2][4][3];
    toi_load_points(s, &p, points);
    int touch = toi_touch_knot(p.edge_edge, points);
    toi_note_hit<EARLIEST>(s, pair, &p, touch > 0, 0);
    if (touch <= 0)
        note_tangle(s, pair, &p, touch, points);
}

// All knots, in portions that blocks of threads take from a counter; returns when all were seen. A
// portion that is waited for has been taken by a block that runs, however few of them do.
template <bool EARLIEST>
static __device__ __forceinline__ void look_at_starts(const toi_step *s, toi_count n)
{
    __shared__ toi_count portion;
    toi_in_window *w = &s->control->window;
    toi_count portions = (n + HARD_THREADS - 1) / HARD_THREADS;
    for (;;) {
        if (threadIdx.x == 0)
            portion = atomicAdd(&w->knots_taken.n, (toi_count)1);
        __syncthreads();
        toi_count i = portion * HARD_THREADS + threadIdx.x;
        if (portion >= portions)
            break;
        if (i < n)
            look_at_start<EARLIEST>(s, i);
        __threadfence(); // tangles are seen by who sees the count
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(&w->knots_seen.n, (toi_count)1);
    }
    if (threadIdx.x == 0)
        while (*(volatile toi_count *)&w->knots_seen.n < portions)
            continue;
    __threadfence();
    __syncthreads();
}

template <bool EARLIEST>
static __device__ __forceinline__ void untie_one(const toi_step *s, uint2 pair)
{
    int touch = pair.y & TOI_LATER_BIT ? -1 : 0;
    pair.y &= ~TOI_LATER_BIT;
    toi_slot_pair p = toi_find_slots(s, pair);
    double points[2][4][3], time = 0;
    toi_load_points(s, &p, points);
    int verdict = toi_untie_knot(p.edge_edge, points, touch, toi_limit_of(s->control), &time);
    toi_note_hit<EARLIEST>(s, pair, &p, verdict == TOI_FIXED_HIT, time);
    if (verdict == TOI_FIXED_DECLINED)
        toi_hand_over(s, &p, points);
}

template <bool EARLIEST>
static __global__ void __launch_bounds__(HARD_THREADS) untie(const __grid_constant__ toi_step s)
{
    toi_count n = toi_least(s.control->window.knots.n, s.knot_capacity);
    if (s.control->infinite || n == 0)
        return;
    look_at_starts<EARLIEST>(&s, n);
    const toi_tally *tangles = s.control->window.tangles;
    toi_count vertices = toi_least(__ldcg(&tangles[TOI_VERTEX_FACE].n), s.pair_capacity);
    toi_count edges = toi_least(__ldcg(&tangles[TOI_EDGE_EDGE].n), s.pair_capacity);
    toi_count warps = (toi_count)gridDim.x * (HARD_THREADS / TOI_WARP);
    toi_count warp = ((toi_count)blockIdx.x * HARD_THREADS + threadIdx.x) / TOI_WARP;
    for (toi_count i = warp + warps * toi_lane(); i < vertices + edges; i += warps * TOI_WARP)
        untie_one<EARLIEST>(&s, __ldcg(i < vertices ? &s.pairs[TOI_VERTEX_FACE][i]
                                                    : &s.pairs[TOI_EDGE_EDGE][i - vertices]));
}

void toi_start_hard(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.hard[earliest];
    if (earliest)
        untie<true><<<blocks, HARD_THREADS, 0, card->stream>>>(*step);
    else
        untie<false><<<blocks, HARD_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_hard(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.hard;
    TOI_TRY(toi_fill(card, untie<false>, HARD_THREADS, &blocks[0], complaint));
    return toi_fill(card, untie<true>, HARD_THREADS, &blocks[1], complaint);
}
