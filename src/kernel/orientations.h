// Two triangles that share no vertex: apart, or through each other, by the signs of the
// orientations of four of their six corners. There are fifteen. Ten that contain one corner are
// determinants of differences from it, the other five are sums of four of these.
//
// A sign counts where its determinant is beyond a bound of all errors. Not all are needed: for the
// rules, why they suffice and the bound see docs/overlap.md, "Signs".

#ifndef TOI_KERNEL_ORIENTATIONS_H
#define TOI_KERNEL_ORIENTATIONS_H

#include "kernel/lanes.h"

// Six times the signed volumes. Corner, edge: edge i goes from corner i to the next.
typedef struct toi_orientations
{
    toi_real side[2][3]; // of each corner, against the plane of the other triangle
    toi_real turn[3][3]; // of each edge of the first around each edge of the second
} toi_orientations;

// Differences from the first corner of the first: of its other two, then of the second's three.
enum
{
    TOI_FACE_DIFFERENCES = 5
};

TOI_INLINE void toi_take_differences(toi_real x[2][3][3], toi_real p[TOI_FACE_DIFFERENCES][3])
{
    for (int i = 0; i < TOI_FACE_DIFFERENCES; ++i)
        for (int k = 0; k < 3; ++k)
            p[i][k] = (i < 2 ? x[0][i + 1][k] : x[1][i - 2][k]) - x[0][0][k];
}

// The largest of them on each axis.
TOI_INLINE void toi_take_face_size(toi_real p[TOI_FACE_DIFFERENCES][3], toi_real size[3])
{
    for (int k = 0; k < 3; ++k) {
        size[k] = toi_abs(p[0][k]);
        for (int i = 1; i < TOI_FACE_DIFFERENCES; ++i)
            size[k] = toi_max(size[k], toi_abs(p[i][k]));
    }
}

// What an orientation may be off, if coordinates are off by `error`.
TOI_INLINE toi_real toi_orientation_bound(toi_real p[TOI_FACE_DIFFERENCES][3],
                                          const toi_real *error)
{
    toi_real size[3];
    toi_take_face_size(p, size);
    for (int k = 0; k < 3; ++k)
        size[k] += 2 * *error;
    toi_real area = size[0] * size[1], volume = area * size[2];
    area += (size[0] + size[1]) * size[2];
    return 241 * TOI_UNIT * volume + 49 * *error * area + TOI_TINY;
}

TOI_INLINE void toi_take_orientations(toi_real p[TOI_FACE_DIFFERENCES][3], toi_orientations *o)
{
    toi_real n[3], m[3][3];
    toi_cross(p[0], p[1], n);
    for (int j = 0; j < 3; ++j) {
        toi_cross(p[2 + j], p[2 + (j + 1) % 3], m[j]);
        o->side[1][j] = toi_dot(n, p[2 + j]);
        o->turn[0][j] = toi_dot(p[0], m[j]);
        o->turn[2][j] = -toi_dot(p[1], m[j]);
    }
    o->side[0][0] = toi_dot(p[2], m[1]);
    o->side[0][1] = (o->side[0][0] - o->turn[0][0]) - (o->turn[0][1] + o->turn[0][2]);
    o->side[0][2] = (o->side[0][0] + o->turn[2][0]) + (o->turn[2][1] + o->turn[2][2]);
    for (int j = 0; j < 3; ++j)
        o->turn[1][j] = (o->side[1][(j + 1) % 3] - o->side[1][j]) - (o->turn[0][j] + o->turn[2][j]);
}

// Three signs: all certain and the same; two of them certain and opposite.
typedef struct toi_three_signs
{
    toi_mask same, mixed;
} toi_three_signs;

TOI_INLINE toi_three_signs toi_compare_signs(toi_real a, toi_real b, toi_real c,
                                             const toi_real *bound)
{
    toi_real low = toi_min(toi_min(a, b), c), high = toi_max(toi_max(a, b), c);
    toi_three_signs signs;
    signs.same = TOI_TEST(low > *bound) | TOI_TEST(high < -*bound);
    signs.mixed = TOI_TEST(high > *bound) & TOI_TEST(low < -*bound);
    return signs;
}

// The edges of one triangle against the other: do all miss it, does one go through it?
typedef struct toi_edges_against
{
    toi_mask miss, through, apart; // apart: all corners on one side of the other's plane
    toi_mask other_area;           // the other one certainly has an area
} toi_edges_against;

TOI_INLINE void toi_judge_edges(const toi_orientations *o, int triangle, const toi_real *bound,
                                toi_edges_against *edges)
{
    toi_mask above[3], below[3];
    const toi_real *side = o->side[triangle];
    for (int i = 0; i < 3; ++i) {
        above[i] = TOI_TEST(side[i] > *bound);
        below[i] = TOI_TEST(side[i] < -*bound);
    }
    edges->apart = (above[0] & above[1] & above[2]) | (below[0] & below[1] & below[2]);
    edges->other_area = above[0] | above[1] | above[2] | below[0] | below[1] | below[2];
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3;
        toi_three_signs turns =
            triangle == 0 ? toi_compare_signs(o->turn[i][0], o->turn[i][1], o->turn[i][2], bound)
                          : toi_compare_signs(o->turn[0][i], o->turn[1][i], o->turn[2][i], bound);
        toi_mask one_side = (above[i] & above[next]) | (below[i] & below[next]);
        toi_mask two_sides = (above[i] & below[next]) | (below[i] & above[next]);
        toi_mask miss = one_side | turns.mixed, through = two_sides & turns.same;
        edges->miss = i == 0 ? miss : edges->miss & miss;
        edges->through = i == 0 ? through : edges->through | through;
    }
}

// `apart`: they have no point in common; `crossing`: a segment inside both. Coordinates are at most
// 1 in size, and off by `error` at most. Neither where signs are not certain.
TOI_INLINE void toi_judge_faces(toi_real p[TOI_FACE_DIFFERENCES][3], const toi_real *error,
                                toi_mask *apart, toi_mask *crossing)
{
    toi_orientations o;
    toi_edges_against first, second;
    toi_real bound = toi_orientation_bound(p, error);
    toi_take_orientations(p, &o);
    toi_judge_edges(&o, 0, &bound, &first);
    toi_judge_edges(&o, 1, &bound, &second);
    *apart = first.apart | second.apart | (first.miss & second.miss);
    *crossing = (first.through & second.other_area) | (second.through & first.other_area);
}

#endif
