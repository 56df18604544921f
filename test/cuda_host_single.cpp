// The card's filter in single precision: the same functions in the same order as
// src/cuda/filter.cu.

#define TOI_SINGLE
#include "cuda/stop.cuh"
#include "kernel/corner_signs.h"
#include "kernel/single.h"

#include "cuda_host.h"

bool card_drops(bool edge_edge, const float points[2][4][3], float off, double until)
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
    if (toi_measure_single(&m))
        return false;
    float d[3], slack[3], difference = off * 2.125f, stop = toi_stop_time(until);
    toi_take_slack(&m, &difference, slack);
    if (stop < 1)
        toi_stop_motion(stop, &m);
    toi_mean_direction(edge_edge, &m, d);
    bool apart = false;
    for (int i = 0; i < 4; ++i)
        apart = apart || toi_try_signs(edge_edge, &m, slack, d);
    return apart || toi_signs_separate(edge_edge, &m, slack, d) ||
           (stop == 1 && toi_plane_separates(edge_edge, &m, slack, &difference));
}
