// Impacts: places and normals of the hits, and their canonical order.
//
// They are sorted by counting. Every impact draws a rank among those with the same first primitive;
// a running sum over the primitives gives each its range; inside the range, which is short, an
// impact's place is the number of those with a lesser second primitive. Ranks depend on who came
// first, places do not. Where a range is long, all are sorted by their keys instead.

#include "cuda/query.cuh"

#include "cuda/ladder.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

enum
{
    PLACE_THREADS = 128,
    ORDER_THREADS = 256,
    PICK_THREADS = 256,
    CROWD = 1024, // as long as a range may be
    PIECES = sizeof(toi_impact) / sizeof(uint4)
};

// ---- Places

static __device__ void set_impact(const toi_step *s, uint2 pair, double time, toi_impact *to)
{
    toi_slot_pair p = toi_find_slots(s, pair);
    double points[2][4][3];
    toi_impact impact;
    toi_load_points(s, &p, points);
    impact.kind = p.edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    impact.a = p.a.w;
    impact.b = p.b.w;
    impact.state = TOI_HIT;
    impact.time = time;
    toi_place_impact(p.edge_edge, points, &impact);
    *to = impact;
}

static __device__ __forceinline__ int64_t bin_of(const toi_step *s, int kind, int a)
{
    return kind == TOI_EDGE_EDGE ? s->vertex_count + a : a;
}

static __device__ __forceinline__ void draw_rank(const toi_step *s, toi_count i)
{
    const toi_impact *impact = &s->impacts[i];
    uint32_t rank = atomicAdd(&s->bins[bin_of(s, impact->kind, impact->a)], 1u);
    s->ranks[i] = rank;
    toi_lower(&s->control->first_time, (toi_count)__double_as_longlong(impact->time));
    if (rank >= CROWD)
        s->control->crowded = 1;
}

static __global__ void __launch_bounds__(PLACE_THREADS) places(const __grid_constant__ toi_step s)
{
    if (toi_is_vain(&s))
        return;
    toi_count n = s.control->hits.n, first = (toi_count)blockIdx.x * PLACE_THREADS + threadIdx.x;
    for (toi_count i = first; i < n; i += (toi_count)gridDim.x * PLACE_THREADS) {
        toi_hit hit = s.hits[i];
        set_impact(&s, make_uint2(hit.a, hit.b), hit.time, &s.impacts[i]);
        draw_rank(&s, i);
    }
}

void toi_start_places(const toi_card *card, const toi_step *step)
{
    places<<<card->fillings.places, PLACE_THREADS, 0, card->stream>>>(*step);
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    count_impacts(const __grid_constant__ toi_step s, toi_window window)
{
    toi_count i = window.first + (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i < window.last)
        draw_rank(&s, i);
}

void toi_start_count(const toi_card *card, const toi_step *step, toi_window impacts)
{
    toi_count blocks = (impacts.last - impacts.first + ORDER_THREADS - 1) / ORDER_THREADS;
    if (blocks > 0)
        count_impacts<<<(unsigned)blocks, ORDER_THREADS, 0, card->stream>>>(*step, impacts);
}

// ---- The earliest

static __global__ void __launch_bounds__(PICK_THREADS) pick(const __grid_constant__ toi_step s)
{
    __shared__ toi_count least;
    toi_control *c = s.control;
    if (threadIdx.x == 0) {
        least = ~(toi_count)0;
        s.earliest->time = INFINITY;
    }
    __syncthreads();
    if (toi_is_vain(&s))
        return;
    double time = toi_limit_of(c);
    for (toi_count i = threadIdx.x; i < c->hits.n; i += PICK_THREADS) {
        toi_hit hit = s.hits[i];
        if (hit.time != time)
            continue;
        toi_slot_pair p = toi_find_slots(&s, make_uint2(hit.a, hit.b));
        atomicMin(&least, toi_key_of(&p));
    }
    __syncthreads();
    for (toi_count i = threadIdx.x; i < c->hits.n; i += PICK_THREADS) {
        toi_hit hit = s.hits[i];
        if (hit.time != time)
            continue;
        toi_slot_pair p = toi_find_slots(&s, make_uint2(hit.a, hit.b));
        if (toi_key_of(&p) == least)
            set_impact(&s, make_uint2(hit.a, hit.b), hit.time, s.earliest);
    }
}

void toi_start_pick(const toi_card *card, const toi_step *step)
{
    pick<<<1, PICK_THREADS, 0, card->stream>>>(*step);
}

// ---- The order

// How many impacts there are to be put in order; none where that is for later.
static __device__ __forceinline__ toi_count impacts_of(const toi_step *s, toi_count count)
{
    const toi_control *c = s->control;
    if (count != ~(toi_count)0)
        return count;
    return toi_is_vain(s) || (s->defer && c->hard.n > 0) || c->crowded ? 0 : c->hits.n;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    share_out(const __grid_constant__ toi_step s, toi_count count)
{
    toi_count n = impacts_of(&s, count), first = (toi_count)blockIdx.x * ORDER_THREADS;
    for (toi_count i = first + threadIdx.x; i < n; i += (toi_count)gridDim.x * ORDER_THREADS) {
        const toi_impact *impact = &s.impacts[i];
        uint32_t at = s.starts[bin_of(&s, impact->kind, impact->a)] + s.ranks[i];
        s.entries[at] = make_uint2((uint32_t)impact->b, (uint32_t)i);
    }
}

static __device__ __forceinline__ void note_first(const toi_step *s, const toi_impact *impact,
                                                  toi_count place)
{
    if ((toi_count)__double_as_longlong(impact->time) == s->control->first_time)
        toi_lower(&s->control->first_place, place);
}

// Four lanes write an impact, a quarter each, so that memory of the host gets whole lines.
static __global__ void __launch_bounds__(ORDER_THREADS)
    write_out(const __grid_constant__ toi_step s, toi_count count)
{
    toi_count n = impacts_of(&s, count) * PIECES, first = (toi_count)blockIdx.x * ORDER_THREADS;
    for (toi_count i = first + threadIdx.x; i < n; i += (toi_count)gridDim.x * ORDER_THREADS) {
        uint2 entry = s.entries[i / PIECES];
        uint4 piece = ((const uint4 *)&s.impacts[entry.y])[i % PIECES];
        const toi_impact *impact = &s.impacts[entry.y];
        int64_t bin = bin_of(&s, impact->kind, impact->a);
        uint32_t from = s.starts[bin], to = from + s.bins[bin], place = from;
        for (uint32_t j = from; j < to; ++j)
            place += s.entries[j].x < entry.x;
        ((uint4 *)&s.sorted[place])[i % PIECES] = piece;
        note_first(&s, impact, place);
    }
}

size_t toi_order_scratch(int64_t bins)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, (uint32_t *)NULL, (uint32_t *)NULL, bins);
    return bytes;
}

toi_status toi_start_order(const toi_card *card, const toi_step *step, const toi_room *scratch,
                           toi_count count, toi_complaint *complaint)
{
    size_t bytes = scratch->bytes;
    int64_t bins = step->vertex_count + step->slots[TOI_EDGE].count;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(scratch->data, bytes, step->bins,
                                                      step->starts, bins, card->stream);
    TOI_TRY(toi_check_cuda(error, "add up counts", complaint));
    share_out<<<card->fillings.order, ORDER_THREADS, 0, card->stream>>>(*step, count);
    write_out<<<card->fillings.order, ORDER_THREADS, 0, card->stream>>>(*step, count);
    return TOI_OK;
}

// ---- The order of crowds

static __global__ void __launch_bounds__(ORDER_THREADS)
    take_keys(const __grid_constant__ toi_step s, toi_count n, toi_count *keys, uint32_t *numbers)
{
    toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const toi_impact *impact = &s.impacts[i];
    keys[i] = (toi_count)bin_of(&s, impact->kind, impact->a) << 31 | (uint32_t)impact->b;
    numbers[i] = (uint32_t)i;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    copy_out(const __grid_constant__ toi_step s, toi_count n, const uint32_t *numbers)
{
    toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= n * PIECES)
        return;
    const toi_impact *impact = &s.impacts[numbers[i / PIECES]];
    ((uint4 *)&s.sorted[i / PIECES])[i % PIECES] = ((const uint4 *)impact)[i % PIECES];
    note_first(&s, impact, i / PIECES);
}

// Keys and numbers, before and after, and the sort's own; each on a line of its own.
struct sort_parts
{
    size_t keys, numbers, own;
};

static sort_parts measure_sort(toi_count n)
{
    sort_parts parts = {(size_t)(n * sizeof(toi_count) + 255) / 256 * 256,
                        (size_t)(n * sizeof(uint32_t) + 255) / 256 * 256, 0};
    cub::DeviceRadixSort::SortPairs(NULL, parts.own, (toi_count *)NULL, (toi_count *)NULL,
                                    (uint32_t *)NULL, (uint32_t *)NULL, (int64_t)n);
    return parts;
}

size_t toi_sort_scratch(toi_count impacts)
{
    sort_parts parts = measure_sort(impacts);
    return 2 * parts.keys + 2 * parts.numbers + parts.own;
}

toi_status toi_start_sort(const toi_card *card, const toi_step *step, const toi_room *scratch,
                          toi_count count, toi_complaint *complaint)
{
    sort_parts parts = measure_sort(count);
    char *at = (char *)scratch->data;
    toi_count *keys[2] = {(toi_count *)at, (toi_count *)(at + parts.keys)};
    at += 2 * parts.keys;
    uint32_t *numbers[2] = {(uint32_t *)at, (uint32_t *)(at + parts.numbers)};
    at += 2 * parts.numbers;
    unsigned blocks = (unsigned)((count + ORDER_THREADS - 1) / ORDER_THREADS);
    take_keys<<<blocks, ORDER_THREADS, 0, card->stream>>>(*step, count, keys[0], numbers[0]);
    cudaError_t error =
        cub::DeviceRadixSort::SortPairs(at, parts.own, keys[0], keys[1], numbers[0], numbers[1],
                                        (int64_t)count, 0, 64, card->stream);
    TOI_TRY(toi_check_cuda(error, "sort impacts", complaint));
    blocks = (unsigned)((count * PIECES + ORDER_THREADS - 1) / ORDER_THREADS);
    copy_out<<<blocks, ORDER_THREADS, 0, card->stream>>>(*step, count, numbers[1]);
    return TOI_OK;
}

// ---- What the host wants to know

static __global__ void report(const __grid_constant__ toi_step s)
{
    toi_control *c = s.control;
    if (threadIdx.x == 0 && s.slots[TOI_EDGE].count > 0)
        c->of_vertices = s.starts[s.vertex_count];
    else if (threadIdx.x == 0)
        c->of_vertices = c->hits.n;
    __syncthreads();
    const uint32_t *from = (const uint32_t *)c;
    uint32_t *to = (uint32_t *)s.report;
    for (unsigned i = threadIdx.x; i < sizeof *c / sizeof *from; i += blockDim.x)
        to[i] = from[i];
    if (threadIdx.x == 0 && c->first_place != ~(toi_count)0)
        *s.earliest = s.sorted[c->first_place];
}

void toi_start_report(const toi_card *card, const toi_step *step)
{
    report<<<1, 512, 0, card->stream>>>(*step);
}

toi_status toi_fill_impacts(toi_card *card, toi_complaint *complaint)
{
    TOI_TRY(toi_fill(card, places, PLACE_THREADS, &card->fillings.places, complaint));
    return toi_fill(card, write_out, ORDER_THREADS, &card->fillings.order, complaint);
}
