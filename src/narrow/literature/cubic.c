// The plain cubic solver (Provot 1997; Bridson, Fedkiw, Anderson 2002; openCCD works alike): roots
// of the coplanarity cubic and barycentric coordinates in double, with the usual fixed tolerance
// and no thought of errors. Here as the common practice that the other methods are measured
// against.

#include "kernel/crossing.h"
#include "kernel/roots.h"
#include "narrow/literature/literature.h"

// How far outside still counts as inside, in barycentric coordinates: the 1e-6 that Bridson et al.
// allow for rounding.
#define INSIDE_TOLERANCE 1e-6

// Roots are found to about the precision of a double.
#define ROOT_TOLERANCE 0x1p-50

// F = p + u e + v g = 0 solved for (u, v) in the plane of e and g. A face or a pair of edges
// without a plane holds nothing.
static bool is_inside(bool edges, const toi_pair_motion *m, double t)
{
    double p[3], e[3], g[3];
    toi_plane at;
    toi_motion_at(m, &t, p, e, g);
    toi_take_plane(p, e, g, &at);
    if (!(at.w > 0))
        return false;
    double u = at.uw / at.w, v = at.vw / at.w;
    double least = -INSIDE_TOLERANCE, most = 1 + INSIDE_TOLERANCE;
    return u >= least && v >= least && (edges ? u <= most && v <= most : u + v <= most);
}

static void solve_query(const toi_narrow_batch *batch, const toi_query *query,
                        toi_query_result *result)
{
    toi_pair_motion m;
    toi_cubic q;
    toi_take_coplanarity(batch->kind, query, &m, &q);
    if (q.c[0] == 0 && q.c[1] == 0 && q.c[2] == 0 && q.c[3] == 0)
        return;
    bool edges = batch->kind == TOI_EDGE_EDGE, all = batch->def->all_roots;
    double times[TOI_MOST_TIMES], first = INFINITY, last = -1;
    int count = toi_root_times(&q, ROOT_TOLERANCE, 0, times);
    for (int i = 0; i < count && (all || first == INFINITY); ++i) {
        if (times[i] - last <= 2 * ROOT_TOLERANCE || !is_inside(edges, &m, times[i]))
            continue;
        first = toi_min(first, times[i]);
        last = times[i];
        result->contacts += all;
    }
    if (first <= batch->def->t_max)
        toi_report_touch(batch->kind, query, &m, first, first, result);
}

void toi_solve_cubic(const toi_narrow_batch *batch)
{
    for (int64_t i = 0; i < batch->count; ++i) {
        batch->results[i] = (toi_query_result){.state = TOI_SEPARATED, .time = INFINITY};
        solve_query(batch, &batch->queries[i], &batch->results[i]);
    }
}
