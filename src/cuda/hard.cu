// Knots: what the contacts' rungs could not decide. Contact at the start, which is common and quick
// to see, in full warps; then the others, a lane of a warp each, since they take many ways. What is
// left after that goes to the host.

#include "cuda/query.cuh"

#include "cuda/ladder.cuh"

enum
{
    START_THREADS = 64,
    HARD_THREADS = 64
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
static __global__ void __launch_bounds__(START_THREADS)
    look_at_start(const __grid_constant__ toi_step s)
{
    if (s.control->infinite)
        return;
    toi_count n = toi_least(s.control->window.knots.n, s.knot_capacity);
    toi_count step = (toi_count)gridDim.x * START_THREADS;
    for (toi_count i = (toi_count)blockIdx.x * START_THREADS + threadIdx.x; i < n; i += step) {
        uint2 pair = s.knots[i];
        toi_slot_pair p = toi_find_slots(&s, pair);
        double points[2][4][3];
        toi_load_points(&s, &p, points);
        int touch = toi_touch_knot(p.edge_edge, points);
        toi_note_hit<EARLIEST>(&s, pair, &p, touch > 0, 0);
        if (touch <= 0)
            note_tangle(&s, pair, &p, touch, points);
    }
}

template <bool EARLIEST>
static __global__ void __launch_bounds__(HARD_THREADS) untie(const __grid_constant__ toi_step s)
{
    if (s.control->infinite)
        return;
    const toi_tally *tangles = s.control->window.tangles;
    toi_count vertices = toi_least(tangles[TOI_VERTEX_FACE].n, s.pair_capacity);
    toi_count edges = toi_least(tangles[TOI_EDGE_EDGE].n, s.pair_capacity);
    toi_count warps = (toi_count)gridDim.x * (HARD_THREADS / TOI_WARP);
    toi_count warp = ((toi_count)blockIdx.x * HARD_THREADS + threadIdx.x) / TOI_WARP;
    for (toi_count i = warp + warps * toi_lane(); i < vertices + edges; i += warps * TOI_WARP) {
        uint2 pair =
            i < vertices ? s.pairs[TOI_VERTEX_FACE][i] : s.pairs[TOI_EDGE_EDGE][i - vertices];
        int touch = pair.y & TOI_LATER_BIT ? -1 : 0;
        pair.y &= ~TOI_LATER_BIT;
        toi_slot_pair p = toi_find_slots(&s, pair);
        double points[2][4][3], time = 0;
        toi_load_points(&s, &p, points);
        int verdict = toi_untie_knot(p.edge_edge, points, touch, toi_limit_of(s.control), &time);
        toi_note_hit<EARLIEST>(&s, pair, &p, verdict == TOI_FIXED_HIT, time);
        if (verdict == TOI_FIXED_DECLINED)
            toi_hand_over(&s, &p, points);
    }
}

void toi_start_hard(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.hard[earliest], starts = 2 * card->info.multiprocessors;
    if (earliest) {
        look_at_start<true><<<starts, START_THREADS, 0, card->stream>>>(*step);
        untie<true><<<blocks, HARD_THREADS, 0, card->stream>>>(*step);
    } else {
        look_at_start<false><<<starts, START_THREADS, 0, card->stream>>>(*step);
        untie<false><<<blocks, HARD_THREADS, 0, card->stream>>>(*step);
    }
}

toi_status toi_fill_hard(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.hard;
    TOI_TRY(toi_fill(card, untie<false>, HARD_THREADS, &blocks[0], complaint));
    return toi_fill(card, untie<true>, HARD_THREADS, &blocks[1], complaint);
}
