// The processor's culling of one candidate, for methods that may report what only comes close.

#include "host_cull.h"

#include "ccd/cull.h"

#include <string.h>

toi_cull_pairs_fn toi_cull_pairs_baseline;

bool host_culls(toi_kind kind, const toi_query *query, double separation)
{
    static const int32_t edges[2][2] = {{0, 1}, {2, 3}}, face[1][3] = {{1, 2, 3}};
    toi_moving_vertex corners[4];
    toi_mesh mesh = toi_make_mesh(query->start[0], query->end[0], 4, face[0], 1);
    mesh.edges = (toi_index_view){edges[0], 2, 0};
    memset(corners, 0, sizeof corners);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            corners[c].start[k] = query->start[c][k];
            corners[c].end[k] = query->end[c][k];
        }
    toi_cull_source source = {.mesh = &mesh,
                              .trajectories = corners,
                              .alike = true,
                              .kind = kind,
                              .separation = separation,
                              .t_max = 1};
    toi_pair pair = {0, kind == TOI_EDGE_EDGE ? 1 : 0};
    return toi_cull_pairs_baseline(&source, &pair, 1) == 0;
}
