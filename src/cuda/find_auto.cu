// Our own search for candidates: that of the step (search.cu), with boxes of 15 bits a side around
// the whole motion. What it leaves are pairs of slots, which the boxes in double decide.

#include "cuda/finder.cuh"

static __device__ __forceinline__ void sieve_pairs(const toi_step *s, const toi_finder *f,
                                                   toi_outlet &out)
{
    bool edges = f->kind == TOI_EDGE_EDGE;
    const int4 *first = s->slots[edges ? TOI_EDGE : TOI_VERTEX].corners;
    const int4 *second = s->slots[edges ? TOI_EDGE : TOI_FACE].corners;
    toi_count n = toi_least(s->control->window.pairs[f->kind].n, s->pair_capacity);
    toi_count warp = ((toi_count)blockIdx.x * FIND_THREADS + threadIdx.x) / TOI_WARP;
    toi_count step = (toi_count)gridDim.x * FIND_THREADS;
    for (toi_count at = warp * TOI_WARP; at < n; at += step) {
        toi_count i = at + toi_lane();
        uint2 slots = s->pairs[f->kind][toi_least(i, n - 1)];
        uint32_t a = (uint32_t)first[slots.x].w, b = (uint32_t)second[slots.y].w;
        bool turned = edges && a > b;
        uint2 pair = make_uint2(turned ? b : a, turned ? a : b);
        out.add(i < n && toi_is_candidate(f, pair.x, pair.y), pair);
        if (out.count >= SIEVE_FLUSH)
            out.flush(SIEVE_FLUSH);
    }
}

static __global__ void __launch_bounds__(FIND_THREADS)
    sieve_slots(const __grid_constant__ toi_step s, const __grid_constant__ toi_finder f)
{
    __shared__ uint2 rooms[FIND_WARPS][SIEVE_ROOM];
    toi_outlet out = {rooms[threadIdx.x / TOI_WARP], f.found, &f.control->found.n, f.capacity, 0};
    sieve_pairs(&s, &f, out);
    if (out.count)
        out.flush(out.count);
}

void toi_start_sieve(const toi_card *card, const toi_step *step, const toi_finder *f)
{
    int blocks = 8 * card->info.multiprocessors;
    sieve_slots<<<blocks, FIND_THREADS, 0, card->stream>>>(*step, *f);
}
