// Searches of kernel/turning.h in the lanes of a vector, which are filled again as they finish,
// from others that wait in lanes of their own: so all numbers of a query move at once. The source
// that includes this has said how many lanes of which precision there are, and loads queries into
// them.

#ifndef TOI_SIMD_TURNING_LANES_H
#define TOI_SIMD_TURNING_LANES_H

#include "kernel/turning.h"

#include "narrow/apart_search.h"

// Puts the differences of so many queries of the source into lanes, scaled, with the sums of their
// sizes and the separations; `scale` is what they were multiplied by, or 0 where this precision
// cannot hold them.
TOI_INLINE void toi_load_turning(int edge_edge, const void *source, const int32_t *queries,
                                 int count, toi_turning *q, double scale[TOI_LANES]);

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
    toi_turning pool;
    const int32_t *pool_query; // of each lane of it
    unsigned waiting;          // a bit for each that is still to be searched
    const void *source;
    const int32_t *list;
    int64_t count, next; // of the list; the next to be loaded
    toi_searched *searched;
} toi_turning_lanes;

// What is closest at t = 0 is asked for where that distance is.
static inline void toi_note_start(int edge_edge, const toi_turning *q, int lane, bool relative,
                                  toi_searched *of)
{
    if (relative)
        of->start_feature =
            toi_feature_at(edge_edge, q->start_u[lane], q->start_v[lane], q->start_in[lane] != 0);
    of->began_inside = q->began_inside[lane] != 0;
}

static inline void toi_note_lane(int edge_edge, const toi_turning *q, int lane,
                                 toi_search_verdict verdict, toi_searched *of)
{
    of->verdict = (uint8_t)verdict;
    of->feature = toi_feature_at(edge_edge, q->u[lane], q->v[lane], q->in[lane] != 0);
    double clear = (double)q->clear[lane], past = (double)q->past[lane];
    of->lo = clear > of->lo ? clear : of->lo;
    double guess = of->lo + (double)q->ahead[lane];
    of->guess = guess < past ? guess : past;
}

// Takes the first step of the next queries, and notes those that it ends. Those that cannot be held
// are left as stuck.
TOI_INLINE void toi_load_pool(int edge_edge, const toi_real *t_max, toi_turning_lanes *l)
{
    toi_turning *pool = &l->pool;
    double scale[TOI_LANES];
    int count = l->count - l->next < TOI_LANES ? (int)(l->count - l->next) : TOI_LANES;
    l->pool_query = l->list + l->next;
    l->next += count;
    toi_load_turning(edge_edge, l->source, l->pool_query, count, pool, scale);
    for (int i = 0; i < count; ++i)
        pool->next[i] = pool->share[i] > 0 ? 0 : toi_round_time(l->searched[l->pool_query[i]].lo);
    pool->clear = TOI_SPREAD(-1);
    toi_turned turned = toi_turn_lanes(edge_edge, TOI_ALL_BEGIN, t_max, pool);
    toi_mask inside = pool->began_inside & TOI_TEST(pool->share <= 0);
    bool relative = toi_any(TOI_TEST(pool->share > 0));
    for (int i = 0; i < count; ++i) {
        toi_searched *of = &l->searched[l->pool_query[i]];
        toi_search_verdict verdict = turned.apart[i]   ? TOI_SEARCH_APART
                                     : inside[i]       ? TOI_SEARCH_INSIDE
                                     : turned.found[i] ? TOI_SEARCH_FOUND
                                                       : TOI_SEARCH_STUCK;
        bool done = verdict != TOI_SEARCH_STUCK || turned.stuck[i];
        of->verdict = TOI_SEARCH_STUCK;
        if (!(scale[i] > 0))
            continue;
        toi_note_start(edge_edge, pool, i, relative, of);
        if (done)
            toi_note_lane(edge_edge, pool, i, verdict, of);
        l->waiting |= (done ? 0u : 1u) << i;
    }
}

// Lane i becomes lane from[i] of those that wait, where `into` is set. What only the first step
// needs stays behind.
TOI_INLINE void toi_move_lanes(const toi_turning *pool, toi_mask from, toi_mask into,
                               toi_turning *q)
{
#define MOVE(x) q->x = TOI_SELECT(into, toi_permute(pool->x, from), q->x)
    for (int k = 0; k < 3; ++k) {
        for (int end = 0; end < 2; ++end) {
            MOVE(p[end][k]);
            MOVE(e[end][k]);
            MOVE(g[end][k]);
        }
        MOVE(n[k]);
    }
    MOVE(total);
    MOVE(separation);
    MOVE(clear);
    MOVE(distance);
    MOVE(slope);
    MOVE(u);
    MOVE(v);
    MOVE(next);
    MOVE(past);
    MOVE(piece);
    MOVE(ahead);
    MOVE(steps);
#undef MOVE
    q->in = (into & (toi_mask)toi_permute((toi_real)pool->in, from)) | (~into & q->in);
}

// Gives idle lanes the next queries, from where they are known to be clear on.
TOI_INLINE void toi_fill_lanes(int edge_edge, const toi_real *t_max, toi_turning_lanes *l)
{
    unsigned idle = ~l->active & ((1u << TOI_LANES) - 1);
    while (idle && (l->waiting || l->next < l->count)) {
        toi_bits from[TOI_LANES] = {0}, into[TOI_LANES] = {0};
        toi_mask from_lanes, into_lanes;
        if (!l->waiting)
            toi_load_pool(edge_edge, t_max, l);
        for (; idle && l->waiting; idle &= idle - 1, l->waiting &= l->waiting - 1) {
            int lane = __builtin_ctz(idle), place = __builtin_ctz(l->waiting);
            from[lane] = place;
            into[lane] = -1;
            l->query[lane] = l->pool_query[place];
            l->active |= 1u << lane;
        }
        memcpy(&from_lanes, from, sizeof from_lanes);
        memcpy(&into_lanes, into, sizeof into_lanes);
        toi_move_lanes(&l->pool, from_lanes, into_lanes, &l->q);
    }
}

// `last`: up to here no contact may be missed; rounded up.
TOI_INLINE void toi_search_lanes(int edge_edge, double last, toi_turning_lanes *l)
{
    toi_number rounded = (toi_number)last;
    if ((double)rounded < last)
        rounded *= 1 + 2 * TOI_UNIT;
    toi_real t_max = TOI_SPREAD(rounded);
    while (toi_fill_lanes(edge_edge, &t_max, l), l->active) {
        toi_turned turned = toi_turn_lanes(edge_edge, TOI_NONE_BEGIN, &t_max, &l->q);
        unsigned apart = toi_mask_word(turned.apart), found = toi_mask_word(turned.found);
        unsigned done = (apart | found | toi_mask_word(turned.stuck)) & l->active;
        l->active &= ~done;
        for (; done; done &= done - 1) { // without branches, which would be guessed wrong
            int lane = __builtin_ctz(done);
            int verdict = TOI_SEARCH_STUCK - (int)(TOI_SEARCH_STUCK * (apart >> lane & 1)) -
                          (int)(found >> lane & 1);
            toi_note_lane(edge_edge, &l->q, lane, (toi_search_verdict)verdict,
                          &l->searched[l->query[lane]]);
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
