// Swept boxes of primitives in double, sums that tell an axis and a size of cells, keys to sort by,
// and images in order.

#include "cuda/finder.cuh"
#include "cuda/sort.cuh"

// ---- Boxes

static __device__ __forceinline__ void enclose_vertex(const toi_finder *f, int32_t v,
                                                      toi_card_box *box)
{
    const double2 *at = f->positions + 3 * (int64_t)v;
    double2 a = at[0], b = at[1], c = at[2];
    const double x[6] = {a.x, a.y, b.x, b.y, c.x, c.y};
    toi_enclose(x, box);
}

// Box number i of both lists.
static __device__ __forceinline__ toi_card_box make_box(const toi_finder *f, int64_t i)
{
    toi_card_box box;
    toi_start_box(&box);
    if (f->kind == TOI_EDGE_EDGE) {
        enclose_vertex(f, f->edges[2 * i], &box);
        enclose_vertex(f, f->edges[2 * i + 1], &box);
    } else if (i < f->counts[0]) {
        enclose_vertex(f, (int32_t)i, &box);
    } else {
        for (int c = 0; c < 3; ++c)
            enclose_vertex(f, f->faces[3 * (i - f->counts[0]) + c], &box);
    }
    toi_finish_box(f->radius, f->widen != 0, &box);
    return box;
}

static __device__ __forceinline__ toi_card_box *box_at(const toi_finder *f, int64_t i)
{
    return i < f->counts[0] ? f->boxes[0] + i : f->boxes[1] + (i - f->counts[0]);
}

static __device__ __forceinline__ uint32_t number_at(const toi_finder *f, int64_t i)
{
    return i < f->counts[0] ? (uint32_t)i : (uint32_t)(i - f->counts[0]) | TOI_SECOND_LIST;
}

// Sums only choose between ways to the same pairs, so their rounding does not matter.
static __device__ void add_sums(double x[9], toi_find_control *c)
{
    __shared__ double sums[FIND_WARPS][9];
    for (int i = 0; i < 9; ++i) {
        for (int lanes = 1; lanes < TOI_WARP; lanes *= 2)
            x[i] += __shfl_xor_sync(TOI_ALL_LANES, x[i], lanes);
        if (toi_lane() == 0)
            sums[threadIdx.x / TOI_WARP][i] = x[i];
    }
    __syncthreads();
    int i = threadIdx.x;
    if (i >= 9)
        return;
    double sum = 0;
    for (int w = 0; w < FIND_WARPS; ++w)
        sum += sums[w][i];
    double *to = i < 3 ? &c->middles[i] : i < 6 ? &c->squares[i - 3] : &c->extents[i - 6];
    atomicAdd(to, sum);
}

static __global__ void __launch_bounds__(FIND_THREADS)
    make_boxes(const __grid_constant__ toi_finder f, const toi_control *scene)
{
    __shared__ toi_frame frame;
    if (threadIdx.x == 0)
        frame = toi_frame_of(scene);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        f.control->frame = frame;
    double sums[9] = {0};
    int64_t step = (int64_t)gridDim.x * FIND_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x; i < f.total; i += step) {
        toi_card_box box = make_box(&f, i);
        *box_at(&f, i) = box;
        toi_float_row row = toi_image_of(&frame, &box, 0);
        for (int k = 0; k < 3; ++k) {
            double low = (double)row.lo[k] - frame.low[k], high = (double)row.hi[k] - frame.low[k];
            sums[k] += low + high;
            sums[3 + k] += (low + high) * (low + high);
            sums[6 + k] += high - low;
        }
    }
    add_sums(sums, f.control);
}

void toi_start_boxes(const toi_card *card, const toi_finder *f, const toi_step *step)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    unsigned most = 16u * (unsigned)card->info.multiprocessors; // each adds to the sums once
    blocks = blocks < most ? blocks : most;
    make_boxes<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, step->control);
}

// ---- Keys

static __global__ void __launch_bounds__(FIND_THREADS)
    take_keys(const __grid_constant__ toi_finder f, bool curve)
{
    int64_t step = (int64_t)gridDim.x * FIND_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x; i < f.total; i += step) {
        uint32_t number = number_at(&f, i);
        toi_float_row row = toi_image_of(&f.frame, box_at(&f, i), number);
        float low = f.axis == 0 ? row.lo[0] : f.axis == 1 ? row.lo[1] : row.lo[2];
        uint32_t place = toi_morton_of(&f.grid, row) | (number & TOI_SECOND_LIST) >> 1;
        f.other_keys[i] = curve ? place : toi_float_key(low);
        f.others[i] = number;
    }
}

void toi_start_axis_keys(const toi_card *card, const toi_finder *f)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    take_keys<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, false);
}

void toi_start_curve_keys(const toi_card *card, const toi_finder *f)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    take_keys<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, true);
}

static __global__ void __launch_bounds__(FIND_THREADS)
    fill_rows(const __grid_constant__ toi_finder f, bool sorted)
{
    int64_t step = (int64_t)gridDim.x * FIND_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x; i < f.total; i += step) {
        uint32_t number = sorted ? f.numbers[i] : number_at(&f, i);
        const toi_card_box *list = f.boxes[number & TOI_SECOND_LIST ? 1 : 0];
        f.rows[i] = toi_image_of(&f.frame, list + (number & ~TOI_SECOND_LIST), number);
    }
}

void toi_start_rows(const toi_card *card, const toi_finder *f, bool sorted)
{
    unsigned blocks = toi_find_blocks(f->total, FIND_THREADS);
    fill_rows<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, sorted);
}

// ---- Sorting

size_t toi_find_sort_scratch(int64_t count)
{
    return toi_key_scratch(count) + 1;
}

toi_status toi_start_key_sort(const toi_card *card, const toi_finder *f, int64_t count, int bits,
                              const toi_room *scratch, toi_complaint *complaint)
{
    uint32_t *keys[2] = {f->other_keys, f->keys}, *numbers[2] = {f->others, f->numbers};
    return toi_check_cuda(
        toi_start_keys(card, scratch->data, scratch->bytes, keys, numbers, count, bits),
        "sort boxes", complaint);
}

static int bits_of(int64_t count)
{
    int bits = 1;
    while (bits < 32 && count > (int64_t)1 << bits)
        ++bits;
    return bits;
}

size_t toi_pair_sort_scratch(toi_count count)
{
    return toi_word_scratch((int64_t)count) + 1;
}

// A pair's second number is in the upper half of its eight bytes: that half is sorted first, and
// then the lower one, which keeps the order of those that are equal. Only bits that numbers have.
toi_status toi_start_pair_sort(const toi_card *card, const toi_finder *f, toi_count count,
                               uint2 *other, const toi_room *scratch, uint2 **sorted,
                               toi_complaint *complaint)
{
    toi_count *pairs[2] = {(toi_count *)f->found, (toi_count *)other};
    int64_t second = f->counts[f->kind == TOI_EDGE_EDGE ? 0 : 1];
    TOI_TRY(toi_check_cuda(toi_start_words(card, scratch->data, scratch->bytes, pairs,
                                           (int64_t)count, 32, 32 + bits_of(second)),
                           "sort pairs", complaint));
    TOI_TRY(toi_check_cuda(toi_start_words(card, scratch->data, scratch->bytes, pairs,
                                           (int64_t)count, 0, bits_of(f->counts[0])),
                           "sort pairs", complaint));
    *sorted = (uint2 *)pairs[0];
    return TOI_OK;
}
