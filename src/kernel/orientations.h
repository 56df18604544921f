// Two triangles that share no vertex: apart, or through each other, by the signs of the
// orientations of four of their six corners. There are fifteen. Ten that contain one corner are
// determinants of differences from it, the other five are sums of four of these.
//
// A sign counts where its determinant is beyond a bound of all errors. Not all are needed: for the
// rules, why they suffice and the bound see docs/overlap.md, "Signs".

#ifndef TOI_KERNEL_ORIENTATIONS_H
#define TOI_KERNEL_ORIENTATIONS_H

#include "kernel/lanes.h"

// Six times the signed volumes; of the five sums a quarter, so that one bound fits all. Edge i goes
// from corner i to the next.
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
    return 43 * TOI_UNIT * volume + (toi_number)12.5 * *error * area + TOI_TINY;
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
    const toi_number quarter = (toi_number)0.25;
    o->side[0][1] = ((o->side[0][0] - o->turn[0][0]) - (o->turn[0][1] + o->turn[0][2])) * quarter;
    o->side[0][2] = ((o->side[0][0] + o->turn[2][0]) + (o->turn[2][1] + o->turn[2][2])) * quarter;
    for (int j = 0; j < 3; ++j)
        o->turn[1][j] =
            ((o->side[1][(j + 1) % 3] - o->side[1][j]) - (o->turn[0][j] + o->turn[2][j])) * quarter;
}

// How certain something is: the least orientation, in size, that it rests on. "Both of them" is a
// minimum, "one of them" a maximum: so a whole rule takes one comparison with the bound.

// That numbers between `low` and `high`, which are the least and the greatest, have one sign; that
// there are two signs among them.
TOI_INLINE toi_real toi_one_sign(const toi_real *low, const toi_real *high)
{
    return toi_max(*low, -*high);
}

TOI_INLINE toi_real toi_two_signs(const toi_real *low, const toi_real *high)
{
    return toi_min(*high, -*low);
}

// The edges of one triangle against the other one.
typedef struct toi_edges_against
{
    toi_real miss;       // all of them miss it
    toi_real through;    // one goes through it
    toi_real one_side;   // all corners are on one side of its plane
    toi_real other_area; // it has an area
} toi_edges_against;

TOI_INLINE void toi_judge_edges(const toi_orientations *o, int triangle, toi_edges_against *edges)
{
    const toi_real *side = o->side[triangle];
    for (int i = 0; i < 3; ++i) {
        const toi_real *turn[3]; // around the other's edges
        for (int j = 0; j < 3; ++j)
            turn[j] = triangle == 0 ? &o->turn[i][j] : &o->turn[j][i];
        toi_real low = toi_min(toi_min(*turn[0], *turn[1]), *turn[2]);
        toi_real high = toi_max(toi_max(*turn[0], *turn[1]), *turn[2]);
        toi_real below = toi_min(side[i], side[(i + 1) % 3]);
        toi_real above = toi_max(side[i], side[(i + 1) % 3]);
        toi_real miss = toi_max(toi_one_sign(&below, &above), toi_two_signs(&low, &high));
        toi_real through = toi_min(toi_two_signs(&below, &above), toi_one_sign(&low, &high));
        edges->miss = i == 0 ? miss : toi_min(edges->miss, miss);
        edges->through = i == 0 ? through : toi_max(edges->through, through);
    }
    toi_real below = toi_min(toi_min(side[0], side[1]), side[2]);
    toi_real above = toi_max(toi_max(side[0], side[1]), side[2]);
    edges->one_side = toi_one_sign(&below, &above);
    edges->other_area = toi_max(above, -below);
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
    toi_judge_edges(&o, 0, &first);
    toi_judge_edges(&o, 1, &second);
    toi_real certain =
        toi_max(toi_max(first.one_side, second.one_side), toi_min(first.miss, second.miss));
    *apart = TOI_TEST(certain > bound);
    certain = toi_max(toi_min(first.through, second.other_area),
                      toi_min(second.through, first.other_area));
    *crossing = TOI_TEST(certain > bound);
}

#endif
