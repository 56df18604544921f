// Knots: what the contacts' rungs could not decide, a thread each. What is left after that goes to
// the host.

#include "cuda/query.cuh"

#include "cuda/ladder.cuh"

enum
{
    HARD_THREADS = 64,
    MOST_DIRECTIONS = 32
};

static __device__ void hand_over(const toi_step *s, const toi_slot_pair *p)
{
    toi_count at = atomicAdd(&s->control->hard.n, (toi_count)1);
    if (at < s->hard_capacity)
        s->hard[at] = {p->edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, p->a.w, p->b.w};
}

template <bool EARLIEST>
static __global__ void __launch_bounds__(HARD_THREADS) untie(const __grid_constant__ toi_step s)
{
    if (s.control->infinite)
        return;
    toi_count n = toi_least(s.control->window.knots.n, s.knot_capacity);
    toi_count first = (toi_count)blockIdx.x * HARD_THREADS + threadIdx.x;
    for (toi_count i = first; i < n; i += (toi_count)gridDim.x * HARD_THREADS) {
        toi_slot_pair p = toi_find_slots(&s, s.knots[i]);
        double points[2][4][3], shrink;
        toi_pair_motion m;
        toi_load_points(&s, &p, points);
        toi_take_scaled_motion(p.edge_edge, points, &shrink, &m);
        if (!toi_climb_directions(p.edge_edge, &m, MOST_DIRECTIONS))
            hand_over(&s, &p);
    }
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
