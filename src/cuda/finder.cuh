// One search for candidates as its kernels see it, and how they hand pairs on.

#ifndef TOI_CUDA_FINDER_CUH
#define TOI_CUDA_FINDER_CUH

#include "cuda/broad.cuh"
#include "cuda/mesh.cuh"

enum
{
    FIND_THREADS = 128,
    FIND_WARPS = FIND_THREADS / TOI_WARP,
    SIEVE_QUEUE = 64, // pairs of a warp whose images overlap
    SIEVE_ROOM = 96,  // of them, candidates
    SIEVE_FLUSH = 64
};

// Counters and sums of a search; 64 bits, so they are right whatever a queue has room for.
struct toi_find_control
{
    toi_tally found;   // candidates of a window
    toi_tally entries; // boxes in cells
    // Of the boxes' images: sums of middles, of their squares, and of extents.
    double middles[3], squares[3], extents[3];
    toi_frame frame; // of the images
};

// A node of a tree: children that are leaves have their complement.
struct alignas(16) toi_tree_box
{
    float lo[3], hi[3];
    int32_t left, right;
};

struct toi_finder
{
    int32_t kind;      // toi_kind: edge-edge has one list, vertex-face two
    int64_t counts[2]; // of boxes
    int64_t total;     // of them
    toi_card_box *boxes[2];
    const int32_t *edges, *faces, *groups;
    const double2 *positions;
    double radius; // of the separation
    int32_t widen; // boxes are widened to floats
    toi_find_control *control;
    toi_frame frame;
    uint2 *found; // as toi_pair has them
    toi_count capacity;
    // In the order of the method.
    uint32_t *keys, *numbers;      // numbers with TOI_SECOND_LIST, or places of rows
    toi_float_row *rows;           // images
    uint32_t *other_keys, *others; // before they are sorted
    int32_t axis;                  // of sweeps
    toi_grid grid;                 // of cells and curves
    toi_count entries;             // of the grid
    toi_tree_box *nodes;           // of the tree
    int32_t *parents, *lasts;      // of nodes, and after them of leaves; the last leaf of nodes
    uint32_t *visits;              // of nodes, while boxes are made
};

// ---- What decides

static __device__ __forceinline__ bool toi_shares_vertex(const toi_finder *f, uint32_t a,
                                                         uint32_t b)
{
    if (f->kind == TOI_EDGE_EDGE) {
        const int32_t *p = f->edges + 2 * (int64_t)a, *q = f->edges + 2 * (int64_t)b;
        return p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
    }
    const int32_t *q = f->faces + 3 * (int64_t)b;
    return (int32_t)a == q[0] || (int32_t)a == q[1] || (int32_t)a == q[2];
}

// Are all vertices of both in one group?
static __device__ __forceinline__ bool toi_groups_forbid(const toi_finder *f, uint32_t a,
                                                         uint32_t b)
{
    const int32_t *groups = f->groups;
    if (!groups)
        return false;
    bool edges = f->kind == TOI_EDGE_EDGE;
    const int32_t *q = edges ? f->edges + 2 * (int64_t)b : f->faces + 3 * (int64_t)b;
    int32_t body = edges ? groups[f->edges[2 * (int64_t)a]] : groups[a];
    bool same = body >= 0 && groups[q[0]] == body && groups[q[1]] == body;
    return same && groups[edges ? f->edges[2 * (int64_t)a + 1] : q[2]] == body;
}

// Is this a candidate? Numbers without TOI_SECOND_LIST.
static __device__ __forceinline__ bool toi_is_candidate(const toi_finder *f, uint32_t a, uint32_t b)
{
    const toi_card_box *second = f->boxes[f->kind == TOI_EDGE_EDGE ? 0 : 1];
    return toi_boxes_overlap(&f->boxes[0][a], &second[b]) && !toi_shares_vertex(f, a, b) &&
           !toi_groups_forbid(f, a, b);
}

// ---- Pairs of a warp, whose images overlap: decided when there are enough for all lanes

struct toi_sieve_room
{
    uint2 waiting[SIEVE_QUEUE], out[SIEVE_ROOM];
};

struct toi_sieve
{
    const toi_finder *f;
    toi_sieve_room *room;
    toi_outlet out;
    uint32_t waits;

    __device__ __forceinline__ toi_sieve(const toi_finder *finder, toi_sieve_room *own)
        : f(finder),
          room(own), out{own->out, finder->found, &finder->control->found.n, finder->capacity, 0},
          waits(0)
    {
    }

    __device__ __forceinline__ void decide(uint32_t n)
    {
        __syncwarp();
        bool real = (uint32_t)toi_lane() < n;
        uint2 pair = room->waiting[real ? waits - n + toi_lane() : 0];
        __syncwarp();
        waits -= n;
        out.add(real && toi_is_candidate(f, pair.x, pair.y), pair);
        if (out.count >= SIEVE_FLUSH)
            out.flush(SIEVE_FLUSH);
    }

    // Two boxes by their numbers, in any order; all lanes take part.
    __device__ __forceinline__ void add(bool some, uint32_t a, uint32_t b)
    {
        unsigned mask = __ballot_sync(TOI_ALL_LANES, some);
        if (!mask)
            return;
        bool turned = a > b; // a face has the larger number
        uint2 pair = make_uint2(turned ? b : a, (turned ? a : b) & ~TOI_SECOND_LIST);
        if (some)
            room->waiting[waits + __popc(mask & toi_lanes_before())] = pair;
        waits += __popc(mask);
        if (waits >= TOI_WARP)
            decide(TOI_WARP);
    }

    __device__ __forceinline__ void finish()
    {
        if (waits)
            decide(waits);
        if (out.count)
            out.flush(out.count);
    }
};

// May these two be a pair at all: of two lists, one of each?
static __device__ __forceinline__ bool toi_may_pair(const toi_finder *f, uint32_t a, uint32_t b)
{
    return f->kind == TOI_EDGE_EDGE || ((a ^ b) & TOI_SECOND_LIST) != 0;
}

static __device__ __forceinline__ toi_float_row toi_load_row(const toi_float_row *from)
{
    const float4 *halves = (const float4 *)from;
    float4 a = halves[0], b = halves[1];
    toi_float_row row;
    row.lo[0] = a.x;
    row.lo[1] = a.y;
    row.lo[2] = a.z;
    row.hi[0] = a.w;
    row.hi[1] = b.x;
    row.hi[2] = b.y;
    row.number = __float_as_uint(b.z);
    row.unused = 0;
    return row;
}

// ---- Stages

// How many blocks of FIND_THREADS go through `count`, at most so many that they share them out.
static inline unsigned toi_find_blocks(int64_t count, int64_t each)
{
    int64_t blocks = (count + each - 1) / each, most = 1 << 16;
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

// Boxes of both lists, and their sums.
void toi_start_boxes(const toi_card *card, const toi_finder *f, const toi_step *step);
// Keys of all boxes, to be sorted; and rows in the order that they were sorted in, or that of the
// boxes.
void toi_start_axis_keys(const toi_card *card, const toi_finder *f);
void toi_start_curve_keys(const toi_card *card, const toi_finder *f);
void toi_start_rows(const toi_card *card, const toi_finder *f, bool sorted);
// Of the grid: counts entries, writes them.
void toi_start_cell_count(const toi_card *card, const toi_finder *f);
void toi_start_cells(const toi_card *card, const toi_finder *f);
// Of the tree, from rows and keys in order.
toi_status toi_start_tree(const toi_card *card, const toi_finder *f, toi_complaint *complaint);
// Boxes of 15 bits of the slots, from the boxes in double.
void toi_start_swept(const toi_card *card, const toi_step *step, const toi_finder *f);
// Sorts keys and numbers from `other_keys` and `others`; by the first `bits` bits.
size_t toi_find_sort_scratch(int64_t count);
toi_status toi_start_key_sort(const toi_card *card, const toi_finder *f, int64_t count, int bits,
                              const toi_room *scratch, toi_complaint *complaint);
// Sorts pairs by (a, b); there is as much room as `pairs` has at `other`. Returns where they are.
size_t toi_pair_sort_scratch(toi_count count);
toi_status toi_start_pair_sort(const toi_card *card, const toi_finder *f, toi_count count,
                               uint2 *other, const toi_room *scratch, uint2 **sorted,
                               toi_complaint *complaint);

// The searches: candidates of a window of boxes, entries or queries; of `auto` of pairs of slots
// that wait in a queue.
typedef void toi_start_find_fn(const toi_card *card, const toi_finder *f, toi_window window);
toi_start_find_fn toi_start_sweep, toi_start_stq, toi_start_grid, toi_start_lbvh;
void toi_start_sieve(const toi_card *card, const toi_step *step, const toi_finder *f);

#endif
