// Queries that a direction separates, in single precision: the first rung of `exact`, with the
// operations of the processor's, so that it says the same of each.

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
