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

// Do the boxes of both motions overlap, as they are?
TOI_ON_BOTH bool toi_motions_overlap(int edge_edge, double points[2][4][3])
{
    bool overlap = true;
    for (int k = 0; k < 3; ++k) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 8; ++i) {
            int second = i % 4 >= (edge_edge ? 2 : 1);
            low[second] = fmin(low[second], points[i / 4][i % 4][k]);
            high[second] = fmax(high[second], points[i / 4][i % 4][k]);
        }
        overlap = overlap && low[0] <= high[1] && low[1] <= high[0];
    }
    return overlap;
}

// ---- In the frame

// A length in the frame's unit. A relative separation has roundings, which matter among denormals.
TOI_ON_BOTH double toi_frame_length(const toi_frame *f, double length, const toi_card_policy *asked)
{
    return (length + (asked->relative > 0 ? 0x1p-1073 : 0)) * f->first * f->second;
}

// How far boxes reach beyond their primitive, in the frame's unit: half of d_min, rounded up. With
// a share, boxes in double that are rounded outward tell who is asked about: the last bit of the
// largest coordinate is added. How far positions are off comes on top of it.
TOI_ON_BOTH float toi_box_reach(const toi_frame *f, const toi_card_policy *asked)
{
    double half = 0.5 * toi_frame_length(f, asked->separation, asked);
    double largest = fmax(fmax(fabs(f->origin[0]), fabs(f->origin[1])), fabs(f->origin[2]));
    half += asked->relative > 0 ? 0x1p-51 * (largest + 0x1p11) : 0;
    return (float)half * (1 + 0x1p-19f) + (half > 0 ? 0x1p-100f : 0);
}

TOI_ON_BOTH float toi_reach_for(float reach, float off)
{
    return (reach + off) * (1 + 0x1p-19f);
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

// How far such boxes must stay apart where pairs keep a share of their distance: docs/cuda.md,
// "Separations on the card".
struct toi_box_margin
{
    float unit[3];       // the length of a step of 15 bits
    float less[3];       // what rounding may have added to a gap, negative
    float share, square; // of the distance; its square
    float off;           // what rounding may have taken from a distance, times the share
};

TOI_ON_BOTH toi_box_margin toi_take_box_margin(const toi_frame *f, const toi_apart_policy *p)
{
    toi_box_margin m;
    float sum = 0, reach = toi_box_reach(f, &p->asked);
    for (int k = 0; k < 3; ++k) {
        m.unit[k] = f->steps[k] > 0 ? 1 / f->steps[k] : 0;
        m.less[k] = -1.25f * m.unit[k];
        sum += m.unit[k] * m.unit[k];
    }
    m.share = (float)p->share * (1 + 0x1p-18f);
    m.square = m.share * m.share;
    m.off = m.share * (4 * sqrtf(sum) + 2 * reach + 0x1p-90f);
    return m;
}

// Do boxes stay apart by more than the share of any distance in them? `gap`: in steps, on each
// axis, the smaller one of both ends; `twice`: how far their middles are apart at t = 0, in steps,
// doubled; `radius`: how far at most points of the primitives are from the middles.
TOI_ON_BOTH bool toi_gap_suffices(const toi_box_margin *m, const float gap[3], const float twice[3],
                                  float radius)
{
    float widest = 0, square = 0;
    for (int k = 0; k < 3; ++k) {
        float way = twice[k] * (0.5f * m->unit[k]);
        widest = fmaxf(widest, fmaf(gap[k], m->unit[k], m->less[k]));
        square = fmaf(way, way, square);
    }
    float rest = widest - fmaf(m->share, radius, m->off);
    return rest > 0x1p-50f && rest * rest > square * m->square;
}

// How far the middle of a box at t = 0 is from its corners; `extent` in steps.
TOI_ON_BOTH float toi_box_radius(const toi_box_margin *m, const float extent[3])
{
    float square = 0;
    for (int k = 0; k < 3; ++k) {
        float way = extent[k] * (0.5f * m->unit[k]);
        square = fmaf(way, way, square);
    }
    return sqrtf(square) * (1 + 0x1p-20f) + 0x1p-60f;
}

// The same of the mean of a triangle's corners: on each axis at most a sixth of the extent.
constexpr float TOI_FACE_RADIUS = 0x1.556p-2f; // of the radius of its box; a third

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

// ---- A shorter motion: docs/cuda.md, section 3, "The earliest"

// Boxes at the start that reach as far as corners come are the sharper ones up to such a time.
TOI_ON_BOTH bool toi_is_short(double until, double share)
{
    return until <= 0x1p-4 && share <= 0.5;
}

// How far a corner moves at most, from the square of that in rounded numbers, each off by `off`.
TOI_ON_BOTH float toi_way_of(float square, float off)
{
    return sqrtf(square) * (1 + 0x1p-20f) + 4 * off + 0x1p-60f;
}

// What a box of the start must be enlarged by: `times` the way of its corners, and `off`.
struct toi_short_reach
{
    float times, off, steps[3];
};

TOI_ON_BOTH toi_short_reach toi_take_short_reach(const toi_frame *f, const toi_apart_policy *p,
                                                 double until, float off)
{
    double last = fmax(until, 0x1p-100) * (1 + 0x1p-20) / (1 - p->share);
    toi_short_reach r = {(float)last * (1 + 0x1p-20f), 2 * off, {0, 0, 0}};
    for (int k = 0; k < 3; ++k)
        r.steps[k] = f->steps[k] * (1 + 0x1p-20f);
    return r;
}

// In steps of 15 bits on an axis: rounded up, and one more for what the box's sides are off by.
TOI_ON_BOTH uint32_t toi_short_steps(const toi_short_reach *r, float way, int k)
{
    float steps = (r->times * way + r->off) * r->steps[k] * (1 + 0x1p-20f) + 2;
    return steps < 32767 ? (uint32_t)steps : 32767; // a NaN: no box is apart from it
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
