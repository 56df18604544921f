// The card's rungs with a separation in single precision, as src/cuda/margins.cu has them.

#define TOI_SINGLE
#include "cuda/apart_search.cuh"
#include "kernel/single.h"

#include "cuda_apart.h"

bool card_keeps_margin(bool edge_edge, const float points[2][4][3], const toi_margin_bound *bound,
                       double until)
{
    toi_pair_motion m;
    for (int i = 0; i < 6; ++i) {
        int end = i / 3, k = i % 3;
        float x[4];
        for (int c = 0; c < 4; ++c)
            x[c] = points[end][c][k];
        m.p[end][k] = TOI_P_OF(edge_edge, x);
        m.e[end][k] = TOI_E_OF(edge_edge, x);
        m.g[end][k] = TOI_G_OF(edge_edge, x);
    }
    bool trusted = !toi_measure_single(&m);
    if (until < 1)
        toi_stop_motion(toi_search_until(until), &m);
    return trusted && toi_keeps_margin(edge_edge, &m, bound);
}

double card_searches(bool edge_edge, double points[2][4][3], const toi_apart_policy *policy,
                     double t_max, toi_apart_found *found)
{
    toi_apart_bound bound = toi_first_bound(policy);
    toi_turning q;
    float until = toi_search_until(t_max);
    bool on = toi_begin_search(edge_edge, points, &bound, &q, found);
    while (on)
        on = !toi_step_search(edge_edge, &until, &q, found);
    if (found->verdict != TOI_APART_FOUND || !toi_comes_close(edge_edge, &q, toi_time_after(&q)))
        return INFINITY;
    return toi_time_after(&q);
}
