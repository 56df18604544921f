// Queries that a direction separates, in single precision: the first rung of `exact`, and what is
// culled of candidates before `inclusion-queue`; with the operations of the processor's, so that it
// says the same of each.

#include "cuda/query_filter.cuh"

#include "cuda/queries.cuh"

#include <cstring>

enum
{
    THREADS = 128
};

static __global__ void __launch_bounds__(THREADS) filter(toi_query_part part, double cull_time)
{
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= part.count)
        return;
    toi_query_result result;
    memset(&result, 0, sizeof result);
    int rung = toi_filter_query(part.edge_edge, &part.queries[i], cull_time);
    result.state = TOI_SEPARATED;
    result.time = HUGE_VAL;
    result.rung = (uint8_t)rung;
    part.results[i] = result;
    bool left = rung == TOI_RUNG_NONE;
    toi_count at = toi_take_places(&part.counts->left, left);
    if (left)
        part.left[at] = i;
}

void toi_start_query_filter(const toi_card *card, const toi_query_part *part)
{
    unsigned blocks = (part->count + THREADS - 1) / THREADS;
    double cull_time = toi_list_cull_time(part->t_max, part->all_roots);
    filter<<<blocks, THREADS, 0, card->stream>>>(*part, cull_time);
}

// ---- Candidates

static __device__ __forceinline__ void gather_corner(const toi_gathering *g, int32_t vertex, int c,
                                                     toi_query *query)
{
    const double2 *at = g->positions + 3 * (int64_t)vertex;
    double2 x = at[0], y = at[1], z = at[2];
    query->start[c][0] = x.x;
    query->start[c][1] = x.y;
    query->start[c][2] = y.x;
    query->end[c][0] = y.y;
    query->end[c][1] = z.x;
    query->end[c][2] = z.y;
}

static __global__ void __launch_bounds__(THREADS) gather(toi_gathering g, float separation)
{
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= g.count)
        return;
    uint2 pair = g.pairs[i];
    bool ee = g.edge_edge;
    const int32_t *a = g.edges + 2 * (int64_t)pair.x;
    const int32_t *b = ee ? g.edges + 2 * (int64_t)pair.y : g.faces + 3 * (int64_t)pair.y;
    toi_query query;
    gather_corner(&g, ee ? a[0] : (int32_t)pair.x, 0, &query);
    gather_corner(&g, ee ? a[1] : b[0], 1, &query);
    gather_corner(&g, ee ? b[0] : b[1], 2, &query);
    gather_corner(&g, ee ? b[1] : b[2], 3, &query);
    bool left = !toi_cull_query(ee, &query, separation);
    toi_count at = toi_take_places(g.kept, left);
    if (!left || at >= g.capacity)
        return;
    g.queries[at] = query;
    g.names[at] = pair;
}

void toi_start_gather(const toi_card *card, const toi_gathering *g, double separation)
{
    unsigned blocks = (g->count + THREADS - 1) / THREADS;
    gather<<<blocks, THREADS, 0, card->stream>>>(*g, toi_round_separation(separation));
}
