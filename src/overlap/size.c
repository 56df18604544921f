// The size of a triangle in closed form, and of a polygon by exchanging corners.

#include "overlap/size.h"

#include <math.h>
#include <stdbool.h>

static double square_between(const double p[3], const double q[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += (p[k] - q[k]) * (p[k] - q[k]);
    return sum;
}

// The squared size from the squared sides. The longest side is the diameter unless all angles are
// acute; then the circumcircle's is a b c / (2 area), 16 area^2 = 4 a^2 b^2 - (a^2 + b^2 - c^2)^2.
// With a <= b <= c that is at least 3 a^2 b^2: nothing cancels.
static double square_of_size(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    double shortest = low < c ? low : c, longest = high < c ? c : high;
    double middle = c < low ? low : c < high ? c : high;
    double rest = (middle - longest) + shortest;
    if (!(rest > 0))
        return longest;
    double share = rest / middle; // times rest / shortest it is at most 1
    return longest / (1 - share * (rest / shortest) / 4);
}

double toi_triangle_size(const double a[3], const double b[3], const double c[3])
{
    return sqrt(square_of_size(square_between(a, b), square_between(b, c), square_between(c, a)));
}

// ---------------------------------------------------------------------------------------------
// Polygons

// The smallest ball around up to three points.
typedef struct ball
{
    int count;
    const double *on[3];
    double center[3];
    double square; // of the radius
} ball;

static bool holds(const ball *b, const double point[3])
{
    return square_between(b->center, point) <= b->square * (1 + 0x1p-40);
}

static ball ball_of_two(const double *p, const double *q)
{
    ball b = {.count = 2, .on = {p, q}};
    for (int k = 0; k < 3; ++k)
        b.center[k] = (p[k] + q[k]) / 2;
    b.square = square_between(p, q) / 4;
    return b;
}

// Around three whose angles are acute: the center in barycentric coordinates, which are a^2 (b^2 +
// c^2 - a^2) and so on.
static ball ball_of_three(const double *p, const double *q, const double *r)
{
    ball b = {.count = 3, .on = {p, q, r}};
    double side[3] = {square_between(q, r), square_between(r, p), square_between(p, q)};
    double weight[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        weight[i] = side[i] * (side[(i + 1) % 3] + side[(i + 2) % 3] - side[i]);
        sum += weight[i];
    }
    for (int k = 0; k < 3; ++k)
        b.center[k] = p[k] + (weight[1] * (q[k] - p[k]) + weight[2] * (r[k] - p[k])) / sum;
    b.square = square_of_size(side[0], side[1], side[2]) / 4;
    return b;
}

// The smallest ball around those that a ball has and one more: two or three of them determine it.
static ball ball_with(const ball *b, const double *point)
{
    ball best = *b;
    bool found = false;
    for (int i = 0; i < b->count; ++i) {
        ball two = ball_of_two(b->on[i], point);
        bool all = true;
        for (int j = 0; j < b->count; ++j)
            all &= holds(&two, b->on[j]);
        if (all && (!found || two.square < best.square)) {
            best = two;
            found = true;
        }
    }
    for (int i = 0; i < b->count && !found; ++i)
        for (int j = 0; j < i; ++j) {
            ball three = ball_of_three(b->on[i], b->on[j], point);
            bool all = true;
            for (int l = 0; l < b->count; ++l)
                all &= holds(&three, b->on[l]);
            if (all && (!found || three.square < best.square)) {
                best = three;
                found = true;
            }
        }
    return best;
}

// The farthest corner joins until none is outside. Radii grow, so it ends. Where corners off the
// plane keep the radius from growing, the ball becomes as large as it must be.
double toi_polygon_size(double (*points)[3], const int32_t *corners, int64_t count)
{
    if (count == 0)
        return 0;
    ball b = {.count = 1, .on = {points[corners[0]]}};
    for (int k = 0; k < 3; ++k)
        b.center[k] = b.on[0][k];
    for (;;) {
        const double *farthest = b.on[0];
        for (int64_t i = 0; i < count; ++i)
            if (square_between(b.center, points[corners[i]]) > square_between(b.center, farthest))
                farthest = points[corners[i]];
        if (holds(&b, farthest))
            return 2 * sqrt(b.square);
        ball next = ball_with(&b, farthest);
        if (!(next.square > b.square))
            return 2 * sqrt(square_between(b.center, farthest));
        b = next;
    }
}
