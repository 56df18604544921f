// What the methods of the literature share: a query made ready, and a hit written down.

#ifndef TOI_NARROW_LITERATURE_H
#define TOI_NARROW_LITERATURE_H

#include "kernel/coplanarity.h"
#include "narrow/narrow.h"
#include "narrow/query_motion.h"

// The query's motion, and the cubic whose roots are the times of coplanarity.
void toi_take_coplanarity(toi_kind kind, const toi_query *query, toi_pair_motion *m, toi_cubic *q);

// The four points of a query as in toi_query, in the motion's scale and seen from one of them.
typedef struct toi_query_points
{
    double start[4][3], velocity[4][3];
} toi_query_points;

void toi_take_points(toi_kind kind, const toi_pair_motion *m, toi_query_points *x);

// The way from point i to point j at both ends of the step.
TOI_INLINE void toi_take_way(const toi_query_points *x, int i, int j, double way[2][3])
{
    for (int k = 0; k < 3; ++k) {
        way[0][k] = x->start[j][k] - x->start[i][k];
        way[1][k] = way[0][k] + (x->velocity[j][k] - x->velocity[i][k]);
    }
}

// When points i and j are closest, in [0, 1].
double toi_closest_time(const toi_query_points *x, int i, int j);

// The pairs of a point and an edge (point, edge's ends) that meet first where the motion is flat or
// a primitive collapses; returns how many.
int toi_point_edge_pairs(toi_kind kind, const int (**pairs)[3]);

// Makes the result a hit at `time`; the place is that at `t`, the time of contact as the method has
// found it.
void toi_report_touch(toi_kind kind, const toi_query *query, const toi_pair_motion *m, double t,
                      double time, toi_query_result *result);

#endif
