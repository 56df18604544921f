// Places of hits with a separation, a vector of them at a time: the closest points at a known time
// and the direction between them.

#ifndef TOI_SIMD_APART_LANES_H
#define TOI_SIMD_APART_LANES_H

#include "simd/load_lanes.h" // first: it says how many lanes there are

#include "kernel/apart_place.h"
#include "kernel/contact_place.h"
#include "simd/one_lane.h"

typedef struct toi_apart_lanes
{
    toi_pair_motion motion; // scaled
    toi_apart_place place;
    toi_real normal[3];
    unsigned apart; // a bit for each lane; else the direction is lost in rounding
} toi_apart_lanes;

// From the place to the direction.
TOI_INLINE void toi_direct_lanes(int edge_edge, toi_apart_lanes *l)
{
    if (toi_any(~l->place.trusted)) {
        toi_close_figure(edge_edge, &l->place.trusted, l->place.p, l->place.e, l->place.g,
                         &l->place.u, &l->place.v);
        toi_take_gap(&l->place);
    }
    toi_real length = toi_sqrt(toi_dot(l->place.gap, l->place.gap));
    toi_real size = toi_max(toi_max(l->motion.size[0], l->motion.size[1]), l->motion.size[2]);
    l->apart = toi_mask_word(TOI_TEST(length > 0x1p-45 * size));
    for (int k = 0; k < 3; ++k)
        l->normal[k] = l->place.gap[k] / length + 0.0;
}

// All but the motion, which is there.
TOI_INLINE void toi_place_lanes(int edge_edge, const toi_real *t, toi_apart_lanes *l)
{
    toi_find_apart_place(edge_edge, &l->motion, t, &l->place);
    toi_direct_lanes(edge_edge, l);
}

// What the normal of contact is found from, where the two points are so close that it is wanted.
static inline void toi_take_frame(toi_apart_lanes *l, int lane, toi_contact_frame *frame)
{
    toi_real speed[3], e_size = toi_largest_end(l->motion.e), g_size = toi_largest_end(l->motion.g);
    toi_take_speed(&l->motion, &l->place.u, &l->place.v, speed);
    *frame = (toi_contact_frame){.e_size = e_size[lane], .g_size = g_size[lane]};
    toi_pick_lane(l->place.e, lane, frame->e);
    toi_pick_lane(l->place.g, lane, frame->g);
    toi_pick_lane(speed, lane, frame->speed);
}

#endif
