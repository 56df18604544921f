// From positions to pairs of slots whose boxes meet: reads positions, makes boxes of slots, eights,
// blocks and groups, and compares them from the groups down.

#include "cuda/box_margin.cuh"
#include "cuda/finder.cuh"
#include "cuda/slots.cuh"
#include "cuda/take.cuh"

enum
{
    OPEN_THREADS = 512,
    BUILD_THREADS = 256,
    BUILD_PARTS = TOI_SLOT_GROUP / BUILD_THREADS,
    BUILD_BLOCKS = BUILD_THREADS / TOI_SLOT_BLOCK,
    SHORT_EACH = 4, // slots of a thread
    SHORT_THREADS = TOI_SLOT_GROUP / SHORT_EACH,
    BLOCKS_THREADS = 256,
    GROUPS_TESTED = 32, // pairs, by a block of threads at least, if that fills the card
    MEET_THREADS = 128,
    MEET_WARPS = MEET_THREADS / TOI_WARP,
    MEET_QUEUE = 192, // room for 128 and for what one look may add
    MEET_FLUSH = 128
};

// ---- The beginning

// The control is in memory of the host.
static __global__ void __launch_bounds__(OPEN_THREADS)
    open_step(const __grid_constant__ toi_step s, const toi_control *header)
{
    const uint4 *from = (const uint4 *)header;
    for (unsigned i = threadIdx.x; i < sizeof *header / sizeof *from; i += OPEN_THREADS)
        ((uint4 *)s.control)[i] = from[i];
}

void toi_start_opening(const toi_card *card, const toi_step *step, const toi_control *header)
{
    open_step<<<1, OPEN_THREADS, 0, card->stream>>>(*step, header);
}

// ---- Positions

// Bins with nothing in them, and boxes of groups as well.
static __device__ __forceinline__ void empty(const toi_step *s, int64_t thread, int64_t threads,
                                             int64_t tallies)
{
    int64_t sides = toi_count_sides(s);
    for (int64_t i = thread; i < tallies; i += threads)
        s->bins[i] = 0;
    for (int64_t i = thread; i < sides; i += threads)
        s->slots[TOI_VERTEX].groups_of_blocks[i] = TOI_NO_BOX & 0xffff;
}

// Positions of both ends, side by side, and their bounds. What is counted later is cleared
// meanwhile.
static __global__ void __launch_bounds__(TOI_TAKE_THREADS)
    take(const __grid_constant__ toi_step s, int64_t tallies)
{
    __shared__ double staged[2][3 * TOI_TAKE_THREADS];
    toi_control *c = s.control;
    int64_t first = (int64_t)blockIdx.x * TOI_TAKE_THREADS, v = first + threadIdx.x;
    empty(&s, v, (int64_t)gridDim.x * TOI_TAKE_THREADS, tallies);
    int64_t rest = s.vertex_count - first;
    int count = 3 * (int)(rest < TOI_TAKE_THREADS ? rest : TOI_TAKE_THREADS), at = 3 * threadIdx.x;
    toi_stage_positions(c->start, first, count, staged[0]);
    toi_stage_positions(c->end, first, count, staged[1]);
    __syncthreads();
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool real = v < s.vertex_count;
    if (real) {
        double x[6];
        double2 *to = s.positions + 3 * v;
        if (c->start.data) {
            for (int k = 0; k < 3; ++k)
                x[k] = staged[0][at + k];
        } else { // where the last step ended
            double2 y = to[1], z = to[2];
            x[0] = y.y;
            x[1] = z.x;
            x[2] = z.y;
        }
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            x[3 + k] = staged[1][at + k];
            sum += 0 * x[k] + 0 * x[3 + k]; // a NaN where one is not finite
            low[k] = fmin(x[k], x[3 + k]);
            high[k] = fmax(x[k], x[3 + k]);
        }
        for (int k = 0; k < 3; ++k)
            to[k] = make_double2(x[2 * k], x[2 * k + 1]);
        if (sum != 0)
            c->infinite = 1;
    }
    toi_reduce_bounds(low, high, c->low, c->high);
}

void toi_start_take(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    int64_t blocks = (step->vertex_count + TOI_TAKE_THREADS - 1) / TOI_TAKE_THREADS;
    int64_t tallies = goal == TOI_CARD_ALL ? toi_count_tallies(step) : 0;
    take<<<(unsigned)blocks, TOI_TAKE_THREADS, 0, card->stream>>>(*step, tallies);
}

// ---- Boxes

// The bounds of a slot; how far its numbers may be off; and the square of the longest way of a
// corner, in these numbers.
struct slot_bounds
{
    float low[6], high[6], off, square;
};

// One corner of a slot: its numbers in single precision to `numbers`, and into the bounds.
static __device__ __forceinline__ void add_corner(const toi_frame *f, const double2 *position,
                                                  bool first, float *numbers, int stride,
                                                  slot_bounds &bounds)
{
    double2 a = position[0], b = position[1], c = position[2];
    double x[6] = {a.x, a.y, b.x, b.y, c.x, c.y};
    float z[6], square = 0;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        z[i] = toi_round_into_frame(f, x[i], i % 3, &bounds.off);
        numbers[(i / 3 * stride + i % 3) * TOI_SLOT_BLOCK] = z[i];
        bounds.low[i] = first ? z[i] : fminf(bounds.low[i], z[i]);
        bounds.high[i] = first ? z[i] : fmaxf(bounds.high[i], z[i]);
    }
    for (int k = 0; k < 3; ++k)
        square = fmaf(z[3 + k] - z[k], z[3 + k] - z[k], square);
    bounds.square = square > bounds.square || square != square ? square : bounds.square;
}

static __device__ __forceinline__ toi_packed_box pack_box(const toi_frame *f, const float low[6],
                                                          const float high[6])
{
    toi_packed_box box;
#pragma unroll
    for (int end = 0; end < 2; ++end) {
        uint32_t l[3], h[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            l[k] = toi_box_step(f, low[3 * end + k], k);
            h[k] = 32767 - toi_box_step(f, high[3 * end + k], k);
        }
        box.low[end] = l[0] | l[1] << 16;
        box.high[end] = h[0] | h[1] << 16;
        box.z[end] = l[2] | h[2] << 16;
    }
    return box;
}

// Boxes of eights and of a block from those of its slots, which a warp has.
static __device__ __forceinline__ void store_block(const toi_slots *slots, int64_t block,
                                                   toi_packed_box box, toi_packed_box *of_block)
{
    int lane = toi_lane();
    for (int lanes = 1; lanes < 8; lanes *= 2)
        toi_join_boxes(box, lanes);
    if (lane % 8 == 0)
        toi_store_box(box, 0, 0, slots->eights + (block * 4 + lane / 8) * 2);
    toi_join_boxes(box, 8);
    toi_join_boxes(box, 16);
    if (lane != 0)
        return;
    toi_store_box(box, 0, 0, slots->blocks + block * 2);
    *of_block = box;
}

// The box of a group from those of its blocks.
static __device__ __forceinline__ void store_group(const toi_slots *slots, int group,
                                                   const toi_packed_box *of_blocks)
{
    __syncthreads();
    if (threadIdx.x >= TOI_WARP)
        return;
    toi_packed_box box = of_blocks[toi_lane()];
    for (int lanes = 1; lanes < 32; lanes *= 2)
        toi_join_boxes(box, lanes);
    if (toi_lane() < TOI_BOX_SIDES)
        slots->groups_of_blocks[(int64_t)group * TOI_BOX_SIDES + toi_lane()] =
            toi_side_of(box, toi_lane());
}

// Makes the bounds at both ends larger.
static __device__ __forceinline__ void enlarge(float by, float low[6], float high[6])
{
    for (int i = 0; i < 6; ++i) {
        low[i] = toi_reach_down(low[i], by);
        high[i] = toi_reach_up(high[i], by);
    }
}

// The box of a part of a group, from those of its blocks, into that of the group.
static __device__ __forceinline__ void store_part(const toi_slots *slots, int64_t part,
                                                  const toi_packed_box *of_blocks)
{
    __syncthreads();
    if (threadIdx.x >= TOI_WARP)
        return;
    toi_packed_box box = of_blocks[toi_lane() % BUILD_BLOCKS];
    for (int lanes = 1; lanes < BUILD_BLOCKS; lanes *= 2)
        toi_join_boxes(box, lanes);
    if (toi_lane() < TOI_BOX_SIDES)
        atomicMin(&slots->groups_of_blocks[part / BUILD_PARTS * TOI_BOX_SIDES + toi_lane()],
                  toi_side_of(box, toi_lane()));
}

// The frame of a block of threads, by the first of them; is every coordinate finite?
static __device__ __forceinline__ bool share_frame(const toi_step *s, toi_frame *f)
{
    __shared__ uint32_t infinite;
    if (threadIdx.x == 0) {
        infinite = s->control->infinite;
        *f = toi_frame_of(s->control);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        s->control->frame = *f;
        if (s->share)
            s->control->margin = toi_take_box_margin(f, &s->control->policy);
    }
    __syncthreads();
    return !infinite;
}

// A part of a group.
template <int CORNERS>
static __device__ __forceinline__ void build_part(const toi_step *s, const toi_slots *slots,
                                                  int64_t part, toi_frame *f,
                                                  toi_packed_box *of_blocks)
{
    int64_t slot = part * BUILD_THREADS + threadIdx.x;
    int4 at = slots->corners[slot];
    int corners[3] = {at.x, at.y, at.z};
    float *numbers =
        slots->numbers + slot / TOI_SLOT_BLOCK * (6 * CORNERS * TOI_SLOT_BLOCK) + toi_lane();
    slot_bounds bounds;
    bounds.off = bounds.square = 0;
    bool real = at.w >= 0;
    if (!share_frame(s, f))
        return;
#pragma unroll
    for (int c = 0; c < CORNERS; ++c) {
        const double2 *position = s->positions + 3 * (int64_t)(real ? corners[c] : 0);
        add_corner(f, position, c == 0, numbers + 3 * c * TOI_SLOT_BLOCK, 3 * CORNERS, bounds);
    }
    float off = bounds.off;
    if (s->apart)
        enlarge(toi_reach_for(toi_box_reach(f, &s->control->policy.asked), off), bounds.low,
                bounds.high);
    toi_packed_box box = pack_box(f, bounds.low, bounds.high);
    if (!real)
        box = {{TOI_NO_BOX, TOI_NO_BOX}, {TOI_NO_BOX, TOI_NO_BOX}, {TOI_NO_BOX, TOI_NO_BOX}};
    if (s->scouts)
        slots->ways[slot] = toi_way_of(bounds.square, off);
    toi_store_box(box, (uint32_t)at.x, CORNERS == 1 ? 0xfffffffeu : (uint32_t)at.y,
                  slots->rows + slot * 2);
    if (CORNERS == 3)
        slots->thirds[slot] = at.z;
    for (int lanes = 1; CORNERS == 1 && lanes < TOI_WARP; lanes *= 2)
        off = fmaxf(off, __shfl_xor_sync(TOI_ALL_LANES, off, lanes));
    if (CORNERS == 1 && toi_lane() == 0 && off > 0) // every vertex has a slot
        atomicMax(&s->control->off, __float_as_int(off));
    store_block(slots, slot / TOI_SLOT_BLOCK, box, of_blocks + threadIdx.x / TOI_WARP);
    store_part(slots, part, of_blocks);
}

static __global__ void __launch_bounds__(BUILD_THREADS, 4) build(const __grid_constant__ toi_step s)
{
    __shared__ toi_packed_box of_blocks[BUILD_BLOCKS];
    __shared__ toi_frame frame;
    int part = blockIdx.x, faces = s.slots[TOI_FACE].groups * BUILD_PARTS;
    if (part < faces) {
        build_part<3>(&s, &s.slots[TOI_FACE], part, &frame, of_blocks);
        return;
    }
    part -= faces;
    int edges = s.slots[TOI_EDGE].groups * BUILD_PARTS;
    if (part < edges) {
        build_part<2>(&s, &s.slots[TOI_EDGE], part, &frame, of_blocks);
        return;
    }
    build_part<1>(&s, &s.slots[TOI_VERTEX], part - edges, &frame, of_blocks);
}

static int count_groups(const toi_step *step)
{
    int groups = 0;
    for (int k = 0; k < 3; ++k)
        groups += step->slots[k].groups;
    return groups;
}

void toi_start_build(const toi_card *card, const toi_step *step)
{
    build<<<count_groups(step) * BUILD_PARTS, BUILD_THREADS, 0, card->stream>>>(*step);
}

// ---- Boxes of a shorter motion

// Both ends of a box, which is that of the start, reach as far as its corners may have come.
static __device__ __forceinline__ toi_packed_box shorten_slot(const toi_slots *slots, int64_t slot,
                                                              const toi_short_reach *r, uint4 first,
                                                              uint4 second, float way)
{
    toi_packed_box box = toi_unpack_box(first, second);
    uint32_t steps[3];
    if (box.low[0] == TOI_NO_BOX)
        return box;
    for (int k = 0; k < 3; ++k)
        steps[k] = toi_short_steps(r, way, k);
    toi_stay_at_start(box);
    toi_widen_box(box, {steps[0] | steps[1] << 16, steps[2] | steps[2] << 16});
    toi_keep_in_frame(box);
    toi_store_box(box, second.z, second.w, slots->rows + slot * 2);
    return box;
}

static __device__ __forceinline__ void shorten_group(const toi_slots *slots, int group,
                                                     const toi_short_reach *r,
                                                     toi_packed_box *of_blocks)
{
    int64_t slot = (int64_t)group * TOI_SLOT_GROUP + threadIdx.x;
    uint4 rows[SHORT_EACH][2];
    float ways[SHORT_EACH];
#pragma unroll
    for (int i = 0; i < SHORT_EACH; ++i) {
        rows[i][0] = slots->rows[(slot + i * SHORT_THREADS) * 2];
        rows[i][1] = slots->rows[(slot + i * SHORT_THREADS) * 2 + 1];
        ways[i] = slots->ways[slot + i * SHORT_THREADS];
    }
#pragma unroll
    for (int i = 0; i < SHORT_EACH; ++i, slot += SHORT_THREADS) {
        toi_packed_box box = shorten_slot(slots, slot, r, rows[i][0], rows[i][1], ways[i]);
        store_block(slots, slot / TOI_SLOT_BLOCK, box,
                    of_blocks + slot % TOI_SLOT_GROUP / TOI_SLOT_BLOCK);
    }
    store_group(slots, group, of_blocks);
}

// Where scouts have found a time that is short enough.
static __global__ void __launch_bounds__(SHORT_THREADS) shorten(const __grid_constant__ toi_step s)
{
    __shared__ toi_packed_box of_blocks[32];
    __shared__ toi_short_reach reach;
    toi_control *c = s.control;
    double until = fmax(toi_limit_of(c), c->policy.asked.small_time);
    if (c->infinite || !toi_is_short(until, c->policy.share))
        return;
    if (threadIdx.x == 0) {
        reach = toi_take_short_reach(&c->frame, &c->policy, until, __int_as_float(c->off));
        c->shortened = 1;
    }
    __syncthreads();
    int group = blockIdx.x;
    for (int kind = 2; kind >= 0; --kind) {
        if (group >= 0 && group < s.slots[kind].groups)
            shorten_group(&s.slots[kind], group, &reach, of_blocks);
        group -= s.slots[kind].groups;
    }
}

void toi_start_shorten(const toi_card *card, const toi_step *step)
{
    shorten<<<count_groups(step), SHORT_THREADS, 0, card->stream>>>(*step);
}

// ---- Boxes of the whole motion, for candidates

// Both ends have the box of the motion: so what is apart at both ends is apart altogether.
static __device__ toi_packed_box pack_swept(const toi_frame *f, const toi_card_box *box)
{
    uint32_t l[3], h[3];
    for (int k = 0; k < 3; ++k) {
        l[k] = toi_box_step(f, (float)toi_into_frame(f, box->lo[k], k), k);
        h[k] = 32767 - toi_box_step(f, (float)toi_into_frame(f, box->hi[k], k), k);
    }
    uint32_t low = l[0] | l[1] << 16, high = h[0] | h[1] << 16, z = l[2] | h[2] << 16;
    return {{low, low}, {high, high}, {z, z}};
}

static __device__ void build_swept_group(const toi_slots *slots, int corners, int group,
                                         const toi_frame *f, const toi_card_box *boxes,
                                         toi_packed_box *of_blocks)
{
    int64_t slot = (int64_t)group * TOI_SLOT_GROUP + threadIdx.x;
    int4 at = slots->corners[slot];
    toi_packed_box box = {
        {TOI_NO_BOX, TOI_NO_BOX}, {TOI_NO_BOX, TOI_NO_BOX}, {TOI_NO_BOX, TOI_NO_BOX}};
    if (at.w >= 0)
        box = pack_swept(f, boxes + at.w);
    toi_store_box(box, (uint32_t)at.x, corners == 1 ? 0xfffffffeu : (uint32_t)at.y,
                  slots->rows + slot * 2);
    if (corners == 3)
        slots->thirds[slot] = at.z;
    store_block(slots, slot / TOI_SLOT_BLOCK, box, of_blocks + threadIdx.x / TOI_WARP);
    store_group(slots, group, of_blocks);
}

static __global__ void __launch_bounds__(TOI_SLOT_GROUP)
    build_swept(const __grid_constant__ toi_step s, const __grid_constant__ toi_finder f)
{
    __shared__ toi_packed_box of_blocks[32];
    int group = blockIdx.x, edges = f.kind == TOI_EDGE_EDGE;
    const toi_slots *first = &s.slots[edges ? TOI_EDGE : TOI_VERTEX];
    if (group < first->groups)
        build_swept_group(first, edges ? 2 : 1, group, &f.frame, f.boxes[0], of_blocks);
    else
        build_swept_group(&s.slots[TOI_FACE], 3, group - first->groups, &f.frame, f.boxes[1],
                          of_blocks);
}

void toi_start_swept(const toi_card *card, const toi_step *step, const toi_finder *f)
{
    int groups = f->kind == TOI_EDGE_EDGE
                     ? step->slots[TOI_EDGE].groups
                     : step->slots[TOI_VERTEX].groups + step->slots[TOI_FACE].groups;
    build_swept<<<groups, TOI_SLOT_GROUP, 0, card->stream>>>(*step, *f);
}

// ---- Pairs of blocks

// With a share of distances, kernels that know of it and others are started: boxes that are
// shortened have it in them.
template <bool SHARE>
static __device__ __forceinline__ bool is_others_turn(const toi_step *s)
{
    return s->share && SHARE == (s->control->shortened != 0);
}

// How far points are from the middle of a box that holds many.
template <bool SHARE>
static __device__ __forceinline__ float radius_of(const toi_box_margin &m, const toi_packed_box &b)
{
    return SHARE ? toi_radius_of(m, b) : 0;
}

template <bool SHARE>
static __device__ __forceinline__ bool groups_meet(const toi_step *s, const toi_box_margin &m,
                                                   toi_group_pair p)
{
    if (p.kind == TOI_EDGE_EDGE && p.b < p.a)
        return false;
    toi_packed_box a = toi_load_group(toi_first_of(s, p.kind), p.a);
    toi_packed_box b = toi_load_group(toi_second_of(s, p.kind), p.b);
    float radii = radius_of<SHARE>(m, a) + radius_of<SHARE>(m, b);
    return !toi_boxes_part_by<SHARE>(m, a, toi_turn_box(b), radii);
}

// The blocks of the one group as rows, those of the other as lanes; one atomic operation.
template <bool SHARE>
static __device__ void pair_blocks(const toi_step *s, const toi_box_margin &m, toi_group_pair p)
{
    const toi_slots *first = toi_first_of(s, p.kind), *second = toi_second_of(s, p.kind);
    int lane = toi_lane(), ib = p.b * 32 + lane;
    toi_packed_box b = toi_load_group(second, p.b);
    toi_packed_box row = toi_load_box(first->blocks + ((int64_t)p.a * 32 + lane) * 2);
    float wide = radius_of<SHARE>(m, row), broad = radius_of<SHARE>(m, b);
    bool some = !toi_boxes_part_by<SHARE>(m, row, toi_turn_box(b), wide + broad);
    unsigned rows = __ballot_sync(TOI_ALL_LANES, some), mine = 0;
    b = toi_load_box(second->blocks + (int64_t)ib * 2);
    broad = radius_of<SHARE>(m, b);
    b = toi_turn_box(b);
    for (unsigned left = rows; left; left &= left - 1) {
        int i = __ffs(left) - 1, ia = p.a * 32 + i;
        toi_packed_box a = toi_load_box(first->blocks + (int64_t)ia * 2);
        float radii = SHARE ? __shfl_sync(TOI_ALL_LANES, wide, i) + broad : 0;
        bool meet = !toi_boxes_part_by<SHARE>(m, a, b, radii) && //
                    (p.kind != TOI_EDGE_EDGE || ib >= ia);
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
        at = atomicAdd(&s->control->block_pairs[p.kind].n, (toi_count)before);
    at = __shfl_sync(TOI_ALL_LANES, at, TOI_WARP - 1) + before - count;
    for (; rows; rows &= rows - 1) {
        int i = __ffs(rows) - 1;
        unsigned mask = __shfl_sync(TOI_ALL_LANES, mine, i);
        toi_count to = __shfl_sync(TOI_ALL_LANES, at, i) + __popc(mask & toi_lanes_before());
        if ((mask >> lane & 1) && to < s->block_capacity)
            s->block_pairs[p.kind][to] = make_uint2(p.a * 32 + i, ib);
    }
}

// The threads of a block test a pair of groups each, far from one another, since those that meet
// are often neighbours; its warps share what meets.
template <bool SHARE>
static __global__ void __launch_bounds__(BLOCKS_THREADS, SHARE ? 5 : 6)
    pair_groups(const __grid_constant__ toi_step s, toi_window window)
{
    __shared__ toi_group_pair met[BLOCKS_THREADS];
    __shared__ uint32_t count;
    if (s.control->infinite || is_others_turn<SHARE>(&s))
        return;
    const toi_box_margin &m = s.control->margin;
    toi_count step = gridDim.x;
    for (toi_count at = window.first + blockIdx.x; at < window.last; at += step * BLOCKS_THREADS) {
        toi_count mine = at + step * threadIdx.x;
        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        if (mine < window.last) {
            toi_group_pair p = toi_find_group_pair(&s, mine);
            if (groups_meet<SHARE>(&s, m, p))
                met[atomicAdd(&count, 1u)] = p;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x / TOI_WARP; i < count; i += BLOCKS_THREADS / TOI_WARP)
            pair_blocks<SHARE>(&s, m, met[i]);
        __syncthreads();
    }
}

toi_count toi_group_pairs(const toi_step *s)
{
    toi_count edges = (toi_count)s->slots[TOI_EDGE].groups;
    return edges * edges +
           (toi_count)s->slots[TOI_VERTEX].groups * (toi_count)s->slots[TOI_FACE].groups;
}

void toi_start_blocks(const toi_card *card, const toi_step *step, toi_window groups)
{
    toi_count count = groups.last - groups.first;
    toi_count fill = (toi_count)card->fillings.blocks, wanted = count / GROUPS_TESTED;
    unsigned blocks = (unsigned)toi_least(count, wanted < fill       ? fill
                                                 : wanted < 8 * fill ? wanted
                                                                     : 8 * fill);
    if (count > 0 && step->share)
        pair_groups<true><<<blocks, BLOCKS_THREADS, 0, card->stream>>>(*step, groups);
    if (count > 0 && (!step->share || step->scouts))
        pair_groups<false><<<blocks, BLOCKS_THREADS, 0, card->stream>>>(*step, groups);
}

// ---- Boxes of slots

struct meet_warp
{
    // The halves of every other four rows change places, so that eight rows meet all banks.
    uint4 rows[2][TOI_SLOT_BLOCK * 2];
    int32_t thirds[TOI_SLOT_BLOCK];
    uint2 queue[MEET_QUEUE];
};

static __device__ __forceinline__ int half_of(int row, int half)
{
    return row * 2 + (half ^ (row >> 2 & 1));
}

static __device__ __forceinline__ void load_rows(const toi_slots *slots, uint32_t block, uint4 *to)
{
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int at = half * TOI_WARP + toi_lane();
        to[half_of(at >> 1, at & 1)] = slots->rows[(int64_t)block * 64 + at];
    }
}

// What leaves a warp: pairs as they are or, with a share, those that their own margin leaves of
// what that of their eights has left.
template <int KIND, bool SHARE>
struct meet_outlet
{
    const toi_step *s;
    const toi_box_margin *m;
    toi_outlet found, kept; // kept: with a share

    __device__ __forceinline__ bool keeps(uint2 pair) const
    {
        toi_packed_box a = toi_load_box(toi_first_of(s, KIND)->rows + (int64_t)pair.x * 2);
        toi_packed_box b = toi_load_box(toi_second_of(s, KIND)->rows + (int64_t)pair.y * 2);
        // A vertex is the middle of its box, and an edge has it; of a face the mean is near.
        float radius = KIND == TOI_VERTEX_FACE ? TOI_FACE_RADIUS * toi_radius_of(*m, b) : 0;
        return !toi_boxes_part_by<true>(*m, a, toi_turn_box(b), radius);
    }

    // Takes out the last `n`, 32 at a time.
    __device__ __forceinline__ void sift(uint32_t n)
    {
        __syncwarp();
        for (uint32_t i = 0; i < n; i += TOI_WARP) {
            bool real = i + toi_lane() < n;
            uint2 pair = found.buffer[found.count - n + (real ? i + toi_lane() : 0)];
            kept.add(real && keeps(pair), pair);
            if (kept.count >= MEET_FLUSH)
                kept.flush(MEET_FLUSH);
        }
        found.count -= n;
        __syncwarp();
    }

    __device__ __forceinline__ void flush(uint32_t n)
    {
        if (SHARE)
            sift(n);
        else
            found.flush(n);
    }

    __device__ __forceinline__ void end()
    {
        if (found.count)
            flush(found.count);
        if (SHARE && kept.count)
            kept.flush(kept.count);
    }
};

// Two times four rows against the eight lanes of a column, whose boxes are wide enough for every
// margin.
template <int KIND, bool SHARE>
static __device__ __forceinline__ void meet_eights(meet_warp &w, meet_outlet<KIND, SHARE> &queue,
                                                   const toi_packed_box &b, uint4 q, uint32_t third,
                                                   uint2 blocks, int first, int column)
{
    bool meets[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int row = first + half * 4;
        uint4 p = w.rows[0][half_of(row, 1)];
        toi_packed_box a = toi_unpack_box(w.rows[0][half_of(row, 0)], p);
        meets[half] = !toi_boxes_part(a, b) && !toi_share_vertex<KIND>(p, q, third);
        if (KIND == TOI_EDGE_EDGE && blocks.x == blocks.y)
            meets[half] = meets[half] && column > row;
    }
    if (!__any_sync(TOI_ALL_LANES, meets[0] || meets[1]))
        return;
    uint2 pair = make_uint2(blocks.x * TOI_SLOT_BLOCK + first, blocks.y * TOI_SLOT_BLOCK + column);
    queue.found.add(meets[0], pair);
    pair.x += 4;
    queue.found.add(meets[1], pair);
    if (queue.found.count >= MEET_FLUSH)
        queue.flush(MEET_FLUSH);
}

// A pair of blocks; `mask` tells which of its 4 x 4 eights may meet. `apart`: of lane `from` on,
// how far apart the primitives of each must stay.
template <int KIND, bool SHARE>
static __device__ __forceinline__ void
meet_blocks(const toi_step *s, meet_warp &w, meet_outlet<KIND, SHARE> &queue, uint2 blocks,
            unsigned mask, toi_box_steps apart, int from, uint32_t &held)
{
    const toi_slots *second = toi_second_of(s, KIND);
    if (blocks.x != held) // many pairs follow one another that have the first block in common
        load_rows(toi_first_of(s, KIND), blocks.x, w.rows[0]);
    held = blocks.x;
    load_rows(second, blocks.y, w.rows[1]);
    if (KIND == TOI_VERTEX_FACE)
        w.thirds[toi_lane()] = second->thirds[(int64_t)blocks.y * TOI_SLOT_BLOCK + toi_lane()];
    __syncwarp();
    for (int j = 0; j < 4; ++j) {
        unsigned some = mask >> j & 0x1111;
        if (!some)
            continue;
        int column = j * 8 + (toi_lane() & 7);
        uint4 q = w.rows[1][half_of(column, 1)];
        toi_packed_box b = toi_turn_box(toi_unpack_box(w.rows[1][half_of(column, 0)], q));
        uint32_t third = KIND == TOI_VERTEX_FACE ? (uint32_t)w.thirds[column] : 0;
        for (; some; some &= some - 1) {
            int row = (__ffs(some) - 1) / 4, first = row * 8 + (toi_lane() >> 3);
            toi_packed_box wide = b;
            if (SHARE)
                toi_widen_box(wide, {__shfl_sync(TOI_ALL_LANES, apart.xy, from + row * 4 + j),
                                     __shfl_sync(TOI_ALL_LANES, apart.z, from + row * 4 + j)});
            meet_eights<KIND, SHARE>(w, queue, wide, q, third, blocks, first, column);
        }
    }
    __syncwarp();
}

// Block pairs are taken by twos from a counter; 16 lanes of each tell which of its eights may meet.
template <int KIND, bool SHARE>
static __device__ __forceinline__ void meet_all(const toi_step *s, const toi_box_margin &m,
                                                toi_window window, meet_warp &w, uint2 *kept)
{
    toi_control *c = s->control;
    const toi_slots *first = toi_first_of(s, KIND), *second = toi_second_of(s, KIND);
    toi_count edges = toi_least(c->block_pairs[TOI_EDGE_EDGE].n, s->block_capacity);
    toi_count before = KIND == TOI_EDGE_EDGE ? 0 : edges;
    toi_count n = KIND == TOI_EDGE_EDGE
                      ? edges
                      : toi_least(c->block_pairs[TOI_VERTEX_FACE].n, s->block_capacity);
    toi_count from = window.first > before ? window.first - before : 0;
    toi_count to = window.last > before ? toi_least(window.last - before, n) : 0;
    toi_count warps = (toi_count)gridDim.x * MEET_WARPS;
    toi_count warp = ((toi_count)blockIdx.x * MEET_THREADS + threadIdx.x) / TOI_WARP;
    if (KIND == TOI_VERTEX_FACE)
        warp = warps - 1 - warp; // who came last among the edges comes first here
    toi_count *total = &c->window.pairs[KIND].n;
    meet_outlet<KIND, SHARE> queue = {s,
                                      &m,
                                      {w.queue, s->pairs[KIND], total, s->pair_capacity, 0},
                                      {kept, s->pairs[KIND], total, s->pair_capacity, 0}};
    uint32_t held = ~0u; // the block whose rows are there
    for (toi_count at = from + warp * 2; at < to;) {
        toi_count next = 0, mine = at + (toi_lane() >> 4);
        if (toi_lane() == 0)
            next = atomicAdd(&c->window.next[KIND].n, (toi_count)2); // used at the end
        uint2 blocks = s->block_pairs[KIND][toi_least(mine, to - 1)];
        int ia = toi_lane() >> 2 & 3, ib = toi_lane() & 3;
        toi_packed_box a = toi_load_box(first->eights + ((int64_t)blocks.x * 4 + ia) * 2);
        toi_packed_box b = toi_load_box(second->eights + ((int64_t)blocks.y * 4 + ib) * 2);
        bool twice = KIND == TOI_EDGE_EDGE && blocks.x == blocks.y && ib < ia;
        float radii = radius_of<SHARE>(m, a) + radius_of<SHARE>(m, b);
        b = toi_turn_box(b);
        bool meet = mine < to && !twice && !toi_boxes_part_by<SHARE>(m, a, b, radii);
        toi_box_steps apart = {0, 0};
        if (SHARE)
            apart = toi_steps_apart(m, a, b, radii);
        unsigned mask = __ballot_sync(TOI_ALL_LANES, meet);
        for (int half = 0; half < 2; ++half) {
            unsigned eights = half ? mask >> 16 : mask & 0xffff;
            uint2 these = make_uint2(__shfl_sync(TOI_ALL_LANES, blocks.x, half * 16),
                                     __shfl_sync(TOI_ALL_LANES, blocks.y, half * 16));
            if (eights)
                meet_blocks<KIND, SHARE>(s, w, queue, these, eights, apart, half * 16, held);
        }
        at = from + __shfl_sync(TOI_ALL_LANES, next, 0) + warps * 2;
    }
    queue.end();
}

template <bool SHARE>
static __global__ void __launch_bounds__(MEET_THREADS, SHARE ? 8 : 9)
    meet(const __grid_constant__ toi_step s, toi_window window)
{
    __shared__ meet_warp warps[MEET_WARPS];
    __shared__ uint2 kept[MEET_WARPS][SHARE ? MEET_QUEUE : 1];
    __shared__ toi_box_margin margin;
    int warp = threadIdx.x / TOI_WARP;
    if (s.control->infinite || is_others_turn<SHARE>(&s))
        return;
    if (SHARE) {
        if (threadIdx.x == 0)
            margin = s.control->margin;
        __syncthreads();
    }
    meet_all<TOI_EDGE_EDGE, SHARE>(&s, margin, window, warps[warp], kept[warp]);
    meet_all<TOI_VERTEX_FACE, SHARE>(&s, margin, window, warps[warp], kept[warp]);
}

void toi_start_meet(const toi_card *card, const toi_step *step, toi_window blocks)
{
    if (step->share)
        meet<true><<<card->fillings.meet[1], MEET_THREADS, 0, card->stream>>>(*step, blocks);
    if (!step->share || step->scouts)
        meet<false><<<card->fillings.meet[0], MEET_THREADS, 0, card->stream>>>(*step, blocks);
}

toi_status toi_fill_search(toi_card *card, toi_complaint *complaint)
{
    int *meets = card->fillings.meet;
    TOI_TRY(toi_fill(card, pair_groups<false>, BLOCKS_THREADS, &card->fillings.blocks, complaint));
    TOI_TRY(toi_fill(card, meet<false>, MEET_THREADS, &meets[0], complaint));
    return toi_fill(card, meet<true>, MEET_THREADS, &meets[1], complaint);
}
