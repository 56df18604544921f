// A uniform grid: every box has an entry in each cell that it is in, entries are sorted by cell,
// and a thread compares one with those after it in its cell. A pair that shares several cells is
// reported in that of the greater of the two lower corners.

#include "cuda/finder.cuh"

static __device__ __forceinline__ uint64_t cells_of_row(const toi_finder *f, int64_t i,
                                                        toi_cell_range *cells)
{
    if (i >= f->total)
        return 0;
    *cells = toi_cells_of(&f->grid, toi_load_row(f->rows + i));
    return toi_count_cells(cells);
}

static __global__ void __launch_bounds__(FIND_THREADS)
    count_cells(const __grid_constant__ toi_finder f)
{
    int64_t step = (int64_t)gridDim.x * FIND_THREADS;
    toi_count sum = 0;
    toi_cell_range cells;
    for (int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x; i < f.total; i += step)
        sum += cells_of_row(&f, i, &cells);
    for (int lanes = 1; lanes < TOI_WARP; lanes *= 2)
        sum += __shfl_xor_sync(TOI_ALL_LANES, sum, lanes);
    if (toi_lane() == 0)
        atomicAdd(&f.control->entries.n, sum);
}

void toi_start_cell_count(const toi_card *card, const toi_finder *f)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    count_cells<<<blocks, FIND_THREADS, 0, card->stream>>>(*f);
}

// The entries of a warp's boxes, one box after the other, by all lanes: some are in many cells.
static __global__ void __launch_bounds__(FIND_THREADS)
    fill_cells(const __grid_constant__ toi_finder f)
{
    int64_t step = (int64_t)gridDim.x * FIND_THREADS;
    int64_t first = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x - toi_lane();
    for (; first < f.total; first += step) {
        toi_cell_range cells;
        toi_count mine = cells_of_row(&f, first + toi_lane(), &cells), before = mine, at = 0;
        for (int lanes = 1; lanes < TOI_WARP; lanes *= 2) {
            toi_count x = __shfl_up_sync(TOI_ALL_LANES, before, lanes);
            before += toi_lane() >= lanes ? x : 0;
        }
        if (toi_lane() == TOI_WARP - 1)
            at = atomicAdd(&f.control->entries.n, before);
        at = __shfl_sync(TOI_ALL_LANES, at, TOI_WARP - 1) + before - mine;
        for (int who = 0; who < TOI_WARP; ++who) {
            toi_count count = __shfl_sync(TOI_ALL_LANES, mine, who);
            toi_count to = __shfl_sync(TOI_ALL_LANES, at, who);
            toi_cell_range his;
            for (int k = 0; k < 3; ++k) {
                his.first[k] = __shfl_sync(TOI_ALL_LANES, cells.first[k], who);
                his.last[k] = __shfl_sync(TOI_ALL_LANES, cells.last[k], who);
            }
            for (toi_count i = toi_lane(); i < count; i += TOI_WARP) {
                f.other_keys[to + i] = toi_cell_at(&his, i);
                f.others[to + i] = (uint32_t)(first + who);
            }
        }
    }
}

void toi_start_cells(const toi_card *card, const toi_finder *f)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    fill_cells<<<blocks, FIND_THREADS, 0, card->stream>>>(*f);
}

// An entry against those after it in its cell; lanes wait for the longest.
static __device__ void pair_entries(const toi_finder *f, toi_sieve &sieve, toi_count e, bool real)
{
    e = real ? e : 0;
    uint32_t cell = f->keys[e];
    toi_float_row a = toi_load_row(f->rows + f->numbers[e]);
    for (toi_count at = e + 1;; ++at) {
        real = real && at < f->entries && f->keys[at] == cell;
        if (!__any_sync(TOI_ALL_LANES, real))
            return;
        bool meets = false;
        uint32_t number = 0;
        if (real) {
            toi_float_row b = toi_load_row(f->rows + f->numbers[at]);
            number = b.number;
            meets = toi_may_pair(f, a.number, number) && toi_rows_overlap(a, b) &&
                    toi_meeting_cell(&f->grid, a, b) == cell;
        }
        sieve.add(meets, a.number, number);
    }
}

static __global__ void __launch_bounds__(FIND_THREADS)
    pair_cells(const __grid_constant__ toi_finder f, toi_window window)
{
    __shared__ toi_sieve_room rooms[FIND_WARPS];
    toi_sieve sieve(&f, &rooms[threadIdx.x / TOI_WARP]);
    toi_count first = (toi_count)blockIdx.x * FIND_THREADS + threadIdx.x - toi_lane();
    toi_count step = (toi_count)gridDim.x * FIND_THREADS;
    for (toi_count at = window.first + first; at < window.last; at += step)
        pair_entries(&f, sieve, at + toi_lane(), at + toi_lane() < window.last);
    sieve.finish();
}

void toi_start_grid(const toi_card *card, const toi_finder *f, toi_window window)
{
    unsigned blocks = toi_find_blocks((int64_t)(window.last - window.first), FIND_THREADS);
    pair_cells<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, window);
}
