// Separations: what is asked of a pair, and what a search says of it, in numbers that do not depend
// on the precision of the source that includes this. docs/separation.md. Compiles for the host too.

#ifndef TOI_CUDA_APART_CUH
#define TOI_CUDA_APART_CUH

#include "cuda/frame.cuh"
#include "device/backend.h"

#include <math.h>

struct toi_apart_policy
{
    toi_card_policy asked;
    // What follows from it: a separation is at most base + share d, where d is the distance at
    // t = 0. Swept boxes are enlarged by the radius.
    double base, share, radius;
};

// The separation of a pair, as far as it is known: as base and share above, and at most share d
// where d is at most `inner`.
struct toi_apart_bound
{
    double base, share, inner;
};

enum toi_apart_verdict
{
    TOI_APART_CLEAR,  // farther apart than the separation up to the last time
    TOI_APART_INSIDE, // not farther apart at t = 0; only where share is 0
    TOI_APART_FOUND,  // farther apart up to `lo`; soon after that, it seems, no more
    TOI_APART_STUCK   // this precision cannot tell
};

// What a search says of a pair.
struct toi_apart_found
{
    uint32_t a, b; // slots, the first with TOI_EDGE_BIT
    double lo, guess;
    uint8_t verdict;
    uint8_t feature, start_feature; // closest at lo and at t = 0: numbers of narrow/apart.h
    uint8_t began_inside;           // proved: the distance at t = 0 is at most the least
};

TOI_ON_BOTH bool toi_keeps_apart(const toi_card_policy *asked)
{
    return asked->separation > 0 || asked->relative > 0;
}

// As toi_base_separation() and toi_filter_share() of narrow/narrow.h, and toi_separation_radius()
// of mesh/mesh.h, whose half is rounded up.
TOI_ON_BOTH toi_apart_policy toi_take_policy(const toi_card_policy *asked)
{
    double least = asked->separation, relative = asked->relative, half = 0.5 * least;
    toi_apart_policy p;
    p.asked = *asked;
    p.base = relative > 0 && least > 0 ? (1 - relative) * least + 0x1p-1074 : least;
    p.share = relative > 0 ? fmax(relative, 0x1p-100) : 0;
    p.radius = 2 * half < least ? half + 0x1p-1074 : half;
    return p;
}

TOI_ON_BOTH toi_apart_bound toi_first_bound(const toi_apart_policy *p)
{
    toi_apart_bound bound = {p->base, p->share, p->asked.separation};
    return bound;
}

// A separation that is known.
TOI_ON_BOTH toi_apart_bound toi_known_bound(double separation)
{
    toi_apart_bound bound = {separation, 0, -1};
    return bound;
}

// Up to when they must be proved apart for hits up to t_max: toi_cull_time() of narrow/narrow.h.
TOI_ON_BOTH double toi_look_until(double t_max)
{
    return fmin(fmax(nextafter(t_max, 2.0), 0x1p-100), 1.0);
}

// ---- In the frame

// A length in the frame's unit. A relative separation has roundings, which matter among denormals.
TOI_ON_BOTH double toi_frame_length(const toi_frame *f, double length, const toi_card_policy *asked)
{
    return (length + (asked->relative > 0 ? 0x1p-1073 : 0)) * f->first * f->second;
}

// How far boxes reach beyond their primitive, in the frame's unit, so that no pair is lost
// (docs/cuda.md, section 8). Where two primitives come as close as their separation s <= (1-r)
// d_min + r d(0) at a time t, d(0) <= s + t (way_a + way_b), so s <= d_min + r / (1-r) t (way_a +
// way_b): half of d_min and, at the end of the step, the share of its own way for each of them. All
// is rounded up.
struct toi_box_reach
{
    float half, share;
};

TOI_ON_BOTH toi_box_reach toi_take_box_reach(const toi_frame *f, const toi_card_policy *asked)
{
    const float up = 1 + 0x1p-19f;
    double half = 0.5 * toi_frame_length(f, asked->separation, asked);
    toi_box_reach r;
    r.half = (float)half * up + (asked->separation > 0 ? 0x1p-100f : 0);
    r.share = (float)(asked->relative / (1 - asked->relative)) * up +
              (asked->relative > 0 ? 0x1p-100f : 0);
    return r;
}

// For a primitive whose corners move by `way` at most, and whose coordinates are off by at most
// `off`. A way is off by the double of that on three axes.
TOI_ON_BOTH float toi_reach_for(const toi_box_reach *r, float way, float off)
{
    return (r->half + r->share * (way + 4 * off) + off) * (1 + 0x1p-19f);
}

// Squares that underflow lose less than the last term.
TOI_ON_BOTH float toi_way_of(const float start[3], const float end[3])
{
    float x = end[0] - start[0], y = end[1] - start[1], z = end[2] - start[2];
    return sqrtf(x * x + y * y + z * z) * (1 + 0x1p-20f) + 0x1p-60f;
}

// x - reach and x + reach, rounded outward.
TOI_ON_BOTH float toi_reach_down(float x, float reach)
{
    return (x - reach) - (fabsf(x) + reach) * 0x1p-23f;
}

TOI_ON_BOTH float toi_reach_up(float x, float reach)
{
    return (x + reach) + (fabsf(x) + reach) * 0x1p-23f;
}

// What the separation of a pair is at most in single precision, in the frame's unit: base + share
// d.
struct toi_margin_bound
{
    float base, share;
};

// Coordinates are off by at most `off` on each axis, differences by the double of that: less than 4
// times in length, in d as in what is compared with the margin.
TOI_ON_BOTH toi_margin_bound toi_take_margin_bound(const toi_frame *f, const toi_apart_policy *p,
                                                   float off)
{
    toi_margin_bound bound;
    bound.share = (float)p->share * (1 + 0x1p-20f);
    bound.base = (float)toi_frame_length(f, p->base, &p->asked) * (1 + 0x1p-20f) +
                 off * 4.01f * (1 + bound.share);
    return bound;
}

// ---- Features

// From where the nearest point is.
TOI_ON_BOTH uint8_t toi_feature_of(int edge_edge, double u, double v, int inside)
{
    // By u: inside, 0, 1; the same by v: four bits each, as in simd/turning_lanes.h.
    uint64_t features = edge_edge ? 0x317205648ull : 0x211205246ull;
    int by_u = (u <= 0) + 2 * (u >= 1), by_v = (v <= 0) + 2 * (v >= 1);
    return (uint8_t)(inside ? 8 : features >> (4 * (3 * by_u + by_v)) & 15);
}

// Which corners of a query become the first to the fourth, so that a feature is the corner P, the
// side from P along E, or the inside: two bits each, as in narrow/apart_time_isa.c.
#define TOI_FOUR_CORNERS(a, b, c, d) ((uint64_t)((a) | (b) << 2 | (c) << 4 | (d) << 6))

TOI_ON_BOTH unsigned toi_renamed_corners(int edge_edge, int feature)
{
    const uint64_t same = TOI_FOUR_CORNERS(0, 1, 2, 3);
    const uint64_t faces = same | TOI_FOUR_CORNERS(0, 2, 1, 3) << 8 |
                           TOI_FOUR_CORNERS(0, 3, 1, 2) << 16 | same << 24 | same << 32 |
                           TOI_FOUR_CORNERS(0, 1, 3, 2) << 40 | TOI_FOUR_CORNERS(0, 2, 3, 1) << 48 |
                           same << 56;
    const uint64_t edges = same | TOI_FOUR_CORNERS(1, 0, 2, 3) << 8 |
                           TOI_FOUR_CORNERS(0, 1, 3, 2) << 16 | TOI_FOUR_CORNERS(1, 0, 3, 2) << 24 |
                           same << 32 | TOI_FOUR_CORNERS(2, 3, 0, 1) << 40 |
                           TOI_FOUR_CORNERS(0, 1, 3, 2) << 48 | TOI_FOUR_CORNERS(2, 3, 1, 0) << 56;
    return (unsigned)(feature > 7 ? same : (edge_edge ? edges : faces) >> (8 * feature) & 255);
}

#endif
