// Most of these have the face (0,0,0) (4,0,0) (0,4,0), or edges along the axes. Three constructions
// recur:
//
// The ramp, the plane z = t x through the y axis, which turns. A point with x = 4t is z - 4t^2
// above it: tangent where z = 4t - 1, at (2 +- sqrt 2) / 4 where z = 4t - 1/2.
//
// The cubic. With f0 = 0, f1 = (1, 4t, bt), f2 = (0, 1, 8t) and the vertex at (1/4 + t/8, 1/4 +
// 3t/2, z) the place on the face is u = 1/4 + t/8, v = 1/4 + t/2 - t^2/2, always inside, if the
// height z - u b t - v 8t = 4t^3 - (4 + b/8) t^2 + ... is zero; b and z are chosen for its roots.
// For edges, a = (0, f1) and b = (vertex, vertex - f2).
//
// The mirror: all corners times 1 - 2t, which turns a shape inside out through a point at t = 1/2.

#include "exact/hand_cases.h"

#include <float.h>
#include <gmp.h>

#define P(x, y, z)                                                                                 \
    {                                                                                              \
        x, y, z                                                                                    \
    }
#define TRIANGLE P(0, 0, 0), P(4, 0, 0), P(0, 4, 0)
#define LIFTED(z) P(0, 0, z), P(4, 0, z), P(0, 4, z)
#define RAMP(z) P(0, -4, 0), P(0, 4, 0), P(4, 0, z)
#define FACE(a, b, c) a, b, c
#define EDGE(a, b) a, b
#define ALONG_X(x0, x1, y, z) P(x0, y, z), P(x1, y, z)
#define ALONG_Y(x, y0, y1, z) P(x, y0, z), P(x, y1, z)

#define VF(reason, x0, face0, x1, face1, contacts, time)                                           \
    {                                                                                              \
        reason, TOI_VERTEX_FACE, {{x0, face0}, {x1, face1}}, contacts, time                        \
    }
#define EE(reason, a0, b0, a1, b1, contacts, time)                                                 \
    {                                                                                              \
        reason, TOI_EDGE_EDGE, {{a0, b0}, {a1, b1}}, contacts, time                                \
    }
#define PE(reason, x0, edge0, x1, edge1, contacts, time)                                           \
    {                                                                                              \
        reason, TOI_POINT_EDGE, {{x0, edge0}, {x1, edge1}}, contacts, time                         \
    }
#define PP(reason, x0, y0, x1, y1, contacts, time)                                                 \
    {                                                                                              \
        reason, TOI_POINT_POINT, {{x0, y0}, {x1, y1}}, contacts, time                              \
    }

#define AT(p, s)                                                                                   \
    {                                                                                              \
        p, 0, 0, s, 0                                                                              \
    }
#define OVER_SUM(p, s, plus)                                                                       \
    {                                                                                              \
        p, 0, 0, s, plus                                                                           \
    }
#define SURD(p, q, r, s)                                                                           \
    {                                                                                              \
        p, q, r, s, 0                                                                              \
    }
#define NEVER                                                                                      \
    {                                                                                              \
        0, 0, 0, 1, 0                                                                              \
    }

#define TINY DBL_TRUE_MIN
#define MOST DBL_MAX
#define ULP 0x1p-52 // of 1

const hand_case hand_cases[] = {
    // ---- A vertex and a face that does not move
    VF("falls through", P(1, 1, 1), TRIANGLE, P(1, 1, -1), TRIANGLE, 1, AT(1, 2)),
    VF("at a third", P(1, 1, 1), TRIANGLE, P(1, 1, -2), TRIANGLE, 1, AT(1, 3)),
    VF("from below", P(1, 1, -1), TRIANGLE, P(1, 1, 6), TRIANGLE, 1, AT(1, 7)),
    VF("leaves at once", P(1, 1, 0), TRIANGLE, P(1, 1, 1), TRIANGLE, 1, AT(0, 1)),
    VF("arrives at the end", P(1, 1, 1), TRIANGLE, P(1, 1, 0), TRIANGLE, 1, AT(1, 1)),
    VF("stops short of it", P(1, 1, 1), TRIANGLE, P(1, 1, TINY), TRIANGLE, 0, NEVER),
    VF("starts just above", P(1, 1, TINY), TRIANGLE, P(1, 1, 1), TRIANGLE, 0, NEVER),
    VF("denormal fall", P(1, 1, TINY), TRIANGLE, P(1, 1, -TINY), TRIANGLE, 1, AT(1, 2)),
    VF("corner 0", P(0, 0, 1), TRIANGLE, P(0, 0, -1), TRIANGLE, 1, AT(1, 2)),
    VF("corner 1", P(4, 0, 1), TRIANGLE, P(4, 0, -1), TRIANGLE, 1, AT(1, 2)),
    VF("corner 2", P(0, 4, 1), TRIANGLE, P(0, 4, -1), TRIANGLE, 1, AT(1, 2)),
    VF("side 01", P(2, 0, 1), TRIANGLE, P(2, 0, -1), TRIANGLE, 1, AT(1, 2)),
    VF("side 02", P(0, 2, 1), TRIANGLE, P(0, 2, -1), TRIANGLE, 1, AT(1, 2)),
    VF("side 12", P(2, 2, 1), TRIANGLE, P(2, 2, -1), TRIANGLE, 1, AT(1, 2)),
    VF("beside 01", P(2, -TINY, 1), TRIANGLE, P(2, -TINY, -1), TRIANGLE, 0, NEVER),
    VF("beside 02", P(-TINY, 2, 1), TRIANGLE, P(-TINY, 2, -1), TRIANGLE, 0, NEVER),
    VF("beside 12", P(2, 2 + 2 * ULP, 1), TRIANGLE, P(2, 2 + 2 * ULP, -1), TRIANGLE, 0, NEVER),
    VF("beside corner 0", P(-TINY, -TINY, 1), TRIANGLE, P(-TINY, -TINY, -1), TRIANGLE, 0, NEVER),
    VF("slanting, over side 12", P(0, 0, 2), TRIANGLE, P(4, 4, -2), TRIANGLE, 1, AT(1, 2)),
    VF("slanting, just beyond", P(0, 0, 2), TRIANGLE, P(4, 4 + 4 * ULP, -2), TRIANGLE, 0, NEVER),
    VF("in the plane, enters", P(-1, 1, 0), TRIANGLE, P(1, 1, 0), TRIANGLE, 1, AT(1, 2)),
    VF("in the plane, crosses", P(-1, 1, 0), TRIANGLE, P(7, 1, 0), TRIANGLE, 1, AT(1, 8)),
    VF("in the plane, by a corner", P(-1, 1, 0), TRIANGLE, P(1, -1, 0), TRIANGLE, 1, AT(1, 2)),
    VF("along a side", P(-1, 0, 0), TRIANGLE, P(7, 0, 0), TRIANGLE, 1, AT(1, 8)),
    VF("along side 12", P(6, -2, 0), TRIANGLE, P(0, 4, 0), TRIANGLE, 1, AT(1, 3)),
    VF("in the plane, beside", P(-1, -1, 0), TRIANGLE, P(7, -1, 0), TRIANGLE, 0, NEVER),
    VF("all but along a side", P(-1, -TINY, 0), TRIANGLE, P(7, -TINY, 0), TRIANGLE, 0, NEVER),
    VF("stays inside", P(1, 1, 0), TRIANGLE, P(1, 2, 0), TRIANGLE, 1, AT(0, 1)),
    VF("goes out", P(1, 1, 0), TRIANGLE, P(9, 9, 0), TRIANGLE, 1, AT(0, 1)),
    VF("leaves from a corner", P(0, 0, 0), TRIANGLE, P(-1, -2, 0), TRIANGLE, 1, AT(0, 1)),
    VF("in the plane to a corner", P(-1, -2, 0), TRIANGLE, P(0, 0, 0), TRIANGLE, 1, AT(1, 1)),
    VF("rests inside", P(1, 1, 0), TRIANGLE, P(1, 1, 0), TRIANGLE, 1, AT(0, 1)),
    VF("rests on a corner", P(0, 4, 0), TRIANGLE, P(0, 4, 0), TRIANGLE, 1, AT(0, 1)),
    VF("rests on side 12", P(1, 3, 0), TRIANGLE, P(1, 3, 0), TRIANGLE, 1, AT(0, 1)),
    VF("rests just above", P(1, 1, TINY), TRIANGLE, P(1, 1, TINY), TRIANGLE, 0, NEVER),
    VF("rests just outside", P(-TINY, 1, 0), TRIANGLE, P(-TINY, 1, 0), TRIANGLE, 0, NEVER),
    VF("parallel to the plane", P(1, 1, 1), TRIANGLE, P(2, 1, 1), TRIANGLE, 0, NEVER),

    // ---- Times and sizes at the ends of the doubles
    VF("2^-1074 / (1 + 2^-1074)", P(1, 1, TINY), TRIANGLE, P(1, 1, -1), TRIANGLE, 1,
       OVER_SUM(TINY, 1, TINY)),
    VF("1 / (1 + 2^-1074)", P(1, 1, 1), TRIANGLE, P(1, 1, -TINY), TRIANGLE, 1,
       OVER_SUM(1, 1, TINY)),
    VF("the last double below 1", P(1, 1, 1 - ULP / 2), TRIANGLE, P(1, 1, -ULP / 2), TRIANGLE, 1,
       AT(1 - ULP / 2, 1)),
    VF("the first double", P(1, 1, TINY), LIFTED(0), P(1, 1, TINY), LIFTED(1), 1, AT(TINY, 1)),
    VF("a third of it", P(1, 1, TINY), LIFTED(0), P(1, 1, TINY), LIFTED(3), 1, AT(TINY, 3)),
    VF("one and a half", P(1, 1, 3 * TINY), LIFTED(0), P(1, 1, 3 * TINY), LIFTED(2), 1,
       AT(3 * TINY, 2)),
    VF("from very far", P(1, 1, 1e300), TRIANGLE, P(1, 1, -1e300), TRIANGLE, 1, AT(1, 2)),
    VF("to very far", P(1, 1, 1), TRIANGLE, P(1, 1, -1e300), TRIANGLE, 1, OVER_SUM(1, 1, 1e300)),
    VF("differences overflow", P(0, 0, MOST),
       FACE(P(-MOST, -MOST, 0), P(MOST, -MOST, 0), P(0, MOST, 0)), P(0, 0, -MOST),
       FACE(P(-MOST, -MOST, 0), P(MOST, -MOST, 0), P(0, MOST, 0)), 1, AT(1, 2)),
    VF("just outside of it", P(MOST, 0, MOST),
       FACE(P(-MOST, -MOST, 0), P(MOST, -MOST, 0), P(0, MOST, 0)), P(MOST, 0, -MOST),
       FACE(P(-MOST, -MOST, 0), P(MOST, -MOST, 0), P(0, MOST, 0)), 0, NEVER),
    VF("denormal, at a third", P(TINY, TINY, TINY),
       FACE(P(0, 0, 0), P(4 * TINY, 0, 0), P(0, 4 * TINY, 0)), P(TINY, TINY, -2 * TINY),
       FACE(P(0, 0, 0), P(4 * TINY, 0, 0), P(0, 4 * TINY, 0)), 1, AT(1, 3)),
    VF("denormal, beside", P(3 * TINY, 2 * TINY, TINY),
       FACE(P(0, 0, 0), P(4 * TINY, 0, 0), P(0, 4 * TINY, 0)), P(3 * TINY, 2 * TINY, -2 * TINY),
       FACE(P(0, 0, 0), P(4 * TINY, 0, 0), P(0, 4 * TINY, 0)), 0, NEVER),
    VF("a needle of a face", P(2, TINY, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, TINY, 0)),
       P(2, TINY, -1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, TINY, 0)), 1, AT(1, 2)),
    VF("beside the needle", P(1, TINY, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, TINY, 0)),
       P(1, TINY, -1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, TINY, 0)), 0, NEVER),
    VF("far from the origin", P(0x1p50 + 1, 1, 1),
       FACE(P(0x1p50, 0, 0), P(0x1p50 + 4, 0, 0), P(0x1p50, 4, 0)), P(0x1p50 + 1, 1, -2),
       FACE(P(0x1p50, 0, 0), P(0x1p50 + 4, 0, 0), P(0x1p50, 4, 0)), 1, AT(1, 3)),

    // ---- Faces that move
    VF("the face falls", P(1, 1, 0), LIFTED(1), P(1, 1, 0), LIFTED(-1), 1, AT(1, 2)),
    VF("both move alike", P(1, 1, 0), LIFTED(0), P(6, 1, 7),
       FACE(P(5, 0, 7), P(9, 0, 7), P(5, 4, 7)), 1, AT(0, 1)),
    VF("both move, apart", P(1, 1, TINY), LIFTED(0), P(1, 1, 1), LIFTED(0), 0, NEVER),
    VF("shares a corner", P(0, 0, 0), TRIANGLE, P(1, 2, 3),
       FACE(P(1, 2, 3), P(4, 0, 9), P(5, 4, 0)), 1, AT(0, 1)),
    VF("comes to a corner", P(0, 0, 2), TRIANGLE, P(1, 2, 3),
       FACE(P(1, 2, 3), P(4, 0, 1), P(5, 4, 1)), 1, AT(1, 1)),
    VF("grows over it", P(0, -1, 0), FACE(P(0, 0, 0), P(0, 0, 0), P(0, 0, 0)), P(0, -1, 0),
       FACE(P(-4, -4, 0), P(4, -4, 0), P(0, 4, 0)), 1, AT(1, 4)),
    VF("mirror, in it twice", P(0, -1, 0), FACE(P(-4, -4, 0), P(4, -4, 0), P(0, 4, 0)), P(0, -1, 0),
       FACE(P(4, 4, 0), P(-4, 4, 0), P(0, -4, 0)), 2, AT(0, 1)),
    VF("mirror, in it once", P(1, 1, 0), TRIANGLE, P(1, 1, 0),
       FACE(P(0, 0, 0), P(-4, 0, 0), P(0, -4, 0)), 1, AT(0, 1)),
    VF("mirror of all: triple root", P(1, 1, 1), TRIANGLE, P(-1, -1, -1),
       FACE(P(0, 0, 0), P(-4, 0, 0), P(0, -4, 0)), 1, AT(1, 2)),
    VF("through the mirror's point", P(0, 0, 1), TRIANGLE, P(0, 0, -1),
       FACE(P(0, 0, 0), P(-4, 0, 0), P(0, -4, 0)), 1, AT(1, 2)),
    VF("beside the mirror's point", P(TINY, 0, 1), TRIANGLE, P(TINY, 0, -1),
       FACE(P(0, 0, 0), P(-4, 0, 0), P(0, -4, 0)), 0, NEVER),
    VF("folds to a segment, on it", P(2, 0, 1), TRIANGLE, P(2, 0, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(0, -4, 0)), 1, AT(1, 2)),
    VF("folds to a segment, beyond it", P(5, 0, 1), TRIANGLE, P(5, 0, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(0, -4, 0)), 0, NEVER),
    VF("folds over a vertex in the plane", P(1, -1, 0), TRIANGLE, P(1, -1, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(0, -4, 0)), 1, AT(2, 3)),

    // ---- Faces without area
    VF("a point of a face", P(1, 1, 1), FACE(P(1, 1, 0), P(1, 1, 0), P(1, 1, 0)), P(1, 1, -1),
       FACE(P(1, 1, 0), P(1, 1, 0), P(1, 1, 0)), 1, AT(1, 2)),
    VF("beside a point of a face", P(1, 1 + ULP, 1), FACE(P(1, 1, 0), P(1, 1, 0), P(1, 1, 0)),
       P(1, 1 + ULP, -1), FACE(P(1, 1, 0), P(1, 1, 0), P(1, 1, 0)), 0, NEVER),
    VF("a segment, f1 = f2", P(2, 0, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(4, 0, 0)), P(2, 0, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 0, 0)), 1, AT(1, 2)),
    VF("a segment, f0 = f1", P(0, 3, 1), FACE(P(0, 0, 0), P(0, 0, 0), P(0, 4, 0)), P(0, 3, -2),
       FACE(P(0, 0, 0), P(0, 0, 0), P(0, 4, 0)), 1, AT(1, 3)),
    VF("a segment, f2 inside", P(3, 0, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), P(3, 0, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), 1, AT(1, 2)),
    VF("a segment, f0 inside", P(-1, 0, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(-2, 0, 0)), P(-1, 0, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(-2, 0, 0)), 1, AT(1, 2)),
    VF("beside a segment", P(2, TINY, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), P(2, TINY, -1),
       FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), 0, NEVER),
    VF("beyond a segment", P(4 + 4 * ULP, 0, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)),
       P(4 + 4 * ULP, 0, -1), FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), 0, NEVER),
    VF("along a segment", P(-1, 0, 0), FACE(P(0, 0, 0), P(2, 0, 0), P(4, 0, 0)), P(7, 0, 0),
       FACE(P(0, 0, 0), P(2, 0, 0), P(4, 0, 0)), 1, AT(1, 8)),
    VF("flattened at t = 1 only, onto it", P(1, 0, 0), FACE(P(0, 0, 1), P(4, 0, 1), P(0, 4, 1)),
       P(1, 0, 0), FACE(P(0, 0, 0), P(4, 0, 0), P(2, 0, 0)), 1, AT(1, 1)),

    // ---- The ramp
    VF("tangent", P(0, 0, -1), RAMP(0), P(4, 0, 3), RAMP(4), 1, AT(1, 2)),
    VF("not quite tangent", P(0, 0, -1 - ULP), RAMP(0), P(4, 0, 3), RAMP(4), 0, NEVER),
    VF("more than tangent", P(0, 0, -1 + 0x1p-40), RAMP(0), P(4, 0, 3), RAMP(4), 2,
       SURD(4 - 0x1p-40, -1, 0x1p-37 + 0x1p-80, 8)),
    VF("tangent beside the face", P(0, 3, -1), RAMP(0), P(4, 3, 3), RAMP(4), 0, NEVER),
    VF("tangent on a side", P(0, 2, -1), RAMP(0), P(4, 2, 3), RAMP(4), 1, AT(1, 2)),
    VF("tangent just beyond a side", P(0, 2 + 2 * ULP, -1), RAMP(0), P(4, 2 + 2 * ULP, 3), RAMP(4),
       0, NEVER),
    VF("tangent at the start", P(0, 0, 0), RAMP(0), P(4, 0, 0), RAMP(4), 1, AT(0, 1)),
    VF("tangent at the end", P(0, 0, -4), RAMP(0), P(4, 0, 4), RAMP(4), 1, AT(1, 1)),
    VF("4t^2 = 2", P(0, 0, 2), RAMP(0), P(4, 0, 2), RAMP(4), 1, SURD(0, 1, 2, 2)),
    VF("4t^2 = 3", P(0, 0, 3), RAMP(0), P(4, 0, 3), RAMP(4), 1, SURD(0, 1, 3, 2)),
    VF("twice, surds", P(0, 0, -0.5), RAMP(0), P(4, 0, 3.5), RAMP(4), 2, SURD(2, -1, 2, 4)),
    VF("first root beyond a side", P(0, 4.5, -0.5), RAMP(0), P(4, -0.5, 3.5), RAMP(4), 1,
       SURD(2, 1, 2, 4)),
    VF("both on a side", P(0, 4, -0.5), RAMP(0), P(4, 0, 3.5), RAMP(4), 2, SURD(2, -1, 2, 4)),
    VF("golden section", P(0, 0, 4), RAMP(0), P(4, 0, 0), RAMP(4), 1, SURD(-1, 1, 5, 2)),
    VF("from the axis and back", P(0, 0, 0), RAMP(0), P(4, 0, 2), RAMP(4), 2, AT(0, 1)),
    VF("a surd that is rational", P(0, 4, 0.75), RAMP(0), P(4, -4, 0.25), RAMP(4), 1,
       SURD(-1, 1, 49, 16)),
    VF("in the ramp all the time", P(-1, 1, 0), FACE(P(0, 0, 0), P(4, 0, 0), P(0, 4, 0)),
       P(3, 1, 1), FACE(P(0, 0, 0), P(4, 0, 0), P(0, 4, 4)), 1, AT(1, 4)),
    VF("in its plane, never on it", P(-1, -1, 0), FACE(P(0, 0, 0), P(4, 0, 0), P(0, 4, 0)),
       P(3, -1, -1), FACE(P(0, 0, 0), P(4, 0, 0), P(0, 4, 4)), 0, NEVER),

    // ---- The cubic
    VF("three times", P(0.25, 0.25, -0.375), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 8.375), FACE(P(0, 0, 0), P(1, 4, 16), P(0, 1, 8)), 3, AT(1, 4)),
    VF("at 0, 1/2 and 1", P(0.25, 0.25, 0), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 8), FACE(P(0, 0, 0), P(1, 4, 16), P(0, 1, 8)), 3, AT(0, 1)),
    VF("1/4, then tangent", P(0.25, 0.25, -0.25), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 5.75), FACE(P(0, 0, 0), P(1, 4, 8), P(0, 1, 8)), 2, AT(1, 4)),
    VF("tangent, then 3/4", P(0.25, 0.25, -0.75), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 11.25), FACE(P(0, 0, 0), P(1, 4, 24), P(0, 1, 8)), 2, AT(1, 2)),
    VF("triple root", P(0.25, 0.25, -0.5), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 8.5), FACE(P(0, 0, 0), P(1, 4, 16), P(0, 1, 8)), 1, AT(1, 2)),
    VF("one root is real", P(0.25, 0.25, -2), FACE(P(0, 0, 0), P(1, 0, 0), P(0, 1, 0)),
       P(0.375, 1.75, 0), FACE(P(0, 0, 0), P(1, 4, -16), P(0, 1, 8)), 1, AT(1, 2)),

    // ---- In a plane, where the side x = t y moves past the vertex
    VF("enters at (3 - sqrt 5) / 2", P(-1, 1, 0), TRIANGLE, P(3, 2, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 4, 0)), 1, SURD(3, -1, 5, 2)),
    VF("out and in again", P(0.1875, 2, 0), TRIANGLE, P(1.1875, 1, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 4, 0)), 2, AT(0, 1)),
    VF("tangent to the side from inside", P(0.25, 2, 0), TRIANGLE, P(1.25, 1, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 4, 0)), 1, AT(0, 1)),
    VF("tangent to the side from outside", P(-0.25, 1, 0), TRIANGLE, P(1.75, 2, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 4, 0)), 1, AT(1, 2)),
    VF("not quite tangent to the side", P(-0.25 - ULP, 1, 0), TRIANGLE, P(1.75, 2, 0),
       FACE(P(0, 0, 0), P(4, 0, 0), P(4, 4, 0)), 0, NEVER),

    // ---- Edges: one falls on the other
    EE("crossed", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, -1),
       ALONG_Y(0, -1, 1, 0), 1, AT(1, 2)),
    EE("at a third", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, -2),
       ALONG_Y(0, -1, 1, 0), 1, AT(1, 3)),
    EE("leaves", ALONG_X(-1, 1, 0, 0), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, 1),
       ALONG_Y(0, -1, 1, 0), 1, AT(0, 1)),
    EE("arrives", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, 0),
       ALONG_Y(0, -1, 1, 0), 1, AT(1, 1)),
    EE("stops short", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, TINY),
       ALONG_Y(0, -1, 1, 0), 0, NEVER),
    EE("an end on a middle", ALONG_X(0, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(0, 1, 0, -1),
       ALONG_Y(0, -1, 1, 0), 1, AT(1, 2)),
    EE("an end on an end", ALONG_X(0, 1, 0, 1), ALONG_Y(0, 0, 1, 0), ALONG_X(0, 1, 0, -1),
       ALONG_Y(0, 0, 1, 0), 1, AT(1, 2)),
    EE("just beyond an end", ALONG_X(TINY, 1, 0, 1), ALONG_Y(0, 0, 1, 0), ALONG_X(TINY, 1, 0, -1),
       ALONG_Y(0, 0, 1, 0), 0, NEVER),
    EE("just beyond the other", ALONG_X(-1, 1, 0, 1), ALONG_Y(1 + ULP, -1, 1, 0),
       ALONG_X(-1, 1, 0, -1), ALONG_Y(1 + ULP, -1, 1, 0), 0, NEVER),
    EE("parallel, overlap", ALONG_X(0, 1, 0, 1), ALONG_X(0.5, 2, 0, 0), ALONG_X(0, 1, 0, -1),
       ALONG_X(0.5, 2, 0, 0), 1, AT(1, 2)),
    EE("antiparallel, overlap", ALONG_X(1, 0, 0, 1), ALONG_X(0.5, 2, 0, 0), ALONG_X(1, 0, 0, -1),
       ALONG_X(0.5, 2, 0, 0), 1, AT(1, 2)),
    EE("parallel, ends meet", ALONG_X(0, 1, 0, 1), ALONG_X(1, 2, 0, 0), ALONG_X(0, 1, 0, -1),
       ALONG_X(1, 2, 0, 0), 1, AT(1, 2)),
    EE("parallel, one ulp between", ALONG_X(0, 1, 0, 1), ALONG_X(1 + ULP, 2, 0, 0),
       ALONG_X(0, 1, 0, -1), ALONG_X(1 + ULP, 2, 0, 0), 0, NEVER),
    EE("parallel, never on one line", ALONG_X(0, 1, TINY, 1), ALONG_X(0, 1, 0, 0),
       ALONG_X(0, 1, TINY, -1), ALONG_X(0, 1, 0, 0), 0, NEVER),
    EE("slides off while it falls", ALONG_X(0, 2, 0, 0), ALONG_X(5, 6, 0, 1), ALONG_X(0, 2, 0, 0),
       ALONG_X(1, 2, 0, -1), 0, NEVER),
    EE("one inside the other's span", ALONG_X(0, 9, 0, 0), ALONG_X(3, 4, 0, 1), ALONG_X(0, 9, 0, 0),
       ALONG_X(3, 4, 0, -2), 1, AT(1, 3)),
    EE("never coplanar", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(2, 4, 3, 1),
       ALONG_Y(0, -1, 1, 0), 0, NEVER),

    // ---- Edges on one line, in one plane
    EE("same line, they meet", ALONG_X(-3, -2, 0, 0), ALONG_X(0, 1, 0, 0), ALONG_X(0, 1, 0, 0),
       ALONG_X(0, 1, 0, 0), 1, AT(2, 3)),
    EE("same line, one passes through", ALONG_X(-3, -2, 0, 0), ALONG_X(0, 1, 0, 0),
       ALONG_X(3, 4, 0, 0), ALONG_X(0, 1, 0, 0), 1, AT(1, 3)),
    EE("same line, apart", ALONG_X(-3, -2, 0, 0), ALONG_X(0, 1, 0, 0), ALONG_X(-4, -1, 0, 0),
       ALONG_X(0, 1, 0, 0), 0, NEVER),
    EE("same line, meet at the end", ALONG_X(-3, -2, 0, 0), ALONG_X(0, 1, 0, 0),
       ALONG_X(-4, 0, 0, 0), ALONG_X(0, 1, 0, 0), 1, AT(1, 1)),
    EE("same line, ends touch for good", ALONG_X(-1, 0, 0, 0), ALONG_X(0, 1, 0, 0),
       ALONG_X(-1, 0, 0, 0), ALONG_X(0, 1, 0, 0), 1, AT(0, 1)),
    EE("same line, part at once", ALONG_X(-1, 0, 0, 0), ALONG_X(0, 1, 0, 0), ALONG_X(-2, -1, 0, 0),
       ALONG_X(0, 1, 0, 0), 1, AT(0, 1)),
    EE("overlap for good", ALONG_X(-1, 1, 0, 0), ALONG_X(0, 2, 0, 0), ALONG_X(-1, 1, 0, 0),
       ALONG_X(0, 2, 0, 0), 1, AT(0, 1)),
    EE("the same edge", EDGE(P(1, 2, 3), P(4, 6, 9)), EDGE(P(1, 2, 3), P(4, 6, 9)),
       EDGE(P(2, 1, 0), P(7, 7, 1)), EDGE(P(2, 1, 0), P(7, 7, 1)), 1, AT(0, 1)),
    EE("the same edge, reversed", EDGE(P(1, 2, 3), P(4, 6, 9)), EDGE(P(4, 6, 9), P(1, 2, 3)),
       EDGE(P(2, 1, 0), P(7, 7, 1)), EDGE(P(7, 7, 1), P(2, 1, 0)), 1, AT(0, 1)),
    EE("a line that turns, apart on it", EDGE(P(0, 0, 0), P(1, 0, 0)), EDGE(P(2, 0, 0), P(3, 0, 0)),
       EDGE(P(0, 0, 0), P(0, 1, 1)), EDGE(P(0, 2, 2), P(0, 3, 3)), 0, NEVER),
    EE("a line that turns, in touch on it", EDGE(P(0, 0, 0), P(2, 0, 0)),
       EDGE(P(2, 0, 0), P(3, 0, 0)), EDGE(P(0, 0, 0), P(0, 2, 2)), EDGE(P(0, 2, 2), P(0, 3, 3)), 1,
       AT(0, 1)),
    EE("crossing, slides out", ALONG_X(0, 4, 0, 0), ALONG_Y(1, -1, 1, 0), ALONG_X(0, 4, 0, 0),
       ALONG_Y(9, -1, 1, 0), 1, AT(0, 1)),
    EE("slides in", ALONG_X(0, 4, 0, 0), ALONG_Y(-1, -1, 1, 0), ALONG_X(0, 4, 0, 0),
       ALONG_Y(2, -1, 1, 0), 1, AT(1, 3)),
    EE("slides by an end", ALONG_X(0, 4, 0, 0), EDGE(P(-1, 1, 0), P(-1, 3, 0)), ALONG_X(0, 4, 0, 0),
       EDGE(P(1, -1, 0), P(1, 1, 0)), 1, AT(1, 2)),
    EE("off and on again", ALONG_X(0, 4, 0, 0), EDGE(P(2, 1, 0), P(2, -3, 0)), ALONG_X(0, 4, 0, 0),
       EDGE(P(2, -3, 0), P(2, 1, 0)), 2, AT(0, 1)),
    EE("an end touches and goes back: two ends", ALONG_X(0, 4, 0, 0),
       EDGE(P(1, -1, 0), P(3, -3, 0)), ALONG_X(0, 4, 0, 0), EDGE(P(1, 3, 0), P(3, -1, 0)), 1,
       AT(1, 4)),
    EE("crossed and still", ALONG_X(-1, 1, 0, 0), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, 0),
       ALONG_Y(0, -1, 1, 0), 1, AT(0, 1)),
    EE("skew and still", ALONG_X(-1, 1, 0, TINY), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, TINY),
       ALONG_Y(0, -1, 1, 0), 0, NEVER),
    EE("coplanar and still, apart", ALONG_X(TINY, 1, 0, 0), ALONG_Y(0, -1, 1, 0),
       ALONG_X(TINY, 1, 0, 0), ALONG_Y(0, -1, 1, 0), 0, NEVER),
    EE("one line for an instant, apart on it", ALONG_X(0, 1, 0, 0), EDGE(P(2, 1, 0), P(3, 2, 0)),
       ALONG_X(0, 1, 0, 0), EDGE(P(2, -1, 0), P(3, -2, 0)), 0, NEVER),
    EE("a shared end", EDGE(P(0, 0, 0), P(1, 0, 0)), EDGE(P(0, 0, 0), P(0, 1, 0)),
       EDGE(P(3, 1, 2), P(1, 0, 5)), EDGE(P(3, 1, 2), P(0, 7, 0)), 1, AT(0, 1)),

    // ---- Edges without length
    EE("a point falls on an edge", ALONG_X(0, 0, 0, 1), ALONG_Y(0, -1, 1, 0), ALONG_X(0, 0, 0, -1),
       ALONG_Y(0, -1, 1, 0), 1, AT(1, 2)),
    EE("an edge falls on a point", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, 0, 0, 0), ALONG_X(-1, 1, 0, -3),
       ALONG_Y(0, 0, 0, 0), 1, AT(1, 4)),
    EE("a point falls beside an edge", ALONG_X(TINY, TINY, 0, 1), ALONG_Y(0, -1, 1, 0),
       ALONG_X(TINY, TINY, 0, -1), ALONG_Y(0, -1, 1, 0), 0, NEVER),
    EE("two points meet", ALONG_X(0, 0, 0, 1), ALONG_Y(0, 0, 0, 0), ALONG_X(0, 0, 0, -1),
       ALONG_Y(0, 0, 0, 0), 1, AT(1, 2)),
    EE("two points do not", ALONG_X(0, 0, 0, 1), ALONG_Y(0, TINY, TINY, 0), ALONG_X(0, 0, 0, -1),
       ALONG_Y(0, TINY, TINY, 0), 0, NEVER),
    EE("a point slides onto an edge", ALONG_X(-1, -1, 0, 0), ALONG_X(0, 1, 0, 0),
       ALONG_X(2, 2, 0, 0), ALONG_X(0, 1, 0, 0), 1, AT(1, 3)),
    EE("two points, the same for good", ALONG_X(1, 1, 2, 3), ALONG_X(1, 1, 2, 3),
       ALONG_X(4, 4, 2, 0), ALONG_X(4, 4, 2, 0), 1, AT(0, 1)),
    EE("mirror: shrinks to a point of b", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0),
       ALONG_X(1, -1, 0, -1), ALONG_Y(0, -1, 1, 0), 1, AT(1, 2)),
    EE("mirror: shrinks beside b", ALONG_X(-1, 1, 0, 1), ALONG_Y(0.5, -1, 1, 0),
       ALONG_X(1, -1, 0, -1), ALONG_Y(0.5, -1, 1, 0), 0, NEVER),
    EE("mirror of all: triple root", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0),
       ALONG_X(1, -1, 0, -1), ALONG_Y(0, 1, -1, 0), 1, AT(1, 2)),
    EE("mirror on one line, on it twice", ALONG_X(-2, 2, 0, 0), ALONG_X(1, 3, 0, 0),
       ALONG_X(2, -2, 0, 0), ALONG_X(1, 3, 0, 0), 2, AT(0, 1)),

    // ---- Edges, the ramp and the cubic
    EE("tangent", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, -1), EDGE(P(0, 0, 0), P(4, 0, 4)),
       ALONG_Y(4, -1, 1, 3), 1, AT(1, 2)),
    EE("not quite tangent", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, -1 - ULP),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 3), 0, NEVER),
    EE("tangent with an end", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, 0, 1, -1),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, 0, 1, 3), 1, AT(1, 2)),
    EE("tangent beyond an end", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, TINY, 1, -1),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, TINY, 1, 3), 0, NEVER),
    EE("tangent at the start", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, 0),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 0), 1, AT(0, 1)),
    EE("tangent at the end", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, -4),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 4), 1, AT(1, 1)),
    EE("twice, surds", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, -0.5),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 3.5), 2, SURD(2, -1, 2, 4)),
    EE("golden section", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, 4),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 0), 1, SURD(-1, 1, 5, 2)),
    EE("from its end and back", EDGE(P(0, 0, 0), P(4, 0, 0)), ALONG_Y(0, -1, 1, 0),
       EDGE(P(0, 0, 0), P(4, 0, 4)), ALONG_Y(4, -1, 1, 2), 2, AT(0, 1)),
    EE("three times", EDGE(P(0, 0, 0), P(1, 0, 0)),
       EDGE(P(0.25, 0.25, -0.375), P(0.25, -0.75, -0.375)), EDGE(P(0, 0, 0), P(1, 4, 16)),
       EDGE(P(0.375, 1.75, 8.375), P(0.375, 0.75, 0.375)), 3, AT(1, 4)),
    EE("tangent, then 3/4", EDGE(P(0, 0, 0), P(1, 0, 0)),
       EDGE(P(0.25, 0.25, -0.75), P(0.25, -0.75, -0.75)), EDGE(P(0, 0, 0), P(1, 4, 24)),
       EDGE(P(0.375, 1.75, 11.25), P(0.375, 0.75, 3.25)), 2, AT(1, 2)),
    EE("triple root", EDGE(P(0, 0, 0), P(1, 0, 0)), EDGE(P(0.25, 0.25, -0.5), P(0.25, -0.75, -0.5)),
       EDGE(P(0, 0, 0), P(1, 4, 16)), EDGE(P(0.375, 1.75, 8.5), P(0.375, 0.75, 0.5)), 1, AT(1, 2)),

    // ---- Edges at the ends of the doubles
    EE("differences overflow", ALONG_X(-MOST, MOST, 0, MOST), ALONG_Y(0, -MOST, MOST, 0),
       ALONG_X(-MOST, MOST, 0, -MOST), ALONG_Y(0, -MOST, MOST, 0), 1, AT(1, 2)),
    EE("denormal, at a third", ALONG_X(-TINY, TINY, 0, TINY), ALONG_Y(0, -TINY, TINY, 0),
       ALONG_X(-TINY, TINY, 0, -2 * TINY), ALONG_Y(0, -TINY, TINY, 0), 1, AT(1, 3)),
    EE("the first double", ALONG_X(-1, 1, 0, TINY), ALONG_Y(0, -1, 1, 0), ALONG_X(-1, 1, 0, TINY),
       ALONG_Y(0, -1, 1, 1), 1, AT(TINY, 1)),
    EE("before the first double", ALONG_X(-1, 1, 0, TINY), ALONG_Y(0, -1, 1, 0),
       ALONG_X(-1, 1, 0, -1), ALONG_Y(0, -1, 1, 0), 1, OVER_SUM(TINY, 1, TINY)),
    EE("after the last below 1", ALONG_X(-1, 1, 0, 1), ALONG_Y(0, -1, 1, 0),
       ALONG_X(-1, 1, 0, -TINY), ALONG_Y(0, -1, 1, 0), 1, OVER_SUM(1, 1, TINY)),
    EE("a needle through a long edge", ALONG_X(-TINY, TINY, 0, 1), ALONG_Y(0, -1e300, 1e300, 0),
       ALONG_X(-TINY, TINY, 0, -4), ALONG_Y(0, -1e300, 1e300, 0), 1, AT(1, 5)),

    // ---- A point and an edge
    PE("crosses", P(2, 1, 1), ALONG_X(0, 4, 0, 0), P(2, -1, -1), ALONG_X(0, 4, 0, 0), 1, AT(1, 2)),
    PE("at a third", P(2, 1, 1), ALONG_X(0, 4, 0, 0), P(2, -2, -2), ALONG_X(0, 4, 0, 0), 1,
       AT(1, 3)),
    PE("passes by", P(2, 1, 1), ALONG_X(0, 4, 0, 0), P(2, -1, -3), ALONG_X(0, 4, 0, 0), 0, NEVER),
    PE("all but crosses", P(2, 1, 1), ALONG_X(0, 4, 0, 0), P(2, -1, -1 - ULP), ALONG_X(0, 4, 0, 0),
       0, NEVER),
    PE("end 0", P(0, 1, 1), ALONG_X(0, 4, 0, 0), P(0, -1, -1), ALONG_X(0, 4, 0, 0), 1, AT(1, 2)),
    PE("end 1", P(4, 0, 1), ALONG_X(0, 4, 0, 0), P(4, 0, -1), ALONG_X(0, 4, 0, 0), 1, AT(1, 2)),
    PE("beyond end 1", P(4 + 4 * ULP, 0, 1), ALONG_X(0, 4, 0, 0), P(4 + 4 * ULP, 0, -1),
       ALONG_X(0, 4, 0, 0), 0, NEVER),
    PE("before end 0", P(-TINY, 0, 1), ALONG_X(0, 4, 0, 0), P(-TINY, 0, -1), ALONG_X(0, 4, 0, 0), 0,
       NEVER),
    PE("along it", P(-1, 0, 0), ALONG_X(0, 4, 0, 0), P(7, 0, 0), ALONG_X(0, 4, 0, 0), 1, AT(1, 8)),
    PE("along its line, away", P(-1, 0, 0), ALONG_X(0, 4, 0, 0), P(-2, 0, 0), ALONG_X(0, 4, 0, 0),
       0, NEVER),
    PE("to its end", P(-1, 0, 0), ALONG_X(0, 4, 0, 0), P(0, 0, 0), ALONG_X(0, 4, 0, 0), 1,
       AT(1, 1)),
    PE("from its end", P(4, 0, 0), ALONG_X(0, 4, 0, 0), P(5, 1, 0), ALONG_X(0, 4, 0, 0), 1,
       AT(0, 1)),
    PE("rests on it", P(1, 0, 0), ALONG_X(0, 4, 0, 0), P(1, 0, 0), ALONG_X(0, 4, 0, 0), 1,
       AT(0, 1)),
    PE("rests on its end", P(4, 0, 0), ALONG_X(0, 4, 0, 0), P(4, 0, 0), ALONG_X(0, 4, 0, 0), 1,
       AT(0, 1)),
    PE("rests beside it", P(1, TINY, 0), ALONG_X(0, 4, 0, 0), P(1, TINY, 0), ALONG_X(0, 4, 0, 0), 0,
       NEVER),
    PE("its own end", P(1, 2, 3), EDGE(P(1, 2, 3), P(0, 4, 1)), P(5, 5, 5),
       EDGE(P(5, 5, 5), P(0, 1, 0)), 1, AT(0, 1)),
    PE("both move alike", P(1, 0, 0), ALONG_X(0, 4, 0, 0), P(1, 5, 7), ALONG_X(0, 4, 5, 7), 1,
       AT(0, 1)),
    PE("no length, met", P(2, 1, 1), ALONG_X(2, 2, 0, 0), P(2, -1, -1), ALONG_X(2, 2, 0, 0), 1,
       AT(1, 2)),
    PE("no length, missed", P(2, 1, 1), ALONG_X(2 + 2 * ULP, 2 + 2 * ULP, 0, 0), P(2, -1, -1),
       ALONG_X(2 + 2 * ULP, 2 + 2 * ULP, 0, 0), 0, NEVER),
    PE("mirror, met in its point", P(0, 1, 1), ALONG_X(-1, 1, 0, 0), P(0, -1, -1),
       ALONG_X(1, -1, 0, 0), 1, AT(1, 2)),
    PE("mirror, beside its point", P(TINY, 1, 1), ALONG_X(-1, 1, 0, 0), P(TINY, -1, -1),
       ALONG_X(1, -1, 0, 0), 0, NEVER),
    PE("mirror on its line, twice", P(1, 0, 0), ALONG_X(-2, 2, 0, 0), P(1, 0, 0),
       ALONG_X(2, -2, 0, 0), 2, AT(0, 1)),
    PE("grows to it", P(2, 0, 0), ALONG_X(0, 1, 0, 0), P(2, 0, 0), ALONG_X(0, 3, 0, 0), 1,
       AT(1, 2)),
    PE("turns round to it", P(-1, 0, 0), ALONG_X(0, 1, 0, 0), P(-1, 0, 0), ALONG_X(0, -3, 0, 0), 1,
       AT(1, 2)),
    PE("turns with it, on it", P(2, 0, 0), EDGE(P(0, 0, 0), P(4, 0, 0)), P(2, 2, 2),
       EDGE(P(0, 0, 0), P(4, 4, 4)), 1, AT(0, 1)),
    PE("turns with it, beyond it", P(6, 0, 0), EDGE(P(0, 0, 0), P(4, 0, 0)), P(6, 6, 6),
       EDGE(P(0, 0, 0), P(4, 4, 4)), 0, NEVER),
    PE("ramp, tangent", P(0, 0, -1), EDGE(P(0, 0, 0), P(4, 0, 0)), P(4, 0, 3),
       EDGE(P(0, 0, 0), P(4, 0, 4)), 1, AT(1, 2)),
    PE("ramp, tangent and crossing", P(0, 1, -1), EDGE(P(0, 0, 0), P(4, 0, 0)), P(4, -1, 3),
       EDGE(P(0, 0, 0), P(4, 0, 4)), 1, AT(1, 2)),
    PE("ramp, tangent and crossing too soon", P(0, 1, -1), EDGE(P(0, 0, 0), P(4, 0, 0)),
       P(4, -3, 3), EDGE(P(0, 0, 0), P(4, 0, 4)), 0, NEVER),
    PE("ramp, twice", P(0, 0, -0.5), EDGE(P(0, 0, 0), P(4, 0, 0)), P(4, 0, 3.5),
       EDGE(P(0, 0, 0), P(4, 0, 4)), 2, SURD(2, -1, 2, 4)),
    PE("ramp, from its end and back", P(0, 0, 0), EDGE(P(0, 0, 0), P(4, 0, 0)), P(4, 0, 2),
       EDGE(P(0, 0, 0), P(4, 0, 4)), 2, AT(0, 1)),
    PE("differences overflow", P(0, 0, MOST), ALONG_X(-MOST, MOST, 0, 0), P(0, 0, -MOST),
       ALONG_X(-MOST, MOST, 0, 0), 1, AT(1, 2)),
    PE("denormal", P(0, TINY, TINY), ALONG_X(-TINY, TINY, 0, 0), P(0, -2 * TINY, -2 * TINY),
       ALONG_X(-TINY, TINY, 0, 0), 1, AT(1, 3)),
    PE("the first double", P(0, 0, TINY), ALONG_X(-1, 1, 0, 0), P(0, 0, TINY), ALONG_X(-1, 1, 0, 1),
       1, AT(TINY, 1)),

    // ---- Two points
    PP("meet", P(1, 2, 3), P(0, 0, 0), P(-1, -2, -3), P(0, 0, 0), 1, AT(1, 2)),
    PP("at a third", P(0, 0, 0), P(1, 0, 0), P(3, 0, 0), P(1, 0, 0), 1, AT(1, 3)),
    PP("both move", P(0, 0, 0), P(1, 1, 1), P(1, 1, 1), P(0, 0, 0), 1, AT(1, 2)),
    PP("the same for good", P(1, 2, 3), P(1, 2, 3), P(1, 2, 3), P(1, 2, 3), 1, AT(0, 1)),
    PP("the same, moving", P(1, 2, 3), P(1, 2, 3), P(4, 5, 6), P(4, 5, 6), 1, AT(0, 1)),
    PP("apart for good", P(1, 2, 3), P(1, 2, 4), P(1, 2, 3), P(1, 2, 4), 0, NEVER),
    PP("apart, moving alike", P(1, 2, 3), P(1, 2, 4), P(5, 2, 3), P(5, 2, 4), 0, NEVER),
    PP("part", P(1, 2, 3), P(1, 2, 3), P(1, 2, 3), P(1, 2, 4), 1, AT(0, 1)),
    PP("arrive", P(1, 2, 3), P(1, 2, 4), P(1, 2, 3), P(1, 2, 3), 1, AT(1, 1)),
    PP("paths cross, times differ", P(0, -1, 0), P(-1, 0, 0), P(0, 1, 0), P(3, 0, 0), 0, NEVER),
    PP("not quite at once", P(0, 0, 0), P(1, 1, 0), P(2, 2 + 2 * ULP, 0), P(1, 1, 0), 0, NEVER),
    PP("a denormal beside", P(0, 0, TINY), P(1, 0, 0), P(3, 0, TINY), P(1, 0, 0), 0, NEVER),
    PP("zero and minus zero", P(0.0, 0, 1), P(-0.0, 0, 0), P(-0.0, 0, -1), P(0.0, 0, 0), 1,
       AT(1, 2)),
    PP("differences overflow", P(-MOST, 0, 0), P(MOST, 0, 0), P(MOST, 0, 0), P(-MOST, 0, 0), 1,
       AT(1, 2)),
    PP("denormal", P(0, 0, 0), P(TINY, 0, 0), P(3 * TINY, 0, 0), P(TINY, 0, 0), 1, AT(1, 3)),
    PP("the first double", P(0, 0, TINY), P(0, 0, 0), P(0, 0, TINY), P(0, 0, 1), 1, AT(TINY, 1)),
    PP("a third of it", P(0, 0, TINY), P(0, 0, 0), P(0, 0, TINY), P(0, 0, 3), 1, AT(TINY, 3)),
    PP("from small to large", P(1e-300, 0, 0), P(0, 0, 0), P(-1e300, 0, 0), P(0, 0, 0), 1,
       OVER_SUM(1e-300, 1e-300, 1e300)),
    PP("at a fifth in one coordinate", P(7, 7, 1), P(7, 7, 0), P(9, 9, -4), P(9, 9, 0), 1,
       AT(1, 5)),
};

const int hand_case_count = (int)(sizeof hand_cases / sizeof *hand_cases);

// With y = x (s + plus) - p, the order of y and q sqrt(r): by signs, else by squares.
int compare_with_surd(double x, const surd *number)
{
    mpq_t y, square, term;
    mpq_inits(y, square, term, NULL);
    mpq_set_d(y, number->s);
    mpq_set_d(term, number->plus);
    mpq_add(y, y, term);
    mpq_set_d(term, x);
    mpq_mul(y, y, term);
    mpq_set_d(term, number->p);
    mpq_sub(y, y, term);
    mpq_set_d(term, number->q);
    mpq_set_d(square, number->r);
    int sign = mpq_sgn(y), root_sign = mpq_sgn(term) * mpq_sgn(square);
    mpq_mul(square, square, term);
    mpq_mul(square, square, term);
    mpq_mul(y, y, y);
    int order = mpq_cmp(y, square);
    order = (order > 0) - (order < 0);
    mpq_clears(y, square, term, NULL);
    if (sign != root_sign)
        return sign > root_sign ? 1 : -1;
    return sign * order;
}
