// Contact normals on the kernel, from a query and its result.

#include "narrow/normal.h"

#include "kernel/normal.h"
#include "narrow/query_motion.h"

void toi_settle_normal(toi_kind kind, const toi_query *query, const toi_contact_frame *frame,
                       toi_query_result *result)
{
    toi_hit_place at = {query->start[0], query->end[0], result->time, result->u, result->v};
    toi_find_normal(kind == TOI_EDGE_EDGE, &at, frame, result->normal);
}

void toi_set_normal(toi_kind kind, const toi_query *query, toi_query_result *result)
{
    toi_pair_motion m;
    toi_take_motion(kind, query, &m);
    toi_contact_frame c = {.e_size = toi_largest_end(m.e), .g_size = toi_largest_end(m.g)};
    double p[3];
    toi_motion_at(&m, &result->time, p, c.e, c.g);
    toi_take_speed(&m, &result->u, &result->v, c.speed);
    toi_settle_normal(kind, query, &c, result);
}
