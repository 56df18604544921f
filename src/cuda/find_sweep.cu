// Sort and sweep: boxes are sorted by where they begin on an axis, and each is compared with those
// that begin before it ends. `sweep` gives a box to a warp, whose lanes look at the next 32.
//
// `stq` is the paper's Sweep and Tiniest Queue (Belgrod et al., section 6.2): 32 boxes and a queue
// in shared memory with one pair for each. A pass takes every pair of the queue, compares it on the
// other axes, and puts the pair with the next box into the new queue if that begins in time. A
// queue only shrinks, and lanes have work as long as pairs are left, whoever's they are.

#include "cuda/finder.cuh"

static __device__ __forceinline__ float on_axis(const float x[3], int axis)
{
    return axis == 0 ? x[0] : axis == 1 ? x[1] : x[2];
}

static __device__ __forceinline__ float begin_of(const toi_finder *f, int64_t j)
{
    return f->rows[j].lo[f->axis];
}

static __device__ void sweep_box(const toi_finder *f, toi_sieve &sieve, int64_t i)
{
    toi_float_row a = toi_load_row(f->rows + i);
    float end = on_axis(a.hi, f->axis);
    for (int64_t at = i + 1; at < f->total; at += TOI_WARP) {
        int64_t j = at + toi_lane();
        toi_float_row b = toi_load_row(f->rows + (j < f->total ? j : i));
        bool begins = j < f->total && on_axis(b.lo, f->axis) <= end;
        bool meets = begins && toi_may_pair(f, a.number, b.number) && toi_rows_overlap(a, b);
        sieve.add(meets, a.number, b.number);
        if (!__all_sync(TOI_ALL_LANES, begins))
            return;
    }
}

static __global__ void __launch_bounds__(FIND_THREADS)
    sweep(const __grid_constant__ toi_finder f, toi_window window)
{
    __shared__ toi_sieve_room rooms[FIND_WARPS];
    toi_sieve sieve(&f, &rooms[threadIdx.x / TOI_WARP]);
    toi_count warp = ((toi_count)blockIdx.x * FIND_THREADS + threadIdx.x) / TOI_WARP;
    toi_count warps = (toi_count)gridDim.x * FIND_WARPS;
    for (toi_count i = window.first + warp; i < window.last; i += warps)
        sweep_box(&f, sieve, (int64_t)i);
    sieve.finish();
}

void toi_start_sweep(const toi_card *card, const toi_finder *f, toi_window window)
{
    unsigned blocks = toi_find_blocks((int64_t)(window.last - window.first), FIND_WARPS);
    sweep<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, window);
}

// ---- With a queue

struct stq_warp
{
    longlong2 queue[TOI_WARP];
    toi_sieve_room room;
};

// The lanes' pairs that go on become the queue; returns how many they are.
static __device__ __forceinline__ int refill(stq_warp &w, bool on, int64_t i, int64_t j)
{
    __syncwarp(); // all have taken theirs
    unsigned mask = __ballot_sync(TOI_ALL_LANES, on);
    if (on)
        w.queue[__popc(mask & toi_lanes_before())] = make_longlong2(i, j);
    __syncwarp();
    return __popc(mask);
}

static __device__ void run_queue(const toi_finder *f, stq_warp &w, toi_sieve &sieve, int64_t i,
                                 bool real)
{
    int64_t j = i + 1;
    bool on = real && j < f->total && begin_of(f, j) <= f->rows[i].hi[f->axis];
    for (int count = refill(w, on, i, j); count > 0; count = refill(w, on, i, j)) {
        on = toi_lane() < count;
        longlong2 pair = w.queue[on ? toi_lane() : 0];
        i = pair.x;
        j = pair.y;
        toi_float_row a = toi_load_row(f->rows + i), b = toi_load_row(f->rows + j);
        bool meets = on && toi_may_pair(f, a.number, b.number) && toi_rows_overlap(a, b);
        sieve.add(meets, a.number, b.number);
        ++j;
        on = on && j < f->total && begin_of(f, j) <= on_axis(a.hi, f->axis);
    }
}

static __global__ void __launch_bounds__(FIND_THREADS)
    sweep_by_queue(const __grid_constant__ toi_finder f, toi_window window)
{
    __shared__ stq_warp warps[FIND_WARPS];
    stq_warp &w = warps[threadIdx.x / TOI_WARP];
    toi_sieve sieve(&f, &w.room);
    toi_count first = (toi_count)blockIdx.x * FIND_THREADS + threadIdx.x - toi_lane();
    toi_count step = (toi_count)gridDim.x * FIND_THREADS;
    for (toi_count at = window.first + first; at < window.last; at += step) {
        toi_count i = at + toi_lane();
        run_queue(&f, w, sieve, (int64_t)i, i < window.last);
    }
    sieve.finish();
}

void toi_start_stq(const toi_card *card, const toi_finder *f, toi_window window)
{
    unsigned blocks = toi_find_blocks((int64_t)(window.last - window.first), FIND_THREADS);
    sweep_by_queue<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, window);
}
