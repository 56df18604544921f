// The first time at which two primitives come as close as a separation, bracketed: pieces of the
// step are proved clear one after the other until all of it is, or until the time is near.
//
// A piece from `clear` to h is proved by a direction that turns: m at its start, n at its end,
// neither longer than 1, and (1-x) m + x n in between, which is then not longer than 1 either. For
// a corner w of F, which moves on a straight line, the height ((1-x) m + x n).w is a quadratic with
// the Bernstein coefficients m.w(clear), (m.w(h) + n.w(clear)) / 2 and n.w(h). If all three exceed
// the separation for all corners, the figure stays beyond a plane at that distance from the
// origin. docs/separation.md derives the bounds; where the search steps does not matter to them.

#ifndef TOI_KERNEL_TURNING_H
#define TOI_KERNEL_TURNING_H

#include "kernel/closest.h"

#ifdef TOI_SINGLE
#define TOI_NEAR_TIME 0x1p-8f   // close enough to a root for the last bit to be tried
#define TOI_TIME_GRAIN 0x1p-10f // pieces shorter than this share of the step are not tried
#define TOI_STEP_SHORT 0x1p-6f  // of a step, so that it ends before the root, not behind it
#define TOI_TURNING_STEPS 48    // a lane's budget
#else
#define TOI_NEAR_TIME 0x1p-26
#define TOI_TIME_GRAIN 0x1p-45
#define TOI_STEP_SHORT 0x1p-12
#define TOI_TURNING_STEPS 96
#endif

// A search: what is asked of it, and how far it has come. Lengths are in a scale in which `total`
// is between 1/2 and 9.
typedef struct toi_turning
{
    toi_real p[2][3], e[2][3], g[2][3]; // as in toi_pair_motion
    toi_real total;                     // the sum of its sizes
    // The separation is at most base + share d, where d is the distance at t = 0. If d is at most
    // `inner`, they start inside, and it is at most share d.
    toi_real base, share, inner;
    toi_real separation; // from the first step on: not less than the true one
    // The distance exceeds the separation up to here; -1 before the first step, which sets all that
    // follows.
    toi_real clear;
    toi_real n[3];             // the direction there
    toi_real distance, slope;  // about, there
    toi_real u, v;             // the nearest point there
    toi_mask in;               // see toi_near_point
    toi_real start_u, start_v; // the same at t = 0
    toi_mask start_in;
    toi_mask began_inside; // proved at the first step
    // Where to look next. At first 0, or, where share is 0, a time up to which the distance is
    // known to exceed the separation.
    toi_real next;
    toi_real past;  // the distance seems to be below the separation here; 2: nowhere yet
    toi_real piece; // the length of the last piece
    toi_real ahead; // about how far the root is from `clear`
    toi_real steps; // taken
} toi_turning;

// What a step made of a lane; none of them: it goes on.
typedef struct toi_turned
{
    toi_mask apart; // proved clear up to the last time
    toi_mask found; // clear, and the root is near
    toi_mask stuck; // this precision cannot tell
} toi_turned;

// P, E and G at a time, by their speeds.
typedef struct toi_pair_pose
{
    toi_real p[3], e[3], g[3];
} toi_pair_pose;

TOI_INLINE void toi_pair_pose_at(const toi_turning *q, const toi_real *t, toi_pair_pose *f)
{
    for (int k = 0; k < 3; ++k) {
        f->p[k] = TOI_PRODUCT_SUM(*t, q->p[1][k] - q->p[0][k], q->p[0][k]);
        f->e[k] = TOI_PRODUCT_SUM(*t, q->e[1][k] - q->e[0][k], q->e[0][k]);
        f->g[k] = TOI_PRODUCT_SUM(*t, q->g[1][k] - q->g[0][k], q->g[0][k]);
    }
}

// How much the sum of the sizes times this may be off in a height, or a length.
TOI_INLINE toi_real toi_turning_slack(const toi_turning *q)
{
    return q->total * (32 * TOI_UNIT) + TOI_TINY;
}

// A direction along f, not longer than 1; not set where f is too short to tell.
TOI_INLINE toi_mask toi_take_direction(const toi_real f[3], toi_real *length, toi_real n[3])
{
    toi_real square = toi_dot(f, f);
    *length = toi_sqrt(square);
    toi_real factor = (1 - 8 * TOI_UNIT) / *length;
    for (int k = 0; k < 3; ++k)
        n[k] = f[k] * factor;
    return TOI_TEST(square > TOI_SMALL_SQUARE);
}

// The heights of P, E and G along n.
TOI_INLINE void toi_take_heights(const toi_pair_pose *f, const toi_real n[3], toi_real h[3])
{
    h[0] = toi_dot(n, f->p);
    h[1] = toi_dot(n, f->e);
    h[2] = toi_dot(n, f->g);
}

// The least height of a corner.
TOI_INLINE toi_real toi_least_corner(int edge_edge, const toi_real h[3])
{
    const toi_real zero = TOI_SPREAD(0);
    if (edge_edge)
        return h[0] + (toi_min(h[1], zero) + toi_min(h[2], zero));
    return h[0] + toi_min(toi_min(h[1], h[2]), zero);
}

// The least second and third coefficients of all corners, for the piece between two figures; the
// first are known to exceed the separation already.
TOI_INLINE void toi_least_heights(int edge_edge, const toi_pair_pose *from, const toi_pair_pose *to,
                                  const toi_real m[3], const toi_real n[3], toi_real *middle,
                                  toi_real *end)
{
    toi_real last[3], one[3], other[3];
    toi_take_heights(to, n, last);
    toi_take_heights(to, m, one);
    toi_take_heights(from, n, other);
    for (int i = 0; i < 3; ++i)
        one[i] += other[i];
    *end = toi_least_corner(edge_edge, last);
    *middle = (toi_number)0.5 * toi_least_corner(edge_edge, one);
}

// The first step of a lane looks where `next` stands.
TOI_INLINE void toi_begin_lanes(const toi_mask *start, toi_turning *q)
{
    q->steps = TOI_SELECT(*start, TOI_SPREAD(0), q->steps);
    q->piece = TOI_SELECT(*start, TOI_SPREAD(1), q->piece);
    q->past = TOI_SELECT(*start, TOI_SPREAD(2), q->past);
    q->began_inside &= ~*start;
}

// What the separation is at most, from the length of a real point at t = 0.
TOI_INLINE void toi_bound_separation(int edge_edge, const toi_pair_pose *f,
                                     const toi_near_point *at, const toi_mask *start,
                                     toi_turning *q)
{
    toi_real slack = toi_turning_slack(q);
    toi_real length = toi_real_length(edge_edge, f->p, f->e, f->g, at, &slack);
    toi_mask inside = *start & TOI_TEST(length <= q->inner);
    toi_real base = TOI_SELECT(inside, TOI_SPREAD(0), q->base);
    toi_real bound = (base + q->share * length) * (1 + 16 * TOI_UNIT);
    q->separation = TOI_SELECT(*start, bound, q->separation);
    q->began_inside |= inside;
    q->start_u = TOI_SELECT(*start, at->u, q->start_u);
    q->start_v = TOI_SELECT(*start, at->v, q->start_v);
    q->start_in = (*start & at->inside) | (~*start & q->start_in);
}

// Moves the end of what is proved to the time just tried, where that was proved too.
TOI_INLINE void toi_extend_clear(const toi_mask *clear, const toi_near_point *at,
                                 const toi_real n[3], const toi_real *distance,
                                 const toi_real *slope, toi_turning *q)
{
    q->piece = TOI_SELECT(*clear & TOI_TEST(q->clear >= 0), q->next - q->clear, q->piece);
    q->clear = TOI_SELECT(*clear, q->next, q->clear);
    q->distance = TOI_SELECT(*clear, *distance, q->distance);
    q->slope = TOI_SELECT(*clear, *slope, q->slope);
    q->u = TOI_SELECT(*clear, at->u, q->u);
    q->v = TOI_SELECT(*clear, at->v, q->v);
    q->in = (*clear & at->inside) | (~*clear & q->in);
    for (int k = 0; k < 3; ++k)
        q->n[k] = TOI_SELECT(*clear, n[k], q->n[k]);
}

// Where to look next. After a piece: Newton's step, which stays before the root of a convex
// function. After a time past the root: the lesser of Newton's step from there and the secant,
// which stays before the root of a concave one. Else half of what failed. A root that is not in
// sight: a few times the last piece. Returns the last time that can be looked at.
TOI_INLINE toi_real toi_choose_next(const toi_real *t_max, const toi_mask *clear,
                                    const toi_mask *under, const toi_real *distance,
                                    const toi_real *slope, toi_turning *q)
{
    const toi_real small = TOI_SPREAD(TOI_SMALL_SQUARE);
    toi_real tried = q->next, from = q->clear, room = q->distance - q->separation;
    toi_real far = toi_min(q->past, *t_max);
    toi_real newton = TOI_SELECT(TOI_TEST(q->slope < 0), from + q->ahead, TOI_SPREAD(3));
    toi_real back = tried - (*distance - q->separation) / *slope;
    back = TOI_SELECT(TOI_TEST(*slope < 0) & TOI_TEST(back > from), back, tried);
    toi_real secant = from + (tried - from) * room / toi_max(q->distance - *distance, small);
    toi_real next = TOI_SELECT(*under & ~*clear, toi_min(back, secant), newton);
    next -= (next - from) * TOI_STEP_SHORT;
    toi_real bound = TOI_SELECT(*clear | *under, far, tried), whole = bound - from;
    toi_real share =
        TOI_SELECT(*under, TOI_SPREAD((toi_number)(1 - 0x1p-8)), TOI_SPREAD((toi_number)0.75));
    toi_real cap = TOI_SELECT(*clear, far, from + whole * share);
    toi_real least = from + whole * (toi_number)0x1p-6;
    toi_mask usable = TOI_TEST(next > least) & TOI_TEST(next < cap);
    toi_real half = from + whole * (toi_number)0.5;
    toi_real leap = toi_min(from + q->piece * 3, far);
    toi_real other = TOI_SELECT(*clear & TOI_TEST(q->past > 1), leap, half);
    other = TOI_SELECT(*clear & TOI_TEST(next < far), least, other);
    q->next = TOI_SELECT(usable, next, other);
    return bound;
}

// What became of a step that looked no further than `bound`.
TOI_INLINE toi_turned toi_judge_step(const toi_real *t_max, const toi_mask *start,
                                     const toi_mask *clear, const toi_mask *apart,
                                     const toi_real *bound, const toi_turning *q)
{
    toi_turned done;
    toi_mask near = TOI_TEST(q->ahead < TOI_NEAR_TIME) &
                    TOI_TEST(q->ahead < (*t_max - q->clear) * (toi_number)0x1p-5);
    near |= TOI_TEST(q->ahead < (toi_number)0x1p-30);
    near |= TOI_TEST(q->distance - q->separation < toi_turning_slack(q) * 4) &
            TOI_TEST(q->ahead < (toi_number)0x1p-6);
    done.apart = *apart;
    toi_mask short_piece =
        ~*start & ~*clear & ~TOI_TEST(*bound - q->clear > TOI_TIME_GRAIN * *t_max);
    done.found = (*clear & TOI_TEST(q->clear > 0) & ~*apart & near) | short_piece;
    done.stuck = (*start & ~*clear) | TOI_TEST(q->steps >= TOI_TURNING_STEPS);
    done.stuck &= ~done.apart & ~done.found;
    return done;
}

// How fast the distance of the nearest point changes.
TOI_INLINE toi_real toi_distance_slope(const toi_turning *q, const toi_near_point *at,
                                       const toi_real n[3])
{
    toi_real slope = TOI_SPREAD(0);
    for (int k = 0; k < 3; ++k) {
        toi_real speed = TOI_PRODUCT_SUM(at->u, q->e[1][k] - q->e[0][k], q->p[1][k] - q->p[0][k]);
        speed = TOI_PRODUCT_SUM(at->v, q->g[1][k] - q->g[0][k], speed);
        slope = TOI_PRODUCT_SUM(n[k], speed, slope);
    }
    return slope;
}

// Which lanes take their first step: what is not known when it is compiled costs time.
typedef enum toi_beginners
{
    TOI_NONE_BEGIN,
    TOI_ALL_BEGIN,
    TOI_SOME_BEGIN // on a card, where a thread is a lane
} toi_beginners;

// One step of every lane: looks at `next`, proves the piece up to there if it can, and chooses
// where to look then. t_max is in ]0, 1].
TOI_INLINE toi_turned toi_turn_lanes(int edge_edge, toi_beginners who, const toi_real *t_max,
                                     toi_turning *q)
{
    toi_pair_pose from, to;
    toi_near_point at;
    toi_real n[3], distance, middle, end;
    toi_mask start = TOI_TEST(q->clear < 0);
    if (who != TOI_SOME_BEGIN)
        start = who == TOI_ALL_BEGIN ? start | ~start : start ^ start;
    toi_real begin = toi_max(q->clear, TOI_SPREAD(0));
    toi_begin_lanes(&start, q);
    toi_pair_pose_at(q, &begin, &from);
    toi_pair_pose_at(q, &q->next, &to);
    toi_find_near_point(edge_edge, to.p, to.e, to.g, &at);
    toi_mask straight = toi_take_direction(at.f, &distance, n);
    if (who == TOI_ALL_BEGIN || (who == TOI_SOME_BEGIN && toi_any(start)))
        toi_bound_separation(edge_edge, &to, &at, &start, q);
    toi_real slope = toi_distance_slope(q, &at, n);
    toi_least_heights(edge_edge, &from, &to, q->n, n, &middle, &end);
    toi_real slack = toi_turning_slack(q), need = q->separation * (1 + 8 * TOI_UNIT) + slack;
    toi_mask clear = straight & TOI_TEST(end > need) & (start | TOI_TEST(middle > need));
    toi_mask under = ~clear & ~start & TOI_TEST(distance + slack < q->separation);
    toi_extend_clear(&clear, &at, n, &distance, &slope, q);
    q->past = TOI_SELECT(under, q->next, q->past);
    toi_real falling = TOI_SELECT(TOI_TEST(q->slope < 0), -q->slope, TOI_SPREAD(TOI_SMALL_SQUARE));
    q->ahead = (q->distance - q->separation) / falling;
    q->steps += 1;
    toi_mask apart = clear & TOI_TEST(q->next >= *t_max);
    toi_real bound = toi_choose_next(t_max, &clear, &under, &distance, &slope, q);

    return toi_judge_step(t_max, &start, &clear, &apart, &bound, q);
}

TOI_INLINE toi_turned toi_turn(int edge_edge, const toi_real *t_max, toi_turning *q)
{
    return toi_turn_lanes(edge_edge, TOI_SOME_BEGIN, t_max, q);
}

#endif
