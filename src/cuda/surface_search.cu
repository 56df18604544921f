// From positions at one instant to pairs of faces whose boxes meet and that share no vertex.

#include "cuda/curve.cuh"
#include "cuda/sort.cuh"
#include "cuda/surface.cuh"
#include "cuda/take.cuh"

enum
{
    ORDER_THREADS = 256,
    BLOCKS_THREADS = 256,
    MEET_THREADS = 128,
    MEET_WARPS = MEET_THREADS / TOI_WARP,
    MEET_QUEUE = 192, // room for 128 and for what one look may add
    MEET_FLUSH = 128
};

// ---- Positions

static __global__ void __launch_bounds__(TOI_TAKE_THREADS)
    take(const __grid_constant__ toi_surface_step s)
{
    __shared__ double staged[3 * TOI_TAKE_THREADS];
    toi_surface_control *c = s.control;
    int64_t first = (int64_t)blockIdx.x * TOI_TAKE_THREADS;
    int64_t rest = s.vertex_count - first;
    int count = 3 * (int)(rest < TOI_TAKE_THREADS ? rest : TOI_TAKE_THREADS), at = 3 * threadIdx.x;
    toi_stage_positions(c->source, first, count, staged);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += TOI_TAKE_THREADS)
        s.positions[3 * first + i] = staged[i];
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (at < count) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            low[k] = high[k] = staged[at + k];
            sum += 0 * staged[at + k]; // a NaN where one is not finite
        }
        if (sum != 0)
            c->infinite = 1;
    }
    toi_reduce_bounds(low, high, c->low, c->high);
}

void toi_start_surface_take(const toi_card *card, const toi_surface_step *step)
{
    int64_t blocks = (step->vertex_count + TOI_TAKE_THREADS - 1) / TOI_TAKE_THREADS;
    take<<<(unsigned)blocks, TOI_TAKE_THREADS, 0, card->stream>>>(*step);
}

// ---- The order

static __global__ void __launch_bounds__(ORDER_THREADS)
    take_keys(const __grid_constant__ toi_surface_step s, uint32_t *keys, uint32_t *numbers)
{
    __shared__ toi_surface_frame frame;
    __shared__ float widest;
    if (threadIdx.x == 0) {
        frame = toi_surface_frame_of(s.control);
        widest = toi_widest_steps(frame.steps);
    }
    __syncthreads();
    int64_t i = (int64_t)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= s.face_count)
        return;
    float low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        float x[3];
        toi_load_single(&s, &frame.face, s.faces[3 * i + c], x);
        for (int k = 0; k < 3; ++k) {
            low[k] = c ? fminf(low[k], x[k]) : x[k];
            high[k] = c ? fmaxf(high[k], x[k]) : x[k];
        }
    }
    keys[i] = toi_curve_key(low, high, frame.low, widest);
    numbers[i] = (uint32_t)i;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    fill_slots(const __grid_constant__ toi_surface_step s, const uint32_t *numbers)
{
    int64_t i = (int64_t)blockIdx.x * ORDER_THREADS + threadIdx.x;
    if (i >= s.face_count)
        return;
    int64_t face = numbers ? (int64_t)numbers[i] : i;
    const int32_t *row = s.faces + 3 * face;
    s.corners[i] = make_int4(row[0], row[1], row[2], (int)face);
}

toi_status toi_start_surface_slots(const toi_card *card, const toi_surface_step *step,
                                   const toi_room *scratch, toi_complaint *complaint)
{
    toi_key_sort sort = toi_cut_key_sort(scratch, step->face_count);
    unsigned blocks = (unsigned)((step->face_count + ORDER_THREADS - 1) / ORDER_THREADS);
    if (step->grid.hash >= 0) {
        fill_slots<<<blocks, ORDER_THREADS, 0, card->stream>>>(*step, NULL);
        return TOI_OK;
    }
    take_keys<<<blocks, ORDER_THREADS, 0, card->stream>>>(*step, sort.keys[0], sort.numbers[0]);
    TOI_TRY(toi_start_sort_of(card, &sort, step->face_count, 3 * TOI_CURVE_BITS, complaint));
    fill_slots<<<blocks, ORDER_THREADS, 0, card->stream>>>(*step, sort.numbers[1]);
    return TOI_OK;
}

// ---- Boxes

// Low x y, high x y, low and high z: as in boxes.cuh, at one instant.
struct flat_box
{
    uint32_t low, high, z;
};

constexpr uint32_t NO_BOX = 0x7fff7fff; // apart from all others, and neutral for minima

static __device__ __forceinline__ flat_box load_box(const uint4 *from)
{
    uint4 a = *from;
    return {a.x, a.y, a.z};
}

static __device__ __forceinline__ void store_box(const flat_box &b, uint32_t w, uint4 *to)
{
    *to = make_uint4(b.low, b.high, b.z, w);
}

// The other's low z stands beside this one's high z.
static __device__ __forceinline__ flat_box turn_box(flat_box b)
{
    b.z = __funnelshift_l(b.z, b.z, 16);
    return b;
}

// b is turned.
static __device__ __forceinline__ bool boxes_part(const flat_box &a, const flat_box &b)
{
    return (((a.low + b.high) | (b.low + a.high) | (a.z + b.z)) & 0x80008000u) != 0;
}

static __device__ __forceinline__ void join_boxes(flat_box &b, int lanes)
{
    b.low = __vminu2(b.low, __shfl_xor_sync(TOI_ALL_LANES, b.low, lanes));
    b.high = __vminu2(b.high, __shfl_xor_sync(TOI_ALL_LANES, b.high, lanes));
    b.z = __vminu2(b.z, __shfl_xor_sync(TOI_ALL_LANES, b.z, lanes));
}

static __device__ __forceinline__ uint32_t box_step(const toi_surface_frame *f, float x, int k)
{
    return (uint32_t)fminf(fmaxf((x - f->low[k]) * f->steps[k], 1.0f), 32766.0f);
}

static __device__ __forceinline__ flat_box box_of(const toi_surface_step *s,
                                                  const toi_surface_frame *f, int4 at)
{
    int corners[3] = {at.x, at.y, at.z};
    float low[3], high[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        float x[3];
        toi_load_single(s, &f->face, corners[c], x);
        for (int k = 0; k < 3; ++k) {
            low[k] = c ? fminf(low[k], x[k]) : x[k];
            high[k] = c ? fmaxf(high[k], x[k]) : x[k];
        }
    }
    uint32_t l[3], h[3];
    for (int k = 0; k < 3; ++k) {
        l[k] = box_step(f, low[k], k);
        h[k] = 32767 - box_step(f, high[k], k);
    }
    return {l[0] | l[1] << 16, h[0] | h[1] << 16, l[2] | h[2] << 16};
}

// Boxes of eights, blocks and the group from those of its slots.
static __device__ __forceinline__ void store_boxes(const toi_surface_step *s, flat_box box,
                                                   flat_box *of_blocks)
{
    int warp = threadIdx.x / TOI_WARP, lane = toi_lane();
    int64_t block = (int64_t)blockIdx.x * 32 + warp;
    for (int lanes = 1; lanes < 8; lanes *= 2)
        join_boxes(box, lanes);
    if (lane % 8 == 0)
        store_box(box, 0, s->eights + block * 4 + lane / 8);
    join_boxes(box, 8);
    join_boxes(box, 16);
    if (lane == 0) {
        store_box(box, 0, s->blocks + block);
        of_blocks[warp] = box;
    }
    __syncthreads();
    if (warp != 0)
        return;
    box = of_blocks[lane];
    for (int lanes = 1; lanes < 32; lanes *= 2)
        join_boxes(box, lanes);
    if (lane == 0)
        store_box(box, 0, s->groups_of_blocks + blockIdx.x);
}

static __global__ void __launch_bounds__(TOI_SLOT_GROUP)
    build(const __grid_constant__ toi_surface_step s)
{
    __shared__ flat_box of_blocks[32];
    __shared__ toi_surface_frame frame;
    if (s.control->infinite)
        return;
    if (threadIdx.x == 0)
        frame = toi_surface_frame_of(s.control);
    __syncthreads();
    int64_t slot = (int64_t)blockIdx.x * TOI_SLOT_GROUP + threadIdx.x;
    int4 at = s.corners[slot];
    flat_box box = {NO_BOX, NO_BOX, NO_BOX};
    if (at.w >= 0)
        box = box_of(&s, &frame, at);
    store_box(box, (uint32_t)at.x, s.rows + slot);
    s.others[slot] = make_uint2((uint32_t)at.y, (uint32_t)at.z);
    store_boxes(&s, box, of_blocks);
}

void toi_start_surface_boxes(const toi_card *card, const toi_surface_step *step)
{
    build<<<(unsigned)step->groups, TOI_SLOT_GROUP, 0, card->stream>>>(*step);
}

// ---- Pairs of blocks

static __device__ __forceinline__ bool groups_meet(const toi_surface_step *s, int a, int b)
{
    return b >= a && !boxes_part(load_box(s->groups_of_blocks + a),
                                 turn_box(load_box(s->groups_of_blocks + b)));
}

// The blocks of the one group as rows, those of the other as lanes; one atomic operation.
static __device__ void pair_blocks(const toi_surface_step *s, int ga, int gb)
{
    int lane = toi_lane(), ib = gb * 32 + lane;
    flat_box b = turn_box(load_box(s->groups_of_blocks + gb));
    unsigned rows =
        __ballot_sync(TOI_ALL_LANES, !boxes_part(load_box(s->blocks + (int64_t)ga * 32 + lane), b));
    unsigned mine = 0;
    b = turn_box(load_box(s->blocks + ib));
    for (unsigned left = rows; left; left &= left - 1) {
        int i = __ffs(left) - 1, ia = ga * 32 + i;
        bool meet = !boxes_part(load_box(s->blocks + ia), b) && ib >= ia;
        unsigned mask = __ballot_sync(TOI_ALL_LANES, meet);
        mine = lane == i ? mask : mine; // a lane keeps what its row meets
    }
    uint32_t count = __popc(mine), before = count;
    for (int step = 1; step < TOI_WARP; step *= 2) {
        uint32_t x = __shfl_up_sync(TOI_ALL_LANES, before, step);
        before += lane >= step ? x : 0;
    }
    toi_count at = 0;
    if (lane == TOI_WARP - 1 && before)
        at = atomicAdd(&s->control->block_pairs.n, (toi_count)before);
    at = __shfl_sync(TOI_ALL_LANES, at, TOI_WARP - 1) + before - count;
    for (; rows; rows &= rows - 1) {
        int i = __ffs(rows) - 1;
        unsigned mask = __shfl_sync(TOI_ALL_LANES, mine, i);
        toi_count to = __shfl_sync(TOI_ALL_LANES, at, i) + __popc(mask & toi_lanes_before());
        if ((mask >> lane & 1) && to < s->block_capacity)
            s->block_pairs[to] = make_uint2(ga * 32 + i, ib);
    }
}

// A warp tests `share` pairs of groups at once, a lane each, and goes through those that meet.
static __global__ void __launch_bounds__(BLOCKS_THREADS)
    pair_groups(const __grid_constant__ toi_surface_step s, toi_window window, int share)
{
    if (s.control->infinite)
        return;
    toi_count groups = (toi_count)s.groups;
    toi_count warp = ((toi_count)blockIdx.x * BLOCKS_THREADS + threadIdx.x) / TOI_WARP;
    toi_count warps = (toi_count)gridDim.x * BLOCKS_THREADS / TOI_WARP;
    for (toi_count at = window.first + warp * share; at < window.last; at += warps * share) {
        toi_count mine = at + toi_lane();
        bool meet = toi_lane() < share && mine < window.last &&
                    groups_meet(&s, (int)(mine / groups), (int)(mine % groups));
        for (unsigned left = __ballot_sync(TOI_ALL_LANES, meet); left; left &= left - 1) {
            toi_count pair = at + __ffs(left) - 1;
            pair_blocks(&s, (int)(pair / groups), (int)(pair % groups));
        }
    }
}

void toi_start_surface_blocks(const toi_card *card, const toi_surface_step *step, toi_window groups)
{
    toi_count count = groups.last - groups.first;
    toi_count warps = (toi_count)card->fillings.blocks * BLOCKS_THREADS / TOI_WARP;
    toi_count share = count / (16 * warps);
    share = share < 1 ? 1 : toi_least(share, TOI_WARP);
    toi_count blocks = (count + share * 8 - 1) / (share * 8), most = 1 << 20;
    if (count > 0)
        pair_groups<<<(unsigned)(blocks < most ? blocks : most), BLOCKS_THREADS, 0, card->stream>>>(
            *step, groups, (int)share);
}

// ---- Boxes of slots

struct meet_warp
{
    uint4 rows[2][TOI_SLOT_BLOCK];
    uint2 others[2][TOI_SLOT_BLOCK];
    uint2 queue[MEET_QUEUE];
};

static __device__ __forceinline__ bool names(uint4 q, uint2 others, uint32_t vertex)
{
    return q.w == vertex || others.x == vertex || others.y == vertex;
}

static __device__ __forceinline__ bool share_vertex(const meet_warp &w, int row, int column)
{
    uint4 q = w.rows[1][column];
    uint2 p = w.others[0][row], others = w.others[1][column];
    return names(q, others, w.rows[0][row].w) || names(q, others, p.x) || names(q, others, p.y);
}

// Two times four rows against the eight lanes of a column.
static __device__ __forceinline__ void
meet_eights(meet_warp &w, toi_outlet &queue, const flat_box &b, uint2 blocks, int first, int column)
{
    bool meets[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int row = first + half * 4;
        uint4 p = w.rows[0][row];
        meets[half] = !boxes_part({p.x, p.y, p.z}, b) && (blocks.x != blocks.y || column > row);
    }
    if (!__any_sync(TOI_ALL_LANES, meets[0] || meets[1]))
        return;
    uint2 pair = make_uint2(blocks.x * TOI_SLOT_BLOCK + first, blocks.y * TOI_SLOT_BLOCK + column);
    queue.add(meets[0] && !share_vertex(w, first, column), pair);
    pair.x += 4;
    queue.add(meets[1] && !share_vertex(w, first + 4, column), pair);
    if (queue.count >= MEET_FLUSH)
        queue.flush(MEET_FLUSH);
}

// A pair of blocks; `mask` tells which of its 4 x 4 eights may meet.
static __device__ __forceinline__ void meet_blocks(const toi_surface_step *s, meet_warp &w,
                                                   toi_outlet &queue, uint2 blocks, unsigned mask)
{
    for (int side = 0; side < 2; ++side) {
        int64_t slot = (int64_t)(side ? blocks.y : blocks.x) * TOI_SLOT_BLOCK + toi_lane();
        w.rows[side][toi_lane()] = s->rows[slot];
        w.others[side][toi_lane()] = s->others[slot];
    }
    __syncwarp();
    for (int j = 0; j < 4; ++j) {
        unsigned some = mask >> j & 0x1111;
        if (!some)
            continue;
        int column = j * 8 + (toi_lane() & 7);
        uint4 q = w.rows[1][column];
        flat_box b = turn_box({q.x, q.y, q.z});
        for (; some; some &= some - 1) {
            int first = (__ffs(some) - 1) / 4 * 8 + (toi_lane() >> 3);
            meet_eights(w, queue, b, blocks, first, column);
        }
    }
    __syncwarp();
}

// Block pairs are taken by twos from a counter; 16 lanes of each tell which of its eights may meet.
static __global__ void __launch_bounds__(MEET_THREADS)
    meet(const __grid_constant__ toi_surface_step s, toi_window window)
{
    __shared__ meet_warp all[MEET_WARPS];
    toi_surface_control *c = s.control;
    if (c->infinite)
        return;
    meet_warp &w = all[threadIdx.x / TOI_WARP];
    toi_count from = window.first;
    toi_count to = toi_least(window.last, toi_least(c->block_pairs.n, s.block_capacity));
    toi_count warps = (toi_count)gridDim.x * MEET_WARPS;
    toi_count warp = ((toi_count)blockIdx.x * MEET_THREADS + threadIdx.x) / TOI_WARP;
    toi_outlet queue = {w.queue, s.pairs, &c->window.pairs.n, s.pair_capacity, 0};
    for (toi_count at = from + warp * 2; at < to;) {
        toi_count next = 0, mine = at + (toi_lane() >> 4);
        if (toi_lane() == 0)
            next = atomicAdd(&c->window.next.n, (toi_count)2); // used at the end
        uint2 blocks = s.block_pairs[toi_least(mine, to - 1)];
        int ia = toi_lane() >> 2 & 3, ib = toi_lane() & 3;
        flat_box a = load_box(s.eights + (int64_t)blocks.x * 4 + ia);
        flat_box b = load_box(s.eights + (int64_t)blocks.y * 4 + ib);
        bool twice = blocks.x == blocks.y && ib < ia;
        bool meet = mine < to && !twice && !boxes_part(a, turn_box(b));
        unsigned mask = __ballot_sync(TOI_ALL_LANES, meet);
        for (int half = 0; half < 2; ++half) {
            unsigned eights = half ? mask >> 16 : mask & 0xffff;
            uint2 these = make_uint2(__shfl_sync(TOI_ALL_LANES, blocks.x, half * 16),
                                     __shfl_sync(TOI_ALL_LANES, blocks.y, half * 16));
            if (eights)
                meet_blocks(&s, w, queue, these, eights);
        }
        at = from + __shfl_sync(TOI_ALL_LANES, next, 0) + warps * 2;
    }
    if (queue.count)
        queue.flush(queue.count);
}

void toi_start_surface_meet(const toi_card *card, const toi_surface_step *step, toi_window blocks)
{
    meet<<<card->fillings.surface_meet, MEET_THREADS, 0, card->stream>>>(*step, blocks);
}

toi_status toi_fill_surface_search(toi_card *card, toi_complaint *complaint)
{
    return toi_fill(card, meet, MEET_THREADS, &card->fillings.surface_meet, complaint);
}
