// What the methods of the literature share: points, cubics, and a hit written down.

#include "narrow/literature/literature.h"

#include "kernel/distance.h"
#include "narrow/normal.h"

void toi_take_coplanarity(toi_kind kind, const toi_query *query, toi_pair_motion *m, toi_cubic *q)
{
    toi_reach reach;
    toi_take_motion(kind, query, m);
    toi_take_reach(m, &reach);
    toi_take_cubic(m, &reach, q);
}

// Vertex-face is seen from the face's first corner, edge-edge from the first end of edge b
// (kernel/motion.h).
static void take_points_at(toi_kind kind, const toi_pair_motion *m, int end, double x[4][3])
{
    bool edges = kind == TOI_EDGE_EDGE;
    for (int k = 0; k < 3; ++k) {
        x[0][k] = m->p[end][k];
        x[1][k] = edges ? m->p[end][k] + m->e[end][k] : 0;
        x[2][k] = edges ? 0 : -m->e[end][k];
        x[3][k] = -m->g[end][k];
    }
}

void toi_take_points(toi_kind kind, const toi_pair_motion *m, toi_query_points *x)
{
    double end[4][3];
    take_points_at(kind, m, 0, x->start);
    take_points_at(kind, m, 1, end);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            x->velocity[i][k] = end[i][k] - x->start[i][k];
}

double toi_closest_time(const toi_query_points *x, int i, int j)
{
    double d[3], v[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = x->start[i][k] - x->start[j][k];
        v[k] = x->velocity[i][k] - x->velocity[j][k];
    }
    return toi_closest_on_segment(d, v);
}

int toi_point_edge_pairs(toi_kind kind, const int (**pairs)[3])
{
    static const int vertex_face[][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}};
    static const int edge_edge[][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
    *pairs = kind == TOI_EDGE_EDGE ? edge_edge : vertex_face;
    return kind == TOI_EDGE_EDGE ? 4 : 3;
}

void toi_report_touch(toi_kind kind, const toi_query *query, const toi_pair_motion *m, double t,
                      double time, toi_query_result *result)
{
    double p[3], e[3], g[3];
    toi_motion_at(m, &t, p, e, g);
    toi_closest place =
        kind == TOI_EDGE_EDGE ? toi_closest_on_square(p, e, g) : toi_closest_on_triangle(p, e, g);
    result->state = TOI_HIT;
    result->time = time;
    result->u = place.u;
    result->v = place.v;
    toi_set_normal(kind, query, result);
}
