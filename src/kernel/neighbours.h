// Two triangles that share a vertex, or two, by the signs of determinants of what is seen from
// there: docs/overlap.md, "Neighbours by signs".
//
// Coordinates are at most 1 in size. A sign counts where its determinant is beyond the bound of
// kernel/orientations.h, which is for more than these.

#ifndef TOI_KERNEL_NEIGHBOURS_H
#define TOI_KERNEL_NEIGHBOURS_H

#include "kernel/lanes.h"

// What a determinant of three of these vectors, differences of coordinates, may be off.
TOI_INLINE toi_real toi_neighbour_bound(toi_real p[][3], int count)
{
    toi_real volume = TOI_SPREAD(1);
    for (int k = 0; k < 3; ++k) {
        toi_real size = toi_abs(p[0][k]);
        for (int i = 1; i < count; ++i)
            size = toi_max(size, toi_abs(p[i][k]));
        volume *= size;
    }
    return 43 * TOI_UNIT * volume + TOI_TINY;
}

// They share one vertex; p: the two other corners of the first, and of the second, seen from it.
// `apart`: they have nothing else in common; `overlap`: a segment from it, at least.
TOI_INLINE void toi_judge_at_vertex(toi_real p[4][3], toi_mask *apart, toi_mask *overlap)
{
    toi_real n[3], m[3];
    toi_real bound = toi_neighbour_bound(p, 4);
    toi_cross(p[0], p[1], n);
    toi_cross(p[2], p[3], m);
    // Corners of each against the plane of the other.
    toi_real a0 = toi_dot(m, p[0]), a1 = toi_dot(m, p[1]);
    toi_real b0 = toi_dot(n, p[2]), b1 = toi_dot(n, p[3]);
    toi_real a_low = toi_min(a0, a1), a_high = toi_max(a0, a1);
    toi_real b_low = toi_min(b0, b1), b_high = toi_max(b0, b1);
    toi_mask a_through = TOI_TEST(a_high > bound) & TOI_TEST(a_low < -bound);
    toi_mask b_through = TOI_TEST(b_high > bound) & TOI_TEST(b_low < -bound);
    // Both go through: from the vertex in the same direction, or in opposite ones.
    toi_mask both = a_through & b_through;
    toi_mask same = both & ~(TOI_TEST(b0 > 0) ^ TOI_TEST(a1 > 0));
    *apart = TOI_TEST(a_low > bound) | TOI_TEST(a_high < -bound) | TOI_TEST(b_low > bound) |
             TOI_TEST(b_high < -bound) | (both & ~same);
    *overlap = same;
}

// They share an edge; p: its other end, and the third corners, seen from one end. All ones where
// they have nothing but the edge in common.
TOI_INLINE toi_mask toi_apart_at_edge(toi_real p[3][3])
{
    toi_real n[3];
    toi_cross(p[0], p[1], n);
    return TOI_TEST(toi_abs(toi_dot(n, p[2])) > toi_neighbour_bound(p, 3));
}

#endif
