// Searches of kernel/turning.h in the lanes of a vector, which are filled again as they finish. The
// source that includes this has said how many lanes of which precision there are, and loads a query
// into one.

#ifndef TOI_SIMD_TURNING_LANES_H
#define TOI_SIMD_TURNING_LANES_H

#include "kernel/turning.h"

#include "narrow/apart_search.h"

// Puts the differences of a query of the source into a lane, scaled, with the sum of their sizes
// and the separation; returns what they were multiplied by, or 0 where this precision cannot hold
// them.
TOI_INLINE double toi_load_turning(int edge_edge, const void *source, int32_t query, int lane,
                                   toi_turning *q);

// A length in a lane's scale: lengths beyond 1024 exceed all that the figure can have.
static inline toi_number toi_lane_length(double length, double scale)
{
    double scaled = length * scale;
    return (toi_number)(scaled < 1024 ? scaled : 1024);
}

TOI_INLINE void toi_put_separation(const toi_apart_query *of, double scale, int lane,
                                   toi_turning *q)
{
    q->base[lane] = toi_lane_length(of->base, scale);
    q->share[lane] = (toi_number)of->share;
    // Not above the true length, which may be less than its rounding.
    q->inner[lane] = toi_lane_length(of->inner, scale) * (1 - 4 * TOI_UNIT) - TOI_TINY;
}

// Not after the time; 0 for -1.
static inline toi_number toi_round_time(double time)
{
    toi_number rounded = (toi_number)time;
    if ((double)rounded > time)
        rounded *= 1 - 2 * TOI_UNIT;
    return rounded > 0 ? rounded : 0;
}

// What is closest, by the numbers of narrow/apart.h: corners, sides, the inside. From a table,
// since branches that follow the data would be guessed wrong.
static inline uint8_t toi_feature_at(int edge_edge, toi_number u, toi_number v, int inside)
{
    // By u: inside, 0, 1; the same by v. A triangle's sides are v = 0, u = 0 and the third.
    static const uint8_t features[2][3][3] = {{{6, 4, 2}, {5, 0, 2}, {1, 1, 2}},
                                              {{8, 4, 6}, {5, 0, 2}, {7, 1, 3}}};
    int by_u = (u <= 0) + 2 * (u >= 1), by_v = (v <= 0) + 2 * (v >= 1);
    uint8_t feature = features[edge_edge][by_u][by_v];
    return inside ? 8 : feature;
}

// The queries that are being searched, and those that wait.
typedef struct toi_turning_lanes
{
    toi_turning q;
    int32_t query[TOI_LANES];
    unsigned active; // a bit for each lane
    const void *source;
    const int32_t *list;
    int64_t count, next; // of the list; the next to be taken
    toi_searched *searched;
} toi_turning_lanes;

// Gives the lane the next query that it can hold, from where it is known to be clear on; those that
// it cannot are left as stuck.
TOI_INLINE void toi_fill_lane(int edge_edge, int lane, toi_turning_lanes *l)
{
    toi_turning *q = &l->q;
    l->active &= ~(1u << lane);
    while (l->next < l->count) {
        int32_t query = l->list[l->next++];
        l->searched[query].verdict = TOI_SEARCH_STUCK;
        if (toi_load_turning(edge_edge, l->source, query, lane, q) > 0) {
            q->clear[lane] = -1;
            q->next[lane] = q->share[lane] > 0 ? 0 : toi_round_time(l->searched[query].lo);
            l->query[lane] = query;
            l->active |= 1u << lane;
            return;
        }
    }
}

static inline void toi_note_lane(int edge_edge, int lane, int verdict, toi_turning_lanes *l)
{
    const toi_turning *q = &l->q;
    toi_searched *of = &l->searched[l->query[lane]];
    of->verdict = (uint8_t)verdict;
    of->start_feature =
        toi_feature_at(edge_edge, q->start_u[lane], q->start_v[lane], q->start_in[lane] != 0);
    of->feature = toi_feature_at(edge_edge, q->u[lane], q->v[lane], q->in[lane] != 0);
    of->began_inside = q->began_inside[lane] != 0;
    of->lo = fmax(of->lo, (double)q->clear[lane]);
    of->guess = fmin(of->lo + (double)q->ahead[lane], (double)q->past[lane]);
}

// `last`: up to here no contact may be missed; rounded up.
TOI_INLINE void toi_search_lanes(int edge_edge, double last, toi_turning_lanes *l)
{
    toi_number rounded = (toi_number)last;
    if ((double)rounded < last)
        rounded *= 1 + 2 * TOI_UNIT;
    toi_real t_max = TOI_SPREAD(rounded);
    for (int lane = 0; lane < TOI_LANES; ++lane)
        toi_fill_lane(edge_edge, lane, l);
    // At most one of the three at a time.
    while (l->active) {
        toi_turned turned = toi_turn(edge_edge, &t_max, &l->q);
        unsigned inside = toi_mask_word(l->q.began_inside & TOI_TEST(l->q.share <= 0));
        unsigned apart = toi_mask_word(turned.apart), found = toi_mask_word(turned.found);
        unsigned done = (inside | apart | found | toi_mask_word(turned.stuck)) & l->active;
        for (; done; done &= done - 1) {
            int lane = __builtin_ctz(done);
            int verdict = TOI_SEARCH_STUCK - (int)(TOI_SEARCH_STUCK * (apart >> lane & 1)) -
                          (int)(2 * (inside >> lane & 1)) - (int)(found >> lane & 1);
            toi_note_lane(edge_edge, lane, verdict, l);
            toi_fill_lane(edge_edge, lane, l);
        }
    }
}

// The queries of l's list, which are the batch's.
TOI_INLINE void toi_search_batch(const toi_narrow_batch *batch, toi_turning_lanes *l)
{
    double last = toi_cull_time(batch->def->t_max);
    if (batch->kind == TOI_EDGE_EDGE)
        toi_search_lanes(1, last, l);
    else
        toi_search_lanes(0, last, l);
}

#endif
