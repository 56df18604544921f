// Knots: what the contacts' rungs could not decide, a thread each. What is left after that goes to
// the host.

#include "cuda/query.cuh"

#include "cuda/ladder.cuh"

enum
{
    HARD_THREADS = 64,
    LEAST_WARPS = 512,
    KNOTS_TOGETHER = 8 // in a warp
};

template <bool EARLIEST>
static __global__ void __launch_bounds__(HARD_THREADS)
    untie(const __grid_constant__ toi_step s, toi_part part)
{
    if (s.control->infinite)
        return;
    toi_count front = part == TOI_PART_EDGES ? 0 : s.control->window.knots.n;
    toi_count back = part == TOI_PART_VERTICES ? 0 : s.control->window.back_knots.n;
    toi_count n = toi_least(front + back, s.knot_capacity);
    // A lane of every warp first, since lanes that take different ways wait for each other; but
    // many warps do, too.
    toi_count few = n / KNOTS_TOGETHER > LEAST_WARPS ? n / KNOTS_TOGETHER : LEAST_WARPS;
    toi_count warps = toi_least((toi_count)gridDim.x * (HARD_THREADS / TOI_WARP), few);
    toi_count warp = ((toi_count)blockIdx.x * HARD_THREADS + threadIdx.x) / TOI_WARP;
    if (warp >= warps)
        return;
    for (toi_count i = warp + warps * toi_lane(); i < n; i += warps * TOI_WARP) {
        uint2 pair = s.knots[i < front ? i : s.knot_capacity - 1 - (i - front)];
        toi_slot_pair p = toi_find_slots(&s, pair);
        double points[2][4][3], time = 0;
        toi_load_points(&s, &p, points);
        int verdict = toi_climb_knot(p.edge_edge, points, toi_limit_of(s.control), &time);
        toi_note_hit<EARLIEST>(&s, pair, &p, verdict == TOI_FIXED_HIT, time);
        if (verdict == TOI_FIXED_DECLINED)
            toi_hand_over(&s, &p, points);
    }
}

void toi_start_hard(const toi_card *card, const toi_step *step, toi_card_goal goal, toi_part part)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.hard[earliest];
    cudaStream_t stream = part == TOI_PART_VERTICES ? card->second : card->stream;
    if (earliest)
        untie<true><<<blocks, HARD_THREADS, 0, stream>>>(*step, part);
    else
        untie<false><<<blocks, HARD_THREADS, 0, stream>>>(*step, part);
}

toi_status toi_fill_hard(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.hard;
    TOI_TRY(toi_fill(card, untie<false>, HARD_THREADS, &blocks[0], complaint));
    return toi_fill(card, untie<true>, HARD_THREADS, &blocks[1], complaint);
}
