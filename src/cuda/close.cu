// Pairs that may be close: the names of those that no direction keeps farther apart, for the host,
// which measures them.

#include "cuda/query.cuh"

enum
{
    NAME_THREADS = 256
};

static __global__ void __launch_bounds__(NAME_THREADS)
    name_pairs(const __grid_constant__ toi_step s)
{
    toi_control *c = s.control;
    toi_count n = c->infinite ? 0 : toi_least(toi_left_count(&c->window), s.left_capacity);
    toi_count step = (toi_count)gridDim.x * NAME_THREADS;
    for (toi_count i = (toi_count)blockIdx.x * NAME_THREADS + threadIdx.x; i < n; i += step) {
        toi_slot_pair p = toi_find_slots(&s, toi_left_at(&s, i));
        toi_count at = toi_take_places(&c->hits[TOI_VERTEX_FACE].n, true);
        if (at < s.hit_capacity)
            s.near[at] = {p.edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE, p.a.w, p.b.w};
    }
}

void toi_start_names(const toi_card *card, const toi_step *step)
{
    name_pairs<<<8 * card->info.multiprocessors, NAME_THREADS, 0, card->stream>>>(*step);
}
