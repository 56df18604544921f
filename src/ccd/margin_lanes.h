// Vectors of pairs that are tried for a direction in which they stay apart by a Euclidean
// separation, two side by side.

#ifndef TOI_CCD_MARGIN_LANES_H
#define TOI_CCD_MARGIN_LANES_H

#include "simd/motion_rows.h" // first: it says how many lanes there are

#include "ccd/cull.h"
#include "kernel/margin.h"
#include "simd/pair_lanes.h"

// A Euclidean separation in single precision.
typedef struct toi_distances
{
    float base, share; // base + share d0, d0 the distance at t = 0
    float inner;       // a distance of two points that proves a pair inside; -1: none does
} toi_distances;

// `off`: how far off corners may be beside their own roundings. docs/separation.md, section 2.
static inline toi_distances toi_take_distances(double separation, double relative, double off)
{
    double base = toi_base_separation(separation, relative) + (1 + relative) * off;
    // Not above the true separation, which may be less than its rounding.
    float inner = (float)(separation - off) * (1 - 4 * TOI_UNIT) - TOI_TINY;
    return (toi_distances){(float)base, (float)relative, relative > 0 ? -1 : inner};
}

TOI_INLINE int toi_count_left(toi_mask apart)
{
    return __builtin_popcount(toi_mask_word(~apart) & ((1u << TOI_LANES) - 1));
}

static inline void toi_set_aside(const toi_pair *from, unsigned lanes, toi_inside_pairs *inside)
{
    inside->count += toi_copy_lanes(from, lanes, inside->pairs + inside->count);
}

// Pairs that are tried together.
typedef struct toi_pair_vector
{
    toi_pair_motion m;
    toi_real separation;
    toi_near_point near;
    toi_real least, lowest[3];
    toi_mask wild;   // not to be trusted
    toi_mask inside; // two points are certainly not farther apart than the separation at t = 0
    toi_mask apart;  // a direction separates
} toi_pair_vector;

// Steps of Gilbert's algorithm follow where the first direction leaves a quarter of the lanes, not
// counting those that are inside.
TOI_INLINE bool toi_are_many_left(const toi_pair_vector *v, int count)
{
    int left = 0;
    for (int i = 0; i < count; ++i)
        left += toi_count_left(v[i].apart | v[i].inside);
    return 4 * left >= count * TOI_LANES;
}

// By more than the Euclidean separation; `inside` counts if that is the same for all pairs.
TOI_INLINE void toi_separate_by_margin(int edge_edge, const toi_distances *d, toi_pair_vector *v,
                                       int count)
{
    toi_real base = TOI_SPREAD(d->base), share = TOI_SPREAD(d->share);
    for (int i = 0; i < count; ++i)
        toi_find_near_point(edge_edge, v[i].m.p[0], v[i].m.e[0], v[i].m.g[0], &v[i].near);
    for (int i = 0; i < count; ++i) {
        v[i].least = toi_take_margin(edge_edge, &v[i].m, &v[i].near, &base, &share);
        v[i].inside = TOI_TEST(toi_near_length(edge_edge, &v[i].m, &v[i].near) <= d->inner);
        v[i].apart = toi_try_margin(edge_edge, &v[i].m, v[i].near.f, &v[i].least, v[i].lowest);
    }
    for (int step = 0; step < 2 && toi_are_many_left(v, count); ++step)
        for (int i = 0; i < count; ++i) {
            toi_gilbert_step(v[i].near.f, v[i].lowest);
            v[i].apart |= toi_try_margin(edge_edge, &v[i].m, v[i].near.f, &v[i].least, v[i].lowest);
        }
}

#endif
