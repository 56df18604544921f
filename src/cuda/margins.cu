// Separations in single precision: drops pairs that a direction keeps apart by more than their
// separation, and searches the others with directions that turn.

#define TOI_SINGLE
#define TOI_FUSED
#include "cuda/apart_search.cuh"

#include "cuda/query.cuh"
#include "cuda/scout.cuh"
#include "cuda/slot_motion.cuh"

enum
{
    MARGIN_THREADS = 128,
    MARGIN_WARPS = MARGIN_THREADS / TOI_WARP,
    SEARCH_THREADS = 128,
    SEARCH_IDLE = 8 // lanes that are done before they take other pairs
};

// ---- Fixed directions

// How far apart, and up to when.
struct margin_task
{
    toi_margin_bound bound;
    float until;
};

// The task of a block of threads, in shared memory. Returns false where there is nothing to compute
// with.
static __device__ bool take_task(const toi_step *s, margin_task &task)
{
    const toi_control *c = s->control;
    if (c->infinite)
        return false;
    if (threadIdx.x == 0)
        task = {toi_take_margin_bound(&c->frame, &c->policy, __int_as_float(c->off)),
                toi_search_until(toi_search_limit(c))};
    __syncthreads();
    return true;
}

// Does a direction keep a pair apart by more than its separation?
template <int KIND>
static __device__ __forceinline__ bool keeps_apart(const toi_step *s, uint2 pair,
                                                   const margin_task *task)
{
    toi_pair_motion m;
    bool trusted = toi_load_slot_motion<KIND>(s, pair, &m);
    if (task->until < 1)
        toi_stop_motion(task->until, &m);
    return toi_keeps_margin(KIND, &m, &task->bound) && trusted;
}

template <int KIND>
static __device__ __forceinline__ void drop_all(const toi_step *s, const margin_task *task,
                                                toi_outlet &kept, uint32_t *edges)
{
    const toi_control *c = s->control;
    toi_count n = toi_least(c->window.pairs[KIND].n, s->pair_capacity);
    toi_count warps = (toi_count)gridDim.x * MARGIN_WARPS;
    toi_count warp = (toi_count)blockIdx.x * MARGIN_WARPS + threadIdx.x / TOI_WARP;
    for (toi_count base = warp * TOI_WARP; base < n; base += warps * TOI_WARP) {
        uint2 pair = s->pairs[KIND][toi_least(base + toi_lane(), n - 1)];
        bool real = base + toi_lane() < n && !toi_is_forbidden<KIND>(s, pair);
        bool left = real && !keeps_apart<KIND>(s, pair, task);
        if (KIND == TOI_EDGE_EDGE) {
            pair.x |= TOI_EDGE_BIT;
            *edges += left;
        }
        __syncwarp();
        kept.add(left, pair);
        if (kept.count >= TOI_WARP)
            kept.flush(TOI_WARP);
    }
}

static __global__ void __launch_bounds__(MARGIN_THREADS)
    drop_apart(const __grid_constant__ toi_step s)
{
    __shared__ uint2 buffers[MARGIN_WARPS][2 * TOI_WARP];
    __shared__ margin_task task;
    if (!take_task(&s, task))
        return;
    toi_outlet kept = {buffers[threadIdx.x / TOI_WARP], s.left, &s.control->window.front.n,
                       s.left_capacity, 0};
    uint32_t edges = 0;
    drop_all<TOI_EDGE_EDGE>(&s, &task, kept, &edges);
    drop_all<TOI_VERTEX_FACE>(&s, &task, kept, &edges);
    if (kept.count)
        kept.flush(kept.count);
    for (int lanes = 1; lanes < TOI_WARP; lanes *= 2)
        edges += __shfl_xor_sync(TOI_ALL_LANES, edges, lanes);
    if (toi_lane() == 0 && edges)
        atomicAdd(&s.control->window.edges_left.n, (toi_count)edges);
}

void toi_start_margins(const toi_card *card, const toi_step *step)
{
    drop_apart<<<card->fillings.margins, MARGIN_THREADS, 0, card->stream>>>(*step);
}

// ---- Directions that turn

// Notes what a search says; what it leaves is queued.
template <bool EARLIEST>
static __device__ void note_search(const toi_step *s, const toi_apart_found *found)
{
    uint2 pair = make_uint2(found->a, found->b);
    toi_slot_pair p = toi_find_slots(s, pair);
    bool inside = found->began_inside && found->verdict <= TOI_APART_INSIDE;
    bool left = found->verdict > TOI_APART_INSIDE;
    if (inside && toi_note_inside(s, &p))
        return;
    toi_note_hit<EARLIEST>(s, pair, &p, found->verdict == TOI_APART_INSIDE, 0);
    toi_count at = toi_take_places(&s->control->window.found.n, left);
    if (left && at < s->left_capacity)
        s->found[at] = *found;
}

// Where a pair surely comes to its separation, by the time that was found or soon after it, what is
// later than that does not matter any more. A time that is small is not the last word on its pair.
static __device__ void lower_limit(const toi_step *s, const toi_turning *q,
                                   const toi_apart_found *found)
{
    toi_control *c = s->control;
    float time = toi_time_after(q);
    bool edge_edge = (found->a & TOI_EDGE_BIT) != 0;
    if (found->verdict != TOI_APART_FOUND || time >= toi_limit_of(c) ||
        found->lo <= c->policy.asked.small_time || !toi_comes_close(edge_edge, q, time))
        return;
    toi_slot_pair p = toi_find_slots(s, make_uint2(found->a, found->b));
    double points[2][4][3];
    toi_load_points(s, &p, points);
    if (c->policy.share == 0 || toi_motions_overlap(edge_edge, points)) // it is asked about
        toi_lower(&c->limit, (toi_count)__double_as_longlong((double)time));
}

// A search, by one lane.
struct searcher
{
    toi_turning q;
    toi_apart_found found;
    float until;
};

// Returns false where it is over already.
static __device__ __forceinline__ bool begin_search(const toi_step *s, uint2 pair, searcher &w)
{
    double points[2][4][3];
    toi_apart_bound bound = toi_first_bound(&s->control->policy);
    toi_slot_pair p = toi_find_slots(s, pair);
    toi_load_points(s, &p, points);
    w.found.a = pair.x;
    w.found.b = pair.y;
    w.until = toi_search_until(toi_search_limit(s->control));
    return toi_begin_search(p.edge_edge, points, &bound, &w.q, &w.found);
}

// Returns false where that was the last step.
template <bool EARLIEST>
static __device__ __forceinline__ bool step_search(const toi_step *s, searcher &w)
{
    if (toi_step_search((w.found.a & TOI_EDGE_BIT) != 0, &w.until, &w.q, &w.found))
        return false;
    if (!EARLIEST || !(w.q.clear > toi_search_limit(s->control)))
        return true;
    w.found.verdict = TOI_APART_CLEAR; // up to the limit, which others have lowered
    w.found.began_inside = w.q.began_inside != 0;
    return false;
}

template <bool EARLIEST>
static __device__ __forceinline__ void end_search(const toi_step *s, const searcher &w)
{
    if (EARLIEST)
        lower_limit(s, &w.q, &w.found);
    note_search<EARLIEST>(s, &w.found);
}

// Lanes that are done go on with other pairs, several at a time: the others wait for them.
template <bool EARLIEST>
static __global__ void __launch_bounds__(SEARCH_THREADS) search(const __grid_constant__ toi_step s)
{
    toi_in_window *queues = &s.control->window;
    if (s.control->infinite)
        return;
    toi_count n = toi_least(queues->front.n, s.left_capacity);
    toi_count step = (toi_count)gridDim.x * SEARCH_THREADS;
    toi_count next = (toi_count)blockIdx.x * SEARCH_THREADS + threadIdx.x;
    searcher w;
    bool on = false, done = false;
    for (;;) {
        if (__popc(__ballot_sync(TOI_ALL_LANES, !on)) >= SEARCH_IDLE) {
            if (done)
                end_search<EARLIEST>(&s, w);
            done = !on && next < n;
            if (done) {
                on = begin_search(&s, s.left[next], w);
                done = !on;
                next += step;
            }
            if (!__any_sync(TOI_ALL_LANES, on || done))
                return;
        }
        if (on) {
            on = step_search<EARLIEST>(&s, w);
            done = !on;
        }
        __syncwarp();
    }
}

void toi_start_apart_search(const toi_card *card, const toi_step *step, toi_card_goal goal)
{
    bool earliest = goal == TOI_CARD_EARLIEST;
    int blocks = card->fillings.searches[earliest];
    if (earliest)
        search<true><<<blocks, SEARCH_THREADS, 0, card->stream>>>(*step);
    else
        search<false><<<blocks, SEARCH_THREADS, 0, card->stream>>>(*step);
}

// ---- Scouts

// Where a pair surely comes to its separation the earliest is not later.
struct apart_scout
{
    const margin_task *task;

    template <int KIND>
    __device__ __forceinline__ void look(const toi_step *s, uint2 pair) const
    {
        searcher w;
        if (keeps_apart<KIND>(s, pair, task))
            return;
        pair.x |= KIND == TOI_EDGE_EDGE ? TOI_EDGE_BIT : 0;
        if (!begin_search(s, pair, w))
            return;
        while (step_search<true>(s, w)) {}
        lower_limit(s, &w.q, &w.found);
    }
};

static __global__ void __launch_bounds__(TOI_SCOUT_THREADS)
    scout(const __grid_constant__ toi_step s)
{
    __shared__ margin_task task;
    if (!take_task(&s, task))
        return;
    toi_scout(&s, apart_scout{&task});
}

void toi_start_apart_scouts(const toi_card *card, const toi_step *step)
{
    scout<<<card->fillings.scouts[1], TOI_SCOUT_THREADS, 0, card->stream>>>(*step);
}

toi_status toi_fill_margins(toi_card *card, toi_complaint *complaint)
{
    int *blocks = card->fillings.searches;
    TOI_TRY(toi_fill(card, scout, TOI_SCOUT_THREADS, &card->fillings.scouts[1], complaint));
    TOI_TRY(toi_fill(card, drop_apart, MARGIN_THREADS, &card->fillings.margins, complaint));
    TOI_TRY(toi_fill(card, search<false>, SEARCH_THREADS, &blocks[0], complaint));
    return toi_fill(card, search<true>, SEARCH_THREADS, &blocks[1], complaint);
}
