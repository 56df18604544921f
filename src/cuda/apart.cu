// Separations in double precision and beyond: the floors of distances at t = 0 and of times, of
// what the searches in single precision have found; all of it again for what that leaves. What is
// left then goes to the host.

#include "cuda/apart_ladder.cuh"

#include "cuda/query.cuh"

enum
{
    ORDER_THREADS = 256,
    SETTLE_THREADS = 128,
    SETTLE_WAYS = 19, // by kind and features, and one for what was not found
    KNOT_THREADS = 64
};

// The positions of a pair with its corners renamed after a feature.
static __device__ __forceinline__ void load_renamed(const toi_step *s, const toi_slot_pair *p,
                                                    int feature, double points[2][4][3])
{
    toi_slot_pair renamed = *p;
    bool ee = p->edge_edge;
    int4 ids = {p->a.x, ee ? p->a.y : p->b.x, ee ? p->b.x : p->b.y, ee ? p->b.y : p->b.z};
    unsigned corners = toi_renamed_corners(ee, feature);
    int to[4];
    for (int c = 0; c < 4; ++c) {
        unsigned from = corners >> (2 * c) & 3;
        to[c] = from == 0 ? ids.x : from == 1 ? ids.y : from == 2 ? ids.z : ids.w;
    }
    renamed.a.x = to[0];
    (ee ? renamed.a.y : renamed.b.x) = to[1];
    (ee ? renamed.b.x : renamed.b.y) = to[2];
    (ee ? renamed.b.y : renamed.b.z) = to[3];
    toi_load_points(s, &renamed, points);
}

// Is this a pair that is asked about? One that starts inside is.
static __device__ bool is_asked(const toi_step *s, const toi_slot_pair *p)
{
    double points[2][4][3];
    toi_load_points(s, p, points);
    return toi_swept_boxes_overlap(p->edge_edge, points, s->control->policy.radius);
}

// The answer for a pair: whether they start inside, and a hit, if any.
template <bool EARLIEST>
static __device__ __forceinline__ void
conclude(const toi_step *s, uint2 pair, const toi_slot_pair *p, bool inside, bool hit, double time)
{
    if (inside && toi_note_inside(s, p))
        return;
    if (hit && !inside && time <= s->control->policy.asked.small_time)
        toi_leave_to_host(s, p);
    else
        toi_note_hit<EARLIEST>(s, pair, p, hit, time);
}

// ---- What the searches have found

// Returns false where this takes more than that.
template <int EDGE_EDGE>
static __device__ __forceinline__ bool settle_found(const toi_step *s, const toi_slot_pair *p,
                                                    const toi_apart_found *found,
                                                    toi_apart_state *state, double *time)
{
    const toi_apart_policy *policy = &s->control->policy;
    double points[2][4][3], floor;
    if (found->verdict != TOI_APART_FOUND)
        return false;
    if (!state->known) {
        load_renamed(s, p, found->start_feature, points);
        if (!toi_floor_start(EDGE_EDGE, found->start_feature, points, &floor))
            return false;
        toi_set_state(policy, found, floor, state);
    }
    if (!state->known)
        return false;
    load_renamed(s, p, found->feature, points);
    return toi_floor_time(EDGE_EDGE, found, points, state->separation, time);
}

template <bool EARLIEST>
static __device__ __forceinline__ void settle_one(const toi_step *s, const toi_apart_found &found)
{
    toi_control *c = s->control;
    uint2 pair = make_uint2(found.a, found.b);
    toi_slot_pair p = toi_find_slots(s, pair);
    toi_apart_state state = toi_first_state(&c->policy);
    double time = 0;
    bool late = EARLIEST && found.verdict == TOI_APART_FOUND && found.lo > toi_search_limit(c);
    if (late) { // what is clear at the start says whether they start inside
        conclude<EARLIEST>(s, pair, &p, found.began_inside, false, 0);
        return;
    }
    if (c->policy.share > 0 && !found.began_inside && !is_asked(s, &p))
        return;
    bool sure = p.edge_edge ? settle_found<1>(s, &p, &found, &state, &time)
                            : settle_found<0>(s, &p, &found, &state, &time);
    if (sure)
        conclude<EARLIEST>(s, pair, &p, state.inside, true, time);
    toi_count at = toi_take_places(&c->window.knots.n, !sure);
    if (!sure && at < s->knot_capacity)
        s->knots[at] = pair;
}

// ---- By ways

// Lanes that take different ways wait for each other, and each way is long: so what was found is
// put in order by ways first, and all warps take those of one, and then of the next.
static __device__ __forceinline__ uint32_t way_of(const toi_step *s, const toi_apart_found &found)
{
    auto class_of = [](uint8_t feature) { return feature < 4 ? 0u : feature < 8 ? 1u : 2u; };
    if (found.verdict != TOI_APART_FOUND)
        return SETTLE_WAYS - 1;
    uint32_t start = s->share ? class_of(found.start_feature) : 0;
    return (found.a >> 31) * 9 + start * 3 + class_of(found.feature);
}

// The sum over the lanes before this one.
static __device__ __forceinline__ uint32_t sum_before(uint32_t x)
{
    uint32_t sum = x;
    for (int step = 1; step < TOI_WARP; step *= 2) {
        uint32_t y = __shfl_up_sync(TOI_ALL_LANES, sum, step);
        sum += toi_lane() >= step ? y : 0;
    }
    return sum - x;
}

static __device__ __forceinline__ toi_count count_found(const toi_step *s)
{
    const toi_control *c = s->control;
    return c->infinite ? 0 : toi_least(c->window.found.n, s->left_capacity);
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    count_ways(const __grid_constant__ toi_step s)
{
    __shared__ uint32_t counts[TOI_WARP];
    toi_count n = count_found(&s);
    if (threadIdx.x < TOI_WARP)
        counts[threadIdx.x] = 0;
    __syncthreads();
    for (toi_count i = (toi_count)blockIdx.x * ORDER_THREADS + threadIdx.x; i < n;
         i += (toi_count)gridDim.x * ORDER_THREADS)
        atomicAdd(&counts[way_of(&s, s.found[i])], 1u);
    __syncthreads();
    if (threadIdx.x < TOI_WARP && counts[threadIdx.x])
        atomicAdd(&s.control->window.ways[threadIdx.x], counts[threadIdx.x]);
}

// The order, in the memory of `left`, which was searched.
static __device__ __forceinline__ uint32_t *order_of(const toi_step *s)
{
    return (uint32_t *)s->left;
}

static __global__ void __launch_bounds__(ORDER_THREADS)
    place_ways(const __grid_constant__ toi_step s)
{
    __shared__ uint32_t counts[TOI_WARP], starts[TOI_WARP];
    toi_in_window *queues = &s.control->window;
    toi_count n = count_found(&s), step = (toi_count)gridDim.x * ORDER_THREADS;
    uint32_t start = threadIdx.x < TOI_WARP ? sum_before(queues->ways[threadIdx.x]) : 0;
    for (toi_count first = (toi_count)blockIdx.x * ORDER_THREADS; first < n; first += step) {
        toi_count i = first + threadIdx.x;
        if (threadIdx.x < TOI_WARP)
            counts[threadIdx.x] = 0;
        __syncthreads();
        uint32_t way = i < n ? way_of(&s, s.found[i]) : 0;
        uint32_t rank = i < n ? atomicAdd(&counts[way], 1u) : 0;
        __syncthreads();
        if (threadIdx.x < TOI_WARP && counts[threadIdx.x])
            starts[threadIdx.x] =
                start + atomicAdd(&queues->placed[threadIdx.x], counts[threadIdx.x]);
        __syncthreads();
        if (i < n)
            order_of(&s)[starts[way] + rank] = (uint32_t)i;
        __syncthreads();
    }
}

template <bool EARLIEST>
static __global__ void __launch_bounds__(SETTLE_THREADS) settle(const __grid_constant__ toi_step s)
{
    if (s.control->infinite)
        return;
    if (!EARLIEST)
        toi_announce_list(&s);
    // A lane has a way: where its pairs begin, and the warps' tasks.
    uint32_t count = s.control->window.ways[toi_lane()], start = sum_before(count);
    uint32_t tasks = (count + TOI_WARP - 1) / TOI_WARP, before = sum_before(tasks);
    uint32_t total = __shfl_sync(TOI_ALL_LANES, before + tasks, TOI_WARP - 1);
    uint32_t warp = (blockIdx.x * SETTLE_THREADS + threadIdx.x) / TOI_WARP;
    for (uint32_t task = warp; task < total; task += gridDim.x * (SETTLE_THREADS / TOI_WARP)) {
        // The last way that begins at this task or before.
        int way = 31 - __clz(__ballot_sync(TOI_ALL_LANES, before <= task));
        uint32_t i = (task - __shfl_sync(TOI_ALL_LANES, before, way)) * TOI_WARP + toi_lane();
        uint32_t first = __shfl_sync(TOI_ALL_LANES, start, way);
        if (i < __shfl_sync(TOI_ALL_LANES, count, way))
            settle_one<EARLIEST>(&s, s.found[order_of(&s)[first + i]]);
        __syncwarp();
    }
}

// ---- What is left

template <bool EARLIEST>
static __global__ void __launch_bounds__(KNOT_THREADS)
    settle_knots(const __grid_constant__ toi_step s)
{
    if (s.control->infinite)
        return;
    // One lane of every warp first: lanes that take different ways wait for each other.
    toi_count n = toi_least(s.control->window.knots.n, s.knot_capacity);
    toi_count warps = (toi_count)gridDim.x * (KNOT_THREADS / TOI_WARP);
    toi_count warp = ((toi_count)blockIdx.x * KNOT_THREADS + threadIdx.x) / TOI_WARP;
    for (toi_count i = warp + warps * toi_lane(); i < n; i += warps * TOI_WARP) {
        uint2 pair = s.knots[i];
        toi_slot_pair p = toi_find_slots(&s, pair);
        double points[2][4][3], time = 0;
        bool inside = false;
        toi_load_points(&s, &p, points);
        int end = toi_climb_apart_knot(p.edge_edge, points, &s.control->policy,
                                       toi_search_limit(s.control), &inside, &time);
        if (end == TOI_APART_ENDS_OPEN)
            toi_hand_over(&s, &p, points);
        else
            conclude<EARLIEST>(&s, pair, &p, inside, end == TOI_APART_ENDS_HIT, time);
    }
}

void toi_start_apart(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.settle[earliest], few = 4 * card->info.multiprocessors;
    count_ways<<<few, ORDER_THREADS, 0, card->stream>>>(*step);
    place_ways<<<few, ORDER_THREADS, 0, card->stream>>>(*step);
    if (earliest)
        settle<true><<<blocks, SETTLE_THREADS, 0, card->stream>>>(*step);
    else
        settle<false><<<blocks, SETTLE_THREADS, 0, card->stream>>>(*step);
}

void toi_start_apart_knots(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.apart[earliest];
    if (earliest)
        settle_knots<true><<<blocks, KNOT_THREADS, 0, card->stream>>>(*step);
    else
        settle_knots<false><<<blocks, KNOT_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_apart(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.settle, *knots = card->fillings.apart;
    TOI_TRY(toi_fill(card, settle<false>, SETTLE_THREADS, &blocks[0], complaint));
    TOI_TRY(toi_fill(card, settle<true>, SETTLE_THREADS, &blocks[1], complaint));
    TOI_TRY(toi_fill(card, settle_knots<false>, KNOT_THREADS, &knots[0], complaint));
    return toi_fill(card, settle_knots<true>, KNOT_THREADS, &knots[1], complaint);
}
