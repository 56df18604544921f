// Where two primitives touch at a known time, and how they move there: docs/exact.md, section 7.

#ifndef TOI_KERNEL_CONTACT_PLACE_H
#define TOI_KERNEL_CONTACT_PLACE_H

#include "kernel/crossing.h"
#include "kernel/distance.h"

typedef struct toi_contact_place
{
    toi_real u, v, speed[3];
    toi_real p[3], e[3], g[3];
    toi_real e_size, g_size; // the largest component at an end of the step
    toi_mask trusted;        // the plane is well defined and the two points named do meet
} toi_contact_place;

// Of one query: the edges E and G of kernel/motion.h at some time, the largest component each has
// at an end of the step, and the relative motion at the place of contact: scaled, and rounded.
typedef struct toi_contact_frame
{
    double e[3], g[3];
    double e_size, g_size;
    double speed[3];
} toi_contact_frame;

// The largest component at either end.
TOI_INLINE toi_real toi_largest_end(toi_real ends[2][3])
{
    toi_real size = toi_max(TOI_SPREAD(0), toi_larger_end(ends, 0));
    size = toi_max(size, toi_larger_end(ends, 1));
    return toi_max(size, toi_larger_end(ends, 2));
}

// u and v from the cross products.
TOI_INLINE void toi_find_contact_place(int edge_edge, toi_pair_motion *m, const toi_real *t,
                                       toi_contact_place *at)
{
    const toi_real zero = TOI_SPREAD(0), one = TOI_SPREAD(1);
    toi_real gap = zero, size = zero;
    toi_plane plane;
    toi_motion_at(m, t, at->p, at->e, at->g);
    at->e_size = toi_largest_end(m->e);
    at->g_size = toi_largest_end(m->g);
    toi_take_plane(at->p, at->e, at->g, &plane);
    toi_mask flat =
        TOI_TEST(plane.w > 0x1p-60 * toi_dot(at->e, at->e) * toi_dot(at->g, at->g) + TOI_TINY);
    at->u = toi_min(toi_max(plane.uw / plane.w, zero), one);
    at->v = toi_max(plane.vw / plane.w, zero);
    at->v = toi_min(at->v, edge_edge ? one : one - at->u);
    toi_take_speed(m, &at->u, &at->v, at->speed);
    for (int k = 0; k < 3; ++k) {
        gap = toi_max(gap, toi_abs(at->p[k] + at->u * at->e[k] + at->v * at->g[k]));
        size = toi_max(size, m->size[k]);
    }
    at->trusted = flat & TOI_TEST(gap <= 0x1p-40 * size);
}

// The same with the closest points where that cannot be trusted: nearly parallel edges, slivers and
// points.
TOI_INLINE void toi_settle_contact_place(int edge_edge, toi_pair_motion *m, const toi_real *t,
                                         toi_contact_place *at)
{
    toi_find_contact_place(edge_edge, m, t, at);
    if (!toi_any(~at->trusted))
        return;
    toi_close_figure(edge_edge, &at->trusted, at->p, at->e, at->g, &at->u, &at->v);
    toi_take_speed(m, &at->u, &at->v, at->speed);
}

#endif
