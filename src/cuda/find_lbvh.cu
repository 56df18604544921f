// A tree over boxes along a Morton curve (Karras 2012): all nodes are found at once from the sorted
// keys, their boxes are made from the leaves up, and every thread goes down the tree with a box and
// a stack of its own. Edges go down their own tree, vertices down that of the faces.

#include "cuda/finder.cuh"

enum
{
    STACK = 66 // keys have 32 bits and places 32, and every node has more in common than the last
};

// The part of the sorted rows that the tree is over: the last list.
struct leaves
{
    const uint32_t *keys;
    const toi_float_row *rows;
    int32_t count;
};

static __host__ __device__ __forceinline__ leaves leaves_of(const toi_finder *f)
{
    int64_t first = f->kind == TOI_EDGE_EDGE ? 0 : f->counts[0];
    return {f->keys + first, f->rows + first, (int32_t)(f->total - first)};
}

static __global__ void __launch_bounds__(FIND_THREADS)
    find_nodes(const __grid_constant__ toi_finder f)
{
    leaves l = leaves_of(&f);
    int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x;
    if (i >= l.count - 1)
        return;
    toi_tree_node node = toi_find_node(l.keys, l.count, (int32_t)i);
    bool left_leaf = node.first == node.cut, right_leaf = node.last == node.cut + 1;
    f.nodes[i].left = left_leaf ? ~node.cut : node.cut;
    f.nodes[i].right = right_leaf ? ~(node.cut + 1) : node.cut + 1;
    f.lasts[i] = node.last;
    f.parents[node.cut + (left_leaf ? l.count : 0)] = (int32_t)i;
    f.parents[node.cut + 1 + (right_leaf ? l.count : 0)] = (int32_t)i;
    if (i == 0)
        f.parents[0] = -1;
}

// Who comes second to a node makes its box: then both children have theirs.
static __global__ void __launch_bounds__(FIND_THREADS)
    fit_nodes(const __grid_constant__ toi_finder f)
{
    leaves l = leaves_of(&f);
    int64_t i = (int64_t)blockIdx.x * FIND_THREADS + threadIdx.x;
    if (i >= l.count)
        return;
    for (int32_t at = f.parents[l.count + i]; at >= 0; at = f.parents[at]) {
        __threadfence();
        if (atomicAdd(&f.visits[at], 1u) == 0)
            return;
        __threadfence();
        toi_tree_box *node = f.nodes + at;
        int32_t children[2] = {node->left, node->right};
        float lo[3], hi[3];
        for (int c = 0; c < 2; ++c) {
            const float *from = children[c] < 0 ? l.rows[~children[c]].lo : f.nodes[children[c]].lo;
            for (int k = 0; k < 3; ++k) { // past the first cache, which may be stale
                float low = __ldcg(from + k), high = __ldcg(from + 3 + k);
                lo[k] = c ? fminf(lo[k], low) : low;
                hi[k] = c ? fmaxf(hi[k], high) : high;
            }
        }
        for (int k = 0; k < 3; ++k) {
            node->lo[k] = lo[k];
            node->hi[k] = hi[k];
        }
    }
}

toi_status toi_start_tree(const toi_card *card, const toi_finder *f, toi_complaint *complaint)
{
    int32_t count = leaves_of(f).count;
    if (count < 2)
        return TOI_OK;
    unsigned blocks = (unsigned)(((int64_t)count + FIND_THREADS - 1) / FIND_THREADS);
    TOI_TRY(toi_check_cuda(
        cudaMemsetAsync(f->visits, 0, (size_t)count * sizeof *f->visits, card->stream),
        "clear memory", complaint));
    find_nodes<<<blocks, FIND_THREADS, 0, card->stream>>>(*f);
    fit_nodes<<<blocks, FIND_THREADS, 0, card->stream>>>(*f);
    return TOI_OK;
}

// ---- Going down

struct descent
{
    toi_float_row box;
    int64_t leaf; // only leaves after it count; -1: all
    int depth;
    int32_t stack[STACK];
};

// A child that the box overlaps: is it a leaf, or does it wait?
static __device__ __forceinline__ bool visit(const toi_finder *f, const leaves &l, descent &d,
                                             int32_t child, uint32_t *number)
{
    if ((child < 0 ? ~child : f->lasts[child]) <= d.leaf)
        return false;
    const toi_float_row *at = child < 0 ? l.rows + ~child : (const toi_float_row *)f->nodes + child;
    toi_float_row row = toi_load_row(at);
    bool overlap = toi_rows_overlap(d.box, row);
    if (child >= 0) {
        if (overlap)
            d.stack[d.depth++] = child;
        return false;
    }
    *number = row.number;
    return overlap;
}

static __device__ void descend(const toi_finder *f, const leaves &l, toi_sieve &sieve, int64_t i,
                               bool real)
{
    descent d;
    d.box = toi_load_row(f->rows + (real ? i : 0));
    d.leaf = f->kind == TOI_EDGE_EDGE ? i : -1;
    d.depth = 0;
    if (real && l.count > 1)
        d.stack[d.depth++] = 0;
    if (l.count == 1) { // a leaf and no node
        uint32_t number = 0;
        bool meets = real && visit(f, l, d, ~0, &number);
        sieve.add(meets, d.box.number, number);
    }
    while (__any_sync(TOI_ALL_LANES, d.depth > 0)) {
        bool meets[2] = {false, false};
        uint32_t numbers[2] = {0, 0};
        if (d.depth > 0) {
            int32_t at = d.stack[--d.depth];
            int2 children = *(const int2 *)&f->nodes[at].left;
            meets[0] = visit(f, l, d, children.x, &numbers[0]);
            meets[1] = visit(f, l, d, children.y, &numbers[1]);
        }
        sieve.add(meets[0], d.box.number, numbers[0]);
        sieve.add(meets[1], d.box.number, numbers[1]);
    }
}

static __global__ void __launch_bounds__(FIND_THREADS)
    descend_all(const __grid_constant__ toi_finder f, toi_window window)
{
    __shared__ toi_sieve_room rooms[FIND_WARPS];
    toi_sieve sieve(&f, &rooms[threadIdx.x / TOI_WARP]);
    leaves l = leaves_of(&f);
    toi_count first = (toi_count)blockIdx.x * FIND_THREADS + threadIdx.x - toi_lane();
    toi_count step = (toi_count)gridDim.x * FIND_THREADS;
    for (toi_count at = window.first + first; at < window.last; at += step)
        descend(&f, l, sieve, (int64_t)(at + toi_lane()), at + toi_lane() < window.last);
    sieve.finish();
}

void toi_start_lbvh(const toi_card *card, const toi_finder *f, toi_window window)
{
    unsigned blocks = toi_find_blocks((int64_t)(window.last - window.first), FIND_THREADS);
    descend_all<<<blocks, FIND_THREADS, 0, card->stream>>>(*f, window);
}
