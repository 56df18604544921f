// The rungs of `exact` with a separation in double precision and beyond, for one pair: the floor of
// the distance at t = 0, that of the time, and where they are closest then. docs/separation.md.
// Compiles for the host too, where a test climbs it.

#ifndef TOI_CUDA_APART_LADDER_CUH
#define TOI_CUDA_APART_LADDER_CUH

#include "cuda/apart_search.cuh"
#include "cuda/ladder.cuh"
#include "kernel/apart_place.h"
#include "kernel/apart_time.h"
#include "kernel/contact_place.h"
#include "kernel/distance.h"
#include "kernel/fixed_contact.h"
#include "kernel/normal.h"
#include "kernel/rounding.h"
#include "toi/ccd.h"

// ---- Which pairs are asked about

// Do the swept boxes, enlarged by the radius, overlap?
TOI_INLINE bool toi_swept_boxes_overlap(int edge_edge, double points[2][4][3], double radius)
{
    bool overlap = true;
    for (int k = 0; k < 3; ++k) {
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int i = 0; i < 8; ++i) {
            int second = i % 4 >= (edge_edge ? 2 : 1);
            double x = points[i / 4][i % 4][k];
            low[second] = toi_min(low[second], x);
            high[second] = toi_max(high[second], x);
        }
        for (int i = 0; i < 2 && radius > 0; ++i) {
            low[i] = toi_subtract_down(low[i], radius);
            high[i] = toi_add_up(high[i], radius);
        }
        overlap = overlap && low[0] <= high[1] && low[1] <= high[0];
    }
    return overlap;
}

// ---- The last bit; corners are renamed after the feature

TOI_INLINE bool toi_floor_start(int edge_edge, int feature, double points[2][4][3],
                                double *distance)
{
    toi_apart a;
    toi_take_apart(edge_edge, points, &a);
    if (feature < 4)
        return toi_find_apart_distance(edge_edge, TOI_NEAR_CORNER, points, &a, distance) != 0;
    if (feature < 8)
        return toi_find_apart_distance(edge_edge, TOI_NEAR_SIDE, points, &a, distance) != 0;
    return toi_find_apart_distance(edge_edge, TOI_NEAR_INSIDE, points, &a, distance) != 0;
}

TOI_INLINE bool toi_floor_time(int edge_edge, const toi_apart_found *found, double points[2][4][3],
                               double separation, double *time)
{
    toi_apart a;
    toi_take_apart(edge_edge, points, &a);
    double s = separation * a.scale;
    const double *lo = &found->lo, *guess = &found->guess;
    if (found->feature < 4)
        return toi_find_apart_time(edge_edge, TOI_NEAR_CORNER, &a, &s, lo, guess, time) != 0;
    if (found->feature < 8)
        return toi_find_apart_time(edge_edge, TOI_NEAR_SIDE, &a, &s, lo, guess, time) != 0;
    return toi_find_apart_time(edge_edge, TOI_NEAR_INSIDE, &a, &s, lo, guess, time) != 0;
}

// What is known of a pair's separation.
struct toi_apart_state
{
    bool known, inside; // the separation; whether they start at the least or closer
    double separation;
};

TOI_INLINE toi_apart_state toi_first_state(const toi_apart_policy *p)
{
    toi_apart_state state = {p->share == 0, false, p->base};
    return state;
}

// From the floor of the distance at t = 0. Where that equals the least it may or may not be the
// distance itself: what the search has proved at t = 0 tells; else the state stays unknown.
TOI_INLINE void toi_set_state(const toi_apart_policy *p, const toi_apart_found *found, double floor,
                              toi_apart_state *state)
{
    double least = p->asked.separation, share = p->asked.relative;
    if (floor == least && found->lo < 0)
        return;
    state->inside = floor < least || (floor == least && found->began_inside);
    state->separation = state->inside ? share * floor : least + share * (floor - least);
    state->known = true;
}

// ---- What the first search leaves

TOI_INLINE void toi_rename_points(int edge_edge, int feature, const double points[2][4][3],
                                  double renamed[2][4][3])
{
    unsigned corners = toi_renamed_corners(edge_edge, feature);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k) {
            renamed[0][c][k] = points[0][corners >> (2 * c) & 3][k];
            renamed[1][c][k] = points[1][corners >> (2 * c) & 3][k];
        }
}

enum toi_apart_end
{
    TOI_APART_ENDS_CLEAR,
    TOI_APART_ENDS_HIT,
    TOI_APART_ENDS_OPEN // integers must tell
};

// Do they touch at t = 0, by integers of fixed width? False where that is not known.
TOI_ROUTINE bool toi_touch_at_start(int edge_edge, double points[2][4][3])
{
    const double *start = points[0][0];
    int unit, touch = toi_touch_knot(edge_edge, points);
    toi_fixed_motion m;
    if (touch != 0)
        return touch > 0;
    m.edge_edge = edge_edge;
    return toi_find_unit(start, start, &unit) <= TOI_FIXED_POINT_BITS &&
           toi_take_fixed_motion(start, 0, unit, &m) && toi_take_fixed_motion(start, 1, unit, &m) &&
           toi_touch_at_start(&m);
}

// The time after a search whose separation is known.
TOI_INLINE int toi_climb_apart_time(int edge_edge, double points[2][4][3],
                                    const toi_apart_found *found, double separation, double *time)
{
    double renamed[2][4][3];
    if (found->verdict == TOI_APART_CLEAR)
        return TOI_APART_ENDS_CLEAR;
    if (found->verdict != TOI_APART_FOUND)
        return TOI_APART_ENDS_OPEN;
    toi_rename_points(edge_edge, found->feature, points, renamed);
    return toi_floor_time(edge_edge, found, renamed, separation, time) ? TOI_APART_ENDS_HIT
                                                                       : TOI_APART_ENDS_OPEN;
}

// All in double precision, from the beginning. `inside` is not set where it ends open.
TOI_INLINE int toi_climb_apart_knot(int edge_edge, double points[2][4][3],
                                    const toi_apart_policy *p, double t_max, bool *inside,
                                    double *time)
{
    toi_apart_bound bound = toi_first_bound(p);
    toi_apart_state state = toi_first_state(p);
    toi_apart_found found;
    double renamed[2][4][3], floor = 0;
    *time = 0;
    toi_search_apart(edge_edge, points, &bound, t_max, &found);
    *inside = found.began_inside;
    if (found.verdict == TOI_APART_CLEAR)
        return TOI_APART_ENDS_CLEAR;
    if (found.verdict == TOI_APART_INSIDE ||
        (found.lo < 0 && toi_touch_at_start(edge_edge, points))) {
        *inside = true;
        return TOI_APART_ENDS_HIT;
    }
    int end = TOI_APART_ENDS_OPEN;
    if (!state.known) {
        toi_rename_points(edge_edge, found.start_feature, points, renamed);
        if (toi_floor_start(edge_edge, found.start_feature, renamed, &floor))
            toi_set_state(p, &found, floor, &state);
        *inside = state.inside;
    }
    if (state.known)
        end = toi_climb_apart_time(edge_edge, points, &found, state.separation, time);
    if (end != TOI_APART_ENDS_OPEN || !state.known || p->share == 0)
        return end;
    bound = toi_known_bound(state.separation); // tighter than the first
    toi_search_apart(edge_edge, points, &bound, t_max, &found);
    return toi_climb_apart_time(edge_edge, points, &found, state.separation, time);
}

// ---- Places

// Where they are closest at the time, and which way, with the bits of the processor's answer.
TOI_INLINE void toi_place_apart(int edge_edge, double points[2][4][3], toi_impact *impact)
{
    toi_pair_motion m;
    toi_apart_place at;
    double shrink;
    toi_take_scaled_motion(edge_edge, points, &shrink, &m);
    toi_find_apart_place(edge_edge, &m, &impact->time, &at);
    if (!at.trusted) {
        toi_close_figure(edge_edge, &at.trusted, at.p, at.e, at.g, &at.u, &at.v);
        toi_take_gap(&at);
    }
    double length = sqrt(toi_dot(at.gap, at.gap));
    double size = toi_max(toi_max(m.size[0], m.size[1]), m.size[2]);
    impact->u = at.u;
    impact->v = at.v;
    for (int k = 0; k < 3; ++k)
        impact->normal[k] = at.gap[k] / length + 0.0;
    if (length > 0x1p-45 * size)
        return;
    toi_contact_frame frame;
    toi_hit_place place = {points[0][0], points[1][0], impact->time, at.u, at.v};
    toi_take_speed(&m, &at.u, &at.v, frame.speed);
    for (int k = 0; k < 3; ++k) {
        frame.e[k] = at.e[k];
        frame.g[k] = at.g[k];
        impact->normal[k] = 0;
    }
    frame.e_size = toi_largest_end(m.e);
    frame.g_size = toi_largest_end(m.g);
    toi_find_normal(edge_edge, &place, &frame, impact->normal);
}

#endif
