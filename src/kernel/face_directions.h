// Is there a direction in which one triangle lies wholly above the other? Tried: the mean
// difference, and steps of Gilbert's algorithm from it towards the shortest difference. A direction
// need not be accurate; only the sign of the gap is certified: docs/overlap.md, "Directions".

#ifndef TOI_KERNEL_FACE_DIRECTIONS_H
#define TOI_KERNEL_FACE_DIRECTIONS_H

#include "kernel/orientations.h"

// The part of a direction's component by which the gap along it may come out wrong.
TOI_INLINE void toi_face_slack(toi_real p[TOI_FACE_DIFFERENCES][3], const toi_real *error,
                               toi_real slack[3])
{
    toi_real size[3];
    toi_take_face_size(p, size);
    for (int k = 0; k < 3; ++k)
        slack[k] = (2 * *error + size[k] * (12 * TOI_UNIT)) * (1 + 8 * TOI_UNIT);
}

// All ones where the first lies above the second along d, certainly; `least` is the shortest
// difference of corners along d.
TOI_INLINE toi_mask toi_try_face_direction(toi_real p[TOI_FACE_DIFFERENCES][3],
                                           const toi_real slack[3], const toi_real d[3],
                                           toi_real least[3])
{
    toi_real low = TOI_SPREAD(0), high = toi_dot(d, p[2]), a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = TOI_SPREAD(0);
        b[k] = p[2][k];
    }
    for (int i = 0; i < 2; ++i) {
        toi_real at = toi_dot(d, p[i]);
        toi_mask lower = TOI_TEST(at < low);
        low = toi_min(at, low);
        for (int k = 0; k < 3; ++k)
            a[k] = TOI_SELECT(lower, p[i][k], a[k]);
    }
    for (int i = 3; i < TOI_FACE_DIFFERENCES; ++i) {
        toi_real at = toi_dot(d, p[i]);
        toi_mask higher = TOI_TEST(at > high);
        high = toi_max(at, high);
        for (int k = 0; k < 3; ++k)
            b[k] = TOI_SELECT(higher, p[i][k], b[k]);
    }
    toi_real wrong = TOI_SPREAD(TOI_TINY);
    for (int k = 0; k < 3; ++k) {
        least[k] = a[k] - b[k];
        wrong += toi_abs(d[k]) * slack[k];
    }
    return TOI_TEST(low - high > wrong);
}

// Moves d to the point of the segment from d to `corner` that is closest to the origin.
TOI_INLINE void toi_step_direction(toi_real d[3], const toi_real corner[3])
{
    toi_real step[3];
    for (int k = 0; k < 3; ++k)
        step[k] = corner[k] - d[k];
    toi_real s = -toi_dot(d, step) / (toi_dot(step, step) + TOI_TINY);
    s = toi_min(toi_max(s, TOI_SPREAD(0)), TOI_SPREAD(1));
    for (int k = 0; k < 3; ++k)
        d[k] += s * step[k];
}

// All ones where the mean difference or one of `steps` directions after it separates.
TOI_INLINE toi_mask toi_faces_separated(toi_real p[TOI_FACE_DIFFERENCES][3], const toi_real *error,
                                        int steps)
{
    toi_real slack[3], d[3], least[3];
    toi_face_slack(p, error, slack);
    for (int k = 0; k < 3; ++k)
        d[k] = ((p[0][k] + p[1][k]) - (p[2][k] + p[3][k] + p[4][k])) * (toi_number)(1.0 / 3);
    toi_mask apart = toi_try_face_direction(p, slack, d, least);
    for (int i = 0; i < steps; ++i) {
        toi_step_direction(d, least);
        apart |= toi_try_face_direction(p, slack, d, least);
    }
    return apart;
}

#endif
