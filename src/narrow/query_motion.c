// Takes the motion of a query, from its coordinates to scaled differences.

#include "narrow/query_motion.h"

#include <string.h>

void toi_take_motion(toi_kind kind, const toi_query *query, toi_pair_motion *m)
{
    double points[2][4][3], shrink;
    memcpy(points[0], query->start, sizeof points[0]);
    memcpy(points[1], query->end, sizeof points[1]);
    if (kind == TOI_EDGE_EDGE)
        toi_take_scaled_motion(1, points, &shrink, m);
    else
        toi_take_scaled_motion(0, points, &shrink, m);
}
