// Impacts: the canonical order of the hits, their places and normals, and the list.
//
// They are sorted by counting. Every hit drew a rank among those with the same first primitive; a
// running sum over the primitives gives each its range; inside the range, which is short, an
// impact's place is the number of those with a lesser second primitive. Ranks depend on who came
// first, places do not. Where a range is long, all are sorted by their keys instead. Where they
// touch is computed last, while those before are on their way to the host.

#include "cuda/query.cuh"

#include "cuda/apart_ladder.cuh"
#include "cuda/ladder.cuh"
#include "cuda/sort.cuh"

enum
{
    WRITE_THREADS = 128,
    WRITE_WARPS = WRITE_THREADS / TOI_WARP,
    ORDER_THREADS = 256,
    PICK_THREADS = 512,
    PICKED_AT_ONCE = 4,
    PIECES = sizeof(toi_impact) / sizeof(uint4)
};

// ---- What the host wants to know

// By one block of threads, when all is done.
static __device__ void send_report(const toi_step *s)
{
    toi_control *c = s->control;
    const volatile uint32_t *from = (const volatile uint32_t *)c;
    uint32_t *to = (uint32_t *)s->report;
    for (unsigned i = threadIdx.x; i < sizeof *c / sizeof *from; i += blockDim.x)
        to[i] = from[i];
    bool edges = c->first_time[TOI_EDGE_EDGE] < c->first_time[TOI_VERTEX_FACE];
    toi_count place =
        *(volatile toi_count *)&c->first_place[edges ? TOI_EDGE_EDGE : TOI_VERTEX_FACE];
    if (threadIdx.x < PIECES && place != ~(toi_count)0)
        ((uint4 *)s->earliest)[threadIdx.x] =
            __ldcv((const uint4 *)&s->sorted[place] + threadIdx.x);
}

// ---- Places

static __device__ void name_impact(const toi_slot_pair *p, double time, toi_impact *impact)
{
    impact->kind = p->edge_edge ? TOI_EDGE_EDGE : TOI_VERTEX_FACE;
    impact->a = p->a.w;
    impact->b = p->b.w;
    impact->state = TOI_HIT;
    impact->time = time;
}

// With all care: rare, so that numbers in memory do not matter.
inline __device__ __noinline__ void toi_place_carefully(const toi_step *s, toi_hit hit,
                                                        toi_impact *impact)
{
    toi_slot_pair p = toi_find_slots(s, make_uint2(hit.a, hit.b));
    double points[2][4][3];
    toi_load_points(s, &p, points);
    if (s->apart)
        toi_place_apart(p.edge_edge, points, impact);
    else
        toi_place_impact(p.edge_edge, points, impact);
}

// Returns false where that takes care.
static __device__ __forceinline__ bool place_quickly(const toi_step *s, const toi_slot_pair *p,
                                                     toi_impact *impact)
{
    double points[2][4][3], shrink;
    toi_pair_motion m;
    toi_contact_place at;
    toi_load_points(s, p, points);
    toi_take_scaled_motion(p->edge_edge, points, &shrink, &m);
    toi_find_contact_place(p->edge_edge, &m, &impact->time, &at);
    toi_hit_place place = {points[0][0], points[1][0], impact->time, at.u, at.v};
    toi_contact_frame frame;
    for (int k = 0; k < 3; ++k) {
        frame.e[k] = at.e[k];
        frame.g[k] = at.g[k];
        frame.speed[k] = at.speed[k];
    }
    frame.e_size = at.e_size;
    frame.g_size = at.g_size;
    impact->u = at.u;
    impact->v = at.v;
    return at.trusted && toi_normal_quickly(&frame, &place, impact->normal);
}

static __device__ __forceinline__ void set_impact(const toi_step *s, toi_hit hit,
                                                  toi_impact *impact)
{
    toi_slot_pair p = toi_find_slots(s, make_uint2(hit.a, hit.b));
    name_impact(&p, hit.time, impact);
    if (s->apart || !place_quickly(s, &p, impact)) {
        toi_impact careful = *impact;
        toi_place_carefully(s, hit, &careful);
        *impact = careful;
    }
}

// ---- The earliest

// Of the hits that come at this time, those that this thread looks at, the one with the least key.
static __device__ toi_count find_least(const toi_step *s, double time, toi_hit *least)
{
    toi_count n = toi_hit_count(s->control), found = ~(toi_count)0;
    for (toi_count i = threadIdx.x; i < n; i += PICKED_AT_ONCE * PICK_THREADS) {
        toi_hit hits[PICKED_AT_ONCE];
#pragma unroll
        for (int k = 0; k < PICKED_AT_ONCE; ++k)
            hits[k] = s->hits[toi_hit_at(s, toi_least(i + k * PICK_THREADS, n - 1))];
#pragma unroll
        for (int k = 0; k < PICKED_AT_ONCE; ++k) {
            if (i + k * PICK_THREADS >= n || hits[k].time != time)
                continue;
            toi_slot_pair p = toi_find_slots(s, make_uint2(hits[k].a, hits[k].b));
            toi_count key = toi_key_of(&p);
            *least = key < found ? hits[k] : *least;
            found = key < found ? key : found;
        }
    }
    return found;
}

static __global__ void __launch_bounds__(PICK_THREADS) pick(const __grid_constant__ toi_step s)
{
    __shared__ toi_count least;
    if (threadIdx.x == 0) {
        least = ~(toi_count)0;
        s.earliest->time = INFINITY;
    }
    __syncthreads();
    toi_hit hit = {0, 0, 0};
    toi_count none = ~(toi_count)0;
    toi_count mine = toi_is_vain(&s) ? none : find_least(&s, toi_limit_of(s.control), &hit);
    if (mine != none)
        atomicMin(&least, mine);
    __syncthreads();
    if (mine != none && mine == least) {
        toi_impact impact;
        set_impact(&s, hit, &impact);
        *s.earliest = impact;
    }
    __syncthreads();
    send_report(&s);
}

void toi_start_pick(const toi_card *card, const toi_step *step)
{
    pick<<<1, PICK_THREADS, 0, card->stream>>>(*step);
}

// ---- The order

// How many are to be put in order: hits, and impacts that the host has decided. None where that is
// for later.
static __device__ __forceinline__ toi_count impacts_of(const toi_step *s, toi_count count)
{
    const toi_control *c = s->control;
    if (count != ~(toi_count)0)
        return count;
    bool later = toi_is_vain(s) || (s->defer && c->hard.n > 0) || c->crowded;
    return later ? 0 : toi_hit_count(c);
}

struct sort_key
{
    int64_t bin;
    uint32_t second;
};

// The impact that the host has decided where one of them is at this place of the queue of hits,
// else NULL.
static __device__ __forceinline__ const toi_impact *decided_at(const toi_step *s, toi_count at)
{
    toi_count front = s->control->hits[TOI_VERTEX_FACE].n;
    bool hit = at < front || at >= s->hit_capacity - s->control->hits[TOI_EDGE_EDGE].n;
    return hit ? NULL : &s->decided[at - front];
}

// Of what is at this place of the queue of hits.
static __device__ __forceinline__ sort_key key_of(const toi_step *s, toi_count at)
{
    const toi_impact *impact = decided_at(s, at);
    if (impact)
        return {toi_bin_of(s, impact->kind == TOI_EDGE_EDGE, impact->a), (uint32_t)impact->b};
    toi_hit hit = s->hits[at];
    toi_slot_pair p = toi_find_slots(s, make_uint2(hit.a, hit.b));
    return {toi_bin_of(s, p.edge_edge, p.a.w), (uint32_t)p.b.w};
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    count_decided(const __grid_constant__ toi_step s, toi_window window)
{
    toi_count i = window.first + (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= window.last)
        return;
    toi_count at = toi_hit_at(&s, i);
    toi_draw_rank(&s, at, key_of(&s, at).bin, decided_at(&s, at)->time);
}

void toi_start_count(const toi_card *card, const toi_step *step, toi_window impacts)
{
    toi_count blocks = (impacts.last - impacts.first + ORDER_THREADS - 1) / ORDER_THREADS;
    if (blocks > 0)
        count_decided<<<(unsigned)blocks, ORDER_THREADS, 0, card->stream>>>(*step, impacts);
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    share_out(const __grid_constant__ toi_step s, toi_count count)
{
    toi_count n = impacts_of(&s, count);
    for (toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x; i < n;
         i += (toi_count)gridDim.x * ORDER_THREADS) {
        toi_count at = toi_hit_at(&s, i);
        sort_key key = key_of(&s, at);
        toi_count to = (toi_count)s.starts[key.bin] + s.ranks[at];
        s.entries[to] = make_uint2(key.second, (uint32_t)at);
    }
}

// ---- The list

// The place of an entry: after those of its bin with a lesser second primitive.
static __device__ __forceinline__ toi_count find_place(const toi_step *s, uint2 entry, int64_t bin)
{
    uint32_t from = s->starts[bin], to = from + s->bins[bin], place = from;
    for (uint32_t j = from; j < to; ++j)
        place += s->entries[j].x < entry.x;
    return place;
}

struct write_warp
{
    uint4 rows[TOI_WARP][PIECES + 1];
    uint32_t places[TOI_WARP];
};

// Whole lines are written, since memory of the host is slow with anything else: the impacts of a
// warp's lanes go through shared memory in the order of their places, and four lanes write each. A
// lane without one has the place ~0.
static __device__ __forceinline__ void write_lines(toi_impact *list, const toi_impact *impact,
                                                   write_warp &w, uint32_t place)
{
    const uint4 *pieces = (const uint4 *)impact;
    int rank = 0, many = __popc(__ballot_sync(TOI_ALL_LANES, place != ~0u));
    for (int i = 0; i < TOI_WARP; ++i) {
        uint32_t other = __shfl_sync(TOI_ALL_LANES, place, i);
        rank += other < place || (other == place && i < toi_lane());
    }
#pragma unroll
    for (int i = 0; i < PIECES; ++i)
        w.rows[rank][i] = pieces[i];
    w.places[rank] = place;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        int at = i * TOI_WARP + toi_lane(), row = at / PIECES;
        if (row < many)
            ((uint4 *)&list[w.places[row]])[at % PIECES] = w.rows[row][at % PIECES];
    }
    __syncwarp();
}

// Has this block of threads come last?
static __device__ bool is_last_block(uint32_t *done)
{
    __shared__ bool last;
    __threadfence_system(); // what was written before is seen by who comes last
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        *done = 0;
    __threadfence();
    return last;
}

// `numbers`: where the impacts are in the queue of hits, in their order, if they were sorted; else
// NULL.
static __global__ void __launch_bounds__(WRITE_THREADS, 3)
    write_out(const __grid_constant__ toi_step s, toi_count count, const uint32_t *numbers)
{
    __shared__ write_warp warps_of_block[WRITE_WARPS];
    toi_count n = impacts_of(&s, count);
    toi_count warp = ((toi_count)blockIdx.x * WRITE_THREADS + threadIdx.x) / TOI_WARP;
    toi_count warps = (toi_count)gridDim.x * WRITE_WARPS;
    for (toi_count base = warp * TOI_WARP; base < n; base += warps * TOI_WARP) {
        toi_count at = base + toi_lane(), place = at;
        bool real = at < n;
        at = real ? at : n - 1;
        uint2 entry = numbers ? make_uint2(0, numbers[at]) : s.entries[at];
        const toi_impact *decided = decided_at(&s, entry.y);
        toi_impact impact;
        if (decided)
            impact = *decided;
        else
            set_impact(&s, s.hits[entry.y], &impact);
        bool edges = impact.kind == TOI_EDGE_EDGE;
        if (!numbers && real)
            place = find_place(&s, entry, toi_bin_of(&s, edges, impact.a));
        if (real && (toi_count)__double_as_longlong(impact.time) == s.control->first_time[edges])
            toi_lower(&s.control->first_place[edges], place);
        write_lines(s.sorted, &impact, warps_of_block[threadIdx.x / TOI_WARP],
                    real ? (uint32_t)place : ~0u);
    }
    if (is_last_block(&s.control->done))
        send_report(&s);
}

toi_status toi_start_order(const toi_card *card, const toi_step *step, const toi_room *scratch,
                           toi_count count, toi_complaint *complaint)
{
    int64_t bins = step->vertex_count + step->slots[TOI_EDGE].count;
    cudaError_t error =
        toi_start_sums(card, scratch->data, scratch->bytes, step->bins, step->starts, bins);
    TOI_TRY(toi_check_cuda(error, "add up counts", complaint));
    share_out<<<card->fillings.share, ORDER_THREADS, 0, card->stream>>>(*step, count);
    write_out<<<card->fillings.write, WRITE_THREADS, 0, card->stream>>>(*step, count, NULL);
    return TOI_OK;
}

// ---- The order of crowds

static __global__ void __launch_bounds__(ORDER_THREADS)
    take_keys(const __grid_constant__ toi_step s, toi_count n, toi_count *keys, uint32_t *numbers)
{
    toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= n)
        return;
    toi_count at = toi_hit_at(&s, i);
    sort_key key = key_of(&s, at);
    keys[i] = (toi_count)key.bin << 31 | key.second;
    numbers[i] = (uint32_t)at;
}

// Keys and numbers, before and after, and the sort's own; each on a line of its own.
struct sort_parts
{
    size_t keys, numbers, own;
};

static sort_parts measure_sort(toi_count n)
{
    return {(size_t)(n * sizeof(toi_count) + 255) / 256 * 256,
            (size_t)(n * sizeof(uint32_t) + 255) / 256 * 256, toi_long_key_scratch((int64_t)n)};
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
    cudaError_t error = toi_start_long_keys(card, at, parts.own, keys, numbers, (int64_t)count);
    TOI_TRY(toi_check_cuda(error, "sort impacts", complaint));
    write_out<<<card->fillings.write, WRITE_THREADS, 0, card->stream>>>(*step, count, numbers[1]);
    return TOI_OK;
}

// ---- What the host wants to know before the end

static __global__ void report(const __grid_constant__ toi_step s)
{
    send_report(&s);
}

void toi_start_report(const toi_card *card, const toi_step *step)
{
    report<<<1, 512, 0, card->stream>>>(*step);
}

toi_status toi_fill_impacts(toi_card *card, toi_complaint *complaint)
{
    TOI_TRY(toi_fill(card, share_out, ORDER_THREADS, &card->fillings.share, complaint));
    return toi_fill(card, write_out, WRITE_THREADS, &card->fillings.write, complaint);
}
