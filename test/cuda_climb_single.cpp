// What src/cuda/query_filter.cu computes in single precision, on the host.

#include "cuda/query_filter.cuh"

#include "cuda_climb.h"

int card_filters(bool edge_edge, const toi_query *query, double t_max, bool all_roots)
{
    return toi_filter_query(edge_edge, query, toi_list_cull_time(t_max, all_roots));
}

bool card_culls(bool edge_edge, const toi_query *query, double separation)
{
    return toi_cull_query(edge_edge, query, toi_round_separation(separation));
}
