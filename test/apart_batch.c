// The processor's ladder with a separation, for tests in C++.

#include "apart_batch.h"

#include "broad/layout/layout.h"
#include "mesh/mesh.h"
#include "narrow/narrow.h"

#include <stdlib.h>

void solve_apart_batch(const apart_batch *batch, const toi_query *queries, int64_t count,
                       toi_query_result *results)
{
    toi_narrow_def def = toi_default_narrow_def();
    def.min_separation = batch->separation;
    def.t_max = batch->t_max;
    toi_narrow_batch all = {.def = &def,
                            .kind = batch->kind,
                            .count = count,
                            .queries = queries,
                            .relative = batch->share,
                            .results = results,
                            .scratch =
                                toi_take(NULL, 1, (size_t)toi_narrow_scratch_bytes(def.method))};
    if (!all.scratch)
        abort();
    toi_narrow_solver(def.method)(&all);
    toi_give_back(all.scratch);
}

bool are_boxes_near(toi_kind kind, const toi_query *query, double separation)
{
    static const int32_t face[3] = {1, 2, 3}, edges[2][2] = {{0, 1}, {2, 3}};
    toi_mesh mesh = toi_make_mesh(query->start[0], query->end[0], 4, face, 1);
    toi_edge_array pairs = {(int32_t(*)[2])edges, 2};
    toi_box a, b;
    bool ee = kind == TOI_EDGE_EDGE;
    double radius = toi_separation_radius(separation);
    mesh.edges = toi_view_edges(&pairs);
    toi_swept_box(&mesh, ee ? TOI_EDGE : TOI_VERTEX, 0, radius, &a);
    toi_swept_box(&mesh, ee ? TOI_EDGE : TOI_FACE, ee ? 1 : 0, radius, &b);
    return toi_boxes_overlap(&a, &b);
}
