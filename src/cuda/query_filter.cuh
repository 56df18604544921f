// The first rung of `exact` for one query of a list, in single precision, as the processor climbs
// it (narrow/exact_filter_isa.c). Compiles for the host too, where a test climbs it.

#ifndef TOI_CUDA_QUERY_FILTER_CUH
#define TOI_CUDA_QUERY_FILTER_CUH

#define TOI_SINGLE
#include "kernel/bounds.h"
#include "kernel/single.h"
#include "toi/narrow_phase.h"

// The rung that separates a query up to `cull_time`, or TOI_RUNG_NONE.
TOI_INLINE int toi_filter_query(int edge_edge, const toi_query *query, double cull_time)
{
    double points[2][4][3];
    float separation = 0;
    toi_pair_motion m;
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
    }
    toi_take_single_motion(edge_edge, points, cull_time, &m);
    if (toi_measure_single(&m))
        return TOI_RUNG_NONE;
    if (toi_axes_separated(edge_edge, &m, &separation))
        return TOI_RUNG_AXIS;
    return toi_separated(edge_edge, &m, &separation) ? TOI_RUNG_DIRECTION : TOI_RUNG_NONE;
}

// Does a direction separate a candidate of a scene during the whole step? As the processor culls
// for methods that may report what only comes close (ccd/cull_isa.c): the same pairs, none else.
TOI_INLINE int toi_cull_query(int edge_edge, const toi_query *query, float separation)
{
    double points[2][4][3];
    toi_pair_motion m;
    for (int i = 0; i < 12; ++i) {
        points[0][i / 3][i % 3] = query->start[i / 3][i % 3];
        points[1][i / 3][i % 3] = query->end[i / 3][i % 3];
    }
    toi_take_single_motion(edge_edge, points, 1, &m);
    return !toi_measure_single(&m) && toi_separated(edge_edge, &m, &separation);
}

// Up to when queries are filtered; narrow/narrow.h says why.
static inline double toi_list_cull_time(double t_max, int all_roots)
{
    return all_roots ? 1 : fmin(fmax(nextafter(t_max, 2.0), 0x1p-100), 1.0);
}

#endif
