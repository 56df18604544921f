// Impacts: the canonical order of the hits, their places and normals, and the list.
//
// They are sorted by counting. Every hit drew a rank among those with the same first primitive; a
// running sum over the primitives gives each its range; inside the range, which is short, an
// impact's place is the number of those with a lesser second primitive. Ranks depend on who came
// first, places do not. Where a range is long, all are sorted by their keys instead. When they
// touch, and where, is computed last, while those before are on their way to the host; then places
// are found there, too, unless a range is long for that.

#include "cuda/apart_ladder.cuh"
#include "cuda/contact_time.cuh"
#include "cuda/sort.cuh"

enum
{
    WRITE_THREADS = 128,
    MOST_WRITING = 2048, // blocks: what the least queue of knots has room for
    WRITE_WARPS = WRITE_THREADS / TOI_WARP,
    PACKING = 2, // of so many blocks one writes a packed list: what comes at once the host has to
                 // unpack at once
    ORDER_THREADS = 256,
    ADD_THREADS = TOI_BIN_CHUNK / 4, // one for four bins
    ADD_WARPS = ADD_THREADS / TOI_WARP,
    PICK_THREADS = 512,
    PICKED_AT_ONCE = 4,
    PIECES = sizeof(toi_impact) / sizeof(uint4)
};

// ---- What the host wants to know

// By one block of threads, when all is done. `first`: the place of the earliest in the list, or ~0.
static __device__ void send_report(const toi_step *s, toi_count first)
{
    const uint4 *from = (const uint4 *)s->control;
    uint4 *to = (uint4 *)s->report;
    if (threadIdx.x == 0)
        s->control->first = first;
    __syncthreads();
#pragma unroll 2
    for (unsigned i = threadIdx.x; i < sizeof *s->control / sizeof *from; i += blockDim.x)
        to[i] = __ldcv(from + i);
    if (!s->on_host && threadIdx.x < PIECES && first != ~(toi_count)0)
        ((uint4 *)s->earliest)[threadIdx.x] =
            __ldcv((const uint4 *)&s->sorted[first] + threadIdx.x);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile toi_count *)s->answered = s->control->number;
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

// With all care: rare, so that numbers in memory do not matter. `timed`: its time is known.
inline __device__ __noinline__ void toi_place_carefully(const toi_step *s, toi_hit hit, bool timed,
                                                        toi_impact *impact)
{
    toi_slot_pair p = toi_find_slots(s, make_uint2(hit.a, hit.b));
    double points[2][4][3];
    toi_load_points(s, &p, points);
    if (!timed &&
        toi_climb_knot(p.edge_edge, points, s->control->t_max, &impact->time) != TOI_FIXED_HIT)
        s->control->untimed = 1;
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

static __device__ __forceinline__ void set_impact(const toi_step *s, toi_hit hit, float radius,
                                                  toi_impact *impact)
{
    toi_slot_pair p = toi_find_slots(s, make_uint2(hit.a, hit.b));
    bool timed = true;
    if (radius >= 0) {
        toi_root_found found = {hit.time, radius};
        timed = toi_look_for_time(s, &p, &found, &hit.time) == TOI_VERDICT_CONTACT;
    }
    name_impact(&p, hit.time, impact);
    if (s->apart || !place_quickly(s, &p, impact) || !timed) {
        toi_impact careful = *impact;
        toi_place_carefully(s, hit, timed, &careful);
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
        set_impact(&s, hit, -1, &impact);
        *s.earliest = impact;
    }
    __syncthreads();
    send_report(&s, none);
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
    bool later = toi_is_vain(s) | (s->defer && c->hard.n > 0) | (c->crowded != 0);
    return later ? 0 : toi_hit_count(c);
}

// The impact that the host has decided where one of them is at this place of the queue of hits,
// else NULL.
static __device__ __forceinline__ const toi_impact *decided_at(const toi_step *s, toi_count at)
{
    toi_count front = s->control->hits[TOI_VERTEX_FACE].n;
    bool hit = at < front || at >= s->hit_capacity - s->control->hits[TOI_EDGE_EDGE].n;
    return hit ? NULL : &s->decided[at - front];
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    count_decided(const __grid_constant__ toi_step s, toi_window window)
{
    toi_count i = window.first + (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= window.last)
        return;
    toi_count at = toi_hit_at(&s, i);
    const toi_impact *impact = decided_at(&s, at);
    toi_note_order(&s, at, toi_draw_order(&s, impact->kind == TOI_EDGE_EDGE, impact->a, impact->b));
}

void toi_start_count(const toi_card *card, const toi_step *step, toi_window impacts)
{
    toi_count blocks = (impacts.last - impacts.first + ORDER_THREADS - 1) / ORDER_THREADS;
    if (blocks > 0)
        count_decided<<<(unsigned)blocks, ORDER_THREADS, 0, card->stream>>>(*step, impacts);
}

// What a thread has of the chunks before.
static __device__ __forceinline__ uint32_t sum_chunks(const toi_count *sums, unsigned count)
{
    uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += ADD_THREADS) {
        toi_count n;
        do
            n = *(const volatile toi_count *)&sums[i];
        while (!(n & TOI_SUM_BIT));
        sum += (uint32_t)n;
    }
    return sum;
}

// The place of every bin's first: a block of threads has a chunk of bins, says what it adds up to,
// and waits for those before it: blocks are started in the order of their numbers, as CUB's sums
// expect, too.
static __global__ void __launch_bounds__(ADD_THREADS) add_up(const __grid_constant__ toi_step s)
{
    __shared__ uint32_t chunks[ADD_WARPS], bins[ADD_WARPS];
    unsigned at = blockIdx.x * ADD_THREADS + threadIdx.x, warp = threadIdx.x / TOI_WARP;
    uint4 n = ((const uint4 *)s.bins)[at];
    uint32_t mine = n.x + n.y + n.z + n.w, sum = mine, all = 0;
    for (int lanes = 1; lanes < TOI_WARP; lanes *= 2) {
        uint32_t x = __shfl_up_sync(TOI_ALL_LANES, sum, lanes);
        sum += toi_lane() >= lanes ? x : 0;
    }
    if (toi_lane() == TOI_WARP - 1)
        bins[warp] = sum;
    __syncthreads();
    uint32_t start = sum - mine;
    for (unsigned w = 0; w < ADD_WARPS; ++w) {
        start += w < warp ? bins[w] : 0;
        all += bins[w];
    }
    if (threadIdx.x == 0)
        *(volatile toi_count *)&s.sums[blockIdx.x] = all | TOI_SUM_BIT;
    uint32_t before = sum_chunks(s.sums, blockIdx.x);
    for (int lanes = 1; lanes < TOI_WARP; lanes *= 2)
        before += __shfl_xor_sync(TOI_ALL_LANES, before, lanes);
    if (toi_lane() == 0)
        chunks[warp] = before;
    __syncthreads();
    for (unsigned w = 0; w < ADD_WARPS; ++w)
        start += chunks[w];
    ((uint4 *)s.starts)[at] =
        make_uint4(start, start + n.x, start + n.x + n.y, start + n.x + n.y + n.z);
}

// Few are written as they are.
static __device__ __forceinline__ bool are_packed(const toi_step *s, toi_count n)
{
    return s->pack && n >= TOI_LEAST_PACKED;
}

// Says how many come packed, by one thread.
static __device__ void begin_list(const toi_step *s, toi_count n)
{
    volatile toi_arrival *a = s->arrival;
    a->count = are_packed(s, n) ? n : 0;
    __threadfence_system();
    a->begun = s->control->number;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    share_out(const __grid_constant__ toi_step s, toi_count count)
{
    toi_count n = impacts_of(&s, count);
    if (s.pack && blockIdx.x == 0 && threadIdx.x == 0)
        begin_list(&s, n);
    for (toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x; i < n;
         i += (toi_count)gridDim.x * ORDER_THREADS) {
        toi_count at = toi_hit_at(&s, i);
        toi_hit_order order = s.orders[at];
        uint32_t first = s.starts[order.bin], last = first + s.bins[order.bin];
        s.entries[first + order.rank] = make_uint4(order.second, (uint32_t)at, first, last);
    }
}

// The place of an entry: after those of its bin with a lesser second primitive.
static __device__ __forceinline__ uint32_t find_place(const toi_step *s, uint4 entry)
{
    uint32_t place = entry.z;
    for (uint32_t j = entry.z; j < entry.w; ++j)
        place += s->entries[j].x < entry.x;
    return place;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    number_places(const __grid_constant__ toi_step s, toi_count count)
{
    toi_count n = impacts_of(&s, count);
    for (toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x; i < n;
         i += (toi_count)gridDim.x * ORDER_THREADS) {
        uint4 entry = s.entries[i];
        s.numbers[find_place(&s, entry)] = entry.y;
    }
}

// ---- The list

union write_warp
{
    uint4 rows[TOI_WARP][PIECES + 1];
    uint32_t numbers[TOI_WARP];
};

// Which hit comes at each of a warp's places, `base` on: the entries of all bins that reach into
// these places are looked at, a lane each.
static __device__ __forceinline__ uint32_t find_number(const toi_step *s, toi_count base,
                                                       toi_count n, write_warp &w)
{
    uint32_t at = (uint32_t)base + toi_lane(), end = (uint32_t)n;
    uint4 entry = s->entries[at < end ? at : end - 1];
    uint32_t first = __shfl_sync(TOI_ALL_LANES, entry.z, 0);
    uint32_t last = __shfl_sync(TOI_ALL_LANES, entry.w, TOI_WARP - 1);
    for (uint32_t from = first; from < last; from += TOI_WARP) {
        at = from + toi_lane();
        if (at >= last)
            continue;
        entry = s->entries[at];
        uint32_t place = find_place(s, entry) - (uint32_t)base;
        if (place < TOI_WARP)
            w.numbers[place] = entry.y;
    }
    __syncwarp();
    uint32_t number = w.numbers[toi_lane() < end - base ? toi_lane() : end - 1 - base];
    __syncwarp();
    return number;
}

// The impacts of a warp's lanes, `many` of them. Whole lines are written, since memory of the host
// is slow with anything else: they go through shared memory, and four lanes write each.
static __device__ __forceinline__ void write_lines(toi_impact *list, const toi_impact *impact,
                                                   write_warp &w, int many)
{
    const uint4 *pieces = (const uint4 *)impact;
#pragma unroll
    for (int i = 0; i < PIECES; ++i)
        w.rows[toi_lane()][i] = pieces[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        int at = i * TOI_WARP + toi_lane(), row = at / PIECES;
        if (row < many)
            ((uint4 *)&list[row])[at % PIECES] = w.rows[row][at % PIECES];
    }
    __syncwarp();
}

// One more group of a chunk is there. Who brings the last one tells the host.
static __device__ __forceinline__ void count_group(const toi_step *s, toi_count group, bool plain,
                                                   toi_count groups)
{
    toi_count chunk = group / TOI_PACKED_CHUNK;
    unsigned of_chunk = (unsigned)toi_least(TOI_PACKED_CHUNK, groups - chunk * TOI_PACKED_CHUNK);
    unsigned mine = 1u | (unsigned)plain << (8 + group % TOI_PACKED_CHUNK);
    unsigned all = atomicAdd(&s->arrived[chunk], mine) + mine;
    if ((all & 255) != of_chunk)
        return;
    s->arrived[chunk] = 0;
    __threadfence_system();
    *(volatile uint64_t *)&s->marks[chunk].word =
        (uint64_t)s->control->number << TOI_PACKED_CHUNK | all >> 8;
}

// The same for a packed group: rows are whole lines as they are. The host knows by the mark that it
// is there. Where an impact does not fit all go as they are.
static __device__ __forceinline__ void write_group(const toi_step *s, toi_count group,
                                                   toi_count groups, const toi_impact *impact,
                                                   write_warp &w, int many)
{
    toi_impact_group *to = (toi_impact_group *)s->sorted + group;
    uint32_t first;
    uint64_t words[TOI_PACKED_WORDS];
    bool fits = toi_pack_impact(impact, &first, words);
    bool plain = !__all_sync(TOI_ALL_LANES, fits);
    if (plain) {
        write_lines(to->plain, impact, w, many);
    } else {
        to->packed.firsts[toi_lane()] = first;
        for (int i = 0; i < TOI_PACKED_WORDS; ++i)
            to->packed.words[i][toi_lane()] = words[i];
    }
    __syncwarp();
    if (toi_lane() != 0)
        return;
    if (plain)
        atomicAdd(&s->control->plain, 1u);
    __threadfence_system(); // for what the lanes before the barrier have written, too
    count_group(s, group, plain, groups);
}

// ---- The first of the earliest

static __device__ __forceinline__ bool comes_before(toi_first a, toi_first b)
{
    return a.time < b.time || (a.time == b.time && a.place < b.place);
}

// The earliest of what the threads of a block have; thread 0 has it.
static __device__ toi_first find_first(toi_first mine)
{
    __shared__ toi_first of_warps[WRITE_WARPS];
    for (int lanes = TOI_WARP / 2; lanes > 0; lanes /= 2) {
        toi_first other = {__shfl_down_sync(TOI_ALL_LANES, mine.time, lanes),
                           __shfl_down_sync(TOI_ALL_LANES, mine.place, lanes)};
        mine = comes_before(other, mine) ? other : mine;
    }
    if (toi_lane() == 0)
        of_warps[threadIdx.x / TOI_WARP] = mine;
    __syncthreads();
    for (int i = 0; i < WRITE_WARPS; ++i)
        mine = comes_before(of_warps[i], mine) ? of_warps[i] : mine;
    __syncthreads();
    return mine;
}

// Of all blocks of threads, by the last one.
static __device__ toi_count place_of_first(const toi_step *s, toi_first first)
{
    for (unsigned i = threadIdx.x; i < gridDim.x; i += WRITE_THREADS) {
        toi_first other = {__ldcv(&s->firsts[i].time), __ldcv(&s->firsts[i].place)};
        first = comes_before(other, first) ? other : first;
    }
    __shared__ toi_count place;
    first = find_first(first);
    if (threadIdx.x == 0)
        place = first.place;
    __syncthreads();
    return place;
}

// ---- Writing

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

// `numbers`: where the impacts are in the queue of hits, in their order.
static __global__ void __launch_bounds__(WRITE_THREADS, 3)
    write_out(const __grid_constant__ toi_step s, toi_count count, const uint32_t *numbers)
{
    __shared__ write_warp warps_of_block[WRITE_WARPS];
    toi_count n = impacts_of(&s, count);
    toi_count warp = ((toi_count)blockIdx.x * WRITE_THREADS + threadIdx.x) / TOI_WARP;
    toi_first first = {~(toi_count)0, ~(toi_count)0};
    bool packed = are_packed(&s, n);
    toi_count warps = (toi_count)(packed ? gridDim.x / PACKING : gridDim.x) * WRITE_WARPS;
    if (warp >= warps)
        warp = n;
    toi_count groups = (n + TOI_PACKED_GROUP - 1) / TOI_PACKED_GROUP;
    for (toi_count base = warp * TOI_WARP; base < n; base += warps * TOI_WARP) {
        toi_count place = toi_least(base + toi_lane(), n - 1);
        write_warp &w = warps_of_block[threadIdx.x / TOI_WARP];
        uint32_t number = numbers ? numbers[place] : find_number(&s, base, n, w);
        const toi_impact *decided = decided_at(&s, number);
        toi_impact impact;
        if (decided)
            impact = *decided;
        else
            set_impact(&s, s.hits[number], s.late ? s.orders[number].radius : -1, &impact);
        toi_first mine = {(toi_count)__double_as_longlong(impact.time), place};
        first = comes_before(mine, first) ? mine : first;
        int many = (int)toi_least(n - base, TOI_WARP);
        if (packed)
            write_group(&s, base / TOI_PACKED_GROUP, groups, &impact, w, many);
        else
            write_lines(s.sorted + base, &impact, w, many);
    }
    first = find_first(first);
    if (threadIdx.x == 0)
        s.firsts[blockIdx.x] = first;
    if (is_last_block(&s.control->done))
        send_report(&s, place_of_first(&s, first));
}

void toi_start_order(const toi_card *card, const toi_step *step, toi_count count)
{
    unsigned chunks = (unsigned)(toi_count_bins(step) / TOI_BIN_CHUNK);
    add_up<<<chunks, ADD_THREADS, 0, card->stream>>>(*step);
    share_out<<<card->fillings.share, ORDER_THREADS, 0, card->stream>>>(*step, count);
    if (!step->late)
        number_places<<<card->fillings.share, ORDER_THREADS, 0, card->stream>>>(*step, count);
    write_out<<<card->fillings.write, WRITE_THREADS, 0, card->stream>>>(
        *step, count, step->late ? NULL : step->numbers);
}

// ---- The order of crowds

static __global__ void __launch_bounds__(ORDER_THREADS)
    take_keys(const __grid_constant__ toi_step s, toi_count n, toi_count *keys, uint32_t *numbers)
{
    toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= n)
        return;
    toi_count at = toi_hit_at(&s, i);
    toi_hit_order order = s.orders[at];
    keys[i] = (toi_count)order.bin << 31 | order.second;
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
    send_report(&s, ~(toi_count)0);
}

void toi_start_report(const toi_card *card, const toi_step *step)
{
    report<<<1, 512, 0, card->stream>>>(*step);
}

toi_status toi_fill_impacts(toi_card *card, toi_complaint *complaint)
{
    int *write = &card->fillings.write;
    TOI_TRY(toi_fill(card, share_out, ORDER_THREADS, &card->fillings.share, complaint));
    TOI_TRY(toi_fill(card, write_out, WRITE_THREADS, write, complaint));
    *write = *write < MOST_WRITING ? *write : MOST_WRITING;
    return TOI_OK;
}
