// Compares the distance of two triangles with two limits: a few steps towards the closest points,
// which bound the distance on both sides, and where these do not decide, all features.
//
// The distance of two triangles that do not intersect is that of a corner of one and the other
// triangle, or of two sides. Those that intersect have distance 0.

#include "overlap/near.h"

#include "kernel/distance.h"

#include <math.h>

enum
{
    STEPS = 12
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The difference of a corner of b and one of a that lies least far along a direction.
static void find_support(double a[3][3], double b[3][3], const double v[3], double w[3])
{
    const double *p = a[0], *q = b[0];
    double highest = dot(v, p), lowest = dot(v, q);
    for (int i = 1; i < 3; ++i) {
        double at_a = dot(v, a[i]), at_b = dot(v, b[i]);
        p = at_a > highest ? a[i] : p;
        highest = at_a > highest ? at_a : highest;
        q = at_b < lowest ? b[i] : q;
        lowest = at_b < lowest ? at_b : lowest;
    }
    for (int k = 0; k < 3; ++k)
        w[k] = q[k] - p[k];
}

// v is always the difference of a point of b and one of a, so its length is no less than the
// distance; all differences lie beyond the plane through w across v, so v.w / |v| is no more.
static bool step_closer(double a[3][3], double b[3][3], toi_limits limits,
                        toi_nearness_class *found)
{
    double v[3], w[3];
    for (int k = 0; k < 3; ++k)
        v[k] = ((b[0][k] - a[0][k]) + (b[1][k] - a[1][k]) + (b[2][k] - a[2][k])) / 3;
    for (int step = 0; step < STEPS; ++step) {
        double square = dot(v, v), length = sqrt(square);
        *found = TOI_NEAR_QUARTER;
        if (length <= limits.quarter)
            return true;
        find_support(a, b, v, w);
        double least = dot(v, w) / length;
        *found = least > limits.half ? TOI_NEAR_NOT : TOI_NEAR_HALF;
        if (least > limits.half || (least > limits.quarter && length <= limits.half))
            return true;
        double to[3] = {w[0] - v[0], w[1] - v[1], w[2] - v[2]}, way = dot(to, to);
        double share = way > 0 ? fmin(fmax(-dot(v, to) / way, 0), 1) : 0;
        for (int k = 0; k < 3; ++k)
            v[k] += share * to[k];
    }
    return false;
}

// The distance of a feature of each: a corner of one and the other, or two sides.
static double feature_distance(int edge_edge, const double *p0, const double *p1, const double *p2,
                               const double *p3)
{
    const double *from[4] = {p0, p1, p2, p3};
    double points[4][3];
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            points[c][k] = from[c][k];
    toi_standing s;
    toi_take_standing(edge_edge, points, &s);
    toi_closest closest =
        edge_edge ? toi_closest_on_square(s.p, s.e, s.g) : toi_closest_on_triangle(s.p, s.e, s.g);
    return toi_given_length(&s, sqrt(closest.square));
}

static double distance_of_features(const toi_corner_view *a, const toi_corner_view *b)
{
    double least = HUGE_VAL;
    const double *const *p = a->corner, *const *q = b->corner;
    for (int i = 0; i < 3; ++i) {
        least = fmin(least, feature_distance(0, p[i], q[0], q[1], q[2]));
        least = fmin(least, feature_distance(0, q[i], p[0], p[1], p[2]));
        for (int j = 0; j < 3; ++j)
            least = fmin(least, feature_distance(1, p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]));
    }
    return least;
}

toi_nearness_class toi_compare_faces(const toi_corner_view *a, const toi_corner_view *b,
                                     toi_limits limits)
{
    toi_nearness_class found;
    double p[3][3], q[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) { // from a corner, so that a far origin costs nothing
            p[i][k] = a->corner[i][k] - a->corner[0][k];
            q[i][k] = b->corner[i][k] - a->corner[0][k];
        }
    if (step_closer(p, q, limits, &found))
        return found;
    double distance = distance_of_features(a, b);
    bool exact;
    if (distance <= limits.quarter || toi_classify_faces(a, b, &exact) != TOI_OVERLAP_CLASS_COUNT)
        return TOI_NEAR_QUARTER;
    return distance <= limits.half ? TOI_NEAR_HALF : TOI_NEAR_NOT;
}
