// What one step has on the card: positions, slots, queues and counters, as the kernels see them.
//
// Primitives stand in slots along a Hilbert curve: 8 slots an eight, 32 a block, 32 blocks a group.
// Counters of queues go on past a queue's capacity: what did not fit is known, and done again.

#ifndef TOI_CUDA_STEP_CUH
#define TOI_CUDA_STEP_CUH

#include "cuda/apart.cuh"
#include "cuda/card.cuh"
#include "cuda/frame.cuh"
#include "device/packed_impact.h"

enum
{
    TOI_WARP = 32,
    TOI_SLOT_BLOCK = 32,
    TOI_SLOT_GROUP = 1024,
    TOI_BOX_SIDES = 12 // of a box at both ends
};
constexpr int64_t TOI_BIN_CHUNK = 1024; // bins that are added up by one block of threads
constexpr unsigned long long TOI_SUM_BIT = 1ull << 63; // of what they add up to: it is known
constexpr unsigned TOI_LEAST_PACKED = 8192;            // impacts: fewer go as they are
constexpr unsigned TOI_ALL_LANES = 0xffffffffu;
constexpr uint32_t TOI_EDGE_BIT = 0x80000000u;  // of a pair's first slot: edge-edge
constexpr uint32_t TOI_LATER_BIT = 0x80000000u; // of a knot's second slot: no contact at the start

typedef unsigned long long toi_count; // as the atomic operations have it

// The primitives of one kind; by toi_primitive.
struct toi_slots
{
    int64_t count;
    int32_t groups; // of slots
    int4 *corners;  // vertices, -1 where there is none, and the primitive's number in w, or -1
    float *numbers; // [block][end][corner][axis][lane]
    uint4 *rows;    // [slot][2]: box, first and second vertex
    int32_t *thirds;
    float *ways;     // with scouts: how far a corner moves at most
    int32_t *bodies; // the group that all vertices of the slot's primitive have, or -1; or NULL
    uint4 *eights, *blocks;     // boxes, two a piece
    uint32_t *groups_of_blocks; // boxes, TOI_BOX_SIDES words a piece
};

// Where a set of positions is read from, by the card.
struct toi_source
{
    const void *data; // NULL: the end of the last step
    int64_t stride;
    int32_t is_float;
    int32_t packed; // doubles, one after the other, aligned for pairs of them
};

// A counter on a cache line of its own.
struct toi_tally
{
    toi_count n;
    uint32_t unused[30];
};

// Set anew for every window of block pairs. Queues by toi_kind.
struct toi_in_window
{
    toi_tally next[2], pairs[2];
    toi_tally front, back; // of `left`: from its front on, and from its back
    toi_tally knots;
    toi_tally tangles[2];                      // by toi_kind: knots without contact at the start
    toi_tally knots_taken, knots_seen;         // in portions: looked at at the start
    toi_tally found;                           // with separations: what searches leave
    toi_tally edges_left;                      // of the front, pairs of edges
    uint32_t ways[TOI_WARP], placed[TOI_WARP]; // of `found`, by what they take
};

// How many pairs the filter left, of both kinds and of edges.
static __host__ __device__ __forceinline__ toi_count toi_left_count(const toi_in_window *w)
{
    return w->front.n + w->back.n;
}

static __host__ __device__ __forceinline__ toi_count toi_left_edges(const toi_in_window *w)
{
    return w->edges_left.n + w->back.n;
}

struct alignas(16) toi_control
{
    // Set anew for every step.
    toi_source start, end;
    toi_count number; // of the question: signalled when it is answered
    double t_max;
    toi_apart_policy policy;
    toi_count low[3], high[3]; // least and greatest coordinates, as numbers that compare alike
    uint32_t infinite;         // a coordinate is not finite
    toi_frame frame;           // that these give; known when there are boxes
    int32_t off;               // bits of a float: how far positions in single precision are off
    toi_box_margin margin;     // of boxes, where pairs keep a share of their distance
    uint32_t shortened;        // boxes are of the motion up to a time that scouts have found

    // Set anew whenever the pairs are looked for again.
    toi_count limit; // bits of a time: later impacts do not matter
    // Where more impacts are the earliest than there is room for: 1, count none at the time `tied`,
    // but find the least of their keys; 2, note that one alone.
    uint32_t ties;
    toi_count tied, least;
    toi_tally hits[2]; // by toi_kind: from the front of the queue on, and from its back
    toi_tally hard;
    toi_count inside;       // pairs that start at their separation or closer
    toi_count first_inside; // the key of the first of them
    uint32_t done;          // blocks of threads that have written their part of the list
    uint32_t untimed;       // a hit's time could not be told when the list was written
    uint32_t plain;         // groups of a packed list that had to go as they are
    toi_count first;        // the place of the earliest in the list, when it is written; ~0: none
    uint32_t crowded;       // a primitive has very many impacts
    uint32_t dense;         // or many, for who finds places while the list is written
    toi_tally block_pairs[2];
    toi_in_window window;
};

struct toi_hit
{
    uint32_t a, b; // slots, the first with TOI_EDGE_BIT
    double time;   // or a root near it: toi_step
};

// What puts a hit in order: the bin of its first primitive, the second one, and which of the bin it
// is, in any order.
struct alignas(16) toi_hit_order
{
    uint32_t bin, second, rank;
    // Where times are for later: how far the time may be from the root, at most; negative where it
    // is the time. A hit is certain before its time is, which takes as long to compute: that is
    // done while others are on their way to the host.
    float radius;
};

// The earliest of some impacts: bits of its time, and the first place in the list that has it.
struct toi_first
{
    toi_count time, place;
};

// What the host knows of a list on its way, in its memory: numbers of the question, and a count.
struct toi_arrival
{
    toi_count soon;  // the list comes soon
    toi_count begun; // it is known how many come packed
    toi_count count;
};

struct toi_step
{
    toi_slots slots[3];
    double2 *positions; // x0 y0 | z0 x1 | y1 z1 of every vertex
    int64_t vertex_count;
    toi_control *control;
    uint2 *block_pairs[2], *pairs[2], *left, *knots;
    toi_apart_found *found; // as many as `left`
    toi_hit *hits;
    toi_pair_name *hard;   // in memory of the host
    toi_query *queries;    // likewise: their positions
    toi_impact *decided;   // impacts that the host has decided; they count on from the hits
    toi_impact *sorted;    // where they were asked to be, or groups of them on their way
    toi_chunk_mark *marks; // in memory of the host: which chunks of the groups are there
    uint32_t *arrived;     // of each chunk: how many groups are; above that, which are plain
    toi_arrival *arrival;  // likewise
    toi_pair_name *near;   // instead, names of pairs
    // Impacts are sorted by counting: each belongs to the bin of its first primitive, vertices
    // before edges.
    uint32_t *bins;   // how many a bin has
    toi_count *sums;  // how many each TOI_BIN_CHUNK of them have, with TOI_SUM_BIT where that is
                      // known; these stand behind the bins
    uint32_t *starts; // the place of a bin's first
    toi_hit_order *orders; // by hit
    uint32_t *numbers;     // by place in the list: which hit
    toi_first *firsts;     // by block of threads that writes: its earliest; where the knots were
    uint4 *entries; // by bin and rank: second primitive, hit, and the bin's first and last place
    toi_control *report;  // in memory of the host
    toi_impact *earliest; // likewise; where the list is not
    toi_count *answered;  // likewise: the number of the last question whose report is there
    toi_count block_capacity, pair_capacity, left_capacity, knot_capacity, hit_capacity,
        hard_capacity;
    int32_t on_host; // the list is in memory of the host
    int32_t pack;    // long lists go packed
    int32_t late;    // times are for later
    int32_t defer;   // where there are hard pairs the impacts are not put in order yet
    int32_t apart;   // pairs have a separation
    int32_t share;   // which is a share of their distance
    int32_t scouts;  // boxes may be shortened
};

// Bins, in whole chunks; and all words that are cleared with them.
static inline int64_t toi_count_bins(const toi_step *s)
{
    int64_t bins = s->vertex_count + s->slots[TOI_EDGE].count;
    return (bins + TOI_BIN_CHUNK - 1) / TOI_BIN_CHUNK * TOI_BIN_CHUNK;
}

static inline int64_t toi_count_tallies(const toi_step *s)
{
    return toi_count_bins(s) / TOI_BIN_CHUNK * (TOI_BIN_CHUNK + 2);
}

// Words of the boxes of all groups, which follow one another.
static __host__ __device__ __forceinline__ int64_t toi_count_sides(const toi_step *s)
{
    int64_t groups = 0;
    for (int kind = 0; kind < 3; ++kind)
        groups += s->slots[kind].groups;
    return groups * TOI_BOX_SIDES;
}

// A window of the work; the whole has first 0 and count ~0.
struct toi_window
{
    toi_count first, last;
};

// ---- The frame

// Numbers that compare like the doubles do.
static __device__ __forceinline__ toi_count toi_in_order(double x)
{
    long long bits = __double_as_longlong(x);
    return (toi_count)(bits ^ (bits >> 63 & 0x7fffffffffffffffll)) ^ 0x8000000000000000ull;
}

static __device__ __forceinline__ double toi_out_of_order(toi_count bits)
{
    long long x = (long long)(bits ^ 0x8000000000000000ull);
    return __longlong_as_double(x ^ (x >> 63 & 0x7fffffffffffffffll));
}

static __device__ __forceinline__ toi_frame toi_frame_of(const toi_control *c)
{
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = toi_out_of_order(c->low[k]);
        high[k] = toi_out_of_order(c->high[k]);
    }
    return toi_take_frame(low, high);
}

// ---- Warps

static __device__ __forceinline__ int toi_lane()
{
    return threadIdx.x % TOI_WARP;
}

static __device__ __forceinline__ unsigned toi_lanes_before()
{
    return (1u << toi_lane()) - 1;
}

// Places in a queue for the lanes that have something: one atomic operation for those that are
// active.
static __device__ __forceinline__ toi_count toi_take_places(toi_count *total, bool some)
{
    unsigned active = __activemask(), mask = __ballot_sync(active, some);
    if (!mask)
        return 0;
    int leader = __ffs(mask) - 1;
    toi_count at = 0;
    if (toi_lane() == leader)
        at = atomicAdd(total, (toi_count)__popc(mask));
    return __shfl_sync(active, at, leader) + __popc(mask & toi_lanes_before());
}

static __host__ __device__ __forceinline__ toi_count toi_least(toi_count a, toi_count b)
{
    return a < b ? a : b;
}

// Entries of a warp in shared memory, written out many at a time.
struct toi_outlet
{
    uint2 *buffer, *queue;
    toi_count *total, capacity;
    uint32_t count;
    bool backwards; // from the queue's end on

    __device__ __forceinline__ void flush(uint32_t n)
    {
        __syncwarp();
        toi_count at = 0;
        if (toi_lane() == 0)
            at = atomicAdd(total, (toi_count)n);
        at = __shfl_sync(TOI_ALL_LANES, at, 0);
        for (uint32_t i = toi_lane(); i < n; i += TOI_WARP)
            if (at + i < capacity)
                queue[backwards ? capacity - 1 - at - i : at + i] = buffer[count - n + i];
        count -= n;
        __syncwarp();
    }

    __device__ __forceinline__ void add(bool some, uint2 entry)
    {
        unsigned mask = __ballot_sync(TOI_ALL_LANES, some);
        if (some)
            buffer[count + __popc(mask & toi_lanes_before())] = entry;
        count += __popc(mask);
    }
};

static __host__ __device__ __forceinline__ toi_count toi_hit_count(const toi_control *c)
{
    return c->hits[TOI_VERTEX_FACE].n + c->hits[TOI_EDGE_EDGE].n;
}

// Where impact number i is in the queue of hits: those of vertices are at its front, those of edges
// at its back, and between them is room for the orders of those that the host has decided.
static __device__ __forceinline__ toi_count toi_hit_at(const toi_step *s, toi_count i)
{
    toi_count front = s->control->hits[TOI_VERTEX_FACE].n;
    if (i < front)
        return i;
    toi_count back = s->control->hits[TOI_EDGE_EDGE].n;
    return i < front + back ? s->hit_capacity - 1 - (i - front) : i - back;
}

// Pair number i of those that the filter left: what stands at the back comes last.
static __device__ __forceinline__ uint2 toi_left_at(const toi_step *s, toi_count i)
{
    toi_count front = s->control->window.front.n;
    return s->left[i < front ? i : s->left_capacity - 1 - (i - front)];
}

// Did something not fit a queue, or is there nothing to compute with? Then what comes after would
// be in vain. All counters are asked for at once.
static __device__ __forceinline__ bool toi_is_vain(const toi_step *s)
{
    const toi_control *c = s->control;
    bool vain = (c->infinite != 0) | (toi_left_count(&c->window) > s->left_capacity);
    for (int kind = 0; kind < 2; ++kind)
        vain |= (c->block_pairs[kind].n > s->block_capacity) |
                (c->window.pairs[kind].n > s->pair_capacity);
    return vain | (c->window.knots.n > s->knot_capacity) | (toi_hit_count(c) > s->hit_capacity) |
           (c->hard.n > s->hard_capacity);
}

static __device__ __forceinline__ double toi_limit_of(const toi_control *c)
{
    return __longlong_as_double((long long)*(volatile const toi_count *)&c->limit);
}

// Lowers *least, which many threads do at once.
static __device__ __forceinline__ void toi_lower(toi_count *least, toi_count bits)
{
    if (bits < *(volatile toi_count *)least)
        atomicMin(least, bits);
}

// ---- The stages, in order; each starts its kernels on the card's stream

// What the control is set to.
void toi_start_opening(const toi_card *card, const toi_step *step, const toi_control *header);
// Positions; and, for a list, no impacts in any bin.
void toi_start_take(const toi_card *card, const toi_step *step, toi_card_goal goal);
void toi_start_build(const toi_card *card, const toi_step *step);
// For the earliest, of steps with scouts: a few pairs are looked at, so that it is known how late
// it comes at most; the second with separations. Then boxes of the motion up to that time.
void toi_start_scouts(const toi_card *card, const toi_step *step);
void toi_start_apart_scouts(const toi_card *card, const toi_step *step);
void toi_start_shorten(const toi_card *card, const toi_step *step);
// Pairs of blocks of the window of pairs of groups.
void toi_start_blocks(const toi_card *card, const toi_step *step, toi_window groups);
// Pairs of slots of the window of block pairs: edge-edge first.
void toi_start_meet(const toi_card *card, const toi_step *step, toi_window blocks);
void toi_start_filter(const toi_card *card, const toi_step *step);
void toi_start_contacts(const toi_card *card, const toi_step *step, toi_card_goal goal);
void toi_start_hard(const toi_card *card, const toi_step *step, toi_card_goal goal);
// With separations, instead of the last three: directions with a margin, searches in single
// precision, times of what these find, and the rest in double precision.
void toi_start_margins(const toi_card *card, const toi_step *step);
void toi_start_apart_search(const toi_card *card, const toi_step *step, toi_card_goal goal);
void toi_start_apart(const toi_card *card, const toi_step *step, toi_card_goal goal);
void toi_start_apart_knots(const toi_card *card, const toi_step *step, toi_card_goal goal);
// The names of the pairs that directions leave, for TOI_CARD_NEAR.
void toi_start_names(const toi_card *card, const toi_step *step);
// The least of the earliest hits.
void toi_start_pick(const toi_card *card, const toi_step *step);
// Counts impacts `first` to `last`, which the host has decided, among those of the card.
void toi_start_count(const toi_card *card, const toi_step *step, toi_window impacts);
// Puts `count` impacts, or as many as there are hits where it is ~0, in canonical order.
void toi_start_order(const toi_card *card, const toi_step *step, toi_count count);
// The same by a sort of all, for crowded bins; the scratch is that of toi_sort_scratch().
toi_status toi_start_sort(const toi_card *card, const toi_step *step, const toi_room *scratch,
                          toi_count count, toi_complaint *complaint);
void toi_start_report(const toi_card *card, const toi_step *step);
size_t toi_sort_scratch(toi_count impacts);

// How many pairs of groups there are.
toi_count toi_group_pairs(const toi_step *step);

// How many blocks of threads fill the card.
toi_status toi_fill_search(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_filter(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_ladder(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_hard(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_margins(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_apart(toi_card *card, toi_complaint *complaint);
toi_status toi_fill_impacts(toi_card *card, toi_complaint *complaint);

template <class Kernel>
static toi_status toi_fill(toi_card *card, Kernel *kernel, int threads, int *blocks,
                           toi_complaint *complaint)
{
    int each = 0;
    TOI_TRY(toi_check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0),
                           "run this library's code: it was built for other cards", complaint));
    *blocks = each * card->info.multiprocessors;
    return TOI_OK;
}

#endif
