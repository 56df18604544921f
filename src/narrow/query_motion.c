// Takes the motion of a query, from its coordinates to scaled differences.

#include "narrow/query_motion.h"

#include <string.h>

TOI_INLINE void take_motion(int edge_edge, double points[2][4][3], toi_motion *m)
{
    double shrink = 1;
    toi_take_differences(edge_edge, points, &shrink, m);
    if (!(m->largest < TOI_LARGE)) {
        shrink = 0x1p-4;
        toi_take_differences(edge_edge, points, &shrink, m);
    }
    toi_normalise(m);
}

void toi_take_motion(toi_kind kind, const toi_query *query, toi_motion *m)
{
    double points[2][4][3];
    memcpy(points[0], query->start, sizeof points[0]);
    memcpy(points[1], query->end, sizeof points[1]);
    if (kind == TOI_EDGE_EDGE)
        take_motion(1, points, m);
    else
        take_motion(0, points, m);
}
